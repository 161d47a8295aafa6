//! Tag rules: which addresses carry which tag.

use std::collections::BTreeMap;

use super::clause;
use super::condition::root_map;
use super::effect::MOST_COMPARED;
use super::fields::{self, Field, HEADER, Shape, field, since};
use super::{Code, Cx, Phrase, Say, found};
use crate::rule::ip_expression::{Host, IpError, IpExpression};
use crate::rule::tag::{self, Tag, TagRule};
use crate::rule::yaml::{Node, Span, Value};

pub(super) const STRING_MATCH: [Field; 6] = [
    field("exact", Shape::Text),
    field("prefix", Shape::Text),
    field("regex", Shape::Text),
    field("noempty", Shape::Text),
    field("empty", Shape::Text),
    since("wildcard", Shape::Text, [3, 2, 0]),
];
pub(super) const PARAM_MATCH: [Field; 2] = [
    field("key", Shape::Text),
    field("value", Shape::Map(&STRING_MATCH)),
];
const TAG: [Field; 3] = [
    field("name", Shape::Text),
    field("addresses", Shape::Texts),
    since("match", Shape::Maps(&PARAM_MATCH), [3, 2, 0]),
];
const RULE: [Field; 1] = [field("tags", Shape::Maps(&TAG))];

pub(super) fn check(cx: &mut Cx<'_>) {
    if cx.rule.text.is_empty() {
        return;
    }
    let parsed = tag::parse(cx.rule.text, cx.version);
    let Some(document) = cx.document() else {
        return;
    };
    let root = document.root().filter(|root| !root.is_null());
    let Some(root) = root_map(cx, root) else {
        return;
    };
    fields::map(cx, root, &[&RULE, &HEADER]);
    version(cx, root);
    match parsed {
        Err(error) => cx.refuse_for(&error),
        Ok(rule) => tags(cx, root, &rule),
    }
}

fn version(cx: &mut Cx<'_>, root: Node<'_>) {
    let class_counts = cx.version.at_least([3, 2]);
    fields::match_version(cx, root, "tags", class_counts, Say::LintMatchUnread);
}

fn tags(cx: &mut Cx<'_>, root: Node<'_>, rule: &TagRule) {
    if !rule.header.valid {
        let entry = root.entry("tags");
        let said = entry
            .is_some_and(|(_, value)| !value.is_null() && !matches!(value.value(), Value::List(_)));
        if !said {
            let at = cx.mark(entry.map_or(root, |(key, _)| key));
            cx.add(found(Code::RuleNoEffect, at).reads(Say::LintNoTags));
        }
        return;
    }
    if !rule.header.enabled {
        return;
    }
    let nodes: Vec<Node<'_>> = root
        .get("tags")
        .into_iter()
        .flat_map(Node::items)
        .filter(|node| !node.is_null())
        .collect();
    let mut names: BTreeMap<&str, Node<'_>> = BTreeMap::new();
    let hosts = cx.known.providers.unwrap_or_default().iter();
    let hosts: Vec<(Host, u32)> = hosts
        .map(|url| (Host::of(url.host.as_deref()), url.port))
        .collect();
    let mut budget = MOST_COMPARED;
    for (tag, node) in rule.tags.iter().zip(nodes) {
        one(cx, (rule, tag), node, &hosts, &mut budget);
        let Some(name) = tag.name.as_deref() else {
            let at = cx.mark(node);
            cx.add(found(Code::RuleNoEffect, at).reads(Say::LintTagWithoutName));
            continue;
        };
        if let Some(first) = names.insert(name, node) {
            let at = cx.mark(first.get("name").unwrap_or(first));
            cx.add(
                found(Code::LintDuplicateKey, at)
                    .with("first", first.start().line)
                    .with("last", node.start().line)
                    .reads(Say::LintLastTagWins)
                    .and_at(node.start()),
            );
        }
    }
}

fn one(
    cx: &mut Cx<'_>,
    (rule, tag): (&TagRule, &Tag),
    node: Node<'_>,
    hosts: &[(Host, u32)],
    budget: &mut usize,
) {
    let addresses = tag.addresses.as_deref().unwrap_or_default();
    let reads_match = cx.version.at_least([3, 2])
        && rule
            .header
            .config_version
            .as_deref()
            .is_some_and(|version| version.starts_with("v3.0"));
    if addresses.is_empty() {
        let said = node
            .get("addresses")
            .is_some_and(|value| !value.is_null() && !matches!(value.value(), Value::List(_)));
        let at = cx.mark(node);
        if reads_match && tag.matches.is_none() {
            cx.refuse(
                at,
                "a tag has neither `addresses` nor `match`",
                Some(Say::LintGiveAddresses.into()),
            );
        } else if tag.matches.is_none() && !said && node.get("match").is_none() {
            cx.add(found(Code::RuleNoEffect, at).reads(Say::LintTagWithoutAddresses));
        }
        return;
    }
    if let Some((key, _)) = node.entry("match")
        && reads_match
    {
        let at = cx.mark(key);
        cx.add(found(Code::LintUnknownKey, at).reads(Say::LintAddressesWin));
    }
    let items: Vec<Node<'_>> = node
        .get("addresses")
        .into_iter()
        .flat_map(Node::items)
        .collect();
    let mut known = 0;
    let mut compared = !hosts.is_empty();
    for (address, node) in addresses.iter().zip(items) {
        let at = cx.mark(node);
        if form(cx, address, at) {
            continue;
        }
        if !compared {
            continue;
        }
        if let Some(rest) = budget.checked_sub(hosts.len()) {
            *budget = rest;
        } else {
            compared = false;
            continue;
        }
        if fits(address, hosts) {
            known += 1;
        } else {
            cx.add(
                found(Code::LintAddressUnknown, at)
                    .with("count", hosts.len())
                    .reads(Say::LintFitsNobody),
            );
        }
    }
    if compared && known == 0 && rule.header.force {
        let at = cx.mark(node);
        cx.add(found(Code::LintForceEmpty, at).reads(Say::LintForcedTag));
    }
}

/// Whether an address of a tag is of no form that any provider could have. Says so.
fn form(cx: &mut Cx<'_>, address: &str, at: Span) -> bool {
    if let Some(sign) = address.chars().find(|c| clause::ascii_of(*c).is_some()) {
        clause::full_width(cx, at, sign);
    }
    let expression = IpExpression::new(address);
    let broken = |host: &str| {
        !matches!(
            expression.matches(&Host::new(host), 20880),
            Ok(_) | Err(IpError::Unresolved)
        )
    };
    let port = address
        .rsplit_once(':')
        .filter(|(host, _)| !host.contains(':'));
    let never = match (address, port) {
        ("0.0.0.0", _) => Some(Say::LintAnyHostPort),
        (_, Some((_, "*"))) => Some(Say::LintPortStar),
        _ => None,
    };
    if let Some(reads) = never {
        cx.add(found(Code::RuleNoEffect, at).reads(reads));
        return true;
    }
    let any_host = address.strip_prefix("0.0.0.0:").is_some();
    if any_host || !(broken("192.0.2.1") && broken("2001:db8::1")) {
        return false;
    }
    let problem = expression
        .matches(&Host::new("192.0.2.1"), 20880)
        .err()
        .map_or_else(String::new, |error| error.to_string());
    cx.add(
        found(Code::RuleNoEffect, at)
            .reads(Phrase::new(Say::LintAddressForm).with("problem", problem)),
    );
    true
}

/// Whether a provider has the address: an expression, or `0.0.0.0:port`.
fn fits(address: &str, hosts: &[(Host, u32)]) -> bool {
    let expression = IpExpression::new(address);
    let any_host = address.strip_prefix("0.0.0.0:");
    hosts
        .iter()
        .any(|(host, port)| match expression.matches(host, *port) {
            // a name that only DNS knows may be anybody
            Ok(true) | Err(IpError::Unresolved) => true,
            Ok(false) => any_host.is_some_and(|wanted| *wanted == port.to_string()),
            Err(_) => false,
        })
}
