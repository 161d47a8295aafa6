//! How long `snapshot --all` of a large Nacos takes beside fetching the same bytes and doing nothing with them.
//!
//! `cargo bench --bench nacos_walk [-- SERVICES] [ADDRESS]` serves 5,000 services with 10 instances each from a process
//! of its own threads, records them, and then sends the very same requests with the same concurrency and throws the
//! answers away: once from a server whose answers are ready before they are asked for, and once from one that thinks for
//! a millisecond, as a server does that makes its answers. With the `HOST:PORT` of an empty Nacos or r-nacos (no login)
//! it registers the same services there instead and asks that one.
//! Prints both times and their ratio (1.3 at most is wanted), the requests under way at the same time, and the peak of
//! memory. Unix only.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark starts processes and measures time"
)]

use std::{
    collections::HashMap,
    fmt::Write as _,
    io::{self, BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::json;
use tokio::{sync::Semaphore, task::JoinSet};

const INSTANCES: usize = 10;
const RUNS: usize = 7;
const DIAG: &str = env!("CARGO_BIN_EXE_diag");

fn ip(service: usize, at: usize) -> String {
    format!("10.{}.{}.{at}", service / 250, service % 250)
}

fn name(service: usize) -> String {
    format!("providers:com.acme.s{service:05}.Service:1.0:")
}

/// What a provider registers beside its address.
fn metadata(service: usize) -> serde_json::Value {
    json!({
        "side": "provider", "release": "3.2.16", "methods": "find,list,create,update,remove",
        "deprecated": "false", "dubbo": "2.0.2", "interface": format!("com.acme.s{service:05}.Service"),
        "version": "1.0", "generic": "false", "revision": "1.0", "path": "com.acme.Service",
        "protocol": "dubbo", "application": format!("app-{}", service % 200), "dynamic": "true",
        "category": "providers", "timestamp": "1764448957000",
    })
}

/// Answers by path and service, made before anybody asks.
struct Fleet {
    services: Vec<String>,
    bodies: HashMap<String, Vec<u8>>,
}

impl Fleet {
    fn of(services: usize) -> Self {
        let names: Vec<String> = (0..services).map(name).collect();
        let mut bodies = HashMap::new();
        for (number, name) in names.iter().enumerate() {
            let hosts: Vec<_> = (0..INSTANCES)
                .map(|at| {
                    let ip = ip(number, at);
                    json!({
                        "instanceId": format!("{ip}#20880#null#DEFAULT_GROUP@@{name}"), "ip": ip, "port": 20880,
                        "weight": 1.0, "healthy": true, "enabled": true, "ephemeral": true, "clusterName": "DEFAULT",
                        "serviceName": format!("DEFAULT_GROUP@@{name}"), "metadata": metadata(number),
                    })
                })
                .collect();
            let mut put = |path: &str, body: serde_json::Value| {
                bodies.insert(format!("{path} {name}"), body.to_string().into_bytes());
            };
            put(
                "v1/ns/instance/list",
                json!({"name": name, "groupName": "DEFAULT_GROUP", "hosts": hosts}),
            );
            put(
                "v1/ns/catalog/instances",
                json!({"count": INSTANCES, "list": hosts}),
            );
            put(
                "v1/ns/service",
                json!({"name": name, "protectThreshold": 0.0, "metadata": {}, "clusters": []}),
            );
            put(
                "v1/ns/service/subscribers",
                json!({"count": 0, "subscribers": []}),
            );
        }
        Self {
            services: names,
            bodies,
        }
    }

    /// The body for a target below `/nacos/`; `None`: 404.
    fn body(&self, target: &str) -> Option<Vec<u8>> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let param = |name: &str| {
            query.split('&').find_map(|pair| {
                let (known, value) = pair.split_once('=')?;
                (known == name).then(|| value.replace("%3A", ":"))
            })
        };
        if let Some(service) = param("serviceName") {
            return self.bodies.get(&format!("{path} {service}")).cloned();
        }
        let number = |name: &str| param(name).and_then(|text| text.parse::<usize>().ok());
        let (page, size) = (
            number("pageNo").unwrap_or(1),
            number("pageSize").unwrap_or(100),
        );
        let part = self.services.iter().skip((page - 1) * size).take(size);
        let body = match path {
            "v1/console/server/state" => json!({"version": "2.5.1"}),
            "v1/console/namespaces" => {
                json!({"code": 200, "data": [{"namespace": "", "namespaceShowName": "public"}]})
            }
            "v1/core/cluster/nodes" => json!({"code": 200, "data": []}),
            "v1/ns/service/list" => {
                json!({"count": self.services.len(), "doms": part.collect::<Vec<_>>()})
            }
            "v1/ns/catalog/services" => {
                let list: Vec<_> = part
                    .map(|name| json!({"name": name, "groupName": "DEFAULT_GROUP", "ipCount": INSTANCES}))
                    .collect();
                json!({"count": self.services.len(), "serviceList": list})
            }
            "v1/cs/configs" => json!({"totalCount": 0, "pageItems": []}),
            _ => return None,
        };
        Some(body.to_string().into_bytes())
    }
}

/// What the server saw.
#[derive(Default)]
struct Seen {
    targets: Mutex<Vec<String>>,
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Seen {
    fn targets(&self) -> Vec<String> {
        self.targets
            .lock()
            .map(|targets| targets.clone())
            .unwrap_or_default()
    }

    fn forget(&self) {
        if let Ok(mut targets) = self.targets.lock() {
            targets.clear();
        }
    }
}

/// A port, and the one 1000 above, which clients of 2.x look at, too.
fn listeners() -> Result<(TcpListener, TcpListener)> {
    (0..200)
        .find_map(|_| {
            let listener = TcpListener::bind("127.0.0.1:0").ok()?;
            let port = listener.local_addr().ok()?.port().checked_add(1000)?;
            Some((listener, TcpListener::bind(("127.0.0.1", port)).ok()?))
        })
        .context("no free ports")
}

fn serve(fleet: Arc<Fleet>, thinks: Duration) -> Result<(u16, Arc<Seen>)> {
    let (listener, beside) = listeners()?;
    let port = listener.local_addr()?.port();
    let seen = Arc::new(Seen::default());
    let known = Arc::clone(&seen);
    std::thread::spawn(move || {
        let _beside = beside;
        for stream in listener.incoming().flatten() {
            let (fleet, seen) = (Arc::clone(&fleet), Arc::clone(&known));
            std::thread::spawn(move || {
                let _ = answer(stream, &fleet, thinks, &seen);
            });
        }
    });
    Ok((port, seen))
}

fn answer(stream: TcpStream, fleet: &Fleet, thinks: Duration, seen: &Seen) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut write = stream.try_clone()?;
    let mut read = BufReader::new(stream);
    let mut line = String::new();
    loop {
        line.clear();
        if read.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let target = line
            .split(' ')
            .nth(1)
            .and_then(|target| target.strip_prefix("/nacos/"))
            .unwrap_or_default()
            .to_owned();
        while line.trim_end() != "" {
            line.clear();
            read.read_line(&mut line)?;
        }
        let now = seen.now.fetch_add(1, Ordering::SeqCst) + 1;
        seen.most.fetch_max(now, Ordering::SeqCst);
        if !thinks.is_zero() {
            std::thread::sleep(thinks);
        }
        let (status, body) = match fleet.body(&target) {
            Some(body) => (200, body),
            None => (404, b"{}".to_vec()),
        };
        if let Ok(mut targets) = seen.targets.lock() {
            targets.push(target);
        }
        let mut whole = format!(
            "HTTP/1.1 {status} \r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        whole.extend(body);
        seen.now.fetch_sub(1, Ordering::SeqCst);
        write.write_all(&whole)?;
    }
}

/// Registers the services at a real server. They stay for an hour although nobody sends a heartbeat.
fn fill(address: &str, services: usize) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let client = reqwest::Client::builder().no_proxy().http1_only().build()?;
        let mut tasks = JoinSet::new();
        for (service, at) in (0..services).flat_map(|it| (0..INSTANCES).map(move |at| (it, at))) {
            while tasks.len() >= diag::observe::nacos::MOST_AT_ONCE {
                tasks.join_next().await.context("no task")???;
            }
            let mut kept = metadata(service);
            for preserved in [
                "heart.beat.interval",
                "heart.beat.timeout",
                "ip.delete.timeout",
            ] {
                kept[format!("preserved.{preserved}")] = "3600000".into();
            }
            let fields = [
                ("serviceName", name(service)),
                ("ip", ip(service, at)),
                ("port", "20880".to_owned()),
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
        anyhow::Ok(())
    })
}

/// Every byte percent-encoded.
fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "%{byte:02X}");
        out
    })
}

/// Stands before a real server, to learn what it is asked for.
fn stand_before(address: &str) -> Result<(u16, Arc<Seen>)> {
    let (listener, beside) = listeners()?;
    let port = listener.local_addr()?.port();
    let seen = Arc::new(Seen::default());
    let (known, address) = (Arc::clone(&seen), address.to_owned());
    std::thread::spawn(move || {
        let _beside = beside;
        for stream in listener.incoming().flatten() {
            let (address, seen) = (address.clone(), Arc::clone(&known));
            std::thread::spawn(move || pass_on(stream, &address, &seen));
        }
    });
    Ok((port, seen))
}

fn pass_on(stream: TcpStream, address: &str, seen: &Seen) -> io::Result<()> {
    let mut server = TcpStream::connect(address)?;
    let (mut answers, mut client) = (server.try_clone()?, stream.try_clone()?);
    std::thread::spawn(move || {
        let _ = io::copy(&mut answers, &mut client);
        let _ = client.shutdown(std::net::Shutdown::Both);
    });
    let mut read = BufReader::new(stream);
    let mut line = String::new();
    while read.read_line(&mut line)? > 0 {
        if let Some(target) = line.strip_prefix("GET /nacos/")
            && let Some((target, _)) = target.split_once(' ')
            && let Ok(mut targets) = seen.targets.lock()
        {
            targets.push(target.to_owned());
        }
        server.write_all(line.as_bytes())?;
        line.clear();
    }
    Ok(())
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

/// How long the recording took, and the peak of its memory in KiB.
fn record(address: &str) -> Result<(Duration, u64)> {
    let room = tempfile::tempdir()?;
    let start = Instant::now();
    let registry = format!("nacos://{address}");
    let output = Command::new(std::env::current_exe()?)
        .env_clear()
        .env("HOME", room.path())
        .args(["peak", DIAG])
        .args(["snapshot", "--all", "-q", "--registry", &registry, "--out"])
        .arg(room.path().join("recording"))
        .output()?;
    let took = start.elapsed();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "{said}");
    let peak = said.lines().find_map(|line| line.strip_prefix("peak "));
    Ok((took, peak.with_context(|| said.clone())?.parse()?))
}

/// Runs a program and says on stderr how much memory it took, in a process that is small itself: what a child has
/// before it becomes the program counts, too, and that is what its parent has.
fn peak(program: &str, arguments: &[String]) -> Result<()> {
    let status = Command::new(program).args(arguments).status()?;
    ensure!(status.success(), "{status}");
    let kib = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    writeln!(io::stderr(), "peak {kib}")?;
    Ok(())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [verb, program, rest @ ..] = arguments.as_slice()
        && verb == "peak"
    {
        return peak(program, rest);
    }
    let services: usize = arguments
        .iter()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(5_000);
    let address = arguments.iter().find(|argument| argument.contains(':'));
    // The choice of the cryptography is made once for the process, and the client below wants one to be there.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut out = io::stdout();
    if let Some(address) = address {
        fill(address, services)?;
        // What is asked is learnt by standing between; what is measured goes straight to the server.
        let (port, seen) = stand_before(address)?;
        record(&format!("127.0.0.1:{port}"))?;
        let targets = seen.targets();
        writeln!(
            out,
            "{services} services, {} instances, {} requests, {address}",
            services * INSTANCES,
            targets.len()
        )?;
        return beside(services, || record(address), || fetch(address, &targets));
    }
    let fleet = Arc::new(Fleet::of(services));
    for thinks in [Duration::ZERO, Duration::from_millis(1)] {
        let (port, seen) = serve(Arc::clone(&fleet), thinks)?;
        let address = format!("127.0.0.1:{port}");
        writeln!(
            out,
            "{services} services, {} instances, the server thinks for {} ms",
            services * INSTANCES,
            thinks.as_millis()
        )?;
        beside(
            services,
            || {
                seen.forget();
                record(&address)
            },
            || {
                let targets = seen.targets();
                fetch(&address, &targets)
            },
        )?;
        let most = seen.most.load(Ordering::SeqCst);
        writeln!(out, "{most} requests at once")?;
        ensure!(
            most <= diag::observe::nacos::MOST_AT_ONCE,
            "more requests at once than stated"
        );
    }
    Ok(())
}

/// Records and fetches in turn, and prints the best of each.
fn beside(
    services: usize,
    record: impl Fn() -> Result<(Duration, u64)>,
    fetch: impl Fn() -> Result<(Duration, usize)>,
) -> Result<()> {
    let mut best = (Duration::MAX, Duration::MAX);
    let (mut kib, mut bytes) = (0, 0);
    for _ in 0..RUNS {
        let (took, peak) = record()?;
        best.0 = best.0.min(took);
        kib = kib.max(peak);
        let (took, fetched) = fetch()?;
        best.1 = best.1.min(took);
        bytes = fetched;
    }
    let limit = (40_000_000 + 150 * services as u64) / 1024;
    let mut out = io::stdout();
    writeln!(out, "snapshot --all   {:.2} s", best.0.as_secs_f64())?;
    writeln!(
        out,
        "fetch and forget {:.2} s, {} KB",
        best.1.as_secs_f64(),
        bytes / 1000
    )?;
    writeln!(
        out,
        "ratio {:.2} (1.3 at most is wanted), peak {kib} KiB ({limit} at most is wanted)",
        best.0.as_secs_f64() / best.1.as_secs_f64()
    )?;
    Ok(())
}
