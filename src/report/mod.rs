//! The public report (JSON schema version 1) and how it is shown.
//!
//! [`Report`] is the only serialised type: texts stand in it in one language, codes and parameters are language-free,
//! no colour, no width. Renderers take it and add nothing.

pub mod words;
