//! Everything that can be wrong with a registry, each with its own reason and within the limits.

use std::{net::TcpStream, time::Duration};

use diag::snapshot::{Ended, ErrKind, Key, Want};

use super::{
    Observed, block, impostors, observe, observe_until,
    proxy::Proxy,
    server::{Options, Server, distribution, free_port},
    tree,
};

const SOUGHT: &str = "/dubbo/com.x.Order/providers";

fn seek(address: &str) -> Observed {
    let seen = observe(&format!("zookeeper://{address}"), |_, source| {
        vec![Want::zk_children(source, SOUGHT)]
    });
    assert!(
        seen.took < Duration::from_secs(8),
        "{address}: {:?}",
        seen.took
    );
    seen
}

fn reason(address: &str) -> (ErrKind, String) {
    let seen = seek(address);
    let line = seen.node(SOUGHT);
    (
        line.err_kind().expect("a refusal").clone(),
        line.err_text().unwrap_or_default().to_owned(),
    )
}

#[test]
fn a_closed_port_and_an_unknown_host() {
    assert_eq!(
        reason(&format!("127.0.0.1:{}", free_port())).0,
        ErrKind::Refused
    );
    assert_eq!(reason("no-such-host.invalid:2181").0, ErrKind::UnknownHost);
}

#[test]
fn a_server_that_says_nothing() {
    let address = impostors::impostor(impostors::silent);
    let seen = seek(&address);
    assert_eq!(seen.node(SOUGHT).err_kind(), Some(&ErrKind::Timeout));
    let tcp = &seen.snapshot.lines(&seen.source, &Key::Tcp { address })[0];
    assert!(tcp.is_connected(), "the port is open: that much is known");
}

#[test]
fn a_server_that_answers_http() {
    let (kind, text) = reason(&impostors::impostor(impostors::http));
    assert_eq!(
        (kind, text.as_str()),
        (ErrKind::BadAnswer, "an HTTP server answers: HTTP/1.1 400 ")
    );
}

#[test]
fn a_server_that_breaks_the_protocol_after_the_session() {
    let (kind, text) = reason(&impostors::impostor(impostors::liar));
    assert_eq!(kind, ErrKind::BadAnswer, "{text}");
}

#[test]
fn a_server_that_closes_every_connection() {
    let address = impostors::impostor(|stream: TcpStream| drop(stream));
    assert_eq!(reason(&address).0, ErrKind::Reset);
}

#[test]
fn the_deadline_ends_a_run_and_keeps_what_was_seen() {
    let address = impostors::impostor(impostors::silent);
    let total = Duration::from_millis(400);
    let seen = observe_until(
        &format!("zookeeper://{address}"),
        total,
        std::future::pending(),
        |_, source| vec![Want::zk_children(source, SOUGHT)],
    );
    assert_eq!(seen.ended, Ended::Deadline);
    assert!(seen.took < Duration::from_millis(1500), "{:?}", seen.took);
    assert!(seen.snapshot.lines(&seen.source, &Key::Tcp { address })[0].is_connected());
}

#[test]
fn a_stop_ends_a_run_at_once() {
    let address = impostors::impostor(impostors::silent);
    let stop = async { tokio::time::sleep(Duration::from_millis(200)).await };
    let seen = observe_until(
        &format!("zookeeper://{address}"),
        Duration::from_secs(10),
        stop,
        |_, source| vec![Want::zk_children(source, SOUGHT)],
    );
    assert_eq!(seen.ended, Ended::Interrupted);
    assert_eq!(seen.snapshot.manifest().ended, Ended::Interrupted);
    assert!(seen.took < Duration::from_secs(1), "{:?}", seen.took);
}

#[test]
fn a_node_that_is_closed_to_this_user() {
    let Some(distribution) = distribution("a closed node") else {
        return;
    };
    let server = Server::start(&distribution, &Options::default());
    // `reader:right` as ZooKeeper's DigestAuthenticationProvider writes it: base64 of the SHA-1.
    let digest = "reader:veXBjYw3BYf6uxpNlI5qut624hs=";
    block(async {
        let client = tree::writer(&server.address()).await;
        tree::closed_node(&client, "/closed", digest).await;
    });
    let read = |user: &str| {
        let address = format!("zookeeper://{user}{}", server.address());
        observe(&address, |_, source| {
            vec![
                Want::zk_children(source, "/closed"),
                Want::zk_children(source, "/"),
            ]
        })
    };
    for user in ["", "reader:wrong@"] {
        let seen = read(user);
        let line = seen.node("/closed");
        assert_eq!(line.err_kind(), Some(&ErrKind::Denied));
        assert_eq!(line.err_text(), Some("NoAuth"));
        assert!(line.stat.is_some(), "the stat is told to anybody");
        assert!(
            seen.node("/").children().is_some(),
            "only that node is closed"
        );
        assert!(!seen.text().contains("wrong"));
    }
    assert!(read("reader:right@").node("/closed").children().is_some());
}

#[test]
fn a_server_that_wants_a_login() {
    let Some(distribution) = distribution("an enforced login") else {
        return;
    };
    let properties = ["enforce.auth.enabled=true", "enforce.auth.schemes=digest"];
    let options = Options {
        properties: properties.map(|p| format!("zookeeper.{p}")).to_vec(),
        ..Options::default()
    };
    let server = Server::start(&distribution, &options);
    let (kind, text) = reason(&server.address());
    assert_eq!((kind, text.as_str()), (ErrKind::Denied, "AuthFailed"));
    let seen = seek(&format!("reader:any@{}", server.address()));
    assert_eq!(seen.node(SOUGHT).err_kind(), Some(&ErrKind::NotFound));
}

#[test]
fn a_server_that_dies_in_the_middle() {
    let Some(distribution) = distribution("a dying server") else {
        return;
    };
    let mut server = Server::start(&distribution, &Options::default());
    let address = format!("zookeeper://{}", server.address());
    let mut round = 0;
    let seen = observe(&address, |_, source| {
        round += 1;
        if round == 2 {
            server.kill();
        }
        let mut wants = vec![Want::zk_children(source, "/")];
        if round > 1 {
            wants.extend((0..40).map(|n| Want::zk_data(source, format!("/dubbo/{n}"))));
        }
        wants
    });
    assert!(
        seen.node("/").children().is_some(),
        "what was seen before stays"
    );
    assert_eq!(seen.node("/dubbo/7").err_kind(), Some(&ErrKind::Refused));
    assert!(seen.took < Duration::from_secs(6), "{:?}", seen.took);
}

#[test]
fn a_list_of_two_mebibytes() {
    let Some(distribution) = distribution("a long list") else {
        return;
    };
    let server = Server::start(&distribution, &Options::default());
    let names: Vec<String> = (0..2300)
        .map(|n| format!("{n:05}{}", "x".repeat(950)))
        .collect();
    block(async {
        let client = tree::writer(&server.address()).await;
        let paths = names
            .iter()
            .map(|name| (format!("/big/{name}"), tree::Node::default()));
        tree::fill(&client, &paths.collect()).await;
    });
    let proxy = Proxy::start(&server.address());
    // A build for tests masks slowly.
    let read = |address: String| {
        let address = format!("zookeeper://{address}");
        let patience = Duration::from_secs(120);
        observe_until(&address, patience, std::future::pending(), |_, source| {
            vec![
                Want::zk_children(source, "/big"),
                Want::zk_children(source, "/"),
            ]
        })
    };
    let seen = read(proxy.address());
    // The limit of 1 MiB is that of ZooKeeper's Java client; the server sends it all. Somebody in between may not.
    let strict = Proxy::limited(&server.address(), 1 << 20);
    let cut = read(strict.address());
    let line = cut.node("/big");
    assert_eq!(line.err_kind(), Some(&ErrKind::TooLarge), "{line:?}");
    assert!(
        line.err_text().unwrap().contains("2300 children"),
        "{line:?}"
    );
    assert_eq!(line.stat.as_ref().unwrap().num_children, Some(2300));
    assert!(
        cut.node("/").children().is_some(),
        "the rest is read all the same"
    );
    assert_eq!(seen.node("/big").children().unwrap(), names);
    assert_eq!(seen.ended, Ended::Complete);
}
