//! What a few round trips of a kind gave, whatever the protocol.

use std::time::Instant;

use serde_json::{Map, Value};

use crate::{
    observe::{Deadline, Failure, Passed},
    snapshot::{ErrKind, Payload},
};

/// Round trips of each kind and address.
pub(super) const TURNS: u64 = 3;

/// Times of round trips.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Beats {
    /// Of each that was answered, microseconds.
    pub samples: Vec<u64>,
    /// How many were not.
    pub lost: u64,
    /// By what the other side said that it is shutting down: `readonly` (dubbo), `goaway` (HTTP/2).
    pub draining: Option<&'static str>,
}

impl Beats {
    /// Nothing came back.
    pub(super) fn is_silent(&self) -> bool {
        self.samples.is_empty() && self.draining.is_none()
    }

    /// Takes up what became of one round trip; whether there may be another.
    ///
    /// # Errors
    /// The other side did something else before anything was answered, and it said no farewell.
    pub(super) fn take<T>(
        &mut self,
        came: Result<Result<T, Failure>, Passed>,
        watch: &Stopwatch,
        farewell: bool,
        deadline: &Deadline,
    ) -> Result<bool, Failure> {
        match came {
            Ok(Ok(_)) => {
                self.samples.push(watch.micros());
                return Ok(true);
            }
            Ok(Err(failure)) if self.samples.is_empty() && !farewell => return Err(failure),
            Ok(Err(_)) => {}
            // The end of everything says nothing about this one.
            Err(Passed) if deadline.passed() => {}
            Err(Passed) => self.lost += 1,
        }
        Ok(false)
    }

    /// The answer of a line. Nothing that came back, in whatever way, is a timeout.
    pub(super) fn payload(self) -> Payload {
        if self.is_silent() {
            return Payload::err_with(ErrKind::Timeout, "connected, and no answer");
        }
        let mut fields = Map::new();
        fields.insert("samples_us".to_owned(), self.samples.into());
        fields.insert("lost".to_owned(), self.lost.into());
        if let Some(draining) = self.draining {
            fields.insert("draining".to_owned(), Value::from(draining));
        }
        Payload::Fields(fields)
    }
}

/// Measures one round trip.
#[derive(Debug)]
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    pub(super) fn start() -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "the time of a round trip is what is measured"
        )]
        let now = Instant::now();
        Self(now)
    }

    pub(super) fn micros(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// Bytes of another protocol: its name where it is known, never its words.
pub(super) fn foreign(bytes: &[u8], wanted: &str) -> Failure {
    let what = if bytes.starts_with(b"HTTP/") {
        "HTTP/1"
    } else if bytes.starts_with(&[0xda]) {
        "dubbo"
    } else if matches!(bytes, [0, _, _, 4, ..]) {
        "HTTP/2"
    } else if matches!(bytes, [0x15 | 0x16, 3, ..]) {
        "TLS"
    } else if bytes.starts_with(b"SSH-") {
        "SSH"
    } else {
        "something else"
    };
    Failure::new(
        ErrKind::BadAnswer,
        format!("the port does not speak {wanted}: it answers with {what}"),
    )
}
