//! `diag timeout-budget`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueHint};

use super::Common;

/// Which timeout and retries are in force and why, and what should they be?
#[derive(Debug, Clone, Default, Args)]
#[command(before_help = "Examples:
  diag timeout-budget com.acme.UserService getUser --p99 450ms --rtt 5ms
  diag timeout-budget com.acme.UserService --samples rt.csv --snapshot a.tar.gz")]
pub struct TimeoutBudgetArgs {
    /// Service key [group/]interface[:version]
    #[arg(value_name = "SERVICE", value_hint = ValueHint::Other)]
    pub service: Option<String>,
    /// Method
    #[arg(value_name = "METHOD", value_hint = ValueHint::Other, value_hint = ValueHint::Other)]
    pub method_name: Option<String>,
    /// 99th percentile of the response time
    #[arg(long, value_name = "TIME", value_hint = ValueHint::Other, allow_hyphen_values = true)]
    pub p99: Option<String>,
    /// Where it was measured: provider (default) or consumer
    #[arg(long, value_name = "SIDE", value_parser = ["provider", "consumer"], hide_possible_values = true)]
    pub p99_side: Option<String>,
    /// Measured times: one number a line, a CSV column, or an access log
    #[arg(long, value_name = "FILE")]
    pub samples: Option<PathBuf>,
    /// Column of the times in a CSV file of --samples: its name, or its number from 1
    #[arg(long, value_name = "NAME|N", value_hint = ValueHint::Other, requires = "samples")]
    pub column: Option<String>,
    /// Prometheus text, or a Prometheus server; several addresses separated by commas
    #[arg(long, value_name = "FILE|URL")]
    pub prometheus: Option<String>,
    /// Round-trip time
    #[arg(long, value_name = "TIME", value_hint = ValueHint::Other, allow_hyphen_values = true)]
    pub rtt: Option<String>,
    /// Class of link: same-room, same-city, remote
    #[arg(long, value_name = "CLASS", value_parser = ["same-room", "same-city", "remote"], hide_possible_values = true)]
    pub link: Option<String>,
    /// Time for serialization
    #[arg(long, value_name = "TIME", value_hint = ValueHint::Other, allow_hyphen_values = true)]
    pub serialization: Option<String>,
    /// Size of a message
    #[arg(long, value_name = "SIZE", value_hint = ValueHint::Other, allow_hyphen_values = true)]
    pub payload: Option<String>,
    /// Bandwidth of the link
    #[arg(long, value_name = "RATE", value_hint = ValueHint::Other, allow_hyphen_values = true)]
    pub bandwidth: Option<String>,
    /// Factors, such as 1.5-2
    #[arg(long, value_name = "FACTORS", value_hint = ValueHint::Other, allow_hyphen_values = true)]
    pub factor: Option<String>,
    /// Which advice: tight or comfortable
    #[arg(long, value_name = "WHICH", value_parser = ["tight", "comfortable"], hide_possible_values = true)]
    pub pick: Option<String>,
    /// Deadline of the caller
    #[arg(long, value_name = "TIME", value_hint = ValueHint::Other, allow_hyphen_values = true)]
    pub upstream: Option<String>,
    /// Method that writes; repeatable
    #[arg(long, value_name = "METHOD", value_hint = ValueHint::Other, value_hint = ValueHint::Other, action = ArgAction::Append)]
    pub write: Vec<String>,
    /// Call chain, such as gateway:retries=1,user:retries=2
    #[arg(long, value_name = "CHAIN", value_hint = ValueHint::Other)]
    pub chain: Option<String>,
    /// What if the timeout were this
    #[arg(long = "try", value_name = "TIME", value_hint = ValueHint::Other, allow_hyphen_values = true)]
    pub try_timeout: Option<String>,
    /// Requests per second
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, allow_hyphen_values = true)]
    pub qps: Option<String>,
    /// Flags of all verbs.
    #[command(flatten)]
    pub common: Common,
}
