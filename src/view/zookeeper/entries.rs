//! Entries of a category: the names of its children, with the stat of each node.

use super::tree::{Tree, not_seen};
use crate::{
    report::words::{Phrase, Say},
    snapshot::{Line, Seen},
    view::{
        held::{Entry, Listing, Raw},
        names::decode,
    },
};

/// Of how many entries of a category the stat is read.
const STATS: usize = 1000;

/// The entries of a category that can be read as URLs by some version, and whether the list is known.
pub(super) fn read_entries(tree: Tree<'_>, path: &str) -> (Vec<Entry>, Listing) {
    let seen = tree.children(path);
    let (names, line) = match &seen {
        Seen::Here(names, line) => (*names, *line),
        Seen::Absent(_) => {
            return (Vec::new(), Listing::Absent(tree.absent(path, &seen)));
        }
        Seen::Refused(_) | Seen::Unasked => {
            return (Vec::new(), Listing::Unknown(not_seen(path, &seen, true)));
        }
    };
    let entries = names
        .iter()
        .enumerate()
        .filter_map(|(at, name)| entry(tree, line, path, name, at < STATS))
        .collect();
    let fact = Phrase::new(Say::NodeChildren).with("count", names.len().to_string());
    (entries, Listing::Complete(tree.shown(path, &seen, fact)))
}

/// The names of a category that no version can read as a URL.
pub(super) fn unreadable(tree: Tree<'_>, path: &str) -> Vec<String> {
    let Seen::Here(names, line) = tree.children(path) else {
        return Vec::new();
    };
    names
        .iter()
        .filter(|name| entry(tree, line, path, name, false).is_none())
        .cloned()
        .collect()
}

/// One entry; `None` when no version can read its name. The node's own answer has its stat; of very long lists only
/// the first are asked for it.
fn entry(tree: Tree<'_>, listing: &Line, path: &str, name: &str, with_stat: bool) -> Option<Entry> {
    let node = format!("{path}/{name}");
    let stat = tree.stat(&node);
    let data = if with_stat {
        tree.text(&node)
    } else {
        Seen::Unasked
    };
    let line = data.line().unwrap_or(listing);
    let entry = Entry {
        raw: Raw::Encoded(name.to_owned()),
        evidence: tree.evidence(line, Say::EntryRegistered),
        ephemeral: stat.and_then(crate::snapshot::ZkStat::is_ephemeral),
        owner: stat.and_then(|stat| stat.ephemeral_owner),
        creator: match data {
            Seen::Here(text, _) if !text.is_empty() => Some(text.into_owned()),
            _ => None,
        },
        changed_ms: stat.and_then(|stat| stat.mtime.or(stat.ctime)),
        nacos: None,
    };
    let evidence = entry.named_evidence();
    entry
        .plain()
        .is_some()
        .then_some(Entry { evidence, ..entry })
}

/// Names of interface directories: decoded once, those that cannot be decoded left out, and what is no interface.
pub(super) fn service_names(names: &[String]) -> impl Iterator<Item = String> + '_ {
    names
        .iter()
        .filter(|name| !["config", "mapping", "metadata"].contains(&name.as_str()))
        .filter_map(|name| decode(name))
}
