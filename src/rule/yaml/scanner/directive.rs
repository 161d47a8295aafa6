//! Lines that begin with `%`.

use super::Scanner;
use crate::rule::yaml::Position;
use crate::rule::yaml::chars::{self, END};
use crate::rule::yaml::error::{ExceptionClass, YamlError};
use crate::rule::yaml::number;
use crate::rule::yaml::token::{Directive, Token, TokenKind};

const CONTEXT: &str = "while scanning a directive";

impl Scanner {
    /// `ScannerImpl.scanDirective`.
    pub(super) fn scan_directive(&mut self) -> Result<Token, YamlError> {
        let start = self.reader.position();
        self.reader.forward(1);
        let name = self.scan_directive_name(start)?;
        let (directive, end) = match name.as_str() {
            "YAML" => (self.scan_yaml_directive(start)?, self.reader.position()),
            "TAG" => (self.scan_tag_directive(start)?, self.reader.position()),
            _ => {
                let end = self.reader.position();
                let length = self.reader.count(|c| !chars::is_break_or_end(c));
                self.reader.forward(length);
                (Directive::Other, end)
            }
        };
        self.scan_directive_rest(start)?;
        Ok(Token {
            kind: TokenKind::Directive(directive),
            start,
            end,
        })
    }

    fn expected(&self, what: &str, start: Position) -> YamlError {
        let problem = format!(
            "expected {what}, but found {}",
            chars::shown(self.reader.peek())
        );
        self.error(CONTEXT, Some(start), problem)
    }

    fn scan_directive_name(&mut self, start: Position) -> Result<String, YamlError> {
        let length = self.reader.count(chars::is_word);
        if length == 0 {
            return Err(self.expected("alphabetic or numeric character", start));
        }
        let name = self.reader.take(length).iter().collect();
        if !chars::is_space_or_break(self.reader.peek()) {
            return Err(self.expected("alphabetic or numeric character", start));
        }
        Ok(name)
    }

    fn scan_yaml_directive(&mut self, start: Position) -> Result<Directive, YamlError> {
        self.reader.skip_spaces();
        let major = self.scan_version_number(start)?;
        if self.reader.peek() != '.' {
            return Err(self.expected("a digit or '.'", start));
        }
        self.reader.forward(1);
        self.scan_version_number(start)?;
        if !chars::is_space_or_break(self.reader.peek()) {
            return Err(self.expected("a digit or ' '", start));
        }
        Ok(Directive::Yaml { major })
    }

    fn scan_version_number(&mut self, start: Position) -> Result<i32, YamlError> {
        let length = self.reader.count(chars::is_digit);
        if length == 0 {
            return Err(self.expected("a digit", start));
        }
        let digits: String = self.reader.take(length).iter().collect();
        if length > 3 && self.version.short_version_numbers() {
            let problem =
                format!("found a number which cannot represent a valid version: {digits}");
            return Err(self.error("while scanning a YAML directive", Some(start), problem));
        }
        number::parse_int(&digits, 10).ok_or_else(|| {
            let problem = format!("not a number: version \"{digits}\"");
            YamlError::placeless(ExceptionClass::NumberFormat, problem, start)
        })
    }

    fn scan_tag_directive(&mut self, start: Position) -> Result<Directive, YamlError> {
        self.reader.skip_spaces();
        let handle = self.scan_tag_handle("directive", start)?;
        if self.reader.peek() != ' ' {
            return Err(self.expected("' '", start));
        }
        self.reader.skip_spaces();
        let prefix = self.scan_tag_uri("directive", start)?;
        if !chars::is_space_or_break(self.reader.peek()) {
            return Err(self.expected("' '", start));
        }
        Ok(Directive::Tag { handle, prefix })
    }

    /// The rest of the line: spaces and a comment.
    fn scan_directive_rest(&mut self, start: Position) -> Result<(), YamlError> {
        self.reader.skip_spaces();
        self.skip_comment();
        let c = self.reader.peek();
        if self.reader.take_break().is_none() && c != END {
            return Err(self.expected("a comment or a line break", start));
        }
        Ok(())
    }
}
