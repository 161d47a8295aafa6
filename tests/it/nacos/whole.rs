//! Everything that is recorded at once answers as the server itself does, also where the application model decides.

use serde_json::json;
use tempfile::TempDir;

use super::{
    server::{Reply, Server},
    verbs::{diag, without_times},
};

/// A 3.x: its lists name configurations without their texts, and a revision is any word.
fn third() -> Server {
    Server::start(|request| {
        let param = |name: &str| request.param(name).unwrap_or_default();
        let listed = |rows: serde_json::Value| {
            let count = rows.as_array().unwrap().len();
            json!({"code": 0, "data": {"totalCount": count, "pageItems": rows}})
        };
        let value = match request.path.trim_start_matches("/nacos/") {
            "v3/admin/core/state" => json!({"code": 0, "data": {"version": "3.0.3"}}),
            "v3/admin/core/namespace/list" => {
                json!({"code": 0, "data": [{"namespace": "public", "namespaceShowName": "public"}]})
            }
            "v3/admin/core/cluster/node/list" => json!({"code": 0, "data": []}),
            "v1/ns/service/list" => json!({"count": 1, "doms": ["shop"]}),
            "v3/admin/ns/service/list" => {
                listed(json!([{"name": "shop", "groupName": "DEFAULT_GROUP"}]))
            }
            "v1/ns/instance/list" if param("serviceName") == "shop" => {
                json!({"hosts": [instance()]})
            }
            "v1/ns/instance/list" => json!({"hosts": []}),
            "v3/admin/ns/instance/list" if param("serviceName") == "shop" => {
                json!({"code": 0, "data": [instance()]})
            }
            "v3/admin/cs/config/list" => {
                let part = param("dataId").replace('*', "");
                let rows = [
                    ("a.App", "mapping"),
                    ("a.Gone", "mapping"),
                    ("shop", "ab12cd34"),
                ]
                .iter()
                .filter(|(data_id, _)| data_id.contains(&part))
                .map(|(data_id, group)| json!({"dataId": data_id, "groupName": group}))
                .collect::<Vec<_>>();
                listed(rows.into())
            }
            "v1/cs/configs" => {
                return match (param("dataId"), param("group")) {
                    ("a.App", "mapping") => Reply::new(200, "text/plain", "shop"),
                    ("a.Gone", "mapping") => Reply::new(200, "text/plain", "gone,shop"),
                    ("shop", "ab12cd34") => Reply::new(
                        200,
                        "text/plain",
                        json!({"app": "shop", "revision": "ab12cd34", "services": {"a.App:1.0:dubbo": {
                            "name": "a.App", "version": "1.0", "protocol": "dubbo", "port": 20880, "path": "a.App",
                            "params": {"side": "provider", "release": "3.2.16", "methods": "find"}}}})
                        .to_string(),
                    ),
                    _ => Reply::new(404, "application/json", "config data not exist\n"),
                };
            }
            _ => {
                let body = r#"{"code":20004,"message":"service not found","data":null}"#;
                return Reply::new(404, "application/json", body);
            }
        };
        Reply::json(value.to_string())
    })
}

fn instance() -> serde_json::Value {
    json!({"ip": "10.0.0.1", "port": 20880, "weight": 1.0, "healthy": true, "enabled": true, "ephemeral": true,
        "clusterName": "DEFAULT", "serviceName": "DEFAULT_GROUP@@shop", "metadata": {
            "dubbo.metadata.revision": "ab12cd34", "dubbo.metadata.storage-type": "remote",
            "dubbo.endpoints": r#"[{"port":20880,"protocol":"dubbo"}]"#}})
}

#[test]
fn applications_are_recorded_with_their_metadata() {
    let server = third();
    let home = TempDir::new().unwrap();
    let registry = format!("nacos://{}", server.address);
    let ran = diag(
        home.path(),
        &["snapshot", "--registry", &registry, "--all", "--out", "all"],
    );
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let mut outcomes = Vec::new();
    for service in ["a.App:1.0", "a.Nope:1.0", "a.Gone:2.0"] {
        let ask = |extra: &[&str]| {
            let start = [
                "no-provider",
                service,
                "--registry",
                &registry,
                "--consumer-app",
                "web",
                "--consumer-ip",
                "127.0.0.1",
                "--consumer",
                "starting",
                "--dubbo",
                "3.2.16",
                "-o",
                "json",
            ];
            diag(home.path(), &[&start[..], extra].concat()).report()
        };
        let live = ask(&[]);
        let recorded = ask(&["--snapshot", "all"]);
        assert_eq!(live["sources"]["r1"]["server"], "3.0.3");
        outcomes.push(live["reports"][0]["outcome"].clone());
        assert_eq!(without_times(recorded), without_times(live), "{service}");
    }
    assert_eq!(outcomes[0], "reachable");
    assert_eq!(outcomes[1], "none");
}
