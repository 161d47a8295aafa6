//! Which classes of calls lose every address for which reason: a verdict names the calls of its own reason only.

use std::sync::Arc;

use super::{Case, Faring, Input, Replay, stages, told};
use crate::{
    route::trace::{Explained, RuleRef},
    view::stage::Raised,
};

/// Parts of rules that are looked at over all classes.
const MOST_PARTS: usize = 100_000;

/// Classes by reason.
#[derive(Debug, Default)]
pub(super) struct Causes {
    /// Those that lose for the reason that is shown.
    pub(super) shown: Vec<String>,
    /// The other reasons, each with its classes.
    pub(super) also: Vec<Raised>,
}

/// A router and the part of a rule by which it leaves nothing.
type Cause = (&'static str, Option<RuleRef>, Arc<str>);

/// What leaves nothing on a way.
pub(super) fn emptying(steps: &[Explained]) -> Option<&Explained> {
    steps
        .iter()
        .find(|it| it.thrown.is_some() || it.step.output.is_empty())
}

fn cause(explained: &Explained) -> Cause {
    let part = told::emptying(explained);
    (
        explained.step.kind,
        part.and_then(|part| part.rule.clone()),
        part.map_or_else(Arc::default, |part| Arc::clone(&part.text)),
    )
}

/// The classes that lose, by reason; the first reason is that of the class that is shown.
pub(super) fn of(case: &Case<'_>, input: &Input<'_>, shown: &Replay<'_>) -> Causes {
    let first = stages::worst(shown);
    let Some(first) = first.filter(|faring| faring.loses()) else {
        return Causes::default();
    };
    let others = shown
        .classes
        .iter()
        .filter(|faring| faring.loses() && !std::ptr::eq(*faring, first));
    let mut found: Vec<(Cause, Vec<String>, Raised)> = Vec::new();
    let mut budget = MOST_PARTS;
    for faring in std::iter::once(first).chain(others) {
        if budget == 0 {
            // Rules of such a length: the rest is said together with the first.
            if let Some((_, names, _)) = found.first_mut() {
                names.push(faring.name(faring.share));
            }
            continue;
        }
        let trace = shown.explain(&faring.class);
        let parts = trace.steps.iter().map(|step| step.parts.len());
        budget = budget.saturating_sub(parts.sum());
        let ways: Vec<(&[Explained], f64)> = match &trace.split {
            None => vec![(&trace.steps, 1.0)],
            Some(split) => {
                let lost = split.ways.iter().filter(|way| way.is_lost());
                lost.map(|way| (way.steps.as_slice(), way.probability))
                    .collect()
            }
        };
        for (steps, share) in ways {
            let Some(explained) = emptying(steps) else {
                continue;
            };
            let reason = cause(explained);
            let name = faring.name(share);
            if let Some((_, names, _)) = found.iter_mut().find(|(known, ..)| *known == reason) {
                names.push(name);
            } else {
                let raised = told::raised(case, input, shown, explained);
                found.push((reason, vec![name], raised));
            }
        }
    }
    let mut found = found.into_iter();
    Causes {
        shown: found.next().map(|(_, names, _)| names).unwrap_or_default(),
        also: found
            .map(|(_, names, raised)| named(raised, names))
            .collect(),
    }
}

/// A reason with the calls it is about, told apart from others of the same rule by its place.
fn named(mut raised: Raised, names: Vec<String>) -> Raised {
    if let Some(position) = raised.params.get("position").and_then(|it| it.as_str()) {
        raised.subject.1 = format!("{}:{position}", raised.subject.1);
    }
    told::with_requests(&mut raised, names);
    raised
}

impl Faring {
    /// Whether this class says more than another: what is lost before what is not known.
    pub(super) fn is_worse_than(&self, other: &Self) -> bool {
        (self.fate, self.share) > (other.fate, other.share)
    }
}
