//! One Nacos server's (or member's) answers, in whichever shape the API that was asked gives them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::shape::{
    Instance, Listed, Named, array, canonical, complete, configs, instances, names, namespaces,
    text,
};
use crate::{
    report::words::{Phrase, Say},
    snapshot::{ErrKind, Key, Line, Seen, Snapshot, SourceId, Want},
    view::{evidence::evidence, missing::Missing, refused, stage::Evidence, stage::NotSeen},
};

/// The answers of one server, or of one of its members.
#[derive(Debug, Clone, Copy)]
pub(super) struct Server<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) source: &'a SourceId,
    pub(super) via: Option<&'a str>,
    pub(super) missing: &'a Missing,
}

impl<'a> Server<'a> {
    /// The newest answers to a key of this member; what was never asked is noted.
    pub(super) fn lines(&self, key: Key) -> Vec<&'a Line> {
        let lines = self.told_lines(&key);
        if lines.is_empty() {
            self.missing
                .note(self.snapshot, Want::any(self.source, key));
        }
        lines
    }

    /// The newest answers to a key of this member, whether or not it is to be asked.
    pub(super) fn told_lines(&self, key: &Key) -> Vec<&'a Line> {
        self.snapshot
            .latest(self.source, key)
            .into_iter()
            .filter(|line| {
                self.via.is_none() || line.via.is_none() || line.via.as_deref() == self.via
            })
            .collect()
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
        complete(&lines, read, Named::clone).map(|names| names.into_iter().collect())
    }

    /// Instances of a service: what clients are told, and what the console sees besides.
    pub(super) fn instances(
        &self,
        namespace: &str,
        group: &str,
        service: &str,
    ) -> Seen<'a, Vec<Shown<'a>>> {
        let client = self.told(Key::nacos_instances(namespace, group, service));
        let console = self.told(catalog(namespace, group, service));
        match (client, console) {
            (Seen::Here(client, line), console) => {
                let listed = |instance: &Instance| {
                    client
                        .iter()
                        .any(|other| (&other.ip, other.port) == (&instance.ip, instance.port))
                };
                let (console, beside) = match console {
                    Seen::Here(console, line) => (console, line),
                    _ => (Vec::new(), line),
                };
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
                        (instance, true, line)
                    })
                    .collect();
                let hidden: Vec<_> = console
                    .into_iter()
                    .filter(|instance| !instance.enabled && !listed(instance))
                    .map(|instance| (instance, false, beside))
                    .collect();
                Seen::Here(told.into_iter().chain(hidden).collect(), line)
            }
            (_, Seen::Here(console, line)) => Seen::Here(
                console
                    .into_iter()
                    .map(|instance| {
                        let enabled = instance.enabled;
                        (instance, enabled, line)
                    })
                    .collect(),
                line,
            ),
            (Seen::Unasked, other) | (other, _) => match other {
                Seen::Unasked => self.absence(namespace, group, service),
                // Neither list is here: nothing is mapped but the state.
                other => other.map(|_| Vec::new()),
            },
        }
    }

    /// Whether a service may have disabled instances that nobody saw: clients are not told of them, the console's list
    /// was not to be had, and r-nacos hides them there, too (but counts them in the list of services).
    pub(super) fn may_hide(&self, namespace: &str, group: &str, service: &str) -> Hidden<'a> {
        let client = self.told(Key::nacos_instances(namespace, group, service));
        let console = self.told(catalog(namespace, group, service));
        if client
            .line()
            .is_some_and(|line| line.api() == Some("plain"))
        {
            return Hidden::No;
        }
        let known = match (&console, &client) {
            (Seen::Here(console, _), Seen::Here(client, _)) => console.len().max(client.len()),
            (Seen::Here(console, _), _) => console.len(),
            // Nothing in the cluster `DEFAULT`, which is the one that was asked: there may be others.
            (Seen::Absent(_), Seen::Here(client, _)) => client.len(),
            (Seen::Absent(_), _) => 0,
            (console, _) => {
                return if self.absence::<()>(namespace, group, service).is_known() {
                    Hidden::No
                } else {
                    Hidden::Maybe(console.line())
                };
            }
        };
        let counted = self.names(namespace, None).here().and_then(|names| {
            names
                .iter()
                .find(|named| named.group == group && named.name == service)
                .and_then(|named| named.count)
        });
        match counted {
            Some(count) if count > known as u64 => Hidden::Maybe(console.line()),
            _ => Hidden::No,
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

    /// Why the list that clients get was not seen although it was asked for.
    pub(super) fn refused_list(
        &self,
        namespace: &str,
        group: &str,
        service: &str,
    ) -> Option<&'a Line> {
        match self.told(Key::nacos_instances(namespace, group, service)) {
            Seen::Refused(line) => Some(line),
            _ => None,
        }
    }

    fn told(&self, key: Key) -> Seen<'a, Vec<Instance>> {
        let lines: Vec<&Line> = self
            .lines(key)
            .into_iter()
            .filter(|line| line.extra.get("healthy_only") != Some(&Value::Bool(true)))
            .collect();
        complete(&lines, instances, Instance::identity)
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
        let key = Key::nacos_config(namespace, group, data_id);
        let lines = self.lines(key.clone());
        if let Some(line) = lines.first() {
            return match (line.body_text(), line.err_kind()) {
                (Some(text), _) => Seen::Here(text.into_owned(), line),
                (None, Some(ErrKind::NotFound)) => Seen::Absent(Some(line)),
                _ => Seen::Refused(line),
            };
        }
        match self.everything(namespace, key) {
            Seen::Here(list, line) => match list
                .into_iter()
                .find(|entry| entry.group == group && entry.data_id == data_id)
            {
                Some(Listed {
                    content: Some(content),
                    ..
                }) => Seen::Here(content, line),
                Some(_) => Seen::Unasked,
                // It is the place that is empty, whichever answer tells it.
                None if self.is_complete(namespace) => Seen::Absent(None),
                None => Seen::Absent(Some(line)),
            },
            _ if self.is_complete(namespace) => Seen::Absent(None),
            other => other.map(|_| String::new()),
        }
    }

    /// All configurations of a namespace whose data id has this part, when the search for them was complete.
    pub(super) fn configs_with(&self, namespace: &str, part: &str) -> Seen<'a, Vec<Listed>> {
        let key = search(namespace, &format!("*{part}*"));
        let found = match complete(&self.lines(key.clone()), configs, Listed::identity) {
            Seen::Unasked => self.everything(namespace, key),
            found => found,
        };
        found.map(|list| {
            list.into_iter()
                .filter(|entry| entry.data_id.contains(part))
                .collect()
        })
    }

    /// All configurations of a namespace, as some recordings hold them. A search for everything brings the texts of
    /// all other applications along, so it is looked for only when `instead` was asked and stayed without an answer:
    /// no live server does that.
    fn everything(&self, namespace: &str, instead: Key) -> Seen<'a, Vec<Listed>> {
        let asked = self.snapshot.was_asked(&Want::any(self.source, instead));
        for everything in ["*", ""] {
            let key = search(namespace, everything);
            let lines = if asked {
                self.lines(key)
            } else {
                self.told_lines(&key)
            };
            let seen = complete(&lines, configs, Listed::identity);
            if !matches!(seen, Seen::Unasked) {
                return seen;
            }
        }
        Seen::Unasked
    }

    /// Ids of all namespaces with the names that people see.
    pub(super) fn namespaces(&self) -> Seen<'a, Vec<(String, String)>> {
        complete(&self.lines(Key::NacosNamespaces), namespaces, Clone::clone)
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

    /// The version as the server told it.
    pub(super) fn version(&self) -> Option<&'a str> {
        let source = self.snapshot.manifest().sources.get(self.source)?;
        source.server.as_deref()
    }

    /// Evidence from a line.
    pub(super) fn evidence(&self, line: &Line, fact: impl Into<Phrase>) -> Evidence {
        evidence(self.snapshot, self.source, line, fact)
    }
}

/// An instance, whether clients are told of it, and the answer in which it stands.
pub(super) type Shown<'a> = (Instance, bool, &'a Line);

/// Whether instances may be there that no answer shows.
pub(super) enum Hidden<'a> {
    /// All that are there were told.
    No,
    /// Disabled ones may be; the answer that should have told.
    Maybe(Option<&'a Line>),
}

fn catalog(namespace: &str, group: &str, service: &str) -> Key {
    Key::NacosCatalog {
        namespace: namespace.to_owned(),
        group: group.to_owned(),
        service: service.to_owned(),
    }
}

fn search(namespace: &str, data_id: &str) -> Key {
    Key::NacosConfigSearch {
        namespace: namespace.to_owned(),
        group: String::new(),
        data_id: data_id.to_owned(),
    }
}

/// A fact that was not seen.
pub(super) fn not_seen<T>(what: Phrase, seen: &Seen<'_, T>, required: bool) -> NotSeen {
    let refusal = seen.refusal();
    let why = refusal.map_or(Say::NotAsked.into(), refused::answer);
    NotSeen {
        what,
        why,
        how_to_see: Some(refused::how_to_see(refusal).into()),
        required,
    }
}
