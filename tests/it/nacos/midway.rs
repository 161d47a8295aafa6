//! What goes wrong in the middle of a run of the program: a token that ends, an answer that unpacks to more than anybody
//! can hold.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tempfile::TempDir;

use super::{
    answers::{facts, finding, nacos, outcome, remedies, state},
    failures::packed,
    server::{Reply, Server},
    verbs::{Ran, diag_with},
};

const SERVICE: &str = "com.acme.Order:1.0";
const PASSWORD: &str = "c4n4ry-pass";

fn run(server: &Server, home: &TempDir, verb: &[&str], more: &[&str]) -> Ran {
    let registry = format!("nacos://{}", server.address);
    let limits = ["--deadline", "60s", "--request-timeout", "20s"];
    diag_with(
        home.path(),
        &[("DIAG_PASSWORD", PASSWORD)],
        &[
            verb,
            &super::starting(&registry, "2.7.23", "10.9.0.1"),
            &limits,
            more,
        ]
        .concat(),
    )
}

/// Each token is good for `most` requests; `logins` of them are given out, then the login is refused.
fn forgetful(most: usize, logins: usize) -> (Server, Arc<AtomicUsize>) {
    let (given, used) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
    let counted = Arc::clone(&given);
    let server = Server::start(move |request| {
        if request.path.ends_with("/login") {
            if counted.load(Ordering::SeqCst) >= logins {
                return Reply::new(403, "text/plain", "unknown user!");
            }
            used.store(0, Ordering::SeqCst);
            let number = counted.fetch_add(1, Ordering::SeqCst);
            return Reply::json(format!(r#"{{"accessToken":"t0ken-c4n4ry-{number}"}}"#));
        }
        if let Some(reply) = state(request) {
            return reply;
        }
        let newest = counted.load(Ordering::SeqCst).saturating_sub(1);
        let good = format!("Bearer t0ken-c4n4ry-{newest}");
        if request.header("authorization") != Some(&good)
            || used.fetch_add(1, Ordering::SeqCst) >= most
        {
            let shown = request.header("authorization").unwrap_or_default();
            let words = format!(r#"{{"message":"token expired! {shown}"}}"#);
            return Reply::new(403, "application/json", words);
        }
        nacos(request)
    });
    (server, given)
}

#[test]
fn a_token_that_ends_on_the_way_is_renewed_and_shown_nowhere() {
    let home = TempDir::new().unwrap();
    let user = ["--username", "app"];
    let (server, logins) = forgetful(12, 4);
    let ask = ["no-provider", SERVICE, "-o", "json"];
    let ran = run(&server, &home, &ask, &user);
    assert_eq!(outcome(&ran), "reachable", "{}", ran.stdout);
    let renewed = logins.load(Ordering::SeqCst);
    assert!((2..=4).contains(&renewed), "{renewed}");

    let (server, _) = forgetful(12, 4);
    let record = ["snapshot", SERVICE, "--out", "recording"];
    let recorded = run(&server, &home, &record, &user);
    assert_eq!(recorded.exit, 0, "{}", recorded.stderr);
    let lines = std::fs::read_to_string(home.path().join("recording/r1.jsonl")).unwrap();
    assert!(!lines.contains("token expired"), "{lines}");
    // A missing right that is told with the token in it.
    let server = Server::start(|request| match request.path.as_str() {
        path if path.ends_with("/login") => Reply::json(r#"{"accessToken":"t0ken-c4n4ry"}"#),
        path if path.contains("/v1/ns/") && !path.ends_with("/metrics") => {
            let words = r#"{"message":"t0ken-c4n4ry: authorization failed!"}"#;
            Reply::new(403, "application/json", words)
        }
        _ => nacos(request),
    });
    let refused = run(&server, &home, &ask, &user);
    assert!(
        refused.stdout.contains("***: authorization failed!"),
        "{}",
        refused.stdout
    );
    for text in [
        &ran.stdout,
        &ran.stderr,
        &recorded.stdout,
        &recorded.stderr,
        &refused.stdout,
        &lines,
    ] {
        assert!(!text.contains("c4n4ry"), "{text}");
    }
}

#[test]
fn a_token_that_cannot_be_renewed_is_never_taken_for_an_empty_registry() {
    let home = TempDir::new().unwrap();
    let (server, _) = forgetful(3, 1);
    let ask = ["no-provider", SERVICE, "-o", "json"];
    let ran = run(&server, &home, &ask, &["--username", "app"]);
    // However far it came: what was refused is said, and nobody is called absent.
    assert!(
        ran.stdout.contains("the login was refused: unknown user!"),
        "{}",
        ran.stdout
    );
    let report = ran.report();
    let code = &report["reports"][0]["verdict"]["code"];
    match outcome(&ran).as_str() {
        "unknown" => assert_eq!(ran.exit, 3),
        "none" => assert_eq!((code.as_str(), ran.exit), (Some("DG1003"), 1)),
        other => panic!("{other}: {}", ran.stdout),
    }
    assert!(!ran.stdout.contains("c4n4ry") && !ran.stderr.contains("c4n4ry"));
}

#[test]
fn an_answer_that_unpacks_without_end_is_given_up() {
    let home = TempDir::new().unwrap();
    let bomb = packed(&vec![b' '; 80 << 20]);
    let server = Server::start(move |request| {
        let is_list = [
            "/ns/instance/list",
            "/ns/service/list",
            "/ns/catalog/services",
        ]
        .iter()
        .any(|path| request.path.ends_with(path));
        match state(request) {
            Some(reply) => reply,
            None if is_list || request.path.ends_with("/ns/catalog/instances") => bomb.clone(),
            None => nacos(request),
        }
    });
    let ask = ["no-provider", SERVICE, "-o", "json"];
    let ran = run(&server, &home, &ask, &[]);
    let found = finding(&ran, "DG1010");
    assert!(facts(&found).contains("more than 64 MiB"), "{found:#}");
    assert!(
        remedies(&found).contains("run on the consumer's host"),
        "{found:#}"
    );
    let message = found["message"].as_str().unwrap();
    assert!(
        message.ends_with(r#"nacos.services namespace="" group="DEFAULT_GROUP""#),
        "{message}"
    );
    assert_eq!(
        (outcome(&ran).as_str(), ran.exit),
        ("unknown", 3),
        "{}",
        ran.stdout
    );
}

/// A member that answers so many requests after its state, and then no more.
fn failing_after(most: usize, how: Reply) -> Server {
    let answered = AtomicUsize::new(0);
    Server::start(move |request| {
        if let Some(reply) = state(request) {
            return reply;
        }
        if answered.fetch_add(1, Ordering::SeqCst) >= most {
            return how.clone();
        }
        nacos(request)
    })
}

#[test]
fn a_member_that_is_lost_on_the_way_is_passed_over_and_named() {
    let home = TempDir::new().unwrap();
    let ask = ["no-provider", SERVICE, "-o", "json"];
    for (how, word) in [
        (Reply::Silence, "timeout"),
        (Reply::Raw(Vec::new()), "reset"),
    ] {
        for most in [0, 1, 3, 8, 14] {
            let (lost, left) = (failing_after(most, how.clone()), Server::start(nacos));
            for registry in [
                format!("nacos://{},{}", lost.address, left.address),
                format!("nacos://{}?backup={}", left.address, lost.address),
            ] {
                let limits = ["--deadline", "30s", "--request-timeout", "1s"];
                let consumer = super::starting(&registry, "2.7.23", "10.9.0.1");
                let ran = diag_with(home.path(), &[], &[&ask, &consumer[..], &limits].concat());
                assert_eq!(outcome(&ran), "reachable", "{most} {word}: {}", ran.stdout);
                assert_eq!(ran.exit, 0, "{}", ran.stdout);
                let report = ran.report();
                let unseen = report["reports"][0]["not_seen"].as_array().unwrap();
                let what = format!("member {}", lost.address);
                let named: Vec<_> = unseen.iter().filter(|fact| fact["what"] == what).collect();
                // It may have answered everything before its end.
                let never = lost.requests().len() <= most + 2;
                assert!(named.len() == 1 || never, "{most} {word}: {unseen:#?}");
                for fact in named {
                    let why = fact["why"].as_str().unwrap();
                    assert!(why.ends_with(word), "{why}");
                }
                assert!(!ran.stdout.contains("DG1006"), "{}", ran.stdout);
            }
        }
    }
}

#[test]
fn members_that_are_all_lost_on_the_way_leave_no_answer() {
    let home = TempDir::new().unwrap();
    let (one, two) = (
        failing_after(2, Reply::Silence),
        failing_after(2, Reply::Silence),
    );
    let registry = format!("nacos://{},{}", one.address, two.address);
    let ask = ["no-provider", SERVICE, "-o", "json", "--deadline", "6s"];
    let consumer = super::starting(&registry, "2.7.23", "10.9.0.1");
    let ran = diag_with(
        home.path(),
        &[],
        &[&ask, &consumer[..], &["--request-timeout", "500ms"]].concat(),
    );
    assert_eq!(
        (outcome(&ran).as_str(), ran.exit),
        ("unknown", 3),
        "{}",
        ran.stdout
    );
}

/// Registered first with nobody, then disabled, then as it should be: one line for each change, none for a round that says
/// the same, and the end as soon as it is reachable.
#[test]
fn waiting_tells_every_change_once_and_ends_when_the_service_is_reachable() {
    let home = TempDir::new().unwrap();
    let rounds = AtomicUsize::new(0);
    let server = Server::start(move |request| {
        if request.path == "/nacos/v3/admin/core/state" {
            rounds.fetch_add(1, Ordering::SeqCst);
        }
        if let Some(reply) = state(request) {
            return reply;
        }
        let reply = nacos(request);
        let Reply::Http(status, headers, body) = reply else {
            return reply;
        };
        let text = String::from_utf8(body).unwrap();
        let is_list = request.path.contains("/ns/");
        let text = match rounds.load(Ordering::SeqCst) {
            // Two rounds without a provider.
            0..=2 if is_list => {
                r#"{"count":0,"doms":[],"serviceList":[],"hosts":[],"list":[],"subscribers":[]}"#
                    .to_owned()
            }
            3 if request.path.ends_with("/instance/list") => r#"{"hosts":[]}"#.to_owned(),
            3 => text.replace(r#""enabled":true"#, r#""enabled":false"#),
            _ => text,
        };
        Reply::Http(status, headers, text.into_bytes())
    });
    let ask = ["no-provider", SERVICE, "-o", "json"];
    let ran = run(&server, &home, &ask, &["--wait", "90s"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert_eq!(outcome(&ran), "reachable", "{}", ran.stdout);
    let told: Vec<&str> = ran
        .stderr
        .lines()
        .filter_map(|line| line.split_once("com.acme.Order "))
        .map(|(_, state)| state)
        .collect();
    assert_eq!(
        told,
        ["none DG2105", "none DG3001", "reachable -"],
        "{}",
        ran.stderr
    );
}

/// What is known when the time is over counts, and not what the end kept from being answered.
#[test]
fn a_last_round_of_waiting_that_the_end_cuts_gives_way_to_the_one_before() {
    let home = TempDir::new().unwrap();
    let rounds = AtomicUsize::new(0);
    let server = Server::start(move |request| {
        if request.path == "/nacos/v3/admin/core/state" && rounds.fetch_add(1, Ordering::SeqCst) > 0
        {
            return Reply::Silence;
        }
        state(request).unwrap_or_else(|| nacos(request))
    });
    let ask = ["no-provider", "com.acme.Missing:1.0", "-o", "json"];
    let ran = run(&server, &home, &ask, &["--wait", "5s"]);
    assert_eq!(ran.exit, 1, "{}", ran.stderr);
    assert_eq!(outcome(&ran), "none", "{}", ran.stdout);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}
