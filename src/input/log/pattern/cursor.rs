//! A place in a text that moves from one fixed part of a message to the next.
//!
//! In the loose form blanks and line ends are gone from text and fixed parts alike: that is how a text reads that was
//! wrapped hard or typed again. A variable then lacks its blanks; names and addresses have none.

use std::borrow::Cow;
use std::cell::Cell;

use super::super::clean::CUT;
use super::super::fact::{Fact, Place};
use super::super::text::Text;

/// A variable longer than this is no variable.
const MAX_VARIABLE: usize = 256 * 1024;

/// The text of a block as it is matched.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    text: Cow<'a, Text>,
    /// The text with its blanks and, for each byte of `text`, where it stands there.
    whole: Option<(&'a Text, Vec<u32>)>,
    /// A last variable ended where a line ends and another one follows: a wrap may have cut it.
    at_line_end: Cell<bool>,
}

impl<'a> Subject<'a> {
    /// The text as it is.
    pub(crate) fn exact(text: &'a Text) -> Self {
        Self {
            text: Cow::Borrowed(text),
            whole: None,
            at_line_end: Cell::new(false),
        }
    }

    /// The text without blanks and line ends.
    pub(crate) fn loose(text: &'a Text) -> Self {
        let (mut squeezed, mut back) = (Text::default(), Vec::new());
        let mut kept = 0;
        for (at, found) in text.as_str().char_indices() {
            if found.is_whitespace() {
                squeezed.push_part(text, kept, at);
                kept = at + found.len_utf8();
            } else {
                back.extend(
                    (at..at + found.len_utf8()).map(|at| u32::try_from(at).unwrap_or(u32::MAX)),
                );
            }
        }
        squeezed.push_part(text, kept, text.len());
        Self {
            text: Cow::Owned(squeezed),
            whole: Some((text, back)),
            at_line_end: Cell::new(false),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        self.text.as_str()
    }

    pub(crate) fn is_loose(&self) -> bool {
        self.whole.is_some()
    }

    pub(crate) fn ended_a_line(&self) -> bool {
        self.at_line_end.get()
    }

    pub(crate) fn place(&self, at: usize) -> Place {
        self.text.place(at)
    }

    /// The byte of the unsqueezed text.
    pub(crate) fn original(&self, at: usize) -> usize {
        match &self.whole {
            Some((_, back)) => back.get(at).or(back.last()).map_or(0, |at| *at as usize),
            None => at,
        }
    }
}

/// A part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Moves through a [`Subject`]; every step says whether the fixed part it needs is there.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    subject: &'a Subject<'a>,
    at: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(subject: &'a Subject<'a>, at: usize) -> Self {
        Self {
            subject,
            at,
            end: subject.as_str().len(),
        }
    }

    /// A cursor that sees only a part.
    pub(crate) fn within(&self, span: Span) -> Self {
        Self {
            subject: self.subject,
            at: span.start,
            end: span.end,
        }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Goes to a position that a span gave.
    pub(crate) fn go_to(&mut self, at: usize) {
        self.at = at.min(self.end);
    }

    pub(crate) fn is_loose(&self) -> bool {
        self.subject.is_loose()
    }

    pub(crate) fn span_from(&self, start: usize) -> Span {
        Span {
            start,
            end: self.at,
        }
    }

    /// What is left to read.
    pub(crate) fn rest(&self) -> &'a str {
        self.subject
            .as_str()
            .get(self.at..self.end)
            .unwrap_or_default()
    }

    /// What stands before the cursor on its line.
    pub(crate) fn before(&self) -> &'a str {
        let before = self.subject.as_str().get(..self.at).unwrap_or_default();
        before.rsplit('\n').next().unwrap_or_default()
    }

    fn fixed<'t>(&self, fixed: &'t str) -> Cow<'t, str> {
        if self.subject.is_loose() {
            Cow::Owned(fixed.split_whitespace().collect())
        } else {
            Cow::Borrowed(fixed)
        }
    }

    /// Whether a fixed part stands here.
    pub(crate) fn sees(&self, fixed: &str) -> bool {
        self.rest().starts_with(&*self.fixed(fixed))
    }

    /// Goes behind a fixed part if it stands here.
    pub(crate) fn skip(&mut self, fixed: &str) -> bool {
        let found = self.sees(fixed);
        if found {
            self.at += self.fixed(fixed).len();
        } else if self.fixed(fixed).starts_with(self.line()) {
            // Its beginning stands at the end of the line.
            self.note_line_end(self.line_span().end);
        }
        found
    }

    /// The variable that ends at the next occurrence of a fixed part; the cursor goes behind that part. A variable
    /// stays within its line.
    pub(crate) fn until(&mut self, fixed: &str) -> Option<Span> {
        self.until_any(&[fixed]).map(|(_, span)| span)
    }

    /// Whether the text was cut right behind a part.
    pub(crate) fn is_cut_behind(&self, span: Span) -> bool {
        self.subject.as_str()[span.end..self.end]
            .trim_start_matches(' ')
            .starts_with(CUT)
    }

    /// The same for several fixed parts: the one that comes first, with its number.
    pub(crate) fn until_any(&mut self, fixed: &[&str]) -> Option<(usize, Span)> {
        let line = self.line();
        self.find_in(line, fixed)
    }

    /// The same across lines, for texts that have several.
    pub(crate) fn until_across(&mut self, fixed: &[&str]) -> Option<(usize, Span)> {
        self.find_in(self.uncut(), fixed)
    }

    /// What is left before a cut.
    pub(crate) fn uncut(&self) -> &'a str {
        self.rest().split(CUT).next().unwrap_or_default()
    }

    fn find_in(&mut self, text: &str, fixed: &[&str]) -> Option<(usize, Span)> {
        let limit = (0..=text.len().min(MAX_VARIABLE))
            .rev()
            .find(|at| text.is_char_boundary(*at))?;
        let text = &text[..limit];
        let (at, index, length) = fixed
            .iter()
            .enumerate()
            .filter_map(|(index, fixed)| {
                let fixed = self.fixed(fixed);
                let at = memchr::memmem::find(text.as_bytes(), fixed.as_bytes())?;
                Some((at, index, fixed.len()))
            })
            .min_by_key(|(at, index, length)| (*at, std::cmp::Reverse(*length), *index))?;
        let span = Span {
            start: self.at,
            end: self.at + at,
        };
        self.at = span.end + length;
        Some((index, span))
    }

    /// What is left of the line.
    fn line(&self) -> &'a str {
        self.rest().split(['\n', CUT]).next().unwrap_or_default()
    }

    /// What is left of the line as a variable, without moving.
    pub(crate) fn line_span(&self) -> Span {
        Span {
            start: self.at,
            end: self.at + self.line().len(),
        }
    }

    /// The same as the last variable of a message.
    pub(crate) fn rest_of_line(&self) -> Span {
        let span = self.line_span();
        self.note_line_end(span.end);
        span
    }

    /// What was read backwards reached the beginning of a line that is not the first.
    pub(crate) fn note_line_start(&self) {
        if self.before().len() < self.at {
            self.subject.at_line_end.set(true);
        }
    }

    fn note_line_end(&self, at: usize) {
        if self.subject.as_str()[at..].starts_with('\n') {
            self.subject.at_line_end.set(true);
        }
    }

    /// A last variable of a message: it ends where a character stops it. `None` when it is empty or stands at a cut.
    pub(crate) fn word(&mut self, stops: impl Fn(char) -> bool) -> Option<Span> {
        let rest = match &self.subject.whole {
            // Here only the blanks of the original say where a word ends.
            Some((whole, _)) => {
                let from = self.subject.original(self.at);
                let length = whole
                    .as_str()
                    .get(from..)?
                    .find(char::is_whitespace)
                    .unwrap_or(usize::MAX);
                let rest = self.rest();
                rest.get(..length.min(rest.len())).unwrap_or(rest)
            }
            None => self.line(),
        };
        let length = rest
            .find(|c: char| c.is_whitespace() || c == CUT || stops(c))
            .unwrap_or(rest.len());
        let span = Span {
            start: self.at,
            end: self.at + length,
        };
        self.at = span.end;
        let after = &self.subject.as_str()[span.end..self.end];
        self.note_line_end(span.end);
        let value = self.str(span);
        let cut = value.ends_with("..") || after.trim_start_matches(' ').starts_with(CUT);
        (!value.is_empty() && !cut).then_some(span)
    }

    /// A host, address or version at the end of a message.
    pub(crate) fn address(&mut self) -> Option<Span> {
        let span = self.word(|c| {
            matches!(
                c,
                ',' | ';' | ')' | ']' | '}' | '"' | '\'' | '!' | '<' | '>' | '|'
            )
        })?;
        let kept = self.str(span).trim_end_matches(['.', ':']).len();
        self.at = span.start + kept;
        (kept > 0).then(|| self.span_from(span.start))
    }

    /// A URL at the end of a message.
    pub(crate) fn url(&mut self) -> Option<Span> {
        let span = self.word(|c| matches!(c, '"' | '\'' | '<' | '>'))?;
        let kept = self
            .str(span)
            .trim_end_matches([',', '.', ')', ']', ';'])
            .len();
        self.at = span.start + kept;
        Some(self.span_from(span.start))
    }

    /// Digits.
    pub(crate) fn number(&mut self) -> Option<Span> {
        self.word(|c| !c.is_ascii_digit())
    }

    /// Digits that may have a sign: ids are Java longs.
    pub(crate) fn id(&mut self) -> Option<Span> {
        self.word(|c| !c.is_ascii_digit() && c != '-')
    }

    /// Digits with a decimal point.
    pub(crate) fn number_with_point(&mut self) -> Option<Span> {
        let span = self.word(|c| !c.is_ascii_digit() && c != '.' && c != '-')?;
        let kept = self.str(span).trim_end_matches('.').len();
        self.at = span.start + kept;
        (kept > 0).then(|| self.span_from(span.start))
    }

    /// The text of a span as matched.
    pub(crate) fn str(&self, span: Span) -> &'a str {
        self.subject
            .as_str()
            .get(span.start..span.end)
            .unwrap_or_default()
    }

    /// The text of a span with its blanks; lines are joined by a blank.
    pub(crate) fn words(&self, span: Span) -> String {
        let Some((whole, _)) = &self.subject.whole else {
            return self.str(span).trim().to_owned();
        };
        if span.start >= span.end {
            return String::new();
        }
        let from = self.subject.original(span.start);
        let to = self.subject.original(span.end - 1) + 1;
        let text = whole.as_str().get(from..to).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The text of a span with its blanks and lines.
    pub(crate) fn lines(&self, span: Span) -> String {
        match &self.subject.whole {
            Some((whole, _)) if span.start < span.end => {
                let from = self.subject.original(span.start);
                let to = self.subject.original(span.end - 1) + 1;
                whole.as_str().get(from..to).unwrap_or_default().to_owned()
            }
            _ => self.str(span).to_owned(),
        }
    }

    pub(crate) fn place(&self, span: Span) -> Place {
        let text = self.str(span);
        let blanks = text.len() - text.trim_start().len();
        self.subject.place(span.start + blanks)
    }

    /// The span as a stated fact.
    pub(crate) fn fact(&self, span: Span) -> Fact<String> {
        Fact::stated(self.str(span).trim().to_owned(), self.place(span))
    }
}
