//! The L-cases: facts read out of pasted texts.
