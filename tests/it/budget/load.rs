//! Nodes that differ: which limit breaks first under the share of the calls that each gets, and what is only a guess.

use serde_json::{Value, json};

use super::{SERVICE, ask, ask_of};
use crate::cli::{Recorded, provider};

/// Providers 10.1.0.1, 10.1.0.2, .. with these parameters.
fn nodes(rest: &[&str]) -> Recorded {
    let urls: Vec<String> = rest
        .iter()
        .enumerate()
        .map(|(index, rest)| provider(&format!("10.1.0.{}", index + 1), SERVICE, rest))
        .collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    Recorded::providers(SERVICE, &urls)
}

/// The answer for so many calls a second of 50 ms.
fn at(recorded: &Recorded, qps: &str, more: &[&str]) -> Value {
    let args = [&["--qps", qps, "--p99", "50ms", "-o", "json"], more].concat();
    let done = ask(recorded, &args);
    assert!(done.exit < 2, "{done:?}");
    done.json()["reports"][0].clone()
}

fn limit(answer: &Value, name: &str) -> Option<Value> {
    let limits = answer["budget"]["capacity"]["limits"].as_array().unwrap();
    limits.iter().find(|limit| limit["name"] == name).cloned()
}

/// Certainty of the finding about a limit.
fn sure(answer: &Value, name: &str) -> Option<String> {
    let findings = answer["findings"].as_array().unwrap();
    let found = findings
        .iter()
        .find(|finding| finding["code"] == "DG7012" && finding["params"]["name"] == name)?;
    Some(found["certainty"].as_str().unwrap().to_owned())
}

fn near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap_or(f64::NAN);
    assert!(
        (value - expected).abs() < 5e-4 * expected.max(1.0),
        "{value} against {expected}"
    );
}

/// 100 of 101 calls go to the first node: of 25 in flight 24.75 on its 50 places, 0.25 on the 10 of the other.
#[test]
fn the_node_that_gets_the_calls_breaks_first() {
    let unequal = nodes(&["&executes=50&weight=100", "&executes=10&weight=1"]);
    let found = at(&unequal, "500", &[]);
    let executes = limit(&found, "executes").unwrap();
    assert_eq!(
        (&executes["node"], &executes["each"], &executes["count"]),
        (&json!("10.1.0.1:20880"), &json!(50), &json!(1))
    );
    near(&executes["used"], 25.0 * 100.0 / 101.0 / 50.0);
    near(&executes["share"], 100.0 / 101.0);
    near(&executes["carries_qps"], 1010.0);
    assert_eq!(sure(&found, "executes"), None, "{found}");
    // 45 in flight: 44.6 of 50. It depends on the shares, which a router could change.
    let found = at(&unequal, "900", &[]);
    assert_eq!(sure(&found, "executes").as_deref(), Some("likely"));
    let text = ask(&unequal, &["--qps", "900", "--p99", "50ms"]).stdout;
    for words in [
        "executes=50 of 10.1.0.1:20880, with 99.01 % of the calls: 89.1 % used",
        "executes=50 of 10.1.0.1:20880 does not carry its 99 % of the calls: 44.6 needed",
    ] {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{words}\n{text}");
    }
    // 50 in flight are more than 0.8 x 60: one of the two breaks, whoever gets which call.
    let found = at(&unequal, "1000", &[]);
    assert_eq!(sure(&found, "executes").as_deref(), Some("certain"));
    let found = at(&unequal, "1000", &["--param", "loadbalance=leastactive"]);
    assert_eq!(sure(&found, "executes").as_deref(), Some("certain"));
}

/// Of 17 in flight each of two equal weights gets 8.5: 85 % of 10 places, 17 % of 50.
#[test]
fn shares_that_are_not_known_are_only_possible() {
    let even = nodes(&["&executes=50", "&executes=10"]);
    let found = at(&even, "340", &[]);
    let executes = limit(&found, "executes").unwrap();
    assert_eq!(executes["node"], "10.1.0.2:20880");
    near(&executes["used"], 0.85);
    assert_eq!(sure(&found, "executes").as_deref(), Some("likely"));
    let least = at(&even, "340", &["--param", "loadbalance=leastactive"]);
    assert_eq!(sure(&least, "executes").as_deref(), Some("possible"));
    // One weight set, no timestamps: whether weights count depends on which node is first (3.0.1 on).
    let mixed = nodes(&["&executes=50&weight=100", "&executes=10"]);
    let found = at(&mixed, "340", &[]);
    assert_eq!(sure(&found, "executes").as_deref(), Some("possible"));
    // A node without a limit takes what comes: nothing is certain of the whole.
    let one = nodes(&["", "&executes=10"]);
    let found = at(&one, "2000", &[]);
    assert_eq!(sure(&found, "executes").as_deref(), Some("likely"));
    near(&limit(&found, "executes").unwrap()["used"], 5.0);
}

#[test]
fn a_weight_of_zero_gets_nothing() {
    let drained = nodes(&["&executes=50&weight=100", "&executes=10&weight=0"]);
    let found = at(&drained, "340", &[]);
    let executes = limit(&found, "executes").unwrap();
    assert_eq!(executes["node"], "10.1.0.1:20880");
    near(&executes["used"], 17.0 / 50.0);
    // All zero is even.
    let all = nodes(&["&executes=50&weight=0", "&executes=10&weight=0"]);
    let executes = limit(&at(&all, "340", &[]), "executes").unwrap();
    assert_eq!(executes["node"], "10.1.0.2:20880");
    near(&executes["used"], 0.85);
}

/// 100 calls a second, 50 on each node: 50 of 100 a second, and 3000 of 100 a minute.
#[test]
fn each_node_counts_calls_in_its_own_window() {
    let unequal = nodes(&["&tps=100&tps.interval=1000", "&tps=100"]);
    let tps = limit(&at(&unequal, "100", &[]), "tps").unwrap();
    assert_eq!(tps["node"], "10.1.0.2:20880");
    near(&tps["used"], 30.0);
    let equal = nodes(&["&tps=100&tps.interval=1000", "&tps=100&tps.interval=1000"]);
    let tps = limit(&at(&equal, "100", &[]), "tps").unwrap();
    assert_eq!((&tps["node"], &tps["count"]), (&Value::Null, &json!(2)));
    near(&tps["used"], 0.5);
}

/// Of several limits the one with the fullest node is first: 20 in flight, 10 on each.
#[test]
fn the_limit_that_breaks_first_leads() {
    let unequal = nodes(&["&threads=100&executes=25", "&threads=16&executes=50"]);
    let found = at(&unequal, "400", &[]);
    let limits = found["budget"]["capacity"]["limits"].as_array().unwrap();
    let told: Vec<Value> = limits
        .iter()
        .map(|limit| json!([limit["name"], limit["node"], limit["each"], limit["used"]]))
        .collect();
    assert_eq!(
        told,
        [
            json!(["threads", "10.1.0.2:20880", 16, 0.625]),
            json!(["executes", "10.1.0.1:20880", 25, 0.4]),
        ]
    );
}

/// `cached` and `eager` have `Integer.MAX_VALUE` threads unless set; own code has a number that nobody tells.
#[test]
fn pools_without_an_end_are_no_limit() {
    for pool in ["cached", "eager", "virtual"] {
        let recorded = nodes(&[&format!("&threadpool={pool}")]);
        let found = at(&recorded, "100000", &["--param", "timeout=400"]);
        assert!(limit(&found, "threads").is_none(), "{pool}: {found}");
        assert!(!found["findings"].to_string().contains("DG7003"), "{pool}");
        let recorded = nodes(&[&format!("&threadpool={pool}&threads=20&queues=5")]);
        let threads = limit(&at(&recorded, "100", &[]), "threads");
        assert_eq!(threads.is_some(), pool != "virtual", "{pool}");
    }
    let fixed = nodes(&["&threadpool=limited"]);
    assert_eq!(
        limit(&at(&fixed, "100", &[]), "threads").unwrap()["each"],
        200
    );
}

/// Threads of all nodes together are what calls that hang can hold.
#[test]
fn threads_of_unequal_nodes_add_up() {
    let unequal = nodes(&["&threads=200", "&threads=20"]);
    let has = |qps: &str| {
        at(&unequal, qps, &["--param", "timeout=1000"])["findings"]
            .to_string()
            .contains("DG7003")
    };
    assert!(!has("220"), "220 x 1 s are 220 threads, which they have");
    assert!(has("221"));
}

/// 100 of 101 calls wait 300 ms on the first node, one of 101 waits 500 ms on the other: 0.302 s each.
#[test]
fn calls_that_hang_wait_as_long_as_their_own_node_lets_them() {
    let long = |rest: &[&str], qps: &str, more: &[&str]| {
        let found = at(
            &nodes(rest),
            qps,
            &[&["--param", "retries=0"], more].concat(),
        );
        let findings = found["findings"].as_array().unwrap().clone();
        let found = findings.iter().find(|found| found["code"] == "DG7003")?;
        Some((found["params"]["held"].clone(), found["certainty"].clone()))
    };
    let unequal = [
        "&timeout=300&weight=100&threads=20",
        "&timeout=500&weight=1&threads=20",
    ];
    // 40 threads: 0.302 s x 132 = 39.86, 0.302 s x 133 = 40.16; 0.3 s x 134 = 40.2 whoever gets them.
    assert_eq!(long(&unequal, "132", &[]), None);
    assert_eq!(
        long(&unequal, "133", &[]),
        Some((json!(41), json!("likely")))
    );
    assert_eq!(
        long(&unequal, "134", &[]).map(|(_, sure)| sure),
        Some(json!("certain"))
    );
    let least = ["--param", "loadbalance=leastactive"];
    assert_eq!(
        long(&unequal, "101", &least),
        Some((json!(41), json!("possible")))
    );
}

/// A queue of 100 behind 200 threads waits 25 ms, one of 100 behind 2 threads 2.5 s.
#[test]
fn a_queue_is_judged_with_its_own_threads() {
    let waits = |rest: &[&str]| {
        let found = at(&nodes(rest), "1", &["--param", "timeout=1000"]);
        let findings = found["findings"].as_array().unwrap().clone();
        let queue = findings.iter().find(|found| found["code"] == "DG7017");
        queue.map(|found| found["params"]["wait"].clone())
    };
    assert_eq!(waits(&["&queues=100&threads=200", "&threads=2"]), None);
    assert_eq!(
        waits(&["&queues=100&threads=200", "&queues=100&threads=2"]),
        Some(json!(2500))
    );
}

#[test]
fn what_providers_differ_in_stands_side_by_side() {
    let two = nodes(&[
        "&timeout=300&threads=50&queues=100&accepts=1000&tps=500&executes=5&actives=3&connections=2",
        "&timeout=700",
    ]);
    let done = ask_of(&two, &[], &["-o", "json"]);
    let budget = done.json()["reports"][0]["budget"].clone();
    let rows: Vec<Value> = budget["settings"].as_array().unwrap().clone();
    let of = |key: &str| -> Vec<String> {
        rows.iter()
            .filter(|row| row["key"] == key)
            .map(|row| {
                format!(
                    "{} {}",
                    row["value"].as_str().unwrap(),
                    row["level"].as_str().unwrap()
                )
            })
            .collect()
    };
    for (key, values) in [
        ("threads", ["50 provider", "200 default"]),
        ("queues", ["100 provider", "0 default"]),
        ("accepts", ["1000 provider", "0 default"]),
        ("tps", ["500 provider", "-1 default"]),
        ("executes", ["5 provider", "0 default"]),
        ("actives", ["3 provider", "0 default"]),
        ("connections", ["2 provider", "0 default"]),
    ] {
        assert_eq!(of(key), values, "{key}");
    }
    assert_eq!(of("loadbalance"), ["random default"]);
    let force: Vec<Value> = budget["in_force"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| json!([row["timeout_ms"], row["addresses"], row["level"]]))
        .collect();
    assert_eq!(
        force,
        [
            json!([300, ["10.1.0.1:20880"], "provider"]),
            json!([700, ["10.1.0.2:20880"], "provider"]),
        ]
    );
    let text = ask_of(&two, &[], &["-v"]).stdout;
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "300 ms from provider (timeout=300) for 10.1.0.1:20880",
        "700 ms from provider (timeout=700) for 10.1.0.2:20880",
        "threads=50 (provider)",
        "threads=200 (default)",
    ] {
        assert!(flat.contains(words), "{words}\n{text}");
    }
    assert!(!text.contains("500 ms from"), "no average");
}
