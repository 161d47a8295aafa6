//! The flags of `timeout-budget` as values. A value that means nothing names its flag and what was expected.

use crate::{
    budget::{
        asked::{Asked, LinkClass, Measured, Pick},
        chain,
        histogram::Range,
        plan::{Factors, Side},
        time::{Micros, rate, size},
    },
    cli::TimeoutBudgetArgs,
    error::UsageError,
};

/// Most calls a second that are taken for meant.
const MOST_QPS: f64 = 1e9;

/// Reads all flags but the measured times of files.
pub(super) fn asked(args: &TimeoutBudgetArgs) -> Result<Asked, UsageError> {
    let asked = Asked {
        measured: given(args)?,
        unseen: Vec::new(),
        rtt: read("--rtt", args.rtt.as_deref(), Micros::parse)?,
        link: read("--link", args.link.as_deref(), |text| {
            LinkClass::named(text)
                .ok_or_else(|| format!("`{text}`: expected same-room, same-city or remote"))
        })?,
        serialization: read(
            "--serialization",
            args.serialization.as_deref(),
            Micros::parse,
        )?,
        payload: read("--payload", args.payload.as_deref(), size)?,
        bandwidth: read("--bandwidth", args.bandwidth.as_deref(), rate)?,
        factors: read("--factor", args.factor.as_deref(), Factors::parse)?.unwrap_or_default(),
        pick: read("--pick", args.pick.as_deref(), |text| match text {
            "tight" => Ok(Pick::Tight),
            "comfortable" => Ok(Pick::Comfortable),
            _ => Err(format!("`{text}`: expected tight or comfortable")),
        })?
        .unwrap_or_default(),
        upstream: read("--upstream", args.upstream.as_deref(), positive)?,
        writes: args.write.clone(),
        chain: read("--chain", args.chain.as_deref(), chain::parse)?.unwrap_or_default(),
        try_timeout: read("--try", args.try_timeout.as_deref(), positive)?,
        qps: read("--qps", args.qps.as_deref(), qps)?,
    };
    for name in &asked.writes {
        one_method("--write", name)?;
    }
    if asked.bandwidth.is_some() && asked.payload.is_none() {
        return Err(UsageError::new("--bandwidth needs --payload")
            .hint("--payload 2KB --bandwidth 100Mbit"));
    }
    if asked.serialized() > Micros::LONGEST {
        return Err(UsageError::new(
            "--payload and --bandwidth: the transfer takes longer than a day",
        ));
    }
    if asked.rtt.is_some() && asked.link.is_some() {
        return Err(UsageError::new("--rtt and --link both tell the round trip")
            .hint("give the one that was measured: --rtt"));
    }
    let sources = [
        args.p99.is_some(),
        args.samples.is_some(),
        args.prometheus.is_some(),
    ];
    if sources.into_iter().filter(|given| *given).count() > 1 {
        return Err(
            UsageError::new("--p99, --samples and --prometheus all tell the P99").hint("give one"),
        );
    }
    Ok(asked)
}

/// A name that can be one of a method.
pub(super) fn one_method(what: &str, name: &str) -> Result<(), UsageError> {
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == ',') {
        return Err(UsageError::new(format!(
            "{what} `{name}`: expected the name of one method"
        )));
    }
    Ok(())
}

/// `--p99-side`, when it is given.
pub(super) fn side(args: &TimeoutBudgetArgs) -> Result<Option<Side>, UsageError> {
    read("--p99-side", args.p99_side.as_deref(), |text| match text {
        "provider" => Ok(Side::Provider),
        "consumer" => Ok(Side::Consumer),
        _ => Err(format!("`{text}`: expected provider or consumer")),
    })
}

fn given(args: &TimeoutBudgetArgs) -> Result<Option<Measured>, UsageError> {
    let side = side(args)?;
    let Some(p99) = read("--p99", args.p99.as_deref(), positive)? else {
        return Ok(None);
    };
    Ok(Some(Measured {
        p99: Range::exactly(p99),
        side: side.unwrap_or_default(),
        side_known: side.is_some(),
        from: crate::budget::asked::From::Given,
        distribution: None,
        at_most: None,
        untimed: 0,
        cut_at: None,
        remarks: Vec::new(),
        doubt: None,
        repeated: Vec::new(),
    }))
}

fn read<T>(
    flag: &str,
    text: Option<&str>,
    reader: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, UsageError> {
    text.map(|text| reader(text).map_err(|problem| UsageError::new(format!("{flag} {problem}"))))
        .transpose()
}

/// A flag whose value means nothing.
pub(super) fn wrong(flag: &str, problem: &str) -> UsageError {
    UsageError::new(format!("{flag}: {problem}"))
}

fn positive(text: &str) -> Result<Micros, String> {
    match Micros::parse(text)? {
        Micros(0) => Err(format!("`{text}`: must be longer than nothing")),
        time => Ok(time),
    }
}

/// A plain decimal number above zero.
fn qps(text: &str) -> Result<f64, String> {
    let expected = || format!("`{text}`: expected calls a second above zero, such as 800 or 12.5");
    let plain = |c: char| c.is_ascii_digit() || c == '.';
    if !text.chars().all(plain) {
        return Err(expected());
    }
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= MOST_QPS => Ok(value),
        _ => Err(expected()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Change = Box<dyn Fn(&mut TimeoutBudgetArgs)>;

    fn with(change: impl Fn(&mut TimeoutBudgetArgs)) -> Result<Asked, UsageError> {
        let mut args = TimeoutBudgetArgs::default();
        change(&mut args);
        asked(&args)
    }

    #[test]
    fn nonsense_names_its_flag() {
        let text = |text: &str| Some(text.to_owned());
        let wrong: Vec<(&str, Change)> = vec![
            ("--p99 ", Box::new(move |a| a.p99 = text("450 parsecs"))),
            ("--p99 ", Box::new(move |a| a.p99 = text("-1ms"))),
            ("--p99 ", Box::new(move |a| a.p99 = text("inf"))),
            ("--p99 ", Box::new(move |a| a.p99 = text("0ms"))),
            ("--p99 ", Box::new(move |a| a.p99 = text("400h"))),
            ("--p99-side", Box::new(move |a| a.p99_side = text("moon"))),
            ("--rtt", Box::new(move |a| a.rtt = text("5"))),
            ("--link", Box::new(move |a| a.link = text("near"))),
            ("--factor", Box::new(move |a| a.factor = text("NaN"))),
            ("--pick", Box::new(move |a| a.pick = text("best"))),
            ("--qps", Box::new(move |a| a.qps = text("1e999"))),
            ("--qps", Box::new(move |a| a.qps = text("0"))),
            ("--chain", Box::new(move |a| a.chain = text("a:b"))),
            (
                "--bandwidth",
                Box::new(move |a| a.bandwidth = text("100Mbit")),
            ),
            ("--upstream", Box::new(move |a| a.upstream = text("soon"))),
        ];
        for (flag, change) in wrong {
            let error = with(change).unwrap_err().to_string();
            assert!(error.starts_with(flag), "{flag}: {error}");
        }
    }
}
