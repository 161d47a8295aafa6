//! What the processes themselves say, beside what the registry explains: the consumer's own list decides, a provider
//! that was taken offline names the cause.
//!
//! A list in the consumer is the last word about addresses and says nothing about routers: those are judged as before,
//! or by what the consumer was watched doing.

mod empty;
mod provider;
mod remarks;
mod routers;

use std::collections::BTreeSet;

use serde_json::json;

use self::empty::{empty, unconnected};
use self::routers::{Routing, routes_nothing, routing};
use super::{
    Outcome,
    code::Code,
    gather::Registry,
    outcome::{Judged, Limit},
    text::{Proof, settle},
};
use crate::{
    model::{metadata::ServiceInfo, qos::listing::Step, service_key::ServiceKey},
    question::{ConsumerState, Question, RegistryAddress, RegistryKind},
    report::words::{Phrase, Say},
    rule::migration as rule,
    view::{
        application::Told,
        held::Entry,
        interface::Case,
        migration::{self, Origin, Seen},
        own::{Own, OwnList, Process},
        stage::{Evidence, NotSeen, Raised, StageId, State},
    },
};

pub(super) use remarks::remarks;

/// Answers of one run are of one moment, whichever came first, milliseconds.
const SAME_MOMENT_MS: i64 = 10_000;

/// Entries that are younger than this when the list was seen may not have arrived, milliseconds.
const ARRIVES_WITHIN_MS: i64 = 5_000;

/// Lets the consumer's own list and its providers' words count for the stages they speak of. `alone` = the registry is
/// the only one. Of several consumers each is looked at: they say the same, or nobody knows which is asked about.
pub(super) fn overrule(
    own: &Own,
    case: &Case<'_>,
    registry: &Registry,
    alone: bool,
    judged: &mut Judged,
) {
    let question = case.question;
    let mut results = own
        .apart(&question.service, &question.consumer)
        .into_iter()
        .map(|own| {
            let mut judged = judged.clone();
            by_one(&own, case, registry, alone, &mut judged);
            judged
        });
    let Some(first) = results.next() else { return };
    let others: Vec<Judged> = results
        .filter(|other| (other.outcome, other.code()) != (first.outcome, first.code()))
        .collect();
    *judged = first;
    if others.is_empty() {
        return;
    }
    let raised = others.iter().filter_map(|other| other.raised.clone());
    let candidates: Vec<_> = raised.map(|raised| (raised, Say::OwnListsDiffer)).collect();
    doubt(judged, Say::OwnListsDiffer);
    judged.candidates.extend(candidates);
    if let Some(fact) = judged.blocked_by.last_mut() {
        fact.what = Say::WhichConsumer.into();
        fact.how_to_see = Some(Say::HowWhichConsumer.into());
    }
}

fn by_one(own: &Own, case: &Case<'_>, registry: &Registry, alone: bool, judged: &mut Judged) {
    if own.processes.is_empty() || judged.stage == Some(StageId::Question) {
        return;
    }
    let question = case.question;
    let address = registry.address.as_ref();
    let list = own.list(&question.service, &question.consumer, address, alone);
    provider::overrule(own, case, list.as_ref(), judged);
    let Some(list) = list else {
        untold(own, case, judged);
        return never_found(own, case, judged);
    };
    mark(judged, &list);
    if list.is_usable() {
        usable(own, case, &list, judged);
    } else if list.is_empty() {
        empty(case, &list, judged);
    } else if list.is_unconnected() {
        unconnected(case, &list, judged);
    } else if list.is_switched_off() && judged.outcome == Outcome::Reachable && !judged.kept {
        switched_off(&list, judged);
    }
    if judged.outcome == Outcome::Reachable && routes_nothing(own, case, &list) {
        doubt(judged, Say::RoutersLose);
    }
}

/// What the registry lists, the consumer has, and has switched off (`AbstractDirectory.disabledInvokers`): who did it, it
/// does not say.
fn switched_off(list: &OwnList, judged: &mut Judged) {
    let registry = judged.view.left.len();
    let candidate = super::remarks::raised(
        Code::ConsumerViewDiffers,
        json!({"missing": registry, "own": list.count(), "disabled": list.disabled}),
        ("consumer", "list"),
        shown(list),
    );
    doubt(judged, Say::OwnListDisabled);
    judged.candidates.push((candidate, Say::OwnListDisabled));
}

/// Nobody can connect, and the provider's own process says that it listens at another port than it registered: that is
/// the cause. Where ports are mapped on the way, the numbers differ and connections work; so it is none alone.
pub(super) fn name_port(own: &Own, case: &Case<'_>, judged: &mut Judged) {
    let refused = judged.outcome == Outcome::None
        && judged.stage == Some(StageId::Connectivity)
        && judged.code() == Some(Code::AddressUnreachable);
    if !refused {
        return;
    }
    let found: Vec<Raised> = own
        .processes
        .iter()
        .flat_map(|process| remarks::not_listening(process, case.question, case.held))
        .collect();
    let connecting = if judged.view.connecting.is_empty() {
        &judged.view.bound
    } else {
        &judged.view.connecting
    };
    let is_found = |address: &String| found.iter().any(|raised| raised.subject.1 == *address);
    if connecting.is_empty() || !connecting.iter().all(is_found) {
        return;
    }
    let Some(mut named) = found.first().cloned() else {
        return;
    };
    if let Some(raised) = judged.raised.take() {
        named.evidence.extend(raised.evidence.into_iter().take(2));
    }
    if let Some(stage) = judged.view.stage_mut(&StageId::Connectivity) {
        for dropped in &mut stage.dropped {
            dropped.code = Code::AddressNotExported;
        }
        stage.raises = vec![named.clone()];
    }
    judged.emptied = Some(named.clone());
    judged.raised = Some(named);
    judged.limits.insert(Limit::Rule);
}

/// What providers say on their ports that they export, put where the registry's answers stand: the services of instances
/// that keep their metadata to themselves. The path of a service is not said; it is the interface unless set otherwise.
pub(super) fn complete(own: &Own, registries: &mut [Registry]) {
    let mut told = Vec::new();
    for process in own.processes.iter().filter(|one| one.elsewhere.is_none()) {
        let Some((listing, seen)) = &process.listing else {
            continue;
        };
        let hosts = process.hosts();
        for application in process.applications() {
            for row in listing
                .provider
                .iter()
                .filter(|row| row.is_by_application())
            {
                let Ok(key) = ServiceKey::parse_dubbo(&row.key) else {
                    continue;
                };
                let service = ServiceInfo {
                    key: String::new(),
                    path: Some(key.interface.clone()),
                    name: Some(key.interface),
                    group: key.group,
                    version: key.version,
                    protocol: Some("dubbo".to_owned()),
                    port: None,
                    params: Vec::new(),
                };
                told.extend(hosts.iter().map(|host| Told {
                    host: (*host).to_owned(),
                    application: Some(application.clone()),
                    service: service.clone(),
                    evidence: seen.clone(),
                }));
            }
        }
    }
    for held in registries
        .iter_mut()
        .flat_map(|registry| &mut registry.held)
    {
        let known = &mut held.application.told;
        // What a log says of a service, it says with its path.
        let more = told.iter().filter(|one| {
            let same =
                |other: &Told| other.host == one.host && other.service.name == one.service.name;
            !known.iter().any(same)
        });
        let more: Vec<Told> = more.cloned().collect();
        known.extend(more);
    }
}

/// Whether a consumer that starts would take another step than the list has, by what is set or ruled: the list is of a run
/// before that.
fn is_set_otherwise(case: &Case<'_>, list: &OwnList) -> bool {
    let Some(own) = list.step.map(step_of) else {
        return false;
    };
    let sight = migration::sight(case, None);
    case.world.state == ConsumerState::Starting
        && sight.worlds.iter().all(|world| {
            let is_default = world.origin == Origin::Default;
            let before = world.before.as_ref().map(|before| before.step);
            !is_default && world.step != own && before != Some(own)
        })
}

fn step_of(own: Step) -> rule::Step {
    match own {
        Step::ForceInterface => rule::Step::ForceInterface,
        Step::ApplicationFirst => rule::Step::ApplicationFirst,
        Step::ForceApplication => rule::Step::ForceApplication,
    }
}

/// The step of the migration that the consumer says it has.
pub(super) fn step(
    own: &Own,
    question: &Question,
    registry: Option<&RegistryAddress>,
    alone: bool,
) -> Option<Seen> {
    let mut lists = own
        .apart(&question.service, &question.consumer)
        .into_iter()
        .map(|own| own.list(&question.service, &question.consumer, registry, alone));
    let list = lists.next()??;
    let same = |other: &Option<OwnList>| other.as_ref().is_some_and(|one| one.step == list.step);
    if !lists.all(|other| same(&other)) {
        return None;
    }
    Some(Seen {
        step: step_of(list.step?),
        evidence: shown(&list).into_iter().next()?,
        now: true,
    })
}

/// What a list says, as evidence.
pub(super) fn shown(list: &OwnList) -> Vec<Evidence> {
    let fact = says(list);
    list.evidence
        .iter()
        .take(2)
        .map(|seen| Evidence {
            fact: fact.clone(),
            ..seen.clone()
        })
        .collect()
}

fn says(list: &OwnList) -> Phrase {
    let step = list.step.map_or("-", Step::as_str);
    match list.count() {
        Some(0) => Phrase::new(Say::OwnListEmpty),
        count => Phrase::new(Say::OwnListHas).with(
            "count",
            count.map_or_else(|| "-".to_owned(), |n| n.to_string()),
        ),
    }
    .with("step", step)
}

/// Says why the list is not seen although a port was asked for it.
fn untold(own: &Own, case: &Case<'_>, judged: &mut Judged) {
    let question = case.question;
    let of_consumer = own.consumer(&question.service, &question.consumer);
    let refusing = || {
        let deaf = |process: &&Process| {
            let said = !process.refused.is_empty() || !process.raw.is_empty();
            process.listing.is_none() && said
        };
        own.processes.iter().find(deaf)
    };
    if let Some((process, keys)) = own.other_keys(&question.service, &question.consumer) {
        let stage = judged.view.stage_mut(&StageId::ConsumerView);
        let missing = stage.into_iter().flat_map(|stage| &mut stage.not_seen);
        for fact in missing.filter(|fact| fact.why.say == Say::NotAsked) {
            fact.why = Phrase::new(Say::QosListsOther)
                .with("endpoint", &*process.endpoint)
                .with("keys", keys.join(", "));
            let first = keys.first().map(|key| format!("'{key}'"));
            fact.how_to_see = first.map(|name| Phrase::new(Say::HowAskFull).with("name", name));
        }
        return;
    }
    let elsewhere = || {
        let mut processes = own.processes.iter();
        processes.find_map(|process| Some((process, process.elsewhere.as_ref()?)))
    };
    if of_consumer.is_none()
        && let Some((process, registry)) = elsewhere()
    {
        let stage = judged.view.stage_mut(&StageId::ConsumerView);
        let missing = stage.into_iter().flat_map(|stage| &mut stage.not_seen);
        for fact in missing.filter(|fact| fact.why.say == Say::NotAsked) {
            fact.why = Phrase::new(Say::QosLooksElsewhere)
                .with("endpoint", &*process.endpoint)
                .with("registry", registry);
        }
        return;
    }
    let (say, how, process) = match (of_consumer, refusing()) {
        (Some(process), _) => (Say::QosTellsNoList, Say::HowAttachLog, process),
        (None, Some(process)) => (Say::QosRefusedHere, Say::HowQos, process),
        (None, None) => return,
    };
    let stage = judged.view.stage_mut(&StageId::ConsumerView);
    let missing = stage.into_iter().flat_map(|stage| &mut stage.not_seen);
    for fact in missing.filter(|fact| fact.why.say == Say::NotAsked) {
        fact.why = Phrase::new(say).with("endpoint", &*process.endpoint);
        fact.how_to_see = Some(how.into());
    }
}

/// The registry is of a kind that is not read, the consumer says that it never found this service, and a provider that
/// was asked exports exactly that.
fn never_found(own: &Own, case: &Case<'_>, judged: &mut Judged) {
    let unread = case
        .registry
        .is_some_and(|registry| registry.kind == RegistryKind::Other);
    let mut candidates = judged.candidates.iter();
    let lost = candidates.find(|(raised, _)| raised.code == Code::ConsumerListStale);
    let Some((raised, _)) = lost.filter(|_| unread && judged.outcome == Outcome::Unknown) else {
        return;
    };
    let mut raised = raised.clone();
    let key = case.question.service.to_string();
    let exported = own
        .processes
        .iter()
        .flat_map(|process| process.exports(&case.question.service.interface))
        .find(|(row, _)| row.key == key && row.published.iter().any(|one| one.yes));
    if let Some((_, seen)) = exported {
        raised.evidence.push(seen.clone());
        settle(judged, StageId::ConsumerView, &Proof { raised, own: true });
        judged.limits.insert(Limit::Client);
    }
}

/// Shows the list in its stage.
fn mark(judged: &mut Judged, list: &OwnList) {
    let count = list.count().and_then(|count| usize::try_from(count).ok());
    if let Some(stage) = judged.view.stage_mut(&StageId::ConsumerView) {
        stage.state = State::Ok;
        stage.not_seen.clear();
        stage.because = Some(says(list));
        stage.output = count;
    }
}

/// Whether the list was seen before the facts of this cause.
fn is_older(list: &OwnList, raised: Option<&Raised>) -> bool {
    let facts = raised
        .into_iter()
        .flat_map(|raised| &raised.evidence)
        .filter_map(|seen| seen.seen_at.as_deref()?.parse::<jiff::Timestamp>().ok())
        .max();
    match (list.seen_at(), facts) {
        (Some(list), Some(facts)) => {
            list.as_millisecond() + SAME_MOMENT_MS < facts.as_millisecond()
        }
        _ => false,
    }
}

/// It has addresses: whatever stage before the routers left nothing, left something after all.
fn usable(own: &Own, case: &Case<'_>, list: &OwnList, judged: &mut Judged) {
    let at_routers = matches!(judged.stage, Some(StageId::Router(_)));
    let settled = matches!(judged.outcome, Outcome::Reachable | Outcome::Partly);
    let behind = judged
        .stage
        .as_ref()
        .is_some_and(|stage| *stage >= StageId::Serialization);
    // The consumer's own log says that calls fail.
    let doubted = judged
        .blocked_by
        .iter()
        .any(|fact| fact.why.say == Say::LogDisagrees);
    if settled || at_routers || behind || doubted {
        return;
    }
    if is_set_otherwise(case, list) {
        judged.limits.insert(Limit::Contradiction);
        return;
    }
    let read = judged.view.stage(&StageId::Reach);
    if read.is_some_and(|stage| stage.state != State::Ok) {
        if !list.is_tagged && routing(own, case, list, judged) == Routing::Passes {
            judged.live_on(case);
        }
        return;
    }
    // What only could have been the cause is none once it is seen not to be.
    let failed = judged.view.failed();
    let reason = failed.and(judged.raised.clone().or_else(|| judged.emptied.clone()));
    if is_older(list, reason.as_ref()) {
        doubt(judged, Say::OwnListOlder);
        return;
    }
    if judged.outcome == Outcome::None && judged.stage == Some(StageId::Connectivity) {
        // Its own log says that it cannot connect. Lists before 3.2 do not know of connections, and a later one knows
        // when a call was tried. Who is connected and silent stands in every list.
        let silent = judged.code() == Some(Code::AcceptsButSilent);
        if case.dubbo().at_least([3, 2, 0]) && !silent {
            doubt(judged, Say::OwnListDisagrees);
        }
        return;
    }
    if is_gone(case, list) && !is_exported(own, case) {
        // Nobody says that they are still there: a list of those who left is no sign of life.
        if judged.outcome == Outcome::None && !judged.kept {
            doubt(judged, Say::OwnListDisagrees);
        }
        return;
    }
    if is_set_otherwise(case, list) || routing(own, case, list, judged) != Routing::Passes {
        // Addresses are there; what rules make of them is as unknown as before.
        if judged.outcome == Outcome::None {
            doubt(judged, Say::OwnListDisagrees);
        }
        return;
    }
    judged.outcome = Outcome::Reachable;
    judged.emptied = reason;
    judged.raised = None;
    judged.candidates.clear();
    judged.blocked_by.clear();
    judged.limits.clear();
    judged.then.clear();
    judged.contributors.clear();
    passed(judged);
}

/// Everything in the list has left the registry, by either model.
fn is_gone(case: &Case<'_>, list: &OwnList) -> bool {
    let application = &case.held.application;
    let known = case.held.listing.is_known()
        && (application.is_absent() || application.mapping_known && application.instances_known)
        && application.hidden() == 0;
    let instances = application.instances.iter().map(|one| &one.address);
    let here: BTreeSet<String> = case
        .held
        .entries
        .iter()
        .map(Entry::address)
        .chain(instances.cloned())
        .collect();
    known && here.is_disjoint(&list.addresses) && (here.is_empty() || !list.addresses.is_empty())
}

/// A provider of exactly this service runs: it answers on its QOS port.
fn is_exported(own: &Own, case: &Case<'_>) -> bool {
    let service = &case.question.service;
    let key = service.to_string();
    own.processes
        .iter()
        .flat_map(|process| process.exports(&service.interface))
        .any(|(row, _)| row.key == key)
}

/// Stages of which something was not seen count as passed: a later one was.
fn passed(judged: &mut Judged) {
    for stage in &mut judged.view.stages {
        let before = stage.id < StageId::Serialization && stage.id != StageId::Connectivity;
        if before && stage.state == State::Unknown {
            stage.state = State::Ok;
            stage.not_seen.clear();
            // What could have been the cause there was none.
            stage.raises.clear();
            stage.because = Some(Say::OwnListDecides.into());
        }
    }
}

/// The answer becomes a candidate: the list says something else, or was seen too early to say.
pub(super) fn doubt(judged: &mut Judged, why: Say) {
    if let Some(raised) = judged.raised.take() {
        judged.emptied.get_or_insert_with(|| raised.clone());
        judged.candidates.push((raised, why));
    }
    judged.outcome = Outcome::Unknown;
    judged.then.clear();
    judged.blocked_by.push(NotSeen {
        what: Say::OwnViewLayer.into(),
        why: why.into(),
        how_to_see: Some(Say::HowQos.into()),
        required: true,
    });
}
