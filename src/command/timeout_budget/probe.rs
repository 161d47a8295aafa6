//! What is to be said of the round trips that `--probe` tried.

use std::collections::BTreeSet;

use crate::{
    observe::probe::{MOST, round_trip::KIND},
    question::Question,
    snapshot::{Key, Snapshot, SourceKind},
    want::wants_budget,
};

/// How many providers were not tried, and how many gave no connection.
pub(super) fn notes(snapshot: &Snapshot, questions: &[Question]) -> Vec<String> {
    let sources = || {
        let sources = snapshot.manifest().sources.iter();
        sources.filter(|(_, source)| source.kind == SourceKind::Probe)
    };
    let is_own = |key: &Key| matches!(key, Key::Probe { kind, .. } if kind == KIND);
    let mut tried = BTreeSet::new();
    let mut refused = 0;
    for (id, _) in sources() {
        for key in snapshot.keys(id).filter(|key| is_own(key)) {
            tried.insert(key.clone());
            let lines = snapshot.latest(id, key);
            refused += usize::from(lines.iter().all(|line| line.err_kind().is_some()));
        }
    }
    // Never asked for, as their number is bounded.
    let open: BTreeSet<Key> = snapshot
        .without_answer()
        .cloned()
        .chain(
            questions
                .iter()
                .flat_map(|question| wants_budget(question, snapshot)),
        )
        .filter(|want| sources().any(|(id, _)| *id == want.source) && is_own(&want.key))
        .map(|want| want.key)
        .collect();
    let (tried, found) = (tried.len(), tried.union(&open).count());
    let mut notes = Vec::new();
    if found > tried {
        notes.push(format!(
            "--probe: {tried} of {found} providers were tried (at most {MOST})"
        ));
    }
    if refused > 0 {
        notes.push(format!(
            "--probe: {refused} of {tried} providers refuse connections or have no known address"
        ));
    }
    notes
}
