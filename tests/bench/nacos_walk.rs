//! How long `snapshot --all` of a large Nacos takes beside fetching the same bytes and doing nothing with them.
//!
//! `cargo bench --bench nacos_walk [-- SERVICES ..] [ADDRESS]` serves 5,000 and 50,000 services with 10 instances each from
//! threads of its own, records them, and then sends the very same requests with the same concurrency and throws the
//! answers away: once from a server whose answers are ready before they are asked for, and once from one that thinks for
//! a millisecond, as a server does that makes its answers. With the `HOST:PORT` of an empty Nacos or r-nacos (no login)
//! it registers the same services there instead and asks that one; `DIAG_TEST_RNACOS`, the program of r-nacos, has it do so
//! with one of its own, too.
//! Prints both times and their ratio (1.3 at most is wanted), and the peak of memory; then what the question about one
//! service costs that is put to the recording. It fails with more requests under way at the same time than stated.
//! Unix only.

#![expect(clippy::disallowed_methods, reason = "a benchmark measures time")]

mod figure;
mod fleet;
mod process;
#[path = "../it/nacos/rnacos/process.rs"]
mod rnacos;

use std::{
    fmt::Write as _,
    process::ExitCode,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use tokio::{sync::Semaphore, task::JoinSet};

use figure::{Figure, grouped, quick};
use fleet::{Fleet, INSTANCES, ip, metadata, name, serve, stand_before};
use process::{DIAG, Run, megabytes, run};
use rnacos::Rnacos;

/// Registers the services at a real server, and says which one it is. They stay for an hour although nobody sends a
/// heartbeat: Nacos takes its time from the metadata; r-nacos does not, and has them without one.
fn fill(address: &str, services: usize) -> Result<String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let client = reqwest::Client::builder().no_proxy().http1_only().build()?;
        let state = format!("http://{address}/nacos/v1/console/server/state");
        let heeds_lease = client.get(state).send().await?.status().is_success();
        let mut tasks = JoinSet::new();
        for (service, at) in (0..services).flat_map(|it| (0..INSTANCES).map(move |at| (it, at))) {
            while tasks.len() >= diag::observe::nacos::MOST_AT_ONCE {
                tasks.join_next().await.context("no task")???;
            }
            let mut kept = metadata(service);
            if heeds_lease {
                for preserved in [
                    "heart.beat.interval",
                    "heart.beat.timeout",
                    "ip.delete.timeout",
                ] {
                    kept[format!("preserved.{preserved}")] = "3600000".into();
                }
            }
            let fields = [
                ("serviceName", name(service)),
                ("ip", ip(service, at)),
                ("port", "20880".to_owned()),
                ("ephemeral", heeds_lease.to_string()),
                ("metadata", kept.to_string()),
            ];
            let form = fields
                .iter()
                .fold(String::new(), |mut form, (field, value)| {
                    let _ = write!(form, "{field}={}&", percent(value));
                    form
                });
            let request = client
                .post(format!("http://{address}/nacos/v1/ns/instance"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .body(form);
            tasks.spawn(async move {
                let answer = request.send().await?;
                ensure!(answer.status().is_success(), "{}", answer.status());
                anyhow::Ok(())
            });
        }
        while let Some(done) = tasks.join_next().await {
            done??;
        }
        let server = if heeds_lease { "Nacos" } else { "r-nacos" };
        anyhow::Ok(format!("a real {server}"))
    })
}

/// Every byte percent-encoded.
fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "%{byte:02X}");
        out
    })
}

/// The same requests with the same concurrency; the answers are thrown away. Returns their bytes, too.
fn fetch(address: &str, targets: &[String]) -> Result<(Duration, usize)> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let start = Instant::now();
    let bytes = runtime.block_on(async {
        let mut bytes = 0;
        let client = reqwest::Client::builder().no_proxy().http1_only().build()?;
        let turns = Arc::new(Semaphore::new(diag::observe::nacos::MOST_AT_ONCE));
        let mut tasks = JoinSet::new();
        for target in targets {
            let turn = Arc::clone(&turns).acquire_owned().await?;
            let request = client.get(format!("http://{address}/nacos/{target}"));
            tasks.spawn(async move {
                let body = request.send().await?.bytes().await?;
                drop(turn);
                anyhow::Ok(body.len())
            });
            while let Some(done) = tasks.try_join_next() {
                bytes += done??;
            }
        }
        while let Some(done) = tasks.join_next().await {
            bytes += done??;
        }
        anyhow::Ok(bytes)
    })?;
    Ok((start.elapsed(), bytes))
}

/// Records everything into a new folder.
fn record(address: &str) -> Result<(Run, TempDir)> {
    let room = tempfile::tempdir()?;
    let registry = format!("nacos://{address}");
    let out = room.path().join("recording");
    let out = out.to_str().context("a path")?;
    let asked = [
        "snapshot",
        "--all",
        "-q",
        "--registry",
        &registry,
        "--out",
        out,
    ];
    let ran = run(DIAG, &asked, None)?;
    ensure!(ran.exit == 0, "{}", ran.stderr);
    Ok((ran, room))
}

fn main() -> Result<ExitCode> {
    if let Some(exit) = process::between()? {
        return Ok(exit);
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut sizes: Vec<usize> = arguments
        .iter()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    if sizes.is_empty() {
        sizes = if quick() {
            vec![20, 200]
        } else {
            vec![5_000, 50_000]
        };
    }
    // The choice of the cryptography is made once for the process, and the client below wants one to be there.
    let _ = rustls::crypto::ring::default_provider().install_default();
    if let Some(address) = arguments.iter().find(|argument| argument.contains(':')) {
        real(address, sizes[0])?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(program) = std::env::var_os("DIAG_TEST_RNACOS") {
        let port = || fleet::listeners().and_then(|(one, _)| Ok(one.local_addr()?.port()));
        let server = Rnacos::start(program.as_ref(), None, || port().unwrap_or_default())?;
        real(&format!("127.0.0.1:{}", server.port), sizes[0])?;
    }
    let mut before: Vec<Walk> = Vec::new();
    for services in sizes {
        let fleet = Arc::new(Fleet::of(services));
        let mut walks = Vec::new();
        for (thinks, server) in [
            (Duration::ZERO, "the server is at once there"),
            (Duration::from_millis(1), "the server takes 1 ms"),
        ] {
            let (port, seen) = serve(Arc::clone(&fleet), thinks)?;
            let address = format!("127.0.0.1:{port}");
            let walk = beside(
                services,
                || {
                    seen.forget();
                    record(&address)
                },
                || fetch(&address, &seen.targets()),
            )?;
            ensure!(
                seen.most.load(Ordering::SeqCst) <= diag::observe::nacos::MOST_AT_ONCE,
                "more requests at once than stated"
            );
            walk.print(server)?;
            if let Some(shorter) = before.get(walks.len()) {
                walk.print_growth(shorter, server)?;
            }
            walks.push(walk);
        }
        diagnose(&walks[0])?;
        before = walks;
    }
    Ok(ExitCode::SUCCESS)
}

/// The same with a server that is there.
fn real(address: &str, services: usize) -> Result<()> {
    let server = fill(address, services)?;
    // What is asked is learnt by standing between; what is measured goes straight to the server.
    let (port, seen) = stand_before(address)?;
    record(&format!("127.0.0.1:{port}"))?;
    let targets = seen.targets();
    beside(services, || record(address), || fetch(address, &targets))?.print(&server)
}

/// The best recording and the best fetching of the same bytes.
struct Walk {
    services: usize,
    record: Duration,
    fetch: Duration,
    /// The peak of the recording's memory.
    peak: u64,
    fetched: usize,
    recording: TempDir,
}

impl Walk {
    fn title(&self) -> String {
        let instances = self.services * INSTANCES;
        format!(
            "{} services / {} instances",
            grouped(self.services),
            grouped(instances)
        )
    }

    fn print(&self, server: &str) -> Result<()> {
        let ratio = self.record.as_secs_f64() / self.fetch.as_secs_f64();
        let what = format!("`snapshot --all`, {}, {server}", self.title());
        Figure {
            part: 'b',
            what: what.clone(),
            ours: seconds(self.record),
            reference: format!(
                "{}, {} fetched and forgotten",
                seconds(self.fetch),
                megabytes(self.fetched as u64)
            ),
            ratio: format!("{ratio:.2}"),
            wanted: Some(("1.3".to_owned(), ratio <= 1.3)),
        }
        .print()?;
        print_peak(&what, self.peak, self.services)
    }

    /// Beside one of fewer services.
    fn print_growth(&self, shorter: &Self, server: &str) -> Result<()> {
        let count = |services: usize| u32::try_from(services).map(f64::from);
        let times = count(self.services)? / count(shorter.services)?;
        let ratio = self.record.as_secs_f64() / shorter.record.as_secs_f64();
        let more = (self.services - shorter.services) * INSTANCES;
        let bytes = self.peak.saturating_sub(shorter.peak) / more as u64;
        let what = format!("`snapshot --all`, {times} times the instances, {server}");
        Figure {
            part: 'b',
            what: what.clone(),
            ours: seconds(self.record),
            reference: format!("{}, {}", seconds(shorter.record), shorter.title()),
            ratio: format!("{ratio:.1}"),
            wanted: Some((
                format!("{times}, a fifth more at most"),
                ratio <= times * 1.2,
            )),
        }
        .print()?;
        Figure {
            part: 'b',
            what: format!("{what}: memory for each instance more"),
            ours: format!("{bytes} bytes"),
            ..Figure::default()
        }
        .print()?;
        Ok(())
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn print_peak(what: &str, peak: u64, services: usize) -> Result<()> {
    let limit = 40_000_000 + 150 * services as u64;
    Figure {
        part: 'b',
        what: format!("{what}: memory"),
        ours: format!(
            "{}, {} bytes for each instance",
            megabytes(peak),
            grouped(usize::try_from(peak)? / (services * INSTANCES))
        ),
        wanted: Some((megabytes(limit), peak <= limit)),
        ..Figure::default()
    }
    .print()?;
    Ok(())
}

/// Asks the recording about one service, and counts its lines beside that.
fn diagnose(walk: &Walk) -> Result<()> {
    let folder = walk.recording.path().join("recording");
    let path = folder.to_str().context("a path")?;
    let service = format!("com.acme.s{:05}.Service:1.0", walk.services / 2);
    let asked = [
        "no-provider",
        &service,
        "--snapshot",
        path,
        "--consumer",
        "starting",
        "-o",
        "json",
    ];
    let mut files = vec!["-l".to_owned()];
    for entry in folder.read_dir()? {
        files.push(entry?.path().to_string_lossy().into_owned());
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let (mut best, mut count, mut peak) = (Duration::MAX, f64::MAX, 0);
    for _ in 0..3 {
        let ran = run(DIAG, &asked, None)?;
        let report: serde_json::Value = serde_json::from_slice(&ran.stdout).context(ran.stderr)?;
        let answer = &report["reports"][0];
        let stages = answer["stages"].as_array();
        let found = stages.is_some_and(|stages| stages.iter().any(|it| it["in"] == INSTANCES));
        ensure!(answer["outcome"] == "reachable" && found, "{report}");
        best = best.min(ran.took);
        peak = peak.max(ran.bytes);
        count = count.min(process::beside("wc", &files, None)?);
    }
    let what = format!("`no-provider` on the recording, {}", walk.title());
    Figure {
        part: 'b',
        what: what.clone(),
        ours: seconds(best),
        reference: format!("{count:.2} s, `wc -l` of it"),
        ratio: format!("{:.1}", best.as_secs_f64() / count),
        wanted: None,
    }
    .print()?;
    print_peak(&what, peak, walk.services)
}

/// Records and fetches in turn, and keeps the best of each.
fn beside(
    services: usize,
    record: impl Fn() -> Result<(Run, TempDir)>,
    fetch: impl Fn() -> Result<(Duration, usize)>,
) -> Result<Walk> {
    let mut kept: Option<Walk> = None;
    for _ in 0..if services > 5_000 { 3 } else { 7 } {
        // One recording lies there at a time.
        let (best, peak) = kept
            .take()
            .map_or(((Duration::MAX, Duration::MAX), 0), |walk| {
                ((walk.record, walk.fetch), walk.peak)
            });
        let (ran, recording) = record()?;
        let (took, fetched) = fetch()?;
        kept = Some(Walk {
            services,
            record: best.0.min(ran.took),
            fetch: best.1.min(took),
            peak: peak.max(ran.bytes),
            fetched,
            recording,
        });
    }
    kept.context("no run")
}
