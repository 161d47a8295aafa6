//! What the routers of a Dubbo consumer do to a list of addresses, replayed.
//!
//! `rule` says what a text means; here it is applied, in the order and with the oddities of each Dubbo version. Pure:
//! scripts are never run and names never resolved, where that would be needed the answer is a bound (see [`outcome`]).
//!
//! A router kind is one file here, one in `rule`, and one line in [`chain`]; a kind of rule is one line in `model::rule_kind`.
//! How an answer is explained stands in [`trace`].

mod address;
pub mod application;
pub mod ask;
pub mod call;
mod call_match;
mod chain;
pub(crate) mod classes;
mod clause;
mod columns;
mod condition;
mod condition_multi;
mod condition_read;
mod condition_steps;
mod condition_url;
pub mod declared;
pub mod dialect;
mod listenable;
mod mesh;
mod mock;
pub mod outcome;
pub mod pattern;
pub mod probe;
pub mod provider;
pub mod rules;
mod script;
pub mod set;
mod tag;
mod tag_rule;
pub mod trace;
pub mod ways;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use ask::Ask;
use call::Call;
pub use chain::{kind_of, stage_of};
use declared::Zones;
use outcome::Outcome;
use provider::Provider;
use rules::RuleReader;
use set::AddressSet;
use trace::{Part, RuleState};
use ways::{Turn, turns};

use crate::model::url::Url;

/// The addresses of one reference, in the order the chain sees them, and the consumer URL that is handed to routers.
pub struct AddressList {
    /// The addresses.
    pub providers: Vec<Box<dyn Provider + Send + Sync>>,
    /// The URL that routers get with a call: 3.x the consumer URL, 2.7 the directory's (`getConsumerUrl`).
    pub consumer: Url,
    /// Zones, for declared routers.
    pub zones: Zones,
}

impl AddressList {
    /// How many addresses there are.
    pub fn len(&self) -> usize {
        self.providers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.providers.is_empty()
    }

    /// Whether the addresses are of several applications, of which routers ask the first one only.
    fn applications_differ(&self) -> bool {
        let mut names = self.providers.iter().map(|one| one.remote_application());
        let first = names.next();
        names.any(|name| Some(name) != first)
    }

    fn filter(&self, mut keep: impl FnMut(&dyn Provider) -> bool) -> AddressSet {
        AddressSet::filter(self.len(), |place| keep(self.providers[place].as_ref()))
    }
}

impl fmt::Debug for AddressList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(
                self.providers
                    .iter()
                    .map(|provider| provider.url().address()),
            )
            .finish()
    }
}

/// An exception that leaves the routers. While a call is routed, the directory catches it and goes on with an empty
/// list; while a chain is built, the reference cannot be created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {message}")]
pub struct Thrown {
    /// The Java class.
    pub class: &'static str,
    /// What happened, in words of this program where Java's own are not fixed.
    pub message: String,
}

impl Thrown {
    fn new(class: &'static str, message: impl Into<String>) -> Self {
        Self {
            class,
            message: message.into(),
        }
    }
}

/// A change of a rule: its key and new text, `None` when it was removed.
#[derive(Debug, Clone, Copy)]
pub struct RuleEvent<'a> {
    /// The key, with its ending.
    pub key: &'a str,
    /// The new text.
    pub content: Option<&'a str>,
}

/// One router of a chain: its rules, and what they do to a call.
trait Router {
    /// The simple name of Dubbo's class, as router snapshots show it.
    fn name(&self) -> Cow<'static, str>;

    /// The router was made: reads what it reads before there are addresses.
    fn start(&mut self, _rules: &mut dyn RuleReader) {}

    /// The addresses changed.
    fn notify(
        &mut self,
        _list: &Arc<AddressList>,
        _rules: &mut dyn RuleReader,
    ) -> Result<(), Thrown> {
        Ok(())
    }

    /// A rule that this router listens to changed.
    fn process(&mut self, _event: RuleEvent<'_>, _rules: &dyn RuleReader) -> Result<(), Thrown> {
        Ok(())
    }

    /// The keys of rules that it read, and what became of the texts, in the order of reading.
    fn readings(&self) -> Vec<(String, RuleState)> {
        Vec::new()
    }

    /// What its rules in force ask about a call or its consumer.
    fn asks(&self) -> Vec<Ask> {
        Vec::new()
    }

    /// A priority of its own, from the URL it was made of.
    fn priority(&self) -> Option<i32> {
        None
    }

    /// Prepares the rules in force for a list. Done once per list and rule, so that a call costs little.
    fn prepare(&self, list: &AddressList) -> Box<dyn Prepared>;
}

/// A router, prepared for one list of addresses.
trait Prepared {
    /// Routes a call. `input` is a subset of the list.
    fn route(&self, list: &AddressList, call: &Call, input: &AddressSet)
    -> Result<Outcome, Thrown>;

    /// Why [`Self::route`] gives what it gives: each part that was asked.
    fn explain(&self, _: &AddressList, _: &Call, _: &AddressSet) -> Vec<Part> {
        Vec::new()
    }

    /// The ways a call may take here, with their parts; `None` when they are too many to follow.
    fn turns(
        &self,
        list: &AddressList,
        call: &Call,
        input: &AddressSet,
    ) -> Result<Option<Vec<Turn>>, Thrown> {
        let output = self.route(list, call, input)?;
        Ok(Some(turns(self.explain(list, call, input), output)))
    }

    /// What can be said of the result when only a bound of the input is known: what may be left of any part of it.
    fn bound(&self, _: &AddressList, _: &Call, input: AddressSet) -> AddressSet {
        input
    }
}

/// A router that passes everything on.
struct Passing(&'static str);

/// A router that passes everything on, under the name of its class.
fn passing(name: &'static str) -> Box<dyn Router> {
    Box::new(Passing(name))
}

impl Router for Passing {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed(self.0)
    }

    fn prepare(&self, _: &AddressList) -> Box<dyn Prepared> {
        Box::new(PassOn)
    }
}

struct PassOn;

impl Prepared for PassOn {
    fn route(&self, _: &AddressList, _: &Call, input: &AddressSet) -> Result<Outcome, Thrown> {
        Ok(Outcome::Only(input.clone()))
    }
}
