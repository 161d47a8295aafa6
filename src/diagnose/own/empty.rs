//! The consumer's own list is empty, or it is connected to nothing of it.

use serde_json::json;

use super::{ARRIVES_WITHIN_MS, SAME_MOMENT_MS, doubt, is_older, shown};
use crate::{
    diagnose::{
        Outcome,
        after::Later,
        code::Code,
        outcome::{Judged, Limit},
        text::{Proof, settle},
    },
    report::words::Say,
    view::{
        held::Entry,
        interface::Case,
        own::OwnList,
        stage::{StageId, State},
    },
};

/// It has none.
pub(super) fn empty(case: &Case<'_>, list: &OwnList, judged: &mut Judged) {
    match judged.outcome {
        Outcome::Reachable | Outcome::Partly => stays_empty(case, list, judged),
        Outcome::None if matches!(judged.stage, Some(StageId::Router(_))) => {
            // Routers had nothing to remove.
            judged.limits.insert(Limit::Contradiction);
        }
        Outcome::Unknown => lost(list, judged),
        Outcome::None => {}
    }
}

/// It could have kept the list it had, and did not, or nothing of that list can be called any more: the stage that left
/// nothing is the cause after all.
fn lost(list: &OwnList, judged: &mut Judged) {
    let Some(raised) = judged.emptied.clone().filter(|_| judged.kept) else {
        return;
    };
    if !judged.blocked_by.is_empty() || is_older(list, Some(&raised)) {
        return;
    }
    judged
        .candidates
        .retain(|(other, _)| other.code != raised.code);
    judged.outcome = Outcome::None;
    judged.raised = Some(raised);
    judged.kept = false;
    if let Some(stage) = judged.stage.clone().filter(|id| *id > StageId::Place) {
        judged.then = Later::Behind(stage);
    }
}

/// It has addresses and is connected to none of them: what the registry lists, it cannot call.
pub(super) fn unconnected(case: &Case<'_>, list: &OwnList, judged: &mut Judged) {
    if judged.kept {
        return lost(list, judged);
    }
    let nothing_emptied = judged.stage.is_none();
    let settled = matches!(judged.outcome, Outcome::Reachable | Outcome::Partly);
    let doubted = judged
        .blocked_by
        .iter()
        .any(|fact| fact.why.say == Say::LogDisagrees);
    if doubted || !(settled || judged.outcome == Outcome::Unknown && nothing_emptied) {
        return;
    }
    let connecting = &judged.view.connecting;
    let has_all = if list.addresses.is_empty() {
        list.count() >= u64::try_from(connecting.len()).ok()
    } else {
        connecting
            .iter()
            .all(|address| list.addresses.contains(address))
    };
    let first = list.addresses.first().or(connecting.first());
    let (true, Some(address)) = (has_all, first.cloned()) else {
        return doubt(judged, Say::OwnListDisagrees);
    };
    if is_young(case, list, judged) {
        return doubt(judged, Say::OwnListOlder);
    }
    let mut evidence = shown(list);
    let of_registry = case
        .held
        .entries
        .iter()
        .filter(|entry| entry.address() == address);
    evidence.extend(of_registry.take(1).map(Entry::named_evidence));
    let raised = crate::diagnose::remarks::raised(
        Code::AddressUnreachable,
        json!({"address": address, "reason": "not connected", "count": list.count(), "from": "qos"}),
        ("address", &address),
        evidence,
    );
    settle(judged, StageId::Connectivity, &Proof { raised, own: true });
    // That it has no connection does not say why.
    judged.limits.insert(Limit::Rule);
}

/// The entries that the stages leave.
fn left<'a>(case: &Case<'a>, judged: &Judged) -> Vec<&'a Entry> {
    case.held
        .entries
        .iter()
        .filter(|entry| judged.view.left.contains(&entry.address()))
        .collect()
}

/// All that is left came so late that it may not have arrived when the list was seen; where nothing says when it came, it
/// was seen later than the list.
fn is_young(case: &Case<'_>, list: &OwnList, judged: &Judged) -> bool {
    let seen = list.seen_at().map(jiff::Timestamp::as_millisecond);
    let left = left(case, judged);
    !left.is_empty()
        && left.iter().all(|entry| {
            let since = entry.changed_ms.map(|at| at + ARRIVES_WITHIN_MS);
            let read = || {
                let at: jiff::Timestamp = entry.named_evidence().seen_at?.parse().ok()?;
                Some(at.as_millisecond() - SAME_MOMENT_MS)
            };
            matches!((seen, since.or_else(read)), (Some(seen), Some(since)) if seen < since)
        })
}

/// The registry has providers for it and its own list is empty.
fn stays_empty(case: &Case<'_>, list: &OwnList, judged: &mut Judged) {
    let left = left(case, judged);
    let evidence = || {
        let entries = left.iter().take(2).map(|entry| entry.named_evidence());
        shown(list).into_iter().chain(entries).collect::<Vec<_>>()
    };
    let raised = |code, params: serde_json::Value| {
        crate::diagnose::remarks::raised(code, params, ("consumer", "list"), evidence())
    };
    if is_young(case, list, judged) {
        let candidate = raised(
            Code::ConsumerViewDiffers,
            json!({"missing": left.len(), "own": 0}),
        );
        doubt(judged, Say::OwnListOlder);
        judged.candidates.push((candidate, Say::OwnListOlder));
        return;
    }
    judged.outcome = Outcome::None;
    judged.raised = Some(raised(
        Code::ConsumerListStale,
        json!({"own": "0", "registry": judged.view.left.len()}),
    ));
    judged.stage = Some(StageId::ConsumerView);
    judged.limits.insert(Limit::Rule);
    judged.then.clear();
    judged.contributors.clear();
    let verdict = judged.raised.clone();
    if let Some(stage) = judged.view.stage_mut(&StageId::ConsumerView) {
        stage.state = State::Failed;
        stage.raises = verdict.into_iter().collect();
    }
}
