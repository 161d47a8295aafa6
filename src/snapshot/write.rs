//! Writing a recording: as a folder, or as `.tar.gz` when the name says so.
//!
//! Everything is written beside the target and put in its place at the end, so that a full disk or an interruption
//! leaves the old state. Files are for their owner alone: what a registry says is nobody else's business. The same
//! facts give the same bytes, whether they came from memory or from a [`Spool`].

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder, read::GzDecoder};
use serde_json::Value;
use tar::{Archive, EntryType, Header};
use tempfile::TempDir;

use super::error::SnapshotError;
use super::facts::Snapshot;
use super::line::Line;
use super::manifest::SourceId;
use super::mask::Masker;
use super::order::sorted;
use super::spool::{Sorted, Spool};

const MANIFEST: &str = "manifest.json";

/// Writes snapshots to one place.
#[derive(Debug)]
pub struct Writer {
    target: PathBuf,
    packed: bool,
}

impl Writer {
    /// Checks that a snapshot may be written there: nothing is there yet, or an older snapshot, or an empty folder.
    /// A name that ends with `.tar.gz` or `.tgz` means an archive.
    ///
    /// # Errors
    /// Something else is there, the name is none, or there is no folder for it.
    pub fn new(target: impl Into<PathBuf>) -> Result<Self, SnapshotError> {
        let target = target.into();
        let Some(name) = target.file_name().and_then(OsStr::to_str) else {
            return Err(SnapshotError::BadTarget(target));
        };
        let packed = [".tar.gz", ".tgz"]
            .iter()
            .any(|ending| name.len() > ending.len() && name.ends_with(ending));
        let writer = Self { target, packed };
        if !writer.folder().is_dir() {
            return Err(SnapshotError::NoFolder {
                folder: writer.folder().to_owned(),
                target: writer.target,
            });
        }
        match fs::symlink_metadata(&writer.target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(writer),
            Err(source) => Err(writer.io(source)),
            Ok(there) if there.is_dir() && !packed && is_snapshot_folder(&writer.target) => {
                Ok(writer)
            }
            Ok(there) if there.is_file() && packed && is_snapshot_archive(&writer.target) => {
                Ok(writer)
            }
            Ok(_) => Err(SnapshotError::Occupied(writer.target)),
        }
    }

    /// Whether a recording is there already, whose place the next one takes.
    pub fn replaces(&self) -> bool {
        let manifest = self.target.join(MANIFEST);
        fs::symlink_metadata(if self.packed { &self.target } else { &manifest }).is_ok()
    }

    /// Writes the snapshot.
    ///
    /// # Errors
    /// The disk does not take it, or a line belongs to a source that the manifest does not name. The target is then as
    /// it was.
    pub fn write(&self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        self.write_files(&files(snapshot, BTreeMap::new())?)
    }

    /// A place beside the target for the answers of a recording that is larger than memory.
    ///
    /// # Errors
    /// The disk does not take it.
    pub fn spool(&self, masker: Masker) -> Result<Spool, SnapshotError> {
        let folder = self.beside().map_err(|source| self.io(source))?;
        Ok(Spool::new(folder, masker))
    }

    /// Adds an answer to what was spooled.
    ///
    /// # Errors
    /// The disk does not take it.
    pub fn put(
        &self,
        spool: &mut Spool,
        source: &SourceId,
        line: Line,
    ) -> Result<(), SnapshotError> {
        spool.put(source, line).map_err(|error| self.io(error))
    }

    /// Changes every answer that was spooled.
    ///
    /// # Errors
    /// As [`Self::write_spooled`].
    pub fn rewrite(
        &self,
        spool: Spool,
        masker: Masker,
        change: impl Fn(&mut Line),
    ) -> Result<Spool, SnapshotError> {
        self.beside()
            .and_then(|folder| spool.rewritten(folder, masker, change))
            .map_err(|error| self.io(error))
    }

    /// Writes the snapshot together with what was spooled for its sources.
    ///
    /// # Errors
    /// As [`Self::write`]; also when the spool was stopped.
    pub fn write_spooled(
        &self,
        snapshot: &Snapshot,
        mut spool: Spool,
    ) -> Result<(), SnapshotError> {
        for (source, lines) in snapshot.sources() {
            if spool.has(source) {
                for line in lines {
                    self.put(&mut spool, source, line.clone())?;
                }
            }
        }
        let sorted = spool
            .finish(&snapshot.manifest().recorded_at)
            .map_err(|error| self.io(error))?;
        self.write_files(&files(snapshot, sorted)?)
    }

    fn write_files(&self, files: &Files<'_>) -> Result<(), SnapshotError> {
        if self.packed {
            self.write_archive(files)
        } else {
            self.write_folder(files)
        }
    }

    /// A folder beside the target that is gone when it is dropped.
    fn beside(&self) -> io::Result<TempDir> {
        tempfile::Builder::new()
            .prefix(".diag-")
            .suffix(".partial")
            .tempdir_in(self.folder())
    }

    fn write_archive(&self, files: &Files<'_>) -> Result<(), SnapshotError> {
        let io = |source| self.io(source);
        let mut beside = tempfile::Builder::new()
            .prefix(".diag-")
            .suffix(".partial")
            .tempfile_in(self.folder())
            .map_err(io)?;
        let mut packed = GzBuilder::new()
            .mtime(0)
            .write(BufWriter::new(beside.as_file_mut()), Compression::default());
        for (name, content) in files.iter() {
            let length = content.length().map_err(io)?;
            packed
                .write_all(header(name, length).map_err(io)?.as_bytes())
                .map_err(io)?;
            content.write(&mut packed).map_err(io)?;
            let used = usize::try_from(length % BLOCK as u64).unwrap_or_default();
            packed
                .write_all(&[0; BLOCK][..(BLOCK - used) % BLOCK])
                .map_err(io)?;
        }
        packed.write_all(&[0; 2 * BLOCK]).map_err(io)?;
        packed
            .finish()
            .and_then(|mut file| file.flush())
            .map_err(io)?;
        beside.as_file().sync_all().map_err(io)?;
        beside
            .persist(&self.target)
            .map_err(|error| self.io(error.error))?;
        Ok(())
    }

    fn write_folder(&self, files: &Files<'_>) -> Result<(), SnapshotError> {
        let io = |source| self.io(source);
        let beside = self.beside().map_err(io)?;
        let fresh = beside.path().join("new");
        private_folder(&fresh).map_err(io)?;
        for (name, content) in files.iter() {
            if let Content::Spooled(sorted) = content
                && let Some(done) = sorted.file()
            {
                fs::rename(done, fresh.join(name)).map_err(io)?;
                sync(&fresh.join(name)).map_err(io)?;
                continue;
            }
            let mut file = BufWriter::new(private_file(&fresh.join(name)).map_err(io)?);
            content.write(&mut file).map_err(io)?;
            file.into_inner()
                .map_err(|error| self.io(error.into_error()))?
                .sync_all()
                .map_err(io)?;
        }
        let old = beside.path().join("old");
        match fs::rename(&self.target, &old) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other.map_err(io)?,
        }
        if let Err(error) = fs::rename(&fresh, &self.target) {
            if old.exists() {
                fs::rename(&old, &self.target).map_err(io)?;
            }
            return Err(self.io(error));
        }
        beside.close().map_err(io)
    }

    /// The folder in which the target lies.
    fn folder(&self) -> &Path {
        match self.target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }

    /// What the system says about the target. The name of a temporary file beside it would say nothing to anybody.
    fn io(&self, source: io::Error) -> SnapshotError {
        let source = if source.raw_os_error().is_none() && source.kind() != io::ErrorKind::Other {
            io::Error::from(source.kind())
        } else {
            source
        };
        SnapshotError::Io {
            path: self.target.clone(),
            source,
        }
    }
}

/// The unit in which archives count.
const BLOCK: usize = 512;

/// A header that says nothing of the machine or the time.
fn header(name: &str, length: u64) -> io::Result<Header> {
    let mut header = Header::new_ustar();
    header.set_path(name)?;
    header.set_entry_type(EntryType::Regular);
    header.set_size(length);
    header.set_mode(0o600);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header.set_cksum();
    Ok(header)
}

/// The files of a snapshot in the order in which they are written.
struct Files<'a> {
    manifest: Content<'a>,
    rest: BTreeMap<String, Content<'a>>,
}

impl<'a> Files<'a> {
    fn iter(&self) -> impl Iterator<Item = (&str, &Content<'a>)> {
        let rest = self
            .rest
            .iter()
            .map(|(name, content)| (name.as_str(), content));
        std::iter::once((MANIFEST, &self.manifest)).chain(rest)
    }
}

enum Content<'a> {
    Bytes(Vec<u8>),
    Text(&'a str),
    Lines(Vec<&'a Line>),
    Spooled(Sorted),
}

impl Content<'_> {
    /// Bytes. Of lines in memory they are counted by writing them once to nowhere.
    fn length(&self) -> io::Result<u64> {
        let mut length = Length(0);
        match self {
            Self::Spooled(sorted) => return Ok(sorted.bytes()),
            other => other.write(&mut length)?,
        }
        Ok(length.0)
    }

    fn write(&self, to: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Bytes(bytes) => to.write_all(bytes),
            Self::Text(text) => to.write_all(text.as_bytes()),
            Self::Lines(lines) => lines
                .iter()
                .try_for_each(|line| to.write_all(&line.written()?)),
            Self::Spooled(sorted) => sorted.write(to),
        }
    }
}

/// `spooled` = the lines of these sources, in place of those in the snapshot.
fn files(
    snapshot: &Snapshot,
    spooled: BTreeMap<SourceId, Sorted>,
) -> Result<Files<'_>, SnapshotError> {
    let manifest = snapshot.manifest();
    let mut rest = BTreeMap::new();
    for source in manifest.sources.keys() {
        rest.insert(format!("{source}.jsonl"), Content::Lines(Vec::new()));
    }
    for (source, lines) in snapshot.sources() {
        let name = format!("{source}.jsonl");
        if !manifest.sources.contains_key(source) {
            return Err(SnapshotError::NoSource(name));
        }
        rest.insert(name, Content::Lines(sorted(lines, &manifest.recorded_at)));
    }
    for (source, sorted) in spooled {
        let name = format!("{source}.jsonl");
        if !manifest.sources.contains_key(&source) {
            return Err(SnapshotError::NoSource(name));
        }
        rest.insert(name, Content::Spooled(sorted));
    }
    for (source, text) in snapshot.texts() {
        let name = format!("{source}.txt");
        if !manifest.sources.contains_key(source) {
            return Err(SnapshotError::NoSource(name));
        }
        rest.insert(name, Content::Text(text));
    }
    let mut head = serde_json::to_vec_pretty(manifest)
        .map_err(|error| SnapshotError::BadManifest(error.to_string()))?;
    head.push(b'\n');
    Ok(Files {
        manifest: Content::Bytes(head),
        rest,
    })
}

/// Counts what is written.
struct Length(u64);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn is_snapshot_folder(path: &Path) -> bool {
    let is_empty = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    #[expect(
        clippy::disallowed_methods,
        reason = "an older snapshot may be replaced, anything else not"
    )]
    let manifest = fs::File::open(path.join(MANIFEST));
    is_empty || manifest.is_ok_and(is_manifest)
}

fn is_snapshot_archive(path: &Path) -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "an older snapshot may be replaced, anything else not"
    )]
    let file = fs::File::open(path);
    let Ok(file) = file else { return false };
    let mut archive = Archive::new(GzDecoder::new(file));
    let Ok(entries) = archive.entries() else {
        return false;
    };
    // By hand the manifest may have been packed at any place; recordings have few files.
    entries
        .raw(true)
        .take(1000)
        .map_while(Result::ok)
        .find(|entry| {
            Path::new(OsStr::new(&*String::from_utf8_lossy(&entry.path_bytes()))).file_name()
                == Some(OsStr::new(MANIFEST))
        })
        .is_some_and(is_manifest)
}

fn is_manifest(reader: impl Read) -> bool {
    let manifest: Result<Value, _> =
        serde_json::from_reader(io::BufReader::new(reader.take(64 << 20)));
    manifest.is_ok_and(|manifest| manifest.get("diag_snapshot").is_some())
}

#[cfg(unix)]
fn private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

/// Waits until a file that was written before is on disk.
fn sync(path: &Path) -> io::Result<()> {
    #[expect(
        clippy::disallowed_methods,
        reason = "a file of the recording that is being written"
    )]
    let file = fs::File::open(path)?;
    file.sync_all()
}

pub(super) fn private_file(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}
