//! Optional facts that were made required (`--require`): unseen, they keep a healthy answer from being one.

use std::collections::BTreeSet;

use super::{Diagnosis, Outcome};
use crate::{
    question::Question,
    report::words::Say,
    view::stage::{NotSeen, StageId, State},
};

/// What stands for a required fact in `not_seen`.
fn said(fact: &str) -> Option<Say> {
    Some(match fact {
        "qos" => Say::OwnViewLayer,
        "probe" => Say::ConnectivityLayer,
        "sweep" => Say::OtherPlaces,
        "caches" => Say::CacheFiles,
        "metrics" => Say::Metrics,
        _ => return None,
    })
}

/// Whether the fact was seen. Caches and metrics are not evaluated by this version.
fn is_seen(fact: &str, question: &Question, diagnosis: &Diagnosis) -> bool {
    let known = |wanted: &StageId| {
        diagnosis.stages.iter().any(|(_, _, stage)| {
            stage.id == *wanted && matches!(stage.state, State::Ok | State::Failed)
        })
    };
    match fact {
        "qos" => known(&StageId::ConsumerView),
        "probe" => known(&StageId::Connectivity),
        "sweep" => {
            question.sweep
                && !diagnosis
                    .not_seen
                    .iter()
                    .any(|missing| missing.what.say == Say::OtherPlaces)
        }
        _ => false,
    }
}

/// Makes the facts required.
pub(super) fn apply(question: &Question, diagnosis: &mut Diagnosis) {
    let mut not_seen = diagnosis.not_seen.clone();
    let lacking = demand(
        &question.require,
        |fact| is_seen(fact, question, diagnosis),
        &mut not_seen,
    );
    diagnosis.not_seen = not_seen;
    if lacking
        && (diagnosis.outcome == Outcome::Reachable
            || diagnosis.outcome == Outcome::Partly && diagnosis.verdict.is_none())
    {
        diagnosis.outcome = Outcome::Unknown;
    }
}

/// Makes the demanded facts that were not seen required. Whether there is one.
pub(super) fn demand(
    facts: &BTreeSet<String>,
    is_seen: impl Fn(&str) -> bool,
    not_seen: &mut Vec<NotSeen>,
) -> bool {
    let mut lacking = false;
    for fact in facts {
        let Some(say) = said(fact).filter(|_| !is_seen(fact)) else {
            continue;
        };
        lacking = true;
        let mut found = false;
        for missing in not_seen
            .iter_mut()
            .filter(|missing| missing.what.say == say)
        {
            missing.required = true;
            found = true;
        }
        if !found {
            not_seen.push(NotSeen {
                what: say.into(),
                why: Say::NotAsked.into(),
                how_to_see: None,
                required: true,
            });
        }
    }
    lacking
}
