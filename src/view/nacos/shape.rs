//! The shapes in which the generations answer the same question, read into one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::snapshot::{ErrKind, Line, Seen};

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
    /// The cluster in which it is registered; `None` when the answer does not say.
    pub(super) cluster: Option<String>,
    /// `None` when the answer does not say.
    pub(super) ephemeral: Option<bool>,
    /// `ip#port#cluster#group@@service`, with `null` for the cluster of a client that registered over gRPC.
    pub(super) id: Option<String>,
    pub(super) metadata: BTreeMap<String, String>,
}

/// A service name with its Nacos group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Named {
    pub(super) group: String,
    pub(super) name: String,
    /// Instances, disabled ones included, where the list counts them.
    pub(super) count: Option<u64>,
}

/// One configuration of a list; lists of some generations have no content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) group: String,
    pub(super) data_id: String,
    pub(super) content: Option<String>,
}

impl Instance {
    /// What no two instances of a service share: an address may be in two clusters, which only the id tells.
    pub(super) fn identity(&self) -> (Option<String>, String, u32) {
        (self.id.clone(), self.ip.clone(), self.port)
    }
}

impl Listed {
    /// What no two configurations of a namespace share.
    pub(super) fn identity(&self) -> (String, String) {
        (self.group.clone(), self.data_id.clone())
    }
}

/// `public` and the empty id are one namespace.
pub(super) fn canonical(namespace: &str) -> &str {
    if namespace == "public" { "" } else { namespace }
}

/// Joins the pages of an answer. Complete: as many entries as announced, or an answer without pages. An entry that comes
/// twice, as when others come and go while the pages are read, stands for one that did not come: `same` tells them.
pub(super) fn complete<'a, T, K: Ord>(
    lines: &[&'a Line],
    read: impl Fn(&Value) -> Option<Vec<T>>,
    same: impl Fn(&T) -> K,
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
        let reached = |count: u64| {
            found.len() as u64 >= count
                && (lines.len() < 2
                    || found.iter().map(&same).collect::<BTreeSet<K>>().len() as u64 >= count)
        };
        if let Some(line) = readable
            && announced.is_none_or(reached)
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

pub(super) fn array<'v>(value: &'v Value, paths: &[&str]) -> Option<&'v Vec<Value>> {
    paths
        .iter()
        .find_map(|path| value.pointer(path).and_then(Value::as_array))
}

pub(super) fn text(value: &Value, names: &[&str]) -> Option<String> {
    names
        .iter()
        .find_map(|name| value.get(name).and_then(Value::as_str))
        .map(str::to_owned)
}

pub(super) fn names(value: &Value, group: Option<&str>) -> Option<Vec<Named>> {
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
    list.iter()
        .map(|entry| match entry {
            Value::String(name) => Some(split(name, group, None)),
            entry => {
                let name = text(entry, &["name", "serviceName"])?;
                let group = text(entry, &["groupName"]);
                let count = entry.get("ipCount").and_then(Value::as_u64);
                Some(split(&name, group.as_deref(), count))
            }
        })
        .collect()
}

/// `GROUP@@name` carries its group.
fn split(name: &str, group: Option<&str>, count: Option<u64>) -> Named {
    let (own, name) = match name.split_once("@@") {
        Some((own, name)) => (Some(own), name),
        None => (None, name),
    };
    Named {
        group: own.or(group).unwrap_or("DEFAULT_GROUP").to_owned(),
        name: name.to_owned(),
        count,
    }
}

pub(super) fn instances(value: &Value) -> Option<Vec<Instance>> {
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
    list.iter().map(instance).collect()
}

/// Reads an entry of a list; a switch or a number in quotes is read as one, as the clients' own JSON readers do. `None`:
/// no instance, and who knows what the list would say without the fault.
fn instance(value: &Value) -> Option<Instance> {
    let flag = |name: &str| match value.get(name)? {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_bool(),
    };
    let number = |name: &str| match value.get(name)? {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    };
    let port = match value.get("port")? {
        Value::String(text) => text.trim().parse().ok()?,
        other => other.as_u64()?,
    };
    let metadata = value.get("metadata").filter(|value| !value.is_null());
    if metadata.is_some_and(|value| !value.is_object()) {
        return None;
    }
    Some(Instance {
        ip: text(value, &["ip"]).filter(|ip| !ip.is_empty())?,
        port: u32::try_from(port).ok()?,
        weight: number("weight").unwrap_or(1.0),
        healthy: flag("healthy").or_else(|| flag("valid")).unwrap_or(true),
        enabled: flag("enabled").unwrap_or(true),
        rewritten: false,
        cluster: text(value, &["clusterName"]),
        ephemeral: flag("ephemeral"),
        id: text(value, &["instanceId"]),
        metadata: metadata
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

pub(super) fn configs(value: &Value) -> Option<Vec<Listed>> {
    let list = array(value, &["", "/pageItems", "/data/pageItems", "/data"])?;
    list.iter()
        .map(|entry| {
            Some(Listed {
                data_id: text(entry, &["dataId"])?,
                group: text(entry, &["group", "groupName"]).unwrap_or_default(),
                content: text(entry, &["content"]),
            })
        })
        .collect()
}

pub(super) fn namespaces(value: &Value) -> Option<Vec<(String, String)>> {
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

    #[test]
    fn odd_types_are_read_as_clients_do_or_not_at_all() {
        let host = |more: Value| {
            let mut host = json!({"ip": "10.0.0.1", "port": 1, "metadata": {}});
            for (name, value) in more.as_object().unwrap() {
                host[name] = value.clone();
            }
            instance(&host)
        };
        let quoted = json!({"port": "7", "enabled": "false", "healthy": "false", "weight": "0.5"});
        let read = host(quoted).unwrap();
        assert_eq!((read.port, read.enabled, read.healthy), (7, false, false));
        assert!((read.weight - 0.5).abs() < f64::EPSILON);
        assert!(host(json!({"metadata": null})).is_some());
        for odd in [
            json!({"ip": ""}),
            json!({"ip": 7}),
            json!({"port": "x"}),
            json!({"port": -1}),
            json!({"metadata": []}),
            json!({"metadata": "{}"}),
        ] {
            assert_eq!(host(odd.clone()), None, "{odd}");
        }
    }
}
