//! Lines and texts of a recording, read within limits.

use std::io::{self, BufRead, Read};

use crate::snapshot::{Limits, SnapshotError};

/// What one pass over a recording has used of its limits.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) limits: Limits,
    lines: u64,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, lines: 0 }
    }
}

/// Hands every line that is not blank to a function, with its number from 1.
pub(super) fn each_line(
    file: &str,
    reader: &mut dyn BufRead,
    budget: &mut Budget,
    mut f: impl FnMut(u64, &[u8]) -> Result<(), SnapshotError>,
) -> Result<(), SnapshotError> {
    let limit = budget.limits.line_bytes;
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        // A single huge line must not keep its memory for the rest of the file.
        line.shrink_to(1 << 20);
        let read = (&mut *reader)
            .take(limit + 1)
            .read_until(b'\n', &mut line)
            .map_err(|source| in_file(file, source))?;
        if read == 0 {
            return Ok(());
        }
        number += 1;
        budget.lines += 1;
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        if line.len() as u64 > limit {
            return Err(SnapshotError::LongLine {
                file: file.to_owned(),
                line: number,
                limit,
            });
        }
        if budget.lines > budget.limits.lines {
            let limit = budget.limits.lines;
            return Err(SnapshotError::ManyLines {
                file: file.to_owned(),
                line: number,
                limit,
            });
        }
        let mut content = line.trim_ascii();
        if number == 1 {
            content = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content);
        }
        if !content.is_empty() {
            f(number, content)?;
        }
    }
}

/// Reads a whole file of at most this length.
pub(super) fn whole(
    file: &str,
    reader: &mut dyn BufRead,
    limit: u64,
) -> Result<Vec<u8>, SnapshotError> {
    let mut bytes = Vec::new();
    reader
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| in_file(file, source))?;
    if bytes.len() as u64 > limit {
        return Err(SnapshotError::TooLarge {
            file: file.to_owned(),
            limit,
        });
    }
    Ok(bytes)
}

/// Counts what is read and ends with an error past the limit.
pub(super) struct Counted<R> {
    inner: R,
    left: u64,
    limit: u64,
}

impl<R> Counted<R> {
    pub(super) fn new(inner: R, used: u64, limit: u64) -> Self {
        Self {
            inner,
            left: limit.saturating_sub(used),
            limit,
        }
    }

    /// How many bytes were read.
    pub(super) fn used(&self) -> u64 {
        self.limit - self.left
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(PastLimit(self.limit))),
        }
        Ok(read)
    }
}

/// The error of [`Counted`] within an I/O error.
#[derive(Debug, thiserror::Error)]
#[error("more than {0} bytes")]
struct PastLimit(u64);

/// An I/O error met while a file of the recording was read. The archive's own name is put in by [`of_archive`].
pub(super) fn in_file(file: &str, source: io::Error) -> SnapshotError {
    match source
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<PastLimit>())
    {
        Some(PastLimit(limit)) => SnapshotError::TooLarge {
            file: file.to_owned(),
            limit: *limit,
        },
        None => SnapshotError::Io {
            path: file.into(),
            source,
        },
    }
}

/// The same, of an archive: what the decoder says is about the archive and not about the file in it.
pub(super) fn of_archive(path: &std::path::Path, error: SnapshotError) -> SnapshotError {
    match error {
        SnapshotError::Io { source, .. } if source.kind() == io::ErrorKind::UnexpectedEof => {
            SnapshotError::Truncated(path.to_owned())
        }
        SnapshotError::Io { source, .. }
            if matches!(
                source.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound
            ) =>
        {
            SnapshotError::Io {
                path: path.to_owned(),
                source,
            }
        }
        SnapshotError::Io { source, .. } => SnapshotError::BrokenArchive {
            path: path.to_owned(),
            reason: source.to_string(),
        },
        other => other,
    }
}
