//! A real r-nacos, filled by its API: what the program says of it, and that it leaves no trace there.
//!
//! `DIAG_TEST_RNACOS` names the program (crate `rnacos`); without it the tests are skipped with a note.

#![expect(
    clippy::print_stderr,
    reason = "a skipped test says so in the test output"
)]

use std::{
    fmt::Write as _,
    path::PathBuf,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use process::Rnacos;

use super::{
    server::ports,
    verbs::{Ran, diag_with},
};

pub(crate) mod process;

const SERVICE: &str = "com.acme.Order:1.0";
const NAME: &str = "providers:com.acme.Order:1.0:";
const PASSWORD: &str = "c4n4ry-pass";

/// Where r-nacos differs from Nacos, as far as answers of the program show it. One line each, so that a new release
/// that changes one is noticed here and nowhere else.
const DIFFERENCES: [(&str, &str); 3] = [
    ("version", "r-nacos"),
    // It lists no disabled instance anywhere, but counts it: the answer stays open, with the cause among the possible.
    ("all-disabled", "unknown DG2105 DG3001 DG3002"),
    // It has no list of those who listen to a configuration.
    ("listeners", "405"),
];

fn difference(name: &str) -> &'static str {
    DIFFERENCES
        .iter()
        .find(|(known, _)| *known == name)
        .unwrap()
        .1
}

/// Every byte percent-encoded.
fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "%{byte:02X}");
        out
    })
}

fn start(login: bool) -> Option<Rnacos> {
    let Some(program) = std::env::var_os("DIAG_TEST_RNACOS").map(PathBuf::from) else {
        eprintln!("skipped: set DIAG_TEST_RNACOS to the program of r-nacos");
        return None;
    };
    let port = || ports(true).0.local_addr().unwrap().port();
    let password = login.then_some(PASSWORD);
    Some(Rnacos::start(&program, password, port).expect("r-nacos"))
}

impl Rnacos {
    fn call(&self, method: &str, target: &str, form: &str) -> String {
        let (status, body) = self.try_call(method, target, form).expect("an answer");
        assert_eq!(status, 200, "{method} {target}: {body}");
        body
    }

    fn register(&self, namespace: &str, group: &str, ip: &str, more: &str) {
        let metadata = json!({
            "application": "order", "interface": "com.acme.Order", "version": "1.0", "category": "providers",
            "path": "com.acme.Order", "protocol": "dubbo", "side": "provider", "release": "2.7.23",
        });
        let encoded = percent(&metadata.to_string());
        let name = NAME.replace(':', "%3A");
        let form = format!(
            "serviceName={name}&groupName={group}&namespaceId={namespace}&ip={ip}&port=20880&ephemeral=true\
             &metadata={encoded}{more}"
        );
        self.call("POST", "/nacos/v1/ns/instance", &form);
    }

    fn ask(&self, query: &str, more: &[&str]) -> Ran {
        self.ask_as(&[], query, more)
    }

    fn ask_as(&self, variables: &[(&str, &str)], query: &str, more: &[&str]) -> Ran {
        let registry = format!("nacos://127.0.0.1:{}{query}", self.port);
        let args = [
            "no-provider",
            SERVICE,
            "-o",
            "json",
            "--registry",
            &registry,
            "--consumer-app",
            "web",
            "--consumer-ip",
            "10.9.0.1",
            "--dubbo",
            "2.7.23",
            "--consumer",
            "starting",
            "--deadline",
            "60s",
            "--request-timeout",
            "20s",
        ];
        diag_with(self.home.path(), variables, &[&args[..], more].concat())
    }

    /// Who subscribes to what, and how many services and configurations there are: what reading must not change.
    fn traces(&self) -> Vec<String> {
        let mut traces = Vec::new();
        for namespace in ["public", "prod"] {
            for group in ["DEFAULT_GROUP", "G2"] {
                let place =
                    format!("groupName={group}&namespaceId={namespace}&pageNo=1&pageSize=100");
                let name = NAME.replace(':', "%3A");
                for target in [
                    format!("/nacos/v1/ns/service/subscribers?serviceName={name}&{place}"),
                    format!("/nacos/v1/ns/service/list?{place}"),
                ] {
                    traces.push(self.call("GET", &target, ""));
                }
            }
            let tenant = if namespace == "public" { "" } else { namespace };
            let all = format!(
                "/nacos/v1/cs/configs?search=blur&dataId=&group=&tenant={tenant}&pageNo=1&pageSize=100"
            );
            traces.push(self.call("GET", &all, ""));
        }
        let listener = "/nacos/v1/cs/configs/listener?dataId=com.acme.Order%3A1.0%3A.condition-router&group=dubbo";
        let (status, _) = self.try_call("GET", listener, "").unwrap();
        traces.push(status.to_string());
        traces
    }
}

fn said(ran: &Ran) -> String {
    let report = ran.report();
    let one = &report["reports"][0];
    let mut words = vec![one["outcome"].as_str().unwrap_or("-").to_owned()];
    match one["verdict"]["code"].as_str() {
        Some(code) => words.push(code.to_owned()),
        None => words.extend(
            one["candidates"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|candidate| candidate["code"].as_str().map(str::to_owned)),
        ),
    }
    words.join(" ")
}

fn has(ran: &Ran, code: &str) -> bool {
    let report = ran.report();
    let one = &report["reports"][0];
    [&one["findings"], &one["candidates"]]
        .iter()
        .filter_map(|list| list.as_array())
        .flatten()
        .any(|item: &Value| item["code"] == code)
}

#[test]
fn a_fleet_on_a_real_server() {
    let Some(server) = start(false) else { return };
    // Nothing yet.
    assert_eq!(said(&server.ask("", &[])), "none DG2105");
    // In another namespace, then in another group, too.
    server.register("prod", "DEFAULT_GROUP", "10.1.0.1", "");
    let ran = server.ask("", &[]);
    assert_eq!(said(&ran), "none DG2105");
    assert!(has(&ran, "DG2001"), "{}", ran.stdout);
    assert_eq!(said(&server.ask("?namespace=prod", &[])), "reachable");
    assert_eq!(
        said(&server.ask("?namespace=Production", &[])),
        "none DG2003"
    );
    server.register("public", "G2", "10.1.0.2", "");
    let ran = server.ask("", &[]);
    assert!(has(&ran, "DG2002"), "{}", ran.stdout);
    assert_eq!(said(&server.ask("?group=G2", &[])), "reachable");
    // Disabled here, then healthy beside it.
    server.register("public", "DEFAULT_GROUP", "10.1.0.3", "&enabled=false");
    assert_eq!(said(&server.ask("", &[])), difference("all-disabled"));
    server.register("public", "DEFAULT_GROUP", "10.1.0.4", "");
    let ran = server.ask("", &[]);
    assert_eq!(said(&ran), "reachable", "{}", ran.stdout);
    assert_eq!(
        ran.report()["sources"]["r1"]["server"],
        difference("version")
    );
    assert!(!has(&ran, "DG1005"), "{}", ran.stdout);

    // A rule is read, by its own key and by the part that names the interface.
    let rule = "configVersion: v3.0\nforce: true\nenabled: true\nscope: service\nkey: 'com.acme.Order:1.0:'\nconditions:\n  - '=> host = 10.7.7.7'\n";
    let content = percent(rule);
    let rule_of = |key: &str| format!("dataId={key}&group=dubbo&tenant=&content={content}");
    server.call(
        "POST",
        "/nacos/v1/cs/configs",
        &rule_of("com.acme.Order%3A1.0%3A.condition-router"),
    );
    server.call(
        "POST",
        "/nacos/v1/cs/configs",
        &rule_of("com.acme.Order%3A9.9%3A.condition-router"),
    );
    let registry = format!("nacos://127.0.0.1:{}", server.port);
    let before = server.traces();
    read_with_every_verb(&server, &registry);
    let ran = server.ask("", &[]);
    assert_ne!(
        said(&ran),
        "reachable",
        "a rule that selects nobody is left out"
    );
    assert_eq!(server.traces(), before, "reading leaves a trace");
    assert_eq!(
        before.last().map(String::as_str),
        Some(difference("listeners"))
    );
}

/// Every verb that asks a registry, in every way in which it does.
fn read_with_every_verb(server: &Rnacos, registry: &str) {
    let home = server.home.path();
    let rule = "com.acme.Order%3A1.0%3A.condition-router";
    let text = "configVersion: v3.0\nforce: true\nconditions:\n- \"=> host = 10.1.0.*\"\n";
    std::fs::write(home.join(rule), text).unwrap();
    let settings = format!("[profiles.pre]\nregistry = '{registry}'\nconsumer-app = 'web'\n");
    std::fs::write(home.join("diag.toml"), settings).unwrap();
    let out = home.join("recording").display().to_string();
    let one = format!("{out}-one");
    let all = format!("{out}-all");
    let asked = [
        &["snapshot", SERVICE, "--out", &one][..],
        &["snapshot", "--all", "--out", &all],
        &["snapshot", SERVICE, "--dry-run"],
        &["no-provider", SERVICE],
        &["no-provider", SERVICE, "--dubbo", "3.2.16", "--probe"],
        &["no-provider", SERVICE, "--dubbo", "3.3.6", "--no-sweep"],
        &["no-provider", SERVICE, "--wait", "1s"],
        &[
            "no-provider",
            SERVICE,
            "--compare",
            "pre",
            "--config",
            "diag.toml",
        ],
        &[
            "no-provider",
            "com.acme.Missing:1.0",
            "--also-search",
            registry,
        ],
        &["timeout-budget", SERVICE, "get", "--probe"],
        &["route-replay", SERVICE],
        &["route-replay", SERVICE, "--candidate", rule],
        &["lint", rule],
    ];
    for verb in asked {
        let limits = ["--deadline", "60s", "--request-timeout", "20s"];
        let args = [verb, &["--registry", registry], &limits].concat();
        let ran = diag_with(home, &[], &args);
        assert!(
            (0..=3).contains(&ran.exit) && ran.exit != 2,
            "{verb:?}: {}",
            ran.stderr
        );
        if verb.contains(&"--out") {
            assert_eq!(ran.exit, 0, "{}", ran.stderr);
        }
    }
    let names = [
        "__names",
        "no-provider",
        SERVICE,
        "--registry",
        registry,
        "--group",
        "",
    ];
    assert_eq!(diag_with(home, &[], &names).exit, 0);
    for to in [one, all] {
        let lines = std::fs::read_to_string(format!("{to}/r1.jsonl")).unwrap();
        for version in ["1.0", "9.9"] {
            let key = format!("com.acme.Order:{version}:.condition-router");
            assert!(lines.contains(&key), "{to}: {key}");
        }
    }
}

#[test]
fn without_beats_an_instance_is_called_dead_and_goes() {
    let Some(server) = start(false) else { return };
    server.register("public", "DEFAULT_GROUP", "10.1.0.1", "");
    server.register("public", "DEFAULT_GROUP", "10.1.0.2", "");
    let start = Instant::now();
    // The second one goes on beating.
    let mut unhealthy = false;
    let mut alone = false;
    while start.elapsed() < Duration::from_secs(60) && !alone {
        server.register("public", "DEFAULT_GROUP", "10.1.0.2", "");
        let ran = server.ask("", &[]);
        assert_eq!(said(&ran), "reachable", "{}", ran.stdout);
        let list = "/nacos/v1/ns/instance/list?healthyOnly=false&serviceName=";
        let all = server.call("GET", &format!("{list}{}", NAME.replace(':', "%3A")), "");
        unhealthy |= all.contains("\"healthy\":false");
        alone = !all.contains("10.1.0.1");
        std::thread::sleep(Duration::from_secs(3));
    }
    assert!(unhealthy && alone, "{:?}", start.elapsed());
    assert!(start.elapsed() > Duration::from_secs(25));
}

#[test]
fn a_login_is_needed_and_refused_in_words() {
    let Some(server) = start(true) else { return };
    let user = ["--username", "nacos"];
    let right = server.ask_as(&[("DIAG_PASSWORD", PASSWORD)], "", &user);
    assert_eq!(said(&right), "none DG2105", "{}", right.stdout);
    for (variables, more) in [
        (&[][..], &[][..]),
        (&[("DIAG_PASSWORD", "wr0ng-one")][..], &user[..]),
    ] {
        let ran = server.ask_as(variables, "", more);
        assert!(has(&ran, "DG1003"), "{}", ran.stdout);
        assert!(!ran.stdout.contains("wr0ng-one") && !ran.stderr.contains("wr0ng-one"));
    }
    assert!(!right.stdout.contains(PASSWORD) && !right.stderr.contains(PASSWORD));
}
