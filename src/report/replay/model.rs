//! The public fields of what became of the calls, and of what would change.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// What became of the calls.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplayInfo {
    /// Calls in all.
    pub requests: u64,
    /// Kinds of calls that the rules tell apart by their results.
    pub distinct: usize,
    /// Calls of which an argument decides whose text is not known.
    pub unclear: u64,
    /// Addresses that the routers are asked about.
    pub addresses: usize,
    /// What the log had besides these calls.
    pub input: Option<InputInfo>,
    /// Calls that end the same way, those with most calls first; at most 64 of them.
    pub classes: Vec<ClassInfo>,
    /// How many there are.
    pub classes_total: usize,
    /// What the rules cover.
    pub coverage: CoverageInfo,
    /// Drills, in the order asked.
    pub drill: Option<Vec<DrillInfo>>,
    /// The comparison with a candidate.
    pub candidate: Option<CandidateChange>,
    /// The comparison of versions.
    pub matrix: Option<MatrixInfo>,
}

/// What an access log had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InputInfo {
    /// Lines.
    pub lines: u64,
    /// Calls.
    pub calls: u64,
    /// Calls of other services.
    pub other_services: u64,
    /// Lines that are no calls.
    pub unread: u64,
    /// The first of them.
    pub first_unread_line: Option<u64>,
}

/// Calls that end the same way.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassInfo {
    /// How many.
    pub requests: u64,
    /// One of them.
    pub example: Value,
    /// Every address that may be left, at most 200.
    pub survivors: Vec<String>,
    /// How many there are.
    pub survivors_total: usize,
    /// `null` when exactly these are left; else the sets that may be drawn, with their probabilities.
    pub probability: Option<Vec<Draw>>,
    /// Whether only bounds are known: anything from nothing to the survivors.
    pub bounded: bool,
    /// Whether nothing is left in any case.
    pub lost: bool,
    /// How likely it is that nothing is left, from 0 to 1: between them where something is drawn.
    pub lost_share: f64,
    /// Why nothing is left.
    pub cause: Option<CauseInfo>,
    /// Router by router.
    pub stages: Vec<FallInfo>,
    /// Where something is drawn: each way on its own, those that leave nothing first; at most 16.
    pub ways: Vec<WayInfo>,
}

/// One of several ways that a call may take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WayInfo {
    /// How likely, from 0 to 1.
    pub probability: f64,
    /// Every address that may be left, at most 200.
    pub survivors: Vec<String>,
    /// How many there are.
    pub survivors_total: usize,
    /// Whether only bounds are known.
    pub bounded: bool,
    /// Why nothing is left.
    pub cause: Option<CauseInfo>,
    /// Router by router.
    pub stages: Vec<FallInfo>,
}

/// One set that may be drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Draw {
    /// The addresses.
    pub survivors: Vec<String>,
    /// How likely, from 0 to 1.
    pub probability: f64,
}

/// What leaves nothing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CauseInfo {
    /// Code.
    pub code: String,
    /// Stage.
    pub stage: String,
    /// Key of the rule.
    pub rule: Option<String>,
    /// `line:column` in it.
    pub position: Option<String>,
    /// The condition, tag or exception.
    pub condition: String,
}

/// One router on a call's way.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FallInfo {
    /// Id of the stage.
    pub id: String,
    /// Dubbo's class, or the name of a router of the user's own.
    pub router: String,
    /// Addresses in.
    #[serde(rename = "in")]
    pub input: usize,
    /// Addresses out.
    #[serde(rename = "out")]
    pub output: usize,
    /// Whether only bounds are known.
    pub bounded: bool,
    /// Addresses that were taken away, at most 200.
    pub dropped: Vec<TakenInfo>,
    /// How many.
    pub dropped_total: usize,
    /// The exception it ends in.
    pub thrown: Option<String>,
    /// Where the real code does what nobody would expect.
    pub oddities: Vec<OddityInfo>,
}

/// Something odd in the real code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OddityInfo {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub text: String,
}

/// One address that was taken away.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TakenInfo {
    /// `host:port`.
    pub address: String,
    /// Code.
    pub code: String,
    /// Key of the rule.
    pub rule: Option<String>,
    /// `line:column` in it.
    pub position: Option<String>,
    /// The condition or tag.
    pub condition: String,
    /// The clause that the address does not fit.
    pub clause: Option<String>,
    /// What it has there.
    pub value: Option<String>,
}

/// What the rules cover.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CoverageInfo {
    /// Conditions and tags that fitted no call.
    pub never_matched: Vec<PartInfo>,
    /// Conditions that no call came to: nothing was left before them.
    pub never_asked: Vec<PartInfo>,
    /// Conditions to which others leave nothing to do.
    pub shadowed: Vec<PartInfo>,
    /// Addresses that no call can reach, at most 200.
    pub unreachable: Vec<String>,
    /// How many.
    pub unreachable_total: usize,
}

/// A condition or tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PartInfo {
    /// Key of the rule.
    pub rule: String,
    /// `line:column` in it.
    pub position: Option<String>,
    /// As written.
    pub text: String,
}

/// What is left without something.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DrillInfo {
    /// What is gone.
    pub without: String,
    /// Addresses before.
    pub addresses_before: usize,
    /// Addresses that remain.
    pub addresses_after: usize,
    /// Calls that lose everything by it, at least sometimes.
    pub lost: u64,
    /// The part of all calls that loses everything by it, from 0 to 1.
    pub lost_share: f64,
    /// Calls of which only bounds are known then.
    pub bounded: u64,
    /// What leaves nothing although addresses remain.
    pub no_fallback: Vec<NoFallback>,
    /// Calls that lose everything, one example for each kind.
    pub lost_requests: Vec<LostRequest>,
}

/// A rule or router without a way out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoFallback {
    /// What leaves nothing.
    #[serde(flatten)]
    pub cause: CauseInfo,
    /// Calls that it leaves with nothing.
    pub requests: u64,
    /// Addresses that remain.
    pub remaining: usize,
}

/// Calls that lose everything.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LostRequest {
    /// How many.
    pub requests: u64,
    /// One of them.
    pub example: Value,
}

/// Before and after a candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CandidateChange {
    /// Which consumer: one that starts with it, or one that was running before it came.
    pub state: &'static str,
    /// Keys of its rules.
    pub rules: Vec<String>,
    /// Calls that lose everything by it, or more often than before.
    pub newly_lost: u64,
    /// The part of all calls that loses everything by it, from 0 to 1.
    pub newly_lost_share: f64,
    /// Calls that get an address by it, or more often than before.
    pub newly_served: u64,
    /// Calls that have nothing with it at least sometimes, whatever was before.
    pub lost: u64,
    /// The part of all calls that has nothing with it, from 0 to 1.
    pub lost_share: f64,
    /// Calls whose set of addresses changes.
    pub changed: u64,
    /// Calls of which only bounds are known; they count in no share.
    pub bounded: u64,
    /// The largest share of all calls that one address gains or loses, from 0 to 1.
    pub largest_shift: f64,
    /// The share that was allowed.
    pub max_shift: Option<f64>,
    /// Share of all calls by address, where it changes.
    pub shares: Vec<ShareInfo>,
    /// Calls that change, one entry for each kind.
    pub changes: Vec<ChangeInfo>,
    /// How many kinds change.
    pub changes_total: usize,
    /// The same for the other consumer, when nobody says which it is and it ends otherwise: a running one keeps what was
    /// there before a text that cannot be read.
    pub other: Option<Box<CandidateChange>>,
}

impl CandidateChange {
    /// Whether calls lose everything with it, or more of them move than is allowed; for either kind of consumer.
    pub fn fails(&self) -> bool {
        self.lost > 0 || self.shifts() || self.other.as_deref().is_some_and(Self::fails)
    }

    /// Whether more calls move than is allowed.
    pub fn shifts(&self) -> bool {
        self.max_shift
            .is_some_and(|most| self.largest_shift > most + 1e-9)
    }
}

/// The share of an address.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShareInfo {
    /// `host:port`.
    pub address: String,
    /// Before, from 0 to 1.
    pub before: f64,
    /// After.
    pub after: f64,
}

/// Calls of one kind that change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangeInfo {
    /// How many.
    pub requests: u64,
    /// One of them.
    pub example: Value,
    /// What is left before.
    pub before: Vec<String>,
    /// What is left after.
    pub after: Vec<String>,
    /// How likely it was that nothing is left, from 0 to 1.
    pub lost_before: f64,
    /// How likely it is afterwards.
    pub lost_after: f64,
}

/// Versions compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatrixInfo {
    /// In the order asked.
    pub versions: Vec<VersionInfo>,
    /// Calls that do not end the same way everywhere.
    pub differences: Vec<DifferenceInfo>,
    /// How many kinds differ.
    pub differences_total: usize,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VersionInfo {
    /// The version.
    pub dubbo: String,
    /// Calls that lose everything, at least sometimes.
    pub lost: u64,
    /// The part of all calls that loses everything, from 0 to 1.
    pub lost_share: f64,
    /// Calls of which only bounds are known.
    pub bounded: u64,
    /// Addresses before the routers.
    pub addresses: usize,
}

/// Calls of one kind that differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DifferenceInfo {
    /// How many.
    pub requests: u64,
    /// One of them.
    pub example: Value,
    /// What is left, by version.
    pub survivors: BTreeMap<String, Vec<String>>,
    /// How likely it is that nothing is left, by version, from 0 to 1.
    pub lost_share: BTreeMap<String, f64>,
}
