//! From a diagnosis to the words of the public model, in one language.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::model::{
    Answer, AssumedInfo, CandidateInfo, ConsumerInfo, Contributor, DropInfo, EvidenceInfo,
    FindingInfo, NotSeenInfo, QuestionInfo, RemedyInfo, Report, SCHEMA_VERSION, ServiceInfo,
    SourceInfo, StageInfo, Subject, Tool, VerdictInfo, WorldInfo, ZoneInfo, ZonesInfo,
};
use super::{
    Filter, models,
    words::{Lang, Say, filled},
};
use crate::{
    diagnose::{
        Assumption, Candidate, Certainty, Diagnosis, Finding, Outcome, Remedy, Verdict,
        WorldResult, Zoned,
        code::{Code, Severity},
        source_of,
    },
    exit::{Ending, exit_of},
    model::zone::Zones,
    question::{ConsumerState, Question, RegistryAddress},
    snapshot::{Ended, Manifest, Snapshot, Source, SourceId},
    view::stage::{Dropped, Evidence, Model, NotSeen, Stage},
};

/// Most drops listed for one stage; `dropped_total` has the true number.
pub const MOST_DROPPED: usize = 200;

/// One question with its answer.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The question.
    pub question: Question,
    /// The answer.
    pub diagnosis: Diagnosis,
}

/// How a report is made.
#[derive(Debug, Clone)]
pub struct Manner {
    /// The verb.
    pub command: String,
    /// Language of its texts.
    pub lang: Lang,
    /// Findings to hide.
    pub filter: Filter,
    /// From which severity on a finding fails the run.
    pub fail_on: Severity,
    /// Whether Ctrl-C ended the run.
    pub stopped: bool,
}

/// The report of a run. Sources, and whether everything wanted was read, come from the snapshot's manifest, so that a
/// live run and its recording say the same.
pub fn report(asked: &[Asked], snapshot: &Snapshot, manner: &Manner) -> Report {
    let endings: Vec<Ending> = asked
        .iter()
        .map(|one| Ending {
            outcome: Some(one.diagnosis.outcome),
            findings: shown(&one.diagnosis, &manner.filter)
                .map(|finding| finding.severity)
                .collect(),
        })
        .collect();
    let reports = asked
        .iter()
        .map(|one| answer(one, snapshot, manner))
        .collect();
    let zones = asked.first().map(|one| &one.question.zones);
    envelope(reports, &endings, snapshot.manifest(), zones, manner)
}

/// What is around the answers of every verb.
pub(super) fn envelope(
    reports: Vec<Answer>,
    endings: &[Ending],
    manifest: &Manifest,
    zones: Option<&Zones>,
    manner: &Manner,
) -> Report {
    Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
        },
        command: manner.command.clone(),
        exit: exit_of(endings, manner.stopped, manner.fail_on).code(),
        interrupted: manner.stopped || manifest.ended != Ended::Complete,
        reports,
        sources: sources(manifest, zones),
    }
}

fn shown<'a>(diagnosis: &'a Diagnosis, filter: &'a Filter) -> impl Iterator<Item = &'a Finding> {
    let deciding = deciding(diagnosis);
    diagnosis.findings.iter().filter(move |finding| {
        filter.shows(finding) || deciding.is_some_and(|one| std::ptr::eq(one, *finding))
    })
}

/// The finding of the verdict: it has the proof and the next step, so no filter hides it.
fn deciding(diagnosis: &Diagnosis) -> Option<&Finding> {
    let code = diagnosis.verdict.as_ref()?.code;
    let mut findings = diagnosis.findings.iter();
    findings.find(|finding| finding.code == code)
}

fn sources(manifest: &Manifest, zones: Option<&Zones>) -> BTreeMap<String, SourceInfo> {
    manifest
        .sources
        .iter()
        .map(|(id, source)| (id.to_string(), source_info(source, zones)))
        .collect()
}

/// The zones of the members of an address.
fn zones_of(url: &str, zones: &Zones) -> Option<String> {
    let address = RegistryAddress::parse(url).ok()?;
    let mut found: Vec<&str> = address
        .members
        .iter()
        .filter_map(|member| zones.of_host(member.rsplit_once(':')?.0))
        .collect();
    found.sort_unstable();
    found.dedup();
    (!found.is_empty()).then(|| found.join(", "))
}

fn source_info(source: &Source, zones: Option<&Zones>) -> SourceInfo {
    SourceInfo {
        kind: source.kind.to_string(),
        url: source.url.clone(),
        server: source.server.clone(),
        zone: zones.and_then(|zones| zones_of(source.url.as_deref()?, zones)),
        endpoint: source.endpoint.clone(),
        file_as: source.file_as.clone(),
        name: source.name.clone(),
        host: source.host.clone(),
    }
}

fn answer(asked: &Asked, snapshot: &Snapshot, manner: &Manner) -> Answer {
    let diagnosis = &asked.diagnosis;
    let lang = manner.lang;
    Answer {
        question: question_info(&asked.question, snapshot),
        outcome: Some(outcome_word(diagnosis.outcome)),
        verdict: diagnosis
            .verdict
            .as_ref()
            .map(|verdict| verdict_info(verdict, lang)),
        candidates: diagnosis
            .candidates
            .iter()
            .map(|candidate| candidate_info(candidate, lang))
            .collect(),
        stages: diagnosis
            .stages
            .iter()
            .map(|(id, model, stage)| stage_info(id, *model, stage, diagnosis.zones.as_ref(), lang))
            .collect(),
        models: diagnosis
            .models
            .iter()
            .map(|(id, via, models)| models::info(id, via.as_ref(), models, lang))
            .collect(),
        findings: shown(diagnosis, &manner.filter)
            .map(|finding| finding_info(finding, lang))
            .collect(),
        assumed: diagnosis
            .assumed
            .iter()
            .map(|assumption| assumed_info(assumption, lang))
            .chain(
                manner
                    .filter
                    .hidden(&diagnosis.findings, deciding(diagnosis), lang),
            )
            .collect(),
        not_seen: diagnosis
            .not_seen
            .iter()
            .map(|not_seen| not_seen_info(not_seen, lang))
            .collect(),
        zones: diagnosis.zones.as_ref().map(zones_info),
        budget: None,
        replay: None,
        rule: None,
        comparison: None,
    }
}

pub(super) fn question_info(question: &Question, snapshot: &Snapshot) -> QuestionInfo {
    QuestionInfo {
        service: Some(ServiceInfo {
            interface: question.service.interface.clone(),
            group: question.service.group.clone(),
            version: question.service.version.clone(),
        }),
        consumer: ConsumerInfo {
            application: question.consumer.application.clone(),
            ip: question.consumer.ip.clone(),
            dubbo: question.consumer.dubbo.as_ref().map(ToString::to_string),
            state: question.consumer.state.map(|state| match state {
                ConsumerState::Running => "running",
                ConsumerState::Starting => "starting",
            }),
        },
        registries: question
            .registries
            .iter()
            .map(|address| {
                source_of(snapshot, address)
                    .map_or_else(|| address.to_string(), |id| id.to_string())
            })
            .collect(),
    }
}

fn verdict_info(verdict: &Verdict, lang: Lang) -> VerdictInfo {
    VerdictInfo {
        code: verdict.code.to_string(),
        name: verdict.code.name(),
        family: verdict.code.family().to_string(),
        certainty: certainty_word(verdict.certainty),
        message: filled(verdict.code, &verdict.params, lang),
        params: verdict.params.clone(),
        then: verdict.then.iter().map(ToString::to_string).collect(),
        then_not_seen: verdict
            .then_not_seen
            .iter()
            .map(|fact| not_seen_info(fact, lang))
            .collect(),
        contributors: verdict
            .contributors
            .iter()
            .map(|(code, addresses)| Contributor {
                code: code.to_string(),
                addresses: *addresses,
            })
            .collect(),
        worlds: (!verdict.worlds.is_empty())
            .then(|| verdict.worlds.iter().map(world_info).collect()),
    }
}

fn world_info(world: &WorldResult) -> WorldInfo {
    WorldInfo {
        dubbo: world.dubbo.clone(),
        state: world.state,
        outcome: outcome_word(world.outcome),
        code: world.code.map(|code| code.to_string()),
    }
}

pub(super) fn candidate_info(candidate: &Candidate, lang: Lang) -> CandidateInfo {
    CandidateInfo {
        code: candidate.code.to_string(),
        name: candidate.code.name(),
        why: format!(
            "{} · {}",
            filled(candidate.code, &candidate.params, lang),
            candidate.why.text(lang)
        ),
    }
}

fn zones_info(zoned: &Zoned) -> ZonesInfo {
    ZonesInfo {
        consumer: zoned.consumer.clone(),
        rows: zoned
            .rows
            .iter()
            .map(|row| ZoneInfo {
                zone: row.zone.clone(),
                registered: row.registered,
                left: row.left,
                share: f64::from(row.permille) / 1000.0,
            })
            .collect(),
    }
}

fn stage_info(
    registry: &SourceId,
    model: Model,
    stage: &Stage,
    zones: Option<&Zoned>,
    lang: Lang,
) -> StageInfo {
    StageInfo {
        id: stage.id.to_string(),
        registry: registry.to_string(),
        model: models::model_word(model),
        state: models::state_word(stage.state),
        because: stage.because.as_ref().map(|phrase| phrase.text(lang)),
        input: stage.input,
        output: stage.output,
        dropped: stage
            .dropped
            .iter()
            .take(MOST_DROPPED)
            .map(|dropped| drop_info(dropped, zones))
            .collect(),
        dropped_total: stage.dropped.len(),
        dropped_by_code: stage
            .dropped
            .iter()
            .fold(BTreeMap::new(), |mut counts, dropped| {
                *counts.entry(dropped.code.to_string()).or_default() += 1;
                counts
            }),
    }
}

fn drop_info(dropped: &Dropped, zones: Option<&Zoned>) -> DropInfo {
    DropInfo {
        address: dropped.address.clone(),
        zone: zones.and_then(|zones| zones.of.get(&dropped.address).cloned()),
        code: dropped.code.to_string(),
        rule: dropped.rule.clone(),
        position: dropped.position.clone(),
    }
}

pub(super) fn finding_info(finding: &Finding, lang: Lang) -> FindingInfo {
    let (kind, name) = &finding.subject;
    FindingInfo {
        code: finding.code.to_string(),
        name: finding.code.name(),
        severity: finding.severity.to_string(),
        certainty: certainty_word(finding.certainty),
        subject: Subject {
            kind: kind.clone(),
            name: name.clone(),
        },
        message: filled(finding.code, &finding.params, lang),
        params: finding.params.clone(),
        fingerprint: fingerprint(finding.code, kind, name),
        evidence: finding
            .evidence
            .iter()
            .map(|evidence| evidence_info(evidence, lang))
            .collect(),
        remedy: finding
            .remedy
            .iter()
            .map(|remedy| remedy_info(remedy, lang))
            .collect(),
        see: finding.see.clone(),
        mark: None,
    }
}

/// The same for the same code and subject, whatever else changes: 16 hexadecimal digits of a SHA-256.
pub(super) fn fingerprint(code: Code, kind: &str, name: &str) -> String {
    let digest = Sha256::digest(format!("{code}\n{kind}\n{name}"));
    digest
        .iter()
        .take(8)
        .fold(String::with_capacity(16), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

fn evidence_info(evidence: &Evidence, lang: Lang) -> EvidenceInfo {
    EvidenceInfo {
        source: evidence.source.to_string(),
        op: evidence.op.clone(),
        address: evidence.address.clone(),
        position: evidence.position.clone(),
        seen_at: evidence.seen_at.clone(),
        fact: evidence.fact.text(lang),
    }
}

fn remedy_info(remedy: &Remedy, lang: Lang) -> RemedyInfo {
    RemedyInfo {
        text: remedy.text.text(lang),
        argv: remedy.argv.clone(),
        changes: remedy.changes,
        same_facts: matches!(
            remedy.text.say,
            Say::DoAskOffered | Say::DoGiveVersion | Say::DoTryCandidate
        ),
    }
}

pub(super) fn assumed_info(assumption: &Assumption, lang: Lang) -> AssumedInfo {
    AssumedInfo {
        what: assumption.what,
        value: assumption.value.clone(),
        why: assumption.why.text(lang),
        changes_verdict: assumption.changes_verdict,
    }
}

pub(super) fn not_seen_info(not_seen: &NotSeen, lang: Lang) -> NotSeenInfo {
    NotSeenInfo {
        what: not_seen.what.text(lang),
        why: not_seen.why.text(lang),
        how_to_see: not_seen.how_to_see.as_ref().map(|phrase| phrase.text(lang)),
        required: not_seen.required,
    }
}

pub(super) fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Reachable => "reachable",
        Outcome::Partly => "partly",
        Outcome::None => "none",
        Outcome::Unknown => "unknown",
    }
}

pub(super) fn certainty_word(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Possible => "possible",
        Certainty::Likely => "likely",
        Certainty::Certain => "certain",
    }
}
