//! Dubbo's words as types. Pure: no clock, no files, no network.

pub mod address;
pub mod matching;
pub mod metadata;
pub mod probe;
pub mod qos;
pub mod rule_kind;
pub mod secret;
pub mod service_key;
pub mod time;
pub mod url;
pub mod version;
pub mod zone;
