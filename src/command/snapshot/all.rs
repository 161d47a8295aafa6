//! `--all`: every registry is read to its end, and the answers go to disk while they come.

use std::sync::atomic::Ordering;

use jiff::Timestamp;

use super::{heard::Heard, live, stream};
use crate::{
    observe::{Observer, Walked, interrupt, zookeeper::Bounds},
    progress::Spinner,
    pseudonym::Pseudonyms,
    settings::Settings,
    snapshot::{At, Ended, Line, Snapshot, SnapshotError, SourceId, Spool, Writer},
};

/// What the walks over all registries did.
pub(super) struct Walks {
    /// How they ended.
    pub(super) ended: Ended,
    /// Answers that went to disk.
    pub(super) answers: usize,
    /// Registries of which there are refusals and no answer, with the last refusal.
    pub(super) unread: Vec<(String, String)>,
}

/// Reads everything of Dubbo's in every registry and hands each answer to `put`.
pub(super) fn walk(
    snapshot: &mut Snapshot,
    observers: &mut [Observer],
    settings: &Settings,
    spinner: &Spinner,
    mut put: impl FnMut(&SourceId, Line) -> Result<(), SnapshotError>,
) -> anyhow::Result<Walks> {
    let mut walks = Walks {
        ended: Ended::Complete,
        answers: 0,
        unread: Vec::new(),
    };
    let mut scope = Scope::default();
    for observer in &mut *observers {
        scope.expect(observer);
        if walks.ended != Ended::Complete {
            continue;
        }
        let source = observer.source().clone();
        let mut heard = Heard::default();
        let sink = |line: Line| {
            heard.note(&line);
            if heard.answers.is_multiple_of(100) {
                spinner.say(format!("{source}: {} answers", heard.answers));
            }
            put(&source, line)
        };
        let (walked, server) = one(observer, settings, snapshot, sink)?;
        walks.answers += heard.answers;
        let refusal = heard.unread().map(|why| (source.to_string(), why));
        walks.unread.extend(refusal);
        super::tell_silent(&source, &heard);
        scope.note(observer, &walked);
        // A server's words may repeat what it was sent.
        let masked = |text: &str| snapshot.masker().text(text).into_owned();
        if let Some(failure) = &walked.lost {
            // A warning is one line, whatever a server sends.
            let one_line = |text: &str| {
                masked(text)
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            let text = failure.text.as_deref().map(one_line);
            stream::warn(&format!(
                "{source}: {} ({}): what was read until then is recorded",
                failure.kind,
                text.as_deref().unwrap_or("no details")
            ));
        }
        if let Some(path) = &walked.cut {
            stream::warn(&format!(
                "{source}: too large: nothing was read from {} on",
                masked(path)
            ));
        }
        if let (Some(server), Some(about)) =
            (server, snapshot.manifest_mut().sources.get_mut(&source))
        {
            about.server = Some(server);
        }
        walks.ended = walked.ended;
    }
    let manifest = snapshot.manifest_mut();
    manifest.recorded_at = At::from_time(Timestamp::now());
    manifest.scope.all = scope.all();
    manifest.scope.namespaces = scope.namespaces();
    manifest.ended = walks.ended.clone();
    Ok(walks)
}

/// Walks one registry and says farewell. Returns also the version that it told: whoever is gone tells none.
fn one(
    observer: &mut Observer,
    settings: &Settings,
    snapshot: &Snapshot,
    sink: impl FnMut(Line) -> Result<(), SnapshotError>,
) -> anyhow::Result<(Walked, Option<String>)> {
    let named = settings.registries.iter();
    let roots: Vec<String> = named
        .clone()
        .filter_map(|address| address.group.as_ref())
        .map(|(group, _)| format!("/{}", group.trim_matches('/')))
        .collect();
    let namespaces: Vec<String> = named
        .filter_map(|address| address.namespace.clone())
        .collect();
    let terms = live::terms(settings, None, snapshot.masker().clone());
    let (walked, server) = live::runtime()?.block_on(async {
        let walked = match observer {
            Observer::Zookeeper(zookeeper) => {
                zookeeper
                    .walk(&roots, Bounds::default(), &terms, interrupt(), sink)
                    .await
            }
            Observer::Nacos(nacos) => nacos.walk(&namespaces, &terms, interrupt(), sink).await,
            // A port is asked about services, providers are those of services: with --all there are none.
            Observer::Qos(_) | Observer::Probe(_) => Ok(Walked::default()),
        };
        let server = observer.server();
        observer.close().await;
        (walked, server)
    });
    Ok((walked?, server))
}

/// Puts the recording in its place, its names replaced where there are pseudonyms. `None`: Ctrl-C came while it was written; nothing is there then but what was there
/// before.
pub(super) fn write(
    writer: Writer,
    snapshot: Snapshot,
    spool: Spool,
    pseudonyms: Option<Pseudonyms>,
) -> anyhow::Result<Option<Snapshot>> {
    let runtime = live::runtime()?;
    let stop = spool.stop();
    let written = runtime.block_on(async {
        let mut writing = tokio::task::spawn_blocking(move || {
            let (snapshot, spool) = match &pseudonyms {
                Some(pseudonyms) => (
                    pseudonyms.snapshot(&snapshot),
                    writer.rewrite(spool, snapshot.masker().clone(), |line| {
                        pseudonyms.line(line);
                    })?,
                ),
                None => (snapshot, spool),
            };
            writer
                .write_spooled(&snapshot, spool)
                .map(|()| Some(snapshot))
        });
        tokio::select! {
            written = &mut writing => return written,
            () = interrupt() => stop.store(true, Ordering::Relaxed),
        }
        // It may have come to its end just before.
        writing.await.map(|written| written.or(Ok(None)))
    });
    match written {
        Ok(written) => Ok(written?),
        // A panic of the writer is a panic of the program; it has said where already.
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => Err(error.into()),
        },
    }
}

/// What the recording may claim to hold completely.
#[derive(Default)]
struct Scope {
    zookeepers: usize,
    complete_zookeepers: usize,
    nacos: usize,
    complete_nacos: usize,
    /// By how many Nacos servers each namespace was read completely: the manifest says it for all of them at once.
    namespaces: std::collections::BTreeMap<String, usize>,
}

impl Scope {
    fn expect(&mut self, observer: &Observer) {
        match observer {
            Observer::Zookeeper(_) => self.zookeepers += 1,
            Observer::Nacos(_) => self.nacos += 1,
            Observer::Qos(_) | Observer::Probe(_) => {}
        }
    }

    fn note(&mut self, observer: &Observer, walked: &Walked) {
        let complete = usize::from(walked.is_complete());
        match observer {
            Observer::Qos(_) | Observer::Probe(_) => {}
            Observer::Zookeeper(_) => self.complete_zookeepers += complete,
            Observer::Nacos(_) => {
                self.complete_nacos += complete;
                for namespace in &walked.namespaces {
                    *self.namespaces.entry(namespace.clone()).or_default() += 1;
                }
            }
        }
    }

    /// Whether all of every ZooKeeper was read; where there is none, all of every Nacos.
    fn all(&self) -> bool {
        if self.zookeepers > 0 {
            self.complete_zookeepers == self.zookeepers
        } else {
            self.complete_nacos == self.nacos
        }
    }

    fn namespaces(self) -> Vec<String> {
        let nacos = self.nacos;
        self.namespaces
            .into_iter()
            .filter(|(_, servers)| *servers == nacos)
            .map(|(namespace, _)| namespace)
            .collect()
    }
}
