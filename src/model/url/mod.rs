//! Dubbo's URL: the one form in which providers, consumers, registries and old rules are written.
//!
//! A text is read as the given Dubbo version reads it, oddities included (see [`dialect`]); what a newer or
//! older version would read differs, and that difference is a cause of "no provider". Nothing here may print
//! a password: [`Url`]'s `Display` and `Debug` mask, the exact texts of Dubbo have their own methods.

mod dialect;
mod entry;
mod java;
mod parse;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

pub use self::entry::Entry;
pub use self::java::{decode, encode, is_blank, is_true};
pub(crate) use self::java::{parse_int, parse_long, trim};
use crate::model::address::Address;
use crate::model::secret::{MASK, Secret, is_secret_name};
use crate::model::service_key::ServiceKey;
use crate::model::version::{DubboVersion, Line};

/// A URL as Dubbo holds it: every part may be missing, which is not the same as empty.
#[derive(Clone, PartialEq, Eq)]
pub struct Url {
    /// `dubbo`, `tri`, `consumer`, `override`, ...
    pub protocol: Option<String>,
    /// The user before `@`.
    pub username: Option<String>,
    /// The password before `@`.
    pub password: Option<Secret>,
    /// The host as written, IPv6 with its brackets.
    pub host: Option<String>,
    /// The port; 0 is none. Dubbo accepts more than 65535.
    pub port: u32,
    /// The path without leading `/`.
    pub path: Option<String>,
    /// The parameters. Secret ones are among them: print a URL, never this map.
    pub parameters: BTreeMap<String, String>,
}

/// Why Dubbo cannot read a text as a URL. The text itself is not repeated: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Nothing but white space (2.x; 3.x reads an empty URL).
    #[error("the URL is empty")]
    Empty,
    /// It starts with `://` or `:/`.
    #[error("the URL has no protocol before `://`")]
    NoProtocol,
    /// What stands after the last colon of the address is not a number (of 32 bits).
    #[error("the URL has `{}` where its port should be", .0.as_deref().unwrap_or(MASK))]
    Port(Option<String>),
    /// A password without a user (up to 2.7.8).
    #[error("the URL has a password but no user")]
    PasswordWithoutUser,
    /// A user without a password, in an encoded URL (2.7).
    #[error("the URL has a user but no password, which Dubbo 2.7 cannot read in a registry")]
    UserWithoutPassword,
    /// A `%` without two hexadecimal digits behind it.
    #[error("the URL has a broken percent sequence at character {0}")]
    BrokenEscape(usize),
    /// Percent sequences that are not UTF-8.
    #[error("the URL has percent sequences that are not UTF-8")]
    NotUtf8,
    /// 3.x accepts only `consumer` and `provider` as `side`.
    #[error("the URL has side={0}, and Dubbo 3.x accepts only consumer and provider")]
    Side(String),
    /// 3.x: a registry entry that ends with a literal `?`.
    #[error("the registry entry has nothing after its `?`")]
    NothingAfterQuestionMark,
    /// Characters that grow in upper case stand before the encoded `?`: Dubbo looks past the end.
    #[error("the URL has characters before its encoded `?` that Dubbo cannot read")]
    OutOfBounds,
}

impl UrlError {
    /// The class of the exception that Java throws.
    pub fn class(&self) -> &'static str {
        match self {
            Self::NoProtocol => "java.lang.IllegalStateException",
            Self::Port(_) => "java.lang.NumberFormatException",
            Self::UserWithoutPassword | Self::OutOfBounds => {
                "java.lang.StringIndexOutOfBoundsException"
            }
            Self::NothingAfterQuestionMark => "java.lang.UnsupportedOperationException",
            Self::Empty
            | Self::PasswordWithoutUser
            | Self::BrokenEscape(_)
            | Self::NotUtf8
            | Self::Side(_) => "java.lang.IllegalArgumentException",
        }
    }
}

impl Url {
    /// Reads a plain text, as `URL.valueOf(text)` of that version does.
    pub fn parse(text: &str, version: &DubboVersion) -> Result<Self, UrlError> {
        parse::plain(text, dialect::Dialect::of(version))
    }

    /// Reads a registry entry (`dubbo%3A%2F%2F..`, form encoding: `+` is a space), as that version does
    /// (`URLStrParser.parseEncodedStr`; before 2.7.7 `URL.valueOf(URL.decode(text))`).
    pub fn parse_encoded(text: &str, version: &DubboVersion) -> Result<Self, UrlError> {
        parse::encoded(text, dialect::Dialect::of(version))
    }

    /// A parameter, also an empty one (`URL.getParameter(key)`).
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    /// A parameter that has text; empty counts as absent (`URL.getParameter(key, default)`).
    pub fn text(&self, name: &str) -> Option<&str> {
        self.parameter(name).filter(|value| !value.is_empty())
    }

    /// A parameter as `URL.getParameter(key, boolean)` reads it: absent or empty is the default, else `true` in any letter case.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.text(name).map_or(default, is_true)
    }

    /// `group`, also an empty one.
    pub fn group(&self) -> Option<&str> {
        self.parameter("group")
    }

    /// `version`, also an empty one.
    pub fn version(&self) -> Option<&str> {
        self.parameter("version")
    }

    /// The `interface` parameter, else the path (`URL.getServiceInterface`).
    pub fn service_interface(&self) -> Option<&str> {
        self.text("interface").or(self.path.as_deref())
    }

    /// Group, interface and version; the interface is empty when the URL names none.
    pub fn service(&self) -> ServiceKey {
        ServiceKey::new(
            self.group(),
            self.service_interface().unwrap_or_default(),
            self.version(),
        )
    }

    /// `[group/]interface[:version]`; none without interface and path (`URL.getServiceKey`).
    pub fn service_key(&self) -> Option<String> {
        self.service_interface().map(|_| self.service().to_string())
    }

    /// As [`Self::service_key`] with the path in place of the interface (`URL.getPathKey`).
    pub fn path_key(&self) -> Option<String> {
        let interface = self.path.as_deref().filter(|path| !path.is_empty());
        let interface = interface.or_else(|| self.service_interface())?;
        Some(ServiceKey::new(self.group(), interface, self.version()).to_string())
    }

    /// `interface:version:group` with blank parts left empty; without an interface its name is `null`
    /// (`URL.getColonSeparatedKey`).
    pub fn colon_key(&self) -> String {
        let part = |value: Option<&str>| {
            value
                .filter(|v| !is_blank(v))
                .unwrap_or_default()
                .to_owned()
        };
        format!(
            "{}:{}:{}",
            self.service_interface().unwrap_or("null"),
            part(self.version()),
            part(self.group())
        )
    }

    /// `[group/]interface[:version]:protocol`; in 3.x the protocol `consumer` is left out (`URL.getProtocolServiceKey`).
    pub fn protocol_service_key(&self, line: Line) -> Option<String> {
        let key = self.service_key();
        if line.is_3x() && self.protocol.as_deref() == Some("consumer") {
            return key;
        }
        let null = || "null".to_owned();
        Some(format!(
            "{}:{}",
            key.unwrap_or_else(null),
            self.protocol.clone().unwrap_or_else(null)
        ))
    }

    /// `host` or `host:port`, as Dubbo writes it: a port without a host gives `null:port` (`URL.getAddress`).
    pub fn address(&self) -> Option<String> {
        match (self.host.as_deref(), self.port) {
            (host, 0) => host.map(str::to_owned),
            (host, port) => Some(format!("{}:{port}", host.unwrap_or("null"))),
        }
    }

    /// The address as a type; none without a host or with a port that TCP does not have.
    pub fn socket(&self) -> Option<Address> {
        let host = self.host.as_deref().filter(|host| !host.is_empty())?;
        Some(Address::new(host, u16::try_from(self.port).ok()?))
    }

    /// `URL.toString()`: without user and password. **Parameters are not masked.**
    pub fn to_plain_text(&self) -> String {
        self.build(false, true, false)
    }

    /// `URL.toIdentityString()`: with user and password, without parameters. **Not masked.**
    pub fn to_identity_text(&self) -> String {
        self.build(true, false, false)
    }

    /// `URL.toFullString()`: everything. **Not masked.**
    pub fn to_full_text(&self) -> String {
        self.build(true, true, false)
    }

    /// `URL.buildString` of all lines; parameters by name, values trimmed, empty names left out.
    fn build(&self, user: bool, parameters: bool, mask: bool) -> String {
        let non_empty = |part: &Option<String>| part.clone().filter(|text| !text.is_empty());
        let mut out = String::new();
        if let Some(protocol) = non_empty(&self.protocol) {
            out.push_str(&protocol);
            out.push_str("://");
        }
        if let Some(username) = non_empty(&self.username).filter(|_| user) {
            out.push_str(&username);
            if let Some(password) = self.password.as_ref().filter(|secret| !secret.is_empty()) {
                out.push(':');
                out.push_str(if mask { MASK } else { password.expose() });
            }
            out.push('@');
        }
        if let Some(host) = non_empty(&self.host) {
            out.push_str(&host);
            if self.port > 0 {
                out.push(':');
                out.push_str(&self.port.to_string());
            }
        }
        if let Some(path) = non_empty(&self.path) {
            out.push('/');
            out.push_str(&path);
        }
        if parameters {
            let mut pairs: Vec<_> = self
                .parameters
                .iter()
                .filter(|(name, _)| !name.is_empty())
                .collect();
            // Java orders texts by UTF-16 units
            pairs.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            for (i, (name, value)) in pairs.into_iter().enumerate() {
                out.push(if i == 0 { '?' } else { '&' });
                out.push_str(name);
                out.push('=');
                let value: Cow<'_, str> = if mask && is_secret_name(name) {
                    MASK.into()
                } else {
                    trim(value).into()
                };
                out.push_str(&value);
            }
        }
        out
    }
}

/// Everything, with passwords and secret parameters masked.
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.build(true, true, true))
    }
}

/// As `Display`.
impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({self})")
    }
}

#[cfg(test)]
mod tests;
