//! Every generation's own bytes, read through the client.

use diag::snapshot::{Key, Payload};
use serde_json::Value;

use super::{captures, instances, observe};

const DUBBO: &str = "providers:com.ex.OrderService:1.0.0:g1";
const RULE: &str = "com.ex.OrderService:1.0.0:g1.condition-router";

fn services(group: Option<&str>) -> Key {
    Key::NacosServices {
        namespace: String::new(),
        group: group.map(str::to_owned),
    }
}

fn catalog(service: &str) -> Key {
    Key::NacosCatalog {
        namespace: String::new(),
        group: "DEFAULT_GROUP".into(),
        service: service.into(),
    }
}

fn detail(service: &str) -> Key {
    Key::NacosService {
        namespace: String::new(),
        group: "DEFAULT_GROUP".into(),
        service: service.into(),
    }
}

fn subscribers() -> Key {
    Key::NacosSubscribers {
        namespace: String::new(),
        group: "DEFAULT_GROUP".into(),
        service: DUBBO.into(),
    }
}

fn search() -> Key {
    Key::NacosConfigSearch {
        namespace: String::new(),
        group: String::new(),
        data_id: "*".into(),
    }
}

fn listeners() -> Key {
    Key::NacosListeners {
        namespace: None,
        group: Some("dubbo".into()),
        data_id: Some(RULE.into()),
        ip: None,
    }
}

fn json(payload: &Payload) -> Value {
    match payload {
        Payload::Text(text) => serde_json::from_str(text).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// What each generation says, in the order of `captures::SERVERS`.
#[test]
fn every_generation_answers() {
    let keys = [
        Key::NacosNamespaces,
        Key::NacosNodes,
        services(Some("DEFAULT_GROUP")),
        instances(DUBBO),
        instances("nope"),
        catalog(DUBBO),
        catalog("nope"),
        detail("svc-protect"),
        detail("nope"),
        subscribers(),
        Key::nacos_config("", "dubbo", RULE),
        Key::nacos_config("", "dubbo", "nope"),
        listeners(),
    ];
    let versions = ["1.4.8", "2.5.1", "3.0.3", "r-nacos"];
    for (server, version) in captures::SERVERS.into_iter().zip(versions) {
        let replay = captures::replay(server);
        let seen = observe(&format!("nacos://{}", replay.address), &keys);
        let text = seen.text();
        assert!(!text.contains("not recorded"), "{server}: {text}");
        let told = seen.snapshot.manifest().sources[&seen.source]
            .server
            .clone();
        assert_eq!(told.as_deref(), Some(version));
        let old = version != "3.0.3";

        // The answers.
        let namespaces = json(&seen.line(&Key::NacosNamespaces).payload);
        assert_eq!(namespaces["data"].as_array().unwrap().len(), 3, "{server}");
        let hosts = json(&seen.line(&instances(DUBBO)).payload);
        assert_eq!(hosts["hosts"].as_array().unwrap().len(), 2, "{server}");
        assert_eq!(seen.said(&instances("nope")), "answer", "{server}");
        let all = json(&seen.line(&catalog(DUBBO)).payload);
        let all = if old { &all["list"] } else { &all["data"] };
        assert_eq!(all.as_array().unwrap().len(), 2, "{server}");
        assert!(seen.said(&detail("svc-protect")) == "answer", "{server}");
        let rule = seen.line(&Key::nacos_config("", "dubbo", RULE));
        assert!(
            matches!(&rule.payload, Payload::Text(text) if text.starts_with("configVersion: v3.0\n")),
            "{server}"
        );
        assert_eq!(
            rule.headers.get("Content-MD5").map(String::as_str),
            Some("a3b96d9a125576f8128eb7a3c9b2f38a"),
            "{server}"
        );
        assert_eq!(seen.said(&subscribers()), "answer", "{server}");

        // What is known to be absent, in each one's words.
        let missing = seen.said(&Key::nacos_config("", "dubbo", "nope"));
        assert!(
            missing.starts_with("not-found config data not exist"),
            "{server}: {missing}"
        );
        assert!(
            seen.said(&detail("nope")).starts_with("not-found "),
            "{server}"
        );
        let nobody = seen.said(&catalog("nope"));
        let expected = if version == "r-nacos" {
            "answer"
        } else {
            "not-found "
        };
        assert!(nobody.starts_with(expected), "{server}: {nobody}");

        // What r-nacos does not have is no absence.
        for key in [Key::NacosNodes, listeners()] {
            let expected = if version == "r-nacos" {
                "switched-off r-nacos has no such API"
            } else {
                "answer"
            };
            assert_eq!(seen.said(&key), expected, "{server}");
        }
        let line = serde_json::to_string(seen.line(&services(Some("DEFAULT_GROUP")))).unwrap();
        let start = r#"{"op":"nacos.services","api":"v1/ns/service/list","namespace":"","group":"DEFAULT_GROUP","page":1,"page_size":500,"at":"#;
        assert!(line.starts_with(start), "{server}: {line}");
    }
}

/// The public namespace is asked for in the words that each module understands.
#[test]
fn the_public_namespace_is_empty_for_rules_and_named_for_services() {
    let replay = captures::replay("2.5.1");
    let keys = [
        instances(DUBBO),
        Key::nacos_config("", "dubbo", RULE),
        search(),
    ];
    let seen = observe(&format!("nacos://{}", replay.address), &keys);
    let requests = replay.requests();
    let of = |path: &str| {
        requests
            .iter()
            .find(|request| request.path.ends_with(path))
            .unwrap()
    };
    assert_eq!(of("instance/list").param("namespaceId"), Some("public"));
    assert_eq!(of("cs/configs").param("tenant"), Some(""));
    let rows = json(&seen.line(&search()).payload);
    assert_eq!(rows["totalCount"], 15);
    assert_eq!(rows["pageItems"].as_array().unwrap().len(), 15);
}

/// Nobody is asked for what is not wanted, and a question about the state alone costs one probe.
#[test]
fn the_state_is_told_once() {
    let replay = captures::replay("3.0.3");
    let seen = observe(&format!("nacos://{}", replay.address), &[Key::NacosState]);
    assert_eq!(replay.requests().len(), 1);
    assert_eq!(seen.line(&Key::NacosState).http, Some(200));
}
