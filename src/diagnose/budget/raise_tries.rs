//! Findings about tries: writes that are tried again, retries that nobody makes, calls at the same time.

use std::collections::BTreeMap;

use serde_json::{Map, json};

use super::{
    Certainty, Raise,
    compute::Computed,
    ladder,
    raise::{both, raise, subject},
    raise_logs, seen,
};
use crate::{
    budget::{
        asked::{EqualCalls, From},
        effect,
        effective::{self, Call},
        layers::{own_value, with_defaults},
        plan::{self, Cluster},
        time::Micros,
    },
    diagnose::code::Code,
    model::url::parse_int,
    report::words::{Phrase, Say},
    snapshot::SourceId,
    view::stage::Evidence,
};

/// Pairs of equal calls that are shown as evidence.
const PAIRS: usize = 3;

/// All of them.
pub(super) fn tries(computed: &Computed<'_>) -> Vec<Raise> {
    let mut found = writes(computed);
    found.extend(counted(computed));
    found.extend(no_number(computed));
    found.extend(useless_retries(computed));
    found.extend(parallel(computed));
    found
}

/// Equal calls of an access log that lie no further apart than all tries of one call take.
fn seen_again(computed: &Computed<'_>, method: &str, tries: u64) -> Vec<Evidence> {
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
    let window = Micros::from_millis(longest).times(tries);
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

/// The tries that a text counts are not those of the settings.
fn counted(computed: &Computed<'_>) -> Option<Raise> {
    let (observed, by_settings) = computed.tried?;
    let proof = computed
        .happenings
        .iter()
        .find(|happening| {
            seen::is_of_call(computed, happening) && happening.tried == Some(observed)
        })
        .and_then(raise_logs::proof);
    Some(Raise {
        evidence: proof.into_iter().collect(),
        ..raise(
            Code::ObservedContradicts,
            Certainty::Certain,
            ("setting", "retries".to_owned()),
            json!({ "what": "tries", "observed": observed, "computed": by_settings }),
        )
    })
}

/// A text shows that calls of the method were tried more than once.
fn seen_tried(computed: &Computed<'_>, method: &str) -> Vec<Evidence> {
    let asked = computed.question.invocation.method.as_deref();
    computed
        .happenings
        .iter()
        .filter(|happening| seen::is_of_call(computed, happening))
        .filter(|happening| happening.method.as_deref().or(asked) == Some(method))
        .filter(|happening| happening.row.tries.is_some_and(|tries| tries > 1))
        .take(PAIRS)
        .filter_map(raise_logs::proof)
        .collect()
}

/// Nothing tells of the reference: the question comes from a text that does not show it, and no registry was named. The
/// default of `retries` is then no knowledge.
fn is_guess(computed: &Computed<'_>) -> bool {
    let question = computed.question;
    let consumer = &question.consumer;
    !question.logs.is_empty()
        && question.registries.is_empty()
        && consumer.printed.is_none()
        && consumer.params.is_empty()
        && computed
            .budget
            .tries
            .as_ref()
            .is_none_or(|tries| tries.level == "default")
}

/// How often a call that fails is made again, while the caller waits or later (`failback`).
fn again(computed: &Computed<'_>, method: &str) -> Option<u64> {
    if let Some(count) = seen::tried(computed, Some(method)) {
        return count.checked_sub(1);
    }
    let own = &computed.own;
    if computed.is_go() && own_value(own, method, "retries").is_none() {
        return None;
    }
    let call = Call {
        method: method.to_owned(),
        ..computed.call.clone()
    };
    let tries = effective::tries(own, &call).ok()?;
    let cluster = Cluster::named(own.text("cluster"));
    let plain = own.text("retries").and_then(|text| text.parse().ok());
    let found = plan::tries(&cluster, tries, plain, None, None);
    match cluster {
        Cluster::Failover | Cluster::Other(_) => Some(found.in_turn - 1),
        Cluster::Failback => Some(found.later),
        _ => None,
    }
}

/// Writes that are tried again: the method asked about, or, one step lower, those that the providers list.
fn writes(computed: &Computed<'_>) -> Vec<Raise> {
    let methods = match &computed.question.invocation.method {
        Some(method) => vec![method.clone()],
        None => ladder::names(&computed.offers),
    };
    let declared = &computed.asked.writes;
    let known = match Cluster::named(computed.own.text("cluster")) {
        // Own code may well try once.
        Cluster::Other(_) => Certainty::Possible,
        _ => computed.certainty,
    };
    methods
        .into_iter()
        .filter(|method| effect::writes(method, declared))
        .filter_map(|method| {
            let again = again(computed, &method).filter(|again| *again > 0)?;
            let certainty = if declared.contains(&method) {
                Certainty::Certain
            } else {
                Certainty::Likely
            };
            let tried = seen_tried(computed, &method);
            let seen = !tried.is_empty();
            let guess = !seen && is_guess(computed);
            let mut evidence = seen_again(computed, &method, again + 1);
            evidence.extend(tried);
            Some(Raise {
                // Which of the methods this consumer calls is not known then, unless a text shows it.
                lowered: guess || computed.question.invocation.method.is_none() && !seen,
                evidence,
                ..raise(
                    Code::RetriesOnWrite,
                    if guess {
                        Certainty::Possible
                    } else {
                        both(certainty, known)
                    },
                    ("method", format!("{}#{method}", computed.question.service)),
                    json!({ "method": method, "retries": again }),
                )
            })
        })
        .collect()
}

/// `retries` that is no number: every call throws.
fn no_number(computed: &Computed<'_>) -> Option<Raise> {
    if computed.is_go() {
        return None;
    }
    let own = &computed.own;
    let own_text = || own_value(own, &computed.call.method, "retries");
    let (value, effect) = if let Err(value) = effective::tries(own, &computed.call) {
        (value, "NumberFormatException")
    } else {
        // One more than the largest `int` is the smallest, and that is one try.
        let value = own_text().filter(|value| parse_int(value) == Some(i32::MAX))?;
        (value, "1 try")
    };
    Some(raise(
        Code::TimeoutNotANumber,
        computed.certainty,
        ("setting", "retries".to_owned()),
        json!({ "key": "retries", "value": value, "effect": effect }),
    ))
}

fn useless_retries(computed: &Computed<'_>) -> Vec<Raise> {
    let mut found = Vec::new();
    let version = &computed.version;
    let own = &computed.own;
    let of = |key: &str, value: &str, whose: &str, reason: String| {
        raise(
            Code::RetriesWithoutEffect,
            Certainty::Certain,
            ("setting", format!("{key} ({whose})")),
            json!({ "key": key, "value": value, "whose": whose, "reason": reason }),
        )
    };
    let asked = computed.question.invocation.method.as_deref();
    let of_method = |name: &str| {
        let (method, setting) = name.rsplit_once('.')?;
        let is_asked = asked.is_none_or(|asked| asked == method);
        (setting == "retries" && is_asked).then(|| method.to_owned())
    };
    if version.line().is_3x() {
        found.extend(unread_of_methods(computed, &of_method));
    }
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
        Cluster::Failfast
            | Cluster::Failsafe
            | Cluster::Available
            | Cluster::Forking
            | Cluster::Broadcast
            | Cluster::Mergeable
    );
    let side = with_defaults(&computed.side.url, version);
    let set = own_value(&side, &computed.call.method, "retries");
    if let Some(value) = set.filter(|value| value != "0")
        && single
    {
        found.push(of(
            "retries",
            &value,
            "consumer",
            format!("cluster={}", cluster.name()),
        ));
    }
    found
}

/// `<method>.retries` of a provider, which 3.x does not read either: each once.
fn unread_of_methods(
    computed: &Computed<'_>,
    of_method: &dyn Fn(&str) -> Option<String>,
) -> Vec<Raise> {
    let own = &computed.own;
    let mut by_key: BTreeMap<&String, Raise> = BTreeMap::new();
    for provider in computed.offers.iter().flat_map(|offer| &offer.providers) {
        for (key, value) in &provider.url.parameters {
            let Some(method) = of_method(key) else {
                continue;
            };
            if own_value(own, &method, "retries").as_ref() == Some(value) {
                continue;
            }
            by_key.entry(key).or_insert_with(|| Raise {
                evidence: provider.evidence.clone().into_iter().collect(),
                ..raise(
                    Code::RetriesWithoutEffect,
                    Certainty::Certain,
                    ("setting", format!("{key} (provider)")),
                    json!({
                        "key": key, "value": value, "whose": "provider",
                        "reason": format!("Dubbo {}", computed.version),
                    }),
                )
            });
        }
    }
    by_key.into_values().collect()
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
