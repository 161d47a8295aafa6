//! The public report (JSON schema version 1) and how it is shown.
//!
//! [`model::Report`] is the only serialised type: texts stand in it in one language, codes and parameters are language-free,
//! no colour, no width. Renderers take it and add nothing.

mod brief;
mod budget;
mod build;
mod compare;
pub mod explain;
mod facets;
mod filter;
mod html;
mod json;
mod layout;
mod lint;
mod markdown;
pub mod model;
mod models;
mod picture;
pub mod replay;
mod safe;
mod set;
pub mod style;
mod svg;
mod table;
mod text;
pub mod words;

pub use brief::render as brief;
pub use budget::{Answered, budget_report};
pub use build::{Asked, MOST_DROPPED, Manner, report};
pub use compare::compare;
pub use filter::Filter;
pub use html::render as html;
pub use json::render as json;
pub use lint::{LintAsked, report as lint};
pub use markdown::render as markdown;
pub use safe::safe;
pub use text::{View, render as text};
