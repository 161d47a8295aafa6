//! The set of facts that a diagnosis reads. It holds answers and never an interpretation of them.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use super::key::Key;
use super::line::Line;
use super::manifest::{Manifest, SourceId};
use super::mask::Masker;
use super::payload::Payload;
use super::time::At;
use super::want::Want;

/// The answers of all sources, by source and key, and what was asked for.
#[derive(Clone, Debug)]
pub struct Snapshot {
    masker: Masker,
    manifest: Manifest,
    facts: BTreeMap<SourceId, BTreeMap<Key, Vec<Line>>>,
    texts: BTreeMap<SourceId, String>,
    asked: BTreeSet<Want>,
}

/// Equal facts; what was asked for and which secrets are known does not count.
impl PartialEq for Snapshot {
    fn eq(&self, other: &Self) -> bool {
        self.manifest == other.manifest && self.facts == other.facts && self.texts == other.texts
    }
}

impl Snapshot {
    /// A snapshot without answers.
    pub fn new(manifest: Manifest) -> Self {
        Self::with_masker(manifest, Masker::default())
    }

    /// A snapshot without answers, of a run that knows secrets.
    pub fn with_masker(mut manifest: Manifest, masker: Masker) -> Self {
        masker.manifest(&mut manifest);
        Self {
            masker,
            manifest,
            facts: BTreeMap::new(),
            texts: BTreeMap::new(),
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

    /// What takes the secrets out of everything that is added.
    pub fn masker(&self) -> &Masker {
        &self.masker
    }

    /// Adds an answer, masked.
    pub fn insert(&mut self, source: SourceId, mut line: Line) {
        self.masker.line(&mut line);
        self.facts
            .entry(source)
            .or_default()
            .entry(line.key.clone())
            .or_default()
            .push(line);
    }

    /// Adds an answer, masked, in place of those that it replaces; leaves it when a newer one is there. For facts of
    /// which only the latest state is of interest.
    pub(crate) fn insert_latest(&mut self, source: SourceId, mut line: Line) {
        self.masker.line(&mut line);
        let at = |line: &Line| {
            line.at
                .as_ref()
                .unwrap_or(&self.manifest.recorded_at)
                .time()
        };
        let time = at(&line);
        let lines = self
            .facts
            .entry(source)
            .or_default()
            .entry(line.key.clone())
            .or_default();
        // A recording is read in several passes: what is above the nodes that are asked for comes again in each.
        let known = |other: &Line| *other == line || covers(other, &line) && at(other) > time;
        if lines.iter().any(known) {
            return;
        }
        lines.retain(|other| !(covers(&line, other) && at(other) < time));
        lines.push(line);
    }

    /// Takes all answers to a key away, to be read again.
    pub(crate) fn forget(&mut self, source: &SourceId, key: &Key) {
        if let Some(keys) = self.facts.get_mut(source) {
            keys.remove(key);
        }
    }

    /// Keeps the text of an attached file, masked. Length and checksum in the manifest become those of the masked text.
    pub fn insert_text(&mut self, source: &SourceId, text: &str) {
        let text = self.masker.text(text).into_owned();
        if let Some(source) = self.manifest.sources.get_mut(source) {
            let digest = Sha256::digest(text.as_bytes());
            source.bytes = Some(text.len() as u64);
            source.sha256 = Some(
                digest
                    .iter()
                    .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}")),
            );
        }
        self.texts.insert(source.clone(), text);
    }

    /// The text of an attached file.
    pub fn text(&self, source: &SourceId) -> Option<&str> {
        self.texts.get(source).map(String::as_str)
    }

    /// The texts of all attached files.
    pub fn texts(&self) -> impl Iterator<Item = (&SourceId, &str)> {
        self.texts
            .iter()
            .map(|(source, text)| (source, text.as_str()))
    }

    /// All answers to a key, in the order in which they were added; empty when there is none. A secret in the key is
    /// masked first, as it is in the answers.
    pub fn lines(&self, source: &SourceId, key: &Key) -> &[Line] {
        let Some(keys) = self.facts.get(source) else {
            return &[];
        };
        let found = keys.get(key).or_else(|| {
            let mut masked = key.clone();
            if self.masker.key(&mut masked) {
                keys.get(&masked)
            } else {
                None
            }
        });
        found.map_or(&[], Vec::as_slice)
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
        // Lines that differ in time and payload only, by what tells them apart.
        let mut groups: BTreeMap<(Option<&str>, String), Vec<usize>> = BTreeMap::new();
        for (place, line) in lines.iter().enumerate() {
            let apart = serde_json::to_string(&line.extra).unwrap_or_default();
            groups
                .entry((line.via.as_deref(), apart))
                .or_default()
                .push(place);
        }
        let mut replaced = vec![false; lines.len()];
        for group in groups.values() {
            for part in [is_children, is_other, is_refusal] {
                let newest =
                    group
                        .iter()
                        .filter(|place| part(&lines[**place]))
                        .max_by(|one, other| {
                            self.compare(&lines[**one], &lines[**other])
                                .then(one.cmp(other))
                        });
                let Some(newest) = newest else { continue };
                for place in group
                    .iter()
                    .filter(|place| covers(&lines[*newest], &lines[**place]))
                {
                    let order = self
                        .compare(&lines[*newest], &lines[*place])
                        .then(newest.cmp(place));
                    replaced[*place] |= order == Ordering::Greater;
                }
            }
        }
        let (mut new, mut old) = (Vec::new(), Vec::new());
        for (line, replaced) in lines.iter().zip(replaced) {
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

fn is_children(line: &Line) -> bool {
    matches!(line.payload, Payload::Children(_))
}

fn is_refusal(line: &Line) -> bool {
    matches!(line.payload, Payload::Err { .. })
}

fn is_other(line: &Line) -> bool {
    !is_children(line) && !is_refusal(line)
}

/// Whether a newer `one` would replace `other`: they differ in time and payload only. Of a ZooKeeper node, children and
/// data are two answers and a refusal is about both.
fn covers(one: &Line, other: &Line) -> bool {
    let same_part = is_refusal(one) || is_refusal(other) || is_children(one) == is_children(other);
    same_part && one.via == other.via && one.extra == other.extra
}
