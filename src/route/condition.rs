//! Condition rules of the config center: their life cycle, and classic conditions.
//!
//! Mirrors `ListenableRouter` and `ConditionRouter` (2.7), `ListenableStateRouter` and `ConditionStateRouter` (3.x).

use std::cell::OnceCell;

use super::call::Call;
use super::clause::Side;
use super::condition_multi::{MultiCondition, PreparedMulti};
use super::dialect::Dialect;
use super::outcome::Outcome;
use super::set::AddressSet;
use super::{AddressList, Prepared, RuleEvent, Thrown};
use crate::model::version::DubboVersion;
use crate::rule::condition::text::{Condition, ConditionError};
use crate::rule::condition::{self, ConditionDocument};

/// The condition rules that are in force under one router.
#[derive(Debug, Default)]
pub(super) struct ConditionRules {
    classic: Vec<ClassicCondition>,
    multi: Vec<MultiCondition>,
    /// 3.3: which of the two lists a call goes through is decided by the last document that could be read.
    multi_chosen: bool,
}

/// One condition in force.
#[derive(Debug)]
pub(super) struct ClassicCondition {
    /// `None` in a disabled rule, whose text is not read (2.7.12 and later).
    pub condition: Option<Condition>,
    pub force: bool,
    pub enabled: bool,
}

impl ConditionRules {
    /// A document arrived or was removed. One that cannot be read leaves in force what was there.
    pub(super) fn process(
        &mut self,
        event: RuleEvent<'_>,
        version: &DubboVersion,
        dialect: Dialect,
    ) {
        let Some(content) = event.content else {
            *self = Self::default();
            return;
        };
        let Ok(document) = condition::parse(content, version) else {
            return;
        };
        self.multi_chosen = matches!(document, ConditionDocument::MultiDestination(_));
        match document {
            ConditionDocument::TooNew => {}
            ConditionDocument::Classic(rule) => {
                if rule.header.valid
                    && let Some(classic) = ClassicCondition::all(&rule, dialect)
                {
                    self.classic = classic;
                }
            }
            ConditionDocument::MultiDestination(rule) => {
                if rule.header.valid
                    && let Some(multi) = MultiCondition::all(&rule)
                {
                    self.multi = multi;
                }
            }
        }
    }

    pub(super) fn prepare(&self, list: &AddressList, dialect: Dialect) -> Box<dyn Prepared> {
        if self.multi_chosen {
            // With both lists empty the router passes its input on, which empty lists do as well.
            let conditions = self
                .multi
                .iter()
                .map(|c| PreparedMulti::new(c, list, dialect))
                .collect();
            return Box::new(PreparedConditions { conditions });
        }
        let conditions = self
            .classic
            .iter()
            .map(|c| PreparedClassic::new(c, list, dialect))
            .collect();
        Box::new(PreparedConditions { conditions })
    }
}

impl ClassicCondition {
    /// All conditions of a document, or `None` when one of them cannot be read: then none counts.
    fn all(rule: &condition::ConditionRule, dialect: Dialect) -> Option<Vec<Self>> {
        let header = &rule.header;
        rule.conditions
            .iter()
            .map(|text| Self::new(text.text.as_deref(), header.force, header.enabled, dialect).ok())
            .collect()
    }

    /// `null` in place of a text is refused like a blank one.
    pub(super) fn new(
        text: Option<&str>,
        force: bool,
        enabled: bool,
        dialect: Dialect,
    ) -> Result<Self, ConditionError> {
        let condition = if enabled || !dialect.disabled_unread {
            Some(Condition::parse(text.unwrap_or_default())?)
        } else {
            None
        };
        Ok(Self {
            condition,
            force,
            enabled,
        })
    }
}

/// A condition, prepared.
pub(super) trait Step {
    fn route(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Outcome;

    /// See [`Prepared::bound`].
    fn bound(&self, input: AddressSet) -> AddressSet {
        input
    }
}

struct PreparedConditions<S> {
    conditions: Vec<S>,
}

impl<S: Step> Prepared for PreparedConditions<S> {
    fn route(
        &self,
        list: &AddressList,
        call: &Call,
        input: &AddressSet,
    ) -> Result<Outcome, Thrown> {
        let mut outcome = Outcome::Only(input.clone());
        for condition in &self.conditions {
            outcome = outcome.then::<Thrown>(
                |input| {
                    Ok(if input.is_empty() {
                        Outcome::Only(input.clone())
                    } else {
                        condition.route(list, call, input)
                    })
                },
                |bound| condition.bound(bound),
            )?;
        }
        Ok(outcome)
    }

    fn bound(&self, input: AddressSet) -> AddressSet {
        self.conditions
            .iter()
            .fold(input, |bound, condition| condition.bound(bound))
    }
}

/// A classic condition, prepared.
pub(super) struct PreparedClassic {
    /// `None` when it never applies: disabled, or the left side excludes this consumer.
    when: Option<Side>,
    /// `None` is the empty right side.
    then: Option<Side>,
    /// The right side was read but names nothing (`=> &`): nobody fits.
    then_empty: bool,
    force: bool,
    /// The addresses that fit the right side.
    fitting: OnceCell<AddressSet>,
}

impl PreparedClassic {
    pub(super) fn new(condition: &ClassicCondition, list: &AddressList, dialect: Dialect) -> Self {
        let read = condition.condition.as_ref().filter(|_| condition.enabled);
        Self {
            when: read.and_then(|read| Side::left(&read.when, &list.consumer, dialect)),
            then: read
                .and_then(|read| read.then.as_ref())
                .map(|then| Side::right(then, &list.consumer, dialect)),
            then_empty: read.is_some_and(|read| read.then.as_ref().is_some_and(Vec::is_empty)),
            force: condition.force,
            fitting: OnceCell::new(),
        }
    }
}

impl Step for PreparedClassic {
    fn route(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Outcome {
        if !self.when.as_ref().is_some_and(|when| when.fits_call(call)) {
            return Outcome::Only(input.clone());
        }
        let Some(then) = &self.then else {
            return Outcome::Only(AddressSet::none(list.len()));
        };
        let fitting = self.fitting.get_or_init(|| {
            list.filter(|provider| !self.then_empty && then.fits_provider(provider))
        });
        let result = input.and(fitting);
        if result.is_empty() && !self.force {
            return Outcome::Only(input.clone());
        }
        Outcome::Only(result)
    }
}
