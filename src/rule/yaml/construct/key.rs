//! When two keys are the same: Java's `equals` and `hashCode` over the values.

use std::collections::HashMap;

use super::{Constructor, Progress};
use crate::rule::yaml::STACK_DEPTH;
use crate::rule::yaml::error::YamlError;
use crate::rule::yaml::graph::{Kind, NodeId};
use crate::rule::yaml::number::Integer;
use crate::rule::yaml::value::Content;

/// Equal values have the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct KeyId(u32);

/// A value as `equals` sees it. Collections hold the numbers of their parts.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Shape {
    Null,
    Bool(bool),
    Int(Integer),
    /// Bits, with one NaN: `Double.equals`.
    Float(u64),
    Text(String),
    Timestamp(i64),
    /// Arrays are equal to themselves only.
    Itself(NodeId),
    List(Vec<KeyId>),
    /// Sorted: order does not count.
    Map(Vec<(KeyId, KeyId)>),
    /// Sorted.
    Set(Vec<KeyId>),
}

/// All shapes met in a document.
pub(super) struct Keys {
    shapes: HashMap<Shape, KeyId>,
    known: Vec<Option<KeyId>>,
}

impl Keys {
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            shapes: HashMap::new(),
            known: vec![None; nodes],
        }
    }

    /// Values have changed that were complete before.
    pub(super) fn forget(&mut self) {
        self.known.fill(None);
    }

    fn intern(&mut self, shape: Shape) -> KeyId {
        let next = KeyId(u32::try_from(self.shapes.len()).unwrap_or(u32::MAX));
        *self.shapes.entry(shape).or_insert(next)
    }
}

/// A step of the walk through a key.
enum Step {
    Visit(NodeId),
    Leave(NodeId),
}

/// What is known of a node within one walk.
#[derive(Clone, Copy)]
enum Seen {
    /// Its parts are being looked at.
    Inside,
    /// Its number, and whether that can still change.
    Known(KeyId, bool),
}

impl Constructor {
    /// The number of the value of `node`, which exists. A value that contains itself has no hash code in Java: its
    /// computation overruns the stack.
    pub(super) fn key_id(&mut self, node: NodeId) -> Result<KeyId, YamlError> {
        if let Some(id) = self.keys.known[node.index()] {
            return Ok(id);
        }
        if matches!(self.graph.node(node).kind, Kind::Scalar { .. }) {
            let (shape, _) = self.shape(node, &HashMap::new());
            let id = self.keys.intern(shape);
            self.keys.known[node.index()] = Some(id);
            return Ok(id);
        }
        self.collection_id(node)
    }

    fn collection_id(&mut self, node: NodeId) -> Result<KeyId, YamlError> {
        let mut seen: HashMap<NodeId, Seen> = HashMap::new();
        let mut inside = 0;
        let mut steps = vec![Step::Visit(node)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Visit(at) => {
                    if self.keys.known[at.index()].is_some() {
                        continue;
                    }
                    match seen.get(&at) {
                        Some(Seen::Known(..)) => continue,
                        Some(Seen::Inside) => return Err(self.no_hash_code(node)),
                        None => {}
                    }
                    self.spend_on_partial(at)?;
                    inside += 1;
                    if inside > 2 * STACK_DEPTH {
                        return Err(self.no_hash_code(node));
                    }
                    seen.insert(at, Seen::Inside);
                    steps.push(Step::Leave(at));
                    self.visit_parts(at, &mut steps);
                }
                Step::Leave(at) => {
                    inside -= 1;
                    let (shape, fixed) = self.shape(at, &seen);
                    let id = self.keys.intern(shape);
                    seen.insert(at, Seen::Known(id, fixed));
                    if fixed {
                        self.keys.known[at.index()] = Some(id);
                    }
                }
            }
        }
        match seen.get(&node) {
            Some(Seen::Known(id, _)) => Ok(*id),
            _ => Err(self.no_hash_code(node)),
        }
    }

    fn no_hash_code(&self, node: NodeId) -> YamlError {
        self.stack_overflow(node, "a key that contains itself has no hash code")
    }

    /// Complete values are looked at once; the others may be looked at again and again.
    fn spend_on_partial(&mut self, node: NodeId) -> Result<(), YamlError> {
        if self.progress[node.index()] == Progress::Done {
            Ok(())
        } else {
            self.spend(node)
        }
    }

    fn visit_parts(&self, node: NodeId, steps: &mut Vec<Step>) {
        match &self.contents[node.index()] {
            Content::List(items) | Content::Set(items) => {
                steps.extend(items.iter().map(|item| Step::Visit(*item)));
            }
            Content::Map(entries) => {
                steps.extend(
                    entries
                        .iter()
                        .flat_map(|(key, value)| [Step::Visit(*key), Step::Visit(*value)]),
                );
            }
            _ => {}
        }
    }

    /// The shape of a node whose parts are known, and whether it is final.
    fn shape(&self, node: NodeId, seen: &HashMap<NodeId, Seen>) -> (Shape, bool) {
        let mut fixed = self.progress[node.index()] == Progress::Done;
        let mut part = |id: &NodeId| match (self.keys.known[id.index()], seen.get(id)) {
            (Some(known), _) => known,
            (None, Some(Seen::Known(known, final_id))) => {
                fixed &= final_id;
                *known
            }
            // Every part was visited before.
            (None, _) => KeyId(u32::MAX),
        };
        let shape = match &self.contents[node.index()] {
            Content::Null => Shape::Null,
            Content::Bool(value) => Shape::Bool(*value),
            Content::Int(value) => Shape::Int(value.clone()),
            Content::Float(value) => {
                Shape::Float(if value.is_nan() { f64::NAN } else { *value }.to_bits())
            }
            Content::Text(text) => Shape::Text(text.clone()),
            Content::Timestamp(millis) => Shape::Timestamp(*millis),
            Content::Pairs(pairs) if pairs.is_empty() => Shape::List(Vec::new()),
            Content::Binary(_) | Content::Pairs(_) => Shape::Itself(node),
            Content::List(items) => Shape::List(items.iter().map(part).collect()),
            Content::Set(items) => {
                let mut ids: Vec<KeyId> = items.iter().map(part).collect();
                ids.sort_unstable();
                Shape::Set(ids)
            }
            Content::Map(entries) => {
                let mut ids: Vec<_> = entries
                    .iter()
                    .map(|(key, value)| (part(key), part(value)))
                    .collect();
                ids.sort_unstable();
                Shape::Map(ids)
            }
        };
        (shape, fixed)
    }
}
