//! What the consumer's own log says of its registry: that it refused, that it could not be reached, that it answered.
//!
//! A line counts for the registry that it names, and only as long as nothing later says otherwise. It is the registry as
//! the consumer's host sees it, whatever others can read there.

use std::net::IpAddr;

use serde_json::{Map, Value, json};

use super::{
    Proof, Said,
    failure::{evidence, fits, is_beside, is_connect},
    overrule::settle,
    raised,
    read::SUBSCRIPTION,
    time::Stamp,
};
use crate::{
    diagnose::{
        Outcome,
        code::Code,
        gather::Registry,
        outcome::{Judged, Limit},
    },
    input::log::{Failure, LogFacts, Message, MessageId},
    question::{ConsumerState, Question, RegistryAddress, RegistryKind},
    report::words::Say,
    view::{interface::Case, stage::StageId},
};

/// The gRPC port of Nacos is its HTTP port and so much.
const GRPC_OFFSET: u32 = 1000;

/// A refusal or a failed connection.
#[derive(Debug, Clone)]
pub(super) struct Trouble {
    pub(super) proof: Proof,
    /// The gRPC port that does not answer, `host:port`.
    pub(super) port: Option<String>,
    /// Talk of a client library, of which nothing in the text says that it kept the consumer from its list.
    pub(super) passing: bool,
    /// The registry as the line names it.
    member: Option<String>,
    namespace: Option<String>,
    stamp: Stamp,
}

/// The registry was reached.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    stamp: Stamp,
    /// With addresses of this service.
    lists: bool,
}

impl Trouble {
    /// Whether it is about this registry, as far as the line says.
    fn is_of(&self, question: &Question, address: Option<&RegistryAddress>) -> bool {
        let Some(address) = address else {
            return true;
        };
        let alone = question.registries.len() < 2;
        let named = match (&self.port, &self.member) {
            (Some(port), _) => {
                address.members.iter().all(|one| !excludes(port, one))
                    || address.members.iter().any(|one| is_port_of(port, one))
            }
            (None, Some(member)) => address.members.contains(member),
            (None, None) => alone || question.registries.first() == Some(address),
        };
        let public = |name: &str| if name.is_empty() { "public" } else { name }.to_owned();
        // On ZooKeeper the word is the root of a config centre.
        let same_place = question.place_assumed
            || address.kind != RegistryKind::Nacos
            || self.namespace.as_deref().is_none_or(|said| {
                public(said) == public(address.namespace.as_deref().unwrap_or_default())
            });
        named && same_place
    }
}

/// Both are IP addresses, so that a difference says something; and the port is not that of the member.
fn excludes(port: &str, member: &str) -> bool {
    let ip = |text: &str| text.rsplit_once(':')?.0.parse::<IpAddr>().ok();
    ip(port).is_some() && ip(member).is_some() && !is_port_of(port, member)
}

fn is_port_of(port: &str, member: &str) -> bool {
    let split = |text: &str| {
        let (host, number) = text.rsplit_once(':')?;
        Some((host.to_owned(), number.parse::<u32>().ok()?))
    };
    match (split(port), split(member)) {
        (Some((host, grpc)), Some((other, http))) => host == other && grpc == http + GRPC_OFFSET,
        _ => false,
    }
}

impl Said {
    /// Refusals and failed connections to the registry.
    pub(super) fn registry_trouble(
        &mut self,
        question: &Question,
        log: &LogFacts,
        (failure, message): (&Failure, &Message),
        about: bool,
        own: bool,
    ) {
        if !SUBSCRIPTION.contains(&message.id) {
            return;
        }
        let facts = &message.facts;
        if facts.path().is_some_and(|path| is_beside(&path.value)) {
            return;
        }
        let member = facts.registry().map(|fact| fact.value.clone());
        let registry = member
            .clone()
            .or_else(|| question.registries.first().map(ToString::to_string))
            .unwrap_or_else(|| "-".to_owned());
        let mut params = Map::new();
        params.insert("registry".into(), json!(registry));
        if about && facts.service().is_some() {
            params.insert("service".into(), json!(question.service.to_string()));
        }
        let stamp = Stamp::last(log, failure);
        let trouble = |code, reason: &str, port: Option<String>| {
            let mut params = params.clone();
            params.insert("reason".into(), json!(reason));
            let shown = vec![evidence(log, message)];
            Trouble {
                proof: Proof {
                    raised: raised(code, Value::Object(params), ("registry", &registry), shown),
                    own,
                },
                port,
                passing: false,
                member: member.clone(),
                namespace: facts.namespace().map(|fact| fact.value.clone()),
                stamp: stamp.clone(),
            }
        };
        if let Some(refused) = facts.refused() {
            let found = trouble(Code::RegistryAuthRefused, &refused.value, None);
            self.refused.push(found);
            // Who refuses was reached.
            self.answers.push(Answer {
                stamp,
                lists: false,
            });
        } else if let Some(address) = facts.grpc_unreachable() {
            let port = address.value.clone();
            let found = trouble(Code::NacosGrpcClosed, "grpc-port", Some(port));
            self.grpc.push(found);
        } else if let Some(reason) = facts.reason().filter(|reason| is_connect(&reason.value)) {
            let found = trouble(Code::RegistryUnreachable, &reason.value, None);
            self.unreachable.push(found);
        }
    }

    /// What a failure of another service says of the registry as a whole: not what it says of that service's own nodes
    /// and documents.
    pub(super) fn trouble_beside(
        &mut self,
        question: &Question,
        log: &LogFacts,
        failure: &Failure,
        own: bool,
    ) {
        let other = failure.service().map(|claim| claim.value.interface);
        for message in &failure.messages {
            let facts = &message.facts;
            let document = facts.config_data_id().map(|fact| fact.value.as_str());
            let of_other = document
                .zip(other.as_deref())
                .is_some_and(|(document, other)| document.starts_with(other));
            if facts.service().is_none() && facts.path().is_none() && !of_other {
                self.registry_trouble(question, log, (failure, message), false, own);
            }
        }
    }

    /// Signs that the registry was reached.
    pub(super) fn answered(&mut self, question: &Question, log: &LogFacts, statement: &Failure) {
        for message in &statement.messages {
            let facts = &message.facts;
            let counts = [
                facts.urls(),
                facts.available(),
                facts.invokers(),
                facts.instance_size(),
            ];
            let some = counts.into_iter().flatten().any(|count| count.value > 0)
                || facts.addresses().is_some_and(|list| !list.value.is_empty());
            let about = facts
                .service()
                .is_some_and(|claim| fits(&claim.value, question));
            // What comes from a cache file is pushed like what comes from the registry.
            let pushed = matches!(message.id, MessageId::Notify | MessageId::Changed)
                && !log
                    .failures
                    .iter()
                    .any(|failure| failure.has(MessageId::SubCache));
            if pushed || message.id == MessageId::Connected {
                self.answers.push(Answer {
                    stamp: Stamp::last(log, statement),
                    lists: pushed && about && some && facts.empty_protocol().is_none(),
                });
            }
        }
    }

    /// Nothing later in the logs says otherwise: a refusal stands until this service's addresses arrive, a failed
    /// connection until the registry answers anything.
    fn stands(&self, trouble: &Trouble) -> bool {
        let refused = trouble.proof.raised.code == Code::RegistryAuthRefused;
        !self
            .answers
            .iter()
            .any(|answer| (answer.lists || !refused) && answer.stamp.is_after(&trouble.stamp))
    }

    /// A trouble with this registry that stands.
    pub(super) fn is_standing(
        &self,
        question: &Question,
        address: Option<&RegistryAddress>,
        trouble: &Trouble,
    ) -> bool {
        trouble.is_of(question, address) && self.stands(trouble)
    }

    /// The troubles with this registry that stand.
    pub(super) fn standing<'a>(
        &'a self,
        question: &'a Question,
        address: Option<&'a RegistryAddress>,
        troubles: &'a [Trouble],
    ) -> impl Iterator<Item = &'a Trouble> {
        troubles
            .iter()
            .filter(move |trouble| self.is_standing(question, address, trouble))
    }

    /// The registry was read, and the consumer says itself that it has no way to it: for one that starts, nothing comes
    /// of it; for one that runs, it is told.
    pub(super) fn cut_off(
        &self,
        case: &Case<'_>,
        registry: &Registry,
        judged: &mut Judged,
    ) -> bool {
        let Some(proof) = self.no_way(case, registry.address.as_ref()) else {
            return false;
        };
        let starting = case.world.state == ConsumerState::Starting;
        match judged.outcome {
            Outcome::Reachable | Outcome::Partly if starting && self.on_cache.is_empty() => {
                settle(judged, StageId::Reach, &proof);
                // Others can read it.
                judged.limits.insert(Limit::Rule);
                return true;
            }
            Outcome::Reachable | Outcome::Partly => {
                if let Some(stage) = judged.view.stage_mut(&StageId::Reach)
                    && stage.raises.is_empty()
                {
                    stage.raises.push(proof.raised);
                }
            }
            Outcome::Unknown if starting => {
                judged.candidates.push((proof.raised, Say::LogDisagrees));
            }
            _ => {}
        }
        false
    }

    /// The last word of the consumer's logs on this registry, where it is a refusal or a failed connection.
    fn no_way(&self, case: &Case<'_>, address: Option<&RegistryAddress>) -> Option<Proof> {
        let consumer = &case.question.consumer;
        let since = consumer.since.map(jiff::Timestamp::as_millisecond);
        // Its own entry, written after it: it has found a way.
        let entered = |trouble: &&Trouble| {
            let mut own = case.held.consumers.iter();
            own.any(|entry| {
                let later = entry
                    .changed_ms
                    .zip(trouble.stamp.when)
                    .is_none_or(|(changed, when)| changed > when.shown);
                entry.is_of(consumer) && later
            })
        };
        let before = |trouble: &&Trouble| {
            since
                .zip(trouble.stamp.when)
                .is_some_and(|(since, when)| when.latest < since)
        };
        let last = |troubles| {
            self.standing(case.question, address, troubles)
                .filter(|trouble| !before(trouble) && !entered(trouble))
                .last()
        };
        if let Some(refused) = last(&self.refused) {
            return Some(refused.proof.clone());
        }
        if let Some(closed) = last(&self.grpc) {
            let Proof { raised: seen, own } = closed.proof.clone();
            let registry = address.map_or(seen.subject.1, |address| {
                address.without_secrets().to_string()
            });
            let params = json!({
                "registry": registry, "grpc_port": closed.port, "reason": "no answer",
            });
            let subject = ("registry", registry.as_str());
            return Some(Proof {
                raised: raised(Code::NacosGrpcClosed, params, subject, seen.evidence),
                own,
            });
        }
        last(&self.unreachable).map(|trouble| trouble.proof.clone())
    }
}
