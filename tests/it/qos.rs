//! Every recorded QOS answer gives the facts that stand beside: `fixtures/qos/expected`, one file for each command, one
//! line for each different answer. They were read by another program than this one.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a broken fixture is a failing test"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Read,
    path::Path,
};

use diag::{
    model::qos::{Answer, Refusal, read},
    observe::probe::dubbo::{Frame, Parsed},
};
use flate2::read::GzDecoder;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::cases::case::cases_under;

/// The lines of the QOS sources of a recording.
fn answers(folder: &Path) -> Vec<String> {
    let is_qos = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with('q'))
            && path.extension().is_some_and(|end| end == "jsonl")
    };
    let mut texts = Vec::new();
    if let Ok(entries) = fs::read_dir(folder.join("snapshot")) {
        for entry in entries {
            let path = entry.unwrap().path();
            if is_qos(&path) {
                texts.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    if let Ok(packed) = fs::File::open(folder.join("snapshot.tar.gz")) {
        let mut archive = tar::Archive::new(GzDecoder::new(packed));
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            if is_qos(&entry.path().unwrap()) {
                let mut text = String::new();
                entry.read_to_string(&mut text).unwrap();
                texts.push(text);
            }
        }
    }
    texts
        .iter()
        .flat_map(|text| text.lines().map(str::to_owned))
        .collect()
}

fn digest(command: &str, http: Option<u64>, text: &str) -> String {
    let http = http.map_or_else(|| "-".to_owned(), |status| status.to_string());
    let sum = Sha256::digest(format!("{command}\0{http}\0{text}"));
    sum.iter()
        .take(8)
        .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}

#[test]
fn every_recorded_answer_gives_its_facts() {
    let mut expected: BTreeMap<String, Value> = BTreeMap::new();
    for entry in fs::read_dir("fixtures/qos/expected").unwrap() {
        for line in fs::read_to_string(entry.unwrap().path()).unwrap().lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            let of = value["of"].as_str().unwrap().to_owned();
            expected.insert(of, value["facts"].clone());
        }
    }
    let mut met = BTreeSet::new();
    let mut problems = Vec::new();
    for case in cases_under("fixtures/cases") {
        for line in answers(&case.dir) {
            let line: Value = serde_json::from_str(&line).unwrap();
            let (Some(command), Some(text)) = (line["command"].as_str(), line["text"].as_str())
            else {
                continue;
            };
            let http = line["http"].as_u64();
            let of = digest(command, http, text);
            if !met.insert(of.clone()) {
                continue;
            }
            let status = http.map(|status| u16::try_from(status).unwrap());
            let facts = serde_json::to_value(read(command, status, text)).unwrap();
            if expected.get(&of) != Some(&facts) {
                problems.push(format!(
                    "{} {command} {of}: {facts} in place of {}",
                    case.name,
                    expected
                        .get(&of)
                        .map_or_else(|| "nothing".to_owned(), Value::to_string)
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(met.len() > 1200, "{} answers", met.len());
    let unused = expected.keys().filter(|of| !met.contains(*of)).count();
    assert_eq!(unused, 0, "expected facts of answers that are not there");
}

/// Answers that no case has: commands that change something, commands without a query, other peers. Their facts were read by
/// another program than this one.
#[test]
fn other_recorded_answers_give_their_facts() {
    let text = fs::read_to_string("fixtures/qos/others.jsonl").unwrap();
    let mut problems = Vec::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let (command, text) = (
            line["command"].as_str().unwrap(),
            line["text"].as_str().unwrap(),
        );
        let status = line["http"].as_u64();
        let status = status.map(|status| u16::try_from(status).unwrap());
        let facts = serde_json::to_value(read(command, status, text)).unwrap();
        if facts != line["facts"] {
            problems.push(format!(
                "{command} {status:?}: {facts} in place of {}",
                line["facts"]
            ));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(text.lines().count() >= 40);
}

/// What service ports of five lines answered to a heartbeat and to the old telnet.
#[test]
fn recorded_service_ports_are_told() {
    let bytes = |hex: &str| -> Vec<u8> {
        let digits = hex.as_bytes().chunks(2);
        let text = digits.map(|pair| std::str::from_utf8(pair).unwrap());
        text.map(|pair| u8::from_str_radix(pair, 16).unwrap())
            .collect()
    };
    let text = fs::read_to_string("fixtures/qos/service-port.jsonl").unwrap();
    let (mut beats, mut refused) = (0, 0);
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let name = line["name"].as_str().unwrap();
        let answer = bytes(line["answer"].as_str().unwrap());
        if name == "heartbeat" {
            let Parsed::Frame(frame, length) = Frame::parse(&answer, 100) else {
                panic!("{line}");
            };
            assert!(frame.is_event() && frame.answers(12345) && length == answer.len());
            assert_eq!((frame.status, frame.body.as_slice()), (20, b"N".as_slice()));
            beats += 1;
        } else if !answer.is_empty() {
            let answer = String::from_utf8(answer).unwrap();
            let facts = read(name.trim_start_matches("telnet-"), None, &answer);
            let Answer::Refused(Refusal::ServicePort { disabled }) = facts else {
                panic!("{line}: {facts:?}");
            };
            assert_eq!(disabled, answer.starts_with("Command: "));
            refused += 1;
        }
    }
    assert_eq!((beats, refused), (5, 18));
}
