//! What the router chain answers to a call, for ten versions.
//!
//! Another layout than the other kinds: `routing/<version>/<kind>.jsonl.gz` (random) and
//! `routing/hand/<version>.jsonl.gz` (hand-made), each line a case with its `answer`. `routing/<version>/found.jsonl` holds
//! what `tests/lab/run --differential` found and shrank; all of it always runs. `compare` beside this file says what is
//! compared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use diag::model::version::DubboVersion;

mod compare;

use compare::compare;

const VERSIONS: [&str; 10] = [
    "2.7.8", "2.7.23", "3.0.5", "3.0.15", "3.1.0", "3.1.11", "3.2.0", "3.2.16", "3.3.0", "3.3.6",
];

#[test]
fn oracle_routing() {
    let everything = std::env::var_os("DIAG_ORACLE_ALL").is_some_and(|v| v == "1");
    let only = std::env::var("DIAG_ORACLE_ONLY").unwrap_or_default();
    let mut disagreements = Vec::new();
    let mut total = 0;
    let mut counts = BTreeMap::new();
    for version in VERSIONS {
        for (kind, file) in files(&super::fixtures().join("routing"), version) {
            counts.insert(format!("{version}/{kind}"), super::cases(&file).count());
            if !format!("{version} {kind}").contains(&only) {
                continue;
            }
            total += ask(
                version,
                &kind,
                &file,
                if everything || kind == "found" { 1 } else { 20 },
                &mut disagreements,
            );
        }
    }
    if let Some(dir) = super::further() {
        for (version, kind, file) in further_files(&dir) {
            if !format!("{version} {kind}").contains(&only) {
                continue;
            }
            total += ask(version, &kind, &file, 1, &mut disagreements);
        }
    }
    assert!(total > 0);
    let table = std::fs::read_to_string(super::fixtures().join("routing/COUNTS.tsv"))
        .expect("a table of counts");
    let expected: BTreeMap<String, usize> = table
        .lines()
        .skip(1)
        .filter_map(|row| row.split_once('\t'))
        .map(|(file, count)| (file.to_owned(), count.parse().expect("a count")))
        .collect();
    assert_eq!(counts, expected, "cases in the files against COUNTS.tsv");
    assert!(
        disagreements.is_empty(),
        "{} disagreements with the real routers in {total} cases; the first ones:\n{}",
        disagreements.len(),
        disagreements[..disagreements.len().min(12)].join("\n")
    );
}

/// The files of another tree: version, kind, file.
pub(super) fn further_files(tree: &Path) -> impl Iterator<Item = (&'static str, String, PathBuf)> {
    ["routing", "routing/corpus"]
        .into_iter()
        .flat_map(move |root| {
            let root = tree.join(root);
            VERSIONS.into_iter().flat_map(move |version| {
                let found = files(&root, version).into_iter();
                found.map(move |(kind, file)| (version, kind, file))
            })
        })
}

/// The files of a version: random kinds and `hand`.
fn files(root: &Path, version: &str) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    if let Ok(entries) = std::fs::read_dir(root.join(version)) {
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(kind) = name
                .strip_suffix(".gz")
                .unwrap_or(&name)
                .strip_suffix(".jsonl")
            else {
                continue;
            };
            found.push((kind.to_owned(), entry.path()));
        }
    }
    found.sort();
    for end in ["jsonl", "jsonl.gz"] {
        let file = root.join(format!("hand/{version}.{end}"));
        if file.is_file() {
            found.push(("hand".to_owned(), file));
        }
    }
    found
}

fn ask(
    version: &str,
    kind: &str,
    file: &Path,
    step: usize,
    disagreements: &mut Vec<String>,
) -> usize {
    let dubbo = DubboVersion::parse(version).expect("a version of the list");
    let before = disagreements.len();
    let mut asked = 0;
    for case in super::cases(file).step_by(step) {
        asked += 1;
        let mut found = String::new();
        compare(&case, &dubbo, &mut found);
        if !found.is_empty() {
            let mut question = case.clone();
            if let Some(map) = question.as_object_mut() {
                map.shift_remove("answer");
            }
            disagreements.push(format!(
                "{version} {} {question}\n{found}",
                case["id"].as_str().unwrap_or_default()
            ));
        }
    }
    println!(
        "{version} {kind}: {asked} cases, {} disagreements",
        disagreements.len() - before
    );
    asked
}
