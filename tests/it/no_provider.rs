//! `diag no-provider` over situations made by hand, and over the texts that a consumer leaves behind.
//!
//! A hand-made case is one rule of the diagnosis, or one next to it that must not fire: all of them must be right, unlike
//! the handed ones, of which some wait for a part that is not built.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a broken fixture or a missing file is a failing test"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use diag::diagnose::code::Code;

use crate::cases::{
    case::{Case, cases_under},
    check::{self, Grade},
    grades,
};

/// Where cases of finding codes may lie: a code is shown by the room that raises it.
const ROOTS: [&str; 5] = [
    "fixtures/no_provider",
    "fixtures/route",
    "fixtures/route_replay",
    "fixtures/lint",
    "fixtures/budget",
];

#[test]
fn every_hand_made_case_is_right() {
    let only = std::env::var("DIAG_CASES").ok();
    let mut cases = cases_under("fixtures/no_provider");
    cases.extend(cases_under("fixtures/route"));
    cases.retain(|case| {
        only.as_ref()
            .is_none_or(|part| case.name.contains(part.as_str()))
    });
    let problems: Vec<String> = grades(&cases)
        .into_iter()
        .filter_map(|(case, grade)| match grade {
            Grade::Right => None,
            Grade::Wrong(what) => Some(format!("{}: {what}", case.name)),
            Grade::Unknown | Grade::NotBuilt => {
                let ran = check::run(case, &case.ask);
                let shown = ran.map_or_else(|error| error, |run| check::shown(&run));
                Some(format!(
                    "{}: {} expected, got {shown}",
                    case.name, case.outcome
                ))
            }
        })
        .collect();
    println!("{} cases", cases.len());
    assert!(
        problems.is_empty(),
        "{} of {} cases are wrong\n{}",
        problems.len(),
        cases.len(),
        problems.join("\n")
    );
}

/// Every code has a case that shows it and a near one that must not. (That its page is there in both languages is held
/// beside the pages.)
#[test]
fn every_code_is_shown_and_told_apart() {
    let (mut shown, mut near) = (BTreeSet::new(), BTreeSet::new());
    for file in ROOTS.iter().flat_map(|root| case_files(Path::new(root))) {
        let text = std::fs::read_to_string(&file).unwrap();
        let case: toml::Table =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for key in ["code", "findings"] {
            codes_of(case.get(key), &mut shown);
        }
        codes_of(case.get("without"), &mut near);
    }
    let lacking = |seen: &BTreeSet<String>| -> Vec<String> {
        Code::ALL
            .iter()
            .map(ToString::to_string)
            .filter(|code| !seen.contains(code))
            .collect()
    };
    assert_eq!(
        (lacking(&shown), lacking(&near)),
        (Vec::new(), Vec::new()),
        "codes without a case that shows them, and without a near case (`without`)"
    );
}

fn case_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = folder.read_dir() else {
        return found;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(case_files(&path));
        } else if path.file_name().is_some_and(|name| name == "case.toml") {
            found.push(path);
        }
    }
    found
}

/// Codes in a text or in lists of any depth; a list that allows `-` demands nothing.
fn codes_of(value: Option<&toml::Value>, codes: &mut BTreeSet<String>) {
    match value {
        Some(toml::Value::String(text)) => {
            codes.insert(text.clone());
        }
        Some(toml::Value::Array(items)) => {
            for item in items.iter().filter(|_| !allows_none(items)) {
                codes_of(Some(item), codes);
            }
        }
        _ => {}
    }
}

fn allows_none(items: &[toml::Value]) -> bool {
    items.iter().any(|item| item.as_str() == Some("-"))
}

/// What only a pasted text says in these asks.
const OF_THE_CONSUMER: [&str; 6] = [
    "--group",
    "--service-version",
    "--consumer-app",
    "--consumer-ip",
    "--consumer",
    "--dubbo",
];

/// The question of a case without what the consumer's own text has to tell.
fn from_text(case: &Case, file: &str) -> Vec<String> {
    let mut ask = vec![case.ask[0].clone()];
    let mut args = case.ask[1..].iter();
    while let Some(arg) = args.next() {
        if !arg.starts_with("--") {
            continue;
        }
        let value = args.next().unwrap();
        if !OF_THE_CONSUMER.contains(&arg.as_str()) {
            ask.extend([arg.clone(), value.clone()]);
        }
    }
    ask.extend(["--from-log".to_owned(), file.to_owned()]);
    ask
}

/// Cases with outcome `none` reach their code from the consumer's log in place of the flags, and from the text of the
/// exception alone.
#[test]
fn the_log_speaks_for_the_consumer() {
    let only = std::env::var("DIAG_CASES").ok();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut problems = Vec::new();
    for case in cases_under("fixtures/cases") {
        let wanted = case.step <= 2 && case.outcome == "none" && case.ask[0] == "no-provider";
        if !wanted || only.as_ref().is_some_and(|part| !case.name.contains(part)) {
            continue;
        }
        for file in ["consumer.log", "f1-exception.txt"] {
            if !case.dir.join(file).is_file() {
                continue;
            }
            *counts.entry(file).or_default() += 1;
            let run = check::run(&case, &from_text(&case, file));
            let problem = match &run {
                Err(error) => Some(error.clone()),
                Ok(run) => match check::compare(&case, run) {
                    Grade::Right => None,
                    Grade::Wrong(what) => Some(what),
                    _ => Some(format!("got {}", check::shown(run))),
                },
            };
            problems.extend(problem.map(|problem| format!("{} {file}: {problem}", case.name)));
        }
    }
    println!("{counts:?}");
    assert!(
        problems.is_empty(),
        "{} problems\n{}",
        problems.len(),
        problems.join("\n")
    );
    if only.is_none() {
        assert_eq!(
            counts,
            BTreeMap::from([("consumer.log", 15), ("f1-exception.txt", 23)])
        );
    }
}
