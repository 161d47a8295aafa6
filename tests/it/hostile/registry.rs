//! The registry that a rule built to blow up lies in: for the test and for the benchmark.

use std::path::Path;

use serde_json::{Value, json};

use super::rules::{Hostile, MIGRATION};

/// A folder `snapshot` of a registry with these providers and the rule.
pub(crate) fn recording(dir: &Path, hostile: &Hostile, urls: &[String]) {
    let manifest = json!({
        "diag_snapshot": 1, "recorded_by": "test", "recorded_at": "2026-01-15T03:12:00.000Z",
        "seen_from": {"host": "b", "addresses": ["10.0.0.5"], "is_consumer": false},
        "scope": {"services": ["com.a.S"], "all": true, "sweep": ["namespaces", "groups", "roots"]},
        "masked": [], "ended": "complete",
        "sources": {"r1": {
            "kind": "zookeeper", "roles": ["registry", "config-center", "metadata"],
            "url": "zookeeper://10.4.0.2:2181", "server": "3.8.4",
        }},
    });
    let mut facts = vec![json!({
        "op": "zk.four", "word": "srvr", "via": "10.4.0.2:2181", "text": "Zookeeper version: 3.8.4\n",
    })];
    let mut node = |path: &str, children: &[&str], text: Option<&str>| {
        let stat = json!({"ctime": 1, "mtime": 1, "ephemeral_owner": 0});
        facts.push(json!({"op": "zk.node", "path": path, "stat": stat, "children": children}));
        if let Some(text) = text {
            facts.push(json!({"op": "zk.node", "path": path, "stat": stat, "text": text}));
        }
    };
    let names: Vec<String> = urls
        .iter()
        .map(|url| diag::model::url::encode(url))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    node("/", &["dubbo", "zookeeper"], None);
    node("/dubbo", &["com.a.S", "config"], None);
    let folders = ["configurators", "consumers", "providers", "routers"];
    node("/dubbo/com.a.S", &folders, None);
    for folder in ["configurators", "consumers", "routers"] {
        node(&format!("/dubbo/com.a.S/{folder}"), &[], None);
    }
    node("/dubbo/com.a.S/providers", &names, None);
    for name in &names {
        node(
            &format!("/dubbo/com.a.S/providers/{name}"),
            &[],
            Some("10.0.0.1"),
        );
    }
    let group = if hostile.key == MIGRATION {
        "DUBBO_SERVICEDISCOVERY_MIGRATION"
    } else {
        "dubbo"
    };
    node("/dubbo/config", &[group], None);
    node(&format!("/dubbo/config/{group}"), &[hostile.key], None);
    let path = format!("/dubbo/config/{group}/{}", hostile.key);
    node(&path, &[], Some(&hostile.text));
    node("/zookeeper", &[], None);
    let folder = dir.join("snapshot");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    let facts: Vec<String> = facts.iter().map(Value::to_string).collect();
    std::fs::write(folder.join("r1.jsonl"), facts.join("\n") + "\n").unwrap();
}

/// The providers that the rules are about.
pub(crate) fn providers() -> Vec<String> {
    (0..60)
        .map(|n| {
            format!(
                "dubbo://10.0.{}.{}:20880/com.a.S?application=shop&interface=com.a.S&methods=get,list,create\
                 &side=provider&release=3.3.6&k=v{n}&name={}",
                n / 250,
                n % 250,
                "a".repeat(40)
            )
        })
        .collect()
}
