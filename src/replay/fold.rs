//! Calls of any number, folded: each kind of call is routed once in every scenario.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::coverage::Seen;
use super::interest::{Interest, call};
use super::rule_set::RuleTexts;
use super::scenario::{AddressNames, Ran, Scenario, Sessions};
use super::subject::Subject;
use crate::input::requests::{Caller, Request};
use crate::model::url::decode;
use crate::route::outcome::Outcome;
use crate::route::trace::{Explained, Reading, RuleRef, Trace};
use crate::route::ways::Way;
use crate::view::held::Entry;

/// Kinds of calls remembered at a time; beyond, they are forgotten and routed again.
const MOST_KINDS: usize = 100_000;
/// Combinations of results kept apart; beyond, calls are only counted.
const MOST_COMBINATIONS: usize = 10_000;
/// Addresses whose fate the classes of one scenario may describe together, and the bounds of their number.
const MOST_DESCRIBED: usize = 1_000_000;
const CLASSES: (usize, usize) = (64, 1_000);
/// Parts of rules without effect on a class that are described with it.
const MOST_QUIET: usize = 200;
/// An example with longer arguments is shown without them.
const LONGEST_EXAMPLE: usize = 2_048;

/// Calls that end the same way in one scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// How many.
    pub requests: u64,
    /// The first of them.
    pub example: Request,
    /// What each router did to it.
    pub ran: Ran,
}

impl Class {
    /// How many of its calls lose everything, on average.
    pub fn lost(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a number of calls")]
        let requests = self.requests as f64;
        requests * self.ran.lost_share()
    }
}

/// Calls that end the same way in every scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Combination {
    /// How many.
    pub requests: u64,
    /// The first of them.
    pub example: Request,
    /// The class of each scenario.
    pub classes: Vec<usize>,
}

/// Everything that was found.
#[derive(Debug)]
pub struct Folded {
    /// Calls in all.
    pub requests: u64,
    /// Calls that depend on an argument whose value is not known.
    pub unclear: u64,
    /// The first of them.
    pub first_unclear: Option<Request>,
    /// Calls beyond the bounds: counted, not told apart.
    pub beyond: u64,
    /// Classes of each scenario.
    pub classes: Vec<Vec<Class>>,
    /// What belongs together.
    pub combinations: Vec<Combination>,
    /// Which parts of rules were asked in the first scenario.
    pub seen: Seen,
    /// Rules read in the first scenario, with what became of them, for every caller together.
    pub readings: Vec<Reading>,
    /// Rules that a caller of whom nothing is known reads, by scenario.
    pub readings_of: Vec<Vec<Reading>>,
    /// Addresses of the first scenario.
    pub addresses: Option<AddressNames>,
    /// Whether the routers of each scenario's version are modelled.
    pub modelled: Vec<bool>,
}

/// Takes calls one by one.
pub struct Fold<'a> {
    sessions: Vec<Sessions<'a>>,
    interest: Interest,
    kinds: HashMap<String, Option<usize>>,
    by_classes: BTreeMap<Vec<usize>, usize>,
    folded: Folded,
    callers: BTreeSet<Caller>,
}

impl<'a> Fold<'a> {
    /// Over these scenarios; the first is what the others are compared with.
    pub fn new(scenarios: &'a [Scenario], subject: &'a Subject) -> Self {
        // Most scenarios have the same rules: each text is read once for a version.
        let texts: BTreeSet<_> = scenarios
            .iter()
            .flat_map(|scenario| {
                let rules = [Some(&scenario.rules), scenario.earlier.as_ref()];
                let texts = rules.into_iter().flatten().flat_map(RuleTexts::texts);
                texts.map(|(key, text)| (key, &scenario.world.dubbo, text))
            })
            .collect();
        let mut interest = Interest::default();
        for (key, dubbo, text) in texts {
            interest.add(key, text, dubbo);
        }
        let own = subject.question.consumer.params.get("rule");
        let routes = subject.held.routes.iter().filter_map(Entry::plain);
        let rules = routes.filter_map(|url| Some(url.text("rule")?.to_owned()));
        for rule in own.cloned().into_iter().chain(rules) {
            let rule = decode(&rule).unwrap_or(rule);
            for scenario in scenarios {
                interest.add_condition(&rule, &scenario.world.dubbo);
            }
        }
        let mut sessions: Vec<Sessions<'a>> = scenarios
            .iter()
            .map(|scenario| Sessions::new(scenario, subject))
            .collect();
        let nobody = Caller::default();
        let folded = Folded {
            requests: 0,
            unclear: 0,
            first_unclear: None,
            beyond: 0,
            classes: vec![Vec::new(); scenarios.len()],
            combinations: Vec::new(),
            seen: Seen::default(),
            readings: Vec::new(),
            readings_of: sessions
                .iter_mut()
                .map(|one| one.readings(&nobody))
                .collect(),
            addresses: sessions
                .first_mut()
                .and_then(|first| first.addresses(&nobody)),
            modelled: sessions
                .iter_mut()
                .map(|one| one.is_modelled(&nobody))
                .collect(),
        };
        Self {
            sessions,
            interest,
            kinds: HashMap::new(),
            by_classes: BTreeMap::new(),
            folded,
            callers: BTreeSet::new(),
        }
    }

    /// What the rules look at.
    pub fn interest(&self) -> &Interest {
        &self.interest
    }

    /// The chains of every scenario.
    pub(super) fn sessions_mut(&mut self) -> &mut [Sessions<'a>] {
        &mut self.sessions
    }

    /// Takes a call.
    pub fn take(&mut self, request: &Request) {
        if request.count == 0 {
            return;
        }
        self.folded.requests += request.count;
        let Some(kind) = self.interest.fingerprint(request) else {
            self.folded.unclear += request.count;
            if self.folded.first_unclear.is_none() {
                self.folded.first_unclear = Some(example(request));
            }
            return;
        };
        let known = self.kinds.get(&kind).copied();
        let at = known.unwrap_or_else(|| {
            let at = self.route(request);
            if self.kinds.len() >= MOST_KINDS {
                self.kinds.clear();
            }
            self.kinds.insert(kind, at);
            at
        });
        match at {
            None => self.folded.beyond += request.count,
            Some(at) => {
                let combination = &mut self.folded.combinations[at];
                combination.requests += request.count;
                for (classes, class) in self.folded.classes.iter_mut().zip(&combination.classes) {
                    classes[*class].requests += request.count;
                }
            }
        }
    }

    /// Routes a call in every scenario.
    fn route(&mut self, request: &Request) -> Option<usize> {
        let caller = Caller {
            ip: request
                .caller
                .ip
                .clone()
                .filter(|_| self.interest.sees_host()),
            application: request.caller.application.clone(),
        };
        let call = call(request);
        let mut classes = Vec::with_capacity(self.sessions.len());
        for (place, sessions) in self.sessions.iter_mut().enumerate() {
            // Of the first scenario alone every part is noted.
            let mut ran = if place == 0 {
                sessions.run(&caller, &call)?
            } else {
                sessions.run_briefly(&caller, &call)?
            };
            if place == 0 {
                self.folded.seen.note(&ran.trace);
                if self.callers.len() < MOST_COMBINATIONS && self.callers.insert(caller.clone()) {
                    for reading in sessions.readings(&caller) {
                        if !self.folded.readings.contains(&reading) {
                            self.folded.readings.push(reading);
                        }
                    }
                }
            }
            ran.trace.shorten(MOST_QUIET);
            let known = &mut self.folded.classes[place];
            let most = MOST_DESCRIBED / ran.addresses.len().max(1);
            let is_full = known.len() >= most.clamp(CLASSES.0, CLASSES.1);
            let alike = |class: &Class| ends_alike(&class.ran, &ran);
            // Where there is no room left, other reasons for the same addresses are not told apart.
            let at = known
                .iter()
                .position(|class| alike(class) && has_same_reasons(&class.ran, &ran))
                .or_else(|| is_full.then(|| known.iter().position(alike)).flatten());
            if at.is_none() && is_full {
                return None;
            }
            classes.push(at.unwrap_or_else(|| {
                known.push(Class {
                    requests: 0,
                    example: example(request),
                    ran,
                });
                known.len() - 1
            }));
        }
        if let Some(at) = self.by_classes.get(&classes) {
            return Some(*at);
        }
        if self.folded.combinations.len() >= MOST_COMBINATIONS {
            return None;
        }
        let at = self.folded.combinations.len();
        self.by_classes.insert(classes.clone(), at);
        self.folded.combinations.push(Combination {
            requests: 0,
            example: example(request),
            classes,
        });
        Some(at)
    }

    /// What was found. Classes are ordered by the number of their calls.
    pub fn finish(mut self) -> Folded {
        if self.callers.is_empty()
            && let Some(first) = self.sessions.first_mut()
        {
            self.folded.readings = first.readings(&Caller::default());
        }
        self.folded
    }
}

/// Whether two calls are one class: the same addresses after every router.
fn ends_alike(a: &Ran, b: &Ran) -> bool {
    let outputs = |ran: &Ran| -> Vec<(&'static str, Outcome)> {
        ran.trace
            .steps
            .iter()
            .map(|step| (step.step.kind, step.step.output.clone()))
            .collect()
    };
    a.trace.outcome == b.trace.outcome
        && a.trace.steps.len() == b.trace.steps.len()
        && (std::rc::Rc::ptr_eq(&a.addresses, &b.addresses) || a.addresses == b.addresses)
        && outputs(a) == outputs(b)
}

/// Whether the same parts of rules took addresses away, on every way.
fn has_same_reasons(a: &Ran, b: &Ran) -> bool {
    let (mine, others) = (&a.trace, &b.trace);
    let shares = |trace: &Trace| {
        trace
            .split
            .as_ref()
            .map(|split| (split.lost, split.unclear))
    };
    reasons(&mine.steps).eq(reasons(&others.steps))
        && shares(mine) == shares(others)
        && ways(mine).count() == ways(others).count()
        && ways(mine).zip(ways(others)).all(|(way, other)| {
            way.outcome == other.outcome && reasons(&way.steps).eq(reasons(&other.steps))
        })
}

fn ways(trace: &Trace) -> impl Iterator<Item = &Way> {
    trace.split.iter().flat_map(|split| &split.ways)
}

/// The parts that took something away or left nothing.
fn reasons(steps: &[Explained]) -> impl Iterator<Item = (Option<&RuleRef>, &str)> {
    let parts = steps.iter().flat_map(|step| &step.parts);
    let biting = parts.filter(|part| !part.removed.is_empty() || part.output.is_empty());
    biting.map(|part| (part.rule.as_ref(), &*part.text))
}

/// A call as it is shown: one of it, without arguments that would fill the page.
fn example(request: &Request) -> Request {
    let length: usize = request
        .arguments
        .iter()
        .flatten()
        .map(|argument| argument.to_string().len())
        .sum();
    Request {
        arguments: request
            .arguments
            .clone()
            .filter(|_| length <= LONGEST_EXAMPLE),
        count: 1,
        ..request.clone()
    }
}
