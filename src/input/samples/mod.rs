//! Measured response times as a stream: one number a line, a column of a CSV file, or an access log of Dubbo 3.1 on.
//!
//! Memory does not grow with the stream. A line that means nothing ends the reading with its place: a number computed
//! from half-understood lines would be a confident wrong one. Lines of an access log that are no calls are counted.

mod layout;

use std::io::BufRead;

use layout::{Layout, cell, plain, value};

use super::{
    access_log::{AccessLine, parse_line},
    lines::{Lines, StreamError},
    repeats::{Repeat, Repeats},
};
use crate::model::time::Micros;

/// Which calls of an access log count.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// `[group/]interface[:version]`; none = all.
    pub service: Option<&'a str>,
    /// Method; none = all.
    pub method: Option<&'a str>,
    /// The column of a table: its name, or its number from 1.
    pub column: Option<&'a str>,
    /// Which methods are looked at for equal calls.
    pub repeated: Option<Watch<'a>>,
}

/// Methods for which equal calls matter: those that are declared, and those of which the name tells it.
#[derive(Debug, Clone, Copy)]
pub struct Watch<'a> {
    /// Declared.
    pub declared: &'a [String],
    /// Whether a method is one of them.
    pub fits: fn(&str, &[String]) -> bool,
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
    /// What was left out or is odd: a fixed word and how often.
    pub left_out: Vec<(&'static str, u64)>,
    /// Calls whose time is not known: without an answer's time, or with one before their own.
    pub untimed: u64,
    /// The unit of the values is nowhere said; they were taken for milliseconds.
    pub unit_assumed: bool,
    /// Equal calls of an access log.
    pub repeated: Vec<Repeat>,
}

#[derive(Debug, Default)]
struct Counts {
    values: u64,
    bare: u64,
    own_unit: u64,
    other_calls: u64,
    no_calls: u64,
    unanswered: u64,
    clock_back: u64,
    /// The first unit that a value has, and how many have another.
    unit: Option<String>,
    other_unit: u64,
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
    let mut lines = Lines::refusing(reader);
    let mut counts = Counts::default();
    let mut repeats = Repeats::default();
    let mut layout: Option<Layout> = None;
    while let Some(line) = lines.read()? {
        let number = line.number;
        if line.cut {
            return Err(StreamError::at(number, 1, "the line is longer than 1 MiB"));
        }
        if layout == Some(Layout::Numbers)
            && let Some(value) = plain(line.bytes)
        {
            take(value);
            counts.bare += 1;
            counts.values += 1;
            continue;
        }
        let text = String::from_utf8_lossy(line.bytes);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if layout.is_none() {
            let (found, is_header) = Layout::of(text, number, wanted.column)?;
            layout = Some(found);
            if is_header {
                continue;
            }
        }
        let known = layout.unwrap_or(Layout::Numbers);
        match known {
            Layout::Numbers => {
                let time = value(text, None, number, 1, &mut counts)?;
                take(time);
            }
            Layout::Table {
                delimiter,
                column,
                unit,
            } => {
                let cell = cell(text, delimiter, column)
                    .map_err(|problem| StreamError::at(number, column + 1, problem))?;
                take(value(cell.trim(), unit, number, column + 1, &mut counts)?);
            }
            Layout::AccessLog => {
                let read = parse_line(text);
                if let (Some(call), Some(watch)) = (&read, wanted.repeated)
                    && is_wanted(call, wanted)
                    && (watch.fits)(call.method, watch.declared)
                    && let Some(began) = moment(call.time)
                {
                    repeats.take(call, began, number);
                }
                call(read, wanted, &mut counts, &mut take);
            }
        }
    }
    finish(layout, &counts, repeats.found())
}

fn finish(
    layout: Option<Layout>,
    counts: &Counts,
    repeated: Vec<Repeat>,
) -> Result<Read, StreamError> {
    let form = match layout {
        None => return Err(StreamError::at(1, 1, "there is no value in it")),
        Some(Layout::Numbers) => Form::Numbers,
        Some(Layout::Table { .. }) => Form::Table,
        Some(Layout::AccessLog) => Form::AccessLog,
    };
    if counts.values == 0 {
        let why = if counts.unanswered > 0 {
            "the access log has no times of answers (Dubbo writes them from 3.1 and the last of 3.0 on)"
        } else if counts.clock_back > 0 {
            "in every call the answer's time lies before the call's own: the clock went back, or the two are of different clocks"
        } else if counts.other_calls > 0 {
            "no call of this service and method is in it"
        } else {
            "there is no value in it"
        };
        return Err(StreamError::at(1, 1, why));
    }
    // Where the clock went back the time between two calls is not known.
    let untold = if counts.clock_back > 0 {
        repeated.len() as u64
    } else {
        0
    };
    let left_out = [
        ("calls of others", counts.other_calls),
        ("lines that are no calls", counts.no_calls),
        ("calls without an answer's time", counts.unanswered),
        ("calls whose clock went back", counts.clock_back),
        ("equal calls of unknown distance", untold),
        (
            "values with a unit of their own among others without",
            if counts.bare > 0 { counts.own_unit } else { 0 },
        ),
        ("values in another unit than the first", counts.other_unit),
    ];
    let unit_assumed = match layout {
        Some(Layout::Numbers | Layout::Table { unit: None, .. }) => counts.bare > 0,
        _ => false,
    };
    Ok(Read {
        form,
        values: counts.values,
        left_out: left_out
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .collect(),
        untimed: counts.unanswered + counts.clock_back,
        unit_assumed,
        repeated: if untold > 0 { Vec::new() } else { repeated },
    })
}

fn is_wanted(line: &AccessLine<'_>, wanted: Wanted<'_>) -> bool {
    let fits = |asked: Option<&str>, is: &str| asked.is_none_or(|asked| asked == is);
    fits(wanted.service, line.service) && fits(wanted.method, line.method)
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
    if !is_wanted(&line, wanted) {
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
    let text = text.trim();
    usual(text.as_bytes()).or_else(|| other(text))
}

/// A moment in the form that Dubbo writes, without the detour over a calendar: most of a log's reading is this.
fn usual(text: &[u8]) -> Option<u64> {
    let number = |from: usize, to: usize| -> Option<u64> {
        text.get(from..to)?.iter().try_fold(0, |value, byte| {
            byte.is_ascii_digit()
                .then(|| value * 10 + u64::from(byte - b'0'))
        })
    };
    let marks = [(4, b'-'), (7, b'-'), (10, b' '), (13, b':'), (16, b':')];
    if !marks.iter().all(|(at, mark)| text.get(*at) == Some(mark)) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 => 28 + u64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let fits = year >= 1970 && (1..=12).contains(&month) && (1..=longest).contains(&day);
    // Leap seconds and the like are left to the calendar.
    if !fits || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let micros = match text.get(19) {
        None => 0,
        Some(b'.') if (20..=26).contains(&text.len()) => {
            let digits = u32::try_from(text.len() - 20)
                .ok()
                .filter(|count| *count > 0)?;
            number(20, text.len())? * 10_u64.pow(6 - digits)
        }
        Some(_) => return None,
    };
    // Days since 1970 in a calendar whose years begin in March (H. Hinnant, days_from_civil).
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let seconds = (days - 719_468) * 86_400 + hour * 3600 + minute * 60 + second;
    Some(seconds * 1_000_000 + micros)
}

/// Any other form that a calendar knows.
fn other(text: &str) -> Option<u64> {
    let (date, time) = text.split_once([' ', 'T'])?;
    let date: jiff::civil::Date = date.parse().ok()?;
    let time: jiff::civil::Time = time.parse().ok()?;
    let nanos = date
        .to_datetime(time)
        .to_zoned(jiff::tz::TimeZone::UTC)
        .ok()?;
    u64::try_from(nanos.timestamp().as_microsecond()).ok()
}

#[cfg(test)]
mod tests;
