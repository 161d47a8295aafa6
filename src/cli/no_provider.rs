//! `diag no-provider`.

use std::time::Duration;

use clap::Args;

use super::{Common, value::duration};

/// Why does this consumer see no provider, or not the one it expects?
#[derive(Debug, Clone, Default, Args)]
#[command(before_help = "Examples:
  diag no-provider com.acme.OrderService --registry zookeeper://10.0.0.2:2181
  diag no-provider --from-log error.txt --snapshot incident.tar.gz")]
pub struct NoProviderArgs {
    /// Service key [group/]interface[:version]; several give several answers
    #[arg(value_name = "SERVICE")]
    pub services: Vec<String>,
    /// Ask again until a provider is there (not in this version)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub wait: Option<Duration>,
    /// Flags of all verbs.
    #[command(flatten)]
    pub common: Common,
}
