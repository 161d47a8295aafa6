//! A recording proxy in front of a ZooKeeper: what was sent, request by request, and that all of it only reads.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

/// One request of a client.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Request {
    /// Its name, or its number when it is none that reads.
    pub(crate) name: String,
    /// The path, where it has one.
    pub(crate) path: Option<String>,
    /// The watch flag.
    pub(crate) watch: bool,
}

/// The proxy and what it saw.
#[derive(Debug)]
pub(crate) struct Proxy {
    port: u16,
    seen: Arc<Mutex<Vec<Request>>>,
}

/// Requests that only read, by the number of their operation (`ZooDefs.OpCode`).
const READING: [(i32, &str); 8] = [
    (3, "exists"),
    (4, "getData"),
    (6, "getACL"),
    (8, "getChildren"),
    (9, "sync"),
    (11, "ping"),
    (12, "getChildren2"),
    (100, "auth"),
];

impl Proxy {
    /// Listens on a free port and passes everything on to `upstream`.
    pub(crate) fn start(upstream: &str) -> Self {
        Self::limited(upstream, usize::MAX)
    }

    /// The same, but an answer of more than `longest` bytes ends the connection.
    pub(crate) fn limited(upstream: &str, longest: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (record, upstream) = (seen.clone(), upstream.to_owned());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (Ok(client), Ok(server)) = (client, TcpStream::connect(&upstream)) else {
                    continue;
                };
                let limits = Limits {
                    longest,
                    ..Limits::NONE
                };
                pass(client, server, record.clone(), limits);
            }
        });
        Self { port, seen }
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The same, but after so many requests it is gone as if the server had been killed.
    pub(crate) fn dying(upstream: &str, requests: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (record, upstream) = (seen.clone(), upstream.to_owned());
        std::thread::spawn(move || {
            let mut open: Vec<TcpStream> = Vec::new();
            listener.set_nonblocking(true).expect("a socket");
            while record.lock().expect("the record").len() < requests {
                match listener.accept() {
                    Ok((client, _)) => {
                        client.set_nonblocking(false).expect("a socket");
                        let server = TcpStream::connect(&upstream).expect("the server");
                        open.push(client.try_clone().expect("a socket"));
                        let limits = Limits {
                            requests,
                            ..Limits::NONE
                        };
                        pass(client, server, record.clone(), limits);
                    }
                    Err(_) => std::thread::sleep(std::time::Duration::from_millis(1)),
                }
            }
            drop(listener);
            for client in open {
                let _ = client.shutdown(Shutdown::Both);
            }
        });
        Self { port, seen }
    }

    /// What was sent until now.
    pub(crate) fn seen(&self) -> Vec<Request> {
        self.seen.lock().expect("the record").clone()
    }
}

/// Names of what is sent besides [`READING`]: sessions and words.
const BESIDE: [&str; 7] = [
    "connect",
    "closeSession",
    "srvr",
    "isro",
    "mntr",
    "ruok",
    "cons",
];

impl Request {
    fn only_reads(&self) -> bool {
        let mut known = READING.iter().map(|(_, name)| name).chain(&BESIDE);
        known.any(|name| *name == self.name) && !self.watch
    }
}

/// Whatever a test looks at: it fails when something was sent through the proxy that does not only read, or watches.
impl Drop for Proxy {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            for request in self.seen() {
                assert!(request.only_reads(), "{request:?}");
            }
        }
    }
}

/// Where a connection ends.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Bytes of an answer.
    longest: usize,
    /// Requests that are passed on, of all connections.
    requests: usize,
}

impl Limits {
    const NONE: Self = Self {
        longest: usize::MAX,
        requests: usize::MAX,
    };
}

fn pass(client: TcpStream, server: TcpStream, seen: Arc<Mutex<Vec<Request>>>, limits: Limits) {
    let (from_client, to_server) = (
        client.try_clone().expect("a socket"),
        server.try_clone().expect("a socket"),
    );
    std::thread::spawn(move || {
        let mut reader = Frames::default();
        copy(from_client, to_server, |bytes| {
            let mut seen = seen.lock().expect("the record");
            seen.extend(reader.read(bytes));
            seen.len() <= limits.requests
        });
    });
    std::thread::spawn(move || {
        if limits.longest == usize::MAX {
            copy(server, client, |_| true);
        } else {
            copy_frames(server, client, limits.longest);
        }
    });
}

/// Passes bytes on while `goes_on` says so of what was read.
fn copy(mut from: TcpStream, mut to: TcpStream, mut goes_on: impl FnMut(&[u8]) -> bool) {
    let mut chunk = [0; 8192];
    while let Ok(n @ 1..) = from.read(&mut chunk) {
        if !goes_on(&chunk[..n]) || to.write_all(&chunk[..n]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

/// Passes answers on, one by one, until one is too long.
fn copy_frames(mut from: TcpStream, mut to: TcpStream, longest: usize) {
    let mut head = [0; 4];
    while from.read_exact(&mut head).is_ok() {
        if head.iter().all(u8::is_ascii_alphabetic) {
            // The answer to a four-letter word has no length.
            let _ = to.write_all(&head);
            return copy(from, to, |_| true);
        }
        let length = usize::try_from(u32::from_be_bytes(head)).expect("a length");
        let mut body = vec![0; length.min(longest)];
        if length > longest || from.read_exact(&mut body).is_err() {
            break;
        }
        if to.write_all(&[&head[..], &body].concat()).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

/// The frames of one connection: length, then the request.
#[derive(Debug, Default)]
struct Frames {
    buffer: Vec<u8>,
    connected: bool,
}

impl Frames {
    fn read(&mut self, bytes: &[u8]) -> Vec<Request> {
        self.buffer.extend_from_slice(bytes);
        let mut requests = Vec::new();
        if !self.connected
            && self.buffer.len() >= 4
            && self.buffer[..4].iter().all(u8::is_ascii_lowercase)
        {
            let word = String::from_utf8_lossy(&self.buffer[..4]).into_owned();
            self.buffer.clear();
            requests.push(Request {
                name: word,
                path: None,
                watch: false,
            });
            return requests;
        }
        while let Some(length) = number(&self.buffer, 0) {
            let length = usize::try_from(length).expect("a length");
            if self.buffer.len() < 4 + length {
                break;
            }
            let frame: Vec<u8> = self.buffer.drain(..4 + length).skip(4).collect();
            requests.push(if self.connected {
                request(&frame)
            } else {
                connect()
            });
            self.connected = true;
        }
        requests
    }
}

fn connect() -> Request {
    Request {
        name: "connect".into(),
        path: None,
        watch: false,
    }
}

fn number(bytes: &[u8], at: usize) -> Option<i32> {
    Some(i32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn request(frame: &[u8]) -> Request {
    let code = number(frame, 4).expect("an operation");
    if code == -11 {
        return Request {
            name: "closeSession".into(),
            path: None,
            watch: false,
        };
    }
    let Some((_, name)) = READING.iter().find(|(number, _)| *number == code) else {
        return Request {
            name: format!("operation {code}"),
            path: None,
            watch: false,
        };
    };
    if ["ping", "auth"].contains(name) {
        return Request {
            name: (*name).into(),
            path: None,
            watch: false,
        };
    }
    let length = usize::try_from(number(frame, 8).expect("a path")).expect("a length");
    let path = String::from_utf8(frame[12..12 + length].to_vec()).expect("a path");
    let watch = frame.get(12 + length).is_some_and(|byte| *byte != 0);
    Request {
        name: (*name).into(),
        path: Some(path),
        watch,
    }
}

/// The proxy sees what it is there to see: this is what a client that writes and watches looks like.
#[test]
fn writes_and_watches_would_be_seen() {
    let frame = |code: i32, path: &str, watch: u8| {
        let mut body = 1_i32.to_be_bytes().to_vec();
        body.extend_from_slice(&code.to_be_bytes());
        body.extend_from_slice(&i32::try_from(path.len()).unwrap().to_be_bytes());
        body.extend_from_slice(path.as_bytes());
        body.push(watch);
        let mut frame = i32::try_from(body.len()).unwrap().to_be_bytes().to_vec();
        frame.extend_from_slice(&body);
        frame
    };
    let mut bytes = 45_i32.to_be_bytes().to_vec();
    bytes.extend_from_slice(&[0; 45]);
    bytes.extend(frame(12, "/dubbo", 1));
    bytes.extend(frame(1, "/dubbo/x", 0));
    let mut frames = Frames::default();
    // Whatever the pieces in which they arrive.
    let seen: Vec<Request> = bytes
        .chunks(7)
        .flat_map(|piece| frames.read(piece))
        .collect();
    assert_eq!(seen.len(), 3);
    assert_eq!(
        seen[1],
        Request {
            name: "getChildren2".into(),
            path: Some("/dubbo".into()),
            watch: true
        }
    );
    assert_eq!(seen[2].name, "operation 1");
    let reads: Vec<bool> = seen.iter().map(Request::only_reads).collect();
    assert_eq!(reads, [true, false, false]);
}
