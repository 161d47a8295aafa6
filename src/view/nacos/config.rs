//! Rules of the config centre and signs of discovery by application, as Nacos holds them.

use std::collections::BTreeSet;

use super::{
    place::Place,
    server::{Server, not_seen},
};
use crate::{
    question::Question,
    report::words::{Phrase, Say},
    snapshot::{Line, Seen},
    view::{
        held::{Application, Instance, Layer, LayerKind},
        rule_keys::{MIGRATION_GROUP, MIGRATION_GROUP_27, PROPERTIES, RuleKeys, rule_keys},
        rule_store::{RuleStore, StoredRule},
        settings::leaves_providers,
        stage::NotSeen,
    },
};

/// Ends of the keys of rules that an application reads as a consumer: looked for when its name is not known.
const OF_ANY_CONSUMER: [&str; 4] = [
    ".condition-router",
    ".configurators",
    PROPERTIES,
    ".migration",
];

/// Rules that are there, and rules that this consumer reads and nobody saw.
pub(super) fn rules(
    server: Server<'_>,
    place: &Place,
    question: &Question,
    providers: &[String],
) -> (Vec<Layer>, Vec<NotSeen>, RuleStore) {
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
        store.listed |= read && server.is_complete(namespace);
        let mut asked = wanted_keys(question, providers);
        // Rules of the interface may lie under keys that this consumer does not read.
        let interface = escaped(&question.service.interface);
        let mut parts = vec![interface.as_str()];
        if question.consumer.application.is_none() {
            parts.extend(OF_ANY_CONSUMER);
        }
        for part in parts {
            match server.configs_with(namespace, part) {
                Seen::Here(list, _) => asked.extend(
                    list.into_iter()
                        .filter(|entry| keys.kind(&entry.group, &plain(&entry.data_id)).is_some())
                        .map(|entry| (entry.group, entry.data_id)),
                ),
                seen @ (Seen::Refused(_) | Seen::Unasked)
                    if read && part != interface && !server.is_complete(namespace) =>
                {
                    missing.push(not_seen(config(namespace, "*", part), &seen, true));
                }
                _ => {}
            }
        }
        for (group, data_id) in asked {
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
                    if matches!(kind, LayerKind::RoutingRule | LayerKind::Configurator) {
                        store.stored.push(StoredRule {
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
                Seen::Refused(_) | Seen::Unasked if read => {
                    let fact = not_seen(config(namespace, &group, &data_id), &seen, true);
                    if group == "dubbo" {
                        store.not_seen.insert(plain(&data_id), fact.clone());
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
    layers.sort_by(|a, b| a.name.cmp(&b.name));
    layers.dedup_by(|a, b| a.name == b.name);
    store.stored.sort_by(|a, b| a.name.cmp(&b.name));
    store.stored.dedup_by(|a, b| a.name == b.name);
    (layers, missing, store)
}

/// When a configuration was last changed, by the header that Nacos sends.
fn changed(line: &Line) -> Option<i64> {
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
fn escaped(key: &str) -> String {
    key.replace('$', "___").replace('/', "-")
}

fn plain(data_id: &str) -> String {
    data_id.replace("___", "$")
}

fn config(namespace: &str, group: &str, data_id: &str) -> Phrase {
    Phrase::new(Say::NacosConfig)
        .with("place", super::place::shown(namespace, group))
        .with("name", data_id)
}

/// Everything known of the application model for the interface.
pub(super) fn application(
    server: Server<'_>,
    place: &Place,
    question: &Question,
    other_namespaces: &[String],
) -> Application {
    let interface = &question.service.interface;
    let mut found = Application {
        mapping_known: true,
        instances_known: true,
        ..Application::default()
    };
    let mapping = |namespace: &str| server.config(namespace, "mapping", &escaped(interface));
    let seen = mapping(&place.namespace);
    match &seen {
        Seen::Here(text, _) => found.mapped.extend(
            text.split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .map(str::to_owned),
        ),
        Seen::Absent(_) => {}
        _ => {
            found.mapping_known = false;
            found.not_seen.push(not_seen(
                config(&place.namespace, "mapping", interface),
                &seen,
                true,
            ));
        }
    }
    found.mapped.sort();
    found.mapped.dedup();
    // 3.0 looks in DEFAULT_GROUP, 3.1 on in the registry's group.
    for group in &place.groups {
        let names = server.names(&place.namespace, Some(group));
        match &names {
            Seen::Here(names, _) => {
                found.any_instance |= names.iter().any(|named| {
                    !is_of_interface_level(&named.name)
                        && question.consumer.application.as_deref() != Some(&*named.name)
                });
            }
            Seen::Absent(_) => {}
            _ => {
                found.instances_known = false;
                found.not_seen.push(not_seen(
                    Phrase::new(Say::NacosServices)
                        .with("place", format!("{}/{group}", place.shown_namespace())),
                    &names,
                    false,
                ));
            }
        }
        for application in found.mapped.clone() {
            instances(server, place, group, &application, &mut found);
        }
    }
    found.instances.sort_by(|a, b| a.address.cmp(&b.address));
    found.defined = is_defined(server, place, interface);
    found.elsewhere = other_namespaces.iter().any(
        |namespace| matches!(mapping(namespace), Seen::Here(text, _) if !text.trim().is_empty()),
    ) || question.sweep
        && has_instances_elsewhere(server, place, other_namespaces, &found.mapped);
    found
}

/// Whether a mapped application has a service at another place of the server.
fn has_instances_elsewhere(
    server: Server<'_>,
    place: &Place,
    other_namespaces: &[String],
    mapped: &[String],
) -> bool {
    let here = std::iter::once((&place.namespace, true));
    !mapped.is_empty()
        && here
            .chain(other_namespaces.iter().map(|namespace| (namespace, false)))
            .any(|(namespace, own)| {
                let names = server.names(namespace, None).here().unwrap_or_default();
                names.iter().any(|named| {
                    mapped.contains(&named.name) && !(own && place.groups.contains(&named.group))
                })
            })
}

fn is_of_interface_level(name: &str) -> bool {
    ["providers:", "consumers:", "configurators:", "routers:"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

fn instances(
    server: Server<'_>,
    place: &Place,
    group: &str,
    application: &str,
    found: &mut Application,
) {
    match server.instances(&place.namespace, group, application) {
        Seen::Here(list, line) => {
            found.hidden += list.iter().filter(|(_, told)| !told).count();
            found
                .instances
                .extend(
                    list.into_iter()
                        .filter(|(_, told)| *told)
                        .map(|(instance, _)| Instance {
                            application: application.to_owned(),
                            address: format!("{}:{}", instance.ip, instance.port),
                            revision: instance.metadata.get("dubbo.metadata.revision").cloned(),
                            weight: instance.weight,
                            evidence: server.evidence(line, Say::InstanceRegistered),
                        }),
                );
        }
        Seen::Absent(_) => {}
        _ => found.instances_known = false,
    }
}

/// Whether a provider left a service definition (`interface:version:group:provider:application`).
fn is_defined(server: Server<'_>, place: &Place, interface: &str) -> bool {
    let prefix = format!("{}:", escaped(interface));
    server
        .configs_with(&place.namespace, &escaped(interface))
        .here()
        .unwrap_or_default()
        .iter()
        .any(|entry| entry.data_id.starts_with(&prefix) && entry.data_id.contains(":provider:"))
}
