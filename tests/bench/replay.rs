//! An access log of ten million calls through the rules, beside `wc -l` for the same bytes: `cargo bench --bench replay`.
//!
//! `route-replay --access-log -` is given 1,000,000 lines and then 10,000,000 through a pipe; the conditions ask for the
//! method, the caller and an argument, so that every line is read to its end. It fails when a call is missing from the
//! answer. Unix only.

mod figure;
mod process;

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use figure::{Figure, grouped, quick};
use process::{DIAG, beside, megabytes, run};
use serde_json::Value;

/// Lines that differ.
const BLOCK: usize = 50_000;
const SECONDS: f64 = 60.0;
/// More memory than for a tenth of the lines: what the allocator does is not the same twice.
const SLACK_BYTES: u64 = 4_000_000;

const RULE: &str = "\
scope: service
force: true
enabled: true
conditions:
  - 'method=find*,list* => host=10.20.0.1,10.20.0.2'
  - 'host=10.1.* => host=10.20.0.*'
  - 'arguments[0]=vip => host=10.20.0.2'
";

fn main() -> Result<ExitCode> {
    if let Some(exit) = process::between()? {
        return Ok(exit);
    }
    let room = tempfile::tempdir()?;
    let place = |name: &str| room.path().join(name).to_string_lossy().into_owned();
    let (providers, rule) = (place("providers.txt"), place("rule.yaml"));
    write(&providers, &provider_urls())?;
    write(&rule, RULE)?;
    let rule = format!("com.acme.OrderService::.condition-router={rule}");
    let asked = [
        "route-replay",
        "com.acme.OrderService",
        "--providers",
        &providers,
        "-f",
        &rule,
        "--access-log",
        "-",
        "--consumer-app",
        "acme-web",
        "--consumer",
        "starting",
        "--dubbo",
        "3.3.6",
        "-o",
        "json",
    ];
    let block = block();
    let mut shorter = None;
    for blocks in if quick() { [1, 2] } else { [20, 200] } {
        let bytes = block.len() as u64 * blocks;
        let input = Some((block.as_bytes(), bytes));
        let lines = BLOCK * usize::try_from(blocks)?;
        let ran = run(DIAG, &asked, input)?;
        let report: Value = serde_json::from_slice(&ran.stdout).context(ran.stderr)?;
        let counted = &report["reports"][0]["replay"]["requests"];
        ensure!(
            ran.exit == 0 && *counted == lines,
            "exit {}, {counted} of {lines} calls",
            ran.exit
        );
        let count = beside("wc", &["-l"], input)?;
        let seconds = ran.took.as_secs_f64();
        let what = format!(
            "`route-replay --access-log -`, {} lines, {} MB",
            grouped(lines),
            bytes / 1_000_000
        );
        Figure {
            part: 'd',
            what: what.clone(),
            ours: format!("{seconds:.1} s"),
            reference: format!("{count:.2} s, `wc -l`"),
            ratio: format!("{:.0} times as long", seconds / count),
            wanted: (lines >= 10_000_000).then(|| ("60 s".to_owned(), seconds <= SECONDS)),
        }
        .print()?;
        Figure {
            part: 'd',
            what: format!("{what}: memory"),
            ours: megabytes(ran.bytes),
            reference: shorter.map_or_else(String::new, |shorter| {
                format!("{}, a shorter one", megabytes(shorter))
            }),
            wanted: shorter.map(|shorter| {
                (
                    "as much as a shorter one".to_owned(),
                    ran.bytes <= shorter + SLACK_BYTES,
                )
            }),
            ..Figure::default()
        }
        .print()?;
        shorter = Some(ran.bytes);
    }
    Ok(ExitCode::SUCCESS)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark lays out its own files"
)]
fn write(path: &str, text: &str) -> Result<()> {
    Ok(std::fs::write(path, text)?)
}

fn provider_urls() -> String {
    (1..=20).fold(String::new(), |mut urls, host| {
        let _ = writeln!(
            urls,
            "dubbo://10.20.0.{host}:20880/com.acme.OrderService?application=acme-order\
             &interface=com.acme.OrderService&side=provider&methods=getOrder,listOrders,findOrders,createOrder"
        );
        urls
    })
}

/// What a provider of 3.1 on writes: four methods, two networks, an argument that a condition asks for now and then.
fn block() -> String {
    (0..BLOCK).fold(String::new(), |mut block, number| {
        let method = ["getOrder", "listOrders", "findOrders", "createOrder"][number % 4];
        let user = if number.is_multiple_of(7) {
            "vip".to_owned()
        } else {
            format!("user-{number}")
        };
        let _ = writeln!(
            block,
            "[2026-11-29 20:{:02}:{:02}.00000] -> [2026-11-29 20:{:02}:{:02}.{:03}00] 10.{}.0.{}:{} -> 10.20.0.1:20880 - \
             com.acme.OrderService {method}(java.lang.String) [\"{user}\"]",
            number / 1_000,
            number % 60,
            number / 1_000,
            number % 60,
            number % 400,
            number % 2 + 1,
            number % 200 + 1,
            1_024 + number
        );
        block
    })
}
