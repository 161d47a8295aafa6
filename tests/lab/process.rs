//! Processes that the lab started: they are addressed by their own id, and end with the value that stands for them.

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::Duration,
};

use anyhow::{Context, bail, ensure};

/// A process.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
}

impl Process {
    pub(crate) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let child = command
            .spawn()
            .with_context(|| command.get_program().display().to_string())?;
        Ok(Self { child })
    }

    /// Sends a signal by name.
    pub(crate) fn signal(&self, name: &str) -> anyhow::Result<()> {
        let status = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status()
            .context("kill (Debian package procps)")?;
        ensure!(status.success(), "kill -{name} {}", self.child.id());
        Ok(())
    }

    /// Ends it without a farewell.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Lets it end by itself.
    pub(crate) fn stop(&mut self) -> anyhow::Result<()> {
        self.signal("TERM")?;
        for _ in 0..600 {
            if self.child.try_wait()?.is_some() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        bail!("it did not end within 30 s")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// An application of the lab, which does what lines of its stdin say and answers each with a line that begins with `LAB`.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) process: Process,
    stdin: ChildStdin,
    said: Receiver<String>,
}

impl App {
    pub(crate) fn start(command: &mut Command) -> anyhow::Result<Self> {
        // A group of its own: the kernel wakes a frozen process whose group loses the shell that the driver was started by.
        command.process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = Process::start(command)?;
        let stdin = process.child.stdin.take().context("its stdin")?;
        let stdout = process.child.stdout.take().context("its stdout")?;
        let (sender, said) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if let Some(text) = line.strip_prefix("LAB ") {
                    // Nobody listens any more once the application is dropped.
                    let _ = sender.send(text.to_owned());
                }
            }
        });
        Ok(Self {
            process,
            stdin,
            said,
        })
    }

    /// What it says next.
    pub(crate) fn hears(&self, limit: Duration) -> anyhow::Result<String> {
        self.said.recv_timeout(limit).map_err(|error| match error {
            RecvTimeoutError::Timeout => anyhow::anyhow!("said nothing for {} s", limit.as_secs()),
            RecvTimeoutError::Disconnected => anyhow::anyhow!("has ended"),
        })
    }

    /// Tells it something; its answer.
    pub(crate) fn tell(&mut self, line: &str, limit: Duration) -> anyhow::Result<String> {
        writeln!(self.stdin, "{line}").context("its stdin")?;
        self.hears(limit)
    }
}
