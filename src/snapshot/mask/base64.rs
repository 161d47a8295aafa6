//! Secrets within base64: `Basic` credentials, encoded configurations, web tokens.

use std::borrow::Cow;
use std::ops::Range;

use crate::model::secret::MASK;
use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// As others read it: padding or not, stray bits or not.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const FOR_URLS: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

/// Shorter runs cannot hold a name and its secret.
const SHORTEST: usize = 12;

/// Whether a byte can be part of a run.
const IN_RUN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "below 256")]
        let of = byte as u8;
        table[byte] = of.is_ascii_alphanumeric() || matches!(of, b'+' | b'/' | b'_' | b'-');
        byte += 1;
    }
    table
};

fn in_run(byte: u8) -> bool {
    IN_RUN[usize::from(byte)]
}

/// The runs of a text, each with up to two `=` behind it. By hand: every answer passes here, and most of a text are runs
/// that are too short. These are skipped from behind: what cannot be part of a run ends all that begin before it.
fn runs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let ahead = bytes.get(at..at + SHORTEST)?;
            if let Some(outside) = ahead.iter().rposition(|byte| !in_run(*byte)) {
                at += outside + 1;
                continue;
            }
            let length = |from: usize, of: fn(u8) -> bool| {
                let rest = bytes[from..].iter();
                rest.take_while(|byte| of(**byte)).count()
            };
            let (from, to) = (at, at + length(at, in_run));
            at = to + length(to, |byte| byte == b'=').min(2);
            return Some(from..at);
        }
    })
}

/// The text in a base64 run, if it is one and what it holds is text.
pub(super) fn decoded(run: &str) -> Option<String> {
    let engine = if run.contains(['-', '_']) {
        FOR_URLS
    } else {
        PLAIN
    };
    let text = String::from_utf8(engine.decode(run).ok()?).ok()?;
    let is_text = !text
        .chars()
        .any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
    is_text.then_some(text)
}

/// Masks every base64 run whose content the function would hide something of.
pub(super) fn mask<'t>(text: &'t str, hides: &dyn Fn(&str) -> bool) -> Cow<'t, str> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for range in runs(text) {
        let run = &text[range.clone()];
        if decoded(run).is_some_and(|content| hides(&content)) {
            found.push(range);
            continue;
        }
        // A slash may also be one of a path with the run behind it.
        let mut from = range.start;
        for piece in run.split('/') {
            let range = from..from + piece.len();
            from = range.end + 1;
            let is_part = piece.len() >= SHORTEST && piece.len() < run.len();
            if is_part && decoded(piece).is_some_and(|content| hides(&content)) {
                found.push(range);
            }
        }
    }
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut copied) = (String::with_capacity(text.len()), 0);
    for range in found {
        out.push_str(&text[copied..range.start]);
        out.push_str(MASK);
        copied = range.end;
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    proptest! {
        #[test]
        fn runs_are_those_of_the_pattern(text in "[a-zA-Z0-9+/_=\\-. \"é]{0,80}") {
            let pattern = Regex::new("[A-Za-z0-9+/_-]{12,}={0,2}").unwrap();
            let expected: Vec<_> = pattern.find_iter(&text).map(|run| run.range()).collect();
            prop_assert_eq!(runs(&text).collect::<Vec<_>>(), expected);
        }
    }
}
