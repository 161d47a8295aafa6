//! One Nacos server's (or member's) answers, in whichever shape the API that was asked gives them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    report::words::{Phrase, Say},
    snapshot::{ErrKind, Key, Line, Seen, Snapshot, SourceId, Want},
    view::{evidence::evidence, missing::Missing, stage::Evidence, stage::NotSeen},
};

/// The answers of one server, or of one of its members.
#[derive(Debug, Clone, Copy)]
pub(super) struct Server<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) source: &'a SourceId,
    pub(super) via: Option<&'a str>,
    pub(super) missing: &'a Missing,
}

/// An instance as Nacos tells it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Instance {
    pub(super) ip: String,
    pub(super) port: u32,
    pub(super) weight: f64,
    pub(super) healthy: bool,
    pub(super) enabled: bool,
    /// The list for clients calls it healthy, the console's does not.
    pub(super) rewritten: bool,
    pub(super) metadata: BTreeMap<String, String>,
}

/// A service name with its Nacos group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Named {
    pub(super) group: String,
    pub(super) name: String,
}

/// One configuration of a list; lists of some generations have no content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) group: String,
    pub(super) data_id: String,
    pub(super) content: Option<String>,
}

impl<'a> Server<'a> {
    /// The newest answers to a key of this member; what was never asked is noted.
    pub(super) fn lines(&self, key: Key) -> Vec<&'a Line> {
        let lines: Vec<&Line> = self
            .snapshot
            .latest(self.source, &key)
            .into_iter()
            .filter(|line| {
                self.via.is_none() || line.via.is_none() || line.via.as_deref() == self.via
            })
            .collect();
        if lines.is_empty() {
            self.missing
                .note(self.snapshot, Want::any(self.source, key));
        }
        lines
    }

    /// Names of services of a namespace: of one group, or of all.
    pub(super) fn names(&self, namespace: &str, group: Option<&str>) -> Seen<'a, BTreeSet<Named>> {
        let own = self.listed(namespace, group, |value| names(value, group));
        match (own, group) {
            (Seen::Unasked, Some(group)) => self
                .listed(namespace, None, |value| names(value, None))
                .map(|names| {
                    names
                        .into_iter()
                        .filter(|named| named.group == group)
                        .collect()
                }),
            (own, _) => own,
        }
    }

    fn listed(
        &self,
        namespace: &str,
        group: Option<&str>,
        read: impl Fn(&Value) -> Option<Vec<Named>>,
    ) -> Seen<'a, BTreeSet<Named>> {
        let key = Key::NacosServices {
            namespace: namespace.to_owned(),
            group: group.map(str::to_owned),
        };
        let lines = self.lines(key);
        complete(&lines, read).map(|names| names.into_iter().collect())
    }

    /// Instances of a service: what clients are told, and what the console sees besides.
    pub(super) fn instances(
        &self,
        namespace: &str,
        group: &str,
        service: &str,
    ) -> Seen<'a, Vec<(Instance, bool)>> {
        let client = self.told(Key::nacos_instances(namespace, group, service));
        let console = self.told(Key::NacosCatalog {
            namespace: namespace.to_owned(),
            group: group.to_owned(),
            service: service.to_owned(),
        });
        match (client, console) {
            (Seen::Here(client, line), console) => {
                let listed = |instance: &Instance| {
                    client
                        .iter()
                        .any(|other| (&other.ip, other.port) == (&instance.ip, instance.port))
                };
                let console = console.here().unwrap_or_default();
                let is_dead = |instance: &Instance| {
                    console.iter().any(|other| {
                        (&other.ip, other.port) == (&instance.ip, instance.port) && !other.healthy
                    })
                };
                let told: Vec<_> = client
                    .iter()
                    .map(|instance| {
                        let rewritten = instance.healthy && is_dead(instance);
                        let instance = Instance {
                            rewritten,
                            ..instance.clone()
                        };
                        (instance, true)
                    })
                    .collect();
                let hidden: Vec<_> = console
                    .into_iter()
                    .filter(|instance| !instance.enabled && !listed(instance))
                    .map(|instance| (instance, false))
                    .collect();
                Seen::Here(told.into_iter().chain(hidden).collect(), line)
            }
            (_, Seen::Here(console, line)) => Seen::Here(
                console
                    .into_iter()
                    .map(|instance| {
                        let enabled = instance.enabled;
                        (instance, enabled)
                    })
                    .collect(),
                line,
            ),
            (Seen::Unasked, other) | (other, _) => match other {
                Seen::Unasked => self.absence(namespace, group, service),
                other => {
                    other.map(|list| list.into_iter().map(|instance| (instance, true)).collect())
                }
            },
        }
    }

    /// A name that a complete list does not have is absent.
    fn absence<T>(&self, namespace: &str, group: &str, service: &str) -> Seen<'a, T> {
        match self.names(namespace, Some(group)) {
            Seen::Here(names, line) if names.iter().all(|named| named.name != service) => {
                Seen::Absent(Some(line))
            }
            Seen::Here(..) => Seen::Unasked,
            _ if self.is_complete(namespace) => Seen::Absent(None),
            _ => Seen::Unasked,
        }
    }

    fn told(&self, key: Key) -> Seen<'a, Vec<Instance>> {
        let lines: Vec<&Line> = self
            .lines(key)
            .into_iter()
            .filter(|line| line.extra.get("healthy_only") != Some(&Value::Bool(true)))
            .collect();
        complete(&lines, instances)
    }

    /// Whether the recording says that a namespace was read completely.
    pub(super) fn is_complete(&self, namespace: &str) -> bool {
        self.snapshot
            .manifest()
            .scope
            .namespaces
            .iter()
            .any(|known| canonical(known) == canonical(namespace))
    }

    /// One configuration: by itself, else by the complete list of the namespace.
    pub(super) fn config(&self, namespace: &str, group: &str, data_id: &str) -> Seen<'a, String> {
        let lines = self.lines(Key::nacos_config(namespace, group, data_id));
        if let Some(line) = lines.first() {
            return match (line.body_text(), line.err_kind()) {
                (Some(text), _) => Seen::Here(text.into_owned(), line),
                (None, Some(ErrKind::NotFound)) => Seen::Absent(Some(line)),
                _ => Seen::Refused(line),
            };
        }
        match self.configs(namespace) {
            Seen::Here(list, line) => match list
                .into_iter()
                .find(|entry| entry.group == group && entry.data_id == data_id)
            {
                Some(Listed {
                    content: Some(content),
                    ..
                }) => Seen::Here(content, line),
                Some(_) => Seen::Unasked,
                None => Seen::Absent(Some(line)),
            },
            _ if self.is_complete(namespace) => Seen::Absent(None),
            other => other.map(|_| String::new()),
        }
    }

    /// All configurations of a namespace, when a search for everything was complete.
    pub(super) fn configs(&self, namespace: &str) -> Seen<'a, Vec<Listed>> {
        for everything in ["*", ""] {
            let key = Key::NacosConfigSearch {
                namespace: namespace.to_owned(),
                group: String::new(),
                data_id: everything.to_owned(),
            };
            let seen = complete(&self.lines(key), configs);
            if !matches!(seen, Seen::Unasked) {
                return seen;
            }
        }
        Seen::Unasked
    }

    /// Ids of all namespaces with the names that people see.
    pub(super) fn namespaces(&self) -> Seen<'a, Vec<(String, String)>> {
        complete(&self.lines(Key::NacosNamespaces), namespaces)
    }

    /// Addresses that subscribe to a service.
    pub(super) fn subscribers(&self, namespace: &str, group: &str, service: &str) -> Vec<String> {
        let key = Key::NacosSubscribers {
            namespace: namespace.to_owned(),
            group: group.to_owned(),
            service: service.to_owned(),
        };
        self.lines(key)
            .iter()
            .filter_map(|line| line.body_json())
            .flat_map(|value| {
                array(&value, &["/subscribers", "/data/pageItems", "/data"])
                    .into_iter()
                    .flatten()
                    .filter_map(|entry| text(entry, &["ip"]))
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// Evidence from a line.
    pub(super) fn evidence(&self, line: &Line, fact: impl Into<Phrase>) -> Evidence {
        evidence(self.snapshot, self.source, line, fact)
    }
}

/// A fact that was not seen.
pub(super) fn not_seen<T>(what: Phrase, seen: &Seen<'_, T>, required: bool) -> NotSeen {
    let why = match seen {
        Seen::Refused(line) => Phrase::new(Say::AnswerRefused)
            .with("kind", line.err_kind().map_or("-", |kind| kind.as_str())),
        _ => Phrase::new(Say::NotAsked),
    };
    NotSeen {
        what,
        why,
        how_to_see: Some(Say::HowRecordMore.into()),
        required,
    }
}

/// `public` and the empty id are one namespace.
pub(super) fn canonical(namespace: &str) -> &str {
    if namespace == "public" { "" } else { namespace }
}

/// Joins the pages of an answer. Complete: as many entries as announced, or an answer without pages.
fn complete<'a, T>(
    lines: &[&'a Line],
    read: impl Fn(&Value) -> Option<Vec<T>>,
) -> Seen<'a, Vec<T>> {
    let mut by_api: BTreeMap<&str, Vec<&'a Line>> = BTreeMap::new();
    for line in lines {
        by_api
            .entry(line.api().unwrap_or_default())
            .or_default()
            .push(line);
    }
    let mut refused = None;
    let mut absent = None;
    for lines in by_api.into_values() {
        let mut found = Vec::new();
        let mut announced = None;
        let mut readable = None;
        for line in &lines {
            if line.err_kind() == Some(&ErrKind::NotFound) || is_empty_in_words(line) {
                absent = Some(*line);
                continue;
            }
            let Some(value) = line.body_json() else {
                refused = Some(*line);
                continue;
            };
            match read(&value) {
                Some(part) => {
                    found.extend(part);
                    announced = announced.or_else(|| count(&value));
                    readable = Some(*line);
                }
                None => refused = Some(*line),
            }
        }
        if let Some(line) = readable
            && announced.is_none_or(|count| found.len() as u64 >= count)
        {
            return Seen::Here(found, line);
        }
    }
    match (absent, refused) {
        (Some(line), _) => Seen::Absent(Some(line)),
        (None, Some(line)) => Seen::Refused(line),
        (None, None) => Seen::Unasked,
    }
}

/// `cluster DEFAULT is not found!` is how 2.x and 3.x say that a service has no instances any more.
fn is_empty_in_words(line: &Line) -> bool {
    line.body_json().is_some_and(|value| {
        value
            .get("code")
            .and_then(Value::as_i64)
            .is_some_and(|code| code != 0 && code != 200)
            && text(&value, &["message", "data"]).is_some_and(|text| {
                let text = text.to_ascii_lowercase();
                text.contains("not found") || text.contains("not exist")
            })
    })
}

fn count(value: &Value) -> Option<u64> {
    ["/count", "/totalCount", "/data/totalCount", "/data/count"]
        .iter()
        .find_map(|path| value.pointer(path)?.as_u64())
}

fn array<'v>(value: &'v Value, paths: &[&str]) -> Option<&'v Vec<Value>> {
    paths
        .iter()
        .find_map(|path| value.pointer(path).and_then(Value::as_array))
}

fn text(value: &Value, names: &[&str]) -> Option<String> {
    names
        .iter()
        .find_map(|name| value.get(name).and_then(Value::as_str))
        .map(str::to_owned)
}

fn names(value: &Value, group: Option<&str>) -> Option<Vec<Named>> {
    let list = array(
        value,
        &[
            "",
            "/doms",
            "/serviceList",
            "/data/pageItems",
            "/data/services",
            "/data",
        ],
    )?;
    Some(
        list.iter()
            .filter_map(|entry| match entry {
                Value::String(name) => Some(split(name, group)),
                entry => {
                    let name = text(entry, &["name", "serviceName"])?;
                    let group = text(entry, &["groupName"]);
                    Some(split(&name, group.as_deref()))
                }
            })
            .collect(),
    )
}

/// `GROUP@@name` carries its group.
fn split(name: &str, group: Option<&str>) -> Named {
    let (own, name) = match name.split_once("@@") {
        Some((own, name)) => (Some(own), name),
        None => (None, name),
    };
    Named {
        group: own.or(group).unwrap_or("DEFAULT_GROUP").to_owned(),
        name: name.to_owned(),
    }
}

fn instances(value: &Value) -> Option<Vec<Instance>> {
    let list = array(
        value,
        &[
            "",
            "/hosts",
            "/list",
            "/data/hosts",
            "/data/pageItems",
            "/data/list",
            "/data",
        ],
    )?;
    Some(list.iter().filter_map(instance).collect())
}

fn instance(value: &Value) -> Option<Instance> {
    let flag = |name: &str| value.get(name).and_then(Value::as_bool);
    Some(Instance {
        ip: text(value, &["ip"])?,
        port: u32::try_from(value.get("port")?.as_u64()?).ok()?,
        weight: value.get("weight").and_then(Value::as_f64).unwrap_or(1.0),
        healthy: flag("healthy").or_else(|| flag("valid")).unwrap_or(true),
        enabled: flag("enabled").unwrap_or(true),
        rewritten: false,
        metadata: value
            .get("metadata")
            .and_then(Value::as_object)
            .map(|map| {
                map.iter()
                    .map(|(name, value)| {
                        let text = value
                            .as_str()
                            .map_or_else(|| value.to_string(), str::to_owned);
                        (name.clone(), text)
                    })
                    .collect()
            })
            .unwrap_or_default(),
    })
}

fn configs(value: &Value) -> Option<Vec<Listed>> {
    let list = array(value, &["", "/pageItems", "/data/pageItems", "/data"])?;
    Some(
        list.iter()
            .filter_map(|entry| {
                Some(Listed {
                    data_id: text(entry, &["dataId"])?,
                    group: text(entry, &["group", "groupName"]).unwrap_or_default(),
                    content: text(entry, &["content"]),
                })
            })
            .collect(),
    )
}

fn namespaces(value: &Value) -> Option<Vec<(String, String)>> {
    let list = array(value, &["", "/data"])?;
    Some(
        list.iter()
            .filter_map(|entry| match entry {
                Value::String(id) => Some((canonical(id).to_owned(), id.clone())),
                entry => {
                    let id = text(entry, &["namespace", "namespaceId"])?;
                    let name = text(entry, &["namespaceShowName", "namespaceName"]);
                    Some((
                        canonical(&id).to_owned(),
                        name.unwrap_or_else(|| id.clone()),
                    ))
                }
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_shapes_of_all_generations() {
        for value in [
            json!(["DEFAULT_GROUP@@a"]),
            json!({"count": 1, "doms": ["a"]}),
            json!({"count": 1, "serviceList": [{"name": "a", "groupName": "DEFAULT_GROUP"}]}),
            json!({"code": 0, "data": {"totalCount": 1, "pageItems": [{"name": "a", "groupName": "DEFAULT_GROUP"}]}}),
        ] {
            let names = names(&value, None).unwrap();
            assert_eq!(names[0].name, "a", "{value}");
            assert_eq!(names[0].group, "DEFAULT_GROUP", "{value}");
        }
        let host = json!({"ip": "10.0.0.1", "port": 1, "weight": 0.0, "enabled": false, "metadata": {"a": "b"}});
        for value in [
            json!([host]),
            json!({"hosts": [host]}),
            json!({"count": 1, "list": [host]}),
            json!({"code": 0, "data": [host]}),
            json!({"code": 0, "data": {"hosts": [host]}}),
        ] {
            let list = instances(&value).unwrap();
            assert!(!list[0].enabled && list[0].metadata["a"] == "b", "{value}");
        }
    }

    proptest! {
        #[test]
        fn any_json_gives_an_answer(text in r#"[\[\]{}",:a-z0-9 ]{0,60}"#) {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                let _ = (names(&value, None), instances(&value), configs(&value), namespaces(&value), count(&value));
            }
        }
    }
}
