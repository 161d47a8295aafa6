//! A report as a page: which parts it has and in which order, for every notation that is no plain text.

use super::{
    facets::{self, Finding, Pair, Path},
    model::{Answer, Report},
    models,
    text::{self, View},
    words::{Label, Lang},
};

/// A notation. What it is given is safe to print and no markup yet.
pub(super) trait Markup {
    /// A remark above everything.
    fn remark(&mut self, text: &str);
    /// The headline of an answer, then what stands below it. `class` = `good`, `bad`, `doubt` or nothing.
    fn title(&mut self, lines: &[String], class: &'static str);
    /// A heading within an answer.
    fn heading(&mut self, text: &str);
    /// Names and what they stand for.
    fn pairs(&mut self, pairs: &[Pair]);
    /// Rows under a head.
    fn table<const N: usize>(&mut self, head: &[&str; N], rows: &[[String; N]]);
    /// The stages of one path.
    fn path(&mut self, path: &Path, lang: Lang);
    /// Facts with their places, and what is left out.
    fn facts(&mut self, facts: &[Pair], more: Option<&str>);
    /// A sentence of its own.
    fn sentence(&mut self, text: &str);
    /// A text as it is, such as a command.
    fn verbatim(&mut self, text: &str);
    /// Findings beside the verdict.
    fn findings(&mut self, findings: &[Finding]);
    /// Pictures of what the verb computed, in notations that have some.
    fn pictures(&mut self, answer: &Answer, view: View<'_>);
}

/// Sets all answers of a report and who was asked.
pub(super) fn report(out: &mut impl Markup, report: &Report, view: View<'_>) {
    let lang = view.lang;
    if report.interrupted {
        out.remark(Label::Interrupted.text(lang));
    }
    for one in &report.reports {
        answer(out, report, one, view);
    }
    let sources = facets::sources(report);
    if !sources.is_empty() {
        out.heading(Label::Sources.text(lang));
        let head = [Label::Id, Label::Kind, Label::Where, Label::Server];
        out.table(&head.map(|label| label.text(lang)), &sources);
    }
}

fn answer(out: &mut impl Markup, report: &Report, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    out.title(&text::title(answer, view), class(answer));
    let mut pairs = facets::asked(answer, lang);
    pairs.extend(facets::around(answer, lang));
    out.pairs(&pairs);
    let differences = facets::differences(answer, lang);
    if !differences.is_empty() {
        let head = [Label::Difference, Label::Here, Label::There];
        out.table(&head.map(|label| label.text(lang)), &differences);
    }
    if let Some(finding) = text::of_verdict(answer) {
        proof(out, &facets::finding(report, finding, view), lang);
    }
    for path in facets::paths(report, answer, view) {
        out.heading(&format!("{} · {}", Label::Path.text(lang), path.heading));
        out.path(&path, lang);
    }
    for found in models::tables(report, answer, lang) {
        out.heading(&format!("{} · {}", Label::Models.text(lang), found.heading));
        out.table(&models::head(lang), &found.rows);
        out.pairs(&[(Label::Uses.text(lang).to_owned(), found.uses)]);
    }
    let zones = facets::zones(answer, lang);
    if !zones.is_empty() {
        out.heading(Label::Zones.text(lang));
        let head = [
            Label::Zone,
            Label::Registered,
            Label::LeftOver,
            Label::Share,
        ];
        out.table(&head.map(|label| label.text(lang)), &zones);
    }
    out.pictures(answer, view);
    let own = text::of_verb(report, answer, view);
    if !own.trim().is_empty() {
        out.heading(Label::Details.text(lang));
        out.verbatim(own.trim_matches('\n'));
    }
    let others: Vec<Finding> = text::others(answer)
        .iter()
        .map(|finding| facets::finding(report, finding, view))
        .collect();
    if !others.is_empty() {
        out.heading(Label::AlsoFound.text(lang));
        out.findings(&others);
    }
    let limits = facets::limits(answer, view);
    if !limits.is_empty() {
        let names = [Label::Assumed, Label::NotSeen].map(|label| label.text(lang));
        out.heading(&names.join(", "));
        out.pairs(&limits);
    }
}

/// Facts and steps of the verdict.
fn proof(out: &mut impl Markup, finding: &Finding, lang: Lang) {
    if !finding.facts.is_empty() {
        out.heading(Label::Proof.text(lang));
        let more = (finding.more > 0).then(|| Label::More.count(lang, finding.more));
        out.facts(&finding.facts, more.as_deref());
    }
    if !finding.steps.is_empty() {
        out.heading(Label::Next.text(lang));
        for step in &finding.steps {
            out.sentence(&step.text);
            if let Some(command) = &step.command {
                out.verbatim(command);
            }
        }
    }
}

fn class(answer: &Answer) -> &'static str {
    match answer.outcome {
        Some("reachable") => "good",
        Some("none" | "partly") => "bad",
        Some(_) => "doubt",
        None if answer.verdict.is_some() => "bad",
        None => "",
    }
}
