//! Numbers that are ranges, doubted or out of reach: both ends are said, and what does not fit is said, too.

use serde_json::{Value, json};

use super::{SERVICE, ask, ask_of, codes, file};
use crate::cli::{Recorded, provider, run};

fn recorded(rest: &str) -> Recorded {
    let url = provider("10.1.0.1", SERVICE, rest);
    Recorded::providers(SERVICE, &[&url])
}

fn answer(recorded: &Recorded, more: &[&str]) -> Value {
    let done = ask(recorded, &[more, &["-o", "json"]].concat());
    assert!(done.exit < 2, "{done:?}");
    done.json()["reports"][0].clone()
}

fn finding(answer: &Value, code: &str) -> Option<Value> {
    let findings = answer["findings"].as_array().unwrap();
    findings
        .iter()
        .find(|finding| finding["code"] == code)
        .cloned()
}

/// 450 and 900 ms on two instances, 5 ms of network: 455 to 905 are needed, 682.5 to 1357.5 with the lower factor.
#[test]
fn a_tight_timeout_is_told_with_both_ends() {
    let folder = tempfile::tempdir().unwrap();
    let line = |host: &str, millis: u32| {
        format!(
            "dubbo_provider_rt_milliseconds_p99{{hostname=\"{host}\",interface=\"{SERVICE}\",method=\"get\"}} {millis}\n"
        )
    };
    let page = file(
        &folder,
        "page.txt",
        &format!("{}{}", line("a", 450), line("b", 900)),
    );
    let args = ["--prometheus", &page, "--rtt", "5ms", "--param"];
    for (timeout, code) in [
        ("timeout=400", Some("DG7001")),
        ("timeout=600", Some("DG7002")),
        ("timeout=1000", Some("DG7002")),
        ("timeout=1400", None),
    ] {
        let found = answer(&recorded(""), &[&args[..], &[timeout]].concat());
        for known in ["DG7001", "DG7002"] {
            assert_eq!(
                finding(&found, known).is_some(),
                code == Some(known),
                "{timeout}"
            );
        }
        if code == Some("DG7002") {
            let params = finding(&found, "DG7002").unwrap()["params"].clone();
            assert_eq!(params["need"], "455-905", "{timeout}");
            assert_eq!(params["budget"], "682.5-1357.5", "{timeout}");
        }
    }
    // One value is one number.
    let args = ["--p99", "450ms", "--rtt", "5ms", "--param", "timeout=600"];
    let params = finding(&answer(&recorded(""), &args), "DG7002").unwrap()["params"].clone();
    assert_eq!(
        (&params["need"], &params["budget"]),
        (&json!(455), &json!(682.5))
    );
}

/// 800 calls a second of 450 ms are 360 at once on 200 threads: the threads are short, whatever the timeout is.
#[test]
fn a_timeout_as_advised_is_not_too_long() {
    let args = ["--p99", "450ms", "--rtt", "5ms", "--qps", "800", "--param"];
    let ask = |timeout| answer(&recorded("&threads=200"), &[&args[..], &[timeout]].concat());
    let found = ask("timeout=1000");
    assert_eq!(found["budget"]["advice"]["timeout_ms"], 1000);
    assert_eq!(found["findings"][0]["code"], "DG7012", "{found}");
    let hint = finding(&found, "DG7003").unwrap();
    assert_eq!(
        (&hint["severity"], &hint["remedy"]),
        (&json!("info"), &json!([]))
    );
    let found = ask("timeout=2000");
    let long = finding(&found, "DG7003").unwrap();
    assert_eq!(long["severity"], "warning");
    assert_eq!(long["params"]["held"], 1600);
}

/// 2 x 1000, 1 x 1000, 2 x 700 and 1 x 700 ms are what the budget of 450 ms gives.
#[test]
fn an_advice_that_the_caller_does_not_wait_for_is_told() {
    for (upstream, fits) in [
        ("3s", Value::Null),
        ("2s", Value::Null),
        ("1500ms", json!({"timeout_ms": 1000, "retries": 0})),
        ("800ms", json!({"timeout_ms": 700, "retries": 0})),
        ("600ms", json!({"timeout_ms": null, "retries": null})),
    ] {
        let args = ["--p99", "450ms", "--rtt", "5ms", "--upstream", upstream];
        let done = ask(&recorded(""), &[&args[..], &["-o", "json"]].concat());
        let advice = done.json()["reports"][0]["budget"]["advice"].clone();
        assert_eq!(advice["over_upstream"], fits, "{upstream}: {advice}");
        let text = ask(&recorded(""), &args).stdout;
        assert_eq!(
            text.contains("the caller waits") && text.contains("all tries of it"),
            !fits.is_null(),
            "{text}"
        );
    }
}

/// 0.99^367 > 0.025 >= 0.99^368: of fewer calls there is no upper end.
#[test]
fn a_summary_of_few_calls_is_weak() {
    let folder = tempfile::tempdir().unwrap();
    for (count, weak) in [(20, true), (367, true), (368, false)] {
        let labels = format!("interface=\"{SERVICE}\",method=\"get\"");
        let text = format!(
            "call_seconds{{{labels},quantile=\"0.99\"}} 0.45\ncall_seconds_count{{{labels}}} {count}\n"
        );
        let page = file(&folder, "page.txt", &text);
        let found = answer(&recorded(""), &["--prometheus", &page, "--rtt", "1ms"]);
        let reason = finding(&found, "DG7010").map(|finding| finding["params"]["reason"].clone());
        let expected = weak.then(|| json!(format!("samples={count} < 368")));
        assert_eq!(reason, expected, "{count}");
        // What is in its window is not told, but not more than since its start.
        let measured = &found["budget"]["measured"];
        assert_eq!(
            (&measured["samples"], &measured["samples_at_most"]),
            (&Value::Null, &json!(count))
        );
        let shown = ask(&recorded(""), &["--prometheus", &page, "--rtt", "1ms"]).stdout;
        let words = format!("at most {count} calls");
        assert!(shown.contains(&words), "{shown}");
    }
}

/// One of a thousand is not more than one of a thousand: the provider works on after 10 and after 11 of 10,000 calls.
#[test]
fn a_provider_outlives_only_when_more_than_one_of_a_thousand_calls_does() {
    let folder = tempfile::tempdir().unwrap();
    let recorded = recorded("&timeout=5000");
    for (slow, expected) in [(10, false), (11, true)] {
        let text = "10ms\n".repeat(10_000 - slow) + &"3000ms\n".repeat(slow);
        let path = file(&folder, "rt.txt", &text);
        let args = [
            "--samples",
            &path,
            "--p99-side",
            "provider",
            "--param",
            "timeout=1000",
        ];
        let args = [&args[..], &["--param", "get.timeout=1000"]].concat();
        let found = answer(&recorded, &args);
        assert_eq!(
            finding(&found, "DG7006").is_some(),
            expected,
            "{slow}: {found}"
        );
    }
    // A provider that gives up no later outlives nobody.
    let text = "10ms\n".repeat(9_900) + &"3000ms\n".repeat(100);
    let path = file(&folder, "rt.txt", &text);
    let args = [
        "--samples",
        &path,
        "--p99-side",
        "provider",
        "--param",
        "get.timeout=5000",
    ];
    assert!(finding(&answer(&recorded, &args), "DG7006").is_none());
}

#[test]
fn negative_retries_are_told_as_they_are() {
    let found = answer(&recorded(""), &["--param", "retries=-1", "--p99", "50ms"]);
    let tries = &found["budget"]["tries"];
    assert_eq!(
        (&tries["retries"], &tries["in_turn"]),
        (&json!(-1), &json!(1))
    );
    assert_eq!(found["budget"]["advice"]["retries"], 0);
    let shown = ask(&recorded(""), &["--param", "retries=-1"]).stdout;
    assert!(shown.contains("retries=-1 (consumer) -> 1 try"), "{shown}");
}

/// A write that is tried again is an error where its method was asked about. Of the whole reference nobody knows whether
/// this consumer calls it: one step lower, as everything off the path in use.
#[test]
fn a_write_of_the_reference_is_one_step_lower() {
    let url = provider("10.1.0.1", SERVICE, "").replace("methods=get", "methods=createUser,get");
    let recorded = Recorded::providers(SERVICE, &[&url]);
    for (method, severity, exit) in [(&["createUser"][..], "error", 1), (&[], "warning", 0)] {
        let done = ask_of(&recorded, method, &["-o", "json"]);
        assert_eq!(done.exit, exit, "{done:?}");
        let found = done.json()["reports"][0].clone();
        let write = finding(&found, "DG7004").unwrap();
        assert_eq!(
            (&write["severity"], &write["certainty"]),
            (&json!(severity), &json!("likely")),
            "{method:?}"
        );
    }
    let done = ask_of(&recorded, &[], &["--param", "createUser.retries=0"]);
    assert_eq!(done.exit, 0, "{done:?}");
}

#[test]
fn the_share_of_the_network_is_as_sure_as_its_p99() {
    let folder = tempfile::tempdir().unwrap();
    for (count, certainty) in [(50, "likely"), (999, "certain")] {
        let path = file(&folder, "rt.txt", &("10ms\n".repeat(count) + "11ms\n"));
        let found = answer(&recorded(""), &["--samples", &path, "--rtt", "60ms"]);
        let all = codes(&found);
        assert!(
            all.contains(&("DG7011".to_owned(), certainty.to_owned())),
            "{count}: {all:?}"
        );
    }
}

/// What the headline tells is not told twice, what to do about it is told.
#[test]
fn the_headline_has_its_next_step() {
    for timeout in ["timeout=600", "timeout=300"] {
        let args = [
            "timeout-budget",
            SERVICE,
            "getUser",
            "--p99",
            "450ms",
            "--param",
            timeout,
        ];
        let text = run(&args).stdout;
        assert_eq!(text.matches("\n  next ").count(), 1, "{text}");
    }
    // With evidence: proof and step of the verdict.
    let done = ask_of(
        &recorded("&timeout=300"),
        &["get"],
        &["--p99", "450ms", "--param", "retries=0"],
    );
    for word in ["\n  proof ", "\n  next "] {
        assert_eq!(done.stdout.matches(word).count(), 1, "{word}: {done:?}");
    }
}

/// A long time is no advice, and that is said.
#[test]
fn what_cannot_be_set_is_said() {
    let text = run(&[
        "timeout-budget",
        SERVICE,
        "get",
        "--p99",
        "24h",
        "--factor",
        "1.5-30",
    ])
    .stdout;
    assert!(text.contains("more than Dubbo can be given"), "{text}");
}

/// A time of the consumer's side has network and serialization in it: nothing is added, and that is said.
#[test]
fn nothing_is_added_to_the_consumers_own_time() {
    let args = [
        "--p99",
        "450ms",
        "--p99-side",
        "consumer",
        "--payload",
        "2MB",
        "--bandwidth",
        "100Mbit",
    ];
    let text = ask(&recorded(""), &args).stdout;
    assert!(
        text.contains("network and serialization are in it"),
        "{text}"
    );
    assert!(text.contains("= 450 ms"), "{text}");
}

/// Buckets and `_count` of one scrape tell the same number: where they do not, a counter was reset or pages were mixed.
#[test]
fn buckets_that_hold_another_number_than_their_count_are_weak() {
    let folder = tempfile::tempdir().unwrap();
    let labels = format!("interface=\"{SERVICE}\",method=\"get\"");
    for (count, expected) in [
        (20_000, true),
        (5_000, true),
        (10_050, false),
        (10_000, false),
    ] {
        let text: String = [("0.04", 9_000), ("0.05", 9_990), ("+Inf", 10_000)]
            .map(|(le, count)| format!("call_seconds_bucket{{{labels},le=\"{le}\"}} {count}\n"))
            .concat()
            + &format!("call_seconds_count{{{labels}}} {count}\n");
        let page = file(&folder, "page.txt", &text);
        let found = answer(&recorded(""), &["--prometheus", &page, "--rtt", "1ms"]);
        let reason = finding(&found, "DG7010").map(|found| found["params"]["reason"].clone());
        let words = format!("the buckets hold 10000 values, _count says {count}");
        assert_eq!(reason, expected.then(|| json!(words)), "{count}");
    }
    let page = file(
        &folder,
        "page.txt",
        &format!("call_seconds_bucket{{{labels},le=\"+Inf\"}} 9\n"),
    );
    let done = ask(&recorded(""), &["--prometheus", &page]);
    assert_eq!(done.exit, 4, "{done:?}");
    assert!(done.stderr.contains("has no bucket but"), "{done:?}");
}
