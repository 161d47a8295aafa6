//! What lies behind metadata that nobody saw. They stand for anything from nothing to the service at every instance, so
//! nothing is said of it but this: a rule that asks for the provider's host alone, and leaves none of the instances, leaves
//! nothing whatever they export.

use std::collections::BTreeSet;

use super::{empty, key, known::Instance, listed};
use crate::question::ConsumerState;
use crate::view::{
    held::Entry,
    interface::{Case, View},
    stage::{NotSeen, Stage, StageId, State},
};

/// Puts the stages behind in the place of those that were left out, where they leave nothing of the instances of which
/// nobody knows what they export. A running consumer keeps older addresses than these, and one that has entries at
/// interface level may use those.
pub(super) fn show(case: &Case<'_>, repaired: &BTreeSet<StageId>, view: &mut View) {
    let entries = &case.held.entries;
    let alone = entries.is_empty() && case.held.listing.is_known();
    if view.bound.is_empty() || !alone || case.world.state == ConsumerState::Running {
        return;
    }
    let instances = case.held.application.instances.iter();
    let entries: Vec<Entry> = instances
        .filter(|instance| view.bound.contains(&instance.address))
        .map(|instance| key::as_asked(case, instance))
        .collect();
    let mut behind = empty(Vec::new());
    behind.left = listed(case, &entries, |case, kept| {
        case.behind(kept, repaired, &mut behind)
    });
    if !leaves_nothing(&behind, entries.len()) {
        return;
    }
    let Some(at) = view
        .stages
        .iter()
        .position(|stage| stage.id == StageId::Key)
    else {
        return;
    };
    for stage in &mut view.stages {
        for fact in &mut stage.not_seen {
            fact.required &= stage.id != StageId::Revision;
        }
    }
    view.stages.truncate(at);
    view.stages.push(Stage::plain(StageId::Key, State::Unknown));
    for stage in &mut behind.stages {
        // What their protocols and parameters are, nobody saw either.
        if matches!(stage.id, StageId::Protocol | StageId::Configurators) {
            stage.state = State::Unknown;
        }
    }
    view.stages.append(&mut behind.stages);
    view.routed = behind.routed;
    view.left.clear();
}

/// What is left was taken away, or some calls lost it, and there are instances besides of which it is not known whether
/// the consumer has the service from them: those may be left, unless the rule takes them for sure.
pub(super) fn weigh(
    case: &Case<'_>,
    repaired: &BTreeSet<StageId>,
    open: &[(&Instance, NotSeen)],
    view: &mut View,
) {
    let is_lost = view
        .failed()
        .map_or(view.routed.partly, |failed| failed.id > StageId::Key);
    if open.is_empty() || !is_lost {
        return;
    }
    let entries: Vec<Entry> = open
        .iter()
        .map(|(instance, _)| key::as_asked(case, instance))
        .collect();
    let mut behind = empty(Vec::new());
    behind.left = listed(case, &entries, |case, kept| {
        case.behind(kept, repaired, &mut behind)
    });
    if leaves_nothing(&behind, entries.len()) {
        return;
    }
    if let Some(stage) = view.stage_mut(&StageId::Revision) {
        stage.state = State::Unknown;
        for fact in &mut stage.not_seen {
            fact.required = true;
        }
    }
}

/// One condition takes all of them, by their hosts, from every call, and nothing before it took any.
fn leaves_nothing(behind: &View, total: usize) -> bool {
    let routed = &behind.routed;
    let Some(failed) = behind.failed() else {
        return false;
    };
    let is_rule = matches!(failed.id, StageId::Router(_))
        && failed.input == Some(total)
        && routed.undecided.is_empty()
        && !routed.partly
        && !routed.assumed
        && routed.lost.is_empty();
    let before = behind
        .stages
        .iter()
        .take_while(|stage| stage.id != failed.id);
    let is_seen = |stage: &Stage| {
        let required = stage.not_seen.iter().any(|fact| fact.required);
        stage.dropped.is_empty() && !(stage.state == State::Unknown && required)
    };
    let mut before = before.filter(|stage| stage.id != StageId::Connectivity);
    let place = |stage: &Stage| {
        let mut places = stage.dropped.iter().map(|one| (&one.rule, &one.position));
        let first = places.next();
        first.is_some() && places.all(|other| Some(other) == first)
    };
    let condition = failed.raises.first().and_then(|raised| {
        let text = raised.params.get("condition")?.as_str()?;
        Some(asks_hosts(text))
    });
    is_rule && before.all(is_seen) && place(failed) && condition == Some(true)
}

/// Whether the right side of a condition asks for nothing but the host.
fn asks_hosts(condition: &str) -> bool {
    let Some((_, right)) = condition.split_once("=>") else {
        return false;
    };
    let is_host = |clause: &str| {
        let name = clause.split(['=', '!']).next().unwrap_or_default().trim();
        name == "host" && clause.contains('=')
    };
    right.split('&').all(is_host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_are_known_of_an_instance() {
        for condition in [
            "=> host = 99.9.9.9",
            "method=get => host!=10.0.0.*",
            "=> host=a & host != b",
        ] {
            assert!(asks_hosts(condition), "{condition}");
        }
        for condition in [
            "=> region = hz",
            "=> host = a & port = 1",
            "=>",
            "host = a",
            "=> hosted = a",
            "=> host",
        ] {
            assert!(!asks_hosts(condition), "{condition}");
        }
    }
}
