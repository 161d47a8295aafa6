//! Little's law both ways: how many calls are in flight at a rate and a time, and what limits carry.

use super::time::Micros;

/// A limit is planned to be used to this share.
pub const MARGIN: f64 = 0.8;

/// Calls in flight: rate (calls a second) times time.
pub fn in_flight(qps: f64, time: Micros) -> f64 {
    qps * time.millis() / 1000.0
}

/// What a limit should be for so many calls in flight: divided by [`MARGIN`], rounded up.
pub fn advised(in_flight: f64) -> f64 {
    // 36 / 0.8 is 45 and not a hair above
    (in_flight / MARGIN - 1e-9).ceil().max(0.0)
}

/// Calls a second that so many places carry when each call takes this long; `None` when it takes no time.
pub fn throughput(places: f64, time: Micros) -> Option<f64> {
    let seconds = time.millis() / 1000.0;
    (seconds > 0.0).then(|| places / seconds)
}

/// Threads that slow calls hold: those that run into the timeout, each as long as it.
pub fn held_by_slow_calls(slow_per_second: f64, timeout: Micros) -> f64 {
    in_flight(slow_per_second, timeout)
}

/// A limit on one node for `total` over so many nodes, rounded up; `None` without a node.
pub fn per_node(total: u64, nodes: u64) -> Option<u64> {
    (nodes > 0).then(|| total.div_ceil(nodes))
}

/// What nodes carry together.
pub fn together(nodes: u64, each: u64) -> u64 {
    nodes.saturating_mul(each)
}

/// How long the last call of a full queue waits: queue places times service time over threads; `None` without a thread.
pub fn queue_wait(places: u64, service: Micros, threads: u64) -> Option<Micros> {
    (threads > 0).then(|| {
        let wait = u128::from(places) * u128::from(service.0) / u128::from(threads);
        Micros(u64::try_from(wait).unwrap_or(u64::MAX))
    })
}

/// One limit against what is needed of it, both for the whole cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// The parameter (`threads`).
    pub name: &'static str,
    /// What one node (or consumer) allows.
    pub each: u64,
    /// How many of them.
    pub count: u64,
    /// What is needed: places in flight, or calls a second for `tps`.
    pub needed: f64,
}

impl Limit {
    /// What all allow together.
    pub fn allowed(&self) -> u64 {
        together(self.count, self.each)
    }

    /// The share that is used; above 1 it breaks, above [`MARGIN`] there is no room.
    pub fn used(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "limits are small numbers")]
        let allowed = self.allowed() as f64;
        if allowed > 0.0 {
            self.needed / allowed
        } else {
            f64::INFINITY
        }
    }

    /// What each should allow, with the margin.
    pub fn advised_each(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a number of nodes")]
        let count = self.count.max(1) as f64;
        advised(self.needed / count)
    }
}

/// The limits by how much of them is used, the one that breaks first in front.
pub fn by_use(mut limits: Vec<Limit>) -> Vec<Limit> {
    limits.sort_by(|a, b| b.used().total_cmp(&a.used()).then(a.name.cmp(b.name)));
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Micros {
        Micros::from_millis(millis)
    }

    fn near(value: f64, expected: f64) {
        assert!(
            (value - expected).abs() < 1e-6,
            "{value} against {expected}"
        );
    }

    #[test]
    fn littles_law_both_ways() {
        near(in_flight(800.0, ms(45)), 36.0);
        near(advised(36.0), 45.0);
        near(throughput(50.0, ms(100)).unwrap(), 500.0);
        near(in_flight(2000.0, ms(80)), 160.0);
        near(advised(160.0), 200.0);
        near(held_by_slow_calls(100.0, ms(10_000)), 1000.0);
        assert_eq!(throughput(1.0, ms(0)), None);
    }

    #[test]
    fn nodes_and_consumers() {
        assert_eq!(together(10, 50), 500, "10 nodes with executes=50");
        assert_eq!(per_node(5000, 20), Some(250), "5000 over 20 nodes");
        assert_eq!(together(20, 20), 400, "20 consumers with actives=20");
        assert_eq!(
            together(50, 20),
            1000,
            "50 consumers with 20 connections each"
        );
        assert_eq!(per_node(1, 0), None);
    }

    #[test]
    fn the_limit_that_breaks_first_stands_first() {
        let limit = |name, each| Limit {
            name,
            each,
            count: 10,
            needed: 160.0,
        };
        let limits = by_use(vec![
            limit("threads", 200),
            limit("executes", 10),
            limit("actives", 20),
        ]);
        let names: Vec<_> = limits.iter().map(|limit| limit.name).collect();
        assert_eq!(names, ["executes", "actives", "threads"]);
        near(limits[0].used(), 1.6);
        near(limits[0].advised_each(), 20.0);
        assert_eq!(queue_wait(1000, ms(50), 200), Some(ms(250)));
    }
}
