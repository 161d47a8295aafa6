//! What the parser makes of the tokens.

use super::position::Position;
use super::token::ScalarStyle;

/// An event with its place.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) kind: EventKind,
    pub(super) start: Position,
    pub(super) end: Position,
}

/// The kinds of events, as in SnakeYAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EventKind {
    StreamStart,
    StreamEnd,
    DocumentStart,
    DocumentEnd,
    Alias(String),
    Scalar {
        properties: Properties,
        text: String,
        style: ScalarStyle,
        implicit: bool,
    },
    SequenceStart(Properties),
    SequenceEnd,
    MappingStart(Properties),
    MappingEnd,
}

/// What stands before a node. A tag is written out, with its handle replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Properties {
    pub(super) anchor: Option<String>,
    pub(super) tag: Option<String>,
}
