//! Compares an answer with the right one, as the page beside the cases says.

use diag::diagnose::{Certainty, Diagnosis, Outcome, code::Severity, diagnose};

use super::{ask, case::Case, recording};

/// What a case came to.
#[derive(Debug)]
pub(crate) enum Grade {
    Right,
    Unknown,
    Wrong(String),
    NotBuilt,
}

/// Asks and compares.
pub(crate) fn grade(case: &Case) -> Grade {
    if case.ask.first().is_none_or(|verb| verb != "no-provider") {
        return Grade::NotBuilt;
    }
    let (snapshot, logs) = recording::open(&case.dir);
    let mut question = match ask::question(&case.ask, &snapshot) {
        Ok(question) => question,
        Err(error) => return Grade::Wrong(error),
    };
    question.logs.extend(logs);
    let diagnosis = diagnose(&question, &snapshot);
    compare(case, &diagnosis)
}

/// Compares a diagnosis with what the case demands.
pub(crate) fn compare(case: &Case, diagnosis: &Diagnosis) -> Grade {
    let problems = problems(case, diagnosis);
    if problems.is_empty() {
        return Grade::Right;
    }
    let honest = diagnosis.outcome == Outcome::Unknown
        && diagnosis.verdict.is_none()
        && diagnosis.not_seen.iter().any(|fact| fact.required);
    if honest {
        return Grade::Unknown;
    }
    Grade::Wrong(format!(
        "{} | got {}",
        problems.join("; "),
        shown(diagnosis)
    ))
}

fn problems(case: &Case, diagnosis: &Diagnosis) -> Vec<String> {
    let mut problems = Vec::new();
    let outcomes: Vec<&str> = case.outcome.split('|').collect();
    let outcome = word(diagnosis.outcome);
    let Some(at) = outcomes.iter().position(|right| *right == outcome) else {
        return vec![format!("outcome {} expected", case.outcome)];
    };
    let verdict = diagnosis.verdict.as_ref();
    let code = verdict.map(|verdict| verdict.code.to_string());
    match &code {
        None if !case.code.is_empty() => problems.push(format!("code {:?} expected", case.code)),
        Some(code) if !case.code.contains(code) => {
            problems.push(format!("code {:?} expected", case.code));
        }
        _ => {}
    }
    let certainties: Vec<&str> = case.certainty.split('|').collect();
    let bound = certainties
        .get(at)
        .or(certainties.last())
        .copied()
        .unwrap_or("-");
    if let Some(verdict) = verdict {
        let most = match bound {
            "certain" => Certainty::Certain,
            "likely" => Certainty::Likely,
            _ => Certainty::Possible,
        };
        if verdict.certainty > most {
            problems.push(format!("certainty {bound} at most"));
        }
        let then: Vec<String> = verdict.then.iter().map(ToString::to_string).collect();
        if then != case.then {
            problems.push(format!("then {:?} expected, {then:?} given", case.then));
        }
    }
    if !case.exit.contains(&exit(diagnosis)) {
        problems.push(format!(
            "exit {:?} expected, {} given",
            case.exit,
            exit(diagnosis)
        ));
    }
    let mut codes: Vec<String> = diagnosis
        .findings
        .iter()
        .map(|finding| finding.code.to_string())
        .collect();
    for unwanted in &case.without {
        if codes.contains(unwanted) {
            problems.push(format!("{unwanted} must not be found"));
        }
    }
    if diagnosis.outcome == Outcome::Unknown {
        codes.extend(diagnosis.candidates.iter().map(|c| c.code.to_string()));
    }
    for any in &case.findings {
        if !any.iter().any(|code| code == "-" || codes.contains(code)) {
            problems.push(format!("one of {any:?} must be found"));
        }
    }
    problems
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Reachable => "reachable",
        Outcome::Partly => "partly",
        Outcome::None => "none",
        Outcome::Unknown => "unknown",
    }
}

/// Exit code with default flags.
fn exit(diagnosis: &Diagnosis) -> i32 {
    match diagnosis.outcome {
        Outcome::None | Outcome::Partly => 1,
        Outcome::Unknown => 3,
        Outcome::Reachable => i32::from(
            diagnosis
                .findings
                .iter()
                .any(|finding| finding.severity == Severity::Error),
        ),
    }
}

/// One line for a failing case.
fn shown(diagnosis: &Diagnosis) -> String {
    format!(
        "{} {:?} cand {:?} find {:?} miss {:?}",
        word(diagnosis.outcome),
        diagnosis
            .verdict
            .as_ref()
            .map(|verdict| (verdict.code.to_string(), verdict.certainty)),
        diagnosis
            .candidates
            .iter()
            .map(|c| c.code.to_string())
            .collect::<Vec<_>>(),
        diagnosis
            .findings
            .iter()
            .map(|f| f.code.to_string())
            .collect::<Vec<_>>(),
        diagnosis
            .not_seen
            .iter()
            .filter(|fact| fact.required)
            .map(|fact| fact.what.text(diag::report::words::Lang::En))
            .take(3)
            .collect::<Vec<_>>(),
    )
}
