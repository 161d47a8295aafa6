//! The whole of what a Nacos holds for Dubbo, namespace by namespace (`snapshot --all`).
//!
//! Answers are handed over as they come, and what is still to be asked is cut into pieces, so that a large server needs
//! no more memory than the names in it. Configurations of others are listed with everything else, but only Dubbo's are
//! asked for one by one.

use std::{collections::BTreeSet, future::Future, pin::pin};

use serde_json::Value;
use tokio::select;

use super::Nacos;
use crate::{
    observe::{Answers, Failure, Terms, zookeeper::Walked},
    snapshot::{Ended, ErrKind, Key, Line, Payload, Want},
};

/// So many keys are under way before their answers are taken.
const PIECE: usize = 2000;
/// Groups of the configurations of Dubbo itself.
const GROUPS: [&str; 4] = [
    "dubbo",
    "mapping",
    "DUBBO_SERVICEDISCOVERY_MIGRATION",
    "MIGRATION",
];

impl Nacos {
    /// Reads every namespace that the server lists, and `namespaces` also when it lists none: services with their
    /// instances, and configurations. Hands each line to `sink`.
    ///
    /// # Errors
    /// Those of `sink`; nothing is asked after the first one.
    pub async fn walk<E>(
        &mut self,
        namespaces: &[String],
        terms: &Terms,
        stop: impl Future<Output = ()>,
        mut sink: impl FnMut(Line) -> Result<(), E>,
    ) -> Result<Walked, E> {
        let mut walked = Walked {
            ended: Ended::Complete,
            nodes: 0,
            roots: Vec::new(),
            left_out: Vec::new(),
            cut: None,
            lost: None,
        };
        let mut stop = pin!(stop);
        let mut found = Found::default();
        found.namespaces.insert(String::new());
        found
            .namespaces
            .extend(namespaces.iter().map(|id| canonical(id)));
        let first = BTreeSet::from([Key::NacosState, Key::NacosNamespaces, Key::NacosNodes]);
        let mut stage = Stage::Lists;
        let mut keys = first;
        loop {
            for piece in keys.iter().collect::<Vec<_>>().chunks(PIECE) {
                let wants: Vec<Want> = piece
                    .iter()
                    .map(|key| Want::any(&self.source, (*key).clone()))
                    .collect();
                let early = self
                    .piece(
                        &wants,
                        terms,
                        stop.as_mut(),
                        &mut walked,
                        &mut found,
                        &mut sink,
                    )
                    .await?;
                if let Some(early) = early {
                    walked.ended = early;
                    return Ok(walked);
                }
            }
            keys = match stage {
                Stage::Lists => found.lists(),
                Stage::Contents => found.contents(),
                Stage::Done => break,
            };
            stage = stage.next();
        }
        walked.roots = found.namespaces.into_iter().collect();
        walked.lost = found.lost;
        Ok(walked)
    }

    /// Asks for a piece and hands the answers over. Returns how it ended when it ended early.
    async fn piece<E>(
        &mut self,
        wants: &[Want],
        terms: &Terms,
        mut stop: std::pin::Pin<&mut impl Future<Output = ()>>,
        walked: &mut Walked,
        found: &mut Found,
        sink: &mut impl FnMut(Line) -> Result<(), E>,
    ) -> Result<Option<Ended>, E> {
        let (answers, mut arriving) = Answers::channel(&self.source, terms);
        let mut take = |line: Line| {
            walked.nodes += 1;
            found.note(&line);
            sink(line)
        };
        let mut early = None;
        {
            let mut work = pin!(self.fetch(wants, &terms.deadline, &answers));
            loop {
                select! {
                    biased;
                    () = stop.as_mut() => early = Some(Ended::Interrupted),
                    Some((_, line)) = arriving.recv() => {
                        take(line)?;
                        continue;
                    }
                    () = work.as_mut() => {}
                    () = terms.deadline.end() => early = Some(Ended::Deadline),
                }
                break;
            }
        }
        while let Ok((_, line)) = arriving.try_recv() {
            take(line)?;
        }
        Ok(early)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Lists,
    Contents,
    Done,
}

impl Stage {
    fn next(self) -> Self {
        match self {
            Self::Lists => Self::Contents,
            Self::Contents | Self::Done => Self::Done,
        }
    }
}

/// `public` is the namespace without an id.
fn canonical(id: &str) -> String {
    if id == "public" { "" } else { id }.to_owned()
}

/// What the lists name.
#[derive(Debug, Default)]
struct Found {
    namespaces: BTreeSet<String>,
    /// Namespace, group, name.
    services: BTreeSet<(String, String, String)>,
    configs: BTreeSet<(String, String, String)>,
    /// The first failure that is neither an absence nor an API that is not there.
    lost: Option<Failure>,
}

impl Found {
    fn lists(&self) -> BTreeSet<Key> {
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

    fn contents(&mut self) -> BTreeSet<Key> {
        let mut keys = BTreeSet::new();
        for (namespace, group, service) in std::mem::take(&mut self.services) {
            keys.insert(Key::nacos_instances(&namespace, &group, &service));
            keys.insert(Key::NacosCatalog {
                namespace: namespace.clone(),
                group: group.clone(),
                service: service.clone(),
            });
            if service.starts_with("providers:") {
                keys.insert(Key::NacosService {
                    namespace: namespace.clone(),
                    group: group.clone(),
                    service: service.clone(),
                });
                keys.insert(Key::NacosSubscribers {
                    namespace,
                    group,
                    service,
                });
            }
        }
        for (namespace, group, data_id) in std::mem::take(&mut self.configs) {
            keys.insert(Key::nacos_config(namespace, group, data_id));
        }
        keys
    }

    /// Takes the names out of a line.
    fn note(&mut self, line: &Line) {
        if let Payload::Err { kind, text, .. } = &line.payload {
            let is_gap = !matches!(kind, ErrKind::NotFound | ErrKind::SwitchedOff);
            if is_gap && !matches!(line.key, Key::Tcp { .. }) && self.lost.is_none() {
                self.lost = Some(Failure {
                    kind: kind.clone(),
                    text: text.clone(),
                });
            }
            return;
        }
        let Some(value) = line.body_json() else {
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
                for entry in list(&["/doms", "/serviceList", "/data/pageItems"]) {
                    let name = entry.as_str().map(str::to_owned);
                    let Some(name) = name.or_else(|| text(&entry, &["name"])) else {
                        continue;
                    };
                    let group = text(&entry, &["groupName"])
                        .or_else(|| group.clone())
                        .unwrap_or_else(|| "DEFAULT_GROUP".to_owned());
                    self.services.insert((namespace.clone(), group, name));
                }
            }
            Key::NacosConfigSearch { namespace, .. } => {
                for entry in list(&["/pageItems", "/data/pageItems"]) {
                    let group = text(&entry, &["group", "groupName"]).unwrap_or_default();
                    let Some(data_id) = text(&entry, &["dataId"]) else {
                        continue;
                    };
                    if is_dubbo(&group, &data_id) {
                        self.configs.insert((namespace.clone(), group, data_id));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Rules, mapping, migration, properties, and metadata, whose group is a revision (MD5).
fn is_dubbo(group: &str, data_id: &str) -> bool {
    GROUPS.contains(&group)
        || data_id == "dubbo.properties"
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
        assert!(!is_dubbo("DEFAULT_GROUP", "application.yml"));
    }
}
