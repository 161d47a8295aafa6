//! What was typed: clap derive; doc comments are the help text. No logic.
