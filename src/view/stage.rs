//! A stage: its input, its output and why each address was dropped. The order of stages is that of the real code.

use std::fmt;

use crate::{diagnose::code::Code, report::words::Phrase, snapshot::SourceId};

/// Discovery model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Model {
    /// Provider URLs under the interface.
    Interface,
    /// Instances of applications, found through the mapping.
    Application,
}

/// The stages of `verdict` in causal order; `Display` gives the id in the report.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StageId {
    /// The question itself: `injvm`, `url=`, `subscribe=false`.
    Question,
    /// Is the registry reached?
    Reach,
    /// Namespace, registry group, root.
    Place,
    /// Name form of the service in the registry.
    NameForm,
    /// Mapping from interface to applications.
    Mapping,
    /// Instances of the mapped applications.
    Instances,
    /// Revision and metadata.
    Revision,
    /// Group, version, interface.
    Key,
    /// Enabled, weight, health, as this path treats them.
    Entries,
    /// Which of the two models is used.
    Decision,
    /// Protocol filter.
    Protocol,
    /// Configurators.
    Configurators,
    /// Connectivity.
    Connectivity,
    /// One router, by its name (`condition.service`).
    Router(String),
    /// Serialization.
    Serialization,
    /// The consumer's own view.
    ConsumerView,
}

impl fmt::Display for StageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Question => "Q",
            Self::Reach => "R",
            Self::Place => "P",
            Self::NameForm => "N",
            Self::Mapping => "M",
            Self::Instances => "I",
            Self::Revision => "V",
            Self::Key => "K",
            Self::Entries => "E",
            Self::Decision => "D",
            Self::Protocol => "T",
            Self::Configurators => "O",
            Self::Connectivity => "C",
            Self::Router(name) => return write!(f, "X.{name}"),
            Self::Serialization => "S",
            Self::ConsumerView => "W",
        })
    }
}

/// What became of a stage. Unknown is never ok.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Seen, and something is left (or the stage has nothing to remove).
    Ok,
    /// Seen, and nothing is left.
    Failed,
    /// Not computed, because an earlier stage left nothing or the stage does not exist on this line.
    Skipped,
    /// A fact was not seen.
    Unknown,
}

/// One stage of a view.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Which.
    pub id: StageId,
    /// What became of it.
    pub state: State,
    /// Why it is skipped or unknown, or a remark.
    pub because: Option<Phrase>,
    /// Addresses that came in; `None` where the stage is not about addresses or the number is unknown.
    pub input: Option<usize>,
    /// Addresses left.
    pub output: Option<usize>,
    /// Every drop, sorted by address.
    pub dropped: Vec<Dropped>,
    /// Codes this stage raises when it is the emptying one, in the order of `verdict` section 3, with proof.
    pub raises: Vec<Raised>,
    /// Facts that would have been needed.
    pub not_seen: Vec<NotSeen>,
}

/// One dropped address and the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Dropped {
    /// `host:port`.
    pub address: String,
    /// Reason.
    pub code: Code,
    /// Rule that removed it, by its key.
    pub rule: Option<String>,
    /// `line:column` in the rule.
    pub position: Option<String>,
}

/// A code with its proof.
#[derive(Debug, Clone, PartialEq)]
pub struct Raised {
    /// The finding code.
    pub code: Code,
    /// Language-free parameters of the message (`{name}` in the code's sentence).
    pub params: serde_json::Map<String, serde_json::Value>,
    /// What it is about: kind (`service`, `address`, `rule`, `registry`, `node` ...) and name.
    pub subject: (String, String),
    /// Where it was seen.
    pub evidence: Vec<Evidence>,
}

/// A fact with where and when it was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Source in the snapshot.
    pub source: SourceId,
    /// Operation (`zk.node`).
    pub op: String,
    /// Key fields of the line (`path`, `namespace`, `data_id` ...).
    pub address: serde_json::Map<String, serde_json::Value>,
    /// `line:column` in a text.
    pub position: Option<String>,
    /// RFC 3339, as recorded.
    pub seen_at: Option<String>,
    /// What it says.
    pub fact: Phrase,
}

/// So many pieces of evidence one finding has at most, like the drops that a stage lists.
pub const MOST_EVIDENCE: usize = 200;

/// A fact that was wanted and not seen.
#[derive(Debug, Clone, PartialEq)]
pub struct NotSeen {
    /// Which layer or fact (`routing rules`, `connectivity`, `qos`).
    pub what: Phrase,
    /// Why not.
    pub why: Phrase,
    /// The command that would show it, if there is one.
    pub how_to_see: Option<Phrase>,
    /// Whether a verdict `reachable` needs it.
    pub required: bool,
}
