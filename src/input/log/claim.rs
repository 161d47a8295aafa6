//! The kinds of facts a message may carry, as data: name, type, and whether the value changes from one call to the
//! next (such values do not tell two failures apart).

use serde::Serialize;
use serde::ser::SerializeMap;

use super::fact::{
    Discovery, End, Fact, KeyClaim, Language, Moment, Place, RouterRow, RuleKind, Strength,
};

macro_rules! claims {
    ($($(#[$doc:meta])* $variant:ident / $name:ident : $ty:ty, $steady:literal;)*) => {
        /// One fact with its kind.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Claim { $($(#[$doc])* $variant(Fact<$ty>),)* }

        impl Claim {
            /// Names of all kinds.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name),)*];

            /// The kind's name, as in reports and tests.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => stringify!($name),)* }
            }

            /// Where it stands.
            pub fn place(&self) -> Place {
                match self { $(Self::$variant(fact) => fact.place,)* }
            }

            /// How far it may be trusted.
            pub fn strength(&self) -> Strength {
                match self { $(Self::$variant(fact) => fact.strength,)* }
            }

            /// Whether the value stays the same when the same failure happens again; lists of addresses depend on load
            /// balancing.
            pub fn is_steady(&self) -> bool {
                match self { $(Self::$variant(_) => $steady,)* }
            }

            /// The value alone.
            pub fn value(&self) -> serde_json::Value {
                match self { $(Self::$variant(fact) => serde_json::json!(fact.value),)* }
            }

            /// Whether kind and value are equal, wherever they stand.
            pub fn says_the_same(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Self::$variant(a), Self::$variant(b)) => a.value == b.value,)*
                    _ => false,
                }
            }
        }

        impl Facts {
            $(
                $(#[$doc])*
                ///
                /// The strongest such fact, the first of equals.
                pub fn $name(&self) -> Option<&Fact<$ty>> {
                    let mut best: Option<&Fact<$ty>> = None;
                    for claim in &self.0 {
                        if let Claim::$variant(fact) = claim
                            && best.is_none_or(|known| fact.strength > known.strength)
                        {
                            best = Some(fact);
                        }
                    }
                    best
                }
            )*
        }
    };
}

claims! {
    /// The service asked for.
    Service / service: KeyClaim, true;
    /// The method called.
    Method / method: String, true;
    /// A generic call: the name of the real method is not in `method`.
    Generic / generic: bool, true;
    /// Whose client wrote the text.
    Language / lang: Language, true;
    /// Version of the process that wrote the line (Java), as printed.
    Dubbo / dubbo: String, true;
    /// Version of dubbo-go that wrote the line.
    GoVersion / go_version: String, true;
    /// Version in the name of a Dubbo jar of a stack frame.
    DubboJar / dubbo_jar: String, true;
    /// The wording exists from this version on.
    DubboAtLeast / dubbo_at_least: String, true;
    /// The wording exists only before this version.
    DubboBelow / dubbo_below: String, true;
    /// The host the process believes to be (`current host`).
    Host / host: String, true;
    /// Error code `x-y` of 3.1+.
    Code / code: String, true;
    /// Level of the line, as a word of SLF4J.
    Level / level: String, true;
    /// Time of the line.
    Time / time: Moment, false;
    /// Thread of the line.
    Thread / thread: String, false;
    /// Pod or container, from a prefix.
    Pod / pod: String, true;
    /// The registry's first address.
    Registry / registry: String, true;
    /// `zookeeper`, `nacos`, ..
    RegistryKind / registry_kind: String, true;
    /// Further members of the registry cluster.
    RegistryBackup / registry_backup: Vec<String>, true;
    /// First node of the ZooKeeper tree used (registry group), without `/`.
    RegistryRoot / registry_root: String, true;
    /// Nacos namespace.
    Namespace / namespace: String, true;
    /// Nacos group of the registry.
    NacosGroup / nacos_group: String, true;
    /// The registry's group as the attribute of its configuration, which moves the rules, too.
    GroupAttribute / group_attribute: String, true;
    /// Parameters of the registry's address that decide what is asked of it: `registry-type=service`.
    RegistryParams / registry_params: Vec<String>, true;
    /// A registry address that does not parse, password masked.
    BadAddress / bad_address: String, true;
    /// Host of the consumer as it sees itself.
    ConsumerIp / consumer_ip: String, true;
    /// The consumer's application.
    Application / application: String, true;
    /// The provider's application.
    ProviderApplication / provider_application: String, true;
    /// `release` of a provider URL: the provider's Dubbo version.
    ProviderRelease / provider_release: String, true;
    /// The provider's address.
    Provider / provider: String, true;
    /// The path in the URL that a provider registers.
    ProviderPath / provider_path: String, true;
    /// The address in the provider's URL, where another one was connected to.
    Registered / registered: String, true;
    /// Provider addresses of a text that lists all of them.
    Addresses / addresses: Vec<String>, true;
    /// Provider addresses of a text that lists only the first of them.
    Listed / listed: Vec<String>, false;
    /// Whether `listed` lacks some.
    ListCut / list_cut: bool, true;
    /// Which list of addresses was asked.
    Discovery / discovery: Discovery, true;
    /// Applications subscribed to; empty when there is none.
    Applications / applications: Vec<String>, true;
    /// Addresses known to the directory.
    Invokers / invokers: u64, true;
    /// Addresses known and connected.
    Valid / valid: u64, true;
    /// Addresses known whose connection is lost.
    Reconnect / reconnect: u64, true;
    /// Addresses after routing.
    Routed / routed: u64, true;
    /// Addresses before routing.
    RouteInput / route_input: u64, true;
    /// The addresses before routing, at most five.
    InputAddresses / input_addresses: Vec<String>, false;
    /// The first router that let nothing through.
    EmptiedBy / emptied_by: String, true;
    /// The router snapshot.
    RouterRows / router_rows: Vec<RouterRow>, false;
    /// Protocol: of the reference, or of the address that could not be used.
    Protocol / protocol: String, true;
    /// Protocols the consumer has.
    SupportedProtocols / supported_protocols: Vec<String>, true;
    /// Time limit in force of the call, ms.
    TimeoutMs / timeout_ms: u64, true;
    /// `timeout` of a raw provider URL of 3.x: registered by the provider, not in force.
    ProviderTimeout / provider_timeout_param: String, true;
    /// `check` of the reference.
    Check / check: bool, true;
    /// Retries configured.
    Retries / retries: u64, true;
    /// Cluster strategy.
    Cluster / cluster: String, true;
    /// Settings that the URL of the reference shows, `name=value`; empty when it is whole and has none.
    Reference / reference: Vec<String>, true;
    /// The same of a URL into which the providers' parameters were merged (2.x).
    ReferenceMerged / reference_merged: Vec<String>, true;
    /// Calls made.
    Tries / tries: u64, true;
    /// The addresses tried, complete and distinct.
    Tried / tried: Vec<String>, false;
    /// How many distinct addresses were tried.
    Distinct / distinct: u64, false;
    /// Addresses that failed though the call succeeded.
    Failed / failed: Vec<String>, false;
    /// The address that answered in the end.
    AnsweredBy / answered_by: String, false;
    /// dubbo-go: calls made.
    Calls / calls: u64, true;
    /// dubbo-go: failed calls.
    FailedCalls / failed_calls: u64, true;
    /// dubbo-go: addresses called.
    DistinctAddresses / distinct_addresses: Vec<String>, false;
    /// Time until the request was written, ms.
    ClientElapsedMs / client_elapsed_ms: u64, false;
    /// Time from then on, ms.
    ServerElapsedMs / server_elapsed_ms: u64, false;
    /// Time altogether, ms.
    ElapsedMs / elapsed_ms: u64, false;
    /// Begin of the call.
    StartTime / start_time: String, false;
    /// End of the call.
    EndTime / end_time: String, false;
    /// Id of the request.
    RequestId / request_id: String, false;
    /// The library whose frames stand in a stack trace beside a timeout of a socket.
    Library / library: String, true;
    /// Whether the timer ended the call.
    ByScanTimer / by_scan_timer: bool, true;
    /// Whether the request was written to the channel.
    Written / written: bool, true;
    /// The consumer's end of the connection.
    ConsumerSocket / consumer_socket: String, false;
    /// Status of an answer.
    ResponseStatus / response_status: u64, true;
    /// Id of an answer.
    ResponseId / response_id: String, false;
    /// How long the start waited for a provider, ms.
    WaitedMs / waited_ms: u64, false;
    /// Whether the wait ended well.
    WaitSucceeded / wait_succeeded: bool, true;
    /// Why, in one of a few words.
    Reason / reason: String, true;
    /// Why, verbatim.
    Cause / cause: String, false;
    /// The answer that refuses: code and words.
    Refused / refused: String, true;
    /// A node of the ZooKeeper tree.
    Path / path: String, true;
    /// Kind of a rule.
    RuleKind / rule_kind: RuleKind, true;
    /// `scope` of a rule.
    RuleScope / rule_scope: String, true;
    /// `key` of a rule.
    RuleKey / rule_key: String, true;
    /// Text of a rule.
    RuleText / rule_text: String, true;
    /// The override that is applied.
    OverrideUrl / override_url: String, true;
    /// How many addresses arrived.
    Urls / urls: u64, true;
    /// An address carries `disabled=true`.
    Disabled / disabled: bool, true;
    /// `empty://`: the registry says there is nothing.
    EmptyProtocol / empty_protocol: bool, true;
    /// Addresses of the cached list.
    CachedAddresses / cached_addresses: Vec<String>, true;
    /// Cache file as printed; where it really lies is another matter.
    CacheFile / cache_file: String, true;
    /// Revision of an application's metadata.
    Revision / revision: String, true;
    /// `local` or `remote`.
    MetadataType / metadata_type: String, true;
    /// The instance asked for metadata.
    Instance / instance: String, true;
    /// How many revisions have no metadata.
    RevisionsFailed / revisions_failed: u64, true;
    /// How many revisions there are.
    Revisions / revisions: u64, true;
    /// Migration step.
    Step / step: String, true;
    /// Migration threshold.
    Threshold / threshold: String, true;
    /// Addresses at application level.
    InstanceSize / instance_size: u64, true;
    /// Addresses at interface level.
    InterfaceSize / interface_size: u64, true;
    /// Available addresses.
    Available / available: u64, true;
    /// Whose pool: `ip:port` shown by the text.
    PoolOf / pool_of: String, true;
    /// Which end has the pool.
    PoolSide / pool_side: End, true;
    /// Name of the pool's thread.
    PoolThread / pool_thread: String, false;
    /// Which end wrote the line.
    PrintedBy / printed_by: End, true;
    /// Active threads, or concurrent calls.
    Active / active: u64, false;
    /// Core threads.
    Core / core: u64, true;
    /// Largest allowed number of threads.
    Max / max: u64, true;
    /// Largest number of threads there was.
    Largest / largest: u64, false;
    /// Tasks ever given to the pool.
    Tasks / tasks: u64, false;
    /// Tasks completed.
    Completed / completed: u64, false;
    /// A configured limit.
    Limit / limit: u64, true;
    /// Size of a message, bytes.
    Bytes / bytes: u64, false;
    /// What the provider exports, `key:port` each.
    Exported / exported: Vec<String>, true;
    /// Port in the asked key.
    Port / port: u64, true;
    /// How long a slow call took, ns.
    CostNs / cost_ns: u64, false;
    /// Whom a slow call called.
    Target / target: String, false;
    /// Zone asked for.
    Zone / zone: String, true;
    /// Registries of a text with several.
    Registries / registries: Vec<String>, true;
    /// Group of a Nacos configuration.
    ConfigGroup / config_group: String, true;
    /// Data id of a Nacos configuration.
    ConfigDataId / config_data_id: String, true;
    /// Name of a Nacos service.
    NacosService / nacos_service: String, true;
    /// A gRPC address of Nacos that cannot be reached (HTTP port = port - 1000).
    GrpcUnreachable / grpc_unreachable: String, true;
    /// `force` or `fail` mock.
    MockKind / mock_kind: String, true;
    /// A class that was refused.
    Class / class: String, true;
    /// Name of a fact whose value is masked in the text and therefore no value.
    Masked / masked: String, true;
}

/// The facts of one message, in the order in which they were read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts(Vec<Claim>);

impl Facts {
    /// Adds a fact; one that says the same as an earlier one is dropped unless it is stronger. Two that show different
    /// parts of one service key become one.
    pub fn push(&mut self, claim: Claim) {
        if let Claim::Service(next) = &claim {
            for known in &mut self.0 {
                if let Claim::Service(known) = known
                    && known.value.agrees(&next.value)
                {
                    known.value.fill(&next.value);
                    known.strength = known.strength.max(next.strength);
                    return;
                }
            }
        }
        if let Some(known) = self.0.iter_mut().find(|known| known.says_the_same(&claim)) {
            if claim.strength() > known.strength() {
                *known = claim;
            }
            return;
        }
        self.0.push(claim);
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Claim> {
        self.0.iter()
    }

    /// All of one kind, contradictions included.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Claim> {
        self.0.iter().filter(move |claim| claim.name() == name)
    }

    /// Whether there is a fact of this kind.
    pub fn has(&self, name: &str) -> bool {
        self.named(name).next().is_some()
    }

    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes over what another set says.
    pub fn extend(&mut self, other: Self) {
        for claim in other.0 {
            self.push(claim);
        }
    }

    /// Removes all facts of a kind.
    pub(super) fn remove(&mut self, name: &str) {
        self.0.retain(|claim| claim.name() != name);
    }
}

impl<'a> IntoIterator for &'a Facts {
    type Item = &'a Claim;
    type IntoIter = std::slice::Iter<'a, Claim>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Serialize for Facts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let mut seen: Vec<&str> = Vec::new();
        for claim in &self.0 {
            if seen.contains(&claim.name()) {
                continue;
            }
            seen.push(claim.name());
            let values: Vec<_> = self.named(claim.name()).map(Claim::value).collect();
            match values.as_slice() {
                [one] => map.serialize_entry(claim.name(), one)?,
                many => map.serialize_entry(claim.name(), many)?,
            }
        }
        map.end()
    }
}
