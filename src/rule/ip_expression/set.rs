//! Many address expressions asked as one: whether any of them fits.
//!
//! A rule may list a hundred thousand of them, and each would be asked about every address. For ordinary IPv4 hosts they
//! are sorted by their form instead: plain addresses are looked up, patterns become four pairs of numbers.

use std::collections::{HashMap, HashSet};

use super::{Body, Host, IpExpression, Parts, Segment, number};

/// Expressions of which one must fit.
#[derive(Debug, Default)]
pub struct IpSet {
    /// Every host fits.
    any: bool,
    /// First and last address.
    networks: Vec<(u128, u128)>,
    /// Plain addresses with their ports; an empty set of ports is every port.
    hosts: HashMap<String, HashSet<String>>,
    patterns: Vec<Pattern>,
    /// Ports for which `0.0.0.0:port` stands, of whatever host.
    any_host: HashSet<String>,
    /// All of them, for other hosts.
    all: Vec<(IpExpression, Option<String>)>,
}

#[derive(Debug)]
struct Pattern {
    parts: [(u8, u8); 4],
    port: Option<String>,
}

impl IpSet {
    /// Prepares expressions.
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut set = Self::default();
        for text in texts {
            let expression = IpExpression::new(text);
            let any_host = text.strip_prefix("0.0.0.0:");
            set.any_host.extend(any_host.map(str::to_owned));
            set.add(&expression);
            set.all.push((expression, any_host.map(str::to_owned)));
        }
        set.networks.sort_unstable();
        set.networks.dedup();
        set
    }

    fn add(&mut self, expression: &IpExpression) {
        match expression {
            IpExpression::Any => self.any = true,
            IpExpression::Cidr(range) => self.networks.extend(range.iter()),
            IpExpression::Parts { v4, .. } => match &v4.body {
                Err(_) => {}
                Ok(Body::Address { text, resolved }) => {
                    let resolved = resolved.as_ref().ok();
                    for host in std::iter::once(text).chain(resolved) {
                        self.add_host(host, v4);
                    }
                }
                Ok(Body::Segments(segments)) => {
                    if let Some(parts) = numbers(segments) {
                        let port = v4.port.clone();
                        self.patterns.push(Pattern { parts, port });
                    }
                }
            },
        }
    }

    fn add_host(&mut self, host: &str, parts: &Parts) {
        match (&parts.port, self.hosts.get_mut(host)) {
            (None, _) => {
                self.hosts.insert(host.to_owned(), HashSet::new());
            }
            (Some(_), Some(known)) if known.is_empty() => {}
            (Some(port), Some(known)) => {
                known.insert(port.clone());
            }
            (Some(port), None) => {
                self.hosts
                    .insert(host.to_owned(), HashSet::from([port.clone()]));
            }
        }
    }

    /// Whether one of them fits; one that fails on this host does not.
    pub fn fits(&self, host: Option<&str>, port: u32) -> bool {
        if self.any && host.is_some() {
            return true;
        }
        let host = Host::of(host);
        let port_text = port.to_string();
        let octets = match host.ip() {
            Ok(std::net::IpAddr::V4(v4)) if host.is_valid_v4() => v4.octets(),
            _ => {
                return self.all.iter().any(|(expression, any_host)| {
                    expression
                        .matches(&host, port)
                        .is_ok_and(|fits| fits || any_host.as_deref() == Some(port_text.as_str()))
                });
            }
        };
        let listed = |port: &Option<String>| port.as_ref().is_none_or(|port| *port == port_text);
        let address = number(std::net::IpAddr::from(octets));
        self.any_host.contains(&port_text)
            || self
                .hosts
                .get(&host.text)
                .is_some_and(|ports| ports.is_empty() || ports.contains(&port_text))
            || self
                .networks
                .iter()
                .any(|(first, last)| (first..=last).contains(&&address))
            || self.patterns.iter().any(|pattern| {
                let fits = |(octet, (low, high)): (&u8, &(u8, u8))| (low..=high).contains(&octet);
                octets.iter().zip(&pattern.parts).all(fits) && listed(&pattern.port)
            })
    }
}

/// The parts of a pattern as numbers; `None` when one of them fits no number, or fails on every one.
fn numbers(segments: &[Segment]) -> Option<[(u8, u8); 4]> {
    let parts: Vec<(u8, u8)> = segments
        .iter()
        .map(|segment| match segment {
            Segment::Any => Some((0, u8::MAX)),
            Segment::Text(text) => {
                let octet = match text.as_str() {
                    "00" | "000" | "0000" => 0,
                    text => text.parse::<u8>().ok().filter(|n| n.to_string() == text)?,
                };
                Some((octet, octet))
            }
            Segment::Range { bounds, .. } => {
                let (low, high) = (*bounds).ok()?;
                let low = u8::try_from(low.max(0)).ok()?;
                let high = u8::try_from(high.min(255)).ok()?;
                Some((low, high))
            }
        })
        .collect::<Option<_>>()?;
    parts.try_into().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One after the other, as Dubbo asks them.
    fn one_by_one(texts: &[String], host: &str, port: u32) -> bool {
        let host = Host::new(host);
        texts.iter().any(|text| {
            let any_host = text.strip_prefix("0.0.0.0:") == Some(port.to_string().as_str());
            IpExpression::new(text)
                .matches(&host, port)
                .is_ok_and(|fits| fits || any_host)
        })
    }

    fn expression() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            "[0-3]{1,2}",
            Just("*".to_owned()),
            "[0-2]-[1-4]",
            "[0-9-]{1,4}",
            "25[0-9]",
        ];
        let dotted = prop::collection::vec(part, 3..5).prop_map(|parts| parts.join("."));
        let ending = prop_oneof![
            Just(String::new()),
            Just(":20880".to_owned()),
            Just(":1".to_owned()),
            "/[0-9]{1,2}",
        ];
        prop_oneof![
            (dotted, ending).prop_map(|(host, ending)| host + &ending),
            Just("0.0.0.0:20880".to_owned()),
            Just("*".to_owned()),
            "[0-9a-f.:*/\\[\\]-]{0,16}",
        ]
    }

    proptest! {
        #[test]
        fn a_set_says_what_its_expressions_say(
            texts in prop::collection::vec(expression(), 0..6),
            host in prop_oneof!["[0-3]\\.[0-3]\\.[0-3]\\.[0-3]", Just("127.0.0.1".to_owned()), Just("fe80::1".to_owned()), Just("a.b".to_owned())],
            port in prop_oneof![Just(20880_u32), Just(1)],
        ) {
            let set = IpSet::new(texts.iter().map(String::as_str));
            prop_assert_eq!(set.fits(Some(host.as_str()), port), one_by_one(&texts, &host, port));
        }
    }
}
