//! The report of `timeout-budget`: outcome null with the leading error as verdict, or `unknown` with candidates.

use super::{
    build::{
        Manner, assumed_info, candidate_info, certainty_word, envelope, finding_info,
        not_seen_info, outcome_word, question_info,
    },
    model::{Answer, Report, VerdictInfo},
    words::filled,
};
use crate::{
    diagnose::{Outcome, budget::BudgetDiagnosis},
    exit::Ending,
    question::Question,
    snapshot::Snapshot,
};

/// One question with its answer.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The question.
    pub question: Question,
    /// The answer.
    pub diagnosis: BudgetDiagnosis,
}

/// The report of a run.
pub fn budget_report(answered: &[Answered], snapshot: &Snapshot, manner: &Manner) -> Report {
    let endings: Vec<Ending> = answered
        .iter()
        .map(|one| Ending {
            outcome: outcome(one, manner),
            findings: one
                .diagnosis
                .findings
                .iter()
                .filter(|finding| manner.filter.shows(finding))
                .map(|finding| finding.severity)
                .collect(),
        })
        .collect();
    let reports = answered
        .iter()
        .map(|one| answer(one, snapshot, manner))
        .collect();
    let zones = answered.first().map(|one| &one.question.zones);
    envelope(reports, &endings, snapshot.manifest(), zones, manner)
}

/// A budget has no outcome of its own, unless nothing can be said.
fn outcome(one: &Answered, manner: &Manner) -> Option<Outcome> {
    one.diagnosis
        .is_unknown(|finding| manner.filter.shows(finding))
        .then_some(Outcome::Unknown)
}

fn answer(one: &Answered, snapshot: &Snapshot, manner: &Manner) -> Answer {
    let lang = manner.lang;
    let diagnosis = &one.diagnosis;
    let leading = diagnosis.leading(|finding| manner.filter.shows(finding));
    Answer {
        question: question_info(&one.question, snapshot),
        outcome: outcome(one, manner).map(outcome_word),
        verdict: leading.map(|finding| VerdictInfo {
            code: finding.code.to_string(),
            name: finding.code.name(),
            family: finding.code.family().to_string(),
            certainty: certainty_word(finding.certainty),
            message: filled(finding.code, &finding.params, lang),
            params: finding.params.clone(),
            then: Vec::new(),
            then_not_seen: Vec::new(),
            contributors: Vec::new(),
            worlds: None,
        }),
        models: Vec::new(),
        zones: None,
        candidates: match outcome(one, manner) {
            Some(_) => diagnosis
                .undecided(|finding| manner.filter.shows(finding))
                .iter()
                .map(|candidate| candidate_info(candidate, lang))
                .collect(),
            None => Vec::new(),
        },
        stages: Vec::new(),
        findings: diagnosis
            .findings
            .iter()
            .filter(|finding| manner.filter.shows(finding))
            .map(|finding| finding_info(finding, lang))
            .collect(),
        assumed: diagnosis
            .assumed
            .iter()
            .map(|assumption| assumed_info(assumption, lang))
            .chain(manner.filter.hidden(&diagnosis.findings, None, lang))
            .collect(),
        not_seen: diagnosis
            .not_seen
            .iter()
            .map(|not_seen| not_seen_info(not_seen, lang))
            .collect(),
        budget: Some(Box::new(diagnosis.budget.clone())),
        replay: None,
        rule: None,
        comparison: None,
    }
}
