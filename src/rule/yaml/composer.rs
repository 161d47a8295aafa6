//! Events to nodes, mirroring `org.yaml.snakeyaml.composer.Composer`: anchors and aliases, tags, limits. Open
//! collections lie on a stack of their own, so nesting costs memory, not stack.

use std::collections::HashMap;

use super::STACK_DEPTH;
use super::error::{ExceptionClass, YamlError};
use super::event::{Event, EventKind, Properties};
use super::graph::{Graph, Kind, NodeId, PairList};
use super::parser::Parser;
use super::position::{Position, Span};
use super::tag::Tag;
use super::version::YamlVersion;

/// Builds the nodes of a text: of its one document, or of one document after the other.
pub(super) struct Composer {
    version: YamlVersion,
    parser: Parser,
    graph: Graph,
    anchors: HashMap<String, NodeId>,
    open: Vec<Open>,
    /// Where the open collections lie on their stack.
    open_at: HashMap<NodeId, usize>,
    aliases: usize,
    /// The start of the stream was read, by [`Self::next_document`].
    started: bool,
}

/// A collection that is not closed yet.
struct Open {
    node: NodeId,
    key: Option<NodeId>,
    /// Whether an alias to it makes it a node that contains itself: its parent's turn, and no earlier alias.
    watched: bool,
}

impl Composer {
    pub(super) fn new(parser: Parser, version: YamlVersion) -> Self {
        Self {
            version,
            parser,
            graph: Graph::default(),
            anchors: HashMap::new(),
            open: Vec::new(),
            open_at: HashMap::new(),
            aliases: 0,
            started: false,
        }
    }

    /// `getSingleNode`: the nodes and the root, which is missing in an empty text.
    pub(super) fn compose(mut self) -> Result<(Graph, Option<NodeId>), YamlError> {
        self.parser.next()?;
        let mut root = None;
        if self.parser.peek()?.kind != EventKind::StreamEnd {
            self.parser.next()?;
            root = Some(self.document()?);
            self.parser.next()?;
        }
        let event = self.parser.peek()?;
        if event.kind != EventKind::StreamEnd {
            let start = root.map(|root| self.graph.node(root).start);
            return Err(YamlError::marked(
                ExceptionClass::Composer,
                "but found another document",
                event.start,
            )
            .within("expected a single document in the stream", start));
        }
        Ok((self.graph, root))
    }

    /// `checkNode` and `getNode`: the next of several documents, `None` at the end of the text.
    pub(super) fn next_document(&mut self) -> Result<Option<(Graph, NodeId)>, YamlError> {
        if !std::mem::replace(&mut self.started, true) {
            self.parser.next()?;
        }
        if self.parser.peek()?.kind == EventKind::StreamEnd {
            return Ok(None);
        }
        self.parser.next()?;
        let root = self.document()?;
        self.parser.next()?;
        self.anchors.clear();
        Ok(Some((std::mem::take(&mut self.graph), root)))
    }

    fn document(&mut self) -> Result<NodeId, YamlError> {
        loop {
            if let Some(open) = self.open.last_mut() {
                open.watched = true;
            }
            let event = self.parser.next()?;
            let done = match event.kind {
                EventKind::Alias(ref name) => Some(self.alias(name, event.start)?),
                EventKind::SequenceEnd | EventKind::MappingEnd => self.close(event.end),
                _ => self.start(event)?,
            };
            if let Some(node) = done {
                let Some(parent) = self.open.last_mut() else {
                    return Ok(node);
                };
                parent.watched = false;
                self.attach(node);
            }
        }
    }

    fn alias(&mut self, name: &str, at: Position) -> Result<NodeId, YamlError> {
        let Some(&node) = self.anchors.get(name) else {
            let problem = format!("found undefined alias {name}");
            return Err(YamlError::marked(ExceptionClass::Composer, problem, at));
        };
        if let Some(limit) = self.version.alias_limit()
            && !matches!(self.graph.node(node).kind, Kind::Scalar { .. })
        {
            self.aliases += 1;
            if self.aliases > limit {
                let problem = format!(
                    "Number of aliases for non-scalar nodes exceeds the specified max={limit}"
                );
                return Err(YamlError::placeless(ExceptionClass::Yaml, problem, at));
            }
        }
        if let Some(&at) = self.open_at.get(&node)
            && std::mem::take(&mut self.open[at].watched)
        {
            self.graph.node_mut(node).two_steps = true;
        }
        Ok(node)
    }

    /// A scalar, which is complete, or the start of a collection.
    fn start(&mut self, event: Event) -> Result<Option<NodeId>, YamlError> {
        self.check_depth(event.start)?;
        let span = Span {
            start: event.start,
            end: event.end,
        };
        match event.kind {
            EventKind::Scalar {
                properties,
                text,
                style,
                implicit,
            } => {
                let written = self.tag(&properties, event.start)?;
                let tagged = written.is_some();
                let tag = match written {
                    Some(tag) => tag,
                    None if implicit => Tag::of_plain(&text, self.version),
                    None => Tag::Str,
                };
                let node = self.graph.add(tag, span, Kind::Scalar { text, style });
                self.graph.node_mut(node).tagged = tagged;
                self.anchor(properties, node);
                Ok(Some(node))
            }
            EventKind::SequenceStart(properties) => {
                let tag = self.tag(&properties, event.start)?;
                let tagged = tag.is_some();
                let kind = Kind::Sequence(Vec::new());
                let node = self.graph.add(tag.unwrap_or(Tag::Seq), span, kind);
                self.graph.node_mut(node).tagged = tagged;
                self.anchor(properties, node);
                self.push_open(node);
                Ok(None)
            }
            EventKind::MappingStart(properties) => {
                let tag = self.tag(&properties, event.start)?;
                let tagged = tag.is_some();
                let pairs = self.graph.add_list(PairList::default());
                let node = self.graph.add(
                    tag.unwrap_or(Tag::Map),
                    span,
                    Kind::Mapping {
                        pairs,
                        merged: false,
                    },
                );
                self.graph.node_mut(node).tagged = tagged;
                self.anchor(properties, node);
                self.push_open(node);
                Ok(None)
            }
            // The parser gives no other event inside a document.
            _ => Ok(None),
        }
    }

    fn push_open(&mut self, node: NodeId) {
        self.open_at.insert(node, self.open.len());
        self.open.push(Open {
            node,
            key: None,
            watched: false,
        });
    }

    fn anchor(&mut self, properties: Properties, node: NodeId) {
        if let Some(name) = properties.anchor {
            self.anchors.insert(name, node);
        }
    }

    fn check_depth(&self, at: Position) -> Result<(), YamlError> {
        match self.version.depth_limit() {
            Some(limit) if self.open.len() > limit => Err(YamlError::placeless(
                ExceptionClass::Yaml,
                format!("Nesting Depth exceeded max {limit}"),
                at,
            )),
            None if self.open.len() >= STACK_DEPTH => {
                let problem = format!(
                    "more than {STACK_DEPTH} nested collections: this SnakeYAML has no limit and overruns the JVM's stack near here"
                );
                Err(YamlError::placeless(
                    ExceptionClass::StackOverflow,
                    problem,
                    at,
                ))
            }
            _ => Ok(()),
        }
    }

    /// The written tag; none when there is none or it is a lone `!`.
    fn tag(&self, properties: &Properties, at: Position) -> Result<Option<Tag>, YamlError> {
        let Some(uri) = properties.tag.as_deref().filter(|uri| *uri != "!") else {
            return Ok(None);
        };
        let Some(tag) = Tag::parse(uri) else {
            let problem = "Tag must not contain leading or trailing spaces.";
            return Err(YamlError::placeless(
                ExceptionClass::IllegalArgument,
                problem,
                at,
            ));
        };
        if self.version.refuses_global_tags() && tag.is_custom_global() {
            let problem = format!("Global tag is not allowed: {uri}");
            return Err(YamlError::marked(ExceptionClass::Composer, problem, at));
        }
        Ok(Some(tag))
    }

    fn close(&mut self, end: Position) -> Option<NodeId> {
        let node = self.open.pop()?.node;
        self.open_at.remove(&node);
        self.graph.node_mut(node).end = end;
        Some(node)
    }

    /// Puts a complete node into the innermost open collection.
    fn attach(&mut self, node: NodeId) {
        let Some(open) = self.open.last_mut() else {
            return;
        };
        let is_merge = self.graph.node(node).tag == Tag::Merge;
        match &mut self.graph.node_mut(open.node).kind {
            Kind::Sequence(items) => items.push(node),
            Kind::Mapping { pairs, merged } => match open.key.take() {
                None => {
                    *merged |= is_merge;
                    open.key = Some(node);
                }
                Some(key) => {
                    let list = *pairs;
                    self.graph.list_mut(list).push((key, node));
                }
            },
            Kind::Scalar { .. } => {}
        }
    }
}
