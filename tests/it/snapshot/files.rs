//! Recordings made for a test, on disk.

use std::io::Write;
use std::path::{Path, PathBuf};

use diag::observe::recorded::Recording;
use diag::snapshot::{Limits, SnapshotError};
use flate2::{Compression, write::GzEncoder};
use tar::{EntryType, Header};
use tempfile::TempDir;

/// A manifest with one registry.
pub(super) const MANIFEST: &str = r#"{"diag_snapshot":1,"recorded_at":"2026-11-29T20:42:37.774Z","sources":{"r1":{"kind":"zookeeper"}}}"#;

/// A line of that registry.
pub(super) const LINE: &str = "{\"op\":\"zk.node\",\"path\":\"/a\",\"text\":\"b\"}\n";

/// Writes a file.
#[expect(clippy::disallowed_methods, reason = "a test makes its files")]
pub(super) fn put(path: &Path, content: impl AsRef<[u8]>) {
    std::fs::write(path, content).expect("a writable folder");
}

/// Reads a file.
#[expect(clippy::disallowed_methods, reason = "a test reads its files")]
pub(super) fn get(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("a file")
}

/// A folder with these files.
pub(super) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        put(&folder.path().join(name), content);
    }
    folder
}

/// An archive that is being made.
pub(super) struct Packed(tar::Builder<GzEncoder<Vec<u8>>>);

impl Packed {
    pub(super) fn new() -> Self {
        Self(tar::Builder::new(GzEncoder::new(
            Vec::new(),
            Compression::fast(),
        )))
    }

    /// An archive with these files.
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        files.iter().fold(Self::new(), |packed, (name, content)| {
            packed.file(name, content.as_bytes())
        })
    }

    /// Adds a plain file, whatever its name is.
    pub(super) fn file(self, name: &str, content: &[u8]) -> Self {
        self.entry(name, EntryType::Regular, content)
    }

    /// Adds an entry of any kind.
    pub(super) fn entry(mut self, name: &str, kind: EntryType, content: &[u8]) -> Self {
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        if matches!(kind, EntryType::Symlink | EntryType::Link) {
            header.set_link_name("/etc/passwd").expect("a name");
        }
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        self.0.append(&header, content).expect("memory");
        self
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        self.0
            .into_inner()
            .expect("memory")
            .finish()
            .expect("memory")
    }

    /// Writes the archive into a fresh folder.
    pub(super) fn save(self) -> (TempDir, PathBuf) {
        save(&self.bytes())
    }
}

/// Writes bytes as an archive into a fresh folder.
pub(super) fn save(bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.tar.gz");
    put(&path, bytes);
    (folder, path)
}

/// Packs bytes.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).expect("memory");
    packed.finish().expect("memory")
}

/// Opens a recording and looks at all of it, kept in memory and as a stream, which must agree.
pub(super) fn read(path: &Path, limits: Limits) -> Result<usize, SnapshotError> {
    let count = |limits| {
        let mut count = 0;
        Recording::open_within(path, limits)?.for_each_line(|_, _| true, |_, _| count += 1)?;
        Ok(count)
    };
    let kept: Result<usize, SnapshotError> = count(limits);
    let streamed: Result<usize, SnapshotError> = count(Limits {
        kept_bytes: 0,
        ..limits
    });
    let shown = |result: &Result<usize, SnapshotError>| match result {
        Ok(count) => count.to_string(),
        Err(error) => error.to_string(),
    };
    assert_eq!(shown(&kept), shown(&streamed));
    kept
}

/// What is wrong with a recording.
pub(super) fn fault(path: &Path, limits: Limits) -> String {
    let error = read(path, limits).expect_err("a fault");
    error.to_string().replace(&path.display().to_string(), "IT")
}
