//! Which Dubbo a text of a version means: its line, and where in the line.
//!
//! Behaviour differs by line, sometimes by patch. Everything that mirrors Dubbo takes a [`DubboVersion`]
//! and compares it; nothing else may look at version texts.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A line of Dubbo whose behaviour is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Line {
    /// 2.5.x (and older): `com.alibaba.dubbo`.
    V2_5,
    /// 2.6.x: `com.alibaba.dubbo`.
    V2_6,
    /// 2.7.x
    V2_7,
    /// 3.0.x
    V3_0,
    /// 3.1.x
    V3_1,
    /// 3.2.x
    V3_2,
    /// 3.3.x
    V3_3,
}

impl Line {
    /// The lines whose newest patch is modelled and tested against the real classes, oldest first.
    pub const MODELLED: [Self; 5] = [Self::V2_7, Self::V3_0, Self::V3_1, Self::V3_2, Self::V3_3];

    /// The text of the line, such as `2.7`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2_5 => "2.5",
            Self::V2_6 => "2.6",
            Self::V2_7 => "2.7",
            Self::V3_0 => "3.0",
            Self::V3_1 => "3.1",
            Self::V3_2 => "3.2",
            Self::V3_3 => "3.3",
        }
    }

    /// The newest patch of this line whose behaviour is known.
    pub const fn newest_patch(self) -> &'static str {
        match self {
            Self::V2_5 => "2.5.10",
            Self::V2_6 => "2.6.12",
            Self::V2_7 => "2.7.23",
            Self::V3_0 => "3.0.15",
            Self::V3_1 => "3.1.11",
            Self::V3_2 => "3.2.16",
            Self::V3_3 => "3.3.6",
        }
    }

    /// Whether this line is 3.0 or later.
    pub fn is_3x(self) -> bool {
        self >= Self::V3_0
    }

    const fn of(major: u32, minor: u32) -> Option<Self> {
        Some(match (major, minor) {
            (2, 0..=5) => Self::V2_5,
            (2, 6) => Self::V2_6,
            (2, 7) => Self::V2_7,
            (3, 0) => Self::V3_0,
            (3, 1) => Self::V3_1,
            (3, 2) => Self::V3_2,
            (3, 3) => Self::V3_3,
            _ => return None,
        })
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a text is not a version of a known line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// Not `major.minor[.patch..][-qualifier]`.
    #[error(
        "`{0}` is not a Dubbo version: expected a line such as 3.2 or a version such as 2.7.23, 3.2.16, 3.3.0-beta.1"
    )]
    Malformed(String),
    /// A well-formed version of a line that is not known.
    #[error(
        "Dubbo {0} is of a line that is not known: the known lines are 2.5 to 2.7 and 3.0 to 3.3"
    )]
    UnknownLine(String),
    /// `dubbo=2.0.2` and its like in URLs: the version of the wire protocol, not of the library.
    #[error(
        "`{0}` is the version of the wire protocol (the `dubbo` parameter), not of the library: the `release` parameter has that"
    )]
    WireProtocol(String),
}

/// A version of Dubbo. Ordered by numbers, pre-releases before the release; the text is kept as written.
///
/// Two texts of one version (`3.2` and `3.2.16`, both the newest of 3.2) are equal.
#[derive(Debug, Clone)]
pub struct DubboVersion {
    text: String,
    line: Line,
    numbers: Vec<u32>,
    /// `None` for a release; else the qualifier, lower case, such as `beta.1`.
    pre_release: Option<String>,
}

impl DubboVersion {
    /// Reads `2.7.4.1`, `3.2.16`, `3.3.0-beta.1`, `2.6.2-SNAPSHOT`; a bare line (`3.2`) means its newest known patch.
    ///
    /// Qualifiers of vendors (`2.7.15-mse`, `2.5.3.RELEASE`) are kept in the text and otherwise ignored.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        let trimmed = text.trim();
        let malformed = || VersionError::Malformed(text.to_owned());
        let digits_end = trimmed
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(trimmed.len());
        let (numeric, qualifier) = trimmed.split_at(digits_end);
        let numbers = numeric
            .trim_end_matches('.')
            .split('.')
            .map(|part| part.parse::<u32>().map_err(|_| malformed()))
            .collect::<Result<Vec<_>, _>>()?;
        let &[major, minor, ..] = numbers.as_slice() else {
            return Err(malformed());
        };
        let qualifier = qualifier
            .trim_start_matches(['-', '.', '_', '+'])
            .to_ascii_lowercase();
        if qualifier.is_empty() && digits_end < trimmed.len()
            || trimmed.contains(char::is_whitespace)
        {
            return Err(malformed());
        }
        if numbers.starts_with(&[2, 0]) {
            return Err(VersionError::WireProtocol(trimmed.to_owned()));
        }
        let line =
            Line::of(major, minor).ok_or_else(|| VersionError::UnknownLine(trimmed.to_owned()))?;
        if numbers.len() == 2 && qualifier.is_empty() {
            return Ok(Self {
                text: trimmed.to_owned(),
                ..Self::newest(line)
            });
        }
        let pre_release = ["snapshot", "alpha", "beta", "rc", "m", "cr", "pre"]
            .iter()
            .any(|word| {
                qualifier
                    .strip_prefix(word)
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphabetic()))
            })
            .then_some(qualifier);
        Ok(Self {
            text: trimmed.to_owned(),
            line,
            numbers,
            pre_release,
        })
    }

    /// The newest known patch of a line.
    pub fn newest(line: Line) -> Self {
        let text = line.newest_patch();
        let numbers = text
            .split('.')
            .filter_map(|part| part.parse().ok())
            .collect();
        Self {
            text: text.to_owned(),
            line,
            numbers,
            pre_release: None,
        }
    }

    /// The line it belongs to.
    pub fn line(&self) -> Line {
        self.line
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it is the given version or a later one, within or across lines: `v.at_least([2, 7, 10])`.
    ///
    /// A pre-release counts as its release here: what is new in 3.3.0 is there in 3.3.0-beta.1.
    pub fn at_least<const N: usize>(&self, numbers: [u32; N]) -> bool {
        compare_numbers(&self.numbers, &numbers) != Ordering::Less
    }
}

/// Missing numbers count as 0.
fn compare_numbers(a: &[u32], b: &[u32]) -> Ordering {
    (0..a.len().max(b.len()))
        .map(|i| a.get(i).unwrap_or(&0).cmp(b.get(i).unwrap_or(&0)))
        .find(|o| o.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// A qualifier's words and numbers, so that `beta.2` comes before `beta.10`.
fn qualifier_parts(text: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word_end = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (word, tail) = rest.split_at(word_end);
        let number_end = tail
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(tail.len());
        let (number, tail) = tail.split_at(number_end);
        parts.push((
            word.trim_matches(['.', '-']).to_owned(),
            number
                .parse()
                .unwrap_or(if number.is_empty() { 0 } else { u64::MAX }),
        ));
        rest = tail;
    }
    parts
}

impl Ord for DubboVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        compare_numbers(&self.numbers, &other.numbers).then_with(|| {
            match (&self.pre_release, &other.pre_release) {
                (None, None) => Ordering::Equal,
                (None, Some(_)) => Ordering::Greater,
                (Some(_), None) => Ordering::Less,
                (Some(a), Some(b)) => qualifier_parts(a).cmp(&qualifier_parts(b)),
            }
        })
    }
}

impl PartialOrd for DubboVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for DubboVersion {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for DubboVersion {}

impl FromStr for DubboVersion {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl fmt::Display for DubboVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Line> for DubboVersion {
    fn from(line: Line) -> Self {
        Self::newest(line)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn version(text: &str) -> DubboVersion {
        DubboVersion::parse(text).unwrap()
    }

    #[test]
    fn lines_and_texts() {
        for (text, line) in [
            ("2.7.4.1", Line::V2_7),
            ("3.2.16", Line::V3_2),
            ("2.6.2", Line::V2_6),
            ("3.3.0-beta.1", Line::V3_3),
            ("2.5.3.RELEASE", Line::V2_5),
            (" 3.0.0.preview ", Line::V3_0),
            ("2.4.10", Line::V2_5),
        ] {
            assert_eq!(version(text).line(), line, "{text}");
            assert_eq!(version(text).to_string(), text.trim());
        }
    }

    #[test]
    fn a_line_is_its_newest_patch() {
        assert_eq!(version("3.2"), version("3.2.16"));
        assert_eq!(version("3.2").as_str(), "3.2");
        for line in Line::MODELLED {
            let newest = DubboVersion::newest(line);
            assert_eq!(newest.line(), line);
            assert_eq!(version(newest.as_str()), newest);
            assert_eq!(version(line.as_str()), newest);
        }
    }

    #[test]
    fn order() {
        let sorted = [
            "2.5.3",
            "2.6.2",
            "2.7.4",
            "2.7.4.1",
            "2.7.9",
            "2.7.10",
            "3.0.0",
            "3.2.0-SNAPSHOT",
            "3.2.0",
            "3.3.0-alpha.1",
            "3.3.0-beta.2",
            "3.3.0-beta.10",
            "3.3.0",
            "3.3.6",
        ];
        for pair in sorted.windows(2) {
            assert!(version(pair[0]) < version(pair[1]), "{pair:?}");
        }
        assert_eq!(version("2.7.15"), version("2.7.15-mse"));
        assert_eq!(version("3.2.0"), version("3.2.0.0"));
    }

    #[test]
    fn thresholds_look_at_numbers_only() {
        assert!(version("2.7.10").at_least([2, 7, 10]));
        assert!(!version("2.7.9").at_least([2, 7, 10]));
        assert!(version("2.7.4.1").at_least([2, 7, 4]));
        assert!(version("3.3.0-beta.1").at_least([3, 3]));
        assert!(!version("3.2.16").at_least([3, 3]));
    }

    #[test]
    fn refused_with_a_reason() {
        for text in [
            "",
            "3",
            "x",
            "3.x",
            "v3.2",
            "3.2.1 6",
            "3.2-",
            "-",
            "99999999999.1",
            "..",
            "3..2",
        ] {
            assert!(
                matches!(DubboVersion::parse(text), Err(VersionError::Malformed(_))),
                "{text}: {:?}",
                DubboVersion::parse(text)
            );
        }
        for text in ["1.0.0", "3.4.0", "4.0", "2.8.4"] {
            assert!(
                matches!(DubboVersion::parse(text), Err(VersionError::UnknownLine(_))),
                "{text}"
            );
        }
        assert!(matches!(
            DubboVersion::parse("2.0.2"),
            Err(VersionError::WireProtocol(_))
        ));
    }

    proptest! {
        #[test]
        fn any_text_gives_an_answer(text in ".{0,24}") {
            let _ = DubboVersion::parse(&text);
        }

        #[test]
        fn near_versions_give_an_answer(text in "[0-9.a-z-]{0,12}") {
            if let Ok(v) = DubboVersion::parse(&text) {
                prop_assert_eq!(v.as_str(), text.trim());
                prop_assert_eq!(v.clone(), v);
            }
        }
    }
}
