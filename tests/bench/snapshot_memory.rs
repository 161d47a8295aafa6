//! How much memory one question takes of recordings of 500, 5,000 and 50,000 services with 10 instances each.
//!
//! `cargo bench --bench snapshot_memory [-- SERVICES..]` makes each recording as a folder and as an archive, asks it in
//! a process of its own, and prints the peak that the kernel saw of that process beside what it may be: 40 MB and 150
//! bytes for every service name. It fails when it is more. Linux only: the peak is read from `/proc`.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use diag::observe::recorded::Recording;
use diag::snapshot::{SourceId, Want};
use flate2::{Compression, write::GzEncoder};

const INSTANCES: usize = 10;
const BASE_BYTES: u64 = 40_000_000;
const BYTES_PER_NAME: u64 = 150;

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    if let [verb, path, services] = arguments.as_slice()
        && verb == "ask"
    {
        ask(Path::new(path), services.parse()?)?;
        writeln!(io::stdout(), "{}", peak_kib()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let sizes = match arguments.as_slice() {
        [] => vec![500, 5_000, 50_000],
        given => given
            .iter()
            .map(|size| size.parse())
            .collect::<Result<_, _>>()?,
    };
    let mut out = io::stdout();
    writeln!(
        out,
        "services  form    recording KB  peak KB  limit KB  seconds"
    )?;
    let mut held = true;
    for services in sizes {
        let room = tempfile::tempdir()?;
        let (folder, archive) = (room.path().join("s"), room.path().join("s.tar.gz"));
        make(&folder, services)?;
        pack(&folder, &archive)?;
        let limit = BASE_BYTES + BYTES_PER_NAME * services as u64;
        for (form, path, file) in [
            ("folder", &folder, folder.join("r1.jsonl")),
            ("tar.gz", &archive, archive.clone()),
        ] {
            let (peak, took) = measure(path, services)?;
            held &= peak <= limit;
            let (length, peak, limit) =
                (fs::metadata(file)?.len() / 1000, peak / 1000, limit / 1000);
            let seconds = took.as_secs_f64();
            writeln!(
                out,
                "{services:>8}  {form}  {length:>12}  {peak:>7}  {limit:>8}  {seconds:>7.2}"
            )?;
        }
    }
    ensure!(held, "a peak is above its limit");
    Ok(ExitCode::SUCCESS)
}

/// What a diagnosis of one service reads, in the rounds in which it finds out what to read.
fn ask(path: &Path, services: usize) -> Result<()> {
    let r1 = SourceId::new("r1")?;
    let mut recording = Recording::open(path)?;
    let mut snapshot = recording.snapshot();
    let name = service(services / 2);
    let categories = CATEGORIES.map(|category| format!("/dubbo/{name}/{category}"));
    let mut wants: Vec<Want> = categories
        .iter()
        .map(|path| Want::zk_children(&r1, path.as_str()))
        .collect();
    wants.push(Want::zk_children(&r1, "/dubbo"));
    wants.push(Want::zk_data(
        &r1,
        format!("/dubbo/config/dubbo/{name}::.condition-router"),
    ));
    recording.fill(&mut snapshot, &wants)?;
    let providers = &categories[2];
    let nodes = snapshot
        .zk_children(&r1, providers, None)
        .here()
        .context("no providers")?;
    ensure!(nodes.len() == INSTANCES, "{} providers", nodes.len());
    let wants: Vec<Want> = nodes
        .iter()
        .map(|node| Want::zk_stat(&r1, format!("{providers}/{node}")))
        .collect();
    recording.fill(&mut snapshot, &wants)?;
    for want in &wants {
        ensure!(
            !snapshot.lines(&r1, &want.key).is_empty(),
            "no {}",
            want.key
        );
    }
    let names = snapshot
        .zk_children(&r1, "/dubbo", None)
        .here()
        .context("no services")?;
    ensure!(names.len() == services + 1, "{} services", names.len());
    Ok(())
}

/// The peak of a process that asks, in bytes, and how long it took.
fn measure(path: &Path, services: usize) -> Result<(u64, Duration)> {
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
    let start = std::time::Instant::now();
    let asked = Command::new(std::env::current_exe()?)
        .arg("ask")
        .arg(path)
        .arg(services.to_string())
        .output()?;
    let took = start.elapsed();
    ensure!(
        asked.status.success(),
        "{}",
        String::from_utf8_lossy(&asked.stderr)
    );
    Ok((
        String::from_utf8(asked.stdout)?.trim().parse::<u64>()? * 1024,
        took,
    ))
}

/// The peak of this process.
fn peak_kib() -> Result<u64> {
    #[expect(clippy::disallowed_methods, reason = "the kernel tells it in a file")]
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .context("no VmHWM")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
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
        br#"{"diag_snapshot":1,"recorded_at":"2026-11-29T20:42:37.774Z","scope":{"services":[],"all":true},"sources":{"r1":{"kind":"zookeeper"}}}"#,
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
    line("/dubbo", &names)?;
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
