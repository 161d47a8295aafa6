//! The bounded aggregate of a whole text.

use serde::Serialize;

use super::fact::End;
use super::failure::Failure;
use super::message::Message;

/// Where a text comes from, as far as the caller knows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LogOrigin {
    /// File name or `-`, for evidence.
    pub name: String,
    /// Whose log it is.
    pub end: Option<End>,
    /// On which host it was written.
    pub host: Option<String>,
}

/// How the bytes were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// UTF-8 (or ASCII).
    #[default]
    Utf8,
    /// UTF-16, little endian.
    Utf16Le,
    /// UTF-16, big endian.
    Utf16Be,
    /// Some lines are GB18030 (GBK is part of it).
    Gb18030,
    /// Some lines are Shift-JIS.
    ShiftJis,
    /// Some lines are in no known encoding; read as Latin-1.
    Latin1,
}

/// What a text says.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LogFacts {
    /// Where it comes from.
    pub origin: LogOrigin,
    /// Distinct failures in order of appearance.
    pub failures: Vec<Failure>,
    /// Occurrences of failures that are not among `failures`, because there were too many distinct ones.
    pub failures_not_kept: u64,
    /// What the text tells without anything failing: registrations, subscriptions, pushes, settings.
    pub statements: Vec<Failure>,
    /// Occurrences of statements that are not among `statements`.
    pub statements_not_kept: u64,
    /// Lines read.
    pub lines: u64,
    /// Bytes read.
    pub bytes: u64,
    /// How they were read.
    pub encoding: Encoding,
    /// Lines longer than the limit; their rest was not looked at.
    pub cut_lines: u64,
    /// How far the printed times without a zone are ahead of UTC, ms, where the text itself tells it.
    #[serde(skip)]
    pub ahead_of_utc: Option<i64>,
}

impl LogFacts {
    /// All messages of failures and statements in order of appearance.
    pub fn messages(&self) -> Vec<&Message> {
        let mut messages: Vec<&Message> = self
            .failures
            .iter()
            .chain(&self.statements)
            .flat_map(|failure| &failure.messages)
            .collect();
        messages.sort_by_key(|message| message.place);
        messages
    }

    /// How often something failed, repetitions included.
    pub fn occurrences(&self) -> u64 {
        self.failures
            .iter()
            .map(|failure| failure.count)
            .sum::<u64>()
            + self.failures_not_kept
    }
}
