use clap::{CommandFactory, error::ErrorKind};

use super::*;

fn try_parse(args: &[&str]) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(std::iter::once("diag").chain(args.iter().copied()))
}

/// Every command with its path, `diag config show` included.
fn commands() -> Vec<(String, clap::Command)> {
    fn walk(path: &str, command: &clap::Command, out: &mut Vec<(String, clap::Command)>) {
        out.push((path.to_owned(), command.clone()));
        for sub in command.get_subcommands() {
            walk(&format!("{path} {}", sub.get_name()), sub, out);
        }
    }
    let mut root = Cli::command();
    root.build();
    let mut out = Vec::new();
    walk("diag", &root, &mut out);
    out
}

#[test]
fn clap_finds_no_contradiction() {
    Cli::command().debug_assert();
}

#[test]
fn every_help_begins_with_two_examples_and_fits() {
    for (path, command) in commands() {
        for text in [
            command.clone().render_help().to_string(),
            command.clone().render_long_help().to_string(),
        ] {
            let mut lines = text.lines();
            assert_eq!(lines.next(), Some("Examples:"), "{path}");
            let examples = lines
                .by_ref()
                .take_while(|line| line.starts_with("  diag"))
                .count();
            assert_eq!(examples, 2, "{path}");
            assert!(
                text.lines().all(|line| line.chars().count() <= 80),
                "{path}:\n{text}"
            );
        }
    }
}

#[test]
fn every_flag_is_described() {
    for (path, command) in commands() {
        for argument in command.get_arguments() {
            assert!(
                argument.get_help().is_some(),
                "{path} {}",
                argument.get_id()
            );
        }
    }
}

#[test]
fn the_examples_of_the_help_parse() {
    for (path, command) in commands() {
        let text = command.clone().render_help().to_string();
        for line in text
            .lines()
            .skip(1)
            .take_while(|line| line.starts_with("  diag"))
        {
            let line = line
                .split(" > ")
                .next()
                .unwrap_or(line)
                .replace(" \\\"", "");
            let words: Vec<&str> = line.split_whitespace().skip(1).collect();
            assert!(try_parse(&words).is_ok(), "{path}: {line}");
        }
    }
}

#[test]
fn near_words_are_offered() {
    let text = try_parse(&["no-providr", "a.B"]).unwrap_err().to_string();
    assert!(text.contains("no-provider"), "{text}");
    let text = try_parse(&["no-provider", "a.B", "--regstry", "x"])
        .unwrap_err()
        .to_string();
    assert!(text.contains("--registry"), "{text}");
}

#[test]
fn contradictions_are_refused() {
    for args in [
        &[
            "no-provider",
            "a.B",
            "--password-env",
            "A",
            "--password-file",
            "B",
        ][..],
        &["no-provider", "a.B", "--brief", "-o", "json"],
        &["no-provider", "a.B", "-q", "-v"],
        &["snapshot", "--all", "a.B", "--out", "x"],
    ] {
        assert_eq!(
            try_parse(args).unwrap_err().kind(),
            ErrorKind::ArgumentConflict,
            "{args:?}"
        );
    }
    assert!(try_parse(&["snapshot", "a.B"]).is_err());
    assert!(try_parse(&["snapshot", "a.B", "--dry-run"]).is_ok());
}

#[test]
fn lists_are_lists() {
    let Cli {
        verb: Verb::NoProvider(args),
    } = try_parse(&[
        "no-provider",
        "a.B",
        "c.D",
        "--registry",
        "x",
        "--registry",
        "y",
        "--require",
        "qos,probe",
        "--arg",
        "-1",
        "--param",
        "a=b=c",
        "--attachment",
        "k=v",
    ])
    .unwrap()
    else {
        panic!("another verb");
    };
    assert_eq!(args.services, ["a.B", "c.D"]);
    assert_eq!(args.common.registry.registry, ["x", "y"]);
    assert_eq!(args.common.sight.require, ["qos", "probe"]);
    assert_eq!(args.common.invocation.arg, ["-1"]);
    assert_eq!(args.common.consumer.param[0].value, "b=c");
}
