//! The set of facts that a diagnosis reads. It holds answers and never an interpretation of them.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::key::Key;
use super::line::Line;
use super::manifest::{Manifest, SourceId};
use super::payload::Payload;
use super::time::At;
use super::want::Want;

/// The answers of all sources, by source and key, and what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    manifest: Manifest,
    facts: BTreeMap<SourceId, BTreeMap<Key, Vec<Line>>>,
    asked: BTreeSet<Want>,
}

impl Snapshot {
    /// A snapshot without answers.
    pub fn new(manifest: Manifest) -> Self {
        Self {
            manifest,
            facts: BTreeMap::new(),
            asked: BTreeSet::new(),
        }
    }

    /// Who recorded, when, from where; who the sources are.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The same, for the recorder: sources and the end are known only later.
    pub fn manifest_mut(&mut self) -> &mut Manifest {
        &mut self.manifest
    }

    /// Adds an answer. An answer that is there already is not added again.
    pub fn insert(&mut self, source: SourceId, line: Line) {
        let lines = self
            .facts
            .entry(source)
            .or_default()
            .entry(line.key.clone())
            .or_default();
        if !lines.contains(&line) {
            lines.push(line);
        }
    }

    /// All answers to a key, in the order in which they were added; empty when there is none.
    pub fn lines(&self, source: &SourceId, key: &Key) -> &[Line] {
        self.facts
            .get(source)
            .and_then(|keys| keys.get(key))
            .map_or(&[], Vec::as_slice)
    }

    /// The keys of a source that have an answer, sorted.
    pub fn keys(&self, source: &SourceId) -> impl Iterator<Item = &Key> {
        self.facts.get(source).into_iter().flat_map(BTreeMap::keys)
    }

    /// The sources that have an answer, with all their lines.
    pub fn sources(&self) -> impl Iterator<Item = (&SourceId, impl Iterator<Item = &Line>)> {
        self.facts
            .iter()
            .map(|(source, keys)| (source, keys.values().flatten()))
    }

    /// When an answer was given: its own time, else that of the recording.
    pub fn at<'a>(&'a self, line: &'a Line) -> &'a At {
        line.at.as_ref().unwrap_or(&self.manifest.recorded_at)
    }

    /// The answers that count: of those that differ only in time the newest. Answers of different members, pages, APIs
    /// and parts (children, data) all count. Of a page that a newer, shorter list no longer has, the old answer is
    /// still here: how many pages there are stands in the first.
    pub fn latest(&self, source: &SourceId, key: &Key) -> Vec<&Line> {
        self.split(source, key).0
    }

    /// The answers that a newer one has replaced, oldest first.
    pub fn history(&self, source: &SourceId, key: &Key) -> Vec<&Line> {
        let mut old = self.split(source, key).1;
        old.sort_by(|a, b| self.at(a).cmp(self.at(b)));
        old
    }

    fn split(&self, source: &SourceId, key: &Key) -> (Vec<&Line>, Vec<&Line>) {
        let lines = self.lines(source, key);
        let (mut new, mut old) = (Vec::new(), Vec::new());
        for (place, line) in lines.iter().enumerate() {
            let replaced = lines.iter().enumerate().any(|(later, other)| {
                covers(other, line)
                    && self.compare(other, line).then(later.cmp(&place)) == Ordering::Greater
            });
            if replaced {
                old.push(line);
            } else {
                new.push(line);
            }
        }
        (new, old)
    }

    /// Which of two answers counts: the newer; at the same time an answer before a refusal.
    pub(super) fn compare(&self, one: &Line, other: &Line) -> Ordering {
        let content = |line: &Line| line.err_kind().is_none();
        let time = self.at(one).time().cmp(&self.at(other).time());
        time.then(content(one).cmp(&content(other)))
    }

    /// The members that answered a key, sorted; `None` where the answer does not say which.
    pub fn members(&self, source: &SourceId, key: &Key) -> Vec<Option<&str>> {
        let members: BTreeSet<Option<&str>> = self
            .lines(source, key)
            .iter()
            .map(|line| line.via.as_deref())
            .collect();
        members.into_iter().collect()
    }

    /// Remembers that this was asked for, whether or not there was an answer.
    pub fn note_asked(&mut self, want: Want) {
        self.asked.insert(want);
    }

    /// Whether this was asked for. What was asked and has no line cannot be had: not in the recording, or not in time.
    pub fn was_asked(&self, want: &Want) -> bool {
        self.asked.contains(want)
    }

    /// What was asked for and has no answer, sorted.
    pub fn without_answer(&self) -> impl Iterator<Item = &Want> {
        self.asked
            .iter()
            .filter(|want| self.lines(&want.source, &want.key).is_empty())
    }
}

/// Whether a newer `one` would replace `other`: they differ in time and payload only. Of a ZooKeeper node, children and
/// data are two answers and a refusal is about both.
fn covers(one: &Line, other: &Line) -> bool {
    let same_part = match (&one.payload, &other.payload) {
        (Payload::Err { .. }, _) | (_, Payload::Err { .. }) => true,
        (one, other) => {
            matches!(one, Payload::Children(_)) == matches!(other, Payload::Children(_))
        }
    };
    same_part && one.via == other.via && one.extra == other.extra
}
