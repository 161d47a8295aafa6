//! Names of the kinds of round trips, and which of them a protocol answers.

/// Heartbeats of the dubbo protocol.
pub const HEARTBEAT: &str = "dubbo-heartbeat";
/// Pings of HTTP/2.
pub const PING: &str = "http2-ping";
/// Connections, which take one.
pub const CONNECT: &str = "tcp-connect";

/// The kind that a server of this protocol answers without serving a call; `None` where only a connection can be tried.
pub fn kind_of(protocol: Option<&str>) -> Option<&'static str> {
    match protocol {
        None | Some("" | "dubbo") => Some(HEARTBEAT),
        Some("tri" | "grpc") => Some(PING),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocols_without_a_round_trip_are_only_connected() {
        assert_eq!(kind_of(None), Some(HEARTBEAT));
        assert_eq!(kind_of(Some("tri")), Some(PING));
        assert_eq!(kind_of(Some("rest")), None);
    }
}
