//! Nothing that a report says of a recording is contradicted by it, and what it says to do can be done: asked as the cases
//! ask, and with the short name that somebody in a hurry types.

#![expect(clippy::disallowed_methods, reason = "tests read their environment")]

use diag::{
    observe::recorded::Recording,
    snapshot::{Seen, Snapshot, SourceId},
};
use serde_json::Value;

use crate::cases::{
    case::{Case, cases_under},
    check,
};

/// Reports of one case: as it asks, and by the interface's simple name alone.
fn asks(case: &Case) -> Vec<Vec<String>> {
    let mut asks = vec![case.ask.clone()];
    let service = case.ask.get(1).filter(|text| !text.starts_with('-'));
    if let Some(short) = service.and_then(|text| text.rsplit('.').next()) {
        let mut words = case.ask.clone();
        // A version behind the name has dots of its own.
        if !short.contains([':', '$', '%']) && short.starts_with(char::is_uppercase) {
            short.clone_into(&mut words[1]);
            asks.push(words);
        }
    }
    asks
}

/// What a piece of evidence says of a node that the recording says otherwise.
fn contradiction(snapshot: &Snapshot, evidence: &Value) -> Option<String> {
    if evidence["op"] != "zk.node" {
        return None;
    }
    let source = SourceId::new(evidence["source"].as_str()?).ok()?;
    let path = evidence["address"]["path"].as_str()?;
    let via = evidence["address"]["via"].as_str();
    let fact = evidence["fact"].as_str()?;
    let children = match snapshot.zk_children(&source, path, via) {
        Seen::Here(names, _) => Some(names.to_vec()),
        _ => None,
    };
    let text = matches!(snapshot.zk_data(&source, path, via), Seen::Here(..));
    let fails = if fact == "the node does not exist" {
        children.is_some() || text
    } else if let Some(count) = fact.strip_prefix("it has ") {
        let count = count.strip_suffix(" children")?;
        children.is_none_or(|names| names.len().to_string() != count)
    } else if let Some((name, count)) = fact.split_once(" is not among its ") {
        let count = count.strip_suffix(" children")?;
        children.is_none_or(|names| {
            names.len().to_string() != count || names.iter().any(|other| other == name)
        })
    } else {
        return None;
    };
    fails.then(|| format!("{path}: {fact}"))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[test]
fn no_proof_contradicts_its_recording_and_no_step_has_a_gap() {
    let every = if std::env::var_os("DIAG_ORACLE_ALL").is_some() {
        1
    } else {
        9
    };
    let mut cases = cases_under("fixtures/cases/captures");
    cases.extend(cases_under("fixtures/no_provider"));
    let named = std::env::var("DIAG_CASES").ok();
    let chosen: Vec<&Case> = cases
        .iter()
        .filter(|case| case.ask.first().is_some_and(|verb| verb == "no-provider"))
        .enumerate()
        .filter(|(at, case)| match &named {
            Some(part) => case.name.contains(part.as_str()),
            None => at % every == 0 || case.name.contains("short-name"),
        })
        .map(|(_, case)| case)
        .collect();
    let (mut problems, mut proofs, mut offers) = (Vec::new(), 0, 0);
    for case in chosen {
        let Some(path) = ["snapshot", "snapshot.tar.gz"]
            .iter()
            .map(|name| case.dir.join(name))
            .find(|path| path.exists())
        else {
            continue;
        };
        let snapshot = Recording::open(&path).unwrap().read_all().unwrap();
        for ask in asks(case) {
            let Ok(run) = check::run(case, &ask) else {
                continue;
            };
            let report = &run.report["reports"][0];
            let findings: Vec<&Value> = list(&report["findings"]).collect();
            for evidence in findings
                .iter()
                .flat_map(|finding| list(&finding["evidence"]))
            {
                proofs += 1;
                if let Some(problem) = contradiction(&snapshot, evidence) {
                    problems.push(format!("{} {ask:?}: {problem}", case.name));
                }
            }
            let steps = findings.iter().flat_map(|finding| list(&finding["remedy"]));
            let gap = |text: &Value| text.as_str().is_some_and(|text| text.ends_with(" .."));
            let mut said: Vec<&Value> = steps.flat_map(|step| list(&step["argv"])).collect();
            said.extend(list(&report["not_seen"]).map(|fact| &fact["how_to_see"]));
            if said.iter().any(|text| gap(text) || *text == "..") {
                problems.push(format!(
                    "{} {ask:?}: a step with a gap: {said:?}",
                    case.name
                ));
            }
            let is_short = !ask[1].contains('.');
            let meant = list(&report["not_seen"]).any(|fact| {
                fact["why"]
                    .as_str()
                    .is_some_and(|why| why.contains("did you mean"))
            });
            offers += usize::from(is_short && meant);
            if meant && !report["candidates"].as_array().unwrap().is_empty() {
                problems.push(format!(
                    "{} {ask:?}: causes of a name that nobody meant: {}",
                    case.name, report["candidates"]
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    if named.is_none() {
        assert!(
            proofs > 100 && offers > 20,
            "{proofs} proofs, {offers} offers"
        );
    }
}
