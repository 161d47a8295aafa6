//! Real ZooKeeper servers on loopback for the tests: started from a distribution, killed by their own process id.

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use tempfile::TempDir;

const MAIN_CLASS: &str = "org.apache.zookeeper.server.quorum.QuorumPeerMain";

/// The class path of a ZooKeeper distribution, when the environment says that one may be started.
///
/// `DIAG_TEST_ZOOKEEPER_HOME` names the directory (an unpacked release, or one with Debian's jars in it);
/// `DIAG_LIVE=1` asks for the tests and takes Debian's place when no home is given. A ZooKeeper that is asked for
/// and missing is a failure; not asked for, the test is skipped with a note.
pub(crate) fn distribution(test: &str) -> Option<Distribution> {
    let home = std::env::var_os("DIAG_TEST_ZOOKEEPER_HOME").map(PathBuf::from);
    let wanted = std::env::var_os("DIAG_LIVE").is_some_and(|v| v == "1");
    if home.is_none() && !wanted {
        eprintln!("skipped: {test} needs a ZooKeeper; set DIAG_TEST_ZOOKEEPER_HOME or DIAG_LIVE=1");
        return None;
    }
    let home = home.unwrap_or_else(|| PathBuf::from("/usr/share/java"));
    let class_path = class_path(&home);
    assert!(
        !class_path.is_empty(),
        "no zookeeper*.jar in {} or its lib/",
        home.display()
    );
    Some(Distribution { class_path })
}

/// Where the classes of ZooKeeper are.
#[derive(Debug, Clone)]
pub(crate) struct Distribution {
    class_path: String,
}

fn class_path(home: &Path) -> String {
    let wanted = [
        "zookeeper",
        "slf4j-",
        "netty",
        "snappy",
        "metrics-core",
        "commons-",
        "jline",
        "logback",
        "jackson",
    ];
    for dir in [
        home.join("lib"),
        home.to_path_buf(),
        PathBuf::from("/usr/share/java"),
    ] {
        let Ok(entries) = fs::read_dir(&dir) else {
            continue;
        };
        let mut jars: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|e| e.path()))
            .filter(|path| {
                let name = path
                    .file_name()
                    .and_then(|n| n.to_str())
                    .unwrap_or_default();
                path.extension().is_some_and(|e| e == "jar")
                    && wanted.iter().any(|w| name.starts_with(w))
            })
            .collect();
        jars.sort();
        if jars.iter().any(|jar| {
            jar.file_name()
                .is_some_and(|n| n.to_string_lossy().starts_with("zookeeper"))
        }) {
            let jars: Vec<String> = jars.iter().map(|jar| jar.display().to_string()).collect();
            return jars.join(":");
        }
    }
    String::new()
}

/// What a server is started with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    /// Further lines of `zoo.cfg`.
    pub(crate) config: Vec<String>,
    /// Further system properties, `name=value`.
    pub(crate) properties: Vec<String>,
    /// `myid` of a member of an ensemble.
    pub(crate) id: Option<u32>,
    /// Client port; a free one when absent.
    pub(crate) port: Option<u16>,
}

/// One running server.
#[derive(Debug)]
pub(crate) struct Server {
    child: Option<Child>,
    port: u16,
    dir: TempDir,
}

/// A port nobody listens on at this moment, below those that systems give to outgoing connections: one of these could
/// take it before the server does.
pub(crate) fn free_port() -> u16 {
    const FIRST: u32 = 15_000;
    const COUNT: u32 = 17_000;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let of_process = std::process::id().wrapping_mul(97);
    (0..COUNT)
        .map(|_| {
            let next = of_process.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
            u16::try_from(FIRST + next % COUNT).expect("a port")
        })
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .expect("a free port")
}

impl Server {
    /// Starts a server and waits until it serves requests.
    pub(crate) fn start(distribution: &Distribution, options: &Options) -> Self {
        let server = Self::spawn(distribution, options);
        server.wait_for("Mode: ");
        server
    }

    /// Starts a server without waiting for it.
    pub(crate) fn spawn(distribution: &Distribution, options: &Options) -> Self {
        let dir = TempDir::new().expect("a temporary directory");
        let port = options.port.unwrap_or_else(free_port);
        let data = dir.path().join("data");
        fs::create_dir_all(&data).expect("the data directory");
        if let Some(id) = options.id {
            fs::write(data.join("myid"), id.to_string()).expect("myid");
        }
        let mut config = vec![
            "tickTime=500".to_owned(),
            format!("dataDir={}", data.display()),
            format!("clientPort={port}"),
            "clientPortAddress=127.0.0.1".to_owned(),
            "admin.enableServer=false".to_owned(),
            "4lw.commands.whitelist=*".to_owned(),
            "maxSessionTimeout=60000".to_owned(),
            "maxClientCnxns=0".to_owned(),
            "initLimit=20".to_owned(),
            "syncLimit=20".to_owned(),
        ];
        config.extend(options.config.iter().cloned());
        let file = dir.path().join("zoo.cfg");
        fs::write(&file, config.join("\n") + "\n").expect("zoo.cfg");
        let log = fs::File::create(dir.path().join("log")).expect("the log");
        let mut command = Command::new("java");
        command
            .args([
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
            ])
            .args([
                "-Djava.net.preferIPv4Stack=true",
                "-Dzookeeper.admin.enableServer=false",
            ])
            .args(["-Dzookeeper.forceSync=no", "-Dzookeeper.preAllocSize=1024"])
            .args(options.properties.iter().map(|p| format!("-D{p}")))
            .args(["-cp", &distribution.class_path, MAIN_CLASS])
            .arg(&file)
            .current_dir(dir.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("the log"))
            .stderr(log);
        let child = command
            .spawn()
            .expect("java must be installed for the live tests");
        Self {
            child: Some(child),
            port,
            dir,
        }
    }

    /// `127.0.0.1:port`.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The answer to a four-letter word, `None` while the port is closed.
    pub(crate) fn word(&self, word: &str) -> Option<String> {
        four(self.port, word)
    }

    /// Waits until `srvr` says `text`.
    pub(crate) fn wait_for(&self, text: &str) {
        let end = Instant::now() + Duration::from_secs(60);
        let mut last = None;
        while Instant::now() < end {
            last = self.word("srvr");
            if last.as_ref().is_some_and(|answer| answer.contains(text)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let log = fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
        panic!(
            "ZooKeeper at {} did not say {text:?}; last answer {last:?}; its log:\n{log}",
            self.address()
        );
    }

    /// Kills the server without a farewell (`kill -9`).
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Asks a four-letter word.
pub(crate) fn four(port: u16, word: &str) -> Option<String> {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    stream.write_all(word.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}
