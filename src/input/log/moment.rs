//! Times as logs print them.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::fact::Moment;

/// Times that may begin a line, tried in this order.
static TIMES: LazyLock<[Regex; 6]> = LazyLock::new(|| {
    [
        r"(?P<y>\d{4})[-/.](?P<mo>\d{1,2})[-/.](?P<d>\d{1,2})[T ](?P<h>\d{1,2}):(?P<mi>\d\d):(?P<s>\d\d)(?:[.,:](?P<f>\d{1,9}))?(?:\s?(?P<z>Z\b|UTC\b|GMT\b|[+-]\d\d:?\d\d))?",
        // log4j 1 of old samples: day/month/year.
        r"(?P<d>\d\d)/(?P<mo>\d\d)/(?P<yy>\d\d) (?P<h>\d\d):(?P<mi>\d\d):(?P<s>\d\d)[:.,](?P<f>\d{3})(?: (?P<z>[A-Z]{2,5}))?",
        r"(?P<d>\d\d)-(?P<mon>[A-Z][a-z]{2})-(?P<y>\d{4}) (?P<h>\d\d):(?P<mi>\d\d):(?P<s>\d\d)(?:[.,](?P<f>\d{1,9}))?",
        // java.util.logging and syslog, month first; the words are those of the locale.
        r"(?P<mon>\p{L}[\p{L}.]{0,12}) {1,2}(?P<d>\d{1,2}),? (?:(?P<y>\d{4}),? )?(?P<h>\d{1,2}):(?P<mi>\d\d):(?P<s>\d\d)(?: (?P<half>AM|PM|上午|下午|午前|午後)\b)?",
        r"(?P<h>\d\d):(?P<mi>\d\d):(?P<s>\d\d)[.,](?P<f>\d{3,9})",
        r"(?P<epoch>1\d{12})\b",
    ]
    .map(|pattern| Regex::new(pattern).expect("a fixed pattern"))
});

const MONTHS: [(&str, i8); 24] = [
    ("jan", 1),
    ("feb", 2),
    ("mar", 3),
    ("apr", 4),
    ("may", 5),
    ("jun", 6),
    ("jul", 7),
    ("aug", 8),
    ("sep", 9),
    ("oct", 10),
    ("nov", 11),
    ("dec", 12),
    ("一月", 1),
    ("二月", 2),
    ("三月", 3),
    ("四月", 4),
    ("五月", 5),
    ("六月", 6),
    ("七月", 7),
    ("八月", 8),
    ("九月", 9),
    ("十月", 10),
    ("十一月", 11),
    ("十二月", 12),
];

/// A time as a number, to compare two lines of one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    millis: i64,
    dated: bool,
}

impl Clock {
    /// Milliseconds between two lines; `None` when they cannot be compared.
    pub(super) fn distance(self, other: Self) -> Option<u64> {
        (self.dated == other.dated).then(|| self.millis.abs_diff(other.millis))
    }
}

/// The first time in a text: where it stands, as printed, as a number.
pub(super) fn find(text: &str) -> Option<(std::ops::Range<usize>, Moment, Option<Clock>)> {
    let found = TIMES
        .iter()
        .filter_map(|pattern| pattern.captures(text))
        .min_by_key(|found| found.get(0).map(|all| all.start()))?;
    let all = found.get(0)?;
    let clock = clock(&found);
    let zone = found.name("z").map(|zone| zone.as_str());
    let moment = Moment {
        text: all.as_str().to_owned(),
        millis: clock.filter(|clock| clock.dated).map(|clock| clock.millis),
        zone_known: found.name("epoch").is_some() || zone.and_then(offset_millis).is_some(),
    };
    Some((all.range(), moment, clock))
}

/// Whether a line begins with a time.
pub(super) fn begins(text: &str) -> bool {
    let head: usize = text.char_indices().nth(64).map_or(text.len(), |(at, _)| at);
    find(&text[..head]).is_some_and(|(range, _, _)| range.start <= 1)
}

/// Whether a line begins with a time that stands inside a message: `.., end time: 2026-03-04 05:06:07.895, client ..`.
pub(super) fn begins_inside(text: &str) -> bool {
    find(text).is_some_and(|(range, _, _)| range.start == 0 && text[range.end..].starts_with(','))
}

fn clock(found: &Captures<'_>) -> Option<Clock> {
    let number = |name: &str| {
        found
            .name(name)
            .and_then(|text| text.as_str().parse::<i64>().ok())
    };
    if let Some(millis) = number("epoch") {
        return Some(Clock {
            millis,
            dated: true,
        });
    }
    let mut hour = number("h")?;
    match found.name("half").map(|half| half.as_str()) {
        Some("PM" | "下午" | "午後") if hour < 12 => hour += 12,
        Some("AM" | "上午" | "午前") if hour == 12 => hour = 0,
        _ => {}
    }
    let fraction = found.name("f").map_or(0, |digits| {
        format!("{:0<3}", digits.as_str())
            .get(..3)
            .and_then(|digits| digits.parse().ok())
            .unwrap_or(0)
    });
    let of_day = ((hour * 60 + number("mi")?) * 60 + number("s")?) * 1000 + fraction;
    let Some(days) = days(found) else {
        return Some(Clock {
            millis: of_day,
            dated: false,
        });
    };
    let offset = found
        .name("z")
        .and_then(|zone| offset_millis(zone.as_str()))
        .unwrap_or(0);
    Some(Clock {
        millis: days * 86_400_000 + of_day - offset,
        dated: true,
    })
}

fn days(found: &Captures<'_>) -> Option<i64> {
    let number = |name: &str| {
        found
            .name(name)
            .and_then(|text| text.as_str().parse::<i16>().ok())
    };
    let year = number("y").or_else(|| number("yy").map(|year| 2000 + year))?;
    let month = number("mo")
        .and_then(|month| i8::try_from(month).ok())
        .or_else(|| {
            let word = found.name("mon")?.as_str().to_lowercase();
            MONTHS
                .iter()
                .rev()
                .find(|(name, _)| word.starts_with(name))
                .map(|(_, month)| *month)
        })?;
    let date = jiff::civil::Date::new(year, month, i8::try_from(number("d")?).ok()?).ok()?;
    let since = date.since(jiff::civil::date(1970, 1, 1)).ok()?;
    Some(i64::from(since.get_days()))
}

/// The offset of a zone that is a number or UTC itself. Abbreviations such as `CST` name several zones.
fn offset_millis(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "UTC" | "GMT") {
        return Some(0);
    }
    let sign = match zone.bytes().next()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
    let hours: i64 = digits.get(..2)?.parse().ok()?;
    let minutes: i64 = digits.get(2..4)?.parse().ok()?;
    Some(sign * (hours * 60 + minutes) * 60_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(text: &str) -> (Option<i64>, bool) {
        let (_, moment, _) = find(text).expect("a time");
        (moment.millis, moment.zone_known)
    }

    #[test]
    fn the_layouts_of_the_field_guide() {
        let local = 1_772_600_767_890;
        assert_eq!(
            millis("2026-03-04 05:06:07.890 ERROR"),
            (Some(local), false)
        );
        assert_eq!(
            millis("2026-03-04 05:06:07,890 ERROR"),
            (Some(local), false)
        );
        assert_eq!(
            millis("2026-03-04T05:06:07.890+08:00 x"),
            (Some(local - 8 * 3_600_000), true)
        );
        assert_eq!(
            millis("2026-03-04T05:06:07.890+0800 x"),
            (Some(local - 8 * 3_600_000), true)
        );
        assert_eq!(
            millis("2026-03-04T05:06:07.890123456Z"),
            (Some(local), true)
        );
        assert_eq!(
            millis("[04/03/26 05:06:07:890 CST] main"),
            (Some(local), false)
        );
        assert_eq!(
            millis("[04/03/26 05:06:07:890 UTC] main"),
            (Some(local), true)
        );
        assert_eq!(
            millis("三月 04, 2026 5:06:07 上午 a.B c"),
            (Some(local - 890), false)
        );
        assert_eq!(
            millis("Mar 04, 2026 5:06:07 PM a.B c"),
            (Some(local - 890 + 12 * 3_600_000), false)
        );
        assert_eq!(
            millis("十二月 04, 2026 5:06:07 上午 a"),
            (Some(1_796_360_767_000), false)
        );
        assert_eq!(millis("1772600767890 x"), (Some(local), true));
        assert_eq!(millis("05:06:07.890 [http-1] ERROR"), (None, false));
    }

    #[test]
    fn lines_that_begin_with_a_time() {
        assert!(begins("2026-03-04 05:06:07 x"));
        assert!(begins("[04/03/26 05:06:07:890 CST] main"));
        assert!(begins("05:06:07.890 [http-1]"));
        assert!(!begins(
            "org.apache.dubbo.rpc.RpcException: at 05:06:07.890"
        ));
        assert!(!begins("start time: 2026-03-04 05:06:06.880"));
    }

    #[test]
    fn only_like_can_be_compared() {
        let clock = |text: &str| find(text).and_then(|found| found.2).unwrap();
        assert_eq!(
            clock("05:06:07.890").distance(clock("05:06:09.100")),
            Some(1210)
        );
        assert_eq!(
            clock("05:06:07.890").distance(clock("2026-03-04 05:06:07")),
            None
        );
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "[0-9TZ:+,. /\\-AMPa-z月上午]{0,40}") {
            let _ = find(&text);
            let _ = begins(&text);
        }
    }
}
