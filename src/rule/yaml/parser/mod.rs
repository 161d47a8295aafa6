//! Tokens to events, mirroring `org.yaml.snakeyaml.parser.ParserImpl`: a machine with a stack of states, no recursion.

mod collections;
mod node;

use std::collections::HashMap;

use super::error::{ExceptionClass, YamlError};
use super::event::{Event, EventKind, Properties};
use super::position::Position;
use super::scanner::Scanner;
use super::tag;
use super::token::{Directive, ScalarStyle, TokenKind};

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

/// The handles of `%TAG`. Two more always exist.
type TagHandles = HashMap<String, String>;

impl Parser {
    pub(super) fn new(scanner: Scanner) -> Self {
        Self {
            scanner,
            state: State::StreamStart,
            states: Vec::new(),
            marks: Vec::new(),
            current: None,
            handles: TagHandles::new(),
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

    /// What a handle stands for.
    fn prefix(&self, handle: &str) -> Option<&str> {
        match (self.handles.get(handle), handle) {
            (Some(prefix), _) => Some(prefix),
            (None, "!") => Some("!"),
            (None, "!!") => Some(tag::PREFIX),
            _ => None,
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
            std::mem::take(&mut self.handles)
        } else {
            TagHandles::new()
        };
        declared.retain(|handle, _| handle != "!" && handle != "!!");
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
                Directive::Tag { handle, prefix } => {
                    if declared.contains_key(&handle) {
                        let problem = format!("duplicate tag handle {handle}");
                        return Err(Self::error(problem, start));
                    }
                    declared.insert(handle, prefix);
                }
                Directive::Other => {}
            }
        }
        if keeps || versioned || !declared.is_empty() {
            self.handles = declared;
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
