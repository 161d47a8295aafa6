//! How long the program takes to start, beside `/bin/true`, in turn: `cargo bench --bench startup`.
//!
//! Fails when the median of `diag --version` or `diag explain DG5001` is more than 5 ms above that of `/bin/true`. Unix only.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark starts processes and measures time"
)]

use std::{
    io::Write as _,
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};

const ROUNDS: usize = 201;
const LIMIT: Duration = Duration::from_millis(5);

fn main() -> Result<ExitCode> {
    let diag = env!("CARGO_BIN_EXE_diag");
    let commands: [(&str, &[&str]); 3] = [
        ("/bin/true", &[]),
        (diag, &["--version"]),
        (diag, &["explain", "DG5001"]),
    ];
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for (slot, (program, args)) in times.iter_mut().zip(&commands) {
            let start = Instant::now();
            let status = Command::new(program)
                .args(*args)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()?;
            slot.push(start.elapsed());
            ensure!(status.success(), "{program} failed");
        }
    }
    let medians = times.map(|mut times| {
        times.sort_unstable();
        times[ROUNDS / 2]
    });
    let mut out = std::io::stdout().lock();
    let mut held = true;
    for ((_, args), median) in commands.iter().zip(medians) {
        let above = median.saturating_sub(medians[0]);
        held &= above <= LIMIT;
        let name = if args.is_empty() {
            "/bin/true".to_owned()
        } else {
            format!("diag {}", args.join(" "))
        };
        writeln!(
            out,
            "{name:<24} median {median:>9.2?}  above /bin/true {above:>9.2?}"
        )?;
    }
    Ok(if held {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
