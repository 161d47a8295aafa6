//! Secrets within base64: `Basic` credentials, encoded configurations, web tokens.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use regex::Regex;

use crate::model::secret::MASK;

/// As others read it: padding or not, stray bits or not.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const FOR_URLS: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

/// Shorter runs cannot hold a name and its secret.
static RUN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("[A-Za-z0-9+/_-]{12,}={0,2}").expect("the pattern is valid"));

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
    for run in RUN.find_iter(text) {
        if decoded(run.as_str()).is_some_and(|content| hides(&content)) {
            found.push(run.range());
            continue;
        }
        // A slash may also be one of a path with the run behind it.
        let mut from = run.start();
        for piece in run.as_str().split('/') {
            let range = from..from + piece.len();
            from = range.end + 1;
            let is_part = piece.len() >= 12 && piece.len() < run.len();
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
