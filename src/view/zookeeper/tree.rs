//! One member's answers about the tree, with the evidence for each.

use crate::{
    report::words::{Phrase, Say},
    snapshot::{Key, Line, Seen, Snapshot, SourceId, Want, ZkStat},
    view::{
        evidence::{evidence, scope_evidence},
        missing::Missing,
        refused,
        stage::{Evidence, NotSeen},
    },
};

/// The tree as one member (or any) of an ensemble tells it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tree<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) source: &'a SourceId,
    pub(crate) via: Option<&'a str>,
    /// Notes what is looked for and was never asked.
    pub(crate) missing: &'a Missing,
}

impl<'a> Tree<'a> {
    /// The recording and the source.
    pub(crate) fn place(self) -> (&'a Snapshot, &'a SourceId) {
        (self.snapshot, self.source)
    }

    /// Children of a node.
    pub(crate) fn children(&self, path: &str) -> Seen<'a, &'a [String]> {
        let seen = self.snapshot.zk_children(self.source, path, self.via);
        self.note(&seen, || Want::zk_children(self.source, path));
        seen
    }

    /// Text of a node; `None` where it is not there or not known.
    pub(crate) fn text(&self, path: &str) -> Seen<'a, std::borrow::Cow<'a, str>> {
        let seen = self.snapshot.zk_data(self.source, path, self.via);
        self.note(&seen, || Want::zk_data(self.source, path));
        seen
    }

    /// Stat of a node, from whatever answer has it.
    pub(crate) fn stat(&self, path: &str) -> Option<&'a ZkStat> {
        self.snapshot.zk_stat(self.source, path, self.via).here()
    }

    /// An answer about something else than a node, such as a four-letter word.
    pub(crate) fn lines(&self, key: Key) -> &'a [Line] {
        let lines = self.snapshot.lines(self.source, &key);
        if lines.is_empty() {
            self.missing
                .note(self.snapshot, Want::any(self.source, key));
        }
        lines
    }

    /// An absence that only the scope of a recording tells may be an answer that was not loaded yet.
    fn note<T>(&self, seen: &Seen<'a, T>, want: impl FnOnce() -> Want) {
        if matches!(seen, Seen::Unasked | Seen::Absent(None)) {
            self.missing.note(self.snapshot, want());
        }
    }

    /// Evidence from a line.
    pub(crate) fn evidence(&self, line: &Line, fact: impl Into<Phrase>) -> Evidence {
        evidence(self.snapshot, self.source, line, fact)
    }

    /// Evidence for a state of a node; an absence by scope has no line.
    pub(crate) fn shown<T>(
        &self,
        path: &str,
        seen: &Seen<'a, T>,
        fact: impl Into<Phrase>,
    ) -> Option<Evidence> {
        match seen.line() {
            Some(line) => Some(self.evidence(line, fact)),
            None if seen.is_known() => Some(scope_evidence(
                self.snapshot,
                self.source,
                "zk.node",
                &[("path", path)],
                fact,
            )),
            None => None,
        }
    }

    /// Evidence that a node does not exist, in words of the line that shows it: of the node itself, or of the listing of a
    /// node above it that lacks a name.
    pub(crate) fn absent<T>(&self, path: &str, seen: &Seen<'a, T>) -> Option<Evidence> {
        let lacks = seen.line().and_then(|line| {
            let above = line
                .key
                .fields()
                .into_iter()
                .find(|(name, _)| *name == "path")?
                .1;
            let name = path.strip_prefix(above.trim_end_matches('/'))?;
            let name = name.trim_start_matches('/').split('/').next()?;
            Some(
                Phrase::new(Say::NotAmongChildren)
                    .with("name", name)
                    .with("count", line.children()?.len().to_string()),
            )
        });
        self.shown(path, seen, lacks.unwrap_or_else(|| Say::NodeAbsent.into()))
    }
}

/// A node that should have been read and was not.
pub(crate) fn not_seen<T>(path: &str, seen: &Seen<'_, T>, required: bool) -> NotSeen {
    let refusal = seen.refusal();
    let why = refusal.map_or(Say::NotAsked.into(), refused::answer);
    NotSeen {
        what: Phrase::new(Say::ZkNode).with("path", path),
        why,
        how_to_see: Some(refused::how_to_see(refusal).into()),
        required,
    }
}
