//! Answers on their way to disk: a recording of everything is larger than memory.
//!
//! Lines are masked, written and sorted in a thread of their own, so that fetching goes on meanwhile. Up to [`CHUNK`] of
//! them wait for their turn; what comes nearly in the order of the format leaves in order, into one file, and needs no
//! merging. At the end the files of a source are merged into one. Everything lies in a folder of its own beside
//! the target, for its owner alone, and is gone when the spool is dropped: whoever stops leaves nothing behind.

mod early;
mod sort;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering as Memory};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use tempfile::TempDir;

pub(super) use self::sort::Sorted;
use self::sort::{Run, Sorter};
use super::line::Line;
use super::manifest::SourceId;
use super::mask::Masker;
use super::payload::Payload;
use super::time::At;

/// Lines of about so many bytes are kept in memory to be sorted.
const CHUNK: usize = 4 << 20;
/// Lines of about so many bytes may wait to be looked at.
const WAITING: usize = 1 << 20;
/// Lines of about so many bytes are handed over at once.
const BATCH: usize = 128 << 10;

/// A line on its way to the thread.
type Put = (SourceId, Line);
/// The sorted files of each source.
type Runs = BTreeMap<SourceId, Vec<Run>>;

/// Answers of a recording in the making.
#[derive(Debug)]
pub struct Spool {
    to_worker: Option<Sender<Vec<Put>>>,
    /// Lines that were looked at come back to be dropped: memory is freed at a loss in another thread than it is taken in.
    done: Receiver<Vec<Put>>,
    /// Lines that go to the worker together: to wake it for each costs more than the line.
    batch: Vec<Put>,
    batched: usize,
    worker: Option<JoinHandle<io::Result<Runs>>>,
    gate: Arc<Gate>,
    sources: BTreeSet<SourceId>,
    stop: Arc<AtomicBool>,
    folder: Arc<TempDir>,
}

impl Spool {
    pub(super) fn new(folder: TempDir, masker: Masker) -> Self {
        Self::with_chunk(folder, masker, CHUNK, Arc::default())
    }

    fn with_chunk(folder: TempDir, masker: Masker, chunk: usize, stop: Arc<AtomicBool>) -> Self {
        let (to_worker, lines) = mpsc::channel();
        let (back, done) = mpsc::channel();
        let gate = Arc::new(Gate::default());
        let worker = Worker {
            folder: folder.path().to_owned(),
            masker,
            chunk,
            gate: Arc::clone(&gate),
            stop: Arc::clone(&stop),
        };
        Self {
            to_worker: Some(to_worker),
            done,
            batch: Vec::new(),
            batched: 0,
            worker: Some(std::thread::spawn(move || worker.work(lines, &back))),
            gate,
            sources: BTreeSet::new(),
            stop,
            folder: Arc::new(folder),
        }
    }

    /// Setting it ends the writing of the recording with an error.
    pub fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Whether anything was put for this source.
    pub fn has(&self, source: &SourceId) -> bool {
        self.sources.contains(source)
    }

    /// Adds an answer; it is masked before it is written. Waits while too many others do.
    pub(super) fn put(&mut self, source: &SourceId, line: Line) -> io::Result<()> {
        if !self.sources.contains(source) {
            self.sources.insert(source.clone());
        }
        self.batched += weight(&line);
        self.batch.push((source.clone(), line));
        if self.batched < BATCH {
            return Ok(());
        }
        self.send()
    }

    fn send(&mut self) -> io::Result<()> {
        let mut empty = self.done.try_recv().unwrap_or_default();
        empty.clear();
        drop(self.done.try_iter().collect::<Vec<_>>());
        let batch = std::mem::replace(&mut self.batch, empty);
        self.gate.enter(std::mem::take(&mut self.batched));
        match &self.to_worker {
            Some(worker) if worker.send(batch).is_ok() => Ok(()),
            // It ends before the last line only when the disk does not take any more.
            _ => self.join().map(drop),
        }
    }

    /// The same answers, each changed, in a folder of their own.
    pub(super) fn rewritten(
        self,
        folder: TempDir,
        masker: Masker,
        change: impl Fn(&mut Line),
    ) -> io::Result<Self> {
        let mut into = Self::with_chunk(folder, masker, CHUNK, self.stop());
        // The order is made again afterwards, so any time will do for lines without one.
        let never = At::from_time(jiff::Timestamp::UNIX_EPOCH);
        for (source, sorted) in self.finish(&never)? {
            let mut rewriting = Rewriting {
                rest: Vec::new(),
                put: |raw: &[u8]| {
                    let mut line = Line::parse(raw).map_err(io::Error::other)?;
                    change(&mut line);
                    into.put(&source, line)
                },
            };
            sorted.write(&mut rewriting)?;
        }
        Ok(into)
    }

    /// The lines of each source in order. `recorded_at` = the time of lines that have none.
    pub(super) fn finish(mut self, recorded_at: &At) -> io::Result<BTreeMap<SourceId, Sorted>> {
        self.send()?;
        let sources = self.join()?.into_iter();
        let sorted = sources.map(|(source, runs)| {
            let sorted = Sorted::new(
                runs,
                recorded_at.clone(),
                Arc::clone(&self.stop),
                Arc::clone(&self.folder),
            );
            (source, sorted)
        });
        Ok(sorted.collect())
    }

    /// Waits for the worker.
    fn join(&mut self) -> io::Result<Runs> {
        self.to_worker = None;
        match self.worker.take().map(JoinHandle::join) {
            Some(Ok(runs)) => runs,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Err(io::Error::other("the writing has failed before")),
        }
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        if self.worker.is_some() && !std::thread::panicking() {
            self.stop.store(true, Memory::Relaxed);
            let _ = self.join();
        }
    }
}

/// Holds back whoever brings more than the worker takes.
#[derive(Debug, Default)]
struct Gate {
    /// Bytes that wait.
    waiting: Mutex<usize>,
    freed: Condvar,
}

impl Gate {
    fn enter(&self, weight: usize) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waiting = self
            .freed
            .wait_while(waiting, |waiting| *waiting > WAITING)
            .unwrap_or_else(PoisonError::into_inner);
        *waiting += weight;
    }

    fn leave(&self, weight: usize) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = waiting.saturating_sub(weight);
        self.freed.notify_one();
    }
}

/// Lets everybody through when it is dropped.
struct Opened<'a>(&'a Gate);

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        self.0.leave(usize::MAX);
    }
}

/// What the thread works with.
struct Worker {
    folder: PathBuf,
    masker: Masker,
    chunk: usize,
    gate: Arc<Gate>,
    stop: Arc<AtomicBool>,
}

impl Worker {
    fn work(&self, lines: Receiver<Vec<Put>>, back: &Sender<Vec<Put>>) -> io::Result<Runs> {
        // However this ends: first nobody can send any more, then whoever waits at the gate goes on and learns it.
        let _opened = Opened(&self.gate);
        let lines = lines;
        let mut sorters: BTreeMap<SourceId, Sorter> = BTreeMap::new();
        for mut batch in &lines {
            let mut taken = 0;
            for (source, line) in &mut batch {
                taken += weight(line);
                self.masker.line(line);
                let sorter = match sorters.get_mut(source) {
                    Some(sorter) => sorter,
                    None => sorters.entry(source.clone()).or_insert_with_key(|source| {
                        Sorter::new(self.folder.join(source.as_str()), self.chunk)
                    }),
                };
                sorter.put(line)?;
            }
            let _ = back.send(batch);
            self.gate.leave(taken);
        }
        let all = sorters
            .into_iter()
            .map(|(source, sorter)| Ok((source, sorter.finish(&self.stop)?)));
        all.collect()
    }
}

/// Takes what is written line by line.
struct Rewriting<F> {
    /// A line of which the end has not come yet.
    rest: Vec<u8>,
    put: F,
}

impl<F: FnMut(&[u8]) -> io::Result<()>> Write for Rewriting<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.rest.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                (self.put)(&self.rest)?;
                self.rest.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// About how much memory a line takes.
fn weight(line: &Line) -> usize {
    let answer: usize = match &line.payload {
        Payload::Children(names) => names.iter().map(|name| name.len() + 24).sum(),
        Payload::Text(text) => text.len(),
        Payload::Bytes(bytes) => bytes.len(),
        Payload::Err { text, .. } => text.as_ref().map_or(0, String::len),
        // Made by ourselves, from little.
        Payload::Json(_) | Payload::Fields(_) => 256,
    };
    size_of::<Line>() + answer
}

#[cfg(test)]
mod tests {
    use super::sort::MOST_RUNS;
    use super::*;
    use crate::snapshot::{Key, order::sorted};

    fn line(path: &str, time: i64) -> Line {
        let at = At::from_time(jiff::Timestamp::from_second(time).unwrap());
        Line::new(Key::zk_node(path), Payload::Text("x".repeat(40))).said_at(at)
    }

    /// Everything that was put, in the order of the format.
    fn written(lines: &[Line], chunk: usize) -> (String, usize) {
        let r1 = SourceId::new("r1").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let mut spool = Spool::with_chunk(folder, Masker::default(), chunk, Arc::default());
        for line in lines {
            spool.put(&r1, line.clone()).unwrap();
        }
        let now = At::from_time(jiff::Timestamp::UNIX_EPOCH);
        let all = spool.finish(&now).unwrap();
        let mut text = Vec::new();
        all[&r1].write(&mut text).unwrap();
        assert_eq!(all[&r1].bytes(), text.len() as u64);
        let runs = all[&r1].runs.len();
        drop(all);
        assert!(!path.exists(), "nothing is left behind");
        (String::from_utf8(text).unwrap(), runs)
    }

    #[test]
    fn chunks_are_merged_into_the_order_of_memory() {
        let mut lines: Vec<Line> = (0..2000)
            .map(|n| line(&format!("/dubbo/{}", n * 7919 % 2000), n % 5))
            .collect();
        lines.push(Line::new(
            Key::Tcp {
                address: "a:1".into(),
            },
            Payload::Fields(serde_json::Map::new()),
        ));
        let never = At::from_time(jiff::Timestamp::UNIX_EPOCH);
        let expected: String = sorted(&lines, &never)
            .into_iter()
            .map(|line| serde_json::to_string(line).unwrap() + "\n")
            .collect();
        for (chunk, least) in [(usize::MAX, 1), (100_000, 5), (1, 2)] {
            let (text, runs) = written(&lines, chunk);
            assert!((least..=MOST_RUNS).contains(&runs), "{chunk}: {runs}");
            assert!(text == expected, "{chunk}");
        }
    }

    #[test]
    fn every_answer_can_be_changed_on_the_way() {
        let r1 = SourceId::new("r1").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::with_chunk(folder, Masker::default(), 1000, Arc::default());
        for n in 0..100 {
            spool.put(&r1, line(&format!("/a{n:02}"), 1)).unwrap();
        }
        let changed = spool
            .rewritten(tempfile::tempdir().unwrap(), Masker::default(), |line| {
                let Key::ZkNode { path } = &line.key else {
                    return;
                };
                let backwards: String = path[1..].chars().rev().collect();
                let other = format!("/{backwards}");
                line.key = Key::zk_node(other);
            })
            .unwrap();
        let all = changed
            .finish(&At::from_time(jiff::Timestamp::UNIX_EPOCH))
            .unwrap();
        let mut text = Vec::new();
        all[&r1].write(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.lines().count(), 100);
        assert!(
            text.starts_with(r#"{"op":"zk.node","path":"/00a""#),
            "{text}"
        );
        assert!(
            text.lines().is_sorted(),
            "the order is that of the new names"
        );
    }

    #[test]
    fn it_can_be_stopped_while_it_is_written() {
        let r1 = SourceId::new("r1").unwrap();
        let mut spool = Spool::new(tempfile::tempdir().unwrap(), Masker::default());
        spool.put(&r1, line("/a", 1)).unwrap();
        let stop = spool.stop();
        let all = spool
            .finish(&At::from_time(jiff::Timestamp::UNIX_EPOCH))
            .unwrap();
        stop.store(true, Memory::Relaxed);
        assert!(all[&r1].write(&mut Vec::new()).is_err());
    }
}
