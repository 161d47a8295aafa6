//! What rules built to blow up cost the whole program: the rules of `tests/it/hostile`, ten times as long.
//!
//! `cargo bench --bench hostile [-- PART]` runs the three verbs in processes of their own and prints the CPU time of each in
//! milliseconds. Everything should stay below a second on a machine that does nothing else. Unix only.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a benchmark lays out its own files"
)]

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use rules::{Hostile, aliases, conditions, others, providers, recording};

#[path = "../it/hostile/rules.rs"]
#[expect(dead_code, reason = "what the test expects is not measured")]
mod rules;

/// How much longer than in the test.
const TIMES: usize = 10;

fn main() -> Result<()> {
    let only = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let all = [conditions(TIMES), aliases(TIMES), others(TIMES)].concat();
    writeln!(io::stdout(), "rule\tKB\tno-provider\troute-replay\tlint")?;
    for hostile in all {
        if only.as_ref().is_none_or(|part| hostile.name.contains(part)) {
            measure(&hostile)?;
        }
    }
    Ok(())
}

fn measure(hostile: &Hostile) -> Result<()> {
    let home = tempfile::tempdir()?;
    let dir = home.path();
    let urls = providers();
    std::fs::write(dir.join("rule"), &hostile.text)?;
    std::fs::write(dir.join("providers.txt"), urls.join("\n"))?;
    recording(dir, hostile, &urls);
    let consumer = "--consumer-app web --consumer-ip 10.0.0.40 --dubbo 3.3.6 -o json";
    let key = hostile.key;
    let commands = [
        format!(
            "no-provider com.a.S --registry zookeeper://10.4.0.2:2181 --snapshot snapshot {consumer}"
        ),
        format!("route-replay com.a.S --providers providers.txt -f {key}=rule {consumer}"),
        format!("lint rule --key {key} --providers providers.txt -o json"),
    ];
    let mut row = format!("{}\t{}", hostile.name, hostile.text.len() / 1024);
    for command in commands {
        write!(row, "\t{}", run(dir, &command)?)?;
    }
    writeln!(io::stdout(), "{row}")?;
    Ok(())
}

/// CPU milliseconds of a run.
fn run(dir: &Path, command: &str) -> Result<i64> {
    let used = || {
        let used = getrusage(UsageWho::RUSAGE_CHILDREN).expect("every kernel counts it");
        (used.user_time() + used.system_time()).num_milliseconds()
    };
    let before = used();
    Command::new(env!("CARGO_BIN_EXE_diag"))
        .env_clear()
        .current_dir(dir)
        .args(command.split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    Ok(used() - before)
}
