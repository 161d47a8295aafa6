//! What connections from this machine tell of the addresses of providers: whether somebody listens there, whether it
//! answers in the protocol of its URL, how long that takes. Only with `--probe`.
//!
//! No service is called: a connection, heartbeats of the dubbo protocol, pings of HTTP/2; and, where an application keeps
//! its metadata to itself, the read-only call by which consumers ask for it. Few addresses at a time, a handful of round
//! trips each, a bounded number of addresses; what is not tried stays unknown.

pub mod beats;
pub mod dubbo;
pub mod http2;
pub mod round_trip;
pub mod tcp;

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    time::Duration,
};

use tokio::{
    net::{TcpStream, lookup_host},
    task::JoinSet,
};

use self::beats::Beats;
use super::{Answers, Deadline, Failure, metadata};
use crate::snapshot::{ErrKind, Key, Line, Part, Payload, SourceId, Want};

/// Addresses that are tried at most.
pub const MOST: usize = 50;
/// Addresses at a time: more would measure this machine, or look like a scan.
const AT_ONCE: usize = 8;
/// The same where times are compared.
const AT_ONCE_MEASURED: usize = 4;
/// Longest wait for one connection or answer.
const LIMIT: Duration = Duration::from_secs(2);

/// What connections are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To see whether providers can be called: connection, heartbeat or ping, metadata.
    Reach,
    /// To measure round trips (`timeout-budget`).
    RoundTrips,
}

/// Tries addresses.
#[derive(Debug)]
pub struct Prober {
    source: SourceId,
    purpose: Purpose,
    /// It runs on the consumer's host, whose loopback is the one meant.
    on_consumer: bool,
    tried: BTreeSet<String>,
}

/// What is to be tried at one address.
#[derive(Debug, Clone, Default)]
struct Task {
    tcp: bool,
    kinds: BTreeSet<String>,
    calls: Vec<Call>,
}

/// A call of a metadata service.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Call {
    application: String,
    revision: String,
    over_triple: bool,
}

impl Call {
    fn key(&self, address: &str) -> Key {
        Key::MetadataCall {
            address: address.to_owned(),
            app: self.application.clone(),
            revision: self.revision.clone(),
        }
    }
}

impl Prober {
    /// Nothing is tried yet.
    pub fn new(source: SourceId, purpose: Purpose, on_consumer: bool) -> Self {
        Self {
            source,
            purpose,
            on_consumer,
            tried: BTreeSet::new(),
        }
    }

    /// The source whose facts it fetches.
    pub fn source(&self) -> &SourceId {
        &self.source
    }

    fn serves(&self, kind: &str) -> bool {
        match self.purpose {
            Purpose::Reach => kind == dubbo::KIND || kind == http2::KIND,
            Purpose::RoundTrips => kind == round_trip::KIND,
        }
    }

    /// What is wanted of it, by address.
    fn tasks(&self, wants: &[Want]) -> BTreeMap<String, Task> {
        let mut tasks: BTreeMap<String, Task> = BTreeMap::new();
        let reach = self.purpose == Purpose::Reach;
        for want in wants.iter().filter(|want| want.source == self.source) {
            match &want.key {
                Key::Tcp { address } if reach => {
                    tasks.entry(address.clone()).or_default().tcp = true;
                }
                Key::Probe { kind, address } if self.serves(kind) => {
                    let task = tasks.entry(address.clone()).or_default();
                    task.kinds.insert(kind.clone());
                }
                Key::MetadataCall {
                    address,
                    app,
                    revision,
                } if reach => {
                    let task = tasks.entry(address.clone()).or_default();
                    task.calls.push(Call {
                        application: app.clone(),
                        revision: revision.clone(),
                        over_triple: want.part == Part::OverTriple,
                    });
                }
                _ => {}
            }
        }
        tasks.retain(|address, _| self.may_try(address));
        tasks
    }

    /// Texts that are no address would be looked up and say "unknown host", and the loopback of another machine is not
    /// this one's.
    fn may_try(&self, address: &str) -> bool {
        let own = || {
            let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
            tcp::is_own_host(host)
        };
        tcp::is_address(address)
            && (self.on_consumer || self.purpose == Purpose::RoundTrips || !own())
    }

    /// Tries everything that is wanted of this source, a bounded number of addresses.
    pub async fn fetch(&mut self, wants: &[Want], deadline: &Deadline, answers: &Answers) {
        let mut left = Vec::new();
        for (address, task) in self.tasks(wants) {
            if self.tried.contains(&address) || self.tried.len() < MOST {
                self.tried.insert(address.clone());
                left.push((address, task));
            }
        }
        let at_once = match self.purpose {
            Purpose::Reach => AT_ONCE,
            Purpose::RoundTrips => AT_ONCE_MEASURED,
        };
        let mut left = left.into_iter();
        let mut running = JoinSet::new();
        loop {
            while running.len() < at_once
                && !deadline.passed()
                && let Some((address, task)) = left.next()
            {
                let deadline = *deadline;
                running.spawn(async move { tried(&address, task, &deadline).await });
            }
            match running.join_next().await {
                Some(Ok(lines)) => lines.into_iter().for_each(|line| answers.put(line)),
                Some(Err(_)) => {}
                None => return,
            }
        }
    }

    /// The connections that [`Self::fetch`] would make now, one a line. Makes none.
    pub fn plan(&self, wants: &[Want]) -> Vec<String> {
        let tasks = self.tasks(wants).into_iter().take(MOST);
        tasks
            .flat_map(|(address, task)| {
                let mut lines = Vec::new();
                if task.tcp {
                    lines.push(format!("probe {address}: connect"));
                }
                lines.extend(
                    task.kinds
                        .iter()
                        .map(|kind| format!("probe {address}: {}", in_words(kind))),
                );
                lines.extend(task.calls.iter().map(|call| {
                    let (app, revision) = (&call.application, &call.revision);
                    format!("probe {address}: call getMetadataInfo({revision}) of {app}")
                }));
                lines
            })
            .collect()
    }

    /// The forms of connections that answers of the registry may make necessary.
    pub fn further(&self) -> Vec<String> {
        match self.purpose {
            Purpose::RoundTrips => vec![format!(
                "probe {{provider}}: {} (at most {MOST} providers)",
                in_words(round_trip::KIND)
            )],
            Purpose::Reach => vec![
                format!("probe {{provider}}: connect (at most {MOST} addresses)"),
                format!("probe {{provider}}: {}", in_words(dubbo::KIND)),
                format!("probe {{provider}}: {}", in_words(http2::KIND)),
                "probe {metadata service}: call getMetadataInfo({revision}) of {application}, read-only, where its \
                 metadata are kept nowhere else"
                    .to_owned(),
            ],
        }
    }
}

fn in_words(kind: &str) -> String {
    match kind {
        dubbo::KIND => format!("{} heartbeats of the dubbo protocol", beats::TURNS),
        http2::KIND => format!("{} pings of HTTP/2", beats::TURNS),
        _ => format!("{} connections", round_trip::TRIES),
    }
}

/// One address: its lines. What the end of the run cut off gives none: it says nothing of the address.
async fn tried(address: &str, task: Task, patient: &Deadline) -> Vec<Line> {
    let mut lines = Vec::new();
    // A call is work for the other side; a connection and a heartbeat are not.
    let deadline = &patient.at_most(LIMIT);
    let socket = match resolved(address, deadline).await {
        Ok(socket) => socket,
        Err(failure) => {
            if failure.kind != ErrKind::Timeout || !deadline.passed() {
                lines.extend(unreached(address, &task, &failure, None));
            }
            return lines;
        }
    };
    let from = tcp::local_ip(socket).map(|ip| ip.to_string());
    if task.kinds.contains(round_trip::KIND) {
        let payload = round_trip::round_trips(socket, deadline).await;
        lines.push(line(
            probe_key(round_trip::KIND, address),
            payload,
            from.as_deref(),
        ));
        return lines;
    }
    if task.tcp || !task.kinds.is_empty() {
        let stream = match connected(socket, deadline).await {
            Ok(stream) => stream,
            Err(failure) => {
                if failure.kind != ErrKind::Timeout || !deadline.passed() {
                    lines.extend(unreached(address, &task, &failure, from.as_deref()));
                }
                return lines;
            }
        };
        let connected = Payload::Fields(
            [("connected".to_owned(), true.into())]
                .into_iter()
                .collect(),
        );
        lines.push(line(tcp_key(address), connected, from.as_deref()));
        lines.extend(beaten(address, &task, stream, socket, from.as_deref(), deadline).await);
    }
    for call in &task.calls {
        let asked = metadata::Asked {
            application: &call.application,
            revision: &call.revision,
            over_triple: call.over_triple,
        };
        let told = metadata::call(socket, asked, patient).await;
        if patient.passed() && told.is_err() {
            break;
        }
        let key = call.key(address);
        let (payload, protocol) = match told {
            Ok((text, protocol)) => (Payload::Text(text), Some(protocol)),
            Err(failure) => (failure.payload(), None),
        };
        let mut line = line(key, payload, from.as_deref());
        if let Some(protocol) = protocol {
            line = line.with("protocol", protocol);
        }
        lines.push(line);
    }
    lines
}

/// Heartbeats or pings, the first of them on the connection that is there.
async fn beaten(
    address: &str,
    task: &Task,
    stream: TcpStream,
    socket: SocketAddr,
    from: Option<&str>,
    deadline: &Deadline,
) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut first = Some(stream);
    for kind in &task.kinds {
        let mut beats = one_round(kind, first.take(), socket, deadline).await;
        // A server that has just started may take long over its first connection: silence is what is silent twice.
        if beats.as_ref().is_ok_and(Beats::is_silent) && !deadline.passed() {
            let again = one_round(kind, None, socket, deadline).await;
            beats = again.map(|again| Beats {
                lost: again.lost + 1,
                ..again
            });
        }
        let payload = match beats {
            Ok(beats) => beats.payload(),
            Err(failure) => failure.payload(),
        };
        let cut_off = deadline.passed() && payload.err_kind() == Some(&ErrKind::Timeout);
        if !cut_off {
            lines.push(line(probe_key(kind, address), payload, from));
        }
    }
    lines
}

async fn one_round(
    kind: &str,
    stream: Option<TcpStream>,
    socket: SocketAddr,
    deadline: &Deadline,
) -> Result<Beats, Failure> {
    let stream = match stream {
        Some(stream) => stream,
        None => connected(socket, deadline).await?,
    };
    if kind == dubbo::KIND {
        dubbo::heartbeats(stream, deadline).await
    } else {
        http2::pings(stream, deadline).await
    }
}

/// Nobody was reached: the connection says so, and a call that was wanted could not be made either.
fn unreached(address: &str, task: &Task, failure: &Failure, from: Option<&str>) -> Vec<Line> {
    let mut lines = Vec::new();
    if task.kinds.contains(round_trip::KIND) {
        lines.push(line(
            probe_key(round_trip::KIND, address),
            failure.payload(),
            from,
        ));
    }
    if task.tcp || !task.kinds.is_empty() && lines.is_empty() {
        lines.push(line(tcp_key(address), failure.payload(), from));
    }
    let calls = task.calls.iter();
    lines.extend(calls.map(|call| line(call.key(address), failure.payload(), from)));
    lines
}

async fn resolved(address: &str, deadline: &Deadline) -> Result<SocketAddr, Failure> {
    let nobody = || Failure::new(ErrKind::UnknownHost, "the name has no address");
    match deadline.request(lookup_host(address)).await {
        Ok(Ok(mut found)) => found.next().ok_or_else(nobody),
        Ok(Err(error)) => Err(tcp::lookup_failure(&error)),
        Err(_) => Err(Failure::new(
            ErrKind::Timeout,
            "no answer to the name lookup",
        )),
    }
}

pub(super) async fn connected(
    socket: SocketAddr,
    deadline: &Deadline,
) -> Result<TcpStream, Failure> {
    match deadline.request(TcpStream::connect(socket)).await {
        Ok(Ok(stream)) => {
            // A round trip of a few bytes is measured: they are not to wait for more.
            let _ = stream.set_nodelay(true);
            Ok(stream)
        }
        Ok(Err(error)) => Err(tcp::io_failure(&error)),
        Err(_) => Err(Failure::new(ErrKind::Timeout, "no answer to the connect")),
    }
}

fn tcp_key(address: &str) -> Key {
    Key::Tcp {
        address: address.to_owned(),
    }
}

fn probe_key(kind: &str, address: &str) -> Key {
    Key::Probe {
        kind: kind.to_owned(),
        address: address.to_owned(),
    }
}

/// A line, and the address of this machine from which it was seen.
fn line(key: Key, payload: Payload, from: Option<&str>) -> Line {
    let line = Line::new(key, payload);
    match from {
        Some(from) => line.with("from", from),
        None => line,
    }
}
