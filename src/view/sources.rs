//! Which source of a recording an address means.

use crate::{
    question::{RegistryAddress, RegistryKind},
    snapshot::{Snapshot, Source, SourceId, SourceKind},
};

/// The source of a registry address: same kind, and a member in common.
pub(crate) fn source_of(snapshot: &Snapshot, address: &RegistryAddress) -> Option<SourceId> {
    let kind = match address.kind {
        RegistryKind::Zookeeper => SourceKind::Zookeeper,
        RegistryKind::Nacos => SourceKind::Nacos,
        RegistryKind::Other => return None,
    };
    snapshot
        .manifest()
        .sources
        .iter()
        .filter(|(_, source)| source.kind == kind)
        .find(|(_, source)| {
            recorded_address(source).is_some_and(|recorded| {
                recorded
                    .members
                    .iter()
                    .any(|member| address.members.contains(member))
            })
        })
        .map(|(id, _)| id.clone())
}

/// The address of a source, where it has one that can be read.
pub(crate) fn recorded_address(source: &Source) -> Option<RegistryAddress> {
    RegistryAddress::parse(source.url.as_deref()?).ok()
}
