//! Block scalars: `|` literal and `>` folded.

use super::{Scanner, as_indent};
use crate::rule::yaml::Position;
use crate::rule::yaml::chars::{self, END};
use crate::rule::yaml::error::{ExceptionClass, YamlError};
use crate::rule::yaml::token::{ScalarStyle, Token, TokenKind};

const CONTEXT: &str = "while scanning a block scalar";

/// What happens to the line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    /// `-`: none is left.
    Strip,
    /// The last one is left.
    Clip,
    /// `+`: all are left.
    Keep,
}

impl Scanner {
    /// `ScannerImpl.scanBlockScalar`.
    pub(super) fn scan_block_scalar(&mut self, folded: bool) -> Result<Token, YamlError> {
        let start = self.reader.position();
        self.reader.forward(1);
        let (chomping, increment) = self.scan_block_header(start)?;
        self.scan_block_header_rest(start)?;

        let least_indent = usize::try_from(self.indent + 1).unwrap_or(0).max(1);
        let (indent, mut breaks, mut end) = if let Some(increment) = increment {
            let indent = least_indent + increment - 1;
            let (breaks, end) = self.scan_block_breaks(indent);
            (indent, breaks, end)
        } else {
            let (breaks, deepest, end) = self.scan_block_indentation();
            (least_indent.max(deepest), breaks, end)
        };

        let mut text = String::new();
        let mut line_break = None;
        while self.reader.column() == indent && self.reader.peek() != END {
            text.push_str(&breaks);
            let flush = !is_blank(self.reader.peek());
            let length = self.reader.count(|c| !chars::is_break_or_end(c));
            text.extend(self.reader.take(length));
            line_break = self.reader.take_break();
            (breaks, end) = self.scan_block_breaks(indent);
            if self.reader.column() != indent || self.reader.peek() == END {
                break;
            }
            if folded && line_break == Some('\n') && flush && !is_blank(self.reader.peek()) {
                if breaks.is_empty() {
                    text.push(' ');
                }
            } else {
                text.extend(line_break);
            }
        }
        if chomping != Chomping::Strip {
            text.extend(line_break);
        }
        if chomping == Chomping::Keep {
            text.push_str(&breaks);
        }
        let style = if folded {
            ScalarStyle::Folded
        } else {
            ScalarStyle::Literal
        };
        Ok(Token {
            kind: TokenKind::Scalar(text, style),
            start,
            end,
        })
    }

    /// The chomping and indentation indicators, in either order.
    fn scan_block_header(
        &mut self,
        start: Position,
    ) -> Result<(Chomping, Option<usize>), YamlError> {
        let mut chomping = self.take_chomping();
        let increment = self.take_increment(start)?;
        if increment.is_some() && chomping.is_none() {
            chomping = self.take_chomping();
        }
        let c = self.reader.peek();
        if !chars::is_space_or_break(c) {
            let problem = format!(
                "expected chomping or indentation indicators, but found {}",
                chars::shown(c)
            );
            return Err(self.error(CONTEXT, Some(start), problem));
        }
        Ok((chomping.unwrap_or(Chomping::Clip), increment))
    }

    fn take_chomping(&mut self) -> Option<Chomping> {
        let chomping = match self.reader.peek() {
            '+' => Chomping::Keep,
            '-' => Chomping::Strip,
            _ => return None,
        };
        self.reader.forward(1);
        Some(chomping)
    }

    /// A digit of any script, since Java asks `Character.isDigit`.
    fn take_increment(&mut self, start: Position) -> Result<Option<usize>, YamlError> {
        let c = self.reader.peek();
        if !chars::is_digit(c) {
            return Ok(None);
        }
        match chars::digit(c, 10).and_then(|digit| usize::try_from(digit).ok()) {
            None => {
                let problem = format!("not a number: indentation indicator \"{c}\"");
                Err(YamlError::placeless(
                    ExceptionClass::NumberFormat,
                    problem,
                    self.reader.position(),
                ))
            }
            Some(0) => {
                let problem = "expected indentation indicator in the range 1-9, but found 0";
                Err(self.error(CONTEXT, Some(start), problem))
            }
            increment => {
                self.reader.forward(1);
                Ok(increment)
            }
        }
    }

    /// The rest of the header's line: spaces and a comment.
    fn scan_block_header_rest(&mut self, start: Position) -> Result<(), YamlError> {
        self.reader.skip_spaces();
        self.skip_comment();
        let c = self.reader.peek();
        if self.reader.take_break().is_none() && c != END {
            let problem = format!(
                "expected a comment or a line break, but found {}",
                chars::shown(c)
            );
            return Err(self.error(CONTEXT, Some(start), problem));
        }
        Ok(())
    }

    /// Empty lines before the first line with text: the breaks, the deepest indentation, where the last break ends.
    fn scan_block_indentation(&mut self) -> (String, usize, Position) {
        let mut breaks = String::new();
        let mut deepest = 0;
        let mut end = self.reader.position();
        loop {
            if self.reader.peek() == ' ' {
                self.reader.forward(1);
                deepest = deepest.max(self.reader.column());
            } else if let Some(c) = self.reader.take_break() {
                breaks.push(c);
                end = self.reader.position();
            } else {
                return (breaks, deepest, end);
            }
        }
    }

    /// Indentation and empty lines between lines with text.
    fn scan_block_breaks(&mut self, indent: usize) -> (String, Position) {
        let mut breaks = String::new();
        let mut end = self.reader.position();
        loop {
            while as_indent(self.reader.column()) < as_indent(indent) && self.reader.peek() == ' ' {
                self.reader.forward(1);
            }
            let Some(c) = self.reader.take_break() else {
                return (breaks, end);
            };
            breaks.push(c);
            end = self.reader.position();
        }
    }
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}
