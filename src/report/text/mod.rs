//! The report for a person: the verdict first, then why, then what to do, then everything else.

mod advice;
mod budget;
pub(super) mod facts;
mod histogram;
mod lint;
mod load;
mod parts;
pub(super) mod path;
mod replay;
pub(super) mod verdict;

use crate::question::again;

use super::{
    layout::Page,
    model::{Answer, Report},
    safe::safe,
    style::{Style, Styler, Symbol},
    words::{Label, Lang},
};

/// How it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View<'a> {
    /// Language of labels; the report's own texts are in it already.
    pub lang: Lang,
    /// Columns of the terminal.
    pub width: usize,
    /// Colours and signs.
    pub style: Styler,
    /// Show everything (`-v`).
    pub verbose: bool,
    /// The recording that was read, so that a command on the same facts can name it.
    pub recording: Option<&'a str>,
}

/// The text of a report.
pub fn render(report: &Report, view: View<'_>) -> String {
    let mut page = Page::new(view.width, view.style);
    if report.interrupted {
        page.line(
            &view
                .style
                .paint(Style::Doubt, Label::Interrupted.text(view.lang)),
        );
    }
    for answer in &report.reports {
        page.blank();
        if let Some(rule) = &answer.rule {
            lint::answer(&mut page, report, answer, rule, view);
            parts::limits(&mut page, answer, view);
            continue;
        }
        if answer.budget.is_some() {
            budget::headline(&mut page, answer, view);
            if answer
                .question
                .service
                .as_ref()
                .is_some_and(|service| service.interface != "-")
            {
                verdict::asked(&mut page, answer, view);
            }
            budget::body(&mut page, answer, view);
            budget::next(&mut page, report, answer, view);
            parts::findings(&mut page, report, &budget::rest(answer), view);
            parts::limits(&mut page, answer, view);
            continue;
        }
        verdict::headline(&mut page, answer, view);
        verdict::asked(&mut page, answer, view);
        if let Some(comparison) = &answer.comparison {
            parts::comparison(&mut page, comparison, view);
            if !view.verbose {
                continue;
            }
        }
        verdict::cause(&mut page, report, answer, view);
        path::stages(&mut page, report, answer, view);
        parts::models(&mut page, report, answer, view);
        parts::zones(&mut page, answer, view);
        replay::replay(&mut page, answer, view);
        parts::findings(&mut page, report, answer, view);
        parts::limits(&mut page, answer, view);
    }
    if view.verbose {
        parts::sources(&mut page, report, view);
    }
    let text = page.finish();
    if view.style.unicode {
        text
    } else {
        plain(&text)
    }
}

/// The first sentence of an answer with its sign, code and certainty, in lines: for the renderers beside this one.
pub(super) fn title(answer: &Answer, view: View<'_>) -> Vec<String> {
    let mut page = Page::new(view.width, view.style);
    if let Some(rule) = &answer.rule {
        lint::headline(&mut page, answer, rule, view);
    } else if answer.budget.is_some() {
        budget::headline(&mut page, answer, view);
    } else {
        verdict::headline(&mut page, answer, view);
    }
    let text = page.finish();
    // The second line of a headline stands for itself, what is wrapped before it does not.
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let is_code = line.trim_start().starts_with("DG") || lines.is_empty();
        match lines.last_mut() {
            Some(last) if !is_code => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => lines.push(line.trim().to_owned()),
        }
    }
    lines
}

/// What only a verb has, as text: the budget, the replay, the remarks on a rule. Empty where there is none.
pub(super) fn of_verb(report: &Report, answer: &Answer, view: View<'_>) -> String {
    let mut page = Page::new(view.width, view.style);
    if let Some(rule) = &answer.rule {
        lint::answer(&mut page, report, answer, rule, view);
    } else if answer.budget.is_some() {
        budget::body(&mut page, answer, view);
    } else {
        replay::replay(&mut page, answer, view);
    }
    page.finish()
}

/// The findings that the headline does not tell already.
pub(super) fn others(answer: &Answer) -> Vec<super::model::FindingInfo> {
    if answer.rule.is_some() {
        return Vec::new();
    }
    let verdict = answer.verdict.as_ref().map(|verdict| verdict.code.as_str());
    let mut rest = budget::rest(answer).findings;
    if let Some(at) = rest
        .iter()
        .position(|finding| verdict == Some(finding.code.as_str()))
    {
        rest.remove(at);
    }
    rest
}

/// The finding of the verdict.
pub(super) fn of_verdict(answer: &Answer) -> Option<&super::model::FindingInfo> {
    let code = &answer.verdict.as_ref()?.code;
    answer.findings.iter().find(|finding| &finding.code == code)
}

/// The signs that the words themselves use, for a terminal that has only ASCII.
fn plain(text: &str) -> String {
    text.replace('\u{b7}', "-")
        .replace('\u{2026}', "..")
        .replace('\u{d7}', "x")
        .replace(['\u{2013}', '\u{2014}'], "-")
}

/// `[group/]interface[:version]`.
pub(super) fn service(answer: &Answer) -> String {
    let Some(service) = &answer.question.service else {
        return "-".to_owned();
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
    safe(&format!("{group}{}{version}", service.interface))
}

/// A source as a person names it: id, kind and address.
pub(super) fn source(report: &Report, answer: &Answer, id: &str) -> String {
    let Some(source) = report.sources.get(id) else {
        let asked = answer.question.registries.iter();
        let unknown: Vec<String> = asked
            .filter(|asked| !report.sources.contains_key(*asked))
            .map(|asked| safe(asked))
            .collect();
        return if unknown.is_empty() {
            "-".to_owned()
        } else {
            unknown.join(", ")
        };
    };
    let place = [&source.url, &source.endpoint, &source.name]
        .into_iter()
        .flatten()
        .next();
    let server = source
        .server
        .as_ref()
        .map(|version| format!(" {version}"))
        .unwrap_or_default();
    match place {
        Some(place) => safe(&format!("{id} {}{server} {place}", source.kind)),
        None => safe(&format!("{id} {}{server}", source.kind)),
    }
}

pub(super) fn state_symbol(state: &str) -> (Symbol, Style) {
    match state {
        "ok" => (Symbol::Ok, Style::Good),
        "failed" => (Symbol::Failed, Style::Bad),
        "skipped" => (Symbol::Skipped, Style::Quiet),
        _ => (Symbol::Unknown, Style::Doubt),
    }
}

/// How to see something: the words, and the command behind them on a line of its own.
pub(super) fn how(page: &mut Page, text: &str, view: View<'_>) {
    let text = safe(&on_recording(text, view.recording));
    match command_in(&text) {
        Some((end, begin)) => {
            page.under(&text[..end], None);
            page.command(&text[begin..]);
        }
        None => page.under(&text, None),
    }
}

/// The same with the recording that was read, where it asks the same facts again.
pub(super) fn on_recording(text: &str, recording: Option<&str>) -> String {
    let asks_again = |(_, begin): (usize, usize)| text[begin..].starts_with("diag ");
    match recording {
        Some(path)
            if command_in(text).is_some_and(asks_again) && !text.contains(" --snapshot ") =>
        {
            format!("{text} --snapshot {}", again::quoted(path))
        }
        _ => text.to_owned(),
    }
}

/// Where the words end and where the command behind them begins.
fn command_in(text: &str) -> Option<(usize, usize)> {
    [": ", "：", ":"].iter().find_map(|colon| {
        let at = text.rfind(colon)?;
        let command = &text[at + colon.len()..];
        let known = ["diag ", "nc ", "curl "];
        known
            .iter()
            .any(|name| command.starts_with(name))
            .then_some((at, at + colon.len()))
    })
}

/// A command line to copy; control characters in it are shown, not sent.
pub(super) fn command(argv: &[String]) -> String {
    safe(&again::line(argv))
}

#[cfg(test)]
mod tests;
