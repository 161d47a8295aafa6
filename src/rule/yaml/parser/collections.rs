//! The states inside sequences and mappings.

use super::{Parser, State};
use crate::rule::yaml::Position;
use crate::rule::yaml::error::YamlError;
use crate::rule::yaml::event::{Event, EventKind, Properties};
use crate::rule::yaml::token::TokenKind;

impl Parser {
    /// The error of a block collection that goes on with the wrong token.
    fn no_block_end(&mut self, what: &str) -> Result<Event, YamlError> {
        let version = self.scanner.version();
        let token = self.scanner.peek()?;
        let problem = format!(
            "expected <block end>, but found {}",
            token.kind.found(version)
        );
        let at = token.start;
        Err(Self::error(problem, at)
            .within(format!("while parsing a block {what}"), self.marks.pop()))
    }

    /// Takes the token that closes a collection.
    fn close(&mut self, kind: EventKind) -> Result<Event, YamlError> {
        let token = self.scanner.next()?;
        self.marks.pop();
        self.pop_state();
        Ok(Event {
            kind,
            start: token.start,
            end: token.end,
        })
    }

    pub(super) fn block_sequence_entry(&mut self) -> Result<Event, YamlError> {
        match self.scanner.peek()?.kind {
            TokenKind::BlockEntry => {
                let end = self.scanner.next()?.end;
                if self.at(|it| matches!(it, TokenKind::BlockEntry | TokenKind::BlockEnd))? {
                    self.state = State::BlockSequenceEntry;
                    return Ok(Self::empty(end));
                }
                self.states.push(State::BlockSequenceEntry);
                self.node(true, false)
            }
            TokenKind::BlockEnd => self.close(EventKind::SequenceEnd),
            _ => self.no_block_end("collection"),
        }
    }

    /// A sequence at the indentation of its key.
    pub(super) fn indentless_sequence_entry(&mut self) -> Result<Event, YamlError> {
        let token = self.scanner.peek()?;
        if token.kind != TokenKind::BlockEntry {
            let event = Event {
                kind: EventKind::SequenceEnd,
                start: token.start,
                end: token.end,
            };
            self.pop_state();
            return Ok(event);
        }
        let end = self.scanner.next()?.end;
        let empty = self.at(|it| {
            matches!(
                it,
                TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd
            )
        })?;
        if empty {
            self.state = State::IndentlessSequenceEntry;
            return Ok(Self::empty(end));
        }
        self.states.push(State::IndentlessSequenceEntry);
        self.node(true, false)
    }

    pub(super) fn block_mapping_key(&mut self) -> Result<Event, YamlError> {
        match self.scanner.peek()?.kind {
            TokenKind::Key => {
                let end = self.scanner.next()?.end;
                self.block_mapping_part(end, State::BlockMappingValue)
            }
            TokenKind::BlockEnd => self.close(EventKind::MappingEnd),
            _ => self.no_block_end("mapping"),
        }
    }

    pub(super) fn block_mapping_value(&mut self) -> Result<Event, YamlError> {
        let lenient = self.scanner.version().scalar_may_replace_colon();
        match self.scanner.peek()?.kind {
            TokenKind::Value => {
                let end = self.scanner.next()?.end;
                self.block_mapping_part(end, State::BlockMappingKey)
            }
            TokenKind::Scalar(..) if lenient => {
                self.states.push(State::BlockMappingKey);
                self.node(true, true)
            }
            _ => {
                self.state = State::BlockMappingKey;
                self.empty_here()
            }
        }
    }

    /// A key or value of a block mapping, which may be missing.
    fn block_mapping_part(&mut self, end: Position, then: State) -> Result<Event, YamlError> {
        if self.at(|it| matches!(it, TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd))? {
            self.state = then;
            return Ok(Self::empty(end));
        }
        self.states.push(then);
        self.node(true, true)
    }

    /// The error of a flow collection that is not closed.
    fn no_flow_end(&mut self, what: &str, expected: &str) -> Result<Event, YamlError> {
        let version = self.scanner.version();
        let token = self.scanner.peek()?;
        let problem = format!("expected {expected}, but got {}", token.kind.name(version));
        let at = token.start;
        Err(Self::error(problem, at)
            .within(format!("while parsing a flow {what}"), self.marks.pop()))
    }

    fn close_flow(&mut self, kind: EventKind) -> Result<Event, YamlError> {
        let event = self.close(kind)?;
        if self.scanner.version().looks_behind_flow_end() {
            self.scanner.peek()?;
        }
        Ok(event)
    }

    pub(super) fn flow_sequence_entry(&mut self, first: bool) -> Result<Event, YamlError> {
        if !self.at(|it| *it == TokenKind::FlowSequenceEnd)? {
            if !first {
                if !self.at(|it| *it == TokenKind::FlowEntry)? {
                    return self.no_flow_end("sequence", "',' or ']'");
                }
                self.scanner.next()?;
            }
            let token = self.scanner.peek()?;
            match token.kind {
                TokenKind::Key => {
                    let kind = EventKind::MappingStart(Properties::default());
                    let event = Event {
                        kind,
                        start: token.start,
                        end: token.end,
                    };
                    self.state = State::FlowSequencePairKey;
                    return Ok(event);
                }
                TokenKind::FlowSequenceEnd => {}
                _ => {
                    self.states.push(State::FlowSequenceEntry { first: false });
                    return self.node(false, false);
                }
            }
        }
        self.close_flow(EventKind::SequenceEnd)
    }

    /// The key of a pair in a sequence: `[a: b]`.
    pub(super) fn flow_sequence_pair_key(&mut self) -> Result<Event, YamlError> {
        let end = self.scanner.next()?.end;
        let empty = self.at(|it| {
            matches!(
                it,
                TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd
            )
        })?;
        self.flow_part(empty, end, State::FlowSequencePairValue)
    }

    pub(super) fn flow_sequence_pair_value(&mut self) -> Result<Event, YamlError> {
        if !self.at(|it| *it == TokenKind::Value)? {
            self.state = State::FlowSequencePairEnd;
            return self.empty_here();
        }
        let end = self.scanner.next()?.end;
        let empty =
            self.at(|it| matches!(it, TokenKind::FlowEntry | TokenKind::FlowSequenceEnd))?;
        self.flow_part(empty, end, State::FlowSequencePairEnd)
    }

    pub(super) fn flow_sequence_pair_end(&mut self) -> Result<Event, YamlError> {
        self.state = State::FlowSequenceEntry { first: false };
        let token = self.scanner.peek()?;
        Ok(Event {
            kind: EventKind::MappingEnd,
            start: token.start,
            end: token.end,
        })
    }

    pub(super) fn flow_mapping_key(&mut self, first: bool) -> Result<Event, YamlError> {
        if !self.at(|it| *it == TokenKind::FlowMappingEnd)? {
            if !first {
                if !self.at(|it| *it == TokenKind::FlowEntry)? {
                    return self.no_flow_end("mapping", "',' or '}'");
                }
                self.scanner.next()?;
            }
            match self.scanner.peek()?.kind {
                TokenKind::Key => {
                    let end = self.scanner.next()?.end;
                    let empty = self.at(|it| {
                        matches!(
                            it,
                            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd
                        )
                    })?;
                    return self.flow_part(empty, end, State::FlowMappingValue);
                }
                TokenKind::FlowMappingEnd => {}
                _ => {
                    self.states.push(State::FlowMappingEmptyValue);
                    return self.node(false, false);
                }
            }
        }
        self.close_flow(EventKind::MappingEnd)
    }

    pub(super) fn flow_mapping_value(&mut self) -> Result<Event, YamlError> {
        if !self.at(|it| *it == TokenKind::Value)? {
            self.state = State::FlowMappingKey { first: false };
            return self.empty_here();
        }
        let end = self.scanner.next()?.end;
        let empty = self.at(|it| matches!(it, TokenKind::FlowEntry | TokenKind::FlowMappingEnd))?;
        self.flow_part(empty, end, State::FlowMappingKey { first: false })
    }

    /// A key or value in a flow collection, which may be missing.
    fn flow_part(&mut self, empty: bool, end: Position, then: State) -> Result<Event, YamlError> {
        if empty {
            self.state = then;
            return Ok(Self::empty(end));
        }
        self.states.push(then);
        self.node(false, false)
    }
}
