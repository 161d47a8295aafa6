//! Timestamps: `ConstructYamlTimestamp`, which sets the fields of a lenient `GregorianCalendar`.

use std::sync::LazyLock;

use regex::{Captures, Regex};

static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\A([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})",
        r"(?:(?:[Tt]|[ \t]+)([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]*))?",
        r"(?:[ \t]*(?:Z|([-+][0-9]{1,2})(?::([0-9]{2})?)?))?)?\z"
    ))
    .expect("the pattern is a constant")
});

const MILLIS_PER_DAY: i64 = 86_400_000;

/// Days from 1970-01-01 to 15 October 1582, when the Gregorian calendar begins.
const GREGORIAN_START: i64 = -141_427;

/// Milliseconds since 1970 in UTC; `None` when the text is no timestamp.
pub(super) fn parse(text: &str) -> Option<i64> {
    let found = PATTERN.captures(text)?;
    let field = |at| number(&found, at);
    let (year, month, day) = (field(1), field(2), field(3));
    let mut time = (field(4) * 3600 + field(5) * 60) * 1000;
    if let Some(seconds) = found.get(6) {
        let fraction = found.get(7).map_or("", |it| it.as_str());
        let seconds: f64 = format!("{}.{fraction}", seconds.as_str()).parse().ok()?;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "two digits before the point"
        )]
        let whole = seconds.floor() as i64;
        #[expect(clippy::cast_possible_truncation, reason = "a fraction of a second")]
        let millis = ((seconds - seconds.floor()) * 1000.0 + 0.5).floor() as i64;
        time += whole * 1000 + millis;
    }
    let days = days(year, month, day + time.div_euclid(MILLIS_PER_DAY));
    let zone = found.get(8).map_or(0, |hours| {
        zone_offset(hours.as_str(), found.get(9).map(|it| it.as_str()))
    });
    Some(days * MILLIS_PER_DAY + time.rem_euclid(MILLIS_PER_DAY) - zone)
}

fn number(found: &Captures<'_>, at: usize) -> i64 {
    found
        .get(at)
        .and_then(|it| it.as_str().parse().ok())
        .unwrap_or(0)
}

/// Milliseconds of a zone; one that `TimeZone.getTimeZone` does not know is GMT.
fn zone_offset(hours: &str, minutes: Option<&str>) -> i64 {
    let negative = hours.starts_with('-');
    let hours: i64 = hours[1..].parse().unwrap_or(0);
    let minutes: i64 = minutes.and_then(|it| it.parse().ok()).unwrap_or(0);
    if hours > 23 || minutes > 59 {
        return 0;
    }
    let offset = (hours * 60 + minutes) * 60_000;
    if negative { -offset } else { offset }
}

/// Days from 1970-01-01. Months and days may lie outside their range, and before 15 October 1582 the Julian calendar
/// counts (`GregorianCalendar.computeTime`).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let gregorian = gregorian_days(year, month, day);
    // A year before 1582 stays Julian even if its fields roll over the border.
    if year >= 1582 && gregorian >= GREGORIAN_START {
        gregorian
    } else {
        julian_days(year, month, day)
    }
}

/// Year and month from 0 March on, so that the leap day ends the year.
fn from_march(year: i64, month: i64) -> (i64, i64) {
    let months = year * 12 + month - 1 - 2;
    (months.div_euclid(12), months.rem_euclid(12))
}

/// Days from 1 March to the first of a month that lies `months` later.
fn days_before(months: i64) -> i64 {
    (153 * months + 2) / 5
}

fn gregorian_days(year: i64, month: i64, day: i64) -> i64 {
    let (year, months) = from_march(year, month);
    year * 365 + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + days_before(months)
        + day
        - 719_469
}

fn julian_days(year: i64, month: i64, day: i64) -> i64 {
    let (year, months) = from_march(year, month);
    year * 365 + year.div_euclid(4) + days_before(months) + day - 719_471
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn timestamps_as_java_reads_them() {
        for (text, millis) in [
            ("1970-01-01", 0),
            ("2024-01-02", 1_704_153_600_000),
            ("2024-1-2", 1_704_153_600_000),
            ("2024-01-02T03:04:05Z", 1_704_164_645_000),
            ("2024-01-02 03:04:05.678 +08:00", 1_704_135_845_678),
            ("2024-01-02 03:04:05 +24:00", 1_704_164_645_000),
            ("2024-01-02 03:04:05.9996", 1_704_164_646_000),
            ("2024-13-45", 1_739_491_200_000),
            ("1582-10-15", -12_219_292_800_000),
            ("1582-10-04", -12_219_379_200_000),
            ("0001-01-01", -62_135_769_600_000),
        ] {
            assert_eq!(parse(text), Some(millis), "{text}");
        }
        for text in ["", "2024", "2024-1-2T", "2024-01-02 3:4:5", "20240102"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
