//! What a text says, with where it says so and how far that may be trusted.
//!
//! Only values live here; how they are found is in [`super::pattern`].

use serde::Serialize;

use crate::model::service_key::ServiceKey;

/// Where in the text a fact stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
pub struct Place {
    /// Line of the file, from 1.
    pub line: u64,
    /// Character in that line, from 1.
    pub column: u32,
    /// Byte of the file at which the line begins.
    pub offset: u64,
}

/// How far a fact may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// It fits, other readings are possible: a pod's name taken for an application.
    Guess,
    /// Follows from something else: a URL parameter, a stack frame, a jar's name, a wording.
    Derived,
    /// The process printed it about itself or about what it did.
    Stated,
}

/// One value read from the text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fact<T> {
    /// What was read.
    pub value: T,
    /// How far it may be trusted.
    pub strength: Strength,
    /// Where it stands.
    pub place: Place,
}

impl<T> Fact<T> {
    /// A fact the process printed itself.
    pub fn stated(value: T, place: Place) -> Self {
        Self {
            value,
            strength: Strength::Stated,
            place,
        }
    }

    /// A fact that follows from something else in the text.
    pub fn derived(value: T, place: Place) -> Self {
        Self {
            value,
            strength: Strength::Derived,
            place,
        }
    }

    /// A fact that is only likely.
    pub fn guessed(value: T, place: Place) -> Self {
        Self {
            value,
            strength: Strength::Guess,
            place,
        }
    }
}

/// Whether a part of a service key is there: a text that does not show the key proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// The text would not have shown it.
    #[default]
    Unknown,
    /// The text would have shown it and does not: there is none.
    Absent,
    /// It is this.
    Is(String),
}

impl Presence {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&str> {
        match self {
            Self::Is(text) => Some(text),
            Self::Unknown | Self::Absent => None,
        }
    }

    /// Whether the text decides it, either way.
    pub fn is_known(&self) -> bool {
        *self != Self::Unknown
    }

    /// Whether both can be true of one service.
    pub fn agrees(&self, other: &Self) -> bool {
        !self.is_known() || !other.is_known() || self == other
    }
}

/// A service as a text names it: `[group/]interface[:version]`, or less than that.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct KeyClaim {
    /// The interface.
    pub interface: String,
    /// The Dubbo group (never the group of a registry).
    pub group: Presence,
    /// The version.
    pub version: Presence,
}

/// Packages of services that are part of Dubbo itself.
const INFRASTRUCTURE: [&str; 2] = ["org.apache.dubbo.", "com.alibaba.dubbo."];

impl KeyClaim {
    /// Only the interface is known.
    pub fn interface(name: &str) -> Self {
        Self {
            interface: name.to_owned(),
            group: Presence::Unknown,
            version: Presence::Unknown,
        }
    }

    /// Splits a service key as Dubbo prints it (`URL.buildKey`, all lines): the group ends at the first `/`, the
    /// version begins at the last `:`; what is not there is proved absent. `None` for an empty interface.
    pub fn parse(key: &str) -> Option<Self> {
        let (group, rest) = match key.split_once('/') {
            Some((group, rest)) => (Presence::Is(group.to_owned()), rest),
            None => (Presence::Absent, key),
        };
        let (interface, version) = match rest.rsplit_once(':') {
            Some((interface, version)) => (interface, Presence::Is(version.to_owned())),
            None => (rest, Presence::Absent),
        };
        (!interface.is_empty()).then(|| Self {
            interface: interface.to_owned(),
            group,
            version,
        })
    }

    /// Whether both can name one service.
    pub fn agrees(&self, other: &Self) -> bool {
        self.interface == other.interface
            && self.group.agrees(&other.group)
            && self.version.agrees(&other.version)
    }

    /// Whether it can be this service.
    pub fn can_be(&self, service: &ServiceKey) -> bool {
        self.interface == service.interface
            && (!self.group.is_known() || self.group.value() == service.group.as_deref())
            && (!self.version.is_known() || self.version.value() == service.version.as_deref())
    }

    /// Takes over the parts that another text about the same service shows.
    pub fn fill(&mut self, other: &Self) {
        for (known, shown) in [
            (&mut self.group, &other.group),
            (&mut self.version, &other.version),
        ] {
            if !known.is_known() {
                *known = shown.clone();
            }
        }
    }

    /// A service of Dubbo itself (`MetadataService`, `MonitorService`, `RegistryService`): another problem than that of
    /// a business service.
    pub fn is_infrastructure(&self) -> bool {
        INFRASTRUCTURE
            .iter()
            .any(|package| self.interface.starts_with(package))
    }
}

/// Whose client wrote the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Apache Dubbo for Java, or Alibaba's.
    Java,
    /// dubbo-go.
    Go,
}

/// Which list of addresses a directory text speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Discovery {
    /// `RegistryDirectory`: interface level.
    Interface,
    /// `ServiceDiscoveryRegistryDirectory`: application level.
    Application,
}

/// Which end of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The caller.
    Consumer,
    /// The called.
    Provider,
}

/// What kind of rule a text speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleKind {
    /// Condition rule.
    Condition,
    /// Tag rule.
    Tag,
    /// Script rule.
    Script,
    /// Dynamic configuration.
    Configurator,
    /// Mesh rule.
    Mesh,
    /// Migration rule.
    Migration,
}

/// One node of a router snapshot (`RouterSnapshotNode.toString`, 3.0.6+).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct RouterRow {
    /// Nesting, `Parent` = 0. Every router is nested below the one before it.
    pub depth: u32,
    /// Simple class name.
    pub router: String,
    /// Addresses in.
    pub input: u64,
    /// Addresses that this router let through.
    pub own_output: u64,
    /// Addresses at the end of the chain from here.
    pub chain_output: u64,
    /// What the router says about it; `None` for the literal `null`.
    pub message: Option<String>,
    /// At most five of its addresses.
    pub addresses: Vec<String>,
}

/// A moment as printed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Moment {
    /// Verbatim.
    pub text: String,
    /// Milliseconds since 1970 in the zone of the text: UTC when `zone_known`, else the unknown local time.
    pub millis: Option<i64>,
    /// Whether the text names its zone or offset.
    pub zone_known: bool,
}
