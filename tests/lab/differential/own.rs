//! Stands in for the real routers where there is no Java: answers what `diag` answers. A bug on this side of the comparison
//! is then the only thing that can differ.

use std::io::{BufRead, Write};

use anyhow::Context;
use diag::model::version::DubboVersion;
use diag::route::outcome::Outcome;
use diag::route::set::AddressSet;
use serde_json::{Value, json};

use super::compare::Replay;

/// Answers a case per line until there are no more.
pub(super) fn serve(version: &str) -> anyhow::Result<()> {
    let version =
        DubboVersion::parse(version).map_err(|error| anyhow::anyhow!("{version}: {error}"))?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let case: Value = serde_json::from_str(&line?).context("a case")?;
        writeln!(out, "{}", answer(&case, &version))?;
        out.flush()?;
    }
    Ok(())
}

fn answer(case: &Value, version: &DubboVersion) -> Value {
    let Replay {
        application,
        reached,
    } = Replay::of(case, version);
    let keys: Vec<Value> = application
        .keys_read()
        .iter()
        .map(|key| json!({"key": key, "group": "dubbo"}))
        .collect();
    let error = |stage: &str, class: &str| json!({"selected": null, "error": {"stage": stage, "class": class}, "keys_read": keys});
    let (chain, call) = match &reached {
        Ok(reached) => reached,
        Err(stop) => return error(stop.stage, stop.class.unwrap_or_default()),
    };
    let places = |set: &AddressSet| set.iter().collect::<Vec<usize>>();
    match application.route(chain, call) {
        Err(thrown) => error("route", thrown.class),
        Ok(Outcome::OneOf(answers)) => {
            let several: Vec<_> = answers.iter().map(|(set, _)| places(set)).collect();
            let counts: Vec<f64> = answers
                .iter()
                .map(|(_, probability)| (probability * 1000.0).round())
                .collect();
            json!({"selected_any_of": several, "counts": counts, "error": null, "keys_read": keys})
        }
        Ok(outcome) => {
            json!({"selected": places(&outcome.at_most()), "error": null, "keys_read": keys})
        }
    }
}
