//! The real router chain of a version as a reference: the program of `tests/lab/routers`, asked to measure.

#[path = "../lab/differential/routers.rs"]
#[expect(
    dead_code,
    clippy::disallowed_methods,
    reason = "a driver of processes, of which not every one is needed here"
)]
mod routers;

use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use diag::route::call::{Call, JavaValue};
use serde_json::{Map, Value, json};

use routers::Routers;

/// How long it may get warm, and the length and number of its rounds.
pub(crate) struct Rounds {
    pub(crate) warm: Duration,
    pub(crate) round: Duration,
    pub(crate) number: usize,
}

/// Rules, addresses and a call, as texts.
pub(crate) struct Case<'a> {
    pub(crate) consumer: &'a str,
    pub(crate) providers: &'a [String],
    /// Key and text.
    pub(crate) rule: (&'a str, &'a str),
    pub(crate) call: &'a Call,
}

/// What is measured.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    /// Routing the call.
    Call,
    /// Reading the rule.
    Rule,
}

/// The chains of one version.
pub(crate) struct Real {
    routers: Routers,
    rounds: Rounds,
}

impl Real {
    /// Builds the program where it is not there yet, and starts it with both compilers.
    pub(crate) fn start(version: &str, rounds: Rounds) -> Result<Self> {
        routers::build(version)?;
        let routers = Routers::real(version, &[])?;
        Ok(Self { routers, rounds })
    }

    /// CPU time of one, and the places of the addresses that the call may go to.
    pub(crate) fn measure(&mut self, of: Of, case: &Case<'_>) -> Result<(Duration, Vec<usize>)> {
        let Rounds {
            warm,
            round,
            number,
        } = &self.rounds;
        let (key, content) = case.rule;
        let question = json!({
            "id": "measured", "consumer": case.consumer, "providers": case.providers,
            "rules": [{"key": key, "content": content}],
            "method": case.call.method, "parameter_types": case.call.parameter_types,
            "arguments": texts(&case.call.arguments)?,
            "attachments": case.call.attachments.iter()
                .map(|(name, value)| Ok((name.clone(), text(value)?)))
                .collect::<Result<Map<String, Value>>>()?,
            "measure": {
                "of": match of { Of::Call => "call", Of::Rule => "rule" },
                "warm_ms": millis(*warm)?, "round_ms": millis(*round)?, "rounds": number,
            },
        });
        let answers = self.routers.answers(&[question])?;
        let answer = answers.first().context("an answer")?;
        ensure!(answer["error"].is_null(), "{}", answer["error"]);
        let nanos = answer["measured"]["cpu_ns"].as_f64();
        let time = Duration::from_secs_f64(nanos.context("a measured time")? / 1e9);
        let places = answer["selected"].as_array().context("addresses")?;
        let places = places.iter().map(|place| {
            let place = place.as_u64().context("a place")?;
            Ok(usize::try_from(place)?)
        });
        Ok((time, places.collect::<Result<_>>()?))
    }
}

fn millis(time: Duration) -> Result<u64> {
    Ok(u64::try_from(time.as_millis())?)
}

fn texts(values: &[JavaValue]) -> Result<Vec<Value>> {
    values.iter().map(text).collect()
}

fn text(value: &JavaValue) -> Result<Value> {
    match value {
        JavaValue::Text(text) => Ok(json!(text)),
        other => bail!("no text: {other:?}"),
    }
}
