//! Pure: which facts the question still needs.
