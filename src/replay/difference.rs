//! Calls that end differently in some of several scenarios.

use super::fold::{Combination, Folded};

/// Calls of one kind that do not go the same way everywhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference<'f> {
    /// The calls.
    pub calls: &'f Combination,
    /// Scenarios that agree, by place, with what is left there; the first one's group comes first.
    pub groups: Vec<(Vec<usize>, Vec<&'f str>)>,
}

/// The differences between these scenarios, those with most calls first.
pub fn differences<'f>(folded: &'f Folded, among: &[usize]) -> Vec<Difference<'f>> {
    let mut all: Vec<Difference<'f>> = folded
        .combinations
        .iter()
        .filter_map(|calls| {
            let mut groups: Vec<(Vec<usize>, Vec<&str>, bool)> = Vec::new();
            for &place in among {
                let ran = &folded.classes[place][calls.classes[place]].ran;
                let (left, uncertain) = (ran.survivors(), ran.is_uncertain());
                match groups
                    .iter_mut()
                    .find(|(_, known, open)| *known == left && *open == uncertain)
                {
                    Some((places, ..)) => places.push(place),
                    None => groups.push((vec![place], left, uncertain)),
                }
            }
            (groups.len() > 1).then(|| Difference {
                calls,
                groups: groups
                    .into_iter()
                    .map(|(places, left, _)| (places, left))
                    .collect(),
            })
        })
        .collect();
    all.sort_by_key(|difference| std::cmp::Reverse(difference.calls.requests));
    all
}
