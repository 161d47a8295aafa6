//! Measured response times as a stream: one number a line, a column of a CSV file, or an access log of Dubbo 3.1 on.
//!
//! Memory does not grow with the stream. A line that means nothing ends the reading with its place: a number computed
//! from half-understood lines would be a confident wrong one. Lines of an access log that are no calls are counted.

use std::io::BufRead;

use super::{
    access_log::{AccessLine, parse_line},
    lines::{Lines, StreamError},
};
use crate::model::time::Micros;

/// Names of a column with response times, without their unit.
const COLUMNS: [&str; 12] = [
    "rt",
    "response_time",
    "responsetime",
    "latency",
    "duration",
    "elapsed",
    "cost",
    "took",
    "time_taken",
    "value",
    "p99",
    "ms",
];

/// Which calls of an access log count.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// `[group/]interface[:version]`; none = all.
    pub service: Option<&'a str>,
    /// Method; none = all.
    pub method: Option<&'a str>,
}

/// What a file of samples is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One number a line.
    Numbers,
    /// A table.
    Table,
    /// Dubbo's access log; its times are the provider's.
    AccessLog,
}

/// What was read besides the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// What the file is.
    pub form: Form,
    /// Values.
    pub values: u64,
    /// What was left out: a fixed word and how often.
    pub left_out: Vec<(&'static str, u64)>,
}

#[derive(Debug, Default)]
struct Counts {
    values: u64,
    other_calls: u64,
    no_calls: u64,
    unanswered: u64,
    clock_back: u64,
}

/// Hands every value to `take`.
///
/// # Errors
/// The stream cannot be read, holds no value, or a line of it means nothing.
pub fn read(
    reader: impl BufRead,
    wanted: Wanted<'_>,
    mut take: impl FnMut(Micros),
) -> Result<Read, StreamError> {
    let mut lines = Lines::new(reader);
    let mut counts = Counts::default();
    let mut layout: Option<Layout> = None;
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
        if layout.is_none() {
            let (found, is_header) = Layout::of(text, number)?;
            layout = Some(found);
            if is_header {
                continue;
            }
        }
        let known = layout.as_ref().unwrap_or(&Layout::Numbers);
        match known {
            Layout::Numbers => {
                take(value(text, Unit::Milli, number, 1)?);
                counts.values += 1;
            }
            Layout::Table {
                delimiter,
                column,
                unit,
            } => {
                let cell = text.split(*delimiter).nth(*column);
                let cell = cell.ok_or_else(|| {
                    StreamError::at(number, 1, "the line lacks the column of times")
                })?;
                take(value(
                    cell.trim().trim_matches('"'),
                    *unit,
                    number,
                    column + 1,
                )?);
                counts.values += 1;
            }
            Layout::AccessLog => call(parse_line(text), wanted, &mut counts, &mut take),
        }
    }
    finish(layout, &counts)
}

fn finish(layout: Option<Layout>, counts: &Counts) -> Result<Read, StreamError> {
    let form = match layout {
        None => return Err(StreamError::at(1, 1, "there is no value in it")),
        Some(Layout::Numbers) => Form::Numbers,
        Some(Layout::Table { .. }) => Form::Table,
        Some(Layout::AccessLog) => Form::AccessLog,
    };
    if counts.values == 0 {
        let why = if counts.unanswered > 0 {
            "the access log has no times of answers (Dubbo writes them from 3.1 on)"
        } else if counts.other_calls > 0 {
            "no call of this service and method is in it"
        } else {
            "there is no value in it"
        };
        return Err(StreamError::at(1, 1, why));
    }
    let left_out = [
        ("calls of others", counts.other_calls),
        ("lines that are no calls", counts.no_calls),
        ("calls without an answer's time", counts.unanswered),
        ("calls whose clock went back", counts.clock_back),
    ];
    Ok(Read {
        form,
        values: counts.values,
        left_out: left_out
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .collect(),
    })
}

/// One line of an access log.
fn call(
    line: Option<AccessLine<'_>>,
    wanted: Wanted<'_>,
    counts: &mut Counts,
    take: &mut impl FnMut(Micros),
) {
    let Some(line) = line else {
        counts.no_calls += 1;
        return;
    };
    let fits = |asked: Option<&str>, is: &str| asked.is_none_or(|asked| asked == is);
    if !fits(wanted.service, line.service) || !fits(wanted.method, line.method) {
        counts.other_calls += 1;
        return;
    }
    let times = line
        .answered
        .and_then(|answered| Some((moment(line.time)?, moment(answered)?)));
    match times {
        None => counts.unanswered += 1,
        Some((start, end)) if end < start => counts.clock_back += 1,
        Some((start, end)) => {
            take(Micros(end - start));
            counts.values += 1;
        }
    }
}

/// `yyyy-MM-dd HH:mm:ss.SSSSS` as microseconds of some epoch: the fraction is five digits of a second.
fn moment(text: &str) -> Option<u64> {
    let (date, time) = text.trim().split_once([' ', 'T'])?;
    let date: jiff::civil::Date = date.parse().ok()?;
    let time: jiff::civil::Time = time.parse().ok()?;
    let nanos = date
        .to_datetime(time)
        .to_zoned(jiff::tz::TimeZone::UTC)
        .ok()?;
    u64::try_from(nanos.timestamp().as_microsecond()).ok()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Micro,
    Milli,
    Second,
}

impl Unit {
    fn word(self) -> &'static str {
        match self {
            Self::Micro => "us",
            Self::Milli => "ms",
            Self::Second => "s",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Numbers,
    Table {
        delimiter: char,
        column: usize,
        unit: Unit,
    },
    AccessLog,
}

impl Layout {
    /// From the first line that says something; whether that line is a header.
    fn of(text: &str, line: u64) -> Result<(Self, bool), StreamError> {
        if parse_line(text).is_some() {
            return Ok((Self::AccessLog, false));
        }
        let Some(delimiter) = [',', ';', '\t']
            .into_iter()
            .find(|sign| text.contains(*sign))
        else {
            // A header above a single column.
            let header = named(text).is_some() && number(text).is_none();
            let unit = named(text).unwrap_or(Unit::Milli);
            let column = Self::Table {
                delimiter: '\u{1f}',
                column: 0,
                unit,
            };
            return Ok(if header {
                (column, true)
            } else {
                (Self::Numbers, false)
            });
        };
        let cells: Vec<&str> = text
            .split(delimiter)
            .map(|cell| cell.trim().trim_matches('"'))
            .collect();
        let table = |column, unit| Self::Table {
            delimiter,
            column,
            unit,
        };
        if let Some((column, unit)) = cells
            .iter()
            .enumerate()
            .find_map(|(at, cell)| Some((at, named(cell)?)))
        {
            return Ok((table(column, unit), true));
        }
        let numeric: Vec<usize> = (0..cells.len())
            .filter(|at| number(cells[*at]).is_some())
            .collect();
        match numeric.as_slice() {
            [column] => Ok((table(*column, Unit::Milli), false)),
            _ => Err(StreamError::at(
                line,
                1,
                "which column has the times? name it rt_ms, latency_ms, duration_us or elapsed_s in a header line",
            )),
        }
    }
}

/// The unit of a column with response times, by its name.
fn named(cell: &str) -> Option<Unit> {
    let name = cell.trim().trim_matches('"').to_ascii_lowercase();
    let name = name.replace(['(', ')', ' ', '-', '.'], "_");
    let name = name.trim_matches('_');
    let units = [
        ("_us", Unit::Micro),
        ("_micros", Unit::Micro),
        ("_ms", Unit::Milli),
        ("_millis", Unit::Milli),
        ("_milliseconds", Unit::Milli),
        ("_s", Unit::Second),
        ("_seconds", Unit::Second),
    ];
    let (base, unit) = units
        .into_iter()
        .find_map(|(end, unit)| Some((name.strip_suffix(end)?, unit)))
        .unwrap_or((name, Unit::Milli));
    COLUMNS.contains(&base).then_some(unit)
}

fn number(text: &str) -> Option<Micros> {
    value(text, Unit::Milli, 1, 1).ok()
}

/// A number with or without a unit; without one it has the unit of its column.
fn value(text: &str, unit: Unit, line: u64, column: usize) -> Result<Micros, StreamError> {
    let has_unit = text.ends_with(|c: char| c.is_ascii_alphabetic());
    let read = if has_unit {
        Micros::parse(text)
    } else {
        Micros::parse(&format!("{text}{}", unit.word()))
    };
    read.map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        StreamError::at(
            line,
            column,
            format!(
                "`{shown}` is no response time: expected a number, such as 12.5 (ms) or 12.5ms"
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(text: &str) -> Result<(Vec<u64>, Read), String> {
        let mut values = Vec::new();
        read(text.as_bytes(), Wanted::default(), |value| {
            values.push(value.0);
        })
        .map(|read| (values, read))
        .map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_tables_and_units() {
        assert_eq!(
            all("1\n2.5\n\n# no\n3ms\n1s\n").unwrap().0,
            [1000, 2500, 3000, 1_000_000]
        );
        assert_eq!(all("time,rt_us\na,5\nb,7\n").unwrap().0, [5, 7]);
        assert_eq!(all("\"duration\";x\n12;y\n").unwrap().0, [12_000]);
        assert_eq!(
            all("2026-01-01,12\n2026-01-02,13\n").unwrap().0,
            [12_000, 13_000]
        );
        assert_eq!(all("latency_s\n0.25\n").unwrap().0, [250_000]);
        assert_eq!(all("\u{feff}5\r\n6\r\n").unwrap().0, [5000, 6000]);
    }

    #[test]
    fn an_access_log_tells_what_it_left_out() {
        let line = |from: &str, to: &str, service: &str| {
            format!(
                "[2026-11-29 20:00:{from}] -> [2026-11-29 20:00:{to}] 10.0.0.5:52100 -> 10.0.0.7:20880 - {service} get(int) [1]\n"
            )
        };
        let text = line("00.00100", "00.01300", "a.B")
            + &line("01.00000", "00.99000", "a.B")
            + &line("00.00000", "00.50000", "a.C")
            + "nothing\n";
        let mut values = Vec::new();
        let wanted = Wanted {
            service: Some("a.B"),
            method: None,
        };
        let read = read(text.as_bytes(), wanted, |value| values.push(value.0)).unwrap();
        assert_eq!((values, read.form), (vec![12_000], Form::AccessLog));
        assert_eq!(
            read.left_out,
            [
                ("calls of others", 1),
                ("lines that are no calls", 1),
                ("calls whose clock went back", 1)
            ]
        );
        let old = "[2026-11-29 20:00:00] 10.0.0.5:52100 -> 10.0.0.7:20880 - a.B get(int) [1]\n";
        assert!(all(old).unwrap_err().contains("3.1"), "{:?}", all(old));
    }

    #[test]
    fn nonsense_names_its_place() {
        for (text, place) in [
            ("", "1:1"),
            ("\n\n", "1:1"),
            ("1\n-2\n", "2:1"),
            ("1\ninf\n", "2:1"),
            ("450 parsecs\n", "1:1"),
            ("1\nNaN\n", "2:1"),
            ("a,b,c\n", "1:1"),
            ("rt_ms,x\n,1\n", "2:1"),
            ("1,2\n3,4\n", "1:1"),
            ("1e309\n", "1:1"),
        ] {
            let error = all(text).unwrap_err();
            assert!(error.starts_with(place), "{text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(bytes.as_slice(), Wanted::default(), |_| {});
        }

        #[test]
        fn every_number_is_read(values in prop::collection::vec(0_u64..10_000_000, 1..50)) {
            let lines: Vec<String> = values.iter().map(|value| format!("{value}us")).collect();
            let text = lines.join("\n");
            prop_assert_eq!(all(&text).unwrap().0, values);
        }
    }
}
