//! Instances in clusters other than the one that Dubbo uses: the console's lists show one cluster at a time, so each is
//! asked for, and nothing that is there stays unseen.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    server::{Reply, Request, Server},
    starting,
    verbs::{Ran, diag, without_times},
};

/// Cluster, address, enabled, healthy.
type Instance = (&'static str, &'static str, bool, bool);

/// Services with their instances, as one generation of server shows them.
struct Fleet {
    /// `1.4.8`, `2.5.1`, `3.0.3`.
    version: &'static str,
    services: BTreeMap<&'static str, Vec<Instance>>,
    /// A cluster whose list is refused.
    refused: Option<&'static str>,
}

fn metadata(service: &str) -> Value {
    let Some(interface) = service.strip_prefix("providers:") else {
        return json!({"dubbo.metadata.revision": "ab12", "dubbo.metadata.storage-type": "remote",
            "dubbo.endpoints": r#"[{"port":20880,"protocol":"dubbo"}]"#});
    };
    let interface = interface.split(':').next().unwrap();
    json!({"protocol": "dubbo", "path": interface, "interface": interface, "version": "1.0",
        "category": "providers", "side": "provider", "application": "order"})
}

fn host(service: &str, (cluster, ip, enabled, healthy): Instance) -> Value {
    json!({"instanceId": format!("{ip}#20880#{cluster}#DEFAULT_GROUP@@{service}"), "ip": ip, "port": 20880, "weight": 1.0,
        "healthy": healthy, "enabled": enabled, "ephemeral": true, "clusterName": cluster,
        "metadata": metadata(service)})
}

impl Fleet {
    fn new(version: &'static str, services: &[(&'static str, &[Instance])]) -> Self {
        let services = services.iter().map(|(name, list)| (*name, list.to_vec()));
        Self {
            version,
            services: services.collect(),
            refused: None,
        }
    }

    fn start(self) -> Server {
        Server::start(move |request| self.reply(request))
    }

    fn clusters(&self, service: &str) -> Vec<&'static str> {
        let list = self.services.get(service).into_iter().flatten();
        let mut names: Vec<_> = list.map(|instance| instance.0).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn gone(&self, what: &str) -> Reply {
        match &self.version[..1] {
            "1" => Reply::new(500, "text/plain", format!("caused: {what} is not found!;")),
            "2" => Reply::new(404, "text/plain", format!("{what} is not found!")),
            _ => Reply::new(
                404,
                "application/json",
                json!({"code": 30000, "message": "server error", "data": format!("{what} is not found!")})
                    .to_string(),
            ),
        }
    }

    fn reply(&self, request: &Request) -> Reply {
        let third = self.version.starts_with('3');
        let param = |name: &str| request.param(name).unwrap_or_default();
        let service = param("serviceName");
        let found = |value: Value| Reply::json(value.to_string());
        let data = |value: Value| {
            found(if third {
                json!({"code": 0, "message": "success", "data": value})
            } else {
                value
            })
        };
        let here = self.services.contains_key(service);
        match request.path.trim_start_matches("/nacos/") {
            "v3/admin/core/state" if third => data(json!({"version": self.version})),
            "v1/console/server/state" if !third => found(json!({"version": self.version})),
            "v3/admin/core/namespace/list" | "v1/console/namespaces" => found(
                json!({"code": 0, "data": [{"namespace": "", "namespaceShowName": "public"}]}),
            ),
            "v1/core/cluster/nodes" | "v3/admin/core/cluster/node/list" => {
                found(json!({"code": 0, "data": []}))
            }
            "v1/ns/service/list" => {
                let names: Vec<_> = self.services.keys().collect();
                found(json!({"count": names.len(), "doms": names}))
            }
            "v1/ns/catalog/services" | "v3/admin/ns/service/list" => {
                let rows: Vec<Value> = self
                    .services
                    .iter()
                    .map(|(name, list)| {
                        json!({"name": name, "groupName": "DEFAULT_GROUP", "ipCount": list.len(),
                            "clusterCount": self.clusters(name).len()})
                    })
                    .collect();
                if third {
                    data(json!({"totalCount": rows.len(), "pageItems": rows}))
                } else {
                    found(json!({"count": rows.len(), "serviceList": rows}))
                }
            }
            "v1/ns/instance/list" => {
                let list = self.services.get(service).into_iter().flatten();
                let mut shown: Vec<Instance> = list.filter(|one| one.2).copied().collect();
                // Nobody healthy is everybody healthy.
                if shown.iter().all(|one| !one.3) {
                    for one in &mut shown {
                        one.3 = true;
                    }
                }
                let hosts: Vec<Value> = shown.iter().map(|one| host(service, *one)).collect();
                found(json!({"hosts": hosts}))
            }
            "v1/ns/catalog/instances" | "v3/admin/ns/instance/list" => {
                let cluster = request.param("clusterName").unwrap_or("DEFAULT");
                if !here {
                    return self.gone(&format!("service DEFAULT_GROUP@@{service}"));
                }
                if self.refused == Some(cluster) {
                    return Reply::new(403, "text/plain", "authorization failed!");
                }
                if !self.clusters(service).contains(&cluster) {
                    return self.gone(&format!("cluster {cluster}"));
                }
                let list = self.services[service].iter().filter(|one| one.0 == cluster);
                let list: Vec<Value> = list.map(|one| host(service, *one)).collect();
                if third {
                    data(json!(list))
                } else {
                    found(json!({"count": list.len(), "list": list}))
                }
            }
            "v1/ns/service" if here => {
                let clusters = self.clusters(service);
                let clusters: Vec<_> = clusters.iter().map(|name| json!({"name": name})).collect();
                found(json!({"name": service, "protectThreshold": 0.0, "clusters": clusters}))
            }
            "v3/admin/ns/service" if here => {
                let clusters = self.clusters(service);
                let clusters: BTreeMap<_, _> =
                    clusters.iter().map(|name| (name, json!({}))).collect();
                data(
                    json!({"serviceName": service, "protectThreshold": 0.0, "clusterMap": clusters}),
                )
            }
            "v1/ns/service/subscribers" | "v3/admin/ns/service/subscribers" if third => {
                data(json!({"totalCount": 0, "pageItems": []}))
            }
            "v1/ns/service/subscribers" => found(json!({"count": 0, "subscribers": []})),
            "v1/cs/configs" if param("search").is_empty() => {
                match (param("dataId"), param("group")) {
                    ("com.acme.App", "mapping") => Reply::new(200, "text/plain", "shop"),
                    _ => Reply::new(404, "text/plain", "config data not exist"),
                }
            }
            "v1/cs/configs" | "v3/admin/cs/config/list" => {
                let is_it = "com.acme.App".contains(&param("dataId").replace('*', ""));
                let rows: Vec<Value> = ["com.acme.App"]
                    .iter()
                    .filter(|_| is_it)
                    .map(|id| json!({"dataId": id, "group": "mapping", "groupName": "mapping", "content": "shop"}))
                    .collect();
                data(json!({"totalCount": rows.len(), "pageItems": rows}))
            }
            _ => Reply::new(
                404,
                "application/json",
                r#"{"code":20004,"message":"service not found","data":null}"#,
            ),
        }
    }
}

fn run(home: &TempDir, address: &str, service: &str, more: &[&str]) -> Ran {
    let registry = format!("nacos://{address}");
    let args = [
        &["no-provider", service, "-o", "json"][..],
        &starting(&registry, "3.2.16", "127.0.0.1"),
        more,
    ];
    diag(home.path(), &args.concat())
}

/// The answer live, and the same from what was recorded, for the question alone and with everything.
fn asked(server: &Server, service: &str) -> Value {
    let home = TempDir::new().unwrap();
    let registry = format!("nacos://{}", server.address);
    let live = run(&home, &server.address, service, &[]);
    let scope: [&[&str]; 2] = [&["--all"], &[service]];
    for (scope, out) in scope.iter().zip(["all", "one"]) {
        let args = [
            "snapshot",
            "--registry",
            &registry,
            "--consumer-app",
            "web",
            "--out",
            out,
        ];
        let ran = diag(home.path(), &[&args[..], scope].concat());
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        let recorded = run(&home, &server.address, service, &["--snapshot", out]);
        assert_eq!(
            without_times(recorded.report()),
            without_times(live.report()),
            "{service} {out}"
        );
    }
    live.report()["reports"][0].clone()
}

/// The answer live.
fn live(server: &Server, service: &str) -> Value {
    let home = TempDir::new().unwrap();
    let ran = run(&home, &server.address, service, &[]);
    ran.report()["reports"][0].clone()
}

const MIX: &str = "providers:com.acme.Mix:1.0:";

#[test]
fn instances_of_all_clusters_are_seen() {
    for version in ["1.4.8", "2.5.1", "3.0.3"] {
        let fleet = [
            (
                MIX,
                &[
                    ("DEFAULT", "10.1.0.1", false, true),
                    ("BJ", "10.1.0.2", false, true),
                    ("BJ", "10.1.0.3", false, true),
                ][..],
            ),
            (
                "providers:com.acme.Only:1.0:",
                &[("BJ", "10.1.0.4", false, true)][..],
            ),
            (
                "providers:com.acme.Sick:1.0:",
                &[
                    ("DEFAULT", "10.1.0.5", false, true),
                    ("BJ", "10.1.0.6", true, false),
                ][..],
            ),
            (
                "providers:com.acme.Usual:1.0:",
                &[("DEFAULT", "10.1.0.7", true, true)][..],
            ),
            (
                "shop",
                &[
                    ("BJ", "10.1.0.8", false, true),
                    ("SH", "10.1.0.9", false, true),
                ][..],
            ),
        ];
        let server = Fleet::new(version, &fleet).start();

        let mix = asked(&server, "com.acme.Mix:1.0");
        let verdict = &mix["verdict"];
        assert_eq!(verdict["code"], "DG3001", "{version} {mix:#}");
        assert_eq!(verdict["certainty"], "certain", "{version} {mix:#}");
        assert_eq!(verdict["params"]["count"], 3, "{version} {mix:#}");
        assert_eq!(verdict["params"]["total"], 3, "{version} {mix:#}");

        let only = asked(&server, "com.acme.Only:1.0");
        assert_eq!(only["verdict"]["code"], "DG3001", "{version} {only:#}");
        assert_eq!(
            only["verdict"]["certainty"], "certain",
            "{version} {only:#}"
        );

        // One is disabled, and the one in the other cluster is dead, which only that cluster's list tells.
        let sick = live(&server, "com.acme.Sick:1.0");
        assert_eq!(sick["outcome"], "reachable", "{version} {sick:#}");
        let codes: Vec<&str> = sick["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|finding| finding["code"].as_str())
            .collect();
        assert!(codes.contains(&"DG3002"), "{version} {codes:?}");

        let app = asked(&server, "com.acme.App:1.0");
        assert_eq!(app["verdict"]["code"], "DG3001", "{version} {app:#}");

        // Who has everything where Dubbo puts it costs no further request.
        let before = server.requests().len();
        assert_eq!(asked(&server, "com.acme.Usual:1.0")["outcome"], "reachable");
        let of_usual = server.requests().split_off(before);
        let more = of_usual.iter().filter(|request| {
            request.param("serviceName") == Some("providers:com.acme.Usual:1.0:")
                && request
                    .param("clusterName")
                    .is_some_and(|name| name != "DEFAULT")
        });
        assert_eq!(more.count(), 0, "{version}");
    }
}

#[test]
fn a_cluster_that_is_not_shown_is_not_taken_for_empty() {
    for version in ["2.5.1", "3.0.3"] {
        let instances = [
            ("DEFAULT", "10.1.0.1", false, true),
            ("BJ", "10.1.0.2", false, true),
        ];
        let mut fleet = Fleet::new(version, &[(MIX, &instances)]);
        fleet.refused = Some("BJ");
        let answer = live(&fleet.start(), "com.acme.Mix:1.0");
        assert_eq!(answer["outcome"], "none", "{version} {answer:#}");
        assert_eq!(answer["verdict"]["code"], "DG3001", "{version} {answer:#}");

        let only = [("BJ", "10.1.0.2", false, true)];
        let mut fleet = Fleet::new(version, &[(MIX, &only)]);
        fleet.refused = Some("BJ");
        let answer = live(&fleet.start(), "com.acme.Mix:1.0");
        assert_eq!(answer["outcome"], "unknown", "{version} {answer:#}");
        let candidates = answer["candidates"].to_string();
        for code in ["DG3001", "DG2105"] {
            assert!(candidates.contains(code), "{version} {candidates}");
        }
    }
}

#[test]
fn the_number_of_clusters_that_are_asked_for_has_an_end() {
    const NAMES: [&str; 30] = [
        "c00", "c01", "c02", "c03", "c04", "c05", "c06", "c07", "c08", "c09", "c10", "c11", "c12",
        "c13", "c14", "c15", "c16", "c17", "c18", "c19", "c20", "c21", "c22", "c23", "c24", "c25",
        "c26", "c27", "c28", "c29",
    ];
    let instances: Vec<Instance> = NAMES
        .iter()
        .map(|name| (*name, "10.1.0.1", false, true))
        .collect();
    let server = Fleet::new("2.5.1", &[(MIX, &instances)]).start();
    let home = TempDir::new().unwrap();
    let ran = run(&home, &server.address, "com.acme.Mix:1.0", &[]);
    let asked: Vec<String> = server
        .requests()
        .iter()
        .filter(|request| request.param("serviceName") == Some(MIX))
        .filter_map(|request| request.param("clusterName").map(str::to_owned))
        .collect();
    assert_eq!(asked.len(), 1 + 20, "{asked:?}");
    // What is in the others was only counted.
    let answer = &ran.report()["reports"][0];
    assert_eq!(answer["verdict"]["code"], "DG3001", "{answer:#}");
}
