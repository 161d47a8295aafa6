//! What a verdict about the key says of what would come next is what asking the repaired question gives.

#![expect(
    clippy::unwrap_used,
    reason = "a broken fixture or a missing file is a failing test"
)]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::cases::case::{Case, cases_under};

/// The only answer to a command.
fn answer(dir: &Path, args: &[String]) -> Option<Value> {
    let run = Command::new(env!("CARGO_BIN_EXE_diag"))
        .current_dir(dir)
        .env_clear()
        .env("LANG", "en_US.UTF-8")
        .args(args)
        .args(["-o", "json"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&run.stdout).ok()?;
    Some(report["reports"][0].clone())
}

fn texts(values: &Value) -> Vec<String> {
    let values = values.as_array().into_iter().flatten();
    values
        .filter_map(|it| it.as_str().map(str::to_owned))
        .collect()
}

/// The next step of the verdict that asks again with the key that is offered.
fn repaired(answer: &Value) -> Option<Vec<String>> {
    let code = answer["verdict"]["code"].as_str()?;
    let mut findings = answer["findings"].as_array()?.iter();
    let finding = findings.find(|it| it["code"] == code)?;
    let mut steps = finding["remedy"]
        .as_array()?
        .iter()
        .map(|it| texts(&it["argv"]));
    let mut argv = steps.find(|argv| argv.get(1).is_some_and(|verb| verb == "no-provider"))?;
    argv.remove(0);
    Some(argv)
}

/// Whether a case says it; `None` when nothing is to be compared.
fn problem(case: &Case) -> Option<Result<(), String>> {
    let over = |ask: &[String]| [ask, &["--snapshot".to_owned(), "snapshot".to_owned()]].concat();
    // Files beside the recording speak of the key that was asked for.
    if case
        .ask
        .iter()
        .any(|word| ["--from-log", "--attach"].contains(&word.as_str()))
    {
        return None;
    }
    let first = answer(&case.dir, &over(&case.ask))?;
    // An empty group, which no command can name.
    let empty = |key: &Value| key["group"] == "" || key["version"] == "";
    let mut near = first["verdict"]["params"]["near"]
        .as_array()
        .into_iter()
        .flatten();
    if near.any(empty) {
        return None;
    }
    let near = ["DG2101", "DG2102", "DG2103"];
    if !near.contains(&first["verdict"]["code"].as_str()?) {
        return None;
    }
    let second = answer(&case.dir, &over(&repaired(&first)?))?;
    let then = texts(&first["verdict"]["then"]);
    let not_seen = first["verdict"]["then_not_seen"].as_array()?.len();
    let verdict = &second["verdict"];
    let mut expected: Vec<String> = verdict["code"]
        .as_str()
        .map(str::to_owned)
        .into_iter()
        .collect();
    expected.extend(texts(&verdict["then"]));
    // A key of several may be free where the first is not: then nothing is in the way.
    let keys = first["verdict"]["params"]["near"]
        .as_array()
        .map_or(0, Vec::len);
    let same = match second["outcome"].as_str()? {
        "unknown" => not_seen > 0 || !then.is_empty(),
        _ => then == expected && (not_seen == 0 || !expected.is_empty()),
    };
    Some(if same || keys > 1 && then.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "{}: then {then:?} ({not_seen} not seen), asked again: {} {expected:?}",
            case.name, second["outcome"]
        ))
    })
}

#[test]
fn what_comes_next_is_what_the_repaired_question_gives() {
    let cases = ["fixtures/no_provider", "fixtures/cases"];
    let cases: Vec<Case> = cases.iter().flat_map(|root| cases_under(root)).collect();
    let near = cases.iter().filter(|case| {
        let codes = ["DG2101", "DG2102", "DG2103"];
        case.code.iter().any(|code| codes.contains(&code.as_str()))
    });
    let results: Vec<Result<(), String>> = near.filter_map(problem).collect();
    let problems: Vec<&String> = results.iter().filter_map(|it| it.as_ref().err()).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(results.len() > 30, "{} compared", results.len());
}
