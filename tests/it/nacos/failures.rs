//! Servers that do not answer as Nacos does: each way of failing is told apart, in words, and in time.

use std::{io::Write, time::Duration};

use diag::snapshot::Key;

use super::{
    captures, instances, observe, observe_within,
    server::{Reply, Request, Server},
};

const STATE: &str = r#"{"version":"2.5.1","standalone_mode":"standalone"}"#;
const SERVICE: &str = "providers:a.B::";

/// A 2.x whose answer to the question about instances is `reply`.
fn answering(reply: Reply) -> Server {
    Server::start(move |request| usual(request).unwrap_or_else(|| reply.clone()))
}

fn usual(request: &Request) -> Option<Reply> {
    match request.path.as_str() {
        "/nacos/v3/admin/core/state" => Some(Reply::new(404, "application/json", "{}")),
        "/nacos/v1/console/server/state" => Some(Reply::json(STATE)),
        _ => None,
    }
}

/// What is said about the instances of a service.
fn said(server: &Server) -> String {
    let address = format!("nacos://{}", server.address);
    let limits = (Duration::from_secs(5), Duration::from_millis(1200));
    let seen = observe_within(&address, &[instances(SERVICE)], limits.0, limits.1);
    assert!(seen.took < Duration::from_secs(5), "{:?}", seen.took);
    seen.said(&instances(SERVICE))
}

fn page(status: u16, html: &str) -> Reply {
    Reply::new(status, "text/html;charset=utf-8", html)
}

#[test]
fn answers_that_are_none() {
    let json = "application/json";
    for (reply, expected) in [
        (Reply::json(r#"{"hosts":[]}"#), "answer"),
        (
            page(200, "<html><title>Sign in</title><input type=\"password\">"),
            "bad-answer HTTP 200, a login page: Sign in",
        ),
        (
            Reply::json(r#"{"code":30000,"message":"server error","data":"boom"}"#),
            r#"bad-answer {"code":30000,"message":"server error","data":"boom"}"#,
        ),
        (
            Reply::json(r#"{"hosts":[{"ip":"10.0"#),
            r#"bad-answer the JSON ends before its end: {"hosts":[{"ip":"10.0"#,
        ),
        (
            Reply::json(r#"{"hosts":7}"#),
            r#"bad-answer JSON of another shape than Nacos answers: {"hosts":7}"#,
        ),
        (
            Reply::json("[[["),
            "bad-answer the JSON ends before its end: [[[",
        ),
        (Reply::json(""), "bad-answer an empty answer"),
        (
            page(502, "<html><title>502 Bad Gateway</title>"),
            "unreachable HTTP 502, a web page: 502 Bad Gateway",
        ),
        (
            Reply::new(
                503,
                "text/plain",
                "server is STARTING now, please try again later!",
            ),
            "not-ready server is STARTING now, please try again later!",
        ),
        (
            Reply::new(
                403,
                json,
                r#"{"status":403,"message":"authorization failed!"}"#,
            ),
            r#"denied {"status":403,"message":"authorization failed!"}"#,
        ),
        (
            Reply::new(410, json, r#"{"status":410,"message":"gone"}"#),
            r#"switched-off {"status":410,"message":"gone"}"#,
        ),
        (
            Reply::new(409, "text/plain", "requested file is being modified"),
            "not-ready requested file is being modified",
        ),
        (
            Reply::new(500, "text/plain", "caused: boom;"),
            "bad-answer HTTP 500: caused: boom;",
        ),
        (
            Reply::new(404, "", ""),
            "switched-off HTTP 404 without a body",
        ),
        (
            Reply::Raw(Vec::new()),
            "reset closed the connection without an HTTP answer",
        ),
        (
            Reply::Raw(b"HTTP/1.1 200 \r\nContent-Length: 500\r\n\r\n{\"hosts\"".to_vec()),
            "cut the connection ended within the answer, after 8 bytes",
        ),
        (
            Reply::Raw(
                b"HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{\r\n0\r\n\r\n".to_vec(),
            ),
            "bad-answer the chunks of the answer are broken",
        ),
        (Reply::Silence, "timeout no complete answer in time"),
        (
            Reply::Drip(
                b"HTTP/1.1 200 \r\nContent-Length: 50\r\n\r\n{\"hosts\":[]}".to_vec(),
                Duration::from_millis(200),
            ),
            "timeout no complete answer in time",
        ),
    ] {
        assert_eq!(said(&answering(reply.clone())), expected, "{reply:?}");
    }
}

pub(super) fn packed(body: &[u8]) -> Reply {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(body).unwrap();
    let headers = vec![
        ("Content-Type".to_owned(), "application/json".to_owned()),
        ("Content-Encoding".to_owned(), "gzip".to_owned()),
    ];
    Reply::Http(200, headers, gzip.finish().unwrap())
}

#[test]
fn packed_answers_are_read_up_to_the_limit() {
    assert_eq!(said(&answering(packed(br#"{"hosts":[]}"#))), "answer");
    let bomb = answering(packed(&vec![b' '; 80 << 20]));
    let seen = observe(&format!("nacos://{}", bomb.address), &[instances(SERVICE)]);
    assert_eq!(seen.said(&instances(SERVICE)), "too-large more than 64 MiB");
    let Reply::Http(status, headers, _) = packed(b"") else {
        unreachable!();
    };
    let broken = answering(Reply::Http(status, headers, b"not packed".to_vec()));
    let said = said(&broken);
    assert!(
        said.starts_with("bad-answer the packed answer") || said.starts_with("cut "),
        "{said}"
    );
}

/// What is known after the first contact when the other side is no Nacos.
fn first_contact(reply: Reply) -> String {
    said(&Server::start(move |_| reply.clone()))
}

#[test]
fn who_answers_is_said() {
    let calls = captures::calls("3.0.3", "api");
    let captured = |name: &str| {
        let call = calls
            .iter()
            .find(|call| call.name.starts_with(name))
            .unwrap();
        call.reply.clone()
    };
    let console = first_contact(captured("656"));
    assert!(
        console.starts_with("bad-answer the web console of Nacos 3 answers"),
        "{console}"
    );
    let grpc = first_contact(captured("650"));
    assert!(grpc.starts_with("bad-answer a gRPC port answers"), "{grpc}");
    let tomcat = first_contact(captured("044"));
    assert!(
        tomcat.starts_with("bad-answer HTTP 404, a web page"),
        "{tomcat}"
    );
    let ssh = first_contact(Reply::Raw(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec()));
    assert_eq!(
        ssh,
        "bad-answer another protocol than HTTP: SSH-2.0-OpenSSH_9.2"
    );
    let tls = first_contact(Reply::Raw(vec![0x15, 0x03, 0x01, 0, 2, 2, 70]));
    assert!(tls.contains("TLS only"), "{tls}");
    let other = first_contact(Reply::json(r#"{"hello":"world"}"#));
    assert!(other.starts_with("bad-answer "), "{other}");
    let mute = first_contact(Reply::Silence);
    assert_eq!(mute, "timeout no complete answer in time");
    let gateway = first_contact(page(502, "<html><title>502 Bad Gateway</title>"));
    assert_eq!(gateway, "unreachable HTTP 502, a web page: 502 Bad Gateway");
}

#[test]
fn redirects_to_other_hosts_are_not_followed() {
    let target = Server::start(|_| Reply::json(r#"{"hosts":[]}"#));
    let there = format!(
        "http://{}/nacos/",
        target.address.replace("127.0.0.1", "localhost")
    );
    let location = |to: &str| {
        Reply::Http(
            302,
            vec![("Location".to_owned(), to.to_owned())],
            Vec::new(),
        )
    };
    let away = answering(location(&there));
    assert_eq!(said(&away), format!("bad-answer a redirect to {there}"));
    assert!(target.requests().is_empty());
    let around = answering(location("/nacos/v1/console/server/state?x"));
    assert!(said(&around).starts_with("bad-answer "));
    let circle = answering(location("/again"));
    assert_eq!(said(&circle), "bad-answer a redirect to /again");
    assert!(circle.requests().len() < 10);
}

#[test]
fn a_closed_port_and_an_unknown_host() {
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let refused = observe(&format!("nacos://{closed}"), &[instances(SERVICE)]);
    assert_eq!(
        refused.said(&instances(SERVICE)),
        "refused Connection refused"
    );
    assert_eq!(refused.said(&Key::NacosState), "refused Connection refused");
    let unknown = observe("nacos://no-such-host.invalid:8848", &[instances(SERVICE)]);
    assert!(
        unknown
            .said(&instances(SERVICE))
            .starts_with("unknown-host ")
    );
}
