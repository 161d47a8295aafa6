//! Which of the two models of discovery gives a consumer its addresses, and what follows for the answer. The only place
//! where that is decided: the step comes from [`migration::sight`], what the models hold from their views.
//!
//! Both are judged whatever is used, so that a report can show them side by side.

mod meet;
mod side;

use std::collections::BTreeSet;

pub(super) use side::remarks;
pub use side::{Models, Side};

use super::{
    Outcome,
    outcome::{Judged, judge_view},
    text::Said,
};
use crate::{
    model::{
        url::Url,
        version::{DubboVersion, Line},
    },
    question::World,
    report::words::{Phrase, Say},
    rule::migration::Step,
    view::{
        application,
        held::{Entry, Layer, LayerKind},
        interface::{Case, View, means_another},
        migration::{self, Migration, Seen, Sight},
        stage::{Model, NotSeen, Stage, StageId, State},
    },
};

/// Both models of one registry, each judged as if the consumer used it alone.
struct Both {
    interface: Judged,
    /// On a line that does not know this model: as the newest line would see it.
    application: Judged,
}

/// What one way to choose comes to.
struct Choice {
    judged: Judged,
    /// `None`: it depends on what nobody saw.
    uses: Option<Model>,
    why: Phrase,
}

/// Judges one member (or the whole) of one registry by the model that the consumer uses. `seen` = the step that the
/// consumer itself was seen to have.
pub(crate) fn judge_models(case: &Case<'_>, said: &Said, seen: Option<Seen>) -> Judged {
    let sight = migration::sight(case, seen);
    let both = Both::of(case, said, &sight);
    let mut choices: Vec<(&Migration, Choice)> = Vec::new();
    for world in &sight.worlds {
        let (application, interface) = (count(&both.application), count(&both.interface));
        for migration in world.in_force(application, interface) {
            if choices.iter().all(|(known, _)| *known != migration) {
                choices.push((migration, both.by(case, migration)));
            }
        }
    }
    join(&both, &sight, choices)
}

impl Both {
    fn of(case: &Case<'_>, said: &Said, sight: &Sight) -> Self {
        let interface = case.repaired(&BTreeSet::from([StageId::Decision]));
        let knows_both = case.dubbo().line().is_3x()
            || sight
                .worlds
                .iter()
                .any(|world| world.step == Step::ForceApplication);
        let newest = World {
            dubbo: DubboVersion::newest(Line::V3_3),
            ..case.world.clone()
        };
        let application = Case {
            world: if knows_both { case.world } else { &newest },
            ..*case
        };
        Self {
            interface: judge_view(case, interface, said),
            application: judge_view(&application, application::view(&application), said),
        }
    }

    fn by(&self, case: &Case<'_>, migration: &Migration) -> Choice {
        let (application, interface) = (&self.application, &self.interface);
        if let Some(because) = without_registry(&interface.view) {
            return Choice {
                judged: interface.clone(),
                uses: Some(Model::Interface),
                why: because,
            };
        }
        let mut choice = match migration.step {
            Step::ForceInterface => Choice {
                judged: interface.clone(),
                uses: Some(Model::Interface),
                why: Say::UsesForced.into(),
            },
            Step::ForceApplication => Choice {
                judged: application.clone(),
                uses: Some(Model::Application),
                why: Say::UsesForced.into(),
            },
            Step::ApplicationFirst => self.application_first(case, migration),
        };
        let judged = &mut choice.judged;
        match migration.step {
            Step::ForceInterface => meet::check(case, application, migration, judged),
            Step::ForceApplication => meet::check(case, interface, migration, judged),
            Step::ApplicationFirst => {
                let by_share = choice.uses == Some(Model::Application)
                    && migration.proportion < 100
                    && usable(interface) == Usable::No;
                if by_share && judged.outcome == Outcome::Reachable {
                    meet::by_share(case, migration, judged);
                }
            }
        }
        choice
    }

    fn application_first(&self, case: &Case<'_>, migration: &Migration) -> Choice {
        let (application, interface) = (&self.application, &self.interface);
        let by_application = |why: Say| {
            let mut judged = application.clone();
            beside(&interface.view, &mut judged.view);
            Choice {
                judged,
                uses: Some(Model::Application),
                why: why.into(),
            }
        };
        let by_interface = |why: Phrase| Choice {
            judged: interface.clone(),
            uses: Some(Model::Interface),
            why,
        };
        let open = || {
            let mut judged = application.clone();
            beside(&interface.view, &mut judged.view);
            Choice {
                judged: open(judged, interface),
                uses: None,
                why: Say::UsesOpen.into(),
            }
        };
        match (usable(application), usable(interface)) {
            (Usable::Yes, of_interface) => {
                let (of, to) = (count(application), count(interface));
                if of_interface == Usable::No || migration.threshold <= 0.0 {
                    return by_application(Say::UsesApplication);
                }
                let (Some(of), Some(to)) = (of, to) else {
                    return open();
                };
                if migration.takes_application(of, to) {
                    return by_application(Say::UsesApplication);
                }
                by_interface(
                    Phrase::new(Say::UsesTooFew)
                        .with("application", of.to_string())
                        .with("interface", to.to_string())
                        .with("threshold", migration.threshold.to_string()),
                )
            }
            (Usable::No, Usable::Yes | Usable::Open) => by_interface(Say::UsesInterface.into()),
            (Usable::No, Usable::No)
                if [application, interface]
                    .iter()
                    .all(|judged| judged.stage == Some(StageId::Reach)) =>
            {
                Choice {
                    uses: None,
                    ..by_application(Say::UsesUnread)
                }
            }
            // What it may know from before, it may use.
            (Usable::No, Usable::No)
                if application.kept && application.stage == Some(StageId::Revision) =>
            {
                open()
            }
            (Usable::No, Usable::No) => {
                if progress(case, &interface.view) > progress(case, &application.view) {
                    by_interface(Say::UsesFurther.into())
                } else {
                    by_application(Say::UsesFurther)
                }
            }
            (Usable::Open, Usable::Yes) => {
                let addresses: BTreeSet<String> = interface.view.left.iter().cloned().collect();
                if case.held.application.is_covered_by(&addresses) {
                    // Whatever the metadata say, the addresses are the same.
                    by_interface(Say::UsesSame.into())
                } else if registers_both(case, interface) {
                    by_interface(Say::UsesRegistered.into())
                } else {
                    open()
                }
            }
            (Usable::Open, _) => open(),
        }
    }
}

/// Whether the interface level answers for both: nobody saw which applications are mapped, and every provider at interface
/// level is of a version that registers at both unless told otherwise (`register-mode`), from one list of services. It
/// has to be well there to its end.
fn registers_both(case: &Case<'_>, interface: &Judged) -> bool {
    let entries = case.held.entries.iter();
    let mut left = entries
        .filter(|entry| interface.view.left.contains(&entry.address()))
        .filter_map(Entry::plain)
        .peekable();
    let registers = |url: &Url| {
        let mode = url.text("register-mode").unwrap_or("all");
        let release = url
            .text("release")
            .and_then(|text| DubboVersion::parse(text).ok());
        mode == "all" && release.is_some_and(|version| version.line().is_3x())
    };
    !case.held.application.mapping_known
        && interface.outcome == Outcome::Reachable
        && left.peek().is_some()
        && left.all(|url| registers(&url))
}

/// Why a reference asks no registry: then there is no model to choose.
fn without_registry(view: &View) -> Option<Phrase> {
    let because = view.stage(&StageId::Question)?.because.clone()?;
    matches!(because.say, Say::DirectUrl | Say::OwnProcess).then_some(because)
}

/// The interface model for whoever looks at that one alone: D says what of the other one may decide in its place.
pub(crate) fn interface_view(case: &Case<'_>) -> View {
    let mut view = case.view();
    let sight = migration::sight(case, None);
    let mut missing = sight.missing;
    let bound = |step| sight.worlds.iter().all(|world| world.step == step);
    let application = &case.held.application;
    if bound(Step::ForceInterface) {
    } else if !application.mapping_known && !bound(Step::ForceApplication) {
        missing.extend(application.not_seen.iter().cloned());
    } else if is_usable(&application::view(case)) != Usable::No || bound(Step::ForceApplication) {
        let addresses: BTreeSet<String> = view.left.iter().cloned().collect();
        if !application.is_covered_by(&addresses) {
            missing.push(either(case));
        }
    }
    let stage = match missing.first() {
        Some(first) => Stage {
            because: Some(first.what.clone()),
            not_seen: missing.clone(),
            ..Stage::plain(StageId::Decision, State::Unknown)
        },
        None => Stage {
            because: Some(Say::InterfaceModelDecides.into()),
            ..Stage::plain(StageId::Decision, State::Ok)
        },
    };
    put(&mut view, stage);
    view
}

/// That the other model may decide is not known.
fn either(case: &Case<'_>) -> NotSeen {
    let layer = Layer {
        kind: LayerKind::ApplicationModel,
        name: case.held.application.mapped.join(","),
        evidence: None,
    };
    NotSeen {
        why: Say::UsesOpen.into(),
        ..layer.not_seen()
    }
}

/// The model that a consumer uses, with its stages. Where that is open, the one that has addresses: D says what decides.
pub(crate) fn used(case: &Case<'_>, seen: Option<Seen>) -> (Model, View) {
    let judged = judge_models(case, &Said::default(), seen);
    if let Some(model) = judged.models.as_ref().and_then(|models| models.uses) {
        return (model, judged.view);
    }
    let interface = interface_view(case);
    if is_usable(&interface) != Usable::No {
        return (Model::Interface, interface);
    }
    let mut view = application::view(case);
    let missing = either(case);
    let stage = Stage {
        because: Some(missing.what.clone()),
        not_seen: vec![missing],
        ..Stage::plain(StageId::Decision, State::Unknown)
    };
    put(&mut view, stage);
    (Model::Application, view)
}

impl Judged {
    /// Shows of the model that is used what attempts to connect came to after it was judged.
    pub(super) fn show_connections(&mut self) {
        let failed = self.view.failed().map(|stage| &stage.id);
        if failed != Some(&StageId::Connectivity) {
            return;
        }
        let side = Side::of(self);
        if let Some(models) = &mut self.models {
            match self.view.model {
                Model::Interface => models.interface = side,
                Model::Application => models.application = side,
            }
        }
    }
}

/// One answer from every way to choose that could be: the same, or none.
fn join(both: &Both, sight: &Sight, choices: Vec<(&Migration, Choice)>) -> Judged {
    let mut choices = choices.into_iter();
    let Some((migration, first)) = choices.next() else {
        return both.interface.clone();
    };
    let others: Vec<(&Migration, Choice)> = choices.collect();
    let mut judged = first.judged;
    let differs = others
        .iter()
        .any(|(_, other)| other.judged.outcome != judged.outcome);
    let same_model = others.iter().all(|(_, other)| other.uses == first.uses);
    let (uses, why) = if same_model {
        (first.uses, first.why)
    } else {
        (None, Phrase::new(Say::StepOpen))
    };
    let step = Phrase::new(migration.origin.say()).with("step", migration.step.as_str());
    for (_, other) in &others {
        let raised = other.judged.raised.clone().into_iter();
        if differs || other.judged.code() != judged.code() {
            judged
                .candidates
                .extend(raised.map(|raised| (raised, Say::EarlierStageUnknown)));
        }
    }
    if differs {
        judged.outcome = Outcome::Unknown;
        if let Some(raised) = judged.raised.take() {
            judged.candidates.push((raised, Say::EarlierStageUnknown));
        }
        judged.then.clear();
        judged.blocked_by.extend(sight.missing.iter().cloned());
    }
    let shown = if differs {
        Say::StepOpen.into()
    } else {
        step.clone()
    };
    decide(&mut judged, shown, differs.then_some(&sight.missing));
    let question = judged.view.stage(&StageId::Question);
    if question.is_some_and(means_another) {
        judged.candidates.clear();
    }
    judged.models = Some(Models {
        interface: Side::of(&both.interface),
        application: Side::of(&both.application),
        uses,
        step: same_step(migration, &others),
        origin: migration.origin,
        by: step,
        why,
        broken: sight.broken.clone(),
    });
    judged
}

fn same_step(first: &Migration, others: &[(&Migration, Choice)]) -> Option<Step> {
    let same = others.iter().all(|(other, _)| other.step == first.step);
    same.then_some(first.step)
}

/// D in the stages of the model that is used: after the key, and for the interface model after the entries.
fn decide(judged: &mut Judged, step: Phrase, missing: Option<&Vec<NotSeen>>) {
    let asked = judged
        .view
        .stage(&StageId::Reach)
        .is_some_and(|stage| stage.state != State::Skipped);
    if !asked {
        return;
    }
    let mut stage = match judged.view.stage(&StageId::Decision) {
        // The models do not meet: said there already.
        Some(failed) if failed.state == State::Failed => return,
        _ => Stage::plain(StageId::Decision, State::Ok),
    };
    stage.because = Some(step);
    if let Some(missing) = missing {
        stage.state = State::Unknown;
        stage.not_seen.clone_from(missing);
    }
    put(&mut judged.view, stage);
}

/// Puts D in its place.
fn put(view: &mut View, stage: Stage) {
    if let Some(there) = view.stage_mut(&StageId::Decision) {
        *there = stage;
        return;
    }
    let stages = &mut view.stages;
    let behind = stages
        .iter()
        .rposition(|stage| stage.id <= StageId::Entries)
        .map_or(0, |at| at + 1);
    stages.insert(behind, stage);
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
    is_usable(&judged.view)
}

fn is_usable(view: &View) -> Usable {
    for stage in &view.stages {
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

/// How many addresses a model's directory has: what both comparisons of the migration count. `None` where that was not
/// seen.
fn count(judged: &Judged) -> Option<usize> {
    match usable(judged) {
        Usable::Open => None,
        Usable::No => Some(0),
        Usable::Yes => {
            let stage = judged.view.stage(&StageId::Configurators);
            stage.and_then(|stage| stage.output)
        }
    }
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
