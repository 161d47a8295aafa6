//! A QOS port for tests, and what any of them was ever sent: each that is served checks it when its test ends, so over the
//! whole suite nothing outside the closed list is sent.

#![expect(
    clippy::unwrap_used,
    reason = "a test has a server and limits of its own"
)]

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

/// A server on loopback that notes the first line of everything it is sent. Its threads end with the test.
pub(crate) struct Served {
    pub(crate) address: String,
    log: Arc<Mutex<Vec<String>>>,
}

impl Served {
    /// Answers each connection with `answer`, which gets the first line and the connection.
    pub(crate) fn start(answer: impl Fn(&str, TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let log = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&log);
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (heard, answer) = (Arc::clone(&heard), Arc::clone(&answer));
                thread::spawn(move || {
                    if let Some((line, stream)) = first_line(stream) {
                        heard.lock().unwrap().push(line.clone());
                        answer(&line, stream);
                    }
                });
            }
        });
        Self { address, log }
    }

    /// The first lines it was sent.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if !thread::panicking() {
            for line in self.heard() {
                assert!(is_on_the_list(&line), "outside the list: {line}");
            }
        }
    }
}

fn first_line(mut stream: TcpStream) -> Option<(String, TcpStream)> {
    let limit = Some(Duration::from_secs(5));
    stream.set_read_timeout(limit).unwrap();
    let mut bytes = Vec::new();
    let mut chunk = [0; 512];
    while !bytes.contains(&b'\n') {
        match stream.read(&mut chunk) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&chunk[..count]),
            _ => return None,
        }
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Some((text.lines().next().unwrap_or_default().to_owned(), stream))
}

/// Commands without an argument, and arguments that are fixed.
const FIXED: [(&str, &str); 11] = [
    ("ls", ""),
    ("ls", "-l"),
    ("version", ""),
    ("live", ""),
    ("ready", ""),
    ("startup", ""),
    ("ps", "-l"),
    ("getConfig", "ApplicationConfig"),
    ("getConfig", "RegistryConfig"),
    ("getRecentRouterSnapshot", ""),
    ("metrics", ""),
];

/// Commands about one service.
const ABOUT: [&str; 2] = ["getAddress", "getRouterSnapshot"];

fn is_on_the_list(line: &str) -> bool {
    let (name, argument) = match line
        .strip_prefix("GET /")
        .and_then(|rest| rest.strip_suffix(" HTTP/1.1"))
    {
        Some(query) => query.split_once("?a=").unwrap_or((query, "no query")),
        None => line.split_once(' ').unwrap_or((line, "")),
    };
    let one_word = !argument.is_empty() && !argument.contains([' ', '&']);
    FIXED.contains(&(name, argument)) || ABOUT.contains(&name) && one_word
}

#[test]
fn the_list_is_closed() {
    for line in [
        "ls",
        "ls -l",
        "GET /ps?a=-l HTTP/1.1",
        "getAddress g/a.B:1.0",
        "GET /getRouterSnapshot?a=a%5C.B HTTP/1.1",
    ] {
        assert!(is_on_the_list(line), "{line}");
    }
    for line in [
        "offline",
        "GET /offline?a= HTTP/1.1",
        "GET /ls HTTP/1.1",
        "getConfig",
        "enableRouterSnapshot a.B",
        "getAddress",
        "ls; offline",
    ] {
        assert!(!is_on_the_list(line), "{line}");
    }
}

/// Over HTTP or telnet, as it was asked.
pub(crate) fn reply(line: &str, mut stream: TcpStream, body: Option<&str>) {
    let _ = if line.starts_with("GET ") {
        let status = if body.is_some() {
            "200 OK"
        } else {
            "404 Not Found"
        };
        let body = body.unwrap_or_default();
        write!(
            stream,
            "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    } else {
        write!(stream, "{}\r\ndubbo>", body.unwrap_or_default())
    };
}

/// The command of a line.
pub(crate) fn command(line: &str) -> &str {
    let line = line.trim_start_matches("GET /");
    line.split(['?', ' ']).next().unwrap_or_default()
}
