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
    let output = Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    println!("cargo:rerun-if-changed=.git/HEAD");
    let name = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!name.is_empty()).then_some(name)
}
