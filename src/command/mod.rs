//! One file per verb: settings -> observe -> diagnose -> render. The only place where all rooms meet.

mod completions;
mod config;
mod explain;
mod files;
mod guard;
mod lint;
mod live;
mod names;
mod no_provider;
mod questions;
mod recorded;
mod route_replay;
mod show;
mod snapshot;
mod stream;
mod timeout_budget;
mod unbuilt;
mod wait;

use std::ffi::OsString;

use clap::{Parser as _, error::ErrorKind};

use crate::{
    cli::{Cli, OutputFlags, Verb},
    error::complaint,
    exit::Exit,
    question::mask_address,
    report::words::Lang,
    settings::{Environment, Settings, Terminal},
};

/// What a verb may know of the process.
#[derive(Debug, Clone)]
struct Surroundings {
    environment: Environment,
    terminal: Terminal,
}

/// Tells the user something before the answer, unless they asked for quiet.
fn warn(flags: &OutputFlags, warnings: &[String]) {
    if !flags.quiet {
        for warning in warnings {
            stream::warn(warning);
        }
    }
}

/// What the settings make of this run before it begins: the language of errors, and warnings.
fn begin(flags: &OutputFlags, settings: &Settings) {
    if let Some(lang) = settings.lang {
        stream::speak(lang);
    }
    warn(flags, &settings.warnings);
}

/// Runs the program with these arguments, the program's name first. Writes the report to stdout and everything else to
/// stderr; never ends the process itself.
pub fn main(args: impl IntoIterator<Item = OsString>) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    guard::guarded(|| run(&args))
}

fn run(args: &[OsString]) -> Exit {
    let environment = Environment::of_process();
    let around = Surroundings {
        terminal: Terminal::of_process(&environment),
        environment,
    };
    if args.get(1).is_some_and(|word| word == names::WORD) {
        return names::run(&args[2..], &around);
    }
    stream::speak(language(args).unwrap_or_else(|| around.environment.lang()));
    let verb = match Cli::try_parse_from(args) {
        Ok(cli) => cli.verb,
        Err(error) => return refuse(&error, args),
    };
    start_log(&verb);
    match dispatch(&verb, &around) {
        Ok(exit) => exit,
        Err(error) => {
            let complaint = complaint(&error);
            stream::note(&complaint.to_string());
            complaint.exit
        }
    }
}

/// The language that the line asks for, also a line that is wrong elsewhere.
fn language(args: &[OsString]) -> Option<Lang> {
    let words: Vec<&str> = args.iter().filter_map(|word| word.to_str()).collect();
    let behind = words
        .windows(2)
        .find_map(|pair| (pair[0] == "--lang").then_some(pair[1]));
    match behind.or_else(|| words.iter().find_map(|word| word.strip_prefix("--lang="))) {
        Some("zh") => Some(Lang::Zh),
        Some("en") => Some(Lang::En),
        _ => None,
    }
}

fn dispatch(verb: &Verb, around: &Surroundings) -> anyhow::Result<Exit> {
    match verb {
        Verb::NoProvider(args) => no_provider::run(args, around),
        Verb::Snapshot(args) => snapshot::run(args, around),
        Verb::TimeoutBudget(args) => timeout_budget::run(args, around),
        Verb::RouteReplay(args) => route_replay::run(args, around),
        Verb::Lint(args) => lint::run(args, around),
        Verb::Explain(args) => explain::run(args, around),
        Verb::Completions(args) => completions::run(args, around),
        Verb::Config(args) => config::run(args, around),
    }
}

/// Shows help, version or what the parser did not like. Its texts may quote an argument: addresses in it are masked.
fn refuse(error: &clap::Error, args: &[OsString]) -> Exit {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    ) {
        return stream::report(&error.to_string(), Exit::Fine).unwrap_or(Exit::Input);
    }
    let mut text = error.to_string();
    for argument in args.iter().filter_map(|argument| argument.to_str()) {
        let value = argument.split_once('=').map_or(argument, |(name, value)| {
            if name.starts_with('-') {
                value
            } else {
                argument
            }
        });
        let masked = mask_address(value);
        if masked != value && !is_service(value) {
            text = text.replace(value, &masked);
        }
    }
    let safe: Vec<String> = text.lines().map(crate::report::safe).collect();
    stream::note(&(safe.join("\n") + "\n"));
    Exit::Usage
}

/// Whether an argument is the key of a service, `[group/]com.acme.Order:1.0.0`: what looks like a port is a version.
fn is_service(argument: &str) -> bool {
    let named = argument.rsplit_once('/').map_or(argument, |(_, rest)| rest);
    let mut parts = named.split(':');
    let name = parts.next().unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let is_interface = name.rsplit_once('.').is_some_and(|(_, last)| {
        last.starts_with(char::is_uppercase) && name.chars().all(|c| c == '.' || is_word(c))
    });
    let version = parts.next().unwrap_or_default();
    is_interface
        && parts.next().is_none()
        && version.starts_with(|c: char| c.is_ascii_digit())
        && version.split(['.', '-']).all(|part| {
            part.chars().all(|c| c.is_ascii_digit())
                || ["snapshot", "release", "rc", "beta", "alpha"]
                    .contains(&part.to_ascii_lowercase().as_str())
        })
        && argument.split('/').count() <= 2
        && !argument.contains(['@', '?', '=', '&'])
}

/// `-vv` writes what the program does to stderr.
fn start_log(verb: &Verb) {
    let verbose = match verb {
        Verb::NoProvider(args) => args.common.output.verbose,
        Verb::Snapshot(args) => args.common.output.verbose,
        Verb::TimeoutBudget(args) => args.common.output.verbose,
        Verb::RouteReplay(args) => args.common.output.verbose,
        Verb::Lint(args) => args.common.output.verbose,
        _ => 0,
    };
    let level = match verbose {
        0 | 1 => return,
        2 => tracing::Level::DEBUG,
        _ => tracing::Level::TRACE,
    };
    // Of other crates nothing: what they write is not ours to mask.
    let filter =
        tracing_subscriber::EnvFilter::new(format!("{}={level}", env!("CARGO_CRATE_NAME")));
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .without_time()
        .try_init();
}

#[cfg(test)]
mod tests {
    use super::is_service;

    #[test]
    fn keys_of_services_hold_no_port() {
        for key in [
            "com.adv.Off:1.0",
            "g1/com.x.Order:1.0.0-SNAPSHOT",
            "a.B$C:2",
        ] {
            assert!(is_service(key), "{key}");
        }
        for other in [
            "127.0.0.1:8848",
            "nacos:s3cret",
            "nacos:s3cret@h.Host:1",
            "h.Host:s3cret",
            "h.Host:1?password=x",
            "nacos://u/h.Host:1",
        ] {
            assert!(!is_service(other), "{other}");
        }
    }
}
