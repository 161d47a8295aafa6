//! The call that is routed: method, parameter types, arguments, attachments.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A value of a call, as far as a router can see it.
#[derive(Debug, Clone, PartialEq)]
pub enum JavaValue {
    /// `null`
    Null,
    /// `Boolean`
    Boolean(bool),
    /// `Integer`, `Long`, `Short` and `Byte`: they print alike.
    Integer(i64),
    /// `Double`; a `Float` prints other digits.
    Double(f64),
    /// `Float`
    Float(f32),
    /// `String`
    Text(String),
    /// `java.util.List`
    List(Vec<JavaValue>),
    /// `java.util.Map`, in the order of its iteration.
    Map(Vec<(JavaValue, JavaValue)>),
    /// Anything whose text is not known to the caller, such as an array: only its class as Java prints it.
    Object(String),
}

impl JavaValue {
    /// `String.valueOf(value)`. Of an [`JavaValue::Object`] the part behind the `@`, an address, is not known.
    pub fn text(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Boolean(value) => value.to_string(),
            Self::Integer(value) => value.to_string(),
            Self::Double(value) => java_double(*value),
            Self::Float(value) => java_float(*value),
            Self::Text(text) => text.clone(),
            Self::List(items) => {
                format!(
                    "[{}]",
                    items.iter().map(Self::text).collect::<Vec<_>>().join(", ")
                )
            }
            Self::Map(entries) => {
                let mut out = String::from("{");
                for (place, (key, value)) in entries.iter().enumerate() {
                    let comma = if place == 0 { "" } else { ", " };
                    let _ = write!(out, "{comma}{}={}", key.text(), value.text());
                }
                out.push('}');
                out
            }
            Self::Object(class) => format!("{class}@?"),
        }
    }

    /// The text of a `String`, `None` of anything else.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// `Double.toString`.
pub fn java_double(value: f64) -> String {
    java_decimal(
        &format!("{value:e}"),
        value.is_nan(),
        value.is_infinite(),
        value.is_sign_negative(),
    )
}

/// `Float.toString`.
pub fn java_float(value: f32) -> String {
    java_decimal(
        &format!("{value:e}"),
        value.is_nan(),
        value.is_infinite(),
        value.is_sign_negative(),
    )
}

/// Java's form of shortest digits: plain from 0.001 to below 10^7, else `d.dddE±n`.
fn java_decimal(scientific: &str, nan: bool, infinite: bool, negative: bool) -> String {
    if nan {
        return "NaN".to_owned();
    }
    if infinite {
        return if negative { "-Infinity" } else { "Infinity" }.to_owned();
    }
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    if digits.bytes().all(|b| b == b'0') {
        return format!("{sign}0.0");
    }
    let count = digits.len();
    match usize::try_from(exponent) {
        Ok(point) if point < 7 => {
            let whole = &digits[..count.min(point + 1)];
            let fraction = digits
                .get(point + 1..)
                .filter(|rest| !rest.is_empty())
                .unwrap_or("0");
            format!(
                "{sign}{whole}{}.{fraction}",
                "0".repeat((point + 1).saturating_sub(count))
            )
        }
        Err(_) if exponent >= -3 => {
            let zeros = "0".repeat(usize::try_from(-exponent - 1).unwrap_or_default());
            format!("{sign}0.{zeros}{digits}")
        }
        _ => {
            let fraction = digits
                .get(1..)
                .filter(|rest| !rest.is_empty())
                .unwrap_or("0");
            format!("{sign}{}.{fraction}E{exponent}", &digits[..1])
        }
    }
}

/// A call as the consumer's invocation carries it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Call {
    /// The method's name as the invocation has it; `$invoke` for generic calls.
    pub method: String,
    /// Class names of the parameters (`Class.getName`), where known.
    pub parameter_types: Vec<String>,
    /// The arguments.
    pub arguments: Vec<JavaValue>,
    /// Attachments; a value may be of any class.
    pub attachments: BTreeMap<String, JavaValue>,
}

impl Call {
    /// `invocation.getAttachment(key)`: only texts.
    pub fn attachment(&self, key: &str) -> Option<&str> {
        self.attachments.get(key).and_then(JavaValue::as_str)
    }

    /// The name in the first argument when the method is one of `generic`, as `RpcUtils.getMethodName` finds it.
    pub fn real_method(&self, generic: &[&str]) -> &str {
        if generic.contains(&self.method.as_str())
            && let Some(JavaValue::Text(name)) = self.arguments.first()
        {
            return name;
        }
        &self.method
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_java_prints_them() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (1.5, "1.5"),
            (100.0, "100.0"),
            (1_234_567.0, "1234567.0"),
            (12_345_678.0, "1.2345678E7"),
            (1e7, "1.0E7"),
            (0.001, "0.001"),
            (0.000_1, "1.0E-4"),
            (-2.5e-10, "-2.5E-10"),
            (3.1, "3.1"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(java_double(value), text);
        }
        assert_eq!(java_float(0.1), "0.1");
        assert_eq!(JavaValue::Integer(4_000_000_000).text(), "4000000000");
    }

    #[test]
    fn collections_as_java_prints_them() {
        let list = JavaValue::List(vec![JavaValue::Text("a".into()), JavaValue::Null]);
        let map = JavaValue::Map(vec![(JavaValue::Text("id".into()), list)]);
        assert_eq!(map.text(), "{id=[a, null]}");
    }

    #[test]
    fn generic_calls() {
        let call = Call {
            method: "$invoke".into(),
            arguments: vec![JavaValue::Text("getOrder".into())],
            ..Call::default()
        };
        assert_eq!(call.real_method(&["$invoke", "$invokeAsync"]), "getOrder");
        assert_eq!(call.real_method(&[]), "$invoke");
    }
}
