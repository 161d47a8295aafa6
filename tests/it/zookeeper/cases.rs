//! The recorded trees of real Dubbo fleets, put into a real server: what is diagnosed live is what is diagnosed from the
//! recording of it.

use std::{collections::BTreeMap, io::Read, path::Path};

use diag::{
    diagnose::{code::Severity, diagnose},
    observe::{Clock, Deadline, Terms, observers, recorded::Recording, run},
    question::Question,
    report::{Asked, Filter, Manner, report, words::Lang},
    snapshot::{At, Ended, Manifest, Role, Snapshot, Writer},
    want::wants,
};
use serde_json::Value;

use super::{
    moment,
    server::{Options, Server, distribution},
    tree::{self, Tree},
};
use crate::cases::{ask, case::Case, case::cases_under};

/// How many cases have the tree of a ZooKeeper. Exact, so that none gets lost.
const KNOWN: usize = 397;

/// The cases that have the tree of a ZooKeeper, with it.
fn recorded_trees() -> Vec<(Case, Tree)> {
    let cases = cases_under("fixtures/cases").into_iter();
    cases
        .filter_map(|case| {
            let files = files(&case.dir)?;
            let manifest: Manifest =
                serde_json::from_slice(&files["manifest.json"]).expect("a manifest");
            let (id, _) = manifest
                .sources
                .iter()
                .find(|(_, source)| source.kind.as_str() == "zookeeper")?;
            let lines = files.get(&format!("{id}.jsonl"))?;
            let tree = tree::recorded(std::str::from_utf8(lines).expect("text"));
            (!tree.is_empty()).then_some((case, tree))
        })
        .collect()
}

/// The text files of a recording.
fn files(case: &Path) -> Option<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let (folder, archive) = (case.join("snapshot"), case.join("snapshot.tar.gz"));
    if folder.is_dir() {
        for entry in folder.read_dir().expect("a folder") {
            let path = entry.expect("a file").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            files.insert(name, std::fs::read(path).expect("a file"));
        }
    } else if archive.is_file() {
        let packed = std::fs::File::open(archive).expect("an archive");
        let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(packed));
        for entry in tar.entries().expect("entries") {
            let mut entry = entry.expect("an entry");
            let name = entry.path().expect("a path").display().to_string();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).expect("content");
            files.insert(name, content);
        }
    }
    (!files.is_empty()).then_some(files)
}

/// Asks the question of the case of a live server, then of the recording of what the server said.
struct Both {
    live: Value,
    recorded: Value,
    snapshot: Snapshot,
}

async fn both(question: &Question) -> Both {
    let mut snapshot = Snapshot::new(Manifest::new("test", At::from_time(moment())));
    let addresses = question
        .registries
        .iter()
        .map(|address| (address, Role::Registry));
    let mut asked = observers(addresses, snapshot.manifest_mut()).expect("a ZooKeeper");
    let terms = Terms {
        deadline: Deadline::starting_now(
            Some(std::time::Duration::from_secs(60)),
            std::time::Duration::from_secs(20),
        ),
        clock: Clock::Fixed(moment()),
        masker: snapshot.masker().clone(),
    };
    let stop = std::future::pending();
    let ended = run(
        &mut snapshot,
        &mut asked,
        &terms,
        stop,
        |snapshot| wants(question, snapshot),
        |_| {},
    )
    .await;
    assert_eq!(ended, Ended::Complete);
    let live = answer(question, &snapshot);

    let directory = tempfile::TempDir::new().expect("a directory");
    let path = directory.path().join("recording");
    Writer::new(&path)
        .expect("a new place")
        .write(&snapshot)
        .expect("room on the disk");
    let recording = Recording::open(&path)
        .expect("a recording")
        .read_all()
        .expect("lines");
    Both {
        live,
        recorded: answer(question, &recording),
        snapshot,
    }
}

fn answer(question: &Question, snapshot: &Snapshot) -> Value {
    let asked = [Asked {
        question: question.clone(),
        diagnosis: diagnose(question, snapshot),
    }];
    let manner = Manner {
        command: "no-provider".to_owned(),
        lang: Lang::En,
        filter: Filter::default(),
        fail_on: Severity::Error,
        stopped: false,
    };
    let mut value = serde_json::to_value(report(&asked, snapshot, &manner)).expect("a report");
    without_times(&mut value);
    value
}

/// Takes out what may differ between a live run and its recording.
fn without_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !name.ends_with("_at") && !name.ends_with("_ms"));
            fields.values_mut().for_each(without_times);
        }
        Value::Array(values) => values.iter_mut().for_each(without_times),
        _ => {}
    }
}

/// The same service, registry and consumer, whatever the verb of the case.
fn as_no_provider(ask: &[String]) -> Vec<String> {
    let mut asked = vec!["no-provider".to_owned()];
    let mut arguments = ask.iter().skip(1);
    while let Some(argument) = arguments.next() {
        let budget = ["--p99", "--rtt", "--upstream", "--payload"].contains(&argument.as_str());
        match argument.starts_with("--") {
            true => {
                let value = arguments.next().expect("a value");
                if !budget {
                    asked.extend([argument.clone(), value.clone()]);
                }
            }
            // The service; a method may follow it.
            false if asked.len() == 1 => asked.push(argument.clone()),
            false => asked.extend(["--method".to_owned(), argument.clone()]),
        }
    }
    asked
}

/// The question of a case, asked of the live server in place of the recorded one.
fn question(case: &Case, server: &Server) -> Question {
    let manifest = Manifest::new("test", At::from_time(moment()));
    let asked = as_no_provider(&case.ask);
    let mut question = ask::question(&asked, &Snapshot::new(manifest)).expect("a question");
    question.now = moment();
    question.also_search.clear();
    question.config_center = None;
    question.registries.truncate(1);
    for registry in &mut question.registries {
        registry.members = vec![server.address()];
    }
    question
}

#[test]
fn live_and_recorded_reports_are_equal() {
    let Some(distribution) = distribution("the recorded trees") else {
        return;
    };
    let cases = recorded_trees();
    assert_eq!(cases.len(), KNOWN, "cases with the tree of a ZooKeeper");
    let server = Server::start(&distribution, &Options::default());
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    let mut different = Vec::new();
    super::block(async {
        for (case, tree) in &cases {
            // Ephemeral nodes go with the session that made them.
            let writer = tree::writer(&server.address()).await;
            tree::fill(&writer, tree).await;
            let both = both(&question(case, &server)).await;
            if both.live != both.recorded {
                different.push(format!(
                    "{}:\n{:#}\n{:#}",
                    case.name, both.live, both.recorded
                ));
            }
            let outcome = both.live["reports"][0]["outcome"]
                .as_str()
                .unwrap_or("-")
                .to_owned();
            *outcomes.entry(outcome).or_default() += 1;
            tree::clear(&writer).await;
        }
    });
    eprintln!("{KNOWN} recorded trees, outcomes: {outcomes:?}");
    assert!(
        different.is_empty(),
        "{} differ:\n{}",
        different.len(),
        different.join("\n")
    );
    // The comparison means something only when there is something to compare.
    assert!(outcomes.len() >= 3, "{outcomes:?}");
}

#[test]
fn a_changed_address_shows_in_the_comparison() {
    let Some(distribution) = distribution("a changed address") else {
        return;
    };
    let cases = recorded_trees();
    let (case, tree) = cases
        .iter()
        .find(|(case, _)| case.name.ends_with("zookeeper_3.2.16_healthy-all"))
        .expect("a healthy fleet");
    let server = Server::start(&distribution, &Options::default());
    super::block(async {
        let writer = tree::writer(&server.address()).await;
        tree::fill(&writer, tree).await;
        let question = question(case, &server);
        let both = both(&question).await;
        assert_eq!(both.live, both.recorded);
        let text: String = both
            .snapshot
            .sources()
            .flat_map(|(_, lines)| lines)
            .map(|line| serde_json::to_string(line).expect("a line") + "\n")
            .collect();
        assert!(text.contains("127.10.0."), "the fleet's addresses: {text}");
        let mut flipped = Snapshot::new(both.snapshot.manifest().clone());
        for (id, lines) in both.snapshot.sources() {
            for line in lines {
                let text = serde_json::to_string(line)
                    .expect("a line")
                    .replace("127.10.0.1", "127.10.0.99");
                flipped.insert(
                    id.clone(),
                    diag::snapshot::Line::parse(text.as_bytes()).expect("a line"),
                );
            }
        }
        assert_ne!(answer(&question, &flipped), both.recorded);
    });
}
