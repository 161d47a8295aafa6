//! Facts that are findings whatever the verdict: addresses that look wrong, directories that only consumers made ..

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    Certainty, Outcome, cached,
    code::Code,
    decide::{Computed, Overall},
    defects, findings, health, models, own, probed, refused, zones,
};
use crate::{
    question::Client,
    report::words::{Phrase, Say},
    rule::overridden::is_misspelt,
    snapshot::Ended,
    view::{
        held::{Entry, Held, Reach},
        stage::{Evidence, Raised, StageId, State},
    },
};

/// How many addresses get a finding of their own; the rest is counted in the last one's parameters.
pub(super) const SHOWN: usize = 5;

/// Everything worth a finding beside the verdict: what, how sure, whether it is lowered.
pub(super) fn remarks(computed: &Computed<'_>) -> Vec<(Raised, Certainty, bool)> {
    let mut found = Vec::new();
    if let Some(raised) = findings::version_assumed(computed) {
        found.push((raised, Certainty::Certain, false));
    }
    found.extend(
        defects::known(computed)
            .into_iter()
            .map(|raised| (raised, Certainty::Certain, false)),
    );
    found.extend(
        computed
            .said
            .cut_lists()
            .iter()
            .map(|raised| (raised.clone(), Certainty::Certain, false)),
    );
    found.extend(misspelt(computed).map(|raised| (raised, Certainty::Likely, false)));
    if let Some(raised) = partial_recording(computed) {
        found.push((raised, Certainty::Certain, false));
    }
    if computed.question.consumer.client == Some(Client::Go) {
        found.push((
            raised(
                Code::ClientNotModelled,
                json!({"client": "dubbo-go"}),
                ("consumer", "client"),
                Vec::new(),
            ),
            Certainty::Certain,
            false,
        ));
    }
    let foreign = computed.question.registries.iter().find(|registry| {
        // The registry of Spring Cloud Alibaba: its services are Spring's, with metadata of their own.
        registry.scheme == "spring-cloud"
    });
    if foreign.is_some() {
        found.push((
            raised(
                Code::ClientNotModelled,
                json!({"client": "Spring Cloud Alibaba"}),
                ("consumer", "client"),
                Vec::new(),
            ),
            Certainty::Certain,
            false,
        ));
    }
    if computed.states.iter().any(|state| state.disagree) {
        found.push((disagreement(computed), Certainty::Certain, false));
    }
    let reachable = computed.outcome == Outcome::Reachable;
    found.extend(zones::remarks(computed));
    found.extend(
        computed.states[0]
            .passed_over
            .clone()
            .map(|raised| (raised, Certainty::Certain, reachable)),
    );
    found.extend(
        computed
            .said
            .masquerades()
            .iter()
            .map(|raised| (raised.clone(), Certainty::Certain, reachable)),
    );
    found.extend(own_list(computed).map(|raised| (raised, Certainty::Likely, reachable)));
    found.extend(own::remarks(computed));
    found.extend(
        refused::version_fields(computed)
            .into_iter()
            .map(|raised| (raised, Certainty::Certain, reachable)),
    );
    if let Some(raised) = kept(computed) {
        found.push((raised, Certainty::Likely, reachable));
    }
    found.extend(models::remarks(computed));
    for (_, _, judged) in &computed.states[0].parts {
        if computed.cause.is_some() {
            // Other reasons for which calls lose everything, beside that of the verdict.
            let also = judged.view.routed.also.iter();
            found.extend(also.map(|raised| (raised.clone(), Certainty::Certain, false)));
        }
        let remarks = &judged.view.routed.remarks;
        found.extend(remarks.iter().map(|raised| {
            let certainty = of_remark(computed, raised);
            (raised.clone(), certainty, reachable)
        }));
        let maybe = judged.view.routed.maybe.iter();
        found.extend(maybe.map(|raised| (raised.clone(), Certainty::Possible, reachable)));
    }
    found.extend(cached::remarks(computed));
    if reachable {
        found.extend(partly_connected(computed));
    }
    found.extend(probed::remarks(computed));
    for registry in computed.registries {
        for held in &registry.held {
            for entry in matching(computed, held) {
                if let Some(raised) = suspicious(entry) {
                    found.push((raised, Certainty::Likely, reachable));
                }
                if let Some(raised) = health::weight_ignored(entry) {
                    found.push((raised, Certainty::Certain, reachable));
                }
                if let Some(raised) = persistent(entry)
                    && !computed.probed.answers(&entry.address())
                {
                    found.push((raised, Certainty::Possible, true));
                }
            }
            found.extend(
                health::all_unhealthy(computed, held)
                    .map(|raised| (raised, Certainty::Certain, reachable)),
            );
            found.extend(
                health::weight_zero(computed, held)
                    .into_iter()
                    .map(|raised| (raised, Certainty::Certain, true)),
            );
            found.extend(
                health::protected(computed, held)
                    .map(|raised| (raised, Certainty::Certain, reachable)),
            );
            found.extend(
                exports_nothing(computed, held)
                    .map(|raised| (raised, Certainty::Certain, reachable)),
            );
            if let Some(raised) = only_consumers(computed, held) {
                found.push((raised, Certainty::Certain, true));
            }
            found.extend(
                held.remarks
                    .iter()
                    .map(|raised| (raised.clone(), Certainty::Certain, reachable)),
            );
        }
    }
    found
}

/// Addresses that fail for the consumer, as its log says, while others are left.
fn partly_connected(computed: &Computed<'_>) -> Vec<(Raised, Certainty, bool)> {
    let helds = computed
        .registries
        .iter()
        .flat_map(|registry| &registry.held);
    helds
        .zip(&computed.states[0].parts)
        .flat_map(|(held, (.., judged))| computed.said.partly(held, judged))
        .map(|raised| (raised, Certainty::Likely, true))
        .collect()
}

/// Overrides of the registry that set a parameter nobody reads, one letter or two away from one that is.
fn misspelt(computed: &Computed<'_>) -> impl Iterator<Item = Raised> {
    let held = computed
        .registries
        .iter()
        .flat_map(|registry| &registry.held);
    let entries = held.flat_map(|held| held.configurators.iter().chain(&held.strangers));
    entries.filter_map(|entry| {
        let url = entry.plain()?;
        let name = url.parameters.keys().find(|name| is_misspelt(name))?;
        let rule = url.to_string();
        let dubbo = computed.states[0].world.dubbo.to_string();
        let is_override = url.protocol.as_deref() == Some("override");
        is_override.then(|| {
            raised(
                Code::LintUnknownKey,
                json!({"rule": rule, "text": name, "dubbo": dubbo}),
                ("rule", &rule),
                vec![entry.evidence.clone()],
            )
        })
    })
}

/// Addresses that are left in the shown world.
pub(super) fn left(computed: &Computed<'_>) -> BTreeSet<String> {
    left_of(&computed.states[0])
}

/// The addresses that are left in a world.
pub(super) fn left_of(world: &Overall) -> BTreeSet<String> {
    world
        .parts
        .iter()
        .flat_map(|(.., judged)| judged.view.left.iter().cloned())
        .collect()
}

/// The first few entries that match the question in the shown world.
fn matching<'a>(computed: &Computed<'_>, held: &'a Held) -> impl Iterator<Item = &'a Entry> {
    let left = left(computed);
    held.entries
        .iter()
        .filter(move |entry| left.contains(&entry.address()))
        .take(SHOWN)
}

pub(super) fn raised(
    code: Code,
    params: Value,
    subject: (&str, &str),
    evidence: Vec<Evidence>,
) -> Raised {
    Raised {
        code,
        params: match params {
            Value::Object(map) => map,
            _ => Map::new(),
        },
        subject: (subject.0.to_owned(), subject.1.to_owned()),
        evidence,
    }
}

/// What is odd about a host that others are to reach.
fn reason(host: &str) -> Option<&'static str> {
    Some(match host.parse::<std::net::IpAddr>() {
        Ok(ip) if ip.is_unspecified() => "unspecified",
        Ok(ip) if ip.is_loopback() => "loopback",
        Ok(std::net::IpAddr::V4(ip)) if ip.octets()[..2] == [172, 17] => "docker-bridge",
        Ok(std::net::IpAddr::V4(ip)) if ip.is_link_local() => "link-local",
        Ok(std::net::IpAddr::V6(ip)) if (ip.segments()[0] & 0xffc0) == 0xfe80 => "link-local",
        Ok(std::net::IpAddr::V6(_)) => "ipv6-only",
        Ok(_) => return None,
        Err(_) if host == "localhost" => "loopback",
        Err(_) => "name-not-address",
    })
}

/// An address that hardly any other host can reach.
fn suspicious(entry: &Entry) -> Option<Raised> {
    let address = entry.address();
    let url = entry.plain()?;
    let host = url.host.as_deref()?.trim_matches(['[', ']']);
    let of_host = reason(host);
    let of_port = match url.port {
        0 => Some("no-port"),
        port if u16::try_from(port).is_err() => Some("no-such-port"),
        _ => None,
    };
    let reason = of_host.or(of_port)?;
    Some(raised(
        Code::AddressSuspicious,
        json!({"address": address, "reason": reason}),
        ("address", &address),
        vec![Evidence {
            fact: Phrase::new(Say::AddressRegistered).with("address", &*address),
            ..entry.evidence.clone()
        }],
    ))
}

/// Every instance of a mapped application exports nothing: revision 0, or none.
fn exports_nothing(computed: &Computed<'_>, held: &Held) -> Option<Raised> {
    let uses_applications = computed.worlds.version.line().is_3x();
    let instances = &held.application.instances;
    let is_nothing = |revision: &Option<String>| {
        revision
            .as_deref()
            .is_none_or(|text| text.is_empty() || text == "0")
    };
    if !uses_applications
        || instances.is_empty()
        || !instances
            .iter()
            .all(|instance| is_nothing(&instance.revision))
    {
        return None;
    }
    let first = &instances[0];
    Some(raised(
        Code::RevisionZero,
        json!({
            "application": first.application, "revision": first.revision, "count": instances.len(),
        }),
        ("application", &first.application),
        instances
            .iter()
            .take(SHOWN)
            .map(|instance| instance.evidence.clone())
            .collect(),
    ))
}

/// A persistent node outlives its process: whether somebody is there only a connection tells.
fn persistent(entry: &Entry) -> Option<Raised> {
    if entry.ephemeral != Some(false) {
        return None;
    }
    let address = entry.address();
    Some(raised(
        Code::StaleProvider,
        json!({"address": address, "sign": "persistent-node"}),
        ("address", &address),
        vec![Evidence {
            fact: Say::NodePersistent.into(),
            ..entry.evidence.clone()
        }],
    ))
}

/// The directory exists because consumers subscribe: it proves no provider.
fn only_consumers(computed: &Computed<'_>, held: &Held) -> Option<Raised> {
    let is_seen = held.listing.is_known() && matches!(held.reach, Reach::Answered(_));
    if !is_seen || !held.entries.is_empty() || held.consumers.is_empty() {
        return None;
    }
    let service = &computed.question.service.interface;
    Some(raised(
        Code::OnlyConsumers,
        json!({"service": service, "consumers": held.consumers.len()}),
        ("service", service),
        held.consumers
            .iter()
            .take(SHOWN)
            .map(|entry| entry.evidence.clone())
            .collect(),
    ))
}

/// DG6009: the consumer uses or tries addresses that the registry does not have.
fn own_list(computed: &Computed<'_>) -> Option<Raised> {
    let decided = matches!(
        computed.outcome,
        Outcome::Reachable | Outcome::Partly | Outcome::None
    );
    let listed: Vec<String> = computed
        .registries
        .iter()
        .flat_map(|registry| &registry.held)
        .flat_map(|held| held.entries.iter().map(Entry::address))
        .collect();
    let said = computed.said;
    let connects = said
        .connects()
        .iter()
        .filter_map(|(address, evidence)| Some((address.clone()?, evidence.clone())));
    let gone: Vec<(String, Evidence)> = said
        .reconnects()
        .iter()
        .cloned()
        .chain(connects.filter(|_| computed.outcome == Outcome::None))
        .filter(|(address, _)| !listed.contains(address))
        .collect();
    let question = computed.question;
    let alone = computed.registries.len() == 1;
    // What it tried before does not count once its list is seen to be empty.
    let emptied = computed.registries.iter().any(|registry| {
        let address = registry.address.as_ref();
        let list = (computed.own).list(&question.service, &question.consumer, address, alone);
        list.is_some_and(|list| list.is_empty())
    });
    let (address, _) = gone.first().filter(|_| decided && !emptied)?;
    Some(raised(
        Code::ConsumerListStale,
        json!({"own": address, "count": gone.len()}),
        ("address", address),
        gone.iter()
            .take(SHOWN)
            .map(|(_, evidence)| evidence.clone())
            .collect(),
    ))
}

/// DG3009: the consumer holds an empty list back, or would.
fn kept(computed: &Computed<'_>) -> Option<Raised> {
    let version = computed.worlds.version.to_string();
    let said = computed.said.kept();
    let would =
        computed.outcome != Outcome::None
            && computed.states.iter().any(|state| state.judged.kept)
            && computed.states.iter().any(|state| {
                state.judged.stage.as_ref().is_none_or(|stage| {
                    !matches!(stage, StageId::Protocol | StageId::Configurators)
                })
            });
    (would || !said.is_empty()).then(|| {
        raised(
            Code::EmptyProtection,
            json!({"version": version}),
            ("consumer", "list"),
            said.iter().take(SHOWN).cloned().collect(),
        )
    })
}

/// DG0103: the recording ended early, or does not have what the answer needs.
fn partial_recording(computed: &Computed<'_>) -> Option<Raised> {
    let ended = &computed.snapshot.manifest().ended;
    (*ended != Ended::Complete).then(|| {
        raised(
            Code::SnapshotPartial,
            json!({"what": ended.as_str()}),
            ("recording", ended.as_str()),
            Vec::new(),
        )
    })
}

/// DG1006.
fn disagreement(computed: &Computed<'_>) -> Raised {
    let mut members = Vec::new();
    let mut evidence = Vec::new();
    for (_, via, judged) in &computed.states[0].parts {
        let count = judged
            .view
            .stage(&StageId::Key)
            .filter(|stage| stage.state != State::Skipped)
            .and_then(|stage| stage.output)
            .unwrap_or_default();
        members.push(format!("{} ({count})", via.as_deref().unwrap_or("-")));
    }
    for held in computed
        .registries
        .iter()
        .flat_map(|registry| &registry.held)
    {
        evidence.extend(held.listing.evidence().cloned());
        evidence.extend(
            held.entries
                .iter()
                .take(1)
                .map(|entry| entry.evidence.clone()),
        );
    }
    let registry = computed
        .registries
        .iter()
        .find(|registry| registry.held.len() > 1)
        .and_then(|registry| registry.held.first())
        .map_or_else(String::new, |held| held.registry.clone());
    raised(
        Code::NodesDisagree,
        json!({"registry": registry, "members": members}),
        ("registry", &registry),
        evidence,
    )
}

/// An application may bring an engine that its JDK does not have; that there is none only its own log says.
fn of_remark(computed: &Computed<'_>, raised: &Raised) -> Certainty {
    let engine = raised
        .params
        .get("engine")
        .and_then(serde_json::Value::as_str);
    let missing = &computed.question.consumer.missing_engines;
    let is_told = engine.is_some_and(|engine| missing.iter().any(|known| known == engine));
    if raised.code == Code::ScriptEngineMissing && !is_told {
        Certainty::Likely
    } else {
        Certainty::Certain
    }
}
