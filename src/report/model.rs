//! The public model of a report: JSON schema version 1 (`schema/report-1.json`).
//!
//! Every key is always there, `null` or empty where there is nothing to say. Texts stand in one language; codes,
//! names and parameters do not depend on it. Nothing here knows colour or width.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::replay::ReplayInfo;

/// Number of the schema; it grows when a key changes its meaning or goes away, not when one is added.
pub const SCHEMA_VERSION: u32 = 1;

/// What one run of a verb says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who wrote it.
    pub tool: Tool,
    /// The verb.
    pub command: String,
    /// The exit code of the run.
    pub exit: u8,
    /// Whether Ctrl-C or the deadline ended it early.
    pub interrupted: bool,
    /// One answer per question, in the order in which they were asked.
    pub reports: Vec<Answer>,
    /// Who said what the answers rest on, by id.
    pub sources: BTreeMap<String, SourceInfo>,
}

/// The program.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tool {
    /// `diag`.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// What was asked.
    pub question: QuestionInfo,
    /// `reachable`, `partly`, `none`, `unknown`; `null` for verbs without providers.
    pub outcome: Option<&'static str>,
    /// The cause, when there is one.
    pub verdict: Option<VerdictInfo>,
    /// Causes that could not be decided.
    pub candidates: Vec<CandidateInfo>,
    /// The stages in causal order.
    pub stages: Vec<StageInfo>,
    /// Both models of discovery side by side, per registry (`no-provider`).
    pub models: Vec<ModelsInfo>,
    /// Findings, the verdict's first.
    pub findings: Vec<FindingInfo>,
    /// What was taken for granted.
    pub assumed: Vec<AssumedInfo>,
    /// What was wanted and not seen.
    pub not_seen: Vec<NotSeenInfo>,
    /// Providers by zone, when somebody named zones.
    pub zones: Option<ZonesInfo>,
    /// Timeout budget (`timeout-budget`).
    pub budget: Option<Box<crate::diagnose::budget::model::Budget>>,
    /// Replay of requests (`route-replay`).
    pub replay: Option<ReplayInfo>,
    /// The rule text that was looked at (`lint`).
    pub rule: Option<RuleInfo>,
    /// The same question asked of another place (`--compare`).
    pub comparison: Option<ComparisonInfo>,
}

/// What another place answers to the same question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonInfo {
    /// The profile or recording.
    pub with: String,
    /// Outcome there.
    pub outcome: Option<&'static str>,
    /// Code of the verdict there.
    pub code: Option<String>,
    /// What differs, in the order of the report; empty = the same answer.
    pub differences: Vec<PlaceDifference>,
}

/// One difference between two places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlaceDifference {
    /// `outcome`, `verdict`, a stage, a finding.
    pub what: String,
    /// Here; `null` = not there at all.
    pub here: Option<String>,
    /// In the other place.
    pub there: Option<String>,
}

/// A rule text (`lint`).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleInfo {
    /// The file, `-` for standard input.
    pub file: String,
    /// The key under which it is kept.
    pub key: Option<String>,
    /// `condition`, `tag`, `script`, `mesh`, `affinity`, `configurator`, `migration`, `urls`.
    pub kind: &'static str,
    /// What each version makes of it.
    pub versions: Vec<ReadingInfo>,
    /// Providers that addresses were compared with; `null` when none are known.
    pub providers: Option<usize>,
    /// How many findings there are beyond those that are listed.
    pub more: usize,
}

/// What one version makes of a rule text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReadingInfo {
    /// The Dubbo version.
    pub dubbo: String,
    /// Whether it refuses the text.
    pub refused: bool,
    /// The rule as it understands it, in a few plain lines.
    pub reading: Vec<String>,
}

/// A place in a text that is looked at (`lint`).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MarkInfo {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in characters.
    pub column: u32,
    /// How many characters are meant.
    pub width: usize,
    /// The line, or the part of a long line around the place.
    pub source: String,
    /// The column at which `source` begins.
    pub source_column: u32,
    /// The versions that this holds for.
    pub dubbo: Vec<String>,
    /// Whether it holds for every version that was asked about.
    pub everywhere: bool,
}

/// What was asked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QuestionInfo {
    /// The service; `null` where the verb needs none.
    pub service: Option<ServiceInfo>,
    /// The consumer.
    pub consumer: ConsumerInfo,
    /// Ids of the consumer's registries in `sources`; the address of one that is not there.
    pub registries: Vec<String>,
}

/// A service.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServiceInfo {
    /// Full name of the interface.
    pub interface: String,
    /// Dubbo group.
    pub group: Option<String>,
    /// Version.
    pub version: Option<String>,
}

/// What is known of the consumer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConsumerInfo {
    /// Application name.
    pub application: Option<String>,
    /// Its address.
    pub ip: Option<String>,
    /// Its Dubbo version.
    pub dubbo: Option<String>,
    /// `running` or `starting`.
    pub state: Option<&'static str>,
}

/// The cause.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerdictInfo {
    /// Code.
    pub code: String,
    /// Its name.
    pub name: &'static str,
    /// Kind of cause.
    pub family: String,
    /// `certain` or `likely`.
    pub certainty: &'static str,
    /// One sentence.
    pub message: String,
    /// What is filled into it.
    pub params: Map<String, Value>,
    /// Codes that would still be in the way.
    pub then: Vec<String>,
    /// What nobody saw of the repaired world: whether more is in the way there is not known.
    pub then_not_seen: Vec<NotSeenInfo>,
    /// Earlier partial drops.
    pub contributors: Vec<Contributor>,
    /// What other assumptions about the consumer give, when it differs.
    pub worlds: Option<Vec<WorldInfo>>,
}

/// An earlier partial drop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contributor {
    /// Code.
    pub code: String,
    /// How many addresses.
    pub addresses: usize,
}

/// The result under another assumption about the consumer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorldInfo {
    /// Dubbo version.
    pub dubbo: String,
    /// `running` or `starting`.
    pub state: &'static str,
    /// Outcome there.
    pub outcome: &'static str,
    /// Code there.
    pub code: Option<String>,
}

/// A possible cause.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CandidateInfo {
    /// Code.
    pub code: String,
    /// Its name.
    pub name: &'static str,
    /// Why it is only possible.
    pub why: String,
}

/// One stage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageInfo {
    /// `Q`, `R`, `P`, .., `X.<router>`.
    pub id: String,
    /// Source id of the registry.
    pub registry: String,
    /// `interface` or `application`.
    pub model: &'static str,
    /// `ok`, `failed`, `skipped`, `unknown`.
    pub state: &'static str,
    /// Why it is skipped or unknown, or a remark.
    pub because: Option<String>,
    /// Addresses in.
    #[serde(rename = "in")]
    pub input: Option<usize>,
    /// Addresses out.
    #[serde(rename = "out")]
    pub output: Option<usize>,
    /// Drops, at most 200 of them.
    pub dropped: Vec<DropInfo>,
    /// How many were dropped.
    pub dropped_total: usize,
    /// The same by code.
    pub dropped_by_code: BTreeMap<String, usize>,
}

/// Both models of discovery of one registry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelsInfo {
    /// Source id of the registry.
    pub registry: String,
    /// The member that said so, where members were asked apart.
    pub via: Option<String>,
    /// Which one the consumer uses: `interface`, `application`; `null` when that depends on what was not seen.
    pub uses: Option<&'static str>,
    /// The step of the migration (`APPLICATION_FIRST`); `null` when it could be more than one.
    pub step: Option<&'static str>,
    /// `version`, `default`, `setting`, `registry`, `rule`, `file`, `consumer`.
    pub step_from: &'static str,
    /// The step and why it leads there, in words.
    pub why: String,
    /// Entries under the interface.
    pub interface: ModelInfo,
    /// Instances of applications; for a consumer that does not know them, as the newest line sees them.
    pub application: ModelInfo,
}

/// One model of discovery.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelInfo {
    /// How many are registered; `null` = not seen.
    pub registered: Option<usize>,
    /// How many have the key.
    pub matching: Option<usize>,
    /// How many addresses are left in the end.
    pub left: Option<usize>,
    /// `ok`, `failed`, `unknown`.
    pub state: &'static str,
    /// The stage that leaves nothing or was not seen.
    pub stage: Option<String>,
    /// Its code.
    pub code: Option<String>,
}

/// Providers by zone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ZonesInfo {
    /// The consumer's zone.
    pub consumer: Option<String>,
    /// The zones.
    pub rows: Vec<ZoneInfo>,
}

/// One zone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ZoneInfo {
    /// Its name; `null` for addresses of which no zone is known.
    pub zone: Option<String>,
    /// Providers registered there.
    pub registered: usize,
    /// Those left for the consumer.
    pub left: usize,
    /// Share of the calls that goes there, 0 to 1.
    pub share: f64,
}

/// One dropped address.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DropInfo {
    /// `host:port`.
    pub address: String,
    /// Its zone.
    pub zone: Option<String>,
    /// Why.
    pub code: String,
    /// Key of the rule that did it.
    pub rule: Option<String>,
    /// `line:column` in the rule.
    pub position: Option<String>,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindingInfo {
    /// Code.
    pub code: String,
    /// Its name.
    pub name: &'static str,
    /// `info`, `warning`, `error`, after lowering.
    pub severity: String,
    /// `certain`, `likely`, `possible`.
    pub certainty: &'static str,
    /// What it is about.
    pub subject: Subject,
    /// One sentence.
    pub message: String,
    /// What is filled into it.
    pub params: Map<String, Value>,
    /// The same for the same code and subject, in every run and version.
    pub fingerprint: String,
    /// Proof.
    pub evidence: Vec<EvidenceInfo>,
    /// What to do.
    pub remedy: Vec<RemedyInfo>,
    /// Dubbo's own codes.
    pub see: Vec<String>,
    /// Where in a text (`lint`).
    pub mark: Option<MarkInfo>,
}

/// What a finding is about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Subject {
    /// `service`, `address`, `rule`, `registry`, ..
    pub kind: String,
    /// Its name.
    pub name: String,
}

/// A fact with where and when it was seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvidenceInfo {
    /// Id in `sources`.
    pub source: String,
    /// Operation.
    pub op: String,
    /// Key fields of the answer.
    pub address: Map<String, Value>,
    /// `line:column`.
    pub position: Option<String>,
    /// When.
    pub seen_at: Option<String>,
    /// What it says.
    pub fact: String,
}

/// A step to take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RemedyInfo {
    /// What and why.
    pub text: String,
    /// Command to copy; empty when there is none.
    pub argv: Vec<String>,
    /// Whether it changes something.
    pub changes: bool,
    /// Whether it asks the same facts again, so that it can be run on the same recording. Not part of the schema.
    #[serde(skip)]
    pub same_facts: bool,
}

/// Something taken for granted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AssumedInfo {
    /// `dubbo`, `consumer`; `accepted` for a finding that the settings accept.
    pub what: &'static str,
    /// Value.
    pub value: String,
    /// Why.
    pub why: String,
    /// Whether another value would change the verdict.
    pub changes_verdict: bool,
}

/// A fact that was wanted and not seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotSeenInfo {
    /// Which.
    pub what: String,
    /// Why not.
    pub why: String,
    /// What would show it.
    pub how_to_see: Option<String>,
    /// Whether `reachable` needs it.
    pub required: bool,
}

/// Who said something.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceInfo {
    /// `zookeeper`, `nacos`, `qos`, `file`, ..
    pub kind: String,
    /// Address in Dubbo's syntax, secrets masked.
    pub url: Option<String>,
    /// Version of the server.
    pub server: Option<String>,
    /// Zones of its members.
    pub zone: Option<String>,
    /// `host:port` of a QOS port.
    pub endpoint: Option<String>,
    /// What a file is.
    #[serde(rename = "as")]
    pub file_as: Option<String>,
    /// Name of a file.
    pub name: Option<String>,
    /// Whose file it is.
    pub host: Option<String>,
}
