//! What a reader looked for and nobody has asked yet.
//!
//! Reading a snapshot and saying what is missing are one walk: the same code that reads a node notes it here when it
//! has no answer. So the facts that are fetched are exactly those that are read.

use std::{cell::RefCell, collections::BTreeSet};

use crate::snapshot::{Snapshot, Want};

/// Collects wants while a snapshot is read.
#[derive(Debug, Default)]
pub struct Missing(RefCell<BTreeSet<Want>>);

impl Missing {
    /// Notes a want, unless it was asked already.
    pub fn note(&self, snapshot: &Snapshot, want: Want) {
        if !snapshot.was_asked(&want) {
            self.0.borrow_mut().insert(want);
        }
    }

    /// What was noted, sorted.
    pub fn into_wants(self) -> Vec<Want> {
        self.0.into_inner().into_iter().collect()
    }
}
