//! What the lists of a Nacos name, and whether they name everything.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use serde_json::Value;

use crate::{
    model::rule_kind::endings,
    observe::Failure,
    snapshot::{ErrKind, Key, Line, Payload, says_no_cluster},
};

/// Groups of the configurations of Dubbo itself.
const GROUPS: [&str; 4] = [
    "dubbo",
    "mapping",
    "DUBBO_SERVICEDISCOVERY_MIGRATION",
    "MIGRATION",
];

/// How the data ids of Dubbo's rules end that have no group of their own.
fn rules() -> impl Iterator<Item = &'static str> {
    endings().filter(|ending| *ending != ".migration")
}

/// How the names of services begin that are no application's (`NacosServiceName`).
const CATEGORIES: [&str; 4] = ["providers:", "consumers:", "routers:", "configurators:"];

/// Under which an instance names the revision of its metadata (`ServiceInstanceMetadataUtils`).
const REVISION: &str = "dubbo.metadata.revision";

/// `public` is the namespace without an id.
pub(super) fn canonical(id: &str) -> String {
    if id == "public" { "" } else { id }.to_owned()
}

/// Namespace, group, name.
type Name = (String, String, String);

/// The services and configurations of the lists.
#[derive(Debug)]
pub(super) struct Contents {
    services: Vec<Name>,
    configs: Vec<Name>,
    /// Places of the services that somebody provides: only there thresholds and subscribers matter.
    providers: Vec<u32>,
}

impl Contents {
    fn new(services: Vec<Name>, configs: Vec<Name>) -> Self {
        let numbered = (0..).zip(&services);
        let providers = numbered.filter(|(_, (_, _, name))| name.starts_with("providers:"));
        Self {
            providers: providers.map(|(place, _)| place).collect(),
            services,
            configs,
        }
    }

    /// How many keys there are.
    pub(super) fn len(&self) -> usize {
        2 * (self.services.len() + self.providers.len()) + self.configs.len()
    }

    /// What to ask, in the order of the format, so that a writer needs to keep few of the answers to sort them. Made as
    /// they are needed: all keys take several times the memory of the names.
    pub(super) fn key(&self, mut number: usize) -> Option<Key> {
        let mut of = |names: usize| {
            let place = (number < names).then_some(number);
            number = number.wrapping_sub(if place.is_some() { 0 } else { names });
            place
        };
        let (services, configs) = (&self.services, &self.configs);
        if let Some((namespace, group, service)) = of(services.len()).map(|at| services[at].clone())
        {
            return Some(Key::NacosCatalog {
                namespace,
                group,
                service,
            });
        }
        if let Some((namespace, group, id)) = of(configs.len()).map(|at| &configs[at]) {
            return Some(Key::nacos_config(namespace, group, id));
        }
        if let Some((namespace, group, service)) = of(services.len()).map(|at| &services[at]) {
            return Some(Key::nacos_instances(namespace, group, service));
        }
        let provider = |at: usize| services[self.providers[at] as usize].clone();
        if let Some((namespace, group, service)) = of(self.providers.len()).map(provider) {
            return Some(Key::NacosService {
                namespace,
                group,
                service,
            });
        }
        let (namespace, group, service) = of(self.providers.len()).map(provider)?;
        Some(Key::NacosSubscribers {
            namespace,
            group,
            service,
        })
    }
}

/// What the lists name, and how much of each namespace was answered.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) namespaces: BTreeSet<String>,
    services: BTreeSet<Name>,
    configs: BTreeSet<Name>,
    /// Services with instances outside of the cluster that Dubbo uses.
    spread: BTreeSet<Name>,
    /// Configurations that are Dubbo's only if an instance says so: metadata lie under a revision, which is any word.
    others: BTreeSet<Name>,
    /// Where instances say that their metadata lie: namespace, revision, data id.
    revisions: BTreeSet<Name>,
    /// Hashes of the configurations that were asked for and may be metadata.
    asked: BTreeSet<u64>,
    /// The first failure that is neither an absence nor an API that is not there.
    pub(super) lost: Option<Failure>,
    /// Namespaces of which something was asked in vain.
    gaps: BTreeSet<String>,
    /// How much was read of the lists of all services and of all configurations, by namespace and member.
    services_of: BTreeMap<(String, Option<String>), Extent>,
    configs_of: BTreeMap<(String, Option<String>), Extent>,
}

/// How much of a list in pages was read.
#[derive(Debug, Default)]
struct Extent {
    announced: usize,
    /// Hashes of the entries: pages may overlap, and what stands on two of them is one.
    read: BTreeSet<u64>,
}

impl Extent {
    fn is_complete(&self) -> bool {
        self.read.len() >= self.announced
    }
}

impl Found {
    /// Namespaces of which all services and all configurations were listed, page by page, and nothing that was asked
    /// of them was left unanswered. Only then does silence about a name mean that it is not there.
    pub(super) fn complete(&self) -> Vec<String> {
        let all = |lists: &BTreeMap<(String, Option<String>), Extent>, namespace: &String| {
            lists
                .iter()
                .any(|((id, _), extent)| id == namespace && extent.is_complete())
        };
        self.namespaces
            .iter()
            .filter(|id| !self.gaps.contains(*id))
            .filter(|id| all(&self.services_of, id) && all(&self.configs_of, id))
            .cloned()
            .collect()
    }

    pub(super) fn lists(&self) -> BTreeSet<Key> {
        self.namespaces
            .iter()
            .flat_map(|namespace| {
                [
                    Key::NacosServices {
                        namespace: namespace.clone(),
                        group: None,
                    },
                    // Whoever may not see the console's list sees that of clients.
                    Key::NacosServices {
                        namespace: namespace.clone(),
                        group: Some("DEFAULT_GROUP".to_owned()),
                    },
                    Key::NacosConfigSearch {
                        namespace: namespace.clone(),
                        group: String::new(),
                        data_id: "*".to_owned(),
                    },
                ]
            })
            .collect()
    }

    /// What the lists name, to be asked for one by one.
    pub(super) fn contents(&mut self) -> Contents {
        let configs = self.configs.iter();
        self.asked = configs
            .filter(|(_, group, _)| !GROUPS.contains(&group.as_str()))
            .map(hash)
            .collect();
        Contents::new(
            std::mem::take(&mut self.services).into_iter().collect(),
            std::mem::take(&mut self.configs).into_iter().collect(),
        )
    }

    /// The metadata that instances name and that were not asked for yet: where their registry keeps them, whether or not
    /// a list has them, and in every other namespace that has them (a metadata report of its own).
    pub(super) fn metadata(&mut self) -> BTreeSet<Key> {
        let (named, others) = (
            std::mem::take(&mut self.revisions),
            std::mem::take(&mut self.others),
        );
        let places: BTreeSet<(&str, &str)> = named
            .iter()
            .map(|(_, revision, data_id)| (revision.as_str(), data_id.as_str()))
            .collect();
        let listed = others
            .iter()
            .filter(|(_, group, data_id)| places.contains(&(group.as_str(), data_id.as_str())));
        named
            .iter()
            .chain(listed)
            .filter(|name| !self.asked.contains(&hash(name)))
            .map(|(namespace, group, data_id)| Key::nacos_config(namespace, group, data_id))
            .collect()
    }

    /// Services of which the list of one cluster is not all.
    pub(super) fn spread(&mut self) -> BTreeSet<Key> {
        let names = std::mem::take(&mut self.spread);
        let keys = names
            .into_iter()
            .map(|(namespace, group, service)| Key::NacosCatalog {
                namespace,
                group,
                service,
            });
        keys.collect()
    }

    /// Takes the revisions out of what is told of the instances of an application.
    fn note_instances(&mut self, namespace: &str, application: &str, line: &Line) {
        if CATEGORIES.iter().any(|word| application.starts_with(word)) {
            return;
        }
        let Some(value) = line.body_json() else {
            return;
        };
        let instances = ["/hosts", "/list", "/data/pageItems", "/data/list", "/data"]
            .iter()
            .find_map(|name| value.pointer(name)?.as_array());
        let revisions = instances.into_iter().flatten().filter_map(|instance| {
            let revision = instance.get("metadata")?.get(REVISION)?.as_str()?;
            (!matches!(revision, "" | "0")).then(|| revision.to_owned())
        });
        // As in `NacosMetadataReport`: data ids have neither of these.
        let data_id = application.replace('$', "___").replace('/', "-");
        self.revisions
            .extend(revisions.map(|revision| (namespace.to_owned(), revision, data_id.clone())));
    }

    /// Takes the names out of a line.
    pub(super) fn note(&mut self, line: &Line) {
        if let Key::NacosCatalog {
            namespace,
            group,
            service,
        } = &line.key
            && says_no_cluster(line)
        {
            let name = (namespace.clone(), group.clone(), service.clone());
            self.spread.insert(name);
        }
        if let Payload::Err { kind, text, .. } = &line.payload {
            let is_gap = !matches!(kind, ErrKind::NotFound | ErrKind::SwitchedOff);
            let namespace = namespace_of(&line.key);
            // The list of clients is asked for those who may not see the console's.
            let spare = matches!(line.key, Key::NacosServices { group: Some(_), .. });
            if let Some(namespace) = namespace.filter(|_| is_gap && !spare) {
                self.gaps.insert(namespace.to_owned());
            }
            if is_gap && !matches!(line.key, Key::Tcp { .. }) && self.lost.is_none() {
                self.lost = Some(Failure {
                    kind: kind.clone(),
                    text: text.clone(),
                });
            }
            return;
        }
        if let Key::NacosInstances {
            namespace, service, ..
        }
        | Key::NacosCatalog {
            namespace, service, ..
        } = &line.key
        {
            self.note_instances(namespace, service, line);
            return;
        }
        // Other contents name nothing.
        let is_list = matches!(
            line.key,
            Key::NacosNamespaces | Key::NacosServices { .. } | Key::NacosConfigSearch { .. }
        );
        let Some(value) = is_list.then(|| line.body_json()).flatten() else {
            return;
        };
        let list = |names: &[&str]| -> Vec<Value> {
            let found = names
                .iter()
                .find_map(|name| value.pointer(name)?.as_array());
            found.cloned().unwrap_or_default()
        };
        let text = |entry: &Value, names: &[&str]| {
            let found = names.iter().find_map(|name| entry.get(name)?.as_str());
            found.map(str::to_owned)
        };
        match &line.key {
            Key::NacosNamespaces => {
                let ids = list(&["/data"]);
                self.namespaces.extend(
                    ids.iter()
                        .filter_map(|entry| text(entry, &["namespace"]))
                        .map(|id| canonical(&id)),
                );
            }
            Key::NacosServices { namespace, group } => {
                let entries = list(&["/doms", "/serviceList", "/data/pageItems"]);
                if group.is_none() {
                    extend(
                        &mut self.services_of,
                        namespace,
                        line,
                        &value,
                        entries.iter().map(|entry| {
                            hash(&(
                                entry.as_str(),
                                text(entry, &["name"]),
                                text(entry, &["groupName"]),
                            ))
                        }),
                    );
                }
                for entry in entries {
                    let name = entry.as_str().map(str::to_owned);
                    let Some(name) = name.or_else(|| text(&entry, &["name"])) else {
                        continue;
                    };
                    let group = text(&entry, &["groupName"])
                        .or_else(|| group.clone())
                        .unwrap_or_else(|| "DEFAULT_GROUP".to_owned());
                    let clusters = entry.get("clusterCount").and_then(Value::as_u64);
                    let name = (namespace.clone(), group, name);
                    if clusters.is_some_and(|count| count > 1) {
                        self.spread.insert(name.clone());
                    }
                    self.services.insert(name);
                }
            }
            Key::NacosConfigSearch { namespace, .. } => {
                let entries = list(&["/pageItems", "/data/pageItems"]);
                extend(
                    &mut self.configs_of,
                    namespace,
                    line,
                    &value,
                    entries.iter().map(|entry| {
                        hash(&(
                            text(entry, &["group", "groupName"]),
                            text(entry, &["dataId"]),
                        ))
                    }),
                );
                for entry in entries {
                    let group = text(&entry, &["group", "groupName"]).unwrap_or_default();
                    let Some(data_id) = text(&entry, &["dataId"]) else {
                        continue;
                    };
                    let list = if is_dubbo(&group, &data_id) {
                        &mut self.configs
                    } else {
                        &mut self.others
                    };
                    list.insert((namespace.clone(), group, data_id));
                }
            }
            _ => {}
        }
    }
}

/// Counts a page. A list that announces no number has no pages.
fn extend(
    lists: &mut BTreeMap<(String, Option<String>), Extent>,
    namespace: &str,
    line: &Line,
    page: &Value,
    entries: impl Iterator<Item = u64>,
) {
    let announced = ["/count", "/totalCount", "/data/totalCount"]
        .iter()
        .find_map(|name| page.pointer(name)?.as_u64());
    let extent = lists
        .entry((namespace.to_owned(), line.via.clone()))
        .or_default();
    let announced = announced.and_then(|count| usize::try_from(count).ok());
    extent.announced = extent.announced.max(announced.unwrap_or_default());
    extent.read.extend(entries);
}

fn hash(entry: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    entry.hash(&mut hasher);
    hasher.finish()
}

fn namespace_of(key: &Key) -> Option<&str> {
    match key {
        Key::NacosServices { namespace, .. }
        | Key::NacosInstances { namespace, .. }
        | Key::NacosCatalog { namespace, .. }
        | Key::NacosService { namespace, .. }
        | Key::NacosSubscribers { namespace, .. }
        | Key::NacosConfig { namespace, .. }
        | Key::NacosConfigSearch { namespace, .. } => Some(namespace),
        _ => None,
    }
}

/// Rules (of any group: the config centre's group can be chosen), mapping, migration, properties, and metadata, whose
/// group is a revision (MD5). Those under another word are known by the instances that name it.
fn is_dubbo(group: &str, data_id: &str) -> bool {
    GROUPS.contains(&group)
        || data_id == "dubbo.properties"
        || rules().any(|ending| data_id.ends_with(ending))
        // 2.7.0 to 2.7.2 put the last part of a key into the place of the group.
        || rules().any(|ending| group == &ending[1..])
        || (group.len() == 32 && group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_configurations_of_dubbo_are_asked_for() {
        assert!(is_dubbo("dubbo", "a.B::.condition-router"));
        assert!(is_dubbo("0123456789abcdef0123456789abcdef", "app"));
        assert!(is_dubbo("app", "dubbo.properties"));
        assert!(is_dubbo("shop", "order.tag-router"));
        assert!(is_dubbo("condition-router", "a.B"));
        assert!(!is_dubbo("DEFAULT_GROUP", "application.yml"));
    }

    fn keys(contents: &Contents) -> Vec<Key> {
        (0..).map_while(|number| contents.key(number)).collect()
    }

    #[test]
    fn contents_are_asked_for_in_the_order_of_the_format() {
        let name = |service: &str| (String::new(), "g".to_owned(), service.to_owned());
        let contents = Contents::new(
            vec![
                name("consumers:b::"),
                name("providers:a::"),
                name("providers:b::"),
            ],
            vec![name("a.tag-router"), name("b.tag-router")],
        );
        let keys = keys(&contents);
        assert_eq!(keys.len(), 3 + 2 + 3 + 2 + 2);
        assert_eq!((contents.len(), contents.key(12)), (12, None));
        let places: Vec<_> = keys.iter().map(|key| (key.op(), key.fields())).collect();
        assert!(places.is_sorted(), "{places:?}");
    }

    fn heard(key: Key, json: serde_json::Value) -> Line {
        Line::new(key, Payload::Json(json))
    }

    #[test]
    fn instances_tell_where_their_metadata_lie() {
        let mut found = Found::default();
        let search = |namespace: &str, rows: serde_json::Value| {
            let key = Key::NacosConfigSearch {
                namespace: namespace.to_owned(),
                group: String::new(),
                data_id: "*".to_owned(),
            };
            heard(key, serde_json::json!({"totalCount": 2, "pageItems": rows}))
        };
        let digest = "0123456789abcdef0123456789abcdef";
        let rows = serde_json::json!([
            {"dataId": "shop-order", "group": "ab12"},
            {"dataId": "shop-order", "group": digest},
            {"dataId": "other", "group": "ab12"},
        ]);
        found.note(&search("", rows));
        let rows = serde_json::json!([{"dataId": "shop-order", "group": "ab12"}]);
        found.note(&search("meta", rows));
        assert_eq!(
            keys(&found.contents()),
            [Key::nacos_config("", digest, "shop-order")]
        );
        let instance = |revision: &str| serde_json::json!({"metadata": {REVISION: revision}});
        let revisions = ["ab12", digest, "0", "", "gone"].map(instance);
        let key = Key::nacos_instances("", "g", "shop/order");
        found.note(&heard(key, serde_json::json!({"hosts": revisions})));
        let key = Key::nacos_instances("", "g", "providers:a.B::");
        found.note(&heard(key, serde_json::json!({"hosts": [instance("x")]})));
        let asked: Vec<Key> = found.metadata().into_iter().collect();
        assert_eq!(
            asked,
            [
                Key::nacos_config("", "ab12", "shop-order"),
                Key::nacos_config("", "gone", "shop-order"),
                Key::nacos_config("meta", "ab12", "shop-order"),
            ]
        );
    }

    #[test]
    fn a_namespace_is_complete_when_both_lists_are_and_nothing_was_refused() {
        let services = |namespace: &str, group: Option<&str>| Key::NacosServices {
            namespace: namespace.to_owned(),
            group: group.map(str::to_owned),
        };
        let search = |namespace: &str| Key::NacosConfigSearch {
            namespace: namespace.to_owned(),
            group: String::new(),
            data_id: "*".to_owned(),
        };
        let denied = |key| {
            let kind = ErrKind::Denied;
            Line::new(key, Failure { kind, text: None }.payload())
        };
        let mut found = Found::default();
        for id in ["", "a", "b", "c", "d"] {
            found.namespaces.insert(id.to_owned());
            if id != "c" {
                let configs = serde_json::json!({"totalCount": 0, "pageItems": []});
                found.note(&heard(search(id), configs));
            }
            let page = |name: &str| serde_json::json!({"count": 2, "serviceList": [{"name": name, "groupName": "g"}]});
            found.note(&heard(services(id, None), page("x")));
            // The second page of `b` says what the first one said.
            let second = if id == "b" { "x" } else { "y" };
            found.note(&heard(services(id, None), page(second)));
        }
        found.note(&denied(services("", Some("DEFAULT_GROUP"))));
        found.note(&denied(Key::nacos_config("d", "dubbo", "x.tag-router")));
        assert_eq!(found.complete(), ["", "a"]);
    }
}
