//! What logs say of an application's metadata that could not be had: nobody there, or an answer that is none.

use serde_json::json;

use super::{Proof, raised, read::evidence};
use crate::{
    diagnose::code::Code,
    input::log::{Failure, LogFacts, Message, MessageId},
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
    let message = find(&[MessageId::Connect, MessageId::Upstream, MessageId::Closed])?;
    let reason = failure
        .facts()
        .reason()
        .map_or_else(|| "not connected".to_owned(), |fact| fact.value.clone());
    Some((Code::MetadataServiceUnreachable, message, reason))
}
