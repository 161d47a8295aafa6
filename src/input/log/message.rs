//! The names of the messages that are known, and one message as found.

use serde::Serialize;

use super::claim::Facts;
use super::fact::Place;

macro_rules! messages {
    ($($(#[$doc:meta])* $variant:ident = $name:literal;)*) => {
        /// Which message of Dubbo (or of the client library below it) a text is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum MessageId { $($(#[$doc])* $variant,)* }

        impl MessageId {
            /// Every known message.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The short name used in reports and tests.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

messages! {
    /// `No provider available from registry .. for service ..`: the registry gave nothing.
    A = "A";
    /// `Forbid consumer .. access service ..`: the same of 2.4.0-2.5.3.
    AOld = "A-OLD";
    /// `Failed to invoke the method .. No provider available for the service ..`: nothing left to call.
    B = "B";
    /// `No provider available after route ..` with the router snapshot.
    C = "C";
    /// `No provider available after connectivity filter ..` with counts.
    D = "D";
    /// `Failed to check the status of the service ..`: the start-up check.
    E = "E";
    /// `Check reference of [..] failed very beginning. After ..ms reties, finally ..`.
    StartWait = "START-WAIT";
    /// `No provider available in [..]`: cluster `available`, several registries.
    F = "F";
    /// `No registry instance in zone or no available providers in the registry ..`.
    G = "G";
    /// The directory or invoker was destroyed: the consumer is shutting down.
    H = "H";
    /// `There's no service discovery invoker available for service ..`.
    J = "J";
    /// `No available provider for service.. on group ..`: one group of several.
    K = "K";
    /// `No such any registry to reference ..`: no registry configured.
    L = "L";
    /// The failed call is named, its reason lies beyond the cut.
    Invoke = "INVOKE";
    /// A forced condition rule left nothing.
    Force = "FORCE";
    /// A rule with an empty right side matched this consumer.
    Block = "BLOCK";
    /// A condition rule document was rejected.
    Rule = "RULE";
    /// A tag or script rule document was rejected.
    TagRule = "TAGRULE";
    /// A configurator document was rejected.
    Cfg = "CFG";
    /// An override is applied to an address.
    CfgApply = "CFG-APPLY";
    /// A router could not be run, or did not receive what it needs.
    Router = "ROUTER";
    /// The whole router chain failed.
    Chain = "CHAIN";
    /// Addresses arrived and none became an invoker.
    Urls = "URLS";
    /// An address with a protocol this consumer lacks.
    Proto = "PROTO";
    /// An address could not be referred.
    Refer = "REFER";
    /// An address in the registry could not be parsed.
    Address = "ADDRESS";
    /// Subscription failed, the cached list is used.
    SubCache = "SUB-CACHE";
    /// Subscription failed, it will be tried again.
    SubRetry = "SUB-RETRY";
    /// Subscription failed.
    SubFail = "SUB-FAIL";
    /// Registration failed.
    RegFail = "REG-FAIL";
    /// An address list arrived and could not be used.
    NotifyFail = "NOTIFY-FAIL";
    /// An empty push cleared the list.
    EmptyClear = "EMPTY-CLEAR";
    /// An empty push was kept out.
    EmptyKeep = "EMPTY-KEEP";
    /// The list changed: three counts.
    Changed = "CHANGED";
    /// Dubbo's own word on Nacos not being usable.
    NacosConf = "NACOS-CONF";
    /// A line of nacos-client itself.
    NacosClient = "NACOS-CLIENT";
    /// A line of the ZooKeeper client itself.
    ZkClient = "ZK-CLIENT";
    /// Metadata of a revision could not be had.
    Meta = "META";
    /// The list was not refreshed because of metadata.
    MetaRefresh = "META-REFRESH";
    /// Metadata could not be stored.
    MetaStore = "META-STORE";
    /// No application is known for the interface.
    MapNone = "MAP-NONE";
    /// The interface could not be mapped to its application by the provider.
    MapFail = "MAP-FAIL";
    /// Migration between the two address models.
    Mig = "MIG";
    /// A call failed after all its tries.
    Tried = "TRIED";
    /// A retry succeeded.
    Although = "ALTHOUGH";
    /// A call of cluster `failfast` failed.
    FailFast = "FAILFAST";
    /// A failure was swallowed (`failsafe`).
    FailSafe = "FAILSAFE";
    /// A failure was swallowed and will be tried again (`failback`).
    FailBack = "FAILBACK";
    /// A call of cluster `forking` failed.
    Forking = "FORKING";
    /// One try ran out of time.
    RpcTimeout = "RPC-TIMEOUT";
    /// One try failed otherwise.
    RpcNet = "RPC-NET";
    /// The provider did not answer in time.
    Wait = "WAIT";
    /// The caller gave up in the same moment as the timer.
    WaitLocal = "WAIT-LOCAL";
    /// The request was not written in time.
    Send = "SEND";
    /// A socket of another library ran out of time: no timeout of Dubbo.
    Foreign = "FOREIGN-TIMEOUT";
    /// An answer came after the caller had given up.
    Late = "LATE";
    /// The deadline of the caller's caller was used up.
    NoLeft = "NOLEFT";
    /// No connection to a provider.
    Connect = "CONNECT";
    /// A connection was closed.
    Closed = "CLOSED";
    /// The reconnect task did not get through.
    Reconnect = "RECONNECT";
    /// A provider's address was set aside because its connection is lost.
    Invalidated = "INVALIDATED";
    /// A thread pool is full.
    Pool = "POOL";
    /// The provider does not export what was asked.
    NotExported = "NOTEXP";
    /// `actives` reached.
    Actives = "ACTIVES";
    /// `executes` reached.
    Executes = "EXECUTES";
    /// `tps` reached.
    Tps = "TPS";
    /// The provider refused a connection (`accepts`).
    Accepts = "ACCEPTS";
    /// The request or the answer is larger than `payload`.
    Payload = "PAYLOAD";
    /// A class or serialization was refused.
    Serial = "SERIAL";
    /// A slow call, not a failed one.
    Slow = "SLOW";
    /// The provider's own word on a slow call.
    SlowProvider = "SLOW-PROVIDER";
    /// The answer is a mock.
    Mock = "MOCK";
    /// A registry could not be set up at start.
    RegistryCreate = "REG-CREATE";
    /// The router snapshot of a call, failed or not.
    Snapshot = "SNAPSHOT";
    /// A connection to a provider ended.
    Disconnected = "DISCONNECTED";
    /// Revisions of an application's metadata.
    Revisions = "REVISIONS";
    /// Triple: the connection to the provider is unavailable.
    Upstream = "UPSTREAM";
    /// A registry address that does not parse.
    BadAddress = "BAD-ADDRESS";
    /// A provider was registered.
    Register = "REGISTER";
    /// A provider or consumer entry was taken back.
    Unregister = "UNREGISTER";
    /// A subscription was made.
    Subscribe = "SUBSCRIBE";
    /// Addresses were pushed.
    Notify = "NOTIFY";
    /// A registry, configuration centre or metadata centre as configured.
    Configured = "CONFIGURED";
    /// The client of a registry has its connection (again).
    Connected = "CONNECTED";
    /// dubbo-go: nothing left to call.
    GoB = "GO-B";
    /// dubbo-go: a call failed after all its tries.
    GoTried = "GO-TRIED";
    /// dubbo-go 3.3: the same in its new words.
    GoTried3 = "GO-TRIED3";
    /// dubbo-go: addresses are known, none can be connected.
    GoConn = "GO-CONN";
    /// dubbo-go: the start-up check.
    GoStart = "GO-START";
    /// dubbo-go: nothing in an available or zone-aware cluster.
    GoAvail = "GO-AVAIL";
    /// dubbo-go: the time limit.
    GoRead = "GO-READ";
    /// dubbo-go: a condition rule left nothing.
    GoForce = "GO-FORCE";
    /// dubbo-go: metadata of a revision could not be had.
    GoMeta = "GO-META";
    /// dubbo-go: the provider does not export what was asked.
    GoNotExported = "GO-NOTEXP";
}

impl MessageId {
    /// A statement tells how things are; alone it is no failure.
    pub fn is_statement(self) -> bool {
        matches!(
            self,
            Self::CfgApply
                | Self::Changed
                | Self::Mig
                | Self::Register
                | Self::Unregister
                | Self::Subscribe
                | Self::Notify
                | Self::Configured
                | Self::Snapshot
                | Self::Disconnected
                | Self::Revisions
                | Self::Connected
        )
    }
}

impl std::fmt::Display for MessageId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for MessageId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// One message found in the text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Message {
    /// Which message.
    pub id: MessageId,
    /// Where its fixed words begin.
    pub place: Place,
    /// The text ends or breaks off inside it: what touches the cut is not among the facts.
    pub cut: bool,
    /// What it says.
    pub facts: Facts,
    /// The fixed words by which it was found.
    #[serde(skip)]
    pub(super) words: &'static str,
}

impl Message {
    /// The words of Dubbo by which it was found.
    pub fn words(&self) -> &'static str {
        self.words.trim()
    }

    /// A statement tells how things are; alone it is no failure. A migration that failed is one.
    pub fn is_statement(&self) -> bool {
        self.id.is_statement() && !(self.id == MessageId::Mig && self.facts.reason().is_some())
    }
}
