//! Configurators in the order in which they are applied, found by their host: a document may list a hundred thousand
//! hosts, and a URL is concerned by those of its own only. Mirrors `Configurator.toConfigurators` and `compareTo`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

use super::configurator::ConditionMatch;
use super::override_url::{ANY_HOST, Configurator, ConfiguratorError, Place};
use crate::model::url::{Url, parse_int};
use crate::model::version::{DubboVersion, Line};

/// The rules of one notification or document. Copies share them.
#[derive(Debug, Clone, Default)]
pub struct Configurators(Arc<Ordered>);

#[derive(Debug, Default)]
struct Ordered {
    rules: Vec<Configurator>,
    by_host: BTreeMap<String, Vec<usize>>,
}

impl From<Vec<Configurator>> for Configurators {
    fn from(rules: Vec<Configurator>) -> Self {
        let mut by_host: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, rule) in rules.iter().enumerate() {
            if let Some(host) = &rule.url().host {
                by_host.entry(host.clone()).or_default().push(place);
            }
        }
        Self(Arc::new(Ordered { rules, by_host }))
    }
}

impl Deref for Configurators {
    type Target = [Configurator];

    fn deref(&self) -> &Self::Target {
        &self.0.rules
    }
}

impl<'a> IntoIterator for &'a Configurators {
    type Item = &'a Configurator;
    type IntoIter = std::slice::Iter<'a, Configurator>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.rules.iter()
    }
}

impl PartialEq for Configurators {
    fn eq(&self, other: &Self) -> bool {
        self.0.rules == other.0.rules
    }
}

impl Eq for Configurators {}

impl Configurators {
    /// Changes the URL by every rule that applies to it, one after the other.
    ///
    /// # Errors
    /// The real code throws at a rule: nothing of the notification counts then.
    pub fn configure(&self, url: &mut Url, place: Place<'_>) -> Result<(), ConfiguratorError> {
        // A rule is compared with one of three hosts; of others nothing is asked but the side, where a URL without one throws.
        if url.parameter("side").is_none() {
            for rule in &self.0.rules {
                let _ = rule.configure(url, place)?;
            }
            return Ok(());
        }
        let hosts = [Some(ANY_HOST), Some(place.local_host), url.host.as_deref()];
        let concerned: BTreeSet<usize> = hosts
            .into_iter()
            .flatten()
            .filter_map(|host| self.0.by_host.get(host))
            .flatten()
            .copied()
            .collect();
        for place_of_rule in concerned {
            let _ = self.0.rules[place_of_rule].configure(url, place)?;
        }
        Ok(())
    }
}

/// The rules of one notification (`Configurator.toConfigurators`).
///
/// `None` when there is no URL at all: the rules from before stay. `empty://` clears. A URL without parameters
/// (`anyhost` does not count) is left out; in 2.6 it clears what stands before it. Order: by host as text, then by `priority`.
///
/// # Errors
/// A URL is no rule, or the rules cannot be put in order.
pub fn configurators(
    urls: Vec<Url>,
    version: &DubboVersion,
) -> Result<Option<Configurators>, ConfiguratorError> {
    conditioned(urls.into_iter().map(|url| (url, None)).collect(), version)
}

/// As [`configurators`], with the further conditions that a document puts on its URLs.
///
/// # Errors
/// As there.
pub fn conditioned(
    urls: Vec<(Url, Option<ConditionMatch>)>,
    version: &DubboVersion,
) -> Result<Option<Configurators>, ConfiguratorError> {
    if urls.is_empty() {
        return Ok(None);
    }
    let mut rules = Vec::with_capacity(urls.len());
    for (url, condition) in urls {
        if url.protocol.as_deref() == Some("empty") {
            rules.clear();
            break;
        }
        if url.parameters.keys().any(|name| name != "anyhost") {
            rules.push(Configurator::from_url(url)?.on(condition));
        } else if version.line() < Line::V2_7 {
            rules.clear();
        }
    }
    Ok(Some(Configurators::from(sorted(rules)?)))
}

/// By host as Java compares texts, then by priority; equal ones keep their order.
///
/// Whatever way a list is sorted, each rule is compared with its neighbours: a missing host is noticed as soon as there
/// are two rules, a bad priority as soon as two rules have its host.
fn sorted(rules: Vec<Configurator>) -> Result<Vec<Configurator>, ConfiguratorError> {
    if rules.len() < 2 {
        return Ok(rules);
    }
    let mut keyed: Vec<(Vec<u16>, Result<i32, String>, Configurator)> = Vec::new();
    for rule in rules {
        let host = rule
            .url()
            .host
            .as_deref()
            .ok_or(ConfiguratorError::NoHost)?;
        let priority = match rule.url().text("priority") {
            None => Ok(0),
            Some(text) => parse_int(text).ok_or_else(|| text.to_owned()),
        };
        keyed.push((host.encode_utf16().collect(), priority, rule));
    }
    let number = |priority: &Result<i32, String>| *priority.as_ref().unwrap_or(&0);
    keyed.sort_by(|(a, p, _), (b, q, _)| a.cmp(b).then_with(|| number(p).cmp(&number(q))));
    for same in keyed.chunk_by(|(a, ..), (b, ..)| a == b) {
        if same.len() < 2 {
            continue;
        }
        if let Some(text) = same
            .iter()
            .find_map(|(_, priority, _)| priority.clone().err())
        {
            return Err(ConfiguratorError::Priority(text));
        }
    }
    Ok(keyed.into_iter().map(|(.., rule)| rule).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rule(host: &str, priority: &str, value: usize) -> Configurator {
        let text = format!(
            "override://{host}/a.B?category=configurators&side=consumer&weight={value}&priority={priority}"
        );
        let url = Url::parse(&text, &DubboVersion::newest(Line::V2_7)).unwrap();
        Configurator::from_url(url).unwrap()
    }

    #[test]
    fn a_bad_priority_is_noticed_where_two_rules_have_its_host() {
        let names = |rules: &[Configurator]| -> Vec<String> {
            rules
                .iter()
                .filter_map(|it| it.url().host.clone())
                .collect()
        };
        let alone = vec![rule("10.0.0.2", "x", 1), rule("10.0.0.1", "1", 2)];
        assert_eq!(names(&sorted(alone).unwrap()), ["10.0.0.1", "10.0.0.2"]);
        let two = vec![rule("10.0.0.2", "x", 1), rule("10.0.0.2", "1", 2)];
        assert_eq!(
            sorted(two),
            Err(ConfiguratorError::Priority("x".to_owned()))
        );
    }

    proptest! {
        #[test]
        fn what_is_found_by_host_is_what_all_of_them_do(
            rules in prop::collection::vec(("10\\.0\\.0\\.[1-4]|0\\.0\\.0\\.0|192\\.0\\.2\\.1", 0_i32..3), 0..12),
            host in "10\\.0\\.0\\.[1-4]", side in "consumer|provider|"
        ) {
            let version = DubboVersion::newest(Line::V3_3);
            let place = Place { version: &version, local_host: "192.0.2.1" };
            let list: Vec<Configurator> = rules
                .iter()
                .enumerate()
                .map(|(at, (host, priority))| rule(host, &priority.to_string(), at))
                .collect();
            let ordered = Configurators::from(sorted(list).unwrap());
            let side = if side.is_empty() { String::new() } else { format!("&side={side}") };
            let text = format!("dubbo://{host}:20880/a.B?interface=a.B{side}");
            let url = Url::parse(&text, &version).unwrap();
            let (mut found, mut all) = (url.clone(), url);
            let by_host = ordered.configure(&mut found, place);
            let mut one_by_one = Ok(());
            for rule in &ordered {
                if let Err(error) = rule.configure(&mut all, place) {
                    one_by_one = Err(error);
                    break;
                }
            }
            prop_assert_eq!(by_host, one_by_one);
            prop_assert_eq!(found, all);
        }
    }
}
