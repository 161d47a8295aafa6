//! A server whose port speaks TLS.

use std::process::Command;

use diag::snapshot::{ErrKind, Want};
use tempfile::TempDir;

use super::{
    observe,
    server::{Options, Server, distribution, free_port},
};

/// A server with a TLS port beside the plain one, and its certificate.
fn secure_server(directory: &TempDir, distribution: &super::server::Distribution) -> (Server, u16) {
    let file = |name: &str| directory.path().join(name).display().to_string();
    let keytool = |arguments: &[&str]| {
        let output = Command::new("keytool")
            .args(arguments)
            .output()
            .expect("keytool, a part of the JDK");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    };
    let store = file("server.p12");
    let login = [
        "-keystore",
        &store,
        "-storetype",
        "PKCS12",
        "-storepass",
        "changeit",
        "-alias",
        "server",
    ];
    let generate = [
        "-genkeypair",
        "-keyalg",
        "RSA",
        "-keysize",
        "2048",
        "-dname",
        "CN=localhost",
        "-validity",
        "30",
    ];
    keytool(
        &[
            &generate[..],
            &["-ext", "san=ip:127.0.0.1,dns:localhost"],
            &login,
        ]
        .concat(),
    );
    keytool(
        &[
            &["-exportcert", "-rfc", "-file", &file("server.pem")][..],
            &login,
        ]
        .concat(),
    );
    // The certificate is its own authority; a key entry alone is no trust anchor.
    let trust = file("trust.p12");
    let import = ["-importcert", "-noprompt", "-file", &file("server.pem")].map(str::to_owned);
    let into = [
        "-keystore",
        &trust,
        "-storetype",
        "PKCS12",
        "-storepass",
        "changeit",
    ]
    .map(str::to_owned);
    let import: Vec<&str> = import.iter().chain(&into).map(String::as_str).collect();
    keytool(&import);
    let port = free_port();
    let property = |name: &str, value: &str| format!("zookeeper.{name}={value}");
    let options = Options {
        config: vec![
            format!("secureClientPort={port}"),
            "secureClientPortAddress=127.0.0.1".to_owned(),
        ],
        properties: vec![
            property(
                "serverCnxnFactory",
                "org.apache.zookeeper.server.NettyServerCnxnFactory",
            ),
            property("ssl.keyStore.location", &store),
            property("ssl.keyStore.password", "changeit"),
            property("ssl.trustStore.location", &trust),
            property("ssl.trustStore.password", "changeit"),
            property("ssl.clientAuth", "none"),
        ],
        ..Options::default()
    };
    (Server::start(distribution, &options), port)
}

#[test]
fn a_port_that_speaks_tls_is_told_from_one_that_is_dead() {
    let Some(distribution) = distribution("a TLS port") else {
        return;
    };
    let directory = TempDir::new().expect("a directory");
    let (_server, port) = secure_server(&directory, &distribution);
    let seen = observe(&format!("zookeeper://127.0.0.1:{port}"), |_, source| {
        vec![Want::zk_children(source, "/")]
    });
    let line = seen.node("/");
    assert_eq!(line.err_kind(), Some(&ErrKind::BadAnswer), "{line:?}");
    assert!(
        line.err_text().expect("words").contains("zookeeper+tls://"),
        "{line:?}"
    );
}

#[cfg(feature = "zookeeper-tls")]
#[test]
fn a_tls_port_is_read_with_its_certificate_and_not_without() {
    let Some(distribution) = distribution("reading over TLS") else {
        return;
    };
    let directory = TempDir::new().expect("a directory");
    let (server, port) = secure_server(&directory, &distribution);
    let certificate = directory.path().join("server.pem").display().to_string();
    let wants = |_: &diag::snapshot::Snapshot, source: &diag::snapshot::SourceId| {
        vec![Want::zk_children(source, "/")]
    };
    let trusted = observe(
        &format!("zookeeper+tls://127.0.0.1:{port}?tls-ca={certificate}"),
        wants,
    );
    assert_eq!(
        trusted.node("/").children(),
        Some(&["zookeeper".to_owned()][..]),
        "{}",
        trusted.text()
    );
    let stranger = observe(&format!("zookeeper+tls://127.0.0.1:{port}"), wants);
    let text = stranger.node("/").err_text().expect("a reason").to_owned();
    assert!(text.contains("tls-ca="), "{text}");
    let plain = observe(&format!("zookeeper+tls://{}", server.address()), wants);
    let text = plain.node("/").err_text().expect("a reason").to_owned();
    assert!(text.contains("does not speak TLS"), "{text}");
}

#[cfg(not(feature = "zookeeper-tls"))]
#[test]
fn tls_without_the_feature_says_how_to_get_it() {
    let address = diag::question::RegistryAddress::parse("zookeeper+tls://127.0.0.1:2281")
        .expect("an address");
    let source = diag::snapshot::SourceId::new("r1").expect("an id");
    let error =
        diag::observe::zookeeper::Zookeeper::new(source, &address).expect_err("no TLS here");
    assert!(error.to_string().contains("zookeeper-tls"), "{error}");
}
