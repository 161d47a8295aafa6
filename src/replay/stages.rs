//! The stages of the answer: up to the routers as computed, then one for each router, and what they took away.

use std::collections::BTreeMap;

use super::judge::Trial;
use super::waterfall::{Cause, Fall, place, waterfall_to_nothing};
use crate::diagnose::code::Code;
use crate::report::words::{Phrase, Say};
use crate::snapshot::SourceId;
use crate::view::stage::{Dropped, Model, Stage, StageId, State};

/// The stages: up to the routers as computed, then those of the calls that lose most (`lost`, their class), or of most
/// calls.
pub(super) fn stages(trial: &Trial<'_>, lost: Option<usize>) -> Vec<(SourceId, Model, Stage)> {
    let mut stages: Vec<Stage> = trial
        .view
        .stages
        .iter()
        .filter(|stage| stage.id < StageId::Connectivity)
        // Files are no registry: there is no place in it to look at.
        .filter(|stage| {
            trial.subject.registry.is_some()
                || stage.state != State::Ok
                || !matches!(
                    stage.id,
                    StageId::Reach | StageId::Place | StageId::NameForm | StageId::Decision
                )
        })
        .cloned()
        .collect();
    let failed = stages.iter().any(|stage| stage.state == State::Failed);
    let classes = &trial.folded.classes[0];
    let shown = lost.or_else(|| {
        (0..classes.len()).max_by_key(|at| (classes[*at].requests, std::cmp::Reverse(*at)))
    });
    if let (false, Some(class)) = (failed, shown.and_then(|at| classes.get(at))) {
        stages.extend(
            waterfall_to_nothing(&class.ran, trial.zones())
                .into_iter()
                .map(router_stage),
        );
    }
    stages
        .into_iter()
        .map(|stage| (trial.source.clone(), trial.base().model, stage))
        .collect()
}

fn router_stage(fall: Fall) -> Stage {
    let name = fall.id.strip_prefix("X.").unwrap_or(&fall.id).to_owned();
    let state = match (fall.output, fall.bounded) {
        (_, true) => State::Unknown,
        (0, false) => State::Failed,
        _ => State::Ok,
    };
    Stage {
        input: Some(fall.input),
        output: Some(fall.output),
        because: match fall.thrown {
            Some(thrown) => Some(Phrase::new(Say::ReplayThrown).with("error", thrown)),
            None if !fall.has_rule && fall.gone.is_empty() => Some(Say::NoRule.into()),
            None => None,
        },
        dropped: fall
            .gone
            .into_iter()
            .map(|taken| Dropped {
                address: taken.address,
                code: taken.code,
                rule: taken.rule,
                position: place(taken.position),
            })
            .collect(),
        ..Stage::plain(StageId::Router(name), state)
    }
}

/// What was taken away before the router that leaves nothing.
pub(super) fn contributors(trial: &Trial<'_>, first: &Cause, class: usize) -> Vec<(Code, usize)> {
    let mut counts: BTreeMap<Code, usize> = BTreeMap::new();
    for fall in waterfall_to_nothing(&trial.folded.classes[0][class].ran, trial.zones()) {
        if fall.id == first.stage {
            break;
        }
        for taken in &fall.gone {
            *counts.entry(taken.code).or_default() += 1;
        }
    }
    counts.into_iter().collect()
}
