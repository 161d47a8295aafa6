//! What is known of the consumer besides what was given: from its log, its QOS port, and its own entry in the registry.

use std::{collections::BTreeSet, net::IpAddr, sync::Arc};

use crate::{
    diagnose::gather,
    input::log::{End, Language, LogFacts, MessageId},
    model::version::{DubboVersion, Line},
    question::{Client, ConsumerState, Question, RegistryAddress, configured},
    report::words::{Phrase, Say},
    snapshot::{Snapshot, SourceKind},
    view::{
        held::Entry,
        missing::Missing,
        own::{self, Own},
        settings,
        stage::NotSeen,
        written,
    },
};

/// The question with observed values filled in, and where they come from.
#[derive(Debug, Clone)]
pub(crate) struct Observed {
    /// The completed question.
    pub(crate) question: Question,
    /// The registries were taken from the recording.
    pub(crate) registries_from_recording: bool,
    /// Logs of other hosts, which say nothing of this consumer.
    pub(crate) set_aside: Vec<NotSeen>,
}

impl Observed {
    /// Fills in what the question leaves open and a log or the registry tells without contradiction.
    pub(crate) fn of(question: &Question, snapshot: &Snapshot, missing: &Missing) -> Self {
        let mut question = question.clone();
        let set_aside = set_aside(&mut question);
        for log in question.logs.clone() {
            if log.origin.end != Some(End::Provider) {
                take_from_log(&mut question, &log);
            }
        }
        take_from_settings(&mut question, snapshot, missing);
        let own = Own {
            processes: own::processes(&question, snapshot, missing),
        };
        let told = own.told(&question).unwrap_or_default();
        let registries_from_recording = question.registries.is_empty();
        if registries_from_recording {
            question.registries = gather::recorded(snapshot);
            if question.registries.is_empty() {
                question.registries.clone_from(&told.registries);
            }
            question.place_assumed = true;
        }
        let consumer = &mut question.consumer;
        consumer.application = consumer.application.take().or(told.application);
        if consumer.client != Some(Client::Go) {
            consumer.dubbo = consumer.dubbo.take().or(told.version);
        }
        if question.consumer.dubbo.is_none() && question.consumer.client != Some(Client::Go) {
            take_from_registry(&mut question, snapshot, missing);
        }
        Self {
            registries_from_recording: registries_from_recording && !question.registries.is_empty(),
            set_aside,
            question,
        }
    }
}

/// Takes away what consumers on other hosts wrote: a line is an answer of the system it quotes, seen from its own host. A
/// host may have several addresses; that a log names the consumer's shows that it is one of them.
fn set_aside(question: &mut Question) -> Vec<NotSeen> {
    let Some(consumer) = question.consumer.ip.clone() else {
        return Vec::new();
    };
    let Ok(address) = consumer.parse::<IpAddr>() else {
        return Vec::new();
    };
    let own: BTreeSet<String> = question
        .logs
        .iter()
        .filter(|log| names(log, &consumer))
        .filter_map(|log| log.origin.host.clone())
        .collect();
    let other = |log: &LogFacts| {
        let host = log.origin.host.as_ref();
        log.origin.end == Some(End::Consumer)
            && host.is_some_and(|host| {
                let ip = host.parse::<IpAddr>();
                ip.is_ok_and(|ip| ip != address) && !own.contains(host)
            })
    };
    let logs = std::mem::take(&mut question.logs);
    let (others, logs): (Vec<_>, Vec<_>) = logs.into_iter().partition(|log| other(log));
    question.logs = logs;
    let fact = |log: &Arc<LogFacts>| NotSeen {
        what: Phrase::new(Say::LogOfHost)
            .with("file", &*log.origin.name)
            .with("host", log.origin.host.as_deref().unwrap_or_default()),
        why: Phrase::new(Say::NotItsHost).with("consumer", consumer.clone()),
        how_to_see: None,
        required: false,
    };
    others.iter().map(fact).collect()
}

/// Whether the process that wrote a log has this address, as it says itself.
fn names(log: &LogFacts, address: &str) -> bool {
    log.messages().into_iter().any(|message| {
        let facts = &message.facts;
        let said = [facts.host(), facts.consumer_ip()];
        said.into_iter().flatten().any(|fact| fact.value == address)
    })
}

/// The consumer's own settings among the files of a recording: its name, what chooses between the models, what its
/// reference is given.
fn take_from_settings(question: &mut Question, snapshot: &Snapshot, missing: &Missing) {
    let files = snapshot.manifest().sources.iter().filter(|(_, source)| {
        let word = source.file_as.as_deref().unwrap_or_default();
        source.kind == SourceKind::File && matches!(word, "config" | "consumer-config")
    });
    for (id, _) in files {
        let Some(text) = gather::file_text(snapshot, id, missing) else {
            continue;
        };
        let properties = written::properties(&text);
        let found = configured(&properties);
        let of_reference = settings::of_reference(&properties, question);
        // What the question says of its registry counts; whether the consumer subscribes there, only its file says.
        for registry in &mut question.registries {
            let same = |other: &&RegistryAddress| {
                (other.kind, &other.members) == (registry.kind, &registry.members)
            };
            let other = found.registries.iter().find(same);
            if let Some(value) = other.and_then(|other| other.params.get("subscribe")) {
                let params = &mut registry.params;
                params
                    .entry("subscribe".to_owned())
                    .or_insert_with(|| value.clone());
            }
        }
        let consumer = &mut question.consumer;
        if consumer.application.is_none() {
            consumer.application = found.application;
        }
        for (name, value) in found.migration.into_iter().chain(of_reference) {
            consumer.params.entry(name).or_insert(value);
        }
    }
}

/// Parameters of the reference that decide which addresses it can use.
const OF_ADDRESSES: [&str; 2] = ["protocol", "dubbo.tag"];

/// What a log shows of the reference: the one reader of that, for every verb. The first text that shows the URL counts;
/// one into which the providers' parameters were merged only as long as there is no other.
fn take_reference(question: &mut Question, log: &LogFacts) {
    let Some(found) = log.reference(&question.service) else {
        return;
    };
    let consumer = &mut question.consumer;
    if consumer
        .printed
        .as_ref()
        .is_some_and(|known| !known.merged || found.merged)
    {
        return;
    }
    if !found.merged {
        for name in OF_ADDRESSES {
            if let Some(value) = found.settings.get(name) {
                let params = &mut consumer.params;
                params
                    .entry(name.to_owned())
                    .or_insert_with(|| value.clone());
            }
        }
    }
    consumer.printed = Some(found);
}

fn take_from_log(question: &mut Question, log: &LogFacts) {
    take_reference(question, log);
    let hints = log.question_hints();
    let state = state_in(question, log);
    let consumer = &mut question.consumer;
    if log.origin.end == Some(End::Consumer) {
        consumer.missing_engines.extend(missing_engines(log));
    }
    if consumer.ip.is_none() {
        consumer.ip = hints.consumer_ip.only().map(|fact| fact.value.clone());
    }
    if consumer.application.is_none() {
        consumer.application = hints.application.only().map(|fact| fact.value.clone());
    }
    if consumer.client.is_none() {
        consumer.client = hints.client.only().map(|fact| match fact.value {
            Language::Java => Client::Java,
            Language::Go => Client::Go,
        });
    }
    if consumer.dubbo.is_none() && consumer.client != Some(Client::Go) {
        consumer.dubbo = hints
            .dubbo
            .only()
            .and_then(|fact| DubboVersion::parse(&fact.value).ok());
    }
    // Classes of Alibaba's Dubbo in its own stack frames: the last line before Apache's.
    if consumer.dubbo.is_none()
        && consumer.client != Some(Client::Go)
        && log.origin.end != Some(End::Provider)
        && is_of_alibaba(log)
    {
        consumer.dubbo = Some(DubboVersion::newest(Line::V2_6));
    }
    if consumer.state.is_none() {
        consumer.state = state;
    }
}

/// Script engines that the process says it has not (`ScriptStateRouter.getEngine`): a JVM gets none while it runs.
fn missing_engines(log: &LogFacts) -> impl Iterator<Item = String> + '_ {
    log.failures
        .iter()
        .flat_map(|failure| &failure.messages)
        .filter(|message| {
            let reason = message.facts.reason();
            reason.is_some_and(|reason| reason.value == "script engine missing")
        })
        .filter_map(|message| {
            message
                .facts
                .cause()
                .map(|fact| fact.value.trim().to_owned())
        })
}

/// Whether a failure in the text is one of a client before 2.7, and none says otherwise.
fn is_of_alibaba(log: &LogFacts) -> bool {
    let mut below = log
        .failures
        .iter()
        .filter_map(|failure| failure.facts().dubbo_below().map(|fact| fact.value.clone()))
        .peekable();
    below.peek().is_some() && below.all(|version| version == "2.7.0")
}

/// The check at start failed and no call was made: the consumer is starting.
fn state_in(question: &Question, log: &LogFacts) -> Option<ConsumerState> {
    let about = |id: MessageId| {
        log.failures.iter().any(|failure| {
            failure.has(id)
                && failure
                    .service()
                    .is_some_and(|claim| claim.value.interface == question.service.interface)
        })
    };
    let called = [
        MessageId::A,
        MessageId::B,
        MessageId::Tried,
        MessageId::RpcNet,
        MessageId::RpcTimeout,
    ];
    (about(MessageId::E) && !called.into_iter().any(about)).then_some(ConsumerState::Starting)
}

/// The consumer's own entry says its version (`release`) and application.
fn take_from_registry(question: &mut Question, snapshot: &Snapshot, missing: &Missing) {
    let registries = gather::all(question, snapshot, missing);
    let own: Vec<&Entry> = registries
        .iter()
        .flat_map(|registry| &registry.held)
        .flat_map(|held| &held.consumers)
        .filter(|entry| entry.is_of(&question.consumer))
        .collect();
    let only = |name: &str| {
        let values: BTreeSet<String> = own
            .iter()
            .filter_map(|entry| Some(entry.plain()?.text(name)?.to_owned()))
            .collect();
        (values.len() == 1)
            .then(|| values.into_iter().next())
            .flatten()
    };
    let version = only("release").and_then(|text| DubboVersion::parse(&text).ok());
    let application = only("application");
    question.consumer.dubbo = version;
    if question.consumer.application.is_none() {
        question.consumer.application = application;
    }
}
