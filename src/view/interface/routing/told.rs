//! From the parts of a trace to codes, parameters and evidence.

use serde_json::{Value, json};

use super::{Case, Input, Replay};
use crate::{
    diagnose::code::Code,
    report::words::{Phrase, Say},
    route::{
        Thrown,
        trace::{Effect, Explained, Part},
    },
    rule::{condition::text::shown, yaml::Position},
    view::stage::{Evidence, Raised},
};

/// The code of a part that removes something.
pub(super) fn code_of(case: &Case<'_>, part: &Part) -> Code {
    match &part.effect {
        Effect::Refuses => Code::ConsumerBlocked,
        Effect::TagByRule | Effect::TagByUrl | Effect::TagFallback => Code::TagNotServed,
        Effect::Untagged => Code::UntaggedStarved,
        _ if part.pins_place(
            case.question.zones.key.as_deref(),
            case.question.zones.has_any(),
        ) =>
        {
            Code::ZonePinned
        }
        _ => Code::RoutedAway,
    }
}

/// The part that leaves nothing: the last one that was asked, or none when the router throws.
pub(super) fn emptying(explained: &Explained) -> Option<&Part> {
    explained
        .parts
        .iter()
        .rev()
        .find(|part| part.output.is_empty())
}

/// Why a router leaves nothing.
pub(super) fn raised(
    case: &Case<'_>,
    input: &Input<'_>,
    shown: &Replay<'_>,
    explained: &Explained,
) -> Raised {
    let total = input.urls.len();
    let count = explained.step.input.at_most().len();
    if let Some(thrown) = &explained.thrown {
        return of_exception(case, shown, explained, thrown, (count, total));
    }
    let Some(part) = emptying(explained) else {
        return of_exception(
            case,
            shown,
            explained,
            &Thrown {
                class: "-",
                message: explained.step.router.to_string(),
            },
            (count, total),
        );
    };
    let code = code_of(case, part);
    let rule = part.rule.as_ref().map(|rule| rule.key.to_string());
    let position = part.rule.as_ref().and_then(|rule| rule.position);
    let subject = match &rule {
        Some(rule) => ("rule".to_owned(), rule.clone()),
        None => ("service".to_owned(), case.question.service.to_string()),
    };
    let values: Vec<&str> = {
        let mut values: Vec<&str> = part
            .removed
            .iter()
            .filter_map(|it| it.value.as_deref())
            .collect();
        values.sort_unstable();
        values.dedup();
        values.truncate(3);
        values
    };
    let evidence = position_evidence(case, input, rule.as_deref(), position);
    let params = json!({
        "service": case.question.service.to_string(), "rule": rule, "condition": &*part.text,
        "position": position.map(place), "tag": &*part.text, "count": count, "total": total,
        "router": explained.step.router, "found": values,
        "force": part.rule.as_ref().map(|rule| rule.force),
    });
    Raised {
        code,
        params: object(params),
        subject,
        evidence,
    }
}

/// A router throws, which the directory takes for an empty list.
fn of_exception(
    case: &Case<'_>,
    shown: &Replay<'_>,
    explained: &Explained,
    thrown: &Thrown,
    (count, total): (usize, usize),
) -> Raised {
    let readings = shown.application.readings(&shown.chain);
    let rule = readings
        .into_iter()
        .find(|reading| reading.kind == explained.step.kind)
        .map(|reading| reading.key);
    Raised {
        code: Code::RoutedAway,
        params: object(json!({
            "service": case.question.service.to_string(), "rule": rule, "condition": thrown.to_string(),
            "count": count, "total": total, "router": explained.step.router,
        })),
        subject: (
            "rule".to_owned(),
            rule.unwrap_or_else(|| explained.step.router.to_string()),
        ),
        evidence: Vec::new(),
    }
}

/// The sentence names the requests behind the condition.
pub(crate) fn with_requests(raised: &mut Raised, names: Vec<String>) {
    if let Some(Value::String(condition)) = raised.params.get_mut("condition") {
        *condition = format!("{condition} [{}]", names.join("; "));
    }
    raised.params.insert("requests".to_owned(), names.into());
}

pub(super) fn place(at: Position) -> String {
    format!("{}:{}", at.line, at.column)
}

/// The rule under a key, with the line at a place quoted.
pub(super) fn position_evidence(
    case: &Case<'_>,
    input: &Input<'_>,
    rule: Option<&str>,
    at: Option<Position>,
) -> Vec<Evidence> {
    let Some(key) = rule else { return Vec::new() };
    if let Some(stored) = case.held.rules.find(key, case.dubbo()) {
        let line = at.and_then(|at| {
            let skipped = usize::try_from(at.line).ok()?.checked_sub(1)?;
            Some((at, stored.text.lines().nth(skipped)?))
        });
        let fact = match line {
            Some((at, text)) => Phrase::new(Say::RuleLine)
                .with("line", at.line.to_string())
                .with(
                    "text",
                    shown(text.trim()).chars().take(200).collect::<String>(),
                ),
            None => Say::RulePresent.into(),
        };
        return vec![Evidence {
            position: at.map(place),
            fact,
            ..stored.evidence.clone()
        }];
    }
    input
        .routes
        .iter()
        .filter(|(_, url)| url.to_string() == key)
        .map(|(entry, _)| Evidence {
            fact: Say::RulePresent.into(),
            ..entry.evidence.clone()
        })
        .take(1)
        .collect()
}

pub(super) fn object(value: Value) -> serde_json::Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => serde_json::Map::new(),
    }
}
