//! What stands before a node: anchors, aliases and tags.

use super::Scanner;
use crate::rule::yaml::Position;
use crate::rule::yaml::chars;
use crate::rule::yaml::error::{ExceptionClass, YamlError};
use crate::rule::yaml::number;
use crate::rule::yaml::token::{TagName, Token, TokenKind};

impl Scanner {
    /// `ScannerImpl.scanAnchor`: `&name` or `*name`.
    pub(super) fn scan_anchor(
        &mut self,
        kind: impl FnOnce(String) -> TokenKind,
        word: &str,
    ) -> Result<Token, YamlError> {
        let start = self.reader.position();
        self.reader.forward(1);
        let narrow = self.version.narrow_anchors();
        let length = self.reader.count(|c| {
            if narrow {
                chars::is_word(c)
            } else {
                !chars::is_white_or_break(c)
                    && !matches!(c, ':' | ',' | '[' | ']' | '{' | '}' | '/' | '.' | '*' | '&')
            }
        });
        if length == 0 {
            return Err(self.bad_anchor(word, start));
        }
        let name = self.reader.take(length).iter().collect();
        let c = self.reader.peek();
        if !chars::is_white_or_break(c)
            && !matches!(c, '?' | ':' | ',' | ']' | '}' | '%' | '@' | '`')
        {
            return Err(self.bad_anchor(word, start));
        }
        Ok(Token {
            kind: kind(name),
            start,
            end: self.reader.position(),
        })
    }

    fn bad_anchor(&self, word: &str, start: Position) -> YamlError {
        let shown = chars::shown(self.reader.peek());
        let problem = if self.version.narrow_anchors() {
            format!("expected alphabetic or numeric character, but found {shown}")
        } else {
            format!("unexpected character found {shown}")
        };
        self.error(&format!("while scanning an {word}"), Some(start), problem)
    }

    /// `ScannerImpl.scanTag`: `!<uri>`, `!`, `!suffix` or `!handle!suffix`.
    pub(super) fn scan_tag(&mut self) -> Result<Token, YamlError> {
        let start = self.reader.position();
        let first = self.reader.peek_at(1);
        let tag = if first == '<' {
            self.reader.forward(2);
            let suffix = self.scan_tag_uri("tag", start)?;
            if self.reader.peek() != '>' {
                return Err(self.bad_tag('>', start));
            }
            self.reader.forward(1);
            TagName {
                handle: None,
                suffix,
            }
        } else if chars::is_white_or_break(first) {
            self.reader.forward(1);
            TagName {
                handle: None,
                suffix: "!".to_owned(),
            }
        } else {
            let handle = if self.second_mark_follows() {
                self.scan_tag_handle("tag", start)?
            } else {
                self.reader.forward(1);
                "!".to_owned()
            };
            TagName {
                handle: Some(handle),
                suffix: self.scan_tag_uri("tag", start)?,
            }
        };
        if !chars::is_space_or_break(self.reader.peek()) {
            return Err(self.bad_tag(' ', start));
        }
        Ok(Token {
            kind: TokenKind::Tag(tag),
            start,
            end: self.reader.position(),
        })
    }

    fn bad_tag(&self, expected: char, start: Position) -> YamlError {
        let c = self.reader.peek();
        let problem = format!("expected '{expected}', but found '{c}' ({})", u32::from(c));
        self.error("while scanning a tag", Some(start), problem)
    }

    /// Whether another `!` stands in the word.
    fn second_mark_follows(&self) -> bool {
        let mut length = 1;
        loop {
            match self.reader.peek_at(length) {
                '!' => return true,
                c if chars::is_space_or_break(c) => return false,
                _ => length += 1,
            }
        }
    }

    /// `!`, `!!` or `!name!`; `what` is a tag or a directive.
    pub(super) fn scan_tag_handle(
        &mut self,
        what: &str,
        start: Position,
    ) -> Result<String, YamlError> {
        if self.reader.peek() != '!' {
            return Err(self.bad_handle(what, start));
        }
        let mut length = 1;
        if self.reader.peek_at(1) != ' ' {
            while chars::is_word(self.reader.peek_at(length)) {
                length += 1;
            }
            if self.reader.peek_at(length) != '!' {
                self.reader.forward(length);
                return Err(self.bad_handle(what, start));
            }
            length += 1;
        }
        Ok(self.reader.take(length).iter().collect())
    }

    fn bad_handle(&self, what: &str, start: Position) -> YamlError {
        let problem = format!(
            "expected '!', but found {}",
            chars::shown(self.reader.peek())
        );
        self.error(&format!("while scanning a {what}"), Some(start), problem)
    }

    /// The characters of a tag, with `%XX` replaced.
    pub(super) fn scan_tag_uri(
        &mut self,
        what: &str,
        start: Position,
    ) -> Result<String, YamlError> {
        let mut uri = String::new();
        loop {
            let length = self.reader.count(|c| chars::is_uri(c) && c != '%');
            uri.extend(self.reader.take(length));
            if self.reader.peek() != '%' {
                break;
            }
            uri.push_str(&self.scan_uri_escapes(what, start)?);
        }
        if uri.is_empty() {
            let problem = format!(
                "expected URI, but found {}",
                chars::shown(self.reader.peek())
            );
            return Err(self.error(&format!("while scanning a {what}"), Some(start), problem));
        }
        Ok(uri)
    }

    /// A row of `%XX`: bytes of UTF-8. Java's `Integer.parseInt` lets a sign or, at the end of the text, one digit pass.
    fn scan_uri_escapes(&mut self, what: &str, start: Position) -> Result<String, YamlError> {
        let context = format!("while scanning a {what}");
        let first = self.reader.position();
        let mut bytes = Vec::new();
        while self.reader.peek() == '%' {
            self.reader.forward(1);
            let digits: String = self.reader.prefix(2).iter().collect();
            let Some(byte) = number::parse_int(&digits, 16) else {
                let problem = format!(
                    "expected URI escape sequence of 2 hexadecimal numbers, but found {} and {}",
                    chars::shown(self.reader.peek()),
                    chars::shown(self.reader.peek_at(1))
                );
                return Err(self.error(&context, Some(start), problem));
            };
            bytes.push(byte.to_le_bytes()[0]);
            self.reader.forward(2);
        }
        String::from_utf8(bytes).map_err(|error| {
            let left = error.as_bytes().len() - error.utf8_error().valid_up_to();
            let length = error.utf8_error().error_len().unwrap_or(left);
            YamlError::marked(
                ExceptionClass::Scanner,
                format!("expected URI in UTF-8: Input length = {length}"),
                first,
            )
            .within(context, Some(start))
        })
    }
}
