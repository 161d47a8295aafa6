//! Several members: each is asked, one that is gone is passed over, lists have pages, requests are bounded.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use diag::snapshot::{Key, Payload};

use super::{
    instances, observe,
    server::{Reply, Server},
};

/// A 2.x that knows one instance.
fn knowing(ip: &'static str) -> Server {
    Server::start(move |request| match request.path.as_str() {
        "/nacos/v3/admin/core/state" => Reply::new(404, "application/json", "{}"),
        "/nacos/v1/console/server/state" => Reply::json(r#"{"version":"2.5.1"}"#),
        _ => Reply::json(format!(r#"{{"hosts":[{{"ip":"{ip}"}}]}}"#)),
    })
}

fn closed() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

#[test]
fn each_member_says_what_it_knows() {
    let (one, two) = (knowing("10.0.0.1"), knowing("10.0.0.2"));
    let gone = closed();
    let address = format!("nacos://{}?backup={},{gone}", one.address, two.address);
    let seen = observe(&address, &[instances("s")]);
    let mut said: Vec<(String, String)> = seen
        .lines(&instances("s"))
        .iter()
        .map(|line| {
            let Payload::Text(text) = &line.payload else {
                panic!("{line:?}");
            };
            (line.via.clone().unwrap(), text.clone())
        })
        .collect();
    said.sort();
    let mut expected = vec![
        (
            one.address.clone(),
            r#"{"hosts":[{"ip":"10.0.0.1"}]}"#.to_owned(),
        ),
        (
            two.address.clone(),
            r#"{"hosts":[{"ip":"10.0.0.2"}]}"#.to_owned(),
        ),
    ];
    expected.sort();
    assert_eq!(said, expected);
    let states = seen.lines(&Key::NacosState);
    assert_eq!(states.len(), 3);
    let refused = states
        .iter()
        .find(|line| line.via.as_ref() == Some(&gone))
        .unwrap();
    assert_eq!(refused.err_kind().unwrap().as_str(), "refused");
}

#[test]
fn many_keys_are_asked_of_one_member_and_never_too_many_at_once() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&most);
    let one = Server::start(move |request| {
        let there = now.fetch_add(1, Ordering::SeqCst) + 1;
        counted.fetch_max(there, Ordering::SeqCst);
        std::thread::sleep(std::time::Duration::from_millis(2));
        now.fetch_sub(1, Ordering::SeqCst);
        match request.path.as_str() {
            "/nacos/v3/admin/core/state" => Reply::new(404, "application/json", "{}"),
            "/nacos/v1/console/server/state" => Reply::json(r#"{"version":"2.5.1"}"#),
            _ => Reply::json(r#"{"hosts":[]}"#),
        }
    });
    let two = knowing("10.0.0.2");
    let keys: Vec<Key> = (0..400)
        .map(|number| instances(&format!("s{number}")))
        .collect();
    let seen = observe(
        &format!("nacos://{}?backup={}", one.address, two.address),
        &keys,
    );
    for key in &keys {
        assert_eq!(seen.said(key), "answer", "{key}");
    }
    let asked = |server: &Server| {
        let requests = server.requests();
        requests
            .iter()
            .filter(|request| request.path.ends_with("instance/list"))
            .count()
    };
    assert_eq!(asked(&one) + asked(&two), 400);
    let most = most.load(Ordering::SeqCst);
    assert!(
        (2..=diag::observe::nacos::MOST_AT_ONCE).contains(&most),
        "{most} at once"
    );
}

/// `total` services in pages; beyond the end a page is empty, as with the real ones.
fn listing(total: usize) -> Server {
    Server::start(move |request| match request.path.as_str() {
        "/nacos/v3/admin/core/state" => Reply::new(404, "application/json", "{}"),
        "/nacos/v1/console/server/state" => Reply::json(r#"{"version":"1.4.8"}"#),
        _ => {
            let number = |name: &str| request.param(name).unwrap().parse::<usize>().unwrap();
            let (page, size) = (number("pageNo"), number("pageSize"));
            let names: Vec<String> = (0..total)
                .skip((page - 1) * size)
                .take(size)
                .map(|number| format!("s{number}"))
                .collect();
            Reply::json(serde_json::json!({"count": total, "doms": names}).to_string())
        }
    })
}

#[test]
fn all_pages_are_read() {
    let key = Key::NacosServices {
        namespace: "prod".into(),
        group: Some("DEFAULT_GROUP".into()),
    };
    for (total, pages) in [(0, 1), (1, 1), (500, 1), (501, 2), (1700, 4)] {
        let server = listing(total);
        let seen = observe(
            &format!("nacos://{}", server.address),
            std::slice::from_ref(&key),
        );
        let lines = seen.lines(&key);
        assert_eq!(lines.len(), pages, "{total}");
        let names: usize = lines
            .iter()
            .map(|line| match &line.payload {
                Payload::Text(text) => text.matches("\"s").count(),
                other => panic!("{other:?}"),
            })
            .sum();
        assert_eq!(names, total);
    }
}

/// What the report says of members: text and JSON of a run.
fn told(run: impl Fn(&[&str]) -> super::verbs::Ran) -> (String, Vec<String>) {
    let text = run(&["-o", "text"]);
    let json = run(&["-o", "json"]);
    assert_eq!(text.exit, json.exit);
    let report = json.report();
    let not_seen = report["reports"][0]["not_seen"].as_array().unwrap();
    let of_members = not_seen.iter().filter_map(|fact| {
        let (what, why) = (fact["what"].as_str()?, fact["why"].as_str()?);
        assert!(!what.starts_with("member ") || fact["required"] == false);
        what.starts_with("member ")
            .then(|| format!("{what}: {why}"))
    });
    (text.stdout, of_members.collect())
}

#[test]
fn members_that_did_not_answer_are_named_beside_a_right_answer() {
    let one = Server::start(super::answers::nacos);
    let page = Server::start(|_| Reply::new(200, "text/html", "<html><title>Hello</title>"));
    let (gone, silent) = (closed(), Server::start(|_| Reply::Silence));
    let (first, page, silent) = (&one.address, &page.address, &silent.address);
    let home = tempfile::TempDir::new().unwrap();
    for address in [
        format!("nacos://{gone},{first},{page},{silent}"),
        format!("nacos://{first}?backup={gone},{page},{silent}"),
    ] {
        let asked = [
            &["no-provider", "com.acme.Order:1.0"][..],
            &super::starting(&address, "2.7.23", "10.9.0.1"),
            &["--request-timeout", "2s"],
        ]
        .concat();
        let (text, members) = told(|more| {
            let args: Vec<&str> = asked.iter().chain(more).copied().collect();
            super::verbs::diag(home.path(), &args)
        });
        assert!(text.starts_with("+ REACHABLE"), "{text}");
        let expected = [
            format!("member {gone}: did not answer: refused"),
            format!("member {page}: the answer was: bad-answer: HTTP 200, a web page: Hello"),
            format!("member {silent}: did not answer: timeout"),
        ];
        assert_eq!(members, expected, "{address}");
        assert!(text.contains(&expected[0]), "{text}");
    }
}

/// A rule to be read by `lint`, in a folder of its own.
fn with_a_rule() -> (tempfile::TempDir, &'static str) {
    let home = tempfile::TempDir::new().unwrap();
    let rule = "com.acme.Order%3A1.0%3A.condition-router";
    let text = "configVersion: v3.0\nforce: true\nconditions:\n- \"=> host = 10.1.0.*\"\n";
    std::fs::write(home.path().join(rule), text).unwrap();
    (home, rule)
}

/// Every verb that asks a registry, without those that only record.
fn answering(rule: &str) -> [Vec<&str>; 4] {
    let consumer = ["--dubbo", "2.7.23", "--consumer", "starting"];
    let own = ["--consumer-app", "web", "--consumer-ip", "10.9.0.1"];
    let with = |words: [&'static str; 2]| [&words[..], &consumer, &own].concat();
    [
        with(["no-provider", "com.acme.Order:1.0"]),
        with(["route-replay", "com.acme.Order:1.0"]),
        with(["timeout-budget", "com.acme.Order:1.0"]),
        vec!["lint", rule, "--dubbo", "2.7.23"],
    ]
}

#[test]
fn every_verb_names_the_members_that_did_not_answer() {
    let one = Server::start(super::answers::nacos);
    let page = Server::start(|_| Reply::new(200, "text/html", "<html><title>Hello</title>"));
    let (gone, silent) = (closed(), Server::start(|_| Reply::Silence));
    let (first, page, silent) = (&one.address, &page.address, &silent.address);
    let registry = format!("nacos://{gone},{first},{page},{silent}");
    let (home, rule) = with_a_rule();
    let limits = [
        "--registry",
        &registry,
        "--request-timeout",
        "2s",
        "--deadline",
        "60s",
    ];
    for verb in answering(rule) {
        let (text, members) =
            told(|more| super::verbs::diag(home.path(), &[&verb[..], &limits, more].concat()));
        let expected = [
            format!("member {gone}: did not answer: refused"),
            format!("member {page}: the answer was: bad-answer: HTTP 200, a web page: Hello"),
            format!("member {silent}: did not answer: timeout"),
        ];
        assert_eq!(members, expected, "{verb:?}");
        assert!(text.contains(&expected[0]), "{text}");
    }
    for (what, out) in [("com.acme.Order:1.0", "one"), ("--all", "all")] {
        let args = [&["snapshot", what, "--out", out][..], &limits].concat();
        let ran = super::verbs::diag(home.path(), &args);
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        for (member, kind) in [
            (&gone, "refused"),
            (page, "bad-answer"),
            (silent, "timeout"),
        ] {
            let note = format!("r1: member {member} did not answer: {kind}");
            assert!(ran.stderr.contains(&note), "{what}: {}", ran.stderr);
        }
        assert!(!ran.stderr.contains(first), "{what}: {}", ran.stderr);
    }
}

/// The same server, with its one provider at another address.
fn holding(ip: &'static str, timeout: &'static str) -> Server {
    Server::start(move |request| match super::answers::nacos(request) {
        Reply::Http(status, headers, body) => {
            let text = String::from_utf8(body).unwrap();
            let moved = text
                .replace("10.1.0.1", ip)
                .replace("\"side\":", &format!("\"timeout\":\"{timeout}\",\"side\":"));
            Reply::Http(status, headers, moved.into_bytes())
        }
        other => other,
    })
}

#[test]
fn every_verb_says_that_members_do_not_hold_the_same() {
    let (one, two) = (holding("10.1.0.1", "900"), holding("10.1.0.2", "300"));
    let same = holding("10.1.0.1", "900");
    let (home, rule) = with_a_rule();
    for (other, disagree) in [(&two, true), (&same, false)] {
        let registry = format!("nacos://{},{}", one.address, other.address);
        let limits = [
            "--registry",
            &registry,
            "--request-timeout",
            "9s",
            "--deadline",
            "60s",
        ];
        for verb in answering(rule) {
            let args = [&verb[..], &limits, &["-o", "json"]].concat();
            let ran = super::verbs::diag(home.path(), &args);
            let report = ran.report();
            let answer = &report["reports"][0];
            let found = answer["findings"].as_array().unwrap();
            let of_members: Vec<_> = found.iter().filter(|one| one["code"] == "DG1006").collect();
            // Which list it is makes no difference to `no-provider`: either has one address.
            let differs = disagree && verb[0] != "no-provider";
            assert_eq!(
                of_members.len(),
                usize::from(differs),
                "{verb:?}: {answer:#}"
            );
            if !differs {
                continue;
            }
            let message = of_members[0]["message"].as_str().unwrap();
            for member in [&one.address, &other.address] {
                assert!(message.contains(&format!("{member} (1)")), "{message}");
            }
            assert!(of_members[0]["remedy"][0]["text"].is_string());
            // What depends on it is open.
            let open = ["route-replay", "timeout-budget"].contains(&verb[0]);
            assert_eq!(ran.exit == 3, open, "{verb:?}: {answer:#}");
        }
    }
}

#[test]
fn the_same_is_told_of_recorded_members() {
    let home = tempfile::TempDir::new().unwrap();
    for (case, expected) in [
        (
            "nacos-member-silent",
            [
                "member 10.0.0.2:8848: did not answer: refused",
                "member 10.0.0.3:8848: the answer was: bad-answer: a web page: Hello",
            ],
        ),
        (
            "zookeeper-member-silent",
            [
                "member 10.0.0.3:2181: did not answer: timeout",
                "member 10.0.0.4:2181: the server says that it does not serve requests",
            ],
        ),
    ] {
        let dir = format!("{}/fixtures/no_provider/{case}", env!("CARGO_MANIFEST_DIR"));
        let file = std::fs::read_to_string(format!("{dir}/case.toml")).unwrap();
        let file: toml::Table = toml::from_str(&file).unwrap();
        let ask: Vec<&str> = file["ask"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|word| word.as_str())
            .collect();
        let recording = format!("{dir}/snapshot");
        let (text, members) = told(|more| {
            let mut args = ask.clone();
            args.extend(["--snapshot", &recording]);
            args.extend(more);
            super::verbs::diag(home.path(), &args)
        });
        assert_eq!(members, expected, "{case}");
        assert!(text.contains(expected[0]), "{text}");
    }
}

/// Two namespaces, one service and one rule in each; a configuration of somebody else.
fn small() -> Server {
    Server::start(|request| {
        let prod = request.query.iter().any(|(_, value)| value == "prod");
        let service = if prod {
            "providers:a.P::"
        } else {
            "providers:a.Q::"
        };
        Reply::json(match request.path.trim_start_matches("/nacos/") {
            "v3/admin/core/state" => return Reply::new(404, "application/json", "{}"),
            "v1/console/server/state" => r#"{"version":"2.5.1"}"#.to_owned(),
            "v1/console/namespaces" => {
                r#"{"code":200,"data":[{"namespace":""},{"namespace":"prod"}]}"#.to_owned()
            }
            "v1/core/cluster/nodes" => r#"{"code":200,"data":[]}"#.to_owned(),
            "v1/ns/catalog/services" => format!(
                r#"{{"count":1,"serviceList":[{{"name":"{service}","groupName":"G"}}]}}"#
            ),
            "v1/ns/service/list" => r#"{"count":0,"doms":[]}"#.to_owned(),
            "v1/ns/instance/list" => r#"{"hosts":[]}"#.to_owned(),
            "v1/ns/catalog/instances" => r#"{"count":0,"list":[]}"#.to_owned(),
            "v1/ns/service" => r#"{"protectThreshold":0.0}"#.to_owned(),
            "v1/ns/service/subscribers" => r#"{"count":0,"subscribers":[]}"#.to_owned(),
            "v1/cs/configs" if request.param("search").is_some() => {
                r#"{"totalCount":2,"pageItems":[{"dataId":"r","group":"dubbo"},{"dataId":"x","group":"other"}]}"#
                    .to_owned()
            }
            "v1/cs/configs" => return Reply::new(200, "text/plain", "force: true"),
            other => panic!("{other}"),
        })
    })
}

#[test]
fn everything_of_dubbo_is_read() {
    use diag::{
        observe::{Clock, Deadline, Terms, nacos::Nacos},
        question::RegistryAddress,
        snapshot::{Ended, Line, Masker, SourceId},
    };
    let server = small();
    let address = RegistryAddress::parse(&format!("nacos://{}", server.address)).unwrap();
    let mut lines: Vec<Line> = Vec::new();
    let walked = super::block(async {
        let terms = Terms {
            deadline: Deadline::starting_now(None, std::time::Duration::from_secs(5)),
            clock: Clock::Fixed(super::moment()),
            masker: Masker::default(),
        };
        let mut nacos = Nacos::new(SourceId::new("r1").unwrap(), &address).unwrap();
        let sink = |line: Line| {
            lines.push(line);
            Ok::<(), std::convert::Infallible>(())
        };
        let walked = nacos.walk(&[], &terms, std::future::pending(), sink).await;
        nacos.close();
        walked
    })
    .unwrap();
    assert_eq!(walked.ended, Ended::Complete);
    assert!(walked.is_complete(), "{walked:?}");
    assert_eq!(walked.roots, ["", "prod"]);
    assert_eq!(walked.namespaces, ["", "prod"]);
    for key in [
        Key::nacos_instances("prod", "G", "providers:a.P::"),
        Key::nacos_instances("", "G", "providers:a.Q::"),
        Key::nacos_config("prod", "dubbo", "r"),
    ] {
        assert!(lines.iter().any(|line| line.key == key), "{key}");
    }
    assert!(
        !lines
            .iter()
            .any(|line| line.key == Key::nacos_config("prod", "other", "x"))
    );
    assert_eq!(walked.nodes, lines.len());
}
