//! Keys of rules: under which names some line of Dubbo reads rules that can bear on a question. Their content is not
//! read here.

use std::{collections::BTreeSet, sync::LazyLock};

use super::application::Application;
use super::held::{Entry, LayerKind};
use crate::{
    model::{
        rule_kind::{Owner, endings, endings_of},
        service_key::ServiceKey,
    },
    question::Question,
};

/// Suffixes of the keys under which rules are kept, all lines together, but for that of migration rules.
fn suffixes() -> impl Iterator<Item = &'static str> {
    endings().filter(|ending| *ending != MIGRATION)
}

/// What the suffixes come to without points, dashes and capitals, as one of many and as `route`.
static NEARLY: LazyLock<Vec<(String, &str)>> = LazyLock::new(|| {
    let plain = |suffix: &str| suffix.replace(['.', '-'], "").to_ascii_lowercase();
    endings()
        .map(|suffix| (bare(&plain(suffix)).to_owned(), suffix))
        .collect()
});

/// Letters that are looked at for an end that is nearly a suffix.
const LONGEST_SUFFIX: usize = 24;

/// The end of a key without the `s` of many, and without the `r` of `router`.
fn bare(letters: &str) -> &str {
    let one = letters.strip_suffix('s').unwrap_or(letters);
    one.strip_suffix('r')
        .filter(|route| route.ends_with("route"))
        .unwrap_or(one)
}

/// What a file with a rule may be called after its key.
const EXTENSIONS: [&str; 5] = [".yaml", ".yml", ".json", ".txt", ".properties"];

/// Suffix of the migration rule of an application.
const MIGRATION: &str = ".migration";

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
    let service = service.rule_key();
    let owners = [(Owner::Service, service.as_str())].into_iter();
    let owners = owners
        .chain(consumer.map(|application| (Owner::Consumer, application)))
        .chain(
            providers
                .iter()
                .map(|name| (Owner::Provider, name.as_str())),
        );
    let keys: BTreeSet<String> = owners
        .flat_map(|(owner, name)| endings_of(owner).map(move |end| format!("{name}{end}")))
        .collect();
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
                let suffix = suffixes().find(|suffix| key.ends_with(suffix))?;
                self.bears(key.strip_suffix(suffix)?)
                    .then(|| of_suffix(suffix))
            }
            // 2.7.0 to 2.7.2 put the last part of a key into a directory of its own.
            _ => {
                let suffix = format!(".{key}");
                (suffixes().any(|known| known == suffix) && self.bears(group))
                    .then(|| of_suffix(&suffix))
            }
        }
    }

    /// What a text is that lies where no version reads rules, though by its name it is one for this service, its consumer
    /// or a provider. `group` is empty for what lies beside the groups.
    pub(crate) fn stray(self, group: &str, key: &str) -> Option<LayerKind> {
        if group == "mapping" || self.kind(group, key).is_some() {
            return None;
        }
        let (base, suffix) = parts(key)?;
        let consumer = self.question.consumer.application.as_deref();
        if suffix == MIGRATION {
            return (consumer == Some(base)).then_some(LayerKind::Migration);
        }
        (self.bears(base) && (consumer.is_some() || base.contains(':') || self.is_known(base)))
            .then(|| of_suffix(suffix))
    }

    fn is_known(self, base: &str) -> bool {
        names_interface(base, &self.question.service.interface)
            || self.providers.iter().any(|application| application == base)
    }

    /// Whether a key without its suffix can be one of this service, its consumer or its providers.
    fn bears(self, base: &str) -> bool {
        let consumer = self.question.consumer.application.as_deref();
        names_interface(base, &self.question.service.interface)
            || consumer == Some(base)
            || (consumer.is_none() && !base.contains(':'))
            || self.providers.iter().any(|application| application == base)
    }
}

/// Whom a key is for and the suffix that it has, or that it nearly has.
pub(crate) fn parts(key: &str) -> Option<(&str, &'static str)> {
    let extension = EXTENSIONS.iter().find_map(|end| key.strip_suffix(end));
    let key = extension.unwrap_or(key).trim();
    for suffix in endings() {
        if let Some(base) = key.strip_suffix(suffix) {
            return (!base.is_empty()).then_some((base, suffix));
        }
    }
    let mut letters = String::new();
    let mut found = None;
    for (at, letter) in key.char_indices().rev() {
        if letter.is_alphanumeric() {
            letters.insert(0, letter.to_ascii_lowercase());
            let near = NEARLY.iter().find(|(spelled, _)| spelled == bare(&letters));
            found = near.map(|(_, suffix)| (at, *suffix)).or(found);
            if letters.len() > LONGEST_SUFFIX {
                break;
            }
        }
    }
    let (at, suffix) = found?;
    let before = &key[..at];
    let base = before.trim_end_matches(['.', ':', '-', '_', '/', ' ']);
    // a word of its own
    (!base.is_empty() && base.len() < before.len()).then_some((base, suffix))
}

/// Whether a key without its suffix has the name of an interface in it, and not as a part of another one.
pub(crate) fn names_interface(base: &str, interface: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.');
    base.match_indices(interface).any(|(at, _)| {
        let before = base[..at].chars().next_back();
        let after = base[at + interface.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
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
    use proptest::prelude::*;

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
            ("dubbo", "com.a.OrderLine:1.0:.condition-router", None),
        ] {
            assert_eq!(keys.kind(group, key), kind, "{group} {key}");
        }
        let rule = Some(LayerKind::RoutingRule);
        for (group, key, kind) in [
            ("DEFAULT_GROUP", "com.a.Order:1.0:.condition-router", rule),
            ("DEFAULT_GROUP", "order.tag-router", rule),
            ("", "com.a.Order:1.0:.condition-router", rule),
            ("dubbo", "web:condition-router", rule),
            ("dubbo", "web.conditionRouter", rule),
            ("dubbo", "com.a.Order:1.0:.condition-router.yaml", rule),
            ("dubbo", "order_tag_router", rule),
            (
                "dubbo",
                "com.a.Order.configurator",
                Some(LayerKind::Configurator),
            ),
            ("dubbo", "web.migration", Some(LayerKind::Migration)),
            // read, or of somebody else, or no rule
            ("dubbo", "com.a.Order:1.0:.condition-router", None),
            (MIGRATION_GROUP, "web.migration", None),
            ("DEFAULT_GROUP", "other.tag-router", None),
            ("DEFAULT_GROUP", "com.a.OrderLine::.condition-router", None),
            ("dubbo", "other.migration", None),
            ("dubbo", "web.yaml", None),
            ("mapping", "com.a.Order.condition-router", None),
            ("dubbo", "condition-router", None),
        ] {
            assert_eq!(keys.stray(group, key), kind, "{group} {key}");
        }
    }

    proptest! {
        #[test]
        fn any_key_has_parts_or_none(key in "[a-zA-Z.:_ -]{0,30}(rout[eé]r|migration|)", text in ".{0,20}") {
            for key in [key, text] {
                if let Some((base, _)) = parts(&key) {
                    prop_assert!(!base.is_empty() && key.contains(base));
                }
            }
        }
    }
}
