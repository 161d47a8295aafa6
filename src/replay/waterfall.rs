//! A call's way through the chain as people read it: router by router, and why each address is gone.

use std::collections::BTreeSet;

use super::scenario::Ran;
use crate::diagnose::code::Code;
use crate::model::zone::Zones;
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

/// The way of a call.
pub fn waterfall(ran: &Ran, zones: &Zones) -> Vec<Fall> {
    ran.trace
        .steps
        .iter()
        .map(|explained| fall(ran, explained, zones))
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
            rule: part.rule.as_ref().map(|rule| rule.key.clone()),
            position: part.rule.as_ref().and_then(|rule| rule.position),
            condition: part.text.clone(),
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

/// What leaves nothing. `None` = something is left, or there was nothing from the start.
pub fn cause(ran: &Ran, zones: &Zones) -> Option<Cause> {
    if !ran.is_lost() || ran.addresses.is_empty() {
        return None;
    }
    let Some(explained) = ran
        .trace
        .steps
        .iter()
        .find(|step| step.thrown.is_some() || step.step.output.is_empty())
    else {
        // The chain could not be built.
        let thrown = ran.trace.outcome.as_ref().err()?;
        return Some(Cause {
            code: Code::RoutedAway,
            stage: "X.rules".to_owned(),
            rule: None,
            position: None,
            condition: thrown.to_string(),
            input: ran.addresses.len(),
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
            rule: rule.map(|rule| rule.key.clone()),
            position: None,
            condition: thrown.to_string(),
            input,
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
            rule: part.rule.as_ref().map(|rule| rule.key.clone()),
            position: part.rule.as_ref().and_then(|rule| rule.position),
            condition: part.text.clone(),
            input,
        },
        None => Cause {
            code: Code::RoutedAway,
            stage,
            rule: None,
            position: None,
            condition: step.router.to_string(),
            input,
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
