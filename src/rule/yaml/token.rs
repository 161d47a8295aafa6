//! What the scanner cuts the text into.

use super::position::Position;
use super::version::YamlVersion;

/// A token with its place.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: Position,
    pub(super) end: Position,
}

/// The kinds of tokens, as in YAML 1.1's reference parsers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    StreamStart,
    StreamEnd,
    Directive(Directive),
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(String),
    Anchor(String),
    Tag(TagName),
    Scalar(String, ScalarStyle),
}

/// A `%` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Directive {
    /// `%YAML major.minor`; only the major number is looked at.
    Yaml { major: i32 },
    /// `%TAG handle prefix`.
    Tag { handle: String, prefix: String },
    /// Any other: ignored.
    Other,
}

/// A tag as written: a handle to be replaced, and the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TagName {
    pub(super) handle: Option<String>,
    pub(super) suffix: String,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarStyle {
    /// Without quotes: the text decides the type.
    Plain,
    /// In `'`.
    SingleQuoted,
    /// In `"`.
    DoubleQuoted,
    /// After `|`.
    Literal,
    /// After `>`.
    Folded,
}

impl TokenKind {
    /// The name in messages: `Token.ID.toString()` of the release.
    pub(super) fn name(&self, version: YamlVersion) -> &'static str {
        let (constant, description) = match self {
            Self::StreamStart => ("StreamStart", "<stream start>"),
            Self::StreamEnd => ("StreamEnd", "<stream end>"),
            Self::Directive(_) => ("Directive", "<directive>"),
            Self::DocumentStart => ("DocumentStart", "<document start>"),
            Self::DocumentEnd => ("DocumentEnd", "<document end>"),
            Self::BlockSequenceStart => ("BlockSequenceStart", "<block sequence start>"),
            Self::BlockMappingStart => ("BlockMappingStart", "<block mapping start>"),
            Self::BlockEnd => ("BlockEnd", "<block end>"),
            Self::FlowSequenceStart => ("FlowSequenceStart", "["),
            Self::FlowSequenceEnd => ("FlowSequenceEnd", "]"),
            Self::FlowMappingStart => ("FlowMappingStart", "{"),
            Self::FlowMappingEnd => ("FlowMappingEnd", "}"),
            Self::BlockEntry => ("BlockEntry", "-"),
            Self::FlowEntry => ("FlowEntry", ","),
            Self::Key => ("Key", "?"),
            Self::Value => ("Value", ":"),
            Self::Alias(_) => ("Alias", "<alias>"),
            Self::Anchor(_) => ("Anchor", "<anchor>"),
            Self::Tag(_) => ("Tag", "<tag>"),
            Self::Scalar(..) => ("Scalar", "<scalar>"),
        };
        if version.names_tokens_by_constant() {
            constant
        } else {
            description
        }
    }

    /// The name as it stands behind "but found": later releases put it in quotes.
    pub(super) fn found(&self, version: YamlVersion) -> String {
        let name = self.name(version);
        if version.names_tokens_by_constant() {
            name.to_owned()
        } else {
            format!("'{name}'")
        }
    }
}
