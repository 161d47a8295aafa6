//! From the remarks on a rule text, for one version or several, to the public model.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::build::{envelope, finding_info, fingerprint, not_seen_info, outcome_word};
use super::model::{
    Answer, AssumedInfo, ConsumerInfo, EvidenceInfo, FindingInfo, MarkInfo, QuestionInfo,
    ReadingInfo, RemedyInfo, Report, RuleInfo, ServiceInfo, Subject,
};
use super::{
    Manner,
    filter::accepted,
    words::{Phrase, Say, filled},
};
use crate::{
    diagnose::{
        Finding, Outcome,
        code::{Code, Severity},
        lint::{Linted, Remark, RuleKind, RuleText, reading, shown},
    },
    exit::Ending,
    model::version::DubboVersion,
    snapshot::{Manifest, Masker, SourceId},
    view::stage::NotSeen,
};

/// A rule text with what was found in it.
#[derive(Debug, Clone)]
pub struct LintAsked<'a> {
    /// The file as it was named, `-` for standard input.
    pub file: String,
    /// Its source in the manifest.
    pub source: SourceId,
    /// The text.
    pub rule: RuleText<'a>,
    /// What was found, by version, in the order asked for.
    pub runs: Vec<(DubboVersion, Linted)>,
    /// The version was not given: it is an assumption, and this says whether another one would find something else.
    pub assumed: Option<bool>,
    /// Providers that addresses were compared with.
    pub providers: Option<usize>,
    /// What would have told more; required where a registry that was asked did not tell it.
    pub not_seen: Vec<NotSeen>,
    /// Registries that were asked and did not answer.
    pub registries: Vec<Finding>,
}

/// The report of a run of `lint`.
pub fn report(
    asked: &[LintAsked<'_>],
    manifest: &Manifest,
    masker: &Masker,
    manner: &Manner,
) -> Report {
    let (reports, endings): (Vec<Answer>, Vec<Ending>) =
        asked.iter().map(|one| answer(one, masker, manner)).unzip();
    envelope(reports, &endings, manifest, None, manner)
}

/// Remarks that several versions share are one finding.
struct Merged<'a> {
    remark: &'a Remark,
    versions: Vec<String>,
}

fn merged<'a>(runs: &'a [(DubboVersion, Linted)]) -> Vec<Merged<'a>> {
    type Place<'a> = (
        (u32, u32),
        Code,
        (u32, u32),
        Option<&'a Phrase>,
        Option<&'a Phrase>,
    );
    let mut all: BTreeMap<Place<'a>, Merged<'a>> = BTreeMap::new();
    for (version, linted) in runs {
        for remark in &linted.remarks {
            let (start, end) = (remark.at.start, remark.at.end);
            let place = (
                (start.line, start.column),
                remark.code,
                (end.line, end.column),
                remark.reads.as_ref(),
                remark.meant.as_ref(),
            );
            all.entry(place)
                .or_insert_with(|| Merged {
                    remark,
                    versions: Vec::new(),
                })
                .versions
                .push(version.as_str().to_owned());
        }
    }
    all.into_values().collect()
}

fn answer(asked: &LintAsked<'_>, masker: &Masker, manner: &Manner) -> (Answer, Ending) {
    let about = asked.rule.key.unwrap_or(&asked.file);
    let (put_away, mut merged): (Vec<_>, Vec<_>) = merged(&asked.runs)
        .into_iter()
        .partition(|one| manner.filter.accepts(one.remark.code, "rule", about));
    merged.retain(|one| manner.filter.shows_code(one.remark.code, about));
    let registries: Vec<&Finding> = asked
        .registries
        .iter()
        .filter(|finding| manner.filter.shows(finding))
        .collect();
    // An error in the text stands whatever the registry holds; a text without one may have it there.
    let has_error = merged
        .iter()
        .any(|one| one.remark.code.severity() == Severity::Error);
    let is_open = asked.not_seen.iter().any(|missing| missing.required) && !has_error;
    let outcome = is_open.then_some(Outcome::Unknown);
    let ending = Ending {
        outcome,
        findings: merged
            .iter()
            .map(|one| one.remark.code.severity())
            .chain(registries.iter().map(|finding| finding.severity))
            .collect(),
    };
    let all = asked.runs.len();
    let findings = merged
        .iter()
        .map(|one| finding(asked, one, about, all, masker, manner))
        .chain(registries.iter().map(|one| finding_info(one, manner.lang)))
        .collect();
    let assumed = asked
        .assumed
        .iter()
        .zip(&asked.runs)
        .map(|(differs, (version, _))| AssumedInfo {
            what: "dubbo",
            value: version.to_string(),
            why: Phrase::from(Say::AssumedNewest).text(manner.lang),
            changes_verdict: *differs,
        });
    let answer = Answer {
        question: question(asked),
        outcome: outcome.map(outcome_word),
        verdict: None,
        candidates: Vec::new(),
        stages: Vec::new(),
        findings,
        assumed: assumed
            .chain(
                put_away
                    .iter()
                    .map(|one| accepted(one.remark.code, about, manner.lang)),
            )
            .chain(manner.filter.hidden(&asked.registries, None, manner.lang))
            .collect(),
        not_seen: asked
            .not_seen
            .iter()
            .map(|not_seen| not_seen_info(not_seen, manner.lang))
            .collect(),
        budget: None,
        replay: None,
        models: Vec::new(),
        zones: None,
        comparison: None,
        rule: Some(RuleInfo {
            file: asked.file.clone(),
            key: asked.rule.key.map(str::to_owned),
            kind: asked.rule.kind.as_str(),
            versions: asked
                .runs
                .iter()
                .map(|(version, linted)| ReadingInfo {
                    dubbo: version.as_str().to_owned(),
                    refused: linted.refused,
                    reading: reading(asked.rule, version)
                        .iter()
                        .map(|line| hidden(line, masker))
                        .collect(),
                })
                .collect(),
            providers: asked.providers,
            more: asked
                .runs
                .iter()
                .map(|(_, linted)| linted.more)
                .max()
                .unwrap_or_default(),
        }),
    };
    (answer, ending)
}

fn question(asked: &LintAsked<'_>) -> QuestionInfo {
    QuestionInfo {
        service: asked.rule.service().map(|service| ServiceInfo {
            interface: service.interface,
            group: service.group,
            version: service.version,
        }),
        consumer: ConsumerInfo {
            application: None,
            ip: None,
            dubbo: match asked.runs.as_slice() {
                [(version, _)] => Some(version.to_string()),
                _ => None,
            },
            state: None,
        },
        registries: Vec::new(),
    }
}

fn finding(
    asked: &LintAsked<'_>,
    one: &Merged<'_>,
    about: &str,
    all: usize,
    masker: &Masker,
    manner: &Manner,
) -> FindingInfo {
    let (remark, lang) = (one.remark, manner.lang);
    let mut params = masked(&remark.params, masker);
    params.insert("rule".to_owned(), json!(about));
    params.insert("line".to_owned(), json!(remark.at.start.line));
    params.insert("column".to_owned(), json!(remark.at.start.column));
    if remark.code == Code::LintNotAList && !params.contains_key("field") {
        params.insert("field".to_owned(), json!(asked.rule.kind.as_str()));
    }
    let everywhere = one.versions.len() == all;
    let mark = mark(remark, one, everywhere, masker);
    let fact = remark
        .reads
        .as_ref()
        .map_or_else(|| mark.source.trim().to_owned(), |reads| reads.text(lang));
    let evidence = |line: u32, column: u32| EvidenceInfo {
        source: asked.source.to_string(),
        op: "rule.text".to_owned(),
        address: Map::new(),
        position: Some(format!("{line}:{column}")),
        seen_at: None,
        fact: fact.clone(),
    };
    let mut proof = vec![evidence(remark.at.start.line, remark.at.start.column)];
    proof.extend(remark.other.map(|other| evidence(other.line, other.column)));
    let remedy = remark.meant.as_ref().map(|meant| RemedyInfo {
        text: hidden(&meant.text(lang), masker),
        argv: Vec::new(),
        changes: false,
        same_facts: false,
    });
    FindingInfo {
        code: remark.code.to_string(),
        name: remark.code.name(),
        severity: remark.code.severity().to_string(),
        certainty: if asked.assumed == Some(true) {
            "likely"
        } else {
            "certain"
        },
        subject: Subject {
            kind: "rule".to_owned(),
            name: about.to_owned(),
        },
        message: filled(remark.code, &params, lang),
        params,
        fingerprint: fingerprint(remark.code, "rule", about),
        evidence: proof,
        remedy: remedy.into_iter().collect(),
        see: see(remark.code, asked.rule),
        mark: Some(mark),
    }
}

/// Dubbo's own code in the log of a consumer that refuses the rule.
fn see(code: Code, rule: RuleText<'_>) -> Vec<String> {
    if code != Code::RuleUnparsed {
        return Vec::new();
    }
    let code = match rule.kind {
        RuleKind::Condition | RuleKind::Affinity => "2-15",
        RuleKind::Tag | RuleKind::Script => "2-11",
        RuleKind::Mesh => "2-13",
        RuleKind::Configurator => "1-14",
        RuleKind::Urls => "3-1",
        RuleKind::Migration => return Vec::new(),
    };
    vec![code.to_owned()]
}

/// A piece of a rule without its secrets: those of conditions, and those of any text.
fn hidden(text: &str, masker: &Masker) -> String {
    masker.text(&shown(text)).into_owned()
}

fn masked(params: &Map<String, Value>, masker: &Masker) -> Map<String, Value> {
    params
        .iter()
        .map(|(name, value)| {
            let value = match value {
                Value::String(text) => json!(hidden(text, masker)),
                other => other.clone(),
            };
            (name.clone(), value)
        })
        .collect()
}

fn mark(remark: &Remark, one: &Merged<'_>, everywhere: bool, masker: &Masker) -> MarkInfo {
    let (start, end) = (remark.at.start, remark.at.end);
    let column = usize::try_from(start.column).unwrap_or(1);
    let width = if end.line == start.line {
        usize::try_from(end.column.saturating_sub(start.column)).unwrap_or_default()
    } else {
        let from = usize::try_from(remark.line_column).unwrap_or(1);
        (remark.line.chars().count() + from).saturating_sub(column)
    };
    MarkInfo {
        line: start.line,
        column: start.column,
        width: width.max(1),
        source: hidden(&remark.line, masker),
        source_column: remark.line_column,
        dubbo: one.versions.clone(),
        everywhere,
    }
}
