//! The findings beside the verdict, and what was assumed.

use serde_json::{Map, json};

use super::{
    Assumption, Certainty, Finding, Outcome, Remedy,
    code::{Code, Family},
    decide::{Computed, shown_state},
    remedy,
    worlds::state_word,
};
use crate::{
    report::words::Say,
    view::stage::{Evidence, Raised, StageId, State},
};

/// All findings: the verdict's first, then by severity and code.
pub(crate) fn findings(computed: &Computed<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    if let Some((raised, certainty)) = &computed.cause {
        findings.push(finding(computed, raised.clone(), *certainty, false));
    }
    let mut rest: Vec<Finding> = partial_drops(computed)
        .into_iter()
        .map(|raised| {
            // A call of ours that was not answered as the consumer's would be.
            let called = matches!(
                raised.code,
                Code::MetadataServiceUnreachable | Code::MetadataRefused
            ) || raised.code.family() == Family::Registry;
            let certainty = if called {
                Certainty::Likely
            } else {
                Certainty::Certain
            };
            finding(computed, raised, certainty, true)
        })
        .collect();
    rest.extend(
        super::remarks::remarks(computed)
            .into_iter()
            .map(|(raised, certainty, lowered)| finding(computed, raised, certainty, lowered)),
    );
    // What else could be the cause stands beside the verdict; what a registry answered in place of facts always does.
    rest.extend(
        computed
            .candidates
            .iter()
            .filter(|(code, _)| computed.cause.is_some() || code.family() == Family::Registry)
            .map(|(_, (raised, _))| finding(computed, raised.clone(), Certainty::Possible, true)),
    );
    rest.retain(|found| {
        findings
            .first()
            .is_none_or(|first| (first.code, &first.subject) != (found.code, &found.subject))
    });
    rest.sort_by(|a, b| {
        b.severity
            .cmp(&a.severity)
            .then(a.code.cmp(&b.code))
            .then(a.subject.cmp(&b.subject))
    });
    rest.dedup_by(|a, b| a.code == b.code && a.subject == b.subject);
    findings.extend(rest);
    findings
}

fn finding(
    computed: &Computed<'_>,
    raised: Raised,
    certainty: Certainty,
    lowered: bool,
) -> Finding {
    let severity = raised.code.severity();
    // Codes of the tool and of a registry in use are never lowered.
    let never = raised.code.number() < 2000;
    let remedy: Vec<Remedy> = remedy::steps(computed, &raised);
    let mut evidence: Vec<Evidence> = Vec::new();
    for shown in raised.evidence {
        if !evidence.contains(&shown) {
            evidence.push(shown);
        }
    }
    Finding {
        code: raised.code,
        severity: if lowered && !never {
            severity.lowered()
        } else {
            severity
        },
        certainty,
        see: remedy::see(raised.code)
            .iter()
            .map(|code| (*code).to_owned())
            .collect(),
        subject: raised.subject,
        params: raised.params,
        evidence,
        remedy,
    }
}

/// Drops that left something, or a list that a running consumer keeps: lowered findings.
fn partial_drops(computed: &Computed<'_>) -> Vec<Raised> {
    let mut found = Vec::new();
    // Partly without a cause: the consumer's zone is lost, others keep some.
    if !matches!(computed.outcome, Outcome::Reachable | Outcome::Partly) || computed.cause.is_some()
    {
        return found;
    }
    for (_, _, judged) in &computed.states[0].parts {
        // The consumer has a list all the same: what left nothing is no verdict, and said.
        if computed.outcome == Outcome::Reachable {
            found.extend(judged.emptied.clone());
        }
        for stage in &judged.view.stages {
            let tells = matches!(
                stage.id,
                StageId::Question
                    | StageId::Reach
                    | StageId::NameForm
                    | StageId::Entries
                    | StageId::Instances
                    | StageId::Revision
                    | StageId::Protocol
                    | StageId::Configurators
            );
            // Weights of instances are told whatever the outcome.
            let first = stage.raises.iter().take(1);
            let first = first.filter(|raised| raised.code != Code::WeightZero);
            // Of a stage that was not seen the codes only say what could have been.
            let open = stage.state == State::Unknown && stage.id != StageId::Reach;
            if tells && !open {
                found.extend(first.cloned());
            }
        }
    }
    found
}

/// What was taken for granted.
pub(crate) fn assumed(computed: &Computed<'_>) -> Vec<Assumption> {
    let mut assumed = Vec::new();
    if computed.worlds.assumed {
        assumed.push(Assumption {
            what: "dubbo",
            value: computed.worlds.version.to_string(),
            why: Say::AssumedNewest.into(),
            changes_verdict: computed.one_version || !computed.others.is_empty(),
        });
    }
    if computed.worlds.states.len() > 1 {
        let differ = computed.states.iter().any(|state| {
            (state.judged.outcome, state.judged.code())
                != (
                    computed.states[0].judged.outcome,
                    computed.states[0].judged.code(),
                )
        });
        // Who was seen with a list of its own runs.
        if differ || !is_listed(computed) {
            assumed.push(Assumption {
                what: "consumer",
                value: state_word(shown_state(computed)).to_owned(),
                why: Say::AssumedBothStates.into(),
                changes_verdict: differ,
            });
        }
    }
    if computed.observed.registries_from_recording {
        assumed.push(Assumption {
            what: "registry",
            value: computed
                .question
                .registries
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" "),
            why: Say::AssumedRecordedRegistry.into(),
            changes_verdict: false,
        });
    }
    assumed
}

/// The consumer's own list was seen, of one registry at least.
fn is_listed(computed: &Computed<'_>) -> bool {
    let (question, alone) = (computed.question, computed.registries.len() == 1);
    computed.registries.iter().any(|registry| {
        let address = registry.address.as_ref();
        let own = computed.own;
        own.list(&question.service, &question.consumer, address, alone)
            .is_some()
    })
}

/// DG0102: the version is assumed.
pub(super) fn version_assumed(computed: &Computed<'_>) -> Option<Raised> {
    if !computed.worlds.assumed {
        return None;
    }
    let mut differs: Vec<String> = computed
        .others
        .iter()
        .map(|(world, ..)| world.dubbo.to_string())
        .collect();
    differs.dedup();
    let mut params = Map::new();
    params.insert("assumed".into(), json!(computed.worlds.version.to_string()));
    params.insert("differs".into(), json!(differs));
    Some(Raised {
        code: Code::VersionAssumed,
        params,
        subject: ("consumer".to_owned(), "dubbo".to_owned()),
        evidence: Vec::new(),
    })
}
