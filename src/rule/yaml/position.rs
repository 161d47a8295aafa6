//! Places in a text, counted as SnakeYAML prints them.

use std::fmt;

/// A place: line and column, both from 1, columns in code points.
///
/// A byte order mark at the start has no column, and a CR that ends the text does not start a line: SnakeYAML counts so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl Position {
    /// From SnakeYAML's own counting, which starts at 0.
    pub(super) fn from_zero(line: usize, column: usize) -> Self {
        let from_one = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).saturating_add(1);
        Self {
            line: from_one(line),
            column: from_one(column),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}, column {}", self.line, self.column)
    }
}

/// From the first character of something to the place behind it.
///
/// A block collection ends, as in SnakeYAML, where the next token begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first character.
    pub start: Position,
    /// Behind the last character.
    pub end: Position,
}
