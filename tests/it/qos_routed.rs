//! What real consumers were watched doing with their calls (`getRecentRouterSnapshot`), and which addresses their chains of
//! routers have (`getRouterSnapshot`), is what the replay of the same recording gives, router by router.
//!
//! Where it is not, one of the findings must say so. The counts are exact, so that neither a loss nor a gain goes unnoticed.

#![expect(clippy::unwrap_used, reason = "a broken fixture is a failing test")]

use std::collections::BTreeMap;

use diag::{
    diagnose::{Diagnosis, diagnose},
    model::qos::{Answer, chain::Chain, read, recent::Routed},
    observe::recorded::Recording,
    question::Question,
    report::words::Say,
    snapshot::{Key, Snapshot, SourceKind},
    view::stage::{Stage, StageId, State},
};

use crate::cases::{ask, case::Case, case::cases_under};

/// Names of the routers in a snapshot, and of their stages.
const ROUTERS: [(&str, &str); 6] = [
    ("StandardMeshRuleRouter", "mesh"),
    ("TagStateRouter", "tag"),
    ("ServiceStateRouter", "condition.service"),
    ("ProviderAppStateRouter", "condition.provider-application"),
    ("AppStateRouter", "condition.application"),
    ("AppScriptStateRouter", "script"),
];

/// Findings that say that the consumer has, or does, something else than the registry and the rules give: another list,
/// the rule from before one that it refused (DG5006), or simply something else (DG5012).
const SAYS_SO: [&str; 8] = [
    "DG5006", "DG5012", "DG6003", "DG6009", "DG3009", "DG4009", "DG3005", "DG3006",
];

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    /// Every router has the numbers of its stage.
    agree: usize,
    /// They differ, and a finding says so.
    said: usize,
    /// The replay has nothing to compare with: it ends before the routers, or depends on the call.
    other: usize,
}

/// Reads a recording that somebody asks about.
fn opened(case: &Case) -> Option<(Question, Snapshot)> {
    if case.ask.first()? != "no-provider" {
        return None;
    }
    let paths = ["snapshot", "snapshot.tar.gz"].map(|name| case.dir.join(name));
    let path = paths.into_iter().find(|path| path.exists())?;
    let mut recording = Recording::open(&path).unwrap();
    let snapshot = recording.read_all().unwrap();
    let question = ask::question(&case.ask, &snapshot).ok()?;
    Some((question, snapshot))
}

/// Every answer of the QOS ports of a recording.
fn answers(snapshot: &Snapshot) -> Vec<Answer> {
    let sources = snapshot.manifest().sources.iter();
    let ports = sources.filter(|(_, source)| source.kind == SourceKind::Qos);
    ports
        .flat_map(|(id, _)| {
            let commands = snapshot.keys(id).filter_map(move |key| match key {
                Key::QosCmd { command } => Some((key, command)),
                _ => None,
            });
            commands.flat_map(move |(key, command)| {
                let lines = snapshot.latest(id, key).into_iter();
                lines.filter_map(move |line| Some(read(command, line.http, &line.body_text()?)))
            })
        })
        .collect()
}

fn stage<'a>(diagnosis: &'a Diagnosis, id: &StageId) -> Option<&'a Stage> {
    let mut stages = diagnosis.stages.iter();
    stages.find_map(|(.., stage)| (stage.id == *id).then_some(stage))
}

/// Whether a call was routed as the replay routes; `None` = there is nothing to compare with.
fn same_call(diagnosis: &Diagnosis, call: &Routed) -> Option<bool> {
    let mut compared = false;
    for (at, node) in call.nodes.iter().enumerate() {
        let Some((_, name)) = ROUTERS.iter().find(|(router, _)| *router == node.name) else {
            continue;
        };
        let Some(stage) = stage(diagnosis, &StageId::Router((*name).to_owned())) else {
            continue;
        };
        let (Some(input), Some(output)) = (stage.input, stage.output) else {
            continue;
        };
        if !matches!(stage.state, State::Ok | State::Failed) {
            continue;
        }
        compared = true;
        // The rules of a router of conditions are nodes behind it.
        let rules = call.nodes[at + 1..].iter();
        let rules = rules.take_while(|node| node.name == "ConditionStateRouter");
        let left = rules.last().map_or(node.output, |rule| rule.output);
        if (node.input, left) != (input as u64, output as u64) {
            return Some(false);
        }
    }
    compared.then_some(true)
}

/// Whether a chain has the addresses that the replay gives its routers.
fn same_chain(diagnosis: &Diagnosis, chain: &Chain) -> Option<bool> {
    let mut routers = diagnosis.stages.iter().filter_map(|(.., stage)| {
        matches!(stage.id, StageId::Router(_))
            .then_some(stage.input)
            .flatten()
    });
    routers.next().map(|input| chain.all == input as u64)
}

fn sort(counts: &mut Counts, found: Option<bool>, says_so: bool, problem: impl FnOnce()) {
    match found {
        None => counts.other += 1,
        Some(true) => counts.agree += 1,
        Some(false) if says_so => counts.said += 1,
        Some(false) => problem(),
    }
}

#[test]
fn replay_and_live_routers_agree() {
    let (mut calls, mut chains) = (Counts::default(), Counts::default());
    let mut problems = Vec::new();
    let cases = cases_under("fixtures/cases");
    let own = cases_under("fixtures/no_provider");
    for case in cases.into_iter().chain(own) {
        let Some((question, snapshot)) = opened(&case) else {
            continue;
        };
        let answers = answers(&snapshot);
        let key = question.service.to_string();
        // The last call that was watched, and the first chain: telnet and HTTP say the same.
        let mut watched: BTreeMap<i64, &Routed> = BTreeMap::new();
        let mut chain = None;
        for answer in &answers {
            match answer {
                Answer::Routed(list) => {
                    let own = list.iter().filter(|call| call.key == key);
                    watched.extend(own.map(|call| (call.at_ms, call)));
                }
                Answer::Chains(list) => {
                    chain = chain.or_else(|| list.iter().find(|chain| chain.key == key));
                }
                _ => {}
            }
        }
        let last = watched.last_key_value().map(|(_, call)| *call);
        if last.is_none() && chain.is_none() {
            continue;
        }
        let diagnosis = diagnose(&question, &snapshot);
        let codes: Vec<String> = diagnosis
            .findings
            .iter()
            .map(|finding| finding.code.to_string())
            .collect();
        let mut unseen = diagnosis
            .stages
            .iter()
            .flat_map(|(.., stage)| &stage.not_seen);
        let is_of_other_place = unseen.any(|fact| fact.why.say == Say::QosLooksElsewhere);
        let says_so = is_of_other_place
            || SAYS_SO
                .iter()
                .any(|code| codes.iter().any(|found| found == code));
        let about = |what: &str| {
            let stages: Vec<_> = diagnosis
                .stages
                .iter()
                .map(|(.., stage)| format!("{} {:?}->{:?}", stage.id, stage.input, stage.output))
                .collect();
            format!("{} {what}: {codes:?}, {}", case.name, stages.join(" "))
        };
        if let Some(call) = last {
            let found = same_call(&diagnosis, call);
            sort(&mut calls, found, says_so, || {
                problems.push(about(&format!("{:?}", call.nodes)));
            });
        }
        if let Some(chain) = chain {
            let found = same_chain(&diagnosis, chain);
            sort(&mut chains, found, says_so, || {
                problems.push(about(&format!("all {} valid {}", chain.all, chain.valid)));
            });
        }
    }
    println!("calls {calls:?}, chains {chains:?}");
    assert!(
        problems.is_empty(),
        "{}\n{}",
        problems.len(),
        problems.join("\n")
    );
    // Those with nothing to compare grow with every recording.
    let compared = |counts: &Counts| (counts.agree, counts.said);
    assert_eq!((compared(&calls), compared(&chains)), (CALLS, CHAINS));
}

/// Answers that agree, and that the report says to differ.
const CALLS: (usize, usize) = (107, 5);
const CHAINS: (usize, usize) = (185, 3);
