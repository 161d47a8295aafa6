//! What a consumer asks for and a provider exports: group, interface, version.
//!
//! The same three parts have three written forms, and they are not read alike: Dubbo's own key, what a person
//! types, and the key of a rule. Each form has its own reader here; joined texts must not be split elsewhere.

use std::fmt;

/// Group, interface and version of a service. An empty group or version is none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceKey {
    /// The interface's full name.
    pub interface: String,
    /// The group, if any.
    pub group: Option<String>,
    /// The version, if any.
    pub version: Option<String>,
}

/// Why a text is not a service key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServiceKeyError {
    /// No interface in it.
    #[error(
        "`{0}` names no interface: expected [group/]interface[:version], for example com.acme.OrderService"
    )]
    NoInterface(String),
    /// A `/` with nothing before it.
    #[error("`{0}` has an empty group before the `/`: leave the `/` out when there is no group")]
    EmptyGroup(String),
    /// A `:` with nothing after it.
    #[error("`{0}` has an empty version after the `:`: leave the `:` out when there is no version")]
    EmptyVersion(String),
    /// `interface:version:group`, the key of a rule, where a service key is expected.
    #[error(
        "`{text}` is the key of a rule (interface:version:group): the service key is `{suggestion}`"
    )]
    RuleKey {
        /// What was typed.
        text: String,
        /// The same in the right form.
        suggestion: String,
    },
    /// A URL instead of a key.
    #[error(
        "this is a URL, not a service key: expected [group/]interface[:version], for example com.acme.OrderService"
    )]
    Url,
    /// White space or a control character.
    #[error("`{0}` contains white space: expected [group/]interface[:version]")]
    WhiteSpace(String),
    /// Dubbo finds the version's `:` before the group's `/`.
    #[error("`{0}` has its first `:` before its first `/`: Dubbo cannot split it")]
    ColonBeforeSlash(String),
}

impl ServiceKey {
    /// Joins three parts; an empty group or version is none.
    pub fn new(group: Option<&str>, interface: &str, version: Option<&str>) -> Self {
        let part = |text: Option<&str>| text.filter(|t| !t.is_empty()).map(str::to_owned);
        Self {
            interface: interface.to_owned(),
            group: part(group),
            version: part(version),
        }
    }

    /// Reads Dubbo's own key as Dubbo does: the group ends at the **first** `/`, the version starts at the first `:`.
    ///
    /// A group that contains `/` is cut wrongly, as in Dubbo (`BaseServiceMetadata.groupFromServiceKey`, all lines).
    pub fn parse_dubbo(text: &str) -> Result<Self, ServiceKeyError> {
        let slash = text.find('/');
        let colon = text.find(':').unwrap_or(text.len());
        let start = slash.map_or(0, |at| at + 1);
        if colon < start {
            return Err(ServiceKeyError::ColonBeforeSlash(text.to_owned()));
        }
        Ok(Self::new(
            slash.map(|at| &text[..at]),
            &text[start..colon],
            text.get(colon + 1..),
        ))
    }

    /// Reads what a person types: `[group/]interface[:version]`; the group ends at the **last** `/` before the interface.
    pub fn parse_cli(text: &str) -> Result<Self, ServiceKeyError> {
        let text = text.trim();
        if text.contains("://") {
            return Err(ServiceKeyError::Url);
        }
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(ServiceKeyError::WhiteSpace(text.to_owned()));
        }
        let (group, rest) = match text.rsplit_once('/') {
            Some((group, rest)) => (Some(group), rest),
            None => (None, text),
        };
        if group.is_some_and(str::is_empty) {
            return Err(ServiceKeyError::EmptyGroup(text.to_owned()));
        }
        let (interface, version) = match rest.split_once(':') {
            Some((interface, version)) => (interface, Some(version)),
            None => (rest, None),
        };
        if interface.is_empty() {
            return Err(ServiceKeyError::NoInterface(text.to_owned()));
        }
        if version.is_some_and(|version| version.contains(':')) {
            return Err(ServiceKeyError::RuleKey {
                text: text.to_owned(),
                suggestion: Self::parse_rule_key(text).to_string(),
            });
        }
        if version.is_some_and(str::is_empty) {
            return Err(ServiceKeyError::EmptyVersion(text.to_owned()));
        }
        Ok(Self::new(group, interface, version))
    }

    /// Reads the key of a rule, `interface:version:group`; missing parts are none. The group may contain anything.
    pub fn parse_rule_key(text: &str) -> Self {
        let mut parts = text.splitn(3, ':');
        let interface = parts.next().unwrap_or_default();
        let version = parts.next();
        Self::new(parts.next(), interface, version)
    }

    /// The key under which rules of this service are kept: `interface:version:group`, both colons always there
    /// (`DynamicConfiguration.getRuleKey`, `URL.getColonSeparatedKey`; all lines from 2.7).
    pub fn rule_key(&self) -> String {
        format!(
            "{}:{}:{}",
            self.interface,
            self.version.as_deref().unwrap_or_default(),
            self.group.as_deref().unwrap_or_default()
        )
    }

    /// The last part of the interface's name, without its package.
    pub fn simple_name(&self) -> &str {
        self.interface.rsplit('.').next().unwrap_or(&self.interface)
    }
}

/// Dubbo's own form, `[group/]interface[:version]` (`BaseServiceMetadata.buildServiceKey`).
impl fmt::Display for ServiceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(group) = &self.group {
            write!(f, "{group}/")?;
        }
        f.write_str(&self.interface)?;
        if let Some(version) = &self.version {
            write!(f, ":{version}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(group: &str, interface: &str, version: &str) -> ServiceKey {
        ServiceKey::new(Some(group), interface, Some(version))
    }

    #[test]
    fn forms_of_a_key() {
        let full = key("g", "com.acme.Order", "1.0.0");
        assert_eq!(full.to_string(), "g/com.acme.Order:1.0.0");
        assert_eq!(full.rule_key(), "com.acme.Order:1.0.0:g");
        assert_eq!(full.simple_name(), "Order");
        let bare = key("", "com.acme.Order", "");
        assert_eq!(bare.to_string(), "com.acme.Order");
        assert_eq!(bare.rule_key(), "com.acme.Order::");
        assert_eq!(bare.group, None);
    }

    #[test]
    fn a_group_with_a_slash_is_cut_by_dubbo_and_kept_for_people() {
        let text = "dubbo/dev/com.example.ns.NsService:1.0";
        assert_eq!(
            ServiceKey::parse_dubbo(text),
            Ok(key("dubbo", "dev/com.example.ns.NsService", "1.0"))
        );
        assert_eq!(
            ServiceKey::parse_cli(text),
            Ok(key("dubbo/dev", "com.example.ns.NsService", "1.0"))
        );
    }

    #[test]
    fn typed_keys() {
        assert_eq!(ServiceKey::parse_cli("a.B"), Ok(key("", "a.B", "")));
        assert_eq!(ServiceKey::parse_cli(" a.B:1 "), Ok(key("", "a.B", "1")));
        assert_eq!(ServiceKey::parse_cli("g:1/a.B"), Ok(key("g:1", "a.B", "")));
        assert_eq!(
            ServiceKey::parse_cli("g/a.B$C:1"),
            Ok(key("g", "a.B$C", "1"))
        );
    }

    #[test]
    fn typed_keys_refused_with_a_way_out() {
        type E = ServiceKeyError;
        for text in ["", "  ", "g/", ":1", "g/:1"] {
            assert!(
                matches!(ServiceKey::parse_cli(text), Err(E::NoInterface(_))),
                "{text}"
            );
        }
        assert!(matches!(
            ServiceKey::parse_cli("/a.B"),
            Err(E::EmptyGroup(_))
        ));
        assert!(matches!(
            ServiceKey::parse_cli("a.B:"),
            Err(E::EmptyVersion(_))
        ));
        assert!(matches!(
            ServiceKey::parse_cli("a.B 1"),
            Err(E::WhiteSpace(_))
        ));
        assert!(matches!(
            ServiceKey::parse_cli("dubbo://h:1/a.B"),
            Err(E::Url)
        ));
        for (text, right) in [("a.B::", "a.B"), ("a.B:1:g", "g/a.B:1")] {
            match ServiceKey::parse_cli(text) {
                Err(E::RuleKey { suggestion, .. }) => assert_eq!(suggestion, right),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn rule_keys() {
        assert_eq!(
            ServiceKey::parse_rule_key("a.B:1:g/h:i"),
            key("g/h:i", "a.B", "1")
        );
        assert_eq!(ServiceKey::parse_rule_key("a.B::"), key("", "a.B", ""));
        assert_eq!(ServiceKey::parse_rule_key("a.B"), key("", "a.B", ""));
    }

    #[test]
    fn a_colon_before_the_slash_is_an_error() {
        assert_eq!(
            ServiceKey::parse_dubbo("a:b/c"),
            Err(ServiceKeyError::ColonBeforeSlash("a:b/c".into()))
        );
        assert_eq!(ServiceKey::parse_dubbo("a/b:c/d"), Ok(key("a", "b", "c/d")));
    }

    proptest! {
        #[test]
        fn any_text_gives_an_answer(text in ".{0,40}") {
            let _ = ServiceKey::parse_dubbo(&text);
            let _ = ServiceKey::parse_rule_key(&text);
            if let Ok(typed) = ServiceKey::parse_cli(&text) {
                prop_assert_eq!(ServiceKey::parse_cli(&typed.to_string()), Ok(typed.clone()));
                prop_assert!(!typed.interface.is_empty());
            }
        }

        #[test]
        fn forms_round_trip(group in "[a-z]{0,3}", interface in "[a-z.A-Z$]{1,9}", version in "[0-9.]{0,4}") {
            let k = key(&group, &interface, &version);
            prop_assert_eq!(ServiceKey::parse_dubbo(&k.to_string()), Ok(k.clone()));
            prop_assert_eq!(ServiceKey::parse_cli(&k.to_string()), Ok(k.clone()));
            prop_assert_eq!(ServiceKey::parse_rule_key(&k.rule_key()), k);
        }
    }
}
