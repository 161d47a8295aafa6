//! The frame of the dubbo protocol (`ExchangeCodec`), and heartbeats in it: what is answered by the thread that reads the
//! connection, before any service is looked at.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::sleep,
};

use super::{
    beats::{Beats, Stopwatch, TURNS},
    tcp,
};
use crate::{
    observe::{Deadline, Failure},
    snapshot::ErrKind,
};

const MAGIC: [u8; 2] = [0xda, 0xbb];
const REQUEST: u8 = 0x80;
const TWO_WAY: u8 = 0x40;
const EVENT: u8 = 0x20;
/// Number of the serialization that every line understands.
const HESSIAN2: u8 = 2;
const HEAD: usize = 16;
/// Null in hessian2: the body of a heartbeat.
const NOTHING: [u8; 1] = [b'N'];
/// The event of a provider that is shutting down, `R`, in hessian2 and in fastjson2.
const READ_ONLY: [[u8; 2]; 2] = [[0x01, b'R'], [0x4a, b'R']];
/// The event by which it takes that back.
const WRITABLE: [[u8; 2]; 2] = [[0x01, b'W'], [0x4a, b'W']];
/// Time between two heartbeats.
const PAUSE: Duration = Duration::from_millis(50);

/// Name of this kind of probe in a recording.
pub const KIND: &str = crate::model::probe::HEARTBEAT;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Request, two-way, event, number of the serialization.
    pub flags: u8,
    /// Status of a response: 20 is success.
    pub status: u8,
    /// Number of the request.
    pub id: u64,
    /// The serialized body.
    pub body: Vec<u8>,
}

/// What the bytes at hand are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed {
    /// A frame, and how many bytes it took.
    Frame(Frame, usize),
    /// The beginning of one.
    Part,
    /// No frame of dubbo.
    Foreign,
    /// A frame whose body is longer than is read: its length.
    TooLarge(u64),
}

impl Frame {
    /// A request that wants an answer, in hessian2.
    pub fn request(id: u64, body: Vec<u8>) -> Self {
        Self {
            flags: REQUEST | TWO_WAY | HESSIAN2,
            status: 0,
            id,
            body,
        }
    }

    fn heartbeat(id: u64) -> Self {
        Self {
            flags: REQUEST | TWO_WAY | EVENT | HESSIAN2,
            status: 0,
            id,
            body: NOTHING.to_vec(),
        }
    }

    /// Whether it answers the request of this number.
    pub fn answers(&self, id: u64) -> bool {
        self.flags & REQUEST == 0 && self.id == id
    }

    /// Whether it is an event of the connection and no call.
    pub fn is_event(&self) -> bool {
        self.flags & EVENT != 0
    }

    /// Number of the serialization of its body.
    pub fn serialization(&self) -> u8 {
        self.flags & 0x1f
    }

    /// As it is sent.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + self.body.len());
        bytes.extend(MAGIC);
        bytes.extend([self.flags, self.status]);
        bytes.extend(self.id.to_be_bytes());
        let length = u32::try_from(self.body.len()).unwrap_or(u32::MAX);
        bytes.extend(length.to_be_bytes());
        bytes.extend(&self.body);
        bytes
    }

    /// Reads the first frame of what came; bodies of more than `most` bytes are not waited for.
    pub fn parse(bytes: &[u8], most: usize) -> Parsed {
        let same = bytes.iter().zip(MAGIC).all(|(byte, magic)| *byte == magic);
        if !same {
            return Parsed::Foreign;
        }
        let Some(head) = bytes.get(..HEAD) else {
            return Parsed::Part;
        };
        let length = u32::from_be_bytes([head[12], head[13], head[14], head[15]]);
        let length = match usize::try_from(length) {
            Ok(length) if length <= most => length,
            _ => return Parsed::TooLarge(length.into()),
        };
        let Some(body) = bytes.get(HEAD..HEAD + length) else {
            return Parsed::Part;
        };
        let mut id = [0; 8];
        id.copy_from_slice(&head[4..12]);
        let frame = Self {
            flags: head[2],
            status: head[3],
            id: u64::from_be_bytes(id),
            body: body.to_vec(),
        };
        Parsed::Frame(frame, HEAD + length)
    }
}

/// A connection on which frames are exchanged.
#[derive(Debug)]
pub struct Talk {
    stream: TcpStream,
    heard: Vec<u8>,
    most: usize,
    /// The other side has said that it is shutting down.
    pub draining: bool,
}

impl Talk {
    /// On a connection that is there; bodies of more than `most` bytes are refused.
    pub fn new(stream: TcpStream, most: usize) -> Self {
        Self {
            stream,
            heard: Vec::new(),
            most,
            draining: false,
        }
    }

    /// Sends a frame.
    ///
    /// # Errors
    /// What the connection did.
    pub async fn send(&mut self, frame: &Frame) -> Result<(), Failure> {
        let written = self.stream.write_all(&frame.bytes()).await;
        written.map_err(|error| tcp::io_failure(&error))
    }

    /// The answer to a request. Events of the other side are noted on the way, other frames are left aside.
    ///
    /// # Errors
    /// The connection ended, or what came is no frame of dubbo.
    pub async fn answer(&mut self, id: u64) -> Result<Frame, Failure> {
        loop {
            match Frame::parse(&self.heard, self.most) {
                Parsed::Frame(frame, length) => {
                    self.heard.drain(..length);
                    if frame.answers(id) {
                        return Ok(frame);
                    }
                    self.note(&frame);
                    continue;
                }
                Parsed::Part => {}
                Parsed::Foreign => return Err(super::beats::foreign(&self.heard, "dubbo")),
                Parsed::TooLarge(length) => {
                    return Err(Failure::new(
                        ErrKind::TooLarge,
                        format!("an answer of {length} bytes, {} are read", self.most),
                    ));
                }
            }
            let mut part = vec![0; 16 << 10];
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

    fn note(&mut self, frame: &Frame) {
        if !frame.is_event() {
            return;
        }
        let is = |bodies: &[[u8; 2]; 2]| bodies.iter().any(|body| frame.body == body);
        if is(&READ_ONLY) {
            self.draining = true;
        } else if is(&WRITABLE) {
            self.draining = false;
        }
    }
}

/// A few heartbeats on one connection.
///
/// # Errors
/// Not one was answered: what the other side did instead.
pub(super) async fn heartbeats(stream: TcpStream, deadline: &Deadline) -> Result<Beats, Failure> {
    let mut talk = Talk::new(stream, 64 << 10);
    let mut beats = Beats::default();
    for turn in 1..=TURNS {
        if turn > 1 {
            sleep(PAUSE).await;
        }
        let watch = Stopwatch::start();
        let beat = async {
            talk.send(&Frame::heartbeat(turn)).await?;
            talk.answer(turn).await
        };
        let came = deadline.request(beat).await;
        if !beats.take(came, &watch, false, deadline)? {
            break;
        }
    }
    if talk.draining {
        beats.draining = Some("readonly");
    }
    Ok(beats)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_heartbeat_is_as_every_line_sends_it() {
        let bytes = Frame::heartbeat(7).bytes();
        let expected = [
            0xda, 0xbb, 0xe2, 0x00, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, 0x4e,
        ];
        assert_eq!(bytes, expected);
    }

    #[test]
    fn foreign_bytes_are_told_at_the_first_one() {
        assert_eq!(Frame::parse(b"H", 100), Parsed::Foreign);
        assert_eq!(Frame::parse(&[0xda], 100), Parsed::Part);
        assert_eq!(Frame::parse(&[], 100), Parsed::Part);
        let large = [0xda, 0xbb, 2, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0];
        assert_eq!(Frame::parse(&large, 100), Parsed::TooLarge(256));
    }

    proptest! {
        #[test]
        fn a_frame_is_read_as_it_was_written(flags in any::<u8>(), status in any::<u8>(), id in any::<u64>(), body in proptest::collection::vec(any::<u8>(), 0..40), more in proptest::collection::vec(any::<u8>(), 0..8)) {
            let frame = Frame { flags, status, id, body };
            let mut bytes = frame.bytes();
            let length = bytes.len();
            bytes.extend(more);
            prop_assert_eq!(Frame::parse(&bytes, 100), Parsed::Frame(frame, length));
            prop_assert_eq!(Frame::parse(&bytes[..length - 1], 100), Parsed::Part);
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..60), begins in any::<bool>()) {
            let mut all = if begins { MAGIC.to_vec() } else { Vec::new() };
            all.extend(bytes);
            let _ = Frame::parse(&all, 32);
        }
    }
}
