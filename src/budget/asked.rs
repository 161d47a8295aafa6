//! What a user gives to compute with: measured times, the link, the caller's patience.

use super::{
    chain::Link,
    histogram::{Cumulative, Histogram, Range},
    plan::{Factors, Side},
    quantile::{Estimate, Quantile, estimate},
    time::Micros,
};

/// A class of link, where nobody measured the round trip: its upper end is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkClass {
    /// 0.1 to 0.5 ms.
    SameRoom,
    /// 1 to 10 ms.
    SameCity,
    /// 30 to 200 ms.
    Remote,
}

impl LinkClass {
    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "same-room" => Self::SameRoom,
            "same-city" => Self::SameCity,
            "remote" => Self::Remote,
            _ => return None,
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::SameRoom => "same-room",
            Self::SameCity => "same-city",
            Self::Remote => "remote",
        }
    }

    /// What a round trip takes.
    pub fn range(self) -> (Micros, Micros) {
        match self {
            Self::SameRoom => (Micros(100), Micros(500)),
            Self::SameCity => (Micros(1_000), Micros(10_000)),
            Self::Remote => (Micros(30_000), Micros(200_000)),
        }
    }
}

/// Which of the two budgets is advised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pick {
    /// The lower one.
    Tight,
    /// The upper one.
    #[default]
    Comfortable,
}

/// Times as they were measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Distribution {
    /// Single values.
    Fine(Histogram),
    /// The buckets of others.
    Coarse(Cumulative),
}

impl Distribution {
    /// A quantile of it.
    pub fn estimate(&self, quantile: Quantile) -> Option<Estimate> {
        match self {
            Self::Fine(histogram) => estimate(histogram, quantile),
            Self::Coarse(cumulative) => estimate(cumulative, quantile),
        }
    }

    /// How many values.
    pub fn total(&self) -> u64 {
        match self {
            Self::Fine(histogram) => histogram.total(),
            Self::Coarse(cumulative) => cumulative.total(),
        }
    }

    /// How many are certainly above a limit, and how many may be.
    pub fn above(&self, limit: Micros) -> (u64, u64) {
        match self {
            Self::Fine(histogram) => histogram.above(limit),
            Self::Coarse(cumulative) => cumulative.above(limit),
        }
    }

    /// Lower end, upper end, count of each bucket with something in it.
    pub fn buckets(&self) -> Vec<(Micros, Option<Micros>, u64)> {
        match self {
            Self::Fine(histogram) => histogram
                .buckets()
                .map(|(low, high, count)| (low, Some(high), count))
                .collect(),
            Self::Coarse(cumulative) => cumulative
                .buckets()
                .filter(|(_, _, count)| *count > 0)
                .collect(),
        }
    }

    /// The mean; of buckets what it is at most, and none when one has no upper end.
    pub fn mean(&self) -> Option<Micros> {
        match self {
            Self::Fine(histogram) => histogram.mean(),
            Self::Coarse(cumulative) => cumulative.mean_at_most(),
        }
    }

    /// Whether every value is the same, as far as the buckets tell.
    pub fn is_one_value(&self) -> bool {
        match self {
            Self::Fine(histogram) => {
                histogram.total() > 1 && histogram.smallest() == histogram.largest()
            }
            Self::Coarse(_) => false,
        }
    }
}

/// Where measured times come from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum From {
    /// `--p99`.
    #[default]
    Given,
    /// A file of single values or an access log.
    Samples(String),
    /// Metrics, by the name of the series.
    Metrics(String),
}

/// A 99th percentile and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// The value or its bucket.
    pub p99: Range,
    /// Where it was measured.
    pub side: Side,
    /// Whether the side was said or known, and not taken for granted.
    pub side_known: bool,
    /// Where it comes from.
    pub from: From,
    /// The whole distribution, when there is one.
    pub distribution: Option<Distribution>,
    /// Without one, how many values it can be of at most, where that is told.
    pub at_most: Option<u64>,
    /// Calls that were seen and whose time is not known.
    pub untimed: u64,
    /// The timeout at which the times end: those of calls that it ended are not known.
    pub cut_at: Option<Micros>,
    /// What was left out or looked odd: a fixed word and a number.
    pub remarks: Vec<(String, u64)>,
    /// What keeps it from being trusted as the service's own, beside its numbers.
    pub doubt: Option<Doubt>,
    /// Equal calls of methods that write, those closest together first.
    pub repeated: Vec<EqualCalls>,
}

impl Measured {
    /// One value, which tells nothing of the others.
    pub fn is_single(&self) -> bool {
        self.distribution
            .as_ref()
            .is_some_and(|distribution| distribution.total() == 1)
    }
}

/// What is taken for granted about measured times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// The numbers have no unit: milliseconds.
    Unit,
    /// The labels of the series name no service: they may be of anything.
    Unnamed,
    /// Percentiles of the same page lie elsewhere than those of its histogram.
    Disagrees {
        /// The smallest.
        low: Micros,
        /// The largest.
        high: Micros,
    },
    /// The buckets of a histogram hold another number of values than its `_count` says.
    CountApart {
        /// In the buckets.
        buckets: u64,
        /// Said.
        count: u64,
    },
    /// Counters tell everything since their process started, not a window of time.
    SinceStart,
}

/// Two calls of one caller with the same method and arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EqualCalls {
    /// The method.
    pub method: String,
    /// Host of the caller.
    pub caller: String,
    /// Time between their beginnings.
    pub gap: Micros,
    /// Their lines in the log, the one read first in front.
    pub lines: (u64, u64),
}

/// Everything that was given for a budget.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Asked {
    /// Measured times.
    pub measured: Option<Measured>,
    /// Pages of metrics that were named and did not answer, each with the reason.
    pub unseen: Vec<(String, String)>,
    /// `--rtt`.
    pub rtt: Option<Micros>,
    /// `--link`.
    pub link: Option<LinkClass>,
    /// `--serialization`.
    pub serialization: Option<Micros>,
    /// `--payload`, bytes.
    pub payload: Option<u64>,
    /// `--bandwidth`, bits a second.
    pub bandwidth: Option<u64>,
    /// `--factor`.
    pub factors: Factors,
    /// `--pick`.
    pub pick: Pick,
    /// `--upstream`.
    pub upstream: Option<Micros>,
    /// `--write`.
    pub writes: Vec<String>,
    /// `--chain`.
    pub chain: Vec<Link>,
    /// `--try`.
    pub try_timeout: Option<Micros>,
    /// `--qps`, calls a second.
    pub qps: Option<f64>,
}

impl Asked {
    /// The round trip that is computed with.
    pub fn round_trip(&self) -> Micros {
        self.rtt
            .or_else(|| self.link.map(|link| link.range().1))
            .unwrap_or_default()
    }

    /// Serialization and transfer.
    pub fn serialized(&self) -> Micros {
        let transfer = self
            .payload
            .zip(self.bandwidth)
            .map(|(bytes, rate)| super::time::transfer(bytes, rate))
            .unwrap_or_default();
        self.serialization.unwrap_or_default().plus(transfer)
    }
}
