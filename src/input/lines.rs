//! Lines of a stream of any size, one at a time and none longer than a limit.

use std::io::{self, BufRead};

/// Longest line that is kept; what is longer is cut and says so.
pub const LONGEST_LINE: usize = 1 << 20;

/// Reads lines; holds one of them at a time.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    number: u64,
    bytes: u64,
    buffer: Vec<u8>,
    /// Bytes of the line that was given last and still lies in the reader.
    given: usize,
    stops: bool,
}

/// One line, without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawLine<'a> {
    /// From 1.
    pub number: u64,
    /// Its bytes, without `\n` and a `\r` before it.
    pub bytes: &'a [u8],
    /// It was longer than [`LONGEST_LINE`]; the rest was thrown away.
    pub cut: bool,
}

impl<R: BufRead> Lines<R> {
    /// Reads from the start of a stream.
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            number: 0,
            bytes: 0,
            buffer: Vec::new(),
            given: 0,
            stops: false,
        }
    }

    /// The same for readers that refuse a line that is too long: the rest of it is not waited for.
    pub fn refusing(reader: R) -> Self {
        Self {
            stops: true,
            ..Self::new(reader)
        }
    }

    /// How many bytes of the stream were read.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next line; `None` at the end. A byte order mark in front of the first line is left out.
    ///
    /// # Errors
    /// The stream cannot be read.
    pub fn read(&mut self) -> io::Result<Option<RawLine<'_>>> {
        self.reader.consume(std::mem::take(&mut self.given));
        if let Some(end) = self.whole()? {
            self.given = end + 1;
            self.bytes += self.given as u64;
            self.number += 1;
            let number = self.number;
            // Nothing is read: the line lies there already.
            let line = &self.reader.fill_buf()?[..end];
            return Ok(Some(RawLine {
                number,
                bytes: without_marks(line, number),
                cut: false,
            }));
        }
        self.buffer.clear();
        let (mut any, mut cut) = (false, false);
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                break;
            }
            any = true;
            let end = memchr::memchr(b'\n', available);
            let line = &available[..end.unwrap_or(available.len())];
            let room = LONGEST_LINE - self.buffer.len();
            cut |= line.len() > room;
            self.buffer.extend_from_slice(&line[..line.len().min(room)]);
            let used = line.len() + usize::from(end.is_some());
            self.reader.consume(used);
            self.bytes += used as u64;
            if end.is_some() || cut && self.stops {
                break;
            }
        }
        if !any {
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(RawLine {
            number: self.number,
            bytes: without_marks(&self.buffer, self.number),
            cut,
        }))
    }

    /// Where the next line ends, if all of it lies in the reader: most lines do, and need not be copied.
    fn whole(&mut self) -> io::Result<Option<usize>> {
        let available = loop {
            match self.reader.fill_buf() {
                Ok(available) => break available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        };
        Ok(memchr::memchr(b'\n', available).filter(|end| *end <= LONGEST_LINE))
    }
}

/// A line without a byte order mark in front of the first one and a `\r` at its end.
fn without_marks(line: &[u8], number: u64) -> &[u8] {
    let line = if number == 1 {
        line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
    } else {
        line
    };
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// What is wrong in a stream, and where.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The stream cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// Something in it does not mean anything. Written after the name of the file: `FILE:LINE:COLUMN: problem`.
    #[error("{line}:{column}: {problem}")]
    At {
        /// Line, from 1.
        line: u64,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        problem: String,
    },
}

impl StreamError {
    pub(super) fn at(line: u64, column: usize, problem: impl Into<String>) -> Self {
        Self::At {
            line,
            column: column.max(1),
            problem: problem.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(bytes: &[u8], buffer: usize) -> Vec<(u64, Vec<u8>)> {
        let mut lines = Lines::new(io::BufReader::with_capacity(buffer, bytes));
        let mut out = Vec::new();
        while let Some(line) = lines.read().unwrap() {
            assert!(!line.cut);
            out.push((line.number, line.bytes.to_vec()));
        }
        assert_eq!(lines.bytes(), bytes.len() as u64);
        out
    }

    #[test]
    fn ends_of_lines() {
        let lines = all(b"\xef\xbb\xbfa\r\n\nb", 2);
        assert_eq!(
            lines,
            [(1, b"a".to_vec()), (2, b"".to_vec()), (3, b"b".to_vec())]
        );
        assert!(all(b"", 8).is_empty());
    }

    #[test]
    fn a_long_line_is_cut_and_the_next_one_is_whole() {
        let mut text = vec![b'x'; LONGEST_LINE + 7];
        text.extend_from_slice(b"\nnext\n");
        let mut lines = Lines::new(io::Cursor::new(text));
        let first = lines.read().unwrap().unwrap();
        assert!(first.cut && first.bytes.len() == LONGEST_LINE);
        assert_eq!(lines.read().unwrap().unwrap().bytes, b"next");
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..60), buffer in 1_usize..9) {
            let joined: Vec<u8> = all(&text, buffer).into_iter().flat_map(|(_, line)| line).collect();
            let kept = |bytes: &[u8]| bytes.iter().filter(|b| !b"\r\n\xef\xbb\xbf".contains(b)).copied().collect::<Vec<u8>>();
            prop_assert_eq!(kept(&joined), kept(&text));
        }
    }
}
