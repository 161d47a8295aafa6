//! One HTTP request with one answer: what the lab itself asks of r-nacos and of QOS ports.

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
    Ok((status, body.to_owned()))
}

/// Every byte percent-encoded.
pub(crate) fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        // Writing to a string does not fail.
        let _ = write!(out, "%{byte:02X}");
        out
    })
}
