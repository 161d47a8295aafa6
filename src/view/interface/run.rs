//! Runs the consumer's directory over the entries that are left: protocols, overrides, what switches an address off.

use std::collections::{BTreeMap, BTreeSet};

use super::{Case, Kept, center::center};
use crate::{
    model::url::{Url, encode},
    view::{
        directory::{
            Directory, Drop, EntryId, Fate, Notification, NotifyError, Protocols, Rules,
            ServiceUrl, Subscription, Support,
        },
        held::Entry,
        stage::StageId,
    },
};

/// What became of an entry.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Result {
    /// It can be called.
    Usable(ServiceUrl),
    /// The consumer does not ask for its protocol.
    NotAsked,
    /// The consumer's process lacks its protocol, as far as is known.
    Unsupported(Support),
    /// It is switched off, by its own URL or by rules.
    SwitchedOff {
        /// Its own URL says so, without any rule.
        by_itself: bool,
        /// Only a rule of the config centre says so.
        by_center: bool,
    },
    /// It is another entry once more.
    Repeated,
}

/// What became of all entries, in their order.
#[derive(Debug, Clone)]
pub(super) struct Ran {
    /// One for each entry.
    pub(super) results: Vec<Result>,
}

/// Runs the directory. An error means that the real client throws on this list.
pub(super) fn run(
    case: &Case<'_>,
    kept: &[Kept<'_>],
    repaired: &BTreeSet<StageId>,
) -> std::result::Result<Ran, NotifyError> {
    if kept.iter().any(lacks_protocol) {
        return Err(NotifyError::NoProtocol);
    }
    let told = Told::of(case, kept, repaired);
    let (_, fates) = told.notify(case, repaired)?;
    let without = |told: Told<'_>| told.notify(case, repaired).map(|(_, fates)| fates);
    let registry = without(Told {
        center: Rules::default(),
        ..told.clone()
    })?;
    let alone = without(Told {
        center: Rules::default(),
        rules: Vec::new(),
        ..told
    })?;
    let results = (0..kept.len())
        .map(|place| {
            let of =
                |fates: &BTreeMap<EntryId, Fate>| fates.get(&EntryId::provider(place)).cloned();
            result(
                of(&fates).as_ref(),
                of(&registry).as_ref(),
                of(&alone).as_ref(),
            )
        })
        .collect();
    Ok(Ran { results })
}

/// A Nacos instance without `protocol` in its metadata, which its text (below) would not show: the directory asks for an
/// extension without a name and throws, whatever else is in the list (`RegistryDirectory.toInvokers`).
pub(super) fn lacks_protocol(kept: &Kept<'_>) -> bool {
    kept.entry.encoded().is_none() && kept.url.protocol.as_deref().unwrap_or_default().is_empty()
}

/// What a directory is told.
#[derive(Debug, Clone)]
struct Told<'a> {
    /// The entries, then what else lies among the providers.
    providers: Vec<String>,
    /// Rules of the registry.
    rules: Vec<&'a str>,
    /// Rules of the config centre.
    center: Rules,
}

impl<'a> Told<'a> {
    fn of(case: &Case<'a>, kept: &[Kept<'_>], repaired: &BTreeSet<StageId>) -> Self {
        let repaired_rules = repaired.contains(&StageId::Configurators);
        let mut providers: Vec<String> = kept
            .iter()
            .map(|kept| text(kept, repaired, repaired_rules))
            .collect();
        if repaired_rules {
            return Self {
                providers,
                rules: Vec::new(),
                center: Rules::default(),
            };
        }
        let strangers = case.held.strangers.iter().filter_map(Entry::encoded);
        providers.extend(strangers.map(str::to_owned));
        Self {
            providers,
            rules: case
                .held
                .configurators
                .iter()
                .filter_map(Entry::encoded)
                .collect(),
            center: center(case).rules,
        }
    }

    fn notify(
        &self,
        case: &Case<'_>,
        repaired: &BTreeSet<StageId>,
    ) -> std::result::Result<(Directory, BTreeMap<EntryId, Fate>), NotifyError> {
        let providers: Vec<&str> = self.providers.iter().map(String::as_str).collect();
        let mut directory = Directory::new(subscription(case, repaired, &self.providers));
        let notice = directory.notify(Notification {
            providers: Some(&providers),
            configurators: Some(&self.rules),
        })?;
        let mut fates: BTreeMap<EntryId, Fate> = notice.fates.into_iter().collect();
        if !(self.center.application.is_empty() && self.center.service.is_empty()) {
            // Whether the rules or the addresses come first, the fate of an address is the same.
            fates.extend(directory.set_rules(self.center.clone())?.remembered);
        }
        Ok((directory, fates))
    }
}

/// Whether the client can read the whole list as it lies in the registry; one entry that it cannot read may cost it
/// all of them.
pub(super) fn can_read(case: &Case<'_>) -> std::result::Result<(), NotifyError> {
    let texts: Vec<&str> = case
        .held
        .entries
        .iter()
        .filter_map(Entry::encoded)
        .chain(case.held.unreadable.iter().map(String::as_str))
        .collect();
    let rules: Vec<&str> = case
        .held
        .configurators
        .iter()
        .filter_map(Entry::encoded)
        .collect();
    let mut directory = Directory::new(subscription(case, &BTreeSet::new(), &[]));
    directory
        .notify(Notification {
            providers: Some(&texts),
            configurators: Some(&rules),
        })
        .map(|_| ())
}

/// Whether this client holds back an empty list.
pub(super) fn protects_from_empty(case: &Case<'_>) -> bool {
    subscription(case, &BTreeSet::new(), &[]).protects_from_empty()
}

/// The directory after it was told of these entries and of the overrides of the registry.
pub(super) fn directory(
    case: &Case<'_>,
    kept: &[Kept<'_>],
    repaired: &BTreeSet<StageId>,
) -> std::result::Result<Directory, NotifyError> {
    if kept.iter().any(lacks_protocol) {
        return Err(NotifyError::NoProtocol);
    }
    let told = Told::of(case, kept, repaired);
    told.notify(case, repaired).map(|(directory, _)| directory)
}

fn result(fate: Option<&Fate>, registry: Option<&Fate>, alone: Option<&Fate>) -> Result {
    let is_off = |fate: Option<&Fate>| {
        matches!(
            fate,
            Some(Fate::Dropped {
                why: Drop::Disabled | Drop::NotEnabled,
                ..
            })
        )
    };
    match fate {
        Some(Fate::Kept { merged, .. }) => Result::Usable(merged.clone()),
        Some(Fate::Dropped {
            why: Drop::Protocol { .. },
            ..
        }) => Result::NotAsked,
        Some(Fate::Dropped {
            why: Drop::UnsupportedProtocol(support),
            ..
        }) => Result::Unsupported(*support),
        Some(Fate::Dropped {
            why: Drop::Disabled | Drop::NotEnabled,
            ..
        }) => Result::SwitchedOff {
            by_itself: is_off(alone),
            by_center: !is_off(registry),
        },
        _ => Result::Repeated,
    }
}

/// The text of an entry as the registry stores it. A Nacos instance has none: it is written as a provider would.
fn text(kept: &Kept<'_>, repaired: &BTreeSet<StageId>, without_switch: bool) -> String {
    let mut url = kept.url.clone();
    if without_switch {
        url.parameters.remove("disabled");
    }
    if repaired.contains(&StageId::Entries) {
        url.parameters.remove("enabled");
    }
    match kept.entry.encoded() {
        Some(text) if repaired.is_empty() => text.to_owned(),
        _ => encode(&url.to_full_text()),
    }
}

fn subscription(case: &Case<'_>, repaired: &BTreeSet<StageId>, texts: &[String]) -> Subscription {
    let mut consumer = case.consumer();
    let mut protocols = Protocols::of(case.dubbo().line());
    if repaired.contains(&StageId::Protocol) {
        consumer.parameters.remove("protocol");
        protocols = protocols.with(
            texts
                .iter()
                .filter_map(|text| Url::parse_encoded(text, case.dubbo()).ok()?.protocol),
        );
    }
    if repaired.contains(&StageId::Key) {
        // Whatever is left is what the consumer means.
        for name in ["group", "version", "classifier"] {
            consumer.parameters.insert(name.to_owned(), "*".to_owned());
        }
        consumer
            .parameters
            .insert("interface".to_owned(), "*".to_owned());
    }
    Subscription::of(consumer, case.registry, case.dubbo(), protocols)
}
