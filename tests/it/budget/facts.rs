//! What a recording may hold beside the registry: round trips by pair of zones, pages of metrics.

use std::path::Path;

use serde_json::{Value, json};

use super::{SERVICE, ask};
use crate::cli::{Recorded, provider, run};

/// A recording of three providers in two rooms, with a further source.
fn recorded(kind: &str, id: &str, lines: &[Value]) -> Recorded {
    let urls = ["10.1.0.1", "10.1.0.2", "10.2.0.1"].map(|host| provider(host, SERVICE, ""));
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let recorded = Recorded::providers(SERVICE, &urls);
    let folder = Path::new(recorded.path());
    let path = folder.join("manifest.json");
    let mut manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    manifest["sources"][id] = json!({ "kind": kind });
    std::fs::write(&path, manifest.to_string()).unwrap();
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(folder.join(format!("{id}.jsonl")), lines.join("\n") + "\n").unwrap();
    recorded
}

fn probe(kind: &str, host: &str, from: &str, samples: &[u64], lost: u64) -> Value {
    json!({
        "op": "probe", "kind": kind, "address": format!("{host}:20880"), "from": from,
        "samples_us": samples, "lost": lost,
    })
}

const ZONES: [&str; 4] = ["--zone", "a=10.1.0.0/16", "--zone", "b=10.2.0.0/16"];

#[test]
fn round_trips_by_pair_of_zones() {
    let tried = [
        probe("tcp-connect", "10.1.0.1", "10.1.9.9", &[300, 200, 400], 0),
        probe("dubbo-heartbeat", "10.1.0.2", "10.1.9.9", &[500], 0),
        probe(
            "tcp-connect",
            "10.2.0.1",
            "10.1.9.9",
            &[30_000, 31_000, 50_000],
            1,
        ),
        probe("tcp-connect", "10.9.9.9", "10.1.9.9", &[1], 0),
    ];
    let recorded = recorded("probe", "p", &tried);
    let args = [&ZONES[..], &["--p99", "60ms", "-o", "json"]].concat();
    let report = ask(&recorded, &args).json();
    let budget = &report["reports"][0]["budget"];
    let links = budget["links"].as_array().unwrap();
    let told: Vec<Value> = links
        .iter()
        .map(|link| {
            json!([
                link["from_zone"],
                link["to_zone"],
                link["addresses"],
                link["samples"],
                link["lost"],
                link["min_ms"],
                link["median_ms"],
                link["p99_ms"],
                link["need_ms"],
                link["tight_ms"],
                link["comfortable_ms"],
            ])
        })
        .collect();
    assert_eq!(
        told,
        [
            json!(["a", "a", 2, 4, 0, 0.2, 0.3, 0.5, 60.3, 100.0, 150.0]),
            json!(["a", "b", 1, 3, 1, 30.0, 31.0, 50.0, 91.0, 150.0, 200.0]),
        ]
    );
    let share = links[1]["network_share"].as_f64().unwrap();
    assert!((share - 31.0 / 91.0).abs() < 1e-9, "{share}");
    // The farthest pair is computed with, and it was tried on the consumer itself: nothing is assumed.
    assert_eq!(budget["need"]["rtt_ms"], 31.0);
    assert_eq!(budget["need"]["rtt_from"], "probed");
    let assumed = report["reports"][0]["assumed"].to_string();
    assert!(!assumed.contains("\"rtt\""), "{assumed}");
    let findings = report["reports"][0]["findings"].to_string();
    assert!(
        findings.contains("DG7018") && findings.contains("DG7011"),
        "{findings}"
    );
    let text = ask(&recorded, &[&ZONES[..], &["--p99", "60ms"]].concat()).stdout;
    assert!(
        text.contains("a -> b: min 30, median 31, P99 50 ms, 1 of 4 lost"),
        "{text}"
    );
    // What is given goes before what was tried.
    let given = [&ZONES[..], &["--p99", "60ms", "--rtt", "2ms", "-o", "json"]].concat();
    let budget = ask(&recorded, &given).json()["reports"][0]["budget"].clone();
    assert_eq!(budget["need"]["total_ms"], 62.0);
    // A P99 of the consumer's side has the network in it: the pairs cannot be told apart.
    let own = [
        &ZONES[..],
        &["--p99", "60ms", "--p99-side", "consumer", "-o", "json"],
    ]
    .concat();
    let budget = ask(&recorded, &own).json()["reports"][0]["budget"].clone();
    assert_eq!(budget["need"]["total_ms"], 60.0);
    assert!(budget["links"][1]["need_ms"].is_null());
}

/// A machine in a tried. The consumer in b has another way.
#[test]
fn round_trips_from_another_zone_are_not_those_of_the_consumer() {
    let lines = [probe("tcp-connect", "10.1.0.1", "10.1.8.8", &[400, 400], 0)];
    let recorded = recorded("probe", "p", &lines);
    for (zone, rtt, from) in [("a", 0.4, "probed"), ("b", 0.0, "unknown")] {
        let args = ["--p99", "60ms", "--consumer-zone", zone, "-o", "json"];
        let done = ask(&recorded, &[&ZONES[..], &args].concat());
        let need = done.json()["reports"][0]["budget"]["need"].clone();
        assert_eq!(
            (&need["rtt_ms"], &need["rtt_from"]),
            (&json!(rtt), &json!(from)),
            "{zone}: {need}"
        );
    }
}

#[test]
fn round_trips_of_another_machine_are_likely() {
    let lines = [probe(
        "tcp-connect",
        "10.1.0.1",
        "10.5.0.1",
        &[400, 90_000],
        0,
    )];
    let recorded = recorded("probe", "p", &lines);
    let report = ask(&recorded, &["--p99", "60ms", "-o", "json"]).json();
    let findings = report["reports"][0]["findings"].as_array().unwrap().clone();
    let unstable = findings
        .iter()
        .find(|finding| finding["code"] == "DG7018")
        .unwrap();
    assert_eq!(unstable["certainty"], "likely");
    let assumed = report["reports"][0]["assumed"].to_string();
    assert!(assumed.contains("another machine"), "{assumed}");
}

/// Pages of a recording: of a metrics endpoint, or the answer of QOS with its prompt.
#[test]
fn recorded_metrics_are_a_source() {
    let page = format!(
        "# HELP x\ndubbo_provider_rt_milliseconds_p99{{interface=\"{SERVICE}\",method=\"get\"}} 45.5\n"
    );
    let qos = format!("{page}dubbo>");
    for (kind, id, line) in [
        (
            "metrics",
            "m1",
            json!({ "op": "metrics.text", "text": page }),
        ),
        (
            "qos",
            "q1",
            json!({ "op": "qos.cmd", "command": "metrics", "text": qos }),
        ),
    ] {
        let recorded = recorded(kind, id, &[line]);
        let done = ask(&recorded, &["-o", "json"]);
        let measured = done.json()["reports"][0]["budget"]["measured"].clone();
        assert_eq!(
            (
                &measured["p99_high_ms"],
                &measured["from"],
                &measured["side"]
            ),
            (&json!(45.5), &json!("metrics"), &json!("provider")),
            "{kind}: {done:?}"
        );
        // What is given goes first.
        let done = ask(&recorded, &["--p99", "9ms", "-o", "json"]);
        let measured = done.json()["reports"][0]["budget"]["measured"].clone();
        assert_eq!(measured["p99_high_ms"], 9.0);
    }
    // Every process that answered counts.
    let second = page.replace("45.5", "900");
    let lines = [
        json!({ "op": "metrics.text", "via": "10.1.0.1:20888", "text": page }),
        json!({ "op": "metrics.text", "via": "10.1.0.2:20888", "text": second }),
    ];
    let done = ask(&recorded("metrics", "m1", &lines), &["-o", "json"]);
    let measured = done.json()["reports"][0]["budget"]["measured"].clone();
    assert_eq!(
        (&measured["p99_low_ms"], &measured["p99_high_ms"]),
        (&json!(45.5), &json!(900.0))
    );
    let other = json!({ "op": "metrics.text", "text": "up 1\n" });
    let done = ask(&recorded("metrics", "m1", &[other]), &["-o", "json"]);
    assert!(done.stderr.contains("tells no 99th percentile"), "{done:?}");
    assert!(done.json()["reports"][0]["budget"]["measured"].is_null());
}

/// A timeout of another library's socket is named as what it is, and no advice is derived from it.
#[test]
fn a_timeout_of_another_library_is_no_timeout_of_dubbo() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.log");
    let trace = "2026-03-04 05:06:07.890 ERROR 1 --- [exec-4] c.a.Pay : call failed\n\
        java.net.SocketTimeoutException: Read timed out\n\
        \tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:288)\n\
        \tat okhttp3.internal.http1.Http1ExchangeCodec.readHeaderLine(HeadersReader.kt:29)\n";
    std::fs::write(&path, trace).unwrap();
    let args = [
        "timeout-budget",
        SERVICE,
        "get",
        "--from-log",
        path.to_str().unwrap(),
    ];
    let done = run(&args);
    assert!(
        done.stdout.contains("SocketTimeoutException of OkHttp x 1"),
        "{done:?}"
    );
    let json = run(&[&args[..], &["-o", "json"]].concat()).json();
    let row = &json["reports"][0]["budget"]["observed"][0];
    assert_eq!(
        (&row["phase"], &row["library"]),
        (&json!("other-library"), &json!("OkHttp"))
    );
    let findings = json["reports"][0]["findings"].to_string();
    assert!(
        !findings.contains("DG7013") && !findings.contains("DG7020"),
        "{findings}"
    );
}
