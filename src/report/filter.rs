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
        let skipped = self.skip.iter().any(|(code, subject)| {
            *code == finding.code
                && subject
                    .as_ref()
                    .is_none_or(|name| *name == finding.subject.1)
        });
        !skipped && (self.only.is_empty() || self.only.contains(&finding.code))
    }
}
