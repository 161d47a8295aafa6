//! The way of one consumer at interface level: registry entries to invokers, notification by notification.
//!
//! The questions stand among those of `match`, as `op` directory.

use std::collections::{BTreeMap, BTreeSet};

use diag::model::url::{Url, UrlError, encode};
use diag::model::version::DubboVersion;
use diag::rule::override_order::Configurators;
use diag::view::directory::{
    Directory, Invoker, Notification, Notified, NotifyError, Protocols, Rules, Subscription,
};
use serde_json::{Value, json};

use super::configurator::{class_of, rules_of};
use super::{Outcome, answer};

/// The parameters that are asked for beside those that a URL names, as the answers were made.
const ASKED: [&str; 27] = [
    "timeout",
    "weight",
    "retries",
    "disabled",
    "enabled",
    "loadbalance",
    "cluster",
    "mock",
    "dubbo.tag",
    "region",
    "place.timeout",
    "place.retries",
    "remote.application",
    "application",
    "side",
    "category",
    "check",
    "classifier",
    "group",
    "version",
    "priority",
    "providerAddresses",
    "router",
    "rule",
    "type",
    "tag",
    "default.timeout",
];

pub(super) fn check(case: &Value, version: &DubboVersion) -> Outcome {
    let found = run(case, version);
    match (answer(case), found) {
        (Ok(out), Ok(found)) => {
            let mut out = out.clone();
            if let Some(failures) = out.get_mut("notify_failures").and_then(Value::as_array_mut) {
                for failure in failures {
                    *failure = json!({ "class": failure["class"] });
                }
            }
            drop_nulls(&mut out);
            if let Some(invokers) = out.get_mut("invokers").and_then(Value::as_array_mut) {
                invokers.sort_by_key(sort_key);
            }
            Outcome::of(&out, &found)
        }
        (Err(class), Err(found)) if class == found => Outcome::Agrees,
        (expected, actual) => {
            Outcome::Disagrees(format!("    expected {expected:?}, got {actual:?}"))
        }
    }
}

/// A parameter that is null (2.7 gives one to providers without `application`) is none here.
fn drop_nulls(out: &mut Value) {
    let strip = |map: &mut Value| {
        if let Some(map) = map.as_object_mut() {
            map.retain(|_, value| !value.is_null());
        }
    };
    strip(&mut out["directory_url"]);
    for invoker in out["invokers"].as_array_mut().into_iter().flatten() {
        strip(&mut invoker["parameters"]);
    }
}

/// What is found, or the class of the exception with which the whole case ends.
fn run(case: &Value, version: &DubboVersion) -> Result<Value, &'static str> {
    let subscription = subscription(case, version).map_err(|error| error.class())?;
    let consumer = subscription.consumer.clone();
    let mut directory = Directory::new(subscription);
    let rules = |name: &str| match case[name].as_str() {
        Some(text) => rules_of(text, version),
        None => Ok(Configurators::default()),
    };
    // what cannot be configured shows again at the notification
    let _ = directory.set_rules(Rules {
        application: rules("app_rule")?,
        service: rules("service_rule")?,
    });
    let mut keys: BTreeSet<String> = ASKED.iter().map(|&name| name.to_owned()).collect();
    keys.extend(consumer.parameters.keys().cloned());
    let (mut notified, mut failures) = (Vec::new(), Vec::new());
    let rounds = match case["rounds"].as_array() {
        Some(rounds) => rounds.clone(),
        None => vec![case.clone()],
    };
    for round in &rounds {
        let providers = entries(&round["providers"]);
        let overrides = entries(&round["overrides"]);
        for text in texts(&round["providers"]) {
            let url = Url::parse(&text, version).map_err(|error| error.class())?;
            keys.extend(url.parameters.into_keys());
        }
        let providers_notified: Vec<&str> = providers.iter().map(String::as_str).collect();
        let overrides_notified: Vec<&str> = overrides.iter().map(String::as_str).collect();
        let notice = directory.notify(Notification {
            providers: Some(&providers_notified),
            configurators: (!overrides.is_empty()).then_some(&overrides_notified),
        });
        if let Err(error) = notice {
            if error.is_by_registry() {
                return Err(class_of_notify(&error));
            }
            failures.push(json!({ "class": class_of_notify(&error) }));
        }
        let passed = directory.notified(&providers_notified);
        notified.push(passed.map_or(Value::Null, |passed| view_notified(&passed)));
    }
    let mut invokers: Vec<Value> = directory
        .invokers()
        .iter()
        .map(|invoker| view(invoker, &keys, version))
        .collect();
    invokers.sort_by_key(sort_key);
    let mut found = json!({
        "notified": notified,
        "invokers": invokers,
        "forbidden": directory.is_forbidden(),
        "directory_url": directory.own_url().parameters,
    });
    if !failures.is_empty() {
        found["notify_failures"] = Value::Array(failures);
    }
    Ok(found)
}

/// The stand: a ZooKeeper registry at 127.0.0.1, and the consumer's URL as each line builds it.
pub(super) fn subscription(case: &Value, version: &DubboVersion) -> Result<Subscription, UrlError> {
    let parse = |text: &str| Url::parse(text, version);
    let mut consumer = parse(case["consumer"].as_str().unwrap_or_default())?;
    if version.line().is_3x() {
        consumer.protocol = Some(consumer.text("protocol").unwrap_or("consumer").to_owned());
        consumer.port = 0;
    }
    let mut registry =
        parse("zookeeper://127.0.0.1:2181/org.apache.dubbo.registry.RegistryService")?;
    for (name, value) in case["registry_parameters"]
        .as_object()
        .into_iter()
        .flatten()
    {
        registry
            .parameters
            .insert(name.clone(), value.as_str().unwrap_or_default().to_owned());
    }
    Ok(Subscription {
        consumer,
        registry,
        version: version.clone(),
        local_host: case["local_host"]
            .as_str()
            .unwrap_or("127.0.0.1")
            .to_owned(),
        protocols: Protocols::of(version.line()),
    })
}

fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items
        .map(|text| text.as_str().unwrap_or_default().to_owned())
        .collect()
}

fn entries(list: &Value) -> Vec<String> {
    texts(list).iter().map(|text| encode(text)).collect()
}

/// What passed the registry's filter.
fn view_notified(notified: &Notified) -> Value {
    let text = |part: Option<&str>| part.unwrap_or("null").to_owned();
    let mut shown: Vec<String> = notified
        .kept
        .iter()
        .map(|(_, url)| match url.own().protocol.as_deref() {
            Some("empty") => "empty://".to_owned(),
            protocol => format!(
                "{}://{}/{}",
                text(protocol),
                text(url.own().address().as_deref()),
                text(url.path())
            ),
        })
        .collect();
    if notified.empty {
        shown.push("empty://".to_owned());
    }
    shown.sort();
    json!(shown)
}

fn view(invoker: &Invoker, keys: &BTreeSet<String>, version: &DubboVersion) -> Value {
    let url = &invoker.url;
    let own = url.own();
    let names: BTreeSet<&String> = keys.iter().chain(own.parameters.keys()).collect();
    let effective: BTreeMap<&String, Option<&str>> = names
        .into_iter()
        .map(|name| (name, url.parameter(name)))
        .filter(|(name, value)| *value != own.parameter(name))
        .collect();
    json!({
        "class": match url.consumer() {
            Some(_) => "DubboServiceAddressURL",
            None if version.line().is_3x() => "ServiceConfigURL",
            None => "URL",
        },
        "protocol": own.protocol,
        "host": own.host,
        "port": own.port,
        "path": url.path(),
        "parameters": own.parameters,
        "effective": effective,
        "service_key": url.service().to_string(),
    })
}

fn sort_key(invoker: &Value) -> String {
    let mut invoker = invoker.clone();
    invoker.sort_all_objects();
    invoker.to_string()
}

fn class_of_notify(error: &NotifyError) -> &'static str {
    match error {
        NotifyError::Entry { error, .. } | NotifyError::Configurator { error, .. } => error.class(),
        NotifyError::NoProtocol | NotifyError::PasswordWithoutUser => {
            "java.lang.IllegalArgumentException"
        }
        NotifyError::Rule(error) => class_of(error),
        NotifyError::NoApplication => "java.lang.NullPointerException",
    }
}
