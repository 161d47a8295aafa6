//! Findings about tries: writes that are tried again, retries that nobody makes, calls at the same time.

use serde_json::{Map, json};

use super::{
    Certainty, Raise,
    compute::Computed,
    ladder,
    raise::{both, raise, subject},
};
use crate::{
    budget::{
        asked::{EqualCalls, From},
        effective::{self, Call},
        plan::{self, Cluster},
        time::Micros,
    },
    diagnose::code::Code,
    report::words::{Phrase, Say},
    snapshot::SourceId,
    view::stage::Evidence,
};

/// Pairs of equal calls that are shown as evidence.
const PAIRS: usize = 3;

/// All of them.
pub(super) fn tries(computed: &Computed<'_>) -> Vec<Raise> {
    let mut found = writes(computed);
    found.extend(no_number(computed));
    found.extend(useless_retries(computed));
    found.extend(parallel(computed));
    found
}

/// Equal calls of an access log that lie no further apart than all tries of one call take.
fn seen_again(computed: &Computed<'_>, method: &str, tries: i32) -> Vec<Evidence> {
    let Some(measured) = &computed.asked.measured else {
        return Vec::new();
    };
    let From::Samples(file) = &measured.from else {
        return Vec::new();
    };
    let call = Call {
        method: method.to_owned(),
        ..computed.call.clone()
    };
    let rows = ladder::in_force(&computed.offers, &computed.side, &call, &computed.version);
    let longest = rows
        .iter()
        .filter_map(|row| u64::try_from(row.timeout_ms?).ok())
        .max()
        .unwrap_or(0);
    let window = Micros::from_millis(longest).times(u64::try_from(tries).unwrap_or(1));
    measured
        .repeated
        .iter()
        .filter(|pair| pair.method == method && pair.gap <= window)
        .take(PAIRS)
        .filter_map(|pair| equal_calls(file, pair))
        .collect()
}

fn equal_calls(file: &str, pair: &EqualCalls) -> Option<Evidence> {
    let mut address = Map::new();
    address.insert("file".to_owned(), json!(file));
    address.insert("line".to_owned(), json!(pair.lines.1));
    Some(Evidence {
        source: SourceId::new("samples").ok()?,
        op: "file.lines".to_owned(),
        address,
        position: None,
        seen_at: None,
        fact: Phrase::new(Say::EqualCalls)
            .with("method", pair.method.as_str())
            .with("caller", pair.caller.as_str())
            .with("gap", pair.gap.to_string())
            .with("line", pair.lines.0.to_string()),
    })
}

/// Writes that are tried again: the method asked about, or, one step lower, those that the providers list.
fn writes(computed: &Computed<'_>) -> Vec<Raise> {
    let methods = match &computed.question.invocation.method {
        Some(method) => vec![method.clone()],
        None => ladder::names(&computed.offers),
    };
    let declared = &computed.asked.writes;
    let own = super::compute::own(computed);
    let cluster = Cluster::named(own.text("cluster"));
    if !cluster.retries() {
        return Vec::new();
    }
    methods
        .into_iter()
        .filter(|method| plan::writes(method, declared))
        .filter_map(|method| {
            let call = Call {
                method: method.clone(),
                ..computed.call.clone()
            };
            let tries = effective::tries(own, &call).ok()?;
            let certainty = if declared.contains(&method) {
                Certainty::Certain
            } else {
                Certainty::Likely
            };
            let seen = seen_again(computed, &method, tries);
            (tries > 1).then(|| Raise {
                lowered: computed.question.invocation.method.is_none(),
                evidence: seen,
                ..raise(
                    Code::RetriesOnWrite,
                    both(certainty, computed.certainty),
                    ("method", format!("{}#{method}", computed.question.service)),
                    json!({ "method": method, "retries": tries - 1 }),
                )
            })
        })
        .collect()
}

/// `retries` that is no number: every call throws.
fn no_number(computed: &Computed<'_>) -> Option<Raise> {
    if computed.question.consumer.client == Some(crate::question::Client::Go) {
        return None;
    }
    let own = super::compute::own(computed);
    let value = effective::tries(own, &computed.call).err()?;
    Some(raise(
        Code::TimeoutNotANumber,
        computed.certainty,
        ("setting", "retries".to_owned()),
        json!({ "key": "retries", "value": value, "effect": "NumberFormatException" }),
    ))
}

fn useless_retries(computed: &Computed<'_>) -> Vec<Raise> {
    let mut found = Vec::new();
    let version = &computed.version;
    let own = super::compute::own(computed);
    let of = |key: &str, value: &str, whose: &str, reason: String| {
        raise(
            Code::RetriesWithoutEffect,
            Certainty::Certain,
            ("setting", format!("{key} ({whose})")),
            json!({ "key": key, "value": value, "whose": whose, "reason": reason }),
        )
    };
    for key in ["retries", "cluster"] {
        let in_force = own.text(key);
        for provider in computed.offers.iter().flat_map(|offer| &offer.providers) {
            let Some(value) = provider.url.text(key) else {
                continue;
            };
            if version.line().is_3x() && in_force != Some(value) {
                found.push(Raise {
                    evidence: provider.evidence.clone().into_iter().collect(),
                    ..of(key, value, "provider", format!("Dubbo {version}"))
                });
                break;
            }
        }
        let of_rule = computed
            .offers
            .iter()
            .flat_map(|offer| &offer.providers)
            .find_map(|provider| provider.merged.rules()?.text(key));
        if let Some(value) = of_rule
            && in_force != Some(value)
        {
            found.push(of(key, value, "rule", format!("Dubbo {version}")));
        }
    }
    let cluster = Cluster::named(own.text("cluster"));
    let single = matches!(
        cluster,
        Cluster::Failfast | Cluster::Failsafe | Cluster::Available
    );
    if let Some(value) = computed
        .side
        .url
        .text("retries")
        .filter(|value| *value != "0")
        && single
    {
        found.push(of(
            "retries",
            value,
            "consumer",
            format!("cluster={}", cluster.name()),
        ));
    }
    found
}

fn parallel(computed: &Computed<'_>) -> Option<Raise> {
    let tries = computed.budget.tries.as_ref()?;
    let is_parallel = tries.cluster == "forking" || tries.cluster == "broadcast";
    let count = tries.at_once.or(super::compute::addresses(computed));
    (is_parallel && count.is_none_or(|count| count > 1)).then(|| {
        raise(
            Code::ParallelAmplification,
            computed.certainty,
            subject(computed),
            json!({ "cluster": tries.cluster, "count": count }),
        )
    })
}
