//! Measured times from files and pages: opened here, read as streams, folded into one distribution.

use std::io::{self, BufRead};

use super::flags;
use crate::{
    budget::{
        asked::{Distribution, From, Measured},
        histogram::{Cumulative, Histogram, Range},
        plan::Side,
        quantile::Quantile,
    },
    cli::TimeoutBudgetArgs,
    command::{files, live},
    error::InputError,
    input::{
        metrics::{self, Found, Times, Whose},
        samples::{self, Form},
    },
    observe::metrics::{Answer, Page},
    settings::Settings,
};

/// The measured times of `--samples` or `--prometheus`; none when neither is given. `service` is the key as typed.
pub(super) fn measured(
    args: &TimeoutBudgetArgs,
    settings: &Settings,
) -> anyhow::Result<Option<Measured>> {
    let side = flags::side(args)?;
    let method = settings.invocation.method.as_deref();
    if let Some(path) = &args.samples {
        let name = path.display().to_string();
        let wanted = samples::Wanted {
            service: args.service.as_deref(),
            method,
        };
        let reader = files::open(path)?;
        return Ok(Some(of_samples(reader, &name, wanted, side)?));
    }
    let Some(place) = &args.prometheus else {
        return Ok(None);
    };
    let interface = args
        .service
        .as_deref()
        .and_then(|text| crate::model::service_key::ServiceKey::parse_cli(text).ok())
        .map(|key| key.interface);
    let wanted = metrics::Wanted {
        interface: interface.as_deref(),
        method,
    };
    let broken = |error: &dyn std::fmt::Display| content(place, &error.to_string());
    let found = if Page::is_address(place) {
        let page = Page::parse(place).map_err(|problem| flags::wrong("--prometheus", &problem))?;
        let runtime = live::runtime()?;
        let text = runtime
            .block_on(page.fetch(wanted.interface, wanted.method, settings.request_timeout))
            .map_err(|problem| content(&page.shown(), &problem))?;
        match text {
            Answer::Text(text) => {
                metrics::read(text.as_bytes(), wanted).map_err(|error| broken(&error))?
            }
            Answer::Samples(list) => {
                collected(&list, wanted).map_err(|problem| content(&page.shown(), &problem))?
            }
        }
    } else {
        let reader = files::open(std::path::Path::new(place))?;
        metrics::read(reader, wanted).map_err(|error| broken(&error))?
    };
    Ok(Some(
        of_metrics(found, side).map_err(|error| broken(&error))?,
    ))
}

/// A file or page whose content means nothing.
fn content(name: &str, problem: &str) -> InputError {
    InputError {
        name: name.to_owned(),
        source: io::Error::new(io::ErrorKind::InvalidData, problem.to_owned()),
    }
}

fn collected(list: &[metrics::Sample], wanted: metrics::Wanted<'_>) -> Result<Found, String> {
    let mut collector = metrics::Collector::default();
    for sample in list {
        collector.take(sample, wanted)?;
    }
    collector.finish()
}

fn of_samples(
    reader: impl BufRead,
    name: &str,
    wanted: samples::Wanted<'_>,
    side: Option<Side>,
) -> anyhow::Result<Measured> {
    let mut histogram = Histogram::new();
    let read = samples::read(reader, wanted, |value| histogram.add(value))
        .map_err(|error| content(name, &error.to_string()))?;
    // An access log is written by the provider.
    let known = side.or((read.form == Form::AccessLog).then_some(Side::Provider));
    let distribution = Distribution::Fine(histogram);
    let estimate = distribution
        .estimate(Quantile::P99)
        .ok_or_else(|| content(name, "there is no value in it"))?;
    Ok(Measured {
        p99: estimate.value,
        side: known.unwrap_or_default(),
        side_known: known.is_some(),
        from: From::Samples(name.to_owned()),
        distribution: Some(distribution),
        remarks: remarks(&read.left_out),
    })
}

fn remarks(left_out: &[(&'static str, u64)]) -> Vec<(String, u64)> {
    left_out
        .iter()
        .map(|(what, count)| ((*what).to_owned(), *count))
        .collect()
}

fn of_metrics(found: Found, side: Option<Side>) -> Result<Measured, String> {
    let known = side.or(found.whose.map(|whose| match whose {
        Whose::Consumer => Side::Consumer,
        Whose::Provider => Side::Provider,
    }));
    let (p99, distribution) = match found.times {
        Times::P99(low, high) => (
            Range {
                low,
                high: Some(high),
            },
            None,
        ),
        Times::Buckets(bounds) => {
            let cumulative =
                Cumulative::new(bounds).map_err(|error| format!("{}: {error}", found.name))?;
            let distribution = Distribution::Coarse(cumulative);
            let estimate = distribution
                .estimate(Quantile::P99)
                .ok_or_else(|| format!("{}: nothing is counted in it", found.name))?;
            (estimate.value, Some(distribution))
        }
    };
    Ok(Measured {
        p99,
        side: known.unwrap_or_default(),
        side_known: known.is_some(),
        from: From::Metrics(found.name),
        distribution,
        remarks: remarks(&found.left_out),
    })
}
