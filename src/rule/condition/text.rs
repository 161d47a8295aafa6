//! One condition, `when => then`, as text.
//!
//! Mirrors `init` and `parseRule` of `ConditionRouter` (2.7), `ConditionStateRouter` (3.x) and
//! `MultiDestConditionRouter` (3.3), which are the same on every line: what is a key, what is a value, which texts
//! are refused and which are silently skipped. What a key or value *means* is decided where it is replayed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::model::secret::{MASK, is_secret_name};

/// A condition, read. Spans are byte offsets into the text as it stands in the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The left side; no clauses match every call.
    pub when: Vec<Clause>,
    /// The right side; `None` is the empty one (`=> `, `=> false`), which selects nobody whatever `force` says.
    pub then: Option<Vec<Clause>>,
}

/// One key with the values it must and must not have. Clauses of a side must all hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// The key, `host` or `arguments[0]`.
    pub key: String,
    /// Where the key stands.
    pub span: Range<usize>,
    /// After `=`: one of them must fit. May be empty together with `mismatches` (`=> host`).
    pub matches: Vec<Value>,
    /// After `!=`: none may fit.
    pub mismatches: Vec<Value>,
}

/// One value of a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The value as written.
    pub text: String,
    /// Where it stands.
    pub span: Range<usize>,
}

/// Why a text is no condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConditionError {
    /// `IllegalArgumentException`: nothing but white space.
    #[error("Illegal route rule!")]
    Blank,
    /// `IllegalStateException` around a `ParseException`: a separator where none may stand.
    #[error(
        "Illegal route rule \"{rule}\", The error char '{separator}' at index {index} before \"{content}\"."
    )]
    Separator {
        /// The side that was read, after `consumer.` and `provider.` were taken out.
        rule: String,
        /// The whole run of separators.
        separator: String,
        /// Its place in `rule`, in UTF-16 units.
        index: usize,
        /// What follows it.
        content: String,
        /// Its place in the text as it stands in the rule, in bytes.
        at: usize,
    },
}

impl Condition {
    /// Reads a classic condition: `when => then`, or `then` alone.
    pub fn parse(text: &str) -> Result<Self, ConditionError> {
        if java_trim(text).is_empty() {
            return Err(ConditionError::Blank);
        }
        let stripped = Stripped::of(text);
        let (when, then) = match stripped.text.find("=>") {
            Some(at) => (Some(0..at), at + 2..stripped.text.len()),
            None => (None, 0..stripped.text.len()),
        };
        let when = match when {
            Some(side) => stripped.side(side, "true")?.unwrap_or_default(),
            None => Vec::new(),
        };
        Ok(Self {
            when,
            then: stripped.side(then, "false")?,
        })
    }
}

/// Reads the `match` of a v3.1 condition, where nothing is taken out and `ignored` (`true` in `from`, `false` in
/// `to`) is the same as nothing. No clauses match everything, on both sides.
pub fn parse_match(text: &str, ignored: &str) -> Result<Vec<Clause>, ConditionError> {
    if is_blank(text) || text == ignored {
        return Ok(Vec::new());
    }
    clauses(text, |at| at)
}

/// A condition as it may be shown: what a parameter or attachment with the name of a secret is compared with is masked.
/// Takes any text.
pub fn shown(text: &str) -> Cow<'_, str> {
    let stripped = Stripped::of(text);
    let all = &stripped.text;
    let (when, then) = match all.find("=>") {
        Some(at) => (0..at, at + 2..all.len()),
        None => (0..0, 0..all.len()),
    };
    let mut out = String::new();
    let mut from = 0;
    for side in [when, then] {
        let mut secret = false;
        for token in tokens(&all[side.clone()]) {
            let content = side.start + token.content.start..side.start + token.content.end;
            if matches!(&all[side.clone()][token.separator], "" | "&") {
                secret = is_secret_key(&all[content]);
            } else if secret {
                out.push_str(&text[from..stripped.original(content.start)]);
                out.push_str(MASK);
                from = stripped.original(content.end - 1) + 1;
            }
        }
    }
    if out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// Characters of a condition that are shown.
const LONGEST_SHOWN: usize = 400;

/// A condition or a part of one as it is shown: see [`shown`], and cut when it is very long.
pub fn excerpt(text: &str) -> Cow<'_, str> {
    let shown = shown(text);
    match shown.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}..", &shown[..end])),
        None => shown,
    }
}

/// Whether the values under a key are secret: `password`, `attachments[token]`.
pub fn is_secret_key(key: &str) -> bool {
    let named = key.split_once("attachments[");
    let name = named.map_or(key, |(_, rest)| {
        rest.rsplit_once(']').map_or(rest, |(name, _)| name)
    });
    is_secret_name(name)
}

/// A text without `consumer.` and `provider.`, which Dubbo removes wherever they stand, and the way back.
struct Stripped {
    text: String,
    /// For every byte of `text` (and its end) the offset in the original; `None` when nothing was removed.
    origin: Option<Vec<usize>>,
}

impl Stripped {
    fn of(text: &str) -> Self {
        let mut stripped = Self {
            text: text.to_owned(),
            origin: None,
        };
        for word in ["consumer.", "provider."] {
            // Left to right, without looking at what the removal joins (`String.replace`).
            if stripped.text.contains(word) {
                let mut kept = String::with_capacity(stripped.text.len());
                let mut origin = Vec::with_capacity(stripped.text.len() + 1);
                let mut from = 0;
                for (at, _) in stripped.text.match_indices(word) {
                    kept.push_str(&stripped.text[from..at]);
                    origin.extend((from..at).map(|byte| stripped.original(byte)));
                    from = at + word.len();
                }
                kept.push_str(&stripped.text[from..]);
                origin.extend((from..=stripped.text.len()).map(|byte| stripped.original(byte)));
                stripped = Self {
                    text: kept,
                    origin: Some(origin),
                };
            }
        }
        stripped
    }

    /// The offset in the original text.
    fn original(&self, at: usize) -> usize {
        self.origin.as_ref().map_or(at, |origin| origin[at])
    }

    /// `None` when the side is blank or `word`.
    fn side(&self, range: Range<usize>, word: &str) -> Result<Option<Vec<Clause>>, ConditionError> {
        let raw = &self.text[range.clone()];
        let start = range.start + (raw.len() - raw.trim_start_matches(is_trimmed).len());
        let side = java_trim(raw);
        if is_blank(side) || side == word {
            return Ok(None);
        }
        clauses(side, |at| self.original(start + at)).map(Some)
    }
}

/// The loop over `([&!=,]*)\s*([^&!=,\s]+)`. What fits nowhere (a trailing separator) is skipped, as `find` does.
fn clauses(side: &str, original: impl Fn(usize) -> usize) -> Result<Vec<Clause>, ConditionError> {
    // Later clauses of the same key may replace earlier ones while `,` still adds to the old list, so places are
    // kept: `read` holds every clause ever begun, `named` those that count.
    let mut read: Vec<Clause> = Vec::new();
    let mut named: Vec<usize> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut values: BTreeSet<(usize, bool, &str)> = BTreeSet::new();
    let mut current: Option<usize> = None;
    let mut list: Option<(usize, bool)> = None;
    for token in tokens(side) {
        let content = &side[token.content.clone()];
        let separator = &side[token.separator.clone()];
        let span = original(token.content.start)..original(token.content.end - 1) + 1;
        let known = places.get(content).copied();
        match (separator, current, list) {
            ("" | "&", ..) => {
                current = Some(match known {
                    Some(place) if separator == "&" => named[place],
                    _ => {
                        read.push(Clause {
                            key: content.to_owned(),
                            span,
                            matches: Vec::new(),
                            mismatches: Vec::new(),
                        });
                        let at = read.len() - 1;
                        if let Some(place) = known {
                            named[place] = at;
                        } else {
                            places.insert(content, named.len());
                            named.push(at);
                        }
                        at
                    }
                });
            }
            ("=" | "!=", Some(clause), _) => {
                list = Some((clause, separator == "="));
                if values.insert((clause, separator == "=", content)) {
                    read[clause].add(separator == "=", content, span);
                }
            }
            (",", _, Some((clause, positive))) => {
                if values.insert((clause, positive, content)) {
                    read[clause].add(positive, content, span);
                }
            }
            _ => {
                return Err(ConditionError::Separator {
                    rule: side.to_owned(),
                    separator: separator.to_owned(),
                    index: side[..token.separator.start].encode_utf16().count(),
                    content: content.to_owned(),
                    at: original(token.separator.start),
                });
            }
        }
    }
    let mut kept: Vec<Option<Clause>> = read.into_iter().map(Some).collect();
    Ok(named.into_iter().filter_map(|at| kept[at].take()).collect())
}

impl Clause {
    fn add(&mut self, positive: bool, text: &str, span: Range<usize>) {
        let values = if positive {
            &mut self.matches
        } else {
            &mut self.mismatches
        };
        values.push(Value {
            text: text.to_owned(),
            span,
        });
    }
}

struct Token {
    separator: Range<usize>,
    content: Range<usize>,
}

fn tokens(side: &str) -> impl Iterator<Item = Token> {
    let bytes = side.as_bytes();
    let run = |from: usize, inside: fn(u8) -> bool| {
        bytes[from..]
            .iter()
            .position(|&b| !inside(b))
            .map_or(bytes.len(), |n| from + n)
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let separator = at..run(at, is_separator);
            let start = run(separator.end, is_space);
            let content = start..run(start, |b| !is_separator(b) && !is_space(b));
            at = content.end;
            if !content.is_empty() {
                return Some(Token { separator, content });
            }
        }
        None
    })
}

const fn is_separator(byte: u8) -> bool {
    matches!(byte, b'&' | b'!' | b'=' | b',')
}

/// Java's `\s`.
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

/// What `String.trim` takes off.
const fn is_trimmed(c: char) -> bool {
    c <= ' '
}

/// `String.trim`.
pub(crate) fn java_trim(text: &str) -> &str {
    text.trim_matches(is_trimmed)
}

/// `StringUtils.isBlank`: nothing, or white space as `Character.isWhitespace` sees it (no-break spaces are not).
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| {
        matches!(c, '\t'..='\r' | '\u{1c}'..='\u{1f}')
            || c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{85}')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(clauses: &[Clause]) -> String {
        let list = |sign: &str, values: &[Value]| {
            values
                .iter()
                .map(|v| format!("{sign}{}", v.text))
                .collect::<Vec<_>>()
                .concat()
        };
        clauses
            .iter()
            .map(|c| {
                format!(
                    "{}{}{}",
                    c.key,
                    list("=", &c.matches),
                    list("!", &c.mismatches)
                )
            })
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn sides(text: &str) -> (String, Option<String>) {
        let condition = Condition::parse(text).unwrap();
        (shown(&condition.when), condition.then.as_deref().map(shown))
    }

    fn then(text: &str) -> String {
        sides(text).1.unwrap()
    }

    #[test]
    fn sides_of_a_condition() {
        assert_eq!(
            sides("method=get* => host=1.1"),
            ("method=get*".into(), Some("host=1.1".into()))
        );
        assert_eq!(sides("host=1.1"), (String::new(), Some("host=1.1".into())));
        assert_eq!(sides(" true => "), (String::new(), None));
        assert_eq!(sides("=> false"), (String::new(), None));
        assert_eq!(
            sides("TRUE => FALSE"),
            ("TRUE".into(), Some("FALSE".into()))
        );
        assert_eq!(sides("a=1 => &"), ("a=1".into(), Some(String::new())));
        assert_eq!(sides("& => b=1"), (String::new(), Some("b=1".into())));
        assert_eq!(Condition::parse(" \n"), Err(ConditionError::Blank));
    }

    #[test]
    fn the_tokenizer_of_dubbo() {
        for (text, expected) in [
            ("host =1.1", "host=1.1"),
            ("host= 1.1", "host=1.1"),
            ("a = b", "a=b"),
            ("a=b=c", "a=b=c"),
            ("a=b!=c", "a=b!c"),
            ("a=b c=d", "a=b c=d"),
            ("host=", "host"),
            ("a>=b", "a>=b"),
            ("& a=b", "a=b"),
            ("a=1&b,2", "a=1=2 b"),
            ("a=b & & c=d", "a=b c=d"),
            ("a=1,2,1", "a=1=2"),
            ("a=1&a!=2", "a=1!2"),
            ("a=1 a!=2", "a!2"),
            // The comma adds to the list of the entry that was replaced: nobody sees it.
            ("a=1 a,2", "a"),
        ] {
            assert_eq!(then(text), expected, "{text}");
        }
        for (text, index) in [
            ("a=b&&c=d", 3),
            ("a==b", 1),
            ("a!b", 1),
            ("=b", 0),
            (",b", 0),
            ("a,b", 1),
            ("a= ,b", 3),
        ] {
            match Condition::parse(text) {
                Err(ConditionError::Separator { index: found, .. }) => {
                    assert_eq!(found, index, "{text}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
        assert_eq!(
            Condition::parse("a==b").unwrap_err().to_string(),
            "Illegal route rule \"a==b\", The error char '==' at index 1 before \"b\"."
        );
    }

    #[test]
    fn prefixes_are_removed_and_places_kept() {
        let text = "consumer.host=1 => provider.host=consumer.example.com";
        let condition = Condition::parse(text).unwrap();
        assert_eq!(condition.when[0].key, "host");
        assert_eq!(&text[condition.when[0].span.clone()], "host");
        let value = &condition.then.as_ref().unwrap()[0].matches[0];
        assert_eq!(value.text, "example.com");
        assert_eq!(&text[value.span.clone()], "example.com");
        // The second word may come into being by the first removal.
        assert_eq!(then("=> proconsumer.vider.host=1"), "host=1");
    }

    #[test]
    fn match_of_v31() {
        assert_eq!(parse_match(" ", "true"), Ok(Vec::new()));
        assert_eq!(parse_match("true", "true"), Ok(Vec::new()));
        assert_eq!(shown(&parse_match("true", "false").unwrap()), "true");
        assert_eq!(
            shown(&parse_match("consumer.host=1", "false").unwrap()),
            "consumer.host=1"
        );
    }

    proptest! {
        #[test]
        fn spans_show_what_was_read(text in "[a-c=!&, >.\\t\u{e9}]{0,40}") {
            if let Ok(condition) = Condition::parse(&text) {
                for clause in condition.when.iter().chain(condition.then.iter().flatten()) {
                    prop_assert_eq!(&text[clause.span.clone()], clause.key.as_str());
                    for value in clause.matches.iter().chain(&clause.mismatches) {
                        prop_assert_eq!(&text[value.span.clone()], value.text.as_str());
                    }
                }
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,60}", word in "(consumer\\.|provider\\.|=>|=|a){0,12}") {
            let _ = Condition::parse(&text);
            let _ = Condition::parse(&word);
            let _ = parse_match(&text, "true");
        }
    }
}
