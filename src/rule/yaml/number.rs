//! Java's number parsers: what `Integer.valueOf`, `BigInteger` and `Double.valueOf` take for a number.

use std::fmt::Write;

use super::chars;

/// An integer with the class that SnakeYAML gives it. The class counts in Java: an `Integer` never equals a `Long`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Integer {
    /// `java.lang.Integer`
    Int(i32),
    /// `java.lang.Long`
    Long(i64),
    /// `java.math.BigInteger`, in decimal.
    Big(String),
}

impl Integer {
    /// The value where it fits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(i64::from(*value)),
            Self::Long(value) => Some(*value),
            Self::Big(text) => text.parse().ok(),
        }
    }

    /// The simple name of the Java class.
    pub fn java_class(&self) -> &'static str {
        match self {
            Self::Int(_) => "Integer",
            Self::Long(_) => "Long",
            Self::Big(_) => "BigInteger",
        }
    }
}

impl std::fmt::Display for Integer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(value) => value.fmt(out),
            Self::Long(value) => value.fmt(out),
            Self::Big(text) => out.write_str(text),
        }
    }
}

/// Splits a sign off.
fn signed(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// `Integer.parseInt(text, radix)`.
pub(super) fn parse_int(text: &str, radix: u32) -> Option<i32> {
    parse_long(text, radix).and_then(|value| i32::try_from(value).ok())
}

/// `Long.parseLong(text, radix)`.
pub(super) fn parse_long(text: &str, radix: u32) -> Option<i64> {
    let (negative, digits) = signed(text);
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0i64, |value, c| {
        let digit = i64::from(chars::digit(c, radix)?);
        let value = value.checked_mul(i64::from(radix))?;
        if negative {
            value.checked_sub(digit)
        } else {
            value.checked_add(digit)
        }
    })
}

/// Digits above this are only converted when they are decimal already: the work grows with the square.
const LONGEST_CONVERSION: usize = 20_000;

/// Why a text is no `BigInteger`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotBig {
    /// Java refuses it.
    NotANumber,
    /// Java would take it; diag does not convert so many digits.
    TooLong,
}

/// `new BigInteger(text, radix)`, in decimal.
pub(super) fn parse_big(text: &str, radix: u32) -> Result<String, NotBig> {
    let (negative, digits) = signed(text);
    if digits.is_empty() {
        return Err(NotBig::NotANumber);
    }
    let digits: Vec<u32> = digits
        .chars()
        .map(|c| chars::digit(c, radix))
        .collect::<Option<_>>()
        .ok_or(NotBig::NotANumber)?;
    let leading = digits.iter().take_while(|digit| **digit == 0).count();
    let digits = &digits[leading..];
    if digits.is_empty() {
        return Ok("0".to_owned());
    }
    let magnitude = if radix == 10 {
        digits
            .iter()
            .filter_map(|digit| char::from_digit(*digit, 10))
            .collect()
    } else if digits.len() <= LONGEST_CONVERSION {
        to_decimal(digits, radix)
    } else {
        return Err(NotBig::TooLong);
    };
    Ok(if negative {
        format!("-{magnitude}")
    } else {
        magnitude
    })
}

/// Digits of any radix in decimal.
fn to_decimal(digits: &[u32], radix: u32) -> String {
    const LIMB: u64 = 1_000_000_000;
    let mut limbs: Vec<u64> = vec![0];
    for digit in digits {
        let mut carry = u64::from(*digit);
        for limb in &mut limbs {
            let value = *limb * u64::from(radix) + carry;
            *limb = value % LIMB;
            carry = value / LIMB;
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let mut text = limbs.last().map(u64::to_string).unwrap_or_default();
    for limb in limbs.iter().rev().skip(1) {
        // Writing to a String does not fail.
        let _ = write!(text, "{limb:09}");
    }
    text
}

/// `Double.parseDouble(text)`.
pub(super) fn parse_double(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c| c <= ' ');
    let (negative, body) = signed(text);
    let value = match body {
        "NaN" => f64::NAN,
        "Infinity" => f64::INFINITY,
        _ => {
            let body = body.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(body);
            match body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
                // `d` and `f` are digits here, but the exponent that must follow keeps them apart.
                Some(hex) => parse_hex_double(hex)?,
                None => parse_decimal_double(body)?,
            }
        }
    };
    Some(if negative { -value } else { value })
}

/// Digits, a point, an exponent: Rust's own parser after the form was checked.
fn parse_decimal_double(body: &str) -> Option<f64> {
    let (mantissa, exponent) = match body.find(['e', 'E']) {
        Some(at) => (&body[..at], Some(&body[at + 1..])),
        None => (body, None),
    };
    let mut points = 0;
    let mut digits = 0;
    for b in mantissa.bytes() {
        match b {
            b'0'..=b'9' => digits += 1,
            b'.' => points += 1,
            _ => return None,
        }
    }
    if let Some(exponent) = exponent {
        let (_, exponent) = signed(exponent);
        if exponent.is_empty() || !exponent.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
    }
    (digits > 0 && points <= 1)
        .then(|| body.parse().ok())
        .flatten()
}

/// The part behind `0x` of a hexadecimal floating point literal.
fn parse_hex_double(body: &str) -> Option<f64> {
    let (mantissa, exponent) = body.split_once(['p', 'P'])?;
    let (negative, power) = signed(exponent);
    if power.is_empty() || !power.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // More digits than an i64 holds are beyond every exponent anyway.
    let power: i64 = power.parse().unwrap_or(i64::MAX / 4);
    let mut exponent = if negative { -power } else { power };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut significand: u64 = 0;
    for (text, scale) in [(whole, 0i64), (fraction, -4i64)] {
        for c in text.chars() {
            let digit = u64::from(c.to_digit(16)?);
            if significand >> 58 == 0 {
                significand = significand << 4 | digit;
                exponent = exponent.saturating_add(scale);
            } else {
                // Digits that do not fit only decide the rounding.
                significand |= u64::from(digit != 0);
                exponent = exponent.saturating_add(scale + 4);
            }
        }
    }
    Some(round_to_double(significand, exponent))
}

/// The double nearest to `significand * 2^exponent`, the even one of two.
fn round_to_double(significand: u64, exponent: i64) -> f64 {
    if significand == 0 {
        return 0.0;
    }
    let width = 64 - i64::from(significand.leading_zeros());
    let top = exponent.saturating_add(width - 1);
    if top > 1023 {
        return f64::INFINITY;
    }
    let precision = if top >= -1022 { 53 } else { 53 - (-1022 - top) };
    if precision < 0 {
        return 0.0;
    }
    let shift = (width - precision).max(0);
    let mut kept = if shift >= 64 { 0 } else { significand >> shift };
    if shift > 0 {
        let rest = u128::from(significand) & ((1u128 << shift) - 1);
        let half = 1u128 << (shift - 1);
        if rest > half || (rest == half && kept & 1 == 1) {
            kept += 1;
        }
    }
    scale(kept, exponent + shift)
}

/// `value * 2^power`, which must be exact.
fn scale(value: u64, mut power: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "the value has at most 53 bits")]
    let mut result = value as f64;
    while power != 0 {
        let step = power.clamp(-1000, 1000);
        #[expect(clippy::cast_possible_truncation, reason = "clamped")]
        let factor = 2f64.powi(step as i32);
        result *= factor;
        power -= step;
    }
    result
}

/// `Double.toString(double)`: at least one digit after the point, an `E` below 10^-3 and from 10^7 on.
///
/// The digits are the shortest that read back as the same value. JDKs differ among themselves in the last of them, seen
/// from 10^13 on.
pub(in crate::rule) fn double_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if value == 0.0 || (1e-3..1e7).contains(&value.abs()) {
        return format!("{value:?}");
    }
    // Java prints two digits at least, and those nearest to the value: 4.9E-324 though 5E-324 would do.
    let shortest = format!("{value:e}");
    let text = if shortest.contains('.') {
        shortest
    } else {
        format!("{value:.1e}")
    };
    text.replace('e', "E")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_as_java_reads_them() {
        assert_eq!(parse_int("-2147483648", 10), Some(i32::MIN));
        assert_eq!(parse_int("2147483648", 10), None);
        assert_eq!(parse_int("+7", 8), Some(7));
        assert_eq!(parse_int("１２", 10), Some(12));
        assert_eq!(
            (parse_int("", 10), parse_int("-", 10), parse_int("--1", 10)),
            (None, None, None)
        );
        assert_eq!(
            parse_big("ffffffffffffffffffff", 16),
            Ok("1208925819614629174706175".to_owned())
        );
        assert_eq!(parse_big("-0009", 10), Ok("-9".to_owned()));
        assert_eq!(parse_big("-000", 2), Ok("0".to_owned()));
        assert_eq!(parse_big("12a", 10), Err(NotBig::NotANumber));
        assert_eq!(parse_big(&"f".repeat(30_000), 16), Err(NotBig::TooLong));
    }

    #[test]
    fn doubles_as_java_reads_them() {
        for (text, value) in [
            ("1.5", 1.5),
            ("1.", 1.0),
            (".5", 0.5),
            ("1e3", 1000.0),
            ("1d", 1.0),
            (" 2F ", 2.0),
            ("Infinity", f64::INFINITY),
            ("0x1p3", 8.0),
            ("0x.8p0", 0.5),
            ("0x1.8p-1f", 0.75),
            ("0x1p-1074", 5e-324),
            ("0x1p-1075", 0.0),
            ("0x1.8p-1075", 5e-324),
            ("0x1.fffffffffffff8p0", 2.0),
            ("0x1p1024", f64::INFINITY),
            ("1e400", f64::INFINITY),
        ] {
            assert_eq!(parse_double(text), Some(value), "{text}");
        }
        for text in [
            "", ".", "e5", "1e", "1_0", "inf", "nan", "0x1", "1.2.3", "+-1", "0xp1", "1dd",
        ] {
            assert_eq!(parse_double(text), None, "{text}");
        }
    }

    #[test]
    fn doubles_as_java_prints_them() {
        for (value, text) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.001, "0.001"),
            (0.0001, "1.0E-4"),
            (1.25e-7, "1.25E-7"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (1.5e300, "1.5E300"),
            (5e-324, "4.9E-324"),
            (-2e23, "-2.0E23"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(double_text(value), text);
        }
    }
}
