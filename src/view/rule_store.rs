//! Rule texts of the config centre that may bear on a question, whoever reads them: what is stored, what is known to
//! be absent, and what nobody saw.
//!
//! Which keys a consumer of some version reads, and what it makes of the texts, is decided where they are replayed.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    held::LayerKind,
    interface::Lately,
    stage::{Evidence, NotSeen},
};
use crate::{
    model::version::DubboVersion,
    report::words::{Phrase, Say},
    route::rules::{RULE_GROUP, RuleSource, RuleText},
};

/// A rule text and where it is stored.
#[derive(Debug, Clone)]
pub struct StoredRule {
    /// A routing rule or a configurator.
    pub kind: LayerKind,
    /// The place in words of the config centre (a path, or namespace/group/data id).
    pub name: String,
    /// Its group; in ZooKeeper the directory.
    pub group: String,
    /// Its key in the group.
    pub key: String,
    /// The text.
    pub text: String,
    /// Whether it lies in the root or namespace in which this consumer looks.
    pub read: bool,
    /// Where it was seen.
    pub evidence: Evidence,
    /// When it was last changed, milliseconds since 1970.
    pub changed_ms: Option<i64>,
}

/// What is known of the rules.
#[derive(Debug, Clone, Default)]
pub struct RuleStore {
    /// Every text, sorted by name.
    pub stored: Vec<StoredRule>,
    /// Texts that are rules for this service by their names, where no version reads any: in a group or directory that
    /// holds none, or under a key that is nearly one. Sorted by name.
    pub stray: Vec<StoredRule>,
    /// Migration rules, whoever reads them, sorted by name.
    pub migration: Vec<StoredRule>,
    /// Migration rules that a consumer reads, by group, and nobody saw.
    pub migration_not_seen: BTreeMap<String, NotSeen>,
    /// The consumer's own `dubbo-migration.yaml`, where it was attached.
    pub own_migration: Option<StoredRule>,
    /// Keys of group `dubbo` that were looked for where the consumer looks, and not seen.
    pub not_seen: BTreeMap<String, NotSeen>,
    /// Keys of group `dubbo` that are known not to be there.
    pub absent: BTreeSet<String>,
    /// Whether the keys of group `dubbo` are listed completely where the consumer looks.
    pub listed: bool,
    /// Where the consumer looks, in words of the config centre (`/dubbo/config/dubbo`).
    pub place: String,
    /// Keys are spelled as Nacos spells them: `___` for `$`, `-` for `/`.
    pub nacos: bool,
    /// What routers came to by them.
    pub(crate) routed: Lately,
}

/// Why a text of so many bytes is left out.
pub fn too_long(what: Phrase, bytes: usize) -> NotSeen {
    NotSeen {
        what,
        why: Phrase::new(Say::RuleTooLong).with("bytes", bytes.to_string()),
        how_to_see: Some(Say::HowShorterRule.into()),
        required: true,
    }
}

impl RuleStore {
    /// A text that is there and not read: nobody knows what it says.
    pub fn leave_out(&mut self, kind: LayerKind, group: &str, key: String, fact: NotSeen) {
        match kind {
            LayerKind::Migration => {
                self.migration_not_seen.insert(group.to_owned(), fact);
            }
            _ if group == RULE_GROUP => {
                self.not_seen.insert(key, fact);
            }
            // as 2.7.0 to 2.7.2 keep it
            _ => {
                self.not_seen.insert(format!("{group}.{key}"), fact);
            }
        }
    }

    /// The rule that a consumer of this version reads under a key of group `dubbo`.
    pub fn find(&self, key: &str, version: &DubboVersion) -> Option<&StoredRule> {
        let wanted = self.spelled(key);
        self.stored
            .iter()
            .filter(|rule| rule.read)
            .find(|rule| match old_place(key, version) {
                Some((group, name)) if !self.nacos => rule.group == group && rule.key == name,
                _ => rule.group == RULE_GROUP && self.spelled(&rule.key) == wanted,
            })
    }

    /// A key as this config centre spells it.
    pub fn spelled(&self, key: &str) -> String {
        if self.nacos {
            key.replace('$', "___").replace('/', "-")
        } else {
            key.to_owned()
        }
    }

    /// Why a key was not seen, `None` when it is known.
    pub fn missing(&self, key: &str, version: &DubboVersion) -> Option<Option<&NotSeen>> {
        if self.find(key, version).is_some() {
            return None;
        }
        if let Some(not_seen) = self.not_seen.get(key) {
            return Some(Some(not_seen));
        }
        let known =
            self.listed || self.absent.contains(key) || self.absent.contains(&self.spelled(key));
        (!known).then_some(None)
    }

    /// The rules as routers of this version read them. Texts under `hidden` keys count as not seen.
    pub fn source<'a>(
        &'a self,
        version: &'a DubboVersion,
        hidden: BTreeSet<String>,
    ) -> Box<dyn RuleSource + 'a> {
        Box::new(Source {
            store: self,
            version,
            hidden,
        })
    }
}

/// 2.7.0 to 2.7.2 keep the last part of a key in a directory named after the rest.
fn old_place<'k>(key: &'k str, version: &DubboVersion) -> Option<(&'k str, &'k str)> {
    if version.at_least([2, 7, 3]) {
        return None;
    }
    key.rsplit_once('.')
}

struct Source<'a> {
    store: &'a RuleStore,
    version: &'a DubboVersion,
    hidden: BTreeSet<String>,
}

impl RuleSource for Source<'_> {
    fn rule(&self, key: &str) -> RuleText {
        if self.hidden.contains(key) || self.store.missing(key, self.version).is_some() {
            return RuleText::Unknown;
        }
        self.store
            .find(key, self.version)
            .map_or(RuleText::Absent, |rule| RuleText::Text(rule.text.clone()))
    }
}
