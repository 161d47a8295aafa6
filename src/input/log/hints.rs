//! What a text contributes to the question: service, consumer, version, registries. Where it says two things, both are
//! listed; nothing is chosen silently.

use serde::Serialize;

use super::claim::Facts;
use super::fact::{End, Fact, KeyClaim, Language, Place, Strength};
use super::facts::LogFacts;
use super::failure::Failure;
use super::message::MessageId;

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

/// What the text says of a registry.
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
    /// Nacos namespace, where stated.
    pub namespace: Option<String>,
    /// Nacos group, where stated.
    pub nacos_group: Option<String>,
    /// Whether the line is the consumer's (`false`: a provider wrote it).
    pub of_consumer: bool,
    /// Where the address stands.
    pub place: Place,
}

/// What the text contributes to the question.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct QuestionHints {
    /// Services, those of Dubbo itself left out.
    pub services: Candidates<KeyClaim>,
    /// Methods.
    pub methods: Candidates<String>,
    /// The consumer's address as it sees itself.
    pub consumer_ip: Candidates<String>,
    /// The consumer's application.
    pub application: Candidates<String>,
    /// The consumer's Dubbo version (of Java, or of dubbo-go when `client` is that).
    pub dubbo: Candidates<String>,
    /// Java or Go.
    pub client: Candidates<Language>,
    /// Registries, in order of appearance.
    pub registries: Vec<RegistryHint>,
}

impl LogFacts {
    /// What this text contributes to the question.
    pub fn question_hints(&self) -> QuestionHints {
        let mut hints = QuestionHints::default();
        for failure in self.failures.iter().chain(&self.statements) {
            take(&mut hints, failure);
        }
        hints.services.sort();
        hints.methods.sort();
        hints.consumer_ip.sort();
        hints.application.sort();
        hints.dubbo.sort();
        hints.client.sort();
        hints
    }
}

fn take(hints: &mut QuestionHints, failure: &Failure) {
    let facts = failure.facts();
    let by_provider = facts
        .printed_by()
        .is_some_and(|fact| fact.value == End::Provider);
    if let Some(service) = facts
        .service()
        .filter(|fact| !fact.value.is_infrastructure())
    {
        add_service(&mut hints.services, service.clone());
    }
    for message in &failure.messages {
        registry(hints, &message.facts, by_provider);
    }
    let at_call = !failure.ids().all(MessageId::is_statement);
    if let Some(method) = facts.method().filter(|_| at_call) {
        hints.methods.add(method.clone());
    }
    if by_provider {
        return;
    }
    let own_address = facts
        .consumer_ip()
        .cloned()
        .or_else(|| facts.host().cloned().map(weaker));
    if let Some(fact) = own_address {
        hints.consumer_ip.add(fact);
    }
    if let Some(fact) = facts.application() {
        hints.application.add(fact.clone());
    }
    for fact in [facts.dubbo(), facts.dubbo_jar(), facts.go_version()]
        .into_iter()
        .flatten()
    {
        hints.dubbo.add(fact.clone());
    }
    if let Some(fact) = facts.lang() {
        hints.client.add(fact.clone());
    }
}

/// `current host` need not be the address the consumer registers.
fn weaker(fact: Fact<String>) -> Fact<String> {
    Fact {
        strength: Strength::Derived,
        ..fact
    }
}

/// Keys that can be one service are one: the fuller one stays.
fn add_service(known: &mut Candidates<KeyClaim>, fact: Fact<KeyClaim>) {
    for old in &mut known.values {
        if old.value.agrees(&fact.value) {
            old.value.fill(&fact.value);
            return;
        }
    }
    known.values.push(fact);
}

fn registry(hints: &mut QuestionHints, facts: &Facts, by_provider: bool) {
    let Some(address) = facts.registry() else {
        return;
    };
    let hint = RegistryHint {
        address: address.value.clone(),
        kind: facts.registry_kind().map(|fact| fact.value.clone()),
        backup: facts
            .registry_backup()
            .map(|fact| fact.value.clone())
            .unwrap_or_default(),
        root: facts.registry_root().map(|fact| fact.value.clone()),
        namespace: facts.namespace().map(|fact| fact.value.clone()),
        nacos_group: facts.nacos_group().map(|fact| fact.value.clone()),
        of_consumer: !by_provider,
        place: address.place,
    };
    let same = hints.registries.iter_mut().find(|known| {
        known.address == hint.address
            && known.of_consumer == hint.of_consumer
            && agree(known.kind.as_ref(), hint.kind.as_ref())
            && agree(known.root.as_ref(), hint.root.as_ref())
            && agree(known.namespace.as_ref(), hint.namespace.as_ref())
            && agree(known.nacos_group.as_ref(), hint.nacos_group.as_ref())
    });
    match same {
        Some(known) => {
            known.kind = known.kind.take().or(hint.kind);
            known.root = known.root.take().or(hint.root);
            known.namespace = known.namespace.take().or(hint.namespace);
            known.nacos_group = known.nacos_group.take().or(hint.nacos_group);
            if known.backup.is_empty() {
                known.backup = hint.backup;
            }
        }
        None => hints.registries.push(hint),
    }
}

fn agree(a: Option<&String>, b: Option<&String>) -> bool {
    a.is_none() || b.is_none() || a == b
}
