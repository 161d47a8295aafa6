//! Rule texts: what they say, with positions. Pure.

pub mod yaml;
