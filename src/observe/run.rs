//! The loop between the pure side and the systems: what is missing is asked for until nothing new is missing.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    rc::Rc,
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
/// `stop` is ready. A round of the registries does not wait for QOS ports, which may be anybody's and slow: what those
/// say is taken in when it comes.
///
/// Whatever was answered is in the snapshot, with the sources' versions and the manner of the end in its manifest.
/// Sessions are closed before it returns, also when it was stopped.
pub async fn run(
    snapshot: &mut Snapshot,
    observers: &mut [Observer],
    terms: &Terms,
    stop: impl Future<Output = ()>,
    wants: impl FnMut(&Snapshot) -> Vec<Want>,
    progress: impl FnMut(Progress),
) -> Ended {
    let ended = rounds(snapshot, observers, terms, stop, wants, progress).await;
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

/// An observer at work, which comes back from it.
struct Busy<'o> {
    source: SourceId,
    /// Nobody waits for it but the end.
    is_port: bool,
    work: Pin<Box<dyn Future<Output = &'o mut Observer> + 'o>>,
}

/// All rounds. Returns how they ended.
async fn rounds(
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
    let registries: Vec<SourceId> = observers
        .iter()
        .filter(|one| matches!(one, Observer::Nacos(_) | Observer::Zookeeper(_)))
        .map(|one| one.source().clone())
        .collect();
    let mut channel = observers
        .first()
        .map(|first| Answers::channel(first.source(), terms));
    let mut idle: Vec<&mut Observer> = observers.iter_mut().collect();
    let mut busy: Vec<Busy<'_>> = Vec::new();
    // What the registries are asked now.
    let mut open: Vec<Want> = Vec::new();
    let mut ended = Ended::Complete;
    loop {
        if busy.iter().all(|one| one.is_port) && seen.round < MOST_ROUNDS {
            let mut fresh = wants(snapshot);
            fresh.sort();
            fresh.dedup();
            fresh.retain(|want| {
                let at_work = busy.iter().any(|one| one.source == want.source);
                !at_work && !snapshot.was_asked(want)
            });
            if !fresh.is_empty() {
                for want in &fresh {
                    snapshot.note_asked(want.clone());
                }
                seen.round += 1;
                seen.wanted += fresh.len();
                progress(seen);
                open.clone_from(&fresh);
                let fresh: Rc<[Want]> = fresh.into();
                for observer in idle.drain(..) {
                    let answers = channel
                        .as_ref()
                        .map(|(answers, _)| answers.of(observer.source()));
                    busy.extend(answers.map(|answers| start(observer, &fresh, answers, terms)));
                }
            }
        }
        let Some((_, arriving)) = channel.as_mut().filter(|_| !busy.is_empty()) else {
            break;
        };
        let mut early = None;
        loop {
            select! {
                biased;
                () = stop.as_mut() => early = Some(Ended::Interrupted),
                Some(answer) = arriving.recv() => {
                    take(snapshot, answer, &mut seen);
                    progress(seen);
                    continue;
                }
                back = any(&mut busy) => idle.extend(back),
                () = terms.deadline.end() => early = Some(Ended::Deadline),
            }
            break;
        }
        drain(snapshot, arriving, &mut seen);
        progress(seen);
        // The last request may have used up the time without leaving anything open.
        if let Some(early) = early.or_else(|| terms.deadline.passed().then_some(Ended::Deadline)) {
            ended = early;
            break;
        }
    }
    if ended == Ended::Deadline {
        note_late(snapshot, terms, &registries, &open);
    }
    ended
}

fn start<'o>(
    observer: &'o mut Observer,
    wants: &Rc<[Want]>,
    answers: Answers,
    terms: &'o Terms,
) -> Busy<'o> {
    let wants = Rc::clone(wants);
    Busy {
        source: observer.source().clone(),
        is_port: matches!(observer, Observer::Qos(_)),
        work: Box::pin(async move {
            observer.fetch(&wants, &terms.deadline, &answers).await;
            observer
        }),
    }
}

/// Waits for one to come back, and takes all that have.
async fn any<'o>(busy: &mut Vec<Busy<'o>>) -> Vec<&'o mut Observer> {
    poll_fn(move |context| {
        let mut back = Vec::new();
        busy.retain_mut(|one| match one.work.as_mut().poll(context) {
            Poll::Ready(observer) => {
                back.push(observer);
                false
            }
            Poll::Pending => true,
        });
        if back.is_empty() {
            Poll::Pending
        } else {
            Poll::Ready(back)
        }
    })
    .await
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
