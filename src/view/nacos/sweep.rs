//! The same interface in other namespaces and groups of the server.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    names::is_of_interface,
    place::{Place, shown},
    read_entries,
    server::{Server, not_seen},
    shape::canonical,
};
use crate::{
    diagnose::code::Code,
    question::{Question, RegistryAddress},
    report::words::{Phrase, Say},
    snapshot::Seen,
    view::{
        held::{Elsewhere, Entry, Listing},
        moved::Applications,
        names::fit_of_short,
        stage::NotSeen,
    },
};

/// How many namespaces are looked into.
const NAMESPACES: usize = 50;
/// How many full names are offered for a short one.
const SPELLED: usize = 20;
/// How many services of a place are looked through for an application.
const LOOKED_THROUGH: usize = 50;

/// Namespaces besides the consumer's, and whether that are all.
pub(super) fn other_namespaces(server: Server<'_>, place: &Place) -> (Vec<String>, Listing) {
    let listed = server.namespaces();
    let mut ids: BTreeSet<String> = server
        .snapshot
        .manifest()
        .scope
        .namespaces
        .iter()
        .map(|id| canonical(id).to_owned())
        .collect();
    let known = match &listed {
        Seen::Here(list, line) => {
            ids.extend(list.iter().map(|(id, _)| id.clone()));
            Listing::Complete(Some(server.evidence(line, Say::NamespacesListed)))
        }
        _ => Listing::Unknown(not_seen(Say::OtherPlaces.into(), &listed, false)),
    };
    ids.remove(&place.namespace);
    let known = match known {
        Listing::Complete(_) if ids.len() > NAMESPACES => Listing::Unknown(cut(ids.len())),
        known => known,
    };
    (ids.into_iter().take(NAMESPACES).collect(), known)
}

/// Of so many namespaces only the first ones are looked into: what the others hold is not known.
fn cut(total: usize) -> NotSeen {
    NotSeen {
        what: Say::OtherPlaces.into(),
        why: Phrase::new(Say::SweepCut)
            .with("count", NAMESPACES.to_string())
            .with("total", total.to_string()),
        how_to_see: Some(Say::HowNameNamespace.into()),
        required: false,
    }
}

/// Where else the interface has providers, and whether every other place was looked into.
pub(super) fn elsewhere(
    server: Server<'_>,
    (place, registry): (&Place, &RegistryAddress),
    question: &Question,
    namespaces: &[String],
    mut swept: Listing,
) -> (Vec<Elsewhere>, Listing) {
    let interface = &question.service.interface;
    let mut found = Vec::new();
    for namespace in std::iter::once(&place.namespace).chain(namespaces) {
        let names = server.names(namespace, None);
        let Seen::Here(names, _) = &names else {
            if !names.is_known() {
                swept = Listing::Unknown(not_seen(
                    Phrase::new(Say::NacosServices).with("place", shown(namespace, "*")),
                    &names,
                    false,
                ));
            }
            continue;
        };
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for named in names {
            let here = *namespace == place.namespace && named.group == place.group;
            if !here && is_of_interface(&named.name, interface) {
                groups.entry(&named.group).or_default().push(&named.name);
            }
        }
        for (group, services) in groups {
            let entries: Vec<Entry> = services
                .iter()
                .flat_map(|service| read_entries(server, namespace, group, service).0)
                .filter(|entry| entry.nacos.as_ref().is_none_or(|side| side.enabled))
                .collect();
            if entries.is_empty() {
                continue;
            }
            let subscribed = |namespace: &str, group: &str| {
                is_subscribed(server, question, (namespace, group), &services)
            };
            let mut addresses = vec![registry.clone()];
            if group != place.group {
                addresses = registry.in_group(group);
            }
            if *namespace != place.namespace {
                for address in &mut addresses {
                    address.namespace = Some(namespace.clone());
                }
            }
            found.push(Elsewhere {
                addresses,
                code: if *namespace == place.namespace {
                    Code::RegistryGroupDiffers
                } else {
                    Code::NamespaceDiffers
                },
                place: shown(namespace, group),
                differs: [
                    ("namespace", *namespace != place.namespace),
                    ("group", group != place.group),
                ]
                .iter()
                .filter(|(_, differs)| *differs)
                .map(|(word, _)| *word)
                .collect(),
                has_consumer: subscribed(namespace, group)
                    && !subscribed(&place.namespace, &place.group),
                moved_applications: moved(server, place, (namespace, group), interface, &entries),
                entries,
            });
        }
    }
    (found, swept)
}

/// The full names that a name without package may mean: of services in the consumer's group, then in any other place.
pub(super) fn spelled(
    server: Server<'_>,
    place: &Place,
    question: &Question,
    namespaces: &[String],
) -> BTreeMap<String, Option<String>> {
    let interface = &question.service.interface;
    let mut found = BTreeMap::new();
    if interface.contains('.') {
        return found;
    }
    let mut look = |namespace: &str, group: Option<&str>| {
        let Seen::Here(names, _) = server.names(namespace, group) else {
            return;
        };
        for named in names {
            let mut parts = named.name.split(':');
            let full = match (parts.next(), parts.next()) {
                (Some("providers" | "consumers"), Some(full)) => full.replace("___", "$"),
                _ => continue,
            };
            let here = namespace == place.namespace && named.group == place.group;
            if fit_of_short(interface, &full).is_some() && found.len() < SPELLED {
                found
                    .entry(full)
                    .or_insert_with(|| (!here).then(|| shown(namespace, &named.group)));
            }
        }
    };
    look(&place.namespace, Some(&place.group));
    if question.sweep {
        for namespace in std::iter::once(&place.namespace).chain(namespaces) {
            look(namespace, None);
        }
    }
    found
}

/// Whether the consumer's address subscribes to one of the services at a place.
pub(super) fn is_subscribed(
    server: Server<'_>,
    question: &Question,
    (namespace, group): (&str, &str),
    services: &[impl AsRef<str>],
) -> bool {
    question.consumer.ip.as_ref().is_some_and(|ip| {
        services.iter().any(|service| {
            server
                .subscribers(namespace, group, service.as_ref())
                .contains(ip)
        })
    })
}

/// Applications of these providers that have other services there and none here.
fn moved(
    server: Server<'_>,
    place: &Place,
    there: (&str, &str),
    interface: &str,
    entries: &[Entry],
) -> Vec<String> {
    let there = applications_of(server, there, interface);
    let here = applications_of(server, (&place.namespace, &place.group), interface);
    Applications::moved(
        entries.iter().filter_map(Entry::application),
        there.as_ref(),
        here.as_ref(),
    )
}

/// Applications that provide other interfaces at a place; `None` when that is not known.
pub(super) fn applications_of(
    server: Server<'_>,
    (namespace, group): (&str, &str),
    interface: &str,
) -> Option<Applications> {
    let names = match server.names(namespace, Some(group)) {
        Seen::Here(names, _) => names,
        Seen::Absent(_) => return Some(Applications::default()),
        _ => return None,
    };
    let mut applications = Applications::default();
    // All are read before one that is not known decides, so that all are asked for in one round.
    let mut all_known = true;
    let others = names.iter().filter(|named| {
        named.name.starts_with("providers:") && !is_of_interface(&named.name, interface)
    });
    for (number, named) in others.enumerate() {
        if number == LOOKED_THROUGH {
            applications.cut = true;
            break;
        }
        let (entries, listing) = read_entries(server, namespace, group, &named.name);
        all_known &= listing.is_known();
        let providers = entries.iter().filter_map(Entry::application);
        applications.names.extend(providers);
    }
    all_known.then_some(applications)
}
