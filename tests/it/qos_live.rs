//! The QOS client against ports of every kind: nothing outside the list is ever sent, and whatever a port does is an
//! answer within the limits.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test has a server, a clock and limits of its own"
)]

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use diag::{
    diagnose::{Finding, diagnose},
    model::service_key::ServiceKey,
    observe::{self, Clock, Deadline, Observer, Terms, qos::Qos},
    question::Question,
    snapshot::{At, Manifest, Masker, Snapshot, Source, SourceKind},
    want::wants,
};

const KEY: &str = "com.acme.OrderService";

/// What a port does with a connection.
#[derive(Clone, Copy)]
enum Port {
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
}

const LISTING: &str = "As Provider side:\n+---------------------------------------------------------------------------+---+\n|                           Provider Service Name                           |PUB|\n+---------------------------------------------------------------------------+---+\n|DubboInternal - APP/org.apache.dubbo.metadata.MetadataService:1.0.0|   |\n+---------------------------------------------------------------------------+---+\nAs Consumer side:\n+---------------------+---------------------+\n|Consumer Service Name|         NUM         |\n+---------------------+---------------------+\n|com.acme.OrderService|zookeeper-AF(I-0,A-2)|\n+---------------------+---------------------+\n";

/// A server on loopback that notes the first line of everything it is sent. Its threads end with the test.
fn serve(port: Port) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&heard);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let log = Arc::clone(&log);
            thread::spawn(move || answer(port, stream, &log));
        }
    });
    (address, heard)
}

fn answer(port: Port, mut stream: TcpStream, log: &Mutex<Vec<String>>) {
    stream
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    let mut bytes = Vec::new();
    let mut chunk = [0; 512];
    while !bytes.contains(&b'\n') {
        match stream.read(&mut chunk) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&chunk[..count]),
            _ => return,
        }
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let first = text.lines().next().unwrap_or_default().to_owned();
    log.lock().unwrap().push(first.clone());
    let http = first.starts_with("GET ");
    let _ = match port {
        Port::Consumer | Port::Other => {
            let app = if matches!(port, Port::Other) {
                "stock-web"
            } else {
                "order-web"
            };
            let name = first
                .trim_start_matches("GET /")
                .split(['?', ' '])
                .next()
                .unwrap_or_default()
                .to_owned();
            let body = match name.as_str() {
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
            let (status, body) =
                body.map_or(("404 Not Found", String::new()), |body| ("200 OK", body));
            if http {
                write!(
                    stream,
                    "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                )
            } else {
                write!(stream, "{body}\r\ndubbo>")
            }
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
    };
}

struct Ran {
    findings: Vec<Finding>,
    heard: Vec<String>,
    took: Duration,
    snapshot: Snapshot,
}

fn run(port: Port) -> Ran {
    let (address, heard) = serve(port);
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
    let heard = heard.lock().unwrap().clone();
    Ran {
        findings,
        heard,
        took,
        snapshot,
    }
}

/// Every line that any port may be sent about this service.
fn allowed(line: &str) -> bool {
    let command = [
        "ls",
        "version",
        "live",
        "ready",
        "ps -l",
        "getConfig ApplicationConfig",
        "getConfig RegistryConfig",
        "getAddress com.acme.OrderService",
        r"getRouterSnapshot com\.acme\.OrderService",
        "getRecentRouterSnapshot",
    ];
    let query = [
        "ls?a=",
        "version?a=",
        "live?a=",
        "ready?a=",
        "ps?a=-l",
        "getConfig?a=ApplicationConfig",
        "getConfig?a=RegistryConfig",
        "getAddress?a=com.acme.OrderService",
        "getRouterSnapshot?a=com%5C.acme%5C.OrderService",
        "getRecentRouterSnapshot?a=",
    ];
    command.contains(&line)
        || query
            .iter()
            .any(|query| line == format!("GET /{query} HTTP/1.1"))
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
    for line in &ran.heard {
        assert!(allowed(line), "{line}");
    }
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
        for line in &ran.heard {
            assert!(allowed(line), "{line}");
        }
    }
}
