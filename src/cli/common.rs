//! Flags that all verbs share.
#![expect(clippy::doc_markdown, reason = "doc comments are the help text")]

use std::{path::PathBuf, time::Duration};

use clap::{ArgAction, Args, ValueEnum, ValueHint};
use jiff::Timestamp;

use super::value::{
    Attachment, Hidden, KeyValue, attachment, code, duration, hidden, key_value, moment,
    requirement, zone,
};
use crate::diagnose::code::Code;

/// All flags that every verb has.
#[derive(Debug, Clone, Default, Args)]
pub struct Common {
    /// Where the consumer looks.
    #[command(flatten)]
    pub registry: RegistryFlags,
    /// Where facts come from instead of the network, and beside it.
    #[command(flatten)]
    pub sight: SightFlags,
    /// The consumer.
    #[command(flatten)]
    pub consumer: ConsumerFlags,
    /// The call.
    #[command(flatten)]
    pub invocation: InvocationFlags,
    /// Rooms.
    #[command(flatten)]
    pub zones: ZoneFlags,
    /// How the answer is shown.
    #[command(flatten)]
    pub output: OutputFlags,
}

/// Where the consumer is configured to look.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Registry")]
pub struct RegistryFlags {
    /// Address as the consumer's configuration has it; repeat for several
    ///
    /// Dubbo's own syntax: nacos://h1:8848,h2:8848?namespace=N&group=G, zookeeper://h:2181?backup=h2:2181&group=G.
    /// With TLS: nacos+https://, zookeeper+tls://. Environment: DIAG_REGISTRY.
    #[arg(long, value_name = "URL", value_hint = ValueHint::Other, action = ArgAction::Append)]
    pub registry: Vec<String>,
    /// Nacos namespace id (environment: DIAG_NAMESPACE)
    #[arg(short, long, value_name = "ID", value_hint = ValueHint::Other)]
    pub namespace: Option<String>,
    /// Attribute dubbo.registry.group; unlike ?group= it also moves the rules
    #[arg(long, value_name = "GROUP", value_hint = ValueHint::Other)]
    pub registry_group: Option<String>,
    /// User of the registry (environment: DIAG_USERNAME)
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub username: Option<String>,
    /// Environment variable that holds the password (default: DIAG_PASSWORD)
    #[arg(long, value_name = "VAR", value_hint = ValueHint::Other, group = "password_from")]
    pub password_env: Option<String>,
    /// File that holds the password
    #[arg(long, value_name = "FILE", group = "password_from")]
    pub password_file: Option<PathBuf>,
    /// Command that prints the password
    #[arg(long, value_name = "COMMAND", group = "password_from")]
    pub password_command: Option<String>,
    /// Further registry to look into, never taken for the consumer's; repeatable
    #[arg(long, value_name = "URL", value_hint = ValueHint::Other, action = ArgAction::Append)]
    pub also_search: Vec<String>,
    /// Config centre, when it is not derived from the registry
    #[arg(long, value_name = "URL", value_hint = ValueHint::Other)]
    pub config_center: Option<String>,
    /// Metadata report, when it is not derived from the registry
    #[arg(long, value_name = "URL", value_hint = ValueHint::Other)]
    pub metadata_report: Option<String>,
    /// Do not look into other namespaces, groups and roots
    #[arg(long)]
    pub no_sweep: bool,
}

/// Where facts come from.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Facts")]
pub struct SightFlags {
    /// Recording (directory or .tar.gz) instead of live systems
    #[arg(long, value_name = "PATH")]
    pub snapshot: Option<PathBuf>,
    /// Pasted error or log: takes service, registry, consumer from it (- = stdin)
    #[arg(long, value_name = "FILE|-")]
    pub from_log: Option<PathBuf>,
    /// File from the far side; repeatable
    ///
    /// [consumer|provider[@HOST]:]FILE: a log, dubbo.properties or application.properties. Without saying whose file
    /// it is the answer is less certain.
    #[arg(long, value_name = "WHOSE:FILE", value_parser = attachment, action = ArgAction::Append)]
    pub attach: Vec<Attachment>,
    /// QOS port; whose it is is found out; repeatable
    #[arg(long, value_name = "HOST:PORT", value_hint = ValueHint::Other, action = ArgAction::Append)]
    pub qos: Vec<String>,
    /// Allow connections to providers and metadata services from this host
    ///
    /// Connections, heartbeats of the dubbo protocol and pings of HTTP/2, a bounded number; and the read-only metadata
    /// call where an application keeps its metadata to itself. timeout-budget measures round trips.
    #[arg(long)]
    pub probe: bool,
    /// End of everything that is asked of the network (default: 10s)
    #[arg(long, value_name = "TIME", value_hint = ValueHint::Other, value_parser = duration)]
    pub deadline: Option<Duration>,
    /// Longest wait for one request (default: 3s)
    #[arg(long, value_name = "TIME", value_hint = ValueHint::Other, value_parser = duration)]
    pub request_timeout: Option<Duration>,
    /// Optional facts that must be seen: qos, probe, metrics, caches, sweep
    #[arg(long, value_name = "FACT,..", value_hint = ValueHint::Other, value_delimiter = ',', value_parser = requirement, action = ArgAction::Append)]
    pub require: Vec<String>,
}

/// What is known of the consumer.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Consumer")]
pub struct ConsumerFlags {
    /// Application name
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub consumer_app: Option<String>,
    /// Address it registers with
    #[arg(long, value_name = "IP", value_hint = ValueHint::Other)]
    pub consumer_ip: Option<String>,
    /// Whether it runs already or is starting
    #[arg(long, value_name = "STATE")]
    pub consumer: Option<StateChoice>,
    /// Since when it runs (RFC 3339, such as 2026-03-04T05:06:07+08:00)
    #[arg(long, value_name = "TIME", value_hint = ValueHint::Other, value_parser = moment)]
    pub consumer_since: Option<Timestamp>,
    /// Its Dubbo version (default: from log or registry, else the newest line)
    #[arg(long, value_name = "VERSION", value_hint = ValueHint::Other)]
    pub dubbo: Option<String>,
    /// Java Dubbo or dubbo-go
    #[arg(long, value_name = "CLIENT")]
    pub client: Option<ClientChoice>,
    /// Parameter of the reference, such as protocol=tri; repeatable
    #[arg(long, value_name = "K=V", value_hint = ValueHint::Other, value_parser = key_value, action = ArgAction::Append)]
    pub param: Vec<KeyValue>,
    /// JDK of the consumer, for the engines of script rules
    #[arg(long, value_name = "VERSION", value_hint = ValueHint::Other)]
    pub jdk: Option<String>,
    /// Router of its own code, as it behaves; repeatable
    ///
    /// NAME: after=tag, keep=same-zone, fallback=none. keep is same-zone, same-PARAMETER or a condition.
    #[arg(long, value_name = "ROUTER", value_hint = ValueHint::Other, action = ArgAction::Append)]
    pub router: Vec<String>,
}

/// The call in question.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Call")]
pub struct InvocationFlags {
    /// Dubbo group of the service; wins over the one in SERVICE
    #[arg(long, value_name = "GROUP", value_hint = ValueHint::Other)]
    pub group: Option<String>,
    /// Version of the service; wins over the one in SERVICE
    #[arg(long, value_name = "VERSION", value_hint = ValueHint::Other)]
    pub service_version: Option<String>,
    /// Method
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub method: Option<String>,
    /// Argument of the call, in order; repeatable
    #[arg(long, value_name = "VALUE", value_hint = ValueHint::Other, action = ArgAction::Append, allow_hyphen_values = true)]
    pub arg: Vec<String>,
    /// Attachment of the call, such as dubbo.tag=gray; repeatable
    #[arg(long, value_name = "K=V", value_hint = ValueHint::Other, value_parser = key_value, action = ArgAction::Append)]
    pub attachment: Vec<KeyValue>,
}

/// Rooms and data centres.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Zones")]
pub struct ZoneFlags {
    /// Room or data centre by address; repeatable
    #[arg(long, value_name = "NAME=CIDR,..", value_hint = ValueHint::Other, value_parser = zone, action = ArgAction::Append)]
    pub zone: Vec<KeyValue>,
    /// Parameter of a provider that names its zone
    #[arg(long, value_name = "KEY", value_hint = ValueHint::Other)]
    pub zone_key: Option<String>,
    /// Zone of the consumer (default: by --consumer-ip)
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub consumer_zone: Option<String>,
}

/// How the answer is shown and judged.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputFlags {
    /// Format (default: text)
    #[arg(short, long, value_name = "FORMAT")]
    pub output: Option<Output>,
    /// One line per service: outcome, code, certainty, subject: message
    #[arg(long, conflicts_with = "output")]
    pub brief: bool,
    /// Language (default: of the locale; JSON: en)
    #[arg(long, value_name = "LANG")]
    pub lang: Option<LangChoice>,
    /// Lowest severity of a finding that fails the run (default: error)
    #[arg(long, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
    /// Hide a finding, everywhere or about one subject; repeatable
    #[arg(long, value_name = "CODE[=SUBJECT]", value_hint = ValueHint::Other, value_parser = hidden, action = ArgAction::Append)]
    pub skip: Vec<Hidden>,
    /// Show only findings of this code; repeatable
    #[arg(long, value_name = "CODE", value_hint = ValueHint::Other, value_parser = code, action = ArgAction::Append)]
    pub only: Vec<Code>,
    /// Settings file (default: diag/diag.toml in the user's config directory)
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Profile of the settings file
    #[arg(long, alias = "context", value_name = "NAME", value_hint = ValueHint::Other)]
    pub profile: Option<String>,
    /// Colours (default: auto)
    #[arg(long, value_name = "WHEN", visible_alias = "colour")]
    pub color: Option<ColorChoice>,
    /// Show everything; -vv also logs to stderr
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,
    /// No progress and no warnings on stderr
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
}

/// `-o`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For tickets.
    Markdown,
    /// For mails.
    Html,
}

/// `--lang`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LangChoice {
    /// Chinese.
    Zh,
    /// English.
    En,
}

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal.
    Auto,
    /// Also into a pipe.
    Always,
    /// Nowhere.
    Never,
}

/// `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Any finding.
    Info,
    /// Warnings and errors.
    Warning,
    /// Errors.
    Error,
}

/// `--consumer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StateChoice {
    /// It had a list before.
    Running,
    /// It subscribes for the first time.
    Starting,
}

/// `--client`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClientChoice {
    /// Apache Dubbo for Java.
    Java,
    /// dubbo-go.
    Go,
}
