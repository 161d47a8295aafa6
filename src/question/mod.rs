//! What is asked: the service, what is known of the consumer, where it is configured to look. Pure.
//!
//! Everything a diagnosis may depend on besides the facts of the snapshot stands here, the time included,
//! so that the same question over the same snapshot gives the same bytes.

pub mod again;
mod configured;
mod registry;

pub use configured::{Configured, configured};
pub use registry::{
    AddressFault, AddressRemark, GroupOrigin, RegistryAddress, RegistryAddressError, RegistryKind,
    mask_address, placeholder,
};

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::Timestamp;

use crate::{
    input::log::{LogFacts, ReferenceHint},
    model::{service_key::ServiceKey, version::DubboVersion, zone::Zones},
};

/// One question of `diag no-provider`.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The service as the consumer's reference names it.
    pub service: ServiceKey,
    /// What is known of the consumer.
    pub consumer: Consumer,
    /// The registries of the consumer's own configuration, in its order.
    pub registries: Vec<RegistryAddress>,
    /// Further registries to look into; never assumed to be the consumer's.
    pub also_search: Vec<RegistryAddress>,
    /// The registries were read from a text or taken from a recording that need not say in which namespace, group or
    /// root the consumer looks: where an address has none, the default is only assumed.
    pub place_assumed: bool,
    /// The config centre when it is not derived from the registry.
    pub config_center: Option<RegistryAddress>,
    /// The registry is no config centre either (`use-as-config-center=false`).
    pub no_config_center: bool,
    /// The metadata report when it is not derived from the registry.
    pub metadata_report: Option<RegistryAddress>,
    /// The invocation, as far as it is known.
    pub invocation: Invocation,
    /// Whether other namespaces, groups and roots may be looked into.
    pub sweep: bool,
    /// Rooms and data centres, as far as somebody named them.
    pub zones: Zones,
    /// Optional facts that were made required (`--require qos,probe`).
    pub require: BTreeSet<String>,
    /// Registry addresses of the consumer's own configuration files that Dubbo cannot read (DG0107).
    pub unreadable: Vec<UnreadableAddress>,
    /// What logs say: pasted (`--from-log`), attached, or attached files of the recording.
    /// `origin.name` is the id of the file's source in the snapshot (`f1`). Shared: questions are asked in many variants.
    pub logs: Vec<Arc<LogFacts>>,
    /// Routers of the consumer's own code, as declared (`--router`).
    pub routers: Vec<String>,
    /// The moment of the diagnosis: the recording's time, or the clock of a live run.
    pub now: Timestamp,
}

impl Question {
    /// The bare question: one service, nothing known of the consumer, no registry.
    pub fn new(service: ServiceKey, now: Timestamp) -> Self {
        Self {
            service,
            consumer: Consumer::default(),
            registries: Vec::new(),
            also_search: Vec::new(),
            place_assumed: false,
            config_center: None,
            no_config_center: false,
            metadata_report: None,
            invocation: Invocation::default(),
            sweep: true,
            zones: Zones::default(),
            require: BTreeSet::new(),
            unreadable: Vec::new(),
            logs: Vec::new(),
            routers: Vec::new(),
            now,
        }
    }
}

/// A registry address in a configuration file that Dubbo cannot read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableAddress {
    /// What is wrong, with the address masked.
    pub error: RegistryAddressError,
    /// Property that holds it (`dubbo.registry.address`).
    pub property: String,
    /// Id of the file's source in the snapshot (`f1`).
    pub source: String,
    /// Line of the file, from 1.
    pub line: u64,
    /// Whether the user said that it is the consumer's file.
    pub of_consumer: bool,
}

/// What is known of the consumer. `None` = neither given nor observed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Consumer {
    /// `dubbo.application.name`.
    pub application: Option<String>,
    /// The address the consumer registers with.
    pub ip: Option<String>,
    /// Its Dubbo version.
    pub dubbo: Option<DubboVersion>,
    /// Whether it has been running since before the trouble or is just starting.
    pub state: Option<ConsumerState>,
    /// Since when it runs (`--consumer-since`).
    pub since: Option<Timestamp>,
    /// Parameters of the reference (`--param`): `protocol`, `tag`, `router`, `check` ...
    pub params: BTreeMap<String, String>,
    /// What a log shows of the reference itself. A parameter that is given wins.
    pub printed: Option<ReferenceHint>,
    /// Java Dubbo or another client.
    pub client: Option<Client>,
    /// Its JDK (`--jdk 17`), for script engines.
    pub jdk: Option<String>,
    /// Script engines that its own log says it has not.
    pub missing_engines: std::collections::BTreeSet<String>,
}

/// A running consumer keeps old lists and old rules, a starting one has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConsumerState {
    /// It already had a list of providers.
    Running,
    /// It subscribes for the first time.
    Starting,
}

/// The family of client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Client {
    /// Apache Dubbo for Java.
    Java,
    /// dubbo-go.
    Go,
}

/// The invocation, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invocation {
    /// Method name.
    pub method: Option<String>,
    /// Argument values as text, in order.
    pub arguments: Vec<String>,
    /// Attachments.
    pub attachments: BTreeMap<String, String>,
}

/// One of the worlds a diagnosis computes: the same facts, another assumption about the consumer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct World {
    /// Behaviour of this Dubbo version.
    pub dubbo: DubboVersion,
    /// Running or starting.
    pub state: ConsumerState,
}
