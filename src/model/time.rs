//! Times, sizes and rates as people write them. What is no such thing is refused with what was expected.

use std::fmt;

/// A span of time in microseconds; never negative. `Display` writes milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Micros(pub u64);

/// Longest span that is taken for meant: a day. No call waits that long.
const LONGEST: u64 = 24 * 3_600_000_000;

impl Micros {
    /// From whole milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1000))
    }

    /// In milliseconds.
    #[expect(clippy::cast_precision_loss, reason = "for display and JSON only")]
    pub fn millis(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// Sum, at most the largest number.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// So many times.
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// The longest span that is taken for meant.
    pub const LONGEST: Self = Self(LONGEST);

    /// Reads `450ms`, `1.5s`, `200us`, `2m`, `1h`; a bare number has no unit and is refused. What is finer than a
    /// microsecond is rounded up: a time is never shorter than it was written.
    ///
    /// # Errors
    /// What was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected =
            || format!("`{text}`: expected a time with a unit, such as 450ms, 1.5s, 200us");
        let (number, unit) = split(text.trim());
        let scale: u64 = match unit {
            "ns" => return Self::parse_nanos(number, text),
            "us" | "µs" | "μs" => 1,
            "ms" => 1000,
            "s" | "sec" => 1_000_000,
            "m" | "min" => 60_000_000,
            "h" => 3_600_000_000,
            _ => return Err(expected()),
        };
        let value = scaled_up(number, scale).ok_or_else(expected)?;
        if value > LONGEST {
            return Err(format!("`{text}` is longer than a day"));
        }
        Ok(Self(value))
    }

    fn parse_nanos(number: &str, text: &str) -> Result<Self, String> {
        let nanos =
            scaled(number, 1).ok_or_else(|| format!("`{text}`: expected whole nanoseconds"))?;
        if nanos.div_ceil(1000) > LONGEST {
            return Err(format!("`{text}` is longer than a day"));
        }
        Ok(Self(nanos.div_ceil(1000)))
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1000, self.0 % 1000);
        if rest == 0 {
            write!(f, "{whole}")
        } else {
            let fraction = format!("{rest:03}");
            write!(f, "{whole}.{}", fraction.trim_end_matches('0'))
        }
    }
}

/// Reads a size in bytes: `2KB` (1000), `4MiB` (1024 x 1024), `512B`, `512`.
///
/// # Errors
/// What was expected.
pub fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text.trim());
    let scale: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1000,
        "kib" => 1 << 10,
        "m" | "mb" => 1_000_000,
        "mib" => 1 << 20,
        "g" | "gb" => 1_000_000_000,
        "gib" => 1 << 30,
        _ => return Err(format!("`{text}`: expected a size, such as 2KB, 4MB, 512B")),
    };
    scaled(number, scale)
        .ok_or_else(|| format!("`{text}`: expected a size, such as 2KB, 4MB, 512B"))
}

/// Reads a rate in bits a second: `100Mbit`, `1Gbit`, `10MB` (bytes a second).
///
/// # Errors
/// What was expected.
pub fn rate(text: &str) -> Result<u64, String> {
    let expected = || format!("`{text}`: expected a rate, such as 100Mbit or 1Gbit a second");
    let (number, unit) = split(text.trim());
    let unit = unit
        .trim_end_matches("/s")
        .trim_end_matches("ps")
        .to_owned();
    let scale: u64 = match unit.as_str() {
        "bit" | "b" => 1,
        "kbit" | "Kbit" | "Kb" | "kb" => 1000,
        "Mbit" | "mbit" | "Mb" => 1_000_000,
        "Gbit" | "gbit" | "Gb" => 1_000_000_000,
        "KB" | "kB" => 8000,
        "MB" => 8_000_000,
        "GB" => 8_000_000_000,
        _ => return Err(expected()),
    };
    match scaled(number, scale) {
        None | Some(0) => Err(expected()),
        Some(bits) => Ok(bits),
    }
}

/// The time that so many bytes take at so many bits a second, rounded up.
pub fn transfer(bytes: u64, bits_per_second: u64) -> Micros {
    let micros = (u128::from(bytes) * 8_000_000).div_ceil(u128::from(bits_per_second.max(1)));
    Micros(u64::try_from(micros).unwrap_or(u64::MAX))
}

/// Number and unit; blanks between them are allowed.
fn split(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

/// A decimal number times a scale, cut to whole units: exact, no float. `None` = no number, or too large.
fn scaled(number: &str, scale: u64) -> Option<u64> {
    units(number, scale).map(|(whole, _)| whole)
}

/// The same, rounded up to whole units.
fn scaled_up(number: &str, scale: u64) -> Option<u64> {
    let (whole, is_more) = units(number, scale)?;
    whole.checked_add(u64::from(is_more))
}

/// Whole units of a decimal number times a scale, and whether it is more than that.
fn units(number: &str, scale: u64) -> Option<(u64, bool)> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || (number.contains('.') && fraction.is_empty()) || fraction.contains('.') {
        return None;
    }
    let (digits, finer) = fraction.split_at(fraction.len().min(9));
    let mut value = u128::from(whole.parse::<u64>().ok()?) * u128::from(scale);
    let mut is_more = finer.bytes().any(|digit| digit != b'0');
    if !digits.is_empty() {
        let part = u128::from(digits.parse::<u64>().ok()?) * u128::from(scale);
        let unit = 10_u128.pow(u32::try_from(digits.len()).ok()?);
        value += part / unit;
        is_more |= part % unit > 0;
    }
    Some((u64::try_from(value).ok()?, is_more))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_are_exact() {
        for (text, micros, shown) in [
            ("450ms", 450_000, "450"),
            ("682.5ms", 682_500, "682.5"),
            ("1.5s", 1_500_000, "1500"),
            ("200us", 200, "0.2"),
            ("0.1 ms", 100, "0.1"),
            ("2m", 120_000_000, "120000"),
            ("1500ns", 2, "0.002"),
            ("1.0521ms", 1053, "1.053"),
            ("1.0520000000001ms", 1053, "1.053"),
            ("24h", 86_400_000_000, "86400000"),
        ] {
            let time = Micros::parse(text).unwrap();
            assert_eq!(
                (time.0, time.to_string().as_str()),
                (micros, shown),
                "{text}"
            );
        }
    }

    #[test]
    fn nonsense_is_no_time() {
        for text in [
            "",
            "450",
            "-1ms",
            "inf",
            "NaN",
            "450 parsecs",
            "1e3ms",
            "1.ms",
            ".5ms",
            "1..2s",
            "ms",
            "99999999999999999999ms",
            "101000h",
            "400h",
            "24.1h",
            "86400000000001ns",
            "１ms",
        ] {
            assert!(Micros::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_and_rates() {
        assert_eq!(size("2KB"), Ok(2000));
        assert_eq!(size("4MiB"), Ok(4 << 20));
        assert_eq!(rate("100Mbit"), Ok(100_000_000));
        assert_eq!(rate("1Gbit/s"), Ok(1_000_000_000));
        assert_eq!(transfer(2000, 100_000_000), Micros(160));
        assert!(size("2 parsecs").is_err() && rate("0Mbit").is_err() && rate("5").is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,20}") {
            let _ = (Micros::parse(&text), size(&text), rate(&text));
        }

        #[test]
        fn whole_milliseconds_come_back(millis in 0_u64..1_000_000) {
            let time = Micros::parse(&format!("{millis}ms")).unwrap();
            prop_assert_eq!(time.to_string(), millis.to_string());
        }
    }
}
