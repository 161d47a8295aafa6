//! What the consumer's log proves of the stages that no registry shows: connections, routers that throw, serialization,
//! its own list.

use serde_json::json;

use super::{
    Proof, Said,
    failure::{evidence, find, fits, masquerade},
    overrule::settle,
    raised,
    read::NOTHING,
};
use crate::{
    diagnose::{
        Outcome,
        code::Code,
        outcome::{Judged, Limit},
    },
    input::log::{Failure, LogFacts, MessageId, Moment},
    question::{ConsumerState, Question},
    view::{
        interface::Case,
        stage::{Evidence, StageId, State},
    },
};

impl Said {
    /// What the consumer's log proves of the stages that no registry shows: connections, routers that throw,
    /// serialization, its own list.
    pub(super) fn own_view(&self, case: &Case<'_>, judged: &mut Judged) -> bool {
        if let Some(severed) = self.contacts.severed(case.held, &judged.view.connecting) {
            settle(judged, severed.stage, &severed.proof);
            if !severed.exact {
                judged.limits.insert(Limit::Rule);
            }
            return true;
        }
        if let Some(proof) = self.router_errors.first() {
            settle(judged, StageId::Router("chain".to_owned()), proof);
            judged.limits.insert(Limit::Rule);
            return true;
        }
        if let Some((method, proof)) = self.unsent.first() {
            let asked = case.question.invocation.method.as_ref();
            settle(judged, StageId::Serialization, proof);
            judged.limits.insert(Limit::Rule);
            // Only calls that carry the class are lost.
            if asked.is_none() || asked != method.as_ref() {
                judged.outcome = Outcome::Partly;
            }
            return true;
        }
        if let Some(proof) = self.missed_change(case, judged) {
            settle(judged, StageId::ConsumerView, &proof);
            judged.limits.insert(Limit::Rule);
            return true;
        }
        false
    }

    /// The registry has the providers since before the consumer was told that there is nothing; or they can be
    /// connected, and the consumer has no connection.
    fn missed_change(&self, case: &Case<'_>, judged: &Judged) -> Option<Proof> {
        let stale = |own: &str, evidence: &[Evidence]| Proof {
            raised: raised(
                Code::ConsumerListStale,
                json!({"own": own, "count": judged.view.left.len()}),
                ("consumer", "list"),
                evidence.iter().take(3).cloned().collect(),
            ),
            own: true,
        };
        let there_since = case
            .held
            .entries
            .iter()
            .filter(|entry| judged.view.left.contains(&entry.address()))
            .map(|entry| entry.changed_ms)
            .collect::<Option<Vec<i64>>>()
            .and_then(|times| times.into_iter().max());
        let told: Vec<Evidence> = self
            .told_nothing
            .iter()
            .filter(|(earliest, _)| there_since.is_some_and(|since| since < *earliest))
            .map(|(_, evidence)| evidence.clone())
            .collect();
        if !told.is_empty() {
            return Some(stale("empty", &told));
        }
        // A process that runs writes its cache with every list it is told: what is in it is what it uses.
        let by_interface = !case.dubbo().line().is_3x() || case.held.application.is_absent();
        let kept: Vec<Evidence> = self
            .cache_empty
            .iter()
            .filter(|_| by_interface && case.world.state == ConsumerState::Running)
            .filter(|(written, _)| {
                there_since.is_none_or(|since| written.is_some_and(|written| since < written))
            })
            .map(|(_, evidence)| evidence.clone())
            .collect();
        if !kept.is_empty() {
            return Some(stale("empty", &kept));
        }
        let connects = judged
            .view
            .stage(&StageId::Connectivity)
            .is_some_and(|stage| stage.state == State::Ok && stage.input.unwrap_or_default() > 0);
        (connects && !self.none_available.is_empty())
            .then(|| stale("not connected", &self.none_available))
    }

    /// An exception inside the chain of routers: the list behind it is empty, and no rule says so.
    pub(super) fn router_error(
        &mut self,
        question: &Question,
        log: &LogFacts,
        failure: &Failure,
        about: bool,
        own: bool,
    ) {
        let Some(message) = find(failure, MessageId::Chain).filter(|_| about) else {
            return;
        };
        let cause = message.facts.cause().map(|fact| fact.value.clone());
        let service = question.service.to_string();
        self.router_errors.push(Proof {
            raised: raised(
                Code::RouterError,
                json!({"service": service, "cause": cause.unwrap_or_else(|| "-".to_owned())}),
                ("service", &service),
                vec![evidence(log, message)],
            ),
            own,
        });
    }

    /// A condition rule with `force` left nothing. The text of the rule is not said for rules of a config centre.
    pub(super) fn forced(
        &mut self,
        question: &Question,
        log: &LogFacts,
        failure: &Failure,
        about: bool,
        own: bool,
    ) {
        let fails = failure.ids().any(|id| NOTHING.contains(&id));
        let Some(message) = find(failure, MessageId::Force).filter(|_| about && fails) else {
            return;
        };
        let service = question.service.to_string();
        self.forced.push(Proof {
            raised: raised(
                Code::RoutedAway,
                json!({"service": service, "condition": "force: true"}),
                ("service", &service),
                vec![evidence(log, message)],
            ),
            own,
        });
    }

    /// A class that could not be sent, where a call of this service failed with it or right after it.
    pub(super) fn unsent(
        &mut self,
        question: &Question,
        log: &LogFacts,
        failure: &Failure,
        own: bool,
    ) {
        let Some(message) = find(failure, MessageId::Serial) else {
            return;
        };
        let Some(class) = message.facts.class() else {
            return;
        };
        let Some(call) = log.failures.iter().find(|call| {
            let same = std::ptr::eq(*call, failure) || is_right_after(failure, call);
            same && call
                .service()
                .is_some_and(|claim| fits(&claim.value, question))
        }) else {
            return;
        };
        let method = call.facts().method().map(|fact| fact.value.clone());
        let service = question.service.to_string();
        let mut proofs = vec![evidence(log, message)];
        proofs.extend(call.messages.first().map(|message| evidence(log, message)));
        if NOTHING.iter().any(|id| call.has(*id)) {
            self.masquerades
                .push(masquerade("not-serializable", &proofs[0]));
        }
        self.unsent.push((
            method.clone(),
            Proof {
                raised: raised(
                    Code::SerializationRefused,
                    json!({
                        "service": service, "class": class.value, "method": method,
                        "reason": message.facts.reason().map(|fact| fact.value.clone()),
                    }),
                    ("service", &service),
                    proofs,
                ),
                own,
            },
        ));
    }

    /// The registry, so the consumer says, told it that there is nothing; or none of its connections is up.
    pub(super) fn told_nothing(&mut self, log: &LogFacts, failure: &Failure, own: bool) {
        if !own {
            return;
        }
        if let Some(message) = find(failure, MessageId::A)
            && let Some(earliest) = failure.last_time.as_ref().and_then(earliest)
        {
            self.told_nothing.push((earliest, evidence(log, message)));
        }
        if let Some(message) = find(failure, MessageId::F) {
            self.none_available.push(evidence(log, message));
        }
    }
}

/// A printed local time without a zone is at most so far from UTC: UTC+14 is the first zone to reach it.
const ZONE_SLACK_MS: i64 = 14 * 3_600_000;

/// The earliest moment that a printed time can mean, ms since 1970.
fn earliest(moment: &Moment) -> Option<i64> {
    let millis = moment.millis?;
    Some(if moment.zone_known {
        millis
    } else {
        millis.saturating_sub(ZONE_SLACK_MS)
    })
}

/// Within a second behind another: what a call fails with is printed by the thread that writes, right before.
fn is_right_after(first: &Failure, then: &Failure) -> bool {
    let millis = |moment: Option<&Moment>| moment.and_then(|moment| moment.millis);
    let (Some(first), Some(then)) = (
        millis(first.first_time.as_ref()),
        millis(then.first_time.as_ref()),
    ) else {
        return false;
    };
    (0..=1000).contains(&(then - first))
}
