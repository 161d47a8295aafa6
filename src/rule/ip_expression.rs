//! Addresses as tag rules and configurators write them: `10.0.0.7`, `10.0.1-2.*:20880`, `10.0.0.0/24`, `[fe80::1]:20880`.
//!
//! Mirrors `NetUtils.matchIpExpression(pattern, host, port)` and `CIDRUtils`, which do the same on every line from 2.7.
//! Two things surprise: a loopback provider is treated as IPv6, so that every four-part pattern fails on it with an
//! error, and a failing pattern is an error even when another host would have matched. Names are not resolved here:
//! what Dubbo would look up in DNS is [`IpError::Unresolved`].

pub mod set;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an expression says neither yes nor no. Dubbo logs it and goes on with the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IpError {
    /// The address has no host: 3.x finds none in an entry without a port.
    #[error("the address has no host")]
    NoHost,
    /// The host (or the pattern) is a name, which Dubbo would ask DNS for.
    #[error("a name that only DNS could resolve")]
    Unresolved,
    /// The host is IPv4 but the pattern has not four parts.
    #[error("the host is IPv4, but the pattern is not")]
    NotIpv4,
    /// The host is IPv6 (or loopback) but the pattern is not.
    #[error("the host is IPv6 or loopback, but the pattern is not IPv6")]
    NotIpv6,
    /// `*` or `-` in an IPv6 pattern that has not eight parts.
    #[error("`*` and `-` need all eight parts of an IPv6 address")]
    ShortIpv6,
    /// Not `number-number`.
    #[error("a range is not number-number")]
    Range,
    /// An end of a range, or the part that it is compared with, is not a number.
    #[error("an end of a range is not a number")]
    Number,
    /// An IPv6 pattern is compared with a loopback host, which has fewer parts.
    #[error("the host has fewer parts than the pattern")]
    FewerParts,
    /// The part behind `/` is not a number.
    #[error("the prefix length is not a number")]
    Prefix,
}

impl IpError {
    /// The class of the exception that Java throws.
    pub fn class(self) -> &'static str {
        match self {
            Self::Unresolved => "java.net.UnknownHostException",
            Self::NoHost | Self::NotIpv4 | Self::NotIpv6 | Self::ShortIpv6 | Self::Range => {
                "java.lang.IllegalArgumentException"
            }
            Self::Number | Self::Prefix => "java.lang.NumberFormatException",
            Self::FewerParts => "java.lang.ArrayIndexOutOfBoundsException",
        }
    }
}

/// A host, resolved as `InetAddress.getByName` does without DNS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    address: Result<IpAddr, IpError>,
    /// `getHostAddress`: the plain form, IPv6 in full.
    text: String,
    /// There is none; networks then see the loopback address, and everything else refuses it.
    missing: bool,
}

impl Host {
    /// Reads a host. A name other than `localhost` stays unresolved.
    pub fn new(host: &str) -> Self {
        let address = by_name(host);
        let text = address.as_ref().map(host_address).unwrap_or_default();
        Self {
            address,
            text,
            missing: false,
        }
    }

    /// Reads the host of an address, which may have none.
    pub fn of(host: Option<&str>) -> Self {
        Self {
            missing: host.is_none(),
            ..Self::new(host.unwrap_or_default())
        }
    }

    fn ip(&self) -> Result<IpAddr, IpError> {
        self.address
    }

    /// `isValidV4Address`: IPv4, not loopback, not 0.0.0.0.
    fn is_valid_v4(&self) -> bool {
        matches!(self.address, Ok(IpAddr::V4(v4)) if !v4.is_loopback() && !v4.is_unspecified())
    }
}

/// A pattern, prepared once and asked for many hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IpExpression {
    /// `*`, `*.*.*.*`
    Any,
    /// `address/prefix`: first and last address as numbers, compared across IPv4 and IPv6 as Dubbo does.
    Cidr(Result<(u128, u128), IpError>),
    /// Everything else, read differently for IPv4 and for other hosts.
    Parts {
        /// For IPv4 hosts.
        v4: Parts,
        /// For IPv6 and loopback hosts.
        v6: Parts,
    },
}

/// A pattern as one family of hosts sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// Must equal the port's text.
    port: Option<String>,
    body: Result<Body, IpError>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Body {
    /// No `*`, no `-`: an address.
    Address {
        text: String,
        resolved: Result<String, IpError>,
    },
    Segments(Vec<Segment>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Any,
    Text(String),
    Range {
        text: String,
        bounds: Result<(i32, i32), IpError>,
    },
}

impl IpExpression {
    /// Prepares a pattern. Nothing is refused here: an error belongs to the host it meets.
    pub fn new(pattern: &str) -> Self {
        if let Some((address, prefix)) = pattern.split_once('/') {
            return Self::Cidr(cidr(address, prefix));
        }
        let pattern = pattern.trim_matches(|c| c <= ' ');
        if pattern == "*" || pattern == "*.*.*.*" {
            return Self::Any;
        }
        Self::Parts {
            v4: Parts::new(pattern, true),
            v6: Parts::new(pattern, false),
        }
    }

    /// Whether a host and port fit.
    pub fn matches(&self, host: &Host, port: u32) -> Result<bool, IpError> {
        match self {
            Self::Any | Self::Parts { .. } if host.missing => Err(IpError::NoHost),
            Self::Any => Ok(true),
            Self::Cidr(range) => {
                let (first, last) = (*range)?;
                let number = number(host.ip()?);
                Ok((first..=last).contains(&number))
            }
            Self::Parts { v4, v6 } => {
                host.ip()?;
                let is_v4 = host.is_valid_v4();
                if is_v4 { v4 } else { v6 }.matches(&host.text, port, is_v4)
            }
        }
    }
}

impl Parts {
    fn new(pattern: &str, is_v4: bool) -> Self {
        let (host, port) = host_and_port(pattern, is_v4);
        Self {
            port: port.map(str::to_owned),
            body: Body::new(host, is_v4),
        }
    }

    fn matches(&self, host: &str, port: u32, is_v4: bool) -> Result<bool, IpError> {
        if self
            .port
            .as_ref()
            .is_some_and(|wanted| *wanted != port.to_string())
        {
            return Ok(false);
        }
        match self.body.as_ref().map_err(|error| *error)? {
            Body::Address { text, resolved } => {
                Ok(text == host || *resolved.as_ref().map_err(|error| *error)? == host)
            }
            Body::Segments(segments) => {
                let separator = if is_v4 { '.' } else { ':' };
                let mut parts = host.split(separator);
                for segment in segments {
                    let fits = match (segment, parts.next()) {
                        (Segment::Any, _) => true,
                        (_, None) => return Err(IpError::FewerParts),
                        (segment, Some(piece)) => segment.matches(piece, is_v4)?,
                    };
                    if !fits {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }
}

impl Body {
    fn new(host: &str, is_v4: bool) -> Result<Self, IpError> {
        let mut parts: Vec<&str> = host.split(if is_v4 { '.' } else { ':' }).collect();
        // `String.split` drops empty parts at the end.
        while parts.len() > 1 && parts.last().is_some_and(|part| part.is_empty()) {
            parts.pop();
        }
        let expression = host.contains(['*', '-']);
        if is_v4 {
            if parts.len() != 4 {
                return Err(IpError::NotIpv4);
            }
        } else if parts.len() != 8 {
            if expression {
                return Err(IpError::ShortIpv6);
            }
            if !host.contains("::") {
                return Err(IpError::NotIpv6);
            }
        }
        if expression {
            return Ok(Self::Segments(
                parts
                    .into_iter()
                    .map(|part| Segment::new(part, is_v4))
                    .collect(),
            ));
        }
        let resolved = by_name(host).map(|address| host_address(&address));
        Ok(Self::Address {
            text: host.to_owned(),
            resolved,
        })
    }
}

impl Segment {
    fn new(part: &str, is_v4: bool) -> Self {
        if part == "*" {
            return Self::Any;
        }
        if !part.contains('-') {
            return Self::Text(part.to_owned());
        }
        let mut ends = part.split('-');
        let bounds = match (ends.next(), ends.next(), ends.next()) {
            (Some(low), Some(high), None) => segment_number(low, is_v4)
                .and_then(|low| segment_number(high, is_v4).map(|high| (low, high))),
            _ => Err(IpError::Range),
        };
        Self::Range {
            text: part.to_owned(),
            bounds,
        }
    }

    fn matches(&self, part: &str, is_v4: bool) -> Result<bool, IpError> {
        match self {
            Self::Any => Ok(true),
            Self::Text(text) => {
                Ok(text == part || part == "0" && matches!(text.as_str(), "00" | "000" | "0000"))
            }
            Self::Range { text, bounds } => {
                if text == part {
                    return Ok(true);
                }
                let (low, high) = (*bounds)?;
                Ok((low..=high).contains(&segment_number(part, is_v4)?))
            }
        }
    }
}

/// `Integer.parseInt`, in base 16 for IPv6.
fn segment_number(text: &str, is_v4: bool) -> Result<i32, IpError> {
    i32::from_str_radix(text, if is_v4 { 10 } else { 16 }).map_err(|_| IpError::Number)
}

/// `getPatternHostAndPort`.
fn host_and_port(pattern: &str, is_v4: bool) -> (&str, Option<&str>) {
    if let Some(inner) = pattern.strip_prefix('[') {
        if let Some((host, port)) = inner.split_once("]:") {
            return (host, Some(port));
        }
        if let Some(host) = inner.strip_suffix(']') {
            return (host, None);
        }
    }
    match pattern.split_once(':') {
        Some((host, port)) if is_v4 => (host, Some(port)),
        _ => (pattern, None),
    }
}

/// `CIDRUtils`: any prefix length is taken; above the address's length it means exactly this address.
fn cidr(address: &str, prefix: &str) -> Result<(u128, u128), IpError> {
    let address = by_name(address)?;
    let prefix: i32 = prefix.parse().map_err(|_| IpError::Prefix)?;
    let bits = if address.is_ipv4() { 32_i64 } else { 128 };
    let free = (bits - i64::from(prefix)).clamp(0, bits);
    let low = u32::try_from(free).unwrap_or(128);
    let open = 1_u128.checked_shl(low).map_or(u128::MAX, |bound| bound - 1);
    let first = number(address) & !open;
    Ok((first, first | open))
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => u128::from(v4.to_bits()),
        IpAddr::V6(v6) => v6.to_bits(),
    }
}

/// `InetAddress.getByName` as far as it needs no DNS.
fn by_name(host: &str) -> Result<IpAddr, IpError> {
    if host.is_empty() || host.eq_ignore_ascii_case("localhost") {
        return Ok(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    let bare = host
        .strip_prefix('[')
        .map_or(Some(host), |inner| inner.strip_suffix(']'));
    let bare = bare.ok_or(IpError::Unresolved)?;
    if let Some(v4) = v4_by_text(bare) {
        return Ok(IpAddr::V4(v4));
    }
    let without_zone = bare.split_once('%').map_or(bare, |(address, _)| address);
    match without_zone.parse::<Ipv6Addr>() {
        // The address `::ffff:a.b.c.d` is an IPv4 address to Java.
        Ok(v6) => Ok(v6.to_ipv4_mapped().map_or(IpAddr::V6(v6), IpAddr::V4)),
        Err(_) => Err(IpError::Unresolved),
    }
}

/// `IPAddressUtil.textToNumericFormatV4`: one to four decimal parts, the last one fills what is left.
fn v4_by_text(text: &str) -> Option<Ipv4Addr> {
    if text.is_empty() || text.len() > 15 {
        return None;
    }
    let parts: Vec<&str> = text.split('.').collect();
    if parts.len() > 4 {
        return None;
    }
    let mut value: u64 = 0;
    for (place, part) in parts.iter().enumerate() {
        if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let number: u64 = part.parse().ok()?;
        let last = place + 1 == parts.len();
        let width = if last { 8 * (5 - parts.len()) } else { 8 };
        if number >= 1 << width {
            return None;
        }
        value = value << width | number;
    }
    u32::try_from(value).ok().map(Ipv4Addr::from_bits)
}

/// `InetAddress.getHostAddress`: IPv6 in full, without shortening.
fn host_address(address: &IpAddr) -> String {
    match address {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => v6
            .segments()
            .iter()
            .map(|part| format!("{part:x}"))
            .collect::<Vec<_>>()
            .join(":"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ask(pattern: &str, host: &str) -> Result<bool, IpError> {
        IpExpression::new(pattern).matches(&Host::new(host), 20880)
    }

    #[test]
    fn ipv4() {
        for (pattern, expected) in [
            ("10.20.0.3", true),
            (" 10.20.0.3 ", true),
            ("10.20.0.03", true),
            ("10.20.0.4", false),
            ("10.20.0.3:20880", true),
            ("10.20.0.3:20881", false),
            ("10.20.0.3:*", false),
            ("10.20.0.*", true),
            ("10.20.0.1-3", true),
            ("10.20.1-2.*", false),
            ("10.20.00.*", true),
            ("10.*.0.*:20880", true),
            ("*", true),
            ("*.*.*.*", true),
            ("10.20.0.0/24", true),
            ("10.20.0.3/33", true),
            ("10.20.0.4/33", false),
            ("10.20.1.0/24", false),
            ("0.0.0.0/0", true),
            ("9.9.9.9/-1", true),
        ] {
            assert_eq!(ask(pattern, "10.20.0.3"), Ok(expected), "{pattern}");
        }
        assert_eq!(ask("10.20.0", "10.20.0.3"), Err(IpError::NotIpv4));
        assert_eq!(
            ask("fe80::1", "10.20.0.3"),
            Ok(false),
            "the rest after the colon is a port"
        );
        assert_eq!(ask("10.20.0.1-", "10.20.0.3"), Err(IpError::Number));
        assert_eq!(ask("10.20.0.1-2-3", "10.20.0.3"), Err(IpError::Range));
        assert_eq!(
            ask("10.21.0.1-", "10.20.0.3"),
            Ok(false),
            "decided before the bad part"
        );
        assert_eq!(ask("10.20.0.0/x", "10.20.0.3"), Err(IpError::Prefix));
        assert_eq!(ask("10.20.0.0/24:20880", "10.20.0.3"), Err(IpError::Prefix));
        assert_eq!(ask("a.b.c.d", "10.20.0.3"), Err(IpError::Unresolved));
        assert_eq!(ask("10.20.0.3", "order.internal"), Err(IpError::Unresolved));
        assert_eq!(ask("*", "order.internal"), Ok(true));
    }

    #[test]
    fn loopback_is_taken_for_ipv6() {
        for pattern in ["127.0.0.1", "127.0.0.*", "127.0.0.1:20880", "10.0.0.1"] {
            assert!(ask(pattern, "127.0.0.1").is_err(), "{pattern}");
        }
        assert_eq!(ask("*", "127.0.0.1"), Ok(true));
        assert_eq!(ask("127.0.0.0/8", "127.0.0.1"), Ok(true));
    }

    #[test]
    fn a_missing_host_is_loopback_to_networks_only() {
        let ask = |pattern| IpExpression::new(pattern).matches(&Host::of(None), 0);
        assert_eq!(ask("127.0.0.0/8"), Ok(true));
        assert_eq!(ask("0.0.0.0/0"), Ok(true));
        assert_eq!(ask("10.0.0.0/8"), Ok(false));
        for pattern in ["*", "*.*.*.*", "0.0.0.0:0", "127.0.0.1"] {
            assert_eq!(ask(pattern), Err(IpError::NoHost), "{pattern}");
        }
    }

    #[test]
    fn ipv6() {
        for (pattern, expected) in [
            ("fe80::1", true),
            ("fe80:0:0:0:0:0:0:1", true),
            ("[fe80::1]:20880", true),
            ("[fe80::1]:1", false),
            ("[fe80::1]", true),
            ("fe80:0:0:0:0:0:0:*", true),
            ("fe80:0:0:0:0:0:0:0-f", true),
            ("fe80:0:0:0:0:0:1:*", false),
            ("fe80::/10", true),
            ("fe80::2", false),
        ] {
            assert_eq!(ask(pattern, "fe80::1"), Ok(expected), "{pattern}");
        }
        assert_eq!(ask("fe80::*", "fe80::1"), Err(IpError::ShortIpv6));
        assert_eq!(ask("10.0.0.1", "fe80::1"), Err(IpError::NotIpv6));
    }

    proptest! {
        #[test]
        fn any_pattern_gets_an_answer(pattern in "[0-9a-f.:*/\\[\\]-]{0,24}", host in "[0-9a-f.:%]{0,16}") {
            let _ = ask(&pattern, &host);
        }

        #[test]
        fn an_address_matches_itself(ip in any::<u32>()) {
            let host = Ipv4Addr::from_bits(ip);
            prop_assume!(!host.is_loopback() && !host.is_unspecified());
            prop_assert_eq!(ask(&host.to_string(), &host.to_string()), Ok(true));
        }
    }
}
