//! Which of several registries a consumer's calls go to, and what follows from that for the answer.
//!
//! Until 2.7.4 the first registry with an available provider is asked (`AvailableClusterInvoker`, from 2.7.0
//! `RegistryAwareClusterInvoker`); from 2.7.5 on `ZoneAwareClusterInvoker` decides by preference, zone and weight.
//! "Available" is meant before routing: a registry whose providers are all routed away is still chosen.

use serde_json::json;

use super::{
    Outcome,
    code::Code,
    gather::Registry,
    outcome::{Judged, Limit},
};
use crate::{
    budget::balance::{self, Member, zone_aware},
    model::{url::Url, version::DubboVersion},
    question::{Question, RegistryAddress, World},
    report::words::{Phrase, Say},
    view::stage::{NotSeen, Raised, StageId, State},
};

/// So many registries may be open at once; more are not tried out.
const OPEN: usize = 6;

/// The registries that are asked, and those that could answer and are not.
#[derive(Debug)]
pub(super) struct Chosen {
    /// What decides.
    pub(super) judged: Judged,
    /// DG2112: a registry that could answer is passed over.
    pub(super) passed_over: Option<Raised>,
}

/// Joins the results of the registries of one consumer in one world. There is at least one.
pub(super) fn choose(
    question: &Question,
    world: &World,
    results: &[(&Registry, Judged)],
) -> Chosen {
    let (_, first) = &results[0];
    let alone = |judged: Judged| Chosen {
        judged,
        passed_over: None,
    };
    let agree = is_settled(first) && results.iter().all(|(_, other)| is_same(first, other));
    if results.len() == 1 || agree && first.outcome == Outcome::None {
        return alone(joined(results));
    }
    if let Some(open) = other_rule(question, results) {
        return alone(if agree {
            joined(results)
        } else {
            undecided(results, open)
        });
    }
    let states: Vec<Available> = results
        .iter()
        .map(|(_, judged)| available(judged))
        .collect();
    let open: Vec<usize> = (0..states.len())
        .filter(|place| states[*place] == Available::Open)
        .collect();
    if open.len() > OPEN {
        return alone(undecided(results, Say::OtherRegistryDiffers.into()));
    }
    let mut asked: Vec<usize> = Vec::new();
    let (mut nothing, mut forced) = (false, false);
    for guess in 0..1_u32 << open.len() {
        let is_available: Vec<bool> = (0..states.len())
            .map(|place| match open.iter().position(|at| *at == place) {
                Some(bit) => guess >> bit & 1 == 1,
                None => states[place] == Available::Yes,
            })
            .collect();
        match pick(question, &world.dubbo, results, &is_available) {
            Pick::OneOf(places) => asked.extend(places),
            Pick::Nothing => nothing = true,
            Pick::ZoneForced => forced = true,
            Pick::NotKnown(why) => return alone(undecided(results, why)),
        }
    }
    asked.sort_unstable();
    asked.dedup();
    if forced {
        return alone(if asked.is_empty() && !nothing {
            in_zone(question, results)
        } else {
            undecided(results, Say::OtherRegistryDiffers.into())
        });
    }
    let Some(place) = asked.first() else {
        return alone(nowhere(results));
    };
    let judged = &results[*place].1;
    let agree = asked
        .iter()
        .all(|other| is_same(judged, &results[*other].1));
    if nothing || !agree {
        return alone(undecided(results, Say::OtherRegistryDiffers.into()));
    }
    Chosen {
        judged: judged.clone(),
        passed_over: passed_over(question, world, results, &states, &asked),
    }
}

/// Whether a registry has an available provider, before routing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Available {
    Yes,
    No,
    /// It depends on something that was not seen.
    Open,
}

fn available(judged: &Judged) -> Available {
    let behind = |id: &StageId| *id > StageId::Connectivity;
    match judged.outcome {
        Outcome::Reachable | Outcome::Partly => Available::Yes,
        Outcome::None if judged.stage.as_ref().is_some_and(behind) => Available::Yes,
        Outcome::None => Available::No,
        Outcome::Unknown => {
            let early_trouble = judged.view.stages.iter().any(|stage| {
                let required = stage.not_seen.iter().any(|fact| fact.required);
                !behind(&stage.id)
                    && (stage.state == State::Failed || stage.state == State::Unknown && required)
            });
            if early_trouble || judged.view.stages.is_empty() || !judged.candidates.is_empty() {
                Available::Open
            } else {
                Available::Yes
            }
        }
    }
}

fn is_same(one: &Judged, other: &Judged) -> bool {
    (one.outcome, one.code()) == (other.outcome, other.code())
}

fn is_settled(judged: &Judged) -> bool {
    judged.outcome != Outcome::Unknown
}

/// What a call does.
enum Pick {
    OneOf(Vec<usize>),
    Nothing,
    ZoneForced,
    NotKnown(Phrase),
}

fn pick(
    question: &Question,
    version: &DubboVersion,
    results: &[(&Registry, Judged)],
    available: &[bool],
) -> Pick {
    if !available.iter().any(|yes| *yes) && !is_forced(question, version) {
        return Pick::Nothing;
    }
    if !version.at_least([2, 7, 5]) {
        // 2.7.0 on: one that is marked as the default goes first.
        let marked = |place: &usize| {
            let params = results[*place]
                .0
                .address
                .as_ref()
                .map(|address| &address.params);
            version.at_least([2, 7])
                && params.is_some_and(|params| {
                    ["default", "registry.default"]
                        .iter()
                        .any(|name| params.get(*name).is_some_and(|value| value == "true"))
                })
        };
        let open: Vec<usize> = (0..available.len())
            .filter(|place| available[*place])
            .collect();
        let place = open.iter().copied().find(marked).or(open.first().copied());
        return place.map_or(Pick::Nothing, |place| Pick::OneOf(vec![place]));
    }
    let members: Vec<Member> = results
        .iter()
        .zip(available)
        .map(|((registry, _), available)| Member {
            url: registry_url(registry.address.as_ref()),
            available: *available,
        })
        .collect();
    let attachment = |name: &str| {
        question
            .invocation
            .attachments
            .get(name)
            .map(String::as_str)
    };
    let choice = zone_aware(
        &members,
        attachment("registry_zone"),
        attachment("registry_zone_force"),
        version,
    );
    match choice {
        Ok(balance::Choice::OneOf(places)) => {
            Pick::OneOf(places.into_iter().map(|(place, _)| place).collect())
        }
        Ok(balance::Choice::ZoneForced) => Pick::ZoneForced,
        Ok(balance::Choice::NoneAvailable) => Pick::Nothing,
        Err(_) => Pick::NotKnown(Say::OtherRegistryDiffers.into()),
    }
}

fn is_forced(question: &Question, version: &DubboVersion) -> bool {
    let attachments = &question.invocation.attachments;
    version.at_least([2, 7, 5])
        && attachments
            .get("registry_zone")
            .is_some_and(|zone| !zone.is_empty())
        && attachments
            .get("registry_zone_force")
            .is_some_and(|force| force.eq_ignore_ascii_case("true"))
}

fn registry_url(address: Option<&RegistryAddress>) -> Url {
    Url {
        protocol: address.map(|address| address.scheme.clone()),
        username: None,
        password: None,
        host: None,
        port: 0,
        path: None,
        parameters: address
            .map(|address| address.params.clone())
            .unwrap_or_default(),
    }
}

/// Settings that let something else choose: another cluster over the registries, or names of registries, which an
/// address does not have.
fn other_rule(question: &Question, results: &[(&Registry, Judged)]) -> Option<Phrase> {
    let by_name = question
        .consumer
        .params
        .get("registry")
        .filter(|names| !names.is_empty() && *names != "N/A")
        .map(|names| format!("registry={names}"));
    let by_cluster = results
        .iter()
        .filter_map(|(registry, _)| registry.address.as_ref()?.params.get("cluster"))
        .find(|cluster| *cluster != "zone-aware" && *cluster != "zoneAware")
        .map(|cluster| format!("cluster={cluster}"));
    by_name
        .or(by_cluster)
        .map(|name| Phrase::new(Say::LayerSeveralRegistries).with("name", name))
}

/// All say the same: what keeps one of them from being certain keeps the whole from it.
fn joined(results: &[(&Registry, Judged)]) -> Judged {
    let mut judged = results[0].1.clone();
    for (_, other) in &results[1..] {
        judged.limits.extend(other.limits.iter().copied());
    }
    judged
}

/// No registry has a provider. What is closest to a cause decides: anything but "nothing is registered", then what came
/// further, then the order of the configuration.
fn nowhere(results: &[(&Registry, Judged)]) -> Judged {
    let place = (0..results.len())
        .min_by_key(|place| {
            let judged = &results[*place].1;
            (
                judged.outcome != Outcome::None,
                judged.code() == Some(Code::NotRegistered),
                std::cmp::Reverse(judged.stage.clone()),
                *place,
            )
        })
        .unwrap_or_default();
    let mut judged = results[place].1.clone();
    for (at, (_, other)) in results.iter().enumerate() {
        if at == place {
            continue;
        }
        judged.limits.extend(other.limits.iter().copied());
        if let Some(raised) = other.raised.clone().filter(|_| !is_same(&judged, other)) {
            judged.limits.insert(Limit::Rule);
            judged.candidates.push((raised, Say::OtherRegistryDiffers));
        }
    }
    judged
}

/// The call insists on a zone: the registry of that zone has nothing, or there is none.
fn in_zone(question: &Question, results: &[(&Registry, Judged)]) -> Judged {
    let wanted = question.invocation.attachments.get("registry_zone");
    let of_zone: Vec<&(&Registry, Judged)> = results
        .iter()
        .filter(|(registry, _)| {
            let address = registry.address.as_ref();
            address.and_then(|address| address.params.get("zone")) == wanted
        })
        .collect();
    match of_zone.as_slice() {
        [(_, judged)] => judged.clone(),
        _ => undecided(results, Say::OtherRegistryDiffers.into()),
    }
}

/// It depends on the choice.
fn undecided(results: &[(&Registry, Judged)], why: Phrase) -> Judged {
    let unknown = results
        .iter()
        .map(|(_, judged)| judged)
        .find(|judged| judged.outcome == Outcome::Unknown);
    let mut judged = unknown.unwrap_or(&results[0].1).clone();
    for (_, other) in results {
        judged.candidates.extend(
            other
                .raised
                .clone()
                .map(|raised| (raised, Say::OtherRegistryDiffers)),
        );
        judged.candidates.extend(other.candidates.iter().cloned());
    }
    judged.outcome = Outcome::Unknown;
    judged.raised = None;
    judged.then.clear();
    if judged.blocked_by.is_empty() {
        judged.blocked_by.push(NotSeen {
            what: Phrase::new(Say::LayerSeveralRegistries).with("name", results.len().to_string()),
            why,
            how_to_see: Some(Say::HowQos.into()),
            required: true,
        });
    }
    judged
}

/// DG2112: a registry that has a provider is not asked.
fn passed_over(
    question: &Question,
    world: &World,
    results: &[(&Registry, Judged)],
    states: &[Available],
    asked: &[usize],
) -> Option<Raised> {
    let name = |place: &usize| {
        results[*place]
            .0
            .address
            .as_ref()
            .map_or_else(|| "-".to_owned(), ToString::to_string)
    };
    let passed: Vec<String> = (0..results.len())
        .filter(|place| states[*place] == Available::Yes && !asked.contains(place))
        .map(|place| name(&place))
        .collect();
    if passed.is_empty() {
        return None;
    }
    let chosen: Vec<String> = asked.iter().map(name).collect();
    let preferred = |place: &usize| {
        let key = if world.dubbo.line().is_3x() {
            "preferred"
        } else {
            "registry.preferred"
        };
        registry_url(results[*place].0.address.as_ref()).flag(key, false)
    };
    let by = if !world.dubbo.at_least([2, 7, 5]) {
        "order"
    } else if asked.iter().any(preferred) {
        "preferred"
    } else if question
        .invocation
        .attachments
        .contains_key("registry_zone")
    {
        "zone"
    } else {
        "weight"
    };
    let params = json!({"chosen": chosen, "passed": passed, "by": by});
    Some(Raised {
        code: Code::RegistryChoice,
        params: params.as_object().cloned().unwrap_or_default(),
        subject: ("registry".to_owned(), chosen.join(", ")),
        evidence: Vec::new(),
    })
}
