//! Rules of the config centre, as Nacos holds them.

use std::collections::BTreeSet;

use super::{
    place::Place,
    server::{Server, not_seen},
};
use crate::{
    model::rule_kind::{Owner, endings_of},
    question::Question,
    report::words::{Phrase, Say},
    rule::LONGEST,
    snapshot::{Line, Seen},
    view::{
        config_center::Rules,
        held::{Layer, LayerKind},
        rule_keys::{MIGRATION_GROUP, MIGRATION_GROUP_27, PROPERTIES, RuleKeys, rule_keys},
        rule_store::{RuleStore, StoredRule, too_long},
        settings::leaves_providers,
        stage::NotSeen,
    },
};

/// Ends of the keys of rules that an application reads as a consumer: looked for when its name is not known.
fn of_any_consumer() -> impl Iterator<Item = &'static str> {
    endings_of(Owner::Consumer).chain([PROPERTIES, ".migration"])
}

/// Rules that lie where nobody reads any, of which the text is asked for.
const MOST_STRAY: usize = 16;

/// Rules that are there, and rules that this consumer reads and nobody saw.
pub(super) fn rules(
    server: Server<'_>,
    place: &Place,
    question: &Question,
    providers: &[String],
) -> Rules {
    let keys = RuleKeys {
        question,
        providers,
    };
    let mut layers = Vec::new();
    let mut missing = Vec::new();
    let mut store = RuleStore {
        nacos: true,
        place: place
            .config_namespaces
            .first()
            .map(|namespace| super::place::shown(namespace, "dubbo"))
            .unwrap_or_default(),
        ..RuleStore::default()
    };
    for (at, namespace) in place.config_namespaces.iter().enumerate() {
        let read = at == 0;
        let unheard = read && place.rules_follow_group && server.is_unheard_of(namespace);
        if unheard {
            missing.push(NotSeen {
                what: config(namespace, "dubbo", "*"),
                why: Say::NamespaceUnheard.into(),
                how_to_see: Some(Say::HowAsk.into()),
                required: false,
            });
        }
        let complete = unheard || server.is_complete(namespace);
        store.listed |= read && complete;
        let mut asked = wanted_keys(question, providers);
        // Rules of the interface may lie under keys that this consumer does not read.
        let interface = escaped(&question.service.interface);
        let mut parts = vec![interface.as_str()];
        if question.consumer.application.is_none() {
            for end in of_any_consumer() {
                parts.push(end);
            }
        }
        for part in parts {
            match server.configs_with(namespace, part) {
                Seen::Here(list, _) => asked.extend(
                    list.into_iter()
                        .filter(|entry| keys.kind(&entry.group, &plain(&entry.data_id)).is_some())
                        .map(|entry| (entry.group, entry.data_id)),
                ),
                seen @ (Seen::Refused(_) | Seen::Unasked)
                    if read && part != interface && !complete =>
                {
                    missing.push(not_seen(config(namespace, "*", part), &seen, true));
                }
                _ => {}
            }
        }
        // Tag rules are read under the provider's name; under the consumer's they are a mistake that is often made.
        let consumer = question.consumer.application.as_deref().filter(|_| read);
        let beside =
            consumer.map(|name| ("dubbo".to_owned(), format!("{}.tag-router", escaped(name))));
        let beside = beside.filter(|key| asked.insert(key.clone()));
        for (group, data_id) in asked {
            let is_beside = beside
                .as_ref()
                .is_some_and(|(of, key)| (of, key) == (&group, &data_id));
            let kind = keys
                .kind(&group, &plain(&data_id))
                .unwrap_or(LayerKind::RoutingRule);
            let seen = server.config(namespace, &group, &data_id);
            match &seen {
                Seen::Here(text, line)
                    if !(text.trim().is_empty()
                        || kind == LayerKind::Properties && leaves_providers(text)) =>
                {
                    let evidence = server.evidence(line, Say::RulePresent);
                    let name = format!("{namespace}/{group}/{data_id}");
                    let list = match kind {
                        LayerKind::RoutingRule | LayerKind::Configurator => Some(&mut store.stored),
                        LayerKind::Migration => Some(&mut store.migration),
                        _ => None,
                    };
                    if let Some(list) = list {
                        if read && text.len() > LONGEST {
                            let fact = too_long(config(namespace, &group, &data_id), text.len());
                            store.leave_out(kind, &group, plain(&data_id), fact.clone());
                            missing.push(fact);
                            continue;
                        }
                        list.push(StoredRule {
                            kind,
                            name: name.clone(),
                            key: plain(&data_id),
                            group,
                            text: text.clone(),
                            read,
                            evidence: evidence.clone(),
                            changed_ms: changed(line),
                        });
                    }
                    layers.push(Layer {
                        kind,
                        name,
                        evidence: Some(evidence),
                    });
                }
                Seen::Unasked if unheard => {}
                Seen::Refused(_) | Seen::Unasked if read && !is_beside => {
                    let fact = not_seen(config(namespace, &group, &data_id), &seen, true);
                    if group == "dubbo" {
                        store.not_seen.insert(plain(&data_id), fact.clone());
                    }
                    if kind == LayerKind::Migration {
                        store.migration_not_seen.insert(group.clone(), fact.clone());
                    }
                    missing.push(fact);
                }
                Seen::Here(..) | Seen::Absent(_) if read && group == "dubbo" => {
                    store.absent.insert(plain(&data_id));
                }
                _ => {}
            }
        }
    }
    store.stray = stray(server, place, keys);
    layers.sort_by(|a, b| a.name.cmp(&b.name));
    layers.dedup_by(|a, b| a.name == b.name);
    store.stored.sort_by(|a, b| a.name.cmp(&b.name));
    store.stored.dedup_by(|a, b| a.name == b.name);
    store.migration.sort_by(|a, b| a.name.cmp(&b.name));
    store.migration.dedup_by(|a, b| a.name == b.name);
    Rules {
        layers,
        missing,
        store,
    }
}

/// Rules that lie where nobody reads any: in another group, under a key that is nearly one, or in the namespace `public`
/// of a consumer that has one of its own. Of those that do not name the interface only what was seen anyhow counts.
fn stray(server: Server<'_>, place: &Place, keys: RuleKeys<'_>) -> Vec<StoredRule> {
    let mut namespaces: Vec<(&str, bool)> = Vec::new();
    let own = place.config_namespaces.iter();
    namespaces.extend(own.map(|namespace| (namespace.as_str(), false)));
    if keys.question.sweep && !place.config_namespaces.iter().any(String::is_empty) {
        namespaces.push(("", true));
    }
    let interface = escaped(&keys.question.service.interface);
    let mut found: BTreeSet<(LayerKind, &str, String, String)> = BTreeSet::new();
    for (namespace, is_other) in namespaces {
        let named = server.configs_with(namespace, &interface).here();
        for entry in named
            .into_iter()
            .flatten()
            .chain(server.told_configs(namespace))
        {
            let key = plain(&entry.data_id);
            let kind = keys.stray(&entry.group, &key).or_else(|| {
                let read = keys.kind(&entry.group, &key).filter(|_| is_other)?;
                matches!(read, LayerKind::RoutingRule | LayerKind::Configurator).then_some(read)
            });
            if let Some(kind) = kind {
                found.insert((kind, namespace, entry.group, entry.data_id));
            }
        }
    }
    let mut rules = Vec::new();
    for (kind, namespace, group, data_id) in found.into_iter().take(MOST_STRAY) {
        let Seen::Here(text, line) = server.config(namespace, &group, &data_id) else {
            continue;
        };
        if text.trim().is_empty() || text.len() > LONGEST {
            continue;
        }
        rules.push(StoredRule {
            kind,
            name: format!("{}/{data_id}", super::place::shown(namespace, &group)),
            key: plain(&data_id),
            group,
            text,
            read: false,
            evidence: server.evidence(line, Say::RulePresent),
            changed_ms: changed(line),
        });
    }
    rules.sort_by(|a, b| a.name.cmp(&b.name));
    rules
}

/// When a configuration was last changed, by the header that Nacos sends.
pub(super) fn changed(line: &Line) -> Option<i64> {
    let text = line.header("Last-Modified")?;
    let time = jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(text)
        .ok()?;
    Some(time.as_millisecond())
}

/// Keys to be asked by themselves.
fn wanted_keys(question: &Question, providers: &[String]) -> BTreeSet<(String, String)> {
    let consumer = question.consumer.application.as_deref();
    let own = rule_keys(&question.service, consumer, providers);
    let mut keys: BTreeSet<(String, String)> = own
        .iter()
        .map(|key| ("dubbo".to_owned(), escaped(key)))
        .collect();
    let version = question.consumer.dubbo.as_ref();
    if version.is_some_and(|version| !version.at_least([2, 7, 3])) {
        // 2.7.0 to 2.7.2 put the last part of a key into the place of the data id.
        keys.extend(own.iter().filter_map(|key| {
            let (base, kind) = key.rsplit_once('.')?;
            Some((escaped(base), kind.to_owned()))
        }));
    }
    keys.insert(("dubbo".to_owned(), PROPERTIES.to_owned()));
    if let Some(application) = consumer {
        keys.insert((application.to_owned(), PROPERTIES.to_owned()));
        for group in [MIGRATION_GROUP, MIGRATION_GROUP_27] {
            keys.insert((group.to_owned(), format!("{application}.migration")));
        }
    }
    keys
}

/// Data ids have `___` for `$` and `-` for `/` (2.7.10 on).
pub(super) fn escaped(key: &str) -> String {
    key.replace('$', "___").replace('/', "-")
}

fn plain(data_id: &str) -> String {
    data_id.replace("___", "$")
}

pub(super) fn config(namespace: &str, group: &str, data_id: &str) -> Phrase {
    Phrase::new(Say::NacosConfig)
        .with("place", super::place::shown(namespace, group))
        .with("name", data_id)
}
