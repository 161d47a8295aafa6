//! From a key to the request that has it answered: path and query, nothing that a server would remember.
//!
//! `udpPort` and `clientIP` would subscribe us and are never sent, as little as headers that claim to be another host.

use std::fmt::Write as _;

use serde_json::Value;

use super::generation::{Api, Dialect};
use crate::snapshot::{Key, Line};

/// One GET.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// Path below the context path, with the query.
    pub(super) target: String,
    /// Fields of the line besides those of the key: `page`, `page_size`, `cluster`, `healthy_only`, `search`.
    fields: Vec<(&'static str, Value)>,
    api: &'static str,
}

/// The cluster of which the console's list is asked first: Dubbo registers no other.
pub(super) const CLUSTER: &str = "DEFAULT";

impl Request {
    /// The request for a page (from 1) of what `api` says about `key`.
    pub(super) fn new(api: Api, key: &Key, page: u32) -> Self {
        Self::in_cluster(api, key, None, page)
    }

    /// The same for another cluster than the one that Dubbo uses. Both generations list one cluster at a time
    /// (`CatalogServiceV2Impl.listInstances`).
    pub(super) fn in_cluster(api: Api, key: &Key, cluster: Option<&str>, page: u32) -> Self {
        let mut query = Query(String::new());
        let mut fields: Vec<(&'static str, Value)> = Vec::new();
        query.key(api, key);
        match (key, api.path) {
            (Key::NacosInstances { .. }, _) => {
                // r-nacos leaves unhealthy instances out unless told not to.
                query.add("healthyOnly", "false");
                fields.push(("healthy_only", Value::from(false)));
            }
            (Key::NacosCatalog { .. }, path) => {
                // 3.x takes this one where none is named.
                let named = (path == "v1/ns/catalog/instances").then_some(CLUSTER);
                if let Some(cluster) = cluster.or(named) {
                    query.add("clusterName", cluster);
                    fields.push(("cluster", Value::from(cluster)));
                }
            }
            (Key::NacosServices { group: None, .. }, path) => {
                if path == "v1/ns/catalog/services" {
                    query.add("hasIpCount", "false");
                } else {
                    query.add("ignoreEmptyService", "false");
                }
                query.add("withInstances", "false");
            }
            (Key::NacosConfigSearch { .. }, _) => {
                query.add("search", "blur");
                fields.push(("search", Value::from("blur")));
            }
            _ => {}
        }
        if let Some(size) = api.page_size {
            query.add("pageNo", &page.to_string());
            query.add("pageSize", &size.to_string());
            fields.push(("page", Value::from(page)));
            fields.push(("page_size", Value::from(size)));
        }
        let separator = if query.0.is_empty() { "" } else { "?" };
        Self {
            target: format!("{}{separator}{}", api.path, query.0),
            fields,
            api: api.path,
        }
    }

    /// The API as the format names it.
    pub(super) fn api(&self) -> &'static str {
        self.api
    }

    /// A line that answers the request.
    pub(super) fn line(&self, mut line: Line) -> Line {
        line = line.with("api", self.api);
        for (name, value) in &self.fields {
            line = line.with(name, value.clone());
        }
        line
    }
}

struct Query(String);

impl Query {
    fn key(&mut self, api: Api, key: &Key) {
        let place = |namespace: &str| match namespace {
            "" => api.dialect.public().to_owned(),
            other => other.to_owned(),
        };
        let (namespace_name, group_name) = match api.dialect {
            Dialect::Naming => ("namespaceId", "groupName"),
            Dialect::Config => ("tenant", "group"),
        };
        match key {
            Key::NacosServices { namespace, group } => {
                self.add(namespace_name, &place(namespace));
                if let Some(group) = group {
                    self.add(group_name, group);
                }
            }
            Key::NacosInstances {
                namespace,
                group,
                service,
            }
            | Key::NacosCatalog {
                namespace,
                group,
                service,
            }
            | Key::NacosService {
                namespace,
                group,
                service,
            }
            | Key::NacosSubscribers {
                namespace,
                group,
                service,
            } => {
                self.add("serviceName", service);
                self.add(group_name, group);
                self.add(namespace_name, &place(namespace));
            }
            Key::NacosConfig {
                namespace,
                group,
                data_id,
            } => {
                self.add("dataId", data_id);
                self.add(group_name, group);
                self.add(namespace_name, &place(namespace));
            }
            Key::NacosConfigSearch {
                namespace,
                group,
                data_id,
            } => {
                // Without a data id all of them list everything.
                let any = |pattern: &str| match pattern {
                    "*" => String::new(),
                    pattern if api.wildcards => pattern.to_owned(),
                    pattern => pattern.replace('*', ""),
                };
                self.add("dataId", &any(data_id));
                self.add(group_name, &any(group));
                self.add(namespace_name, &place(namespace));
            }
            Key::NacosListeners {
                namespace,
                group,
                data_id,
                ip,
            } => {
                for (name, value) in [("dataId", data_id), (group_name, group), ("ip", ip)] {
                    if let Some(value) = value {
                        self.add(name, value);
                    }
                }
                if let Some(namespace) = namespace {
                    self.add(namespace_name, &place(namespace));
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, name: &str, value: &str) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        self.0.push_str(name);
        self.0.push('=');
        encode(value, &mut self.0);
    }
}

/// Percent-encodes everything but letters, digits and `-._~`.
pub(super) fn encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::generation::Generation, *};
    use crate::snapshot::Payload;

    fn targets(generation: Generation, key: &Key) -> Vec<String> {
        generation
            .apis(key)
            .iter()
            .map(|api| Request::new(*api, key, 1).target)
            .collect()
    }

    #[test]
    fn every_generation_is_asked_in_its_own_words() {
        let instances = Key::nacos_instances("", "DEFAULT_GROUP", "providers:a.B:1.0:");
        let one = "v1/ns/instance/list?serviceName=providers%3Aa.B%3A1.0%3A&groupName=DEFAULT_GROUP&namespaceId=public&healthyOnly=false";
        assert_eq!(targets(Generation::V1, &instances), [one]);
        assert_eq!(targets(Generation::Rnacos, &instances), [one]);
        assert_eq!(targets(Generation::V3, &instances).len(), 2);

        let rules = Key::nacos_config("", "dubbo", "a.B::.condition-router");
        assert_eq!(
            targets(Generation::V2, &rules),
            ["v1/cs/configs?dataId=a.B%3A%3A.condition-router&group=dubbo&tenant="]
        );
        let search = Key::NacosConfigSearch {
            namespace: "prod".into(),
            group: String::new(),
            data_id: "*".into(),
        };
        assert_eq!(
            targets(Generation::V2, &search),
            ["v1/cs/configs?dataId=&group=&tenant=prod&search=blur&pageNo=1&pageSize=100"]
        );
        assert_eq!(
            targets(Generation::V3, &search),
            [
                "v3/admin/cs/config/list?dataId=&groupName=&namespaceId=prod&search=blur&pageNo=1&pageSize=100"
            ]
        );
    }

    #[test]
    fn the_clusters_of_a_service_are_listed_one_by_one() {
        let key = Key::NacosCatalog {
            namespace: String::new(),
            group: "g".into(),
            service: "s".into(),
        };
        let target = |generation: Generation, cluster| {
            let request = Request::in_cluster(generation.apis(&key)[0], &key, cluster, 1);
            let line = request.line(Line::new(key.clone(), Payload::Text("{}".into())));
            (request.target, line.extra.get("cluster").cloned())
        };
        let place = "serviceName=s&groupName=g&namespaceId=public";
        assert_eq!(
            target(Generation::V2, Some("BJ")),
            (
                format!("v1/ns/catalog/instances?{place}&clusterName=BJ&pageNo=1&pageSize=500"),
                Some("BJ".into())
            )
        );
        assert_eq!(
            target(Generation::V3, Some("BJ")),
            (
                format!("v3/admin/ns/instance/list?{place}&clusterName=BJ"),
                Some("BJ".into())
            )
        );
        assert_eq!(
            target(Generation::V3, None),
            (format!("v3/admin/ns/instance/list?{place}"), None)
        );
    }

    #[test]
    fn a_part_of_a_name_is_searched_in_each_ones_way() {
        let search = Key::NacosConfigSearch {
            namespace: String::new(),
            group: String::new(),
            data_id: "*a.B*".into(),
        };
        assert!(targets(Generation::V1, &search)[0].contains("dataId=%2Aa.B%2A&"));
        assert!(targets(Generation::V3, &search)[0].contains("dataId=%2Aa.B%2A&"));
        assert!(targets(Generation::Rnacos, &search)[0].contains("dataId=a.B&"));
    }

    #[test]
    fn lines_have_the_fields_of_the_format() {
        let key = Key::NacosServices {
            namespace: "prod".into(),
            group: None,
        };
        let api = Generation::V2.apis(&key)[0];
        let request = Request::new(api, &key, 3);
        let line = request.line(Line::new(key, Payload::Text("{}".into())));
        assert_eq!(
            serde_json::to_string(&line).unwrap(),
            r#"{"op":"nacos.services","api":"v1/ns/catalog/services","namespace":"prod","page":3,"page_size":500,"text":"{}"}"#
        );
    }

    #[test]
    fn nothing_that_subscribes_is_ever_sent() {
        let text = [
            Generation::V1,
            Generation::V2,
            Generation::V3,
            Generation::Rnacos,
        ]
        .into_iter()
        .flat_map(|generation| targets(generation, &Key::nacos_instances("n", "g", "s")))
        .collect::<String>()
        .to_ascii_lowercase();
        for word in ["udpport", "clientip", "token", "password"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
    }
}
