//! What is known of a ZooKeeper node: there, absent, refused, or not asked.

use std::borrow::Cow;

use super::facts::Snapshot;
use super::key::Key;
use super::line::Line;
use super::manifest::SourceId;
use super::payload::{ErrKind, ZkStat};

/// The state of a fact. Only the first two are knowledge.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen<'a, T> {
    /// It is there, with the line that says so.
    Here(T, &'a Line),
    /// It is known not to be there. The line that shows it: its own refusal, or the listing of an ancestor that lacks
    /// the name. `None` when only the scope of the recording says that everything was read.
    Absent(Option<&'a Line>),
    /// It was asked for and there was no answer, with the refusal.
    Refused(&'a Line),
    /// Nobody asked: unknown.
    Unasked,
}

impl<'a, T> Seen<'a, T> {
    /// The refusal, where it was asked for in vain.
    pub fn refusal(&self) -> Option<&'a Line> {
        match self {
            Self::Refused(line) => Some(line),
            _ => None,
        }
    }

    /// The content, if it is there.
    pub fn here(self) -> Option<T> {
        match self {
            Self::Here(content, _) => Some(content),
            _ => None,
        }
    }

    /// Whether it is there or known not to be.
    pub fn is_known(&self) -> bool {
        matches!(self, Self::Here(..) | Self::Absent(_))
    }

    /// The line that shows it.
    pub fn line(&self) -> Option<&'a Line> {
        match self {
            Self::Here(_, line) | Self::Refused(line) => Some(line),
            Self::Absent(line) => *line,
            Self::Unasked => None,
        }
    }

    /// The same state with another content.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Seen<'a, U> {
        match self {
            Self::Here(content, line) => Seen::Here(f(content), line),
            Self::Absent(line) => Seen::Absent(line),
            Self::Refused(line) => Seen::Refused(line),
            Self::Unasked => Seen::Unasked,
        }
    }
}

/// The parent of a path; `None` for the root.
pub fn parent(path: &str) -> Option<&str> {
    let (parent, name) = path.rsplit_once('/')?;
    match (parent, name) {
        ("", "") => None,
        ("", _) => Some("/"),
        _ => Some(parent),
    }
}

impl Snapshot {
    /// The names of a node's children. `via` chooses a member of the ensemble; without it the newest answer of any
    /// member counts.
    pub fn zk_children(
        &self,
        source: &SourceId,
        path: &str,
        via: Option<&str>,
    ) -> Seen<'_, &[String]> {
        self.zk_part(source, path, via, Line::children)
    }

    /// The data of a node; `""` where it has none. Bytes that are no UTF-8 are replaced: the line has them.
    pub fn zk_data(
        &self,
        source: &SourceId,
        path: &str,
        via: Option<&str>,
    ) -> Seen<'_, Cow<'_, str>> {
        self.zk_part(source, path, via, Line::body_text)
    }

    /// The stat of a node, from whichever answer has it; ZooKeeper tells it even of nodes that may not be read.
    pub fn zk_stat(&self, source: &SourceId, path: &str, via: Option<&str>) -> Seen<'_, &ZkStat> {
        self.zk_part(source, path, via, |line| line.stat.as_ref())
    }

    fn zk_part<'a, T>(
        &'a self,
        source: &SourceId,
        path: &str,
        via: Option<&str>,
        part: fn(&'a Line) -> Option<T>,
    ) -> Seen<'a, T> {
        let lines = self.zk_lines(source, path, via);
        let newest = |says: &dyn Fn(&'a Line) -> bool| {
            self.zk_newest(lines.iter().copied().filter(|line| says(line)))
        };
        let told = newest(&|line| part(line).is_some());
        let refusal = newest(&|line| line.err_kind().is_some() && part(line).is_none());
        let content = newest(&|line| line.err_kind().is_none());
        let after = |one: &Line, other: &Line| self.at(one).time() > self.at(other).time();
        // A refusal counts unless the node answered later, be it about its other part.
        let refusal =
            refusal.filter(|refusal| !content.is_some_and(|content| after(content, refusal)));
        let own = match (told, refusal) {
            (Some(told), Some(refusal)) if after(refusal, told) => Some(refusal),
            (told, refusal) => told.or(refusal),
        };
        let above = self.zk_above(source, path, via);
        // A later statement of the same member about the way to the node wins. Another member may lag behind: whoever
        // asks for no member in particular has to compare them.
        let own = own.filter(|own| {
            let Some((listing, name)) =
                above.filter(|(listing, _)| after(listing, own) && listing.via == own.via)
            else {
                return true;
            };
            lists(listing, name) != (own.err_kind() == Some(&ErrKind::NotFound))
        });
        match own {
            Some(line) => match part(line) {
                Some(content) => Seen::Here(content, line),
                None if line.err_kind() == Some(&ErrKind::NotFound) => Seen::Absent(Some(line)),
                None => Seen::Refused(line),
            },
            None => match above {
                Some((listing, name)) if lists(listing, name) => Seen::Unasked,
                Some((listing, _)) => Seen::Absent(Some(listing)),
                None if self.manifest().scope.all && !self.zk_is_hidden(source, path, via) => {
                    Seen::Absent(None)
                }
                None => Seen::Unasked,
            },
        }
    }

    fn zk_lines<'a>(&'a self, source: &SourceId, path: &str, via: Option<&str>) -> Vec<&'a Line> {
        self.lines(source, &Key::zk_node(path))
            .iter()
            .filter(|line| via.is_none() || line.via.as_deref() == via)
            .collect()
    }

    fn zk_newest<'a>(&self, lines: impl Iterator<Item = &'a Line>) -> Option<&'a Line> {
        lines.max_by(|one, other| self.compare(one, other))
    }

    /// What the nearest ancestor says that says anything, and the next name on the way from there.
    fn zk_above<'a, 'p>(
        &'a self,
        source: &SourceId,
        path: &'p str,
        via: Option<&str>,
    ) -> Option<(&'a Line, &'p str)> {
        let mut below = path;
        while let Some(ancestor) = parent(below) {
            let says = |line: &&Line| {
                line.children().is_some() || line.err_kind() == Some(&ErrKind::NotFound)
            };
            let lines = self.zk_lines(source, ancestor, via);
            if let Some(line) = self.zk_newest(lines.into_iter().filter(says)) {
                return Some((line, below.rsplit('/').next().unwrap_or_default()));
            }
            below = ancestor;
        }
        None
    }

    /// Whether a refusal stands between the root and a path, so that nothing is known below.
    fn zk_is_hidden(&self, source: &SourceId, path: &str, via: Option<&str>) -> bool {
        std::iter::successors(parent(path), |path| parent(path)).any(|ancestor| {
            self.zk_lines(source, ancestor, via)
                .iter()
                .any(|line| line.err_kind().is_some())
        })
    }
}

/// Whether a node lists a child. One that is not there lists none.
fn lists(listing: &Line, name: &str) -> bool {
    listing
        .children()
        .is_some_and(|names| names.iter().any(|known| known == name))
}
