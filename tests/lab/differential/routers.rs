//! A process that answers a case per line: real routers of one version, or what stands in for them.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde_json::Value;

/// An answer takes a millisecond; starting takes seconds, on a busy machine many.
const PATIENCE: Duration = Duration::from_secs(180);

/// Of many short-lived runs the second compiler costs more than it gives.
pub(super) const ONE_COMPILER: &str = "-XX:TieredStopAtLevel=1";

#[derive(Debug)]
pub(super) struct Routers {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

/// Builds the real routers of a version where they are not there yet.
pub(super) fn build(version: &str) -> anyhow::Result<()> {
    let status = Command::new("tests/lab/routers/build")
        .arg(version)
        .status()
        .context("tests/lab/routers/build")?;
    ensure!(
        status.success(),
        "the routers of {version} cannot be built (JDK 17 and Maven are needed)"
    );
    Ok(())
}

impl Routers {
    /// The real ones. `more` is for Java.
    pub(super) fn real(version: &str, more: &[&str]) -> anyhow::Result<Self> {
        let home = std::path::absolute(format!("target/lab/routers/{version}"))?;
        let libraries = std::fs::read_to_string(home.join("classpath"))
            .with_context(|| format!("{version} is not built"))?;
        let mut command = Command::new("java");
        command
            .args([
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:-OmitStackTraceInFastThrow",
            ])
            .args(more)
            // Script engines and proxies reach into the JDK.
            .args([
                "--add-opens",
                "java.base/java.lang=ALL-UNNAMED",
                "-Djava.net.preferIPv4Stack=true",
                "-Dfile.encoding=UTF-8",
            ])
            .args([
                "-Ddubbo.application.logger=jdk",
                &format!("-Duser.home={}", home.join("home").display()),
            ])
            .args([
                "-cp",
                &format!("{}:{}", home.join("classes").display(), libraries.trim()),
                "com.acme.lab.routers.Main",
            ])
            .stderr(Stdio::null());
        Self::start(&mut command).context("java")
    }

    /// This program itself, which answers what `diag` answers.
    pub(super) fn stand_in(version: &str) -> anyhow::Result<Self> {
        Self::start(Command::new(std::env::current_exe()?).args(["stand-in", version]))
    }

    fn start(command: &mut Command) -> anyhow::Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().context("its stdin")?;
        let stdout = child.stdout.take().context("its stdout")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self {
            child,
            stdin,
            lines,
        })
    }

    /// The answers to cases, in order.
    pub(super) fn answers(&mut self, cases: &[Value]) -> anyhow::Result<Vec<Value>> {
        let Self {
            child,
            stdin,
            lines,
        } = self;
        std::thread::scope(|scope| {
            scope.spawn(|| -> std::io::Result<()> {
                let mut writer = BufWriter::new(stdin);
                for case in cases {
                    writeln!(writer, "{case}")?;
                }
                writer.flush()
            });
            let mut answers = Vec::with_capacity(cases.len());
            for case in cases {
                let Ok(line) = lines.recv_timeout(PATIENCE) else {
                    // What writes to it would wait for ever.
                    let _ = child.kill();
                    bail!("no answer to {case}");
                };
                let answer: Value =
                    serde_json::from_str(&line).with_context(|| format!("the answer {line}"))?;
                if answer["error"]["stage"] == "case" {
                    let _ = child.kill();
                    bail!("{} to {case}", answer["error"]);
                }
                answers.push(answer);
            }
            Ok(answers)
        })
    }
}

impl Drop for Routers {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
