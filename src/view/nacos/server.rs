//! One Nacos server's (or member's) answers, in whichever shape the API that was asked gives them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::shape::{
    Instance, Listed, Named, array, canonical, complete, configs, instances, names, namespaces,
    text,
};
use crate::{
    report::words::{Phrase, Say},
    snapshot::{Ended, ErrKind, Key, Line, Part, Seen, Snapshot, SourceId, Want, says_no_cluster},
    view::{
        evidence::evidence, missing::Missing, refused, rule_keys::PROPERTIES, stage::Evidence,
        stage::NotSeen,
    },
};

/// The answers of one server, or of one of its members.
#[derive(Debug, Clone, Copy)]
pub(super) struct Server<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) source: &'a SourceId,
    pub(super) via: Option<&'a str>,
    /// Members that were lost on the way: what only they have told still counts.
    pub(super) lost: Option<&'a BTreeSet<String>>,
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
        let told = self.snapshot.latest(self.source, key);
        let is_own = |line: &&&Line| {
            self.via.is_none() || line.via.is_none() || line.via.as_deref() == self.via
        };
        let own: Vec<&Line> = told.iter().filter(is_own).copied().collect();
        let Some(lost) = self.lost.filter(|_| own.is_empty()) else {
            return own;
        };
        let before = told.iter().filter(|line| {
            line.err_kind().is_none() && line.via.as_ref().is_some_and(|via| lost.contains(via))
        });
        before.copied().collect()
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
        let console = self.console(namespace, group, service);
        let is_elsewhere = matches!(&client, Seen::Here(told, _) if {
            let mut clusters = told.iter().filter_map(|one| one.cluster.as_deref());
            clusters.any(|cluster| cluster != DEFAULT_CLUSTER)
        });
        if console.lacks_cluster || is_elsewhere && console.listed.is_known() {
            self.want_clusters(namespace, group, service);
        }
        match (client, console.listed) {
            (Seen::Here(client, line), console) => {
                let listed = |instance: &Instance| {
                    client
                        .iter()
                        .any(|other| (&other.ip, other.port) == (&instance.ip, instance.port))
                };
                let console = console.here().unwrap_or_default();
                let is_dead = |instance: &Instance| {
                    console.iter().any(|(other, _)| {
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
                    .filter(|(instance, _)| !instance.enabled && !listed(instance))
                    .map(|(instance, beside)| (instance, false, beside))
                    .collect();
                Seen::Here(told.into_iter().chain(hidden).collect(), line)
            }
            (_, Seen::Here(console, line)) => Seen::Here(
                console
                    .into_iter()
                    .map(|(instance, line)| {
                        let enabled = instance.enabled;
                        (instance, enabled, line)
                    })
                    .collect(),
                line,
            ),
            (Seen::Unasked, other) => match other {
                Seen::Unasked => self.absence(namespace, group, service),
                // Neither list is here: nothing is mapped but the state.
                other => other.map(|_| Vec::new()),
            },
            (other, _) => other.map(|_| Vec::new()),
        }
    }

    /// The console's list, of all clusters that were asked for.
    fn console(&self, namespace: &str, group: &str, service: &str) -> Console<'a> {
        let lines = self.lines(catalog(namespace, group, service));
        let mut by_cluster: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
        for line in lines {
            let cluster = line.extra.get("cluster").and_then(Value::as_str);
            by_cluster
                .entry(cluster.unwrap_or(DEFAULT_CLUSTER))
                .or_default()
                .push(line);
        }
        let (mut found, mut known) = (Vec::new(), BTreeSet::new());
        let (mut here, mut absent, mut refused) = (None, None, None);
        let mut lacks_cluster = false;
        for (cluster, lines) in by_cluster {
            match complete(&lines, instances, Instance::identity) {
                Seen::Here(list, line) => {
                    here.get_or_insert(line);
                    for instance in list {
                        // r-nacos lists the same whatever cluster is asked for.
                        let own = instance.cluster.clone();
                        let own = own.unwrap_or_else(|| cluster.to_owned());
                        if known.insert((own, instance.ip.clone(), instance.port))
                            || cluster == DEFAULT_CLUSTER
                        {
                            found.push((instance, line));
                        }
                    }
                }
                Seen::Absent(line) => {
                    lacks_cluster |= cluster == DEFAULT_CLUSTER
                        && lines.iter().any(|line| says_no_cluster(line));
                    absent = absent.or(line);
                }
                Seen::Refused(line) => refused = refused.or(Some(line)),
                Seen::Unasked => {}
            }
        }
        let listed = match (here, absent, refused) {
            (Some(line), ..) => Seen::Here(found, line),
            (None, Some(line), _) => Seen::Absent(Some(line)),
            (None, None, Some(line)) => Seen::Refused(line),
            (None, None, None) => Seen::Unasked,
        };
        Console {
            listed,
            refused,
            lacks_cluster,
        }
    }

    /// Asks for the console's list of every cluster of a service.
    fn want_clusters(&self, namespace: &str, group: &str, service: &str) {
        let want = Want {
            part: Part::Clusters,
            ..Want::any(self.source, catalog(namespace, group, service))
        };
        self.missing.note(self.snapshot, want);
    }

    /// Whether a service may have disabled instances that nobody saw: clients are not told of them, the console's list
    /// was not to be had, and r-nacos hides them there, too (but counts them in the list of services).
    pub(super) fn may_hide(&self, namespace: &str, group: &str, service: &str) -> Hidden<'a> {
        let client = self.told(Key::nacos_instances(namespace, group, service));
        let console = self.console(namespace, group, service);
        let is_plain = client
            .line()
            .is_some_and(|line| line.api() == Some("plain"));
        // The neutral shape has the disabled ones as well, unless the list that would show them was refused, or a service
        // is listed that has nobody at all and of which no list of the console says so.
        if is_plain && console.refused.is_none() {
            let is_empty = client.here().is_some_and(|found| found.is_empty());
            let is_open = is_empty
                && !console.listed.is_known()
                && !self.absence::<()>(namespace, group, service).is_known();
            let all = self.names(namespace, None);
            let list = all.line();
            let counted = all.here().and_then(|names| {
                let mut names = names.into_iter();
                names
                    .find(|named| named.group == group && named.name == service)?
                    .count
            });
            return match counted {
                _ if !is_open => Hidden::No,
                Some(0) => Hidden::No,
                // More than the client was told of: who is not told of is not in use.
                Some(_) => Hidden::Maybe(list),
                None => Hidden::Maybe(None),
            };
        }
        // Nothing in the cluster `DEFAULT`, which is the one that was asked first: there may be others.
        if !console.listed.is_known() {
            return if self.absence::<()>(namespace, group, service).is_known() {
                Hidden::No
            } else {
                Hidden::Maybe(console.listed.line())
            };
        }
        let known = known(&client, &console);
        if console.refused.is_some() {
            return Hidden::Maybe(console.refused);
        }
        let counted = self.names(namespace, None).here().and_then(|names| {
            names
                .iter()
                .find(|named| named.group == group && named.name == service)
                .and_then(|named| named.count)
        });
        match counted {
            Some(count) if count > known as u64 => {
                self.want_clusters(namespace, group, service);
                Hidden::Maybe(console.listed.line())
            }
            _ => Hidden::No,
        }
    }

    /// Asks for the further clusters of a service of which more instances are counted than are known, as far as a list
    /// of services that was read counts them.
    pub(super) fn count_instances(&self, namespace: &str, group: &str, service: &str) {
        let console = self.console(namespace, group, service);
        if !console.listed.is_known() {
            return;
        }
        let key = Key::NacosServices {
            namespace: namespace.to_owned(),
            group: None,
        };
        let lists = self.told_lines(&key);
        let listed = complete(&lists, |value| names(value, None), Named::clone);
        let counted = listed.here().and_then(|names| {
            names
                .iter()
                .find(|named| named.group == group && named.name == service)
                .and_then(|named| named.count)
        });
        let client = self.told(Key::nacos_instances(namespace, group, service));
        let known = known(&client, &console);
        if counted.is_some_and(|count| count > known as u64) {
            self.want_clusters(namespace, group, service);
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

    /// Whether a recording that was asked for the rules of a namespace holds nothing at all of it, and no list of namespaces
    /// names it. A server that is asked now always has something to say.
    pub(super) fn is_unheard_of(&self, namespace: &str) -> bool {
        let rules = Key::nacos_config(namespace, "dubbo", PROPERTIES);
        let asked = self.snapshot.was_asked(&Want::any(self.source, rules));
        let listed = self.told_lines(&Key::NacosNamespaces);
        let is_open = match complete(&listed, namespaces, Clone::clone) {
            Seen::Here(all, _) => all.iter().any(|(id, _)| id == namespace),
            seen => !matches!(seen, Seen::Unasked),
        };
        let field = ("namespace", namespace);
        asked
            && !is_open
            && self.snapshot.manifest().ended == Ended::Complete
            && self
                .snapshot
                .keys(self.source)
                .all(|key| !key.fields().contains(&field))
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

    /// All configurations of a namespace, where a recording holds them; nobody is asked.
    pub(super) fn told_configs(&self, namespace: &str) -> Vec<Listed> {
        let lists = ["*", ""].map(|all| self.told_lines(&search(namespace, all)));
        let mut seen = lists
            .iter()
            .map(|lines| complete(lines, configs, Listed::identity));
        seen.find_map(Seen::here).unwrap_or_default()
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

/// The console's list.
struct Console<'a> {
    /// Its instances, each with the answer in which it stands.
    listed: Seen<'a, Vec<(Instance, &'a Line)>>,
    /// A cluster of which the list was not to be had.
    refused: Option<&'a Line>,
    /// The service has nothing in the cluster that Dubbo uses.
    lacks_cluster: bool,
}

/// How many instances clients and console are shown: an address may be in several clusters.
fn known(client: &Seen<'_, Vec<Instance>>, console: &Console<'_>) -> usize {
    let identity = |instance: &Instance| {
        let cluster = instance.cluster.as_deref().unwrap_or(DEFAULT_CLUSTER);
        (cluster.to_owned(), instance.ip.clone(), instance.port)
    };
    let mut known: BTreeSet<(String, String, u32)> = BTreeSet::new();
    if let Seen::Here(list, _) = &console.listed {
        known.extend(list.iter().map(|(instance, _)| identity(instance)));
    }
    if let Seen::Here(list, _) = client {
        known.extend(list.iter().map(identity));
    }
    known.len()
}

/// The cluster in which Dubbo registers, and of which the console's list is asked first.
const DEFAULT_CLUSTER: &str = "DEFAULT";

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
