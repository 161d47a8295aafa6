//! An application with its references, their chains, and the calls that go through them.
//!
//! Mirrors `RouterChain` (2.7, 3.0, 3.1), `SingleRouterChain` (3.2 and later), and what their factories share: one
//! router per service, or per application, however many references there are.

mod explain;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::ask::Ask;
use super::call::Call;
use super::chain::{KINDS, Kind, Making, Shared, activated};
use super::declared::{Declared, DeclaredRouter, Unknown};
use super::dialect::{Dialect, Shape};
use super::outcome::Outcome;
use super::rules::{RouterId, RuleSource, Rules};
use super::set::AddressSet;
use super::trace::Reading;
use super::ways::Split;
use super::{AddressList, Prepared, Router, RuleEvent, Thrown};
use crate::model::url::Url;
use crate::model::version::DubboVersion;

/// What a chain cannot know from rules and addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `dubbo.router.should-fail-fast` (3.0.6 and later): whether an empty result ends the chain.
    pub fail_fast: bool,
    /// Names of script engines that the consumer's JVM has, or `None` when that is not known.
    pub script_engines: Option<Vec<String>>,
    /// Names of script engines that it is known not to have, whatever it has.
    pub missing_engines: Vec<String>,
    /// Kinds of routers that are taken out of the chain, to see what the others do without them.
    pub without: Vec<&'static str>,
    /// Routers of the user's own code, as declared.
    pub declared: Vec<Declared>,
    /// Whether a name in the consumer's `router` that Dubbo does not bring is a router of the user's own code. Else it is
    /// what it is for a plain consumer: ignored (3.x), or an error (2.7).
    pub custom_routers: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            fail_fast: true,
            script_engines: None,
            missing_engines: Vec::new(),
            without: Vec::new(),
            declared: Vec::new(),
            custom_routers: false,
        }
    }
}

pub(super) struct Slot {
    /// The SPI name.
    pub(super) kind: &'static str,
    pub(super) router: Box<dyn Router>,
    /// The priority of a sorted chain.
    runs: i32,
    /// What follows in a linked chain. Shared routers have one follower for all chains: that of the newest chain.
    next: Option<RouterId>,
    /// A rule that it reads was not seen.
    pub(super) unknown: bool,
    /// Counts changes of its rules, so that prepared forms can be thrown away.
    changes: u64,
}

/// The kind of a declared router.
pub const DECLARED: &str = "declared";
/// The kind of a router of the user's own code that nobody declared.
pub const CUSTOM: &str = "custom";

impl Slot {
    /// A router of the user's own.
    fn own(kind: &'static str, router: Box<dyn Router>, runs: i32) -> Self {
        Self {
            kind,
            router,
            runs,
            next: None,
            unknown: false,
            changes: 0,
        }
    }
}

/// An application and its references, which share routers and listeners.
pub struct Application<S> {
    version: DubboVersion,
    dialect: Dialect,
    settings: Settings,
    pub(super) slots: Vec<Slot>,
    shared: BTreeMap<(&'static str, String), RouterId>,
    rules: Rules<S>,
}

/// The prepared form of a router, and at which state of its rules it was made.
type PreparedRouter = (u64, Box<dyn Prepared>);

/// The chain of one reference.
pub struct Chain {
    list: Arc<AddressList>,
    /// 2.7 and 3.0.5: in order of running. Later: only the first one, the rest follows from it.
    routers: Vec<RouterId>,
    prepared: RefCell<BTreeMap<RouterId, PreparedRouter>>,
    left_out: Vec<LeftOut>,
}

/// A rule URL of the registry that did not become a router.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut {
    /// Its place among the rule URLs.
    pub place: usize,
    /// Why its router refuses it; `None` when this version has no router of that kind.
    pub refused: Option<Thrown>,
}

impl Chain {
    /// Rule URLs of the registry that have no effect.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// The addresses it routes.
    pub fn list(&self) -> &AddressList {
        &self.list
    }
}

/// One router of a chain and what it can do with what it got.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The simple name of Dubbo's class, or the name of a router of the user's own.
    pub router: Cow<'static, str>,
    /// Its SPI name (`tag`, `service`, `app`); `declared` and `custom` for routers of the user's own.
    pub kind: &'static str,
    /// What came in.
    pub input: Outcome,
    /// What went out.
    pub output: Outcome,
}

impl Step {
    /// Whether one of several answers is drawn.
    fn draws(&self) -> bool {
        matches!(self.output, Outcome::OneOf(_))
    }
}

impl<S: RuleSource> Application<S> {
    /// An application that runs a Dubbo version; `None` when the routers of that version are not modelled (see
    /// [`Dialect::of`]).
    pub fn new(version: &DubboVersion, source: S, settings: Settings) -> Option<Self> {
        Some(Self {
            version: version.clone(),
            dialect: Dialect::of(version)?,
            settings,
            slots: Vec::new(),
            shared: BTreeMap::new(),
            rules: Rules::new(source, version),
        })
    }

    /// Creates a reference: builds its chain from the consumer URL, adds rule URLs of the registry (category
    /// `routers`), and tells the routers of the addresses.
    pub fn refer(
        &mut self,
        consumer: &Url,
        rule_urls: &[Url],
        list: AddressList,
    ) -> Result<Chain, Thrown> {
        let mut ids = Vec::new();
        let (kinds, unknown) = activated(
            consumer,
            &self.version,
            self.dialect.shape,
            self.settings.custom_routers,
        )?;
        let without = self.settings.without.clone();
        for kind in kinds
            .into_iter()
            .filter(|kind| !without.contains(&kind.name))
        {
            ids.push(self.router(kind, consumer)?);
        }
        if self.dialect.shape != Shape::Linked {
            ids.sort_by_key(|id| self.slots[*id].runs);
        }
        if !without.contains(&DECLARED) {
            self.add_declared(&mut ids);
        }
        if !without.contains(&CUSTOM) {
            self.add_unknown(&mut ids, unknown);
        }
        let linked = self.dialect.shape == Shape::Linked;
        if linked {
            for (place, id) in ids.iter().enumerate() {
                self.slots[*id].next = ids.get(place + 1).copied();
            }
        }
        let mut routers = ids.clone();
        let (mut of_urls, left_out) = self.of_rule_urls(rule_urls);
        of_urls.retain(|id| !without.contains(&self.slots[*id].kind));
        routers.extend(of_urls);
        if self.dialect.shape == Shape::Sorted {
            routers.sort_by_key(|id| self.slots[*id].runs);
        }
        let list = Arc::new(list);
        // A router that a rule URL added a second time is told a second time, which changes nothing.
        for id in if linked { &ids } else { &routers } {
            self.rules.asking = *id;
            let slot = &mut self.slots[*id];
            slot.router.notify(&list, &mut self.rules)?;
            slot.unknown |= std::mem::take(&mut self.rules.met_unknown);
            slot.changes += 1;
        }
        if linked {
            routers.truncate(1);
        }
        Ok(Chain {
            list,
            routers,
            prepared: RefCell::default(),
            left_out,
        })
    }

    /// A rule of group [`RULE_GROUP`] changed; `None` when it was removed.
    ///
    /// An error leaves the listener, as in Dubbo: routers that come later are not told.
    pub fn update(&mut self, key: &str, content: Option<&str>) -> Result<(), Thrown> {
        let event = RuleEvent { key, content };
        for id in self.rules.change(key, content) {
            self.rules.asking = id;
            let slot = &mut self.slots[id];
            slot.router.process(event, &self.rules)?;
            slot.changes += 1;
        }
        Ok(())
    }

    /// Every key that was read, in order, all of group [`RULE_GROUP`].
    pub fn keys_read(&self) -> &[String] {
        self.rules.keys_read()
    }

    /// Routes a call.
    pub fn route(&self, chain: &Chain, call: &Call) -> Result<Outcome, Thrown> {
        self.walk(chain, call, |_| {})
    }

    /// Routes a call and tells what each router did.
    pub fn trace(&self, chain: &Chain, call: &Call) -> (Vec<Step>, Result<Outcome, Thrown>) {
        let mut steps = Vec::new();
        let outcome = self.walk(chain, call, |step| steps.push(step.clone()));
        (steps, outcome)
    }

    /// Routes a call, and follows every way where something is drawn. `None` when nothing is, or the ways are too many.
    pub fn ways(&self, chain: &Chain, call: &Call) -> (Result<Outcome, Thrown>, Option<Split>) {
        let (steps, outcome) = self.trace(chain, call);
        let draws = steps.iter().any(Step::draws);
        let split = draws.then(|| {
            let steps = steps.into_iter().zip(self.order(chain));
            let told = steps.map(|(step, id)| self.explained(chain, id, call, step));
            self.split(chain, call, told.take_while(|it| !it.draws()).collect())
        });
        (outcome, split.flatten())
    }

    /// Whether an empty list ends the chain.
    pub(super) fn stops(&self) -> bool {
        match self.dialect.shape {
            Shape::Sorted => false,
            Shape::Flat => true,
            Shape::Linked => self.settings.fail_fast,
        }
    }

    /// The rules that the routers of a chain read, in order of the routers, and what became of each text.
    pub fn readings(&self, chain: &Chain) -> Vec<Reading> {
        self.order(chain)
            .flat_map(|id| {
                let slot = &self.slots[id];
                let readings = slot.router.readings();
                readings.into_iter().map(|(key, state)| Reading {
                    router: slot.router.name(),
                    kind: slot.kind,
                    key,
                    state,
                })
            })
            .collect()
    }

    /// What the rules in force ask about a call or its consumer, each question once.
    pub fn asks(&self, chain: &Chain) -> Vec<Ask> {
        let mut asks: Vec<Ask> = self
            .order(chain)
            .flat_map(|id| self.slots[id].router.asks())
            .collect();
        asks.sort_unstable();
        asks.dedup();
        asks
    }

    /// The routers of a chain, in order.
    pub fn routers(&self, chain: &Chain) -> Vec<Cow<'static, str>> {
        self.order(chain)
            .map(|id| self.slots[id].router.name())
            .collect()
    }

    /// What the router at a place of the chain makes of some addresses.
    pub fn route_one(
        &self,
        chain: &Chain,
        place: usize,
        call: &Call,
        input: &AddressSet,
    ) -> Option<Result<Outcome, Thrown>> {
        let id = self.order(chain).nth(place)?;
        Some(self.run(chain, id, call, &Outcome::Only(input.clone())))
    }

    pub(super) fn order<'a>(&'a self, chain: &'a Chain) -> impl Iterator<Item = RouterId> + 'a {
        let linked = self.dialect.shape == Shape::Linked;
        let mut place = 0;
        let mut current = chain.routers.first().copied();
        std::iter::from_fn(move || {
            let id = current?;
            place += 1;
            current = if linked {
                self.slots[id].next
            } else {
                chain.routers.get(place).copied()
            };
            Some(id)
        })
    }

    fn walk(
        &self,
        chain: &Chain,
        call: &Call,
        mut seen: impl FnMut(&Step),
    ) -> Result<Outcome, Thrown> {
        let stops = self.stops();
        let mut current = Outcome::Only(AddressSet::all(chain.list.len()));
        for id in self.order(chain) {
            let output = self.run(chain, id, call, &current)?;
            let step = Step {
                router: self.slots[id].router.name(),
                kind: self.slots[id].kind,
                input: current,
                output,
            };
            seen(&step);
            current = step.output;
            if stops && current.is_empty() {
                break;
            }
        }
        Ok(current)
    }

    pub(super) fn run(
        &self,
        chain: &Chain,
        id: RouterId,
        call: &Call,
        input: &Outcome,
    ) -> Result<Outcome, Thrown> {
        if self.slots[id].unknown {
            return Ok(Outcome::Within(input.at_most()));
        }
        let stops = self.dialect.shape != Shape::Sorted && self.settings.fail_fast;
        self.with_form(chain, id, |form| {
            input.clone().then(
                |set| {
                    if stops && set.is_empty() {
                        // Only with several possible inputs: this one has ended before.
                        return Ok(Outcome::Only(set.clone()));
                    }
                    form.route(&chain.list, call, set)
                },
                |bound| form.bound(&chain.list, call, bound),
            )
        })
    }

    /// The prepared form of a router, made anew when its rules have changed.
    pub(super) fn with_form<T>(
        &self,
        chain: &Chain,
        id: RouterId,
        ask: impl FnOnce(&dyn Prepared) -> T,
    ) -> T {
        let slot = &self.slots[id];
        let mut prepared = chain.prepared.borrow_mut();
        let (changes, form) = prepared
            .entry(id)
            .or_insert_with(|| (slot.changes, slot.router.prepare(&chain.list)));
        if *changes != slot.changes {
            *form = slot.router.prepare(&chain.list);
            *changes = slot.changes;
        }
        ask(form.as_ref())
    }

    /// The router that a factory gives for a URL: a new one or the shared one.
    fn router(&mut self, kind: &'static Kind, url: &Url) -> Result<RouterId, Thrown> {
        let sharing = match kind.shared {
            Shared::Nothing if kind.name == "condition" && self.dialect.shape != Shape::Sorted => {
                Some(url.service_key().unwrap_or_default())
            }
            Shared::Nothing => None,
            Shared::Service => Some(url.service_key().unwrap_or_default()),
            Shared::Application => Some(String::new()),
        };
        let place = sharing.map(|sharing| (kind.name, sharing));
        if let Some(id) = place.as_ref().and_then(|place| self.shared.get(place)) {
            return Ok(*id);
        }
        let making = Making {
            url,
            version: &self.version,
            dialect: self.dialect,
            settings: &self.settings,
        };
        let mut router = (kind.create)(&making)?;
        let id = self.slots.len();
        self.rules.asking = id;
        router.start(&mut self.rules);
        let runs = router
            .priority()
            .unwrap_or(if self.dialect.shape == Shape::Linked {
                kind.runs.1
            } else {
                kind.runs.0
            });
        let unknown = std::mem::take(&mut self.rules.met_unknown);
        self.slots.push(Slot {
            kind: kind.name,
            router,
            runs,
            next: None,
            unknown,
            changes: 0,
        });
        if let Some(place) = place {
            self.shared.insert(place, id);
        }
        Ok(id)
    }

    /// Puts the declared routers behind those they name, or at the end.
    fn add_declared(&mut self, ids: &mut Vec<RouterId>) {
        for declared in self.settings.declared.clone() {
            let before = |slot: &Slot| {
                declared.after.as_deref().is_some_and(|after| {
                    slot.kind == after || slot.kind == DECLARED && slot.router.name() == after
                })
            };
            let place = match &declared.after {
                None => ids.len(),
                Some(after) => {
                    let behind = ids.iter().rposition(|id| before(&self.slots[*id]));
                    behind.map_or_else(|| self.place_of(after, ids), |place| place + 1)
                }
            };
            let runs = match place.checked_sub(1).and_then(|place| ids.get(place)) {
                Some(id) => self.slots[*id].runs,
                None => i32::MIN,
            };
            let router = DeclaredRouter {
                declared: Arc::new(declared),
                dialect: self.dialect,
            };
            ids.insert(place, self.slots.len());
            self.slots.push(Slot::own(DECLARED, Box::new(router), runs));
        }
    }

    /// Where a router that this version does not have would stand.
    fn place_of(&self, name: &str, ids: &[RouterId]) -> usize {
        let runs = KINDS.iter().find(|kind| kind.name == name);
        let runs = runs.map_or(i32::MAX, |kind| kind.runs.1);
        ids.iter()
            .position(|id| self.slots[*id].runs > runs)
            .unwrap_or(ids.len())
    }

    /// Routers of which only the name is known: nobody knows where they stand, so they are asked first.
    fn add_unknown(&mut self, ids: &mut Vec<RouterId>, names: Vec<String>) {
        for name in names {
            if self.settings.declared.iter().any(|it| it.name == name) {
                continue;
            }
            ids.insert(0, self.slots.len());
            self.slots
                .push(Slot::own(CUSTOM, Box::new(Unknown(name)), i32::MIN));
        }
    }

    /// `RegistryDirectory.toRouters`: a URL of a kind that does not exist, or that its router refuses, is logged and
    /// left out.
    fn of_rule_urls(&mut self, urls: &[Url]) -> (Vec<RouterId>, Vec<LeftOut>) {
        let mut out = Vec::new();
        let mut left_out = Vec::new();
        for (place, url) in urls
            .iter()
            .enumerate()
            .filter(|(_, url)| url.protocol.as_deref() != Some("empty"))
        {
            let protocol = url.text("router").or(url.protocol.as_deref());
            let kind = KINDS
                .iter()
                .filter(|_| self.dialect.shape == Shape::Sorted)
                .find(|kind| kind.exists_in(&self.version) && Some(kind.name) == protocol);
            match kind.map(|kind| self.router(kind, url)) {
                Some(Ok(id)) if out.contains(&id) => {}
                Some(Ok(id)) => out.push(id),
                None => left_out.push(LeftOut {
                    place,
                    refused: None,
                }),
                Some(Err(refused)) => left_out.push(LeftOut {
                    place,
                    refused: Some(refused),
                }),
            }
        }
        (out, left_out)
    }
}
