//! `diag config`.

use clap::{Args, Subcommand};

use super::OutputFlags;

/// Show the settings in force and where each came from.
#[derive(Debug, Clone, Args)]
#[command(before_help = "Examples:
  diag config show --origin --profile prod
  diag config init > ~/.config/diag/diag.toml")]
pub struct ConfigArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: ConfigVerb,
}

/// The verbs of `config`.
#[derive(Debug, Clone, Subcommand)]
pub enum ConfigVerb {
    /// The settings in force
    #[command(before_help = "Examples:
  diag config show
  diag config show --origin --profile prod")]
    Show {
        /// Say where each value came from
        #[arg(long)]
        origin: bool,
        /// How it is shown.
        #[command(flatten)]
        output: Box<OutputFlags>,
    },
    /// A commented template of diag.toml
    #[command(before_help = "Examples:
  diag config init
  diag config init > ~/.config/diag/diag.toml")]
    Init,
}
