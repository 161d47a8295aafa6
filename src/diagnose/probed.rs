//! C by connections that were tried: the addresses that the consumer connects to, and which of them answer.
//!
//! What was tried from the consumer's own host is what the consumer sees. From elsewhere a refusal is the same for anybody;
//! that nothing answers is not. An address that means the own host is the consumer's own.

use std::collections::BTreeSet;

use serde_json::json;

use super::{
    Certainty, Outcome,
    after::Later,
    code::Code,
    decide::Computed,
    gather::Registry,
    outcome::{Judged, Limit, before},
    remarks::raised,
    text::sign,
    worlds::Worlds,
};
use crate::{
    question::{Question, World},
    report::words::{Phrase, Say},
    snapshot::{ErrKind, Snapshot},
    view::{
        application,
        held::{Entry, Held},
        interface::{Case, View},
        missing::Missing,
        probed::{Attempt, Contact, Probes},
        stage::{Dropped, Evidence, NotSeen, Raised, StageId, State},
    },
};

/// How many pieces of evidence a code carries at most.
const SHOWN: usize = 5;

/// What was tried, and who the consumer is.
#[derive(Debug, Clone)]
pub(crate) struct Probed<'a> {
    probes: Option<Probes<'a>>,
    question: &'a Question,
    snapshot: &'a Snapshot,
}

/// One address that the consumer connects to, as it was tried.
#[derive(Debug, Clone)]
struct Row {
    address: String,
    attempt: Attempt,
    /// Tried from the consumer's own host.
    own: bool,
    sign: Option<&'static str>,
    shown: Vec<Evidence>,
}

impl<'a> Probed<'a> {
    pub(crate) fn of(question: &'a Question, snapshot: &'a Snapshot, missing: &'a Missing) -> Self {
        Self {
            probes: Probes::of(snapshot, missing),
            question,
            snapshot,
        }
    }

    /// Everything that was seen.
    pub(crate) fn snapshot(&self) -> &'a Snapshot {
        self.snapshot
    }

    /// Looks at every address that the consumer may connect to, in every world, so that it is known what is to be tried.
    pub(crate) fn want(&self, registries: &[Registry]) {
        let Some(probes) = &self.probes else { return };
        let worlds = Worlds::of(self.question);
        let mut versions = vec![worlds.version.clone()];
        versions.extend(worlds.lines.iter().cloned());
        for registry in registries {
            for held in &registry.held {
                for dubbo in &versions {
                    for state in &worlds.states {
                        let world = World {
                            dubbo: dubbo.clone(),
                            state: *state,
                        };
                        let case = Case {
                            question: self.question,
                            registry: registry.address.as_ref(),
                            held,
                            world: &world,
                        };
                        self.rows(probes, &case, &case.repaired(&decided()));
                        if dubbo.line().is_3x() {
                            self.rows(probes, &case, &application::view(&case));
                        }
                    }
                }
            }
        }
    }

    /// Whether somebody was found listening there.
    pub(crate) fn answers(&self, address: &str) -> bool {
        let probes = self.probes.iter();
        probes
            .flat_map(|probes| probes.attempts(address, None))
            .any(|attempt| !attempt.contact.is_dead())
    }

    fn is_own(&self, from: Option<&str>) -> bool {
        let seen_from = &self.snapshot.manifest().seen_from;
        let consumer = self.question.consumer.ip.as_deref();
        match from {
            Some(from) => {
                Some(from) == consumer
                    || seen_from.is_consumer
                        && (seen_from.addresses.iter().any(|own| own == from) || is_own_host(from))
            }
            None => seen_from.is_consumer,
        }
    }

    /// What was tried of the addresses that a view has before its routers, in its order.
    fn rows(&self, probes: &Probes<'_>, case: &Case<'_>, view: &View) -> Vec<Row> {
        let mut known = BTreeSet::new();
        view.offered
            .iter()
            .filter(|address| known.insert(*address))
            .filter_map(|address| self.row(probes, case, address, view.kinds.get(address).copied()))
            .collect()
    }

    fn row(
        &self,
        probes: &Probes<'_>,
        case: &Case<'_>,
        address: &str,
        kind: Option<&str>,
    ) -> Option<Row> {
        let entries: Vec<&Entry> = case
            .held
            .entries
            .iter()
            .filter(|entry| entry.address() == address)
            .collect();
        let changed = entries.iter().filter_map(|entry| entry.changed_ms).max();
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        let mut found: Vec<(bool, Attempt)> = probes
            .attempts(address, kind)
            .into_iter()
            // It registered after it was tried.
            .filter(|attempt| changed.is_none_or(|at| at <= attempt.at.as_millisecond()))
            .map(|attempt| (self.is_own(attempt.from.as_deref()), attempt))
            .filter(|(own, _)| *own || !is_own_host(host))
            .collect();
        found.sort_by_key(|(own, attempt)| (*own, attempt.at));
        let (own, attempt) = found.pop()?;
        let mut shown = attempt.evidence.clone();
        let mut sign = entries.iter().find_map(|entry| sign(Some(entry)));
        if attempt.contact.is_dead() && sign.is_none() {
            let owner = entries
                .iter()
                .find_map(|entry| other_owner(probes, case.held, entry, host));
            if let Some(seen) = owner {
                sign = Some("other-session");
                shown.push(seen);
            }
        }
        Some(Row {
            address: address.to_owned(),
            attempt,
            own,
            sign,
            shown,
        })
    }

    /// Shows in the stage what was tried, before anything else speaks of it.
    pub(crate) fn mark(&self, case: &Case<'_>, judged: &mut Judged) {
        let Some(probes) = &self.probes else { return };
        let mut rows = self.rows(probes, case, &judged.view);
        rows.retain(|row| judged.view.connecting.contains(&row.address));
        if rows.is_empty() {
            return;
        }
        let total: BTreeSet<&String> = judged.view.connecting.iter().collect();
        let total = total.len();
        let dead: Vec<Dropped> = rows
            .iter()
            .filter(|row| row.attempt.contact.is_dead())
            .map(|row| Dropped {
                address: row.address.clone(),
                code: row.code(),
                rule: None,
                position: None,
            })
            .collect();
        let from: BTreeSet<&str> = rows
            .iter()
            .filter_map(|row| row.attempt.from.as_deref())
            .collect();
        let from = if from.is_empty() {
            "-".to_owned()
        } else {
            from.into_iter().collect::<Vec<_>>().join(", ")
        };
        let because = Phrase::new(if rows.len() == total {
            Say::TriedFrom
        } else {
            Say::SomeTriedFrom
        })
        .with("seen", rows.len().to_string())
        .with("total", total.to_string())
        .with("from", from);
        let Some(stage) = judged.view.stage_mut(&StageId::Connectivity) else {
            return;
        };
        stage.because = Some(because);
        let answers = dead.len() < rows.len();
        if rows.len() == total && dead.len() < total {
            stage.state = State::Ok;
            stage.not_seen.clear();
            stage.input = Some(total);
            stage.output = Some(total - dead.len());
        }
        stage.dropped = dead;
        if answers {
            direct_answers(judged);
        }
    }

    /// Lets the attempts decide where every address that the consumer connects to was tried and none answers.
    pub(crate) fn overrule(&self, case: &Case<'_>, judged: &mut Judged) {
        let Some(probes) = &self.probes else { return };
        let at_door = StageId::Connectivity;
        let reached = judged.stage.as_ref().is_none_or(|stage| *stage > at_door)
            && judged.view.stage(&at_door).is_some();
        // Up to 3.0.4 routers come first. What they do to entries of processes that are gone does not matter.
        let at_routers =
            judged.view.connecting.is_empty() && matches!(judged.stage, Some(StageId::Router(_)));
        let list = if at_routers {
            judged.view.offered.clone()
        } else {
            judged.view.connecting.clone()
        };
        if !reached || list.is_empty() || asks_otherwise(&judged.view) {
            return;
        }
        let mut rows = self.rows(probes, case, &judged.view);
        rows.retain(|row| list.contains(&row.address));
        let tried: BTreeSet<&String> = rows.iter().map(|row| &row.address).collect();
        let is_dead = |address: &String| {
            rows.iter()
                .any(|row| row.address == *address && row.attempt.contact.is_dead())
        };
        let all = list
            .iter()
            .all(|address| tried.contains(address) && is_dead(address));
        // Of `url=` every address is called, known to the registry or not.
        let is_direct = judged.view.stage(&StageId::Question).is_some_and(|stage| {
            let because = stage.because.as_ref();
            because.is_some_and(|because| because.say == Say::DirectUrl)
        });
        let routed_to_dead = !is_direct
            && !all
            && !judged.view.left.is_empty()
            && judged.view.left.iter().all(is_dead);
        let is_gone = |row: &Row| row.code() == Code::StaleProvider;
        if !all && !routed_to_dead || at_routers && !(all && rows.iter().all(is_gone)) {
            return;
        }
        let own = rows.iter().all(|row| row.own);
        // A list that the consumer calls usable has connections of its own.
        let usable = judged
            .view
            .stage(&StageId::ConsumerView)
            .is_some_and(|stage| stage.state == State::Ok && stage.output.is_some_and(|n| n > 0));
        let Some(raised) = verdict(&rows) else { return };
        if !own && usable {
            return;
        }
        let elsewhere = rows.iter().any(|row| !row.own && row.is_of_the_way());
        let mut open = before(&judged.view, &at_door);
        if routed_to_dead {
            open.push(NotSeen {
                what: Say::ConnectivityLayer.into(),
                why: Say::RulesLeaveDead.into(),
                how_to_see: Some(Say::HowQos.into()),
                required: true,
            });
        } else if elsewhere {
            open.push(NotSeen {
                what: Say::ConnectivityLayer.into(),
                why: Say::SeenFromElsewhere.into(),
                how_to_see: Some(Phrase::how_to_probe(list.first().map(String::as_str))),
                required: true,
            });
        }
        if !open.is_empty() {
            doubt(judged, raised, open, elsewhere);
            return;
        }
        let limits = if own {
            BTreeSet::new()
        } else {
            BTreeSet::from([Limit::Standing])
        };
        settle(judged, &raised, limits, list.len());
        // Whoever ends a strange connection may mean the strange form of it: TLS, a gateway that wants a certificate.
        let strange = |row: &Row| matches!(row.attempt.contact, Contact::Foreign(_));
        if rows.iter().any(strange) {
            judged.limits.insert(Limit::Rule);
        }
        judged.then = if at_routers {
            Later::Nothing
        } else {
            Later::Behind(StageId::Connectivity)
        };
    }

    /// Addresses that do not answer while others are left, and providers that say that they are shutting down.
    fn remarks(&self, case: &Case<'_>, judged: &Judged) -> Vec<(Raised, Certainty)> {
        let Some(probes) = &self.probes else {
            return Vec::new();
        };
        let rows = self.rows(probes, case, &judged.view);
        let mut found = Vec::new();
        for row in rows {
            if let Some(draining) = &row.attempt.draining {
                let mut leaving = raised(
                    Code::ProviderDraining,
                    json!({"address": row.address, "sign": draining}),
                    ("address", &row.address),
                    row.shown.clone(),
                );
                leaving.evidence.truncate(SHOWN);
                found.push((leaving, Certainty::Certain));
            }
            if row.attempt.contact.is_dead() {
                let certainty = match (row.own, row.is_of_the_way()) {
                    (true, _) => Certainty::Certain,
                    (false, false) => Certainty::Likely,
                    (false, true) => Certainty::Possible,
                };
                found.push((row.raised(1), certainty));
            }
        }
        found.truncate(2 * SHOWN);
        found
    }
}

/// Findings of all registries in the shown world.
pub(super) fn remarks(computed: &Computed<'_>) -> Vec<(Raised, Certainty, bool)> {
    let shown = &computed.states[0];
    let helds = computed.registries.iter().flat_map(|registry| {
        let address = registry.address.as_ref();
        registry.held.iter().map(move |held| (address, held))
    });
    helds
        .zip(&shown.parts)
        .flat_map(|((registry, held), (.., judged))| {
            let case = Case {
                question: computed.question,
                registry,
                held,
                world: &shown.world,
            };
            computed.probed.remarks(&case, judged)
        })
        .map(|(raised, certainty)| {
            let lowered = raised.code != Code::ProviderDraining;
            (raised, certainty, lowered)
        })
        .collect()
}

impl Row {
    fn code(&self) -> Code {
        match self.attempt.contact {
            Contact::Silent | Contact::Foreign(_) => Code::AcceptsButSilent,
            _ if self.sign.is_some() => Code::StaleProvider,
            _ => Code::AddressUnreachable,
        }
    }

    /// The way there may be another one from the consumer's host: nobody said no.
    fn is_of_the_way(&self) -> bool {
        let Contact::Unreached(kind, words) = &self.attempt.contact else {
            return false;
        };
        let no_route = words.to_lowercase().contains("no route");
        matches!(kind, ErrKind::Timeout | ErrKind::UnknownHost) && !no_route
    }

    fn reason(&self) -> String {
        match &self.attempt.contact {
            Contact::Answers => "-".to_owned(),
            Contact::Unreached(_, words) | Contact::Foreign(words) => words.clone(),
            Contact::Silent => "no answer to a heartbeat".to_owned(),
        }
    }

    fn raised(&self, count: usize) -> Raised {
        let mut found = raised(
            self.code(),
            json!({
                "address": self.address, "reason": self.reason(), "count": count,
                "from": self.attempt.from.as_deref().unwrap_or("-"),
            }),
            ("address", &self.address),
            self.shown.clone(),
        );
        if let Some(sign) = self.sign {
            found.params.insert("sign".into(), sign.into());
        }
        found.evidence.truncate(SHOWN);
        found
    }
}

/// The cause where none answers: silence before death, death before a closed port.
fn verdict(rows: &[Row]) -> Option<Raised> {
    let dead = || rows.iter().filter(|row| row.attempt.contact.is_dead());
    let silent = dead().find(|row| row.code() == Code::AcceptsButSilent);
    let unreached = dead().find(|row| row.code() == Code::AddressUnreachable);
    let shown = silent.or(unreached).or(dead().next())?;
    let mut found = shown.raised(dead().count());
    found.evidence = dead().flat_map(|row| row.shown.clone()).collect();
    found.evidence.dedup();
    found.evidence.truncate(SHOWN);
    Some(found)
}

/// The model is not chosen again for a look at addresses.
fn decided() -> BTreeSet<StageId> {
    BTreeSet::from([StageId::Decision])
}

/// Somebody answers at an address of `url=`, which the registry does not know: whether it serves this service, only a
/// call tells.
fn direct_answers(judged: &mut Judged) {
    let Some(stage) = judged.view.stage_mut(&StageId::Question) else {
        return;
    };
    let is_direct = stage
        .because
        .as_ref()
        .is_some_and(|because| because.say == Say::DirectUrl);
    if !is_direct || stage.state != State::Unknown || judged.outcome != Outcome::Unknown {
        return;
    }
    stage.state = State::Ok;
    for fact in &mut stage.not_seen {
        fact.required = false;
    }
    judged.outcome = Outcome::Reachable;
    judged.blocked_by.clear();
}

/// What the reference asks was not seen: these addresses may be none of its own. Those of `url=` are.
fn asks_otherwise(view: &View) -> bool {
    view.stage(&StageId::Question).is_some_and(|stage| {
        let because = stage.because.as_ref().map(|because| because.say);
        stage.state == State::Unknown
            && because != Some(Say::DirectUrl)
            && stage.not_seen.iter().any(|fact| fact.required)
    })
}

fn is_own_host(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    let ip: Result<std::net::IpAddr, _> = host.parse();
    host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
}

/// An entry that belongs to the session of another host: its own process cannot be the one that keeps it.
fn other_owner(probes: &Probes<'_>, held: &Held, entry: &Entry, host: &str) -> Option<Evidence> {
    let source = held.source.as_ref()?;
    let session = entry.owner.filter(|session| *session != 0)?;
    let (owner, seen) = probes.owner(source, session)?;
    (owner != host.trim_matches(['[', ']'])).then_some(seen)
}

fn settle(judged: &mut Judged, raised: &Raised, limits: BTreeSet<Limit>, total: usize) {
    let at_door = StageId::Connectivity;
    judged.outcome = Outcome::None;
    judged.raised = Some(raised.clone());
    judged.emptied = Some(raised.clone());
    judged.candidates.clear();
    judged.blocked_by.clear();
    judged.contributors.clear();
    judged.kept = false;
    judged.limits = limits;
    let mut behind = false;
    for stage in &mut judged.view.stages {
        if stage.id == at_door {
            stage.state = State::Failed;
            stage.input = Some(total);
            stage.output = Some(0);
            stage.raises = vec![raised.clone()];
            stage.not_seen.clear();
            behind = true;
        } else if behind || matches!(stage.id, StageId::Router(_)) && stage.state == State::Failed {
            stage.state = State::Skipped;
            stage.because = Some(Say::NothingLeft.into());
            stage.raises.clear();
            stage.not_seen.clear();
        }
    }
    judged.stage = Some(at_door);
}

/// What was tried does not decide; it is a possible cause.
fn doubt(judged: &mut Judged, raised: Raised, open: Vec<NotSeen>, elsewhere: bool) {
    let why = if elsewhere {
        Say::SeenFromElsewhere
    } else {
        Say::EarlierStageUnknown
    };
    if let Some(other) = judged.raised.take() {
        judged.candidates.push((other, why));
    }
    judged.candidates.push((raised, why));
    judged.outcome = Outcome::Unknown;
    judged.then.clear();
    judged.blocked_by.extend(open);
}
