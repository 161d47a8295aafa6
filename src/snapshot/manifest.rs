//! `manifest.json`: who recorded what, when, from where, and how far it got.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::time::At;
use super::words::words;

/// The number of the format that this version writes and the newest that it reads.
pub const FORMAT: u64 = 1;

/// The head of a recording. Fields that this version does not know are kept in `rest` and written back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Format number, [`FORMAT`]. It grows only when a meaning changes.
    pub diag_snapshot: u64,
    /// Program and version that recorded.
    #[serde(default)]
    pub recorded_by: String,
    /// When the recording ended; the time of every answer that has none of its own, and `now` for a diagnosis.
    pub recorded_at: At,
    /// The machine from which was asked.
    #[serde(default)]
    pub seen_from: SeenFrom,
    /// What was meant to be read.
    #[serde(default)]
    pub scope: Scope,
    /// Names of parameters whose values were masked.
    #[serde(default)]
    pub masked: Vec<String>,
    /// Who was asked. Each source has the file `<id>.jsonl`.
    #[serde(default)]
    pub sources: BTreeMap<SourceId, Source>,
    /// Whether everything in scope was read.
    #[serde(default = "complete")]
    pub ended: Ended,
    /// Fields of later versions.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

fn complete() -> Ended {
    Ended::Complete
}

impl Manifest {
    /// A manifest without sources, of a recording that ended at the given time.
    pub fn new(recorded_by: impl Into<String>, recorded_at: At) -> Self {
        Self {
            diag_snapshot: FORMAT,
            recorded_by: recorded_by.into(),
            recorded_at,
            seen_from: SeenFrom::default(),
            scope: Scope::default(),
            masked: Vec::new(),
            sources: BTreeMap::new(),
            ended: Ended::Complete,
            rest: Map::new(),
        }
    }

    /// Adds a source under the next free id with this prefix (`r` gives `r1`, `r2`, ..) and returns the id.
    pub fn add_source(&mut self, prefix: &str, source: Source) -> SourceId {
        let mut number = 1_u32;
        loop {
            let id = SourceId(format!("{prefix}{number}"));
            if !self.sources.contains_key(&id) {
                self.sources.insert(id.clone(), source);
                return id;
            }
            number += 1;
        }
    }
}

/// Name of a source, such as `r1`, `q1`, `p`, `f1`. Also the stem of its file, so only ASCII letters, digits, `-`, `_`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SourceId(String);

impl SourceId {
    /// Checks and wraps a name.
    ///
    /// # Errors
    /// The name is empty, longer than 64, or has a character that a file name of the format cannot have.
    pub fn new(name: impl Into<String>) -> Result<Self, BadSourceId> {
        let name = name.into();
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
            return Err(BadSourceId(name));
        }
        Ok(Self(name))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SourceId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// A name that cannot be the id of a source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("source id {0:?} is not made of 1 to 64 letters, digits, - and _")]
pub struct BadSourceId(pub String);

/// The machine from which was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFrom {
    /// Its host name.
    #[serde(default)]
    pub host: String,
    /// Its addresses.
    #[serde(default)]
    pub addresses: Vec<String>,
    /// Whether the consumer in question runs there; reachability then is what the consumer sees.
    #[serde(default)]
    pub is_consumer: bool,
    /// Fields of later versions.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What was meant to be read. What is outside of it is unknown, never absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// Service keys that were asked for.
    #[serde(default)]
    pub services: Vec<String>,
    /// ZooKeeper was read completely: a name that its parent does not list is absent.
    #[serde(default)]
    pub all: bool,
    /// Nacos namespaces that were read completely.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// Kinds of places that were swept beside the asked one: `namespaces`, `groups`, `roots`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sweep: Vec<String>,
    /// Fields of later versions.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

words! {
    /// How the recording ended.
    Ended {
        /// Everything in scope was read.
        Complete = "complete",
        /// Time ran out.
        Deadline = "deadline",
        /// Somebody stopped it.
        Interrupted = "interrupted",
    }
}

words! {
    /// What kind of system a source is.
    SourceKind {
        /// A ZooKeeper ensemble.
        Zookeeper = "zookeeper",
        /// A Nacos server or cluster.
        Nacos = "nacos",
        /// A QOS port of a Dubbo process.
        Qos = "qos",
        /// Connection attempts and heartbeats from this machine.
        Probe = "probe",
        /// An attached file.
        File = "file",
        /// A metrics endpoint.
        Metrics = "metrics",
    }
}

words! {
    /// What a registry server is used for.
    Role {
        /// Providers register there.
        Registry = "registry",
        /// Rules are read there.
        ConfigCenter = "config-center",
        /// Metadata and mappings are kept there.
        Metadata = "metadata",
    }
}

/// One source: somebody who was asked, or a file that was attached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// What kind of system it is.
    pub kind: SourceKind,
    /// What it is used for (registries).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// Its address in Dubbo's syntax (registries), masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Version of the server, when it told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// `host:port` (QOS, metrics).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// What a file is: `consumer-log`, `provider-log`, `nacos-client-log`, `dubbo-cache`, `nacos-cache`, `qos-answer`, `config`, `metrics`, ..
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
    pub file_as: Option<String>,
    /// Name of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whose file it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Length of the masked text in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// SHA-256 of the masked text, hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Fields of later versions.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Source {
    /// A source of which nothing but the kind is known.
    pub fn new(kind: SourceKind) -> Self {
        Self {
            kind,
            roles: Vec::new(),
            url: None,
            server: None,
            endpoint: None,
            file_as: None,
            name: None,
            host: None,
            bytes: None,
            sha256: None,
            rest: Map::new(),
        }
    }

    /// Whether it serves this role.
    pub fn has_role(&self, role: &Role) -> bool {
        self.roles.contains(role)
    }
}
