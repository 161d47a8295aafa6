//! What the consumer's own log says of its connections: which providers cannot be reached, which are silent.
//!
//! A connect error in the consumer's log is the network as the consumer sees it. It says nothing about addresses it does
//! not name, and nothing about a provider that registered after it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    Proof,
    failure::evidence,
    metadata, raised,
    time::{When, registered_ms},
};
use crate::{
    diagnose::code::Code,
    input::log::{Conclusion, Failure, LogFacts, Message, MessageId},
    view::{
        held::{Entry, Held},
        stage::{Evidence, Raised, StageId},
    },
};

/// How a call to an address failed, worst proof last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Failing {
    /// A call that tried several addresses failed with all of them; how with this one, it does not say.
    Tried,
    /// The provider answers, and takes no work.
    PoolFull,
    /// Connected, and no answer in time.
    Silent,
    /// No connection.
    Unconnected,
}

/// One address that failed.
#[derive(Debug, Clone)]
struct Contact {
    /// The address tried, and the one of the provider's URL where another was connected to.
    addresses: Vec<String>,
    failing: Failing,
    reason: String,
    /// The text gives the reason: else it is the name of the message.
    explained: bool,
    /// Numbers of a full pool.
    numbers: Map<String, Value>,
    /// The last time.
    when: Option<When>,
    /// A failed connection, and no more: refused, timed out.
    connect: bool,
    /// Line of the last time.
    line: u64,
    own: bool,
    evidence: Evidence,
}

/// A directory that prints its numbers: so many addresses, none of them connected.
#[derive(Debug, Clone)]
struct Unconnected {
    invokers: u64,
    when: Option<When>,
    line: u64,
    own: bool,
    evidence: Evidence,
}

/// All that the logs say about connections.
#[derive(Debug, Clone, Default)]
pub(super) struct Contacts {
    failed: Vec<Contact>,
    none_connected: Vec<Unconnected>,
    /// An answer came from this address (from some address) at this line.
    answered: Vec<(Option<String>, u64)>,
}

/// What connections prove: the code, its stage, and whether more than a likely verdict is proven.
#[derive(Debug, Clone)]
pub(super) struct Severed {
    pub(super) proof: Proof,
    pub(super) stage: StageId,
    pub(super) exact: bool,
}

impl Contacts {
    /// Takes up one failure of a consumer's log.
    pub(super) fn take(&mut self, log: &LogFacts, failure: &Failure, own: bool) {
        let facts = failure.facts();
        let line = failure.last.line;
        let when = When::of(log, failure.last_time.as_ref());
        for message in &failure.messages {
            self.take_answer(message, line);
        }
        let Some((failing, message)) = failing(failure) else {
            if failure.conclusions().contains(&Conclusion::Connectivity)
                && let Some(count) = facts.invokers()
                && let Some(message) = failure.messages.first()
            {
                self.none_connected.push(Unconnected {
                    invokers: count.value,
                    when,
                    line,
                    own,
                    evidence: evidence(log, message),
                });
            }
            return;
        };
        let addresses: Vec<String> = failure
            .messages
            .iter()
            .flat_map(|message| [message.facts.provider(), message.facts.registered()])
            .flatten()
            .map(|fact| fact.value.clone())
            .collect();
        let limit = facts.timeout_ms().map(|fact| fact.value);
        let reason = match (facts.reason(), limit) {
            (_, Some(limit)) if failing == Failing::Silent => format!("no answer in {limit} ms"),
            (Some(reason), _) => reason.value.clone(),
            _ => message.id.name().to_owned(),
        };
        let mut numbers = Map::new();
        if failing == Failing::PoolFull {
            for (name, number) in [
                ("active", facts.active()),
                ("max", facts.max()),
                ("tasks", facts.tasks()),
                ("completed", facts.completed()),
            ] {
                numbers.insert(name.to_owned(), json!(number.map(|fact| fact.value)));
            }
        }
        let explained = facts.reason().is_some() || limit.is_some();
        // A channel that was closed was open before; and who asked for metadata did not call this service.
        let connect = message.id != MessageId::Closed && !metadata::is_about(failure);
        let contact = |addresses, failing| Contact {
            addresses,
            failing,
            reason: reason.clone(),
            explained,
            numbers: numbers.clone(),
            when,
            connect,
            line,
            own,
            evidence: evidence(log, message),
        };
        let tried = facts
            .tried()
            .map(|fact| fact.value.clone())
            .unwrap_or_default();
        for address in tried {
            if !addresses.contains(&address) {
                // One address alone was tried: the reason is its own.
                let alone = facts.distinct().is_some_and(|count| count.value == 1);
                let failing = if alone { failing } else { Failing::Tried };
                self.failed.push(contact(vec![address], failing));
            }
        }
        if !addresses.is_empty() {
            self.failed.push(contact(addresses, failing));
        }
    }

    /// A failure of another service: where no connection was made, it is none for this service either.
    pub(super) fn take_other(&mut self, log: &LogFacts, failure: &Failure, own: bool) {
        if failing(failure).is_some_and(|(failing, _)| failing == Failing::Unconnected) {
            self.take(log, failure, own);
        }
    }

    /// An address that only the reconnect task still tries.
    pub(super) fn take_reconnect(
        &mut self,
        log: &LogFacts,
        failure: &Failure,
        message: &Message,
        own: bool,
    ) {
        let Some(address) = message.facts.provider() else {
            return;
        };
        self.failed.push(Contact {
            addresses: vec![address.value.clone()],
            failing: Failing::Unconnected,
            reason: message
                .facts
                .reason()
                .map_or_else(|| message.id.name().to_owned(), |fact| fact.value.clone()),
            explained: message.facts.reason().is_some(),
            numbers: Map::new(),
            when: When::of(log, failure.last_time.as_ref()),
            connect: true,
            line: failure.last.line,
            own,
            evidence: evidence(log, message),
        });
    }

    /// Signs that a provider answers.
    fn take_answer(&mut self, message: &Message, line: u64) {
        let facts = &message.facts;
        let provider = || facts.provider().map(|fact| fact.value.clone());
        match message.id {
            MessageId::Late | MessageId::NotExported => self.answered.push((provider(), line)),
            MessageId::Although => {
                let address = facts.answered_by().map(|fact| fact.value.clone());
                self.answered.push((address, line));
            }
            MessageId::Slow => {
                let in_time = facts
                    .cost_ns()
                    .zip(facts.timeout_ms())
                    .is_some_and(|(cost, limit)| cost.value / 1_000_000 < limit.value);
                if in_time {
                    let address = facts.target().map(|fact| fact.value.clone());
                    self.answered.push((address, line));
                }
            }
            _ => {}
        }
    }

    /// Statements of a log: an answer that came late is none of a failure.
    pub(super) fn take_statement(&mut self, statement: &Failure) {
        for message in &statement.messages {
            self.take_answer(message, statement.last.line);
        }
    }

    /// When every address that the consumer connects to failed: what that proves.
    pub(super) fn severed(&self, held: &Held, connecting: &[String]) -> Option<Severed> {
        if connecting.is_empty() {
            return None;
        }
        let entries = by_address(held);
        let found = connecting
            .iter()
            .map(|address| {
                let entry = entries.get(address).copied();
                self.row(held, address, entry)
                    .or_else(|| self.counted(held, connecting.len() as u64, address, entry))
            })
            .collect::<Option<Vec<Row<'_>>>>()?;
        let any = |wanted: Failing| found.iter().find(|row| row.failing == wanted);
        // Who says that its pool is full answers, and some calls get through.
        if any(Failing::PoolFull).is_some() {
            return None;
        }
        let own = found.iter().all(|row| row.own);
        let at_door = StageId::Connectivity;
        let (code, stage, shown) = if let Some(silent) = any(Failing::Silent) {
            (Code::AcceptsButSilent, at_door, silent)
        } else if let Some(dead) = found
            .first()
            .filter(|_| found.iter().all(|row| row.sign.is_some()))
        {
            (Code::StaleProvider, at_door, dead)
        } else {
            let closed = any(Failing::Unconnected)?;
            (Code::AddressUnreachable, at_door, closed)
        };
        // A paste shows one slow call; only the whole of a consumer's log shows that no answer ever came.
        if shown.failing == Failing::Silent && !own {
            return None;
        }
        let mut raised = shown.raised(code, found.len());
        raised.evidence = found
            .iter()
            .take(5)
            .map(|row| row.evidence.clone())
            .collect();
        Some(Severed {
            proof: Proof { raised, own },
            stage,
            exact: found
                .iter()
                .all(|row| row.failing == Failing::Unconnected && row.exact),
        })
    }

    /// The addresses that failed, where others are not known to: a finding each.
    pub(super) fn partly(&self, held: &Held, connecting: &[String]) -> Vec<Raised> {
        let entries = by_address(held);
        let rows: Vec<Row<'_>> = connecting
            .iter()
            .filter_map(|address| self.row(held, address, entries.get(address).copied()))
            .collect();
        // A full pool takes the next call, or the one after it.
        let full = |row: &&Row<'_>| row.failing == Failing::PoolFull;
        if rows.len() >= connecting.len() && !rows.iter().any(|row| full(&row)) {
            return Vec::new();
        }
        rows.iter()
            .filter_map(|row| {
                let code = match row.failing {
                    Failing::Unconnected if row.sign.is_some() => Code::StaleProvider,
                    Failing::Unconnected => Code::AddressUnreachable,
                    Failing::Silent => Code::AcceptsButSilent,
                    Failing::PoolFull => Code::PoolExhausted,
                    Failing::Tried => return None,
                };
                Some(row.raised(code, rows.len()))
            })
            .take(5)
            .collect()
    }

    fn row<'a>(
        &'a self,
        held: &Held,
        address: &'a String,
        entry: Option<&Entry>,
    ) -> Option<Row<'a>> {
        // Whom no text names need not be looked up.
        let mut failed = self.failed.iter();
        if !failed.any(|contact| contact.addresses.contains(address)) {
            return None;
        }
        let registered = registered_ms(held, address);
        let contact = self.contact(address, registered)?;
        Some(Row {
            exact: contact.connect && !may_be_older(registered, contact.when),
            address,
            failing: contact.failing,
            reason: &contact.reason,
            numbers: Some(&contact.numbers),
            sign: sign(entry),
            own: contact.own,
            evidence: &contact.evidence,
        })
    }

    /// The strongest failure of an address that nothing later contradicts.
    fn contact(&self, address: &String, registered: Option<i64>) -> Option<&Contact> {
        self.failed
            .iter()
            .filter(|contact| contact.addresses.contains(address))
            .filter(|contact| {
                !self.answered.iter().any(|(from, line)| {
                    let same = from.as_ref().is_none_or(|from| from == address);
                    let after = *line > contact.line;
                    // Who answers late is not silent, be it before or after.
                    same && (after || contact.failing == Failing::Silent)
                })
            })
            .filter(|contact| !is_newer(registered, contact.when))
            .max_by_key(|contact| (contact.failing, contact.explained, contact.line))
    }

    /// A directory with as many addresses as the registry has, none of them connected.
    fn counted<'a>(
        &'a self,
        held: &Held,
        count: u64,
        address: &'a String,
        entry: Option<&Entry>,
    ) -> Option<Row<'a>> {
        let counted = self
            .none_connected
            .iter()
            .rev()
            .filter(|counted| !self.answered.iter().any(|(_, line)| *line > counted.line))
            .find(|counted| {
                counted.invokers == count && !is_newer(registered_ms(held, address), counted.when)
            })?;
        Some(Row {
            // A count of connections is no connect error: it does not say why.
            exact: false,
            address,
            failing: Failing::Unconnected,
            reason: "not connected",
            numbers: None,
            sign: sign(entry),
            own: counted.own,
            evidence: &counted.evidence,
        })
    }
}

/// What is known of one address.
#[derive(Debug, Clone)]
struct Row<'a> {
    address: &'a String,
    failing: Failing,
    reason: &'a str,
    numbers: Option<&'a Map<String, Value>>,
    sign: Option<&'static str>,
    own: bool,
    /// A connect error of this process, for certain.
    exact: bool,
    evidence: &'a Evidence,
}

impl Row<'_> {
    fn raised(&self, code: Code, count: usize) -> Raised {
        let mut found = raised(
            code,
            json!({
                "address": self.address, "reason": self.reason, "count": count, "from": "log",
            }),
            ("address", self.address),
            vec![self.evidence.clone()],
        );
        if let Some(sign) = self.sign {
            found.params.insert("sign".into(), json!(sign));
        }
        if code == Code::PoolExhausted {
            found.params.insert("pool".into(), json!(self.address));
            found
                .params
                .extend(self.numbers.cloned().unwrap_or_default());
        }
        found
    }
}

fn by_address(held: &Held) -> BTreeMap<String, &Entry> {
    held.entries
        .iter()
        .map(|entry| (entry.address(), entry))
        .collect()
}

/// How a failure of a call or connection failed, and the message that says so.
fn failing(failure: &Failure) -> Option<(Failing, &Message)> {
    let find = |ids: &[MessageId]| {
        failure
            .messages
            .iter()
            .find(|message| ids.contains(&message.id))
    };
    let not_written = failure
        .messages
        .iter()
        .any(|message| message.facts.written().is_some_and(|fact| !fact.value));
    if let Some(message) = find(&[
        MessageId::Connect,
        MessageId::Closed,
        MessageId::Upstream,
        MessageId::Invalidated,
    ]) {
        return Some((Failing::Unconnected, message));
    }
    if let Some(message) = find(&[MessageId::Pool]) {
        return failure
            .conclusions()
            .contains(&Conclusion::ProviderPoolFull)
            .then_some((Failing::PoolFull, message));
    }
    // A request that was not written in time was stuck in the consumer.
    if !not_written
        && let Some(message) = find(&[MessageId::Wait, MessageId::WaitLocal, MessageId::GoRead])
    {
        return Some((Failing::Silent, message));
    }
    None
}

/// The provider registered after the failure: it says nothing of this one.
fn is_newer(registered: Option<i64>, when: Option<When>) -> bool {
    registered
        .zip(when)
        .is_some_and(|(registered, when)| registered > when.shown)
}

/// Nothing shows that the failure is not older than the registration.
fn may_be_older(registered: Option<i64>, when: Option<When>) -> bool {
    registered.is_some_and(|registered| when.is_none_or(|when| when.earliest < registered))
}

/// A sign in the registry that the process of an entry is gone.
pub(crate) fn sign(entry: Option<&Entry>) -> Option<&'static str> {
    let entry = entry?;
    if entry.ephemeral == Some(false) {
        return Some("persistent-node");
    }
    let side = entry.nacos.as_ref()?;
    (!side.healthy || side.rewritten).then_some("unhealthy")
}
