//! What a healthy server says, as it stands in the snapshot afterwards.

use std::{collections::BTreeSet, future::Future};

use diag::snapshot::{Ended, ErrKind, Key, Line, Payload, Seen, Want};
use zookeeper_client::{Acls, CreateMode};

use super::{
    block, observe,
    proxy::Proxy,
    server::{Options, Server, distribution},
    tree::{self, Node, Tree},
};

fn small_tree() -> Tree {
    let of = |data: &str, ephemeral| Node {
        data: data.into(),
        ephemeral,
    };
    Tree::from([
        (
            "/dubbo/com.x.Order/providers/dubbo%3A%2F%2F10.0.0.7%3A20880".into(),
            of("10.0.0.7", true),
        ),
        ("/dubbo/com.x.Order/configurators".into(), of("", false)),
        (
            "/dubbo/config/dubbo/rule".into(),
            of("force: true\n", false),
        ),
    ])
}

#[test]
fn children_data_absence_and_stat_are_told_apart() {
    let Some(distribution) = distribution("reading a tree") else {
        return;
    };
    let server = Server::start(&distribution, &Options::default());
    let writer = block_on_shared(tree::writer(&server.address()));
    let (runtime, client) = writer;
    runtime.block_on(tree::fill(&client, &small_tree()));
    runtime.block_on(async {
        let everybody = CreateMode::Persistent.with_acls(Acls::anyone_all());
        client
            .create("/bytes", &[0xff, 0xfe], &everybody)
            .await
            .unwrap();
    });

    let seen = observe(&format!("zookeeper://{}", server.address()), |_, source| {
        vec![
            Want::zk_children(source, "/dubbo/com.x.Order/providers"),
            Want::zk_children(source, "/dubbo/com.x.Order/routers"),
            Want::zk_data(source, "/dubbo/config/dubbo/rule"),
            Want::zk_stat(
                source,
                "/dubbo/com.x.Order/providers/dubbo%3A%2F%2F10.0.0.7%3A20880",
            ),
            Want::zk_data(source, "/bytes"),
            Want::any(source, Key::zk_node("/dubbo/com.x.Order/configurators")),
            Want::any(
                source,
                Key::ZkFour {
                    word: "ruok".into(),
                },
            ),
            Want::any(
                source,
                Key::ZkFour {
                    word: "kill".into(),
                },
            ),
        ]
    });
    assert_eq!(seen.ended, Ended::Complete);
    let source = &seen.source;
    let providers = seen.node("/dubbo/com.x.Order/providers");
    assert_eq!(
        providers.children().unwrap(),
        ["dubbo%3A%2F%2F10.0.0.7%3A20880"]
    );
    assert_eq!(providers.stat.as_ref().unwrap().num_children, Some(1));
    assert!(providers.via.is_none(), "one member needs no name");
    assert_eq!(
        seen.node("/dubbo/com.x.Order/routers").err_kind(),
        Some(&ErrKind::NotFound)
    );
    let rule = seen.node("/dubbo/config/dubbo/rule");
    assert_eq!(rule.payload, Payload::Text("force: true\n".into()));
    assert!(rule.stat.as_ref().unwrap().mtime.unwrap() > 1_600_000_000_000);
    let entry = "/dubbo/com.x.Order/providers/dubbo%3A%2F%2F10.0.0.7%3A20880";
    let Seen::Here(stat, _) = seen.snapshot.zk_stat(source, entry, None) else {
        panic!("no stat")
    };
    assert_eq!(stat.ephemeral_owner, Some(client.session_id().0));
    assert_eq!(
        seen.node("/bytes").payload,
        Payload::Bytes(vec![0xff, 0xfe])
    );
    // Any = children and data.
    let both = seen
        .snapshot
        .lines(source, &Key::zk_node("/dubbo/com.x.Order/configurators"));
    assert_eq!(both.len(), 2);
    let word = |word: &str| {
        &seen
            .snapshot
            .lines(source, &Key::ZkFour { word: word.into() })[0]
            .payload
    };
    assert_eq!(*word("ruok"), Payload::Text("imok".into()));
    assert_eq!(
        word("kill").err_kind(),
        Some(&ErrKind::NoSuchCommand),
        "only words that read are sent"
    );
    assert!(matches!(word("srvr"), Payload::Text(text) if text.contains("Mode: standalone")));
    let tcp = &seen.snapshot.lines(
        source,
        &Key::Tcp {
            address: server.address(),
        },
    )[0];
    assert!(tcp.is_connected());
    let version = seen.snapshot.manifest().sources[source]
        .server
        .clone()
        .unwrap();
    assert!(version.starts_with("3."), "{version}");
    assert!(server.word("ruok").is_some(), "the server is still there");
}

/// A runtime that lives on, since a client stops with the runtime it was made in.
fn block_on_shared<F: Future>(future: F) -> (tokio::runtime::Runtime, F::Output) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let output = runtime.block_on(future);
    (runtime, output)
}

#[test]
fn a_chroot_is_below_the_last_backup() {
    let Some(distribution) = distribution("a chroot") else {
        return;
    };
    let server = Server::start(&distribution, &Options::default());
    let address = server.address();
    block(async {
        let client = tree::writer(&address).await;
        tree::fill(
            &client,
            &Tree::from([("/site/dubbo/a".into(), Node::default())]),
        )
        .await;
    });
    let seen = observe(
        &format!("zookeeper://{address}?backup={address}/site"),
        |_, source| {
            vec![
                Want::zk_children(source, "/dubbo"),
                Want::zk_children(source, "/"),
            ]
        },
    );
    assert_eq!(seen.node("/dubbo").children().unwrap(), ["a"]);
    assert_eq!(seen.node("/").children().unwrap(), ["dubbo"]);
}

#[test]
fn only_reads_are_sent_and_the_session_is_closed() {
    let Some(distribution) = distribution("the requests that are sent") else {
        return;
    };
    let server = Server::start(&distribution, &Options::default());
    let (runtime, client) = block_on_shared(tree::writer(&server.address()));
    runtime.block_on(tree::fill(&client, &small_tree()));
    let before = runtime.block_on(tree::dump(&client));
    let proxy = Proxy::start(&server.address());

    // Two rounds: the second follows from the first.
    let address = format!("zookeeper://reader:s3cret@{}", proxy.address());
    let seen = observe(&address, |snapshot, source| {
        let mut wants = vec![Want::zk_children(source, "/dubbo")];
        if let Some(names) = snapshot.zk_children(source, "/dubbo", None).here() {
            wants.extend(
                names
                    .iter()
                    .map(|name| Want::any(source, Key::zk_node(format!("/dubbo/{name}")))),
            );
        }
        wants
    });
    assert_eq!(seen.ended, Ended::Complete);
    assert!(!seen.text().contains("s3cret"));
    assert!(proxy.seen().len() > 5);
    let names: Vec<String> = proxy
        .seen()
        .into_iter()
        .map(|request| request.name)
        .collect();
    for expected in [
        "srvr",
        "connect",
        "auth",
        "sync",
        "exists",
        "getData",
        "getChildren2",
    ] {
        assert!(
            names.iter().any(|name| name == expected),
            "no {expected} in {names:?}"
        );
    }
    assert_eq!(names.last().unwrap(), "closeSession");
    assert_eq!(runtime.block_on(tree::dump(&client)), before);
    // Only the writer's session is left: the reader's was closed, not abandoned.
    let sessions = server.word("dump").unwrap();
    let ids: BTreeSet<&str> = sessions
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.starts_with("0x") && *word != "0x0")
        .collect();
    let own = format!("{:#x}", client.session_id().0);
    assert_eq!(ids, BTreeSet::from([own.as_str()]), "{sessions}");
}

#[test]
fn a_node_with_a_secret_in_its_name_is_read_and_the_secret_is_not_kept() {
    let Some(distribution) = distribution("a secret in a name") else {
        return;
    };
    let server = Server::start(&distribution, &Options::default());
    let entry = "dubbo%3A%2F%2F10.0.0.7%3A20880%2Fx%3Ftoken%3DcanaryName%26side%3Dprovider";
    let node = Node {
        data: b"password=canaryData\n".to_vec(),
        ephemeral: false,
    };
    let tree = Tree::from([(format!("/dubbo/x/providers/{entry}"), node)]);
    block(async {
        let client = tree::writer(&server.address()).await;
        tree::fill(&client, &tree).await;
    });
    let address = format!("zookeeper://reader:canaryLogin@{}", server.address());
    let seen = observe(&address, |snapshot, source| {
        let providers = "/dubbo/x/providers";
        let mut wants = vec![Want::zk_children(source, providers)];
        if let Some(names) = snapshot.zk_children(source, providers, None).here() {
            let entry = |name: &String| Want::zk_data(source, format!("{providers}/{name}"));
            wants.extend(names.iter().map(entry));
        }
        wants
    });
    let text = seen.text();
    assert!(!text.contains("canary"), "{text}");
    let masked: Vec<&Line> = seen
        .snapshot
        .sources()
        .flat_map(|(_, lines)| lines)
        .filter(|line| line.masked)
        .collect();
    assert_eq!(masked.len(), 2, "the list and the entry: {text}");
    assert!(
        masked.iter().any(|line| line.body_text().is_some()),
        "{text}"
    );
    assert!(
        text.contains("side%3Dprovider"),
        "the rest of the name stays"
    );
}
