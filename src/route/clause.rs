//! The clauses of a condition, prepared for one consumer and one list of addresses.
//!
//! Mirrors `matchCondition`/`MatchPair` (2.7 to 3.1) and the condition matchers of 3.2 and later. The right side does
//! not depend on the call, so it is worked out once for all addresses; of the left side only what the call decides is
//! asked again for every call.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::AddressList;
use super::call::Call;
use super::columns::Columns;
use super::dialect::{Dialect, Shape};
use super::pattern::{Pattern, reference};
use super::provider::{Provider, raw_parameter, sample};
use super::set::AddressSet;
use super::trace::Oddity;
use crate::model::secret::MASK;
use crate::model::url::Url;
use crate::rule::condition::text::{Clause, Value, is_secret_key};

/// What 3.2 and later compare when an argument or attachment cannot be found.
const NOT_FOUND: &str = "dubbo_internal_not_found_argument_condition_value";

/// The place of a clause that does not hold, as read, and the value that was compared.
pub(super) type Failing<'v> = (usize, Option<Cow<'v, str>>);

/// A value as it may be shown beside its clause.
fn shown<'v>(test: &Test, value: Option<Cow<'v, str>>) -> Option<Cow<'v, str>> {
    value.map(|value| {
        if test.secret {
            Cow::Borrowed(MASK)
        } else {
            value
        }
    })
}

/// Parameters that 2.7 leaves as the provider has them (`ClusterUtils.mergeUrl`).
const PROVIDERS_OWN: [&str; 7] = [
    "group",
    "version",
    "generic",
    "release",
    "dubbo",
    "methods",
    "dubbo.tag",
];

/// What a key means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// The invoked method; on the right side the provider's parameter of that name.
    Method,
    /// `arguments[n]`; `None` when no number can be read.
    Argument(Option<usize>),
    /// `attachments[key]` (3.2 and later); `None` when no key can be read.
    Attachment(Option<String>),
    /// A part or parameter of the URL.
    Parameter,
}

/// What may surprise about a side, worked out once for a list.
#[derive(Debug, Clone)]
pub(super) struct Surprises {
    found: BTreeSet<Oddity>,
    /// Addresses that lack a key which they must not have with some value.
    missing: AddressSet,
    dialect: Dialect,
}

impl Surprises {
    /// Those that concern these addresses.
    pub(super) fn about(&self, input: &AddressSet) -> impl Iterator<Item = Oddity> + '_ {
        let missing = self.missing.meets(input);
        let missing = missing.then(|| of_missing_key(self.dialect));
        self.found.iter().copied().chain(missing)
    }
}

fn of_missing_key(dialect: Dialect) -> Oddity {
    if dialect.matchers {
        Oddity::MissingKeyFails
    } else {
        Oddity::MissingKeyPasses
    }
}

/// One clause, prepared.
#[derive(Debug, Clone)]
struct Test {
    key: Key,
    name: String,
    matches: Vec<Pattern>,
    mismatches: Vec<Pattern>,
    /// Place among the clauses as read.
    place: usize,
    /// Its values are not shown.
    secret: bool,
}

/// Clauses that must all hold.
#[derive(Debug, Clone)]
pub(super) struct Side {
    tests: Vec<Test>,
    left: bool,
    dialect: Dialect,
}

impl Side {
    /// The left side. What depends on the consumer alone is answered here: when it can never hold, the place of the
    /// clause that fails and the consumer's value.
    pub(super) fn left(
        clauses: &[Clause],
        consumer: &Url,
        dialect: Dialect,
    ) -> Result<Self, Failing<'static>> {
        let mut side = Self {
            tests: Vec::new(),
            left: true,
            dialect,
        };
        for (place, clause) in clauses.iter().enumerate() {
            let test = Test::new(clause, place, dialect, |text| Some(Cow::Borrowed(text)));
            if test.key == Key::Parameter {
                let value = sample(consumer, consumer.path.as_deref(), &test.name);
                if !side.holds(&test, value.as_deref()) {
                    let value = shown(&test, value);
                    return Err((place, value.map(|value| Cow::Owned(value.into_owned()))));
                }
            } else {
                side.tests.push(test);
            }
        }
        Ok(side)
    }

    /// The right side, with `$name` filled in from the consumer.
    pub(super) fn right(clauses: &[Clause], consumer: &Url, dialect: Dialect) -> Self {
        let tests = clauses
            .iter()
            .enumerate()
            .map(|(place, clause)| {
                Test::new(clause, place, dialect, |text| {
                    reference(text, |name| raw_parameter(consumer, name))
                })
            })
            .collect();
        Self {
            tests,
            left: false,
            dialect,
        }
    }

    /// Whether a call fits this left side.
    pub(super) fn fits_call(&self, call: &Call) -> bool {
        self.tests
            .iter()
            .all(|test| self.holds(test, self.call_value(test, call).as_deref()))
    }

    /// The first clause that a call does not fit, with the value compared.
    pub(super) fn failing_call<'c>(&self, call: &'c Call) -> Option<Failing<'c>> {
        self.tests.iter().find_map(|test| {
            let value = self.call_value(test, call);
            (!self.holds(test, value.as_deref())).then(|| (test.place, shown(test, value)))
        })
    }

    /// What of the real code may surprise when this side is asked about these addresses or this consumer.
    pub(super) fn surprises(
        clauses: &[Clause],
        list: &AddressList,
        columns: &Columns,
        dialect: Dialect,
        left: bool,
    ) -> Surprises {
        let mut found = BTreeSet::new();
        let mut missing = AddressSet::none(list.len());
        for clause in clauses {
            let name = clause.key.as_str();
            if Key::of(name, dialect) != Key::Parameter {
                continue;
            }
            let only_unequal = clause.matches.is_empty() && !clause.mismatches.is_empty();
            if only_unequal && left {
                if sample(&list.consumer, list.consumer.path.as_deref(), name).is_none() {
                    found.insert(of_missing_key(dialect));
                }
            } else if only_unequal {
                let column = columns.of(name, 1, list);
                missing = missing.or(&column.map_or_else(
                    || list.filter(|provider| provider.sample(name).is_none()),
                    |column| column.missing.clone(),
                ));
            }
            if left
                && dialect.left_sees_registry
                && ["host", "port", "protocol", "address"].contains(&name)
            {
                found.insert(Oddity::LeftSideSeesRegistry);
            }
            if !left
                && dialect.shape == Shape::Sorted
                && !PROVIDERS_OWN.contains(&name)
                && list.consumer.parameter(name).is_some()
            {
                found.insert(Oddity::ConsumerOverlays);
            }
        }
        Surprises {
            found,
            missing,
            dialect,
        }
    }

    /// Whether an address fits this right side.
    pub(super) fn fits_provider(&self, provider: &dyn Provider) -> bool {
        self.failing(provider).is_none()
    }

    /// The addresses of a list that fit this right side.
    pub(super) fn fitting(&self, list: &AddressList, columns: &Columns) -> AddressSet {
        let mut fitting = AddressSet::all(list.len());
        for one in self.fitting_tests(list, columns) {
            fitting = fitting.and(&one);
            if fitting.is_empty() {
                break;
            }
        }
        fitting
    }

    /// For each clause the addresses of a list that fit it.
    fn fitting_tests<'t>(
        &'t self,
        list: &'t AddressList,
        columns: &'t Columns,
    ) -> impl Iterator<Item = AddressSet> + 't {
        self.tests.iter().map(|test| {
            if let Key::Argument(_) | Key::Attachment(_) = test.key {
                let not_found = self.dialect.matchers.then_some(NOT_FOUND);
                return if self.holds(test, not_found) {
                    AddressSet::all(list.len())
                } else {
                    AddressSet::none(list.len())
                };
            }
            let patterns = test.matches.len() + test.mismatches.len();
            let Some(column) = columns.of(&test.name, patterns, list) else {
                return list.filter(|provider| {
                    self.holds(test, self.provider_value(test, provider).as_deref())
                });
            };
            let hit = |patterns: &[Pattern]| column.hit(patterns, self.left);
            let fitting = match (test.matches.is_empty(), test.mismatches.is_empty()) {
                (true, true) => return self.only_missing(test, &column.missing),
                (false, true) => hit(&test.matches),
                (true, false) => AddressSet::all(list.len())
                    .without(&column.missing)
                    .without(&hit(&test.mismatches)),
                (false, false) => hit(&test.matches).without(&hit(&test.mismatches)),
            };
            fitting.or(&self.only_missing(test, &column.missing))
        })
    }

    /// Those that lack the key, when that is enough.
    fn only_missing(&self, test: &Test, missing: &AddressSet) -> AddressSet {
        if self.holds(test, None) {
            missing.clone()
        } else {
            AddressSet::none(missing.list_len())
        }
    }

    /// The first clause that each of some addresses does not fit, in the order written, with the value compared.
    pub(super) fn failing_of<'l>(
        &self,
        addresses: &AddressSet,
        list: &'l AddressList,
        columns: &Columns,
    ) -> Vec<(usize, Option<Failing<'l>>)> {
        let mut open = addresses.clone();
        let mut first: BTreeMap<usize, &Test> = BTreeMap::new();
        for (test, fitting) in self.tests.iter().zip(self.fitting_tests(list, columns)) {
            if open.is_empty() {
                break;
            }
            let failing = open.without(&fitting);
            first.extend(failing.iter().map(|address| (address, test)));
            open = open.and(&fitting);
        }
        let failing = |address: usize| {
            let test = first.get(&address)?;
            let value = self.provider_value(test, list.providers[address].as_ref());
            Some((test.place, shown(test, value)))
        };
        addresses
            .iter()
            .map(|address| (address, failing(address)))
            .collect()
    }

    /// The place of the first clause that an address does not fit, in the order written, with the value compared.
    pub(super) fn failing<'p>(&self, provider: &'p dyn Provider) -> Option<Failing<'p>> {
        self.tests.iter().find_map(|test| {
            let value = self.provider_value(test, provider);
            (!self.holds(test, value.as_deref())).then(|| (test.place, shown(test, value)))
        })
    }

    /// A generic call is compared by its own name here, not by the one in its first argument.
    pub(super) fn sees_own_name(&self, call: &Call) -> bool {
        let generic = ["$invoke", "$invokeAsync"];
        generic.contains(&call.method.as_str())
            && call.real_method(self.dialect.condition_generic) != call.real_method(&generic)
            && self.tests.iter().any(|test| test.key == Key::Method)
    }

    fn call_value<'c>(&self, test: &Test, call: &'c Call) -> Option<Cow<'c, str>> {
        let missing = || self.dialect.matchers.then_some(Cow::Borrowed(NOT_FOUND));
        match &test.key {
            Key::Method => Some(Cow::Borrowed(
                call.real_method(self.dialect.condition_generic),
            )),
            Key::Argument(index) => match index.and_then(|index| call.arguments.get(index)) {
                Some(argument) => Some(
                    argument
                        .as_str()
                        .map_or_else(|| Cow::Owned(argument.text()), Cow::Borrowed),
                ),
                None => missing(),
            },
            Key::Attachment(Some(key)) => call.attachment(key).map(Cow::Borrowed),
            Key::Attachment(None) => missing(),
            // Answered when the side was prepared.
            Key::Parameter => None,
        }
    }

    /// The right side knows no call: arguments and attachments are not found.
    fn provider_value<'p>(&self, test: &Test, provider: &'p dyn Provider) -> Option<Cow<'p, str>> {
        match test.key {
            Key::Method | Key::Parameter => provider.sample(&test.name),
            Key::Argument(_) | Key::Attachment(_) => {
                self.dialect.matchers.then_some(Cow::Borrowed(NOT_FOUND))
            }
        }
    }

    fn holds(&self, test: &Test, value: Option<&str>) -> bool {
        match (value, &test.key) {
            (Some(value), _) => test.accepts(value, self.left),
            (None, Key::Argument(_)) => false,
            (None, _) => !self.dialect.matchers && test.matches.is_empty(),
        }
    }
}

impl Test {
    fn new<'a>(
        clause: &'a Clause,
        place: usize,
        dialect: Dialect,
        resolve: impl Fn(&'a str) -> Option<Cow<'a, str>>,
    ) -> Self {
        let patterns = |values: &'a [Value]| {
            values
                .iter()
                .map(|value| {
                    if dialect.matchers && value.text.contains('~') {
                        Pattern::range(&value.text)
                    } else {
                        Pattern::glob(resolve(&value.text).as_deref())
                    }
                })
                .collect()
        };
        let key = Key::of(&clause.key, dialect);
        // 2.7 to 3.1 never fill in `$name` for arguments, which have no right side anyway.
        Self {
            key,
            name: clause.key.clone(),
            secret: is_secret_key(&clause.key),
            matches: patterns(&clause.matches),
            mismatches: patterns(&clause.mismatches),
            place,
        }
    }

    /// `MatchPair.isMatch` with a value.
    fn accepts(&self, value: &str, left: bool) -> bool {
        if self.matches.is_empty() && self.mismatches.is_empty() {
            return false;
        }
        let hit =
            |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(value, left));
        !hit(&self.mismatches) && (self.matches.is_empty() || hit(&self.matches))
    }
}

impl Key {
    pub(super) fn of(key: &str, dialect: Dialect) -> Self {
        // `key.split("\\.")[0]`; a key of dots alone has no part at all.
        let first = key.split('.').next().unwrap_or_default();
        if dialect.matchers && key.starts_with("attachments") {
            return Self::Attachment(attachment_key(first).map(str::to_owned));
        }
        if dialect.arguments && key.starts_with("arguments") {
            return Self::Argument(argument_index(first));
        }
        match key {
            "method" | "methods" => Self::Method,
            _ => Self::Parameter,
        }
    }
}

/// `arguments\[([0-9]+)\]`, found anywhere.
fn argument_index(text: &str) -> Option<usize> {
    text.match_indices("arguments[").find_map(|(at, word)| {
        let (digits, _) = text[at + word.len()..].split_once(']')?;
        let digits =
            (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(digits)?;
        // `Integer.parseInt`: what is larger is an error, which counts as not found.
        Some(
            digits
                .parse::<i32>()
                .ok()
                .and_then(|index| usize::try_from(index).ok()),
        )
    })?
}

/// `attachments\[(.+)\]`, greedy.
fn attachment_key(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("attachments[")?;
    let key = &rest[..rest.rfind(']')?];
    (!key.is_empty()).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_call() {
        assert_eq!(argument_index("arguments[1]"), Some(1));
        assert_eq!(argument_index("arguments[x]arguments[2]"), Some(2));
        assert_eq!(argument_index("arguments[99999999999]"), None);
        assert_eq!(argument_index("arguments[]"), None);
        assert_eq!(argument_index("arguments"), None);
        assert_eq!(attachment_key("attachments[a]]"), Some("a]"));
        assert_eq!(attachment_key("attachments[]"), None);
        assert_eq!(attachment_key("attachments[]]"), Some("]"));
        assert_eq!(attachment_key("attachments"), None);
    }
}
