//! `host:port` of a provider or server, with the forms of IPv6 that registries and logs use.

use std::cmp::Ordering;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use crate::model::secret::MASK;

/// A host and a port. The host is kept as written, without brackets; port 0 stands for none.
///
/// Ordered for output: addresses by number, then names by text, then port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    host: String,
    port: u16,
}

/// Why a text is not an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Nothing before the port.
    #[error(
        "`{0}` has no host: expected host:port, for example 10.0.0.7:20880 or [2001:db8::1]:20880"
    )]
    NoHost(String),
    /// The port is not a number from 0 to 65535.
    #[error("`{0}` has no port from 0 to 65535 after the last colon")]
    Port(String),
    /// A `[` without its `]`, or something else than a port behind it.
    #[error("`{0}` has a broken bracket: IPv6 with a port is written [2001:db8::1]:20880")]
    Bracket(String),
    /// Spaces, `/` and the like cannot stand in a host.
    #[error("`{0}` is not host:port: a host has no `{1}`")]
    Character(String, char),
}

impl Address {
    /// Joins a host (brackets of IPv6 are taken off) and a port; 0 is "no port".
    pub fn new(host: &str, port: u16) -> Self {
        let host = host
            .strip_prefix('[')
            .and_then(|inner| inner.strip_suffix(']'))
            .unwrap_or(host);
        Self {
            host: host.to_owned(),
            port,
        }
    }

    /// Reads `host:port`, `host`, `[v6]:port`, `[v6]`, and a bare IPv6 address (which then has no port:
    /// `2001:db8::1:20880` is ambiguous and taken as an address).
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let port = |digits: &str| {
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(AddressError::Port(text.to_owned()));
            }
            digits
                .parse::<u16>()
                .map_err(|_| AddressError::Port(text.to_owned()))
        };
        if let Some(bad) = text.chars().find(|c| {
            c.is_whitespace() || c.is_control() || matches!(c, '/' | '?' | '#' | '@' | ',')
        }) {
            return Err(AddressError::Character(shown(text), bad));
        }
        let (host, port) = if let Some(rest) = text.strip_prefix('[') {
            let (host, tail) = rest
                .split_once(']')
                .ok_or_else(|| AddressError::Bracket(text.to_owned()))?;
            match tail.strip_prefix(':') {
                Some(digits) => (host, port(digits)?),
                None if tail.is_empty() => (host, 0),
                None => return Err(AddressError::Bracket(text.to_owned())),
            }
        } else if is_ipv6(text) {
            (text, 0)
        } else {
            match text.rsplit_once(':') {
                Some((host, digits)) => (host, port(digits)?),
                None => (text, 0),
            }
        };
        if host.is_empty() {
            return Err(AddressError::NoHost(text.to_owned()));
        }
        if let Some(bad) = host.chars().find(|c| matches!(c, '[' | ']')) {
            return Err(AddressError::Character(text.to_owned(), bad));
        }
        Ok(Self {
            host: host.to_owned(),
            port,
        })
    }

    /// The host as written, without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port; 0 when there is none.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The host as an IP address, when it is one; the zone of IPv6 (`%eth0`) is not part of it.
    pub fn ip(&self) -> Option<IpAddr> {
        let host = self
            .host
            .split_once('%')
            .map_or(self.host.as_str(), |(host, _)| host);
        host.parse().ok()
    }
}

/// A text as an error may show it: what stands before an `@` may be a password.
fn shown(text: &str) -> String {
    text.rsplit_once('@')
        .map_or_else(|| text.to_owned(), |(_, host)| format!("{MASK}@{host}"))
}

/// Also with a zone: `fe80::1%eth0`.
fn is_ipv6(text: &str) -> bool {
    text.split_once('%')
        .map_or(text, |(host, _)| host)
        .parse::<Ipv6Addr>()
        .is_ok()
}

impl Ord for Address {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_host = match (self.ip(), other.ip()) {
            (Some(a), Some(b)) => a.cmp(&b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        by_host
            .then_with(|| self.host.cmp(&other.host))
            .then_with(|| self.port.cmp(&other.port))
    }
}

impl PartialOrd for Address {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let brackets = self.host.contains(':');
        match (brackets, self.port) {
            (true, 0) => write!(f, "[{}]", self.host),
            (true, port) => write!(f, "[{}]:{port}", self.host),
            (false, 0) => f.write_str(&self.host),
            (false, port) => write!(f, "{}:{port}", self.host),
        }
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn address(text: &str) -> Address {
        Address::parse(text).unwrap()
    }

    #[test]
    fn forms() {
        for (text, host, port, shown) in [
            ("10.0.0.7:20880", "10.0.0.7", 20880, "10.0.0.7:20880"),
            ("10.0.0.7", "10.0.0.7", 0, "10.0.0.7"),
            (
                "[2001:db8::1]:20880",
                "2001:db8::1",
                20880,
                "[2001:db8::1]:20880",
            ),
            ("[2001:db8::1]", "2001:db8::1", 0, "[2001:db8::1]"),
            ("2001:db8::1", "2001:db8::1", 0, "[2001:db8::1]"),
            ("fe80::1%eth0", "fe80::1%eth0", 0, "[fe80::1%eth0]"),
            ("[fe80::1%eth0]:1", "fe80::1%eth0", 1, "[fe80::1%eth0]:1"),
            (
                "nacos-0.nacos.svc:8848",
                "nacos-0.nacos.svc",
                8848,
                "nacos-0.nacos.svc:8848",
            ),
            ("h:0", "h", 0, "h"),
        ] {
            let a = address(text);
            assert_eq!(
                (a.host(), a.port(), a.to_string().as_str()),
                (host, port, shown),
                "{text}"
            );
        }
        assert_eq!(Address::new("[::1]", 1), address("[::1]:1"));
    }

    #[test]
    fn refused() {
        for text in ["", ":1", "[]:1"] {
            assert!(
                matches!(Address::parse(text), Err(AddressError::NoHost(_))),
                "{text}"
            );
        }
        for text in ["h:", "h:x", "h:65536", "h:-1", "h:+1", "[::1]:", "[::1]:x"] {
            assert!(
                matches!(Address::parse(text), Err(AddressError::Port(_))),
                "{text}"
            );
        }
        for text in ["[::1", "[::1]x"] {
            assert!(
                matches!(Address::parse(text), Err(AddressError::Bracket(_))),
                "{text}"
            );
        }
        for text in ["a b:1", "u@h:1", "h/x:1", "h1:1,h2:2", "a[b:1", "[[::1]:1"] {
            assert!(
                matches!(Address::parse(text), Err(AddressError::Character(..))),
                "{text}"
            );
        }
    }

    #[test]
    fn a_password_is_not_echoed() {
        let message = Address::parse("root:hunter2@10.0.0.7:8848")
            .unwrap_err()
            .to_string();
        assert!(
            !message.contains("hunter2") && message.contains("10.0.0.7:8848"),
            "{message}"
        );
    }

    #[test]
    fn order_is_by_number_then_name() {
        let mut all: Vec<_> = [
            "b:1",
            "10.0.0.10:1",
            "a:2",
            "10.0.0.9:2",
            "[::1]:1",
            "10.0.0.9:1",
            "a:1",
        ]
        .map(address)
        .to_vec();
        all.sort();
        let shown: Vec<_> = all.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "10.0.0.9:1",
                "10.0.0.9:2",
                "10.0.0.10:1",
                "[::1]:1",
                "a:1",
                "a:2",
                "b:1"
            ]
        );
    }

    proptest! {
        #[test]
        fn any_text_gives_an_answer(text in ".{0,40}") {
            if let Ok(a) = Address::parse(&text) {
                prop_assert_eq!(Address::parse(&a.to_string()), Ok(a));
            }
        }

        #[test]
        fn near_addresses_give_an_answer(text in r"[0-9a-f:.\[\]%]{0,24}") {
            if let Ok(a) = Address::parse(&text) {
                prop_assert_eq!(Address::parse(&a.to_string()), Ok(a));
            }
        }
    }
}
