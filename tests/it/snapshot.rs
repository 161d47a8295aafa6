//! Snapshot format 1: round trip, hostile archives, masking.
