//! From registry entries to the provider URLs that are notified: what the registry client of a consumer does.
//!
//! 2.x: `ZookeeperRegistry.toUrlsWithEmpty`. 3.x: `CacheableFailbackRegistry.toUrlsWithEmpty`, which ZooKeeper and
//! Nacos share.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::merge::without_provider_first;
use super::service_url::ServiceUrl;
use super::{Drop, EntryId, NotifyError, Subscription};
use crate::model::matching::{Terms, is_match, mismatches};
use crate::model::url::{Entry, Url};
use crate::model::version::Line;

/// `://` as `URLEncoder` writes it; entries without it are no URLs. Other spellings (`%3a%2f%2f`) do not count.
const ENCODED_SEPARATOR: &str = "%3A%2F%2F";

/// What the registry client makes of the entries of `providers`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notified {
    /// What passes the filter.
    pub kept: Vec<(EntryId, ServiceUrl)>,
    /// What does not, and why; the URL where it could be read.
    pub dropped: Vec<(EntryId, Option<ServiceUrl>, Drop)>,
    /// Nothing passes, and `empty://` is notified in its place. (Else nothing is notified.)
    pub empty: bool,
}

/// Filters the entries of `providers`.
pub(super) fn providers(
    entries: &[&str],
    subscription: &Subscription,
    subscribed: &Url,
) -> Result<Notified, NotifyError> {
    let mut filtered = if subscription.version.line().is_3x() {
        layered(entries, subscription, subscribed)?
    } else {
        plain(entries, subscription, subscribed)?
    };
    filtered.empty = filtered.kept.is_empty() && !subscription.protects_from_empty();
    Ok(filtered)
}

fn plain(
    entries: &[&str],
    subscription: &Subscription,
    subscribed: &Url,
) -> Result<Notified, NotifyError> {
    let mut filtered = Notified::default();
    for (place, entry) in entries.iter().enumerate() {
        if !is_url(entry, subscription) {
            filtered
                .dropped
                .push((EntryId::provider(place), None, Drop::NotAUrl));
            continue;
        }
        let url = Entry::parse(entry, &subscription.version)
            .map_err(|error| NotifyError::Entry { place, error })?
            .url;
        let failed = mismatches(&Terms::from(subscribed), &Terms::from(&url));
        if failed.is_empty() {
            filtered
                .kept
                .push((EntryId::provider(place), ServiceUrl::merged(url)));
        } else {
            filtered.dropped.push((
                EntryId::provider(place),
                Some(ServiceUrl::merged(url)),
                Drop::Mismatch(failed),
            ));
        }
    }
    Ok(filtered)
}

/// Before 2.7.7 the separator is looked for in the decoded text.
fn is_url(entry: &str, subscription: &Subscription) -> bool {
    if subscription.version.at_least([2, 7, 7]) {
        entry.contains(ENCODED_SEPARATOR)
    } else {
        let entry = entry.to_ascii_uppercase();
        ["%3A", ":"].iter().any(|colon| {
            ["%2F%2F", "%2F/", "/%2F", "//"]
                .iter()
                .any(|slashes| entry.contains(&format!("{colon}{slashes}")))
        })
    }
}

fn layered(
    entries: &[&str],
    subscription: &Subscription,
    subscribed: &Url,
) -> Result<Notified, NotifyError> {
    let consumer = Arc::new(without_provider_first(subscribed));
    let mut filtered = Notified::default();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (place, entry) in entries.iter().enumerate() {
        let entry = strip_variables(entry);
        if let Some(&of) = seen.get(&entry) {
            filtered.dropped.push((
                EntryId::provider(place),
                None,
                Drop::Repeated(EntryId::provider(of)),
            ));
            continue;
        }
        let read = Entry::parse(&entry, &subscription.version)
            .map_err(|error| NotifyError::Entry { place, error })?;
        seen.insert(entry, place);
        let mut url = ServiceUrl::layered(read.url, Arc::clone(&consumer));
        if !read.bare {
            url.own_mut()
                .parameters
                .insert("check".to_owned(), "false".to_owned());
            let failed = mismatches(&Terms::from(&*consumer), &url.terms());
            if !failed.is_empty() {
                filtered.dropped.push((
                    EntryId::provider(place),
                    Some(url),
                    Drop::Mismatch(failed),
                ));
                continue;
            }
        }
        filtered.kept.push((EntryId::provider(place), url));
    }
    Ok(filtered)
}

/// One entry of `providers`, read as by the registry client but not filtered.
pub(super) fn read(
    entry: &str,
    subscription: &Subscription,
    subscribed: &Url,
) -> Result<ServiceUrl, NotifyError> {
    let place = 0;
    let layered = subscription.version.line().is_3x();
    let text = if layered {
        strip_variables(entry)
    } else {
        entry.to_owned()
    };
    let read = Entry::parse(&text, &subscription.version)
        .map_err(|error| NotifyError::Entry { place, error })?;
    if !layered {
        return Ok(ServiceUrl::merged(read.url));
    }
    let consumer = Arc::new(without_provider_first(subscribed));
    let mut url = ServiceUrl::layered(read.url, consumer);
    if !read.bare {
        url.own_mut()
            .parameters
            .insert("check".to_owned(), "false".to_owned());
    }
    Ok(url)
}

/// `CacheableFailbackRegistry.stripOffVariableKeys`: cuts `timestamp` and `pid` out of the text, so that entries equal
/// apart from them become one. The first place where the letters occur is cut, also inside a longer name (`rapid`).
fn strip_variables(entry: &str) -> String {
    const AND: &str = "%26";
    let mut entry = entry.to_owned();
    for key in ["timestamp%3D", "pid%3D"] {
        if let Some(start) = entry.find(key) {
            let rest = entry[start..]
                .find(AND)
                .map(|at| entry[start + at + AND.len()..].to_owned());
            entry.truncate(start);
            entry.push_str(rest.as_deref().unwrap_or_default());
        }
    }
    for end in [AND, "%3F"] {
        if let Some(shorter) = entry.strip_suffix(end) {
            entry.truncate(shorter.len());
        }
    }
    entry
}

/// Filters the entries of `configurators`. Nothing left is told by `empty://`, which clears the rules.
pub(super) fn configurators(
    entries: &[&str],
    subscription: &Subscription,
    subscribed: &Url,
) -> Result<Vec<(Option<EntryId>, Url)>, NotifyError> {
    let mut urls = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        if !is_url(entry, subscription) {
            continue;
        }
        let url = Url::parse_encoded(entry, &subscription.version)
            .map_err(|error| NotifyError::Configurator { place, error })?;
        let offered = Terms::from(&url);
        // Only from 2.7 on an interface `*` is one of every name (`UrlUtils.isMatch`).
        let is_known = offered.interface != Some("*") || subscription.version.at_least([2, 7]);
        if is_known && is_match(&Terms::from(subscribed), &offered).is_ok() {
            urls.push((Some(EntryId::configurator(place)), url));
        }
    }
    if urls.is_empty() {
        urls.push((None, empty_word(subscribed, "configurators")));
    }
    Ok(urls)
}

/// `empty://`: how a registry client says that a category has nothing.
pub(super) fn empty_word(subscribed: &Url, category: &str) -> Url {
    let mut word = subscribed.clone();
    word.protocol = Some("empty".to_owned());
    word.parameters
        .insert("category".to_owned(), category.to_owned());
    word
}

impl Subscription {
    /// Whether an empty list is held back (`enable-empty-protection` of the registry): the default is yes in 3.0.5 to
    /// 3.1, no from 3.2; 2.x and older 3.0 do not know it.
    pub fn protects_from_empty(&self) -> bool {
        self.version.at_least([3, 0, 5])
            && self
                .registry
                .flag("enable-empty-protection", self.version.line() <= Line::V3_1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn variables_are_cut_where_their_letters_stand() {
        for (entry, left) in [
            ("a%3Ftimestamp%3D1%26pid%3D2%26x%3D3", "a%3Fx%3D3"),
            ("a%3Fx%3D3%26pid%3D2", "a%3Fx%3D3"),
            ("a%3Ftimestamp%3D1", "a"),
            ("a%3Frapid%3D1%26pid%3D2", "a%3Frapid%3D2"),
            ("a%3Fx%3D1", "a%3Fx%3D1"),
        ] {
            assert_eq!(strip_variables(entry), left, "{entry}");
        }
    }

    proptest! {
        #[test]
        fn stripping_never_panics(entry in "(timestamp%3D|pid%3D|%26|%3F|x|中){0,8}") {
            let _ = strip_variables(&entry);
        }
    }
}
