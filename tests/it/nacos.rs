//! Nacos of every generation over HTTP: recorded answers served again, and servers that fail in every way they can.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests start servers and read fixtures"
)]

mod answers;
mod beside_a_port;
mod captures;
mod cases;
mod clusters;
mod contradictions;
mod failures;
mod login;
mod members;
mod midway;
mod moments;
mod only_reads;
mod reading;
mod reads;
mod rnacos;
pub(crate) mod server;
mod statuses;
mod verbs;
mod whole;

use std::time::Duration;

use diag::{
    observe::{Clock, Deadline, Observer, Terms, nacos::Nacos, run},
    question::RegistryAddress,
    snapshot::{At, Key, Line, Manifest, Masker, Snapshot, Source, SourceId, SourceKind, Want},
};

use crate::zookeeper::{block, moment};

/// The flags of a consumer that starts, of the application `web`.
pub(crate) fn starting<'a>(registry: &'a str, dubbo: &'a str, ip: &'a str) -> [&'a str; 10] {
    [
        "--registry",
        registry,
        "--dubbo",
        dubbo,
        "--consumer",
        "starting",
        "--consumer-app",
        "web",
        "--consumer-ip",
        ip,
    ]
}

/// What a run over one address saw.
pub(crate) struct Observed {
    pub(crate) snapshot: Snapshot,
    pub(crate) source: SourceId,
    pub(crate) took: Duration,
}

/// Asks an address for these keys, with short limits.
pub(crate) fn observe(address: &str, keys: &[Key]) -> Observed {
    observe_within(
        address,
        keys,
        Duration::from_secs(20),
        Duration::from_secs(10),
    )
}

/// The same with limits.
pub(crate) fn observe_within(
    address: &str,
    keys: &[Key],
    total: Duration,
    request: Duration,
) -> Observed {
    let mut manifest = Manifest::new("test", At::from_time(moment()));
    let source = manifest.add_source("r", Source::new(SourceKind::Nacos));
    let address = RegistryAddress::parse(address).expect("an address");
    let masker = Masker::new(&address.secrets());
    let mut snapshot = Snapshot::with_masker(manifest, masker.clone());
    let nacos = Nacos::new(source.clone(), &address).expect("a Nacos address");
    let mut observers = [Observer::Nacos(nacos)];
    let start = std::time::Instant::now();
    block(async {
        let terms = Terms {
            deadline: Deadline::starting_now(Some(total), request),
            clock: Clock::Fixed(moment()),
            masker,
        };
        let wants: Vec<Want> = keys
            .iter()
            .map(|key| Want::any(&source, key.clone()))
            .collect();
        run(
            &mut snapshot,
            &mut observers,
            &terms,
            std::future::pending(),
            |_| wants.clone(),
            |_| {},
        )
        .await
    });
    Observed {
        snapshot,
        source,
        took: start.elapsed(),
    }
}

impl Observed {
    /// All lines of a key.
    pub(crate) fn lines(&self, key: &Key) -> &[Line] {
        self.snapshot.lines(&self.source, key)
    }

    /// The only line of a key.
    pub(crate) fn line(&self, key: &Key) -> &Line {
        let lines = self.lines(key);
        assert_eq!(lines.len(), 1, "{key}: {lines:?}");
        &lines[0]
    }

    /// The only line of a key, as `kind text` where it is a refusal, else `answer`.
    pub(crate) fn said(&self, key: &Key) -> String {
        let line = self.line(key);
        match &line.payload {
            diag::snapshot::Payload::Err { kind, text, .. } => {
                format!("{kind} {}", text.as_deref().unwrap_or("-"))
            }
            _ => "answer".to_owned(),
        }
    }

    /// All lines, as the format writes them.
    pub(crate) fn text(&self) -> String {
        let lines = self.snapshot.sources().flat_map(|(_, lines)| lines);
        lines
            .map(|line| serde_json::to_string(line).expect("a line") + "\n")
            .collect()
    }
}

/// A service as clients see it.
pub(crate) fn instances(service: &str) -> Key {
    Key::nacos_instances("", "DEFAULT_GROUP", service)
}
