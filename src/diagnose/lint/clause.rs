//! The clauses of a condition: what in them is not what it looks like, and whether they can hold at all.
//!
//! `route` decides what a clause does to an address; here only what its form says is looked at, before there are any.

use std::ops::Range;

use super::{Code, Cx, Phrase, Say, found};
use crate::route::dialect::Dialect;
use crate::route::pattern::Pattern;
use crate::rule::condition::text::{Clause, ConditionError, Value};
use crate::rule::yaml::Span;

/// Whether a clause or side can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// For nobody.
    Never,
    /// For everybody.
    Always,
    /// It depends on the call or the address.
    Depends,
}

/// Left or right of `=>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The consumer and its call.
    Left,
    /// The provider.
    Right,
}

/// What 3.2 and later compare when an argument or attachment cannot be found.
const NOT_FOUND: &str = "dubbo_internal_not_found_argument_condition_value";

/// Keys that every address has.
const ALWAYS: [&str; 3] = ["host", "address", "protocol"];

/// Keys that conditions are written with, for near misses.
const USUAL: [&str; 12] = [
    "host",
    "address",
    "port",
    "protocol",
    "method",
    "methods",
    "application",
    "interface",
    "version",
    "group",
    "path",
    "side",
];

/// What a key stands for.
enum Presence {
    /// Always there.
    Present,
    /// Never there.
    Missing,
    /// 3.2 and later compare a fixed text.
    NotFound,
    /// 2.7.11 to 3.1: an argument that cannot be found fails.
    Fails,
    /// Depends.
    Unknown,
}

/// The plain sign for punctuation of another keyboard.
pub(super) fn ascii_of(c: char) -> Option<char> {
    Some(match c {
        '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff3b}'..='\u{ff40}'
        | '\u{ff5b}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0)?,
        '\u{3001}' => ',',
        '\u{3002}' => '.',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{2013}' | '\u{2014}' => '-',
        '\u{2260}' => '=',
        '\u{3010}' => '[',
        '\u{3011}' => ']',
        _ => return None,
    })
}

/// A sign that looks like punctuation and is a letter for Dubbo.
pub(super) fn full_width(cx: &mut Cx<'_>, at: Span, sign: char) {
    let plain = ascii_of(sign).unwrap_or(sign);
    cx.add(
        found(Code::LintOperator, at)
            .reads(
                Phrase::new(Say::LintFullWidth).with("sign", format!("U+{:04X}", u32::from(sign))),
            )
            .meant(Phrase::new(Say::LintWrite).with("text", plain.to_string())),
    );
}

/// Punctuation of another keyboard anywhere in a condition: one remark, with the whole text as it was meant.
pub(super) fn other_keyboard(
    cx: &mut Cx<'_>,
    text: &str,
    place: &dyn Fn(&Cx<'_>, Range<usize>) -> Span,
) -> bool {
    let Some((at, sign)) = text.char_indices().find(|(_, c)| ascii_of(*c).is_some()) else {
        return false;
    };
    let at = place(cx, at..at + sign.len_utf8());
    let quotes = |c: &char| !matches!(c, '"' | '\'');
    let plain: String = text
        .chars()
        .map(|c| ascii_of(c).unwrap_or(c))
        .filter(quotes)
        .collect();
    cx.add(
        found(Code::LintOperator, at)
            .reads(
                Phrase::new(Say::LintFullWidth).with("sign", format!("U+{:04X}", u32::from(sign))),
            )
            .meant(Phrase::new(Say::LintWrite).with("text", super::short(&plain))),
    );
    true
}

/// Why a text is no condition.
pub(super) fn refused(
    cx: &mut Cx<'_>,
    error: &ConditionError,
    place: &dyn Fn(&Cx<'_>, Range<usize>) -> Span,
) {
    match error {
        ConditionError::Blank => {
            let at = place(cx, 0..0);
            cx.refuse(at, &error.to_string(), None);
        }
        ConditionError::Separator { separator, at, .. } => {
            let at = place(cx, *at..*at + separator.len());
            let meant = match separator.as_str() {
                "==" | "===" => Some("="),
                "&&" => Some("&"),
                "!" | "!==" | "=!" => Some("!="),
                ",," => Some(","),
                _ => None,
            };
            let meant = meant.map(|text| Phrase::new(Say::LintWrite).with("text", text));
            cx.refuse(at, &error.to_string(), meant.clone());
            if let Some(meant) = meant {
                cx.add(
                    found(Code::LintOperator, at)
                        .reads(Say::LintNoOperator)
                        .meant(meant),
                );
            }
        }
    }
}

/// Remarks on the clauses of a side, unless its text is not `plain` to begin with; says whether the side can hold.
pub(super) fn side(
    cx: &mut Cx<'_>,
    clauses: &[Clause],
    side: Side,
    dialect: Dialect,
    plain: bool,
    place: &dyn Fn(&Cx<'_>, Range<usize>) -> Span,
) -> Holds {
    let mut all = Holds::Always;
    // What stands beside a foreign operator has no comparison because of it.
    let foreign = clauses.iter().any(|clause| word(&clause.key).is_some());
    for (at, clause) in clauses.iter().enumerate() {
        // A long text with the same fault all over needs one remark, not a thousand.
        if at < 50 && plain {
            odd(cx, clause, at, (side, foreign), dialect, place);
        }
        all = match (all, holds(clause, side, dialect)) {
            (Holds::Never, _) | (_, Holds::Never) => Holds::Never,
            (Holds::Always, other) | (other, Holds::Always) => other,
            _ => Holds::Depends,
        };
    }
    all
}

fn is_bare(clause: &Clause) -> bool {
    clause.matches.is_empty() && clause.mismatches.is_empty()
}

/// Whether a parameter of a URL could have such a name.
fn is_plausible(key: &str) -> bool {
    key.chars()
        .all(|c| c.is_ascii_alphanumeric() || "._-$:/".contains(c))
}

fn presence(key: &str, side: Side, dialect: Dialect) -> Presence {
    if dialect.matchers && key.starts_with("attachments") {
        return match (side, attachment(key)) {
            (Side::Left, Some(_)) => Presence::Unknown,
            _ => Presence::NotFound,
        };
    }
    if dialect.arguments && key.starts_with("arguments") {
        return match (side, index(key), dialect.matchers) {
            (Side::Left, Some(_), _) => Presence::Unknown,
            (_, _, true) => Presence::NotFound,
            _ => Presence::Fails,
        };
    }
    match (key, side) {
        ("method" | "methods", Side::Left) => Presence::Present,
        // a consumer has no port
        ("port", Side::Left) => Presence::Missing,
        _ if ALWAYS.contains(&key) => Presence::Present,
        _ if !is_plausible(key) => Presence::Missing,
        _ => Presence::Unknown,
    }
}

/// `attachments[name]`; a name with a dot is cut before it is looked for.
fn attachment(key: &str) -> Option<&str> {
    let first = key.split('.').next()?;
    let name = first.strip_prefix("attachments[")?.strip_suffix(']')?;
    (!name.is_empty()).then_some(name)
}

/// `arguments[n]`.
fn index(key: &str) -> Option<u32> {
    let first = key.split('.').next()?;
    first
        .strip_prefix("arguments[")?
        .strip_suffix(']')?
        .parse()
        .ok()
}

fn holds(clause: &Clause, side: Side, dialect: Dialect) -> Holds {
    let presence = presence(&clause.key, side, dialect);
    if is_bare(clause) {
        return match presence {
            _ if dialect.matchers => Holds::Never,
            Presence::Missing => Holds::Always,
            Presence::Present | Presence::Fails | Presence::NotFound => Holds::Never,
            Presence::Unknown => Holds::Depends,
        };
    }
    let any = |values: &[Value]| values.iter().any(|value| value.text == "*");
    let none = |values: &[Value]| {
        values
            .iter()
            .all(|value| impossible(&clause.key, &value.text, side).is_some())
    };
    match presence {
        Presence::Missing if !dialect.matchers && clause.matches.is_empty() => Holds::Always,
        Presence::Missing | Presence::Fails => Holds::Never,
        Presence::NotFound => {
            let hit = |values: &[Value]| {
                values.iter().any(|value| {
                    let pattern = if value.text.contains('~') {
                        Pattern::range(&value.text)
                    } else {
                        Pattern::glob(Some(&value.text))
                    };
                    pattern.matches(NOT_FOUND, side == Side::Left)
                })
            };
            if !hit(&clause.mismatches) && (clause.matches.is_empty() || hit(&clause.matches)) {
                Holds::Always
            } else {
                Holds::Never
            }
        }
        Presence::Present => {
            if any(&clause.mismatches) || !clause.matches.is_empty() && none(&clause.matches) {
                Holds::Never
            } else if none(&clause.mismatches)
                && (clause.matches.is_empty() || any(&clause.matches))
            {
                Holds::Always
            } else {
                Holds::Depends
            }
        }
        Presence::Unknown => {
            if any(&clause.mismatches) && (dialect.matchers || !clause.matches.is_empty()) {
                Holds::Never
            } else {
                Holds::Depends
            }
        }
    }
}

/// Why a value can equal no host, port or address.
fn impossible(key: &str, value: &str, side: Side) -> Option<Say> {
    if value == "*" || value.starts_with('$') && side == Side::Right || value.contains('~') {
        return None;
    }
    let numeric = |c: char| c.is_ascii_digit() || ".*-/".contains(c);
    let is_ip = value.chars().all(numeric);
    let stars = value.matches('*').count();
    match key {
        "host" | "address" if stars > 1 => Some(Say::LintOneStar),
        "host" | "address" if value.contains('/') => Some(Say::LintNoCidr),
        "host" if is_ip && value.contains('-') => Some(Say::LintNoCidr),
        "host" if value.matches(':').count() == 1 => Some(Say::LintHostWithoutPort),
        "address" if side == Side::Right && is_ip && stars == 0 => Some(Say::LintAddressWithPort),
        "address" if side == Side::Left && value.matches(':').count() == 1 => {
            Some(Say::LintConsumerWithoutPort)
        }
        "port" if stars == 0 && !value.bytes().all(|b| b.is_ascii_digit()) => {
            Some(Say::LintPortIsNumber)
        }
        "host" | "address" | "port" | "protocol"
            if value.chars().any(|c| ascii_of(c).is_some()) =>
        {
            Some(Say::LintFullWidth)
        }
        _ => None,
    }
}

/// Remarks on one clause.
fn odd(
    cx: &mut Cx<'_>,
    clause: &Clause,
    place_of_clause: usize,
    (side, foreign): (Side, bool),
    dialect: Dialect,
    place: &dyn Fn(&Cx<'_>, Range<usize>) -> Span,
) {
    let key = clause.key.as_str();
    let at = place(cx, clause.span.clone());
    let operator = |cx: &mut Cx<'_>, at: Span, reads: Phrase, meant: Option<Phrase>| {
        let mut remark = found(Code::LintOperator, at).reads(reads);
        remark.meant = meant;
        cx.add(remark);
    };
    if let Some((reads, meant)) = word(key) {
        operator(cx, at, reads.into(), Some(meant.into()));
    } else if key.contains(['"', '\'', '`']) {
        operator(
            cx,
            at,
            Say::LintQuoteIsPart.into(),
            Some(Say::LintWithoutQuotes.into()),
        );
    } else if is_bare(clause) && !foreign {
        let meant = if place_of_clause == 0 && side == Side::Right {
            Say::LintQuoteFlowItem
        } else {
            Say::LintCommaBetweenValues
        };
        operator(cx, at, Say::LintBareKey.into(), Some(meant.into()));
    }
    unread(cx, key, at, side, dialect);
    for value in clause.matches.iter().chain(&clause.mismatches).take(50) {
        let at = place(cx, value.span.clone());
        let text = value.text.as_str();
        if let Some(reads) = impossible(key, text, side) {
            operator(cx, at, reads.into(), None);
        } else if text.ends_with(';') || USUAL.contains(&key) && text.contains(';') {
            operator(
                cx,
                at,
                Say::LintNoOperator.into(),
                Some(Say::LintAndIsAmpersand.into()),
            );
        } else if text.starts_with(['<', '>']) {
            operator(
                cx,
                at,
                Say::LintComparison.into(),
                Some(Say::LintRangeInstead.into()),
            );
        } else if text.contains(['"', '\'', '`']) {
            operator(
                cx,
                at,
                Say::LintQuoteIsPart.into(),
                Some(Say::LintWithoutQuotes.into()),
            );
        } else if text.starts_with('$') && side == Side::Left {
            operator(cx, at, Say::LintReferenceLeft.into(), None);
        } else if text.contains('~') {
            range(cx, text, at, dialect);
        } else if matches!(key, "method" | "methods") && side == Side::Right {
            operator(
                cx,
                at,
                Say::LintMethodRight.into(),
                Some(Say::LintMethodLeft.into()),
            );
            break;
        }
    }
}

/// Words and signs of other languages, taken for keys.
fn word(key: &str) -> Option<(Say, Say)> {
    Some(match key {
        "|" | "||" | "or" | "OR" | "Or" => (Say::LintNoOperator, Say::LintOrIsComma),
        "and" | "AND" | "And" => (Say::LintNoOperator, Say::LintAndIsAmpersand),
        "not" | "NOT" | "Not" => (Say::LintNoOperator, Say::LintNotIsBang),
        "in" | "IN" | "like" | "LIKE" | "is" => (Say::LintNoOperator, Say::LintInIsEquals),
        _ if key.contains(['<', '>']) => (Say::LintComparison, Say::LintRangeInstead),
        _ if key.contains('|') => (Say::LintNoOperator, Say::LintOrIsComma),
        _ => return None,
    })
}

/// Keys that this version does not read.
fn unread(cx: &mut Cx<'_>, key: &str, at: Span, side: Side, dialect: Dialect) {
    let reads = if key.starts_with("attachments[") {
        if !dialect.matchers {
            Some(Say::LintAttachmentsSince)
        } else if side == Side::Right {
            Some(Say::LintCallOnLeft)
        } else if attachment(key).is_none() {
            Some(Say::LintAttachmentName)
        } else {
            None
        }
    } else if key.starts_with("arguments[") {
        if !dialect.arguments {
            Some(Say::LintArgumentsSince)
        } else if side == Side::Right {
            Some(Say::LintCallOnLeft)
        } else if index(key).is_none() {
            Some(Say::LintArgumentIndex)
        } else {
            None
        }
    } else if key.contains(['[', ']']) {
        Some(Say::LintUnknownFamily)
    } else {
        None
    };
    if let Some(reads) = reads {
        cx.add(found(Code::LintUnknownKey, at).reads(reads));
        return;
    }
    let lower = key.to_lowercase();
    let near = match lower.as_str() {
        "ip" | "hostname" => Some("host"),
        _ => USUAL
            .into_iter()
            .find(|usual| *usual == lower && *usual != key),
    };
    if let Some(near) = near {
        cx.add(
            found(Code::LintUnknownKey, at)
                .reads(Say::LintKeyIsParameter)
                .meant(Phrase::new(Say::LintDidYouMean).with("near", near)),
        );
    }
}

/// `a~b`
fn range(cx: &mut Cx<'_>, text: &str, at: Span, dialect: Dialect) {
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let looks_like_range = text.split('~').all(digits);
    if !dialect.matchers {
        if looks_like_range {
            cx.add(found(Code::LintOperator, at).reads(Say::LintRangeSince));
        }
        return;
    }
    let right = looks_like_range
        && matches!(text.split('~').collect::<Vec<_>>()[..], [_, high] if !high.is_empty());
    if !right {
        cx.add(
            found(Code::LintOperator, at)
                .reads(Say::LintRangeInvalid)
                .meant(Say::LintRangeForm),
        );
    }
}

/// `consumer.` and `provider.` are deleted wherever they stand, also where they are part of a value.
pub(super) fn deleted_words(
    cx: &mut Cx<'_>,
    text: &str,
    place: &dyn Fn(&Cx<'_>, Range<usize>) -> Span,
) {
    for word in ["consumer.", "provider."] {
        let inside = text.match_indices(word).find(|(at, _)| {
            text[..*at]
                .chars()
                .next_back()
                .is_some_and(|before| !before.is_whitespace() && !"&>".contains(before))
        });
        if let Some((at, word)) = inside {
            let at = place(cx, at..at + word.len());
            cx.add(found(Code::LintOperator, at).reads(Say::LintPrefixDeleted));
        }
    }
}

/// `= >` with a blank is no `=>`: without one the whole text is the right side.
pub(super) fn parted_arrow(
    cx: &mut Cx<'_>,
    text: &str,
    place: &dyn Fn(&Cx<'_>, Range<usize>) -> Span,
) {
    if text.contains("=>") {
        return;
    }
    let parted = text.match_indices('=').find_map(|(at, _)| {
        let rest = &text[at + 1..];
        let blanks = rest.len() - rest.trim_start().len();
        let is_arrow = blanks > 0 && rest.trim_start().starts_with('>');
        is_arrow.then(|| at..at + blanks + 2)
    });
    if let Some(part) = parted {
        let at = place(cx, part);
        cx.add(
            found(Code::LintOperator, at)
                .reads(Say::LintNoArrow)
                .meant(Phrase::new(Say::LintWrite).with("text", "=>")),
        );
    }
}
