//! `--probe`: round trips to the providers that the registry has, from this machine.

use tokio::task::JoinSet;

use crate::{
    command::live,
    observe::probe::round_trip::{MOST, round_trips as tried},
    question::Question,
    settings::Settings,
    snapshot::{At, Key, Snapshot, Source, SourceId, SourceKind},
    want::wants_budget,
};

/// Addresses at a time: more would measure this machine.
const AT_ONCE: usize = 4;

/// Tries the providers of the questions, a bounded number of them, and puts what was measured into the snapshot. Gives
/// what is to be said of it.
///
/// # Errors
/// The runtime cannot be started.
pub(super) fn round_trips(
    snapshot: &mut Snapshot,
    questions: &[Question],
    settings: &Settings,
) -> anyhow::Result<Vec<String>> {
    let source = snapshot
        .manifest_mut()
        .add_source("p", Source::new(SourceKind::Probe));
    let mut addresses: Vec<String> = questions
        .iter()
        .flat_map(|question| providers(question, snapshot, &source))
        .collect();
    addresses.sort();
    addresses.dedup();
    let found = addresses.len();
    addresses.truncate(MOST);
    let deadline = live::terms(settings, Some(live::DEADLINE), snapshot.masker().clone()).deadline;
    let runtime = live::runtime()?;
    let lines = runtime.block_on(async {
        let mut lines = Vec::new();
        let mut left = addresses.into_iter();
        let mut running = JoinSet::new();
        loop {
            while running.len() < AT_ONCE
                && let Some(address) = left.next()
            {
                running.spawn(async move { tried(&address, &deadline).await });
            }
            match running.join_next().await {
                Some(done) => lines.extend(done.ok().flatten()),
                None => return lines,
            }
        }
    });
    let now = At::from_time(jiff::Timestamp::now());
    let answered = lines.len();
    for line in lines {
        snapshot.insert(source.clone(), line.said_at(now.clone()));
    }
    let mut notes = Vec::new();
    if found > MOST {
        notes.push(format!("--probe: {MOST} of {found} providers were tried"));
    }
    let silent = found.min(MOST) - answered;
    if silent > 0 {
        notes.push(format!(
            "--probe: {silent} of {} providers refuse connections or have no known address",
            found.min(MOST)
        ));
    }
    Ok(notes)
}

/// The addresses of the providers: those whose round trips would be looked for.
fn providers(question: &Question, snapshot: &Snapshot, source: &SourceId) -> Vec<String> {
    wants_budget(question, snapshot)
        .into_iter()
        .filter(|want| want.source == *source)
        .filter_map(|want| match want.key {
            Key::Probe { address, .. } => Some(address),
            _ => None,
        })
        .collect()
}
