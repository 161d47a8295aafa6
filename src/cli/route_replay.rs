//! `diag route-replay`.
#![expect(
    clippy::doc_markdown,
    clippy::doc_link_with_quotes,
    reason = "doc comments are the help text"
)]

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueHint};

use super::Common;

/// What do the router rules (live, from a file, or both) do to these requests?
#[derive(Debug, Clone, Default, Args)]
#[command(before_help = "Examples:
  diag route-replay com.acme.OrderService --method getOrder --snapshot a.tar.gz
  diag route-replay com.acme.OrderService --candidate fixed.yaml --max-shift 20%")]
pub struct RouteReplayArgs {
    /// Service key [group/]interface[:version] (default: that of --providers)
    #[arg(value_name = "SERVICE", value_hint = ValueHint::Other)]
    pub service: Option<String>,
    /// Rule file that replaces the live rule of the same key; repeatable
    ///
    /// The key is the file's name unless given; write %3A for a colon. Without a
    /// known ending the text decides.
    #[arg(short = 'f', long, value_name = "[KEY=]FILE|-", action = ArgAction::Append)]
    pub rules: Vec<String>,
    /// Provider URLs, one a line, instead of the registry
    #[arg(long, value_name = "FILE")]
    pub providers: Option<PathBuf>,
    /// Requests to replay (.jsonl or .csv, also .gz)
    ///
    /// A line of JSON: {"method":"get","arguments":["42"],"count":3}, also with attachments, parameter_types, consumer.
    /// Columns of CSV: method, arg0, arg1, attachment.dubbo.tag, consumer_ip, consumer_app, count.
    #[arg(long, value_name = "FILE", conflicts_with = "access_log")]
    pub requests: Option<PathBuf>,
    /// Requests from a Dubbo access log (also .gz)
    ///
    /// Each caller is replayed as the consumer, unless --consumer-ip says which one is meant.
    #[arg(long, value_name = "FILE")]
    pub access_log: Option<PathBuf>,
    /// Rule to compare with what is in force; repeatable
    #[arg(long, value_name = "[KEY=]FILE", action = ArgAction::Append)]
    pub candidate: Vec<String>,
    /// Largest share of all requests that may move to or from an address
    #[arg(long, value_name = "PERCENT", value_hint = ValueHint::Other, requires = "candidate")]
    pub max_shift: Option<String>,
    /// Drill: what if these providers are gone; repeatable
    ///
    /// zone=A, app=x, KEY=VALUE of a provider parameter, a network such as 10.10.0.0/16; with commas several at once.
    #[arg(long, value_name = "WHAT", value_hint = ValueHint::Other, action = ArgAction::Append)]
    pub without: Vec<String>,
    /// Dubbo versions to compare
    #[arg(long, value_name = "VERSION,..", value_hint = ValueHint::Other, value_delimiter = ',')]
    pub matrix: Vec<String>,
    /// Flags of all verbs.
    #[command(flatten)]
    pub common: Common,
}
