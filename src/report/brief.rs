//! One line per question, for scripts: `outcome code certainty subject: message`, separated by tabs, `-` for nothing.

use super::{
    model::{Answer, Report},
    safe::safe,
};

/// The lines of a report, in the order of the questions.
pub fn render(report: &Report) -> String {
    report.reports.iter().map(line).collect()
}

fn line(answer: &Answer) -> String {
    let service = &answer.question.service;
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
