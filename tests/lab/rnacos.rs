//! r-nacos (crate `rnacos`): a server that speaks Nacos' interface, and the requests by which the lab writes to it.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};

use crate::{
    http::{ask, percent},
    network::REGISTRY,
    process::Process,
    scenario::{Level, SERVICE},
};

/// Where it listens.
pub(crate) const PORT: u16 = 8848;

/// The server.
#[derive(Debug)]
pub(crate) struct Rnacos {
    pub(crate) process: Process,
}

impl Rnacos {
    /// `host:port`.
    fn address() -> String {
        format!("{REGISTRY}:{PORT}")
    }

    /// Starts it and waits until it stores what it is told. Its parts race each other at the start, and now and then one
    /// is missing for ever: then another is started.
    pub(crate) fn start(dir: &Path) -> anyhow::Result<Self> {
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
                    .env("RNACOS_HTTP_PORT", PORT.to_string())
                    .env("RNACOS_GRPC_PORT", (PORT + 1000).to_string())
                    .env("RNACOS_HTTP_CONSOLE_PORT", "0")
                    .env("RNACOS_CONFIG_DB_DIR", home.join("db"))
                    .env("RNACOS_DATA_DIR", home.join("db"))
                    .env("RUST_LOG", "error")
                    .stdin(Stdio::null())
                    .stdout(log.try_clone()?)
                    .stderr(log),
            )?;
            let until = Instant::now() + Duration::from_secs(30);
            while Instant::now() < until {
                match Self::publish("lab", "start", "1") {
                    Ok(()) => return Ok(Self { process }),
                    Err(error) if error.to_string().contains("Mailbox") => break,
                    Err(_) => std::thread::sleep(Duration::from_millis(200)),
                }
            }
        }
        bail!("r-nacos does not start")
    }

    /// Publishes a configuration.
    pub(crate) fn publish(group: &str, key: &str, text: &str) -> anyhow::Result<()> {
        let form = format!(
            "dataId={}&group={}&content={}",
            percent(key),
            percent(group),
            percent(text)
        );
        done(ask(
            &Self::address(),
            "POST",
            "/nacos/v1/cs/configs",
            &form,
        )?)
    }

    /// Takes it away.
    pub(crate) fn retract(group: &str, key: &str) -> anyhow::Result<()> {
        let target = format!(
            "/nacos/v1/cs/configs?dataId={}&group={}",
            percent(key),
            percent(group)
        );
        done(ask(&Self::address(), "DELETE", &target, "")?)
    }

    /// How many instances the asked service, or the application behind it, has.
    pub(crate) fn entries(level: Level) -> anyhow::Result<usize> {
        let name = match level {
            Level::Interface => format!("providers:{SERVICE}::"),
            Level::Application => "order-center".to_owned(),
        };
        let target = format!("/nacos/v1/ns/instance/list?serviceName={}", percent(&name));
        let (_, body) = ask(&Self::address(), "GET", &target, "")?;
        let answer: serde_json::Value = serde_json::from_str(&body).unwrap_or_default();
        Ok(answer["hosts"].as_array().map_or(0, Vec::len))
    }
}

fn done((status, body): (u16, String)) -> anyhow::Result<()> {
    ensure!(status == 200 && body.contains("true"), "{status}: {body}");
    Ok(())
}
