//! What a consumer kept: its cache files, and whether it lives on them (DG1007).
//!
//! A cache tells what the process had last heard when it wrote it, not what it uses now: it is evidence beside the
//! registry, never an answer in its place.

use serde_json::{Map, json};

use super::{Certainty, Outcome, code::Code, decide::Computed, outcome::Judged};
use crate::{
    model::{
        url::Url,
        version::{DubboVersion, Line},
    },
    question::{Question, RegistryKind},
    report::words::{Phrase, Say},
    snapshot::{Key, Snapshot, SourceId, SourceKind, Want},
    view::{
        evidence::evidence,
        interface::Case,
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
        for key in keys.into_iter().chain(nacos_names(question)) {
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
    for proof in failover(computed.snapshot) {
        let hosts = in_failover(computed.question, computed.snapshot);
        let mut on = raised("failover", vec![proof]);
        if !hosts.is_empty() {
            on.params.insert("count".to_owned(), hosts.len().into());
            on.params.insert("kept".to_owned(), json!(hosts));
        }
        found.push((on, Certainty::Likely, false));
    }
    found
}

/// What shows that the failover switch of nacos-client is on.
pub(super) fn failover(snapshot: &Snapshot) -> Vec<Evidence> {
    let on = |id: &SourceId| {
        let lines = snapshot.latest(id, &entry(id, FAILOVER));
        let line = lines
            .into_iter()
            .find(|line| line.body_text().is_some_and(|text| text.trim() == "1"))?;
        Some(evidence(snapshot, id, line, Say::FailoverOn))
    };
    caches(snapshot).iter().filter_map(on).collect()
}

/// Hosts that attached files of nacos-client have for the service.
fn in_failover(question: &Question, snapshot: &Snapshot) -> Vec<String> {
    let mut found = Vec::new();
    for id in caches(snapshot) {
        let names = nacos_names(question);
        let lines = names
            .iter()
            .flat_map(|name| snapshot.latest(&id, &entry(&id, name)));
        for text in lines.filter_map(crate::snapshot::Line::body_text) {
            let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
            let hosts = value.get("hosts").and_then(serde_json::Value::as_array);
            found.extend(hosts.into_iter().flatten().filter_map(|host| {
                let (ip, port) = (host.get("ip")?.as_str()?, host.get("port")?.as_u64()?);
                Some(format!("{ip}:{port}"))
            }));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Names of the service in files of nacos-client: with and without the group, in the form of four parts and the old one.
fn nacos_names(question: &Question) -> Vec<String> {
    let service = &question.service;
    let part = |text: &Option<String>| text.clone().unwrap_or_default();
    let (version, group) = (part(&service.version), part(&service.group));
    let whole = format!("providers:{}:{version}:{group}", service.interface);
    let mut names = vec![whole.clone(), whole.trim_end_matches(':').to_owned()];
    names.dedup();
    let grouped: Vec<String> = names
        .iter()
        .map(|name| format!("DEFAULT_GROUP@@{name}"))
        .collect();
    names.extend(grouped);
    names
}

/// With the failover switch on, what the registry holds is not what the consumer takes: it reads its own files.
pub(super) fn overrule(case: &Case<'_>, snapshot: &Snapshot, judged: &mut Judged) {
    let of_nacos = case
        .registry
        .is_some_and(|registry| registry.kind == RegistryKind::Nacos);
    let by_registry = judged
        .stage
        .as_ref()
        .is_some_and(|stage| *stage > StageId::Place && *stage < StageId::Configurators);
    if of_nacos && by_registry && judged.outcome == Outcome::None && !failover(snapshot).is_empty()
    {
        super::own::doubt(judged, Say::FailoverOn);
    }
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
