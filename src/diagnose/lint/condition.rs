//! Condition rules: classic lists of texts, and v3.1 with several destinations.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use super::clause::{self, Holds, Side};
use super::effect::{self, Effect, MOST_COMPARED};
use super::fields::{self, Field, HEADER, Shape, field, form};
use super::{Code, Cx, Found, Phrase, Say, found, scope};
use crate::model::url::Url;
use crate::route::dialect::Dialect;
use crate::route::probe::fitting;
use crate::route::set::AddressSet;
use crate::rule::condition::text::{Clause, Condition, parse_match};
use crate::rule::condition::{self, ConditionDocument, ConditionRule};
use crate::rule::condition_multi::MultiDestinationRule;
use crate::rule::header::Header;
use crate::rule::yaml::{Node, Span, Value};

const CLASSIC: [Field; 1] = [field("conditions", Shape::Texts)];
const MATCH: [Field; 1] = [field("match", Shape::Text)];
const DESTINATION: [Field; 2] = [field("match", Shape::Text), field("weight", Shape::Free)];
const ENTRY: [Field; 2] = [
    field("from", Shape::Map(&MATCH)),
    field("to", Shape::Maps(&DESTINATION)),
];
const MULTI: [Field; 1] = [field("conditions", Shape::Maps(&ENTRY))];

pub(super) fn check(cx: &mut Cx<'_>) {
    // A key without text is no rule, not a broken one.
    if cx.rule.text.is_empty() {
        return;
    }
    let parsed = condition::parse(cx.rule.text, cx.version);
    let Some(document) = cx.document() else {
        return;
    };
    let root = document.root().filter(|root| !root.is_null());
    let Some(root) = root_map(cx, root) else {
        return;
    };
    let Some(dialect) = effect::dialect(cx.version) else {
        return;
    };
    let has_destinations = has_destinations(root);
    version(cx, root, has_destinations);
    let multi = match &parsed {
        Ok(document) => matches!(document, ConditionDocument::MultiDestination(_)),
        Err(_) => cx.version.at_least([3, 3]) && names_v31(root),
    };
    if !matches!(parsed, Ok(ConditionDocument::TooNew(_))) {
        fields::map(cx, root, &[if multi { &MULTI } else { &CLASSIC }, &HEADER]);
    }
    scope::check(cx, root);
    match parsed {
        Err(error) => cx.refuse_for(&error),
        Ok(ConditionDocument::TooNew(_)) => {}
        Ok(ConditionDocument::Classic(rule)) => classic(cx, root, &rule, dialect),
        Ok(ConditionDocument::MultiDestination(rule)) => match rule.refused() {
            Some(error) => cx.refuse_for(&error),
            None => several(cx, root, &rule, dialect),
        },
    }
}

/// The root as a map; anything else is refused, and says so.
pub(super) fn root_map<'d>(cx: &mut Cx<'_>, root: Option<Node<'d>>) -> Option<Node<'d>> {
    let Some(root) = root else {
        let at = cx.source.span(0..0);
        cx.refuse(at, "the document is empty", None);
        return None;
    };
    if let Value::Map(_) = root.value() {
        return Some(root);
    }
    let at = cx.mark(root);
    cx.refuse(at, "the document is no map of `field: value` pairs", None);
    fields::wrong(cx, root, "", Say::LintNeedsMap);
    if let Some(text) = root.as_text()
        && let Some((place, sign)) = text
            .char_indices()
            .find(|(_, c)| clause::ascii_of(*c).is_some())
    {
        let at = cx.source.part(root, text, place..place + sign.len_utf8());
        clause::full_width(cx, at, sign);
    }
    None
}

fn names_v31(root: Node<'_>) -> bool {
    root.get("configVersion")
        .and_then(Node::as_text)
        .is_some_and(|text| text.to_lowercase().starts_with("v3.1"))
}

fn has_destinations(root: Node<'_>) -> bool {
    root.get("conditions").is_some_and(|list| {
        list.items()
            .any(|item| item.get("from").is_some() || item.get("to").is_some())
    })
}

/// DG8004: the version of the format against what stands in the document and what the reader knows.
fn version(cx: &mut Cx<'_>, root: Node<'_>, has_destinations: bool) {
    let value = root.get("configVersion").filter(|value| !value.is_null());
    let is_33 = cx.version.at_least([3, 3]);
    let Some(value) = value else {
        if has_destinations {
            let key = root.entry("conditions").map_or(root, |(key, _)| key);
            let at = cx.mark(key);
            let remark = found(Code::LintVersionField, at).reads(Say::LintDestinationsAsText);
            let remark = with_v31(cx, remark);
            cx.add(remark);
        }
        return;
    };
    let at = cx.mark(value);
    let Some(text) = value.as_text() else {
        if cx.version.at_least([3, 2]) {
            cx.add(
                found(Code::LintVersionField, at)
                    .reads(Phrase::new(Say::LintVersionClass).with("class", fields::class(value)))
                    .meant(Phrase::new(Say::LintWrite).with("text", "configVersion: v3.0")),
            );
        }
        return;
    };
    let lower = text.to_lowercase();
    if is_33 && !lower.starts_with("v3.1") && lower.as_str() > "v3.1" {
        cx.add(
            found(Code::LintVersionField, at)
                .reads(Say::LintVersionTooNew)
                .meant(Phrase::new(Say::LintWrite).with("text", "configVersion: v3.1")),
        );
    } else if has_destinations && !(is_33 && lower.starts_with("v3.1")) {
        let remark = found(Code::LintVersionField, at).reads(Say::LintDestinationsAsText);
        let remark = with_v31(cx, remark);
        cx.add(remark);
    } else if is_33 && !lower.starts_with('v') {
        cx.add(
            found(Code::LintUnknownKey, at)
                .reads(Say::LintVersionOldForm)
                .meant(Phrase::new(Say::LintWrite).with("text", "configVersion: v3.0")),
        );
    }
}

fn with_v31(cx: &Cx<'_>, remark: Found) -> Found {
    if cx.version.at_least([3, 3]) {
        remark.meant(Phrase::new(Say::LintWrite).with("text", "configVersion: v3.1"))
    } else {
        remark.meant(Phrase::new(Say::LintReadSince).with("version", "3.3.0"))
    }
}

fn no_conditions(cx: &mut Cx<'_>, root: Node<'_>, header: &Header) {
    let entry = root.entry("conditions");
    if let Some((_, value)) = entry
        && !value.is_null()
        && !matches!(value.value(), Value::List(_))
    {
        return; // said by its form
    }
    let at = entry.map_or(root, |(key, _)| key);
    let at = cx.mark(at);
    let reads = if header.valid || entry.is_none_or(|(_, value)| value.items().len() == 0) {
        Say::LintNoConditions
    } else {
        Say::LintNotValid
    };
    cx.add(found(Code::RuleNoEffect, at).reads(reads));
}

fn classic(cx: &mut Cx<'_>, root: Node<'_>, rule: &ConditionRule, dialect: Dialect) {
    let header = &rule.header;
    if !header.valid {
        no_conditions(cx, root, header);
        return;
    }
    if !header.enabled && dialect.disabled_unread {
        return;
    }
    let list = root.get("conditions");
    let nodes = list.map(Node::items).into_iter().flatten();
    let mut budget = MOST_COMPARED;
    // What conditions that apply to every call leave, when an empty result stays empty.
    let mut left: Option<AddressSet> = None;
    // The same by their texts alone: hosts and addresses that such conditions name.
    let mut named: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut seen: HashSet<usize> = HashSet::new();
    for (text, node) in rule.conditions.iter().zip(nodes) {
        // What an alias repeats stands at its anchor, and does nothing a second time.
        if !seen.insert(node.id()) {
            continue;
        }
        let read = text.text.as_deref().unwrap_or_default();
        let written = node.as_text();
        let place = |cx: &Cx<'_>, part: Range<usize>| -> Span {
            match written {
                Some(text) if !part.is_empty() => cx.source.part(node, text, part),
                _ => cx.mark(node),
            }
        };
        let condition = match Condition::parse(read) {
            Ok(condition) => condition,
            Err(error) => {
                clause::refused(cx, &error, &place);
                continue;
            }
        };
        if !header.enabled {
            continue;
        }
        // The printed form of a map has no places to point at.
        let mut plain = written.is_some();
        if plain {
            clause::deleted_words(cx, read, &place);
            clause::parted_arrow(cx, read, &place);
            plain = !clause::other_keyboard(cx, read, &place);
        }
        let when = clause::side(cx, &condition.when, Side::Left, dialect, plain, &place);
        let then = condition
            .then
            .as_deref()
            .map(|then| clause::side(cx, then, Side::Right, dialect, plain, &place));
        // Read and empty (`=> &`): nobody fits, where an empty left side fits everybody.
        let then = match condition.then.as_deref() {
            Some([]) => Some(Holds::Never),
            _ => then,
        };
        let clauses = condition.then.as_deref().unwrap_or_default();
        let fitting = counted(cx, clauses, dialect, &mut budget);
        addresses(cx, clauses, &place);
        let effect = Effect {
            when,
            then,
            force: header.force,
            fitting: fitting.as_ref().map(AddressSet::share),
        };
        let at = cx.mark(node);
        effect::tell(cx, at, &effect);
        if header.force && fitting.is_none() && when != Holds::Never {
            apart(cx, at, clauses, when, &mut named);
        }
        let Some(fitting) = fitting.filter(|set| header.force && !set.is_empty()) else {
            continue;
        };
        let together = match &left {
            Some(left) => left.and(&fitting),
            None => fitting,
        };
        if together.is_empty() && when != Holds::Never {
            effect::tell_together(cx, at, together.list_len());
        } else if when == Holds::Always {
            left = Some(together);
        }
    }
}

/// Two conditions of which each names its own hosts, where the first applies to every call: nobody is both.
fn apart(
    cx: &mut Cx<'_>,
    at: Span,
    clauses: &[Clause],
    when: Holds,
    named: &mut BTreeMap<&str, BTreeSet<String>>,
) {
    for key in ["host", "address"] {
        let fixed = |clause: &&Clause| {
            let mut values = clause.matches.iter();
            clause.key == key
                && !clause.matches.is_empty()
                && values.all(|value| !value.text.contains(['*', '$', '~']))
        };
        let Some(clause) = clauses.iter().find(fixed) else {
            continue;
        };
        let values = clause.matches.iter().map(|value| value.text.clone());
        let values: BTreeSet<String> = values.collect();
        match named.get(key) {
            Some(before) if before.is_disjoint(&values) => {
                cx.add(found(Code::LintForceEmpty, at).reads(Say::LintForcedApart));
                return;
            }
            None if when == Holds::Always => {
                named.insert(key, values);
            }
            Some(_) | None => {}
        }
    }
}

/// Which of the known providers a right side fits.
fn counted(
    cx: &Cx<'_>,
    clauses: &[Clause],
    dialect: Dialect,
    budget: &mut usize,
) -> Option<AddressSet> {
    let providers = cx.known.providers?;
    let values = clauses
        .iter()
        .map(|clause| 1 + clause.matches.len() + clause.mismatches.len());
    let cost = providers.len().saturating_mul(values.sum());
    *budget = budget.checked_sub(cost)?;
    if clauses.is_empty() || asks_consumer(clauses, cx.known.consumer) {
        return None;
    }
    // 2.7 lays the consumer's parameters over those of the provider.
    let own =
        |clause: &Clause| ["host", "address", "port", "protocol"].contains(&clause.key.as_str());
    if !cx.version.line().is_3x() && !clauses.iter().all(own) {
        return None;
    }
    let nobody = Url {
        protocol: Some("consumer".to_owned()),
        username: None,
        password: None,
        host: None,
        port: 0,
        path: None,
        parameters: std::collections::BTreeMap::new(),
    };
    let consumer = cx.known.consumer.unwrap_or(&nobody);
    Some(fitting(clauses, consumer, providers, dialect))
}

/// Whether a value is one of the consumer, which nobody told.
fn asks_consumer(clauses: &[Clause], consumer: Option<&Url>) -> bool {
    consumer.is_none()
        && clauses
            .iter()
            .flat_map(|clause| clause.matches.iter().chain(&clause.mismatches))
            .any(|value| value.text.starts_with('$'))
}

/// DG8007: hosts and addresses that no known provider has.
fn addresses(cx: &mut Cx<'_>, then: &[Clause], place: &dyn Fn(&Cx<'_>, Range<usize>) -> Span) {
    for clause in then.iter().take(50) {
        for value in clause.matches.iter().chain(&clause.mismatches).take(1000) {
            let Some(served) = cx.served() else { return };
            let has = match clause.key.as_str() {
                "host" => &served.hosts,
                "address" => &served.addresses,
                _ => continue,
            };
            let text = value.text.as_str();
            if text.contains(['*', '$', '~']) || has.contains(text) {
                continue;
            }
            let count = served.count;
            let at = place(cx, value.span.clone());
            cx.add(
                found(Code::LintAddressUnknown, at)
                    .with("count", count)
                    .reads(Say::LintFitsNobody),
            );
        }
    }
}

fn several(cx: &mut Cx<'_>, root: Node<'_>, rule: &MultiDestinationRule, dialect: Dialect) {
    if !rule.header.valid {
        no_conditions(cx, root, &rule.header);
        return;
    }
    let nodes = root.get("conditions").map(Node::items);
    let mut budget = MOST_COMPARED;
    for (entry, node) in rule.conditions.iter().zip(nodes.into_iter().flatten()) {
        let from = node.get("from").and_then(|from| from.get("match"));
        let Some(when) = matched(cx, entry.from.as_deref(), "true", from, node) else {
            continue;
        };
        let when = match from.filter(|node| node.as_text().is_some()) {
            Some(from) => side_of(cx, &when, Side::Left, dialect, from),
            None => Holds::Always,
        };
        let to = node.get("to").map(Node::items);
        let mut all: Option<Holds> = None;
        let mut most: Option<(usize, usize)> = Some((0, 0));
        for (destination, to) in entry.to.iter().zip(to.into_iter().flatten()) {
            let written = to.get("match");
            let text = destination.matches.as_deref();
            let Some(then) = matched(cx, text, "false", written, to) else {
                continue;
            };
            weight(cx, destination.weight.as_deref(), to);
            let holds = match written.filter(|node| node.as_text().is_some()) {
                Some(written) if !then.is_empty() => {
                    side_of(cx, &then, Side::Right, dialect, written)
                }
                _ => Holds::Always,
            };
            let count = counted(cx, &then, dialect, &mut budget);
            if let Some(written) = written {
                let place = |cx: &Cx<'_>, part: Range<usize>| {
                    cx.source
                        .part(written, written.as_text().unwrap_or_default(), part)
                };
                addresses(cx, &then, &place);
            }
            if holds == Holds::Never && entry.to.len() > 1 {
                let at = cx.mark(to);
                cx.add(found(Code::RuleNoEffect, at).reads(Say::LintDestinationNobody));
            }
            most = match (most, count.as_ref().map(AddressSet::share)) {
                (Some((known, all)), Some((fitting, of))) => {
                    Some((known.max(fitting), all.max(of)))
                }
                _ => None,
            };
            all = Some(match (all, holds) {
                (None, holds) => holds,
                (Some(Holds::Never), Holds::Never) => Holds::Never,
                (Some(Holds::Always), Holds::Always) => Holds::Always,
                _ => Holds::Depends,
            });
        }
        if !rule.header.enabled {
            continue;
        }
        let effect = Effect {
            when,
            then: all,
            force: rule.header.force,
            // With several destinations one of them is drawn: to fit everybody is no fault.
            fitting: most.filter(|(fitting, _)| *fitting == 0 || entry.to.len() == 1),
        };
        let effect = Effect {
            then: if entry.to.len() > 1 && all == Some(Holds::Always) {
                Some(Holds::Depends)
            } else {
                effect.then
            },
            ..effect
        };
        let at = cx.mark(node);
        effect::tell(cx, at, &effect);
    }
}

/// Reads a `match`; what cannot be read refuses the document, also when the rule is disabled.
fn matched(
    cx: &mut Cx<'_>,
    text: Option<&str>,
    ignored: &str,
    node: Option<Node<'_>>,
    entry: Node<'_>,
) -> Option<Vec<Clause>> {
    match parse_match(text.unwrap_or_default(), ignored) {
        Ok(clauses) => Some(clauses),
        Err(error) => {
            let node = node.unwrap_or(entry);
            let place = |cx: &Cx<'_>, part: Range<usize>| match node.as_text() {
                Some(text) if !part.is_empty() => cx.source.part(node, text, part),
                _ => cx.mark(node),
            };
            clause::refused(cx, &error, &place);
            None
        }
    }
}

fn side_of(
    cx: &mut Cx<'_>,
    clauses: &[Clause],
    side: Side,
    dialect: Dialect,
    node: Node<'_>,
) -> Holds {
    let place = |cx: &Cx<'_>, part: Range<usize>| {
        cx.source
            .part(node, node.as_text().unwrap_or_default(), part)
    };
    let plain = !clause::other_keyboard(cx, node.as_text().unwrap_or_default(), &place);
    clause::side(cx, clauses, side, dialect, plain, &place)
}

/// A weight that is no number refuses the document; none above 0 counts as 100.
fn weight(cx: &mut Cx<'_>, weight: Option<&str>, destination: Node<'_>) {
    let Some(text) = weight else { return };
    let node = destination.get("weight").unwrap_or(destination);
    let at = cx.mark(node);
    match text.parse::<i32>() {
        Err(_) => cx.refuse(at, &format!("`weight` is no whole number: {text}"), None),
        Ok(number) if number <= 0 => cx.add(
            found(Code::LintTypedValue, at)
                .with("class", form(node))
                .with("value", "100")
                .reads(Say::LintWeightDefault)
                .meant(Say::LintRemoveDestination),
        ),
        Ok(_) => {}
    }
}
