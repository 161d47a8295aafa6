//! The addresses that the routers are asked about, and the URL that they get for the consumer.

use std::collections::{BTreeMap, BTreeSet};

use super::{Case, Kept, Routed, View, key, run};
use crate::model::url::Url;
use crate::view::{
    directory::ServiceUrl,
    stage::{Model, StageId},
};

/// What the routers of a reference see.
#[derive(Debug, Clone)]
pub struct Addresses {
    /// The addresses, in the order of the directory.
    pub urls: Vec<ServiceUrl>,
    /// The URL that routers get with a call: 3.x the consumer's, 2.7 the directory's own (`getConsumerUrl`).
    pub consumer: Url,
    /// The reference's URL, from which the chain is built.
    pub reference: Url,
    /// The directory's own URL after rules: it decides tries and cluster.
    pub own: Url,
}

impl Case<'_> {
    /// What is left before the routers: entries of this service that the directory makes invokers of; with `libraries`
    /// whatever their protocol is. `None` = the real client throws on the list, so that what it has is not known.
    pub fn addresses(&self, libraries: bool) -> Option<Addresses> {
        let nothing = BTreeSet::new();
        let mut view = View {
            model: Model::Interface,
            stages: Vec::new(),
            left: Vec::new(),
            connecting: Vec::new(),
            bound: Vec::new(),
            offered: Vec::new(),
            kinds: BTreeMap::new(),
            near: Vec::new(),
            meant: Vec::new(),
            partial: false,
            routed: Routed::default(),
            libraries: BTreeSet::new(),
        };
        let kept = key::stages(self, &nothing, &mut view);
        let repaired = libraries.then_some(StageId::Protocol);
        self.addresses_after(&kept, &repaired.into_iter().collect())
    }

    /// The same for entries of either model.
    pub(in crate::view) fn addresses_of(&self, kept: &[Kept<'_>]) -> Option<Addresses> {
        self.addresses_after(kept, &BTreeSet::new())
    }

    fn addresses_after(
        &self,
        kept: &[Kept<'_>],
        repaired: &BTreeSet<StageId>,
    ) -> Option<Addresses> {
        let directory = run::directory(self, kept, repaired).ok()?;
        let reference = directory.subscription().consumer.clone();
        let consumer = if self.dubbo().line().is_3x() {
            reference.clone()
        } else {
            directory.own_url().clone()
        };
        let own = directory.own_url().clone();
        Some(Addresses {
            own,
            urls: directory
                .invokers()
                .iter()
                .map(|invoker| invoker.url.clone())
                .collect(),
            consumer,
            reference,
        })
    }
}
