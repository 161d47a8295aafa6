//! The binary against real servers and impostors: the right finding in time, reads only, and a clean end.

use std::{
    collections::BTreeSet,
    path::Path,
    process::{Child, Command, Output, Stdio},
    time::{Duration, SystemTime},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    cases::planned,
    secrets::worlds::files,
    verbs::{VERBS, arguments},
};

use super::{
    block, impostors,
    proxy::{Proxy, Request},
    server::{Options, Server, distribution, free_port},
    tree::{self, Node, Tree},
};

const SERVICE: &str = "com.x.Order";

/// One run of the program.
struct Ran {
    exit: i32,
    stdout: String,
    stderr: String,
    took: Duration,
}

fn program(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diag"));
    command
        .env_clear()
        .env("HOME", home)
        .env("LANG", "C")
        .current_dir(home)
        .args(args);
    command
}

fn diag(home: &Path, args: &[&str]) -> Ran {
    let start = SystemTime::now();
    let output = program(home, args).output().expect("the program");
    ran(&output, start)
}

fn ran(output: &Output, start: SystemTime) -> Ran {
    Ran {
        exit: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout.clone()).expect("text"),
        stderr: String::from_utf8(output.stderr.clone()).expect("text"),
        took: start.elapsed().unwrap_or_default(),
    }
}

impl Ran {
    fn report(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }

    /// All codes that the report names, as verdict, candidate or finding.
    fn codes(&self) -> BTreeSet<String> {
        let report = self.report();
        let one = &report["reports"][0];
        let lists = [&one["candidates"], &one["findings"]];
        let many = lists.iter().filter_map(|list| list.as_array()).flatten();
        let codes = many
            .chain([&one["verdict"]])
            .filter_map(|item| item["code"].as_str());
        codes.map(str::to_owned).collect()
    }
}

/// Asks for the service as a starting consumer of a line that knows interfaces only.
fn ask(home: &Path, registry: &str) -> Ran {
    let args = ["no-provider", SERVICE, "--registry", registry, "-o", "json"];
    let application = ["--consumer-app", "order-web", "--consumer-ip", "10.9.9.9"];
    let line = ["--dubbo", "2.7.23", "--consumer", "starting"];
    diag(home, &[&args[..], &application, &line].concat())
}

fn expect(home: &Path, registry: &str, code: &str) {
    let ran = ask(home, registry);
    assert!(
        ran.codes().contains(code),
        "{registry}: {code} is not in {}\n{}",
        ran.stdout,
        ran.stderr
    );
    assert!([1, 3].contains(&ran.exit), "{registry}: exit {}", ran.exit);
    assert!(
        ran.took < Duration::from_secs(11),
        "{registry}: {:?}",
        ran.took
    );
    let outcome = &ran.report()["reports"][0]["outcome"];
    assert_ne!(outcome, "reachable", "{registry}");
}

/// A fleet with one provider, a rule and an application-level instance.
fn fleet() -> Tree {
    let entry = "dubbo%3A%2F%2F10.0.0.7%3A20880%2Fcom.x.Order%3Fapplication%3Dorder%26category%3Dproviders\
                 %26dubbo%3D2.0.2%26interface%3Dcom.x.Order%26release%3D3.2.16%26side%3Dprovider";
    let of = |data: &str, ephemeral| Node {
        data: data.into(),
        ephemeral,
    };
    Tree::from([
        (
            format!("/dubbo/com.x.Order/providers/{entry}"),
            of("10.0.0.7", true),
        ),
        (
            "/dubbo/com.x.Order/configurators".into(),
            of("10.9.9.9", false),
        ),
        ("/dubbo/com.x.Order/routers".into(), of("10.9.9.9", false)),
        (
            "/dubbo/config/dubbo/order.condition-router".into(),
            of("conditions:\n  - '=> host = 10.0.*'\n", false),
        ),
        ("/dubbo/mapping/com.x.Order".into(), of("order", false)),
        (
            "/services/order/10.0.0.7:20880".into(),
            of("{\"name\":\"order\"}", true),
        ),
        ("/kafka/brokers/ids/0".into(), of("{}", false)),
    ])
}

#[test]
fn each_failure_has_its_finding() {
    let home = TempDir::new().expect("a home");
    let home = home.path();
    expect(
        home,
        &format!("zookeeper://127.0.0.1:{}", free_port()),
        "DG1001",
    );
    expect(home, "zookeeper://no-such-host.invalid:2181", "DG1001");
    expect(
        home,
        &format!("zookeeper://{}", impostors::impostor(impostors::silent)),
        "DG1001",
    );
    expect(
        home,
        &format!("zookeeper://{}", impostors::impostor(drop)),
        "DG1001",
    );
    expect(
        home,
        &format!("zookeeper://{}", impostors::impostor(impostors::http)),
        "DG1002",
    );
}

#[test]
fn a_wrong_password_is_a_refusal_and_is_never_shown() {
    let Some(distribution) = distribution("a wrong password") else {
        return;
    };
    let home = TempDir::new().expect("a home");
    let server = Server::start(&distribution, &Options::default());
    block(async {
        let client = tree::writer(&server.address()).await;
        tree::fill(
            &client,
            &Tree::from([("/dubbo/other".into(), Node::default())]),
        )
        .await;
        let digest = "reader:veXBjYw3BYf6uxpNlI5qut624hs=";
        tree::closed_node(&client, "/dubbo/com.x.Order", digest).await;
    });
    let registry = format!("zookeeper://reader:canaryWrong@{}", server.address());
    expect(home.path(), &registry, "DG1003");
    let ran = ask(home.path(), &registry);
    assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("canaryWrong"));
    let right = ask(
        home.path(),
        &format!("zookeeper://reader:right@{}", server.address()),
    );
    assert!(!right.codes().contains("DG1003"), "{}", right.stdout);
}

#[test]
fn a_lost_quorum_is_its_own_finding() {
    let Some(distribution) = distribution("a lost quorum") else {
        return;
    };
    let home = TempDir::new().expect("a home");
    let (peer, election) = (free_port(), free_port());
    let config = vec![
        format!("server.1=127.0.0.1:{peer}:{election}"),
        format!("server.2=127.0.0.1:{}:{}", free_port(), free_port()),
    ];
    let server = Server::spawn(
        &distribution,
        &Options {
            config,
            id: Some(1),
            ..Options::default()
        },
    );
    server.wait_for("not currently serving");
    expect(
        home.path(),
        &format!("zookeeper://{}", server.address()),
        "DG1004",
    );
}

#[test]
fn a_list_that_a_java_client_would_refuse() {
    let Some(distribution) = distribution("a long list of providers") else {
        return;
    };
    let home = TempDir::new().expect("a home");
    let server = Server::start(&distribution, &Options::default());
    let methods = "m".repeat(800);
    let names = (0..2300).map(|n| {
        format!(
            "dubbo%3A%2F%2F10.1.{}.{}%3A20880%2Fcom.x.Order%3Finterface%3Dcom.x.Order%26methods%3D{methods}",
            n / 250,
            n % 250
        )
    });
    let tree: Tree = names
        .map(|name| {
            (
                format!("/dubbo/com.x.Order/providers/{name}"),
                Node::default(),
            )
        })
        .collect();
    block(async {
        let client = tree::writer(&server.address()).await;
        tree::fill(&client, &tree).await;
    });
    // The server sends it all; whether the consumer's client takes it is not known.
    let registry = format!("zookeeper://{}", server.address());
    let args = [
        "no-provider",
        SERVICE,
        "--registry",
        &registry,
        "-o",
        "json",
    ];
    let read = diag(home.path(), &[&args[..], &["--deadline", "60s"]].concat());
    assert!(read.codes().contains("DG1010"), "{}", read.stdout);
    assert_eq!(read.report()["reports"][0]["outcome"], "unknown");
    // Somebody in between closes the connection instead.
    let strict = Proxy::limited(&server.address(), 1 << 20);
    expect(
        home.path(),
        &format!("zookeeper://{}", strict.address()),
        "DG1010",
    );
}

#[test]
fn a_server_that_dies_in_the_middle_leaves_no_wrong_verdict() {
    let Some(distribution) = distribution("a server that dies") else {
        return;
    };
    let home = TempDir::new().expect("a home");
    let server = Server::start(&distribution, &Options::default());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    let client = runtime.block_on(tree::writer(&server.address()));
    let mut fleet = fleet();
    fleet.retain(|path, _| !path.contains("router"));
    runtime.block_on(tree::fill(&client, &fleet));
    let healthy = ask(home.path(), &format!("zookeeper://{}", server.address()));
    assert_eq!(
        healthy.report()["reports"][0]["outcome"],
        "reachable",
        "{}",
        healthy.stdout
    );
    // Before anything of the service was read, the registry is what is wrong.
    let proxy = Proxy::dying(&server.address(), 4);
    expect(
        home.path(),
        &format!("zookeeper://{}", proxy.address()),
        "DG1001",
    );
    for requests in [8, 12, 16, 24, 40] {
        let proxy = Proxy::dying(&server.address(), requests);
        let ran = ask(home.path(), &format!("zookeeper://{}", proxy.address()));
        let answer = ran.report()["reports"][0].clone();
        let unreachable = answer["verdict"]["code"] == "DG1001";
        assert!(
            unreachable || answer["outcome"] == "unknown" || answer["outcome"] == "reachable",
            "after {requests} requests: {}",
            ran.stdout
        );
        assert!(ran.took < Duration::from_secs(11), "{:?}", ran.took);
    }
}

#[test]
fn rules_are_replayed_and_linted_on_what_the_registry_has() {
    let Some(distribution) = distribution("rules on a live registry") else {
        return;
    };
    let home = TempDir::new().expect("a home");
    let home = home.path();
    let server = Server::start(&distribution, &Options::default());
    block(async {
        let client = tree::writer(&server.address()).await;
        // A replay does not look at instances of an application and would leave the outcome open.
        let mut tree = fleet();
        tree.retain(|path, _| !path.starts_with("/services") && !path.contains("/mapping/"));
        tree::fill(&client, &tree).await;
    });
    let registry = format!("zookeeper://{}", server.address());
    let forced = "force: true\nconditions:\n- '=> host = 10.1.0.9'\n";
    std::fs::write(home.join("forced.yaml"), forced).expect("a file");
    let live = ["--registry", &registry, "-o", "json", "--dubbo", "3.3.6"];
    let consumer = ["--consumer-app", "order-web", "--consumer-ip", "10.9.9.9"];
    let replay = |more: &[&str]| {
        let args = ["route-replay", SERVICE, "--consumer", "starting"];
        diag(home, &[&args[..], &live, &consumer, more].concat())
    };
    let now = replay(&[]);
    assert_eq!(now.exit, 0, "{}{}", now.stdout, now.stderr);
    let class = &now.report()["reports"][0]["replay"]["classes"][0];
    assert_eq!(class["survivors"], serde_json::json!(["10.0.0.7:20880"]));
    let stages = class["stages"].as_array().expect("stages");
    assert!(
        stages
            .iter()
            .any(|it| it["id"] == "X.condition.provider-app")
    );
    let what_if = replay(&["-f", "order.condition-router=forced.yaml"]);
    assert_eq!(what_if.exit, 1, "{}", what_if.stdout);
    assert!(what_if.codes().contains("DG5001"), "{}", what_if.stdout);
    let args = [
        "lint",
        "forced.yaml",
        "--key",
        "com.x.Order::.condition-router",
    ];
    let linted = diag(home, &[&args[..], &live].concat());
    assert_eq!(linted.exit, 1, "{}{}", linted.stdout, linted.stderr);
    assert_eq!(linted.report()["reports"][0]["rule"]["providers"], 1);
    for code in ["DG8007", "DG8008"] {
        assert!(linted.codes().contains(code), "{code}: {}", linted.stdout);
    }
}

#[test]
fn all_verbs_only_read_and_leave_the_tree_as_it_was() {
    let Some(distribution) = distribution("the requests of all verbs") else {
        return;
    };
    let home = TempDir::new().expect("a home");
    let server = Server::start(&distribution, &Options::default());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    let client = runtime.block_on(tree::writer(&server.address()));
    runtime.block_on(tree::fill(&client, &fleet()));
    runtime.block_on(tree::closed_node(
        &client,
        "/dubbo/closed",
        "reader:veXBjYw3BYf6uxpNlI5qut624hs=",
    ));
    let before = runtime.block_on(tree::dump(&client));

    let proxies = [
        Proxy::start(&server.address()),
        Proxy::limited(&server.address(), 200),
        Proxy::start(&server.address()),
    ];
    let [proxy, strict, other] = &proxies;
    let gone = free_port();
    let worlds = [
        vec![format!("zookeeper://{}", proxy.address())],
        vec![format!("zookeeper://reader:right@{}", proxy.address())],
        vec![format!(
            "zookeeper://reader:wrong@{}?group=closed",
            proxy.address()
        )],
        vec![format!("zookeeper://{}", strict.address())],
        vec![format!(
            "zookeeper://{}?backup={},127.0.0.1:{gone}",
            proxy.address(),
            other.address()
        )],
        // Stopped at different moments.
        vec![
            format!("zookeeper://{}", proxy.address()),
            "--deadline".into(),
            "1ms".into(),
        ],
        vec![
            format!("zookeeper://{}", proxy.address()),
            "--deadline".into(),
            "40ms".into(),
        ],
    ];
    let given = TempDir::new().expect("a folder");
    let files = files(given.path());
    let mut asked = 0;
    for verb in VERBS {
        for (number, world) in worlds.iter().enumerate() {
            let before: usize = proxies.iter().map(|proxy| proxy.seen().len()).sum();
            let out = home.path().join(format!("{asked}-{number}"));
            let more = [&["--registry".to_owned()], &world[..]].concat();
            let args = arguments(verb, &more, &files, &out);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let ran = diag(home.path(), &args);
            assert!(
                [0, 1, 2, 3].contains(&ran.exit),
                "{args:?}: exit {}\n{}\n{}",
                ran.exit,
                ran.stdout,
                ran.stderr
            );
            let after: usize = proxies.iter().map(|proxy| proxy.seen().len()).sum();
            asked += usize::from(after > before);
        }
    }
    assert!(asked > 60, "{asked} runs asked");
    // A server that is killed in the middle, and a user who has seen enough.
    for (verb, requests) in [
        ("no-provider", 5),
        ("no-provider", 15),
        ("snapshot", 9),
        ("snapshot", 30),
    ] {
        let dying = Proxy::dying(&server.address(), requests);
        let registry = format!("zookeeper://{}", dying.address());
        let what = if verb == "snapshot" { "--all" } else { SERVICE };
        let out = format!("dying-{requests}");
        let mut args = vec![verb, what, "--registry", &registry, "--deadline", "4s"];
        if verb == "snapshot" {
            args.extend(["--out", &out]);
        }
        let ran = diag(home.path(), &args);
        assert!([0, 1, 3].contains(&ran.exit), "{args:?}: {}", ran.stderr);
    }
    let registry = format!("zookeeper://{}", proxy.address());
    for pause in [10, 40, 120] {
        let out = format!("stopped-{pause}");
        for args in [
            vec!["no-provider", SERVICE, "--registry", &registry],
            vec!["snapshot", "--all", "--registry", &registry, "--out", &out],
        ] {
            let child = program(home.path(), &args)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the program");
            std::thread::sleep(Duration::from_millis(pause));
            interrupt(&child);
            child.wait_with_output().expect("its output");
        }
    }
    let requests: usize = proxies.iter().map(|proxy| proxy.seen().len()).sum();
    assert!(requests > 1000, "{requests}");
    let seen: BTreeSet<String> = proxy
        .seen()
        .into_iter()
        .map(|request| request.name)
        .collect();
    for expected in [
        "connect",
        "auth",
        "exists",
        "getData",
        "getChildren2",
        "closeSession",
    ] {
        assert!(seen.contains(expected), "no {expected}");
    }
    let foreign = |request: &Request| {
        request
            .path
            .as_ref()
            .is_some_and(|path| path.starts_with("/kafka/brokers/ids"))
    };
    assert!(
        !proxy.seen().iter().any(foreign),
        "what others keep there is left alone"
    );
    assert_eq!(runtime.block_on(tree::dump(&client)), before);
}

#[test]
fn a_dry_run_asks_nobody_and_names_what_is_asked() {
    let Some(distribution) = distribution("a dry run") else {
        return;
    };
    let home = TempDir::new().expect("a home");
    let server = Server::start(&distribution, &Options::default());
    block(async {
        let client = tree::writer(&server.address()).await;
        tree::fill(&client, &fleet()).await;
    });
    for (what, out) in [(SERVICE, "one"), ("--all", "all")] {
        let proxy = Proxy::start(&server.address());
        let registry = format!("zookeeper://{}", proxy.address());
        let args = ["snapshot", what, "--registry", &registry];
        let dry = diag(home.path(), &[&args[..], &["--dry-run"]].concat());
        assert_eq!(dry.exit, 0, "{}", dry.stderr);
        assert_eq!(proxy.seen(), [], "nothing is sent");
        let ran = diag(home.path(), &[&args[..], &["--out", out]].concat());
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        let seen = proxy.seen();
        let mut asked = 0;
        for request in &seen {
            let Some(path) = &request.path else { continue };
            let line = format!("zookeeper {}: {} {path}", proxy.address(), request.name);
            let named = dry.stdout.lines().any(|form| {
                let form = form.strip_suffix(" (is it Dubbo's?)").unwrap_or(form);
                planned::fits(form, &line)
            });
            assert!(named || request.name == "sync", "{line}: {}", dry.stdout);
            asked += 1;
        }
        assert!(asked > 20, "{asked}");
        for word in ["srvr", "connect", "sync", "closeSession"] {
            assert!(dry.stdout.contains(word), "{word}: {}", dry.stdout);
            assert!(seen.iter().any(|request| request.name == word), "{word}");
        }
    }
}

#[test]
fn ctrl_c_ends_with_a_complete_report() {
    let home = TempDir::new().expect("a home");
    let registry = format!("zookeeper://{}", impostors::impostor(impostors::silent));
    let args = [
        "no-provider",
        SERVICE,
        "--registry",
        &registry,
        "-o",
        "json",
        "--deadline",
        "30s",
    ];
    let child = program(home.path(), &args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = child.expect("the program");
    std::thread::sleep(Duration::from_millis(700));
    let start = SystemTime::now();
    interrupt(&child);
    let ran = ran(&child.wait_with_output().expect("its output"), start);
    assert_eq!(ran.exit, 130, "{}", ran.stderr);
    assert!(ran.took < Duration::from_secs(1), "{:?}", ran.took);
    let report = ran.report();
    assert_eq!(report["interrupted"], true);
    assert_eq!(report["reports"][0]["outcome"], "unknown");
}

/// The signal of Ctrl-C.
fn interrupt(child: &Child) {
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("kill").success());
}
