//! Sorted files: lines that are written already, in the order of the format, merged into one.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering as Memory};

use tempfile::TempDir;

use super::early::Early;
use crate::snapshot::line::Line;
use crate::snapshot::order::Place;
use crate::snapshot::time::At;
use crate::snapshot::write::private_file;

/// So many files are merged at once; a process has 1024 open files on most systems.
pub(super) const MOST_RUNS: usize = 256;
/// So much is read and written at once.
const PIECE: usize = 1 << 18;

/// A line as it will be written, with its place.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    place: Place,
    written: Vec<u8>,
    /// Tells equal lines apart.
    number: u64,
}

impl Entry {
    fn weight(&self) -> usize {
        // A place has some six texts.
        size_of::<Self>() + 300 + self.written.len()
    }
}

/// Sorts the lines of one source into as few files as their order of arrival allows: the least of those in memory goes
/// to the file, unless a greater one is there already; then it waits for the next file.
#[derive(Debug, Default)]
pub(super) struct Sorter {
    stem: PathBuf,
    chunk: usize,
    made: usize,
    weight: usize,
    /// How many lines came.
    lines: u64,
    now: BTreeSet<Entry>,
    later: BTreeSet<Entry>,
    /// The file to which lines go, and the last one that went.
    file: Option<(PathBuf, BufWriter<File>)>,
    last: Option<Entry>,
    runs: Vec<Run>,
    early: Early,
}

/// Sorted lines in a file.
#[derive(Debug)]
pub(super) struct Run {
    path: PathBuf,
    bytes: u64,
}

impl Sorter {
    /// `stem` = what the names of its files begin with, `chunk` = how many bytes of lines wait in memory.
    pub(super) fn new(stem: PathBuf, chunk: usize) -> Self {
        Self {
            stem,
            chunk,
            ..Self::default()
        }
    }

    pub(super) fn put(&mut self, line: &Line) -> io::Result<()> {
        // Observers give every line its time, so which time stands in for none is of no account here.
        let never = At::from_time(jiff::Timestamp::UNIX_EPOCH);
        let written = line.written()?;
        let place = Place::of(line, &never);
        self.lines += 1;
        let entry = Entry {
            place,
            written,
            number: self.lines,
        };
        self.weight += entry.weight();
        if self.last.as_ref().is_some_and(|last| entry < *last) {
            self.later.insert(entry);
        } else {
            self.now.insert(entry);
        }
        while self.weight > self.chunk {
            self.put_aside_one()?;
        }
        Ok(())
    }

    /// Writes the least line. Returns whether there was one.
    fn put_aside_one(&mut self) -> io::Result<bool> {
        if self.now.is_empty() {
            self.end_run()?;
            self.now = std::mem::take(&mut self.later);
        }
        let Some(entry) = self.now.pop_first() else {
            return Ok(false);
        };
        self.weight -= entry.weight();
        let (_, out) = match &mut self.file {
            Some(file) => file,
            none => {
                self.made += 1;
                let path = self.stem.with_extension(self.made.to_string());
                let out = BufWriter::with_capacity(PIECE, private_file(&path)?);
                none.insert((path, out))
            }
        };
        out.write_all(&entry.written)?;
        // Of several files none is the one that stays.
        if self.runs.is_empty() {
            self.early.wrote(out, entry.written.len())?;
        }
        self.last = Some(entry);
        Ok(true)
    }

    fn end_run(&mut self) -> io::Result<()> {
        self.last = None;
        if let Some((path, out)) = self.file.take() {
            let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            let bytes = file.metadata()?.len();
            self.runs.push(Run { path, bytes });
        }
        Ok(())
    }

    /// The sorted files, at most [`MOST_RUNS`].
    pub(super) fn finish(mut self, stop: &AtomicBool) -> io::Result<Vec<Run>> {
        while self.put_aside_one()? {}
        self.early.finish()?;
        self.end_run()?;
        while self.runs.len() > MOST_RUNS {
            self.join(stop)?;
        }
        Ok(self.runs)
    }

    /// Makes one file of the first ones.
    fn join(&mut self, stop: &AtomicBool) -> io::Result<()> {
        self.made += 1;
        let path = self.stem.with_extension(self.made.to_string());
        let first: Vec<Run> = self.runs.drain(..MOST_RUNS).collect();
        let never = At::from_time(jiff::Timestamp::UNIX_EPOCH);
        let mut out = BufWriter::with_capacity(PIECE, private_file(&path)?);
        merge(&first, &never, stop, &mut out)?;
        self.file = Some((path, out));
        for old in first {
            std::fs::remove_file(old.path)?;
        }
        self.end_run()
    }
}

/// The lines of one source, ready to be written in order.
#[derive(Debug)]
pub(in crate::snapshot) struct Sorted {
    pub(super) runs: Vec<Run>,
    recorded_at: At,
    stop: Arc<AtomicBool>,
    _folder: Arc<TempDir>,
}

impl Sorted {
    pub(super) fn new(
        runs: Vec<Run>,
        recorded_at: At,
        stop: Arc<AtomicBool>,
        folder: Arc<TempDir>,
    ) -> Self {
        Self {
            runs,
            recorded_at,
            stop,
            _folder: folder,
        }
    }

    /// How many bytes [`Self::write`] writes.
    pub(in crate::snapshot) fn bytes(&self) -> u64 {
        self.runs.iter().map(|run| run.bytes).sum()
    }

    /// The file that is in order already, if one is: it can be moved in place of writing it again.
    pub(in crate::snapshot) fn file(&self) -> Option<&Path> {
        match self.runs.as_slice() {
            [only] => Some(&only.path),
            _ => None,
        }
    }

    pub(in crate::snapshot) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        merge(&self.runs, &self.recorded_at, &self.stop, to)
    }
}

/// Writes the lines of sorted files in order.
fn merge(runs: &[Run], recorded_at: &At, stop: &AtomicBool, to: &mut impl Write) -> io::Result<()> {
    if let [only] = runs {
        // Already in order; read in pieces so that it can be stopped.
        let mut reader = open(&only.path, PIECE)?;
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
    let head = |reader| Head::next(reader, recorded_at).map(|head| head.map(Reverse));
    for run in runs {
        heads.extend(head(open(&run.path, 1 << 14)?)?);
    }
    while let Some(Reverse(least)) = heads.pop() {
        check(stop)?;
        to.write_all(&least.entry.written)?;
        heads.extend(head(least.reader)?);
    }
    Ok(())
}

fn open(path: &Path, at_once: usize) -> io::Result<BufReader<File>> {
    #[expect(
        clippy::disallowed_methods,
        reason = "reading again what was put aside while recording"
    )]
    let file = File::open(path)?;
    Ok(BufReader::with_capacity(at_once, file))
}

fn check(stop: &AtomicBool) -> io::Result<()> {
    if stop.load(Memory::Relaxed) {
        return Err(io::Error::other("stopped"));
    }
    Ok(())
}

/// The next line of a file.
struct Head {
    entry: Entry,
    reader: BufReader<File>,
}

impl Head {
    fn next(mut reader: BufReader<File>, recorded_at: &At) -> io::Result<Option<Self>> {
        let mut written = Vec::new();
        if reader.read_until(b'\n', &mut written)? == 0 {
            return Ok(None);
        }
        let line = Line::parse(&written).map_err(io::Error::other)?;
        let place = Place::of(&line, recorded_at);
        let entry = Entry {
            place,
            written,
            number: 0,
        };
        Ok(Some(Self { entry, reader }))
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        self.entry.cmp(&other.entry)
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.entry == other.entry
    }
}

impl Eq for Head {}
