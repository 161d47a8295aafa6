//! What follows from the name of a method, from another client's defaults, and from a strategy that is not Dubbo's: what is
//! not known is not advised.

use serde_json::{Value, json};

use super::{SERVICE, ask_of};
use crate::cli::{Recorded, provider, run};

fn listing(methods: &str, rest: &str) -> Recorded {
    let url = provider("10.1.0.1", SERVICE, rest);
    let url = url.replace("methods=get", &format!("methods={methods}"));
    Recorded::providers(SERVICE, &[&url])
}

fn answer(recorded: &Recorded, method: &[&str], more: &[&str]) -> Value {
    let done = ask_of(recorded, method, &[more, &["-o", "json"]].concat());
    assert!(done.exit < 2, "{done:?}");
    done.json()["reports"][0].clone()
}

const P99: [&str; 2] = ["--p99", "450ms"];

#[test]
fn only_a_name_that_tells_it_is_a_read() {
    for (method, writes, retries) in [
        ("getUser", json!(false), json!(1)),
        ("createUser", json!(true), json!(0)),
        ("chargeCard", Value::Null, Value::Null),
        ("getAndIncrement", Value::Null, Value::Null),
        ("loadAndDelete", Value::Null, Value::Null),
    ] {
        let args = ["timeout-budget", SERVICE, method, "--p99", "450ms"];
        let json = run(&[&args[..], &["-o", "json"]].concat()).json();
        let budget = &json["reports"][0]["budget"];
        assert_eq!(budget["tries"]["writes"], writes, "{method}");
        assert_eq!(budget["advice"]["retries"], retries, "{method}");
        let text = run(&args).stdout.replace("\n            ", " ");
        assert_eq!(text.contains("a read:"), writes == json!(false), "{text}");
        assert_eq!(
            text.contains("does not tell whether"),
            writes.is_null(),
            "{text}"
        );
    }
}

/// (methods, a setting, retries for the whole reference, the method that decides): one write makes it none.
#[test]
fn an_advice_for_the_whole_reference_fits_every_method() {
    for (methods, param, retries, because) in [
        ("getUser,findUser", "a=b", json!(1), Value::Null),
        ("getUser,createUser", "a=b", json!(0), json!("createUser")),
        (
            "getUser,createUser",
            "createUser.retries=0",
            json!(1),
            Value::Null,
        ),
        ("getUser,chargeCard", "a=b", Value::Null, Value::Null),
    ] {
        let recorded = listing(methods, "");
        let found = answer(&recorded, &[], &[&P99[..], &["--param", param]].concat());
        let advice = &found["budget"]["advice"];
        assert_eq!(advice["retries"], retries, "{methods} {param}: {advice}");
        assert_eq!(advice["because_of"], because, "{methods} {param}");
        let text = advice["notations"].to_string();
        assert_eq!(text.contains("retries: '0'"), retries == json!(0), "{text}");
    }
}

#[test]
fn the_defaults_of_another_client_are_not_known() {
    let ask = |more: &[&str]| {
        let args = [
            "timeout-budget",
            SERVICE,
            "createUser",
            "--client",
            "go",
            "--p99",
            "450ms",
        ];
        run(&[&args[..], more].concat())
    };
    let json = ask(&["-o", "json"]).json();
    let budget = json["reports"][0]["budget"].clone();
    let row = &budget["in_force"][0];
    assert_eq!(
        (&row["timeout_ms"], &row["level"]),
        (&Value::Null, &json!("unknown"))
    );
    assert!(budget["tries"].is_null(), "{budget}");
    let findings = json["reports"][0]["findings"].to_string();
    for code in ["DG7001", "DG7004", "DG7007"] {
        assert!(!findings.contains(code), "{findings}");
    }
    let text = ask(&[]).stdout;
    assert!(
        text.contains("not known") && !text.contains("1000 ms from"),
        "{text}"
    );
    assert!(!text.starts_with('\u{2713}'), "{text}");
    // It reads durations.
    for (value, millis) in [("timeout=10s", json!(10_000)), ("timeout=10", Value::Null)] {
        let json = ask(&["--param", value, "-o", "json"]).json();
        let row = json["reports"][0]["budget"]["in_force"][0].clone();
        assert_eq!(row["timeout_ms"], millis, "{value}");
    }
    // Java's are.
    let json = run(&["timeout-budget", SERVICE, "get", "-o", "json"]).json();
    assert_eq!(
        json["reports"][0]["budget"]["in_force"][0]["timeout_ms"],
        1000
    );
}

#[test]
fn a_strategy_that_is_not_dubbos_gets_no_tick() {
    let done = run(&[
        "timeout-budget",
        SERVICE,
        "getUser",
        "--param",
        "cluster=mine",
        "--p99",
        "45ms",
    ]);
    let text = done.stdout.replace("\n            ", " ");
    assert!(!text.starts_with('\u{2713}'), "{text}");
    assert!(text.contains("mine is no strategy of Dubbo"), "{text}");
    assert!(!text.contains("retries=1 is enough"), "{text}");
    let done = run(&[
        "timeout-budget",
        SERVICE,
        "getUser",
        "--dubbo",
        "3.2.16",
        "--p99",
        "45ms",
    ]);
    assert!(done.stdout.starts_with('\u{2713}'), "{done:?}");
}

/// Strategies that do not read `retries` at all.
#[test]
fn retries_of_a_strategy_without_tries_are_told() {
    for (cluster, told) in [
        ("failfast", true),
        ("failsafe", true),
        ("available", true),
        ("forking", true),
        ("broadcast", true),
        ("mergeable", true),
        ("failover", false),
        ("failback", false),
    ] {
        let cluster = format!("cluster={cluster}");
        for retries in ["retries=2", "getUser.retries=2"] {
            let args = [
                "timeout-budget",
                SERVICE,
                "getUser",
                "-o",
                "json",
                "--param",
                retries,
            ];
            let json = run(&[&args[..], &["--param", &cluster]].concat()).json();
            let findings = json["reports"][0]["findings"].to_string();
            assert_eq!(
                findings.contains("DG7015"),
                told,
                "{cluster} {retries}: {findings}"
            );
        }
    }
}

/// What an `int` makes of a long time is told, and nothing is computed with it.
#[test]
fn a_time_below_one_is_no_time() {
    for (dubbo, effect) in [
        ("3.2.16", "No time left"),
        ("2.7.23", "timeout of the connection"),
    ] {
        let args = [
            "timeout-budget",
            SERVICE,
            "getUser",
            "--p99",
            "10ms",
            "--dubbo",
            dubbo,
            "--param",
            "timeout=2147483648",
        ];
        let json = run(&[&args[..], &["-o", "json"]].concat()).json();
        let verdict = json["reports"][0]["verdict"].clone();
        assert_eq!(verdict["code"], "DG7007", "{verdict}");
        let told = verdict["params"]["effect"].as_str().unwrap().to_owned();
        assert!(told.contains(effect), "{told}");
        let text = run(&args).stdout;
        assert!(text.contains("-> 3 in all"), "{text}");
        assert!(!text.contains("x -"), "{text}");
    }
}

/// An attachment that is no number is not what is in force.
#[test]
fn an_attachment_that_is_no_number_is_told() {
    for (attachment, millis, level, told) in [
        ("timeout=abc", 1000, "default", true),
        ("timeout=300", 300, "attachment", false),
    ] {
        let args = [
            "timeout-budget",
            SERVICE,
            "getUser",
            "--dubbo",
            "3.2.16",
            "--attachment",
            attachment,
            "-o",
            "json",
        ];
        let report = run(&args).json()["reports"][0].clone();
        let row = &report["budget"]["in_force"][0];
        assert_eq!(
            (&row["timeout_ms"], &row["level"]),
            (&json!(millis), &json!(level)),
            "{attachment}"
        );
        assert_eq!(row["value"], attachment["timeout=".len()..], "{attachment}");
        assert_eq!(
            report["findings"].to_string().contains("DG7007"),
            told,
            "{report}"
        );
    }
}

#[test]
fn a_method_is_one_name() {
    for method in ["get User", "", "get,find"] {
        let done = run(&["timeout-budget", SERVICE, method, "--p99", "10ms"]);
        assert_eq!(done.exit, 2, "{method}: {done:?}");
        assert!(done.stderr.contains("the name of one method"), "{done:?}");
    }
}

/// As the golden cases count a call, and told where it is a default.
#[test]
fn a_chain_tells_which_tries_are_defaults() {
    let args = [
        "timeout-budget",
        "--chain",
        "a,b:retries=0,c:retries=2147483647,d:cluster=failfast",
    ];
    let json = run(&[&args[..], &["-o", "json"]].concat()).json();
    let hops = json["reports"][0]["budget"]["chain"]["hops"].clone();
    let told: Vec<Value> = hops
        .as_array()
        .unwrap()
        .iter()
        .map(|hop| json!([hop["tries"], hop["by_default"]]))
        .collect();
    assert_eq!(
        told,
        [
            json!([3, true]),
            json!([1, false]),
            json!([1, false]),
            json!([1, false])
        ]
    );
    let text = run(&args).stdout;
    assert!(
        text.contains("a: tries 3 (retries not given: the default of 2)"),
        "{text}"
    );
    let done = run(&["timeout-budget", "--chain", "a:retries=2147483648"]);
    assert!(
        done.exit == 2 && done.stderr.contains("retries of a"),
        "{done:?}"
    );
}
