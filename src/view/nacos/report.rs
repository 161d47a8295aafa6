//! Nacos as a metadata report of its own (`NacosMetadataReport`): its namespace; groups are fixed by what is kept.

use std::collections::BTreeSet;

use super::{
    application::definers, config::escaped, place::shown, server::Server, shape::canonical,
};
use crate::{
    question::RegistryAddress,
    snapshot::{Snapshot, SourceId},
    view::{metadata_report::Told, missing::Missing},
};

/// Its place.
#[derive(Debug)]
pub(crate) struct Store {
    namespace: String,
    group: String,
}

impl Store {
    pub(crate) fn of(address: &RegistryAddress) -> Self {
        let namespace = address.namespace.as_deref().unwrap_or_default();
        Self {
            namespace: canonical(namespace).to_owned(),
            group: address
                .group
                .as_ref()
                .map(|(group, _)| group.clone())
                .unwrap_or_default(),
        }
    }

    /// Applications that export an interface.
    pub(crate) fn mapping<'a>(
        &self,
        at: (&'a Snapshot, &'a SourceId, &'a Missing),
        interface: &str,
    ) -> Told<'a> {
        self.told(at, "mapping", &escaped(interface))
    }

    /// The text under a revision.
    pub(crate) fn metadata<'a>(
        &self,
        at: (&'a Snapshot, &'a SourceId, &'a Missing),
        application: &str,
        revision: &str,
    ) -> Told<'a> {
        self.told(at, revision, &escaped(application))
    }

    /// Applications that left a definition of the interface as its providers.
    pub(crate) fn definers(
        &self,
        at: (&Snapshot, &SourceId, &Missing),
        interface: &str,
    ) -> BTreeSet<String> {
        definers(server(at), (&self.namespace, &self.group), interface)
    }

    fn told<'a>(
        &self,
        at: (&'a Snapshot, &'a SourceId, &'a Missing),
        group: &str,
        data_id: &str,
    ) -> Told<'a> {
        Told {
            seen: server(at).config(&self.namespace, group, data_id),
            op: "nacos.config",
            address: vec![
                ("namespace", self.namespace.clone()),
                ("group", group.to_owned()),
                ("data_id", data_id.to_owned()),
            ],
            place: format!("{}/{data_id}", shown(&self.namespace, group)),
        }
    }
}

fn server<'a>(
    (snapshot, source, missing): (&'a Snapshot, &'a SourceId, &'a Missing),
) -> Server<'a> {
    Server {
        snapshot,
        source,
        via: None,
        lost: None,
        missing,
    }
}
