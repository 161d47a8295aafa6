//! What a walk over everything of Dubbo's in a registry did (`snapshot --all`).

use super::Failure;
use crate::snapshot::Ended;

/// The end of a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walked {
    /// How it ended. `Complete` also when `lost` or `cut` say that not everything was read.
    pub ended: Ended,
    /// Answers (Nacos) or nodes (ZooKeeper) that were read.
    pub nodes: usize,
    /// The roots (ZooKeeper) or namespaces (Nacos) that were walked.
    pub roots: Vec<String>,
    /// Namespaces that were read completely: of all services and configurations it is known what and whether they are.
    /// Always empty for ZooKeeper.
    pub namespaces: Vec<String>,
    /// Top-level nodes that do not look like Dubbo's and were left alone.
    pub left_out: Vec<String>,
    /// The bounds were reached; from this path on nothing was read.
    pub cut: Option<String>,
    /// No member answers any more, or an answer was refused.
    pub lost: Option<Failure>,
}

impl Default for Walked {
    fn default() -> Self {
        Self {
            ended: Ended::Complete,
            nodes: 0,
            roots: Vec::new(),
            namespaces: Vec::new(),
            left_out: Vec::new(),
            cut: None,
            lost: None,
        }
    }
}

impl Walked {
    /// Whether everything in the walked places was read.
    pub fn is_complete(&self) -> bool {
        self.ended == Ended::Complete && self.cut.is_none() && self.lost.is_none()
    }
}
