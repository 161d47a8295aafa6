//! Configurator documents of the config centre: text to rule, rule to `override://` URLs.
//!
//! Mirrors `ConfigParser`, `ConfiguratorConfig`, `ConfigItem` and the part of `AbstractConfiguratorListener` that turns
//! a text into rules. What the rules then do stands in [`super::override_url`].

mod condition;
mod json_list;
mod read;
mod urls;

pub use condition::{AddressMatch, ConditionMatch, MatchError, OneOf, ParamMatch};

use super::error::RuleError;
use super::lately::Lately;
use super::override_order::{Configurators, conditioned};
use super::override_url::ConfiguratorError;
use super::yaml::Position;
use crate::model::url::Url;
use crate::model::version::DubboVersion;

/// A document under a `.configurators` key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfiguratorDocument {
    /// A JSON array of URLs (2.7.8 and later).
    Urls(Vec<Url>),
    /// The YAML of Dubbo Admin.
    Rule(ConfiguratorRule),
}

/// The YAML form, as the version reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguratorRule {
    /// `configVersion`.
    pub config_version: Option<String>,
    /// `application`; everything else means a service.
    pub scope: Option<String>,
    /// The application, or `group/interface:version`.
    pub key: Option<String>,
    /// Whether the rule is on; `None` (a value that is no flag, in 2.7) is off.
    pub enabled: Option<bool>,
    /// The items. No list, and an item that is no map (`None`, 2.7), refuse the document.
    pub configs: Option<Vec<Option<ConfigItem>>>,
}

/// An item of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigItem {
    /// `type`: with one other than `general` the item's own `enabled` counts.
    pub kind: Option<String>,
    /// The item's own flag.
    pub enabled: Option<bool>,
    /// Where it applies: the hosts of consumers or providers.
    pub addresses: Option<Vec<Option<String>>>,
    /// For consumers: the providers it applies to.
    pub provider_addresses: Option<Vec<Option<String>>>,
    /// In an application's rule: its services.
    pub services: Option<Vec<Option<String>>>,
    /// In a service's rule: the applications.
    pub applications: Option<Vec<Option<String>>>,
    /// What it sets, in the order in which Dubbo appends it.
    pub parameters: Option<Vec<Parameter>>,
    /// Further conditions (3.2 and later).
    pub condition: Option<ConditionMatch>,
    /// Why Dubbo passes over the `match` that is there, and applies the item without it.
    pub bad_condition: Option<RuleError>,
    /// `consumer` or `provider`; without it the item never applies.
    pub side: Option<String>,
    /// Where the item begins.
    pub at: Position,
}

/// A parameter that an item sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: ParameterName,
    /// Its value; `None` is appended as `null`.
    pub value: Option<String>,
    /// Where the name stands.
    pub at: Position,
}

/// The key of a parameter in the document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ParameterName {
    /// A text.
    Text(String),
    /// None; appended as `null`.
    Null,
    /// A number or another value, which 3.x refuses.
    NoText,
}

/// A URL that a document stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleUrl {
    /// The rule.
    pub url: Url,
    /// A further condition.
    pub condition: Option<ConditionMatch>,
    /// The item it comes from; none in a list of URLs.
    pub item: Option<usize>,
}

/// Why a listener does not take a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ListenError {
    /// The text is refused; the rules from before stay (error 1-14).
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// Its rules cannot be put in order. Before 3.0.5 the rules from before stay; from then on the exception leaves the
    /// listener, and they stay too.
    #[error(transparent)]
    Order(#[from] ConfiguratorError),
}

/// Reads a text (`ConfigParser.parseConfigurators`, first half).
pub fn parse(text: &str, version: &DubboVersion) -> Result<ConfiguratorDocument, RuleError> {
    if let Some(urls) = read::url_list(text, version)? {
        return Ok(ConfiguratorDocument::Urls(urls));
    }
    let rule = if !version.at_least([2, 7, 10]) {
        read::typed(text, version)
    } else if version.line().is_3x() {
        read::field_by_field(text, version)
    } else {
        read::object(text, version)
    }?;
    Ok(ConfiguratorDocument::Rule(rule))
}

impl ConfiguratorDocument {
    /// The URLs it stands for (`ConfigParser.parseConfigurators`, second half).
    pub fn urls(&self, version: &DubboVersion) -> Result<Vec<RuleUrl>, RuleError> {
        match self {
            Self::Urls(urls) => Ok(urls
                .iter()
                .map(|url| RuleUrl {
                    url: url.clone(),
                    condition: None,
                    item: None,
                })
                .collect()),
            Self::Rule(rule) => urls::of(rule, version),
        }
    }
}

/// What a listener makes of a text.
type Heard = Result<Option<Configurators>, ListenError>;

/// What a listener makes of a text that is there: the rules in order; `None` when the rules from before stay, since the
/// text stands for no URL at all.
pub fn listen(text: &str, version: &DubboVersion) -> Heard {
    thread_local! {
        static LATELY: Lately<DubboVersion, Heard> = const { Lately::new() };
    }
    LATELY.with(|lately| lately.or_read(text, version, || listen_to(text, version)))
}

fn listen_to(text: &str, version: &DubboVersion) -> Heard {
    let mut urls = parse(text, version)?.urls(version)?;
    for name in security_keys(version) {
        for rule in &mut urls {
            rule.url.parameters.remove(*name);
        }
    }
    let rules = urls.into_iter().map(|rule| (rule.url, rule.condition));
    Ok(conditioned(rules.collect(), version)?)
}

/// Parameters that a document cannot set.
pub fn security_keys(version: &DubboVersion) -> &'static [&'static str] {
    if !version.at_least([3, 0, 2]) {
        &[]
    } else if version.at_least([3, 2]) {
        &["accesslog.fixed.path", "router", "rule", "runtime", "type"]
    } else {
        &["accesslog", "router", "rule", "runtime", "type"]
    }
}

#[cfg(test)]
mod tests;
