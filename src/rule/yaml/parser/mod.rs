//! Tokens to events, mirroring `org.yaml.snakeyaml.parser.ParserImpl`: a machine with a stack of states, no recursion.

mod collections;

use super::error::{ExceptionClass, YamlError};
use super::event::{Event, EventKind, Properties};
use super::position::Position;
use super::scanner::Scanner;
use super::tag;
use super::token::{Directive, ScalarStyle, TagName, TokenKind};

/// What is expected next (`Production`).
#[derive(Clone, Copy, Debug)]
enum State {
    StreamStart,
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceFirstEntry,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingFirstKey,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirstEntry,
    FlowSequenceEntry { first: bool },
    FlowSequencePairKey,
    FlowSequencePairValue,
    FlowSequencePairEnd,
    FlowMappingFirstKey,
    FlowMappingKey { first: bool },
    FlowMappingValue,
    FlowMappingEmptyValue,
}

/// Turns a text into events.
pub(super) struct Parser {
    scanner: Scanner,
    state: State,
    states: Vec<State>,
    /// Where the open collections begin.
    marks: Vec<Position>,
    current: Option<Event>,
    handles: TagHandles,
}

/// The handles of `%TAG` and the two that always exist.
struct TagHandles {
    declared: Vec<(String, String)>,
}

impl TagHandles {
    fn prefix(&self, handle: &str) -> Option<&str> {
        let declared = self
            .declared
            .iter()
            .find(|(name, _)| name == handle)
            .map(|(_, prefix)| prefix.as_str());
        declared.or(match handle {
            "!" => Some("!"),
            "!!" => Some(tag::PREFIX),
            _ => None,
        })
    }
}

impl Parser {
    pub(super) fn new(scanner: Scanner) -> Self {
        Self {
            scanner,
            state: State::StreamStart,
            states: Vec::new(),
            marks: Vec::new(),
            current: None,
            handles: TagHandles {
                declared: Vec::new(),
            },
        }
    }

    /// The next event, which stays.
    pub(super) fn peek(&mut self) -> Result<&Event, YamlError> {
        let event = match self.current.take() {
            Some(event) => event,
            None => self.produce()?,
        };
        Ok(self.current.insert(event))
    }

    /// Takes the next event.
    pub(super) fn next(&mut self) -> Result<Event, YamlError> {
        match self.current.take() {
            Some(event) => Ok(event),
            None => self.produce(),
        }
    }

    fn at(&mut self, wanted: impl Fn(&TokenKind) -> bool) -> Result<bool, YamlError> {
        Ok(wanted(&self.scanner.peek()?.kind))
    }

    fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(State::DocumentEnd);
    }

    fn produce(&mut self) -> Result<Event, YamlError> {
        match self.state {
            State::StreamStart => {
                let token = self.scanner.next()?;
                self.state = State::ImplicitDocumentStart;
                Ok(Event {
                    kind: EventKind::StreamStart,
                    start: token.start,
                    end: token.end,
                })
            }
            State::ImplicitDocumentStart => self.implicit_document_start(),
            State::DocumentStart => self.document_start(),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(true, false),
            State::BlockSequenceFirstEntry => {
                self.open()?;
                self.block_sequence_entry()
            }
            State::BlockSequenceEntry => self.block_sequence_entry(),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockMappingFirstKey => {
                self.open()?;
                self.block_mapping_key()
            }
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirstEntry => {
                self.open()?;
                self.flow_sequence_entry(true)
            }
            State::FlowSequenceEntry { first } => self.flow_sequence_entry(first),
            State::FlowSequencePairKey => self.flow_sequence_pair_key(),
            State::FlowSequencePairValue => self.flow_sequence_pair_value(),
            State::FlowSequencePairEnd => self.flow_sequence_pair_end(),
            State::FlowMappingFirstKey => {
                self.open()?;
                self.flow_mapping_key(true)
            }
            State::FlowMappingKey { first } => self.flow_mapping_key(first),
            State::FlowMappingValue => self.flow_mapping_value(),
            State::FlowMappingEmptyValue => {
                self.state = State::FlowMappingKey { first: false };
                self.empty_here()
            }
        }
    }

    /// Takes the token that opens a collection.
    fn open(&mut self) -> Result<(), YamlError> {
        let start = self.scanner.next()?.start;
        self.marks.push(start);
        Ok(())
    }

    fn error(problem: String, at: Position) -> YamlError {
        YamlError::marked(ExceptionClass::Parser, problem, at)
    }

    fn implicit_document_start(&mut self) -> Result<Event, YamlError> {
        let explicit = self.at(|it| {
            matches!(
                it,
                TokenKind::Directive(_) | TokenKind::DocumentStart | TokenKind::StreamEnd
            )
        })?;
        if explicit {
            return self.document_start();
        }
        let start = self.scanner.peek()?.start;
        self.states.push(State::DocumentEnd);
        self.state = State::BlockNode;
        Ok(Event {
            kind: EventKind::DocumentStart,
            start,
            end: start,
        })
    }

    fn document_start(&mut self) -> Result<Event, YamlError> {
        while self.at(|it| *it == TokenKind::DocumentEnd)? {
            self.scanner.next()?;
        }
        if !self.at(|it| *it == TokenKind::StreamEnd)? {
            self.scanner.start_document();
            let start = self.scanner.peek()?.start;
            self.directives()?;
            let version = self.scanner.version();
            let ended =
                version.directives_may_end_stream() && self.at(|it| *it == TokenKind::StreamEnd)?;
            if !ended {
                let token = self.scanner.peek()?;
                if token.kind != TokenKind::DocumentStart {
                    let found = token.kind.found(version);
                    let problem = format!("expected '<document start>', but found {found}");
                    return Err(Self::error(problem, token.start));
                }
                let end = self.scanner.next()?.end;
                self.states.push(State::DocumentEnd);
                self.state = State::DocumentContent;
                return Ok(Event {
                    kind: EventKind::DocumentStart,
                    start,
                    end,
                });
            }
        }
        let token = self.scanner.next()?;
        Ok(Event {
            kind: EventKind::StreamEnd,
            start: token.start,
            end: token.end,
        })
    }

    /// `processDirectives`: reads the `%` lines before a document.
    fn directives(&mut self) -> Result<(), YamlError> {
        let keeps = self.scanner.version().keeps_tag_handles();
        let mut versioned = false;
        let mut declared = if keeps {
            std::mem::take(&mut self.handles.declared)
        } else {
            Vec::new()
        };
        declared.retain(|(handle, _)| handle != "!" && handle != "!!");
        loop {
            let token = self.scanner.peek()?;
            let start = token.start;
            let TokenKind::Directive(directive) = token.kind.clone() else {
                break;
            };
            self.scanner.next()?;
            match directive {
                Directive::Yaml { .. } if versioned => {
                    return Err(Self::error(
                        "found duplicate YAML directive".to_owned(),
                        start,
                    ));
                }
                Directive::Yaml { major: 1 } => versioned = true,
                Directive::Yaml { .. } => {
                    let problem = "found incompatible YAML document (version 1.* is required)";
                    return Err(Self::error(problem.to_owned(), start));
                }
                Directive::Tag { handle, .. }
                    if declared.iter().any(|(name, _)| *name == handle) =>
                {
                    return Err(Self::error(format!("duplicate tag handle {handle}"), start));
                }
                Directive::Tag { handle, prefix } => declared.push((handle, prefix)),
                Directive::Other => {}
            }
        }
        if keeps || versioned || !declared.is_empty() {
            self.handles.declared = declared;
        }
        Ok(())
    }

    fn document_content(&mut self) -> Result<Event, YamlError> {
        let empty = self.at(|it| {
            matches!(
                it,
                TokenKind::Directive(_)
                    | TokenKind::DocumentStart
                    | TokenKind::DocumentEnd
                    | TokenKind::StreamEnd
            )
        })?;
        if empty {
            let event = self.empty_here()?;
            self.pop_state();
            return Ok(event);
        }
        self.node(true, false)
    }

    fn document_end(&mut self) -> Result<Event, YamlError> {
        let token = self.scanner.peek()?;
        let start = token.start;
        let mut end = start;
        if token.kind == TokenKind::DocumentEnd {
            end = self.scanner.next()?.end;
        }
        self.state = State::DocumentStart;
        Ok(Event {
            kind: EventKind::DocumentEnd,
            start,
            end,
        })
    }

    /// `parseNode`: an alias, or properties and content.
    fn node(&mut self, block: bool, indentless: bool) -> Result<Event, YamlError> {
        let token = self.scanner.peek()?;
        if let TokenKind::Alias(name) = &token.kind {
            let event = Event {
                kind: EventKind::Alias(name.clone()),
                start: token.start,
                end: token.end,
            };
            self.scanner.next()?;
            self.pop_state();
            return Ok(event);
        }
        let (properties, place) = self.properties()?;
        let token = self.scanner.peek()?;
        let (start, end) = place.unwrap_or((token.start, token.start));
        let (kind, end, state) = match &token.kind {
            TokenKind::BlockEntry if indentless => (
                EventKind::SequenceStart(properties),
                token.end,
                State::IndentlessSequenceEntry,
            ),
            TokenKind::Scalar(..) => return self.scalar(properties, start),
            TokenKind::FlowSequenceStart => (
                EventKind::SequenceStart(properties),
                token.end,
                State::FlowSequenceFirstEntry,
            ),
            TokenKind::FlowMappingStart => (
                EventKind::MappingStart(properties),
                token.end,
                State::FlowMappingFirstKey,
            ),
            TokenKind::BlockSequenceStart if block => (
                EventKind::SequenceStart(properties),
                token.start,
                State::BlockSequenceFirstEntry,
            ),
            TokenKind::BlockMappingStart if block => (
                EventKind::MappingStart(properties),
                token.start,
                State::BlockMappingFirstKey,
            ),
            _ if properties != Properties::default() => {
                let implicit = properties.tag.as_deref().is_none_or(|tag| tag == "!");
                self.pop_state();
                let kind = EventKind::Scalar {
                    properties,
                    text: String::new(),
                    style: ScalarStyle::Plain,
                    implicit,
                };
                return Ok(Event { kind, start, end });
            }
            other => {
                let at = token.start;
                let found = other.clone().found(self.scanner.version());
                let context = if block {
                    "while parsing a block node"
                } else {
                    "while parsing a flow node"
                };
                let problem = format!("expected the node content, but found {found}");
                return Err(Self::error(problem, at).within(context, Some(start)));
            }
        };
        self.state = state;
        Ok(Event { kind, start, end })
    }

    fn scalar(&mut self, properties: Properties, start: Position) -> Result<Event, YamlError> {
        let token = self.scanner.next()?;
        self.pop_state();
        let (text, style) = match token.kind {
            TokenKind::Scalar(text, style) => (text, style),
            _ => (String::new(), ScalarStyle::Plain),
        };
        let implicit = match properties.tag.as_deref() {
            None => style == ScalarStyle::Plain,
            Some(tag) => tag == "!",
        };
        Ok(Event {
            kind: EventKind::Scalar {
                properties,
                text,
                style,
                implicit,
            },
            start,
            end: token.end,
        })
    }

    /// Anchor and tag, in either order, and where they stand.
    fn properties(&mut self) -> Result<(Properties, Option<(Position, Position)>), YamlError> {
        let mut place: Option<(Position, Position)> = None;
        let mut anchor = None;
        let mut tag: Option<(TagName, Position)> = None;
        while anchor.is_none() || tag.is_none() {
            let token = self.scanner.peek()?;
            let (start, end) = (token.start, token.end);
            match &token.kind {
                TokenKind::Anchor(name) if anchor.is_none() => anchor = Some(name.clone()),
                TokenKind::Tag(name) if tag.is_none() => tag = Some((name.clone(), start)),
                _ => break,
            }
            self.scanner.next()?;
            place = Some((place.map_or(start, |(first, _)| first), end));
        }
        let tag = match tag {
            None => None,
            Some((
                TagName {
                    handle: None,
                    suffix,
                },
                _,
            )) => Some(suffix),
            Some((
                TagName {
                    handle: Some(handle),
                    suffix,
                },
                at,
            )) => {
                let Some(prefix) = self.handles.prefix(&handle) else {
                    let start = place.map(|(start, _)| start);
                    return Err(
                        Self::error(format!("found undefined tag handle {handle}"), at)
                            .within("while parsing a node", start),
                    );
                };
                Some(format!("{prefix}{suffix}"))
            }
        };
        Ok((Properties { anchor, tag }, place))
    }

    /// A node that is not there.
    fn empty(at: Position) -> Event {
        let kind = EventKind::Scalar {
            properties: Properties::default(),
            text: String::new(),
            style: ScalarStyle::Plain,
            implicit: true,
        };
        Event {
            kind,
            start: at,
            end: at,
        }
    }

    fn empty_here(&mut self) -> Result<Event, YamlError> {
        Ok(Self::empty(self.scanner.peek()?.start))
    }
}
