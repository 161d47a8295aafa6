//! What is found beside the cause: rules that nobody reads, that cannot be read, that do nothing or leak, and drills
//! after which nothing is left.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::fold::Class;
use super::judge::{Trial, object, other_lines, subject};
use super::waterfall::{Cause, cause};
use crate::diagnose::code::Code;
use crate::diagnose::{Certainty, Finding};
use crate::model::version::DubboVersion;
use crate::question::Client;
use crate::route::dialect::Dialect;
use crate::route::pattern::Pattern;
use crate::route::trace::{Effect, RuleState};
use crate::rule::condition::text::{Clause, Condition, excerpt};
use crate::rule::condition::{self, ConditionDocument};
use crate::rule::kind::RuleKind;
use crate::rule::release::snake_yaml;
use crate::rule::tag;
use crate::rule::yaml::{Document, Node, Value as Yaml, load_all};
use crate::view::stage::{StageId, State};

/// Conditions that are said to leak, in the order of their rules.
const MOST_LEAKS: usize = 200;
/// Method names of generic calls.
const GENERIC: [&str; 2] = ["$invoke", "$invokeAsync"];

/// What stages before the routers took away, when something is left: not said by any rule, and easily overlooked.
fn earlier(trial: &Trial<'_>, found: &mut Vec<Finding>) {
    let stages = trial.view.stages.iter().filter(|stage| {
        stage.state == State::Ok
            && matches!(
                stage.id,
                StageId::Entries
                    | StageId::Instances
                    | StageId::Revision
                    | StageId::Protocol
                    | StageId::Configurators
            )
    });
    let raised = stages.filter_map(|stage| stage.raises.first());
    for raised in raised.filter(|raised| raised.code != Code::WeightZero) {
        let open = raised.code == Code::ProtocolFiltered && !trial.plan.protocols.is_empty();
        found.push(Finding {
            code: raised.code,
            severity: raised.code.severity(),
            certainty: if open {
                Certainty::Possible
            } else {
                Certainty::Certain
            },
            subject: raised.subject.clone(),
            params: raised.params.clone(),
            evidence: raised.evidence.clone(),
            remedy: Vec::new(),
            see: Vec::new(),
        });
    }
}

/// All findings but the verdict's, by severity and code.
pub(super) fn all(trial: &Trial<'_>, verdict: Option<Code>) -> Vec<Finding> {
    let mut found = Vec::new();
    tool(trial, &mut found);
    earlier(trial, &mut found);
    delivery(trial, &mut found);
    effects(trial, &mut found);
    bounds(trial, &mut found);
    drills(trial, &mut found);
    let loses = verdict.is_some();
    for finding in &mut found {
        // What leaves an address is of less weight; what the tool itself says never is.
        let never = finding.code.number() < 2000
            || finding.code == Code::NoEmptyGuard
            || finding.subject.0 == "candidate";
        if !loses && !never {
            finding.severity = finding.severity.lowered();
        }
    }
    found.sort_by(|a, b| {
        b.severity
            .cmp(&a.severity)
            .then(a.code.cmp(&b.code))
            .then(a.subject.cmp(&b.subject))
    });
    found.dedup_by(|a, b| a.code == b.code && a.subject == b.subject);
    found
}

fn finding(
    trial: &Trial<'_>,
    code: Code,
    certainty: Certainty,
    rule: Option<&str>,
    position: Option<String>,
    params: serde_json::Value,
) -> Finding {
    Finding {
        code,
        severity: code.severity(),
        certainty,
        subject: subject(trial, rule),
        params: object(params),
        evidence: trial.seen(rule, position),
        remedy: Vec::new(),
        see: Vec::new(),
    }
}

/// What is said of the consumer: an assumed version, another client.
fn tool(trial: &Trial<'_>, found: &mut Vec<Finding>) {
    if !trial.plan.lines.is_empty() {
        let params =
            json!({"assumed": trial.base().world.dubbo.to_string(), "differs": other_lines(trial)});
        let mut one = finding(
            trial,
            Code::VersionAssumed,
            Certainty::Certain,
            None,
            None,
            params,
        );
        one.subject = ("consumer".to_owned(), "dubbo".to_owned());
        found.push(one);
    }
    if trial.subject.question.consumer.client == Some(Client::Go) {
        let mut one = finding(
            trial,
            Code::ClientNotModelled,
            Certainty::Certain,
            None,
            None,
            json!({"client": "dubbo-go"}),
        );
        one.subject = ("consumer".to_owned(), "client".to_owned());
        found.push(one);
    }
}

/// Rules that are not read, and rules that cannot be read.
fn delivery(trial: &Trial<'_>, found: &mut Vec<Finding>) {
    let dubbo = &trial.base().world.dubbo;
    let readings = &trial.folded.readings;
    let read: BTreeSet<&str> = readings
        .iter()
        .map(|reading| reading.key.as_str())
        .collect();
    let modelled = trial.folded.modelled.first().copied().unwrap_or_default();
    // Where an address of another application may come first, its rules may be the ones that are read.
    let maybe: BTreeSet<&str> = trial
        .plan
        .firsts
        .iter()
        .flat_map(|place| &trial.folded.readings_of[*place])
        .map(|reading| reading.key.as_str())
        .collect();
    let of_view = &trial.view.routed.remarks;
    for (key, _) in trial.base().rules.texts() {
        let is_router = !matches!(
            RuleKind::of_key(key),
            None | Some(RuleKind::Configurator | RuleKind::Migration | RuleKind::Urls)
        );
        let is_said = of_view.iter().any(|raised| {
            raised.code == Code::RuleNotDelivered && raised.subject.1.ends_with(&format!("/{key}"))
        });
        if is_router && modelled && !is_said && !read.contains(key) && !may_be_own(trial, key) {
            let certainty = if maybe.contains(key) {
                Certainty::Possible
            } else {
                Certainty::Certain
            };
            found.push(finding(
                trial,
                Code::RuleNotDelivered,
                certainty,
                Some(key),
                None,
                json!({"rule": key, "dubbo": dubbo.to_string(), "read": read}),
            ));
        }
    }
    // Rules of the config centre and of the registry that lie where nobody looks: seen while the registry was read.
    for raised in of_view {
        if raised.code == Code::RuleNotDelivered {
            found.push(Finding {
                code: raised.code,
                severity: raised.code.severity(),
                certainty: Certainty::Certain,
                subject: raised.subject.clone(),
                params: raised.params.clone(),
                evidence: raised.evidence.clone(),
                remedy: Vec::new(),
                see: Vec::new(),
            });
        }
    }
    if let Some(place) = trial.plan.candidate {
        candidate(trial, place, found);
    }
    let mut said = BTreeSet::new();
    for reading in readings {
        if !said.insert(reading.key.as_str()) {
            continue;
        }
        match &reading.state {
            RuleState::Refused(error) | RuleState::TooNew(error) => found.push(finding(
                trial,
                Code::RuleUnparsed,
                Certainty::Certain,
                Some(&reading.key),
                error.at.map(|at| format!("{}:{}", at.line, at.column)),
                json!({"rule": reading.key, "reason": error.message, "class": error.class}),
            )),
            RuleState::Empty => found.push(finding(
                trial,
                Code::RuleNoEffect,
                Certainty::Certain,
                Some(&reading.key),
                None,
                json!({"rule": reading.key, "condition": null}),
            )),
            RuleState::Absent | RuleState::NotSeen | RuleState::Off | RuleState::InForce => {}
        }
    }
}

/// A candidate that cannot be read: it would change nothing for a running consumer and take the rule from a new one.
fn candidate(trial: &Trial<'_>, place: usize, found: &mut Vec<Finding>) {
    for reading in &trial.folded.readings_of[place] {
        let before = &trial.folded.readings_of[0];
        let texts = &trial.scenarios[place].rules;
        let given = |key: &str| texts.texts().any(|(known, _)| known == key);
        if before.iter().any(|known| known == reading) {
            continue;
        }
        let (code, params) = match &reading.state {
            RuleState::Refused(error) | RuleState::TooNew(error) => (
                Code::RuleUnparsed,
                json!({"rule": reading.key, "reason": error.message, "class": error.class}),
            ),
            RuleState::Empty => (
                Code::RuleNoEffect,
                json!({"rule": reading.key, "condition": null}),
            ),
            // An empty text: none for a consumer that starts, and no other one for a consumer that runs.
            RuleState::Absent if given(&reading.key) => (
                Code::RuleNoEffect,
                json!({"rule": reading.key, "condition": null}),
            ),
            RuleState::Absent | RuleState::NotSeen | RuleState::Off | RuleState::InForce => {
                continue;
            }
        };
        let mut one = finding(
            trial,
            code,
            Certainty::Certain,
            Some(&reading.key),
            None,
            params,
        );
        one.subject = ("candidate".to_owned(), reading.key.clone());
        one.evidence = Vec::new();
        found.push(one);
    }
}

/// An application's rule may be the consumer's own when nobody says which application that is.
fn may_be_own(trial: &Trial<'_>, key: &str) -> bool {
    trial.subject.question.consumer.application.is_none()
        && RuleKind::of_key(key) == Some(RuleKind::Condition)
        && !key.contains(':')
}

/// Rules in force that can do nothing, and rules that are passed over.
fn effects(trial: &Trial<'_>, found: &mut Vec<Finding>) {
    let base = trial.base();
    for (key, text) in base.rules.texts() {
        let in_force = trial
            .folded
            .readings
            .iter()
            .any(|reading| reading.key == key && reading.state == RuleState::InForce);
        if let Some(condition) = in_force
            .then(|| without_effect(trial, key, text, &base.world.dubbo))
            .flatten()
        {
            found.push(finding(
                trial,
                Code::RuleNoEffect,
                Certainty::Certain,
                Some(key),
                None,
                json!({"rule": key, "condition": condition}),
            ));
        }
    }
    let parts = trial.folded.seen.parts.iter();
    let leaking = parts.filter(|(_, used)| used.leaked).take(MOST_LEAKS);
    for (part, _) in leaking {
        found.push(finding(
            trial,
            Code::RuleLeaks,
            Certainty::Certain,
            Some(&part.rule),
            part.position.map(|at| format!("{}:{}", at.line, at.column)),
            json!({"rule": &*part.rule, "condition": &*part.text}),
        ));
    }
}

/// The part of a rule because of which it can change nothing for any call of this consumer.
fn without_effect(
    trial: &Trial<'_>,
    key: &str,
    text: &str,
    version: &DubboVersion,
) -> Option<String> {
    match RuleKind::of_key(key)? {
        RuleKind::Tag => {
            let rule = tag::parse(text, version).ok()?;
            let usable = |tag: &tag::Tag| {
                tag.addresses.as_ref().is_some_and(|list| !list.is_empty())
                    || tag.matches.as_ref().is_some_and(|list| !list.is_empty())
            };
            let names: Vec<&str> = rule
                .tags
                .iter()
                .filter_map(|tag| tag.name.as_deref())
                .collect();
            (!rule.tags.iter().any(usable)).then(|| names.join(", "))
        }
        RuleKind::Condition => {
            let Ok(ConditionDocument::Classic(rule)) = condition::parse(text, version) else {
                return None;
            };
            let dialect = Dialect::of(version)?;
            let hidden = is_generic(trial) && dialect.condition_generic.is_empty();
            let never = |text: &str| {
                hidden
                    && Condition::parse(text)
                        .is_ok_and(|read| read.when.iter().any(names_other_method))
            };
            let texts: Vec<&str> = rule
                .conditions
                .iter()
                .filter_map(|one| one.text.as_deref())
                .collect();
            (!texts.is_empty() && texts.iter().all(|text| never(text)))
                .then(|| excerpt(&texts.join("; ")).into_owned())
        }
        RuleKind::Mesh => exclusive_labels(text, version),
        _ => None,
    }
}

/// Whether every call of this consumer is a generic one.
fn is_generic(trial: &Trial<'_>) -> bool {
    let parameter = trial.subject.question.consumer.params.get("generic");
    let by_reference = parameter.is_some_and(|value| !value.is_empty() && value != "false");
    let classes: &[Class] = &trial.folded.classes[0];
    let by_calls = !classes.is_empty()
        && trial
            .folded
            .combinations
            .iter()
            .all(|calls| GENERIC.contains(&calls.example.method.as_str()));
    by_reference && by_calls
}

fn names_other_method(clause: &Clause) -> bool {
    matches!(clause.key.as_str(), "method" | "methods")
        && !clause.matches.is_empty()
        && !clause.matches.iter().any(|value| {
            GENERIC
                .iter()
                .any(|name| Pattern::glob(Some(&value.text)).matches(name, true))
        })
}

/// Two entries of a `match` list that want different values of one label: all entries must hold, so none ever does.
fn exclusive_labels(text: &str, version: &DubboVersion) -> Option<String> {
    let documents = load_all(text, snake_yaml(version)).ok()?;
    let mut routes = 0;
    let mut exclusive = Vec::new();
    for root in documents.iter().filter_map(Document::root) {
        let services = root.get("spec").and_then(|spec| spec.get("dubbo"));
        for detail in services
            .into_iter()
            .flat_map(Node::items)
            .filter_map(|service| service.get("routedetail"))
            .flat_map(Node::items)
        {
            routes += 1;
            let mut wanted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for labels in detail
                .get("match")
                .into_iter()
                .flat_map(Node::items)
                .filter_map(|entry| entry.get("sourceLabels"))
            {
                if let Yaml::Map(entries) = labels.value() {
                    for (name, value) in entries {
                        if let (Some(name), Some(value)) = (name.as_text(), value.as_text()) {
                            wanted
                                .entry(name.to_owned())
                                .or_default()
                                .insert(value.to_owned());
                        }
                    }
                }
            }
            exclusive.extend(
                wanted
                    .into_iter()
                    .filter(|(_, values)| values.len() > 1)
                    .map(|(name, values)| {
                        format!(
                            "{name} = {}",
                            values.into_iter().collect::<Vec<_>>().join(" & ")
                        )
                    }),
            );
        }
    }
    (routes > 0 && exclusive.len() >= routes).then(|| exclusive.join("; "))
}

/// Routers that cannot be replayed, and scripts whose engine is missing.
fn bounds(trial: &Trial<'_>, found: &mut Vec<Finding>) {
    if trial.folded.modelled.first() == Some(&false) {
        let dubbo = trial.base().world.dubbo.to_string();
        let uncertain = trial.folded.classes[0]
            .iter()
            .any(|class| class.ran.is_uncertain());
        if uncertain {
            found.push(finding(
                trial,
                Code::RouterUnknown,
                Certainty::Certain,
                None,
                None,
                json!({"router": format!("Dubbo {dubbo}"), "rule": null}),
            ));
        }
    }
    for step in trial.folded.classes[0]
        .iter()
        .flat_map(|class| &class.ran.trace.steps)
    {
        for part in &step.parts {
            let rule = part.rule.as_ref().map(|rule| &*rule.key);
            let position = part
                .rule
                .as_ref()
                .and_then(|rule| rule.position)
                .map(|at| format!("{}:{}", at.line, at.column));
            match &part.effect {
                Effect::Script | Effect::NotRunnable(_) => found.push(finding(
                    trial,
                    Code::RouterUnknown,
                    Certainty::Certain,
                    rule,
                    position,
                    json!({"router": step.step.router, "rule": rule}),
                )),
                Effect::Unknown => {
                    let mut one = finding(
                        trial,
                        Code::RouterUnknown,
                        Certainty::Certain,
                        None,
                        None,
                        json!({"router": &*part.text, "rule": "router="}),
                    );
                    one.subject = ("router".to_owned(), part.text.to_string());
                    found.push(one);
                }
                Effect::ScriptFails => found.push(finding(
                    trial,
                    Code::RuleNoEffect,
                    Certainty::Likely,
                    rule,
                    position,
                    json!({"rule": rule, "condition": &*part.text}),
                )),
                Effect::NoEngine(engine) => found.push(finding(
                    trial,
                    Code::ScriptEngineMissing,
                    Certainty::Likely,
                    rule,
                    position,
                    json!({"rule": rule, "engine": engine}),
                )),
                _ => {}
            }
        }
    }
}

/// Calls that a drill leaves with nothing although addresses remain, by what leaves nothing.
pub fn unguarded(trial: &Trial<'_>, place: usize) -> Vec<(Cause, u64, usize)> {
    let mut by_part: Vec<(Cause, u64, usize)> = Vec::new();
    for calls in &trial.folded.combinations {
        let before = &trial.folded.classes[0][calls.classes[0]].ran;
        let after = &trial.folded.classes[place][calls.classes[place]].ran;
        if !after.loses_more_than(before) {
            continue;
        }
        let Some(found) = cause(after, trial.zones()) else {
            continue;
        };
        let same = |known: &Cause| {
            (&known.rule, known.position, &known.stage)
                == (&found.rule, found.position, &found.stage)
        };
        match by_part.iter_mut().find(|(known, ..)| same(known)) {
            Some((_, requests, _)) => *requests += calls.requests,
            None => by_part.push((found, calls.requests, after.addresses.len())),
        }
    }
    by_part.sort_by_key(|(_, requests, _)| std::cmp::Reverse(*requests));
    by_part
}

fn drills(trial: &Trial<'_>, found: &mut Vec<Finding>) {
    for &place in &trial.plan.drills {
        for (cause, requests, remaining) in unguarded(trial, place) {
            let rule = cause.rule.as_deref();
            let mut one = finding(
                trial,
                Code::NoEmptyGuard,
                Certainty::Certain,
                rule,
                super::judge::position(&cause),
                json!({
                    "gone": trial.scenarios[place].name, "rule": rule.map_or_else(|| cause.stage.clone(), str::to_owned),
                    "condition": cause.condition, "requests": requests, "total": trial.folded.requests,
                    "count": remaining,
                }),
            );
            one.subject.1 = format!("{} without {}", one.subject.1, trial.scenarios[place].name);
            found.push(one);
        }
    }
}
