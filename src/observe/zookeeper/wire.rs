//! The first bytes of a conversation, as much of ZooKeeper's protocol as is needed to say who answers.
//!
//! The session itself is the business of `zookeeper-client`, which tells only that it could not connect. What the
//! other side said instead is read here: small, bounded, and never trusted.

/// Longest answer to a greeting that is looked at.
pub(super) const LONGEST: usize = 4096;

/// A `ConnectRequest` for a new session that may be a read-only one (`org.apache.zookeeper.proto.ConnectRequest`):
/// protocol version, last zxid seen, session timeout, session id, password, read-only.
pub(super) fn connect_request(timeout_ms: u32) -> Vec<u8> {
    let mut body = Vec::with_capacity(49);
    body.extend_from_slice(&0_i32.to_be_bytes());
    body.extend_from_slice(&0_i64.to_be_bytes());
    body.extend_from_slice(&timeout_ms.to_be_bytes());
    body.extend_from_slice(&0_i64.to_be_bytes());
    body.extend_from_slice(&16_i32.to_be_bytes());
    body.extend_from_slice(&[0; 16]);
    body.push(1);
    frame(&body)
}

/// `closeSession` (`RequestHeader` with operation -11).
pub(super) fn close_session() -> Vec<u8> {
    let mut body = Vec::with_capacity(8);
    body.extend_from_slice(&1_i32.to_be_bytes());
    body.extend_from_slice(&(-11_i32).to_be_bytes());
    frame(&body)
}

fn frame(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap_or_default();
    let mut frame = length.to_be_bytes().to_vec();
    frame.extend_from_slice(body);
    frame
}

/// A TLS 1.2 `ClientHello` without a server name; any TLS server answers it with a handshake or an alert.
pub(super) fn client_hello() -> Vec<u8> {
    let mut hello = vec![0x03, 0x03];
    hello.extend_from_slice(&[0x5a; 32]);
    hello.push(0);
    let suites: [u16; 6] = [0xc02f, 0xc030, 0xc02b, 0xc02c, 0x009c, 0x002f];
    hello.extend_from_slice(&12_u16.to_be_bytes());
    for suite in suites {
        hello.extend_from_slice(&suite.to_be_bytes());
    }
    hello.extend_from_slice(&[1, 0]);
    // supported_groups (x25519, secp256r1) and signature_algorithms.
    let extensions: [u8; 26] = [
        0x00, 0x0a, 0x00, 0x06, 0x00, 0x04, 0x00, 0x1d, 0x00, 0x17, 0x00, 0x0d, 0x00, 0x0c, 0x00,
        0x0a, 0x04, 0x01, 0x04, 0x03, 0x08, 0x04, 0x05, 0x01, 0x02, 0x01,
    ];
    hello.extend_from_slice(&26_u16.to_be_bytes());
    hello.extend_from_slice(&extensions);
    let mut handshake = vec![1, 0];
    handshake.extend_from_slice(&u16::try_from(hello.len()).unwrap_or_default().to_be_bytes());
    handshake.extend_from_slice(&hello);
    let mut record = vec![0x16, 0x03, 0x01];
    record.extend_from_slice(
        &u16::try_from(handshake.len())
            .unwrap_or_default()
            .to_be_bytes(),
    );
    record.extend_from_slice(&handshake);
    record
}

/// Who answered, from the first bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// Not enough bytes to tell.
    Partial,
    /// A `ConnectResponse`.
    Zookeeper {
        /// 0 = the session was not granted.
        session: i64,
        /// The server serves reads only.
        read_only: bool,
    },
    /// A `ReplyHeader` with an error in place of a `ConnectResponse`.
    Refusal(i32),
    /// An HTTP status line.
    Http(String),
    /// A TLS record.
    Tls,
    /// Words of something else (a banner), or how its bytes begin.
    Other(String),
}

/// Reads what the other side said to a [`connect_request`].
pub(super) fn answer(bytes: &[u8]) -> Answer {
    if bytes.starts_with(b"HTTP/") || bytes.starts_with(b"<") {
        return if bytes.contains(&b'\n') || bytes.len() >= LONGEST {
            Answer::Http(line(bytes))
        } else {
            Answer::Partial
        };
    }
    if is_tls(bytes) {
        return Answer::Tls;
    }
    let Some(length) = number(bytes, 0) else {
        return Answer::Partial;
    };
    if length == 16 {
        return match (number(bytes, 4), number(bytes, 16)) {
            // No xid of ours: the refusal of the request for a session.
            (Some(0), Some(code)) if code < 0 => Answer::Refusal(code),
            (Some(0) | None, None) => Answer::Partial,
            _ => Answer::Other(line(bytes)),
        };
    }
    if !(36..=1024).contains(&length) {
        return Answer::Other(line(bytes));
    }
    let length = usize::try_from(length).unwrap_or_default();
    let Some(body) = bytes.get(4..4 + length) else {
        return Answer::Partial;
    };
    match connect_response(body) {
        Some((session, read_only)) => Answer::Zookeeper { session, read_only },
        None => Answer::Other(line(bytes)),
    }
}

/// Whether the bytes begin with a TLS handshake or alert record.
pub(super) fn is_tls(bytes: &[u8]) -> bool {
    matches!(bytes, [0x15 | 0x16, 0x03, 0..=4, ..])
}

/// `ConnectResponse`: protocol version, timeout, session id, password, and read-only (absent before 3.4).
fn connect_response(body: &[u8]) -> Option<(i64, bool)> {
    let version = number(body, 0)?;
    let timeout = number(body, 4)?;
    let session = i64::from_be_bytes(body.get(8..16)?.try_into().ok()?);
    let password = usize::try_from(number(body, 16)?).ok()?;
    let rest = body.len().checked_sub(20)?.checked_sub(password)?;
    let read_only = match (rest, body.last()) {
        (0, _) | (1, Some(0)) => false,
        (1, Some(1)) => true,
        _ => return None,
    };
    (version == 0 && timeout >= 0).then_some((session, read_only))
}

fn number(bytes: &[u8], at: usize) -> Option<i32> {
    Some(i32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The first line, printable, at most 80 characters; bytes that are no text become dots.
pub(super) fn line(bytes: &[u8]) -> String {
    let first = bytes
        .split(|b| matches!(b, b'\n' | b'\r'))
        .find(|l| !l.is_empty())
        .unwrap_or_default();
    first
        .iter()
        .take(80)
        .map(|b| {
            if (0x20..0x7f).contains(b) {
                char::from(*b)
            } else {
                '.'
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn response(session: i64, tail: &[u8]) -> Vec<u8> {
        let mut body = Vec::new();
        body.extend_from_slice(&0_i32.to_be_bytes());
        body.extend_from_slice(&4000_i32.to_be_bytes());
        body.extend_from_slice(&session.to_be_bytes());
        body.extend_from_slice(&16_i32.to_be_bytes());
        body.extend_from_slice(&[7; 16]);
        body.extend_from_slice(tail);
        frame(&body)
    }

    #[test]
    fn requests_have_the_documented_lengths() {
        assert_eq!(connect_request(4000).len(), 49);
        assert_eq!(connect_request(4000)[..4], [0, 0, 0, 45]);
        assert_eq!(close_session().len(), 12);
        let hello = client_hello();
        assert_eq!(
            usize::from(hello[3]) * 256 + usize::from(hello[4]),
            hello.len() - 5
        );
    }

    #[test]
    fn answers_are_told_apart() {
        assert_eq!(
            answer(&response(9, &[0])),
            Answer::Zookeeper {
                session: 9,
                read_only: false
            }
        );
        assert_eq!(
            answer(&response(9, &[1])),
            Answer::Zookeeper {
                session: 9,
                read_only: true
            }
        );
        assert_eq!(
            answer(&response(9, &[])),
            Answer::Zookeeper {
                session: 9,
                read_only: false
            }
        );
        assert_eq!(
            answer(&response(0, &[0])),
            Answer::Zookeeper {
                session: 0,
                read_only: false
            }
        );
        assert_eq!(answer(&response(9, &[0])[..20]), Answer::Partial);
        assert_eq!(
            answer(b"HTTP/1.1 400 \r\n"),
            Answer::Http("HTTP/1.1 400 ".into())
        );
        assert_eq!(answer(&[0x15, 3, 3, 0, 2, 2, 40]), Answer::Tls);
        assert_eq!(
            answer(b"SSH-2.0-OpenSSH_9.2\r\n"),
            Answer::Other("SSH-2.0-OpenSSH_9.2".into())
        );
        assert_eq!(
            answer(b"-ERR unknown"),
            Answer::Other("-ERR unknown".into())
        );
        assert_eq!(answer(b""), Answer::Partial);
        // What a read-only member of 3.8.0 says when local sessions are not enabled: NotReadOnly.
        let mut refusal = vec![0, 0, 0, 16];
        refusal.extend_from_slice(&[0; 12]);
        refusal.extend_from_slice(&(-119_i32).to_be_bytes());
        assert_eq!(answer(&refusal), Answer::Refusal(-119));
        assert_eq!(answer(&refusal[..18]), Answer::Partial);
    }

    proptest! {
        #[test]
        fn foreign_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = answer(&bytes);
            prop_assert!(line(&bytes).len() <= 80);
        }

        #[test]
        fn a_broken_response_never_panics(at in 0_usize..41, byte: u8, cut in 0_usize..42) {
            let mut bytes = response(1, &[0]);
            bytes[at] = byte;
            let _ = answer(&bytes[..cut.min(bytes.len())]);
        }
    }
}
