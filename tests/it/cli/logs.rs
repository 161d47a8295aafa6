//! Pasted errors: the question comes out of the text.

use super::{Recorded, diag, done, provider, run};

fn text(service: &str, consumer: &str) -> String {
    let interface = service.split(':').next().unwrap();
    format!(
        "org.apache.dubbo.rpc.RpcException: Failed to invoke the method get in the service {interface}. No provider \
         available for the service {service} from registry 10.0.0.2:2181 on the consumer {consumer} using the dubbo \
         version 3.2.3. Please check if the providers have been started and registered.\n"
    )
}

#[test]
fn a_pasted_error_is_the_question() {
    let recorded = Recorded::providers(
        "com.acme.OrderService",
        &[&provider(
            "10.0.0.7",
            "com.acme.OrderService",
            "&version=1.0.0",
        )],
    );
    let home = tempfile::tempdir().unwrap();
    let mut binary = diag(home.path());
    binary.args([
        "no-provider",
        "--from-log",
        "-",
        "--snapshot",
        recorded.path(),
        "-o",
        "json",
    ]);
    binary.write_stdin(text("com.acme.OrderService:2.0.0", "10.0.0.9"));
    let report = done(&mut binary).json();
    let question = &report["reports"][0]["question"];
    assert_eq!(question["service"]["interface"], "com.acme.OrderService");
    assert_eq!(question["service"]["version"], "2.0.0");
    assert_eq!(question["consumer"]["ip"], "10.0.0.9");
    assert_eq!(question["consumer"]["dubbo"], "3.2.3");
    assert_eq!(question["registries"][0], "r1", "{report}");
    assert_eq!(report["sources"]["f1"]["name"], "-");
}

#[test]
fn several_failures_are_several_answers_and_contradictions_are_said() {
    let recorded = Recorded::providers("com.acme.OrderService", &[]);
    let home = tempfile::tempdir().unwrap();
    let log = home.path().join("error.txt");
    let pasted = [
        text("com.acme.OrderService:2.0.0", "10.0.0.9"),
        text("com.acme.OrderService:2.0.0", "10.0.0.10"),
        text("com.acme.StockService", "10.0.0.9"),
    ];
    std::fs::write(&log, pasted.concat()).unwrap();
    let log = log.to_str().unwrap();
    let ask = [
        "no-provider",
        "--from-log",
        log,
        "--snapshot",
        recorded.path(),
        "-o",
        "json",
    ];
    let both = run(&ask);
    let report = both.json();
    let asked: Vec<&str> = report["reports"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["question"]["service"]["interface"].as_str().unwrap())
        .collect();
    assert_eq!(asked, ["com.acme.OrderService", "com.acme.StockService"]);
    assert_eq!(
        report["reports"][0]["question"]["consumer"]["ip"],
        serde_json::Value::Null
    );
    assert_eq!(
        report["reports"][1]["question"]["consumer"]["ip"],
        "10.0.0.9"
    );
    assert!(
        both.stderr
            .contains("several things for address of the consumer (10.0.0.10, 10.0.0.9)"),
        "{}",
        both.stderr
    );
    let flagged = run(&[&ask[..], &["--consumer-ip", "10.0.0.77"]].concat());
    assert!(
        flagged
            .stderr
            .contains("--consumer-ip says 10.0.0.77: the flag counts"),
        "{}",
        flagged.stderr
    );
}

#[test]
fn a_text_without_a_failure_is_refused_with_a_way_out() {
    let home = tempfile::tempdir().unwrap();
    let mut binary = diag(home.path());
    binary
        .args(["no-provider", "--from-log", "-"])
        .write_stdin("all is well\n");
    let done = done(&mut binary);
    assert_eq!((done.exit, done.stdout.as_str()), (2, ""));
    assert!(
        done.stderr
            .contains("names no service that fails\nhint: name it"),
        "{}",
        done.stderr
    );
}

#[test]
fn the_unreadable_address_of_an_attached_file_is_named() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(
        home.path().join("dubbo.properties"),
        "x=y\ndubbo.registry.address=nacos://app:pa#ss@10.7.7.2:8848\n",
    )
    .unwrap();
    let mut binary = diag(home.path());
    binary.args([
        "no-provider",
        "com.acme.OrderService",
        "--attach",
        "consumer:dubbo.properties",
        "-o",
        "json",
    ]);
    let done = done(&mut binary);
    let report = done.json();
    let finding = report["reports"][0]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["code"] == "DG0107")
        .unwrap();
    assert_eq!(finding["evidence"][0]["address"]["line"], 2);
    assert_eq!(finding["evidence"][0]["source"], "f1");
    assert_eq!(
        finding["params"]["address"],
        "nacos://app:***@10.7.7.2:8848"
    );
    assert!(!done.stdout.contains("pa#ss"));
}

/// A text about one service with another on the command line: perhaps the wrong one was named.
#[test]
fn a_text_about_another_service_is_remarked() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("error.txt");
    std::fs::write(file, text("com.acme.A:1.0.0", "10.0.0.9")).unwrap();
    for (service, remarked) in [("com.acme.B", true), ("com.acme.A:1.0.0", false)] {
        let done = done(diag(home.path()).args([
            "no-provider",
            service,
            "--from-log",
            "error.txt",
            "--registry",
            "zookeeper://127.0.0.1:1",
            "--deadline",
            "1s",
        ]));
        let said = "com.acme.B: the text is about com.acme.A, not about this service";
        assert_eq!(done.stderr.contains(said), remarked, "{service} {done:?}");
    }
}

/// A text that names no service still means something: the way to its page is said, and what is not known of its calls is
/// left out.
#[test]
fn a_text_without_a_service_leads_to_its_page() {
    let text = "Thread pool is EXHAUSTED! Thread Name: DubboServerHandler-10.0.0.7:20880, Pool Size: 200 (active: 200, core: 200, \
                max: 200, largest: 200), Task: 201 (completed: 1), in dubbo://10.0.0.7:20880!\n";
    let ask = |args: &[&str]| {
        let home = tempfile::tempdir().unwrap();
        done(diag(home.path()).args(args).write_stdin(text))
    };
    let lost = ask(&[
        "no-provider",
        "--from-log",
        "-",
        "--registry",
        "zookeeper://127.0.0.1:1",
    ]);
    assert_eq!(lost.exit, 2, "{lost:?}");
    assert!(
        lost.stderr
            .contains("what the text means: diag explain DG6006"),
        "{lost:?}"
    );
    let seen = ask(&["timeout-budget", "--from-log", "-"]);
    assert!(seen.stdout.contains("observed  POOL"), "{seen:?}");
    assert!(
        !seen.stdout.contains("- ms") && !seen.stderr.contains("-:"),
        "{seen:?}"
    );
}
