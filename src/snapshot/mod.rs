//! The facts: snapshot format 1, an index over raw lines; masking on the way in.
//!
//! A recording holds what systems said, verbatim and under their own names, never what we think of it. This room reads
//! and writes the format and answers "what was said about this key"; it asks nobody and understands neither Nacos' nor
//! ZooKeeper's data. Three states are kept apart everywhere: there, known to be absent, not known.

mod error;
mod facts;
mod fields;
mod key;
mod line;
mod manifest;
pub mod mask;
mod nacos;
mod order;
mod payload;
mod spool;
mod time;
mod want;
mod words;
mod write;
pub mod zk;

pub use error::{Limits, SnapshotError};
pub use facts::Snapshot;
pub use key::Key;
pub use line::Line;
pub use manifest::{
    BadSourceId, Ended, FORMAT, Manifest, Role, Scope, SeenFrom, Source, SourceId, SourceKind,
};
pub use mask::Masker;
pub(crate) use nacos::says_no_cluster;
pub use payload::{ErrKind, Payload, ZkStat};
pub use spool::Spool;
pub use time::At;
pub use want::{Part, Want};
pub use write::Writer;
pub use zk::Seen;

/// How lines are written, for readers that look at a line without building it.
pub(crate) mod wire {
    pub(crate) use super::fields::{Found, KEY_FIELDS, KeyFields};
    pub(crate) use super::line::{has_own_fields, no_json, not_one_payload};
    pub(crate) use super::payload::PAYLOADS;
}
