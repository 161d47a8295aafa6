//! The text of a rule by lines and columns, counted as SnakeYAML counts them.

use std::ops::Range;

use crate::rule::yaml::{Node, Position, Span};

/// Every so many characters of a line its byte is noted, so that no look-up walks through a long line.
const STEP: usize = 128;

/// A text whose places can be looked up.
#[derive(Debug)]
pub(super) struct Source<'t> {
    text: &'t str,
    lines: Vec<Line>,
    /// The bytes of every [`STEP`]th character, line by line.
    notes: Vec<usize>,
}

#[derive(Debug)]
struct Line {
    start: usize,
    /// Without the break.
    end: usize,
    /// Its first place in the notes.
    notes: usize,
}

impl<'t> Source<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut source = Self {
            text,
            lines: Vec::new(),
            notes: Vec::new(),
        };
        let mut start = if text.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        };
        let mut signs = text[start..].char_indices().peekable();
        let base = start;
        while let Some((at, sign)) = signs.next() {
            let at = base + at;
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
                source.add(start, end);
                start = at + sign.len_utf8();
            }
        }
        source.add(start, text.len());
        source
    }

    fn add(&mut self, start: usize, end: usize) {
        self.lines.push(Line {
            start,
            end,
            notes: self.notes.len(),
        });
        let noted = self.text[start..end].char_indices().step_by(STEP);
        self.notes.extend(noted.map(|(at, _)| start + at));
    }

    /// A line, from 1; behind the end there is nothing.
    pub(super) fn line(&self, line: u32) -> &'t str {
        self.bounds(line)
            .map_or("", |(start, end)| &self.text[start..end])
    }

    fn index(line: u32) -> Option<usize> {
        usize::try_from(line).ok()?.checked_sub(1)
    }

    fn bounds(&self, line: u32) -> Option<(usize, usize)> {
        let line = self.lines.get(Self::index(line)?)?;
        Some((line.start, line.end))
    }

    /// The notes of a line, by its index.
    fn notes_of(&self, index: usize) -> &[usize] {
        let from = self.lines[index].notes;
        let to = self
            .lines
            .get(index + 1)
            .map_or(self.notes.len(), |next| next.notes);
        &self.notes[from..to]
    }

    /// The byte of a place; the end of the line when it is shorter.
    pub(super) fn offset(&self, at: Position) -> usize {
        let Some(index) = Self::index(at.line).filter(|index| *index < self.lines.len()) else {
            return self.text.len();
        };
        let end = self.lines[index].end;
        let before = usize::try_from(at.column.saturating_sub(1)).unwrap_or(usize::MAX);
        let Some(noted) = self.notes_of(index).get(before / STEP) else {
            return end;
        };
        self.text[*noted..end]
            .char_indices()
            .nth(before % STEP)
            .map_or(end, |(byte, _)| noted + byte)
    }

    /// The place of a byte.
    pub(super) fn position(&self, byte: usize) -> Position {
        let index = self
            .lines
            .partition_point(|line| line.start <= byte)
            .saturating_sub(1);
        let notes = self.notes_of(index);
        let passed = notes
            .partition_point(|noted| *noted <= byte)
            .saturating_sub(1);
        let from = notes
            .get(passed)
            .copied()
            .unwrap_or(self.lines[index].start);
        let rest = self.text[from..byte.max(from)].chars().count();
        let number = |value: usize| u32::try_from(value + 1).unwrap_or(u32::MAX);
        Position {
            line: number(index),
            column: number(passed * STEP + rest),
        }
    }

    /// From one byte to another.
    pub(super) fn span(&self, bytes: Range<usize>) -> Span {
        Span {
            start: self.position(bytes.start),
            end: self.position(bytes.end),
        }
    }

    /// At most so many characters of the line around a place, and the column at which they begin.
    pub(super) fn excerpt(&self, at: Position, most: usize) -> (&'t str, u32) {
        let column = |back: usize| {
            let back = u32::try_from(back).unwrap_or_default();
            at.column.saturating_sub(back).max(1)
        };
        let place = |column: u32| Position {
            line: at.line,
            column,
        };
        let line = self.line(at.line);
        if line.len() <= most || line.chars().nth(most).is_none() {
            return (line, 1);
        }
        let from = column(most / 4);
        let to = from.saturating_add(u32::try_from(most).unwrap_or(u32::MAX));
        let bytes = self.offset(place(from))..self.offset(place(to));
        (self.text.get(bytes).unwrap_or_default(), from)
    }

    /// A whole line, without the blanks around what stands in it.
    pub(super) fn whole_line(&self, line: u32) -> Span {
        let Some((start, end)) = self.bounds(line) else {
            return self.span(self.text.len()..self.text.len());
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
