//! The read-only call by which a consumer asks an instance what its revision stands for (`MetadataService.getMetadataInfo`),
//! built by hand for the dubbo protocol and for triple. Only with `--probe`, and only where the metadata are kept nowhere
//! else.
//!
//! Nothing else can be called here: interface, method and arguments are fixed. The protocol is the one that the instance
//! promises, as for a consumer; a server of the other one would only log that it was sent bytes it does not know.

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
    /// It promises triple; else it is the dubbo protocol.
    pub(super) over_triple: bool,
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
    if asked.over_triple {
        let text = triple::call(socket, asked, deadline).await?;
        return Ok((text, "tri"));
    }
    let stream = connected(socket, deadline).await?;
    let text = dubbo::call(stream, asked, deadline).await?;
    Ok((text, "dubbo"))
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
