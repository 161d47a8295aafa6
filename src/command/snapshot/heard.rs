//! What one registry answered, as far as whoever records has to be told: whether there was anything but refusals, and which
//! members said nothing while another one answered.

use std::collections::{BTreeMap, BTreeSet};

use crate::snapshot::{Key, Line};

/// Counts answers as they come.
#[derive(Default)]
pub(super) struct Heard {
    /// How many there were.
    pub(super) answers: usize,
    content: bool,
    refusal: Option<String>,
    /// Members that answered.
    members: BTreeSet<String>,
    /// Members that did not, or not to the end, with how they failed.
    silent: BTreeMap<String, String>,
}

impl Heard {
    /// Takes an answer in; of several of one member the last one counts.
    pub(super) fn note(&mut self, line: &Line) {
        self.answers += 1;
        match line.err_kind() {
            Some(kind) => self.refusal = Some(kind.to_string()),
            // That a port is open is no content.
            None => self.content |= line.key.op() != "tcp",
        }
        let Some(member) = member(line) else {
            return;
        };
        if let Some(kind) = line.err_kind() {
            self.silent.insert(member.to_owned(), kind.to_string());
        } else {
            self.silent.remove(member);
            self.members.insert(member.to_owned());
        }
    }

    /// The last refusal, when there is nothing else.
    pub(super) fn unread(&self) -> Option<String> {
        self.refusal.clone().filter(|_| !self.content)
    }

    /// Members without an answer beside others with one.
    pub(super) fn silent(&self) -> impl Iterator<Item = (&str, &str)> {
        let is_left = |one: &String| !self.silent.contains_key(one);
        let some = self.members.iter().any(is_left);
        let silent = self.silent.iter().filter(move |_| some);
        silent.map(|(member, kind)| (member.as_str(), kind.as_str()))
    }
}

/// The member of whose state an answer tells: of ZooKeeper its port and its words, of Nacos its state.
fn member(line: &Line) -> Option<&str> {
    match &line.key {
        Key::ZkFour { .. } | Key::NacosState => line.via.as_deref(),
        // A port beside that of a Nacos is told with the member that it belongs to.
        Key::Tcp { address } if line.via.is_none() => Some(address),
        _ => None,
    }
}
