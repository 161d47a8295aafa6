//! The URL of an address as Dubbo asks it for parameters once consumer and rules have had their say.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::model::address::Address;
use crate::model::matching::Terms;
use crate::model::service_key::ServiceKey;
use crate::model::url::{Url, is_true};

/// A provider's URL with the layers above it.
///
/// 2.x merges consumer and rules into the provider's URL: there is one layer. 3.x keeps the provider's URL and asks
/// the rules first, then the consumer, then the provider (`DubboServiceAddressURL`, `ServiceAddressURL`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceUrl {
    own: Arc<Url>,
    consumer: Option<Arc<Url>>,
    rules: Option<Url>,
    /// Application of the provider, where the consumer's parameters lie over its own.
    instance_of: Option<String>,
}

impl ServiceUrl {
    /// A URL in which everything is merged already.
    pub(super) fn merged(url: Url) -> Self {
        Self {
            own: Arc::new(url),
            consumer: None,
            rules: None,
            instance_of: None,
        }
    }

    /// A provider's URL below its consumer's.
    pub(super) fn layered(url: Url, consumer: Arc<Url>) -> Self {
        Self {
            own: Arc::new(url),
            consumer: Some(consumer),
            rules: None,
            instance_of: None,
        }
    }

    /// The provider's URL: in 2.x with everything merged in.
    pub fn own(&self) -> &Url {
        &self.own
    }

    pub(super) fn own_mut(&mut self) -> &mut Url {
        Arc::make_mut(&mut self.own)
    }

    /// What rules wrote, in 3.x once there was any rule.
    pub fn rules(&self) -> Option<&Url> {
        self.rules.as_ref()
    }

    /// Lays a parameter of the consumer over the provider's, where the provider's does not win.
    pub(in crate::view) fn overlay(&mut self, name: &str, value: &str) {
        let is_providers = super::merge::PROVIDER_FIRST.contains(&name)
            || matches!(name, "group" | "version") && self.own.parameters.contains_key(name);
        if !is_providers {
            let parameters = &mut self.own_mut().parameters;
            parameters.insert(name.to_owned(), value.to_owned());
        }
    }

    /// Lays all parameters of the consumer over the provider's, as rules of 3.0 and 3.1 see an address at application level
    /// (`InstanceAddressURL.getParameters`).
    pub(in crate::view) fn lay_over(&mut self, consumer: &Url) {
        let above = consumer.parameters.iter();
        let above =
            above.filter(|(name, _)| !super::merge::PROVIDER_FIRST.contains(&name.as_str()));
        let above: Vec<_> = above
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        self.instance_of = self.own.parameter("application").map(str::to_owned);
        self.own_mut().parameters.extend(above);
    }

    /// Application of the provider, where the consumer's parameters lie over its own.
    pub(super) fn instance_of(&self) -> Option<&str> {
        self.instance_of.as_deref()
    }

    pub(super) fn set_rules(&mut self, rules: Url) {
        self.rules = Some(rules);
    }

    /// The consumer's URL that lies above the provider's, in 3.x.
    pub fn consumer(&self) -> Option<&Url> {
        self.consumer.as_deref()
    }

    /// The parameter that is in force (`URL.getParameter(key)`).
    ///
    /// 3.x: `group`, `version` and `application` are the provider's (until a rule, or the mere presence of rules,
    /// sets the application), `side` the consumer's, `category` is `providers`; an empty value gives way to the next layer.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let Some(consumer) = &self.consumer else {
            return self.own.parameter(name);
        };
        if let Some(value) = self.rules.as_ref().and_then(|rules| rules.text(name)) {
            return Some(value);
        }
        match name {
            "group" | "version" | "application" => self.own.parameter(name),
            "side" => consumer.parameter(name),
            "category" => Some("providers"),
            _ => consumer.text(name).or_else(|| self.own.parameter(name)),
        }
    }

    /// As [`Self::parameter`]; an empty value counts as absent.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.parameter(name).filter(|value| !value.is_empty())
    }

    /// As [`Self::text`], read as `URL.getParameter(key, boolean)` does.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.text(name).map_or(default, is_true)
    }

    /// Every parameter that any layer names, with the value in force.
    pub fn parameters(&self) -> BTreeMap<&str, &str> {
        let layers = [
            Some(&*self.own),
            self.consumer.as_deref(),
            self.rules.as_ref(),
        ];
        let names = layers
            .into_iter()
            .flatten()
            .flat_map(|url| url.parameters.keys());
        names
            .filter_map(|name| Some((name.as_str(), self.parameter(name)?)))
            .collect()
    }

    /// Whether some method has a value of its own for this parameter (`URL.getAnyMethodParameter` is not null).
    pub(super) fn any_method_has(&self, name: &str) -> bool {
        let above = [self.rules.as_ref(), self.consumer.as_deref()];
        above
            .into_iter()
            .flatten()
            .any(|url| any_method_value(url, name).is_some_and(|v| !v.is_empty()))
            || any_method_value(&self.own, name).is_some()
    }

    /// The path: the provider's, if empty the consumer's.
    pub fn path(&self) -> Option<&str> {
        let own = self.own.path.as_deref();
        match &self.consumer {
            Some(consumer) if own.is_none_or(str::is_empty) => consumer.path.as_deref(),
            _ => own,
        }
    }

    /// The interface: the consumer's in 3.x, whatever the provider says.
    pub fn service_interface(&self) -> Option<&str> {
        self.consumer
            .as_deref()
            .unwrap_or(&self.own)
            .service_interface()
    }

    /// Interface, and the provider's group and version.
    pub fn service(&self) -> ServiceKey {
        let interface = self.service_interface().unwrap_or_default();
        ServiceKey::new(self.own.group(), interface, self.own.version())
    }

    /// Host and port; none without a host or with a port that TCP does not have.
    pub fn socket(&self) -> Option<Address> {
        self.own.socket()
    }

    /// What the registry's filter compares. In 3.x these are merged values already, so that the consumer's
    /// `enabled` and `classifier` hide the provider's, and interface and category always fit.
    pub(super) fn terms(&self) -> Terms<'_> {
        Terms {
            interface: self.service_interface(),
            category: self.parameter("category"),
            enabled: self.parameter("enabled"),
            group: self.own.group(),
            version: self.own.version(),
            classifier: self.parameter("classifier"),
        }
    }

    fn counted(&self, timestamp: bool) -> impl Iterator<Item = (&str, &str)> {
        let own = self.own.parameters.iter();
        own.map(move |(name, value)| match name.as_str() {
            "timestamp" if !timestamp => ("timestamp", ""),
            name => (name, value.as_str()),
        })
    }
}

/// URLs that can be asked for one that is the same (`URL.equals`): the consumer does not count, it is the same for all,
/// and the timestamp only where it is said.
#[derive(Debug)]
pub(super) struct Known<T> {
    timestamp: bool,
    buckets: BTreeMap<u64, Vec<(ServiceUrl, T)>>,
}

impl<T> Known<T> {
    pub(super) fn new(timestamp_counts: bool) -> Self {
        Self {
            timestamp: timestamp_counts,
            buckets: BTreeMap::new(),
        }
    }

    pub(super) fn find(&self, url: &ServiceUrl) -> Option<&(ServiceUrl, T)> {
        let bucket = self.buckets.get(&self.fingerprint(url))?;
        bucket.iter().find(|(known, _)| self.is_same(known, url))
    }

    pub(super) fn insert(&mut self, url: ServiceUrl, with: T) {
        self.buckets
            .entry(self.fingerprint(&url))
            .or_default()
            .push((url, with));
    }

    fn is_same(&self, one: &ServiceUrl, other: &ServiceUrl) -> bool {
        let (a, b) = (&*one.own, &*other.own);
        let rules = |url: &'_ ServiceUrl| url.rules.as_ref().map(|rules| rules.parameters.clone());
        a.host == b.host
            && a.port == b.port
            && a.path == b.path
            && a.protocol == b.protocol
            && a.username == b.username
            && a.password == b.password
            && one
                .counted(self.timestamp)
                .eq(other.counted(self.timestamp))
            && rules(one) == rules(other)
    }

    fn fingerprint(&self, url: &ServiceUrl) -> u64 {
        let mut hasher = DefaultHasher::new();
        (
            &url.own.host,
            url.own.port,
            &url.own.path,
            &url.own.protocol,
        )
            .hash(&mut hasher);
        url.counted(self.timestamp)
            .for_each(|pair| pair.hash(&mut hasher));
        hasher.finish()
    }
}

/// The value of `method.name` for any method; when the URL lists `methods`, of the first of them that has text.
fn any_method_value<'a>(url: &'a Url, name: &str) -> Option<&'a str> {
    let mut values = url.parameters.iter().filter_map(|(key, value)| {
        let (method, rest) = key.split_once('.')?;
        (rest == name).then_some((method, value.as_str()))
    });
    match url.text("methods") {
        None => values.next().map(|(_, value)| value),
        Some(methods) => {
            let listed: Vec<_> = methods.split(',').collect();
            values
                .find(|(method, value)| listed.contains(method) && !value.is_empty())
                .map(|(_, v)| v)
        }
    }
}
