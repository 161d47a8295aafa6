//! One member of the ensemble and the session with it.
//!
//! A session is opened with each member by itself, so that members can be compared and so that it is known who said
//! what. It makes no node and no watch, and it is closed instead of being left to its timeout.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use zookeeper_client::{Client, Error, SessionState};

use super::{
    Access,
    fault::{Fault, fault},
    four, greet,
};
use crate::{
    observe::{Answers, Deadline, Failure, Passed, probe::tcp},
    snapshot::{ErrKind, Key, Line, Payload},
};

/// Asked of the server; it gives at least twice its tick. Short, since it outlives us only after a crash. A request that
/// may take longer needs a longer session.
const SESSION_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the farewell may take.
const FAREWELL: Duration = Duration::from_millis(300);
/// How long a member may take to catch up with its leader before it is read.
const CATCH_UP: Duration = Duration::from_millis(800);

/// A session with one member.
#[derive(Debug)]
pub(super) struct Session {
    /// `host:port` of the member.
    pub(super) member: String,
    /// The member serves reads only: it has lost its leader and may be behind.
    pub(super) read_only: bool,
    /// What `srvr` said of the version.
    pub(super) version: Option<String>,
    client: Mutex<Option<Client>>,
    lost: Mutex<Option<Failure>>,
}

impl Session {
    /// Reaches a member, asks it for `srvr` and opens a session. What was found on the way goes to `answers`.
    ///
    /// # Errors
    /// Why there is no session: the words of the network, of the member, or who answered in its place.
    pub(super) async fn open(
        member: &str,
        access: &Access,
        deadline: &Deadline,
        answers: &Answers,
    ) -> Result<Self, Failure> {
        let stream = match reach(member, deadline).await {
            Ok(stream) => {
                answers.put(connected(member));
                stream
            }
            Err(failure) => {
                answers.put(Line::new(tcp_key(member), failure.payload()));
                return Err(failure);
            }
        };
        if access.tls {
            // Four-letter words would need a TLS connection of their own.
            drop(stream);
            let client = match connect(member, access, deadline).await {
                Ok(client) => client,
                Err(error @ Error::AuthFailed) => return Err(failure_of(&error)),
                Err(_) => return Err(greet::tls_reason(member, deadline).await),
            };
            return Ok(Self::new(member, client, None));
        }
        let (srvr, client) = tokio::join!(
            four::ask(stream, "srvr", deadline),
            connect(member, access, deadline)
        );
        let client = match client {
            Ok(client) => Ok(client),
            Err(error) => Err(why(member, &srvr, &error, deadline).await),
        };
        let version = srvr
            .as_ref()
            .ok()
            .and_then(|text| four::version(text))
            .map(str::to_owned);
        let payload = match (srvr, &client) {
            // The word failed for the same reason as the session, which is known better by now.
            (Err(word), Err(failure))
                if !matches!(word.kind, ErrKind::SwitchedOff | ErrKind::NotReady) =>
            {
                failure.payload()
            }
            (srvr, _) => said(srvr),
        };
        answers.put(Line::new(four_key("srvr"), payload).said_by(member));
        let session = Self::new(member, client?, version);
        // Nothing is lost when it cannot: then the member is read as it is.
        let client = session.client();
        let _ = deadline
            .at_most(CATCH_UP)
            .request(async { client?.sync("/").await.ok() })
            .await;
        Ok(session)
    }

    fn new(member: &str, client: Client, version: Option<String>) -> Self {
        Self {
            member: member.to_owned(),
            read_only: client.state() == SessionState::ConnectedReadOnly,
            version,
            client: Mutex::new(Some(client)),
            lost: Mutex::new(None),
        }
    }

    /// The client, as long as the session is in use.
    pub(super) fn client(&self) -> Option<Client> {
        self.client
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Why nothing can be had from this member any more.
    pub(super) fn lost(&self) -> Option<Failure> {
        self.lost
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Takes the member out of use, for the first reason that is given.
    ///
    /// Returns whether this call did it.
    pub(super) fn give_up(&self, failure: Failure) -> bool {
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        let first = lost.is_none();
        if first {
            *lost = Some(failure);
        }
        first
    }

    /// After a request failed: whether the member can still be reached. The new failure when it cannot.
    pub(super) async fn still_there(&self, deadline: &Deadline) -> Result<(), Failure> {
        tcp::connect(&self.member, deadline).await.map(drop)
    }

    /// Resolves when there is no connection (any more).
    pub(super) async fn disconnected(&self) {
        self.reaches(|state| !is_connected(state)).await;
    }

    /// Waits until the client has a connection again, as long as a request may take.
    pub(super) async fn connected_again(&self, deadline: &Deadline) -> Result<(), Failure> {
        match deadline.request(self.reaches(is_connected)).await {
            Ok(()) => Ok(()),
            Err(Passed) => Err(Failure::new(ErrKind::Reset, "ConnectionLoss")),
        }
    }

    async fn reaches(&self, wanted: impl Fn(SessionState) -> bool) {
        let Some(client) = self.client() else {
            return;
        };
        let mut watcher = client.state_watcher();
        drop(client);
        let mut state = watcher.peek_state();
        while !wanted(state) {
            state = watcher.changed().await;
        }
    }

    /// After a request got no answer: whether a small one does.
    pub(super) async fn answers(&self, deadline: &Deadline) -> bool {
        let Some(client) = self.client() else {
            return false;
        };
        let deadline = deadline.at_most(CATCH_UP);
        matches!(deadline.request(client.check_stat("/")).await, Ok(Ok(_)))
    }

    /// Closes the session and waits a moment for the server to confirm.
    pub(super) async fn close(&self) {
        let client = self
            .client
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(client) = client else { return };
        let mut state = client.state_watcher();
        drop(client);
        let closed = async {
            while !matches!(
                state.changed().await,
                SessionState::Closed | SessionState::Expired
            ) {}
        };
        let _ = tokio::time::timeout(FAREWELL, closed).await;
    }
}

fn is_connected(state: SessionState) -> bool {
    matches!(
        state,
        SessionState::SyncConnected | SessionState::ConnectedReadOnly
    )
}

/// The key of a connection to a member.
pub(super) fn tcp_key(member: &str) -> Key {
    Key::Tcp {
        address: member.to_owned(),
    }
}

/// The key of a four-letter word.
pub(super) fn four_key(word: &str) -> Key {
    Key::ZkFour {
        word: word.to_owned(),
    }
}

/// The answer to a word; a refusal to serve is in words and they are the answer.
pub(super) fn said(word: Result<String, Failure>) -> Payload {
    match word {
        Ok(text)
        | Err(Failure {
            kind: ErrKind::NotReady,
            text: Some(text),
        }) => Payload::Text(text),
        Err(failure) => failure.payload(),
    }
}

fn connected(member: &str) -> Line {
    let mut fields = serde_json::Map::new();
    fields.insert("connected".to_owned(), true.into());
    Line::new(tcp_key(member), Payload::Fields(fields))
}

async fn reach(member: &str, deadline: &Deadline) -> Result<tokio::net::TcpStream, Failure> {
    if !tcp::is_address(member) {
        return Err(Failure::new(
            ErrKind::UnknownHost,
            "not an address of the form host:port",
        ));
    }
    tcp::connect(member, deadline).await
}

async fn connect(member: &str, access: &Access, deadline: &Deadline) -> Result<Client, Error> {
    let limit = deadline.request_limit().max(Duration::from_secs(1));
    let mut connector = Client::connector()
        .with_session_timeout(SESSION_TIMEOUT.max(limit * 2))
        .with_connection_timeout(limit)
        .with_readonly(true)
        .with_fail_eagerly();
    if let Some(login) = &access.login {
        connector = connector.with_auth("digest", login.expose().as_bytes());
    }
    #[cfg(feature = "zookeeper-tls")]
    if let Some(tls) = &access.tls_options {
        connector = connector.with_tls(tls.clone());
    }
    let scheme = if access.tls { "tcp+tls" } else { "tcp" };
    let cluster = format!("{scheme}://{member}{}", access.chroot);
    match deadline.request(connector.connect(&cluster)).await {
        Ok(result) => result,
        Err(Passed) => Err(Error::Timeout),
    }
}

fn failure_of(error: &Error) -> Failure {
    match fault(error) {
        Fault::Node(failure) | Fault::Session(failure) => failure,
    }
}

/// Why no session was opened, from everything that was seen.
async fn why(
    member: &str,
    srvr: &Result<String, Failure>,
    error: &Error,
    deadline: &Deadline,
) -> Failure {
    match (srvr, error) {
        (Err(word), _) if word.kind == ErrKind::NotReady => word.clone(),
        (_, Error::AuthFailed) => failure_of(error),
        (Ok(_), Error::Timeout) => {
            Failure::new(ErrKind::Timeout, "no answer to the request for a session")
        }
        _ => greet::reason(member, deadline).await,
    }
}
