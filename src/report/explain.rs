//! The pages of `diag explain` as text, Markdown and JSON. The pages are data of `diagnose::explain`; nothing is added but headings.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    layout::Page as Lines,
    model::SCHEMA_VERSION,
    safe::safe,
    style::Style,
    text::View,
    words::{Label, Lang, dubbo},
};
use crate::diagnose::{
    code::{Code, Severity},
    explain::{self, Page},
    spoken::{Topic, findings_of, near, topics, unused},
};

/// The command that reads a whole text.
const READ_TEXT: &str = "diag no-provider --from-log error.txt";

/// What was asked and what there is to say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// As typed.
    pub asked: String,
    /// The leading topic first; empty = nothing fits.
    pub topics: Vec<Topic>,
}

impl Explained {
    /// Looks a code or a text up.
    pub fn of(asked: &str) -> Self {
        Self {
            asked: asked.to_owned(),
            topics: topics(asked),
        }
    }
}

/// The sections of a page in a language.
fn sections(page: &Page, lang: Lang) -> &[(&'static str, &'static str)] {
    match lang {
        Lang::En => &page.en,
        Lang::Zh => &page.zh,
    }
}

/// The word of a severity.
pub(super) fn severity(severity: Severity) -> Label {
    match severity {
        Severity::Error => Label::SeverityError,
        Severity::Warning => Label::SeverityWarning,
        Severity::Info => Label::SeverityInfo,
    }
}

/// The first sentence of a page: what the code means, in one line.
pub fn first_sentence(code: Code, lang: Lang) -> String {
    let Some(page) = explain::page(code) else {
        return String::new();
    };
    let text = sections(&page, lang).first().map_or("", |(_, text)| *text);
    let (stop, keep) = match lang {
        Lang::En => (". ", 1),
        Lang::Zh => ("。", "。".len()),
    };
    text.find(stop)
        .map_or(text, |at| &text[..at + keep])
        .to_owned()
}

/// For a person.
pub fn text(explained: &Explained, view: View<'_>) -> String {
    let lang = view.lang;
    let mut out = Lines::new(view.width, view.style);
    let Some(first) = explained.topics.first() else {
        out.hanging(
            &format!("{} ", view.style.symbol(super::style::Symbol::Unknown)),
            Style::Doubt,
            &format!(
                "{}{}{}",
                Label::NoPage.text(lang),
                Label::Colon.text(lang),
                safe(&explained.asked)
            ),
        );
        if let Some((code, name)) = unused(&explained.asked) {
            out.field(&format!("{code} {name}"), Label::NotUsed.text(lang));
        } else {
            for code in near(&explained.asked) {
                out.field(
                    Label::DidYouMean.text(lang),
                    &format!("{code} {}", code.name()),
                );
            }
        }
        out.field(Label::Next.text(lang), Label::NoPageWay.text(lang));
        out.command(READ_TEXT);
        return out.finish();
    };
    match first {
        Topic::Finding(code) => finding(&mut out, *code, view),
        Topic::Dubbo(code) => of_dubbo(&mut out, code, view),
    }
    if explained.topics.len() > 1 {
        out.blank();
        heading(&mut out, Label::AlsoFits.text(lang), view);
        for topic in &explained.topics[1..] {
            out.hanging("    ", Style::Quiet, &line(*topic, lang));
        }
        out.blank();
        heading(&mut out, Label::WholeText.text(lang), view);
        out.line(&format!(
            "    {}",
            view.style.paint(Style::Command, READ_TEXT)
        ));
    }
    out.finish()
}

fn heading(out: &mut Lines, text: &str, view: View<'_>) {
    out.line(&format!("  {}", view.style.paint(Style::Label, text)));
}

/// A topic in one line.
fn line(topic: Topic, lang: Lang) -> String {
    match topic {
        Topic::Finding(code) => format!(
            "{code} {}{}{}",
            code.name(),
            Label::Colon.text(lang),
            first_sentence(code, lang)
        ),
        Topic::Dubbo(code) => format!(
            "{code}{}{}",
            Label::Colon.text(lang),
            dubbo::meaning(code, lang).unwrap_or_default()
        ),
    }
}

fn finding(out: &mut Lines, code: Code, view: View<'_>) {
    let lang = view.lang;
    let Some(page) = explain::page(code) else {
        return;
    };
    let style = match code.severity() {
        Severity::Error => Style::Bad,
        Severity::Warning => Style::Doubt,
        Severity::Info => Style::Label,
    };
    let dot = view.style.dot();
    out.line(&format!(
        "{} {} {dot} {}",
        view.style.paint(style, &code.to_string()),
        view.style.paint(style, code.name()),
        severity(code.severity()).text(lang)
    ));
    page_sections(out, sections(&page, lang), view);
    if !page.dubbo.is_empty() {
        out.blank();
        heading(out, Label::DubboCodes.text(lang), view);
        for own in &page.dubbo {
            out.hanging("    ", Style::Quiet, &line(Topic::Dubbo(own), lang));
        }
    }
}

/// The sections of a page, one below the other.
fn page_sections(out: &mut Lines, sections: &[(&'static str, &'static str)], view: View<'_>) {
    for (title, text) in sections {
        out.blank();
        heading(out, title, view);
        for block in blocks(text) {
            match block {
                Block::Text(text) => {
                    for paragraph in text.split("\n\n").filter(|text| !text.trim().is_empty()) {
                        let joined = paragraph.split('\n').collect::<Vec<_>>().join(" ");
                        out.hanging("    ", Style::Quiet, joined.trim());
                    }
                }
                Block::Verbatim(text) => {
                    for verbatim in text.lines() {
                        out.line(&format!("    {verbatim}"));
                    }
                }
            }
        }
    }
}

/// The sections of the page of a code of Dubbo's own; none for a code that no finding names.
fn dubbo_sections(code: &str, lang: Lang) -> Vec<(&'static str, &'static str)> {
    let page = explain::dubbo_page(code);
    page.map(|(en, zh)| if lang == Lang::Zh { zh } else { en })
        .unwrap_or_default()
}

fn of_dubbo(out: &mut Lines, code: &'static str, view: View<'_>) {
    let lang = view.lang;
    out.hanging(
        &format!("Dubbo {code} {} ", view.style.dot()),
        Style::Label,
        dubbo::meaning(code, lang).unwrap_or_default(),
    );
    page_sections(out, &dubbo_sections(code, lang), view);
    let ours = findings_of(code);
    if !ours.is_empty() {
        out.blank();
        heading(out, Label::OurCodes.text(lang), view);
        for code in ours {
            out.hanging("    ", Style::Quiet, &line(Topic::Finding(code), lang));
        }
    }
    out.blank();
    out.field(Label::Next.text(lang), Label::WholeText.text(lang));
    out.command(READ_TEXT);
}

/// A piece of a page.
enum Block<'a> {
    Text(&'a str),
    Verbatim(&'a str),
}

/// The text between and inside its fences.
fn blocks(text: &str) -> Vec<Block<'_>> {
    text.split("```")
        .enumerate()
        .map(|(index, part)| {
            if index % 2 == 0 {
                Block::Text(part)
            } else {
                Block::Verbatim(part.split_once('\n').map_or(part, |(_, body)| body))
            }
        })
        .collect()
}

/// One line per topic: `code name: sentence`.
pub fn brief(explained: &Explained, lang: Lang) -> String {
    if explained.topics.is_empty() {
        return format!("-\t{}\n", safe(&explained.asked));
    }
    explained
        .topics
        .iter()
        .map(|topic| match topic {
            Topic::Finding(code) => {
                format!("{code}\t{}: {}\n", code.name(), first_sentence(*code, lang))
            }
            Topic::Dubbo(code) => {
                format!(
                    "{code}\t{}\n",
                    dubbo::meaning(code, lang).unwrap_or_default()
                )
            }
        })
        .collect()
}

/// For a chat or a wiki.
pub fn markdown(explained: &Explained, lang: Lang) -> String {
    let mut out = String::new();
    let Some(first) = explained.topics.first() else {
        return format!("{}\n", Label::NoPage.text(lang));
    };
    match first {
        Topic::Finding(code) => {
            let _ = writeln!(
                out,
                "# {code} {} · {}",
                code.name(),
                severity(code.severity()).text(lang)
            );
            for (title, text) in explain::page(*code)
                .iter()
                .flat_map(|page| sections(page, lang))
            {
                let _ = write!(out, "\n## {title}\n\n{text}\n");
            }
        }
        Topic::Dubbo(code) => {
            let _ = writeln!(
                out,
                "# Dubbo {code}\n\n{}\n",
                dubbo::meaning(code, lang).unwrap_or_default()
            );
            for (title, text) in dubbo_sections(code, lang) {
                let _ = write!(out, "## {title}\n\n{text}\n\n");
            }
            for ours in findings_of(code) {
                let _ = writeln!(out, "* {}", line(Topic::Finding(ours), lang));
            }
        }
    }
    if explained.topics.len() > 1 {
        let _ = write!(out, "\n## {}\n\n", Label::AlsoFits.text(lang));
        for topic in &explained.topics[1..] {
            let _ = writeln!(out, "* {}", line(*topic, lang));
        }
    }
    out
}

/// For a mail: the text as it is, in a page of its own.
pub fn html(explained: &Explained, lang: Lang) -> String {
    let body = text(explained, super::facets::view(lang, None));
    let title = format!("diag explain {}", safe(&explained.asked));
    super::html::document(
        &title,
        &format!("<pre>{}</pre>\n", super::html::escaped(&body)),
        lang,
    )
}

/// For a program: a report like that of any other verb, without answers, with the topics beside them.
pub fn json(explained: &Explained, exit: u8, lang: Lang) -> String {
    let topics: Vec<Value> = explained
        .topics
        .iter()
        .map(|topic| match topic {
            Topic::Finding(code) => {
                let page = explain::page(*code);
                let sections: Vec<Value> = page
                    .iter()
                    .flat_map(|page| sections(page, lang))
                    .map(|(heading, text)| json!({"heading": heading, "text": text}))
                    .collect();
                json!({
                    "code": code.to_string(),
                    "name": code.name(),
                    "severity": code.severity().to_string(),
                    "family": code.family().to_string(),
                    "meaning": first_sentence(*code, lang),
                    "see": page.map(|page| page.dubbo).unwrap_or_default(),
                    "sections": sections,
                })
            }
            Topic::Dubbo(code) => json!({
                "code": code,
                "name": null,
                "severity": null,
                "family": null,
                "meaning": dubbo::meaning(code, lang),
                "see": findings_of(code).iter().map(ToString::to_string).collect::<Vec<_>>(),
                "sections": dubbo_sections(code, lang)
                    .iter()
                    .map(|(heading, text)| json!({"heading": heading, "text": text}))
                    .collect::<Vec<Value>>(),
            }),
        })
        .collect();
    let value = json!({
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")},
        "command": "explain",
        "exit": exit,
        "interrupted": false,
        "reports": [],
        "sources": {},
        "asked": explained.asked,
        "topics": topics,
    });
    super::safe::safe_json(&serde_json::to_string_pretty(&value).unwrap_or_default()) + "\n"
}
