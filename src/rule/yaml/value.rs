//! What a text says: a tree of typed values that know their places.

use std::fmt;

use super::graph::{Graph, Kind, NodeId, Pair};
use super::number::Integer;
use super::position::{Position, Span};
use super::token::ScalarStyle;
use super::version::YamlVersion;

/// The value of a node, with its parts by number.
#[derive(Debug)]
pub(super) enum Content {
    Null,
    Bool(bool),
    Int(Integer),
    Float(f64),
    Text(String),
    Timestamp(i64),
    Binary(Vec<u8>),
    List(Vec<NodeId>),
    Map(Vec<Pair>),
    Set(Vec<NodeId>),
    Pairs(Vec<Pair>),
}

/// A pair that went because its key stands again further down.
pub(super) struct DroppedKey {
    pub(super) dropped: NodeId,
    pub(super) kept: NodeId,
}

/// A text that was read.
///
/// The nodes live here and refer to each other by number: what an alias repeats is stored once, and a collection may
/// even contain itself. Whoever walks the tree must be ready for that, see [`Node::id`].
pub struct Document {
    version: YamlVersion,
    root: Option<NodeId>,
    nodes: Vec<Stored>,
    dropped: Vec<DroppedKey>,
}

/// A node with everything known of it.
struct Stored {
    content: Content,
    span: Span,
    /// Text and style of a scalar; the text is empty when the value is that text.
    written: Option<(String, ScalarStyle)>,
    tagged: bool,
}

impl Document {
    pub(super) fn empty(version: YamlVersion) -> Self {
        Self {
            version,
            root: None,
            nodes: Vec::new(),
            dropped: Vec::new(),
        }
    }

    pub(super) fn new(
        version: YamlVersion,
        root: NodeId,
        graph: Graph,
        contents: Vec<Content>,
        dropped: Vec<DroppedKey>,
    ) -> Self {
        let nodes = graph
            .into_nodes()
            .into_iter()
            .zip(contents)
            .map(|(composed, content)| Stored {
                content,
                tagged: composed.tagged,
                span: Span {
                    start: composed.start,
                    end: composed.end,
                },
                written: match composed.kind {
                    Kind::Scalar { text, style } => Some((text, style)),
                    _ => None,
                },
            })
            .collect();
        Self {
            version,
            root: Some(root),
            nodes,
            dropped,
        }
    }

    /// The release that read the text.
    pub fn version(&self) -> YamlVersion {
        self.version
    }

    /// The outermost node; none in a text without a document, which Java answers with `null`.
    pub fn root(&self) -> Option<Node<'_>> {
        self.root.map(|id| self.node(id))
    }

    /// Keys that stand more than once in their map: the one whose pair was dropped, and the next one of the same
    /// value. SnakeYAML keeps the last and says nothing.
    pub fn dropped_keys(&self) -> impl Iterator<Item = (Node<'_>, Node<'_>)> {
        self.dropped
            .iter()
            .map(|it| (self.node(it.dropped), self.node(it.kept)))
    }

    fn node(&self, id: NodeId) -> Node<'_> {
        Node { document: self, id }
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Document")
            .field("version", &self.version)
            .field("root", &self.root())
            .field("nodes", &self.nodes.len())
            .finish_non_exhaustive()
    }
}

/// A node of a [`Document`].
#[derive(Clone, Copy)]
pub struct Node<'d> {
    document: &'d Document,
    id: NodeId,
}

/// The value of a node. The names are YAML's, the Java classes stand behind them.
#[derive(Clone, Debug)]
pub enum Value<'d> {
    /// `null`
    Null,
    /// `Boolean`
    Bool(bool),
    /// `Integer`, `Long` or `BigInteger`
    Int(&'d Integer),
    /// `Double`
    Float(f64),
    /// `String`
    Text(&'d str),
    /// `Date`: milliseconds since 1970 in UTC
    Timestamp(i64),
    /// `byte[]`
    Binary(&'d [u8]),
    /// `ArrayList`
    List(Items<'d>),
    /// `LinkedHashMap`
    Map(Entries<'d>),
    /// `LinkedHashSet`, from `!!set`
    Set(Items<'d>),
    /// `ArrayList` of `Object[2]`, from `!!pairs`
    Pairs(Entries<'d>),
}

impl<'d> Node<'d> {
    fn stored(self) -> &'d Stored {
        &self.document.nodes[self.id.index()]
    }

    /// The value.
    pub fn value(self) -> Value<'d> {
        let document = self.document;
        match &self.stored().content {
            Content::Null => Value::Null,
            Content::Bool(value) => Value::Bool(*value),
            Content::Int(value) => Value::Int(value),
            Content::Float(value) => Value::Float(*value),
            Content::Text(text) => Value::Text(text),
            Content::Timestamp(millis) => Value::Timestamp(*millis),
            Content::Binary(bytes) => Value::Binary(bytes),
            Content::List(items) => Value::List(Items {
                document,
                ids: items.iter(),
            }),
            Content::Map(entries) => Value::Map(Entries {
                document,
                pairs: entries.iter(),
            }),
            Content::Set(items) => Value::Set(Items {
                document,
                ids: items.iter(),
            }),
            Content::Pairs(pairs) => Value::Pairs(Entries {
                document,
                pairs: pairs.iter(),
            }),
        }
    }

    /// Where it stands. What an alias repeats stands at the anchor.
    pub fn span(self) -> Span {
        self.stored().span
    }

    /// Where it begins.
    pub fn start(self) -> Position {
        self.stored().span.start
    }

    /// A number that is the same only for the same node of the same document.
    pub fn id(self) -> usize {
        self.id.index()
    }

    /// How a scalar is written; none for collections.
    pub fn style(self) -> Option<ScalarStyle> {
        self.stored().written.as_ref().map(|(_, style)| *style)
    }

    /// The text of a scalar before it got its type, escapes and folding resolved.
    pub fn written(self) -> Option<&'d str> {
        let stored = self.stored();
        match &stored.content {
            Content::Text(text) => Some(text),
            _ => stored.written.as_ref().map(|(text, _)| text.as_str()),
        }
    }

    /// Whether its type is written out (`!!str 5`) instead of found from its text.
    pub fn is_tagged(self) -> bool {
        self.stored().tagged
    }

    /// Whether Java sees `null`.
    pub fn is_null(self) -> bool {
        matches!(self.stored().content, Content::Null)
    }

    /// The text of a `String`.
    pub fn as_text(self) -> Option<&'d str> {
        match self.value() {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a `Boolean`.
    pub fn as_bool(self) -> Option<bool> {
        match self.value() {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The value of an integer that fits.
    pub fn as_i64(self) -> Option<i64> {
        match self.value() {
            Value::Int(value) => value.as_i64(),
            _ => None,
        }
    }

    /// The entry of a map whose key is the text `key`: key and value.
    pub fn entry(self, key: &str) -> Option<(Node<'d>, Node<'d>)> {
        match self.value() {
            Value::Map(mut entries) => entries.find(|(name, _)| name.as_text() == Some(key)),
            _ => None,
        }
    }

    /// The value in a map under the text `key`.
    pub fn get(self, key: &str) -> Option<Node<'d>> {
        self.entry(key).map(|(_, value)| value)
    }

    /// The entries of a map in their order; nothing for everything else.
    pub fn entries(self) -> Entries<'d> {
        match self.value() {
            Value::Map(entries) => entries,
            _ => Entries {
                document: self.document,
                pairs: [].iter(),
            },
        }
    }

    /// The items of a list; nothing for everything else.
    pub fn items(self) -> Items<'d> {
        match self.value() {
            Value::List(items) => items,
            _ => Items {
                document: self.document,
                ids: [].iter(),
            },
        }
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Collections are not opened: they may be large or contain themselves.
        match self.value() {
            Value::List(items) | Value::Set(items) => write!(out, "{} items", items.len())?,
            Value::Map(entries) | Value::Pairs(entries) => {
                write!(out, "{} entries", entries.len())?;
            }
            scalar => write!(out, "{scalar:?}")?,
        }
        write!(out, " at {}", self.start())
    }
}

/// The items of a list or set.
#[derive(Clone, Debug)]
pub struct Items<'d> {
    document: &'d Document,
    ids: std::slice::Iter<'d, NodeId>,
}

impl<'d> Iterator for Items<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Node<'d>> {
        self.ids.next().map(|id| self.document.node(*id))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ids.size_hint()
    }
}

impl ExactSizeIterator for Items<'_> {}

/// The pairs of a map.
#[derive(Clone, Debug)]
pub struct Entries<'d> {
    document: &'d Document,
    pairs: std::slice::Iter<'d, Pair>,
}

impl<'d> Iterator for Entries<'d> {
    type Item = (Node<'d>, Node<'d>);

    fn next(&mut self) -> Option<(Node<'d>, Node<'d>)> {
        self.pairs
            .next()
            .map(|(key, value)| (self.document.node(*key), self.document.node(*value)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pairs.size_hint()
    }
}

impl ExactSizeIterator for Entries<'_> {}
