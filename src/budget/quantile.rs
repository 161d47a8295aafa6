//! A quantile and how far it can be trusted: nearest rank, and an interval by order statistics.
//!
//! The interval needs no shape of the distribution: the number of values below the true quantile is binomial. Its
//! ranks cover the true quantile with at least 95 %.

use super::histogram::{Cumulative, Histogram, Range};

/// A quantile in thousandths: 990 is P99.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quantile(pub u16);

impl Quantile {
    /// The median.
    pub const P50: Self = Self(500);
    /// Nine of ten.
    pub const P90: Self = Self(900);
    /// Ninety-nine of a hundred.
    pub const P99: Self = Self(990);

    /// The nearest rank among so many values, from 1; 0 when there is none.
    pub fn rank(self, total: u64) -> u64 {
        let rank = (u128::from(total) * u128::from(self.0)).div_ceil(1000);
        u64::try_from(rank)
            .unwrap_or(total)
            .clamp(total.min(1), total)
    }
}

/// What a distribution says of a quantile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// The bucket that holds the rank.
    pub value: Range,
    /// Number of values.
    pub samples: u64,
    /// 95 % interval of the true quantile; no upper end when there are too few values.
    pub interval: Range,
}

/// Values by size.
pub trait Ranked {
    /// How many.
    fn total(&self) -> u64;
    /// The bucket of a rank from 1.
    fn at_rank(&self, rank: u64) -> Option<Range>;
}

impl Ranked for Histogram {
    fn total(&self) -> u64 {
        self.total()
    }

    fn at_rank(&self, rank: u64) -> Option<Range> {
        self.at_rank(rank)
    }
}

impl Ranked for Cumulative {
    fn total(&self) -> u64 {
        self.total()
    }

    fn at_rank(&self, rank: u64) -> Option<Range> {
        self.at_rank(rank)
    }
}

/// The quantile of a distribution; `None` without a value.
pub fn estimate(of: &dyn Ranked, quantile: Quantile) -> Option<Estimate> {
    let samples = of.total();
    let value = of.at_rank(quantile.rank(samples))?;
    let (low, high) = interval_ranks(samples, quantile);
    let first = of.at_rank(1)?;
    let interval = Range {
        low: low
            .and_then(|rank| of.at_rank(rank))
            .map_or(first.low, |range| range.low),
        high: high
            .and_then(|rank| of.at_rank(rank))
            .and_then(|range| range.high),
    };
    Some(Estimate {
        value,
        samples,
        interval,
    })
}

/// Above this many values the binomial distribution is taken for normal.
const EXACT: u64 = 100_000;
/// Half of what the interval may miss.
const TAIL: f64 = 0.025;

/// The ranks between which the true quantile lies with 95 %; `None` where too few values have no such rank.
pub fn interval_ranks(total: u64, quantile: Quantile) -> (Option<u64>, Option<u64>) {
    if total == 0 {
        return (None, None);
    }
    if total > EXACT {
        return normal_ranks(total, quantile);
    }
    let q = f64::from(quantile.0) / 1000.0;
    #[expect(clippy::cast_precision_loss, reason = "at most a hundred thousand")]
    let n = total as f64;
    let odds = (q / (1.0 - q)).ln();
    let mut log_share = n * (1.0 - q).ln();
    let mut below = 0.0;
    let (mut low, mut high) = (None, None);
    for k in 0..=total {
        let share = log_share.exp();
        // P(B < k) so far: rank k is a lower end as long as that is small
        if below <= TAIL && k > 0 {
            low = Some(k);
        }
        if high.is_none() && k > 0 && 1.0 - below <= TAIL {
            high = Some(k);
        }
        below += share;
        #[expect(clippy::cast_precision_loss, reason = "at most a hundred thousand")]
        let (done, left) = (k as f64, (total - k) as f64);
        log_share += (left / (done + 1.0)).ln() + odds;
    }
    (low, high)
}

fn normal_ranks(total: u64, quantile: Quantile) -> (Option<u64>, Option<u64>) {
    #[expect(clippy::cast_precision_loss, reason = "an approximation anyway")]
    let n = total as f64;
    let q = f64::from(quantile.0) / 1000.0;
    let spread = 1.96 * (n * q * (1.0 - q)).sqrt() + 1.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and the number of values"
    )]
    let rank = |value: f64| value.clamp(1.0, n) as u64;
    (
        Some(rank((n * q - spread).floor())),
        Some(rank((n * q + spread).ceil())),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::time::Micros;

    #[test]
    fn nearest_ranks() {
        for (total, rank) in [
            (0, 0),
            (1, 1),
            (2, 2),
            (99, 99),
            (100, 99),
            (101, 100),
            (1000, 990),
        ] {
            assert_eq!(Quantile::P99.rank(total), rank, "{total}");
        }
    }

    #[test]
    fn few_values_have_no_upper_end() {
        // 0.99^367 > 0.025 >= 0.99^368
        assert_eq!(interval_ranks(367, Quantile::P99).1, None);
        assert_eq!(interval_ranks(368, Quantile::P99).1, Some(368));
        assert_eq!(interval_ranks(1, Quantile::P99), (Some(1), None));
        assert_eq!(interval_ranks(0, Quantile::P99), (None, None));
    }

    #[test]
    fn exact_and_normal_meet() {
        let (low, high) = interval_ranks(100_000, Quantile::P99);
        let (low_normal, high_normal) = normal_ranks(100_000, Quantile::P99);
        assert!(
            low.unwrap().abs_diff(low_normal.unwrap()) < 4,
            "{low:?} {low_normal:?}"
        );
        assert!(
            high.unwrap().abs_diff(high_normal.unwrap()) < 4,
            "{high:?} {high_normal:?}"
        );
    }

    #[test]
    fn the_estimate_names_bucket_and_interval() {
        let mut histogram = Histogram::new();
        for millis in 1..=1000 {
            histogram.add(Micros::from_millis(millis));
        }
        let found = estimate(&histogram, Quantile::P99).unwrap();
        let value = Micros::from_millis(990);
        assert!(found.value.low <= value && value <= found.value.high.unwrap());
        assert!(found.interval.low < found.value.low && found.interval.high > found.value.high);
        assert_eq!(found.samples, 1000);
        assert!(estimate(&Histogram::new(), Quantile::P99).is_none());
    }
}
