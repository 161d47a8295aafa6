//! Condition rules of the config center: their life cycle, and classic conditions.
//!
//! Mirrors `ListenableRouter` and `ConditionRouter` (2.7), `ListenableStateRouter` and `ConditionStateRouter` (3.x).

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::ask::Ask;
use super::call::Call;
use super::clause::{Failing, Side, Surprises};
use super::columns::Columns;
use super::condition_multi::{MultiCondition, PreparedMulti};
use super::condition_read;
use super::condition_steps::{PreparedConditions, Step};
use super::dialect::Dialect;
use super::outcome::Outcome;
use super::set::AddressSet;
use super::trace::{Document, Effect, Fragment, Last, Oddity, Part, Removal, RuleRef, RuleState};
use super::{AddressList, Prepared, RuleEvent};
use crate::model::version::DubboVersion;
use crate::rule::condition;
use crate::rule::condition::text::{Clause, Condition, ConditionError, excerpt};
use crate::rule::error::RuleError;
use crate::rule::yaml::Position;

/// The condition rules that are in force under one router.
#[derive(Debug, Default)]
pub(super) struct ConditionRules {
    classic: Vec<Arc<ClassicCondition>>,
    multi: Vec<Arc<MultiCondition>>,
    /// 3.3: which of the two lists a call goes through is decided by the last document that could be read.
    multi_chosen: bool,
    /// A later document brought none: the conditions are those of an earlier one.
    stale: bool,
}

/// One condition in force.
#[derive(Debug)]
pub(super) struct ClassicCondition {
    /// `None` in a disabled rule, whose text is not read (2.7.12 and later).
    pub condition: Option<Arc<Condition>>,
    pub force: bool,
    pub enabled: bool,
    /// Where it stands.
    pub source: Source,
}

/// Where a condition stands.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// The rule.
    pub document: Arc<Document>,
    /// Where the condition begins in it.
    pub at: Option<Position>,
    /// The condition as read.
    pub text: Arc<str>,
    /// The same as it may be shown, where that is another text: without secrets, and not too long.
    excerpt: Option<Arc<str>>,
}

impl Source {
    pub(super) fn new(document: Arc<Document>, at: Option<Position>, text: String) -> Self {
        let excerpt = match excerpt(&text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(excerpt) => Some(excerpt.into()),
        };
        Self {
            document,
            at,
            text: text.into(),
            excerpt,
        }
    }

    /// The same text at another place.
    fn again(&self, at: Position) -> Self {
        Self {
            at: Some(at),
            ..self.clone()
        }
    }

    /// The condition as it may be shown.
    pub(super) fn shown(&self) -> &Arc<str> {
        self.excerpt.as_ref().unwrap_or(&self.text)
    }

    /// The place of the condition.
    pub(super) fn rule(&self, force: bool) -> RuleRef {
        RuleRef {
            key: Arc::clone(&self.document.key),
            position: self.at,
            force,
        }
    }

    /// A clause of it as written, with its values.
    pub(super) fn clause(&self, clause: Option<&Clause>) -> Fragment {
        let span = clause.map_or(0..self.text.len(), span_of);
        let mut fragment = self.document.fragment(&self.text, self.at, span);
        if self.excerpt.is_some() {
            fragment.text = excerpt(&fragment.text).into_owned();
        }
        fragment
    }
}

/// From the key of a clause to its last value.
pub(super) fn span_of(clause: &Clause) -> Range<usize> {
    let values = clause.matches.iter().chain(&clause.mismatches);
    let end = values.map(|value| value.span.end).max();
    clause.span.start..end.unwrap_or(clause.span.end).max(clause.span.end)
}

impl ConditionRules {
    /// A document arrived or was removed. One that cannot be read leaves in force what was there.
    pub(super) fn process(
        &mut self,
        event: RuleEvent<'_>,
        version: &DubboVersion,
        dialect: Dialect,
    ) -> RuleState {
        let state = self.take(event, version, dialect);
        self.stale = matches!(
            state,
            RuleState::Refused(_) | RuleState::Empty | RuleState::TooNew(_)
        );
        state
    }

    fn take(
        &mut self,
        event: RuleEvent<'_>,
        version: &DubboVersion,
        dialect: Dialect,
    ) -> RuleState {
        let Some(content) = event.content else {
            *self = Self::default();
            return RuleState::Absent;
        };
        let taken = condition_read::read(event, content, version, dialect);
        if let Some(is_multi) = taken.is_multi {
            self.multi_chosen = is_multi;
        }
        if let Some(classic) = &taken.classic {
            self.classic.clone_from(classic);
        }
        if let Some(multi) = &taken.multi {
            self.multi.clone_from(multi);
        }
        taken.state.clone()
    }

    /// What the conditions ask about a call or its consumer.
    pub(super) fn asks(&self, dialect: Dialect) -> Vec<Ask> {
        if self.multi_chosen {
            return self.multi.iter().flat_map(|it| it.asks(dialect)).collect();
        }
        asks_of(&self.classic, dialect).collect()
    }

    /// Prepares the conditions. `own` is the key of a document that another router applies as well.
    pub(super) fn prepare(
        &self,
        list: &AddressList,
        dialect: Dialect,
        own: Option<String>,
    ) -> Box<dyn Prepared> {
        let mut oddities = Vec::new();
        if self.stale {
            oddities.push(Oddity::EarlierTextStays);
        }
        if own.is_some() && list.applications_differ() {
            oddities.push(Oddity::FirstAddressDecides);
        }
        let columns = Rc::new(Columns::default());
        if self.multi_chosen {
            // With both lists empty the router passes its input on, which empty lists do as well.
            let conditions = self
                .multi
                .iter()
                .map(|c| PreparedMulti::new(c, list, &columns, dialect))
                .collect();
            return Box::new(PreparedConditions {
                conditions,
                oddities,
                own,
            });
        }
        // Equal conditions of a document share what they were read to, and what that comes to for these addresses.
        let mut known: HashMap<*const Condition, Rc<Sides>> = HashMap::new();
        let conditions = self
            .classic
            .iter()
            .map(|one| {
                let make = || Rc::new(Sides::of(one, list, dialect));
                let sides = match one.asked() {
                    Some(read) => Rc::clone(known.entry(Arc::as_ptr(read)).or_insert_with(make)),
                    None => make(),
                };
                PreparedClassic::new(Arc::clone(one), sides, &columns)
            })
            .collect();
        Box::new(PreparedConditions {
            conditions,
            oddities,
            own,
        })
    }
}

/// What conditions ask about; one that an alias repeats asks the same each time.
pub(super) fn asks_of(
    conditions: &[Arc<ClassicCondition>],
    dialect: Dialect,
) -> impl Iterator<Item = Ask> {
    let mut known: HashSet<*const Condition> = HashSet::new();
    conditions
        .iter()
        .filter(move |it| {
            let read = it.asked().map(Arc::as_ptr);
            read.is_some_and(|read| known.insert(read))
        })
        .flat_map(move |it| it.asks(dialect))
}

impl ClassicCondition {
    /// What was read, when it counts.
    fn asked(&self) -> Option<&Arc<Condition>> {
        self.condition.as_ref().filter(|_| self.enabled)
    }

    pub(super) fn asks(&self, dialect: Dialect) -> Vec<Ask> {
        let Some(read) = self.condition.as_ref().filter(|_| self.enabled) else {
            return Vec::new();
        };
        let then = read.then.as_deref().unwrap_or_default();
        Ask::of_clauses(&read.when, dialect)
            .chain(Ask::of_right_side(then))
            .collect()
    }

    /// All conditions of a document, or the first one that cannot be read: then none counts.
    pub(super) fn all(
        rule: &condition::ConditionRule,
        document: &Arc<Document>,
        dialect: Dialect,
    ) -> Result<Vec<Arc<Self>>, RuleError> {
        let header = &rule.header;
        // An alias, or a careless hand, may repeat a long condition thousands of times.
        let mut known: HashMap<&str, (Option<Arc<Condition>>, Source)> = HashMap::new();
        rule.conditions
            .iter()
            .map(|written| {
                let text = written.text.as_deref().unwrap_or_default();
                let (condition, source) = if let Some((condition, source)) = known.get(text) {
                    (condition.clone(), source.again(written.at))
                } else {
                    let document = Arc::clone(document);
                    let source = Source::new(document, Some(written.at), text.to_owned());
                    let read = read(text, header.enabled, dialect);
                    let read = read.map_err(|error| refused(&source, &error))?;
                    known.entry(text).or_insert((read, source)).clone()
                };
                Ok(Arc::new(Self {
                    condition,
                    force: header.force,
                    enabled: header.enabled,
                    source,
                }))
            })
            .collect()
    }
}

/// Reads a condition, unless the rule is off and this version does not look at it. `null` in place of a text is refused
/// like a blank one.
pub(super) fn read(
    text: &str,
    enabled: bool,
    dialect: Dialect,
) -> Result<Option<Arc<Condition>>, ConditionError> {
    if enabled || !dialect.disabled_unread {
        Condition::parse(text).map(|read| Some(Arc::new(read)))
    } else {
        Ok(None)
    }
}

/// Why a whole document is refused for one condition, at the separator that has no place there.
pub(super) fn refused(source: &Source, error: &ConditionError) -> RuleError {
    let (class, at) = match error {
        ConditionError::Blank => ("java.lang.IllegalArgumentException", None),
        ConditionError::Separator { at, .. } => ("java.lang.IllegalStateException", Some(*at)),
    };
    let place = at.and_then(|at| {
        let end = source.text.len();
        source
            .document
            .fragment(&source.text, source.at, at..end)
            .position
    });
    RuleError {
        class,
        message: excerpt(&error.to_string()).into_owned(),
        at: place.or(source.at),
    }
}

/// The sides of a condition, prepared.
pub(super) struct Sides {
    dialect: Dialect,
    /// `None` when the condition is not asked at all, an error when it never applies to this consumer.
    when: Option<Result<Side, Failing<'static>>>,
    /// `None` is the empty right side; made when a call comes to it.
    then: OnceCell<Option<Side>>,
    /// The right side was read but names nothing (`=> &`): nobody fits.
    then_empty: bool,
    /// The addresses that fit the right side.
    fitting: OnceCell<AddressSet>,
    /// What may surprise about the left and the right side.
    surprises: OnceCell<[Surprises; 2]>,
}

impl Sides {
    fn of(condition: &ClassicCondition, list: &AddressList, dialect: Dialect) -> Self {
        let read = condition.asked();
        Self {
            dialect,
            when: read.map(|read| Side::left(&read.when, &list.consumer, dialect)),
            then: OnceCell::new(),
            then_empty: read.is_some_and(|read| read.then.as_ref().is_some_and(Vec::is_empty)),
            fitting: OnceCell::new(),
            surprises: OnceCell::new(),
        }
    }
}

/// A classic condition, prepared.
pub(super) struct PreparedClassic {
    condition: Arc<ClassicCondition>,
    sides: Rc<Sides>,
    columns: Rc<Columns>,
    /// The addresses that were taken from an input, which gave an output.
    removed: Last<(AddressSet, AddressSet), Arc<[Removal]>>,
}

impl PreparedClassic {
    fn new(condition: Arc<ClassicCondition>, sides: Rc<Sides>, columns: &Rc<Columns>) -> Self {
        Self {
            condition,
            sides,
            columns: Rc::clone(columns),
            removed: Last::default(),
        }
    }

    /// One that stands alone.
    pub(super) fn alone(
        condition: Arc<ClassicCondition>,
        list: &AddressList,
        columns: &Rc<Columns>,
        dialect: Dialect,
    ) -> Self {
        let sides = Rc::new(Sides::of(&condition, list, dialect));
        Self::new(condition, sides, columns)
    }

    fn then(&self, list: &AddressList) -> Option<&Side> {
        let made = self.sides.then.get_or_init(|| {
            let then = self.condition.asked()?.then.as_ref()?;
            Some(Side::right(then, &list.consumer, self.sides.dialect))
        });
        made.as_ref()
    }

    fn fitting(&self, list: &AddressList, then: &Side) -> &AddressSet {
        self.sides.fitting.get_or_init(|| {
            if self.sides.then_empty {
                return AddressSet::none(list.len());
            }
            then.fitting(list, &self.columns)
        })
    }

    /// What it does to a call: the effect, and the clause of the left side that keeps it from applying.
    fn effect(&self, list: &AddressList, call: &Call, input: &AddressSet) -> (Effect, AddressSet) {
        let source = &self.condition.source;
        let read = self.condition.condition.as_ref();
        let failing = match &self.sides.when {
            None => return (Effect::Off, input.clone()),
            Some(Err((place, value))) => Some((*place, value.clone())),
            Some(Ok(when)) => when.failing_call(call),
        };
        if let Some((place, value)) = failing {
            let clause = source.clause(read.and_then(|read| read.when.get(place)));
            let effect = Effect::NotConcerned {
                clause: Arc::new(clause),
                value: value.map(Cow::into_owned),
            };
            return (effect, input.clone());
        }
        let none = AddressSet::none(list.len());
        let Some(then) = self.then(list) else {
            return (Effect::Refuses, none);
        };
        let kept = input.and(self.fitting(list, then));
        if !kept.is_empty() {
            return (Effect::Keeps, kept);
        }
        if self.condition.force {
            (Effect::ForcesEmpty, none)
        } else {
            (Effect::Ignored, input.clone())
        }
    }
}

impl Step for PreparedClassic {
    fn route(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Outcome {
        let applies = matches!(&self.sides.when, Some(Ok(when)) if when.fits_call(call));
        if !applies {
            return Outcome::Only(input.clone());
        }
        let Some(then) = self.then(list) else {
            return Outcome::Only(AddressSet::none(list.len()));
        };
        let result = input.and(self.fitting(list, then));
        if result.is_empty() && !self.condition.force {
            return Outcome::Only(input.clone());
        }
        Outcome::Only(result)
    }

    /// A forced condition never lets anybody through who does not fit; any other may pass everything on.
    fn bound(&self, list: &AddressList, call: &Call, input: AddressSet) -> AddressSet {
        let applies = matches!(&self.sides.when, Some(Ok(when)) if when.fits_call(call));
        match self.then(list) {
            _ if !applies => input,
            None => AddressSet::none(list.len()),
            Some(then) if self.condition.force => input.and(self.fitting(list, then)),
            Some(_) => input,
        }
    }

    fn explain(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Part {
        let (effect, output) = self.effect(list, call, input);
        let (source, read) = (&self.condition.source, self.condition.condition.as_ref());
        let clauses = read
            .and_then(|read| read.then.as_deref())
            .unwrap_or_default();
        let fits = matches!(
            effect,
            Effect::Keeps | Effect::ForcesEmpty | Effect::Ignored
        );
        let asked = if fits { self.then(list) } else { None };
        let made = || {
            let mut fragments: BTreeMap<usize, Arc<Fragment>> = BTreeMap::new();
            let removed = input.without(&output);
            let failing = match asked {
                Some(then) => then.failing_of(&removed, list, &self.columns),
                None => removed.iter().map(|address| (address, None)).collect(),
            };
            let removed = failing.into_iter().map(|(address, failing)| {
                let place = failing.as_ref().map_or(usize::MAX, |(place, _)| *place);
                let by = fragments
                    .entry(place)
                    .or_insert_with(|| Arc::new(source.clause(clauses.get(place))));
                Removal {
                    address,
                    by: Some(Arc::clone(by)),
                    value: failing.and_then(|(_, value)| value.map(Cow::into_owned)),
                }
            });
            removed.collect()
        };
        let removed = if output == *input {
            Arc::default()
        } else {
            let about = (input.clone(), output.clone());
            self.removed.or_make(about, made)
        };
        let mut oddities = BTreeSet::new();
        if let (Some(read), true) = (read, self.sides.when.is_some()) {
            let [left, right] = self.sides.surprises.get_or_init(|| {
                [(read.when.as_slice(), true), (clauses, false)].map(|(clauses, left)| {
                    Side::surprises(clauses, list, &self.columns, self.sides.dialect, left)
                })
            });
            oddities.extend(left.about(input));
            if matches!(&self.sides.when, Some(Ok(when)) if when.sees_own_name(call)) {
                oddities.insert(Oddity::GenericCallHasOwnName);
            }
            if asked.is_some() {
                oddities.extend(right.about(input));
            }
        }
        Part {
            rule: Some(source.rule(self.condition.force)),
            text: Arc::clone(source.shown()),
            effect,
            output: Outcome::Only(output),
            removed,
            oddities: oddities.into_iter().collect(),
        }
    }
}
