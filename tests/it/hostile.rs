//! Rules built to blow up, through all three verbs: each ends soon and says what became of it and what of it was left out.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test lays out its own files, measures time, and fails where something is missing"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cli::{diag, done};
use registry::{providers, recording};
use rules::{Hostile, aliases, conditions, others, short_conditions};

mod registry;
mod rules;

/// For one run of the program, of whatever build on whatever machine: what grows with the square of these rules, or
/// expands what they repeat, takes hours.
const MOST: Duration = Duration::from_secs(60);
/// Nobody reads a report that is longer.
const LONGEST: usize = 600_000;

/// The report of a run that ends in time and is of a length that somebody reads; `Null` when the command line is refused.
fn report(dir: &Path, args: &[&str], name: &str) -> Value {
    let started = Instant::now();
    let ran = done(diag(dir).args(args).args(["-o", "json"]));
    let took = started.elapsed();
    assert!(took < MOST, "{name}: {} took {took:?}", args[0]);
    let size = ran.stdout.len();
    assert!(size < LONGEST, "{name}: {} says {size} bytes", args[0]);
    assert!(
        (0..=3).contains(&ran.exit),
        "{name}: {} ends with {}: {}",
        args[0],
        ran.exit,
        ran.stderr
    );
    serde_json::from_str(&ran.stdout).unwrap_or_default()
}

/// Outcome and code, as one looks at them first.
fn told(report: &Value) -> String {
    if report.is_null() {
        return "-".to_owned();
    }
    let answer = &report["reports"][0];
    let code = answer["verdict"]["code"].as_str().unwrap_or_default();
    let outcome = answer["outcome"].as_str().unwrap_or_default();
    if outcome == "unknown" {
        // What decides, and how to see it, is said.
        let facts = answer["not_seen"].as_array().unwrap();
        assert!(
            facts.iter().any(|fact| fact["required"] == true),
            "{answer}"
        );
    }
    format!("{outcome} {code}").trim().to_owned()
}

/// The codes of all findings, and whether there are more than shown.
fn remarks(report: &Value) -> String {
    let answer = &report["reports"][0];
    let findings = answer["findings"].as_array().unwrap();
    let mut codes: Vec<&str> = findings
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect();
    codes.sort_unstable();
    codes.dedup();
    let more = answer["rule"]["more"].as_u64().unwrap_or_default();
    let more = if more > 0 { "+" } else { "" };
    format!("{}{more}", codes.join(" "))
}

fn ask(all: &[Hostile]) {
    let urls = providers();
    let mut problems = Vec::new();
    for hostile in all {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path();
        std::fs::write(dir.join("rule"), &hostile.text).unwrap();
        std::fs::write(dir.join("providers.txt"), urls.join("\n")).unwrap();
        recording(dir, hostile, &urls);
        let consumer = ["--consumer-app", "web", "--consumer-ip", "10.0.0.40"];
        let version = ["--dubbo", "3.3.6"];
        let registry = [
            "--registry",
            "zookeeper://10.4.0.2:2181",
            "--snapshot",
            "snapshot",
        ];
        let no_provider = [&["no-provider", "com.a.S"][..], &registry, &consumer].concat();
        let given = [&no_provider[..], &version].concat();
        let file = format!("{}=rule", hostile.key);
        let replay = [
            "route-replay",
            "com.a.S",
            "--providers",
            "providers.txt",
            "-f",
            &file,
        ];
        let replay = [&replay[..], &consumer, &version].concat();
        let lint = [
            "lint",
            "rule",
            "--key",
            hostile.key,
            "--providers",
            "providers.txt",
        ];
        let got = [
            told(&report(dir, &given, hostile.name)),
            told(&report(dir, &replay, hostile.name)),
            remarks(&report(dir, &lint, hostile.name)),
        ];
        if got != hostile.expected {
            problems.push(format!("{}: {got:?}", hostile.name));
        }
        // Without a version every line is read, or it is said that they are not.
        let open = report(dir, &no_provider, hostile.name);
        assert!(!open.is_null(), "{}", hostile.name);
        told(&open);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn conditions_end() {
    ask(&conditions(1));
}

#[test]
fn short_conditions_end() {
    // All of them take long in an unoptimised build; the bench runs them.
    ask(&short_conditions(1)[..2]);
}

#[test]
fn aliases_and_nesting_end() {
    ask(&aliases(1));
}

#[test]
fn other_kinds_of_rules_end() {
    ask(&others(1));
}

/// A rule that is padded to a length with a comment.
fn padded(rule: &str, length: usize) -> String {
    let comment = "#".repeat(length - rule.len() - 1);
    format!("{rule}{comment}\n")
}

#[test]
fn above_the_limit_nothing_is_read_and_that_is_said() {
    const LIMIT: usize = 1 << 20;
    let urls = providers();
    let home = tempfile::tempdir().unwrap();
    let dir = home.path();
    std::fs::write(dir.join("providers.txt"), urls.join("\n")).unwrap();
    let rule = "force: true\nconditions:\n- '=> host = 10.99.0.1'\n";
    let key = "com.a.S::.condition-router";
    let consumer = ["--consumer-app", "web", "--dubbo", "3.3.6"];
    let registry = [
        "--registry",
        "zookeeper://10.4.0.2:2181",
        "--snapshot",
        "snapshot",
    ];
    let file = format!("{key}=rule");
    for (length, [verdict, remark]) in [
        (LIMIT, ["none DG5001", "DG8007 DG8008"]),
        (LIMIT + 1, ["unknown", ""]),
    ] {
        let hostile = Hostile {
            name: "padded",
            key,
            text: padded(rule, length),
            expected: [verdict, verdict, remark],
        };
        std::fs::write(dir.join("rule"), &hostile.text).unwrap();
        recording(dir, &hostile, &urls);
        let verb = |verb: &str| {
            report(
                dir,
                &[&[verb, "com.a.S"][..], &registry, &consumer].concat(),
                "padded",
            )
        };
        let lint = report(
            dir,
            &["lint", "rule", "--key", key, "--providers", "providers.txt"],
            "padded",
        );
        assert_eq!(remarks(&lint), remark, "{length}");
        for report in [verb("no-provider"), verb("route-replay")] {
            assert_eq!(told(&report), verdict, "{length}");
        }
        let given = [
            "route-replay",
            "com.a.S",
            "--providers",
            "providers.txt",
            "-f",
            &file,
        ];
        let given = done(diag(dir).args(given).args(consumer));
        if verdict == "unknown" {
            assert_eq!(told(&lint), verdict);
            for answer in [&verb("no-provider"), &verb("route-replay"), &lint] {
                let facts = answer["reports"][0]["not_seen"].as_array().unwrap();
                let said = |fact: &Value| {
                    let why = fact["why"].as_str().unwrap_or_default();
                    fact["required"] == true && why.contains(&length.to_string())
                };
                assert!(facts.iter().any(said), "{facts:?}");
            }
            assert!(given.stderr.contains("1 MiB"), "{}", given.stderr);
        } else {
            assert_eq!(given.exit, 1, "{}", given.stderr);
        }
    }
}

#[test]
fn a_hundred_thousand_conditions_within_the_limit_are_read() {
    let text = format!("conditions:\n{}- =>port=9\n", "- =>h=9\n".repeat(99_999));
    assert!(text.len() <= 1 << 20);
    ask(&[Hostile {
        name: "a hundred thousand conditions",
        key: "com.a.S::.condition-router",
        text,
        expected: ["reachable", "reachable", "DG5007+"],
    }]);
}
