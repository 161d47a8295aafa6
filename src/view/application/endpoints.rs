//! The address under which a service of an application is called: `dubbo.endpoints`, the service's own port, or the
//! instance's.

use serde_json::{Value, json};

use super::{SHOWN, known::Instance, object, revisions::Described};
use crate::{
    diagnose::code::Code,
    model::{metadata::ServiceInfo, version::Line},
    view::stage::{Dropped, Raised, Stage, StageId},
};

/// The word for them in parameters of findings.
pub(crate) const ENDPOINTS: &str = "dubbo.endpoints";

/// What the endpoints say of the port of a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ports {
    /// Nothing.
    None,
    /// This one.
    Of(u32),
    /// They are no such list: the client throws.
    Unreadable,
}

/// `dubbo.endpoints` of an instance: protocols with their ports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Endpoints {
    /// It has none.
    Absent,
    /// In order.
    Listed(Vec<(String, u32)>),
    /// It is no such list: the client throws.
    Unreadable,
}

impl Endpoints {
    /// Reads them.
    pub(crate) fn of(instance: &Instance) -> Self {
        Self::of_text(instance.metadata.get(ENDPOINTS))
    }

    /// The port of a protocol; of two the first counts.
    pub(crate) fn port(&self, protocol: &str) -> Ports {
        match self {
            Self::Absent => Ports::None,
            Self::Unreadable => Ports::Unreadable,
            Self::Listed(list) => {
                let own = list.iter().find(|(name, _)| name == protocol);
                own.map_or(Ports::None, |(_, port)| Ports::Of(*port))
            }
        }
    }

    /// Reads the text.
    pub(crate) fn of_text(text: Option<&String>) -> Self {
        let Some(text) = text else {
            return Self::Absent;
        };
        if text.trim().is_empty() {
            return Self::Absent;
        }
        match serde_json::from_str(text) {
            Ok(Value::Array(items)) => {
                let list: Option<Vec<_>> = items.iter().map(endpoint).collect();
                list.map_or(Self::Unreadable, Self::Listed)
            }
            Ok(Value::Null) => Self::Absent,
            _ => Self::Unreadable,
        }
    }
}

/// A port that is not said is 0; `None`: no number, which no client reads.
fn endpoint(value: &Value) -> Option<(String, u32)> {
    let port = match value.get("port") {
        None | Some(Value::Null) => 0,
        Some(Value::String(digits)) => digits.trim().parse().ok()?,
        Some(number) => u32::try_from(number.as_u64()?).ok()?,
    };
    let protocol = value.get("protocol").and_then(Value::as_str);
    Some((protocol.unwrap_or_default().to_owned(), port))
}

/// The port of a service at an instance (`ServiceInstancesChangedListener.getServiceUrlsCache`): 3.1 on the service's own
/// where it has one, else that of the endpoint of its protocol; 2.7 always the instance's. `None`: the client throws.
pub(crate) fn port(instance: &Instance, service: &ServiceInfo, line: Line) -> Option<u32> {
    if !line.is_3x() {
        return Some(instance.port);
    }
    if line >= Line::V3_1
        && let Some(port) = service.port.and_then(|port| u32::try_from(port).ok())
        && port > 0
    {
        return Some(port);
    }
    match Endpoints::of(instance).port(service.protocol.as_deref().unwrap_or_default()) {
        Ports::None => Some(instance.port),
        Ports::Unreadable => None,
        Ports::Of(port) => Some(port),
    }
}

/// Whether the endpoints of an instance are such that the client throws as soon as it needs a port from them.
pub(super) fn are_unreadable(instance: &Instance, line: Line) -> bool {
    line.is_3x() && Endpoints::of(instance) == Endpoints::Unreadable
}

/// Whether the client throws on an instance: for any service of its revision, not only the one asked for, a port is looked
/// up. What only a QOS port or a log says of a service leaves its port out: metadata of 3.1 on have one.
pub(super) fn throws(described: &Described<'_>, line: Line) -> bool {
    are_unreadable(described.instance, line)
        && !(described.partial && line >= Line::V3_1)
        && described
            .services
            .iter()
            .any(|service| port(described.instance, service, line).is_none())
}

/// Stage I when the notification is lost: not one address of it arrives.
pub(super) fn lost(total: usize, taken: &[&Instance], broken: &[&Instance]) -> Stage {
    let drops = taken.iter().map(|instance| Dropped {
        address: instance.address.clone(),
        code: Code::InstanceMetadataMissing,
        rule: None,
        position: None,
    });
    let mut applications: Vec<&str> = broken.iter().map(|one| &*one.application).collect();
    applications.sort_unstable();
    applications.dedup();
    let applications = applications.join(", ");
    let raised = Raised {
        code: Code::InstanceMetadataMissing,
        params: object(json!({
            "application": applications, "lacks": ENDPOINTS, "count": broken.len(),
            "address": broken.first().map(|one| &one.address), "form": "unreadable",
        })),
        subject: ("application".to_owned(), applications),
        evidence: broken
            .iter()
            .take(SHOWN)
            .map(|one| one.evidence.clone())
            .collect(),
    };
    Stage::counted(StageId::Instances, total, 0, drops.collect(), vec![raised])
}
