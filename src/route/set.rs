//! A subset of the addresses of one list, by place in the list.
//!
//! Routers only ever remove addresses and keep their order, so a set of places is all that moves along the chain.

use std::fmt;
use std::sync::Arc;

use fixedbitset::FixedBitSet;

/// Some of the addresses of a list. Copies share what they hold: a trace of many conditions has one for each.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AddressSet(Arc<FixedBitSet>);

impl AddressSet {
    /// All of `size` addresses.
    pub fn all(size: usize) -> Self {
        let mut bits = FixedBitSet::with_capacity(size);
        bits.insert_range(..);
        Self(Arc::new(bits))
    }

    /// None of `size` addresses.
    pub fn none(size: usize) -> Self {
        Self(Arc::new(FixedBitSet::with_capacity(size)))
    }

    /// Those of `size` addresses for which `keep` says yes.
    pub fn filter(size: usize, mut keep: impl FnMut(usize) -> bool) -> Self {
        let mut bits = FixedBitSet::with_capacity(size);
        for place in 0..size {
            if keep(place) {
                bits.insert(place);
            }
        }
        Self(Arc::new(bits))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.count_ones(..)
    }

    /// How many there are, and how many addresses the list has.
    pub fn share(&self) -> (usize, usize) {
        (self.len(), self.list_len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_clear()
    }

    /// How many addresses the list has.
    pub fn list_len(&self) -> usize {
        self.0.len()
    }

    /// Whether the address at `place` is in.
    pub fn contains(&self, place: usize) -> bool {
        self.0.contains(place)
    }

    /// Adds the address at `place`, which must be one of the list.
    pub fn insert(&mut self, place: usize) {
        Arc::make_mut(&mut self.0).insert(place);
    }

    /// The places, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.ones()
    }

    /// Those in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let mut out = FixedBitSet::clone(&self.0);
        out.intersect_with(&other.0);
        Self(Arc::new(out))
    }

    /// Those in one or both.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        let mut out = FixedBitSet::clone(&self.0);
        out.union_with(&other.0);
        Self(Arc::new(out))
    }

    /// Those in this but not in the other.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let mut out = FixedBitSet::clone(&self.0);
        out.difference_with(&other.0);
        Self(Arc::new(out))
    }

    /// Whether every one is also in the other.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.is_subset(&other.0)
    }

    /// Whether some are in both.
    pub fn meets(&self, other: &Self) -> bool {
        !self.0.is_disjoint(&other.0)
    }
}

impl fmt::Debug for AddressSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets() {
        let all = AddressSet::all(70);
        let even = AddressSet::filter(70, |place| place % 2 == 0);
        let third = AddressSet::filter(70, |place| place % 3 == 0);
        assert_eq!(
            (all.len(), even.len(), AddressSet::none(70).len()),
            (70, 35, 0)
        );
        assert_eq!(
            even.and(&third),
            AddressSet::filter(70, |place| place % 6 == 0)
        );
        assert_eq!(even.or(&all), all);
        assert_eq!(all.without(&even).iter().next(), Some(1));
        assert!(even.is_subset(&all) && !all.is_subset(&even) && even.meets(&third));
        assert!(!even.meets(&all.without(&even)) && AddressSet::none(70).is_empty());
        assert_eq!(
            format!("{:?}", AddressSet::filter(5, |place| place > 2)),
            "{3, 4}"
        );
    }
}
