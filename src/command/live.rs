//! Asking live systems: who is asked, until when, and what is known of the place from which is asked.

use std::net::UdpSocket;
use std::time::Duration;

use anyhow::Context as _;
use jiff::Timestamp;

use crate::{
    error::UsageError,
    model::secret::Secret,
    observe::{
        Clock, Deadline, Observer, Progress, Terms, nacos::Nacos, run, zookeeper::Zookeeper,
    },
    progress::Spinner,
    question::{Question, RegistryAddress, RegistryKind},
    settings::Settings,
    snapshot::{At, Ended, Manifest, Masker, Role, SeenFrom, Snapshot, Source, SourceKind, Want},
};

/// End of a run when nobody says otherwise.
const DEADLINE: Duration = Duration::from_secs(10);

/// An empty snapshot that hides the secrets of this run.
pub(super) fn snapshot(settings: &Settings) -> Snapshot {
    let addresses = settings
        .registries
        .iter()
        .chain(&settings.also_search)
        .chain(&settings.config_center);
    let secrets: Vec<Secret> = addresses.flat_map(RegistryAddress::secrets).collect();
    let recorder = format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    Snapshot::with_masker(
        Manifest::new(recorder, At::from_time(Timestamp::now())),
        Masker::new(&secrets),
    )
}

/// An observer for every registry of the questions, each with a source in the snapshot.
///
/// # Errors
/// A registry is of a kind that cannot be asked live in this version.
pub(super) fn observers(
    questions: &[Question],
    snapshot: &mut Snapshot,
) -> Result<Vec<Observer>, UsageError> {
    let mut known: Vec<(RegistryAddress, Vec<Role>)> = Vec::new();
    let mut add = |address: &RegistryAddress, roles: &[Role]| {
        let same = |other: &RegistryAddress| {
            other.kind == address.kind && other.members == address.members
        };
        match known.iter_mut().find(|(other, _)| same(other)) {
            Some((_, has)) => has.extend(
                roles
                    .iter()
                    .filter(|role| !has.contains(role))
                    .cloned()
                    .collect::<Vec<_>>(),
            ),
            None => known.push((address.clone(), roles.to_vec())),
        }
    };
    for question in questions {
        for address in question.registries.iter().chain(&question.also_search) {
            add(
                address,
                &[Role::Registry, Role::ConfigCenter, Role::Metadata],
            );
        }
        if let Some(address) = &question.config_center {
            add(address, &[Role::ConfigCenter]);
        }
    }
    let mut observers = Vec::new();
    for (address, roles) in known {
        if address.placeholder().is_some() {
            continue;
        }
        let kind = match address.kind {
            RegistryKind::Zookeeper => SourceKind::Zookeeper,
            RegistryKind::Nacos => SourceKind::Nacos,
            RegistryKind::Other => continue,
        };
        let is_nacos = kind == SourceKind::Nacos;
        let source = Source {
            roles,
            url: Some(address.to_string()),
            ..Source::new(kind)
        };
        let id = snapshot.manifest_mut().add_source("r", source);
        let observer = if is_nacos {
            Nacos::new(id, &address)
                .map(Observer::Nacos)
                .map_err(|error| error.to_string())
        } else {
            Zookeeper::new(id, &address)
                .map(Observer::Zookeeper)
                .map_err(|error| error.to_string())
        };
        observers.push(
            observer
                .map_err(|error| UsageError::new(format!("{address} cannot be asked: {error}")))?,
        );
    }
    Ok(observers)
}

/// Asks until nothing new is wanted, the time is over or Ctrl-C is pressed.
///
/// # Errors
/// The runtime cannot be started.
pub(super) fn ask(
    snapshot: &mut Snapshot,
    observers: &mut [Observer],
    settings: &Settings,
    spinner: &Spinner,
    wants: impl FnMut(&Snapshot) -> Vec<Want>,
) -> anyhow::Result<Ended> {
    let masker = snapshot.masker().clone();
    let show = |seen: Progress| {
        tracing::debug!(
            round = seen.round,
            wanted = seen.wanted,
            answers = seen.answers,
            "asking"
        );
        spinner.say(format!(
            "round {}: {} of {} answers",
            seen.round, seen.answers, seen.wanted
        ));
    };
    let ended = runtime()?.block_on(async {
        let terms = terms(settings, Some(DEADLINE), masker);
        run(snapshot, observers, &terms, stop(), wants, show).await
    });
    snapshot.manifest_mut().recorded_at = At::from_time(Timestamp::now());
    Ok(ended)
}

/// How long a run that starts now may take. `usual` = its end when nobody says otherwise.
pub(super) fn terms(settings: &Settings, usual: Option<Duration>, masker: Masker) -> Terms {
    Terms {
        deadline: Deadline::starting_now(settings.deadline.or(usual), settings.request_timeout),
        clock: Clock::System,
        masker,
    }
}

/// The runtime of one thread: the network is the only reason for it.
pub(super) fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the network runtime")
}

/// Resolves when Ctrl-C is pressed.
pub(super) async fn stop() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a handler the signal ends the process, as it would any other.
        std::future::pending::<()>().await;
    }
}

/// Writes into the manifest what is asked for, and from which machine.
pub(super) fn describe(snapshot: &mut Snapshot, questions: &[Question], all: bool) {
    let mut own: Vec<String> = questions
        .iter()
        .flat_map(|question| &question.registries)
        .flat_map(|address| &address.members)
        .filter_map(|member| local_address(member))
        .collect();
    own.sort();
    own.dedup();
    let consumers = questions
        .iter()
        .filter_map(|question| question.consumer.ip.as_ref());
    let is_consumer =
        consumers.clone().next().is_some() && consumers.clone().all(|ip| own.contains(ip));
    let manifest = snapshot.manifest_mut();
    manifest.seen_from = SeenFrom {
        host: host_name(),
        addresses: own,
        is_consumer,
        ..SeenFrom::default()
    };
    if !all {
        manifest.scope.services = questions
            .iter()
            .map(|question| question.service.to_string())
            .collect();
        if questions.iter().any(|question| question.sweep) {
            manifest.scope.sweep = vec!["roots".to_owned()];
        }
    }
}

/// The address this machine uses towards another. Connecting a datagram socket sends nothing.
fn local_address(member: &str) -> Option<String> {
    let (host, port) = member.rsplit_once(':')?;
    let ip: std::net::IpAddr = host.trim_matches(['[', ']']).parse().ok()?;
    let socket = UdpSocket::bind(if ip.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" }).ok()?;
    socket.connect((ip, port.parse().ok()?)).ok()?;
    Some(socket.local_addr().ok()?.ip().to_string())
}

fn host_name() -> String {
    #[expect(
        clippy::disallowed_methods,
        reason = "the machine's name, for the manifest"
    )]
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}
