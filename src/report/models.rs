//! Both models of discovery side by side: how a report for machines says it, and the rows that every other form shows.

use super::{
    model::{Answer, ModelInfo, ModelsInfo, Report},
    safe::safe,
    text,
    words::{Label, Lang},
};
use crate::{
    diagnose::{Models, Side},
    snapshot::SourceId,
    view::stage::{Model, State},
};

/// For machines.
pub(super) fn info(id: &SourceId, via: Option<&String>, models: &Models, lang: Lang) -> ModelsInfo {
    ModelsInfo {
        registry: id.to_string(),
        via: via.cloned(),
        uses: models.uses.map(model_word),
        step: models.step_word(),
        step_from: models.origin.word(),
        why: format!(
            "{}{}{}",
            models.by.text(lang),
            Label::Semicolon.text(lang),
            models.why.text(lang)
        ),
        interface: side(&models.interface),
        application: side(&models.application),
    }
}

fn side(side: &Side) -> ModelInfo {
    ModelInfo {
        registered: side.registered,
        matching: side.matching,
        left: side.left,
        state: state_word(side.state),
        stage: side.stage.as_ref().map(ToString::to_string),
        code: side.code.map(|code| code.to_string()),
    }
}

pub(super) fn model_word(model: Model) -> &'static str {
    match model {
        Model::Interface => "interface",
        Model::Application => "application",
    }
}

pub(super) fn state_word(state: State) -> &'static str {
    match state {
        State::Ok => "ok",
        State::Failed => "failed",
        State::Skipped => "skipped",
        State::Unknown => "unknown",
    }
}

/// The models of one registry for a person.
pub(super) struct Table {
    /// The registry, and the member where there is one.
    pub(super) heading: String,
    /// Model, registered, matching, left, what became of it.
    pub(super) rows: Vec<[String; 5]>,
    /// Which one is used, and why.
    pub(super) uses: String,
}

/// The heads of the columns.
pub(super) fn head(lang: Lang) -> [&'static str; 5] {
    [
        Label::Model,
        Label::Registered,
        Label::Matching,
        Label::LeftOver,
        Label::Ends,
    ]
    .map(|label| label.text(lang))
}

/// One table for each registry.
pub(super) fn tables(report: &Report, answer: &Answer, lang: Lang) -> Vec<Table> {
    answer
        .models
        .iter()
        .map(|models| {
            let source = text::source(report, answer, &models.registry);
            let via = models.via.as_deref().map(safe);
            let uses = match models.uses {
                Some("application") => Label::ApplicationLevel,
                Some(_) => Label::InterfaceLevel,
                None => Label::StateUnknown,
            };
            Table {
                heading: via.map_or(source.clone(), |via| format!("{source} {via}")),
                rows: vec![
                    row(Label::InterfaceLevel, &models.interface, lang),
                    row(Label::ApplicationLevel, &models.application, lang),
                ],
                uses: format!(
                    "{}{}{}",
                    uses.text(lang),
                    Label::Colon.text(lang),
                    safe(&models.why)
                ),
            }
        })
        .collect()
}

fn row(label: Label, model: &ModelInfo, lang: Lang) -> [String; 5] {
    let count = |number: Option<usize>| number.map_or_else(|| "?".to_owned(), |n| n.to_string());
    let state = match model.state {
        "failed" => Label::Failed,
        "unknown" => Label::StateUnknown,
        _ => Label::Ok,
    };
    let mut ends = state.text(lang).to_owned();
    if let Some(stage) = &model.stage {
        let name = text::path::name(stage, lang);
        ends = format!("{ends}{}{name}", Label::Colon.text(lang));
    }
    if let Some(code) = &model.code {
        ends = format!("{ends} {code}");
    }
    [
        label.text(lang).to_owned(),
        count(model.registered),
        count(model.matching),
        count(model.left),
        ends,
    ]
}
