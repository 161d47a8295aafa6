//! What the typed arguments mean: defaults, file, profile, environment, flags, with origin.
