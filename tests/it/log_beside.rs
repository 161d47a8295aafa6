//! More evidence never makes an answer worse: recordings of real situations are asked again with the consumer's own log
//! beside them.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads its fixtures"
)]

use std::{fs::File, path::Path};

use crate::cases::{
    case::{Case, cases_under},
    check::{self, Grade},
};

/// One of so many logs is looked at, unless `DIAG_ORACLE_ALL` asks for all.
const USUALLY: usize = 4;

/// Situations of which the log holds failures of a time before, which the registry of now does not explain: `unknown`.
const BEFORE: [&str; 6] = [
    "rule-deleted-heals",
    "unhealthy-protect",
    "two-one-killed",
    "group-trap-attr",
    // 2.7 does not print the lists that it is told.
    "dubbo-2.7.23_provider-later",
    "dubbo-3.1.11_provider-later",
];

fn logs(into: &Path) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/consumer_logs/logs.tar.gz");
    let file = flate2::read::GzDecoder::new(File::open(path).unwrap());
    tar::Archive::new(file).unpack(into).unwrap();
}

/// Grades of a case without and with the log.
fn grades(case: &Case, log: &Path) -> (Grade, Grade) {
    let ip = case.ask.iter().position(|word| word == "--consumer-ip");
    let owner = ip.map_or_else(
        || "consumer".to_owned(),
        |at| format!("consumer@{}", case.ask[at + 1]),
    );
    let attached = format!("{owner}:{}", log.display());
    let ask: Vec<String> = case
        .ask
        .iter()
        .cloned()
        .chain(["--attach".to_owned(), attached])
        .collect();
    let with = match check::run(case, &ask) {
        Ok(run) => check::compare(case, &run),
        Err(error) => Grade::Wrong(error),
    };
    (check::grade(case), with)
}

#[test]
fn the_consumers_own_log_makes_no_answer_worse() {
    let folder = tempfile::tempdir().unwrap();
    logs(folder.path());
    let all = std::env::var_os("DIAG_ORACLE_ALL").is_some();
    let cases: Vec<(Case, std::path::PathBuf)> = cases_under("fixtures/cases/captures")
        .into_iter()
        .filter_map(|case| {
            let log = folder.path().join(format!("{}.log", case.name));
            log.exists().then_some((case, log))
        })
        .collect();
    let step = if all { 1 } else { USUALLY };
    let chosen: Vec<_> = cases.iter().step_by(step).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut worse: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..threads)
            .map(|first| {
                let mine = chosen.iter().skip(first).step_by(threads);
                scope.spawn(move || {
                    mine.filter_map(|(case, log)| match grades(case, log) {
                        (Grade::Right | Grade::Unknown, Grade::Right)
                        | (Grade::Unknown, Grade::Unknown) => None,
                        (Grade::Right, Grade::Unknown)
                            if BEFORE.iter().any(|name| case.name.ends_with(name)) =>
                        {
                            None
                        }
                        (without, with) => Some(format!("{}: {without:?}, {with:?}", case.name)),
                    })
                    .collect::<Vec<_>>()
                })
            })
            .collect();
        runs.into_iter()
            .flat_map(|run| run.join().unwrap())
            .collect()
    });
    worse.sort();
    println!("{} recordings with their logs", chosen.len());
    assert_eq!(cases.len(), 344);
    assert!(worse.is_empty(), "{}", worse.join("\n"));
}
