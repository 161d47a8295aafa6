//! The way of one consumer at interface level: registry entries to invokers, notification by notification.
//!
//! The questions stand among those of `match`, as `op` directory.

use std::collections::{BTreeMap, BTreeSet};

use diag::model::url::{Entry, Url, encode};
use diag::model::version::DubboVersion;
use diag::rule::override_url::ConfiguratorError;
use diag::view::directory::{
    Directory, Fate, Invoker, Notice, Notification, NotifyError, Protocols, Subscription,
};
use serde_json::{Value, json};

use super::url::class_of;
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
            if let Some(invokers) = out.get_mut("invokers").and_then(Value::as_array_mut) {
                invokers.sort_by_key(sort_key);
            }
            Outcome::of(&out, &found)
        }
        (Err(class), Err(error)) if class == class_of_notify(&error) => Outcome::Agrees,
        (expected, actual) => {
            Outcome::Disagrees(format!("    expected {expected:?}, got {actual:?}"))
        }
    }
}

fn run(case: &Value, version: &DubboVersion) -> Result<Value, NotifyError> {
    let subscription = subscription(case, version);
    let consumer = subscription.consumer.clone();
    let mut directory = Directory::new(subscription);
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
            let url = Url::parse(&text, version).expect("a URL of the generator");
            keys.extend(url.parameters.into_keys());
        }
        let providers_notified: Vec<&str> = providers.iter().map(String::as_str).collect();
        let overrides_notified: Vec<&str> = overrides.iter().map(String::as_str).collect();
        let notice = directory.notify(Notification {
            providers: Some(&providers_notified),
            configurators: (!overrides.is_empty()).then_some(&overrides_notified),
        });
        match notice {
            Ok(notice) => notified.push(passed(&notice, &providers, &consumer, version)),
            Err(error) if error.is_by_registry() => return Err(error),
            Err(error) => {
                // the answer has what was notified all the same
                let alone = Directory::new(directory.subscription().clone()).notify(Notification {
                    providers: Some(&providers_notified),
                    configurators: None,
                });
                notified.push(match alone {
                    Ok(notice) => passed(&notice, &providers, &consumer, version),
                    Err(_) => json!("a failure that the providers alone cause"),
                });
                failures.push(json!({ "class": class_of_notify(&error) }));
            }
        }
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
fn subscription(case: &Value, version: &DubboVersion) -> Subscription {
    let parse = |text: &str| Url::parse(text, version).expect("a URL of the generator");
    let mut consumer = parse(case["consumer"].as_str().unwrap_or_default());
    if version.line().is_3x() {
        consumer.protocol = Some(consumer.text("protocol").unwrap_or("consumer").to_owned());
        consumer.port = 0;
    }
    let mut registry =
        parse("zookeeper://127.0.0.1:2181/org.apache.dubbo.registry.RegistryService");
    for (name, value) in case["registry_parameters"]
        .as_object()
        .into_iter()
        .flatten()
    {
        registry
            .parameters
            .insert(name.clone(), value.as_str().unwrap_or_default().to_owned());
    }
    Subscription {
        consumer,
        registry,
        version: version.clone(),
        local_host: case["local_host"]
            .as_str()
            .unwrap_or("127.0.0.1")
            .to_owned(),
        protocols: Protocols::of(version.line()),
    }
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
fn passed(notice: &Notice, entries: &[String], consumer: &Url, version: &DubboVersion) -> Value {
    let mut shown: Vec<String> = notice
        .fates
        .iter()
        .filter(|(id, fate)| {
            let by_registry = matches!(fate, Fate::Dropped(_, drop) if drop.is_by_registry());
            !id.among_configurators && !by_registry
        })
        .map(|(id, _)| {
            let url = Entry::parse(&entries[id.place], version)
                .expect("it passed")
                .url;
            let path = if version.line().is_3x() {
                url.path
                    .clone()
                    .filter(|path| !path.is_empty())
                    .or_else(|| consumer.path.clone())
            } else {
                url.path.clone()
            };
            let text = |part: Option<String>| part.unwrap_or_else(|| "null".to_owned());
            match url.protocol.as_deref() {
                Some("empty") => "empty://".to_owned(),
                _ => format!(
                    "{}://{}/{}",
                    text(url.protocol.clone()),
                    text(url.address()),
                    text(path)
                ),
            }
        })
        .collect();
    if notice.sent_empty {
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
        "class": if version.line().is_3x() { "DubboServiceAddressURL" } else { "URL" },
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
        NotifyError::Entry { error, .. } | NotifyError::Configurator { error, .. } => {
            class_of(error)
        }
        NotifyError::NoProtocol => "java.lang.IllegalArgumentException",
        NotifyError::Rule(ConfiguratorError::Protocol(_)) => "java.lang.IllegalStateException",
        NotifyError::Rule(ConfiguratorError::Priority(_)) => "java.lang.NumberFormatException",
        NotifyError::Rule(
            ConfiguratorError::NoHost
            | ConfiguratorError::UrlWithoutSide
            | ConfiguratorError::NoService
            | ConfiguratorError::UrlWithoutAddress,
        ) => "java.lang.NullPointerException",
    }
}
