//! Response times in Prometheus text: histograms, summaries, and the percentiles that Dubbo itself exports.
//!
//! Known names of Dubbo: `dubbo_consumer_rt_milliseconds_p99`, `dubbo_provider_..` (3.2 on), `rt_p99` (3.1). Of everything
//! else the unit must stand in the name (`_seconds`, `_milliseconds`): a number of unknown unit is no number.

use std::{collections::BTreeMap, io::BufRead};

use super::lines::{Lines, StreamError};
use crate::model::time::Micros;

/// Most series that are kept.
const MOST: usize = 20_000;

/// Which series count: those that name another service or method do not.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Interface; none = all.
    pub interface: Option<&'a str>,
    /// Method; none = all.
    pub method: Option<&'a str>,
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
    /// 99th percentiles: the smallest and the largest of the series.
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
    /// How many series went into it.
    pub series: u64,
    /// What was left out: a fixed word and how often.
    pub left_out: Vec<(&'static str, u64)>,
}

/// One sample of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Name.
    pub name: String,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// Value; may be NaN or infinite.
    pub value: f64,
}

/// Collects the samples of a page.
#[derive(Debug, Default)]
pub struct Collector {
    buckets: BTreeMap<String, Histogram>,
    percentiles: BTreeMap<String, Vec<Micros>>,
    others: u64,
    not_numbers: u64,
    unknown_unit: u64,
}

#[derive(Debug, Default)]
struct Histogram {
    /// Upper end in microseconds, none for `+Inf`; the key sorts it last.
    counts: BTreeMap<(bool, u64), f64>,
    series: std::collections::BTreeSet<String>,
}

/// Reads a page.
///
/// # Errors
/// The stream cannot be read, a line is no sample, nothing in it tells response times, or several names do.
pub fn read(reader: impl BufRead, wanted: Wanted<'_>) -> Result<Found, StreamError> {
    let mut lines = Lines::new(reader);
    let mut collector = Collector::default();
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
    collector
        .finish()
        .map_err(|problem| StreamError::at(1, 1, problem))
}

/// `name{label="value",..} number [timestamp]`.
pub fn sample(text: &str) -> Option<Sample> {
    let name_end = text.find(|c: char| c == '{' || c.is_whitespace())?;
    let name = &text[..name_end];
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    if name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    let mut labels = BTreeMap::new();
    let mut rest = text[name_end..].trim_start();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = read_labels(inside, &mut labels)?;
    }
    let mut words = rest.split_whitespace();
    let value = words.next()?;
    let value = match value {
        "+Inf" | "Inf" => f64::INFINITY,
        "-Inf" => f64::NEG_INFINITY,
        other => other.parse().ok()?,
    };
    // A time stamp and an exemplar may follow.
    Some(Sample {
        name: name.to_owned(),
        labels,
        value,
    })
}

/// Labels up to the closing brace; what follows it.
fn read_labels<'a>(mut rest: &'a str, labels: &mut BTreeMap<String, String>) -> Option<&'a str> {
    loop {
        rest = rest.trim_start().trim_start_matches(',').trim_start();
        if let Some(after) = rest.strip_prefix('}') {
            return Some(after);
        }
        let (name, after) = rest.split_once('=')?;
        let mut value = String::new();
        let mut chars = after.trim_start().strip_prefix('"')?.char_indices();
        let body = after.trim_start().strip_prefix('"')?;
        let end = loop {
            let (at, sign) = chars.next()?;
            match sign {
                '"' => break at,
                '\\' => match chars.next()?.1 {
                    'n' => value.push('\n'),
                    other => value.push(other),
                },
                other => value.push(other),
            }
        };
        labels.insert(name.trim().to_owned(), value);
        rest = &body[end + 1..];
    }
}

/// Microseconds of one unit of a name; none when the name tells no unit.
fn scale(name: &str) -> Option<f64> {
    if name == "rt"
        || name.ends_with("_milliseconds")
        || name.ends_with("_ms")
        || name.ends_with("_millis")
    {
        Some(1000.0)
    } else if name.ends_with("_seconds") {
        Some(1_000_000.0)
    } else if name.ends_with("_microseconds") || name.ends_with("_us") {
        Some(1.0)
    } else {
        None
    }
}

fn micros(value: f64, scale: f64) -> Option<Micros> {
    let scaled = value * scale;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a time"
    )]
    let time = (0.0..9e15)
        .contains(&scaled)
        .then(|| Micros(scaled.round() as u64));
    time
}

impl Collector {
    /// Takes one sample, if it tells a response time.
    ///
    /// # Errors
    /// There are too many series, or a bucket has no upper end that is a number.
    pub fn take(&mut self, sample: &Sample, wanted: Wanted<'_>) -> Result<(), String> {
        let is_bucket = sample.name.ends_with("_bucket") && sample.labels.contains_key("le");
        let p99 = percentile(sample);
        if !is_bucket && p99.is_none() {
            return Ok(());
        }
        let label = |names: &[&str]| names.iter().find_map(|name| sample.labels.get(*name));
        let differs = |asked: Option<&str>, is: Option<&String>| {
            asked.zip(is).is_some_and(|(asked, is)| asked != is)
        };
        if differs(wanted.interface, label(&["interface", "service"]))
            || differs(wanted.method, label(&["method"]))
        {
            self.others += 1;
            return Ok(());
        }
        if !sample.value.is_finite() {
            self.not_numbers += 1;
            return Ok(());
        }
        if self.percentiles.len() + self.buckets.len() > MOST {
            return Err(format!("more than {MOST} series"));
        }
        match p99 {
            Some(name) => self.percentile(name, sample.value),
            None => self.bucket(sample)?,
        }
        Ok(())
    }

    fn percentile(&mut self, name: &str, value: f64) {
        match scale(name).and_then(|scale| micros(value, scale)) {
            Some(time) => self
                .percentiles
                .entry(name.to_owned())
                .or_default()
                .push(time),
            None => self.unknown_unit += 1,
        }
    }

    fn bucket(&mut self, sample: &Sample) -> Result<(), String> {
        let name = sample.name.trim_end_matches("_bucket");
        let Some(scale) = scale(name) else {
            self.unknown_unit += 1;
            return Ok(());
        };
        let le = &sample.labels["le"];
        let end = if matches!(le.as_str(), "+Inf" | "Inf") {
            (true, 0)
        } else {
            let value: f64 = le
                .parse()
                .map_err(|_| format!("le=\"{le}\" is no number"))?;
            (
                false,
                micros(value, scale)
                    .ok_or_else(|| format!("le=\"{le}\" is no time"))?
                    .0,
            )
        };
        if sample.value < 0.0 {
            return Err(format!("a bucket of {name} counts less than nothing"));
        }
        let histogram = self.buckets.entry(name.to_owned()).or_default();
        *histogram.counts.entry(end).or_default() += sample.value;
        let mut own = sample.labels.clone();
        own.remove("le");
        if histogram.series.len() < MOST {
            histogram.series.insert(format!("{own:?}"));
        }
        Ok(())
    }

    /// What was collected.
    ///
    /// # Errors
    /// Nothing tells response times, or several names do.
    pub fn finish(self) -> Result<Found, String> {
        let left_out: Vec<(&'static str, u64)> = [
            ("samples of other services or methods", self.others),
            ("samples that are no numbers", self.not_numbers),
            ("samples of unknown unit", self.unknown_unit),
        ]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .collect();
        let buckets = self
            .buckets
            .into_iter()
            .filter(|(_, histogram)| histogram.counts.values().any(|count| *count > 0.0));
        let buckets = preferred(buckets.collect())?;
        if let Some((name, histogram)) = buckets {
            let bounds = histogram
                .counts
                .iter()
                .map(|((open, end), count)| ((!open).then_some(Micros(*end)), whole(*count)))
                .collect();
            return Ok(Found {
                whose: whose(&name),
                series: histogram.series.len() as u64,
                name,
                times: Times::Buckets(bounds),
                left_out,
            });
        }
        let Some((name, values)) = preferred(self.percentiles)? else {
            return Err(nothing(&left_out));
        };
        let ends = values.iter().min().zip(values.iter().max());
        let Some((low, high)) = ends else {
            return Err(nothing(&left_out));
        };
        Ok(Found {
            whose: whose(&name),
            times: Times::P99(*low, *high),
            series: values.len() as u64,
            name,
            left_out,
        })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count that was checked not to be negative"
)]
fn whole(count: f64) -> u64 {
    count.round().min(9e18) as u64
}

fn nothing(left_out: &[(&'static str, u64)]) -> String {
    let mut text = "it tells no 99th percentile: expected a histogram (.._seconds_bucket), a summary (quantile=\"0.99\") \
                    or dubbo_.._rt_milliseconds_p99"
        .to_owned();
    for (what, count) in left_out {
        text.push_str(&format_args!("; {count} {what}").to_string());
    }
    text
}

/// The only name, or the only one of Dubbo.
fn preferred<T>(all: BTreeMap<String, T>) -> Result<Option<(String, T)>, String> {
    let several = all.len() > 1;
    let (mut dubbo, mut others): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|(name, _)| name.starts_with("dubbo_"));
    let names = |list: &[(String, T)]| {
        let names: Vec<&str> = list.iter().map(|(name, _)| name.as_str()).collect();
        names.join(", ")
    };
    match (dubbo.len(), others.len()) {
        (0, 0) => Ok(None),
        (1, _) => Ok(dubbo.pop()),
        (0, 1) => Ok(others.pop()),
        _ => {
            debug_assert!(several);
            let list = if dubbo.is_empty() { &others } else { &dubbo };
            Err(format!(
                "several series tell response times ({}): leave one in the file",
                names(list)
            ))
        }
    }
}

/// The name of a series that tells a 99th percentile, without the part that says so.
fn percentile(sample: &Sample) -> Option<&str> {
    if let Some(quantile) = sample.labels.get("quantile") {
        let value: f64 = quantile.parse().ok()?;
        return ((value - 0.99).abs() < 1e-9).then_some(sample.name.as_str());
    }
    sample.name.strip_suffix("_p99")
}

fn whose(name: &str) -> Option<Whose> {
    if name.contains("consumer") {
        Some(Whose::Consumer)
    } else if name.contains("provider") {
        Some(Whose::Provider)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str, method: Option<&str>) -> Result<Found, String> {
        let wanted = Wanted {
            interface: Some("a.B"),
            method,
        };
        read(text.as_bytes(), wanted).map_err(|error| error.to_string())
    }

    #[test]
    fn histograms_of_several_instances_are_added() {
        let text = "# TYPE rt_seconds histogram\n\
            rt_seconds_bucket{ip=\"1\",le=\"0.1\"} 5\nrt_seconds_bucket{ip=\"1\",le=\"+Inf\"} 7\n\
            rt_seconds_bucket{ip=\"2\",le=\"0.1\"} 1 1700000000\nrt_seconds_bucket{ip=\"2\",le=\"+Inf\"} NaN\n";
        let found = of(text, None).unwrap();
        assert_eq!(
            found.times,
            Times::Buckets(vec![(Some(Micros(100_000)), 6), (None, 7)])
        );
        assert_eq!(
            (found.series, found.left_out.as_slice()),
            (2, [("samples that are no numbers", 1)].as_slice())
        );
    }

    #[test]
    fn percentiles_of_all_lines() {
        let text = "dubbo_provider_rt_milliseconds_p99{interface=\"a.B\",method=\"get\"} 45.5\n\
            dubbo_provider_rt_milliseconds_p99{interface=\"a.B\",method=\"put\"} 900\n\
            dubbo_provider_rt_milliseconds_p99{interface=\"a.C\",method=\"get\"} 7\n";
        let found = of(text, Some("get")).unwrap();
        assert_eq!(
            (found.times, found.whose),
            (
                Times::P99(Micros(45_500), Micros(45_500)),
                Some(Whose::Provider)
            )
        );
        assert_eq!(
            of("rt_p99{interface=\"a.B\"} 12\n", None).unwrap().times,
            Times::P99(Micros(12_000), Micros(12_000))
        );
        let summary = "call_seconds{quantile=\"0.99\"} 0.25\ncall_seconds{quantile=\"0.5\"} 0.1\n";
        assert_eq!(
            of(summary, None).unwrap().times,
            Times::P99(Micros(250_000), Micros(250_000))
        );
    }

    #[test]
    fn what_cannot_be_told_is_said() {
        for (text, word) in [
            ("", "tells no 99th"),
            ("up 1\n", "tells no 99th"),
            ("call{quantile=\"0.99\"} 5\n", "unknown unit"),
            (
                "a_seconds{quantile=\"0.99\"} 5\nb_seconds{quantile=\"0.99\"} 5\n",
                "several series",
            ),
            ("<html>\n", "no sample"),
            ("a_seconds_bucket{le=\"x\"} 1\n", "no number"),
            ("a_seconds_bucket{le=\"1\"} -1\n", "less than nothing"),
        ] {
            let error = of(text, None).unwrap_err();
            assert!(error.contains(word), "{text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(bytes.as_slice(), Wanted::default());
        }

        #[test]
        fn no_line_panics(line in "[a-z_]{1,5}(\\{[a-z]=\"[^\"]{0,4}\"?,?\\}?)? ?[0-9.eE+N-]{0,6}") {
            let _ = sample(&line);
        }
    }
}
