//! Sorts the messages of the logs by what they mean for this question.

use serde_json::json;

use super::{
    Place, Proof, Said, exported,
    failure::{
        Counts, evidence, find, fits, has_failed_start, is_only_trouble_known, is_providers,
        is_renewed, is_routed_away, masquerade, of_file,
    },
    metadata, raised,
    time::When,
};
use crate::{
    diagnose::code::Code,
    input::log::{Conclusion, End, Failure, KeyClaim, LogFacts, Message, MessageId},
    question::Question,
    rule::migration::Step,
};

/// Messages that say nothing about whether this service can be called now.
pub(super) const HARMLESS: [MessageId; 18] = [
    MessageId::Reconnect,
    MessageId::Invalidated,
    MessageId::Slow,
    MessageId::SlowProvider,
    MessageId::Late,
    MessageId::Although,
    MessageId::Mock,
    MessageId::MetaStore,
    MessageId::MapFail,
    MessageId::MapNone,
    MessageId::EmptyKeep,
    MessageId::EmptyClear,
    MessageId::H,
    MessageId::Disconnected,
    // A document that is rejected, or a router that cannot run, takes nothing away.
    MessageId::Rule,
    MessageId::TagRule,
    MessageId::Cfg,
    MessageId::Router,
];

/// Messages by which a consumer says that it has no provider. Counts in them may say more.
pub(super) const NOTHING: [MessageId; 13] = [
    MessageId::A,
    MessageId::AOld,
    MessageId::B,
    MessageId::C,
    MessageId::D,
    MessageId::E,
    MessageId::StartWait,
    MessageId::F,
    MessageId::G,
    MessageId::J,
    MessageId::K,
    MessageId::GoB,
    MessageId::GoStart,
];

/// Messages of a subscription that failed, or of the client library below it.
pub(super) const SUBSCRIPTION: [MessageId; 6] = [
    MessageId::SubRetry,
    MessageId::SubFail,
    MessageId::SubCache,
    MessageId::NacosClient,
    MessageId::NacosConf,
    MessageId::ZkClient,
];

impl Said {
    /// Reads the logs of a question.
    pub(crate) fn read(question: &Question) -> Self {
        let mut said = Self::default();
        for found in &question.unreadable {
            said.unreadable.push(Proof {
                raised: raised(
                    Code::AddressUnparsable,
                    json!({
                        "address": found.error.to_string(), "property": found.property,
                    }),
                    ("setting", &found.property),
                    vec![of_file(&found.source, found.line)],
                ),
                own: found.of_consumer,
            });
        }
        for log in &question.logs {
            said.log(question, log);
        }
        // Start-up talk of a client library need not be a failure: addresses may have arrived after it.
        if said.nothing.is_empty() && !has_failed_start(question) {
            let troubles = said.refused.iter_mut().chain(&mut said.unreachable);
            for trouble in troubles.chain(&mut said.grpc) {
                let params = &trouble.proof.raised.params;
                trouble.passing = !params.contains_key("service");
            }
        }
        said
    }

    fn log(&mut self, question: &Question, log: &LogFacts) {
        let own = log.origin.end == Some(End::Consumer);
        let before = self.unread.len();
        for failure in &log.failures {
            let service = failure.service().map(|fact| fact.value);
            if metadata::is_about(failure)
                && let Some(unread) = metadata::read(log, failure, own)
            {
                if failure.has(MessageId::NotExported) {
                    self.masquerades
                        .push(masquerade("metadata-not-exported", &unread.evidence));
                }
                self.unread.push(unread);
            }
            if service.as_ref().is_some_and(|claim| !fits(claim, question)) {
                if !is_providers(log, failure) {
                    self.contacts.take_other(log, failure, own);
                    self.trouble_beside(question, log, failure, own);
                }
                continue;
            }
            if is_providers(log, failure) {
                self.of_provider(question, log, failure, service.is_some());
            } else {
                self.of_consumer(question, log, failure, service.is_some());
            }
        }
        for message in log.messages() {
            let failed = message.facts.reason().is_some();
            let step = message.facts.step().filter(|_| !failed);
            let step = step.and_then(|step| {
                Step::ALL
                    .into_iter()
                    .find(|known| known.as_str() == step.value)
            });
            if let Some(step) = step
                && message
                    .facts
                    .service()
                    .is_some_and(|fact| fits(&fact.value, question))
                && log.origin.end != Some(End::Provider)
            {
                self.steps.push((step, evidence(log, message)));
            }
        }
        for statement in &log.statements {
            let service = statement.service().map(|fact| fact.value);
            if is_providers(log, statement) {
                self.exported_by(log, statement);
                self.place(question, log, statement, service.as_ref());
                continue;
            }
            self.contacts.take_statement(statement);
            self.answered(question, log, statement);
            if statement.has(MessageId::Disconnected)
                && let Some(message) = statement.messages.first()
            {
                let address = message.facts.provider().map(|fact| fact.value.clone());
                self.connects.push((address, evidence(log, message)));
            }
        }
        self.last_word(log, before);
    }

    /// What a provider's log proves: a refused registration, where it registers.
    fn of_provider(&mut self, question: &Question, log: &LogFacts, failure: &Failure, about: bool) {
        let facts = failure.facts();
        let refused = facts.refused().map(|fact| fact.value.clone());
        let reason = facts.reason().map(|fact| fact.value.clone());
        let by_client = facts
            .nacos_service()
            .is_some_and(|name| name.value.starts_with("providers:"));
        let cause = facts.cause().map(|fact| fact.value.clone());
        let is_registration = failure.has(MessageId::RegFail)
            || reason.as_deref() == Some("registration refused")
            || by_client && cause.is_some();
        if about
            && is_registration
            && let Some(message) = failure.messages.first()
        {
            let text = refused
                .or(cause)
                .or(reason)
                .unwrap_or_else(|| "-".to_owned());
            let service = question.service.to_string();
            self.registration.push(Proof {
                raised: raised(
                    Code::RegistrationRefused,
                    json!({"service": service, "reason": text}),
                    ("service", &service),
                    failure
                        .messages
                        .iter()
                        .take(2)
                        .map(|m| evidence(log, m))
                        .collect(),
                ),
                own: log.origin.end.is_some() || message.facts.printed_by().is_some(),
            });
        }
        self.place(
            question,
            log,
            failure,
            failure.service().map(|fact| fact.value).as_ref(),
        );
    }

    /// A provider of this service says at which place it registers.
    fn place(
        &mut self,
        question: &Question,
        log: &LogFacts,
        failure: &Failure,
        service: Option<&KeyClaim>,
    ) {
        let about = match service {
            Some(claim) => fits(claim, question),
            // A provider's log as a whole: the registry it is configured with.
            None => log.origin.end == Some(End::Provider),
        };
        for message in failure.messages.iter().filter(|_| about) {
            let facts = &message.facts;
            let place = Place {
                registry: facts.registry().map(|fact| fact.value.clone()),
                root: facts.registry_root().map(|fact| fact.value.clone()),
                namespace: facts.namespace().map(|fact| fact.value.clone()),
                group: facts.nacos_group().map(|fact| fact.value.clone()),
            };
            let says = place.root.is_some() || place.namespace.is_some() || place.group.is_some();
            if says && !self.places.iter().any(|(known, _)| *known == place) {
                self.places.push((place, evidence(log, message)));
            }
        }
    }

    fn of_consumer(&mut self, question: &Question, log: &LogFacts, failure: &Failure, about: bool) {
        let own = log.origin.end == Some(End::Consumer);
        let conclusions = failure.conclusions();
        if let Some(message) = find(failure, MessageId::SubCache) {
            let list = message.facts.cached_addresses();
            let count = list.map_or(0, |list| list.value.len());
            self.on_cache.push((count, evidence(log, message)));
        }
        for message in &failure.messages {
            self.registry_trouble(question, log, (failure, message), about, own);
            if let Some(when) = When::of(log, failure.last_time.as_ref()) {
                let key = (log.origin.name.clone(), message.place.line);
                self.moments.insert(key, when);
            }
        }
        if failure.has(MessageId::EmptyKeep)
            && let Some(message) = find(failure, MessageId::EmptyKeep)
        {
            self.kept.push(evidence(log, message));
        }
        if let Some(message) = find(failure, MessageId::Reconnect)
            && let Some(address) = message.facts.provider()
        {
            self.reconnects
                .push((address.value.clone(), evidence(log, message)));
            self.contacts.take_reconnect(log, failure, message, own);
        }
        let lacks = |message: &&Message| {
            let reason = message.facts.reason();
            reason.is_some_and(|reason| reason.value == "metadata not found")
        };
        if own && about {
            let found = failure.messages.iter().filter(lacks);
            self.not_found
                .extend(found.map(|message| evidence(log, message)));
        }
        self.answer_of_provider(question, log, failure, own);
        self.unusable(question, log, failure, own);
        self.contacts.take(log, failure, own);
        self.router_error(question, log, failure, about, own);
        self.forced(question, log, failure, about, own);
        self.unsent(question, log, failure, own);
        self.told_nothing(log, failure, own);
        self.masquerade(log, failure);
        self.cut_list(log, failure);
        if !is_renewed(question, log, failure) {
            self.remaining(log, failure, &conclusions, own);
        }
    }

    /// `Not found exported service`.
    fn answer_of_provider(
        &mut self,
        question: &Question,
        log: &LogFacts,
        failure: &Failure,
        own: bool,
    ) {
        let Some(message) = find(failure, MessageId::NotExported) else {
            return;
        };
        let Some(keys) = message.facts.exported() else {
            return;
        };
        let provider = message.facts.provider().map(|fact| fact.value.as_str());
        let found = exported::read(
            &question.service,
            &keys.value,
            provider,
            evidence(log, message),
            own,
        );
        let named_wrong = found.proof.as_ref().is_some_and(|proof| {
            !matches!(proof.raised.code, Code::GroupDiffers | Code::VersionDiffers)
        });
        if named_wrong {
            self.masquerades
                .push(masquerade("provider-exports", &found.evidence));
        }
        self.exported.get_or_insert(found);
    }

    /// Addresses arrived and none became usable.
    fn unusable(&mut self, question: &Question, log: &LogFacts, failure: &Failure, own: bool) {
        let service = question.service.to_string();
        if let Some(message) = find(failure, MessageId::Urls)
            && message.facts.disabled().is_some_and(|fact| fact.value)
        {
            let count = message.facts.urls().map_or(0, |fact| fact.value);
            self.unusable.push(Proof {
                raised: raised(
                    Code::DisabledByOverride,
                    json!({"service": service, "count": count, "total": count, "rule": ["disabled=true"]}),
                    ("service", &service),
                    vec![evidence(log, message)],
                ),
                own,
            });
        }
        if let Some(message) = find(failure, MessageId::Proto)
            && failure.has(MessageId::Urls)
        {
            let wanted = message
                .facts
                .supported_protocols()
                .map(|fact| fact.value.clone());
            let offered = message.facts.protocol().map(|fact| fact.value.clone());
            self.unusable.push(Proof {
                raised: raised(
                    Code::ProtocolFiltered,
                    json!({"service": service, "wanted": wanted, "offered": offered}),
                    ("service", &service),
                    vec![evidence(log, message)],
                ),
                own,
            });
        }
    }

    /// Texts that name the wrong thing.
    fn masquerade(&mut self, log: &LogFacts, failure: &Failure) {
        if let Some(message) = find(failure, MessageId::AOld) {
            self.masquerades
                .push(masquerade("empty-list", &evidence(log, message)));
        }
        if let Some(message) = find(failure, MessageId::C)
            && message
                .facts
                .route_input()
                .is_some_and(|fact| fact.value == 0)
        {
            self.masquerades
                .push(masquerade("empty-before-routing", &evidence(log, message)));
        }
    }

    /// Lists that show only their first addresses.
    fn cut_list(&mut self, log: &LogFacts, failure: &Failure) {
        for message in &failure.messages {
            let facts = &message.facts;
            let lists = [
                (
                    facts.listed().map(|fact| fact.value.len()),
                    facts.invokers(),
                ),
                (
                    facts.input_addresses().map(|fact| fact.value.len()),
                    facts.route_input(),
                ),
            ];
            for (shown, count) in lists {
                if let (Some(shown), Some(count)) = (shown, count)
                    && shown > 0
                    && (shown as u64) < count.value
                    && self.cut_lists.is_empty()
                {
                    let evidence = evidence(log, message);
                    self.cut_lists.push(raised(
                        Code::LogListCut,
                        json!({"shown": shown, "count": count.value}),
                        ("text", evidence.source.as_str()),
                        vec![evidence.clone()],
                    ));
                }
            }
        }
    }

    /// What is left: nothing to call, or a failure that an empty list does not explain.
    fn remaining(
        &mut self,
        log: &LogFacts,
        failure: &Failure,
        conclusions: &[Conclusion],
        own: bool,
    ) {
        let Some(message) = failure
            .messages
            .iter()
            .find(|message| !HARMLESS.contains(&message.id) && !message.id.is_statement())
        else {
            return;
        };
        // A call that got through in the end; a pool that was full at a moment, and takes the next.
        let full = failure.has(MessageId::Pool)
            && conclusions.contains(&Conclusion::ProviderPoolFull)
            && !failure.has(MessageId::Connect);
        if failure.has(MessageId::Although) || full {
            return;
        }
        let facts = failure.facts();
        let connects = failure.messages.iter().any(|message| {
            matches!(
                message.id,
                MessageId::Connect | MessageId::Closed | MessageId::Upstream | MessageId::GoConn
            )
        }) || conclusions.contains(&Conclusion::Connectivity);
        let counts = Counts::of(failure);
        let had_addresses = [counts.known, counts.valid, counts.routed].contains(&Some(true));
        let is_silent = failure.messages.iter().any(|message| {
            matches!(
                message.id,
                MessageId::Wait | MessageId::WaitLocal | MessageId::GoRead
            )
        });
        if connects || is_silent && own {
            let address = facts.provider().map(|fact| fact.value.clone());
            self.connects.push((address, evidence(log, message)));
            self.unexplained.push(evidence(log, message));
        } else if NOTHING.contains(&message.id) && !had_addresses {
            self.nothing.push(evidence(log, message));
            self.told_empty |= failure
                .ids()
                .any(|id| matches!(id, MessageId::A | MessageId::AOld));
        } else if !had_addresses && is_only_trouble_known(failure) {
            // Taken up above, by its own meaning.
            if failure.ids().any(|id| NOTHING.contains(&id)) {
                self.nothing.push(evidence(log, message));
            }
        } else {
            let shown = evidence(log, message);
            if is_routed_away(failure, conclusions) {
                self.explained_by_routers.push(shown.clone());
            }
            if metadata::is_about(failure) {
                self.explained_by_metadata.push(shown.clone());
            }
            self.unexplained.push(shown);
        }
    }
}
