//! What a notification does to the directory: `RegistryDirectory.notify`, `refreshInvoker` and `toInvokers`.

use super::merge::merge_2x;
use super::registry::{self, Filtered};
use super::service_url::Known;
use super::{Directory, Drop, EntryId, Notification, NotifyError, Rules, ServiceUrl, Support};
use crate::model::url::Url;
use crate::rule::override_url::{Configurator, Place, configurators};

/// An address that calls can choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invoker {
    /// Its entry, in the notification that brought it.
    pub entry: Option<EntryId>,
    /// Its URL with everything merged. In 3.3 `preferred.protocol` may have changed its protocol.
    pub url: ServiceUrl,
}

/// What became of one provider URL.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// It is an invoker.
    Kept(ServiceUrl),
    /// It is not; the URL where the entry could be read.
    Dropped(Option<Url>, Drop),
}

/// What a notification did as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The invokers are those of this notification.
    Refreshed,
    /// No invokers, and calls are refused outright.
    Forbidden,
    /// Provider URLs came, none became an invoker, and **the invokers from before stay** (error 3-1).
    KeptPrevious,
    /// Nothing to do: no provider URL was notified, and none is remembered.
    Nothing,
}

/// What a notification did.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// As a whole.
    pub outcome: Outcome,
    /// Its provider URLs, by entry.
    pub fates: Vec<(EntryId, Fate)>,
    /// The provider URLs of an earlier notification that were looked at again, since this one brought none.
    pub remembered: Vec<(EntryId, Fate)>,
    /// The registry client sent `empty://` in place of providers.
    pub sent_empty: bool,
}

type Fates = Vec<(EntryId, Fate)>;
type Urls = Vec<(Option<EntryId>, ServiceUrl)>;

impl Directory {
    /// What the registry tells. On an error the state is what the real code leaves behind.
    pub fn notify(&mut self, notification: Notification<'_>) -> Result<Notice, NotifyError> {
        let Filtered {
            kept,
            dropped,
            empty: sent_empty,
        } = match notification.providers {
            Some(entries) => registry::providers(entries, &self.subscription, &self.subscribed)?,
            None => Filtered::default(),
        };
        let rule_urls = match notification.configurators {
            Some(entries) => {
                registry::configurators(entries, &self.subscription, &self.subscribed)?
            }
            None => Vec::new(),
        };
        let mut fates: Fates = dropped
            .into_iter()
            .map(|(entry, url, drop)| (entry, Fate::Dropped(url, drop)))
            .collect();
        let notified = kept.into_iter().map(|(entry, url)| (Some(entry), url));
        let word = sent_empty.then(|| {
            (
                None,
                ServiceUrl::merged(registry::empty_word(&self.subscribed, "providers")),
            )
        });
        let rule_urls = rule_urls
            .into_iter()
            .map(|(entry, url)| (entry, ServiceUrl::merged(url)));
        let (providers, rules) = split(notified.chain(word).chain(rule_urls), &mut fates);
        if let Some(rules) = configurators(rules, &self.subscription.version)? {
            self.registry_rules = rules;
        }
        self.configure_own_url()?;
        let mut remembered = Vec::new();
        let outcome = if is_empty_word(&providers) {
            drop_each(providers, |_| Drop::Empty, &mut fates);
            self.forbid();
            Outcome::Forbidden
        } else if providers.is_empty() {
            self.refresh(providers, &mut remembered)?
        } else {
            self.refresh(providers, &mut fates)?
        };
        fates.sort_by_key(|(entry, _)| *entry);
        remembered.sort_by_key(|(entry, _)| *entry);
        Ok(Notice {
            outcome,
            fates,
            remembered,
            sent_empty,
        })
    }

    /// What the config centre tells: the remembered provider URLs are looked at again under other rules.
    pub fn set_rules(&mut self, rules: Rules) -> Result<Notice, NotifyError> {
        self.rules = rules;
        self.configure_own_url()?;
        let mut remembered = Vec::new();
        let outcome = self.refresh(Vec::new(), &mut remembered)?;
        remembered.sort_by_key(|(entry, _)| *entry);
        Ok(Notice {
            outcome,
            fates: Vec::new(),
            remembered,
            sent_empty: false,
        })
    }

    fn forbid(&mut self) {
        self.forbidden = true;
        self.invokers.clear();
        self.remembered = None;
    }

    /// `refreshInvoker` for anything but `empty://`.
    fn refresh(&mut self, mut urls: Urls, fates: &mut Fates) -> Result<Outcome, NotifyError> {
        if self.traits.allows_first {
            self.forbidden = false;
        }
        match &self.remembered {
            Some(remembered) if urls.is_empty() => urls.clone_from(remembered),
            _ if urls.is_empty() && !self.traits.remembers_nothing => {}
            _ => self.remembered = Some(urls.clone()),
        }
        if urls.is_empty() {
            return Ok(Outcome::Nothing);
        }
        self.forbidden = false;
        if self.traits.distinct {
            urls = distinct(urls, fates);
        }
        let invokers = self.refer(urls, fates)?;
        if invokers.is_empty() {
            return Ok(Outcome::KeptPrevious);
        }
        self.invokers = invokers;
        Ok(Outcome::Refreshed)
    }

    /// `toInvokers`.
    fn refer(&mut self, urls: Urls, fates: &mut Fates) -> Result<Vec<Invoker>, NotifyError> {
        let mut before = Known::default();
        for old in &self.invokers {
            before.insert(old.url.clone(), ());
        }
        let mut invokers: Vec<Invoker> = Vec::with_capacity(urls.len());
        // a repeated URL is left out, even if the first one was switched off
        let mut merged: Known<Option<EntryId>> = Known::default();
        for (entry, notified) in urls {
            if let Some(drop) = self.protocol_problem(&notified)? {
                drop_each([(entry, notified)], |_| drop.clone(), fates);
                continue;
            }
            let mut url = self.merge(notified)?;
            if let Some((_, Some(of))) = merged.find(&url) {
                drop_each([(entry, url)], |_| Drop::Duplicate(*of), fates);
                continue;
            }
            merged.insert(url.clone(), entry);
            if let Some((old, ())) = before.find(&url) {
                // the invoker of an equal URL is used again, with the URL it has
                url = old.clone();
            } else if let Some(drop) = switched_off(&url) {
                drop_each([(entry, url)], |_| drop.clone(), fates);
                continue;
            }
            fates.extend(entry.map(|entry| (entry, Fate::Kept(url.clone()))));
            invokers.push(Invoker { entry, url });
        }
        Ok(invokers)
    }

    /// `checkProtocolValid`.
    fn protocol_problem(&self, url: &ServiceUrl) -> Result<Option<Drop>, NotifyError> {
        let protocol = url.own().protocol.as_deref().unwrap_or_default();
        if let Some(asked) = self.query.get("protocol").filter(|asked| !asked.is_empty())
            && !asked.split(',').any(|item| item == protocol)
        {
            return Ok(Some(Drop::Protocol {
                asked: asked.clone(),
            }));
        }
        if protocol == "empty" {
            return Ok(Some(Drop::Empty));
        }
        if protocol.is_empty() {
            return Err(NotifyError::NoProtocol);
        }
        Ok(match self.subscription.protocols.support(protocol) {
            Support::Yes => None,
            other => Some(Drop::UnsupportedProtocol(other)),
        })
    }

    /// `mergeUrl`, then the protocol in force.
    fn merge(&mut self, notified: ServiceUrl) -> Result<ServiceUrl, NotifyError> {
        let mut url = if self.traits.layers {
            self.configure_layered(notified)?
        } else {
            let mut merged = merge_2x(notified.own(), &self.query, &self.subscription.version);
            self.configure_plain(&mut merged)?;
            merged
                .parameters
                .insert("check".to_owned(), "false".to_owned());
            ServiceUrl::merged(merged)
        };
        if self.traits.own_url_absorbs {
            for (name, value) in &url.own().parameters {
                if !(self.traits.tag_not_absorbed && name == "dubbo.tag") {
                    let slot = self.own_url.parameters.entry(name.clone());
                    slot.or_insert_with(|| value.clone());
                }
            }
        }
        if let Some(name) = self.traits.mock_removes
            && (url.text("mock").is_some() || url.any_method_has("mock"))
            && url.own().parameters.contains_key(name)
        {
            url.own_mut().parameters.remove(name);
        }
        let is_dubbo = url.own().protocol.as_deref() == Some("dubbo");
        if is_dubbo
            && url.path().is_none_or(str::is_empty)
            && let Some(path) = self.own_path()
        {
            url.own_mut().path = Some(path);
        }
        let protocol = self.effective_protocol(&url);
        if url.own().protocol.as_ref() != Some(&protocol) {
            url.own_mut().protocol = Some(protocol);
        }
        Ok(url)
    }

    /// The path of a provider of Dubbo 1.0, which has none: the interface without group and version.
    fn own_path(&self) -> Option<String> {
        let interface = if self.traits.layers {
            self.own_url.service_interface()
        } else {
            self.query.get("interface").map(String::as_str)
        }?;
        let path = interface
            .split_once('/')
            .map_or(interface, |(_, rest)| rest);
        let path = path.rsplit_once(':').map_or(path, |(rest, _)| rest);
        Some(path.trim_start_matches('/').to_owned())
    }

    /// `getEffectiveProtocol` (3.3).
    fn effective_protocol(&self, url: &ServiceUrl) -> String {
        let own = url.own().protocol.as_deref().unwrap_or_default();
        if !self.traits.preferred_protocol {
            return own.to_owned();
        }
        let preferred = url.text("preferred.protocol").unwrap_or(own);
        let asked = self.query.get("protocol").filter(|asked| !asked.is_empty());
        let Some(asked) = asked.and_then(|asked| asked.split(',').next()) else {
            return preferred.to_owned();
        };
        let effective = if asked == preferred {
            preferred
        } else if asked == own {
            own
        } else {
            let extra = url.text("ext.protocol").unwrap_or_default();
            let has = |name: &str| extra.split(',').any(|item| item.eq_ignore_ascii_case(name));
            if !extra.is_empty() && has(asked) {
                asked
            } else {
                preferred
            }
        };
        effective.to_owned()
    }

    /// All rules in the order in which they are applied; the last one wins.
    fn all_rules(&self) -> impl Iterator<Item = &Configurator> {
        self.registry_rules
            .iter()
            .chain(&self.rules.application)
            .chain(&self.rules.service)
    }

    fn place(&self) -> Place<'_> {
        Place {
            version: &self.subscription.version,
            local_host: &self.subscription.local_host,
        }
    }

    fn configure_plain(&self, url: &mut Url) -> Result<(), NotifyError> {
        for rule in self.all_rules() {
            let _ = rule.configure(url, self.place())?;
        }
        Ok(())
    }

    /// 3.x: rules see and fill a URL of their own, with the consumer's application and side (3.3: also group and version).
    fn configure_layered(&self, mut url: ServiceUrl) -> Result<ServiceUrl, NotifyError> {
        if self.all_rules().next().is_none() {
            return Ok(url);
        }
        let mut seen = Url {
            path: url.path().map(str::to_owned),
            ..url.own().clone()
        };
        seen.parameters.clear();
        let consumer = &self.subscribed;
        let mut fields = vec![
            ("application", consumer.text("application")),
            ("side", consumer.text("side")),
        ];
        if self.traits.rules_see_key {
            fields.push(("group", url.own().group()));
            fields.push(("version", url.own().version()));
        }
        for (name, value) in fields {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                seen.parameters.insert(name.to_owned(), value.to_owned());
            }
        }
        self.configure_plain(&mut seen)?;
        url.set_rules(seen);
        Ok(url)
    }

    fn configure_own_url(&mut self) -> Result<(), NotifyError> {
        if self.traits.own_url_configured {
            let mut url = self.original_url();
            self.configure_plain(&mut url)?;
            self.own_url = url;
        }
        Ok(())
    }
}

fn drop_each(
    urls: impl IntoIterator<Item = (Option<EntryId>, ServiceUrl)>,
    why: impl Fn(&ServiceUrl) -> Drop,
    fates: &mut Fates,
) {
    for (entry, url) in urls {
        let drop = why(&url);
        fates.extend(entry.map(|entry| (entry, Fate::Dropped(Some(url.own().clone()), drop))));
    }
}

/// Tells providers from rules (`judgeCategory`); what is neither is dropped, and so are copies of rules for old
/// consumers, which `compatible_config` marks.
fn split(
    urls: impl IntoIterator<Item = (Option<EntryId>, ServiceUrl)>,
    fates: &mut Fates,
) -> (Urls, Vec<Url>) {
    let (mut providers, mut rules) = (Vec::new(), Vec::new());
    for (entry, url) in urls {
        let protocol = url.own().protocol.as_deref();
        let category = url.text("category").unwrap_or("providers");
        let is_copy = url.text("compatible_config").is_some();
        let is_rule = protocol == Some("override") || category == "configurators";
        let is_route = protocol == Some("route") || category == "routers";
        if !is_copy && !is_rule && !is_route && category == "providers" {
            providers.push((entry, url));
            continue;
        }
        if is_rule && !is_copy {
            rules.push(url.own().clone());
        }
        if entry.is_some_and(|entry| !entry.among_configurators) {
            drop_each([(entry, url)], |_| Drop::NotAProvider, fates);
        }
    }
    (providers, rules)
}

/// Exactly one URL, and it is `empty://`.
fn is_empty_word(providers: &Urls) -> bool {
    matches!(providers.as_slice(), [(_, only)] if only.own().protocol.as_deref() == Some("empty"))
}

fn distinct(urls: Urls, fates: &mut Fates) -> Urls {
    let mut known: Known<Option<EntryId>> = Known::default();
    let mut out = Vec::with_capacity(urls.len());
    for (entry, url) in urls {
        match known.find(&url) {
            Some((_, Some(of))) => drop_each([(entry, url)], |_| Drop::Duplicate(*of), fates),
            Some((_, None)) => {}
            None => {
                known.insert(url.clone(), entry);
                out.push((entry, url));
            }
        }
    }
    out
}

/// Whether a merged URL is switched off: `disabled`, if it has text, else `enabled`.
fn switched_off(url: &ServiceUrl) -> Option<Drop> {
    if url.text("disabled").is_some() {
        url.flag("disabled", false).then_some(Drop::Disabled)
    } else {
        (!url.flag("enabled", true)).then_some(Drop::NotEnabled)
    }
}
