//! K: the services in the metadata that are the one asked for, and the addresses under which they are called.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    LISTED, SHOWN, endpoints,
    known::Instance,
    object,
    revisions::{Described, Revisions},
};
use crate::{
    diagnose::code::Code,
    model::{
        matching::{KeyMismatch, ProtocolServiceKey, is_match_glob},
        metadata::ServiceInfo,
        service_key::ServiceKey,
        version::Line,
    },
    question::placeholder,
    view::{
        held::{Entry, Raw},
        interface::{Case, Differs, Meant, visible},
        names::is_near,
        stage::{Dropped, Evidence, Raised, Stage, StageId, State},
    },
};

/// Why a service of the metadata is not the one asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Miss {
    /// A list or `*` that this line compares literally.
    Literal,
    /// These fields differ.
    Key(BTreeSet<Differs>),
    /// It is found under its path, which is not the interface (3.1 on).
    Path,
    /// Another service.
    Other,
}

/// The stage, and an entry for each address and service that is left.
pub(super) fn stage(
    case: &Case<'_>,
    revisions: &Revisions<'_>,
    repaired: &BTreeSet<StageId>,
) -> (Stage, Vec<Entry>, Vec<Meant>) {
    let mut entries = Vec::new();
    let mut drops = Vec::new();
    let mut misses: Vec<(Miss, &Described<'_>, &ServiceInfo)> = Vec::new();
    let mut left = 0;
    for described in &revisions.known {
        let mut found = false;
        let mut nearest: Option<Miss> = None;
        for service in &described.services {
            match fate(case, service) {
                Ok(()) => {
                    found = true;
                    entries.push(entry(case, described, service));
                }
                Err(miss) => {
                    let repaired = repaired.contains(&StageId::Key) && miss == Miss::Path;
                    if repaired {
                        found = true;
                        entries.push(entry(case, described, service));
                    }
                    nearest = Some(nearest.map_or(miss.clone(), |other| other.min(miss.clone())));
                    misses.push((miss, described, service));
                }
            }
        }
        if found {
            left += 1;
        } else {
            drops.push(Dropped {
                address: described.instance.address.clone(),
                code: code_of(nearest.as_ref()),
                rule: None,
                position: None,
            });
        }
    }
    let raises = if entries.is_empty() {
        raises(case, &misses, &revisions.known)
    } else {
        Vec::new()
    };
    let meant = meant(case, &misses);
    let total = revisions.known.len();
    let mut stage = Stage::counted(StageId::Key, total, left, drops, raises);
    if repaired.contains(&StageId::Key) {
        stage.state = State::Ok;
    }
    (stage, entries, meant)
}

/// The keys that a repaired reference would ask for: what its patterns mean, else what is nearest; those with more
/// addresses first.
fn meant(case: &Case<'_>, misses: &[(Miss, &Described<'_>, &ServiceInfo)]) -> Vec<Meant> {
    let asked = &case.question.service;
    let is_literal = misses.iter().any(|(miss, ..)| *miss == Miss::Literal);
    let (wanted, fields) = if is_literal {
        let is_pattern = |text: &Option<String>| {
            text.as_deref()
                .is_some_and(|text| text.contains(['*', ',']))
        };
        let fields = [
            (Differs::Group, is_pattern(&asked.group)),
            (Differs::Version, is_pattern(&asked.version)),
        ];
        let fields = fields.into_iter().filter(|(_, is_pattern)| *is_pattern);
        (Miss::Literal, fields.map(|(field, _)| field).collect())
    } else {
        let near: Vec<_> = misses.iter().collect();
        let Some(differs) = nearest(&near) else {
            return Vec::new();
        };
        (Miss::Key(differs.clone()), differs)
    };
    let mut counts: BTreeMap<ServiceKey, usize> = BTreeMap::new();
    for (_, _, service) in misses.iter().filter(|(miss, ..)| *miss == wanted) {
        let mut key = asked.clone();
        for field in &fields {
            match field {
                Differs::Group => key.group.clone_from(&service.group),
                Differs::Version => key.version.clone_from(&service.version),
                Differs::Interface => key.interface = service.name.clone().unwrap_or_default(),
                // Metadata has none.
                Differs::Classifier => {}
            }
        }
        *counts.entry(key).or_default() += 1;
    }
    let mut keys: Vec<(ServiceKey, usize)> = counts.into_iter().collect();
    keys.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    keys.into_iter()
        .map(|(service, _)| Meant {
            service,
            classifier: None,
            by_classifier: false,
        })
        .collect()
}

fn code_of(miss: Option<&Miss>) -> Code {
    match miss {
        Some(Miss::Literal) => Code::WildcardUnsupported,
        Some(Miss::Key(differs)) => differs
            .first()
            .map_or(Code::NotInMetadata, |field| field.code()),
        _ => Code::NotInMetadata,
    }
}

/// The key as the consumer asks for it, whatever protocol.
fn asked(case: &Case<'_>, interface: &str) -> ProtocolServiceKey {
    let service = &case.question.service;
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    ProtocolServiceKey {
        interface: Some(interface.to_owned()),
        group: filled(&service.group),
        version: filled(&service.version),
        protocol: None,
    }
}

/// Whether a service is the one asked for: from 3.1 on it is looked up by its path and compared with lists and `*`,
/// before by its literal key.
fn fate(case: &Case<'_>, service: &ServiceInfo) -> Result<(), Miss> {
    let line = case.dubbo().line();
    let interface = &case.question.service.interface;
    let name = service.name.as_deref().unwrap_or_default();
    if name != interface {
        return Err(if is_near(interface, name) {
            Miss::Key(BTreeSet::from([Differs::Interface]))
        } else {
            Miss::Other
        });
    }
    if line >= Line::V3_1 && service.path.as_ref() != Some(interface) {
        return Err(Miss::Path);
    }
    let wanted = asked(case, interface);
    let given = ProtocolServiceKey {
        interface: Some(name.to_owned()),
        group: service.group.clone(),
        version: service.version.clone(),
        protocol: None,
    };
    let mut wanted_now = wanted.clone();
    let mut differs = BTreeSet::new();
    loop {
        match wanted_now.accepts(&given, line) {
            Ok(()) => break,
            Err(KeyMismatch::Group) => {
                differs.insert(Differs::Group);
                wanted_now.group.clone_from(&given.group);
            }
            Err(KeyMismatch::Version) => {
                differs.insert(Differs::Version);
                wanted_now.version.clone_from(&given.version);
            }
            Err(KeyMismatch::Interface | KeyMismatch::Protocol) => return Err(Miss::Other),
        }
    }
    if differs.is_empty() {
        return Ok(());
    }
    let meant = |field: Differs| {
        let (wanted, given) = match field {
            Differs::Group => (&wanted.group, &given.group),
            _ => (&wanted.version, &given.version),
        };
        is_meant(wanted.as_deref(), given.as_deref())
    };
    if differs.iter().all(|field| meant(*field)) {
        return Err(Miss::Literal);
    }
    Err(Miss::Key(differs))
}

/// Whether a list or pattern means this value.
fn is_meant(wanted: Option<&str>, given: Option<&str>) -> bool {
    let Some(wanted) = wanted.filter(|text| text.contains('*') || text.contains(',')) else {
        return false;
    };
    wanted == "*"
        || wanted.split(',').map(str::trim).any(|item| {
            Some(item) == given || item.contains('*') && is_match_glob(Some(item), given)
        })
}

/// An instance of which nobody knows what it exports, as if it had the service that is asked for.
pub(super) fn as_asked(case: &Case<'_>, instance: &Instance) -> Entry {
    let asked = &case.question.service;
    let service = ServiceInfo {
        key: String::new(),
        path: Some(asked.interface.clone()),
        name: Some(asked.interface.clone()),
        group: asked.group.clone(),
        version: asked.version.clone(),
        protocol: Some("dubbo".to_owned()),
        port: None,
        params: Vec::new(),
    };
    let described = Described {
        instance,
        services: Vec::new(),
        evidence: instance.evidence.clone(),
        partial: true,
    };
    entry(case, &described, &service)
}

/// The service at the instance as an entry: from here on it goes the way of any address.
fn entry(case: &Case<'_>, described: &Described<'_>, service: &ServiceInfo) -> Entry {
    let instance = described.instance;
    let mut metadata: std::collections::BTreeMap<String, String> =
        service.params.iter().cloned().collect();
    let mut put = |name: &str, value: Option<&String>| match value {
        Some(value) => {
            metadata.insert(name.to_owned(), value.clone());
        }
        None => {
            metadata.remove(name);
        }
    };
    put("interface", service.name.as_ref());
    put("group", service.group.as_ref());
    put("version", service.version.as_ref());
    put("protocol", service.protocol.as_ref());
    put("path", service.path.as_ref());
    metadata
        .entry("application".to_owned())
        .or_insert_with(|| instance.application.clone());
    let port = endpoints::port(instance, service, case.dubbo().line()).unwrap_or(instance.port);
    Entry {
        raw: Raw::Instance {
            ip: instance.host.clone(),
            port,
            metadata,
        },
        evidence: described.evidence.clone(),
        ephemeral: None,
        owner: None,
        creator: None,
        changed_ms: None,
        nacos: None,
    }
}

/// What the empty stage raises, in the order in which the first hit is the verdict.
fn raises(
    case: &Case<'_>,
    misses: &[(Miss, &Described<'_>, &ServiceInfo)],
    known: &[Described<'_>],
) -> Vec<Raised> {
    let service = case.question.service.to_string();
    let subject = || ("service".to_owned(), service.clone());
    let mut raised = Vec::new();
    let of = |wanted: &dyn Fn(&Miss) -> bool| -> Vec<&(Miss, &Described<'_>, &ServiceInfo)> {
        misses.iter().filter(|(miss, ..)| wanted(miss)).collect()
    };
    let evidence = |found: &[&(Miss, &Described<'_>, &ServiceInfo)]| -> Vec<Evidence> {
        let mut shown: Vec<Evidence> = found
            .iter()
            .map(|(_, described, _)| described.evidence.clone())
            .collect();
        shown.dedup();
        shown.truncate(SHOWN);
        shown
    };
    let literal = of(&|miss| *miss == Miss::Literal);
    if !literal.is_empty() {
        let offered: BTreeSet<String> = literal.iter().map(|(.., service)| key(service)).collect();
        raised.push(Raised {
            code: Code::WildcardUnsupported,
            params: object(json!({
                "wanted": wildcards(case), "service": service, "offered": offered,
            })),
            subject: subject(),
            evidence: evidence(&literal),
        });
    }
    let near = of(&|miss| matches!(miss, Miss::Key(_)));
    if let Some(differs) = nearest(&near) {
        let best: Vec<_> = near
            .into_iter()
            .filter(|(miss, ..)| *miss == Miss::Key(differs.clone()))
            .collect();
        raised.extend(unresolved(&best, &service, evidence(&best)));
        raised.push(near_raised(case, &differs, &best, evidence(&best)));
    }
    let paths: BTreeSet<&str> = of(&|miss| *miss == Miss::Path)
        .iter()
        .filter_map(|(.., service)| service.path.as_deref())
        .collect();
    let exported: BTreeSet<String> = misses.iter().map(|(.., service)| key(service)).collect();
    let applications: BTreeSet<&str> = known
        .iter()
        .map(|described| described.instance.application.as_str())
        .collect();
    let mut shown: Vec<Evidence> = known
        .iter()
        .map(|described| described.evidence.clone())
        .collect();
    shown.dedup();
    shown.truncate(SHOWN);
    raised.push(Raised {
        code: Code::NotInMetadata,
        params: object(json!({
            "service": service, "applications": applications, "count": known.len(),
            "paths": paths, "keys": exported.iter().take(LISTED).collect::<Vec<_>>(),
            "application": applications.iter().copied().collect::<Vec<_>>().join(", "),
        })),
        subject: subject(),
        evidence: shown,
    });
    raised
}

fn key(service: &ServiceInfo) -> String {
    let name = service.name.as_deref().unwrap_or("-");
    ServiceKey::new(service.group.as_deref(), name, service.version.as_deref()).to_string()
}

fn wildcards(case: &Case<'_>) -> String {
    let service = &case.question.service;
    let part = |name: &str, value: &Option<String>| {
        let text = value.as_ref()?;
        (text.contains('*') || text.contains(',')).then(|| format!("{name}={text}"))
    };
    let parts = [
        part("group", &service.group),
        part("version", &service.version),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// What differs in the nearest misses: the interface last, then the fewest fields, then the set with more addresses.
fn nearest(near: &[&(Miss, &Described<'_>, &ServiceInfo)]) -> Option<BTreeSet<Differs>> {
    let sets: Vec<&BTreeSet<Differs>> = near
        .iter()
        .filter_map(|(miss, ..)| match miss {
            Miss::Key(differs) => Some(differs),
            _ => None,
        })
        .collect();
    let count = |set: &BTreeSet<Differs>| sets.iter().filter(|other| **other == set).count();
    sets.iter()
        .min_by_key(|set| {
            (
                set.contains(&Differs::Interface),
                set.len(),
                std::cmp::Reverse(count(set)),
                set.first().map(|field| field.code()),
            )
        })
        .map(|set| (*set).clone())
}

/// DG0104: the provider left `${..}` in its group or version.
fn unresolved(
    best: &[&(Miss, &Described<'_>, &ServiceInfo)],
    service: &str,
    evidence: Vec<Evidence>,
) -> Option<Raised> {
    let found = best.iter().find_map(|(_, described, info)| {
        let parts = [("group", &info.group), ("version", &info.version)];
        let (name, value) = parts.into_iter().find(|(_, value)| {
            value
                .as_deref()
                .is_some_and(|text| placeholder(text).is_some())
        })?;
        Some((&described.instance.address, name, value.as_deref()?))
    });
    let (address, name, value) = found?;
    Some(Raised {
        code: Code::PlaceholderUnresolved,
        params: object(json!({
            "value": value, "place": format!("{name} · {address}"), "side": "provider", "service": service,
        })),
        subject: ("setting".to_owned(), name.to_owned()),
        evidence,
    })
}

fn near_raised(
    case: &Case<'_>,
    differs: &BTreeSet<Differs>,
    best: &[&(Miss, &Described<'_>, &ServiceInfo)],
    evidence: Vec<Evidence>,
) -> Raised {
    let asked = &case.question.service;
    let code = differs
        .first()
        .map_or(Code::NotInMetadata, |field| field.code());
    let wanted = match code {
        Code::GroupDiffers => asked.group.as_deref(),
        Code::VersionDiffers => asked.version.as_deref(),
        _ => Some(asked.interface.as_str()),
    };
    let mut offered: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (_, described, service) in best {
        let value = match code {
            Code::GroupDiffers => service.group.clone(),
            Code::VersionDiffers => service.version.clone(),
            _ => service.name.clone(),
        };
        offered
            .entry(value.map_or_else(|| "-".to_owned(), |text| visible(&text)))
            .or_default()
            .insert(&described.instance.address);
    }
    let list: Vec<String> = offered
        .iter()
        .map(|(value, addresses)| format!("{value} ({})", addresses.len()))
        .collect();
    let interface = best.first().and_then(|(.., service)| service.name.clone());
    let letter_case = interface
        .as_deref()
        .is_some_and(|name| name.eq_ignore_ascii_case(&asked.interface));
    let words: Vec<&str> = differs.iter().map(|field| field.word()).collect();
    let mut near: BTreeMap<ServiceKey, BTreeSet<&str>> = BTreeMap::new();
    for (_, described, service) in best {
        let name = service.name.as_deref().unwrap_or_default();
        let key = ServiceKey::new(service.group.as_deref(), name, service.version.as_deref());
        let address = described.instance.address.as_str();
        near.entry(key).or_default().insert(address);
    }
    let near: Vec<Value> = near
        .into_iter()
        .map(|(key, addresses)| {
            json!({
                "interface": key.interface, "group": key.group, "version": key.version,
                "count": addresses.len(),
            })
        })
        .collect();
    Raised {
        code,
        params: object(json!({
            "service": asked.to_string(), "wanted": wanted.map(visible), "offered": list, "differs": words,
            "interface": interface.map(Value::from), "letter_case": letter_case, "near": near,
        })),
        subject: ("service".to_owned(), asked.to_string()),
        evidence,
    }
}
