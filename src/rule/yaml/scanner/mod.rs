//! Text to tokens, mirroring `org.yaml.snakeyaml.scanner.ScannerImpl`: indentation, simple keys, what may stand where.
//!
//! The single tokens are read in the files beside this one.

mod block;
mod directive;
mod plain;
mod property;
mod quoted;
mod text;

use std::collections::VecDeque;

use super::chars::{self, END};
use super::error::{ExceptionClass, YamlError};
use super::position::Position;
use super::reader::Reader;
use super::token::{Token, TokenKind};
use super::version::YamlVersion;

/// Cuts a text into tokens, one by one as the parser asks.
pub(super) struct Scanner {
    version: YamlVersion,
    reader: Reader,
    /// Nested `[` and `{`; below zero after an end without a start, which counts as inside a flow collection.
    flow_level: i32,
    tokens: VecDeque<Token>,
    tokens_taken: usize,
    stream_ended: bool,
    /// Column of the current block collection, -1 outside all.
    indent: isize,
    indents: Vec<isize>,
    allow_simple_key: bool,
    /// Tokens that a `:` may turn into keys, at most one for a flow level; deeper and later ones behind.
    simple_keys: VecDeque<SimpleKey>,
}

/// A token that becomes a key when a `:` follows on the same line within 1024 characters.
struct SimpleKey {
    flow_level: i32,
    token_number: usize,
    required: bool,
    index: usize,
    line: usize,
    column: usize,
    start: Position,
}

/// How far a simple key may reach.
const SIMPLE_KEY_LENGTH: usize = 1024;

/// A column as an indentation.
fn as_indent(column: usize) -> isize {
    isize::try_from(column).unwrap_or(isize::MAX)
}

impl Scanner {
    pub(super) fn new(text: &str, version: YamlVersion) -> Self {
        let reader = Reader::new(text, version);
        let start = reader.position();
        Self {
            version,
            reader,
            flow_level: 0,
            tokens: VecDeque::from([Token {
                kind: TokenKind::StreamStart,
                start,
                end: start,
            }]),
            tokens_taken: 0,
            stream_ended: false,
            indent: -1,
            indents: Vec::new(),
            allow_simple_key: true,
            simple_keys: VecDeque::new(),
        }
    }

    /// The release whose rules are followed.
    pub(super) fn version(&self) -> YamlVersion {
        self.version
    }

    /// The next token, which stays.
    pub(super) fn peek(&mut self) -> Result<&Token, YamlError> {
        while self.needs_more()? {
            self.fetch_more()?;
        }
        Ok(&self.tokens[0])
    }

    /// Takes the next token. The end of the stream can be taken again and again.
    pub(super) fn next(&mut self) -> Result<Token, YamlError> {
        let token = self.peek()?.clone();
        if token.kind != TokenKind::StreamEnd {
            self.tokens.pop_front();
            self.tokens_taken += 1;
        }
        Ok(token)
    }

    /// A document begins with the next token.
    pub(super) fn start_document(&mut self) {
        self.reader.start_document();
    }

    /// Whether the first token can still become a key, or there is none.
    fn needs_more(&mut self) -> Result<bool, YamlError> {
        if self.stream_ended {
            return Ok(false);
        }
        if self.tokens.is_empty() {
            return Ok(true);
        }
        self.drop_stale_simple_keys()?;
        Ok(self
            .simple_keys
            .front()
            .is_some_and(|key| key.token_number == self.tokens_taken))
    }

    fn fetch_more(&mut self) -> Result<(), YamlError> {
        let read = if self.version.counts_per_document() {
            self.reader.document_index()
        } else {
            self.reader.index()
        };
        if let Some(limit) = self.version.code_point_limit()
            && read > limit
        {
            let problem =
                format!("The incoming YAML document exceeds the limit: {limit} code points.");
            return Err(YamlError::placeless(
                ExceptionClass::Yaml,
                problem,
                self.reader.position(),
            ));
        }
        let fetched = self.fetch();
        // A piece of the text that could not be loaded looked like the end of the text: nothing since then counts.
        match self.reader.fault() {
            Some(fault) => Err(fault),
            None => fetched,
        }
    }

    fn fetch(&mut self) -> Result<(), YamlError> {
        self.skip_to_next_token();
        self.drop_stale_simple_keys()?;
        self.unwind_indent(as_indent(self.reader.column()));
        match self.reader.peek() {
            END => self.fetch_stream_end(),
            '%' if self.reader.column() == 0 => self.fetch_directive(),
            '-' if self.at_document_indicator('-') => {
                self.fetch_document_indicator(TokenKind::DocumentStart)
            }
            '-' if self.white_follows() => self.fetch_block_entry(),
            '.' if self.at_document_indicator('.') => {
                self.fetch_document_indicator(TokenKind::DocumentEnd)
            }
            '[' => self.fetch_flow_start(TokenKind::FlowSequenceStart),
            '{' => self.fetch_flow_start(TokenKind::FlowMappingStart),
            ']' => self.fetch_flow_end(TokenKind::FlowSequenceEnd),
            '}' => self.fetch_flow_end(TokenKind::FlowMappingEnd),
            ',' => self.fetch_flow_entry(),
            '?' if self.in_flow() || self.white_follows() => self.fetch_key(),
            ':' if self.in_flow() || self.white_follows() => self.fetch_value(),
            '*' => self.fetch_inline(|it| it.scan_anchor(TokenKind::Alias, "alias")),
            '&' => self.fetch_inline(|it| it.scan_anchor(TokenKind::Anchor, "anchor")),
            '!' => self.fetch_inline(Self::scan_tag),
            '|' if !self.in_flow() => self.fetch_block_scalar(false),
            '>' if !self.in_flow() => self.fetch_block_scalar(true),
            '\'' => self.fetch_inline(|it| it.scan_quoted('\'')),
            '"' => self.fetch_inline(|it| it.scan_quoted('"')),
            _ if self.at_plain() => self.fetch_inline(Self::scan_plain),
            c => {
                let shown = if c == '\t' {
                    "\\t(TAB)".to_owned()
                } else {
                    c.to_string()
                };
                let problem = format!(
                    "found character '{shown}' that cannot start any token. (Do not use {shown} for indentation)"
                );
                Err(self.error("while scanning for the next token", None, problem))
            }
        }
    }

    fn error(
        &self,
        context: &str,
        start: Option<Position>,
        problem: impl Into<String>,
    ) -> YamlError {
        YamlError::marked(ExceptionClass::Scanner, problem, self.reader.position())
            .within(context, start)
    }

    fn not_allowed(&self, problem: &str) -> YamlError {
        YamlError::marked(ExceptionClass::Scanner, problem, self.reader.position())
    }

    fn in_flow(&self) -> bool {
        self.flow_level != 0
    }

    fn white_follows(&self) -> bool {
        chars::is_white_or_break(self.reader.peek_at(1))
    }

    fn at_document_indicator(&self, mark: char) -> bool {
        self.reader.column() == 0 && self.at_separator(mark)
    }

    /// `---` or `...` with white space after it.
    fn at_separator(&self, mark: char) -> bool {
        self.reader.at_triple(mark) && chars::is_white_or_break(self.reader.peek_at(3))
    }

    fn at_plain(&self) -> bool {
        let c = self.reader.peek();
        let indicator = matches!(
            c,
            '-' | '?'
                | ':'
                | ','
                | '['
                | ']'
                | '{'
                | '}'
                | '#'
                | '&'
                | '*'
                | '!'
                | '|'
                | '>'
                | '\''
                | '"'
                | '%'
                | '@'
                | '`'
        );
        (!chars::is_white_or_break(c) && !indicator)
            || (!self.white_follows() && (c == '-' || (!self.in_flow() && (c == '?' || c == ':'))))
    }

    fn skip_to_next_token(&mut self) {
        if self.reader.index() == 0 && self.reader.peek() == '\u{FEFF}' {
            self.reader.forward(1);
        }
        loop {
            self.reader.skip_spaces();
            self.skip_comment();
            if self.reader.take_break().is_none() {
                return;
            }
            if !self.in_flow() {
                self.allow_simple_key = true;
            }
        }
    }

    fn skip_comment(&mut self) {
        if self.reader.peek() == '#' {
            let length = self.reader.count(|c| !chars::is_break_or_end(c));
            if self.version.comment_skips_byte_order_mark() {
                self.reader.forward(length);
            } else {
                self.reader.take(length);
            }
        }
    }

    /// Keys that lie on an earlier line or too far back are none any more. They stand in front: a later one is nearer.
    fn drop_stale_simple_keys(&mut self) -> Result<(), YamlError> {
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

    fn missing_colon(&self, start: Position) -> YamlError {
        self.error(
            "while scanning a simple key",
            Some(start),
            "could not find expected ':'",
        )
    }

    fn save_simple_key(&mut self) -> Result<(), YamlError> {
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
    fn take_simple_key(&mut self) -> Option<SimpleKey> {
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

    fn remove_simple_key(&mut self) -> Result<(), YamlError> {
        match self.take_simple_key() {
            Some(key) if key.required => Err(self.missing_colon(key.start)),
            _ => Ok(()),
        }
    }

    /// Closes the block collections that are indented deeper than `column`.
    fn unwind_indent(&mut self, column: isize) {
        if self.in_flow() {
            return;
        }
        while self.indent > column {
            self.indent = self.indents.pop().unwrap_or(-1);
            self.push_here(TokenKind::BlockEnd);
        }
    }

    fn add_indent(&mut self, column: usize) -> bool {
        let deeper = self.indent < as_indent(column);
        if deeper {
            self.indents.push(self.indent);
            self.indent = as_indent(column);
        }
        deeper
    }

    /// A token without width.
    fn push_here(&mut self, kind: TokenKind) {
        let here = self.reader.position();
        self.tokens.push_back(Token {
            kind,
            start: here,
            end: here,
        });
    }

    /// A token of `length` characters.
    fn push_forward(&mut self, kind: TokenKind, length: usize) {
        let start = self.reader.position();
        self.reader.forward(length);
        self.tokens.push_back(Token {
            kind,
            start,
            end: self.reader.position(),
        });
    }

    fn fetch_stream_end(&mut self) -> Result<(), YamlError> {
        self.unwind_indent(-1);
        self.remove_simple_key()?;
        self.allow_simple_key = false;
        self.simple_keys.clear();
        self.push_here(TokenKind::StreamEnd);
        self.stream_ended = true;
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<(), YamlError> {
        self.unwind_indent(-1);
        self.remove_simple_key()?;
        self.allow_simple_key = false;
        let token = self.scan_directive()?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn fetch_document_indicator(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        self.unwind_indent(-1);
        self.remove_simple_key()?;
        self.allow_simple_key = false;
        self.push_forward(kind, 3);
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        self.save_simple_key()?;
        self.flow_level += 1;
        self.allow_simple_key = true;
        self.push_forward(kind, 1);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        self.remove_simple_key()?;
        self.flow_level -= 1;
        self.allow_simple_key = false;
        self.push_forward(kind, 1);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<(), YamlError> {
        self.allow_simple_key = true;
        self.remove_simple_key()?;
        self.push_forward(TokenKind::FlowEntry, 1);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), YamlError> {
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

    fn fetch_key(&mut self) -> Result<(), YamlError> {
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

    fn fetch_value(&mut self) -> Result<(), YamlError> {
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

    fn fetch_block_scalar(&mut self, folded: bool) -> Result<(), YamlError> {
        self.allow_simple_key = true;
        self.remove_simple_key()?;
        let token = self.scan_block_scalar(folded)?;
        self.tokens.push_back(token);
        Ok(())
    }

    /// A token that may be a simple key.
    fn fetch_inline(
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
