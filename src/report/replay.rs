//! The part of a report that `route-replay` fills: what became of the calls, and what would change.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::input::access_log::AccessCounts;
use crate::input::requests::Request;
use crate::model::secret::{MASK, is_secret_name};
use crate::replay::{
    self, Class, Coverage, PartName, Ran, Trial, Zones, cause, differences, place, shift,
    unguarded, waterfall,
};

/// Most classes, differences and the like that are listed; totals have the true numbers.
const MOST_LISTED: usize = 64;
/// Most addresses listed at one place.
const MOST_ADDRESSES: usize = 200;

/// What became of the calls.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplayInfo {
    /// Calls in all.
    pub requests: u64,
    /// Kinds of calls that the rules tell apart by their results.
    pub distinct: usize,
    /// Calls of which an argument decides whose text is not known.
    pub unclear: u64,
    /// Addresses that the routers are asked about.
    pub addresses: usize,
    /// What the log had besides these calls.
    pub input: Option<InputInfo>,
    /// Calls that end the same way, those with most calls first; at most 64 of them.
    pub classes: Vec<ClassInfo>,
    /// How many there are.
    pub classes_total: usize,
    /// What the rules cover.
    pub coverage: CoverageInfo,
    /// Drills, in the order asked.
    pub drill: Option<Vec<DrillInfo>>,
    /// The comparison with a candidate.
    pub candidate: Option<CandidateChange>,
    /// The comparison of versions.
    pub matrix: Option<MatrixInfo>,
}

/// What an access log had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InputInfo {
    /// Lines.
    pub lines: u64,
    /// Calls.
    pub calls: u64,
    /// Calls of other services.
    pub other_services: u64,
    /// Lines that are no calls.
    pub unread: u64,
    /// The first of them.
    pub first_unread_line: Option<u64>,
}

/// Calls that end the same way.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassInfo {
    /// How many.
    pub requests: u64,
    /// One of them.
    pub example: Value,
    /// Every address that may be left, at most 200.
    pub survivors: Vec<String>,
    /// How many there are.
    pub survivors_total: usize,
    /// `null` when exactly these are left; else the sets that may be drawn, with their probabilities.
    pub probability: Option<Vec<Draw>>,
    /// Whether only bounds are known: anything from nothing to the survivors.
    pub bounded: bool,
    /// Whether nothing is left.
    pub lost: bool,
    /// Why nothing is left.
    pub cause: Option<CauseInfo>,
    /// Router by router.
    pub stages: Vec<FallInfo>,
}

/// One set that may be drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Draw {
    /// The addresses.
    pub survivors: Vec<String>,
    /// How likely, from 0 to 1.
    pub probability: f64,
}

/// What leaves nothing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CauseInfo {
    /// Code.
    pub code: String,
    /// Stage.
    pub stage: String,
    /// Key of the rule.
    pub rule: Option<String>,
    /// `line:column` in it.
    pub position: Option<String>,
    /// The condition, tag or exception.
    pub condition: String,
}

/// One router on a call's way.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FallInfo {
    /// Id of the stage.
    pub id: String,
    /// Dubbo's class, or the name of a router of the user's own.
    pub router: String,
    /// Addresses in.
    #[serde(rename = "in")]
    pub input: usize,
    /// Addresses out.
    #[serde(rename = "out")]
    pub output: usize,
    /// Whether only bounds are known.
    pub bounded: bool,
    /// Addresses that were taken away, at most 200.
    pub dropped: Vec<TakenInfo>,
    /// How many.
    pub dropped_total: usize,
    /// The exception it ends in.
    pub thrown: Option<String>,
}

/// One address that was taken away.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TakenInfo {
    /// `host:port`.
    pub address: String,
    /// Code.
    pub code: String,
    /// Key of the rule.
    pub rule: Option<String>,
    /// `line:column` in it.
    pub position: Option<String>,
    /// The condition or tag.
    pub condition: String,
    /// The clause that the address does not fit.
    pub clause: Option<String>,
    /// What it has there.
    pub value: Option<String>,
}

/// What the rules cover.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CoverageInfo {
    /// Conditions and tags that fitted no call.
    pub never_matched: Vec<PartInfo>,
    /// Conditions that no call came to: nothing was left before them.
    pub never_asked: Vec<PartInfo>,
    /// Conditions to which others leave nothing to do.
    pub shadowed: Vec<PartInfo>,
    /// Addresses that no call can reach, at most 200.
    pub unreachable: Vec<String>,
    /// How many.
    pub unreachable_total: usize,
}

/// A condition or tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PartInfo {
    /// Key of the rule.
    pub rule: String,
    /// `line:column` in it.
    pub position: Option<String>,
    /// As written.
    pub text: String,
}

/// What is left without something.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DrillInfo {
    /// What is gone.
    pub without: String,
    /// Addresses before.
    pub addresses_before: usize,
    /// Addresses that remain.
    pub addresses_after: usize,
    /// Calls that lose everything by it.
    pub lost: u64,
    /// Calls of which only bounds are known then.
    pub bounded: u64,
    /// What leaves nothing although addresses remain.
    pub no_fallback: Vec<NoFallback>,
    /// Calls that lose everything, one example for each kind.
    pub lost_requests: Vec<LostRequest>,
}

/// A rule or router without a way out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoFallback {
    /// What leaves nothing.
    #[serde(flatten)]
    pub cause: CauseInfo,
    /// Calls that it leaves with nothing.
    pub requests: u64,
    /// Addresses that remain.
    pub remaining: usize,
}

/// Calls that lose everything.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LostRequest {
    /// How many.
    pub requests: u64,
    /// One of them.
    pub example: Value,
}

/// Before and after a candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CandidateChange {
    /// Keys of its rules.
    pub rules: Vec<String>,
    /// Calls that lose everything by it.
    pub newly_lost: u64,
    /// Calls that get an address by it.
    pub newly_served: u64,
    /// Calls that have nothing with it, whatever was before.
    pub lost: u64,
    /// Calls whose set of addresses changes.
    pub changed: u64,
    /// Calls of which only bounds are known; they count in no share.
    pub bounded: u64,
    /// The largest share of all calls that one address gains or loses, from 0 to 1.
    pub largest_shift: f64,
    /// The share that was allowed.
    pub max_shift: Option<f64>,
    /// Share of all calls by address, where it changes.
    pub shares: Vec<ShareInfo>,
    /// Calls that change, one entry for each kind.
    pub changes: Vec<ChangeInfo>,
    /// How many kinds change.
    pub changes_total: usize,
}

/// The share of an address.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShareInfo {
    /// `host:port`.
    pub address: String,
    /// Before, from 0 to 1.
    pub before: f64,
    /// After.
    pub after: f64,
}

/// Calls of one kind that change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangeInfo {
    /// How many.
    pub requests: u64,
    /// One of them.
    pub example: Value,
    /// What is left before.
    pub before: Vec<String>,
    /// What is left after.
    pub after: Vec<String>,
}

/// Versions compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatrixInfo {
    /// In the order asked.
    pub versions: Vec<VersionInfo>,
    /// Calls that do not end the same way everywhere.
    pub differences: Vec<DifferenceInfo>,
    /// How many kinds differ.
    pub differences_total: usize,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VersionInfo {
    /// The version.
    pub dubbo: String,
    /// Calls that lose everything.
    pub lost: u64,
    /// Calls of which only bounds are known.
    pub bounded: u64,
    /// Addresses before the routers.
    pub addresses: usize,
}

/// Calls of one kind that differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DifferenceInfo {
    /// How many.
    pub requests: u64,
    /// One of them.
    pub example: Value,
    /// What is left, by version.
    pub survivors: BTreeMap<String, Vec<String>>,
}

/// What the command line says besides the scenarios.
#[derive(Debug, Clone, Default)]
pub struct ReplayManner {
    /// What the access log had.
    pub counts: Option<AccessCounts>,
    /// Keys of the candidate's rules.
    pub candidate: Vec<String>,
    /// The largest share that may move.
    pub max_shift: Option<f64>,
}

/// The part of the report, from what was folded.
pub fn replay_info(trial: &Trial<'_>, manner: &ReplayManner) -> ReplayInfo {
    let folded = trial.folded;
    let zones = &trial.scenarios[0].zones;
    let mut classes: Vec<&Class> = folded.classes[0]
        .iter()
        .filter(|class| class.requests > 0)
        .collect();
    classes.sort_by(|a, b| {
        b.ran
            .is_lost()
            .cmp(&a.ran.is_lost())
            .then(b.requests.cmp(&a.requests))
    });
    ReplayInfo {
        requests: folded.requests,
        distinct: folded.combinations.len(),
        unclear: folded.unclear + folded.beyond,
        addresses: folded.addresses.as_ref().map_or(0, |all| all.len()),
        input: manner.counts.as_ref().map(|counts| InputInfo {
            lines: counts.lines,
            calls: counts.calls,
            other_services: counts.others,
            unread: counts.unread,
            first_unread_line: counts.first_unread,
        }),
        classes_total: classes.len(),
        classes: classes
            .into_iter()
            .take(MOST_LISTED)
            .map(|class| class_info(class, zones))
            .collect(),
        coverage: coverage_info(replay::coverage(folded, &trial.scenarios[0], trial.subject)),
        drill: (!trial.plan.drills.is_empty()).then(|| {
            trial
                .plan
                .drills
                .iter()
                .map(|place| drill_info(trial, *place))
                .collect()
        }),
        candidate: trial
            .plan
            .candidate
            .map(|place| candidate_change(trial, place, manner)),
        matrix: (!trial.plan.matrix.is_empty()).then(|| matrix_info(trial)),
    }
}

fn names(all: &[&str]) -> Vec<String> {
    all.iter()
        .take(MOST_ADDRESSES)
        .map(|one| (*one).to_owned())
        .collect()
}

fn example(request: &Request) -> Value {
    let attachments: BTreeMap<&str, &str> = request
        .attachments
        .iter()
        .map(|(name, value)| {
            let secret = is_secret_name(name);
            (name.as_str(), if secret { MASK } else { value })
        })
        .collect();
    let mut shown = json!({
        "method": request.method,
        "arguments": request.arguments,
        "attachments": attachments,
    });
    if let Value::Object(fields) = &mut shown {
        if !request.parameter_types.is_empty() {
            fields.insert("parameter_types".to_owned(), json!(request.parameter_types));
        }
        let caller = &request.caller;
        if caller.ip.is_some() || caller.application.is_some() {
            fields.insert(
                "consumer".to_owned(),
                json!({"ip": caller.ip, "application": caller.application}),
            );
        }
    }
    shown
}

fn class_info(class: &Class, zones: &Zones) -> ClassInfo {
    let ran = &class.ran;
    let left = ran.survivors();
    ClassInfo {
        requests: class.requests,
        example: example(&class.example),
        survivors_total: left.len(),
        survivors: names(&left),
        probability: draws(ran),
        bounded: ran.is_uncertain(),
        lost: ran.is_lost(),
        cause: cause(ran, zones).as_ref().map(cause_info),
        stages: waterfall(ran, zones).into_iter().map(fall_info).collect(),
    }
}

fn draws(ran: &Ran) -> Option<Vec<Draw>> {
    let draws = ran.draws()?;
    let mut draws: Vec<Draw> = draws
        .into_iter()
        .map(|(left, probability)| Draw {
            survivors: names(&left),
            probability: rounded(probability),
        })
        .collect();
    draws.sort_by(|a, b| {
        b.probability
            .total_cmp(&a.probability)
            .then_with(|| a.survivors.cmp(&b.survivors))
    });
    Some(draws)
}

/// Six digits: what is behind them is an accident of floating point.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

fn cause_info(cause: &replay::Cause) -> CauseInfo {
    CauseInfo {
        code: cause.code.to_string(),
        stage: cause.stage.clone(),
        rule: cause.rule.clone(),
        position: place(cause.position),
        condition: cause.condition.clone(),
    }
}

fn fall_info(fall: replay::Fall) -> FallInfo {
    FallInfo {
        id: fall.id,
        router: fall.router,
        input: fall.input,
        output: fall.output,
        bounded: fall.bounded,
        dropped_total: fall.gone.len(),
        dropped: fall
            .gone
            .into_iter()
            .take(MOST_ADDRESSES)
            .map(|taken| TakenInfo {
                address: taken.address,
                code: taken.code.to_string(),
                rule: taken.rule,
                position: place(taken.position),
                condition: taken.condition,
                clause: taken.clause,
                value: taken.value,
            })
            .collect(),
        thrown: fall.thrown,
    }
}

fn coverage_info(coverage: Coverage) -> CoverageInfo {
    let parts = |parts: Vec<PartName>| {
        parts
            .into_iter()
            .take(MOST_ADDRESSES)
            .map(|part| PartInfo {
                rule: part.rule,
                position: place(part.position),
                text: part.text,
            })
            .collect()
    };
    CoverageInfo {
        never_matched: parts(coverage.never_matched),
        never_asked: parts(coverage.never_asked),
        shadowed: parts(coverage.shadowed),
        unreachable_total: coverage.unreachable.len(),
        unreachable: coverage
            .unreachable
            .into_iter()
            .take(MOST_ADDRESSES)
            .collect(),
    }
}

fn drill_info(trial: &Trial<'_>, place: usize) -> DrillInfo {
    let folded = trial.folded;
    let ran = |place: usize, class: usize| &folded.classes[place][class].ran;
    let newly_lost: Vec<_> = folded
        .combinations
        .iter()
        .filter(|calls| {
            !ran(0, calls.classes[0]).is_lost() && ran(place, calls.classes[place]).is_lost()
        })
        .collect();
    DrillInfo {
        without: trial.scenarios[place].name.clone(),
        addresses_before: folded.addresses.as_ref().map_or(0, |all| all.len()),
        addresses_after: folded.classes[place]
            .first()
            .map_or(0, |class| class.ran.addresses.len()),
        lost: newly_lost.iter().map(|calls| calls.requests).sum(),
        bounded: folded.classes[place]
            .iter()
            .filter(|class| class.ran.is_uncertain())
            .map(|class| class.requests)
            .sum(),
        no_fallback: unguarded(trial, place)
            .iter()
            .take(MOST_LISTED)
            .map(|(cause, requests, remaining)| NoFallback {
                cause: cause_info(cause),
                requests: *requests,
                remaining: *remaining,
            })
            .collect(),
        lost_requests: newly_lost
            .iter()
            .take(MOST_LISTED)
            .map(|calls| LostRequest {
                requests: calls.requests,
                example: example(&calls.example),
            })
            .collect(),
    }
}

fn candidate_change(trial: &Trial<'_>, place: usize, manner: &ReplayManner) -> CandidateChange {
    let folded = trial.folded;
    let moved = shift(folded, place);
    let changes: Vec<_> = folded
        .combinations
        .iter()
        .filter_map(|calls| {
            let before = folded.classes[0][calls.classes[0]].ran.survivors();
            let after = folded.classes[place][calls.classes[place]].ran.survivors();
            (before != after).then(|| ChangeInfo {
                requests: calls.requests,
                example: example(&calls.example),
                before: names(&before),
                after: names(&after),
            })
        })
        .collect();
    CandidateChange {
        rules: manner.candidate.clone(),
        newly_lost: moved.lost,
        newly_served: moved.won,
        lost: folded.classes[place]
            .iter()
            .filter(|class| class.ran.is_lost())
            .map(|class| class.requests)
            .sum(),
        changed: moved.changed,
        bounded: moved.unclear,
        largest_shift: rounded(moved.largest()),
        max_shift: manner.max_shift,
        shares: moved
            .by_address
            .iter()
            .filter(|(_, (before, after))| (before - after).abs() > 1e-9)
            .take(MOST_ADDRESSES)
            .map(|(address, (before, after))| ShareInfo {
                address: address.clone(),
                before: rounded(*before),
                after: rounded(*after),
            })
            .collect(),
        changes_total: changes.len(),
        changes: changes.into_iter().take(MOST_LISTED).collect(),
    }
}

fn matrix_info(trial: &Trial<'_>) -> MatrixInfo {
    let folded = trial.folded;
    let versions = trial
        .plan
        .matrix
        .iter()
        .map(|place| {
            let classes = &folded.classes[*place];
            let count = |fits: fn(&Class) -> bool| {
                classes
                    .iter()
                    .filter(|class| fits(class))
                    .map(|class| class.requests)
                    .sum()
            };
            VersionInfo {
                dubbo: trial.scenarios[*place].name.clone(),
                lost: count(|class| class.ran.is_lost()),
                bounded: count(|class| class.ran.is_uncertain()),
                addresses: classes.first().map_or(0, |class| class.ran.addresses.len()),
            }
        })
        .collect();
    let found = differences(folded, &trial.plan.matrix);
    MatrixInfo {
        versions,
        differences_total: found.len(),
        differences: found
            .iter()
            .take(MOST_LISTED)
            .map(|difference| DifferenceInfo {
                requests: difference.calls.requests,
                example: example(&difference.calls.example),
                survivors: difference
                    .groups
                    .iter()
                    .flat_map(|(places, left)| {
                        places
                            .iter()
                            .map(|place| (trial.scenarios[*place].name.clone(), names(left)))
                    })
                    .collect(),
            })
            .collect(),
    }
}
