//! Migration: which of the two models of discovery a consumer's settings and its migration rule ask for.
//!
//! Mirrors `MigrationRuleListener`, `MigrationRuleHandler`, `MigrationRule` and `DefaultMigrationAddressComparator` of 3.x.
//! What the models hold is not looked at here: [`Migration::takes_application`] is asked by whoever has the counts.

mod rule;

use std::collections::BTreeSet;

use super::{
    interface::Case,
    stage::{Evidence, NotSeen, Raised},
};
use crate::{
    model::{url::is_true, version::Line},
    report::words::{Phrase, Say},
    rule::{affinity::java_float, migration::Step},
};

/// Parameters of a reference, and properties of an application, that name the step; the first that is set counts.
const STEPS: [&str; 3] = [
    "migration.step",
    "dubbo.application.migration.step",
    "dubbo.application.service-discovery.migration",
];

/// The same for the threshold.
const THRESHOLDS: [&str; 2] = [
    "migration.threshold",
    "dubbo.application.migration.threshold",
];

/// Where a step comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The line knows no other.
    Line,
    /// Nothing says anything else.
    Default,
    /// A parameter of the reference or a property of the application.
    Setting,
    /// The registry's address: `service-discovery-registry://` or `registry-type=service`.
    Registry,
    /// The rule in the config centre.
    Rule,
}

/// How a consumer chooses between the models.
#[derive(Debug, Clone, PartialEq)]
pub struct Migration {
    /// The step.
    pub step: Step,
    /// Least share of application addresses to interface addresses for the application model to be taken.
    pub threshold: f64,
    /// Share of calls, per cent, for which the choice holds; the others go to the interface model.
    pub proportion: i32,
    /// The step is taken without comparing.
    pub force: bool,
    /// Where the step comes from.
    pub origin: Origin,
    /// What shows it.
    pub evidence: Option<Evidence>,
    /// When the rule was last changed, milliseconds since 1970.
    pub changed_ms: Option<i64>,
}

/// What is known of it.
#[derive(Debug, Clone)]
pub struct Sight {
    /// Every way that could be; one when all is known. The first is the default.
    pub worlds: Vec<Migration>,
    /// What was not seen.
    pub missing: Vec<NotSeen>,
    /// Rules that cannot be read or have no effect (DG4010).
    pub broken: Vec<Raised>,
}

impl Migration {
    fn plain(step: Step, origin: Origin) -> Self {
        Self {
            step,
            threshold: 0.0,
            proportion: 100,
            force: false,
            origin,
            evidence: None,
            changed_ms: None,
        }
    }

    /// Whether application addresses are taken over interface addresses under `APPLICATION_FIRST`
    /// (`DefaultMigrationAddressComparator.shouldMigrate`, `MigrationInvoker.decideInvoker`).
    pub fn takes_application(&self, application: usize, interface: usize) -> bool {
        if application == 0 {
            return false;
        }
        if interface == 0 {
            return true;
        }
        // Counts of addresses are far below what a double holds exactly.
        #[expect(clippy::cast_precision_loss, reason = "counts of addresses")]
        let share = application as f64 / interface as f64;
        share >= self.threshold
    }

    /// Whether a running consumer takes a step that a rule brings later: with `force`, or when what it leads to is enough.
    pub fn is_taken_later(&self, application: usize, interface: usize) -> bool {
        if self.force {
            return true;
        }
        match self.step {
            Step::ApplicationFirst => true,
            Step::ForceApplication => self.takes_application(application, interface),
            Step::ForceInterface => self.takes_application(interface, application),
        }
    }
}

/// How this consumer chooses.
pub fn sight(case: &Case<'_>) -> Sight {
    let alone = |migration| Sight {
        worlds: vec![migration],
        missing: Vec::new(),
        broken: Vec::new(),
    };
    let by_registry = case.registry.is_some_and(|registry| {
        registry.scheme == "service-discovery-registry"
            || registry
                .params
                .get("registry-type")
                .is_some_and(|kind| kind == "service")
    });
    if by_registry && case.dubbo().at_least([2, 7, 5]) {
        return alone(Migration::plain(Step::ForceApplication, Origin::Registry));
    }
    if !case.dubbo().line().is_3x() {
        let mut sight = alone(Migration::plain(Step::ForceInterface, Origin::Line));
        if case.dubbo().line() == Line::V2_7 {
            sight.broken = rule::without_effect_27(case);
        }
        return sight;
    }
    rule::apply(case, default(case))
}

/// What holds without a rule. An unknown step is refused where it is used, and the step stays what it was at first.
fn default(case: &Case<'_>) -> Migration {
    let written = setting(case, &STEPS);
    let step = written.and_then(|text| Step::ALL.into_iter().find(|step| step.as_str() == text));
    let origin = if step.is_some() {
        Origin::Setting
    } else {
        Origin::Default
    };
    let mut migration = Migration::plain(step.unwrap_or(Step::ApplicationFirst), origin);
    if let Some(threshold) = setting(case, &THRESHOLDS).and_then(java_float) {
        migration.threshold = threshold;
    }
    if let Some(force) = setting(case, &["migration.force"]) {
        migration.force = is_true(force);
    }
    migration
}

fn setting<'a>(case: &Case<'a>, names: &[&str]) -> Option<&'a str> {
    let own = &case.question.consumer.params;
    let registry = case.registry.map(|registry| &registry.params);
    names
        .iter()
        .find_map(|name| own.get(*name).or_else(|| registry?.get(*name)))
        .map(String::as_str)
}

/// `interface[:version]`, never with a group (`URL.getDisplayServiceKey`).
fn display_key(case: &Case<'_>) -> String {
    let service = &case.question.service;
    match service
        .version
        .as_deref()
        .filter(|version| !version.is_empty() && *version != "0.0.0")
    {
        Some(version) => format!("{}:{version}", service.interface),
        None => service.interface.clone(),
    }
}

/// Applications that the mapping names, and what keeps it from being known.
fn mapped(case: &Case<'_>) -> (BTreeSet<String>, Vec<NotSeen>) {
    let application = &case.held.application;
    let mut missing = Vec::new();
    if !application.mapping_known {
        missing.extend(application.not_seen.iter().cloned());
        if missing.is_empty() {
            missing.push(NotSeen {
                what: Phrase::new(Say::LayerMigration).with("name", "mapping"),
                why: Say::NotAsked.into(),
                how_to_see: Some(Say::HowRecordMore.into()),
                required: true,
            });
        }
    }
    (application.mapped.iter().cloned().collect(), missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_address_of_the_application_wins_without_a_threshold() {
        let first = Migration::plain(Step::ApplicationFirst, Origin::Default);
        assert!(first.takes_application(1, 10));
        assert!(first.takes_application(3, 0));
        assert!(!first.takes_application(0, 0) && !first.takes_application(0, 5));
        let half = Migration {
            threshold: 0.5,
            ..first
        };
        assert!(!half.takes_application(1, 3) && half.takes_application(2, 4));
    }

    #[test]
    fn a_rule_that_comes_later_needs_addresses_or_force() {
        let step = |step| Migration::plain(step, Origin::Rule);
        assert!(!step(Step::ForceApplication).is_taken_later(0, 3));
        assert!(step(Step::ForceApplication).is_taken_later(1, 3));
        assert!(!step(Step::ForceInterface).is_taken_later(3, 0));
        assert!(step(Step::ApplicationFirst).is_taken_later(0, 0));
        let forced = Migration {
            force: true,
            ..step(Step::ForceInterface)
        };
        assert!(forced.is_taken_later(3, 0));
    }
}
