//! Nodes to values, mirroring `org.yaml.snakeyaml.constructor.SafeConstructor`.
//!
//! What Java does by recursion lies here on a stack of frames: a frame works until it needs the value of another node,
//! steps back, and goes on when that value exists.

mod binary;
mod key;
mod mapping;
mod scalar;
mod singles;
mod timestamp;

use std::collections::HashMap;

use super::STACK_DEPTH;
use super::error::{ExceptionClass, YamlError};
use super::graph::{Graph, Kind, NodeId, Pair};
use super::tag::Tag;
use super::value::{Content, Document, DroppedKey};
use super::version::YamlVersion;
use key::{KeyId, Keys};
use mapping::MappingFrame;
use singles::singles_context;

/// How many steps a document may cost beyond its own size: merges and recursive keys can multiply it.
const BUDGET: usize = 2_000_000;

/// Where the value of a node stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// Not asked for.
    New,
    /// Being built, not to be seen (`recursiveObjects`).
    Open,
    /// To be seen, but still being filled: a node that contains itself.
    Partial,
    /// Complete.
    Done,
}

/// The work at one collection.
enum Frame {
    Sequence {
        node: NodeId,
        next: usize,
    },
    Mapping(Box<MappingFrame>),
    /// `!!omap` and `!!pairs`: a sequence of mappings with one pair each.
    Singles {
        node: NodeId,
        next: usize,
        index: Option<HashMap<KeyId, usize>>,
    },
}

impl Frame {
    fn node(&self) -> NodeId {
        match self {
            Self::Sequence { node, .. } | Self::Singles { node, .. } => *node,
            Self::Mapping(frame) => frame.node(),
        }
    }
}

/// A pair or element that is put in when everything else is done, since its key contains itself.
struct Postponed {
    into: NodeId,
    key: NodeId,
    value: Option<NodeId>,
}

/// Builds the values of a document.
struct Constructor {
    version: YamlVersion,
    graph: Graph,
    progress: Vec<Progress>,
    contents: Vec<Content>,
    keys: Keys,
    frames: Vec<Frame>,
    postponed: Vec<Postponed>,
    dropped: Vec<DroppedKey>,
    budget: usize,
}

/// `BaseConstructor.getSingleData`: the only document of a text.
pub(super) fn construct_single(
    graph: Graph,
    root: Option<NodeId>,
    version: YamlVersion,
) -> Result<Document, YamlError> {
    let Some(root) = root else {
        return Ok(Document::empty(version));
    };
    let constructor = Constructor::new(graph, version);
    if version.null_root_unchecked() && constructor.graph.node(root).tag == Tag::Null {
        return Ok(constructor.document(root));
    }
    constructor.construct(root)
}

/// `BaseConstructor.getData`: one of several documents.
pub(super) fn construct(
    graph: Graph,
    root: NodeId,
    version: YamlVersion,
) -> Result<Document, YamlError> {
    Constructor::new(graph, version).construct(root)
}

impl Constructor {
    fn new(graph: Graph, version: YamlVersion) -> Self {
        Self {
            version,
            progress: vec![Progress::New; graph.len()],
            contents: std::iter::repeat_with(|| Content::Null)
                .take(graph.len())
                .collect(),
            keys: Keys::new(graph.len()),
            frames: Vec::new(),
            postponed: Vec::new(),
            dropped: Vec::new(),
            budget: BUDGET,
            graph,
        }
    }

    fn construct(mut self, root: NodeId) -> Result<Document, YamlError> {
        self.run(root)?;
        self.fill_postponed()?;
        Ok(self.document(root))
    }

    /// What was built so far; `null` where nothing was.
    fn document(self, root: NodeId) -> Document {
        Document::new(self.version, root, self.graph, self.contents, self.dropped)
    }

    fn run(&mut self, root: NodeId) -> Result<(), YamlError> {
        if self.ready(root)? {
            return Ok(());
        }
        self.enter(root)?;
        while let Some(mut frame) = self.frames.pop() {
            let wanted = match &mut frame {
                Frame::Sequence { node, next } => self.step_sequence(*node, next)?,
                Frame::Mapping(frame) => self.step_mapping(frame)?,
                Frame::Singles { node, next, index } => self.step_singles(*node, next, index)?,
            };
            if let Some(child) = wanted {
                self.frames.push(frame);
                self.enter(child)?;
            } else {
                self.finish(frame.node())?;
            }
        }
        Ok(())
    }

    fn placeless(
        &self,
        class: ExceptionClass,
        problem: impl Into<String>,
        node: NodeId,
    ) -> YamlError {
        YamlError::placeless(class, problem, self.graph.node(node).start)
    }

    /// An error at `node` while `context` was built, which begins at `outer`.
    fn error_within(
        &self,
        context: &str,
        outer: NodeId,
        problem: impl Into<String>,
        node: NodeId,
    ) -> YamlError {
        YamlError::marked(
            ExceptionClass::Constructor,
            problem,
            self.graph.node(node).start,
        )
        .within(context, Some(self.graph.node(outer).start))
    }

    fn spend(&mut self, node: NodeId) -> Result<(), YamlError> {
        self.budget = self.budget.saturating_sub(1);
        if self.budget == 0 {
            let problem = "the merges or recursive keys of this document multiply its size";
            return Err(self.placeless(ExceptionClass::OutOfMemory, problem, node));
        }
        Ok(())
    }

    fn stack_overflow(&self, node: NodeId, why: &str) -> YamlError {
        self.placeless(ExceptionClass::StackOverflow, why, node)
    }

    /// Whether the value of `node` exists. A scalar is made at once; a collection must be [entered](Self::enter).
    fn ready(&mut self, node: NodeId) -> Result<bool, YamlError> {
        match self.progress[node.index()] {
            Progress::Partial | Progress::Done => Ok(true),
            Progress::Open => {
                let at = self.graph.node(node).start;
                let problem = "found unconstructable recursive node";
                Err(YamlError::marked(ExceptionClass::Constructor, problem, at))
            }
            Progress::New => {
                let scalar = matches!(self.graph.node(node).kind, Kind::Scalar { .. });
                if scalar {
                    self.contents[node.index()] = self.scalar(node)?;
                    self.progress[node.index()] = Progress::Done;
                }
                Ok(scalar)
            }
        }
    }

    /// Begins a collection.
    fn enter(&mut self, node: NodeId) -> Result<(), YamlError> {
        if self.frames.len() >= STACK_DEPTH {
            return Err(self.stack_overflow(node, "the aliases nest too deep for the JVM's stack"));
        }
        let composed = self.graph.node(node);
        let sequence = matches!(composed.kind, Kind::Sequence(_));
        let (content, frame) = match (&composed.tag, sequence) {
            (Tag::Seq, true) => (Content::List(Vec::new()), Frame::Sequence { node, next: 0 }),
            (Tag::Map, false) => (Content::Map(Vec::new()), self.mapping_frame(node, false)),
            (Tag::Set, false) => (Content::Set(Vec::new()), self.mapping_frame(node, true)),
            (Tag::Omap, true) => (
                Content::Map(Vec::new()),
                Frame::Singles {
                    node,
                    next: 0,
                    index: Some(HashMap::new()),
                },
            ),
            (Tag::Pairs, true) => (
                Content::Pairs(Vec::new()),
                Frame::Singles {
                    node,
                    next: 0,
                    index: None,
                },
            ),
            (Tag::Omap | Tag::Pairs, false) | (Tag::Merge | Tag::Yaml | Tag::Other(_), _) => {
                return Err(self.wrong_kind(node));
            }
            _ => return Err(self.wrong_class(node)),
        };
        self.contents[node.index()] = content;
        // Only the constructors of plain collections show a node before it is filled.
        let shown = composed.two_steps && !matches!(frame, Frame::Singles { .. });
        self.progress[node.index()] = if shown {
            Progress::Partial
        } else {
            Progress::Open
        };
        self.frames.push(frame);
        Ok(())
    }

    /// A tag that no constructor is known for, or `!!omap` and `!!pairs` on something else than a sequence.
    fn wrong_kind(&self, node: NodeId) -> YamlError {
        let composed = self.graph.node(node);
        match &composed.tag {
            Tag::Omap | Tag::Pairs => {
                let problem = format!("expected a sequence, but found {}", composed.kind.name());
                self.error_within(singles_context(&composed.tag), node, problem, node)
            }
            tag => {
                let problem = format!(
                    "could not determine a constructor for the tag {}",
                    tag.uri()
                );
                YamlError::marked(ExceptionClass::Constructor, problem, composed.start)
            }
        }
    }

    /// A known tag on the wrong kind of node.
    fn wrong_class(&self, node: NodeId) -> YamlError {
        let composed = self.graph.node(node);
        let problem = format!(
            "the tag {} does not fit a {}",
            composed.tag.uri(),
            composed.kind.name()
        );
        self.placeless(ExceptionClass::ClassCast, problem, node)
    }

    fn finish(&mut self, node: NodeId) -> Result<(), YamlError> {
        let hidden = self.progress[node.index()] == Progress::Open;
        if hidden && self.graph.node(node).two_steps {
            let problem = format!("{} cannot contain itself", self.graph.node(node).tag.uri());
            return Err(self.placeless(ExceptionClass::IllegalState, problem, node));
        }
        self.progress[node.index()] = Progress::Done;
        Ok(())
    }

    fn item(&self, node: NodeId, at: usize) -> Option<NodeId> {
        match &self.graph.node(node).kind {
            Kind::Sequence(items) => items.get(at).copied(),
            _ => None,
        }
    }

    fn step_sequence(
        &mut self,
        node: NodeId,
        next: &mut usize,
    ) -> Result<Option<NodeId>, YamlError> {
        while let Some(item) = self.item(node, *next) {
            if !self.ready(item)? {
                return Ok(Some(item));
            }
            if let Content::List(list) = &mut self.contents[node.index()] {
                list.push(item);
            }
            *next += 1;
        }
        Ok(None)
    }

    /// `LinkedHashMap.put`: an equal key keeps its place and its own object.
    fn put(&mut self, map: NodeId, index: &mut HashMap<KeyId, usize>, id: KeyId, pair: Pair) {
        let Content::Map(entries) = &mut self.contents[map.index()] else {
            return;
        };
        let at = *index.entry(id).or_insert(entries.len());
        match entries.get_mut(at) {
            Some(entry) => entry.1 = pair.1,
            None => entries.push(pair),
        }
    }

    /// `fillRecursive`: maps before sets, and what was put off last comes first.
    fn fill_postponed(&mut self) -> Result<(), YamlError> {
        let mut postponed = std::mem::take(&mut self.postponed);
        postponed.reverse();
        postponed.sort_by_key(|it| it.value.is_none());
        for Postponed { into, key, value } in postponed {
            self.keys.forget();
            let id = self.key_id(key)?;
            let present: Vec<NodeId> = match &self.contents[into.index()] {
                Content::Map(entries) => entries.iter().map(|(key, _)| *key).collect(),
                Content::Set(items) => items.clone(),
                _ => Vec::new(),
            };
            let mut equal = None;
            for (at, other) in present.into_iter().enumerate() {
                // A key that has come to contain itself has kept the hash code of its time.
                if self.key_id(other).is_ok_and(|other| other == id) {
                    equal = Some(at);
                    break;
                }
            }
            match (&mut self.contents[into.index()], value, equal) {
                (Content::Map(entries), Some(value), Some(at)) => entries[at].1 = value,
                (Content::Map(entries), Some(value), None) => entries.push((key, value)),
                (Content::Set(items), None, None) => items.push(key),
                _ => {}
            }
        }
        Ok(())
    }
}
