//! The QOS client against ports of every kind: nothing outside the list is ever sent, and whatever a port does is an
//! answer within the limits.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test has a server, a clock and limits of its own"
)]

use std::{
    io::Write,
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use diag::{
    diagnose::{Finding, diagnose},
    model::service_key::ServiceKey,
    observe::{self, Clock, Deadline, Observer, Terms, qos::Qos},
    question::Question,
    snapshot::{At, Manifest, Masker, Snapshot, Source, SourceKind},
    view::missing::Missing,
    want::wants,
};

use crate::qos_port::{Served, command, reply};

const KEY: &str = "com.acme.OrderService";

/// What a port does with a connection.
#[derive(Clone, Copy)]
pub(crate) enum Port {
    /// A process of 3.x that refers to the service, over HTTP and telnet.
    Consumer,
    /// The same of another application.
    Other,
    /// Refuses foreign peers in words, on both protocols.
    Foreign,
    Silent,
    Endless,
    Slow,
    Closes,
    /// A web server.
    Web,
    /// An old JDK: HTTP hangs, telnet answers.
    OnlyTelnet,
    /// Says in its own way that it does not understand, and closes.
    Redis,
    /// The service port of a provider of 2.7.
    OldService,
}

const LISTING: &str = "As Provider side:\n+---------------------------------------------------------------------------+---+\n|                           Provider Service Name                           |PUB|\n+---------------------------------------------------------------------------+---+\n|DubboInternal - APP/org.apache.dubbo.metadata.MetadataService:1.0.0|   |\n+---------------------------------------------------------------------------+---+\nAs Consumer side:\n+---------------------+---------------------+\n|Consumer Service Name|         NUM         |\n+---------------------+---------------------+\n|com.acme.OrderService|zookeeper-AF(I-0,A-2)|\n+---------------------+---------------------+\n";

pub(crate) fn serve(port: Port) -> Served {
    Served::start(move |line, stream| answer(port, line, stream))
}

fn answer(port: Port, first: &str, mut stream: TcpStream) {
    let _ = match port {
        Port::Consumer | Port::Other => {
            let app = if matches!(port, Port::Other) {
                "stock-web"
            } else {
                "order-web"
            };
            let body = match command(first) {
                "ls" => Some(LISTING.replace("APP", app).replace(
                    KEY,
                    if app == "order-web" {
                        KEY
                    } else {
                        "com.acme.Stocks"
                    },
                )),
                "version" => Some("dubbo version \"3.2.16\"".to_owned()),
                "ready" | "live" => Some("true".to_owned()),
                _ => None,
            };
            reply(first, stream, body.as_deref());
            return;
        }
        Port::Foreign => write!(stream, "\r\nForeign Ip Not Permitted.\r\n"),
        Port::Silent => {
            thread::sleep(Duration::from_secs(8));
            Ok(())
        }
        Port::Endless => {
            let block = vec![b'x'; 1 << 16];
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            (0..1600).try_for_each(|_| stream.write_all(&block))
        }
        Port::Slow => (0..20).try_for_each(|_| {
            thread::sleep(Duration::from_millis(500));
            stream.write_all(b"H")
        }),
        Port::Closes => Ok(()),
        Port::Web => write!(
            stream,
            "HTTP/1.1 404 Not Found\r\ncontent-length: 14\r\n\r\n<html>no</html"
        ),
        Port::OnlyTelnet if first.starts_with("GET ") => {
            thread::sleep(Duration::from_secs(4));
            Ok(())
        }
        Port::OnlyTelnet => match command(first) {
            "ls" => write!(stream, "{}\r\ndubbo>", LISTING.replace("APP", "order-web")),
            "version" => write!(stream, "dubbo version \"3.0.15\"\r\ndubbo>"),
            _ => write!(stream, "true\r\ndubbo>"),
        },
        Port::Redis => write!(stream, "-ERR unknown command 'GET'\r\n"),
        Port::OldService => old_service(first, stream),
    };
}

/// The telnet of a service port of 2.7: what it does not know, an HTTP request too, it says so and stays.
fn old_service(first: &str, mut stream: TcpStream) -> std::io::Result<()> {
    let said = match first {
        "ls" => "PROVIDER:\r\ncom.acme.OrderService\r\n".to_owned(),
        "ls -l" => "PROVIDER:\r\ncom.acme.OrderService ->  published: N\r\n".to_owned(),
        other => format!("Unsupported command: {}", command(other)),
    };
    write!(stream, "{said}\r\ndubbo>")?;
    thread::sleep(Duration::from_secs(3));
    Ok(())
}

struct Ran {
    findings: Vec<Finding>,
    heard: Vec<String>,
    took: Duration,
    snapshot: Snapshot,
    question: Question,
}

fn run(port: Port) -> Ran {
    let served = serve(port);
    let address = served.address.clone();
    let mut manifest = Manifest::new("test", At::parse("2026-03-02T08:00:00Z").unwrap());
    let mut source = Source::new(SourceKind::Qos);
    source.endpoint = Some(address.clone());
    let id = manifest.add_source("q", source);
    let mut snapshot = Snapshot::new(manifest);
    let service = ServiceKey::parse_dubbo(KEY).unwrap();
    let mut question = Question::new(service.clone(), snapshot.manifest().recorded_at.time());
    question.consumer.application = Some("order-web".to_owned());
    let mut observers = [Observer::Qos(Qos::new(id, &address, &[service]))];
    let limit = Duration::from_secs(2);
    let terms = Terms {
        deadline: Deadline::starting_now(Some(Duration::from_secs(6)), limit),
        clock: Clock::System,
        masker: Masker::default(),
    };
    let begun = Instant::now();
    observe::live(
        &mut snapshot,
        &mut observers,
        &terms,
        |snapshot| wants(&question, snapshot),
        |_| {},
    )
    .unwrap();
    let took = begun.elapsed();
    let findings = diagnose(&question, &snapshot).findings;
    let heard = served.heard();
    Ran {
        findings,
        heard,
        took,
        snapshot,
        question,
    }
}

fn shows(ran: &Ran, code: &str) -> bool {
    ran.findings
        .iter()
        .any(|finding| finding.code.to_string() == code)
}

#[test]
fn a_consumer_is_asked_by_the_list_and_its_recording_is_read() {
    let ran = run(Port::Consumer);
    assert!(ran.heard.len() >= 5, "{:?}", ran.heard);
    let text = ran
        .snapshot
        .sources()
        .flat_map(|(_, lines)| lines.cloned().collect::<Vec<_>>())
        .filter_map(|line| line.body_text().map(std::borrow::Cow::into_owned))
        .collect::<String>();
    assert!(text.contains("zookeeper-AF(I-0,A-2)"));
    assert!(!shows(&ran, "DG6001") && !shows(&ran, "DG6002") && !shows(&ran, "DG6010"));
}

#[test]
fn each_kind_of_port_is_told_within_the_limits() {
    let cases = [
        (Port::Other, Some("DG6002")),
        (Port::Foreign, Some("DG6001")),
        (Port::Silent, Some("DG6010")),
        (Port::Endless, Some("DG6001")),
        (Port::Slow, Some("DG6010")),
        (Port::Closes, Some("DG6001")),
        (Port::Web, Some("DG6001")),
        (Port::Redis, Some("DG6001")),
    ];
    let runs: Vec<_> = thread::scope(|scope| {
        let runs: Vec<_> = cases
            .iter()
            .map(|(port, _)| scope.spawn(|| run(*port)))
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    for ((_, code), ran) in cases.iter().zip(&runs) {
        let found: Vec<String> = ran
            .findings
            .iter()
            .map(|finding| finding.code.to_string())
            .collect();
        assert!(
            ran.took < Duration::from_secs(9),
            "{code:?} took {:?}",
            ran.took
        );
        assert!(
            code.is_none_or(|code| shows(ran, code)),
            "{code:?}: {found:?}"
        );
    }
}

#[test]
fn a_port_whose_http_hangs_is_asked_over_telnet_only() {
    let ran = run(Port::OnlyTelnet);
    let over_http = ran.heard.iter().filter(|line| line.starts_with("GET "));
    assert_eq!(over_http.count(), 1, "{:?}", ran.heard);
    let own = diag::view::own::processes(&ran.question, &ran.snapshot, &Missing::default());
    assert!(own[0].listing.is_some() && own[0].version.is_some());
}

#[test]
fn the_old_telnet_of_a_service_port_lists_what_is_exported() {
    let ran = run(Port::OldService);
    assert!(ran.heard.contains(&"ls -l".to_owned()), "{:?}", ran.heard);
    let own = diag::view::own::processes(&ran.question, &ran.snapshot, &Missing::default());
    let exported: Vec<_> = own[0].exports(KEY).collect();
    assert_eq!(exported.len(), 1);
    assert!(!exported[0].0.published[0].yes);
}
