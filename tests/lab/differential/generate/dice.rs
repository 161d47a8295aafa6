//! Chance with a seed.

use std::ops::RangeInclusive;

/// A die for one case.
pub(super) struct Dice(fastrand::Rng);

impl Dice {
    pub(super) fn new(seed: u64, number: u64) -> Self {
        // The generator behind it tells near seeds apart only after a while.
        let mut first = fastrand::Rng::with_seed(seed);
        let mixed = first.u64(..) ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut second = fastrand::Rng::with_seed(mixed);
        Self(fastrand::Rng::with_seed(second.u64(..)))
    }

    /// Yes in so many of a hundred cases.
    pub(super) fn chance(&mut self, percent: u32) -> bool {
        self.0.u32(0..100) < percent
    }

    pub(super) fn number(&mut self, range: RangeInclusive<usize>) -> usize {
        self.0.usize(range)
    }

    /// One of them; there is at least one.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.0.usize(0..from.len())]
    }

    /// As [`Self::pick`], where a text is wanted.
    pub(super) fn word<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.0.usize(0..from.len())]
    }

    pub(super) fn text(&mut self, from: &[&str]) -> String {
        (*self.pick(from)).to_owned()
    }

    /// One of them by weight.
    pub(super) fn weigh<T: Copy>(&mut self, from: &[(u32, T)]) -> T {
        let all: u32 = from.iter().map(|(weight, _)| weight).sum();
        let mut at = self.0.u32(0..all);
        for (weight, one) in from {
            if at < *weight {
                return *one;
            }
            at -= weight;
        }
        from[0].1
    }

    /// Some of them in any order.
    pub(super) fn some<'a>(&mut self, from: &[&'a str], count: usize) -> Vec<&'a str> {
        let mut all = from.to_vec();
        self.0.shuffle(&mut all);
        all.truncate(count);
        all
    }

    pub(super) fn shuffle<T>(&mut self, all: &mut [T]) {
        self.0.shuffle(all);
    }

    /// A place in a text, at a character.
    pub(super) fn place(&mut self, text: &str) -> usize {
        let places: Vec<usize> = text
            .char_indices()
            .map(|(at, _)| at)
            .chain([text.len()])
            .collect();
        *self.pick(&places)
    }
}
