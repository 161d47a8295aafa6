//! Every verb, over every generation's own bytes, through every way in which a server fails: each server holds what it is
//! sent against [`super::reads`] when it goes; here is counted that all of them were asked at all.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tempfile::TempDir;

use super::{
    captures::{self, Call},
    failures::packed,
    server::{Reply, Request, Server},
    verbs::diag,
};

const SERVICE: &str = "g1/com.ex.OrderService:1.0.0";
const RULE: &str = "com.ex.OrderService%3A1.0.0%3Ag1.condition-router";
const PASSWORD: &str = "c4n4ry-pass";

/// How a server fails that has said who it is.
#[derive(Clone)]
enum Failing {
    /// Not at all.
    Never,
    /// It answers everything so.
    With(Reply),
    /// Each token is good for so many requests; so many logins are granted.
    Forgetting(usize, usize),
}

fn failures() -> Vec<(&'static str, Failing)> {
    let json = "application/json";
    let with = |reply| Failing::With(reply);
    let page = |html: &str| with(Reply::new(200, "text/html;charset=utf-8", html));
    let status = |status: u16, body: &str| with(Reply::new(status, json, body));
    let to = |place: &str| {
        let location = ("Location".to_owned(), place.to_owned());
        with(Reply::Http(302, vec![location], Vec::new()))
    };
    vec![
        ("none", Failing::Never),
        ("a page", page("<!doctype html><title>Hello</title>")),
        ("a login page", page("<html><input type=\"password\">")),
        (
            "an error in 200",
            with(Reply::json(
                r#"{"code":30000,"message":"server error","data":"boom"}"#,
            )),
        ),
        ("cut JSON", with(Reply::json(r#"{"hosts":[{"ip":"10.0"#))),
        (
            "wrong types",
            with(Reply::json(
                r#"{"hosts":7,"doms":7,"count":"many","data":{"pageItems":{}}}"#,
            )),
        ),
        ("a bomb", with(packed(&vec![b' '; 65 << 20]))),
        (
            "a drip",
            with(Reply::Drip(
                b"HTTP/1.1 200 \r\nContent-Length: 90\r\n\r\n{}".to_vec(),
                Duration::from_millis(100),
            )),
        ),
        ("silence", with(Reply::Silence)),
        (
            "400",
            status(400, r#"{"status":400,"message":"Required parameter"}"#),
        ),
        ("401", status(401, "{}")),
        (
            "403",
            status(403, r#"{"status":403,"message":"authorization failed!"}"#),
        ),
        ("404", status(404, "")),
        ("405", status(405, "")),
        ("409", status(409, "requested file is being modified")),
        (
            "410",
            status(
                410,
                r#"{"code":40000,"message":"Current API will be deprecated","data":null}"#,
            ),
        ),
        ("500", status(500, "caused: boom;")),
        (
            "502",
            with(Reply::new(
                502,
                "text/html",
                "<html><title>502 Bad Gateway</title>",
            )),
        ),
        ("503", status(503, "server is STARTING now")),
        (
            "a redirect away",
            to("http://localhost:1/nacos/v1/ns/instance?udpPort=1"),
        ),
        ("a redirect in a circle", to("/nacos/again")),
        (
            "a redirect to subscribe",
            to("/nacos/v1/ns/instance/list?serviceName=a&udpPort=1&clientIP=10.0.0.1"),
        ),
        ("a closed connection", with(Reply::Raw(Vec::new()))),
        (
            "a cut answer",
            with(Reply::Raw(
                b"HTTP/1.1 200 \r\nContent-Length: 500\r\n\r\n{\"hosts\"".to_vec(),
            )),
        ),
        ("a refused login", Failing::Forgetting(0, 0)),
        ("a token that ends", Failing::Forgetting(4, 3)),
        ("a token that ends for good", Failing::Forgetting(4, 1)),
    ]
}

/// The verbs that ask a registry, each with how it is asked.
const VERBS: [&[&str]; 9] = [
    &["no-provider", SERVICE, "--dubbo", "2.7.23"],
    &["no-provider", SERVICE, "--dubbo", "3.3.6"],
    &["timeout-budget", SERVICE, "--dubbo", "2.7.23"],
    &["route-replay", SERVICE, "--dubbo", "3.2.16"],
    &["lint", RULE],
    &["snapshot", SERVICE, "--out", "one"],
    &["snapshot", "--all", "--out", "all"],
    &["__names", "no-provider", SERVICE, "--group", ""],
    &["__names", "lint", "x", "--key", ""],
];

/// The questions by which a member is recognised.
const STATES: [&str; 3] = [
    "/nacos/v3/admin/core/state",
    "/nacos/v1/console/server/state",
    "/nacos/v1/ns/operator/metrics",
];

fn serve(calls: Vec<Call>, failing: Failing) -> Server {
    let (given, used) = (AtomicUsize::new(0), AtomicUsize::new(0));
    Server::start(move |request: &Request| {
        let own = || captures::told(&calls, request);
        if STATES.contains(&request.path.as_str()) {
            return own();
        }
        match &failing {
            Failing::Never => own(),
            Failing::With(reply) => reply.clone(),
            Failing::Forgetting(most, logins) => {
                let number = given.load(Ordering::SeqCst);
                if request.path.ends_with("/login") {
                    if number >= *logins {
                        return Reply::new(403, "text/plain", "unknown user!");
                    }
                    given.store(number + 1, Ordering::SeqCst);
                    used.store(0, Ordering::SeqCst);
                    return Reply::json(format!(r#"{{"accessToken":"t0ken-{}"}}"#, number + 1));
                }
                let good = format!("Bearer t0ken-{number}");
                let is_good = request.header("authorization") == Some(&good);
                if number == 0 || !is_good || used.fetch_add(1, Ordering::SeqCst) >= *most {
                    return Reply::new(403, "application/json", r#"{"message":"token expired!"}"#);
                }
                own()
            }
        }
    })
}

/// What a server was asked in one run.
#[derive(Default)]
struct Count {
    runs: usize,
    gets: usize,
    logins: usize,
}

fn run(verb: &[&str], server: &Server, logs_in: bool) {
    let home = TempDir::new().unwrap();
    let text = "configVersion: v3.0\nforce: true\nconditions:\n- \"=> host = 127.10.0.*\"\n";
    std::fs::write(home.path().join(RULE), text).unwrap();
    let user = if logs_in {
        format!("nacos:{PASSWORD}@")
    } else {
        String::new()
    };
    let registry = format!("nacos://{user}{}", server.address);
    // Behind the TAB key the last word is the one that is wanted.
    let at = if verb[0] == "__names" { 3 } else { 2 };
    let mut args = [&verb[..at], &["--registry", &registry], &verb[at..]].concat();
    if verb[0] != "__names" {
        args.extend(["--deadline", "3s", "--request-timeout", "400ms"]);
    }
    if verb[0] != "__names" && verb[0] != "lint" && verb[1] != "--all" {
        args.extend(["--consumer", "starting", "--consumer-app", "order-consumer"]);
        args.extend(["--consumer-ip", "127.0.0.1"]);
    }
    let ran = diag(home.path(), &args);
    assert!(
        (0..=3).contains(&ran.exit) && ran.exit != 2,
        "{args:?}: {} {}",
        ran.exit,
        ran.stderr
    );
}

#[test]
fn nothing_but_reads_whoever_fails_and_however() {
    let failures = failures();
    let fleets: Vec<(&str, Vec<Call>)> = captures::SERVERS
        .map(|server| (server, captures::calls(server, "api")))
        .into();
    let mut work = Vec::new();
    for fleet in &fleets {
        for failure in &failures {
            work.extend(VERBS.map(|verb| (fleet, failure, verb)));
        }
    }
    let (next, counts) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    // Most of the time somebody waits for a server that does not answer.
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some(((name, calls), (how, failing), verb)) =
                    work.get(next.fetch_add(1, Ordering::SeqCst))
                {
                    let server = serve(calls.clone(), failing.clone());
                    run(verb, &server, matches!(failing, Failing::Forgetting(..)));
                    let requests = server.requests();
                    // Behind the TAB key nobody waits long, on a machine that has much to do for no request at all.
                    let asked = !requests.is_empty() || verb[0] == "__names";
                    assert!(asked, "{name} {how} {verb:?}");
                    let logins = requests.iter().filter(|one| one.method == "POST").count();
                    let mut counts = counts.lock().unwrap();
                    for of in [
                        format!("generation {name}"),
                        format!("failure {how}"),
                        verb.join(" "),
                    ] {
                        let count: &mut Count = counts.entry(of).or_default();
                        count.runs += 1;
                        count.gets += requests.len() - logins;
                        count.logins += logins;
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap();
    let of = |kind: &str| {
        let all = counts.iter().filter(|(name, _)| name.starts_with(kind));
        all.map(|(_, count)| count).collect::<Vec<_>>()
    };
    assert_eq!((of("generation ").len(), of("failure ").len()), (4, 27));
    assert_eq!(counts.len(), 4 + 27 + VERBS.len());
    let runs: usize = of("generation ").iter().map(|count| count.runs).sum();
    assert_eq!(runs, 4 * 27 * VERBS.len());
    let gets: usize = of("generation ").iter().map(|count| count.gets).sum();
    assert!(gets > 8 * runs, "{gets} reads in {runs} runs");
    for (name, count) in &counts {
        let signs_in = ["a refused login", "a token"]
            .iter()
            .any(|how| name.contains(how));
        let least = if name.starts_with("__names") {
            1
        } else {
            count.runs
        };
        assert!(count.gets >= least, "{name}: {} reads", count.gets);
        if name.starts_with("failure ") {
            let logins = count.logins;
            assert_eq!(logins > count.runs / 2, signs_in, "{name}: {logins}");
            assert_eq!(logins == 0, !signs_in, "{name}: {logins}");
        }
    }
    // It ends in the middle, is fetched again, and never without an end.
    let Count { runs, logins, .. } = counts["failure a token that ends"];
    assert!(
        (runs + 1..=4 * runs).contains(&logins),
        "{logins} in {runs}"
    );
}
