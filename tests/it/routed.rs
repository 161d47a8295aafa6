//! What a verdict about routing says beside its code: which calls, which reason, which share. The right answers follow from
//! the rules by hand.

#![expect(
    clippy::unwrap_used,
    reason = "a broken fixture or a missing file is a failing test"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

/// The exit code and the only answer.
fn answer(dir: &Path, args: &[&str]) -> (i32, Value) {
    let run = Command::new(env!("CARGO_BIN_EXE_diag"))
        .current_dir(dir)
        .env_clear()
        .env("LANG", "en_US.UTF-8")
        .args(args)
        .args(["-o", "json"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&run.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&run.stderr)));
    let problems = crate::schema::problems(&report);
    assert!(problems.is_empty(), "{problems:?}");
    (
        run.status.code().unwrap_or(-1),
        report["reports"][0].clone(),
    )
}

/// `no-provider` over a hand-made recording, for a consumer that starts with 3.3.6.
fn no_provider(name: &str, more: &[&str]) -> (i32, Value) {
    let mut args = vec!["no-provider", "com.acme.OrderService"];
    args.extend(["--registry", "zookeeper://10.0.0.2:2181"]);
    args.extend(["--snapshot", "snapshot", "--consumer-app", "order-web"]);
    args.extend(["--consumer-ip", "10.0.0.9", "--consumer", "starting"]);
    if !more.contains(&"--dubbo") {
        args.extend(["--dubbo", "3.3.6"]);
    }
    args.extend(more);
    answer(&fixture(name), &args)
}

fn texts<'v>(values: &'v Value, field: &str) -> Vec<&'v str> {
    let values = values.as_array().unwrap();
    values.iter().filter_map(|it| it[field].as_str()).collect()
}

#[test]
fn each_method_is_credited_to_the_condition_that_takes_it() {
    let (exit, answer) = no_provider("route/condition/two-reasons", &[]);
    assert_eq!((exit, answer["outcome"].as_str()), (1, Some("none")));
    let verdict = &answer["verdict"]["params"];
    assert_eq!(
        verdict["condition"],
        "method=create* => host=10.99.0.1 [method = createOrder]"
    );
    let other = answer["findings"].as_array().unwrap().iter();
    let other: Vec<&Value> = other
        .filter(|it| it["params"]["position"] == "4:4")
        .collect();
    assert_eq!(
        other.len(),
        1,
        "{:?}",
        texts(&answer["findings"], "message")
    );
    assert_eq!(other[0]["params"]["requests"][0], "method = getOrder");
    assert_eq!(other[0]["severity"], "error");
}

#[test]
fn a_draw_is_lost_by_the_rule_that_empties_it_in_both_verbs() {
    for (case, rule, share) in [
        (
            "route/mesh/split-then-force",
            "com.acme.OrderService::.condition-router",
            "51%",
        ),
        (
            "route/condition_multi/split-then-force",
            "order-web.condition-router",
            "50.5%",
        ),
    ] {
        let (_, answer) = no_provider(case, &[]);
        let params = &answer["verdict"]["params"];
        assert_eq!(params["rule"], rule);
        assert_eq!(
            params["requests"][0],
            format!("method = getOrder · {share}")
        );
        let mut args = vec![
            "route-replay",
            "com.acme.OrderService",
            "--snapshot",
            "snapshot",
        ];
        args.extend([
            "--registry",
            "zookeeper://10.0.0.2:2181",
            "--consumer-app",
            "order-web",
        ]);
        args.extend([
            "--consumer",
            "starting",
            "--dubbo",
            "3.3.6",
            "--method",
            "getOrder",
        ]);
        let (exit, replayed) = self::answer(&fixture(case), &args);
        assert_eq!((exit, replayed["outcome"].as_str()), (1, Some("partly")));
        assert_eq!(replayed["verdict"]["params"]["rule"], rule);
        let class = &replayed["replay"]["classes"][0];
        let percent = format!("{}%", class["lost_share"].as_f64().unwrap() * 100.0);
        assert_eq!(
            (class["lost"].as_bool(), percent.as_str()),
            (Some(false), share)
        );
        let ways = class["ways"].as_array().unwrap();
        assert_eq!(ways.len(), 2);
        assert_eq!(ways[0]["cause"]["rule"], rule);
        assert_eq!(ways[0]["probability"], class["lost_share"]);
    }
}

/// A call of `getOrder` by `order-web`, replayed over the providers of the folder.
fn candidate<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let known = [
        "route-replay",
        "com.acme.OrderService",
        "--providers",
        "providers.txt",
        "--consumer-app",
        "order-web",
        "--consumer-ip",
        "10.0.0.9",
        "--dubbo",
        "3.3.6",
        "--method",
        "getOrder",
    ];
    [&known[..], more].concat()
}

#[test]
fn the_gate_counts_what_a_candidate_loses_on_one_way_only() {
    let dir = fixture("route_replay/draw-candidate-loses");
    let args = candidate(&[
        "-f",
        "order.MESHAPPRULE",
        "--consumer",
        "starting",
        "--candidate",
        "order-web.condition-router",
    ]);
    let (exit, answer) = answer(&dir, &args);
    let candidate = &answer["replay"]["candidate"];
    assert_eq!((exit, candidate["newly_lost"].as_u64()), (1, Some(1)));
    assert_eq!(
        (
            candidate["newly_lost_share"].as_f64(),
            candidate["lost_share"].as_f64()
        ),
        (Some(0.51), Some(0.51))
    );
    assert_eq!(candidate["changed"], 1);
}

#[test]
fn every_fact_that_decides_is_named() {
    let (exit, answer) = no_provider("route/condition/two-facts", &[]);
    assert_eq!((exit, answer["outcome"].as_str()), (3, Some("unknown")));
    let not_seen = texts(&answer["not_seen"], "what");
    for name in ["region", "env"] {
        assert!(
            not_seen.iter().any(|what| what.contains(name)),
            "{name}: {not_seen:?}"
        );
    }
}

#[test]
fn a_rule_of_an_application_that_may_come_first_is_not_surely_unread() {
    let (_, answer) = no_provider("route/condition/two-applications", &[]);
    let findings = answer["findings"].as_array().unwrap();
    let unread: Vec<&Value> = findings
        .iter()
        .filter(|it| it["code"] == "DG5005")
        .collect();
    assert!(
        unread.iter().all(|it| it["certainty"] == "possible"),
        "{unread:?}"
    );
}

#[test]
fn a_candidate_that_cannot_be_read_is_told_for_both_consumers() {
    let dir = fixture("route_replay/candidate-both");
    for file in [
        "order-web.condition-router=broken.yaml",
        "order-web.condition-router=empty.yaml",
    ] {
        let rule = ["-f", "order-web.condition-router"];
        let asked = candidate(&[&rule[..], &["--candidate", file]].concat());
        let (_, answer) = answer(&dir, &asked);
        let candidate = &answer["replay"]["candidate"];
        // A consumer that starts has no rule then, one that runs keeps the old one.
        assert_eq!(
            (candidate["state"].as_str(), candidate["changed"].as_u64()),
            (Some("starting"), Some(1)),
            "{file}"
        );
        let other = &candidate["other"];
        assert_eq!(
            (other["state"].as_str(), other["changed"].as_u64()),
            (Some("running"), Some(0)),
            "{file}"
        );
        let findings = answer["findings"].as_array().unwrap();
        assert!(
            findings
                .iter()
                .any(|it| it["subject"]["kind"] == "candidate"),
            "{file}"
        );
    }
}
