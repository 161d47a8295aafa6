//! Rules that are written where this consumer does not look: the wrong key, group, root, namespace, or a form that its
//! version does not read.

use serde_json::json;

use super::super::center;
use super::{Case, Input, Replay};
use crate::{
    diagnose::code::Code,
    report::words::Say,
    route::provider::Provider as _,
    rule::kind::RuleKind,
    view::{
        held::{LayerKind, RuleBearing},
        rule_keys::{MIGRATION_GROUP, MIGRATION_GROUP_27},
        rule_store::StoredRule,
        stage::{Evidence, Raised},
    },
};

/// All of them; and those that would be read if an address of another application came first.
pub(super) fn not_read(
    case: &Case<'_>,
    input: &Input<'_>,
    shown: &Replay<'_>,
) -> (Vec<Raised>, Vec<Raised>) {
    let store = &case.held.rules;
    let read = Keys {
        routers: shown.application.keys_read().to_vec(),
        configurators: center::keys(case),
        migration: migration_keys(case),
    };
    let is_read = |rule: &StoredRule| {
        let mut found = read
            .of(rule.kind)
            .filter_map(|key| store.find(key, case.dubbo()));
        found.any(|found| found.name == rule.name)
    };
    // A copy of what is read stands under the key of other versions.
    let is_copy = |rule: &StoredRule| {
        let mut found = read
            .of(rule.kind)
            .filter_map(|key| store.find(key, case.dubbo()));
        found.any(|found| found.text == rule.text)
    };
    let stored = store.stored.iter().filter(|rule| !is_read(rule));
    let (maybe, unread): (Vec<&StoredRule>, Vec<&StoredRule>) = stored
        .filter(|rule| is_meant(case, rule) && !is_copy(rule))
        .partition(|rule| may_be_read(case, input, &rule.key));
    let of_rule = |rule: &StoredRule| {
        let keys: Vec<String> = read.of(rule.kind).cloned().collect();
        raised(case, &rule.name, &keys, vec![rule.evidence.clone()])
    };
    let maybe = maybe.into_iter().map(of_rule).collect();
    let stray = store.stray.iter().filter(|rule| !is_copy(rule));
    let mut found: Vec<Raised> = unread.into_iter().chain(stray).map(of_rule).collect();
    let read = read.routers;
    // Rule URLs that this version has no router for, or that are copies for another one.
    let applied: Vec<String> = input
        .routes
        .iter()
        .enumerate()
        .filter(|(place, _)| {
            shown
                .chain
                .left_out()
                .iter()
                .all(|left| left.place != *place)
        })
        .map(|(_, (entry, _))| {
            entry.address()
                + &entry
                    .plain()
                    .map_or_else(String::new, |url| url.to_string())
        })
        .collect();
    for entry in &case.held.routes {
        let Some(url) = entry.plain() else { continue };
        let text = url.to_string();
        let is_off = url.text("enabled") == Some("false");
        if is_off || applied.contains(&(entry.address() + &text)) {
            continue;
        }
        let evidence = Evidence {
            fact: Say::RulePresent.into(),
            ..entry.evidence.clone()
        };
        found.push(raised(case, &text, &read, vec![evidence]));
    }
    for layer in &case.held.layers {
        if layer.kind == LayerKind::RegistryRoute && case.held.routes.is_empty() {
            found.push(raised(
                case,
                &layer.name,
                &read,
                layer.evidence.iter().cloned().collect(),
            ));
        }
    }
    (found, maybe)
}

/// Rules of a config centre for this service or its consumer, of a version that has none (2.6 and older).
pub(in crate::view::interface) fn without_center(case: &Case<'_>) -> Vec<Raised> {
    let stored = case.held.rules.stored.iter();
    stored
        .filter(|rule| is_meant(case, rule))
        .map(|rule| raised(case, &rule.name, &[], vec![rule.evidence.clone()]))
        .collect()
}

/// The keys that this consumer reads.
struct Keys {
    routers: Vec<String>,
    configurators: Vec<String>,
    migration: Vec<String>,
}

impl Keys {
    fn of(&self, kind: LayerKind) -> impl Iterator<Item = &String> + Clone {
        match kind {
            LayerKind::Configurator => self.configurators.iter(),
            LayerKind::Migration => self.migration.iter(),
            _ => self.routers.iter(),
        }
    }
}

/// The key of the migration rule, with its group.
fn migration_keys(case: &Case<'_>) -> Vec<String> {
    let group = if case.dubbo().line().is_3x() {
        MIGRATION_GROUP
    } else {
        MIGRATION_GROUP_27
    };
    let application = case.question.consumer.application.iter();
    application
        .map(|application| format!("{group}/{application}.migration"))
        .collect()
}

/// Whether a rule is that of the application of some address: the one that comes first decides whose rules are read.
fn may_be_read(case: &Case<'_>, input: &Input<'_>, key: &str) -> bool {
    let first_decides = |kind: RuleKind| match kind {
        RuleKind::Tag => true,
        RuleKind::Condition | RuleKind::Script => case.dubbo().at_least([3, 2, 0]),
        _ => false,
    };
    let Some(kind) = RuleKind::of_key(key).filter(|kind| first_decides(*kind)) else {
        return false;
    };
    let application = kind.ending().and_then(|ending| key.strip_suffix(ending));
    let mut names = input.urls.iter().map(|url| url.remote_application());
    names.any(|name| name.is_some() && name == application)
}

/// Whether a rule that is not read is meant for this service or its consumer: its key names one of them, and no other
/// group or version of the service.
fn is_meant(case: &Case<'_>, rule: &StoredRule) -> bool {
    let question = case.question;
    let whole = if rule.group == "dubbo" {
        rule.key.clone()
    } else {
        format!("{}.{}", rule.group, rule.key)
    };
    let Some((base, _)) = whole.rsplit_once('.') else {
        return false;
    };
    match RuleBearing::of(base, &question.service) {
        RuleBearing::Service => true,
        RuleBearing::OtherKey => false,
        // A provider reads the configurators of its own application.
        RuleBearing::Application if rule.kind == LayerKind::Configurator => false,
        RuleBearing::Application => {
            let consumer = question.consumer.application.as_deref();
            consumer == Some(base)
                || case
                    .held
                    .entries
                    .iter()
                    .any(|entry| entry.application().as_deref() == Some(base))
        }
    }
}

fn raised(case: &Case<'_>, rule: &str, read: &[String], evidence: Vec<Evidence>) -> Raised {
    let place = &case.held.rules.place;
    let under = |key: &String| {
        if key.ends_with(".migration") {
            let root = place.rsplit_once('/').map_or("", |(root, _)| root);
            format!("{root}/{key}")
        } else {
            format!("{place}/{key}")
        }
    };
    let read: Vec<String> = if case.question.no_config_center {
        vec!["- (use-as-config-center=false)".to_owned()]
    } else if !case.dubbo().at_least([2, 7]) {
        vec!["no config-center".to_owned()]
    } else {
        read.iter().map(under).collect()
    };
    Raised {
        code: Code::RuleNotDelivered,
        params: super::told::object(json!({
            "rule": rule, "dubbo": case.dubbo().to_string(), "read": read,
        })),
        subject: ("rule".to_owned(), rule.to_owned()),
        evidence,
    }
}
