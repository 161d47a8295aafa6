//! Ensembles: members that are down, have no quorum, serve reads only, or are not one ensemble at all.

use diag::snapshot::{ErrKind, Key, Want};

use super::{
    block, observe,
    server::{Distribution, Options, Server, distribution, free_port},
    tree::{self, Node, Tree},
};

/// Three members that know each other, not yet waited for.
fn ensemble(distribution: &Distribution, properties: &[&str], settings: &[&str]) -> Vec<Server> {
    let ports: Vec<(u16, u16)> = (0..3).map(|_| (free_port(), free_port())).collect();
    let peers = ports
        .iter()
        .zip(1..)
        .map(|((peer, election), id)| format!("server.{id}=127.0.0.1:{peer}:{election}"));
    let config: Vec<String> = peers
        .chain(settings.iter().map(|s| (*s).to_owned()))
        .collect();
    (1..=3)
        .map(|id| {
            let properties = properties.iter().map(|p| (*p).to_owned()).collect();
            Server::spawn(
                distribution,
                &Options {
                    config: config.clone(),
                    properties,
                    id: Some(id),
                    port: None,
                },
            )
        })
        .collect()
}

fn address_of(members: &[Server]) -> String {
    let addresses: Vec<String> = members.iter().map(Server::address).collect();
    format!(
        "zookeeper://{}?backup={}",
        addresses[0],
        addresses[1..].join(",")
    )
}

#[test]
fn one_of_three_members_is_down() {
    let Some(distribution) = distribution("an ensemble") else {
        return;
    };
    let mut members = ensemble(&distribution, &[], &[]);
    for member in &members {
        member.wait_for("Mode: ");
    }
    block(async {
        let client = tree::writer(&members[1].address()).await;
        tree::fill(&client, &Tree::from([("/dubbo/a".into(), Node::default())])).await;
    });
    let all = observe(&address_of(&members), |_, source| {
        vec![Want::zk_children(source, "/dubbo")]
    });
    let lines = all.snapshot.lines(&all.source, &Key::zk_node("/dubbo"));
    assert_eq!(lines.len(), 3, "each member is asked");
    assert!(
        lines
            .iter()
            .all(|line| line.children() == Some(&["a".to_owned()]))
    );

    members[0].kill();
    members[1].wait_for("Mode: ");
    members[2].wait_for("Mode: ");
    let seen = observe(&address_of(&members), |_, source| {
        vec![Want::zk_children(source, "/dubbo")]
    });
    let lines = seen.snapshot.lines(&seen.source, &Key::zk_node("/dubbo"));
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines
            .iter()
            .all(|line| line.children().is_some() && line.via != Some(members[0].address()))
    );
    let dead = &seen.snapshot.lines(
        &seen.source,
        &Key::Tcp {
            address: members[0].address(),
        },
    )[0];
    assert_eq!(dead.err_kind(), Some(&ErrKind::Refused));
}

#[test]
fn a_member_without_a_quorum_is_not_ready() {
    let Some(distribution) = distribution("a lost quorum") else {
        return;
    };
    let mut members = ensemble(&distribution, &[], &[]);
    members[1].kill();
    members[2].kill();
    members[0].wait_for("not currently serving");
    let address = format!("zookeeper://{}", members[0].address());
    let seen = observe(&address, |_, source| {
        vec![Want::zk_children(source, "/dubbo")]
    });
    assert_eq!(seen.node("/dubbo").err_kind(), Some(&ErrKind::NotReady));
    let srvr = &seen.snapshot.lines(
        &seen.source,
        &Key::ZkFour {
            word: "srvr".into(),
        },
    )[0];
    assert!(
        srvr.body_text()
            .unwrap()
            .contains("not currently serving requests")
    );
}

/// One member that is left of three and serves reads only.
fn read_only_member(distribution: &Distribution, settings: &[&str]) -> Vec<Server> {
    let mut members = ensemble(distribution, &["readonlymode.enabled=true"], settings);
    for member in &members {
        member.wait_for("Mode: ");
    }
    block(async {
        let client = tree::writer(&members[0].address()).await;
        let tree = Tree::from([("/dubbo/a".into(), Node::default())]);
        tree::fill(&client, &tree).await;
    });
    members[1].kill();
    members[2].kill();
    members[0].wait_for("Mode: read-only");
    members.truncate(1);
    members
}

#[test]
fn a_member_that_serves_reads_only() {
    let Some(distribution) = distribution("a read-only member") else {
        return;
    };
    let members = read_only_member(&distribution, &["localSessionsEnabled=true"]);
    let address = format!("zookeeper://{}", members[0].address());
    let seen = observe(&address, |_, source| {
        vec![Want::zk_children(source, "/dubbo")]
    });
    let names = seen.node("/dubbo").children();
    assert_eq!(names, Some(&["a".to_owned()][..]), "{}", seen.text());
    let srvr = Key::ZkFour {
        word: "srvr".into(),
    };
    let srvr = &seen.snapshot.lines(&seen.source, &srvr)[0];
    assert!(srvr.body_text().unwrap().contains("Mode: read-only"));
}

#[test]
fn a_member_that_serves_reads_only_and_grants_no_session() {
    let Some(distribution) = distribution("a read-only member without local sessions") else {
        return;
    };
    let members = read_only_member(&distribution, &[]);
    let address = format!("zookeeper://{}", members[0].address());
    let seen = observe(&address, |_, source| {
        vec![Want::zk_children(source, "/dubbo")]
    });
    let line = seen.node("/dubbo");
    assert_eq!(line.err_kind(), Some(&ErrKind::NotReady), "{line:?}");
    assert!(line.err_text().unwrap().contains("reads only"), "{line:?}");
}

#[test]
fn members_that_are_not_one_ensemble_disagree() {
    let Some(distribution) = distribution("members that disagree") else {
        return;
    };
    let members: Vec<Server> = (0..2)
        .map(|_| Server::start(&distribution, &Options::default()))
        .collect();
    for (member, name) in members.iter().zip(["a", "b"]) {
        block(async {
            let client = tree::writer(&member.address()).await;
            tree::fill(
                &client,
                &Tree::from([(format!("/dubbo/{name}"), Node::default())]),
            )
            .await;
        });
    }
    let seen = observe(&address_of(&members), |_, source| {
        vec![Want::zk_children(source, "/dubbo")]
    });
    for (member, name) in members.iter().zip(["a", "b"]) {
        let via = Some(member.address());
        let names = seen
            .snapshot
            .zk_children(&seen.source, "/dubbo", via.as_deref())
            .here();
        assert_eq!(names, Some(&[name.to_owned()][..]));
    }
}

#[test]
fn a_member_far_down_the_list_is_found_when_the_first_are_down() {
    let Some(distribution) = distribution("a long list of members") else {
        return;
    };
    let server = Server::start(&distribution, &Options::default());
    let dead: Vec<String> = (0..6)
        .map(|_| format!("127.0.0.1:{}", free_port()))
        .collect();
    let address = format!(
        "zookeeper://{}?backup={},{}",
        dead[0],
        dead[1..].join(","),
        server.address()
    );
    let seen = observe(&address, |_, source| vec![Want::zk_children(source, "/")]);
    let root = seen.node("/");
    assert!(root.children().is_some(), "{}", seen.text());
    assert_eq!(root.via, Some(server.address()));
}
