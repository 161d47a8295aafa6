//! The fold: bytes or numbered lines in, one bounded aggregate out.

use std::io::{self, BufRead};

use super::decode::{RawLine, Splitter};
use super::facts::{LogFacts, LogOrigin};
use super::group::Grouper;
use super::record::Assembler;

/// Reads a text of any size in constant memory.
#[derive(Debug, Default)]
pub struct LogReader {
    splitter: Splitter,
    fold: Fold,
}

/// What happens to a line.
#[derive(Debug, Default)]
struct Fold {
    assembler: Assembler,
    grouper: Grouper,
    facts: LogFacts,
}

impl Fold {
    fn line(&mut self, line: &RawLine<'_>) {
        let Self {
            assembler,
            grouper,
            facts,
        } = self;
        assembler.push(line, &mut |unit| grouper.push(unit, facts));
    }

    fn finish(mut self) -> LogFacts {
        let Self {
            assembler,
            grouper,
            facts,
        } = &mut self;
        assembler.finish(&mut |unit| grouper.push(unit, facts));
        grouper.finish(facts);
        self.facts
    }
}

impl LogReader {
    /// A reader for a text of this origin.
    pub fn new(origin: LogOrigin) -> Self {
        let mut reader = Self::default();
        reader.fold.facts.origin = origin;
        reader
    }

    /// The next bytes of the text; pieces may end anywhere.
    pub fn push(&mut self, bytes: &[u8]) {
        let Self { splitter, fold } = self;
        splitter.push(bytes, &mut |line| fold.line(&line));
    }

    /// One line of a recording: its number in the file (from 1), the byte at which it begins, its text. Lines may be
    /// missing between two. Not to be mixed with [`Self::push`].
    pub fn push_line(&mut self, number: u64, offset: u64, text: &str) {
        self.fold.facts.lines += 1;
        self.fold.facts.bytes += text.len() as u64;
        self.fold.line(&RawLine {
            number,
            offset,
            text: text.into(),
            cut: false,
        });
    }

    /// The end of the text: what it says.
    pub fn finish(self) -> LogFacts {
        let Self {
            mut splitter,
            mut fold,
        } = self;
        let (lines, bytes) = splitter.finish(&mut |line| fold.line(&line));
        fold.facts.lines += lines;
        fold.facts.bytes += bytes;
        fold.facts.encoding = splitter.encoding;
        fold.facts.cut_lines = splitter.cut_lines;
        fold.finish()
    }
}

impl LogFacts {
    /// Reads everything the reader gives.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub fn read(mut reader: impl BufRead, origin: LogOrigin) -> io::Result<Self> {
        let mut log = LogReader::new(origin);
        loop {
            let bytes = reader.fill_buf()?;
            if bytes.is_empty() {
                return Ok(log.finish());
            }
            log.push(bytes);
            let used = bytes.len();
            reader.consume(used);
        }
    }
}
