//! Near misses: what is registered and differs from the question in a field or two of the key.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{
    Case, SHOWN,
    fate::{Fate, fits, patched},
    key::object,
};
use crate::{
    diagnose::code::Code,
    model::{service_key::ServiceKey, url::Url},
    question::Question,
    view::{held::Entry, names::is_shell_eaten, stage::Evidence},
};

/// A field of the key in which a near miss differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Differs {
    /// The Dubbo group.
    Group,
    /// The version.
    Version,
    /// The interface's name.
    Interface,
    /// The classifier, which only 2.x compares with the provider's own.
    Classifier,
}

impl Differs {
    /// The word in `params.differs`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Version => "version",
            Self::Interface => "interface",
            Self::Classifier => "classifier",
        }
    }

    /// The code when this is the first that applies.
    pub fn code(self) -> Code {
        match self {
            Self::Group => Code::GroupDiffers,
            Self::Version => Code::VersionDiffers,
            Self::Interface => Code::InterfaceNearMiss,
            Self::Classifier => Code::ClassifierDiffers,
        }
    }
}

/// In what an entry of the asked interface may differ, the fewest fields first.
pub(super) const FIELDS: [&[Differs]; 7] = [
    &[Differs::Group],
    &[Differs::Version],
    &[Differs::Classifier],
    &[Differs::Group, Differs::Version],
    &[Differs::Group, Differs::Classifier],
    &[Differs::Version, Differs::Classifier],
    &[Differs::Group, Differs::Version, Differs::Classifier],
];

/// Entries that would match but for some fields of the key.
#[derive(Debug, Clone, PartialEq)]
pub struct NearMiss {
    /// Interface, group and version as registered.
    pub interface: String,
    /// Group as registered.
    pub group: Option<String>,
    /// Version as registered.
    pub version: Option<String>,
    /// Classifier as registered, where it differs.
    pub classifier: Option<String>,
    /// In what they differ.
    pub differs: BTreeSet<Differs>,
    /// Their addresses, sorted.
    pub addresses: Vec<String>,
    /// Where they were seen, cut at a few.
    pub evidence: Vec<Evidence>,
}

/// A key under which something is registered that the question nearly asks for, or means by a pattern that is taken
/// literally: what a repaired reference would ask for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Meant {
    /// The key.
    pub service: ServiceKey,
    /// The classifier, where it differs.
    pub classifier: Option<String>,
    /// Whether the classifier differs.
    pub by_classifier: bool,
}

impl Meant {
    /// The question of the repaired reference.
    pub fn asked(&self, question: &Question) -> Question {
        let mut question = question.clone();
        question.service.clone_from(&self.service);
        let parameters = &mut question.consumer.params;
        if self.by_classifier {
            match &self.classifier {
                Some(classifier) => {
                    parameters.insert("classifier".to_owned(), classifier.clone());
                }
                None => {
                    parameters.remove("classifier");
                }
            }
        }
        question
    }
}

impl NearMiss {
    /// The question with these fields as they are registered.
    fn meant(&self, question: &Question) -> Meant {
        let mut service = question.service.clone();
        for field in &self.differs {
            match field {
                Differs::Group => service.group.clone_from(&self.group),
                Differs::Version => service.version.clone_from(&self.version),
                Differs::Interface => service.interface.clone_from(&self.interface),
                Differs::Classifier => {}
            }
        }
        Meant {
            service,
            classifier: self.classifier.clone(),
            by_classifier: self.differs.contains(&Differs::Classifier),
        }
    }
}

/// The keys that a repaired reference would ask for: what its patterns mean, else what is nearest.
pub(super) fn meant(case: &Case<'_>, fates: &[(&Entry, Fate)], near: &[NearMiss]) -> Vec<Meant> {
    let asked = &case.question.service;
    let is_pattern = |text: &Option<String>| {
        text.as_deref()
            .is_some_and(|text| text.contains(['*', ',']))
    };
    let literal: BTreeSet<Meant> = fates
        .iter()
        .filter_map(|(_, fate)| match fate {
            Fate::Literal(url) => Some(url),
            _ => None,
        })
        .map(|url| {
            let mut service = asked.clone();
            if is_pattern(&service.version) && url.version().is_some() {
                service.version = url.version().map(str::to_owned);
            }
            if is_pattern(&service.group) && url.group().is_some() {
                service.group = url.group().map(str::to_owned);
            }
            Meant {
                service,
                classifier: None,
                by_classifier: false,
            }
        })
        .collect();
    if !literal.is_empty() {
        return literal.into_iter().collect();
    }
    let mut nearest = nearest(near);
    nearest.sort_by_key(|miss| std::cmp::Reverse(miss.addresses.len()));
    let mut keys: Vec<Meant> = Vec::new();
    for miss in nearest {
        let meant = miss.meant(case.question);
        if !keys.contains(&meant) {
            keys.push(meant);
        }
    }
    keys
}

/// All near misses, by what differs and by key.
pub(super) fn near_misses(case: &Case<'_>, fates: &[(&Entry, Fate)]) -> Vec<NearMiss> {
    type Id = (
        BTreeSet<Differs>,
        String,
        Option<String>,
        Option<String>,
        Option<String>,
    );
    let mut groups: BTreeMap<Id, Vec<&Entry>> = BTreeMap::new();
    let mut add = |differs: BTreeSet<Differs>, interface: &str, url: &Url, entry| {
        let part = |value: Option<&str>| value.map(str::to_owned);
        let classifier = url
            .text("classifier")
            .filter(|_| differs.contains(&Differs::Classifier));
        let id = (
            differs,
            interface.to_owned(),
            part(url.group()),
            part(url.version()),
            part(classifier),
        );
        groups.entry(id).or_default().push(entry);
    };
    let interface = &case.question.service.interface;
    for (entry, fate) in fates {
        if let Fate::Key(url, differs) = fate {
            add(differs.clone(), interface, url, *entry);
        }
    }
    let consumer = case.consumer();
    for near in &case.held.near {
        if is_shell_eaten(interface, &near.interface) {
            continue;
        }
        let mut asked = consumer.clone();
        asked
            .parameters
            .insert("interface".to_owned(), near.interface.clone());
        for entry in &near.entries {
            let Ok(url) = entry.url(case.dubbo()) else {
                continue;
            };
            if let Some(fields) = std::iter::once(&[][..])
                .chain(FIELDS)
                .find(|fields| fits(&asked, &patched(&asked, &url, fields), case.dubbo(), false))
            {
                let mut differs: BTreeSet<Differs> = fields.iter().copied().collect();
                differs.insert(Differs::Interface);
                add(differs, &near.interface, &url, entry);
            }
        }
    }
    groups
        .into_iter()
        .map(
            |((differs, interface, group, version, classifier), entries)| {
                let mut addresses: Vec<String> =
                    entries.iter().map(|entry| entry.address()).collect();
                addresses.sort();
                NearMiss {
                    interface,
                    group,
                    version,
                    classifier,
                    differs,
                    addresses,
                    evidence: entries
                        .iter()
                        .take(SHOWN)
                        .map(|entry| entry.evidence.clone())
                        .collect(),
                }
            },
        )
        .collect()
}

/// The near misses that decide: same interface first, then the fewest differing fields, then the set with more
/// addresses, then the lower code.
pub(super) fn nearest(near: &[NearMiss]) -> Vec<&NearMiss> {
    let count = |set: &BTreeSet<Differs>| -> usize {
        near.iter()
            .filter(|miss| miss.differs == *set)
            .map(|miss| miss.addresses.len())
            .sum()
    };
    let best = near.iter().map(|miss| &miss.differs).min_by_key(|set| {
        (
            set.contains(&Differs::Interface),
            set.len(),
            std::cmp::Reverse(count(set)),
            set.first().map(|first| first.code()),
        )
    });
    near.iter()
        .filter(|miss| Some(&miss.differs) == best)
        .collect()
}

/// Parameters of the code: what was asked, what is offered, in what they differ.
pub(super) fn near_params(
    case: &Case<'_>,
    code: Code,
    nearest: &[&NearMiss],
) -> Map<String, Value> {
    let service = &case.question.service;
    let wanted = match code {
        Code::GroupDiffers => service.group.as_deref(),
        Code::VersionDiffers => service.version.as_deref(),
        Code::ClassifierDiffers => case
            .question
            .consumer
            .params
            .get("classifier")
            .map(String::as_str),
        _ => Some(service.interface.as_str()),
    };
    let offered = |miss: &NearMiss| match code {
        Code::GroupDiffers => miss.group.clone(),
        Code::VersionDiffers => miss.version.clone(),
        Code::ClassifierDiffers => miss.classifier.clone(),
        _ => Some(miss.interface.clone()),
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for miss in nearest {
        *counts
            .entry(offered(miss).map_or_else(|| "-".to_owned(), |text| visible(&text)))
            .or_default() += miss.addresses.len();
    }
    let differs: Vec<&str> = nearest
        .first()
        .map(|miss| miss.differs.iter().map(|field| field.word()).collect())
        .unwrap_or_default();
    object(json!({
        "service": service.to_string(),
        "wanted": wanted.map(visible),
        "offered": counts.iter().map(|(value, count)| format!("{value} ({count})")).collect::<Vec<_>>(),
        "differs": differs,
        "interface": nearest.first().map(|miss| miss.interface.as_str()),
        "letter_case": nearest
            .iter()
            .all(|miss| miss.interface.eq_ignore_ascii_case(&service.interface)),
        "near": nearest.iter().map(|miss| json!({
            "interface": miss.interface, "group": miss.group, "version": miss.version,
            "count": miss.addresses.len(),
        })).collect::<Vec<_>>(),
    }))
}

/// A value that begins or ends with a blank in quotes: without them nobody sees what differs.
pub(in crate::view) fn visible(text: &str) -> String {
    if text.trim() == text {
        text.to_owned()
    } else {
        format!("'{text}'")
    }
}
