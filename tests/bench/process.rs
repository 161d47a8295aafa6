//! A program in a process of its own: how long it takes, and the peak of its memory that the kernel saw.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark starts processes and measures time"
)]

use std::io::{self, Write as _};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use nix::sys::resource::{UsageWho, getrusage};

pub(crate) const DIAG: &str = env!("CARGO_BIN_EXE_diag");

/// What a run took.
pub(crate) struct Run {
    pub(crate) exit: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    /// The peak of its memory.
    pub(crate) bytes: u64,
    pub(crate) took: Duration,
}

/// Bytes for people: `16.5 MB`.
pub(crate) fn megabytes(bytes: u64) -> String {
    let tenths = (bytes + 50_000) / 100_000;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

/// What this process has to do when [`run`] started it, to stand between: then its exit code.
pub(crate) fn between() -> Result<Option<ExitCode>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [verb, program, rest @ ..] if verb == "peak" => peak(program, rest).map(Some),
        _ => Ok(None),
    }
}

/// Runs a program and says on stderr how much memory it took, in a process that is small itself and has no other child: what a
/// child has before it becomes the program counts, too, and that is what its parent has.
fn peak(program: &str, arguments: &[String]) -> Result<ExitCode> {
    let status = Command::new(program).args(arguments).status()?;
    let kib = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    writeln!(io::stderr(), "peak {kib}")?;
    let code = status.code().context("killed")?;
    Ok(ExitCode::from(u8::try_from(code)?))
}

/// Runs a program that is given `input`, again and again, until so many bytes are written.
pub(crate) fn run(program: &str, arguments: &[&str], input: Option<(&[u8], u64)>) -> Result<Run> {
    run_into(Stdio::piped(), program, arguments, input)
}

/// The seconds of a program that does little with the same input. What it writes is thrown away: a full pipe would stop it.
pub(crate) fn beside(
    program: &str,
    arguments: &[&str],
    input: Option<(&[u8], u64)>,
) -> Result<f64> {
    run_into(Stdio::null(), program, arguments, input).map(|ran| ran.took.as_secs_f64())
}

fn run_into(
    stdout: Stdio,
    program: &str,
    arguments: &[&str],
    input: Option<(&[u8], u64)>,
) -> Result<Run> {
    let start = Instant::now();
    let mut child = Command::new(std::env::current_exe()?)
        .arg("peak")
        .arg(program)
        .args(arguments)
        .env_clear()
        .env("LANG", "C.UTF-8")
        .env("HOME", "/nonexistent")
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().context("no stdin")?;
    if let Some((block, bytes)) = input {
        let mut written = 0;
        while written < bytes {
            stdin.write_all(block)?;
            written += block.len() as u64;
        }
    }
    drop(stdin);
    let output = child.wait_with_output()?;
    let took = start.elapsed();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let peak = stderr.lines().find_map(|line| line.strip_prefix("peak "));
    let kib: u64 = peak.with_context(|| stderr.clone())?.parse()?;
    Ok(Run {
        exit: output.status.code().context("killed")?,
        stdout: output.stdout,
        stderr,
        bytes: kib * 1024,
        took,
    })
}
