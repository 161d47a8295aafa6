//! One world: from the stages of a registry to outcome and code.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Outcome,
    after::Later,
    code::{Code, Family},
    emptied::{
        by_application, configured_away, in_other_worlds, keeps_unread, reach_failed, routed_away,
        undecided, with_libraries,
    },
    gather::Registry,
    models::{Models, judge_models},
    place,
    text::Said,
};
use crate::{
    question::{Client, ConsumerState, Question, World},
    report::words::{Phrase, Say},
    view::{
        held::Held,
        interface::{Case, View},
        migration::Seen,
        stage::{NotSeen, Raised, Stage, StageId, State},
    },
};

/// Why a verdict is less than certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Limit {
    /// The Dubbo version is assumed and lines differ in code.
    Version,
    /// The state of the consumer is not known and the states differ in code.
    State,
    /// A network failure was not seen from the consumer's side.
    Standing,
    /// Not every other place was looked into, or something was found there.
    Sweep,
    /// The text that names the registry does not say where in it the consumer looks.
    Place,
    /// A text says so, without the registry or of unknown origin.
    TextOnly,
    /// The rule for this code allows no more.
    Rule,
    /// Something that the rules ask of the consumer is assumed.
    Consumer,
    /// A client of which only a part is known.
    Client,
    /// Something seen does not fit.
    Contradiction,
}

/// What one world gives.
#[derive(Debug, Clone)]
pub(crate) struct Judged {
    /// Outcome.
    pub(crate) outcome: Outcome,
    /// The cause, when the outcome is `none`.
    pub(crate) raised: Option<Raised>,
    /// The stage that leaves nothing.
    pub(crate) stage: Option<StageId>,
    /// The code of the stage that leaves nothing, also where a running consumer may keep the list it had before.
    pub(crate) emptied: Option<Raised>,
    /// What keeps the verdict from being certain.
    pub(crate) limits: BTreeSet<Limit>,
    /// Where to look for what would still be in the way; looked at for the answer that is shown alone.
    pub(crate) then: Later,
    /// Earlier partial drops.
    pub(crate) contributors: Vec<(Code, usize)>,
    /// What could not be decided.
    pub(crate) candidates: Vec<(Raised, Say)>,
    /// What blocks a decision.
    pub(crate) blocked_by: Vec<NotSeen>,
    /// The stages.
    pub(crate) view: View,
    /// Both models side by side; `None` for one that was judged alone.
    pub(crate) models: Option<Models>,
    /// The registry and its member whose stages these are, in the order of the question.
    pub(crate) part: (usize, usize),
    /// The empty list is not what a running consumer uses: it keeps the one before.
    pub(crate) kept: bool,
}

impl Judged {
    fn new(outcome: Outcome, view: View) -> Self {
        Self {
            outcome,
            raised: None,
            stage: None,
            emptied: None,
            limits: BTreeSet::new(),
            then: Later::Nothing,
            contributors: Vec::new(),
            candidates: Vec::new(),
            blocked_by: Vec::new(),
            view,
            models: None,
            part: (0, 0),
            kept: false,
        }
    }

    /// The registry cannot be read, and the consumer has a list of its own: it lives on that. What rules make of the list
    /// was not seen, and no less in force for that.
    pub(crate) fn live_on(&mut self, case: &Case<'_>) {
        let trouble = self.raised.take().or_else(|| {
            let mut candidates = self.candidates.iter();
            let found = candidates.find(|(raised, _)| raised.code.family() == Family::Registry);
            found.map(|(raised, _)| raised.clone())
        });
        self.outcome = Outcome::Reachable;
        self.stage = None;
        self.emptied = None;
        self.candidates.clear();
        self.blocked_by.clear();
        self.limits.clear();
        self.then.clear();
        self.contributors.clear();
        for stage in &mut self.view.stages {
            match stage.id {
                StageId::Reach if stage.raises.is_empty() => stage.raises.extend(trouble.clone()),
                StageId::ConsumerView => {
                    stage.not_seen = case
                        .held
                        .rules_not_seen
                        .iter()
                        .chain(case.routes_not_seen())
                        .map(|fact| NotSeen {
                            required: false,
                            ..fact.clone()
                        })
                        .collect();
                }
                _ => {}
            }
            for fact in &mut stage.not_seen {
                fact.required = false;
            }
        }
    }

    /// Code of the cause.
    pub(crate) fn code(&self) -> Option<Code> {
        self.raised.as_ref().map(|raised| raised.code)
    }
}

/// Judges one member (or the whole) of one registry in one world.
pub(crate) fn judge(
    question: &Question,
    registry: &Registry,
    held: &Held,
    world: &World,
    said: &Said,
    seen: Option<Seen>,
) -> Judged {
    let case = Case {
        question,
        registry: registry.address.as_ref(),
        held,
        world,
    };
    judge_models(&case, said, seen)
}

/// Judges the stages of one model as if the consumer used that model alone.
pub(crate) fn judge_view(case: &Case<'_>, mut view: View, said: &Said) -> Judged {
    let Case {
        question, world, ..
    } = *case;
    say_unread(&mut view);
    let blocks = always_blocking(&view);
    let Some(failed) = view.failed().cloned() else {
        let missing: Vec<NotSeen> = view.stages.iter().flat_map(required).collect();
        let missing: Vec<NotSeen> = missing
            .into_iter()
            .chain(view.routed.undecided.iter().cloned())
            .collect();
        let outcome = if missing.is_empty() {
            Outcome::Reachable
        } else {
            Outcome::Unknown
        };
        let possible = view
            .stages
            .iter()
            .filter(|stage| stage.state == State::Unknown);
        let candidates = possible
            .flat_map(|stage| {
                // Lists of Nacos leave the disabled ones out.
                let hides = |fact: &NotSeen| fact.what.say == Say::NacosDisabled;
                let why = if stage.not_seen.iter().any(hides) {
                    Say::ListMayHide
                } else {
                    Say::OnlyPossible
                };
                stage.raises.iter().map(move |raised| (raised.clone(), why))
            })
            .collect();
        let mut judged = Judged::new(outcome, view);
        judged.candidates = candidates;
        judged.blocked_by = missing;
        in_other_worlds(&mut judged);
        with_libraries(case, &mut judged);
        return judged;
    };
    let mut judged = Judged::new(Outcome::None, view);
    if question.consumer.client == Some(Client::Go) {
        judged.limits.insert(Limit::Client);
    }
    judged.stage = Some(failed.id.clone());
    let Some(first) = failed.raises.first().cloned() else {
        judged.outcome = Outcome::Unknown;
        return judged;
    };
    let mut missing = blocks;
    missing.extend(before(&judged.view, &failed.id));
    judged.contributors = contributors(&judged.view, &failed.id);
    judged.raised = Some(first);
    match failed.id {
        // A file of which nobody said whose it is may be another process's.
        StageId::Question => {
            // Nor can be seen what the consumer's own process exports without registering it.
            let in_process = judged
                .raised
                .as_ref()
                .and_then(|raised| raised.params.get("setting")?.as_str())
                .is_some_and(|setting| setting == "injvm=true" || setting == "scope=local");
            if in_process
                || question
                    .unreadable
                    .iter()
                    .any(|address| !address.of_consumer)
            {
                judged.limits.insert(Limit::Rule);
            }
        }
        StageId::Reach => reach_failed(case, &mut judged),
        StageId::Protocol if world.state == ConsumerState::Running => {
            judged.kept = true;
            undecided(&mut judged, Say::KeptListUnknown);
        }
        StageId::Router(_) => {
            routed_away(&mut judged);
            if !judged.view.bound.is_empty() {
                // Without metadata it would be those.
                judged.limits.insert(Limit::Rule);
            }
        }
        StageId::Configurators => configured_away(case, &mut judged),
        _ => {
            place::decide(case, said, &mut judged);
            by_application(case, &mut judged);
            let not_told =
                case.is_not_told_of_empty() && judged.code() == Some(Code::NotRegistered);
            // A reference that is switched off never had a list to keep; nor did one for which no application was ever
            // mapped: nobody removes a mapping.
            let never_had = matches!(
                judged.code(),
                Some(Code::ConsumerMisaddressed | Code::MappingMissing)
            ) || mapped_later(case, &mut judged);
            // A notification that was lost leaves the list as it was.
            let lost = world.state == ConsumerState::Running
                && judged.raised.as_ref().is_some_and(|raised| {
                    raised.params.get("form") == Some(&Value::from("unreadable"))
                });
            let unread = keeps_unread(case, &failed);
            if !never_had && (case.protects_empty() || not_told || lost || unread) {
                judged.kept = true;
                undecided(&mut judged, Say::KeptListUnknown);
            }
        }
    }
    if judged.emptied.is_none() {
        judged.emptied.clone_from(&judged.raised);
    }
    if !missing.is_empty() && judged.outcome != Outcome::Unknown {
        undecided(&mut judged, Say::EarlierStageUnknown);
        let earlier = judged.view.stages.iter().filter(|stage| {
            stage.state == State::Unknown && stage.id == StageId::Revision && stage.id < failed.id
        });
        let possible = earlier.flat_map(|stage| {
            let is_drop = |code| stage.dropped.iter().any(|one| one.code == code);
            let raises = stage.raises.iter();
            raises.filter(move |raised| is_drop(raised.code)).cloned()
        });
        let possible = possible.map(|raised| (raised, Say::EarlierStageUnknown));
        judged.candidates.extend(possible.collect::<Vec<_>>());
    }
    judged.blocked_by.extend(missing);
    with_libraries(case, &mut judged);
    if matches!(judged.outcome, Outcome::None | Outcome::Partly)
        && let Some(stage) = &judged.stage
        && *stage > StageId::Place
    {
        judged.then = Later::Behind(stage.clone());
    }
    judged
}

/// Whether the only application that is mapped wrote itself in after it was seen that nobody is registered: it does that
/// once, before it registers for the first time (`MetadataServiceNameMapping.map`), so nobody had been there.
fn mapped_later(case: &Case<'_>, judged: &mut Judged) -> bool {
    let application = &case.held.application;
    let seen = case.held.listing.evidence().and_then(|seen| {
        let time = seen.seen_at.as_deref()?.parse::<jiff::Timestamp>().ok()?;
        Some(time.as_millisecond())
    });
    let mut mappings = application.mappings.iter();
    let later = judged.code() == Some(Code::NotRegistered)
        && application.mapped.len() == 1
        && mappings.all(|mapping| {
            let named = mapping.applications.len() == 1;
            named && matches!((mapping.written_ms, seen), (Some(written), Some(seen)) if written > seen)
        });
    if later {
        // The clocks of two machines are compared.
        judged.limits.insert(Limit::Rule);
    }
    later
}

/// Behind a registry that was not read nothing is known to be left or gone.
fn say_unread(view: &mut View) {
    let reach = view.stage(&StageId::Reach).map(|stage| stage.state);
    if !matches!(reach, Some(State::Failed | State::Unknown)) {
        return;
    }
    for stage in &mut view.stages {
        if stage.state == State::Skipped {
            stage.because = Some(Say::RegistryUnread.into());
        }
    }
}

fn required(stage: &Stage) -> Vec<NotSeen> {
    if stage.state != State::Unknown {
        return Vec::new();
    }
    stage
        .not_seen
        .iter()
        .filter(|not_seen| not_seen.required)
        .cloned()
        .collect()
}

/// Facts that would decide whatever the registry says: the question itself, and the consumer's own view.
fn always_blocking(view: &View) -> Vec<NotSeen> {
    view.stages
        .iter()
        .filter(|stage| matches!(stage.id, StageId::Question | StageId::ConsumerView))
        .flat_map(required)
        .collect()
}

/// Required facts of the stages before the emptied one, the choice of the model included.
pub(super) fn before(view: &View, failed: &StageId) -> Vec<NotSeen> {
    let emptied = view
        .stages
        .iter()
        .position(|stage| stage.id == *failed)
        .unwrap_or_default();
    view.stages
        .iter()
        .enumerate()
        .filter(|(at, stage)| {
            let model = stage.id == StageId::Decision && *failed > StageId::Place;
            (*at < emptied || model) && stage.id != StageId::Question
        })
        .flat_map(|(_, stage)| required(stage))
        .collect()
}

fn contributors(view: &View, failed: &StageId) -> Vec<(Code, usize)> {
    let mut counts = std::collections::BTreeMap::<Code, usize>::new();
    for stage in &view.stages {
        if stage.id == *failed {
            break;
        }
        for dropped in &stage.dropped {
            if dropped.code != Code::NotRegistered {
                *counts.entry(dropped.code).or_default() += 1;
            }
        }
    }
    counts.into_iter().collect()
}

/// A phrase for a limit, for the text of `assumed` and candidates.
pub(crate) fn limit_phrase(limit: Limit) -> Phrase {
    Phrase::new(match limit {
        Limit::Version => Say::LimitVersion,
        Limit::State => Say::LimitState,
        Limit::Standing => Say::LimitStanding,
        Limit::Sweep => Say::LimitSweep,
        Limit::Place => Say::LimitPlace,
        Limit::TextOnly => Say::LimitTextOnly,
        Limit::Rule => Say::LimitRule,
        Limit::Consumer => Say::LimitConsumer,
        Limit::Client => Say::LimitClient,
        Limit::Contradiction => Say::LimitContradiction,
    })
}
