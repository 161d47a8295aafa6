//! Nodes before they get their values: what the composer builds and the constructor reads.

use super::position::{Position, Span};
use super::tag::Tag;
use super::token::ScalarStyle;

/// Number of a node in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(u32);

impl NodeId {
    /// The position of the node in a list of all nodes.
    pub(super) fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// A node as written.
#[derive(Debug)]
pub(super) struct Composed {
    pub(super) tag: Tag,
    pub(super) start: Position,
    pub(super) end: Position,
    pub(super) kind: Kind,
    /// It contains itself, so it must exist before its contents do.
    pub(super) two_steps: bool,
    /// The tag is written out, not found from the text.
    pub(super) tagged: bool,
}

/// The shape of a node.
#[derive(Debug)]
pub(super) enum Kind {
    Scalar {
        text: String,
        style: ScalarStyle,
    },
    Sequence(Vec<NodeId>),
    /// `merged`: one of the keys is `<<`.
    Mapping {
        pairs: ListId,
        merged: bool,
    },
}

impl Kind {
    /// The name in messages (`NodeId.toString()`).
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Scalar { .. } => "scalar",
            Self::Sequence(_) => "sequence",
            Self::Mapping { .. } => "mapping",
        }
    }
}

/// Number of a list of pairs. A mapping can be given another list while the old one is still walked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListId(usize);

/// Key and value of a mapping (`NodeTuple`).
pub(super) type Pair = (NodeId, NodeId);

/// The pairs of a mapping with the counters of `java.util.ArrayList`: SnakeYAML removes pairs from mappings that it may
/// be walking through at the same time, and then fails as Java's iterators do.
#[derive(Debug, Default)]
pub(super) struct PairList {
    slots: Vec<Option<Pair>>,
    live: usize,
    changes: u64,
}

impl PairList {
    pub(super) fn of(pairs: Vec<Pair>) -> Self {
        Self {
            live: pairs.len(),
            slots: pairs.into_iter().map(Some).collect(),
            changes: 0,
        }
    }

    pub(super) fn push(&mut self, pair: Pair) {
        self.slots.push(Some(pair));
        self.live += 1;
    }

    pub(super) fn len(&self) -> usize {
        self.live
    }

    pub(super) fn first(&self) -> Option<Pair> {
        self.slots.iter().flatten().next().copied()
    }

    /// Removes the pairs in these slots.
    pub(super) fn remove_all(&mut self, slots: &[usize]) {
        for slot in slots {
            if self.slots.get_mut(*slot).and_then(Option::take).is_some() {
                self.live -= 1;
                self.changes += 1;
            }
        }
    }
}

/// A walk through a [`PairList`] (`ArrayList.Itr`).
#[derive(Debug)]
pub(super) struct Walk {
    next_slot: usize,
    passed: usize,
    changes: u64,
}

/// The list was changed by somebody else during a walk.
#[derive(Debug)]
pub(super) struct Changed;

impl Walk {
    pub(super) fn through(list: &PairList) -> Self {
        Self {
            next_slot: 0,
            passed: 0,
            changes: list.changes,
        }
    }

    /// The next pair and its slot.
    pub(super) fn next(&mut self, list: &PairList) -> Result<Option<(usize, Pair)>, Changed> {
        if self.passed == list.live {
            return Ok(None);
        }
        if self.changes != list.changes {
            return Err(Changed);
        }
        while let Some(slot) = list.slots.get(self.next_slot) {
            let at = self.next_slot;
            self.next_slot += 1;
            if let Some(pair) = slot {
                self.passed += 1;
                return Ok(Some((at, *pair)));
            }
        }
        Ok(None)
    }

    /// Removes the pair that [`next`](Self::next) gave last.
    pub(super) fn remove(&mut self, list: &mut PairList) {
        list.remove_all(&[self.next_slot - 1]);
        self.passed -= 1;
        self.changes = list.changes;
    }
}

/// All nodes of a document.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Composed>,
    lists: Vec<PairList>,
}

impl Graph {
    pub(super) fn add(&mut self, tag: Tag, span: Span, kind: Kind) -> NodeId {
        // A text of four thousand million nodes does not fit into memory.
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Composed {
            tag,
            start: span.start,
            end: span.end,
            kind,
            two_steps: false,
            tagged: false,
        });
        id
    }

    pub(super) fn add_list(&mut self, list: PairList) -> ListId {
        self.lists.push(list);
        ListId(self.lists.len() - 1)
    }

    pub(super) fn node(&self, id: NodeId) -> &Composed {
        &self.nodes[id.index()]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Composed {
        &mut self.nodes[id.index()]
    }

    pub(super) fn list(&self, id: ListId) -> &PairList {
        &self.lists[id.0]
    }

    pub(super) fn list_mut(&mut self, id: ListId) -> &mut PairList {
        &mut self.lists[id.0]
    }

    /// The list of a mapping.
    pub(super) fn pairs_of(&self, id: NodeId) -> Option<ListId> {
        match self.node(id).kind {
            Kind::Mapping { pairs, .. } => Some(pairs),
            _ => None,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn into_nodes(self) -> Vec<Composed> {
        self.nodes
    }
}
