//! URLs of consumers, providers and registries put down as facts: whose a parameter is depends on whose URL it is in.

use super::super::claim::Claim;
use super::super::fact::{End, Fact, KeyClaim, Presence, Strength};
use super::cursor::{Cursor, Span};
use super::draft::Draft;
use super::url::{SIDE, SaidUrl, registry_kind};

/// Parameters of a registry's address that decide what a consumer asks of it.
const ASKED_WITH: [&str; 2] = ["registry-type", "subscribe"];

/// Settings of a reference that decide a call: of it all, or behind a method's name.
const OF_REFERENCE: [&str; 12] = [
    "timeout",
    "retries",
    "cluster",
    "loadbalance",
    "actives",
    "connections",
    "forks",
    "payload",
    "sent",
    "enable-timeout-countdown",
    "protocol",
    "dubbo.tag",
];

/// Parameters that only providers have: 2.x merges them into the reference's URL.
const MERGED: [&str; 3] = ["anyhost", "remote.application", "remote.timestamp"];

/// Most settings that are kept of one URL.
const MOST_SETTINGS: usize = 200;

fn is_of_reference(name: &str) -> bool {
    OF_REFERENCE.contains(&name)
        || name.rsplit_once('.').is_some_and(|(method, setting)| {
            !method.contains('.') && OF_REFERENCE[..10].contains(&setting)
        })
}

impl Draft {
    fn derive(
        &mut self,
        make: fn(Fact<String>) -> Claim,
        value: Option<&str>,
        cursor: &Cursor<'_>,
        span: Span,
    ) {
        if let Some(value) = value {
            self.put(make, Fact::derived(value.to_owned(), cursor.place(span)));
        }
    }

    /// The URL of a reference: `consumer://ip/..`, `dubbo://ip/..` of 2.7.10+, or a registry address that carries the
    /// reference's parameters.
    pub(crate) fn put_consumer_url(&mut self, cursor: &Cursor<'_>, span: Span) {
        let Some(url) = SaidUrl::parse(cursor.str(span)) else {
            return;
        };
        let place = cursor.place(span);
        if let Some(key) = url
            .key()
            .filter(|key| !key.interface.ends_with("RegistryService"))
        {
            self.facts.push(Claim::Service(Fact::derived(key, place)));
        }
        if url.is(SIDE, "provider") || url.scheme == "provider" {
            self.put_end(End::Provider, cursor, span);
            self.derive(
                Claim::ProviderApplication,
                url.get("application"),
                cursor,
                span,
            );
            return;
        }
        self.derive(Claim::Application, url.get("application"), cursor, span);
        self.derive(Claim::Dubbo, url.get("release"), cursor, span);
        self.derive(Claim::Protocol, url.get("protocol"), cursor, span);
        self.derive(Claim::Cluster, url.get("cluster"), cursor, span);
        self.put_settings(&url, cursor, span);
        self.put_reference(&url, cursor, span);
        if !url.is_registry() && !url.host().is_empty() {
            self.put_address(
                Claim::ConsumerIp,
                Fact::derived(url.host().to_owned(), place),
            );
        }
    }

    /// The settings of a reference as its own URL has them.
    fn put_reference(&mut self, url: &SaidUrl<'_>, cursor: &Cursor<'_>, span: Span) {
        let whole = url.get("interface").is_some() && url.is(SIDE, "consumer");
        let settings: Vec<String> = url
            .parameters()
            .filter(|(name, value)| is_of_reference(name) && !value.is_empty())
            .map(|(name, value)| format!("{name}={value}"))
            .take(MOST_SETTINGS)
            .collect();
        if !whole && settings.is_empty() {
            return;
        }
        let make = if MERGED.iter().any(|name| url.get(name).is_some()) {
            Claim::ReferenceMerged
        } else {
            Claim::Reference
        };
        self.facts
            .push(make(Fact::derived(settings, cursor.place(span))));
    }

    /// The settings of a call as the URL of its invoker has them (`RegistryDirectory.mergeUrl` of 2.x): those of the
    /// reference, of the provider and of rules in one. Protocol and tag are the provider's there.
    fn put_merged(&mut self, url: &SaidUrl<'_>, cursor: &Cursor<'_>, span: Span) {
        let settings: Vec<String> = url
            .parameters()
            .filter(|(name, value)| {
                is_of_reference(name) && !OF_REFERENCE[10..].contains(name) && !value.is_empty()
            })
            .map(|(name, value)| format!("{name}={value}"))
            .take(MOST_SETTINGS)
            .collect();
        if url.is(SIDE, "consumer") && url.get("interface").is_some() {
            self.facts.push(Claim::ReferenceMerged(Fact::derived(
                settings,
                cursor.place(span),
            )));
        }
    }

    /// Effective settings of a reference.
    fn put_settings(&mut self, url: &SaidUrl<'_>, cursor: &Cursor<'_>, span: Span) {
        let place = cursor.place(span);
        if let Some(check) = url.get("check").and_then(|value| value.parse().ok()) {
            self.facts.push(Claim::Check(Fact::derived(check, place)));
        }
        if let Some(retries) = url.get("retries").and_then(|value| value.parse().ok()) {
            self.facts
                .push(Claim::Retries(Fact::derived(retries, place)));
        }
        let method = self
            .facts
            .method()
            .map(|method| format!("{}.timeout", method.value));
        let timeout = method
            .and_then(|key| url.get(&key))
            .or_else(|| url.get("timeout"));
        if let Some(timeout) = timeout.and_then(|value| value.parse().ok()) {
            self.facts
                .push(Claim::TimeoutMs(Fact::derived(timeout, place)));
        }
    }

    /// A registry's own URL (`SUB-FAIL`, `REGISTER`): its `group` is the root or the Nacos group, never Dubbo's.
    pub(crate) fn put_registry_url(&mut self, cursor: &Cursor<'_>, span: Span) {
        let Some(url) = SaidUrl::parse(cursor.str(span)) else {
            self.put_address(Claim::Registry, cursor.fact(span));
            return;
        };
        self.put_registry_place(&url, cursor, span);
        if url.is(SIDE, "provider")
            || self
                .facts
                .printed_by()
                .is_some_and(|end| end.value == End::Provider)
        {
            self.derive(
                Claim::ProviderApplication,
                url.get("application"),
                cursor,
                span,
            );
        } else {
            self.derive(Claim::Application, url.get("application"), cursor, span);
        }
    }

    fn put_registry_place(&mut self, url: &SaidUrl<'_>, cursor: &Cursor<'_>, span: Span) {
        let place = cursor.place(span);
        self.put_registry_address(url, cursor, span);
        let kind = registry_kind(url);
        let group = url.get("nacos.group").or_else(|| url.get("group"));
        match kind {
            Some("nacos") => self.derive(Claim::NacosGroup, group, cursor, span),
            Some("zookeeper") => {
                if let Some(group) = url.get("group") {
                    self.put(
                        Claim::RegistryRoot,
                        Fact::stated(group.trim_matches('/').to_owned(), place),
                    );
                }
            }
            _ => {}
        }
        let namespace = ["namespace", "nacos.namespaceId", "registry.namespace"]
            .iter()
            .find_map(|key| url.get(key));
        if let Some(namespace) = namespace {
            self.put(Claim::Namespace, Fact::stated(namespace.to_owned(), place));
        }
        let params: Vec<String> = ASKED_WITH
            .iter()
            .filter_map(|name| Some(format!("{name}={}", url.get(name)?)))
            .collect();
        if !params.is_empty() {
            self.facts
                .push(Claim::RegistryParams(Fact::stated(params, place)));
        }
    }

    /// Address, kind and further members alone: what a registry address that carries a reference's parameters proves.
    pub(crate) fn put_registry_address(
        &mut self,
        url: &SaidUrl<'_>,
        cursor: &Cursor<'_>,
        span: Span,
    ) {
        let place = cursor.place(span);
        let mut members = url.address.split(',');
        if let Some(first) = members.next().filter(|first| !first.is_empty()) {
            self.put_address(Claim::Registry, Fact::stated(first.to_owned(), place));
        }
        let backup: Vec<String> = members
            .chain(
                url.get("backup")
                    .into_iter()
                    .flat_map(|list| list.split(',')),
            )
            .map(str::to_owned)
            .collect();
        if !backup.is_empty() {
            self.put_list(Claim::RegistryBackup, Fact::stated(backup, place));
        }
        if let Some(kind) = registry_kind(url) {
            self.put(Claim::RegistryKind, Fact::stated(kind.to_owned(), place));
        }
    }

    /// The provider of a call: a URL, or an instance with a service of 3.x. What its parameters say depends on whose
    /// they are: a merged URL (2.x, and client URLs of all lines) carries the consumer's effective values, a raw one
    /// the provider's.
    pub(crate) fn put_provider(&mut self, cursor: &Cursor<'_>, span: Span) {
        let text = cursor.str(span);
        if text.contains("ServiceInstance{") {
            self.put_instance(cursor, span);
            return;
        }
        let Some(url) = SaidUrl::parse(text) else {
            return;
        };
        let place = cursor.place(span);
        if !url.address.is_empty() {
            self.put_address(
                Claim::Provider,
                Fact::derived(url.address.to_owned(), place),
            );
        }
        if let Some(key) = url.key() {
            self.facts.push(Claim::Service(Fact::derived(key, place)));
        }
        self.derive(Claim::ProviderRelease, url.get("release"), cursor, span);
        let merged = url.is(SIDE, "consumer") || url.get("remote.application").is_some();
        if merged {
            self.derive(Claim::Application, url.get("application"), cursor, span);
            self.derive(
                Claim::ProviderApplication,
                url.get("remote.application"),
                cursor,
                span,
            );
            self.put_settings(&url, cursor, span);
            self.put_merged(&url, cursor, span);
        } else if url.is(SIDE, "provider") {
            self.derive(
                Claim::ProviderApplication,
                url.get("application"),
                cursor,
                span,
            );
            self.derive(Claim::ProviderTimeout, url.get("timeout"), cursor, span);
        }
        if url.is("disabled", "true") {
            self.facts.push(Claim::Disabled(Fact::derived(true, place)));
        }
    }

    /// `DefaultServiceInstance{serviceName='..', host='..', port=..}, service{name='..',group='..',..,params={..}}`.
    fn put_instance(&mut self, cursor: &Cursor<'_>, span: Span) {
        let quoted = |c: &mut Cursor<'_>, front: &str| {
            c.until_across(&[front])?;
            let value = c.until_across(&["'"])?.1;
            Some(c.fact(value))
        };
        let place = cursor.place(span);
        let mut c = cursor.within(span);
        if let Some(application) = quoted(&mut c, "serviceName='") {
            self.put(
                Claim::ProviderApplication,
                Fact {
                    strength: Strength::Derived,
                    ..application
                },
            );
        }
        let address = quoted(&mut c, "host='").and_then(|host| {
            c.until_across(&["port="])?;
            let port = c.number()?;
            Some(format!("{}:{}", host.value, c.str(port)))
        });
        if let Some(address) = address {
            self.put_address(Claim::Provider, Fact::derived(address, place));
        }
        if let Some(name) = quoted(&mut c, "service{name='").filter(|name| !name.value.is_empty()) {
            let mut part = |front: &str| match quoted(&mut c, front).map(|fact| fact.value) {
                Some(value) if value == "null" || value.is_empty() => Presence::Absent,
                Some(value) if value == "0.0.0" => Presence::Unknown,
                Some(value) => Presence::Is(value),
                None => Presence::Unknown,
            };
            let (group, version) = (part("group='"), part("version='"));
            let key = KeyClaim {
                interface: name.value,
                group,
                version,
            };
            self.facts
                .push(Claim::Service(Fact::derived(key, name.place)));
        }
        let parameter = |key: &str| {
            let after = cursor
                .str(span)
                .split("params={")
                .nth(1)?
                .split(key)
                .nth(1)?;
            after
                .split([',', '}'])
                .next()
                .map(str::trim)
                .filter(|value| !value.is_empty())
        };
        self.derive(Claim::ProviderRelease, parameter("release="), cursor, span);
        self.derive(Claim::ProviderTimeout, parameter("timeout="), cursor, span);
    }

    /// Which end wrote the line.
    pub(crate) fn put_end(&mut self, end: End, cursor: &Cursor<'_>, span: Span) {
        self.facts
            .push(Claim::PrintedBy(Fact::derived(end, cursor.place(span))));
    }
}
