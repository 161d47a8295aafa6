//! What logs prove beside the registry.
//!
//! A line of the consumer's own log is an answer of the system it quotes, seen from that host: it counts for the stage
//! it speaks of. What a text says and the registry does not explain keeps an answer from being given.

mod complete;
mod contact;
mod exported;
mod failure;
mod metadata;
mod overrule;
mod own_view;
mod read;
mod registry;
mod time;

pub(crate) use self::contact::sign;
use std::collections::BTreeMap;

use self::{
    complete::Export,
    contact::Contacts,
    exported::Exported,
    metadata::Unread,
    registry::{Answer, Trouble},
    time::When,
};
use super::code::Code;
use crate::{
    question::ConsumerState,
    rule::migration::Step,
    view::{
        held::Reach,
        interface::Case,
        migration::Seen,
        stage::{Evidence, Raised},
    },
};
pub(super) use overrule::settle;

/// A proof from a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Proof {
    /// What it proves.
    pub(crate) raised: Raised,
    /// Whose text it is, is known: else it could be anybody's.
    pub(crate) own: bool,
}

/// What the logs say about this service and its registry.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    /// A registry address in the consumer's configuration that does not parse (DG0107).
    unreadable: Vec<Proof>,
    /// The registry refused the consumer (DG1003).
    refused: Vec<Trouble>,
    /// The consumer did not reach the registry (DG1001).
    unreachable: Vec<Trouble>,
    /// The consumer did not reach the gRPC port of Nacos.
    grpc: Vec<Trouble>,
    /// The registry was reached.
    answers: Vec<Answer>,
    /// The consumer works on its cache file, with so many addresses where the text tells them.
    on_cache: Vec<(usize, Evidence)>,
    /// A cache of the consumer has providers.
    cache_kept: Vec<Evidence>,
    /// The provider's own answer: what was asked, what it exports.
    exported: Option<Exported>,
    /// The registry refused a provider's registration (DG2110).
    registration: Vec<Proof>,
    /// Addresses arrived and none could be used: switched off, or of a protocol that the consumer lacks.
    unusable: Vec<Proof>,
    /// Places at which a provider registers.
    places: Vec<(Place, Evidence)>,
    /// "No provider": the consumer has nothing.
    nothing: Vec<Evidence>,
    /// One of them says that the registry told it so (`forbidden`): it answered once.
    told_empty: bool,
    /// Failures that an empty list does not explain.
    unexplained: Vec<Evidence>,
    /// Those of them that tell of addresses that routers took away.
    explained_by_routers: Vec<Evidence>,
    /// Those of them that tell of metadata that could not be had.
    explained_by_metadata: Vec<Evidence>,
    /// When lines of the consumer's logs were written that tell of failures, by file and line.
    moments: BTreeMap<(String, u64), When>,
    /// What became of the connections to providers.
    contacts: Contacts,
    /// Metadata of an application that the consumer could not get.
    unread: Vec<Unread>,
    /// Services that a provider says it registers.
    exports: Vec<Export>,
    /// The consumer says that it finds no metadata of this very service (Spring Cloud Alibaba's registry).
    not_found: Vec<Evidence>,
    /// A condition rule with `force` left nothing.
    forced: Vec<Proof>,
    /// A router threw, and the list behind it is empty (error 2-1).
    router_errors: Vec<Proof>,
    /// A class that cannot be sent, where a call of this service failed with it.
    unsent: Vec<(Option<String>, Proof)>,
    /// The consumer was told that there is nothing, at the earliest at this moment (ms since 1970).
    told_nothing: Vec<(i64, Evidence)>,
    /// A cache of the consumer has no provider, written at this moment (ms since 1970).
    cache_empty: Vec<(Option<i64>, Evidence)>,
    /// None of the consumer's connections is up (`available` cluster).
    none_available: Vec<Evidence>,
    /// Failed connections to providers.
    connects: Vec<(Option<String>, Evidence)>,
    /// The empty list was held back.
    kept: Vec<Evidence>,
    /// Addresses that only the reconnect task still tries.
    reconnects: Vec<(String, Evidence)>,
    /// Steps of the migration that the consumer says it took for this service, in their order.
    steps: Vec<(Step, Evidence)>,
    /// Texts that name the wrong thing (DG6011).
    masquerades: Vec<Raised>,
    /// Lists of addresses of which the text shows only the first (DG0101).
    cut_lists: Vec<Raised>,
}

/// Where a provider registers, as its log says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    registry: Option<String>,
    root: Option<String>,
    namespace: Option<String>,
    group: Option<String>,
}

impl Said {
    /// Whether a log shows a provider at a place of one of these registry members.
    pub(crate) fn shows_place(&self, members: &[String], place: &str) -> bool {
        self.places.iter().any(|(said, _)| said.is(members, place))
    }

    /// The evidence for [`Self::shows_place`].
    pub(crate) fn place_evidence(&self, members: &[String], place: &str) -> Vec<Evidence> {
        self.places
            .iter()
            .filter(|(said, _)| said.is(members, place))
            .map(|(_, evidence)| evidence.clone())
            .take(2)
            .collect()
    }

    /// The step of the migration that the consumer says it took last.
    pub(super) fn step(&self) -> Option<Seen> {
        let (step, evidence) = self.steps.last()?.clone();
        Some(Seen {
            step,
            evidence,
            now: false,
        })
    }

    /// With what the consumer's caches say.
    pub(super) fn with_caches(
        mut self,
        empty: Vec<(Option<i64>, Evidence)>,
        kept: Vec<Evidence>,
    ) -> Self {
        self.cache_empty = empty;
        self.cache_kept = kept;
        self
    }

    /// The consumer has a list of the interface model though it cannot ask the registry: it says so itself, or it was
    /// running when the registry went away and its cache, which it writes with every list it is told, has addresses.
    /// `false` where it says that calls fail.
    fn lives_on(&self, case: &Case<'_>) -> bool {
        let fails = !self.nothing.is_empty() || !self.unexplained.is_empty();
        let said = self.on_cache.iter().any(|(addresses, _)| *addresses > 0);
        let is_cut_off = matches!(case.held.reach, Reach::Failed(_));
        let was_running = case.world.state == ConsumerState::Running && !self.cache_kept.is_empty();
        !fails && (said || is_cut_off && was_running)
    }

    /// The consumer works on its cache file.
    pub(super) fn on_cache(&self) -> Vec<Evidence> {
        let seen = self.on_cache.iter();
        seen.map(|(_, evidence)| evidence.clone()).collect()
    }

    /// Texts that name the wrong thing.
    pub(super) fn masquerades(&self) -> &[Raised] {
        &self.masquerades
    }

    /// Lists of addresses of which the text shows only the first.
    pub(super) fn cut_lists(&self) -> &[Raised] {
        &self.cut_lists
    }

    /// "No provider": the consumer has nothing.
    pub(super) fn nothing(&self) -> &[Evidence] {
        &self.nothing
    }

    /// Addresses that only the reconnect task still tries.
    pub(super) fn reconnects(&self) -> &[(String, Evidence)] {
        &self.reconnects
    }

    /// Connections that failed although the registry has nothing: the consumer's own list is an old one.
    pub(super) fn connects(&self) -> &[(Option<String>, Evidence)] {
        &self.connects
    }

    /// The empty list was held back.
    pub(super) fn kept(&self) -> &[Evidence] {
        &self.kept
    }
}

impl Place {
    /// Whether it is that place: a root of ZooKeeper, or `namespace/group` of Nacos.
    fn is(&self, members: &[String], place: &str) -> bool {
        let same_registry = self
            .registry
            .as_ref()
            .is_none_or(|registry| members.contains(registry));
        let nacos = format!(
            "{}/{}",
            self.namespace
                .as_deref()
                .filter(|text| !text.is_empty())
                .unwrap_or("public"),
            self.group.as_deref().unwrap_or("DEFAULT_GROUP"),
        );
        let root = self
            .root
            .as_deref()
            .map(|root| format!("/{}", root.trim_start_matches('/')));
        same_registry && (root.as_deref() == Some(place) || self.root.is_none() && nacos == place)
    }
}

/// A raised code without more.
fn raised(
    code: Code,
    params: serde_json::Value,
    subject: (&str, &str),
    evidence: Vec<Evidence>,
) -> Raised {
    Raised {
        code,
        params: match params {
            serde_json::Value::Object(map) => map,
            _ => serde_json::Map::new(),
        },
        subject: (subject.0.to_owned(), subject.1.to_owned()),
        evidence,
    }
}
