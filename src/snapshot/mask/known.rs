//! The secrets of this run: what the user gave must not come back in any spelling, wherever a server echoes it.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use regex::Regex;

use crate::model::secret::{MASK, Secret};

/// Patterns for the known secrets.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Everywhere.
    anywhere: Option<Regex>,
    /// Only where they stand alone: short secrets, which may also be part of a checksum.
    alone: Option<Regex>,
    /// The same, but not in names: secrets that are words or numbers themselves.
    words: Option<Regex>,
    /// Their base64 forms, with what belongs to the same run.
    encoded: Option<Regex>,
}

/// How a secret can be looked for without hiding what is no secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strength {
    /// Looks like nothing else.
    Strong,
    /// Too short not to be part of something else.
    Short,
    /// A longer word or number.
    Word,
    /// A short word or number (`nacos`, `1234`): found by its place only, else whole answers would be lost.
    Weak,
}

impl Known {
    /// Patterns for these secrets; `None` when there is nothing to look for.
    pub(super) fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Option<Self> {
        let (mut anywhere, mut alone, mut words, mut encoded) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut secrets: Vec<&str> = secrets.into_iter().map(Secret::expose).collect();
        // The longest first: one may be part of another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        for secret in secrets {
            match strength(secret) {
                Strength::Weak => continue,
                Strength::Strong => anywhere.push(spellings(secret)),
                Strength::Short => alone.push(spellings(secret)),
                Strength::Word => words.push(spellings(secret)),
            }
            encoded.extend(fragments(secret).iter().map(|fragment| {
                format!(
                    "[A-Za-z0-9+/_-]*{}[A-Za-z0-9+/_-]*={{0,2}}",
                    regex::escape(fragment)
                )
            }));
        }
        let any = |patterns: Vec<String>| {
            (!patterns.is_empty())
                .then(|| {
                    regex::RegexBuilder::new(&patterns.join("|"))
                        .size_limit(64 << 20)
                        .build()
                        .ok()
                })
                .flatten()
        };
        let known = Self {
            anywhere: any(anywhere),
            alone: any(alone),
            words: any(words),
            encoded: any(encoded),
        };
        let has_any = [&known.anywhere, &known.alone, &known.words]
            .into_iter()
            .any(Option::is_some);
        has_any.then_some(known)
    }

    /// Masks them.
    pub(super) fn mask<'t>(&self, text: &'t str, in_name: bool) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for pattern in [&self.encoded, &self.anywhere].into_iter().flatten() {
            if let Cow::Owned(masked) = pattern.replace_all(&text, MASK) {
                text = Cow::Owned(masked);
            }
        }
        // A namespace or group may bear the same word as the password; it must be found again.
        let words = self.words.as_ref().filter(|_| !in_name);
        for pattern in [self.alone.as_ref(), words].into_iter().flatten() {
            let masked = pattern.replace_all(&text, |found: &regex::Captures<'_>| {
                let whole = found.get(0).map_or(0..0, |whole| whole.range());
                let stands_alone =
                    !ends_in_word(&text[..whole.start]) && !begins_with_word(&text[whole.end..]);
                if stands_alone {
                    MASK.to_owned()
                } else {
                    text[whole].to_owned()
                }
            });
            if masked != text {
                text = Cow::Owned(masked.into_owned());
            }
        }
        text
    }
}

fn strength(secret: &str) -> Strength {
    let length = secret.chars().count();
    let one_kind = |kind: fn(&char) -> bool| secret.chars().all(|char| kind(&char));
    let is_word = one_kind(char::is_ascii_lowercase) || one_kind(char::is_ascii_uppercase);
    let is_number = one_kind(char::is_ascii_digit);
    let is_alphanumeric = one_kind(char::is_ascii_alphanumeric);
    match length {
        0..4 => Strength::Weak,
        _ if one_kind(|char| *char == '*') => Strength::Weak,
        4..8 if is_word => Strength::Weak,
        4..6 if is_number => Strength::Weak,
        8..12 if is_word => Strength::Word,
        6..16 if is_number => Strength::Word,
        4..8 if is_alphanumeric => Strength::Short,
        _ => Strength::Strong,
    }
}

/// A pattern for a secret however its characters are encoded: raw, percent-encoded any number of times, behind
/// backslashes, as JSON or XML escapes.
fn spellings(secret: &str) -> String {
    let mut pattern = String::new();
    for char in secret.chars() {
        let mut ways = Vec::new();
        let raw = regex::escape(char.encode_utf8(&mut [0; 4]));
        ways.push(if char.is_alphanumeric() {
            raw
        } else {
            format!(r"\\*{raw}")
        });
        let mut percent = String::new();
        for byte in char.encode_utf8(&mut [0; 4]).bytes() {
            let _ = write!(percent, "%(?:25)*(?i:{byte:02x})");
        }
        ways.push(percent);
        for unit in [u32::from(char)].into_iter().filter(|code| *code <= 0xffff) {
            ways.push(format!(r"\\+u(?i:{unit:04x})"));
        }
        match char {
            ' ' => ways.push(r"\+".to_owned()),
            '&' => ways.push("&amp;".to_owned()),
            '<' => ways.push("&lt;".to_owned()),
            '>' => ways.push("&gt;".to_owned()),
            '"' => ways.push("&(?:quot|#34);".to_owned()),
            '\'' => ways.push("&(?:apos|#39);".to_owned()),
            '\n' => ways.push(r"\\+n".to_owned()),
            '\t' => ways.push(r"\\+t".to_owned()),
            _ => {}
        }
        let _ = write!(pattern, "(?:{})", ways.join("|"));
    }
    pattern
}

/// What base64 of any text around the secret must contain: one form for each alignment, both alphabets.
fn fragments(secret: &str) -> Vec<String> {
    let mut fragments = Vec::new();
    for offset in 0..3 {
        let mut bytes = vec![0; offset];
        bytes.extend(secret.bytes());
        let encoded = STANDARD_NO_PAD.encode(&bytes);
        // The first and the last characters also depend on the neighbours.
        let first = (offset * 8).div_ceil(6);
        let last = bytes.len() * 8 / 6;
        let Some(fragment) = encoded
            .get(first..last)
            .filter(|fragment| fragment.len() >= 6)
        else {
            continue;
        };
        fragments.push(fragment.replace('+', "-").replace('/', "_"));
        fragments.push(fragment.to_owned());
    }
    fragments.sort();
    fragments.dedup();
    fragments
}

/// What stands before a secret without being part of a word: an encoded character.
static ENCODED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:%(?:25)*[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[nrtbf])$")
        .expect("the pattern is valid")
});

fn ends_in_word(text: &str) -> bool {
    let mut from = text.len().saturating_sub(24);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    text.ends_with(|char: char| char.is_alphanumeric()) && !ENCODED.is_match(&text[from..])
}

fn begins_with_word(text: &str) -> bool {
    text.starts_with(|char: char| char.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_found_by_their_place_only() {
        for (secret, expected) in [
            ("nacos", Strength::Weak),
            ("abc", Strength::Weak),
            ("1234", Strength::Weak),
            ("changeme", Strength::Word),
            ("123456", Strength::Word),
            ("s3cr3t", Strength::Short),
            ("Secret", Strength::Short),
            ("pa#ss", Strength::Strong),
            ("s3cr3tpw", Strength::Strong),
            ("*****", Strength::Weak),
            ("correcthorsebattery", Strength::Strong),
        ] {
            assert_eq!(strength(secret), expected, "{secret}");
        }
    }

    #[test]
    fn a_word_must_stand_alone() {
        let known = Known::new([&Secret::new("changeme")]).unwrap();
        assert_eq!(
            known.mask("user/changeme wrong, exchangemeter right", false),
            "user/*** wrong, exchangemeter right"
        );
        assert_eq!(
            known.mask("%26changeme%26 %2526changeme", false),
            "%26***%26 %2526***"
        );
        assert_eq!(known.mask("changeme", true), "changeme");
        let known = Known::new([&Secret::new("a1b2")]).unwrap();
        assert_eq!(known.mask("4d0da1b2c3 a1b2", true), "4d0da1b2c3 ***");
        assert_eq!(
            known.mask("{\\na1b2\\u0026a1b2}", true),
            "{\\n***\\u0026***}"
        );
    }

    #[test]
    fn every_alignment_of_base64() {
        let known = Known::new([&Secret::new("s3cr3t!pw")]).unwrap();
        for before in ["", "a", "ab", "abc", "abcd"] {
            for after in ["", "x", "xy", "xyz"] {
                let text = STANDARD_NO_PAD.encode(format!("{before}s3cr3t!pw{after}"));
                assert_eq!(
                    known.mask(&format!("k={text}=;"), false),
                    "k=***;",
                    "{before} {after}"
                );
            }
        }
    }
}
