//! What lines before 2.7.5 read besides: `default.<key>`, where the key itself is not set (`URL.getParameter`).

use serde_json::{Value, json};

use super::SERVICE;
use crate::cli::{REGISTRY, Recorded, provider, run};

fn budget(args: &[&str]) -> Value {
    let done = run(&[&["timeout-budget", SERVICE, "get"], args, &["-o", "json"]].concat());
    assert!(done.exit < 2, "{done:?}");
    done.json()["reports"][0]["budget"].clone()
}

fn in_force(budget: &Value) -> Value {
    let row = &budget["in_force"][0];
    json!([row["timeout_ms"], row["level"], row["key"]])
}

#[test]
fn defaults_of_the_consumer_without_a_registry() {
    for (dubbo, param, expected) in [
        (
            "2.6.12",
            "default.timeout=2000",
            json!([2000, "consumer", "default.timeout"]),
        ),
        (
            "2.7.3",
            "default.timeout=2000",
            json!([2000, "consumer", "default.timeout"]),
        ),
        (
            "2.7.4.1",
            "default.timeout=2000",
            json!([2000, "consumer", "default.timeout"]),
        ),
        (
            "2.7.5",
            "default.timeout=2000",
            json!([1000, "default", null]),
        ),
        (
            "3.2.16",
            "default.timeout=2000",
            json!([1000, "default", null]),
        ),
        // The consumer-wide default is written so up to 2.7.1.
        (
            "2.7.1",
            "consumer.timeout=2000",
            json!([2000, "consumer-wide", "default.timeout"]),
        ),
        (
            "2.7.2",
            "consumer.timeout=2000",
            json!([2000, "consumer-wide", "timeout"]),
        ),
    ] {
        let found = budget(&["--dubbo", dubbo, "--param", param]);
        assert_eq!(in_force(&found), expected, "{dubbo} {param}");
    }
    // Its own key goes first, and so does that of the method.
    for (own, millis) in [("timeout=300", 300), ("get.timeout=300", 300)] {
        let params = ["--param", "default.timeout=2000", "--param", own];
        let found = budget(&[&["--dubbo", "2.6.12"], &params[..]].concat());
        assert_eq!(in_force(&found)[0], millis, "{own}");
    }
}

#[test]
fn defaults_of_tries_and_cluster() {
    for (dubbo, tries, cluster) in [
        ("2.6.12", 1, "failover"),
        ("2.7.3", 1, "failover"),
        ("2.7.5", 3, "failover"),
    ] {
        let found = budget(&["--dubbo", dubbo, "--param", "default.retries=0"]);
        assert_eq!(
            (&found["tries"]["in_turn"], &found["tries"]["cluster"]),
            (&json!(tries), &json!(cluster)),
            "{dubbo}"
        );
    }
    for (dubbo, cluster) in [("2.6.12", "failfast"), ("2.7.5", "failover")] {
        let found = budget(&["--dubbo", dubbo, "--param", "default.cluster=failfast"]);
        assert_eq!(found["tries"]["cluster"], cluster, "{dubbo}");
    }
}

#[test]
fn defaults_of_a_provider() {
    let url = provider(
        "10.1.0.1",
        SERVICE,
        "&default.timeout=1500&default.retries=0&default.threads=7",
    );
    for (release, dubbo, millis, tries, threads) in [
        ("2.6.12", "2.6.12", 1500, 1, "7"),
        ("2.6.12", "2.7.5", 1000, 3, "7"),
        ("2.7.8", "2.7.5", 1000, 3, "200"),
    ] {
        let url = url.replace("release=3.2.16", &format!("release={release}"));
        let recorded = Recorded::providers(SERVICE, &[&url]);
        let found = budget(&[
            "--snapshot",
            recorded.path(),
            "--registry",
            REGISTRY,
            "--consumer-app",
            "web",
            "--consumer-ip",
            "10.1.9.9",
            "--dubbo",
            dubbo,
        ]);
        assert_eq!(
            found["in_force"][0]["timeout_ms"], millis,
            "{dubbo}: {found}"
        );
        assert_eq!(found["tries"]["in_turn"], tries, "{dubbo}: {found}");
        let rows = found["settings"].as_array().unwrap();
        let own = rows.iter().find(|row| row["key"] == "threads").unwrap();
        assert_eq!(own["value"], threads, "{release}");
    }
}

/// A consumer-wide default beats that of the provider, and loses to what the provider sets for the service: before 2.7.5
/// both are looked up in the merged URL.
#[test]
fn defaults_of_both_sides() {
    for (dubbo, theirs, ours, millis, tries) in [
        (
            "2.6.12",
            "default.timeout=300&default.retries=4",
            "default",
            1500,
            2,
        ),
        (
            "2.7.1",
            "default.timeout=300&default.retries=4",
            "default",
            1500,
            2,
        ),
        (
            "2.7.4.1",
            "default.timeout=300&default.retries=4",
            "default",
            1500,
            2,
        ),
        ("2.6.12", "timeout=300&retries=4", "default", 300, 5),
        (
            "2.6.12",
            "default.timeout=300&default.retries=4",
            "",
            1500,
            2,
        ),
        // What a later version copies is as good as set; what the consumer has under `default.` it does not read.
        (
            "2.7.23",
            "default.timeout=300&default.retries=4",
            "default",
            300,
            5,
        ),
    ] {
        let url = provider("10.1.0.1", SERVICE, &format!("&{theirs}"));
        let url = url.replace("release=3.2.16", "release=2.6.12");
        let recorded = Recorded::providers(SERVICE, &[&url]);
        let dot = if ours.is_empty() { "" } else { "." };
        let params = [
            format!("{ours}{dot}timeout=1500"),
            format!("{ours}{dot}retries=1"),
        ];
        let found = budget(&[
            "--snapshot",
            recorded.path(),
            "--registry",
            REGISTRY,
            "--consumer-app",
            "web",
            "--consumer-ip",
            "10.1.9.9",
            "--dubbo",
            dubbo,
            "--param",
            &params[0],
            "--param",
            &params[1],
        ]);
        assert_eq!(
            found["in_force"][0]["timeout_ms"], millis,
            "{dubbo} {theirs}: {found}"
        );
        assert_eq!(
            found["tries"]["in_turn"], tries,
            "{dubbo} {theirs}: {found}"
        );
    }
}
