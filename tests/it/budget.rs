//! `diag timeout-budget` over situations made by hand: each finding by a case, and a case beside it that is near. And
//! what its advice gives when the real classes apply it.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read their fixtures and fail where something is missing"
)]

use std::path::Path;

use diag::{
    budget::advice::{Advised, notations},
    model::{
        service_key::ServiceKey,
        url::Url,
        version::{DubboVersion, Line},
    },
};
use serde_json::Value;

mod averages;
mod cut;
mod edges;
mod facts;
mod load;
mod names;
mod numbers;
mod old;
mod probe;
mod prometheus;
mod ranges;
mod texts;

use crate::{
    cases::{
        case::cases_under,
        check::{self, Grade},
        grades,
    },
    cli::{Done, REGISTRY, Recorded, run},
};

const SERVICE: &str = "com.acme.UserService";

/// Asks a recording for the budget of `get`.
fn ask(recorded: &Recorded, more: &[&str]) -> Done {
    ask_of(recorded, &["get"], more)
}

/// The same for a method, or for the whole reference.
fn ask_of(recorded: &Recorded, method: &[&str], more: &[&str]) -> Done {
    let base = [
        "--snapshot",
        recorded.path(),
        "--registry",
        REGISTRY,
        "--consumer-app",
        "web",
        "--consumer-ip",
        "10.1.9.9",
        "--dubbo",
        "3.2.16",
    ];
    run(&[&["timeout-budget", SERVICE], method, &base, more].concat())
}

fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Codes and certainties of the findings of an answer.
fn codes(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|finding| (text(&finding["code"]), text(&finding["certainty"])))
        .collect()
}

#[test]
fn every_hand_made_case_is_right() {
    let cases = cases_under("fixtures/budget");
    let problems: Vec<String> = grades(&cases)
        .into_iter()
        .filter_map(|(case, grade)| match grade {
            Grade::Right => None,
            Grade::Wrong(what) => Some(format!("{}: {what}", case.name)),
            Grade::Unknown | Grade::NotBuilt => {
                let ran = check::run(case, &case.ask);
                let shown = ran.map_or_else(|error| error, |run| check::shown(&run));
                Some(format!("{}: {shown}", case.name))
            }
        })
        .collect();
    assert!(
        problems.is_empty(),
        "{} of {} cases are wrong\n{}",
        problems.len(),
        cases.len(),
        problems.join("\n")
    );
}

/// `fixtures/advice/<line>.jsonl` holds what the real classes of each line made of the configurator text that is advised.
/// When the text changes, they have to be asked again: kind `configurator`, op `configure`.
#[test]
fn the_real_classes_yield_the_advised_value() {
    let mut asked = 0;
    for line in Line::MODELLED {
        let file = Path::new("fixtures/advice").join(format!("{line}.jsonl"));
        for case in std::fs::read_to_string(&file).unwrap().lines() {
            let case: Value = serde_json::from_str(case).unwrap();
            let version = DubboVersion::newest(line);
            let url = Url::parse(case["url"].as_str().unwrap(), &version).unwrap();
            let service = ServiceKey::new(url.group(), "com.acme.UserService", url.version());
            let given = case["service_rule"].as_str().unwrap();
            let advised = Advised {
                timeout_ms: 1000,
                retries: Some(1),
                replaces_timeout: "replaces timeout 1000 (default)".to_owned(),
                replaces_retries: "replaces retries 2 (default)".to_owned(),
            };
            let method = given.contains("getUserById").then_some("getUserById");
            assert_eq!(
                notations(&service, method, &advised)[0].text,
                given,
                "{line}"
            );
            let prefix = method.map(|name| format!("{name}.")).unwrap_or_default();
            let after = &case["out"]["parameters"];
            assert_eq!(
                after[format!("{prefix}timeout")],
                "1000",
                "{line} {}",
                case["id"]
            );
            assert_eq!(
                after[format!("{prefix}retries")],
                "1",
                "{line} {}",
                case["id"]
            );
            asked += 1;
        }
    }
    assert_eq!(asked, 30);
}

/// Bad values: of a flag exit 2, in a file exit 4, readable but weak a finding.
#[test]
fn nonsense_ends_with_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    for (flag, value) in [
        ("--p99", "450 parsecs"),
        ("--p99", "-5ms"),
        ("--p99", "inf"),
        ("--p99", "450"),
        ("--rtt", "NaN"),
        ("--factor", "0.5"),
        ("--qps", "-1"),
        ("--link", "moon"),
        ("--chain", "a:b=c"),
        ("--try", "0ms"),
        ("--upstream", "later"),
        ("--prometheus", "http://"),
    ] {
        // As two words a value that begins with `-` is one as well, and its flag is named.
        let two = run(&["timeout-budget", "a.B", flag, value]);
        let named = two.stderr.starts_with(&format!("error: {flag}"));
        let is_place = matches!(flag, "--prometheus" | "--link");
        assert!(
            two.exit == 2 && (named || is_place),
            "{flag} {value}: {two:?}"
        );
        let flag_value = format!("{flag}={value}");
        let done = run(&[
            "timeout-budget",
            "a.B",
            "--p99-side",
            "provider",
            &flag_value,
        ]);
        assert_eq!(done.exit, 2, "{flag_value}: {done:?}");
        assert!(
            done.stderr.contains(flag) && done.stdout.is_empty(),
            "{done:?}"
        );
    }
    let long = "1".repeat(3 << 20);
    for (name, text) in [
        ("empty", ""),
        ("negative", "1\n-2\n"),
        ("infinite", "1\ninf\n"),
        ("parsecs", "450 parsecs\n"),
        ("long", long.as_str()),
    ] {
        let path = file(name, text);
        let done = run(&["timeout-budget", "a.B", "--samples", &path]);
        assert_eq!(done.exit, 4, "{name}: {done:?}");
        assert!(done.stderr.contains(name), "{done:?}");
        let done = run(&["timeout-budget", "a.B", "--prometheus", &path]);
        assert_eq!(done.exit, 4, "{name}: {done:?}");
    }
    let reset = file(
        "reset",
        "a_seconds_bucket{le=\"1\"} 9\na_seconds_bucket{le=\"2\"} 3\n",
    );
    let done = run(&["timeout-budget", "a.B", "--prometheus", &reset]);
    assert!(done.exit == 4 && done.stderr.contains("reset"), "{done:?}");
    for (name, text) in [
        ("one", "450\n".to_owned()),
        ("equal", "450\n".repeat(1000)),
        ("few", "1\n2\n3\n".to_owned()),
    ] {
        let path = file(name, &text);
        let done = run(&["timeout-budget", "a.B", "--samples", &path, "-o", "json"]);
        let found = done.json()["reports"][0]["findings"].to_string();
        assert!(found.contains("DG7010"), "{name}: {found}");
    }
}

/// What cannot be set is not advised, and what Dubbo makes of odd settings is said.
#[test]
fn values_that_do_not_fit_are_told() {
    let ask = |more: &[&str]| {
        let args = ["timeout-budget", "a.B", "get", "-o", "json"];
        run(&[&args[..], more].concat())
    };
    let report = |more: &[&str]| ask(more).json()["reports"][0].clone();
    for pick in ["tight", "comfortable"] {
        let more = ["--p99", "24h", "--factor", "25-30", "--pick", pick];
        let found = report(&more);
        assert!(found["budget"]["advice"].is_null(), "{more:?}: {found}");
    }
    for param in [
        "timeout=2147483648",
        "timeout=-5",
        "timeout=3s",
        "retries=two",
    ] {
        let found = report(&["--p99", "5ms", "--param", param])["findings"].to_string();
        assert!(found.contains("DG7007"), "{param}: {found}");
    }
    let found = report(&["--p99", "5ms", "--param", "retries=2"])["findings"].to_string();
    assert!(!found.contains("DG7007"), "{found}");
    let slow = ["--p99", "5ms", "--payload", "100GB", "--bandwidth", "1bit"];
    let done = ask(&slow);
    assert!(
        done.exit == 2 && done.stderr.contains("--payload"),
        "{done:?}"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seconds");
    std::fs::write(&path, "0.045\n0.051\n".repeat(500)).unwrap();
    let found = report(&["--samples", path.to_str().unwrap()]);
    assert!(
        found["findings"].to_string().contains("ms or s?"),
        "{found}"
    );
}

/// The picture is there with signs of its own, and without them where only ASCII can be shown.
#[test]
fn a_histogram_in_both_alphabets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rt");
    let text: Vec<String> = (1..=1000).map(|value| value.to_string()).collect();
    std::fs::write(&path, text.join("\n")).unwrap();
    let args = ["timeout-budget", "a.B", "--samples", path.to_str().unwrap()];
    let plain = crate::cli::done(crate::cli::diag(folder.path()).args(args).env("LANG", "C"));
    let rich = crate::cli::done(crate::cli::diag(folder.path()).args(args));
    for (done, bar) in [(&plain, "###"), (&rich, "\u{2588}\u{2588}")] {
        assert!(done.stdout.contains(bar), "{}", done.stdout);
        for mark in ["P50", "P90", "P99", "in force", "advice"] {
            assert!(done.stdout.contains(mark), "{mark}: {}", done.stdout);
        }
    }
    assert!(plain.stdout.is_ascii(), "{}", plain.stdout);
}

/// The recorded fleets: the timeout that the real consumer used stands in the note of each case.
#[test]
fn the_captured_consumers_used_what_is_computed() {
    let mut compared = 0;
    for case in cases_under("fixtures/cases/captures") {
        let Some((method, observed)) = case.used() else {
            continue;
        };
        if case.ask.get(2) != Some(&method) {
            continue;
        }
        let ran =
            check::run(&case, &case.ask).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let rows = ran.report["reports"][0]["budget"]["in_force"].clone();
        assert_eq!(rows[0]["timeout_ms"], observed, "{}: {rows}", case.name);
        assert_eq!(
            rows.as_array().map(Vec::len),
            Some(1),
            "{}: {rows}",
            case.name
        );
        compared += 1;
    }
    assert!(compared >= 45, "{compared} recordings");
}
