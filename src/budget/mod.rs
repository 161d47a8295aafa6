//! Pure: which timeout and retries are in force for a method, what they should be, and what that costs.
//!
//! Numbers only: no sentence, no clock, no file. Times are microseconds unless a name says otherwise; Dubbo's own
//! values are milliseconds, as Dubbo reads them. What cannot be told from the numbers given is not told.

pub mod advice;
pub mod asked;
pub mod balance;
pub mod capacity;
pub mod chain;
pub mod effect;
pub mod effective;
pub mod histogram;
pub mod layers;
pub mod plan;
pub mod quantile;
pub use crate::model::time;
