//! What one value of a condition accepts.
//!
//! Mirrors `UrlUtils.isMatchGlobPattern` (all lines) and `RangeValuePattern` (3.2 and later).

use std::borrow::Cow;

/// One value of a clause, prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// `*`
    Any,
    /// A `$name` whose parameter is absent or empty: accepts only an empty value.
    Nothing,
    /// No `*`.
    Equal(String),
    /// `*` last; an earlier `*` is an ordinary character.
    Prefix(String),
    /// `*` first and only.
    Suffix(String),
    /// `*` in between. Prefix and suffix may overlap.
    Around(String, String),
    /// `low~high`, `~high` (3.2 and later).
    Range(Range),
}

/// `a~b` as 3.2 and later read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// Both ends; what is no number is 0.
    Between(i32, i32),
    /// Only the upper end.
    UpTo(i32),
    /// Nothing usable (`a~`, `~`), or a number beyond 32 bits: fails on the left side of a rule, passes on the right.
    Invalid,
}

impl Pattern {
    /// A glob. `None` is what a `$name` without value gives.
    pub fn glob(pattern: Option<&str>) -> Self {
        let Some(pattern) = pattern.filter(|pattern| !pattern.is_empty()) else {
            return Self::Nothing;
        };
        match pattern.rfind('*') {
            _ if pattern == "*" => Self::Any,
            None => Self::Equal(pattern.to_owned()),
            Some(at) if at == pattern.len() - 1 => Self::Prefix(pattern[..at].to_owned()),
            Some(0) => Self::Suffix(pattern[1..].to_owned()),
            Some(at) => Self::Around(pattern[..at].to_owned(), pattern[at + 1..].to_owned()),
        }
    }

    /// A value of 3.2 and later that contains `~`.
    pub fn range(pattern: &str) -> Self {
        Self::Range(Range::parse(pattern))
    }

    /// Whether a value fits; `left` says that the condition is a left side.
    pub fn matches(&self, value: &str, left: bool) -> bool {
        match self {
            Self::Any => true,
            Self::Nothing => value.is_empty(),
            // An empty value fits only `*` and nothing, whatever the pattern could accept.
            Self::Equal(_) | Self::Prefix(_) | Self::Suffix(_) | Self::Around(..)
                if value.is_empty() =>
            {
                false
            }
            Self::Equal(text) => value == text,
            Self::Prefix(prefix) => value.starts_with(prefix.as_str()),
            Self::Suffix(suffix) => value.ends_with(suffix.as_str()),
            Self::Around(prefix, suffix) => {
                value.starts_with(prefix.as_str()) && value.ends_with(suffix.as_str())
            }
            Self::Range(range) => range.matches(value).unwrap_or(!left),
        }
    }
}

impl Range {
    fn parse(pattern: &str) -> Self {
        // `String.split` drops empty texts at the end, so `5~` and `~` have fewer than two parts.
        let mut parts: Vec<&str> = pattern.split('~').collect();
        while parts.last().is_some_and(|part| part.is_empty()) {
            parts.pop();
        }
        let (Some(low), Some(high)) = (parts.first(), parts.get(1)) else {
            return Self::Invalid;
        };
        match (low.is_empty(), high.is_empty()) {
            (true, true) => Self::Invalid,
            (true, false) => number(high).map_or(Self::Invalid, Self::UpTo),
            // Only `5~~x` comes here: a lower end alone.
            (false, true) => number(low).map_or(Self::Invalid, |low| Self::Between(low, i32::MAX)),
            (false, false) => match (number(low), number(high)) {
                (Some(low), Some(high)) => Self::Between(low, high),
                _ => Self::Invalid,
            },
        }
    }

    fn matches(self, value: &str) -> Option<bool> {
        let value = number(value)?;
        match self {
            Self::Between(low, high) => Some((low..=high).contains(&value)),
            Self::UpTo(high) => Some(value <= high),
            Self::Invalid => None,
        }
    }
}

/// `StringUtils.parseInteger`: what is not all digits is 0, what does not fit is an error.
fn number(text: &str) -> Option<i32> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Some(0);
    }
    text.parse().ok()
}

/// `$name` on the right side: the consumer's part or parameter of that name (`URL.getRawParameter`).
pub fn reference<'a>(
    pattern: &'a str,
    raw_parameter: impl FnOnce(&str) -> Option<Cow<'a, str>>,
) -> Option<Cow<'a, str>> {
    match pattern.strip_prefix('$') {
        Some(name) => raw_parameter(name),
        None => Some(Cow::Borrowed(pattern)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn glob(pattern: &str, value: &str) -> bool {
        Pattern::glob(Some(pattern)).matches(value, false)
    }

    #[test]
    fn globs() {
        for (pattern, value, expected) in [
            ("*", "", true),
            ("a*", "", false),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*c", "abc", true),
            ("ab*ba", "aba", true),
            ("a*b*", "a*bX", true),
            ("a*b*", "axb", false),
            ("a*b*c", "aXbYc", false),
            ("**", "*x", true),
            ("**", "x", false),
            ("abc", "ABC", false),
        ] {
            assert_eq!(glob(pattern, value), expected, "{pattern} {value}");
        }
        assert!(
            Pattern::glob(None).matches("", true) && !Pattern::glob(Some("")).matches("a", true)
        );
    }

    #[test]
    fn ranges() {
        for (pattern, value, left, expected) in [
            ("1~10", "10", true, true),
            ("1~10", "11", true, false),
            ("~5", "x", true, true),
            ("~5", "6", true, false),
            ("5~", "7", true, false),
            ("5~", "7", false, true),
            ("~", "7", false, true),
            ("1~10", "-5", true, false),
            ("1~10", "99999999999", true, false),
            ("1~10", "99999999999", false, true),
            ("1~99999999999", "5", false, true),
            ("5~~9", "7", true, true),
            ("1~2~3", "3", true, false),
        ] {
            assert_eq!(
                Pattern::range(pattern).matches(value, left),
                expected,
                "{pattern} {value}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_value_fits_itself_unless_it_ends_in_a_star(value in "[a-c*]{1,6}") {
            prop_assert!(glob(&value, &value));
        }

        #[test]
        fn any_range_gets_an_answer(pattern in ".{0,12}", value in ".{0,12}") {
            let _ = Pattern::range(&pattern).matches(&value, true);
        }
    }
}
