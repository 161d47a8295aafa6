//! The recording of a case: a folder or an archive, all of it in memory.

use std::{collections::BTreeMap, io::Read, path::Path};

use diag::{
    input::log::{End, LogFacts, LogOrigin},
    snapshot::{At, Line, Manifest, Snapshot, SourceId, SourceKind},
};

/// Files of the recording by name; `None` when the case has none.
pub(crate) fn files(dir: &Path) -> Option<BTreeMap<String, Vec<u8>>> {
    let folder = dir.join("snapshot");
    let archive = dir.join("snapshot.tar.gz");
    let mut files = BTreeMap::new();
    if folder.is_dir() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            files.insert(name, std::fs::read(&path).unwrap());
        }
    } else if archive.is_file() {
        let bytes = std::fs::read(&archive).unwrap();
        let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
        for entry in tar.entries().unwrap() {
            let mut entry = entry.unwrap();
            let name = entry.path().unwrap().display().to_string();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            files.insert(name, content);
        }
    } else {
        return None;
    }
    Some(files)
}

/// The snapshot and the logs in it.
pub(crate) fn open(dir: &Path) -> (Snapshot, Vec<LogFacts>) {
    let Some(files) = files(dir) else {
        let manifest = Manifest::new("test", At::parse("2026-01-15T03:12:00.000Z").unwrap());
        return (Snapshot::new(manifest), Vec::new());
    };
    let manifest: Manifest = serde_json::from_slice(&files["manifest.json"]).unwrap();
    let mut snapshot = Snapshot::new(manifest.clone());
    let mut logs = Vec::new();
    for (id, source) in &manifest.sources {
        let Some(lines) = files.get(&format!("{id}.jsonl")) else {
            continue;
        };
        for line in lines
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
        {
            let line =
                Line::parse(line).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
            snapshot.insert(id.clone(), line);
        }
        let word = source.file_as.as_deref().unwrap_or_default();
        if source.kind == SourceKind::File
            && word.contains("log")
            && let Some(text) = files.get(&format!("{id}.txt"))
        {
            logs.push(log(id, word, source.host.clone(), text));
        }
    }
    (snapshot, logs)
}

fn log(id: &SourceId, word: &str, host: Option<String>, text: &[u8]) -> LogFacts {
    let origin = LogOrigin {
        name: id.to_string(),
        end: if word.starts_with("provider") {
            Some(End::Provider)
        } else if word.starts_with("consumer") {
            Some(End::Consumer)
        } else {
            None
        },
        host,
    };
    LogFacts::read(text, origin).unwrap()
}
