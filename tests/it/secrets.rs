//! Words that may come out nowhere, however they went in: every verb, every format, live systems, recordings, failures.
//!
//! A verb is a line in [`VERBS`](crate::verbs::VERBS). Each runs in each of the [`worlds`]; its streams and everything that it wrote are looked
//! through for the canary as it is, percent-encoded and within base64.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests lay out their own files and start servers"
)]

mod flags;
pub(crate) mod worlds;

use std::path::Path;

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use flate2::read::GzDecoder;

use crate::{
    cli::{Done, diag, done},
    verbs::{VERBS, arguments},
};

/// The word. No other text has it, whatever its case.
const CANARY: &str = "cAnAry7f3a";
/// Reads pieces of base64, wherever they are cut.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Where the canary stands in a text, in words.
fn leaks(text: &str) -> Vec<&'static str> {
    let has = |text: &str| text.to_lowercase().contains(&CANARY.to_lowercase());
    let mut found = Vec::new();
    if has(text) {
        found.push("plain");
    }
    let mut decoded = text.to_owned();
    for _ in 0..3 {
        decoded = percent_decoded(&decoded);
    }
    if !has(text) && has(&decoded) {
        found.push("percent-encoded");
    }
    for text in [text, &decoded] {
        for run in text.split(|c: char| !(c.is_ascii_alphanumeric() || "+/-_".contains(c))) {
            let run = run.replace('-', "+").replace('_', "/");
            for skipped in 0..4.min(run.len()) {
                let run = &run[skipped..];
                let whole = run.len() - usize::from(run.len() % 4 == 1);
                let Ok(bytes) = LENIENT.decode(&run[..whole]) else {
                    continue;
                };
                if has(&String::from_utf8_lossy(&bytes)) && !found.contains(&"base64") {
                    found.push("base64");
                }
            }
        }
    }
    found
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let hex = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        out.push(hex.unwrap_or(bytes[at]));
        at += if hex.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The canary as `Authorization: Basic` has it.
fn basic() -> String {
    base64::engine::general_purpose::STANDARD.encode(format!("reader:{CANARY}"))
}

/// The canary with every byte percent-encoded.
fn encoded() -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    for byte in CANARY.bytes() {
        let _ = write!(out, "%{byte:02X}");
    }
    out
}

/// Nothing of the canary on either stream.
fn silent(done: &Done, what: &str) {
    let (out, err) = (leaks(&done.stdout), leaks(&done.stderr));
    assert!(
        out.is_empty() && err.is_empty(),
        "{what}: {out:?} {err:?}: {done:?}"
    );
}

/// What could move a cursor or turn the direction of writing.
fn controls(text: &str) -> Vec<char> {
    let is_control = |c: &char| {
        (c.is_control() && !"\n\t".contains(*c)) || ('\u{202a}'..='\u{202e}').contains(c)
    };
    text.chars().filter(is_control).collect()
}

/// Every file below a folder, archives unpacked, with its name.
fn written(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(written(&path));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let name = path.display().to_string();
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut text = Vec::new();
            std::io::Read::read_to_end(&mut GzDecoder::new(&*bytes), &mut text).unwrap();
            all.push((name, String::from_utf8_lossy(&text).into_owned()));
        } else {
            all.push((name, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    all
}

/// Runs every verb in a world. Returns how many lines of recordings were looked through.
fn run_all(world: &worlds::World) -> usize {
    let mut recorded = 0;
    for verb in VERBS {
        let (given, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let files = worlds::files(given.path());
        let out = home.path().join("out");
        let args = arguments(verb, &world.args, &files, &out);
        let what = format!("{}: {args:?}", world.name);
        let done = done(
            diag(home.path())
                .env("DIAG_PASSWORD", format!("{CANARY}Env"))
                .args(&args),
        );
        silent(&done, &what);
        assert!(done.exit != 70 && done.exit != -1, "{what}: {done:?}");
        let seen = (controls(&done.stdout), controls(&done.stderr));
        assert_eq!(seen, (vec![], vec![]), "{what}: {done:?}");
        for (name, text) in written(home.path()) {
            let found = leaks(&text);
            assert!(found.is_empty(), "{what}: {name}: {found:?}: {text}");
            recorded += text.lines().count();
        }
    }
    recorded
}

#[test]
fn a_leak_would_be_seen() {
    let wrapped = base64::engine::general_purpose::URL_SAFE.encode(format!("a{CANARY}?~"));
    for (text, how) in [
        (format!("x {CANARY} y"), "plain"),
        (format!("x={}", CANARY.to_uppercase()), "plain"),
        (format!("token={}&a", encoded()), "percent-encoded"),
        (encoded().replace('%', "%25"), "percent-encoded"),
        (format!("Basic {}", basic()), "base64"),
        (format!("(x{wrapped})"), "base64"),
    ] {
        assert_eq!(leaks(&text), [how], "{text}");
        let done = Done {
            exit: 0,
            stdout: String::new(),
            stderr: text,
        };
        assert!(std::panic::catch_unwind(|| silent(&done, "leak")).is_err());
    }
    assert_eq!(leaks("an ordinary report, cAnAr7f3a"), [] as [&str; 0]);
    assert_eq!(controls("a\u{1b}[31m\u{202e}b\n"), ['\u{1b}', '\u{202e}']);
}

#[test]
fn nothing_gets_out_of_recordings_and_files() {
    for world in worlds::recorded() {
        run_all(&world);
    }
}

#[test]
fn nothing_gets_out_of_nacos() {
    let world = worlds::nacos();
    assert!(run_all(&world) > 50, "there were recordings");
    for world in worlds::refusing_nacos() {
        run_all(&world);
    }
}

#[test]
fn nothing_gets_out_of_zookeeper() {
    let Some(world) = worlds::zookeeper() else {
        return;
    };
    assert!(run_all(&world) > 50, "there were recordings");
}

#[test]
fn nothing_gets_out_of_failures() {
    for world in worlds::failing() {
        run_all(&world);
    }
}
