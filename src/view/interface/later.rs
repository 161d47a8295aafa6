//! What follows the key: choice of model, protocol, configurators, connectivity, routers, serialization, own view.

use std::collections::BTreeSet;

use super::{Case, Kept, View, addresses_of, invokers, routing};
use crate::{
    model::{probe, version::Line},
    report::words::{Phrase, Say},
    view::{
        held::{Layer, LayerKind},
        stage::{NotSeen, Stage, StageId, State},
    },
};

/// Computes the stages behind the entries and returns what is left.
pub(super) fn stages<'a>(
    case: &Case<'a>,
    kept: Vec<Kept<'a>>,
    repaired: &BTreeSet<StageId>,
    view: &mut View,
) -> Vec<Kept<'a>> {
    // Which model is used is decided by whoever has the views of both.
    view.stages.push(Stage::plain(StageId::Decision, State::Ok));
    behind(case, kept, repaired, view)
}

/// The stages behind the choice of the model, for addresses of either.
pub(super) fn behind<'a>(
    case: &Case<'a>,
    kept: Vec<Kept<'a>>,
    repaired: &BTreeSet<StageId>,
    view: &mut View,
) -> Vec<Kept<'a>> {
    let mut kept = invokers::stages(case, kept, repaired, view);
    let reached = !kept.is_empty();
    let early = case.dubbo().at_least([3, 0, 5]);
    offered(view, &kept);
    if early {
        view.connecting.clone_from(&view.offered);
        let stage = connectivity(reached, view.connecting.first());
        view.stages.push(stage);
    }
    let groups = groups(case, &kept);
    let replayed = if reached && groups.is_none() && routing::is_modelled(case) {
        routing::stages(case, kept.clone(), repaired, view)
    } else {
        None
    };
    if let Some(left) = replayed {
        kept = left;
    } else if groups == Some(1) && case.dubbo().at_least([2, 7]) {
        view.stages.push(Stage {
            input: Some(kept.len()),
            output: Some(kept.len()),
            because: Some(Say::GroupsNotRouted.into()),
            ..Stage::plain(StageId::Router("rules".to_owned()), State::Ok)
        });
    } else {
        let stage = routers(case, &kept);
        if stage.state == State::Unknown && !routing::is_modelled(case) {
            view.routed.remarks.push(routing::not_modelled(case));
        }
        if !reads_config_center(case) {
            view.routed.remarks.extend(routing::without_center(case));
        }
        view.stages.push(stage);
    }
    let reached = !kept.is_empty();
    if !early {
        view.connecting = addresses_of(&kept);
        let stage = connectivity(reached, view.connecting.first());
        view.stages.push(stage);
    }
    view.stages.push(if reached {
        Stage::unknown(
            StageId::Serialization,
            vec![optional(Say::SerializationLayer)],
        )
    } else {
        Stage::skipped(StageId::Serialization)
    });
    view.stages.push(consumer_view(case));
    kept
}

/// The addresses that are left before the routers, and how a server at each can be asked whether it is there.
fn offered(view: &mut View, kept: &[Kept<'_>]) {
    view.offered = addresses_of(kept);
    view.kinds = kept
        .iter()
        .zip(&view.offered)
        .filter(|(kept, _)| kept.url.text("ssl-enabled") != Some("true"))
        .filter_map(|(kept, address)| {
            Some((
                address.clone(),
                probe::kind_of(kept.url.protocol.as_deref())?,
            ))
        })
        .collect();
}

/// C: what the registry tells. Whether anybody answers there only attempts do (`diagnose::probed`).
pub(super) fn connectivity(reached: bool, address: Option<&String>) -> Stage {
    if !reached {
        return Stage::skipped(StageId::Connectivity);
    }
    let missing = vec![NotSeen {
        how_to_see: Some(Phrase::how_to_probe(address.map(String::as_str))),
        ..optional(Say::ConnectivityLayer)
    }];
    Stage {
        because: Some(Say::NotProbed.into()),
        ..Stage::unknown(StageId::Connectivity, missing)
    }
}

/// How many groups the addresses have, for a reference to several groups (`*` or a list). Such a reference is not routed:
/// the addresses of one group are taken as they are, those of several are routed group by group with another URL
/// (`DynamicDirectory.doList`, `toMergeInvokerList`).
fn groups(case: &Case<'_>, kept: &[Kept<'_>]) -> Option<usize> {
    let asked = case.question.service.group.as_deref()?;
    if asked != "*" && !asked.contains(',') {
        return None;
    }
    let groups: BTreeSet<Option<&str>> = kept.iter().map(|kept| kept.url.group()).collect();
    Some(groups.len())
}

/// X where the routers of the version are not modelled, or several groups are asked for: without any rule there is nothing to replay.
fn routers(case: &Case<'_>, kept: &[Kept<'_>]) -> Stage {
    let id = StageId::Router("rules".to_owned());
    if kept.is_empty() {
        return Stage::skipped(id);
    }
    let mut layers = of_kinds(
        &config_layers(case),
        &[LayerKind::RoutingRule, LayerKind::RegistryRoute],
    );
    layers.extend(parameters(case, kept));
    let mut missing: Vec<NotSeen> = layers.iter().map(Layer::not_seen).collect();
    if reads_config_center(case) {
        missing.extend(case.held.rules_not_seen.iter().cloned());
    }
    missing.extend(case.routes_not_seen().cloned());
    if missing.is_empty() {
        Stage {
            input: Some(kept.len()),
            output: Some(kept.len()),
            because: Some(Say::NoRule.into()),
            ..Stage::plain(id, State::Ok)
        }
    } else {
        Stage {
            input: Some(kept.len()),
            ..Stage::unknown(id, missing)
        }
    }
}

/// Tags and `router=` of either side.
fn parameters(case: &Case<'_>, kept: &[Kept<'_>]) -> Vec<Layer> {
    let layer = |kind, name: String| Layer {
        kind,
        name,
        evidence: None,
    };
    let mut layers = Vec::new();
    for kept in kept {
        for name in ["dubbo.tag", "tag"] {
            if let Some(tag) = kept.url.text(name) {
                layers.push(layer(LayerKind::Tag, format!("{name}={tag}")));
            }
        }
        if let Some(router) = kept.url.text("router") {
            layers.push(layer(
                LayerKind::RouterParameter,
                format!("router={router}"),
            ));
        }
    }
    let consumer = &case.question.consumer.params;
    let attachments = &case.question.invocation.attachments;
    for name in [
        "dubbo.tag",
        "tag",
        "dubbo.force.tag",
        "request.tag",
        "request.tag.force",
    ] {
        if let Some(tag) = attachments.get(name).or_else(|| consumer.get(name)) {
            layers.push(layer(LayerKind::Tag, format!("{name}={tag}")));
        }
    }
    if let Some(router) = consumer.get("router") {
        layers.push(layer(
            LayerKind::RouterParameter,
            format!("router={router}"),
        ));
    }
    layers.sort_by(|a, b| a.name.cmp(&b.name));
    layers.dedup_by(|a, b| a.name == b.name);
    layers
}

/// W: the consumer's own list.
fn consumer_view(case: &Case<'_>) -> Stage {
    let mut missing: Vec<NotSeen> = of_kinds(
        &case.held.layers,
        &[LayerKind::Qos, LayerKind::Cache, LayerKind::Log],
    )
    .iter()
    .map(Layer::not_seen)
    .collect();
    missing.push(NotSeen {
        how_to_see: Some(Say::HowQos.into()),
        ..optional(Say::OwnViewLayer)
    });
    Stage::unknown(StageId::ConsumerView, missing)
}

/// 2.5 and 2.6 have no config centre: what stands there does not concern them.
fn reads_config_center(case: &Case<'_>) -> bool {
    case.dubbo().line() >= Line::V2_7
}

pub(super) fn config_layers(case: &Case<'_>) -> Vec<Layer> {
    case.held
        .layers
        .iter()
        .filter(|layer| {
            reads_config_center(case)
                || !matches!(
                    layer.kind,
                    LayerKind::RoutingRule | LayerKind::Configurator | LayerKind::Properties
                )
        })
        .cloned()
        .collect()
}

pub(super) fn of_kinds(layers: &[Layer], kinds: &[LayerKind]) -> Vec<Layer> {
    layers
        .iter()
        .filter(|layer| kinds.contains(&layer.kind))
        .cloned()
        .collect()
}

/// A fact that would be good to have, and is not needed.
fn optional(what: Say) -> NotSeen {
    NotSeen {
        what: what.into(),
        why: Say::NotAsked.into(),
        how_to_see: None,
        required: false,
    }
}
