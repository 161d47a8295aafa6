//! How much memory the program takes: of questions to recordings of any size, of logs of any length.
//!
//! `cargo bench --bench memory [-- recordings|log|samples ..]` makes the input, runs the program in a process of its own and
//! prints the peak that the kernel saw of it beside what it may be. It fails when an answer is wrong. Unix only.
//!
//! * `recordings`: one service out of recordings of 500, 5,000 and 50,000 services with 10 instances each, as a folder and
//!   as an archive: below 40 MB and 150 bytes for every service name.
//! * `log`: `--from-log -` of 100 MB and 1 GB: below 45 MB, and no more for the long one than for the short one; beside it
//!   how long `wc -l` and `cat` take for the same bytes through the same pipe.
//! * `samples`: `timeout-budget --samples -` of 100 MB and 1 GB, plain numbers and an access log: as for logs.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads and writes files"
)]

mod figure;
mod process;

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use figure::{Figure, grouped, quick};
use flate2::{Compression, write::GzEncoder};
use process::{DIAG, Run, beside, megabytes, run};
use serde_json::Value;

const INSTANCES: usize = 10;
const BASE_BYTES: u64 = 40_000_000;
const BYTES_PER_NAME: u64 = 150;
/// Of a log: the automata that look for a few hundred messages take most of it.
const LOG_BYTES: u64 = 45_000_000;
/// A longer log may take so much more: what the allocator does is not the same twice.
const SLACK_BYTES: u64 = 4_000_000;

fn main() -> Result<ExitCode> {
    if let Some(exit) = process::between()? {
        return Ok(exit);
    }
    let parts: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|word| word == part);
    if wanted("recordings") {
        recordings()?;
    }
    if wanted("log") {
        logs()?;
    }
    if wanted("samples") {
        samples()?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_peak(part: char, what: &str, bytes: u64, limit: u64) -> Result<()> {
    Figure {
        part,
        what: format!("{what}: memory"),
        ours: megabytes(bytes),
        wanted: Some((megabytes(limit), bytes <= limit)),
        ..Figure::default()
    }
    .print()?;
    Ok(())
}

/// One question to recordings of three sizes.
fn recordings() -> Result<()> {
    for services in if quick() {
        [5, 50, 500]
    } else {
        [500, 5_000, 50_000]
    } {
        let room = tempfile::tempdir()?;
        let (folder, archive) = (room.path().join("s"), room.path().join("s.tar.gz"));
        make(&folder, services)?;
        pack(&folder, &archive)?;
        for (form, path, file) in [
            ("folder", &folder, folder.join("r1.jsonl")),
            ("tar.gz", &archive, archive.clone()),
        ] {
            let name = service(services / 2);
            let path = path.to_str().context("a path")?;
            let asked = [
                "no-provider",
                &name,
                "--snapshot",
                path,
                "--consumer",
                "starting",
                "-o",
                "json",
            ];
            let ran = run(DIAG, &asked, None)?;
            let report: Value = serde_json::from_slice(&ran.stdout).context(ran.stderr)?;
            let answer = &report["reports"][0];
            ensure!(
                answer["outcome"] == "reachable" && ran.exit == 0,
                "{report}"
            );
            let found = answer["stages"]
                .as_array()
                .into_iter()
                .flatten()
                .any(|stage| stage["in"] == INSTANCES);
            ensure!(found, "no {INSTANCES} providers: {report}");
            let count = beside("wc", &["-l", file.to_str().context("a path")?], None)?;
            let seconds = ran.took.as_secs_f64();
            let what = format!(
                "`no-provider` on a recording of ZooKeeper, {} services, {form} of {}",
                grouped(services),
                megabytes(fs::metadata(file)?.len())
            );
            Figure {
                part: 'b',
                what: what.clone(),
                ours: format!("{seconds:.2} s"),
                reference: format!("{count:.2} s, `wc -l` of the file"),
                ratio: format!("{:.1}", seconds / count),
                wanted: None,
            }
            .print()?;
            print_peak(
                'b',
                &what,
                ran.bytes,
                BASE_BYTES + BYTES_PER_NAME * services as u64,
            )?;
        }
    }
    Ok(())
}

/// A question to one block of input as long as two lengths say: below `limit`, and no more for the longer one.
fn through_pipe(
    what: &str,
    asked: &[&str],
    block: &[u8],
    limit: u64,
    check: impl Fn(&Value, u64) -> bool,
) -> Result<()> {
    let mut limit = limit;
    for length in if quick() { [2, 4] } else { [100, 1_000] } {
        let input = Some((block, length * 1_000_000));
        let ran: Run = run(DIAG, asked, input)?;
        let report: Value = serde_json::from_slice(&ran.stdout).context(ran.stderr)?;
        ensure!(check(&report["reports"][0], length), "{report}");
        let (count, copy) = (
            beside("wc", &["-l"], input)?,
            beside("cat", &["-u"], input)?,
        );
        let seconds = ran.took.as_secs_f64();
        let what = format!("{what}, {} MB", grouped(usize::try_from(length)?));
        Figure {
            part: 'd',
            what: what.clone(),
            ours: format!("{seconds:.2} s"),
            reference: format!("{count:.2} s, `wc -l`; {copy:.2} s, `cat`"),
            ratio: format!("{:.0} times as long", seconds / count),
            wanted: None,
        }
        .print()?;
        print_peak('d', &what, ran.bytes, limit)?;
        limit = limit.min(ran.bytes + SLACK_BYTES);
    }
    Ok(())
}

/// A log of two lengths.
fn logs() -> Result<()> {
    let asked = ["no-provider", "--from-log", "-", "-o", "json"];
    through_pipe(
        "`no-provider --from-log -`",
        &asked,
        &block()?,
        LOG_BYTES,
        |report, _| report["question"]["service"]["interface"] == "com.example.order.OrderService",
    )
}

/// Response times of two lengths in two forms.
fn samples() -> Result<()> {
    let (mut numbers, mut log) = (Vec::new(), Vec::new());
    for number in 0..50_000_u32 {
        let (whole, part) = (number * 7919 % 400, number % 1000);
        writeln!(numbers, "{whole}.{part:03}")?;
        writeln!(
            log,
            "[2026-11-29 20:{:02}:00.00000] -> [2026-11-29 20:{:02}:00.{:03}00] 10.0.0.5:52100 -> 10.0.0.7:20880 - \
             com.acme.Order get(java.lang.String) [\"{number}\"]",
            number / 1000,
            number / 1000,
            whole,
        )?;
    }
    let asked = [
        "timeout-budget",
        "com.acme.Order",
        "get",
        "--samples",
        "-",
        "-o",
        "json",
    ];
    for (form, block) in [("numbers", &numbers), ("an access log", &log)] {
        through_pipe(
            &format!("`timeout-budget --samples -`, {form}"),
            &asked,
            block,
            BASE_BYTES,
            |report, megabytes| {
                let counted = &report["budget"]["measured"]["samples"];
                counted
                    .as_u64()
                    .is_some_and(|count| count > 5_000 * megabytes)
            },
        )?;
    }
    Ok(())
}

/// A megabyte of what a consumer writes: mostly its own business, one failure of Dubbo in it.
fn block() -> Result<Vec<u8>> {
    let failure = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/log/L01/input.txt");
    let failure = fs::read(failure)?;
    let mut block = Vec::with_capacity(1 << 20);
    let mut number = 0_u32;
    while block.len() < 1_000_000 {
        let (second, thread) = (number / 1000 % 60, number % 200);
        let rest = number % 1000;
        match number % 10 {
            0 => writeln!(
                block,
                "2026-03-04 05:06:{second:02}.{rest:03} DEBUG [DubboServerHandler-10.0.1.21:20880-thread-{thread}] \
                 o.a.d.r.exchange.support.header.HeartbeatHandler -  [DUBBO] Receive heartbeat response in thread, \
                 dubbo version: 2.7.15, current host: 10.0.1.21"
            )?,
            1 => writeln!(
                block,
                "\tat com.example.web.Filter{thread}.doFilter(Filter{thread}.java:{rest})"
            )?,
            _ => writeln!(
                block,
                "2026-03-04 05:06:{second:02}.{rest:03}  INFO [http-nio-8080-exec-{thread}] c.e.web.OrderController : \
                 order {number} of user {rest} took {thread} ms, items=[{rest}, {thread}], trace={number:016x}"
            )?,
        }
        if number == 3_000 {
            block.extend_from_slice(&failure);
        }
        number += 1;
    }
    Ok(block)
}

const CATEGORIES: [&str; 4] = ["configurators", "consumers", "providers", "routers"];
const STAT: &str = r#""stat":{"ctime":1764448957000,"mtime":1764448957000,"czxid":4294967419,"mzxid":4294967419,"pzxid":4294967419,"version":0,"cversion":0,"data_length":9,"num_children":0,"ephemeral_owner":72057599112347648}"#;

fn service(number: usize) -> String {
    format!("com.acme.platform.trade.Number{number:06}Service")
}

/// A provider as it registers: a percent-encoded URL.
fn node(service: &str, instance: usize) -> String {
    format!(
        "dubbo%3A%2F%2F10.{instance}.7.21%3A20880%2F{service}%3Fanyhost%3Dtrue%26application%3Dacme-trade%26background%3Dfalse\
         %26deprecated%3Dfalse%26dubbo%3D2.0.2%26dynamic%3Dtrue%26executor-management-mode%3Disolation%26file-cache%3Dtrue\
         %26generic%3Dfalse%26interface%3D{service}%26methods%3Dcreate%2Ccancel%2Cfind%2Clist%26pid%3D1%26prefer.serialization\
         %3Dhessian2%2Cfastjson2%26release%3D3.2.16%26service-name-mapping%3Dtrue%26side%3Dprovider%26timeout%3D3000%26timestamp\
         %3D1764448957{instance:03}"
    )
}

/// Writes the recording of an ensemble, line by line.
fn make(folder: &Path, services: usize) -> Result<()> {
    fs::create_dir(folder)?;
    let create = |name: &str| {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(folder.join(name))
    };
    create("manifest.json")?.write_all(
        br#"{"diag_snapshot":1,"recorded_at":"2026-11-29T20:42:37.774Z","scope":{"services":[],"all":true},"sources":{"r1":{"kind":"zookeeper","roles":["registry","config-center","metadata"],"url":"zookeeper://10.0.0.2:2181"}}}"#,
    )?;
    let mut out = BufWriter::new(create("r1.jsonl")?);
    let mut line = |path: &str, children: &[String]| -> io::Result<()> {
        let children = serde_json::to_string(children)?;
        writeln!(
            out,
            r#"{{"op":"zk.node","path":"{path}",{STAT},"children":{children}}}"#
        )?;
        writeln!(
            out,
            r#"{{"op":"zk.node","path":"{path}",{STAT},"text":"10.0.0.21"}}"#
        )
    };
    let mut names: Vec<String> = (0..services).map(service).collect();
    names.push("config".to_owned());
    line("/", &["dubbo".to_owned()])?;
    line("/dubbo", &names)?;
    line("/dubbo/config", &[])?;
    names.pop();
    for name in &names {
        line(&format!("/dubbo/{name}"), &CATEGORIES.map(str::to_owned))?;
        for category in CATEGORIES {
            let instances = if category == "providers" {
                INSTANCES
            } else {
                0
            };
            let nodes: Vec<String> = (0..instances)
                .map(|instance| node(name, instance))
                .collect();
            line(&format!("/dubbo/{name}/{category}"), &nodes)?;
            for node in &nodes {
                line(&format!("/dubbo/{name}/{category}/{node}"), &[])?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// Packs the recording as one would by hand.
fn pack(folder: &Path, archive: &Path) -> Result<()> {
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(archive)?;
    let mut packed = tar::Builder::new(GzEncoder::new(file, Compression::fast()));
    for name in ["manifest.json", "r1.jsonl"] {
        packed.append_path_with_name(folder.join(name), name)?;
    }
    packed.into_inner()?.finish()?;
    Ok(())
}
