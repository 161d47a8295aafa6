//! The answer of `timeout-budget`, language-free: numbers, names of levels, keys. Part of the public report as it is.
//!
//! Times are milliseconds with up to three decimals (`_ms`); `null` is what is not known or not asked.

use serde::Serialize;

use crate::{budget::plan::Cluster, diagnose::Certainty};

/// Everything about the timeout of one method.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Budget {
    /// The method asked about; none = the whole reference.
    pub method: Option<String>,
    /// The timeout in force: one entry for each different result among the providers.
    pub in_force: Vec<InForce>,
    /// Methods whose timeout differs from that of the reference, when no method was asked about.
    pub methods: Vec<MethodTimeout>,
    /// Tries and what decides them.
    pub tries: Option<Tries>,
    /// Other settings that bear on capacity and waiting.
    pub settings: Vec<Setting>,
    /// Where the P99 comes from and how good it is.
    pub measured: Option<Measured>,
    /// `P99 + RTT + serialization`.
    pub need: Option<Need>,
    /// The budget of one try.
    pub per_try: Option<PerTry>,
    /// Round trips as they were tried, by pair of zones.
    pub links: Vec<Link>,
    /// What leaves the consumer's zone; `null` unless the zone of everybody is known.
    pub leaving: Option<Leaving>,
    /// All tries against the caller's deadline.
    pub total: Option<Total>,
    /// `--try`.
    pub what_if: Option<WhatIf>,
    /// `--qps`.
    pub capacity: Option<Capacity>,
    /// `--chain`.
    pub chain: Option<Chain>,
    /// What timeout texts say.
    pub observed: Vec<Observed>,
    /// What to set.
    pub advice: Option<Advice>,
}

/// A timeout in force and its ladder.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct InForce {
    /// The first addresses it holds for.
    pub addresses: Vec<String>,
    /// How many addresses.
    pub addresses_total: usize,
    /// `interface`, `application`, or `none` when no provider is known.
    pub model: &'static str,
    /// Milliseconds; `null` when every call fails on the value, or when it is not known.
    pub timeout_ms: Option<i64>,
    /// What decides: `consumer-method`, `provider`, `rule`, `default`, .., or `unknown`.
    pub level: String,
    /// The key that decides; none for the default.
    pub key: Option<String>,
    /// Its value as written.
    pub value: Option<String>,
    /// What is set and has no effect, in the order in which it would follow.
    pub beaten: Vec<Beaten>,
    /// What the provider is told as remaining time.
    pub passed_on_ms: Option<i64>,
}

/// A value without effect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Beaten {
    /// Where it stands.
    pub level: String,
    /// Its key.
    pub key: String,
    /// As written.
    pub value: String,
}

/// A method with a timeout of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MethodTimeout {
    /// The method.
    pub method: String,
    /// Milliseconds; `null` when every call fails on the value.
    pub timeout_ms: Option<i64>,
    /// What decides.
    pub level: String,
}

/// Tries of one call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tries {
    /// Cluster strategy.
    pub cluster: String,
    /// `retries` in force; `null` when it is no number.
    pub retries: Option<i32>,
    /// What decides: `consumer`, `provider`, `rule`, `default`.
    pub level: String,
    /// One after the other.
    pub in_turn: u64,
    /// At the same time; `null` = every provider.
    pub at_once: Option<u64>,
    /// In the background, five seconds apart.
    pub later: u64,
    /// Longest time for all of them.
    pub worst_ms: Option<f64>,
    /// Whether the method writes; `null` without a method, and where its name does not tell.
    pub writes: Option<bool>,
    /// Tries on average with the measured distribution, at least; `null` without one.
    pub expected_low: Option<f64>,
    /// The same, at most.
    pub expected: Option<f64>,
}

impl Tries {
    /// Whether Dubbo has no strategy of this name.
    pub fn is_own_strategy(&self) -> bool {
        matches!(Cluster::named(Some(&self.cluster)), Cluster::Other(_))
    }
}

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Its key.
    pub key: String,
    /// As written, or the default.
    pub value: String,
    /// Where it stands.
    pub level: String,
}

/// A measured P99.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Measured {
    /// `given`, `samples`, `metrics`.
    pub from: &'static str,
    /// File or series.
    pub name: Option<String>,
    /// `provider` or `consumer`.
    pub side: &'static str,
    /// The side was said or is known.
    pub side_known: bool,
    /// Lower end of the bucket that holds the rank.
    pub p99_low_ms: f64,
    /// Its upper end; `null` = open.
    pub p99_high_ms: Option<f64>,
    /// Number of values.
    pub samples: Option<u64>,
    /// Calls of a summary since its process started: no more of them are in its window. `null` = not told.
    pub samples_at_most: Option<u64>,
    /// The timeout in force at which the times end; `null` = they do not.
    pub cut_at_ms: Option<f64>,
    /// 95 % interval by order statistics.
    pub interval_low_ms: Option<f64>,
    /// Its upper end; `null` = too few values.
    pub interval_high_ms: Option<f64>,
    /// `order-statistics` where there is an interval.
    pub method: Option<&'static str>,
    /// Lower end of the bucket that holds the middle value.
    pub p50_low_ms: Option<f64>,
    /// Its upper end; `null` = open, or no distribution.
    pub p50_high_ms: Option<f64>,
    /// Lower end of the bucket that holds the value above nine of ten.
    pub p90_low_ms: Option<f64>,
    /// Its upper end; `null` = open, or no distribution.
    pub p90_high_ms: Option<f64>,
    /// The mean; of buckets what it is at most.
    pub mean_ms: Option<f64>,
    /// Buckets for the picture: lower end, upper end, count.
    pub buckets: Vec<Bucket>,
    /// What was left out: a word and how often.
    pub remarks: Vec<Remark>,
    /// Equal calls of methods that write, in an access log: those closest together.
    pub repeated: Vec<Repeated>,
    /// How many of them there are.
    pub repeated_total: usize,
}

/// Two calls of one caller with the same method and arguments.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repeated {
    /// The method.
    pub method: String,
    /// Host of the caller.
    pub caller: String,
    /// Time between their beginnings.
    pub gap_ms: f64,
    /// Line of the one read first.
    pub first_line: u64,
    /// Line of the other.
    pub line: u64,
}

/// One bucket.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bucket {
    /// Lower end.
    pub low_ms: f64,
    /// Upper end; `null` = open.
    pub high_ms: Option<f64>,
    /// Values in it.
    pub count: u64,
}

/// Something left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// A fixed word.
    pub what: String,
    /// How often.
    pub count: u64,
}

/// What one try needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Need {
    /// The P99 has no upper end: every number here is what is needed at least, and there is no budget.
    pub at_least: bool,
    /// The 99th percentile: the upper end where it is a range, the lower one where it is open.
    pub p99_ms: f64,
    /// Round trip; 0 when a P99 of the consumer's side contains it.
    pub rtt_ms: f64,
    /// `given`, `probed`, a class of link, `included`, or `unknown`.
    pub rtt_from: String,
    /// Serialization and transfer.
    pub serialization_ms: f64,
    /// The sum.
    pub total_ms: f64,
    /// The sum with the lower end of the P99.
    pub total_low_ms: f64,
}

/// The budget of one try.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PerTry {
    /// Lower factor.
    pub lower_factor: f64,
    /// Need times lower factor.
    pub lower_ms: f64,
    /// Rounded up.
    pub tight_ms: f64,
    /// Upper factor.
    pub upper_factor: f64,
    /// Need times upper factor.
    pub upper_ms: f64,
    /// Rounded up.
    pub comfortable_ms: f64,
}

/// Round trips from one zone to another, and the budget that they make.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Link {
    /// Zone of the machine that tried; `null` = not known.
    pub from_zone: Option<String>,
    /// Zone of the providers; `null` = not known.
    pub to_zone: Option<String>,
    /// The machines that tried.
    pub from: Vec<String>,
    /// Providers that were tried.
    pub addresses: usize,
    /// Round trips.
    pub samples: usize,
    /// Tries without an answer.
    pub lost: u64,
    /// The fastest.
    pub min_ms: f64,
    /// The middle one.
    pub median_ms: f64,
    /// The 99th percentile by nearest rank: of less than 100 the slowest.
    pub p99_ms: f64,
    /// `P99 + median + serialization`; `null` without a P99 of the provider's side.
    pub need_ms: Option<f64>,
    /// Rounded up.
    pub tight_ms: Option<f64>,
    /// Rounded up.
    pub comfortable_ms: Option<f64>,
    /// Share of the network in the need.
    pub network_share: Option<f64>,
}

/// What leaves the consumer's zone, by weights and random choice among all addresses, before any router.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Leaving {
    /// The consumer's zone.
    pub zone: String,
    /// Providers in it.
    pub inside: usize,
    /// Providers elsewhere.
    pub outside: usize,
    /// Share of the first tries.
    pub first: f64,
    /// Share of the second tries; `null` with one provider.
    pub again: Option<f64>,
}

/// All tries against the caller's deadline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Total {
    /// In force: tries times timeout.
    pub in_force_ms: Option<f64>,
    /// As advised.
    pub advised_ms: Option<f64>,
    /// `--upstream`.
    pub upstream_ms: Option<f64>,
}

/// `--try`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhatIf {
    /// The timeout in question.
    pub timeout_ms: f64,
    /// Share of the calls that would certainly run out of time; `null` without a distribution.
    pub failing_low: Option<f64>,
    /// Share that may.
    pub failing_high: Option<f64>,
    /// Tries on average at the lower share; `null` where tries are not known.
    pub expected_tries_low: Option<f64>,
    /// The same at the upper share.
    pub expected_tries: Option<f64>,
    /// `enough`, `tight`, `too-small`, or `unknown`.
    pub verdict: &'static str,
}

/// `--qps`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Capacity {
    /// Calls a second.
    pub qps: f64,
    /// The time of one call that is computed with.
    pub rt_ms: f64,
    /// `mean` or `p99`.
    pub rt_from: &'static str,
    /// Calls in flight.
    pub in_flight: f64,
    /// With the reserve of 20 %.
    pub advised: f64,
    /// Limits by use, the one that breaks first in front.
    pub limits: Vec<Limit>,
}

/// One limit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limit {
    /// Parameter.
    pub name: &'static str,
    /// On one node.
    pub each: u64,
    /// Number of nodes.
    pub count: u64,
    /// The node that breaks first, where nodes differ in what they allow or get; then `each` is its own and `count` is 1.
    pub node: Option<String>,
    /// Share of the calls that it gets, by weight.
    pub share: Option<f64>,
    /// Share that is used.
    pub used: f64,
    /// Calls a second that it carries; `null` for connections.
    pub carries_qps: Option<f64>,
    /// What each should allow.
    pub advised_each: f64,
    /// How sure it is that it is used that much.
    #[serde(skip)]
    pub certainty: Certainty,
}

/// `--chain`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chain {
    /// Front first.
    pub hops: Vec<Hop>,
    /// What the first caller should wait, when the first P99 is known.
    pub front: Option<Front>,
    /// Countdowns.
    pub countdowns: Vec<CountdownInfo>,
}

/// One hop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hop {
    /// Service.
    pub name: String,
    /// Tries of its call.
    pub tries: u64,
    /// Nothing was said of its retries: the tries are those of Dubbo's default.
    pub by_default: bool,
    /// Calls that reach it for one at the front.
    pub reached_by: u64,
    /// Timeout of one try.
    pub timeout_ms: Option<f64>,
    /// Tries times timeout.
    pub worst_ms: Option<f64>,
    /// The next hop's worst case is longer than one try of this one, by this.
    pub outlasted_by_ms: Option<f64>,
}

/// The first caller's need.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Front {
    /// P99 of the first service.
    pub p99_ms: f64,
    /// Round trip.
    pub rtt_ms: f64,
    /// Worst case of the call behind it.
    pub inner_ms: f64,
    /// The sum, and rounded up.
    pub need_ms: f64,
    /// The sum rounded up: it outlasts the worst case.
    pub outlasts_ms: f64,
    /// All P99 with a round trip each: nothing fails.
    pub usual_ms: Option<f64>,
}

/// A countdown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CountdownInfo {
    /// The call that starts it.
    pub from: String,
    /// The call that gets what is left.
    pub to: String,
    /// In the same thread.
    pub same_thread_ms: f64,
    /// In another thread.
    pub other_thread_ms: Option<f64>,
    /// How long it may then outlive the caller.
    pub outlives_by_ms: Option<f64>,
}

/// What a timeout text says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Observed {
    /// The message (`WAIT`, `SEND`, ..).
    pub message: String,
    /// `waiting`, `not-written`, `written-late`, `refused`, `hidden-retry`, `deadline-used-up`, `other-library`.
    pub phase: &'static str,
    /// How often.
    pub count: u64,
    /// Time limit of the call.
    pub timeout_ms: Option<u64>,
    /// Before it was written.
    pub client_elapsed_ms: Option<u64>,
    /// From then on.
    pub server_elapsed_ms: Option<u64>,
    /// Altogether, where the text has one field.
    pub elapsed_ms: Option<u64>,
    /// Calls made.
    pub tries: Option<u64>,
    /// The provider.
    pub address: Option<String>,
    /// `other-library`: whose socket it was, as far as the stack trace tells.
    pub library: Option<String>,
    /// The line.
    pub line: u64,
}

/// What to set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// One try.
    pub timeout_ms: u64,
    /// Retries.
    pub retries: Option<i32>,
    /// `tight` or `comfortable`.
    pub pick: &'static str,
    /// The P99 behind it is weak (DG7010).
    pub weak: bool,
    /// The method that writes and makes it `retries=0` for the whole reference.
    pub because_of: Option<String>,
    /// All tries as advised take longer than the caller waits: what of the budget fits, `null` inside when nothing does.
    pub over_upstream: Option<Over>,
    /// Name of the configurator rule.
    pub rule: String,
    /// Four notations.
    pub notations: Vec<Notation>,
}

/// An advice that takes longer than the caller waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Over {
    /// One try that fits, of the budget's own values; `null` when none does.
    pub timeout_ms: Option<u64>,
    /// With that many retries.
    pub retries: Option<i32>,
}

/// One notation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Notation {
    /// `configurator`, `annotation`, `xml`, `properties`.
    pub name: &'static str,
    /// To paste.
    pub text: String,
}
