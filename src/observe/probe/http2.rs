//! PING frames of HTTP/2 (triple, gRPC): answered by the connection itself, before any request.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::sleep,
};

use super::{
    beats::{Beats, Stopwatch, TURNS, foreign},
    tcp,
};
use crate::{
    observe::{Deadline, Failure},
    snapshot::ErrKind,
};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const ACK: u8 = 1;
const HEAD: usize = 9;
/// Largest frame before anybody allows more (RFC 9113, 4.2).
const MOST: usize = 16 << 10;
/// Time between two pings: servers close a connection on which there are too many.
const PAUSE: Duration = Duration::from_millis(50);

/// Name of this kind of probe in a recording.
pub const KIND: &str = crate::model::probe::PING;

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Kind.
    pub kind: u8,
    /// Flags; 1 of SETTINGS and PING is the acknowledgement.
    pub flags: u8,
    /// Content.
    pub payload: Vec<u8>,
}

/// What the bytes at hand are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed {
    /// A frame, and how many bytes it took.
    Frame(Frame, usize),
    /// The beginning of one.
    Part,
    /// Longer than a frame can be.
    Foreign,
}

impl Frame {
    fn of_connection(kind: u8, flags: u8, payload: Vec<u8>) -> Self {
        Self {
            kind,
            flags,
            payload,
        }
    }

    /// As it is sent on the connection itself (stream 0).
    pub fn bytes(&self) -> Vec<u8> {
        let length = u32::try_from(self.payload.len()).unwrap_or(0);
        let mut bytes = length.to_be_bytes()[1..].to_vec();
        bytes.extend([self.kind, self.flags, 0, 0, 0, 0]);
        bytes.extend(&self.payload);
        bytes
    }

    /// Reads the first frame of what came.
    pub fn parse(bytes: &[u8]) -> Parsed {
        let Some(head) = bytes.get(..HEAD) else {
            return Parsed::Part;
        };
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let length = match usize::try_from(length) {
            Ok(length) if length <= MOST => length,
            _ => return Parsed::Foreign,
        };
        let Some(payload) = bytes.get(HEAD..HEAD + length) else {
            return Parsed::Part;
        };
        let frame = Self::of_connection(head[3], head[4], payload.to_vec());
        Parsed::Frame(frame, HEAD + length)
    }
}

/// A connection on which pings are sent.
struct Talk {
    stream: TcpStream,
    heard: Vec<u8>,
    /// The first frame of a server is its settings.
    settled: bool,
    draining: bool,
}

impl Talk {
    async fn send(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = self.stream.write_all(bytes).await;
        written.map_err(|error| tcp::io_failure(&error))
    }

    /// Waits for the acknowledgement of a ping.
    async fn acknowledged(&mut self, ping: &[u8]) -> Result<(), Failure> {
        loop {
            match Frame::parse(&self.heard) {
                Parsed::Frame(frame, length) => {
                    if !self.settled && frame.kind != SETTINGS {
                        return Err(foreign(&self.heard, "HTTP/2"));
                    }
                    self.heard.drain(..length);
                    if self.took(&frame, ping).await? {
                        return Ok(());
                    }
                    continue;
                }
                Parsed::Part if !self.settled && !is_settings(&self.heard) => {
                    return Err(foreign(&self.heard, "HTTP/2"));
                }
                Parsed::Part => {}
                Parsed::Foreign => return Err(foreign(&self.heard, "HTTP/2")),
            }
            let mut part = vec![0; MOST];
            match self.stream.read(&mut part).await {
                Ok(0) => {
                    return Err(Failure::new(
                        ErrKind::Reset,
                        "closed the connection without an answer",
                    ));
                }
                Ok(count) => self.heard.extend_from_slice(&part[..count]),
                Err(error) => return Err(tcp::io_failure(&error)),
            }
        }
    }

    /// Takes a frame; whether it acknowledges the ping.
    async fn took(&mut self, frame: &Frame, ping: &[u8]) -> Result<bool, Failure> {
        let acknowledges = frame.flags & ACK != 0;
        match frame.kind {
            SETTINGS => {
                self.settled = true;
                if !acknowledges {
                    let answer = Frame::of_connection(SETTINGS, ACK, Vec::new());
                    self.send(&answer.bytes()).await?;
                }
            }
            PING if acknowledges => return Ok(frame.payload == ping),
            // Without an error it is the beginning of a farewell; with one, the other side did not like us.
            GOAWAY if frame.payload.get(4..8) == Some(&[0; 4]) => self.draining = true,
            GOAWAY => {
                return Err(Failure::new(
                    ErrKind::BadAnswer,
                    "ended the connection with an error of HTTP/2",
                ));
            }
            _ => {}
        }
        Ok(false)
    }
}

/// Whether what came can become the settings of a server: their length and kind.
fn is_settings(bytes: &[u8]) -> bool {
    bytes.first().is_none_or(|byte| *byte == 0) && bytes.get(3).is_none_or(|kind| *kind == SETTINGS)
}

/// A few pings on one connection.
///
/// # Errors
/// Not one was answered: what the other side did instead.
pub(super) async fn pings(stream: TcpStream, deadline: &Deadline) -> Result<Beats, Failure> {
    let mut talk = Talk {
        stream,
        heard: Vec::new(),
        settled: false,
        draining: false,
    };
    let mut beats = Beats::default();
    for turn in 1..=TURNS {
        // Not a constant of anybody: servers of Dubbo end a connection on one of theirs.
        let ping = turn.to_be_bytes();
        let mut bytes = Vec::new();
        if turn == 1 {
            bytes.extend(PREFACE);
            bytes.extend(Frame::of_connection(SETTINGS, 0, Vec::new()).bytes());
        } else {
            sleep(PAUSE).await;
        }
        bytes.extend(Frame::of_connection(PING, 0, ping.to_vec()).bytes());
        let watch = Stopwatch::start();
        let beat = async {
            talk.send(&bytes).await?;
            talk.acknowledged(&ping).await
        };
        let came = deadline.request(beat).await;
        if !beats.take(came, &watch, talk.draining, deadline)? {
            break;
        }
    }
    if talk.draining {
        beats.draining = Some("goaway");
    }
    Ok(beats)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_is_no_frame() {
        assert!(!is_settings(b"HTTP/1.1 400"));
        assert!(is_settings(&[0, 0]));
        assert!(is_settings(&[0, 0, 12, 4, 0]));
        assert!(!is_settings(&[0, 0, 12, 6]));
    }

    proptest! {
        #[test]
        fn a_frame_is_read_as_it_was_written(kind in any::<u8>(), flags in any::<u8>(), payload in proptest::collection::vec(any::<u8>(), 0..40), more in proptest::collection::vec(any::<u8>(), 0..8)) {
            let frame = Frame { kind, flags, payload };
            let mut bytes = frame.bytes();
            let length = bytes.len();
            bytes.extend(more);
            prop_assert_eq!(Frame::parse(&bytes), Parsed::Frame(frame, length));
            prop_assert_eq!(Frame::parse(&bytes[..length - 1]), Parsed::Part);
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = Frame::parse(&bytes);
            let _ = is_settings(&bytes);
        }
    }
}
