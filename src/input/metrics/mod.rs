//! Response times in Prometheus text: histograms, summaries, and the percentiles that Dubbo itself exports.
//!
//! Known names of Dubbo: `dubbo_consumer_rt_milliseconds_p99`, `dubbo_provider_..` (3.2 on), `rt_p99` (3.1). Of everything
//! else the unit must stand in the name (`_seconds`, `_milliseconds`): a number of unknown unit is no number.

mod collect;
mod sample;

use std::io::BufRead;

pub use collect::Collector;
pub use sample::{Sample, sample};

use super::lines::{Lines, StreamError};
use crate::model::{service_key::ServiceKey, time::Micros};

/// Which series count: those that name another service or method do not.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Service; none = all.
    pub service: Option<&'a ServiceKey>,
    /// Method; none = all.
    pub method: Option<&'a str>,
    /// Whose times, where a page has both; none = either.
    pub whose: Option<Whose>,
}

/// Whose time a series tells, when its name says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// `.._consumer_..`
    Consumer,
    /// `.._provider_..`
    Provider,
}

/// Cumulative buckets by upper end; none = `+Inf`.
pub type Buckets = Vec<(Option<Micros>, u64)>;

/// What the page says of response times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Times {
    /// Buckets, all series of one name added up.
    Buckets(Buckets),
    /// 99th percentiles: the smallest and the largest of the series. The one of all calls together lies between.
    P99(Micros, Micros),
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Name of the series, without `_bucket`.
    pub name: String,
    /// Its times.
    pub times: Times,
    /// Whose.
    pub whose: Option<Whose>,
    /// Its labels name the service asked about, or none was asked about.
    pub names_service: bool,
    /// The 99th percentiles that the same page tells beside a histogram: the smallest and the largest.
    pub beside: Option<(Micros, Micros)>,
    /// Values that the buckets hold in all, and what `_count` says, where they are apart.
    pub apart: Option<(u64, u64)>,
    /// How many series went into it.
    pub series: u64,
    /// Calls that the smallest of the summaries counts since its process started: no more of them are in its window.
    pub fewest: Option<u64>,
    /// What was left out: a fixed word and how often.
    pub left_out: Vec<(&'static str, u64)>,
}

/// Reads a page.
///
/// # Errors
/// The stream cannot be read, a line is no sample, nothing in it tells response times, or several names do.
pub fn read(reader: impl BufRead, wanted: Wanted<'_>) -> Result<Found, StreamError> {
    let mut collector = Collector::default();
    collect(reader, &mut collector, wanted)?;
    collector
        .finish(wanted)
        .map_err(|problem| StreamError::at(1, 1, problem))
}

/// Takes a page into a collector that may hold those of other processes.
///
/// # Errors
/// The stream cannot be read, or a line is no sample.
pub fn collect(
    reader: impl BufRead,
    collector: &mut Collector,
    wanted: Wanted<'_>,
) -> Result<(), StreamError> {
    let mut lines = Lines::refusing(reader);
    while let Some(line) = lines.read()? {
        let number = line.number;
        let text = String::from_utf8_lossy(line.bytes);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if line.cut {
            return Err(StreamError::at(number, 1, "the line is longer than 1 MiB"));
        }
        let sample = sample(text)
            .ok_or_else(|| StreamError::at(number, 1, "this is no sample of Prometheus text"))?;
        collector
            .take(&sample, wanted)
            .map_err(|problem| StreamError::at(number, 1, problem))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
