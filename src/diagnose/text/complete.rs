//! What logs tell of an application's metadata, put where the registry's answers stand: both models are then judged by it.
//!
//! A consumer that says it cannot have the metadata of a revision has not got them, whatever others get; a provider that
//! says what it registers says what its metadata have, though perhaps not all of it.

use super::{Said, failure::evidence, metadata::Unread, raised};
use crate::{
    diagnose::{code::Code, gather::Registry, outcome::Judged},
    input::log::{Failure, LogFacts, MessageId, Presence},
    model::metadata::ServiceInfo,
    question::{Client, Question},
    view::{
        application::{Application, Instance, Metadata, Told},
        interface::Case,
        stage::{Evidence, Model},
    },
};

/// Consumers of 3.x ask again for metadata they did not get after ten seconds
/// (`ServiceInstancesChangedListener.AddressRefreshRetryTask`): silence for longer means that they have them.
const ASKS_AGAIN_MS: i64 = 15_000;

/// A service that a provider says it registers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Export {
    pub(super) address: String,
    pub(super) application: Option<String>,
    pub(super) service: ServiceInfo,
    pub(super) evidence: Evidence,
}

impl Said {
    /// Puts what the logs say of metadata to what the registries hold.
    pub(in crate::diagnose) fn complete(&self, question: &Question, registries: &mut [Registry]) {
        for held in registries
            .iter_mut()
            .flat_map(|registry| &mut registry.held)
        {
            let application = &mut held.application;
            application.told = self.told(application);
            let open: Vec<(String, String)> = application
                .metadata
                .iter()
                .filter(|(_, found)| !matches!(found, Metadata::Here { .. }))
                .map(|(key, _)| key.clone())
                .collect();
            for key in open {
                if let Some(unread) = self.unread_of(question, application, &key) {
                    let found = as_metadata(question, unread);
                    application.metadata.insert(key, found);
                }
            }
        }
    }

    /// The consumer says, and has not said otherwise since, that it has no metadata for all that it could call, though
    /// others have seen them.
    pub(super) fn lacks_metadata(&self, case: &Case<'_>, judged: &Judged) -> Option<&Unread> {
        let (question, application) = (case.question, &case.held.application);
        if self.nothing.is_empty() || judged.view.model != Model::Application {
            return None;
        }
        let mut keys = application
            .instances
            .iter()
            .filter(|instance| judged.view.left.contains(&instance.address))
            .map(Instance::metadata_key)
            .peekable();
        keys.peek()?;
        let mut last = None;
        for key in keys {
            let unread = self.unread_of(question, application, &key?)?;
            if !unread.proof.own || !unread.then_nothing {
                return None;
            }
            last = Some(unread);
        }
        last
    }

    /// What the logs say of the metadata under a key, when it is the last word.
    fn unread_of(
        &self,
        question: &Question,
        application: &Application,
        key: &(String, String),
    ) -> Option<&Unread> {
        let same = |instance: &&Instance| instance.metadata_key().as_ref() == Some(key);
        let instances: Vec<&Instance> = application.instances.iter().filter(same).collect();
        self.unread.iter().rev().find(|unread| {
            if !unread.stands || instances.is_empty() {
                return false;
            }
            if unread.proof.own {
                return unread.revision.as_ref() == Some(&key.1)
                    || unread.revision.is_none()
                        && instances.iter().all(|instance| is_of(unread, instance));
            }
            unread.of_provider
                && unread.application.as_ref() == Some(&key.0)
                && asks_so(question, unread, &instances)
                && instances.iter().all(|instance| {
                    let host = unread.host.as_ref();
                    host.is_none_or(|host| *host == instance.host)
                })
        })
    }

    /// Services that the providers of these instances say they register.
    fn told(&self, application: &Application) -> Vec<Told> {
        let of = |export: &&Export| {
            application.instances.iter().any(|instance| {
                let host = export.address.rsplit_once(':').map(|(host, _)| host);
                let own = export.application.as_ref();
                host == Some(&instance.host) && own.is_none_or(|own| *own == instance.application)
            })
        };
        let exports: Vec<&Export> = self.exports.iter().filter(of).collect();
        let told = |export: &Export| Told {
            host: export
                .address
                .rsplit_once(':')
                .map_or_else(String::new, |(host, _)| host.to_owned()),
            application: export.application.clone(),
            service: export.service.clone(),
            evidence: export.evidence.clone(),
        };
        exports.into_iter().map(told).collect()
    }

    /// Takes up a service that a provider registers.
    pub(super) fn exported_by(&mut self, log: &LogFacts, statement: &Failure) {
        for message in &statement.messages {
            let facts = &message.facts;
            let (MessageId::Register, Some(path), Some(address), Some(claim)) = (
                message.id,
                facts.provider_path(),
                facts.provider(),
                facts.service(),
            ) else {
                continue;
            };
            let part = |presence: &Presence| presence.value().map(str::to_owned);
            let claim = &claim.value;
            // What the text does not show it may have.
            if !claim.group.is_known() || !claim.version.is_known() {
                continue;
            }
            let number = address.value.rsplit_once(':').map(|(_, number)| number);
            let export = Export {
                address: address.value.clone(),
                application: facts.provider_application().map(|fact| fact.value.clone()),
                service: ServiceInfo {
                    key: String::new(),
                    name: Some(claim.interface.clone()),
                    group: part(&claim.group),
                    version: part(&claim.version),
                    protocol: facts.protocol().map(|fact| fact.value.clone()),
                    path: Some(path.value.clone()),
                    port: number.and_then(|number| number.parse().ok()),
                    params: Vec::new(),
                },
                evidence: evidence(log, message),
            };
            let same =
                |known: &Export| known.address == export.address && known.service == export.service;
            if !self.exports.iter().any(same) {
                self.exports.push(export);
            }
        }
    }

    /// What the consumer says of itself, at the end of its log: whether metadata that it did not get are still missing.
    pub(super) fn last_word(&mut self, log: &LogFacts, from: usize) {
        let moments = log.failures.iter().chain(&log.statements);
        let end = moments
            .filter_map(|failure| failure.last_time.as_ref()?.millis)
            .max();
        for unread in &mut self.unread[from..] {
            unread.then_nothing = log.failures.iter().any(|failure| {
                failure.last.line > unread.line
                    && failure.ids().any(|id| super::read::NOTHING.contains(&id))
            });
            let asked_again = unread
                .last_ms
                .zip(end)
                .is_some_and(|(last, end)| end - last > ASKS_AGAIN_MS);
            unread.stands = unread.then_nothing || !asked_again;
        }
    }

    /// DG6009 where the client does not ask again, else the stage of the metadata.
    pub(super) fn without_metadata(
        question: &Question,
        unread: &Unread,
        count: usize,
    ) -> super::Proof {
        if question.consumer.client != Some(Client::Go) {
            return unread.proof.clone();
        }
        super::Proof {
            raised: raised(
                Code::ConsumerListStale,
                serde_json::json!({"own": "empty", "count": count}),
                ("consumer", "list"),
                vec![unread.evidence.clone()],
            ),
            own: true,
        }
    }
}

/// The text names the instance, or its metadata service.
fn is_of(unread: &Unread, instance: &Instance) -> bool {
    let service = instance.metadata_service();
    unread
        .addresses
        .iter()
        .any(|address| *address == instance.address || *address == service)
}

/// The service that the provider says was asked for is the one that this consumer asks (`MetadataServiceV2` from 3.3 on,
/// where the instance promises it).
fn asks_so(question: &Question, unread: &Unread, instances: &[&Instance]) -> bool {
    let promised = instances.iter().all(|instance| {
        let version = instance.metadata.get("meta-v");
        version.is_some_and(|version| version.starts_with("2."))
    });
    let dubbo = question.consumer.dubbo.as_ref();
    let newer = promised && dubbo.is_some_and(|dubbo| dubbo.at_least([3, 3]));
    unread.second == newer
}

fn as_metadata(question: &Question, unread: &Unread) -> Metadata {
    let raised = &unread.proof.raised;
    let text = |name: &str| {
        let value = raised.params.get(name).and_then(|value| value.as_str());
        value.unwrap_or("-").to_owned()
    };
    let (address, reason, evidence) = (text("address"), text("reason"), unread.evidence.clone());
    if raised.code == Code::MetadataRefused {
        return Metadata::Refused {
            address,
            reason,
            evidence,
        };
    }
    Metadata::Unreachable {
        address,
        reason,
        // Its own word: it is where it is.
        from: question.consumer.ip.clone(),
        evidence,
    }
}
