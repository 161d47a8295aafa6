//! Conditions of `configVersion: v3.1` (3.3 and later): several destinations, one of which is drawn.
//!
//! Mirrors `MultiDestConditionRouter` and `DestinationSet`.

use std::cell::OnceCell;

use super::AddressList;
use super::call::Call;
use super::clause::Side;
use super::condition::Step;
use super::dialect::Dialect;
use super::outcome::Outcome;
use super::set::AddressSet;
use crate::rule::condition::text::{Clause, parse_match};
use crate::rule::condition_multi::MultiDestinationRule;

/// The weight of a destination that has none, or none above 0.
const DEFAULT_WEIGHT: i32 = 100;

/// One `from`/`to` entry in force.
#[derive(Debug)]
pub(super) struct MultiCondition {
    when: Vec<Clause>,
    to: Vec<(Vec<Clause>, i32)>,
    force: bool,
    enabled: bool,
}

impl MultiCondition {
    /// All entries of a document, or `None` when one of them cannot be read: then none counts. Texts are read even
    /// when the rule is disabled.
    pub(super) fn all(rule: &MultiDestinationRule) -> Option<Vec<Self>> {
        rule.conditions
            .iter()
            .map(|entry| {
                let to = entry
                    .to
                    .iter()
                    .map(|destination| {
                        let clauses =
                            parse_match(destination.matches.as_deref().unwrap_or(""), "false")
                                .ok()?;
                        let weight = match &destination.weight {
                            Some(text) => text.parse().ok()?,
                            None => DEFAULT_WEIGHT,
                        };
                        Some((clauses, if weight <= 0 { DEFAULT_WEIGHT } else { weight }))
                    })
                    .collect::<Option<Vec<_>>>()?;
                let when = parse_match(entry.from.as_deref().unwrap_or(""), "true").ok()?;
                Some(Self {
                    when,
                    to,
                    force: rule.header.force,
                    enabled: rule.header.enabled,
                })
            })
            .collect()
    }
}

/// An entry, prepared.
pub(super) struct PreparedMulti {
    when: Option<Side>,
    to: Vec<(Side, i32, OnceCell<AddressSet>)>,
    force: bool,
}

impl PreparedMulti {
    pub(super) fn new(condition: &MultiCondition, list: &AddressList, dialect: Dialect) -> Self {
        let when = condition
            .enabled
            .then(|| Side::left(&condition.when, &list.consumer, dialect));
        let to = condition
            .to
            .iter()
            .map(|(clauses, weight)| {
                (
                    Side::right(clauses, &list.consumer, dialect),
                    *weight,
                    OnceCell::new(),
                )
            })
            .collect();
        Self {
            when: when.flatten(),
            to,
            force: condition.force,
        }
    }
}

impl Step for PreparedMulti {
    fn route(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Outcome {
        if !self.when.as_ref().is_some_and(|when| when.fits_call(call)) {
            return Outcome::Only(input.clone());
        }
        let none = || AddressSet::none(list.len());
        if self.to.is_empty() {
            return Outcome::Only(none());
        }
        let destinations: Vec<(AddressSet, i32)> = self
            .to
            .iter()
            .map(|(side, weight, fitting)| {
                let fitting =
                    fitting.get_or_init(|| list.filter(|provider| side.fits_provider(provider)));
                (input.and(fitting), *weight)
            })
            .filter(|(subset, _)| !subset.is_empty())
            .collect();
        if destinations.is_empty() {
            return Outcome::Only(if self.force { none() } else { input.clone() });
        }
        draw(destinations)
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
