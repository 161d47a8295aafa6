//! `diag snapshot`.
#![expect(clippy::doc_markdown, reason = "doc comments are the help text")]

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::Common;

/// Record what the registries say, to diagnose later or elsewhere.
#[derive(Debug, Clone, Default, Args)]
#[command(before_help = "Examples:
  diag snapshot com.acme.Orders --registry zookeeper://10.0.0.2:2181 --out a.tgz
  diag snapshot --all --registry zookeeper://10.0.0.2:2181 --out incident")]
pub struct SnapshotArgs {
    /// Service keys [group/]interface[:version] to record
    #[arg(value_name = "SERVICE", value_hint = ValueHint::Other, required_unless_present_any = ["all", "from_log"])]
    pub services: Vec<String>,
    /// Record everything that the registry lets us read
    #[arg(long, conflicts_with = "services")]
    pub all: bool,
    /// Where to write: a directory, or a file that ends in .tar.gz or .tgz
    #[arg(long, value_name = "PATH", required_unless_present = "dry_run")]
    pub out: Option<PathBuf>,
    /// Print every request instead of making it; names that only an answer tells stand in braces
    #[arg(long)]
    pub dry_run: bool,
    /// Replace addresses, hosts, applications and interfaces by pseudonyms
    ///
    /// The recording still gives the same codes and counts; what its names are is said on stderr. Groups, versions,
    /// methods, tags and ports stay. Environment: DIAG_ANONYMIZE_KEY, a secret with which recordings made at different
    /// times use the same pseudonyms.
    #[arg(long)]
    pub anonymize: bool,
    /// Flags of all verbs.
    #[command(flatten)]
    pub common: Common,
}
