//! When Nacos takes an instance away whose process has gone: by the way it was registered.
//!
//! Seen on real servers: HTTP clients and their beats on 1.x, 2.x and 3.x, gRPC clients killed and frozen, persistent
//! instances (`ClientBeatCheckTask` of 1.x; `UnhealthyInstanceChecker`, `ExpiredInstanceChecker`,
//! `EphemeralIpPortClientManager.ExpiredClientCleaner` and `NacosRuntimeConnectionEjector` of 2.x and 3.x).

use super::shape::Instance;
use crate::view::held::Removal;

/// Without a beat for so long an instance is called unhealthy (`DEFAULT_HEART_BEAT_TIMEOUT`).
const UNHEALTHY_MS: u64 = 15_000;
/// Without a beat for so long it is removed (`DEFAULT_IP_DELETE_TIMEOUT`).
const REMOVED_MS: u64 = 30_000;
/// Without a word from an HTTP client for so long 2.x and 3.x drop it with all its instances, whatever these bring
/// along (`ClientConstants.DEFAULT_CLIENT_EXPIRED_TIME`; `nacos.naming.client.expired.time` of the server changes it).
const EXPIRED_MS: u64 = 180_000;
/// r-nacos waits so much longer.
const RNACOS_LATER_MS: u64 = 3_000;

/// How an instance goes, on a server that calls itself `server` (`1.4.8`, `r-nacos`).
pub(super) fn removal(instance: &Instance, server: Option<&str>) -> Removal {
    if instance.ephemeral == Some(false) {
        return Removal::Never;
    }
    let server = server.unwrap_or_default();
    let major: Option<u32> = server.split('.').next().and_then(|text| text.parse().ok());
    let first = matches!(major, Some(0 | 1));
    let over_http = match instance.id.as_deref() {
        // 1.x has no other clients.
        _ if first => true,
        // `ip#port#cluster#group@@service`: a gRPC client gives no cluster.
        Some(id) if id.split('#').count() >= 4 => {
            if id.split('#').nth(2) == Some("null") {
                return Removal::WithConnection;
            }
            true
        }
        // The v3 API makes no id, and clients over gRPC always bring one.
        None => major.is_some_and(|major| major >= 3) && instance.ephemeral == Some(true),
        Some(_) => false,
    };
    if !over_http {
        return Removal::Unknown;
    }
    let limit = |name: &str, otherwise: u64| {
        let own = instance.metadata.get(name).map(String::as_str);
        if first {
            own.and_then(of_first).unwrap_or(otherwise)
        } else {
            own.map_or(otherwise, of_later)
        }
    };
    let unhealthy_ms = limit("preserved.heart.beat.timeout", UNHEALTHY_MS);
    let removed_ms = limit("preserved.ip.delete.timeout", REMOVED_MS);
    let later = if server.starts_with("r-nacos") {
        RNACOS_LATER_MS
    } else {
        0
    };
    let expires = !first && later == 0 && removed_ms > EXPIRED_MS;
    Removal::AfterBeats {
        unhealthy_ms: unhealthy_ms.saturating_add(later),
        removed_ms: if expires {
            EXPIRED_MS
        } else {
            removed_ms.saturating_add(later)
        },
        expires,
    }
}

/// A limit that an instance brings along, in milliseconds, as 1.x reads it: digits, or it is none
/// (`Instance.getMetaDataByKeyWithDefault`).
fn of_first(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// The same as 2.x and 3.x read it: what is no number is 0, and the instance is gone at the next look
/// (`ConvertUtils.toLong`; seen on 2.5.1 and 3.0.3).
fn of_later(text: &str) -> u64 {
    let millis: i64 = text.parse().unwrap_or_default();
    u64::try_from(millis).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn instance(id: Option<&str>, ephemeral: Option<bool>) -> Instance {
        Instance {
            ip: "10.0.0.1".into(),
            port: 20880,
            weight: 1.0,
            healthy: false,
            enabled: true,
            rewritten: false,
            cluster: None,
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
            expires: false,
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
            // Clients of 2.x always bring an id; those of the v3 API have none.
            (None, Some(true), "2.5.1", Removal::Unknown),
            (None, Some(true), "3.0.3", beats(15_000, 30_000)),
            (
                Some("10.0.0.1#20880#null#DEFAULT_GROUP@@s"),
                Some(true),
                "3.0.3",
                Removal::WithConnection,
            ),
        ] {
            let found = removal(&instance(id, ephemeral), Some(server));
            assert_eq!(found, expected, "{id:?} {server}");
        }
    }

    #[test]
    fn an_instance_may_bring_its_own_limits() {
        let brought = |server, unhealthy: &str, removed: &str| {
            let id = "10.0.0.1#20880#DEFAULT#DEFAULT_GROUP@@s";
            let mut own = instance(Some(id), Some(true));
            let limits = [
                ("preserved.heart.beat.timeout", unhealthy),
                ("preserved.ip.delete.timeout", removed),
            ];
            for (name, value) in limits.into_iter().filter(|(_, value)| *value != "-") {
                own.metadata.insert(name.into(), value.into());
            }
            match removal(&own, Some(server)) {
                Removal::AfterBeats {
                    unhealthy_ms,
                    removed_ms,
                    expires,
                } => (unhealthy_ms, removed_ms, expires),
                other => panic!("{other:?}"),
            }
        };
        // 1.x takes digits and nothing else, and has no other limit.
        assert_eq!(brought("1.4.8", "soon", "9000"), (15_000, 9000, false));
        assert_eq!(brought("1.4.8", "-", "600000"), (15_000, 600_000, false));
        assert_eq!(brought("1.4.8", " 9", "-5"), (15_000, 30_000, false));
        for server in ["2.5.1", "3.0.3"] {
            // As it was seen: 600,000 is cut to three minutes; what is no number is gone at the next look.
            assert_eq!(brought(server, "20000", "600000"), (20_000, 180_000, true));
            assert_eq!(brought(server, "-", "180000"), (15_000, 180_000, false));
            assert_eq!(brought(server, "5000", "9000"), (5000, 9000, false));
            assert_eq!(brought(server, "60000", "-"), (60_000, 30_000, false));
            for odd in ["later", "", " 100000", "-5"] {
                assert_eq!(brought(server, odd, odd), (0, 0, false), "{odd:?}");
            }
        }
    }
}
