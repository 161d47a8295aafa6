//! The ways in which versions read a configurator document.

use std::collections::BTreeMap;

use super::json_list::{self, NoList};
use super::{ConditionMatch, ConfigItem, ConfiguratorRule, Parameter, ParameterName};
use crate::model::url::{Url, UrlError, is_true};
use crate::model::version::DubboVersion;
use crate::rule::condition::value_of;
use crate::rule::error::RuleError;
use crate::rule::expanded;
use crate::rule::header::{TEXTS, root};
use crate::rule::pojo::{self, Bean, Class, Content, Pojo};
use crate::rule::release::snake_yaml;
use crate::rule::typed;
use crate::rule::yaml::{Node, Position, Value, load, load_root_untagged};

const ITEM: Bean = Bean(&[
    ("type", Class::Text),
    ("enabled", Class::BoxedBoolean),
    ("addresses", TEXTS),
    ("providerAddresses", TEXTS),
    ("services", TEXTS),
    ("applications", TEXTS),
    ("parameters", Class::Map(&Class::Text, &Class::Text)),
    ("side", Class::Text),
]);
const RULE: Bean = Bean(&[
    ("configVersion", Class::Text),
    ("scope", Class::Text),
    ("key", Class::Text),
    ("enabled", Class::BoxedBoolean),
    ("configs", Class::List(&Class::Bean(&ITEM))),
]);

/// A JSON array of URLs; `None` when the text is to be read as YAML.
///
/// Before 3.0.9 a bad URL in it refuses the text, and an empty array is taken as it is. From then on both are left to
/// YAML.
pub(super) fn url_list(text: &str, version: &DubboVersion) -> Result<Option<Vec<Url>>, RuleError> {
    if !version.at_least([2, 7, 8]) {
        return Ok(None);
    }
    let lenient = version.at_least([3, 0, 9]);
    let items = match json_list::texts(text, version) {
        Ok(items) => items,
        Err(NoList::NoJson) => return Ok(None),
        Err(NoList::Refused) => {
            let message = "an escape that the JSON library does not know";
            return Err(RuleError::new(
                "com.alibaba.fastjson.JSONException",
                message,
                None,
            ));
        }
    };
    let urls = items.into_iter().map(|item| match item {
        Some(text) => Url::parse(&text, version)
            .map_err(|error| RuleError::new(error.class(), error.to_string(), None)),
        None if version.line().is_3x() => Err(RuleError::null(NULL_URL, None)),
        None => Err(RuleError::new(UrlError::Empty.class(), NULL_URL, None)),
    });
    let urls: Result<Vec<Url>, RuleError> = urls.collect();
    if lenient {
        Ok(urls.ok().filter(|urls| !urls.is_empty()))
    } else {
        urls.map(Some)
    }
}

const NULL_URL: &str = "the list of URLs contains null";

/// 3.x: `ConfiguratorConfig.parseFromMap`.
pub(super) fn field_by_field(
    text: &str,
    version: &DubboVersion,
) -> Result<ConfiguratorRule, RuleError> {
    let document = load(text, snake_yaml(version))?;
    let map = root(document.root())?;
    expanded::check(text.len(), map.get("configs"))?;
    Ok(ConfiguratorRule {
        config_version: cast(map, "configVersion")?,
        scope: cast(map, "scope")?,
        key: cast(map, "key")?,
        enabled: Some(flag(map).unwrap_or(true)),
        configs: match map.get("configs").map(Node::value) {
            Some(Value::List(items)) => Some(
                items
                    .map(|node| item(node, version).map(Some))
                    .collect::<Result<_, _>>()?,
            ),
            Some(Value::Pairs(pairs)) if pairs.len() > 0 => {
                return Err(RuleError::cast(
                    "an item of `configs` is no map",
                    map.start(),
                ));
            }
            Some(Value::Pairs(_)) => Some(Vec::new()),
            _ => None,
        },
    })
}

/// `ConfigItem.parseFromMap`.
fn item(node: Node<'_>, version: &DubboVersion) -> Result<ConfigItem, RuleError> {
    let at = node.start();
    match node.value() {
        Value::Map(_) => {}
        Value::Null => return Err(RuleError::null("an item of `configs` is empty", Some(at))),
        _ => return Err(RuleError::cast("an item of `configs` is no map", at)),
    }
    let texts = |name: &str| match node.get(name)?.value() {
        Value::List(items) => Some(items.map(|item| Some(value_of(item))).collect()),
        Value::Pairs(pairs) => Some(
            pairs
                .map(|_| Some("[Ljava.lang.Object;@?".to_owned()))
                .collect(),
        ),
        _ => None,
    };
    let kind = cast(node, "type")?;
    let parameters = match node.get("parameters").map(Node::value) {
        Some(Value::Map(entries)) => Some(
            entries
                .map(|(name, value)| parameter(name, value))
                .collect::<Result<Vec<_>, _>>()?,
        ),
        _ => None,
    };
    let condition = node
        .get("match")
        .filter(|value| version.at_least([3, 2]) && matches!(value.value(), Value::Map(_)))
        .map(|map| ConditionMatch::from_map(map, version));
    let (condition, bad_condition) = match condition {
        Some(Ok(condition)) => (Some(condition), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    Ok(ConfigItem {
        kind,
        enabled: flag(node),
        addresses: texts("addresses"),
        provider_addresses: texts("providerAddresses"),
        services: texts("services"),
        applications: texts("applications"),
        parameters: parameters.map(in_hash_order),
        condition,
        bad_condition,
        side: cast(node, "side")?,
        at,
    })
}

fn parameter(name: Node<'_>, value: Node<'_>) -> Result<Parameter, RuleError> {
    if value.is_null() {
        return Err(RuleError::null(
            "a parameter has no value, which refuses the whole document",
            Some(name.start()),
        ));
    }
    Ok(Parameter {
        name: match name.value() {
            Value::Text(name) => ParameterName::Text(name.to_owned()),
            Value::Null => ParameterName::Null,
            _ => ParameterName::NoText,
        },
        value: Some(value_of(value)),
        at: name.start(),
    })
}

/// `(String) map.get(name)`.
fn cast(map: Node<'_>, name: &str) -> Result<Option<String>, RuleError> {
    match map.get(name).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) => value
            .as_text()
            .map(|text| Some(text.to_owned()))
            .ok_or_else(|| {
                RuleError::cast(
                    format!("`{name}` must be a text: put it in quotes"),
                    value.start(),
                )
            }),
    }
}

/// `enabled` by its text.
fn flag(map: Node<'_>) -> Option<bool> {
    let value = map.get("enabled").filter(|value| !value.is_null())?;
    Some(value.java_text().is_some_and(|text| is_true(&text)))
}

/// The order of a `HashMap` filled from nothing: by bucket, within one as inserted. It decides where two parameters
/// (one with an `&` in its value) set the same name.
fn in_hash_order(mut parameters: Vec<Parameter>) -> Vec<Parameter> {
    let mut buckets = 16_usize;
    while parameters.len() * 4 > buckets * 3 {
        buckets *= 2;
    }
    let bucket = |parameter: &Parameter| match &parameter.name {
        ParameterName::Text(name) => pojo::bucket(name, buckets),
        ParameterName::Null | ParameterName::NoText => 0,
    };
    parameters.sort_by_cached_key(bucket);
    parameters
}

/// 2.7.10 to 2.7: `PojoUtils.mapToPojo`.
pub(super) fn object(text: &str, version: &DubboVersion) -> Result<ConfiguratorRule, RuleError> {
    let document = load(text, snake_yaml(version))?;
    let map = root(document.root())?;
    expanded::check(text.len(), map.get("configs"))?;
    let object = pojo::object(map, &RULE)?;
    // a value that is no flag, as a quoted one, makes the default null
    let is_set = map.get("enabled").is_some_and(|value| !value.is_null());
    Ok(ConfiguratorRule {
        config_version: object.text("configVersion").map(str::to_owned),
        scope: object.text("scope").map(str::to_owned),
        key: object.text("key").map(str::to_owned),
        enabled: if is_set {
            object.flag("enabled")
        } else {
            Some(true)
        },
        configs: object.list("configs").map(|items| {
            items
                .iter()
                .map(|item| item.as_ref().map(item_of))
                .collect()
        }),
    })
}

fn item_of(object: &Pojo) -> ConfigItem {
    let text_of = |pojo: &Pojo| match &pojo.content {
        Content::Text(text) => Some(text.clone()),
        _ => None,
    };
    let texts = |name: &str| {
        let items = object.list(name)?;
        Some(items.iter().map(|item| text_of(item.as_ref()?)).collect())
    };
    let text = |name: &str| object.text(name).map(str::to_owned);
    ConfigItem {
        kind: text("type"),
        enabled: object.flag("enabled"),
        addresses: texts("addresses"),
        provider_addresses: texts("providerAddresses"),
        services: texts("services"),
        applications: texts("applications"),
        parameters: object.map("parameters").map(|entries| {
            entries
                .iter()
                .map(|(name, value)| Parameter {
                    name: name
                        .clone()
                        .map_or(ParameterName::Null, ParameterName::Text),
                    value: value.as_ref().and_then(text_of),
                    at: value.as_ref().map_or(object.at, |value| value.at),
                })
                .collect()
        }),
        condition: None,
        bad_condition: None,
        side: text("side"),
        at: object.at,
    }
}

/// 2.7.0 to 2.7.9: SnakeYAML builds the rule itself.
pub(super) fn typed(text: &str, version: &DubboVersion) -> Result<ConfiguratorRule, RuleError> {
    let document = load_root_untagged(text, snake_yaml(version))?;
    let configs = document.root().and_then(|root| root.get("configs"));
    expanded::check(text.len(), configs)?;
    let mut rule = ConfiguratorRule {
        config_version: None,
        scope: None,
        key: None,
        enabled: Some(true),
        configs: None,
    };
    typed::fields(document.root(), |name, value| {
        match name {
            "configVersion" => rule.config_version = typed::text(value)?,
            "scope" => rule.scope = typed::text(value)?,
            "key" => rule.key = typed::text(value)?,
            "enabled" => rule.enabled = typed::boxed_flag(value)?,
            "configs" => rule.configs = typed::list(value, typed_item)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(rule)
}

fn typed_item(node: Node<'_>) -> Result<Option<ConfigItem>, RuleError> {
    if node.is_null() {
        return Ok(None);
    }
    let mut item = ConfigItem {
        kind: None,
        enabled: None,
        addresses: None,
        provider_addresses: None,
        services: None,
        applications: None,
        parameters: None,
        condition: None,
        bad_condition: None,
        side: None,
        at: node.start(),
    };
    let texts = |value| typed::list(value, typed::text);
    typed::fields(Some(node), |name, value| {
        match name {
            "type" => item.kind = typed::text(value)?,
            "enabled" => item.enabled = typed::boxed_flag(value)?,
            "addresses" => item.addresses = texts(value)?,
            "providerAddresses" => item.provider_addresses = texts(value)?,
            "services" => item.services = texts(value)?,
            "applications" => item.applications = texts(value)?,
            "parameters" => item.parameters = typed_parameters(value)?,
            "side" => item.side = typed::text(value)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(Some(item))
}

fn typed_parameters(node: Node<'_>) -> Result<Option<Vec<Parameter>>, RuleError> {
    let Some(entries) = typed::map(node)? else {
        return Ok(None);
    };
    let mut kept: Vec<Option<(ParameterName, Position, Node<'_>)>> =
        Vec::with_capacity(entries.len());
    let mut places = BTreeMap::new();
    for (name, value) in entries {
        let at = name.start();
        let name = typed::text(name)?.map_or(ParameterName::Null, ParameterName::Text);
        // of equal keys the last one stays, at its place
        if let Some(place) = places.insert(name.clone(), kept.len()) {
            kept[place] = None;
        }
        kept.push(Some((name, at, value)));
    }
    let parameters = kept.into_iter().flatten().map(|(name, at, value)| {
        Ok(Parameter {
            name,
            value: typed::text(value)?,
            at,
        })
    });
    parameters.collect::<Result<_, _>>().map(Some)
}
