//! Configurators: what they set, and on which addresses.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::clause;
use super::condition::root_map;
use super::fields::{self, Field, Shape, field, since};
use super::tag::{PARAM_MATCH, STRING_MATCH};
use super::{Code, Cx, Phrase, Say, found, scope, urls};
use crate::model::service_key::ServiceKey;
use crate::model::url::parse_int;
use crate::rule::configurator::{
    self, ConfigItem, ConfiguratorDocument, ConfiguratorRule, ListenError, ParameterName,
};
use crate::rule::yaml::{Node, Span, Value};

/// Parameters that every configurator removes from itself before it is applied (`AbstractConfigurator.configure`).
const OF_THE_RULE: [&str; 4] = ["check", "group", "version", "interfaces"];
/// Parameters that are read as whole numbers, of a method or of all (`URL.getParameter` with a number as default).
const NUMBERS: [&str; 8] = [
    "timeout",
    "retries",
    "actives",
    "executes",
    "connections",
    "weight",
    "warmup",
    "threads",
];
const ADDRESS: [Field; 3] = [
    field("wildcard", Shape::Text),
    field("cird", Shape::Text),
    field("exact", Shape::Text),
];
const ONE_OF: [Field; 1] = [field("oneof", Shape::Maps(&STRING_MATCH))];
const MATCH: [Field; 5] = [
    field("address", Shape::Map(&ADDRESS)),
    since("providerAddress", Shape::Map(&ADDRESS), [3, 2, 3]),
    field("service", Shape::Map(&ONE_OF)),
    field("app", Shape::Map(&ONE_OF)),
    field("param", Shape::Maps(&PARAM_MATCH)),
];
const ITEM: [Field; 9] = [
    field("type", Shape::Text),
    field("enabled", Shape::Flag),
    field("addresses", Shape::Texts),
    field("providerAddresses", Shape::Texts),
    field("services", Shape::Texts),
    field("applications", Shape::Texts),
    field("parameters", Shape::TextMap),
    field("side", Shape::Text),
    since("match", Shape::Map(&MATCH), [3, 2, 0]),
];
const RULE: [Field; 5] = [
    field("configVersion", Shape::Version),
    field("scope", Shape::Text),
    field("key", Shape::Text),
    field("enabled", Shape::Flag),
    field("configs", Shape::Maps(&ITEM)),
];

pub(super) fn check(cx: &mut Cx<'_>) {
    if cx.rule.text.is_empty() {
        return;
    }
    let parsed = configurator::parse(cx.rule.text, cx.version);
    if let Ok(ConfiguratorDocument::Urls(list)) = &parsed {
        let at = cx.source.whole_line(1);
        for url in list {
            urls::override_url(cx, url, at);
        }
        listened(cx, at);
        return;
    }
    let Some(document) = cx.document() else {
        return;
    };
    let root = document.root().filter(|root| !root.is_null());
    let Some(root) = root_map(cx, root) else {
        return;
    };
    fields::map(cx, root, &[&RULE]);
    version(cx, root);
    match parsed {
        Err(error) => cx.refuse_for(&error),
        Ok(ConfiguratorDocument::Urls(_)) => {}
        Ok(ConfiguratorDocument::Rule(rule)) => {
            let at = cx.mark(root);
            if listened(cx, at) {
                items(cx, root, &rule);
            }
        }
    }
}

/// The second half of the reader: whether rules come out of it.
fn listened(cx: &mut Cx<'_>, at: Span) -> bool {
    match configurator::listen(cx.rule.text, cx.version) {
        Err(ListenError::Rule(error)) => cx.refuse_for(&error),
        Err(ListenError::Order(error)) => cx.refuse(at, &error.to_string(), None),
        Ok(None) => cx.add(found(Code::RuleNoEffect, at).reads(Say::LintNoConfigs)),
        Ok(Some(_)) => return true,
    }
    false
}

fn version(cx: &mut Cx<'_>, root: Node<'_>) {
    let class_counts = cx.version.line().is_3x();
    fields::match_version(
        cx,
        root,
        "configs",
        class_counts,
        Say::LintConfigMatchUnread,
    );
}

fn items(cx: &mut Cx<'_>, root: Node<'_>, rule: &ConfiguratorRule) {
    stored_elsewhere(cx, root, rule);
    scope::check(cx, root);
    let nodes = root.get("configs").into_iter().flat_map(Node::items);
    let configs = rule.configs.iter().flatten();
    for (item, node) in configs.zip(nodes) {
        if let Some(item) = item {
            one(cx, rule, item, node);
        }
    }
}

/// A rule whose `key` names another application or service than the key it is kept under.
fn stored_elsewhere(cx: &mut Cx<'_>, root: Node<'_>, rule: &ConfiguratorRule) {
    let base = cx
        .rule
        .key
        .and_then(|key| key.strip_suffix(".configurators"));
    let (Some(base), Some(key), Some(node)) = (base, rule.key.as_deref(), root.get("key")) else {
        return;
    };
    let application = rule.scope.as_deref() == Some("application");
    let fits = if application {
        key == base || key == "*"
    } else {
        key == "*"
            || ServiceKey::parse_dubbo(key).is_ok_and(|service| {
                service.rule_key() == base || ServiceKey::parse_rule_key(base) == service
            })
    };
    if !fits {
        let at = cx.mark(node);
        cx.add(
            found(Code::RuleNoEffect, at).reads(Phrase::new(Say::LintKeyDiffers).with("key", base)),
        );
    }
}

fn one(cx: &mut Cx<'_>, rule: &ConfiguratorRule, item: &ConfigItem, node: Node<'_>) {
    let at = cx.mark(node);
    match item.side.as_deref() {
        None => cx.add(
            found(Code::RuleNoEffect, at)
                .reads(Say::LintNoSide)
                .meant(Phrase::new(Say::LintWrite).with("text", "side: consumer")),
        ),
        Some("consumer" | "provider") => {}
        Some(_) => {
            let at = cx.mark(node.get("side").unwrap_or(node));
            cx.add(found(Code::RuleNoEffect, at).reads(Say::LintOtherSide));
        }
    }
    if item.kind.as_deref().is_some_and(|kind| kind != "general") && item.enabled.is_none() {
        let at = cx.mark(node.get("type").unwrap_or(node));
        cx.add(found(Code::RuleNoEffect, at).reads(Say::LintTypeNeedsEnabled));
    }
    if let Some(error) = &item.bad_condition {
        let at = cx.mark(node.get("match").unwrap_or(node));
        cx.add(
            found(Code::LintNotAList, at)
                .with("found", "a map")
                .with("field", "match")
                .reads(
                    Phrase::new(Say::LintMatchPassedOver).with("problem", error.message.clone()),
                ),
        );
    }
    if rule.scope.as_deref() == Some("application")
        && !cx.version.at_least([3, 2])
        && item
            .services
            .iter()
            .flatten()
            .any(|service| service.as_deref() != Some("*"))
    {
        let at = cx.mark(node.entry("services").map_or(node, |(key, _)| key));
        cx.add(found(Code::LintUnknownKey, at).reads(Say::LintServicesUnread));
    }
    let consumer = item.side.as_deref() == Some("consumer");
    addresses(cx, item, node, consumer);
    provider_addresses(cx, item, node);
    parameters(cx, item, node);
}

/// `addresses` are hosts: of the consumer, or of the provider.
fn addresses(cx: &mut Cx<'_>, item: &ConfigItem, node: Node<'_>, consumer: bool) {
    let nodes = node.get("addresses").into_iter().flat_map(Node::items);
    for (address, node) in item.addresses.iter().flatten().zip(nodes) {
        let Some(address) = address else { continue };
        let at = cx.mark(node);
        if let Some(sign) = address.chars().find(|c| clause::ascii_of(*c).is_some()) {
            clause::full_width(cx, at, sign);
        }
        let (host, port) = match address.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
            _ => (address.as_str(), None),
        };
        let bare = host.trim_matches(['[', ']']);
        let is_ip = bare.parse::<IpAddr>().is_ok();
        let is_name = !consumer
            && bare.contains('.')
            && bare
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-');
        if !is_ip && !is_name {
            cx.add(
                found(Code::RuleNoEffect, at)
                    .reads(Say::LintHostNeverEqual)
                    .meant(Phrase::new(Say::LintWrite).with("text", "0.0.0.0")),
            );
        } else if consumer && !cx.version.at_least([3, 2]) && port.is_some_and(|port| port != "0") {
            cx.add(found(Code::RuleNoEffect, at).reads(Say::LintPortOnConsumer));
        } else if !consumer && bare != "0.0.0.0" {
            unknown(cx, address, at);
        }
    }
}

/// `providerAddresses`: before 3.2 a substring test, later exact items.
fn provider_addresses(cx: &mut Cx<'_>, item: &ConfigItem, node: Node<'_>) {
    let nodes = node
        .get("providerAddresses")
        .into_iter()
        .flat_map(Node::items);
    for (address, node) in item.provider_addresses.iter().flatten().zip(nodes) {
        let Some(address) = address else { continue };
        let at = cx.mark(node);
        let any = address.starts_with("0.0.0.0");
        if !any && address.contains(['*', '/']) {
            cx.add(
                found(Code::RuleNoEffect, at)
                    .reads(Say::LintNoPattern)
                    .meant(Phrase::new(Say::LintWrite).with("text", "0.0.0.0")),
            );
        } else if !any {
            unknown(cx, address, at);
        }
    }
}

fn unknown(cx: &mut Cx<'_>, address: &str, at: Span) {
    let Some(served) = cx.served() else {
        return;
    };
    let host = address.strip_suffix(":0").unwrap_or(address);
    let count = served.count;
    if !served.hosts.contains(host) && !served.addresses.contains(host) {
        cx.add(
            found(Code::LintAddressUnknown, at)
                .with("count", count)
                .reads(Say::LintFitsNobody),
        );
    }
}

fn parameters(cx: &mut Cx<'_>, item: &ConfigItem, node: Node<'_>) {
    let refused = configurator::security_keys(cx.version);
    let mut read: BTreeMap<&ParameterName, Option<&str>> = BTreeMap::new();
    for parameter in item.parameters.iter().flatten() {
        read.entry(&parameter.name)
            .or_insert(parameter.value.as_deref());
    }
    for (key, value) in node.get("parameters").into_iter().flat_map(Node::entries) {
        let Some(name) = key.as_text() else { continue };
        if refused.contains(&name) || OF_THE_RULE.contains(&name) {
            let at = cx.mark(key);
            cx.add(found(Code::LintUnknownKey, at).reads(Say::LintParameterRemoved));
        }
        let text = read.get(&ParameterName::Text(name.to_owned()));
        let base = name.rsplit('.').next().unwrap_or(name);
        let no_number =
            |text: &str| NUMBERS.contains(&base) && !text.is_empty() && parse_int(text).is_none();
        if let Some(text) = text.copied().flatten().filter(|text| no_number(text)) {
            let at = cx.mark(value);
            cx.add(
                found(Code::TimeoutNotANumber, at)
                    .with("key", name)
                    .with("value", text)
                    .with("effect", "NumberFormatException")
                    .reads(Say::LintNoNumber),
            );
        }
        let broken = text
            .copied()
            .flatten()
            .is_some_and(|text| text.contains('&'));
        if broken && !matches!(value.value(), Value::Map(_) | Value::List(_)) {
            let at = cx.mark(value);
            cx.add(found(Code::LintOperator, at).reads(Say::LintValueCut));
        }
    }
}
