//! From the worlds of a question to one answer: outcome, verdict, certainty.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Candidate, Certainty, Diagnosis, Outcome, Verdict, WorldResult, after, cached,
    choice::choose,
    code::Code,
    findings,
    gather::{self, Registry},
    observed::Observed,
    outcome::{Judged, Limit, judge, limit_phrase},
    own as own_view, place,
    probed::Probed,
    text::Said,
    worlds::{LONGEST_OF_LINES, Worlds, state_word},
    zones,
};
use crate::{
    question::{ConsumerState, Question, RegistryAddress, World},
    report::words::{Phrase, Say},
    snapshot::{Snapshot, SourceId, Want},
    view::{
        held::Held,
        interface::{Case, means_another},
        migration::Seen,
        missing::Missing,
        own::{self, Own},
        stage::{NotSeen, Raised, StageId},
    },
};

/// One world over all registries.
#[derive(Debug, Clone)]
pub(crate) struct Overall {
    /// The world.
    pub(crate) world: World,
    /// What decides.
    pub(crate) judged: Judged,
    /// A registry that could answer and is not asked (DG2112).
    pub(crate) passed_over: Option<Raised>,
    /// Every registry and member with its own result.
    pub(crate) parts: Vec<(Option<SourceId>, Option<String>, Judged)>,
    /// Members of one registry give different results.
    pub(crate) disagree: bool,
}

impl Overall {
    /// Whether anything comes to the routers.
    fn routes(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|(.., judged)| !judged.view.offered.is_empty())
    }

    fn result(&self) -> (Outcome, Option<Code>) {
        (self.judged.outcome, self.judged.code())
    }
}

/// Everything that was computed, for the findings and the report.
#[derive(Debug)]
pub(crate) struct Computed<'a> {
    /// The question with what was observed filled in.
    pub(crate) question: &'a Question,
    /// The facts.
    pub(crate) snapshot: &'a Snapshot,
    /// Where filled in values come from.
    pub(crate) observed: &'a Observed,
    /// What logs say.
    pub(crate) said: &'a Said,
    /// What QOS ports say.
    pub(crate) own: &'a Own,
    /// What became of connections that were tried.
    pub(crate) probed: &'a Probed<'a>,
    /// The registries.
    pub(crate) registries: &'a [Registry],
    /// The worlds.
    pub(crate) worlds: Worlds,
    /// One result for each state of the given or assumed version; the first is shown.
    pub(crate) states: Vec<Overall>,
    /// Results of other lines and patches that differ from the shown one.
    pub(crate) others: Vec<(World, Outcome, Option<Code>)>,
    /// The rules are too long to be read once more for every other line.
    pub(crate) one_version: bool,
    /// The rules are too long to be read once more for each older patch of an assumed line.
    pub(crate) newest_only: bool,
    /// The answer.
    pub(crate) outcome: Outcome,
    /// Cause, certainty and where it stands.
    pub(crate) cause: Option<(Raised, Certainty)>,
    /// What could not be decided.
    pub(crate) candidates: BTreeMap<Code, (Raised, Say)>,
    /// What keeps the verdict from being certain.
    pub(crate) limits: BTreeSet<Limit>,
}

/// What is looked for and was never asked.
pub(crate) fn wanted(question: &Question, snapshot: &Snapshot) -> Vec<Want> {
    let missing = Missing::default();
    let observed = Observed::of(question, snapshot, &missing);
    let registries = gather::all(&observed.question, snapshot, &missing);
    own::processes(&observed.question, snapshot, &missing);
    Probed::of(&observed.question, snapshot, &missing).want(&registries);
    missing.into_wants()
}

/// A registry of the consumer, or one of its members that were asked apart.
pub(crate) struct Standing {
    /// Its address.
    pub(crate) registry: Option<RegistryAddress>,
    /// What it holds.
    pub(crate) held: Held,
    /// The step of the migration that the consumer was seen to have.
    pub(crate) step: Option<Seen>,
}

/// What each registry holds, members one after the other, with the question that was observed.
pub(crate) fn seen(question: &Question, snapshot: &Snapshot) -> (Question, Vec<Standing>) {
    let missing = Missing::default();
    let observed = Observed::of(question, snapshot, &missing);
    let question = observed.question;
    let said = Said::read(&question);
    let own = Own {
        processes: own::processes(&question, snapshot, &missing),
    };
    let registries = gather::all(&question, snapshot, &missing);
    let alone = registries.len() == 1;
    let mut standing = Vec::new();
    for registry in registries {
        let address = registry.address;
        let step = own_view::step(&own, &question, address.as_ref(), alone).or_else(|| said.step());
        standing.extend(registry.held.into_iter().map(|held| Standing {
            registry: address.clone(),
            held,
            step: step.clone(),
        }));
    }
    (question, standing)
}

/// Computes all worlds and joins them.
pub(crate) fn decide(question: &Question, snapshot: &Snapshot) -> Diagnosis {
    let missing = Missing::default();
    let observed = Observed::of(question, snapshot, &missing);
    let question = &observed.question;
    let said = Said::read(question).with_caches(
        cached::told_empty(question, snapshot),
        cached::of_consumer(question, snapshot),
    );
    let mut registries = gather::all(question, snapshot, &missing);
    said.complete(question, &mut registries);
    let own = Own {
        processes: own::processes(question, snapshot, &missing),
    };
    own_view::complete(&own, &mut registries);
    let probed = Probed::of(question, snapshot, &missing);
    let worlds = Worlds::of(question);
    let beside = Beside {
        said: &said,
        own: &own,
        probed: &probed,
    };
    let states: Vec<Overall> = worlds
        .states
        .iter()
        .map(|state| overall(question, &registries, worlds.world(*state), beside))
        .collect();
    let mut computed = Computed {
        question,
        snapshot,
        observed: &observed,
        said: &said,
        own: &own,
        probed: &probed,
        registries: &registries,
        worlds,
        states,
        others: Vec::new(),
        one_version: false,
        newest_only: false,
        outcome: Outcome::Unknown,
        cause: None,
        candidates: BTreeMap::new(),
        limits: BTreeSet::new(),
    };
    join_states(&mut computed);
    join_versions(&mut computed);
    settle(&mut computed);
    finish(&computed)
}

/// What was seen beside the registries.
#[derive(Debug, Clone, Copy)]
struct Beside<'a> {
    said: &'a Said,
    own: &'a Own,
    probed: &'a Probed<'a>,
}

fn overall(
    question: &Question,
    registries: &[Registry],
    world: World,
    beside: Beside<'_>,
) -> Overall {
    let Beside { said, own, probed } = beside;
    let mut parts = Vec::new();
    let mut disagree = false;
    let mut results: Vec<(&Registry, Judged)> = Vec::new();
    for (place, registry) in registries.iter().enumerate() {
        let members: Vec<Judged> = registry
            .held
            .iter()
            .enumerate()
            .map(|(member, held)| {
                let alone = registries.len() == 1;
                let seen = own_view::step(own, question, registry.address.as_ref(), alone)
                    .or_else(|| said.step());
                let mut judged = judge(question, registry, held, &world, said, seen);
                judged.part = (place, member);
                let case = Case {
                    question,
                    registry: registry.address.as_ref(),
                    held,
                    world: &world,
                };
                probed.mark(&case, &mut judged);
                said.overrule(&case, registry, &mut judged);
                cached::overrule(&case, probed.snapshot(), &mut judged);
                own_view::overrule(own, &case, registry, alone, &mut judged);
                probed.overrule(&case, &mut judged);
                own_view::name_port(own, &case, &mut judged);
                judged.show_connections();
                place::assumed(&case, &mut judged);
                // What a log says of a name that nobody meant is no cause.
                let question = judged.view.stage(&StageId::Question);
                if question.is_some_and(means_another) {
                    judged.candidates.clear();
                }
                parts.push((held.source.clone(), held.via.clone(), judged.clone()));
                judged
            })
            .collect();
        let Some(mut first) = members.first().cloned() else {
            continue;
        };
        if members
            .iter()
            .any(|other| (other.outcome, other.code()) != (first.outcome, first.code()))
        {
            disagree = true;
            first.outcome = Outcome::Unknown;
            for member in members {
                first
                    .candidates
                    .extend(member.raised.map(|raised| (raised, Say::MembersDisagree)));
                first.candidates.extend(member.candidates);
            }
            first.raised = None;
        }
        results.push((registry, first));
    }
    let chosen = choose(question, &world, &results);
    let mut overall = Overall {
        world,
        judged: chosen.judged,
        passed_over: chosen.passed_over,
        parts,
        disagree,
    };
    if overall.judged.outcome == Outcome::Reachable
        && zones::loses_all(question, registries, &overall)
    {
        overall.judged.outcome = Outcome::Partly;
    }
    overall
}

/// A running and a starting consumer: the same result, the same outcome with another code, or no verdict.
fn join_states(computed: &mut Computed<'_>) {
    let shown = computed.states[0].judged.clone();
    computed.outcome = shown.outcome;
    computed.limits.clone_from(&shown.limits);
    let mut raised = shown.raised.clone();
    for other in &computed.states[1..] {
        computed.limits.extend(other.judged.limits.iter().copied());
        if other.judged.outcome != shown.outcome {
            computed.outcome = Outcome::Unknown;
        } else if other.judged.code() != shown.code() {
            computed.limits.insert(Limit::State);
        }
    }
    let differ = computed
        .states
        .iter()
        .any(|state| state.result() != computed.states[0].result());
    for state in &computed.states {
        for (candidate, why) in &state.judged.candidates {
            computed
                .candidates
                .entry(candidate.code)
                .or_insert_with(|| (candidate.clone(), *why));
        }
        if computed.outcome == Outcome::Unknown
            && differ
            && let Some(raised) = &state.judged.raised
        {
            computed
                .candidates
                .entry(raised.code)
                .or_insert_with(|| (raised.clone(), Say::DependsOnState));
        }
    }
    if computed.outcome == Outcome::Unknown {
        raised = None;
    }
    computed.cause = raised.map(|raised| (raised, Certainty::Certain));
}

/// With more bytes of rules only the newest patches of the lines are compared with an assumed version.
const LONGEST_EVERYWHERE: usize = 8 << 10;

/// An assumed version counts as observed only if the newest patch of every line gives the same.
fn join_versions(computed: &mut Computed<'_>) {
    if !computed.worlds.assumed {
        return;
    }
    let compare = |computed: &Computed<'_>, dubbo: &crate::model::version::DubboVersion| {
        let mut different = Vec::new();
        for (state, shown) in computed.worlds.states.iter().zip(&computed.states) {
            let world = World {
                dubbo: dubbo.clone(),
                state: *state,
            };
            let other = overall(
                computed.question,
                computed.registries,
                world.clone(),
                Beside {
                    said: computed.said,
                    own: computed.own,
                    probed: computed.probed,
                },
            );
            if other.result() != shown.result() {
                different.push((world, other));
            }
        }
        different
    };
    let rules = computed.registries.iter().flat_map(|registry| {
        let held = registry.held.iter();
        held.flat_map(|held| held.rules.stored.iter().map(|rule| rule.text.len()))
    });
    let length: usize = rules.sum();
    if length > LONGEST_OF_LINES && computed.states.iter().any(Overall::routes) {
        computed.one_version = true;
        computed.outcome = Outcome::Unknown;
    }
    let shown = computed.worlds.version.clone();
    let lines = computed.worlds.lines.clone().into_iter();
    let compared = !computed.one_version;
    for line in lines.filter(|line| compared && *line != shown) {
        for (world, other) in compare(computed, &line) {
            let (outcome, code) = other.result();
            if outcome == computed.outcome {
                computed.limits.insert(Limit::Version);
            } else {
                computed.outcome = Outcome::Unknown;
            }
            for (raised, why) in other
                .judged
                .raised
                .iter()
                .map(|raised| (raised, Say::DependsOnVersion))
                .chain(
                    other
                        .judged
                        .candidates
                        .iter()
                        .map(|(raised, why)| (raised, *why)),
                )
            {
                computed
                    .candidates
                    .entry(raised.code)
                    .or_insert_with(|| (raised.clone(), why));
            }
            computed.others.push((world, outcome, code));
        }
    }
    if computed.outcome == Outcome::Unknown
        && let Some((raised, _)) = computed.cause.take()
    {
        computed
            .candidates
            .entry(raised.code)
            .or_insert((raised, Say::DependsOnVersion));
    }
    if computed.one_version {
        return;
    }
    if length > LONGEST_EVERYWHERE {
        computed.newest_only = true;
        return;
    }
    for older in computed.worlds.older.clone() {
        for (world, other) in compare(computed, &older) {
            let (outcome, code) = other.result();
            computed.others.push((world, outcome, code));
        }
    }
}

/// Limits to certainty; what is only possible is no verdict.
fn settle(computed: &mut Computed<'_>) {
    let Some((raised, _)) = computed.cause.clone() else {
        return;
    };
    let failing = [
        Limit::Version,
        Limit::State,
        Limit::Standing,
        Limit::Consumer,
    ]
    .iter()
    .filter(|limit| computed.limits.contains(limit))
    .count();
    if failing > 1 || computed.limits.contains(&Limit::Contradiction) {
        computed.outcome = Outcome::Unknown;
        computed.cause = None;
        computed
            .candidates
            .entry(raised.code)
            .or_insert((raised, Say::OnlyPossible));
        return;
    }
    let certainty = if computed.limits.is_empty() {
        Certainty::Certain
    } else {
        Certainty::Likely
    };
    computed.cause = Some((raised, certainty));
}

fn finish(computed: &Computed<'_>) -> Diagnosis {
    let shown = &computed.states[0];
    let later = computed
        .cause
        .as_ref()
        .map(|_| after::then(computed))
        .unwrap_or_default();
    let verdict = computed.cause.as_ref().map(|(raised, certainty)| Verdict {
        code: raised.code,
        certainty: *certainty,
        params: raised.params.clone(),
        then: later.codes.clone(),
        then_not_seen: later.not_seen.clone(),
        contributors: shown.judged.contributors.clone(),
        worlds: worlds(computed),
    });
    let mut not_seen: Vec<NotSeen> = Vec::new();
    let mut add = |fact: &NotSeen| {
        if !not_seen.contains(fact) {
            not_seen.push(fact.clone());
        }
    };
    for state in &computed.states {
        state.judged.blocked_by.iter().for_each(&mut add);
    }
    for stage in shown
        .parts
        .iter()
        .flat_map(|(.., judged)| &judged.view.stages)
    {
        stage.not_seen.iter().for_each(&mut add);
    }
    if computed.one_version {
        let dubbo = computed.worlds.version.to_string();
        not_seen.push(NotSeen {
            what: Say::ConsumerVersionUnknown.into(),
            why: Phrase::new(Say::RulesTooLongForLines).with("dubbo", dubbo),
            how_to_see: Some(Say::HowDubbo.into()),
            required: true,
        });
    }
    if computed.newest_only {
        not_seen.push(NotSeen {
            what: Say::OlderPatches.into(),
            why: Say::RulesTooLongForAll.into(),
            how_to_see: Some(Say::HowDubbo.into()),
            required: false,
        });
    }
    let others = computed
        .registries
        .iter()
        .flat_map(|registry| registry.held.iter().flat_map(|held| &held.others_not_seen));
    for fact in others {
        if !not_seen.contains(fact) {
            not_seen.push(fact.clone());
        }
    }
    not_seen.extend(computed.observed.set_aside.iter().cloned());
    not_seen.sort_by_key(|fact| !fact.required);
    if computed.outcome == Outcome::Unknown && not_seen.iter().all(|fact| !fact.required) {
        not_seen.insert(0, undecided_fact(computed));
    }
    Diagnosis {
        outcome: computed.outcome,
        verdict,
        candidates: computed
            .candidates
            .iter()
            .map(|(code, (raised, why))| Candidate {
                code: *code,
                params: raised.params.clone(),
                why: (*why).into(),
            })
            .collect(),
        stages: shown
            .parts
            .iter()
            .flat_map(|(source, _, judged)| {
                let source = source.clone().unwrap_or_else(no_source);
                let model = judged.view.model;
                let stages = judged.view.stages.iter();
                stages.map(move |stage| (source.clone(), model, stage.clone()))
            })
            .collect(),
        findings: findings::findings(computed),
        assumed: findings::assumed(computed),
        zones: super::zones::zoned(computed),
        models: shown
            .parts
            .iter()
            .filter_map(|(source, via, judged)| {
                let source = source.clone().unwrap_or_else(no_source);
                Some((source, via.clone(), judged.models.clone()?))
            })
            .collect(),
        not_seen,
    }
}

fn no_source() -> SourceId {
    SourceId::new("none").expect("a plain word")
}

/// Worlds that differ from the verdict's.
fn worlds(computed: &Computed<'_>) -> Vec<WorldResult> {
    let mut worlds: Vec<WorldResult> = computed
        .states
        .iter()
        .map(|state| {
            (
                state.world.clone(),
                state.judged.outcome,
                state.judged.code(),
            )
        })
        .filter(|(_, _, code)| *code != computed.cause.as_ref().map(|(raised, _)| raised.code))
        .chain(computed.others.iter().cloned())
        .map(|(world, outcome, code)| WorldResult {
            dubbo: world.dubbo.to_string(),
            state: state_word(world.state),
            outcome,
            code,
        })
        .collect();
    worlds.dedup();
    worlds
}

/// The fact that is missing when no stage names one: which of the worlds it is.
fn undecided_fact(computed: &Computed<'_>) -> NotSeen {
    let what = if computed.states.len() > 1 {
        Say::ConsumerStateUnknown
    } else if computed.worlds.assumed {
        Say::ConsumerVersionUnknown
    } else {
        Say::OwnViewLayer
    };
    let why = computed
        .limits
        .first()
        .map_or(Phrase::new(Say::WorldsDiffer), |limit| limit_phrase(*limit));
    NotSeen {
        what: what.into(),
        why,
        how_to_see: Some(Say::HowQos.into()),
        required: true,
    }
}

/// The state that is shown first.
pub(crate) fn shown_state(computed: &Computed<'_>) -> ConsumerState {
    computed.states[0].world.state
}
