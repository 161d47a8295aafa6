//! Proof and next steps of one finding.

use super::{View, command};
use crate::report::{
    layout::Page,
    model::{EvidenceInfo, FindingInfo, RemedyInfo, Report},
    safe::safe,
    style::Style,
    words::Label,
};

/// Facts shown for one finding without `-v`.
const FEW: usize = 4;

/// Columns in front of the place of a fact.
const INDENT: usize = 12;

pub(super) fn proof(page: &mut Page, report: &Report, finding: &FindingInfo, view: View<'_>) {
    let shown = if view.verbose {
        finding.evidence.len()
    } else {
        FEW.min(finding.evidence.len())
    };
    for (index, evidence) in finding.evidence.iter().take(shown).enumerate() {
        let label = if index == 0 {
            Label::Proof.text(view.lang)
        } else {
            ""
        };
        page.field(label, &safe(&evidence.fact));
        page.under(&place(report, evidence, view), Some(Style::Quiet));
    }
    if finding.evidence.len() > shown {
        page.under(
            &Label::More.count(view.lang, finding.evidence.len() - shown),
            None,
        );
    }
}

/// A key of an answer: in full when asked, else the part by which a person finds it. The URL in the name of a `ZooKeeper`
/// node is decoded and loses its parameters.
fn short(text: &str, view: View<'_>) -> String {
    const MOST: usize = 96;
    // Behind the indent, and with a source's name before it on a line of its own.
    let most = MOST.min(view.width.clamp(40, 160) - INDENT);
    if view.verbose {
        return text.to_owned();
    }
    let mut text = text.to_owned();
    if let Some((parent, name)) = text.rsplit_once('/')
        && name.contains("%3A%2F%2F")
        && let Ok(url) = crate::model::url::decode(name)
    {
        let end = url.find('?').unwrap_or(url.len());
        text = format!(
            "{parent}/{}{}",
            &url[..end],
            if end < url.len() { "?.." } else { "" }
        );
    }
    if text.chars().count() <= most {
        return text;
    }
    let most = most - 2;
    let all: Vec<char> = text.chars().collect();
    let (head, tail) = (&all[..most * 5 / 6], &all[all.len() - most / 6..]);
    format!("{}..{}", String::from_iter(head), String::from_iter(tail))
}

/// Where and when a fact was seen.
pub(in crate::report) fn place(report: &Report, evidence: &EvidenceInfo, view: View<'_>) -> String {
    let fields: Vec<String> = evidence
        .address
        .iter()
        .filter(|(name, value)| !(*name == "file" && value.as_str() == Some(&evidence.source)))
        .map(|(name, value)| match value.as_str() {
            Some(text) if name == "path" => short(text, view),
            Some(text) => format!("{name}={}", short(text, view)),
            None if name == "line" => format!("line {value}"),
            None => format!("{name}={value}"),
        })
        .collect();
    let name = report
        .sources
        .get(&evidence.source)
        .and_then(|source| source.name.clone())
        .map(|name| format!(" {name}"))
        .unwrap_or_default();
    let mut text = format!(
        "{}{name} {} {}",
        evidence.source,
        evidence.op,
        fields.join(" ")
    );
    if let Some(position) = &evidence.position {
        text = format!("{text}:{position}");
    }
    if let Some(at) = &evidence.seen_at {
        text = format!("{text}  {at}");
    }
    safe(&text)
}

pub(super) fn remedy(page: &mut Page, step: &RemedyInfo, view: View<'_>) {
    let mut text = safe(&step.text);
    if step.changes {
        text = format!("{text} ({})", Label::Changes.text(view.lang));
    }
    page.field(Label::Next.text(view.lang), &text);
    if !step.argv.is_empty() {
        let mut argv = step.argv.clone();
        let is_named = argv.iter().any(|word| word == "--snapshot");
        if let Some(path) = view.recording.filter(|_| step.same_facts && !is_named) {
            argv.extend(["--snapshot".to_owned(), path.to_owned()]);
        }
        page.command(&command(&argv));
    }
}
