//! From what was said, on the command line and in files, to the questions that are asked.

use std::{collections::BTreeSet, sync::Arc};

use jiff::Timestamp;

use super::files::{Content, Handed};
use crate::{
    cli::value::Whose,
    diagnose::{
        spoken::{self, Topic},
        told_by_port,
    },
    error::UsageError,
    input::log::{
        Candidates, End, Failure, KeyClaim, Language, LogFacts, Outcome, QuestionHints,
        RegistryHint,
    },
    model::{service_key::ServiceKey, version::DubboVersion},
    question::{Client, Consumer, GroupOrigin, Question, RegistryAddress, UnreadableAddress},
    settings::Settings,
    snapshot::{Snapshot, SourceKind},
};

/// Questions with the facts to answer them.
pub(super) struct Gathered {
    pub(super) snapshot: Snapshot,
    pub(super) questions: Vec<Question>,
    /// Whether Ctrl-C ended the reading.
    pub(super) stopped: bool,
}

/// The questions, and what the user should know about how they came to be.
#[derive(Debug)]
pub(super) struct Questions {
    /// One per service.
    pub(super) questions: Vec<Question>,
    /// Contradictions and gaps.
    pub(super) notes: Vec<String>,
}

/// Puts the questions together. `now` is the moment they are asked at.
pub(super) fn questions(
    services: &[String],
    settings: &Settings,
    files: &[Handed],
    recorded: &[LogFacts],
    snapshot: &Snapshot,
    now: Timestamp,
) -> Result<Questions, UsageError> {
    let mut notes = Vec::new();
    let logs: Vec<Arc<LogFacts>> = files
        .iter()
        .filter_map(log_of)
        .chain(recorded)
        .cloned()
        .map(Arc::new)
        .collect();
    let keys = match services {
        [] => failing(files, &mut notes)?,
        services => services
            .iter()
            .map(|text| typed(text, settings))
            .collect::<Result<_, _>>()?,
    };
    let base = base(settings, files, now, &mut notes);
    let mut questions = Vec::new();
    for key in keys {
        let mut question = Question {
            service: key,
            logs: logs.clone(),
            ..base.clone()
        };
        take_params(&mut question, &mut notes);
        for file in files
            .iter()
            .filter(|file| file.whose != Some(Whose::Provider))
        {
            if let Some(log) = log_of(file) {
                // A line without a name stands for no service.
                if file.asks && !services.is_empty() && question.service.interface != "-" {
                    notes.extend(of_another(log, &question.service));
                }
                notes.extend(otherwise(log, &question));
                let hints = about(log, &question.service);
                take_hints(&mut question, settings, &hints, snapshot, &mut notes);
                // The text that asks is about one call; one that is attached tells of some of many.
                if file.asks && question.invocation.method.is_none() {
                    question.invocation.method =
                        hints.methods.only().map(|fact| fact.value.clone());
                }
            }
        }
        questions.push(question);
    }
    notes.dedup();
    Ok(Questions { questions, notes })
}

/// Fills in what the consumer's own QOS port says of the consumer and nobody else said.
pub(super) fn take_port(questions: &mut [Question], snapshot: &Snapshot) {
    for question in questions {
        let Some(told) = told_by_port(question, snapshot) else {
            continue;
        };
        let consumer = &mut question.consumer;
        consumer.application = consumer.application.take().or(told.application);
        if consumer.client != Some(Client::Go) {
            consumer.dubbo = consumer.dubbo.take().or(told.version);
        }
    }
}

fn log_of(file: &Handed) -> Option<&LogFacts> {
    match &file.content {
        Content::Log(facts) => Some(facts),
        Content::Settings(_) | Content::Cache(_) | Content::Qos(_) | Content::Kept => None,
    }
}

fn typed(text: &str, settings: &Settings) -> Result<ServiceKey, UsageError> {
    if text.contains('@') {
        // Not repeated: what stands before the `@` may be a password.
        return Err(
            UsageError::new("SERVICE: this looks like an address, not a service key").hint(
                "name the service as [group/]interface[:version] and the address with --registry",
            ),
        );
    }
    let mut key = ServiceKey::parse_cli(text)
        .map_err(|error| UsageError::new(format!("SERVICE: {error}")))?;
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    if settings.group.is_some() {
        key.group = filled(&settings.group);
    }
    if settings.service_version.is_some() {
        key.version = filled(&settings.service_version);
    }
    Ok(key)
}

/// The services that fail in the pasted text, in order of appearance.
fn failing(files: &[Handed], notes: &mut Vec<String>) -> Result<Vec<ServiceKey>, UsageError> {
    let mut claims: Vec<KeyClaim> = Vec::new();
    let mut named: Vec<KeyClaim> = Vec::new();
    let mut first_failure = None;
    let mut of_dubbo: BTreeSet<String> = BTreeSet::new();
    let mut pasted = false;
    for log in files.iter().filter(|file| file.asks).filter_map(log_of) {
        pasted = true;
        let hints = log.question_hints();
        let failing: Vec<KeyClaim> = log
            .failures
            .iter()
            .filter(|failure| failure.outcome() == Outcome::Failed)
            .filter_map(|failure| Some(failure.service()?.value))
            .collect();
        let claims_of = |failure: &Failure| Some(failure.service()?.value);
        of_dubbo.extend(
            log.failures
                .iter()
                .filter_map(claims_of)
                .filter(KeyClaim::is_infrastructure)
                .map(|claim| claim.interface),
        );
        first_failure = first_failure.or(log.failures.first().map(|failure| failure.first.line));
        for hint in &hints.services.values {
            if !named.iter().any(|known| known.agrees(&hint.value)) {
                named.push(hint.value.clone());
            }
            let fails = failing.iter().any(|claim| claim.agrees(&hint.value));
            if fails && !claims.iter().any(|known| known.agrees(&hint.value)) {
                claims.push(hint.value.clone());
            }
        }
    }
    if let ([], [only]) = (claims.as_slice(), named.as_slice()) {
        notes.push(format!(
            "{}: the only service that the text names; the text does not say that it fails",
            only.interface
        ));
        claims.push(only.clone());
    }
    if claims.is_empty() {
        return Err(if pasted {
            let error = no_service_fails(&named, &of_dubbo, first_failure);
            match files.iter().filter(|file| file.asks).find_map(meaning) {
                Some(code) => error.hint(format!("what the text means: diag explain {code}")),
                None => error,
            }
        } else {
            UsageError::new("no service is named")
                .hint("name one: [group/]interface[:version], or give --from-log")
        });
    }
    Ok(claims
        .into_iter()
        .map(|claim| key_of(&claim, notes))
        .collect())
}

/// What a text says instead of naming a service that fails.
fn no_service_fails(
    named: &[KeyClaim],
    of_dubbo: &BTreeSet<String>,
    first_failure: Option<u64>,
) -> UsageError {
    const SHOWN: usize = 5;
    let interfaces: Vec<&str> = named.iter().map(|claim| claim.interface.as_str()).collect();
    let error = match (interfaces.as_slice(), first_failure) {
        ([], _) if !of_dubbo.is_empty() => format!(
            "the text names only services of Dubbo itself: {}",
            of_dubbo.iter().cloned().collect::<Vec<_>>().join(", ")
        ),
        ([], Some(line)) => {
            format!("the text tells of a failure (line {line}) and names no service")
        }
        ([], None) => "the text names no service that fails".to_owned(),
        (some, _) => {
            let more = some.len().saturating_sub(SHOWN);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            let shown = some.iter().take(SHOWN).copied().collect::<Vec<_>>();
            format!(
                "the text does not say that one of its services fails: {}{more}",
                shown.join(", ")
            )
        }
    };
    UsageError::new(error)
        .hint("name it: diag no-provider [group/]interface[:version] --from-log ..")
}

/// The code that explains a text, where one does.
fn meaning(file: &Handed) -> Option<String> {
    let topics = spoken::topics(file.said()?);
    topics.first().map(|topic| match topic {
        Topic::Finding(code) => code.to_string(),
        Topic::Dubbo(code) => (*code).to_owned(),
    })
}

fn key_of(claim: &KeyClaim, notes: &mut Vec<String>) -> ServiceKey {
    let key = ServiceKey::new(claim.group.value(), &claim.interface, claim.version.value());
    for (what, known) in [
        ("group", claim.group.is_known()),
        ("version", claim.version.is_known()),
    ] {
        if !known {
            let flag = if what == "group" {
                "--group"
            } else {
                "--service-version"
            };
            notes.push(format!(
                "{}: the text does not show whether there is a {what}; none is taken, {flag} says otherwise",
                claim.interface
            ));
        }
    }
    key
}

/// What all questions share: flags, then the consumer's configuration files.
fn base(
    settings: &Settings,
    files: &[Handed],
    now: Timestamp,
    notes: &mut Vec<String>,
) -> Question {
    let mut question = Question {
        consumer: settings.consumer.clone(),
        zones: settings.zones.clone(),
        registries: settings.registries.clone(),
        also_search: settings.also_search.clone(),
        config_center: settings.config_center.clone(),
        metadata_report: settings.metadata_report.clone(),
        invocation: settings.invocation.clone(),
        sweep: settings.sweep,
        require: settings.require.clone(),
        routers: settings.routers.clone(),
        ..Question::new(ServiceKey::new(None, "", None), now)
    };
    for file in files {
        let id = file.id.as_ref().map(ToString::to_string);
        let id = id.unwrap_or_default();
        notes.extend(file.remarks.iter().map(|remark| format!("{id}: {remark}")));
        let Content::Settings(found) = &file.content else {
            continue;
        };
        if file.whose == Some(Whose::Provider) {
            continue;
        }
        if file.whose.is_none() {
            notes.push(format!(
                "{id}: not said whose file it is: taken for the consumer's (--attach consumer:FILE)"
            ));
        }
        for (property, line, placeholder) in &found.unresolved {
            notes.push(format!("{id} line {line}: {property} has {placeholder}, which the file does not define: give --registry"));
        }
        question.consumer.application = question
            .consumer
            .application
            .or_else(|| found.application.clone());
        for (name, value) in &found.migration {
            let params = &mut question.consumer.params;
            params.entry(name.clone()).or_insert_with(|| value.clone());
        }
        question.config_center = question
            .config_center
            .or_else(|| found.config_center.clone());
        question.no_config_center |= question.config_center.is_none()
            && found.has_no_config_center(question.consumer.dubbo.as_ref());
        question.metadata_report = question
            .metadata_report
            .or_else(|| found.metadata_report.clone());
        if let Some(other) = found.contradiction(&settings.registries) {
            let group = other.group.as_ref();
            let group = group.map_or_else(String::new, |(group, _)| format!(", group {group}"));
            notes.push(format!(
                "{id} names another registry for the consumer than --registry: {other}{group}; what was given is asked"
            ));
        }
        if settings.registries.is_empty() {
            question.registries.extend(found.registries.iter().cloned());
            question
                .unreadable
                .extend(
                    found
                        .unreadable
                        .iter()
                        .map(|(property, line, error)| UnreadableAddress {
                            error: error.clone(),
                            property: property.clone(),
                            source: id.clone(),
                            line: *line,
                            of_consumer: file.whose == Some(Whose::Consumer),
                        }),
                );
        }
    }
    question
}

/// Parameters of the reference that have a place of their own in the question.
fn take_params(question: &mut Question, notes: &mut Vec<String>) {
    let service = &mut question.service;
    let consumer = &mut question.consumer;
    for (name, flag, place) in [
        ("group", "--group", &mut service.group),
        ("version", "--service-version", &mut service.version),
        ("application", "--consumer-app", &mut consumer.application),
    ] {
        let given = consumer
            .params
            .remove(name)
            .filter(|value| !value.is_empty());
        match (&place, given) {
            (None, given) => *place = given,
            (Some(known), Some(given)) if *known != given => notes.push(format!(
                "--param {name}={given} differs from {known}: {flag} or SERVICE counts"
            )),
            _ => {}
        }
    }
}

/// Remarks on parameters of the reference of which a text says something else than a flag, or several things.
fn otherwise(log: &LogFacts, question: &Question) -> Vec<String> {
    let service = &question.service;
    let Some(shown) = log.reference(service) else {
        return Vec::new();
    };
    let given = &question.consumer.params;
    let differing = shown.settings.iter().filter_map(|(name, value)| {
        let given = given.get(name).filter(|given| *given != value)?;
        Some(format!(
            "{service}: the text says {name}={value}, --param says {name}={given}: the flag counts"
        ))
    });
    let unclear = shown
        .unclear
        .iter()
        .filter(|name| !given.contains_key(*name))
        .map(|name| {
            format!("{service}: the text says several things for {name}: none is taken, give --param {name}=..")
        });
    differing.chain(unclear).collect()
}

/// The part of a log that speaks of a service, and what it says of nothing in particular.
fn about(log: &LogFacts, service: &ServiceKey) -> QuestionHints {
    let part = LogFacts {
        failures: log
            .failures
            .iter()
            .filter(|failure| {
                failure
                    .service()
                    .is_none_or(|claim| claim.value.can_be(service))
            })
            .cloned()
            .collect(),
        ..log.clone()
    };
    part.question_hints()
}

/// A remark on a pasted text that tells of failures of other services only: perhaps the wrong one was named.
fn of_another(log: &LogFacts, service: &ServiceKey) -> Option<String> {
    const SHOWN: usize = 3;
    let named: BTreeSet<String> = log
        .failures
        .iter()
        .filter_map(|failure| Some(failure.service()?.value))
        .filter(|claim| !claim.is_infrastructure())
        .map(|claim| claim.interface)
        .collect();
    if named.is_empty() || named.contains(&service.interface) {
        return None;
    }
    let shown: Vec<&str> = named.iter().take(SHOWN).map(String::as_str).collect();
    Some(format!(
        "{}: the text is about {}, not about this service",
        service.interface,
        shown.join(", ")
    ))
}

/// Fills what the command line left open.
fn take_hints(
    question: &mut Question,
    settings: &Settings,
    hints: &QuestionHints,
    snapshot: &Snapshot,
    notes: &mut Vec<String>,
) {
    let service = question.service.to_string();
    let mut note = |what: &str, flag: &str, values: &Candidates<String>, given: Option<&str>| {
        let texts: BTreeSet<&str> = values
            .values
            .iter()
            .map(|fact| fact.value.as_str())
            .collect();
        let list = texts.iter().copied().collect::<Vec<_>>().join(", ");
        match given {
            Some(given) if !texts.is_empty() && !texts.contains(given) => {
                notes.push(format!(
                    "{service}: the text says {what} {list}, {flag} says {given}: the flag counts"
                ));
            }
            None if texts.len() > 1 => {
                notes.push(format!("{service}: the text says several things for {what} ({list}): none is taken, give {flag}"));
            }
            _ => {}
        }
    };
    let given = &settings.consumer;
    note(
        "application",
        "--consumer-app",
        &hints.application,
        given.application.as_deref(),
    );
    note(
        "address of the consumer",
        "--consumer-ip",
        &hints.consumer_ip,
        given.ip.as_deref(),
    );
    note(
        "Dubbo version",
        "--dubbo",
        &hints.dubbo,
        given.dubbo.as_ref().map(DubboVersion::as_str),
    );

    let only = |values: &Candidates<String>| values.only().map(|fact| fact.value.clone());
    let consumer: &mut Consumer = &mut question.consumer;
    consumer.application = consumer
        .application
        .take()
        .or_else(|| only(&hints.application));
    consumer.ip = consumer.ip.take().or_else(|| only(&hints.consumer_ip));
    consumer.dubbo = consumer
        .dubbo
        .take()
        .or_else(|| DubboVersion::parse(&only(&hints.dubbo)?).ok());
    consumer.client = consumer.client.or_else(|| {
        hints.client.only().map(|fact| match fact.value {
            Language::Java => Client::Java,
            Language::Go => Client::Go,
        })
    });
    let other: Vec<&str> = hints
        .registries
        .iter()
        .filter(|hint| hint.of != Some(End::Provider))
        .map(|hint| hint.address.as_str())
        .filter(|address| {
            !settings
                .registries
                .iter()
                .any(|registry| registry.members.iter().any(|member| member == address))
        })
        .collect();
    if !settings.registries.is_empty() && !other.is_empty() {
        notes.push(format!(
            "{service}: the text says registry {}, --registry says another: the flag counts",
            other.join(", ")
        ));
    }
    if question.registries.is_empty() && question.unreadable.is_empty() {
        question.registries = registries(&hints.registries, snapshot, notes);
        question.place_assumed = true;
    }
}

/// The consumer's registries that a text names, as addresses.
fn registries(
    hints: &[RegistryHint],
    snapshot: &Snapshot,
    notes: &mut Vec<String>,
) -> Vec<RegistryAddress> {
    let mut addresses: Vec<RegistryAddress> = Vec::new();
    let hints = || hints.iter().filter(|hint| hint.of != Some(End::Provider));
    let kind_of = |hint: &RegistryHint| {
        let stated = hint.kind.clone();
        stated.or_else(|| recorded_kind(&hint.address, snapshot))
    };
    let kinds: BTreeSet<String> = hints().filter_map(kind_of).collect();
    // Left out, a further registry would count as one that is not there.
    let common = kinds.first().filter(|_| kinds.len() == 1);
    for hint in hints() {
        let Some(kind) = kind_of(hint).or_else(|| common.cloned()) else {
            notes.push(format!(
                "the text names the registry {} but not its kind: give --registry zookeeper://{0} or nacos://{0}",
                hint.address
            ));
            continue;
        };
        let mut query: Vec<String> = hint.params.clone();
        if !hint.backup.is_empty() {
            query.push(format!("backup={}", hint.backup.join(",")));
        }
        let group = if kind == "nacos" {
            &hint.nacos_group
        } else {
            &hint.root
        };
        let pairs = [("namespace", &hint.namespace), ("group", group)];
        query.extend(
            pairs
                .iter()
                .filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?))),
        );
        let mut text = format!("{kind}://{}", hint.address);
        if !query.is_empty() {
            text = format!("{text}?{}", query.join("&"));
        }
        let parsed = RegistryAddress::parse(&text).map(|mut address| {
            if let Some((_, origin)) = &mut address.group
                && hint.group_attribute
            {
                *origin = GroupOrigin::Attribute;
            }
            address
        });
        match parsed {
            Ok(address) if addresses.contains(&address) => {}
            Ok(address) => addresses.push(address),
            Err(error) => notes.push(format!(
                "the text names a registry that cannot be read: {error}"
            )),
        }
    }
    addresses
}

/// The kind of the recorded registry with this address, when there is just one.
fn recorded_kind(address: &str, snapshot: &Snapshot) -> Option<String> {
    let kinds: BTreeSet<String> = snapshot
        .manifest()
        .sources
        .values()
        .filter(|source| matches!(source.kind, SourceKind::Zookeeper | SourceKind::Nacos))
        .filter_map(|source| RegistryAddress::parse(source.url.as_deref()?).ok())
        .filter(|recorded| recorded.members.iter().any(|member| member == address))
        .map(|recorded| recorded.kind.to_string())
        .collect();
    match kinds.len() {
        1 => kinds.into_iter().next(),
        _ => None,
    }
}
