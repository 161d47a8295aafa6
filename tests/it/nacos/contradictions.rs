//! Answers of one server that do not fit together: what one list hides, another one counts; a list that cannot be read
//! is no empty list; pages that never end.

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    answers::{nacos, outcome},
    server::{Reply, Request, Server},
    starting,
    verbs::{Ran, diag},
};

const SERVICE: &str = "providers:com.acme.Order:1.0:";

fn ask(server: &Server, service: &str) -> Ran {
    let home = TempDir::new().unwrap();
    let registry = format!("nacos://{}", server.address);
    diag(
        home.path(),
        &[
            &["no-provider", service][..],
            &starting(&registry, "3.2.16", "10.9.0.1"),
            &["--deadline", "60s", "-o", "json"],
        ]
        .concat(),
    )
}

/// The usual server, with another answer where `path` is asked.
fn but(path: &'static str, reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Server {
    Server::start(move |request| {
        if request.path == format!("/nacos/{path}") {
            reply(request)
        } else {
            nacos(request)
        }
    })
}

fn not_seen(ran: &Ran) -> Vec<Value> {
    let report = ran.report();
    report["reports"][0]["not_seen"].as_array().unwrap().clone()
}

/// The console is asked for one cluster, and an instance of another one that is disabled stands in no list of clients.
#[test]
fn instances_that_are_only_counted_are_not_absent() {
    let server = Server::start(|request| {
        let is_it = request.param("serviceName") == Some(SERVICE);
        match request.path.as_str() {
            "/nacos/v1/ns/instance/list" => Reply::json(r#"{"hosts":[]}"#),
            "/nacos/v1/ns/catalog/instances" if is_it => {
                Reply::new(404, "text/plain", "cluster DEFAULT is not found!")
            }
            "/nacos/v1/ns/catalog/services" => Reply::json(
                json!({"count": 1, "serviceList": [
                    {"name": SERVICE, "groupName": "DEFAULT_GROUP", "clusterCount": 2, "ipCount": 2}]})
                .to_string(),
            ),
            _ => nacos(request),
        }
    });
    let ran = ask(&server, "com.acme.Order:1.0");
    assert_eq!(outcome(&ran), "unknown", "{}", ran.stdout);
    let candidates = ran.report()["reports"][0]["candidates"].to_string();
    assert!(
        candidates.contains("DG3001") && candidates.contains("DG2105"),
        "{candidates}"
    );
}

#[test]
fn a_list_with_something_else_in_it_is_not_read_as_if_it_were_not_there() {
    let good = json!({"ip": "10.1.0.2", "port": 20880, "metadata": {}});
    for odd in [
        json!({"ip": 5, "port": 20880, "metadata": {}}),
        json!({"port": 20880, "metadata": {}}),
        json!({"ip": "10.1.0.1", "port": -1, "metadata": {}}),
        json!({"ip": "10.1.0.1", "port": 20880, "metadata": []}),
        json!(null),
    ] {
        for hosts in [json!([odd]), json!([good, odd])] {
            let body = json!({ "hosts": hosts }).to_string();
            let server = Server::start(move |request| match request.path.as_str() {
                "/nacos/v1/ns/instance/list" => Reply::json(body.clone()),
                "/nacos/v1/ns/catalog/instances" => Reply::new(403, "text/plain", "no"),
                _ => nacos(request),
            });
            let ran = ask(&server, "com.acme.Order:1.0");
            assert_eq!(outcome(&ran), "unknown", "{hosts}: {}", ran.stdout);
        }
    }
    for doms in [json!([1, null]), json!([SERVICE, 7])] {
        let body = json!({"count": 2, "doms": doms}).to_string();
        let server = but("v1/ns/service/list", move |_| Reply::json(body.clone()));
        let ran = ask(&server, "com.acme.Missing:1.0");
        assert_eq!(outcome(&ran), "unknown", "{doms}: {}", ran.stdout);
    }
}

/// The console's list stands in for the one that clients get, and the report says so.
#[test]
fn a_refused_list_of_clients_is_said() {
    for reply in [
        Reply::json(r#"{"code":30000,"message":"server error","data":null}"#),
        Reply::json(r#"{"hosts":null}"#),
        Reply::new(500, "text/plain", "boom"),
        Reply::new(403, "text/plain", "authorization failed!"),
    ] {
        let said = format!("{reply:?}");
        let server = but("v1/ns/instance/list", move |_| reply.clone());
        let ran = ask(&server, "com.acme.Order:1.0");
        assert_eq!(outcome(&ran), "reachable", "{said}: {}", ran.stdout);
        let named = not_seen(&ran)
            .iter()
            .any(|fact| fact["what"].as_str().unwrap().contains(SERVICE));
        assert!(named, "{said}: {}", ran.stdout);
    }
}

#[test]
fn the_same_page_again_is_the_last_one() {
    let body = json!({"count": 999_999_999, "doms": ["one"]}).to_string();
    let server = but("v1/ns/service/list", move |_| Reply::json(body.clone()));
    let ran = ask(&server, "com.acme.Order:1.0");
    let pages = server
        .requests()
        .iter()
        .filter(|request| request.path == "/nacos/v1/ns/service/list")
        .count();
    assert_eq!(pages, 2, "{}", ran.stdout);
}

/// A near name here, and the very service in another group: both stand in the report.
#[test]
fn a_near_name_does_not_hide_the_very_service_in_another_group() {
    let (near, very) = ("providers:com.acme.Orders:1.0:", SERVICE);
    let server = Server::start(move |request| {
        let (service, group) = (request.param("serviceName"), request.param("groupName"));
        let host = |ip: &str, interface: &str| {
            json!({"hosts": [{"ip": ip, "port": 20880, "healthy": true, "enabled": true, "ephemeral": true,
                "metadata": {"protocol": "dubbo", "path": interface, "interface": interface, "version": "1.0",
                    "category": "providers", "side": "provider", "application": "order"}}]})
        };
        match request.path.as_str() {
            "/nacos/v1/ns/service/list" => {
                Reply::json(json!({"count": 1, "doms": [near]}).to_string())
            }
            "/nacos/v1/ns/catalog/services" => Reply::json(
                json!({"count": 2, "serviceList": [
                    {"name": near, "groupName": "DEFAULT_GROUP", "clusterCount": 1, "ipCount": 1},
                    {"name": very, "groupName": "SHOP", "clusterCount": 1, "ipCount": 1}]})
                .to_string(),
            ),
            "/nacos/v1/ns/instance/list" => {
                let body = match (service, group) {
                    (Some(service), Some("DEFAULT_GROUP")) if service == near => {
                        host("10.1.0.1", "com.acme.Orders")
                    }
                    (Some(service), Some("SHOP")) if service == very => {
                        host("10.1.0.2", "com.acme.Order")
                    }
                    _ => json!({"hosts": []}),
                };
                Reply::json(body.to_string())
            }
            "/nacos/v1/ns/catalog/instances" => {
                Reply::new(404, "text/plain", "service x is not found!")
            }
            _ => nacos(request),
        }
    });
    let ran = ask(&server, "com.acme.Order:1.0");
    let report = ran.report();
    let answer = &report["reports"][0];
    assert_eq!(answer["verdict"]["code"], "DG2103", "{answer:#}");
    assert_eq!(answer["verdict"]["certainty"], "likely", "{answer:#}");
    let other = &answer["candidates"][0];
    assert_eq!(other["code"], "DG2002", "{answer:#}");
    assert!(
        other["why"].as_str().unwrap().contains("public/SHOP"),
        "{answer:#}"
    );
}
