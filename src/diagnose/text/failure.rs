//! What a failure of a text is about, and a line of a text as evidence.

use std::collections::BTreeMap;

use serde_json::{Map, json};

use super::{
    raised,
    read::{HARMLESS, NOTHING, SUBSCRIPTION},
};
use crate::{
    diagnose::code::Code,
    input::log::{Conclusion, End, Failure, KeyClaim, LogFacts, Message, MessageId},
    question::Question,
    report::words::{Phrase, Say},
    snapshot::SourceId,
    view::stage::Evidence,
};

/// The start of the consumer, or its subscription, failed.
pub(super) fn has_failed_start(question: &Question) -> bool {
    question.logs.iter().any(|log| {
        log.failures.iter().any(|failure| {
            failure.has(MessageId::NacosConf)
                || failure.has(MessageId::RegistryCreate)
                || failure.has(MessageId::ZkClient)
                || failure.has(MessageId::SubRetry)
                || failure.has(MessageId::SubFail)
        })
    })
}

/// Every message of it was taken up by its own meaning.
pub(super) fn is_only_trouble_known(failure: &Failure) -> bool {
    failure.messages.iter().all(|message| {
        HARMLESS.contains(&message.id)
            || NOTHING.contains(&message.id)
            || SUBSCRIPTION.contains(&message.id)
            || message.id.is_statement()
            || matches!(
                message.id,
                MessageId::RegFail
                    | MessageId::RegistryCreate
                    | MessageId::Urls
                    | MessageId::Proto
                    | MessageId::BadAddress
            )
    }) || failure.has(MessageId::NotExported)
}

/// Whether a failed call had addresses, as far as its texts count them: known ones, valid ones, those that went into the
/// routers.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) known: Option<bool>,
    pub(super) valid: Option<bool>,
    pub(super) routed: Option<bool>,
}

impl Counts {
    /// A list that was just cleared has the numbers of before.
    pub(super) fn of(failure: &Failure) -> Self {
        let of_before = [MessageId::EmptyKeep, MessageId::EmptyClear];
        let mut counts = Self::default();
        for message in &failure.messages {
            if of_before.contains(&message.id) {
                continue;
            }
            let facts = &message.facts;
            for (count, fact) in [
                (&mut counts.known, facts.invokers()),
                (&mut counts.valid, facts.valid()),
                (&mut counts.routed, facts.route_input()),
            ] {
                *count = count.or(fact.map(|fact| fact.value > 0));
            }
        }
        counts
    }
}

/// Routers had addresses and left none: their own words, or the numbers around an empty list.
pub(super) fn is_routed_away(failure: &Failure, conclusions: &[Conclusion]) -> bool {
    let counts = Counts::of(failure);
    conclusions.contains(&Conclusion::Routers)
        || NOTHING.iter().any(|id| failure.has(*id)) && counts.routed.or(counts.valid) == Some(true)
}

/// An empty list that the same process filled later: the last that it says of a directory after the failure has addresses.
pub(super) fn is_renewed(question: &Question, log: &LogFacts, failure: &Failure) -> bool {
    let empty = Counts::of(failure);
    let had_none = [empty.known, empty.valid, empty.routed]
        .iter()
        .all(|count| *count != Some(true));
    if !had_none || !NOTHING.iter().any(|id| failure.has(*id)) {
        return false;
    }
    let mut last = BTreeMap::new();
    for message in log
        .statements
        .iter()
        .filter_map(|one| find(one, MessageId::Changed))
    {
        let facts = &message.facts;
        let about = facts
            .service()
            .is_some_and(|key| fits(&key.value, question));
        if let Some(available) = facts.available().filter(|_| about)
            && message.place.line > failure.last.line
        {
            last.insert(
                facts.discovery().map(|model| model.value),
                available.value > 0,
            );
        }
    }
    last.values().any(|has| *has)
}

pub(super) fn masquerade(proves: &str, evidence: &Evidence) -> crate::view::stage::Raised {
    raised(
        Code::ErrorMasquerades,
        json!({"proves": proves}),
        ("text", evidence.source.as_str()),
        vec![evidence.clone()],
    )
}

pub(super) fn find(failure: &Failure, id: MessageId) -> Option<&Message> {
    failure.messages.iter().find(|message| message.id == id)
}

pub(super) fn fits(claim: &KeyClaim, question: &Question) -> bool {
    let service = &question.service;
    claim.interface == service.interface
        && (!claim.group.is_known() || claim.group.value() == service.group.as_deref())
        && (!claim.version.is_known() || claim.version.value() == service.version.as_deref())
}

/// A text whose origin is not said is the consumer's, unless it says itself that a provider wrote it.
pub(super) fn is_providers(log: &LogFacts, failure: &Failure) -> bool {
    match failure.facts().printed_by() {
        Some(end) => end.value == End::Provider,
        None => log.origin.end == Some(End::Provider),
    }
}

/// A node beside the services: what a process writes or reads there does not decide whether it gets its list.
pub(super) fn is_beside(path: &str) -> bool {
    path.split('/')
        .any(|part| ["metadata", "mapping", "config", "services"].contains(&part))
}

/// Reasons that are failed connections to a registry.
pub(super) fn is_connect(reason: &str) -> bool {
    [
        "not connected",
        "refused",
        "timed out",
        "timeout",
        "unknown host",
        "unreachable",
    ]
    .iter()
    .any(|word| reason.to_ascii_lowercase().contains(word))
        && reason != "refused"
}

/// A message as evidence.
pub(super) fn evidence(log: &LogFacts, message: &Message) -> Evidence {
    let mut address = Map::new();
    address.insert("line".into(), json!(message.place.line));
    Evidence {
        source: source(&log.origin.name),
        op: "file.lines".to_owned(),
        address,
        position: Some(format!("{}:{}", message.place.line, message.place.column)),
        seen_at: message.facts.time().map(|fact| fact.value.text.clone()),
        fact: Phrase::new(Say::LogSays).with("words", message.words()),
    }
}

pub(super) fn of_file(name: &str, line: u64) -> Evidence {
    let mut address = Map::new();
    address.insert("line".into(), json!(line));
    Evidence {
        source: source(name),
        op: "file.lines".to_owned(),
        address,
        position: Some(line.to_string()),
        seen_at: None,
        fact: Say::SettingRead.into(),
    }
}

fn source(name: &str) -> SourceId {
    SourceId::new(name).unwrap_or_else(|_| SourceId::new("log").expect("a plain word"))
}
