//! The top of a text report: what is the matter with this service, and why.

use super::{
    View,
    facts::{proof, remedy},
    service, state_symbol,
};
use crate::diagnose::code::Code;
use crate::report::{
    layout::Page,
    model::{Answer, Report, VerdictInfo},
    replay::CandidateChange,
    safe::safe,
    words::{Label, Lang},
};

pub(super) fn headline(page: &mut Page, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    let (label, state) = match answer.outcome {
        Some("reachable") if fails_later(answer) => (Label::ReachableNow, "failed"),
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
        None if answer.replay.is_some() && fails_later(answer) => {
            page.hanging(&head, style, &super::replay::later(answer, view));
        }
        None => page.hanging(&head, style, &unjudged(answer, lang)),
    }
}

/// Whether calls that are served now lose everything, or too many of them move, in a drill or with the candidate.
fn fails_later(answer: &Answer) -> bool {
    answer.replay.as_ref().is_some_and(|replay| {
        let drilled = replay.drill.iter().flatten().any(|drill| drill.lost > 0);
        drilled
            || replay
                .candidate
                .as_ref()
                .is_some_and(CandidateChange::fails)
    })
}

/// The sentence of an answer without a verdict.
fn unjudged(answer: &Answer, lang: Lang) -> String {
    match answer.outcome {
        Some("reachable") => match super::path::left(answer) {
            Some(count) => Label::ReachableMessage.count(lang, count),
            None => Label::ReachableUncounted.text(lang).to_owned(),
        },
        // Without a verdict, only the zone is lost: the finding says of what it had and what others keep.
        Some("partly") => Label::ZoneLostMessage.text(lang).to_owned(),
        _ => Label::UnknownMessage.text(lang).to_owned(),
    }
}

pub(in crate::report) fn certainty(word: &str, lang: Lang) -> &'static str {
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

/// What else it could be.
fn candidates(page: &mut Page, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
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
}

/// What it could be, and what would have to be seen to know.
pub(super) fn undecided(page: &mut Page, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    candidates(page, answer, view);
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
            super::how(page, how, view);
        }
    }
}

/// What follows the headline: proof, what came before and would come after, what to do, or what is missing.
pub(super) fn cause(page: &mut Page, report: &Report, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    let Some(verdict) = &answer.verdict else {
        undecided(page, answer, view);
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
    page.field(Label::Then.text(lang), &then(verdict, lang));
    candidates(page, answer, view);
    if let Some(finding) = finding {
        for step in &finding.remedy {
            remedy(page, step, view);
        }
    }
}

/// So many facts of the repaired world that nobody saw are named.
const MOST_NOT_SEEN: usize = 3;

/// What would still be in the way once the cause is repaired, and what nobody saw of that.
pub(in crate::report) fn then(verdict: &VerdictInfo, lang: Lang) -> String {
    let colon = Label::Colon.text(lang);
    let mut parts = Vec::new();
    if !verdict.then.is_empty() {
        let codes: Vec<String> = verdict.then.iter().map(|code| named(code)).collect();
        parts.push(format!(
            "{}{colon}{}",
            Label::ThenCodes.text(lang),
            codes.join(", ")
        ));
    }
    let facts = &verdict.then_not_seen;
    if !facts.is_empty() {
        let shown = facts.iter().take(MOST_NOT_SEEN);
        let mut names: Vec<String> = shown.map(|fact| safe(&fact.what)).collect();
        if facts.len() > MOST_NOT_SEEN {
            names.push("..".to_owned());
        }
        let label = Label::ThenNotSeen.text(lang);
        parts.push(format!("{label}{colon}{}", names.join(", ")));
    }
    if parts.is_empty() {
        parts.push(Label::ThenNothing.text(lang).to_owned());
    }
    parts.join(" · ")
}

/// A code with its name.
pub(in crate::report) fn named(code: &str) -> String {
    match Code::ALL.iter().find(|known| known.to_string() == code) {
        Some(known) => format!("{code} {}", known.name()),
        None => code.to_owned(),
    }
}

pub(in crate::report) fn outcome(word: &str, lang: Lang) -> &'static str {
    match word {
        "reachable" => Label::Reachable,
        "partly" => Label::Partly,
        "none" => Label::None,
        _ => Label::Unknown,
    }
    .text(lang)
}
