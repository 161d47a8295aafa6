//! What became of the calls, as text: classes with their waterfall, coverage, drills, candidate, versions.

use std::fmt::Write as _;

use serde_json::Value;

use super::View;
use crate::report::{
    layout::{Page, pad},
    model::Answer,
    replay::{
        CandidateChange, CauseInfo, ClassInfo, CoverageInfo, DrillInfo, FallInfo, InputInfo,
        MatrixInfo, PartInfo, ReplayInfo,
    },
    safe::safe,
    style::{Style, Symbol},
    table::table,
    words::Label,
};

/// Classes and the like that are shown without `-v`.
const SHOWN: usize = 5;
/// Addresses that are shown in one line without `-v`.
const SHOWN_ADDRESSES: usize = 4;
/// Columns for the name of a router.
const ROUTER: usize = 24;

pub(super) fn replay(page: &mut Page, answer: &Answer, view: View<'_>) {
    let Some(replay) = &answer.replay else {
        return;
    };
    page.blank();
    let dot = view.style.dot();
    let head = format!(
        "{} {dot} {} {} {dot} {} {}",
        Label::Replay.text(view.lang),
        replay.requests,
        if replay.requests == 1 {
            Label::OneRequest
        } else {
            Label::Requests
        }
        .text(view.lang),
        replay.classes_total,
        if replay.classes_total == 1 {
            Label::OneOutcome
        } else {
            Label::Outcomes
        }
        .text(view.lang),
    );
    page.hanging("  ", Style::Label, &head);
    if let Some(input) = &replay.input {
        read(page, input, view);
    }
    classes(page, replay, view);
    coverage(page, &replay.coverage, view);
    for drill in replay.drill.iter().flatten() {
        drilled(page, drill, replay, view);
    }
    if let Some(candidate) = &replay.candidate {
        compared(page, candidate, candidate.other.is_some(), view);
        if let Some(other) = &candidate.other {
            compared(page, other, true, view);
        }
    }
    if let Some(matrix) = &replay.matrix {
        versions(page, matrix, view);
    }
}

/// What goes wrong in drills and with the candidate, in one line.
pub(super) fn later(answer: &Answer, view: View<'_>) -> String {
    let (Some(replay), lang) = (&answer.replay, view.lang) else {
        return String::new();
    };
    let drills = replay.drill.iter().flatten();
    let mut said: Vec<String> = drills
        .filter(|drill| drill.lost > 0)
        .map(|drill| {
            let without = safe(&drill.without);
            let drilled = Label::Drill.text(lang);
            let lost = Label::Lost.text(lang);
            format!(
                "{drilled} {without}{}{lost} {}",
                Label::Colon.text(lang),
                drill.lost
            )
        })
        .collect();
    if let Some(candidate) = replay.candidate.as_ref().filter(|it| it.fails()) {
        let moved = percent(candidate.largest_shift);
        said.push(format!(
            "{}{}{} {}, {} {moved}",
            Label::CandidateRule.text(lang),
            Label::Colon.text(lang),
            Label::Lost.text(lang),
            candidate.lost,
            Label::LargestShift.text(lang),
        ));
    }
    said.join("; ")
}

fn limit(view: View<'_>) -> usize {
    if view.verbose { usize::MAX } else { SHOWN }
}

fn more(page: &mut Page, shown: usize, total: usize, view: View<'_>) {
    if total > shown {
        page.under(
            &Label::More.count(view.lang, total - shown),
            Some(Style::Quiet),
        );
    }
}

fn heading(page: &mut Page, text: &str, view: View<'_>) {
    page.blank();
    page.line(&format!("  {}", view.style.paint(Style::Label, text)));
}

/// What the log had besides the calls.
fn read(page: &mut Page, input: &InputInfo, view: View<'_>) {
    let lang = view.lang;
    let first = input
        .first_unread_line
        .map(|line| format!(" ({} {line})", Label::FirstLine.text(lang)))
        .unwrap_or_default();
    page.under(
        &format!(
            "{} {}, {} {}, {} {}{first}",
            Label::Lines.text(lang),
            input.lines,
            Label::OtherServices.text(lang),
            input.other_services,
            Label::UnreadLines.text(lang),
            input.unread
        ),
        Some(Style::Quiet),
    );
}

fn classes(page: &mut Page, replay: &ReplayInfo, view: View<'_>) {
    for class in replay.classes.iter().take(limit(view)) {
        let (symbol, style) = match (class.lost_share > 0.0, class.bounded) {
            (true, _) => (Symbol::Failed, Style::Bad),
            (false, true) => (Symbol::Unknown, Style::Doubt),
            (false, false) => (Symbol::Ok, Style::Good),
        };
        let head = format!(
            "  {} {} ",
            view.style.symbol(symbol),
            view.style.paint(style, &times(class.requests, view))
        );
        page.hanging(
            &head,
            style,
            &format!(
                "{} -> {}",
                call(&class.example),
                left(class, replay.addresses, view)
            ),
        );
        for stage in &class.stages {
            let is_odd = !stage.oddities.is_empty();
            if stage.dropped_total > 0 || stage.bounded || stage.thrown.is_some() || is_odd {
                fall(page, stage, view);
            }
        }
        for draw in class.probability.iter().flatten() {
            let drawn = Label::Probability.text(view.lang);
            let share = percent(draw.probability);
            let left = set(&draw.survivors, view);
            page.under(&format!("{drawn} {share}: {left}"), None);
        }
        for way in class.ways.iter().take(limit(view)) {
            if let Some(cause) = &way.cause {
                let share = percent(way.probability);
                let nothing = Label::NothingLeft.text(view.lang);
                page.under(
                    &format!("{share} {nothing}: {}", why(cause)),
                    Some(Style::Bad),
                );
            }
        }
    }
    more(
        page,
        limit(view).min(replay.classes.len()),
        replay.classes_total,
        view,
    );
}

/// Addresses, or that there are none.
fn set(all: &[String], view: View<'_>) -> String {
    if all.is_empty() {
        Label::NothingLeft.text(view.lang).to_owned()
    } else {
        addresses(all, all.len(), view)
    }
}

/// `40 x`
fn times(requests: u64, view: View<'_>) -> String {
    format!("{requests} {}", view.style.times())
}

/// What is left of how many.
fn left(class: &ClassInfo, total: usize, view: View<'_>) -> String {
    let lang = view.lang;
    if class.lost {
        return Label::NothingLeft.text(lang).to_owned();
    }
    let list = addresses(&class.survivors, class.survivors_total, view);
    let count = format!("{}/{total}", class.survivors_total);
    if class.bounded {
        format!("{} {count}: {list}", Label::AtMost.text(lang))
    } else {
        format!("{count}: {list}")
    }
}

fn addresses(all: &[String], total: usize, view: View<'_>) -> String {
    let shown = if view.verbose {
        all.len()
    } else {
        SHOWN_ADDRESSES.min(all.len())
    };
    let list = all[..shown]
        .iter()
        .map(|one| safe(one))
        .collect::<Vec<_>>()
        .join(", ");
    if total > shown {
        format!("{list}, +{}", total - shown)
    } else {
        list
    }
}

/// A call as one would write it.
fn call(example: &Value) -> String {
    let text = |value: &Value| match value {
        Value::String(text) => format!("\"{text}\""),
        other => other.to_string(),
    };
    let arguments = match &example["arguments"] {
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        _ => "..".to_owned(),
    };
    let mut shown = format!(
        "{}({arguments})",
        example["method"].as_str().unwrap_or_default()
    );
    if let Value::Object(attachments) = &example["attachments"] {
        for (name, value) in attachments {
            let _ = write!(shown, " {name}={}", value.as_str().unwrap_or_default());
        }
    }
    if let Some(ip) = example["consumer"]["ip"].as_str() {
        let _ = write!(shown, " < {ip}");
    }
    safe(&shown)
}

/// One router: counts, and what took addresses away, with one address each.
fn fall(page: &mut Page, stage: &FallInfo, view: View<'_>) {
    let counts = format!("{} -> {}", stage.input, stage.output);
    let name = stage.id.strip_prefix("X.").unwrap_or(&stage.id);
    let open = if stage.bounded { "?" } else { "" };
    page.under(
        &format!("{} {counts}{open}", pad(&safe(name), ROUTER)),
        None,
    );
    if let Some(thrown) = &stage.thrown {
        page.under(&format!("  {}", safe(thrown)), Some(Style::Quiet));
    }
    for odd in &stage.oddities {
        let head = Label::Odd.text(view.lang);
        let colon = Label::Colon.text(view.lang);
        page.under(&format!("  {head}{colon}{}", odd.text), Some(Style::Doubt));
    }
    let mut said: Vec<(&Option<String>, &Option<String>, &str)> = Vec::new();
    for taken in &stage.dropped {
        let part = (&taken.rule, &taken.position, taken.condition.as_str());
        if said.contains(&part) && !view.verbose {
            continue;
        }
        said.push(part);
        let rule = match (&taken.rule, &taken.position) {
            (Some(rule), Some(position)) => format!("{rule}:{position}  "),
            (Some(rule), None) => format!("{rule}  "),
            (None, _) => String::new(),
        };
        let clause = match (&taken.clause, &taken.value) {
            (Some(clause), Some(value)) => format!("  {}: {clause} ({value})", taken.address),
            (Some(clause), None) => format!("  {}: {clause} (-)", taken.address),
            (None, Some(value)) => format!("  {}: {value}", taken.address),
            (None, None) => format!("  {}", taken.address),
        };
        page.under(
            &format!("  {}", safe(&format!("{rule}{}{clause}", taken.condition))),
            Some(Style::Quiet),
        );
    }
}

fn part(part: &PartInfo) -> String {
    let position = part
        .position
        .as_ref()
        .map(|at| format!(":{at}"))
        .unwrap_or_default();
    safe(&format!("{}{position}  {}", part.rule, part.text))
}

fn coverage(page: &mut Page, coverage: &CoverageInfo, view: View<'_>) {
    let lang = view.lang;
    let nothing = coverage.never_matched.is_empty()
        && coverage.never_asked.is_empty()
        && coverage.shadowed.is_empty()
        && coverage.unreachable.is_empty();
    if nothing {
        return;
    }
    heading(page, Label::Coverage.text(lang), view);
    for (label, parts) in [
        (Label::NeverMatched, &coverage.never_matched),
        (Label::NeverAsked, &coverage.never_asked),
        (Label::Shadowed, &coverage.shadowed),
    ] {
        for one in parts.iter().take(limit(view)) {
            page.hanging(
                "  ",
                Style::Quiet,
                &format!(
                    "{}{}{}",
                    label.text(lang),
                    Label::Colon.text(lang),
                    part(one)
                ),
            );
        }
        more(page, limit(view).min(parts.len()), parts.len(), view);
    }
    if !coverage.unreachable.is_empty() {
        page.hanging(
            "  ",
            Style::Quiet,
            &format!(
                "{}{}{}",
                Label::UnreachableAddresses.text(lang),
                Label::Colon.text(lang),
                addresses(&coverage.unreachable, coverage.unreachable_total, view)
            ),
        );
    }
}

fn why(cause: &CauseInfo) -> String {
    let position = cause
        .position
        .as_ref()
        .map(|at| format!(":{at}"))
        .unwrap_or_default();
    let rule = cause.rule.as_ref().map_or_else(
        || {
            cause
                .stage
                .strip_prefix("X.")
                .unwrap_or(&cause.stage)
                .to_owned()
        },
        |rule| format!("{rule}{position}"),
    );
    safe(&format!("{} {rule}  {}", cause.code, cause.condition))
}

fn drilled(page: &mut Page, drill: &DrillInfo, replay: &ReplayInfo, view: View<'_>) {
    let lang = view.lang;
    heading(
        page,
        &format!(
            "{} {} {}",
            Label::Drill.text(lang),
            view.style.dot(),
            safe(&drill.without)
        ),
        view,
    );
    let (symbol, style) = if drill.lost > 0 {
        (Symbol::Failed, Style::Bad)
    } else if drill.bounded > 0 {
        (Symbol::Unknown, Style::Doubt)
    } else if drill.addresses_after == drill.addresses_before {
        (Symbol::Warning, Style::Doubt)
    } else {
        (Symbol::Ok, Style::Good)
    };
    page.hanging(
        &format!("  {} ", view.style.symbol(symbol)),
        style,
        &format!(
            "{} {} -> {}, {} {}/{}",
            Label::Addresses.text(lang),
            drill.addresses_before,
            drill.addresses_after,
            Label::Lost.text(lang),
            drill.lost,
            replay.requests
        ),
    );
    if drill.addresses_after == drill.addresses_before {
        page.under(Label::TakesNobody.text(lang), Some(Style::Doubt));
    }
    for one in drill.no_fallback.iter().take(limit(view)) {
        page.under(
            &format!(
                "{}: {} ({})",
                Label::NoFallback.text(lang),
                why(&one.cause),
                times(one.requests, view)
            ),
            None,
        );
    }
    for one in drill.lost_requests.iter().take(limit(view)) {
        page.under(
            &format!("{} {}", times(one.requests, view), call(&one.example)),
            Some(Style::Quiet),
        );
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

fn compared(page: &mut Page, candidate: &CandidateChange, with_state: bool, view: View<'_>) {
    let lang = view.lang;
    let dot = view.style.dot();
    let rules = safe(&candidate.rules.join(", "));
    let mut head = format!("{} {dot} {rules}", Label::CandidateRule.text(lang));
    if with_state {
        let state = match candidate.state {
            "running" => Label::Running,
            _ => Label::Starting,
        };
        let _ = write!(
            head,
            " {dot} {} {}",
            Label::Consumer.text(lang),
            state.text(lang)
        );
    }
    heading(page, &head, view);
    let (symbol, style) = if candidate.fails() {
        (Symbol::Failed, Style::Bad)
    } else {
        (Symbol::Ok, Style::Good)
    };
    let allowed = candidate
        .max_shift
        .map(|most| format!(" ({} {})", Label::Allowed.text(lang), percent(most)))
        .unwrap_or_default();
    page.hanging(
        &format!("  {} ", view.style.symbol(symbol)),
        style,
        &format!(
            "{} {}, {} {}, {} {}, {} {}{allowed}",
            Label::Changed.text(lang),
            candidate.changed,
            Label::NewlyLost.text(lang),
            candidate.newly_lost,
            Label::NewlyServed.text(lang),
            candidate.newly_served,
            Label::LargestShift.text(lang),
            percent(candidate.largest_shift)
        ),
    );
    if !candidate.shares.is_empty() {
        let rows: Vec<Vec<String>> = candidate
            .shares
            .iter()
            .take(limit(view).saturating_mul(2))
            .map(|share| {
                let moved = (share.after - share.before) * 100.0;
                vec![
                    safe(&share.address),
                    percent(share.before),
                    percent(share.after),
                    format!("{moved:+.1}"),
                ]
            })
            .collect();
        let header = [Label::Address, Label::Before, Label::After, Label::Moved]
            .map(|label| label.text(lang));
        for line in table(&header, &rows, page.width()).lines() {
            page.line(line);
        }
    }
    for change in candidate.changes.iter().take(limit(view)) {
        let lost = |share: f64| {
            if share > 0.0 && share < 1.0 {
                format!(" ({} {})", Label::Lost.text(lang), percent(share))
            } else {
                String::new()
            }
        };
        page.under(
            &format!(
                "{} {}: {}{} -> {}{}",
                times(change.requests, view),
                call(&change.example),
                set(&change.before, view),
                lost(change.lost_before),
                set(&change.after, view),
                lost(change.lost_after)
            ),
            Some(Style::Quiet),
        );
    }
    more(
        page,
        limit(view).min(candidate.changes.len()),
        candidate.changes_total,
        view,
    );
}

fn versions(page: &mut Page, matrix: &MatrixInfo, view: View<'_>) {
    let lang = view.lang;
    let list: Vec<&str> = matrix
        .versions
        .iter()
        .map(|version| version.dubbo.as_str())
        .collect();
    heading(
        page,
        &format!(
            "{} {} {}",
            Label::Versions.text(lang),
            view.style.dot(),
            safe(&list.join(", "))
        ),
        view,
    );
    if matrix.differences.is_empty() {
        page.hanging(
            &format!("  {} ", view.style.symbol(Symbol::Ok)),
            Style::Good,
            Label::SameEverywhere.text(lang),
        );
        return;
    }
    for difference in matrix.differences.iter().take(limit(view)) {
        page.hanging(
            &format!("  {} ", view.style.symbol(Symbol::Warning)),
            Style::Doubt,
            &format!(
                "{} {}",
                times(difference.requests, view),
                call(&difference.example)
            ),
        );
        for version in &list {
            let left = difference
                .survivors
                .get(*version)
                .map_or(&[][..], Vec::as_slice);
            let mut shown = set(left, view);
            let share = difference.lost_share.get(*version).copied();
            if let Some(share) = share.filter(|share| *share > 0.0 && *share < 1.0) {
                let word = Label::Lost.text(lang);
                let _ = write!(shown, " ({word} {})", percent(share));
            }
            page.under(&format!("{} {shown}", pad(version, 10)), None);
        }
    }
    more(
        page,
        limit(view).min(matrix.differences.len()),
        matrix.differences_total,
        view,
    );
}
