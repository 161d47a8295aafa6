//! Conditions of `configVersion: v3.1` (3.3 and later): several destinations, one of which is drawn.
//!
//! Mirrors `MultiDestConditionRouter` and `DestinationSet`.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::AddressList;
use super::ask::Ask;
use super::call::Call;
use super::clause::{Failing, Side, Surprises};
use super::columns::Columns;
use super::condition::{Source, refused};
use super::condition_steps::Step;
use super::dialect::Dialect;
use super::outcome::Outcome;
use super::set::AddressSet;
use super::trace::{Document, Effect, Fragment, Last, Oddity, Part, Removal};
use super::ways::taken_by_draw;
use crate::rule::condition::text::{Clause, parse_match};
use crate::rule::condition_multi::MultiDestinationRule;
use crate::rule::error::RuleError;
use crate::rule::yaml::Position;

/// The weight of a destination that has none, or none above 0.
const DEFAULT_WEIGHT: i32 = 100;

/// Destinations that the text of an entry names.
const MOST_SHOWN: usize = 16;

/// One `from`/`to` entry in force.
#[derive(Debug)]
pub(super) struct MultiCondition {
    when: Vec<Clause>,
    from: Source,
    to: Vec<Destination>,
    force: bool,
    enabled: bool,
}

#[derive(Debug)]
struct Destination {
    clauses: Vec<Clause>,
    weight: i32,
    source: Source,
}

impl MultiCondition {
    pub(super) fn asks(&self, dialect: Dialect) -> Vec<Ask> {
        if !self.enabled {
            return Vec::new();
        }
        let to = self
            .to
            .iter()
            .flat_map(|to| Ask::of_right_side(&to.clauses));
        Ask::of_clauses(&self.when, dialect).chain(to).collect()
    }

    /// All entries of a document, or the first one that cannot be read: then none counts. Texts are read even when the
    /// rule is disabled.
    pub(super) fn all(
        rule: &MultiDestinationRule,
        document: &Arc<Document>,
    ) -> Result<Vec<Arc<Self>>, RuleError> {
        if let Some(error) = rule.refused() {
            return Err(error);
        }
        rule.conditions
            .iter()
            .map(|entry| {
                let source = |text: &Option<String>, at: Option<Position>| {
                    let text = text.clone().unwrap_or_default();
                    Source::new(Arc::clone(document), at.or(Some(entry.at)), text)
                };
                let mut to = Vec::with_capacity(entry.to.len());
                for destination in &entry.to {
                    let source = source(
                        &destination.matches,
                        destination.matches_at.or(Some(destination.at)),
                    );
                    let clauses = parse_match(&source.text, "false")
                        .map_err(|error| refused(&source, &error))?;
                    let weight = match &destination.weight {
                        Some(text) => text.parse().map_err(|_| RuleError {
                            class: "java.lang.NumberFormatException",
                            message: format!("`weight` is no whole number of 32 bits: {text}"),
                            at: Some(destination.at),
                        })?,
                        None => DEFAULT_WEIGHT,
                    };
                    to.push(Destination {
                        clauses,
                        weight: if weight <= 0 { DEFAULT_WEIGHT } else { weight },
                        source,
                    });
                }
                let from = source(&entry.from, entry.from_at);
                let when =
                    parse_match(&from.text, "true").map_err(|error| refused(&from, &error))?;
                Ok(Arc::new(Self {
                    when,
                    from,
                    to,
                    force: rule.header.force,
                    enabled: rule.header.enabled,
                }))
            })
            .collect()
    }
}

/// An entry, prepared.
pub(super) struct PreparedMulti {
    condition: Arc<MultiCondition>,
    columns: Rc<Columns>,
    dialect: Dialect,
    /// `None` when the entry is off, an error when it never applies to this consumer.
    when: Option<Result<Side, Failing<'static>>>,
    to: Vec<(Side, OnceCell<AddressSet>)>,
    /// What may surprise about the left side, and about each destination.
    surprises: OnceCell<Vec<Surprises>>,
    /// The entry in one line.
    text: OnceCell<Arc<str>>,
    /// What it made of inputs.
    answers: Last<AddressSet, Rc<Answer>>,
}

/// What an entry makes of an input when its left side holds. The same for every call, so that only the first one has it
/// worked out.
struct Answer {
    effect: Effect,
    output: Outcome,
    reasons: OnceCell<Reasons>,
    /// What is taken away after each draw, in the order of the possible answers.
    drawn: OnceCell<Vec<Arc<[Removal]>>>,
}

/// Why.
struct Reasons {
    removed: Arc<[Removal]>,
    oddities: Vec<Oddity>,
}

impl PreparedMulti {
    pub(super) fn new(
        condition: &Arc<MultiCondition>,
        list: &AddressList,
        columns: &Rc<Columns>,
        dialect: Dialect,
    ) -> Self {
        Self {
            when: condition
                .enabled
                .then(|| Side::left(&condition.when, &list.consumer, dialect)),
            to: condition
                .to
                .iter()
                .map(|to| {
                    (
                        Side::right(&to.clauses, &list.consumer, dialect),
                        OnceCell::new(),
                    )
                })
                .collect(),
            condition: Arc::clone(condition),
            columns: Rc::clone(columns),
            dialect,
            surprises: OnceCell::new(),
            text: OnceCell::new(),
            answers: Last::default(),
        }
    }

    /// The destinations that have somebody of the input.
    fn destinations(&self, list: &AddressList, input: &AddressSet) -> Vec<(AddressSet, i32)> {
        self.to
            .iter()
            .zip(&self.condition.to)
            .map(|((side, fitting), to)| {
                let fitting = fitting.get_or_init(|| side.fitting(list, &self.columns));
                (input.and(fitting), to.weight)
            })
            .filter(|(subset, _)| !subset.is_empty())
            .collect()
    }

    /// Whether every address of an input is left in any case, when the left side holds.
    fn keeps_all(&self, list: &AddressList, input: &AddressSet) -> bool {
        let mut kept = false;
        for (side, fitting) in &self.to {
            let fitting = fitting.get_or_init(|| side.fitting(list, &self.columns));
            if !fitting.meets(input) {
                continue;
            }
            if kept || !input.is_subset(fitting) {
                return false;
            }
            kept = true;
        }
        kept || !self.condition.force && !self.to.is_empty()
    }

    /// What it does to a call that its left side is about.
    fn answer(&self, list: &AddressList, input: &AddressSet) -> Rc<Answer> {
        self.answers.or_make(input.clone(), || {
            let (effect, output) = self.made_of(list, input);
            Rc::new(Answer {
                effect,
                output,
                reasons: OnceCell::new(),
                drawn: OnceCell::new(),
            })
        })
    }

    fn made_of(&self, list: &AddressList, input: &AddressSet) -> (Effect, Outcome) {
        let none = || Outcome::Only(AddressSet::none(list.len()));
        if self.to.is_empty() {
            return (Effect::Refuses, none());
        }
        let destinations = self.destinations(list, input);
        if destinations.is_empty() {
            return if self.condition.force {
                (Effect::ForcesEmpty, none())
            } else {
                (Effect::Ignored, Outcome::Only(input.clone()))
            };
        }
        let effect = if destinations.len() == 1 {
            Effect::Keeps
        } else {
            Effect::Draws
        };
        (effect, draw(destinations))
    }

    /// Why an answer is what it is.
    fn reasons(&self, list: &AddressList, input: &AddressSet, answer: &Answer) -> Reasons {
        let condition = &self.condition;
        let surprises = self.surprises.get_or_init(|| {
            let to = condition.to.iter().map(|to| (&to.clauses, false));
            std::iter::once((&condition.when, true))
                .chain(to)
                .map(|(clauses, left)| {
                    Side::surprises(clauses, list, &self.columns, self.dialect, left)
                })
                .collect()
        });
        let mut oddities: BTreeSet<Oddity> = surprises
            .iter()
            .flat_map(|surprises| surprises.about(input))
            .collect();
        if answer.effect == Effect::Draws {
            oddities.insert(Oddity::DrawIsOffByOne);
        }
        let mut fragments: BTreeMap<usize, Arc<Fragment>> = BTreeMap::new();
        let removed = input.without(&answer.output.at_most());
        // The first destination stands for all: an address that is gone fits none of them.
        let first = self.to.first().zip(condition.to.first());
        let failing = match first {
            Some(((side, _), _)) => side.failing_of(&removed, list, &self.columns),
            None => removed.iter().map(|address| (address, None)).collect(),
        };
        let removed = failing.into_iter().map(|(address, failing)| {
            let by = first.map(|(_, to)| {
                let place = failing.as_ref().map_or(usize::MAX, |(place, _)| *place);
                let by = fragments
                    .entry(place)
                    .or_insert_with(|| Arc::new(to.source.clause(to.clauses.get(place))));
                Arc::clone(by)
            });
            Removal {
                address,
                by,
                value: failing.and_then(|(_, value)| value.map(Cow::into_owned)),
            }
        });
        Reasons {
            removed: removed.collect(),
            oddities: oddities.into_iter().collect(),
        }
    }
}

impl Step for PreparedMulti {
    fn route(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Outcome {
        match &self.when {
            Some(Ok(when)) if when.fits_call(call) && !self.keeps_all(list, input) => {
                self.answer(list, input).output.clone()
            }
            _ => Outcome::Only(input.clone()),
        }
    }

    fn bound(&self, list: &AddressList, call: &Call, input: AddressSet) -> AddressSet {
        let applies = matches!(&self.when, Some(Ok(when)) if when.fits_call(call));
        if !applies || !self.condition.force && !self.to.is_empty() {
            return input;
        }
        self.destinations(list, &input)
            .iter()
            .fold(AddressSet::none(list.len()), |sum, (subset, _)| {
                sum.or(subset)
            })
    }

    fn explain(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Part {
        let condition = &self.condition;
        let rule = Some(condition.from.rule(condition.force));
        let text = self.text();
        let failing = match &self.when {
            None => return Part::passing(rule, text, Effect::Off, input),
            Some(Err((place, value))) => Some((*place, value.clone())),
            Some(Ok(when)) => when.failing_call(call),
        };
        if let Some((place, value)) = failing {
            let effect = Effect::NotConcerned {
                clause: Arc::new(condition.from.clause(condition.when.get(place))),
                value: value.map(Cow::into_owned),
            };
            return Part::passing(rule, text, effect, input);
        }
        let answer = self.answer(list, input);
        let reasons = answer
            .reasons
            .get_or_init(|| self.reasons(list, input, &answer));
        let mut oddities = reasons.oddities.clone();
        if matches!(&self.when, Some(Ok(when)) if when.sees_own_name(call)) {
            oddities.push(Oddity::GenericCallHasOwnName);
            oddities.sort_unstable();
        }
        Part {
            rule,
            text,
            effect: answer.effect.clone(),
            output: answer.output.clone(),
            removed: Arc::clone(&reasons.removed),
            oddities,
        }
    }

    fn passes(&self, list: &AddressList, call: &Call, input: &AddressSet) -> bool {
        let applies = matches!(&self.when, Some(Ok(when)) if when.fits_call(call));
        !applies || self.keeps_all(list, input)
    }

    fn turns(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Vec<(f64, Part)> {
        let part = self.explain(list, call, input);
        let Outcome::OneOf(answers) = &part.output else {
            return vec![(1.0, part)];
        };
        let answer = self.answer(list, input);
        let drawn = answer.drawn.get_or_init(|| {
            let sets = answers.iter().map(|(set, _)| set);
            sets.map(|set| taken_by_draw(&part, set)).collect()
        });
        answers
            .iter()
            .zip(drawn)
            .map(|((set, probability), removed)| {
                let part = Part {
                    output: Outcome::Only(set.clone()),
                    removed: Arc::clone(removed),
                    ..part.clone()
                };
                (*probability, part)
            })
            .collect()
    }
}

impl PreparedMulti {
    /// The entry in one line: where from, where to, with weights.
    fn text(&self) -> Arc<str> {
        Arc::clone(self.text.get_or_init(|| self.written().into()))
    }

    fn written(&self) -> String {
        let mut to: Vec<String> = self
            .condition
            .to
            .iter()
            .take(MOST_SHOWN)
            .map(|to| format!("{} ({})", to.source.shown(), to.weight))
            .collect();
        let more = self.condition.to.len().saturating_sub(MOST_SHOWN);
        if more > 0 {
            to.push(format!(".. {more}"));
        }
        format!("{} => {}", self.condition.from.shown(), to.join(" | "))
    }
}

/// `randDestination`: a number below the sum of weights is drawn, and the first destination whose weights so far reach
/// **or equal** it is taken. So the first one has one chance more than its weight, the last one less.
fn draw(destinations: Vec<(AddressSet, i32)>) -> Outcome {
    if let [(only, _)] = destinations.as_slice() {
        return Outcome::Only(only.clone());
    }
    let sum: i64 = destinations
        .iter()
        .map(|(_, weight)| i64::from(*weight))
        .sum();
    let mut taken = 0;
    let mut reached = 0;
    let answers = destinations
        .into_iter()
        .map(|(subset, weight)| {
            reached += i64::from(weight);
            let upto = sum.min(reached + 1);
            let chances = upto - taken;
            taken = upto;
            #[expect(
                clippy::cast_precision_loss,
                reason = "weights are 32 bits, a few of them"
            )]
            let probability = chances as f64 / sum as f64;
            (subset, probability)
        })
        .collect();
    Outcome::one_of(answers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probabilities(weights: &[i32]) -> Vec<f64> {
        let destinations = weights
            .iter()
            .enumerate()
            .map(|(place, weight)| (AddressSet::filter(8, |at| at == place), *weight))
            .collect();
        match draw(destinations) {
            Outcome::Only(set) => vec![if set.contains(0) { 1.0 } else { 0.0 }],
            Outcome::OneOf(answers) => (0..weights.len())
                .map(|place| {
                    answers
                        .iter()
                        .find(|(set, _)| set.contains(place))
                        .map_or(0.0, |(_, p)| *p)
                })
                .collect(),
            Outcome::Within(_) => unreachable!(),
        }
    }

    #[test]
    fn the_draw_is_off_by_one() {
        assert_eq!(probabilities(&[100]), [1.0]);
        assert_eq!(probabilities(&[1, 1]), [1.0]);
        assert_eq!(probabilities(&[5, 5]), [0.6, 0.4]);
        assert_eq!(probabilities(&[1, 2, 1]), [0.5, 0.5, 0.0]);
    }
}
