//! How long the program takes to start, beside `/bin/true`, in turn: `cargo bench --bench startup`.
//!
//! The median of `diag --version` and of `diag explain DG5001` is wanted within 5 ms of that of `/bin/true`. Unix only.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark starts processes and measures time"
)]

mod figure;

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use figure::{Figure, grouped, quick};

const LIMIT: Duration = Duration::from_millis(5);

fn main() -> Result<()> {
    let diag = env!("CARGO_BIN_EXE_diag");
    let commands: [(&str, &[&str]); 3] = [
        ("/bin/true", &[]),
        (diag, &["--version"]),
        (diag, &["explain", "DG5001"]),
    ];
    let rounds = if quick() { 11 } else { 201 };
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..rounds {
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
        times[rounds / 2]
    });
    let millis = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    for ((_, args), median) in commands.iter().zip(medians).skip(1) {
        let above = median.saturating_sub(medians[0]);
        Figure {
            part: 'e',
            what: format!(
                "`diag {}`, median of {} starts",
                args.join(" "),
                grouped(rounds)
            ),
            ours: millis(median),
            reference: format!("{}, `/bin/true`", millis(medians[0])),
            ratio: format!("{} above", millis(above)),
            wanted: Some(("5 ms above".to_owned(), above <= LIMIT)),
        }
        .print()?;
    }
    Ok(())
}
