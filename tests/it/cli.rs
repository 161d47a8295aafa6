//! The binary: exit codes, streams, help.
