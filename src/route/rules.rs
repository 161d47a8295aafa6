//! Where rules come from, who listens to them, and which were read.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::dialect::Dialect;
use super::trace::RuleState;
use super::{RuleEvent, condition_read};
use crate::model::version::DubboVersion;
use crate::rule::error::RuleError;
use crate::rule::mesh::{self, MeshDocuments};

/// A router of an application, by number.
pub(super) type RouterId = usize;

/// The group in which all routing rules are kept.
pub const RULE_GROUP: &str = "dubbo";

/// What is known of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleText {
    /// The text.
    Text(String),
    /// Known not to be there.
    Absent,
    /// Not seen: the router that would read it may do anything.
    Unknown,
}

/// Where rules come from.
pub trait RuleSource {
    /// The rule under a key of group [`RULE_GROUP`].
    fn rule(&self, key: &str) -> RuleText;
}

impl RuleSource for BTreeMap<String, String> {
    fn rule(&self, key: &str) -> RuleText {
        self.get(key)
            .cloned()
            .map_or(RuleText::Absent, RuleText::Text)
    }
}

impl<S: RuleSource + ?Sized> RuleSource for Box<S> {
    fn rule(&self, key: &str) -> RuleText {
        (**self).rule(key)
    }
}

/// How a router asks for rules.
pub(super) trait RuleReader {
    /// Listens to a key from now on and reads it; an empty text counts as none.
    fn listen(&mut self, key: &str) -> Option<String>;

    /// Why [`Self::listen`] gave nothing: there is none, or it was not seen.
    fn without(&self, key: &str) -> RuleState;

    /// Stops listening.
    fn forget(&mut self, key: &str);

    /// Listens to the mesh rules of an application and gives what is in force: all mesh routers share one listener,
    /// which keeps the last text that could be read.
    fn listen_mesh(&mut self, key: &str) -> Option<Arc<MeshDocuments>>;

    /// What became of the text of mesh rules.
    fn mesh_state(&self, key: &str) -> RuleState;

    /// The mesh rules in force under a key that is listened to.
    fn mesh(&self, key: &str) -> Option<Arc<MeshDocuments>>;
}

/// Rules, who listens to them, and what was read.
pub(super) struct Rules<S> {
    source: S,
    /// Texts that replaced those of the source.
    changed: BTreeMap<String, Option<String>>,
    listeners: BTreeMap<String, Vec<RouterId>>,
    read: Vec<String>,
    mesh: BTreeMap<String, MeshHolder>,
    version: DubboVersion,
    /// Who asks.
    pub(super) asking: RouterId,
    /// The asking router met a rule that was not seen.
    pub(super) met_unknown: bool,
}

/// What becomes of the document under a key of condition rules in a consumer that reads it; absent for versions whose
/// routers are not modelled.
pub fn conditions_state(key: &str, text: &str, version: &DubboVersion) -> RuleState {
    let Some(dialect) = Dialect::of(version) else {
        return RuleState::Absent;
    };
    let event = RuleEvent {
        key,
        content: Some(text),
    };
    condition_read::read(event, text, version, dialect)
        .state
        .clone()
}

/// What the one listener of an application's mesh rules holds.
#[derive(Default)]
struct MeshHolder {
    /// The last text that could be read.
    held: Option<Arc<MeshDocuments>>,
    /// Why the text of now is not the one that is held.
    refused: Option<RuleError>,
}

impl MeshHolder {
    fn take(&mut self, text: &str, version: &DubboVersion) {
        match mesh::parse(text, version) {
            Ok(read) => {
                self.held = Some(Arc::new(read));
                self.refused = None;
            }
            Err(error) => self.refused = Some(error),
        }
    }
}

impl<S: RuleSource> Rules<S> {
    pub(super) fn new(source: S, version: &DubboVersion) -> Self {
        Self {
            source,
            changed: BTreeMap::new(),
            listeners: BTreeMap::new(),
            read: Vec::new(),
            mesh: BTreeMap::new(),
            version: version.clone(),
            asking: 0,
            met_unknown: false,
        }
    }

    /// Every key that was read, in order.
    pub(super) fn keys_read(&self) -> &[String] {
        &self.read
    }

    /// Takes a new text, `None` when the rule was removed, and says who listens.
    pub(super) fn change(&mut self, key: &str, content: Option<&str>) -> Vec<RouterId> {
        self.changed
            .insert(key.to_owned(), content.map(str::to_owned));
        if let Some(holder) = self.mesh.get_mut(key) {
            holder.take(content.unwrap_or_default(), &self.version);
        }
        self.listeners.get(key).cloned().unwrap_or_default()
    }

    fn text(&mut self, key: &str) -> Option<String> {
        if !self.read.iter().any(|known| known == key) {
            self.read.push(key.to_owned());
        }
        let text = match self.changed.get(key) {
            Some(changed) => changed.clone(),
            None => match self.source.rule(key) {
                RuleText::Text(text) => Some(text),
                RuleText::Absent => None,
                RuleText::Unknown => {
                    self.met_unknown = true;
                    None
                }
            },
        };
        text.filter(|text| !text.is_empty())
    }
}

impl<S: RuleSource> RuleReader for Rules<S> {
    fn listen(&mut self, key: &str) -> Option<String> {
        self.listeners
            .entry(key.to_owned())
            .or_default()
            .push(self.asking);
        self.text(key)
    }

    fn without(&self, key: &str) -> RuleState {
        if !self.changed.contains_key(key) && self.source.rule(key) == RuleText::Unknown {
            RuleState::NotSeen
        } else {
            RuleState::Absent
        }
    }

    fn forget(&mut self, key: &str) {
        if let Some(listeners) = self.listeners.get_mut(key) {
            listeners.retain(|id| *id != self.asking);
        }
    }

    fn listen_mesh(&mut self, key: &str) -> Option<Arc<MeshDocuments>> {
        if !self.mesh.contains_key(key) {
            let mut holder = MeshHolder::default();
            if let Some(text) = self.text(key) {
                holder.take(&text, &self.version);
            }
            self.mesh.insert(key.to_owned(), holder);
        }
        self.listeners
            .entry(key.to_owned())
            .or_default()
            .push(self.asking);
        self.mesh(key)
    }

    fn mesh(&self, key: &str) -> Option<Arc<MeshDocuments>> {
        self.mesh.get(key)?.held.clone()
    }

    fn mesh_state(&self, key: &str) -> RuleState {
        match self.mesh.get(key) {
            Some(MeshHolder {
                refused: Some(error),
                ..
            }) => RuleState::Refused(error.clone()),
            Some(MeshHolder {
                held: Some(documents),
                ..
            }) => match &documents.standard {
                Some(Ok(rules)) if rules.is_valid() => RuleState::InForce,
                Some(Err(error)) => RuleState::Refused(error.clone()),
                Some(Ok(_)) | None => RuleState::Empty,
            },
            _ => self.without(key),
        }
    }
}
