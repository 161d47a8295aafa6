//! Remarks on a rule text: the line, what is meant in it, what Dubbo makes of it.

use std::collections::BTreeMap;

use unicode_width::UnicodeWidthStr;

use super::{View, facts::remedy, parts::severity, verdict::certainty};
use crate::report::{
    layout::Page,
    model::{Answer, FindingInfo, MarkInfo, ReadingInfo, Report, RuleInfo},
    safe::safe,
    style::{Style, Symbol},
    words::{Label, Lang},
};

/// Columns of the number of a line and what stands around it.
const GUTTER: usize = 8;

pub(super) fn answer(
    page: &mut Page,
    report: &Report,
    answer: &Answer,
    rule: &RuleInfo,
    view: View<'_>,
) {
    headline(page, answer, rule, view);
    facts(page, rule, view);
    let several = rule.versions.len() > 1;
    let (shared, own): (Vec<_>, Vec<_>) = answer
        .findings
        .iter()
        .partition(|finding| several && finding.mark.as_ref().is_none_or(|mark| mark.everywhere));
    if several {
        readings(page, rule, view);
    }
    let mut last: Option<&MarkInfo> = None;
    for finding in own {
        page.blank();
        one(page, report, finding, several, &mut last, view);
    }
    if !shared.is_empty() {
        page.blank();
        let head = Label::RuleEverywhere.text(view.lang);
        page.line(&format!("  {}", view.style.paint(Style::Label, head)));
        for finding in shared {
            let (symbol, style, _) = severity(finding, view);
            let head = format!("  {} {} {} ", symbol, finding.code, place(finding));
            page.hanging(&head, style, &safe(&finding.message));
        }
    }
    if rule.more > 0 {
        page.blank();
        page.line(&format!("  +{}", rule.more));
    }
}

pub(super) fn headline(page: &mut Page, answer: &Answer, rule: &RuleInfo, view: View<'_>) {
    let count = |word: &str| {
        let all = answer.findings.iter();
        all.filter(|finding| finding.severity == word).count()
    };
    let counted: Vec<String> = [
        ("error", Label::Error),
        ("warning", Label::Warning),
        ("info", Label::Info),
    ]
    .into_iter()
    .filter(|(word, _)| count(word) > 0)
    .map(|(word, label)| {
        let times = view.style.times();
        format!("{} {times} {}", count(word), label.text(view.lang))
    })
    .collect();
    let is_open = answer.outcome == Some("unknown");
    let (symbol, style) = if count("error") > 0 {
        (Symbol::Failed, Style::Bad)
    } else if is_open {
        (Symbol::Warning, Style::Doubt)
    } else if counted.is_empty() {
        (Symbol::Ok, Style::Good)
    } else {
        (Symbol::Warning, Style::Doubt)
    };
    let head = format!(
        "{} {} {} ",
        view.style.symbol(symbol),
        Label::RuleTitle.text(view.lang),
        view.style.dot()
    );
    let said = if counted.is_empty() && is_open {
        Label::UnknownMessage.text(view.lang).to_owned()
    } else if counted.is_empty() {
        Label::RuleClean.text(view.lang).to_owned()
    } else {
        counted.join(", ")
    };
    let colon = Label::Colon.text(view.lang);
    page.heading(
        &head,
        style,
        &format!("{}{colon}{said}", safe(&rule.file)),
        2,
    );
}

fn facts(page: &mut Page, rule: &RuleInfo, view: View<'_>) {
    let mut about = rule.kind.to_owned();
    if let Some(key) = &rule.key {
        let word = Label::RuleKey.text(view.lang);
        about = format!("{about} {} {word} {}", view.style.dot(), safe(key));
    }
    page.field(Label::Rule.text(view.lang), &about);
    let versions: Vec<&str> = rule
        .versions
        .iter()
        .map(|version| version.dubbo.as_str())
        .collect();
    if !versions.is_empty() {
        page.field("Dubbo", &safe(&versions.join(", ")));
    }
    if let Some(count) = rule.providers {
        page.under(&Label::RuleCompared.count(view.lang, count), None);
    }
}

fn place(finding: &FindingInfo) -> String {
    finding
        .mark
        .as_ref()
        .map_or_else(String::new, |mark| format!("{}:{}", mark.line, mark.column))
}

fn one<'f>(
    page: &mut Page,
    report: &Report,
    finding: &'f FindingInfo,
    several: bool,
    last: &mut Option<&'f MarkInfo>,
    view: View<'_>,
) {
    let _ = report;
    let lang = view.lang;
    let (symbol, style, word) = severity(finding, view);
    let head = format!("  {symbol} {} {word} {} ", finding.code, place(finding));
    let mut message = safe(&finding.message);
    if finding.certainty != "certain" {
        message = format!("{message} ({})", certainty(finding.certainty, lang));
    }
    page.hanging(&head, style, &message);
    if let Some(mark) = &finding.mark {
        let again = last.is_some_and(|last| {
            (last.line, last.column, last.width) == (mark.line, mark.column, mark.width)
        });
        if !again {
            excerpt(page, mark, style, view);
        }
        *last = Some(mark);
        if several {
            let versions = safe(&mark.dubbo.join(", "));
            page.field(Label::RuleOnlyIn.text(lang), &format!("Dubbo {versions}"));
        }
    }
    for (index, evidence) in finding.evidence.iter().enumerate() {
        if finding.mark.is_none() {
            page.field(Label::Proof.text(lang), &safe(&evidence.fact));
        } else if index == 0 {
            page.field(Label::RuleReads.text(lang), &safe(&evidence.fact));
        } else if let Some(position) = &evidence.position {
            let line = Label::Line.text(lang);
            page.under(&format!("{line} {position}"), Some(Style::Quiet));
        }
    }
    for step in &finding.remedy {
        remedy(page, step, view);
    }
}

/// The line with what is meant underlined.
fn excerpt(page: &mut Page, mark: &MarkInfo, style: Style, view: View<'_>) {
    let room = page.width().saturating_sub(GUTTER).max(20);
    let signs: Vec<char> = mark.source.chars().collect();
    let at = usize::try_from(mark.column.saturating_sub(mark.source_column)).unwrap_or_default();
    let at = at.min(signs.len());
    let end = (at + mark.width).min(signs.len());
    // From the left until the place fits, with some of what stands before it.
    let mut from = 0;
    let shown = |from: usize, to: usize| safe(&signs[from.min(to)..to].iter().collect::<String>());
    while from < at && shown(from, end.max(at)).width() > room {
        from += 1;
    }
    let mut to = signs.len();
    while to > from && shown(from, to).width() > room {
        to -= 1;
    }
    let number = format!("{:>5}", mark.line);
    let bar = if view.style.unicode { "\u{2502}" } else { "|" };
    page.line(&format!(
        "{} {bar} {}",
        view.style.paint(Style::Quiet, &number),
        shown(from, to)
    ));
    let before = shown(from, at.min(to)).width();
    let carets = shown(at.min(to), end.min(to)).width().max(1);
    page.line(&format!(
        "      {bar} {}{}",
        " ".repeat(before),
        view.style.paint(style, &"^".repeat(carets))
    ));
}

/// What versions make of the text, where they differ.
fn readings(page: &mut Page, rule: &RuleInfo, view: View<'_>) {
    let label = Label::RuleReads.text(view.lang);
    let first = rule.versions.first().map(|version| &version.reading);
    if rule
        .versions
        .iter()
        .all(|version| Some(&version.reading) == first)
    {
        page.field(label, Label::RuleAlike.text(view.lang));
        // That all of them refuse it is no agreement on what it says.
        let refusal = first.and_then(|lines| lines.first());
        if let Some(line) = refusal.filter(|line| line.starts_with("refused")) {
            page.under(&safe(&word(line, view.lang)), None);
        }
        return;
    }
    let everywhere = |line: &String| {
        rule.versions
            .iter()
            .all(|version| version.reading.contains(line))
    };
    let mut groups: BTreeMap<usize, (Vec<&str>, &ReadingInfo)> = BTreeMap::new();
    for (index, version) in rule.versions.iter().enumerate() {
        match groups
            .values_mut()
            .find(|(_, known)| known.reading == version.reading)
        {
            Some((names, _)) => names.push(&version.dubbo),
            None => {
                groups.insert(index, (vec![&version.dubbo], version));
            }
        }
    }
    for (index, (names, version)) in groups.values().enumerate() {
        let label = if index == 0 { label } else { "" };
        page.field(label, &format!("Dubbo {}:", safe(&names.join(", "))));
        for line in version.reading.iter().filter(|line| !everywhere(line)) {
            page.under(&safe(&word(line, view.lang)), None);
        }
    }
}

/// The one word in a reading that is not Dubbo's own.
fn word(line: &str, lang: Lang) -> String {
    match line.strip_prefix("refused") {
        Some(rest) => format!("{}{rest}", Label::RuleRefused.text(lang)),
        None => line.to_owned(),
    }
}
