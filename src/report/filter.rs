//! Which findings are shown. Hiding one never changes a stage, the outcome or the verdict.

use crate::diagnose::{Finding, code::Code};

/// `--skip` and `--only`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// `--skip CODE[=SUBJECT]`.
    pub skip: Vec<(Code, Option<String>)>,
    /// `--only CODE`; empty = all.
    pub only: Vec<Code>,
}

impl Filter {
    /// Whether a finding is shown.
    pub fn shows(&self, finding: &Finding) -> bool {
        self.shows_code(finding.code, &finding.subject.1)
    }

    /// The same for a code and the name of what it is about.
    pub fn shows_code(&self, code: Code, about: &str) -> bool {
        let skipped = self.skip.iter().any(|(skipped, subject)| {
            *skipped == code && subject.as_ref().is_none_or(|name| *name == about)
        });
        !skipped && (self.only.is_empty() || self.only.contains(&code))
    }
}
