//! Writes the version with the commit into release builds, for `diag --version`. Development builds do without the commit,
//! so that a commit alone compiles nothing anew.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script is told by cargo through the environment"
)]

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=DIAG_COMMIT");
    let text = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
    let version = text("CARGO_PKG_VERSION").unwrap_or_default();
    let commit = text("DIAG_COMMIT").or_else(|| {
        let release = text("PROFILE").is_some_and(|profile| profile == "release");
        if release { head() } else { None }
    });
    let shown = commit.map_or_else(|| version.clone(), |commit| format!("{version} ({commit})"));
    println!("cargo:rustc-env=DIAG_VERSION={shown}");
}

/// The short name of the commit, when this is a checkout and git is there.
fn head() -> Option<String> {
    // The log of HEAD grows with every commit; HEAD itself only names a branch.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

/// What git answers, unless that is nothing.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
