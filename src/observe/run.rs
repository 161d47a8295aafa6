//! The loop between the pure side and the systems: what is missing is asked for until nothing new is missing.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::Poll,
};

use tokio::{select, sync::mpsc::UnboundedReceiver};

use super::{Answers, Observer, Terms};
use crate::snapshot::{At, Ended, ErrKind, Key, Line, Payload, Snapshot, SourceId, Want};

/// A question is answered in a handful of rounds; more means that something asks in circles.
const MOST_ROUNDS: usize = 24;

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Number of the round, from 1.
    pub round: usize,
    /// How much was asked for until now.
    pub wanted: usize,
    /// How many answers there are.
    pub answers: usize,
}

/// Fetches what `wants` says is missing, round by round, until it has nothing new to ask, the deadline passes or
/// `stop` is ready.
///
/// Whatever was answered is in the snapshot, with the sources' versions and the manner of the end in its manifest.
/// Sessions are closed before it returns, also when it was stopped.
pub async fn run(
    snapshot: &mut Snapshot,
    observers: &mut [Observer],
    terms: &Terms,
    stop: impl Future<Output = ()>,
    mut wants: impl FnMut(&Snapshot) -> Vec<Want>,
    mut progress: impl FnMut(Progress),
) -> Ended {
    let mut stop = pin!(stop);
    let mut seen = Progress {
        round: 0,
        wanted: 0,
        answers: 0,
    };
    let mut ended = Ended::Complete;
    while seen.round < MOST_ROUNDS {
        let mut fresh = wants(snapshot);
        fresh.sort();
        fresh.dedup();
        fresh.retain(|want| !snapshot.was_asked(want));
        if fresh.is_empty() {
            break;
        }
        for want in &fresh {
            snapshot.note_asked(want.clone());
        }
        seen.round += 1;
        seen.wanted += fresh.len();
        progress(seen);
        if let Some(early) = round(
            snapshot,
            observers,
            terms,
            stop.as_mut(),
            &fresh,
            &mut seen,
            &mut progress,
        )
        .await
        {
            ended = early;
            if ended == Ended::Deadline {
                let registries: Vec<SourceId> = observers
                    .iter()
                    .filter(|one| matches!(one, Observer::Nacos(_) | Observer::Zookeeper(_)))
                    .map(|one| one.source().clone())
                    .collect();
                note_late(snapshot, terms, &registries, &fresh);
            }
            break;
        }
    }
    for observer in observers.iter() {
        if let (Some(server), Some(source)) = (
            observer.server(),
            snapshot.manifest_mut().sources.get_mut(observer.source()),
        ) {
            source.server = Some(server);
        }
    }
    all(observers
        .iter_mut()
        .map(|observer| Box::pin(observer.close()) as Pending<'_>)
        .collect())
    .await;
    snapshot.manifest_mut().ended = ended.clone();
    ended
}

type Pending<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// One round. Returns how it ended when it ended early.
async fn round(
    snapshot: &mut Snapshot,
    observers: &mut [Observer],
    terms: &Terms,
    mut stop: Pin<&mut impl Future<Output = ()>>,
    wants: &[Want],
    seen: &mut Progress,
    progress: &mut impl FnMut(Progress),
) -> Option<Ended> {
    let first = observers.first()?.source().clone();
    let (answers, mut arriving) = Answers::channel(&first, terms);
    let mut early = None;
    {
        let work = observers
            .iter_mut()
            .map(|observer| {
                let answers = answers.of(observer.source());
                Box::pin(async move { observer.fetch(wants, &terms.deadline, &answers).await })
                    as Pending<'_>
            })
            .collect();
        let mut work = pin!(all(work));
        loop {
            select! {
                biased;
                () = stop.as_mut() => early = Some(Ended::Interrupted),
                Some(answer) = arriving.recv() => {
                    take(snapshot, answer, seen);
                    progress(*seen);
                    continue;
                }
                () = work.as_mut() => {}
                () = terms.deadline.end() => early = Some(Ended::Deadline),
            }
            break;
        }
    }
    drain(snapshot, &mut arriving, seen);
    progress(*seen);
    // The last request may have used up the time without leaving anything open.
    early.or_else(|| terms.deadline.passed().then_some(Ended::Deadline))
}

/// What a registry was asked for and did not answer in time is no fact that nobody asked for. Of connections and words
/// that say whether a server lives nothing is noted: there, silence would be an answer.
fn note_late(snapshot: &mut Snapshot, terms: &Terms, registries: &[SourceId], wants: &[Want]) {
    for want in wants {
        let is_fact = matches!(
            want.key,
            Key::ZkNode { .. }
                | Key::NacosServices { .. }
                | Key::NacosInstances { .. }
                | Key::NacosCatalog { .. }
                | Key::NacosConfig { .. }
        );
        if is_fact
            && registries.contains(&want.source)
            && snapshot.lines(&want.source, &want.key).is_empty()
        {
            let payload = Payload::err_with(
                ErrKind::Timeout,
                "no answer before the end of the time that the run had",
            );
            let line =
                Line::new(want.key.clone(), payload).said_at(At::from_time(terms.clock.now()));
            snapshot.insert(want.source.clone(), line);
        }
    }
}

fn drain(
    snapshot: &mut Snapshot,
    arriving: &mut UnboundedReceiver<(SourceId, Line)>,
    seen: &mut Progress,
) {
    while let Ok(answer) = arriving.try_recv() {
        take(snapshot, answer, seen);
    }
}

fn take(snapshot: &mut Snapshot, (source, line): (SourceId, Line), seen: &mut Progress) {
    seen.answers += 1;
    snapshot.insert(source, line);
}

/// Waits for all.
async fn all(mut pending: Vec<Pending<'_>>) {
    poll_fn(move |context| {
        pending.retain_mut(|one| one.as_mut().poll(context).is_pending());
        if pending.is_empty() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}
