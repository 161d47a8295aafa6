//! DG4008: the model that the consumer is bound to has nothing, and the other one has an address for the same key.

use serde_json::json;

use crate::{
    diagnose::{
        Outcome,
        after::Later,
        code::Code,
        outcome::{Judged, Limit},
    },
    report::words::{Phrase, Say},
    view::{
        application::Instance,
        held::Entry,
        interface::Case,
        migration::Migration,
        stage::{Evidence, Model, Raised, Stage, StageId, State},
    },
};

/// How many entries are shown.
const SHOWN: usize = 3;

/// Whether the other model has an address for the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Has {
    Yes,
    /// Its metadata were not seen, and a provider left a definition of this very key.
    Likely,
    /// Nobody saw it.
    Open,
    No,
}

/// Makes it the verdict where it is one.
pub(super) fn check(case: &Case<'_>, other: &Judged, migration: &Migration, judged: &mut Judged) {
    if judged.code() == Some(Code::NamespaceUnknown) {
        return;
    }
    let emptied = judged.view.failed().map(|stage| stage.id.clone());
    let early = emptied.as_ref().is_some_and(|id| {
        matches!(
            id,
            StageId::Place
                | StageId::NameForm
                | StageId::Mapping
                | StageId::Instances
                | StageId::Revision
                | StageId::Key
        )
    });
    if !early {
        return;
    }
    let has = has_key(case, other);
    if has == Has::No {
        return;
    }
    let used = judged.view.model;
    let raised = raised(case, other, migration, used, migration.step.as_str());
    if has == Has::Open || judged.outcome != Outcome::None {
        judged.candidates.push((raised, Say::EarlierStageUnknown));
        // Once the consumer's own list decides: the same outcome, and perhaps another code.
        judged.limits.insert(Limit::Rule);
        return;
    }
    // Another place was the cause only as long as nothing was known of the service here.
    let code = match emptied {
        Some(StageId::Place) => Some(Code::NotRegistered),
        _ => judged.code(),
    };
    judged.then = Later::Codes(code.into_iter().collect());
    judged.limits.remove(&Limit::Sweep);
    if has == Has::Likely {
        judged.limits.insert(Limit::Rule);
    }
    judged.contributors.clear();
    judged.candidates.retain(|(candidate, _)| {
        !matches!(
            candidate.code,
            Code::RegistryGroupDiffers | Code::NamespaceDiffers | Code::OtherRegistry
        )
    });
    settle(judged, migration, raised);
}

/// The rule sends a share of the calls to the interface model, which has nothing: those fail.
pub(super) fn by_share(case: &Case<'_>, migration: &Migration, judged: &mut Judged) {
    let step = format!(
        "{}, proportion {}",
        migration.step.as_str(),
        migration.proportion
    );
    let raised = raised(case, judged, migration, Model::Interface, &step);
    judged.outcome = Outcome::Partly;
    judged.limits.insert(Limit::Rule);
    settle(judged, migration, raised);
}

fn settle(judged: &mut Judged, migration: &Migration, raised: Raised) {
    judged.stage = Some(StageId::Decision);
    judged.emptied = Some(raised.clone());
    judged.raised = Some(raised.clone());
    let because = Phrase::new(migration.origin.say()).with("step", migration.step.as_str());
    super::put(
        &mut judged.view,
        Stage {
            because: Some(because),
            raises: vec![raised],
            ..Stage::plain(StageId::Decision, State::Failed)
        },
    );
}

fn has_key(case: &Case<'_>, other: &Judged) -> Has {
    let key = other.view.stage(&StageId::Key);
    if key.is_some_and(|stage| stage.output.unwrap_or_default() > 0) {
        return Has::Yes;
    }
    let open = other.view.stages.iter().find(|stage| {
        let required = stage.not_seen.iter().any(|fact| fact.required);
        stage.id <= StageId::Key && stage.state == State::Unknown && required
    });
    let Some(open) = open else { return Has::No };
    let defined = offered(case).next().is_some();
    if open.id == StageId::Revision && defined {
        Has::Likely
    } else {
        Has::Open
    }
}

/// Instances of applications that left a definition of this very key.
fn offered<'a>(case: &Case<'a>) -> impl Iterator<Item = &'a Instance> {
    let application = &case.held.application;
    application.instances.iter().filter(|instance| {
        instance.enabled
            && instance.exports().is_some()
            && application.key_definers.contains(&instance.application)
    })
}

fn raised(
    case: &Case<'_>,
    other: &Judged,
    migration: &Migration,
    used: Model,
    step: &str,
) -> Raised {
    let service = case.question.service.to_string();
    let word = |model: Model| match model {
        Model::Interface => "interface",
        Model::Application => "application",
    };
    let mut evidence: Vec<Evidence> = match other.view.model {
        Model::Interface => {
            let entries = case.held.entries.iter().take(SHOWN);
            entries.map(Entry::named_evidence).collect()
        }
        Model::Application => {
            let application = &case.held.application;
            let mappings = application.mappings.iter();
            let mapping = mappings
                .filter_map(|mapping| mapping.evidence.clone())
                .take(1);
            let instances = application.instances.iter().take(SHOWN);
            mapping
                .chain(instances.map(|instance| {
                    Evidence {
                        fact: Phrase::new(Say::InstanceOffers)
                            .with("address", &*instance.address)
                            .with("application", &*instance.application),
                        ..instance.evidence.clone()
                    }
                }))
                .collect()
        }
    };
    evidence.extend(migration.evidence.clone());
    let params = json!({
        "service": service, "other": word(other.view.model), "used": word(used),
        "step": step, "step_from": migration.origin.word(),
        "count": other.view.stage(&StageId::Key).and_then(|stage| stage.output),
    });
    Raised {
        code: Code::ModelsDoNotMeet,
        params: params.as_object().cloned().unwrap_or_default(),
        subject: ("service".to_owned(), service),
        evidence,
    }
}
