//! The report for a chat or a ticket: short headings, lists, tables, commands in fences of their own.

use std::fmt::Write as _;

use super::{
    facets::{self, Finding},
    model::{Answer, Report},
    text::{self, View},
    words::{Label, Lang},
};

/// The Markdown of a report. `recording` = the recording that was read, for commands on the same facts.
pub fn render(report: &Report, lang: Lang, recording: Option<&str>) -> String {
    let view = facets::view(lang, recording);
    let mut out = String::new();
    if report.interrupted {
        let _ = writeln!(out, "> {}\n", escaped(Label::Interrupted.text(lang)));
    }
    for answer in &report.reports {
        answer_of(&mut out, report, answer, view);
    }
    let sources = facets::sources(report);
    if !sources.is_empty() {
        let head =
            [Label::Id, Label::Kind, Label::Where, Label::Server].map(|label| label.text(lang));
        heading(&mut out, Label::Sources.text(lang));
        table(&mut out, &head, &sources);
    }
    out
}

fn answer_of(out: &mut String, report: &Report, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    let title = text::title(answer, view);
    let mut lines = title.iter();
    if let Some(first) = lines.next() {
        let _ = writeln!(out, "## {}\n", escaped(first));
    }
    for line in lines {
        let _ = writeln!(out, "**{}**\n", escaped(line));
    }
    let mut pairs = facets::asked(answer, lang);
    pairs.extend(facets::around(answer, lang));
    list(out, &pairs);
    let differences = facets::differences(answer);
    if !differences.is_empty() {
        let head = [Label::Difference, Label::Here, Label::There].map(|label| label.text(lang));
        table(out, &head, &differences);
    }
    if let Some(finding) = text::of_verdict(answer) {
        proof(out, &facets::finding(report, finding, view), lang);
    }
    for path in facets::paths(report, answer, view) {
        heading(
            out,
            &format!("{} · {}", Label::Path.text(lang), path.heading),
        );
        let rows: Vec<[String; 3]> = path
            .stages
            .into_iter()
            .map(|stage| [stage.sign.to_owned(), stage.name, stage.said])
            .collect();
        table(out, &["", Label::Stage.text(lang), ""], &rows);
    }
    let zones = facets::zones(answer, lang);
    if !zones.is_empty() {
        heading(out, Label::Zones.text(lang));
        let head = [
            Label::Zone,
            Label::Registered,
            Label::LeftOver,
            Label::Share,
        ]
        .map(|label| label.text(lang));
        table(out, &head, &zones);
    }
    let own = text::of_verb(report, answer, view);
    if !own.trim().is_empty() {
        heading(out, Label::Details.text(lang));
        fence(out, &own);
    }
    let others = text::others(answer);
    if !others.is_empty() {
        heading(out, Label::AlsoFound.text(lang));
        for finding in &others {
            let finding = facets::finding(report, finding, view);
            let _ = writeln!(
                out,
                "* **{}** {} · {}: {} ({})",
                finding.code,
                escaped(finding.name),
                finding.severity,
                escaped(&finding.message),
                finding.certainty
            );
            for (fact, place) in finding.facts.iter().take(1) {
                let _ = writeln!(out, "  {}  \n  {}", escaped(fact), code(place));
            }
        }
        out.push('\n');
    }
    let limits = facets::limits(answer, lang);
    if !limits.is_empty() {
        heading(
            out,
            &format!(
                "{}, {}",
                Label::Assumed.text(lang),
                Label::NotSeen.text(lang)
            ),
        );
        list(out, &limits);
    }
}

/// Facts and steps of the verdict.
fn proof(out: &mut String, finding: &Finding, lang: Lang) {
    if !finding.facts.is_empty() {
        heading(out, Label::Proof.text(lang));
        for (fact, place) in &finding.facts {
            let _ = writeln!(out, "* {}  \n  {}", escaped(fact), code(place));
        }
        if finding.more > 0 {
            let _ = writeln!(out, "* {}", escaped(&Label::More.count(lang, finding.more)));
        }
        out.push('\n');
    }
    if !finding.steps.is_empty() {
        heading(out, Label::Next.text(lang));
        for step in &finding.steps {
            let _ = writeln!(out, "{}\n", escaped(&step.text));
            if let Some(command) = &step.command {
                fence(out, command);
            }
        }
    }
}

fn heading(out: &mut String, text: &str) {
    let _ = writeln!(out, "### {}\n", escaped(text));
}

fn list(out: &mut String, pairs: &[facets::Pair]) {
    for (name, text) in pairs {
        let _ = writeln!(out, "* {}: {}", escaped(name), escaped(text));
    }
    if !pairs.is_empty() {
        out.push('\n');
    }
}

fn table<const N: usize>(out: &mut String, head: &[&str; N], rows: &[[String; N]]) {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let _ = writeln!(
        out,
        "{}",
        line(head.iter().map(|cell| escaped(cell)).collect())
    );
    let _ = writeln!(out, "|{}", " --- |".repeat(N));
    for row in rows {
        let _ = writeln!(
            out,
            "{}",
            line(row.iter().map(|cell| escaped(cell)).collect())
        );
    }
    out.push('\n');
}

/// A text as it is, behind a fence that is longer than any inside.
fn fence(out: &mut String, text: &str) {
    let mut marks = "```".to_owned();
    while text.contains(&marks) {
        marks.push('`');
    }
    let _ = writeln!(out, "{marks}text\n{}\n{marks}\n", text.trim_matches('\n'));
}

/// A text as it is inside a line.
fn code(text: &str) -> String {
    let mut marks = "`".to_owned();
    while text.contains(&marks) {
        marks.push('`');
    }
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{marks}{pad}{text}{pad}{marks}")
}

/// Signs that would be markup lose their meaning.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for sign in text.chars() {
        if "\\`*_<>[]|#&~".contains(sign) {
            out.push('\\');
        }
        out.push(sign);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_signs_are_no_markup() {
        assert_eq!(escaped("a|b *c* <d>"), r"a\|b \*c\* \<d\>");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`x`"), "`` `x` ``");
        let mut out = String::new();
        fence(&mut out, "x\n```\ny");
        assert!(out.starts_with("````text\n"), "{out}");
    }
}
