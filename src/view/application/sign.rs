//! Signs that some application exports the interface, though no mapping leads to it.

use std::collections::BTreeSet;

use super::known::{Application, Metadata};
use crate::view::{held::Entry, interface::Case, stage::Evidence};

/// Who exports the interface, as far as signs go.
#[derive(Debug, Clone, Default)]
pub(super) struct Sign {
    /// Applications of which something says so: their metadata, a service definition, entries of the interface model.
    pub(super) exporters: BTreeSet<String>,
    /// Applications with instances of which nobody knows what they export.
    pub(super) unclear: BTreeSet<String>,
    /// What shows it.
    pub(super) evidence: Vec<Evidence>,
}

impl Sign {
    /// Reads the signs.
    pub(super) fn of(case: &Case<'_>) -> Self {
        let application = &case.held.application;
        let interface = &case.question.service.interface;
        let mut sign = Self {
            exporters: application.definers.clone(),
            ..Self::default()
        };
        for entry in &case.held.entries {
            if let Some(name) = entry.application() {
                sign.exporters.insert(name);
                sign.evidence.push(entry.evidence.clone());
            }
        }
        for instance in application.others.iter().chain(&application.instances) {
            let Some(key) = instance.metadata_key() else {
                continue;
            };
            match application.metadata.get(&key) {
                Some(Metadata::Here { info, evidence, .. }) => {
                    let exports = |service: &crate::model::metadata::ServiceInfo| {
                        service.name.as_ref() == Some(interface)
                    };
                    if info.services.iter().any(exports) {
                        sign.exporters.insert(instance.application.clone());
                        sign.evidence.push(evidence.clone());
                    }
                }
                Some(_) => {
                    sign.unclear.insert(instance.application.clone());
                    sign.evidence.push(instance.evidence.clone());
                }
                None => {}
            }
        }
        // An application of which one revision is known to export it is clear; so is one that registers by interface, too,
        // and there has a service with a near name: both levels are registered from one list.
        let near = case.held.near.iter().flat_map(|near| &near.entries);
        let by_interface: BTreeSet<String> = near.filter_map(Entry::application).collect();
        sign.unclear.retain(|name| {
            !sign.exporters.contains(name)
                && !application.writers.contains(name)
                && !application.describers.contains(name)
                && !by_interface.contains(name)
        });
        sign.exporters
            .retain(|name| super::names::is_foreign(case.question, name));
        sign.evidence.dedup();
        sign.evidence.truncate(super::SHOWN);
        sign
    }

    /// Applications that have instances here and would be asked if a mapping led to them.
    pub(super) fn meant(&self, application: &Application) -> BTreeSet<String> {
        let here: BTreeSet<&String> = application
            .others
            .iter()
            .chain(&application.instances)
            .map(|instance| &instance.application)
            .collect();
        let found: BTreeSet<String> = self
            .exporters
            .iter()
            .filter(|name| here.contains(name))
            .cloned()
            .collect();
        if found.is_empty() {
            self.unclear.clone()
        } else {
            found
        }
    }
}
