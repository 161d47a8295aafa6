//! Below the stages: other findings, what was assumed, what was not seen, who was asked.

use super::{
    View,
    facts::{place, remedy},
    verdict::certainty,
};
use crate::report::{
    facets::taken_for_granted,
    layout::Page,
    model::{Answer, ComparisonInfo, FindingInfo, Report},
    models,
    safe::safe,
    style::{Style, Symbol},
    table::table,
    words::Label,
};

/// Findings beside the verdict.
pub(super) fn findings(page: &mut Page, report: &Report, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    let verdict = answer.verdict.as_ref().map(|verdict| verdict.code.as_str());
    let mut first_of_verdict = true;
    let others: Vec<&FindingInfo> = answer
        .findings
        .iter()
        .filter(|finding| {
            let shown_above = verdict == Some(finding.code.as_str()) && first_of_verdict;
            first_of_verdict &= !shown_above;
            !shown_above
        })
        .collect();
    if others.is_empty() {
        return;
    }
    page.blank();
    page.line(&format!(
        "  {}",
        view.style.paint(Style::Label, Label::AlsoFound.text(lang))
    ));
    for finding in others {
        let (symbol, style, word) = severity(finding, view);
        let head = format!("  {symbol} {} {word} ", finding.code);
        let text = format!(
            "{} ({})",
            safe(&finding.message),
            certainty(finding.certainty, lang)
        );
        page.hanging(&head, style, &text);
        let facts = if view.verbose {
            finding.evidence.len()
        } else {
            1
        };
        for evidence in finding.evidence.iter().take(facts) {
            page.under(&safe(&evidence.fact), None);
            page.under(&place(report, evidence, view), Some(Style::Quiet));
        }
        for step in &finding.remedy {
            remedy(page, step, view);
        }
    }
}

/// What another place answers: the differences and nothing else.
pub(super) fn comparison(page: &mut Page, comparison: &ComparisonInfo, view: View<'_>) {
    let lang = view.lang;
    page.field(Label::Compared.text(lang), &safe(&comparison.with));
    page.blank();
    if comparison.differences.is_empty() {
        page.line(&format!("  {}", Label::NoDifference.text(lang)));
        return;
    }
    let cell = |text: &Option<String>| safe(text.as_deref().unwrap_or("-"));
    let rows: Vec<Vec<String>> = comparison
        .differences
        .iter()
        .map(|one| {
            vec![
                super::path::difference(&one.what, lang),
                cell(&one.here),
                cell(&one.there),
            ]
        })
        .collect();
    let header = [Label::Difference, Label::Here, Label::There].map(|label| label.text(lang));
    for line in table(&header, &rows, page.width()).lines() {
        page.line(line);
    }
}

/// Both models of discovery side by side, and which one is used.
pub(super) fn models(page: &mut Page, report: &Report, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    for found in models::tables(report, answer, lang) {
        page.blank();
        let heading = format!(
            "{} {} {}",
            Label::Models.text(lang),
            view.style.dot(),
            found.heading
        );
        page.hanging("  ", Style::Label, &heading);
        let rows: Vec<Vec<String>> = found.rows.into_iter().map(Vec::from).collect();
        for line in table(&models::head(lang), &rows, page.width()).lines() {
            page.line(line);
        }
        page.field(Label::Uses.text(lang), &found.uses);
    }
}

/// The providers by zone.
pub(super) fn zones(page: &mut Page, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    let Some(zones) = answer.zones.as_ref().filter(|zones| !zones.rows.is_empty()) else {
        return;
    };
    page.blank();
    page.line(&format!(
        "  {}",
        view.style.paint(Style::Label, Label::Zones.text(lang))
    ));
    let rows: Vec<Vec<String>> = zones
        .rows
        .iter()
        .map(|row| {
            let mut name = row.zone.clone().unwrap_or_else(|| "-".to_owned());
            if row.zone.is_some() && row.zone == zones.consumer {
                name = format!("{name} ({})", Label::Consumer.text(lang));
            }
            vec![
                safe(&name),
                row.registered.to_string(),
                row.left.to_string(),
                format!("{:.1}%", row.share * 100.0),
            ]
        })
        .collect();
    let header = [
        Label::Zone,
        Label::Registered,
        Label::LeftOver,
        Label::Share,
    ]
    .map(|label| label.text(lang));
    for line in table(&header, &rows, page.width()).lines() {
        page.line(line);
    }
}

/// Sign, style and word of a finding's severity.
pub(super) fn severity(
    finding: &FindingInfo,
    view: View<'_>,
) -> (&'static str, Style, &'static str) {
    let (symbol, style, word) = match finding.severity.as_str() {
        "error" => (Symbol::Failed, Style::Bad, Label::Error),
        "warning" => (Symbol::Warning, Style::Doubt, Label::Warning),
        _ => (Symbol::Skipped, Style::Quiet, Label::Info),
    };
    (view.style.symbol(symbol), style, word.text(view.lang))
}

/// What was assumed and what was not seen.
pub(super) fn limits(page: &mut Page, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    if !answer.assumed.is_empty() || !answer.not_seen.is_empty() {
        page.blank();
    }
    for (index, assumed) in answer.assumed.iter().enumerate() {
        let label = if index == 0 {
            Label::Assumed.text(lang)
        } else {
            ""
        };
        page.field(label, &taken_for_granted(assumed, lang));
    }
    let shown_above = answer.verdict.is_none() && answer.outcome == Some("unknown");
    let rest = answer
        .not_seen
        .iter()
        .filter(|missing| !(shown_above && missing.required));
    for (index, missing) in rest.enumerate() {
        let label = if index == 0 {
            Label::NotSeen.text(lang)
        } else {
            ""
        };
        let mut text = format!("{}{}{}", missing.what, Label::Colon.text(lang), missing.why);
        if missing.required {
            text = format!("{text} ({})", Label::Required.text(lang));
        }
        page.field(label, &safe(&text));
        if let Some(how) = &missing.how_to_see {
            super::how(page, how, view);
        }
    }
}

/// Everybody who was asked, as a table.
pub(super) fn sources(page: &mut Page, report: &Report, view: View<'_>) {
    let lang = view.lang;
    if report.sources.is_empty() {
        return;
    }
    page.blank();
    page.line(&format!(
        "  {}",
        view.style.paint(Style::Label, Label::Sources.text(lang))
    ));
    let zones = report.sources.values().any(|info| info.zone.is_some());
    let rows: Vec<Vec<String>> = report
        .sources
        .iter()
        .map(|(id, info)| {
            let place = [&info.url, &info.endpoint, &info.name]
                .into_iter()
                .flatten()
                .next();
            let mut cells = vec![Some(id), Some(&info.kind), place, info.server.as_ref()];
            if zones {
                cells.push(info.zone.as_ref());
            }
            cells
                .into_iter()
                .map(|cell| cell.map_or_else(|| "-".to_owned(), |text| safe(text)))
                .collect()
        })
        .collect();
    let mut header = vec![Label::Id, Label::Kind, Label::Where, Label::Server];
    if zones {
        header.push(Label::Zone);
    }
    let header: Vec<&str> = header.into_iter().map(|label| label.text(lang)).collect();
    let text = table(&header, &rows, page.width());
    for line in text.lines() {
        page.line(line);
    }
}
