//! The handed situations: every folder under fixtures with a case.toml.
