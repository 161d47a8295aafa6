//! Every HTTP status that a Nacos, or somebody in its place, answers with, in the words of each generation: what is
//! found, and what to do about it. Never a word of a parser, and never an absence that nobody stated.

use std::collections::BTreeMap;

use tempfile::TempDir;

use super::{
    answers::{facts, finding, outcome, remedies},
    captures,
    server::{Reply, Request, Server},
    verbs::{Ran, diag},
};

const STATUSES: [u16; 10] = [400, 401, 403, 404, 409, 410, 500, 501, 502, 503];
/// So many real bodies of one status are served, those that differ most.
const MOST: usize = 4;

/// The questions by which a member is recognised.
const STATES: [&str; 3] = [
    "/nacos/v3/admin/core/state",
    "/nacos/v1/console/server/state",
    "/nacos/v1/ns/operator/metrics",
];

/// Words by which Nacos states an absence, whatever the status.
const ABSENT: [&str; 7] = [
    "config data not exist",
    "not found",
    "not exist",
    "illegal characters",
    "invalid dataId",
    "21008",
    "20004",
];

/// The real bodies of a status in the captures of a server, each kind once; made in its manner where there is none.
fn bodies(server: &str, status: u16) -> Vec<Reply> {
    let mut kinds: BTreeMap<String, Reply> = BTreeMap::new();
    for folder in ["api", "auth"] {
        for call in captures::calls(server, folder) {
            let Reply::Http(found, _, body) = &call.reply else {
                continue;
            };
            // The console of 3.x has a port of its own, and a login is no reading.
            let is_other = call.name.contains("console-port") || call.method != "GET";
            if *found != status || is_other {
                continue;
            }
            let text = String::from_utf8_lossy(body);
            let kind: String = text
                .split_once("\"message\"")
                .map_or(&*text, |(_, message)| message)
                .chars()
                .filter(|c| c.is_alphabetic())
                .take(24)
                .collect();
            kinds.entry(kind).or_insert(call.reply.clone());
        }
    }
    let mut found: Vec<Reply> = kinds.into_values().take(MOST).collect();
    if found.is_empty() {
        found.push(made(server, status));
    }
    found
}

/// An error as the frameworks below the generations write it.
fn made(server: &str, status: u16) -> Reply {
    let path = "/nacos/v1/ns/instance/list";
    match server {
        "rnacos-0.8.8" => Reply::new(status, "text/plain", "error"),
        "1.4.8" if status == 400 || status == 500 => {
            Reply::new(status, "text/plain", "caused: boom;")
        }
        "3.0.3" if status == 500 => Reply::new(
            status,
            "application/json",
            r#"{"code":30000,"message":"server error","data":"boom"}"#,
        ),
        _ => Reply::new(
            status,
            "application/json",
            format!(
                r#"{{"timestamp":"2026-11-29T20:38:05.659+00:00","status":{status},"error":"Error","message":"No message available","path":"{path}"}}"#
            ),
        ),
    }
}

fn ask(server: &Server) -> Ran {
    let home = TempDir::new().unwrap();
    let registry = format!("nacos://{}", server.address);
    diag(
        home.path(),
        &[
            &["no-provider", "com.acme.Order:1.0", "-o", "json"][..],
            &super::starting(&registry, "2.7.23", "10.9.0.1"),
            &["--deadline", "60s", "--request-timeout", "20s"],
        ]
        .concat(),
    )
}

fn text(reply: &Reply) -> String {
    let Reply::Http(_, _, body) = reply else {
        return String::new();
    };
    String::from_utf8_lossy(body).into_owned()
}

fn is_page(reply: &Reply) -> bool {
    let text = text(reply).to_ascii_lowercase();
    text.starts_with("<!doctype html") || text.starts_with("<html")
}

/// The finding when a server that has said who it is answers everything else so; none where it states an absence.
fn of_an_answer(status: u16, reply: &Reply) -> Option<&'static str> {
    let is_absence = ABSENT.iter().any(|word| text(reply).contains(word));
    Some(match status {
        401 | 403 => "DG1003",
        _ if is_page(reply) => "DG1002",
        400 | 404 | 500 if is_absence => return None,
        404 | 410 | 501 => "DG1008",
        502 => "DG1001",
        _ => "DG1004",
    })
}

/// The finding when nothing but that is ever answered.
fn of_a_stranger(status: u16) -> &'static str {
    match status {
        401 | 403 => "DG1003",
        409 | 503 => "DG1004",
        502 => "DG1001",
        _ => "DG1002",
    }
}

/// What to do, in one of the ways that fit the code.
fn assert_advice(code: &str, advice: &str, note: &str) {
    let fitting: &[&str] = match code {
        "DG1001" => &["a proxy answers"],
        "DG1002" => &[
            "name the Nacos server itself",
            "context path",
            "run on the consumer's host",
        ],
        "DG1003" => &["give the consumer's user the right"],
        "DG1004" => &["wait and ask again", "run on the consumer's host"],
        "DG1008" => &["nacos.core.api.compatibility"],
        other => panic!("{other}"),
    };
    assert!(
        fitting.iter().any(|words| advice.contains(words)),
        "{note}: {code}: {advice}"
    );
}

#[test]
fn every_status_of_every_generation_has_its_finding() {
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for server in captures::SERVERS {
        let calls = captures::calls(server, "api");
        for status in STATUSES {
            for reply in bodies(server, status) {
                let note = format!("{server} {status} {:.120}", text(&reply));
                let (known, given) = (calls.clone(), reply.clone());
                let late = Server::start(move |request: &Request| {
                    STATES
                        .contains(&request.path.as_str())
                        .then(|| captures::answer(&known, request))
                        .flatten()
                        .unwrap_or_else(|| given.clone())
                });
                let ran = ask(&late);
                let count = counts.entry(server).or_default();
                if let Some(code) = of_an_answer(status, &reply) {
                    count[0] += 1;
                    let found = finding(&ran, code);
                    assert_advice(code, &remedies(&found), &note);
                    assert!(!facts(&found).is_empty(), "{note}: {found:#}");
                    assert_eq!((outcome(&ran).as_str(), ran.exit), ("unknown", 3), "{note}");
                } else {
                    count[1] += 1;
                    finding(&ran, "DG2105");
                    assert_eq!((outcome(&ran).as_str(), ran.exit), ("none", 1), "{note}");
                }
                let first = Server::start(move |_| reply.clone());
                let ran = ask(&first);
                let code = of_a_stranger(status);
                let found = finding(&ran, code);
                assert_advice(code, &remedies(&found), &note);
                assert_eq!((outcome(&ran).as_str(), ran.exit), ("unknown", 3), "{note}");
            }
        }
    }
    let expected = BTreeMap::from([
        ("1.4.8", [15, 2]),
        ("2.5.1", [18, 5]),
        ("3.0.3", [17, 3]),
        ("rnacos-0.8.8", [15, 2]),
    ]);
    assert_eq!(counts, expected, "refusals and stated absences by server");
}
