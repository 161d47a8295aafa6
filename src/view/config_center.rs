//! A config centre that is configured apart from the registry (`dubbo.config-center.address`), or none at all
//! (`use-as-config-center=false`): rules are then read there, or nowhere, whatever lies beside the registry's entries.

use super::{
    held::{Held, LayerKind},
    missing::Missing,
    nacos,
    rule_keys::{MIGRATION_GROUP, MIGRATION_GROUP_27, applications},
    rule_store::RuleStore,
    sources::source_of,
    stage::NotSeen,
    zookeeper,
};
use crate::{
    question::{Question, RegistryAddress, RegistryKind},
    report::words::{Phrase, Say},
    snapshot::Snapshot,
    view::held::Layer,
};

/// Rules of a config centre, and what was not seen of them.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// What is there.
    pub(crate) layers: Vec<Layer>,
    /// Rules that a consumer reads and nobody saw.
    pub(crate) missing: Vec<NotSeen>,
    /// The texts.
    pub(crate) store: RuleStore,
}

/// Puts the rules that the consumer reads in the place of those that the registry's server has.
pub(crate) fn replace(
    question: &Question,
    snapshot: &Snapshot,
    missing: &Missing,
    held: &mut [Held],
) {
    for held in held {
        match &question.config_center {
            Some(center) => {
                let source = source_of(snapshot, center);
                if source.is_some() && source == held.source {
                    continue;
                }
                let providers = applications(&held.entries, &held.application);
                let rules = match (source, center.kind) {
                    (Some(source), RegistryKind::Zookeeper) => zookeeper::center(
                        (snapshot, &source),
                        question,
                        center,
                        &providers,
                        missing,
                    ),
                    (Some(source), RegistryKind::Nacos) => {
                        nacos::center((snapshot, &source), question, center, &providers, missing)
                    }
                    _ => unread(center),
                };
                held.layers.retain(|layer| is_of_registry(layer.kind));
                held.layers.extend(rules.layers);
                held.rules_not_seen = rules.missing;
                held.rules = rules.store;
            }
            None if question.no_config_center => nowhere(held),
            None => {}
        }
    }
}

/// What does not lie in the config centre.
fn is_of_registry(kind: LayerKind) -> bool {
    !matches!(
        kind,
        LayerKind::RoutingRule
            | LayerKind::Configurator
            | LayerKind::Properties
            | LayerKind::Migration
    )
}

/// Nobody looked: every rule may be there.
fn unread(center: &RegistryAddress) -> Rules {
    let fact = NotSeen {
        what: Phrase::new(Say::ConfigCenter).with("address", center.to_string()),
        why: Say::NoRegistryRecorded.into(),
        how_to_see: Some(Say::HowAsk.into()),
        required: true,
    };
    let groups = [MIGRATION_GROUP, MIGRATION_GROUP_27];
    Rules {
        layers: Vec::new(),
        missing: vec![fact.clone()],
        store: RuleStore {
            migration_not_seen: groups.map(|group| (group.to_owned(), fact.clone())).into(),
            ..RuleStore::default()
        },
    }
}

/// The consumer has no config centre: what is stored is read by others.
fn nowhere(held: &mut Held) {
    held.layers.retain(|layer| is_of_registry(layer.kind));
    held.rules_not_seen.clear();
    let rules = &mut held.rules;
    for rule in rules.stored.iter_mut().chain(&mut rules.migration) {
        rule.read = false;
    }
    rules.not_seen.clear();
    rules.migration_not_seen.clear();
    rules.listed = true;
}
