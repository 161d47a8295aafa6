//! What one registry holds about one service: read once, before any Dubbo version is assumed.
//!
//! Both kinds of registry are brought to this form, so that the stages are written once. Nothing here decides: an
//! entry is kept whatever its group, version or state, and what could not be seen says so.

use std::collections::BTreeMap;

use super::application::Application;
use super::rule_keys::names_interface;
use super::rule_store::RuleStore;
use super::stage::{Evidence, NotSeen, Raised, StageId};
use crate::{
    diagnose::code::Code,
    model::{
        service_key::ServiceKey,
        url::{Url, UrlError},
        version::DubboVersion,
    },
    question::{Consumer, RegistryAddress},
    report::words::{Phrase, Say},
    snapshot::SourceId,
};

/// What one member of one registry (or the registry as a whole) says about the service.
#[derive(Debug, Clone)]
pub struct Held {
    /// The source in the snapshot; `None` when the recording holds nothing of this registry.
    pub source: Option<SourceId>,
    /// The registry as the consumer's configuration has it, secrets masked.
    pub registry: String,
    /// The member whose answers these are, when members differ.
    pub via: Option<String>,
    /// Whether it answered at all.
    pub reach: Reach,
    /// Members of the address that did not answer while another one did.
    pub silent: Vec<NotSeen>,
    /// Where in the registry the consumer looks, in words of the registry (`/dubbo`).
    pub place: String,
    /// Whether the provider entries at that place are known completely.
    pub listing: Listing,
    /// Every provider entry of the interface at that place.
    pub entries: Vec<Entry>,
    /// Names at that place that no version can read as a URL.
    pub unreadable: Vec<String>,
    /// Rules of the registry itself, `configurators`.
    pub configurators: Vec<Entry>,
    /// What an entry list that is not known completely may hide: possible causes.
    pub hidden: Vec<Raised>,
    /// The consumer's place is none that the registry knows (Nacos: an id that is no namespace's).
    pub no_such_place: Option<Raised>,
    /// Whether `configurators` is known completely.
    pub configurators_listing: Listing,
    /// Consumers of the interface at that place.
    pub consumers: Vec<Entry>,
    /// What is there and bears on the answer, but is not evaluated.
    pub layers: Vec<Layer>,
    /// Facts of the rules that were not seen.
    pub rules_not_seen: Vec<NotSeen>,
    /// Lists of entries for which another one stands in.
    pub lists_not_seen: Vec<NotSeen>,
    /// Rule texts of the config centre.
    pub rules: RuleStore,
    /// Rules of the registry itself, `routers`.
    pub routes: Vec<Entry>,
    /// Why that list was not seen. A consumer of 2.x reads it, a later one makes no router of it.
    pub routes_not_seen: Option<NotSeen>,
    /// Rules that lie among the providers, where nobody takes them for rules.
    pub strangers: Vec<Entry>,
    /// What is known of the application model.
    pub application: Application,
    /// Other interfaces at that place whose names are near, with their providers.
    pub near: Vec<NearInterface>,
    /// Full names that a name without package may mean, wherever they are listed, and the other place where that is; empty
    /// for a name that has its package.
    pub spelled: BTreeMap<String, Option<String>>,
    /// The interface at other places of the same registry.
    pub elsewhere: Vec<Elsewhere>,
    /// Whether every other place of this registry was looked into.
    pub swept: Listing,
    /// Other registries that were to be looked into and that nobody saw.
    pub others_not_seen: Vec<NotSeen>,
    /// Facts found on the way that are findings whatever the verdict.
    pub remarks: Vec<Raised>,
}

impl Held {
    /// The place of a consumer of whose registry nothing is known.
    pub(crate) const NOWHERE: &'static str = "-";

    /// A registry of which nothing is known.
    pub fn unknown(registry: &str, not_seen: NotSeen) -> Self {
        Self {
            source: None,
            registry: registry.to_owned(),
            via: None,
            reach: Reach::Unknown(not_seen.clone()),
            silent: Vec::new(),
            place: Self::NOWHERE.to_owned(),
            listing: Listing::Unknown(not_seen.clone()),
            entries: Vec::new(),
            unreadable: Vec::new(),
            configurators: Vec::new(),
            hidden: Vec::new(),
            no_such_place: None,
            configurators_listing: Listing::Unknown(not_seen.clone()),
            consumers: Vec::new(),
            layers: Vec::new(),
            rules_not_seen: vec![not_seen.clone()],
            lists_not_seen: Vec::new(),
            rules: RuleStore::default(),
            routes: Vec::new(),
            routes_not_seen: None,
            strangers: Vec::new(),
            application: Application::default(),
            near: Vec::new(),
            spelled: BTreeMap::new(),
            elsewhere: Vec::new(),
            swept: Listing::Unknown(not_seen),
            others_not_seen: Vec::new(),
            remarks: Vec::new(),
        }
    }
}

/// Whether a registry answered.
#[derive(Debug, Clone)]
pub enum Reach {
    /// It did; what shows it, when there is a line for that.
    Answered(Option<Evidence>),
    /// It did not, or refused.
    Failed(ReachFailure),
    /// Nothing is known.
    Unknown(NotSeen),
}

/// Why a registry could not be read.
#[derive(Debug, Clone)]
pub struct ReachFailure {
    /// Code and proof.
    pub raised: Raised,
    /// How far the failure holds for the consumer.
    pub standing: Standing,
}

/// Whether what `diag` saw is what the consumer sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Another host or other credentials: could be different for the consumer.
    Elsewhere,
    /// Not the consumer itself, but the answer would hardly be another.
    Same,
    /// Seen from the consumer's host, or said by its own log.
    Consumers,
}

/// Whether a list is known.
#[derive(Debug, Clone)]
pub enum Listing {
    /// Completely, with what shows it.
    Complete(Option<Evidence>),
    /// The place itself does not exist.
    Absent(Option<Evidence>),
    /// Not, or not completely.
    Unknown(NotSeen),
}

impl Listing {
    /// Known completely, be it that there is nothing.
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown(_))
    }

    /// What shows it.
    pub fn evidence(&self) -> Option<&Evidence> {
        match self {
            Self::Complete(evidence) | Self::Absent(evidence) => evidence.as_ref(),
            Self::Unknown(_) => None,
        }
    }

    /// What is missing.
    pub fn not_seen(&self) -> Option<&NotSeen> {
        match self {
            Self::Unknown(not_seen) => Some(not_seen),
            _ => None,
        }
    }
}

/// One entry as the registry holds it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The text or fields from which a consumer makes a URL.
    pub raw: Raw,
    /// Where it was seen.
    pub evidence: Evidence,
    /// ZooKeeper: the node belongs to a session (`dynamic=true`) or to nobody; `None` when its stat was not seen.
    pub ephemeral: Option<bool>,
    /// ZooKeeper: session that owns it.
    pub owner: Option<i64>,
    /// ZooKeeper: the creator's address as Curator writes it.
    pub creator: Option<String>,
    /// When it was created or last changed, milliseconds since 1970.
    pub changed_ms: Option<i64>,
    /// Nacos: what the server adds to an instance.
    pub nacos: Option<NacosSide>,
}

/// From what a consumer makes a URL.
#[derive(Debug, Clone, PartialEq)]
pub enum Raw {
    /// An encoded URL, the name of a ZooKeeper node.
    Encoded(String),
    /// A Nacos instance (`NacosRegistry.buildURL`): protocol and path are among the metadata.
    Instance {
        /// Host.
        ip: String,
        /// Port.
        port: u32,
        /// Metadata.
        metadata: BTreeMap<String, String>,
    },
}

/// What Nacos knows of an instance besides its metadata.
#[derive(Debug, Clone, PartialEq)]
pub struct NacosSide {
    /// Name of the service under which it is registered (`providers:..`).
    pub service: String,
    /// Switched off by the console or an API.
    pub enabled: bool,
    /// Heartbeats arrive.
    pub healthy: bool,
    /// Weight.
    pub weight: f64,
    /// The list for clients calls it healthy and the console's does not: the protection threshold is reached.
    pub rewritten: bool,
    /// What becomes of it when its process is gone.
    pub removal: Removal,
}

/// When Nacos removes an instance whose process has gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// Persistent: never by itself.
    Never,
    /// Registered over gRPC (clients of 2.x): with its connection, within a second when the process ends, within 20 to
    /// 28 s when its host hangs or the network is gone; it is never called unhealthy before.
    WithConnection,
    /// Registered over HTTP (clients of 1.x): called unhealthy and then removed so many milliseconds after the last beat.
    AfterBeats {
        /// Until it is called unhealthy.
        unhealthy_ms: u64,
        /// Until it is removed.
        removed_ms: u64,
        /// It would stay longer by its own limit, and the server drops its client.
        expires: bool,
    },
    /// The answers do not tell how it was registered.
    Unknown,
}

impl Entry {
    /// Its text as the registry stores it; a Nacos instance has none.
    pub fn encoded(&self) -> Option<&str> {
        match &self.raw {
            Raw::Encoded(text) => Some(text),
            Raw::Instance { .. } => None,
        }
    }

    /// The URL that a consumer of this version makes of it.
    ///
    /// # Errors
    /// The version cannot read the text.
    pub fn url(&self, version: &DubboVersion) -> Result<Url, UrlError> {
        match &self.raw {
            Raw::Encoded(text) => Url::parse_encoded(text, version),
            Raw::Instance { ip, port, metadata } => Ok(Url {
                protocol: metadata.get("protocol").cloned(),
                username: None,
                password: None,
                host: Some(ip.clone()),
                port: *port,
                path: metadata.get("path").cloned(),
                parameters: metadata.clone(),
            }),
        }
    }

    /// The URL as the newest line reads it: good enough to show, to count and to compare names.
    pub fn plain(&self) -> Option<Url> {
        self.url(&DubboVersion::newest(crate::model::version::Line::V3_3))
            .or_else(|_| self.url(&DubboVersion::newest(crate::model::version::Line::V2_7)))
            .ok()
    }

    /// `host:port`, or the raw text when it has none.
    pub fn address(&self) -> String {
        self.plain()
            .and_then(|url| url.address())
            .unwrap_or_else(|| match &self.raw {
                Raw::Encoded(text) => text.chars().take(80).collect(),
                Raw::Instance { ip, port, .. } => format!("{ip}:{port}"),
            })
    }

    /// Its evidence, naming the entry shortly: key, address, application. The whole URL is in the source.
    pub fn named_evidence(&self) -> Evidence {
        let mut evidence = self.evidence.clone();
        let text = self.plain().map_or_else(String::new, |url| {
            let application = url.text("application").map(str::to_owned);
            let parts = [url.service_key(), url.address(), application];
            parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
        });
        evidence.fact.params.insert("entry", text);
        evidence
    }

    /// Whether it is the entry of a consumer: same address, or same application where no address is known.
    pub fn is_of(&self, consumer: &Consumer) -> bool {
        let Some(url) = self.plain() else {
            return false;
        };
        match (&consumer.ip, &consumer.application) {
            (Some(ip), Some(application)) => {
                url.host.as_deref() == Some(ip) && url.text("application") == Some(application)
            }
            (Some(ip), None) => url.host.as_deref() == Some(ip),
            (None, Some(application)) => url.text("application") == Some(application),
            (None, None) => false,
        }
    }

    /// `application` of the entry.
    pub fn application(&self) -> Option<String> {
        self.plain()
            .and_then(|url| url.text("application").map(str::to_owned))
    }
}

/// For whom a rule is, by its key without the ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleBearing {
    /// The service of the question, in whatever spelling.
    Service,
    /// The same interface under another group or version.
    OtherKey,
    /// An application.
    Application,
}

impl RuleBearing {
    /// Tells whom a key is for.
    pub fn of(base: &str, service: &ServiceKey) -> Self {
        if !names_interface(base, &service.interface) {
            return Self::Application;
        }
        let mut parts = base.split(':');
        let _ = parts.next();
        let (version, group) = (parts.next(), parts.next());
        let same = |written: Option<&str>, asked: Option<&str>| {
            written.unwrap_or_default() == asked.unwrap_or_default()
        };
        let is_plain = version.is_none() && group.is_none();
        let (asked_version, asked_group) = (service.version.as_deref(), service.group.as_deref());
        // One in the place of the other is this service, too, by mistake.
        let swapped = same(version, asked_group) && same(group, asked_version);
        if is_plain || same(version, asked_version) && same(group, asked_group) || swapped {
            Self::Service
        } else {
            Self::OtherKey
        }
    }
}

/// What is there and may decide, but is not evaluated by this version of `diag`.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Kind.
    pub kind: LayerKind,
    /// Key, path or parameter.
    pub name: String,
    /// Where it was seen.
    pub evidence: Option<Evidence>,
}

/// The kinds of [`Layer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerKind {
    /// A router rule of the config centre: condition, tag, script, mesh.
    RoutingRule,
    /// `route://`, `condition://`, `script://` in the registry.
    RegistryRoute,
    /// A configurator document of the config centre.
    Configurator,
    /// `override://` among the providers.
    OverrideAmongProviders,
    /// `dubbo.properties` of the config centre.
    Properties,
    /// A tag of a provider or of the consumer.
    Tag,
    /// `router=` of a provider or of the consumer.
    RouterParameter,
    /// A migration rule or parameter.
    Migration,
    /// Discovery by application may be in use.
    ApplicationModel,
    /// Answers of a QOS port.
    Qos,
    /// A cache file of a process.
    Cache,
    /// Settings of the consumer in an attached file.
    ConsumerConfig,
    /// Failures in the consumer's log that the registry does not explain.
    Log,
    /// A client that is not modelled.
    OtherClient,
    /// A kind of registry that is not read.
    OtherRegistry,
}

impl LayerKind {
    /// The stage at which it acts.
    pub fn stage(self) -> StageId {
        match self {
            Self::RoutingRule | Self::RegistryRoute | Self::Tag | Self::RouterParameter => {
                StageId::Router("rules".to_owned())
            }
            Self::Configurator | Self::OverrideAmongProviders | Self::Properties => {
                StageId::Configurators
            }
            Self::Migration | Self::ApplicationModel => StageId::Decision,
            Self::Qos | Self::Cache | Self::Log => StageId::ConsumerView,
            Self::ConsumerConfig | Self::OtherClient => StageId::Question,
            Self::OtherRegistry => StageId::Reach,
        }
    }

    /// The sentence that names it.
    pub fn say(self) -> Say {
        match self {
            Self::RoutingRule => Say::LayerRoutingRule,
            Self::RegistryRoute => Say::LayerRegistryRoute,
            Self::Configurator => Say::LayerConfigurator,
            Self::OverrideAmongProviders => Say::LayerOverrideAmongProviders,
            Self::Properties => Say::LayerProperties,
            Self::Tag => Say::LayerTag,
            Self::RouterParameter => Say::LayerRouterParameter,
            Self::Migration => Say::LayerMigration,
            Self::ApplicationModel => Say::LayerApplicationModel,
            Self::Qos => Say::LayerQos,
            Self::Cache => Say::LayerCache,
            Self::ConsumerConfig => Say::LayerConsumerConfig,
            Self::Log => Say::LayerLog,
            Self::OtherClient => Say::LayerOtherClient,
            Self::OtherRegistry => Say::LayerOtherRegistry,
        }
    }
}

impl Layer {
    /// As a fact that was not seen: present, not evaluated.
    pub fn not_seen(&self) -> NotSeen {
        NotSeen {
            what: Phrase::new(self.kind.say()).with("name", &self.name),
            why: Say::NotEvaluated.into(),
            how_to_see: None,
            required: true,
        }
    }
}

/// Another interface whose name is near.
#[derive(Debug, Clone)]
pub struct NearInterface {
    /// Its full name.
    pub interface: String,
    /// Its providers.
    pub entries: Vec<Entry>,
    /// Only the spelling of an inner class differs (`$` and `___`).
    pub same_spelling: bool,
}

/// The interface at another place of the same registry.
#[derive(Debug, Clone)]
pub struct Elsewhere {
    /// The consumer's registry as it would have to be configured to look there; two where the group may be given in two
    /// ways and nobody says which. Empty where that is not known.
    pub addresses: Vec<RegistryAddress>,
    /// Which part of the place differs: namespace, registry group or root.
    pub code: Code,
    /// The place.
    pub place: String,
    /// Parts of the place that differ: `namespace`, `group`, `registry`.
    pub differs: Vec<&'static str>,
    /// Providers there.
    pub entries: Vec<Entry>,
    /// This consumer's own entry or subscription is there.
    pub has_consumer: bool,
    /// Applications of providers there that have other services there and none here.
    pub moved_applications: Vec<String>,
}
