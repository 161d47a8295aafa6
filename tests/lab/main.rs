//! The lab: real Dubbo applications on real registries are brought into situations that files describe, `diag` is asked,
//! and its answer is compared with the one that the file gave before the run.
//!
//! `cargo test` only reads the files and the table of the last run. `tests/lab/run` builds the applications and runs
//! scenarios in a network of their own, from which nothing outside can be reached.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a driver of processes, with a clock, files and a terminal"
)]

mod application;
mod ask;
mod check;
mod differential;
mod flap;
mod http;
mod link;
mod nacos;
mod network;
mod options;
mod process;
mod registry;
mod relay;
mod rnacos;
mod scenario;
mod table;
mod world;
mod zookeeper;

use std::{process::ExitCode, time::Instant};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.split_first() {
        Some((verb, rest))
            if verb == "run" && rest.first().is_some_and(|word| word == "--differential") =>
        {
            differential::run(&rest[1..])
        }
        Some((verb, rest)) if verb == "stand-in" => differential::stand_in(rest),
        Some((verb, rest)) if verb == "run" => {
            options::read(rest).and_then(|options| run(&options))
        }
        // Whatever a test runner passes on.
        _ => check::check()
            .and_then(|()| differential::check::check())
            .map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("lab: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs what is asked for; whether every answer was the expected one.
fn run(options: &options::Options) -> anyhow::Result<bool> {
    if options.only_table() {
        return table::write().map(|()| true);
    }
    let runs = options.runs()?;
    if options.list {
        for run in &runs {
            println!("{run}  {}", run.scenario.title);
        }
        return Ok(true);
    }
    if !network::is_own()? {
        return network::enter();
    }
    let mut answers = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        println!("[{}/{}] {run}", number + 1, runs.len());
        let began = Instant::now();
        let answered = world::play(run, options);
        println!("    {} s", began.elapsed().as_secs());
        for answer in &answered {
            println!("    {answer}");
        }
        answers.extend(answered);
    }
    table::keep(&answers)?;
    if options.table {
        table::write()?;
    }
    let failed = answers.iter().filter(|answer| !answer.is_right()).count();
    println!("{} passed, {failed} failed", answers.len() - failed);
    Ok(failed == 0)
}
