//! What was measured and the chain of calls, as the answer tells them.

use super::{
    Asked,
    model::{Bucket, Chain, CountdownInfo, Front, Hop, Measured, Remark, Repeated},
};
use crate::budget::{
    asked::From,
    chain,
    plan::{self, Side as Measuring},
    quantile::Quantile,
    time::Micros,
};

/// Pairs of equal calls that are listed.
const PAIRS: usize = 20;

pub(super) fn measured_info(measured: &crate::budget::asked::Measured) -> Measured {
    let estimate = |quantile| {
        measured
            .distribution
            .as_ref()
            .and_then(|distribution| distribution.estimate(quantile))
    };
    let p99 = estimate(Quantile::P99);
    let low = |quantile| estimate(quantile).map(|found| found.value.low.millis());
    // What lies at the timeout may lie anywhere beyond.
    let open = |high: Option<Micros>| {
        let cut = measured.cut_at.map(super::cut::just_below);
        high.filter(|high| cut.is_none_or(|cut| *high < cut))
    };
    let high = |quantile| {
        estimate(quantile)
            .and_then(|found| open(found.value.high))
            .map(Micros::millis)
    };
    let (from, name) = match &measured.from {
        From::Given => ("given", None),
        From::Samples(name) => ("samples", Some(name.clone())),
        From::Metrics(name) => ("metrics", Some(name.clone())),
    };
    Measured {
        from,
        name,
        side: match measured.side {
            Measuring::Provider => "provider",
            Measuring::Consumer => "consumer",
        },
        side_known: measured.side_known,
        p99_low_ms: measured.p99.low.millis(),
        p99_high_ms: measured.p99.high.map(Micros::millis),
        samples: p99.map(|found| found.samples),
        samples_at_most: measured.at_most,
        cut_at_ms: measured.cut_at.map(Micros::millis),
        interval_low_ms: p99.map(|found| found.interval.low.millis()),
        interval_high_ms: p99
            .and_then(|found| open(found.interval.high))
            .map(Micros::millis),
        method: p99.map(|_| "order-statistics"),
        p50_low_ms: low(Quantile::P50),
        p50_high_ms: high(Quantile::P50),
        p90_low_ms: low(Quantile::P90),
        p90_high_ms: high(Quantile::P90),
        mean_ms: measured
            .distribution
            .as_ref()
            .filter(|_| measured.cut_at.is_none())
            .and_then(crate::budget::asked::Distribution::mean)
            .map(Micros::millis),
        buckets: measured
            .distribution
            .iter()
            .flat_map(crate::budget::asked::Distribution::buckets)
            .map(|(low, high, count)| Bucket {
                low_ms: low.millis(),
                high_ms: high.map(Micros::millis),
                count,
            })
            .collect(),
        remarks: measured
            .remarks
            .iter()
            .map(|(what, count)| Remark {
                what: what.clone(),
                count: *count,
            })
            .collect(),
        repeated: measured
            .repeated
            .iter()
            .take(PAIRS)
            .map(|pair| Repeated {
                method: pair.method.clone(),
                caller: pair.caller.clone(),
                gap_ms: pair.gap.millis(),
                first_line: pair.lines.0,
                line: pair.lines.1,
            })
            .collect(),
        repeated_total: measured.repeated.len(),
    }
}

pub(super) fn chain_info(asked: &Asked, rtt: Micros) -> Option<Chain> {
    if asked.chain.is_empty() {
        return None;
    }
    let millis = |time: Option<Micros>| time.map(Micros::millis);
    Some(Chain {
        hops: asked
            .chain
            .iter()
            .zip(chain::hops(&asked.chain))
            .map(|(link, hop)| Hop {
                name: link.name.clone(),
                tries: hop.tries,
                by_default: hop.by_default,
                reached_by: hop.reached_by,
                timeout_ms: millis(link.timeout),
                worst_ms: millis(hop.worst),
                outlasted_by_ms: millis(hop.outlasted_by),
            })
            .collect(),
        front: chain::front_need(&asked.chain, rtt, asked.factors).map(|front| Front {
            p99_ms: front.p99.millis(),
            rtt_ms: front.rtt.millis(),
            inner_ms: front.inner.millis(),
            need_ms: front.budget.need.millis(),
            outlasts_ms: plan::rounded(front.budget.need).millis(),
            usual_ms: millis(front.usual),
        }),
        countdowns: chain::countdowns(&asked.chain)
            .into_iter()
            .map(|found| CountdownInfo {
                from: found.from,
                to: found.to,
                same_thread_ms: found.same_thread.millis(),
                other_thread_ms: millis(found.other_thread),
                outlives_by_ms: millis(found.outlives_by),
            })
            .collect(),
    })
}
