//! What a Dubbo process says of itself on its QOS port: the commands that may be asked, and the answers as facts.
//!
//! Lines 2.6 to 3.3 print the same things in several shapes (tables, trees, JSON, sentences of refusal). Each is read
//! here into one form; what has no known shape stays text and is never guessed at. Nothing is judged here.

pub mod addresses;
mod answer;
pub mod chain;
mod clean;
pub mod command;
pub mod config;
mod legacy;
pub mod listing;
pub mod recent;
mod refusal;
mod small;
mod table;

#[cfg(test)]
mod tests;

pub use answer::{Answer, read};
pub use clean::clean;
pub use command::Command;
pub use refusal::Refusal;
