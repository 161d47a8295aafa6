//! Why something could not be had, in the words of the snapshot format.

use crate::snapshot::{ErrKind, Payload};

/// A kind, and what the system or the other side said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure.
    pub kind: ErrKind,
    /// In whose words.
    pub text: Option<String>,
}

impl Failure {
    /// A failure with words.
    pub fn new(kind: ErrKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: Some(text.into()),
        }
    }

    /// The answer of a line that failed so.
    pub fn payload(&self) -> Payload {
        match &self.text {
            Some(text) => Payload::err_with(self.kind.clone(), text),
            None => Payload::err(self.kind.clone()),
        }
    }
}
