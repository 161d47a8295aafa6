//! The migration rule of the config centre: which one this consumer reads, and what it makes of it.

use serde_json::json;

use super::{Migration, Origin, Sight, display_key, mapped};
use crate::{
    diagnose::code::Code,
    question::ConsumerState,
    report::words::{Phrase, Say},
    rule::{
        error::RuleError,
        migration::{self, MigrationRule, MigrationSettings, Step, SubRule},
    },
    view::{
        interface::Case,
        rule_keys::{MIGRATION_GROUP, MIGRATION_GROUP_27},
        rule_store::StoredRule,
        stage::{Evidence, NotSeen, Raised},
    },
};

/// The default with the rule laid over it: that of the config centre, else the consumer's own file.
pub(super) fn apply(case: &Case<'_>, default: Migration) -> Sight {
    let mut sight = Sight {
        worlds: vec![default],
        missing: Vec::new(),
        broken: Vec::new(),
    };
    let store = &case.held.rules;
    let application = case.question.consumer.application.as_deref();
    let stored: Vec<&StoredRule> = store
        .migration
        .iter()
        .filter(|rule| rule.read && rule.group == MIGRATION_GROUP)
        .collect();
    let Some(application) = application else {
        // The rule is the consumer's own, and whose it is is not known.
        if let Some(first) = stored.first() {
            open(&mut sight, consumer_not_known(first));
        } else {
            own_file(case, &mut sight);
        }
        return sight;
    };
    let key = store.spelled(&format!("{application}.migration"));
    let Some(stored) = stored
        .into_iter()
        .find(|rule| store.spelled(&rule.key) == key)
    else {
        if let Some(missing) = store.migration_not_seen.get(MIGRATION_GROUP) {
            open(&mut sight, missing.clone());
        } else {
            own_file(case, &mut sight);
        }
        return sight;
    };
    let before = sight.worlds[0].clone();
    if read(case, stored, Origin::Rule, &mut sight) {
        arrives(case, stored, before, &mut sight);
    } else if may_have_another(case, stored) {
        let fact = NotSeen {
            what: Phrase::new(Say::PreviousRule).with("rule", &stored.key),
            ..arrival(stored, Say::RunningKeepsRule)
        };
        open(&mut sight, fact);
    }
    sight
}

/// `dubbo-migration.yaml` of the consumer itself: read when nothing is in the config centre, taken a minute after the
/// start (`dubbo.application.migration.delay`) like a rule that arrives then.
fn own_file(case: &Case<'_>, sight: &mut Sight) {
    let Some(stored) = &case.held.rules.own_migration else {
        return;
    };
    let before = sight.worlds[0].clone();
    if !read(case, stored, Origin::File, sight) {
        return;
    }
    let rule = &mut sight.worlds[0];
    rule.before = Some(Box::new(before.clone()));
    if case.world.state == ConsumerState::Starting {
        // In its first minute it has what was before.
        sight.worlds.insert(0, before);
        sight.missing.push(arrival(stored, Say::FileTakenLater));
    }
}

/// Lays a text over the default. Says whether it could be read.
fn read(case: &Case<'_>, stored: &StoredRule, origin: Origin, sight: &mut Sight) -> bool {
    match migration::parse(&stored.text, case.dubbo()) {
        Ok(rule) => {
            lay_over(case, &rule, stored, origin, sight);
            true
        }
        Err(error) => {
            sight.broken.push(unparsed(stored, &error));
            false
        }
    }
}

/// A running consumer may have started before the rule was there: then its step had to be taken while it ran.
fn arrives(case: &Case<'_>, stored: &StoredRule, before: Migration, sight: &mut Sight) {
    let rule = &sight.worlds[0];
    let same = rule.step == before.step;
    if case.world.state == ConsumerState::Starting || same || started_after(case, stored) {
        return;
    }
    let later = Migration {
        before: Some(Box::new(before)),
        ..rule.clone()
    };
    let started_before = case.question.consumer.since.is_some() && stored.changed_ms.is_some();
    if started_before {
        sight.worlds = vec![later];
    } else {
        sight.worlds.push(later);
        sight.missing.push(arrival(stored, Say::StartedBeforeRule));
    }
}

/// A consumer that ran before the rule was changed may hold an older one.
fn may_have_another(case: &Case<'_>, stored: &StoredRule) -> bool {
    case.world.state == ConsumerState::Running && !started_after(case, stored)
}

fn started_after(case: &Case<'_>, stored: &StoredRule) -> bool {
    let since = case
        .question
        .consumer
        .since
        .map(jiff::Timestamp::as_millisecond);
    matches!((since, stored.changed_ms), (Some(since), Some(at)) if since >= at)
}

fn arrival(stored: &StoredRule, why: Say) -> NotSeen {
    NotSeen {
        what: Phrase::new(Say::RuleArrived).with("rule", &stored.key),
        why: why.into(),
        how_to_see: Some(Say::HowQos.into()),
        required: true,
    }
}

/// Every step could be.
fn open(sight: &mut Sight, missing: NotSeen) {
    let default = sight.worlds[0].clone();
    for step in Step::ALL {
        if step != default.step {
            sight.worlds.push(Migration {
                step,
                origin: Origin::Rule,
                ..default.clone()
            });
        }
    }
    sight.missing.push(missing);
}

/// The nearest part of the rule that sets a value wins: the interface's, a provider application's, the rule itself.
fn lay_over(
    case: &Case<'_>,
    rule: &MigrationRule,
    stored: &StoredRule,
    origin: Origin,
    sight: &mut Sight,
) {
    let key = display_key(case);
    let of = |list: &Option<Vec<SubRule>>, name: &str| -> Vec<MigrationSettings> {
        // Of equal keys the last one stays (`MigrationRule.initMap`).
        list.iter()
            .flatten()
            .rfind(|part| part.service_key.as_deref() == Some(name))
            .map(|part| part.settings.clone())
            .into_iter()
            .collect()
    };
    let mut layers = of(&rule.interfaces, &key);
    if rule.applications.is_some() {
        let (applications, missing) = mapped(case);
        if !missing.is_empty() {
            parts_open(rule, &layers, sight);
        }
        sight.missing.extend(missing);
        for application in &applications {
            layers.extend(of(&rule.applications, application));
        }
    }
    layers.push(rule.settings.clone());
    let default = &mut sight.worlds[0];
    if let Some(step) = layers.iter().find_map(|layer| layer.step) {
        default.step = step;
        default.origin = origin;
    }
    if let Some(threshold) = layers
        .iter()
        .find_map(|layer| layer.threshold)
        .filter(|threshold| *threshold >= 0.0)
    {
        default.threshold = threshold;
    }
    if let Some(proportion) = layers.iter().find_map(|layer| layer.proportion) {
        default.proportion = proportion;
    }
    if let Some(force) = layers.iter().find_map(|layer| layer.force) {
        default.force = force;
    }
    default.evidence = Some(stored.evidence.clone());
    sight
        .broken
        .extend(with_group(rule, stored, &case.question.service.interface));
}

/// Which applications the mapping names was not seen: the step of any of them could count, unless the interface's own does.
fn parts_open(rule: &MigrationRule, nearer: &[MigrationSettings], sight: &mut Sight) {
    if nearer.iter().any(|layer| layer.step.is_some()) {
        return;
    }
    let default = sight.worlds[0].clone();
    for part in rule.applications.iter().flatten() {
        let Some(step) = part.settings.step else {
            continue;
        };
        if sight.worlds.iter().all(|world| world.step != step) {
            sight.worlds.push(Migration {
                step,
                origin: Origin::Rule,
                ..default.clone()
            });
        }
    }
}

/// An item whose key has a group, for the interface that is asked about: it is compared with a key that never has one.
fn with_group(rule: &MigrationRule, stored: &StoredRule, interface: &str) -> Option<Raised> {
    let part = rule.interfaces.iter().flatten().find(|part| {
        part.service_key.as_deref().is_some_and(|key| {
            key.split_once('/')
                .is_some_and(|(_, rest)| rest.split(':').next() == Some(interface))
        })
    })?;
    let written = part.service_key.clone().unwrap_or_default();
    let position = format!("{}:{}", part.at.line, part.at.column);
    Some(broken(
        stored,
        &format!("`serviceKey: {written}` has a group: it is compared with interface[:version]"),
        Some(position),
    ))
}

/// 2.7 cannot set the step by a text: whatever its rule says, the interface model is used.
pub(super) fn without_effect_27(case: &Case<'_>) -> Vec<Raised> {
    let application = case.question.consumer.application.as_deref();
    case.held
        .rules
        .migration
        .iter()
        .filter(|rule| rule.read && rule.group == MIGRATION_GROUP_27)
        .filter(|rule| {
            application.is_some_and(|name| rule.key.strip_suffix(".migration") == Some(name))
        })
        .filter(|rule| {
            // What it asks for anyway is no loss.
            migration::parse(&rule.text, case.dubbo())
                .is_ok_and(|parsed| parsed.settings.step != Some(Step::ForceInterface))
        })
        .map(|rule| broken(rule, "2.7 takes no step from a rule", None))
        .collect()
}

fn unparsed(stored: &StoredRule, error: &RuleError) -> Raised {
    let position = error.at.map(|at| format!("{}:{}", at.line, at.column));
    broken(
        stored,
        &format!("{} ({})", error.message, error.class),
        position,
    )
}

fn broken(stored: &StoredRule, reason: &str, position: Option<String>) -> Raised {
    let params = json!({"rule": stored.key, "text": reason, "position": position});
    Raised {
        code: Code::MigrationRuleBroken,
        params: match params {
            serde_json::Value::Object(map) => map,
            _ => serde_json::Map::new(),
        },
        subject: ("rule".to_owned(), stored.key.clone()),
        evidence: vec![Evidence {
            position,
            ..stored.evidence.clone()
        }],
    }
}

fn consumer_not_known(stored: &StoredRule) -> NotSeen {
    NotSeen {
        what: Phrase::new(Say::RuleForOne).with("rule", &stored.name),
        why: Say::ConsumerNotKnown.into(),
        how_to_see: None,
        required: true,
    }
}
