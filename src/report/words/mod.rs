//! All words a user reads, in English and Chinese, in one place. Code elsewhere names a sentence, never writes one.

pub mod budget;
mod codes;
pub mod dubbo;
pub mod errors;
mod reader;
mod say;
mod ui;

pub use codes::{filled, sentence};
pub use say::Say;
pub use ui::Label;

use std::collections::BTreeMap;

/// Language of text reports. JSON is English unless asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// Of a value that nobody knows.
    pub(crate) fn unknown(self) -> &'static str {
        match self {
            Self::En => "unknown",
            Self::Zh => "未知",
        }
    }

    /// Of a value that is not there.
    fn nothing(self) -> &'static str {
        match self {
            Self::En => "none",
            Self::Zh => "无",
        }
    }
}

/// A sentence with its parameters, not yet in a language.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Phrase {
    /// Which sentence.
    pub say: Say,
    /// Values of its `{name}` placeholders.
    pub params: BTreeMap<&'static str, String>,
}

impl Phrase {
    /// A sentence without parameters.
    pub fn new(say: Say) -> Self {
        Self {
            say,
            params: BTreeMap::new(),
        }
    }

    /// The same with one more parameter.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.params.insert(name, value.into());
        self
    }

    /// How to see whether somebody answers at an address, with a command to copy; an address that a shell would not take
    /// for one word gets none.
    pub fn how_to_probe(address: Option<&str>) -> Self {
        Self::of_port(Say::HowProbePort, address).unwrap_or_else(|| Say::HowProbe.into())
    }

    /// A sentence about the host and port of an address.
    pub fn of_port(say: Say, address: Option<&str>) -> Option<Self> {
        let (host, port) = address?.rsplit_once(':')?;
        let host = host.trim_matches(['[', ']']);
        let plain = |sign: char| sign.is_ascii_alphanumeric() || ".-_:%".contains(sign);
        let is_plain = !host.is_empty() && !host.starts_with('-') && host.chars().all(plain);
        (is_plain && port.parse::<u16>().is_ok())
            .then(|| Self::new(say).with("host", host).with("port", port))
    }

    /// The sentence in a language.
    pub fn text(&self, lang: Lang) -> String {
        let mut params = self.params.clone();
        for value in params.values_mut() {
            if value == "-" {
                lang.unknown().clone_into(value);
            } else if lang == Lang::Zh
                && let Some(turned) = errors::reason(value)
            {
                *value = turned;
            }
        }
        fill(self.say.template(lang), &params)
    }
}

impl From<Say> for Phrase {
    fn from(say: Say) -> Self {
        Self::new(say)
    }
}

/// Replaces `{name}` by its value; a name without a value stays as it is, so that a test finds it.
pub(crate) fn fill(template: &str, params: &BTreeMap<&'static str, String>) -> String {
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let Some(close) = rest.find('}') else { break };
        match params.get(&rest[1..close]) {
            Some(value) => out.push_str(value),
            None => out.push_str(&rest[..=close]),
        }
        rest = &rest[close + 1..];
    }
    out.push_str(rest);
    out
}
