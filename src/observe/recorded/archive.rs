//! A recording as `.tar.gz`, read as a stream. Nothing is ever unpacked to disk.
//!
//! Archives come from colleagues and bug reports: an entry that is not a plain file in one folder is refused.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use tar::{Archive, EntryType, PaxExtensions};

use super::lines::{Counted, in_file, of_archive};
use super::store::{Flow, is_part};
use crate::snapshot::{Limits, SnapshotError};

/// The longest extended header that is read: names and attributes of one entry.
const HEADER_BYTES: u64 = 1 << 20;

/// Hands every file of the recording to a function, in the order of the archive.
///
/// Returns the names of the files, or `None` when the function stopped before the end.
pub(super) fn visit(
    path: &Path,
    limits: &Limits,
    f: &mut dyn FnMut(&str, &mut dyn BufRead) -> Result<Flow, SnapshotError>,
) -> Result<Option<BTreeSet<String>>, SnapshotError> {
    #[expect(
        clippy::disallowed_methods,
        reason = "reading a recording is what this room is for"
    )]
    let file = File::open(path).map_err(|source| SnapshotError::Io {
        path: path.to_owned(),
        source,
    })?;
    let unpacked = Counted::new(
        MultiGzDecoder::new(BufReader::with_capacity(1 << 16, file)),
        0,
        limits.unpacked_bytes,
    );
    visit_entries(unpacked, f).map_err(|error| of_archive(path, error))
}

fn visit_entries(
    unpacked: impl Read,
    f: &mut dyn FnMut(&str, &mut dyn BufRead) -> Result<Flow, SnapshotError>,
) -> Result<Option<BTreeSet<String>>, SnapshotError> {
    let broken = |source: io::Error| in_file("archive", source);
    let mut archive = Archive::new(unpacked);
    let mut names = BTreeSet::new();
    let mut folder: Option<String> = None;
    let mut long_name: Option<Vec<u8>> = None;
    // Raw entries, since the crate would read extended headers of any length into memory.
    for entry in archive.entries().map_err(broken)?.raw(true) {
        let mut entry = entry.map_err(broken)?;
        let kind = entry.header().entry_type();
        match kind {
            EntryType::XHeader => {
                long_name = pax_path(&extended(&mut entry)?)?.or(long_name);
                continue;
            }
            EntryType::GNULongName => {
                let mut name = extended(&mut entry)?;
                name.truncate(
                    name.iter()
                        .position(|byte| *byte == 0)
                        .unwrap_or(name.len()),
                );
                long_name = Some(name);
                continue;
            }
            EntryType::XGlobalHeader => continue,
            _ => {}
        }
        let raw = long_name
            .take()
            .unwrap_or_else(|| entry.path_bytes().into_owned());
        let whole = String::from_utf8_lossy(&raw).into_owned();
        let refuse = |reason| {
            Err(SnapshotError::BadEntry {
                entry: whole.clone(),
                reason,
            })
        };
        match kind {
            EntryType::Regular | EntryType::Continuous | EntryType::Directory => {}
            EntryType::Symlink | EntryType::Link | EntryType::GNULongLink => {
                return refuse("a link");
            }
            EntryType::Char | EntryType::Block => return refuse("a device"),
            EntryType::Fifo => return refuse("a pipe"),
            _ => return refuse("not a plain file"),
        }
        if raw.contains(&0) || whole.contains('\u{fffd}') {
            return refuse("its name is no text");
        }
        if whole.starts_with('/') || whole.contains('\\') || whole.get(1..3) == Some(":/") {
            return refuse("an absolute path");
        }
        let parts: Vec<&str> = whole
            .split('/')
            .filter(|part| !matches!(*part, "" | "."))
            .collect();
        if parts.contains(&"..") {
            return refuse("a path with ..");
        }
        let Some((name, above)) = parts.split_last() else {
            continue;
        };
        if kind == EntryType::Directory || !is_part(name) {
            continue;
        }
        let above = above.join("/");
        if *folder.get_or_insert_with(|| above.clone()) != above {
            return refuse("in another folder than the entries before it");
        }
        if !names.insert((*name).to_owned()) {
            return refuse("twice in the archive");
        }
        let mut reader = BufReader::with_capacity(1 << 16, &mut entry);
        if f(name, &mut reader)? == Flow::Stop {
            return Ok(None);
        }
    }
    // To the end, so that a cut or damaged archive is noticed.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(broken)?;
    Ok(Some(names))
}

fn extended(entry: &mut impl Read) -> Result<Vec<u8>, SnapshotError> {
    let mut bytes = Vec::new();
    entry
        .take(HEADER_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| in_file("archive", source))?;
    if bytes.len() as u64 > HEADER_BYTES {
        return Err(SnapshotError::BadEntry {
            entry: "extended header".to_owned(),
            reason: "too long",
        });
    }
    Ok(bytes)
}

/// The name that a PAX header gives to the next entry.
fn pax_path(header: &[u8]) -> Result<Option<Vec<u8>>, SnapshotError> {
    let mut path = None;
    for extension in PaxExtensions::new(header) {
        let extension = extension.map_err(|source| in_file("archive", source))?;
        match extension.key_bytes() {
            b"path" => path = Some(extension.value_bytes().to_vec()),
            b"linkpath" => return Err(refused(extension.value_bytes(), "a link")),
            b"size" => return Err(refused(header, "its length is not in its header")),
            key if key.starts_with(b"GNU.sparse.") => return Err(refused(key, "a sparse file")),
            _ => {}
        }
    }
    Ok(path)
}

fn refused(entry: &[u8], reason: &'static str) -> SnapshotError {
    SnapshotError::BadEntry {
        entry: String::from_utf8_lossy(entry).into_owned(),
        reason,
    }
}
