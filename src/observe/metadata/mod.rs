//! The read-only call by which a consumer asks an instance what its revision stands for (`MetadataService.getMetadataInfo`),
//! built by hand for the dubbo protocol and for triple. Only with `--probe`, and only where the metadata are kept nowhere
//! else.
//!
//! Nothing else can be called here: interface, method and arguments are fixed. An instance does not say in which of the
//! two protocols it serves this port so that one could rely on it; the dubbo protocol is tried first.

mod dubbo;
pub mod hessian;
pub mod protobuf;
mod triple;

use std::net::SocketAddr;

use super::{Deadline, Failure, probe::connected};
use crate::snapshot::ErrKind;

const SERVICE: &str = "org.apache.dubbo.metadata.MetadataService";
const METHOD: &str = "getMetadataInfo";
/// Version under which every line exports it.
const VERSION: &str = "1.0.0";
/// Most bytes of an answer: a thousand services have a tenth of it.
const MOST_BYTES: usize = 8 << 20;
/// So much of what the other side said is kept.
const MOST_SAID: usize = 300;

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    /// The application: the group under which it exports the service.
    pub(super) application: &'a str,
    /// Its revision.
    pub(super) revision: &'a str,
}

/// The metadata as JSON, and the protocol in which they came.
///
/// # Errors
/// What the connection did or the other side said. `not-found`: it does not export the service, or has no such revision.
pub(super) async fn call(
    socket: SocketAddr,
    asked: Asked<'_>,
    deadline: &Deadline,
) -> Result<(String, &'static str), Failure> {
    let stream = connected(socket, deadline).await?;
    let first = match dubbo::call(stream, asked, deadline).await {
        Ok(text) => return Ok((text, "dubbo")),
        Err(failure) => failure,
    };
    // Who answers in the protocol and has the revision not, has it in no protocol.
    let other = matches!(
        first.kind,
        ErrKind::BadAnswer | ErrKind::Reset | ErrKind::Timeout | ErrKind::NotFound
    );
    if !other || deadline.passed() {
        return Err(first);
    }
    match triple::call(socket, asked, deadline).await {
        Ok(text) => Ok((text, "tri")),
        // The port speaks HTTP/2: what it says there is the answer.
        Err(failure) if first.kind != ErrKind::NotFound && told(&failure) => Err(failure),
        Err(_) => Err(first),
    }
}

/// Whether the other side answered in the protocol, be it a refusal.
fn told(failure: &Failure) -> bool {
    matches!(failure.kind, ErrKind::NotFound | ErrKind::Denied)
        || failure.kind == ErrKind::BadAnswer
            && failure
                .text
                .as_deref()
                .is_some_and(|text| text.starts_with(SAID))
}

/// How words of the other side begin.
const SAID: &str = "it says: ";

/// A refusal in words of the other side.
fn refusal(words: &str) -> Failure {
    let kind = if words.contains("Not found exported service")
        || words.contains("Service not found")
        || words.contains("not found")
    {
        ErrKind::NotFound
    } else if words.contains("Unexpected serialization id") || words.contains("nvalid token") {
        ErrKind::Denied
    } else {
        ErrKind::BadAnswer
    };
    let first = words.lines().next().unwrap_or_default();
    let short: String = first.chars().take(MOST_SAID).collect();
    Failure::new(kind, format!("{SAID}{short}"))
}

/// It answered, and has nothing under this revision.
fn nothing() -> Failure {
    Failure::new(ErrKind::NotFound, "it has no metadata under this revision")
}
