//! Pure: the answer of `timeout-budget` from a question, what was measured, and the facts of a snapshot.

mod compute;
mod consumer;
mod cut;
mod doubts;
mod ladder;
mod limits;
mod links;
pub mod model;
mod numbers;
mod observed;
mod providers;
mod raise;
mod raise_load;
mod raise_logs;
mod raise_tries;
mod remedy;
mod seen;
mod told;

pub(crate) use observed::tells;

use crate::{
    budget::asked::Asked,
    diagnose::{
        Assumption, Candidate, Certainty, Finding,
        code::{Code, Family, Severity},
        gather,
        observed::Observed as Known,
        worlds::Worlds,
    },
    question::Question,
    report::words::Say,
    snapshot::{Snapshot, Want},
    view::{
        held::{ReachFailure, Standing},
        missing::Missing,
        stage::{Evidence, NotSeen},
    },
};

/// The answer to one question about a timeout.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetDiagnosis {
    /// The question with what was observed filled in.
    pub service: crate::model::service_key::ServiceKey,
    /// Numbers and names.
    pub budget: model::Budget,
    /// Findings, errors first.
    pub findings: Vec<Finding>,
    /// What a service without a provider could be due to.
    pub candidates: Vec<Candidate>,
    /// A fact that somebody asked to be seen was not (`--require`).
    pub demanded: bool,
    /// What was taken for granted.
    pub assumed: Vec<Assumption>,
    /// What was wanted and not seen.
    pub not_seen: Vec<NotSeen>,
}

impl BudgetDiagnosis {
    /// The finding that leads among those that are shown: an error, and more than possible. Where a required fact was
    /// not seen, one of registries or keys is the reason for that, and no answer.
    pub fn leading(&self, is_shown: impl Fn(&Finding) -> bool) -> Option<&Finding> {
        if self.demanded {
            return None;
        }
        let lacking = self.lacks_required();
        self.findings.iter().find(|finding| {
            let answers = matches!(
                finding.code.family(),
                Family::Timeout | Family::Consumer | Family::Network
            );
            is_error(finding)
                && finding.certainty > Certainty::Possible
                && (answers || !lacking)
                && is_shown(finding)
        })
    }

    /// Whether nothing can be said: nothing leads, and a required fact was not seen or errors are only possible.
    pub fn is_unknown(&self, is_shown: impl Fn(&Finding) -> bool) -> bool {
        let possible = self
            .findings
            .iter()
            .any(|finding| is_error(finding) && is_shown(finding));
        self.leading(is_shown).is_none() && (possible || self.lacks_required())
    }

    /// What it could be when nothing leads.
    pub fn undecided(&self, is_shown: impl Fn(&Finding) -> bool) -> Vec<Candidate> {
        let errors = self
            .findings
            .iter()
            .filter(|finding| is_error(finding) && is_shown(finding));
        let mut found: Vec<Candidate> = errors
            .map(|finding| Candidate {
                code: finding.code,
                params: finding.params.clone(),
                why: match finding.certainty {
                    Certainty::Possible => Say::OnlyPossible.into(),
                    _ => Say::WithoutProviders.into(),
                },
            })
            .collect();
        for candidate in &self.candidates {
            if found.iter().all(|known| known.code != candidate.code) {
                found.push(candidate.clone());
            }
        }
        found
    }

    fn lacks_required(&self) -> bool {
        self.not_seen.iter().any(|missing| missing.required)
    }
}

fn is_error(finding: &Finding) -> bool {
    finding.severity == Severity::Error
}

/// A finding before it has its place in the report.
#[derive(Debug, Clone)]
struct Raise {
    code: Code,
    certainty: Certainty,
    lowered: bool,
    subject: (&'static str, String),
    params: serde_json::Value,
    evidence: Vec<Evidence>,
}

/// Answers one question. Pure: the same question over the same snapshot gives the same answer.
pub fn diagnose_budget(question: &Question, asked: &Asked, snapshot: &Snapshot) -> BudgetDiagnosis {
    let missing = Missing::default();
    let known = Known::of(question, snapshot, &missing);
    let computed = compute::compute(&known.question, asked, snapshot, &missing);
    let open = cut::open_ended(&computed);
    let computed = match &open {
        Some(asked) => compute::compute(&known.question, asked, snapshot, &missing),
        None => computed,
    };
    let mut raised = raise::timeouts(&computed);
    raised.extend(raise::settings(&computed));
    raised.extend(raise_load::load(&computed));
    raised.extend(raise_load::chain(&computed));
    raised.extend(raise_load::links(&computed));
    raised.extend(raise_logs::logs(&computed));
    raised.extend(computed.unread.iter().map(|(failure, _)| unread(failure)));
    let mut findings: Vec<Finding> = raised.into_iter().map(finding).collect();
    let nobody = computed.nobody.as_ref();
    findings.extend(
        nobody
            .into_iter()
            .flat_map(|nobody| nobody.findings.iter().cloned()),
    );
    findings.extend(computed.disagreements.iter().cloned());
    findings.sort_by(|a, b| {
        b.severity
            .cmp(&a.severity)
            .then(b.certainty.cmp(&a.certainty))
            .then(a.code.cmp(&b.code))
            .then(a.subject.cmp(&b.subject))
    });
    findings.dedup_by(|a, b| a.code == b.code && a.subject == b.subject);
    BudgetDiagnosis {
        service: known.question.service.clone(),
        candidates: nobody.map_or_else(Vec::new, |nobody| nobody.candidates.clone()),
        demanded: computed.demanded,
        assumed: computed.assumed.clone(),
        not_seen: computed.not_seen.clone(),
        budget: computed.budget,
        findings,
    }
}

/// The finding for a registry that did not answer.
pub(crate) fn of_registry(failure: &ReachFailure) -> Finding {
    finding(unread(failure))
}

/// A registry that did not answer.
fn unread(failure: &ReachFailure) -> Raise {
    let raised = &failure.raised;
    Raise {
        code: raised.code,
        certainty: match failure.standing {
            Standing::Consumers => Certainty::Certain,
            Standing::Same => Certainty::Likely,
            Standing::Elsewhere => Certainty::Possible,
        },
        lowered: false,
        subject: ("registry", raised.subject.1.clone()),
        params: raised.params.clone().into(),
        evidence: raised.evidence.clone(),
    }
}

/// The facts that are looked for and nobody has asked yet.
pub(crate) fn wanted_budget(question: &Question, snapshot: &Snapshot) -> Vec<Want> {
    let missing = Missing::default();
    let known = Known::of(question, snapshot, &missing);
    let asked = Asked::default();
    let computed = compute::compute(&known.question, &asked, snapshot, &missing);
    let nobody = computed.nobody.is_some();
    let mut wants = missing.into_wants();
    if nobody {
        // Why nobody is there, and what is near.
        wants.extend(super::wanted(question, snapshot));
        wants.sort();
        wants.dedup();
    }
    wants
}

fn finding(raise: Raise) -> Finding {
    let severity = raise.code.severity();
    Finding {
        code: raise.code,
        severity: if raise.lowered {
            severity.lowered()
        } else {
            severity
        },
        certainty: raise.certainty,
        subject: (raise.subject.0.to_owned(), raise.subject.1),
        params: match raise.params {
            serde_json::Value::Object(map) => map,
            _ => serde_json::Map::new(),
        },
        evidence: raise.evidence,
        // What is as advised is not to be changed.
        remedy: if raise.code == Code::TimeoutTooLarge && raise.lowered {
            Vec::new()
        } else {
            remedy::steps(raise.code)
        },
        see: super::remedy::see(raise.code)
            .into_iter()
            .map(str::to_owned)
            .collect(),
    }
}
