//! A live registry beside a QOS port that is slow, silent or endless: the registry's answer comes within the time of the
//! run, and what the port did is said.

use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::{
    answers::{nacos, outcome},
    server::Server,
    verbs::diag,
};
use crate::qos_live::{Port, serve};

#[test]
fn a_bad_port_keeps_no_registry_from_answering() {
    let home = TempDir::new().unwrap();
    for (port, code) in [
        (Port::Silent, Some("DG6010")),
        (Port::Slow, Some("DG6010")),
        (Port::Endless, Some("DG6001")),
        (Port::Closes, Some("DG6001")),
        (Port::OnlyTelnet, None),
    ] {
        let registry = Server::start(nacos);
        let served = serve(port);
        let address = format!("nacos://{}", registry.address);
        let consumer = super::starting(&address, "2.7.23", "10.9.0.1");
        let begun = Instant::now();
        let ran = diag(
            home.path(),
            &[
                &["no-provider", "com.acme.Order:1.0", "-o", "json"][..],
                &consumer,
                &["--qos", &served.address],
                &["--deadline", "10s", "--request-timeout", "2s"],
            ]
            .concat(),
        );
        let took = begun.elapsed();
        assert_eq!(outcome(&ran), "reachable", "{code:?}: {}", ran.stdout);
        assert!(took < Duration::from_secs(13), "{code:?}: {took:?}");
        let report = ran.report();
        let found = report["reports"][0]["findings"].as_array().unwrap();
        assert!(
            code.is_none_or(|code| found.iter().any(|one| one["code"] == code)),
            "{code:?}: {found:#?}"
        );
    }
}
