//! Characters that nobody sees, and what SnakeYAML says of a text that it cannot read.

use std::collections::BTreeSet;

use super::{Code, Cx, Phrase, Say, found};
use crate::rule::yaml::{ExceptionClass, Node, ScalarStyle, Span, Value, YamlError};

/// A character that looks like a blank or like nothing, and is neither for Dubbo.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{a0}' | '\u{ad}' | '\u{1680}' | '\u{180e}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}'
        | '\u{205f}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{3000}' | '\u{feff}')
}

/// A byte order mark at the start: harmless for SnakeYAML, not for others.
pub(super) fn start(cx: &mut Cx<'_>) {
    if cx.rule.text.starts_with('\u{feff}') {
        let at = cx.source.span(0..0);
        cx.add(
            found(Code::LintInvisible, at)
                .with("sign", "U+FEFF")
                .reads(Say::LintMarkSkipped)
                .meant(Say::LintSaveWithoutMark),
        );
    }
}

/// Invisible characters inside of keys and values, and TABs inside of plain ones.
pub(super) fn scalars(cx: &mut Cx<'_>, root: Option<Node<'_>>) {
    let mut seen = BTreeSet::new();
    let mut open: Vec<Node<'_>> = root.into_iter().collect();
    while let Some(node) = open.pop() {
        if !seen.insert(node.id()) {
            continue;
        }
        match node.value() {
            Value::List(items) | Value::Set(items) => open.extend(items),
            Value::Map(entries) | Value::Pairs(entries) => {
                open.extend(entries.flat_map(|(key, value)| [key, value]));
            }
            _ => scalar(cx, node),
        }
    }
}

fn scalar(cx: &mut Cx<'_>, node: Node<'_>) {
    let Some(text) = node.written() else { return };
    let plain = node.style() == Some(ScalarStyle::Plain);
    let odd = |c: char| is_invisible(c) || plain && c == '\t';
    let Some((at, sign)) = text.char_indices().find(|(_, c)| odd(*c)) else {
        return;
    };
    let place = cx.source.part(node, text, at..at + sign.len_utf8());
    sign_found(cx, place, sign, sign == '\t');
}

fn sign_found(cx: &mut Cx<'_>, at: Span, sign: char, harmless: bool) {
    let reads = if harmless {
        Say::LintTabIsBlank
    } else if sign == '\t' {
        Say::LintTabRefused
    } else {
        Say::LintSignIsPart
    };
    cx.add(
        found(Code::LintInvisible, at)
            .with("sign", format!("U+{:04X}", u32::from(sign)))
            .reads(reads)
            .meant(Say::LintUseBlank),
    );
}

impl Cx<'_> {
    /// A text that SnakeYAML refuses.
    pub(super) fn yaml_error(&mut self, error: &YamlError) {
        let at = self.word_at(error.place);
        let hint = error
            .hint()
            .map(|hint| Phrase::new(Say::LintHint).with("hint", hint));
        let text = error.to_string();
        let problem = text
            .split_once(": ")
            .map_or(text.as_str(), |(_, rest)| rest);
        self.refuse(at, problem, hint);
        if let Some(refusal) = self.remarks.last_mut() {
            refusal
                .params
                .insert("class".to_owned(), error.class.java_name().into());
        }
        if error.class == ExceptionClass::IndexOutOfBounds
            && error.problem.contains("border of two reads")
        {
            self.add(
                found(Code::KnownDefect, at)
                    .with("version", self.version.as_str())
                    .with(
                        "reference",
                        "SnakeYAML 2.3 StreamReader.update, repaired in 2.4",
                    )
                    .reads(Say::LintSplitPair)
                    .meant(Say::LintMoveSign),
            );
        }
        // The error is seen where the text stops making sense: what led to it stands there or in the line before.
        let here = error.place.line;
        if !self.culprit(here, true) && here > 1 {
            self.culprit(here - 1, false);
        }
    }

    /// Names the first invisible character of a line, and the first punctuation of another keyboard, which YAML takes
    /// for a letter. Whether a TAB does harm is up to the caller.
    fn culprit(&mut self, line: u32, tab_matters: bool) -> bool {
        let start = self
            .source
            .offset(crate::rule::yaml::Position { line, column: 1 });
        let text = self.source.line(line);
        let mut named = false;
        let is_odd = |c: char| is_invisible(c) || tab_matters && c == '\t';
        if let Some((at, sign)) = text.char_indices().find(|(_, c)| is_odd(*c)) {
            let place = self.source.span(start + at..start + at + sign.len_utf8());
            sign_found(self, place, sign, false);
            named = true;
        }
        let other = |c: char| super::clause::ascii_of(c).is_some();
        if let Some((at, sign)) = text.char_indices().find(|(_, c)| other(*c)) {
            let place = self.source.span(start + at..start + at + sign.len_utf8());
            super::clause::full_width(self, place, sign);
            named = true;
        }
        named
    }
}
