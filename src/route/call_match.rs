//! Whether a call is one that a mesh rule is about.
//!
//! Mirrors `DubboMatchRequest`, `DubboMethodMatch`, `DubboMethodArg` and the number matches. Parts that are missing or of
//! the wrong shape are exceptions, which end the chain.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::Thrown;
use super::call::{Call, JavaValue};
use crate::rule::java_regex::RegexError;
use crate::rule::mesh::{ArgumentMatch, CallMatch, MethodMatch, NumberMatch, ValueMatch};
use crate::rule::string_match::StringMatch;

/// A part that Java finds `null` where it needs one.
pub(super) fn present<T>(part: Option<&T>) -> Result<&T, Thrown> {
    part.ok_or_else(|| {
        Thrown::new(
            "java.lang.NullPointerException",
            "a part of the mesh rule is missing",
        )
    })
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Halt {
    /// Java throws.
    Thrown(Thrown),
    /// Java would answer, this program cannot.
    NotRunnable(String),
}

impl From<Thrown> for Halt {
    fn from(thrown: Thrown) -> Self {
        Self::Thrown(thrown)
    }
}

impl From<RegexError> for Halt {
    fn from(error: RegexError) -> Self {
        match error {
            RegexError::Syntax(_) => Self::Thrown(Thrown::new(
                "java.util.regex.PatternSyntaxException",
                error.to_string(),
            )),
            RegexError::Unsupported(text) => Self::NotRunnable(text),
        }
    }
}

/// `DubboMatchRequest.isMatch`.
pub(super) fn fits_request(
    request: &CallMatch,
    call: &Call,
    source_labels: &BTreeMap<String, String>,
    generic: &[&str],
) -> Result<bool, Halt> {
    if let Some(method) = &request.method
        && !fits_method(method, call, generic)?
    {
        return Ok(false);
    }
    for (key, value) in &request.source_labels {
        let wanted = present(value.as_ref())?;
        if key.as_deref().and_then(|key| source_labels.get(key)) != Some(wanted) {
            return Ok(false);
        }
    }
    for (key, value) in &request.attachments {
        let attachment = key.as_deref().and_then(|key| call.attachment(key));
        if !present(value.as_ref())?.is_match(attachment)? {
            return Ok(false);
        }
    }
    Ok(!request.needs_tracing)
}

/// `DubboMethodMatch.isMatch`.
fn fits_method(method: &MethodMatch, call: &Call, generic: &[&str]) -> Result<bool, Halt> {
    if let Some(name) = &method.name
        && !name.is_match(Some(call.real_method(generic)))?
    {
        return Ok(false);
    }
    let arguments = &call.arguments;
    if let Some(count) = method.count
        && usize::try_from(count) != Ok(arguments.len())
    {
        return Ok(false);
    }
    if !method.types.is_empty() {
        if method.types.len() != call.parameter_types.len() {
            return Ok(false);
        }
        for (wanted, class) in method.types.iter().zip(&call.parameter_types) {
            let wanted: &StringMatch = present(wanted.as_ref())?;
            let (name, simple) = class_names(class);
            if !wanted.is_match(Some(&name))? && !wanted.is_match(Some(&simple))? {
                return Ok(false);
            }
        }
    }
    if !method.arguments.is_empty() {
        if arguments.is_empty() {
            return Ok(false);
        }
        for wanted in &method.arguments {
            let wanted = present(wanted.as_ref())?;
            let argument = usize::try_from(wanted.index)
                .ok()
                .and_then(|index| arguments.get(index));
            let Some(argument) = argument else {
                return Err(Halt::Thrown(Thrown::new(
                    if wanted.index < 0 {
                        "java.lang.ArrayIndexOutOfBoundsException"
                    } else {
                        "java.lang.IndexOutOfBoundsException"
                    },
                    "DubboMethodArg index >= parameters.length",
                )));
            };
            if !fits_argument(wanted, argument)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// `DubboMethodArg.isMatch`.
fn fits_argument(wanted: &ArgumentMatch, argument: &JavaValue) -> Result<bool, Halt> {
    match &wanted.value {
        None => Ok(false),
        Some(ValueMatch::Text(texts)) => {
            let JavaValue::Text(value) = argument else {
                return Ok(false);
            };
            for text in present(texts.as_ref())? {
                if present(text.as_ref())?.is_match(Some(value))? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Some(ValueMatch::Number(numbers)) => {
            if *argument == JavaValue::Null {
                return Ok(present::<JavaValue>(None).map(|_| false)?);
            }
            let text = argument.text();
            let Some(value) = java_double(&text) else {
                return Err(Halt::Thrown(Thrown::new(
                    "java.lang.NumberFormatException",
                    format!("For input string: \"{text}\""),
                )));
            };
            for number in present(numbers.as_ref())? {
                if fits_number(present(number.as_ref())?, value) {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Some(ValueMatch::Flag(exact)) => Ok(matches!(
            (argument, exact),
            (JavaValue::Boolean(value), Some(wanted)) if value == wanted
        )),
    }
}

/// `DoubleMatch.isMatch`; numbers are compared as `Double.equals` and `compareTo` do (-0.0 is below 0.0).
fn fits_number(wanted: &NumberMatch, value: f64) -> bool {
    match (wanted.exact, wanted.modulus, wanted.range) {
        (Some(exact), None, _) => java_compare(value, exact).is_eq(),
        (_, _, Some((from, to))) => {
            (from.is_some() || to.is_some())
                && from.is_none_or(|from| java_compare(value, from).is_ge())
                && to.is_none_or(|to| java_compare(value, to).is_lt())
        }
        (Some(exact), Some(modulus), None) => java_compare(value % modulus, exact).is_eq(),
        (None, _, None) => false,
    }
}

/// `Double.compare`: all NaN are equal and above everything.
fn java_compare(a: f64, b: f64) -> Ordering {
    let canonical = |value: f64| {
        if value.is_nan() {
            f64::NAN.abs()
        } else {
            value
        }
    };
    canonical(a).total_cmp(&canonical(b))
}

/// `Double.valueOf(text)`, without hexadecimal numbers.
fn java_double(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c| c <= ' ');
    let (sign, body) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    match body {
        "NaN" => return Some(f64::NAN),
        "Infinity" => return Some(sign * f64::INFINITY),
        _ => {}
    }
    let body = body.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(body);
    let plain = body
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    let starts = body.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if !plain || !starts {
        return None;
    }
    body.parse::<f64>().ok().map(|value| sign * value)
}

/// `Class.getName` and `getSimpleName` of a type as sources write it, or already as `getName` does.
fn class_names(class: &str) -> (String, String) {
    let mut element = class;
    let mut dimensions = 0;
    while let Some(inner) = element.strip_suffix("[]") {
        element = inner;
        dimensions += 1;
    }
    let simple_element = element.rsplit(['.', '$']).next().unwrap_or(element);
    let simple = format!("{simple_element}{}", "[]".repeat(dimensions));
    if dimensions == 0 {
        return (element.to_owned(), simple);
    }
    let code = match element {
        "boolean" => "Z".to_owned(),
        "byte" => "B".to_owned(),
        "char" => "C".to_owned(),
        "short" => "S".to_owned(),
        "int" => "I".to_owned(),
        "long" => "J".to_owned(),
        "float" => "F".to_owned(),
        "double" => "D".to_owned(),
        other => format!("L{other};"),
    };
    (format!("{}{code}", "[".repeat(dimensions)), simple)
}
