//! Reading by wants gives the answer that reading everything gives.

use diag::{diagnose::diagnose, observe::recorded::Recording, want::wants};

use super::{ask, case::Case};

/// Rounds until nothing new is wanted; more means that something asks in circles.
const ROUNDS: usize = 12;

/// Compares both ways for one case; `None` when the case has no recording or asks something else.
pub(crate) fn by_wants(case: &Case) -> Option<Result<usize, String>> {
    if case.ask.first()? != "no-provider" {
        return None;
    }
    let path = ["snapshot", "snapshot.tar.gz"]
        .iter()
        .map(|name| case.dir.join(name))
        .find(|path| path.exists())?;
    let mut recording = Recording::open(&path).unwrap();
    let mut whole = recording.read_all().unwrap();
    let question = ask::question(&case.ask, &whole).ok()?;
    let mut snapshot = recording.snapshot();
    let mut last = String::new();
    for round in 0..ROUNDS {
        let mut fresh = wants(&question, &snapshot);
        fresh.retain(|want| !snapshot.was_asked(want));
        if fresh.is_empty() {
            let (all, wanted) = (diagnose(&question, &whole), diagnose(&question, &snapshot));
            return Some(if all == wanted {
                Ok(round)
            } else {
                Err(format!(
                    "{:?} when everything is read, {:?} by wants",
                    (all.outcome, all.verdict.map(|verdict| verdict.code)),
                    (wanted.outcome, wanted.verdict.map(|verdict| verdict.code)),
                ))
            });
        }
        last = format!("{:?} and {} more", fresh[0], fresh.len() - 1);
        recording.fill(&mut snapshot, &fresh).unwrap();
        // What is asked and not there is known both ways.
        for want in fresh {
            whole.note_asked(want);
        }
    }
    Some(Err(format!("still asking after {ROUNDS} rounds: {last}")))
}
