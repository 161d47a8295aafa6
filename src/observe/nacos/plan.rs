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
        for key in keys {
            let mut said: Vec<String> = Vec::new();
            for generation in &generations {
                let Some(api) = generation.apis(key).first() else {
                    continue;
                };
                let path = self.http.path(&Request::new(*api, key, 1).target);
                if said.contains(&path) {
                    continue;
                }
                let only = match (generation, self.known) {
                    (Generation::V3, None) => " (3.x)",
                    _ => "",
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
             nacos a:8848: GET /nacos/v1/ns/instance/list?serviceName=providers%3Aa.B%3A%3A&groupName=DEFAULT_GROUP&namespaceId=prod&healthyOnly=false, identity header"
        );
        assert!(plan.lines(&BTreeSet::new()).is_empty());
    }
}
