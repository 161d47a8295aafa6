//! Shares of calls that run out of time and tries on average: what the network leaves of the limit counts, and both ends
//! of what is known are said.

use serde_json::Value;

use super::{ask, file};
use crate::cli::{Recorded, provider};

fn recorded() -> Recorded {
    let url = provider("10.1.0.1", super::SERVICE, "");
    Recorded::providers(super::SERVICE, &[&url])
}

fn budget(args: &[&str]) -> Value {
    let done = ask(&recorded(), &[args, &["-o", "json"]].concat());
    assert!(done.exit < 2, "{done:?}");
    done.json()["reports"][0]["budget"].clone()
}

fn near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap_or(f64::NAN);
    assert!((value - expected).abs() < 1e-9, "{value} {expected}");
}

/// 900 calls of 10 ms, 100 of 100 ms.
fn samples(folder: &tempfile::TempDir) -> String {
    file(
        folder,
        "rt.txt",
        &("10ms\n".repeat(900) + &"100ms\n".repeat(100)),
    )
}

/// (flags, timeout in question, share, tries on average of three): a limit of 110 ms leaves 50 ms beside 60 ms of network.
#[test]
fn the_network_is_taken_off_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = samples(&folder);
    for (flags, timeout, share, tries) in [
        (&["--rtt", "60ms"][..], "110ms", 0.1, 1.11),
        (&["--rtt", "60ms"], "50ms", 1.0, 3.0),
        (&["--rtt", "60ms"], "170ms", 0.0, 1.0),
        (&["--rtt", "1ms"], "110ms", 0.0, 1.0),
        (
            &["--rtt", "1ms", "--serialization", "59ms"],
            "110ms",
            0.1,
            1.11,
        ),
        // The consumer's time has all that in it.
        (
            &["--rtt", "60ms", "--p99-side", "consumer"],
            "110ms",
            0.0,
            1.0,
        ),
    ] {
        let args = [&["--samples", &path, "--try", timeout], flags].concat();
        let found = budget(&args)["what_if"].clone();
        for (name, expected) in [
            ("failing_low", share),
            ("failing_high", share),
            ("expected_tries_low", tries),
            ("expected_tries", tries),
        ] {
            near(&found[name], expected);
        }
        let param = format!("timeout={}", timeout.trim_end_matches("ms"));
        let args = [&["--samples", &path, "--param", &param], flags].concat();
        let found = budget(&args)["tries"].clone();
        near(&found["expected_low"], tries);
        near(&found["expected"], tries);
    }
}

/// A class of link is a range: 30 to 200 ms leave 220 or 50 ms of 250.
#[test]
fn a_class_of_link_gives_a_range() {
    let folder = tempfile::tempdir().unwrap();
    let path = samples(&folder);
    let args = ["--samples", &path, "--link", "remote", "--try", "250ms"];
    let found = budget(&args)["what_if"].clone();
    near(&found["failing_low"], 0.0);
    near(&found["failing_high"], 0.1);
    near(&found["expected_tries_low"], 1.0);
    near(&found["expected_tries"], 1.11);
}

/// 5 % of the calls lie above the last end: at 1000 ms none or all of them run out of time.
#[test]
fn an_open_bucket_gives_a_range() {
    let folder = tempfile::tempdir().unwrap();
    let page = "rt_seconds_bucket{le=\"0.1\"} 900\nrt_seconds_bucket{le=\"0.5\"} 950\nrt_seconds_bucket{le=\"+Inf\"} 1000\n";
    let path = file(&folder, "page.txt", page);
    let args = ["--prometheus", &path, "--rtt", "1ms"];
    let found = budget(&args)["tries"].clone();
    near(&found["expected_low"], 1.0);
    near(&found["expected"], 1.0525);
    let text = ask(&recorded(), &args)
        .stdout
        .replace("\n            ", " ");
    assert!(text.contains("on average 1 to 1.05"), "{text}");
}

/// What does not try again has no average; all providers are called anyway.
#[test]
fn strategies_without_tries_have_no_average() {
    let folder = tempfile::tempdir().unwrap();
    let path = samples(&folder);
    for cluster in ["cluster=broadcast", "cluster=failfast", "cluster=mine"] {
        let args = ["--samples", &path, "--try", "50ms", "--param", cluster];
        let found = budget(&args);
        assert!(found["tries"]["expected"].is_null(), "{cluster}: {found}");
        assert!(found["what_if"]["expected_tries"].is_null(), "{cluster}");
        near(&found["what_if"]["failing_low"], 0.1);
    }
}
