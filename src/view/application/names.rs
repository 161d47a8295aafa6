//! Which applications a reference asks for besides those that the mapping names.

use crate::question::{Question, RegistryAddress};

/// Applications that the reference names itself (`provided-by`), else those that the registry's address names
/// (`subscribed-services`).
pub(crate) fn subscribed_by_name(question: &Question, registry: &RegistryAddress) -> Vec<String> {
    let own = provided_by(question);
    if own.is_empty() {
        list(registry.params.get("subscribed-services"))
    } else {
        own
    }
}

/// `provided-by` of the reference: then no mapping is read (`AbstractServiceNameMapping.getServices`).
pub(crate) fn provided_by(question: &Question) -> Vec<String> {
    list(question.consumer.params.get("provided-by"))
}

fn list(text: Option<&String>) -> Vec<String> {
    let items = text.into_iter().flat_map(|text| text.split(','));
    items
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The consumer's own instance says nothing about providers.
pub(crate) fn is_foreign(question: &Question, application: &str) -> bool {
    question.consumer.application.as_deref() != Some(application)
}
