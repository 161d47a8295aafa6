//! What a drill takes away: a room, a network, an application.

use std::borrow::Cow;
use std::fmt;

use crate::model::url::Url;
use crate::model::zone::Zones;
use crate::rule::ip_expression::{Host, IpExpression};

/// Addresses that are taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gone {
    /// Those of a zone.
    Zone(String),
    /// Those of an application.
    Application(String),
    /// Those in a network, or that fit an address pattern (`10.1.*.*`).
    Network(String),
    /// Those with this value of a parameter.
    Parameter(String, String),
}

impl Gone {
    /// Reads `zone=A`, `app=x`, `10.10.0.0/16`, `10.1.2.3`, `10.1.*.*`, `key=value`.
    ///
    /// # Errors
    /// It is none of them.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = "expected zone=NAME, app=NAME, a network such as 10.10.0.0/16, or KEY=VALUE of a provider parameter";
        let text = text.trim();
        if let Some((key, value)) = text.split_once('=') {
            let (key, value) = (key.trim(), value.trim());
            if key.is_empty() || value.is_empty() {
                return Err(expected.to_owned());
            }
            return Ok(match key {
                "zone" => Self::Zone(value.to_owned()),
                "app" | "application" => Self::Application(value.to_owned()),
                _ => Self::Parameter(key.to_owned(), value.to_owned()),
            });
        }
        if let Some((_, bits)) = text.split_once('/') {
            let most = if text.contains(':') { 128 } else { 32 };
            if bits.parse::<u8>().map_or(true, |bits| bits > most) {
                return Err(expected.to_owned());
            }
        }
        // Tried on an address of its kind: a pattern that cannot be read fails there.
        let probe = if text.contains(':') {
            "2001:db8::1"
        } else {
            "192.0.2.1"
        };
        let is_network = !text.is_empty()
            && text.contains(['.', ':'])
            && IpExpression::new(text)
                .matches(&Host::new(probe), 0)
                .is_ok();
        if is_network {
            Ok(Self::Network(text.to_owned()))
        } else {
            Err(expected.to_owned())
        }
    }

    /// Whether an address is among them.
    pub fn takes(&self, url: &Url, zones: &Zones) -> bool {
        match self {
            Self::Zone(name) => zones.of_provider(url) == Some(name),
            Self::Application(name) => {
                let own = url
                    .parameter("remote.application")
                    .or_else(|| url.parameter("application"));
                own == Some(name)
            }
            Self::Network(pattern) => {
                let host = Host::of(url.host.as_deref());
                IpExpression::new(pattern).matches(&host, url.port) == Ok(true)
            }
            Self::Parameter(key, value) => url.parameter(key) == Some(value),
        }
    }
}

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: Cow<'_, str> = match self {
            Self::Zone(name) => format!("zone={name}").into(),
            Self::Application(name) => format!("app={name}").into(),
            Self::Network(pattern) => pattern.into(),
            Self::Parameter(key, value) => format!("{key}={value}").into(),
        };
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::providers::provider;

    #[test]
    fn what_is_gone() {
        let mut zones = Zones::default();
        zones.key = Some("room".to_owned());
        zones.add("A", "10.1.0.0/16").unwrap();
        zones.add("B", "10.2.0.0/16,10.3.0.0/16").unwrap();
        let (_, plain) = provider("dubbo://10.3.0.7:20880/a.B?application=x").unwrap();
        let (_, said) = provider("dubbo://10.3.0.7:20880/a.B?application=x&room=A").unwrap();
        let of = |url| zones.of_provider(url);
        assert_eq!((of(&plain), of(&said)), (Some("B"), Some("A")));
        for (text, gone) in [
            ("zone=B", true),
            ("zone=A", false),
            ("app=x", true),
            ("app=y", false),
            ("10.3.0.0/16", true),
            ("10.3.0.7", true),
            ("10.3.*.*", true),
            ("10.2.0.0/16", false),
            ("room=A", false),
        ] {
            let what = Gone::parse(text).unwrap();
            assert_eq!(what.takes(&plain, &zones), gone, "{text}");
            assert_eq!(what.to_string(), text);
        }
        for wrong in ["", "zone=", "=x", "A", "10.3.0.0/99", "10.3"] {
            assert!(Gone::parse(wrong).is_err(), "{wrong}");
        }
    }
}
