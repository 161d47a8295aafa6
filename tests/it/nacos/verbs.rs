//! Every verb that asks live, over each generation's own bytes: reads only, and what is recorded gives the same answer.

use std::{path::Path, process::Command};

use serde_json::Value;
use tempfile::TempDir;

use super::{
    captures,
    server::{Reply, Server},
};

const SERVICE: &str = "g1/com.ex.OrderService:1.0.0";

/// One run of the program: exit code, what it wrote, what it complained of.
pub(crate) struct Ran {
    pub(crate) exit: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the program in a directory of its own.
pub(crate) fn diag(home: &Path, args: &[&str]) -> Ran {
    diag_with(home, &[], args)
}

/// The same with variables of the environment.
pub(crate) fn diag_with(home: &Path, variables: &[(&str, &str)], args: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_diag"))
        .env_clear()
        .env("HOME", home)
        .env("LANG", "C")
        .envs(variables.iter().copied())
        .current_dir(home)
        .args(args)
        .output()
        .unwrap();
    Ran {
        exit: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Ran {
    pub(crate) fn report(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }
}

/// Without the fields that may differ between a live run and its recording.
pub(crate) fn without_times(mut value: Value) -> Value {
    fn clear(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| !name.ends_with("_at") && !name.ends_with("_ms"));
                fields.values_mut().for_each(clear);
            }
            Value::Array(values) => values.iter_mut().for_each(clear),
            _ => {}
        }
    }
    clear(&mut value);
    value
}

/// So often names are asked for.
const TRIES: usize = 8;

/// Behind the TAB key: data ids and groups of a live Nacos, of every generation.
#[test]
fn names_come_from_every_generation() {
    let mut keyed = 0;
    for server in captures::SERVERS {
        let fleet = captures::fleet(server);
        let home = TempDir::new().unwrap();
        let registry = format!("nacos://{}", fleet.address);
        // Silent when it is late, as on a machine that has much to do: then it is asked again.
        let has = |words: &[&str], wanted: fn(&str) -> bool| {
            (0..TRIES).any(|_| {
                let ran = diag(home.path(), &[&["__names"], words].concat());
                assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""), "{server}");
                ran.stdout.lines().any(wanted)
            })
        };
        let groups = [
            "no-provider",
            SERVICE,
            "--registry",
            &registry,
            "--group",
            "g",
        ];
        assert!(has(&groups, |line| line == "g1"), "{server}");
        let ids = ["lint", "x", "--registry", &registry, "--key", ""];
        keyed += usize::from(has(&ids, |line| line.ends_with("-router")));
    }
    assert!(keyed > 0, "no server gave a data id");
}

/// The other place is a profile of the settings file: a live registry.
#[test]
fn a_profile_is_compared_with_a_recording() {
    let fleet = captures::fleet(captures::SERVERS[0]);
    let home = TempDir::new().unwrap();
    let settings = format!(
        "[profiles.pre]\nregistry = 'nacos://{}'\nconsumer-app = 'order-consumer'\n",
        fleet.address
    );
    let file = home.path().join("diag.toml");
    std::fs::write(&file, settings).unwrap();
    let here = crate::cli::Recorded::providers("com.ex.OrderService", &[]);
    let ran = diag(
        home.path(),
        &[
            "no-provider",
            SERVICE,
            "--registry",
            crate::cli::REGISTRY,
            "--snapshot",
            here.path(),
            "--config",
            file.to_str().unwrap(),
            "--consumer",
            "starting",
            "--dubbo",
            "2.7.23",
            "--compare",
            "pre",
            "-o",
            "json",
        ],
    );
    assert_eq!(ran.exit, 1, "{}", ran.stderr);
    let report = ran.report();
    let comparison = &report["reports"][0]["comparison"];
    assert_eq!(report["reports"][0]["outcome"], "none");
    // A rule of that fleet takes the calls of one method.
    assert_eq!(comparison["outcome"], "partly", "{comparison}");
    assert_eq!(comparison["differences"][0]["what"], "outcome");
    assert!(!fleet.requests().is_empty(), "the profile was asked");
}

#[test]
fn every_verb_reads_every_generation() {
    for server in captures::SERVERS {
        let fleet = captures::fleet(server);
        let home = TempDir::new().unwrap();
        let registry = format!("nacos://{}", fleet.address);
        let consumer = [
            "--consumer-app",
            "order-consumer",
            "--consumer-ip",
            "127.0.0.1",
            "--consumer",
            "starting",
            "--dubbo",
            "2.7.23",
        ];
        let ask = |extra: &[&str]| {
            let start = ["no-provider", SERVICE, "-o", "json"];
            let ran = diag(home.path(), &[&start[..], &consumer, extra].concat());
            assert!((0..=3).contains(&ran.exit), "{server}: {}", ran.stderr);
            ran.report()
        };
        let live = ask(&["--registry", &registry]);
        let key = live["reports"][0]["stages"]
            .as_array()
            .unwrap()
            .iter()
            .find(|stage| stage["id"] == "K")
            .unwrap();
        assert_eq!(key["out"], 2, "{server}: {live:#}");

        // The plan asks nobody.
        let asked = fleet.requests().len();
        let plan = diag(
            home.path(),
            &["snapshot", SERVICE, "--registry", &registry, "--dry-run"],
        );
        assert_eq!((plan.exit, fleet.requests().len()), (0, asked), "{server}");
        assert!(
            plan.stdout.contains("GET /nacos/v1/ns/instance/list?"),
            "{server}"
        );

        for (what, out) in [(&[SERVICE][..], "one"), (&["--all"], "all.tar.gz")] {
            let start = ["snapshot", "--registry", &registry, "--out", out];
            let mut args = [&start[..], what].concat();
            if what == [SERVICE] {
                args.extend(consumer);
            }
            let ran = diag(home.path(), &args);
            assert_eq!(ran.exit, 0, "{server}: {}", ran.stderr);
            let again = ask(&["--registry", &registry, "--snapshot", out]);
            assert_eq!(
                without_times(again),
                without_times(live.clone()),
                "{server} {out}"
            );
        }
        let mut answered = 0;
        for verb in others(home.path()) {
            let ask = |extra: &[&str]| {
                let ran = diag(home.path(), &[&verb[..], &consumer, extra].concat());
                assert!(
                    (0..=3).contains(&ran.exit),
                    "{server} {verb:?}: {}",
                    ran.stderr
                );
                let mut report = without_times(ran.report());
                without_commands(&mut report);
                report
            };
            let live = ask(&["--registry", &registry]);
            let answer = &live["reports"][0];
            answered += usize::from(answer["outcome"] != "unknown");
            for out in ["one", "all.tar.gz"] {
                let again = ask(&["--registry", &registry, "--snapshot", out]);
                assert_eq!(again, live, "{server} {verb:?} {out}");
            }
        }
        assert_eq!(answered, 3, "{server}");
        let teapots: Vec<String> = fleet
            .unanswered(418)
            .iter()
            .map(|request| format!("{} {:?}", request.path, request.query))
            .collect();
        assert!(teapots.is_empty(), "{server}: {teapots:#?}");
    }
}

/// The verbs besides `no-provider` that read a registry to answer.
fn others(home: &Path) -> [Vec<&'static str>; 3] {
    let rule = "com.ex.OrderService%3A1.0.0%3Ag1.condition-router";
    let text = "configVersion: v3.0\nforce: true\nconditions:\n- \"=> host = 127.10.0.*\"\n";
    std::fs::write(home.join(rule), text).unwrap();
    [
        vec!["timeout-budget", SERVICE, "-o", "json"],
        vec!["route-replay", SERVICE, "-o", "json"],
        vec!["lint", rule, "-o", "json"],
    ]
}

/// Without the commands to be run next: they name the recording.
fn without_commands(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| name != "argv");
            fields.values_mut().for_each(without_commands);
        }
        Value::Array(values) => values.iter_mut().for_each(without_commands),
        _ => {}
    }
}

/// How a server fails that was asked for the providers, and the code for it.
fn failing(how: &str) -> (Server, &'static str) {
    let (reply, code) = match how {
        "refused login" => (
            Reply::new(
                403,
                "application/json",
                r#"{"status":403,"message":"authorization failed!"}"#,
            ),
            "DG1003",
        ),
        "silence" => (Reply::Silence, "DG1001"),
        "cut" => (
            Reply::Raw(b"HTTP/1.1 200 \r\nContent-Length: 500\r\n\r\n{\"hosts\"".to_vec()),
            "DG1001",
        ),
        "error" => (
            Reply::json(r#"{"code":500,"message":"boom","data":null}"#),
            "DG1004",
        ),
        other => unreachable!("{other}"),
    };
    let server = Server::start(move |request| match request.path.as_str() {
        "/nacos/v3/admin/core/state" => Reply::new(404, "application/json", "{}"),
        "/nacos/v1/console/server/state" => Reply::json(r#"{"version":"2.5.1"}"#),
        _ => reply.clone(),
    });
    (server, code)
}

/// A registry that was asked and did not tell leaves every verb without an answer, and each says so.
#[test]
fn no_verb_calls_well_what_it_could_not_read() {
    let home = TempDir::new().unwrap();
    let rule = "com.x.A%3A1.0%3A.condition-router";
    let text = "configVersion: v3.0\nforce: true\nconditions:\n- \"=> host = 10.2.0.99\"\n";
    std::fs::write(home.path().join(rule), text).unwrap();
    for how in ["refused login", "silence", "cut", "error"] {
        let (server, code) = failing(how);
        let registry = format!("nacos://{}", server.address);
        for verb in [
            ["lint", rule],
            ["timeout-budget", "com.x.A:1.0"],
            ["route-replay", "com.x.A:1.0"],
        ] {
            let end = ["--registry", &registry, "--deadline", "2s", "-o", "json"];
            let ran = diag(home.path(), &[&verb[..], &end].concat());
            let report = ran.report();
            let answer = &report["reports"][0];
            let note = format!("{how} {}: {answer:#}", verb[0]);
            assert_eq!(
                (ran.exit, answer["outcome"].as_str()),
                (3, Some("unknown")),
                "{note}"
            );
            let has = |list: &str| {
                let all = answer[list].as_array().unwrap();
                all.iter().any(|one| one["code"] == code)
            };
            assert!(has("findings") || has("candidates"), "{note}");
            let unseen = answer["not_seen"].as_array().unwrap();
            let required: Vec<_> = unseen
                .iter()
                .filter(|one| one["required"] == true)
                .collect();
            assert!(!required.is_empty(), "{note}");
            assert!(
                verb[0] != "lint"
                    || required
                        .iter()
                        .all(|one| one["how_to_see"].is_string()
                            && one["why"] != "nobody asked for it"),
                "{note}"
            );
        }
    }
}
