//! The help of every verb, so that no change to the command line goes unseen.

use clap::CommandFactory as _;
use diag::cli::Cli;

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
        let mut lines = done.stdout.lines();
        assert_eq!(lines.next(), Some("Examples:"), "{name}");
        let examples = lines.take_while(|line| line.starts_with("  diag ")).count();
        assert_eq!(examples, 2, "{name}");
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

/// Flags that runbooks and scripts are written against. A flag may be refused as not built, never be unknown.
const COMMON: [&str; 42] = [
    "registry",
    "namespace",
    "registry-group",
    "username",
    "password-env",
    "password-file",
    "password-command",
    "also-search",
    "config-center",
    "metadata-report",
    "snapshot",
    "qos",
    "attach",
    "from-log",
    "consumer-app",
    "consumer-ip",
    "param",
    "client",
    "consumer",
    "consumer-since",
    "method",
    "arg",
    "attachment",
    "jdk",
    "dubbo",
    "zone",
    "zone-key",
    "consumer-zone",
    "probe",
    "no-sweep",
    "profile",
    "config",
    "output",
    "brief",
    "lang",
    "deadline",
    "request-timeout",
    "fail-on",
    "skip",
    "only",
    "require",
    "color",
];
const OF_VERBS: [(&str, &[&str]); 5] = [
    (
        "no-provider",
        &["wait", "compare", "group", "service-version"],
    ),
    (
        "timeout-budget",
        &[
            "p99",
            "p99-side",
            "samples",
            "prometheus",
            "rtt",
            "link",
            "serialization",
            "payload",
            "bandwidth",
            "factor",
            "pick",
            "upstream",
            "write",
            "chain",
            "try",
            "qps",
        ],
    ),
    (
        "route-replay",
        &[
            "rules",
            "providers",
            "requests",
            "access-log",
            "candidate",
            "max-shift",
            "without",
            "matrix",
            "router",
        ],
    ),
    ("snapshot", &["all", "out", "dry-run", "anonymize"]),
    ("lint", &["key", "matrix", "providers"]),
];

#[test]
fn every_promised_flag_is_there() {
    let command = Cli::command();
    let mut missing = Vec::new();
    for (verb, own) in OF_VERBS {
        let verb = command.find_subcommand(verb).unwrap();
        for flag in COMMON.iter().chain(own) {
            if !verb.get_arguments().any(|one| one.get_long() == Some(flag)) {
                missing.push(format!("{} --{flag}", verb.get_name()));
            }
        }
        for short in ['n', 'o', 'v', 'q'] {
            if !verb
                .get_arguments()
                .any(|one| one.get_short() == Some(short))
            {
                missing.push(format!("{} -{short}", verb.get_name()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
    // Second names, and what only one verb has.
    for line in [
        "no-provider a.B --context p",
        "no-provider a.B --color never",
        "route-replay a.B -f a.B::.tag-router=r.yaml",
        "config show --origin",
        "config init",
        "explain 2-2",
        "completions elvish",
    ] {
        let words = std::iter::once("diag").chain(line.split(' '));
        assert!(Cli::command().try_get_matches_from(words).is_ok(), "{line}");
    }
}
