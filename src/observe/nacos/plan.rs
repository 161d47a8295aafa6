//! What would be sent, in words (`--dry-run`). No secret is among them.

use std::collections::BTreeSet;

use super::{Http, Request, beside, generation::Generation};
use crate::snapshot::Key;

/// What is known before anything is asked.
pub(super) struct Plan<'a> {
    pub(super) addresses: &'a [String],
    pub(super) http: &'a Http,
    pub(super) login: bool,
    /// The generation, once the server has told it.
    pub(super) known: Option<Generation>,
}

impl Plan<'_> {
    /// The requests for these keys, in order. Before the generation is known, those of each generation.
    pub(super) fn lines(&self, keys: &BTreeSet<Key>) -> Vec<String> {
        let mut lines = Vec::new();
        if keys.is_empty() {
            return lines;
        }
        if self.known.is_none() {
            for member in self.addresses {
                lines.push(format!("nacos {member}: TCP connect"));
                for probe in [
                    "v3/admin/core/state",
                    "v1/console/server/state",
                    "v1/ns/operator/metrics",
                ] {
                    let path = self.http.path(probe);
                    lines.push(format!(
                        "nacos {member}: GET {path} (until one tells the generation)"
                    ));
                }
                if self.login {
                    let path = self.http.path("v1/auth/login");
                    let third = self.http.path("v3/auth/user/login");
                    lines.push(format!("nacos {member}: POST {path} (login; 3.x: {third})"));
                }
                if let Some(grpc) = beside(member) {
                    lines.push(format!("nacos {grpc}: TCP connect (not 1.x)"));
                }
            }
        }
        for key in keys {
            lines.extend(self.requests(key, None));
        }
        lines
    }

    /// Requests for names that only answers tell, written in braces: each stands for any number of requests. `all` =
    /// everything of Dubbo's is read.
    pub(super) fn further(&self, all: bool) -> Vec<String> {
        let name = |name: &str| format!("{{{name}}}");
        let (namespace, group, service) = (name("namespace"), name("group"), name("service"));
        let mut keys = vec![
            Key::NacosServices {
                namespace: namespace.clone(),
                group: None,
            },
            Key::NacosServices {
                namespace: namespace.clone(),
                group: Some(group.clone()),
            },
            Key::NacosConfigSearch {
                namespace: namespace.clone(),
                group: String::new(),
                data_id: "*".to_owned(),
            },
            Key::nacos_instances(&namespace, &group, &service),
            Key::NacosCatalog {
                namespace: namespace.clone(),
                group: group.clone(),
                service: service.clone(),
            },
            Key::NacosService {
                namespace: namespace.clone(),
                group: group.clone(),
                service: service.clone(),
            },
            Key::NacosSubscribers {
                namespace: namespace.clone(),
                group: group.clone(),
                service,
            },
            Key::nacos_config(&namespace, &group, name("data id")),
        ];
        if all {
            let first = [Key::NacosNamespaces, Key::NacosNodes];
            keys.splice(0..0, first);
        }
        let clusters = Key::NacosCatalog {
            namespace,
            group,
            service: name("service"),
        };
        let lines = keys
            .iter()
            .flat_map(|key| self.requests(key, None))
            .chain(self.requests(&clusters, Some("{cluster}")));
        lines
            .map(|line| {
                line.replace("%7B", "{")
                    .replace("%7D", "}")
                    .replace("{data%20id}", "{data id}")
            })
            .collect()
    }

    /// The requests for one key. Before the generation is known, those of each generation.
    fn requests(&self, key: &Key, cluster: Option<&str>) -> Vec<String> {
        let mut lines = Vec::new();
        let mut said: Vec<String> = Vec::new();
        let all = self.addresses.join(", ");
        let generations = match self.known {
            Some(known) => vec![known],
            None => vec![Generation::V2, Generation::V3],
        };
        let identity = if self.http.has_identity() {
            ", identity header"
        } else {
            ""
        };
        for generation in &generations {
            for (place, api) in generation.apis(key).iter().enumerate() {
                let path = self
                    .http
                    .path(&Request::in_cluster(*api, key, cluster, 1).target);
                if said.contains(&path) {
                    continue;
                }
                let third = *generation == Generation::V3 && self.known.is_none();
                let only = match (third, place) {
                    (true, 0) => " (3.x)",
                    (true, _) => " (3.x, when it does not have the one before)",
                    (false, 0) => "",
                    (false, _) => " (when the server does not have the one before)",
                };
                let pages = if api.page_size.is_some() {
                    " and further pages"
                } else {
                    ""
                };
                lines.push(format!("nacos {all}: GET {path}{only}{pages}{identity}"));
                said.push(path);
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::RegistryAddress;

    #[test]
    fn every_request_is_named_and_no_secret_is() {
        let address = RegistryAddress::parse(
            "nacos://app:s3cret@a:8848?identity-key=lab&identity-secret=hidden",
        )
        .unwrap();
        let http = Http::new(&address).unwrap();
        let plan = Plan {
            addresses: &["a:8848".to_owned()],
            http: &http,
            login: true,
            known: None,
        };
        let keys = BTreeSet::from([
            Key::NacosNamespaces,
            Key::nacos_instances("prod", "DEFAULT_GROUP", "providers:a.B::"),
        ]);
        let text = plan.lines(&keys).join("\n");
        assert_eq!(
            text,
            "nacos a:8848: TCP connect\n\
             nacos a:8848: GET /nacos/v3/admin/core/state (until one tells the generation)\n\
             nacos a:8848: GET /nacos/v1/console/server/state (until one tells the generation)\n\
             nacos a:8848: GET /nacos/v1/ns/operator/metrics (until one tells the generation)\n\
             nacos a:8848: POST /nacos/v1/auth/login (login; 3.x: /nacos/v3/auth/user/login)\n\
             nacos a:9848: TCP connect (not 1.x)\n\
             nacos a:8848: GET /nacos/v1/console/namespaces, identity header\n\
             nacos a:8848: GET /nacos/v3/admin/core/namespace/list (3.x), identity header\n\
             nacos a:8848: GET /nacos/v1/ns/instance/list?serviceName=providers%3Aa.B%3A%3A&groupName=DEFAULT_GROUP&namespaceId=prod&healthyOnly=false, identity header\n\
             nacos a:8848: GET /nacos/v3/client/ns/instance/list?serviceName=providers%3Aa.B%3A%3A&groupName=DEFAULT_GROUP&namespaceId=prod&healthyOnly=false (3.x, when it does not have the one before), identity header"
        );
        assert!(plan.lines(&BTreeSet::new()).is_empty());
    }
}
