//! One thing to fetch: the words in which the pure side asks and the observers answer.

use super::key::Key;
use super::manifest::SourceId;

/// Which answer about a key is wanted. ZooKeeper nodes have more than one, and Nacos' lists of instances one for each
/// cluster; a call may be wanted in one protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The names of a node's children.
    Children,
    /// A node's data, with its stat.
    Data,
    /// A node's stat alone. A line cannot hold a stat without an answer, so observers read children or data for it.
    Stat,
    /// Whatever the key answers.
    Any,
    /// Of a Nacos service the instances in all its clusters, where `Any` is those of the cluster that Dubbo uses.
    Clusters,
    /// The answer to a call over triple; any other way is the dubbo protocol.
    OverTriple,
}

/// One thing to fetch from one source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Want {
    /// Who is to be asked.
    pub source: SourceId,
    /// What is to be asked.
    pub key: Key,
    /// Which answer is wanted.
    pub part: Part,
}

impl Want {
    /// Whatever the key answers.
    pub fn any(source: &SourceId, key: Key) -> Self {
        Self {
            source: source.clone(),
            key,
            part: Part::Any,
        }
    }

    /// The children of a ZooKeeper node.
    pub fn zk_children(source: &SourceId, path: impl Into<String>) -> Self {
        Self {
            source: source.clone(),
            key: Key::zk_node(path),
            part: Part::Children,
        }
    }

    /// The data of a ZooKeeper node.
    pub fn zk_data(source: &SourceId, path: impl Into<String>) -> Self {
        Self {
            source: source.clone(),
            key: Key::zk_node(path),
            part: Part::Data,
        }
    }

    /// The stat of a ZooKeeper node.
    pub fn zk_stat(source: &SourceId, path: impl Into<String>) -> Self {
        Self {
            source: source.clone(),
            key: Key::zk_node(path),
            part: Part::Stat,
        }
    }
}
