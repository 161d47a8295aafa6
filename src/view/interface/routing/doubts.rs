//! What is not known and decides: the worlds in which the routers would come to something else.

use std::collections::BTreeSet;

use super::{
    Case, Fate, Input, Replay, Routed, Variant, replay, rules_length, stages,
    unknowns::{self, MOST_VARIANTS, Variants},
};
use crate::{
    diagnose::code::Code,
    question::ConsumerState,
    report::words::{Phrase, Say},
    route::{provider::Provider as _, trace::RuleState},
    view::stage::NotSeen,
};

/// Bytes of rules that are read again to try them: where the version is not known, in each of two dozen.
const LONGEST_REREAD: usize = 512 << 10;
const LONGEST_REREAD_IN_EACH: usize = 32 << 10;

/// What a variant comes to: whether calls lose, and why.
pub(super) type Verdict = (Option<Code>, Vec<Fate>);

/// Tries what is not known: the consumer's parameters, the order of the addresses, what a running consumer kept. Every
/// fact that decides is named. Says whether a consumer of another state may come to something else.
pub(super) fn try_all(
    case: &Case<'_>,
    input: &Input<'_>,
    base: &Variant,
    shown: &Replay<'_>,
    verdict: &Verdict,
    routed: &mut Routed,
) -> bool {
    let differs = |variant: &Variant, what: Phrase, why: Say, routed: &mut Routed| {
        let Ok(other) = replay(case, input, variant) else {
            return false;
        };
        let told = stages::losing(case, input, &other);
        if told.verdict() == *verdict {
            return false;
        }
        routed.possible.extend(told.raised().cloned());
        routed.undecided.push(untold(what, why));
        true
    };
    let most = most_variants(case);
    let parameter = |names: String| Phrase::new(Say::ConsumerParameter).with("name", names);
    let Variants {
        alone,
        together,
        untried,
    } = unknowns::variants(case, input, base, shown, most);
    let mut differing = false;
    let mut named: BTreeSet<String> = BTreeSet::new();
    for (name, variant) in alone {
        routed.assumed = true;
        // A name that is compared with several values is one fact.
        if !named.contains(&name)
            && differs(
                &variant,
                parameter(name.clone()),
                Say::RulesAskForIt,
                routed,
            )
        {
            named.insert(name);
            differing = true;
        }
    }
    if let Some((names, variant)) = together.filter(|_| !differing) {
        differing = differs(&variant, parameter(names), Say::RulesAskForIt, routed);
    }
    if let (Some(name), false) = (untried, differing) {
        routed
            .undecided
            .push(untold(parameter(name), Say::RulesAskForIt));
    }
    let address = |name: String| Phrase::new(Say::FirstAddress).with("application", name);
    let mut firsts = firsts(case, input).into_iter().skip(1);
    let mut differing = false;
    for (application, first) in firsts.by_ref().take(most) {
        let variant = Variant {
            first,
            ..base.clone()
        };
        let what = address(application);
        differing |= differs(&variant, what, Say::FirstAddressDecides, routed);
    }
    if let (Some((application, _)), false) = (firsts.next(), differing) {
        routed
            .undecided
            .push(untold(address(application), Say::FirstAddressDecides));
    }
    let is_running = case.world.state == ConsumerState::Running;
    let kept = stale(case, shown);
    let mut by_state = !kept.is_empty();
    if let Some(key) = kept.first().filter(|_| is_running) {
        let what = Phrase::new(Say::PreviousRule).with("rule", key.clone());
        let variant = Variant {
            hidden: kept.iter().cloned().collect(),
            ..base.clone()
        };
        differs(&variant, what, Say::RunningKeepsRule, routed);
    }
    // Whose name the consumer has decides whether there is such a rule at all.
    for variant in unknowns::named(case, base) {
        let Ok(other) = replay(case, input, &variant) else {
            continue;
        };
        let kept = stale(case, &other);
        by_state |= !kept.is_empty();
        if kept.is_empty() || !is_running {
            continue;
        }
        let variant = Variant {
            hidden: kept.into_iter().collect(),
            ..variant
        };
        let what = parameter("application".to_owned());
        if differs(&variant, what, Say::RulesAskForIt, routed) {
            break;
        }
    }
    by_state
}

/// A fact that decides, and that nobody told.
fn untold(what: Phrase, why: Say) -> NotSeen {
    let how = match why {
        Say::RunningKeepsRule => Some(Say::HowKeptRule),
        Say::RulesAskForIt => Some(Say::HowParameter),
        _ => None,
    };
    NotSeen {
        what,
        why: why.into(),
        how_to_see: how.map(Phrase::new),
        required: true,
    }
}

/// In how many ways the unknown is tried: fewer when rules are so long that reading them again and again takes time.
fn most_variants(case: &Case<'_>) -> usize {
    let most = match case.question.consumer.dubbo {
        Some(_) => LONGEST_REREAD,
        None => LONGEST_REREAD_IN_EACH,
    };
    (most / rules_length(case).max(1)).clamp(1, MOST_VARIANTS)
}

/// Every application of a provider, and the first address that has it: its rules are read when that one comes first.
/// Of applications without a rule one stands for all.
fn firsts(case: &Case<'_>, input: &Input<'_>) -> Vec<(String, usize)> {
    let rules = &case.held.rules;
    let has_rule = |name: &str| {
        let stored = rules.stored.iter().map(|rule| rule.name.as_str());
        let unseen = rules.not_seen.keys().map(String::as_str);
        stored.chain(unseen).any(|text| text.contains(name))
    };
    let mut found: Vec<(String, usize)> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut without_rule = false;
    for (place, url) in input.urls.iter().enumerate() {
        let name = url.remote_application().unwrap_or_default();
        if !known.insert(name) {
            continue;
        }
        let is_first = found.is_empty();
        if has_rule(name) || !std::mem::replace(&mut without_rule, true) || is_first {
            found.push((name.to_owned(), place));
        }
    }
    found
}

/// Rules whose text of now is not in force in a consumer that was running before: what it read earlier stays.
fn stale(case: &Case<'_>, shown: &Replay<'_>) -> Vec<String> {
    let since = case
        .question
        .consumer
        .since
        .map(jiff::Timestamp::as_millisecond);
    let started_after = |key: &str| {
        let rule = case.held.rules.find(key, case.dubbo());
        let changed = rule.and_then(|rule| rule.changed_ms);
        matches!((since, changed), (Some(since), Some(changed)) if since >= changed)
    };
    let keeps = |state: &RuleState, kind: &str| match state {
        RuleState::Refused(_) | RuleState::TooNew(_) => true,
        // The tag router takes an empty rule for none.
        RuleState::Empty => kind != "tag",
        _ => false,
    };
    shown
        .application
        .readings(&shown.chain)
        .into_iter()
        .filter(|reading| keeps(&reading.state, reading.kind) && !started_after(&reading.key))
        .map(|reading| reading.key)
        .collect()
}
