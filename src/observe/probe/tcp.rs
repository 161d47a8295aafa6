//! A TCP connection, and the reason when there is none.
//!
//! Clients of registries hide why they could not connect; this keeps unknown host, refused, no route and
//! no answer apart, because each has another next step.

use std::{
    io,
    net::{IpAddr, SocketAddr, UdpSocket},
};

use tokio::net::{TcpStream, lookup_host};

use crate::{
    observe::{Deadline, Failure},
    snapshot::ErrKind,
};

/// Connects to `host:port` (IPv6 in brackets), trying every address the name has, within one request's limit.
///
/// # Errors
/// `unknown-host`, `refused`, `unreachable`, `timeout`, `reset`, with the system's words.
pub async fn connect(address: &str, deadline: &Deadline) -> Result<TcpStream, Failure> {
    let resolved = match deadline.request(lookup_host(address)).await {
        Err(_) => {
            return Err(Failure::new(
                ErrKind::Timeout,
                "no answer to the name lookup",
            ));
        }
        Ok(Err(error)) => return Err(lookup_failure(&error)),
        Ok(Ok(resolved)) => resolved,
    };
    let mut last = Failure::new(ErrKind::UnknownHost, "the name has no address");
    for socket in resolved {
        match deadline.request(TcpStream::connect(socket)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = io_failure(&error),
            Err(_) => last = Failure::new(ErrKind::Timeout, "no answer to the connect"),
        }
        if deadline.passed() {
            break;
        }
    }
    Err(last)
}

/// The address that this machine uses towards another. Connecting a datagram socket sends nothing.
pub fn local_ip(other: SocketAddr) -> Option<IpAddr> {
    let any = if other.is_ipv4() {
        "0.0.0.0:0"
    } else {
        "[::]:0"
    };
    let socket = UdpSocket::bind(any).ok()?;
    socket.connect(other).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Whether a host is the machine itself, whichever machine that is.
pub fn is_own_host(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    let ip: Result<IpAddr, _> = host.parse();
    host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
}

/// Whether `address` is a `host:port` at all; lookups of other texts would say "unknown host" and mislead.
pub fn is_address(address: &str) -> bool {
    let Some((host, port)) = address.rsplit_once(':') else {
        return false;
    };
    let inner = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let named = match inner {
        Some(inner) => inner.contains(':'),
        None => !host.is_empty() && !host.contains([':', '[', ']']),
    };
    named && port.parse::<u16>().is_ok_and(|port| port != 0)
}

pub(super) fn lookup_failure(error: &io::Error) -> Failure {
    // A name that cannot be resolved has no error kind of its own in the standard library.
    let kind = match error.kind() {
        io::ErrorKind::TimedOut => ErrKind::Timeout,
        _ => ErrKind::UnknownHost,
    };
    Failure::new(kind, words(error))
}

/// The kind of an error of a connection.
pub fn io_failure(error: &io::Error) -> Failure {
    let kind = match error.kind() {
        io::ErrorKind::ConnectionRefused => ErrKind::Refused,
        io::ErrorKind::TimedOut => ErrKind::Timeout,
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof
        | io::ErrorKind::WriteZero
        | io::ErrorKind::NotConnected => ErrKind::Reset,
        _ => ErrKind::Unreachable,
    };
    Failure::new(kind, words(error))
}

/// The system's words without the number of the error, which differs between systems.
fn words(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn try_connect(address: &str) -> Result<TcpStream, Failure> {
        let deadline = Duration::from_secs(2);
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(async {
                connect(address, &Deadline::starting_now(Some(deadline), deadline)).await
            })
    }

    #[test]
    fn refused_and_unknown_are_told_apart() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        assert!(try_connect(&address).is_ok());
        drop(listener);
        let refused = try_connect(&address).unwrap_err();
        assert_eq!(
            refused,
            Failure::new(ErrKind::Refused, "Connection refused")
        );
        let unknown = try_connect("no-such-host.invalid:2181").unwrap_err();
        assert_eq!(unknown.kind, ErrKind::UnknownHost);
    }

    #[test]
    fn addresses_have_a_host_and_a_port() {
        for good in ["h:2181", "10.0.0.1:1", "[::1]:2181"] {
            assert!(is_address(good), "{good}");
        }
        for bad in ["h", ":2181", "h:0", "h:70000", "::1:2181", "[]:1", "h:x"] {
            assert!(!is_address(bad), "{bad}");
        }
    }

    #[test]
    fn words_have_no_numbers() {
        let error = io::Error::from_raw_os_error(113);
        let failure = io_failure(&error);
        assert_eq!(failure.kind, ErrKind::Unreachable);
        assert!(!failure.text.unwrap().contains("os error"));
    }
}
