//! What can be wrong with a recording, naming the place and the way out.

use std::io;
use std::path::PathBuf;

use super::manifest::FORMAT;

/// How much of a recording is read before it is refused. The defaults are those of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Lines of all files together.
    pub lines: u64,
    /// Bytes of one line, and of `manifest.json`.
    pub line_bytes: u64,
    /// Bytes of all files together, unpacked.
    pub unpacked_bytes: u64,
    /// Up to this many unpacked bytes a recording is kept in memory; a larger one is read again for every question.
    pub kept_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            lines: 10_000_000,
            line_bytes: 64 << 20,
            unpacked_bytes: 8 << 30,
            kept_bytes: 8 << 20,
        }
    }
}

/// Why a recording cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Neither a folder nor a gzip archive.
    #[error("{} is no snapshot: neither a folder nor a gzip archive (.tar.gz)", .0.display())]
    NotASnapshot(PathBuf),
    /// The archive is broken.
    #[error("{} is no readable .tar.gz archive: {reason}", path.display())]
    BrokenArchive {
        /// The archive.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The archive ends too early.
    #[error("{} ends too early: copy or record it again", .0.display())]
    Truncated(PathBuf),
    /// Who reads it wants no more.
    #[error("reading the recording was stopped")]
    Stopped,
    /// Nothing is in it.
    #[error("{} is empty: a snapshot has a manifest.json", .0.display())]
    Empty(PathBuf),
    /// There is no manifest.
    #[error("{} has no manifest.json: not a snapshot, or not its top folder", .0.display())]
    NoManifest(PathBuf),
    /// The manifest cannot be understood.
    #[error("manifest.json: {0}")]
    BadManifest(String),
    /// Recorded by a later version, in a format that means something else.
    #[error(
        "manifest.json: diag_snapshot is {0}, this version reads up to {FORMAT}: use a newer diag"
    )]
    TooNew(u64),
    /// The manifest names a source without a file.
    #[error("manifest.json names the source {source_id}, but there is no {file}")]
    MissingFile {
        /// The source.
        source_id: String,
        /// The file that it should have.
        file: String,
    },
    /// A file belongs to no source.
    #[error("{0}: manifest.json has no source of this name")]
    NoSource(String),
    /// A line cannot be understood.
    #[error("{file}:{line}: {reason}")]
    BadLine {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// A line is too long.
    #[error("{file}:{line}: longer than {limit} bytes")]
    LongLine {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// How long it may be.
        limit: u64,
    },
    /// There are too many lines.
    #[error("{file}:{line}: more than {limit} lines in the snapshot")]
    ManyLines {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// How many there may be.
        limit: u64,
    },
    /// It is too large.
    #[error("{file}: more than {limit} bytes, unpacked; not read further")]
    TooLarge {
        /// The file at which the limit was passed.
        file: String,
        /// How many bytes there may be.
        limit: u64,
    },
    /// An entry that a snapshot does not have and that may do harm.
    #[error("{entry:?}: {reason}; not read")]
    BadEntry {
        /// The entry's name.
        entry: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// There is no folder in which the snapshot could be written.
    #[error("{}: there is no folder {}: make it first, or write the snapshot elsewhere", target.display(), folder.display())]
    NoFolder {
        /// Where the snapshot should be written.
        target: PathBuf,
        /// The folder that is missing.
        folder: PathBuf,
    },
    /// Something else is where the snapshot should be written.
    #[error("{} exists and is no snapshot: choose another name or remove it", .0.display())]
    Occupied(PathBuf),
    /// The name of the target cannot be used.
    #[error("{} is no name for a snapshot", .0.display())]
    BadTarget(PathBuf),
}
