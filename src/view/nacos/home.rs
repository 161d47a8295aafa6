//! Whether a consumer or a whole application is at home in a registry: what tells a moved service from one that is merely
//! found in several registries.

use super::{
    members, names,
    place::Place,
    server::Server,
    sweep::{applications_of, is_subscribed},
};
use crate::{
    question::{Question, RegistryAddress},
    snapshot::{Snapshot, SourceId},
    view::{missing::Missing, moved::Applications},
};

/// The place of one registry, as its first member tells it.
#[derive(Debug)]
pub(crate) struct Home<'a> {
    server: Server<'a>,
    place: Place,
    question: &'a Question,
}

impl<'a> Home<'a> {
    /// The place that follows from the address.
    pub(crate) fn of(
        (snapshot, source): (&'a Snapshot, &'a SourceId),
        question: &'a Question,
        registry: &'a RegistryAddress,
        missing: &'a Missing,
    ) -> Self {
        let place = Place::of(registry, question);
        let mut members = members(snapshot, source, &place, question);
        let lost = super::reach::lost(snapshot, source);
        members.retain(|one| !lost.contains(one));
        let asked = registry.members.iter().find(|one| members.contains(*one));
        let server = Server {
            snapshot,
            source,
            via: asked
                .filter(|_| members.len() > 1 || !lost.is_empty())
                .map(String::as_str),
            lost: None,
            missing,
        };
        Self {
            server,
            place,
            question,
        }
    }

    /// Applications that provide other interfaces here; `None` when that is not known.
    pub(crate) fn other_applications(&self) -> Option<Applications> {
        applications_of(
            self.server,
            (&self.place.namespace, &self.place.group),
            &self.question.service.interface,
        )
    }

    /// Whether the consumer's address subscribes to the service here, under any of its names.
    pub(crate) fn has_consumer(&self) -> bool {
        is_subscribed(
            self.server,
            self.question,
            (&self.place.namespace, &self.place.group),
            &names::all_forms(self.question),
        )
    }
}
