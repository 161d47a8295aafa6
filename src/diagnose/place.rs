//! P is decided last: is the same key registered at another place, and does a second sign say that it should be here?

use serde_json::{Value, json};

use super::{
    Outcome,
    after::Later,
    code::Code,
    outcome::{Judged, Limit},
    text::Said,
};
use crate::{
    question::{Question, RegistryAddress},
    report::words::{Phrase, Say},
    view::{
        application::MappedElsewhere,
        held::{Elsewhere, Held},
        interface::Case,
        stage::{Evidence, MOST_EVIDENCE, NotSeen, Raised, StageId, State},
    },
};

/// Looks at the hits elsewhere when the key stage is the empty one.
pub(crate) fn decide(case: &Case<'_>, said: &Said, judged: &mut Judged) {
    let Some(code) = judged.code() else { return };
    let hits: Vec<&Elsewhere> = case
        .held
        .elsewhere
        .iter()
        .filter(|elsewhere| has_exact_key(case, elsewhere))
        .collect();
    for hit in &hits {
        judged
            .candidates
            .push((raised(case, hit), Say::AlsoFoundElsewhere));
    }
    if code != Code::NotRegistered {
        // What is here is near; what is there is exactly it. Which of the two was meant, nothing tells.
        let is_near = matches!(
            code,
            Code::GroupDiffers | Code::VersionDiffers | Code::InterfaceNearMiss
        );
        if is_near && !hits.is_empty() {
            judged.limits.insert(Limit::Sweep);
        }
        return;
    }
    for found in &case.held.application.places {
        judged
            .candidates
            .push((by_application(case, found), Say::AlsoFoundElsewhere));
    }
    if let Some(unknown) = case
        .held
        .no_such_place
        .clone()
        .filter(|_| case.held.entries.is_empty())
    {
        // What it should be is not known: the service may be at any of the other places, or nowhere.
        judged.then = hits.first().map_or_else(
            || Later::Codes(vec![Code::NotRegistered]),
            |hit| Later::There(hit.addresses.clone()),
        );
        judged.raised = Some(unknown);
        judged.stage = Some(StageId::Place);
        fail_place(judged);
        return;
    }
    if case.held.entries.is_empty() {
        let mut signed: Vec<&Elsewhere> = hits
            .iter()
            .copied()
            .filter(|hit| has_second_sign(case, hit, said))
            .collect();
        signed.sort_by_key(|hit| rank(hit.code));
        if let Some(hit) = signed.first() {
            let mut found = raised(case, hit);
            found
                .evidence
                .extend(said.place_evidence(members(case), &hit.place));
            judged
                .candidates
                .retain(|(other, _)| other.code != found.code);
            judged.raised = Some(found);
            judged.stage = Some(StageId::Place);
            judged.limits.insert(Limit::Rule);
            judged.then = Later::There(hit.addresses.clone());
            fail_place(judged);
            return;
        }
        if told_by_application(case, said, judged) {
            return;
        }
    }
    if !is_nowhere(case.held) || !case.held.others_not_seen.is_empty() {
        judged.limits.insert(Limit::Sweep);
    }
}

/// The applications that provide it are at another place, and a provider's log says that it registers there.
fn told_by_application(case: &Case<'_>, said: &Said, judged: &mut Judged) -> bool {
    let mut places: Vec<&MappedElsewhere> = case
        .held
        .application
        .places
        .iter()
        .filter(|found| said.shows_place(members(case), &found.place))
        .collect();
    places.sort_by_key(|found| rank(found.code));
    let Some(found) = places.first() else {
        return false;
    };
    let mut raised = by_application(case, found);
    raised
        .evidence
        .extend(said.place_evidence(members(case), &found.place));
    judged
        .candidates
        .retain(|(other, _)| other.code != raised.code);
    judged.raised = Some(raised);
    judged.stage = Some(StageId::Place);
    judged.limits.insert(Limit::Rule);
    judged.then.clear();
    fail_place(judged);
    true
}

fn by_application(case: &Case<'_>, found: &MappedElsewhere) -> Raised {
    let service = case.question.service.to_string();
    let params = json!({
        "service": service, "found": found.place, "wanted": case.held.place, "count": found.count,
        "differs": found.differs, "applications": found.applications,
    });
    Raised {
        code: found.code,
        params: match params {
            Value::Object(map) => map,
            _ => serde_json::Map::new(),
        },
        subject: ("service".to_owned(), service),
        evidence: found.evidence.iter().take(MOST_EVIDENCE).cloned().collect(),
    }
}

/// A provider of the service says itself that it registers at this place: the second sign for a hit there. Says whether
/// there is such a hit.
pub(super) fn settle_there(
    case: &Case<'_>,
    place: &str,
    seen: &Evidence,
    judged: &mut Judged,
) -> bool {
    let hit = case
        .held
        .elsewhere
        .iter()
        .find(|hit| hit.place == place && has_exact_key(case, hit));
    let Some(hit) = hit.filter(|_| case.held.entries.is_empty()) else {
        return false;
    };
    let mut found = raised(case, hit);
    found.evidence.push(seen.clone());
    judged
        .candidates
        .retain(|(other, _)| other.code != found.code);
    judged.outcome = Outcome::None;
    judged.raised = Some(found);
    judged.stage = Some(StageId::Place);
    judged.blocked_by.clear();
    judged.limits.insert(Limit::Rule);
    judged.then = Later::There(hit.addresses.clone());
    fail_place(judged);
    true
}

/// Whether nobody says where in its registry the consumer looks.
pub(crate) fn is_unstated(question: &Question, registry: Option<&RegistryAddress>) -> bool {
    question.place_assumed
        && registry.is_some_and(|registry| registry.group.is_none() && registry.namespace.is_none())
}

/// A pasted text names the registry and not the place in it: the default is taken, and holds only as far as no other
/// place says something else, unless the consumer's own entry is here.
pub(crate) fn assumed(case: &Case<'_>, judged: &mut Judged) {
    let unstated = is_unstated(case.question, case.registry);
    let about_place = judged
        .stage
        .as_ref()
        .is_none_or(|stage| *stage > StageId::Reach);
    if !unstated || !about_place || judged.outcome == Outcome::Unknown || is_consumer_here(case) {
        return;
    }
    let here = (judged.outcome, judged.code());
    let other = case
        .held
        .elsewhere
        .iter()
        .filter(|elsewhere| elsewhere.code != Code::OtherRegistry)
        .find(|elsewhere| result_there(case, elsewhere) != here);
    let unseen = judged.outcome == Outcome::None && !case.held.swept.is_known();
    if other.is_none() && !unseen {
        if matches!(judged.outcome, Outcome::None | Outcome::Partly) {
            judged.limits.insert(Limit::Place);
        }
        return;
    }
    judged.outcome = Outcome::Unknown;
    judged.then.clear();
    if let Some(raised) = judged.raised.take() {
        judged.candidates.push((raised, Say::PlaceNotStated));
    }
    if let Some(elsewhere) = other {
        judged
            .candidates
            .push((raised(case, elsewhere), Say::PlaceNotStated));
    }
    judged.blocked_by.push(NotSeen {
        what: Phrase::new(Say::PlaceOfConsumer).with("place", case.held.place.as_str()),
        why: other.map_or_else(
            || Say::PlaceNotStated.into(),
            |other| Phrase::new(Say::PlaceHasOther).with("place", other.place.as_str()),
        ),
        how_to_see: Some(Say::HowNamePlace.into()),
        required: true,
    });
}

/// Outcome and code if the consumer looked there.
fn result_there(case: &Case<'_>, elsewhere: &Elsewhere) -> (Outcome, Option<Code>) {
    let held = there(case.held, elsewhere);
    let view = Case {
        held: &held,
        ..*case
    }
    .view();
    match view.failed() {
        Some(failed) => (
            Outcome::None,
            failed.raises.first().map(|raised| raised.code),
        ),
        None => (Outcome::Reachable, None),
    }
}

/// Order of the place codes: namespace, registry group, other registry.
fn rank(code: Code) -> u8 {
    match code {
        Code::NamespaceDiffers => 0,
        Code::RegistryGroupDiffers => 1,
        _ => 2,
    }
}

/// The same pipeline over the entries of the other place: does anything match there?
fn has_exact_key(case: &Case<'_>, elsewhere: &Elsewhere) -> bool {
    let held = there(case.held, elsewhere);
    let there = Case {
        held: &held,
        ..*case
    };
    there
        .view()
        .stage(&StageId::Key)
        .is_some_and(|stage| stage.state == State::Ok && stage.output.unwrap_or_default() > 0)
}

/// What the registry would hold for the consumer if it looked at the other place.
fn there(held: &Held, elsewhere: &Elsewhere) -> Held {
    Held {
        entries: elsewhere.entries.clone(),
        near: Vec::new(),
        elsewhere: Vec::new(),
        ..held.clone()
    }
}

/// "Found there" alone proves little: most companies have one service in several places.
fn has_second_sign(case: &Case<'_>, hit: &Elsewhere, said: &Said) -> bool {
    hit.has_consumer && !is_consumer_here(case)
        || !hit.moved_applications.is_empty()
        || said.shows_place(members(case), &hit.place)
}

/// Members of the registry, as a log may name them.
fn members<'a>(case: &Case<'a>) -> &'a [String] {
    case.registry.map_or(&[], |registry| &registry.members)
}

fn is_consumer_here(case: &Case<'_>) -> bool {
    case.held
        .consumers
        .iter()
        .any(|entry| entry.is_of(&case.question.consumer))
}

/// Both models and every other place were looked into, and there is nothing.
fn is_nowhere(held: &Held) -> bool {
    held.swept.is_known()
        && held.elsewhere.is_empty()
        && held.application.mapping_known
        && held.application.instances_known
        && held.application.places.is_empty()
        && !held.application.others_cut
        && !held.application.elsewhere
}

fn raised(case: &Case<'_>, hit: &Elsewhere) -> Raised {
    let service = case.question.service.to_string();
    let mut params = match json!({
        "service": service, "found": hit.place, "wanted": case.held.place, "count": hit.entries.len(),
        "differs": hit.differs,
    }) {
        Value::Object(map) => map,
        _ => serde_json::Map::new(),
    };
    if !hit.moved_applications.is_empty() {
        params.insert("applications".into(), json!(hit.moved_applications));
    }
    Raised {
        code: hit.code,
        params,
        subject: ("service".to_owned(), service),
        evidence: hit
            .entries
            .iter()
            .take(MOST_EVIDENCE)
            .map(|entry| entry.evidence.clone())
            .collect(),
    }
}

/// The place is the stage that leaves nothing; what follows is not reached.
fn fail_place(judged: &mut Judged) {
    for stage in &mut judged.view.stages {
        if stage.id == StageId::Place {
            stage.state = State::Failed;
        } else if matches!(
            stage.id,
            StageId::NameForm
                | StageId::Key
                | StageId::Entries
                | StageId::Mapping
                | StageId::Instances
        ) {
            stage.state = State::Skipped;
            stage.because = Some(Say::NothingLeft.into());
            stage.raises.clear();
        }
    }
}
