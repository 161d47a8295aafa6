//! A text that knows where each of its characters came from, whatever was peeled off or joined.

use super::fact::Place;

/// From this byte of the text on, characters stand one after the other in the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    at: usize,
    place: Place,
}

/// A piece of text with the places of its characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text {
    content: String,
    runs: Vec<Run>,
}

impl Text {
    /// Text that stands as it is at a place.
    pub(super) fn at(content: &str, place: Place) -> Self {
        let mut text = Self::default();
        text.push(content, place);
        text
    }

    pub(super) fn as_str(&self) -> &str {
        &self.content
    }

    pub(super) fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.content.len()
    }

    /// Where the character at this byte stands in the original.
    pub(super) fn place(&self, at: usize) -> Place {
        let known = self.runs.partition_point(|run| run.at <= at);
        let Some(run) = known.checked_sub(1).and_then(|index| self.runs.get(index)) else {
            return Place::default();
        };
        let columns = self
            .content
            .get(run.at..at)
            .map_or(0, |between| between.chars().count());
        Place {
            column: run
                .place
                .column
                .saturating_add(u32::try_from(columns).unwrap_or(u32::MAX)),
            ..run.place
        }
    }

    /// Adds characters that begin at a place.
    pub(super) fn push(&mut self, content: &str, place: Place) {
        if content.is_empty() {
            return;
        }
        self.runs.push(Run {
            at: self.content.len(),
            place,
        });
        self.content.push_str(content);
    }

    /// Adds a part of another text with its places.
    pub(super) fn push_part(&mut self, other: &Self, from: usize, to: usize) {
        if from >= to {
            return;
        }
        let base = self.content.len();
        self.runs.push(Run {
            at: base,
            place: other.place(from),
        });
        for run in other.runs.iter().filter(|run| run.at > from && run.at < to) {
            self.runs.push(Run {
                at: base + run.at - from,
                place: run.place,
            });
        }
        self.content.push_str(&other.content[from..to]);
    }

    /// A part of it. Both ends must be character boundaries.
    pub(super) fn part(&self, from: usize, to: usize) -> Self {
        let mut text = Self::default();
        text.push_part(self, from, to);
        text
    }

    /// The rest from a byte on.
    pub(super) fn from(&self, from: usize) -> Self {
        self.part(from, self.len())
    }

    /// The text with each character replaced, kept or dropped. `None` from `change` keeps it.
    pub(super) fn replace_chars(&self, change: impl Fn(char) -> Option<&'static str>) -> Self {
        let mut text = Self::default();
        let mut kept = 0;
        for (at, found) in self.content.char_indices() {
            if let Some(other) = change(found) {
                text.push_part(self, kept, at);
                text.push(other, self.place(at));
                kept = at + found.len_utf8();
            }
        }
        text.push_part(self, kept, self.len());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u64, column: u32) -> Place {
        Place {
            line,
            column,
            offset: 0,
        }
    }

    #[test]
    fn places_survive_joining_cutting_and_replacing() {
        let mut text = Text::at("原因: abc", place(1, 1));
        text.push("\n", place(1, 8));
        text.push("def", place(2, 5));
        assert_eq!(text.place(0), place(1, 1));
        assert_eq!(text.place(text.as_str().find('b').unwrap()), place(1, 6));
        assert_eq!(text.place(text.as_str().find('e').unwrap()), place(2, 6));
        let rest = text.from(text.as_str().find('c').unwrap());
        assert_eq!(rest.as_str(), "c\ndef");
        assert_eq!(rest.place(0), place(1, 7));
        assert_eq!(rest.place(4), place(2, 7));
        let changed = rest.replace_chars(|c| (c == 'd').then_some("DD"));
        assert_eq!(changed.as_str(), "c\nDDef");
        assert_eq!(changed.place(4), place(2, 6));
    }
}
