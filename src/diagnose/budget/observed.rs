//! What timeout texts say of the calls that ran out of time: in which phase, and what was in force.

use super::model::Observed;
use crate::{
    input::log::{End, Fact, Failure, LogFacts, Message, MessageId},
    question::Question,
};

/// A happening about the service, with where it stands.
#[derive(Debug, Clone)]
pub(super) struct Happening {
    /// As the report shows it.
    pub(super) row: Observed,
    /// The method, where the text tells it.
    pub(super) method: Option<String>,
    /// The text names the service (or the question names none).
    pub(super) about_service: bool,
    /// The words of Dubbo that tell it.
    pub(super) words: &'static str,
    /// Id of the file in the snapshot.
    pub(super) file: String,
    /// The limit that was in force for the call, milliseconds. A line about a slow call prints another one: that of the
    /// reference, whatever the provider has (`InvocationUtil`).
    pub(super) waited_ms: Option<i64>,
    /// First and last line that tell of it.
    pub(super) lines: (u64, u64),
    /// Host of the consumer that called, where the text tells it. The end of the connection need not be it: a host may have
    /// several addresses.
    pub(super) consumer: Option<String>,
    /// The text itself names the service.
    pub(super) names_service: bool,
    /// The time a slow call took, nanoseconds.
    pub(super) cost_ns: Option<u64>,
    /// Tries that failover counts in its last word: `retries` + 1, whatever became of each.
    pub(super) tried: Option<u64>,
    /// A late answer is part of it.
    pub(super) late: bool,
    /// Numbers of a full pool.
    pub(super) pool: Option<Pool>,
    /// A limit that refused the call.
    pub(super) limit: Option<Reached>,
}

/// A limit that refused a call.
#[derive(Debug, Clone)]
pub(super) struct Reached {
    /// Its parameter.
    pub(super) name: &'static str,
    /// Its value, where the text tells it.
    pub(super) each: Option<u64>,
    /// Calls at that moment, where the text tells them.
    pub(super) active: Option<u64>,
    /// Who refused: `consumer` or `provider`.
    pub(super) whose: &'static str,
}

impl Reached {
    fn of(message: &Message) -> Option<Self> {
        let (name, whose) = match message.id {
            MessageId::Actives => ("actives", "consumer"),
            MessageId::Executes => ("executes", "provider"),
            MessageId::Tps => ("tps", "provider"),
            MessageId::Accepts => ("accepts", "provider"),
            _ => return None,
        };
        let number = |fact: Option<&Fact<u64>>| fact.map(|fact| fact.value);
        Some(Self {
            name,
            each: number(message.facts.limit()),
            active: number(message.facts.active()),
            whose,
        })
    }
}

/// A full pool.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    /// Whose: address or thread name.
    pub(super) name: String,
    pub(super) active: Option<u64>,
    pub(super) max: Option<u64>,
    pub(super) tasks: Option<u64>,
    pub(super) completed: Option<u64>,
    /// The pool in which the consumer takes answers.
    pub(super) of_consumer: bool,
}

/// Whether a text tells anything that this verb knows to judge, of whatever service.
pub(crate) fn tells(log: &LogFacts) -> bool {
    log.failures
        .iter()
        .any(|failure| failure.messages.iter().any(|message| is_told(message.id)))
}

/// Messages that are a happening, or part of one.
fn is_told(id: MessageId) -> bool {
    use MessageId as Id;
    leads(id) || matches!(id, Id::Although | Id::GoTried | Id::GoTried3 | Id::Foreign)
}

/// Everything about timeouts in the logs of a question.
pub(super) fn happenings(question: &Question) -> Vec<Happening> {
    question
        .logs
        .iter()
        .flat_map(|log| {
            log.failures
                .iter()
                .filter_map(move |failure| happening(question, log, failure))
        })
        .collect()
}

/// The host of an address, the port left out.
fn host(address: &str) -> String {
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match address.rsplit_once(':') {
        Some((host, port)) if is_port(port) && !host.ends_with(':') => host.to_owned(),
        _ => address.to_owned(),
    }
}

/// Messages that say themselves what became of a call.
fn leads(id: MessageId) -> bool {
    use MessageId as Id;
    matches!(
        id,
        Id::Wait
            | Id::Send
            | Id::WaitLocal
            | Id::Slow
            | Id::Pool
            | Id::NoLeft
            | Id::GoRead
            | Id::Actives
            | Id::Executes
            | Id::Tps
            | Id::Accepts
    )
}

fn happening(question: &Question, log: &LogFacts, failure: &Failure) -> Option<Happening> {
    use MessageId as Id;
    let service = failure.service();
    let unnamed = question.service.interface == "-";
    let about_service = match &service {
        None => false,
        Some(fact) => unnamed || fact.value.interface == question.service.interface,
    };
    if service.is_some() && !about_service {
        return None;
    }
    // That a call was slow is the least of what is told of it.
    let tells = |id| leads(id) && id != Id::Slow;
    let mut messages = failure.messages.iter();
    let telling = messages
        .clone()
        .find(|message| tells(message.id))
        .or_else(|| messages.find(|message| leads(message.id)));
    let although = failure.has(Id::Although);
    let lead = telling.or_else(|| {
        failure
            .messages
            .iter()
            .find(|message| matches!(message.id, Id::Although | Id::GoTried | Id::GoTried3))
            .or(failure
                .messages
                .iter()
                .find(|message| message.id == Id::Foreign))
    })?;
    let all = failure.facts();
    let facts = &lead.facts;
    let number = |fact: Option<&Fact<u64>>| fact.map(|fact| fact.value);
    let written = facts.written().is_none_or(|fact| fact.value);
    let phase = match lead.id {
        Id::Pool | Id::Actives | Id::Executes | Id::Tps | Id::Accepts => "refused",
        Id::Send if !written => "not-written",
        Id::Send => "written-late",
        Id::Foreign => "other-library",
        Id::NoLeft => "deadline-used-up",
        _ if although => "hidden-retry",
        Id::Slow => "slow",
        _ => "waiting",
    };
    let pool = failure
        .messages
        .iter()
        .find(|message| message.id == Id::Pool)
        .map(|message| {
            let facts = &message.facts;
            Pool {
                name: facts
                    .pool_of()
                    .or(facts.pool_thread())
                    .or(all.provider())
                    .map_or_else(|| "-".to_owned(), |fact| fact.value.clone()),
                active: number(facts.active()),
                max: number(facts.max()),
                tasks: number(facts.tasks()),
                completed: number(facts.completed()),
                of_consumer: facts
                    .pool_side()
                    .is_some_and(|side| side.value == End::Consumer),
            }
        });
    Some(Happening {
        row: Observed {
            message: lead.id.to_string(),
            phase,
            count: failure.count,
            timeout_ms: number(facts.timeout_ms()),
            client_elapsed_ms: number(facts.client_elapsed_ms()),
            server_elapsed_ms: number(facts.server_elapsed_ms()),
            elapsed_ms: number(facts.elapsed_ms()),
            tries: number(all.tries().or(all.calls())),
            address: all
                .provider()
                .or(all.target())
                .map(|fact| fact.value.clone()),
            library: all
                .library()
                .filter(|_| lead.id == Id::Foreign)
                .map(|fact| fact.value.clone()),
            line: lead.place.line,
        },
        method: all.method().map(|fact| fact.value.clone()),
        about_service: about_service || service.is_none(),
        words: lead.words(),
        file: log.origin.name.clone(),
        waited_ms: number(facts.timeout_ms())
            .filter(|_| lead.id != Id::Slow)
            .and_then(|millis| i64::try_from(millis).ok()),
        lines: (failure.first.line, failure.last.line),
        consumer: all.consumer_ip().map(|fact| host(&fact.value)),
        names_service: service.is_some(),
        cost_ns: number(all.cost_ns()),
        tried: failure
            .messages
            .iter()
            .find(|message| message.id == Id::Tried)
            .and_then(|message| number(message.facts.tries())),
        late: failure.has(Id::Late),
        pool,
        limit: failure.messages.iter().find_map(Reached::of),
    })
}
