//! Settings of the config centre (`dubbo.properties`) and of the consumer's own files: whether any of them can bear on
//! which providers a consumer has, and which of them is part of the question.

use std::collections::BTreeMap;

use super::written::{is_plain, kebab};
use crate::{
    input::properties::{self, Property},
    question::{Question, placeholder},
};

/// Last parts of keys that change how a call is made or watched, never whether there is a provider for it. Whatever is
/// not in this list may bear.
const WITHOUT_EFFECT: [&str; 18] = [
    "accesslog",
    "accepts",
    "actives",
    "check",
    "connections",
    "executes",
    "iothreads",
    "loadbalance",
    "logger",
    "owner",
    "organization",
    "payload",
    "queues",
    "retries",
    "threadpool",
    "threads",
    "timeout",
    "weight",
];
/// Sections whose settings do not reach the list of providers either.
const OTHER_SECTIONS: [&str; 11] = [
    "dubbo.application.qos",
    "dubbo.config.",
    "dubbo.metrics.",
    "dubbo.monitor.",
    // What the process exports itself.
    "dubbo.protocol.",
    "dubbo.protocols.",
    "dubbo.provider.",
    "dubbo.service.",
    "dubbo.services.",
    "dubbo.ssl.",
    "dubbo.tracing.",
];

/// Whether a text of settings leaves the list of providers as it is.
pub(crate) fn leaves_providers(text: &str) -> bool {
    properties::read(text)
        .iter()
        .filter(|property| property.key.starts_with("dubbo."))
        .all(|property| is_without_effect(&property.key))
}

/// Whether a setting leaves the list of providers as it is.
pub(crate) fn is_without_effect(key: &str) -> bool {
    let last = key.rsplit('.').next().unwrap_or_default();
    WITHOUT_EFFECT.contains(&last)
        || OTHER_SECTIONS
            .iter()
            .any(|section| key.starts_with(section))
}

/// Sections and settings of a consumer's own file that say where the registry is and who asks: the question has them.
const OF_QUESTION: [&str; 8] = [
    "dubbo.application.name",
    "dubbo.registry.",
    "dubbo.registries.",
    "dubbo.config-center.address",
    "dubbo.consumer.check",
    "dubbo.reference.check",
    "dubbo.application.migration.",
    "dubbo.application.service-discovery.migration",
];

/// Attributes of a reference that decide which addresses it has, with the names that they have as its parameters.
const ATTRIBUTES: [(&str, &str); 6] = [
    ("injvm", "injvm"),
    ("protocol", "protocol"),
    ("provided-by", "provided-by"),
    ("scope", "scope"),
    ("tag", "dubbo.tag"),
    ("url", "url"),
];

/// Attributes that stand for all references of a consumer (`ConsumerConfig`): the others are of one reference.
const OF_CONSUMER: [&str; 4] = ["injvm", "protocol", "scope", "tag"];

/// For whom a setting is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose<'k> {
    /// The reference of the question: its attribute.
    Reference(&'k str),
    /// All references of the consumer.
    Consumer(&'k str),
    /// Another reference.
    Other,
    /// A reference of which the file does not say what it refers to, or something else.
    Unknown,
}

/// What the settings of a file say of the reference of a question. Names are compared as Spring spells them.
struct OfReference<'p> {
    interface: String,
    /// What the references with an id refer to.
    by_id: BTreeMap<&'p str, &'p str>,
}

impl<'p> OfReference<'p> {
    fn new(properties: &'p [Property], question: &Question) -> Self {
        let by_id = properties.iter().filter_map(|property| {
            let rest = in_reference(&property.key)?;
            Some((rest.strip_suffix(".interface")?, property.value.trim()))
        });
        Self {
            interface: kebab(&question.service.interface),
            by_id: by_id.collect(),
        }
    }

    fn whose<'k>(&self, key: &'k str) -> Whose<'k> {
        if let Some(attribute) = key.strip_prefix("dubbo.consumer.") {
            return Whose::Consumer(attribute);
        }
        let Some(rest) = in_reference(key) else {
            return Whose::Unknown;
        };
        let own = rest.strip_prefix(&*self.interface);
        if let Some(attribute) = own.and_then(|rest| rest.strip_prefix('.')) {
            return Whose::Reference(attribute);
        }
        let Some((id, attribute)) = rest.rsplit_once('.') else {
            return Whose::Unknown;
        };
        match self.by_id.get(id) {
            Some(interface) if kebab(interface) == self.interface => Whose::Reference(attribute),
            Some(_) => Whose::Other,
            // The name of an interface.
            None if id.contains('.') => Whose::Other,
            None => Whose::Unknown,
        }
    }
}

fn in_reference(key: &str) -> Option<&str> {
    key.strip_prefix("dubbo.reference.")
        .or_else(|| key.strip_prefix("dubbo.references."))
}

/// The parameters of the reference that the settings of the consumer's own file give it: its own before those of all.
pub(crate) fn of_reference(
    properties: &[Property],
    question: &Question,
) -> BTreeMap<String, String> {
    let reader = OfReference::new(properties, question);
    let mut found = BTreeMap::new();
    for own in [true, false] {
        for property in properties.iter().filter(|property| is_plain(&property.key)) {
            let attribute = match reader.whose(&property.key) {
                Whose::Reference(attribute) if own => attribute,
                Whose::Consumer(attribute) if !own && OF_CONSUMER.contains(&attribute) => attribute,
                _ => continue,
            };
            let value = property.value.trim();
            let known = ATTRIBUTES.iter().find(|(name, _)| *name == attribute);
            if let Some((_, name)) =
                known.filter(|_| !value.is_empty() && is_read(attribute, value))
            {
                found
                    .entry((*name).to_owned())
                    .or_insert_with(|| value.to_owned());
            }
        }
    }
    found
}

/// A placeholder is said where an address has it, and hides any other value.
fn is_read(attribute: &str, value: &str) -> bool {
    attribute == "url" || placeholder(value).is_none()
}

/// The settings of the consumer's own file that may bear on its providers and are not evaluated.
pub(crate) fn unread<'p>(properties: &'p [Property], question: &Question) -> Vec<&'p Property> {
    let reader = OfReference::new(properties, question);
    let service = &question.service;
    let bears = |property: &&Property| {
        let (key, value) = (property.key.as_str(), property.value.trim());
        if !key.starts_with("dubbo.") || !is_plain(key) || is_without_effect(key) {
            return false;
        }
        if OF_QUESTION.iter().any(|known| key.starts_with(known)) {
            return false;
        }
        let same = |part: &Option<String>| part.as_deref().unwrap_or_default() == value;
        match reader.whose(key) {
            Whose::Other | Whose::Reference("interface" | "id") => false,
            Whose::Reference("group") | Whose::Consumer("group") => !same(&service.group),
            Whose::Reference("version") | Whose::Consumer("version") => !same(&service.version),
            Whose::Reference(attribute) => {
                let known = ATTRIBUTES.iter().any(|(name, _)| *name == attribute);
                !(known && is_read(attribute, value))
            }
            Whose::Consumer(attribute) => {
                !(OF_CONSUMER.contains(&attribute) && is_read(attribute, value))
            }
            Whose::Unknown => true,
        }
    };
    properties.iter().filter(bears).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::service_key::ServiceKey;

    #[test]
    fn a_file_speaks_of_one_reference_of_all_or_of_others() {
        let question = Question::new(
            ServiceKey::new(Some("g"), "com.acme.OrderService", None),
            jiff::Timestamp::UNIX_EPOCH,
        );
        let properties = crate::view::written::properties(
            "dubbo.consumer.tag=gray\ndubbo.consumer.group=g\ndubbo.consumer.version=2.0\n\
             dubbo.reference.com.acme.OrderService.url=dubbo://10.0.0.1:20880\n\
             dubbo.reference.com.acme.OrderService.tag=blue\n\
             dubbo.reference.com.acme.Other.version=1.0\n\
             dubbo.references.mine.interface=com.acme.OrderService\ndubbo.references.mine.scope=${SCOPE}\n\
             dubbo.references.theirs.interface=com.acme.Else\ndubbo.references.theirs.group=x\n\
             dubbo.references.whose.group=x\ndubbo.consumer.router=own\ndubbo.protocol.port=-1\n\
             dubbo.reference.com.acme.OrderService.timeout=5\n",
        );
        let found = of_reference(&properties, &question);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect();
        assert_eq!(
            found,
            [("dubbo.tag", "blue"), ("url", "dubbo://10.0.0.1:20880")]
        );
        let mut left: Vec<&str> = unread(&properties, &question)
            .iter()
            .map(|property| property.key.as_str())
            .collect();
        left.sort_unstable();
        assert_eq!(
            left,
            [
                "dubbo.consumer.router",
                "dubbo.consumer.version",
                "dubbo.references.mine.scope",
                "dubbo.references.whose.group"
            ]
        );
    }

    #[test]
    fn only_what_is_known_to_be_without_effect_is_left_out() {
        for text in [
            "",
            "# dubbo.registry.address=x",
            "dubbo.consumer.timeout=1500\n",
            "server.port=80\ndubbo.provider.retries = 0\ndubbo.application.qos.port=1",
        ] {
            assert!(leaves_providers(text), "{text}");
        }
        for text in [
            "dubbo.registry.address=nacos://h:1",
            "dubbo.consumer.timeout=1\ndubbo.consumer.router=x",
            "dubbo.application.service-discovery.migration=FORCE_APPLICATION",
            "dubbo.consumer.cluster=zone-aware",
        ] {
            assert!(!leaves_providers(text), "{text}");
        }
    }
}
