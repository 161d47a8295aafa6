//! `--probe` against a real registry: round trips to the providers that are there, nothing sent to them.

use std::{io::Read, net::TcpListener, thread};

use diag::model::url::encode;

use crate::{
    cli::{provider, run},
    zookeeper::{
        block,
        server::{Options, Server, distribution},
        tree::{self, Node, Tree},
    },
};

const SERVICE: &str = "com.acme.UserService";

#[test]
fn providers_are_connected_to_and_nothing_is_said() {
    let Some(distribution) = distribution("budget::probe") else {
        return;
    };
    let server = Server::start(&distribution, &Options::default());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = thread::spawn(move || {
        let (mut connections, mut bytes) = (0, 0);
        while connections < 10 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut all = Vec::new();
            bytes += stream.read_to_end(&mut all).unwrap_or(0);
            connections += 1;
        }
        bytes
    });
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed_port = closed.local_addr().unwrap().port();
    drop(closed);
    let of = |port: u16| {
        let url = provider("127.0.0.1", SERVICE, "").replace(":20880/", &format!(":{port}/"));
        format!("/dubbo/{SERVICE}/providers/{}", encode(&url))
    };
    let nodes: Tree = [of(port), of(closed_port)]
        .into_iter()
        .map(|path| (path, Node::default()))
        .collect();
    block(async {
        let client = tree::writer(&server.address()).await;
        tree::fill(&client, &nodes).await;
    });
    let registry = format!("zookeeper://{}", server.address());
    let args = [
        "timeout-budget",
        SERVICE,
        "get",
        "--registry",
        &registry,
        "--consumer-app",
        "web",
        "--dubbo",
        "3.2.16",
        "--p99",
        "60ms",
        "--zone",
        "here=127.0.0.0/8",
        "-o",
        "json",
    ];
    let quiet = run(&args).json();
    assert_eq!(
        quiet["reports"][0]["budget"]["links"],
        serde_json::json!([]),
        "nobody is connected to without --probe"
    );
    let done = run(&[&args[..], &["--probe"]].concat());
    let budget = done.json()["reports"][0]["budget"].clone();
    let link = &budget["links"][0];
    assert_eq!(
        (
            &link["from_zone"],
            &link["to_zone"],
            &link["samples"],
            &link["lost"]
        ),
        (&"here".into(), &"here".into(), &10.into(), &0.into()),
        "{done:?}"
    );
    assert_eq!(budget["need"]["rtt_from"], "probed");
    assert!(done.stderr.contains("1 of 2 providers refuse"), "{done:?}");
    assert_eq!(heard.join().unwrap(), 0, "not a byte is sent");
}
