//! Pure: from stages to verdict, certainty and findings.

mod after;
pub mod budget;
mod cached;
mod choice;
pub mod code;
mod decide;
mod defects;
mod emptied;
pub mod explain;
mod findings;
mod gather;
mod health;
pub mod lint;
pub(crate) mod members;
mod models;
mod observed;
mod outcome;
mod own;
mod place;
mod probed;
mod refused;
mod remarks;
mod remedy;
mod require;
pub mod spoken;
mod text;
mod worlds;
mod zones;

pub(crate) use crate::view::sources::source_of;
pub(crate) use decide::Standing;
pub(crate) use gather::providers;
pub use models::{Models, Side};
pub(crate) use models::{interface_view, used};
pub(crate) use place::is_unstated;
pub(crate) use worlds::LONGEST_OF_LINES;
pub use zones::{ZoneRow, Zoned};

use serde_json::{Map, Value};

use crate::{
    question::Question,
    report::words::Phrase,
    snapshot::{Snapshot, SourceId, Want},
    view::{
        missing::Missing,
        own::{self as own_processes, Own, Told},
        stage::{Evidence, Model, NotSeen, Stage},
    },
};
use code::{Code, Severity};

/// Answers one question from the facts of a snapshot. Pure: the same question over the same snapshot gives the same answer.
pub fn diagnose(question: &Question, snapshot: &Snapshot) -> Diagnosis {
    let mut diagnosis = decide::decide(question, snapshot);
    require::apply(question, &mut diagnosis);
    diagnosis
}

/// Makes the facts that the question demands required in an answer that does not come from [`diagnose`].
pub(crate) fn demand_facts(question: &Question, diagnosis: &mut Diagnosis) {
    require::apply(question, diagnosis);
}

/// The facts that [`budget::diagnose_budget`] looks for and nobody has asked yet.
pub(crate) fn wanted_budget(question: &Question, snapshot: &Snapshot) -> Vec<Want> {
    budget::wanted_budget(question, snapshot)
}

/// The facts that [`diagnose`] looks for and nobody has asked yet: to be fetched, and asked for again, until it is empty.
pub(crate) fn wanted(question: &Question, snapshot: &Snapshot) -> Vec<Want> {
    decide::wanted(question, snapshot)
}

/// What the consumer's QOS port says of the consumer itself.
pub(crate) fn told_by_port(question: &Question, snapshot: &Snapshot) -> Option<Told> {
    let own = Own {
        processes: own_processes::processes(question, snapshot, &Missing::default()),
    };
    own.told(question)
}

/// The question as what was observed completes it, and what each registry of the consumer holds.
pub(crate) fn seen(question: &Question, snapshot: &Snapshot) -> (Question, Vec<Standing>) {
    decide::seen(question, snapshot)
}

/// What the question ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Every class of requests keeps at least one address, as far as the registry tells.
    Reachable,
    /// Some classes lose all, or the consumer's zone does while others keep some.
    Partly,
    /// All lose all.
    None,
    /// It depends on a required fact that was not seen.
    Unknown,
}

/// How sure a verdict is. `possible` is never a verdict, only a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// Could be.
    Possible,
    /// One assumption, the same result either way.
    Likely,
    /// Every stage was seen.
    Certain,
}

/// The answer to one question, language-free.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// Outcome.
    pub outcome: Outcome,
    /// The cause; `None` for `Reachable` and `Unknown`, and where only the consumer's zone is lost.
    pub verdict: Option<Verdict>,
    /// Causes that could not be decided.
    pub candidates: Vec<Candidate>,
    /// The stages of the assumed world, per registry and model, in causal order.
    pub stages: Vec<(SourceId, Model, Stage)>,
    /// Findings, the verdict's first, then by severity and code.
    pub findings: Vec<Finding>,
    /// What was assumed and whether it matters.
    pub assumed: Vec<Assumption>,
    /// Both models of discovery side by side: per registry and, where its members were asked apart, member.
    pub models: Vec<(SourceId, Option<String>, Models)>,
    /// What was wanted and not seen.
    pub not_seen: Vec<NotSeen>,
    /// The providers by zone, when somebody named zones.
    pub zones: Option<Zoned>,
}

/// The cause.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Code of the first stage that leaves nothing.
    pub code: Code,
    /// Certain or likely.
    pub certainty: Certainty,
    /// Parameters of the code's sentence.
    pub params: Map<String, Value>,
    /// Codes that would still be in the way once this is repaired.
    pub then: Vec<Code>,
    /// What nobody saw of the repaired world: whether more is in the way there is not known.
    pub then_not_seen: Vec<NotSeen>,
    /// Earlier partial drops: code and number of addresses.
    pub contributors: Vec<(Code, usize)>,
    /// Set when the worlds differ in code: (what is assumed, outcome, code).
    pub worlds: Vec<WorldResult>,
}

/// What another world would give.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldResult {
    /// Dubbo version text.
    pub dubbo: String,
    /// `running` or `starting`.
    pub state: &'static str,
    /// Outcome there.
    pub outcome: Outcome,
    /// Code there.
    pub code: Option<Code>,
}

/// A possible cause.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Code.
    pub code: Code,
    /// Parameters of the code's sentence.
    pub params: Map<String, Value>,
    /// Why it is only possible.
    pub why: Phrase,
}

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Code.
    pub code: Code,
    /// Severity, after lowering.
    pub severity: Severity,
    /// Certainty.
    pub certainty: Certainty,
    /// Kind and name of what it is about.
    pub subject: (String, String),
    /// Parameters of the code's sentence.
    pub params: Map<String, Value>,
    /// Proof.
    pub evidence: Vec<Evidence>,
    /// What to do.
    pub remedy: Vec<Remedy>,
    /// Dubbo's own codes (`2-2`).
    pub see: Vec<String>,
}

/// A step to take.
#[derive(Debug, Clone, PartialEq)]
pub struct Remedy {
    /// What and why.
    pub text: Phrase,
    /// The command to copy; empty when there is none.
    pub argv: Vec<String>,
    /// Whether the step changes something.
    pub changes: bool,
}

/// Something taken for granted.
#[derive(Debug, Clone, PartialEq)]
pub struct Assumption {
    /// `dubbo`, `consumer`.
    pub what: &'static str,
    /// Assumed value.
    pub value: String,
    /// Why.
    pub why: Phrase,
    /// Whether another value would change the verdict.
    pub changes_verdict: bool,
}
