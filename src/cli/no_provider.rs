//! `diag no-provider`.

use std::time::Duration;

use clap::{Args, ValueHint};

use super::{Common, value::duration};

/// Why does this consumer see no provider, or not the one it expects?
#[derive(Debug, Clone, Default, Args)]
#[command(before_help = "Examples:
  diag no-provider com.acme.OrderService --registry zookeeper://10.0.0.2:2181
  diag no-provider --from-log error.txt --snapshot incident.tar.gz")]
pub struct NoProviderArgs {
    /// Service key [group/]interface[:version]; several give several answers
    #[arg(value_name = "SERVICE", value_hint = ValueHint::Other)]
    pub services: Vec<String>,
    /// Ask again until it is reachable, or the time is over (exit 1)
    #[arg(long, value_name = "TIME", value_hint = ValueHint::Other, value_parser = duration)]
    pub wait: Option<Duration>,
    /// Ask another place the same and show only what differs
    #[arg(long, value_name = "PROFILE|SNAPSHOT", conflicts_with = "wait")]
    pub compare: Option<String>,
    /// Flags of all verbs.
    #[command(flatten)]
    pub common: Common,
}
