//! `GET /command?a=..` as `HttpProcessHandler` reads it, on a plain connection: what answers may be no HTTP at all.

use std::{fmt::Write as _, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    model::qos::Command,
    observe::{Deadline, Failure, probe::tcp},
    snapshot::ErrKind,
};

/// How long one command may take over HTTP: half of what telnet then gets, so that both fit into a deadline.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Why there is no HTTP answer.
pub(super) enum NoAnswer {
    /// Text without HTTP: the refusal of old lines (`Foreign Ip Not Permitted.`), telnet of a service port.
    Raw(String),
    /// The connection, or its end.
    Failed(Failure),
}

/// Asks one command. A query is always sent: without one, old lines fail in ways of their own.
pub(super) async fn ask(
    endpoint: &str,
    command: &Command,
    deadline: &Deadline,
    most: usize,
) -> Result<(u16, String), NoAnswer> {
    let stream = tcp::connect(endpoint, deadline)
        .await
        .map_err(NoAnswer::Failed)?;
    let request = format!(
        "GET /{}?a={} HTTP/1.1\r\nHost: {endpoint}\r\nConnection: close\r\n\r\n",
        command.name(),
        encoded(&command.argument().unwrap_or_default()),
    );
    let mut bytes = Vec::new();
    let talk = exchange(stream, request.as_bytes(), &mut bytes, most);
    let ended = deadline.at_most(PATIENCE).request(talk).await;
    if let Ok(Err(failure)) = &ended
        && failure.kind == ErrKind::TooLarge
    {
        return Err(NoAnswer::Failed(failure.clone()));
    }
    if bytes.is_empty() {
        return Err(NoAnswer::Failed(match ended {
            Err(_) => Failure::new(ErrKind::Timeout, "no byte of an answer"),
            Ok(Err(failure)) => failure,
            Ok(Ok(())) => Failure::new(ErrKind::Reset, "closed the connection without an answer"),
        }));
    }
    match parse(&bytes) {
        Parsed::Whole(status, body) => Ok((status, body)),
        Parsed::Part => Err(NoAnswer::Failed(match ended {
            Err(_) => Failure::new(
                ErrKind::Timeout,
                format!("{} bytes and no end", bytes.len()),
            ),
            _ => Failure::new(ErrKind::Cut, format!("ended after {} bytes", bytes.len())),
        })),
        Parsed::NotHttp if ended.is_err() => Err(NoAnswer::Failed(Failure::new(
            ErrKind::Timeout,
            format!("{} bytes and no end", bytes.len()),
        ))),
        Parsed::NotHttp => {
            let text = String::from_utf8(bytes).map_err(|_| {
                NoAnswer::Failed(Failure::new(ErrKind::BadAnswer, "the answer is no text"))
            })?;
            Err(NoAnswer::Raw(text))
        }
    }
}

/// Sends, and reads until the other side ends or the answer is whole.
async fn exchange(
    mut stream: TcpStream,
    request: &[u8],
    bytes: &mut Vec<u8>,
    most: usize,
) -> Result<(), Failure> {
    let failed = |error: std::io::Error| tcp::io_failure(&error);
    stream.write_all(request).await.map_err(failed)?;
    let mut part = vec![0; 16 << 10];
    loop {
        let count = match stream.read(&mut part).await {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            // Some processes reset the connection after the last byte instead of closing it.
            Err(_) if !bytes.is_empty() => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        bytes.extend_from_slice(&part[..count]);
        if bytes.len() > most {
            return Err(Failure::new(
                ErrKind::TooLarge,
                format!("more than {most} bytes"),
            ));
        }
        if is_told(bytes) && matches!(parse(bytes), Parsed::Whole(..)) {
            return Ok(());
        }
    }
}

enum Parsed {
    Whole(u16, String),
    Part,
    NotHttp,
}

/// Status and body of what came; without `Content-Length` the body is what came until the end.
fn parse(bytes: &[u8]) -> Parsed {
    if !bytes.starts_with(b"HTTP/1.") {
        return Parsed::NotHttp;
    }
    let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Parsed::Part;
    };
    let head = String::from_utf8_lossy(&bytes[..at]);
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|word| word.parse::<u16>().ok());
    let body = &bytes[at + 4..];
    match (status, length(&head)) {
        (None, _) => Parsed::NotHttp,
        (_, Some(length)) if body.len() < length => Parsed::Part,
        (Some(status), length) => {
            let body = &body[..length.unwrap_or(body.len())];
            Parsed::Whole(status, String::from_utf8_lossy(body).into_owned())
        }
    }
}

fn length(head: &str) -> Option<usize> {
    head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    })
}

/// Whether the length of the body was told.
fn is_told(bytes: &[u8]) -> bool {
    bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .is_some_and(|at| length(&String::from_utf8_lossy(&bytes[..at])).is_some())
}

/// An argument as the value of a query.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn arguments_are_values_of_a_query() {
        assert_eq!(encoded("g/a.B$C:1.0"), "g%2Fa.B%24C%3A1.0");
        assert_eq!(encoded(r"a\.B"), "a%5C.B");
    }

    #[test]
    fn an_answer_is_whole_when_its_length_is_there() {
        let text = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntrue";
        assert!(matches!(parse(text), Parsed::Whole(200, body) if body == "true"));
        assert!(matches!(parse(&text[..text.len() - 1]), Parsed::Part));
        assert!(matches!(parse(b"\r\nForeign"), Parsed::NotHttp));
    }

    proptest! {
        #[test]
        fn any_bytes_are_parsed(bytes in proptest::collection::vec(any::<u8>(), 0..80), head in any::<bool>()) {
            let mut all = if head { b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n".to_vec() } else { Vec::new() };
            all.extend(bytes);
            let _ = parse(&all);
            let _ = is_told(&all);
        }
    }
}
