//! ZooKeeper as a metadata report of its own (`ZookeeperMetadataReport`): its group is the root, `dubbo` without one.

use std::collections::BTreeSet;

use super::{application::defined, place::Place, tree::Tree};
use crate::{
    question::RegistryAddress,
    snapshot::{Snapshot, SourceId},
    view::{metadata_report::Told, missing::Missing},
};

/// Its place.
#[derive(Debug)]
pub(crate) struct Store {
    root: String,
}

impl Store {
    pub(crate) fn of(address: &RegistryAddress) -> Self {
        Self {
            root: Place::of(address, None).root,
        }
    }

    /// Applications that export an interface.
    pub(crate) fn mapping<'a>(
        &self,
        at: (&'a Snapshot, &'a SourceId, &'a Missing),
        interface: &str,
    ) -> Told<'a> {
        told(at, &format!("{}/mapping/{interface}", self.root))
    }

    /// The text under a revision.
    pub(crate) fn metadata<'a>(
        &self,
        at: (&'a Snapshot, &'a SourceId, &'a Missing),
        application: &str,
        revision: &str,
    ) -> Told<'a> {
        let path = format!("{}/metadata/{application}/{revision}", self.root);
        told(at, &path)
    }

    /// Applications that left a definition of the interface as its providers.
    pub(crate) fn definers(
        &self,
        at: (&Snapshot, &SourceId, &Missing),
        interface: &str,
    ) -> BTreeSet<String> {
        defined(tree(at), &self.root, interface).1
    }
}

fn tree<'a>((snapshot, source, missing): (&'a Snapshot, &'a SourceId, &'a Missing)) -> Tree<'a> {
    Tree {
        snapshot,
        source,
        via: None,
        missing,
    }
}

fn told<'a>(at: (&'a Snapshot, &'a SourceId, &'a Missing), path: &str) -> Told<'a> {
    Told {
        seen: tree(at).text(path).map(std::borrow::Cow::into_owned),
        op: "zk.node",
        address: vec![("path", path.to_owned())],
        place: path.to_owned(),
    }
}
