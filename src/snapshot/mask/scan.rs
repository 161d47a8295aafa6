//! Finds secrets by where they stand: behind a secret name, in the user info of a URL, behind `Basic` or `Bearer`.
//!
//! One pass over the text. It knows no grammar, because it is used on everything: URLs, Java's `toString`, properties,
//! YAML, JSON within JSON, XML, log lines, rules. When in doubt it hides the value; what it must not do is hide things
//! that decide an answer, such as the version behind `com.acme.Token:1.0.0` or the pattern behind `getToken =>`.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::unit::{Form, Unit, unit};
use super::{base64, value};
use crate::model::secret::{MASK, is_secret_name, stems};

/// A stretch of the text that is a secret, and what stands there instead.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hidden {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) instead: Cow<'static, str>,
}

impl Hidden {
    pub(super) fn plain(from: usize, to: usize) -> Self {
        Self {
            from,
            to,
            instead: Cow::Borrowed(MASK),
        }
    }
}

/// More is never needed for what anybody means; without a bound, a text made for it could go on.
const ROUNDS: u8 = 8;

/// What must stand in a text for the scanner to find anything: a secret name whose letters are not encoded, the mark of a
/// user info, of credentials, of a web token, or an encoding that may hide letters. Large answers rarely have any.
static SUSPICIOUS: LazyLock<Regex> = LazyLock::new(|| {
    let names = stems().map(|stem| {
        let letters: Vec<String> = stem.chars().map(String::from).collect();
        let spelled = letters.join("[-_. ]*");
        // Two letters are part of many words; alone they are a name.
        if stem.len() > 2 {
            spelled
        } else {
            format!("(?:^|[^A-Za-z0-9]){spelled}(?:[^A-Za-z0-9]|$)")
        }
    });
    let marks = ["%", r"\\u", r":\\*/", "basic", "bearer", "eyJ"];
    let all: Vec<String> = names.chain(marks.map(str::to_owned)).collect();
    Regex::new(&format!("(?i-u:{})", all.join("|"))).expect("the pattern is valid")
});

/// Masks what the scanner finds. Until nothing is found: what stands around a mask may look different then.
pub(super) fn scan(text: &str) -> Cow<'_, str> {
    if !SUSPICIOUS.is_match(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let Cow::Owned(mut masked) = scan_once(text) else {
        return Cow::Borrowed(text);
    };
    for _ in 0..ROUNDS {
        let Cow::Owned(again) = scan_once(&masked) else {
            break;
        };
        masked = again;
    }
    Cow::Owned(masked)
}

fn scan_once(text: &str) -> Cow<'_, str> {
    let mut scanner = Scanner {
        text,
        at: 0,
        word: Word::default(),
        line_start: true,
        newline: Form::Raw,
        last: None,
    };
    let (mut out, mut copied) = (String::new(), 0);
    while let Some(hidden) = scanner.next_hidden() {
        out.push_str(&text[copied..hidden.from]);
        out.push_str(&hidden.instead);
        copied = hidden.to;
        scanner.resume(hidden.to);
    }
    if copied == 0 && out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The last name-like word before the position, and what followed it.
#[derive(Debug, Default)]
struct Word {
    /// Its characters, decoded.
    text: String,
    /// Where it begins and ends.
    from: usize,
    to: usize,
    /// The quote behind it.
    quote: Option<(usize, Unit)>,
    /// Whether there were spaces behind it.
    spaced: bool,
    /// What stood before it: `<` of an element, `--` of an option.
    opened_by: Option<char>,
    /// Whether nothing but indentation stands before it in its line.
    first_in_line: bool,
    /// The character before it.
    before: Option<char>,
}

/// What a separator belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The separator.
    pub(super) separator: Unit,
    /// Whether the name is the first thing in its line, so that the value goes on to the line's end.
    pub(super) first_in_line: bool,
    /// How that line began: its end is written in the same way.
    pub(super) newline: Form,
    /// How the name was quoted.
    pub(super) quote: Option<Unit>,
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    word: Word,
    line_start: bool,
    newline: Form,
    /// The character before the position.
    last: Option<char>,
}

impl Scanner<'_> {
    fn resume(&mut self, at: usize) {
        self.at = at;
        self.forget();
        self.line_start = false;
    }

    fn forget(&mut self) {
        self.word.text.clear();
        self.word.quote = None;
        self.word.spaced = false;
        self.word.opened_by = None;
    }

    fn next_hidden(&mut self) -> Option<Hidden> {
        while let Some(unit) = unit(self.text, self.at) {
            let from = self.at;
            self.at += unit.len;
            let before = self.last.replace(unit.char);
            let hidden = match unit.char {
                _ if unit.is_name() => self.name(from, unit, before),
                ':' => self.user_info(unit).or_else(|| self.separated(unit)),
                '=' => self.separated(unit),
                _ if unit.is_newline() => {
                    let hidden = self.end_of_word();
                    self.forget();
                    (self.line_start, self.newline) = (true, unit.form);
                    hidden
                }
                _ if unit.is_space() => {
                    let hidden = self.end_of_word().or_else(|| self.credentials());
                    self.word.spaced = true;
                    hidden
                }
                _ if unit.is_quote() => {
                    let hidden = self.end_of_word();
                    if self.word.text.is_empty() || self.word.quote.is_some() || self.word.spaced {
                        self.forget();
                    } else {
                        self.word.quote = Some((from, unit));
                    }
                    self.line_start = false;
                    hidden.or_else(|| self.paired())
                }
                '>' => {
                    let hidden = self.element();
                    self.forget();
                    hidden
                }
                '<' => {
                    self.forget();
                    self.word.opened_by = Some('<');
                    None
                }
                _ => {
                    let hidden = self.end_of_word();
                    self.forget();
                    self.line_start = false;
                    hidden
                }
            };
            if hidden.is_some() {
                return hidden;
            }
        }
        let hidden = self.end_of_word();
        self.forget();
        hidden
    }

    /// A character of a name: the word goes on or a new one begins.
    fn name(&mut self, from: usize, unit: Unit, before: Option<char>) -> Option<Hidden> {
        let goes_on = !self.word.text.is_empty() && self.word.to == from;
        if !goes_on {
            let opened_by = self
                .word
                .opened_by
                .filter(|_| self.word.text.is_empty() && !self.word.spaced);
            // A dash is the mark of a YAML list and of an option, and begins no name.
            if unit.char == '-' {
                self.forget();
                self.word.opened_by = Some('-');
                return None;
            }
            let first_in_line = self.line_start && opened_by != Some('-');
            self.forget();
            self.word.from = from;
            self.word.before = before;
            self.word.opened_by = opened_by;
            self.word.first_in_line = first_in_line;
            self.line_start = false;
        }
        self.word.text.push(unit.char);
        // The rest of a plain name at once: most of a text are names, and nothing is decided within them.
        let rest = &self.text.as_bytes()[self.at..];
        let plain = rest.iter().take_while(|byte| is_plain_name(**byte)).count();
        if let Some(more) = self
            .text
            .get(self.at..self.at + plain)
            .filter(|_| plain > 0)
        {
            self.word.text.push_str(more);
            self.last = more.chars().next_back();
            self.at += plain;
        }
        self.word.to = self.at;
        None
    }

    /// A word that is a secret by itself: a JSON web token.
    fn end_of_word(&mut self) -> Option<Hidden> {
        let word = &self.word;
        let ended_here = word.quote.is_none() && !word.spaced;
        (ended_here && is_web_token(&word.text)).then(|| Hidden::plain(word.from, word.to))
    }

    /// `name=value`, `name: value`, `"name":"value"` and the like.
    fn separated(&mut self, separator: Unit) -> Option<Hidden> {
        if let Some(token) = self.end_of_word() {
            return Some(token);
        }
        let place = Place {
            separator,
            first_in_line: self.word.first_in_line,
            newline: self.newline,
            quote: self.word.quote.map(|(_, unit)| unit),
        };
        let next = unit(self.text, self.at);
        let compares =
            separator.char == '=' && next.is_some_and(|next| matches!(next.char, '>' | '='));
        // `com.acme.Order:auth-token::provider:app` is a key of Dubbo and has no names in it.
        let parts_a_key = separator.char == ':'
            && place.quote.is_none()
            && !next.is_some_and(Unit::is_space)
            && matches!(self.word.before, Some(':' | '/' | '@'));
        let secret = names_secret(&self.word.text) && !compares && !parts_a_key;
        let is_header = self.word.text.eq_ignore_ascii_case("authorization");
        self.forget();
        self.line_start = false;
        if !secret {
            return None;
        }
        let found = value::after(self.text, self.at, place, is_header)?;
        self.keep_or_hide(found, place)
    }

    fn keep_or_hide(&mut self, found: value::Value, place: Place) -> Option<Hidden> {
        let content = &self.text[found.from..found.to];
        if says_nothing(content) {
            self.at = found.from;
            return None;
        }
        let mut hidden = Hidden::plain(found.from, found.to);
        // A bare number or word in JSON becomes a text, so that the whole stays JSON.
        if let (Some(quote), ':', false) = (place.quote, place.separator.char, found.quoted)
            && matches!(quote.form, Form::Raw | Form::Escaped(_))
        {
            let mark = format!(
                "{}{}",
                "\\".repeat(usize::from(quote.form.backslashes())),
                quote.char
            );
            hidden.instead = Cow::Owned(format!("{mark}{MASK}{mark}"));
        }
        Some(hidden)
    }

    /// `name="password" value="x"`, `{"key":"password","value":"x"}`, `key="password">x<`.
    fn paired(&mut self) -> Option<Hidden> {
        let (_, quote) = self.word.quote?;
        if !names_secret(&self.word.text) {
            return None;
        }
        let found = value::of_pair(self.text, self.at, quote)?;
        (!is_masked(&self.text[found.from..found.to])).then(|| Hidden::plain(found.from, found.to))
    }

    /// `<password>x</password>`.
    fn element(&mut self) -> Option<Hidden> {
        let is_element =
            self.word.opened_by == Some('<') && self.word.quote.is_none() && !self.word.spaced;
        if !is_element || !names_secret(&self.word.text) {
            return None;
        }
        let to = self.at + self.text[self.at..].find('<')?;
        (!is_masked(&self.text[self.at..to])).then(|| Hidden::plain(self.at, to))
    }

    /// `Basic dXNlcjpwYXNz`, `Bearer ey..`, `--password x`.
    fn credentials(&mut self) -> Option<Hidden> {
        if self.word.spaced || self.word.quote.is_some() {
            return None;
        }
        let is_option = self.word.opened_by == Some('-') && names_secret(&self.word.text);
        let scheme = self.word.text.eq_ignore_ascii_case("basic")
            || self.word.text.eq_ignore_ascii_case("bearer");
        if !is_option && !scheme {
            return None;
        }
        let mut from = self.at;
        while let Some(space) = unit(self.text, from).filter(|unit| unit.is_space()) {
            from += space.len;
        }
        let to = value::token_end(self.text, from);
        let token = &self.text[from..to];
        let is_prose = token.len() < 8
            || (token.len() < 24 && token.bytes().all(|byte| byte.is_ascii_lowercase()));
        let is_pair = || base64::decoded(token).is_some_and(|pair| pair.contains(':'));
        let hide = is_option || !is_prose || is_pair();
        (hide && !is_masked(token)).then(|| Hidden::plain(from, to))
    }

    /// `://user:password@host`, at any encoding.
    fn user_info(&mut self, colon: Unit) -> Option<Hidden> {
        let depth = colon.form.depth();
        let mut from = self.at;
        for _ in 0..2 {
            let slash = unit(self.text, from)
                .filter(|unit| unit.char == '/' && unit.form.depth() == depth)?;
            from += slash.len;
        }
        let (from, to) = value::password_in_url(self.text, from, depth)?;
        (!is_masked(&self.text[from..to])).then(|| Hidden::plain(from, to))
    }
}

/// A character of a name that is written as itself; see [`Unit::is_name`].
fn is_plain_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

/// Whether the value under a secret name is none: nothing, a switch, or asterisks.
pub(super) fn says_nothing(content: &str) -> bool {
    is_masked(content) || matches!(content, "null" | "true" | "false" | "[]")
}

/// Whether there is nothing to hide: no content, or nothing but asterisks.
fn is_masked(content: &str) -> bool {
    content.trim().bytes().all(|byte| byte == b'*')
}

/// Whether the value under this name is hidden. A class is none, whatever its name: `com.acme.Token` is a key of maps.
pub(super) fn names_secret(word: &str) -> bool {
    is_secret_name(word) && !is_class(word)
}

/// A class name, as in service keys: `com.acme.Token:1.0.0`.
fn is_class(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(_, last)| {
        last.starts_with(|first: char| first.is_ascii_uppercase())
            && last.contains(|c: char| c.is_ascii_lowercase())
    })
}

fn is_web_token(word: &str) -> bool {
    let mut parts = word.split('.');
    word.len() > 20
        && word.starts_with("eyJ")
        && parts.next().is_some_and(|head| head.len() >= 8)
        && parts.next().is_some_and(|body| body.len() >= 8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whoever looks only for what is suspicious misses nothing.
        #[test]
        fn nothing_is_found_where_nothing_is_suspicious(
            parts in proptest::collection::vec(
                prop_oneof![
                    proptest::sample::select(stems().collect::<Vec<_>>()).prop_map(str::to_owned),
                    "[a-z]{1,6}",
                    proptest::sample::select(vec![
                        "=", ":", "://", ":\\/\\/", "\"", "\\\"", "'", "@", "-", "_", ".", " ", "<", ">", "%3D", "%6b", "\\u006b", "&quot;",
                        "Basic dXNlcjpwYXNzd29yZA==", "Bearer abcdefgh12", "eyJhbGciOi.eyJzdWIiOi.x", "u:p@h", "\n", "A-K", "to-ken",
                    ]).prop_map(str::to_owned),
                ],
                0..12,
            )
        ) {
            let text = parts.concat();
            if !SUSPICIOUS.is_match(text.as_bytes()) {
                prop_assert_eq!(scan_once(&text), Cow::Borrowed(text.as_str()));
            }
        }
    }
}
