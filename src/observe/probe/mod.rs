//! What a plain connection tells: whether an address can be reached, and if not, why.

pub mod round_trip;
pub mod tcp;
