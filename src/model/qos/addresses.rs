//! `getAddress`: the addresses a reference really has (3.2 and later), the best single view of a consumer.

use serde::Serialize;
use serde_json::Value;

use super::listing::{Model, Step};

/// One reference with its list from one registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OwnList {
    /// `[group/]interface[:version]`.
    pub key: String,
    /// The registry's URL.
    pub registry: String,
    /// Step of the migration.
    pub step: Option<Step>,
    /// The invokers from both models, in the order in which they stand there.
    pub invokers: Vec<Invoker>,
}

/// One provider URL of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Invoker {
    /// The model it came by.
    pub model: Model,
    /// In which of the lists it stands.
    pub state: State,
    /// The provider's URL as the consumer has merged it.
    pub url: String,
}

/// The lists of a directory (`AbstractDirectory`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Every address.
    All,
    /// Those that can be called: connected and not switched off.
    Valid,
    /// Those that are switched off.
    Disabled,
}

impl OwnList {
    /// The URLs of one model and state.
    pub fn urls(&self, model: Model, state: State) -> impl Iterator<Item = &str> {
        self.invokers
            .iter()
            .filter(move |invoker| invoker.model == model && invoker.state == state)
            .map(|invoker| invoker.url.as_str())
    }
}

/// Reads either form, cleaned; `None` when it is neither.
pub(super) fn read(text: &str) -> Option<Vec<OwnList>> {
    if text.starts_with('{') {
        json(text)
    } else if text.starts_with("ConsumerModel: ") {
        lines(text)
    } else {
        None
    }
}

/// The key without the identity of its model, `key@1f2e3d`.
pub(super) fn without_identity(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((key, hex)) if !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit()) => {
            key.to_owned()
        }
        _ => text.to_owned(),
    }
}

fn json(text: &str) -> Option<Vec<OwnList>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let mut lists = Vec::new();
    for (key, registries) in value.as_object()? {
        for (registry, of) in registries.as_object()? {
            let step = of.get("MigrationStep").and_then(Value::as_str);
            let mut list = OwnList {
                key: without_identity(key),
                registry: registry.clone(),
                step: step.and_then(Step::parse),
                invokers: Vec::new(),
            };
            let models = of.get("Invokers").and_then(Value::as_object)?;
            for (model, name) in [
                (Model::Interface, "Interface-Level"),
                (Model::Application, "Application-Level"),
            ] {
                for (state, word) in [
                    (State::All, "All"),
                    (State::Valid, "Valid"),
                    (State::Disabled, "Disabled"),
                ] {
                    let urls = models.get(name).and_then(|model| model.get(word));
                    let urls = urls.and_then(Value::as_array).into_iter().flatten();
                    list.invokers
                        .extend(urls.filter_map(Value::as_str).map(|url| Invoker {
                            model,
                            state,
                            url: url.to_owned(),
                        }));
                }
            }
            lists.push(list);
        }
    }
    Some(lists)
}

fn lines(text: &str) -> Option<Vec<OwnList>> {
    let mut lists: Vec<OwnList> = Vec::new();
    let mut key = None;
    let (mut model, mut state) = (None, None);
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("ConsumerModel: ") {
            key = Some(without_identity(name));
        } else if let Some(registry) = line.strip_prefix("Registry: ") {
            lists.push(OwnList {
                key: key.clone()?,
                registry: registry.to_owned(),
                step: None,
                invokers: Vec::new(),
            });
            (model, state) = (None, None);
        } else if let Some(step) = line.strip_prefix("MigrationStep: ") {
            lists.last_mut()?.step = Step::parse(step);
        } else {
            match line {
                "Interface-Level:" => model = Some(Model::Interface),
                "Application-Level:" => model = Some(Model::Application),
                "All Invokers:" => state = Some(State::All),
                "Valid Invokers:" => state = Some(State::Valid),
                "Disabled Invokers:" => state = Some(State::Disabled),
                url if url.contains("://") => lists.last_mut()?.invokers.push(Invoker {
                    model: model?,
                    state: state?,
                    url: url.to_owned(),
                }),
                _ => {}
            }
        }
    }
    key.map(|_| lists)
}
