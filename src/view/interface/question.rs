//! Q: what of the question itself keeps the consumer from asking this registry.

use serde_json::json;

use super::{Case, key::object};
use crate::{
    diagnose::code::Code,
    question::{AddressFault, UnreadableAddress},
    report::words::{Phrase, Say},
    snapshot::SourceId,
    view::{
        held::{Layer, LayerKind},
        stage::{Evidence, Raised, Stage, StageId, State},
    },
};

/// The stage of the question.
pub(super) fn stage(case: &Case<'_>) -> Stage {
    let mut raises: Vec<Raised> = case.question.unreadable.iter().map(unreadable).collect();
    if let Some(raised) = placeholder(case) {
        raises.push(raised);
    }
    if let Some(raised) = misaddressed(case) {
        raises.push(raised);
    }
    if !raises.is_empty() {
        return Stage {
            raises,
            ..Stage::plain(StageId::Question, State::Failed)
        };
    }
    let layers: Vec<_> = layers(case).iter().map(Layer::not_seen).collect();
    if layers.is_empty() {
        Stage::plain(StageId::Question, State::Ok)
    } else {
        Stage::unknown(StageId::Question, layers)
    }
}

/// An address in the consumer's configuration on which `URLStrParser` throws: the application does not start with it.
fn unreadable(address: &UnreadableAddress) -> Raised {
    let fault = &address.error.fault;
    let line = json!({"file": address.source, "line": address.line});
    Raised {
        code: Code::AddressUnparsable,
        params: object(json!({"address": address.error.masked, "fault": fault.name()})),
        subject: ("setting".to_owned(), address.property.clone()),
        evidence: SourceId::new(address.source.as_str())
            .map(|source| Evidence {
                source,
                op: "file.lines".to_owned(),
                address: object(line),
                position: None,
                seen_at: None,
                fact: fault_phrase(fault).with("property", address.property.as_str()),
            })
            .into_iter()
            .collect(),
    }
}

fn fault_phrase(fault: &AddressFault) -> Phrase {
    let say = match fault {
        AddressFault::CutByPassword(cut) => {
            return Phrase::new(Say::FaultCut).with("cut", cut.to_string());
        }
        AddressFault::PortNotANumber => Say::FaultPort,
        AddressFault::LastPortMissing => Say::FaultLastPort,
        AddressFault::PortOutOfRange => Say::FaultPortRange,
        AddressFault::NoHost => Say::FaultNoHost,
        AddressFault::NoScheme(_) | AddressFault::UnknownScheme(_) | AddressFault::NoKind => {
            Say::FaultScheme
        }
        AddressFault::Empty | AddressFault::Several(_) | AddressFault::XmlEntity => Say::FaultOther,
    };
    say.into()
}

/// `${..}` that nobody resolved: in the registry's address, or in the key unless a provider has the very same text.
fn placeholder(case: &Case<'_>) -> Option<Raised> {
    let service = &case.question.service;
    let in_key = [
        Some(("interface", service.interface.as_str())),
        service.group.as_deref().map(|group| ("group", group)),
        service
            .version
            .as_deref()
            .map(|version| ("version", version)),
    ]
    .into_iter()
    .flatten()
    .find(|(_, text)| crate::question::placeholder(text).is_some());
    let in_address = case
        .registry
        .and_then(|registry| registry.placeholder())
        .map(|text| ("registry address", text));
    let (place, value) = match in_address {
        Some(found) => found,
        None => in_key.filter(|_| !is_registered_literally(case))?,
    };
    Some(Raised {
        code: Code::PlaceholderUnresolved,
        params: object(json!({"value": value, "place": place})),
        subject: ("setting".to_owned(), place.to_owned()),
        evidence: Vec::new(),
    })
}

fn is_registered_literally(case: &Case<'_>) -> bool {
    let wanted = case.question.service.to_string();
    case.held
        .entries
        .iter()
        .any(|entry| entry.plain().and_then(|url| url.service_key()).as_ref() == Some(&wanted))
}

/// Settings by which a reference does not ask the registry for providers.
fn misaddressed(case: &Case<'_>) -> Option<Raised> {
    let unsubscribed = case.registry.is_some_and(|registry| {
        registry
            .params
            .get("subscribe")
            .is_some_and(|v| v == "false")
    });
    let setting = if unsubscribed {
        "subscribe=false"
    } else if case
        .question
        .consumer
        .params
        .get("registry")
        .is_some_and(|v| v == "N/A")
    {
        "registry=N/A"
    } else {
        return None;
    };
    Some(Raised {
        code: Code::ConsumerMisaddressed,
        params: object(json!({"setting": setting})),
        subject: ("setting".to_owned(), setting.to_owned()),
        evidence: Vec::new(),
    })
}

/// Settings whose effect is not evaluated: what they bypass depends on the consumer's process.
fn layers(case: &Case<'_>) -> Vec<Layer> {
    let params = &case.question.consumer.params;
    let set = |name: &str, off: &str| params.get(name).is_some_and(|value| value != off);
    let mut layers: Vec<Layer> = case
        .held
        .layers
        .iter()
        .filter(|layer| layer.kind == LayerKind::ConsumerConfig)
        .cloned()
        .collect();
    for (name, off) in [("url", ""), ("injvm", "false"), ("scope", "remote")] {
        if set(name, off) {
            layers.push(Layer {
                kind: LayerKind::ConsumerConfig,
                name: format!("{name}={}", params[name]),
                evidence: None,
            });
        }
    }
    layers
}
