//! M: the applications that a reference asks for (`ServiceDiscoveryRegistry.doSubscribe`).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{
    LISTED, SHOWN,
    known::{Mapping, Metadata},
    names::{provided_by, subscribed_by_name},
    object,
    sign::Sign,
};
use crate::{
    diagnose::code::Code,
    report::words::{Phrase, Say},
    view::{
        interface::Case,
        names::is_near,
        stage::{Evidence, NotSeen, Raised, Stage, StageId, State},
    },
};

/// The stage, and the applications that are asked for.
pub(super) fn stage(case: &Case<'_>, repaired: &BTreeSet<StageId>) -> (Stage, BTreeSet<String>) {
    let application = &case.held.application;
    if repaired.contains(&StageId::Mapping) {
        let sign = Sign::of(case);
        let mut meant = sign.meant(application);
        let mapped = application.mapped_for(case.dubbo());
        meant.extend(mapped.into_iter().map(str::to_owned));
        return (Stage::plain(StageId::Mapping, State::Ok), meant);
    }
    let own: BTreeSet<String> = provided_by(case.question).into_iter().collect();
    if !own.is_empty() {
        if let Some(raised) = named_wrong(case, &own) {
            let stage = Stage {
                raises: vec![raised],
                ..Stage::plain(StageId::Mapping, State::Failed)
            };
            return (stage, BTreeSet::new());
        }
        return (asks_for(&own, Say::ProvidedBy), own);
    }
    if !application.mapping_known {
        let stage = Stage::unknown(StageId::Mapping, application.not_seen.clone());
        return (stage, BTreeSet::new());
    }
    let mut mapped: BTreeSet<String> = application
        .mapped_for(case.dubbo())
        .into_iter()
        .map(str::to_owned)
        .collect();
    if mapped.is_empty()
        && let Some(registry) = case.registry
    {
        mapped = subscribed_by_name(case.question, registry)
            .into_iter()
            .collect();
    }
    if mapped.is_empty() {
        return (nothing_mapped(case), mapped);
    }
    if let Some(raised) = mapped_elsewhere(case, &mapped) {
        let stage = Stage {
            raises: vec![raised],
            ..Stage::plain(StageId::Mapping, State::Failed)
        };
        return (stage, BTreeSet::new());
    }
    (asks_for(&mapped, Say::MappingNames), mapped)
}

fn asks_for(names: &BTreeSet<String>, say: Say) -> Stage {
    let list: Vec<&str> = names.iter().map(String::as_str).collect();
    Stage {
        because: Some(Phrase::new(say).with("names", list.join(", "))),
        ..Stage::plain(StageId::Mapping, State::Ok)
    }
}

/// No application is subscribed: 4002, 4001, or 2105 where nobody is known to export the interface.
fn nothing_mapped(case: &Case<'_>) -> Stage {
    let application = &case.held.application;
    let service = case.question.service.to_string();
    let sign = Sign::of(case);
    let meant = sign.meant(application);
    let mut evidence: Vec<Evidence> = application
        .mappings
        .iter()
        .filter_map(|mapping| mapping.evidence.clone())
        .collect();
    let exported = !sign.exporters.is_empty() || application.defined;
    evidence.extend(sign.evidence.iter().cloned());
    evidence.truncate(SHOWN);
    let raised = |code, params| Raised {
        code,
        params: object(params),
        subject: ("service".to_owned(), service.clone()),
        evidence: evidence.clone(),
    };
    let place = application
        .mappings
        .first()
        .map_or("-", |mapping: &Mapping| mapping.place.as_str());
    let missing = raised(
        Code::MappingMissing,
        json!({"service": service, "place": place, "applications": meant}),
    );
    let elsewhere = raised(
        Code::MappingElsewhere,
        json!({"service": service, "place": place, "applications": meant, "mapped": []}),
    );
    let mut absent = raised(
        Code::NotRegistered,
        json!({"service": service, "place": case.held.place}),
    );
    // The other level shows the same, and most readers look there first.
    absent
        .evidence
        .extend(case.held.listing.evidence().cloned());
    let with_mapping = |first: Raised, elsewhere: Raised| {
        if application.elsewhere && !meant.is_empty() {
            vec![elsewhere, first]
        } else {
            vec![first]
        }
    };
    if exported {
        return Stage {
            raises: with_mapping(missing, elsewhere),
            ..Stage::plain(StageId::Mapping, State::Failed)
        };
    }
    let near = near_name(case, &evidence);
    if !application.instances_known {
        return Stage {
            raises: near.into_iter().chain([missing, absent]).collect(),
            ..Stage::unknown(StageId::Mapping, application.not_seen.clone())
        };
    }
    if sign.unclear.is_empty() {
        return Stage {
            raises: near.into_iter().chain([absent]).collect(),
            ..Stage::plain(StageId::Mapping, State::Failed)
        };
    }
    // Any of them may be the one, or none: what an instance exports and nobody read is no sign.
    let not_seen = unread(case, &sign);
    if !not_seen.is_empty() {
        return Stage {
            raises: near.into_iter().chain([missing, absent]).collect(),
            ..Stage::unknown(StageId::Mapping, not_seen)
        };
    }
    if near.is_some() {
        return Stage {
            raises: near.into_iter().chain([absent]).collect(),
            ..Stage::plain(StageId::Mapping, State::Failed)
        };
    }
    // Looked for where they say that they are, and not there: an instance is a sign then, though a weak one.
    let weak = |mut raised: Raised| {
        raised.params.insert("sign".to_owned(), "instance".into());
        raised
    };
    Stage {
        raises: with_mapping(weak(missing), weak(elsewhere)),
        ..Stage::plain(StageId::Mapping, State::Failed)
    }
}

/// DG2103: nobody is known to export the interface, and one with a near name is exported: by the metadata of an instance,
/// or by a definition or mapping, which nobody removes.
fn near_name(case: &Case<'_>, seen: &[Evidence]) -> Option<Raised> {
    let application = &case.held.application;
    let service = &case.question.service;
    let interface = &service.interface;
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for instance in application.others.iter().chain(&application.instances) {
        let key = instance.metadata_key();
        let found = key.and_then(|key| application.metadata.get(&key));
        let Some(Metadata::Here { info, .. }) = found else {
            continue;
        };
        for name in info.services.iter().filter_map(|one| one.name.as_deref()) {
            if name != interface && is_near(interface, name) {
                names.entry(name).or_default().insert(&instance.application);
            }
        }
    }
    let by_metadata = !names.is_empty();
    if !by_metadata {
        // Nobody removes those: what counts is that their application still runs here.
        let here = application.others.iter().chain(&application.instances);
        let here: BTreeSet<&str> = here.map(|instance| &*instance.application).collect();
        for (name, applications) in &application.near_names {
            let living = applications.iter().map(String::as_str);
            let living: BTreeSet<&str> = living.filter(|name| here.contains(name)).collect();
            if !living.is_empty() {
                names.insert(name, living);
            }
        }
    }
    let (first, _) = names.first_key_value()?;
    let mut params = object(json!({
        "service": service.to_string(), "wanted": interface,
        "offered": names.iter().map(|(name, of)| format!("{name} ({})", of.len())).collect::<Vec<_>>(),
        "differs": ["interface"], "interface": first,
        "letter_case": names.keys().all(|name| name.eq_ignore_ascii_case(interface)),
        "near": names.iter().map(|(name, of)| json!({
            "interface": name, "group": service.group, "version": service.version, "count": of.len(),
        })).collect::<Vec<_>>(),
    }));
    if !by_metadata {
        params.insert("sign".to_owned(), "instance".into());
    }
    Some(Raised {
        code: Code::InterfaceNearMiss,
        params,
        subject: ("service".to_owned(), service.to_string()),
        evidence: seen.to_vec(),
    })
}

/// Metadata of the unclear instances that nobody read.
fn unread(case: &Case<'_>, sign: &Sign) -> Vec<NotSeen> {
    let application = &case.held.application;
    let unclear = application
        .others
        .iter()
        .chain(&application.instances)
        .filter(|instance| sign.unclear.contains(&instance.application));
    let unread = unclear.filter_map(|instance| {
        match application.metadata.get(&instance.metadata_key()?)? {
            Metadata::Unknown(not_seen) => Some(not_seen.clone()),
            Metadata::Absent(_) if !instance.is_remote() => {
                Some(super::revisions::local(case, instance))
            }
            Metadata::Absent(_) | Metadata::Here { .. } => None,
            Metadata::Unreadable { evidence, .. }
            | Metadata::Unreachable { evidence, .. }
            | Metadata::Refused { evidence, .. } => Some(NotSeen {
                why: evidence.fact.clone(),
                ..super::revisions::local(case, instance)
            }),
        }
    });
    let mut not_seen: Vec<NotSeen> = Vec::new();
    for fact in unread {
        if not_seen.len() < LISTED && !not_seen.contains(&fact) {
            not_seen.push(fact);
        }
    }
    not_seen
}

/// DG4011: `provided-by` names applications that are known not to serve the interface.
fn named_wrong(case: &Case<'_>, own: &BTreeSet<String>) -> Option<Raised> {
    let application = &case.held.application;
    let interface = &case.question.service.interface;
    let instances: Vec<_> = application
        .instances
        .iter()
        .filter(|instance| own.contains(&instance.application))
        .collect();
    let lacks = |instance: &&super::known::Instance| {
        let key = instance.metadata_key();
        let found = key.and_then(|key| application.metadata.get(&key));
        matches!(found, Some(Metadata::Here { info, .. })
            if !info.services.iter().any(|service| service.name.as_ref() == Some(interface)))
    };
    let mapped = application.mapped_for(case.dubbo());
    // A mapping is never taken back: an application in it that has no instance serves nothing, while others do.
    let serving = application.instances.iter().any(|instance| {
        let name = instance.application.as_str();
        mapped.contains(name) && !own.contains(name)
    });
    // Without a mapping, instances whose metadata have the service say the same.
    let sign = Sign::of(case);
    let here = sign.meant(application);
    let exporting = || {
        sign.exporters
            .iter()
            .any(|name| here.contains(name) && !own.contains(name))
    };
    let wrong = if instances.is_empty() {
        application.instances_known
            && (serving || exporting())
            && !own.iter().any(|name| sign.exporters.contains(name))
    } else {
        instances.iter().all(lacks)
    };
    wrong.then(|| {
        let names: Vec<&str> = own.iter().map(String::as_str).collect();
        let metadata = application
            .metadata
            .iter()
            .filter(|((name, _), _)| own.contains(name))
            .filter_map(|(_, found)| match found {
                Metadata::Here { evidence, .. } => Some(evidence.clone()),
                _ => None,
            });
        let mappings = application.mappings.iter();
        let mut evidence: Vec<Evidence> = metadata
            .chain(mappings.filter_map(|mapping| mapping.evidence.clone()))
            .collect();
        evidence.truncate(SHOWN);
        Raised {
            code: Code::ProvidedByWrong,
            params: object(json!({
                "service": case.question.service.to_string(), "named": names, "mapped": mapped,
            })),
            subject: ("setting".to_owned(), "provided-by".to_owned()),
            evidence,
        }
    })
}

/// DG4002: no application that the mapping names has an instance here, and another one exports the interface.
fn mapped_elsewhere(case: &Case<'_>, mapped: &BTreeSet<String>) -> Option<Raised> {
    let application = &case.held.application;
    let has_instance = application
        .instances
        .iter()
        .any(|instance| mapped.contains(&instance.application));
    if has_instance || !application.instances_known {
        return None;
    }
    let sign = Sign::of(case);
    let others: Vec<String> = sign
        .exporters
        .iter()
        .filter(|name| !mapped.contains(*name))
        .filter(|name| {
            let mut others = application.others.iter().chain(&application.instances);
            others.any(|instance| instance.application == **name)
        })
        .cloned()
        .collect();
    if others.is_empty() {
        return None;
    }
    let mut evidence: Vec<Evidence> = application
        .mappings
        .iter()
        .filter_map(|mapping| mapping.evidence.clone())
        .chain(sign.evidence)
        .collect();
    evidence.truncate(SHOWN);
    Some(Raised {
        code: Code::MappingElsewhere,
        params: object(json!({
            "service": case.question.service.to_string(), "mapped": mapped, "applications": others,
            "place": application.mappings.first().map(|mapping| mapping.place.as_str()),
        })),
        subject: ("service".to_owned(), case.question.service.to_string()),
        evidence,
    })
}
