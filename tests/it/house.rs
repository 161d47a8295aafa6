//! The house keeps its shape: rooms depend in one direction, no test file is forgotten, no file grows too long.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "an unreadable source file is a failing test"
)]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// What each room may use besides itself. A room that is missing here may use nothing.
const MAY_USE: [(&str, &[&str]); 17] = [
    ("model", &[]),
    ("rule", &["model"]),
    ("route", &["model", "rule"]),
    ("input", &["model"]),
    ("question", &["model", "input"]),
    ("snapshot", &["model"]),
    ("pseudonym", &["model", "snapshot"]),
    (
        "view",
        &[
            "code", "words", "model", "rule", "route", "input", "question", "snapshot",
        ],
    ),
    ("budget", &["model", "rule", "view"]),
    (
        "diagnose",
        &[
            "budget", "code", "words", "model", "rule", "route", "input", "question", "snapshot",
            "view",
        ],
    ),
    (
        "replay",
        &[
            "code", "words", "model", "rule", "route", "input", "question", "snapshot", "view",
            "diagnose",
        ],
    ),
    (
        "want",
        &["model", "question", "snapshot", "view", "diagnose"],
    ),
    (
        "report",
        &[
            "code", "exit", "words", "model", "input", "question", "snapshot", "view", "diagnose",
            "replay",
        ],
    ),
    ("observe", &["input", "model", "question", "snapshot"]),
    ("cli", &["code", "model"]),
    (
        "settings",
        &[
            "cli", "report", "error", "model", "question", "route", "words", "code",
        ],
    ),
    (
        "command",
        &[
            "budget",
            "cli",
            "settings",
            "code",
            "words",
            "model",
            "rule",
            "route",
            "input",
            "question",
            "snapshot",
            "pseudonym",
            "view",
            "diagnose",
            "replay",
            "want",
            "report",
            "observe",
            "progress",
            "error",
            "exit",
        ],
    ),
];

fn sources(root: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from(root)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The rooms that a source text names behind `crate::`, grouped imports included.
fn rooms_used(text: &str) -> BTreeSet<String> {
    let mut rooms = BTreeSet::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            rooms.insert(word(rest));
            continue;
        };
        let (mut depth, mut item) = (0_u32, String::new());
        for sign in group.chars() {
            match sign {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                _ => {}
            }
            if sign == ',' && depth == 0 {
                rooms.insert(word(std::mem::take(&mut item).trim()));
            } else {
                item.push(sign);
            }
        }
        rooms.insert(word(item.trim()));
    }
    rooms.remove("");
    rooms
}

/// The room of a path. The codes and the words stand inside other rooms, but belong to all.
fn word(text: &str) -> String {
    for (path, room) in [("diagnose::code", "code"), ("report::words", "words")] {
        if text.starts_with(path) {
            return room.to_owned();
        }
    }
    text.chars()
        .take_while(|sign| sign.is_ascii_lowercase() || *sign == '_')
        .collect()
}

fn code_lines(text: &str) -> usize {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//") && !line.trim().is_empty())
        .count()
}

#[test]
fn imports_of_all_forms_are_seen() {
    let text = "use crate::{\n    model::{a, b},\n    view::stage,\n};\nlet x = crate::rule::y();";
    let rooms: Vec<_> = rooms_used(text).into_iter().collect();
    assert_eq!(rooms, ["model", "rule", "view"]);
}

#[test]
fn rooms_depend_in_one_direction() {
    let mut wrong = Vec::new();
    let mut looked_at = 0;
    for (room, allowed) in MAY_USE {
        let mut files = if Path::new("src").join(room).is_dir() {
            sources(&format!("src/{room}"))
        } else {
            Vec::new()
        };
        files.extend(Some(PathBuf::from(format!("src/{room}.rs"))).filter(|file| file.exists()));
        for file in files {
            looked_at += 1;
            let text = fs::read_to_string(&file).unwrap();
            for used in rooms_used(&text) {
                if used != room && !allowed.contains(&used.as_str()) {
                    wrong.push(format!("{} uses {used}", file.display()));
                }
            }
        }
    }
    assert!(looked_at > 100, "the rooms were not found");
    assert!(
        wrong.is_empty(),
        "against the direction of the house:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn no_test_file_is_forgotten() {
    let list = fs::read_to_string("tests/it/main.rs").unwrap();
    for entry in fs::read_dir("tests/it").unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if path.is_file() && name != "main" {
            assert!(
                list.contains(&format!("mod {name};")),
                "{name} is not listed"
            );
        }
    }
}

#[test]
fn files_stay_small_enough_to_read() {
    for file in sources("src") {
        let lines = code_lines(&fs::read_to_string(&file).unwrap());
        assert!(lines <= 600, "{} has {lines} lines of code", file.display());
    }
}

#[test]
fn nothing_names_a_machine() {
    // Spelled in pieces, so that this file does not find itself.
    let words = [
        ["/wo", "rk/"].concat(),
        ["/ro", "ot/"].concat(),
        ["../sh", "ared"].concat(),
    ];
    for folder in ["src", "tests"] {
        for file in sources(folder) {
            let text = fs::read_to_string(&file).unwrap();
            for word in &words {
                assert!(!text.contains(word), "{} has {word}", file.display());
            }
        }
    }
}

/// Kinds of routers: SPI name, the file of its rule (`-` when it reads none), the file of its replay, its fixtures.
const ROUTERS: [(&str, &str, &str, &str); 11] = [
    ("mock", "-", "mock", "mock"),
    ("standard-mesh-rule", "mesh", "mesh", "mesh"),
    (
        "condition",
        "condition/text",
        "condition_url",
        "condition_url",
    ),
    ("script", "script", "script", "script"),
    ("tag", "tag", "tag", "tag"),
    // Without an xDS control plane it passes everything on.
    ("xds", "-", "mod", "mock"),
    ("service", "condition/mod", "listenable", "condition"),
    (
        "provider-app",
        "condition_multi",
        "listenable",
        "condition_multi",
    ),
    ("app", "condition/mod", "condition", "condition"),
    ("address", "-", "address", "address"),
    ("script-app", "script", "script", "script"),
];

/// A router kind is one line in the chain, one file for its rule, one for its replay and one folder of fixtures.
#[test]
fn every_router_kind_is_complete() {
    let chain = fs::read_to_string("src/route/chain.rs").unwrap();
    let mut in_chain: Vec<&str> = chain
        .lines()
        .filter_map(|line| line.trim().strip_prefix("name: \"")?.strip_suffix("\","))
        .collect();
    let mut listed: Vec<&str> = ROUTERS.iter().map(|(name, ..)| *name).collect();
    in_chain.sort_unstable();
    listed.sort_unstable();
    assert_eq!(
        in_chain, listed,
        "kinds of the chain against the list of this test"
    );
    for (name, rule, replay, fixtures) in ROUTERS {
        assert!(
            rule == "-" || Path::new(&format!("src/rule/{rule}.rs")).is_file(),
            "{name}: no rule file {rule}"
        );
        assert!(
            Path::new(&format!("src/route/{replay}.rs")).is_file(),
            "{name}: no replay file {replay}"
        );
        assert!(has_cases(fixtures), "{name}: no case of {fixtures}");
    }
    for kind in ["declared", "affinity", "configurator"] {
        assert!(has_cases(kind), "no case of {kind}");
    }
}

fn has_cases(kind: &str) -> bool {
    fs::read_dir(format!("fixtures/route/{kind}")).is_ok_and(|cases| cases.count() > 0)
}
