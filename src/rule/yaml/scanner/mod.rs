//! Text to tokens, mirroring `org.yaml.snakeyaml.scanner.ScannerImpl`: indentation, simple keys, what may stand where.
//!
//! The single tokens are read in the files beside this one.

mod block;
mod directive;
mod fetch;
mod key;
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
use key::SimpleKey;

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
        self.peek()?;
        match self.tokens.pop_front() {
            Some(token) if token.kind != TokenKind::StreamEnd => {
                self.tokens_taken += 1;
                Ok(token)
            }
            _ => {
                self.push_here(TokenKind::StreamEnd);
                Ok(self.tokens[0].clone())
            }
        }
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
}
