//! The interface model, stage by stage: which of the registered entries this consumer can call.
//!
//! One function computes the stages for a world. Stages can be taken as repaired, so that what would stand in the way
//! next is computed by the same code.

mod addresses;
mod center;
mod fate;
mod invokers;
mod key;
mod later;
mod near;
mod question;
mod routing;
mod run;

use std::collections::{BTreeMap, BTreeSet};

use super::{
    held::{Entry, Held, Listing, Reach},
    stage::{Dropped, Model, NotSeen, Raised, Stage, StageId, State},
};
use crate::{
    model::{url::Url, version::DubboVersion},
    question::{ConsumerState, Question, RegistryAddress, RegistryKind, World},
    report::words::{Phrase, Say},
};

pub use addresses::Addresses;
pub use center::configurators;
pub(in crate::view) use near::visible;
pub use near::{Differs, Meant, NearMiss};
pub(crate) use question::means_another;
pub(crate) use routing::Lately;
pub use routing::Routed;
pub(crate) use routing::with_requests;

/// How many pieces of evidence a code carries at most; the counts are in its parameters.
const SHOWN: usize = crate::view::stage::MOST_EVIDENCE;

/// What the stages of one registry depend on.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The question.
    pub question: &'a Question,
    /// The registry's address as configured; `None` when the question names no registry.
    pub registry: Option<&'a RegistryAddress>,
    /// What it holds.
    pub held: &'a Held,
    /// Version and state of the consumer.
    pub world: &'a World,
}

/// An entry that is still in, with the URL this version makes of it.
#[derive(Debug, Clone)]
pub struct Kept<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// Its URL.
    pub url: Url,
}

/// The stages of one registry in one world.
#[derive(Debug, Clone)]
pub struct View {
    /// Which of the two models.
    pub model: Model,
    /// In causal order.
    pub stages: Vec<Stage>,
    /// Addresses left after the last stage that was computed.
    pub left: Vec<String>,
    /// Addresses that the consumer connects to: what comes into the stage of connectivity.
    pub connecting: Vec<String>,
    /// Addresses of instances that may have the service, where nobody saw what any of them exports: the upper bound.
    pub bound: Vec<String>,
    /// Addresses that the routers are asked about, whichever stage comes first.
    pub offered: Vec<String>,
    /// What kind of round trip those among them answer whose protocol has one; TLS hides it.
    pub kinds: BTreeMap<String, &'static str>,
    /// Entries that nearly match, when the key stage is the empty one.
    pub near: Vec<NearMiss>,
    /// What a repaired reference would ask for, when the key stage is the empty one: the likeliest first.
    pub meant: Vec<Meant>,
    /// The key was looked for in services that may not be all that an application exports.
    pub partial: bool,
    /// What the routers do to the classes of calls.
    pub routed: Routed,
    /// Protocols of addresses that were left out, though the consumer's process may have what they need.
    pub libraries: BTreeSet<String>,
}

impl View {
    /// A stage by its id.
    pub fn stage(&self, id: &StageId) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.id == *id)
    }

    /// The same to change it.
    pub fn stage_mut(&mut self, id: &StageId) -> Option<&mut Stage> {
        self.stages.iter_mut().find(|stage| stage.id == *id)
    }

    /// The first stage that leaves nothing.
    pub fn failed(&self) -> Option<&Stage> {
        self.stages
            .iter()
            .find(|stage| stage.state == State::Failed)
    }
}

impl<'a> Case<'a> {
    /// The consumer's URL as it subscribes (`RegistryProtocol.toSubscribeUrl`).
    pub fn consumer(&self) -> Url {
        consumer_url(self.question)
    }

    /// Whether a consumer of this version and state keeps its list when the registry's becomes empty
    /// (`enable-empty-protection`).
    pub fn protects_empty(&self) -> bool {
        self.world.state == ConsumerState::Running && run::protects_from_empty(self)
    }

    /// Whether a running consumer is not told that the last provider left: `NacosRegistry` of 2.7.0 to 2.7.3 passes an
    /// empty list on as no list at all (apache/dubbo#6774).
    pub fn is_not_told_of_empty(&self) -> bool {
        let is_nacos = self
            .registry
            .is_some_and(|registry| registry.kind == RegistryKind::Nacos);
        self.world.state == ConsumerState::Running
            && is_nacos
            && self.dubbo().at_least([2, 7, 0])
            && !self.dubbo().at_least([2, 7, 4])
    }

    /// Why the rule URLs of the registry were not seen, where this consumer makes routers of them
    /// (`RegistryDirectory.toRouters`; 3.x has none that could be made).
    pub fn routes_not_seen(&self) -> Option<&'a NotSeen> {
        let reads = !self.dubbo().line().is_3x();
        self.held.routes_not_seen.as_ref().filter(|_| reads)
    }

    /// The version.
    pub fn dubbo(&self) -> &'a DubboVersion {
        &self.world.dubbo
    }

    /// All stages.
    pub fn view(&self) -> View {
        self.repaired(&BTreeSet::new())
    }

    /// All stages, some of them taken as repaired: they let everything through that they can. A repaired key is a
    /// question of its own ([`Meant`]).
    pub fn repaired(&self, repaired: &BTreeSet<StageId>) -> View {
        let mut view = View {
            model: Model::Interface,
            stages: vec![question::stage(self)],
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
        if let Some(direct) = question::direct(self) {
            view.stages.extend(not_asked(&direct.because));
            view.left = direct.left;
            if !direct.connecting.is_empty() {
                let addresses = direct.connecting.iter();
                view.offered = addresses.map(|(address, _)| address.clone()).collect();
                view.connecting.clone_from(&view.offered);
                let kinds = direct.connecting.into_iter();
                view.kinds = kinds
                    .filter_map(|(address, kind)| Some((address, kind?)))
                    .collect();
                view.stages
                    .push(later::connectivity(true, view.connecting.first()));
            }
            return view;
        }
        view.stages = self.before();
        let kept = key::stages(self, repaired, &mut view);
        view.left = addresses_of(&later::stages(self, kept, repaired, &mut view));
        view
    }

    /// Q, R and P: what comes before either model.
    pub(super) fn before(&self) -> Vec<Stage> {
        let place = match &self.held.reach {
            // Nobody was asked, so nothing says what the address comes to.
            Reach::Unknown(_) if self.held.place == Held::NOWHERE => Stage {
                because: Some(Say::RegistryUnread.into()),
                ..Stage::plain(StageId::Place, State::Unknown)
            },
            _ => Stage {
                because: Some(Phrase::new(Say::PlaceIs).with("place", &self.held.place)),
                ..Stage::plain(StageId::Place, State::Ok)
            },
        };
        vec![question::stage(self), self.reach(), place]
    }

    /// What follows for addresses of either model, from the protocols on. Returns the addresses that are left.
    pub(super) fn behind<'k>(
        &self,
        kept: Vec<Kept<'k>>,
        repaired: &BTreeSet<StageId>,
        view: &mut View,
    ) -> Vec<String>
    where
        'a: 'k,
    {
        let case: Case<'k> = *self;
        later::behind(&case, kept, repaired, view)
            .iter()
            .map(|kept| kept.url.address().unwrap_or_else(|| kept.entry.address()))
            .collect()
    }

    fn reach(&self) -> Stage {
        match &self.held.reach {
            Reach::Answered(_) => Stage {
                not_seen: self.held.silent.clone(),
                ..Stage::plain(StageId::Reach, State::Ok)
            },
            Reach::Failed(failure) => Stage {
                raises: vec![failure.raised.clone()],
                ..Stage::plain(StageId::Reach, State::Failed)
            },
            Reach::Unknown(not_seen) => Stage {
                not_seen: vec![not_seen.clone()],
                because: Some(not_seen.what.clone()),
                ..Stage::plain(StageId::Reach, State::Unknown)
            },
        }
    }
}

/// `host:port` of each entry.
fn addresses_of(kept: &[Kept<'_>]) -> Vec<String> {
    kept.iter()
        .map(|kept| kept.url.address().unwrap_or_else(|| kept.entry.address()))
        .collect()
}

/// The stages that a reference without a registry does not have.
fn not_asked(because: &Phrase) -> impl Iterator<Item = Stage> {
    [
        StageId::Reach,
        StageId::Place,
        StageId::NameForm,
        StageId::Key,
        StageId::Entries,
        StageId::Decision,
        StageId::Protocol,
        StageId::Configurators,
    ]
    .into_iter()
    .map(|id| Stage {
        because: Some(because.clone()),
        ..Stage::plain(id, State::Skipped)
    })
}

/// The consumer's URL of a question.
pub fn consumer_url(question: &Question) -> Url {
    let service = &question.service;
    let mut parameters = question.consumer.params.clone();
    // The attribute `tag` of a reference is `dubbo.tag` in its URL (`AbstractReferenceConfig`).
    if let Some(tag) = parameters.remove("tag") {
        parameters.entry("dubbo.tag".to_owned()).or_insert(tag);
    }
    let mut put = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            parameters.insert(name.to_owned(), value.to_owned());
        }
    };
    put("interface", Some(&service.interface));
    put("group", service.group.as_deref());
    put("version", service.version.as_deref());
    put("application", question.consumer.application.as_deref());
    put("side", Some("consumer"));
    put("category", Some("providers,configurators,routers"));
    Url {
        protocol: Some("consumer".to_owned()),
        username: None,
        password: None,
        host: question.consumer.ip.clone(),
        port: 0,
        path: Some(service.interface.clone()),
        parameters,
    }
}

impl Stage {
    /// A stage of which nothing but its state is said.
    pub fn plain(id: StageId, state: State) -> Self {
        Self {
            id,
            state,
            because: None,
            input: None,
            output: None,
            dropped: Vec::new(),
            raises: Vec::new(),
            not_seen: Vec::new(),
        }
    }

    /// A stage that counted addresses: failed when nothing is left of something.
    pub(super) fn counted(
        id: StageId,
        input: usize,
        output: usize,
        mut dropped: Vec<Dropped>,
        raises: Vec<Raised>,
    ) -> Self {
        dropped.sort_by(|a, b| a.address.cmp(&b.address).then(a.code.cmp(&b.code)));
        Self {
            input: Some(input),
            output: Some(output),
            dropped,
            state: if output == 0 {
                State::Failed
            } else {
                State::Ok
            },
            raises,
            ..Self::plain(id, State::Ok)
        }
    }

    /// A stage that is not reached.
    pub(super) fn skipped(id: StageId) -> Self {
        Self {
            because: Some(Say::NothingLeft.into()),
            ..Self::plain(id, State::Skipped)
        }
    }

    /// A stage that needs a fact nobody saw.
    pub(super) fn unknown(id: StageId, not_seen: Vec<NotSeen>) -> Self {
        Self {
            because: not_seen.first().map(|not_seen| not_seen.what.clone()),
            not_seen,
            ..Self::plain(id, State::Unknown)
        }
    }
}

/// Evidence of a list, when it is known.
fn shown(listing: &Listing) -> Vec<super::stage::Evidence> {
    listing.evidence().cloned().into_iter().collect()
}

/// The stages of routers that are repaired with this one: they read the same rule.
pub(crate) fn same_rule(stage: &Stage) -> Vec<StageId> {
    routing::same_rule(stage)
}
