//! Rule texts: what they say, with positions. Pure.
//!
//! Every kind is read as a consumer of a given version reads it: with its SnakeYAML, its way from maps to objects, its
//! own casts. What it would refuse is refused with the exception it would log.

pub mod affinity;
pub mod condition;
pub mod condition_multi;
pub mod configurator;
pub mod error;
mod expanded;
pub mod header;
pub mod ip_expression;
pub mod java_regex;
pub mod kind;
mod lately;
pub mod mesh;
pub mod migration;
pub mod overridden;
pub mod override_order;
pub mod override_url;
pub mod pojo;
pub mod release;
pub mod script;
pub mod string_match;
pub mod tag;
mod typed;
pub mod yaml;

/// Bytes of the longest rule text that is read. ZooKeeper takes one byte less unless its `jute.maxbuffer` is raised; Nacos
/// takes ten times as much unless told otherwise (`maxContent`), and nobody writes that by hand. What a longer text says
/// stays unknown, and the report says so.
pub const LONGEST: usize = 1 << 20;
