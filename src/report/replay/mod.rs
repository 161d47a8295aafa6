//! The part of a report that `route-replay` fills: what became of the calls, and what would change.

mod model;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::input::access_log::AccessCounts;
use crate::input::requests::Request;
use crate::model::secret::{MASK, is_secret_name};
use crate::model::zone::Zones;
use crate::replay::{
    self, Class, Coverage, Oddity, PartName, Ran, Trial, cause, differences, place, shift,
    state_word, unguarded, waterfall, ways,
};

use super::words::{Lang, Say};

pub use model::{
    CandidateChange, CauseInfo, ChangeInfo, ClassInfo, CoverageInfo, DifferenceInfo, Draw,
    DrillInfo, FallInfo, InputInfo, LostRequest, MatrixInfo, NoFallback, OddityInfo, PartInfo,
    ReplayInfo, ShareInfo, TakenInfo, VersionInfo, WayInfo,
};

/// Most classes, differences and the like that are listed; totals have the true numbers.
const MOST_LISTED: usize = 24;
/// Most addresses listed at one place.
const MOST_ADDRESSES: usize = 200;

/// What the command line says besides the scenarios.
#[derive(Debug, Clone, Default)]
pub struct ReplayManner {
    /// What the access log had.
    pub counts: Option<AccessCounts>,
    /// Keys of the candidate's rules.
    pub candidate: Vec<String>,
    /// The largest share that may move.
    pub max_shift: Option<f64>,
    /// Language of its sentences.
    pub lang: Lang,
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
        let lost = |class: &Class| class.ran.lost_share();
        lost(b)
            .total_cmp(&lost(a))
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
            .map(|class| class_info(class, zones, manner.lang))
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
        candidate: candidate(trial, manner),
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

fn class_info(class: &Class, zones: &Zones, lang: Lang) -> ClassInfo {
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
        lost_share: rounded(ran.lost_share()),
        cause: cause(ran, zones).as_ref().map(cause_info),
        stages: fall_infos(waterfall(ran, zones), lang),
        ways: ways(ran, zones)
            .into_iter()
            .map(|way| WayInfo {
                probability: rounded(way.probability),
                survivors: names(&way.survivors),
                survivors_total: way.survivors.len(),
                bounded: way.bounded,
                cause: way.cause.as_ref().map(cause_info),
                stages: fall_infos(way.falls, lang),
            })
            .collect(),
    }
}

fn fall_infos(falls: Vec<replay::Fall>, lang: Lang) -> Vec<FallInfo> {
    let falls = falls.into_iter();
    falls.map(|fall| fall_info(fall, lang)).collect()
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
    (value * 1e6).round() / 1e6 + 0.0
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

fn fall_info(fall: replay::Fall, lang: Lang) -> FallInfo {
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
        oddities: fall
            .oddities
            .into_iter()
            .map(|oddity| odd(oddity, lang))
            .collect(),
    }
}

/// What is odd, in words.
fn odd(oddity: Oddity, lang: Lang) -> OddityInfo {
    let (name, say) = match oddity {
        Oddity::MissingKeyPasses => ("missing-key-passes", Say::OddMissingKeyPasses),
        Oddity::MissingKeyFails => ("missing-key-fails", Say::OddMissingKeyFails),
        Oddity::LeftSideSeesRegistry => ("left-side-sees-registry", Say::OddLeftSideSeesRegistry),
        Oddity::ConsumerOverlays => ("consumer-overlays", Say::OddConsumerOverlays),
        Oddity::DrawIsOffByOne => ("draw-is-off-by-one", Say::OddDrawIsOffByOne),
        Oddity::GenericCallHasOwnName => ("generic-call-has-own-name", Say::OddGenericCall),
        Oddity::LoopbackHasNoPattern => ("loopback-has-no-pattern", Say::OddLoopback),
        Oddity::LabelsSeeConsumer => ("labels-see-consumer", Say::OddLabelsSeeConsumer),
        Oddity::OwnRuleRunsTwice => ("own-rule-runs-twice", Say::OddOwnRuleRunsTwice),
        Oddity::FirstAddressDecides => ("first-address-decides", Say::OddFirstAddressDecides),
        Oddity::ForceTagOfUrlIgnored => ("force-tag-of-url-ignored", Say::OddForceTagOfUrl),
        Oddity::EarlierTextStays => ("earlier-text-stays", Say::OddEarlierTextStays),
        Oddity::ScriptOutlivesRule => ("script-outlives-rule", Say::OddScriptOutlivesRule),
    };
    OddityInfo {
        name,
        text: say.template(lang).to_owned(),
    }
}

fn coverage_info(coverage: Coverage) -> CoverageInfo {
    let parts = |parts: Vec<PartName>| {
        parts
            .into_iter()
            .take(MOST_ADDRESSES)
            .map(|part| PartInfo {
                rule: part.rule.to_string(),
                position: place(part.position),
                text: part.text.to_string(),
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
        .filter(|calls| ran(place, calls.classes[place]).loses_more_than(ran(0, calls.classes[0])))
        .collect();
    DrillInfo {
        without: trial.scenarios[place].name.clone(),
        addresses_before: folded.addresses.as_ref().map_or(0, |all| all.len()),
        addresses_after: folded.classes[place]
            .first()
            .map_or(0, |class| class.ran.addresses.len()),
        lost: newly_lost.iter().map(|calls| calls.requests).sum(),
        lost_share: rounded(shift(folded, 0, place).lost_share),
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

/// The comparison, for both kinds of consumers where they differ.
fn candidate(trial: &Trial<'_>, manner: &ReplayManner) -> Option<CandidateChange> {
    let plan = trial.plan;
    let shown = candidate_change(trial, (0, plan.candidate?), manner);
    let running = plan.candidate_running.map(|place| {
        let before = plan.running.unwrap_or_default();
        candidate_change(trial, (before, place), manner)
    });
    let other = running.filter(|running| {
        let same = CandidateChange {
            state: shown.state,
            ..running.clone()
        };
        same != shown
    });
    Some(CandidateChange {
        other: other.map(Box::new),
        ..shown
    })
}

fn candidate_change(
    trial: &Trial<'_>,
    (from, place): (usize, usize),
    manner: &ReplayManner,
) -> CandidateChange {
    let folded = trial.folded;
    let moved = shift(folded, from, place);
    let changes: Vec<_> = folded
        .combinations
        .iter()
        .filter_map(|calls| {
            let before = &folded.classes[from][calls.classes[from]].ran;
            let after = &folded.classes[place][calls.classes[place]].ran;
            before.differs_from(after).then(|| ChangeInfo {
                requests: calls.requests,
                example: example(&calls.example),
                before: names(&before.survivors()),
                after: names(&after.survivors()),
                lost_before: rounded(before.lost_share()),
                lost_after: rounded(after.lost_share()),
            })
        })
        .collect();
    CandidateChange {
        state: state_word(trial.scenarios[place].world.state),
        other: None,
        rules: manner.candidate.clone(),
        newly_lost: moved.lost,
        newly_lost_share: rounded(moved.lost_share),
        newly_served: moved.won,
        lost: folded.classes[place]
            .iter()
            .filter(|class| class.ran.may_lose())
            .map(|class| class.requests)
            .sum(),
        lost_share: rounded(trial.share(folded.classes[place].iter().map(Class::lost).sum())),
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
                lost: count(|class| class.ran.may_lose()),
                lost_share: rounded(trial.share(classes.iter().map(Class::lost).sum())),
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
                    .flat_map(|group| {
                        let name = |place: &usize| trial.scenarios[*place].name.clone();
                        let places = group.places.iter();
                        places.map(move |place| (name(place), names(&group.survivors)))
                    })
                    .collect(),
                lost_share: difference
                    .groups
                    .iter()
                    .flat_map(|group| {
                        let name = |place: &usize| trial.scenarios[*place].name.clone();
                        let places = group.places.iter();
                        places.map(move |place| (name(place), rounded(group.lost_share)))
                    })
                    .collect(),
            })
            .collect(),
    }
}
