//! The stages, registry by registry and model by model, with counts.

use super::{View, source, state_symbol};
use crate::report::{
    layout::{Page, pad},
    model::{Answer, Report, StageInfo},
    safe::safe,
    style::Style,
    table::table,
    words::{Label, Lang},
};

/// Columns for the name of a stage, and on a narrow terminal.
const NAME: usize = 20;
const NAME_NARROW: usize = 14;
const NARROW: usize = 60;

/// Consecutive stages of one registry and model.
pub(in crate::report) fn paths(answer: &Answer) -> Vec<&[StageInfo]> {
    answer
        .stages
        .chunk_by(|a, b| a.registry == b.registry && a.model == b.model)
        .collect()
}

/// How many addresses are left at the end of the path that keeps most.
pub(super) fn left(answer: &Answer) -> Option<usize> {
    paths(answer)
        .iter()
        .filter_map(|stages| stages.iter().rev().find_map(|stage| stage.output))
        .filter(|count| *count > 0)
        .max()
}

pub(super) fn stages(page: &mut Page, report: &Report, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    for stages in paths(answer) {
        let Some(first) = stages.first() else {
            continue;
        };
        page.blank();
        let model = if first.model == "application" {
            Label::ApplicationLevel
        } else {
            Label::InterfaceLevel
        };
        let heading = format!(
            "{} {} {}",
            Label::Path.text(lang),
            view.style.dot(),
            source(report, answer, &first.registry)
        );
        page.hanging(
            "  ",
            Style::Label,
            &format!("{heading} {} {}", view.style.dot(), model.text(lang)),
        );
        for stage in stages {
            let (symbol, style) = state_symbol(stage.state);
            let columns = if page.width() < NARROW {
                NAME_NARROW
            } else {
                NAME
            };
            let name = pad(&format!("{} ", name(&stage.id, lang)), columns);
            let head = format!("  {} {name}", view.style.symbol(symbol));
            page.hanging(&head, style, &said(stage, view));
        }
        if view.verbose {
            dropped(page, stages, answer.zones.is_some(), view);
        }
    }
}

/// What differs between two places, in words: a stage has its name and the level it is of.
pub(in crate::report) fn difference(what: &str, lang: Lang) -> String {
    let stage = what
        .strip_prefix("stage ")
        .and_then(|rest| rest.strip_suffix(')')?.rsplit_once(" ("));
    let Some((id, model)) = stage else {
        return safe(what);
    };
    let model = if model == "application" {
        Label::ApplicationLevel
    } else {
        Label::InterfaceLevel
    };
    format!("{} ({})", name(id, lang), model.text(lang))
}

pub(in crate::report) fn name(id: &str, lang: Lang) -> String {
    match (Label::of_stage(id), id.strip_prefix("X.")) {
        (Some(label), _) => label.text(lang).to_owned(),
        (None, Some(router)) => match router.split_once('.') {
            Some((kind, scope)) => safe(&format!("{kind} ({scope})")),
            None => format!("{} {}", Label::StageRouter.text(lang), safe(router)),
        },
        (None, None) => safe(id),
    }
}

/// Counts, then what happened, in words.
pub(in crate::report) fn said(stage: &StageInfo, view: View<'_>) -> String {
    let lang = view.lang;
    let counts = match (stage.input, stage.output) {
        (Some(input), Some(output)) => format!("{input} -> {output}"),
        (None, Some(output)) => output.to_string(),
        (Some(input), None) => format!("{input} -> ?"),
        (None, None) => String::new(),
    };
    let word = match stage.state {
        "failed" => Label::Failed.text(lang),
        "skipped" => Label::Skipped.text(lang),
        "unknown" => Label::StateUnknown.text(lang),
        _ if counts.is_empty() => Label::Ok.text(lang),
        _ => "",
    };
    let codes: Vec<String> = stage
        .dropped_by_code
        .iter()
        .map(|(code, count)| format!("{count} {} {code}", view.style.times()))
        .collect();
    let why: Vec<String> = stage
        .because
        .iter()
        .map(|text| safe(text))
        .chain(codes)
        .collect();
    let why = why.join(", ");
    let tail = match (word.is_empty(), why.is_empty()) {
        (true, _) => why,
        (false, true) => word.to_owned(),
        (false, false) => format!("{word}{}{why}", Label::Colon.text(lang)),
    };
    match (counts.is_empty(), tail.is_empty()) {
        (true, _) => tail,
        (false, true) => counts,
        (false, false) => format!("{}{tail}", pad(&counts, 12)),
    }
}

fn dropped(page: &mut Page, stages: &[StageInfo], zones: bool, view: View<'_>) {
    let lang = view.lang;
    let rows: Vec<Vec<String>> = stages
        .iter()
        .flat_map(|stage| stage.dropped.iter().map(move |dropped| (stage, dropped)))
        .map(|(stage, dropped)| {
            let rule = match (&dropped.rule, &dropped.position) {
                (Some(rule), Some(position)) => format!("{rule}:{position}"),
                (Some(rule), None) => rule.clone(),
                (None, _) => "-".to_owned(),
            };
            let mut row = vec![
                safe(&dropped.address),
                name(&stage.id, lang),
                dropped.code.clone(),
                safe(&rule),
            ];
            if zones {
                row.insert(1, safe(dropped.zone.as_deref().unwrap_or("-")));
            }
            row
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    page.blank();
    page.line(&format!(
        "  {}",
        view.style.paint(Style::Label, Label::Dropped.text(lang))
    ));
    let mut header = vec![Label::Address, Label::Stage, Label::Code, Label::Rule];
    if zones {
        header.insert(1, Label::Zone);
    }
    let header: Vec<&str> = header.into_iter().map(|label| label.text(lang)).collect();
    for line in table(&header, &rows, page.width()).lines() {
        page.line(line);
    }
}
