//! What a pasted text tells of a call is what was in force for it; the URL of an invoker in it is the consumer's.

use serde_json::{Value, json};

use super::{SERVICE, ask_of, codes, file};
use crate::cli::{Recorded, provider, run};

const PROVIDER: &str = "10.1.0.1:20880";

/// A call that ran out of time as failover of 2.7 prints it: at the second given, with `tries`, the parameters of the
/// invoker's URL, and the limit.
fn wait(second: u32, tries: u32, parameters: &str, limit: u32) -> String {
    let elapsed = limit + 12;
    format!(
        "2026-11-29 20:40:{second:02}.500 ERROR [http-{second}] c.a.user.UserAction - call failed\n\
         org.apache.dubbo.rpc.RpcException: Failed to invoke the method get in the service {SERVICE}. Tried {tries} \
         times of the providers [{PROVIDER}] (1/1) from the registry 10.0.0.2:2181 on the consumer 10.1.9.9 using the \
         dubbo version 2.7.23. Last error is: Invoke remote method timeout. method: get, provider: \
         dubbo://{PROVIDER}/{SERVICE}?application=web&interface={SERVICE}{parameters}, cause: \
         org.apache.dubbo.remoting.TimeoutException: Waiting server-side response timeout by scan timer. start time: \
         2026-11-29 20:39:00.000, end time: 2026-11-29 20:40:01.499, client elapsed: 0 ms, server elapsed: {elapsed} \
         ms, timeout: {limit} ms, request: Request [id={second}, version=2.0.2, twoway=true, event=false, \
         broken=false, data=null], channel: /10.1.9.9:41104 -> /{PROVIDER}\n"
    )
}

const PLAIN: &str = "&side=provider";

fn recorded(parameters: &str) -> Recorded {
    let url = provider("10.1.0.1", SERVICE, parameters);
    Recorded::providers(SERVICE, &[&url])
}

/// The answer about `get` with a text beside the registry.
fn answer(recorded: &Recorded, text: &str, more: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let log = file(&folder, "consumer.log", text);
    let done = ask_of(
        recorded,
        &["get"],
        &[&["--from-log", &log, "-o", "json"], more].concat(),
    );
    assert!(matches!(done.exit, 0 | 1 | 3), "{done:?}");
    done.json()["reports"][0].clone()
}

fn in_force(answer: &Value) -> (Value, Value) {
    let rows = answer["budget"]["in_force"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    (rows[0]["timeout_ms"].clone(), rows[0]["level"].clone())
}

fn has(answer: &Value, code: &str, certainty: &str) -> bool {
    codes(answer).contains(&(code.to_owned(), certainty.to_owned()))
}

#[test]
fn the_timeout_of_the_text_counts_though_the_registry_is_seen() {
    let recorded = recorded("");
    let found = answer(&recorded, &wait(1, 3, PLAIN, 400), &["--p99", "450ms"]);
    assert_eq!(in_force(&found), (json!(400), json!("observed")));
    assert!(has(&found, "DG7020", "certain"), "{found}");
    // Too small for what is needed: likely, as no level explains it.
    assert!(has(&found, "DG7001", "likely"), "{found}");
    let verdict = &found["verdict"];
    assert_eq!(verdict["params"]["timeout"], 400, "{verdict}");
    let proof = found["findings"][0]["evidence"].to_string();
    assert!(proof.contains("file.lines"), "{proof}");
    // The same text with the value that is computed: nothing is doubted.
    let found = answer(&recorded, &wait(1, 3, PLAIN, 1000), &["--p99", "1200ms"]);
    assert_eq!(in_force(&found), (json!(1000), json!("default")));
    assert!(has(&found, "DG7001", "certain"), "{found}");
    assert!(!found.to_string().contains("DG7020"), "{found}");
}

#[test]
fn a_text_of_another_call_tells_nothing_of_this_one() {
    let recorded = recorded("");
    let text = wait(1, 1, PLAIN, 400);
    for (from, to) in [
        // Another consumer.
        ("10.1.9.9", "10.1.9.8"),
        // Another method.
        ("get", "find"),
    ] {
        let text = text.replace(&format!("method {from} "), &format!("method {to} "));
        let text = text.replace(&format!("method: {from},"), &format!("method: {to},"));
        let text = if from.contains('.') {
            text.replace(from, to)
        } else {
            text
        };
        let found = answer(&recorded, &text, &["--p99", "450ms"]);
        assert_eq!(in_force(&found).0, 1000, "{to}: {found}");
        assert_eq!(found["budget"]["tries"]["in_turn"], 3, "{to}: {found}");
        assert!(!has(&found, "DG7001", "likely"), "{to}: {found}");
    }
}

/// 400 ms until somebody changed it: the last one counts. Limits that differ from call to call (a countdown) are none.
#[test]
fn of_several_limits_the_last_one_counts_if_it_stays() {
    let recorded = recorded("");
    let changed: String = [(1, 400), (2, 400), (3, 600), (4, 600)]
        .map(|(second, limit)| wait(second, 3, PLAIN, limit))
        .concat();
    let found = answer(&recorded, &changed, &["--p99", "650ms"]);
    assert_eq!(in_force(&found), (json!(600), json!("observed")), "{found}");
    let back: String = [(1, 400), (2, 1000), (3, 1000)]
        .map(|(second, limit)| wait(second, 3, PLAIN, limit))
        .concat();
    let found = answer(&recorded, &back, &["--p99", "450ms"]);
    assert_eq!(in_force(&found), (json!(1000), json!("default")));
    assert!(!found.to_string().contains("DG7020"), "{found}");
    let countdown: String = [(1, 137), (2, 842), (3, 512)]
        .map(|(second, limit)| wait(second, 3, PLAIN, limit))
        .concat();
    let found = answer(&recorded, &countdown, &["--p99", "1450ms"]);
    assert_eq!(in_force(&found), (json!(1000), json!("default")));
    assert!(has(&found, "DG7001", "possible"), "{found}");
}

/// The text alone: (parameters of the invoker, tries, limit) give timeout, its level, tries, and whether the text and its
/// own URL differ.
#[test]
fn the_url_of_an_invoker_tells_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    for (parameters, tries, limit, level, differs) in [
        (
            "&retries=4&side=consumer&timeout=700",
            5,
            700,
            "consumer-log",
            false,
        ),
        (
            "&retries=2&side=consumer&timeout=1000",
            3,
            1000,
            "consumer-log",
            false,
        ),
        (
            "&retries=0&side=consumer&timeout=1000",
            1,
            1000,
            "consumer-log",
            false,
        ),
        (
            "&get.retries=0&side=consumer&timeout=900",
            1,
            900,
            "consumer-log",
            false,
        ),
        (
            "&get.timeout=800&side=consumer&timeout=900",
            3,
            800,
            "consumer-log-method",
            false,
        ),
        (
            "&retries=4&side=consumer&timeout=700",
            3,
            1000,
            "observed",
            true,
        ),
    ] {
        let log = file(&folder, "consumer.log", &wait(1, tries, parameters, limit));
        let done = run(&["timeout-budget", "--from-log", &log, "-o", "json"]);
        let found = done.json()["reports"][0].clone();
        assert_eq!(
            in_force(&found),
            (json!(limit), json!(level)),
            "{parameters}: {found}"
        );
        assert_eq!(
            found["budget"]["tries"]["in_turn"], tries,
            "{parameters}: {found}"
        );
        assert_eq!(
            found.to_string().contains("DG7020"),
            differs,
            "{parameters}: {found}"
        );
    }
}

/// With the registry: what a provider publishes is the provider's, what nobody publishes is the consumer's.
#[test]
fn the_url_of_an_invoker_beside_the_registry() {
    let merged = "&retries=1&side=consumer&timeout=400";
    let found = answer(&recorded(""), &wait(1, 2, merged, 400), &["--p99", "450ms"]);
    assert_eq!(in_force(&found), (json!(400), json!("consumer-log")));
    assert_eq!(found["budget"]["tries"]["in_turn"], 2);
    assert!(!found.to_string().contains("DG7020"), "{found}");
    assert!(found.to_string().contains("DG7001"), "{found}");
    let found = answer(
        &recorded("&timeout=400"),
        &wait(1, 2, merged, 400),
        &["--p99", "450ms"],
    );
    assert_eq!(in_force(&found), (json!(400), json!("provider")));
    assert!(has(&found, "DG7001", "certain"), "{found}");
}

/// As a real consumer of 3.2.16 logged it: the line about a slow call stands above, and tells no times of its own.
#[test]
fn a_slow_line_does_not_hide_the_timeout() {
    let log = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/budget/slow-above.log"
    );
    let done = run(&["timeout-budget", "--from-log", log, "-o", "json"]);
    let found = done.json()["reports"][0].clone();
    let rows = found["budget"]["observed"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(
        [
            &rows[0]["message"],
            &rows[0]["timeout_ms"],
            &rows[0]["client_elapsed_ms"],
            &rows[0]["server_elapsed_ms"],
        ],
        [&json!("WAIT"), &json!(400), &json!(36), &json!(397)]
    );
    assert_eq!(in_force(&found).0, 400);
    assert_eq!(found["budget"]["tries"]["in_turn"], 1);
}
