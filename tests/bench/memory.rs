//! How much memory the program takes: of questions to recordings of any size, of logs of any length.
//!
//! `cargo bench --bench memory [-- recordings|log|samples ..]` makes the input, runs the program in a process of its own and
//! prints the peak that the kernel saw of it beside what it may be. It fails when it is more. Unix only.
//!
//! * `recordings`: one service out of recordings of 500, 5,000 and 50,000 services with 10 instances each, as a folder and
//!   as an archive: below 40 MB and 150 bytes for every service name.
//! * `log`: `--from-log -` of 100 MB and 1 GB: below 45 MB, and no more for the long one than for the short one; beside it
//!   how long `wc -l` and `cat` take for the same bytes through the same pipe.
//! * `samples`: `timeout-budget --samples -` of 100 MB and 1 GB, plain numbers and an access log: as for logs.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark writes files, starts processes and measures time"
)]

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use flate2::{Compression, write::GzEncoder};
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::Value;

const INSTANCES: usize = 10;
const BASE_BYTES: u64 = 40_000_000;
const BYTES_PER_NAME: u64 = 150;
/// Of a log: the automata that look for a few hundred messages take most of it.
const LOG_BYTES: u64 = 45_000_000;
/// A longer log may take so much more: what the allocator does is not the same twice.
const SLACK_BYTES: u64 = 4_000_000;

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    if let [verb, program, rest @ ..] = arguments.as_slice()
        && verb == "peak"
    {
        return peak(program, rest);
    }
    let wanted = |part: &str| arguments.is_empty() || arguments.iter().any(|word| word == part);
    let mut held = true;
    if wanted("recordings") {
        held &= recordings()?;
    }
    if wanted("log") {
        held &= logs()?;
    }
    if wanted("samples") {
        held &= samples()?;
    }
    ensure!(held, "a peak is above its limit");
    Ok(ExitCode::SUCCESS)
}

/// Runs a program and says on stderr how much memory it took, in a process that has no other child.
fn peak(program: &str, arguments: &[String]) -> Result<ExitCode> {
    let status = Command::new(program).args(arguments).status()?;
    let kib = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    writeln!(io::stderr(), "peak {kib}")?;
    let code = status.code().context("killed")?;
    Ok(ExitCode::from(u8::try_from(code)?))
}

/// What a run took.
struct Run {
    exit: i32,
    stdout: Vec<u8>,
    bytes: u64,
    took: Duration,
}

/// Runs a program that is given `input`, again and again, until so many bytes are written.
fn run(program: &str, arguments: &[&str], input: Option<(&[u8], u64)>) -> Result<Run> {
    run_into(Stdio::piped(), program, arguments, input)
}

/// The seconds of a program that does little with the same input. What it writes is thrown away: a full pipe would stop it.
fn beside(program: &str, argument: &str, input: (&[u8], u64)) -> Result<f64> {
    run_into(Stdio::null(), program, &[argument], Some(input)).map(|ran| ran.took.as_secs_f64())
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
        .env("LANG", "C.UTF-8")
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
        bytes: kib * 1024,
        took,
    })
}

const DIAG: &str = env!("CARGO_BIN_EXE_diag");

fn limit(services: usize) -> u64 {
    BASE_BYTES + BYTES_PER_NAME * services as u64
}

/// One question to recordings of three sizes.
fn recordings() -> Result<bool> {
    let mut out = io::stdout();
    writeln!(out, "diag no-provider SERVICE --snapshot RECORDING")?;
    writeln!(
        out,
        "services  form    recording KB  peak KB  limit KB  seconds"
    )?;
    let mut held = true;
    for services in [500, 5_000, 50_000] {
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
            let report: Value = serde_json::from_slice(&ran.stdout)?;
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
            held &= ran.bytes < limit(services);
            writeln!(
                out,
                "{services:>8}  {form}  {:>12}  {:>7}  {:>8}  {:>7.2}",
                fs::metadata(file)?.len() / 1000,
                ran.bytes / 1000,
                limit(services) / 1000,
                ran.took.as_secs_f64()
            )?;
        }
    }
    Ok(held)
}

/// A log of two lengths.
fn logs() -> Result<bool> {
    let mut out = io::stdout();
    writeln!(out, "diag no-provider --from-log -")?;
    writeln!(
        out,
        "    MB  peak KB  limit KB  seconds   MB/s  wc -l seconds  cat seconds"
    )?;
    let block = block()?;
    let mut held = true;
    let mut before = None;
    for megabytes in [100, 1_000] {
        let bytes = megabytes * 1_000_000;
        let asked = ["no-provider", "--from-log", "-", "-o", "json"];
        let ran = run(DIAG, &asked, Some((&block, bytes)))?;
        let report: Value = serde_json::from_slice(&ran.stdout)?;
        let service = &report["reports"][0]["question"]["service"]["interface"];
        ensure!(service == "com.example.order.OrderService", "{report}");
        let limit = before.map_or(LOG_BYTES, |short: u64| short + SLACK_BYTES);
        held &= ran.bytes < limit.min(LOG_BYTES);
        before = Some(ran.bytes);
        let (count, copy) = (
            beside("wc", "-l", (&block, bytes))?,
            beside("cat", "-u", (&block, bytes))?,
        );
        let seconds = ran.took.as_secs_f64();
        writeln!(
            out,
            "{megabytes:>6}  {:>7}  {:>8}  {seconds:>7.2}  {:>5.0}  {count:>13.2}  {copy:>11.2}",
            ran.bytes / 1000,
            limit.min(LOG_BYTES) / 1000,
            f64::from(u32::try_from(megabytes)?) / seconds,
        )?;
    }
    Ok(held)
}

/// Response times of two lengths in two forms.
fn samples() -> Result<bool> {
    let mut out = io::stdout();
    writeln!(out, "diag timeout-budget --samples -")?;
    writeln!(
        out,
        "form           MB  peak KB  limit KB  seconds   MB/s  wc -l seconds  cat seconds"
    )?;
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
    let mut held = true;
    for (form, block) in [("numbers", &numbers), ("access log", &log)] {
        let mut before = None;
        for megabytes in [100, 1_000] {
            let bytes = megabytes * 1_000_000;
            let asked = [
                "timeout-budget",
                "com.acme.Order",
                "get",
                "--samples",
                "-",
                "-o",
                "json",
            ];
            let ran = run(DIAG, &asked, Some((block, bytes)))?;
            let report: Value = serde_json::from_slice(&ran.stdout)?;
            let counted = &report["reports"][0]["budget"]["measured"]["samples"];
            ensure!(
                counted.as_u64().is_some_and(|count| count > 500_000),
                "{report}"
            );
            let limit = before.map_or(BASE_BYTES, |short: u64| short + SLACK_BYTES);
            held &= ran.bytes < limit.min(BASE_BYTES);
            before = Some(ran.bytes);
            let (count, copy) = (
                beside("wc", "-l", (block, bytes))?,
                beside("cat", "-u", (block, bytes))?,
            );
            let seconds = ran.took.as_secs_f64();
            writeln!(
                out,
                "{form:<10}  {megabytes:>5}  {:>7}  {:>8}  {seconds:>7.2}  {:>5.0}  {count:>13.2}  {copy:>11.2}",
                ran.bytes / 1000,
                limit.min(BASE_BYTES) / 1000,
                f64::from(u32::try_from(megabytes)?) / seconds,
            )?;
        }
    }
    Ok(held)
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
