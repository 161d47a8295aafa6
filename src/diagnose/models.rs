//! Which of the two models of discovery gives a consumer its addresses, and what follows for the answer.
//!
//! Without any setting a consumer of 3.x takes what the application model has, and the interface model where that has
//! nothing (`APPLICATION_FIRST` with a threshold of 0, `DefaultMigrationAddressComparator`); one of 2.7 knows the interface
//! model only. A setting or rule that says otherwise leaves the choice open.

use std::collections::BTreeSet;

use super::{
    Outcome,
    outcome::{Judged, judge_view},
    text::Said,
};
use crate::{
    report::words::Say,
    view::{
        application,
        held::LayerKind,
        interface::{Case, View},
        stage::{Model, StageId, State},
    },
};

/// Which models a consumer looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// The interface model alone.
    Interface,
    /// The application model alone.
    Application,
    /// The application model where it has something, else the interface model.
    ApplicationFirst,
    /// Something decides that is not evaluated.
    Open,
}

impl Use {
    /// By the settings that are known.
    pub(crate) fn of(case: &Case<'_>) -> Self {
        let own = &case.question.consumer.params;
        let registry = case.registry.map(|registry| &registry.params);
        let set = |name: &str| own.get(name).or_else(|| registry?.get(name));
        let by_scheme = case
            .registry
            .is_some_and(|registry| registry.scheme == "service-discovery-registry");
        if case.dubbo().at_least([2, 7, 5])
            && (by_scheme || set("registry-type").is_some_and(|kind| kind == "service"))
        {
            return Self::Application;
        }
        if !case.dubbo().line().is_3x() {
            return Self::Interface;
        }
        let layers = &case.held.layers;
        let ruled = layers
            .iter()
            .any(|layer| layer.kind == LayerKind::Migration);
        let open = [
            "migration.step",
            "migration.threshold",
            "registry-type",
            "service-discovery",
        ];
        if ruled || open.iter().any(|name| set(name).is_some()) {
            return Self::Open;
        }
        Self::ApplicationFirst
    }
}

/// Judges one member (or the whole) of one registry by the model that the consumer uses.
pub(crate) fn judge_models(case: &Case<'_>, said: &Said) -> Judged {
    match Use::of(case) {
        Use::Interface | Use::Open => judge_view(case, case.view(), said),
        Use::Application => judge_view(case, application::view(case), said),
        Use::ApplicationFirst => application_first(case, said),
    }
}

fn application_first(case: &Case<'_>, said: &Said) -> Judged {
    let alone = BTreeSet::from([StageId::Decision]);
    let interface = judge_view(case, case.repaired(&alone), said);
    let mut application = judge_view(case, application::view(case), said);
    beside(&interface.view, &mut application.view);
    match (usable(&application), usable(&interface)) {
        (Usable::Yes, _) => application,
        (Usable::No, Usable::Yes | Usable::Open) => interface,
        (Usable::No, Usable::No) => {
            if progress(case, &interface.view) > progress(case, &application.view) {
                interface
            } else {
                application
            }
        }
        (Usable::Open, Usable::Yes) => {
            let addresses: BTreeSet<String> = key_addresses(case);
            if case.held.application.is_covered_by(&addresses) {
                // Whatever the metadata say, the addresses are the same.
                interface
            } else {
                open(application, &interface)
            }
        }
        (Usable::Open, _) => open(application, &interface),
    }
}

/// What was found on the way that is not taken: entries that are switched off, and remarks on rules.
fn beside(interface: &View, application: &mut View) {
    let entries = interface.stage(&StageId::Entries);
    let off = entries.filter(|stage| !stage.dropped.is_empty());
    let raised = off
        .into_iter()
        .flat_map(|stage| stage.raises.iter().take(1));
    let remarks = interface.routed.remarks.iter();
    let found: Vec<_> = raised.chain(remarks).cloned().collect();
    application.routed.remarks.extend(found);
}

/// It depends on what nobody saw of the application model.
fn open(mut application: Judged, interface: &Judged) -> Judged {
    let raised = interface.raised.clone().into_iter();
    application
        .candidates
        .extend(raised.map(|raised| (raised, Say::EarlierStageUnknown)));
    application.outcome = Outcome::Unknown;
    application
}

/// Whether a model has an address that a call could use, before routing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Usable {
    Yes,
    No,
    Open,
}

fn usable(judged: &Judged) -> Usable {
    for stage in &judged.view.stages {
        if stage.id > StageId::Connectivity {
            break;
        }
        match stage.state {
            State::Failed => return Usable::No,
            State::Unknown if stage.not_seen.iter().any(|fact| fact.required) => {
                return Usable::Open;
            }
            _ => {}
        }
    }
    Usable::Yes
}

/// How far a model came before it was empty. Nothing registered is nowhere in either.
fn progress(case: &Case<'_>, view: &View) -> u8 {
    let Some(failed) = view.failed() else {
        return u8::MAX;
    };
    match &failed.id {
        StageId::Mapping => 0,
        StageId::Instances => 1,
        StageId::Revision => 2,
        StageId::NameForm | StageId::Key => {
            let nothing = view.model == Model::Interface
                && case.held.entries.is_empty()
                && view.near.is_empty();
            if nothing { 0 } else { 3 }
        }
        StageId::Entries => 4,
        StageId::Decision | StageId::Protocol => 5,
        StageId::Configurators => 6,
        _ => 7,
    }
}

/// The addresses of the interface model that have the key.
fn key_addresses(case: &Case<'_>) -> BTreeSet<String> {
    case.repaired(&BTreeSet::from([StageId::Decision]))
        .left
        .into_iter()
        .collect()
}
