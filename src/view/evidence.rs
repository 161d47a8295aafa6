//! From a line of the snapshot to a piece of evidence.

use serde_json::{Map, Value};

use super::stage::Evidence;
use crate::{
    report::words::Phrase,
    snapshot::{Line, Snapshot, SourceId},
};

/// What a line says, as evidence: its source, operation, key fields and time come from the line itself.
pub fn evidence(
    snapshot: &Snapshot,
    source: &SourceId,
    line: &Line,
    fact: impl Into<Phrase>,
) -> Evidence {
    let mut address = Map::new();
    for (name, value) in line.key.fields() {
        address.insert(name.to_owned(), Value::from(value));
    }
    if let Some(via) = &line.via {
        address.insert("via".to_owned(), Value::from(via.as_str()));
    }
    Evidence {
        source: source.clone(),
        op: line.key.op().to_owned(),
        address,
        position: None,
        seen_at: Some(snapshot.at(line).as_str().to_owned()),
        fact: fact.into(),
    }
}

/// Evidence that is an absence without a line of its own: the scope of the recording says that everything was read.
pub fn scope_evidence(
    snapshot: &Snapshot,
    source: &SourceId,
    op: &str,
    address: &[(&str, &str)],
    fact: impl Into<Phrase>,
) -> Evidence {
    Evidence {
        source: source.clone(),
        op: op.to_owned(),
        address: address
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
            .collect(),
        position: None,
        seen_at: Some(snapshot.manifest().recorded_at.as_str().to_owned()),
        fact: fact.into(),
    }
}
