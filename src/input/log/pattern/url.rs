//! URLs inside messages: of a consumer, a provider or a registry, and what their parameters say about whom.

use std::borrow::Cow;

use super::super::claim::Claim;
use super::super::fact::{End, Fact, KeyClaim, Presence, Strength};
use super::cursor::{Cursor, Span};
use super::draft::Draft;

/// A URL as far as a message shows it.
#[derive(Debug, Clone, Default)]
pub(crate) struct SaidUrl<'a> {
    pub(crate) scheme: &'a str,
    /// `host:port`, `host` or nothing; user and password left out.
    pub(crate) address: &'a str,
    pub(crate) path: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
}

impl<'a> SaidUrl<'a> {
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.trim().split_once("://")?;
        if scheme.is_empty()
            || !scheme.bytes().all(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+')
            })
        {
            return None;
        }
        let (front, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = front.split_once('/').unwrap_or((front, ""));
        let address = authority.rsplit('@').next().unwrap_or(authority);
        let parameters = query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .map(|(key, value)| (key.strip_prefix("default.").unwrap_or(key), value))
            .collect();
        Some(Self {
            scheme,
            address,
            path,
            parameters,
        })
    }

    /// A parameter that is there and not empty.
    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        self.parameters
            .iter()
            .find(|(known, _)| *known == key)
            .map(|(_, value)| *value)
            .filter(|value| !value.is_empty())
    }

    fn is(&self, key: &str, value: &str) -> bool {
        self.get(key) == Some(value)
    }

    /// `host` without the port.
    pub(crate) fn host(&self) -> &'a str {
        match self.address.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
            _ => self.address,
        }
    }

    /// Whether it is the address of a registry.
    pub(crate) fn is_registry(&self) -> bool {
        self.path.ends_with("RegistryService")
            || matches!(self.scheme, "registry" | "service-discovery-registry")
    }

    /// The service. A URL that shows its interface shows group and version where it has them.
    pub(crate) fn key(&self) -> Option<KeyClaim> {
        let path = self.path.rsplit('/').next().unwrap_or(self.path);
        let interface = self.get("interface").unwrap_or(path);
        if interface.is_empty() {
            return None;
        }
        let complete = self.get("interface").is_some();
        let part = |key: &str| match self.get(key) {
            Some("0.0.0") if key == "version" => Presence::Unknown,
            Some(value) => Presence::Is(value.to_owned()),
            None if complete => Presence::Absent,
            None => Presence::Unknown,
        };
        Some(KeyClaim {
            interface: interface.to_owned(),
            group: part("group"),
            version: part("version"),
        })
    }
}

/// Splits a list of URLs, each with its first byte in the list. Their parameters contain commas, too.
pub(crate) fn split_urls(list: &str) -> Vec<(usize, &str)> {
    let mut urls = Vec::new();
    let mut start = 0;
    let commas = list
        .match_indices(',')
        .map(|(at, _)| at)
        .filter(|at| begins_url(&list[at + 1..]));
    for end in commas.chain([list.len()]) {
        let part = &list[start..end];
        let url = part.trim();
        if !url.is_empty() {
            urls.push((start + part.len() - part.trim_start().len(), url));
        }
        start = (end + 1).min(list.len());
    }
    urls
}

fn begins_url(text: &str) -> bool {
    let text = text.trim_start();
    let scheme =
        text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+')));
    scheme.is_some_and(|end| end > 0 && text[end..].starts_with("://"))
}

/// A URL that was encoded as a whole.
pub(crate) fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains("%3A%2F%2F") && !text.contains("%3a%2f%2f") {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let raw = text.as_bytes();
    let mut at = 0;
    while at < raw.len() {
        let code = (raw[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(raw[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
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
        if !url.is_registry() && !url.host().is_empty() {
            self.put_address(
                Claim::ConsumerIp,
                Fact::derived(url.host().to_owned(), place),
            );
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

const SIDE: &str = "side";

fn registry_kind<'a>(url: &SaidUrl<'a>) -> Option<&'a str> {
    match url.scheme {
        "registry" | "service-discovery-registry" => url.get("registry"),
        "" => None,
        scheme => Some(scheme.strip_prefix("nacos+").map_or(scheme, |_| "nacos")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_may_contain_commas_and_urls_user_names() {
        let list = "dubbo://a:1/x?methods=b,c&y=1, tri://u:p@h:2/z,empty://q/r?category=a,b";
        let urls = split_urls(list);
        assert!(urls.iter().all(|(at, url)| list[*at..].starts_with(url)));
        let urls: Vec<&str> = urls.into_iter().map(|(_, url)| url).collect();
        assert_eq!(
            urls,
            [
                "dubbo://a:1/x?methods=b,c&y=1",
                "tri://u:p@h:2/z",
                "empty://q/r?category=a,b"
            ]
        );
        let url = SaidUrl::parse(urls[1]).unwrap();
        assert_eq!(
            (url.scheme, url.address, url.host(), url.path),
            ("tri", "h:2", "h", "z")
        );
        assert!(SaidUrl::parse("no url").is_none());
    }

    #[test]
    fn absence_is_proved_only_by_a_url_that_shows_its_interface() {
        let key = |url: &str| SaidUrl::parse(url).unwrap().key().unwrap();
        assert_eq!(key("dubbo://h/a.B?side=consumer").group, Presence::Unknown);
        assert_eq!(
            key("dubbo://h/ctx/a.B?interface=a.B&version=1").group,
            Presence::Absent
        );
        assert_eq!(
            key("dubbo://h/ctx/a.B?interface=a.B&version=1").version,
            Presence::Is("1".to_owned())
        );
        assert_eq!(
            key("dubbo://h/a.B?interface=a.B&version=0.0.0").version,
            Presence::Unknown
        );
    }

    #[test]
    fn a_whole_url_may_be_encoded() {
        assert_eq!(
            decoded("dubbo%3A%2F%2Fh%2Fa.B%3Fx%3D1%zz"),
            "dubbo://h/a.B?x=1%zz"
        );
        assert_eq!(decoded("a%3D"), "a%3D");
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in ".{0,80}", list in "[a-z:/?&=,%@ .0-9{}']{0,80}") {
            for text in [&text, &list] {
                let _ = SaidUrl::parse(text).map(|url| (url.key(), url.host().len()));
                let _ = split_urls(text);
                let _ = decoded(&format!("%3A%2F%2F{text}"));
            }
        }
    }
}
