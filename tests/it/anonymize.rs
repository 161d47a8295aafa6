//! An anonymised recording, asked in its own words, gives the same codes and counts, and no name is left in it.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a broken fixture or a missing file is a failing test"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use diag::{
    observe::{derive_revisions, recorded::Recording},
    pseudonym::{Gathered, Pseudonyms},
    snapshot::{Snapshot, Writer},
};
use serde_json::Value;

use crate::{
    cases::{
        case::{Case, cases_under},
        check,
    },
    cli::{self, REGISTRY, Recorded, provider},
};

/// One of so many cases is looked at, unless `DIAG_ORACLE_ALL` asks for all.
const USUALLY: usize = 6;

/// Cases whose stages are those of the member with the first address: pseudonyms have another order. Their outcome counts.
const BY_ORDER: [&str; 2] = ["members-disagree", "members-differ"];

/// Flags whose values name nothing of the house.
const PLAIN: [&str; 9] = [
    "--dubbo",
    "--jdk",
    "--client",
    "--consumer",
    "--matrix",
    "--p99",
    "--rtt",
    "--deadline",
    "--require",
];

/// What of a report must be equal: everything that has no name in it.
fn counted(report: &Value) -> String {
    let report = &report["reports"][0];
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut out = format!(
        "{} {} {} then {}\n",
        report["outcome"],
        report["verdict"]["code"],
        report["verdict"]["certainty"],
        report["verdict"]["then"]
    );
    let mut findings: Vec<String> = list(&report["findings"])
        .iter()
        .map(|one| {
            format!(
                "{} {} {} facts {}",
                one["code"],
                one["severity"],
                one["certainty"],
                list(&one["evidence"]).len()
            )
        })
        .chain(
            list(&report["candidates"])
                .iter()
                .map(|one| format!("candidate {}", one["code"])),
        )
        .collect();
    findings.sort();
    out += &findings.join("\n");
    for stage in list(&report["stages"]) {
        let mut codes: Vec<String> = list(&stage["dropped"])
            .iter()
            .map(|one| one["code"].to_string())
            .collect();
        codes.sort();
        let _ = write!(
            out,
            "\n{} {} {} {} {} {codes:?}",
            stage["id"], stage["model"], stage["state"], stage["in"], stage["out"]
        );
    }
    for class in list(&report["replay"]["classes"]) {
        let _ = write!(
            out,
            "\n{} left {}",
            class["requests"],
            list(&class["survivors"]).len()
        );
    }
    let budget = &report["budget"];
    for level in list(&budget["in_force"]) {
        let _ = write!(out, "\nin force {} {}", level["timeout_ms"], level["level"]);
    }
    out
}

/// The files of a case beside its recording.
fn files(dir: &Path) -> Vec<(String, String)> {
    dir.read_dir()
        .unwrap()
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name()?.to_str()?.to_owned();
            let other = path.is_file() && name != "case.toml" && name != "snapshot.tar.gz";
            other.then(|| Some((name, std::fs::read_to_string(&path).ok()?)))?
        })
        .collect()
}

/// Says what is wrong with the anonymised form of a case; `None` where there is nothing to compare.
fn problem(case: &Case) -> Option<Result<(), String>> {
    let verb = case.ask.first()?.as_str();
    if !matches!(verb, "no-provider" | "timeout-budget" | "route-replay") {
        return None;
    }
    let path = ["snapshot", "snapshot.tar.gz"]
        .iter()
        .map(|name| case.dir.join(name))
        .find(|path| path.exists())?;
    let before = check::run(case, &case.ask).ok()?;
    let mut snapshot = Recording::open(&path).ok()?.read_all().ok()?;
    let files = files(&case.dir);

    let mut gathered = Gathered::default();
    let mut flag = "";
    for (place, word) in case.ask.iter().enumerate().skip(1) {
        match flag {
            "--consumer-app" => gathered.asked_application(word),
            "" if place == 1 && !word.starts_with('-') => gathered.asked_service(word),
            _ => gathered.text(word),
        }
        flag = if word.starts_with('-') { word } else { "" };
    }
    for (_, text) in &files {
        gathered.text(text);
    }
    gathered.snapshot(&snapshot);
    let pseudonyms = gathered.pseudonyms(None);

    let dir = tempfile::tempdir().unwrap();
    derive_revisions(&mut snapshot);
    let renamed = pseudonyms.snapshot(&snapshot);
    Writer::new(dir.path().join("snapshot"))
        .unwrap()
        .write(&renamed)
        .unwrap();
    let mut left = survivors(&dir.path().join("snapshot"), &pseudonyms);
    left.extend(kept_addresses(&snapshot, &renamed, &pseudonyms));
    for (name, text) in &files {
        let name = pseudonyms.text(name).into_owned();
        std::fs::write(dir.path().join(name), pseudonyms.text(text).as_bytes()).unwrap();
    }
    let mut flag = "";
    let ask: Vec<String> = case
        .ask
        .iter()
        .enumerate()
        .map(|(index, word)| {
            let plain = index == 0 || PLAIN.contains(&flag);
            flag = word;
            if plain {
                word.clone()
            } else {
                pseudonyms.text(word).into_owned()
            }
        })
        .collect();
    let mut other = case.clone();
    dir.path().clone_into(&mut other.dir);
    let after = match check::run(&other, &ask) {
        Ok(after) => after,
        Err(error) => return Some(Err(format!("{ask:?}: {error}"))),
    };
    let by_order = BY_ORDER.iter().any(|name| case.name.ends_with(name));
    // Which of many applications are looked into follows their names, too: such a case has a right answer for either.
    let right = |report: &Value| {
        let code = report["reports"][0]["verdict"]["code"].as_str();
        code.is_some_and(|code| case.code.iter().any(|right| right == code))
    };
    let either = case.code.len() > 1 && right(&before.report) && right(&after.report);
    let of = |report: &Value| {
        if either {
            return report["reports"][0]["outcome"].to_string();
        }
        let all = counted(report);
        let outcome = all.lines().next().unwrap_or_default().to_owned();
        if by_order { outcome } else { all }
    };
    let (one, two) = (of(&before.report), of(&after.report));
    if before.exit != after.exit || one != two {
        let lines: Vec<String> = one
            .lines()
            .zip(two.lines())
            .filter(|(a, b)| a != b)
            .take(3)
            .map(|(a, b)| format!("    {a}\n    {b}"))
            .collect();
        let lengths = format!("{} and {} lines", one.lines().count(), two.lines().count());
        return Some(Err(format!(
            "exit {} and {}, {lengths}\n{}\n    {ask:?}",
            before.exit,
            after.exit,
            lines.join("\n")
        )));
    }
    left.truncate(3);
    Some(if left.is_empty() {
        Ok(())
    } else {
        Err(format!("still there: {left:?}"))
    })
}

/// Names and addresses that can still be read in the files of a recording.
fn survivors(folder: &Path, pseudonyms: &Pseudonyms) -> Vec<String> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for name in pseudonyms.names() {
            let word = |sign: char| sign.is_ascii_alphanumeric() || "_.-$".contains(sign);
            let alone = |at: usize| {
                let (before, after) = (&text[..at], &text[at + name.len()..]);
                // The last letter of `%3A` and `\n` is none to the eye.
                let escaped = before.len() >= 3
                    && before.is_char_boundary(before.len() - 3)
                    && before[before.len() - 3..].starts_with('%');
                let escaped = escaped || before.ends_with("\\n") || before.ends_with("\\t");
                (escaped || !before.ends_with(word)) && !after.starts_with(word)
            };
            if let Some((at, _)) = text.match_indices(name).find(|(at, _)| alone(*at)) {
                let around =
                    text.get(at.saturating_sub(30)..(at + name.len() + 20).min(text.len()));
                found.push(format!("{name} in {}", around.unwrap_or_default()));
            }
        }
    }
    found
}

/// Addresses of providers that stand in the anonymised recording as they did in the other.
fn kept_addresses(before: &Snapshot, after: &Snapshot, pseudonyms: &Pseudonyms) -> Vec<String> {
    let all = |snapshot: &Snapshot| -> BTreeSet<String> {
        let lines = snapshot.sources().flat_map(|(_, lines)| lines);
        lines
            .flat_map(|line| {
                let text = serde_json::to_string(line).unwrap().replace("%2F", "/");
                let parts: Vec<String> = text
                    .split(|sign: char| !sign.is_ascii_digit() && sign != '.')
                    .map(str::to_owned)
                    .collect();
                parts
            })
            .filter(|word| word.parse::<std::net::Ipv4Addr>().is_ok())
            .collect()
    };
    let others = all(after);
    all(before)
        .into_iter()
        .filter(|address| pseudonyms.text(address) != *address && others.contains(address))
        .collect()
}

#[test]
fn handed_cases_keep_their_verdict() {
    let all = std::env::var_os("DIAG_ORACLE_ALL").is_some();
    let only = std::env::var("DIAG_CASES").ok();
    let mut cases = cases_under("fixtures/cases");
    for own in ["no_provider", "budget", "route_replay"] {
        cases.extend(cases_under(&format!("fixtures/{own}")));
    }
    cases.retain(|case| {
        only.as_ref()
            .is_none_or(|part| case.name.contains(part.as_str()))
    });
    let step = if all || only.is_some() { 1 } else { USUALLY };
    // By name, so that a new case does not change which others are looked at.
    cases.retain(|case| {
        case.name
            .bytes()
            .map(usize::from)
            .sum::<usize>()
            .is_multiple_of(step)
    });
    let cases: Vec<&Case> = cases.iter().collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut results: Vec<(&str, Result<(), String>)> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..threads)
            .map(|first| {
                let mine = cases.iter().skip(first).step_by(threads);
                scope.spawn(move || {
                    mine.filter_map(|case| Some((case.name.as_str(), problem(case)?)))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        runs.into_iter()
            .flat_map(|run| run.join().unwrap())
            .collect()
    });
    results.sort_by_key(|(name, _)| *name);
    let wrong: Vec<String> = results
        .iter()
        .filter_map(|(name, result)| Some(format!("{name}: {}", result.as_ref().err()?)))
        .collect();
    println!(
        "{} of {} recordings compared",
        results.len() - wrong.len(),
        cases.len()
    );
    assert!(only.is_some() || results.len() > 400 / step);
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

const SERVICE: &str = "com.acme.order.OrderService";

/// What the command writes, says, and what its recording answers.
#[test]
fn the_command_writes_it_and_says_how_to_ask() {
    let recorded = Recorded::providers(SERVICE, &[&provider("10.20.3.7", SERVICE, "&group=blue")]);
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.tar.gz", "b"] {
        let out = folder.path().join(name);
        let out = out.to_str().unwrap();
        let args = [
            "snapshot",
            SERVICE,
            "--snapshot",
            recorded.path(),
            "--registry",
            REGISTRY,
            "--consumer-app",
            "order-web",
            "--anonymize",
            "--out",
            out,
        ];
        let done = cli::run(&args);
        assert_eq!((done.exit, done.stdout.as_str()), (0, ""), "{done:?}");
        let asked = |word: &str| {
            let line = done
                .stderr
                .lines()
                .find(|line| line.starts_with(&format!("{word} is ")));
            line.unwrap_or_else(|| panic!("{word}: {done:?}"))
                .trim_start_matches(&format!("{word} is "))
                .trim_end_matches(" in it")
                .to_owned()
        };
        let question = [
            "no-provider",
            &asked(SERVICE),
            "--snapshot",
            out,
            "--registry",
            &asked(REGISTRY),
            "--consumer-app",
            &asked("order-web"),
            "--consumer",
            "starting",
        ]
        .map(str::to_owned);
        let question: Vec<&str> = question.iter().map(String::as_str).collect();
        let answer = cli::run(&question);
        assert_eq!(answer.exit, 1, "{answer:?}");
        assert!(answer.stdout.contains("DG2101"), "{answer:?}");
        for name in ["acme", "OrderService", "order-", "10.20.3.7", "10.0.0.2"] {
            assert!(!answer.stdout.contains(name), "{name}: {answer:?}");
        }
    }
    let quiet = folder.path().join("c");
    let done = cli::run(&[
        "snapshot",
        SERVICE,
        "--snapshot",
        recorded.path(),
        "--registry",
        REGISTRY,
        "--anonymize",
        "-q",
        "--out",
        quiet.to_str().unwrap(),
    ]);
    assert_eq!((done.exit, done.stderr.as_str()), (0, ""), "{done:?}");
}

#[test]
fn a_missing_folder_is_named_as_it_was_typed() {
    let recorded = Recorded::providers(SERVICE, &[&provider("10.20.3.7", SERVICE, "")]);
    let out = Path::new(recorded.path()).join("no/such/a.tar.gz");
    let done = cli::run(&[
        "snapshot",
        SERVICE,
        "--snapshot",
        recorded.path(),
        "--registry",
        REGISTRY,
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!(done.exit, 4, "{done:?}");
    let folder = out.parent().unwrap().display().to_string();
    assert!(
        done.stderr.contains(&folder) && !done.stderr.contains(".partial"),
        "{done:?}"
    );
}
