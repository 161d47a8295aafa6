//! `ls`: what a process exports and refers to.

use serde::Serialize;

use super::table::rows;

/// The answer of `ls` (`Ls`, `ServiceCheckUtils`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// Services it exports.
    pub provider: Vec<Exported>,
    /// Services it refers to.
    pub consumer: Vec<Referred>,
}

/// A row of the provider's side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// `[group/]interface[:version]`.
    pub key: String,
    /// A service of Dubbo itself, never in a registry.
    pub internal: bool,
    /// Where it is published.
    pub published: Vec<Published>,
}

impl Exported {
    /// Whether the revision of the instance has it: what is published by interface alone, or taken offline, is not in it
    /// (`ServiceDiscoveryRegistry.doUnregister` removes it from the metadata). Where nothing is said it may be.
    pub fn is_by_application(&self) -> bool {
        let by_application = |one: &Published| one.yes && one.model != Some(Model::Interface);
        !self.internal && (self.published.is_empty() || self.published.iter().any(by_application))
    }
}

/// Whether a service is published in one registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Published {
    /// Protocol or name of the registry; until 2.7 it is not said, and only the first registry counts.
    pub registry: Option<String>,
    /// By which model; until 2.7 there is one.
    pub model: Option<Model>,
    /// It is.
    pub yes: bool,
}

/// A row of the consumer's side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Referred {
    /// `[group/]interface[:version]`.
    pub key: String,
    /// Its addresses, for each registry.
    pub lists: Vec<Addresses>,
    /// 2.6: the number of addresses; 2.7: the number of categories that were notified, which is none of addresses.
    pub number: Option<u64>,
}

/// How many addresses a reference has from one registry, before routing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Addresses {
    /// Protocol or name of the registry.
    pub registry: String,
    /// Step of the migration.
    pub step: Step,
    /// At interface level; `None` where that model is not subscribed.
    pub interface: Option<u64>,
    /// At application level.
    pub application: Option<u64>,
}

/// A model of discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// By interface.
    Interface,
    /// By application.
    Application,
}

/// A step of the migration (`MigrationStep`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Step {
    /// Interface level only.
    ForceInterface,
    /// Both; application level first.
    ApplicationFirst,
    /// Application level only.
    ForceApplication,
}

impl Step {
    /// Reads the name of the enum.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "FORCE_INTERFACE" => Some(Self::ForceInterface),
            "APPLICATION_FIRST" => Some(Self::ApplicationFirst),
            "FORCE_APPLICATION" => Some(Self::ForceApplication),
            _ => None,
        }
    }

    /// The name of the enum.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ForceInterface => "FORCE_INTERFACE",
            Self::ApplicationFirst => "APPLICATION_FIRST",
            Self::ForceApplication => "FORCE_APPLICATION",
        }
    }
}

const INTERNAL: &str = "DubboInternal - ";

impl Listing {
    /// Reads a cleaned answer; `None` when it is no listing.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (_, rest) = text.split_once("As Provider side:")?;
        let (provider, consumer) = rest.split_once("As Consumer side:")?;
        let mut listing = Self::default();
        for cells in rows(provider.lines()).into_iter().skip(1) {
            let [name, published, ..] = cells.as_slice() else {
                continue;
            };
            let key = name.strip_prefix(INTERNAL);
            listing.provider.push(Exported {
                key: key.unwrap_or(name).to_owned(),
                internal: key.is_some(),
                published: self::published(published),
            });
        }
        for cells in rows(consumer.lines()).into_iter().skip(1) {
            let [name, number, ..] = cells.as_slice() else {
                continue;
            };
            listing.consumer.push(Referred {
                key: (*name).to_owned(),
                lists: parts(number).filter_map(addresses).collect(),
                number: number.parse().ok(),
            });
        }
        Some(listing)
    }
}

/// `zookeeper-A(Y)/zookeeper-I(N)`, one part for each registry and model.
fn parts(cell: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    cell.split_inclusive(')').filter_map(|part| {
        let part = part.trim_start_matches(['/', ',', ' ']);
        let (head, inner) = part.strip_suffix(')')?.split_once('(')?;
        let (registry, word) = head.rsplit_once('-')?;
        Some((registry, word, inner))
    })
}

fn published(cell: &str) -> Vec<Published> {
    let plain = |yes| {
        vec![Published {
            registry: None,
            model: None,
            yes,
        }]
    };
    match cell {
        "Y" => return plain(true),
        "N" => return plain(false),
        _ => {}
    }
    parts(cell)
        .filter_map(|(registry, word, inner)| {
            Some(Published {
                registry: Some(registry.to_owned()),
                model: Some(match word {
                    "A" => Model::Application,
                    "I" => Model::Interface,
                    _ => return None,
                }),
                yes: match inner {
                    "Y" => true,
                    "N" => false,
                    _ => return None,
                },
            })
        })
        .collect()
}

/// `AF(I-1,A-2)`, `I(1)`, `A(2)`; `-` where a model has no invoker.
fn addresses((registry, word, inner): (&str, &str, &str)) -> Option<Addresses> {
    let mut found = Addresses {
        registry: registry.to_owned(),
        step: match word {
            "AF" => Step::ApplicationFirst,
            "I" => Step::ForceInterface,
            "A" => Step::ForceApplication,
            _ => return None,
        },
        interface: None,
        application: None,
    };
    match found.step {
        Step::ForceInterface => found.interface = inner.parse().ok(),
        Step::ForceApplication => found.application = inner.parse().ok(),
        Step::ApplicationFirst => {
            for part in inner.split(',') {
                match part.trim().split_once('-')? {
                    ("I", number) => found.interface = number.parse().ok(),
                    ("A", number) => found.application = number.parse().ok(),
                    _ => return None,
                }
            }
        }
    }
    Some(found)
}
