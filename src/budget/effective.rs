//! The timeout of one try and the number of tries, as Dubbo of that version computes them.
//!
//! Mirrors `DubboInvoker.calculateTimeout` (up to 3.0), `RpcUtils.calculateTimeout` (3.1 on) and
//! `FailoverClusterInvoker.calculateInvokeTimes`, wrong values included.

use super::layers::{Layers, Set, own_value};
use crate::model::{
    url::{Url, parse_int, parse_long},
    version::DubboVersion,
};

/// What a call without any setting waits (`DEFAULT_TIMEOUT`), milliseconds.
pub const DEFAULT_TIMEOUT: i64 = 1000;
/// The same of Triple's invoker.
pub const DEFAULT_TIMEOUT_TRIPLE: i64 = 3000;
/// Retries of a call without any setting.
pub const DEFAULT_RETRIES: i32 = 2;

/// A value in the context or the attachments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attached {
    /// A number of Java.
    Number(i64),
    /// A text.
    Text(String),
}

/// What the call brings with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    /// The method.
    pub method: String,
    /// `timeout` in the context (3.x: the client attachment).
    pub context_timeout: Option<Attached>,
    /// `retries` in the context.
    pub context_retries: Option<Attached>,
    /// `timeout` in the attachments of the invocation.
    pub attached_timeout: Option<Attached>,
    /// A countdown runs in this thread and leaves that many milliseconds.
    pub countdown_left: Option<i64>,
}

/// What decides the timeout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The countdown of the call that this one is part of; it replaces every configured value.
    Countdown,
    /// The context of the call.
    Context,
    /// The attachment of the invocation, as text.
    Attachment(String),
    /// The attachment of the invocation is a text that is no number: the default (3.x), or 0.
    AttachmentNotANumber(String),
    /// A parameter.
    Parameter(Set),
    /// Nothing is set.
    Default,
    /// A parameter that is zero or less counts as nothing: the default, not the next level.
    NotPositive(Set),
}

/// The timeout of one try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Timeout {
    /// Milliseconds; zero and less end the call at once.
    Millis(i32, Source),
    /// The parameter is no number: every call throws `NumberFormatException`.
    NotANumber(Set),
}

/// What is in force for one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    /// The timeout.
    pub timeout: Timeout,
    /// What the provider is told as `_TO`, milliseconds.
    pub passed_on: Option<i32>,
    /// Every parameter that sets a timeout, the one that comes first at the top.
    pub set: Vec<Set>,
}

/// The timeout in force. `default` is that of the protocol, milliseconds.
pub fn timeout(
    layers: &Layers<'_>,
    call: &Call,
    version: &DubboVersion,
    default: i64,
) -> Effective {
    let set = layers.all(&call.method, "timeout");
    let timeout = match call.countdown_left {
        Some(left) if version.at_least([2, 7, 7]) => Timeout::Millis(int(left), Source::Countdown),
        _ => configured(
            layers.in_force(&call.method, "timeout"),
            call,
            version,
            default,
        ),
    };
    let passes = match &timeout {
        Timeout::Millis(_, Source::Countdown) => true,
        Timeout::Millis(..) => counts_down(layers, &call.method, version),
        Timeout::NotANumber(_) => false,
    };
    let passed_on = match &timeout {
        Timeout::Millis(millis, _) if passes => Some(*millis),
        _ => None,
    };
    Effective {
        timeout,
        passed_on,
        set,
    }
}

/// Whether this call starts a countdown at the provider (`enable-timeout-countdown`); of a method from 3.1 on.
pub fn counts_down(layers: &Layers<'_>, method: &str, version: &DubboVersion) -> bool {
    const KEY: &str = "enable-timeout-countdown";
    if !version.at_least([2, 7, 7]) {
        false
    } else if version.at_least([3, 1]) {
        layers.flag(method, KEY)
    } else {
        layers.flag("", KEY)
    }
}

fn configured(set: Option<Set>, call: &Call, version: &DubboVersion, default: i64) -> Timeout {
    // read from 2.7.7 on
    let context = call
        .context_timeout
        .as_ref()
        .filter(|_| version.at_least([2, 7, 7]));
    if let Some(value) = context {
        return Timeout::Millis(int(attached(value, version, default)), Source::Context);
    }
    let attachment = call
        .attached_timeout
        .as_ref()
        .filter(|_| version.at_least([3, 1, 4]));
    if let Some(value) = attachment {
        let source = match value {
            Attached::Number(number) => Source::Attachment(number.to_string()),
            Attached::Text(text) if parse_long(text).is_none() => {
                Source::AttachmentNotANumber(text.clone())
            }
            Attached::Text(text) => Source::Attachment(text.clone()),
        };
        return Timeout::Millis(int(attached(value, version, default)), source);
    }
    let Some(set) = set else {
        return Timeout::Millis(int(default), Source::Default);
    };
    match parse_long(&set.value) {
        None => Timeout::NotANumber(set),
        Some(value) if value <= 0 => Timeout::Millis(int(default), Source::NotPositive(set)),
        Some(value) => Timeout::Millis(int(value), Source::Parameter(set)),
    }
}

/// `convertToNumber`: a text that is no number is 0 in 2.7, the default later.
fn attached(value: &Attached, version: &DubboVersion, default: i64) -> i64 {
    match value {
        Attached::Number(number) => *number,
        Attached::Text(text) => {
            parse_long(text).unwrap_or(if version.line().is_3x() { default } else { 0 })
        }
    }
}

/// `(int) long`: what does not fit is cut.
fn int(value: i64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "Java cuts here as well")]
    let cut = value as i32;
    cut
}

/// How often a call that fails is tried (`calculateInvokeTimes`). `own` is the URL of the cluster: that of the
/// consumer, in 2.x with what the providers say.
///
/// # Errors
/// The parameter is no number; the call throws `NumberFormatException`. The text is given.
pub fn tries(own: &Url, call: &Call) -> Result<i32, String> {
    let text = own_value(own, &call.method, "retries");
    let retries = match text {
        None => DEFAULT_RETRIES,
        Some(text) => parse_int(&text).ok_or(text)?,
    };
    let retries = match call.context_retries {
        Some(Attached::Number(number)) => int(number),
        _ => retries,
    };
    Ok(tries_of(retries))
}

/// `retries` + 1 as Java adds, and at least one.
pub fn tries_of(retries: i32) -> i32 {
    retries.wrapping_add(1).max(1)
}
