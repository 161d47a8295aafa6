//! The numbers that an engineer has to defend, as the program prints them.

use serde_json::{Value, json};

use super::{SERVICE, ask_of};
use crate::cli::{Recorded, provider, run};
use diag::model::url::encode;

/// The budget of a question to a recording.
fn budget(recorded: &Recorded, args: &[&str]) -> Value {
    let report = report(recorded, args);
    report["reports"][0]["budget"].clone()
}

fn report(recorded: &Recorded, args: &[&str]) -> Value {
    let done = ask_of(recorded, &[], &[args, &["-o", "json"]].concat());
    assert!(done.exit < 2, "{done:?}");
    done.json()
}

fn providers(hosts: impl IntoIterator<Item = String>, rest: &str) -> Recorded {
    let urls: Vec<String> = hosts
        .into_iter()
        .map(|host| provider(&host, SERVICE, rest))
        .collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    Recorded::providers(SERVICE, &urls)
}

fn room(net: &str, count: usize) -> impl Iterator<Item = String> {
    let net = net.to_owned();
    (1..=count).map(move |host| format!("{net}.{host}"))
}

fn near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap_or(f64::NAN);
    assert!(
        (value - expected).abs() < 5e-5,
        "{value} against {expected}"
    );
}

fn limit<'a>(budget: &'a Value, name: &str) -> &'a Value {
    let limits = budget["capacity"]["limits"].as_array().unwrap();
    limits
        .iter()
        .find(|limit| limit["name"] == name)
        .unwrap_or_else(|| panic!("{name}: {limits:?}"))
}

#[test]
fn the_reference_example_line_by_line() {
    let args = [
        "timeout-budget",
        SERVICE,
        "getUserById",
        "--p99",
        "450ms",
        "--rtt",
        "5ms",
    ];
    let done = run(&args);
    for line in [
        "450 (P99, provider side, given) + 5 (RTT, given) + 0 (serialization) = 455 ms",
        "455 x 1.5 = 682.5 -> 700 ms tight",
        "455 x 2 = 910 -> 1000 ms comfortable",
        "failover, retries=2 (default) -> 3 tries, at worst 3 x 1000 = 3000 ms",
        "timeout=1000 retries=1",
    ] {
        assert!(done.stdout.contains(line), "{line}\n{}", done.stdout);
    }
    let tight = run(&[&args[..], &["--pick", "tight"]].concat());
    assert!(tight.stdout.contains("timeout=700 retries=1"), "{tight:?}");
    let write = run(&["timeout-budget", SERVICE, "createUser", "--p99", "450ms"]);
    assert!(write.stdout.contains("retries=0"), "{write:?}");
    assert_eq!(write.exit, 1, "DG7004 is an error");
}

#[test]
fn littles_law_both_ways() {
    let one = providers(room("10.1.0", 1), "&threads=50");
    let of = |qps, p99| budget(&one, &["--qps", qps, "--p99", p99]);
    let load = of("800", "45ms");
    near(&load["capacity"]["in_flight"], 36.0);
    near(&load["capacity"]["advised"], 45.0);
    near(&of("2000", "80ms")["capacity"]["in_flight"], 160.0);
    near(&of("2000", "80ms")["capacity"]["advised"], 200.0);
    near(&limit(&of("1", "100ms"), "threads")["carries_qps"], 500.0);
    let slow = report(
        &one,
        &["--qps", "100", "--p99", "100ms", "--param", "timeout=10000"],
    );
    let findings = slow["reports"][0]["findings"].as_array().unwrap();
    let held = findings
        .iter()
        .find(|finding| finding["code"] == "DG7003")
        .unwrap();
    assert_eq!(held["params"]["held"], 1000, "100 slow calls/s x 10 s");
}

/// The mean counts for Little's law: one call of ten is ninety times slower.
#[test]
fn a_long_tail_is_in_the_load() {
    let one = providers(room("10.1.0", 1), "");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rt.txt");
    std::fs::write(&path, "10ms\n".repeat(900) + &"900ms\n".repeat(100)).unwrap();
    let load = budget(&one, &["--qps", "100", "--samples", path.to_str().unwrap()]);
    near(&load["measured"]["mean_ms"], 99.0);
    near(&load["capacity"]["in_flight"], 9.9);
}

#[test]
fn limits_of_nodes_and_consumers() {
    let ten = providers(room("10.1.0", 10), "&executes=50");
    let load = budget(&ten, &["--qps", "5000", "--p99", "100ms"]);
    let executes = limit(&load, "executes");
    assert_eq!(
        (&executes["each"], &executes["count"]),
        (&json!(50), &json!(10))
    );
    near(&executes["used"], 1.0);
    near(&executes["carries_qps"], 5000.0);
    assert_eq!(
        load["capacity"]["limits"][0]["name"], "executes",
        "it breaks first"
    );

    // 5000 calls in flight over 20 nodes are 250 on each.
    let twenty = providers(room("10.1.0", 20), "&executes=250");
    let load = budget(&twenty, &["--qps", "50000", "--p99", "100ms"]);
    let executes = limit(&load, "executes");
    near(&load["capacity"]["in_flight"], 5000.0);
    near(&executes["used"], 1.0);
    assert_eq!(
        (&executes["each"], &executes["count"]),
        (&json!(250), &json!(20))
    );

    let consumers = |count: usize, rest: &str| {
        let names: Vec<String> = room("10.1.9", count)
            .map(|host| {
                encode(&format!(
                    "consumer://{host}/{SERVICE}?application=web&category=consumers&interface={SERVICE}&side=consumer"
                ))
            })
            .collect();
        let place = format!("/dubbo/{}", encode(SERVICE));
        let one = [encode(&provider("10.1.0.1", SERVICE, rest))];
        Recorded::nodes(&[
            ("/", json!(["dubbo"])),
            ("/dubbo", json!([encode(SERVICE)])),
            (
                &place,
                json!(["configurators", "consumers", "providers", "routers"]),
            ),
            (&format!("{place}/configurators"), json!([])),
            (&format!("{place}/consumers"), json!(names)),
            (&format!("{place}/providers"), json!(one)),
            (&format!("{place}/routers"), json!([])),
        ])
    };
    let twenty = consumers(20, "");
    let load = budget(
        &twenty,
        &["--qps", "4000", "--p99", "100ms", "--param", "actives=20"],
    );
    let actives = limit(&load, "actives");
    assert_eq!(
        (&actives["each"], &actives["count"]),
        (&json!(20), &json!(20))
    );
    near(&actives["used"], 1.0);
    let fifty = consumers(50, "&accepts=500");
    let load = budget(
        &fifty,
        &["--qps", "1", "--p99", "100ms", "--param", "connections=20"],
    );
    near(&limit(&load, "accepts")["used"], 2.0);
}

#[test]
fn what_leaves_a_room() {
    let zones = ["--zone", "a=10.1.0.0/24", "--zone", "b=10.2.0.0/24"];
    let both = |a: usize, b: usize, weights: [&str; 2]| {
        let urls: Vec<String> = room("10.1.0", a)
            .map(|host| (host, weights[0]))
            .chain(room("10.2.0", b).map(|host| (host, weights[1])))
            .map(|(host, weight)| provider(&host, SERVICE, weight))
            .collect();
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        Recorded::providers(SERVICE, &urls)
    };
    let first = |recorded: &Recorded, zone: &str| {
        let args = [&zones[..], &["--consumer-zone", zone]].concat();
        budget(recorded, &args)["leaving"]["first"].clone()
    };
    let even = both(20, 5, ["", ""]);
    near(&first(&even, "a"), 0.2);
    near(&first(&even, "b"), 0.8);
    near(
        &first(&both(20, 5, ["&weight=100", "&weight=1"]), "a"),
        0.002_494,
    );
    near(
        &first(&both(20, 5, ["&weight=1", "&weight=100"]), "b"),
        0.038_462,
    );
    // No zone of the consumer, or a way to choose that weights do not tell: nothing is said.
    assert!(budget(&even, &zones)["leaving"].is_null());
    let hashed = [
        &zones[..],
        &[
            "--consumer-zone",
            "a",
            "--param",
            "loadbalance=consistenthash",
        ],
    ];
    assert!(budget(&even, &hashed.concat())["leaving"].is_null());
}
