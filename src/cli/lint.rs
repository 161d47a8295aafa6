//! `diag lint`.

use std::path::PathBuf;

use clap::Args;

use super::Common;

/// Is this rule text what its author thinks it is, for these Dubbo versions? (not in this version)
#[derive(Debug, Clone, Default, Args)]
#[command(before_help = "Examples:
  diag lint order-web.condition-router --dubbo 3.2.16
  diag lint rules/*.yaml -o json")]
pub struct LintArgs {
    /// Rule files (- = stdin)
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Flags of all verbs.
    #[command(flatten)]
    pub common: Common,
}
