//! A real r-nacos in a process of its own, for tests and benchmarks.

use std::{
    fs,
    io::{self, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// Ends when it is dropped.
pub(crate) struct Rnacos {
    child: Child,
    pub(crate) port: u16,
    pub(crate) home: TempDir,
}

impl Drop for Rnacos {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Rnacos {
    /// Starts it and waits until it stores what it is told; with a password, for those only who sign in as `nacos`. `port` is
    /// asked for one that is free and has a free one 1000 above it.
    pub(crate) fn start(
        program: &Path,
        password: Option<&str>,
        port: impl Fn() -> u16,
    ) -> io::Result<Self> {
        // Its parts race each other when it starts, and now and then one is missing for ever.
        for _ in 0..40 {
            let server = Self::spawn(program, password, port())?;
            let until = Instant::now() + Duration::from_secs(60);
            while Instant::now() < until {
                match server.is_ready(password)? {
                    Some(true) => return Ok(server),
                    Some(false) => break,
                    None => thread::sleep(Duration::from_millis(200)),
                }
            }
        }
        Err(io::Error::other("r-nacos does not start"))
    }

    fn spawn(program: &Path, password: Option<&str>, port: u16) -> io::Result<Self> {
        let home = TempDir::new()?;
        let log = fs::File::create(home.path().join("log"))?;
        let mut command = Command::new(program);
        command
            .env_clear()
            .current_dir(home.path())
            .env("RNACOS_HTTP_PORT", port.to_string())
            .env("RNACOS_GRPC_PORT", (port + 1000).to_string())
            .env("RNACOS_HTTP_CONSOLE_PORT", "0")
            .env("RNACOS_CONFIG_DB_DIR", home.path().join("db"))
            .env("RNACOS_DATA_DIR", home.path().join("db"))
            .env("RUST_LOG", "error")
            .stdout(Stdio::null())
            .stderr(log);
        if let Some(password) = password {
            command
                .env("RNACOS_ENABLE_OPEN_API_AUTH", "true")
                .env("RNACOS_INIT_ADMIN_USERNAME", "nacos")
                .env("RNACOS_INIT_ADMIN_PASSWORD", password);
        }
        let child = command.spawn()?;
        Ok(Self { child, port, home })
    }

    /// Whether it stores what it is told: `None` = not yet, false = it never will.
    fn is_ready(&self, password: Option<&str>) -> io::Result<Option<bool>> {
        let (target, form, done) = if let Some(password) = password {
            let form = format!("username=nacos&password={password}");
            ("/nacos/v1/auth/login", form, "accessToken")
        } else {
            let form = "customNamespaceId=prod&namespaceName=Production&namespaceDesc=x";
            ("/nacos/v1/console/namespaces", form.to_owned(), "true")
        };
        let Some((_, body)) = self.try_call("POST", target, &form) else {
            return Ok(None);
        };
        // A part that ended takes requests and forgets them.
        let log = fs::read_to_string(self.home.path().join("log"))?;
        if body.contains("Mailbox has closed") || log.contains("panicked") {
            return Ok(Some(false));
        }
        Ok(body.contains(done).then_some(true))
    }

    /// Status and body.
    pub(crate) fn try_call(&self, method: &str, target: &str, form: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let length = form.len();
        write!(
            stream,
            "{method} {target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{form}"
        )
        .ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.get(9..12)?.parse().ok()?, body.to_owned()))
    }
}
