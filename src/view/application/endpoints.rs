//! The address under which a service of an application is called: `dubbo.endpoints`, the service's own port, or the
//! instance's.

use serde_json::Value;

use super::known::Instance;
use crate::model::{metadata::ServiceInfo, version::Line};

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
        let Some(text) = instance.metadata.get("dubbo.endpoints") else {
            return Self::Absent;
        };
        if text.trim().is_empty() {
            return Self::Absent;
        }
        match serde_json::from_str(text) {
            Ok(Value::Array(items)) => Self::Listed(items.iter().filter_map(endpoint).collect()),
            Ok(Value::Null) => Self::Absent,
            _ => Self::Unreadable,
        }
    }
}

fn endpoint(value: &Value) -> Option<(String, u32)> {
    let port = match value.get("port")? {
        Value::String(digits) => digits.trim().parse().ok()?,
        number => u32::try_from(number.as_u64()?).ok()?,
    };
    Some((value.get("protocol")?.as_str()?.to_owned(), port))
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
    match Endpoints::of(instance) {
        Endpoints::Absent => Some(instance.port),
        Endpoints::Unreadable => None,
        Endpoints::Listed(list) => {
            let protocol = service.protocol.as_deref().unwrap_or_default();
            let own = list.iter().find(|(name, _)| name == protocol);
            Some(own.map_or(instance.port, |(_, port)| *port))
        }
    }
}
