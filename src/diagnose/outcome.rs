//! One world: from the stages of a registry to outcome and code.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Outcome,
    code::{Code, Family},
    gather::Registry,
    models::{Models, judge_models},
    place,
    text::Said,
};
use crate::{
    question::{Client, ConsumerState, Question, RegistryKind, World},
    report::words::{Phrase, Say},
    view::{
        application,
        held::{Held, Layer, LayerKind, Reach, Standing},
        interface::{Case, View, then, with_requests},
        migration::Seen,
        stage::{Model, NotSeen, Raised, Stage, StageId, State},
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
    /// Codes that would still be in the way.
    pub(crate) then: Vec<Code>,
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
            then: Vec::new(),
            contributors: Vec::new(),
            candidates: Vec::new(),
            blocked_by: Vec::new(),
            view,
            models: None,
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
        question,
        held,
        world,
        ..
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
            .filter(|stage| stage.state == State::Unknown)
            .flat_map(|stage| stage.raises.clone());
        // Lists of Nacos leave the disabled ones out.
        let of_nacos = case
            .registry
            .is_none_or(|registry| registry.kind == RegistryKind::Nacos);
        let why = if of_nacos {
            Say::ListMayHide
        } else {
            Say::EarlierStageUnknown
        };
        let candidates = possible.map(|raised| (raised, why)).collect();
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
        StageId::Reach => reach_failed(question, held, world, &mut judged),
        StageId::Protocol if world.state == ConsumerState::Running => {
            judged.kept = true;
            undecided(&mut judged, Say::KeptListUnknown);
        }
        StageId::Router(_) => routed_away(&mut judged),
        StageId::Configurators => configured_away(question, world, held, case, &mut judged),
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
            );
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
    }
    judged.blocked_by.extend(missing);
    with_libraries(case, &mut judged);
    if matches!(judged.outcome, Outcome::None | Outcome::Partly)
        && let Some(stage) = &judged.stage
        && *stage > StageId::Place
    {
        judged.then = then_of(case, &judged, stage);
    }
    judged
}

/// Whether a running consumer keeps what it has because the metadata of every revision fail: 3.x passes nothing on and tries
/// again (`ServiceInstancesChangedListener.doOnEvent`). A revision that exports nothing is no failure.
fn keeps_unread(case: &Case<'_>, failed: &Stage) -> bool {
    let fails = |code| {
        matches!(
            code,
            Code::MetadataMissing | Code::MetadataRefused | Code::MetadataServiceUnreachable
        )
    };
    let codes: Vec<Code> = failed.raises.iter().map(|raised| raised.code).collect();
    case.world.state == ConsumerState::Running
        && case.dubbo().line().is_3x()
        && failed.id == StageId::Revision
        && codes.iter().any(|code| fails(*code))
        && !codes.contains(&Code::RevisionMismatch)
}

/// What would still be in the way, by the model in use.
pub(crate) fn then_of(case: &Case<'_>, judged: &Judged, stage: &StageId) -> Vec<Code> {
    match judged.view.model {
        Model::Interface => then(case, stage),
        Model::Application => application::then(case, stage, judged.code()),
    }
}

/// What holds only for the application model.
fn by_application(case: &Case<'_>, judged: &mut Judged) {
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

/// What the routers would do in a world that could be.
fn in_other_worlds(judged: &mut Judged) {
    let raised = judged.view.routed.possible.clone();
    judged.candidates.extend(
        raised
            .into_iter()
            .map(|raised| (raised, Say::DependsOnConsumer)),
    );
}

/// The routers leave nothing: for all calls, or for some; or it depends on what is not known of the consumer.
fn routed_away(judged: &mut Judged) {
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

/// Some addresses were left out for a protocol whose libraries the consumer's process may have: when it has them, the
/// routers get more, and may come to something else.
fn with_libraries(case: &Case<'_>, judged: &mut Judged) {
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

/// The verdict becomes a candidate.
fn undecided(judged: &mut Judged, why: Say) {
    judged.outcome = Outcome::Unknown;
    if let Some(raised) = judged.raised.take() {
        judged.emptied = Some(raised.clone());
        judged.candidates.push((raised, why));
    }
    judged.then.clear();
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

/// A registry that cannot be read is empty for a consumer that starts; a running one lives on what it has.
fn reach_failed(question: &Question, held: &Held, world: &World, judged: &mut Judged) {
    let Reach::Failed(failure) = &held.reach else {
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
        || question.consumer.state == Some(ConsumerState::Running);
    if world.state == ConsumerState::Running && was_in {
        undecided(judged, Say::RunningLivesOn);
    }
}

/// Everything is disabled: by the providers themselves, or by a rule that a running consumer survives.
fn configured_away(
    question: &Question,
    world: &World,
    held: &Held,
    case: &Case<'_>,
    judged: &mut Judged,
) {
    let says = |name: &str| {
        let raised = judged.raised.as_ref();
        raised.is_some_and(|raised| raised.params.get(name) == Some(&Value::Bool(true)))
    };
    if judged.code() == Some(Code::ConsumerMisaddressed) {
        // It never had a list to keep.
        return;
    }
    let (own, by_center) = (says("own"), says("center"));
    if world.state == ConsumerState::Starting {
        // On 3.x it may arrive after the first list, which is then kept.
        if by_center && world.dubbo.line().is_3x() {
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
    let since = question.consumer.since.map(jiff::Timestamp::as_millisecond);
    let rule = held
        .configurators
        .iter()
        .filter_map(|entry| entry.changed_ms)
        .chain(
            held.rules
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
