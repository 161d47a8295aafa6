//! Findings from QOS ports beside the verdict: ports that do not answer, other processes, lists and routers that differ.

use std::collections::BTreeSet;

use serde_json::json;

use super::{routers::last_change, shown};
use crate::{
    diagnose::{
        Certainty, Outcome,
        code::Code,
        decide::Computed,
        remarks::{SHOWN, raised},
    },
    model::qos::listing::Step,
    question::Question,
    report::words::Say,
    view::{
        held::{Entry, Held},
        interface::Case,
        own::{OwnList, Process, Trouble},
        stage::{Evidence, Raised},
    },
};

/// All of them: what, how sure, whether it is lowered.
pub(in crate::diagnose) fn remarks(computed: &Computed<'_>) -> Vec<(Raised, Certainty, bool)> {
    let mut found = Vec::new();
    let reachable = computed.outcome == Outcome::Reachable;
    let applications = providers(computed);
    for process in &computed.own.processes {
        found.extend(refused(process).map(|raised| (raised, Certainty::Certain, false)));
        found.extend(silent(process).map(|raised| (raised, Certainty::Certain, true)));
        found.extend(
            other(process, computed.question, &applications)
                .map(|raised| (raised, Certainty::Certain, reachable)),
        );
        for held in helds(computed) {
            found.extend(
                other_port(process, computed.question, held)
                    .map(|raised| (raised, Certainty::Likely, reachable)),
            );
            found.extend(
                offline(process, computed.question, held, reachable)
                    .map(|raised| (raised, Certainty::Certain, true)),
            );
        }
    }
    let question = computed.question;
    let alone = computed.registries.len() == 1;
    let owns = computed.own.apart(&question.service, &question.consumer);
    for (registry, own) in computed
        .registries
        .iter()
        .flat_map(|registry| owns.iter().map(move |own| (registry, own)))
    {
        let address = registry.address.as_ref();
        let Some(list) = own.list(&question.service, &question.consumer, address, alone) else {
            continue;
        };
        if let [held] = registry.held.as_slice() {
            found.extend(partial(&list).map(|raised| (raised, Certainty::Certain, reachable)));
            found.extend(
                lacks(computed, &list).map(|raised| (raised, Certainty::Likely, reachable)),
            );
            found.extend(
                stale(computed, held, &list).map(|raised| (raised, Certainty::Likely, reachable)),
            );
        }
    }
    found.extend(disagrees(computed).map(|raised| (raised, Certainty::Likely, reachable)));
    found
}

fn helds<'a>(computed: &Computed<'a>) -> impl Iterator<Item = &'a Held> {
    computed
        .registries
        .iter()
        .flat_map(|registry| &registry.held)
}

/// Applications that are known to provide the service.
fn providers(computed: &Computed<'_>) -> BTreeSet<String> {
    helds(computed)
        .flat_map(|held| {
            let entries = held.entries.iter().filter_map(Entry::application);
            entries.chain(held.application.mapped.iter().cloned())
        })
        .collect()
}

/// DG6001: it answers, and not to what was asked from here.
fn refused(process: &Process) -> Option<Raised> {
    let trouble = process
        .refused
        .iter()
        .map(|refused| refused.trouble)
        .filter(|trouble| {
            !matches!(
                trouble,
                Trouble::Closed | Trouble::Unreachable | Trouble::Silent
            )
        })
        .min();
    let Some(trouble) = trouble else {
        return strange(process);
    };
    let of_it: Vec<_> = process
        .refused
        .iter()
        .filter(|refused| refused.trouble == trouble)
        .collect();
    let mut commands: Vec<&str> = of_it
        .iter()
        .filter_map(|refused| refused.command.split(' ').next())
        .collect();
    commands.sort_unstable();
    commands.dedup();
    Some(raised(
        Code::QosRefused,
        json!({"endpoint": process.endpoint, "why": trouble.word(), "commands": commands}),
        ("qos", &process.endpoint),
        of_it
            .iter()
            .take(SHOWN)
            .map(|refused| refused.evidence.clone())
            .collect(),
    ))
}

/// DG6001: it says something, and nothing that a QOS port says.
fn strange(process: &Process) -> Option<Raised> {
    let only_strange =
        !process.answers() && process.servers.is_empty() && process.routed.is_empty();
    let shown: Vec<Evidence> = process.raw.iter().take(SHOWN).cloned().collect();
    if !only_strange || shown.is_empty() {
        return None;
    }
    let command = |seen: &Evidence| {
        let text = seen.address.get("command")?.as_str()?;
        Some(text.split(' ').next()?.to_owned())
    };
    let mut commands: Vec<String> = process.raw.iter().filter_map(command).collect();
    commands.sort();
    commands.dedup();
    Some(raised(
        Code::QosRefused,
        json!({"endpoint": process.endpoint, "why": Trouble::NotQos.word(), "commands": commands}),
        ("qos", &process.endpoint),
        shown,
    ))
}

/// DG6010: it accepts and never says anything.
fn silent(process: &Process) -> Option<Raised> {
    let all_silent = !process.answers()
        && process.raw.is_empty()
        && !process.refused.is_empty()
        && process
            .refused
            .iter()
            .all(|refused| refused.trouble == Trouble::Silent);
    // Bytes that never become an answer are no silence: slow, another protocol, or cut on the way.
    let partial = process
        .refused
        .iter()
        .filter_map(|refused| refused.words.as_deref())
        .find(|words| words.ends_with("bytes and no end"));
    let reason = partial.unwrap_or("no byte of an answer to any QOS command");
    all_silent.then(|| {
        raised(
            Code::AcceptsButSilent,
            json!({"address": process.endpoint, "reason": reason}),
            ("address", &process.endpoint),
            process
                .refused
                .iter()
                .take(1)
                .map(|refused| refused.evidence.clone())
                .collect(),
        )
    })
}

/// DG6002: it is neither the consumer nor a provider of the service.
fn other(process: &Process, question: &Question, providers: &BTreeSet<String>) -> Option<Raised> {
    let (_, seen) = process.listing.as_ref()?;
    let wanted = question.consumer.application.as_ref()?;
    let applications = process.applications();
    let is_known = applications
        .iter()
        .any(|name| name == wanted || providers.contains(name));
    // A process that exports the service is a provider, whatever its name.
    let is_exported = process
        .exports(&question.service.interface)
        .next()
        .is_some();
    if applications.is_empty() || is_known || is_exported {
        return None;
    }
    let application = applications.join(", ");
    Some(raised(
        Code::QosOtherProcess,
        json!({"endpoint": process.endpoint, "application": application, "wanted": wanted}),
        ("qos", &process.endpoint),
        vec![seen.clone()],
    ))
}

/// DG2113: it registered a port at which none of its servers listens.
fn other_port(process: &Process, question: &Question, held: &Held) -> Option<Raised> {
    not_listening(process, question, held).into_iter().next()
}

/// The addresses that this process registered, by either model, and at which none of its dubbo servers listens.
pub(super) fn not_listening(process: &Process, question: &Question, held: &Held) -> Vec<Raised> {
    let key = question.service.to_string();
    let is_exported = process
        .exports(&question.service.interface)
        .any(|(row, _)| row.key == key);
    let names = process.applications();
    let servers: Vec<(&str, u16)> = process
        .servers
        .iter()
        .filter_map(|(server, _)| {
            let (host, port) = server.strip_prefix("dubbo://")?.rsplit_once(':')?;
            Some((host, port.parse().ok()?))
        })
        .collect();
    let Some((_, seen)) = process.servers.first().filter(|_| is_exported) else {
        return Vec::new();
    };
    let entries = held.entries.iter().filter_map(|entry| {
        let url = entry.plain()?;
        let is_dubbos = url.protocol.as_deref() == Some("dubbo");
        let own = names.contains(&entry.application()?) && is_dubbos;
        own.then(|| (url.host.clone(), url.port, entry.named_evidence()))
    });
    let instances = held.application.instances.iter().filter_map(|instance| {
        let own = names.contains(&instance.application) && !instance.speaks_triple();
        own.then(|| {
            let host = Some(instance.host.clone());
            (host, instance.port, instance.evidence.clone())
        })
    });
    let mut found: Vec<Raised> = Vec::new();
    for (host, port, evidence) in entries.chain(instances) {
        let Some(host) = host else { continue };
        let address = format!("{host}:{port}");
        let here = servers.iter().any(|(server, _)| *server == host);
        let listens = servers.iter().any(|(_, own)| u32::from(*own) == port);
        if !here || listens || found.iter().any(|known| known.subject.1 == address) {
            continue;
        }
        let ports: Vec<String> = servers.iter().map(|(_, port)| port.to_string()).collect();
        found.push(raised(
            Code::AddressNotExported,
            json!({"address": address, "listens": ports}),
            ("address", &address),
            vec![evidence, seen.clone()],
        ));
    }
    found
}

/// DG6005 beside others: one provider is taken offline and the service lives on.
/// `lives_on` = its consumer has a list of its own that decides.
fn offline(process: &Process, question: &Question, held: &Held, lives_on: bool) -> Option<Raised> {
    let key = question.service.to_string();
    let (_, seen) = process
        .exports(&question.service.interface)
        .find(|(row, _)| {
            row.key == key && !row.published.is_empty() && row.published.iter().all(|one| !one.yes)
        })?;
    (lives_on || !held.entries.is_empty()).then(|| {
        let name = process.applications().join(", ");
        raised(
            Code::ProviderOffline,
            json!({"service": key, "endpoint": process.endpoint, "application": name}),
            ("service", &key),
            vec![seen.clone()],
        )
    })
}

/// DG4009: both models have addresses, and the one that goes first has fewer.
fn partial(list: &OwnList) -> Option<Raised> {
    let first = list.step.is_none_or(|step| step == Step::ApplicationFirst);
    let (interface, application) = (list.interface?, list.application?);
    (first && application > 0 && application < interface).then(|| {
        raised(
            Code::PartialApplicationList,
            json!({"application": application, "interface": interface}),
            ("consumer", "list"),
            shown(list),
        )
    })
}

/// DG6003: addresses that the registry has for it are missing in its own list.
fn lacks(computed: &Computed<'_>, list: &OwnList) -> Option<Raised> {
    if computed.outcome != Outcome::Reachable || list.addresses.is_empty() {
        return None;
    }
    let left = crate::diagnose::remarks::left(computed);
    let missing: Vec<&String> = left.difference(&list.addresses).collect();
    let young = computed.states[0].judged.kept;
    let first = missing.first().filter(|_| !young)?;
    Some(raised(
        Code::ConsumerViewDiffers,
        json!({"missing": missing.len(), "own": list.addresses.len(), "address": first}),
        ("consumer", "list"),
        shown(list),
    ))
}

/// DG6009: it has addresses that the registry does not have.
fn stale(computed: &Computed<'_>, held: &Held, list: &OwnList) -> Option<Raised> {
    let application = &held.application;
    let known = held.listing.is_known()
        && (application.is_absent() || application.mapping_known && application.instances_known)
        && application.hidden() == 0;
    let decided = matches!(computed.outcome, Outcome::Reachable | Outcome::None);
    if !known || !decided {
        return None;
    }
    let here: BTreeSet<String> = held
        .entries
        .iter()
        .map(Entry::address)
        .chain(application.instances.iter().map(|one| one.address.clone()))
        .collect();
    let gone: Vec<&String> = list.addresses.difference(&here).collect();
    let first = gone.first()?;
    Some(raised(
        Code::ConsumerListStale,
        json!({"own": first, "count": gone.len()}),
        ("address", first),
        shown(list),
    ))
}

/// DG5012: what the routers did with a call is not what the replay gives.
fn disagrees(computed: &Computed<'_>) -> Option<Raised> {
    let question = computed.question;
    let state = &computed.states[0];
    let held = helds(computed).next()?;
    let changed = last_change(&Case {
        question,
        registry: None,
        held,
        world: &state.world,
    });
    let replayed = match state.judged.outcome {
        Outcome::Reachable
            if state.judged.emptied.is_none() && !state.judged.view.left.is_empty() =>
        {
            true
        }
        Outcome::Unknown
            if state
                .judged
                .blocked_by
                .iter()
                .any(|fact| fact.why.say == Say::RoutersLose) =>
        {
            true
        }
        Outcome::None
            if matches!(
                state.judged.stage,
                Some(crate::view::stage::StageId::Router(_))
            ) =>
        {
            false
        }
        _ => return None,
    };
    let calls = computed.own.routed(&question.service, &question.consumer);
    let (call, seen) = calls
        .into_iter()
        .rfind(|(call, _)| changed.is_none_or(|changed| call.at_ms > changed))?;
    let (input, output) = call.numbers().filter(|(input, _)| *input > 0)?;
    ((output > 0) != replayed).then(|| {
        let router = call
            .nodes
            .iter()
            .find(|node| node.input > 0 && node.output == 0)
            .map_or("-", |node| node.name.as_str());
        let evidence: Vec<Evidence> = vec![seen.clone()];
        raised(
            Code::SnapshotDisagrees,
            json!({"input": input, "output": output, "router": router, "replay": if replayed { "some" } else { "none" }}),
            ("consumer", "routers"),
            evidence,
        )
    })
}
