//! Discovery by application as ZooKeeper holds it: mapping, instances (Curator), metadata.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    place::Place,
    tree::{Tree, not_seen},
};
use crate::{
    diagnose::code::Code,
    model::url::encode,
    question::{Question, RegistryAddress, RegistryKind},
    report::words::{Phrase, Say},
    snapshot::{Seen, zk::parent},
    view::{
        application::{
            Alien, Application, Instance, MappedElsewhere, Mapping, MappingForm, cached,
            names::{is_foreign, subscribed_by_name},
            texts::{Named, Texts},
        },
        held::Removal,
        metadata_report::Report,
        stage::Evidence,
    },
};

/// How many applications without a mapping are looked into.
const APPLICATIONS: usize = 200;
/// How many nodes of a service definition are looked through.
const DEFINITIONS: usize = 50;
/// How many mappings of other interfaces are read.
const MAPPINGS: usize = 50;
/// Of how many revisions of applications that are not mapped the metadata are read.
const REVISIONS: usize = 50;

/// Everything known of the application model for the interface.
pub(super) fn application(
    tree: Tree<'_>,
    place: &Place,
    question: &Question,
    registry: &RegistryAddress,
) -> Application {
    let mut found = Application {
        mapping_known: true,
        instances_known: true,
        grouped: is_grouped(place).then_some(RegistryKind::Zookeeper),
        ..Application::default()
    };
    let interface = &question.service.interface;
    let report = Report::of(question, tree.snapshot, tree.missing);
    if let Some(report) = &report {
        report.mapping(interface, &mut found);
    }
    mappings(tree, place, (interface, report.is_some()), &mut found);
    cached::mapping(interface, tree.snapshot, &mut found);
    let wanted: BTreeSet<String> = found
        .mapped
        .iter()
        .cloned()
        .chain(subscribed_by_name(question, registry))
        .collect();
    for root in &place.instance_roots {
        let others = instances(tree, place, root, question, &wanted, &mut found);
        found.others.extend(others);
    }
    found.instances.sort_by(|a, b| a.address.cmp(&b.address));
    (found.defined, found.definers) = match &report {
        Some(report) => {
            let definers = report.definers(interface);
            (!definers.is_empty(), definers)
        }
        None => defined(tree, &place.root, interface),
    };
    found.key_definers = if report.is_some() {
        BTreeSet::new()
    } else {
        key_definers(tree, &place.root, question)
    };
    found.elsewhere = elsewhere(tree, place, interface);
    if question.sweep {
        found.places = places(tree, place, interface);
    }
    metadata(tree, place, report.as_ref(), &mut found);
    found
}

/// Both the default root and the registry's group may hold instances.
fn is_grouped(place: &Place) -> bool {
    place.instance_roots.len() == 2 && place.instance_roots[1] == place.root
}

/// `apart` = the list of 3.x is kept in a metadata report of its own.
fn mappings(
    tree: Tree<'_>,
    place: &Place,
    (interface, apart): (&str, bool),
    found: &mut Application,
) {
    for path in place.mappings(interface) {
        // The metadata report lies under the registry's root; 2.7 writes into the config centre.
        let form = if path.contains("/config/mapping/") {
            MappingForm::ConfigCenter
        } else {
            MappingForm::Report
        };
        if apart && form == MappingForm::Report {
            continue;
        }
        let text = tree.text(&path);
        let (applications, fact) = match &text {
            Seen::Here(text, _) => {
                let mut names: Vec<String> = text
                    .split(',')
                    .filter(|name| !name.trim().is_empty())
                    .map(str::to_owned)
                    .collect();
                if form == MappingForm::ConfigCenter {
                    let children = tree.children(&path);
                    names = children.here().unwrap_or_default().to_vec();
                }
                (
                    names,
                    Phrase::new(Say::MappingNames).with("names", text.as_ref()),
                )
            }
            Seen::Absent(_) => (Vec::new(), Say::MappingAbsent.into()),
            Seen::Refused(_) | Seen::Unasked => {
                found.mapping_known = false;
                found.not_seen.push(not_seen(&path, &text, true));
                continue;
            }
        };
        let names = applications.iter();
        found
            .mapped
            .extend(names.map(|name| name.trim().to_owned()));
        found.mappings.push(Mapping {
            written_ms: None,
            form,
            evidence: tree.shown(&path, &text, fact),
            place: parent(&path).unwrap_or("/").to_owned(),
            applications,
        });
    }
    found.mapped.sort();
    found.mapped.dedup();
    if found.mapped.is_empty() && !apart {
        writers(tree, &format!("{}/mapping", place.root), interface, found);
    }
}

/// Applications that the mappings of other interfaces name.
fn writers(tree: Tree<'_>, directory: &str, interface: &str, found: &mut Application) {
    let others = tree.children(directory).here().unwrap_or_default();
    let others = others.iter().filter(|name| *name != interface);
    for other in others.take(MAPPINGS) {
        let text = tree.text(&format!("{directory}/{other}"));
        let text = text.here().unwrap_or_default();
        let names = text.split(',').map(str::trim);
        found
            .writers
            .extend(names.filter(|name| !name.is_empty()).map(str::to_owned));
    }
}

/// Instances under a root; those of applications that the consumer does not ask for are given back. Below a registry
/// group interface directories lie beside applications: what has no instance text is none.
fn instances(
    tree: Tree<'_>,
    place: &Place,
    root: &str,
    question: &Question,
    wanted: &BTreeSet<String>,
    found: &mut Application,
) -> Vec<Instance> {
    let applications = tree.children(root);
    let names = match &applications {
        Seen::Here(names, _) => *names,
        Seen::Absent(_) => return Vec::new(),
        Seen::Refused(_) | Seen::Unasked => {
            found.instances_known = false;
            found.not_seen.push(not_seen(root, &applications, true));
            return Vec::new();
        }
    };
    let (mapped, unmapped): (Vec<_>, Vec<_>) =
        names.iter().partition(|name| wanted.contains(*name));
    found.instances_known &= unmapped.len() <= APPLICATIONS;
    let mut others = Vec::new();
    for application in mapped
        .into_iter()
        .chain(unmapped.into_iter().take(APPLICATIONS))
    {
        let is_wanted = wanted.contains(application);
        let directory = format!("{root}/{application}");
        let listed = tree.children(&directory);
        let ids = match &listed {
            Seen::Here(ids, _) => *ids,
            Seen::Absent(_) => continue,
            Seen::Refused(_) | Seen::Unasked => {
                found.instances_known = false;
                found
                    .not_seen
                    .push(not_seen(&directory, &listed, is_wanted));
                continue;
            }
        };
        for id in ids.iter().filter(|id| is_wanted || id.contains(':')) {
            let node = format!("{directory}/{id}");
            let text = tree.text(&node);
            let Seen::Here(content, line) = &text else {
                if !text.is_known() {
                    found.any_instance |= is_foreign(question, application);
                    found.instances_known &= !is_wanted;
                    found.not_seen.push(not_seen(&node, &text, is_wanted));
                }
                continue;
            };
            let evidence = tree.evidence(line, Say::InstanceRegistered);
            match read_instance(application, content, evidence) {
                Some(mut instance) => {
                    found.any_instance |= is_foreign(question, application);
                    instance.in_group = root == place.root;
                    if is_wanted {
                        found.instances.push(instance);
                    } else if is_foreign(question, application) {
                        others.push(instance);
                    }
                }
                None if is_wanted && !is_directory_of_interface(root, place, id) => {
                    found.aliens.push(Alien {
                        application: application.clone(),
                        name: id.clone(),
                        evidence: tree
                            .evidence(line, Phrase::new(Say::NoInstance).with("name", id.as_str())),
                    });
                }
                None => {}
            }
        }
    }
    others
}

/// Under the registry's root an application may have the name of an interface.
fn is_directory_of_interface(root: &str, place: &Place, name: &str) -> bool {
    root == place.root && ["providers", "consumers", "configurators", "routers"].contains(&name)
}

/// Curator's `ServiceInstance` with Dubbo's payload.
fn read_instance(application: &str, text: &str, evidence: Evidence) -> Option<Instance> {
    let value: Value = serde_json::from_str(text).ok()?;
    if value.get("name").and_then(Value::as_str) != Some(application) {
        return None;
    }
    let host = value.get("address")?.as_str()?;
    let port = u32::try_from(value.get("port")?.as_u64()?).ok()?;
    let class = value.pointer("/payload/@class").and_then(Value::as_str);
    if class.is_some_and(|class| !class.ends_with(".registry.zookeeper.ZookeeperInstance")) {
        return None;
    }
    let metadata: BTreeMap<String, String> = value
        .pointer("/payload/metadata")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .collect();
    Some(Instance {
        application: application.to_owned(),
        host: host.to_owned(),
        port,
        address: format!("{host}:{port}"),
        revision: metadata.get("dubbo.metadata.revision").cloned(),
        metadata,
        enabled: true,
        healthy: true,
        rewritten: false,
        removal: Removal::Unknown,
        weight: 1.0,
        in_group: false,
        evidence,
    })
}

/// The metadata of every revision: of the instances that the consumer asks for, and of the others where it has none,
/// since they may show who exports the interface.
fn metadata(tree: Tree<'_>, place: &Place, report: Option<&Report<'_>>, found: &mut Application) {
    let (snapshot, source) = tree.place();
    let texts = Texts {
        snapshot,
        source,
        missing: tree.missing,
    };
    let others = if found.instances.is_empty() {
        REVISIONS
    } else {
        0
    };
    for instance in found
        .instances
        .iter()
        .chain(found.others.iter().take(others))
    {
        let (Some(key), Some(revision)) = (instance.metadata_key(), instance.exports()) else {
            continue;
        };
        let services = found.services_of(&key);
        let named = Named {
            application: &instance.application,
            revision,
            services: &services,
        };
        if found.metadata.contains_key(&key) {
            continue;
        }
        if let Some(report) = report {
            found.metadata.insert(key, report.metadata(named));
            continue;
        }
        let path = format!(
            "{}/metadata/{}/{revision}",
            place.root, instance.application
        );
        let seen = tree.text(&path).map(std::borrow::Cow::into_owned);
        found.metadata.insert(
            key,
            texts.metadata(named, seen, ("zk.node", &[("path", &path)])),
        );
    }
}

/// Whether a provider left a service definition of the interface in the metadata report, and which applications did.
pub(super) fn defined(tree: Tree<'_>, root: &str, interface: &str) -> (bool, BTreeSet<String>) {
    let mut open = vec![(format!("{root}/metadata/{}", encode(interface)), 0)];
    let mut looked = 0;
    let (mut is_defined, mut definers) = (false, BTreeSet::new());
    while let Some((path, depth)) = open.pop() {
        looked += 1;
        for child in tree.children(&path).here().unwrap_or_default() {
            if child == "provider" {
                is_defined = true;
                let applications = tree.children(&format!("{path}/provider"));
                definers.extend(applications.here().unwrap_or_default().iter().cloned());
            } else if depth < 2 && looked < DEFINITIONS && child != "consumer" {
                open.push((format!("{path}/{child}"), depth + 1));
            }
        }
    }
    (is_defined, definers)
}

/// Applications that left a definition of exactly this key: empty parts of the path are left out, and equal ones are one
/// (`ZookeeperMetadataReport.getNodePath`).
fn key_definers(tree: Tree<'_>, root: &str, question: &Question) -> BTreeSet<String> {
    let service = &question.service;
    let mut parts = vec![encode(&service.interface)];
    for part in [&service.version, &service.group] {
        if let Some(part) = part.as_ref().filter(|part| !part.is_empty())
            && !parts.contains(part)
        {
            parts.push(part.clone());
        }
    }
    let path = format!("{root}/metadata/{}/provider", parts.join("/"));
    let applications = tree.children(&path);
    let names = applications.here().unwrap_or_default();
    names.iter().cloned().collect()
}

/// Whether a mapping of the interface stands under another root.
fn elsewhere(tree: Tree<'_>, place: &Place, interface: &str) -> bool {
    let here = place.mappings(interface);
    super::sweep::other_roots(tree, place)
        .map(|root| format!("{root}/mapping/{interface}"))
        .filter(|path| !here.contains(path))
        .any(|path| {
            tree.text(&path)
                .here()
                .is_some_and(|text| !text.trim().is_empty())
        })
}

/// Other roots with a mapping of the interface and instances of the applications that it names (a registry's group is the
/// root of both from 3.0.9 on).
fn places(tree: Tree<'_>, place: &Place, interface: &str) -> Vec<MappedElsewhere> {
    let here = place.mappings(interface);
    let mut found = Vec::new();
    for root in super::sweep::other_roots(tree, place) {
        let path = format!("{root}/mapping/{interface}");
        if here.contains(&path) {
            continue;
        }
        let mapping = tree.text(&path);
        let Seen::Here(text, _) = &mapping else {
            continue;
        };
        let mut evidence: Vec<Evidence> = tree
            .shown(
                &path,
                &mapping,
                Phrase::new(Say::MappingNames).with("names", text.as_ref()),
            )
            .into_iter()
            .collect();
        let (mut applications, mut count) = (Vec::new(), 0);
        for name in text
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            let directory = format!("{root}/{name}");
            let instances = tree.children(&directory);
            let number = instances
                .clone()
                .here()
                .map_or(0, |ids| ids.iter().filter(|id| id.contains(':')).count());
            if number > 0 {
                count += number;
                applications.push(name.to_owned());
                evidence.extend(tree.shown(&directory, &instances, Say::InstanceRegistered));
            }
        }
        if count > 0 {
            found.push(MappedElsewhere {
                code: Code::RegistryGroupDiffers,
                place: root,
                differs: vec!["group"],
                applications,
                count,
                evidence,
            });
        }
    }
    found
}
