//! One line over telnet as `TelnetProcessHandler` reads it. The end of an answer is a prompt behind which nothing comes.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{
    model::qos::clean,
    observe::{Deadline, Failure, probe::tcp},
    snapshot::ErrKind,
};

const PROMPT: &[u8] = b"dubbo>";
/// How long nothing must come behind a prompt.
const QUIET: Duration = Duration::from_millis(300);
/// The banner with the first prompt comes so long after the connection at the earliest (`QosProcessHandler`): what ends
/// in a prompt before that may be the banner alone.
const GREETING: Duration = Duration::from_millis(700);

/// Asks one command on a connection of its own. The line comes from the closed list (`model::qos::Command`).
///
/// # Errors
/// What the connection did.
pub(super) async fn ask(
    endpoint: &str,
    command: &str,
    deadline: &Deadline,
    most: usize,
) -> Result<String, Failure> {
    let mut stream = tcp::connect(endpoint, deadline).await?;
    let mut bytes = Vec::new();
    let talk = async {
        let failed = |error: std::io::Error| tcp::io_failure(&error);
        stream
            .write_all(format!("{command}\r\n").as_bytes())
            .await
            .map_err(failed)?;
        let mut part = vec![0; 16 << 10];
        loop {
            let done = bytes.ends_with(PROMPT) && has_answer(&bytes);
            let wait = if done {
                QUIET
            } else if bytes.ends_with(PROMPT) {
                GREETING
            } else {
                Duration::MAX
            };
            let read = match tokio::time::timeout(
                wait.min(Duration::from_secs(3600)),
                stream.read(&mut part),
            )
            .await
            {
                Err(_) | Ok(Ok(0)) => return Ok(()),
                Ok(Ok(count)) => count,
                Ok(Err(_)) if !bytes.is_empty() => return Ok(()),
                Ok(Err(error)) => return Err(failed(error)),
            };
            bytes.extend_from_slice(&part[..read]);
            if bytes.len() > most {
                return Err(Failure::new(
                    ErrKind::TooLarge,
                    format!("more than {most} bytes"),
                ));
            }
        }
    };
    match deadline.request(talk).await {
        Err(_) if bytes.is_empty() => {
            return Err(Failure::new(ErrKind::Timeout, "no byte of an answer"));
        }
        Err(_) => {
            return Err(Failure::new(
                ErrKind::Timeout,
                format!("{} bytes and no end", bytes.len()),
            ));
        }
        Ok(ended) => ended?,
    }
    if bytes.is_empty() {
        return Err(Failure::new(
            ErrKind::Reset,
            "closed the connection without an answer",
        ));
    }
    String::from_utf8(bytes).map_err(|_| Failure::new(ErrKind::BadAnswer, "the answer is no text"))
}

/// Whether something else than banner and prompt came.
fn has_answer(bytes: &[u8]) -> bool {
    !clean(&String::from_utf8_lossy(bytes)).is_empty()
}
