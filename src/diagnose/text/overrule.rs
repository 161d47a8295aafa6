//! Joins what a registry says with what the logs say.

use super::{Proof, Said, registry::Trouble, time::registered_ms};
use crate::{
    diagnose::{
        Outcome,
        after::Later,
        code::Code,
        gather::Registry,
        outcome::{Judged, Limit},
    },
    model::version::Line,
    question::ConsumerState,
    report::words::{Phrase, Say},
    rule::kind::RuleKind,
    view::{
        held::{Entry, Held},
        interface::Case,
        stage::{Evidence, Model, NotSeen, Raised, Stage, StageId, State},
    },
};

impl Said {
    /// Lets a log's own proof count for its stage, and keeps an answer back that the logs contradict.
    pub(crate) fn overrule(&self, case: &Case<'_>, registry: &Registry, judged: &mut Judged) {
        let world = case.world;
        if judged.stage == Some(StageId::Question) {
            return;
        }
        if let Some(proof) = self.unreadable.first() {
            return settle(judged, StageId::Question, proof);
        }
        if let Some(proof) = self.refusal(case, registry) {
            let has_list = world.state == ConsumerState::Running && self.nothing.is_empty();
            if has_list || !self.on_cache.is_empty() {
                undecided(judged, proof, Say::RunningLivesOn);
                if self.lives_on(case) {
                    judged.live_on(case);
                }
                return;
            }
            return settle(judged, StageId::Reach, proof);
        }
        let read = judged
            .view
            .stage(&StageId::Reach)
            .is_some_and(|stage| stage.state == State::Ok);
        if self.grpc_closed(case, judged) {
            return;
        }
        if !read {
            self.without_registry(case, judged);
            let unseen = self.not_found.first();
            if let Some(seen) = unseen.filter(|_| judged.outcome == Outcome::Unknown) {
                let params = serde_json::json!({"own": "empty"});
                let evidence = vec![seen.clone()];
                let list = ("consumer", "list");
                let raised = super::raised(Code::ConsumerListStale, params, list, evidence);
                judged.candidates.push((raised, Say::LogDisagrees));
            }
            if judged.outcome == Outcome::Unknown {
                self.cut_off(case, registry, judged);
            }
            let at_registry = judged.stage == Some(StageId::Reach);
            let open = judged.outcome == Outcome::Unknown || at_registry;
            if open && self.lives_on(case) {
                judged.live_on(case);
            }
            return;
        }
        if self.cut_off(case, registry, judged) {
            return;
        }
        let later = self.since_registered(case, judged);
        later.as_ref().unwrap_or(self).weigh(case, judged);
    }

    /// What the logs say, put beside what the registry says.
    fn weigh(&self, case: &Case<'_>, judged: &mut Judged) {
        match judged.outcome {
            Outcome::None => self.confirm(judged),
            Outcome::Reachable | Outcome::Partly => {
                if !self.has_lost_list(case, judged) {
                    self.doubt(case, judged);
                }
            }
            Outcome::Unknown => {
                if !self.has_lost_list(case, judged) {
                    self.help(case, judged);
                }
            }
        }
    }

    /// The logs without the failures of before: those that are older than every address that is left now say nothing of
    /// it. `None` where there is none such.
    fn since_registered(&self, case: &Case<'_>, judged: &Judged) -> Option<Self> {
        let known = self.moments.values().filter(|when| when.exact);
        let oldest = known.map(|when| when.latest).min()?;
        if judged.view.left.is_empty() {
            return None;
        }
        let left = judged.view.left.iter();
        let since = left
            .map(|address| registered_ms(case.held, address))
            .collect::<Option<Vec<i64>>>()?
            .into_iter()
            .min()
            .filter(|since| oldest < *since)?;
        let now = |shown: &Evidence| {
            let line = shown
                .address
                .get("line")
                .and_then(serde_json::Value::as_u64);
            let key = (shown.source.as_str().to_owned(), line.unwrap_or_default());
            let when = self.moments.get(&key);
            when.is_none_or(|when| !when.exact || when.latest >= since)
        };
        let mut later = self.clone();
        for list in [
            &mut later.nothing,
            &mut later.unexplained,
            &mut later.explained_by_routers,
            &mut later.explained_by_metadata,
            &mut later.none_available,
        ] {
            list.retain(now);
        }
        later.connects.retain(|(_, shown)| now(shown));
        later.reconnects.retain(|(_, shown)| now(shown));
        for list in [&mut later.router_errors, &mut later.forced] {
            list.retain(|proof| proof.raised.evidence.iter().all(now));
        }
        later
            .unsent
            .retain(|(_, proof)| proof.raised.evidence.iter().all(now));
        Some(later)
    }

    /// The registry answered over HTTP only, and the consumer's own log says that its client could not connect.
    fn grpc_closed(&self, case: &Case<'_>, judged: &mut Judged) -> bool {
        let closed = |code: Option<Code>| code == Some(Code::NacosGrpcClosed);
        let seen = if closed(judged.code()) {
            judged.raised.clone()
        } else {
            judged
                .candidates
                .iter()
                .find(|(raised, _)| closed(Some(raised.code)))
                .map(|(raised, _)| raised.clone())
        };
        let Some(mut raised) = seen else {
            return false;
        };
        let standing = self.standing(case.question, case.registry, &self.grpc);
        let proof = standing.map(|closed| &closed.proof);
        if let Some(proof) = proof.max_by_key(|proof| proof.own) {
            raised
                .evidence
                .extend(proof.raised.evidence.iter().cloned());
            let proof = Proof {
                raised,
                own: proof.own,
            };
            settle(judged, StageId::Reach, &proof);
        }
        true
    }

    fn refusal(&self, case: &Case<'_>, registry: &Registry) -> Option<&Proof> {
        let address = registry.address.as_ref();
        let found = self
            .refused
            .iter()
            .filter(|trouble| !trouble.passing)
            .find(|trouble| self.is_standing(case.question, address, trouble))?;
        Some(&found.proof)
    }

    /// No registry was read: what the texts alone prove.
    fn without_registry(&self, case: &Case<'_>, judged: &mut Judged) {
        let world = case.world;
        if judged.outcome == Outcome::None {
            return;
        }
        if let Some(proof) = self
            .exported
            .as_ref()
            .and_then(|exported| exported.proof.as_ref())
        {
            settle(judged, StageId::Key, proof);
            judged.limits.insert(Limit::TextOnly);
            return;
        }
        if let Some(proof) = self.unusable.first() {
            let stage = match proof.raised.code {
                Code::ProtocolFiltered => StageId::Protocol,
                _ => StageId::Configurators,
            };
            settle(judged, stage, proof);
            judged.limits.insert(Limit::TextOnly);
            return;
        }
        if let Some(unread) = self.unread.iter().find(|unread| {
            let is_answer = unread.proof.raised.code == Code::MetadataRefused;
            unread.proof.own && (is_answer || !self.nothing.is_empty())
        }) {
            settle(judged, StageId::Revision, &unread.proof);
            judged.limits.insert(Limit::TextOnly);
            return;
        }
        let standing = |troubles| self.standing(case.question, case.registry, troubles);
        let by_port = standing(&self.grpc).map(|Trouble { proof, port, .. }| Proof {
            raised: super::raised(
                Code::RegistryUnreachable,
                serde_json::json!({
                    "registry": proof.raised.params.get("registry"),
                    "reason": format!("no answer at {}", port.as_deref().unwrap_or("-")),
                }),
                ("registry", &proof.raised.subject.1),
                proof.raised.evidence.clone(),
            ),
            own: proof.own,
        });
        let by_port: Option<Proof> = by_port.max_by_key(|proof| proof.own);
        let mut unreachable = standing(&self.unreachable).filter(|trouble| !trouble.passing);
        let unreachable = unreachable.next().map(|trouble| &trouble.proof);
        if let Some(proof) = unreachable.or(by_port.as_ref()) {
            // A list that it was told to be empty came from a registry that answered; without a word of that, "no
            // provider" says that there is no list to live on.
            let has_nothing = !self.nothing.is_empty() && !self.told_empty;
            if !self.on_cache.is_empty() || world.state == ConsumerState::Running && !has_nothing {
                return undecided(judged, proof, Say::RunningLivesOn);
            }
            settle(judged, StageId::Reach, proof);
            // A client library that is "not connected" does not say why; nor does one of two ports tell of the other.
            if unreachable.is_none()
                || proof.raised.params.get("reason").and_then(|v| v.as_str())
                    == Some("client not connected")
            {
                judged.limits.insert(Limit::TextOnly);
            }
        }
    }

    /// A running consumer may keep a list that became empty, and its own text says that it has none, or that the
    /// addresses it kept are dead: the stage that left nothing is the cause after all.
    fn has_lost_list(&self, case: &Case<'_>, judged: &mut Judged) -> bool {
        let Some(raised) = judged.emptied.clone().filter(|_| judged.kept) else {
            return false;
        };
        let listed: Vec<String> = case.held.entries.iter().map(Entry::address).collect();
        let dead = self
            .connects
            .iter()
            // Without an address, the text counts: so many in the list, and none of them connected.
            .all(|(address, _)| match address {
                Some(own) => !listed.contains(own),
                None => listed.is_empty(),
            });
        let says = if self.unexplained.is_empty() {
            !self.nothing.is_empty()
        } else {
            dead && self.unexplained.len() <= self.connects.len()
        };
        // With rules around, routing may have emptied the list that was kept.
        let routed = !case.held.rules_not_seen.is_empty()
            || case.routes_not_seen().is_some()
            || case.held.layers.iter().any(|layer| {
                matches!(
                    layer.kind.stage(),
                    StageId::Router(_) | StageId::ConsumerView | StageId::Decision
                )
            });
        if !says || routed || !judged.blocked_by.is_empty() {
            return false;
        }
        judged.outcome = Outcome::None;
        judged
            .candidates
            .retain(|(candidate, _)| candidate.code != raised.code);
        judged.raised = Some(raised);
        judged.limits.insert(Limit::Rule);
        if let Some(stage) = judged.stage.clone().filter(|id| *id > StageId::Place) {
            judged.then = Later::Behind(stage);
        }
        true
    }

    /// The registry explains it; a log may name the reason better, or show an old list.
    fn confirm(&self, judged: &mut Judged) {
        if judged.code() == Some(Code::NotRegistered)
            && let Some(proof) = self.registration.first()
        {
            judged.raised = Some(proof.raised.clone());
            judged.limits.clear();
            if !proof.own {
                judged.limits.insert(Limit::TextOnly);
            }
            return;
        }
        if judged.code() == Some(Code::NotRegistered)
            && let Some(exported) = &self.exported
        {
            // A provider answered that the registry does not have: what it says of itself is the cause.
            match exported.proof.as_ref().filter(|_| !exported.equal) {
                Some(proof) => {
                    settle(judged, StageId::Key, proof);
                    judged.limits.insert(Limit::Rule);
                }
                None => self.block(judged),
            }
            return;
        }
        let open = self.open(judged);
        if open == 0 {
            return;
        }
        if self.connects.is_empty() || open > self.connects.len() {
            self.block(judged);
        } else {
            // It still calls addresses that the registry no longer has: an old list, and dead.
            judged.limits.insert(Limit::Rule);
        }
    }

    /// Failures that the stage which leaves nothing does not explain.
    fn open(&self, judged: &Judged) -> usize {
        let explained = match judged.stage {
            Some(StageId::Router(_)) => self.explained_by_routers.len(),
            Some(StageId::Revision) => self.explained_by_metadata.len(),
            _ => 0,
        };
        self.unexplained.len() - explained
    }

    /// The registry has addresses; the log says that calls fail.
    fn doubt(&self, case: &Case<'_>, judged: &mut Judged) {
        let dead = self
            .reconnects
            .iter()
            .any(|(address, _)| judged.view.left.contains(address));
        if let Some(exported) = &self.exported
            && exported.equal
            && let Some(proof) = &exported.proof
        {
            settle(judged, StageId::ConsumerView, proof);
            judged.limits.insert(Limit::Rule);
            return;
        }
        if self.own_view(case, judged) {
            return;
        }
        if let Some(unread) = self.lacks_metadata(case, judged) {
            let left = judged.view.left.len();
            let proof = Self::without_metadata(case.question, unread, left);
            let stage = match proof.raised.code {
                Code::ConsumerListStale => StageId::ConsumerView,
                _ => StageId::Revision,
            };
            settle(judged, stage, &proof);
            judged.limits.insert(Limit::Rule);
            return;
        }
        if self.nothing.is_empty() && self.unexplained.is_empty() && !dead {
            return;
        }
        // Some of the calls are routed away, and those are the ones that fail.
        let by_router = matches!(judged.stage, Some(StageId::Router(_)));
        if judged.outcome == Outcome::Partly && by_router && self.open(judged) == 0 && !dead {
            return;
        }
        // Some addresses fail and others are left; every failure of the log is one of these.
        if self.nothing.is_empty()
            && self.unexplained.len() <= self.connects.len()
            && !self.partly(case.held, judged).is_empty()
        {
            return;
        }
        self.block(judged);
    }

    /// Addresses that fail while others are left.
    pub(crate) fn partly(&self, held: &Held, judged: &Judged) -> Vec<Raised> {
        self.contacts.partly(held, &judged.view.connecting)
    }

    /// The registry alone leaves it open.
    fn help(&self, case: &Case<'_>, judged: &mut Judged) {
        let (question, world) = (case.question, case.world);
        let protects = world.dubbo.line() == Line::V3_1
            || world.dubbo.line() == Line::V3_0 && world.dubbo.at_least([3, 0, 5]);
        let quiet = self.nothing.is_empty() && self.unexplained.is_empty();
        let told_running = question.consumer.state == Some(ConsumerState::Running);
        if told_running && protects && quiet && !self.kept.is_empty() {
            // It says itself that it keeps its list, and nothing says that calls fail.
            judged.outcome = Outcome::Reachable;
            judged.kept = true;
            judged.blocked_by.clear();
            judged.candidates.clear();
            return;
        }
        if self.severed_bounds(case, judged) {
            return;
        }
        // What is not read of the consumer's own view does not unsay its own log.
        if is_open_at_own_view(judged) && self.own_view(case, judged) {
            return;
        }
        if self.routed_by_kept_rule(case, judged) {
            return;
        }
        if !quiet {
            self.candidates(judged);
        }
    }

    /// What the instances export was not seen; but whatever it is, the consumer cannot connect to any of them, and says
    /// that calls of this service fail.
    fn severed_bounds(&self, case: &Case<'_>, judged: &mut Judged) -> bool {
        let open = |stage: &Stage| {
            let required = stage.not_seen.iter().any(|fact| fact.required);
            stage.state == State::Unknown && required
        };
        let only = judged
            .view
            .stages
            .iter()
            .filter(|stage| open(stage))
            .all(|stage| matches!(stage.id, StageId::Revision | StageId::ConsumerView));
        let interface = judged.models.as_ref().map(|models| models.interface.state);
        let fails = !self.unexplained.is_empty() || !self.nothing.is_empty();
        if judged.view.model != Model::Application
            || judged.view.bound.is_empty()
            || !only
            || !fails
            || interface != Some(State::Failed)
        {
            return false;
        }
        let bound = judged.view.bound.clone();
        let severed = self.contacts.severed(case.held, &bound);
        let Some(severed) = severed.filter(|severed| severed.stage == StageId::Connectivity) else {
            return false;
        };
        settle(judged, severed.stage, &severed.proof);
        if !severed.exact {
            judged.limits.insert(Limit::Rule);
        }
        true
    }

    /// What is open is only what a rule said before a text came that has no effect; and the consumer says that a forced
    /// condition leaves nothing. None of the texts of now does: it is the one that it kept.
    fn routed_by_kept_rule(&self, case: &Case<'_>, judged: &mut Judged) -> bool {
        let undecided = &judged.view.routed.undecided;
        let (Some(proof), [fact]) = (
            self.forced.iter().max_by_key(|proof| proof.own),
            undecided.as_slice(),
        ) else {
            return false;
        };
        let key = fact.what.params.get("rule").cloned();
        let (Say::PreviousRule, Some(key)) = (fact.what.say, key) else {
            return false;
        };
        if RuleKind::of_key(&key) != Some(RuleKind::Condition) {
            return false;
        }
        let stage = if key.contains(':') {
            "condition.service"
        } else {
            "condition.application"
        };
        let mut proof = proof.clone();
        let total = case.held.entries.len();
        let params = &mut proof.raised.params;
        params.insert("rule".to_owned(), key.as_str().into());
        params.insert("count".to_owned(), judged.view.left.len().into());
        params.insert("total".to_owned(), total.into());
        proof.raised.subject = ("rule".to_owned(), key);
        judged.view.routed.undecided.clear();
        settle(judged, StageId::Router(stage.to_owned()), &proof);
        judged.limits.insert(Limit::Rule);
        true
    }

    fn block(&self, judged: &mut Judged) {
        if let Some(raised) = judged.raised.take() {
            judged.candidates.push((raised, Say::LogDisagrees));
        }
        judged.outcome = Outcome::Unknown;
        judged.then.clear();
        judged.blocked_by.push(NotSeen {
            what: Say::OwnViewLayer.into(),
            why: Say::LogDisagrees.into(),
            how_to_see: Some(Say::HowQos.into()),
            required: true,
        });
        if let Some(stage) = judged.view.stage_mut(&StageId::ConsumerView) {
            stage.because = Some(Phrase::new(Say::LogDisagrees));
        }
        self.candidates(judged);
    }

    /// A list of its own that differs, or connections that fail: which one the texts do not say.
    fn candidates(&self, judged: &mut Judged) {
        let evidence: Vec<_> = self
            .nothing
            .iter()
            .chain(&self.unexplained)
            .take(3)
            .cloned()
            .collect();
        let candidate =
            |code, params| super::raised(code, params, ("consumer", "list"), evidence.clone());
        judged.candidates.push((
            candidate(Code::ConsumerListStale, serde_json::json!({"own": "log"})),
            Say::LogDisagrees,
        ));
        if !self.connects.is_empty() {
            let address = self
                .connects
                .iter()
                .find_map(|(address, _)| address.clone());
            judged.candidates.push((
                candidate(
                    Code::AddressUnreachable,
                    serde_json::json!({"address": address, "reason": "log"}),
                ),
                Say::LogDisagrees,
            ));
        }
    }
}

/// Nothing but the consumer's own view keeps the answer open.
fn is_open_at_own_view(judged: &Judged) -> bool {
    judged.view.failed().is_none()
        && judged.view.routed.undecided.is_empty()
        && judged.view.stages.iter().all(|stage| {
            stage.state != State::Unknown
                || stage.id == StageId::ConsumerView
                || stage.not_seen.iter().all(|fact| !fact.required)
        })
}

/// The text's proof is the verdict of its stage.
pub(in crate::diagnose) fn settle(judged: &mut Judged, id: StageId, proof: &Proof) {
    if judged.view.stage(&id).is_none() {
        let place = judged
            .view
            .stages
            .iter()
            .position(|stage| stage.id > id)
            .unwrap_or(judged.view.stages.len());
        let stage = Stage::plain(id.clone(), State::Failed);
        judged.view.stages.insert(place, stage);
    }
    judged.outcome = Outcome::None;
    judged.raised = Some(proof.raised.clone());
    judged.candidates.clear();
    judged.blocked_by.clear();
    judged.then.clear();
    judged.contributors.clear();
    judged.limits.clear();
    if !proof.own {
        judged.limits.insert(Limit::TextOnly);
    }
    let mut reached = true;
    for stage in &mut judged.view.stages {
        if stage.id == id {
            stage.state = State::Failed;
            stage.raises = vec![proof.raised.clone()];
            stage.not_seen.clear();
            stage.because = None;
            reached = false;
        } else if reached && stage.state == State::Unknown {
            // Stages before the one a text speaks of count as passed.
            stage.state = State::Ok;
            stage.not_seen.clear();
            stage.because = Some(Say::PassedByText.into());
        } else if !reached && stage.state != State::Unknown {
            stage.state = State::Skipped;
            stage.because = Some(Say::NothingLeft.into());
            stage.raises.clear();
        }
    }
    judged.stage = Some(id);
}

fn undecided(judged: &mut Judged, proof: &Proof, why: Say) {
    judged.outcome = Outcome::Unknown;
    if let Some(raised) = judged.raised.take() {
        judged.candidates.push((raised, why));
    }
    judged.candidates.push((proof.raised.clone(), why));
}
