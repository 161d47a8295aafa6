//! Asking live systems: who is asked, until when, and what is known of the place from which is asked.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use std::time::Duration;

use anyhow::Context as _;
use jiff::Timestamp;

use super::Surroundings;
use crate::{
    diagnose::told_by_port,
    error::UsageError,
    model::secret::Secret,
    observe::{
        self, Clock, Deadline, Observer, Progress, Terms,
        probe::{Prober, Purpose, tcp},
    },
    progress::Spinner,
    question::{Question, RegistryAddress},
    settings::Settings,
    snapshot::{At, Ended, Manifest, Masker, Role, SeenFrom, Snapshot, Source, SourceKind, Want},
};

/// End of a run when nobody says otherwise.
pub(super) const DEADLINE: Duration = Duration::from_secs(10);

/// An empty snapshot that hides the secrets of this run.
pub(super) fn snapshot(settings: &Settings) -> Snapshot {
    let addresses = settings
        .registries
        .iter()
        .chain(&settings.also_search)
        .chain(&settings.config_center)
        .chain(&settings.metadata_report);
    let secrets: Vec<Secret> = addresses.flat_map(RegistryAddress::secrets).collect();
    let recorder = format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    Snapshot::with_masker(
        Manifest::new(recorder, At::from_time(Timestamp::now())),
        Masker::new(&secrets),
    )
}

/// An observer for every registry of the questions, each with a source in the snapshot. An address whose placeholder
/// nobody resolved names no host to ask.
///
/// # Errors
/// A registry cannot be asked by this build.
pub(super) fn observers(
    questions: &[Question],
    snapshot: &mut Snapshot,
) -> Result<Vec<Observer>, UsageError> {
    let all_roles = [Role::Registry, Role::ConfigCenter, Role::Metadata];
    let mut asked: Vec<(&RegistryAddress, Role)> = Vec::new();
    for question in questions {
        let roles = all_roles.iter().filter(|role| {
            // Mappings and metadata are then kept elsewhere.
            **role != Role::Metadata || question.metadata_report.is_none()
        });
        for address in question.registries.iter().chain(&question.also_search) {
            asked.extend(roles.clone().map(|role| (address, role.clone())));
        }
        asked.extend(
            question
                .config_center
                .iter()
                .map(|address| (address, Role::ConfigCenter)),
        );
        asked.extend(
            question
                .metadata_report
                .iter()
                .map(|address| (address, Role::Metadata)),
        );
    }
    asked.retain(|(address, _)| address.placeholder().is_none());
    observe::observers(asked, snapshot.manifest_mut())
        .map_err(|error| UsageError::new(format!("a registry cannot be asked: {error}")))
}

/// An observer for every QOS port, each with a source in the snapshot.
///
/// # Errors
/// A port that is no `host:port`.
pub(super) fn ports(
    settings: &Settings,
    questions: &[Question],
    snapshot: &mut Snapshot,
) -> Result<Vec<Observer>, UsageError> {
    let services: Vec<_> = questions
        .iter()
        .map(|question| question.service.clone())
        .collect();
    let mut observers = Vec::new();
    for endpoint in &settings.qos {
        if !observe::qos::is_endpoint(endpoint) {
            return Err(UsageError::new("--qos takes HOST:PORT")
                .hint("for example 127.0.0.1:22222, the port unless dubbo.application.qos-port says otherwise"));
        }
        let mut source = Source::new(SourceKind::Qos);
        source.endpoint = Some(endpoint.clone());
        let id = snapshot.manifest_mut().add_source("q", source);
        observers.push(Observer::Qos(observe::qos::Qos::new(
            id, endpoint, &services,
        )));
    }
    Ok(observers)
}

/// An observer for connections to providers, with a source in the snapshot, when they are allowed. To be called once the
/// snapshot says from where is asked.
pub(super) fn prober(
    settings: &Settings,
    purpose: Purpose,
    snapshot: &mut Snapshot,
) -> Option<Observer> {
    if !settings.probe {
        return None;
    }
    let on_consumer = snapshot.manifest().seen_from.is_consumer;
    let source = Source::new(SourceKind::Probe);
    let id = snapshot.manifest_mut().add_source("p", source);
    Some(Observer::Probe(Prober::new(id, purpose, on_consumer)))
}

/// Facts that a question still wants, by verb.
pub(super) type Wants = fn(&Question, &Snapshot) -> Vec<Want>;

/// What any of the questions still wants.
pub(super) fn all_wants(questions: &[Question], snapshot: &Snapshot, wants: Wants) -> Vec<Want> {
    questions
        .iter()
        .flat_map(|question| wants(question, snapshot))
        .collect()
}

/// Asks the live systems of the questions; without a registry there is nobody to ask. A consumer whose QOS port is asked
/// may say itself where it looks: then that registry is asked, too.
pub(super) fn answer(
    snapshot: &mut Snapshot,
    questions: &mut [Question],
    settings: &Settings,
    around: &Surroundings,
    quiet: bool,
    (wants, purpose): (Wants, Purpose),
) -> anyhow::Result<Ended> {
    let terms = terms(settings, Some(DEADLINE), snapshot.masker().clone());
    let spinner = Spinner::start(
        around.terminal.stderr && !quiet,
        around.environment.is_utf8(),
    );
    let mut observers = ports(settings, questions, snapshot)?;
    if !observers.is_empty() && questions.iter().any(is_lost) {
        let ended = ask(snapshot, &mut observers, &terms, &spinner, |snapshot| {
            all_wants(questions, snapshot, wants)
        })?;
        if ended != Ended::Complete {
            describe(snapshot, questions, false);
            return Ok(ended);
        }
        for question in questions.iter_mut().filter(|question| is_lost(question)) {
            let told = told_by_port(question, snapshot).unwrap_or_default();
            question.registries = told.registries;
            question.place_assumed = true;
        }
    }
    observers.splice(0..0, self::observers(questions, snapshot)?);
    describe(snapshot, questions, false);
    observers.extend(prober(settings, purpose, snapshot));
    if observers.is_empty() {
        return Ok(Ended::Complete);
    }
    ask(snapshot, &mut observers, &terms, &spinner, |snapshot| {
        all_wants(questions, snapshot, wants)
    })
}

/// Nothing says where the consumer looks.
fn is_lost(question: &Question) -> bool {
    question.registries.is_empty() && question.unreadable.is_empty()
}

/// Asks until nothing new is wanted, the time is over or Ctrl-C is pressed.
///
/// # Errors
/// The runtime cannot be started.
pub(super) fn ask(
    snapshot: &mut Snapshot,
    observers: &mut [Observer],
    terms: &Terms,
    spinner: &Spinner,
    wants: impl FnMut(&Snapshot) -> Vec<Want>,
) -> anyhow::Result<Ended> {
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
    let ended = observe::live(snapshot, observers, terms, wants, show)
        .context("cannot start the network runtime")?;
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

/// What Ctrl-C sets: a thread waits for it and ends with the process. Reading itself stays on the thread that began it,
/// since memory that another one takes is seldom given back.
///
/// # Errors
/// The runtime that waits cannot be started.
pub(super) fn stop_at_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let (waiting, runtime) = (Arc::clone(&stop), runtime()?);
    std::thread::spawn(move || {
        runtime.block_on(observe::interrupt());
        waiting.store(true, Ordering::Relaxed);
    });
    Ok(stop)
}

/// The runtime of one thread: the network is the only reason for it.
pub(super) fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the network runtime")
}

/// Writes into the manifest what is asked for, and from which machine.
pub(super) fn describe(snapshot: &mut Snapshot, questions: &[Question], all: bool) {
    let mut own: Vec<String> = questions
        .iter()
        .flat_map(|question| &question.registries)
        .flat_map(|address| &address.members)
        .filter_map(|member| local_address(member))
        .collect();
    let consumers = questions
        .iter()
        .filter_map(|question| question.consumer.ip.as_ref());
    // Towards an address of its own a machine uses that very address.
    let is_own = |ip: &&String| local_address(&format!("{ip}:1")).as_ref() == Some(*ip);
    own.extend(consumers.clone().filter(is_own).cloned());
    own.sort();
    own.dedup();
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

/// The address this machine uses towards another.
fn local_address(member: &str) -> Option<String> {
    let (host, port) = member.rsplit_once(':')?;
    let ip: std::net::IpAddr = host.trim_matches(['[', ']']).parse().ok()?;
    let own = tcp::local_ip((ip, port.parse().ok()?).into())?;
    Some(own.to_string())
}

fn host_name() -> String {
    #[expect(
        clippy::disallowed_methods,
        reason = "the machine's name, for the manifest"
    )]
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}
