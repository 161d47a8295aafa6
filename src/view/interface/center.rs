//! Configurators of the config centre: which of them this consumer reads, and what they make of its addresses.

use serde_json::json;

use super::Case;
use crate::{
    diagnose::code::Code,
    model::version::Line,
    question::ConsumerState,
    report::words::{Phrase, Say},
    rule::{
        configurator::{self, ListenError},
        override_order::Configurators,
        override_url::Configurator,
    },
    view::{
        directory::Rules,
        rule_store::StoredRule,
        stage::{Evidence, NotSeen, Raised},
    },
};

/// Rules for one host or application that are named one by one.
const MOST_NAMED: usize = 20;
/// Parameters that rules may set on every address, however many addresses there are.
const MOST_PARAMETERS: usize = 1_000;
/// Parameters that rules with more may set on all addresses together.
const MOST_WRITTEN: usize = 100_000;

/// What the config centre says to this consumer.
#[derive(Debug, Default)]
pub(super) struct Center<'a> {
    /// The rules, as they are applied.
    pub(super) rules: Rules,
    /// The texts that were found.
    pub(super) texts: Vec<&'a StoredRule>,
    /// Those of them that this version reads.
    pub(super) applied: Vec<&'a StoredRule>,
    /// What is not known of them.
    pub(super) missing: Vec<NotSeen>,
    /// Texts that are refused.
    pub(super) refused: Vec<Raised>,
}

impl Center<'_> {
    /// Texts whose rules switch addresses on or off.
    pub(super) fn switching(&self) -> impl Iterator<Item = &StoredRule> {
        self.texts
            .iter()
            .copied()
            .filter(|stored| stored.text.contains("disabled") || stored.text.contains("enabled"))
    }
}

/// The configurators of the config centre, for whoever computes settings instead of stages: the rules, the texts that they
/// come from, and whether nothing more had to be known.
pub fn configurators<'a>(case: &Case<'a>) -> (Rules, Vec<&'a StoredRule>, bool) {
    let center = center(case);
    (center.rules, center.applied, center.missing.is_empty())
}

/// The rules of the consumer's application and of the service (`{application}.configurators`,
/// `{interface}:{version}:{group}.configurators`).
pub(super) fn center<'a>(case: &Case<'a>) -> Center<'a> {
    let mut center = Center::default();
    if case.dubbo().line() < Line::V2_7 {
        return center;
    }
    let question = case.question;
    match question.consumer.application.as_deref() {
        Some(application) => {
            let key = format!("{application}.configurators");
            center.rules.application = read(case, &key, &mut center);
        }
        None => unknown_application(case, &mut center),
    }
    center.rules.service = read(case, &service_key(case), &mut center);
    center
}

/// The keys that it reads.
pub(super) fn keys(case: &Case<'_>) -> Vec<String> {
    if case.dubbo().line() < Line::V2_7 {
        return Vec::new();
    }
    let application = case.question.consumer.application.as_deref();
    let application = application.map(|name| format!("{name}.configurators"));
    application.into_iter().chain([service_key(case)]).collect()
}

fn service_key(case: &Case<'_>) -> String {
    let service = &case.question.service;
    let key = if case.dubbo().at_least([2, 7, 3]) {
        service.rule_key()
    } else {
        service.to_string().replacen('/', "*", 1)
    };
    format!("{key}.configurators")
}

fn read<'a>(case: &Case<'a>, key: &str, center: &mut Center<'a>) -> Configurators {
    let store = &case.held.rules;
    let version = case.dubbo();
    if let Some(missing) = store.missing(key, version) {
        let fact = missing.cloned().unwrap_or_else(|| NotSeen {
            what: Phrase::new(Say::LayerConfigurator).with("name", key),
            why: Say::NotAsked.into(),
            how_to_see: Some(Say::HowAsk.into()),
            required: true,
        });
        center.missing.push(fact);
        return Configurators::default();
    }
    let Some(stored) = store.find(key, version) else {
        return Configurators::default();
    };
    center.texts.push(stored);
    let rules = match configurator::listen(&stored.text, version) {
        Ok(rules) => rules,
        Err(error) => {
            center.refused.push(refused(stored, key, &error));
            None
        }
    };
    if rules.is_some() {
        center.applied.push(stored);
    }
    if rules.is_none() && case.world.state == ConsumerState::Running {
        let since = case
            .question
            .consumer
            .since
            .map(jiff::Timestamp::as_millisecond);
        let started_after =
            matches!((since, stored.changed_ms), (Some(since), Some(at)) if since >= at);
        if !started_after {
            center.missing.push(NotSeen {
                what: Phrase::new(Say::PreviousRule).with("rule", key),
                why: Say::RunningKeepsRule.into(),
                how_to_see: Some(Say::HowKeptRule.into()),
                required: true,
            });
        }
    }
    let rules = rules.unwrap_or_default();
    if let Some(fact) = too_wide(case, key, &rules) {
        center.missing.push(fact);
        return Configurators::default();
    }
    let mut open = rules.iter().filter_map(|rule| depends(case, rule));
    center.missing.extend(open.by_ref().take(MOST_NAMED));
    if let Some(next) = open.next() {
        let count = (1 + open.count()).to_string();
        let what = Phrase::new(Say::MoreRulesForOne).with("rule", key);
        center.missing.push(NotSeen {
            what: what.with("count", count),
            ..next
        });
    }
    rules
}

/// A rule that writes thousands of parameters on every address: what comes of it is many times the rule itself.
fn too_wide(case: &Case<'_>, key: &str, rules: &Configurators) -> Option<NotSeen> {
    let consumer = case.question.consumer.ip.as_deref();
    let parameters: usize = rules
        .iter()
        .map(Configurator::url)
        .filter(|url| {
            let host = url.host.as_deref().unwrap_or_default();
            ["0.0.0.0", ""].contains(&host) || url.port == 0 && consumer == Some(host)
        })
        .map(|url| url.parameters.len())
        .sum();
    let held = case.held;
    let addresses = held.entries.len().max(held.application.instances.len());
    let written = parameters.saturating_mul(addresses);
    (parameters > MOST_PARAMETERS && written > MOST_WRITTEN).then(|| NotSeen {
        what: Phrase::new(Say::LayerConfigurator).with("name", key),
        why: Phrase::new(Say::RuleTooWide)
            .with("parameters", parameters.to_string())
            .with("addresses", addresses.to_string()),
        how_to_see: Some(Say::HowShorterRule.into()),
        required: true,
    })
}

/// A rule for one host or application, when the consumer's is not known.
fn depends(case: &Case<'_>, rule: &Configurator) -> Option<NotSeen> {
    let url = rule.url();
    let consumer = &case.question.consumer;
    let host = url.host.as_deref().unwrap_or_default();
    let is_consumers = url.text("side") == Some("consumer");
    let for_one_host = is_consumers && !["0.0.0.0", ""].contains(&host) && url.port == 0;
    let for_one_application = url.text("application").is_some_and(|name| name != "*");
    let open = for_one_host && consumer.ip.is_none()
        || for_one_application && consumer.application.is_none();
    open.then(|| NotSeen {
        what: Phrase::new(Say::RuleForOne).with("rule", url.to_string()),
        why: Say::ConsumerNotKnown.into(),
        how_to_see: None,
        required: true,
    })
}

/// Without the consumer's name: the configurators of any application may be its own.
fn unknown_application(case: &Case<'_>, center: &mut Center<'_>) {
    let store = &case.held.rules;
    let ending = ".configurators";
    let own = store.stored.iter().filter(|rule| {
        rule.read
            && rule.group == "dubbo"
            && rule
                .key
                .strip_suffix(ending)
                .is_some_and(|base| !base.contains(':'))
    });
    center.missing.extend(own.map(|rule| NotSeen {
        what: Phrase::new(Say::RuleForOne).with("rule", rule.name.clone()),
        why: Say::ConsumerNotKnown.into(),
        how_to_see: None,
        required: true,
    }));
}

fn refused(stored: &StoredRule, key: &str, error: &ListenError) -> Raised {
    let (reason, at) = match error {
        ListenError::Rule(error) => (format!("{} ({})", error.message, error.class), error.at),
        ListenError::Order(error) => (error.to_string(), None),
    };
    let position = at.map(|at| format!("{}:{}", at.line, at.column));
    Raised {
        code: Code::RuleUnparsed,
        params: super::key::object(json!({"rule": key, "reason": reason, "position": position})),
        subject: ("rule".to_owned(), key.to_owned()),
        evidence: vec![Evidence {
            position,
            ..stored.evidence.clone()
        }],
    }
}
