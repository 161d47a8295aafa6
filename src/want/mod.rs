//! Pure: which facts the question still needs.
//!
//! `want` reads what is there with the very code that diagnoses, and says what that code looked for in vain. Called
//! again after each round of answers it comes to rest in a handful of rounds. Nothing is asked that is not read, and
//! what is read is bounded: names of directories are listed, content is read only of what bears on the question.

use crate::{
    diagnose,
    question::Question,
    snapshot::{Snapshot, Want},
};

/// What is still to be fetched, sorted; empty when everything was asked.
pub fn wants(question: &Question, snapshot: &Snapshot) -> Vec<Want> {
    diagnose::wanted(question, snapshot)
}

/// What a question about a timeout still needs.
pub fn wants_budget(question: &Question, snapshot: &Snapshot) -> Vec<Want> {
    diagnose::wanted_budget(question, snapshot)
}
