//! One line per question (per finding of a rule text), for scripts: `outcome code certainty subject: message`, separated by tabs, `-` for nothing.

use std::fmt::Write as _;

use super::{
    model::{Answer, FindingInfo, Report},
    safe::safe,
};
use crate::diagnose::code::Severity;

/// The lines of a report, in the order of the questions.
///
/// Where there is no verdict, the first finding at or above `fail_on` leads: it is what the exit code is about.
pub fn render(report: &Report, fail_on: Severity) -> String {
    report
        .reports
        .iter()
        .map(|answer| line(answer, fail_on))
        .collect()
}

/// The severest finding that fails a run without a verdict.
fn leading(answer: &Answer, fail_on: Severity) -> Option<&FindingInfo> {
    let severity = |finding: &FindingInfo| {
        [Severity::Info, Severity::Warning, Severity::Error]
            .into_iter()
            .find(|one| one.to_string() == finding.severity)
    };
    let open = matches!(answer.outcome, None | Some("reachable"));
    let failing = answer
        .findings
        .iter()
        .filter(|finding| open && severity(finding).is_some_and(|one| one >= fail_on));
    // Of several of the same severity the first.
    failing.rev().max_by_key(|finding| severity(finding))
}

/// The findings of a rule text, one a line: the subject is the place.
fn lint(answer: &Answer) -> String {
    let outcome = answer.outcome.unwrap_or("-");
    let file = answer.rule.as_ref().map_or("-", |rule| rule.file.as_str());
    if answer.findings.is_empty() {
        return format!("{outcome}\t-\t-\t{}: -\n", safe(file));
    }
    let mut out = String::new();
    for finding in &answer.findings {
        let place = finding.mark.as_ref().map_or_else(
            || file.to_owned(),
            |mark| format!("{file}:{}:{}", mark.line, mark.column),
        );
        let _ = writeln!(
            out,
            "{outcome}\t{}\t{}\t{}: {}",
            finding.code,
            finding.certainty,
            safe(&place),
            safe(&finding.message)
        );
    }
    out
}

fn line(answer: &Answer, fail_on: Severity) -> String {
    let Some(service) = &answer.question.service else {
        return lint(answer);
    };
    let group = service
        .group
        .as_ref()
        .map(|group| format!("{group}/"))
        .unwrap_or_default();
    let version = service
        .version
        .as_ref()
        .map(|version| format!(":{version}"))
        .unwrap_or_default();
    let (code, certainty, message) = match (&answer.verdict, leading(answer, fail_on)) {
        (Some(verdict), _) => (
            verdict.code.as_str(),
            verdict.certainty,
            verdict.message.as_str(),
        ),
        (None, Some(finding)) => (
            finding.code.as_str(),
            finding.certainty,
            finding.message.as_str(),
        ),
        (None, None) => ("-", "-", "-"),
    };
    let fields = [answer.outcome.unwrap_or("-"), code, certainty]
        .map(safe)
        .join("\t");
    let subject = safe(&format!("{group}{}{version}", service.interface));
    format!("{fields}\t{subject}: {}\n", safe(message))
}
