//! One address as the routers see it.
//!
//! Dubbo asks an address in four ways that do not agree: the map that conditions look at, `getParameter` (where the
//! consumer's values and configurators may lie on top), the original parameter that `match` of tag rules reads, and
//! the labels of mesh rules. Which is which depends on the line; what an address answers is decided here only.

use std::borrow::Cow;

use super::AddressList;
use super::set::AddressSet;
use crate::model::url::Url;
use crate::rule::ip_expression::set::IpSet;

/// An address that can be routed.
pub trait Provider {
    /// The address itself: protocol, host, port, path, and the parameters that conditions see
    /// (`toMap` up to 3.1, `toOriginalMap` from 3.2).
    fn url(&self) -> &Url;

    /// `getPath`, which may come from the consumer.
    fn path(&self) -> Option<&str> {
        self.url().path.as_deref()
    }

    /// `getParameter(key)`: with everything that lies on top.
    fn parameter(&self, key: &str) -> Option<&str>;

    /// `getOriginalParameter(key)`, for `match` of tag rules.
    fn original_parameter(&self, key: &str) -> Option<&str>;

    /// The provider's application (`getRemoteApplication`, 2.7 `remote.application`).
    fn remote_application(&self) -> Option<&str>;

    /// What a condition compares under `key`.
    fn sample(&self, key: &str) -> Option<Cow<'_, str>> {
        sample(self.url(), self.path(), key)
    }
}

/// `URL.toMap().get(key)`: the parts of the URL hide parameters of their names. `address` is taken from the URL by all
/// lines (2.7 to 3.1 in the router, later in the map).
pub fn sample<'a>(url: &'a Url, path: Option<&'a str>, key: &str) -> Option<Cow<'a, str>> {
    let part = match key {
        "protocol" => url.protocol.as_deref().map(Cow::Borrowed),
        "username" => url.username.as_deref().map(Cow::Borrowed),
        "password" => url
            .password
            .as_ref()
            .map(|secret| Cow::Borrowed(secret.expose())),
        "host" => url.host.as_deref().map(Cow::Borrowed),
        "port" => (url.port > 0).then(|| Cow::Owned(url.port.to_string())),
        "path" => path.map(Cow::Borrowed),
        "address" => url.address().map(Cow::Owned),
        _ => None,
    };
    part.or_else(|| url.parameter(key).map(Cow::Borrowed))
}

/// `URL.getRawParameter(key)`: what `$key` means, asked of the consumer. A part of the URL that is missing is missing,
/// whatever the parameters say.
pub fn raw_parameter<'a>(url: &'a Url, key: &str) -> Option<Cow<'a, str>> {
    match key {
        "protocol" => url.protocol.as_deref().map(Cow::Borrowed),
        "username" => url.username.as_deref().map(Cow::Borrowed),
        "password" => url
            .password
            .as_ref()
            .map(|secret| Cow::Borrowed(secret.expose())),
        "host" => url.host.as_deref().map(Cow::Borrowed),
        "port" => Some(Cow::Owned(url.port.to_string())),
        "path" => url.path.as_deref().map(Cow::Borrowed),
        _ => url.parameter(key).map(Cow::Borrowed),
    }
}

/// `checkAddressMatch` for a whole list: an expression that fails on an address is logged and passed over.
pub(super) fn fitting(list: &AddressList, texts: &[&String]) -> AddressSet {
    fitting_among(&AddressSet::all(list.len()), list, texts)
}

/// The same for some addresses of a list.
pub(super) fn fitting_among(
    some: &AddressSet,
    list: &AddressList,
    texts: &[&String],
) -> AddressSet {
    let expressions = IpSet::new(texts.iter().map(|text| text.as_str()));
    AddressSet::filter(list.len(), |place| {
        let url = list.providers[place].url();
        some.contains(place) && expressions.fits(url.host.as_deref(), url.port)
    })
}

/// Whether an address of a list is one of the own host.
pub(super) fn is_loopback(list: &AddressList, address: usize) -> bool {
    let host = list.providers[address].url().host.as_deref();
    host.is_some_and(|host| host.starts_with("127."))
}
