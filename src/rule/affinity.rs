//! Affinity rules. No version up to 3.3.6 registers their routers: the classes lie in the jar (3.3.1 and later) and are
//! never made, so that a rule is never read. What the classes would make of it is read here, for who registers them.
//!
//! Mirrors `AffinityRuleParser` and `AffinityRouterRule`.

use super::error::RuleError;
use super::header::{Header, root};
use super::release::snake_yaml;
use super::yaml::{Position, Value, load};
use crate::model::version::DubboVersion;

/// A document under an `.affinity-router` key.
#[derive(Debug, Clone, PartialEq)]
pub struct AffinityRule {
    /// The fields around it. Not valid without a key, without `configVersion: v3.1`, or with a ratio out of range.
    pub header: Header,
    /// The parameter whose value consumer and provider must share.
    pub key: Option<String>,
    /// The share of providers, in per cent, that must fit for the rule to count.
    pub ratio: f64,
    /// Where `affinityAware` begins.
    pub at: Position,
}

/// Reads a document as the class of that version would.
pub fn parse(text: &str, version: &DubboVersion) -> Result<AffinityRule, RuleError> {
    let document = load(text, snake_yaml(version))?;
    let root = root(document.root())?;
    let mut header = Header::from_map(root, version)?;
    let aware = root.get("affinityAware").filter(|value| !value.is_null());
    let Some(aware) = aware else {
        return Err(RuleError::null(
            "`affinityAware` is missing",
            Some(root.start()),
        ));
    };
    let Value::Map(_) = aware.value() else {
        return Err(RuleError::cast("`affinityAware` is no map", aware.start()));
    };
    let key = match aware.get("key").filter(|value| !value.is_null()) {
        None => None,
        Some(key) => Some(
            key.as_text()
                .ok_or_else(|| {
                    RuleError::cast("`key` must be a text: put it in quotes", key.start())
                })?
                .to_owned(),
        ),
    };
    let ratio = match aware.get("ratio") {
        None => 0.0,
        Some(value) => {
            let text = value.java_text().unwrap_or_default();
            java_float(&text).ok_or_else(|| {
                RuleError::new(
                    "java.lang.NumberFormatException",
                    format!("`ratio` is no number: {text}"),
                    Some(value.start()),
                )
            })?
        }
    };
    let named = key.as_deref().is_some_and(|key| !key.is_empty());
    if named && header.config_version.is_none() {
        return Err(RuleError::null(
            "`configVersion` is missing",
            Some(root.start()),
        ));
    }
    let right_version = header
        .config_version
        .as_deref()
        .is_some_and(|version| version.starts_with("v3.1"));
    // What is no number is neither below nor above.
    let in_range = ratio.is_nan() || (0.0..=100.0).contains(&ratio);
    header.valid &= named && right_version && in_range;
    Ok(AffinityRule {
        header,
        key,
        ratio,
        at: aware.start(),
    })
}

/// `Double.valueOf` and `Float.valueOf`.
pub(crate) fn java_float(text: &str) -> Option<f64> {
    let trimmed = text.trim_matches(|c: char| c <= ' ');
    let unsigned = trimmed.trim_start_matches(['+', '-']);
    match unsigned {
        "NaN" => return Some(f64::NAN),
        "Infinity" => {
            return Some(if trimmed.starts_with('-') {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            });
        }
        _ => {}
    }
    let digits = trimmed
        .strip_suffix(['f', 'F', 'd', 'D'])
        .unwrap_or(trimmed);
    if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
        return hexadecimal(digits);
    }
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'E');
    digits
        .chars()
        .all(plain)
        .then(|| digits.parse().ok())
        .flatten()
}

/// `0x1.8p3`: an exponent must be there. Of more than 13 digits the rest is cut.
fn hexadecimal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let number = unsigned.get(2..)?;
    let (mantissa, exponent) = number.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    let exponent: i32 = exponent.parse().ok()?;
    let value = digits.chars().take(13).fold(0.0_f64, |value, digit| {
        value * 16.0 + f64::from(digit.to_digit(16).unwrap_or_default())
    });
    let taken = i32::try_from(digits.len().min(13)).ok()?;
    let places = i32::try_from(whole.len()).ok()?.saturating_sub(taken);
    let value = value * 2.0_f64.powi(exponent.saturating_add(places.saturating_mul(4)));
    Some(if text.starts_with('-') { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::version::Line;

    fn read(text: &str) -> Result<AffinityRule, RuleError> {
        parse(text, &DubboVersion::newest(Line::V3_3))
    }

    #[test]
    fn rules() {
        let rule = read("configVersion: v3.1\naffinityAware: {key: region, ratio: 20}").unwrap();
        assert!(rule.header.valid);
        assert_eq!((rule.key.as_deref(), rule.ratio), (Some("region"), 20.0));
        for invalid in [
            "configVersion: v3.0\naffinityAware: {key: a}",
            "configVersion: v3.1\naffinityAware: {key: a, ratio: 101}",
            "configVersion: v3.1\naffinityAware: {ratio: 1}",
        ] {
            assert!(!read(invalid).unwrap().header.valid, "{invalid}");
        }
        for refused in [
            "configVersion: v3.1",
            "affinityAware: {key: a}",
            "configVersion: v3.1\naffinityAware: {key: 1}",
            "configVersion: v3.1\naffinityAware: {key: a, ratio: x}",
        ] {
            assert!(read(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn numbers_of_java() {
        for (text, number) in [
            (" 1.5 ", Some(1.5)),
            ("1e2d", Some(100.0)),
            ("inf", None),
            ("0x1p3", Some(8.0)),
            ("-0x1.8P1f", Some(-3.0)),
            ("0x1", None),
            ("", None),
        ] {
            assert_eq!(java_float(text), number, "{text}");
        }
    }
}
