//! Simple keys and indentation: what turns lines into mappings and sequences.

use super::{Scanner, as_indent};
use crate::rule::yaml::Position;
use crate::rule::yaml::error::{ExceptionClass, YamlError};
use crate::rule::yaml::token::TokenKind;

/// A token that becomes a key when a `:` follows on the same line within 1024 characters.
pub(super) struct SimpleKey {
    pub(super) flow_level: i32,
    pub(super) token_number: usize,
    pub(super) required: bool,
    pub(super) index: usize,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) start: Position,
}

/// How far a simple key may reach.
const SIMPLE_KEY_LENGTH: usize = 1024;

impl Scanner {
    /// Keys that lie on an earlier line or too far back are none any more. They stand in front: a later one is nearer.
    pub(super) fn drop_stale_simple_keys(&mut self) -> Result<(), YamlError> {
        while let Some(key) = self.simple_keys.front() {
            let stale = key.line != self.reader.line()
                || self.reader.index() - key.index > SIMPLE_KEY_LENGTH;
            if !stale {
                break;
            }
            if key.required {
                return Err(self.missing_colon(key.start));
            }
            self.simple_keys.pop_front();
        }
        Ok(())
    }

    pub(super) fn missing_colon(&self, start: Position) -> YamlError {
        self.error(
            "while scanning a simple key",
            Some(start),
            "could not find expected ':'",
        )
    }

    pub(super) fn save_simple_key(&mut self) -> Result<(), YamlError> {
        let column = self.reader.column();
        let required = !self.in_flow() && self.indent == as_indent(column);
        if !self.allow_simple_key {
            if required {
                let problem =
                    "A simple key is required only if it is the first token in the current line";
                return Err(YamlError::placeless(
                    ExceptionClass::Yaml,
                    problem,
                    self.reader.position(),
                ));
            }
            return Ok(());
        }
        self.remove_simple_key()?;
        self.simple_keys.push_back(SimpleKey {
            flow_level: self.flow_level,
            token_number: self.tokens_taken + self.tokens.len(),
            required,
            index: self.reader.index(),
            line: self.reader.line(),
            column,
            start: self.reader.position(),
        });
        Ok(())
    }

    /// Takes the key of this flow level, the last one if there is one.
    pub(super) fn take_simple_key(&mut self) -> Option<SimpleKey> {
        let here = self
            .simple_keys
            .back()
            .is_some_and(|key| key.flow_level == self.flow_level);
        if here {
            self.simple_keys.pop_back()
        } else {
            None
        }
    }

    pub(super) fn remove_simple_key(&mut self) -> Result<(), YamlError> {
        match self.take_simple_key() {
            Some(key) if key.required => Err(self.missing_colon(key.start)),
            _ => Ok(()),
        }
    }

    /// Closes the block collections that are indented deeper than `column`.
    pub(super) fn unwind_indent(&mut self, column: isize) {
        if self.in_flow() {
            return;
        }
        while self.indent > column {
            self.indent = self.indents.pop().unwrap_or(-1);
            self.push_here(TokenKind::BlockEnd);
        }
    }

    pub(super) fn add_indent(&mut self, column: usize) -> bool {
        let deeper = self.indent < as_indent(column);
        if deeper {
            self.indents.push(self.indent);
            self.indent = as_indent(column);
        }
        deeper
    }
}
