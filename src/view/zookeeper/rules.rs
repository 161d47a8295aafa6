//! Rules of the config centre that bear on the service: what is there, and what was not seen.
//!
//! Only their presence is read here, never their content.

use super::{
    place::{MIGRATION_GROUP, MIGRATION_GROUP_27, Place, RULE_SUFFIXES, rule_keys},
    tree::{Tree, not_seen},
};
use crate::{
    question::{GroupOrigin, Question, RegistryAddress},
    report::words::Say,
    snapshot::Seen,
    view::{
        held::{Layer, LayerKind},
        stage::NotSeen,
    },
};

/// Name of the file with settings in the config centre.
const PROPERTIES: &str = "dubbo.properties";

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
            if let Some(kind) = self.kind(group, key) {
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
            let kind = self.kind(group, &key).unwrap_or(LayerKind::RoutingRule);
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

    /// What a key is, if it may bear on this question.
    fn kind(&self, group: &str, key: &str) -> Option<LayerKind> {
        let consumer = self.question.consumer.application.as_deref();
        match group {
            "mapping" => None,
            MIGRATION_GROUP | MIGRATION_GROUP_27 => {
                let application = key.strip_suffix(".migration")?;
                (consumer.is_none() || consumer == Some(application))
                    .then_some(LayerKind::Migration)
            }
            "dubbo" if key == PROPERTIES => Some(LayerKind::Properties),
            _ if key == PROPERTIES => {
                (consumer.is_none() || consumer == Some(group)).then_some(LayerKind::Properties)
            }
            "dubbo" => {
                let suffix = RULE_SUFFIXES
                    .iter()
                    .find(|suffix| key.ends_with(**suffix))?;
                let base = key.strip_suffix(suffix)?;
                self.bears(base).then_some(if *suffix == ".configurators" {
                    LayerKind::Configurator
                } else {
                    LayerKind::RoutingRule
                })
            }
            // 2.7.0 to 2.7.2 put the last part of a key into a directory of its own.
            _ => {
                let suffix = format!(".{key}");
                (RULE_SUFFIXES.contains(&suffix.as_str()) && self.bears(group)).then_some(
                    if key == "configurators" {
                        LayerKind::Configurator
                    } else {
                        LayerKind::RoutingRule
                    },
                )
            }
        }
    }

    /// Whether a key without its suffix can be one of this service, its consumer or its providers.
    fn bears(&self, base: &str) -> bool {
        let consumer = self.question.consumer.application.as_deref();
        base.contains(&self.question.service.interface)
            || consumer == Some(base)
            || (consumer.is_none() && !base.contains(':'))
            || self.providers.iter().any(|application| application == base)
    }
}
