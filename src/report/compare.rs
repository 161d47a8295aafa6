//! The same question asked of two places: what differs between two reports. Pure; only what is in the reports counts, and
//! where and when a fact was seen does not.

use std::collections::BTreeSet;

use super::model::{Answer, ComparisonInfo, PlaceDifference, Report, StageInfo};

/// Writes into every answer of `here` what the answer to the same question in `there` has different.
pub fn compare(here: &mut Report, there: &Report, with: &str) {
    for (answer, other) in here.reports.iter_mut().zip(&there.reports) {
        answer.comparison = Some(ComparisonInfo {
            with: with.to_owned(),
            outcome: other.outcome,
            code: other.verdict.as_ref().map(|verdict| verdict.code.clone()),
            differences: differences(answer, other),
        });
    }
}

fn differences(here: &Answer, there: &Answer) -> Vec<PlaceDifference> {
    let mut found = Vec::new();
    let mut put = |what: &str, here: Option<String>, there: Option<String>| {
        if here != there {
            found.push(PlaceDifference {
                what: what.to_owned(),
                here,
                there,
            });
        }
    };
    let outcome = |answer: &Answer| answer.outcome.map(str::to_owned);
    put("outcome", outcome(here), outcome(there));
    let verdict = |answer: &Answer| {
        let verdict = answer.verdict.as_ref()?;
        Some(format!(
            "{} {}: {}",
            verdict.code, verdict.certainty, verdict.message
        ))
    };
    put("verdict", verdict(here), verdict(there));
    for (id, model) in in_order(here, there, |answer| {
        answer
            .stages
            .iter()
            .map(|stage| (stage.id.clone(), stage.model))
            .collect()
    }) {
        let stages = |answer: &Answer| {
            let said: Vec<String> = answer
                .stages
                .iter()
                .filter(|stage| stage.id == id && stage.model == model)
                .map(said)
                .collect();
            (!said.is_empty()).then(|| said.join("; "))
        };
        put(
            &format!("stage {id} ({model})"),
            stages(here),
            stages(there),
        );
    }
    for (code, subject) in in_order(here, there, |answer| {
        answer
            .findings
            .iter()
            .map(|finding| (finding.code.clone(), finding.subject.name.clone()))
            .collect()
    }) {
        let of = |answer: &Answer| {
            answer
                .findings
                .iter()
                .find(|finding| finding.code == code && finding.subject.name == subject)
                .map(|finding| {
                    format!(
                        "{} {}: {}",
                        finding.severity, finding.certainty, finding.message
                    )
                })
        };
        put(&format!("{code} {subject}"), of(here), of(there));
    }
    found
}

/// Names of both sides, each once, those of here first.
fn in_order<T: Ord + Clone>(
    here: &Answer,
    there: &Answer,
    names: impl Fn(&Answer) -> Vec<T>,
) -> Vec<T> {
    let mut seen = BTreeSet::new();
    names(here)
        .into_iter()
        .chain(names(there))
        .filter(|name| seen.insert(name.clone()))
        .collect()
}

fn said(stage: &StageInfo) -> String {
    let count =
        |count: Option<usize>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
    match (stage.input, stage.output) {
        (None, None) => stage.state.to_owned(),
        (input, output) => format!("{} {} -> {}", stage.state, count(input), count(output)),
    }
}
