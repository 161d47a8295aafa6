//! Configurators: rules that change the parameters of URLs.
//!
//! `override://` writes over, `absent://` adds what is missing. They lie as URLs in the registry's category
//! `configurators`; documents in the config centre become the same URLs. Mirrors `Configurator`,
//! `AbstractConfigurator`, `OverrideConfigurator` and `AbsentConfigurator`. Pure: the consumer's address is an argument.

use super::configurator::{ConditionMatch, MatchError};
use crate::model::url::Url;
use crate::model::version::{DubboVersion, Line};

const ANY: &str = "*";
pub(super) const ANY_HOST: &str = "0.0.0.0";
const CONSUMER: &str = "consumer";
const PROVIDER: &str = "provider";

/// Parameters of a rule that say where it applies; they are not written into the URL. 2.6 has the first six, 2.7.0 the
/// first nine, 2.7.2 all but the last.
const CONDITIONS: [&str; 11] = [
    "category",
    "check",
    "dynamic",
    "enabled",
    "application",
    "side",
    "group",
    "version",
    "configVersion",
    "compatible_config",
    "interfaces",
];

/// What a rule does with a URL that it applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// `override`: its values win.
    Override,
    /// `absent`: it only adds.
    Absent,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configurator {
    url: Url,
    effect: Effect,
    condition: Option<ConditionMatch>,
}

/// A rule or URL on which the real code throws. What happens then is up to the caller: mostly the whole notification is lost.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfiguratorError {
    /// In the category `configurators`, but neither `override://` nor `absent://`.
    #[error("`{0}://` is no configurator: only override and absent are")]
    Protocol(String),
    /// Rules of one host are put in order by `priority`, and this one is no number.
    #[error("the configurator's priority `{0}` is not a number")]
    Priority(String),
    /// Rules are put in order by their host, and this one has none.
    #[error("the configurator has no host")]
    NoHost,
    /// A rule with `configVersion` compares the URL's `side`, and the URL has none.
    #[error("a configurator of 2.7 and later compares the side of the URL, which has none")]
    UrlWithoutSide,
    /// 3.2 on: the rule names no service.
    #[error("the configurator names no service, and Dubbo 3.2 and later compares it")]
    NoService,
    /// Before 3.2: the rule has `providerAddresses`, and the URL has no address.
    #[error("the configurator asks for the address of a URL that has none")]
    UrlWithoutAddress,
    /// The rule's `match` cannot be compared with the URL.
    #[error(transparent)]
    Match(#[from] MatchError),
}

/// Why a rule leaves a URL as it is, first reason of the real code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotApplied {
    /// `enabled` is there and not `true`.
    Disabled,
    /// The rule or the URL has no host.
    NoHost,
    /// For the other side, or for none.
    Side,
    /// For another port.
    Port,
    /// For another host.
    Host,
    /// `providerAddresses` names others.
    ProviderAddress,
    /// For another application.
    Application,
    /// For another service (3.2 on).
    Service,
    /// This parameter of the URL has another value; without its `~`.
    Condition(String),
    /// The `match` of the document does not fit.
    Match,
}

/// Where and on what a rule is applied.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The version that applies it.
    pub version: &'a DubboVersion,
    /// The address of the host that applies it (`NetUtils.getLocalHost`).
    pub local_host: &'a str,
}

impl Configurator {
    /// Takes a URL of the category `configurators` for a rule.
    pub fn from_url(url: Url) -> Result<Self, ConfiguratorError> {
        let effect = match url.protocol.as_deref() {
            Some("override") => Effect::Override,
            Some("absent") => Effect::Absent,
            other => {
                return Err(ConfiguratorError::Protocol(
                    other.unwrap_or_default().to_owned(),
                ));
            }
        };
        Ok(Self {
            url,
            effect,
            condition: None,
        })
    }

    /// The same with a further condition, which a document puts on it.
    pub(super) fn on(self, condition: Option<ConditionMatch>) -> Self {
        Self { condition, ..self }
    }

    /// The `match` of the document, which counts under `configVersion: v3.0` from 3.2 on.
    pub fn condition(&self) -> Option<&ConditionMatch> {
        self.condition.as_ref()
    }

    /// The rule as a URL.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Whether it overrides or adds.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// Changes the URL if the rule applies to it (`AbstractConfigurator.configure`).
    pub fn configure(
        &self,
        url: &mut Url,
        place: Place<'_>,
    ) -> Result<Result<(), NotApplied>, ConfiguratorError> {
        if let Err(reason) = self.applies(url, place)? {
            return Ok(Err(reason));
        }
        let known = [([2, 7, 5], 11), ([2, 7, 2], 10), ([2, 7, 0], 9)];
        let count = known.iter().find(|(from, _)| place.version.at_least(*from));
        let conditions = &CONDITIONS[..count.map_or(6, |(_, count)| *count)];
        let tilde_is_condition = !self.ignores_conditions(place);
        for (name, value) in &self.url.parameters {
            let condition =
                conditions.contains(&name.as_str()) || name.starts_with('~') && tilde_is_condition;
            if condition || self.effect == Effect::Absent && url.parameters.contains_key(name) {
                continue;
            }
            url.parameters.insert(name.clone(), value.clone());
        }
        Ok(Ok(()))
    }

    /// Under `configVersion: v3.0` from 3.2 on, `~name` is no condition any more, and is written like the rest.
    fn ignores_conditions(&self, place: Place<'_>) -> bool {
        place.version.line() >= Line::V3_2
            && self
                .url
                .parameter("configVersion")
                .is_some_and(|v| v.starts_with("v3.0"))
    }

    fn applies(
        &self,
        url: &Url,
        place: Place<'_>,
    ) -> Result<Result<(), NotApplied>, ConfiguratorError> {
        let is_2_6 = place.version.line() < Line::V2_7;
        if !is_2_6 && !self.url.flag("enabled", true) {
            return Ok(Err(NotApplied::Disabled));
        }
        let (Some(rule_host), Some(url_host)) = (self.url.host.as_deref(), url.host.as_deref())
        else {
            return Ok(Err(NotApplied::NoHost));
        };
        let host = match self.compared_host(url, url_host, place)? {
            Ok(host) => host,
            Err(reason) => return Ok(Err(reason)),
        };
        if rule_host != ANY_HOST && rule_host != host {
            return Ok(Err(NotApplied::Host));
        }
        if !is_2_6 && !self.names_address(url, place)? {
            return Ok(Err(NotApplied::ProviderAddress));
        }
        let asked = self
            .url
            .text("application")
            .or(self.url.username.as_deref());
        let given = url.text("application").or(url.username.as_deref());
        if asked.is_some_and(|asked| asked != ANY && Some(asked) != given) {
            return Ok(Err(NotApplied::Application));
        }
        if place.version.line() >= Line::V3_2 {
            let service = self.url.service_key().ok_or(ConfiguratorError::NoService)?;
            if service != ANY && url.service_key().as_deref() != Some(&service) {
                return Ok(Err(NotApplied::Service));
            }
        }
        if self.ignores_conditions(place) {
            return Ok(match &self.condition {
                Some(condition) if !condition.is_match(host, url)? => Err(NotApplied::Match),
                _ => Ok(()),
            });
        }
        let failed = self.url.parameters.iter().find_map(|(name, value)| {
            let compared = match name.strip_prefix('~') {
                Some(compared) => compared,
                None if matches!(name.as_str(), "application" | "side") => name,
                None => return None,
            };
            (value != ANY && url.parameter(compared) != Some(value)).then_some(compared)
        });
        Ok(match failed {
            Some("side") => Err(NotApplied::Side),
            Some("application") => Err(NotApplied::Application),
            Some(other) => Err(NotApplied::Condition(other.to_owned())),
            None => Ok(()),
        })
    }

    /// The host that the rule's host must equal: the local one on the consumer's side, else the URL's.
    fn compared_host<'b>(
        &self,
        url: &'b Url,
        url_host: &'b str,
        place: Place<'b>,
    ) -> Result<Result<&'b str, NotApplied>, ConfiguratorError> {
        let looks_at_port = place.version.line() < Line::V3_2;
        if place.version.line() >= Line::V2_7 && self.url.text("configVersion").is_some() {
            let side = url
                .parameter("side")
                .ok_or(ConfiguratorError::UrlWithoutSide)?;
            if self.url.parameter("side") != Some(side) {
                return Ok(Err(NotApplied::Side));
            }
            return Ok(match side {
                CONSUMER if looks_at_port && self.url.port != 0 => Err(NotApplied::Port),
                CONSUMER => Ok(place.local_host),
                PROVIDER if looks_at_port && self.url.port != url.port => Err(NotApplied::Port),
                PROVIDER => Ok(url_host),
                _ => Err(NotApplied::Side),
            });
        }
        // rules of 2.6: with a port they mean one provider, without one consumers, or all providers
        if self.url.port != 0 {
            return Ok(if self.url.port == url.port {
                Ok(url_host)
            } else {
                Err(NotApplied::Port)
            });
        }
        Ok(match url.text("side") {
            Some(CONSUMER) => Ok(place.local_host),
            Some(PROVIDER) => Ok(ANY_HOST),
            _ => Err(NotApplied::Side),
        })
    }

    /// `providerAddresses`: a substring test before 3.2, exact items from then on.
    fn names_address(&self, url: &Url, place: Place<'_>) -> Result<bool, ConfiguratorError> {
        let Some(list) = self.url.text("providerAddresses") else {
            return Ok(true);
        };
        let address = url.address();
        if place.version.line() < Line::V3_2 {
            let address = address.ok_or(ConfiguratorError::UrlWithoutAddress)?;
            return Ok(list.contains(&address) || list.contains(ANY_HOST));
        }
        let any_port = format!("{ANY_HOST}:{}", url.port);
        Ok(list.split(',').any(|item| {
            Some(item) == address.as_deref()
                || Some(item) == url.host.as_deref()
                || [ANY_HOST, "0.0.0.0:*", any_port.as_str()].contains(&item)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::override_order::{Configurators, configurators};

    const PROVIDER_URL: &str =
        "dubbo://10.0.0.7:20880/a.B?application=order&interface=a.B&side=consumer&weight=1";

    fn url(text: &str) -> Url {
        Url::parse(text, &DubboVersion::newest(Line::V2_7)).unwrap()
    }

    fn apply(rule: &str, to: &str, version: &str) -> (Url, Result<(), NotApplied>) {
        let version = DubboVersion::parse(version).unwrap();
        let mut changed = url(to);
        let place = Place {
            version: &version,
            local_host: "10.0.9.9",
        };
        let rule = Configurator::from_url(url(rule)).unwrap();
        let result = rule.configure(&mut changed, place).unwrap();
        (changed, result)
    }

    #[test]
    fn override_wins_and_absent_only_adds() {
        let (changed, _) = apply(
            "override://0.0.0.0/a.B?category=configurators&weight=5&timeout=9",
            PROVIDER_URL,
            "3.3",
        );
        assert_eq!(
            (changed.text("weight"), changed.text("timeout")),
            (Some("5"), Some("9"))
        );
        assert_eq!(changed.parameter("category"), None);
        let (changed, _) = apply(
            "absent://0.0.0.0/a.B?weight=5&timeout=9",
            PROVIDER_URL,
            "3.3",
        );
        assert_eq!(
            (changed.text("weight"), changed.text("timeout")),
            (Some("1"), Some("9"))
        );
    }

    #[test]
    fn why_a_rule_is_not_applied() {
        for (rule, version, reason) in [
            (
                "override://0.0.0.0/a.B?enabled=false&x=1",
                "3.3",
                NotApplied::Disabled,
            ),
            ("override:///a.B?x=1", "3.3", NotApplied::NoHost),
            ("override://10.0.0.7/a.B?x=1", "3.3", NotApplied::Host),
            ("override://10.0.0.7:1/a.B?x=1", "3.3", NotApplied::Port),
            (
                "override://0.0.0.0/a.B?side=provider&x=1",
                "3.3",
                NotApplied::Side,
            ),
            (
                "override://0.0.0.0/a.B?configVersion=v2.7&x=1",
                "3.3",
                NotApplied::Side,
            ),
            (
                "override://0.0.0.0/a.B?application=shop&x=1",
                "3.3",
                NotApplied::Application,
            ),
            ("override://0.0.0.0/a.C?x=1", "3.3", NotApplied::Service),
            (
                "override://0.0.0.0/a.B?providerAddresses=10.0.0.8&x=1",
                "3.3",
                NotApplied::ProviderAddress,
            ),
            (
                "override://0.0.0.0/a.B?~weight=2&x=1",
                "3.3",
                NotApplied::Condition("weight".into()),
            ),
            (
                "override://0.0.0.0:1/a.B?configVersion=v2.7&side=consumer&x=1",
                "3.1",
                NotApplied::Port,
            ),
        ] {
            let (changed, result) = apply(rule, PROVIDER_URL, version);
            assert_eq!(result, Err(reason), "{rule}");
            assert_eq!(changed, url(PROVIDER_URL), "{rule}");
        }
    }

    #[test]
    fn lines_differ() {
        let applied = |rule: &str, version: &str| apply(rule, PROVIDER_URL, version).1.is_ok();
        // the service is compared from 3.2 on
        assert!(applied("override://0.0.0.0/a.C?x=1", "3.1"));
        // a substring before 3.2, an item from then on
        let address = "override://0.0.0.0/a.B?x=1&providerAddresses=";
        assert!(applied(&format!("{address}110.0.0.7:20880"), "2.7"));
        assert!(!applied(&format!("{address}110.0.0.7:20880"), "3.2"));
        assert!(!applied(&format!("{address}10.0.0.7"), "3.1"));
        assert!(applied(&format!("{address}10.0.0.7"), "3.2"));
        assert!(applied(&format!("{address}0.0.0.0:20880"), "3.2"));
        // 2.6 looks at none of enabled, configVersion, providerAddresses
        assert!(applied("override://0.0.0.0/a.B?enabled=false&x=1", "2.6.2"));
        // 10.0.9.9 is the consumer
        assert!(applied("override://10.0.9.9/a.B?x=1", "2.6.2"));
    }

    #[test]
    fn a_tilde_is_written_under_v3_0() {
        let rule = "override://0.0.0.0/a.B?configVersion=v3.0&side=consumer&~weight=9&x=1";
        let (changed, result) = apply(rule, PROVIDER_URL, "3.2");
        assert_eq!((result, changed.text("~weight")), (Ok(()), Some("9")));
        assert_eq!(
            apply(rule, PROVIDER_URL, "3.1").1,
            Err(NotApplied::Condition("weight".into()))
        );
    }

    #[test]
    fn order_is_by_host_text_then_priority() {
        let v = DubboVersion::newest(Line::V3_3);
        let list = |texts: &[&str]| configurators(texts.iter().map(|t| url(t)).collect(), &v);
        let rules = list(&[
            "override://10.0.0.9/a?n=1",
            "override://0.0.0.0/a?n=2&priority=5",
            "absent://10.0.0.10/a?n=3",
            "override://0.0.0.0/a?n=4&priority=-5",
            "override://0.0.0.0/a?anyhost=true",
        ]);
        let order: Vec<_> = rules
            .unwrap()
            .unwrap()
            .iter()
            .map(|r| r.url().text("n").unwrap().to_owned())
            .collect();
        assert_eq!(order, ["4", "2", "3", "1"]);
        assert_eq!(list(&[]), Ok(None));
        assert_eq!(
            list(&["override://0.0.0.0/a?n=1", "empty://0.0.0.0/a"]),
            Ok(Some(Configurators::default()))
        );
        assert_eq!(
            list(&["override://h/a?n=1&priority=x", "override://h/a?n=1"]),
            Err(ConfiguratorError::Priority("x".into()))
        );
        // alone, it is compared with nothing
        assert!(list(&["override://h/a?n=1&priority=x"]).is_ok());
        assert_eq!(
            list(&["dubbo://h/a?n=1"]),
            Err(ConfiguratorError::Protocol("dubbo".into()))
        );
    }
}
