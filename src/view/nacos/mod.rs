//! Nacos as one consumer sees it at interface level: reads the recorded answers into [`Held`].

mod application;
mod config;
mod home;
pub(crate) mod names;
mod place;
mod reach;
mod removal;
pub(crate) mod report;
mod server;
mod shape;
mod sweep;

pub(crate) use home::Home;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use self::{
    place::Place,
    server::{Hidden, Server, not_seen},
    shape::{Instance, Named},
};
use super::{
    config_center::Rules,
    held::{Entry, Held, Layer, LayerKind, Listing, NacosSide, NearInterface, Raw, Removal},
    missing::Missing,
    names::{is_near, is_same_spelling, is_shell_eaten},
    refused, rule_keys,
    stage::{Evidence, NotSeen, Raised},
};
use crate::{
    diagnose::code::Code,
    question::{Question, RegistryAddress},
    report::words::{Phrase, Say},
    snapshot::{ErrKind, Key, Line, Seen, Snapshot, SourceId},
};

/// How many near interfaces are looked into.
const NEAR: usize = 20;

/// What a registry holds: once, or once for each member when several members were asked.
pub fn held(
    snapshot: &Snapshot,
    question: &Question,
    registry: &RegistryAddress,
    source: &SourceId,
    missing: &Missing,
) -> Vec<Held> {
    let place = Place::of(registry, question);
    let lost = reach::lost(snapshot, source);
    let asked = members(snapshot, source, &place, question);
    let members: Vec<&String> = asked.iter().filter(|one| !lost.contains(*one)).collect();
    let server = |via| Server {
        snapshot,
        source,
        via,
        lost: Some(&lost),
        missing,
    };
    if asked.len() < 2 || members.is_empty() {
        return vec![read(server(None), &place, question, registry)];
    }
    if let [left] = members.as_slice() {
        let held = read(server(Some(left.as_str())), &place, question, registry);
        return vec![Held { via: None, ..held }];
    }
    members
        .iter()
        .map(|member| read(server(Some(member.as_str())), &place, question, registry))
        .collect()
}

/// Rules of a config centre that is given apart.
pub(crate) fn center(
    (snapshot, source): (&Snapshot, &SourceId),
    question: &Question,
    center: &RegistryAddress,
    providers: &[String],
    missing: &Missing,
) -> Rules {
    let server = Server {
        snapshot,
        source,
        via: None,
        lost: None,
        missing,
    };
    config::rules(server, &Place::of(center, question), question, providers)
}

/// Members that answered for the service by name.
fn members(
    snapshot: &Snapshot,
    source: &SourceId,
    place: &Place,
    question: &Question,
) -> BTreeSet<String> {
    names::all_forms(question)
        .into_iter()
        .map(|name| Key::nacos_instances(&place.namespace, &place.group, name))
        .chain([Key::NacosServices {
            namespace: place.namespace.clone(),
            group: Some(place.group.clone()),
        }])
        .flat_map(|key| {
            let members = snapshot.members(source, &key);
            members
                .into_iter()
                .flatten()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect()
}

fn read(
    server: Server<'_>,
    place: &Place,
    question: &Question,
    registry: &RegistryAddress,
) -> Held {
    let interface = &question.service.interface;
    let forms = names::all_forms(question);
    let listed = server.names(&place.namespace, Some(&place.group));
    let mut services: BTreeSet<String> = forms.iter().cloned().collect();
    if let Seen::Here(names, _) = &listed {
        services.extend(
            names
                .iter()
                .filter(|named| names::is_of_interface(&named.name, interface))
                .map(|named| named.name.clone()),
        );
    }
    for service in &services {
        server.count_instances(&place.namespace, &place.group, service);
    }
    let (entries, mut listing) = entries(server, place, &services, &forms, &listed);
    let hidden = hidden_providers(server, place, question, &forms, &entries);
    if let Some((not_seen, _)) = &hidden {
        listing = Listing::Unknown(not_seen.clone());
    }
    let (namespaces, known) = sweep::other_namespaces(server, place);
    let application = application::application(server, place, question, registry, &namespaces);
    let providers = rule_keys::applications(&entries, &application);
    let Rules {
        mut layers,
        missing: rules_not_seen,
        store: rules,
    } = config::rules(server, place, question, &providers);
    if let Seen::Here(names, _) = &listed {
        layers.extend(orphans(names, interface));
    }
    let (elsewhere, swept) = if question.sweep {
        sweep::elsewhere(server, (place, registry), question, &namespaces, known)
    } else {
        (Vec::new(), Listing::Unknown(no_sweep()))
    };
    Held {
        source: Some(server.source.clone()),
        registry: registry.to_string(),
        via: server.via.map(str::to_owned),
        no_such_place: place::unknown(server, place),
        hidden: hidden.map(|(_, raised)| raised).unwrap_or_default(),
        reach: reach::reach(server, place, question, registry, &forms),
        silent: reach::silent(server, registry),
        place: place.shown(),
        listing,
        entries,
        unreadable: Vec::new(),
        configurators: Vec::new(),
        // Nacos carries no rules in the registry itself.
        configurators_listing: Listing::Complete(None),
        consumers: consumers(server, place, question),
        layers,
        rules_not_seen,
        lists_not_seen: refused_lists(server, place, &services),
        rules,
        routes: Vec::new(),
        routes_not_seen: None,
        strangers: Vec::new(),
        application,
        near: near(server, place, interface, &listed),
        spelled: sweep::spelled(server, place, question, &namespaces),
        elsewhere,
        swept,
        others_not_seen: Vec::new(),
        remarks: switched_off(server, place, registry, &forms)
            .into_iter()
            .collect(),
    }
}

/// Disabled instances that may be there under the name of a service or application and that nobody saw, with the answer
/// that should have told. Nothing where another one is there: who has an address needs no further one.
fn hidden<'a>(
    server: Server<'a>,
    (namespace, group): (&str, &str),
    name: &str,
) -> Option<(NotSeen, Option<&'a Line>)> {
    if server
        .instances(namespace, group, name)
        .here()
        .is_some_and(|found| !found.is_empty())
    {
        return None;
    }
    let Hidden::Maybe(line) = server.may_hide(namespace, group, name) else {
        return None;
    };
    let why = match line {
        Some(line)
            if line
                .err_kind()
                .is_some_and(|kind| *kind != ErrKind::NotFound) =>
        {
            refused::answer(line)
        }
        _ if line.is_some() => Say::CountedNotListed.into(),
        _ => Say::NotAsked.into(),
    };
    let not_seen = NotSeen {
        what: Phrase::new(Say::NacosDisabled)
            .with("place", place::shown(namespace, group))
            .with("service", name),
        why,
        how_to_see: Some(Say::HowConsoleList.into()),
        required: true,
    };
    Some((not_seen, line))
}

/// The same for the names of an interface, with what hidden instances could be the cause of.
fn hidden_providers(
    server: Server<'_>,
    place: &Place,
    question: &Question,
    forms: &[String],
    entries: &[Entry],
) -> Option<(NotSeen, Vec<Raised>)> {
    let of_form = |entry: &&Entry| {
        entry
            .nacos
            .as_ref()
            .is_some_and(|side| forms.contains(&side.service))
    };
    if entries.iter().any(|entry| of_form(&entry)) {
        return None;
    }
    let (not_seen, line) = forms
        .iter()
        .find_map(|name| hidden(server, (&place.namespace, &place.group), name))?;
    let key = question.service.to_string();
    let raised = |code, params: &[(&str, Value)]| Raised {
        code,
        params: params
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect::<Map<_, _>>(),
        subject: ("service".to_owned(), key.clone()),
        evidence: line
            .map(|line| server.evidence(line, Say::ServicesListed))
            .into_iter()
            .collect(),
    };
    Some((
        not_seen,
        vec![
            raised(
                Code::NotRegistered,
                &[
                    ("service", Value::from(key.as_str())),
                    ("place", Value::from(place.shown())),
                ],
            ),
            raised(
                Code::AllDisabled,
                &[("count", Value::from("?")), ("total", Value::from("?"))],
            ),
            raised(
                Code::AllUnhealthy,
                &[
                    ("service", Value::from(key.as_str())),
                    ("count", Value::from("?")),
                    ("total", Value::from("?")),
                    ("told", Value::from("?")),
                ],
            ),
        ],
    ))
}

/// Lists of clients that the server did not give where the console's list stands in for them.
fn refused_lists(server: Server<'_>, place: &Place, services: &BTreeSet<String>) -> Vec<NotSeen> {
    let (namespace, group) = (&place.namespace, &place.group);
    let of = |service: &String| {
        let line = server.refused_list(namespace, group, service)?;
        Some(NotSeen {
            what: Phrase::new(Say::NacosInstances)
                .with("place", place.shown())
                .with("service", service),
            why: refused::answer(line),
            how_to_see: Some(Say::HowConsoleList.into()),
            required: false,
        })
    };
    services.iter().filter_map(of).collect()
}

/// DG1008: what this question reads is switched off at this server, in every way that it can be asked.
fn switched_off(
    server: Server<'_>,
    place: &Place,
    registry: &RegistryAddress,
    forms: &[String],
) -> Option<Raised> {
    let mut keys = vec![
        Key::NacosNamespaces,
        Key::NacosServices {
            namespace: place.namespace.clone(),
            group: None,
        },
    ];
    keys.extend(forms.iter().map(|service| Key::NacosCatalog {
        namespace: place.namespace.clone(),
        group: place.group.clone(),
        service: service.clone(),
    }));
    let line = keys.into_iter().find_map(|key| {
        let lines = server.told_lines(&key);
        let is_off = |line: &&Line| line.err_kind() == Some(&ErrKind::SwitchedOff);
        lines
            .iter()
            .all(is_off)
            .then(|| lines.first().copied())
            .flatten()
    })?;
    let mut raised = refused::failed(
        (server.snapshot, server.source),
        registry,
        line,
        Some(Code::ApiSwitchedOff),
    )
    .raised;
    raised.params.insert(
        "api".to_owned(),
        Value::from(line.api().unwrap_or(line.key.op())),
    );
    Some(raised)
}

/// Entries of all services of the interface at the place, and whether they are known.
fn entries(
    server: Server<'_>,
    place: &Place,
    services: &BTreeSet<String>,
    forms: &[String],
    listed: &Seen<'_, BTreeSet<Named>>,
) -> (Vec<Entry>, Listing) {
    let mut entries = Vec::new();
    let mut unknown = None;
    for service in services {
        let (found, listing) = read_entries(server, &place.namespace, &place.group, service);
        entries.extend(found);
        if let Listing::Unknown(not_seen) = listing {
            unknown.get_or_insert(not_seen);
        }
    }
    let shown = |line| Some(server.evidence(line, Say::ServicesListed));
    let listing = match (listed, unknown) {
        (Seen::Here(_, line), None) => Listing::Complete(shown(line)),
        (Seen::Absent(line), None) => Listing::Absent(line.and_then(shown)),
        // Without the list of names the names that are read decide, as far as something is there.
        (_, None) if !entries.is_empty() && !forms.is_empty() => Listing::Complete(None),
        (_, Some(not_seen)) => Listing::Unknown(not_seen),
        (seen, None) => Listing::Unknown(not_seen(
            Phrase::new(Say::NacosServices).with("place", place.shown()),
            seen,
            true,
        )),
    };
    (entries, listing)
}

/// The entries of one service, and whether they are known.
fn read_entries(
    server: Server<'_>,
    namespace: &str,
    group: &str,
    service: &str,
) -> (Vec<Entry>, Listing) {
    let seen = server.instances(namespace, group, service);
    match &seen {
        Seen::Here(list, line) => {
            let entries = list
                .iter()
                .map(|(instance, told, line)| {
                    entry(
                        instance,
                        *told,
                        service,
                        removal::removal(instance, server.version()),
                        server.evidence(line, Say::EntryRegistered),
                    )
                })
                .collect();
            (
                entries,
                Listing::Complete(Some(server.evidence(line, Say::ServicesListed))),
            )
        }
        Seen::Absent(line) => (
            Vec::new(),
            Listing::Absent(line.map(|line| server.evidence(line, Say::ServiceAbsent))),
        ),
        _ => (
            Vec::new(),
            Listing::Unknown(not_seen(
                Phrase::new(Say::NacosInstances)
                    .with("place", place::shown(namespace, group))
                    .with("service", service),
                &seen,
                true,
            )),
        ),
    }
}

fn entry(
    instance: &Instance,
    told: bool,
    service: &str,
    removal: Removal,
    evidence: Evidence,
) -> Entry {
    let entry = Entry {
        raw: Raw::Instance {
            ip: instance.ip.clone(),
            port: instance.port,
            metadata: instance.metadata.clone(),
        },
        evidence,
        ephemeral: None,
        owner: None,
        creator: None,
        changed_ms: None,
        nacos: Some(NacosSide {
            service: service.to_owned(),
            enabled: instance.enabled && told,
            healthy: instance.healthy,
            weight: instance.weight,
            rewritten: instance.rewritten,
            removal,
        }),
    };
    let evidence = entry.named_evidence();
    Entry { evidence, ..entry }
}

/// Consumers that register (2.7 and older do), and addresses that subscribe.
fn consumers(server: Server<'_>, place: &Place, question: &Question) -> Vec<Entry> {
    names::full_names(question)
        .into_iter()
        .map(|name| name.replacen("providers:", "consumers:", 1))
        .flat_map(|name| read_entries(server, &place.namespace, &place.group, &name).0)
        .collect()
}

/// Interfaces with near names that have instances.
fn near(
    server: Server<'_>,
    place: &Place,
    interface: &str,
    listed: &Seen<'_, BTreeSet<Named>>,
) -> Vec<NearInterface> {
    let Seen::Here(names, _) = listed else {
        return Vec::new();
    };
    let mut others: BTreeSet<(String, String)> = BTreeSet::new();
    for named in names {
        let Some(rest) = named.name.strip_prefix("providers:") else {
            continue;
        };
        let other = rest
            .split(':')
            .next()
            .unwrap_or_default()
            .replace("___", "$");
        let is_close = is_near(interface, &other) || is_shell_eaten(interface, &other);
        if other != interface && is_close {
            others.insert((other, named.name.clone()));
        }
    }
    others
        .into_iter()
        .take(NEAR)
        .filter_map(|(other, service)| {
            let (entries, _) = read_entries(server, &place.namespace, &place.group, &service);
            (!entries.is_empty()).then(|| NearInterface {
                same_spelling: is_same_spelling(interface, &other),
                interface: other,
                entries,
            })
        })
        .collect()
}

/// Services that look like rules: what wrote them, and who reads them, is not evaluated.
fn orphans(names: &BTreeSet<Named>, interface: &str) -> Vec<Layer> {
    names
        .iter()
        .filter(|named| {
            ["routers:", "configurators:"].iter().any(|prefix| {
                named.name.strip_prefix(prefix).is_some_and(|rest| {
                    let of = rest.split(':').next().unwrap_or_default();
                    of.is_empty() || of.replace("___", "$") == interface
                })
            })
        })
        .map(|named| Layer {
            kind: LayerKind::RegistryRoute,
            name: named.name.clone(),
            evidence: None,
        })
        .collect()
}

fn no_sweep() -> NotSeen {
    NotSeen {
        what: Say::OtherPlaces.into(),
        why: Say::SweepOff.into(),
        how_to_see: None,
        required: false,
    }
}
