//! What a package carries: man pages that are those of the program, and files that exist.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read and, when asked to, rewrite the man pages"
)]

use std::path::Path;

use clap::CommandFactory as _;
use diag::cli::Cli;

/// Every command with the name of its page.
fn pages() -> Vec<(String, String)> {
    fn walk(name: &str, command: &clap::Command, out: &mut Vec<(String, String)>) {
        let named = command
            .clone()
            .name(&*Box::leak(name.to_owned().into_boxed_str()))
            .display_name(name.to_owned())
            .version(env!("CARGO_PKG_VERSION"));
        let mut bytes = Vec::new();
        clap_mangen::Man::new(named)
            .date("")
            .source("diag")
            .render(&mut bytes)
            .unwrap();
        out.push((format!("{name}.1"), String::from_utf8(bytes).unwrap()));
        for sub in command.get_subcommands() {
            walk(&format!("{name}-{}", sub.get_name()), sub, out);
        }
    }
    let mut root = Cli::command();
    root.build();
    let mut out = Vec::new();
    walk("diag", &root, &mut out);
    out
}

#[test]
fn the_committed_man_pages_are_those_of_the_program() {
    let pages = pages();
    assert!(pages.len() >= 10);
    for (name, text) in pages {
        let file = Path::new("man").join(&name);
        if std::env::var_os("DIAG_BLESS").is_some() {
            std::fs::create_dir_all("man").unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            kept == text,
            "{}: DIAG_BLESS=1 cargo test --test it man_pages writes it",
            file.display()
        );
        assert!(text.contains(".SH"), "{name}");
    }
}

#[test]
fn the_package_names_files_that_exist() {
    let manifest: toml::Table =
        toml::from_str(&std::fs::read_to_string("Cargo.toml").unwrap()).unwrap();
    let assets = manifest["package"]["metadata"]["deb"]["assets"]
        .as_array()
        .unwrap();
    assert!(assets.len() >= 7);
    // The licence becomes usr/share/doc/diag/copyright.
    let licence = manifest["package"]["metadata"]["deb"]["license-file"][0].as_str();
    let licence = std::fs::read_to_string(licence.unwrap()).unwrap();
    assert!(licence.contains("Apache License"), "{licence}");
    for asset in assets {
        let source = asset[0].as_str().unwrap();
        if source == "target/release/diag" {
            continue;
        }
        let found = match source.split_once('*') {
            Some((folder, end)) => Path::new(folder)
                .read_dir()
                .unwrap()
                .any(|entry| entry.unwrap().file_name().to_string_lossy().ends_with(end)),
            None => Path::new(source).is_file(),
        };
        assert!(found, "{source}");
    }
}

/// What the build script tells cargo: the commit in a release build and where it is given, none in a development build.
#[test]
fn the_version_of_a_release_build_names_the_commit() {
    let home = tempfile::tempdir().unwrap();
    let script = home.path().join("script");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let built = std::process::Command::new(rustc)
        .args(["--edition", "2024", "build.rs", "-o"])
        .arg(&script)
        .output()
        .unwrap();
    assert!(built.status.success(), "{built:?}");
    let version = |profile: &str, commit: Option<&str>| {
        let mut command = std::process::Command::new(&script);
        command
            .env("CARGO_PKG_VERSION", "1.2.3")
            .env("PROFILE", profile)
            .env_remove("DIAG_COMMIT");
        if let Some(commit) = commit {
            command.env("DIAG_COMMIT", commit);
        }
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("cargo:rustc-env=DIAG_VERSION="));
        line.unwrap().to_owned()
    };
    assert_eq!(version("debug", None), "1.2.3");
    assert_eq!(version("debug", Some("abc123")), "1.2.3 (abc123)");
    assert_eq!(version("release", Some("abc123")), "1.2.3 (abc123)");
    let head = std::process::Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output();
    if let Some(head) = head.ok().filter(|head| head.status.success()) {
        let head = String::from_utf8(head.stdout).unwrap();
        assert_eq!(version("release", None), format!("1.2.3 ({})", head.trim()));
    }
}
