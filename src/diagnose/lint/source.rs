//! The text of a rule by lines and columns, counted as SnakeYAML counts them.

use std::cell::Cell;
use std::ops::Range;

use crate::rule::yaml::{Node, Position, Span};

/// A text whose places can be looked up.
#[derive(Debug)]
pub(super) struct Source<'t> {
    text: &'t str,
    /// Start and end of every line, in bytes, without the break.
    lines: Vec<(usize, usize)>,
    /// The last place that was looked up: line, column and byte. The next one is often near.
    last: Cell<(u32, u32, usize)>,
}

impl<'t> Source<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        let mut signs = text.char_indices().peekable();
        while let Some((at, sign)) = signs.next() {
            let ends = match sign {
                '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => true,
                '\r' => signs.peek().is_none_or(|(_, next)| *next != '\n'),
                _ => false,
            };
            if ends {
                let end = if text[start..at].ends_with('\r') {
                    at - 1
                } else {
                    at
                };
                lines.push((start, end));
                start = at + sign.len_utf8();
            }
        }
        lines.push((start, text.len()));
        if text.starts_with('\u{feff}')
            && let Some(first) = lines.first_mut()
        {
            first.0 = '\u{feff}'.len_utf8().min(first.1);
        }
        Self {
            text,
            lines,
            last: Cell::new((1, 1, 0)),
        }
    }

    /// A line, from 1; behind the end there is nothing.
    pub(super) fn line(&self, line: u32) -> &'t str {
        self.bounds(line)
            .map_or("", |(start, end)| &self.text[start..end])
    }

    fn bounds(&self, line: u32) -> Option<(usize, usize)> {
        let at = usize::try_from(line).ok()?.checked_sub(1)?;
        self.lines.get(at).copied()
    }

    /// The byte of a place; the end of the line when it is shorter.
    pub(super) fn offset(&self, at: Position) -> usize {
        let Some((start, end)) = self.bounds(at.line) else {
            return self.text.len();
        };
        let (line, column, byte) = self.last.get();
        let (mut column, mut byte) = if line == at.line && column <= at.column && byte >= start {
            (column, byte)
        } else {
            (1, start)
        };
        for sign in self.text[byte..end].chars() {
            if column >= at.column {
                break;
            }
            column += 1;
            byte += sign.len_utf8();
        }
        self.last.set((at.line, column, byte));
        byte
    }

    /// The place of a byte.
    pub(super) fn position(&self, byte: usize) -> Position {
        let index = self
            .lines
            .partition_point(|(start, _)| *start <= byte)
            .saturating_sub(1);
        let number = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        let (start, _) = self.lines[index];
        let (line, column, known) = self.last.get();
        let (from, column) = if line == number && known <= byte && known >= start {
            (known, column)
        } else {
            (start, 1)
        };
        let more = self.text[from..byte.max(from)].chars().count();
        let column = column.saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
        self.last.set((number, column, byte.max(from)));
        Position {
            line: number,
            column,
        }
    }

    /// From one byte to another.
    pub(super) fn span(&self, bytes: Range<usize>) -> Span {
        Span {
            start: self.position(bytes.start),
            end: self.position(bytes.end),
        }
    }

    /// A whole line, without the blanks around what stands in it.
    pub(super) fn whole_line(&self, line: u32) -> Span {
        let Some((start, end)) = self.bounds(line) else {
            let end = self.position(self.text.len());
            return Span { start: end, end };
        };
        let text = &self.text[start..end];
        let from = start + (text.len() - text.trim_start().len());
        self.span(from..start + text.trim_end().len().max(from - start))
    }

    /// A part of the value of a scalar. Where the value does not stand in the text as it is (escapes, folded lines),
    /// the part is looked for, and the whole scalar is the answer when it is not found.
    pub(super) fn part(&self, node: Node<'_>, value: &str, part: Range<usize>) -> Span {
        let span = node.span();
        let start = self.offset(span.start);
        let end = self.offset(span.end).max(start);
        for skipped in [0, 1] {
            if let Some(rest) = self.text.get(start + skipped..)
                && rest.starts_with(value)
            {
                let from = start + skipped;
                return self.span(from + part.start..from + part.end);
            }
        }
        let wanted = value.get(part).unwrap_or_default();
        match self.text[start..end].find(wanted) {
            Some(at) if !wanted.is_empty() => self.span(start + at..start + at + wanted.len()),
            _ => span,
        }
    }

    /// What stands there, of one line.
    pub(super) fn slice(&self, span: Span) -> &'t str {
        let start = self.offset(span.start);
        let end = if span.end.line == span.start.line {
            self.offset(span.end)
        } else {
            self.bounds(span.start.line).map_or(start, |(_, end)| end)
        };
        self.text.get(start..end.max(start)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rule::yaml::{YamlVersion, load};

    #[test]
    fn lines_end_as_in_snakeyaml() {
        let source = Source::new("\u{feff}a\r\nb\rc\u{85}d\n");
        let lines: Vec<&str> = (0..=6).map(|line| source.line(line)).collect();
        assert_eq!(lines, ["", "a", "b", "c", "d", "", ""]);
    }

    #[test]
    fn parts_of_scalars() {
        let text = "a: [x=1, \"b=\\\"2\"]\nc: 'd=3'\n";
        let document = load(text, YamlVersion::V2_4).unwrap();
        let source = Source::new(text);
        let root = document.root().unwrap();
        let items: Vec<Node<'_>> = root.get("a").unwrap().items().collect();
        let place = |node: Node<'_>, part: Range<usize>| {
            let span = source.part(node, node.as_text().unwrap(), part);
            (span.start.line, span.start.column, source.slice(span))
        };
        assert_eq!(place(items[0], 2..3), (1, 7, "1"));
        assert_eq!(place(items[1], 3..4), (1, 15, "2"));
        assert_eq!(place(root.get("c").unwrap(), 0..1), (2, 5, "d"));
    }

    proptest! {
        #[test]
        fn places_and_bytes_are_one(text in "[a\u{e9}\u{597d}\\r\\n ]{0,40}", cut in 0_usize..80) {
            let source = Source::new(&text);
            let cut = (0..=cut.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let position = source.position(cut);
            let within = source.bounds(position.line).is_some_and(|(start, end)| start <= cut && cut <= end);
            if within {
                prop_assert_eq!(source.offset(position), cut);
            }
        }
    }
}
