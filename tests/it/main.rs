//! One integration binary: every file beside this one is listed here.

mod budget;
mod cases;
mod cli;
mod house;
mod lint;
mod log_cases;
mod log_shapes;
mod nacos;
mod no_provider;
mod oracle;
mod qos;
mod readme;
mod route_hostile;
mod route_replay;
mod secrets;
mod seeds;
mod snapshot;
mod verbs;
mod zookeeper;
