//! `case.toml`: the question and the right answer.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// One case as its file has it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Case {
    pub(crate) ask: Vec<String>,
    #[serde(default)]
    pub(crate) outcome: String,
    #[serde(default)]
    pub(crate) code: Vec<String>,
    #[serde(default)]
    pub(crate) certainty: String,
    #[serde(default)]
    pub(crate) then: Vec<String>,
    /// Whether something had to be seen to say all that comes next.
    pub(crate) then_not_seen: Option<bool>,
    #[serde(default)]
    pub(crate) exit: Vec<i32>,
    #[serde(default)]
    pub(crate) findings: Vec<Vec<String>>,
    /// Findings that must not stand there: only in the cases beside the handed ones.
    #[serde(default)]
    pub(crate) without: Vec<String>,
    /// Addresses that a replay leaves, over all classes, sorted.
    pub(crate) survivors: Option<Vec<String>>,
    /// Words that may appear in no output.
    #[serde(default)]
    pub(crate) secrets: Vec<String>,
    /// Remarks of `lint` with their lines; an empty list = none at all.
    pub(crate) expect_lint: Option<Vec<Remark>>,
    /// All remarks of `lint`, in order: code, place, text.
    pub(crate) exact: Option<Vec<String>>,
    /// The last part of the product that is needed.
    #[serde(default)]
    pub(crate) layer: String,
    pub(crate) step: u8,
    /// What was seen beside the evidence.
    #[serde(default)]
    pub(crate) note: String,
    #[serde(skip)]
    pub(crate) dir: PathBuf,
    #[serde(skip)]
    pub(crate) name: String,
}

impl Case {
    /// Method and timeout that the real consumer used: `in force (observed): slow=500(by URL) ..`.
    pub(crate) fn used(&self) -> Option<(String, i64)> {
        let (_, rest) = self.note.split_once("in force (observed): ")?;
        let (method, rest) = rest.split_once('=')?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some((method.to_owned(), digits.parse().ok()?))
    }
}

/// A remark on a rule text: one of the codes, at the line when there is one. `-` = it may be missing.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Remark {
    pub(crate) codes: Vec<String>,
    pub(crate) line: Option<u64>,
}

/// All cases below a folder, by name.
pub(crate) fn cases_under(root: &str) -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(root);
    let mut cases = Vec::new();
    collect(&root, &root, &mut cases);
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!cases.is_empty(), "no case below {}", root.display());
    cases
}

fn collect(root: &Path, dir: &Path, cases: &mut Vec<Case>) {
    for entry in dir.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }
        let file = path.join("case.toml");
        if !file.is_file() {
            collect(root, &path, cases);
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let mut case: Case =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        case.name = path.strip_prefix(root).unwrap().display().to_string();
        case.dir = path;
        cases.push(case);
    }
}
