//! Where in Nacos a consumer looks: namespace and group of naming, namespaces of rules.

use serde_json::{Map, Value};

use super::{server::Server, shape::canonical};
use crate::{
    diagnose::code::Code,
    question::{GroupOrigin, Question, RegistryAddress, RegistryKind},
    report::words::{Phrase, Say},
    snapshot::Seen,
    view::stage::Raised,
};

/// The group of naming when the registry names none, and the only one before 2.7.7.
pub(crate) const DEFAULT_GROUP: &str = "DEFAULT_GROUP";

/// The place of one registry address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Namespace id, `""` = public.
    pub(super) namespace: String,
    /// Group of interface-level services.
    pub(super) group: String,
    /// Groups in which instances of applications may be: that group, and the default one of 3.0.
    pub(super) groups: Vec<String>,
    /// Namespaces in which rules may be: the one that is read first.
    pub(super) config_namespaces: Vec<String>,
    /// The first of them is only the registry's group: seldom is there such a namespace.
    pub(super) rules_follow_group: bool,
}

impl Place {
    /// The place that follows from an address (`NacosRegistry`, `NacosNamingServiceUtils`,
    /// `registryAsConfigCenter`).
    pub(super) fn of(registry: &RegistryAddress, question: &Question) -> Self {
        let namespace = canonical(registry.namespace.as_deref().unwrap_or_default()).to_owned();
        let group = registry.group.as_ref().map(|(group, _)| group.clone());
        let honours_group = question
            .consumer
            .dubbo
            .as_ref()
            .is_none_or(|version| version.at_least([2, 7, 7]));
        let own_group = group
            .clone()
            .filter(|_| honours_group)
            .unwrap_or_else(|| DEFAULT_GROUP.to_owned());
        let mut groups = vec![own_group.clone()];
        if own_group != DEFAULT_GROUP {
            groups.push(DEFAULT_GROUP.to_owned());
        }
        let config_namespaces = config_namespaces(registry, question, &namespace);
        Self {
            rules_follow_group: config_namespaces.first() != Some(&namespace)
                && question.config_center.is_none(),
            config_namespaces,
            namespace,
            group: own_group,
            groups,
        }
    }

    /// `namespace/group` as reports write it.
    pub(super) fn shown(&self) -> String {
        shown(&self.namespace, &self.group)
    }

    /// The namespace as reports write it.
    pub(super) fn shown_namespace(&self) -> &str {
        if self.namespace.is_empty() {
            "public"
        } else {
            &self.namespace
        }
    }
}

/// `namespace/group` as reports write it.
pub(super) fn shown(namespace: &str, group: &str) -> String {
    let namespace = if namespace.is_empty() {
        "public"
    } else {
        namespace
    };
    format!("{namespace}/{group}")
}

/// DG2003: the id is no namespace's, and nobody registers there all the same (servers let them). Often the name was
/// taken for the id.
pub(super) fn unknown(server: Server<'_>, place: &Place) -> Option<Raised> {
    if place.namespace.is_empty() {
        return None;
    }
    let Seen::Here(namespaces, line) = server.namespaces() else {
        return None;
    };
    if namespaces.iter().any(|(id, _)| *id == place.namespace) {
        return None;
    }
    let is_used = match server.names(&place.namespace, None) {
        Seen::Here(names, _) => !names.is_empty(),
        Seen::Absent(_) => false,
        _ => {
            let own = server.names(&place.namespace, Some(&place.group));
            !matches!(own, Seen::Absent(_)) && !own.here().is_some_and(|names| names.is_empty())
        }
    };
    if is_used {
        return None;
    }
    let mut evidence = vec![server.evidence(line, Say::NamespacesListed)];
    let meant = namespaces
        .iter()
        .find(|(_, name)| *name == place.namespace)
        .map(|(id, _)| id.as_str());
    if let Some(id) = meant {
        evidence.push(
            server.evidence(
                line,
                Phrase::new(Say::NamespaceNamed)
                    .with("name", &*place.namespace)
                    .with("id", if id.is_empty() { "public" } else { id }),
            ),
        );
    }
    let mut params = Map::new();
    params.insert("wanted".into(), Value::from(place.namespace.as_str()));
    params.insert("id".into(), Value::from(meant));
    Some(Raised {
        code: Code::NamespaceUnknown,
        params,
        subject: ("namespace".to_owned(), place.namespace.clone()),
        evidence,
    })
}

/// Rules are read in the registry's namespace; without one in the address, the registry's group becomes the namespace
/// when it is given as an attribute. The other one is looked at, too: a rule there is one that is not delivered.
fn config_namespaces(
    registry: &RegistryAddress,
    question: &Question,
    namespace: &str,
) -> Vec<String> {
    let mut namespaces = Vec::new();
    if let Some(center) = question
        .config_center
        .as_ref()
        .filter(|center| center.kind == RegistryKind::Nacos)
    {
        namespaces.push(canonical(center.namespace.as_deref().unwrap_or_default()).to_owned());
    }
    if registry.namespace.is_none()
        && let Some((group, GroupOrigin::Attribute)) = &registry.group
    {
        namespaces.push(group.clone());
    }
    namespaces.push(namespace.to_owned());
    let mut seen = std::collections::BTreeSet::new();
    namespaces.retain(|namespace| seen.insert(namespace.clone()));
    namespaces
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::{service_key::ServiceKey, version::DubboVersion};

    fn place(text: &str, version: &str) -> Place {
        let mut question = Question::new(ServiceKey::new(None, "a.B", None), Timestamp::UNIX_EPOCH);
        question.consumer.dubbo = DubboVersion::parse(version).ok();
        Place::of(&RegistryAddress::parse(text).unwrap(), &question)
    }

    #[test]
    fn the_group_counts_from_2_7_7_on() {
        let text = "nacos://h:8848?namespace=prod&group=G";
        assert_eq!(place(text, "2.7.8").shown(), "prod/G");
        assert_eq!(place(text, "2.7.6").shown(), "prod/DEFAULT_GROUP");
        assert_eq!(
            place("nacos://h:8848?namespace=public", "3.3").shown(),
            "public/DEFAULT_GROUP"
        );
        assert_eq!(place(text, "3.3").config_namespaces, ["prod"]);
    }
}
