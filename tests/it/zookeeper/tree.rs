//! Filling and emptying a server's tree, and comparing what is in it.

use std::collections::BTreeMap;

use serde_json::Value;
use zookeeper_client::{Acl, Acls, AuthId, Client, CreateMode, Error, Permission};

/// A node to be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) data: Vec<u8>,
    pub(crate) ephemeral: bool,
}

/// Nodes by path.
pub(crate) type Tree = BTreeMap<String, Node>;

/// A client that writes. Ephemeral nodes live as long as it does.
pub(crate) async fn writer(address: &str) -> Client {
    Client::connector()
        .with_session_timeout(std::time::Duration::from_secs(30))
        .connect(address)
        .await
        .expect("a session")
}

/// The tree that the lines of a recording tell of.
pub(crate) fn recorded(lines: &str) -> Tree {
    let mut tree = Tree::new();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        let Some(path) = line["path"].as_str().filter(|_| line["op"] == "zk.node") else {
            continue;
        };
        if line["err"]["kind"] == "not-found" {
            continue;
        }
        let node = tree.entry(path.to_owned()).or_default();
        node.ephemeral |= line["stat"]["ephemeral_owner"].as_i64().unwrap_or(0) != 0;
        if let Some(text) = line["text"].as_str() {
            node.data = text.as_bytes().to_vec();
        }
        if let Some(names) = line["children"].as_array() {
            for name in names.iter().filter_map(Value::as_str) {
                tree.entry(format!("{}/{name}", path.trim_end_matches('/')))
                    .or_default();
            }
        }
    }
    tree.retain(|path, _| path != "/" && path != "/zookeeper" && !path.starts_with("/zookeeper/"));
    tree
}

/// Makes all nodes, ancestors first.
pub(crate) async fn fill(client: &Client, tree: &Tree) {
    let everybody = Acls::anyone_all();
    let parents: Vec<String> = tree.keys().flat_map(|path| ancestors(path)).collect();
    for parent in parents {
        let options = CreateMode::Persistent.with_acls(everybody);
        let data = tree
            .get(&parent)
            .map_or(&[][..], |node| node.data.as_slice());
        match client.create(&parent, data, &options).await {
            Ok(_) | Err(Error::NodeExists) => {}
            Err(error) => panic!("{parent}: {error}"),
        }
    }
    let mut pending = Vec::new();
    let (lasting, passing) = (
        CreateMode::Persistent.with_acls(everybody),
        CreateMode::Ephemeral.with_acls(everybody),
    );
    for (path, node) in tree {
        let options = if node.ephemeral { &passing } else { &lasting };
        pending.push((path, client.create(path, &node.data, options)));
    }
    for (path, made) in pending {
        match made.await {
            Ok(_) | Err(Error::NodeExists) => {}
            Err(error) => panic!("{path}: {error}"),
        }
    }
}

fn ancestors(path: &str) -> Vec<String> {
    path.match_indices('/')
        .skip(1)
        .map(|(at, _)| path[..at].to_owned())
        .collect()
}

/// Removes everything but ZooKeeper's own nodes.
pub(crate) async fn clear(client: &Client) {
    let mut paths: Vec<String> = dump(client).await.into_keys().collect();
    paths.reverse();
    let pending: Vec<_> = paths.iter().map(|path| client.delete(path, None)).collect();
    for deleted in pending {
        match deleted.await {
            Ok(()) | Err(Error::NoNode) => {}
            Err(error) => panic!("cannot empty the tree: {error}"),
        }
    }
}

/// Everything in the tree but ZooKeeper's own nodes, with versions, so that a write that changes nothing shows too.
pub(crate) async fn dump(client: &Client) -> BTreeMap<String, (Vec<u8>, i64, i64)> {
    let mut all = BTreeMap::new();
    let mut todo = vec!["/".to_owned()];
    while let Some(path) = todo.pop() {
        let Ok((names, _)) = client.get_children(&path).await else {
            continue;
        };
        if path != "/" {
            let (data, stat) = client.get_data(&path).await.expect("a node that is there");
            all.insert(path.clone(), (data, stat.mzxid, stat.pzxid));
        }
        let base = path.trim_end_matches('/');
        todo.extend(
            names
                .into_iter()
                .filter(|name| !base.is_empty() || name != "zookeeper")
                .map(|n| format!("{base}/{n}")),
        );
    }
    all
}

/// A node that only this digest identity may read.
pub(crate) async fn closed_node(client: &Client, path: &str, digest: &str) {
    let acl = [Acl::new(Permission::ALL, AuthId::new("digest", digest))];
    let options = CreateMode::Persistent.with_acls(Acls::new(&acl));
    client
        .create(path, b"closed", &options)
        .await
        .expect("a closed node");
}

#[test]
fn a_recording_becomes_a_tree_and_the_tree_can_be_emptied() {
    let recording = r#"
        {"op":"zk.node","path":"/","children":["dubbo","zookeeper"]}
        {"op":"zk.node","path":"/dubbo/a","text":"x","stat":{"ephemeral_owner":7}}
        {"op":"zk.node","path":"/dubbo/b","err":{"kind":"not-found"}}
        {"op":"tcp","address":"h:1","connected":true}"#;
    let tree = recorded(recording);
    let of = |data: &str, ephemeral| Node {
        data: data.into(),
        ephemeral,
    };
    let expected = [
        ("/dubbo".to_owned(), of("", false)),
        ("/dubbo/a".to_owned(), of("x", true)),
    ];
    assert_eq!(tree, Tree::from(expected));

    let Some(distribution) = super::server::distribution("filling a tree") else {
        return;
    };
    let server = super::server::Server::start(&distribution, &super::server::Options::default());
    super::block(async {
        let client = writer(&server.address()).await;
        fill(&client, &tree).await;
        let filled = dump(&client).await;
        assert_eq!(filled.keys().collect::<Vec<_>>(), ["/dubbo", "/dubbo/a"]);
        assert_eq!(filled["/dubbo/a"].0, b"x");
        clear(&client).await;
        assert!(dump(&client).await.is_empty());
    });
}
