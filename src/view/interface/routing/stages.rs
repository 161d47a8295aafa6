//! From the trace of the class that is shown to stages of the report.

use super::{Case, Faring, Fate, Input, Replay, doubts::Verdict, told};
use crate::{
    report::words::{Phrase, Say},
    route::{
        self, Thrown,
        application::{CUSTOM, DECLARED},
        outcome::Outcome,
        set::AddressSet,
        stage_of,
        trace::{Effect, Explained, Part, Reading, RuleState},
    },
    view::stage::{Dropped, NotSeen, Raised, Stage, StageId, State},
};

/// The stage of a router.
fn id_of(explained: &Explained) -> StageId {
    let kind = explained.step.kind;
    StageId::Router(match stage_of(kind) {
        Some((name, _)) => name.to_owned(),
        None => format!("{kind}.{}", explained.step.router),
    })
}

/// The kind of router of a stage.
pub(in crate::view::interface) fn kind_of(id: &StageId) -> Option<&'static str> {
    let StageId::Router(name) = id else {
        return None;
    };
    route::kind_of(name).or_else(|| {
        [DECLARED, CUSTOM]
            .into_iter()
            .find(|kind| name.starts_with(&format!("{kind}.")))
    })
}

/// Other stages in which the rule works that a stage is emptied by: the rule of the consumer's application is asked
/// twice, by the router of the provider's application and by its own.
pub(in crate::view::interface) fn same_rule(stage: &Stage) -> Vec<StageId> {
    let twice = ["condition.provider-application", "condition.application"];
    let StageId::Router(name) = &stage.id else {
        return Vec::new();
    };
    if !twice.contains(&name.as_str()) {
        return Vec::new();
    }
    twice.map(|name| StageId::Router(name.to_owned())).to_vec()
}

/// The stages of a replay.
pub(super) struct Told {
    pub(super) stages: Vec<Stage>,
    /// What is left for the class that is shown.
    pub(super) left: AddressSet,
    fates: Vec<Fate>,
}

impl Told {
    /// What leaves nothing.
    pub(super) fn raised(&self) -> Option<&Raised> {
        let failed = self
            .stages
            .iter()
            .find(|stage| stage.state == State::Failed)?;
        failed.raises.first()
    }

    pub(super) fn verdict(&self) -> Verdict {
        (self.raised().map(|raised| raised.code), self.fates.clone())
    }
}

/// The chain cannot be built: the reference is not created.
pub(super) fn cannot_build(thrown: &Thrown, count: usize) -> Stage {
    let fact = NotSeen {
        what: Say::ChainNotBuilt.into(),
        why: Phrase::new(Say::ClientThrows).with("error", thrown.to_string()),
        how_to_see: None,
        required: true,
    };
    Stage {
        input: Some(count),
        because: Some(fact.why.clone()),
        not_seen: vec![fact],
        ..Stage::plain(StageId::Router("rules".to_owned()), State::Unknown)
    }
}

/// The class that is shown: the first that loses everything, else the one that loses most often, else the first one
/// that is uncertain, else the first.
pub(super) fn worst<'r>(shown: &'r Replay<'_>) -> Option<&'r Faring> {
    let mut classes = shown.classes.iter();
    let first = classes.next()?;
    Some(classes.fold(first, |worst, other| {
        if other.is_worse_than(worst) {
            other
        } else {
            worst
        }
    }))
}

/// The same of a replay of which only what leaves nothing is asked: where no class loses, no stage does.
pub(super) fn losing(case: &Case<'_>, input: &Input<'_>, shown: &Replay<'_>) -> Told {
    if worst(shown).is_some_and(Faring::loses) {
        return of(case, input, shown);
    }
    Told {
        stages: Vec::new(),
        left: AddressSet::all(input.urls.len()),
        fates: shown.fates(),
    }
}

/// The stages of the class that is shown.
pub(super) fn of(case: &Case<'_>, input: &Input<'_>, shown: &Replay<'_>) -> Told {
    let fates = shown.fates();
    let mut stages = Vec::new();
    let mut left = AddressSet::all(input.urls.len());
    let Some(worst) = worst(shown) else {
        return Told {
            stages,
            left,
            fates,
        };
    };
    let trace = shown.explain(&worst.class);
    let all_lost = worst.loses();
    // Where something is drawn, the way that leads to nothing tells why.
    for explained in trace.steps_to_nothing() {
        let fails = explained.thrown.is_some() || explained.step.output.is_empty();
        let nothing_done =
            explained.step.input == explained.step.output && explained.parts.is_empty();
        let is_told = stage_of(explained.step.kind).is_none_or(|(_, told)| told);
        if !is_told && nothing_done && !fails {
            continue;
        }
        left = explained.step.output.at_most();
        stages.push(stage(case, input, shown, explained, all_lost));
        if fails {
            break;
        }
    }
    Told {
        stages,
        left,
        fates,
    }
}

fn stage(
    case: &Case<'_>,
    input: &Input<'_>,
    shown: &Replay<'_>,
    explained: &Explained,
    all_lost: bool,
) -> Stage {
    let step = &explained.step;
    let (before, after) = (step.input.at_most(), step.output.at_most());
    let mut dropped: Vec<Dropped> = explained
        .parts
        .iter()
        .flat_map(|part| part.removed.iter().map(move |removal| (part, removal)))
        .map(|(part, removal)| {
            let at = removal.by.as_ref().and_then(|by| by.position);
            let at = at.or_else(|| part.rule.as_ref().and_then(|rule| rule.position));
            let url = shown.chain.list().providers[removal.address].url();
            Dropped {
                address: url.address().unwrap_or_default(),
                code: told::code_of(case, part),
                rule: part.rule.as_ref().map(|rule| rule.key.to_string()),
                position: at.map(told::place),
            }
        })
        .collect();
    dropped.sort_by(|a, b| a.address.cmp(&b.address).then(a.code.cmp(&b.code)));
    let fails = explained.thrown.is_some() || after.is_empty();
    let bounded = matches!(step.output, Outcome::Within(_)) && !fails;
    let state = match (fails, bounded) {
        (true, _) => State::Failed,
        (_, true) => State::Unknown,
        _ => State::Ok,
    };
    let not_seen = if bounded {
        unseen(case, explained, all_lost)
    } else {
        Vec::new()
    };
    Stage {
        id: id_of(explained),
        state,
        because: because(case, shown, explained),
        input: Some(before.len()),
        output: (!bounded).then(|| after.len()),
        dropped,
        raises: if fails {
            vec![told::raised(case, input, shown, explained)]
        } else {
            Vec::new()
        },
        not_seen,
    }
}

/// What must be seen to say what a router leaves: a rule that nobody read may be what empties the list. Of what was read
/// and cannot be replayed nothing, when a later router leaves nothing in any case.
fn unseen(case: &Case<'_>, explained: &Explained, all_lost: bool) -> Vec<NotSeen> {
    let router = explained.step.router.to_string();
    let facts: Vec<NotSeen> = explained
        .parts
        .iter()
        .filter(|part| matches!(part.output, Outcome::Within(_)))
        .map(|part| {
            let key = part.rule.as_ref().map_or("", |rule| &*rule.key);
            if part.effect == Effect::NotSeen
                && let Some(Some(known)) = case.held.rules.missing(key, case.dubbo())
            {
                return NotSeen {
                    required: true,
                    ..known.clone()
                };
            }
            NotSeen {
                what: Phrase::new(Say::RouterResult)
                    .with("router", &router)
                    .with("rule", if key.is_empty() { "-" } else { key }),
                why: why_bounded(part),
                how_to_see: None,
                required: !all_lost || part.effect == Effect::NotSeen,
            }
        })
        .collect();
    if facts.is_empty() && !all_lost {
        return vec![NotSeen {
            what: Phrase::new(Say::RouterResult)
                .with("router", router)
                .with("rule", "-"),
            why: Say::EarlierStageUnknown.into(),
            how_to_see: None,
            required: true,
        }];
    }
    facts
}

fn why_bounded(part: &Part) -> Phrase {
    match &part.effect {
        Effect::Script => Say::ScriptNotRun.into(),
        Effect::NotRunnable(text) => Phrase::new(Say::ExpressionNotRun).with("text", text.clone()),
        Effect::NotSeen => Say::NotAsked.into(),
        Effect::Declared => Say::ZoneNotKnown.into(),
        _ => Say::RouterNotDeclared.into(),
    }
}

/// What a router did, in one sentence: the part that removed something, else why none did.
fn because(case: &Case<'_>, shown: &Replay<'_>, explained: &Explained) -> Option<Phrase> {
    if let Some(thrown) = &explained.thrown {
        return Some(Phrase::new(Say::RouterThrows).with("error", thrown.to_string()));
    }
    let parts = &explained.parts;
    let biting = parts
        .iter()
        .rev()
        .find(|part| !part.removed.is_empty() || part.effect == Effect::Ignored);
    if let Some(part) = biting.or_else(|| parts.first()) {
        return Some(sentence(part));
    }
    let readings: Vec<_> = shown
        .application
        .readings(&shown.chain)
        .into_iter()
        .filter(|reading| reading.kind == explained.step.kind)
        .collect();
    let of = |say: Say, key: &str| Some(Phrase::new(say).with("rule", key));
    // The router of the provider's application also asks for the rule of the consumer's, which its own router tells of.
    let several = readings.iter().any(|reading| !is_own(case, reading));
    let readings: Vec<_> = readings
        .into_iter()
        .filter(|reading| {
            !(several && is_own(case, reading)) || reading.state == RuleState::InForce
        })
        .collect();
    let told = readings.iter().find_map(|reading| match &reading.state {
        RuleState::Refused(_) | RuleState::TooNew(_) => of(Say::RuleRefusedHere, &reading.key),
        RuleState::Empty => of(Say::RuleEmptyHere, &reading.key),
        RuleState::Off => of(Say::RuleOff, &reading.key),
        RuleState::InForce => of(Say::RuleLetsPass, &reading.key),
        RuleState::Absent | RuleState::NotSeen => None,
    });
    told.or_else(|| {
        let keys: Vec<&str> = readings.iter().map(|it| it.key.as_str()).collect();
        if keys.is_empty() {
            return Some(Say::NoRule.into());
        }
        of(Say::NoRuleAt, &keys.join(", "))
    })
}

/// Whether the router of the provider's application read the rule of the consumer's own.
fn is_own(case: &Case<'_>, reading: &Reading) -> bool {
    let own = case
        .question
        .consumer
        .application
        .as_deref()
        .unwrap_or_default();
    reading.kind == "provider-app" && reading.key.strip_suffix(".condition-router") == Some(own)
}

fn sentence(part: &Part) -> Phrase {
    let say = match &part.effect {
        Effect::Off => Say::RuleOff,
        Effect::NotConcerned { .. } => Say::RuleNotConcerned,
        Effect::Ignored => Say::RuleIgnored,
        Effect::Script => Say::ScriptNotRun,
        Effect::NoEngine(_) => Say::ScriptNoEngine,
        Effect::ScriptFails => Say::ScriptFails,
        Effect::TagFallback => Say::TagFallsBack,
        Effect::Untagged => Say::UntaggedCall,
        Effect::EmptyProtection => Say::MeshPassesOn,
        _ => Say::RoutedBy,
    };
    let rule = part.rule.as_ref();
    let at = rule.and_then(|rule| rule.position);
    let rule = rule.map_or_else(|| "-".to_owned(), |rule| rule.key.to_string());
    let mut phrase = Phrase::new(say)
        .with(
            "rule",
            match at {
                Some(at) => format!("{rule}:{}", told::place(at)),
                None => rule,
            },
        )
        .with("text", part.text.chars().take(200).collect::<String>());
    if let Effect::NotConcerned { clause, value } = &part.effect {
        phrase = phrase
            .with("clause", clause.text.clone())
            .with("value", value.clone().unwrap_or_else(|| "-".to_owned()));
    }
    phrase
}
