//! `diag route-replay` over small situations with strict results: what is in `expected.json` and `expected.txt` of a case
//! is the whole answer, compared word by word. `DIAG_BLESS=1` writes them; read the difference.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a broken fixture or a missing file is a failing test"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::cases::{
    case::{Case, cases_under},
    check::{Grade, grade},
};

fn diag(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_diag"))
        .current_dir(dir)
        .env_clear()
        .env("LANG", "en_US.UTF-8")
        .args(args)
        .output()
        .unwrap();
    (
        status.code().unwrap_or(-1),
        String::from_utf8(stdout).unwrap(),
        String::from_utf8(stderr).unwrap(),
    )
}

fn ask<'a>(case: &'a Case, more: &[&'a str]) -> Vec<&'a str> {
    let recorded = case.dir.join("snapshot.tar.gz").is_file();
    let recording: &[&str] = if recorded {
        &["--snapshot", "snapshot.tar.gz"]
    } else {
        &[]
    };
    case.ask
        .iter()
        .map(String::as_str)
        .chain(recording.iter().copied())
        .chain(more.iter().copied())
        .collect()
}

/// What is compared: everything but the question, the stages before the routers and the sources.
fn answer(report: &Value) -> Value {
    let answer = &report["reports"][0];
    let findings: Vec<Value> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            json!({
                "code": finding["code"], "severity": finding["severity"], "certainty": finding["certainty"],
                "subject": finding["subject"], "message": finding["message"],
                "position": finding["evidence"][0]["position"],
            })
        })
        .collect();
    let stages: Vec<Value> = answer["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| json!([stage["id"], stage["state"], stage["in"], stage["out"]]))
        .collect();
    json!({
        "exit": report["exit"], "outcome": answer["outcome"], "verdict": answer["verdict"],
        "candidates": answer["candidates"], "assumed": answer["assumed"], "not_seen": answer["not_seen"],
        "findings": findings, "stages": stages, "replay": answer["replay"],
    })
}

#[test]
fn every_case_has_its_answer() {
    let bless = std::env::var("DIAG_BLESS").is_ok_and(|value| value == "1");
    let mut problems = String::new();
    for case in cases_under("fixtures/route_replay") {
        if let Grade::Wrong(what) = grade(&case) {
            let _ = writeln!(problems, "{}: {what}", case.name);
        }
        let (_, stdout, stderr) = diag(&case.dir, &ask(&case, &["-o", "json"]));
        let (_, again, _) = diag(&case.dir, &ask(&case, &["-o", "json"]));
        assert_eq!(stdout, again, "{}: the same question twice", case.name);
        let report: Value =
            serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{}: {stderr}", case.name));
        for problem in crate::schema::problems(&report) {
            let _ = writeln!(problems, "{}: schema: {problem}", case.name);
        }
        let (_, text, _) = diag(&case.dir, &ask(&case, &[]));
        let (_, brief, _) = diag(&case.dir, &ask(&case, &["--brief"]));
        let json = format!(
            "{}\n",
            serde_json::to_string_pretty(&answer(&report)).unwrap()
        );
        for (file, got) in [
            ("expected.json", json),
            ("expected.txt", format!("{text}{brief}")),
        ] {
            let path = case.dir.join(file);
            if bless {
                std::fs::write(&path, &got).unwrap();
            }
            let expected = std::fs::read_to_string(&path).unwrap_or_default();
            if expected != got {
                let line = expected
                    .lines()
                    .zip(got.lines())
                    .find(|(expected, got)| expected != got)
                    .map_or_else(
                        || "another length".to_owned(),
                        |(expected, got)| format!("{expected} | got {got}"),
                    );
                let _ = writeln!(problems, "{} {file}: {line}", case.name);
            }
        }
    }
    assert!(problems.is_empty(), "{problems}");
}

/// Asked with the facts of a recording, the replay comes to the verdict of `no-provider`: the rules and addresses are
/// the same, whoever asks.
#[test]
fn recordings_give_the_verdict_of_no_provider() {
    let (mut right, mut open, mut problems) = (0, Vec::new(), String::new());
    for mut case in cases_under("fixtures/cases") {
        let asks = case.ask[0] == "no-provider" && !case.ask.iter().any(|word| word == "--attach");
        let elsewhere = ["--qos", "--probe", "--from-log"];
        let asks = asks
            && !case
                .ask
                .iter()
                .any(|word| elsewhere.contains(&word.as_str()));
        // Whatever the layer, a rule that takes everything away is found by both: by interface and by application.
        let by_rule = case.code.iter().any(|code| code.starts_with("DG50"));
        if !asks || case.layer != "routing" && !by_rule {
            continue;
        }
        "route-replay".clone_into(&mut case.ask[0]);
        match grade(&case) {
            Grade::Right => right += 1,
            Grade::Unknown => open.push(case.name.clone()),
            Grade::NotBuilt => problems.push_str("not built\n"),
            Grade::Wrong(what) => {
                let _ = writeln!(problems, "{}: {what}", case.name);
            }
        }
    }
    assert!(problems.is_empty(), "{problems}");
    // The first does not show its configurators, the last is of a patch whose routing is not modelled; what a running
    // consumer kept of the rule before a broken one, no-provider reads in its log.
    assert_eq!(
        (right, open),
        (
            121,
            [
                "captures/zookeeper_2.7.23_rule-broken-keeps-old",
                "captures/zookeeper_3.0.15_rule-broken-keeps-old",
                "captures/zookeeper_3.1.11_rule-broken-keeps-old",
                "captures/zookeeper_3.3.6_rule-broken-keeps-old",
                "reports/B59"
            ]
            .map(str::to_owned)
            .to_vec()
        )
    );
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/route_replay")
        .join(name)
}

/// What is wrong in a file is named with its line and column; what is wrong on the command line with its flag.
#[test]
fn mistakes_name_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("good.txt", "dubbo://10.0.0.7:20880/a.B?application=x\n");
    write("bad.txt", "dubbo://10.0.0.7:20880/a.B\n  10.0.0.8:20880\n");
    write(
        "two.txt",
        "dubbo://10.0.0.7:20880/a.B\ndubbo://10.0.0.7:20880/a.C\n",
    );
    write("empty.txt", "\n# nobody yet\n");
    write("bad.jsonl", "{\"method\":\"a\"}\n{\"method\":}\n");
    write("bad.csv", "method,count\na,1\nb,x\n");
    write("what.yaml", "hello\n");
    write("a.configurators", "configs: []\n");
    for (args, exit, said) in [
        (
            vec!["--providers", "bad.txt"],
            4,
            "bad.txt:2:3: a provider URL begins with its protocol",
        ),
        (vec!["--providers", "none.txt"], 4, "none.txt: "),
        (
            vec!["--providers", "empty.txt"],
            2,
            "empty.txt: no provider stands in it",
        ),
        (
            vec!["a.B", "--providers", "empty.txt"],
            2,
            "empty.txt: no provider stands in it",
        ),
        (
            vec!["--providers", "two.txt"],
            2,
            "the providers are of several services",
        ),
        (
            vec!["--providers", "good.txt", "--requests", "bad.jsonl"],
            4,
            "bad.jsonl:2:11: expected value",
        ),
        (
            vec!["--providers", "good.txt", "--requests", "bad.csv"],
            4,
            "bad.csv:3:2: count `x` is no whole number",
        ),
        (
            vec!["--providers", "good.txt", "-f", "what.yaml"],
            2,
            "write KEY=FILE",
        ),
        (
            vec!["--providers", "good.txt", "-f", "a.configurators"],
            2,
            "is no router rule",
        ),
        (
            vec!["--providers", "good.txt", "--without", "zone=A"],
            2,
            "no zone is known",
        ),
        (
            vec!["--providers", "good.txt", "--without", "nonsense"],
            2,
            "expected zone=NAME",
        ),
        (
            vec!["--providers", "good.txt", "--router", "zone: after=tag"],
            2,
            "keep= is missing",
        ),
        (
            vec!["--providers", "good.txt", "--matrix", "9.9"],
            2,
            "--matrix 9.9",
        ),
        (
            vec!["--providers", "good.txt", "--max-shift", "20%"],
            2,
            "--candidate",
        ),
        (
            vec!["--providers", "good.txt", "--jdk", "x"],
            2,
            "no version of a JDK",
        ),
        (vec!["a.B"], 2, "nothing says where the addresses come from"),
    ] {
        let args: Vec<&str> = ["route-replay"].into_iter().chain(args).collect();
        let (code, stdout, stderr) = diag(dir.path(), &args);
        assert_eq!((code, stdout.as_str()), (exit, ""), "{args:?}: {stderr}");
        assert!(stderr.contains(said), "{args:?}: {stderr}");
    }
}

/// Only the kinds of calls are kept: a long log gives the answer of a short one, with larger numbers.
#[test]
fn a_long_log_is_folded() {
    let dir = tempfile::tempdir().unwrap();
    let source = folder("access-log");
    for file in ["providers.txt", "web.condition-router"] {
        std::fs::copy(source.join(file), dir.path().join(file)).unwrap();
    }
    let mut log = String::new();
    for n in 0..20_000_u32 {
        let host = if n.is_multiple_of(4) {
            "10.1.0.5"
        } else {
            "10.2.0.6"
        };
        let method = if n.is_multiple_of(10) { "save" } else { "get" };
        let _ = writeln!(
            log,
            "[2026-11-29 20:00:00] {host}:{} -> 10.1.0.7:20880 - com.acme.OrderService {method}(long) [{n}]",
            1024 + n % 60_000
        );
    }
    std::fs::write(dir.path().join("access.log"), log).unwrap();
    let args = [
        "route-replay",
        "com.acme.OrderService",
        "--providers",
        "providers.txt",
        "-f",
        "web.condition-router",
        "--access-log",
        "access.log",
        "--consumer-app",
        "web",
        "--dubbo",
        "3.3.6",
        "--consumer",
        "starting",
        "-o",
        "json",
    ];
    let (exit, stdout, stderr) = diag(dir.path(), &args);
    assert_eq!(exit, 1, "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let replay = &report["reports"][0]["replay"];
    let counts: Vec<(u64, bool)> = replay["classes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|class| {
            (
                class["requests"].as_u64().unwrap(),
                class["lost"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(counts, [(1_000, true), (14_000, false), (5_000, false)]);
    assert_eq!(
        (replay["requests"].as_u64(), replay["distinct"].as_u64()),
        (Some(20_000), Some(3))
    );
}

/// stdin is a file like any other.
#[test]
fn a_rule_from_stdin() {
    use std::io::Write as _;
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_diag"))
        .current_dir(folder("leak"))
        .env_clear()
        .args([
            "route-replay",
            "--providers",
            "providers.txt",
            "-f",
            "web.condition-router=-",
            "--consumer-app",
            "web",
        ])
        .args([
            "--consumer-ip",
            "10.1.0.5",
            "--dubbo",
            "3.3.6",
            "--consumer",
            "starting",
            "--brief",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"force: true\nconditions:\n- => host = 10.9.*\n")
        .unwrap();
    let done = child.wait_with_output().unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(
        text.starts_with(
            "none\tDG5001\tcertain\tcom.acme.OrderService: the rule web.condition-router removes"
        ),
        "{text}"
    );
}

/// Routers of the own code and the rooms may be said once for all, in the settings file, and rooms in a profile of it.
#[test]
fn a_router_and_rooms_of_the_settings_file() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    std::fs::copy(
        folder("drill-same-zone").join("providers.txt"),
        dir.path().join("providers.txt"),
    )
    .unwrap();
    let router = "router = 'zone: after=tag, keep=same-zone'\n";
    let rooms = "A = '10.1.0.0/16'\nB = ['10.2.0.0/16']\n";
    write("diag.toml", &format!("{router}[zones]\n{rooms}"));
    write(
        "profile.toml",
        &format!(
            "profile = 'prod'\n{router}[zones]\nC = '10.0.0.0/8'\n[profiles.prod.zones]\n{rooms}"
        ),
    );
    write("rooms.toml", "[zones]\nA = '10.1.x'\n");
    write("broken.toml", "\nrouter = 'zone: after=tag'\n");
    let args = |config| {
        [
            "route-replay",
            "--providers",
            "providers.txt",
            "--config",
            config,
            "--consumer-app",
            "web",
            "--consumer-ip",
            "10.1.0.5",
            "--dubbo",
            "3.3.6",
            "--without",
            "zone=A",
            "--consumer",
            "starting",
            "-o",
            "json",
        ]
    };
    for config in ["diag.toml", "profile.toml"] {
        let (exit, stdout, stderr) = diag(dir.path(), &args(config));
        assert_eq!(exit, 1, "{stderr}");
        let report: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(report["reports"][0]["findings"][0]["code"], "DG5013");
    }
    let (exit, _, stderr) = diag(dir.path(), &args("rooms.toml"));
    assert_eq!(exit, 4);
    assert!(
        stderr.contains("rooms.toml line 1: zone `A=10.1.x`: `10.1.x` is no network"),
        "{stderr}"
    );
    let (exit, _, stderr) = diag(dir.path(), &args("broken.toml"));
    assert_eq!(exit, 4);
    assert!(
        stderr.contains(
            "broken.toml line 2: router `zone: after=tag`: router zone: keep= is missing"
        ),
        "{stderr}"
    );
}
