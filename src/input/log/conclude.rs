//! What the facts of one failure prove or point to. Conclusions are about the text alone; a verdict is made elsewhere.

use serde::Serialize;

use super::claim::Facts;
use super::fact::{Discovery, End, KeyClaim};
use super::failure::Failure;
use super::message::MessageId as Id;

/// A conclusion from the messages of one failure.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case", tag = "says", content = "what")]
pub enum Conclusion {
    /// The list was empty before any router was asked.
    BeforeRouting,
    /// Routers removed all addresses: the numbers say so, or the router itself.
    Routers,
    /// Addresses are known, the connections to all of them are lost.
    Connectivity,
    /// The addresses carry `disabled=true`: an override did it.
    DisabledByOverride,
    /// No application is known for the interface.
    MappingMissing,
    /// The caller's own deadline was used up before this call.
    UpstreamDeadline,
    /// The provider exports the interface under these keys, not under the asked one.
    ProviderExports(Vec<String>),
    /// The provider exports nothing of this interface.
    ProviderLacksInterface,
    /// The provider exports exactly what was asked, on another port than the one asked.
    ProviderExportsOnPort(u64),
    /// The request never left the consumer.
    RequestNotWritten,
    /// The document was rejected, what was in force before stays in force.
    PreviousRuleStays,
    /// The registry gave nothing for this key.
    RegistryGaveNothing,
    /// The addresses of before stay in use.
    OldAddressesStay,
    /// The consumer works on its cache file.
    WorksOnCache,
    /// The registry refused the client.
    RegistryRefused,
    /// The provider's pool is full.
    ProviderPoolFull,
    /// The consumer's own pool is full.
    ConsumerPoolFull,
}

/// Conclusions of one failure, sorted.
pub(super) fn conclude(failure: &Failure) -> Vec<Conclusion> {
    let mut found = Vec::new();
    let facts = failure.facts();
    counts(failure, &facts, &mut found);
    registry(failure, &facts, &mut found);
    call(failure, &mut found);
    let rejected = failure.has(Id::Rule) || failure.has(Id::TagRule) || failure.has(Id::Cfg);
    if rejected {
        found.push(Conclusion::PreviousRuleStays);
    }
    if failure.has(Id::Urls) && facts.disabled().is_some_and(|disabled| disabled.value) {
        found.push(Conclusion::DisabledByOverride);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The numbers decide, not the headline: lines 3.0 and 3.1 print "after route" for an empty list, too.
fn counts(failure: &Failure, facts: &Facts, found: &mut Vec<Conclusion>) {
    let number = |fact: Option<&super::fact::Fact<u64>>| fact.map(|fact| fact.value);
    let emptied =
        failure.has(Id::A) || failure.has(Id::B) || failure.has(Id::C) || failure.has(Id::D);
    let (invokers, valid) = (number(facts.invokers()), number(facts.valid()));
    match number(facts.route_input()) {
        Some(0) if failure.has(Id::C) => found.push(Conclusion::BeforeRouting),
        Some(_) if failure.has(Id::C) && facts.emptied_by().is_some() => {
            found.push(Conclusion::Routers);
        }
        _ => {}
    }
    if failure.has(Id::Force) || failure.has(Id::Block) || failure.has(Id::GoForce) {
        found.push(Conclusion::Routers);
    }
    if !emptied {
        return;
    }
    match (invokers, valid) {
        // From 3.0.5 on connections are looked at before the routers are asked.
        (Some(known), Some(0)) if known > 0 => found.push(Conclusion::Connectivity),
        (_, Some(valid)) if valid > 0 && failure.has(Id::B) && facts.route_input().is_none() => {
            found.push(Conclusion::Routers);
        }
        _ => {}
    }
}

fn registry(failure: &Failure, facts: &Facts, found: &mut Vec<Conclusion>) {
    if failure.has(Id::A) || failure.has(Id::AOld) || failure.has(Id::EmptyClear) {
        found.push(Conclusion::RegistryGaveNothing);
    }
    if failure.has(Id::EmptyKeep) {
        found.push(Conclusion::OldAddressesStay);
    }
    if failure.has(Id::SubCache) {
        found.push(Conclusion::WorksOnCache);
    }
    if facts.refused().is_some() {
        found.push(Conclusion::RegistryRefused);
    }
    // The subscribed key in place of applications: no application is known.
    let nothing_subscribed = facts
        .discovery()
        .is_some_and(|model| model.value == Discovery::Application)
        && facts
            .applications()
            .is_some_and(|applications| applications.value.is_empty());
    if failure.has(Id::MapNone) || nothing_subscribed {
        found.push(Conclusion::MappingMissing);
    }
}

fn call(failure: &Failure, found: &mut Vec<Conclusion>) {
    if failure.has(Id::NoLeft) {
        found.push(Conclusion::UpstreamDeadline);
    }
    for message in &failure.messages {
        let facts = &message.facts;
        match message.id {
            Id::Send if facts.written().is_some_and(|written| !written.value) => {
                found.push(Conclusion::RequestNotWritten);
            }
            Id::Pool => found.push(match facts.pool_side().map(|side| side.value) {
                Some(End::Consumer) => Conclusion::ConsumerPoolFull,
                _ => Conclusion::ProviderPoolFull,
            }),
            Id::NotExported => found.extend(exported(facts)),
            _ => {}
        }
    }
}

/// What the provider has of the asked interface.
fn exported(facts: &Facts) -> Option<Conclusion> {
    let asked = &facts.service()?.value;
    let same: Vec<(KeyClaim, &str, Option<u64>)> = facts
        .exported()?
        .value
        .iter()
        .filter_map(|entry| {
            let (key, port) = entry.rsplit_once(':').unwrap_or((entry, ""));
            Some((KeyClaim::parse(key)?, key, port.parse().ok()))
        })
        .filter(|(key, _, _)| key.interface == asked.interface)
        .collect();
    let exact = same.iter().find(|(key, _, _)| key == asked);
    match exact.and_then(|(_, _, port)| *port) {
        Some(port) => Some(Conclusion::ProviderExportsOnPort(port)),
        None if same.is_empty() => Some(Conclusion::ProviderLacksInterface),
        None => Some(Conclusion::ProviderExports(
            same.into_iter().map(|(_, key, _)| key.to_owned()).collect(),
        )),
    }
}
