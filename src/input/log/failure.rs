//! What several messages say about one happening.

use serde::Serialize;

use super::claim::{Claim, Facts};
use super::conclude::{Conclusion, conclude};
use super::fact::{Fact, KeyClaim, Moment, Place};
use super::message::{Message, MessageId};

/// How a happening ended, as far as the text tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Something did not work.
    Failed,
    /// The call succeeded in the end.
    Success,
    /// The text does not tell.
    Unknown,
}

/// One failure: the messages that speak of it, and how often it happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// The messages in order of appearance; a text repeated below `Caused by` is there once.
    pub messages: Vec<Message>,
    /// How often the same failure was seen. The facts are those of the first time.
    pub count: u64,
    /// First and last place.
    pub first: Place,
    /// Place of the last time.
    pub last: Place,
    /// Time of the first, where the line has one.
    pub first_time: Option<Moment>,
    /// Time of the last.
    pub last_time: Option<Moment>,
    /// Pod or container of an interleaved log.
    pub pod: Option<String>,
}

impl Failure {
    /// Ids in order of appearance.
    pub fn ids(&self) -> impl Iterator<Item = MessageId> + '_ {
        self.messages.iter().map(|message| message.id)
    }

    /// Whether a message of this kind is part of it.
    pub fn has(&self, id: MessageId) -> bool {
        self.ids().any(|found| found == id)
    }

    /// The facts of all its messages.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        for message in &self.messages {
            for claim in &message.facts {
                facts.push(claim.clone());
            }
        }
        if let Some(service) = self.service() {
            facts.remove("service");
            facts.push(Claim::Service(service));
        }
        facts
    }

    /// The service, put together from all messages: one may show the group and version another leaves out.
    /// A business service goes before one of Dubbo's own.
    pub fn service(&self) -> Option<Fact<KeyClaim>> {
        let claims = self
            .messages
            .iter()
            .flat_map(|message| &message.facts)
            .filter_map(|claim| match claim {
                Claim::Service(fact) => Some(fact),
                _ => None,
            });
        let rank = |fact: &Fact<KeyClaim>| {
            (
                fact.value.is_infrastructure(),
                std::cmp::Reverse(fact.strength),
            )
        };
        let mut service = claims.clone().min_by_key(|fact| rank(fact))?.clone();
        for other in claims {
            if other.value.interface == service.value.interface {
                service.value.fill(&other.value);
            }
        }
        Some(service)
    }

    /// How it ended.
    pub fn outcome(&self) -> Outcome {
        if self.has(MessageId::Although) {
            return Outcome::Success;
        }
        if self.messages.iter().all(|message| {
            matches!(message.id, MessageId::Slow | MessageId::SlowProvider)
                || message.is_statement()
        }) {
            return Outcome::Unknown;
        }
        Outcome::Failed
    }

    /// What follows from it.
    pub fn conclusions(&self) -> Vec<Conclusion> {
        conclude(self)
    }
}
