//! The mapping that a consumer kept (`.mapping.<application>.dubbo.cache`, `MappingCacheManager`).
//!
//! From 3.0.15 on a reference asks for the applications of its own cache first and refreshes them behind; an empty answer
//! takes nothing away (`AbstractServiceNameMapping.getAndListen`).

use super::known::{Application, Mapping, MappingForm};
use crate::{
    report::words::{Phrase, Say},
    snapshot::{Key, Snapshot, SourceKind},
    view::evidence::evidence,
};

/// Adds what the consumer's own cache files say of the interface.
pub(crate) fn mapping(interface: &str, snapshot: &Snapshot, found: &mut Application) {
    for (id, source) in &snapshot.manifest().sources {
        let word = source.file_as.as_deref().unwrap_or_default();
        let is_consumers = word.starts_with("consumer") && word.contains("cache");
        if source.kind != SourceKind::File || !is_consumers {
            continue;
        }
        let key = Key::FileEntry {
            file: id.to_string(),
            key: interface.to_owned(),
        };
        for line in snapshot.latest(id, &key) {
            let text = line.body_text().unwrap_or_default();
            // Under an interface without group and version other caches have URLs.
            let Ok(mut applications) = serde_json::from_str::<Vec<String>>(&text) else {
                continue;
            };
            applications.retain(|name| !name.trim().is_empty());
            if applications.is_empty() {
                continue;
            }
            found.mapped.extend(applications.iter().cloned());
            let fact = Phrase::new(Say::MappingNames).with("names", applications.join(","));
            found.mappings.push(Mapping {
                written_ms: None,
                form: MappingForm::Cache,
                place: source.name.clone().unwrap_or_else(|| id.to_string()),
                applications,
                evidence: Some(evidence(snapshot, id, line, fact)),
            });
        }
    }
    found.mapped.sort();
    found.mapped.dedup();
}
