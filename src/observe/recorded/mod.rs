//! A recording as a source of facts: the same questions, answered from disk.
//!
//! The index that it is read with is the set of questions, not the lines: a pass looks at every line, keeps those that
//! answer, and forgets the rest, so that a recording of any size can be asked about one service. Small recordings stay
//! in memory, unparsed. Nothing here is written, and nothing is asked of any network.

mod archive;
mod lines;
mod peek;
mod store;
mod wanted;

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use std::path::Path;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde_json::Value;

use self::lines::{Budget, each_line, in_file, whole};
use self::peek::Peek;
use self::store::{Flow, Store};
use self::wanted::{Reason, Wanted};
use crate::snapshot::{
    FORMAT, Key, Limits, Line, Manifest, Masker, Snapshot, SnapshotError, SourceId, SourceKind,
    Want,
};

/// A recording on disk.
#[derive(Debug)]
pub struct Recording {
    store: Store,
    limits: Limits,
    manifest: Manifest,
    masker: Masker,
    /// Whether every file has been looked at once, so that what is wrong anywhere was found.
    checked: bool,
    stop: Arc<AtomicBool>,
}

impl Recording {
    /// Opens a recording: a folder or a `.tar.gz`, told apart by what it is and not by its name.
    ///
    /// # Errors
    /// It is no recording, is of a later format, or its manifest is broken. The lines are checked when they are read.
    pub fn open(path: &Path) -> Result<Self, SnapshotError> {
        Self::open_within(path, Limits::default())
    }

    /// The same with other limits.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_within(path: &Path, limits: Limits) -> Result<Self, SnapshotError> {
        let (store, manifest) = Store::open(path, &limits)?;
        let mut manifest = read_manifest(&manifest)?;
        Masker::default().manifest(&mut manifest);
        Ok(Self {
            store,
            limits,
            manifest,
            masker: Masker::default(),
            checked: false,
            stop: Arc::default(),
        })
    }

    /// The same, with the secrets that this run knows.
    #[must_use]
    pub fn with_masker(mut self, masker: Masker) -> Self {
        masker.manifest(&mut self.manifest);
        self.masker = masker;
        self
    }

    /// The same, read until this is set: then [`SnapshotError::Stopped`].
    #[must_use]
    pub fn until(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = stop;
        self
    }

    /// Who recorded what and when, masked.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// A snapshot without answers, to be filled.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::with_masker(self.manifest.clone(), self.masker.clone())
    }

    /// Adds the answers to what is wanted, as far as the recording has them; of a ZooKeeper node also what its
    /// ancestors list. Everything is noted as asked, and what was asked before is not looked for again.
    ///
    /// # Errors
    /// The recording is broken; the first call finds it wherever it is.
    pub fn fill(&mut self, snapshot: &mut Snapshot, wants: &[Want]) -> Result<(), SnapshotError> {
        let fresh: BTreeSet<&Want> = wants
            .iter()
            .filter(|want| !snapshot.was_asked(want))
            .collect();
        if fresh.is_empty() && self.checked {
            return Ok(());
        }
        let masker = snapshot.masker().clone();
        let wanted = Wanted::new(fresh.iter().copied(), &masker);
        for (source, key) in wanted.asked() {
            snapshot.forget(source, key);
        }
        let again = self.checked;
        let only = again.then(|| wanted.sources());
        self.pass(only, |source, line| {
            // The first look is at every line in full, so that whatever is wrong with the recording is found.
            if again && wanted.passes_over(source, line) {
                return Ok(());
            }
            match wanted.reason(source, &Peek::at(line)?, &masker)? {
                Some(Reason::Asked) => snapshot.insert(source.clone(), Line::parse(line)?),
                Some(Reason::Ancestor) => {
                    snapshot.insert_latest(source.clone(), Line::parse(line)?);
                }
                None => {}
            }
            Ok(())
        })?;
        self.checked = true;
        for want in fresh {
            snapshot.note_asked(want.clone());
        }
        Ok(())
    }

    /// Hands every line whose key the filter likes to a function, masked, file by file in the order of the recording.
    ///
    /// # Errors
    /// The recording is broken.
    pub fn for_each_line(
        &mut self,
        mut filter: impl FnMut(&SourceId, &Key) -> bool,
        mut each: impl FnMut(&SourceId, Line),
    ) -> Result<(), SnapshotError> {
        let masker = self.masker.clone();
        self.pass(None, |source, line| {
            if filter(source, &Peek::at(line)?.fields.key()?) {
                let mut line = Line::parse(line)?;
                masker.line(&mut line);
                each(source, line);
            }
            Ok(())
        })?;
        self.checked = true;
        Ok(())
    }

    /// Everything: for recordings that are known to be small, and for rewriting one.
    ///
    /// # Errors
    /// The recording is broken.
    pub fn read_all(&mut self) -> Result<Snapshot, SnapshotError> {
        let mut snapshot = self.snapshot();
        self.for_each_line(
            |_, _| true,
            |source, line| snapshot.insert(source.clone(), line),
        )?;
        for (source, text) in self.texts()? {
            snapshot.insert_text(&source, &text);
        }
        Ok(snapshot)
    }

    /// Adds the text of an attached file, if the recording has it. Returns whether it has.
    ///
    /// # Errors
    /// The recording is broken, or the text is longer than a line may be.
    pub fn fill_text(
        &self,
        snapshot: &mut Snapshot,
        source: &SourceId,
    ) -> Result<bool, SnapshotError> {
        let mut found = false;
        let name = format!("{source}.txt");
        self.store.visit(&self.limits, &mut |file, reader| {
            if file != name {
                return Ok(Flow::Next);
            }
            found = true;
            snapshot.insert_text(
                source,
                &String::from_utf8_lossy(&whole(file, reader, self.limits.line_bytes)?),
            );
            Ok(Flow::Stop)
        })?;
        Ok(found)
    }

    fn texts(&self) -> Result<BTreeMap<SourceId, String>, SnapshotError> {
        let mut texts = BTreeMap::new();
        self.store.visit(&self.limits, &mut |file, reader| {
            if let Some(source) = source_of(file, ".txt") {
                let text = whole(file, reader, self.limits.line_bytes)?;
                texts.insert(source, String::from_utf8_lossy(&text).into_owned());
            }
            Ok(Flow::Next)
        })?;
        Ok(texts)
    }

    /// One look at every line, of these sources or of all. When it is of all, the files are checked against the manifest.
    fn pass(
        &self,
        only: Option<BTreeSet<SourceId>>,
        mut f: impl FnMut(&SourceId, &[u8]) -> Result<(), String>,
    ) -> Result<(), SnapshotError> {
        let mut budget = Budget::new(self.limits);
        let mut left = only;
        let files = self.store.visit(&self.limits, &mut |file, reader| {
            let Some(source) = source_of(file, ".jsonl") else {
                return skip(file, reader, left.is_none());
            };
            if let Some(left) = &mut left
                && !left.remove(&source)
            {
                return Ok(Flow::Next);
            }
            if !self.manifest.sources.contains_key(&source) {
                return Err(SnapshotError::NoSource(file.to_owned()));
            }
            each_line(file, reader, &mut budget, |number, line| {
                if self.stop.load(Ordering::Relaxed) {
                    return Err(SnapshotError::Stopped);
                }
                f(&source, line).map_err(|reason| SnapshotError::BadLine {
                    file: file.to_owned(),
                    line: number,
                    reason: self.masker.text(&reason).into_owned(),
                })
            })?;
            Ok(if left.as_ref().is_some_and(BTreeSet::is_empty) {
                Flow::Stop
            } else {
                Flow::Next
            })
        })?;
        files.map_or(Ok(()), |files| self.check_files(&files))
    }

    /// Every source has its file: a forgotten one must not look like "nothing was said".
    fn check_files(&self, files: &BTreeSet<String>) -> Result<(), SnapshotError> {
        for (source, about) in &self.manifest.sources {
            let (lines, text) = (format!("{source}.jsonl"), format!("{source}.txt"));
            let is_there =
                files.contains(&lines) || (about.kind == SourceKind::File && files.contains(&text));
            if !is_there {
                return Err(SnapshotError::MissingFile {
                    source_id: source.to_string(),
                    file: lines,
                });
            }
        }
        let orphan = files.iter().find(|file| {
            source_of(file, ".jsonl")
                .is_some_and(|source| !self.manifest.sources.contains_key(&source))
        });
        orphan.map_or(Ok(()), |file| Err(SnapshotError::NoSource(file.clone())))
    }
}

/// Reads over a file that has no lines, where the whole recording is checked.
fn skip(file: &str, reader: &mut dyn BufRead, check: bool) -> Result<Flow, SnapshotError> {
    if check {
        std::io::copy(reader, &mut std::io::sink()).map_err(|source| in_file(file, source))?;
    }
    Ok(Flow::Next)
}

fn source_of(file: &str, ending: &str) -> Option<SourceId> {
    SourceId::new(file.strip_suffix(ending)?).ok()
}

fn read_manifest(bytes: &[u8]) -> Result<Manifest, SnapshotError> {
    let bad = |error: serde_json::Error| SnapshotError::BadManifest(error.to_string());
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(bytes).map_err(bad)?;
    // The format first: of a later one nothing else may be relied on.
    match value.get("diag_snapshot").map(Value::as_u64) {
        Some(Some(format)) if format > FORMAT => return Err(SnapshotError::TooNew(format)),
        Some(Some(1..)) => {}
        Some(_) => {
            return Err(SnapshotError::BadManifest(
                "diag_snapshot is no format number".to_owned(),
            ));
        }
        None => {
            return Err(SnapshotError::BadManifest(
                "no diag_snapshot: not the manifest of a snapshot".to_owned(),
            ));
        }
    }
    serde_json::from_slice(bytes).map_err(bad)
}
