//! The walk over everything that Dubbo keeps.

use std::{collections::BTreeSet, time::Duration};

use diag::{
    observe::{
        Clock, Deadline, Terms, Walked,
        zookeeper::{Bounds, Zookeeper},
    },
    question::RegistryAddress,
    snapshot::{Ended, Key, Line, Masker, SourceId},
};

use super::{
    block, moment,
    proxy::Proxy,
    server::{Options, Server, distribution},
    tree::{self, Node, Tree},
};

fn walk(
    address: &str,
    roots: &[&str],
    bounds: Bounds,
    stop_after: Option<usize>,
) -> (Walked, Vec<Line>) {
    let address = RegistryAddress::parse(address).expect("an address");
    let source = SourceId::new("r1").expect("an id");
    let mut zookeeper = Zookeeper::new(source, &address).expect("a ZooKeeper address");
    let roots: Vec<String> = roots.iter().map(|root| (*root).to_owned()).collect();
    let mut lines = Vec::new();
    let walked = block(async {
        let terms = Terms {
            deadline: Deadline::starting_now(None, Duration::from_secs(3)),
            clock: Clock::Fixed(moment()),
            masker: Masker::default(),
        };
        let stopped = std::sync::Arc::new(tokio::sync::Notify::new());
        let stop = stopped.clone();
        let walked = zookeeper
            .walk(&roots, bounds, &terms, stop.notified(), |line| {
                lines.push(line);
                if stop_after.is_some_and(|limit| lines.len() == limit) {
                    stopped.notify_one();
                }
                Ok::<(), String>(())
            })
            .await;
        zookeeper.close().await;
        walked.expect("a sink that takes everything")
    });
    (walked, lines)
}

fn paths(lines: &[Line]) -> Vec<&str> {
    lines
        .iter()
        .filter_map(|line| match &line.key {
            Key::ZkNode { path } => Some(path.as_str()),
            _ => None,
        })
        .collect()
}

/// Dubbo's trees under three roots, and the trees of others.
fn shared() -> Tree {
    let mut tree = Tree::new();
    let mut add = |path: String| {
        tree.insert(
            path,
            Node {
                data: b"x".to_vec(),
                ephemeral: false,
            },
        );
    };
    for service in 0..40 {
        for provider in 0..10 {
            add(format!(
                "/dubbo/com.x.S{service}/providers/dubbo%3A%2F%2F10.0.0.{provider}%3A20880"
            ));
        }
        add(format!("/dubbo/com.x.S{service}-v2"));
    }
    add("/services/app/10.0.0.1:20880".into());
    add("/site-b/com.x.Order/configurators".into());
    add("/site-c/config/dubbo/rule".into());
    add("/kafka/brokers/ids/0".into());
    add("/kafka/config/topics/secret".into());
    add("/deep/er/com.x.Order/providers".into());
    tree
}

#[test]
fn a_walk_reads_what_is_dubbos_in_order_and_nothing_else() {
    let Some(distribution) = distribution("a walk") else {
        return;
    };
    let server = Server::start(&distribution, &Options::default());
    let everything = block(async {
        let client = tree::writer(&server.address()).await;
        tree::fill(&client, &shared()).await;
        tree::dump(&client).await
    });
    let proxy = Proxy::start(&server.address());
    let address = format!("zookeeper://{}", proxy.address());
    let (walked, lines) = walk(&address, &["deep/er"], Bounds::default(), None);
    assert!(walked.is_complete(), "{walked:?}");
    assert_eq!(
        walked.roots,
        ["/deep/er", "/dubbo", "/services", "/site-b", "/site-c"]
    );
    assert_eq!(walked.left_out, ["/deep", "/kafka"]);

    let read = paths(&lines);
    assert!(
        read.windows(2).all(|pair| pair[0] <= pair[1]),
        "sorted while it is written"
    );
    let expected: BTreeSet<&str> = everything
        .keys()
        .map(String::as_str)
        .filter(|path| !path.starts_with("/kafka") && *path != "/deep")
        .chain(["/"])
        .collect();
    assert_eq!(read.iter().copied().collect::<BTreeSet<&str>>(), expected);
    assert_eq!(walked.nodes, expected.len() - 1);
    // Children and data of every node but `/`, of which only the names were asked.
    assert_eq!(read.len(), 2 * walked.nodes + 1);
    let rule = lines
        .iter()
        .filter(|line| line.key == Key::zk_node("/site-c/config/dubbo/rule"));
    let rule: Vec<_> = rule
        .map(|line| (line.children().map(<[String]>::len), line.body_text()))
        .collect();
    assert_eq!(rule, [(Some(0), None), (None, Some("x".into()))]);
    assert!(lines[0].key.op() == "tcp" && lines[1].key.op() == "zk.four");
}

#[test]
fn a_walk_keeps_its_bounds_and_can_be_stopped() {
    let Some(distribution) = distribution("a bounded walk") else {
        return;
    };
    let server = Server::start(&distribution, &Options::default());
    block(async {
        let client = tree::writer(&server.address()).await;
        tree::fill(&client, &shared()).await;
    });
    let address = format!("zookeeper://{}", server.address());
    let few = Bounds {
        nodes: 100,
        ..Bounds::default()
    };
    let (walked, lines) = walk(&address, &[], few, None);
    assert!(!walked.is_complete());
    assert!(walked.cut.is_some());
    assert!(
        walked.nodes >= 100 && walked.nodes < 200,
        "{}",
        walked.nodes
    );
    assert!(paths(&lines).windows(2).all(|pair| pair[0] <= pair[1]));

    let (walked, lines) = walk(&address, &[], Bounds::default(), Some(50));
    assert_eq!(walked.ended, Ended::Interrupted);
    assert!(lines.len() >= 50 && walked.nodes < 400, "{}", walked.nodes);
    assert!(paths(&lines).windows(2).all(|pair| pair[0] <= pair[1]));
}

#[test]
fn a_walk_of_a_closed_port_says_why() {
    let address = format!("zookeeper://127.0.0.1:{}", super::server::free_port());
    let (walked, lines) = walk(&address, &[], Bounds::default(), None);
    assert_eq!(
        walked.lost.map(|failure| failure.kind),
        Some(diag::snapshot::ErrKind::Refused)
    );
    assert_eq!(lines.len(), 1);
}
