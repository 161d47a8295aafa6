//! The same interface at other places of the ensemble, and interfaces with near names at the same place.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    entries::{read_entries, service_names},
    place::{Place, service_under},
    tree::{Tree, not_seen},
};
use crate::{
    diagnose::code::Code,
    question::{Question, RegistryAddress},
    report::words::Say,
    snapshot::Seen,
    view::{
        held::{Elsewhere, Entry, Listing, NearInterface},
        moved::Applications,
        names::{fit_of_short, is_near, is_same_spelling, is_shell_eaten},
    },
};

/// Nodes below `/` that are no root of a registry.
const NO_ROOTS: [&str; 2] = ["zookeeper", "services"];
/// How many interface directories of one root are looked through for services of an application.
const LOOKED_THROUGH: usize = 200;
/// How many roots are looked into.
const ROOTS: usize = 100;
/// How many near interfaces are looked into.
const NEAR: usize = 20;

/// Interfaces here whose names are near the one asked for, with providers.
pub(super) fn near(tree: Tree<'_>, place: &Place, interface: &str) -> Vec<NearInterface> {
    let Seen::Here(names, _) = tree.children(&place.root) else {
        return Vec::new();
    };
    // A name may lie there encoded or not: it is read under the one that it has.
    let mut near: Vec<NearInterface> = names
        .iter()
        .filter_map(|name| {
            let other = service_names(std::slice::from_ref(name)).next()?;
            Some((name, other))
        })
        .filter(|(_, other)| other != interface)
        .filter(|(_, other)| is_near(interface, other) || is_shell_eaten(interface, other))
        .take(NEAR)
        .filter_map(|(name, other)| {
            let providers = format!("{}/{name}/providers", place.root);
            let (entries, _) = read_entries(tree, &providers);
            (!entries.is_empty()).then(|| NearInterface {
                same_spelling: is_same_spelling(interface, &other),
                interface: other,
                entries,
            })
        })
        .collect();
    near.sort_by(|a, b| a.interface.cmp(&b.interface));
    near
}

/// The full names that a name without package may mean: interfaces and mappings at this place, then interfaces below the
/// other roots.
pub(super) fn spelled(
    tree: Tree<'_>,
    place: &Place,
    question: &Question,
) -> BTreeMap<String, Option<String>> {
    let interface = &question.service.interface;
    let mut found = BTreeMap::new();
    if interface.contains('.') {
        return found;
    }
    let mut look = |path: &str, elsewhere: Option<&str>| {
        let Seen::Here(names, _) = tree.children(path) else {
            return;
        };
        for full in service_names(names) {
            if fit_of_short(interface, &full).is_some() && found.len() < NEAR {
                found
                    .entry(full)
                    .or_insert_with(|| elsewhere.map(str::to_owned));
            }
        }
    };
    look(&place.root, None);
    look(&format!("{}/mapping", place.root), None);
    if question.sweep {
        for root in other_roots(tree, place).take(ROOTS) {
            look(&root, Some(&root));
        }
    }
    found
}

/// The other roots of the ensemble: nodes at the top that are no root of this consumer.
pub(super) fn other_roots<'a>(
    tree: Tree<'a>,
    place: &'a Place,
) -> impl Iterator<Item = String> + 'a {
    let top = if place.chroot.is_empty() {
        "/"
    } else {
        &place.chroot
    };
    tree.children(top)
        .here()
        .unwrap_or_default()
        .iter()
        .filter(|name| !NO_ROOTS.contains(&name.as_str()))
        .map(move |name| format!("{}/{name}", place.chroot))
        .filter(move |root| *root != place.root)
        .take(ROOTS + 1)
}

/// Where else the interface has providers, and whether every other root was looked into.
pub(super) fn elsewhere(
    tree: Tree<'_>,
    place: &Place,
    question: &Question,
    registry: &RegistryAddress,
) -> (Vec<Elsewhere>, Listing) {
    let top = if place.chroot.is_empty() {
        "/"
    } else {
        &place.chroot
    };
    let listing = tree.children(top);
    let roots: BTreeSet<String> = other_roots(tree, place).collect();
    let mut swept = match &listing {
        Seen::Here(_, line) => Listing::Complete(Some(tree.evidence(line, Say::RootsListed))),
        _ => Listing::Unknown(not_seen(top, &listing, false)),
    };
    if roots.len() > ROOTS {
        swept = Listing::Unknown(not_seen(top, &listing, false));
    }
    let mut found = Vec::new();
    for root in roots.into_iter().take(ROOTS) {
        let service = service_under(&root, &question.service.interface);
        let known = tree.children(&service);
        if !known.is_known() {
            swept = Listing::Unknown(not_seen(&service, &known, false));
            continue;
        }
        let (entries, listing) = read_entries(tree, &format!("{service}/providers"));
        if let Listing::Unknown(not_seen) = listing {
            swept = Listing::Unknown(not_seen);
        }
        if entries.is_empty() {
            continue;
        }
        let (consumers, _) = read_entries(tree, &format!("{service}/consumers"));
        let group = root.strip_prefix(&place.chroot).unwrap_or(&root);
        found.push(Elsewhere {
            addresses: registry.in_group(group.trim_start_matches('/')),
            code: Code::RegistryGroupDiffers,
            differs: vec!["group"],
            has_consumer: consumers
                .iter()
                .any(|entry| entry.is_of(&question.consumer)),
            moved_applications: moved(tree, place, &root, question, &entries),
            place: root,
            entries,
        });
    }
    (found, swept)
}

/// Applications of these providers that have other services under the other root and none here: they moved, or never
/// were here. Most companies have one service in several places; a whole application is a better sign.
fn moved(
    tree: Tree<'_>,
    place: &Place,
    root: &str,
    question: &Question,
    entries: &[Entry],
) -> Vec<String> {
    let interface = &question.service.interface;
    let there = applications_under(tree, root, interface);
    let here = applications_under(tree, &place.root, interface);
    let providers = entries.iter().filter_map(Entry::application);
    Applications::moved(providers, there.as_ref(), here.as_ref())
}

/// Applications that provide other interfaces under a root; `None` when that is not known completely.
pub(super) fn applications_under(
    tree: Tree<'_>,
    root: &str,
    interface: &str,
) -> Option<Applications> {
    let names = match tree.children(root) {
        Seen::Here(names, _) => names,
        Seen::Absent(_) => return Some(Applications::default()),
        _ => return None,
    };
    let mut applications = Applications::default();
    // All are read before one that is not known decides, so that all are asked for in one round.
    let mut all_known = true;
    let others = service_names(names).filter(|other| other != interface);
    for (number, other) in others.enumerate() {
        if number == LOOKED_THROUGH {
            applications.cut = true;
            break;
        }
        let (entries, listing) =
            read_entries(tree, &format!("{}/providers", service_under(root, &other)));
        all_known &= listing.is_known();
        let providers = entries.iter().filter_map(Entry::application);
        applications.names.extend(providers);
    }
    all_known.then_some(applications)
}
