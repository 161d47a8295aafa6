//! What a failure of a text is about, and a line of a text as evidence.

use serde_json::{Map, json};

use super::{
    raised,
    read::{HARMLESS, NOTHING, SUBSCRIPTION},
};
use crate::{
    diagnose::code::Code,
    input::log::{End, Failure, KeyClaim, LogFacts, Message, MessageId},
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

/// A rule that has no effect because its script engine is missing: nothing fails by it.
pub(super) fn is_only_engine(failure: &Failure) -> bool {
    let reason = failure.facts().reason().map(|fact| fact.value.clone());
    reason.as_deref() == Some("script engine missing")
        && failure
            .ids()
            .all(|id| matches!(id, MessageId::TagRule | MessageId::Router))
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
