//! An HTTP server of the tests: answers with bytes as they were recorded or made up, and remembers every request. When it
//! goes, it fails its test if anything that it was sent was no reading; see [`super::reads`].

use std::{
    fmt::Write as _,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    time::Duration,
};

use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};

use super::reads::broken;

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Path without the query.
    pub(crate) path: String,
    /// Decoded, in order.
    pub(crate) query: Vec<(String, String)>,
    /// Names in small letters.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn param(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What is sent back.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// Status, headers, body.
    Http(u16, Vec<(String, String)>, Vec<u8>),
    /// These bytes, and the end of the connection.
    Raw(Vec<u8>),
    /// These bytes, one each so often.
    Drip(Vec<u8>, Duration),
    /// Nothing, for ever.
    Silence,
}

impl Reply {
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("Content-Type".to_owned(), content_type.to_owned())];
        Self::Http(status, headers, body.into())
    }

    pub(crate) fn json(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "application/json", body)
    }
}

/// What a server was sent.
#[derive(Default)]
struct Seen {
    /// Each with the status of its answer, 0 where that has none.
    requests: Vec<(Request, u16)>,
    /// What was whole and still no request.
    garbled: Vec<String>,
    /// Paths to which clients were sent.
    led: Vec<String>,
}

/// A server until the end of the test.
pub(crate) struct Server {
    pub(crate) address: String,
    seen: Arc<Mutex<Seen>>,
    /// The port to which clients of 2.x connect: it accepts and says nothing.
    _grpc: Option<TcpListener>,
}

impl Server {
    /// Serves `reply` on a port of its own, with the port of gRPC open beside it.
    pub(crate) fn start(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::listening(reply, true, |stream| stream)
    }

    /// The same with the port of gRPC closed.
    pub(crate) fn without_grpc(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::listening(reply, false, |stream| stream)
    }

    /// The same over TLS, with the certificate of `fixtures/nacos/tls`.
    pub(crate) fn secure(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let file = |name: &str| format!("{}/fixtures/nacos/tls/{name}", env!("CARGO_MANIFEST_DIR"));
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(file("server.pem"))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        let key = PrivateKeyDer::from_pem_file(file("server.key")).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let config = Arc::new(config);
        Self::listening(reply, true, move |stream| {
            let session = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            rustls::StreamOwned::new(session, stream)
        })
    }

    fn listening<S: Read + Write + 'static>(
        reply: impl Fn(&Request) -> Reply + Send + Sync + 'static,
        grpc: bool,
        over: impl Fn(TcpStream) -> S + Send + Sync + 'static,
    ) -> Self {
        let (listener, beside) = ports(grpc);
        let address = listener.local_addr().unwrap().to_string();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let kept = Arc::clone(&seen);
        let (reply, over) = (Arc::new(reply), Arc::new(over));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (reply, over, seen) =
                    (Arc::clone(&reply), Arc::clone(&over), Arc::clone(&kept));
                std::thread::spawn(move || serve(over(stream), &*reply, &seen));
            }
        });
        Self {
            address,
            seen,
            _grpc: beside,
        }
    }

    /// What was asked until now.
    pub(crate) fn requests(&self) -> Vec<Request> {
        let seen = self.seen.lock().unwrap();
        let requests = seen.requests.iter();
        requests.map(|(request, _)| request.clone()).collect()
    }

    /// What was answered with this status.
    pub(crate) fn unanswered(&self, status: u16) -> Vec<Request> {
        let seen = self.seen.lock().unwrap();
        let with = seen.requests.iter().filter(|(_, given)| *given == status);
        with.map(|(request, _)| request.clone()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let seen = self.seen.lock().unwrap();
        assert_eq!(seen.garbled, [""; 0], "no request at all");
        for (request, _) in &seen.requests {
            if let Some(what) = broken(request, &seen.led) {
                panic!("{what}");
            }
        }
    }
}

/// A free port, and the one 1000 above it: taken, or left to nobody.
pub(crate) fn ports(grpc: bool) -> (TcpListener, Option<TcpListener>) {
    for _ in 0..200 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let Some(beside) = port.checked_add(1000) else {
            continue;
        };
        if let Ok(beside) = TcpListener::bind(("127.0.0.1", beside)) {
            return (listener, grpc.then_some(beside));
        }
    }
    panic!("no two ports 1000 apart are free");
}

fn serve(
    mut stream: impl Read + Write,
    reply: &(impl Fn(&Request) -> Reply + ?Sized),
    seen: &Mutex<Seen>,
) {
    while let Some(head) = head(&mut stream) {
        let Some(request) = read(&head, &mut stream) else {
            seen.lock().unwrap().garbled.push(head);
            return;
        };
        let answer = reply(&request);
        let mut noted = seen.lock().unwrap();
        let status = match &answer {
            Reply::Http(status, headers, _) => {
                let to = headers.iter().filter(|(name, _)| name == "Location");
                noted.led.extend(to.map(|(_, to)| split(to).0));
                *status
            }
            _ => 0,
        };
        noted.requests.push((request, status));
        drop(noted);
        match answer {
            Reply::Http(status, headers, body) => {
                let mut head = format!("HTTP/1.1 {status} \r\nContent-Length: {}\r\n", body.len());
                for (name, value) in headers {
                    let _ = write!(head, "{name}: {value}\r\n");
                }
                head.push_str("\r\n");
                if stream.write_all(head.as_bytes()).is_err() || stream.write_all(&body).is_err() {
                    return;
                }
            }
            Reply::Raw(bytes) => {
                let _ = stream.write_all(&bytes);
                return;
            }
            Reply::Drip(bytes, pause) => {
                for byte in bytes {
                    if stream.write_all(&[byte]).is_err() {
                        return;
                    }
                    std::thread::sleep(pause);
                }
                return;
            }
            Reply::Silence => {
                let mut rest = [0; 64];
                while let Ok(1..) = stream.read(&mut rest) {}
                return;
            }
        }
    }
}

/// Everything up to the body; `None`: the client has gone, or wants TLS.
fn head(stream: &mut (impl Read + Write)) -> Option<String> {
    let mut seen = Vec::new();
    let mut byte = [0; 1];
    while !seen.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        if seen.is_empty() && byte == [0x16] {
            // TLS to a port that speaks plain words.
            let _ = stream.write_all(b"HTTP/1.1 400 \r\nConnection: close\r\n\r\n");
            return None;
        }
        seen.extend_from_slice(&byte);
    }
    Some(String::from_utf8_lossy(&seen).into_owned())
}

fn read(head: &str, stream: &mut impl Read) -> Option<Request> {
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?);
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    let (path, query) = split(target);
    Some(Request {
        method,
        path,
        query,
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}

/// Path and decoded query of a request target.
pub(crate) fn split(target: &str) -> (String, Vec<(String, String)>) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pairs = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (name.to_owned(), decoded(value))
        })
        .collect();
    (path.to_owned(), pairs)
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        if let (b'%', Some(byte)) = (first, byte) {
            bytes.push(byte);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).unwrap()
}
