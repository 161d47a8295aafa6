//! Where a setting came from, so that an error can name the place to repair.

use std::fmt;

/// Origin of one value; later ones win over earlier ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Built in.
    Default,
    /// Top of the settings file.
    File {
        /// The file.
        path: String,
        /// Line, from 1.
        line: usize,
    },
    /// A profile of the settings file.
    Profile {
        /// The file.
        path: String,
        /// The profile.
        name: String,
        /// Line, from 1.
        line: usize,
    },
    /// An environment variable.
    Env(String),
    /// A flag.
    Flag(String),
}

impl Origin {
    /// Whether the settings file said it.
    pub fn is_file(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Profile { .. })
    }

    /// The settings file that said it.
    pub(super) fn path(&self) -> Option<&str> {
        match self {
            Self::File { path, .. } | Self::Profile { path, .. } => Some(path),
            Self::Default | Self::Env(_) | Self::Flag(_) => None,
        }
    }

    /// Rank for "who wins": equal for two values of the same layer.
    pub(super) fn layer(&self) -> u8 {
        match self {
            Self::Default => 0,
            Self::File { .. } => 1,
            Self::Profile { .. } => 2,
            Self::Env(_) => 3,
            Self::Flag(_) => 4,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{path} line {line}"),
            Self::Profile { path, name, line } => write!(f, "{path} line {line} (profile {name})"),
            Self::Env(name) => write!(f, "environment {name}"),
            Self::Flag(name) => write!(f, "--{name}"),
        }
    }
}

/// One value with its origin. A setting that is no list has one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The texts.
    pub values: Vec<String>,
    /// Where they stand.
    pub origin: Origin,
}
