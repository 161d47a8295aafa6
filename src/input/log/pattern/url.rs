//! URLs inside messages: of a consumer, a provider or a registry, and what their parameters say about whom.

use std::borrow::Cow;

use super::super::fact::{KeyClaim, Presence};

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

    /// All of them, as they stand.
    pub(super) fn parameters(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.parameters.iter().copied()
    }

    pub(super) fn is(&self, key: &str, value: &str) -> bool {
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

pub(super) const SIDE: &str = "side";

pub(super) fn registry_kind<'a>(url: &SaidUrl<'a>) -> Option<&'a str> {
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
