//! From folded calls to one answer: outcome, verdict, certainty, and what else was found.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::findings;
use super::fold::{Class, Folded};
use super::interest::{Interest, call};
use super::scenario::{Scenario, Sessions};
use super::stages::{contributors, stages};
use super::subject::Subject;
use super::undecided::undecided;
use super::waterfall::{Cause, cause};
use crate::diagnose::code::Code;
use crate::diagnose::{
    Assumption, Candidate, Certainty, Diagnosis, Finding, Outcome, Remedy, Verdict, WorldResult,
    is_unstated,
};
use crate::model::zone::Zones;
use crate::question::{Client, ConsumerState};
use crate::report::words::{Phrase, Say};
use crate::route::rules::RuleText;
use crate::route::ways::percent;
use crate::snapshot::SourceId;
use crate::view::interface::View;
use crate::view::stage::{Evidence, NotSeen, Stage, StageId, State};

/// Most rules that are taken away one after the other to see what else is in the way.
const MOST_REPAIRED: usize = 8;

/// Which scenario is what; the first one is the answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The newest patch of every line, when the version is assumed.
    pub lines: Vec<usize>,
    /// A consumer that was running before the rules came, when the state is not known.
    pub running: Option<usize>,
    /// The consumer at other addresses, when its address is not known and some rule looks at it.
    pub hosts: Vec<usize>,
    /// Lists that begin with an address of another application, when rules are read by the first one.
    pub firsts: Vec<usize>,
    /// A consumer that has what protocols need that Dubbo alone does not bring.
    pub libraries: Option<usize>,
    /// Those protocols.
    pub protocols: BTreeSet<String>,
    /// Drills.
    pub drills: Vec<usize>,
    /// The rules are too long for the other lines: an assumed version stands alone.
    pub one_version: bool,
    /// The rule to compare with.
    pub candidate: Option<usize>,
    /// The same for a consumer that was running before it came, when the state is not known.
    pub candidate_running: Option<usize>,
    /// Versions to compare.
    pub matrix: Vec<usize>,
}

/// Everything a judgement rests on.
#[derive(Debug, Clone, Copy)]
pub struct Trial<'a> {
    /// The calls.
    pub folded: &'a Folded,
    /// The scenarios, the first one is the answer.
    pub scenarios: &'a [Scenario],
    /// Which is what.
    pub plan: &'a Plan,
    /// Whose calls.
    pub subject: &'a Subject,
    /// What the rules look at.
    pub interest: &'a Interest,
    /// The stages before the routers.
    pub view: &'a View,
    /// Where each rule was seen, by key.
    pub evidence: &'a BTreeMap<String, Evidence>,
    /// Required facts that nobody saw.
    pub unseen: &'a [NotSeen],
    /// The run as a command, without a candidate.
    pub argv: &'a [String],
    /// Id of the source of the addresses.
    pub source: &'a SourceId,
}

impl Trial<'_> {
    pub(super) fn base(&self) -> &Scenario {
        &self.scenarios[0]
    }

    pub(super) fn zones(&self) -> &Zones {
        &self.base().zones
    }

    /// Where a rule was seen, at a place in it.
    pub(super) fn seen(&self, rule: Option<&str>, position: Option<String>) -> Vec<Evidence> {
        rule.and_then(|rule| self.evidence.get(rule))
            .map(|seen| Evidence {
                position,
                ..seen.clone()
            })
            .into_iter()
            .collect()
    }

    fn found(&self, place: usize) -> Found {
        let classes = &self.folded.classes[place];
        let requests = |fits: &dyn Fn(&Class) -> bool| -> u64 {
            classes
                .iter()
                .filter(|class| fits(class))
                .map(|class| class.requests)
                .sum()
        };
        let all_lost = requests(&|class| class.ran.is_lost());
        let lost = requests(&|class| class.ran.may_lose());
        let uncertain =
            requests(&|class| class.ran.is_uncertain()) + self.folded.unclear + self.folded.beyond;
        let outcome = match (lost, uncertain) {
            _ if self.folded.requests == 0 => Outcome::Unknown,
            _ if all_lost == self.folded.requests => Outcome::None,
            (1.., _) => Outcome::Partly,
            (0, 1..) => Outcome::Unknown,
            (0, 0) => Outcome::Reachable,
        };
        let worst = classes
            .iter()
            .enumerate()
            .filter(|(_, class)| class.ran.may_lose())
            .max_by(|(a, one), (b, other)| {
                one.lost().total_cmp(&other.lost()).then_with(|| b.cmp(a))
            });
        Found {
            outcome,
            cause: worst.and_then(|(at, class)| Some((cause(&class.ran, self.zones())?, at))),
            lost,
            share: self.share(classes.iter().map(Class::lost).sum()),
            uncertain,
        }
    }

    /// Which part of all calls a number of them is.
    pub fn share(&self, requests: f64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a share of calls")]
        let total = self.folded.requests.max(1) as f64;
        requests / total
    }
}

/// What a scenario gives.
pub(super) struct Found {
    pub(super) outcome: Outcome,
    /// Why most of the lost calls are lost, and their class.
    pub(super) cause: Option<(Cause, usize)>,
    /// Calls that lose everything at least sometimes.
    pub(super) lost: u64,
    /// The part of all calls that loses everything, from 0 to 1.
    pub(super) share: f64,
    pub(super) uncertain: u64,
}

impl Found {
    fn code(&self) -> Option<Code> {
        self.cause.as_ref().map(|(cause, _)| cause.code)
    }
}

/// The answer.
pub fn judge(trial: &Trial<'_>) -> Diagnosis {
    let found = trial.found(0);
    let blocked = blocking(trial.view);
    let failed = trial
        .view
        .failed()
        .filter(|stage| stage.id < StageId::Router(String::new()));
    let mut diagnosis = Diagnosis {
        outcome: found.outcome,
        verdict: None,
        candidates: Vec::new(),
        stages: stages(trial, found.cause.as_ref().map(|(_, class)| *class)),
        findings: Vec::new(),
        assumed: assumed(trial),
        models: Vec::new(),
        not_seen: Vec::new(),
        zones: None,
    };
    if let Some(stage) = failed {
        before_routers(trial, stage, &mut diagnosis);
        diagnosis.findings.extend(findings::all(trial, None));
        return diagnosis;
    }
    let mut missing = blocked;
    missing.extend(trial.unseen.iter().cloned());
    missing.extend(undecided(trial, &found));
    let (certainty, worlds) = certainty(trial, &found, &mut missing);
    let decided = found.outcome == Outcome::None || found.outcome == Outcome::Partly;
    let cause = found.cause.as_ref();
    match (decided, certainty, cause) {
        (true, Some(certainty), Some((cause, class)))
            if missing.iter().all(|fact| !fact.required) =>
        {
            diagnosis.verdict = Some(Verdict {
                code: cause.code,
                certainty,
                params: params(trial, cause, &found),
                then: then(trial, cause, *class),
                then_not_seen: Vec::new(),
                contributors: contributors(trial, cause, *class),
                worlds,
            });
            diagnosis
                .findings
                .push(cause_finding(trial, cause, certainty, &found));
        }
        (true, ..) => {
            diagnosis.outcome = Outcome::Unknown;
            if let Some((cause, _)) = cause {
                diagnosis.candidates.push(Candidate {
                    code: cause.code,
                    params: params(trial, cause, &found),
                    why: missing
                        .iter()
                        .find(|fact| fact.required)
                        .map_or_else(|| Say::WorldsDiffer.into(), |fact| fact.what.clone()),
                });
            }
        }
        (false, certainty, _) => {
            if missing.iter().any(|fact| fact.required) || certainty.is_none() {
                diagnosis.outcome = Outcome::Unknown;
            }
        }
    }
    let open = diagnosis.outcome == Outcome::Unknown;
    let others = findings::all(
        trial,
        diagnosis.verdict.as_ref().map(|verdict| verdict.code),
    );
    if open {
        for finding in others
            .iter()
            .filter(|finding| finding.code == Code::RouterUnknown)
        {
            diagnosis.candidates.push(Candidate {
                code: finding.code,
                params: finding.params.clone(),
                why: Say::OnlyPossible.into(),
            });
        }
    }
    diagnosis.findings.extend(others);
    diagnosis.not_seen = missing;
    diagnosis
}

/// Required facts of the stages before the routers that nobody saw.
fn blocking(view: &View) -> Vec<NotSeen> {
    view.stages
        .iter()
        .filter(|stage| stage.state == State::Unknown && stage.id < StageId::Router(String::new()))
        .flat_map(|stage| stage.not_seen.iter().filter(|fact| fact.required).cloned())
        .collect()
}

/// Nothing comes to the routers.
fn before_routers(trial: &Trial<'_>, stage: &Stage, diagnosis: &mut Diagnosis) {
    diagnosis.outcome = Outcome::None;
    let Some(raised) = stage.raises.first() else {
        diagnosis.outcome = Outcome::Unknown;
        return;
    };
    diagnosis.verdict = Some(Verdict {
        code: raised.code,
        certainty: Certainty::Likely,
        params: raised.params.clone(),
        then: Vec::new(),
        then_not_seen: Vec::new(),
        contributors: Vec::new(),
        worlds: Vec::new(),
    });
    diagnosis.findings.push(Finding {
        code: raised.code,
        severity: raised.code.severity(),
        certainty: Certainty::Likely,
        subject: raised.subject.clone(),
        params: raised.params.clone(),
        evidence: raised.evidence.clone(),
        remedy: Vec::new(),
        see: Vec::new(),
    });
    let _ = trial;
}

/// How sure the answer is; `None` = other assumptions give another outcome.
fn certainty(
    trial: &Trial<'_>,
    found: &Found,
    missing: &mut Vec<NotSeen>,
) -> (Option<Certainty>, Vec<WorldResult>) {
    let mut certainty = Certainty::Certain;
    let mut worlds = Vec::new();
    let mut differs = false;
    let mut fact = |what: Phrase, how: Option<Say>| {
        missing.push(NotSeen {
            what,
            why: Say::WorldsDiffer.into(),
            how_to_see: how.map(Into::into),
            required: true,
        });
    };
    let mut compare = |places: &[usize], what: Phrase, how: Option<Say>| {
        let mut said = false;
        for &place in places {
            let other = trial.found(place);
            let world = &trial.scenarios[place].world;
            if (other.outcome, other.code()) == (found.outcome, found.code()) {
                continue;
            }
            worlds.push(WorldResult {
                dubbo: world.dubbo.to_string(),
                state: state_word(world.state),
                outcome: other.outcome,
                code: other.code(),
            });
            if other.outcome == found.outcome {
                certainty = Certainty::Likely;
            } else {
                differs = true;
                if !said {
                    fact(what.clone(), how);
                    said = true;
                }
            }
        }
    };
    compare(
        &trial.plan.lines,
        Say::ConsumerVersionUnknown.into(),
        Some(Say::HowVersion),
    );
    compare(
        trial.plan.running.as_slice(),
        Say::ConsumerStateUnknown.into(),
        Some(Say::HowStarting),
    );
    compare(
        &trial.plan.hosts,
        Say::ReplayConsumerAddress.into(),
        Some(Say::HowConsumerIp),
    );
    for place in &trial.plan.firsts {
        let application = trial.scenarios[*place].first.clone().unwrap_or_default();
        let what = Phrase::new(Say::FirstAddress).with("application", application);
        compare(&[*place], what, None);
    }
    let names: Vec<&str> = trial.plan.protocols.iter().map(String::as_str).collect();
    compare(
        trial.plan.libraries.as_slice(),
        Phrase::new(Say::ProtocolLibrary).with("name", names.join(", ")),
        Some(Say::HowQos),
    );
    let dubbo = &trial.base().world.dubbo;
    let registry_unknown = !dubbo.at_least([2, 7, 10])
        && trial.subject.registry.is_none()
        && trial.interest.sees_host();
    // The routing of these patches was not held against the real classes.
    let partly_modelled = !dubbo.at_least([2, 7, 8]);
    let subject = trial.subject;
    // The default is taken for the place in the registry, and the consumer's own entry is not there.
    let consumers = &subject.held.consumers;
    let is_here = consumers
        .iter()
        .any(|it| it.is_of(&subject.question.consumer));
    let unstated = is_unstated(&subject.question, subject.registry.as_ref()) && !is_here;
    let other_client = trial.subject.question.consumer.client == Some(Client::Go);
    if registry_unknown || unstated || partly_modelled || other_client || found.uncertain > 0 {
        certainty = certainty.min(Certainty::Likely);
    }
    ((!differs).then_some(certainty), worlds)
}

/// A state of a consumer, as it is given on the command line.
pub fn state_word(state: ConsumerState) -> &'static str {
    match state {
        ConsumerState::Running => "running",
        ConsumerState::Starting => "starting",
    }
}

/// Parameters of the sentence of a cause.
pub(super) fn cause_params(cause: &Cause, total: usize) -> Map<String, Value> {
    // Without a rule it is the call itself that forbids falling back.
    let by_call = (cause.code == Code::TagNotServed).then_some("dubbo.force.tag");
    let condition = match percent(cause.share) {
        Some(share) => format!("{} [{share}]", cause.condition),
        None => cause.condition.clone(),
    };
    object(json!({
        "rule": cause.rule.as_deref().or(by_call), "position": position(cause), "condition": condition, "tag": cause.condition,
        "count": cause.input, "total": total, "stage": cause.stage,
    }))
}

fn params(trial: &Trial<'_>, cause: &Cause, found: &Found) -> Map<String, Value> {
    let total = trial.folded.addresses.as_ref().map_or(0, |all| all.len());
    let mut params = cause_params(cause, total);
    params.insert(
        "service".to_owned(),
        json!(trial.subject.question.service.to_string()),
    );
    params.insert("requests".to_owned(), json!(trial.folded.requests));
    params.insert("lost".to_owned(), json!(found.lost));
    if cause.share < 1.0 {
        params.insert("share".to_owned(), json!((found.share * 1e6).round() / 1e6));
    }
    params
}

pub(super) fn position(cause: &Cause) -> Option<String> {
    cause
        .position
        .map(|at| format!("{}:{}", at.line, at.column))
}

pub(super) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn cause_finding(trial: &Trial<'_>, cause: &Cause, certainty: Certainty, found: &Found) -> Finding {
    let mut argv = trial.argv.to_vec();
    argv.extend(["--candidate".to_owned(), "fixed.yaml".to_owned()]);
    Finding {
        code: cause.code,
        severity: cause.code.severity(),
        certainty,
        subject: subject(trial, cause.rule.as_deref()),
        params: params(trial, cause, found),
        evidence: trial.seen(cause.rule.as_deref(), position(cause)),
        remedy: cause
            .rule
            .iter()
            .map(|_| Remedy {
                text: Say::DoTryCandidate.into(),
                argv: argv.clone(),
                changes: false,
            })
            .collect(),
        see: vec!["2-6".to_owned()],
    }
}

pub(super) fn subject(trial: &Trial<'_>, rule: Option<&str>) -> (String, String) {
    match rule {
        Some(rule) => ("rule".to_owned(), rule.to_owned()),
        None => (
            "service".to_owned(),
            trial.subject.question.service.to_string(),
        ),
    }
}

/// What would still be in the way without the rule that leaves nothing, and so on.
fn then(trial: &Trial<'_>, first: &Cause, class: usize) -> Vec<Code> {
    let example = &trial.folded.classes[0][class].example;
    let mut codes = Vec::new();
    let mut scenario = trial.base().clone();
    let mut current = first.clone();
    let mut subject = trial.subject.clone();
    let mut removed: Vec<String> = Vec::new();
    for _ in 0..MOST_REPAIRED {
        let Some(rule) = current.rule.take() else {
            break;
        };
        if removed.contains(&rule) {
            break;
        }
        subject.held.routes.retain(|entry| {
            entry
                .url(&scenario.world.dubbo)
                .is_ok_and(|url| url.to_full_text() != rule && url.to_string() != rule)
        });
        scenario.rules.put(&rule, RuleText::Absent);
        if let Some(earlier) = &mut scenario.earlier {
            earlier.put(&rule, RuleText::Absent);
        }
        scenario
            .settings
            .declared
            .retain(|declared| declared.to_string() != rule);
        removed.push(rule);
        let mut sessions = Sessions::new(&scenario, &subject);
        let next = sessions
            .run(&example.caller, &call(example))
            .and_then(|ran| cause(&ran, trial.zones()));
        match next {
            Some(next) => {
                codes.push(next.code);
                current = next;
            }
            None => break,
        }
    }
    codes
}

/// What was taken for granted.
fn assumed(trial: &Trial<'_>) -> Vec<Assumption> {
    let base = trial.found(0);
    let differs = |places: &[usize]| {
        places.iter().any(|place| {
            let other = trial.found(*place);
            (other.outcome, other.code()) != (base.outcome, base.code())
        })
    };
    let mut assumed = Vec::new();
    if trial.plan.one_version || !trial.plan.lines.is_empty() {
        assumed.push(Assumption {
            what: "dubbo",
            value: trial.base().world.dubbo.to_string(),
            why: Say::AssumedNewest.into(),
            changes_verdict: trial.plan.one_version || differs(&trial.plan.lines),
        });
    }
    if let Some(running) = trial.plan.running {
        assumed.push(Assumption {
            what: "consumer",
            value: state_word(trial.base().world.state).to_owned(),
            why: Say::AssumedBothStates.into(),
            changes_verdict: differs(&[running]),
        });
    }
    assumed
}

/// Scenarios that differ from the first, when the version is assumed.
pub(super) fn other_lines(trial: &Trial<'_>) -> Vec<String> {
    let base = trial.found(0);
    trial
        .plan
        .lines
        .iter()
        .filter(|place| {
            let other = trial.found(**place);
            (other.outcome, other.code()) != (base.outcome, base.code())
        })
        .map(|place| trial.scenarios[*place].world.dubbo.to_string())
        .collect()
}

/// Whether a drill, a candidate or the rules as they are make calls lose everything. Where nothing comes to the routers
/// and the answer is open (`unknown`), nothing is lost as far as anybody knows.
pub fn loses(trial: &Trial<'_>, outcome: Outcome) -> bool {
    let lost = |place: usize| {
        trial.folded.classes[place]
            .iter()
            .any(|class| class.requests > 0 && class.ran.may_lose())
    };
    let plan = trial.plan;
    let before = trial.folded.addresses.as_ref().map_or(0, |all| all.len());
    if before == 0 && outcome == Outcome::Unknown {
        return false;
    }
    // What is lost in the assumed world only is not lost as far as anybody knows.
    let now = (outcome != Outcome::Unknown).then_some(0);
    now.into_iter()
        .chain(plan.drills.iter().copied())
        .chain(plan.candidate)
        .chain(plan.candidate_running)
        .any(lost)
}
