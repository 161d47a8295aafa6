//! Streams (pasted errors, logs) folded into bounded aggregates. Inputs, not facts.
