//! Exit codes as the contract lists them, and what stands on which stream.

use std::io::Read as _;
use std::process::{Command, Stdio};

use super::{REGISTRY, Recorded, case, provider, run};

const SERVICE: &str = "com.acme.OrderService";

fn ask<'a>(recorded: &'a Recorded, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec![
        "no-provider",
        SERVICE,
        "--registry",
        REGISTRY,
        "--snapshot",
        recorded.path(),
    ];
    args.extend([
        "--dubbo",
        "3.2.16",
        "--consumer",
        "starting",
        "--consumer-app",
        "order-web",
        "--consumer-ip",
        "10.0.0.9",
    ]);
    args.extend(more);
    args
}

fn healthy() -> Recorded {
    Recorded::providers(SERVICE, &[&provider("10.0.0.7", SERVICE, "")])
}

fn other_group() -> Recorded {
    Recorded::providers(SERVICE, &[&provider("10.0.0.7", SERVICE, "&group=gray")])
}

#[test]
fn a_verdict_decides() {
    let fine = run(&ask(&healthy(), &["-o", "json"]));
    assert_eq!(
        (fine.exit, fine.json()["reports"][0]["outcome"].as_str()),
        (0, Some("reachable")),
        "{fine:?}"
    );
    let lost = run(&ask(&other_group(), &["-o", "json"]));
    assert_eq!(
        (
            lost.exit,
            lost.json()["reports"][0]["verdict"]["code"].as_str()
        ),
        (1, Some("DG2101")),
        "{lost:?}"
    );
    assert_eq!(lost.json()["exit"], 1);
    let recorded = healthy();
    let elsewhere: Vec<&str> = ask(&recorded, &["-o", "json"])
        .into_iter()
        .map(|arg| {
            if arg == REGISTRY {
                "zookeeper://10.0.0.99:2181"
            } else {
                arg
            }
        })
        .collect();
    let unknown = run(&elsewhere);
    assert_eq!(
        (
            unknown.exit,
            unknown.json()["reports"][0]["outcome"].as_str()
        ),
        (3, Some("unknown")),
        "{unknown:?}"
    );
}

#[test]
fn several_services_give_several_answers_in_one_run() {
    let recorded = healthy();
    let mut args = ask(&recorded, &["-o", "json"]);
    args.insert(2, "com.acme.Missing");
    let both = run(&args);
    let report = both.json();
    let names: Vec<&str> = (0..2)
        .map(|at| {
            report["reports"][at]["question"]["service"]["interface"]
                .as_str()
                .unwrap()
        })
        .collect();
    assert_eq!(names, [SERVICE, "com.acme.Missing"]);
    assert_eq!(report["reports"][0]["outcome"], "reachable");
    assert_eq!(report["reports"][1]["outcome"], "none");
    assert_eq!(both.exit, 1);
}

#[test]
fn fail_on_and_skip_change_only_what_they_say() {
    let loopback = Recorded::providers(SERVICE, &[&provider("127.0.0.1", SERVICE, "")]);
    let plain = run(&ask(&loopback, &["-o", "json"]));
    assert_eq!(plain.exit, 0, "{plain:?}");
    let codes = |value: &serde_json::Value| -> Vec<String> {
        value["reports"][0]["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f["code"].to_string())
            .collect()
    };
    assert!(
        codes(&plain.json()).contains(&"\"DG3007\"".to_owned()),
        "{plain:?}"
    );
    assert_eq!(run(&ask(&loopback, &["--fail-on", "info"])).exit, 1);
    let hidden = run(&ask(
        &loopback,
        &[
            "--fail-on",
            "info",
            "--skip",
            "DG3007",
            "--skip",
            "DG0102",
            "-o",
            "json",
        ],
    ));
    assert_eq!(hidden.exit, 0, "{hidden:?}");
    assert_eq!(
        hidden.json()["reports"][0]["stages"],
        plain.json()["reports"][0]["stages"]
    );
    let recorded = other_group();
    let skipped = run(&ask(&recorded, &["--skip", "DG2101", "-o", "json"]));
    assert_eq!(skipped.exit, 1, "the verdict stays");
    let report = &skipped.json()["reports"][0];
    assert_eq!(report["verdict"]["code"], "DG2101");
    // Its proof and its next step stay with it, and that is said.
    let finding = &report["findings"][0];
    assert_eq!(finding["code"], "DG2101", "{report}");
    assert!(!finding["evidence"].as_array().unwrap().is_empty());
    assert!(!finding["remedy"].as_array().unwrap().is_empty());
    let said = |report: &serde_json::Value, what: &str| {
        let assumed = report["assumed"].as_array().unwrap();
        assumed.iter().any(|one| {
            one["what"] == what
                && one["value"]
                    .as_str()
                    .is_some_and(|text| text.contains("DG2101"))
        })
    };
    assert!(said(report, "skipped"), "{report}");
    let other = run(&ask(&recorded, &["--only", "DG3007", "-o", "json"])).json();
    assert!(said(&other["reports"][0], "skipped"), "{other}");
    let text = run(&ask(&recorded, &["--skip", "DG2101"])).stdout;
    assert!(text.contains("  proof "), "{text}");
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("diag.toml");
    let fingerprint = finding["fingerprint"].as_str().unwrap();
    let accepted = format!(
        "[[accepted]]\nfingerprint = '{fingerprint}'\nreason = 'known'\nuntil = 2999-12-31\n"
    );
    std::fs::write(&file, accepted).unwrap();
    let config = ["--config", file.to_str().unwrap(), "-o", "json"];
    let accepted = run(&ask(&recorded, &config)).json();
    assert_eq!(accepted["exit"], 1, "{accepted}");
    assert_eq!(accepted["reports"][0]["findings"][0]["code"], "DG2101");
    assert!(said(&accepted["reports"][0], "accepted"), "{accepted}");
}

#[test]
fn a_required_fact_that_is_not_seen_is_exit_3() {
    let recorded = healthy();
    for fact in ["qos", "probe", "caches", "metrics"] {
        let done = run(&ask(&recorded, &["--require", fact, "-o", "json"]));
        let report = done.json();
        assert_eq!(
            (done.exit, report["reports"][0]["outcome"].as_str()),
            (3, Some("unknown")),
            "{fact}: {report}"
        );
        let missing = report["reports"][0]["not_seen"].as_array().unwrap();
        assert_eq!(
            missing
                .iter()
                .filter(|fact| fact["required"] == true)
                .count(),
            1,
            "{fact}: {report}"
        );
    }
    assert_eq!(
        run(&ask(&recorded, &["--require", "sweep"])).exit,
        0,
        "the recording has every place"
    );
    assert_eq!(
        run(&ask(&recorded, &["--require", "sweep", "--no-sweep"])).exit,
        3
    );
    let recorded = other_group();
    assert_eq!(
        run(&ask(&recorded, &["--require", "qos,probe"])).exit,
        1,
        "a verdict stays one"
    );
}

#[test]
fn mistakes_of_the_user_are_2_and_broken_files_4() {
    let home = tempfile::tempdir().unwrap();
    let broken = home.path().join("broken.toml");
    std::fs::write(&broken, "registri = 'x'\n").unwrap();
    let broken = broken.to_str().unwrap();
    let recorded = healthy();
    let snapshot = recorded.path();
    for (exit, args, said) in [
        (2, vec!["no-provider"], "no service is named"),
        (2, vec!["no-provider", SERVICE], "no registry is named"),
        (
            2,
            vec!["no-provider", "a.B:1:g", "--snapshot", snapshot],
            "the service key is `g/a.B:1`",
        ),
        (
            2,
            vec!["no-provider", "zookeeper://h:2181", "--snapshot", snapshot],
            "this is a URL",
        ),
        (2, vec!["no-provdier", SERVICE], "no-provider"),
        (
            2,
            vec!["no-provider", SERVICE, "--regstry", "x"],
            "--registry",
        ),
        (
            2,
            vec!["no-provider", SERVICE, "--registry", "h:2181"],
            "write zookeeper://.. in front",
        ),
        (
            2,
            vec!["no-provider", SERVICE, "--registry", "zk://h:2181"],
            "did you mean `zookeeper://`?",
        ),
        (
            2,
            vec![
                "no-provider",
                SERVICE,
                "--dubbo",
                "9.9",
                "--snapshot",
                snapshot,
            ],
            "the known lines are",
        ),
        (
            2,
            vec![
                "no-provider",
                SERVICE,
                "--profile",
                "x",
                "--snapshot",
                snapshot,
            ],
            "there is no profile x",
        ),
        (
            2,
            vec![
                "no-provider",
                SERVICE,
                "--skip",
                "DG9999",
                "--snapshot",
                snapshot,
            ],
            "no finding has this code",
        ),
        (
            2,
            vec![
                "no-provider",
                SERVICE,
                "--deadline",
                "10",
                "--snapshot",
                snapshot,
            ],
            "500ms, 10s, 2m",
        ),
        (
            2,
            vec![
                "no-provider",
                SERVICE,
                "--attach",
                "consumer:",
                "--snapshot",
                snapshot,
            ],
            "no file behind",
        ),
        (2, vec![], "Usage"),
        (
            4,
            vec!["no-provider", SERVICE, "--snapshot", "/nowhere"],
            "/nowhere",
        ),
        (
            4,
            vec!["no-provider", SERVICE, "--from-log", "/nowhere.log"],
            "/nowhere.log",
        ),
        (
            4,
            vec!["no-provider", SERVICE, "--config", "/nowhere.toml"],
            "/nowhere.toml",
        ),
        (
            4,
            vec!["no-provider", SERVICE, "--config", broken],
            "line 1: unknown key registri; did you mean registry?",
        ),
    ] {
        let done = run(&args);
        assert_eq!(done.exit, exit, "{args:?}: {done:?}");
        assert_eq!(done.stdout, "", "{args:?}");
        assert!(done.stderr.contains(said), "{args:?}: {}", done.stderr);
    }
}

#[test]
fn what_is_not_built_says_so_and_what_works_instead() {
    let args = ["lint", SERVICE, "--registry", REGISTRY, "--probe"];
    let done = run(&args);
    assert_eq!(done.exit, 2, "{done:?}");
    assert_eq!(done.stdout, "");
    let version = env!("CARGO_PKG_VERSION");
    assert!(
        done.stderr
            .contains(&format!("in this version ({version})\nhint: ")),
        "{done:?}"
    );
}

#[test]
fn stdout_carries_the_report_and_nothing_else() {
    let recorded = healthy();
    let warned = ask(&recorded, &["-o", "json", "--also-search", "zookeeper://h"]);
    let done = run(&warned);
    assert!(
        done.stderr
            .starts_with("warning: --also-search: zookeeper://h:9090: the last host has no port"),
        "{done:?}"
    );
    assert_eq!(done.json()["schema_version"], 1);
    let quiet = run(&[&warned[..], &["-q"]].concat());
    assert_eq!((quiet.stderr.as_str(), &quiet.stdout), ("", &done.stdout));
}

#[test]
fn a_reader_that_goes_away_is_success() {
    let home = tempfile::tempdir().unwrap();
    let snapshot = case("zookeeper_3.2.16_wrong-group-check-true");
    let mut child = Command::new(env!("CARGO_BIN_EXE_diag"))
        .env_clear()
        .env("HOME", home.path())
        .args([
            "no-provider",
            "org.example.lab.api.OrderService",
            "--snapshot",
        ])
        .arg(&snapshot)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), stderr.as_str()),
        (Some(0), "")
    );
}
