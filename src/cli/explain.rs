//! `diag explain` and `diag completions`.

use clap::{Args, ValueEnum};

use super::OutputFlags;

/// What does this code or error text mean? Works offline.
#[derive(Debug, Clone, Default, Args)]
#[command(before_help = "Examples:
  diag explain DG2101
  diag explain \"No provider available for the service\" --lang zh")]
pub struct ExplainArgs {
    /// A code (DG2101, Dubbo's 2-2) or words of an error text
    #[arg(value_name = "CODE|TEXT", required = true)]
    pub words: Vec<String>,
    /// How it is shown.
    #[command(flatten)]
    pub output: OutputFlags,
}

/// Print a completion script for a shell.
#[derive(Debug, Clone, Args)]
#[command(before_help = "Examples:
  diag completions bash > /etc/bash_completion.d/diag
  diag completions zsh > ~/.zfunc/_diag")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// Shells with a completion script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// bash
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
    /// `PowerShell`
    Powershell,
    /// elvish
    Elvish,
}
