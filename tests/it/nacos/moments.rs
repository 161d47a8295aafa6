//! A provider that ends, moment by moment, as each server told it: killed, frozen, and with its beats stopped.
//!
//! The answers are those of `fixtures/nacos/moments.tar.gz`; their instances belong to no Dubbo application, so the
//! metadata of one is put in.

use std::{collections::BTreeMap, io::Read};

use diag::{
    model::{service_key::ServiceKey, version::DubboVersion},
    question::{ConsumerState, Question, RegistryAddress},
};
use serde_json::Value;

use super::{
    block, captures,
    cases::both,
    moment,
    server::{Reply, Request, Server},
};

const NAME: &str = "providers:com.acme.Order:1.0:";
const METADATA: &str = r#""metadata":{"interface":"com.acme.Order","version":"1.0","category":"providers","path":"com.acme.Order","protocol":"dubbo","application":"order"}"#;

/// Server, what happened, and what is said at each moment in turn: `.` reachable, `U` reachable and all unhealthy,
/// `P` the same while clients are told that they are healthy, `-` not registered.
const EXPECTED: [(&str, &str, &str); 12] = [
    // HTTP clients. 1, 12, 17, 22, 27, 34 and 40 s after the beats ended.
    ("1.4.8", "beatstop-all", "..PPP--"),
    ("2.5.1", "beatstop-all", "...UUU-"),
    ("3.0.3", "beatstop-all", "...UU--"),
    ("rnacos-0.8.8", "beatstop-all", ".....--"),
    // 0.2, 1, 3 and 6 s after the process was killed; 1.4.8 has HTTP clients only.
    ("1.4.8", "grpc-kill", "...."),
    ("2.5.1", "grpc-kill", ".---"),
    ("3.0.3", "grpc-kill", ".---"),
    ("rnacos-0.8.8", "grpc-kill", "----"),
    // About 7, 18, 23, 28, 33, 40 and 46 s after the process was frozen.
    ("1.4.8", "grpc-sigstop", "....---"),
    ("2.5.1", "grpc-sigstop", "...----"),
    ("3.0.3", "grpc-sigstop", "...----"),
    ("rnacos-0.8.8", "grpc-sigstop", "..-----"),
];

/// Captured calls by server and name.
fn recorded() -> BTreeMap<(String, String), Reply> {
    let packed = std::fs::File::open("fixtures/nacos/moments.tar.gz").unwrap();
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(packed));
    let mut calls = BTreeMap::new();
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().display().to_string();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        if let Some((server, name)) = path.split_once('/')
            && let Some(call) = captures::call(name.to_owned(), &content)
        {
            calls.insert(
                (server.to_owned(), name.to_owned()),
                with_metadata(call.reply),
            );
        }
    }
    calls
}

fn with_metadata(reply: Reply) -> Reply {
    match reply {
        Reply::Http(status, headers, body) => {
            let text = String::from_utf8(body).unwrap();
            let text = text.replace(r#""metadata":{}"#, METADATA);
            Reply::Http(status, headers, text.into_bytes())
        }
        other => other,
    }
}

/// A server of that kind at one moment: what clients are told, and what the console's list says.
fn at(version: &str, list: Reply, console: Option<Reply>) -> Server {
    let rnacos = version.starts_with("rnacos");
    let third = version.starts_with('3');
    let version = version.to_owned();
    Server::start(move |request: &Request| {
        let is_it = request.param("serviceName") == Some(NAME);
        match request.path.trim_start_matches("/nacos/") {
            "v3/admin/core/state" if third => {
                Reply::json(format!(r#"{{"code":0,"data":{{"version":"{version}"}}}}"#))
            }
            "v1/console/server/state" if !third && !rnacos => {
                Reply::json(format!(r#"{{"version":"{version}"}}"#))
            }
            "v1/ns/operator/metrics" => Reply::json(r#"{"status":"UP"}"#),
            "v1/console/namespaces" | "v3/admin/core/namespace/list" => {
                Reply::json(r#"{"code":0,"data":[{"namespace":"","namespaceShowName":"public"}]}"#)
            }
            "v1/ns/service/list" => Reply::json(format!(r#"{{"count":1,"doms":["{NAME}"]}}"#)),
            "v1/ns/catalog/services" => Reply::json(format!(
                r#"{{"count":1,"serviceList":[{{"name":"{NAME}","groupName":"DEFAULT_GROUP"}}]}}"#
            )),
            "v3/admin/ns/service/list" => Reply::json(format!(
                r#"{{"code":0,"data":{{"totalCount":1,"pageItems":[{{"name":"{NAME}","groupName":"DEFAULT_GROUP"}}]}}}}"#
            )),
            "v1/ns/instance/list" if is_it => list.clone(),
            "v1/ns/instance/list" => Reply::json(r#"{"hosts":[]}"#),
            "v1/ns/catalog/instances" | "v3/admin/ns/instance/list" if is_it => console
                .clone()
                .unwrap_or_else(|| Reply::new(404, "text/plain", "cluster DEFAULT is not found!")),
            "v1/cs/configs" if request.param("search").is_some() => {
                Reply::json(r#"{"totalCount":0,"pageItems":[]}"#)
            }
            "v3/admin/cs/config/list" => {
                Reply::json(r#"{"code":0,"data":{"totalCount":0,"pageItems":[]}}"#)
            }
            "v1/cs/configs" => Reply::new(404, "text/plain", "config data not exist"),
            "v3/admin/core/state" | "v1/console/server/state" => Reply::new(404, "", ""),
            _ => Reply::new(404, "text/plain", "service x is not found!"),
        }
    })
}

fn said(server: &Server) -> char {
    let key = ServiceKey::new(None, "com.acme.Order", Some("1.0"));
    let mut question = Question::new(key, moment());
    question.registries =
        vec![RegistryAddress::parse(&format!("nacos://{}", server.address)).unwrap()];
    question.consumer.dubbo = DubboVersion::parse("2.7.23").ok();
    question.consumer.state = Some(ConsumerState::Starting);
    question.consumer.application = Some("web".to_owned());
    question.consumer.ip = Some("10.9.0.1".to_owned());
    let (live, again) = block(both(&question));
    assert_eq!(live, again);
    let one = &live["reports"][0];
    let has = |code: &str| {
        let findings = one["findings"].as_array().unwrap();
        findings.iter().any(|finding| finding["code"] == code)
    };
    match (
        one["outcome"].as_str(),
        &one["verdict"]["code"],
        has("DG3002"),
        has("DG3003"),
    ) {
        (Some("reachable"), Value::Null, false, false) => '.',
        (Some("reachable"), Value::Null, true, false) => 'U',
        (Some("reachable"), Value::Null, true, true) => 'P',
        (Some("none"), Value::String(code), false, false) if code == "DG2105" => '-',
        _ => panic!("{live:#}"),
    }
}

#[test]
fn every_moment_has_its_answer() {
    let calls = recorded();
    for (server, what, expected) in EXPECTED {
        let of_server = |name: &str| calls.get(&(server.to_owned(), name.to_owned()));
        let names: Vec<&str> = calls
            .keys()
            .filter(|(known, name)| known == server && name.contains(what))
            .map(|(_, name)| name.as_str())
            .collect();
        let other = ["healthyonly", "catalog", "admin"];
        let lists = names
            .iter()
            .filter(|name| !other.iter().any(|word| name.contains(word)));
        let told: String = lists
            .map(|list| {
                let moment = list.rsplit_once('-').unwrap().1;
                let word = if server.starts_with('3') {
                    "admin"
                } else {
                    "catalog"
                };
                let ending = format!("-{word}-{moment}");
                let console = names.iter().find(|name| name.ends_with(&ending));
                let console = console.and_then(|name| of_server(name)).cloned();
                said(&at(server, of_server(list).unwrap().clone(), console))
            })
            .collect();
        assert_eq!(told, expected, "{server} {what}");
    }
}
