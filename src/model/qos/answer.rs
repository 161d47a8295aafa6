//! One answer as a fact.

use serde::Serialize;

use super::{
    addresses::{self, OwnList},
    chain::{self, Chain},
    clean::clean,
    config::{self, Config},
    legacy,
    listing::Listing,
    recent::{self, Routed},
    refusal::Refusal,
    small,
};

/// What an answer says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// `ls`.
    Listing(Listing),
    /// `getAddress`.
    Addresses(Vec<OwnList>),
    /// `getRouterSnapshot`.
    Chains(Vec<Chain>),
    /// `getRecentRouterSnapshot`.
    Routed(Vec<Routed>),
    /// `getEnabledRouterSnapshot`: services of which calls are watched.
    Watched(Vec<String>),
    /// `getConfig`.
    Config(Config),
    /// `ready`, `live`, `startup`.
    Flag(bool),
    /// `ready` by service.
    Ready(Vec<(String, bool)>),
    /// `version`.
    Version(String),
    /// `ps`.
    Ports {
        /// Ports of dubbo servers.
        ports: Vec<u16>,
        /// The same as `dubbo://host:port`.
        servers: Vec<String>,
        /// Who is connected to the port that was named.
        peers: Vec<Peer>,
    },
    /// `help`.
    Commands(Vec<String>),
    /// `serializeCheckStatus`.
    Serialization(Serialization),
    /// `loggerInfo`.
    Logger {
        /// The adapter in use.
        adapter: String,
        /// Its level.
        level: String,
    },
    /// `metrics`, `metrics_default`.
    Metrics {
        /// Number of values.
        series: u64,
        /// Names of applications in them, sorted.
        applications: Vec<String>,
    },
    /// No answer to the question, and why.
    Refused(Refusal),
    /// Nobody knows this shape: the cleaned text.
    Raw(String),
}

/// Two ends of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Peer {
    /// The other side.
    pub remote: String,
    /// This side.
    pub local: Option<String>,
}

/// How strictly classes are looked at before they are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Serialization {
    /// `STRICT`, `WARN`, `DISABLE`.
    pub status: String,
    /// Classes must be serializable.
    pub only_serializable: Option<bool>,
}

/// Reads an answer to `command` (with its arguments): the body with its status when it came over HTTP, else what came
/// over telnet. Never fails: what is not known stays [`Answer::Raw`].
pub fn read(command: &str, http: Option<u16>, text: &str) -> Answer {
    let text = clean(text);
    if let Some(refusal) = Refusal::read(http, &text) {
        return Answer::Refused(refusal);
    }
    let name = command.split(' ').next().unwrap_or_default();
    let known = match name {
        "ls" => Listing::read(&text)
            .or_else(|| legacy::read(&text))
            .map(Answer::Listing),
        "getAddress" => addresses::read(&text).map(Answer::Addresses),
        "getRouterSnapshot" => chain::read(&text).map(Answer::Chains),
        "getRecentRouterSnapshot" => recent::read(&text).map(Answer::Routed),
        "getEnabledRouterSnapshot" => small::keys(&text),
        "getConfig" => config::read(&text).map(Answer::Config),
        "ready" | "live" | "startup" => small::flag(&text),
        "version" => small::version(&text),
        "ps" => small::ports(&text),
        "help" => small::help(&text),
        "serializeCheckStatus" => small::serialization(&text),
        "loggerInfo" => small::logger(&text),
        "metrics" | "metrics_default" => small::metrics(&text),
        _ => None,
    };
    known.unwrap_or(Answer::Raw(text))
}
