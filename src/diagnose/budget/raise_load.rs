//! Limits and load: what is configured, what a rate needs, where tries multiply, which links are unstable.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    Certainty, Raise,
    compute::Computed,
    limits::{longest_queue, millis, rounded},
    links::{Tried, is_consumer},
    model::Chain,
    raise::{num, subject},
};
use crate::{
    budget::capacity::MARGIN,
    diagnose::code::Code,
    model::{url::Url, version::DubboVersion},
    view::evidence::evidence,
};

/// Largest message unless set (`payload`, 8 MiB).
const DEFAULT_PAYLOAD: u64 = 8 << 20;

fn providers<'c>(
    computed: &'c Computed<'_>,
) -> impl Iterator<Item = &'c super::providers::Provider> {
    computed.offers.iter().flat_map(|offer| &offer.providers)
}

/// Findings about limits and queues.
pub(super) fn load(computed: &Computed<'_>) -> Vec<Raise> {
    let mut found = Vec::new();
    for limit in computed.budget.capacity.iter().flat_map(|all| &all.limits) {
        if limit.used <= MARGIN {
            continue;
        }
        #[expect(clippy::cast_precision_loss, reason = "limits are small numbers")]
        let needed = limit.used * (limit.each * limit.count) as f64;
        let share = limit.share.map(|share| num(rounded(share * 100.0)));
        let proof = providers(computed)
            .filter(|provider| Some(&provider.address) == limit.node.as_ref())
            .filter_map(|provider| provider.evidence.clone())
            .take(1);
        found.push(Raise {
            evidence: proof.collect(),
            ..raise(
                Code::ConcurrencyLimit,
                limit.certainty,
                ("setting", limit.name.to_owned()),
                json!({
                    "name": limit.name, "each": limit.each, "count": limit.count,
                    "needed": num(rounded(needed)), "used": num((limit.used * 100.0).round()),
                    "advised": num(limit.advised_each), "node": limit.node, "share": share,
                }),
            )
        });
    }
    found.extend(queue(computed));
    found.extend(payload(computed));
    found.extend(inactive(computed));
    found
}

fn raise(
    code: Code,
    certainty: Certainty,
    subject: (&'static str, String),
    params: Value,
) -> Raise {
    Raise {
        code,
        certainty,
        lowered: false,
        subject,
        params,
        evidence: Vec::new(),
    }
}

fn queue(computed: &Computed<'_>) -> Option<Raise> {
    let (row, timeout) = computed.longest()?;
    let measured = computed.budget.measured.as_ref()?;
    let service = millis(
        measured
            .mean_ms
            .unwrap_or(measured.p99_high_ms.unwrap_or(measured.p99_low_ms)),
    );
    let (queues, threads, wait) = longest_queue(computed, service)?;
    (wait > timeout).then(|| {
        raise(
            Code::QueueOutlivesTimeout,
            computed.certainty,
            subject(computed),
            json!({
                "queues": queues, "service": num(service.millis()), "threads": threads,
                "wait": num(wait.millis()), "timeout": row.timeout_ms,
            }),
        )
    })
}

/// A message of the given size against the limits of both sides.
fn payload(computed: &Computed<'_>) -> Option<Raise> {
    let size = computed.asked.payload?;
    if !computed.has_service() {
        return None;
    }
    let limit = |url: &Url| {
        url.text("payload")
            .map_or(Some(DEFAULT_PAYLOAD), |text| text.parse::<u64>().ok())
    };
    let of_provider = providers(computed)
        .filter_map(|provider| limit(&provider.url))
        .min();
    let of_consumer = computed
        .side
        .url
        .text("payload")
        .and_then(|text| text.parse::<u64>().ok())
        .or(of_provider)
        .unwrap_or(DEFAULT_PAYLOAD);
    let (whose, limit) = if size > of_consumer {
        ("consumer", of_consumer)
    } else {
        ("provider", of_provider.filter(|limit| size > *limit)?)
    };
    let waits = computed.longest().map(|(_, timeout)| timeout.to_string());
    let effect = match (whose, waits) {
        ("consumer", Some(waits)) => format!("{waits} ms"),
        _ => "ExceedPayloadLimitException".to_owned(),
    };
    Some(raise(
        Code::PayloadTooLarge,
        Certainty::Likely,
        subject(computed),
        json!({ "size": size, "limit": limit, "whose": whose, "effect": effect }),
    ))
}

/// Limits that nothing enforces.
fn inactive(computed: &Computed<'_>) -> Vec<Raise> {
    let mut found = Vec::new();
    let of = |key: &str, value: &str, reason: &str| {
        raise(
            Code::LimitNotActive,
            Certainty::Certain,
            ("setting", key.to_owned()),
            json!({ "key": key, "value": value, "reason": reason }),
        )
    };
    for key in ["executes", "tps"] {
        if let Some(value) = computed.side.url.text(key) {
            found.push(of(key, value, "side=consumer"));
        }
    }
    for provider in providers(computed) {
        let url = &provider.url;
        let release = url
            .text("release")
            .and_then(|text| DubboVersion::parse(text).ok());
        let old = release.is_some_and(|release| !release.at_least([2, 7, 8]));
        let finding = match (url.text("tps"), url.text("tps.interval")) {
            (Some(value), _) if old => of("tps", value, "release < 2.7.8"),
            (None, Some(value)) => of("tps.interval", value, "tps=-1"),
            _ => continue,
        };
        found.push(Raise {
            evidence: provider.evidence.clone().into_iter().collect(),
            ..finding
        });
        break;
    }
    found
}

/// Findings of `--chain`.
pub(super) fn chain(computed: &Computed<'_>) -> Vec<Raise> {
    let Some(chain) = &computed.budget.chain else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let names: Vec<&str> = chain.hops.iter().map(|hop| hop.name.as_str()).collect();
    let whole = names.join(" -> ");
    let retrying = chain.hops.iter().filter(|hop| hop.tries > 1).count();
    if let Some(last) = chain.hops.last().filter(|_| retrying > 1) {
        found.push(raise(
            Code::RetryAmplification,
            Certainty::Certain,
            ("chain", whole.clone()),
            json!({ "chain": whole, "calls": last.reached_by, "last": last.name }),
        ));
    }
    found.extend(too_small(computed, chain));
    for (index, pair) in chain.hops.windows(2).enumerate() {
        let counted = chain
            .countdowns
            .iter()
            .any(|countdown| countdown.from == pair[0].name);
        if let Some(by) = pair[0].outlasted_by_ms.filter(|_| !counted) {
            found.push(raise(
                Code::ProviderOutlivesConsumer,
                runs_that_long(computed, index),
                ("chain", format!("{} -> {}", pair[0].name, pair[1].name)),
                json!({ "inner": pair[1].name, "outer": pair[0].name, "by": num(by) }),
            ));
        }
    }
    for countdown in &chain.countdowns {
        let name = format!("{} -> {}", countdown.from, countdown.to);
        found.push(raise(
            Code::CountdownReplaces,
            Certainty::Certain,
            ("chain", name.clone()),
            json!({
                "to": countdown.to, "same": num(countdown.same_thread_ms),
                "other": countdown.other_thread_ms.map(num),
            }),
        ));
        if let Some(by) = countdown.outlives_by_ms {
            // Only in another thread: whether the call runs there is not known.
            found.push(raise(
                Code::ProviderOutlivesConsumer,
                Certainty::Possible,
                ("chain", name),
                json!({ "inner": countdown.to, "outer": countdown.from, "by": num(by) }),
            ));
        }
    }
    if let Some(upstream) = computed.asked.upstream
        && let Some(front) = &chain.front
        && front.need_ms > upstream.millis()
    {
        found.push(raise(
            Code::TotalOverUpstream,
            Certainty::Certain,
            ("chain", whole),
            json!({
                "tries": 1, "timeout": num(front.need_ms), "total": num(front.need_ms),
                "upstream": num(upstream.millis()),
            }),
        ));
    }
    found
}

/// How sure it is that calls run longer than the outer link waits: of one call in a hundred it is known when a P99 that
/// was given is longer; without one it is only possible.
fn runs_that_long(computed: &Computed<'_>, outer: usize) -> Certainty {
    let links = computed.asked.chain.get(outer..).unwrap_or_default();
    let timeout = links.first().and_then(|link| link.timeout);
    let known = links
        .iter()
        .take(2)
        .filter_map(|link| link.p99)
        .any(|p99| timeout.is_some_and(|timeout| p99 > timeout));
    if known {
        Certainty::Certain
    } else {
        Certainty::Possible
    }
}

/// Links whose own P99 does not fit into their timeout.
fn too_small(computed: &Computed<'_>, chain: &Chain) -> Vec<Raise> {
    let rtt = computed.round_trip();
    let links = computed.asked.chain.iter().zip(&chain.hops);
    links
        .filter_map(|(link, hop)| {
            let (timeout, need) = (link.timeout?, link.p99?.plus(rtt));
            (need > timeout).then(|| {
                raise(
                    Code::TimeoutTooSmall,
                    Certainty::Certain,
                    ("chain", hop.name.clone()),
                    json!({
                        "timeout": num(timeout.millis()), "need": num(need.millis()),
                        "budget": num(computed.asked.factors.lower.of(need).millis()),
                        "level": "chain",
                    }),
                )
            })
        })
        .collect()
}

/// Round trips that vary much or were lost.
pub(super) fn links(computed: &Computed<'_>) -> Vec<Raise> {
    let mut by_address: BTreeMap<String, Raise> = BTreeMap::new();
    for (source, lines) in computed.snapshot.sources() {
        for line in lines.filter(|line| line.key.op() == "probe") {
            let Some(tried) = Tried::of(line) else {
                continue;
            };
            let of_service = providers(computed).any(|provider| provider.address == tried.address);
            let Some(params) = unstable(&tried).filter(|_| of_service) else {
                continue;
            };
            // Another machine has another way there.
            let certainty = if is_consumer(computed, tried.from.as_deref()) {
                Certainty::Certain
            } else {
                Certainty::Likely
            };
            let proof = evidence(
                computed.snapshot,
                source,
                line,
                crate::report::words::Say::ProbeTold,
            );
            by_address.insert(
                tried.address.clone(),
                Raise {
                    evidence: vec![proof],
                    ..raise(
                        Code::LinkUnstable,
                        certainty,
                        ("address", tried.address),
                        params,
                    )
                },
            );
        }
    }
    by_address.into_values().collect()
}

fn unstable(tried: &Tried) -> Option<Value> {
    let (min, max) = (tried.samples.iter().min()?, tried.samples.iter().max()?);
    let spread = max.0 > min.0.saturating_mul(5) && max.0 - min.0 >= 5_000;
    (spread || tried.lost > 0).then(|| {
        json!({
            "address": tried.address, "min": num(min.millis()), "max": num(max.millis()),
            "lost": tried.lost, "sent": tried.samples.len() as u64 + tried.lost,
        })
    })
}
