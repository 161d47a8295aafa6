//! The consumer's own list of one service: how many addresses by which model, which, and what routers did with them.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::Process;
use crate::{
    model::{
        qos::{
            addresses::State,
            listing::{Model, Step},
            recent::Routed,
        },
        service_key::ServiceKey,
        url::Url,
        version::{DubboVersion, Line},
    },
    question::{Consumer, RegistryAddress},
    snapshot::SourceId,
    view::stage::Evidence,
};

/// What the QOS ports of the question say.
#[derive(Debug, Clone, Default)]
pub struct Own {
    /// Every process that was asked.
    pub processes: Vec<Process>,
}

/// The list that a consumer has of a service, from one registry or from all of them.
#[derive(Debug, Clone)]
pub struct OwnList {
    /// Step of the migration, where it is said.
    pub step: Option<Step>,
    /// Number of addresses at interface level; `None` where it is not said or that model is not subscribed.
    pub interface: Option<u64>,
    /// Number of addresses at application level.
    pub application: Option<u64>,
    /// Number of addresses of the model in use, whichever that is, where only that is said.
    pub in_use: Option<u64>,
    /// How many of them can be called: connected and not switched off.
    pub valid: Option<u64>,
    /// How many of them are switched off, where that is said.
    pub disabled: u64,
    /// The addresses `host:port`; empty where only numbers are said.
    pub addresses: BTreeSet<String>,
    /// One of them has a tag or names a router.
    pub is_tagged: bool,
    /// What shows it.
    pub evidence: Vec<Evidence>,
}

impl Own {
    /// A process that refers to the interface under other groups or versions only, and may be the consumer of the
    /// question; with those keys.
    pub fn other_keys(
        &self,
        service: &ServiceKey,
        consumer: &Consumer,
    ) -> Option<(&Process, Vec<String>)> {
        self.processes.iter().find_map(|process| {
            let names = process.applications();
            let wanted = consumer.application.as_ref();
            if process.refers_to(service)
                || wanted.is_some_and(|wanted| !names.is_empty() && !names.contains(wanted))
            {
                return None;
            }
            let listed = process.listing.iter();
            let rows = listed
                .flat_map(|(listing, _)| &listing.consumer)
                .map(|row| &row.key);
            let lists = process.lists.iter().map(|(list, _)| &list.key);
            let mut keys: Vec<String> = rows
                .chain(lists)
                .filter(|key| {
                    ServiceKey::parse_dubbo(key).is_ok_and(|key| key.interface == service.interface)
                })
                .cloned()
                .collect();
            keys.sort();
            keys.dedup();
            (!keys.is_empty()).then_some((process, keys))
        })
    }

    /// The process that is the consumer of the question. `None` when there is none, or more than one.
    pub fn consumer(&self, service: &ServiceKey, consumer: &Consumer) -> Option<&Process> {
        match self.consumers(service, consumer).as_slice() {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The processes that may be the consumer of the question: they refer to the service, have its name where they have
    /// one, and its address where both are known. Another instance of the application has a list of its own.
    fn consumers(&self, service: &ServiceKey, consumer: &Consumer) -> Vec<&Process> {
        let processes = self.processes.iter();
        let may_be = |process: &&Process| {
            if !process.refers_to(service) || process.elsewhere.is_some() {
                return false;
            }
            let names = process.applications();
            if let Some(wanted) = &consumer.application
                && !names.is_empty()
                && !names.contains(wanted)
            {
                return false;
            }
            is_at(&process.endpoint, consumer.ip.as_deref(), names.is_empty())
        };
        processes.filter(may_be).collect()
    }

    /// One view for each process that may be the consumer of the question, as if the others had not been asked; without
    /// such a choice there is one.
    pub fn apart(&self, service: &ServiceKey, consumer: &Consumer) -> Vec<Self> {
        let of: Vec<&SourceId> = self
            .consumers(service, consumer)
            .into_iter()
            .map(|process| &process.source)
            .collect();
        if of.len() < 2 {
            return vec![self.clone()];
        }
        of.iter()
            .map(|chosen| Self {
                processes: self
                    .processes
                    .iter()
                    .filter(|process| process.source == **chosen || !of.contains(&&process.source))
                    .cloned()
                    .collect(),
            })
            .collect()
    }

    /// The consumer's list of a service from this registry (`alone` = the only one of the question).
    pub fn list(
        &self,
        service: &ServiceKey,
        consumer: &Consumer,
        registry: Option<&RegistryAddress>,
        alone: bool,
    ) -> Option<OwnList> {
        let process = self.consumer(service, consumer)?;
        let key = service.to_string();
        let newest = DubboVersion::newest(Line::V3_3);
        let mut list = OwnList {
            step: None,
            interface: None,
            application: None,
            in_use: None,
            valid: None,
            disabled: 0,
            addresses: BTreeSet::new(),
            is_tagged: false,
            evidence: Vec::new(),
        };
        for (own, seen) in process.lists.iter().filter(|(own, _)| own.key == key) {
            let url = Url::parse(&own.registry, &newest).ok();
            if !alone && !url.is_some_and(|url| is_of(&url, registry)) {
                continue;
            }
            list.step = own.step.or(list.step);
            for (model, number) in [
                (Model::Interface, &mut list.interface),
                (Model::Application, &mut list.application),
            ] {
                let all = own.urls(model, State::All).count();
                *number = Some(number.unwrap_or_default() + all as u64);
                let valid = own.urls(model, State::Valid).count() as u64;
                if own.step.is_none_or(|step| uses(step, model)) {
                    *list.valid.get_or_insert(0) += valid;
                    list.disabled += own.urls(model, State::Disabled).count() as u64;
                    for url in own
                        .urls(model, State::All)
                        .filter_map(|url| Url::parse(url, &newest).ok())
                    {
                        list.is_tagged |= ["dubbo.tag", "router"]
                            .iter()
                            .any(|name| url.text(name).is_some());
                        list.addresses.extend(url.address());
                    }
                }
            }
            list.evidence.push(seen.clone());
        }
        if list.evidence.is_empty() && alone {
            for (chain, seen) in process.chains.iter().filter(|(chain, _)| chain.key == key) {
                *list.in_use.get_or_insert(0) += chain.all;
                *list.valid.get_or_insert(0) += chain.valid;
                if let Some((addresses, true)) = chain.addresses() {
                    list.addresses.extend(addresses.iter().cloned());
                }
                list.evidence.push(seen.clone());
            }
        }
        if let Some((listing, seen)) = &process.listing
            && let Some(row) = listing.consumer.iter().find(|row| row.key == key)
            && list.step.is_none()
            && alone
        {
            for part in &row.lists {
                list.step = Some(part.step);
                add(&mut list.interface, part.interface);
                add(&mut list.application, part.application);
                list.evidence.push(seen.clone());
            }
        }
        (!list.evidence.is_empty()).then_some(list)
    }

    /// The last calls of a service whose routing the consumer was watched at, oldest first.
    pub fn routed(&self, service: &ServiceKey, consumer: &Consumer) -> Vec<(&Routed, &Evidence)> {
        let key = service.to_string();
        let process = self.consumer(service, consumer);
        process
            .into_iter()
            .flat_map(|process| &process.routed)
            .filter(|(call, _)| call.key == key)
            .map(|(call, seen)| (call, seen))
            .collect()
    }
}

impl OwnList {
    /// How many addresses it has for calls; `None` when it is not said. With both models subscribed that is the
    /// application level's as soon as it has one (`MigrationInvoker.decideInvoker`).
    pub fn count(&self) -> Option<u64> {
        let said = match self.step {
            Some(Step::ForceInterface) => self.interface,
            Some(Step::ForceApplication) => self.application,
            _ => match self.application {
                None | Some(0) => self.interface.or(self.application),
                some => some,
            },
        };
        said.or(self.in_use)
    }

    /// It can call somebody: addresses, and not all of them unusable.
    pub fn is_usable(&self) -> bool {
        self.count().is_some_and(|count| count > 0) && self.valid != Some(0)
    }

    /// It has addresses, none is switched off, and none can be called: it is connected to none of them
    /// (`AbstractDirectory.invokersToReconnect`).
    pub fn is_unconnected(&self) -> bool {
        let has_some = self.count().is_some_and(|count| count > 0);
        has_some && self.valid == Some(0) && self.disabled == 0
    }

    /// It has addresses, none can be called, and some are switched off.
    pub fn is_switched_off(&self) -> bool {
        let has_some = self.count().is_some_and(|count| count > 0);
        has_some && self.valid == Some(0) && self.disabled > 0
    }

    /// It has no address, and that is said.
    pub fn is_empty(&self) -> bool {
        self.count() == Some(0)
    }

    /// Nothing came by application, and that is said.
    pub fn has_no_application(&self) -> bool {
        self.application == Some(0) || self.step == Some(Step::ForceInterface)
    }

    /// When it was seen, the earliest of its answers.
    pub fn seen_at(&self) -> Option<Timestamp> {
        self.evidence
            .iter()
            .filter_map(|seen| seen.seen_at.as_deref()?.parse().ok())
            .min()
    }
}

fn add(sum: &mut Option<u64>, number: Option<u64>) {
    if let Some(number) = number {
        *sum.get_or_insert(0) += number;
    }
}

fn uses(step: Step, model: Model) -> bool {
    !matches!(
        (step, model),
        (Step::ForceInterface, Model::Application) | (Step::ForceApplication, Model::Interface)
    )
}

/// Whether a port may be one of a host with this address. A port of loopback was asked on the host itself, which nobody
/// named; a name of a host cannot be compared, and counts where nothing else says whose port it is not.
fn is_at(endpoint: &str, ip: Option<&str>, unnamed: bool) -> bool {
    let host = endpoint.rsplit_once(':').map_or(endpoint, |(host, _)| host);
    let Some(ip) = ip.filter(|_| !is_loopback(host)) else {
        return true;
    };
    let address =
        |text: &str| -> Option<std::net::IpAddr> { text.trim_matches(['[', ']']).parse().ok() };
    match (address(host), address(ip)) {
        (Some(host), Some(ip)) => host == ip,
        _ => !unnamed || host == ip,
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    let ip: Result<std::net::IpAddr, _> = host.parse();
    host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
}

/// Whether a registry URL of the process is this registry: a member in common.
fn is_of(url: &Url, registry: Option<&RegistryAddress>) -> bool {
    let Some(registry) = registry else {
        return false;
    };
    let mut members: Vec<String> = url.address().into_iter().collect();
    if let Some(backup) = url.text("backup") {
        members.extend(backup.split(',').map(str::to_owned));
    }
    members
        .iter()
        .any(|member| registry.members.contains(member))
}
