//! Streams (pasted errors, logs, calls to be replayed) folded into bounded aggregates. Inputs, not facts of a registry.
//!
//! This room may not do I/O of its own: it is handed bytes and gives values. What it gives is
//! bounded whatever the size of the stream.

pub mod access_log;
pub mod attached;
pub mod lines;
pub mod log;
pub mod metrics;
pub mod properties;
pub mod providers;
pub mod repeats;
pub mod requests;
pub mod samples;
