//! `diag lint`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueHint};

use super::Common;

/// Is this rule text what its author thinks it is, for these Dubbo versions?
#[derive(Debug, Clone, Default, Args)]
#[command(before_help = "Examples:
  diag lint order-web.condition-router --matrix 2.7.23,3.2.16,3.3.6
  diag lint com.acme.Order%3A%3A.condition-router --snapshot incident.tar.gz")]
pub struct LintArgs {
    /// Rule files (- = stdin)
    ///
    /// Condition, tag, script, mesh and affinity rules, configurators, migration rules, and the registry's own rule
    /// URLs (override://, condition://, script://), one a line.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Key under which the rule is kept (default: the file's name)
    ///
    /// Its ending says what kind of rule it is: .condition-router, .tag-router, .script-router, .MESHAPPRULE,
    /// .affinity-router, .configurators, .migration. Without one the fields of the text decide.
    #[arg(long, value_name = "KEY", value_hint = ValueHint::Other)]
    pub key: Option<String>,
    /// Several versions side by side: what differs between them
    #[arg(long, value_name = "VERSION,..", value_hint = ValueHint::Other, value_delimiter = ',', action = ArgAction::Append, conflicts_with = "dubbo")]
    pub matrix: Vec<String>,
    /// Provider URLs, one a line, to compare addresses with
    #[arg(long, value_name = "FILE")]
    pub providers: Option<PathBuf>,
    /// Service whose providers the rule concerns (default: the one in its key)
    #[arg(long, value_name = "SERVICE", value_hint = ValueHint::Other, action = ArgAction::Append)]
    pub service: Vec<String>,
    /// Flags of all verbs.
    #[command(flatten)]
    pub common: Common,
}
