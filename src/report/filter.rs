//! Which findings are shown. Hiding one never changes a stage, the outcome or the verdict.

use super::{
    model::AssumedInfo,
    words::{Lang, Phrase, Say},
};
use crate::diagnose::{Finding, code::Code};

/// What an assumption is about that hides an accepted finding.
pub(super) const ACCEPTED: &str = "accepted";
/// What an assumption is about that shows the finding of the verdict all the same.
pub(super) const SKIPPED: &str = "skipped";

/// `--skip` and `--only`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// `--skip CODE[=SUBJECT]`.
    pub skip: Vec<(Code, Option<String>)>,
    /// `--only CODE`; empty = all.
    pub only: Vec<Code>,
    /// Fingerprints that the settings file accepts.
    pub accepted: Vec<String>,
}

impl Filter {
    /// Whether a finding is shown.
    pub fn shows(&self, finding: &Finding) -> bool {
        let (kind, name) = &finding.subject;
        self.shows_code(finding.code, name) && !self.accepts(finding.code, kind, name)
    }

    /// Whether the settings file accepts this finding about this subject.
    pub fn accepts(&self, code: Code, kind: &str, name: &str) -> bool {
        !self.accepted.is_empty()
            && self
                .accepted
                .contains(&super::build::fingerprint(code, kind, name))
    }

    /// The findings that the settings hide, as assumptions: what was accepted is said, too. The finding of the verdict is
    /// shown whatever the filter says; that is said as well.
    pub(super) fn hidden<'f>(
        &'f self,
        findings: &'f [Finding],
        deciding: Option<&'f Finding>,
        lang: Lang,
    ) -> impl Iterator<Item = AssumedInfo> + 'f {
        findings.iter().filter_map(move |finding| {
            let (kind, name) = &finding.subject;
            let decides = deciding.is_some_and(|one| std::ptr::eq(one, finding));
            let accepts = self.accepts(finding.code, kind, name);
            let (what, why) = match (decides, accepts) {
                (true, true) => (ACCEPTED, Say::AcceptedVerdict),
                (true, false) if !self.shows(finding) => (SKIPPED, Say::SkippedVerdict),
                (false, true) => (ACCEPTED, Say::AcceptedInSettings),
                _ => return None,
            };
            Some(AssumedInfo {
                what,
                value: format!("{} {name}", finding.code),
                why: Phrase::from(why).text(lang),
                changes_verdict: false,
            })
        })
    }

    /// The same for a code and the name of what it is about.
    pub fn shows_code(&self, code: Code, about: &str) -> bool {
        let skipped = self.skip.iter().any(|(skipped, subject)| {
            *skipped == code && subject.as_ref().is_none_or(|name| *name == about)
        });
        !skipped && (self.only.is_empty() || self.only.contains(&code))
    }
}

/// A finding that the settings accept, as an assumption.
pub(super) fn accepted(code: Code, name: &str, lang: Lang) -> AssumedInfo {
    AssumedInfo {
        what: ACCEPTED,
        value: format!("{code} {name}"),
        why: Phrase::from(Say::AcceptedInSettings).text(lang),
        changes_verdict: false,
    }
}
