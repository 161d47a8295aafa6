//! One integration binary: every file beside this one is listed here.

mod budget;
mod cases;
mod cli;
mod completions;
mod explain;
mod formats;
mod house;
mod lint;
mod log_cases;
mod log_shapes;
mod nacos;
mod no_provider;
mod oracle;
mod packaging;
mod qos;
mod probes;
mod qos_live;
mod readme;
mod route_hostile;
mod route_replay;
mod runbooks;
mod secrets;
mod seeds;
mod snapshot;
mod verbs;
mod zookeeper;
