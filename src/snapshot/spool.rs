//! Answers on their way to disk: a recording of everything is larger than memory.
//!
//! Lines are kept until they weigh [`CHUNK`], then sorted and put aside in a file. At the end the files of a source are
//! merged into one, so that the recording has the order of the format. Everything lies in a folder of its own beside
//! the target, for its owner alone, and is gone when the spool is dropped: whoever stops leaves nothing behind.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering as Memory};

use tempfile::TempDir;

use super::line::Line;
use super::manifest::SourceId;
use super::mask::Masker;
use super::order::{compare, sorted};
use super::payload::Payload;
use super::time::At;
use super::write::private_file;

/// Lines of about so many bytes are kept in memory.
const CHUNK: usize = 8 << 20;
/// So many files are merged at once; a process has 1024 open files on most systems.
const MOST_RUNS: usize = 256;

/// Answers of a recording in the making.
#[derive(Debug)]
pub struct Spool {
    // Dropped after the sorters, whose files lie in it.
    sources: BTreeMap<SourceId, Sorter>,
    masker: Masker,
    chunk: usize,
    stop: Arc<AtomicBool>,
    folder: Arc<TempDir>,
}

impl Spool {
    pub(super) fn new(folder: TempDir, masker: Masker) -> Self {
        Self {
            sources: BTreeMap::new(),
            masker,
            chunk: CHUNK,
            stop: Arc::default(),
            folder: Arc::new(folder),
        }
    }

    /// Setting it ends the writing of the recording with an error.
    pub fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Whether anything was put for this source.
    pub fn has(&self, source: &SourceId) -> bool {
        self.sources.contains_key(source)
    }

    /// Adds an answer, masked.
    pub(super) fn put(&mut self, source: &SourceId, mut line: Line) -> io::Result<()> {
        self.masker.line(&mut line);
        let sorter = self
            .sources
            .entry(source.clone())
            .or_insert_with(|| Sorter {
                stem: self.folder.path().join(source.as_str()),
                ..Sorter::default()
            });
        sorter.weight += weight(&line);
        sorter.lines.push(line);
        if sorter.weight >= self.chunk {
            sorter.put_aside()?;
        }
        Ok(())
    }

    /// The lines of each source in order. `recorded_at` = the time of lines that have none.
    pub(super) fn finish(self, recorded_at: &At) -> io::Result<BTreeMap<SourceId, Sorted>> {
        let mut all = BTreeMap::new();
        for (source, mut sorter) in self.sources {
            sorter.put_aside()?;
            while sorter.runs.len() > MOST_RUNS {
                sorter.join(&self.stop)?;
            }
            let sorted = Sorted {
                runs: sorter.runs,
                recorded_at: recorded_at.clone(),
                stop: Arc::clone(&self.stop),
                _folder: Arc::clone(&self.folder),
            };
            all.insert(source, sorted);
        }
        Ok(all)
    }
}

/// The lines of one source, in no order yet.
#[derive(Debug, Default)]
struct Sorter {
    stem: PathBuf,
    lines: Vec<Line>,
    weight: usize,
    runs: Vec<Run>,
    made: usize,
}

/// Sorted lines in a file.
#[derive(Debug)]
struct Run {
    path: PathBuf,
    bytes: u64,
}

impl Sorter {
    fn next(&mut self) -> PathBuf {
        self.made += 1;
        self.stem.with_extension(self.made.to_string())
    }

    /// Sorts what is in memory and writes it to a file.
    fn put_aside(&mut self) -> io::Result<()> {
        let lines = std::mem::take(&mut self.lines);
        self.weight = 0;
        let path = self.next();
        // Observers give every line its time, so which time stands in for none is of no account here.
        let never = At::from_time(jiff::Timestamp::UNIX_EPOCH);
        let run = write_run(path, |out| {
            for line in sorted(&lines, &never) {
                serde_json::to_writer(&mut *out, line)?;
                out.write_all(b"\n")?;
            }
            Ok(())
        })?;
        self.runs.push(run);
        Ok(())
    }

    /// Makes one file of the first ones.
    fn join(&mut self, stop: &AtomicBool) -> io::Result<()> {
        let path = self.next();
        let first: Vec<Run> = self.runs.drain(..MOST_RUNS.min(self.runs.len())).collect();
        let never = At::from_time(jiff::Timestamp::UNIX_EPOCH);
        let run = write_run(path, |out| merge(&first, &never, stop, out))?;
        for old in first {
            std::fs::remove_file(old.path)?;
        }
        self.runs.push(run);
        Ok(())
    }
}

fn write_run(
    path: PathBuf,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<Run> {
    let mut out = BufWriter::with_capacity(1 << 16, private_file(&path)?);
    write(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    let bytes = file.metadata()?.len();
    Ok(Run { path, bytes })
}

/// The lines of one source, ready to be written in order.
#[derive(Debug)]
pub(super) struct Sorted {
    runs: Vec<Run>,
    recorded_at: At,
    stop: Arc<AtomicBool>,
    _folder: Arc<TempDir>,
}

impl Sorted {
    /// How many bytes [`Self::write`] writes.
    pub(super) fn bytes(&self) -> u64 {
        self.runs.iter().map(|run| run.bytes).sum()
    }

    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        merge(&self.runs, &self.recorded_at, &self.stop, to)
    }
}

/// Writes the lines of sorted files in order.
fn merge(runs: &[Run], recorded_at: &At, stop: &AtomicBool, to: &mut impl Write) -> io::Result<()> {
    if let [only] = runs {
        // Already in order; read in pieces so that it can be stopped.
        let mut reader = open(&only.path)?;
        loop {
            let piece = reader.fill_buf()?;
            if piece.is_empty() {
                return Ok(());
            }
            check(stop)?;
            to.write_all(piece)?;
            let read = piece.len();
            reader.consume(read);
        }
    }
    let mut heads = BinaryHeap::new();
    for run in runs {
        heads.extend(Head::next(open(&run.path)?, recorded_at)?);
    }
    while let Some(head) = heads.pop() {
        check(stop)?;
        to.write_all(&head.raw)?;
        heads.extend(Head::next(head.reader, recorded_at)?);
    }
    Ok(())
}

fn open(path: &Path) -> io::Result<BufReader<File>> {
    #[expect(
        clippy::disallowed_methods,
        reason = "reading again what was put aside while recording"
    )]
    let file = File::open(path)?;
    Ok(BufReader::with_capacity(1 << 14, file))
}

fn check(stop: &AtomicBool) -> io::Result<()> {
    if stop.load(Memory::Relaxed) {
        return Err(io::Error::other("stopped"));
    }
    Ok(())
}

/// The next line of a file. The smallest line is the greatest of these: the heap gives the greatest first.
struct Head<'a> {
    line: Line,
    raw: Vec<u8>,
    reader: BufReader<File>,
    recorded_at: &'a At,
}

impl<'a> Head<'a> {
    fn next(mut reader: BufReader<File>, recorded_at: &'a At) -> io::Result<Option<Self>> {
        let mut raw = Vec::new();
        if reader.read_until(b'\n', &mut raw)? == 0 {
            return Ok(None);
        }
        let line = Line::parse(&raw).map_err(io::Error::other)?;
        Ok(Some(Self {
            line,
            raw,
            reader,
            recorded_at,
        }))
    }
}

impl Ord for Head<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&other.line, &self.line, self.recorded_at)
    }
}

impl PartialOrd for Head<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Head<'_> {}

/// About how much memory a line takes.
fn weight(line: &Line) -> usize {
    let names = |names: &Vec<String>| names.iter().map(|name| name.len() + 24).sum();
    let answer: usize = match &line.payload {
        Payload::Children(children) => names(children),
        Payload::Text(text) => text.len(),
        Payload::Bytes(bytes) => bytes.len(),
        Payload::Json(value) => 8 * value.to_string().len(),
        Payload::Err { text, .. } => text.as_ref().map_or(0, String::len),
        Payload::Fields(_) => 256,
    };
    let key: usize = line.key.fields().iter().map(|(_, value)| value.len()).sum();
    size_of::<Line>() + key + answer + 128 * (line.extra.len() + line.headers.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Key;

    fn line(path: &str, time: i64) -> Line {
        let at = At::from_time(jiff::Timestamp::from_second(time).unwrap());
        Line::new(Key::zk_node(path), Payload::Text("x".repeat(40))).said_at(at)
    }

    /// Everything that was put, in the order of the format.
    fn written(lines: &[Line], chunk: usize) -> (String, usize) {
        let r1 = SourceId::new("r1").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let mut spool = Spool::new(folder, Masker::default());
        spool.chunk = chunk;
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
