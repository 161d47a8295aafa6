//! What `tests/lab/run --differential` was told.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail, ensure};

use super::bug::Bug;

/// The versions with a real chain here; the newest of each line first.
pub(super) const VERSIONS: [&str; 10] = [
    "2.7.23", "3.0.15", "3.1.11", "3.2.16", "3.3.6", "2.7.8", "3.0.5", "3.1.0", "3.2.0", "3.3.0",
];
const LINES: usize = 5;

#[derive(Debug)]
pub(super) struct Options {
    pub(super) versions: Vec<String>,
    pub(super) cases: u64,
    pub(super) seed: u64,
    /// How many versions are asked at a time.
    pub(super) jobs: usize,
    /// A bug in the replay, to see that it is found.
    pub(super) bug: Option<Bug>,
    /// Only the case with this number, with everything about it.
    pub(super) only: Option<u64>,
}

impl Options {
    pub(super) fn read(words: &[String]) -> anyhow::Result<Self> {
        let clock = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .context("the clock")?;
        let mut options = Self {
            versions: VERSIONS[..LINES].iter().map(ToString::to_string).collect(),
            cases: 2_000,
            seed: clock.as_secs(),
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            bug: None,
            only: None,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .with_context(|| format!("{word} needs a value"))
            };
            let number = |text: &String| {
                text.replace('_', "")
                    .parse::<u64>()
                    .with_context(|| format!("{word} {text}"))
            };
            match word.as_str() {
                "--all" => {
                    options.versions = VERSIONS.map(str::to_owned).to_vec();
                    options.cases = 100_000;
                }
                "--cases" => options.cases = number(value()?)?,
                "--seed" => options.seed = number(value()?)?,
                "--jobs" => options.jobs = usize::try_from(number(value()?)?)?.max(1),
                "--case" => options.only = Some(number(value()?)?),
                "--inject" => options.bug = Some(value()?.parse()?),
                "--versions" => options.versions = value()?.split(',').map(str::to_owned).collect(),
                other => {
                    bail!("unknown word {other} after --differential; see tests/lab/README.md")
                }
            }
        }
        for version in &options.versions {
            ensure!(
                VERSIONS.contains(&version.as_str()),
                "no routers for Dubbo {version}; there are {}",
                VERSIONS.join(" ")
            );
        }
        Ok(options)
    }
}
