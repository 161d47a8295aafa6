//! Every command of `docs/runbooks.md`: those with an answer are run and compared, the others are read by the parser of the
//! command line.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a missing page is a failing test"
)]

use clap::Parser as _;
use diag::cli::Cli;

use crate::cli::{diag, done};

/// The words of a line as a shell gives them; only single quotes occur.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for sign in line.chars() {
        match sign {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_command_gives_what_the_page_says() {
    let text = std::fs::read_to_string("docs/runbooks.md").unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (mut run, mut read) = (0, 0);
    let mut problems = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(command) = line.strip_prefix("diag ") else {
            continue;
        };
        let args = words(command);
        let Some(answer) = lines
            .get(index + 1)
            .and_then(|next| next.strip_prefix("# "))
        else {
            let parsed = Cli::try_parse_from(std::iter::once("diag".to_owned()).chain(args));
            if let Err(error) = parsed {
                problems.push(format!("{line}\n{error}"));
            }
            read += 1;
            continue;
        };
        run += 1;
        let home = tempfile::tempdir().unwrap();
        let done = done(
            diag(home.path())
                .current_dir(env!("CARGO_MANIFEST_DIR"))
                .args(&args)
                .args(["-o", "json"]),
        );
        let report = if done.stdout.is_empty() {
            problems.push(format!("{line}\n{}", done.stderr));
            continue;
        } else {
            done.json()
        };
        let first = &report["reports"][0];
        let outcome = first["outcome"].as_str().unwrap_or("-");
        let [exit, wanted, code] = answer.split(", ").collect::<Vec<_>>()[..] else {
            panic!("{answer}");
        };
        let found = first["findings"]
            .as_array()
            .unwrap()
            .iter()
            .chain([&first["verdict"]])
            .any(|finding| finding["code"] == code);
        if exit != format!("exit {}", done.exit) || wanted != outcome || !(found || code == "-") {
            problems.push(format!(
                "{line}\n{answer} expected, got exit {}, {outcome}",
                done.exit
            ));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
    assert!(run >= 11 && read >= 14, "{run} run, {read} read");
}

#[test]
fn the_page_has_the_nine_symptoms_and_the_drill() {
    let text = std::fs::read_to_string("docs/runbooks.md").unwrap();
    for number in 1..=9 {
        assert!(text.contains(&format!("\n## {number}. ")), "{number}");
    }
    assert!(text.contains("\n## Drill: a room is down\n"));
    let readme = std::fs::read_to_string("README.md").unwrap();
    assert!(readme.contains("(docs/runbooks.md)"));
}
