//! Where a recording lies: a folder, an archive, or, when small, memory.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::archive;
use super::lines::{Counted, in_file, whole};
use crate::snapshot::{Limits, SnapshotError};

/// Whether the rest of the files is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// The next file, please.
    Next,
    /// That was all.
    Stop,
}

/// The files of a recording.
#[derive(Debug)]
pub(super) enum Store {
    /// A folder and the names of its files.
    Folder(PathBuf, BTreeSet<String>),
    /// An archive.
    Archive(PathBuf),
    /// The files themselves.
    Memory(BTreeMap<String, Vec<u8>>),
}

/// Whether a file of this name belongs to a recording. Others (notes, what editors and systems leave) are not looked at.
pub(super) fn is_part(name: &str) -> bool {
    let extension = Path::new(name).extension();
    !name.starts_with('.')
        && (name == MANIFEST
            || extension == Some(OsStr::new("jsonl"))
            || extension == Some(OsStr::new("txt")))
}

/// The file that makes a folder a recording.
pub(super) const MANIFEST: &str = "manifest.json";

impl Store {
    /// Finds out what lies at the path and returns it with the bytes of its manifest.
    pub(super) fn open(path: &Path, limits: &Limits) -> Result<(Self, Vec<u8>), SnapshotError> {
        let io = |source| SnapshotError::Io {
            path: path.to_owned(),
            source,
        };
        if fs::metadata(path).map_err(io)?.is_dir() {
            return Self::open_folder(path, limits);
        }
        let mut magic = [0_u8; 2];
        #[expect(
            clippy::disallowed_methods,
            reason = "reading a recording is what this room is for"
        )]
        let read = File::open(path)
            .and_then(|mut file| file.read(&mut magic))
            .map_err(io)?;
        if read < 2 || magic != [0x1f, 0x8b] {
            return Err(SnapshotError::NotASnapshot(path.to_owned()));
        }
        Self::open_archive(path, limits)
    }

    fn open_folder(path: &Path, limits: &Limits) -> Result<(Self, Vec<u8>), SnapshotError> {
        let io = |source| SnapshotError::Io {
            path: path.to_owned(),
            source,
        };
        let (mut names, mut bytes, mut empty) = (BTreeSet::new(), 0_u64, true);
        for entry in fs::read_dir(path).map_err(io)? {
            let entry = entry.map_err(io)?;
            empty = false;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !is_part(&name) {
                continue;
            }
            let metadata = entry.metadata().map_err(io)?;
            let refuse = |reason| {
                Err(SnapshotError::BadEntry {
                    entry: name.clone(),
                    reason,
                })
            };
            if metadata.is_symlink() {
                return refuse("a link");
            }
            if !metadata.is_file() {
                return refuse("not a plain file");
            }
            bytes += metadata.len();
            names.insert(name);
        }
        if empty {
            return Err(SnapshotError::Empty(path.to_owned()));
        }
        if !names.contains(MANIFEST) {
            return Err(SnapshotError::NoManifest(path.to_owned()));
        }
        let folder = Self::Folder(path.to_owned(), names);
        let (mut files, mut manifest) = (BTreeMap::new(), Vec::new());
        let small = bytes <= limits.kept_bytes;
        folder.visit(limits, &mut |name, reader| {
            if name == MANIFEST {
                manifest = whole(name, reader, limits.line_bytes)?;
            } else {
                files.insert(name.to_owned(), whole(name, reader, limits.kept_bytes)?);
            }
            Ok(if small { Flow::Next } else { Flow::Stop })
        })?;
        Ok((if small { Self::Memory(files) } else { folder }, manifest))
    }

    fn open_archive(path: &Path, limits: &Limits) -> Result<(Self, Vec<u8>), SnapshotError> {
        let archive = Self::Archive(path.to_owned());
        let (mut files, mut manifest) = (BTreeMap::new(), None);
        let mut left = Some(limits.kept_bytes);
        archive.visit(limits, &mut |name, reader| {
            if name == MANIFEST {
                manifest = Some(whole(name, reader, limits.line_bytes)?);
            } else if let Some(room) = left {
                let mut content = Vec::new();
                reader
                    .take(room + 1)
                    .read_to_end(&mut content)
                    .map_err(|source| in_file(name, source))?;
                left = room.checked_sub(content.len() as u64);
                if left.is_some() {
                    files.insert(name.to_owned(), content);
                } else {
                    files.clear();
                }
            }
            let done = left.is_none() && manifest.is_some();
            Ok(if done { Flow::Stop } else { Flow::Next })
        })?;
        let manifest = manifest.ok_or_else(|| SnapshotError::NoManifest(path.to_owned()))?;
        Ok((
            if left.is_some() {
                Self::Memory(files)
            } else {
                archive
            },
            manifest,
        ))
    }

    /// Hands every file to a function, the manifest first where the order is ours.
    ///
    /// Returns the names of all files, or `None` when the function stopped before the end.
    pub(super) fn visit(
        &self,
        limits: &Limits,
        f: &mut dyn FnMut(&str, &mut dyn BufRead) -> Result<Flow, SnapshotError>,
    ) -> Result<Option<BTreeSet<String>>, SnapshotError> {
        match self {
            Self::Archive(path) => archive::visit(path, limits, f),
            Self::Memory(files) => {
                for (name, content) in files {
                    if f(name, &mut content.as_slice())? == Flow::Stop {
                        return Ok(None);
                    }
                }
                Ok(Some(files.keys().cloned().collect()))
            }
            Self::Folder(path, names) => {
                let mut used = 0;
                let manifest_first = names.iter().filter(|name| *name == MANIFEST);
                for name in manifest_first.chain(names.iter().filter(|name| *name != MANIFEST)) {
                    let file = path.join(name);
                    #[expect(
                        clippy::disallowed_methods,
                        reason = "reading a recording is what this room is for"
                    )]
                    let opened = File::open(&file)
                        .map_err(|source| SnapshotError::Io { path: file, source })?;
                    let mut reader = BufReader::with_capacity(
                        1 << 16,
                        Counted::new(opened, used, limits.unpacked_bytes),
                    );
                    let flow = f(name, &mut reader)?;
                    used = reader.get_ref().used();
                    if flow == Flow::Stop {
                        return Ok(None);
                    }
                }
                Ok(Some(names.clone()))
            }
        }
    }
}
