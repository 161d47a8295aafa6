//! A ZooKeeper, or an ensemble of them, from Debian's package `zookeeper`, and the client by which the lab writes to it.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use zookeeper_client::{Acls, Client, CreateMode, Error};

use crate::{
    network::MEMBERS,
    process::Process,
    scenario::{Level, SERVICE},
};

const JARS: &str = "/usr/share/java";
const MAIN_CLASS: &str = "org.apache.zookeeper.server.quorum.QuorumPeerMain";
/// Where it listens.
pub(crate) const PORT: u16 = 2181;

/// The servers.
#[derive(Debug)]
pub(crate) struct ZooKeeper {
    pub(crate) members: Vec<Process>,
    pub(crate) tree: Tree,
}

impl ZooKeeper {
    /// Starts `members` servers and waits until all of them serve.
    pub(crate) fn start(dir: &Path, session_ms: u32, members: usize) -> anyhow::Result<Self> {
        let hosts = MEMBERS
            .get(..members)
            .context("an ensemble has at most three members")?;
        let processes: Vec<Process> = hosts
            .iter()
            .enumerate()
            .map(|(place, _)| member(&dir.join((place + 1).to_string()), session_ms, hosts, place))
            .collect::<anyhow::Result<_>>()?;
        let addresses: Vec<String> = hosts.iter().map(|host| format!("{host}:{PORT}")).collect();
        for _ in 0..1200 {
            if hosts.iter().all(|host| serves(host)) {
                return Ok(Self {
                    members: processes,
                    tree: Tree { addresses },
                });
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        bail!(
            "ZooKeeper did not serve within 60 s; see {}/1/log",
            dir.display()
        )
    }
}

/// Starts the server at a place of an ensemble.
fn member(dir: &Path, session_ms: u32, hosts: &[&str], place: usize) -> anyhow::Result<Process> {
    let data = dir.join("data");
    fs::create_dir_all(&data)?;
    fs::write(data.join("myid"), (place + 1).to_string())?;
    let config = dir.join("zoo.cfg");
    let mut lines = vec![
        "tickTime=500".to_owned(),
        format!("dataDir={}", data.display()),
        format!("clientPort={PORT}"),
        format!("clientPortAddress={}", hosts[place]),
        "admin.enableServer=false".to_owned(),
        "4lw.commands.whitelist=*".to_owned(),
        "maxClientCnxns=0".to_owned(),
        format!("maxSessionTimeout={session_ms}"),
    ];
    if hosts.len() > 1 {
        lines.extend(["initLimit=20".to_owned(), "syncLimit=10".to_owned()]);
        let peers = hosts.iter().zip(1..);
        lines.extend(peers.map(|(host, number)| format!("server.{number}={host}:2888:3888")));
    }
    fs::write(&config, lines.join("\n") + "\n")?;
    let log = fs::File::create(dir.join("log"))?;
    Process::start(
        Command::new("java")
            .args(["-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"])
            .args([
                "-Djava.net.preferIPv4Stack=true",
                "-Dzookeeper.forceSync=no",
            ])
            .args(["-Dzookeeper.preAllocSize=1024", "-cp"])
            .arg(class_path()?)
            .arg(MAIN_CLASS)
            .arg(&config)
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log),
    )
}

/// What the servers hold, as whoever may write sees it.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    /// `host:port` of each member.
    pub(crate) addresses: Vec<String>,
}

impl Tree {
    /// Writes a node, with all that is above it.
    pub(crate) fn write(&self, path: &str, text: &str) -> anyhow::Result<()> {
        self.with(async |client| {
            let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
            let above: Vec<usize> = path.match_indices('/').map(|(at, _)| at).skip(1).collect();
            for end in above {
                match client.create(&path[..end], b"", &options).await {
                    Ok(_) | Err(Error::NodeExists) => {}
                    Err(error) => return Err(error),
                }
            }
            match client.create(path, text.as_bytes(), &options).await {
                Err(Error::NodeExists) => {
                    client.set_data(path, text.as_bytes(), None).await.map(drop)
                }
                made => made.map(drop),
            }
        })
    }

    /// Deletes a node with all that is below it.
    pub(crate) fn delete(&self, path: &str) -> anyhow::Result<()> {
        self.with(async |client| {
            let mut open = vec![path.to_owned()];
            let mut found: Vec<String> = Vec::new();
            while let Some(path) = open.pop() {
                for name in client.list_children(&path).await? {
                    open.push(format!("{path}/{name}"));
                }
                found.push(path);
            }
            for path in found.iter().rev() {
                client.delete(path, None).await?;
            }
            Ok(())
        })
    }

    /// How many entries the asked service, or the application behind it, has.
    pub(crate) fn entries(&self, level: Level) -> anyhow::Result<usize> {
        let path = match level {
            Level::Interface => format!("/dubbo/{SERVICE}/providers"),
            Level::Application => "/services/order-center".to_owned(),
        };
        self.with(async |client| match client.list_children(&path).await {
            Ok(names) => Ok(names.len()),
            Err(Error::NoNode) => Ok(0),
            Err(error) => Err(error),
        })
    }

    /// Does something in a session of its own.
    fn with<T>(&self, act: impl AsyncFnOnce(&Client) -> Result<T, Error>) -> anyhow::Result<T> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let addresses = self.addresses.join(",");
        runtime.block_on(async {
            let done = async {
                let client = Client::connect(&addresses).await?;
                act(&client).await
            };
            tokio::time::timeout(Duration::from_secs(30), done)
                .await
                .context("ZooKeeper did not answer the lab within 30 s")?
                .context("ZooKeeper refused the lab")
        })
    }
}

fn serves(host: &str) -> bool {
    let answer = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect((host, PORT))?;
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        stream.write_all(b"srvr")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    answer().is_ok_and(|answer| answer.contains("Mode: "))
}

fn class_path() -> anyhow::Result<String> {
    let wanted = [
        "zookeeper",
        "slf4j-",
        "netty",
        "snappy",
        "metrics-core",
        "commons-",
        "jline",
        "logback",
    ];
    let mut jars = Vec::new();
    for entry in fs::read_dir(JARS).with_context(|| JARS.to_owned())? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let is_jar = path.extension().is_some_and(|end| end == "jar");
        if is_jar && wanted.iter().any(|start| name.starts_with(start)) {
            jars.push(path.display().to_string());
        }
    }
    jars.sort();
    ensure!(
        jars.iter().any(|jar| jar.contains("/zookeeper")),
        "no ZooKeeper in {JARS} (Debian package zookeeper)"
    );
    Ok(jars.join(":"))
}
