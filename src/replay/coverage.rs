//! Which parts of rules ever had a say: conditions that never matched, conditions that others leave nothing to do,
//! addresses that no call can reach.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fold::{Combination, Folded};
use super::interest::call;
use super::rule_set::RuleTexts;
use super::scenario::{Scenario, Sessions};
use super::subject::Subject;
use crate::model::version::DubboVersion;
use crate::route::rules::RuleText;
use crate::route::trace::{Effect, RuleState, Trace};
use crate::rule::condition::text::{Condition, excerpt};
use crate::rule::condition::{self, ConditionDocument};
use crate::rule::tag;
use crate::rule::yaml::Position;

/// Kinds of calls on which a condition is tried alone.
const MOST_TRIED: usize = 64;
/// Conditions that are tried alone, in the order of their rules.
const MOST_ALONE: usize = 200;

/// A condition or tag of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartName {
    /// Key of the rule.
    pub rule: Arc<str>,
    /// Where it stands.
    pub position: Option<Position>,
    /// The part as written.
    pub text: Arc<str>,
}

/// What became of a part over all calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Use {
    /// Its left side held, or its tag was asked for.
    pub matched: bool,
    /// It took an address away.
    pub removed: bool,
    /// It was passed over because nothing fitted and nothing is forced.
    pub leaked: bool,
    /// It left nothing of something.
    pub emptied: bool,
}

impl Use {
    /// What became of it over both.
    fn and(self, other: Self) -> Self {
        Self {
            matched: self.matched || other.matched,
            removed: self.removed || other.removed,
            leaked: self.leaked || other.leaked,
            emptied: self.emptied || other.emptied,
        }
    }
}

/// Every part that was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// By part.
    pub parts: BTreeMap<PartName, Use>,
}

impl Seen {
    /// Notes what a call came to.
    pub(super) fn note(&mut self, trace: &Trace) {
        for part in trace.all_steps().flat_map(|step| &step.parts) {
            let Some(rule) = &part.rule else { continue };
            let name = PartName {
                rule: Arc::clone(&rule.key),
                position: rule.position,
                text: Arc::clone(&part.text),
            };
            let used = self.parts.entry(name).or_default();
            used.matched |= !matches!(part.effect, Effect::Off | Effect::NotConcerned { .. });
            used.removed |= !part.removed.is_empty();
            used.leaked |= part.effect == Effect::Ignored;
            used.emptied |= part.output.is_empty() && !part.removed.is_empty();
        }
    }
}

/// What the rules cover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Conditions and tags that fitted no call.
    pub never_matched: Vec<PartName>,
    /// Conditions that no call came to: nothing was left before them.
    pub never_asked: Vec<PartName>,
    /// Conditions that fit calls and would take addresses away, if others had not done so before them.
    pub shadowed: Vec<PartName>,
    /// Addresses that no call can reach.
    pub unreachable: Vec<String>,
}

/// The coverage of the first scenario.
pub fn coverage(folded: &Folded, scenario: &Scenario, subject: &Subject) -> Coverage {
    let all = parts(scenario, folded);
    let uses = Uses::of(&folded.seen);
    let mut coverage = Coverage::default();
    if folded.requests == 0 {
        return coverage;
    }
    let bare = Scenario {
        rules: RuleTexts::new(RuleText::Absent),
        earlier: None,
        ..scenario.clone()
    };
    let mut sessions = Sessions::new(&bare, subject);
    let mut tried = 0;
    for (name, classic) in all {
        let found = uses.of_part(&name);
        if classic.is_some() && found.is_none() {
            coverage.never_asked.push(name);
            continue;
        }
        let found = found.unwrap_or_default();
        if !found.matched {
            coverage.never_matched.push(name);
        } else if let Some(classic) = classic
            && !found.removed
            && !found.leaked
            && tried < MOST_ALONE
        {
            tried += 1;
            if removes_alone(&name, &classic, folded, &mut sessions) {
                coverage.shadowed.push(name);
            }
        }
    }
    if let Some(addresses) = &folded.addresses {
        let mut reached: Vec<&str> = folded.classes[0]
            .iter()
            .flat_map(|class| class.ran.survivors())
            .collect();
        reached.sort_unstable();
        let mut unreached: Vec<String> = addresses
            .iter()
            .filter(|one| reached.binary_search(&one.address.as_str()).is_err())
            .map(|one| one.address.clone())
            .collect();
        unreached.dedup();
        coverage.unreachable = unreached;
    }
    coverage
}

/// What was seen of the parts with one rule and text; a part without a position may be any of them.
#[derive(Default)]
struct SameText {
    placed: BTreeMap<Position, Use>,
    unplaced: Option<Use>,
}

/// What was seen, to be looked up in rules of any length.
struct Uses<'a>(BTreeMap<(&'a str, &'a str), SameText>);

impl<'a> Uses<'a> {
    fn of(seen: &'a Seen) -> Self {
        let mut all: BTreeMap<(&str, &str), SameText> = BTreeMap::new();
        for (name, used) in &seen.parts {
            let same = all.entry((&name.rule, &name.text)).or_default();
            let before = match name.position {
                Some(position) => same.placed.entry(position).or_default(),
                None => same.unplaced.get_or_insert_default(),
            };
            *before = before.and(*used);
        }
        Self(all)
    }

    /// What became of a part; `None` when no call came to it.
    fn of_part(&self, name: &PartName) -> Option<Use> {
        let same = self.0.get(&(&*name.rule, &*name.text))?;
        let placed: Vec<Use> = match &name.position {
            Some(position) => same.placed.get(position).copied().into_iter().collect(),
            None => same.placed.values().copied().collect(),
        };
        placed.into_iter().chain(same.unplaced).reduce(Use::and)
    }
}

/// A classic condition, to be tried alone.
struct Classic {
    /// As it stands in the rule; names have what may be shown of it.
    text: String,
    force: bool,
}

/// Conditions and tags of the rules in force, in their order.
fn parts(scenario: &Scenario, folded: &Folded) -> Vec<(PartName, Option<Classic>)> {
    let version = &scenario.world.dubbo;
    let mut out: Vec<(PartName, Option<Classic>)> = Vec::new();
    for (key, text) in scenario.rules.texts() {
        let in_force = folded
            .readings
            .iter()
            .any(|reading| reading.key == key && reading.state == RuleState::InForce);
        if in_force {
            out.extend(of_document(key, text, version));
        }
    }
    out
}

fn of_document(key: &str, text: &str, version: &DubboVersion) -> Vec<(PartName, Option<Classic>)> {
    let rule: Arc<str> = key.into();
    let name = |position, text: &str| PartName {
        rule: Arc::clone(&rule),
        position,
        text: excerpt(text).into(),
    };
    if key.ends_with(".tag-router") {
        let Ok(rule) = tag::parse(text, version) else {
            return Vec::new();
        };
        return rule
            .tags
            .iter()
            .filter_map(|tag| Some((name(None, tag.name.as_deref()?), None)))
            .collect();
    }
    if !key.ends_with(".condition-router") {
        return Vec::new();
    }
    match condition::parse(text, version) {
        Ok(ConditionDocument::Classic(rule)) => rule
            .conditions
            .iter()
            .filter_map(|one| Some((one.at, one.text.as_deref()?)))
            .filter(|(_, text)| Condition::parse(text).is_ok())
            .map(|(at, text)| {
                let classic = Classic {
                    text: text.to_owned(),
                    force: rule.header.force,
                };
                (name(Some(at), text), Some(classic))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether a classic condition takes addresses away when it is the only rule.
fn removes_alone(
    name: &PartName,
    classic: &Classic,
    folded: &Folded,
    sessions: &mut Sessions<'_>,
) -> bool {
    let document = format!(
        "{{\"force\": {}, \"conditions\": [{}]}}",
        classic.force,
        serde_json::Value::from(classic.text.as_str())
    );
    folded
        .combinations
        .iter()
        .take(MOST_TRIED)
        .any(|Combination { example, .. }| {
            sessions
                .run_with((&name.rule, &document), &example.caller, &call(example))
                .is_some_and(|ran| {
                    ran.trace
                        .steps
                        .iter()
                        .flat_map(|step| &step.parts)
                        .any(|part| *part.text == *name.text && !part.removed.is_empty())
                })
        })
}
