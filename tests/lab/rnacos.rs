//! r-nacos (crate `rnacos`): a server that speaks Nacos' interface.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};

use crate::{
    nacos::{LOGIN, PORT, Store},
    network::REGISTRY,
    process::Process,
};

/// The server.
#[derive(Debug)]
pub(crate) struct Rnacos {
    pub(crate) process: Process,
    pub(crate) store: Store,
}

impl Rnacos {
    /// Starts it and waits until it stores what it is told. Its parts race each other at the start, and now and then one
    /// is missing for ever: then another is started. With `token_seconds` it lets in nobody who has no token, which lasts so long.
    pub(crate) fn start(dir: &Path, token_seconds: Option<u32>) -> anyhow::Result<Self> {
        let store = Store {
            address: format!("{REGISTRY}:{PORT}"),
            namespace: None,
            login: token_seconds.is_some(),
        };
        let program = std::env::var_os("DIAG_TEST_RNACOS")
            .context("DIAG_TEST_RNACOS must name the program of r-nacos")?;
        for attempt in 0..20 {
            let home = dir.join(attempt.to_string());
            fs::create_dir_all(&home)?;
            let log = fs::File::create(home.join("log"))?;
            let process = Process::start(
                Command::new(&program)
                    .env_clear()
                    .current_dir(&home)
                    .env("RNACOS_SDK_HOST", REGISTRY)
                    .env(
                        "RNACOS_RAFT_NODE_ADDR",
                        format!("{REGISTRY}:{}", PORT + 1000),
                    )
                    .env("RNACOS_HTTP_PORT", PORT.to_string())
                    .env("RNACOS_GRPC_PORT", (PORT + 1000).to_string())
                    .env("RNACOS_HTTP_CONSOLE_PORT", "0")
                    .env("RNACOS_CONFIG_DB_DIR", home.join("db"))
                    .env("RNACOS_DATA_DIR", home.join("db"))
                    .env("RUST_LOG", "error")
                    .envs(access(token_seconds))
                    .stdin(Stdio::null())
                    .stdout(log.try_clone()?)
                    .stderr(log),
            )?;
            let until = Instant::now() + Duration::from_secs(30);
            while Instant::now() < until {
                match store.publish("lab", "start", "1") {
                    // A part that ended takes requests and forgets them.
                    Ok(()) if fs::read_to_string(home.join("log"))?.contains("panicked") => break,
                    Ok(()) => return Ok(Self { process, store }),
                    Err(error) if error.to_string().contains("Mailbox") => break,
                    Err(_) => std::thread::sleep(Duration::from_millis(200)),
                }
            }
        }
        bail!("r-nacos does not start")
    }
}

/// What makes it ask for a login.
fn access(token_seconds: Option<u32>) -> Vec<(&'static str, String)> {
    token_seconds.map_or_else(Vec::new, |seconds| {
        vec![
            ("RNACOS_ENABLE_OPEN_API_AUTH", "true".to_owned()),
            ("RNACOS_API_LOGIN_TIMEOUT", seconds.to_string()),
            ("RNACOS_INIT_ADMIN_USERNAME", LOGIN.0.to_owned()),
            ("RNACOS_INIT_ADMIN_PASSWORD", LOGIN.1.to_owned()),
        ]
    })
}
