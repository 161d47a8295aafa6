//! One line per question (per finding of a rule text), for scripts: `outcome code certainty subject: message`, separated by tabs, `-` for nothing.

use std::fmt::Write as _;

use super::{
    model::{Answer, Report},
    safe::safe,
};

/// The lines of a report, in the order of the questions.
pub fn render(report: &Report) -> String {
    report.reports.iter().map(line).collect()
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

fn line(answer: &Answer) -> String {
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
    let (code, certainty, message) = match &answer.verdict {
        Some(verdict) => (
            verdict.code.as_str(),
            verdict.certainty,
            verdict.message.as_str(),
        ),
        None => ("-", "-", "-"),
    };
    let fields = [answer.outcome.unwrap_or("-"), code, certainty]
        .map(safe)
        .join("\t");
    let subject = safe(&format!("{group}{}{version}", service.interface));
    format!("{fields}\t{subject}: {}\n", safe(message))
}
