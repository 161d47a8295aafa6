//! Rules of the config centre that bear on the service: what is there, and what was not seen.
//!
//! What a text says is decided where it is replayed.

use super::{
    place::{Place, config_root},
    tree::{Tree, not_seen},
};
use crate::{
    question::{GroupOrigin, Question, RegistryAddress},
    report::words::{Phrase, Say},
    rule::LONGEST,
    snapshot::Seen,
    view::{
        config_center::Rules,
        held::{Layer, LayerKind},
        rule_keys::{MIGRATION_GROUP, MIGRATION_GROUP_27, PROPERTIES, RuleKeys, rule_keys},
        rule_store::{StoredRule, too_long},
    },
};

/// Rules that lie where nobody reads any, of which the text is asked for.
const MOST_STRAY: usize = 16;

/// Rules that are there, and rule nodes that a consumer reads and nobody saw.
pub(super) fn rules(
    tree: Tree<'_>,
    place: &Place,
    question: &Question,
    registry: &RegistryAddress,
    providers: &[String],
) -> Rules {
    let mut scan = Scan {
        tree,
        question,
        providers,
        keys: RuleKeys {
            question,
            providers,
        },
        found: Rules::default(),
        strays: 0,
    };
    for root in &place.config_roots {
        let read = is_read(place, registry, question, root);
        if read {
            scan.found.store.place = format!("{root}/dubbo");
        }
        scan.root(root, read);
    }
    let mut found = scan.found;
    found.layers.sort_by(|a, b| a.name.cmp(&b.name));
    found.layers.dedup_by(|a, b| a.name == b.name);
    found.store.stored.sort_by(|a, b| a.name.cmp(&b.name));
    found.store.stored.dedup_by(|a, b| a.name == b.name);
    found.store.stray.sort_by(|a, b| a.name.cmp(&b.name));
    found.store.stray.dedup_by(|a, b| a.name == b.name);
    found.store.migration.sort_by(|a, b| a.name.cmp(&b.name));
    found.store.migration.dedup_by(|a, b| a.name == b.name);
    found
}

/// Whether this consumer reads its rules under a root: an address' `?group=` leaves them under `/dubbo`, the
/// attribute moves them (seen on 2.7.23 to 3.3.6).
fn is_read(place: &Place, registry: &RegistryAddress, question: &Question, root: &str) -> bool {
    if let Some(center) = &question.config_center {
        return root == config_root(&place.chroot, center);
    }
    match &registry.group {
        Some((_, GroupOrigin::Attribute)) => root == format!("{}/config", place.root),
        _ => root == format!("{}/dubbo/config", place.chroot),
    }
}

struct Scan<'a> {
    tree: Tree<'a>,
    question: &'a Question,
    providers: &'a [String],
    keys: RuleKeys<'a>,
    found: Rules,
    /// Rules that were looked for where nobody reads any.
    strays: usize,
}

impl Scan<'_> {
    fn root(&mut self, root: &str, read: bool) {
        match self.tree.children(root) {
            Seen::Here(groups, _) => {
                self.found.store.listed |= read && !groups.iter().any(|group| group == "dubbo");
                for group in groups {
                    if let Some(kind) = self.keys.stray("", group) {
                        self.stray(kind, format!("{root}/{group}"), "", group);
                    } else {
                        self.group(root, group, read);
                    }
                }
            }
            Seen::Absent(_) => self.found.store.listed |= read,
            Seen::Refused(_) | Seen::Unasked => self.single_keys(root, read),
        }
    }

    /// Keys below a directory of the config centre.
    fn group(&mut self, root: &str, group: &str, read: bool) {
        let path = format!("{root}/{group}");
        let Seen::Here(keys, _) = self.tree.children(&path) else {
            if !self.tree.children(&path).is_known() && self.holds_rules(group) {
                self.single_keys_of(root, group, read);
            }
            return;
        };
        self.found.store.listed |= read && group == "dubbo";
        for key in keys {
            if let Some(kind) = self.keys.kind(group, key) {
                self.node(kind, root, (group, key), read);
            } else if let Some(kind) = self.keys.stray(group, key) {
                self.stray(kind, format!("{root}/{group}/{key}"), group, key);
            }
        }
    }

    /// The listing of the root was not seen: every key by itself.
    fn single_keys(&mut self, root: &str, read: bool) {
        for group in ["dubbo", MIGRATION_GROUP, MIGRATION_GROUP_27] {
            self.single_keys_of(root, group, read);
        }
        if let Some(application) = self.question.consumer.application.clone() {
            self.single_keys_of(root, &application, read);
        }
    }

    fn single_keys_of(&mut self, root: &str, group: &str, read: bool) {
        let consumer = self.question.consumer.application.as_deref();
        let keys: Vec<String> = match group {
            "dubbo" => {
                let mut keys = rule_keys(&self.question.service, consumer, self.providers);
                keys.push(PROPERTIES.to_owned());
                keys
            }
            MIGRATION_GROUP | MIGRATION_GROUP_27 => consumer
                .map(|application| format!("{application}.migration"))
                .into_iter()
                .collect(),
            _ => vec![PROPERTIES.to_owned()],
        };
        for key in keys {
            let kind = self
                .keys
                .kind(group, &key)
                .unwrap_or(LayerKind::RoutingRule);
            self.node(kind, root, (group, &key), read);
        }
        if group == "dubbo" && consumer.is_none() && read {
            let path = format!("{root}/{group}");
            let seen = self.tree.children(&path);
            self.found.missing.push(not_seen(&path, &seen, true));
        }
    }

    /// One rule node: a text makes a layer, a blank node is no rule.
    fn node(&mut self, kind: LayerKind, root: &str, (group, key): (&str, &str), read: bool) {
        let path = format!("{root}/{group}/{key}");
        let seen = self.tree.text(&path);
        let store = &mut self.found.store;
        match &seen {
            Seen::Here(text, line) if !text.trim().is_empty() => {
                let evidence = self.tree.evidence(line, Say::RulePresent);
                let list = match kind {
                    LayerKind::RoutingRule | LayerKind::Configurator => Some(&mut store.stored),
                    LayerKind::Migration => Some(&mut store.migration),
                    _ => None,
                };
                if let Some(list) = list {
                    if read && text.len() > LONGEST {
                        let fact =
                            too_long(Phrase::new(Say::ZkNode).with("path", &path), text.len());
                        store.leave_out(kind, group, key.to_owned(), fact.clone());
                        self.found.missing.push(fact);
                        return;
                    }
                    list.push(StoredRule {
                        kind,
                        name: path.clone(),
                        group: group.to_owned(),
                        key: key.to_owned(),
                        text: text.to_string(),
                        read,
                        evidence: evidence.clone(),
                        changed_ms: self.tree.stat(&path).and_then(|stat| stat.mtime),
                    });
                }
                self.found.layers.push(Layer {
                    kind,
                    name: path,
                    evidence: Some(evidence),
                });
            }
            Seen::Refused(_) | Seen::Unasked if read => {
                let fact = not_seen(&path, &seen, true);
                if group == "dubbo" {
                    store.not_seen.insert(key.to_owned(), fact.clone());
                }
                if kind == LayerKind::Migration {
                    store
                        .migration_not_seen
                        .insert(group.to_owned(), fact.clone());
                }
                self.found.missing.push(fact);
            }
            Seen::Here(..) | Seen::Absent(_) if read && group == "dubbo" => {
                store.absent.insert(key.to_owned());
            }
            _ => {}
        }
    }

    /// A rule where nobody reads one.
    fn stray(&mut self, kind: LayerKind, path: String, group: &str, key: &str) {
        if self.strays == MOST_STRAY {
            return;
        }
        self.strays += 1;
        let Seen::Here(text, line) = self.tree.text(&path) else {
            return;
        };
        if text.trim().is_empty() || text.len() > LONGEST {
            return;
        }
        self.found.store.stray.push(StoredRule {
            kind,
            group: group.to_owned(),
            key: key.to_owned(),
            text: text.to_string(),
            read: false,
            evidence: self.tree.evidence(line, Say::RulePresent),
            changed_ms: self.tree.stat(&path).and_then(|stat| stat.mtime),
            name: path,
        });
    }

    fn holds_rules(&self, group: &str) -> bool {
        ["dubbo", MIGRATION_GROUP, MIGRATION_GROUP_27].contains(&group)
            || self.question.consumer.application.as_deref() == Some(group)
    }
}
