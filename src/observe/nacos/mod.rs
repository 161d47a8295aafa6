//! A Nacos server or cluster (1.x, 2.x, 3.x, r-nacos), read over HTTP and nothing else: GET, and the POST that signs in.
//!
//! There is no code here that registers, subscribes, publishes or changes anything. Each member of the address is asked
//! by itself, so that closed ports, other servers, refusals and members that disagree are seen.

mod answer;
mod clusters;
mod found;
mod generation;
mod http;
mod member;
mod outline;
mod plan;
mod request;
mod walk;

pub use generation::Generation;

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::task::JoinSet;

use self::{
    answer::{Heard, Meaning},
    found::Contents,
    http::Http,
    member::{Login, Member},
    request::Request,
};
use super::{Answers, Deadline, Failure, probe::tcp};
use crate::{
    question::{RegistryAddress, RegistryKind},
    snapshot::{ErrKind, Key, Line, Part, Payload, SourceId, Want},
};

/// So many members are asked at the same time at most; the others only when none of these answers.
pub const MOST_MEMBERS: usize = 5;
/// So many members are looked at in all.
const MOST_TRIED: usize = 15;
/// So many requests are under way at the same time at most.
pub const MOST_AT_ONCE: usize = 16;
/// More keys than these are asked of one member only: to compare members, a question's facts are enough.
const MOST_COMPARED: usize = 300;
/// So many pages of one list are read.
const MOST_PAGES: u32 = 1000;
/// What lies between the HTTP port and the port to which clients of 2.x and later connect.
const GRPC_OFFSET: u16 = 1000;

/// What is kept of an HTTP answer to `api` about `key`: the answer, or the refusal that it is.
pub fn kept(key: &Key, api: &str, status: u16, content_type: &str, body: Vec<u8>) -> Payload {
    let mut heard = Heard {
        status,
        content_type: content_type.to_owned(),
        body,
        ..Heard::default()
    };
    match answer::meaning(key, api, &mut heard) {
        Meaning::Answer { payload, .. } => payload,
        Meaning::Failure(failure) | Meaning::NoSuchApi(failure) => failure.payload(),
    }
}

/// Why an address cannot be observed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unobservable {
    /// The address is of another kind of registry.
    #[error("{0} is not the address of a Nacos")]
    OtherKind(String),
    /// A certificate or key cannot be used.
    #[error("TLS to Nacos: {0}")]
    Tls(String),
    /// The name of a header cannot be one.
    #[error("identity-key={0} names no header that may be sent")]
    Identity(String),
    /// Only one of the two was given.
    #[error("identity-key and identity-secret belong together")]
    IdentityHalf,
}

/// The observer of one server or cluster.
#[derive(Debug)]
pub struct Nacos {
    source: SourceId,
    addresses: Vec<String>,
    http: Http,
    login: Login,
    /// Per address, in order; empty until it is asked for the first time.
    members: Vec<Result<Arc<Member>, Failure>>,
}

impl Nacos {
    /// An observer of this address, whose answers are those of `source`. Asks nobody yet.
    ///
    /// # Errors
    /// The address is not Nacos', or what it says about TLS or headers cannot be used.
    pub fn new(source: SourceId, address: &RegistryAddress) -> Result<Self, Unobservable> {
        if address.kind != RegistryKind::Nacos {
            return Err(Unobservable::OtherKind(address.members.join(",")));
        }
        Ok(Self {
            source,
            addresses: address.distinct_members(MOST_TRIED),
            http: Http::new(address)?,
            login: Login {
                username: address.username.clone(),
                password: address.password.clone(),
            },
            members: Vec::new(),
        })
    }

    /// The source whose facts it fetches.
    pub fn source(&self) -> &SourceId {
        &self.source
    }

    /// The version that the first member told, or `r-nacos`, which tells none.
    pub fn server(&self) -> Option<String> {
        self.open_members().next().map(|member| {
            let name = || member.generation.name().to_owned();
            member.version.clone().unwrap_or_else(name)
        })
    }

    /// Asks for what is wanted of this source. Every answer is a line; a want that could be asked of nobody gets the
    /// reason why.
    pub async fn fetch(&mut self, wants: &[Want], deadline: &Deadline, answers: &Answers) {
        let keys = keys(&self.source, wants).into_iter();
        let keys = keys.map(|key| (key, false));
        let spread = spread(&self.source, wants).into_iter();
        let asked = keys.chain(spread.map(|key| (key, true))).collect();
        self.read(Asked::These(asked), deadline, answers).await;
    }

    /// Asks in this order.
    async fn read(&mut self, asked: Asked, deadline: &Deadline, answers: &Answers) {
        if asked.len() == 0 {
            return;
        }
        self.connect(deadline, answers).await;
        let order: Vec<Arc<Member>> = self
            .open_members()
            .filter(|member| member.lost().is_none())
            .cloned()
            .collect();
        if order.is_empty() {
            self.put_failures(&asked, answers);
            return;
        }
        let reader = Arc::new(Reader {
            compared: asked.len() <= MOST_COMPARED,
            several: self.addresses.len() > 1,
            order,
            deadline: *deadline,
            answers: answers.clone(),
        });
        let queue = Arc::new((asked, AtomicUsize::new(0)));
        // A task for every key would hold thousands of requests that wait for their turn.
        let mut tasks = JoinSet::new();
        for _ in 0..MOST_AT_ONCE {
            let (reader, queue) = (Arc::clone(&reader), Arc::clone(&queue));
            tasks.spawn(async move {
                let (asked, next) = &*queue;
                while let Some((key, clusters)) = asked.nth(next.fetch_add(1, Ordering::Relaxed)) {
                    // The state was told when the members were found.
                    if key != Key::NacosState {
                        reader.read(&key, clusters).await;
                    }
                }
            });
        }
        while tasks.join_next().await.is_some() {}
    }

    /// The requests that [`Self::fetch`] would make.
    pub fn plan(&self, wants: &[Want]) -> Vec<String> {
        let mut keys = keys(&self.source, wants);
        keys.extend(spread(&self.source, wants));
        self.planned().lines(&keys)
    }

    /// The requests that answers may make necessary, names that only they tell in braces. `all` = those of
    /// [`Self::walk`].
    pub fn further(&self, all: bool) -> Vec<String> {
        self.planned().further(all)
    }

    fn planned(&self) -> plan::Plan<'_> {
        plan::Plan {
            addresses: &self.addresses,
            http: &self.http,
            login: self.login.username.is_some(),
            known: self.open_members().next().map(|member| member.generation),
        }
    }

    /// Finds out about the members, unless that was tried before.
    async fn connect(&mut self, deadline: &Deadline, answers: &Answers) {
        if !self.members.is_empty() {
            return;
        }
        let unread = Failure::new(ErrKind::BadAnswer, "the answer could not be read");
        self.members = self.addresses.iter().map(|_| Err(unread.clone())).collect();
        let several = self.addresses.len() > 1;
        // Further members are of interest only when the first ones are all down.
        for batch in (0..self.addresses.len())
            .collect::<Vec<_>>()
            .chunks(MOST_MEMBERS)
        {
            let mut opening = JoinSet::new();
            for index in batch.iter().copied() {
                let (http, login) = (self.http.clone(), self.login.clone());
                let address = self.addresses[index].clone();
                let deadline = *deadline;
                opening.spawn(async move {
                    let member = Member::open(&address, &http, &login, &deadline).await;
                    let grpc = match &member {
                        Ok((member, _)) if member.generation.has_grpc() => {
                            grpc_port(&address, &deadline).await
                        }
                        _ => None,
                    };
                    (index, member, grpc)
                });
            }
            while let Some(opened) = opening.join_next().await {
                let Ok((index, member, grpc)) = opened else {
                    continue;
                };
                let address = &self.addresses[index];
                let put = |line: Line| {
                    answers.put(if several { line.said_by(address) } else { line });
                };
                grpc.into_iter().for_each(&put);
                self.members[index] = match member {
                    Ok((member, line)) => {
                        put(line);
                        Ok(Arc::new(member))
                    }
                    Err(failure) => {
                        put(Line::new(Key::NacosState, failure.payload()));
                        Err(failure)
                    }
                };
            }
            if self.open_members().next().is_some() {
                self.members
                    .truncate(batch.last().map_or(0, |last| last + 1));
                return;
            }
        }
    }

    fn open_members(&self) -> impl Iterator<Item = &Arc<Member>> {
        self.members
            .iter()
            .filter_map(|member| member.as_ref().ok())
    }

    /// No member can be asked: everything that is wanted has the reason as its answer.
    fn put_failures(&self, asked: &Asked, answers: &Answers) {
        let reasons = self.addresses.iter().zip(&self.members);
        let Some((address, failure)) = reasons
            .filter_map(|(address, member)| match member {
                Ok(member) => member.lost().map(|failure| (address, failure)),
                Err(failure) => Some((address, failure.clone())),
            })
            .max_by_key(|(_, failure)| closeness(&failure.kind))
        else {
            return;
        };
        let keys = (0..).map_while(|number| Some(asked.nth(number)?.0));
        for key in keys.filter(|key| *key != Key::NacosState) {
            let line = Line::new(key, failure.payload());
            answers.put(if self.addresses.len() > 1 {
                line.said_by(address)
            } else {
                line
            });
        }
    }

    /// Asks no more. Nothing is open on the server: every request was whole by itself.
    pub fn close(&mut self) {
        for member in std::mem::take(&mut self.members).into_iter().flatten() {
            member.close();
        }
    }
}

/// What is asked, in order; a list of instances also of all clusters (`true`).
#[derive(Debug)]
enum Asked {
    These(Vec<(Key, bool)>),
    All(Contents),
}

impl Asked {
    fn len(&self) -> usize {
        match self {
            Self::These(keys) => keys.len(),
            Self::All(contents) => contents.len(),
        }
    }

    fn nth(&self, number: usize) -> Option<(Key, bool)> {
        match self {
            Self::These(keys) => keys.get(number).cloned(),
            Self::All(contents) => Some((contents.key(number)?, false)),
        }
    }
}

/// What is asked of this source, each once.
fn keys(source: &SourceId, wants: &[Want]) -> BTreeSet<Key> {
    wants
        .iter()
        .filter(|want| want.source == *source && want.key.op().starts_with("nacos."))
        .filter(|want| want.part != Part::Clusters)
        .map(|want| want.key.clone())
        .collect()
}

/// Lists of instances that are wanted of all clusters.
fn spread(source: &SourceId, wants: &[Want]) -> BTreeSet<Key> {
    wants
        .iter()
        .filter(|want| want.source == *source && want.part == Part::Clusters)
        .map(|want| want.key.clone())
        .collect()
}

/// Whether the port to which clients connect is open (a connection, nothing is sent).
async fn grpc_port(member: &str, deadline: &Deadline) -> Option<Line> {
    let address = beside(member)?;
    let payload = match tcp::connect(&address, deadline).await {
        Ok(_) => {
            let mut fields = serde_json::Map::new();
            fields.insert("connected".to_owned(), true.into());
            Payload::Fields(fields)
        }
        Err(failure) => failure.payload(),
    };
    Some(Line::new(Key::Tcp { address }, payload))
}

/// The address with the port of gRPC.
fn beside(member: &str) -> Option<String> {
    let (host, port) = member.rsplit_once(':')?;
    let port = port.parse::<u16>().ok()?.checked_add(GRPC_OFFSET)?;
    Some(format!("{host}:{port}"))
}

/// How much a failure tells: a member that refuses is nearer to an answer than one that is not there.
fn closeness(kind: &ErrKind) -> u8 {
    match kind {
        ErrKind::Denied => 7,
        ErrKind::NotReady => 6,
        ErrKind::BadAnswer | ErrKind::TooLarge => 5,
        ErrKind::Reset | ErrKind::Cut => 4,
        ErrKind::Timeout => 3,
        ErrKind::Refused => 2,
        ErrKind::Unreachable => 1,
        _ => 0,
    }
}

/// Reads keys from the members that answer, one request at a time for each key.
#[derive(Debug)]
struct Reader {
    order: Vec<Arc<Member>>,
    /// Whether each member is asked, or one and the next only when that one is lost.
    compared: bool,
    several: bool,
    deadline: Deadline,
    answers: Answers,
}

impl Reader {
    async fn read(&self, key: &Key, clusters: bool) {
        let mut last = None;
        for member in &self.order {
            if let Some(failure) = member.lost() {
                // A line of its own says so once.
                last = last
                    .or_else(|| Some(self.via(member, Line::new(key.clone(), failure.payload()))));
                continue;
            }
            let read = if clusters {
                self.read_clusters(member, key).await
            } else {
                self.read_from(member, key, None).await
            };
            if let Err(line) = &read {
                self.give_up(member, line);
            }
            match read {
                Ok(()) if !self.compared => return,
                Ok(()) => last = None,
                // It does not answer any more: what another one says is as good.
                Err(line) if !self.compared => last = Some(line),
                Err(line) => self.answers.put(line),
            }
        }
        if let Some(line) = last {
            self.answers.put(line);
        }
    }

    /// A member that does not answer any more in the middle of a run is asked no more when another one is left, and its
    /// state is told anew: clients go on to the next, too.
    fn give_up(&self, member: &Member, line: &Line) {
        let is_left =
            |other: &Arc<Member>| other.address != member.address && other.lost().is_none();
        if self.deadline.passed() || !self.order.iter().any(is_left) {
            return;
        }
        if let Some(state) = member.lose(line) {
            self.answers.put(self.via(member, state));
        }
    }

    /// Hands over what a member says about a key, in a cluster.
    ///
    /// # Errors
    /// The line that says that it cannot be reached any more.
    async fn read_from(
        &self,
        member: &Member,
        key: &Key,
        cluster: Option<&str>,
    ) -> Result<(), Line> {
        let apis = member.generation.apis(key);
        let mut missing = None;
        for api in apis {
            let request = Request::in_cluster(*api, key, cluster, 1);
            let (heard, meaning) = self.ask(member, key, &request).await;
            let (total, mut read, mut before) = match meaning {
                Meaning::NoSuchApi(failure) => {
                    missing = Some(self.line(member, key, &request, heard, failure.payload()));
                    continue;
                }
                Meaning::Failure(failure) => {
                    let gone = heard.is_none();
                    let line = self.line(member, key, &request, heard, failure.payload());
                    if gone {
                        return Err(line);
                    }
                    self.answers.put(line);
                    return Ok(());
                }
                Meaning::Answer {
                    payload,
                    total,
                    entries,
                } => {
                    let more = total.is_some_and(|total| (entries as u64) < total);
                    // Only where there may be another page to compare it with.
                    let first = (api.page_size.is_some() && more).then(|| payload.clone());
                    let line = self.line(member, key, &request, heard, payload);
                    self.answers.put(line);
                    (total, entries, first)
                }
            };
            // How many pages there are is told by each of them anew; an empty one, or the same again, is the end whatever
            // they tell.
            let mut page = 1;
            while api.page_size.is_some()
                && read > 0
                && total.is_some_and(|total| (read as u64) < total)
                && page < MOST_PAGES
            {
                page += 1;
                let request = Request::in_cluster(*api, key, cluster, page);
                let (heard, meaning) = self.ask(member, key, &request).await;
                let (payload, entries) = match meaning {
                    Meaning::Answer {
                        payload, entries, ..
                    } => (payload, entries),
                    Meaning::Failure(failure) | Meaning::NoSuchApi(failure) => {
                        (failure.payload(), 0)
                    }
                };
                let is_same = before.as_ref() == Some(&payload);
                before = Some(payload.clone());
                self.answers
                    .put(self.line(member, key, &request, heard, payload));
                if entries == 0 || is_same {
                    break;
                }
                read += entries;
            }
            return Ok(());
        }
        let line = missing.unwrap_or_else(|| {
            let failure = Failure::new(
                ErrKind::SwitchedOff,
                format!("{} has no such API", member.generation.name()),
            );
            self.via(member, Line::new(key.clone(), failure.payload()))
        });
        self.answers.put(line);
        Ok(())
    }

    async fn ask(&self, member: &Member, key: &Key, request: &Request) -> (Option<Heard>, Meaning) {
        member
            .ask(key, request.api(), &request.target, &self.deadline)
            .await
    }

    fn line(
        &self,
        member: &Member,
        key: &Key,
        request: &Request,
        heard: Option<Heard>,
        payload: Payload,
    ) -> Line {
        let mut line = request.line(Line::new(key.clone(), payload));
        if let Some(heard) = heard {
            line.http = Some(heard.status);
            if matches!(key, Key::NacosConfig { .. }) && line.err_kind().is_none() {
                line.headers = heard.headers;
            }
        }
        self.via(member, line)
    }

    fn via(&self, member: &Member, line: Line) -> Line {
        if self.several {
            line.said_by(&member.address)
        } else {
            line
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grpc_port_lies_beside() {
        assert_eq!(beside("h:8848").as_deref(), Some("h:9848"));
        assert_eq!(beside("[::1]:8848").as_deref(), Some("[::1]:9848"));
        assert_eq!(beside("h:65000"), None);
        assert_eq!(beside("h"), None);
    }

    #[test]
    fn other_kinds_are_refused() {
        let source = SourceId::new("r1").unwrap();
        let zookeeper = RegistryAddress::parse("zookeeper://h:2181").unwrap();
        assert!(matches!(
            Nacos::new(source, &zookeeper),
            Err(Unobservable::OtherKind(_))
        ));
    }
}
