//! Rules of the config centre that bear on the service: what is there, and what was not seen.
//!
//! Only their presence is read here, never their content.

use super::{
    place::Place,
    tree::{Tree, not_seen},
};
use crate::{
    question::{GroupOrigin, Question, RegistryAddress},
    report::words::Say,
    snapshot::Seen,
    view::{
        held::{Layer, LayerKind},
        rule_keys::{MIGRATION_GROUP, MIGRATION_GROUP_27, PROPERTIES, RuleKeys, rule_keys},
        stage::NotSeen,
    },
};

/// Rules that are there, and rule nodes that a consumer reads and nobody saw.
pub(super) fn rules(
    tree: Tree<'_>,
    place: &Place,
    question: &Question,
    registry: &RegistryAddress,
    providers: &[String],
) -> (Vec<Layer>, Vec<NotSeen>) {
    let mut scan = Scan {
        tree,
        question,
        providers,
        keys: RuleKeys {
            question,
            providers,
        },
        layers: Vec::new(),
        missing: Vec::new(),
    };
    for root in &place.config_roots {
        scan.root(root, is_read(place, registry, question, root));
    }
    scan.layers.sort_by(|a, b| a.name.cmp(&b.name));
    scan.layers.dedup_by(|a, b| a.name == b.name);
    (scan.layers, scan.missing)
}

/// Whether this consumer reads its rules under a root: an address' `?group=` leaves them under `/dubbo`, the
/// attribute moves them (seen on 2.7.23 to 3.3.6).
fn is_read(place: &Place, registry: &RegistryAddress, question: &Question, root: &str) -> bool {
    if question.config_center.is_some() {
        return place.config_roots.last().is_some_and(|last| last == root);
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
    layers: Vec<Layer>,
    missing: Vec<NotSeen>,
}

impl Scan<'_> {
    fn root(&mut self, root: &str, read: bool) {
        match self.tree.children(root) {
            Seen::Here(groups, _) => {
                for group in groups {
                    self.group(root, group, read);
                }
            }
            Seen::Absent(_) => {}
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
        for key in keys {
            if let Some(kind) = self.keys.kind(group, key) {
                self.node(kind, &format!("{path}/{key}"), read);
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
            self.node(kind, &format!("{root}/{group}/{key}"), read);
        }
        if group == "dubbo" && consumer.is_none() && read {
            let path = format!("{root}/{group}");
            let seen = self.tree.children(&path);
            self.missing.push(not_seen(&path, &seen, true));
        }
    }

    /// One rule node: a text makes a layer, a blank node is no rule.
    fn node(&mut self, kind: LayerKind, path: &str, read: bool) {
        let seen = self.tree.text(path);
        match &seen {
            Seen::Here(text, line) if !text.trim().is_empty() => self.layers.push(Layer {
                kind,
                name: path.to_owned(),
                evidence: Some(self.tree.evidence(line, Say::RulePresent)),
            }),
            Seen::Refused(_) | Seen::Unasked if read => {
                self.missing.push(not_seen(path, &seen, true));
            }
            _ => {}
        }
    }

    fn holds_rules(&self, group: &str) -> bool {
        ["dubbo", MIGRATION_GROUP, MIGRATION_GROUP_27].contains(&group)
            || self.question.consumer.application.as_deref() == Some(group)
    }
}
