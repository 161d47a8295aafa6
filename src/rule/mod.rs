//! Rule texts: what they say, with positions. Pure.

pub mod override_url;
pub mod yaml;
