//! The report for a person: the verdict first, then why, then what to do, then everything else.

mod budget;
mod facts;
mod histogram;
mod lint;
mod load;
mod parts;
mod path;
mod replay;
mod verdict;

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
            parts::findings(&mut page, report, &budget::rest(answer), view);
            parts::limits(&mut page, answer, view);
            continue;
        }
        verdict::headline(&mut page, answer, view);
        verdict::asked(&mut page, answer, view);
        verdict::cause(&mut page, report, answer, view);
        path::stages(&mut page, report, answer, view);
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

/// The signs that the words themselves use, for a terminal that has only ASCII.
fn plain(text: &str) -> String {
    text.replace('\u{b7}', "-")
        .replace('\u{2026}', "..")
        .replace('\u{d7}', "x")
        .replace(['\u{2013}', '\u{2014}'], "-")
}

/// `[group/]interface[:version]`.
fn service(answer: &Answer) -> String {
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
fn source(report: &Report, answer: &Answer, id: &str) -> String {
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

fn state_symbol(state: &str) -> (Symbol, Style) {
    match state {
        "ok" => (Symbol::Ok, Style::Good),
        "failed" => (Symbol::Failed, Style::Bad),
        "skipped" => (Symbol::Skipped, Style::Quiet),
        _ => (Symbol::Unknown, Style::Doubt),
    }
}

/// An argument as a shell reads it back.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+*".contains(c);
    if !argument.is_empty() && argument.chars().all(|c| plain(c) && c != '*') {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

/// A command line to copy; control characters in it are shown, not sent.
fn command(argv: &[String]) -> String {
    safe(
        &argv
            .iter()
            .map(|argument| quoted(argument))
            .collect::<Vec<_>>()
            .join(" "),
    )
}

#[cfg(test)]
mod tests;
