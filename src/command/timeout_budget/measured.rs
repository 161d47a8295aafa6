//! Measured times from files, pages and recordings: opened here, read as streams, folded into one distribution.

use std::io::{self, BufRead};

use super::flags;
use crate::{
    budget::{
        asked::{Asked, Distribution, Doubt, EqualCalls, From, Measured},
        effect,
        histogram::{Cumulative, Histogram, Range},
        plan::Side,
        quantile::Quantile,
    },
    cli::TimeoutBudgetArgs,
    command::{files, live},
    error::InputError,
    input::{
        metrics::{self, Collector, Found, Times, Whose},
        samples::{self, Form},
    },
    model::service_key::ServiceKey,
    observe::{
        Deadline,
        metrics::{Answer, NoMetrics, Page},
    },
    question::Question,
    settings::Settings,
    snapshot::{Key, Snapshot, SourceId, SourceKind},
};

/// Takes over the measured times of `--samples` or `--prometheus`, or which pages did not answer.
pub(super) fn measure(
    args: &TimeoutBudgetArgs,
    settings: &Settings,
    asked: &mut Asked,
) -> anyhow::Result<()> {
    let side = flags::side(args)?;
    let method = settings.invocation.method.as_deref();
    if let Some(path) = &args.samples {
        let name = path.display().to_string();
        let wanted = samples::Wanted {
            service: args.service.as_deref(),
            method,
            column: args.column.as_deref(),
            repeated: Some(samples::Watch {
                declared: &args.write,
                fits: effect::writes,
            }),
        };
        let reader = files::open(path)?;
        asked.measured = Some(of_samples(reader, &name, wanted, side)?);
        return Ok(());
    }
    let Some(place) = &args.prometheus else {
        return Ok(());
    };
    let service = args
        .service
        .as_deref()
        .and_then(|text| ServiceKey::parse_cli(text).ok());
    let wanted = metrics::Wanted {
        service: service.as_ref(),
        method,
        whose: side.map(whose),
    };
    let broken = |error: &dyn std::fmt::Display| content(place, &error.to_string());
    if Page::is_address(place) {
        return of_pages(place, wanted, settings, side, asked);
    }
    let reader = files::open(std::path::Path::new(place))?;
    let found = metrics::read(reader, wanted).map_err(|error| broken(&error))?;
    asked.measured = Some(of_metrics(found, side).map_err(|error| broken(&error))?);
    Ok(())
}

/// The times in metrics that a recording holds: pages, answers of the QOS command `metrics`, attached files. None when
/// they tell nothing of the service; the second value is what is wrong with them.
pub(super) fn recorded(
    args: &TimeoutBudgetArgs,
    question: &Question,
    snapshot: &Snapshot,
) -> Result<(Option<Measured>, Option<String>), crate::error::UsageError> {
    let side = flags::side(args)?;
    let wanted = metrics::Wanted {
        service: Some(&question.service),
        method: question.invocation.method.as_deref(),
        whose: side.map(whose),
    };
    let mut collector = Collector::default();
    let mut pages = 0;
    for (id, source) in &snapshot.manifest().sources {
        let texts = match source.kind {
            SourceKind::Metrics => bodies(snapshot, id, &Key::MetricsText),
            SourceKind::Qos => bodies(snapshot, id, &Key::qos("metrics")),
            SourceKind::File if is_metrics(source.file_as.as_deref()) => {
                let text = snapshot.text(id).map(str::to_owned);
                text.into_iter().map(|text| (String::new(), text)).collect()
            }
            _ => Vec::new(),
        };
        for (via, text) in texts {
            collector.begin(&format!("{id} {via} "));
            pages += 1;
            // A prompt or a greeting may stand among the lines.
            for sample in text.lines().filter_map(|line| metrics::sample(line.trim())) {
                if let Err(problem) = collector.take(&sample, wanted) {
                    return Ok((None, Some(format!("metrics of {id}: {problem}"))));
                }
            }
        }
    }
    if pages == 0 {
        return Ok((None, None));
    }
    let found = collector
        .finish(wanted)
        .and_then(|found| of_metrics(found, side));
    Ok(match found {
        Ok(measured) => (Some(measured), None),
        Err(problem) => (None, Some(format!("recorded metrics: {problem}"))),
    })
}

/// Whether an attached file is a page of metrics, by what it was attached as.
fn is_metrics(file_as: Option<&str>) -> bool {
    file_as.is_some_and(|word| word.ends_with("metrics"))
}

/// The answers of all processes that gave one, each with its name.
fn bodies(snapshot: &Snapshot, source: &SourceId, key: &Key) -> Vec<(String, String)> {
    let lines = snapshot.latest(source, key);
    lines
        .iter()
        .filter_map(|line| {
            let via = line.via.clone().unwrap_or_default();
            Some((via, line.body_text()?.into_owned()))
        })
        .collect()
}

fn whose(side: Side) -> Whose {
    match side {
        Side::Consumer => Whose::Consumer,
        Side::Provider => Whose::Provider,
    }
}

/// A file or page whose content means nothing.
fn content(name: &str, problem: &str) -> InputError {
    InputError {
        name: name.to_owned(),
        source: io::Error::new(io::ErrorKind::InvalidData, problem.to_owned()),
    }
}

/// All pages of a list of addresses, put together. One that does not answer is told and left out; when none answers the
/// times are not seen. `--deadline` ends the asking.
fn of_pages(
    places: &str,
    wanted: metrics::Wanted<'_>,
    settings: &Settings,
    side: Option<Side>,
    asked: &mut Asked,
) -> anyhow::Result<()> {
    let mut pages = Vec::new();
    for place in addresses(places) {
        pages.push(Page::parse(place).map_err(|problem| flags::wrong("--prometheus", &problem))?);
    }
    let runtime = live::runtime()?;
    let mut collector = Collector::default();
    let total = settings.deadline.unwrap_or(live::DEADLINE);
    let deadline =
        runtime.block_on(async { Deadline::starting_now(Some(total), settings.request_timeout) });
    let (mut silent, mut first) = (Vec::new(), None);
    let mut left_out = 0_u64;
    for page in &pages {
        let answer = if deadline.passed() {
            Err(NoMetrics::Silent(format!(
                "the deadline of {} ms had passed",
                total.as_millis()
            )))
        } else {
            runtime.block_on(page.fetch(
                wanted.service.map(|service| service.interface.as_str()),
                wanted.method,
                deadline.request_limit(),
            ))
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(NoMetrics::Silent(why)) => {
                left_out += 1;
                silent.push((page.shown(), why));
                continue;
            }
            Err(NoMetrics::Bad(problem)) => {
                left_out += 1;
                first.get_or_insert_with(|| content(&page.shown(), &problem));
                continue;
            }
        };
        if pages.len() > 1 {
            collector.begin(&format!("{} ", page.shown()));
        }
        match answer {
            Answer::Text(text) => metrics::collect(text.as_bytes(), &mut collector, wanted)
                .map_err(|error| content(&page.shown(), &error.to_string()))?,
            Answer::Samples(list) => {
                for sample in &list {
                    collector
                        .take(sample, wanted)
                        .map_err(|problem| content(&page.shown(), &problem))?;
                }
            }
        }
    }
    if left_out == pages.len() as u64 {
        if let Some(error) = first {
            return Err(error.into());
        }
        asked.unseen = silent;
        return Ok(());
    }
    let name = pages.iter().map(Page::shown).collect::<Vec<_>>().join(",");
    let mut measured = collector
        .finish(wanted)
        .and_then(|found| of_metrics(found, side))
        .map_err(|problem| content(&name, &problem))?;
    if left_out > 0 {
        measured
            .remarks
            .push(("pages that did not answer".to_owned(), left_out));
    }
    asked.measured = Some(measured);
    Ok(())
}

/// The addresses of a list: a comma in front of `http` ends one.
fn addresses(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = [",http://", ",https://"]
        .iter()
        .filter_map(|sign| rest.find(sign))
        .min()
    {
        found.push(&rest[..at]);
        rest = &rest[at + 1..];
    }
    found.push(rest);
    found
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
        at_most: None,
        untimed: read.untimed,
        cut_at: None,
        remarks: remarks(&read.left_out),
        doubt: read.unit_assumed.then_some(Doubt::Unit),
        repeated: read
            .repeated
            .into_iter()
            .map(|pair| EqualCalls {
                method: pair.method,
                caller: pair.caller,
                gap: pair.gap,
                lines: pair.lines,
            })
            .collect(),
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
    let counted = matches!(found.times, Times::Buckets(_));
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
    let elsewhere = found
        .beside
        .filter(|(low, high)| *high < p99.low || p99.high.is_some_and(|end| *low > end));
    let doubt = if let Some((low, high)) = elsewhere {
        Some(Doubt::Disagrees { low, high })
    } else if let Some((buckets, count)) = found.apart {
        Some(Doubt::CountApart { buckets, count })
    } else if !found.names_service {
        Some(Doubt::Unnamed)
    } else if counted {
        Some(Doubt::SinceStart)
    } else {
        None
    };
    Ok(Measured {
        p99,
        side: known.unwrap_or_default(),
        side_known: known.is_some(),
        from: From::Metrics(found.name),
        distribution,
        at_most: found.fewest,
        untimed: 0,
        cut_at: None,
        remarks: remarks(&found.left_out),
        doubt,
        repeated: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_addresses() {
        assert_eq!(
            addresses("http://a/m?x=1,2,https://b/m,http://c"),
            ["http://a/m?x=1,2", "https://b/m", "http://c"]
        );
        assert_eq!(addresses("http://a"), ["http://a"]);
    }
}
