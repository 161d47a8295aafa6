//! What is known only in part: open buckets, one value, texts that tell nothing, probes that nobody answers, facts that
//! were demanded and not seen.

use serde_json::{Value, json};

use super::{SERVICE, ask, codes, file};
use crate::cli::{REGISTRY, Recorded, provider, run};

fn recorded() -> Recorded {
    let urls = ["10.1.0.1", "10.1.0.2"].map(|host| provider(host, SERVICE, "&timeout=300"));
    Recorded::providers(SERVICE, &[&urls[0], &urls[1]])
}

/// 100 calls, two of them above the last end: the P99 is known to be above 500 ms, and nothing more.
const OPEN: &str = "rt_seconds_bucket{le=\"0.1\"} 40\n\
rt_seconds_bucket{le=\"0.5\"} 980\n\
rt_seconds_bucket{le=\"+Inf\"} 1000\n";

#[test]
fn an_open_bucket_gives_no_plain_number() {
    let folder = tempfile::tempdir().unwrap();
    let page = file(&folder, "page.txt", OPEN);
    let recorded = recorded();
    let args = [
        "--prometheus",
        &page,
        "--rtt",
        "5ms",
        "--qps",
        "100",
        "--try",
        "600ms",
    ];
    let done = ask(&recorded, &[&args[..], &["-o", "json"]].concat());
    let report = done.json()["reports"][0].clone();
    let budget = &report["budget"];
    assert_eq!(budget["need"]["at_least"], true, "{done:?}");
    assert_eq!(budget["need"]["total_ms"], 505.0);
    for nothing in ["per_try", "advice", "capacity"] {
        assert!(budget[nothing].is_null(), "{nothing}: {done:?}");
    }
    assert_eq!(budget["what_if"]["verdict"], "unknown");
    // 300 ms is less than what is needed at least, whatever the P99 is.
    let found = codes(&report);
    assert!(
        found.contains(&("DG7001".to_owned(), "likely".to_owned())),
        "{found:?}"
    );
    assert!(!found.iter().any(|(code, _)| code == "DG7003"), "{found:?}");
    let measured = &budget["measured"];
    assert_eq!(
        [
            &measured["p50_low_ms"],
            &measured["p50_high_ms"],
            &measured["p99_low_ms"],
            &measured["p99_high_ms"]
        ],
        [&json!(100.0), &json!(500.0), &json!(500.0), &Value::Null]
    );
    let text = ask(&recorded, &args).stdout;
    for line in [
        "more than 500 (P99",
        "P50 100-500, P90 100-500, P99 > 500 ms",
        "nothing says how far",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn one_value_is_only_weak() {
    let folder = tempfile::tempdir().unwrap();
    let samples = file(&folder, "rt.txt", "450ms\n");
    let args = [
        "--samples",
        &samples,
        "--rtt",
        "5ms",
        "--qps",
        "1000",
        "--try",
        "100ms",
        "-o",
        "json",
    ];
    let done = ask(&recorded(), &args);
    assert_eq!(done.exit, 0, "{done:?}");
    let report = done.json()["reports"][0].clone();
    let found = codes(&report);
    assert_eq!(found, [("DG7010".to_owned(), "certain".to_owned())]);
    for nothing in ["need", "per_try", "advice", "capacity"] {
        assert!(report["budget"][nothing].is_null(), "{nothing}");
    }
}

#[test]
fn weak_advice_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    let samples = file(&folder, "rt.txt", &"450ms\n".repeat(1000));
    let done = ask(&recorded(), &["--samples", &samples, "-o", "json"]);
    let report = done.json()["reports"][0].clone();
    assert_eq!(report["budget"]["advice"]["weak"], true);
    let found = codes(&report);
    assert!(
        found.contains(&("DG7001".to_owned(), "likely".to_owned())),
        "{found:?}"
    );
}

#[test]
fn a_text_that_tells_nothing_is_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let log = file(&folder, "app.log", "hello\nnothing to see here\n");
    for more in [&[][..], &["--p99", "450ms"]] {
        let done = run(&[&["timeout-budget", "--from-log", &log], more].concat());
        assert_eq!(done.exit, 2, "{done:?}");
        assert!(
            done.stderr.contains("names no service that fails"),
            "{done:?}"
        );
        assert!(
            done.stderr.contains("diag timeout-budget [group/]"),
            "{done:?}"
        );
        assert!(done.stdout.is_empty());
    }
}

#[test]
fn demanded_facts_that_were_not_seen_end_in_unknown() {
    let recorded = recorded();
    for fact in ["qos", "probe", "metrics", "sweep", "caches"] {
        let done = ask(
            &recorded,
            &["--param", "retries=0", "--require", fact, "-o", "json"],
        );
        assert_eq!(done.exit, 3, "{fact}: {done:?}");
        let report = done.json()["reports"][0].clone();
        assert_eq!(report["outcome"], "unknown");
        assert!(report["verdict"].is_null());
        let missing = report["not_seen"].as_array().unwrap().clone();
        assert!(
            missing.iter().any(|fact| fact["required"] == true),
            "{fact}"
        );
    }
    // What is demanded goes before what was found.
    let done = ask(&recorded, &["--p99", "450ms", "--require", "metrics"]);
    assert_eq!(done.exit, 3, "{done:?}");
    assert!(done.stdout.contains("DG7001"), "{done:?}");
    let folder = tempfile::tempdir().unwrap();
    let page = file(
        &folder,
        "page.txt",
        &format!(
            "dubbo_provider_rt_milliseconds_p99{{interface=\"{SERVICE}\",method=\"get\"}} 45\n"
        ),
    );
    let seen = [
        "--param",
        "retries=0",
        "--require",
        "metrics",
        "--prometheus",
        &page,
    ];
    let done = ask(&recorded, &seen);
    assert_eq!(done.exit, 0, "{done:?}");
}

/// Every probe was refused, or lost: that is told.
#[test]
fn probes_without_an_answer_leave_a_trace() {
    let recorded = recorded();
    let folder = std::path::Path::new(recorded.path());
    let path = folder.join("manifest.json");
    let mut manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    manifest["sources"]["p"] = json!({ "kind": "probe" });
    std::fs::write(&path, manifest.to_string()).unwrap();
    let lines = [
        json!({"op": "probe", "kind": "tcp-connect", "address": "10.1.0.1:20880", "from": "10.1.9.9", "err": {"kind": "refused"}}),
        json!({"op": "probe", "kind": "tcp-connect", "address": "10.1.0.2:20880", "from": "10.1.9.9", "samples_us": [], "lost": 3}),
    ]
    .map(|line| line.to_string());
    std::fs::write(folder.join("p.jsonl"), lines.join("\n") + "\n").unwrap();
    let done = ask(&recorded, &["-o", "json"]);
    let report = done.json()["reports"][0].clone();
    let missing = report["not_seen"].to_string();
    assert!(missing.contains("2 of 2 tries gave no time"), "{missing}");
    assert!(missing.contains("10.1.0.1:20880: refused"), "{missing}");
}

#[test]
fn a_service_that_is_not_there_has_no_budget() {
    let done = run(&[
        &["timeout-budget", "com.acme.UserServis", "createUser"][..],
        &[
            "--snapshot",
            recorded().path(),
            "--registry",
            REGISTRY,
            "--dubbo",
            "3.2.16",
        ],
        &["--consumer-app", "web", "--consumer-ip", "10.1.9.9"],
    ]
    .concat());
    assert_eq!(done.exit, 3, "{done:?}");
    for line in ["DG2103", "com.acme.UserService", "could call is registered"] {
        assert!(done.stdout.contains(line), "{line}\n{}", done.stdout);
    }
    for line in ["DG7004", "in force", "retries="] {
        assert!(!done.stdout.contains(line), "{line}\n{}", done.stdout);
    }
    let done = ask(&recorded(), &["--method", "gte"]);
    assert_eq!(done.exit, 0, "the name beside the service counts: {done:?}");
    let mut args = vec!["timeout-budget", SERVICE, "gte", "--registry", REGISTRY];
    let recorded = recorded();
    args.extend(["--snapshot", recorded.path(), "--dubbo", "3.2.16"]);
    let done = run(&args);
    assert_eq!(done.exit, 3, "{done:?}");
    assert!(done.stdout.contains("did you mean get?"), "{done:?}");
}

#[test]
fn what_is_left_out_is_said() {
    let done = run(&[
        "timeout-budget",
        SERVICE,
        "get",
        "--p99",
        "45ms",
        "--payload",
        "2MB",
    ]);
    assert!(done.stdout.contains("--bandwidth"), "{done:?}");
    let folder = tempfile::tempdir().unwrap();
    let page = file(
        &folder,
        "page.txt",
        "dubbo_provider_rt_milliseconds_p99{interface=\"com.acme.OrderService\",method=\"find\"} 45\n",
    );
    let done = run(&["timeout-budget", SERVICE, "get", "--prometheus", &page]);
    assert_eq!(done.exit, 4, "{done:?}");
    assert!(
        done.stderr.contains(
            "no response times of com.acme.UserService#get; it does of com.acme.OrderService#find"
        ),
        "{done:?}"
    );
}

#[test]
fn impossible_numbers_are_named() {
    for (flag, value, word) in [
        ("--chain", "a:timeout=0", "longer than nothing"),
        ("--chain", "a:p99=0ms", "longer than nothing"),
        ("--chain", "a:timeout=99999999999999", "longer than a day"),
        ("--chain", "a:cluster=failovr", "no strategy of Dubbo"),
        ("--write", "", "name of one method"),
        ("--write", "a b", "name of one method"),
    ] {
        let done = run(&["timeout-budget", SERVICE, "get", flag, value]);
        assert_eq!(done.exit, 2, "{flag} {value}: {done:?}");
        assert!(done.stderr.contains(word), "{word}: {done:?}");
    }
    let found = |args: &[&str]| {
        let all = [&["timeout-budget", SERVICE, "get", "-o", "json"], args].concat();
        let report = run(&all).json()["reports"][0].clone();
        let messages: Vec<String> = report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| format!("{} {}", finding["code"], finding["message"]))
            .collect();
        messages.join("\n")
    };
    for (args, code, word) in [
        // A link whose own P99 does not fit.
        (
            &["--chain", "a:p99=5s:timeout=1s,b"][..],
            "DG7001",
            "1000 ms in force",
        ),
        // The consumer's P99 contains the round trip.
        (
            &["--p99", "10ms", "--p99-side", "consumer", "--rtt", "50ms"],
            "DG7010",
            "RTT 50 ms",
        ),
        // What does not fit into 32 bits is cut, and said.
        (&["--param", "timeout=99999999999"], "DG7007", "1215752191"),
        (&["--param", "retries=2147483647"], "DG7007", "1 try"),
        (
            &["--param", "retries=many"],
            "DG7007",
            "NumberFormatException",
        ),
    ] {
        let found = found(args);
        assert!(
            found
                .lines()
                .any(|line| line.contains(code) && line.contains(word)),
            "{args:?}: {found}"
        );
    }
    let both = found(&["--p99", "10ms", "--p99-side", "consumer", "--rtt", "50ms"]);
    assert!(!both.contains("DG7011"), "{both}");
}

/// With a service named its budget is told all the same, and that the text has nothing for it.
#[test]
fn a_text_without_a_timeout_is_said_to_have_none() {
    let folder = tempfile::tempdir().unwrap();
    for text in ["", "hello\nnothing to see here\n"] {
        let log = file(&folder, "app.log", text);
        let done = ask(&recorded(), &["--from-log", &log]);
        assert_eq!(done.exit, 0, "{done:?}");
        assert!(
            done.stderr
                .contains("no call that ran out of time or was refused"),
            "{text:?}: {done:?}"
        );
    }
}
