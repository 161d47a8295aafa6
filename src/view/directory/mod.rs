//! The interface-level way of one consumer: registry entries become provider URLs, those become invokers.
//!
//! Mirrors `RegistryDirectory` (with the registry's own filter before it) notification by notification, oddities
//! included: which lists are kept, when calls are forbidden, whose parameters win. Each provider URL that does not
//! become an invoker carries its reason. It does not decide what that means; stages and verdict do.

mod apply;
mod merge;
mod protocols;
mod refresh;
mod registry;
mod routed;
mod service_url;

use std::collections::BTreeMap;

pub use self::merge::{look_up_defaults, merge_at_once};
pub use self::protocols::{Protocols, Support};
pub use self::refresh::{Fate, Invoker, Notice, Outcome};
pub use self::registry::Notified;
pub use self::service_url::ServiceUrl;
use crate::model::matching::Mismatch;
use crate::model::url::{Url, UrlError};
use crate::model::version::DubboVersion;
use crate::question::RegistryAddress;
use crate::rule::override_order::Configurators;
use crate::rule::override_url::ConfiguratorError;
use crate::view::stage::StageId;

/// Who asks, and where.
#[derive(Debug, Clone)]
pub struct Subscription {
    /// The reference's URL: `consumer://host/interface?..`, or with the protocol of its `protocol` parameter.
    pub consumer: Url,
    /// The registry's URL: its host and its `enable-empty-protection` count.
    pub registry: Url,
    /// The consumer's Dubbo.
    pub version: DubboVersion,
    /// The consumer's own address (`NetUtils.getLocalHost`).
    pub local_host: String,
    /// What its JVM can speak.
    pub protocols: Protocols,
}

impl Subscription {
    /// A consumer with this URL at a registry, as `RegistryProtocol.refer` sets it up.
    pub fn of(
        mut consumer: Url,
        registry: Option<&RegistryAddress>,
        version: &DubboVersion,
        protocols: Protocols,
    ) -> Self {
        let local_host = consumer.host.clone().unwrap_or_default();
        // 2.7 hands the address that is registered on as a parameter, from which the directory's own URL takes its host.
        if let Some(host) = &consumer.host
            && !version.line().is_3x()
        {
            consumer
                .parameters
                .entry("register.ip".to_owned())
                .or_insert_with(|| host.clone());
        }
        Self {
            consumer,
            registry: Url {
                protocol: registry.map(|registry| registry.scheme.clone()),
                username: None,
                password: None,
                host: registry
                    .and_then(|registry| registry.members.first())
                    .and_then(|member| member.rsplit_once(':'))
                    .map(|(host, _)| host.to_owned()),
                port: 0,
                path: None,
                parameters: registry
                    .map(|registry| registry.params.clone())
                    .unwrap_or_default(),
            },
            version: version.clone(),
            local_host,
            protocols,
        }
    }
}

/// What one notification brings; a category that is `None` is not part of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Notification<'a> {
    /// The entries of `providers`, as the registry stores them (encoded).
    pub providers: Option<&'a [&'a str]>,
    /// The entries of `configurators`, likewise.
    pub configurators: Option<&'a [&'a str]>,
}

/// Rules from outside the registry's tree, in the order in which they are applied.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// `{application}.configurators`
    pub application: Configurators,
    /// `{interface}:{version}:{group}.configurators`
    pub service: Configurators,
}

/// An entry of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId {
    /// Among the `configurators` and not the `providers`. What lies there is taken for a provider when it neither is an
    /// `override://` nor names its category (an `absent://` or `empty://` without `category`).
    pub among_configurators: bool,
    /// Its place in the list, from 0.
    pub place: usize,
}

impl EntryId {
    /// An entry of `providers`.
    pub fn provider(place: usize) -> Self {
        Self {
            among_configurators: false,
            place,
        }
    }

    /// An entry of `configurators`.
    pub fn configurator(place: usize) -> Self {
        Self {
            among_configurators: true,
            place,
        }
    }
}

/// Why a provider URL did not become an invoker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drop {
    /// The entry is no URL: it has no `://`.
    NotAUrl,
    /// Not what the consumer asks for: everything in which it fails, in the order of the real code.
    Mismatch(Vec<Mismatch>),
    /// The same entry as that one, apart from `timestamp` and `pid`; the registry client of 3.x makes them one.
    Repeated(EntryId),
    /// The same URL as that entry's, apart from the timestamp, once consumer and rules are merged in.
    Duplicate(EntryId),
    /// Not a provider: an entry of another category, or an `override://` or `route://` among the providers.
    NotAProvider,
    /// The reference asks for other protocols (`protocol` of the reference).
    Protocol {
        /// What it asks for, as written.
        asked: String,
    },
    /// `empty://`: a word of the registry client, no provider.
    Empty,
    /// The consumer's JVM cannot speak it.
    UnsupportedProtocol(Support),
    /// `disabled` is true once consumer and rules have had their say.
    Disabled,
    /// `enabled` is not true once consumer and rules have had their say.
    NotEnabled,
}

impl Drop {
    /// The stage that drops it. A mismatch in the key hides a switched-off provider, as the stages are ordered.
    pub fn stage(&self) -> StageId {
        match self {
            Self::NotAUrl | Self::NotAProvider | Self::Empty => StageId::NameForm,
            Self::Mismatch(failed) if failed.iter().all(|&m| m == Mismatch::Enabled) => {
                StageId::Entries
            }
            Self::Mismatch(_) => StageId::Key,
            Self::Repeated(_) | Self::Duplicate(_) => StageId::Entries,
            Self::Protocol { .. } | Self::UnsupportedProtocol(_) => StageId::Protocol,
            Self::Disabled | Self::NotEnabled => StageId::Configurators,
        }
    }

    /// Whether the registry client drops it already, so that it never reaches the directory.
    pub fn is_by_registry(&self) -> bool {
        matches!(self, Self::NotAUrl | Self::Mismatch(_) | Self::Repeated(_))
    }
}

/// A notification on which the real code throws: it has no effect beyond what the variant says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotifyError {
    /// The registry client cannot read an entry of `providers`; the whole notification is lost.
    #[error("the provider entry at place {place} cannot be read: {error}")]
    Entry {
        /// Its place in the list, from 0.
        place: usize,
        /// What is wrong with it.
        error: UrlError,
    },
    /// Likewise of `configurators`.
    #[error("the configurator entry at place {place} cannot be read: {error}")]
    Configurator {
        /// Its place in the list, from 0.
        place: usize,
        /// What is wrong with it.
        error: UrlError,
    },
    /// A rule cannot be used; invokers stay as they were.
    #[error(transparent)]
    Rule(#[from] ConfiguratorError),
    /// A provider URL without a protocol reached the directory; invokers stay as they were.
    #[error("a provider entry has no protocol")]
    NoProtocol,
    /// 3.x: rules exist, and a provider URL has a password but no user; invokers stay as they were.
    #[error("a provider entry has a password but no user, which rules cannot be applied to")]
    PasswordWithoutUser,
    /// 2.7.9 on: a provider URL without `application` is notified **again**, and comparing it with itself fails; from
    /// then on invokers never change.
    #[error(
        "a provider entry without `application` cannot be compared with the one known from before"
    )]
    NoApplication,
}

impl NotifyError {
    /// Whether it is the registry client that fails; the directory is then not told at all.
    pub fn is_by_registry(&self) -> bool {
        matches!(self, Self::Entry { .. } | Self::Configurator { .. })
    }
}

/// What differs between versions.
#[derive(Debug, Clone, Copy)]
struct Traits {
    /// 3.x: consumer, provider and rules stay layers.
    layers: bool,
    /// Rules also change the consumer's own URL: not in 3.0.5 to 3.1.
    own_url_configured: bool,
    /// The consumer's own URL takes over what providers say and it does not: 2.x but 2.7.9, and 3.0 before 3.0.5.
    own_url_absorbs: bool,
    /// .. except `dubbo.tag` (2.7.16 on).
    tag_not_absorbed: bool,
    /// Calls are allowed again before the list is looked at (all but 2.7).
    allows_first: bool,
    /// An empty first list counts as a list to remember (before 3.1.3); no difference can be seen yet.
    remembers_nothing: bool,
    /// URLs that differ in their timestamp are not the same (before 2.7.9).
    timestamp_counts: bool,
    /// A merged URL of a provider without `application` cannot be compared (2.7.9 on).
    needs_application: bool,
    /// Equal URLs are made one before they become invokers (3.3.2 on).
    distinct: bool,
    /// `mock` anywhere: 3.x before 3.2.5 takes the tag off the provider's URL by mistake, later the mock.
    mock_removes: Option<&'static str>,
    /// 3.3: `preferred.protocol`, `ext.protocol`.
    preferred_protocol: bool,
    /// 3.3: rules see group and version of an address.
    rules_see_key: bool,
}

impl Traits {
    fn of(version: &DubboVersion) -> Self {
        let layers = version.line().is_3x();
        let before_3_0_5 = !version.at_least([3, 0, 5]);
        let is_2_7_9 = version.at_least([2, 7, 9]) && !version.at_least([2, 7, 10]);
        Self {
            layers,
            own_url_configured: before_3_0_5 || version.at_least([3, 2]),
            own_url_absorbs: before_3_0_5 && !is_2_7_9,
            tag_not_absorbed: version.at_least([2, 7, 16]) && !layers,
            allows_first: layers || !version.at_least([2, 7]),
            remembers_nothing: !version.at_least([3, 1, 3]),
            timestamp_counts: !version.at_least([2, 7, 9]),
            needs_application: version.at_least([2, 7, 9]) && !layers,
            distinct: version.at_least([3, 3, 2]),
            mock_removes: match (layers, version.at_least([3, 2, 5])) {
                (false, _) => None,
                (true, false) => Some("dubbo.tag"),
                (true, true) => Some("mock"),
            },
            preferred_protocol: version.at_least([3, 3]),
            rules_see_key: version.at_least([3, 3]),
        }
    }
}

/// The state of one consumer's directory between notifications.
#[derive(Debug, Clone)]
pub struct Directory {
    subscription: Subscription,
    traits: Traits,
    /// The consumer's URL as it subscribes: with its categories.
    subscribed: Url,
    /// The reference's parameters as the directory holds them.
    query: BTreeMap<String, String>,
    registry_rules: Configurators,
    rules: Rules,
    /// The provider URLs notified last; without an entry where it is the registry client's own `empty://`.
    remembered: Option<Vec<(Option<EntryId>, ServiceUrl)>>,
    invokers: Vec<Invoker>,
    forbidden: bool,
    own_url: Url,
    /// It took over the null `remote.application` of a provider without `application`.
    own_url_has_null: bool,
}

impl Directory {
    /// A consumer that has not been told anything yet.
    pub fn new(subscription: Subscription) -> Self {
        let consumer = &subscription.consumer;
        let mut subscribed = consumer.clone();
        subscribed.parameters.insert(
            "category".to_owned(),
            "providers,configurators,routers".to_owned(),
        );
        let traits = Traits::of(&subscription.version);
        let query = if traits.layers {
            consumer.parameters.clone()
        } else {
            merge::query_2x(&consumer.parameters)
        };
        let mut directory = Self {
            own_url: consumer.clone(),
            own_url_has_null: false,
            traits,
            subscribed,
            query,
            registry_rules: Configurators::default(),
            rules: Rules::default(),
            remembered: None,
            invokers: Vec::new(),
            forbidden: false,
            subscription,
        };
        directory.own_url = directory.original_url();
        directory
    }

    /// The addresses that calls choose from, before connectivity and routers.
    pub fn invokers(&self) -> &[Invoker] {
        &self.invokers
    }

    /// Whether calls are refused outright, without looking at addresses.
    pub fn is_forbidden(&self) -> bool {
        self.forbidden
    }

    /// The consumer's own URL after rules: it decides retries, cluster and what rules of the consumer's side see.
    pub fn own_url(&self) -> &Url {
        &self.own_url
    }

    /// An entry as it would be notified, whatever the registry's filter says of it.
    pub fn read(&self, entry: &str) -> Result<ServiceUrl, NotifyError> {
        registry::read(entry, &self.subscription, &self.subscription.consumer)
    }

    /// Who asks.
    pub fn subscription(&self) -> &Subscription {
        &self.subscription
    }

    /// The consumer's own URL before rules. 2.x builds it from the registry's URL and the reference's parameters: before
    /// 2.7.10 host and port stay the registry's, before 2.7.9 also protocol and path.
    fn original_url(&self) -> Url {
        if self.traits.layers {
            return self.subscription.consumer.clone();
        }
        let mut parameters = self.query.clone();
        parameters.remove("monitor");
        let registry = &self.subscription.registry;
        if !self.subscription.version.at_least([2, 7, 10]) {
            let consumed = self.query.get("protocol").map_or("dubbo", String::as_str);
            let keeps_protocol = !self.subscription.version.at_least([2, 7, 9]);
            return Url {
                protocol: if keeps_protocol {
                    registry.protocol.clone()
                } else {
                    Some(consumed.to_owned())
                },
                path: if keeps_protocol {
                    registry.service_interface().map(str::to_owned)
                } else {
                    self.query.get("interface").cloned()
                },
                parameters,
                ..registry.clone()
            };
        }
        Url {
            protocol: Some(
                self.query
                    .get("protocol")
                    .map_or("dubbo", String::as_str)
                    .to_owned(),
            ),
            host: self
                .query
                .get("register.ip")
                .or(registry.host.as_ref())
                .cloned(),
            port: 0,
            path: self.query.get("interface").cloned(),
            parameters,
            ..registry.clone()
        }
    }
}

#[cfg(test)]
mod tests;
