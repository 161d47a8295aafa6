//! Many calls through the routers of one consumer: what each may reach, and what would change if a rule, a room or a
//! version were another.
//!
//! `route` answers one call; here calls of any number are folded. Everything that is to be compared (the rules as they
//! are, a candidate, a room that is down, other versions) is a [`Scenario`], and every call goes through all of them in
//! one pass, so that a stream is read once and nothing of it is kept: a call is reduced to what the rules can tell apart
//! ([`Interest`]), and each such kind of call is routed once.
//!
//! Pure: no I/O, no clock. Lists of addresses come from [`crate::view`], texts of rules from the caller.

mod coverage;
mod difference;
mod drill;
mod findings;
mod fold;
mod interest;
mod judge;
mod rule_set;
mod scenario;
mod share;
mod stages;
mod subject;
mod undecided;
mod unsaid;
mod waterfall;

pub use crate::route::trace::Oddity;
pub use coverage::{Coverage, PartName, coverage};
pub use difference::{Difference, differences};
pub use drill::Gone;
pub use findings::unguarded;
pub use fold::{Class, Combination, Fold, Folded};
pub use interest::Interest;
pub use judge::{Plan, Trial, judge, loses, state_word};
pub use rule_set::{RuleFile, RuleTexts, as_go_reads, key_from_name};
pub use scenario::{AddressNames, Named, Ran, Scenario};
pub use share::{Shift, shift};
pub use subject::Subject;
pub use unsaid::Unsaid;
pub use waterfall::{Cause, Fall, Taken, WayOf, cause, place, stage_name, waterfall, ways};
