//! What was typed, and nothing more: verbs and flags as clap reads them; doc comments are the help text. No logic.
//!
//! Texts that may hold a secret (addresses) stay plain text here, so that no error of the argument parser repeats
//! them; `settings` gives them a meaning.

mod common;
mod config;
mod explain;
mod lint;
mod no_provider;
mod route_replay;
mod snapshot;
mod timeout_budget;
pub mod value;

pub use common::{
    ClientChoice, ColorChoice, Common, ConsumerFlags, FailOn, InvocationFlags, LangChoice, Output,
    OutputFlags, RegistryFlags, SightFlags, StateChoice, ZoneFlags,
};
pub use config::{ConfigArgs, ConfigVerb};
pub use explain::{CompletionsArgs, ExplainArgs, Shell};
pub use lint::LintArgs;
pub use no_provider::NoProviderArgs;
pub use route_replay::RouteReplayArgs;
pub use snapshot::SnapshotArgs;
pub use timeout_budget::TimeoutBudgetArgs;

use clap::{Parser, Subcommand};

/// Why does this Apache Dubbo consumer see no provider? Read-only, answers with the cause, the proof and the next step.
#[derive(Debug, Parser)]
#[command(
    name = "diag",
    version = env!("DIAG_VERSION"),
    before_help = "Examples:
  diag no-provider com.acme.OrderService --registry zookeeper://10.0.0.2:2181
  diag no-provider --from-log error.txt --snapshot incident.tar.gz",
    after_help = "Exit: 0 fine, 1 cause found, 2 usage, 3 unknown, 4 unreadable file, 130 Ctrl-C.",
    max_term_width = 80,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    infer_long_args = false
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Why does this consumer see no provider, or not the one it expects?
    NoProvider(Box<NoProviderArgs>),
    /// Which timeout and retries are in force and why, and what should they be?
    TimeoutBudget(Box<TimeoutBudgetArgs>),
    /// What do the router rules do to these requests?
    RouteReplay(Box<RouteReplayArgs>),
    /// Record what the registries say, to diagnose later or elsewhere
    Snapshot(Box<SnapshotArgs>),
    /// Is this rule text what its author thinks it is?
    Lint(Box<LintArgs>),
    /// What does this code or error text mean?
    Explain(ExplainArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Show the settings and their origin
    Config(ConfigArgs),
}

#[cfg(test)]
mod tests;
