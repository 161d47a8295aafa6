//! Pure: what the consumer sees, stage by stage, every drop with its reason.
//!
//! A view is computed for one registry, one discovery model and one world (Dubbo version, running or starting).
//! It never decides a verdict; `diagnose` does.

pub mod application;
pub(crate) mod config_center;
pub mod directory;
pub mod evidence;
pub mod held;
pub mod interface;
pub(crate) mod metadata_report;
pub mod migration;
pub mod missing;
pub(crate) mod moved;
pub mod nacos;
pub mod names;
pub mod own;
pub mod probed;
mod refused;
mod rule_keys;
pub mod rule_store;
pub(crate) mod settings;
mod silent;
pub(crate) mod sources;
pub mod stage;
pub mod written;
pub mod zookeeper;
