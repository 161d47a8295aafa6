//! What is known of the consumer besides what was given: from its log, and from its own entry in the registry.

use crate::{
    diagnose::gather,
    model::version::DubboVersion,
    question::{Client, Question},
    snapshot::Snapshot,
};

/// The question with observed values filled in, and where they come from.
#[derive(Debug, Clone)]
pub(crate) struct Observed {
    /// The completed question.
    pub(crate) question: Question,
    /// The registries were taken from the recording.
    pub(crate) registries_from_recording: bool,
}

impl Observed {
    /// Fills in what the question leaves open and a log or the registry tells without contradiction.
    pub(crate) fn of(question: &Question, snapshot: &Snapshot) -> Self {
        let mut question = question.clone();
        for log in question.logs.clone() {
            let hints = log.question_hints();
            let consumer = &mut question.consumer;
            if consumer.ip.is_none() {
                consumer.ip = hints.consumer_ip.only().map(|fact| fact.value.clone());
            }
            if consumer.application.is_none() {
                consumer.application = hints.application.only().map(|fact| fact.value.clone());
            }
            if consumer.client.is_none() {
                consumer.client = hints.client.only().map(|fact| match fact.value {
                    crate::input::log::Language::Java => Client::Java,
                    crate::input::log::Language::Go => Client::Go,
                });
            }
            if consumer.dubbo.is_none() && consumer.client != Some(Client::Go) {
                consumer.dubbo = hints
                    .dubbo
                    .only()
                    .and_then(|fact| DubboVersion::parse(&fact.value).ok());
            }
        }
        let registries_from_recording = question.registries.is_empty();
        if registries_from_recording {
            question.registries = gather::recorded(snapshot);
        }
        Self {
            registries_from_recording: registries_from_recording && !question.registries.is_empty(),
            question,
        }
    }
}
