//! Answers that are none, through the whole program: each is a finding in words that say what to do, never those of a
//! parser; and the ways to be let in.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    captures,
    server::{Reply, Request, Server},
    verbs::{Ran, diag, diag_with},
};

const SERVICE: &str = "com.acme.Order:1.0";
/// Words of parsers and of the machinery, which nobody should have to read.
const MACHINERY: [&str; 9] = [
    "EOF while",
    "at line 1 column",
    "expected value",
    "invalid type",
    "missing field",
    "error sending request",
    "error decoding",
    "Connection refused (os",
    "hyper",
];

fn ask(registry: &str, more: &[&str]) -> Ran {
    let home = TempDir::new().unwrap();
    let mut args = vec!["no-provider", SERVICE, "--registry", registry];
    for (flag, value) in [
        ("-o", "json"),
        ("--consumer-app", "web"),
        ("--consumer-ip", "10.9.0.1"),
        ("--dubbo", "2.7.23"),
        ("--consumer", "starting"),
        ("--deadline", "60s"),
        ("--request-timeout", "20s"),
    ] {
        if !more.contains(&flag) {
            args.extend([flag, value]);
        }
    }
    args.extend(more);
    diag(home.path(), &args)
}

/// The finding of a code, with everything that was written.
pub(super) fn finding(ran: &Ran, code: &str) -> Value {
    for words in MACHINERY {
        assert!(!ran.stdout.contains(words), "{words}: {}", ran.stdout);
        assert!(!ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    let report = ran.report();
    let findings = report["reports"][0]["findings"].as_array().unwrap().clone();
    findings
        .into_iter()
        .find(|finding| finding["code"] == code)
        .unwrap_or_else(|| panic!("no {code}: {report:#}"))
}

pub(super) fn remedies(finding: &Value) -> String {
    let remedies = finding["remedy"].as_array().unwrap();
    let texts = remedies.iter().filter_map(|step| step["text"].as_str());
    texts.collect::<Vec<_>>().join(" | ")
}

pub(super) fn facts(finding: &Value) -> String {
    let evidence = finding["evidence"].as_array().unwrap();
    let texts = evidence.iter().filter_map(|fact| fact["fact"].as_str());
    texts.collect::<Vec<_>>().join(" | ")
}

/// A 2.x that says who it is and answers everything else with `reply`.
fn after_the_state(reply: Reply) -> Server {
    Server::start(move |request| state(request).unwrap_or_else(|| reply.clone()))
}

pub(super) fn state(request: &Request) -> Option<Reply> {
    match request.path.as_str() {
        "/nacos/v3/admin/core/state" => Some(Reply::new(404, "application/json", "{}")),
        "/nacos/v1/console/server/state" => Some(Reply::json(r#"{"version":"2.5.1"}"#)),
        _ => None,
    }
}

fn page(status: u16, html: &str) -> Reply {
    Reply::new(status, "text/html;charset=utf-8", html)
}

/// What is sent, the code of its finding, words of its proof, words of what to do.
fn table() -> Vec<(Reply, &'static str, &'static str, &'static str)> {
    let json = "application/json";
    let text = "text/plain";
    let calls = captures::calls("3.0.3", "api");
    let captured = |number: &str| {
        let call = calls.iter().find(|call| call.name.starts_with(number));
        call.unwrap().reply.clone()
    };
    vec![
        (
            page(200, "<html><title>Sign in</title><input type=\"password\">"),
            "DG1002",
            "a login page: Sign in",
            "name the Nacos server itself",
        ),
        (
            page(200, "<!doctype html><title>Hello</title>"),
            "DG1002",
            "a web page: Hello",
            "name the Nacos server itself",
        ),
        (
            page(502, "<html><title>502 Bad Gateway</title>"),
            "DG1001",
            "502 Bad Gateway",
            "a proxy answers",
        ),
        (
            Reply::new(503, text, "server is STARTING now, please try again later!"),
            "DG1004",
            "server is STARTING now",
            "wait and ask again",
        ),
        (
            Reply::new(
                409,
                text,
                "requested file is being modified, please try later.",
            ),
            "DG1004",
            "is being modified",
            "wait and ask again",
        ),
        (
            Reply::new(
                403,
                json,
                r#"{"status":403,"message":"authorization failed!"}"#,
            ),
            "DG1003",
            "authorization failed!",
            "give the consumer's user the right",
        ),
        (
            Reply::new(
                403,
                json,
                r#"{"status":403,"error":"Forbidden","message":"{\"code\":403,\"message\":\"Code: 401, Message: token expired!.\"}"}"#,
            ),
            "DG1003",
            "denied: Code: 401, Message: token expired!.",
            "give the consumer's user the right",
        ),
        (
            captured("656"),
            "DG1002",
            "web console of Nacos 3",
            "the port of the Nacos server",
        ),
        (captured("650"), "DG1002", "gRPC port", "name the HTTP port"),
        (
            captured("044"),
            "DG1002",
            "a web page",
            "name the Nacos server itself",
        ),
        (
            Reply::json(r#"{"hosts":[{"ip":"10.0"#),
            "DG1002",
            "the JSON ends before its end",
            "run on the consumer's host",
        ),
        (
            Reply::json(r#"{"hosts":7,"doms":7,"count":"many"}"#),
            "DG1002",
            "JSON of another shape",
            "run on the consumer's host",
        ),
        (
            Reply::json(r#"{"code":30000,"message":"server error","data":"boom"}"#),
            "DG1002",
            "server error",
            "run on the consumer's host",
        ),
        (
            Reply::new(500, text, "caused: boom;"),
            "DG1002",
            "HTTP 500: caused: boom;",
            "run on the consumer's host",
        ),
        (
            Reply::Silence,
            "DG1001",
            "no complete answer in time",
            "run on the consumer's host",
        ),
        (
            Reply::Drip(
                b"HTTP/1.1 200 \r\nContent-Length: 900\r\n\r\n{\"hosts\":[]".to_vec(),
                Duration::from_secs(1),
            ),
            "DG1001",
            "no complete answer in time",
            "run on the consumer's host",
        ),
        (
            Reply::Raw(b"HTTP/1.1 200 \r\nContent-Length: 500\r\n\r\n{\"hosts\"".to_vec()),
            "DG1001",
            "the connection ended within the answer",
            "run on the consumer's host",
        ),
        (
            Reply::Raw(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec()),
            "DG1002",
            "SSH-2.0-OpenSSH_9.2",
            "run on the consumer's host",
        ),
        (
            Reply::Raw(vec![0x15, 0x03, 0x01, 0, 2, 2, 70]),
            "DG1002",
            "TLS only",
            "nacos+https://",
        ),
    ]
}

/// Short limits for those who never answer.
fn limits(reply: &Reply) -> &'static [&'static str] {
    match reply {
        Reply::Silence | Reply::Drip(..) => &["--request-timeout", "900ms", "--deadline", "8s"],
        _ => &[],
    }
}

/// At the first contact, whatever is asked.
#[test]
fn whoever_answers_in_place_of_nacos_is_named() {
    for (reply, code, proof, remedy) in table() {
        // What a real Nacos says to the probes is no surprise: these stand for a question.
        let only_later =
            matches!(&reply, Reply::Http(409 | 500, _, body) if !body.starts_with(b"caused: No"));
        if only_later || matches!(reply, Reply::Raw(ref bytes) if bytes.starts_with(b"HTTP/")) {
            continue;
        }
        let server = Server::start({
            let reply = reply.clone();
            move |_| reply.clone()
        });
        let ran = ask(&format!("nacos://{}", server.address), limits(&reply));
        let found = finding(&ran, code);
        let given = format!("{reply:?}").chars().take(200).collect::<String>();
        assert!(facts(&found).contains(proof), "{given}: {found:#}");
        assert!(remedies(&found).contains(remedy), "{given}: {found:#}");
        assert!(matches!(ran.exit, 1 | 3), "{given}");
    }
}

/// What does not make another of a server that has said who it is.
const NONSENSE: [&str; 4] = [
    "the JSON ends before its end",
    "JSON of another shape",
    "server error",
    "HTTP 500: caused: boom;",
];

/// After the server has said who it is.
#[test]
fn every_answer_that_is_none_has_its_finding() {
    for (reply, code, proof, remedy) in table() {
        if matches!(&reply, Reply::Raw(bytes) if !bytes.starts_with(b"HTTP/")) {
            continue;
        }
        let server = after_the_state(reply.clone());
        let ran = ask(&format!("nacos://{}", server.address), limits(&reply));
        let code = if NONSENSE.contains(&proof) {
            "DG1004"
        } else {
            code
        };
        let found = finding(&ran, code);
        let given = format!("{reply:?}").chars().take(200).collect::<String>();
        assert!(facts(&found).contains(proof), "{given}: {found:#}");
        assert!(remedies(&found).contains(remedy), "{given}: {found:#}");
        assert!(matches!(ran.exit, 1 | 3), "{given}");
        // The same in the other output and language.
        let text = ask(
            &format!("nacos://{}", server.address),
            &[limits(&reply), &["-o", "text", "--lang", "zh"]].concat(),
        );
        assert!(text.stdout.contains(code), "{given}: {}", text.stdout);
    }
}

/// A server that knows one provider; everything else is empty.
pub(super) fn nacos(request: &Request) -> Reply {
    if let Some(reply) = state(request) {
        return reply;
    }
    let service = "providers:com.acme.Order:1.0:";
    let host = json!({
        "instanceId": "10.1.0.1#20880#null#DEFAULT_GROUP@@x", "ip": "10.1.0.1", "port": 20880, "weight": 1.0,
        "healthy": true, "enabled": true, "ephemeral": true,
        "metadata": {"protocol": "dubbo", "path": "com.acme.Order", "interface": "com.acme.Order", "version": "1.0",
            "category": "providers", "side": "provider", "application": "order"},
    });
    let is_it = request.param("serviceName") == Some(service);
    let hosts = if is_it { vec![host] } else { Vec::new() };
    let body = match request
        .path
        .trim_start_matches("/nacos/")
        .trim_start_matches('/')
    {
        "v1/console/namespaces" => {
            json!({"code": 200, "data": [{"namespace": "", "namespaceShowName": "public"}]})
        }
        "v1/ns/service/list" => json!({"count": 1, "doms": [service]}),
        "v1/ns/catalog/services" => json!({"count": 1, "serviceList": [
            {"name": service, "groupName": "DEFAULT_GROUP", "ipCount": 1}]}),
        "v1/ns/instance/list" => json!({"hosts": hosts}),
        "v1/ns/catalog/instances" => json!({"count": hosts.len(), "list": hosts}),
        "v1/ns/service/subscribers" => json!({"count": 0, "subscribers": []}),
        "v1/cs/configs" if request.param("search").is_some() => {
            json!({"totalCount": 0, "pageItems": []})
        }
        _ => return Reply::new(404, "text/plain", "config data not exist"),
    };
    Reply::json(body.to_string())
}

pub(super) fn outcome(ran: &Ran) -> String {
    let report = ran.report();
    report["reports"][0]["outcome"].as_str().unwrap().to_owned()
}

#[test]
fn a_server_without_a_context_path_is_asked_at_the_root() {
    let server = Server::start(|request| {
        if request.path.starts_with("/nacos") {
            return page(404, "<!doctype html><title>HTTP Status 404</title>");
        }
        let mut inside = request.clone();
        inside.path = format!("/nacos{}", request.path);
        nacos(&inside)
    });
    let ran = ask(&format!("nacos://{}?contextPath=/", server.address), &[]);
    assert_eq!(outcome(&ran), "reachable", "{}", ran.stdout);
    let ran = ask(&format!("nacos://{}", server.address), &[]);
    assert!(
        finding(&ran, "DG1002")["remedy"][0]["text"]
            .as_str()
            .unwrap()
            .contains("context path")
    );
}

#[test]
fn tls_needs_the_authority_that_signed() {
    let server = Server::secure(nacos);
    let authority = format!("{}/fixtures/nacos/tls/ca.pem", env!("CARGO_MANIFEST_DIR"));
    let trusting = format!("nacos+https://{}?tls-ca={authority}", server.address);
    let ran = ask(&trusting, &[]);
    assert_eq!(outcome(&ran), "reachable", "{}", ran.stdout);
    // The system's authorities did not sign it.
    let ran = ask(&format!("nacos+https://{}", server.address), &[]);
    let found = finding(&ran, "DG1002");
    assert!(facts(&found).contains("TLS: "), "{found:#}");
    assert!(remedies(&found).contains("tls-ca=FILE"), "{found:#}");
    // Plain words to a port that speaks TLS.
    let ran = ask(&format!("nacos://{}", server.address), &[]);
    assert!(
        remedies(&finding(&ran, "DG1002")).contains("nacos+https://"),
        "{}",
        ran.stdout
    );
    // TLS to a port that speaks plain words.
    let plain = Server::start(nacos);
    let ran = ask(
        &format!("nacos+https://{}?tls-ca={authority}", plain.address),
        &[],
    );
    finding(&ran, "DG1002");
    assert_eq!(
        ask("nacos+https://127.0.0.1:1?tls-ca=/no/such.pem", &[]).exit,
        2
    );
}

#[test]
fn the_grpc_port_is_looked_at() {
    let server = Server::without_grpc(nacos);
    let ran = ask(
        &format!("nacos://{}", server.address),
        &["--dubbo", "3.2.16"],
    );
    let found = finding(&ran, "DG1005");
    let port: u16 = server.address.rsplit_once(':').unwrap().1.parse().unwrap();
    assert_eq!(
        found["params"]["grpc_port"],
        format!("127.0.0.1:{}", port + 1000)
    );
    let open = Server::start(nacos);
    let ran = ask(&format!("nacos://{}", open.address), &["--dubbo", "3.2.16"]);
    assert!(!ran.stdout.contains("DG1005"), "{}", ran.stdout);
}

#[test]
fn what_signs_its_requests_is_told_that_we_do_not() {
    let server = after_the_state(Reply::new(
        403,
        "application/json",
        r#"{"message":"user not found!"}"#,
    ));
    let ran = ask(
        &format!(
            "nacos://{}?accessKey=AK1&secretKey=c4n4ry-key",
            server.address
        ),
        &[],
    );
    let found = finding(&ran, "DG1003");
    assert!(remedies(&found).contains("AK/SK"), "{found:#}");
    // What the consumer may read with its signature is not known.
    assert_eq!(outcome(&ran), "unknown");
    assert!(!ran.stdout.contains("c4n4ry-key") && !ran.stderr.contains("c4n4ry-key"));
}

#[test]
fn a_member_that_is_gone_is_passed_over() {
    let server = Server::start(nacos);
    let gone = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let ran = ask(&format!("nacos://{gone}?backup={}", server.address), &[]);
    assert_eq!(outcome(&ran), "reachable", "{}", ran.stdout);
}

#[test]
fn a_password_from_the_environment_signs_in_and_is_never_shown() {
    let server = Server::start(|request| {
        if request.path.ends_with("/login") {
            let right = request.body == "username=app&password=c4n4ry";
            return if right {
                Reply::json(r#"{"accessToken":"t0ken-c4n4ry","tokenTtl":18000}"#)
            } else {
                Reply::new(403, "text/plain", "unknown user!")
            };
        }
        if state(request).is_none()
            && request.header("authorization") != Some("Bearer t0ken-c4n4ry")
        {
            return Reply::new(403, "application/json", r#"{"message":"user not found!"}"#);
        }
        nacos(request)
    });
    let home = TempDir::new().unwrap();
    let registry = format!("nacos://{}", server.address);
    let args = [
        "no-provider",
        SERVICE,
        "-o",
        "json",
        "--registry",
        &registry,
        "--username",
        "app",
        "--dubbo",
        "2.7.23",
        "--consumer",
        "starting",
        "--consumer-app",
        "web",
        "--consumer-ip",
        "10.9.0.1",
    ];
    let ran = diag_with(home.path(), &[("DIAG_PASSWORD", "c4n4ry")], &args);
    assert_eq!(outcome(&ran), "reachable", "{}", ran.stdout);
    assert!(!ran.stdout.contains("c4n4ry") && !ran.stderr.contains("c4n4ry"));
    let ran = diag_with(home.path(), &[("DIAG_PASSWORD", "wr0ng-one")], &args);
    let found = finding(&ran, "DG1003");
    assert!(facts(&found).contains("the login was refused"), "{found:#}");
    assert!(!ran.stdout.contains("wr0ng-one") && !ran.stderr.contains("wr0ng-one"));
}
