//! The application model, stage by stage: mapping, instances, revision and metadata, the key in them, and then what
//! follows for addresses of either model.
//!
//! The result has the shape of the interface model ([`View`]), so that whoever chooses between the two can compare them.
//! Which of the two a consumer uses is not decided here.

mod beyond;
pub(crate) mod cached;
pub(crate) mod endpoints;
pub mod invokers;
mod key;
mod known;
pub(crate) mod names;
mod revisions;
mod sign;
mod subscribed;
mod taken;
pub(crate) mod texts;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{
    held::{Held, Reach},
    interface::{Addresses, Case, Kept, Routed, View},
    stage::{Dropped, Model, NotSeen, Stage, StageId, State},
};
use crate::{
    diagnose::code::Code,
    model::version::Line,
    question::{ConsumerState, Question},
    report::words::Say,
    view::held::Entry,
};

pub use known::{
    Alien, Application, Instance, MappedElsewhere, Mapping, MappingForm, Metadata, Told,
};
pub(crate) use revisions::may_be_held;

/// How many pieces of evidence a code carries at most.
const SHOWN: usize = crate::view::stage::MOST_EVIDENCE;
/// How many names or unseen facts of one kind are listed.
const LISTED: usize = 5;

/// The stages of the application model of one registry, in the shape of the interface model: M I V K instead of N K E.
/// D is not among them.
pub fn view(case: &Case<'_>) -> View {
    repaired(case, &BTreeSet::new())
}

/// The addresses that the routers are asked about. `None` = the real client throws on the list.
pub fn addresses(case: &Case<'_>) -> Option<Addresses> {
    let (entries, _) = own_stages(case, &BTreeSet::new(), &mut empty(Vec::new()));
    listed(case, &entries, |case, kept| case.addresses_of(&kept))
}

fn empty(stages: Vec<Stage>) -> View {
    View {
        model: Model::Application,
        stages,
        left: Vec::new(),
        connecting: Vec::new(),
        bound: Vec::new(),
        offered: Vec::new(),
        kinds: BTreeMap::new(),
        near: Vec::new(),
        meant: Vec::new(),
        partial: false,
        routed: Routed::default(),
        libraries: BTreeSet::new(),
    }
}

/// The same with some stages taken as repaired.
pub fn repaired(case: &Case<'_>, repaired: &BTreeSet<StageId>) -> View {
    let mut view = empty(case.before());
    let is_asked = view
        .stages
        .first()
        .is_none_or(|stage| stage.state != State::Failed || repaired.contains(&stage.id))
        && matches!(case.held.reach, Reach::Answered(_));
    let (entries, open) = if is_asked {
        own_stages(case, repaired, &mut view)
    } else {
        for id in [
            StageId::Mapping,
            StageId::Instances,
            StageId::Revision,
            StageId::Key,
        ] {
            view.stages.push(Stage::skipped(id));
        }
        (Vec::new(), Vec::new())
    };
    view.left = listed(case, &entries, |case, kept| {
        case.behind(kept, repaired, &mut view)
    });
    beyond::weigh(case, repaired, &open, &mut view);
    beyond::show(case, repaired, &mut view);
    view
}

/// What the directory behind is asked, and the entries with the URLs that it is told: nothing of the interface level
/// comes there.
fn listed<R>(
    case: &Case<'_>,
    entries: &[Entry],
    then: impl FnOnce(&Case<'_>, Vec<Kept<'_>>) -> R,
) -> R {
    let question = question_of_list(case);
    let held = Held {
        entries: Vec::new(),
        strangers: Vec::new(),
        configurators: Vec::new(),
        routes: Vec::new(),
        routes_not_seen: None,
        ..case.held.clone()
    };
    let case = Case {
        question: &question,
        held: &held,
        ..*case
    };
    let kept = entries
        .iter()
        .filter_map(|entry| {
            Some(Kept {
                url: entry.url(case.dubbo()).ok()?,
                entry,
            })
        })
        .collect();
    then(&case, kept)
}

/// An instance of which it is not known what it exports to the consumer, with what was not seen.
type Open<'a> = (&'a Instance, NotSeen);

/// M, I, V and K: the entries that are left, and the instances that may have the service besides.
fn own_stages<'a>(
    case: &Case<'a>,
    repaired: &BTreeSet<StageId>,
    view: &mut View,
) -> (Vec<Entry>, Vec<Open<'a>>) {
    let nothing = || (Vec::new(), Vec::new());
    let (mapping, asked) = subscribed::stage(case, repaired);
    let goes_on = mapping.state == State::Ok;
    view.stages.push(mapping);
    if !goes_on {
        skip(view, &[StageId::Instances, StageId::Revision, StageId::Key]);
        return nothing();
    }
    let (instances, taken) = taken::stage(case, &asked, repaired);
    view.stages.push(instances);
    if taken.is_empty() {
        skip(view, &[StageId::Revision, StageId::Key]);
        return nothing();
    }
    let (revision, mut revisions) = revisions::stage(case, &taken, repaired);
    view.stages.push(revision);
    if revisions.known.is_empty() {
        let open = revisions.open.iter();
        view.bound = open.map(|(instance, _)| instance.address.clone()).collect();
        skip(view, &[StageId::Key]);
        return nothing();
    }
    let is_repaired = |id| repaired.contains(id);
    if !is_repaired(&StageId::Revision) && cancelled(case, &taken, &revisions, view)
        || !is_repaired(&StageId::Instances) && !digest(case, &taken, &mut revisions, view)
    {
        return nothing();
    }
    view.partial = revisions.known.iter().any(|described| described.partial);
    let (key, entries, meant) = key::stage(case, &revisions, repaired);
    view.meant = meant;
    if entries.is_empty() && !revisions.open.is_empty() && key.state == State::Failed {
        // The ones that nobody saw may have it.
        if let Some(revision) = view.stages.last_mut() {
            revision.state = State::Unknown;
        }
        revisions.open.clear();
    } else if let Some(revision) = view.stages.last_mut() {
        for fact in &mut revision.not_seen {
            fact.required = false;
        }
    }
    view.stages.push(key);
    (entries, revisions.open)
}

/// Up to 3.0.5 one revision whose metadata fail costs a client the whole notification, from 3.0.6 on all of them have to
/// (`ServiceInstancesChangedListener.doOnEvent`, `hasEmptyMetadata`). Says whether it is lost, or may be.
fn cancelled(
    case: &Case<'_>,
    taken: &[&Instance],
    revisions: &revisions::Revisions<'_>,
    view: &mut View,
) -> bool {
    let failing = &revisions.failing;
    if case.dubbo().line() != Line::V3_0 || case.dubbo().at_least([3, 0, 6]) || failing.is_empty() {
        return false;
    }
    // Each application is told for itself, together with those before it: which comes first is not known.
    let alone = taken.iter().all(|instance| {
        let mut others = failing.iter();
        others.any(|one| one.application == instance.application)
    });
    let is_starting = case.world.state == ConsumerState::Starting;
    let Some(stage) = view.stages.last_mut() else {
        return false;
    };
    if alone && is_starting {
        let code = stage
            .raises
            .first()
            .map_or(Code::MetadataMissing, |raised| raised.code);
        let gone: Vec<Dropped> = taken
            .iter()
            .filter(|instance| {
                let mut known = stage.dropped.iter();
                known.all(|dropped| dropped.address != instance.address)
            })
            .map(|instance| Dropped {
                address: instance.address.clone(),
                code,
                rule: None,
                position: None,
            })
            .collect();
        stage.dropped.extend(gone);
        stage.dropped.sort_by(|a, b| a.address.cmp(&b.address));
        stage.output = Some(0);
        stage.state = State::Failed;
    } else {
        stage.state = State::Unknown;
        let (what, why) = if is_starting {
            (Say::EndpointsOrder, Say::MetadataCancels)
        } else {
            (Say::OwnViewLayer, Say::KeptListUnknown)
        };
        stage.not_seen.push(NotSeen {
            what: what.into(),
            why: why.into(),
            how_to_see: Some(Say::HowQos.into()),
            required: true,
        });
        view.bound = taken
            .iter()
            .map(|instance| instance.address.clone())
            .collect();
    }
    skip(view, &[StageId::Key]);
    true
}

/// Endpoints that cannot be read cost a 3.x client the whole notification, the other instances in it too
/// (`ServiceInstancesChangedListener.onEvent`). Says whether it gets through to the key.
fn digest<'a>(
    case: &Case<'_>,
    taken: &[&'a Instance],
    revisions: &mut revisions::Revisions<'a>,
    view: &mut View,
) -> bool {
    let line = case.dubbo().line();
    let known = revisions.known.iter();
    let broken: Vec<&Instance> = known
        .filter(|described| endpoints::throws(described, line))
        .map(|described| described.instance)
        .collect();
    // With the metadata that nobody saw, a port may be looked up there.
    let mut open = revisions.open.iter();
    let risky = open.any(|(instance, _)| endpoints::are_unreadable(instance, line));
    if broken.is_empty() && !risky {
        return true;
    }
    // Each application is told for itself, together with those before it: which comes first is not known.
    let alone = taken.iter().all(|instance| {
        let same = |one: &&Instance| one.application == instance.application;
        broken.iter().any(same)
    });
    if alone && !broken.is_empty() {
        view.stages.pop();
        if let Some(stage) = view.stages.pop() {
            let total = stage.input.unwrap_or(taken.len());
            view.stages.push(endpoints::lost(total, taken, &broken));
        }
        skip(view, &[StageId::Revision, StageId::Key]);
        return false;
    }
    if let Some(stage) = view.stages.last_mut() {
        stage.state = State::Unknown;
        if stage.not_seen.is_empty() {
            stage.not_seen.push(NotSeen {
                what: Say::EndpointsOrder.into(),
                why: Say::EndpointsUnreadable.into(),
                how_to_see: Some(Say::HowQos.into()),
                required: true,
            });
        }
        let raised = endpoints::lost(taken.len(), taken, &broken).raises;
        stage
            .raises
            .extend(raised.into_iter().filter(|_| !broken.is_empty()));
    }
    view.bound = taken
        .iter()
        .map(|instance| instance.address.clone())
        .collect();
    revisions.known.clear();
    skip(view, &[StageId::Key]);
    false
}

fn skip(view: &mut View, ids: &[StageId]) {
    for id in ids {
        view.stages.push(Stage::skipped(id.clone()));
    }
}

/// What the directory behind is asked with. The key is decided already: from 3.1 on lists of versions are understood and
/// items of `protocol` trimmed, which the interface level does not; and empty is absent.
fn question_of_list(case: &Case<'_>) -> Question {
    let mut question = case.question.clone();
    let service = &mut question.service;
    for part in [&mut service.group, &mut service.version] {
        if part.as_deref() == Some("") {
            *part = None;
        }
    }
    if case.dubbo().line() >= Line::V3_1 {
        if service
            .version
            .as_deref()
            .is_some_and(|text| text.contains(','))
        {
            service.version = Some("*".to_owned());
        }
        if let Some(protocols) = question.consumer.params.get_mut("protocol") {
            let items = protocols.split(',').map(str::trim);
            *protocols = items.collect::<Vec<_>>().join(",");
        }
    }
    question
}

/// A JSON object's map.
fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
