//! Against real ZooKeeper servers, started by the tests themselves on loopback. See `server::distribution` for when
//! they run.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests start servers, wait for them and say what they skip"
)]

mod cases;
mod failures;
pub(crate) mod impostors;
mod members;
pub(crate) mod proxy;
mod reading;
pub(crate) mod server;
mod tls;
pub(crate) mod tree;
mod verbs;
mod walk;

use std::{future::Future, time::Duration};

use diag::{
    observe::{Clock, Deadline, Observer, Terms, run, zookeeper::Zookeeper},
    question::RegistryAddress,
    snapshot::{At, Ended, Line, Manifest, Masker, Snapshot, Source, SourceId, SourceKind, Want},
};
use jiff::Timestamp;

/// Runs a future on a runtime of its own.
pub(crate) fn block<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let output = runtime.block_on(future);
    runtime.shutdown_background();
    output
}

/// What a run over one address saw.
pub(crate) struct Observed {
    pub(crate) snapshot: Snapshot,
    pub(crate) source: SourceId,
    pub(crate) ended: Ended,
    pub(crate) took: Duration,
}

/// The moment at which all answers of the tests are given.
pub(crate) fn moment() -> Timestamp {
    "2026-11-29T20:42:37Z".parse().expect("a time")
}

/// Asks an address for what `wants` says, with short limits.
pub(crate) fn observe(
    address: &str,
    wants: impl FnMut(&Snapshot, &SourceId) -> Vec<Want>,
) -> Observed {
    observe_until(
        address,
        Duration::from_secs(10),
        std::future::pending(),
        wants,
    )
}

/// The same with a deadline and a stop.
pub(crate) fn observe_until(
    address: &str,
    total: Duration,
    stop: impl Future<Output = ()>,
    mut wants: impl FnMut(&Snapshot, &SourceId) -> Vec<Want>,
) -> Observed {
    let mut manifest = Manifest::new("test", At::from_time(moment()));
    let source = manifest.add_source("r", Source::new(SourceKind::Zookeeper));
    let mut snapshot = Snapshot::new(manifest);
    let address = RegistryAddress::parse(address).expect("an address");
    let zookeeper = Zookeeper::new(source.clone(), &address).expect("a ZooKeeper address");
    let mut observers = [Observer::Zookeeper(zookeeper)];
    let start = std::time::SystemTime::now();
    let ended = block(async {
        let terms = Terms {
            deadline: Deadline::starting_now(Some(total), Duration::from_secs(3)),
            clock: Clock::Fixed(moment()),
            masker: Masker::new(&address.password),
        };
        run(
            &mut snapshot,
            &mut observers,
            &terms,
            stop,
            |snapshot| wants(snapshot, &source),
            |_| {},
        )
        .await
    });
    let took = start.elapsed().unwrap_or_default();
    Observed {
        snapshot,
        source,
        ended,
        took,
    }
}

impl Observed {
    /// The only line of a node.
    pub(crate) fn node(&self, path: &str) -> &Line {
        let lines = self
            .snapshot
            .lines(&self.source, &diag::snapshot::Key::zk_node(path));
        assert_eq!(lines.len(), 1, "{path}: {lines:?}");
        &lines[0]
    }

    /// All lines, as the format writes them.
    pub(crate) fn text(&self) -> String {
        let lines = self.snapshot.sources().flat_map(|(_, lines)| lines);
        lines
            .map(|line| serde_json::to_string(line).expect("a line") + "\n")
            .collect()
    }
}
