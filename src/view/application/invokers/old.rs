//! 2.7: one protocol for each reference, the instance's port, and parameters that the first reference leaves in the
//! metadata (`ServiceInstancesChangedListener`, `InstanceAddressURL` of 2.7).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Address, Answer, Invoker, Reference, Situation, filled,
    hash::{Added, in_order, of_text},
    listener::applications,
    service_key,
};
use crate::{
    model::{metadata::ServiceInfo, url::Url},
    view::directory::Support,
};

pub(super) fn references(situation: &Situation<'_>, consumers: &[Url]) -> Answer {
    let mut urls = BTreeMap::new();
    let mut told: Vec<&str> = Vec::new();
    for application in applications(situation.instances) {
        told.push(application);
        urls = event(situation, &told);
    }
    let mut written: BTreeMap<(String, String), BTreeMap<String, String>> = BTreeMap::new();
    let references = consumers
        .iter()
        .map(|consumer| reference(situation, consumer, &urls, &mut written))
        .collect();
    Answer {
        references,
        asked: BTreeSet::new(),
        failures: 0,
    }
}

/// The instances of every key. A list that was made for one set of revisions is taken again for the same set, though
/// instances of another application may have joined since; a set that has grown is not found again.
fn event(situation: &Situation<'_>, told: &[&str]) -> BTreeMap<String, Vec<usize>> {
    let mut by_revision: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut revisions: Vec<(String, BTreeSet<&str>)> = Vec::new();
    let mut made: Vec<(BTreeSet<&str>, String, Vec<usize>)> = Vec::new();
    let mut urls = BTreeMap::new();
    for application in in_order(told.to_vec(), Added::Last, |name| of_text(name)) {
        let own = situation.instances.iter().enumerate();
        for (place, instance) in own.filter(|(_, one)| one.application == application) {
            let Some(revision) = instance.metadata.get("dubbo.metadata.revision") else {
                continue;
            };
            if revision == "0" {
                continue;
            }
            by_revision.entry(revision).or_default().push(place);
            for service in services(situation, revision) {
                match revisions.iter_mut().find(|(key, _)| *key == service.key) {
                    Some((_, known)) => {
                        known.insert(revision);
                    }
                    None => {
                        revisions.push((service.key.clone(), BTreeSet::from([revision.as_str()])));
                    }
                }
            }
        }
        let ordered = in_order(revisions.iter().collect(), Added::First, |(key, _)| {
            of_text(key)
        });
        for (key, set) in ordered {
            let is_as_then = |owner: &String, then: &BTreeSet<&str>| {
                let now = revisions.iter().find(|(key, _)| key == owner);
                now.is_some_and(|(_, now)| now == then)
            };
            let again = made
                .iter()
                .find(|(then, owner, _)| then == set && is_as_then(owner, then));
            let places = if let Some((.., places)) = again {
                places.clone()
            } else {
                let places: Vec<usize> = set
                    .iter()
                    .flat_map(|revision| by_revision.get(revision).into_iter().flatten())
                    .copied()
                    .collect();
                made.push((set.clone(), key.clone(), places.clone()));
                places
            };
            urls.insert(key.clone(), places);
        }
    }
    urls
}

fn services<'a>(
    situation: &Situation<'a>,
    revision: &str,
) -> impl Iterator<Item = &'a ServiceInfo> + use<'a> {
    let metadata = situation.metadata.get(revision);
    metadata.into_iter().flat_map(|info| &info.services)
}

fn reference(
    situation: &Situation<'_>,
    consumer: &Url,
    urls: &BTreeMap<String, Vec<usize>>,
    written: &mut BTreeMap<(String, String), BTreeMap<String, String>>,
) -> Reference {
    let protocol = consumer.text("protocol").unwrap_or("dubbo").to_owned();
    let key = format!("{}:{protocol}", service_key(consumer));
    let places = urls.get(&key).cloned().unwrap_or_default();
    let addresses: Vec<Address> = places
        .iter()
        .map(|place| {
            let instance = &situation.instances[*place];
            Address {
                protocol: protocol.clone(),
                instance: *place,
                host: instance.host.clone(),
                port: instance.port,
            }
        })
        .collect();
    let mut found: BTreeMap<String, Invoker> = BTreeMap::new();
    let supported = situation.protocols.support(&protocol) == Support::Yes;
    for address in addresses.iter().filter(|_| supported) {
        let instance = &situation.instances[address.instance];
        let revision = instance.metadata.get("dubbo.metadata.revision");
        let revision = revision.map(String::as_str).unwrap_or_default();
        let service = services(situation, revision).find(|service| service.key == key);
        let Some(service) = service else { continue };
        // The first reference of a key writes its parameters into the metadata; the next ones find them there.
        let own = written
            .entry((revision.to_owned(), key.clone()))
            .or_insert_with(|| {
                let filled = consumer
                    .parameters
                    .iter()
                    .filter(|(name, value)| !value.is_empty() && name.as_str() != "monitor");
                filled
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect()
            });
        let mut service = service.clone();
        let mut params: BTreeMap<String, String> = service.params.iter().cloned().collect();
        params.extend(own.clone());
        service.params = params.clone().into_iter().collect();
        let mut merged = instance.metadata.clone();
        merged.extend(params);
        let invoker = Invoker {
            key: key.clone(),
            address: address.clone(),
            application: instance.application.clone(),
            consumer: consumer.clone(),
            service: Some(service),
            instance: instance.metadata.clone(),
            merged: Some(merged),
        };
        if is_on(&invoker) {
            found.insert(address.text(), invoker);
        }
    }
    Reference {
        notified: 0,
        forbidden: addresses.is_empty(),
        addresses: Some(addresses),
        invokers: found.into_values().collect(),
    }
}

/// Here the instance's own value goes first.
fn is_on(invoker: &Invoker) -> bool {
    use crate::model::url::is_true;
    let value =
        |name: &str| filled(invoker.instance.get(name)).or_else(|| invoker.of_service(name));
    match value("disabled") {
        Some(disabled) => !is_true(disabled),
        None => value("enabled").is_none_or(is_true),
    }
}
