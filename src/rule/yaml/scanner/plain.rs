//! Scalars without quotes.

use super::{Scanner, as_indent};
use crate::rule::yaml::chars;
use crate::rule::yaml::error::YamlError;
use crate::rule::yaml::token::{ScalarStyle, Token, TokenKind};

impl Scanner {
    /// `ScannerImpl.scanPlain`.
    pub(super) fn scan_plain(&mut self) -> Result<Token, YamlError> {
        let start = self.reader.position();
        let mut end = start;
        let least_indent = self.indent + 1;
        let mut text = String::new();
        let mut spaces = String::new();
        loop {
            if self.reader.peek() == '#' {
                break;
            }
            let length = self.plain_length();
            self.refuse_glued_colon(length, start)?;
            if length == 0 {
                break;
            }
            self.allow_simple_key = false;
            text.push_str(&spaces);
            text.extend(self.reader.take(length));
            end = self.reader.position();
            spaces = self.scan_plain_spaces();
            let outdented = !self.in_flow() && as_indent(self.reader.column()) < least_indent;
            if spaces.is_empty() || self.reader.peek() == '#' || outdented {
                break;
            }
        }
        Ok(Token {
            kind: TokenKind::Scalar(text, ScalarStyle::Plain),
            start,
            end,
        })
    }

    /// How many characters belong to the scalar before white space or an indicator.
    fn plain_length(&self) -> usize {
        let any_colon = self.in_flow() && self.version.flow_colon_ends_plain();
        let mut length = 0;
        loop {
            let c = self.reader.peek_at(length);
            if chars::is_white_or_break(c) || (self.in_flow() && is_flow_end(c)) {
                return length;
            }
            if c == ':' && (any_colon || self.ends_key(self.reader.peek_at(length + 1))) {
                return length;
            }
            length += 1;
        }
    }

    /// Whether a `:` before `next` ends a plain scalar.
    fn ends_key(&self, next: char) -> bool {
        chars::is_white_or_break(next)
            || (self.in_flow() && matches!(next, ',' | '[' | ']' | '{' | '}'))
    }

    /// 1.20 in flow context: a `:` that is no indicator is refused at once.
    fn refuse_glued_colon(
        &mut self,
        length: usize,
        start: crate::rule::yaml::Position,
    ) -> Result<(), YamlError> {
        let glued = self.in_flow()
            && self.version.flow_colon_ends_plain()
            && self.reader.peek_at(length) == ':'
            && !self.ends_key(self.reader.peek_at(length + 1));
        if glued {
            self.reader.forward(length);
            return Err(self.error(
                "while scanning a plain scalar",
                Some(start),
                "found unexpected ':'",
            ));
        }
        Ok(())
    }

    /// The white space inside a plain scalar, folded; empty when the scalar ends here.
    fn scan_plain_spaces(&mut self) -> String {
        let length = self.reader.count(|c| c == ' ' || c == '\t');
        let whitespace: String = self.reader.take(length).iter().collect();
        let Some(first) = self.reader.take_break() else {
            return whitespace;
        };
        self.allow_simple_key = true;
        if self.at_plain_separator() {
            return String::new();
        }
        let mut breaks = String::new();
        loop {
            self.reader.skip_spaces();
            let Some(c) = self.reader.take_break() else {
                break;
            };
            breaks.push(c);
            if self.at_plain_separator() {
                return String::new();
            }
        }
        match first {
            '\n' if breaks.is_empty() => " ".to_owned(),
            '\n' => breaks,
            other => format!("{other}{breaks}"),
        }
    }

    /// `---` ends a plain scalar whatever follows, `...` only before white space.
    fn at_plain_separator(&self) -> bool {
        self.reader.at_triple('-') || self.at_separator('.')
    }
}

/// The indicators that end a plain scalar in flow context by themselves.
fn is_flow_end(c: char) -> bool {
    matches!(c, ',' | '?' | '[' | ']' | '{' | '}')
}
