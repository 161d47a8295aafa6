//! What the consumer's side sets, before anybody else is asked: system properties, the reference, settings files, the
//! consumer-wide default.
//!
//! A URL of the reference that a log shows is the result of all that, and stands before the files.
//!
//! `AbstractConfig.refresh`: system properties beat the reference, the reference beats the files; what is set for the
//! consumer as a whole fills what is left (2.7.2 on written without a prefix, before as `default.<key>`).

use std::collections::{BTreeMap, BTreeSet};

use super::{gather::Registry, model::Beaten, providers::Offer};
use crate::{
    input::properties,
    model::{url::Url, version::DubboVersion},
    question::Question,
    rule::yaml::{self, Node, Value, YamlVersion},
    snapshot::{Snapshot, SourceId},
    view::{held::Entry, interface::consumer_url},
};

/// Prefix of `--param` for consumer-wide defaults.
const WIDE: &str = "consumer.";

/// The consumer's URL, and what of its side had no effect.
#[derive(Debug, Clone)]
pub(super) struct Side {
    /// As it subscribes.
    pub(super) url: Url,
    /// Where each of its keys comes from, if not the reference.
    pub(super) origins: BTreeMap<String, &'static str>,
    /// Values that lose on the consumer's own side.
    pub(super) beaten: Vec<Beaten>,
    /// What a provider's settings file has for the service, by key as it would be published.
    pub(super) of_provider: BTreeMap<String, String>,
}

/// One source of settings, in the order in which they win.
type Layer = (&'static str, BTreeMap<String, String>);

/// Settings of the reference as something else than the question shows them.
#[derive(Debug, Clone)]
pub(super) struct Printed {
    /// The level: a text, or the consumer's entry in the registry.
    level: &'static str,
    /// By name.
    settings: BTreeMap<String, String>,
    /// The providers' parameters were merged into them.
    pub(super) merged: bool,
}

impl Printed {
    /// The settings that no provider and no rule explains: of URLs into which those were merged, the reference's own.
    pub(super) fn without(&self, offers: &[Offer]) -> Self {
        let explains = |name: &str, value: &str| {
            offers
                .iter()
                .flat_map(|offer| &offer.providers)
                .any(|provider| {
                    let set = |url: &Url| url.parameter(name) == Some(value);
                    set(&provider.url)
                        || set(provider.merged.own())
                        || provider.merged.rules().is_some_and(set)
                })
        };
        let settings = self.settings.iter();
        Self {
            settings: settings
                .filter(|(name, value)| !explains(name, value))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            ..self.clone()
        }
    }

    /// Nothing is set.
    pub(super) fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }
}

/// What a log shows of the reference, else what the consumer's own entry in the registry does. Entries that differ show
/// nothing of what they differ in.
pub(super) fn printed(question: &Question, registries: &[Registry]) -> Option<Printed> {
    if let Some(hint) = &question.consumer.printed {
        return Some(Printed {
            level: "consumer-log",
            settings: hint.settings.clone(),
            merged: hint.merged,
        });
    }
    let own: Vec<Url> = registries
        .iter()
        .flat_map(|registry| &registry.held)
        .flat_map(|held| &held.consumers)
        .filter(|entry| entry.is_of(&question.consumer))
        .filter_map(Entry::plain)
        .filter(|url| url.service() == question.service)
        .collect();
    let first = own.first()?;
    let settings = first
        .parameters
        .iter()
        .filter(|(name, _)| is_call_setting(name))
        .filter(|(name, value)| own.iter().all(|url| url.parameter(name) == Some(value)))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    Some(Printed {
        level: "consumer-entry",
        settings,
        merged: false,
    })
}

/// Puts the consumer's side together.
pub(super) fn side(
    question: &Question,
    printed: Option<&Printed>,
    snapshot: &Snapshot,
    version: &DubboVersion,
) -> Side {
    let files = Files::read(snapshot, &question.service.interface);
    let (wide, own): (BTreeMap<_, _>, BTreeMap<_, _>) = question
        .consumer
        .params
        .clone()
        .into_iter()
        .partition(|(key, _)| key.starts_with(WIDE));
    let wide = wide
        .into_iter()
        .map(|(key, value)| (key[WIDE.len()..].to_owned(), value))
        .collect();
    let (shown_by, printed) = printed.map_or_else(
        || ("consumer-log", BTreeMap::new()),
        |printed| (printed.level, printed.settings.clone()),
    );
    let layers: [Layer; 6] = [
        ("system-property", files.system),
        ("consumer", own),
        (shown_by, printed),
        ("consumer-file", files.reference),
        ("consumer-wide", wide),
        ("consumer-wide-file", files.consumer),
    ];
    let mut question = question.clone();
    question.consumer.params.clear();
    let mut url = consumer_url(&question);
    url.parameters.remove("category");
    let mut origins = BTreeMap::new();
    let mut beaten = Vec::new();
    let keys: BTreeSet<&String> = layers
        .iter()
        .flat_map(|(_, values)| values.keys())
        .collect();
    for key in keys {
        let mut set = layers
            .iter()
            .filter_map(|(origin, values)| Some((*origin, values.get(key)?)));
        let Some((origin, value)) = set.next() else {
            continue;
        };
        let old = origin.starts_with("consumer-wide") && !version.at_least([2, 7, 2]);
        let name = if old {
            format!("default.{key}")
        } else {
            key.clone()
        };
        // What names the service is the question's own business.
        url.parameters.entry(name.clone()).or_insert(value.clone());
        origins.insert(name, origin);
        beaten.extend(
            set.filter(|(_, other)| *other != value)
                .map(|(origin, value)| Beaten {
                    level: origin.to_owned(),
                    key: key.clone(),
                    value: value.clone(),
                }),
        );
    }
    Side {
        url,
        origins,
        beaten,
        of_provider: files.provider,
    }
}

/// What attached settings files say about one interface.
#[derive(Debug, Default)]
struct Files {
    system: BTreeMap<String, String>,
    reference: BTreeMap<String, String>,
    consumer: BTreeMap<String, String>,
    provider: BTreeMap<String, String>,
}

impl Files {
    fn read(snapshot: &Snapshot, interface: &str) -> Self {
        let mut files = Self::default();
        let sources = &snapshot.manifest().sources;
        for (id, source) in sources {
            let word = source.file_as.as_deref().unwrap_or_default();
            if word.ends_with("config")
                && let Some(text) = snapshot.text(id)
            {
                files.take(id, text, word.starts_with("provider"), interface);
            }
        }
        files
    }

    fn take(&mut self, _id: &SourceId, text: &str, of_provider: bool, interface: &str) {
        for (key, value) in settings(text) {
            let (key, system) = match key.strip_prefix("-D") {
                Some(key) => (key.to_owned(), true),
                None => (key, false),
            };
            let Some(rest) = key.strip_prefix("dubbo.") else {
                continue;
            };
            let place = if of_provider {
                for kind in ["service", "services", "provider"] {
                    if let Some(name) = named(rest, kind, interface) {
                        self.provider.insert(name, value.clone());
                    }
                }
                continue;
            } else if let Some(name) = named(rest, "reference", interface) {
                let values = if system {
                    &mut self.system
                } else {
                    &mut self.reference
                };
                Some((values, name))
            } else if let Some(name) = rest.strip_prefix("consumer.") {
                let values = if system {
                    &mut self.system
                } else {
                    &mut self.consumer
                };
                Some((values, name.to_owned()))
            } else {
                None
            };
            if let Some((values, name)) = place
                && is_call_setting(&name)
            {
                values.insert(name, value);
            }
        }
    }
}

/// Settings of a call that this verb computes with; `check` and its like are others' business.
const CALL_SETTINGS: [&str; 11] = [
    "timeout",
    "retries",
    "cluster",
    "loadbalance",
    "actives",
    "connections",
    "forks",
    "payload",
    "sent",
    "executes",
    "enable-timeout-countdown",
];

fn is_call_setting(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    CALL_SETTINGS.contains(&last)
}

/// `<kind>.<interface>.<key>`, `<kind>.<interface>.<method>.<key>`, `<kind>.<key>`; in the forms that name methods, too.
fn named(key: &str, kind: &str, interface: &str) -> Option<String> {
    let rest = key.strip_prefix(kind)?.strip_prefix('.')?;
    let name = match rest.strip_prefix(interface) {
        Some(own) => own.strip_prefix('.')?,
        // A dot before the last part: the settings of another interface, or of an id.
        None if rest.contains('.') => return None,
        None => rest,
    };
    Some(name.strip_prefix("methods.").unwrap_or(name).to_owned())
}

/// Keys and values of a properties or YAML text.
fn settings(text: &str) -> Vec<(String, String)> {
    let from_yaml = yaml::load(text, YamlVersion::V2_4)
        .ok()
        .and_then(|document| document.root().map(flat))
        .filter(|pairs| !pairs.is_empty());
    from_yaml.unwrap_or_else(|| {
        properties::read(text)
            .into_iter()
            .map(|property| (property.key, property.value))
            .collect()
    })
}

/// Most settings that are taken from one file: aliases could multiply them.
const MOST: usize = 10_000;

/// The scalars of nested maps, their keys joined by dots.
fn flat(root: Node<'_>) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut open = vec![(String::new(), root)];
    while let Some((prefix, node)) = open.pop() {
        if pairs.len() >= MOST || open.len() >= MOST || prefix.len() > 1000 {
            break;
        }
        match node.value() {
            Value::Map(_) => {
                for (key, value) in node.entries() {
                    let Some(name) = key.as_text().or_else(|| key.written()) else {
                        continue;
                    };
                    let joined = if prefix.is_empty() {
                        name.to_owned()
                    } else {
                        format!("{prefix}.{name}")
                    };
                    open.push((joined, value));
                }
            }
            _ => {
                if let Some(text) = node.written().or_else(|| node.as_text())
                    && !prefix.is_empty()
                {
                    pairs.push((prefix, text.to_owned()));
                }
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_files_by_key() {
        let yaml = "dubbo:\n  service:\n    com.a.B:\n      timeout: 2000\n      getAll:\n        timeout: 50000\n";
        let mut pairs = settings(yaml);
        pairs.sort();
        assert_eq!(pairs.len(), 2);
        assert_eq!(
            pairs[0],
            (
                "dubbo.service.com.a.B.getAll.timeout".to_owned(),
                "50000".to_owned()
            )
        );
        assert_eq!(
            named("service.com.a.B.getAll.timeout", "service", "com.a.B").as_deref(),
            Some("getAll.timeout")
        );
        assert_eq!(
            named("reference.com.a.C.timeout", "reference", "com.a.B"),
            None
        );
        assert_eq!(
            named("reference.timeout", "reference", "com.a.B").as_deref(),
            Some("timeout")
        );
        assert_eq!(
            settings("-Ddubbo.reference.timeout=3000")[0].0,
            "-Ddubbo.reference.timeout"
        );
    }
}
