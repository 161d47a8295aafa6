//! `diag route-replay`.

use std::path::PathBuf;

use clap::{ArgAction, Args};

use super::Common;

/// What do the router rules (live, from a file, or both) do to these requests? (not in this version)
#[derive(Debug, Clone, Default, Args)]
#[command(before_help = "Examples:
  diag route-replay com.acme.OrderService --method getOrder --snapshot a.tar.gz
  diag route-replay com.acme.OrderService --candidate fixed.yaml --max-shift 20%")]
pub struct RouteReplayArgs {
    /// Service key [group/]interface[:version]
    #[arg(value_name = "SERVICE")]
    pub service: Option<String>,
    /// Rule file that replaces the live rule of the same key; repeatable
    #[arg(short = 'f', long, value_name = "[KEY=]FILE|-", action = ArgAction::Append)]
    pub rules: Vec<String>,
    /// Provider URLs, one a line, instead of the registry
    #[arg(long, value_name = "FILE")]
    pub providers: Option<PathBuf>,
    /// Requests to replay (.jsonl or .csv)
    #[arg(long, value_name = "FILE")]
    pub requests: Option<PathBuf>,
    /// Requests from a Dubbo access log
    #[arg(long, value_name = "FILE")]
    pub access_log: Option<PathBuf>,
    /// Rule to compare with what is in force
    #[arg(long, value_name = "FILE")]
    pub candidate: Option<PathBuf>,
    /// Largest share of an address that may move
    #[arg(long, value_name = "PERCENT", requires = "candidate")]
    pub max_shift: Option<String>,
    /// Drill: what if these providers are gone (zone=A, CIDR, app=x); repeatable
    #[arg(long, value_name = "WHAT", action = ArgAction::Append)]
    pub without: Vec<String>,
    /// Dubbo versions to compare
    #[arg(long, value_name = "VERSION,..", value_delimiter = ',')]
    pub matrix: Vec<String>,
    /// Router of your own code: NAME: after=tag, keep=same-zone, fallback=none
    #[arg(long, value_name = "ROUTER", action = ArgAction::Append)]
    pub router: Vec<String>,
    /// Flags of all verbs.
    #[command(flatten)]
    pub common: Common,
}
