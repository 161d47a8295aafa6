//! The one place that turns an error chain into what the user reads and into an exit code.

use std::fmt;

use crate::{
    exit::Exit,
    question::RegistryAddressError,
    report::safe,
    settings::SettingsError,
    snapshot::{Masker, SnapshotError},
};

/// The user asked for something that cannot be done this way. Exit 2.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UsageError {
    /// What is wrong.
    pub message: String,
    /// The way out.
    pub hints: Vec<String>,
}

impl UsageError {
    /// A mistake.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hints: Vec::new(),
        }
    }

    /// The same with a way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

/// A file that the user named cannot be read or written. Exit 4.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {source}")]
pub struct InputError {
    /// The file.
    pub name: String,
    /// Why.
    pub source: std::io::Error,
}

/// What the user reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// How the program ends.
    pub exit: Exit,
    /// One sentence, and what caused it.
    pub lines: Vec<String>,
    /// Ways out.
    pub hints: Vec<String>,
}

/// Reads an error chain. An error that nobody foresaw is a defect.
pub fn complaint(error: &anyhow::Error) -> Complaint {
    let mut exit = Exit::Bug;
    let mut hints = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for cause in error.chain() {
        let text = cause.to_string();
        // Many errors repeat their source in their own text.
        if !lines.iter().any(|line| line.contains(&text)) {
            lines.push(text);
        }
        if let Some(usage) = cause.downcast_ref::<UsageError>() {
            exit = Exit::Usage;
            hints.extend(usage.hints.iter().cloned());
        } else if let Some(settings) = cause.downcast_ref::<SettingsError>() {
            exit = if settings.is_usage() {
                Exit::Usage
            } else {
                Exit::Input
            };
            hints.extend(settings.hint().map(str::to_owned));
        } else if let Some(address) = cause.downcast_ref::<RegistryAddressError>() {
            exit = Exit::Usage;
            hints.extend(address.hint());
        } else if cause.is::<InputError>() || cause.is::<SnapshotError>() {
            exit = Exit::Input;
        }
    }
    if exit == Exit::Bug {
        hints.push("this is a defect of diag: please report it with the text above".to_owned());
    }
    Complaint { exit, lines, hints }
}

/// An error may quote what the user typed in the wrong place: addresses lose their passwords here, too.
impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let masker = Masker::default();
        let safe = |text: &str| safe(&masker.text(text));
        for (index, line) in self.lines.iter().enumerate() {
            let head = if index == 0 { "error" } else { "  caused by" };
            writeln!(f, "{head}: {}", safe(line))?;
        }
        for hint in &self.hints {
            writeln!(f, "hint: {}", safe(hint))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use anyhow::Context as _;

    use super::*;

    fn read(error: impl Into<anyhow::Error>) -> (Exit, String) {
        let complaint = complaint(&error.into());
        (complaint.exit, complaint.to_string())
    }

    #[test]
    fn kinds_have_their_exit() {
        let usage = UsageError::new("no service").hint("name one");
        assert_eq!(
            read(usage),
            (
                Exit::Usage,
                "error: no service\nhint: name one\n".to_owned()
            )
        );

        let missing = InputError {
            name: "a.log".into(),
            source: io::Error::from(io::ErrorKind::NotFound),
        };
        assert_eq!(
            read(missing),
            (Exit::Input, "error: a.log: entity not found\n".to_owned())
        );

        let chain = Err::<(), _>(io::Error::from(io::ErrorKind::PermissionDenied))
            .map_err(|source| InputError {
                name: "b".into(),
                source,
            })
            .context("cannot read the log")
            .unwrap_err();
        assert_eq!(
            read(chain),
            (
                Exit::Input,
                "error: cannot read the log\n  caused by: b: permission denied\n".to_owned()
            )
        );

        let (exit, text) = read(anyhow::anyhow!("a \u{1b}[31m surprise"));
        assert_eq!(exit, Exit::Bug);
        assert!(
            text.starts_with("error: a \\u{1b}[31m surprise\nhint: this is a defect"),
            "{text}"
        );
    }
}
