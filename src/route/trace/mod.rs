//! Why a chain gives what it gives: every router, every part of its rules, every address that was taken away.
//!
//! [`super::application::Application::route`] gives the answer, [`super::application::Application::trace`] adds what
//! went into and came out of each router, and [`super::application::Application::explain`] adds the reasons in this
//! form:
//!
//! ```text
//! Trace
//!   steps: one per router that ran, in order
//!     step: class name, SPI name (`kind`), input, output
//!     parts: one per condition, tag or script that was asked, in order
//!       rule: key, line and column, force; text: the part as written
//!       effect: what it did (and on which clause its left side failed)
//!       removed: each address, the clause or tag it does not fit, and the value it has
//!       oddities: where the real code does what nobody would expect
//!   outcome
//! ```
//!
//! [`super::application::Application::readings`] says which keys were read and what became of each text. Both the
//! verdict on a service and the replay of requests are told from here. A reason never changes an answer: it is worked
//! out from the same prepared form, only when it is asked for.
//!
//! When only several possible inputs of a router are known, its parts speak of the union of them.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::Thrown;
use super::application::Step;
use super::outcome::Outcome;
use super::set::AddressSet;
use super::ways::{Split, Way};
use crate::rule::error::RuleError;
use crate::rule::yaml::Position;

/// A call on its way through the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// What each router did, in order; the one that throws is the last.
    pub steps: Vec<Explained>,
    /// The answer. An exception is an empty list for the caller.
    pub outcome: Result<Outcome, Thrown>,
    /// Each way on its own, when something is drawn on the way and the ways can be followed.
    pub split: Option<Split>,
}

/// A router and its reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The router, what came in and what went out; nothing goes out of one that throws.
    pub step: Step,
    /// What it asked, in order.
    pub parts: Vec<Part>,
    /// The exception it throws.
    pub thrown: Option<Thrown>,
}

/// A condition, tag, script or subset that a router asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The rule it stands in; `None` when the router needs none (static tags, `mock://`).
    pub rule: Option<RuleRef>,
    /// The part as written: a condition, the name of a tag, the type of a script.
    pub text: Arc<str>,
    /// What it did.
    pub effect: Effect,
    /// What it leaves.
    pub output: Outcome,
    /// What it took away, by place in the list; calls that lose the same share one list.
    pub removed: Arc<[Removal]>,
    /// Where the real code is odd here.
    pub oddities: Vec<Oddity>,
}

/// A place in a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRef {
    /// The key under which the rule is kept, or the URL that is the rule.
    pub key: Arc<str>,
    /// Line and column of the part.
    pub position: Option<Position>,
    /// Whether an empty result stays empty.
    pub force: bool,
}

/// An address that was taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// Its place in the list.
    pub address: usize,
    /// What it does not fit.
    pub by: Option<Arc<Fragment>>,
    /// What it has there; `None` when it has nothing.
    pub value: Option<String>,
}

/// A piece of a rule text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// As written.
    pub text: String,
    /// Where it stands; `None` where the rule's text spells it in another way (escapes, folded lines).
    pub position: Option<Position>,
}

/// What a part did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// The rule is switched off.
    Off,
    /// Its left side does not hold: the clause that fails, and the value of this consumer or call.
    NotConcerned {
        /// The clause.
        clause: Arc<Fragment>,
        /// The value it was compared with, `None` when there is none.
        value: Option<String>,
    },
    /// It keeps what fits.
    Keeps,
    /// One of several destinations is drawn.
    Draws,
    /// Its right side is empty: nobody may be called.
    Refuses,
    /// Nothing fits and the result is forced to stay empty.
    ForcesEmpty,
    /// Nothing fits, and since nothing is forced everything is passed on: the rule leaks.
    Ignored,
    /// Addresses of the tag, as a rule lists them.
    TagByRule,
    /// Addresses with this tag in their own URL.
    TagByUrl,
    /// No address has the tag: those without any tag are taken.
    TagFallback,
    /// The call has no tag: addresses with a tag are left out.
    Untagged,
    /// `mock://` addresses are kept for calls that ask for them, or left out.
    Mock,
    /// A subset of a mesh rule is drawn.
    Subsets,
    /// The mesh rule selects nobody and passes everything on.
    EmptyProtection,
    /// A script, which is not run: anything from nothing to the input.
    Script,
    /// A script that asks for something that is never there before anything else: it fails, and the rule is passed over.
    ScriptFails,
    /// Nothing runs: the script's engine is missing, so that the rule has no effect.
    NoEngine(String),
    /// A part that cannot be replayed, such as a regular expression with look-around.
    NotRunnable(String),
    /// A rule that was not seen: anything from nothing to the input.
    NotSeen,
    /// A router of the user's own code, as it was declared.
    Declared,
    /// A router of the user's own code that was not declared: anything from nothing to the input.
    Unknown,
}

/// What the real code does and hardly anybody expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Oddity {
    /// Up to 3.1 a key that is missing passes `!=`.
    MissingKeyPasses,
    /// From 3.2 on a key that is missing fails, also with `!=`.
    MissingKeyFails,
    /// Before 2.7.10 `host`, `port` and `protocol` on the left side are those of the registry.
    LeftSideSeesRegistry,
    /// 2.7 puts the consumer's parameters over those of every provider before the right side is asked.
    ConsumerOverlays,
    /// The draw among destinations gives the first one chance more than its weight and the last one less.
    DrawIsOffByOne,
    /// Up to 3.2.3 a generic call has the method `$invoke` for conditions.
    GenericCallHasOwnName,
    /// An address pattern never fits a loopback address.
    LoopbackHasNoPattern,
    /// From 3.2 on labels of mesh rules are compared with the consumer's value first.
    LabelsSeeConsumer,
    /// The provider-application router starts with the rule of the consumer's own application.
    OwnRuleRunsTwice,
    /// Only the application of the first address decides whose rule is read.
    FirstAddressDecides,
    /// `dubbo.force.tag` of the URL has no effect before 3.0.8.
    ForceTagOfUrlIgnored,
    /// An earlier document left its conditions in force.
    EarlierTextStays,
    /// The script rule was removed, its script was not: every call fails until the consumer is started again.
    ScriptOutlivesRule,
}

/// A rule that a router reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The simple name of the router's class, or the name of a declared one.
    pub router: Cow<'static, str>,
    /// Its SPI name.
    pub kind: &'static str,
    /// The key, in group `dubbo`.
    pub key: String,
    /// What became of the text.
    pub state: RuleState,
}

/// What became of a rule's text.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleState {
    /// There is none.
    Absent,
    /// Not seen.
    NotSeen,
    /// Refused; what was in force before stays.
    Refused(RuleError),
    /// Read, but without anything to apply (or `valid: false`): what was in force before stays.
    Empty,
    /// `configVersion` above what this version reads: what was in force before stays.
    TooNew(RuleError),
    /// Switched off by `enabled: false`.
    Off,
    /// In force.
    InForce,
}

/// Ways that are remembered: calls go a few of them, in any order.
const WAYS: usize = 4;

/// What was worked out lately, for calls that go a way that others went before.
#[derive(Debug)]
pub(super) struct Last<K, V>(RefCell<Vec<(K, V)>>);

impl<K, V> Default for Last<K, V> {
    fn default() -> Self {
        Self(RefCell::new(Vec::new()))
    }
}

impl<K: PartialEq, V: Clone> Last<K, V> {
    /// The value of one of the last times if that was about the same, else a new one.
    pub(super) fn or_make(&self, about: K, make: impl FnOnce() -> V) -> V {
        let mut last = self.0.borrow_mut();
        if let Some(place) = last.iter().position(|(known, _)| *known == about) {
            last[..=place].rotate_right(1);
            return last[0].1.clone();
        }
        let value = make();
        last.truncate(WAYS - 1);
        last.insert(0, (about, value.clone()));
        value
    }
}

/// Notes what became of a rule, in place of what was noted before.
pub(super) fn note(readings: &mut Vec<(String, RuleState)>, key: &str, state: RuleState) {
    match readings.iter_mut().find(|(known, _)| known == key) {
        Some((_, known)) => *known = state,
        None => readings.push((key.to_owned(), state)),
    }
}

/// A rule text with its key, shared by everything that was read from it.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) key: Arc<str>,
    text: String,
    /// Where its lines begin, worked out when it is first asked.
    lines: OnceLock<Vec<usize>>,
}

impl Document {
    pub(super) fn new(key: &str, text: &str) -> Arc<Self> {
        Arc::new(Self {
            key: key.into(),
            text: text.to_owned(),
            lines: OnceLock::new(),
        })
    }

    /// A piece of a scalar that begins at `at` and has the value `value`. Where it stands is only known when the scalar
    /// is written as it reads.
    pub(super) fn fragment(
        &self,
        value: &str,
        at: Option<Position>,
        span: Range<usize>,
    ) -> Fragment {
        let text = value.get(span.clone()).unwrap_or_default().to_owned();
        let before = value.get(..span.start).unwrap_or_default();
        Fragment {
            text,
            position: at.and_then(|at| {
                let written = self.behind(at)?;
                let quote = usize::from(!written.starts_with(value));
                let inner = written.get(quote..)?;
                if quote == 1 && !written.starts_with(['\'', '"']) || !inner.starts_with(value) {
                    return None;
                }
                if before.contains(['\n', '\r']) {
                    return None;
                }
                let columns = u32::try_from(before.chars().count() + quote).ok()?;
                Some(Position {
                    line: at.line,
                    column: at.column.saturating_add(columns),
                })
            }),
        }
    }

    /// The text from a place on.
    fn behind(&self, at: Position) -> Option<&str> {
        let lines = self.lines.get_or_init(|| line_starts(&self.text));
        let line = usize::try_from(at.line).ok()?.checked_sub(1)?;
        let rest = self.text.get(*lines.get(line)?..)?;
        let skipped = usize::try_from(at.column.saturating_sub(1)).ok()?;
        let offset = rest.char_indices().nth(skipped).map(|(offset, _)| offset);
        rest.get(offset?..)
    }
}

/// Where the lines of a text begin, by all line breaks that YAML knows.
fn line_starts(text: &str) -> Vec<usize> {
    let mark = '\u{feff}'.len_utf8();
    let mut starts = vec![if text.starts_with('\u{feff}') {
        mark
    } else {
        0
    }];
    let breaks = text.match_indices(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
    for (at, sign) in breaks {
        let is_pair = sign == "\r" && text[at + 1..].starts_with('\n');
        if !is_pair {
            starts.push(at + sign.len());
        }
    }
    starts
}

impl Explained {
    /// Whether something is drawn in it, be it that later parts of it leave the same of every draw.
    pub(super) fn draws(&self) -> bool {
        let outputs = self.parts.iter().map(|part| &part.output);
        let mut all = outputs.chain([&self.step.output]);
        all.any(|output| matches!(output, Outcome::OneOf(_)))
    }
}

impl Trace {
    /// How likely it is that nothing is left, from 0 to 1.
    pub fn lost(&self) -> f64 {
        match (&self.split, &self.outcome) {
            (Some(split), _) => split.lost,
            (None, Ok(outcome)) if !outcome.is_empty() => 0.0,
            (None, _) => 1.0,
        }
    }

    /// Whether some way is only known to leave something between nothing and a bound.
    pub fn is_bounded(&self) -> bool {
        match &self.split {
            Some(split) => split.unclear > 0.0,
            None => {
                matches!(&self.outcome, Ok(outcome @ Outcome::Within(_)) if !outcome.is_empty())
            }
        }
    }

    /// The likeliest way that leaves nothing, when ways part.
    pub fn losing(&self) -> Option<&Way> {
        let first = self.split.as_ref()?.ways.first()?;
        first.is_lost().then_some(first)
    }

    /// What each router did to calls that lose everything, where ways part only on the likeliest of those; else what
    /// each did to all.
    pub fn steps_to_nothing(&self) -> &[Explained] {
        self.losing().map_or(&self.steps, |way| &way.steps)
    }

    /// What each router did to all calls together, and on each way where ways part.
    pub fn all_steps(&self) -> impl Iterator<Item = &Explained> {
        let ways = self.split.iter().flat_map(|split| &split.ways);
        self.steps.iter().chain(ways.flat_map(|way| &way.steps))
    }

    /// Forgets all but the first parts of each router that let everything pass: a rule may have a hundred thousand of
    /// them, and a trace is kept for each class of calls.
    pub fn shorten(&mut self, most: usize) {
        for step in &mut self.steps {
            shorten(&mut step.parts, most);
        }
    }
}

/// Forgets all but the first parts that let everything pass.
pub(super) fn shorten(parts: &mut Vec<Part>, most: usize) {
    let mut left = most;
    parts.retain(|part| {
        let is_kept = !part.is_quiet() || left > 0;
        left = left.saturating_sub(usize::from(part.is_quiet()));
        is_kept
    });
    parts.shrink_to_fit();
}

impl Part {
    /// Whether it let everything pass, without a doubt.
    pub(super) fn is_quiet(&self) -> bool {
        let passes = matches!(
            self.effect,
            Effect::Off | Effect::NotConcerned { .. } | Effect::Keeps | Effect::Ignored
        );
        passes
            && self.removed.is_empty()
            && matches!(&self.output, Outcome::Only(set) if !set.is_empty())
    }

    /// Whether what the removed addresses do not fit is about where they are: their host, or the parameter `key` that
    /// names their zone; a declared router that keeps the consumer's zone always is. Nothing is when nobody told of
    /// zones (`known`).
    pub fn pins_place(&self, key: Option<&str>, known: bool) -> bool {
        if self.effect == Effect::Declared {
            return self.rule.as_ref().is_some_and(|rule| {
                let keeps = |what: &str| rule.key.contains(&format!("keep=same-{what}"));
                keeps("zone") || key.is_some_and(keeps)
            });
        }
        let about_place = |text: &str| {
            let name: String = text
                .chars()
                .take_while(|c| !c.is_whitespace() && !"!=,&".contains(*c))
                .collect();
            matches!(name.as_str(), "host" | "address") || key == Some(name.as_str())
        };
        let is_about = |removal: &Removal| {
            let by = removal.by.as_ref();
            by.is_some_and(|clause| about_place(&clause.text))
        };
        known && !self.removed.is_empty() && self.removed.iter().all(is_about)
    }

    /// A part that takes nothing away.
    pub(super) fn passing(
        rule: Option<RuleRef>,
        text: impl Into<Arc<str>>,
        effect: Effect,
        input: &AddressSet,
    ) -> Self {
        Self {
            rule,
            text: text.into(),
            effect,
            output: Outcome::Only(input.clone()),
            removed: Arc::default(),
            oddities: Vec::new(),
        }
    }

    /// A part of which only bounds are known.
    pub(super) fn bounded(
        rule: Option<RuleRef>,
        text: impl Into<Arc<str>>,
        effect: Effect,
        input: &AddressSet,
    ) -> Self {
        Self {
            output: Outcome::Within(input.clone()),
            ..Self::passing(rule, text, effect, input)
        }
    }
}

#[cfg(test)]
mod tests;
