//! Known defects of exact versions (DG0106). They explain; the verdict is what the version does, defect included.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{code::Code, decide::Computed};
use crate::{
    model::version::DubboVersion,
    question::{ConsumerState, RegistryKind},
    view::{
        held::{Entry, Held, LayerKind},
        stage::{Evidence, Raised},
    },
};

/// A defect: versions, situation, where it is public.
struct Defect {
    /// First version that has it.
    from: [u32; 3],
    /// First version without it.
    to: [u32; 3],
    /// A word for it, as the page of the code lists them.
    name: &'static str,
    /// Issue or pull request.
    reference: &'static str,
    /// What shows that the situation is the one of the defect; `None` when it is not.
    shows: fn(&Computed<'_>, &Held) -> Option<Vec<Evidence>>,
}

/// The table.
const DEFECTS: [Defect; 7] = [
    Defect {
        from: [2, 7, 5],
        to: [2, 7, 10],
        name: "default-keys-ignored",
        reference: "https://github.com/apache/dubbo/issues/5983",
        shows: default_keys,
    },
    Defect {
        from: [2, 7, 0],
        to: [2, 7, 4],
        name: "nacos-empty-list-not-told",
        reference: "https://github.com/apache/dubbo/issues/6774",
        shows: nacos_emptied,
    },
    Defect {
        from: [3, 0, 0],
        to: [3, 1, 0],
        name: "override-deletion-empties",
        reference: "https://github.com/apache/dubbo/issues/10031",
        shows: override_deleted,
    },
    Defect {
        from: [3, 0, 0],
        to: [3, 0, 9],
        name: "application-wildcard-literal",
        reference: "https://github.com/apache/dubbo/issues/11826",
        shows: wildcard_by_application,
    },
    Defect {
        from: [2, 7, 2],
        to: [2, 7, 3],
        name: "consumer-tag-on-providers",
        reference: "https://github.com/apache/dubbo/issues/4525",
        shows: consumer_tag,
    },
    Defect {
        from: [3, 0, 0],
        to: [3, 0, 3],
        name: "static-tag-overwritten",
        reference: "https://github.com/apache/dubbo/issues/8741",
        shows: consumer_tag,
    },
    Defect {
        from: [2, 5, 3],
        to: [2, 5, 4],
        name: "both-sides-in-one-container",
        reference: "https://github.com/apache/dubbo/issues/684",
        shows: both_sides,
    },
];

/// The defects of the consumer's version whose situation is the one seen. An assumed version has none.
pub(super) fn known(computed: &Computed<'_>) -> Vec<Raised> {
    if computed.worlds.assumed {
        return Vec::new();
    }
    let version = &computed.worlds.version;
    DEFECTS
        .iter()
        .filter(|defect| version.at_least(defect.from) && !version.at_least(defect.to))
        .filter_map(|defect| {
            let evidence = computed
                .registries
                .iter()
                .flat_map(|registry| &registry.held)
                .find_map(|held| (defect.shows)(computed, held))?;
            Some(raised(defect, version, evidence))
        })
        .collect()
}

fn raised(defect: &Defect, version: &DubboVersion, evidence: Vec<Evidence>) -> Raised {
    let params = json!({
        "version": version.to_string(), "defect": defect.name, "reference": defect.reference,
    });
    Raised {
        code: Code::KnownDefect,
        params: match params {
            Value::Object(map) => map,
            _ => serde_json::Map::new(),
        },
        subject: ("defect".to_owned(), defect.name.to_owned()),
        evidence,
    }
}

/// Providers up to 2.6 publish `default.group`, `default.version`: these versions read the plain names only.
fn default_keys(_: &Computed<'_>, held: &Held) -> Option<Vec<Evidence>> {
    let of_them = |entry: &&Entry| {
        entry.plain().is_some_and(|url| {
            ["default.group", "default.version"]
                .iter()
                .any(|key| url.text(key).is_some())
        })
    };
    shown(held.entries.iter().filter(of_them))
}

/// A list that became empty was not told to the consumer: it goes on with the old one.
fn nacos_emptied(computed: &Computed<'_>, held: &Held) -> Option<Vec<Evidence>> {
    let is_nacos = computed
        .question
        .registries
        .iter()
        .any(|registry| registry.kind == RegistryKind::Nacos);
    let runs = computed.question.consumer.state == Some(ConsumerState::Running);
    (is_nacos && runs && held.listing.is_known() && held.entries.is_empty())
        .then(|| held.listing.evidence().cloned().into_iter().collect())
}

/// Removing the last override is told to the consumer as an empty list of providers.
fn override_deleted(computed: &Computed<'_>, held: &Held) -> Option<Vec<Evidence>> {
    let says_nothing = computed.said.nothing().iter().chain(computed.said.kept());
    let says: Vec<Evidence> = says_nothing.take(2).cloned().collect();
    let emptied = matches!(
        held.configurators_listing,
        crate::view::held::Listing::Complete(Some(_))
    ) && held.configurators.is_empty();
    (emptied && !held.entries.is_empty() && !says.is_empty()).then(|| {
        let listed = held.configurators_listing.evidence().cloned();
        listed.into_iter().chain(says).collect()
    })
}

/// Services of applications are looked up by the literal key.
fn wildcard_by_application(computed: &Computed<'_>, held: &Held) -> Option<Vec<Evidence>> {
    let service = &computed.question.service;
    let wildcard = [&service.group, &service.version]
        .into_iter()
        .flatten()
        .any(|part| part == "*" || part.contains(','));
    let instances = &held.application.instances;
    (wildcard && !instances.is_empty()).then(|| {
        instances
            .iter()
            .take(2)
            .map(|instance| instance.evidence.clone())
            .collect()
    })
}

/// The consumer has a tag of its own.
fn consumer_tag(computed: &Computed<'_>, held: &Held) -> Option<Vec<Evidence>> {
    let params = &computed.question.consumer.params;
    let asks = ["tag", "dubbo.tag"]
        .iter()
        .any(|key| params.get(*key).is_some_and(|tag| !tag.is_empty()));
    let tag = held
        .layers
        .iter()
        .filter(|layer| layer.kind == LayerKind::Tag)
        .filter_map(|layer| layer.evidence.clone());
    asks.then(|| tag.take(2).collect())
}

/// Two consumer entries of one process and no provider: a provider in the same container lost its entry to them.
fn both_sides(_: &Computed<'_>, held: &Held) -> Option<Vec<Evidence>> {
    if !held.entries.is_empty() {
        return None;
    }
    let mut processes: BTreeMap<(String, String), Vec<&Entry>> = BTreeMap::new();
    for entry in &held.consumers {
        if let Some(url) = entry.plain()
            && let (Some(application), Some(pid)) = (url.text("application"), url.text("pid"))
        {
            processes
                .entry((application.to_owned(), pid.to_owned()))
                .or_default()
                .push(entry);
        }
    }
    shown(
        processes
            .into_values()
            .find(|entries| entries.len() > 1)?
            .into_iter(),
    )
}

fn shown<'a>(entries: impl Iterator<Item = &'a Entry>) -> Option<Vec<Evidence>> {
    let evidence: Vec<Evidence> = entries
        .take(2)
        .map(|entry| entry.evidence.clone())
        .collect();
    (!evidence.is_empty()).then_some(evidence)
}
