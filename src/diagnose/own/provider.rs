//! A provider's own words: it exports the service and is published nowhere, or it runs and does not export it.

use serde_json::json;

use crate::{
    diagnose::{
        Outcome,
        code::Code,
        outcome::{Judged, Limit},
        place,
        remarks::raised,
    },
    model::qos::listing::Model,
    question::{RegistryAddress, RegistryKind},
    report::words::Say,
    view::{
        interface::Case,
        own::{Own, OwnList, Process},
        stage::{Evidence, Raised, StageId, State},
    },
};

/// Names the cause where nothing is registered.
pub(super) fn overrule(own: &Own, case: &Case<'_>, list: Option<&OwnList>, judged: &mut Judged) {
    // A service definition outlives the registration that its mapping would lead to.
    let taken_out = is_taken_out(own, case);
    let unregistered = |raised: &Raised| {
        matches!(raised.code, Code::NotRegistered | Code::MappingMissing)
            || taken_out && raised.code == Code::NotInMetadata
    };
    let decided =
        judged.outcome == Outcome::None && judged.raised.as_ref().is_some_and(unregistered);
    let open = judged.outcome == Outcome::Unknown
        && judged
            .candidates
            .iter()
            .any(|(candidate, _)| unregistered(candidate));
    if !decided && !open {
        return;
    }
    if decided && elsewhere(own, case, judged) {
        return;
    }
    if decided && published(own, case).is_some() {
        // It says that it is registered: somewhere, then.
        judged.limits.insert(Limit::Sweep);
        return published_elsewhere(own, case, judged);
    }
    let gone = list.is_some_and(|list| list.is_empty() && list.has_no_application());
    if let Some((offline, both)) = own
        .processes
        .iter()
        .find_map(|process| offline(process, case))
    {
        let kept = judged.kept && !list.is_some_and(OwnList::is_empty);
        if kept {
            judged.candidates.push((offline, Say::KeptListUnknown));
            return;
        }
        let complete = both || gone || !case.dubbo().line().is_3x();
        if open && !complete {
            judged.candidates.push((offline, Say::EarlierStageUnknown));
            return;
        }
        settle(judged, offline);
        if !complete {
            judged.limits.insert(Limit::Rule);
        }
        return;
    }
    let silent = own
        .processes
        .iter()
        .find_map(|process| silent(process, case));
    if let Some(missing) = silent {
        if decided {
            settle(judged, missing);
            judged.limits.insert(Limit::Rule);
        } else {
            judged.candidates.push((missing, Say::ProviderMayExport));
        }
    }
}

/// A provider of exactly this service publishes it at another place of the registry, where it was found.
fn elsewhere(own: &Own, case: &Case<'_>, judged: &mut Judged) -> bool {
    let service = &case.question.service;
    let key = service.to_string();
    own.processes.iter().any(|process| {
        let published = process
            .exports(&service.interface)
            .find(|(row, _)| row.key == key && row.published.iter().any(|one| one.yes));
        let Some((_, seen)) = published else {
            return false;
        };
        let registries = process.config.iter().flat_map(|config| &config.registries);
        registries
            .filter_map(|address| RegistryAddress::parse(address).ok())
            .any(|address| place::settle_there(case, &place_of(&address), seen, judged))
    })
}

/// A provider of exactly this service that says that it is published, with what shows it.
fn published<'a>(own: &'a Own, case: &'a Case<'_>) -> Option<(&'a Process, &'a Evidence)> {
    let service = &case.question.service;
    let key = service.to_string();
    own.processes.iter().find_map(|process| {
        let mut rows = process.exports(&service.interface);
        let found = rows.find(|(row, _)| row.key == key && row.published.iter().any(|one| one.yes));
        found.map(|(_, seen)| (process, seen))
    })
}

/// Where it says that it is: another registry that its settings name, or one of which nothing is known.
fn published_elsewhere(own: &Own, case: &Case<'_>, judged: &mut Judged) {
    let Some((process, seen)) = published(own, case) else {
        return;
    };
    let key = case.question.service.to_string();
    let here = |address: &RegistryAddress| {
        case.registry.is_some_and(|registry| {
            registry.kind == address.kind
                && address
                    .members
                    .iter()
                    .any(|member| registry.members.contains(member))
        })
    };
    let registries = process.config.iter().flat_map(|config| &config.registries);
    let others: Vec<String> = registries
        .filter_map(|address| RegistryAddress::parse(address).ok())
        .filter(|address| !here(address))
        .map(|address| address.without_secrets().to_string())
        .collect();
    let found = others.first().map_or("-", String::as_str);
    let place = case.held.place.as_str();
    judged.candidates.push((
        raised(
            Code::OtherRegistry,
            json!({"service": key, "found": found, "wanted": place, "count": 1, "differs": ["registry"],
                "endpoint": process.endpoint}),
            ("service", &key),
            vec![seen.clone()],
        ),
        Say::ProviderSaysPublished,
    ));
}

/// The place in words of the registry.
fn place_of(address: &RegistryAddress) -> String {
    let group = address.group.as_ref().map(|(group, _)| group.as_str());
    match address.kind {
        RegistryKind::Nacos => format!(
            "{}/{}",
            address
                .namespace
                .as_deref()
                .filter(|name| !name.is_empty())
                .unwrap_or("public"),
            group.unwrap_or("DEFAULT_GROUP"),
        ),
        _ => format!("/{}", group.unwrap_or("dubbo").trim_start_matches('/')),
    }
}

/// Every instance is of a process that says that it took the service out: that is why its metadata lack it.
fn is_taken_out(own: &Own, case: &Case<'_>) -> bool {
    let off: Vec<&Process> = own
        .processes
        .iter()
        .filter(|process| offline(process, case).is_some())
        .collect();
    let mut instances = case.held.application.instances.iter();
    instances.all(|instance| {
        off.iter()
            .any(|process| process.hosts().contains(&*instance.host))
    })
}

/// DG6005: it exports the service and has taken it out of every registry; with whether both models were said.
fn offline(process: &Process, case: &Case<'_>) -> Option<(Raised, bool)> {
    let service = &case.question.service;
    let key = service.to_string();
    let (row, seen) = process.exports(&service.interface).find(|(row, _)| {
        row.key == key && !row.published.is_empty() && row.published.iter().all(|one| !one.yes)
    })?;
    let says = |model| row.published.iter().any(|one| one.model == Some(model));
    let name = process.applications().join(", ");
    let application = if name.is_empty() { "-" } else { &name };
    Some((
        raised(
            Code::ProviderOffline,
            json!({"service": key, "endpoint": process.endpoint, "application": application}),
            ("service", &key),
            vec![seen.clone()],
        ),
        says(Model::Interface) && says(Model::Application),
    ))
}

/// DG6004: an application that the mapping names runs, and does not export the service.
fn silent(process: &Process, case: &Case<'_>) -> Option<Raised> {
    let service = &case.question.service;
    let (_, seen) = process.listing.as_ref()?;
    let names = process.applications();
    let application = names
        .iter()
        .find(|name| case.held.application.mapped.contains(name))?;
    if process.exports(&service.interface).next().is_some() {
        return None;
    }
    let key = service.to_string();
    Some(raised(
        Code::ProviderNotExporting,
        json!({"service": key, "endpoint": process.endpoint, "application": application}),
        ("application", application),
        vec![seen.clone()],
    ))
}

fn settle(judged: &mut Judged, raised: Raised) {
    judged.outcome = Outcome::None;
    judged.candidates.clear();
    judged.blocked_by.clear();
    judged.limits.clear();
    judged.then.clear();
    judged.stage = Some(StageId::Key);
    for stage in &mut judged.view.stages {
        if stage.id == StageId::Key {
            stage.state = State::Failed;
            stage.raises = vec![raised.clone()];
            stage.not_seen.clear();
        } else if stage.id == StageId::Decision && stage.state == State::Unknown {
            stage.state = State::Skipped;
            stage.not_seen.clear();
            stage.because = Some(Say::NothingLeft.into());
        }
    }
    judged.raised = Some(raised);
}
