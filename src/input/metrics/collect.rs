//! Series of response times put together: only what belongs together is added up, and what is not known stays unknown.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use super::{Buckets, Found, Sample, Times, Wanted, Whose};
use crate::model::{service_key::ServiceKey, time::Micros};

/// Most series that are kept.
const MOST: usize = 20_000;
/// Services and methods that are named when the wanted one is not there.
const NAMED: usize = 5;

/// Collects the samples of one page or of the pages of several processes.
#[derive(Debug, Default)]
pub struct Collector {
    member: String,
    buckets: BTreeMap<String, Named<BTreeMap<End, f64>>>,
    percentiles: BTreeMap<String, Named<Micros>>,
    /// `_count` by name and labels: what a histogram without `+Inf` counts in all.
    counts: BTreeMap<(String, String), f64>,
    kept: usize,
    others: u64,
    /// Services and methods that the wanted one was looked for among, some of them.
    other_names: BTreeSet<String>,
    not_numbers: u64,
    unknown_unit: u64,
    idle: u64,
}

/// All series of one name, by their labels.
#[derive(Debug)]
struct Named<T> {
    series: BTreeMap<String, T>,
    names_service: bool,
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self {
            series: BTreeMap::new(),
            names_service: false,
        }
    }
}

/// Upper end of a bucket in microseconds; `+Inf` sorts last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    At(u64),
    Open,
}

impl Collector {
    /// From now on samples are those of this process: the same series may come again.
    pub fn begin(&mut self, member: &str) {
        member.clone_into(&mut self.member);
    }

    /// Takes one sample, if it tells a response time.
    ///
    /// # Errors
    /// There are too many series, one comes twice, or a bucket is none.
    pub fn take(&mut self, sample: &Sample, wanted: Wanted<'_>) -> Result<(), String> {
        let is_bucket = sample.name.ends_with("_bucket") && sample.labels.contains_key("le");
        let is_count = sample.name.ends_with("_count");
        let p99 = percentile(sample);
        if !is_bucket && !is_count && p99.is_none() {
            return Ok(());
        }
        if is_of_others(sample, wanted) {
            self.others += u64::from(!is_count);
            if !is_count && self.other_names.len() < NAMED {
                self.other_names.extend(named(sample));
            }
            return Ok(());
        }
        if !sample.value.is_finite() {
            self.not_numbers += u64::from(!is_count);
            return Ok(());
        }
        match p99 {
            Some(name) => self.percentile(name, sample)?,
            None if is_bucket => self.bucket(sample)?,
            None => {
                let name = sample.name.trim_end_matches("_count").to_owned();
                if scale(&name).is_some() {
                    let labels = self.labels(sample);
                    self.counts.insert((name, labels), sample.value);
                    self.kept += 1;
                }
            }
        }
        if self.kept > MOST {
            return Err(format!("more than {MOST} series"));
        }
        Ok(())
    }

    /// The labels of a series as one text, with the process it is of.
    fn labels(&self, sample: &Sample) -> String {
        let mut text = self.member.clone();
        for (name, value) in &sample.labels {
            if name != "le" && name != "quantile" {
                text.push_str(&[name.as_str(), "=\"", value, "\" "].concat());
            }
        }
        text.trim_end().to_owned()
    }

    fn percentile(&mut self, name: &str, sample: &Sample) -> Result<(), String> {
        let Some(scale) = scale(name) else {
            self.unknown_unit += 1;
            return Ok(());
        };
        let time = micros(sample.value, scale).filter(|time| *time <= Micros::LONGEST);
        let Some(time) = time else {
            self.not_numbers += 1;
            return Ok(());
        };
        if time == Micros(0) {
            // Dubbo's window was empty.
            self.idle += 1;
            return Ok(());
        }
        let labels = self.labels(sample);
        let named = self.percentiles.entry(name.to_owned()).or_default();
        named.names_service |= service_label(sample).is_some();
        self.kept += 1;
        match named.series.insert(labels.clone(), time) {
            Some(_) => Err(twice(name, &labels)),
            None => Ok(()),
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
            End::Open
        } else {
            let value: f64 = le
                .parse()
                .map_err(|_| format!("le=\"{le}\" is no number"))?;
            let end = micros(value, scale).ok_or_else(|| format!("le=\"{le}\" is no time"))?;
            End::At(end.0)
        };
        if sample.value < 0.0 {
            return Err(format!("a bucket of {name} counts less than nothing"));
        }
        let labels = self.labels(sample);
        let named = self.buckets.entry(name.to_owned()).or_default();
        named.names_service |= service_label(sample).is_some();
        if !named.series.contains_key(&labels) {
            self.kept += 1;
        }
        let counts = named.series.entry(labels.clone()).or_default();
        match counts.insert(end, sample.value) {
            Some(_) => Err(twice(name, &labels)),
            None => Ok(()),
        }
    }

    /// What was collected.
    ///
    /// # Errors
    /// Nothing tells response times, several names do, or what tells them is broken.
    pub fn finish(self, wanted: Wanted<'_>) -> Result<Found, String> {
        let mut left_out: Vec<(&'static str, u64)> = [
            ("samples of other services or methods", self.others),
            ("samples that are no numbers", self.not_numbers),
            ("samples of unknown unit", self.unknown_unit),
            ("percentiles of 0: no calls in their window", self.idle),
        ]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .collect();
        let mut buckets = self.buckets;
        for named in buckets.values_mut() {
            named
                .series
                .retain(|_, counts| counts.values().any(|count| *count > 0.0));
        }
        buckets.retain(|_, named| !named.series.is_empty());
        if let Some((name, named)) = preferred(buckets, wanted)? {
            let (bounds, series, more, apart) = added(&name, named.series, &self.counts)?;
            left_out.extend(more);
            let beside = preferred(self.percentiles, wanted)
                .ok()
                .flatten()
                .filter(|(other, _)| whose(other) == whose(&name))
                .and_then(|(_, named)| ends(&named));
            return Ok(Found {
                whose: whose(&name),
                names_service: named.names_service || wanted.service.is_none(),
                beside,
                apart,
                fewest: None,
                series,
                name,
                times: Times::Buckets(bounds),
                left_out,
            });
        }
        let missed = |left_out: &[(&'static str, u64)]| {
            if self.other_names.is_empty() {
                nothing(left_out)
            } else {
                of_others_only(wanted, &self.other_names)
            }
        };
        let Some((name, named)) = preferred(self.percentiles, wanted)? else {
            return Err(missed(&left_out));
        };
        let Some((low, high)) = ends(&named) else {
            return Err(missed(&left_out));
        };
        Ok(Found {
            whose: whose(&name),
            names_service: named.names_service || wanted.service.is_none(),
            beside: None,
            apart: None,
            fewest: fewest(&name, &named, &self.counts),
            times: Times::P99(low, high),
            series: named.series.len() as u64,
            name,
            left_out,
        })
    }
}

/// The smallest and the largest.
fn ends(named: &Named<Micros>) -> Option<(Micros, Micros)> {
    let values = || named.series.values().copied();
    values().min().zip(values().max())
}

/// The smallest `_count` of the series of a summary; none unless each has one.
fn fewest(
    name: &str,
    named: &Named<Micros>,
    totals: &BTreeMap<(String, String), f64>,
) -> Option<u64> {
    let counts: Option<Vec<u64>> = named
        .series
        .keys()
        .map(|labels| {
            let count = totals.get(&(name.to_owned(), labels.clone()))?;
            (*count >= 0.0).then(|| whole(*count))
        })
        .collect();
    counts?.into_iter().min()
}

fn twice(name: &str, labels: &str) -> String {
    format!("the series {name}{{{labels}}} comes twice: expected one scrape")
}

/// The sum of the series, the number of them, what was left out, and what buckets and `_count` hold where that differs.
type Added = (Buckets, u64, Vec<(&'static str, u64)>, Option<(u64, u64)>);

/// All series of a name added up at the ends that each of them has: what lies between ends that only some have is not
/// known of the others. A series whose last bucket is no `+Inf` is completed by its `_count`, or left out.
fn added(
    name: &str,
    series: BTreeMap<String, BTreeMap<End, f64>>,
    totals: &BTreeMap<(String, String), f64>,
) -> Result<Added, String> {
    let mut whole_ones = Vec::new();
    let mut incomplete = 0;
    let (mut held, mut said) = (0.0_f64, 0.0_f64);
    for (labels, mut counts) in series {
        let of_series = (name.to_owned(), labels.clone());
        if let (Some(open), Some(total)) = (counts.get(&End::Open), totals.get(&of_series)) {
            held += open;
            said += total;
        }
        if let Entry::Vacant(open) = counts.entry(End::Open) {
            let Some(total) = totals.get(&of_series) else {
                incomplete += 1;
                continue;
            };
            open.insert(*total);
        }
        let values: Vec<f64> = counts.values().copied().collect();
        if values.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(format!(
                "{name}{{{labels}}}: a bucket has fewer values than the one below it: a counter was reset between them"
            ));
        }
        whole_ones.push(counts);
    }
    let Some(first) = whole_ones.first() else {
        return Err(format!(
            "{name} has neither a bucket le=\"+Inf\" nor a _count: how many calls took longer than its last end is not known"
        ));
    };
    let all_ends: BTreeSet<End> = whole_ones
        .iter()
        .flat_map(|counts| counts.keys().copied())
        .collect();
    let common: Vec<End> = first
        .keys()
        .copied()
        .filter(|end| whole_ones.iter().all(|counts| counts.contains_key(end)))
        .collect();
    if all_ends.len() < 2 {
        return Err(format!(
            "{name} has no bucket but le=\"+Inf\": how long the calls took is not told"
        ));
    }
    if common.len() < 2 {
        return Err(format!(
            "the {} series of {name} have no end of a bucket in common",
            whole_ones.len()
        ));
    }
    let bounds = common
        .iter()
        .map(|end| {
            let sum: f64 = whole_ones.iter().map(|counts| counts[end]).sum();
            let upper = match end {
                End::At(micros) => Some(Micros(*micros)),
                End::Open => None,
            };
            (upper, whole(sum))
        })
        .collect();
    let left_out = [
        ("series without +Inf and _count", incomplete),
        (
            "ends of buckets that not all series have",
            (all_ends.len() - common.len()) as u64,
        ),
    ];
    Ok((
        bounds,
        whole_ones.len() as u64,
        left_out.into_iter().filter(|(_, n)| *n > 0).collect(),
        // What is counted between two reads of one scrape is no difference.
        ((held - said).abs() > 0.01 * held.max(said)).then(|| (whole(held), whole(said.max(0.0)))),
    ))
}

/// Microseconds of one unit of a name; none when the name tells no unit.
fn scale(name: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 9] = [
        ("_milliseconds", 1000.0),
        ("_millis", 1000.0),
        ("_ms", 1000.0),
        ("_seconds", 1_000_000.0),
        ("_microseconds", 1.0),
        ("_micros", 1.0),
        ("_us", 1.0),
        ("_nanoseconds", 0.001),
        ("_nanos", 0.001),
    ];
    if name == "rt" {
        return Some(1000.0);
    }
    UNITS
        .iter()
        .find(|(end, _)| name.ends_with(end))
        .map(|(_, scale)| *scale)
}

/// A time, at most as long as a flag could say.
fn micros(value: f64, scale: f64) -> Option<Micros> {
    const LONGEST: f64 = 100.0 * 24.0 * 3.6e9;
    let scaled = value * scale;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a time"
    )]
    let time = (0.0..=LONGEST)
        .contains(&scaled)
        .then(|| Micros(scaled.round() as u64));
    time
}

fn service_label(sample: &Sample) -> Option<&str> {
    ["interface", "service"]
        .iter()
        .find_map(|name| sample.labels.get(*name))
        .map(String::as_str)
}

/// Whether its labels name another service or method.
fn is_of_others(sample: &Sample, wanted: Wanted<'_>) -> bool {
    let label = |name: &str| sample.labels.get(name).map(String::as_str);
    if let Some(service) = wanted.service {
        // What has none is written as nothing, as `null`, or as the version that stands for none.
        let plain = |value: Option<&str>| match value {
            None | Some("" | "null" | "0.0.0") => None,
            Some(value) => Some(value.to_owned()),
        };
        let differs = |asked: Option<&str>, name: &str| {
            asked != Some("*") && label(name).is_some_and(|is| plain(Some(is)) != plain(asked))
        };
        if service_label(sample).is_some_and(|is| is != service.interface)
            || differs(service.group.as_deref(), "group")
            || differs(service.version.as_deref(), "version")
        {
            return true;
        }
    }
    wanted
        .method
        .zip(label("method"))
        .is_some_and(|(asked, is)| asked != is)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count that was checked not to be negative"
)]
fn whole(count: f64) -> u64 {
    count.round().min(9e18) as u64
}

/// The service and method that a sample is of.
fn named(sample: &Sample) -> Option<String> {
    let label = |name: &str| {
        let value = sample.labels.get(name).map(String::as_str);
        value.filter(|value| !matches!(*value, "" | "null" | "0.0.0"))
    };
    let service = ServiceKey::new(label("group"), service_label(sample)?, label("version"));
    Some(match sample.labels.get("method") {
        Some(method) => format!("{service}#{method}"),
        None => service.to_string(),
    })
}

/// There are response times, and none of what was asked for.
fn of_others_only(wanted: Wanted<'_>, others: &BTreeSet<String>) -> String {
    let asked = match (wanted.service, wanted.method) {
        (Some(service), Some(method)) => format!("{service}#{method}"),
        (Some(service), None) => service.to_string(),
        (None, method) => method.unwrap_or("-").to_owned(),
    };
    let shown: Vec<&str> = others.iter().map(String::as_str).take(NAMED).collect();
    // Group and version are part of the name.
    let other_key = |text: &&str| {
        let service = text.split('#').next().unwrap_or(text);
        let key = ServiceKey::parse_cli(service).ok();
        key.zip(wanted.service)
            .is_some_and(|(key, asked)| key.interface == asked.interface && key != *asked)
    };
    let named = shown.join(", ");
    if shown.iter().any(other_key) {
        return format!(
            "it tells no response times of {asked}; it does of {named}: name it with its group and version, or `*` for any"
        );
    }
    format!("it tells no response times of {asked}; it does of {named}")
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

/// The only name; of several, those of Dubbo, of the side asked about, that name the service.
fn preferred<T>(
    all: BTreeMap<String, Named<T>>,
    wanted: Wanted<'_>,
) -> Result<Option<(String, Named<T>)>, String> {
    let mut left: Vec<(String, Named<T>)> = all.into_iter().collect();
    let narrow = |left: &mut Vec<(String, Named<T>)>, fits: &dyn Fn(&str, &Named<T>) -> bool| {
        if left.len() > 1 && left.iter().any(|(name, named)| fits(name, named)) {
            left.retain(|(name, named)| fits(name, named));
        }
    };
    narrow(&mut left, &|_, named| named.names_service);
    narrow(&mut left, &|name, _| name.starts_with("dubbo_"));
    narrow(&mut left, &|name, _| {
        wanted.whose.is_some() && whose(name) == wanted.whose
    });
    if left.len() < 2 {
        return Ok(left.pop());
    }
    let names: Vec<&str> = left.iter().map(|(name, _)| name.as_str()).collect();
    let sides: BTreeSet<Option<Whose>> = names.iter().map(|name| whose(name)).collect();
    let way_out = if sides.len() == names.len() && !sides.contains(&None) {
        "say which with --p99-side"
    } else {
        "leave one in the file"
    };
    Err(format!(
        "several series tell response times ({}): {way_out}",
        names.join(", ")
    ))
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
    } else if name.contains("provider") || name == "rt" {
        // 3.1 measures at the provider only.
        Some(Whose::Provider)
    } else {
        None
    }
}
