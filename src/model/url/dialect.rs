//! What differs between Dubbo versions when they read a URL. Each field names the patch where it changed.

use crate::model::version::DubboVersion;

/// How `default.x` parameters, which providers up to 2.6 publish, become `x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DefaultKeys {
    /// Up to 2.7.4: looked up when `x` is absent or empty.
    Fallback,
    /// 2.7.5 and 2.7.6: not understood; 2.7.7 to 2.7.9: not in registry entries.
    Ignored,
    /// 2.7.10 on: copied to `x` when `x` is absent. Also plain texts from 2.7.7.
    Copied,
    /// 3.2.0 on: the copy is copied once more (`default.default.x` gives `x` too).
    CopiedTwice,
}

/// What a parameter without text is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoValue {
    /// Empty.
    Empty,
    /// Its own name.
    Name,
    /// `a=` is its name, `a` is empty (2.7.10 to 2.7.14 in registry entries, 3.0.0 to 3.0.3).
    NameAfterEquals,
}

/// How registry entries are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entries {
    /// Decode everything, then read the plain text (up to 2.7.6).
    DecodeFirst,
    /// `URLStrParser` (2.7.7 on).
    Parser,
}

/// Everything that differs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect {
    /// 3.x: one parser for plain texts and entries; 2.x: plain texts have their own, which trims.
    pub(super) one_parser: bool,
    pub(super) entries: Entries,
    /// Plain texts of 2.x: `;` separates parameters like `&` (2.7.13 on). The other parser always does so.
    pub(super) semicolon: bool,
    /// Text after `#` is dropped: in plain texts (not 2.7.0 to 2.7.9) ..
    pub(super) plain_fragment: bool,
    /// .. and in registry entries (2.7.15 on).
    pub(super) entry_fragment: bool,
    pub(super) plain_default_keys: DefaultKeys,
    pub(super) entry_default_keys: DefaultKeys,
    /// In what [`Entries::Parser`] reads.
    pub(super) no_value: NoValue,
    /// Up to 2.7.8 a password needs a user.
    pub(super) password_needs_user: bool,
    /// 3.x: `user@` without a password is accepted.
    pub(super) user_alone: bool,
    /// The encoded `?` is found in any letter case (2.7.9 on).
    pub(super) question_mark_any_case: bool,
    /// 3.x: `side` must be `consumer` or `provider` and is folded to lower case.
    pub(super) fixed_side: bool,
}

impl Dialect {
    pub(super) fn of(version: &DubboVersion) -> Self {
        let is_3x = version.line().is_3x();
        let copied = if version.at_least([3, 2]) {
            DefaultKeys::CopiedTwice
        } else {
            DefaultKeys::Copied
        };
        let default_keys = |copied_since: [u32; 3]| {
            if !version.at_least([2, 7, 5]) {
                DefaultKeys::Fallback
            } else if version.at_least(copied_since) {
                copied
            } else {
                DefaultKeys::Ignored
            }
        };
        Self {
            one_parser: is_3x,
            entries: if version.at_least([2, 7, 7]) {
                Entries::Parser
            } else {
                Entries::DecodeFirst
            },
            semicolon: version.at_least([2, 7, 13]),
            plain_fragment: !version.at_least([2, 7]) || version.at_least([2, 7, 10]),
            entry_fragment: version.at_least([2, 7, 15]),
            plain_default_keys: default_keys([2, 7, 7]),
            entry_default_keys: default_keys([2, 7, 10]),
            no_value: if version.at_least([3, 1, 8]) || !version.at_least([2, 7, 10]) {
                NoValue::Empty
            } else if !version.at_least([2, 7, 15])
                || version.at_least([3, 0]) && !version.at_least([3, 0, 4])
            {
                NoValue::NameAfterEquals
            } else {
                NoValue::Name
            },
            password_needs_user: !version.at_least([2, 7, 9]),
            user_alone: is_3x,
            question_mark_any_case: version.at_least([2, 7, 9]),
            fixed_side: is_3x,
        }
    }
}
