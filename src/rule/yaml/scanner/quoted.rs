//! Scalars in single and double quotes.

use super::Scanner;
use super::text::ScalarText;
use crate::rule::yaml::Position;
use crate::rule::yaml::chars::{self, END};
use crate::rule::yaml::error::{ExceptionClass, YamlError};
use crate::rule::yaml::token::{ScalarStyle, Token, TokenKind};

const DOUBLE: &str = "while scanning a double-quoted scalar";

impl Scanner {
    /// `ScannerImpl.scanFlowScalar`.
    pub(super) fn scan_quoted(&mut self, quote: char) -> Result<Token, YamlError> {
        let style = if quote == '"' {
            ScalarStyle::DoubleQuoted
        } else {
            ScalarStyle::SingleQuoted
        };
        let start = self.reader.position();
        let mut text = ScalarText::default();
        self.reader.forward(1);
        self.scan_quoted_text(style, start, &mut text)?;
        while self.reader.peek() != quote {
            self.scan_quoted_spaces(start, &mut text)?;
            self.scan_quoted_text(style, start, &mut text)?;
        }
        self.reader.forward(1);
        Ok(Token {
            kind: TokenKind::Scalar(text.finish(), style),
            start,
            end: self.reader.position(),
        })
    }

    /// Everything up to white space or the closing quote.
    fn scan_quoted_text(
        &mut self,
        style: ScalarStyle,
        start: Position,
        text: &mut ScalarText,
    ) -> Result<(), YamlError> {
        let double = style == ScalarStyle::DoubleQuoted;
        loop {
            let length = self
                .reader
                .count(|c| !chars::is_white_or_break(c) && !matches!(c, '\'' | '"' | '\\'));
            text.extend(self.reader.take(length));
            match self.reader.peek() {
                '\'' if !double && self.reader.peek_at(1) == '\'' => {
                    text.push('\'');
                    self.reader.forward(2);
                }
                c @ '\'' if double => self.take_char(c, text),
                c @ ('"' | '\\') if !double => self.take_char(c, text),
                '\\' => {
                    self.reader.forward(1);
                    self.scan_escape(start, text)?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn take_char(&mut self, c: char, text: &mut ScalarText) {
        text.push(c);
        self.reader.forward(1);
    }

    /// What follows a backslash.
    fn scan_escape(&mut self, start: Position, text: &mut ScalarText) -> Result<(), YamlError> {
        let c = self.reader.peek();
        if let Some(replacement) = replacement(c) {
            text.push(replacement);
            self.reader.forward(1);
            return Ok(());
        }
        if let Some(length) = code_length(c) {
            self.reader.forward(1);
            return self.scan_code(length, start, text);
        }
        if self.reader.take_break().is_some() {
            let breaks = self.scan_quoted_breaks(start)?;
            text.extend(&breaks);
            return Ok(());
        }
        let problem = format!("found unknown escape character {}", chars::shown(c));
        Err(self.error(DOUBLE, Some(start), problem))
    }

    /// The digits of `\x`, `\u` or `\U`. At the end of the text fewer are taken, as in Java.
    fn scan_code(
        &mut self,
        length: usize,
        start: Position,
        text: &mut ScalarText,
    ) -> Result<(), YamlError> {
        let hex: String = self.reader.prefix(length).iter().collect();
        if !hex.chars().all(|c| c.is_ascii_hexdigit()) {
            let problem = format!(
                "expected escape sequence of {length} hexadecimal numbers, but found: {hex}"
            );
            return Err(self.error(DOUBLE, Some(start), problem));
        }
        let Some(code) = u32::from_str_radix(&hex, 16)
            .ok()
            .filter(|code| i32::try_from(*code).is_ok())
        else {
            let problem = format!("not a number: the escape holds \"{hex}\"");
            return Err(YamlError::placeless(
                ExceptionClass::NumberFormat,
                problem,
                self.reader.position(),
            ));
        };
        if !text.push_code(code) {
            if self.version.reports_escape_range() {
                let problem = format!("found unknown escape character {hex}");
                return Err(self.error(DOUBLE, Some(start), problem));
            }
            let problem = format!("not a valid Unicode code point: 0x{hex}");
            return Err(YamlError::placeless(
                ExceptionClass::IllegalArgument,
                problem,
                self.reader.position(),
            ));
        }
        self.reader.forward(length);
        Ok(())
    }

    /// White space: as it is within a line, folded around line breaks.
    fn scan_quoted_spaces(
        &mut self,
        start: Position,
        text: &mut ScalarText,
    ) -> Result<(), YamlError> {
        let length = self.reader.count(|c| c == ' ' || c == '\t');
        let whitespace = self.reader.take(length).to_vec();
        if self.reader.peek() == END {
            return Err(self.error(
                "while scanning a quoted scalar",
                Some(start),
                "found unexpected end of stream",
            ));
        }
        match self.reader.take_break() {
            None => text.extend(&whitespace),
            Some(first) => {
                let breaks = self.scan_quoted_breaks(start)?;
                if first != '\n' {
                    text.push(first);
                } else if breaks.is_empty() {
                    text.push(' ');
                }
                text.extend(&breaks);
            }
        }
        Ok(())
    }

    /// Empty lines; what stands between the quotes must not begin a line like a document separator.
    fn scan_quoted_breaks(&mut self, start: Position) -> Result<Vec<char>, YamlError> {
        let mut breaks = Vec::new();
        loop {
            if self.at_separator('-') || self.at_separator('.') {
                let problem = "found unexpected document separator";
                return Err(self.error("while scanning a quoted scalar", Some(start), problem));
            }
            let length = self.reader.count(|c| c == ' ' || c == '\t');
            self.reader.forward(length);
            match self.reader.take_break() {
                Some(c) => breaks.push(c),
                None => return Ok(breaks),
            }
        }
    }
}

/// Escapes of one character (`ESCAPE_REPLACEMENTS`).
fn replacement(c: char) -> Option<char> {
    Some(match c {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' => '\t',
        'n' => '\n',
        'v' => '\u{B}',
        'f' => '\u{C}',
        'r' => '\r',
        'e' => '\u{1B}',
        ' ' | '"' | '\\' => c,
        'N' => '\u{85}',
        '_' => '\u{A0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}

/// Escapes by number, with the count of their digits (`ESCAPE_CODES`).
fn code_length(c: char) -> Option<usize> {
    match c {
        'x' => Some(2),
        'u' => Some(4),
        'U' => Some(8),
        _ => None,
    }
}
