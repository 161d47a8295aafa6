//! Everything of a text report but the stages.

use super::{View, command, service, state_symbol};
use crate::diagnose::code::Code;
use crate::report::{
    layout::Page,
    model::{Answer, EvidenceInfo, FindingInfo, RemedyInfo, Report},
    safe::safe,
    style::{Style, Symbol},
    table::table,
    words::{Label, Lang},
};

/// Facts shown for one finding without `-v`.
const FEW: usize = 4;

pub(super) fn headline(page: &mut Page, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    let (label, state) = match answer.outcome {
        Some("reachable") => (Label::Reachable, "ok"),
        Some("partly") => (Label::Partly, "failed"),
        Some("none") => (Label::None, "failed"),
        Some(_) => (Label::Unknown, "unknown"),
        None => (Label::Done, "ok"),
    };
    let (symbol, style) = state_symbol(state);
    let head = format!(
        "{} {} {} ",
        view.style.symbol(symbol),
        label.text(lang),
        view.style.dot()
    );
    match &answer.verdict {
        Some(verdict) => {
            page.heading(&head, style, &safe(&verdict.message), 2);
            let code = format!("{} {}", verdict.code, verdict.name);
            page.hanging(
                "  ",
                style,
                &format!(
                    "{code} {} {}",
                    view.style.dot(),
                    certainty(verdict.certainty, lang)
                ),
            );
        }
        None => page.hanging(&head, style, &unjudged(answer, lang)),
    }
}

/// The sentence of an answer without a verdict.
fn unjudged(answer: &Answer, lang: Lang) -> String {
    match answer.outcome {
        Some("reachable") => match super::path::left(answer) {
            Some(count) => Label::ReachableMessage.count(lang, count),
            None => Label::ReachableUncounted.text(lang).to_owned(),
        },
        _ => Label::UnknownMessage.text(lang).to_owned(),
    }
}

fn certainty(word: &str, lang: Lang) -> &'static str {
    match word {
        "certain" => Label::Certain,
        "likely" => Label::Likely,
        _ => Label::OnlyPossible,
    }
    .text(lang)
}

pub(super) fn asked(page: &mut Page, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    page.field(Label::Service.text(lang), &service(answer));
    let consumer = &answer.question.consumer;
    let state = consumer.state.map(|state| match state {
        "running" => Label::Running.text(lang).to_owned(),
        _ => Label::Starting.text(lang).to_owned(),
    });
    let parts: Vec<String> = [
        consumer.application.clone(),
        consumer.ip.clone(),
        consumer
            .dubbo
            .as_ref()
            .map(|version| format!("Dubbo {version}")),
        state,
    ]
    .into_iter()
    .flatten()
    .map(|part| safe(&part))
    .collect();
    if !parts.is_empty() {
        page.field(
            Label::Consumer.text(lang),
            &parts.join(&format!(" {} ", view.style.dot())),
        );
    }
}

/// What follows the headline: proof, what came before and would come after, what to do, or what is missing.
pub(super) fn cause(page: &mut Page, report: &Report, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    let Some(verdict) = &answer.verdict else {
        for candidate in &answer.candidates {
            let text = format!(
                "{} {}{}{}",
                candidate.code,
                candidate.name,
                Label::Colon.text(lang),
                safe(&candidate.why)
            );
            page.field(Label::Possible.text(lang), &text);
        }
        for missing in answer
            .not_seen
            .iter()
            .filter(|missing| missing.required && answer.outcome == Some("unknown"))
        {
            page.field(
                Label::Missing.text(lang),
                &safe(&format!(
                    "{}{}{}",
                    missing.what,
                    Label::Colon.text(lang),
                    missing.why
                )),
            );
            if let Some(how) = &missing.how_to_see {
                page.under(&safe(how), None);
            }
        }
        return;
    };
    let finding = answer
        .findings
        .iter()
        .find(|finding| finding.code == verdict.code);
    if let Some(finding) = finding {
        proof(page, report, finding, view);
    }
    for earlier in &verdict.contributors {
        let text = format!(
            "{} {}",
            named(&earlier.code),
            Label::EarlierDrops.count(lang, earlier.addresses)
        );
        page.field(Label::Earlier.text(lang), &text);
    }
    for world in verdict.worlds.iter().flatten() {
        let state = if world.state == "running" {
            Label::Running
        } else {
            Label::Starting
        };
        let code = world.code.as_deref().unwrap_or("-");
        let text = format!(
            "Dubbo {}, {}: {} {code}",
            world.dubbo,
            state.text(lang),
            outcome(world.outcome, lang)
        );
        page.field(Label::Otherwise.text(lang), &safe(&text));
    }
    let then = if verdict.then.is_empty() {
        Label::ThenNothing.text(lang).to_owned()
    } else {
        let codes: Vec<String> = verdict.then.iter().map(|code| named(code)).collect();
        let colon = Label::Colon.text(lang);
        format!("{}{colon}{}", Label::ThenCodes.text(lang), codes.join(", "))
    };
    page.field(Label::Then.text(lang), &then);
    if let Some(finding) = finding {
        for step in &finding.remedy {
            remedy(page, step, view);
        }
    }
}

/// A code with its name.
fn named(code: &str) -> String {
    match Code::ALL.iter().find(|known| known.to_string() == code) {
        Some(known) => format!("{code} {}", known.name()),
        None => code.to_owned(),
    }
}

fn outcome(word: &str, lang: Lang) -> &'static str {
    match word {
        "reachable" => Label::Reachable,
        "partly" => Label::Partly,
        "none" => Label::None,
        _ => Label::Unknown,
    }
    .text(lang)
}

fn proof(page: &mut Page, report: &Report, finding: &FindingInfo, view: View<'_>) {
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
    if text.chars().count() <= MOST {
        return text;
    }
    let all: Vec<char> = text.chars().collect();
    let (head, tail) = (&all[..MOST * 2 / 3], &all[all.len() - MOST / 3..]);
    format!("{}..{}", String::from_iter(head), String::from_iter(tail))
}

/// Where and when a fact was seen.
fn place(report: &Report, evidence: &EvidenceInfo, view: View<'_>) -> String {
    let fields: Vec<String> = evidence
        .address
        .iter()
        .map(|(name, value)| match value.as_str() {
            Some(text) if name == "path" => short(text, view),
            Some(text) => format!("{name}={}", short(text, view)),
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

fn remedy(page: &mut Page, step: &RemedyInfo, view: View<'_>) {
    let mut text = safe(&step.text);
    if step.changes {
        text = format!("{text} ({})", Label::Changes.text(view.lang));
    }
    page.field(Label::Next.text(view.lang), &text);
    if !step.argv.is_empty() {
        let mut argv = step.argv.clone();
        if let Some(path) = view.recording.filter(|_| step.same_facts) {
            argv.extend(["--snapshot".to_owned(), path.to_owned()]);
        }
        page.command(&command(&argv));
    }
}

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
        let (symbol, style, word) = match finding.severity.as_str() {
            "error" => (Symbol::Failed, Style::Bad, Label::Error),
            "warning" => (Symbol::Warning, Style::Doubt, Label::Warning),
            _ => (Symbol::Skipped, Style::Quiet, Label::Info),
        };
        let head = format!(
            "  {} {} {} ",
            view.style.symbol(symbol),
            finding.code,
            word.text(lang)
        );
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

/// The words of an assumption, as far as they are not names.
fn assumed_words<'a>(what: &'a str, value: &'a str, lang: Lang) -> (&'a str, &'a str) {
    let what = match what {
        "consumer" => Label::Consumer.text(lang),
        "dubbo" => "Dubbo",
        other => other,
    };
    let value = match value {
        "running" => Label::Running.text(lang),
        "starting" => Label::Starting.text(lang),
        other => other,
    };
    (what, value)
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
        let colon = Label::Colon.text(lang);
        let (what, value) = assumed_words(assumed.what, &assumed.value, lang);
        let mut text = format!("{what} {value}{colon}{}", assumed.why);
        if assumed.changes_verdict {
            text = format!("{text} ({})", Label::ChangesVerdict.text(lang));
        }
        page.field(label, &safe(&text));
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
            page.under(&safe(how), None);
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
    let rows: Vec<Vec<String>> = report
        .sources
        .iter()
        .map(|(id, info)| {
            let place = [&info.url, &info.endpoint, &info.name]
                .into_iter()
                .flatten()
                .next();
            [Some(id), Some(&info.kind), place, info.server.as_ref()]
                .map(|cell| cell.map_or_else(|| "-".to_owned(), |text| safe(text)))
                .to_vec()
        })
        .collect();
    let header =
        [Label::Id, Label::Kind, Label::Where, Label::Server].map(|label| label.text(lang));
    let text = table(&header, &rows, page.width());
    for line in text.lines() {
        page.line(line);
    }
}
