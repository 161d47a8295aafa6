//! Which lines of a recording are wanted.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::peek::{Peek, quick_hint};
use crate::model::secret::MASK;
use crate::snapshot::{Key, Masker, SourceId, Want, zk};

/// Why a line is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// It answers what was asked.
    Asked,
    /// It lists the children of an ancestor of what was asked, or says that there is none: absence follows from it.
    Ancestor,
}

/// The wanted keys of one source.
#[derive(Debug, Default)]
struct OfSource {
    keys: HashMap<Key, Reason>,
    /// The texts that the keys are told by, so that most lines are passed over without building their key.
    hints: HashSet<String>,
    /// How the texts begin of which a part is masked: a line that begins like this must be masked to be compared.
    masked: BTreeSet<String>,
}

/// The wanted keys of all sources.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    sources: BTreeMap<SourceId, OfSource>,
}

impl Wanted {
    pub(super) fn new<'a>(wants: impl IntoIterator<Item = &'a Want>, masker: &Masker) -> Self {
        let mut wanted = Self::default();
        for want in wants {
            let mut key = want.key.clone();
            masker.key(&mut key);
            let source = wanted.sources.entry(want.source.clone()).or_default();
            if let Key::ZkNode { path } = &key {
                for ancestor in std::iter::successors(zk::parent(path), |path| zk::parent(path)) {
                    source.add(Key::zk_node(ancestor), Reason::Ancestor);
                }
            }
            source.add(key, Reason::Asked);
        }
        wanted
    }

    /// The sources of which something is wanted.
    pub(super) fn sources(&self) -> BTreeSet<SourceId> {
        self.sources.keys().cloned().collect()
    }

    /// The keys that were asked for.
    pub(super) fn asked(&self) -> impl Iterator<Item = (&SourceId, &Key)> {
        self.sources.iter().flat_map(|(source, of_source)| {
            let asked = of_source
                .keys
                .iter()
                .filter(|(_, reason)| **reason == Reason::Asked);
            asked.map(move |(key, _)| (source, key))
        })
    }

    /// Whether a line is so plainly about something else that it need not be looked at.
    pub(super) fn passes_over(&self, source: &SourceId, line: &[u8]) -> bool {
        let Some(of_source) = self.sources.get(source) else {
            return true;
        };
        quick_hint(line).is_some_and(|hint| !of_source.may_be(hint))
    }

    /// Whether a line is wanted, and why.
    ///
    /// # Errors
    /// The line has no key.
    pub(super) fn reason(
        &self,
        source: &SourceId,
        peek: &Peek<'_>,
        masker: &Masker,
    ) -> Result<Option<Reason>, String> {
        let Some(of_source) = self.sources.get(source) else {
            return peek.check().map(|()| None);
        };
        if peek.hint().is_some_and(|hint| !of_source.may_be(hint)) {
            return peek.check().map(|()| None);
        }
        let mut key = peek.fields.key()?;
        if !of_source.masked.is_empty() {
            masker.key(&mut key);
        }
        let reason = of_source.keys.get(&key).copied();
        let lists = || peek.has("children") || peek.has("err");
        Ok(reason.filter(|reason| *reason == Reason::Asked || lists()))
    }
}

impl OfSource {
    fn may_be(&self, hint: &str) -> bool {
        self.hints.contains(hint) || self.masked.iter().any(|start| hint.starts_with(start))
    }

    fn add(&mut self, key: Key, reason: Reason) {
        if key.fields().iter().any(|(_, value)| value.contains(MASK)) {
            let before = hint(&key)
                .and_then(|hint| hint.split(MASK).next())
                .unwrap_or_default();
            // Up to a node's parent: many instances of one service then have one beginning.
            let end = before.rfind('/').map_or(0, |slash| slash + 1);
            self.masked.insert(before[..end].to_owned());
        }
        self.hints.extend(hint(&key).map(str::to_owned));
        let known = self.keys.entry(key).or_insert(reason);
        if reason == Reason::Asked {
            *known = reason;
        }
    }
}

/// The field that tells a key from most others of its operation.
fn hint(key: &Key) -> Option<&str> {
    let name = hint_name(key.op())?;
    key.fields()
        .into_iter()
        .find(|(field, _)| *field == name)
        .map(|(_, value)| value)
}

/// The name of that field. Only fields that a line must have.
pub(super) fn hint_name(op: &str) -> Option<&'static str> {
    match op {
        "zk.node" => Some("path"),
        "nacos.instances" | "nacos.catalog" | "nacos.service" | "nacos.subscribers" => {
            Some("service")
        }
        "nacos.config" => Some("data_id"),
        "tcp" | "probe" | "metadata.call" => Some("address"),
        "qos.cmd" => Some("command"),
        "file.entry" => Some("key"),
        _ => None,
    }
}
