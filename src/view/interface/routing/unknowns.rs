//! What the rules ask of the consumer that nobody told, filled in in every way that can make a difference.
//!
//! A real consumer always has a host and an application: where the question does not say which, none is no answer. Any
//! other parameter may also be missing.

use std::collections::{BTreeMap, BTreeSet};

use super::{Case, Input, Replay, Variant};
use crate::route::{ask::Subject, rules::RULE_GROUP};

/// Ways in which the unknown of a consumer is tried at most.
pub(super) const MOST_VARIANTS: usize = 16;
/// Names that are filled in together.
const MOST_TOGETHER: usize = 1_000;
/// What no rule names.
const OTHER: &str = "-";
/// Suffix of the rule that a consumer reads under the name of its application.
const OF_APPLICATION: &str = ".condition-router";
/// What an address keeps of its own when the consumer's parameters are laid over it (`ClusterUtils.mergeUrl`).
const OF_PROVIDER: [&str; 6] = [
    "remote.application",
    "release",
    "dubbo",
    "methods",
    "timestamp",
    "dubbo.tag",
];
/// Parts of a URL that are no parameters, and what every consumer has.
const PARTS: [&str; 6] = [
    "protocol",
    "port",
    "path",
    "username",
    "password",
    "interface",
];

/// The consumer that is shown: where host or application are not known, those that no rule names.
pub(super) fn base(case: &Case<'_>, input: &Input<'_>) -> Variant {
    Variant {
        host: is_host_open(case, input).then(|| OTHER.to_owned()),
        application: is_open(input, "application").then(|| OTHER.to_owned()),
        ..Variant::default()
    }
}

/// Before 2.7.10 rules see the host of the registry.
fn is_host_open(case: &Case<'_>, input: &Input<'_>) -> bool {
    let is_registrys = !case.dubbo().at_least([2, 7, 10]) && input.consumer.host.is_some();
    !is_registrys && input.reference.host.is_none() && is_open(input, "register.ip")
}

fn is_open(input: &Input<'_>, name: &str) -> bool {
    input.reference.parameter(name).is_none()
}

/// What the rules ask of the consumer that the question does not say, filled in so that they apply, and so that they do
/// not.
pub(super) struct Variants {
    /// One by one.
    pub(super) alone: Vec<(String, Variant)>,
    /// All of them.
    pub(super) together: Option<(String, Variant)>,
    /// The first one that is left out.
    pub(super) untried: Option<String>,
}

/// At most `most` of them.
pub(super) fn variants(
    case: &Case<'_>,
    input: &Input<'_>,
    base: &Variant,
    shown: &Replay<'_>,
    most: usize,
) -> Variants {
    // Rules may ask for a hundred thousand names, of which few are tried alone.
    let mut found: Vec<(String, String)> = Vec::new();
    for (name, values) in asked(case, input, base, shown) {
        let known = if is_host(&name) {
            base.host.as_ref()
        } else {
            base.parameters.get(&name)
        };
        let new = values.into_iter().filter(|value| known != Some(value));
        found.extend(new.map(|value| (name.clone(), value)));
    }
    let alone = |found: Vec<(String, String)>| {
        let filled_in = |(name, value): (String, String)| {
            let mut variant = base.clone();
            if is_host(&name) {
                variant.host = Some(value);
            } else {
                variant.parameters.insert(name.clone(), value);
            }
            (name, variant)
        };
        found.into_iter().map(filled_in).collect()
    };
    if found.len() < 2 {
        return Variants {
            alone: alone(found),
            together: None,
            untried: None,
        };
    }
    let mut all = base.clone();
    let mut names: Vec<&str> = Vec::new();
    for (name, value) in &found {
        if !is_host(name) {
            let parameters = &mut all.parameters;
            parameters
                .entry(name.clone())
                .or_insert_with(|| value.clone());
        } else if all.host == base.host {
            all.host = Some(value.clone());
        }
        if names.last() != Some(&name.as_str()) && names.len() < MOST_VARIANTS {
            names.push(name);
        }
    }
    // Of more names it is only said that they are untried.
    let is_few = all.parameters.len() <= MOST_TOGETHER;
    let together = is_few.then(|| (names.join(", "), all));
    let untried = found.get(most - 1).map(|(name, _)| name.clone());
    let untried = untried.filter(|_| found.len() > most);
    if untried.is_some() {
        found.truncate(most - 1);
    }
    Variants {
        alone: alone(found),
        together,
        untried,
    }
}

/// What is asked and not known, with values of which some apply and some do not.
fn asked(
    case: &Case<'_>,
    input: &Input<'_>,
    base: &Variant,
    shown: &Replay<'_>,
) -> BTreeMap<String, Vec<String>> {
    let mut asked: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for ask in &shown.asks {
        let name = match &ask.subject {
            Subject::Consumer(name) => name,
            Subject::Address(name)
                if input.overlaid && !is_host(name) && !OF_PROVIDER.contains(&name.as_str()) =>
            {
                name
            }
            _ => continue,
        };
        let is_open = if is_host(name) {
            base.host.is_some()
        } else {
            // No parameter of a URL is spelled so: `attachments[..]` where it is no key of its own.
            !PARTS.contains(&name.as_str()) && !name.contains('[') && is_open(input, name)
        };
        if !is_open {
            continue;
        }
        let values = asked.entry(name.clone()).or_default();
        // Those that must be equal, then those that must not be: of each kind one is enough.
        let ends = ask.values.first().into_iter().chain(ask.values.last());
        values.extend(ends.map(|value| {
            let start = value.split('~').find(|part| !part.is_empty());
            start.unwrap_or(OTHER).replace('*', "1")
        }));
        values.push(OTHER.to_owned());
    }
    if base.application.is_some() {
        let names = with_rules(case);
        if !names.is_empty() {
            let values = asked.entry("application".to_owned()).or_default();
            values.extend(names);
        }
    }
    for values in asked.values_mut() {
        let mut known = BTreeSet::new();
        values.retain(|value| known.insert(value.clone()));
    }
    asked
}

fn is_host(name: &str) -> bool {
    ["host", "address"].contains(&name)
}

/// The consumer as each application under whose name it would read a rule, where nobody told its own.
pub(super) fn named(case: &Case<'_>, base: &Variant) -> Vec<Variant> {
    let names = base.application.iter().flat_map(|_| with_rules(case));
    names
        .map(|name| Variant {
            parameters: BTreeMap::from([("application".to_owned(), name)]),
            ..base.clone()
        })
        .collect()
}

/// Applications under whose name the consumer, if it is theirs, would read a rule.
fn with_rules(case: &Case<'_>) -> BTreeSet<String> {
    let rules = &case.held.rules;
    let stored = rules.stored.iter().filter(|rule| rule.read).map(|rule| {
        if rule.group == RULE_GROUP {
            rule.key.clone()
        } else {
            format!("{}.{}", rule.group, rule.key)
        }
    });
    stored
        .chain(rules.not_seen.keys().cloned())
        .filter_map(|key| Some(key.strip_suffix(OF_APPLICATION)?.to_owned()))
        .filter(|name| !name.is_empty() && !name.contains([':', '/']))
        .filter(|name| {
            let key = format!("{name}{OF_APPLICATION}");
            let found = rules.find(&key, case.dubbo()).is_some();
            found || rules.missing(&key, case.dubbo()).is_some()
        })
        .collect()
}
