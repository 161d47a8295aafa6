//! The generations of servers that speak Nacos' API, and what each of them has. Differences stand here as data.

use crate::snapshot::Key;

/// Which family of servers answers. Patch versions behave alike in everything that is read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// Nacos 1.x: HTTP clients, no gRPC port.
    V1,
    /// Nacos 2.x.
    V2,
    /// Nacos 3.x: the admin API stands apart and wants a login of its own.
    V3,
    /// r-nacos: the v1 API of Nacos in part.
    Rnacos,
}

/// One way to ask for something: a path below the context path, as the `api` field of the format names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Api {
    /// Path without the context path (`v1/ns/instance/list`).
    pub(super) path: &'static str,
    /// Names of the query parameters.
    pub(super) dialect: Dialect,
    /// Entries of a page, where the answer has pages.
    pub(super) page_size: Option<u32>,
    /// Whether a search takes `*` for anything; r-nacos looks for the star itself, and finds parts of names without it.
    pub(super) wildcards: bool,
}

/// How parameters are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `namespaceId`, `groupName`: the naming module, and all of 3.x.
    Naming,
    /// `tenant`, `group`: the configuration module of 1.x and 2.x.
    Config,
}

const fn naming(path: &'static str) -> Api {
    Api {
        path,
        dialect: Dialect::Naming,
        page_size: None,
        wildcards: true,
    }
}

const fn config(path: &'static str) -> Api {
    Api {
        path,
        dialect: Dialect::Config,
        page_size: None,
        wildcards: true,
    }
}

const fn paged(api: Api, entries: u32) -> Api {
    Api {
        page_size: Some(entries),
        ..api
    }
}

const fn literal(api: Api) -> Api {
    Api {
        wildcards: false,
        ..api
    }
}

/// Entries of a page of names; servers have no upper limit (1,000 in one answer was seen).
const NAMES: u32 = 500;
/// Entries of a page of configurations: each holds a whole text.
const TEXTS: u32 = 100;

impl Dialect {
    /// What is sent for the public namespace. The configuration module wants it empty: 2.x has nothing under `public`
    /// there, while r-nacos' lists of services leave namespaces out of account when none is sent.
    pub(super) fn public(self) -> &'static str {
        match self {
            Self::Naming => "public",
            Self::Config => "",
        }
    }
}

impl Generation {
    /// The generation of a version as servers tell it (`2.5.1`).
    pub fn of_version(version: &str) -> Option<Self> {
        match version.split('.').next()? {
            "0" | "1" => Some(Self::V1),
            "2" => Some(Self::V2),
            major => (major.parse::<u32>().ok()? >= 3).then_some(Self::V3),
        }
    }

    /// As messages name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::V1 => "Nacos 1.x",
            Self::V2 => "Nacos 2.x",
            Self::V3 => "Nacos 3.x",
            Self::Rnacos => "r-nacos",
        }
    }

    /// Whether clients need the port + 1000 (gRPC).
    pub fn has_grpc(self) -> bool {
        self != Self::V1
    }

    /// The ways to sign in, best first (`HttpLoginProcessor` of nacos-client 3 tries them in this order).
    pub(super) fn logins(self) -> &'static [&'static str] {
        match self {
            Self::V3 => &["v3/auth/user/login", "v1/auth/login"],
            Self::V1 | Self::V2 | Self::Rnacos => &["v1/auth/login"],
        }
    }

    /// The ways to have `key` answered, best first; the next one counts only when the server does not have the one
    /// before. Empty: this generation cannot tell.
    pub(super) fn apis(self, key: &Key) -> &'static [Api] {
        const V1_SERVICES: [Api; 1] = [paged(naming("v1/ns/service/list"), NAMES)];
        const V1_CATALOG: [Api; 1] = [paged(naming("v1/ns/catalog/services"), NAMES)];
        const V3_CATALOG: [Api; 1] = [paged(naming("v3/admin/ns/service/list"), NAMES)];
        const V1_INSTANCES: [Api; 1] = [naming("v1/ns/instance/list")];
        const V3_INSTANCES: [Api; 2] = [
            naming("v1/ns/instance/list"),
            naming("v3/client/ns/instance/list"),
        ];
        const V1_ALL: [Api; 1] = [paged(naming("v1/ns/catalog/instances"), NAMES)];
        const V3_ALL: [Api; 1] = [naming("v3/admin/ns/instance/list")];
        const V1_SERVICE: [Api; 1] = [naming("v1/ns/service")];
        const V3_SERVICE: [Api; 1] = [naming("v3/admin/ns/service")];
        const V1_SUBSCRIBERS: [Api; 1] = [paged(naming("v1/ns/service/subscribers"), TEXTS)];
        const V3_SUBSCRIBERS: [Api; 1] = [paged(naming("v3/admin/ns/service/subscribers"), TEXTS)];
        const V1_CONFIG: [Api; 1] = [config("v1/cs/configs")];
        const V3_CONFIG: [Api; 2] = [config("v1/cs/configs"), naming("v3/client/cs/config")];
        const V1_SEARCH: [Api; 1] = [paged(config("v1/cs/configs"), TEXTS)];
        const RNACOS_SEARCH: [Api; 1] = [literal(paged(config("v1/cs/configs"), TEXTS))];
        const V3_SEARCH: [Api; 1] = [paged(naming("v3/admin/cs/config/list"), TEXTS)];
        const V1_LISTENERS: [Api; 1] = [config("v1/cs/configs/listener")];
        const V3_LISTENERS: [Api; 1] = [naming("v3/admin/cs/config/listener")];
        const V1_LISTENER: [Api; 1] = [config("v1/cs/listener")];
        const V3_LISTENER: [Api; 1] = [naming("v3/admin/cs/listener")];
        const V1_NAMESPACES: [Api; 1] = [naming("v1/console/namespaces")];
        const V3_NAMESPACES: [Api; 1] = [naming("v3/admin/core/namespace/list")];
        const V1_NODES: [Api; 1] = [naming("v1/core/cluster/nodes")];
        const V3_NODES: [Api; 1] = [naming("v3/admin/core/cluster/node/list")];

        let third = self == Self::V3;
        let pick = |old: &'static [Api], new: &'static [Api]| if third { new } else { old };
        match key {
            Key::NacosNamespaces => pick(&V1_NAMESPACES, &V3_NAMESPACES),
            // r-nacos answers 404 or 405 without a body.
            Key::NacosNodes | Key::NacosListeners { .. } if self == Self::Rnacos => &[],
            Key::NacosNodes => pick(&V1_NODES, &V3_NODES),
            Key::NacosServices { group: None, .. } => pick(&V1_CATALOG, &V3_CATALOG),
            Key::NacosServices { group: Some(_), .. } => &V1_SERVICES,
            Key::NacosInstances { .. } => pick(&V1_INSTANCES, &V3_INSTANCES),
            Key::NacosCatalog { .. } => pick(&V1_ALL, &V3_ALL),
            Key::NacosService { .. } => pick(&V1_SERVICE, &V3_SERVICE),
            Key::NacosSubscribers { .. } => pick(&V1_SUBSCRIBERS, &V3_SUBSCRIBERS),
            Key::NacosConfig { .. } => pick(&V1_CONFIG, &V3_CONFIG),
            Key::NacosConfigSearch { .. } if self == Self::Rnacos => &RNACOS_SEARCH,
            Key::NacosConfigSearch { .. } => pick(&V1_SEARCH, &V3_SEARCH),
            Key::NacosListeners { data_id: None, .. } => pick(&V1_LISTENER, &V3_LISTENER),
            Key::NacosListeners { .. } => pick(&V1_LISTENERS, &V3_LISTENERS),
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_a_generation() {
        for (version, generation) in [
            ("1.4.8", Some(Generation::V1)),
            ("2.5.1", Some(Generation::V2)),
            ("3.0.3", Some(Generation::V3)),
            ("4.0.0", Some(Generation::V3)),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(Generation::of_version(version), generation, "{version}");
        }
    }

    #[test]
    fn only_reads_are_known() {
        let service = ("ns".to_owned(), "g".to_owned(), "s".to_owned());
        let (namespace, group, name) = service;
        let keys = [
            Key::NacosNamespaces,
            Key::NacosNodes,
            Key::nacos_instances(&namespace, &group, &name),
            Key::NacosSubscribers {
                namespace,
                group,
                service: name,
            },
        ];
        for generation in [Generation::V1, Generation::V2, Generation::V3] {
            for key in &keys {
                let apis = generation.apis(key);
                assert!(!apis.is_empty(), "{generation:?} {key}");
                assert!(
                    generation == Generation::V3
                        || apis.iter().all(|api| api.path.starts_with("v1/")),
                    "{generation:?} {key}"
                );
            }
        }
        assert!(Generation::Rnacos.apis(&Key::NacosNodes).is_empty());
    }
}
