//! Facts from a recording: opening it, its logs, and filling a snapshot until nothing new is wanted.

use std::path::Path;

use super::live;
use crate::{
    cli::SightFlags,
    error::UsageError,
    input::log::{End, LogFacts, LogOrigin, LogReader},
    model::secret::Secret,
    observe::recorded::Recording,
    question::{Question, RegistryAddress},
    settings::Settings,
    snapshot::{Key, Line, Masker, Snapshot, SnapshotError, Source, SourceId, SourceKind},
};

/// A recording was made somewhere and some time: what is asked now does not belong to it.
///
/// # Errors
/// Both are given.
pub(super) fn refuse_live(sight: &SightFlags) -> Result<(), UsageError> {
    if sight.snapshot.is_none() {
        return Ok(());
    }
    if !sight.qos.is_empty() {
        return Err(
            UsageError::new("--qos asks a live port, --snapshot reads a recording")
                .hint("give one of them: diag snapshot --qos HOST:PORT records a port"),
        );
    }
    if sight.probe {
        return Err(UsageError::new(
            "--probe connects to the providers that a registry has now, --snapshot is of another time",
        )
        .hint("give --registry; diag snapshot --probe records what connections tell"));
    }
    Ok(())
}

/// Opens a recording that hides the secrets of this run.
pub(super) fn open(path: &Path, settings: &Settings) -> Result<Recording, SnapshotError> {
    let addresses = settings
        .registries
        .iter()
        .chain(&settings.also_search)
        .chain(&settings.config_center)
        .chain(&settings.metadata_report);
    let secrets: Vec<Secret> = addresses.flat_map(RegistryAddress::secrets).collect();
    Ok(Recording::open(path)?.with_masker(Masker::new(&secrets)))
}

/// Adds what the questions want until nothing new is wanted. Says whether Ctrl-C ended it: the snapshot is then as it
/// was before, for a part of the answers could mislead.
///
/// # Errors
/// The recording is broken, or the runtime that waits for Ctrl-C cannot be started.
pub(super) fn fill(
    recording: Recording,
    snapshot: &mut Snapshot,
    questions: &[Question],
    wants: live::Wants,
) -> anyhow::Result<bool> {
    let mut recording = recording.until(live::stop_at_interrupt()?);
    let before = snapshot.clone();
    loop {
        let mut fresh = live::all_wants(questions, snapshot, wants);
        fresh.retain(|want| !snapshot.was_asked(want));
        tracing::debug!(wanted = fresh.len(), "reading the recording");
        // The first look finds what is wrong with the recording, even when nothing is wanted of it.
        match recording.fill(snapshot, &fresh) {
            Err(SnapshotError::Stopped) => {
                *snapshot = before;
                return Ok(true);
            }
            read => read?,
        }
        if fresh.is_empty() {
            return Ok(false);
        }
    }
}

/// What the attached logs of a recording say.
pub(super) fn logs(
    recording: &mut Recording,
    snapshot: &mut Snapshot,
) -> Result<Vec<LogFacts>, SnapshotError> {
    let files: Vec<(SourceId, LogOrigin)> = recording
        .manifest()
        .sources
        .iter()
        .filter(|(_, source)| source.kind == SourceKind::File && is_log(source))
        .map(|(id, source)| (id.clone(), origin(id, source)))
        .collect();
    let mut all = Vec::new();
    for (id, origin) in files {
        let mut reader = LogReader::new(origin);
        recording.fill_text(snapshot, &id)?;
        if let Some(text) = snapshot.text(&id) {
            reader.push(text.as_bytes());
        } else {
            for line in lines(recording, &id)? {
                let number = line.line_number().unwrap_or_default();
                let offset = line
                    .field("offset")
                    .and_then(serde_json::Value::as_u64)
                    .unwrap_or_default();
                if let Some(text) = line.body_text() {
                    reader.push_line(number, offset, &text);
                }
            }
        }
        all.push(reader.finish());
    }
    Ok(all)
}

/// Loads the texts of attached settings files and pages of metrics.
pub(super) fn configs(
    recording: &mut Recording,
    snapshot: &mut Snapshot,
) -> Result<(), SnapshotError> {
    let files: Vec<SourceId> = recording
        .manifest()
        .sources
        .iter()
        .filter(|(_, source)| {
            let word = source.file_as.as_deref().unwrap_or_default();
            source.kind == SourceKind::File
                && (word.ends_with("config") || word.ends_with("metrics"))
        })
        .map(|(id, _)| id.clone())
        .collect();
    for id in files {
        recording.fill_text(snapshot, &id)?;
    }
    Ok(())
}

/// The recorded lines of a file, in its order.
fn lines(recording: &mut Recording, id: &SourceId) -> Result<Vec<Line>, SnapshotError> {
    let mut lines = Vec::new();
    let wanted = |source: &SourceId, key: &Key| source == id && key.op() == "file.lines";
    recording.for_each_line(wanted, |_, line| lines.push(line))?;
    lines.sort_by_key(Line::line_number);
    Ok(lines)
}

fn is_log(source: &Source) -> bool {
    source
        .file_as
        .as_deref()
        .is_some_and(|word| word.ends_with("log"))
}

fn origin(id: &SourceId, source: &Source) -> LogOrigin {
    let word = source.file_as.as_deref().unwrap_or_default();
    LogOrigin {
        name: id.to_string(),
        end: if word.starts_with("consumer") {
            Some(End::Consumer)
        } else if word.starts_with("provider") {
            Some(End::Provider)
        } else {
            None
        },
        host: source.host.clone(),
    }
}
