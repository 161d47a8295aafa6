//! Where the canary is: registries, recordings and files full of it, and servers that repeat what they were sent.

use std::{any::Any, path::Path};

use diag::model::url::encode;
use serde_json::{Value, json};

use super::{CANARY, basic, encoded};
use crate::{
    nacos::server::{Reply, Request, Server as NacosServer},
    verbs::SERVICE,
    zookeeper::{
        impostors::impostor,
        server::{Options, Server, distribution, free_port},
        tree::{self, Node, Tree},
    },
};

/// Something to ask, and how. The login is a word of its own, `{CANARY}Login`: the run knows it and may mask it anywhere,
/// everything else must be recognised by where it stands.
pub(super) struct World {
    pub(super) name: &'static str,
    /// The arguments that name it.
    pub(super) args: Vec<String>,
    /// Servers and folders that live as long.
    _kept: Vec<Box<dyn Any>>,
}

fn world(name: &'static str, args: &[&str], kept: Vec<Box<dyn Any>>) -> World {
    let fast = ["--deadline", "2s", "--request-timeout", "1s"];
    World {
        name,
        args: args
            .iter()
            .chain(&fast)
            .map(|arg| (*arg).to_owned())
            .collect(),
        _kept: kept,
    }
}

/// Characters that move cursors and turn lines, as far as a name may have them.
const EVIL: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}gnp\u{9b}31m\r";

/// A provider's URL with the canary wherever a secret may stand in it.
fn provider() -> String {
    format!(
        "dubbo://admin:{CANARY}@10.0.0.8:20880/{SERVICE}?interface={SERVICE}&application=order&side=provider&release=3.2.16\
         &token={CANARY}&password={CANARY}&accesslog={CANARY}-not&secretKey={}&note={}",
        encoded(),
        encode(EVIL)
    )
    .replace(&format!("&accesslog={CANARY}-not"), "")
}

/// Texts of a config centre, by data id.
fn configs() -> [(&'static str, String); 4] {
    [
        (
            "dubbo.properties",
            format!(
                "dubbo.registry.password={CANARY}\ndubbo.registry.address=nacos://u:{CANARY}@h:8848?password={}\n",
                encoded()
            ),
        ),
        (
            "com.x.Order::.configurators",
            format!(
                "configVersion: v2.7\nscope: service\nkey: {SERVICE}\nconfigs:\n- addresses: [0.0.0.0]\n  side: consumer\n  parameters: {{password: {CANARY}, timeout: 3000}}\n"
            ),
        ),
        (
            "order-web.condition-router",
            format!(
                "force: true\nkey: order-web\nconditions:\n- 'token = {CANARY} => host = 10.0.*'\n- 'method=get => password={CANARY}'\n"
            ),
        ),
        (
            "order-web.tag-router",
            format!("tags:\n- name: gray\n  addresses: ['10.0.0.8:20880']\ntoken: {CANARY}\n"),
        ),
    ]
}

/// What an application stores about itself.
fn metadata() -> String {
    json!({"app": "order", "revision": REVISION, "services": {"com.x.Order:dubbo": {"name": SERVICE, "protocol": "dubbo",
        "path": SERVICE, "port": 20880, "params": {"token": CANARY, "accessKey": CANARY, "interface": SERVICE}}}})
    .to_string()
}

const REVISION: &str = "0123456789abcdef0123456789abcdef";

/// Nodes with their content.
fn nodes() -> Vec<(String, String)> {
    let mut nodes = vec![
        (format!("/dubbo/{SERVICE}/providers/{}", encode(&provider())), "10.0.0.8".to_owned()),
        (format!("/dubbo/{SERVICE}/configurators/{}", encode(&format!("override://0.0.0.0/{SERVICE}?category=configurators&dynamic=false&password={CANARY}"))), String::new()),
        (format!("/dubbo/{SERVICE}/routers"), String::new()),
        (format!("/dubbo/metadata/order/{REVISION}"), metadata()),
        (format!("/dubbo/metadata/{SERVICE}/provider/order"), json!({"parameters": {"accessKey": CANARY}}).to_string()),
        (format!("/dubbo/mapping/{SERVICE}"), "order".to_owned()),
        ("/services/order/10.0.0.8:20880".to_owned(), json!({"name": "order", "payload": {"metadata": {"token": CANARY}}, "authorization": format!("Basic {}", basic())}).to_string()),
    ];
    for (name, text) in configs() {
        nodes.push((format!("/dubbo/config/dubbo/{name}"), text));
    }
    nodes
}

/// Files with canaries, by the name that the table of verbs uses.
pub(crate) fn files(folder: &Path) -> Vec<(&'static str, String)> {
    let log = format!(
        "2026-03-04 05:06:07.890 ERROR [main] Failed to check the status of the service {SERVICE}. No provider available for \
         the service {SERVICE} from the url zookeeper://u:{CANARY}@127.0.0.1:1/org.apache.dubbo.registry.RegistryService?\
         application=order-web&password={CANARY}&token={}&interface={SERVICE}&side=consumer to the consumer 10.0.0.9 use \
         dubbo version 2.7.8\n\
         2026-03-04 05:06:08.001 WARN [main] nacos answered 403 for Authorization: Basic {} accessToken={CANARY}\n",
        encoded(),
        basic()
    );
    let calls = format!(
        "{{\"method\":\"get\",\"arguments\":[\"1\"],\"attachments\":{{\"token\":\"{CANARY}\"}}}}\n"
    );
    let rule = &configs()[2].1;
    let properties = &configs()[0].1;
    let texts = [
        ("log", log.as_str()),
        ("properties", properties),
        ("rule", rule),
        ("calls", &calls),
    ];
    texts
        .into_iter()
        .map(|(name, text)| {
            let file = folder.join(if name == "properties" {
                "dubbo.properties".to_owned()
            } else {
                format!("{name}.txt")
            });
            std::fs::write(&file, text).unwrap();
            (name, file.to_str().unwrap().to_owned())
        })
        .collect()
}

/// A live ZooKeeper whose login is the canary, too.
pub(super) fn zookeeper() -> Option<World> {
    let distribution = distribution("secrets in a registry")?;
    let server = Server::start(&distribution, &Options::default());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let client = runtime.block_on(tree::writer(&server.address()));
    let tree: Tree = nodes()
        .into_iter()
        .map(|(path, text)| {
            let node = Node {
                data: text.into_bytes(),
                ephemeral: false,
            };
            (path, node)
        })
        .collect();
    runtime.block_on(tree::fill(&client, &tree));
    let registry = format!("zookeeper://reader:{CANARY}Login@{}", server.address());
    let kept: Vec<Box<dyn Any>> = vec![Box::new(client), Box::new(server), Box::new(runtime)];
    Some(world("a live ZooKeeper", &["--registry", &registry], kept))
}

/// A Nacos 1.x that lets the canary in.
pub(super) fn nacos() -> World {
    let server = NacosServer::start(answer);
    let registry = format!(
        "nacos://reader:{CANARY}Login@{}?accessKey={CANARY}&secretKey={CANARY}",
        server.address
    );
    world(
        "a live Nacos",
        &["--registry", &registry],
        vec![Box::new(server)],
    )
}

fn answer(request: &Request) -> Reply {
    let data_id = request.param("dataId").unwrap_or_default();
    let service = format!("providers:{SERVICE}::");
    Reply::json(match request.path.trim_start_matches("/nacos/") {
        "v3/admin/core/state" => return Reply::new(404, "application/json", "{}"),
        "v1/console/server/state" => json!({"version": "1.4.8", "secretKey": CANARY}),
        "v1/auth/login" => json!({"accessToken": format!("{CANARY}-token"), "tokenTtl": 18000}),
        "v1/console/namespaces" => json!({"code": 200, "data": [{"namespace": "", "namespaceShowName": EVIL}]}),
        "v1/ns/catalog/services" => json!({"count": 2, "serviceList": [
            {"name": service, "groupName": "DEFAULT_GROUP"}, {"name": format!("x{EVIL}"), "groupName": "DEFAULT_GROUP"}]}),
        "v1/ns/service/list" => json!({"count": 2, "doms": [service, format!("x{EVIL}")]}),
        "v1/ns/instance/list" => json!({"hosts": [{"ip": "10.0.0.8", "port": 20880, "healthy": true, "enabled": true,
            "weight": 1.0, "metadata": {"interface": SERVICE, "path": SERVICE, "protocol": "dubbo", "side": "provider",
            "category": "providers", "application": format!("order{EVIL}"), "token": CANARY, "password": CANARY}}]}),
        "v1/ns/catalog/instances" => json!({"count": 0, "list": []}),
        "v1/ns/service" => json!({"protectThreshold": 0.0, "metadata": {"token": CANARY}}),
        "v1/ns/service/subscribers" => json!({"count": 0, "subscribers": []}),
        "v1/cs/configs" if request.param("search").is_some() => {
            let items: Vec<Value> = configs()
                .into_iter()
                .map(|(name, text)| json!({"dataId": name, "group": "dubbo", "content": text}))
                .chain([json!({"dataId": "order", "group": REVISION, "content": metadata()})])
                .collect();
            json!({"totalCount": items.len(), "pageItems": items})
        }
        "v1/cs/configs" => {
            let text = configs().into_iter().find(|(name, _)| *name == data_id).map(|(_, text)| text);
            let text = text.or_else(|| (data_id == "order").then(metadata));
            return match text {
                Some(text) => Reply::new(200, "text/plain", text),
                None => Reply::new(404, "text/plain", "config data not exist"),
            };
        }
        _ => json!({"code": 200, "data": []}),
    }.to_string())
}

/// Servers that refuse and repeat the secret while they do.
pub(super) fn refusing_nacos() -> Vec<World> {
    let echo = |request: &Request| {
        let sent = format!("{:?} {:?} {}", request.headers, request.query, request.body);
        format!(
            "{sent} user=reader&password={CANARY}&accessToken={CANARY} nacos://reader:{CANARY}Login@h:8848 Authorization: Basic {} {}",
            basic(),
            encoded()
        )
    };
    let denied = NacosServer::start(move |request| match request.path.as_str() {
        "/nacos/v1/console/server/state" => Reply::json(r#"{"version":"1.4.8"}"#),
        _ => Reply::new(
            403,
            "application/json",
            json!({"status": 403, "message": echo(request)}).to_string(),
        ),
    });
    let broken = NacosServer::start(move |request| match request.path.as_str() {
        "/nacos/v1/console/server/state" => Reply::json(r#"{"version":"2.5.1"}"#),
        _ => Reply::new(
            500,
            "text/html",
            format!(
                "<html><title>{EVIL}</title><body>{}</body></html>",
                echo(request)
            ),
        ),
    });
    let page = NacosServer::start(move |request| {
        Reply::new(200, "text/html", format!("<html>{}", echo(request)))
    });
    let redirect = NacosServer::start(move |request| {
        let place = format!(
            "https://reader:{CANARY}Login@sso.example/login?token={CANARY}&from={}",
            request.path
        );
        Reply::Http(302, vec![("Location".to_owned(), place)], Vec::new())
    });
    [
        ("a Nacos that refuses", denied),
        ("a Nacos with errors", broken),
        ("a page", page),
        ("a redirect", redirect),
    ]
    .into_iter()
    .map(|(name, server)| {
        let registry = format!("nacos://reader:{CANARY}Login@{}", server.address);
        world(name, &["--registry", &registry], vec![Box::new(server)])
    })
    .collect()
}

/// Recordings of somebody else, not masked by anybody.
pub(super) fn recorded() -> Vec<World> {
    let manifest = |kind: &str, url: &str| {
        json!({"diag_snapshot": 1, "recorded_by": "by hand", "recorded_at": "2026-03-04T05:06:07.000Z",
            "scope": {"services": [], "all": true}, "note": {"password": CANARY}, "ended": "complete",
            "sources": {"r1": {"kind": kind, "roles": ["registry", "config-center", "metadata"], "url": url}}})
        .to_string()
    };
    let mut lines: Vec<String> = Vec::new();
    for (path, text) in nodes() {
        lines.push(json!({"op": "zk.node", "path": path, "text": text}).to_string());
        let (parent, name) = path.rsplit_once('/').unwrap();
        lines.push(
            json!({"op": "zk.node", "path": parent, "children": [name, format!("x{EVIL}")]})
                .to_string(),
        );
    }
    lines.push(json!({"op": "zk.node", "path": format!("/dubbo/{EVIL}"), "err": {"kind": "denied", "text": format!("NoAuth for Basic {} {EVIL}", basic())}}).to_string());
    let zookeeper = manifest(
        "zookeeper",
        &format!(
            "zookeeper://u:{CANARY}@10.0.0.2:2181?password={}",
            encoded()
        ),
    );
    let mut worlds = vec![
        on_disk("a recording of ZooKeeper", &zookeeper, &lines.join("\n")),
        on_disk(
            "a broken line",
            &zookeeper,
            &format!("{{\"op\":\"zk.node\",\"path\":\"/{CANARY}?password={CANARY}\" x"),
        ),
        on_disk(
            "a line without its answer",
            &zookeeper,
            &json!({"op": "zk.node", "path": "/a", "text": 1, "token": CANARY}).to_string(),
        ),
        on_disk(
            "a broken manifest",
            &format!("{{\"password\": \"{CANARY}\","),
            "",
        ),
    ];
    let instance = json!({"ip": "10.0.0.8", "port": 20880, "healthy": true, "enabled": true, "metadata": {"interface": SERVICE, "token": CANARY, "application": EVIL}});
    let text = json!({"hosts": [instance]}).to_string();
    let nacos = [
        json!({"op": "nacos.instances", "api": "v1/ns/instance/list", "namespace": "", "group": "DEFAULT_GROUP", "service": format!("providers:{SERVICE}::"), "http": 200, "text": text}),
        json!({"op": "nacos.config", "api": "v1/cs/configs", "namespace": "", "group": "dubbo", "data_id": "order-web.condition-router", "http": 403, "err": {"kind": "denied", "text": format!("accessToken={CANARY} Basic {}", basic())}}),
        json!({"op": "later.op", "password": CANARY, "shape": {"token": CANARY}}),
    ];
    let nacos: Vec<String> = nacos.iter().map(Value::to_string).collect();
    let url = format!("nacos://u:{CANARY}@10.0.0.1:8848?accessKey={CANARY}");
    worlds.push(on_disk(
        "a recording of Nacos",
        &manifest("nacos", &url),
        &nacos.join("\n"),
    ));
    worlds
}

fn on_disk(name: &'static str, manifest: &str, lines: &str) -> World {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("manifest.json"), manifest).unwrap();
    std::fs::write(folder.path().join("r1.jsonl"), lines).unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    world(name, &["--snapshot", &path], vec![Box::new(folder)])
}

/// Registries that cannot be asked, and files that are not what they should be.
pub(super) fn failing() -> Vec<World> {
    use std::io::Write as _;
    let shouting = impostor(|mut stream| {
        let _ =
            stream.write_all(format!("HTTP/1.1 401 password={CANARY}{EVIL}\r\n\r\n").as_bytes());
    });
    let banner = impostor(|mut stream| {
        let _ =
            stream.write_all(format!("220 mail {CANARY}Login token={CANARY}{EVIL}\r\n").as_bytes());
    });
    let port = free_port();
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("diag.toml");
    std::fs::write(
        &config,
        format!("registry = 'zookeeper://u:{CANARY}@127.0.0.1:1'\npassword = '{CANARY}\n"),
    )
    .unwrap();
    let archive = folder.path().join("s.tar.gz");
    std::fs::write(&archive, format!("password={CANARY}")).unwrap();
    let at = |address: &str| format!("zookeeper://reader:{CANARY}Login@{address}");
    vec![
        world(
            "a closed port",
            &["--registry", &at(&format!("127.0.0.1:{port}"))],
            vec![],
        ),
        world(
            "a closed Nacos",
            &[
                "--registry",
                &format!("nacos://reader:{CANARY}Login@127.0.0.1:{port}"),
            ],
            vec![],
        ),
        world(
            "an unknown host",
            &["--registry", &at("no-such-host.invalid:2181")],
            vec![],
        ),
        world("an HTTP server", &["--registry", &at(&shouting)], vec![]),
        world("a mail server", &["--registry", &at(&banner)], vec![]),
        world(
            "no address",
            &[
                "--registry",
                &format!("zookeeper://reader:{CANARY}Login@h:x"),
            ],
            vec![],
        ),
        world(
            "no archive",
            &["--snapshot", archive.to_str().unwrap()],
            vec![],
        ),
        world(
            "broken settings",
            &["--config", config.to_str().unwrap()],
            vec![Box::new(folder)],
        ),
    ]
}
