//! Both models side by side, as a report shows them: how many addresses each has, how far it comes, which one is used.

use serde_json::json;

use crate::{
    diagnose::{
        Certainty, Outcome, code::Code, decide::Computed, outcome::Judged, remarks::raised,
    },
    report::words::{Phrase, Say},
    rule::migration::Step,
    view::{
        held::{Entry, Held},
        migration::Origin,
        stage::{Evidence, Model, Raised, Stage, StageId, State},
    },
};

/// How many entries are shown that the list in use lacks.
const SHOWN: usize = 3;

/// Both models of one registry (or one member of it).
#[derive(Debug, Clone, PartialEq)]
pub struct Models {
    /// The interface model.
    pub interface: Side,
    /// The application model; for a consumer whose line does not know it, as the newest line sees it.
    pub application: Side,
    /// Which one the consumer uses; `None` when that depends on what nobody saw.
    pub uses: Option<Model>,
    /// The step of the migration; `None` when it could be more than one.
    pub step: Option<Step>,
    /// Where the step comes from.
    pub origin: Origin,
    /// The same as a sentence.
    pub by: Phrase,
    /// Why the step leads to that model.
    pub why: Phrase,
    /// Migration rules that cannot be read or have no effect.
    pub(crate) broken: Vec<Raised>,
}

/// One model.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// Entries or instances of the service's applications that are registered; `None` = not seen.
    pub registered: Option<usize>,
    /// Those whose group, version and interface are asked for; `None` = not seen.
    pub matching: Option<usize>,
    /// Addresses that are left in the end; `None` = not seen.
    pub left: Option<usize>,
    /// What became of it: failed = nothing is left.
    pub state: State,
    /// The stage that leaves nothing, or of which something was not seen.
    pub stage: Option<StageId>,
    /// The code of that stage.
    pub code: Option<Code>,
}

impl Models {
    /// The step as it is written.
    pub fn step_word(&self) -> Option<&'static str> {
        self.step.map(Step::as_str)
    }
}

impl Side {
    pub(super) fn of(judged: &Judged) -> Self {
        let view = &judged.view;
        let output = |id: &StageId| view.stage(id).and_then(|stage| stage.output);
        let before_routing = |stage: &&Stage| stage.id < StageId::Serialization;
        let failed = view.failed().filter(before_routing);
        let open = view.stages.iter().find(|stage| {
            let required = stage.not_seen.iter().any(|fact| fact.required);
            stage.id < StageId::Serialization && stage.state == State::Unknown && required
        });
        // What came first decides: behind a stage that was not seen nothing is known.
        let first = match (failed, open) {
            (Some(failed), Some(open)) if open.id < failed.id => Some(open),
            (Some(failed), _) => Some(failed),
            (None, open) => open,
        };
        let state = first.map_or(State::Ok, |stage| stage.state);
        let reached = |id: &StageId| first.is_none_or(|stage| stage.id >= *id);
        let registered = match view.model {
            Model::Interface => view
                .stage(&StageId::Key)
                .and_then(|stage| stage.input.or(stage.output)),
            Model::Application => match first {
                Some(end) if end.id == StageId::Mapping && end.state == State::Failed => Some(0),
                _ => view
                    .stage(&StageId::Instances)
                    .and_then(|stage| stage.input),
            },
        };
        let none_left = |id: &StageId| {
            let emptied = first.filter(|stage| stage.state == State::Failed)?;
            (emptied.id <= *id).then_some(0)
        };
        let matching = none_left(&StageId::Key)
            .or_else(|| output(&StageId::Key).filter(|_| reached(&StageId::Key)));
        let unread = first.is_some_and(|stage| stage.id == StageId::Reach);
        let matching = matching.filter(|_| !unread);
        let left = match state {
            // What a registry that does not answer has, nobody saw.
            State::Failed if unread => None,
            State::Failed => Some(0),
            State::Ok => Some(view.left.len()),
            State::Skipped | State::Unknown => None,
        };
        Self {
            registered,
            matching,
            left,
            state,
            stage: first.map(|stage| stage.id.clone()),
            code: first
                .and_then(|stage| stage.raises.first())
                .filter(|_| state == State::Failed)
                .map(|raised| raised.code),
        }
    }
}

/// Findings about the choice: a list by application that is shorter than the one by interface and wins (DG4009), migration
/// rules that do not do what they say (DG4010).
pub(in crate::diagnose) fn remarks(computed: &Computed<'_>) -> Vec<(Raised, Certainty, bool)> {
    let reachable = computed.outcome == Outcome::Reachable;
    let helds = computed
        .registries
        .iter()
        .flat_map(|registry| &registry.held);
    let mut found = Vec::new();
    for (held, (.., judged)) in helds.zip(&computed.states[0].parts) {
        let Some(models) = &judged.models else {
            continue;
        };
        let broken = models.broken.iter().cloned();
        found.extend(broken.map(|raised| (raised, Certainty::Certain, reachable)));
        found.extend(partial(held, models).map(|raised| (raised, Certainty::Certain, reachable)));
    }
    found
}

/// DG4009 from the registry's own two lists.
fn partial(held: &Held, models: &Models) -> Option<Raised> {
    let first = models.uses == Some(Model::Application)
        && models.step == Some(Step::ApplicationFirst)
        && models.application.state == State::Ok;
    let (application, interface) = (models.application.left?, models.interface.left?);
    (first && application > 0 && application < interface).then(|| {
        let evidence: Vec<Evidence> = held
            .application
            .instances
            .iter()
            .take(SHOWN)
            .map(|instance| Evidence {
                fact: Phrase::new(Say::InstanceOffers)
                    .with("address", &*instance.address)
                    .with("application", &*instance.application),
                ..instance.evidence.clone()
            })
            .chain(held.entries.iter().take(SHOWN).map(Entry::named_evidence))
            .collect();
        raised(
            Code::PartialApplicationList,
            json!({"application": application, "interface": interface}),
            ("consumer", "list"),
            evidence,
        )
    })
}
