//! Whether what a provider offers is what a consumer asks for, as the real classes compare it.
//!
//! The interface level compares [`Terms`] ([`is_match`]), the application level compares [`ProtocolServiceKey`]s;
//! they do not agree on lists and `*`, and both mirror that.

use std::borrow::Cow;

use crate::model::service_key::ServiceKey;
use crate::model::url::{Url, is_true};
use crate::model::version::Line;

const ANY: &str = "*";
const PROVIDERS: &str = "providers";

/// The one thing in which an offer fails first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mismatch {
    /// Another interface.
    Interface,
    /// A category that the consumer did not subscribe.
    Category,
    /// Switched off: `enabled` is there and not `true`.
    Enabled,
    /// Another group, or one side has none.
    Group,
    /// Another version, or one side has none.
    Version,
    /// Another classifier.
    Classifier,
}

/// What the two sides compare. Absent and empty are not the same for group and version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Terms<'a> {
    /// The interface, else the path.
    pub interface: Option<&'a str>,
    /// `category`; none or empty means `providers`.
    pub category: Option<&'a str>,
    /// `enabled`.
    pub enabled: Option<&'a str>,
    /// `group`.
    pub group: Option<&'a str>,
    /// `version`.
    pub version: Option<&'a str>,
    /// `classifier`; none or empty means `*`.
    pub classifier: Option<&'a str>,
}

impl<'a> From<&'a Url> for Terms<'a> {
    fn from(url: &'a Url) -> Self {
        Self {
            interface: url.service_interface(),
            category: url.parameter("category"),
            enabled: url.parameter("enabled"),
            group: url.group(),
            version: url.version(),
            classifier: url.parameter("classifier"),
        }
    }
}

/// The registry's filter (`UrlUtils.isMatch`, the same in all lines): the first failure in the order of the real code.
///
/// No version lists, no ranges, and an absent version is not `0.0.0`.
pub fn is_match(consumer: &Terms<'_>, provider: &Terms<'_>) -> Result<(), Mismatch> {
    CHECKS
        .iter()
        .find(|(_, holds)| !holds(consumer, provider))
        .map_or(Ok(()), |&(m, _)| Err(m))
}

/// Everything in which an offer fails, in the order of the real code, which stops at the first.
pub fn mismatches(consumer: &Terms<'_>, provider: &Terms<'_>) -> Vec<Mismatch> {
    CHECKS
        .iter()
        .filter(|(_, holds)| !holds(consumer, provider))
        .map(|&(m, _)| m)
        .collect()
}

type Check = fn(&Terms<'_>, &Terms<'_>) -> bool;

/// The checks of `UrlUtils.isMatch` (consumer, provider), in its order.
const CHECKS: [(Mismatch, Check); 6] = [
    (Mismatch::Interface, |consumer, provider| {
        is_any(consumer.interface)
            || is_any(provider.interface)
            || consumer.interface == provider.interface
    }),
    (Mismatch::Category, |consumer, provider| {
        let category = |terms: &Terms<'_>| or_default(terms.category, PROVIDERS).to_owned();
        is_match_category(&category(provider), Some(&category(consumer)))
    }),
    (Mismatch::Enabled, |consumer, provider| {
        is_true(or_default(provider.enabled, "true")) || is_any(consumer.enabled)
    }),
    (Mismatch::Group, |consumer, provider| {
        is_any(consumer.group)
            || consumer.group == provider.group
            || list_contains(consumer.group, provider.group)
    }),
    (Mismatch::Version, |consumer, provider| {
        is_any(consumer.version) || consumer.version == provider.version
    }),
    (Mismatch::Classifier, |consumer, provider| {
        let asked = or_default(consumer.classifier, ANY);
        asked == ANY || asked == or_default(provider.classifier, ANY)
    }),
];

fn is_any(text: Option<&str>) -> bool {
    text == Some(ANY)
}

/// `URL.getParameter(key, default)`: an empty value counts as absent.
fn or_default<'a>(text: Option<&'a str>, default: &'a str) -> &'a str {
    text.filter(|t| !t.is_empty()).unwrap_or(default)
}

/// Whether a category is among the subscribed ones: a **substring** test, `*` takes any, a `-` anywhere turns it round
/// (`UrlUtils.isMatchCategory`, all lines).
pub fn is_match_category(category: &str, categories: Option<&str>) -> bool {
    match categories {
        None | Some("") => category == PROVIDERS,
        Some(list) if list.contains(ANY) => true,
        Some(list) if list.contains('-') => !list.contains(&format!("-{category}")),
        Some(list) => list.contains(category),
    }
}

/// `StringUtils.isContains(list, item)`: the list is split at commas with the white space around them.
fn list_contains(list: Option<&str>, item: Option<&str>) -> bool {
    let (Some(list), Some(item)) = (list, item.filter(|item| !item.is_empty())) else {
        return false;
    };
    let white = |c: char| matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r');
    let commas = list.matches(',').count();
    list.split(',').enumerate().any(|(i, part)| {
        let part = if i > 0 {
            part.trim_start_matches(white)
        } else {
            part
        };
        let part = if i < commas {
            part.trim_end_matches(white)
        } else {
            part
        };
        part == item
    })
}

/// `UrlUtils.isMatchGlobPattern(pattern, value)`: only the **last** `*` is a wildcard, and prefix and suffix may overlap.
///
/// Empty and absent are the same here.
pub fn is_match_glob(pattern: Option<&str>, value: Option<&str>) -> bool {
    let (pattern, value) = (pattern.unwrap_or_default(), value.unwrap_or_default());
    if pattern == ANY {
        return true;
    }
    if pattern.is_empty() || value.is_empty() {
        return pattern.is_empty() && value.is_empty();
    }
    match pattern.rsplit_once('*') {
        None => pattern == value,
        Some((prefix, suffix)) => value.starts_with(prefix) && value.ends_with(suffix),
    }
}

/// As [`is_match_glob`], with `$name` standing for that part or parameter of the consumer's URL; an absent one
/// matches only an absent value (`UrlUtils.isMatchGlobPattern(pattern, value, param)`).
pub fn is_match_glob_of(pattern: &str, value: Option<&str>, consumer: &Url) -> bool {
    match pattern.strip_prefix('$') {
        Some(name) => is_match_glob(raw_parameter(consumer, name).as_deref(), value),
        None => is_match_glob(Some(pattern), value),
    }
}

/// `URL.getRawParameter`: six names are parts of the URL, the rest parameters.
fn raw_parameter<'a>(url: &'a Url, name: &str) -> Option<Cow<'a, str>> {
    let part = |part: &'a Option<String>| part.as_deref().map(Cow::Borrowed);
    match name {
        "protocol" => part(&url.protocol),
        "username" => part(&url.username),
        "password" => url
            .password
            .as_ref()
            .map(|secret| Cow::Borrowed(secret.expose())),
        "host" => part(&url.host),
        "port" => Some(Cow::Owned(url.port.to_string())),
        "path" => part(&url.path),
        _ => url.parameter(name).map(Cow::Borrowed),
    }
}

/// A service key with the protocol, as the application level compares them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtocolServiceKey {
    /// The interface; metadata without one exists.
    pub interface: Option<String>,
    /// The group; empty is none.
    pub group: Option<String>,
    /// The version; empty is none.
    pub version: Option<String>,
    /// The protocol; empty is none.
    pub protocol: Option<String>,
}

/// In what a service of the application level fails to be the one that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyMismatch {
    /// Another interface.
    Interface,
    /// Another version, or one side has none.
    Version,
    /// Another group, or one side has none.
    Group,
    /// Another protocol.
    Protocol,
}

impl ProtocolServiceKey {
    /// Whether a published service is the one that this key asks for.
    ///
    /// 3.1 on: `ProtocolServiceKey.Matcher.isMatch` (`*`, and lists whose items are trimmed, for version, group and
    /// protocol; no protocol asked takes any). 2.7 and 3.0 look the key's text up in a map.
    pub fn accepts(&self, target: &Self, line: Line) -> Result<(), KeyMismatch> {
        type M = KeyMismatch;
        if self.interface != target.interface {
            return Err(M::Interface);
        }
        let fields = [
            (&self.version, &target.version, M::Version),
            (&self.group, &target.group, M::Group),
            (&self.protocol, &target.protocol, M::Protocol),
        ];
        for (asked, given, mismatch) in fields {
            let asked_text = asked.as_deref().unwrap_or_default();
            let given_text = given.as_deref().unwrap_or_default();
            let accepted = if line >= Line::V3_1 {
                asked_text == ANY
                    || asked_text.is_empty() && mismatch == M::Protocol
                    || item_matches(asked_text, given_text)
            } else if mismatch == M::Protocol {
                asked == given
            } else {
                asked_text == given_text
            };
            if !accepted {
                return Err(mismatch);
            }
        }
        Ok(())
    }

    /// The key as that line writes it (`ProtocolServiceKey.toString`; before 3.1 `URL.getProtocolServiceKey`). The
    /// word `null` stands where there is no protocol or no interface.
    pub fn text(&self, line: Line) -> String {
        let protocol = self.protocol.as_deref().unwrap_or("null");
        let group = self
            .group
            .as_deref()
            .filter(|_| self.interface.is_some() || line >= Line::V3_1);
        let version = self
            .version
            .as_deref()
            .filter(|_| self.interface.is_some() || line >= Line::V3_1);
        let interface = self.interface.as_deref().unwrap_or("null");
        format!("{}:{protocol}", ServiceKey::new(group, interface, version))
    }
}

/// One field of `ServiceKey.Matcher`: equal, or one of a list; an empty item takes an empty text.
fn item_matches(asked: &str, given: &str) -> bool {
    if asked.contains(',') {
        let trim = |item: &'_ str| item.trim_matches(|c| c <= ' ').to_owned();
        asked.split(',').any(|item| trim(item) == given)
    } else {
        asked == given
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::version::DubboVersion;

    fn terms<'a>(group: Option<&'a str>, version: Option<&'a str>) -> Terms<'a> {
        Terms {
            interface: Some("a.B"),
            group,
            version,
            ..Terms::default()
        }
    }

    #[test]
    fn the_first_mismatch_in_the_order_of_the_code() {
        let asked = Terms {
            classifier: Some("c"),
            ..terms(Some("g"), Some("1"))
        };
        let mut offer = Terms {
            interface: Some("a.C"),
            category: Some("routers"),
            enabled: Some("no"),
            group: None,
            version: None,
            classifier: None,
        };
        let all = mismatches(&asked, &offer);
        let mut found = Vec::new();
        for _ in 0..6 {
            let mismatch = is_match(&asked, &offer).unwrap_err();
            found.push(mismatch);
            match mismatch {
                Mismatch::Interface => offer.interface = asked.interface,
                Mismatch::Category => offer.category = asked.category,
                Mismatch::Enabled => offer.enabled = Some("TRUE"),
                Mismatch::Group => offer.group = asked.group,
                Mismatch::Version => offer.version = asked.version,
                Mismatch::Classifier => offer.classifier = asked.classifier,
            }
        }
        assert_eq!(
            found,
            [
                Mismatch::Interface,
                Mismatch::Category,
                Mismatch::Enabled,
                Mismatch::Group,
                Mismatch::Version,
                Mismatch::Classifier
            ]
        );
        assert_eq!(all, found);
        assert_eq!(is_match(&asked, &offer), Ok(()));
    }

    #[test]
    fn lists_and_wildcards_of_the_interface_level() {
        for (asked, given, ok) in [
            (Some("a, b"), Some("b"), true),
            (Some("a, b"), Some(" b"), false),
            (Some("a,b"), None, false),
            (Some("*"), None, true),
            (None, Some(""), false),
            (Some(""), Some(""), true),
            (Some(",g"), Some(""), false),
        ] {
            let result = is_match(&terms(asked, None), &terms(given, None));
            assert_eq!(result.is_ok(), ok, "{asked:?} {given:?}");
        }
        assert_eq!(
            is_match(&terms(None, Some("1,2")), &terms(None, Some("2"))),
            Err(Mismatch::Version)
        );
        assert_eq!(
            is_match(&terms(None, None), &terms(None, Some("0.0.0"))),
            Err(Mismatch::Version)
        );
    }

    #[test]
    fn globs() {
        for (pattern, value, ok) in [
            ("ab*ba", "aba", true),
            ("a*b*c", "aXb*c", false),
            ("a*b*c", "a*bXc", true),
            ("*", "", true),
            ("", "", true),
            ("a*", "", false),
            ("**", "x", false),
        ] {
            assert_eq!(
                is_match_glob(Some(pattern), Some(value)),
                ok,
                "{pattern} {value}"
            );
        }
        let url = Url::parse(
            "consumer://10.0.0.1/x?g=a*",
            &DubboVersion::newest(Line::V3_3),
        )
        .unwrap();
        assert!(is_match_glob_of("$host", Some("10.0.0.1"), &url));
        assert!(is_match_glob_of("$g", Some("abc"), &url));
        assert!(is_match_glob_of("$port", Some("0"), &url));
        assert!(
            is_match_glob_of("$none", None, &url) && !is_match_glob_of("$none", Some("x"), &url)
        );
    }

    #[test]
    fn application_level_by_line() {
        let key = |group: &str, version: &str, protocol: Option<&str>| ProtocolServiceKey {
            interface: Some("a.B".into()),
            group: Some(group.into()),
            version: Some(version.into()),
            protocol: protocol.map(str::to_owned),
        };
        let given = key("g", "1.0", Some("tri"));
        assert_eq!(key("x, g", "*", None).accepts(&given, Line::V3_1), Ok(()));
        assert_eq!(
            key("g", "1.0", None).accepts(&given, Line::V3_0),
            Err(KeyMismatch::Protocol)
        );
        assert_eq!(
            key("g", "2.0", None).accepts(&given, Line::V3_3),
            Err(KeyMismatch::Version)
        );
        assert_eq!(
            key("", "1.0", None).accepts(&given, Line::V3_3),
            Err(KeyMismatch::Group)
        );
        assert_eq!(given.text(Line::V3_3), "g/a.B:1.0:tri");
    }

    proptest! {
        #[test]
        fn an_offer_equal_to_the_question_is_taken(
            group in prop::option::of("[a-c,*]{0,4}"), version in prop::option::of("[0-9.,*]{0,4}"),
        ) {
            let both = terms(group.as_deref(), version.as_deref());
            prop_assert_eq!(is_match(&both, &both), Ok(()));
        }

        #[test]
        fn a_prefix_with_a_star_matches(text in "[a-z]{1,8}", cut in 0usize..8) {
            let pattern = format!("{}*", &text[..cut.min(text.len())]);
            prop_assert!(is_match_glob(Some(&pattern), Some(&text)));
        }
    }
}
