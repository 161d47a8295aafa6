//! The handed situations: every folder under `fixtures/cases` with a `case.toml`.
//!
//! A case whose step is built must give its answer. Any other case must give its answer or say `unknown`, naming what
//! was not seen: a wrong code or outcome fails at any time.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a broken fixture or a missing file is a failing test"
)]

pub(crate) mod ask;
pub(crate) mod case;
pub(crate) mod check;
pub(crate) mod planned;
mod recording;

use std::collections::BTreeMap;

use case::{Case, cases_under};
use check::{Grade, grade};

/// Cases by result. Exact, so that neither a loss nor a gain goes unnoticed.
const EXPECTED: [(&str, Counts); 5] = [
    (
        "step 1",
        Counts {
            right: 61,
            unknown: 0,
            wrong: 0,
            not_built: 0,
        },
    ),
    (
        "step 2",
        Counts {
            right: 64,
            unknown: 0,
            wrong: 0,
            not_built: 0,
        },
    ),
    (
        "step 3",
        Counts {
            right: 193,
            unknown: 2,
            wrong: 0,
            not_built: 0,
        },
    ),
    (
        "step 4",
        Counts {
            right: 407,
            unknown: 0,
            wrong: 0,
            not_built: 0,
        },
    ),
    (
        "step 5",
        Counts {
            right: 66,
            unknown: 0,
            wrong: 0,
            not_built: 0,
        },
    ),
];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    right: usize,
    unknown: usize,
    wrong: usize,
    not_built: usize,
}

/// The grade of every case, by several runs at a time.
pub(crate) fn grades(cases: &[Case]) -> Vec<(&Case, Grade)> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut graded = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..threads)
            .map(|first| {
                scope.spawn(move || {
                    let mine = cases.iter().skip(first).step_by(threads);
                    mine.map(|case| (case, grade(case))).collect::<Vec<_>>()
                })
            })
            .collect();
        runs.into_iter()
            .flat_map(|run| run.join().unwrap())
            .collect::<Vec<_>>()
    });
    graded.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    graded
}

/// A question reads exactly what it wants: a diagnosis by wants is the diagnosis of the whole recording.
#[test]
fn wants_are_enough() {
    let mut problems = Vec::new();
    let mut most = 0;
    let own = cases_under("fixtures/no_provider");
    for case in cases_under("fixtures/cases").into_iter().chain(own) {
        match recording::by_wants(&case) {
            Some(Ok(rounds)) => most = most.max(rounds),
            Some(Err(problem)) => problems.push(format!("{}: {problem}", case.name)),
            None => {}
        }
    }
    println!("at most {most} rounds");
    assert!(
        problems.is_empty(),
        "{} problems\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn handed_cases() {
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    let mut problems = Vec::new();
    let only = std::env::var("DIAG_CASES").ok();
    let mut cases = cases_under("fixtures/cases");
    cases.retain(|case| {
        only.as_ref()
            .is_none_or(|part| case.name.contains(part.as_str()))
    });
    for (case, grade) in grades(&cases) {
        let count = counts.entry(format!("step {}", case.step)).or_default();
        match grade {
            Grade::Right => count.right += 1,
            Grade::Unknown => {
                count.unknown += 1;
                if only.is_some() {
                    println!("unknown {}", case.name);
                }
            }
            Grade::NotBuilt => count.not_built += 1,
            Grade::Wrong(what) => {
                count.wrong += 1;
                problems.push(format!("{}: {what}", case.name));
            }
        }
    }
    for (step, count) in &counts {
        println!(
            "{step}: {} right, {} unknown, {} wrong, {} not built",
            count.right, count.unknown, count.wrong, count.not_built
        );
    }
    assert!(
        problems.is_empty(),
        "{} problems\n{}",
        problems.len(),
        problems.join("\n")
    );
    if only.is_some() {
        return;
    }
    let expected: BTreeMap<String, Counts> = EXPECTED
        .iter()
        .map(|(step, count)| ((*step).to_owned(), *count))
        .collect();
    assert_eq!(
        counts, expected,
        "keep EXPECTED in step with what the cases give"
    );
}
