//! What logs say of an application's metadata that could not be had: nobody there, or an answer that is none.

use serde_json::json;

use super::{Proof, failure::evidence, raised};
use crate::{
    diagnose::code::Code,
    input::log::{End, Failure, LogFacts, Message, MessageId},
    view::stage::Evidence,
};

/// Metadata that a consumer asked an instance for and did not get.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unread {
    /// Code and proof: unreachable (DG4004), refused or undecodable (DG4014).
    pub(crate) proof: Proof,
    /// Revision asked for.
    pub(crate) revision: Option<String>,
    /// `host:port` of the instance or of its metadata service.
    pub(crate) addresses: Vec<String>,
    /// Where it says so.
    pub(crate) evidence: Evidence,
    /// A provider wrote it.
    pub(crate) of_provider: bool,
    /// The application whose metadata service it is, as its key says.
    pub(crate) application: Option<String>,
    /// The host whose log it is.
    pub(crate) host: Option<String>,
    /// `MetadataServiceV2` was asked.
    pub(crate) second: bool,
    /// Line and moment of the last time.
    pub(crate) line: u64,
    /// The same, ms since 1970.
    pub(crate) last_ms: Option<i64>,
    /// It is the last word of the log about this.
    pub(crate) stands: bool,
    /// The consumer says after it that it has no provider.
    pub(crate) then_nothing: bool,
}

/// Whether a failure is about Dubbo's own metadata service.
pub(super) fn is_about(failure: &Failure) -> bool {
    failure.has(MessageId::Meta)
        || failure.has(MessageId::GoMeta)
        || failure
            .service()
            .is_some_and(|service| is_metadata_service(&service.value.interface))
}

fn is_metadata_service(interface: &str) -> bool {
    let name = interface.rsplit('.').next().unwrap_or(interface);
    matches!(name, "MetadataService" | "MetadataServiceV2") && interface.contains(".dubbo.")
}

/// What one failure says; `None` when it does not say why the metadata could not be had.
pub(super) fn read(log: &LogFacts, failure: &Failure, own: bool) -> Option<Unread> {
    let (code, message, reason) = why(failure)?;
    let facts = failure.facts();
    let addresses: Vec<String> = failure
        .messages
        .iter()
        .flat_map(|message| {
            let facts = &message.facts;
            [facts.instance(), facts.provider(), facts.registered()]
        })
        .flatten()
        .map(|fact| fact.value.clone())
        .collect();
    let revision = facts.revision().map(|fact| fact.value.clone());
    let address = addresses.first().cloned();
    let key = failure.service().map(|fact| fact.value);
    let evidence = evidence(log, message);
    Some(Unread {
        proof: Proof {
            raised: raised(
                code,
                json!({
                    "address": address, "reason": reason, "revision": revision, "from": "log",
                }),
                ("address", address.as_deref().unwrap_or("metadata")),
                vec![evidence.clone()],
            ),
            own,
        },
        revision,
        addresses,
        evidence,
        of_provider: log.origin.end == Some(End::Provider),
        application: key
            .as_ref()
            .and_then(|key| key.group.value())
            .map(str::to_owned),
        host: log.origin.host.clone(),
        second: key.is_some_and(|key| key.interface.ends_with("V2")),
        line: failure.last.line,
        last_ms: failure.last_time.as_ref().and_then(|moment| moment.millis),
        stands: true,
        then_nothing: false,
    })
}

/// The code, the message that shows it, and why.
fn why(failure: &Failure) -> Option<(Code, &Message, String)> {
    let find = |ids: &[MessageId]| {
        failure
            .messages
            .iter()
            .find(|message| ids.contains(&message.id))
    };
    if let Some(message) = find(&[MessageId::NotExported, MessageId::GoNotExported]) {
        return Some((Code::MetadataRefused, message, "not-exported".to_owned()));
    }
    if let Some(message) = find(&[MessageId::Serial]) {
        return Some((Code::MetadataRefused, message, "undecodable".to_owned()));
    }
    if let Some(message) = find(&[MessageId::GoMeta])
        && let Some(cause) = message.facts.cause()
    {
        let reason = cause.value.clone();
        return Some((Code::MetadataServiceUnreachable, message, reason));
    }
    let message = find(&[MessageId::Connect, MessageId::Upstream, MessageId::Closed])?;
    let reason = failure
        .facts()
        .reason()
        .map_or_else(|| "not connected".to_owned(), |fact| fact.value.clone());
    Some((Code::MetadataServiceUnreachable, message, reason))
}
