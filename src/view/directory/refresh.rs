//! What a notification does to the directory: `RegistryDirectory.notify`, `refreshInvoker` and `toInvokers`.

use super::registry::{self, Notified};
use super::service_url::Known;
use super::{Directory, Drop, EntryId, Notification, NotifyError, Rules, ServiceUrl, Support};
use crate::model::url::Url;
use crate::model::version::Line;
use crate::rule::override_order::configurators;

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
    Kept {
        /// As the registry client notified it.
        notified: ServiceUrl,
        /// With everything merged.
        merged: ServiceUrl,
    },
    /// It is not.
    Dropped {
        /// As the registry client read it, if it did.
        url: Option<ServiceUrl>,
        /// Why.
        why: Drop,
    },
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
        let Notified {
            kept,
            dropped: by_registry,
            empty: sent_empty,
        } = match notification.providers {
            Some(entries) => self.notified(entries)?,
            None => Notified::default(),
        };
        let rule_urls = match notification.configurators {
            Some(entries) => {
                registry::configurators(entries, &self.subscription, &self.subscribed)?
            }
            None => Vec::new(),
        };
        let mut fates: Fates = by_registry
            .into_iter()
            .map(|(entry, url, why)| (entry, Fate::Dropped { url, why }))
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
            for (entry, url) in providers {
                dropped(entry, url, Drop::Empty, &mut fates);
            }
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

    /// What the registry client would make of these entries of `providers`.
    pub fn notified(&self, entries: &[&str]) -> Result<Notified, NotifyError> {
        registry::providers(entries, &self.subscription, &self.subscribed)
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
        let mut before = Known::new(self.traits.timestamp_counts);
        for old in &self.invokers {
            before.insert(old.url.clone(), ());
        }
        let mut invokers: Vec<Invoker> = Vec::with_capacity(urls.len());
        // a repeated URL is left out, even if the first one was switched off
        let mut merged = Known::new(self.traits.timestamp_counts);
        for (entry, notified) in urls {
            if let Some(drop) = self.protocol_problem(&notified)? {
                dropped(entry, notified, drop, fates);
                continue;
            }
            let mut url = self.merge(notified.clone())?;
            let known = merged.find(&url).is_some() || before.find(&url).is_some();
            if known && self.cannot_be_compared(&url) {
                return Err(NotifyError::NoApplication);
            }
            if let Some((_, Some(of))) = merged.find(&url) {
                dropped(entry, notified, Drop::Duplicate(*of), fates);
                continue;
            }
            merged.insert(url.clone(), entry);
            if let Some((old, ())) = before.find(&url) {
                // the invoker of an equal URL is used again, with the URL it has
                url = old.clone();
            } else if let Some(drop) = switched_off(&url) {
                dropped(entry, notified, drop, fates);
                continue;
            }
            fates.extend(entry.map(|entry| {
                (
                    entry,
                    Fate::Kept {
                        notified,
                        merged: url.clone(),
                    },
                )
            }));
            invokers.push(Invoker { entry, url });
        }
        Ok(invokers)
    }

    /// The merge gives a provider without `application` a `remote.application` of null, at which `URL.equals` fails.
    pub(super) fn cannot_be_compared(&self, url: &ServiceUrl) -> bool {
        self.traits.needs_application && self.has_null_application(url)
    }

    /// All of 2.7 has that null.
    pub(super) fn has_null_application(&self, url: &ServiceUrl) -> bool {
        self.subscription.version.line() == Line::V2_7
            && !self.query.is_empty()
            && url.own().parameter("remote.application").is_none()
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
}

/// Notes why a notified URL is no invoker; the registry client's own `empty://` has no entry to note it for.
fn dropped(entry: Option<EntryId>, url: ServiceUrl, why: Drop, fates: &mut Fates) {
    fates.extend(entry.map(|entry| {
        (
            entry,
            Fate::Dropped {
                url: Some(url),
                why,
            },
        )
    }));
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
            dropped(entry, url, Drop::NotAProvider, fates);
        }
    }
    (providers, rules)
}

/// Exactly one URL, and it is `empty://`.
fn is_empty_word(providers: &Urls) -> bool {
    matches!(providers.as_slice(), [(_, only)] if only.own().protocol.as_deref() == Some("empty"))
}

fn distinct(urls: Urls, fates: &mut Fates) -> Urls {
    let mut known: Known<Option<EntryId>> = Known::new(false);
    let mut out = Vec::with_capacity(urls.len());
    for (entry, url) in urls {
        match known.find(&url) {
            Some((_, Some(of))) => dropped(entry, url, Drop::Duplicate(*of), fates),
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
