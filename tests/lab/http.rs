//! One HTTP request with one answer: what the lab itself asks of Nacos, r-nacos and QOS ports.

use std::{
    fmt::Write as _,
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use anyhow::Context;

/// Status and body.
pub(crate) fn ask(
    address: &str,
    method: &str,
    target: &str,
    form: &str,
) -> anyhow::Result<(u16, String)> {
    let mut stream = TcpStream::connect(address).with_context(|| address.to_owned())?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let length = form.len();
    write!(
        stream,
        "{method} {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{form}"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").context("no HTTP")?;
    let status = head.get(9..12).context("no HTTP")?.parse()?;
    let chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    let body = if chunked {
        joined(body)
    } else {
        body.to_owned()
    };
    Ok((status, body))
}

/// A body that was sent in chunks, each after its length.
fn joined(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((length, rest)) = body.split_once("\r\n")
        && let Ok(length @ 1..) = usize::from_str_radix(length.trim(), 16)
        && let Some((chunk, rest)) = rest.split_at_checked(length)
    {
        whole.push_str(chunk);
        body = rest.trim_start_matches("\r\n");
    }
    whole
}

/// Every byte percent-encoded.
pub(crate) fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        // Writing to a string does not fail.
        let _ = write!(out, "%{byte:02X}");
        out
    })
}
