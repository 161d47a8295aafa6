//! An HTTP server of the tests: answers with bytes as they were recorded or made up, and remembers every request.

use std::{
    fmt::Write as _,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    time::Duration,
};

use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};

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

/// A server until the end of the test.
pub(crate) struct Server {
    pub(crate) address: String,
    requests: Arc<Mutex<Vec<(Request, u16)>>>,
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
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (reply, over, seen) = (Arc::new(reply), Arc::new(over), Arc::clone(&requests));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (reply, over, seen) =
                    (Arc::clone(&reply), Arc::clone(&over), Arc::clone(&seen));
                std::thread::spawn(move || serve(over(stream), &*reply, &seen));
            }
        });
        Self {
            address,
            requests,
            _grpc: beside,
        }
    }

    /// What was asked until now.
    pub(crate) fn requests(&self) -> Vec<Request> {
        let requests = self.requests.lock().unwrap();
        requests
            .iter()
            .map(|(request, _)| request.clone())
            .collect()
    }

    /// What was answered with this status.
    pub(crate) fn unanswered(&self, status: u16) -> Vec<Request> {
        let requests = self.requests.lock().unwrap();
        let with = requests.iter().filter(|(_, given)| *given == status);
        with.map(|(request, _)| request.clone()).collect()
    }

    /// Nothing was asked that changes, subscribes or pretends; no secret stands in a URL.
    pub(crate) fn assert_only_reads(&self) {
        for request in self.requests() {
            let is_login = request.path.ends_with("/login");
            assert!(
                request.method == "GET" || (request.method == "POST" && is_login),
                "{request:?}"
            );
            for (name, _) in &request.query {
                let name = name.to_ascii_lowercase();
                for word in ["udpport", "clientip", "token", "password", "username"] {
                    assert!(!name.contains(word), "{word}: {request:?}");
                }
            }
            for header in ["client-ip", "x-forwarded-for", "x-real-ip", "vipserver-tag"] {
                assert_eq!(request.header(header), None, "{request:?}");
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
    seen: &Mutex<Vec<(Request, u16)>>,
) {
    while let Some(request) = read(&mut stream) {
        let answer = reply(&request);
        let status = match &answer {
            Reply::Http(status, ..) => *status,
            _ => 0,
        };
        seen.lock().unwrap().push((request, status));
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

fn read(stream: &mut (impl Read + Write)) -> Option<Request> {
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
    let head = String::from_utf8(seen).ok()?;
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
