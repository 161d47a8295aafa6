//! The finding codes: number, name, severity, family. A number never changes its meaning and is never reused.

use std::fmt;

/// Weight of a finding beside the verdict. Lowered one step off the path in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Good to know.
    Info,
    /// Should be looked at.
    Warning,
    /// Breaks calls.
    Error,
}

impl Severity {
    /// One step down; `Info` stays.
    #[must_use]
    pub fn lowered(self) -> Self {
        match self {
            Self::Error => Self::Warning,
            Self::Warning | Self::Info => Self::Info,
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// What kind of cause a code is. "Fake no-provider" = outcome `none` or `partly` with family `rule`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Reach, authentication, health of the registry.
    Registry,
    /// Namespace, registry group, root.
    Place,
    /// Group, version, interface, name form.
    Key,
    /// Entries of the registry.
    Instance,
    /// Application-level discovery.
    Application,
    /// Rules: routers, configurators.
    Rule,
    /// Connections.
    Network,
    /// The consumer itself.
    Consumer,
    /// Timeouts.
    Timeout,
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Registry => "registry",
            Self::Place => "place",
            Self::Key => "key",
            Self::Instance => "instance",
            Self::Application => "application",
            Self::Rule => "rule",
            Self::Network => "network",
            Self::Consumer => "consumer",
            Self::Timeout => "timeout",
        })
    }
}

macro_rules! codes {
    ($($variant:ident = $number:literal, $name:literal, $severity:ident, $family:ident;)+) => {
        /// A finding code. `Display` gives `DG2101`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $name] $variant,)+ }

        impl Code {
            /// Every code, in numeric order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The four digits.
            #[expect(clippy::zero_prefixed_literal, reason = "they are the name of the page, too")]
            pub fn number(self) -> u16 {
                match self { $(Self::$variant => $number,)+ }
            }

            /// The name in reports (`group-differs`).
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Severity before lowering.
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)+ }
            }

            /// Family.
            pub fn family(self) -> Family {
                match self { $(Self::$variant => Family::$family,)+ }
            }

            /// The text of its page, `explain/DGnnnn.md`.
            pub(super) fn page(self) -> &'static str {
                match self {
                    $(Self::$variant => include_str!(concat!("explain/DG", stringify!($number), ".md")),)+
                }
            }
        }
    };
}

// All four digits, also leading zeros: they name the page.
codes! {
    LogListCut = 0101, "log-list-cut", Info, Consumer;
    VersionAssumed = 0102, "version-assumed", Info, Consumer;
    SnapshotPartial = 0103, "snapshot-partial", Warning, Registry;
    PlaceholderUnresolved = 0104, "placeholder-unresolved", Error, Consumer;
    ClientNotModelled = 0105, "client-not-modelled", Info, Consumer;
    KnownDefect = 0106, "known-defect", Warning, Consumer;
    AddressUnparsable = 0107, "address-unparsable", Error, Consumer;
    RegistryUnreachable = 1001, "registry-unreachable", Error, Registry;
    NotThatRegistry = 1002, "not-that-registry", Error, Registry;
    RegistryAuthRefused = 1003, "registry-auth-refused", Error, Registry;
    RegistryDegraded = 1004, "registry-degraded", Error, Registry;
    NacosGrpcClosed = 1005, "nacos-grpc-closed", Error, Registry;
    NodesDisagree = 1006, "nodes-disagree", Warning, Registry;
    ConsumerOnCache = 1007, "consumer-on-cache", Warning, Registry;
    ApiSwitchedOff = 1008, "api-switched-off", Warning, Registry;
    RegistryInOtherZone = 1009, "registry-in-other-zone", Info, Registry;
    AnswerTooLarge = 1010, "answer-too-large", Error, Registry;
    NamespaceDiffers = 2001, "namespace-differs", Error, Place;
    RegistryGroupDiffers = 2002, "registry-group-differs", Error, Place;
    NamespaceUnknown = 2003, "namespace-unknown", Error, Place;
    OtherRegistry = 2004, "other-registry", Error, Place;
    GroupDiffers = 2101, "group-differs", Error, Key;
    VersionDiffers = 2102, "version-differs", Error, Key;
    InterfaceNearMiss = 2103, "interface-near-miss", Error, Key;
    NameFormDiffers = 2104, "name-form-differs", Error, Key;
    NotRegistered = 2105, "not-registered", Error, Key;
    ProtocolFiltered = 2107, "protocol-filtered", Error, Key;
    OnlyConsumers = 2108, "only-consumers", Error, Key;
    ConsumerMisaddressed = 2109, "consumer-misaddressed", Warning, Consumer;
    RegistrationRefused = 2110, "registration-refused", Error, Key;
    WildcardUnsupported = 2111, "wildcard-unsupported", Error, Key;
    RegistryChoice = 2112, "registry-choice", Warning, Registry;
    AddressNotExported = 2113, "address-not-exported", Error, Network;
    ClassifierDiffers = 2114, "classifier-differs", Error, Key;
    AllDisabled = 3001, "all-disabled", Error, Instance;
    AllUnhealthy = 3002, "all-unhealthy", Error, Instance;
    ProtectionThreshold = 3003, "protection-threshold", Warning, Instance;
    WeightZero = 3004, "weight-zero", Warning, Instance;
    StaleProvider = 3005, "stale-provider", Error, Network;
    AddressUnreachable = 3006, "address-unreachable", Error, Network;
    AddressSuspicious = 3007, "address-suspicious", Warning, Instance;
    DisabledByOverride = 3008, "disabled-by-override", Error, Rule;
    EmptyProtection = 3009, "empty-protection", Warning, Consumer;
    ZoneEmpty = 3010, "zone-empty", Warning, Instance;
    TrafficLeavesZone = 3011, "traffic-leaves-zone", Info, Instance;
    NacosWeightIgnored = 3012, "nacos-weight-ignored", Warning, Instance;
    MappingMissing = 4001, "mapping-missing", Error, Application;
    MappingElsewhere = 4002, "mapping-elsewhere", Error, Application;
    MetadataMissing = 4003, "metadata-missing", Error, Application;
    MetadataServiceUnreachable = 4004, "metadata-service-unreachable", Error, Application;
    RevisionMismatch = 4005, "revision-mismatch", Error, Application;
    RevisionZero = 4006, "revision-zero", Error, Application;
    NotInMetadata = 4007, "not-in-metadata", Error, Application;
    ModelsDoNotMeet = 4008, "models-do-not-meet", Error, Application;
    PartialApplicationList = 4009, "partial-application-list", Warning, Application;
    MigrationRuleBroken = 4010, "migration-rule-broken", Warning, Application;
    ProvidedByWrong = 4011, "provided-by-wrong", Error, Application;
    AlienInstance = 4012, "alien-instance", Warning, Application;
    InstanceMetadataMissing = 4013, "instance-metadata-missing", Error, Application;
    MetadataRefused = 4014, "metadata-refused", Error, Application;
    RoutedAway = 5001, "routed-away", Error, Rule;
    ConsumerBlocked = 5002, "consumer-blocked", Error, Rule;
    TagNotServed = 5003, "tag-not-served", Error, Rule;
    UntaggedStarved = 5004, "untagged-starved", Error, Rule;
    RuleNotDelivered = 5005, "rule-not-delivered", Warning, Rule;
    RuleUnparsed = 5006, "rule-unparsed", Error, Rule;
    RuleNoEffect = 5007, "rule-no-effect", Warning, Rule;
    RuleLeaks = 5008, "rule-leaks", Warning, Rule;
    ZonePinned = 5009, "zone-pinned", Error, Rule;
    RouterUnknown = 5010, "router-unknown", Warning, Rule;
    ScriptEngineMissing = 5011, "script-engine-missing", Warning, Rule;
    SnapshotDisagrees = 5012, "snapshot-disagrees", Warning, Rule;
    NoEmptyGuard = 5013, "no-empty-guard", Warning, Rule;
    RouterError = 5014, "router-error", Error, Rule;
    QosRefused = 6001, "qos-refused", Info, Consumer;
    QosOtherProcess = 6002, "qos-other-process", Warning, Consumer;
    ConsumerViewDiffers = 6003, "consumer-view-differs", Error, Consumer;
    ProviderNotExporting = 6004, "provider-not-exporting", Error, Key;
    ProviderOffline = 6005, "provider-offline", Error, Key;
    PoolExhausted = 6006, "pool-exhausted", Error, Network;
    ProviderDraining = 6007, "provider-draining", Warning, Network;
    SerializationRefused = 6008, "serialization-refused", Error, Network;
    ConsumerListStale = 6009, "consumer-list-stale", Error, Consumer;
    AcceptsButSilent = 6010, "accepts-but-silent", Error, Network;
    ErrorMasquerades = 6011, "error-masquerades", Warning, Consumer;
    PayloadTooLarge = 6012, "payload-too-large", Error, Network;
    TimeoutTooSmall = 7001, "timeout-too-small", Error, Timeout;
    TimeoutTight = 7002, "timeout-tight", Warning, Timeout;
    TimeoutTooLarge = 7003, "timeout-too-large", Warning, Timeout;
    RetriesOnWrite = 7004, "retries-on-write", Error, Timeout;
    TotalOverUpstream = 7005, "total-over-upstream", Error, Timeout;
    ProviderOutlivesConsumer = 7006, "provider-outlives-consumer", Warning, Timeout;
    TimeoutNotANumber = 7007, "timeout-not-a-number", Error, Timeout;
    SettingOverridden = 7008, "setting-overridden", Warning, Timeout;
    RetryAmplification = 7009, "retry-amplification", Warning, Timeout;
    P99Weak = 7010, "p99-weak", Warning, Timeout;
    RttDominates = 7011, "rtt-dominates", Warning, Timeout;
    ConcurrencyLimit = 7012, "concurrency-limit", Warning, Timeout;
    ClientStall = 7013, "client-stall", Warning, Timeout;
    ServerQueue = 7014, "server-queue", Warning, Timeout;
    RetriesWithoutEffect = 7015, "retries-without-effect", Warning, Timeout;
    ParallelAmplification = 7016, "parallel-amplification", Warning, Timeout;
    QueueOutlivesTimeout = 7017, "queue-outlives-timeout", Warning, Timeout;
    LinkUnstable = 7018, "link-unstable", Warning, Network;
    CountdownReplaces = 7019, "countdown-replaces", Warning, Timeout;
    ObservedContradicts = 7020, "observed-contradicts", Warning, Timeout;
    LimitNotActive = 7021, "limit-not-active", Warning, Timeout;
    RequestLost = 7022, "request-lost", Warning, Network;
    HiddenRetry = 7023, "hidden-retry", Warning, Timeout;
    LintTypedValue = 8001, "lint-typed-value", Warning, Rule;
    LintDuplicateKey = 8002, "lint-duplicate-key", Warning, Rule;
    LintUnknownKey = 8003, "lint-unknown-key", Warning, Rule;
    LintVersionField = 8004, "lint-version-field", Error, Rule;
    LintNotAList = 8005, "lint-not-a-list", Error, Rule;
    LintOperator = 8006, "lint-operator", Warning, Rule;
    LintAddressUnknown = 8007, "lint-address-unknown", Warning, Rule;
    LintForceEmpty = 8008, "lint-force-empty", Error, Rule;
    LintInvisible = 8009, "lint-invisible", Warning, Rule;
}

/// Numbers that are kept for findings this version does not report.
const UNUSED: [(u16, &str); 1] = [(2106, "registered-late")];

impl Code {
    /// A code that is kept for a finding this version does not report, with the name of the finding.
    pub fn unused(text: &str) -> Option<(String, &'static str)> {
        let text = text.trim().to_ascii_lowercase();
        let digits = text.strip_prefix("dg").unwrap_or(&text);
        UNUSED
            .iter()
            .find(|(number, name)| text == *name || digits == format!("{number:04}"))
            .map(|(number, name)| (format!("DG{number:04}"), *name))
    }

    /// Codes that look like the text, the nearest first: what a slip of the finger may have meant. At most three.
    pub fn near(text: &str) -> Vec<Self> {
        let text = text.trim().to_lowercase();
        let digits = text.strip_prefix("dg").unwrap_or(&text);
        // Letters that look like digits, where a number is meant.
        let digits: String = if digits.contains(|c: char| c.is_ascii_digit()) {
            let like = |c| match c {
                'o' => '0',
                'i' | 'l' => '1',
                other => other,
            };
            digits.chars().map(like).collect()
        } else {
            digits.to_owned()
        };
        let is_number = digits.chars().all(|c| c.is_ascii_digit());
        let distance = |code: &Self| {
            let number = || strsim::damerau_levenshtein(&format!("{:04}", code.number()), &digits);
            let name = || strsim::damerau_levenshtein(code.name(), &text);
            if is_number {
                Some(number()).filter(|distance| *distance <= 1)
            } else {
                Some(name()).filter(|distance| *distance <= 3)
            }
        };
        let mut near: Vec<(usize, Self)> = Self::ALL
            .iter()
            .filter_map(|code| Some((distance(code)?, *code)))
            .collect();
        near.sort_unstable();
        near.into_iter().take(3).map(|(_, code)| code).collect()
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DG{:04}", self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend_and_names_are_unique() {
        assert!(
            Code::ALL
                .windows(2)
                .all(|pair| pair[0].number() < pair[1].number())
        );
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
        for (number, name) in UNUSED {
            assert!(Code::ALL.iter().all(|code| code.number() != number));
            assert!(!names.contains(&name), "{name}");
        }
    }
}
