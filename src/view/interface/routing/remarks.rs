//! Findings about the rules in force that stand whatever the verdict: refused, leaking, without effect, not replayed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{Case, Input, Replay, told};
use crate::{
    diagnose::code::Code,
    route::trace::{Effect, Explained, Oddity, Part, RuleState},
    rule::{mesh, tag, yaml::Position},
    view::stage::Raised,
};

/// Parts of rules that are looked at over all classes of calls.
const MOST_PARTS: usize = 100_000;
/// Remarks about parts of rules.
const MOST_REMARKS: usize = 200;

/// All of them, each rule and part once.
pub(super) fn all(case: &Case<'_>, input: &Input<'_>, shown: &Replay<'_>) -> Vec<Raised> {
    let mut found = Vec::new();
    for reading in shown.application.readings(&shown.chain) {
        if let RuleState::Refused(error) | RuleState::TooNew(error) = &reading.state {
            let reason = match &reading.state {
                RuleState::Refused(_) => format!("{} ({})", error.message, error.class),
                _ => error.message.clone(),
            };
            let params = json!({"rule": reading.key, "reason": reason, "position": error.at.map(told::place)});
            found.push(raised(
                case,
                input,
                Code::RuleUnparsed,
                &reading.key,
                error.at,
                params,
            ));
        }
        if reading.state == RuleState::Empty {
            let params = json!({"rule": reading.key, "condition": null});
            found.push(raised(
                case,
                input,
                Code::RuleNoEffect,
                &reading.key,
                None,
                params,
            ));
        }
        if reading.state == RuleState::InForce && reading.kind == "tag" {
            found.extend(idle_tags(case, input, &reading.key));
        }
        if reading.state == RuleState::InForce && reading.kind == "standard-mesh-rule" {
            found.extend(impossible(case, input, &reading.key));
        }
    }
    let mut seen = BTreeSet::new();
    let mut budget = MOST_PARTS;
    for faring in &shown.classes {
        let trace = shown.explain(&faring.class);
        for explained in trace.all_steps() {
            budget = budget.saturating_sub(explained.parts.len());
            for part in &explained.parts {
                if seen.len() == MOST_REMARKS {
                    break;
                }
                // A rule may have the same fault a hundred thousand times: where it stands is looked up once.
                let Some((code, params)) = of_part(case, explained, part) else {
                    continue;
                };
                let rule = part.rule.as_ref();
                let key = rule.map_or(explained.step.router.as_ref(), |rule| &*rule.key);
                if seen.insert((code, key.to_owned(), part.text.clone())) {
                    let at = rule.and_then(|rule| rule.position);
                    found.push(raised(case, input, code, key, at, params));
                }
            }
        }
        if budget == 0 {
            break;
        }
    }
    found
}

/// The routers of this version are only partly known.
pub(in crate::view::interface) fn not_modelled(case: &Case<'_>) -> Raised {
    let router = format!("Dubbo {}", case.dubbo());
    Raised {
        code: Code::RouterUnknown,
        params: told::object(json!({"router": router, "rule": "-"})),
        subject: ("consumer".to_owned(), "routers".to_owned()),
        evidence: Vec::new(),
    }
}

fn raised(
    case: &Case<'_>,
    input: &Input<'_>,
    code: Code,
    rule: &str,
    at: Option<Position>,
    params: serde_json::Value,
) -> Raised {
    Raised {
        code,
        params: told::object(params),
        subject: ("rule".to_owned(), rule.to_owned()),
        evidence: told::position_evidence(case, input, Some(rule), at),
    }
}

fn of_part(
    case: &Case<'_>,
    explained: &Explained,
    part: &Part,
) -> Option<(Code, serde_json::Value)> {
    let router = explained.step.router.as_ref();
    let key = part.rule.as_ref().map_or(router, |rule| &*rule.key);
    let at = part.rule.as_ref().and_then(|rule| rule.position);
    let place = at.map(told::place);
    let condition = || json!({"rule": key, "condition": &*part.text, "position": place});
    Some(match &part.effect {
        Effect::Ignored => (Code::RuleLeaks, condition()),
        Effect::ScriptFails => (Code::RuleNoEffect, condition()),
        // Up to 3.2.3 a generic call is always called `$invoke`: no name of a method ever fits.
        Effect::NotConcerned { clause, value }
            if value.as_deref() == Some("$invoke") && clause.text.starts_with("method") =>
        {
            (Code::RuleNoEffect, condition())
        }
        Effect::Script | Effect::NotRunnable(_) | Effect::Unknown => {
            (Code::RouterUnknown, json!({"router": router, "rule": key}))
        }
        Effect::NoEngine(engine) => (
            Code::ScriptEngineMissing,
            json!({"rule": key, "engine": engine, "jdk": case.question.consumer.jdk}),
        ),
        _ if part.oddities.contains(&Oddity::LoopbackHasNoPattern) => {
            (Code::RuleNoEffect, condition())
        }
        _ => return None,
    })
}

/// Tags that stand for nobody, by their form.
fn idle_tags(case: &Case<'_>, input: &Input<'_>, key: &str) -> Vec<Raised> {
    let Some(stored) = case.held.rules.find(key, case.dubbo()) else {
        return Vec::new();
    };
    let Ok(rule) = tag::parse(&stored.text, case.dubbo()) else {
        return Vec::new();
    };
    rule.tags
        .iter()
        .filter(|tag| {
            tag.addresses.as_ref().is_none_or(Vec::is_empty) && tag.matches.is_none()
        })
        .map(|tag| {
            let name = tag.name.as_deref().unwrap_or("-");
            let params = json!({"rule": key, "condition": format!("tag {name}"), "position": told::place(tag.at)});
            raised(case, input, Code::RuleNoEffect, key, Some(tag.at), params)
        })
        .collect()
}

/// Mesh matches that can never hold: all entries of a list must, and two of them ask for different values.
fn impossible(case: &Case<'_>, input: &Input<'_>, key: &str) -> Option<Raised> {
    let stored = case.held.rules.find(key, case.dubbo())?;
    let rules = mesh::parse(&stored.text, case.dubbo())
        .ok()?
        .standard?
        .ok()?;
    let details = rules
        .virtual_services
        .iter()
        .flat_map(|service| service.routes.iter().flatten().flatten())
        .flat_map(|route| route.details.iter().flatten());
    for detail in details {
        let labels: Vec<(&str, &str)> = detail
            .matches
            .iter()
            .flatten()
            .flat_map(|request| &request.source_labels)
            .filter_map(|(name, value)| Some((name.as_deref()?, value.as_deref()?)))
            .collect();
        let mut wanted: BTreeMap<&str, &str> = BTreeMap::new();
        let clash = labels.iter().find_map(|(name, value)| {
            let first = *wanted.entry(name).or_insert(value);
            (first != *value).then_some((*name, first, *value))
        });
        if let Some((name, one, other)) = clash {
            let condition = format!("sourceLabels {name} = {one} & {name} = {other}");
            let params = json!({"rule": key, "condition": condition});
            return Some(raised(case, input, Code::RuleNoEffect, key, None, params));
        }
    }
    None
}
