//! Units to failures: what happened together is one failure, and what happened before is counted.
//!
//! Messages of one failure share the service, the thread and the time to a few milliseconds. Lines that name no service
//! (a registry that refuses, metadata that cannot be had) are circumstances of what stands next to them.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::block::Unit;
use super::claim::Claim;
use super::fact::{Fact, KeyClaim, Moment};
use super::facts::LogFacts;
use super::failure::Failure;
use super::head::Head;
use super::message::{Message, MessageId};
use super::moment::Clock;
use super::repeated::{add_message, add_text, is_same_text, merge_detail};

/// Distinct failures kept, and as many statements; more are only counted.
pub const MAX_FAILURES: usize = 1000;

/// Messages of one failure.
const MAX_MESSAGES: usize = 32;

/// Failures that may still get messages.
const MAX_OPEN: usize = 64;

/// Lines of one thread about one service within this time belong together, ms.
const SAME_CALL: u64 = 1000;

/// The same message again after this time is another occurrence, ms.
const SAME_MOMENT: u64 = 20;

/// Circumstances count for what happens within this time, ms.
const CIRCUMSTANCE: u64 = 60_000;

/// Without times, texts further apart than this are strangers, lines.
const NEAR_LINES: u64 = 400;

/// A failure that may still grow.
#[derive(Debug)]
struct Open {
    failure: Failure,
    key: Option<KeyClaim>,
    method: Option<String>,
    consumer: Option<String>,
    /// Ids of requests and answers.
    calls: Vec<String>,
    thread: Option<String>,
    clock: Option<Clock>,
    entry: Option<u64>,
    thrown: bool,
    detail: bool,
    line: u64,
}

/// Folds units into failures.
#[derive(Debug, Default)]
pub(super) struct Grouper {
    open: Vec<Open>,
    failures: HashMap<u64, usize>,
    statements: HashMap<u64, usize>,
}

impl Grouper {
    /// Takes a unit in.
    pub(super) fn push(&mut self, unit: Unit, facts: &mut LogFacts) {
        if unit.messages.iter().all(Message::is_statement) {
            let open = Open::new(unit);
            keep(
                open.failure,
                &mut self.statements,
                &mut facts.statements,
                &mut facts.statements_not_kept,
            );
            return;
        }
        let next = Open::new(unit);
        if let Some(index) = self.open.iter().rposition(|open| open.fits(&next)) {
            let mut open = self.open.remove(index);
            open.add(next);
            self.open.push(open);
            return;
        }
        if self.open.len() >= MAX_OPEN {
            let oldest = self.open.remove(0);
            self.close(oldest, facts);
        }
        self.open.push(next);
    }

    /// The text ends.
    pub(super) fn finish(&mut self, facts: &mut LogFacts) {
        for open in std::mem::take(&mut self.open) {
            self.close(open, facts);
        }
        facts.failures.sort_by_key(|failure| failure.first);
        facts.statements.sort_by_key(|statement| statement.first);
    }

    fn close(&mut self, open: Open, facts: &mut LogFacts) {
        keep(
            open.failure,
            &mut self.failures,
            &mut facts.failures,
            &mut facts.failures_not_kept,
        );
    }
}

/// Counts a failure that is known, keeps one that is new.
fn keep(
    failure: Failure,
    known: &mut HashMap<u64, usize>,
    kept: &mut Vec<Failure>,
    not_kept: &mut u64,
) {
    let print = fingerprint(&failure);
    if let Some(index) = known.get(&print)
        && let Some(first) = kept.get_mut(*index)
    {
        first.count += failure.count;
        if failure.last > first.last {
            first.last = failure.last;
            first.last_time = failure.last_time;
        }
        if failure.first < first.first {
            first.first = failure.first;
            first.first_time = failure.first_time;
        }
        return;
    }
    if kept.len() >= MAX_FAILURES {
        *not_kept += failure.count;
        return;
    }
    known.insert(print, kept.len());
    kept.push(failure);
}

/// What makes two failures the same: messages, and those of their facts that do not change from call to call.
fn fingerprint(failure: &Failure) -> u64 {
    let mut hasher = DefaultHasher::new();
    failure.pod.hash(&mut hasher);
    for message in &failure.messages {
        message.id.hash(&mut hasher);
        let mut steady: Vec<String> = message
            .facts
            .iter()
            .filter(|claim| claim.is_steady())
            .map(|claim| format!("{}={}", claim.name(), claim.value()))
            .collect();
        steady.sort_unstable();
        steady.hash(&mut hasher);
    }
    hasher.finish()
}

impl Open {
    fn new(unit: Unit) -> Self {
        let Unit {
            messages,
            head,
            pod,
            entry,
            thrown,
            detail,
            line,
        } = unit;
        let place = messages
            .first()
            .map(|message| message.place)
            .unwrap_or_default();
        let time = time_of(&head);
        let mut open = Self {
            failure: Failure {
                messages: Vec::new(),
                count: 1,
                first: place,
                last: place,
                first_time: time.clone(),
                last_time: time,
                pod,
            },
            key: None,
            method: None,
            consumer: None,
            calls: Vec::new(),
            thread: head.thread.map(|thread| thread.0),
            clock: head.clock,
            entry,
            thrown,
            detail,
            line,
        };
        for message in messages {
            open.note(&message);
            add_message(&mut open.failure.messages, message);
        }
        open
    }

    fn add(&mut self, next: Self) {
        let Self {
            failure,
            thread,
            clock,
            entry,
            thrown,
            detail,
            line,
            ..
        } = next;
        let same_entry = self.entry.is_some() && self.entry == entry;
        self.failure.first = self.failure.first.min(failure.first);
        self.failure.last = self.failure.last.max(failure.last);
        self.failure.first_time = self.failure.first_time.take().or(failure.first_time);
        self.failure.last_time = failure.last_time.or(self.failure.last_time.take());
        for message in failure.messages {
            self.note(&message);
            match self.failure.messages.last_mut() {
                Some(last) if detail && same_entry => merge_detail(last, &message),
                _ => add_text(&mut self.failure.messages, message),
            }
        }
        self.thread = self.thread.take().or(thread);
        self.clock = clock.or(self.clock);
        self.entry = entry.or(self.entry);
        self.thrown |= thrown;
        self.detail &= detail;
        self.line = line;
    }

    fn note(&mut self, message: &Message) {
        let keys = message.facts.named("service").filter_map(business_key);
        for key in keys {
            match &mut self.key {
                Some(known) => known.fill(&key),
                None => self.key = Some(key),
            }
        }
        let text = |fact: Option<&Fact<String>>| fact.map(|fact| fact.value.clone());
        self.method = self.method.take().or_else(|| text(message.facts.method()));
        for call in [message.facts.request_id(), message.facts.response_id()]
            .into_iter()
            .flatten()
        {
            if !self.calls.contains(&call.value) {
                self.calls.push(call.value.clone());
            }
        }
        self.consumer = self
            .consumer
            .take()
            .or_else(|| text(message.facts.consumer_ip()));
    }

    /// Whether what comes next speaks of the same happening.
    fn fits(&self, next: &Self) -> bool {
        let (known, other) = (&self.failure, &next.failure);
        if known.pod != other.pod
            || known.messages.len() + other.messages.len() > MAX_MESSAGES
            || self.contradicts(next)
        {
            return false;
        }
        let same_entry = self.entry.is_some() && self.entry == next.entry;
        if same_entry {
            return true;
        }
        let distance = self.clock.zip(next.clock).and_then(|(a, b)| a.distance(b));
        // An answer that comes late belongs to the call that did not wait for it, whatever thread tells it.
        let same_call = next.calls.iter().any(|call| self.calls.contains(call));
        if same_call && distance.is_none_or(|distance| distance <= CIRCUMSTANCE) {
            return true;
        }
        let repeated = other
            .messages
            .iter()
            .all(|message| known.messages.iter().any(|old| is_same_text(old, message)));
        if repeated {
            // A logger above prints the text once more in the same moment; later it is another occurrence.
            let moment = if next.is_start() {
                CIRCUMSTANCE
            } else {
                SAME_MOMENT
            };
            return distance.map_or(!(self.thrown && next.thrown), |distance| distance <= moment);
        }
        let Some(distance) = distance else {
            let timeless = self.clock.is_none() || next.clock.is_none();
            return timeless && next.line.saturating_sub(self.line) <= NEAR_LINES;
        };
        let same_thread = match (&self.thread, &next.thread) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        let keyless = self.key.is_none() || next.key.is_none();
        let of_registry = keyless && (self.is_circumstance() || next.is_circumstance());
        (of_registry && distance <= CIRCUMSTANCE) || (same_thread && distance <= SAME_CALL)
    }

    /// The start-up check is told several times on the way up.
    fn is_start(&self) -> bool {
        self.failure.ids().all(|id| id == MessageId::E)
    }

    fn contradicts(&self, other: &Self) -> bool {
        let differ = |a: &Option<String>, b: &Option<String>| a.is_some() && b.is_some() && a != b;
        let keys = match (&self.key, &other.key) {
            (Some(a), Some(b)) => !a.agrees(b),
            _ => false,
        };
        let services = |message: &Message| {
            message
                .facts
                .service()
                .map(|fact| fact.value.interface.clone())
        };
        let same_id_other_service = other.failure.messages.iter().any(|message| {
            self.failure
                .messages
                .iter()
                .any(|known| known.id == message.id && differ(&services(known), &services(message)))
        });
        keys || same_id_other_service
            || differ(&self.method, &other.method)
            || differ(&self.consumer, &other.consumer)
    }

    /// Only lines about a registry, a configuration centre or metadata.
    fn is_circumstance(&self) -> bool {
        use MessageId as Id;
        self.failure.messages.iter().all(|message| {
            matches!(
                message.id,
                Id::NacosClient
                    | Id::NacosConf
                    | Id::ZkClient
                    | Id::Meta
                    | Id::MetaRefresh
                    | Id::RegistryCreate
                    | Id::BadAddress
            )
        })
    }
}

fn business_key(claim: &Claim) -> Option<KeyClaim> {
    match claim {
        Claim::Service(fact) if !fact.value.is_infrastructure() => Some(fact.value.clone()),
        _ => None,
    }
}

fn time_of(head: &Head) -> Option<Moment> {
    head.time.as_ref().map(|(moment, _)| moment.clone())
}
