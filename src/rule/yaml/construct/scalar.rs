//! The values of scalars.

use super::{Constructor, binary, timestamp};
use crate::rule::yaml::error::{ExceptionClass, YamlError};
use crate::rule::yaml::graph::{Kind, NodeId};
use crate::rule::yaml::number::{self, Integer, NotBig};
use crate::rule::yaml::tag::Tag;
use crate::rule::yaml::value::Content;

impl Constructor {
    /// The value of a scalar node by its tag.
    pub(super) fn scalar(&mut self, node: NodeId) -> Result<Content, YamlError> {
        let tag = self.graph.node(node).tag.clone();
        if tag == Tag::Str {
            return Ok(match &mut self.graph.node_mut(node).kind {
                Kind::Scalar { text, .. } => Content::Text(std::mem::take(text)),
                _ => Content::Null,
            });
        }
        let text = match &self.graph.node(node).kind {
            Kind::Scalar { text, .. } => text.as_str(),
            _ => "",
        };
        match tag {
            Tag::Null => Ok(Content::Null),
            Tag::Bool => Ok(boolean(text)),
            Tag::Int => self.number(node, "an int", integer),
            Tag::Float => self.number(node, "a float", Self::float),
            Tag::Binary => binary::decode(text, self.version)
                .map(Content::Binary)
                .map_err(|problem| self.placeless(ExceptionClass::IllegalArgument, problem, node)),
            Tag::Timestamp => timestamp::parse(text)
                .map(Content::Timestamp)
                .ok_or_else(|| {
                    self.placeless(
                        ExceptionClass::Yaml,
                        format!("Unexpected timestamp: {text}"),
                        node,
                    )
                }),
            Tag::Omap | Tag::Pairs | Tag::Merge | Tag::Yaml | Tag::Other(_) => {
                Err(self.wrong_kind(node))
            }
            Tag::Set | Tag::Seq | Tag::Map | Tag::Str => Err(self.wrong_class(node)),
        }
    }

    /// The text without `_`, then `read`.
    fn number(
        &self,
        node: NodeId,
        what: &str,
        read: impl FnOnce(&Self, NodeId, &str) -> Result<Content, YamlError>,
    ) -> Result<Content, YamlError> {
        let text = match &self.graph.node(node).kind {
            Kind::Scalar { text, .. } => text.replace('_', ""),
            _ => String::new(),
        };
        if !text.is_empty() {
            return read(self, node, &text);
        }
        if self.version.reports_empty_number() {
            let context = format!("while constructing {what}");
            return Err(self.error_within(&context, node, "found empty value", node));
        }
        Err(self.placeless(
            ExceptionClass::StringIndexOutOfBounds,
            format!("{what} needs a digit"),
            node,
        ))
    }

    fn not_a_number(&self, node: NodeId, text: &str) -> YamlError {
        self.placeless(
            ExceptionClass::NumberFormat,
            format!("not a number: \"{text}\""),
            node,
        )
    }

    fn float(&self, node: NodeId, text: &str) -> Result<Content, YamlError> {
        let (sign, body) = match text.as_bytes().first() {
            Some(b'-') => (-1.0, &text[1..]),
            Some(b'+') => (1.0, &text[1..]),
            _ => (1.0, text),
        };
        let value = match body.to_lowercase().as_str() {
            ".inf" => f64::INFINITY,
            ".nan" => f64::NAN,
            _ if body.contains(':') => {
                let mut base = 1i32;
                let mut value = 0.0;
                for digits in java_split(body).into_iter().rev() {
                    let digits = number::parse_double(digits)
                        .ok_or_else(|| self.not_a_number(node, text))?;
                    value += digits * f64::from(base);
                    base = base.wrapping_mul(60);
                }
                value
            }
            _ => number::parse_double(body).ok_or_else(|| self.not_a_number(node, text))?,
        };
        Ok(Content::Float(sign * value))
    }

    /// `createNumber`.
    fn create_number(
        &self,
        node: NodeId,
        negative: bool,
        digits: &str,
        radix: u32,
    ) -> Result<Content, YamlError> {
        let text = if negative {
            format!("-{digits}")
        } else {
            digits.to_owned()
        };
        let (int_length, long_length) = match radix {
            2 => (31, 63),
            8 => (11, 21),
            16 => (8, 16),
            _ => (10, 19),
        };
        let length = if self.version.number_class_by_length() {
            digits.encode_utf16().count()
        } else {
            0
        };
        if length <= int_length
            && let Some(value) = number::parse_int(&text, radix)
        {
            return Ok(Content::Int(Integer::Int(value)));
        }
        if length <= long_length
            && let Some(value) = number::parse_long(&text, radix)
        {
            return Ok(Content::Int(Integer::Long(value)));
        }
        match number::parse_big(&text, radix) {
            Ok(value) => Ok(Content::Int(Integer::Big(value))),
            Err(NotBig::NotANumber) => Err(self.not_a_number(node, &text)),
            Err(NotBig::TooLong) => {
                let problem = format!("a number of {} digits is not converted", digits.len());
                Err(self.placeless(ExceptionClass::OutOfMemory, problem, node))
            }
        }
    }
}

/// `ConstructYamlInt`: base by prefix, base 60 with 32-bit arithmetic that wraps.
fn integer(it: &Constructor, node: NodeId, text: &str) -> Result<Content, YamlError> {
    let (negative, body) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if body == "0" {
        return Ok(Content::Int(Integer::Int(0)));
    }
    if let Some(digits) = body.strip_prefix("0b") {
        return it.create_number(node, negative, digits, 2);
    }
    if let Some(digits) = body.strip_prefix("0x") {
        return it.create_number(node, negative, digits, 16);
    }
    if let Some(digits) = body.strip_prefix('0') {
        return it.create_number(node, negative, digits, 8);
    }
    if !body.contains(':') {
        return it.create_number(node, negative, body, 10);
    }
    let mut base = 1i32;
    let mut value = 0i32;
    for digits in java_split(body).into_iter().rev() {
        let digits = number::parse_long(digits, 10).ok_or_else(|| it.not_a_number(node, text))?;
        let sum = i64::from(value).wrapping_add(digits.wrapping_mul(i64::from(base)));
        value = low_half(sum);
        base = base.wrapping_mul(60);
    }
    it.create_number(node, negative, &value.to_string(), 10)
}

/// Java's cast from `long` to `int`.
fn low_half(value: i64) -> i32 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

/// `String.split(":")`: empty pieces at the end do not count.
fn java_split(text: &str) -> Vec<&str> {
    let mut pieces: Vec<&str> = text.split(':').collect();
    while pieces.last().is_some_and(|piece| piece.is_empty()) {
        pieces.pop();
    }
    pieces
}

/// `ConstructYamlBool`: letter case does not count; any other text, which only `!!bool` brings here, is null.
fn boolean(text: &str) -> Content {
    match text.to_lowercase().as_str() {
        "yes" | "true" | "on" => Content::Bool(true),
        "no" | "false" | "off" => Content::Bool(false),
        _ => Content::Null,
    }
}
