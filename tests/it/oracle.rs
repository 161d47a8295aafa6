//! Agreement with the real Dubbo classes.
//!
//! `fixtures/oracle/<kind>/<line>.jsonl.gz` holds questions with the answers that the real classes of that line
//! gave; `hand-<line>` are the hand-made ones. Every 20th case runs by default, all with `DIAG_ORACLE_ALL=1`.
//! `DIAG_ORACLE_DIR` names a further tree of the same layout, plain or compressed; all of it runs.
//!
//! A kind is one file in the folder beside this one, one line in [`KINDS`] and one test; `COUNTS.tsv` is held against both.

#![expect(
    clippy::disallowed_methods,
    reason = "a test reads its fixtures and its environment"
)]
#![expect(
    clippy::print_stdout,
    reason = "the counts are what a reader of the test log looks for"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use diag::model::version::{DubboVersion, Line};
use flate2::read::MultiGzDecoder;
use serde::Deserialize as _;
use serde_json::Value;

mod balance;
mod configurator;
mod directory;
mod instance;
mod matching;
mod readers;
mod revision;
mod routing;
mod timeout;
mod url;
mod yaml;

/// What a kind says to one case.
enum Outcome {
    /// The same answer as the real classes.
    Agrees,
    /// Another one: what was expected and what came out.
    Disagrees(String),
    /// Not built yet; the text is a fixed reason that is counted.
    Skipped(&'static str),
}

impl Outcome {
    /// Compares a value with the answer in the case.
    fn of(expected: &Value, actual: &Value) -> Self {
        if expected == actual {
            return Self::Agrees;
        }
        let mut differences = String::new();
        differ("", expected, actual, &mut differences);
        Self::Disagrees(differences)
    }
}

/// The paths at which two values differ, one a line.
fn differ(path: &str, expected: &Value, actual: &Value, out: &mut String) {
    match (expected, actual) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let none = Value::String("(absent)".into());
                let (x, y) = (a.get(key).unwrap_or(&none), b.get(key).unwrap_or(&none));
                differ(&format!("{path}.{key}"), x, y, out);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (x, y)) in a.iter().zip(b).enumerate() {
                differ(&format!("{path}[{i}]"), x, y, out);
            }
        }
        _ if expected == actual => {}
        _ => {
            let _ = writeln!(out, "    {path}: expected {expected}, got {actual}");
        }
    }
}

/// The answer of the real classes to a case: a value or the class of an exception.
fn answer(case: &Value) -> Result<&Value, &str> {
    match case.get("out") {
        Some(out) => Ok(out),
        None => Err(case["error"]["class"]
            .as_str()
            .expect("a case has out or error.class")),
    }
}

struct Kind {
    /// The folder.
    name: &'static str,
    check: fn(&Value, &DubboVersion) -> Outcome,
    /// Lines with two files: random cases and hand-made ones.
    lines: &'static [Line],
    /// Further versions with a file of their own; a line stands for its newest one.
    patches: &'static [&'static str],
    /// In a full run of the fixtures: how many cases of (line, reason) are skipped.
    skipped: &'static [(Line, &'static str, usize)],
}

impl Kind {
    /// The lines and patches it has files for.
    fn files(&self) -> impl Iterator<Item = String> {
        let lines = self.lines.iter().map(ToString::to_string);
        lines.chain(self.patches.iter().map(ToString::to_string))
    }
}

/// The newest version of a line, or the version itself.
fn version_of(file: &str) -> DubboVersion {
    DubboVersion::parse(file).expect("a version of the list")
}

const KINDS: [Kind; 9] = [
    readers::AFFINITY,
    balance::KIND,
    configurator::KIND,
    instance::KIND,
    matching::KIND,
    readers::MIGRATION,
    revision::KIND,
    timeout::KIND,
    url::KIND,
];

#[derive(Default)]
struct Tally {
    cases: usize,
    skipped: BTreeMap<(Line, &'static str), usize>,
    disagreements: Vec<String>,
}

#[test]
fn oracle_timeout() {
    run(&timeout::KIND);
}

#[test]
fn oracle_balance() {
    run(&balance::KIND);
}

#[test]
fn oracle_configurator() {
    run(&configurator::KIND);
}

#[test]
fn oracle_instance() {
    run(&instance::KIND);
}

#[test]
fn oracle_revision() {
    run(&revision::KIND);
}

#[test]
fn oracle_url() {
    run(&url::KIND);
}

#[test]
fn oracle_match() {
    run(&matching::KIND);
}

#[test]
fn oracle_migration() {
    run(&readers::MIGRATION);
}

#[test]
fn oracle_affinity() {
    run(&readers::AFFINITY);
}

#[test]
fn oracle_counts_are_those_of_the_table() {
    let table = std::fs::read_to_string(fixtures().join("COUNTS.tsv")).unwrap();
    let mut rows = 0;
    for row in table.lines().skip(1) {
        let (file, count) = row.split_once('\t').unwrap();
        let (kind, _) = file.split_once('/').unwrap();
        assert!(
            kind == "yaml" || KINDS.iter().any(|k| k.name == kind),
            "{file}: no test reads this kind"
        );
        assert_eq!(
            cases(&fixtures().join(file)).count(),
            count.parse::<usize>().unwrap(),
            "{file}"
        );
        rows += 1;
    }
    let mut files = 0;
    for kind in &KINDS {
        for name in kind.files() {
            files += tree_files(&fixtures(), kind.name, &name).len();
        }
    }
    for version in diag::rule::yaml::YamlVersion::ALL {
        files += yaml::files(&fixtures(), version).len();
    }
    assert_eq!(rows, files, "rows of COUNTS.tsv against files found");
}

fn run(kind: &Kind) {
    let everything = std::env::var_os("DIAG_ORACLE_ALL").is_some_and(|v| v == "1");
    let mut all = Tally::default();
    for name in kind.files() {
        let files = tree_files(&fixtures(), kind.name, &name);
        let expected = if kind.patches.contains(&name.as_str()) {
            1
        } else {
            2
        };
        assert_eq!(files.len(), expected, "{name} {}: files", kind.name);
        let step = if everything { 1 } else { 20 };
        ask(kind, &version_of(&name), &files, step, &mut all);
    }
    let skipped = all.skipped.clone();
    if let Some(dir) = further() {
        for name in kind.files() {
            let files = tree_files(&dir, kind.name, &name);
            ask(kind, &version_of(&name), &files, 1, &mut all);
        }
    }
    assert!(all.cases > 0);
    assert!(
        all.disagreements.is_empty(),
        "{} disagreements with the real classes in {}; the first ones:\n{}",
        all.disagreements.len(),
        kind.name,
        all.disagreements[..all.disagreements.len().min(15)].join("\n")
    );
    if everything {
        let expected: BTreeMap<_, _> = kind
            .skipped
            .iter()
            .map(|&(line, why, n)| ((line, why), n))
            .collect();
        assert_eq!(skipped, expected, "skipped cases of {}", kind.name);
    }
}

/// The tree that `DIAG_ORACLE_DIR` names. One that holds no case of any kind is a wrong name, and no agreement.
fn further() -> Option<PathBuf> {
    let dir = PathBuf::from(std::env::var_os("DIAG_ORACLE_DIR")?);
    assert!(
        holds_cases(&dir),
        "DIAG_ORACLE_DIR={}: no case lies there",
        dir.display()
    );
    Some(dir)
}

fn holds_cases(tree: &Path) -> bool {
    let has_one = |file: &PathBuf| cases(file).next().is_some();
    let mut of_kinds = KINDS.iter().flat_map(|kind| {
        kind.files()
            .flat_map(|name| tree_files(tree, kind.name, &name))
    });
    of_kinds.any(|file| has_one(&file))
        || routing::further_files(tree).any(|(_, _, file)| has_one(&file))
        || diag::rule::yaml::YamlVersion::ALL
            .into_iter()
            .any(|version| yaml::files(tree, version).iter().any(has_one))
}

#[test]
fn a_tree_without_a_case_is_no_agreement() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(!holds_cases(folder.path()));
    assert!(!holds_cases(&folder.path().join("nowhere")));
    std::fs::create_dir(folder.path().join("timeout")).expect("a folder");
    std::fs::write(folder.path().join("timeout/3.2.jsonl"), "").expect("a file");
    assert!(!holds_cases(folder.path()));
    assert!(holds_cases(&fixtures()));
}

/// Asks every `step`th case of some files of one version and prints a line about it.
fn ask(kind: &Kind, version: &DubboVersion, files: &[PathBuf], step: usize, all: &mut Tally) {
    if files.is_empty() {
        return;
    }
    let line = version.line();
    let (mut asked, mut skipped, before) = (0, 0, all.disagreements.len());
    for file in files {
        for case in cases(file).step_by(step) {
            match (kind.check)(&case, version) {
                Outcome::Agrees => asked += 1,
                Outcome::Disagrees(why) => {
                    asked += 1;
                    let id = case["id"].as_str().unwrap_or_default();
                    let mut question = case.clone();
                    if let Some(map) = question.as_object_mut() {
                        map.shift_remove("out");
                    }
                    all.disagreements
                        .push(format!("{version} {id} {question}\n{why}"));
                }
                Outcome::Skipped(why) => {
                    skipped += 1;
                    *all.skipped.entry((line, why)).or_default() += 1;
                }
            }
        }
    }
    all.cases += asked;
    let disagreements = all.disagreements.len() - before;
    let name = kind.name;
    println!("{version} {name}: {asked} cases, {disagreements} disagreements, {skipped} skipped");
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/oracle")
}

/// The files of a kind and version in a tree: random, hand-made and with gson as Dubbo's JSON library, plain or
/// compressed; absent ones are left out.
fn tree_files(tree: &Path, kind: &str, version: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (prefix, suffix) in [("", ""), ("hand-", ""), ("", "-gson")] {
        for end in ["jsonl", "jsonl.gz"] {
            let name = format!("{prefix}{version}{suffix}.{end}");
            let file = tree.join(kind).join(name);
            if file.is_file() {
                found.push(file);
            }
        }
    }
    found
}

/// The cases of one file.
fn cases(file: &Path) -> impl Iterator<Item = Value> + use<> {
    let name = file.display().to_string();
    let bytes = std::fs::File::open(file).unwrap_or_else(|e| panic!("{name}: {e}"));
    let text: Box<dyn Read> = if file.extension().is_some_and(|e| e == "gz") {
        Box::new(MultiGzDecoder::new(bytes))
    } else {
        Box::new(bytes)
    };
    BufReader::new(text)
        .lines()
        .enumerate()
        .filter_map(move |(n, line)| {
            let line = line.unwrap_or_else(|e| panic!("{name}:{}: {e}", n + 1));
            if line.trim().is_empty() {
                return None;
            }
            // Answers about nested collections are deeper than serde_json reads by itself.
            let mut reader = serde_json::Deserializer::from_str(&line);
            reader.disable_recursion_limit();
            let case = Value::deserialize(&mut reader);
            Some(case.unwrap_or_else(|e| panic!("{name}:{}: {e}", n + 1)))
        })
}
