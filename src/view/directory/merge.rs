//! Merging the consumer's parameters into a provider's URL at once, as 2.x does it (and 3.x for URLs that do not come
//! from the registry's provider list).

use std::collections::BTreeMap;

use crate::model::url::Url;
use crate::model::version::{DubboVersion, Line};

/// The provider's own pool sizes and the like mean nothing on the consumer's side.
const PROVIDER_ONLY: [&str; 7] = [
    "threadname",
    "threadpool",
    "corethreads",
    "threads",
    "queues",
    "alive",
    "transporter",
];

/// In these the provider is right.
pub(super) const PROVIDER_FIRST: [&str; 5] =
    ["release", "dubbo", "methods", "timestamp", "dubbo.tag"];

/// The parameters of a reference as 2.x carries them inside the registry's URL: `StringUtils.toQueryString` and
/// `parseQueryString` lose empty values and odd names on the way, and cut values at `&`.
pub(super) fn query_2x(parameters: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let joined: Vec<String> = parameters
        .iter()
        .filter(|(name, value)| !name.is_empty() && !value.is_empty())
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    joined
        .join("&")
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .filter(|(name, value)| {
            name.starts_with(word)
                && name.chars().all(|c| word(c) || c == '-')
                && !value.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
        })
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// `ClusterUtils.mergeUrl(remoteUrl, localMap)`: `DefaultProviderURLMergeProcessor` from 2.7.12 on, its forerunner
/// before, and 2.6.
pub fn merge_at_once(
    provider: &Url,
    consumer: &BTreeMap<String, String>,
    version: &DubboVersion,
) -> Url {
    let remote = &provider.parameters;
    let mut merged = remote.clone();
    for name in PROVIDER_ONLY {
        merged.remove(name);
        merged.remove(&format!("default.{name}"));
    }
    if looks_up_defaults(version) {
        take_back_defaults(remote, &mut merged);
    }
    if !consumer.is_empty() {
        if version.line() < Line::V2_7 {
            merge_consumer_2_6(remote, consumer, &mut merged);
        } else {
            merge_consumer_2_7(remote, consumer, &mut merged, version);
        }
    }
    Url {
        parameters: merged,
        ..provider.clone()
    }
}

/// Whether `URL.getParameter` looks for `default.<key>` where the key is missing or empty (up to 2.7.4). What is read then
/// has it copied to the key, which is the same for one URL, but not once others are put over it.
fn looks_up_defaults(version: &DubboVersion) -> bool {
    !version.at_least([2, 7, 5])
}

/// Removes what stands for `default.<key>` only.
fn take_back_defaults(remote: &BTreeMap<String, String>, merged: &mut BTreeMap<String, String>) {
    for (name, value) in remote {
        if let Some(key) = name.strip_prefix("default.")
            && remote.get(key) == Some(value)
        {
            merged.remove(key);
        }
    }
}

/// Gives keys that are missing or empty what stands as their `default.<key>`, where this version looks for it.
pub fn look_up_defaults(parameters: &mut BTreeMap<String, String>, version: &DubboVersion) {
    if !looks_up_defaults(version) {
        return;
    }
    let is_set = |key: &str| parameters.get(key).is_some_and(|value| !value.is_empty());
    let defaults: Vec<(String, String)> = parameters
        .iter()
        .filter_map(|(name, value)| Some((name.strip_prefix("default.")?, value)))
        .filter(|(key, _)| !is_set(key))
        .map(|(key, value)| (key.to_owned(), value.clone()))
        .collect();
    parameters.extend(defaults);
}

fn merge_consumer_2_7(
    remote: &BTreeMap<String, String>,
    consumer: &BTreeMap<String, String>,
    merged: &mut BTreeMap<String, String>,
    version: &DubboVersion,
) {
    let generic_kept = version.at_least([2, 7, 12]);
    for (name, value) in consumer {
        let provider_wins = PROVIDER_FIRST.contains(&name.as_str())
            || matches!(name.as_str(), "group" | "version") && merged.contains_key(name)
            || name == "generic" && generic_kept && merged.contains_key(name);
        if !provider_wins {
            merged.insert(name.clone(), value.clone());
        }
    }
    match remote.get("application") {
        Some(application) => merged.insert("remote.application".to_owned(), application.clone()),
        None => merged.remove("remote.application"),
    };
    for name in ["reference.filter", "invoker.listener"] {
        let part = |side: &BTreeMap<String, String>| {
            side.get(name).filter(|value| !value.is_empty()).cloned()
        };
        if let (Some(theirs), Some(ours)) = (part(remote), part(consumer)) {
            merged.insert(name.to_owned(), format!("{theirs},{ours}"));
        }
    }
}

fn merge_consumer_2_6(
    remote: &BTreeMap<String, String>,
    consumer: &BTreeMap<String, String>,
    merged: &mut BTreeMap<String, String>,
) {
    merged.extend(
        consumer
            .iter()
            .map(|(name, value)| (name.clone(), value.clone())),
    );
    for (name, kept_as) in [
        ("dubbo", "dubbo"),
        ("default.version", "default.version"),
        ("default.group", "default.group"),
        ("version", "version"),
        ("group", "group"),
        ("methods", "methods"),
        ("timestamp", "remote.timestamp"),
    ] {
        if let Some(value) = remote.get(name).filter(|value| !value.is_empty()) {
            merged.insert(kept_as.to_owned(), value.clone());
        }
    }
}

/// 3.x: the consumer's URL without what the provider decides (`ProviderFirstParams`).
pub(super) fn without_provider_first(consumer: &Url) -> Url {
    let mut consumer = consumer.clone();
    consumer
        .parameters
        .retain(|name, _| !PROVIDER_FIRST.contains(&name.as_str()));
    consumer
}
