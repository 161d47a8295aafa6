//! Calls that end differently in some of several scenarios.

use super::fold::{Combination, Folded};
use super::scenario::Ran;

/// Calls of one kind that do not go the same way everywhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference<'f> {
    /// The calls.
    pub calls: &'f Combination,
    /// Scenarios that agree; the first one's group comes first.
    pub groups: Vec<Group<'f>>,
}

/// Scenarios in which calls end alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Group<'f> {
    /// The scenarios, by place.
    pub places: Vec<usize>,
    /// What is left there.
    pub survivors: Vec<&'f str>,
    /// How likely it is that nothing is left, from 0 to 1.
    pub lost_share: f64,
}

/// The differences between these scenarios, those with most calls first.
pub fn differences<'f>(folded: &'f Folded, among: &[usize]) -> Vec<Difference<'f>> {
    let mut all: Vec<Difference<'f>> = folded
        .combinations
        .iter()
        .filter_map(|calls| {
            let mut groups: Vec<(Vec<usize>, &Ran)> = Vec::new();
            for &place in among {
                let ran = &folded.classes[place][calls.classes[place]].ran;
                let alike = |known: &Ran| {
                    !known.differs_from(ran) && known.is_uncertain() == ran.is_uncertain()
                };
                match groups.iter_mut().find(|(_, known)| alike(known)) {
                    Some((places, _)) => places.push(place),
                    None => groups.push((vec![place], ran)),
                }
            }
            (groups.len() > 1).then(|| Difference {
                calls,
                groups: groups
                    .into_iter()
                    .map(|(places, ran)| Group {
                        places,
                        survivors: ran.survivors(),
                        lost_share: ran.lost_share(),
                    })
                    .collect(),
            })
        })
        .collect();
    all.sort_by_key(|difference| std::cmp::Reverse(difference.calls.requests));
    all
}
