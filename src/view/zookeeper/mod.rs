//! ZooKeeper as one consumer sees it: reads the recorded tree into [`Held`], and says which nodes it needs.

mod application;
mod entries;
pub(crate) mod place;
mod reach;
pub(crate) mod report;
mod rules;
mod sweep;
pub(crate) mod tree;

use std::collections::BTreeSet;

use self::{place::Place, tree::Tree};
use super::{
    config_center::Rules,
    held::{Entry, Held, Layer, LayerKind, Listing, Reach},
    missing::Missing,
    moved::Applications,
    rule_keys,
    stage::NotSeen,
};
use crate::{
    diagnose::code::Code,
    question::{Question, RegistryAddress},
    report::words::{Phrase, Say},
    snapshot::{Snapshot, SourceId},
};

/// What a registry holds: once, or once for each member when several members were asked.
pub fn held(
    snapshot: &Snapshot,
    question: &Question,
    registry: &RegistryAddress,
    source: &SourceId,
    missing: &Missing,
) -> Vec<Held> {
    let place = Place::of(registry, question.config_center.as_ref());
    let members = members(snapshot, source, &place, &question.service.interface);
    let whole = Tree {
        snapshot,
        source,
        via: None,
        missing,
    };
    if members.len() < 2 {
        let mut held = read(whole, &place, question, registry);
        if matches!(held.reach, Reach::Answered(_)) {
            held.silent = reach::silent(whole, registry, &[]);
        }
        return vec![held];
    }
    let mut held: Vec<Held> = members
        .iter()
        .map(|member| {
            let tree = Tree {
                snapshot,
                source,
                via: Some(member),
                missing,
            };
            read(tree, &place, question, registry)
        })
        .collect();
    // A client goes on to the next member where one lets it not in.
    if held
        .iter()
        .any(|held| matches!(held.reach, Reach::Answered(_)))
    {
        let (serving, out): (Vec<Held>, Vec<Held>) =
            held.into_iter().partition(|held| !is_out_of_order(held));
        held = serving;
        let silent = reach::silent(whole, registry, &out);
        for held in &mut held {
            held.silent.clone_from(&silent);
        }
    }
    held
}

/// A member that no client gets into, whatever the client.
fn is_out_of_order(held: &Held) -> bool {
    matches!(
        &held.reach,
        Reach::Failed(failure)
            if matches!(failure.raised.code, Code::RegistryDegraded | Code::RegistryUnreachable)
    )
}

/// Rules of a config centre that is given apart.
pub(crate) fn center(
    (snapshot, source): (&Snapshot, &SourceId),
    question: &Question,
    center: &RegistryAddress,
    providers: &[String],
    missing: &Missing,
) -> Rules {
    let tree = Tree {
        snapshot,
        source,
        via: None,
        missing,
    };
    let place = Place::of(center, Some(center));
    rules::rules(tree, &place, question, center, providers)
}

/// Applications that provide other interfaces at a registry's place; `None` when that is not known completely.
pub(crate) fn other_applications(
    snapshot: &Snapshot,
    question: &Question,
    registry: &RegistryAddress,
    source: &SourceId,
    missing: &Missing,
) -> Option<Applications> {
    let tree = Tree {
        snapshot,
        source,
        via: None,
        missing,
    };
    let place = Place::of(registry, question.config_center.as_ref());
    sweep::applications_under(tree, &place.root, &question.service.interface)
}

/// Members that answered for the providers of the interface by name.
fn members(
    snapshot: &Snapshot,
    source: &SourceId,
    place: &Place,
    interface: &str,
) -> BTreeSet<String> {
    [
        place.category(interface, "providers"),
        place.service(interface),
        place.root.clone(),
    ]
    .iter()
    .flat_map(|path| snapshot.members(source, &crate::snapshot::Key::zk_node(path.as_str())))
    .flatten()
    .map(str::to_owned)
    .collect()
}

fn read(tree: Tree<'_>, place: &Place, question: &Question, registry: &RegistryAddress) -> Held {
    let interface = &question.service.interface;
    let category = |name: &str| place.category(interface, name);
    let (all, listing) = entries::read_entries(tree, &category("providers"));
    // A word of the registry's client that somebody wrote into the registry is no provider.
    let (words, all): (Vec<Entry>, Vec<Entry>) = all.into_iter().partition(is_empty_url);
    let (entries, strangers): (Vec<Entry>, Vec<Entry>) = all.into_iter().partition(is_provider);
    let mut unreadable = entries::unreadable(tree, &category("providers"));
    unreadable.extend(words.iter().filter_map(Entry::encoded).map(str::to_owned));
    let (configurators, configurators_listing) =
        entries::read_entries(tree, &category("configurators"));
    let (routers, routers_listing) = entries::read_entries(tree, &category("routers"));
    let (consumers, _) = entries::read_entries(tree, &category("consumers"));
    let application = application::application(tree, place, question, registry);
    let providers = rule_keys::applications(&entries, &application);
    let Rules {
        mut layers,
        missing: rules_not_seen,
        store,
    } = rules::rules(tree, place, question, registry, &providers);
    layers.extend(
        strangers
            .iter()
            .map(|entry| layer(LayerKind::OverrideAmongProviders, entry)),
    );
    layers.extend(
        routers
            .iter()
            .filter(|entry| !is_empty_url(entry))
            .map(|entry| layer(LayerKind::RegistryRoute, entry)),
    );
    let routes_not_seen = match routers_listing {
        Listing::Unknown(not_seen) => Some(NotSeen {
            required: true,
            ..not_seen
        }),
        _ => None,
    };
    let (elsewhere, swept) = if question.sweep {
        sweep::elsewhere(tree, place, question, registry)
    } else {
        (Vec::new(), Listing::Unknown(no_sweep()))
    };
    Held {
        source: Some(tree.source.clone()),
        registry: registry.to_string(),
        via: tree.via.map(str::to_owned),
        reach: reach::reach(tree, place, interface, registry),
        silent: Vec::new(),
        place: place.root.clone(),
        listing,
        unreadable,
        entries,
        configurators,
        hidden: Vec::new(),
        no_such_place: None,
        configurators_listing,
        consumers,
        layers,
        rules_not_seen,
        lists_not_seen: Vec::new(),
        rules: store,
        routes: routers
            .into_iter()
            .filter(|entry| !is_empty_url(entry))
            .collect(),
        routes_not_seen,
        strangers,
        application,
        near: sweep::near(tree, place, interface),
        spelled: sweep::spelled(tree, place, question),
        elsewhere,
        swept,
        others_not_seen: Vec::new(),
        remarks: Vec::new(),
    }
}

/// The sweep was switched off.
fn no_sweep() -> NotSeen {
    NotSeen {
        what: Say::OtherPlaces.into(),
        why: Say::SweepOff.into(),
        how_to_see: None,
        required: false,
    }
}

/// An entry that is an address; rules among the providers are something else.
fn is_provider(entry: &Entry) -> bool {
    let protocol = entry.plain().and_then(|url| url.protocol);
    !matches!(
        protocol.as_deref(),
        Some("override" | "absent" | "route" | "condition" | "script")
    )
}

fn is_empty_url(entry: &Entry) -> bool {
    entry
        .plain()
        .is_some_and(|url| url.protocol.as_deref() == Some("empty"))
}

fn layer(kind: LayerKind, entry: &Entry) -> Layer {
    Layer {
        kind,
        name: entry
            .plain()
            .map_or_else(|| entry.address(), |url| url.to_string()),
        evidence: Some(crate::view::stage::Evidence {
            fact: Phrase::new(Say::RulePresent),
            ..entry.evidence.clone()
        }),
    }
}
