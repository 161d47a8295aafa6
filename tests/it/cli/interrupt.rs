//! Ctrl-C and the deadline: a complete report, soon.

use std::io::Read as _;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{diag, done};

/// A port that takes connections and never says a word.
fn silent_port() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("zookeeper://{}", listener.local_addr().unwrap());
    (listener, address)
}

fn spawn(args: &[&str]) -> Child {
    let home = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_diag"))
        .env_clear()
        .env("HOME", home.path())
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn ctrl_c_still_gives_a_report_within_a_second() {
    let (_listener, address) = silent_port();
    let args = [
        "no-provider",
        "a.B",
        "--registry",
        &address,
        "-o",
        "json",
        "--deadline",
        "60s",
        "--request-timeout",
        "50s",
    ];
    pressed_in_the_middle(&args);
}

/// A large recording is not read to its end, and what was read by then is not taken for all of it.
#[test]
fn ctrl_c_ends_the_reading_of_a_recording() {
    let home = tempfile::tempdir().unwrap();
    let manifest = serde_json::json!({
        "diag_snapshot": 1, "recorded_by": "test", "recorded_at": "2026-01-15T03:12:00.000Z",
        "seen_from": {"host": "b", "addresses": ["10.0.0.5"], "is_consumer": false},
        "scope": {"services": ["a.B"], "all": true}, "masked": [], "ended": "complete",
        "sources": {"r1": {
            "kind": "zookeeper", "roles": ["registry", "config-center", "metadata"],
            "url": "zookeeper://10.4.0.2:2181",
        }},
    });
    std::fs::write(home.path().join("manifest.json"), manifest.to_string()).unwrap();
    let line =
        |n: usize| format!("{{\"op\":\"zk.node\",\"path\":\"/other/{n}\",\"children\":[]}}\n");
    let nodes: String = (0..3_000_000).map(line).collect();
    std::fs::write(home.path().join("r1.jsonl"), nodes).unwrap();
    let args = [
        "no-provider",
        "a.B",
        "--registry",
        "zookeeper://10.4.0.2:2181",
        "-o",
        "json",
        "--snapshot",
        home.path().to_str().unwrap(),
    ];
    pressed_in_the_middle(&args);
}

/// Presses Ctrl-C while it works: there is a whole report soon, which claims nothing.
fn pressed_in_the_middle(args: &[&str]) {
    let mut child = spawn(args);
    std::thread::sleep(Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none(), "it is still at it");
    let pressed = Instant::now();
    assert!(
        Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let status = child.wait().unwrap();
    let took = pressed.elapsed();
    let mut text = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(status.code(), Some(130), "{text}");
    assert!(took < Duration::from_secs(1), "{took:?}");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&report["interrupted"], &report["exit"]),
        (&true.into(), &130.into())
    );
    assert_eq!(report["reports"][0]["outcome"], "unknown");
}

#[test]
fn the_deadline_gives_a_report_too() {
    let (_listener, address) = silent_port();
    let home = tempfile::tempdir().unwrap();
    let mut binary = diag(home.path());
    binary.args([
        "no-provider",
        "a.B",
        "--registry",
        &address,
        "-o",
        "json",
        "--deadline",
        "600ms",
    ]);
    let started = Instant::now();
    let done = done(&mut binary);
    assert!(
        started.elapsed() < Duration::from_secs(4),
        "{:?}",
        started.elapsed()
    );
    let report = done.json();
    assert_eq!(
        (done.exit, &report["interrupted"]),
        (3, &true.into()),
        "{report}"
    );
}

#[test]
fn a_closed_port_is_a_report_not_an_error() {
    let (listener, address) = silent_port();
    drop(listener);
    let home = tempfile::tempdir().unwrap();
    let mut binary = diag(home.path());
    binary.args([
        "no-provider",
        "a.B",
        "--registry",
        &address,
        "-o",
        "json",
        "--consumer",
        "starting",
    ]);
    let done = done(&mut binary);
    let report = done.json();
    assert!(matches!(done.exit, 1 | 3), "{report}");
    let text = report.to_string();
    assert!(text.contains("DG1001"), "{text}");
    assert_eq!(report["interrupted"], false);
}

#[test]
fn a_dry_run_asks_nobody_and_says_what_it_would_ask() {
    let (listener, address) = silent_port();
    listener.set_nonblocking(true).unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut binary = diag(home.path());
    binary.args(["snapshot", "a.B", "--registry", &address, "--dry-run"]);
    let done = done(&mut binary);
    assert_eq!((done.exit, done.stderr.as_str()), (0, ""));
    assert!(
        done.stdout.starts_with("# r1 zookeeper://127.0.0.1:"),
        "{}",
        done.stdout
    );
    assert!(
        done.stdout.contains("/dubbo/a.B/providers"),
        "{}",
        done.stdout
    );
    assert!(listener.accept().is_err(), "somebody connected");
}

#[test]
fn a_recording_that_failed_is_still_a_recording() {
    let (listener, address) = silent_port();
    drop(listener);
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("x.tar.gz");
    let mut binary = diag(home.path());
    binary
        .args(["snapshot", "a.B", "--registry", &address, "--out"])
        .arg(&out);
    let recorded = done(&mut binary);
    assert_eq!(
        (recorded.exit, recorded.stdout.as_str()),
        (3, ""),
        "{recorded:?}"
    );
    assert!(
        recorded
            .stderr
            .contains("r1: nothing could be read: refused"),
        "{recorded:?}"
    );
    let mut again = diag(home.path());
    again
        .args([
            "no-provider",
            "a.B",
            "--registry",
            &address,
            "-o",
            "json",
            "--snapshot",
        ])
        .arg(&out);
    let report = done(&mut again).json();
    assert!(report.to_string().contains("DG1001"), "{report}");
    let mut occupied = diag(home.path());
    std::fs::write(home.path().join("file"), "mine").unwrap();
    occupied.args(["snapshot", "a.B", "--registry", &address, "--out", "file"]);
    assert_eq!(done(&mut occupied).exit, 4);
    assert_eq!(
        std::fs::read_to_string(home.path().join("file")).unwrap(),
        "mine"
    );
}
