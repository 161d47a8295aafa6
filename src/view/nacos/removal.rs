//! When Nacos takes an instance away whose process has gone: by the way it was registered.
//!
//! Seen on real servers: HTTP clients and their beats on 1.x, 2.x and 3.x, gRPC clients killed and frozen, persistent
//! instances (`ClientBeatCheckTask`, `NacosRuntimeConnectionEjector`).

use std::collections::BTreeMap;

use super::shape::Instance;
use crate::view::held::Removal;

/// Without a beat for so long an instance is called unhealthy (`DEFAULT_HEART_BEAT_TIMEOUT`).
const UNHEALTHY_MS: u64 = 15_000;
/// Without a beat for so long it is removed (`DEFAULT_IP_DELETE_TIMEOUT`).
const REMOVED_MS: u64 = 30_000;
/// r-nacos waits so much longer.
const RNACOS_LATER_MS: u64 = 3_000;

/// How an instance goes, on a server that calls itself `server` (`1.4.8`, `r-nacos`).
pub(super) fn removal(instance: &Instance, server: Option<&str>) -> Removal {
    if instance.ephemeral == Some(false) {
        return Removal::Never;
    }
    let server = server.unwrap_or_default();
    let rnacos = server.starts_with("r-nacos");
    let over_http = match instance.id.as_deref() {
        // 1.x has no other clients.
        _ if server.starts_with("1.") || server.starts_with("0.") => true,
        // `ip#port#cluster#group@@service`: a gRPC client gives no cluster.
        Some(id) if id.split('#').count() >= 4 => {
            if id.split('#').nth(2) == Some("null") {
                return Removal::WithConnection;
            }
            true
        }
        _ => false,
    };
    if !over_http {
        return Removal::Unknown;
    }
    let later = if rnacos { RNACOS_LATER_MS } else { 0 };
    Removal::AfterBeats {
        unhealthy_ms: later
            + own(&instance.metadata, "preserved.heart.beat.timeout").unwrap_or(UNHEALTHY_MS),
        removed_ms: later
            + own(&instance.metadata, "preserved.ip.delete.timeout").unwrap_or(REMOVED_MS),
    }
}

/// A limit that the instance brings itself, in milliseconds.
fn own(metadata: &BTreeMap<String, String>, name: &str) -> Option<u64> {
    metadata.get(name)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(id: Option<&str>, ephemeral: Option<bool>) -> Instance {
        Instance {
            ip: "10.0.0.1".into(),
            port: 20880,
            weight: 1.0,
            healthy: false,
            enabled: true,
            rewritten: false,
            ephemeral,
            id: id.map(str::to_owned),
            metadata: BTreeMap::new(),
        }
    }

    #[test]
    fn by_the_way_it_was_registered() {
        let beats = |unhealthy_ms, removed_ms| Removal::AfterBeats {
            unhealthy_ms,
            removed_ms,
        };
        for (id, ephemeral, server, expected) in [
            (None, Some(false), "2.5.1", Removal::Never),
            (
                Some("10.0.0.1#20880#null#DEFAULT_GROUP@@s"),
                Some(true),
                "2.5.1",
                Removal::WithConnection,
            ),
            (
                Some("10.0.0.1#20880#DEFAULT#DEFAULT_GROUP@@s"),
                Some(true),
                "2.5.1",
                beats(15_000, 30_000),
            ),
            (None, None, "1.4.8", beats(15_000, 30_000)),
            (
                Some("10.0.0.1#20880"),
                Some(true),
                "r-nacos",
                Removal::Unknown,
            ),
            (None, None, "", Removal::Unknown),
        ] {
            let found = removal(&instance(id, ephemeral), Some(server));
            assert_eq!(found, expected, "{id:?} {server}");
        }
    }

    #[test]
    fn an_instance_may_bring_its_own_limits() {
        let mut own = instance(None, Some(true));
        own.metadata
            .insert("preserved.ip.delete.timeout".into(), "9000".into());
        own.metadata
            .insert("preserved.heart.beat.timeout".into(), "soon".into());
        assert_eq!(
            removal(&own, Some("1.4.8")),
            Removal::AfterBeats {
                unhealthy_ms: 15_000,
                removed_ms: 9_000
            }
        );
    }
}
