//! Response times in constant memory: a histogram with fine buckets for samples, and the coarse ones that others give.

use super::time::Micros;

/// Values below are counted one by one; above, each power of two has half as many buckets, so that a bucket is never
/// wider than 1/128 of its value.
const FINE: u64 = 256;
const HALF: u64 = FINE / 2;

/// A range of time, both ends included; no upper end when it is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Lower end.
    pub low: Micros,
    /// Upper end.
    pub high: Option<Micros>,
}

impl Range {
    /// One value.
    pub const fn exactly(value: Micros) -> Self {
        Self {
            low: value,
            high: Some(value),
        }
    }

    /// How wide it is against its lower end: 0 for one value, infinite without an upper end.
    pub fn relative_width(self) -> f64 {
        match self.high {
            None => f64::INFINITY,
            Some(high) if high <= self.low => 0.0,
            Some(high) => (high.millis() - self.low.millis()) / self.low.millis().max(0.001),
        }
    }
}

/// Counts of samples by fine buckets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    sum: u128,
    smallest: Option<Micros>,
    largest: Option<Micros>,
}

impl Histogram {
    /// Nothing counted.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one value.
    pub fn add(&mut self, value: Micros) {
        let place = place(value.0);
        if self.counts.len() <= place {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
        self.total += 1;
        self.sum += u128::from(value.0);
        self.smallest = Some(self.smallest.map_or(value, |known| known.min(value)));
        self.largest = Some(self.largest.map_or(value, |known| known.max(value)));
    }

    /// Adds all of another: the same as counting everything in one.
    pub fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.total += other.total;
        self.sum += other.sum;
        let ends = [other.smallest, other.largest];
        self.smallest = self.smallest.into_iter().chain(ends[0]).min();
        self.largest = self.largest.into_iter().chain(ends[1]).max();
    }

    /// How many.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The mean, exactly, rounded up.
    pub fn mean(&self) -> Option<Micros> {
        mean(self.sum, self.total)
    }

    /// The smallest value, exactly.
    pub fn smallest(&self) -> Option<Micros> {
        self.smallest
    }

    /// The largest value, exactly.
    pub fn largest(&self) -> Option<Micros> {
        self.largest
    }

    /// The bucket that holds a rank, from 1 to the number of values; cut to the smallest and the largest value.
    pub fn at_rank(&self, rank: u64) -> Option<Range> {
        if rank == 0 || rank > self.total {
            return None;
        }
        let mut seen = 0;
        for (place, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                let (low, high) = ends(place);
                return Some(Range {
                    low: self
                        .smallest
                        .map_or(Micros(low), |end| end.max(Micros(low))),
                    high: self.largest.map(|end| end.min(Micros(high))),
                });
            }
        }
        None
    }

    /// How many values are certainly above a limit, and how many may be.
    pub fn above(&self, limit: Micros) -> (u64, u64) {
        let (mut certain, mut possible) = (0, 0);
        for (place, count) in self.counts.iter().enumerate() {
            let (low, high) = ends(place);
            if low > limit.0 {
                certain += count;
            }
            if high > limit.0 {
                possible += count;
            }
        }
        if self.largest.is_none_or(|largest| largest <= limit) {
            possible = 0;
        }
        (certain, possible)
    }

    /// Buckets with something in them: lower end, upper end, count.
    pub fn buckets(&self) -> impl Iterator<Item = (Micros, Micros, u64)> {
        self.counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(place, count)| {
                let (low, high) = ends(place);
                (Micros(low), Micros(high), *count)
            })
    }
}

fn mean(sum: u128, total: u64) -> Option<Micros> {
    let mean = sum.checked_add(u128::from(total))?.checked_sub(1)?;
    let mean = mean.checked_div(u128::from(total))?;
    u64::try_from(mean).ok().map(Micros)
}

fn place(value: u64) -> usize {
    let place = if value < FINE {
        value
    } else {
        let shift = u64::from(value.ilog2()) - 7;
        shift * HALF + (value >> shift)
    };
    usize::try_from(place).unwrap_or(usize::MAX)
}

/// Both ends of a bucket, included.
fn ends(place: usize) -> (u64, u64) {
    let place = place as u64;
    if place < FINE {
        return (place, place);
    }
    let shift = place / HALF - 1;
    let sub = place - shift * HALF;
    let low = sub << shift;
    (low, low + ((1 << shift) - 1))
}

/// A histogram of others: upper ends that ascend, each with the number of values at or below it. The last one may be
/// without an end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cumulative {
    bounds: Vec<(Option<Micros>, u64)>,
}

/// Why bounds and counts are no histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoHistogram {
    /// No bucket at all.
    #[error("it has no bucket")]
    Empty,
    /// A bucket has fewer values than the one below it.
    #[error("a bucket has fewer values than the one below it: a counter was reset between them")]
    Falls,
}

impl Cumulative {
    /// From upper ends in any order; no upper end is `+Inf`. Equal ends are added up: they are series of one name.
    ///
    /// # Errors
    /// The counts do not ascend, or there is none.
    pub fn new(
        bounds: impl IntoIterator<Item = (Option<Micros>, u64)>,
    ) -> Result<Self, NoHistogram> {
        let mut sorted: Vec<(Option<Micros>, u64)> = bounds.into_iter().collect();
        sorted.sort_by_key(|(end, _)| (end.is_none(), *end));
        let mut merged: Vec<(Option<Micros>, u64)> = Vec::with_capacity(sorted.len());
        for (end, count) in sorted {
            match merged.last_mut() {
                Some((known, total)) if *known == end => *total = total.saturating_add(count),
                _ => merged.push((end, count)),
            }
        }
        if merged.is_empty() {
            return Err(NoHistogram::Empty);
        }
        if merged.windows(2).any(|pair| pair[0].1 > pair[1].1) {
            return Err(NoHistogram::Falls);
        }
        Ok(Self { bounds: merged })
    }

    /// How many.
    pub fn total(&self) -> u64 {
        self.bounds.last().map_or(0, |(_, count)| *count)
    }

    /// The bucket that holds a rank: above the end of the one before, up to its own end.
    pub fn at_rank(&self, rank: u64) -> Option<Range> {
        if rank == 0 || rank > self.total() {
            return None;
        }
        let place = self.bounds.iter().position(|(_, count)| *count >= rank)?;
        let low = place
            .checked_sub(1)
            .and_then(|before| self.bounds[before].0);
        Some(Range {
            low: low.unwrap_or_default(),
            high: self.bounds[place].0,
        })
    }

    /// How many values are certainly above a limit, and how many may be.
    pub fn above(&self, limit: Micros) -> (u64, u64) {
        let total = self.total();
        let count_of = |fits: &dyn Fn(Option<Micros>) -> bool, last: bool| {
            let mut found = self.bounds.iter().filter(|(end, _)| fits(*end));
            let hit = if last {
                found.next_back()
            } else {
                found.next()
            };
            hit.map(|(_, count)| *count)
        };
        let at_most = count_of(&|end| end.is_some_and(|end| end <= limit), true).unwrap_or(0);
        let at_least = count_of(&|end| end.is_none_or(|end| end >= limit), false).unwrap_or(total);
        (total - at_least, total - at_most)
    }

    /// The mean if every value were as large as its bucket allows; none when one has no upper end.
    pub fn mean_at_most(&self) -> Option<Micros> {
        let sum = self.buckets().try_fold(0_u128, |sum, (_, high, count)| {
            if count == 0 {
                return Some(sum);
            }
            Some(sum + u128::from(high?.0) * u128::from(count))
        })?;
        mean(sum, self.total())
    }

    /// Lower end, upper end, count of each bucket.
    pub fn buckets(&self) -> impl Iterator<Item = (Micros, Option<Micros>, u64)> {
        let mut before = (Micros(0), 0);
        self.bounds.iter().map(move |(end, count)| {
            let bucket = (before.0, *end, count - before.1);
            before = (end.unwrap_or(before.0), *count);
            bucket
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counted(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        for value in values {
            histogram.add(Micros(*value));
        }
        histogram
    }

    proptest! {
        #[test]
        fn the_bucket_holds_the_value_of_the_rank(mut values in prop::collection::vec(0_u64..1_u64 << 40, 1..200), at in 0.0_f64..1.0) {
            let histogram = counted(&values);
            values.sort_unstable();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a short list")]
            let place = (at * values.len() as f64) as usize;
            let range = histogram.at_rank(place as u64 + 1).unwrap();
            prop_assert!(range.low.0 <= values[place] && values[place] <= range.high.unwrap().0);
            prop_assert!(range.relative_width() <= 1.0 / 128.0 + 1e-9);
        }

        #[test]
        fn merged_is_the_same_as_counted_together(a in prop::collection::vec(any::<u64>(), 0..50), b in prop::collection::vec(0_u64..5000, 0..50)) {
            let mut merged = counted(&a);
            merged.merge(&counted(&b));
            let together = counted(&[a, b].concat());
            prop_assert_eq!(merged, together);
        }

        #[test]
        fn every_value_is_in_its_bucket(value in any::<u64>()) {
            let (low, high) = ends(place(value));
            prop_assert!(low <= value && value <= high);
            prop_assert_eq!(place(low), place(high));
        }

        #[test]
        fn the_cumulative_bucket_is_exactly_the_one_of_the_rank(values in prop::collection::vec(0_u64..10_000, 1..100), ends in prop::collection::btree_set(1_u64..10_000, 1..8)) {
            let under = |end: u64| values.iter().filter(|value| **value <= end).count() as u64;
            let bounds = ends.iter().map(|end| (Some(Micros(*end)), under(*end)))
                .chain(Some((None, values.len() as u64)));
            let cumulative = Cumulative::new(bounds).unwrap();
            let mut sorted = values.clone();
            sorted.sort_unstable();
            for (place, value) in sorted.iter().enumerate() {
                let range = cumulative.at_rank(place as u64 + 1).unwrap();
                prop_assert!(range.high.is_none_or(|high| *value <= high.0));
                prop_assert!(range.low.0 < *value || range.low.0 == 0);
                prop_assert!(range.low.0 == 0 || ends.contains(&range.low.0));
                prop_assert!(range.high.is_none_or(|high| ends.contains(&high.0)));
                let (certain, possible) = cumulative.above(Micros(*value));
                let real = values.iter().filter(|other| *other > value).count() as u64;
                prop_assert!(certain <= real && real <= possible);
            }
        }
    }

    #[test]
    fn means() {
        assert_eq!(counted(&[1, 2, 4]).mean(), Some(Micros(3)));
        assert_eq!(counted(&[]).mean(), None);
        let buckets = |open: u64| {
            Cumulative::new([
                (Some(Micros(10)), 3),
                (Some(Micros(20)), 4),
                (None, 4 + open),
            ])
            .unwrap()
            .mean_at_most()
        };
        assert_eq!((buckets(0), buckets(1)), (Some(Micros(13)), None));
        assert_eq!(Cumulative::new([(None, 0)]).unwrap().mean_at_most(), None);
    }

    #[test]
    fn a_reset_counter_is_no_histogram() {
        let falls = [(Some(Micros(1)), 5), (Some(Micros(2)), 3)];
        assert_eq!(Cumulative::new(falls), Err(NoHistogram::Falls));
        assert_eq!(Cumulative::new([]), Err(NoHistogram::Empty));
    }
}
