//! Conditions of one router, prepared, one after the other: what the first leaves is asked of the next.
//!
//! Mirrors the loop of `ListenableStateRouter.doRoute` over its `conditionRouters` and `multiDestConditionRouters`.

use super::call::Call;
use super::outcome::Outcome;
use super::set::AddressSet;
use super::trace::{Oddity, Part, RuleRef};
use super::ways::{MOST_COPIED, MOST_FOLLOWED, MOST_QUIET, Turn, joined_turns, parted};
use super::{AddressList, Prepared, Thrown};

/// A condition, prepared.
pub(super) trait Step {
    fn route(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Outcome;

    /// The same with reasons.
    fn explain(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Part;

    /// Whether it lets everything pass: its part would be a quiet one.
    fn passes(&self, list: &AddressList, call: &Call, input: &AddressSet) -> bool {
        self.route(list, call, input) == Outcome::Only(input.clone())
    }

    /// The ways that a call may take through it, each with its probability: one, unless it draws.
    fn turns(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Vec<(f64, Part)> {
        vec![(1.0, self.explain(list, call, input))]
    }

    /// See [`Prepared::bound`].
    fn bound(&self, list: &AddressList, call: &Call, input: AddressSet) -> AddressSet;
}

/// Conditions of one router, one after the other.
pub(super) struct PreparedConditions<S> {
    pub(super) conditions: Vec<S>,
    /// What is odd about all of them.
    pub(super) oddities: Vec<Oddity>,
    /// The key of the rule that another router applies as well.
    pub(super) own: Option<String>,
}

impl<S: Step> PreparedConditions<S> {
    /// What a condition does to a list, with what is odd about all of them.
    fn told(&self, mut part: Part) -> Part {
        part.oddities.extend(&self.oddities);
        let of_own = |rule: &RuleRef| self.own.as_deref() == Some(&*rule.key);
        if part.rule.as_ref().is_some_and(of_own) {
            part.oddities.push(Oddity::OwnRuleRunsTwice);
        }
        part
    }
}

impl<S: Step> Prepared for PreparedConditions<S> {
    fn route(
        &self,
        list: &AddressList,
        call: &Call,
        input: &AddressSet,
    ) -> Result<Outcome, Thrown> {
        let mut outcome = Outcome::Only(input.clone());
        for condition in &self.conditions {
            outcome = outcome.then::<Thrown>(
                |input| {
                    Ok(if input.is_empty() {
                        Outcome::Only(input.clone())
                    } else {
                        condition.route(list, call, input)
                    })
                },
                |bound| condition.bound(list, call, bound),
            )?;
        }
        Ok(outcome)
    }

    fn explain(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Vec<Part> {
        let mut left = input.clone();
        let mut parts = Vec::new();
        for condition in &self.conditions {
            if left.is_empty() {
                break;
            }
            let part = self.told(condition.explain(list, call, &left));
            left = part.output.at_most();
            parts.push(part);
        }
        parts
    }

    /// One condition may draw, and a later one of the same router leave nothing of what was drawn.
    fn turns(
        &self,
        list: &AddressList,
        call: &Call,
        input: &AddressSet,
    ) -> Result<Option<Vec<Turn>>, Thrown> {
        let mut copied = 0;
        let mut ways = vec![Turn {
            probability: 1.0,
            parts: Vec::new(),
            quiet: 0,
            output: Outcome::Only(input.clone()),
        }];
        for condition in &self.conditions {
            let mut next = Vec::new();
            let mut has_changed = false;
            for way in ways {
                let left = match &way.output {
                    Outcome::Only(left) if !left.is_empty() => left.clone(),
                    _ => {
                        next.push(way);
                        continue;
                    }
                };
                // More quiet parts are not told: a rule may have a hundred thousand of them.
                if way.quiet == MOST_QUIET && condition.passes(list, call, &left) {
                    next.push(way);
                    continue;
                }
                let turns = condition.turns(list, call, &left);
                if turns.len() > 1 {
                    copied += way.parts.len() * turns.len();
                }
                has_changed |= turns.iter().any(|(_, part)| part.output != way.output);
                next.extend(parted(way, turns, |way, (probability, part)| {
                    let part = self.told(part);
                    way.probability *= probability;
                    way.output = part.output.clone();
                    way.add(part);
                }));
            }
            ways = if has_changed && next.len() > 1 {
                joined_turns(next)
            } else {
                next
            };
            if ways.len() > MOST_FOLLOWED || copied > MOST_COPIED {
                return Ok(None);
            }
        }
        Ok(Some(ways))
    }

    fn bound(&self, list: &AddressList, call: &Call, input: AddressSet) -> AddressSet {
        self.conditions
            .iter()
            .fold(input, |bound, condition| condition.bound(list, call, bound))
    }
}
