//! What a system answered: exactly one of text, JSON, children, bytes, error; a few operations have fields of their own.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::words::words;

/// The answer of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// `children`: the names of a node's children. Every name that is missing is absent.
    Children(Vec<String>),
    /// `text`: verbatim.
    Text(String),
    /// `b64`: an answer that is no UTF-8 text.
    Bytes(Vec<u8>),
    /// `json`: the same as a text, written as JSON so that an editor can be used for it.
    Json(Value),
    /// `err`: there was no answer, or the answer was a refusal.
    Err {
        /// What kind of refusal it was.
        kind: ErrKind,
        /// The body of the refusal, verbatim.
        text: Option<String>,
        /// Fields of later versions.
        rest: Map<String, Value>,
    },
    /// The own fields of `tcp`, `probe` and `derived.revision`, and of unknown operations.
    Fields(Map<String, Value>),
}

/// The names under which an answer stands in a line, in the order in which lines of the same key and time are sorted.
pub(crate) const PAYLOADS: [&str; 5] = ["children", "text", "b64", "json", "err"];

impl Payload {
    /// A refusal without a body.
    pub fn err(kind: ErrKind) -> Self {
        Self::Err {
            kind,
            text: None,
            rest: Map::new(),
        }
    }

    /// A refusal with its body.
    pub fn err_with(kind: ErrKind, text: impl Into<String>) -> Self {
        Self::Err {
            kind,
            text: Some(text.into()),
            rest: Map::new(),
        }
    }

    /// An answer as it came: text where it is UTF-8, else bytes.
    pub fn verbatim(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(text),
            Err(error) => Self::Bytes(error.into_bytes()),
        }
    }

    /// The kind of refusal, if it is one.
    pub fn err_kind(&self) -> Option<&ErrKind> {
        match self {
            Self::Err { kind, .. } => Some(kind),
            _ => None,
        }
    }

    /// Place among [`PAYLOADS`]; own fields come last.
    pub(crate) fn rank(&self) -> usize {
        match self {
            Self::Children(_) => 0,
            Self::Text(_) => 1,
            Self::Bytes(_) => 2,
            Self::Json(_) => 3,
            Self::Err { .. } => 4,
            Self::Fields(_) => 5,
        }
    }
}

words! {
    /// Why there is no answer.
    ErrKind {
        /// Known to be absent.
        NotFound = "not-found",
        /// No right to read it.
        Denied = "denied",
        /// The port is closed.
        Refused = "refused",
        /// The name has no address.
        UnknownHost = "unknown-host",
        /// No way to the network or host.
        Unreachable = "unreachable",
        /// No answer in time.
        Timeout = "timeout",
        /// The connection was reset.
        Reset = "reset",
        /// The answer was not understood.
        BadAnswer = "bad-answer",
        /// The answer was longer than we read.
        TooLarge = "too-large",
        /// The connection ended within the answer.
        Cut = "cut",
        /// The server has this turned off.
        SwitchedOff = "switched-off",
        /// The server is not ready.
        NotReady = "not-ready",
        /// QOS does not have this command.
        NoSuchCommand = "no-such-command",
        /// QOS answers only its own host.
        ForeignIp = "foreign-ip",
    }
}

/// ZooKeeper's stat of a node. Times in milliseconds since 1970, ids as numbers; what was not recorded is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZkStat {
    /// When it was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ctime: Option<i64>,
    /// When its data was changed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtime: Option<i64>,
    /// Transaction of its creation.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bits"
    )]
    pub czxid: Option<i64>,
    /// Transaction of its last change.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bits"
    )]
    pub mzxid: Option<i64>,
    /// Transaction of the last change of its children.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bits"
    )]
    pub pzxid: Option<i64>,
    /// How often its data was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// How often its children changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cversion: Option<i32>,
    /// How often its ACL was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aversion: Option<i32>,
    /// Length of its data in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_length: Option<i32>,
    /// Number of its children.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_children: Option<i32>,
    /// Session that owns it; 0 = persistent. A Java long: it may be negative.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bits"
    )]
    pub ephemeral_owner: Option<i64>,
    /// Fields of later versions.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl ZkStat {
    /// Whether the node goes away with its session; `None` where the owner was not recorded.
    pub fn is_ephemeral(&self) -> Option<bool> {
        self.ephemeral_owner.map(|owner| owner != 0)
    }
}

/// A 64 bit number that others may have written without a sign.
fn bits<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    use serde::de::Error;
    let Some(number) = Option::<serde_json::Number>::deserialize(deserializer)? else {
        return Ok(None);
    };
    number
        .as_i64()
        .or_else(|| number.as_u64().map(u64::cast_signed))
        .map(Some)
        .ok_or_else(|| D::Error::custom(format!("{number} is no 64 bit number")))
}
