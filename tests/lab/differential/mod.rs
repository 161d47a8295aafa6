//! Fresh random cases, put to the real router chains of ten versions and to `diag`.
//!
//! The real chains are those of `tests/lab/routers`; what is compared, the golden test says
//! (`tests/it/oracle/routing/compare.rs`). A disagreement is made small and becomes a golden case.

mod bug;
pub(crate) mod check;
#[path = "../../it/oracle/routing/compare.rs"]
mod compare;
mod found;
mod generate;
mod judge;
mod options;
pub(crate) mod own;
mod routers;
mod shrink;

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::Context as _;
use serde_json::Value;

use judge::Judge;
use options::Options;
use routers::Routers;

/// How many cases go to the real chain at a time.
const BATCH: u64 = 250;
/// How often a version says how far it is.
const PROGRESS: u64 = 20_000;
/// How many disagreements of one sort are made small.
const OF_A_SORT: usize = 2;
/// How many disagreements of a version are made small.
const OF_A_VERSION: usize = 12;

/// Runs what is asked for; whether nothing disagreed.
pub(crate) fn run(words: &[String]) -> anyhow::Result<bool> {
    let options = Options::read(words)?;
    for version in &options.versions {
        routers::build(version)?;
    }
    if let Some(number) = options.only {
        return one(&options, number);
    }
    let (seed, cases) = (options.seed, options.cases);
    println!(
        "seed {seed}, {cases} cases for each of {}",
        options.versions.join(" ")
    );
    let queue = Mutex::new(VecDeque::from(options.versions.clone()));
    let next = || queue.lock().ok().and_then(|mut queue| queue.pop_front());
    let told: Vec<anyhow::Result<Told>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.jobs)
            .map(|_| {
                scope.spawn(|| {
                    let mut told = Vec::new();
                    while let Some(version) = next() {
                        let answer =
                            real(&version).and_then(|routers| fresh(&options, &version, routers));
                        match &answer {
                            Ok(one) => println!("{one}"),
                            Err(error) => println!("{version}: {error:#}"),
                        }
                        told.push(answer);
                    }
                    told
                })
            })
            .collect();
        threads
            .into_iter()
            .filter_map(|thread| thread.join().ok())
            .flatten()
            .collect()
    });
    let mut all = 0;
    for one in told {
        let one = one?;
        all += one.disagreements;
        if options.bug.is_none() {
            for case in &one.shrunk {
                let file = found::keep(Path::new(found::GOLDEN), &one.version, case)?;
                println!("{}: kept in {}", one.version, file.display());
            }
        }
    }
    println!("seed {seed}: {all} disagreements");
    Ok(all == 0)
}

fn real(version: &str) -> anyhow::Result<Routers> {
    Routers::real(version, &[routers::ONE_COMPILER])
}

/// One case with everything about it.
fn one(options: &Options, number: u64) -> anyhow::Result<bool> {
    let mut agree = true;
    for version in &options.versions {
        let mut judge = Judge::new(version, real(version)?, options.bug)?;
        let case = generate::case(options.seed, number, &judge.line());
        let answered = judge.ask(&case)?;
        println!(
            "{version} {}",
            serde_json::to_string_pretty(&answered.case)?
        );
        if !answered.differences.is_empty() {
            agree = false;
            println!("{}", answered.differences);
            let small = judge.shrink(&answered)?;
            println!(
                "{}\n{}",
                serde_json::to_string_pretty(&small.case)?,
                small.differences
            );
        }
    }
    Ok(agree)
}

/// What came of one version.
struct Told {
    version: String,
    cases: u64,
    seconds: u64,
    disagreements: usize,
    /// How the answers are spread.
    spread: BTreeMap<&'static str, u64>,
    /// Of every sort of disagreement: how often, and one.
    sorts: BTreeMap<String, (usize, String)>,
    /// Small cases with their answers.
    shrunk: Vec<Value>,
}

impl std::fmt::Display for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let spread: Vec<String> = self
            .spread
            .iter()
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        write!(
            f,
            "{}: {} cases, {} disagreements, {} s ({})",
            self.version,
            self.cases,
            self.disagreements,
            self.seconds,
            spread.join(", ")
        )?;
        for (sort, (count, first)) in &self.sorts {
            write!(f, "\n  {count} x {sort}: {first}")?;
        }
        Ok(())
    }
}

/// Puts fresh cases to one version.
fn fresh(options: &Options, version: &str, routers: Routers) -> anyhow::Result<Told> {
    let began = Instant::now();
    let mut judge = Judge::new(version, routers, options.bug)?;
    let line = judge.line();
    let mut told = Told {
        version: version.to_owned(),
        cases: options.cases,
        seconds: 0,
        disagreements: 0,
        spread: BTreeMap::new(),
        sorts: BTreeMap::new(),
        shrunk: Vec::new(),
    };
    let mut number = 0;
    while number < options.cases {
        let end = options.cases.min(number + BATCH);
        let cases: Vec<Value> = (number..end)
            .map(|number| generate::case(options.seed, number, &line))
            .collect();
        for answered in judge.ask_all(cases)? {
            *told.spread.entry(answered.share()).or_default() += 1;
            if answered.differences.is_empty() {
                continue;
            }
            told.disagreements += 1;
            let id = answered.id().to_owned();
            let (count, _) = told
                .sorts
                .entry(answered.sort())
                .and_modify(|(count, _)| *count += 1)
                .or_insert_with(|| (1, format!("{id}\n{}", answered.differences.trim_end())));
            if *count > OF_A_SORT || told.shrunk.len() >= OF_A_VERSION {
                continue;
            }
            let small = judge.shrink(&answered)?;
            let mut note = format!("from {id}:");
            let _ = write!(
                note,
                " {}",
                small.differences.lines().next().unwrap_or_default().trim()
            );
            let mut case = small.case;
            case["note"] = note.into();
            told.shrunk.push(case);
        }
        if end / PROGRESS > number / PROGRESS && end < options.cases {
            println!(
                "{version}: {end} of {}, {} disagreements",
                options.cases, told.disagreements
            );
        }
        number = end;
    }
    told.seconds = began.elapsed().as_secs();
    Ok(told)
}

/// Does what a line of the command says that stands for a real chain: the answers of `diag` itself.
pub(crate) fn stand_in(words: &[String]) -> anyhow::Result<bool> {
    let version = words.first().context("a version")?;
    own::serve(version).map(|()| true)
}
