//! From instances and their metadata to what a reference can call: the application-level way of one consumer.
//!
//! Mirrors `ServiceInstancesChangedListener` and `ServiceDiscoveryRegistryDirectory` of 2.7 and 3.x notification by
//! notification, oddities included: whose port counts, which of two equal addresses stays, whose parameters win. What the
//! registry client leaves out before (disabled, unhealthy, without metadata of Dubbo) is not looked at here.

mod directory;
mod hash;
mod listener;
mod old;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    model::{
        metadata::{MetadataInfo, ServiceInfo},
        url::Url,
        version::Line,
    },
    view::directory::Protocols,
};

/// An instance as the registry client hands it over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Its application.
    pub application: String,
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: u32,
    /// What it says of itself.
    pub metadata: BTreeMap<String, String>,
}

/// What references of one consumer are told.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// The consumer's line.
    pub line: Line,
    /// The instances; those of one application are told together, in the order of their first one.
    pub instances: &'a [Told],
    /// What each revision stands for; one that is missing cannot be had.
    pub metadata: &'a BTreeMap<String, MetadataInfo>,
    /// An empty list is held back (`enable-empty-protection`).
    pub protects_empty: bool,
    /// What the consumer can speak.
    pub protocols: &'a Protocols,
    /// The references subscribe before the instances are told.
    pub listens_first: bool,
}

/// What comes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// One for each reference.
    pub references: Vec<Reference>,
    /// Revisions whose metadata were asked for.
    pub asked: BTreeSet<String>,
    /// Notifications that the client could not digest.
    pub failures: usize,
}

/// What one reference has.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reference {
    /// How often it was told something.
    pub notified: usize,
    /// The addresses it was told last; `None` = that there is none (`empty://`).
    pub addresses: Option<Vec<Address>>,
    /// What it can call.
    pub invokers: Vec<Invoker>,
    /// It may call nobody.
    pub forbidden: bool,
}

/// An address of one protocol.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// The protocol.
    pub protocol: String,
    /// The instance's place in the list.
    pub instance: usize,
    /// The host.
    pub host: String,
    /// The port; 0 is left out of the text.
    pub port: u32,
}

impl Address {
    /// `host:port`.
    pub fn text(&self) -> String {
        if self.port > 0 {
            format!("{}:{}", self.host, self.port)
        } else {
            self.host.clone()
        }
    }
}

/// Who can be called, and with which parameters (`InstanceAddressURL`).
#[derive(Debug, Clone, PartialEq)]
pub struct Invoker {
    /// Under which key the directory keeps it: the service with its protocol; before 3.1 the address.
    pub key: String,
    /// Where it is.
    pub address: Address,
    /// Application of the instance.
    application: String,
    /// The consumer's URL as this invoker sees it.
    consumer: Url,
    /// The service of the metadata that this URL means.
    service: Option<ServiceInfo>,
    /// What the instance says of itself.
    instance: BTreeMap<String, String>,
    /// 2.7: consumer and service merged, the instance first.
    merged: Option<BTreeMap<String, String>>,
}

/// In these the provider is right (`DefaultProviderFirstParams`).
const PROVIDER_FIRST: [&str; 5] = ["release", "dubbo", "methods", "timestamp", "dubbo.tag"];

impl Invoker {
    /// The path that is called.
    pub fn path(&self) -> Option<&str> {
        match &self.service {
            Some(service) => service.path.as_deref(),
            None => self.consumer.service_interface(),
        }
    }

    /// `[group/]interface[:version]`, as the consumer asks for it.
    pub fn service_key(&self) -> String {
        service_key(&self.consumer)
    }

    /// The parameter that is in force: the consumer's, then the service's, then the instance's.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        match name {
            "version" | "group" => self.consumer.parameter(name),
            "interface" => self.consumer.service_interface(),
            "remote.application" => Some(&self.application),
            "side" => Some("consumer"),
            _ => self
                .of_consumer(name)
                .or_else(|| self.of_service(name))
                .or_else(|| filled(self.instance.get(name))),
        }
    }

    /// The same for a method (`URL.getMethodParameter`): the consumer's interface value beats the service's method value.
    pub fn method_parameter(&self, method: &str, name: &str) -> Option<&str> {
        let own = format!("{method}.{name}");
        if !PROVIDER_FIRST.contains(&name)
            && let Some(value) = self
                .consumer
                .text(&own)
                .or_else(|| self.consumer.text(name))
        {
            return Some(value);
        }
        let of_method = self
            .service
            .as_ref()
            .and_then(|service| param(service, &own));
        of_method.or_else(|| self.parameter(name))
    }

    /// Every parameter with the value in force, as the URL lists them.
    pub fn parameters(&self) -> BTreeMap<String, String> {
        if let Some(merged) = &self.merged {
            return merged.clone();
        }
        let mut all = self.instance.clone();
        if let Some(service) = &self.service {
            all.extend(service.params.iter().cloned());
        }
        let own = self.consumer.parameters.iter();
        all.extend(
            own.filter(|(name, _)| !PROVIDER_FIRST.contains(&name.as_str()))
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        all
    }

    fn of_consumer(&self, name: &str) -> Option<&str> {
        self.consumer
            .text(name)
            .filter(|_| !PROVIDER_FIRST.contains(&name))
    }

    fn of_service(&self, name: &str) -> Option<&str> {
        self.service
            .as_ref()
            .and_then(|service| param(service, name))
    }

    /// `disabled`, else `enabled`.
    fn is_on(&self) -> bool {
        use crate::model::url::is_true;
        match self.parameter("disabled") {
            Some(disabled) => !is_true(disabled),
            None => self.parameter("enabled").is_none_or(is_true),
        }
    }
}

fn filled(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.is_empty())
}

fn param<'a>(service: &'a ServiceInfo, name: &str) -> Option<&'a str> {
    let found = service.params.iter().find(|(known, _)| known == name);
    filled(found.map(|(_, value)| value))
}

/// `URL.buildKey`: empty parts are left out, and nothing else.
fn key_of(group: Option<&str>, interface: Option<&str>, version: Option<&str>) -> String {
    let mut key = String::new();
    if let Some(group) = group.filter(|group| !group.is_empty()) {
        key.push_str(group);
        key.push('/');
    }
    key.push_str(interface.unwrap_or_default());
    if let Some(version) = version.filter(|version| !version.is_empty()) {
        key.push(':');
        key.push_str(version);
    }
    key
}

fn service_key(consumer: &Url) -> String {
    key_of(
        consumer.group(),
        consumer.service_interface(),
        consumer.version(),
    )
}

/// What each reference of the consumer has once everything was told.
///
/// The consumers are URLs with the protocol that they ask for, or `consumer` when they ask for none; 2.7 takes `dubbo`
/// then.
pub fn references(situation: &Situation<'_>, consumers: &[Url]) -> Answer {
    if situation.line.is_3x() {
        listener::references(situation, consumers)
    } else {
        old::references(situation, consumers)
    }
}
