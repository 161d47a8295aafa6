//! Nacos as one consumer sees it.

pub(crate) mod names;

use super::held::Held;
use crate::{
    question::{Question, RegistryAddress},
    snapshot::{Snapshot, SourceId},
};

/// What a registry holds: once, or once for each member when several members were asked.
pub fn held(
    snapshot: &Snapshot,
    question: &Question,
    registry: &RegistryAddress,
    source: &SourceId,
    missing: &super::missing::Missing,
) -> Vec<Held> {
    let _ = (snapshot, question, source, missing);
    let layer = super::held::Layer {
        kind: super::held::LayerKind::OtherRegistry,
        name: registry.to_string(),
        evidence: None,
    };
    vec![Held::unknown(&registry.to_string(), layer.not_seen())]
}
