//! A call's way through the chain as people read it: router by router, and why each address is gone.

use std::collections::BTreeSet;

use super::scenario::Ran;
use crate::diagnose::code::Code;
use crate::model::zone::Zones;
use crate::route::Thrown;
use crate::route::outcome::Outcome;
use crate::route::trace::{Effect, Explained, Oddity, Part};
use crate::rule::yaml::Position;

/// One router on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Fall {
    /// Id of the stage (`X.condition.service`).
    pub id: String,
    /// The simple name of Dubbo's class, or the name of a router of the user's own.
    pub router: String,
    /// How many came in.
    pub input: usize,
    /// How many may have gone out.
    pub output: usize,
    /// Whether only bounds are known of what went out.
    pub bounded: bool,
    /// Whether a rule, tag or script had a say.
    pub has_rule: bool,
    /// Every address that was taken away.
    pub gone: Vec<Taken>,
    /// The exception it ends in.
    pub thrown: Option<String>,
    /// Where the real code does what nobody would expect, each once.
    pub oddities: Vec<Oddity>,
}

/// One address that was taken away.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// `host:port`.
    pub address: String,
    /// The code that this is when nothing is left.
    pub code: Code,
    /// Key of the rule.
    pub rule: Option<String>,
    /// Where the part stands.
    pub position: Option<Position>,
    /// The part as written.
    pub condition: String,
    /// The clause that it does not fit.
    pub clause: Option<String>,
    /// What it has there.
    pub value: Option<String>,
}

/// Why a call has no address left.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    /// The code.
    pub code: Code,
    /// Id of the stage.
    pub stage: String,
    /// Key of the rule.
    pub rule: Option<String>,
    /// Where the part stands.
    pub position: Option<Position>,
    /// The part as written: a condition, a tag, an exception.
    pub condition: String,
    /// How many addresses came to the router.
    pub input: usize,
    /// How likely it is that nothing is left, from 0 to 1: 1 unless something is drawn.
    pub share: f64,
}

/// A place in a rule as reports write it: `line:column`.
pub fn place(position: Option<Position>) -> Option<String> {
    position.map(|at| format!("{}:{}", at.line, at.column))
}

/// The id of a router's stage, by its SPI name.
pub fn stage_name(kind: &str, router: &str) -> String {
    match kind {
        "service" | "provider-app" | "app" => format!("condition.{kind}"),
        "condition" => "condition.url".to_owned(),
        "script-app" => "script.app".to_owned(),
        "script" => "script.url".to_owned(),
        "standard-mesh-rule" => "mesh".to_owned(),
        "declared" | "custom" => router.to_owned(),
        other => other.to_owned(),
    }
}

/// The way of a call; where something is drawn, what all its ways come to together.
pub fn waterfall(ran: &Ran, zones: &Zones) -> Vec<Fall> {
    falls(ran, &ran.trace.steps, zones)
}

/// The way of a call that leads to nothing: the likeliest one where something is drawn.
pub(super) fn waterfall_to_nothing(ran: &Ran, zones: &Zones) -> Vec<Fall> {
    falls(ran, ran.trace.steps_to_nothing(), zones)
}

fn falls(ran: &Ran, steps: &[Explained], zones: &Zones) -> Vec<Fall> {
    steps
        .iter()
        .map(|explained| fall(ran, explained, zones))
        .collect()
}

/// One of several ways that a call may take.
#[derive(Debug, Clone, PartialEq)]
pub struct WayOf<'r> {
    /// How likely it is taken, from 0 to 1.
    pub probability: f64,
    /// Addresses that may be left at its end.
    pub survivors: Vec<&'r str>,
    /// Whether only bounds are known.
    pub bounded: bool,
    /// Why nothing is left.
    pub cause: Option<Cause>,
    /// Router by router.
    pub falls: Vec<Fall>,
}

/// Each way of a call where something is drawn, those that leave nothing first; at most 16.
pub fn ways<'r>(ran: &'r Ran, zones: &Zones) -> Vec<WayOf<'r>> {
    let all = ran.trace.split.iter().flat_map(|split| &split.ways);
    all.map(|way| WayOf {
        probability: way.probability,
        survivors: match &way.outcome {
            Ok(outcome) => ran.names(&outcome.at_most()),
            Err(_) => Vec::new(),
        },
        bounded: !way.is_lost() && matches!(way.outcome, Ok(Outcome::Within(_))),
        cause: way
            .is_lost()
            .then(|| cause_among(ran, &way.steps, way.outcome.as_ref().err(), zones))
            .flatten(),
        falls: falls(ran, &way.steps, zones),
    })
    .collect()
}

fn fall(ran: &Ran, explained: &Explained, zones: &Zones) -> Fall {
    let step = &explained.step;
    let mut gone: Vec<Taken> = explained
        .parts
        .iter()
        .flat_map(|part| part.removed.iter().map(move |removal| (part, removal)))
        .map(|(part, removal)| Taken {
            address: ran.addresses[removal.address].address.clone(),
            code: code_of(part, zones),
            rule: part.rule.as_ref().map(|rule| rule.key.to_string()),
            position: part.rule.as_ref().and_then(|rule| rule.position),
            condition: part.text.to_string(),
            clause: removal.by.as_ref().map(|clause| clause.text.clone()),
            value: removal.value.clone(),
        })
        .collect();
    gone.sort_by(|a, b| a.address.cmp(&b.address));
    let oddities: BTreeSet<Oddity> = explained
        .parts
        .iter()
        .flat_map(|part| part.oddities.iter().copied())
        .collect();
    Fall {
        id: format!("X.{}", stage_name(step.kind, &step.router)),
        router: step.router.to_string(),
        input: step.input.at_most().len(),
        output: step.output.at_most().len(),
        bounded: matches!(step.output, Outcome::Within(_)),
        has_rule: explained.parts.iter().any(|part| part.rule.is_some()),
        gone,
        thrown: explained.thrown.as_ref().map(ToString::to_string),
        oddities: oddities.into_iter().collect(),
    }
}

/// What leaves nothing; on the likeliest way to nothing where something is drawn. `None` = something is left in any case,
/// or there was nothing from the start.
pub fn cause(ran: &Ran, zones: &Zones) -> Option<Cause> {
    if !ran.may_lose() || ran.addresses.is_empty() {
        return None;
    }
    let thrown = ran.trace.outcome.as_ref().err();
    let found = cause_among(ran, ran.trace.steps_to_nothing(), thrown, zones)?;
    Some(Cause {
        share: ran.lost_share(),
        ..found
    })
}

fn cause_among(
    ran: &Ran,
    steps: &[Explained],
    thrown: Option<&Thrown>,
    zones: &Zones,
) -> Option<Cause> {
    let Some(explained) = steps
        .iter()
        .find(|step| step.thrown.is_some() || step.step.output.is_empty())
    else {
        // The chain could not be built.
        let thrown = thrown?;
        return Some(Cause {
            code: Code::RoutedAway,
            stage: "X.rules".to_owned(),
            rule: None,
            position: None,
            condition: thrown.to_string(),
            input: ran.addresses.len(),
            share: 1.0,
        });
    };
    let step = &explained.step;
    let stage = format!("X.{}", stage_name(step.kind, &step.router));
    let input = step.input.at_most().len();
    if let Some(thrown) = &explained.thrown {
        let rule = explained.parts.iter().find_map(|part| part.rule.as_ref());
        return Some(Cause {
            code: Code::RoutedAway,
            stage,
            rule: rule.map(|rule| rule.key.to_string()),
            position: None,
            condition: thrown.to_string(),
            input,
            share: 1.0,
        });
    }
    let part = explained
        .parts
        .iter()
        .find(|part| part.output.is_empty() && !matches!(part.effect, Effect::NotConcerned { .. }))
        .or_else(|| {
            explained
                .parts
                .iter()
                .rev()
                .find(|part| !part.removed.is_empty())
        });
    Some(match part {
        Some(part) => Cause {
            code: code_of(part, zones),
            stage,
            rule: part.rule.as_ref().map(|rule| rule.key.to_string()),
            position: part.rule.as_ref().and_then(|rule| rule.position),
            condition: part.text.to_string(),
            input,
            share: 1.0,
        },
        None => Cause {
            code: Code::RoutedAway,
            stage,
            rule: None,
            position: None,
            condition: step.router.to_string(),
            input,
            share: 1.0,
        },
    })
}

/// The code of what a part does when it leaves nothing.
fn code_of(part: &Part, zones: &Zones) -> Code {
    match part.effect {
        Effect::Refuses => Code::ConsumerBlocked,
        Effect::TagByRule | Effect::TagByUrl | Effect::TagFallback => Code::TagNotServed,
        Effect::Untagged => Code::UntaggedStarved,
        _ if part.pins_place(zones.key.as_deref(), zones.has_any()) => Code::ZonePinned,
        _ => Code::RoutedAway,
    }
}
