//! Discovery by application as Nacos holds it: mapping, instances, metadata.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    config::{changed, config, escaped},
    hidden,
    place::Place,
    removal::removal,
    server::{Server, not_seen},
    shape::Listed,
};
use crate::{
    diagnose::code::Code,
    question::{Question, RegistryAddress, RegistryKind},
    report::words::{Phrase, Say},
    snapshot::Seen,
    view::{
        application::{
            Application, Instance, MappedElsewhere, Mapping, MappingForm, cached,
            names::{is_foreign, subscribed_by_name},
            texts::{Named, Texts},
        },
        evidence::scope_evidence,
        metadata_report::Report,
        names::is_near,
    },
};

/// The group of a metadata report whose address names none (`NacosMetadataReport`).
const REPORT_GROUP: &str = "dubbo";

/// How many applications that are not mapped are looked into.
const APPLICATIONS: usize = 50;

/// Everything known of the application model for the interface.
pub(super) fn application(
    server: Server<'_>,
    place: &Place,
    question: &Question,
    registry: &RegistryAddress,
    other_namespaces: &[String],
) -> Application {
    let interface = &question.service.interface;
    let mut found = Application {
        mapping_known: true,
        instances_known: true,
        grouped: (place.groups.len() > 1).then_some(RegistryKind::Nacos),
        ..Application::default()
    };
    let report = Report::of(question, server.snapshot, server.missing);
    let mapping = |namespace: &str| server.config(namespace, "mapping", &escaped(interface));
    let own = mapping(&place.namespace);
    let forms: &[MappingForm] = match &report {
        Some(report) => {
            report.mapping(interface, &mut found);
            &[MappingForm::ConfigCenter]
        }
        // 2.7 keeps it in the config centre, 3.x in the metadata report: in Nacos that is one place.
        None => &[MappingForm::Report, MappingForm::ConfigCenter],
    };
    read_mapping(server, place, (interface, forms), &own, &mut found);
    cached::mapping(interface, server.snapshot, &mut found);
    let wanted: BTreeSet<String> = found
        .mapped
        .iter()
        .cloned()
        .chain(subscribed_by_name(question, registry))
        .collect();
    let mut unmapped = BTreeSet::new();
    // 3.0 looks in DEFAULT_GROUP, 3.1 on in the registry's group.
    for group in &place.groups {
        let names = server.names(&place.namespace, Some(group));
        match &names {
            Seen::Here(names, _) => {
                let applications = names
                    .iter()
                    .map(|named| named.name.as_str())
                    .filter(|name| !is_of_interface_level(name) && is_foreign(question, name));
                for name in applications {
                    found.any_instance = true;
                    if !wanted.contains(name) {
                        unmapped.insert(name.to_owned());
                    }
                }
            }
            Seen::Absent(_) => {}
            _ => {
                found.instances_known = false;
                found.not_seen.push(not_seen(
                    Phrase::new(Say::NacosServices)
                        .with("place", format!("{}/{group}", place.shown_namespace())),
                    &names,
                    true,
                ));
            }
        }
        for application in &wanted {
            server.count_instances(&place.namespace, group, application);
            if !instances(server, place, group, application, &mut found.instances) {
                found.instances_known = false;
                found.not_seen.push(not_seen(
                    Phrase::new(Say::NacosInstances)
                        .with("place", super::place::shown(&place.namespace, group))
                        .with("service", application),
                    &server.instances(&place.namespace, group, application),
                    true,
                ));
            }
            if let Some((hidden, _)) = hidden(server, (&place.namespace, group), application) {
                found.instances_known = false;
                found.not_seen.push(hidden);
            }
        }
    }
    found.instances.sort_by(|a, b| a.address.cmp(&b.address));
    let definers = match &report {
        Some(report) => report.definers(interface),
        None => definers(server, (&place.namespace, &place.group), interface),
    };
    found.defined = !definers.is_empty();
    found.definers = definers;
    if report.is_none() {
        found.key_definers = key_definers(server, place, question);
        others_defined(server, place, interface, &mut found);
    }
    found.elsewhere = other_namespaces.iter().any(
        |namespace| matches!(mapping(namespace), Seen::Here(text, _) if !text.trim().is_empty()),
    ) || question.sweep
        && has_instances_elsewhere(server, place, other_namespaces, &wanted);
    if question.sweep && found.instances.is_empty() {
        found.places = places(server, place, interface, other_namespaces, &wanted);
    }
    if found.instances.is_empty() {
        found.others_cut = unmapped.len() > APPLICATIONS;
        for group in &place.groups {
            for application in unmapped.iter().take(APPLICATIONS) {
                instances(server, place, group, application, &mut found.others);
            }
        }
    }
    metadata(server, place, report.as_ref(), &mut found);
    found
}

fn read_mapping(
    server: Server<'_>,
    place: &Place,
    (interface, forms): (&str, &[MappingForm]),
    seen: &Seen<'_, String>,
    found: &mut Application,
) {
    let applications: Vec<String> = match seen {
        Seen::Here(text, _) => text
            .split(',')
            .filter(|name| !name.trim().is_empty())
            .map(str::to_owned)
            .collect(),
        Seen::Absent(_) => Vec::new(),
        _ => {
            found.mapping_known = false;
            let what = config(&place.namespace, "mapping", interface);
            found.not_seen.push(not_seen(what, seen, true));
            return;
        }
    };
    let fact = match seen {
        Seen::Here(text, _) => Phrase::new(Say::MappingNames).with("names", text.as_str()),
        _ => Say::MappingAbsent.into(),
    };
    let names = applications.iter();
    found
        .mapped
        .extend(names.map(|name| name.trim().to_owned()));
    found.mapped.sort();
    found.mapped.dedup();
    for form in forms {
        // An answer does not hold what was written after it: then the clocks differ, and the time says nothing.
        let written = seen.line().and_then(|line| {
            let said = line.at.as_ref().map(|at| at.time().as_millisecond());
            changed(line).filter(|written| said.is_none_or(|said| *written <= said))
        });
        found.mappings.push(Mapping {
            written_ms: written,
            form: *form,
            place: super::place::shown(&place.namespace, "mapping"),
            applications: applications.clone(),
            evidence: Some(match seen.line() {
                Some(line) => server.evidence(line, fact.clone()),
                None => scope_evidence(
                    server.snapshot,
                    server.source,
                    "nacos.config",
                    &[
                        ("namespace", place.namespace.as_str()),
                        ("group", "mapping"),
                        ("data_id", escaped(interface).as_str()),
                    ],
                    fact.clone(),
                ),
            }),
        });
    }
}

/// Instances of an application in a group; whether they are known.
fn instances(
    server: Server<'_>,
    place: &Place,
    group: &str,
    application: &str,
    found: &mut Vec<Instance>,
) -> bool {
    let in_group = group == place.group;
    listed(
        server,
        (&place.namespace, group, in_group),
        application,
        found,
    )
}

/// The same at any place; `in_group` = the registry's group.
fn listed(
    server: Server<'_>,
    (namespace, group, in_group): (&str, &str, bool),
    application: &str,
    found: &mut Vec<Instance>,
) -> bool {
    let seen = server.instances(namespace, group, application);
    let Seen::Here(list, _) = seen else {
        return matches!(seen, Seen::Absent(_));
    };
    found.extend(list.into_iter().map(|(instance, told, line)| Instance {
        removal: removal(&instance, server.version()),
        application: application.to_owned(),
        address: format!("{}:{}", instance.ip, instance.port),
        host: instance.ip,
        port: instance.port,
        revision: instance.metadata.get("dubbo.metadata.revision").cloned(),
        metadata: instance.metadata,
        enabled: told && instance.enabled,
        healthy: instance.healthy,
        rewritten: instance.rewritten,
        weight: instance.weight,
        in_group,
        evidence: server.evidence(line, Say::InstanceRegistered),
    }));
    true
}

/// The metadata of every revision: of the instances that the consumer asks for, and of the others where it has none,
/// since they may show who exports the interface.
fn metadata(
    server: Server<'_>,
    place: &Place,
    report: Option<&Report<'_>>,
    found: &mut Application,
) {
    let texts = Texts {
        snapshot: server.snapshot,
        source: server.source,
        missing: server.missing,
    };
    for instance in found.instances.iter().chain(&found.others) {
        let (Some(key), Some(revision)) = (instance.metadata_key(), instance.exports()) else {
            continue;
        };
        if found.metadata.contains_key(&key) {
            continue;
        }
        let services = found.services_of(&key);
        let named = Named {
            application: &instance.application,
            revision,
            services: &services,
        };
        if let Some(report) = report {
            found.metadata.insert(key, report.metadata(named));
            continue;
        }
        let data_id = escaped(&instance.application);
        let seen = server.config(&place.namespace, revision, &data_id);
        let address = [
            ("namespace", place.namespace.as_str()),
            ("group", revision),
            ("data_id", data_id.as_str()),
        ];
        let metadata = texts.metadata(named, seen, ("nacos.config", &address));
        found.metadata.insert(key, metadata);
    }
}

/// Other places of the server with instances of applications that the interface is mapped to, here or in that namespace.
fn places(
    server: Server<'_>,
    place: &Place,
    interface: &str,
    other_namespaces: &[String],
    mapped: &BTreeSet<String>,
) -> Vec<MappedElsewhere> {
    let mut found: Vec<MappedElsewhere> = Vec::new();
    for namespace in std::iter::once(&place.namespace).chain(other_namespaces) {
        let own = *namespace == place.namespace;
        let mapping = server.config(namespace, "mapping", &escaped(interface));
        let text = match &mapping {
            Seen::Here(text, _) => text.as_str(),
            _ => "",
        };
        let there: BTreeSet<&str> = text
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .chain(mapped.iter().map(String::as_str))
            .collect();
        let names = server.names(namespace, None).here().unwrap_or_default();
        let meant = names.iter().filter(|named| {
            there.contains(named.name.as_str()) && !(own && place.groups.contains(&named.group))
        });
        for named in meant {
            let mut instances = Vec::new();
            listed(
                server,
                (namespace, &named.group, false),
                &named.name,
                &mut instances,
            );
            instances.retain(|instance| instance.enabled);
            if instances.is_empty() {
                continue;
            }
            let shown = super::place::shown(namespace, &named.group);
            let evidence = mapping
                .line()
                .map(|line| {
                    let fact = Phrase::new(Say::MappingNames).with("names", text);
                    server.evidence(line, fact)
                })
                .into_iter()
                .chain(instances.first().map(|instance| instance.evidence.clone()));
            match found.iter_mut().find(|known| known.place == shown) {
                Some(known) => {
                    known.count += instances.len();
                    known.applications.push(named.name.clone());
                    known.evidence.extend(evidence);
                }
                None => found.push(MappedElsewhere {
                    code: if own {
                        Code::RegistryGroupDiffers
                    } else {
                        Code::NamespaceDiffers
                    },
                    differs: [("namespace", !own), ("group", named.group != place.group)]
                        .iter()
                        .filter(|(_, differs)| *differs)
                        .map(|(word, _)| *word)
                        .collect(),
                    place: shown,
                    applications: vec![named.name.clone()],
                    count: instances.len(),
                    evidence: evidence.collect(),
                }),
            }
        }
    }
    found
}

/// Whether a mapped application has a service at another place of the server.
fn has_instances_elsewhere(
    server: Server<'_>,
    place: &Place,
    other_namespaces: &[String],
    mapped: &BTreeSet<String>,
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

/// Whether the metadata of this place are in a group: a report has one of its own, `dubbo` unless its address names
/// another (`NacosMetadataReport`), and what lies in others belongs to providers of other places.
fn is_of_place(entry: &Listed, group: &str) -> bool {
    entry.group == REPORT_GROUP || entry.group == group
}

/// Applications that left a service definition as providers (`interface:version:group:provider:application`).
pub(super) fn definers(
    server: Server<'_>,
    (namespace, group): (&str, &str),
    interface: &str,
) -> BTreeSet<String> {
    let prefix = format!("{}:", escaped(interface));
    server
        .configs_with(namespace, &escaped(interface))
        .here()
        .unwrap_or_default()
        .iter()
        .filter(|entry| entry.data_id.starts_with(&prefix) && is_of_place(entry, group))
        .filter_map(|entry| Some(entry.data_id.split_once(":provider:")?.1.to_owned()))
        .collect()
}

/// Those whose definition is of exactly this key.
fn key_definers(server: Server<'_>, place: &Place, question: &Question) -> BTreeSet<String> {
    let service = &question.service;
    let prefix = format!(
        "{}:{}:{}:provider:",
        escaped(&service.interface),
        service.version.as_deref().unwrap_or_default(),
        service.group.as_deref().unwrap_or_default()
    );
    server
        .configs_with(&place.namespace, &escaped(&service.interface))
        .here()
        .unwrap_or_default()
        .iter()
        .filter(|entry| is_of_place(entry, &place.group))
        .filter_map(|entry| entry.data_id.strip_prefix(&prefix).map(str::to_owned))
        .collect()
}

/// What other interfaces the definitions and mappings of the place tell of, as far as they were seen: which applications
/// write definitions, and names that are near the one asked for.
fn others_defined(server: Server<'_>, place: &Place, interface: &str, found: &mut Application) {
    let lists = server.told_configs(&place.namespace).into_iter();
    let found_by_name = server.configs_with(&place.namespace, &escaped(interface));
    let mut near: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in lists.chain(found_by_name.here().unwrap_or_default()) {
        let (name, applications): (&str, Vec<String>) = if entry.group == "mapping" {
            let names = entry.content.as_deref().unwrap_or_default().split(',');
            let names = names.map(str::trim).filter(|name| !name.is_empty());
            (&entry.data_id, names.map(str::to_owned).collect())
        } else if let Some((key, application)) = entry.data_id.split_once(":provider:")
            && is_of_place(&entry, &place.group)
        {
            let name = key.split(':').next().unwrap_or_default();
            (name, vec![application.to_owned()])
        } else {
            continue;
        };
        let other = name.replace("___", "$");
        if other == *interface {
            continue;
        }
        if is_near(interface, &other) {
            near.entry(other).or_default().extend(applications.clone());
        }
        found.describers.extend(applications);
    }
    found.near_names = near;
}
