//! What Markdown and HTML have in common: an answer as headings, lists and rows, in words of one language and safe to
//! print, not yet in any markup.

use super::{
    filter::{ACCEPTED, SKIPPED},
    model::{Answer, AssumedInfo, FindingInfo, Report},
    safe::safe,
    style::Styler,
    text::{self, View},
    words::{Label, Lang},
};

/// Facts shown for one finding.
const FACTS: usize = 4;
/// Columns of what is set as text.
const WIDTH: usize = 100;

/// How the shared texts are made: signs, no colours, one width for everybody.
pub(super) fn view(lang: Lang, recording: Option<&str>) -> View<'_> {
    View {
        lang,
        width: WIDTH,
        style: Styler {
            colour: false,
            unicode: true,
        },
        verbose: false,
        recording,
    }
}

/// A name and what it stands for.
pub(super) type Pair = (String, String);

/// One finding, ready to be set.
pub(super) struct Finding {
    pub(super) code: String,
    pub(super) name: &'static str,
    pub(super) severity: String,
    pub(super) certainty: &'static str,
    pub(super) message: String,
    /// A fact, and where and when it was seen.
    pub(super) facts: Vec<Pair>,
    pub(super) more: usize,
    pub(super) steps: Vec<Step>,
}

impl Finding {
    /// Everything but its code and its facts, in one line.
    pub(super) fn told(&self) -> String {
        format!(
            "{} · {}: {} ({})",
            self.name, self.severity, self.message, self.certainty
        )
    }
}

/// What to do.
pub(super) struct Step {
    pub(super) text: String,
    pub(super) command: Option<String>,
}

/// One stage.
pub(super) struct Stage {
    pub(super) sign: &'static str,
    pub(super) state: &'static str,
    pub(super) name: String,
    pub(super) said: String,
    pub(super) input: Option<usize>,
    pub(super) output: Option<usize>,
}

/// Stages of one registry and model, with their heading.
pub(super) struct Path {
    pub(super) heading: String,
    pub(super) stages: Vec<Stage>,
}

/// Service and consumer.
pub(super) fn asked(answer: &Answer, lang: Lang) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let service = text::service(answer);
    if service != "-" {
        pairs.push((Label::Service.text(lang).to_owned(), service));
    }
    let consumer = &answer.question.consumer;
    let state = consumer.state.map(|state| match state {
        "running" => Label::Running.text(lang).to_owned(),
        _ => Label::Starting.text(lang).to_owned(),
    });
    let dubbo = consumer
        .dubbo
        .as_ref()
        .map(|version| format!("Dubbo {version}"));
    let parts: Vec<String> = [
        consumer.application.clone(),
        consumer.ip.clone(),
        dubbo,
        state,
    ]
    .into_iter()
    .flatten()
    .map(|part| safe(&part))
    .collect();
    if !parts.is_empty() {
        pairs.push((Label::Consumer.text(lang).to_owned(), parts.join(" · ")));
    }
    if let Some(comparison) = &answer.comparison {
        let mut text = safe(&comparison.with);
        if comparison.differences.is_empty() {
            text = format!("{text} · {}", Label::NoDifference.text(lang));
        }
        pairs.push((Label::Compared.text(lang).to_owned(), text));
    }
    pairs
}

/// What came before the verdict and would come after it, and what other assumptions give.
pub(super) fn around(answer: &Answer, lang: Lang) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let Some(verdict) = &answer.verdict else {
        for candidate in &answer.candidates {
            let text = format!(
                "{} {}{}{}",
                candidate.code,
                candidate.name,
                Label::Colon.text(lang),
                safe(&candidate.why)
            );
            pairs.push((Label::Possible.text(lang).to_owned(), text));
        }
        return pairs;
    };
    for earlier in &verdict.contributors {
        let text = format!(
            "{} {}",
            text::verdict::named(&earlier.code),
            Label::EarlierDrops.count(lang, earlier.addresses)
        );
        pairs.push((Label::Earlier.text(lang).to_owned(), text));
    }
    for world in verdict.worlds.iter().flatten() {
        let state = if world.state == "running" {
            Label::Running
        } else {
            Label::Starting
        };
        let text = format!(
            "Dubbo {}, {}: {} {}",
            safe(&world.dubbo),
            state.text(lang),
            text::verdict::outcome(world.outcome, lang),
            world.code.as_deref().unwrap_or("-")
        );
        pairs.push((Label::Otherwise.text(lang).to_owned(), text));
    }
    if answer.outcome.is_some() {
        let then = text::verdict::then(verdict, lang);
        pairs.push((Label::Then.text(lang).to_owned(), then));
    }
    pairs
}

/// A finding with its proof and steps.
pub(super) fn finding(report: &Report, finding: &FindingInfo, view: View<'_>) -> Finding {
    let severity = match finding.severity.as_str() {
        "error" => Label::SeverityError,
        "warning" => Label::SeverityWarning,
        _ => Label::SeverityInfo,
    };
    Finding {
        code: finding.code.clone(),
        name: finding.name,
        severity: severity.text(view.lang).to_owned(),
        certainty: text::verdict::certainty(finding.certainty, view.lang),
        message: safe(&finding.message),
        facts: finding
            .evidence
            .iter()
            .take(FACTS)
            .map(|evidence| {
                (
                    safe(&evidence.fact),
                    text::facts::place(report, evidence, view),
                )
            })
            .collect(),
        more: finding.evidence.len().saturating_sub(FACTS),
        steps: finding
            .remedy
            .iter()
            .map(|step| {
                let mut text = safe(&step.text);
                if step.changes {
                    text = format!("{text} ({})", Label::Changes.text(view.lang));
                }
                let mut argv = step.argv.clone();
                let is_named = argv.iter().any(|word| word == "--snapshot");
                if let Some(path) = view
                    .recording
                    .filter(|_| step.same_facts && !argv.is_empty() && !is_named)
                {
                    argv.extend(["--snapshot".to_owned(), path.to_owned()]);
                }
                Step {
                    text,
                    command: (!argv.is_empty()).then(|| text::command(&argv)),
                }
            })
            .collect(),
    }
}

/// The stages by registry and model.
pub(super) fn paths(report: &Report, answer: &Answer, view: View<'_>) -> Vec<Path> {
    text::path::paths(answer)
        .into_iter()
        .filter_map(|stages| {
            let first = stages.first()?;
            let model = if first.model == "application" {
                Label::ApplicationLevel
            } else {
                Label::InterfaceLevel
            };
            Some(Path {
                heading: format!(
                    "{} · {}",
                    text::source(report, answer, &first.registry),
                    model.text(view.lang)
                ),
                stages: stages
                    .iter()
                    .map(|stage| Stage {
                        sign: view.style.symbol(text::state_symbol(stage.state).0),
                        state: stage.state,
                        name: text::path::name(&stage.id, view.lang),
                        said: text::path::said(stage, view)
                            .split_whitespace()
                            .collect::<Vec<_>>()
                            .join(" "),
                        input: stage.input,
                        output: stage.output,
                    })
                    .collect(),
            })
        })
        .collect()
}

/// An assumption in one sentence.
pub(super) fn taken_for_granted(assumed: &AssumedInfo, lang: Lang) -> String {
    let what = match assumed.what {
        "consumer" => Label::Consumer.text(lang),
        "dubbo" => "Dubbo",
        ACCEPTED => Label::Accepted.text(lang),
        SKIPPED => Label::Skipped.text(lang),
        other => other,
    };
    let value = match assumed.value.as_str() {
        "running" => Label::Running.text(lang).into(),
        "starting" => Label::Starting.text(lang).into(),
        other => safe(other),
    };
    let colon = Label::Colon.text(lang);
    let text = format!("{what} {value}{colon}{}", safe(&assumed.why));
    if assumed.changes_verdict {
        format!("{text} ({})", Label::ChangesVerdict.text(lang))
    } else {
        text
    }
}

/// What was taken for granted and what was not seen.
pub(super) fn limits(answer: &Answer, view: View<'_>) -> Vec<Pair> {
    let lang = view.lang;
    let mut pairs = Vec::new();
    for assumed in &answer.assumed {
        pairs.push((
            Label::Assumed.text(lang).to_owned(),
            taken_for_granted(assumed, lang),
        ));
    }
    for missing in &answer.not_seen {
        let mut text = format!(
            "{}{}{}",
            safe(&missing.what),
            Label::Colon.text(lang),
            safe(&missing.why)
        );
        if missing.required {
            text = format!("{text} ({})", Label::Required.text(lang));
        }
        if let Some(how) = &missing.how_to_see {
            text = format!(
                "{text} — {}",
                safe(&text::on_recording(how, view.recording))
            );
        }
        pairs.push((Label::NotSeen.text(lang).to_owned(), text));
    }
    pairs
}

/// Providers by zone: name, registered, left, share of the calls.
pub(super) fn zones(answer: &Answer, lang: Lang) -> Vec<[String; 4]> {
    let Some(zones) = answer.zones.as_ref() else {
        return Vec::new();
    };
    zones
        .rows
        .iter()
        .map(|row| {
            let mut name = safe(row.zone.as_deref().unwrap_or("-"));
            if row.zone.is_some() && row.zone == zones.consumer {
                name = format!("{name} ({})", Label::Consumer.text(lang));
            }
            [
                name,
                row.registered.to_string(),
                row.left.to_string(),
                format!("{:.0} %", row.share * 100.0),
            ]
        })
        .collect()
}

/// What differs in another place: what, here, there.
pub(super) fn differences(answer: &Answer, lang: Lang) -> Vec<[String; 3]> {
    let cell = |text: &Option<String>| safe(text.as_deref().unwrap_or("-"));
    answer
        .comparison
        .iter()
        .flat_map(|comparison| &comparison.differences)
        .map(|one| {
            [
                text::path::difference(&one.what, lang),
                cell(&one.here),
                cell(&one.there),
            ]
        })
        .collect()
}

/// Who was asked: id, kind, where, version.
pub(super) fn sources(report: &Report) -> Vec<[String; 4]> {
    report
        .sources
        .iter()
        .map(|(id, info)| {
            let place = [&info.url, &info.endpoint, &info.name]
                .into_iter()
                .flatten()
                .next();
            [
                safe(id),
                safe(&info.kind),
                safe(place.map_or("-", String::as_str)),
                safe(info.server.as_deref().unwrap_or("-")),
            ]
        })
        .collect()
}
