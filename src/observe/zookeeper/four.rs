//! Four-letter words: what a member says of itself without a session.
//!
//! Only words that read are known here, so no other can be sent.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    observe::{Deadline, Failure, probe::tcp},
    snapshot::ErrKind,
};

/// Longest answer that is kept; `mntr` of a large server has about 10 KB.
const LONGEST: u64 = 256 * 1024;

/// The words that may be asked: each only reads (`org.apache.zookeeper.server.command.FourLetterCommands`).
const READING: [&str; 7] = ["srvr", "mntr", "ruok", "isro", "conf", "envi", "cons"];

/// Asks a word on a connection that is already there.
///
/// # Errors
/// `not-ready` when the member says that it does not serve, `switched-off` when it does not allow the word,
/// `no-such-command` for a word that is not one of those that read, else what the connection did.
pub(super) async fn ask(
    mut stream: TcpStream,
    word: &str,
    deadline: &Deadline,
) -> Result<String, Failure> {
    if !READING.contains(&word) {
        return Err(Failure::new(
            ErrKind::NoSuchCommand,
            "not a word that only reads",
        ));
    }
    let mut bytes = Vec::new();
    let talk = async {
        stream.write_all(word.as_bytes()).await?;
        stream.take(LONGEST).read_to_end(&mut bytes).await
    };
    match deadline.request(talk).await {
        Err(_) => {
            return Err(Failure::new(
                ErrKind::Timeout,
                format!("no answer to {word}"),
            ));
        }
        // Some servers reset the connection after the last byte instead of closing it.
        Ok(Err(error)) if bytes.is_empty() => return Err(tcp::io_failure(&error)),
        Ok(_) => {}
    }
    heard(word, bytes)
}

/// What came in answer to a word: text, or what it is instead.
///
/// # Errors
/// As [`ask`].
pub(super) fn heard(word: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    match String::from_utf8(bytes) {
        Ok(text) => read(word, text),
        Err(_) => Err(Failure::new(
            ErrKind::BadAnswer,
            format!("the answer to {word} is no text"),
        )),
    }
}

/// Connects and asks a word.
pub(super) async fn connect_and_ask(
    address: &str,
    word: &str,
    deadline: &Deadline,
) -> Result<String, Failure> {
    ask(tcp::connect(address, deadline).await?, word, deadline).await
}

fn read(word: &str, text: String) -> Result<String, Failure> {
    if text.is_empty() {
        return Err(Failure::new(
            ErrKind::Reset,
            format!("closed the connection without an answer to {word}"),
        ));
    }
    if text.contains("not currently serving requests") {
        return Err(Failure::new(ErrKind::NotReady, text));
    }
    if text.contains("is not in the whitelist") {
        return Err(Failure::new(ErrKind::SwitchedOff, text.trim_end()));
    }
    let known = match word {
        "ruok" => text == "imok",
        "isro" => matches!(text.as_str(), "rw" | "ro" | "null"),
        "srvr" => text.contains("Zookeeper version:") || text.contains("Mode:"),
        _ => !text.starts_with("HTTP/"),
    };
    if known {
        return Ok(text);
    }
    Err(Failure::new(
        ErrKind::BadAnswer,
        super::wire::line(text.as_bytes()),
    ))
}

/// The version in an answer to `srvr`, such as `3.8.0`.
pub(super) fn version(srvr: &str) -> Option<&str> {
    let rest = srvr
        .lines()
        .find_map(|line| line.strip_prefix("Zookeeper version:"))?
        .trim_start();
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(rest.len());
    Some(rest[..end].trim_end_matches('.')).filter(|version| !version.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_in_words_have_a_kind() {
        let not_serving = "This ZooKeeper instance is not currently serving requests\n";
        assert_eq!(
            read("srvr", not_serving.into()).unwrap_err().kind,
            ErrKind::NotReady
        );
        let off = "mntr is not executed because it is not in the whitelist.\n";
        assert_eq!(
            read("mntr", off.into()).unwrap_err().kind,
            ErrKind::SwitchedOff
        );
        assert_eq!(read("ruok", "imok".into()).unwrap(), "imok");
        assert_eq!(
            read("ruok", "HTTP/1.1 400".into()).unwrap_err().kind,
            ErrKind::BadAnswer
        );
        assert_eq!(
            read("srvr", String::new()).unwrap_err().kind,
            ErrKind::Reset
        );
    }

    #[test]
    fn the_version_is_the_number() {
        let srvr =
            "Zookeeper version: 3.8.4-9316c2a7, built on 2024-02-12 22:16 UTC\nMode: leader\n";
        assert_eq!(version(srvr), Some("3.8.4"));
        assert_eq!(version("Mode: leader"), None);
        assert_eq!(version("Zookeeper version: -"), None);
    }
}
