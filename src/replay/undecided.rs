//! Facts that a replay lacks.

use super::judge::{Found, Trial};
use crate::{
    report::words::{Phrase, Say},
    route::trace::Effect,
    view::stage::NotSeen,
};

/// Facts without which the first scenario cannot be decided.
pub(super) fn undecided(trial: &Trial<'_>, found: &Found) -> Vec<NotSeen> {
    let mut missing = Vec::new();
    let fact = |what: Phrase, why: Say, how: Option<Say>| NotSeen {
        what,
        why: why.into(),
        how_to_see: how.map(Into::into),
        required: true,
    };
    let folded = trial.folded;
    if folded.requests == 0 {
        missing.push(fact(
            Say::ReplayRequests.into(),
            Say::ReplayNoRequest,
            Some(Say::HowReplayRequests),
        ));
    }
    if folded.unclear > 0 {
        missing.push(fact(
            Phrase::new(Say::ReplayArguments).with("count", folded.unclear.to_string()),
            Say::ReplayArgumentText,
            Some(Say::HowReplayRequests),
        ));
    }
    if folded.beyond > 0 {
        missing.push(fact(
            Phrase::new(Say::ReplayBeyond).with("count", folded.beyond.to_string()),
            Say::ReplayTooMany,
            None,
        ));
    }
    if found.lost > 0 && found.uncertain == folded.unclear + folded.beyond {
        return missing;
    }
    // What makes the answer a bound, said once each.
    let mut said: Vec<Phrase> = Vec::new();
    for class in folded.classes[0]
        .iter()
        .filter(|class| class.ran.is_uncertain())
    {
        if !folded.modelled[0] {
            said.push(
                Phrase::new(Say::ReplayVersion).with("dubbo", trial.base().world.dubbo.to_string()),
            );
        }
        for step in &class.ran.trace.steps {
            for part in &step.parts {
                let key = part.rule.as_ref().map_or("-", |rule| &*rule.key);
                let phrase = match &part.effect {
                    Effect::Script => Phrase::new(Say::ReplayScript).with("rule", key),
                    Effect::NotSeen => Phrase::new(Say::ReplayRule).with("rule", key),
                    Effect::Unknown => {
                        Phrase::new(Say::ReplayRouter).with("router", part.text.to_string())
                    }
                    Effect::Declared => {
                        Phrase::new(Say::ReplayZones).with("router", step.step.router.to_string())
                    }
                    Effect::NotRunnable(what) => Phrase::new(Say::ReplayPart)
                        .with("rule", key)
                        .with("part", what.clone()),
                    _ => continue,
                };
                if matches!(part.output, crate::route::outcome::Outcome::Within(_)) {
                    said.push(phrase);
                }
            }
        }
    }
    said.sort();
    said.dedup();
    let unread = &trial.subject.held.rules.not_seen;
    for what in said {
        let key = what.params.get("rule");
        let of_key = |(known, _): &(&String, _)| Some(&known.replace("___", "$")) == key;
        if let Some((_, fact)) = unread.iter().find(of_key) {
            missing.push(fact.clone());
            continue;
        }
        let (why, how) = match what.say {
            Say::ReplayScript => (Say::ReplayNotRun, None),
            Say::ReplayRule => (Say::ReplayEarlier, Some(Say::HowStarting)),
            Say::ReplayRouter => (Say::ReplayOwnCode, Some(Say::HowDeclare)),
            Say::ReplayZones => (Say::ReplayNotGiven, Some(Say::HowZones)),
            _ => (Say::ReplayNotModelled, None),
        };
        missing.push(fact(what, why, how));
    }
    missing
}
