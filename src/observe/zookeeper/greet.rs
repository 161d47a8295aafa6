//! Who answers at an address where no session could be opened.
//!
//! Asked only after the session failed: the client says no more than "no hosts". A greeting is sent by hand and
//! what comes back decides: an HTTP server, a port that speaks TLS only, another protocol, or silence.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time,
};

use super::wire::{self, Answer};
use crate::{
    observe::{Deadline, Failure, probe::tcp},
    snapshot::ErrKind,
};

/// How long the other side may take for its first word.
const PATIENCE: Duration = Duration::from_millis(1500);
/// The session timeout in the greeting; the session is closed at once when it is granted.
const SESSION_MS: u32 = 4000;

/// Why a session with `address` cannot be had.
///
/// Always a reason, also when the other side turns out to be a ZooKeeper that grants a session now: whoever asks has
/// failed before and must try again to make use of it.
pub(super) async fn reason(address: &str, deadline: &Deadline) -> Failure {
    let deadline = deadline.at_most(PATIENCE);
    let stream = match tcp::connect(address, &deadline).await {
        Ok(stream) => stream,
        Err(failure) => return failure,
    };
    match talk(stream, &deadline).await {
        Heard::Answer(Answer::Zookeeper { session: 0, .. }) => {
            Failure::new(ErrKind::NotReady, "ZooKeeper did not grant a session")
        }
        Heard::Answer(Answer::Refusal(-119)) => Failure::new(
            ErrKind::NotReady,
            "serves reads only, without a leader, and grants no session (NotReadOnly)",
        ),
        Heard::Answer(Answer::Refusal(code)) => Failure::new(
            ErrKind::NotReady,
            format!("ZooKeeper refused a session with error code {code}"),
        ),
        Heard::Answer(Answer::Zookeeper { .. }) => Failure::new(
            ErrKind::Reset,
            "ZooKeeper granted a session only at the second try",
        ),
        Heard::Answer(Answer::Http(line)) => {
            not_zookeeper(&format!("an HTTP server answers: {line}"))
        }
        Heard::Answer(Answer::Tls) => tls_only(),
        Heard::Answer(Answer::Other(line)) => {
            not_zookeeper(&format!("not ZooKeeper's protocol: {line}"))
        }
        Heard::Closed(true) | Heard::Answer(Answer::Partial) => Failure::new(
            ErrKind::Reset,
            "closed the connection within its first answer",
        ),
        Heard::Closed(false) if speaks_tls(address, &deadline).await => tls_only(),
        Heard::Closed(false) => {
            Failure::new(ErrKind::Reset, "closed the connection without an answer")
        }
        Heard::Nothing => Failure::new(ErrKind::Timeout, "accepts the connection and says nothing"),
    }
}

/// Why a session over TLS with `address` cannot be had.
pub(super) async fn tls_reason(address: &str, deadline: &Deadline) -> Failure {
    let deadline = deadline.at_most(PATIENCE);
    if speaks_tls(address, &deadline).await {
        return Failure::new(
            ErrKind::Reset,
            "the port speaks TLS, but the handshake or the session failed: \
             check the authority (tls-ca=) and whether the server wants a client certificate (tls-cert=, tls-key=)",
        );
    }
    match tcp::connect(address, &deadline).await {
        Ok(_) => not_zookeeper("the port does not speak TLS: use zookeeper://"),
        Err(failure) => failure,
    }
}

fn not_zookeeper(text: &str) -> Failure {
    Failure::new(ErrKind::BadAnswer, text)
}

fn tls_only() -> Failure {
    not_zookeeper("the port speaks TLS: use zookeeper+tls://")
}

enum Heard {
    /// Bytes that tell who it is (`Partial`: silence in the middle of them).
    Answer(Answer),
    /// The connection ended; whether bytes came before.
    Closed(bool),
    /// Silence.
    Nothing,
}

async fn talk(mut stream: TcpStream, deadline: &Deadline) -> Heard {
    if stream
        .write_all(&wire::connect_request(SESSION_MS))
        .await
        .is_err()
    {
        return Heard::Closed(false);
    }
    let mut bytes = Vec::new();
    let first = deadline.request_limit() / 2;
    let mut heard = listen(&mut stream, &mut bytes, first).await;
    if matches!(heard, Heard::Nothing) {
        // A text protocol may wait for the end of a line; ZooKeeper would have answered by now.
        if stream.write_all(b"\r\n\r\n").await.is_err() {
            return Heard::Closed(false);
        }
        heard = listen(&mut stream, &mut bytes, first).await;
    }
    if matches!(heard, Heard::Answer(Answer::Zookeeper { session, .. }) if session != 0) {
        let _ = stream.write_all(&wire::close_session()).await;
        // The server confirms; a close before that would leave the session to its timeout.
        let mut confirmation = [0; 64];
        let _ = deadline.request(stream.read(&mut confirmation)).await;
    }
    heard
}

async fn listen(stream: &mut TcpStream, bytes: &mut Vec<u8>, limit: Duration) -> Heard {
    let read = async {
        let mut chunk = [0; 512];
        loop {
            match stream.read(&mut chunk).await {
                Ok(0) | Err(_) if bytes.is_empty() => return Heard::Closed(false),
                Ok(0) | Err(_) => {
                    return match wire::answer(bytes) {
                        Answer::Partial if bytes.starts_with(b"HTTP/") => {
                            Heard::Answer(Answer::Http(wire::line(bytes)))
                        }
                        Answer::Partial => Heard::Closed(true),
                        answer => Heard::Answer(answer),
                    };
                }
                Ok(n) => bytes.extend_from_slice(&chunk[..n]),
            }
            match wire::answer(bytes) {
                Answer::Partial if bytes.len() < wire::LONGEST => {}
                answer => return Heard::Answer(answer),
            }
        }
    };
    match time::timeout(limit, read).await {
        Ok(heard) => heard,
        Err(_) if bytes.is_empty() => Heard::Nothing,
        Err(_) => Heard::Answer(wire::answer(bytes)),
    }
}

async fn speaks_tls(address: &str, deadline: &Deadline) -> bool {
    let Ok(mut stream) = tcp::connect(address, deadline).await else {
        return false;
    };
    if stream.write_all(&wire::client_hello()).await.is_err() {
        return false;
    }
    let mut head = [0; 3];
    matches!(
        deadline.request(stream.read_exact(&mut head)).await,
        Ok(Ok(_))
    ) && wire::is_tls(&head)
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpListener,
    };

    use super::*;

    /// A server that reads a little of each connection, then does what it is told.
    fn reason_of(serve: impl Fn(std::net::TcpStream) + Send + 'static) -> Failure {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            for stream in listener.incoming().take(2) {
                serve(stream.unwrap());
            }
        });
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(async {
                reason(
                    &address,
                    &Deadline::starting_now(None, Duration::from_millis(600)),
                )
                .await
            })
    }

    #[test]
    fn an_http_server_is_recognised_at_once_or_after_a_line_end() {
        let at_once = reason_of(|mut s| {
            let _ = s.read(&mut [0; 64]);
            let _ = s.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        });
        assert_eq!(
            at_once,
            Failure::new(
                ErrKind::BadAnswer,
                "an HTTP server answers: HTTP/1.1 400 Bad Request"
            )
        );
        let patient = reason_of(|mut s| {
            let mut seen = Vec::new();
            while !seen.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                if s.read(&mut byte).unwrap_or(0) == 0 {
                    return;
                }
                seen.extend_from_slice(&byte);
            }
            let _ = s.write_all(b"<html>bad</html>\n");
        });
        assert_eq!(patient.kind, ErrKind::BadAnswer);
    }

    #[test]
    fn silence_a_close_and_another_protocol_are_told_apart() {
        let silent = reason_of(|stream| {
            std::thread::sleep(Duration::from_millis(1500));
            drop(stream);
        });
        assert_eq!(silent.kind, ErrKind::Timeout);
        let closing = reason_of(|mut s| {
            let _ = s.read(&mut [0; 64]);
        });
        assert_eq!(closing.kind, ErrKind::Reset);
        let ssh = reason_of(|mut s| {
            let _ = s.write_all(b"SSH-2.0-OpenSSH_9.2p1\r\n");
            std::thread::sleep(Duration::from_millis(100));
        });
        assert_eq!(
            ssh,
            Failure::new(
                ErrKind::BadAnswer,
                "not ZooKeeper's protocol: SSH-2.0-OpenSSH_9.2p1"
            )
        );
    }

    #[test]
    fn a_tls_port_is_recognised_by_its_alert() {
        let tls = reason_of(|mut s| {
            let mut head = [0; 64];
            let n = s.read(&mut head).unwrap_or(0);
            if n > 3 && head[0] == 0x16 {
                let _ = s.write_all(&[0x15, 3, 3, 0, 2, 2, 40]);
            }
        });
        assert_eq!(
            tls,
            Failure::new(
                ErrKind::BadAnswer,
                "the port speaks TLS: use zookeeper+tls://"
            )
        );
    }
}
