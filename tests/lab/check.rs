//! What can be said of the files without running anything: they read, they ask, and the table knows them.

use std::collections::BTreeSet;

use anyhow::{bail, ensure};

use crate::{
    scenario::{self, Kind},
    table,
};

/// Fails with the first file that is not as it should be.
pub(crate) fn check() -> anyhow::Result<()> {
    let lines: BTreeSet<String> = scenario::releases()?
        .into_iter()
        .map(|one| one.line)
        .collect();
    let scenarios = scenario::all()?;
    for scenario in &scenarios {
        let name = &scenario.name;
        ensure!(scenario.asks().next().is_some(), "{name}: asks nothing");
        ensure!(
            lines.iter().any(|line| scenario.is_for(line)),
            "{name}: is for no line of tests/lab/releases"
        );
        let mut names = BTreeSet::new();
        for ask in scenario.asks() {
            ensure!(
                names.insert(&ask.name),
                "{name}: two questions named {:?}",
                ask.name
            );
            let places = Kind::ALL.map(|kind| kind.to_string());
            if let Some(place) = ask
                .on
                .keys()
                .find(|key| !places.contains(key) && !lines.contains(*key))
            {
                bail!("{name}: neither a registry nor a line: {place}");
            }
            for right in ask.on.values().chain([&ask.right]) {
                let known = ["reachable", "partly", "none", "unknown", "-"];
                ensure!(
                    right.outcome.split('|').all(|one| known.contains(&one)),
                    "{name}: no outcome {:?}",
                    right.outcome
                );
            }
        }
    }
    table::check(&scenarios)?;
    println!("lab: {} scenarios read", scenarios.len());
    Ok(())
}
