//! Pasted errors and logs: what a text about "no provider" can say.
//!
//! ```text
//! bytes -> lines (encoding) -> layers peeled -> records -> messages -> failures, counted
//! ```
//!
//! A fixed part of a message is looked for anywhere in a text; what stands before it is prefix. A variable ends at the
//! next fixed part. What touches a cut is no fact. Memory is bounded: a line, a record, the failures kept.

mod block;
mod claim;
mod clean;
mod conclude;
mod decode;
mod fact;
mod facts;
mod failure;
mod frames;
mod group;
mod head;
mod hints;
mod json;
mod message;
mod moment;
mod pattern;
mod peel;
mod reader;
mod record;
mod repeated;
mod secret;
mod text;
mod wrap;
mod zone;

pub use claim::{Claim, Facts};
pub use conclude::Conclusion;
pub use fact::{
    Discovery, End, Fact, KeyClaim, Language, Moment, Place, Presence, RouterRow, RuleKind,
    Strength,
};
pub use facts::{Encoding, LogFacts, LogOrigin};
pub use failure::{Failure, Outcome};
pub use group::MAX_FAILURES;
pub use hints::{Candidates, QuestionHints, ReferenceHint, RegistryHint};
pub use message::{Message, MessageId};
pub use reader::LogReader;
