//! What `tests/lab/run` was told.

use std::{fmt, path::PathBuf};

use anyhow::{Context, bail, ensure};

use crate::scenario::{self, Kind, Release, Scenario};

/// The words after `run`.
#[derive(Debug, Default)]
pub(crate) struct Options {
    names: Vec<String>,
    all: bool,
    quick: bool,
    lines: Vec<String>,
    registries: Vec<Kind>,
    /// Only say what would run.
    pub(crate) list: bool,
    /// Write the table of the README from the answers kept so far.
    pub(crate) table: bool,
    /// Where to record every question as a case.
    pub(crate) record: Option<PathBuf>,
}

/// One scenario on one release and one registry.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) scenario: Scenario,
    pub(crate) release: Release,
    pub(crate) kind: Kind,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {}",
            self.scenario.name, self.release.line, self.kind
        )
    }
}

pub(crate) fn read(words: &[String]) -> anyhow::Result<Options> {
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || {
            words
                .next()
                .with_context(|| format!("{word} needs a value"))
        };
        match word.as_str() {
            "--all" => options.all = true,
            "--quick" => options.quick = true,
            "--list" => options.list = true,
            "--table" => options.table = true,
            "--lines" => options.lines = value()?.split(',').map(str::to_owned).collect(),
            "--registry" => options.registries = vec![value()?.parse()?],
            "--record" => options.record = Some(std::path::absolute(value()?)?),
            flag if flag.starts_with('-') => bail!("unknown flag {flag}; see tests/lab/README.md"),
            name => options.names.push(name.to_owned()),
        }
    }
    Ok(options)
}

impl Options {
    /// Nothing is to run but the table to be written.
    pub(crate) fn only_table(&self) -> bool {
        self.table && self.names.is_empty() && !self.all && !self.quick
    }

    /// What is to run, in the order of the files: without a name and `--all`, the quick third.
    pub(crate) fn runs(&self) -> anyhow::Result<Vec<Run>> {
        let releases = scenario::releases()?;
        let scenarios = scenario::all()?;
        for name in &self.names {
            ensure!(
                scenarios.iter().any(|scenario| &scenario.name == name),
                "no scenario {name} in tests/lab/scenarios"
            );
        }
        let quick = self.quick || (self.names.is_empty() && !self.all);
        let mut runs = Vec::new();
        for scenario in scenarios {
            let named = self.names.is_empty() || self.names.contains(&scenario.name);
            if !named || (quick && !scenario.quick) {
                continue;
            }
            for kind in Kind::ALL {
                let wanted = self.registries.is_empty() || self.registries.contains(&kind);
                if !wanted || !kind.is_here() || !scenario.registries.contains(&kind) {
                    continue;
                }
                for release in &releases {
                    let wanted = self.lines.is_empty() || self.lines.contains(&release.line);
                    if wanted && scenario.is_for(&release.line) {
                        runs.push(Run {
                            scenario: scenario.clone(),
                            release: release.clone(),
                            kind,
                        });
                    }
                }
            }
        }
        ensure!(
            !runs.is_empty(),
            "nothing to run: no scenario fits these flags"
        );
        Ok(runs)
    }
}
