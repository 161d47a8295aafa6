//! Signs of discovery by application: mapping, instances, service definitions. Their metadata is not read here.

use serde_json::Value;

use super::{
    place::Place,
    tree::{Tree, not_seen},
};
use crate::{
    model::url::encode,
    question::Question,
    report::words::Say,
    snapshot::Seen,
    view::held::{Application, Instance},
};

/// How many applications without a mapping are looked into.
const APPLICATIONS: usize = 200;
/// How many nodes of a service definition are looked through.
const DEFINITIONS: usize = 50;

/// Everything known of the application model for the interface.
pub(super) fn application(tree: Tree<'_>, place: &Place, question: &Question) -> Application {
    let mut found = Application {
        mapping_known: true,
        instances_known: true,
        ..Application::default()
    };
    let interface = &question.service.interface;
    for path in place.mappings(interface) {
        mapping(tree, &path, &mut found);
    }
    found.mapped.sort();
    found.mapped.dedup();
    for root in &place.instance_roots {
        instances(tree, root, question, &mut found);
    }
    found.instances.sort_by(|a, b| a.address.cmp(&b.address));
    found.defined = defined(tree, &place.root, interface);
    found.elsewhere = elsewhere(tree, place, interface);
    found
}

/// One node of the mapping: a list of applications (3.x), or a child for each (2.7 in the config centre).
fn mapping(tree: Tree<'_>, path: &str, found: &mut Application) {
    let text = tree.text(path);
    match &text {
        Seen::Here(text, _) => found.mapped.extend(
            text.split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .map(str::to_owned),
        ),
        Seen::Absent(_) => return,
        Seen::Refused(_) | Seen::Unasked => {
            found.mapping_known = false;
            found.not_seen.push(not_seen(path, &text, true));
        }
    }
    if let Seen::Here(children, _) = tree.children(path) {
        found.mapped.extend(children.iter().cloned());
    }
}

/// Instances under a root. Below a registry group interface directories lie beside applications: what has no
/// instance text is none.
fn instances(tree: Tree<'_>, root: &str, question: &Question, found: &mut Application) {
    let applications = tree.children(root);
    let names = match &applications {
        Seen::Here(names, _) => *names,
        Seen::Absent(_) => return,
        Seen::Refused(_) | Seen::Unasked => {
            found.instances_known = false;
            found.not_seen.push(not_seen(root, &applications, false));
            return;
        }
    };
    let (mapped, others): (Vec<_>, Vec<_>) =
        names.iter().partition(|name| found.mapped.contains(name));
    found.instances_known &= others.len() <= APPLICATIONS;
    for application in mapped
        .into_iter()
        .chain(others.into_iter().take(APPLICATIONS))
    {
        let directory = format!("{root}/{application}");
        let listed = tree.children(&directory);
        let ids = match &listed {
            Seen::Here(ids, _) => *ids,
            Seen::Absent(_) => continue,
            Seen::Refused(_) | Seen::Unasked => {
                found.instances_known = false;
                continue;
            }
        };
        for id in ids.iter().filter(|id| id.contains(':')) {
            let node = format!("{directory}/{id}");
            let text = tree.text(&node);
            let Seen::Here(content, line) = &text else {
                if !text.is_known() {
                    found.any_instance |= is_foreign(question, application);
                    found.instances_known &= !found.mapped.contains(application);
                }
                continue;
            };
            let Some(instance) = read_instance(application, content) else {
                continue;
            };
            found.any_instance |= is_foreign(question, application);
            if found.mapped.contains(application) {
                found.instances.push(Instance {
                    application: application.clone(),
                    address: instance.0,
                    revision: instance.1,
                    weight: 1.0,
                    evidence: tree.evidence(line, Say::InstanceRegistered),
                });
            }
        }
    }
}

/// The consumer's own instance says nothing about providers.
fn is_foreign(question: &Question, application: &str) -> bool {
    question.consumer.application.as_deref() != Some(application)
}

/// Address and revision of an instance (Curator's `ServiceInstance` with Dubbo's payload).
fn read_instance(application: &str, text: &str) -> Option<(String, Option<String>)> {
    let value: Value = serde_json::from_str(text).ok()?;
    if value.get("name").and_then(Value::as_str) != Some(application) {
        return None;
    }
    let host = value.get("address")?.as_str()?;
    let port = value.get("port")?.as_u64()?;
    let revision = value
        .pointer("/payload/metadata/dubbo.metadata.revision")
        .and_then(Value::as_str)
        .map(str::to_owned);
    Some((format!("{host}:{port}"), revision))
}

/// Whether a provider left a service definition of the interface in the metadata report.
fn defined(tree: Tree<'_>, root: &str, interface: &str) -> bool {
    let mut open = vec![(format!("{root}/metadata/{}", encode(interface)), 0)];
    let mut looked = 0;
    while let Some((path, depth)) = open.pop() {
        looked += 1;
        for child in tree.children(&path).here().unwrap_or_default() {
            if child == "provider" {
                return true;
            }
            if depth < 2 && looked < DEFINITIONS && child != "consumer" {
                open.push((format!("{path}/{child}"), depth + 1));
            }
        }
    }
    false
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
