//! What a text contributes to the question: service, consumer, version, registries. Where it says two things, both are
//! listed; nothing is chosen silently.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::claim::{Claim, Facts};
use super::fact::{End, Fact, KeyClaim, Language, Place, Strength};
use super::facts::LogFacts;
use super::failure::Failure;
use super::message::{Message, MessageId};
use crate::model::service_key::ServiceKey;

/// What the text says of one thing: nothing, one value, or several that differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidates<T> {
    /// Distinct values, the strongest first, then by place.
    pub values: Vec<Fact<T>>,
}

impl<T> Default for Candidates<T> {
    fn default() -> Self {
        Self { values: Vec::new() }
    }
}

impl<T: PartialEq> Candidates<T> {
    /// The value, if the text says only one thing.
    pub fn only(&self) -> Option<&Fact<T>> {
        match self.values.as_slice() {
            [one] => Some(one),
            _ => None,
        }
    }

    /// Whether the text says several things.
    pub fn is_conflicting(&self) -> bool {
        self.values.len() > 1
    }

    fn add(&mut self, fact: Fact<T>) {
        match self
            .values
            .iter_mut()
            .find(|known| known.value == fact.value)
        {
            Some(known) if fact.strength > known.strength => *known = fact,
            Some(_) => {}
            None => self.values.push(fact),
        }
    }

    fn sort(&mut self) {
        self.values
            .sort_by_key(|fact| (std::cmp::Reverse(fact.strength), fact.place));
    }
}

/// What the text says of a registry. What is not stated is not assumed: no namespace is not the public one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegistryHint {
    /// First address.
    pub address: String,
    /// `zookeeper`, `nacos`, .. where stated.
    pub kind: Option<String>,
    /// Further members, where stated.
    pub backup: Vec<String>,
    /// First node of the ZooKeeper tree, where stated.
    pub root: Option<String>,
    /// Nacos namespace, where stated; empty is the public one.
    pub namespace: Option<String>,
    /// Nacos group, where stated.
    pub nacos_group: Option<String>,
    /// Whether the group is stated as the attribute of the configuration.
    pub group_attribute: bool,
    /// Parameters that decide what is asked of it, `name=value`.
    pub params: Vec<String>,
    /// Whose registry it is; `None` when the text does not tell which end wrote it.
    pub of: Option<End>,
    /// Where the address stands.
    pub place: Place,
}

/// What the text contributes to the question.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct QuestionHints {
    /// Services, those of Dubbo itself left out.
    pub services: Candidates<KeyClaim>,
    /// Methods of calls.
    pub methods: Candidates<String>,
    /// The consumer's address as it sees itself.
    pub consumer_ip: Candidates<String>,
    /// The consumer's application.
    pub application: Candidates<String>,
    /// The consumer's Dubbo version (of Java, or of dubbo-go when `client` is that). Printed by the process; a jar's
    /// name is the better witness of behaviour and stands beside it.
    pub dubbo: Candidates<String>,
    /// Java or Go.
    pub client: Candidates<Language>,
    /// Registries in order of appearance, those of providers included.
    pub registries: Vec<RegistryHint>,
    /// Nacos namespaces stated anywhere, a configuration centre's included.
    pub namespaces: Candidates<String>,
}

/// What a text shows of the reference of one service: the URL it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReferenceHint {
    /// Settings by name; those of which the text shows several values are left out.
    pub settings: BTreeMap<String, String>,
    /// Names of which it shows several values.
    pub unclear: BTreeSet<String>,
    /// Into every URL that the text shows the providers' parameters were merged (2.x).
    pub merged: bool,
}

impl LogFacts {
    /// What this text shows of the reference of a service; none when it shows no URL of it. What a provider wrote says
    /// nothing of it.
    pub fn reference(&self, service: &ServiceKey) -> Option<ReferenceHint> {
        if self.origin.end == Some(End::Provider) {
            return None;
        }
        let mut shown: Vec<(&[String], bool)> = Vec::new();
        for failure in self.failures.iter().chain(&self.statements) {
            for message in &failure.messages {
                let of_service = message
                    .facts
                    .service()
                    .is_some_and(|claim| claim.value.can_be(service));
                for claim in message.facts.iter().filter(|_| of_service) {
                    match claim {
                        Claim::Reference(fact) => shown.push((&fact.value, false)),
                        Claim::ReferenceMerged(fact) => shown.push((&fact.value, true)),
                        _ => {}
                    }
                }
            }
        }
        // A URL without anything of the providers is the better witness.
        let merged = shown.iter().all(|(_, merged)| *merged);
        shown.retain(|(_, of_both)| *of_both == merged);
        if shown.is_empty() {
            return None;
        }
        let mut hint = ReferenceHint {
            merged,
            ..ReferenceHint::default()
        };
        for (name, value) in shown
            .iter()
            .flat_map(|(settings, _)| settings.iter())
            .filter_map(|setting| setting.split_once('='))
        {
            let known = hint.settings.entry(name.to_owned());
            let known = known.or_insert_with(|| value.to_owned());
            if known != value {
                hint.unclear.insert(name.to_owned());
            }
        }
        hint.settings.retain(|name, _| !hint.unclear.contains(name));
        Some(hint)
    }

    /// What this text contributes to the question.
    pub fn question_hints(&self) -> QuestionHints {
        let mut hints = QuestionHints::default();
        let writers = Writers::of(self);
        let mut all: Vec<&Failure> = self.failures.iter().chain(&self.statements).collect();
        all.sort_by_key(|failure| failure.first);
        for failure in all {
            let facts = failure.facts();
            services(&mut hints, &facts);
            for message in &failure.messages {
                let end = self.origin.end.or_else(|| writers.end(message));
                of_message(&mut hints, message, end);
            }
            if failure.ids().all(MessageId::is_statement) {
                continue;
            }
            if let Some(method) = facts.method().filter(|_| {
                facts
                    .service()
                    .is_none_or(|fact| !fact.value.is_infrastructure())
            }) {
                hints.methods.add(method.clone());
            }
        }
        hints.services.sort();
        hints.methods.sort();
        hints.consumer_ip.sort();
        hints.application.sort();
        hints.dubbo.sort();
        hints.client.sort();
        hints.namespaces.sort();
        hints
    }
}

/// Hosts that wrote lines only a provider or only a consumer writes.
struct Writers {
    providers: BTreeSet<String>,
    consumers: BTreeSet<String>,
}

impl Writers {
    fn of(facts: &LogFacts) -> Self {
        let mut writers = Self {
            providers: BTreeSet::new(),
            consumers: BTreeSet::new(),
        };
        for message in facts
            .failures
            .iter()
            .chain(&facts.statements)
            .flat_map(|failure| &failure.messages)
        {
            let host = message.facts.host().map(|host| host.value.clone());
            match message.facts.printed_by().map(|end| end.value) {
                Some(End::Provider) => writers.providers.extend(host),
                Some(End::Consumer) => writers.consumers.extend(host),
                None if message.facts.consumer_ip().is_some() => writers.consumers.extend(host),
                None => {}
            }
        }
        writers
    }

    fn end(&self, message: &Message) -> Option<End> {
        let facts = &message.facts;
        if let Some(end) = facts.printed_by() {
            return Some(end.value);
        }
        if facts.consumer_ip().is_some() || is_of_consumer(message.id) {
            return Some(End::Consumer);
        }
        let host = &facts.host()?.value;
        match (self.consumers.contains(host), self.providers.contains(host)) {
            (true, false) => Some(End::Consumer),
            (false, true) => Some(End::Provider),
            _ => None,
        }
    }
}

/// Messages that only the calling side prints.
fn is_of_consumer(id: MessageId) -> bool {
    use MessageId as Id;
    matches!(
        id,
        Id::A
            | Id::AOld
            | Id::B
            | Id::C
            | Id::D
            | Id::E
            | Id::StartWait
            | Id::F
            | Id::G
            | Id::Invoke
            | Id::Force
            | Id::Block
            | Id::Urls
            | Id::Proto
            | Id::SubCache
            | Id::SubRetry
            | Id::EmptyClear
            | Id::EmptyKeep
            | Id::Changed
            | Id::MapNone
            | Id::Tried
            | Id::Although
            | Id::FailFast
            | Id::RpcTimeout
            | Id::RpcNet
            | Id::Wait
            | Id::WaitLocal
            | Id::Send
            | Id::GoB
            | Id::GoTried
            | Id::GoTried3
            | Id::GoConn
            | Id::GoStart
    )
}

fn of_message(hints: &mut QuestionHints, message: &Message, end: Option<End>) {
    let facts = &message.facts;
    for claim in facts {
        if let Claim::Namespace(namespace) = claim {
            hints.namespaces.add(namespace.clone());
        }
    }
    registry(hints, facts, end);
    if end == Some(End::Provider) {
        return;
    }
    if let Some(fact) = facts.application() {
        hints.application.add(fact.clone());
    }
    if let Some(fact) = facts.lang() {
        hints.client.add(fact.clone());
    }
    // A line that either end may have written says nothing of the consumer.
    let host = facts.host().filter(|_| end.is_some()).cloned().map(weaker);
    if let Some(fact) = facts.consumer_ip().cloned().or(host) {
        hints.consumer_ip.add(fact);
    }
    for fact in [facts.dubbo(), facts.dubbo_jar(), facts.go_version()]
        .into_iter()
        .flatten()
        .filter(|_| end.is_some())
    {
        hints.dubbo.add(fact.clone());
    }
}

/// `current host` need not be the address that others see.
fn weaker(fact: Fact<String>) -> Fact<String> {
    Fact {
        strength: Strength::Derived,
        ..fact
    }
}

/// Keys that can be one service are one: the fuller one stays.
fn services(hints: &mut QuestionHints, facts: &Facts) {
    for claim in facts.named("service") {
        let Claim::Service(fact) = claim else {
            continue;
        };
        if fact.value.is_infrastructure() {
            continue;
        }
        match hints
            .services
            .values
            .iter_mut()
            .find(|known| known.value.agrees(&fact.value))
        {
            Some(known) => {
                known.value.fill(&fact.value);
                known.strength = known.strength.max(fact.strength);
            }
            None => hints.services.values.push(fact.clone()),
        }
    }
}

fn registry(hints: &mut QuestionHints, facts: &Facts, of: Option<End>) {
    let Some(address) = facts.registry() else {
        return;
    };
    let text = |fact: Option<&Fact<String>>| fact.map(|fact| fact.value.clone());
    let hint = RegistryHint {
        address: address.value.clone(),
        kind: text(facts.registry_kind()),
        backup: facts
            .registry_backup()
            .map(|fact| fact.value.clone())
            .unwrap_or_default(),
        root: text(facts.registry_root()),
        namespace: text(facts.namespace()),
        nacos_group: text(facts.nacos_group()),
        group_attribute: facts.group_attribute().is_some(),
        params: facts
            .registry_params()
            .map(|fact| fact.value.clone())
            .unwrap_or_default(),
        of,
        place: address.place,
    };
    let same = hints.registries.iter_mut().find(|known| {
        known.address == hint.address
            && agree(known.of.as_ref(), hint.of.as_ref())
            && agree(known.kind.as_ref(), hint.kind.as_ref())
            && agree(known.root.as_ref(), hint.root.as_ref())
            && agree(known.namespace.as_ref(), hint.namespace.as_ref())
            && agree(known.nacos_group.as_ref(), hint.nacos_group.as_ref())
    });
    let Some(known) = same else {
        hints.registries.push(hint);
        return;
    };
    known.of = known.of.or(hint.of);
    known.kind = known.kind.take().or(hint.kind);
    known.root = known.root.take().or(hint.root);
    known.namespace = known.namespace.take().or(hint.namespace);
    known.nacos_group = known.nacos_group.take().or(hint.nacos_group);
    known.group_attribute |= hint.group_attribute;
    if known.backup.is_empty() {
        known.backup = hint.backup;
    }
    if known.params.is_empty() {
        known.params = hint.params;
    }
}

fn agree<T: PartialEq>(a: Option<&T>, b: Option<&T>) -> bool {
    a.is_none() || b.is_none() || a == b
}
