//! Keys of rules: under which names some line of Dubbo reads rules that can bear on a question. Their content is not
//! read here.

use std::collections::BTreeSet;

use super::application::Application;
use super::held::{Entry, LayerKind};
use crate::{model::service_key::ServiceKey, question::Question};

/// Suffixes of the keys under which rules are kept, all lines together.
const SUFFIXES: [&str; 6] = [
    ".condition-router",
    ".configurators",
    ".tag-router",
    ".script-router",
    ".MESHAPPRULE",
    ".affinity-router",
];

/// Group of the migration rules of 3.x.
pub(crate) const MIGRATION_GROUP: &str = "DUBBO_SERVICEDISCOVERY_MIGRATION";
/// The same in 2.7.
pub(crate) const MIGRATION_GROUP_27: &str = "MIGRATION";
/// Name of the file with settings in the config centre.
pub(crate) const PROPERTIES: &str = "dubbo.properties";

/// Keys of group `dubbo` under which some line reads rules for this service.
pub(crate) fn rule_keys(
    service: &ServiceKey,
    consumer: Option<&str>,
    providers: &[String],
) -> Vec<String> {
    let mut keys = BTreeSet::new();
    for suffix in [".condition-router", ".configurators"] {
        keys.insert(format!("{}{suffix}", service.rule_key()));
        keys.extend(consumer.map(|application| format!("{application}{suffix}")));
    }
    for application in providers {
        for suffix in [
            ".condition-router",
            ".tag-router",
            ".script-router",
            ".MESHAPPRULE",
        ] {
            keys.insert(format!("{application}{suffix}"));
        }
    }
    keys.into_iter().collect()
}

/// Tells keys that may bear on a question from all others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuleKeys<'a> {
    /// The question.
    pub(crate) question: &'a Question,
    /// Applications that provide the interface.
    pub(crate) providers: &'a [String],
}

impl RuleKeys<'_> {
    /// What a key of a group of the config centre is, if it may bear on the question.
    pub(crate) fn kind(self, group: &str, key: &str) -> Option<LayerKind> {
        let consumer = self.question.consumer.application.as_deref();
        match group {
            "mapping" => None,
            MIGRATION_GROUP | MIGRATION_GROUP_27 => {
                let application = key.strip_suffix(".migration")?;
                (consumer.is_none() || consumer == Some(application))
                    .then_some(LayerKind::Migration)
            }
            "dubbo" if key == PROPERTIES => Some(LayerKind::Properties),
            _ if key == PROPERTIES => {
                (consumer.is_none() || consumer == Some(group)).then_some(LayerKind::Properties)
            }
            "dubbo" => {
                let suffix = SUFFIXES.iter().find(|suffix| key.ends_with(**suffix))?;
                self.bears(key.strip_suffix(suffix)?)
                    .then(|| of_suffix(suffix))
            }
            // 2.7.0 to 2.7.2 put the last part of a key into a directory of its own.
            _ => {
                let suffix = format!(".{key}");
                (SUFFIXES.contains(&suffix.as_str()) && self.bears(group))
                    .then(|| of_suffix(&suffix))
            }
        }
    }

    /// Whether a key without its suffix can be one of this service, its consumer or its providers.
    fn bears(self, base: &str) -> bool {
        let consumer = self.question.consumer.application.as_deref();
        base.contains(&self.question.service.interface)
            || consumer == Some(base)
            || (consumer.is_none() && !base.contains(':'))
            || self.providers.iter().any(|application| application == base)
    }
}

fn of_suffix(suffix: &str) -> LayerKind {
    if suffix == ".configurators" {
        LayerKind::Configurator
    } else {
        LayerKind::RoutingRule
    }
}

/// Applications that provide the interface, by entry or by mapping: rules are kept under their names.
pub(super) fn applications(entries: &[Entry], application: &Application) -> Vec<String> {
    entries
        .iter()
        .filter_map(Entry::application)
        .chain(application.mapped.iter().cloned())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn keys_of_others_do_not_bear() {
        let mut question = Question::new(
            ServiceKey::new(None, "com.a.Order", Some("1.0")),
            Timestamp::UNIX_EPOCH,
        );
        question.consumer.application = Some("web".to_owned());
        let providers = ["order".to_owned()];
        let keys = RuleKeys {
            question: &question,
            providers: &providers,
        };
        for (group, key, kind) in [
            (
                "dubbo",
                "com.a.Order:1.0:.condition-router",
                Some(LayerKind::RoutingRule),
            ),
            ("dubbo", "order.tag-router", Some(LayerKind::RoutingRule)),
            ("dubbo", "web.configurators", Some(LayerKind::Configurator)),
            ("dubbo", "other.tag-router", None),
            ("dubbo", "com.b.Stock::.condition-router", None),
            (
                "com.a.Order",
                "condition-router",
                Some(LayerKind::RoutingRule),
            ),
            ("dubbo", "dubbo.properties", Some(LayerKind::Properties)),
            ("other", "dubbo.properties", None),
            (MIGRATION_GROUP, "web.migration", Some(LayerKind::Migration)),
            (MIGRATION_GROUP, "other.migration", None),
        ] {
            assert_eq!(keys.kind(group, key), kind, "{group} {key}");
        }
    }
}
