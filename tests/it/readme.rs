//! What the README shows is what the program prints.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a README that does not have what is looked for is a failing test"
)]

use std::path::Path;

use crate::cli::{Done, diag, done};

/// The text of the first fenced block of a language.
fn block<'a>(readme: &'a str, language: &str) -> &'a str {
    let fence = format!("```{language}\n");
    let start = readme.find(&fence).unwrap() + fence.len();
    let length = readme[start..].find("```").unwrap();
    &readme[start..start + length]
}

#[test]
fn the_first_command_prints_the_screen_that_is_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let mut commands = block(&readme, "sh").lines();
    assert_eq!(commands.next(), Some("cargo install --path ."));
    let command = commands.next().unwrap();
    let words: Vec<&str> = command.strip_prefix("diag ").unwrap().split(' ').collect();
    let home = tempfile::tempdir().unwrap();
    let Done { exit, stdout, .. } = done(diag(home.path()).current_dir(root).args(words));
    assert_eq!(exit, 1);
    assert_eq!(stdout, block(&readme, "text"));
}
