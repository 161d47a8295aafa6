//! 3.x: instances grouped by revision, the addresses of every service, who is told what
//! (`ServiceInstancesChangedListener`).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Address, Answer, Reference, Situation, Told, directory,
    hash::{Added, in_order, of_all, of_map, of_text},
    key_of,
};
use crate::{
    model::{
        matching::ProtocolServiceKey,
        metadata::{MetadataInfo, ServiceInfo},
        url::Url,
        version::Line,
    },
    view::application::endpoints::{Endpoints, Ports},
};

/// The metadata of a revision with its services in the order of the client's maps.
pub(super) struct Metadata<'m> {
    services: Vec<&'m ServiceInfo>,
    /// Services of one key without the protocol: the first is found.
    by_key: BTreeMap<String, Vec<&'m ServiceInfo>>,
}

impl<'m> Metadata<'m> {
    fn of(info: &'m MetadataInfo, line: Line) -> Self {
        let services = in_order(info.services.iter().collect(), Added::Last, |service| {
            of_text(&service.key)
        });
        let mut by_key: BTreeMap<String, Vec<&ServiceInfo>> = BTreeMap::new();
        for service in &services {
            let same = by_key.entry(own_key(service)).or_default();
            if same.iter().all(|known| !is_same(known, service, line)) {
                same.push(service);
            }
        }
        for same in by_key.values_mut() {
            *same = in_order(std::mem::take(same), Added::Last, |service| {
                hash_of(service, line)
            });
        }
        Self { services, by_key }
    }

    /// `getValidServiceInfo`: by the whole key, else any protocol's.
    pub(super) fn valid(&self, key: &str) -> Option<&'m ServiceInfo> {
        let exact = self.services.iter().find(|service| service.key == key);
        let any = || self.by_key.get(key)?.first();
        exact.or_else(any).copied()
    }

    /// `getMatchedServiceInfos`.
    pub(super) fn matched(&self, asked: &ProtocolServiceKey, line: Line) -> Vec<&'m ServiceInfo> {
        let services = self.services.iter().copied();
        services
            .filter(|service| asked.accepts(&protocol_key(service), line).is_ok())
            .collect()
    }
}

/// What every part of one run needs.
pub(super) struct Run<'a> {
    pub(super) situation: &'a Situation<'a>,
    pub(super) metadata: BTreeMap<&'a str, Metadata<'a>>,
    /// 3.0: the protocol under which an instance was first made a URL; it keeps it.
    first: BTreeMap<usize, String>,
    urls: Urls,
}

/// Addresses by service.
enum Urls {
    /// 3.0: by key with protocol.
    Keys(BTreeMap<String, Vec<Address>>),
    /// 3.1 on: by path.
    Paths(BTreeMap<Option<String>, Vec<(ProtocolServiceKey, Vec<Address>)>>),
}

/// The endpoints of an instance are no list: the whole notification is lost.
struct Thrown;

/// A notification: addresses, or `None` for `empty://`.
type Notice = Option<Vec<Address>>;

pub(super) fn references(situation: &Situation<'_>, consumers: &[Url]) -> Answer {
    let metadata = situation
        .metadata
        .iter()
        .map(|(revision, info)| (revision.as_str(), Metadata::of(info, situation.line)))
        .collect();
    let mut run = Run {
        situation,
        metadata,
        first: BTreeMap::new(),
        urls: Urls::Paths(BTreeMap::new()),
    };
    let mut heard: Vec<Vec<Notice>> = consumers.iter().map(|_| Vec::new()).collect();
    let mut asked = BTreeSet::new();
    let mut failures = 0;
    let mut told: Vec<&str> = Vec::new();
    for application in applications(situation.instances) {
        told.push(application);
        match run.event(&told, &mut asked) {
            Err(Thrown) => failures += 1,
            Ok(true) if situation.listens_first => {
                for (consumer, heard) in consumers.iter().zip(&mut heard) {
                    let found = run.lookup(consumer);
                    let none = found.is_empty() && !situation.protects_empty;
                    heard.push((!none).then_some(found));
                }
            }
            Ok(_) => {}
        }
    }
    if situation.instances.is_empty() && situation.listens_first {
        for heard in &mut heard {
            heard.push(situation.protects_empty.then(Vec::new));
        }
    }
    if !situation.listens_first {
        for (consumer, heard) in consumers.iter().zip(&mut heard) {
            let found = run.lookup(consumer);
            if !found.is_empty() {
                heard.push(Some(found));
            }
        }
    }
    let references = consumers.iter().zip(heard).map(|(consumer, heard)| {
        let notified = heard.len();
        let last = heard.into_iter().next_back();
        let mut reference = Reference {
            notified,
            addresses: Some(Vec::new()),
            ..Reference::default()
        };
        match last {
            Some(None) => {
                reference.forbidden = true;
                reference.addresses = None;
            }
            Some(Some(addresses)) => {
                reference.invokers = directory::invokers(&run, consumer, &addresses);
                reference.addresses = Some(addresses);
            }
            None => {}
        }
        reference
    });
    let references = references.collect();
    Answer {
        references,
        asked,
        failures,
    }
}

/// Applications in the order of their first instance.
pub(super) fn applications(instances: &[Told]) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for instance in instances {
        if !found.contains(&instance.application.as_str()) {
            found.push(&instance.application);
        }
    }
    found
}

impl<'a> Run<'a> {
    /// The metadata that an instance's revision stands for.
    pub(super) fn of_instance(&self, instance: usize) -> Option<&Metadata<'a>> {
        let told = &self.situation.instances[instance];
        let revision = told.metadata.get("dubbo.metadata.revision")?;
        self.metadata.get(revision.as_str())
    }

    /// `doOnEvent`. Says whether the listeners are told of it.
    fn event(&mut self, told: &[&str], asked: &mut BTreeSet<String>) -> Result<bool, Thrown> {
        let situation = self.situation;
        let order = in_order(told.to_vec(), Added::Last, |name| of_text(name));
        let mut by_revision: Vec<(&str, Vec<usize>)> = Vec::new();
        for application in order {
            let own = situation.instances.iter().enumerate();
            for (place, instance) in own.filter(|(_, one)| one.application == application) {
                let revision = instance.metadata.get("dubbo.metadata.revision");
                let Some(revision) = revision.filter(|revision| *revision != "0") else {
                    continue;
                };
                match by_revision.iter_mut().find(|(known, _)| *known == revision) {
                    Some((_, same)) => same.push(place),
                    None => by_revision.push((revision, vec![place])),
                }
            }
        }
        asked.extend(
            by_revision
                .iter()
                .map(|(revision, _)| (*revision).to_owned()),
        );
        let by_revision = in_order(by_revision, Added::First, |(revision, _)| of_text(revision));
        let has = |revision: &str| self.metadata.contains_key(revision);
        if !by_revision.is_empty() && by_revision.iter().all(|(revision, _)| !has(revision)) {
            // Not one could be had: nothing changes.
            return Ok(false);
        }
        let urls = if situation.line == Line::V3_0 {
            self.by_key(&by_revision)?
        } else {
            self.by_path(&by_revision)?
        };
        self.urls = urls;
        Ok(true)
    }

    fn by_path(&mut self, by_revision: &[(&str, Vec<usize>)]) -> Result<Urls, Thrown> {
        let line = self.situation.line;
        let mut services: Vec<(&ServiceInfo, BTreeSet<&str>)> = Vec::new();
        for (revision, _) in by_revision {
            let Some(metadata) = self.metadata.get(revision) else {
                continue;
            };
            for service in &metadata.services {
                match services
                    .iter_mut()
                    .find(|(known, _)| is_same(known, service, line))
                {
                    Some((_, revisions)) => {
                        revisions.insert(revision);
                    }
                    None => services.push((service, BTreeSet::from([*revision]))),
                }
            }
        }
        let services = in_order(services, Added::First, |(service, _)| {
            hash_of(service, line)
        });
        let mut paths: BTreeMap<Option<String>, Vec<_>> = BTreeMap::new();
        for (service, revisions) in services {
            let found = self.addresses(service, &revisions, by_revision)?;
            let same = paths.entry(service.path.clone()).or_default();
            same.push((protocol_key(service), found));
        }
        Ok(Urls::Paths(paths))
    }

    fn by_key(&mut self, by_revision: &[(&str, Vec<usize>)]) -> Result<Urls, Thrown> {
        type Keys<'s> = Vec<(String, &'s ServiceInfo, BTreeSet<&'s str>)>;
        let mut protocols: Vec<(Option<&str>, Keys<'_>)> = Vec::new();
        for (revision, _) in by_revision {
            let Some(metadata) = self.metadata.get(revision) else {
                continue;
            };
            for service in &metadata.services {
                let protocol = service.protocol.as_deref();
                if protocols.iter().all(|(known, _)| *known != protocol) {
                    protocols.push((protocol, Vec::new()));
                }
                let keys = protocols
                    .iter_mut()
                    .find_map(|(known, keys)| (*known == protocol).then_some(keys));
                let Some(keys) = keys else { continue };
                let key = match_key(service);
                match keys.iter_mut().find(|(known, ..)| *known == key) {
                    Some((_, _, revisions)) => {
                        revisions.insert(revision);
                    }
                    None => keys.push((key, service, BTreeSet::from([*revision]))),
                }
            }
        }
        let protocols = in_order(protocols, Added::First, |(name, _)| {
            of_text(name.unwrap_or_default())
        });
        let mut found = BTreeMap::new();
        for (_, keys) in protocols {
            for (key, service, revisions) in in_order(keys, Added::First, |(key, ..)| of_text(key))
            {
                let addresses = self.addresses(service, &revisions, by_revision)?;
                found.insert(key, addresses);
            }
        }
        Ok(Urls::Keys(found))
    }

    /// `getServiceUrlsCache`.
    fn addresses(
        &mut self,
        service: &ServiceInfo,
        revisions: &BTreeSet<&str>,
        by_revision: &[(&str, Vec<usize>)],
    ) -> Result<Vec<Address>, Thrown> {
        let situation = self.situation;
        let protocol = service.protocol.clone().unwrap_or_default();
        let port = service
            .port
            .and_then(|port| u32::try_from(port).ok())
            .filter(|port| *port > 0 && situation.line > Line::V3_0);
        let mut found = Vec::new();
        // Revisions are sorted as texts of Java are: they are hexadecimal.
        for revision in revisions {
            let places = by_revision.iter().find(|(known, _)| known == revision);
            for place in places.into_iter().flat_map(|(_, places)| places) {
                let instance = &situation.instances[*place];
                let address = |protocol: String, port: u32| Address {
                    protocol,
                    instance: *place,
                    host: instance.host.clone(),
                    port,
                };
                if let Some(port) = port {
                    found.push(address(protocol.clone(), port));
                    continue;
                }
                let endpoints = Endpoints::of_text(instance.metadata.get("dubbo.endpoints"));
                match endpoints.port(&protocol) {
                    Ports::Unreadable => return Err(Thrown),
                    Ports::Of(port) if port != instance.port => {
                        found.push(address(protocol.clone(), port));
                        continue;
                    }
                    Ports::Of(_) | Ports::None => {}
                }
                let protocol = if situation.line == Line::V3_0 {
                    let first = self.first.entry(*place);
                    first.or_insert_with(|| protocol.clone()).clone()
                } else {
                    protocol.clone()
                };
                found.push(address(protocol, instance.port));
            }
        }
        Ok(found)
    }

    /// `getAddresses`.
    fn lookup(&self, consumer: &Url) -> Vec<Address> {
        match &self.urls {
            Urls::Keys(keys) => asked_keys(consumer)
                .iter()
                .filter_map(|key| keys.get(key))
                .flatten()
                .cloned()
                .collect(),
            Urls::Paths(paths) => {
                let asked = asked_key(consumer);
                let line = self.situation.line;
                let own = paths.get(&asked.interface).into_iter().flatten();
                let own = own.filter(|(key, _)| asked.accepts(key, line).is_ok());
                let any = paths.get(&Some("*".to_owned())).into_iter().flatten();
                own.chain(any)
                    .flat_map(|(_, addresses)| addresses)
                    .cloned()
                    .collect()
            }
        }
    }
}

/// What a reference of 3.1 on asks for.
pub(super) fn asked_key(consumer: &Url) -> ProtocolServiceKey {
    let protocol = consumer
        .text("protocol")
        .or(consumer.protocol.as_deref())
        .filter(|protocol| *protocol != "consumer");
    ProtocolServiceKey {
        interface: consumer.service_interface().map(str::to_owned),
        group: consumer.group().map(str::to_owned),
        version: consumer.version().map(str::to_owned),
        protocol: protocol.map(str::to_owned),
    }
}

/// What a reference of 3.0 asks for: keys with a protocol, three of them when it names none
/// (`getProtocolServiceKeyList`). An empty group is a group there.
fn asked_keys(consumer: &Url) -> Vec<String> {
    let mut key = super::service_key(consumer);
    if consumer.group() == Some("") {
        key = format!("/{key}");
    }
    let protocols = consumer.text("protocol").unwrap_or("dubbo,tri,rest");
    let mut keys: Vec<String> = Vec::new();
    for protocol in protocols.split(',') {
        let key = format!("{key}:{protocol}");
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    in_order(keys, Added::Last, |key| of_text(key))
}

pub(super) fn protocol_key(service: &ServiceInfo) -> ProtocolServiceKey {
    ProtocolServiceKey {
        interface: service.name.clone(),
        group: service.group.clone(),
        version: service.version.clone(),
        protocol: service.protocol.clone(),
    }
}

/// `ServiceInfo.getServiceKey`.
fn own_key(service: &ServiceInfo) -> String {
    key_of(
        service.group.as_deref(),
        service.name.as_deref(),
        service.version.as_deref(),
    )
}

/// `ServiceInfo.getMatchKey`.
fn match_key(service: &ServiceInfo) -> String {
    let key = own_key(service);
    match service.protocol.as_deref().filter(|name| !name.is_empty()) {
        Some(protocol) => format!("{key}:{protocol}"),
        None => key,
    }
}

/// `ServiceInfo.equals`: the port counts from 3.1 on, the path never.
fn is_same(one: &ServiceInfo, other: &ServiceInfo, line: Line) -> bool {
    let port = |service: &ServiceInfo| service.port.unwrap_or(-1);
    one.version == other.version
        && one.group == other.group
        && one.name == other.name
        && one.protocol == other.protocol
        && (line == Line::V3_0 || port(one) == port(other))
        && one.params == other.params
}

/// `ServiceInfo.hashCode`.
fn hash_of(service: &ServiceInfo, line: Line) -> u32 {
    let text = |text: &Option<String>| text.as_deref().map_or(0, of_text);
    let params = service.params.iter();
    let params = of_map(params.map(|(name, value)| (name.as_str(), value.as_str())));
    let mut parts = vec![
        text(&service.version),
        text(&service.group),
        text(&service.name),
        text(&service.protocol),
    ];
    if line > Line::V3_0 {
        // A port is an `int`: its lower 32 bits, whatever its sign.
        let port = i32::try_from(service.port.unwrap_or(-1)).unwrap_or(-1);
        parts.push(port.cast_unsigned());
    }
    parts.push(params);
    of_all(parts)
}
