//! The fold: bytes or numbered lines in, one bounded aggregate out.

use std::io::{self, BufRead};

use super::decode::{RawLine, Splitter};
use super::facts::{LogFacts, LogOrigin};

/// Reads a text of any size in constant memory.
#[derive(Debug, Default)]
pub struct LogReader {
    splitter: Splitter,
    facts: LogFacts,
}

impl LogReader {
    /// A reader for a text of this origin.
    pub fn new(origin: LogOrigin) -> Self {
        Self {
            facts: LogFacts {
                origin,
                ..LogFacts::default()
            },
            ..Self::default()
        }
    }

    /// The next bytes of the text; pieces may end anywhere.
    pub fn push(&mut self, bytes: &[u8]) {
        self.splitter.push(bytes, &mut |line| accept(&line));
    }

    /// One line of a recording: its number in the file (from 1), the byte at which it begins, its text. Lines may be
    /// missing between two. Not to be mixed with [`Self::push`].
    pub fn push_line(&mut self, number: u64, offset: u64, text: &str) {
        self.facts.lines += 1;
        self.facts.bytes += text.len() as u64;
        accept(&RawLine {
            number,
            offset,
            text: text.into(),
            cut: false,
        });
    }

    /// The end of the text: what it says.
    pub fn finish(mut self) -> LogFacts {
        let (lines, bytes) = self.splitter.finish(&mut |line| accept(&line));
        self.facts.lines += lines;
        self.facts.bytes += bytes;
        self.facts.encoding = self.splitter.encoding;
        self.facts.cut_lines = self.splitter.cut_lines;
        self.facts
    }
}

fn accept(line: &RawLine<'_>) {
    let _ = (line.number, line.offset, &line.text, line.cut);
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
