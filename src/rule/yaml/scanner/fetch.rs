//! One method for each kind of token: whether it may stand here, and what may follow.

use super::Scanner;
use crate::rule::yaml::error::YamlError;
use crate::rule::yaml::token::{Token, TokenKind};

impl Scanner {
    pub(super) fn fetch_stream_end(&mut self) -> Result<(), YamlError> {
        self.unwind_indent(-1);
        self.remove_simple_key()?;
        self.allow_simple_key = false;
        self.simple_keys.clear();
        self.push_here(TokenKind::StreamEnd);
        self.stream_ended = true;
        Ok(())
    }

    pub(super) fn fetch_directive(&mut self) -> Result<(), YamlError> {
        self.unwind_indent(-1);
        self.remove_simple_key()?;
        self.allow_simple_key = false;
        let token = self.scan_directive()?;
        self.tokens.push_back(token);
        Ok(())
    }

    pub(super) fn fetch_document_indicator(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        self.unwind_indent(-1);
        self.remove_simple_key()?;
        self.allow_simple_key = false;
        self.push_forward(kind, 3);
        Ok(())
    }

    pub(super) fn fetch_flow_start(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        self.save_simple_key()?;
        self.flow_level += 1;
        self.allow_simple_key = true;
        self.push_forward(kind, 1);
        Ok(())
    }

    pub(super) fn fetch_flow_end(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        self.remove_simple_key()?;
        self.flow_level -= 1;
        self.allow_simple_key = false;
        self.push_forward(kind, 1);
        Ok(())
    }

    pub(super) fn fetch_flow_entry(&mut self) -> Result<(), YamlError> {
        self.allow_simple_key = true;
        self.remove_simple_key()?;
        self.push_forward(TokenKind::FlowEntry, 1);
        Ok(())
    }

    pub(super) fn fetch_block_entry(&mut self) -> Result<(), YamlError> {
        if !self.in_flow() {
            if !self.allow_simple_key {
                return Err(self.not_allowed("sequence entries are not allowed here"));
            }
            if self.add_indent(self.reader.column()) {
                self.push_here(TokenKind::BlockSequenceStart);
            }
        }
        self.allow_simple_key = true;
        self.remove_simple_key()?;
        self.push_forward(TokenKind::BlockEntry, 1);
        Ok(())
    }

    pub(super) fn fetch_key(&mut self) -> Result<(), YamlError> {
        if !self.in_flow() {
            if !self.allow_simple_key {
                return Err(self.not_allowed("mapping keys are not allowed here"));
            }
            if self.add_indent(self.reader.column()) {
                self.push_here(TokenKind::BlockMappingStart);
            }
        }
        self.allow_simple_key = !self.in_flow();
        self.remove_simple_key()?;
        self.push_forward(TokenKind::Key, 1);
        Ok(())
    }

    pub(super) fn fetch_value(&mut self) -> Result<(), YamlError> {
        if let Some(key) = self.take_simple_key() {
            let at = key.token_number - self.tokens_taken;
            self.tokens.insert(
                at,
                Token {
                    kind: TokenKind::Key,
                    start: key.start,
                    end: key.start,
                },
            );
            if !self.in_flow() && self.add_indent(key.column) {
                self.tokens.insert(
                    at,
                    Token {
                        kind: TokenKind::BlockMappingStart,
                        start: key.start,
                        end: key.start,
                    },
                );
            }
            self.allow_simple_key = false;
        } else {
            if !self.in_flow() {
                if !self.allow_simple_key {
                    return Err(self.not_allowed("mapping values are not allowed here"));
                }
                if self.add_indent(self.reader.column()) {
                    self.push_here(TokenKind::BlockMappingStart);
                }
            }
            self.allow_simple_key = !self.in_flow();
        }
        self.push_forward(TokenKind::Value, 1);
        Ok(())
    }

    pub(super) fn fetch_block_scalar(&mut self, folded: bool) -> Result<(), YamlError> {
        self.allow_simple_key = true;
        self.remove_simple_key()?;
        let token = self.scan_block_scalar(folded)?;
        self.tokens.push_back(token);
        Ok(())
    }

    /// A token that may be a simple key.
    pub(super) fn fetch_inline(
        &mut self,
        scan: impl FnOnce(&mut Self) -> Result<Token, YamlError>,
    ) -> Result<(), YamlError> {
        self.save_simple_key()?;
        self.allow_simple_key = false;
        let token = scan(self)?;
        self.tokens.push_back(token);
        Ok(())
    }
}
