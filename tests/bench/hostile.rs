//! What rules built to blow up cost the whole program: the rules of `tests/it/hostile`, as long as is read at all.
//!
//! `cargo bench --bench hostile [-- PART]` runs the three verbs in processes of their own, `(open)` without the version of
//! the consumer and at three lengths, and prints the CPU time of each in milliseconds. Everything should stay below a
//! second on a machine that does nothing else. Unix only.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a benchmark lays out its own files"
)]

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

use anyhow::Result;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use registry::{providers, recording};
use rules::{Hostile, aliases, conditions, others, short_conditions};

#[path = "../it/hostile/registry.rs"]
mod registry;
#[path = "../it/hostile/rules.rs"]
#[expect(dead_code, reason = "what the test expects is not measured")]
mod rules;

/// Lengths just below those at which less is compared: of other lines and of their older patches, where the version is
/// not given, and of what is read at all.
const LENGTHS: [usize; 3] = [1 << 20, 128 << 10, 8 << 10];
/// How much longer than in the test a rule becomes at most.
const MOST_TIMES: usize = 550;

/// Milliseconds from which a run is made again.
const LONG: i64 = 500;

/// The rules, by kind.
const KINDS: [fn(usize) -> Vec<Hostile>; 4] = [conditions, short_conditions, aliases, others];

fn main() -> Result<()> {
    let only = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    writeln!(
        io::stdout(),
        "rule\tKB\tno-provider\t(open)\troute-replay\t(open)\tlint"
    )?;
    for kind in KINDS {
        for (place, hostile) in kind(1).iter().enumerate() {
            if only.as_ref().is_none_or(|part| hostile.name.contains(part)) {
                measure(kind, place)?;
            }
        }
    }
    Ok(())
}

/// The longest form of a rule that is not longer than this.
fn within(kind: fn(usize) -> Vec<Hostile>, place: usize, most: usize) -> Hostile {
    let make = |times| kind(times).swap_remove(place);
    let [once, twice] = [1, 2].map(|times| make(times).text.len());
    let more = most.saturating_sub(once) / (twice - once).max(1);
    let mut times = MOST_TIMES.min(1 + more);
    loop {
        let hostile = make(times);
        if hostile.text.len() <= most || times == 1 {
            return hostile;
        }
        times -= 1;
    }
}

fn measure(kind: fn(usize) -> Vec<Hostile>, place: usize) -> Result<()> {
    let longest = within(kind, place, LENGTHS[0]);
    let mut row = format!("{}\t{}", longest.name, longest.text.len() >> 10);
    let consumer = "--consumer-app web --consumer-ip 10.0.0.40 -o json";
    let key = longest.key;
    let no_provider = format!(
        "no-provider com.a.S --registry zookeeper://10.4.0.2:2181 --snapshot snapshot {consumer}"
    );
    let replay = format!("route-replay com.a.S --providers providers.txt -f {key}=rule {consumer}");
    let lint = format!("lint rule --key {key} --providers providers.txt -o json");
    let mut lengths = vec![longest];
    lengths.extend(LENGTHS[1..].iter().map(|most| within(kind, place, *most)));
    lengths.dedup_by_key(|hostile| hostile.text.len());
    for verb in [&no_provider, &replay] {
        let given = format!("{verb} --dubbo 3.3.6");
        write!(row, "\t{}", run(&lengths[0], &given)?)?;
        let open: Result<Vec<i64>> = lengths.iter().map(|hostile| run(hostile, verb)).collect();
        let open: Vec<String> = open?.iter().map(ToString::to_string).collect();
        write!(row, "\t{}", open.join("/"))?;
    }
    writeln!(io::stdout(), "{row}\t{}", run(&lengths[0], &lint)?)?;
    Ok(())
}

/// CPU milliseconds of a run about a rule: the best of three where it takes long, for what else a machine does is counted, too.
fn run(hostile: &Hostile, command: &str) -> Result<i64> {
    let mut best = once(hostile, command)?;
    for _ in 0..2 {
        if best > LONG {
            best = best.min(once(hostile, command)?);
        }
    }
    Ok(best)
}

fn once(hostile: &Hostile, command: &str) -> Result<i64> {
    let home = tempfile::tempdir()?;
    let dir = home.path();
    let urls = providers();
    std::fs::write(dir.join("rule"), &hostile.text)?;
    std::fs::write(dir.join("providers.txt"), urls.join("\n"))?;
    recording(dir, hostile, &urls);
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
