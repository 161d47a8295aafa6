//! Calls that are to be replayed: JSON Lines and CSV, one call a line.
//!
//! A file may be of any size: calls are handed on one by one. What cannot be read is an error with its line and column,
//! for a call that was left out would be missing from the answer without anybody knowing.

mod jsonl;
mod table;

use std::collections::BTreeMap;

use serde_json::Value;

pub use jsonl::{parse_line, read as read_jsonl};
pub use table::read as read_csv;

/// One call, or several equal ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Method as the invocation has it: `$invoke` for generic calls.
    pub method: String,
    /// Class names of the parameters, where known.
    pub parameter_types: Vec<String>,
    /// The arguments; `None` = there are some, and they are not known.
    pub arguments: Option<Vec<Value>>,
    /// Attachments.
    pub attachments: BTreeMap<String, String>,
    /// Who calls, where that is said.
    pub caller: Caller,
    /// How many of them there are.
    pub count: u64,
}

/// Who calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Caller {
    /// Its address.
    pub ip: Option<String>,
    /// Its application.
    pub application: Option<String>,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            method: String::new(),
            parameter_types: Vec::new(),
            arguments: Some(Vec::new()),
            attachments: BTreeMap::new(),
            caller: Caller::default(),
            count: 1,
        }
    }
}
