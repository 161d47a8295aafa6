//! Times that end where the consumer stops waiting: of calls that ran into the timeout only the timeout is measured, and
//! the true P99 lies anywhere beyond.
//!
//! The consumer's own times end there by nature, or with the last of its tries. Of times whose side nobody told it is seen by a heap of them at the
//! timeout with next to nothing behind it. A P99 that a person gives is taken as the true one.

use super::compute::Computed;
use crate::budget::{
    asked::{Asked, Distribution, From, Measured},
    histogram::Histogram,
    plan::Side,
    time::Micros,
};

/// How late the end of a wait is noticed: two ticks of the timer wheel (`HashedWheelTimer`, 30 ms).
const LATE: Micros = Micros::from_millis(60);
/// Fewer values are no heap.
const FEW: u64 = 3;
/// The end of so many tries is looked for.
const TRIES: u64 = 10;

/// A little below a limit: buckets and clocks are not exact.
pub(super) const fn just_below(limit: Micros) -> Micros {
    Micros(limit.0 - limit.0 / 100)
}

/// Up to where a value may be one of a wait that ended at the limit.
const fn noticed(limit: Micros) -> Micros {
    Micros(limit.0.saturating_add(LATE.0).saturating_add(limit.0 / 100))
}

/// What was asked with the measured P99 left open, where its times end at a timeout in force.
pub(super) fn open_ended(computed: &Computed<'_>) -> Option<Asked> {
    let measured = computed.asked.measured.as_ref()?;
    if measured.from == From::Given || measured.cut_at.is_some() || !computed.has_service() {
        return None;
    }
    let tries = computed
        .budget
        .tries
        .as_ref()
        .map_or(1, |tries| tries.in_turn);
    let cut = computed
        .timeouts()
        .flat_map(|(_, limit)| (1..=tries.min(TRIES)).map(move |tries| limit.times(tries)))
        .filter(|limit| ends_at(measured, *limit))
        .min()?;
    let mut asked = computed.asked.clone();
    let found = asked.measured.as_mut()?;
    found.cut_at = Some(cut);
    found.p99.high = None;
    if found.p99.low >= just_below(cut) {
        found.p99.low = found.p99.low.max(cut);
    }
    Some(asked)
}

fn ends_at(measured: &Measured, limit: Micros) -> bool {
    // An open end says already that nothing is known beyond.
    let Some(high) = measured.p99.high else {
        return false;
    };
    let reaches = high >= limit && measured.p99.low <= noticed(limit);
    if !reaches || measured.side_known && measured.side == Side::Provider {
        return false;
    }
    match &measured.distribution {
        Some(Distribution::Fine(histogram)) => heap(histogram, limit, measured.side_known),
        // Of buckets and percentiles only whose they are is known.
        _ => measured.side_known,
    }
}

/// Whether nearly no value lies beyond a limit; of times that are not known to be the consumer's they also have to heap up
/// there.
fn heap(histogram: &Histogram, limit: Micros, of_consumer: bool) -> bool {
    let (start, end) = (just_below(limit), noticed(limit));
    let before = Micros(start.0.saturating_sub(end.0 - start.0));
    let (mut under, mut at, mut beyond) = (0_u64, 0_u64, 0_u64);
    for (low, _, count) in histogram.buckets() {
        if low > end {
            beyond += count;
        } else if low >= start {
            at += count;
        } else if low >= before {
            under += count;
        }
    }
    at >= FEW
        && beyond.saturating_mul(10) <= at
        && (of_consumer || under.saturating_mul(3) <= at.saturating_mul(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::quantile::Quantile;

    fn measured(values: impl IntoIterator<Item = u64>, side: Option<Side>) -> Measured {
        let mut histogram = Histogram::new();
        for value in values {
            histogram.add(Micros::from_millis(value));
        }
        let distribution = Distribution::Fine(histogram);
        Measured {
            p99: distribution.estimate(Quantile::P99).unwrap().value,
            side: side.unwrap_or_default(),
            side_known: side.is_some(),
            from: From::Samples("rt".to_owned()),
            distribution: Some(distribution),
            at_most: None,
            untimed: 0,
            cut_at: None,
            remarks: Vec::new(),
            doubt: None,
            repeated: Vec::new(),
        }
    }

    fn spread(count: u64, most: u64) -> impl Iterator<Item = u64> {
        (0..count).map(move |index| index * most / count)
    }

    #[test]
    fn a_heap_at_the_timeout_is_its_end() {
        let second = Micros::from_millis(1000);
        let cut = || spread(970, 300).chain((0..30).map(|late| 1000 + late));
        assert!(ends_at(&measured(cut(), None), second));
        assert!(ends_at(&measured(cut(), Some(Side::Consumer)), second));
        // The provider works on: what it needs is known.
        assert!(!ends_at(&measured(cut(), Some(Side::Provider)), second));
        // Another timeout has no heap.
        assert!(!ends_at(&measured(cut(), None), Micros::from_millis(300)));
        // A tail that passes a limit, or ends a little behind it, has none either.
        assert!(!ends_at(&measured(spread(1000, 2000), None), second));
        assert!(!ends_at(&measured(spread(1000, 1020), None), second));
        // Of the consumer measured under another timeout: they pass this one.
        let passing = || spread(1000, 1020).map(|value| value * 3 / 2);
        assert!(!ends_at(&measured(passing(), Some(Side::Consumer)), second));
        // Less than one of a hundred: the P99 is below.
        let few = || spread(995, 300).chain([1000; 5]);
        assert!(!ends_at(&measured(few(), Some(Side::Consumer)), second));
    }
}
