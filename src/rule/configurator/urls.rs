//! From a rule to the URLs it stands for: texts that are put together and read again.

use super::{ConfigItem, ConfiguratorRule, ParameterName, RuleUrl};
use crate::model::url::Url;
use crate::model::version::DubboVersion;
use crate::rule::error::RuleError;

const ILLEGAL_STATE: &str = "java.lang.IllegalStateException";
const NULL: &str = "null";
/// Where an item without addresses applies.
const ANY_HOST: &str = "0.0.0.0";

pub(super) fn of(
    rule: &ConfiguratorRule,
    version: &DubboVersion,
) -> Result<Vec<RuleUrl>, RuleError> {
    let configs = rule
        .configs
        .as_ref()
        .ok_or_else(|| RuleError::null("the rule has no list `configs`", None))?;
    let mut builder = Builder {
        rule,
        version,
        urls: Vec::new(),
    };
    for (place, item) in configs.iter().enumerate() {
        let item = item
            .as_ref()
            .ok_or_else(|| RuleError::null("an item of `configs` is no map", None))?;
        if rule.scope.as_deref() == Some("application") {
            builder.application_item(place, item)?;
        } else {
            builder.service_item(place, item)?;
        }
    }
    Ok(builder.urls)
}

struct Builder<'a> {
    rule: &'a ConfiguratorRule,
    version: &'a DubboVersion,
    urls: Vec<RuleUrl>,
}

impl Builder<'_> {
    /// `serviceItemToUrls`. Before 2.7.11 all applications are appended to the same text.
    fn service_item(&mut self, place: usize, item: &ConfigItem) -> Result<(), RuleError> {
        let grows = !self.version.at_least([2, 7, 11]);
        for address in addresses(item) {
            let mut text = format!("override://{address}/");
            text.push_str(&service(self.rule.key.as_deref(), item)?);
            self.parameters(item, &mut text)?;
            self.enabled(item, &mut text);
            if grows {
                text.push_str("&category=dynamicconfigurators");
            }
            self.config_version(&mut text);
            match item.applications.as_deref() {
                None | Some([]) => self.take(&text, place, item)?,
                Some(applications) => {
                    for application in applications {
                        let application = application.as_deref().unwrap_or(NULL);
                        let length = text.len();
                        text.push_str("&application=");
                        text.push_str(application);
                        self.take(&text, place, item)?;
                        if !grows {
                            text.truncate(length);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// `appItemToUrls`. Before 2.7.11 all services are appended to the same text.
    fn application_item(&mut self, place: usize, item: &ConfigItem) -> Result<(), RuleError> {
        let grows = !self.version.at_least([2, 7, 11]);
        let any = [Some("*".to_owned())];
        for address in addresses(item) {
            let mut text = format!("override://{address}/");
            let services = item.services.as_deref().filter(|list| !list.is_empty());
            for key in services.unwrap_or(&any) {
                let length = text.len();
                text.push_str(&service(key.as_deref(), item)?);
                self.parameters(item, &mut text)?;
                text.push_str("&application=");
                text.push_str(self.rule.key.as_deref().unwrap_or(NULL));
                self.enabled(item, &mut text);
                text.push_str("&category=appdynamicconfigurators");
                self.config_version(&mut text);
                self.take(&text, place, item)?;
                if !grows {
                    text.truncate(length);
                }
            }
        }
        Ok(())
    }

    /// `toParameterString`.
    fn parameters(&self, item: &ConfigItem, text: &mut String) -> Result<(), RuleError> {
        text.push_str("category=dynamicconfigurators");
        if let Some(side) = &item.side {
            append(text, "side", side);
        }
        let Some(parameters) = item.parameters.as_ref().filter(|list| !list.is_empty()) else {
            return Err(RuleError::new(
                ILLEGAL_STATE,
                "an item sets no parameter, which refuses the whole document",
                Some(item.at),
            ));
        };
        for parameter in parameters {
            let name = match &parameter.name {
                ParameterName::Text(name) => name,
                ParameterName::Null => NULL,
                ParameterName::NoText => {
                    return Err(RuleError::cast(
                        "the name of a parameter must be a text: put it in quotes",
                        parameter.at,
                    ));
                }
            };
            append(text, name, parameter.value.as_deref().unwrap_or(NULL));
        }
        match item.provider_addresses.as_deref() {
            Some(list) if !list.is_empty() => append(text, "providerAddresses", &joined(list)),
            _ if self.version.at_least([3, 2]) && item.side.as_deref() == Some("provider") => {
                append(text, "providerAddresses", &addresses(item).join(","));
            }
            _ => {}
        }
        Ok(())
    }

    /// `parseEnabled`.
    fn enabled(&self, item: &ConfigItem, text: &mut String) {
        let flag = match item.kind.as_deref() {
            None | Some("general") => self.rule.enabled,
            Some(_) => item.enabled,
        };
        append(
            text,
            "enabled",
            flag.map_or(NULL, |flag| if flag { "true" } else { "false" }),
        );
    }

    fn config_version(&self, text: &mut String) {
        append(
            text,
            "configVersion",
            self.rule.config_version.as_deref().unwrap_or(NULL),
        );
    }

    fn take(&mut self, text: &str, place: usize, item: &ConfigItem) -> Result<(), RuleError> {
        let url = Url::parse(text, self.version).map_err(|error| {
            RuleError::new(
                error.class(),
                format!("an item makes no URL that Dubbo can read: {error}"),
                Some(item.at),
            )
        })?;
        self.urls.push(RuleUrl {
            url,
            condition: item.condition.clone(),
            item: Some(place),
        });
        Ok(())
    }
}

fn append(text: &mut String, name: &str, value: &str) {
    text.push('&');
    text.push_str(name);
    text.push('=');
    text.push_str(value);
}

/// `CollectionUtils.join`: a comma only once something stands before it.
fn joined(list: &[Option<String>]) -> String {
    let mut joined = String::new();
    for text in list {
        if !joined.is_empty() {
            joined.push(',');
        }
        joined.push_str(text.as_deref().unwrap_or(NULL));
    }
    joined
}

/// `parseAddresses`.
fn addresses(item: &ConfigItem) -> Vec<&str> {
    match item.addresses.as_deref() {
        None | Some([]) => vec![ANY_HOST],
        Some(list) => list
            .iter()
            .map(|text| text.as_deref().unwrap_or(NULL))
            .collect(),
    }
}

/// `appendService`: `group/interface:version` to `interface?group=..&version=..&`.
fn service(key: Option<&str>, item: &ConfigItem) -> Result<String, RuleError> {
    let Some(key) = key.filter(|key| !key.is_empty()) else {
        return Err(RuleError::new(
            ILLEGAL_STATE,
            "the rule does not say for which service: `key` is empty",
            Some(item.at),
        ));
    };
    let mut parameters = String::new();
    let mut interface = key;
    if let Some((group, rest)) = interface
        .split_once('/')
        .filter(|(group, _)| !group.is_empty())
    {
        parameters = format!("group={group}&");
        interface = rest;
    }
    if let Some((name, version)) = interface
        .split_once(':')
        .filter(|(name, _)| !name.is_empty())
    {
        parameters.push_str("version=");
        parameters.push_str(version);
        parameters.push('&');
        interface = name;
    }
    Ok(format!("{interface}?{parameters}"))
}
