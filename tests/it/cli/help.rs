//! The help of every verb, so that no change to the command line goes unseen.

use super::run;

#[test]
fn help_of_every_verb() {
    for (name, args) in [
        ("diag", &["--help"][..]),
        ("no-provider", &["no-provider", "--help"]),
        ("snapshot", &["snapshot", "--help"]),
        ("route-replay", &["route-replay", "--help"]),
        ("timeout-budget", &["timeout-budget", "--help"]),
        ("lint", &["lint", "--help"]),
        ("explain", &["explain", "--help"]),
        ("completions", &["completions", "--help"]),
        ("config", &["config", "--help"]),
        ("config-show", &["config", "show", "--help"]),
        ("config-init", &["config", "init", "--help"]),
        ("short", &["no-provider", "-h"]),
    ] {
        let done = run(args);
        assert_eq!((done.exit, done.stderr.as_str()), (0, ""), "{name}");
        assert!(
            done.stdout.lines().all(|line| line.chars().count() <= 80),
            "{name}"
        );
        insta::assert_snapshot!(format!("help_{name}"), done.stdout);
    }
}

#[test]
fn version() {
    let done = run(&["--version"]);
    assert_eq!(
        (done.exit, done.stdout),
        (0, format!("diag {}\n", env!("CARGO_PKG_VERSION")))
    );
}
