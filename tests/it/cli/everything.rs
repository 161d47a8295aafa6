//! `snapshot --all`: everything of a registry, on disk while it is read.

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use diag::model::{metadata::MetadataInfo, version::Line};
use serde_json::{Value, json};

use super::{diag, done, run};
use crate::nacos::server::{Reply, Request, Server, split};

/// A 1.x (no gRPC port) with so many services of one instance each in `prod`, nothing in the public namespace. `silent_after` = so
/// many instance lists are answered.
fn fleet(services: usize, silent_after: usize) -> Server {
    let lists = Arc::new(AtomicUsize::new(0));
    Server::start(move |request| {
        let path = request.path.trim_start_matches("/nacos/");
        let instances = path == "v1/ns/instance/list";
        if instances && lists.fetch_add(1, Ordering::SeqCst) >= silent_after {
            return Reply::Silence;
        }
        answer(request, path, services)
    })
}

/// What an application exports, stored under its revision.
const METADATA: &str = r#"{"app":"order","revision":"b07f0d5b1c1f5a2ac9b6f2d8f0b7f0aa","services":{"a.B:dubbo":{"name":"a.B","protocol":"dubbo","port":20880,"path":"a.B","params":{"interface":"a.B","release":"3.2.16","token":"CANARY-7f3a"}}}}"#;
const REVISION: &str = "b07f0d5b1c1f5a2ac9b6f2d8f0b7f0aa";

fn answer(request: &Request, path: &str, services: usize) -> Reply {
    let prod = request.param("namespaceId") == Some("prod");
    let prod_tenant = request.param("tenant") == Some("prod");
    let pages = |total: usize| {
        let number = |name: &str| request.param(name).unwrap().parse::<usize>().unwrap();
        let (page, size) = (number("pageNo"), number("pageSize"));
        ((page - 1) * size).min(total)..(page * size).min(total)
    };
    Reply::json(match path {
        "v3/admin/core/state" => return Reply::new(404, "application/json", "{}"),
        "v1/console/server/state" => r#"{"version":"1.4.8"}"#.to_owned(),
        "v1/console/namespaces" => {
            json!({"code": 200, "data": [{"namespace": ""}, {"namespace": "prod"}]}).to_string()
        }
        "v1/core/cluster/nodes" => r#"{"code":200,"data":[]}"#.to_owned(),
        "v1/ns/catalog/services" => {
            let total = if prod { services } else { 0 };
            let list: Vec<Value> = pages(total)
                .map(|n| json!({"name": name(n), "groupName": "DEFAULT_GROUP"}))
                .collect();
            json!({"count": total, "serviceList": list}).to_string()
        }
        "v1/ns/service/list" => r#"{"count":0,"doms":[]}"#.to_owned(),
        "v1/ns/instance/list" => {
            let service = request.param("serviceName").unwrap();
            let interface = service.split(':').nth(1).unwrap();
            let metadata = json!({
                "interface": interface, "path": interface, "protocol": "dubbo", "side": "provider", "category": "providers",
                "application": "order", "dubbo": "2.0.2", "release": "3.2.16", "token": "CANARY-7f3a",
            });
            json!({"hosts": [{
                "ip": "10.0.0.7", "port": 20880, "healthy": true, "enabled": true, "weight": 1.0, "metadata": metadata,
            }]})
            .to_string()
        }
        "v1/ns/catalog/instances" => r#"{"count":0,"list":[]}"#.to_owned(),
        "v1/ns/service" => r#"{"protectThreshold":0.0}"#.to_owned(),
        "v1/ns/service/subscribers" => r#"{"count":0,"subscribers":[]}"#.to_owned(),
        "v1/cs/configs" if request.param("search").is_some() && prod_tenant => {
            json!({"totalCount": 1, "pageItems": [{"dataId": "order", "group": REVISION}]})
                .to_string()
        }
        "v1/cs/configs" if request.param("search").is_some() => {
            r#"{"totalCount":0,"pageItems":[]}"#.to_owned()
        }
        "v1/cs/configs" if request.param("group") == Some(REVISION) => {
            return Reply::new(200, "text/plain", METADATA);
        }
        _ => return Reply::new(404, "text/plain", "config data not exist"),
    })
}

fn name(number: usize) -> String {
    format!("providers:com.acme.S{number:04}::")
}

/// The manifest and the lines of a folder.
fn recording(folder: &Path) -> (Value, Vec<String>) {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let lines = read("r1.jsonl").lines().map(str::to_owned).collect();
    (serde_json::from_str(&read("manifest.json")).unwrap(), lines)
}

/// What lies in a folder, hidden names too.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn all_of_a_nacos_is_recorded_and_says_which_namespaces_it_holds() {
    let server = fleet(700, usize::MAX);
    let registry = format!("nacos://{}", server.address);
    let home = tempfile::tempdir().unwrap();
    for out in ["all", "all.tar.gz"] {
        let recorded = done(diag(home.path()).args([
            "snapshot",
            "--all",
            "--registry",
            &registry,
            "--out",
            out,
        ]));
        assert_eq!(
            (recorded.exit, recorded.stdout.as_str()),
            (0, ""),
            "{recorded:?}"
        );
    }
    assert_eq!(names(home.path()), ["all", "all.tar.gz"]);
    let (manifest, lines) = recording(&home.path().join("all"));
    assert_eq!(
        (
            &manifest["scope"]["namespaces"],
            &manifest["scope"]["all"],
            &manifest["ended"]
        ),
        (&json!(["", "prod"]), &true.into(), &"complete".into())
    );
    let lists: Vec<&String> = lines
        .iter()
        .filter(|line| line.contains("nacos.instances"))
        .collect();
    assert_eq!(lists.len(), 700);
    assert!(lists.is_sorted());
    assert!(lines.iter().all(|line| !line.contains("CANARY")));
    let derived: Vec<Value> = lines
        .iter()
        .filter(|line| line.contains("derived.revision"))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let revision = MetadataInfo::parse(METADATA)
        .unwrap()
        .unwrap()
        .revision(Line::V3_2);
    assert_eq!(derived.len(), 1);
    assert_eq!(
        (
            &derived[0]["app"],
            &derived[0]["revision"],
            &derived[0]["computed"],
            &derived[0]["line"]
        ),
        (
            &"order".into(),
            &REVISION.into(),
            &json!(revision),
            &"3.2".into()
        ),
        "of the text with its token"
    );
    // What is not in it is known not to be there.
    for out in ["all", "all.tar.gz"] {
        let out = home.path().join(out);
        let ask = |service: &str| {
            let registry = format!("{registry}?namespace=prod");
            let args = [
                "no-provider",
                service,
                "--registry",
                &registry,
                "-o",
                "json",
                "--consumer",
                "starting",
                "--snapshot",
            ];
            run(&[&args[..], &[out.to_str().unwrap()]].concat()).json()["reports"][0].clone()
        };
        let (there, missing) = (ask("com.acme.S0123"), ask("com.acme.Missing"));
        assert_eq!(there["outcome"], "reachable", "{there}");
        assert_eq!(missing["outcome"], "none", "{missing}");
    }
}

/// Method, path, parameters.
type Form = (String, String, Vec<(String, String)>);

#[test]
fn a_dry_run_names_every_request() {
    let server = fleet(3, usize::MAX);
    let registry = format!("nacos://{}", server.address);
    let home = tempfile::tempdir().unwrap();
    for (what, out) in [("--all", "all"), ("com.acme.S0001", "one")] {
        let args = ["snapshot", what, "--registry", &registry];
        let before = server.requests().len();
        let dry = done(diag(home.path()).args(args).arg("--dry-run"));
        assert_eq!((dry.exit, server.requests().len()), (0, before), "{dry:?}");
        let recorded = done(diag(home.path()).args(args).args(["--out", out]));
        assert_eq!(recorded.exit, 0, "{recorded:?}");
        // Path and names of the parameters, and the values that are not in braces.
        let forms: Vec<Form> = dry
            .stdout
            .lines()
            .filter_map(|line| {
                let (_, request) = line.split_once(": ")?;
                let (method, rest) = request.split_once(' ')?;
                let target = rest.split_once(" (").map_or(rest, |(target, _)| target);
                let target = target.trim_end_matches(" and further pages");
                let (path, query) = split(target);
                Some((method.to_owned(), path, query))
            })
            .collect();
        let asked = server.requests().split_off(before);
        assert!(asked.len() > 10, "{what}");
        for request in asked {
            let fits = |(method, path, query): &Form| {
                let pairs = query.iter().zip(&request.query);
                (method, path) == (&request.method, &request.path)
                    && query.len() == request.query.len()
                    && pairs.into_iter().all(|(form, made)| {
                        form.0 == made.0 && (form.1.contains('{') || form.1 == made.1)
                    })
            };
            assert!(forms.iter().any(fits), "{request:?}\n{}", dry.stdout);
        }
    }
}

#[test]
fn a_list_that_was_not_read_to_its_end_is_not_called_complete() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(|request| {
        let path = request.path.trim_start_matches("/nacos/");
        let prod = request.param("namespaceId") == Some("prod");
        match path {
            "v1/ns/catalog/services" if prod && request.param("pageNo") != Some("1") => {
                Reply::new(500, "text/plain", "caused: too busy")
            }
            _ => answer(request, path, 700),
        }
    });
    let registry = format!("nacos://{}", server.address);
    let recorded = done(diag(home.path()).args([
        "snapshot",
        "--all",
        "--registry",
        &registry,
        "--out",
        "all",
    ]));
    assert_eq!(recorded.exit, 0, "{recorded:?}");
    assert!(
        recorded
            .stderr
            .contains("what was read until then is recorded"),
        "{recorded:?}"
    );
    let scope = &recording(&home.path().join("all")).0["scope"];
    assert_eq!(
        (&scope["namespaces"], &scope["all"]),
        (&json!([""]), &false.into())
    );
}

#[test]
fn ctrl_c_leaves_a_recording_that_says_that_it_is_partial() {
    for out in ["all", "all.tgz"] {
        let server = fleet(300, 100);
        let registry = format!("nacos://{}", server.address);
        let home = tempfile::tempdir().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_diag"))
            .env_clear()
            .env("HOME", home.path())
            .current_dir(home.path())
            .args([
                "snapshot",
                "--all",
                "--registry",
                &registry,
                "--out",
                out,
                "--request-timeout",
                "60s",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let asked = || {
            server
                .requests()
                .iter()
                .filter(|request| request.path.ends_with("instance/list"))
                .count()
        };
        for _ in 0..400 {
            if asked() > 110 {
                break;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        assert!(asked() > 110, "it got stuck before");
        let spooled = names(home.path());
        assert!(
            spooled.len() == 1 && spooled[0].ends_with(".partial"),
            "{spooled:?}"
        );
        let pid = child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &pid])
                .status()
                .unwrap()
                .success()
        );
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{stderr}");
        assert!(stderr.contains("ended early (interrupted)"), "{stderr}");
        assert_eq!(names(home.path()), [out]);
        let path = home.path().join(out);
        let args = [
            "no-provider",
            "com.acme.Missing",
            "--registry",
            &format!("{registry}?namespace=prod"),
            "-o",
            "json",
            "--snapshot",
        ];
        let read = run(&[&args[..], &[path.to_str().unwrap()]].concat());
        assert!(matches!(read.exit, 1 | 3), "{read:?}");
        if out == "all" {
            let (manifest, lines) = recording(&path);
            assert_eq!(
                (&manifest["ended"], &manifest["scope"]["all"]),
                (&"interrupted".into(), &false.into())
            );
            assert_eq!(manifest["scope"].get("namespaces"), None);
            let lists = lines
                .iter()
                .filter(|line| line.contains("nacos.instances"))
                .count();
            assert!((90..=100).contains(&lists), "{lists}");
        }
    }
}

#[test]
fn a_place_that_cannot_be_written_is_said_before_anybody_is_asked() {
    let server = fleet(3, usize::MAX);
    let registry = format!("nacos://{}", server.address);
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("no/such/folder/all");
    let out = out.to_str().unwrap();
    let recorded =
        done(diag(home.path()).args(["snapshot", "--all", "--registry", &registry, "--out", out]));
    assert_eq!(recorded.exit, 4, "{recorded:?}");
    assert!(
        recorded.stderr.contains("no/such/folder/all"),
        "{recorded:?}"
    );
    assert_eq!(names(home.path()), [] as [&str; 0]);
    assert_eq!(
        server.requests().len(),
        0,
        "it is known before anybody is asked"
    );
}

/// A registry that is gone leaves the recording of the day it was there.
#[test]
fn nothing_takes_the_place_of_an_older_recording() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("live.tar.gz");
    let older = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/cases/captures/zookeeper_2.7.23_other-registry-group/snapshot.tar.gz"
    );
    std::fs::copy(older, &out).unwrap();
    let before = std::fs::read(&out).unwrap();
    for what in ["com.acme.OrderService", "--all"] {
        let ran = done(
            diag(home.path())
                .current_dir(home.path())
                .args(["snapshot", what, "--registry", "zookeeper://127.0.0.1:1"])
                .args(["--out", "live.tar.gz", "--deadline", "5s"]),
        );
        assert_eq!(ran.exit, 3, "{what}: {ran:?}");
        assert!(
            ran.stderr.contains("live.tar.gz: left as it was"),
            "{what}: {ran:?}"
        );
        assert_eq!(std::fs::read(&out).unwrap(), before, "{what}");
    }
}
