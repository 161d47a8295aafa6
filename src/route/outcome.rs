//! What a router makes of a list: one answer, several possible ones, or bounds.

use super::set::AddressSet;

/// Several answers are kept apart up to this many; beyond, only their bounds are.
pub const MOST_ANSWERS: usize = 512;

/// The possible results of one router, or of the chain so far.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Exactly these addresses.
    Only(AddressSet),
    /// One of these, with its probability; the probabilities add up to 1. By set, no set twice.
    OneOf(Vec<(AddressSet, f64)>),
    /// Unknown: anything from nothing to all of these, or an error (which is nothing, too).
    Within(AddressSet),
}

impl Outcome {
    /// From answers with probabilities; equal answers are joined.
    pub fn one_of(mut answers: Vec<(AddressSet, f64)>) -> Self {
        answers.sort_by(|a, b| a.0.cmp(&b.0));
        answers.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        answers.retain(|(_, probability)| *probability > 0.0);
        if answers.len() > MOST_ANSWERS {
            let mut all = answers.iter().map(|(set, _)| set);
            if let Some(first) = all.next() {
                return Self::Within(all.fold(first.clone(), |sum, set| sum.or(set)));
            }
        }
        match answers.len() {
            1 => Self::Only(answers.remove(0).0),
            _ => Self::OneOf(answers),
        }
    }

    /// Applies a further step to every possible answer. `bounded` is the step for a list that is only known to lie
    /// within a set.
    pub fn then<E>(
        self,
        mut step: impl FnMut(&AddressSet) -> Result<Outcome, E>,
        bounded: impl Fn(AddressSet) -> AddressSet,
    ) -> Result<Outcome, E> {
        match self {
            Self::Only(set) => step(&set),
            Self::Within(set) => Ok(Self::Within(bounded(set))),
            Self::OneOf(answers) => {
                let mut out = Vec::with_capacity(answers.len());
                let mut bound: Option<AddressSet> = None;
                for (set, probability) in answers {
                    match step(&set)? {
                        Self::Only(result) => out.push((result, probability)),
                        Self::OneOf(results) => {
                            out.extend(
                                results
                                    .into_iter()
                                    .map(|(result, p)| (result, p * probability)),
                            );
                        }
                        Self::Within(result) => {
                            bound =
                                Some(bound.map_or_else(|| result.clone(), |sum| sum.or(&result)));
                        }
                    }
                }
                Ok(match bound {
                    None => Self::one_of(out),
                    Some(bound) => {
                        Self::Within(out.iter().fold(bound, |sum, (set, _)| sum.or(set)))
                    }
                })
            }
        }
    }

    /// Whether a result is possible.
    pub fn allows(&self, set: &AddressSet) -> bool {
        match self {
            Self::Only(only) => only == set,
            Self::OneOf(answers) => answers.iter().any(|(answer, _)| answer == set),
            Self::Within(bound) => set.is_subset(bound),
        }
    }

    /// Every address that may be in the result.
    pub fn at_most(&self) -> AddressSet {
        match self {
            Self::Only(set) | Self::Within(set) => set.clone(),
            Self::OneOf(answers) => answers
                .iter()
                .skip(1)
                .fold(answers[0].0.clone(), |sum, (set, _)| sum.or(set)),
        }
    }

    /// Whether nothing can be left in any case.
    pub fn is_empty(&self) -> bool {
        self.at_most().is_empty()
    }

    /// Whether nothing may be left.
    pub fn may_be_empty(&self) -> bool {
        match self {
            Self::Only(set) => set.is_empty(),
            Self::OneOf(answers) => answers.iter().any(|(set, _)| set.is_empty()),
            Self::Within(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(places: &[usize]) -> AddressSet {
        AddressSet::filter(4, |place| places.contains(&place))
    }

    #[test]
    fn equal_answers_are_joined() {
        let outcome = Outcome::one_of(vec![(set(&[1]), 0.25), (set(&[0]), 0.5), (set(&[1]), 0.25)]);
        match &outcome {
            Outcome::OneOf(answers) => {
                assert_eq!(answers.len(), 2);
                assert!(answers.iter().all(|(_, p)| (p - 0.5).abs() < 1e-9));
            }
            other => panic!("{other:?}"),
        }
        assert!(outcome.allows(&set(&[0])) && !outcome.allows(&set(&[0, 1])));
        assert_eq!(outcome.at_most(), set(&[0, 1]));
        assert_eq!(
            Outcome::one_of(vec![(set(&[2]), 0.5), (set(&[2]), 0.5)]),
            Outcome::Only(set(&[2]))
        );
    }

    #[test]
    fn steps_are_applied_to_every_answer() {
        let outcome = Outcome::one_of(vec![(set(&[0]), 0.5), (set(&[1, 2]), 0.5)]);
        let next = outcome
            .clone()
            .then::<()>(
                |input| Ok(Outcome::Only(input.and(&set(&[1, 3])))),
                |set| set,
            )
            .unwrap();
        assert!(next.allows(&set(&[])) && next.allows(&set(&[1])) && next.may_be_empty());
        let unknown = outcome
            .then::<()>(|input| Ok(Outcome::Within(input.clone())), |set| set)
            .unwrap();
        assert_eq!(unknown, Outcome::Within(set(&[0, 1, 2])));
    }

    #[test]
    fn too_many_answers_become_bounds() {
        let answers = (0..=MOST_ANSWERS)
            .map(|n| {
                (
                    AddressSet::filter(16, |place| n >> place & 1 == 1),
                    1.0 / 513.0,
                )
            })
            .collect();
        assert!(matches!(Outcome::one_of(answers), Outcome::Within(_)));
    }
}
