//! A ZooKeeper ensemble, read and nothing else: stat, children, data, and the four-letter words that read.
//!
//! There is no code here that creates, changes or watches a node. Each member of the address is asked by itself, so
//! that unknown hosts, closed ports, other servers, members without a quorum and members that disagree are seen.

mod ask;
mod fault;
mod four;
mod greet;
mod hidden;
mod node;
mod plan;
mod session;
#[cfg(feature = "zookeeper-tls")]
mod tls;
mod walk;
mod wire;

pub use walk::Bounds;

use std::{fmt, sync::Arc};

use tokio::{sync::Semaphore, task::JoinSet};

use self::{
    ask::{Asks, Reader},
    hidden::Hidden,
    session::Session,
};
use super::{Answers, Deadline, Failure};
use crate::{
    model::secret::Secret,
    question::{RegistryAddress, RegistryKind},
    snapshot::{ErrKind, Line, SourceId, Want},
};

/// So many members are asked at the same time at most; the others only when none of these answers.
pub const MOST_MEMBERS: usize = 5;
/// So many members are looked at in all.
const MOST_TRIED: usize = 15;
/// So many requests are under way at the same time at most.
pub const MOST_AT_ONCE: usize = 16;

/// What a server's first bytes show it to be. For whoever hands it foreign bytes; the observer reads more out of them.
pub fn greeting(bytes: &[u8]) -> &'static str {
    match wire::answer(bytes) {
        wire::Answer::Partial => "too little to tell",
        wire::Answer::Zookeeper { .. } => "zookeeper",
        wire::Answer::Refusal(_) => "refusal",
        wire::Answer::Http(_) => "http",
        wire::Answer::Tls => "tls",
        wire::Answer::Other(_) => "other",
    }
}

/// The answer to a four-letter word, and the version that it tells.
///
/// # Errors
/// It is a refusal, or no answer to this word.
pub fn four_letter(word: &str, bytes: Vec<u8>) -> Result<(String, Option<String>), Failure> {
    let text = four::heard(word, bytes)?;
    let version = four::version(&text).map(str::to_owned);
    Ok((text, version))
}

/// Why an address cannot be observed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unobservable {
    /// The address is of another kind of registry.
    #[error("{0} is not the address of a ZooKeeper")]
    OtherKind(String),
    /// `zookeeper+tls://` in a build without TLS.
    #[error(
        "this build of diag cannot speak TLS to ZooKeeper: build it with the cargo feature zookeeper-tls"
    )]
    TlsNotBuilt,
    /// A certificate or key cannot be used.
    #[error("TLS to ZooKeeper: {0}")]
    Tls(String),
}

/// How a member is spoken to.
#[derive(Clone)]
struct Access {
    tls: bool,
    /// `user:password` of the digest scheme.
    login: Option<Secret>,
    /// `/a/b`, or empty.
    chroot: String,
    #[cfg(feature = "zookeeper-tls")]
    tls_options: Option<zookeeper_client::TlsOptions>,
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access")
            .field("tls", &self.tls)
            .field("chroot", &self.chroot)
            .finish_non_exhaustive()
    }
}

/// The observer of one ensemble.
#[derive(Debug)]
pub struct Zookeeper {
    source: SourceId,
    members: Vec<String>,
    access: Access,
    /// Per member, in the order of the address; empty until it is asked for the first time.
    sessions: Vec<Result<Arc<Session>, Failure>>,
    hidden: Hidden,
}

impl Zookeeper {
    /// An observer of this address, whose answers are those of `source`. Asks nobody yet.
    ///
    /// # Errors
    /// The address is not ZooKeeper's, or TLS is wanted and cannot be had.
    pub fn new(source: SourceId, address: &RegistryAddress) -> Result<Self, Unobservable> {
        if address.kind != RegistryKind::Zookeeper {
            return Err(Unobservable::OtherKind(address.members.join(",")));
        }
        Ok(Self {
            source,
            members: address.distinct_members(MOST_TRIED),
            access: access(address)?,
            sessions: Vec::new(),
            hidden: Hidden::default(),
        })
    }

    /// The source whose facts it fetches.
    pub fn source(&self) -> &SourceId {
        &self.source
    }

    /// The version that the first member told.
    pub fn server(&self) -> Option<String> {
        self.open_sessions()
            .find_map(|session| session.version.clone())
    }

    /// Asks for what is wanted of this source. Every answer is a line; a want that could be asked of nobody gets the
    /// reason why.
    pub async fn fetch(&mut self, wants: &[Want], deadline: &Deadline, answers: &Answers) {
        let asks = Asks::of(&self.source, wants);
        if asks.is_empty() {
            return;
        }
        self.connect(deadline, answers).await;
        let reader = self.reader(deadline, answers);
        if reader.order.is_empty() {
            self.put_failures(&asks, answers);
            return;
        }
        let mut tasks = JoinSet::new();
        for node in asks.nodes {
            let reader = reader.clone();
            tasks.spawn(async move { reader.read(&node).await });
        }
        for word in asks.words {
            for session in reader.order.clone() {
                let (reader, word) = (reader.clone(), word.clone());
                tasks.spawn(async move { reader.word(&session, &word).await });
            }
        }
        while tasks.join_next().await.is_some() {}
    }

    fn reader(&self, deadline: &Deadline, answers: &Answers) -> Reader {
        Reader {
            order: self.reading_order(),
            several: self.members.len() > 1,
            deadline: *deadline,
            answers: answers.clone(),
            turns: Arc::new(Semaphore::new(MOST_AT_ONCE)),
            hidden: self.hidden.clone(),
        }
    }

    /// The requests that [`Self::fetch`] would make.
    pub fn plan(&self, wants: &[Want]) -> Vec<String> {
        plan::plan(
            &self.members,
            &self.access,
            !self.sessions.is_empty(),
            &Asks::of(&self.source, wants),
        )
    }

    /// The requests that answers may make necessary, names that only they tell in braces. `all` = those of
    /// [`Self::walk`].
    pub fn further(&self, all: bool) -> Vec<String> {
        plan::further(&self.members, &self.access, all)
    }

    /// Opens the sessions, unless that was tried before.
    async fn connect(&mut self, deadline: &Deadline, answers: &Answers) {
        if !self.sessions.is_empty() {
            return;
        }
        // Whoever stops in between finds the sessions that are open, and closes them.
        let unread = Failure::new(ErrKind::BadAnswer, "the answer could not be read");
        self.sessions = self.members.iter().map(|_| Err(unread.clone())).collect();
        // Further members are of interest only when the first ones are all down.
        for batch in (0..self.members.len())
            .collect::<Vec<_>>()
            .chunks(MOST_MEMBERS)
        {
            let mut opening = JoinSet::new();
            for index in batch.iter().copied() {
                let member = self.members[index].clone();
                let (access, deadline, answers) = (self.access.clone(), *deadline, answers.clone());
                opening.spawn(async move {
                    let session = Session::open(&member, &access, &deadline, &answers).await;
                    (index, session)
                });
            }
            while let Some(opened) = opening.join_next().await {
                if let Ok((index, session)) = opened {
                    self.sessions[index] = session.map(Arc::new);
                }
            }
            if self.open_sessions().next().is_some() {
                self.sessions
                    .truncate(batch.last().map_or(0, |last| last + 1));
                return;
            }
        }
    }

    /// The sessions in the order in which they are asked: members that follow a leader first.
    fn reading_order(&self) -> Vec<Arc<Session>> {
        let mut order: Vec<_> = self
            .open_sessions()
            .filter(|session| session.lost().is_none())
            .cloned()
            .collect();
        order.sort_by_key(|session| session.read_only);
        order
    }

    fn open_sessions(&self) -> impl Iterator<Item = &Arc<Session>> {
        self.sessions
            .iter()
            .filter_map(|session| session.as_ref().ok())
    }

    /// No member can be asked: everything that is wanted has the reason as its answer.
    fn put_failures(&self, asks: &Asks, answers: &Answers) {
        let Some((member, failure)) = self.failure() else {
            return;
        };
        for key in asks.keys() {
            answers.put(Line::new(key, failure.payload()).said_by(&member));
        }
    }

    /// Why no member can be asked: the reason of the one that came closest to an answer.
    fn failure(&self) -> Option<(String, Failure)> {
        self.members
            .iter()
            .zip(&self.sessions)
            .filter_map(|(member, session)| match session {
                Ok(session) => session.lost().map(|failure| (member.clone(), failure)),
                Err(failure) => Some((member.clone(), failure.clone())),
            })
            .max_by_key(|(_, failure)| closeness(&failure.kind))
    }

    /// Closes all sessions.
    pub async fn close(&mut self) {
        let mut farewells = JoinSet::new();
        for session in std::mem::take(&mut self.sessions).into_iter().flatten() {
            farewells.spawn(async move { session.close().await });
        }
        while farewells.join_next().await.is_some() {}
    }
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

fn access(address: &RegistryAddress) -> Result<Access, Unobservable> {
    if address.tls && cfg!(not(feature = "zookeeper-tls")) {
        return Err(Unobservable::TlsNotBuilt);
    }
    // Curator gets the user information of the URL as it is, `user:password`.
    let login = address.username.as_ref().map(|user| {
        let password = address.password.as_ref().map_or("", Secret::expose);
        Secret::new(format!("{user}:{password}"))
    });
    let chroot = address
        .path
        .as_deref()
        .map(|path| path.trim_matches('/'))
        .filter(|path| !path.is_empty());
    Ok(Access {
        tls: address.tls,
        login,
        chroot: chroot.map(|path| format!("/{path}")).unwrap_or_default(),
        #[cfg(feature = "zookeeper-tls")]
        tls_options: if address.tls {
            Some(tls::options(address).map_err(Unobservable::Tls)?)
        } else {
            None
        },
    })
}
