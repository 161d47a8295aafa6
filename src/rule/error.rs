//! Why a consumer refuses a rule text.

use super::yaml::{Position, YamlError};

/// A refused rule text: the exception that the consumer logs, and where to look.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RuleError {
    /// The Java class.
    pub class: &'static str,
    /// What is wrong, for a person.
    pub message: String,
    /// The place to look at, where there is one.
    pub at: Option<Position>,
}

impl RuleError {
    pub(super) fn new(
        class: &'static str,
        message: impl Into<String>,
        at: Option<Position>,
    ) -> Self {
        Self {
            class,
            message: message.into(),
            at,
        }
    }

    /// A value of the wrong class is cast.
    pub(super) fn cast(message: impl Into<String>, at: Position) -> Self {
        Self::new("java.lang.ClassCastException", message, Some(at))
    }

    /// A missing value is used.
    pub(super) fn null(message: impl Into<String>, at: Option<Position>) -> Self {
        Self::new("java.lang.NullPointerException", message, at)
    }
}

impl From<YamlError> for RuleError {
    fn from(error: YamlError) -> Self {
        Self {
            class: error.class.java_name(),
            at: Some(error.place),
            message: error.to_string(),
        }
    }
}
