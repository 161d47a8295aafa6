//! Reads once what does not depend on a world: which registries are asked, what each holds, what lies beside.

use std::collections::BTreeSet;

use crate::{
    diagnose::{Finding, budget, code::Code, members},
    input::properties::Property,
    model::{url::Url, version::DubboVersion},
    question::{Question, RegistryAddress, RegistryKind},
    report::words::{Phrase, Say},
    snapshot::{Key, Role, Snapshot, SourceId, SourceKind, Want},
    view::{
        application::MappedElsewhere,
        config_center,
        evidence::scope_evidence,
        held::{Elsewhere, Entry, Held, Layer, LayerKind, Reach, ReachFailure},
        missing::Missing,
        moved::Applications,
        nacos,
        rule_store::StoredRule,
        settings,
        sources::{recorded_address, source_of},
        stage::{Evidence, NotSeen},
        written, zookeeper,
    },
};

/// One registry of the consumer with what it holds, once for each member when members were asked apart.
#[derive(Debug, Clone)]
pub(crate) struct Registry {
    /// As configured; `None` when the question names none and nothing tells one.
    pub(crate) address: Option<RegistryAddress>,
    /// What it holds.
    pub(crate) held: Vec<Held>,
}

/// The consumer's registries, with what the others have of the interface.
pub(crate) fn all(question: &Question, snapshot: &Snapshot, missing: &Missing) -> Vec<Registry> {
    let mut registries = registries(question, snapshot, missing);
    add_other_registries(question, snapshot, &mut registries, missing);
    registries
}

/// The registries of the question, or those that the recording has when the question names none.
fn registries(question: &Question, snapshot: &Snapshot, missing: &Missing) -> Vec<Registry> {
    let mut registries: Vec<Registry> = question
        .registries
        .iter()
        .map(|address| read(question, snapshot, address, missing))
        .collect();
    if registries.is_empty() {
        registries.push(Registry {
            address: None,
            held: vec![Held::unknown(
                "-",
                NotSeen {
                    what: Phrase::new(Say::Registry).with("registry", "-"),
                    why: Say::NoRegistryNamed.into(),
                    how_to_see: Some(Say::HowNameRegistry.into()),
                    required: true,
                },
            )],
        });
    }
    super::cached::want(question, snapshot, missing);
    let layers = beside(question, snapshot, missing);
    let own_migration = own_migration(snapshot, missing);
    for held in registries
        .iter_mut()
        .flat_map(|registry| &mut registry.held)
    {
        held.layers.extend(layers.iter().cloned());
        held.rules.own_migration.clone_from(&own_migration);
    }
    registries
}

/// What registries that are only to be looked into have of the interface: another place for each of the consumer's.
fn add_other_registries(
    question: &Question,
    snapshot: &Snapshot,
    registries: &mut [Registry],
    missing: &Missing,
) {
    for address in &question.also_search {
        let there = read(question, snapshot, address, missing).held;
        let unseen = unseen(question, address, &there);
        for own in registries
            .iter_mut()
            .flat_map(|registry| &mut registry.held)
        {
            own.others_not_seen.extend(unseen.clone());
            own.application
                .places
                .extend(there.iter().find_map(by_application));
        }
        for held in there {
            if held.entries.is_empty() {
                continue;
            }
            let found = Elsewhere {
                addresses: vec![address.clone()],
                code: Code::OtherRegistry,
                place: held.registry.clone(),
                differs: vec!["registry"],
                has_consumer: held
                    .consumers
                    .iter()
                    .any(|entry| entry.is_of(&question.consumer)),
                entries: held.entries,
                moved_applications: Vec::new(),
            };
            for registry in &mut *registries {
                let mut found = found.clone();
                if let Some(own) = &registry.address {
                    found.moved_applications =
                        moved(question, snapshot, (address, own), &found.entries, missing);
                    let subscribes = |address| subscribes(question, snapshot, address, missing);
                    found.has_consumer |= subscribes(address) && !subscribes(own);
                }
                for own in &mut registry.held {
                    own.elsewhere.push(found.clone());
                }
            }
        }
    }
}

/// The applications that another registry maps the interface to, with their instances there.
fn by_application(there: &Held) -> Option<MappedElsewhere> {
    let application = &there.application;
    let instances: Vec<_> = application
        .instances
        .iter()
        .filter(|instance| instance.enabled && application.mapped.contains(&instance.application))
        .collect();
    let first = instances.first()?;
    let names: BTreeSet<&String> = instances.iter().map(|one| &one.application).collect();
    let mappings = application.mappings.iter();
    let mapping = mappings.filter(|mapping| !mapping.applications.is_empty());
    let mapping = mapping
        .filter_map(|mapping| mapping.evidence.clone())
        .take(1);
    Some(MappedElsewhere {
        code: Code::OtherRegistry,
        place: there.registry.clone(),
        differs: vec!["registry"],
        applications: names.into_iter().cloned().collect(),
        count: instances.len(),
        evidence: mapping.chain([first.evidence.clone()]).collect(),
    })
}

/// Why nothing is known of a registry that was to be looked into: the recording has nothing of it, it is of a kind that
/// is not read, or it did not answer.
fn unseen(question: &Question, address: &RegistryAddress, held: &[Held]) -> Option<NotSeen> {
    let first = held.first()?;
    if held.iter().any(|held| held.listing.is_known()) {
        return None;
    }
    let not_seen = first.listing.not_seen()?;
    let (unlisted, _) = unlisted(question, first, not_seen);
    Some(NotSeen {
        what: Phrase::new(Say::Registry).with("registry", address.without_secrets().to_string()),
        required: false,
        ..unlisted
    })
}

/// Applications of the providers in another registry that have other services there and none in the consumer's own.
fn moved(
    question: &Question,
    snapshot: &Snapshot,
    (there, here): (&RegistryAddress, &RegistryAddress),
    entries: &[Entry],
    missing: &Missing,
) -> Vec<String> {
    let under = |address: &RegistryAddress| {
        let source = source_of(snapshot, address)?;
        match address.kind {
            RegistryKind::Zookeeper => {
                zookeeper::other_applications(snapshot, question, address, &source, missing)
            }
            RegistryKind::Nacos => nacos::Home::of((snapshot, &source), question, address, missing)
                .other_applications(),
            RegistryKind::Other => None,
        }
    };
    let providers = entries.iter().filter_map(Entry::application);
    Applications::moved(providers, under(there).as_ref(), under(here).as_ref())
}

/// Whether the consumer's address subscribes to the service there. Nacos knows subscribers; consumers that register are
/// entries.
fn subscribes(
    question: &Question,
    snapshot: &Snapshot,
    address: &RegistryAddress,
    missing: &Missing,
) -> bool {
    address.kind == RegistryKind::Nacos
        && source_of(snapshot, address).is_some_and(|source| {
            nacos::Home::of((snapshot, &source), question, address, missing).has_consumer()
        })
}

fn read(
    question: &Question,
    snapshot: &Snapshot,
    address: &RegistryAddress,
    missing: &Missing,
) -> Registry {
    let mut held = match (source_of(snapshot, address), address.kind) {
        (Some(source), RegistryKind::Zookeeper) => {
            zookeeper::held(snapshot, question, address, &source, missing)
        }
        (Some(source), RegistryKind::Nacos) => {
            nacos::held(snapshot, question, address, &source, missing)
        }
        (_, RegistryKind::Other) => vec![other_kind(address)],
        (None, _) => vec![Held::unknown(
            &address.to_string(),
            NotSeen {
                what: Phrase::new(Say::Registry).with("registry", address.to_string()),
                why: Say::NoRegistryRecorded.into(),
                how_to_see: Some(Say::HowAsk.into()),
                required: true,
            },
        )],
    };
    config_center::replace(question, snapshot, missing, &mut held);
    Registry {
        address: Some(address.clone()),
        held,
    }
}

/// Why the providers of a service are not known, with what the registries answered in their place.
#[derive(Debug, Clone)]
pub(crate) struct Unread {
    /// What was not seen; required where a registry in use refused it.
    pub(crate) not_seen: Vec<NotSeen>,
    /// A finding for each registry that did not answer.
    pub(crate) findings: Vec<Finding>,
}

/// The providers of a service, and what their registries let wish for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listed {
    /// The providers, each once.
    pub(crate) urls: Vec<Url>,
    /// Members that did not answer.
    pub(crate) silent: Vec<NotSeen>,
    /// A finding for each registry whose members do not hold the same.
    pub(crate) findings: Vec<Finding>,
}

/// Every provider of the service in the question's registries (or the recorded ones), when all their lists are known:
/// entries at interface level with the group and version of the question.
///
/// # Errors
/// A list is not known.
pub(crate) fn providers(
    question: &Question,
    snapshot: &Snapshot,
    version: &DubboVersion,
) -> Result<Listed, Unread> {
    let addresses = if question.registries.is_empty() {
        recorded(snapshot)
    } else {
        question.registries.clone()
    };
    let missing = Missing::default();
    let mut listed = Listed::default();
    let mut unread = Unread {
        not_seen: Vec::new(),
        findings: Vec::new(),
    };
    for address in &addresses {
        let members = read(question, snapshot, address, &missing).held;
        listed.silent.extend(members::silent(&members));
        listed.findings.extend(members::disagreement(&members));
        for held in &members {
            if let Some(not_seen) = held.listing.not_seen() {
                let (unseen, failure) = unlisted(question, held, not_seen);
                if !unread.not_seen.contains(&unseen) {
                    unread.not_seen.push(unseen);
                }
                unread.findings.extend(failure.map(budget::of_registry));
            }
            let urls = held
                .entries
                .iter()
                .filter_map(|entry| entry.url(version).ok())
                .filter(|url| url.service() == question.service);
            for url in urls {
                if !listed.urls.contains(&url) {
                    listed.urls.push(url);
                }
            }
        }
    }
    let mut known = Vec::new();
    unread.findings.retain(|finding| {
        let fresh = !known.contains(&(finding.code, finding.subject.clone()));
        known.push((finding.code, finding.subject.clone()));
        fresh
    });
    if unread.not_seen.is_empty() {
        Ok(listed)
    } else {
        Err(unread)
    }
}

/// A list that is not known: of a registry that refused it with the registry's own words.
fn unlisted<'h>(
    question: &Question,
    held: &'h Held,
    not_seen: &NotSeen,
) -> (NotSeen, Option<&'h ReachFailure>) {
    let Reach::Failed(failure) = &held.reach else {
        return (not_seen.clone(), None);
    };
    let evidence = failure.raised.evidence.first();
    let how_to_see = match failure.raised.code {
        Code::RegistryUnreachable => failure.how_to_try(),
        Code::RegistryAuthRefused => Some(Say::HowAskWithRights.into()),
        _ => not_seen.how_to_see.clone(),
    };
    let unseen = NotSeen {
        what: Phrase::new(Say::LintProvidersOf).with("service", question.service.to_string()),
        why: evidence.map_or_else(|| not_seen.why.clone(), |evidence| evidence.fact.clone()),
        how_to_see: how_to_see.or_else(|| Some(Say::LintHowProviders.into())),
        required: true,
    };
    (unseen, Some(failure))
}

/// Addresses of the registries that were recorded, for a question that names none.
pub(crate) fn recorded(snapshot: &Snapshot) -> Vec<RegistryAddress> {
    snapshot
        .manifest()
        .sources
        .values()
        .filter(|source| matches!(source.kind, SourceKind::Zookeeper | SourceKind::Nacos))
        .filter(|source| source.roles.is_empty() || source.has_role(&Role::Registry))
        .filter_map(recorded_address)
        .collect()
}

fn other_kind(address: &RegistryAddress) -> Held {
    let layer = Layer {
        kind: LayerKind::OtherRegistry,
        name: address.to_string(),
        evidence: None,
    };
    Held::unknown(&address.to_string(), layer.not_seen())
}

/// The text of an attached file: its recorded lines, or the whole of it.
pub(super) fn file_text(snapshot: &Snapshot, id: &SourceId, missing: &Missing) -> Option<String> {
    let key = Key::FileLines {
        file: id.to_string(),
    };
    let mut lines = snapshot.latest(id, &key);
    lines.sort_by_key(|line| line.line_number());
    if !lines.is_empty() {
        let texts: Vec<_> = lines.iter().filter_map(|line| line.body_text()).collect();
        return Some(texts.join("\n"));
    }
    missing.note(snapshot, Want::any(id, key));
    snapshot.text(id).map(str::to_owned)
}

/// The consumer's own migration rule (`dubbo-migration.yaml`), the first that was attached.
fn own_migration(snapshot: &Snapshot, missing: &Missing) -> Option<StoredRule> {
    let mut files = snapshot.manifest().sources.iter().filter(|(_, source)| {
        let word = source.file_as.as_deref().unwrap_or_default();
        source.kind == SourceKind::File
            && word.ends_with("migration")
            && !word.starts_with("provider")
    });
    files.find_map(|(id, source)| {
        let text = file_text(snapshot, id, missing)?;
        let name = source.name.clone().unwrap_or_else(|| id.to_string());
        let file = id.to_string();
        Some(StoredRule {
            kind: LayerKind::Migration,
            key: name.rsplit('/').next().unwrap_or(&name).to_owned(),
            name,
            group: String::new(),
            text,
            read: true,
            evidence: scope_evidence(
                snapshot,
                id,
                "file.lines",
                &[("file", &file)],
                Say::RulePresent,
            ),
            changed_ms: None,
        })
    })
}

/// So many settings of one file that are not evaluated are named.
const SETTINGS: usize = 8;

/// A setting of the consumer's own file that is not evaluated.
fn setting(file: &SourceId, property: &Property) -> Layer {
    let name = format!("{}={}", property.key, property.value.trim());
    let address = [
        ("file".to_owned(), file.to_string().into()),
        ("line".to_owned(), property.line.into()),
        ("key".to_owned(), property.key.as_str().into()),
        ("value".to_owned(), property.value.trim().into()),
    ];
    Layer {
        kind: LayerKind::ConsumerConfig,
        evidence: Some(Evidence {
            source: file.clone(),
            op: "file.lines".to_owned(),
            address: address.into_iter().collect(),
            position: None,
            seen_at: None,
            fact: Phrase::new(Say::LayerConsumerConfig).with("name", &*name),
        }),
        name,
    }
}

/// Recorded answers beside the registry that bear on the consumer's own view and are not evaluated.
fn beside(question: &Question, snapshot: &Snapshot, missing: &Missing) -> Vec<Layer> {
    let mut layers = Vec::new();
    for (id, source) in &snapshot.manifest().sources {
        let kind = match (&source.kind, source.file_as.as_deref().unwrap_or_default()) {
            (SourceKind::File, word) if word.contains("qos") => LayerKind::Qos,
            (SourceKind::File, word) if word.ends_with("config") => LayerKind::ConsumerConfig,
            _ => continue,
        };
        if kind == LayerKind::ConsumerConfig {
            if source.file_as.as_deref() == Some("provider-config") {
                continue;
            }
            if let Some(text) = file_text(snapshot, id, missing) {
                let properties = written::properties(&text);
                let unread = settings::unread(&properties, question);
                layers.extend(
                    unread
                        .into_iter()
                        .take(SETTINGS)
                        .map(|one| setting(id, one)),
                );
                continue;
            }
        }
        layers.push(Layer {
            kind,
            name: source
                .name
                .clone()
                .or_else(|| source.endpoint.clone())
                .unwrap_or_else(|| id.to_string()),
            evidence: None,
        });
    }
    layers
}
