//! `--probe` against ports of every kind: what each is taken for, that nothing hangs, that only what is listed is ever
//! sent, and that a recording of it gives the same answer.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test has a server, a clock and limits of its own"
)]

mod metadata;

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use diag::{
    diagnose::{Certainty, Diagnosis, Outcome, diagnose},
    model::{service_key::ServiceKey, url::encode, version::DubboVersion},
    observe::{
        self, Clock, Deadline, Observer, Terms,
        metadata::{hessian, protobuf},
        probe::{
            Prober, Purpose,
            dubbo::{Frame, Parsed},
            http2,
        },
    },
    question::{ConsumerState, Question, RegistryAddress},
    snapshot::{
        At, Key, Line, Manifest, Masker, Payload, Role, Snapshot, Source, SourceId, SourceKind,
    },
    want::wants,
};

const SERVICE: &str = "com.acme.OrderService";
const METADATA: &str = "org.apache.dubbo.metadata.MetadataService";

/// What a port does with a connection.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Port {
    /// Nobody listens.
    Closed,
    /// Answers heartbeats of dubbo.
    Dubbo,
    /// The same, and says before that it is shutting down.
    Leaving,
    /// Sends heartbeats of its own and frames nobody asked for first.
    Chatty,
    /// Answers pings of HTTP/2.
    Triple,
    /// The same, and says farewell.
    Farewell,
    Silent,
    /// One byte of a frame, again and again.
    Slow,
    /// Says how long a frame is, and sends without end.
    Endless,
    Closes,
    Web,
}

struct Served {
    address: String,
    heard: Arc<Mutex<Vec<Vec<u8>>>>,
}

/// A server on loopback that notes everything it is sent. Its threads end with the test.
fn serve(port: Port) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heard = Arc::new(Mutex::new(Vec::new()));
    if port == Port::Closed {
        drop(listener);
        return Served { address, heard };
    }
    let log = Arc::clone(&heard);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let log = Arc::clone(&log);
            thread::spawn(move || answer(port, stream, &log));
        }
    });
    Served { address, heard }
}

fn reply(id: u64) -> Vec<u8> {
    Frame {
        flags: 0x22,
        status: 20,
        id,
        body: b"N".to_vec(),
    }
    .bytes()
}

fn event(body: &[u8]) -> Vec<u8> {
    Frame {
        flags: 0xa2,
        status: 0,
        id: 99,
        body: body.to_vec(),
    }
    .bytes()
}

fn answer(port: Port, mut stream: TcpStream, log: &Mutex<Vec<Vec<u8>>>) {
    let limit = Some(Duration::from_secs(6));
    stream.set_read_timeout(limit).unwrap();
    let mut bytes = Vec::new();
    let mut chunk = [0; 512];
    loop {
        let count = match stream.read(&mut chunk) {
            Ok(count) if count > 0 => count,
            _ => break,
        };
        bytes.extend_from_slice(&chunk[..count]);
        log.lock().unwrap().push(chunk[..count].to_vec());
        let sent = match port {
            Port::Dubbo | Port::Leaving | Port::Chatty => {
                let mut out = Vec::new();
                while let Parsed::Frame(frame, length) = Frame::parse(&bytes, 1 << 20) {
                    bytes.drain(..length);
                    if port == Port::Leaving {
                        out.extend(event(&[1, b'R']));
                    }
                    if port == Port::Chatty {
                        out.extend(event(b"N"));
                        out.extend(reply(4711));
                    }
                    out.extend(reply(frame.id));
                }
                stream.write_all(&out)
            }
            Port::Triple | Port::Farewell => {
                let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
                if bytes.starts_with(preface) {
                    bytes.drain(..preface.len());
                }
                let mut out = Vec::new();
                while let http2::Parsed::Frame(frame, length) = http2::Frame::parse(&bytes) {
                    bytes.drain(..length);
                    if frame.kind == 4 && frame.flags == 0 {
                        let frame = |kind, flags, payload| http2::Frame {
                            kind,
                            flags,
                            payload,
                        };
                        out.extend(frame(4, 0, vec![0, 3, 0, 0, 0, 9]).bytes());
                        out.extend(frame(4, 1, Vec::new()).bytes());
                        if port == Port::Farewell {
                            out.extend(
                                frame(7, 0, vec![0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]).bytes(),
                            );
                        }
                    }
                    if frame.kind == 6 && frame.flags == 0 {
                        out.extend(http2::Frame { flags: 1, ..frame }.bytes());
                    }
                }
                stream.write_all(&out)
            }
            Port::Closed | Port::Silent => Ok(()),
            Port::Slow => (0..20).try_for_each(|_| {
                thread::sleep(Duration::from_millis(400));
                stream.write_all(&[0xda])
            }),
            Port::Endless => {
                let mut head = reply(1)[..16].to_vec();
                head[12..16].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff]);
                let block = vec![b'x'; 1 << 16];
                let _ = stream.write_all(&head);
                (0..1600).try_for_each(|_| stream.write_all(&block))
            }
            Port::Closes => break,
            Port::Web => stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"),
        };
        if sent.is_err() {
            break;
        }
    }
}

/// A ZooKeeper with these providers, completely read, and the question for the service.
fn registry(providers: &[String]) -> (Snapshot, Question, SourceId) {
    let mut manifest = Manifest::new("test", At::parse("2026-03-02T08:00:00Z").unwrap());
    manifest.scope.all = true;
    manifest.seen_from.is_consumer = true;
    manifest.seen_from.addresses = vec!["127.0.0.1".to_owned()];
    let mut source = Source::new(SourceKind::Zookeeper);
    source.url = Some("zookeeper://10.0.0.2:2181".to_owned());
    source.roles = vec![Role::Registry, Role::ConfigCenter, Role::Metadata];
    let id = manifest.add_source("r", source);
    let mut snapshot = Snapshot::new(manifest);
    let root = format!("/dubbo/{SERVICE}");
    let mut put = |path: &str, children: Vec<String>| {
        let line = Line::new(Key::zk_node(path), Payload::Children(children));
        snapshot.insert(id.clone(), line);
    };
    put("/", vec!["dubbo".to_owned()]);
    put("/dubbo", vec![SERVICE.to_owned()]);
    put(
        &root,
        ["providers", "consumers", "configurators", "routers"]
            .map(str::to_owned)
            .to_vec(),
    );
    let entries = providers.iter().map(|url| encode(url)).collect();
    put(&format!("{root}/providers"), entries);
    for other in ["consumers", "configurators", "routers"] {
        put(&format!("{root}/{other}"), Vec::new());
    }
    let mut question = Question::new(
        ServiceKey::parse_dubbo(SERVICE).unwrap(),
        snapshot.manifest().recorded_at.time(),
    );
    question.registries = vec![RegistryAddress::parse("zookeeper://10.0.0.2:2181").unwrap()];
    question.consumer.application = Some("order-web".to_owned());
    question.consumer.ip = Some("127.0.0.1".to_owned());
    question.consumer.dubbo = Some(DubboVersion::parse("2.7.23").unwrap());
    question.consumer.state = Some(ConsumerState::Running);
    (snapshot, question, id)
}

fn provider(protocol: &str, address: &str) -> String {
    format!("{protocol}://{address}/{SERVICE}?application=order&interface={SERVICE}&side=provider")
}

struct Ran {
    diagnosis: Diagnosis,
    snapshot: Snapshot,
    question: Question,
    took: Duration,
}

fn probed(mut snapshot: Snapshot, question: Question, limit: Duration) -> Ran {
    let id = snapshot
        .manifest_mut()
        .add_source("p", Source::new(SourceKind::Probe));
    let mut observers = [Observer::Probe(Prober::new(id, Purpose::Reach, true))];
    let terms = Terms {
        deadline: Deadline::starting_now(Some(limit), Duration::from_secs(1)),
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
    Ran {
        took: begun.elapsed(),
        diagnosis: diagnose(&question, &snapshot),
        snapshot,
        question,
    }
}

fn run(port: Port, protocol: &str) -> (Ran, Served) {
    let served = serve(port);
    let (snapshot, mut question, _) = registry(&[provider(protocol, &served.address)]);
    if protocol == "tri" {
        question.consumer.dubbo = Some(DubboVersion::parse("3.2.16").unwrap());
    }
    (probed(snapshot, question, Duration::from_secs(8)), served)
}

fn codes(ran: &Ran) -> Vec<String> {
    let findings = ran.diagnosis.findings.iter();
    findings.map(|finding| finding.code.to_string()).collect()
}

fn verdict(ran: &Ran) -> String {
    ran.diagnosis
        .verdict
        .as_ref()
        .map_or_else(String::new, |verdict| verdict.code.to_string())
}

#[test]
fn each_kind_of_port_is_told() {
    let cases = [
        (Port::Closed, "dubbo", Outcome::None, "DG3006"),
        (Port::Dubbo, "dubbo", Outcome::Reachable, ""),
        (Port::Chatty, "dubbo", Outcome::Reachable, ""),
        (Port::Leaving, "dubbo", Outcome::Reachable, "+DG6007"),
        (Port::Triple, "tri", Outcome::Reachable, ""),
        (Port::Farewell, "tri", Outcome::Reachable, "+DG6007"),
        (Port::Silent, "dubbo", Outcome::None, "DG6010"),
        (Port::Silent, "tri", Outcome::None, "DG6010"),
        (Port::Slow, "dubbo", Outcome::None, "DG6010"),
        (Port::Endless, "dubbo", Outcome::None, "DG6010"),
        (Port::Closes, "dubbo", Outcome::None, "DG6010"),
        (Port::Web, "dubbo", Outcome::None, "DG6010"),
        (Port::Web, "tri", Outcome::None, "DG6010"),
        (Port::Dubbo, "tri", Outcome::None, "DG6010"),
    ];
    let runs: Vec<_> = thread::scope(|scope| {
        let runs: Vec<_> = cases
            .iter()
            .map(|(port, protocol, ..)| scope.spawn(|| run(*port, protocol)))
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    for ((port, protocol, outcome, code), (ran, _)) in cases.iter().zip(&runs) {
        let what = format!("{port:?} {protocol}: {:?} {:?}", verdict(ran), codes(ran));
        assert_eq!(ran.diagnosis.outcome, *outcome, "{what}");
        match code.strip_prefix('+') {
            Some(code) => assert!(codes(ran).contains(&code.to_owned()), "{what}"),
            None => assert_eq!(verdict(ran), *code, "{what}"),
        }
        assert!(ran.took < Duration::from_secs(9), "{what}: {:?}", ran.took);
    }
    let refused = &runs[0].0.diagnosis;
    assert_eq!(
        refused.verdict.as_ref().unwrap().certainty,
        Certainty::Certain
    );
}

/// Every byte that is ever sent is a heartbeat of dubbo, or preface, settings and pings of HTTP/2.
#[test]
fn only_heartbeats_and_pings_are_sent() {
    for (port, protocol) in [
        (Port::Dubbo, "dubbo"),
        (Port::Triple, "tri"),
        (Port::Web, "dubbo"),
    ] {
        let (_, served) = run(port, protocol);
        let mut bytes: Vec<u8> = served.heard.lock().unwrap().concat();
        assert!(!bytes.is_empty(), "{port:?}");
        if protocol == "dubbo" {
            while let Parsed::Frame(frame, length) = Frame::parse(&bytes, 100) {
                assert_eq!(
                    (frame.flags, frame.body.as_slice()),
                    (0xe2, b"N".as_slice())
                );
                bytes.drain(..length);
            }
        } else {
            let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
            assert!(bytes.starts_with(preface));
            bytes.drain(..preface.len());
            while let http2::Parsed::Frame(frame, length) = http2::Frame::parse(&bytes) {
                assert!(matches!(frame.kind, 4 | 6), "{frame:?}");
                bytes.drain(..length);
            }
        }
        assert!(bytes.is_empty(), "{port:?}: {bytes:?}");
    }
}

#[test]
fn a_recording_gives_the_same_answer() {
    for (port, protocol) in [
        (Port::Closed, "dubbo"),
        (Port::Leaving, "dubbo"),
        (Port::Silent, "tri"),
    ] {
        let (ran, _) = run(port, protocol);
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("snapshot");
        diag::snapshot::Writer::new(&place)
            .unwrap()
            .write(&ran.snapshot)
            .unwrap();
        let mut recording = diag::observe::recorded::Recording::open(&place).unwrap();
        let mut again = recording.snapshot();
        loop {
            let mut fresh = wants(&ran.question, &again);
            fresh.retain(|want| !again.was_asked(want));
            if fresh.is_empty() {
                break;
            }
            recording.fill(&mut again, &fresh).unwrap();
        }
        assert_eq!(diagnose(&ran.question, &again), ran.diagnosis, "{port:?}");
    }
}

/// A hundred silent ports: so many addresses as may be, at so many at a time, within the deadline.
#[test]
fn many_silent_addresses_end_with_the_run() {
    let served: Vec<Served> = (0..3).map(|_| serve(Port::Silent)).collect();
    let port = |place: usize| {
        let address = &served[place % 3].address;
        address.rsplit_once(':').unwrap().1.to_owned()
    };
    let providers: Vec<String> = (0..100)
        .map(|place| provider("dubbo", &format!("127.0.1.{}:{}", place + 1, port(place))))
        .collect();
    let (snapshot, question, _) = registry(&providers);
    let ran = probed(snapshot, question, Duration::from_secs(3));
    // The end of the run is at three seconds; the rest is a loaded machine.
    assert!(ran.took < Duration::from_secs(20), "{:?}", ran.took);
    // Not all were tried: nobody may say that none answers.
    assert_eq!(verdict(&ran), "");
    let tried = ran
        .snapshot
        .sources()
        .flat_map(|(_, lines)| lines.filter(|line| line.key.op() == "tcp"))
        .count();
    assert!(tried <= observe::probe::MOST, "{tried}");
}

#[test]
fn a_dry_run_names_each_kind_of_connection() {
    let args = [
        "snapshot",
        SERVICE,
        "--registry",
        "zookeeper://127.0.0.1:1",
        "--out",
        "x",
        "--dry-run",
    ];
    let without = crate::cli::run(&args);
    assert!(!without.stdout.contains("probe "), "{without:?}");
    let done = crate::cli::run(&[&args[..], &["--probe"]].concat());
    assert_eq!(done.exit, 0, "{done:?}");
    for line in [
        "probe {provider}: connect (at most 50 addresses)",
        "probe {provider}: 3 heartbeats of the dubbo protocol",
        "probe {provider}: 3 pings of HTTP/2",
        "probe {metadata service}: call getMetadataInfo({revision})",
    ] {
        assert!(done.stdout.contains(line), "{line}: {}", done.stdout);
    }
}
