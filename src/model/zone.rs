//! Rooms and data centres: which one an address is in, by its network or by a parameter of its provider.

use std::{collections::BTreeSet, net::IpAddr};

use ipnet::IpNet;

use super::url::Url;

/// The zones that somebody named. Empty: nobody did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Zones {
    /// Networks with the zone they are in.
    networks: Vec<(IpNet, String)>,
    /// Parameter or metadata key of a provider that names its zone; it wins over networks.
    pub key: Option<String>,
    /// The consumer's zone, when it is said.
    pub consumer: Option<String>,
}

impl Zones {
    /// Whether nothing was said about zones.
    pub fn is_empty(&self) -> bool {
        self.networks.is_empty() && self.key.is_none() && self.consumer.is_none()
    }

    /// Whether the zone of any provider can be told.
    pub fn has_any(&self) -> bool {
        !self.networks.is_empty() || self.key.is_some()
    }

    /// The names of the zones that networks were given for.
    pub fn names(&self) -> BTreeSet<&str> {
        self.networks
            .iter()
            .map(|(_, zone)| zone.as_str())
            .collect()
    }

    /// Adds networks of a zone, separated by commas; a bare address is a network of its own.
    ///
    /// # Errors
    /// One of them is no network. The text names it.
    pub fn add(&mut self, zone: &str, networks: &str) -> Result<(), String> {
        let zone = zone.trim();
        if zone.is_empty() {
            return Err("a zone needs a name: NAME=CIDR[,CIDR]".to_owned());
        }
        for text in networks.split(',').map(str::trim) {
            let network = text
                .parse::<IpNet>()
                .ok()
                .or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
                .ok_or_else(|| {
                    format!("`{text}` is no network: write it as 10.1.0.0/16 or 10.1.2.3")
                })?;
            self.networks.push((network.trunc(), zone.to_owned()));
        }
        Ok(())
    }

    /// The zone of a host, by the narrowest network that has it.
    pub fn of_host(&self, host: &str) -> Option<&str> {
        let ip: IpAddr = host.trim_matches(['[', ']']).parse().ok()?;
        self.networks
            .iter()
            .filter(|(network, _)| network.contains(&ip))
            .max_by_key(|(network, _)| network.prefix_len())
            .map(|(_, zone)| zone.as_str())
    }

    /// The zone of a provider: what its own parameter says, else by its host.
    pub fn of_provider<'a>(&'a self, url: &'a Url) -> Option<&'a str> {
        let said = self.key.as_deref().and_then(|key| url.text(key));
        said.or_else(|| self.of_host(url.host.as_deref()?))
    }

    /// The consumer's zone: as said, else by its address.
    pub fn of_consumer(&self, ip: Option<&str>) -> Option<&str> {
        self.consumer
            .as_deref()
            .or_else(|| self.of_host(ip.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::version::{DubboVersion, Line};

    #[test]
    fn the_narrowest_network_counts_and_a_parameter_before_it() {
        let mut zones = Zones {
            key: Some("zone".to_owned()),
            ..Zones::default()
        };
        zones.add("a", "10.1.0.0/16, fd00:1::/32").unwrap();
        zones.add("b", "10.1.9.0/24,10.2.0.7").unwrap();
        for (host, zone) in [
            ("10.1.2.3", Some("a")),
            ("10.1.9.3", Some("b")),
            ("10.2.0.7", Some("b")),
            ("10.2.0.8", None),
            ("[fd00:1::5]", Some("a")),
            ("order.example.com", None),
        ] {
            assert_eq!(zones.of_host(host), zone, "{host}");
        }
        let newest = DubboVersion::newest(Line::V3_3);
        let of = |text: &str| {
            let url = Url::parse(text, &newest).unwrap();
            zones.of_provider(&url).map(str::to_owned)
        };
        assert_eq!(of("dubbo://10.1.2.3:1/a.B?zone=c").as_deref(), Some("c"));
        assert_eq!(of("dubbo://10.1.2.3:1/a.B?zone=").as_deref(), Some("a"));
        assert_eq!(zones.of_consumer(Some("10.1.2.3")), Some("a"));
        zones.consumer = Some("z".to_owned());
        assert_eq!(zones.of_consumer(Some("10.1.2.3")), Some("z"));
        assert!(Zones::default().is_empty() && !zones.is_empty());
        let only_consumer = Zones {
            consumer: Some("z".to_owned()),
            ..Zones::default()
        };
        assert!(zones.has_any() && !only_consumer.has_any() && !only_consumer.is_empty());
    }

    #[test]
    fn what_is_no_network_is_named() {
        let error = Zones::default().add("a", "10.1.0.0/16,10.1").unwrap_err();
        assert!(error.starts_with("`10.1` is no network"), "{error}");
        assert!(Zones::default().add(" ", "10.0.0.0/8").is_err());
    }

    proptest! {
        #[test]
        fn takes_any_text(zone in "\\PC{0,8}", networks in "\\PC{0,40}", host in "\\PC{0,20}") {
            let mut zones = Zones::default();
            let _ = zones.add(&zone, &networks);
            let _ = zones.of_host(&host);
        }
    }
}
