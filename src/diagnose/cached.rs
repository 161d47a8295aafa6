//! What a consumer kept: its cache files, and whether it lives on them (DG1007).
//!
//! A cache tells what the process had last heard when it wrote it, not what it uses now: it is evidence beside the
//! registry, never an answer in its place.

use serde_json::{Map, json};

use super::{Certainty, code::Code, decide::Computed};
use crate::{
    model::{
        url::Url,
        version::{DubboVersion, Line},
    },
    question::Question,
    report::words::{Phrase, Say},
    snapshot::{Key, Snapshot, SourceId, SourceKind, Want},
    view::{
        evidence::evidence,
        missing::Missing,
        stage::{Evidence, Raised, StageId, State},
    },
};

/// The key under which the switch of nacos-client's failover is recorded.
const FAILOVER: &str = "failover-switch";

/// Notes the keys of caches that are looked at.
pub(super) fn want(question: &Question, snapshot: &Snapshot, missing: &Missing) {
    for id in caches(snapshot) {
        let service = &question.service;
        let keys = [
            service.to_string(),
            service.interface.clone(),
            FAILOVER.to_owned(),
        ];
        for key in keys {
            let key = entry(&id, &key);
            // What was attached to this run is there already.
            if snapshot.latest(&id, &key).is_empty() {
                missing.note(snapshot, Want::any(&id, key));
            }
        }
    }
}

/// DG1007: the consumer lives on what it kept.
pub(super) fn remarks(computed: &Computed<'_>) -> Vec<(Raised, Certainty, bool)> {
    let mut found = Vec::new();
    let said = computed.said.on_cache();
    let kept: Vec<(String, Evidence)> = kept(computed.question, computed.snapshot);
    let addresses: Vec<&String> = kept.iter().map(|(address, _)| address).collect();
    let raised = |file: &str, evidence: Vec<Evidence>| Raised {
        code: Code::ConsumerOnCache,
        params: match json!({"file": file, "kept": addresses, "count": addresses.len()}) {
            serde_json::Value::Object(map) => map,
            _ => Map::new(),
        },
        subject: ("consumer".to_owned(), file.to_owned()),
        evidence,
    };
    let proofs = || kept.iter().take(3).map(|(_, proof)| proof.clone());
    let unreached = computed.states[0].parts.iter().any(|(.., judged)| {
        judged
            .view
            .stage(&StageId::Reach)
            .is_some_and(|stage| stage.state == State::Failed)
    });
    if !said.is_empty() {
        let evidence = said.into_iter().take(3).chain(proofs()).collect();
        found.push((raised("cache file", evidence), Certainty::Likely, false));
    } else if unreached && !kept.is_empty() {
        found.push((
            raised("cache file", proofs().collect()),
            Certainty::Possible,
            false,
        ));
    }
    for id in caches(computed.snapshot) {
        for line in computed.snapshot.latest(&id, &entry(&id, FAILOVER)) {
            if line.body_text().is_some_and(|text| text.trim() == "1") {
                let proof = evidence(computed.snapshot, &id, line, Say::FailoverOn);
                found.push((raised("failover", vec![proof]), Certainty::Likely, false));
            }
        }
    }
    found
}

/// Caches of the consumer in which the service has no provider: the last that it was told. With the time at which the
/// file was written (ms since 1970), where it says one.
pub(super) fn told_empty(question: &Question, snapshot: &Snapshot) -> Vec<(Option<i64>, Evidence)> {
    let mut found = Vec::new();
    for id in caches(snapshot) {
        let is_consumers = snapshot
            .manifest()
            .sources
            .get(&id)
            .and_then(|source| source.file_as.as_deref())
            .is_some_and(|word| word.starts_with("consumer"));
        for line in snapshot.latest(&id, &entry(&id, &question.service.to_string())) {
            let Some(text) = line.body_text().filter(|_| is_consumers) else {
                continue;
            };
            let empty = text.split_whitespace().any(|word| {
                word.starts_with("empty://")
                    && (word.contains("category=providers") || !word.contains("category="))
            });
            let has_provider = kept(question, snapshot)
                .iter()
                .any(|(_, proof)| proof.source == id);
            if empty && !has_provider {
                let written = line
                    .field("written")
                    .and_then(serde_json::Value::as_str)
                    .and_then(java_date);
                found.push((written, evidence(snapshot, &id, line, Say::CacheEmpty)));
            }
        }
    }
    found
}

/// Addresses of providers in registry caches that are said to be the consumer's.
pub(super) fn of_consumer(question: &Question, snapshot: &Snapshot) -> Vec<Evidence> {
    let sources = &snapshot.manifest().sources;
    let is_consumers = |id: &SourceId| {
        let word = sources.get(id).and_then(|source| source.file_as.as_deref());
        word.is_some_and(|word| word.starts_with("consumer"))
    };
    kept(question, snapshot)
        .into_iter()
        .filter(|(_, proof)| is_consumers(&proof.source))
        .map(|(_, proof)| proof)
        .collect()
}

/// `Sun Nov 29 21:15:10 UTC 2026` (`Date.toString`), where the zone is UTC: names of others are not unique.
fn java_date(text: &str) -> Option<i64> {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let [_, month, day, time, "UTC" | "GMT", year] = parts.as_slice() else {
        return None;
    };
    let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let month = months.iter().position(|name| name == month)? + 1;
    let text = format!("{year}-{month:02}-{day:0>2}T{time}Z");
    let moment: jiff::Timestamp = text.parse().ok()?;
    Some(moment.as_millisecond())
}

/// Provider addresses of the service that caches of a consumer have.
fn kept(question: &Question, snapshot: &Snapshot) -> Vec<(String, Evidence)> {
    let newest = DubboVersion::newest(Line::V3_3);
    let mut found = Vec::new();
    for id in caches(snapshot) {
        for line in snapshot.latest(&id, &entry(&id, &question.service.to_string())) {
            let Some(text) = line.body_text() else {
                continue;
            };
            for word in text.split_whitespace() {
                let Ok(url) = Url::parse(word, &newest) else {
                    continue;
                };
                let is_provider = !matches!(
                    url.protocol.as_deref(),
                    Some("empty" | "override" | "route" | "condition" | "script" | "consumer")
                ) && url.text("category").is_none_or(|one| one == "providers");
                if let Some(address) = url.address().filter(|_| is_provider) {
                    let fact = Phrase::new(Say::CacheHas).with("address", &address);
                    found.push((address.clone(), evidence(snapshot, &id, line, fact)));
                }
            }
        }
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found.dedup_by(|(a, _), (b, _)| a == b);
    found
}

/// Files that are caches of the consumer, or of nobody that was named.
fn caches(snapshot: &Snapshot) -> Vec<SourceId> {
    let sources = &snapshot.manifest().sources;
    sources
        .iter()
        .filter(|(_, source)| {
            let word = source.file_as.as_deref().unwrap_or_default();
            source.kind == SourceKind::File
                && word.contains("cache")
                && !word.starts_with("provider")
        })
        .map(|(id, _)| id.clone())
        .collect()
}

fn entry(file: &SourceId, key: &str) -> Key {
    Key::FileEntry {
        file: file.to_string(),
        key: key.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_java() {
        assert_eq!(
            java_date("Sun Nov 29 21:15:10 UTC 2026"),
            Some(1_795_986_910_000)
        );
        for other in ["Sun Nov 29 21:15:10 CST 2026", "yesterday", ""] {
            assert_eq!(java_date(other), None, "{other}");
        }
    }
}
