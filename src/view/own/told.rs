//! What the process that is the consumer says of itself: its application, its version, where it looks for providers.
//!
//! 3.2 and later say all of it. Older lines say their version and, by the name of their metadata service, the application
//! (3.x); where they look they do not say.

use super::{Own, Process};
use crate::{
    model::version::DubboVersion,
    question::{Question, RegistryAddress, RegistryKind},
};

/// The consumer in its own words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Told {
    /// Its application, where it has just one.
    pub application: Option<String>,
    /// Its version of Dubbo.
    pub version: Option<DubboVersion>,
    /// Its registries, secrets left out. Attributes beside the address (group, namespace) are not said.
    pub registries: Vec<RegistryAddress>,
}

impl Own {
    /// What the consumer of the question says; `None` when none of the processes is it.
    pub fn told(&self, question: &Question) -> Option<Told> {
        let Some(process) = self.consumer(&question.service, &question.consumer) else {
            return self.of_application(question);
        };
        let names = process.applications();
        let version = process.version.as_deref();
        Some(Told {
            application: match names.as_slice() {
                [only] => Some(only.clone()),
                _ => None,
            },
            version: version.and_then(|text| DubboVersion::parse(text).ok()),
            registries: registries(process, question),
        })
    }
}

impl Own {
    /// What the processes of the consumer's application say that do not refer to the service, as far as all say the same:
    /// their version.
    fn of_application(&self, question: &Question) -> Option<Told> {
        let wanted = question.consumer.application.as_ref()?;
        let own = self
            .processes
            .iter()
            .filter(|process| process.applications() == [wanted.clone()])
            .filter_map(|process| process.version.as_deref())
            .map(|text| DubboVersion::parse(text).ok());
        let versions: Vec<Option<DubboVersion>> = own.collect();
        let first = versions.first()?.clone()?;
        let same = versions.iter().all(|other| other.as_ref() == Some(&first));
        same.then(|| Told {
            version: Some(first),
            ..Told::default()
        })
    }
}

/// Those that it names, each server once.
fn registries(process: &Process, question: &Question) -> Vec<RegistryAddress> {
    let mut found = named(process, question);
    let mut known = Vec::new();
    found.retain(|address| {
        let new = !known.contains(&address.members);
        known.push(address.members.clone());
        new
    });
    found
}

/// Those of its configuration, else those that its list of the service comes from.
fn named(process: &Process, question: &Question) -> Vec<RegistryAddress> {
    let key = question.service.to_string();
    let configured = process.config.iter().flat_map(|config| &config.registries);
    let listed = process
        .lists
        .iter()
        .filter(|(list, _)| list.key == key)
        .map(|(list, _)| &list.registry);
    let read = |text: &String| {
        let address = RegistryAddress::parse(text).ok()?;
        address
            .placeholder()
            .is_none()
            .then(|| address.without_secrets())
    };
    let found: Vec<RegistryAddress> = configured.filter_map(read).collect();
    if found.is_empty() {
        return listed.filter_map(read).collect();
    }
    found
}

/// Where a process looks that names the question's servers of Nacos only with other namespaces: it is none of the question.
pub(super) fn elsewhere(process: &Process, question: &Question) -> Option<String> {
    let named = named(process, question);
    let is_other = |one: &RegistryAddress| {
        let is_server = |asked: &&RegistryAddress| {
            one.members
                .iter()
                .any(|member| asked.members.contains(member))
        };
        let mut asked = question.registries.iter().filter(is_server).peekable();
        asked.peek().is_some() && asked.all(|asked| namespace(asked) != namespace(one))
    };
    let first = named.first()?;
    named.iter().all(is_other).then(|| first.to_string())
}

/// The namespace of a Nacos; the public one has no id.
fn namespace(registry: &RegistryAddress) -> Option<&str> {
    let id = registry.namespace.as_deref();
    id.filter(|id| registry.kind == RegistryKind::Nacos && !matches!(*id, "" | "public"))
}
