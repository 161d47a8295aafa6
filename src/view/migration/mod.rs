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
    question::ConsumerState,
    report::words::{Phrase, Say},
    rule::{affinity::java_float, migration::Step},
};

/// Where a reference's parameter and an application's properties name the step; the first that is set counts.
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
    /// The consumer's own `dubbo-migration.yaml`.
    File,
    /// The consumer itself says so.
    Consumer,
}

impl Origin {
    /// The word in reports for machines.
    pub fn word(self) -> &'static str {
        match self {
            Self::Line => "version",
            Self::Default => "default",
            Self::Setting => "setting",
            Self::Registry => "registry",
            Self::Rule => "rule",
            Self::File => "file",
            Self::Consumer => "consumer",
        }
    }

    /// The sentence that names it, with `{step}`.
    pub fn say(self) -> Say {
        match self {
            Self::Line => Say::StepOfVersion,
            Self::Default => Say::StepByDefault,
            Self::Setting => Say::StepBySetting,
            Self::Registry => Say::StepByRegistry,
            Self::Rule => Say::StepByRule,
            Self::File => Say::StepByFile,
            Self::Consumer => Say::StepOfConsumer,
        }
    }
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
    /// What holds until a rule arrives, and stays when that rule's step is not taken; `None` = this one from the start.
    pub before: Option<Box<Migration>>,
}

/// What is known of it.
#[derive(Debug, Clone)]
pub struct Sight {
    /// Every way that could be; one when all is known. The first is the likeliest.
    pub worlds: Vec<Migration>,
    /// What was not seen: why there is more than one.
    pub missing: Vec<NotSeen>,
    /// Rules that cannot be read or have no effect (DG4010).
    pub broken: Vec<Raised>,
}

/// The step that a consumer was seen to have.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// The step.
    pub step: Step,
    /// What shows it.
    pub evidence: Evidence,
    /// It has it now (QOS); a log tells what it took once.
    pub now: bool,
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
            before: None,
        }
    }

    /// Whether application addresses are taken over interface addresses under `APPLICATION_FIRST`
    /// (`DefaultMigrationAddressComparator.shouldMigrate`, `MigrationInvoker.decideInvoker`).
    pub fn takes_application(&self, application: usize, interface: usize) -> bool {
        self.is_enough(application, interface)
    }

    /// `DefaultMigrationAddressComparator.shouldMigrate`: no address is never enough, any is against none.
    fn is_enough(&self, new: usize, old: usize) -> bool {
        if new == 0 {
            return false;
        }
        if old == 0 {
            return true;
        }
        // Counts of addresses are far below what a double holds exactly.
        #[expect(clippy::cast_precision_loss, reason = "counts of addresses")]
        let share = new as f64 / old as f64;
        share >= self.threshold
    }

    /// Whether a running consumer takes this step when a rule brings it: with `force`, or when what it leads to is enough.
    fn is_taken_later(&self, application: usize, interface: usize) -> bool {
        match self.step {
            _ if self.force => true,
            Step::ApplicationFirst => true,
            Step::ForceApplication => self.is_enough(application, interface),
            Step::ForceInterface => self.is_enough(interface, application),
        }
    }

    /// What is in force with these numbers of addresses: this one, or what was before where it is not taken. Both where
    /// that depends on a number that is not known.
    pub fn in_force(&self, application: Option<usize>, interface: Option<usize>) -> Vec<&Self> {
        let Some(before) = &self.before else {
            return vec![self];
        };
        match (application, interface) {
            _ if self.force || self.step == Step::ApplicationFirst => vec![self],
            (Some(application), Some(interface)) => {
                if self.is_taken_later(application, interface) {
                    vec![self]
                } else {
                    vec![before]
                }
            }
            _ => vec![self, before],
        }
    }
}

/// How this consumer chooses. A step that it was seen to have now decides alone, unless it is about to start and something
/// says what it will take; one that it took once decides where nothing else does.
pub fn sight(case: &Case<'_>, seen: Option<Seen>) -> Sight {
    let alone = |migration| Sight {
        worlds: vec![migration],
        missing: Vec::new(),
        broken: Vec::new(),
    };
    let says_service = |params: &std::collections::BTreeMap<String, String>| {
        params
            .get("registry-type")
            .is_some_and(|kind| kind == "service")
    };
    let by_registry = case
        .registry
        .is_some_and(|registry| says_service(&registry.params))
        || says_service(&case.question.consumer.params);
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
    let mut sight = rule::apply(case, default(case));
    let told = sight.worlds.len() == 1 && sight.worlds[0].origin != Origin::Default;
    let starts = case.world.state == ConsumerState::Starting;
    if let Some(seen) = seen.filter(|seen| seen.now && !starts || !told) {
        let mut own = sight.worlds.swap_remove(0);
        if own.step != seen.step {
            own.origin = Origin::Consumer;
            own.step = seen.step;
        }
        own.evidence = Some(seen.evidence);
        own.before = None;
        sight.worlds = vec![own];
        sight.missing.clear();
    }
    sight
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
    // What is below 0 counts as not set.
    let threshold = setting(case, &THRESHOLDS).and_then(java_float);
    if let Some(threshold) = threshold.filter(|threshold| *threshold >= 0.0) {
        migration.threshold = threshold;
    }
    if let Some(force) = setting(case, &["migration.force"]) {
        migration.force = is_true(force);
    }
    migration
}

fn setting<'a>(case: &Case<'a>, names: &[&str]) -> Option<&'a str> {
    let own = &case.question.consumer.params;
    let found = names.iter().find_map(|name| own.get(*name));
    found.map(String::as_str).filter(|text| !text.is_empty())
}

/// `interface[:version]`, never with a group (`URL.getDisplayServiceKey`).
fn display_key(case: &Case<'_>) -> String {
    let service = &case.question.service;
    match service
        .version
        .as_deref()
        .filter(|version| !version.is_empty())
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
                how_to_see: Some(Say::HowAsk.into()),
                required: true,
            });
        }
    }
    let names = application.mapped_for(case.dubbo());
    (names.into_iter().map(str::to_owned).collect(), missing)
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
        let later = |step, force| Migration {
            force,
            before: Some(Box::new(Migration::plain(
                Step::ApplicationFirst,
                Origin::Default,
            ))),
            ..Migration::plain(step, Origin::Rule)
        };
        let steps = |rule: &Migration, application, interface| -> Vec<Step> {
            let found = rule.in_force(application, interface);
            found.into_iter().map(|one| one.step).collect()
        };
        let application = later(Step::ForceApplication, false);
        assert_eq!(
            steps(&application, Some(0), Some(3)),
            [Step::ApplicationFirst]
        );
        assert_eq!(
            steps(&application, Some(1), Some(3)),
            [Step::ForceApplication]
        );
        assert_eq!(
            steps(&application, None, Some(3)),
            [Step::ForceApplication, Step::ApplicationFirst]
        );
        let interface = later(Step::ForceInterface, false);
        assert_eq!(
            steps(&interface, Some(3), Some(0)),
            [Step::ApplicationFirst]
        );
        let forced = later(Step::ForceInterface, true);
        assert_eq!(steps(&forced, Some(3), Some(0)), [Step::ForceInterface]);
        assert_eq!(steps(&forced, None, None), [Step::ForceInterface]);
    }
}
