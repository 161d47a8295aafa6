//! One version: its real chain, and `diag` beside it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use diag::model::version::DubboVersion;
use serde_json::Value;

use super::bug::Bug;
use super::compare::compare;
use super::routers::Routers;
use super::shrink::shrink;

pub(super) struct Judge {
    version: DubboVersion,
    routers: Routers,
    bug: Option<Bug>,
}

/// A case with its answer, and what `diag` says otherwise: nothing, or lines.
pub(super) struct Answered {
    pub(super) case: Value,
    pub(super) differences: String,
}

impl Answered {
    pub(super) fn id(&self) -> &str {
        self.case["id"].as_str().unwrap_or_default()
    }

    /// What sort of disagreement it is: the kind of the case, and what differs first.
    pub(super) fn sort(&self) -> String {
        let kind = self.id().split('-').next().unwrap_or_default();
        format!("{kind} {}", subject(&self.differences))
    }

    /// How much of the list is left over.
    pub(super) fn share(&self) -> &'static str {
        let answer = &self.case["answer"];
        let all = self.case["providers"].as_array().map_or(0, Vec::len);
        match (&answer["error"], answer["selected"].as_array()) {
            (Value::Object(_), _) => "error",
            (_, None) => "several possible",
            (_, Some(_)) if all == 0 => "no addresses",
            (_, Some(left)) if left.is_empty() => "none",
            (_, Some(left)) if left.len() == all => "all",
            _ => "some",
        }
    }
}

/// What differs first.
fn subject(differences: &str) -> &str {
    differences
        .trim_start()
        .split(':')
        .next()
        .unwrap_or_default()
}

impl Judge {
    pub(super) fn new(version: &str, routers: Routers, bug: Option<Bug>) -> anyhow::Result<Self> {
        let version =
            DubboVersion::parse(version).map_err(|error| anyhow::anyhow!("{version}: {error}"))?;
        Ok(Self {
            version,
            routers,
            bug,
        })
    }

    pub(super) fn line(&self) -> String {
        self.version.line().to_string()
    }

    pub(super) fn ask(&mut self, case: &Value) -> anyhow::Result<Answered> {
        let mut answered = self.ask_all(vec![case.clone()])?;
        answered.pop().ok_or_else(|| anyhow::anyhow!("no answer"))
    }

    pub(super) fn ask_all(&mut self, cases: Vec<Value>) -> anyhow::Result<Vec<Answered>> {
        let answers = self.routers.answers(&cases)?;
        let with_answers = cases.into_iter().zip(answers).map(|(mut case, answer)| {
            case["answer"] = answer;
            let differences = self.differences(&case);
            Answered { case, differences }
        });
        Ok(with_answers.collect())
    }

    /// Everything in which a replay differs from the answer. That it panics is one thing.
    pub(super) fn differences(&self, case: &Value) -> String {
        let seen = self.bug.map(|bug| bug.seen(case));
        let seen = seen.as_ref().unwrap_or(case);
        let compared = catch_unwind(AssertUnwindSafe(|| {
            let mut differences = String::new();
            compare(seen, &self.version, &mut differences);
            differences
        }));
        compared.unwrap_or_else(|_| "    panic: the replay of this case".to_owned())
    }

    /// A smaller case that differs in the same thing.
    pub(super) fn shrink(&mut self, answered: &Answered) -> anyhow::Result<Answered> {
        let same = subject(&answered.differences).to_owned();
        let mut question = answered.case.clone();
        if let Some(fields) = question.as_object_mut() {
            fields.shift_remove("answer");
        }
        let small = shrink(question, |candidate| {
            Ok(subject(&self.ask(candidate)?.differences) == same)
        })?;
        self.ask(&small)
    }
}
