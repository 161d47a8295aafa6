//! The zone of a text's clock, where the text itself tells it: beside the printed local time stands the same moment as a
//! number.

use super::moment;

/// Zones lie quarters of an hour apart.
const QUARTER_MS: i64 = 15 * 60_000;

/// The lines are printed right after the moment that they tell, by clocks that round.
const ROUNDING_MS: i64 = 2_000;

/// UTC-12 to UTC+14.
const ZONES_MS: std::ops::RangeInclusive<i64> = -12 * 3_600_000..=14 * 3_600_000;

/// How far the printed clock is ahead of UTC, ms, as one line shows it: a consumer prints the URL of its reference, which
/// has the moment of its creation (`timestamp`), when it registers and subscribes. A line printed later gives too much, so
/// the least of a text is the one.
pub(super) fn ahead_of_utc(line: &str) -> Option<i64> {
    let url = &line[line.find("consumer://")?..];
    let url = url.split([' ', '\t', '"', ']']).next()?;
    let created = url.split(['?', '&']).find_map(|part| {
        let digits = part.strip_prefix("timestamp=")?.trim_end_matches(',');
        (digits.len() == 13).then(|| digits.parse::<i64>().ok())?
    })?;
    let head = line.char_indices().nth(64).map_or(line.len(), |(at, _)| at);
    let (_, printed, _) = moment::find(&line[..head])?;
    let printed_ms = printed.millis.filter(|_| !printed.zone_known)?;
    let ahead = printed_ms.saturating_sub(created);
    let zone = ahead.saturating_add(ROUNDING_MS).div_euclid(QUARTER_MS) * QUARTER_MS;
    ZONES_MS.contains(&zone).then_some(zone)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_consumers_url_tells_the_zone() {
        let line = |time: &str| {
            format!(
                "{time} INFO  [main] ZookeeperRegistry -  [DUBBO] Subscribe: \
                 consumer://127.20.0.1/a.B?application=web&category=providers,routers&timestamp=1772600767345, dubbo version: 2.7.23"
            )
        };
        for (time, zone) in [
            ("2026-03-04 05:06:07.890", Some(0)),
            ("2026-03-04 13:06:08.001", Some(8 * 3_600_000)),
            ("2026-03-04 10:36:08.001", Some(5 * 3_600_000 + 1_800_000)),
            ("2026-03-04 00:06:07.890", Some(-5 * 3_600_000)),
            ("2026-03-06 00:06:07.890", None),
            ("2026-03-04T05:06:07.890Z", None),
            ("main", None),
        ] {
            assert_eq!(ahead_of_utc(&line(time)), zone, "{time}");
        }
        assert_eq!(
            ahead_of_utc(
                "2026-03-04 05:06:07.890 Notify dubbo://1.1.1.1:2/a.B?timestamp=1772600767345"
            ),
            None
        );
    }

    proptest! {
        #[test]
        fn takes_any_line(line in "[-0-9 :.]{0,24}(consumer://)?[a-z?&=0-9\\PC]{0,40}") {
            let _ = ahead_of_utc(&line);
        }
    }
}
