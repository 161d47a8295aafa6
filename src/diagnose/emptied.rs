//! What a stage that leaves nothing means for this consumer: what keeps the code from being certain, and what a running one
//! keeps all the same.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Outcome,
    code::Code,
    outcome::{Judged, Limit, before},
};
use crate::{
    question::ConsumerState,
    report::words::{Phrase, Say},
    view::{
        application::may_be_held,
        held::{Layer, LayerKind, Reach, Standing},
        interface::{Case, View, with_requests},
        stage::{Model, NotSeen, Stage, StageId},
    },
};

/// A registry that cannot be read is empty for a consumer that starts; a running one lives on what it has.
pub(super) fn reach_failed(case: &Case<'_>, judged: &mut Judged) {
    let Reach::Failed(failure) = &case.held.reach else {
        return;
    };
    match failure.standing {
        Standing::Consumers => {}
        Standing::Same => {
            judged.limits.insert(Limit::Standing);
        }
        Standing::Elsewhere => return undecided(judged, Say::SeenFromElsewhere),
    }
    // Who lost the connection had it before. Who is refused was never let in, unless it is known to run: rights and
    // passwords change under a running consumer, and its own log tells of its own refusal.
    let was_in = failure.raised.code != Code::RegistryAuthRefused
        || case.question.consumer.state == Some(ConsumerState::Running);
    if case.world.state == ConsumerState::Running && was_in {
        undecided(judged, Say::RunningLivesOn);
    }
}

/// Everything is disabled: by the providers themselves, or by a rule that a running consumer survives.
pub(super) fn configured_away(case: &Case<'_>, judged: &mut Judged) {
    let says = |name: &str| {
        let raised = judged.raised.as_ref();
        raised.is_some_and(|raised| raised.params.get(name) == Some(&Value::Bool(true)))
    };
    if judged.code() == Some(Code::ConsumerMisaddressed) {
        // It never had a list to keep.
        return;
    }
    let (own, by_center) = (says("own"), says("center"));
    if case.world.state == ConsumerState::Starting {
        // On 3.x it may arrive after the first list, which is then kept.
        if by_center && case.dubbo().line().is_3x() {
            if routed_anyhow(case) {
                judged.limits.insert(Limit::Rule);
                return;
            }
            undecided(judged, Say::ConfiguratorLate);
            judged.blocked_by.push(NotSeen {
                what: Say::ConfiguratorOrder.into(),
                why: Say::NotAsked.into(),
                how_to_see: Some(Say::HowQos.into()),
                required: true,
            });
        }
        return;
    }
    if own {
        // The entry was registered anew as disabled; for a moment the list was empty.
        judged.limits.insert(Limit::Rule);
        if case.protects_empty() {
            judged.kept = true;
            undecided(judged, Say::KeptListUnknown);
        }
        return;
    }
    let since = case
        .question
        .consumer
        .since
        .map(jiff::Timestamp::as_millisecond);
    let rule = case
        .held
        .configurators
        .iter()
        .filter_map(|entry| entry.changed_ms)
        .chain(
            case.held
                .rules
                .stored
                .iter()
                .filter(|stored| stored.read && stored.kind == LayerKind::Configurator)
                .filter_map(|stored| stored.changed_ms),
        )
        .max();
    match (since, rule) {
        // It started after the rule was there.
        (Some(since), Some(rule)) if since >= rule => {}
        _ => {
            judged.outcome = Outcome::Reachable;
            judged.kept = true;
            judged.emptied = judged.raised.take();
        }
    }
}

/// Whether the routers would leave nothing of what the configurators switch off, for every call and whatever is not known.
fn routed_anyhow(case: &Case<'_>) -> bool {
    let view = case.repaired(&BTreeSet::from([StageId::Configurators]));
    let failed = view.failed();
    failed.is_some_and(|stage| {
        matches!(stage.id, StageId::Router(_)) && before(&view, &stage.id).is_empty()
    }) && !view.routed.partly
        && view.routed.undecided.is_empty()
}

/// The routers leave nothing: for all calls, or for some; or it depends on what is not known of the consumer.
pub(super) fn routed_away(judged: &mut Judged) {
    let routed = judged.view.routed.clone();
    if !routed.undecided.is_empty() {
        judged.blocked_by.extend(routed.undecided);
        undecided(judged, Say::DependsOnConsumer);
        in_other_worlds(judged);
        return;
    }
    if routed.assumed {
        judged.limits.insert(Limit::Consumer);
    }
    if routed.nearest_patch {
        judged.limits.insert(Limit::Rule);
    }
    if routed.partly {
        judged.outcome = Outcome::Partly;
    }
    if let Some(raised) = judged.raised.as_mut().filter(|_| !routed.lost.is_empty()) {
        with_requests(raised, routed.lost);
    }
}

/// What the routers would do in a world that could be.
pub(super) fn in_other_worlds(judged: &mut Judged) {
    let raised = judged.view.routed.possible.clone();
    judged.candidates.extend(
        raised
            .into_iter()
            .map(|raised| (raised, Say::DependsOnConsumer)),
    );
}

/// Some addresses were left out for a protocol whose libraries the consumer's process may have: when it has them, the
/// routers get more, and may come to something else.
pub(super) fn with_libraries(case: &Case<'_>, judged: &mut Judged) {
    if judged.view.libraries.is_empty() || judged.outcome == Outcome::Unknown {
        return;
    }
    let came_to = |view: &View| {
        let failed = view.failed();
        let code = failed.and_then(|stage| Some(stage.raises.first()?.code));
        (failed.is_some(), code, view.routed.partly)
    };
    let other = case.repaired(&BTreeSet::from([StageId::Protocol]));
    if came_to(&other) == came_to(&judged.view) {
        return;
    }
    let names = judged.view.libraries.iter().cloned().collect::<Vec<_>>();
    let fact = NotSeen {
        what: Phrase::new(Say::ProtocolLibrary).with("name", names.join(", ")),
        why: Say::NotAsked.into(),
        how_to_see: Some(Say::HowQos.into()),
        required: true,
    };
    let raised = other.failed().and_then(|stage| stage.raises.first());
    let raised = raised.cloned();
    undecided(judged, Say::DependsOnConsumer);
    judged
        .candidates
        .extend(raised.map(|raised| (raised, Say::DependsOnConsumer)));
    judged.blocked_by.push(fact);
}

/// What holds only for the application model.
pub(super) fn by_application(case: &Case<'_>, judged: &mut Judged) {
    if judged.view.model != Model::Application {
        return;
    }
    if judged.code() == Some(Code::MetadataServiceUnreachable) {
        called_in_vain(case, judged);
    }
    if judged.code() == Some(Code::MetadataRefused) {
        // It refused a call of ours: the consumer's has more to it.
        judged.limits.insert(Limit::Rule);
    }
    // The one that reads it when it starts finds none; who runs may have it from a time when it was there, which nobody
    // but a person takes away.
    let mapped_before = matches!(
        judged.code(),
        Some(Code::MappingMissing | Code::MappingElsewhere)
    );
    if mapped_before && case.world.state == ConsumerState::Running {
        judged.limits.insert(Limit::Rule);
    }
    let weak = judged
        .raised
        .as_ref()
        .is_some_and(|raised| raised.params.get("sign") == Some(&Value::from("instance")));
    if weak {
        judged.limits.insert(Limit::Rule);
    }
    let is_key = judged.stage == Some(StageId::Key);
    let other_group = judged.code() == Some(Code::RegistryGroupDiffers);
    if is_key && judged.view.partial || other_group {
        judged.limits.insert(Limit::Rule);
    }
    let nobody = judged.code() == Some(Code::NotRegistered);
    let unread = case.held.application.places.is_empty() && !case.question.sweep;
    if nobody && unread && case.held.application.elsewhere && case.held.elsewhere.is_empty() {
        judged.blocked_by.push(
            Layer {
                kind: LayerKind::ApplicationModel,
                name: "mapping at another place".to_owned(),
                evidence: None,
            }
            .not_seen(),
        );
        undecided(judged, Say::AlsoFoundElsewhere);
    }
}

/// A call of the metadata service that was not answered: from the consumer's host it is the consumer's own; from
/// elsewhere a refusal is the same for anybody, and that nothing answers is not.
fn called_in_vain(case: &Case<'_>, judged: &mut Judged) {
    let text = |name: &str| {
        let raised = judged.raised.as_ref()?;
        Some(raised.params.get(name)?.as_str()?.to_owned())
    };
    let reason = text("reason").unwrap_or_default();
    if text("from").is_some() && text("from") == case.question.consumer.ip {
        // A slow answer, or a connection that was ended, may be due to our own call; and a running consumer does not ask
        // again for a revision that it knows.
        let running = case.world.state == ConsumerState::Running;
        if running || matches!(reason.as_str(), "timeout" | "reset") {
            judged.limits.insert(Limit::Rule);
        }
        return;
    }
    judged.limits.insert(Limit::Standing);
    if matches!(reason.as_str(), "timeout" | "unknown-host") {
        undecided(judged, Say::SeenFromElsewhere);
    }
}

/// Whether a running consumer keeps what it has because the metadata of every revision fail: 3.x passes nothing on and tries
/// again (`ServiceInstancesChangedListener.doOnEvent`), and any line knows the revisions that it read before. A revision
/// that exports nothing is no failure.
pub(super) fn keeps_unread(case: &Case<'_>, failed: &Stage) -> bool {
    let fails = |code| {
        matches!(
            code,
            Code::MetadataMissing | Code::MetadataRefused | Code::MetadataServiceUnreachable
        )
    };
    let is_3x = case.dubbo().line().is_3x();
    let mut raises = failed.raises.iter();
    case.world.state == ConsumerState::Running
        && failed.id == StageId::Revision
        && raises
            .any(|raised| is_3x && fails(raised.code) || may_be_held(raised.code, &raised.evidence))
}

/// The verdict becomes a candidate.
pub(super) fn undecided(judged: &mut Judged, why: Say) {
    judged.outcome = Outcome::Unknown;
    if let Some(raised) = judged.raised.take() {
        judged.emptied = Some(raised.clone());
        judged.candidates.push((raised, why));
    }
    judged.then.clear();
}
