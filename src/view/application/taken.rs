//! I: the instances of the applications that a client takes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{SHOWN, known::Instance, object};
use crate::{
    diagnose::code::Code,
    question::{ConsumerState, RegistryKind},
    view::{
        interface::Case,
        stage::{Dropped, Evidence, Raised, Stage, StageId, State},
    },
};

/// The stage, and what is left.
pub(super) fn stage<'a>(
    case: &Case<'a>,
    asked: &BTreeSet<String>,
    repaired: &BTreeSet<StageId>,
) -> (Stage, Vec<&'a Instance>) {
    let application = &case.held.application;
    let others = application.others.iter();
    let all: Vec<&Instance> = application
        .instances
        .iter()
        .chain(others)
        .filter(|instance| asked.contains(&instance.application))
        .collect();
    let (here, there): (Vec<&Instance>, Vec<&Instance>) = all
        .into_iter()
        .partition(|instance| application.is_read(instance, case.dubbo()));
    if repaired.contains(&StageId::Instances) {
        let is_dubbos = |instance: &&Instance| {
            !matches!(
                drop(case, instance),
                Some(Code::AlienInstance | Code::InstanceMetadataMissing)
            )
        };
        let all = here.into_iter().chain(there);
        let kept: Vec<&Instance> = all.filter(is_dubbos).collect();
        let stage = Stage {
            input: Some(kept.len()),
            output: Some(kept.len()),
            ..Stage::plain(StageId::Instances, State::Ok)
        };
        return (stage, kept);
    }
    let mut kept = Vec::new();
    let mut drops: BTreeMap<Code, Vec<&Instance>> = BTreeMap::new();
    for instance in &here {
        match drop(case, instance) {
            Some(code) => drops.entry(code).or_default().push(instance),
            None => kept.push(*instance),
        }
    }
    if kept.is_empty() && !application.instances_known {
        let stage = Stage {
            input: Some(here.len()),
            raises: raises(case, asked, &here, &there, &drops),
            ..Stage::unknown(StageId::Instances, application.not_seen.clone())
        };
        return (stage, kept);
    }
    let dropped = drops
        .iter()
        .flat_map(|(code, instances)| {
            instances.iter().map(|instance| Dropped {
                address: instance.address.clone(),
                code: *code,
                rule: None,
                position: None,
            })
        })
        .collect();
    let mut raises = raises(case, asked, &here, &there, &drops);
    if !kept.is_empty() {
        raises.retain(|raised| drops.contains_key(&raised.code));
    }
    let stage = Stage::counted(StageId::Instances, here.len(), kept.len(), dropped, raises);
    (stage, kept)
}

/// Why a client does not take an instance. Nacos clients ask for the healthy ones with a weight when they start; what is
/// pushed later they take as it is (`NacosServiceDiscovery.getInstances`, `handleEvent`).
fn drop(case: &Case<'_>, instance: &Instance) -> Option<Code> {
    if !instance.enabled {
        return Some(Code::AllDisabled);
    }
    let is_starting = case.world.state == ConsumerState::Starting;
    if is_starting && instance.weight <= 0.0 {
        return Some(Code::WeightZero);
    }
    if is_starting && !instance.healthy {
        return Some(Code::AllUnhealthy);
    }
    let says_dubbo = |name: &String| name.starts_with("dubbo.");
    if !instance.metadata.keys().any(says_dubbo) {
        return Some(Code::AlienInstance);
    }
    if instance.revision.is_none()
        && instance
            .metadata
            .contains_key("dubbo.metadata-service.urls")
    {
        return Some(Code::InstanceMetadataMissing);
    }
    None
}

/// What the empty stage raises, in the order in which the first hit is the verdict.
fn raises(
    case: &Case<'_>,
    asked: &BTreeSet<String>,
    here: &[&Instance],
    there: &[&Instance],
    drops: &BTreeMap<Code, Vec<&Instance>>,
) -> Vec<Raised> {
    let application = &case.held.application;
    let service = case.question.service.to_string();
    let names: Vec<&str> = asked.iter().map(String::as_str).collect();
    let list = names.join(", ");
    let evidence = |instances: &[&Instance]| -> Vec<Evidence> {
        let shown = instances.iter().take(SHOWN);
        shown.map(|instance| instance.evidence.clone()).collect()
    };
    let mut raised = Vec::new();
    if here.is_empty() && !there.is_empty() {
        raised.push(Raised {
            code: Code::RegistryGroupDiffers,
            params: object(json!({
                "service": service, "found": other_place(case), "wanted": case.held.place,
                "count": there.len(), "differs": ["group"], "applications": names,
            })),
            subject: ("service".to_owned(), service.clone()),
            evidence: evidence(there),
        });
    }
    let total = here.len();
    for code in [Code::AllDisabled, Code::WeightZero, Code::AllUnhealthy] {
        let Some(dropped) = drops.get(&code) else {
            continue;
        };
        let first = &dropped[0];
        raised.push(Raised {
            code,
            params: object(json!({
                "service": service, "count": dropped.len(), "total": total, "application": first.application,
                "address": first.address,
            })),
            subject: ("application".to_owned(), list.clone()),
            evidence: evidence(dropped),
        });
    }
    if let Some(dropped) = drops.get(&Code::InstanceMetadataMissing) {
        raised.push(Raised {
            code: Code::InstanceMetadataMissing,
            params: object(json!({
                "application": dropped[0].application, "lacks": "dubbo.metadata.revision",
                "count": dropped.len(), "address": dropped[0].address,
            })),
            subject: ("application".to_owned(), list.clone()),
            evidence: evidence(dropped),
        });
    }
    let aliens = drops
        .get(&Code::AlienInstance)
        .map_or(&[][..], Vec::as_slice);
    let entries: Vec<_> = application
        .aliens
        .iter()
        .filter(|alien| asked.contains(&alien.application))
        .collect();
    let first = aliens
        .first()
        .map(|instance| (&instance.address, &instance.application))
        .or_else(|| {
            entries
                .first()
                .map(|alien| (&alien.name, &alien.application))
        });
    if let Some((name, of)) = first {
        let mut shown = evidence(aliens);
        shown.extend(entries.iter().map(|alien| alien.evidence.clone()));
        shown.truncate(SHOWN);
        raised.push(Raised {
            code: Code::AlienInstance,
            params: object(json!({
                "application": of, "entry": name, "count": aliens.len() + entries.len(),
            })),
            subject: ("application".to_owned(), list.clone()),
            evidence: shown,
        });
    }
    raised.push(Raised {
        code: Code::NotRegistered,
        params: object(json!({
            "service": service, "place": case.held.place, "applications": names,
        })),
        subject: ("service".to_owned(), service),
        evidence: application
            .mappings
            .iter()
            .filter_map(|mapping| mapping.evidence.clone())
            .take(SHOWN)
            .collect(),
    });
    raised
}

/// The place that this version does not read.
fn other_place(case: &Case<'_>) -> String {
    let group = case
        .registry
        .and_then(|registry| registry.group.as_ref())
        .map_or("-", |(group, _)| group.as_str());
    let application = &case.held.application;
    let in_group = application
        .instances
        .iter()
        .any(|instance| instance.in_group);
    match (application.grouped, in_group) {
        (_, true) => group.to_owned(),
        (Some(RegistryKind::Nacos), _) => "DEFAULT_GROUP".to_owned(),
        _ => "/services".to_owned(),
    }
}
