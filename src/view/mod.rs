//! Pure: what the consumer sees, stage by stage, every drop with its reason.
