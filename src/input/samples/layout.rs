//! What a file of response times is, line by line: which column, which unit, which number.

use std::borrow::Cow;

use super::{Counts, StreamError, parse_line};
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

/// A plain number of milliseconds with at most three decimals, as most files have them.
pub(super) fn plain(line: &[u8]) -> Option<Micros> {
    let (mut value, mut decimals) = (0_u64, None);
    if line.is_empty() || line.len() > 15 {
        return None;
    }
    for byte in line {
        match (byte, decimals) {
            (b'.', None) => decimals = Some(0),
            (b'0'..=b'9', Some(3..)) => return None,
            (b'0'..=b'9', _) => {
                value = value * 10 + u64::from(byte - b'0');
                decimals = decimals.map(|count| count + 1);
            }
            _ => return None,
        }
    }
    if !line[0].is_ascii_digit() || !line[line.len() - 1].is_ascii_digit() {
        return None;
    }
    let scale = [1000, 100, 10, 1][decimals.unwrap_or(0)];
    // Longer ones are left to the reading that refuses what is no time.
    value
        .checked_mul(scale)
        .filter(|value| *value <= Micros::LONGEST.0)
        .map(Micros)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
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
pub(super) enum Layout {
    Numbers,
    Table {
        delimiter: char,
        column: usize,
        /// As its name says.
        unit: Option<Unit>,
    },
    AccessLog,
}

impl Layout {
    /// From the first line that says something; whether that line is a header. `asked` names a column.
    pub(super) fn of(
        text: &str,
        line: u64,
        asked: Option<&str>,
    ) -> Result<(Self, bool), StreamError> {
        if asked.is_none() && parse_line(text).is_some() {
            return Ok((Self::AccessLog, false));
        }
        let outside = without_quoted(text);
        let delimiter = [',', ';', '\t']
            .into_iter()
            .find(|sign| outside.contains(*sign));
        if delimiter.is_none() && asked.is_none() && named(text).is_none() {
            return Ok((Self::Numbers, false));
        }
        // Without a delimiter the whole line is the only column.
        let delimiter = delimiter.unwrap_or('\u{1f}');
        let cells: Vec<String> = (0..)
            .map_while(|at| cell(text, delimiter, at).ok())
            .map(|cell| cell.trim().to_owned())
            .collect();
        let table = |column: usize, unit| Self::Table {
            delimiter,
            column,
            unit,
        };
        let numeric: Vec<usize> = (0..cells.len())
            .filter(|at| is_number(&cells[*at]))
            .collect();
        let has = || cells.join(", ");
        if let Some(asked) = asked {
            let by_name = cells
                .iter()
                .position(|cell| cell.eq_ignore_ascii_case(asked) && !is_number(cell));
            let by_number = asked
                .parse::<usize>()
                .ok()
                .and_then(|number| number.checked_sub(1))
                .filter(|at| *at < cells.len());
            return match (by_name, by_number) {
                (None, Some(at)) if is_number(&cells[at]) => Ok((table(at, None), false)),
                (Some(at), _) | (None, Some(at)) => Ok((table(at, unit_of(&cells[at]).1), true)),
                (None, None) => Err(StreamError::at(
                    line,
                    1,
                    format!("there is no column `{asked}`: the first line has {}", has()),
                )),
            };
        }
        let mut known = cells
            .iter()
            .enumerate()
            .filter_map(|(at, cell)| Some((at, named(cell)?)));
        match (known.next(), known.next(), numeric.as_slice()) {
            (Some((column, unit)), None, _) => Ok((table(column, unit), true)),
            (None, _, [column]) => Ok((table(*column, None), false)),
            _ => Err(StreamError::at(
                line,
                1,
                "which column has the times? say it with --column NAME or NUMBER, or name it rt_ms, latency_ms, duration_us or elapsed_s in a header line",
            )),
        }
    }
}

/// The text without what stands between quotes.
fn without_quoted(text: &str) -> String {
    let parts = text.split('"').step_by(2);
    parts.collect()
}

/// A cell of a line, its quotes taken off; `""` within them is one quote.
pub(super) fn cell(
    text: &str,
    delimiter: char,
    column: usize,
) -> Result<Cow<'_, str>, &'static str> {
    const LACKS: &str = "the line lacks the column of times";
    if !text.contains('"') {
        return text
            .split(delimiter)
            .nth(column)
            .map(Cow::Borrowed)
            .ok_or(LACKS);
    }
    let (mut at, mut quoted, mut found) = (0, false, String::new());
    for sign in text.chars() {
        match sign {
            '"' => quoted = !quoted,
            sign if sign == delimiter && !quoted => {
                at += 1;
                if at > column {
                    return Ok(Cow::Owned(found));
                }
            }
            sign if at == column => found.push(sign),
            _ => {}
        }
    }
    if quoted {
        return Err("a quote is never closed");
    }
    if at < column {
        return Err(LACKS);
    }
    Ok(Cow::Owned(found))
}

/// Name without its unit, and the unit.
fn unit_of(cell: &str) -> (String, Option<Unit>) {
    let name = cell.trim().trim_matches('"').to_ascii_lowercase();
    let name = name.replace(['(', ')', '[', ']', ' ', '-', '.'], "_");
    let name = name.trim_matches('_');
    let units = [
        ("_us", Unit::Micro),
        ("_micros", Unit::Micro),
        ("_microseconds", Unit::Micro),
        ("_ms", Unit::Milli),
        ("_millis", Unit::Milli),
        ("_milliseconds", Unit::Milli),
        ("_s", Unit::Second),
        ("_sec", Unit::Second),
        ("_seconds", Unit::Second),
    ];
    let found = units
        .into_iter()
        .find_map(|(end, unit)| Some((name.strip_suffix(end)?.trim_end_matches('_'), unit)));
    match found {
        Some((base, unit)) => (base.to_owned(), Some(unit)),
        None if name == "ms" => (name.to_owned(), Some(Unit::Milli)),
        None => (name.to_owned(), None),
    }
}

/// The unit of a column with response times, by its name; none within = the name tells none.
#[expect(
    clippy::option_option,
    reason = "no such column, and a column without a unit"
)]
fn named(cell: &str) -> Option<Option<Unit>> {
    let (base, unit) = unit_of(cell);
    COLUMNS.contains(&base.as_str()).then_some(unit)
}

fn is_number(text: &str) -> bool {
    value(text, None, 1, 1, &mut Counts::default()).is_ok()
}

/// A number with or without a unit; without one it has the unit of its column.
pub(super) fn value(
    text: &str,
    unit: Option<Unit>,
    line: u64,
    column: usize,
    counts: &mut Counts,
) -> Result<Micros, StreamError> {
    let has_unit = text.ends_with(|c: char| c.is_alphabetic());
    let read = if has_unit {
        Micros::parse(text)
    } else {
        Micros::parse(&[text, unit.unwrap_or(Unit::Milli).word()].concat())
    };
    counts.values += 1;
    if has_unit {
        counts.own_unit += 1;
        let unit = text.trim_start_matches(|c: char| !c.is_alphabetic());
        match &counts.unit {
            Some(first) => counts.other_unit += u64::from(first != unit),
            None => counts.unit = Some(unit.to_owned()),
        }
    } else {
        counts.bare += 1;
    }
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
