//! Where in ZooKeeper a consumer looks: the paths, built as Dubbo builds them. No reading here.

use crate::{
    model::url::encode,
    question::{RegistryAddress, RegistryKind},
};

/// Root of instances unless something else is configured (`CuratorFrameworkParams.ROOT_PATH`).
pub(crate) const SERVICES: &str = "/services";

/// The paths of one registry address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// Prefix of every path: the chroot behind the last backup, else empty.
    pub(crate) chroot: String,
    /// Root of the interface tree, `/dubbo` or `/` and the registry group (`ZookeeperRegistry` constructor).
    pub(crate) root: String,
    /// Roots under which rules may be read: the group moves it only when it is an attribute, so both are looked at.
    pub(crate) config_roots: Vec<String>,
    /// Roots under which instances of applications may be (`CuratorFrameworkUtils.getRootPath`).
    pub(crate) instance_roots: Vec<String>,
}

impl Place {
    /// The paths that follow from an address, and from the config centre when it is given apart.
    pub(crate) fn of(registry: &RegistryAddress, config_center: Option<&RegistryAddress>) -> Self {
        let chroot = match &registry.path {
            Some(path) if registry.members.len() > 1 => {
                format!("/{}", path.trim_matches('/'))
            }
            _ => String::new(),
        };
        let group = registry.group.as_ref().map(|(group, _)| group.as_str());
        let root = format!("{chroot}{}", rooted(group.unwrap_or("dubbo")));
        let mut config_roots = vec![format!("{chroot}/dubbo/config"), format!("{root}/config")];
        if let Some(center) = config_center.filter(|center| center.kind == RegistryKind::Zookeeper)
        {
            let namespace = center.namespace.as_deref().unwrap_or("dubbo");
            config_roots.push(format!("{chroot}{}/config", rooted(namespace)));
            config_roots.push(config_root(&chroot, center));
        }
        let mut instance_roots = vec![format!("{chroot}{SERVICES}")];
        if group.is_some() {
            instance_roots.push(root.clone());
        }
        for name in ["rootPath", "root-path"] {
            if let Some(path) = registry.params.get(name) {
                instance_roots.push(format!("{chroot}{}", rooted(path)));
            }
        }
        dedup(&mut config_roots);
        dedup(&mut instance_roots);
        Self {
            chroot,
            root,
            config_roots,
            instance_roots,
        }
    }

    /// Directory of an interface (`ZookeeperRegistry.toServicePath`).
    pub(crate) fn service(&self, interface: &str) -> String {
        service_under(&self.root, interface)
    }

    /// Directory of a category of an interface.
    pub(crate) fn category(&self, interface: &str, category: &str) -> String {
        format!("{}/{category}", self.service(interface))
    }

    /// Nodes in which the applications of an interface may be written: metadata report (3.x), config centre (2.7).
    pub(crate) fn mappings(&self, interface: &str) -> Vec<String> {
        let mut paths = vec![format!("{}/mapping/{interface}", self.root)];
        paths.extend(
            self.config_roots
                .iter()
                .map(|root| format!("{root}/mapping/{interface}")),
        );
        dedup(&mut paths);
        paths
    }
}

/// Root of the rules of a config centre that is given apart.
pub(super) fn config_root(chroot: &str, center: &RegistryAddress) -> String {
    let group = center.group.as_ref().map(|(group, _)| group.as_str());
    let name = group.or(center.namespace.as_deref()).unwrap_or("dubbo");
    format!("{chroot}{}/config", rooted(name))
}

/// `/` and a group; a leading slash is kept as it is.
fn rooted(group: &str) -> String {
    let group = group.trim_end_matches('/');
    if group.starts_with('/') {
        group.to_owned()
    } else {
        format!("/{group}")
    }
}

/// Directory of an interface under any root.
pub(crate) fn service_under(root: &str, interface: &str) -> String {
    format!("{root}/{}", encode(interface))
}

fn dedup(paths: &mut Vec<String>) {
    let mut seen = std::collections::BTreeSet::new();
    paths.retain(|path| seen.insert(path.clone()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Place {
        Place::of(&RegistryAddress::parse(text).unwrap(), None)
    }

    #[test]
    fn the_group_moves_the_tree_and_perhaps_the_rules() {
        let plain = place("zookeeper://h:2181");
        assert_eq!(plain.root, "/dubbo");
        assert_eq!(plain.config_roots, ["/dubbo/config"]);
        assert_eq!(plain.instance_roots, ["/services"]);
        let group = place("zookeeper://h:2181?group=site-b");
        assert_eq!(group.root, "/site-b");
        assert_eq!(group.config_roots, ["/dubbo/config", "/site-b/config"]);
        assert_eq!(group.instance_roots, ["/services", "/site-b"]);
        assert_eq!(place("zookeeper://h:2181?group=/a/b").root, "/a/b");
    }

    #[test]
    fn names_are_encoded_as_java_does() {
        assert_eq!(
            place("zookeeper://h:2181").service("com.x.Outer$Inner"),
            "/dubbo/com.x.Outer%24Inner"
        );
    }
}
