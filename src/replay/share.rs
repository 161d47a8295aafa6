//! Which share of the calls each address gets, and how much of it moves.

use std::collections::BTreeMap;

use super::fold::Folded;
use super::scenario::Ran;
use crate::route::outcome::Outcome;
use crate::route::set::AddressSet;

/// How the calls move between two scenarios.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shift {
    /// By address: share of all calls before and after, from 0 to 1.
    pub by_address: BTreeMap<String, (f64, f64)>,
    /// Calls of which only bounds are known before or after; they are in neither share.
    pub unclear: u64,
    /// Calls that lose all afterwards, or more often than before.
    pub lost: u64,
    /// The part of all calls that loses all afterwards and did not before, from 0 to 1.
    pub lost_share: f64,
    /// Calls that had nothing before, or more often than afterwards.
    pub won: u64,
    /// Calls whose set of addresses changes.
    pub changed: u64,
}

impl Shift {
    /// The largest share that one address gains or loses.
    pub fn largest(&self) -> f64 {
        self.by_address
            .values()
            .map(|(before, after)| (after - before).abs())
            .fold(0.0, f64::max)
    }
}

/// From one scenario to another, by the weights of the addresses (`random` load balancing without warm-up).
pub fn shift(folded: &Folded, from: usize, to: usize) -> Shift {
    let mut moved = Shift::default();
    #[expect(clippy::cast_precision_loss, reason = "a share of calls")]
    let total = folded.requests.max(1) as f64;
    for address in folded.addresses.iter().flat_map(|all| all.iter()) {
        moved.by_address.insert(address.address.clone(), (0.0, 0.0));
    }
    for combination in &folded.combinations {
        let before = &folded.classes[from][combination.classes[from]].ran;
        let after = &folded.classes[to][combination.classes[to]].ran;
        let requests = combination.requests;
        #[expect(clippy::cast_precision_loss, reason = "a share of calls")]
        let share = requests as f64 / total;
        if after.loses_more_than(before) {
            moved.lost += requests;
            moved.lost_share += share * (after.lost_share() - before.lost_share());
        } else if before.loses_more_than(after) {
            moved.won += requests;
        }
        if before.differs_from(after) {
            moved.changed += requests;
        }
        if before.is_uncertain() || after.is_uncertain() {
            moved.unclear += requests;
            continue;
        }
        for (address, part) in parts(before) {
            moved.by_address.entry(address.to_owned()).or_default().0 += share * part;
        }
        for (address, part) in parts(after) {
            moved.by_address.entry(address.to_owned()).or_default().1 += share * part;
        }
    }
    moved
}

/// What part of the calls each address gets; the parts add up to 1 unless nothing is left.
pub(super) fn parts(ran: &Ran) -> Vec<(&str, f64)> {
    match ran.outcome() {
        Outcome::Only(set) => weighted(ran, &set, 1.0),
        Outcome::OneOf(answers) => answers
            .iter()
            .flat_map(|(set, probability)| weighted(ran, set, *probability))
            .collect(),
        Outcome::Within(_) => Vec::new(),
    }
}

/// By weight; with all weights 0 evenly.
fn weighted<'r>(ran: &'r Ran, set: &AddressSet, whole: f64) -> Vec<(&'r str, f64)> {
    let weight = |place: usize| f64::from(ran.addresses[place].weight);
    let sum: f64 = set.iter().map(weight).sum();
    #[expect(clippy::cast_precision_loss, reason = "a number of addresses")]
    let count = set.len() as f64;
    set.iter()
        .map(|place| {
            let part = if sum > 0.0 {
                weight(place) / sum
            } else {
                1.0 / count
            };
            (ran.addresses[place].address.as_str(), whole * part)
        })
        .collect()
}
