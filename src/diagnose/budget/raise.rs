//! Findings about the timeout itself: too small, too large, no number, overridden; tries and what they cost.

use serde_json::{Value, json};

use super::{
    Certainty, Raise,
    compute::Computed,
    model::{Beaten, InForce, Need, PerTry},
    raise_logs, raise_tries, seen,
};
use crate::{
    budget::{
        asked::{Asked, Doubt, From},
        plan::{self, Side},
        quantile::Quantile,
        quantile::interval_ranks,
        time::Micros,
    },
    diagnose::code::Code,
    view::stage::Evidence,
};

/// Above this and ten times the need a timeout is too long.
const LONG: Micros = Micros::from_millis(3000);
/// Numbers without a unit that are shorter than this many milliseconds may as well be seconds.
const SHORT: Micros = Micros::from_millis(1);
/// From this share on the network is a large part.
const LARGE_SHARE: f64 = 1.0 / 3.0;

pub(super) fn raise(
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

/// A number as a person writes it: whole where it is whole.
pub(super) fn num(value: f64) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "checked to be whole and small"
    )]
    if value.fract() == 0.0 && value.abs() < 1e15 {
        json!(value as i64)
    } else {
        json!((value * 1000.0).round() / 1000.0)
    }
}

/// Service and method.
pub(super) fn subject(computed: &Computed<'_>) -> (&'static str, String) {
    let service = computed.question.service.to_string();
    match &computed.question.invocation.method {
        Some(method) => ("method", format!("{service}#{method}")),
        None => ("service", service),
    }
}

/// Where a row's winner was seen.
fn evidence(computed: &Computed<'_>, row: &InForce) -> Vec<Evidence> {
    if row.level == "observed" {
        return computed
            .happenings
            .iter()
            .filter(|happening| seen::is_of_call(computed, happening))
            .filter(|happening| happening.waited_ms == row.timeout_ms)
            .filter_map(raise_logs::proof)
            .take(1)
            .collect();
    }
    computed
        .offers
        .iter()
        .flat_map(|offer| &offer.providers)
        .filter(|provider| row.addresses.contains(&provider.address))
        .filter_map(|provider| provider.evidence.clone())
        .take(3)
        .collect()
}

/// The least certain of two.
pub(super) fn both(a: Certainty, b: Certainty) -> Certainty {
    a.min(b)
}

/// How far the P99 can be trusted, and why not further.
pub(super) fn weakness(asked: &Asked) -> Option<String> {
    let measured = asked.measured.as_ref()?;
    if let Some(cut) = measured.cut_at {
        return Some(format!(
            "the times end at {cut} ms, where the consumer stops waiting: what the calls take beyond it is not known"
        ));
    }
    // More than one call of a hundred without a time: the P99 of the others is not that of all.
    if let Some(distribution) = &measured.distribution
        && measured.untimed.saturating_mul(99) > distribution.total()
    {
        let (untimed, all) = (
            measured.untimed,
            measured.untimed.saturating_add(distribution.total()),
        );
        return Some(format!(
            "the times of {untimed} of {all} calls are not known"
        ));
    }
    // The consumer's P99 has the network in it: a round trip cannot be longer.
    if let (Side::Consumer, Some(rtt), Some(high)) = (measured.side, asked.rtt, measured.p99.high)
        && rtt > high
    {
        return Some(format!(
            "RTT {rtt} ms > P99 {high} ms of the consumer's side"
        ));
    }
    match measured.doubt {
        Some(Doubt::Unit) if measured.p99.high.is_some_and(|high| high < SHORT) => {
            return Some(format!("{} without a unit: ms or s?", measured.p99.low));
        }
        Some(Doubt::CountApart { buckets, count }) => {
            return Some(format!(
                "the buckets hold {buckets} values, _count says {count}"
            ));
        }
        Some(Doubt::Disagrees { low, high }) => {
            return Some(format!(
                "a percentile beside the histogram: {low}-{high} ms"
            ));
        }
        _ => {}
    }
    if measured.doubt == Some(Doubt::Unnamed) {
        let From::Metrics(name) = &measured.from else {
            return None;
        };
        return Some(format!("{name}: no label names the service"));
    }
    if let Some(count) = measured.at_most
        && interval_ranks(count, Quantile::P99).1.is_none()
    {
        return Some(format!("samples={count} < 368"));
    }
    if measured.distribution.is_none() && measured.p99.relative_width() > 0.5 {
        // Between the smallest and the largest of several series.
        let high = measured.p99.high?;
        return Some(format!("series {}-{high} ms", measured.p99.low));
    }
    let distribution = measured.distribution.as_ref()?;
    let total = distribution.total();
    if total == 1 {
        return Some("samples=1".to_owned());
    }
    if distribution.is_one_value() {
        return Some(format!("samples={total}, all equal"));
    }
    if interval_ranks(total, Quantile::P99).1.is_none() {
        return Some(format!("samples={total} < 368"));
    }
    let Some(high) = measured.p99.high else {
        return Some(format!("bucket > {} ms", measured.p99.low));
    };
    if measured.p99.relative_width() > 0.5 {
        return Some(format!("bucket {}-{high} ms", measured.p99.low));
    }
    let interval = distribution.estimate(Quantile::P99)?.interval;
    interval
        .high
        .is_none()
        .then(|| format!("95 % > {} ms", interval.low))
}

/// Findings about one try and all tries.
pub(super) fn timeouts(computed: &Computed<'_>) -> Vec<Raise> {
    let mut found = Vec::new();
    let weak = weakness(computed.asked);
    if let Some(reason) = &weak {
        found.push(raise(
            Code::P99Weak,
            Certainty::Certain,
            subject(computed),
            json!({ "reason": reason }),
        ));
    }
    let trust = if weak.is_some() {
        Certainty::Likely
    } else {
        Certainty::Certain
    };
    against_need(computed, both(trust, computed.trust()), &mut found);
    network(computed, &mut found);
    over_upstream(computed, &mut found);
    found.extend(outliving(computed));
    found
}

fn against_need(computed: &Computed<'_>, certainty: Certainty, found: &mut Vec<Raise>) {
    let Some(need) = &computed.budget.need else {
        return;
    };
    if let Some((row, timeout)) = computed.shortest() {
        let cut = computed
            .asked
            .measured
            .as_ref()
            .and_then(|found| found.cut_at);
        // A call that the timeout ended needs more than it.
        let ends = cut.is_some_and(|cut| cut == timeout);
        let short = too_short(
            need,
            computed.budget.per_try.as_ref(),
            timeout.millis(),
            ends,
        );
        if let Some((code, sure, needed, budget)) = short {
            found.push(Raise {
                evidence: evidence(computed, row),
                ..raise(
                    code,
                    both(certainty, sure),
                    subject(computed),
                    json!({
                        "timeout": row.timeout_ms, "need": needed, "budget": budget,
                        "level": row.level,
                    }),
                )
            });
        }
    }
    let Some((row, timeout)) = computed.longest() else {
        return;
    };
    let too_long = !need.at_least && timeout > LONG && timeout.millis() > 10.0 * need.total_ms;
    let held = computed
        .asked
        .qps
        .map(|qps| super::limits::held(computed, qps, timeout));
    let shares = held.map_or(Certainty::Certain, |(_, sure)| sure);
    let held = held.map(|(held, _)| held);
    #[expect(clippy::cast_precision_loss, reason = "a number of threads")]
    let threads = super::limits::threads(computed).map(|count| count as f64);
    let holds_all = held
        .zip(threads)
        .is_some_and(|(held, threads)| held > threads);
    if too_long || holds_all {
        // What is no longer than the advice is not too long: threads are short, and that has its own finding.
        let advised = computed.budget.advice.as_ref();
        let as_advised = !too_long
            && advised.is_some_and(|advice| timeout <= Micros::from_millis(advice.timeout_ms));
        let held = held.map_or(json!("-"), |held| num(held.ceil()));
        found.push(Raise {
            evidence: evidence(computed, row),
            lowered: as_advised,
            ..raise(
                Code::TimeoutTooLarge,
                if too_long {
                    certainty
                } else {
                    both(certainty, shares)
                },
                subject(computed),
                json!({
                    "timeout": row.timeout_ms, "need": num(need.total_ms), "held": held,
                    "as_advised": as_advised,
                }),
            )
        });
    }
}

/// Two ends of a range as a person writes them; one number where they hardly differ.
fn between(low: f64, high: f64) -> Value {
    if high - low <= low * 0.01 {
        return num(high);
    }
    json!(format!("{}-{}", num(low), num(high)))
}

/// Too small, tight, or neither: how sure that is, what is needed, and the lower budget. Both numbers are of the same end
/// of a P99 that is a range.
fn too_short(
    need: &Need,
    per_try: Option<&PerTry>,
    timeout: f64,
    ends: bool,
) -> Option<(Code, Certainty, Value, Value)> {
    let lower = |need: f64| per_try.map(|per_try| need * per_try.lower_factor);
    if timeout < need.total_low_ms || ends && timeout <= need.total_low_ms {
        let budget = lower(need.total_low_ms).map_or(Value::Null, num);
        let needed = num(need.total_low_ms);
        return Some((Code::TimeoutTooSmall, Certainty::Certain, needed, budget));
    }
    let (low, high) = (lower(need.total_low_ms)?, per_try?.lower_ms);
    if timeout >= high {
        return None;
    }
    // Within the range of the P99 it is only likely.
    let sure = if timeout < low || high - low <= low * 0.01 {
        Certainty::Certain
    } else {
        Certainty::Likely
    };
    let needed = between(need.total_low_ms, need.total_ms);
    Some((Code::TimeoutTight, sure, needed, between(low, high)))
}

fn network(computed: &Computed<'_>, found: &mut Vec<Raise>) {
    let Some(measured) = &computed.asked.measured else {
        return;
    };
    // What contains a longer round trip than itself is nonsense (DG7010), and has no share of it.
    let nonsense = measured.side == Side::Consumer
        && measured
            .p99
            .high
            .is_some_and(|high| computed.round_trip() > high);
    if nonsense {
        return;
    }
    // Of a need that is only known at least no share is known.
    let Some(p99) = measured.p99.high.filter(|_| !measured.is_single()) else {
        return;
    };
    let need = plan::Need {
        p99,
        side: measured.side,
        rtt: computed.round_trip(),
        serialization: computed.asked.serialized(),
    };
    if need.network_share() < LARGE_SHARE {
        return;
    }
    let certainty = if computed.asked.rtt.is_some() || computed.probed.is_some_and(|(_, own)| own) {
        Certainty::Certain
    } else if computed.probed.is_some() {
        Certainty::Likely
    } else {
        Certainty::Possible
    };
    // The share is as sure as the P99 that it is a share of.
    let certainty = match weakness(computed.asked) {
        Some(_) => both(certainty, Certainty::Likely),
        None => certainty,
    };
    found.push(raise(
        Code::RttDominates,
        certainty,
        subject(computed),
        json!({
            "share": num((need.network_share() * 100.0).round()), "rtt": num(need.rtt.millis()),
            "need": num(need.total().millis()),
        }),
    ));
}

fn over_upstream(computed: &Computed<'_>, found: &mut Vec<Raise>) {
    let (Some(upstream), Some(tries), Some((row, timeout))) = (
        computed.asked.upstream,
        &computed.budget.tries,
        computed.longest(),
    ) else {
        return;
    };
    let total = timeout.times(tries.in_turn);
    // A countdown that runs bounds all tries to what is left.
    let counted = computed.asked.chain.iter().any(|link| link.countdown);
    if total > upstream && !counted {
        // From 3.1.4 on every try has the timeout of the first, before each that of its own provider.
        let differs = computed.budget.in_force.len() > 1 && !computed.version.at_least([3, 1, 4]);
        let sure = if differs {
            Certainty::Likely
        } else {
            Certainty::Certain
        };
        found.push(Raise {
            evidence: evidence(computed, row),
            ..raise(
                Code::TotalOverUpstream,
                both(sure, computed.trust()),
                subject(computed),
                json!({
                    "tries": tries.in_turn, "timeout": row.timeout_ms, "total": num(total.millis()),
                    "upstream": num(upstream.millis()),
                }),
            )
        });
    }
}

/// The provider's limit is longer than the consumer's, and calls are known to run that long.
fn outliving(computed: &Computed<'_>) -> Option<Raise> {
    const KNOWN: f64 = 0.001;
    let (_, timeout) = computed.shortest()?;
    let (certain, _) = super::compute::failing_share(computed, timeout)?;
    if certain <= KNOWN {
        return None;
    }
    let (provider, own) = computed
        .offers
        .iter()
        .flat_map(|offer| &offer.providers)
        .filter_map(|provider| {
            let text =
                crate::budget::layers::own_value(&provider.url, &computed.call.method, "timeout")?;
            let own = Micros::from_millis(text.parse().ok()?);
            (own > timeout).then_some((provider, own))
        })
        .max_by_key(|(_, own)| *own)?;
    Some(Raise {
        evidence: provider.evidence.clone().into_iter().collect(),
        ..raise(
            Code::ProviderOutlivesConsumer,
            if weakness(computed.asked).is_some() {
                both(Certainty::Likely, computed.trust())
            } else {
                computed.trust()
            },
            subject(computed),
            json!({
                "inner": provider.address, "outer": subject(computed).1,
                "by": num(Micros(own.0 - timeout.0).millis()),
            }),
        )
    })
}

/// Findings about what is configured.
pub(super) fn settings(computed: &Computed<'_>) -> Vec<Raise> {
    let mut found = Vec::new();
    if !computed.has_service() || computed.void {
        return found;
    }
    for row in &computed.budget.in_force {
        found.extend(no_number(computed, row));
    }
    found.extend(overridden(computed));
    found.extend(raise_tries::tries(computed));
    found.extend(countdown(computed));
    found.extend(other_client(computed));
    found
}

fn no_number(computed: &Computed<'_>, row: &InForce) -> Option<Raise> {
    // What does not fit into 32 bits is cut, and may end every call at once.
    let written = row.value.as_deref().and_then(crate::model::url::parse_long);
    let is_cut = row.key.is_some()
        && (row.timeout_ms.is_some_and(|millis| millis <= 0)
            || written.is_some_and(|value| value > i64::from(i32::MAX)));
    let is_wrong =
        row.timeout_ms.is_none() || is_cut || row.level == "default" && row.value.is_some();
    // Another client has its own way to read a value.
    if !is_wrong || computed.is_go() {
        return None;
    }
    let effect = match row.timeout_ms {
        None => "NumberFormatException".to_owned(),
        // `RpcUtils.calculateTimeout` of 3.1.2 on; before, `DefaultFuture` takes the connection's own.
        Some(millis) if millis <= 0 && computed.version.at_least([3, 1, 2]) => {
            format!("{millis} ms, No time left for making the following call")
        }
        Some(millis) if millis <= 0 => {
            format!("{millis} ms, DefaultFuture: timeout of the connection, or 1000 ms")
        }
        Some(millis) => format!("{millis} ms"),
    };
    Some(Raise {
        evidence: evidence(computed, row),
        ..raise(
            Code::TimeoutNotANumber,
            computed.certainty,
            ("setting", row.key.clone().unwrap_or_default()),
            json!({ "key": row.key, "value": row.value, "effect": effect }),
        )
    })
}

fn overridden(computed: &Computed<'_>) -> Option<Raise> {
    let row = computed.budget.in_force.first()?;
    // What a text shows is no level that beats others: DG7020 tells both.
    if row.level == "observed" {
        return None;
    }
    let winner = row
        .value
        .clone()
        .or_else(|| row.timeout_ms.map(|millis| millis.to_string()));
    let mut losers: Vec<Beaten> = row.beaten.clone();
    let method = &computed.call.method;
    let keys = [format!("{method}.timeout"), "timeout".to_owned()];
    for key in &keys {
        let Some(value) = computed.side.of_provider.get(key) else {
            continue;
        };
        let published = computed
            .offers
            .iter()
            .flat_map(|offer| &offer.providers)
            .any(|provider| provider.url.parameter(key) == Some(value));
        if !published {
            losers.push(Beaten {
                level: "provider-file".to_owned(),
                key: key.clone(),
                value: value.clone(),
            });
        }
    }
    let mut proof = evidence(computed, row);
    for rule in computed.offers.iter().flat_map(|offer| &offer.unread) {
        for (key, value) in &rule.parameters {
            if keys.contains(key) {
                losers.push(Beaten {
                    level: format!("unread rule {}", rule.name),
                    key: key.clone(),
                    value: value.clone(),
                });
                proof.extend(rule.evidence.clone());
            }
        }
    }
    losers.retain(|loser| Some(&loser.value) != winner.as_ref());
    losers.dedup();
    if losers.is_empty() {
        return None;
    }
    let values: Vec<String> = losers
        .iter()
        .map(|loser| format!("{} ({})", loser.value, loser.level))
        .collect();
    Some(Raise {
        evidence: proof,
        ..raise(
            Code::SettingOverridden,
            computed.certainty,
            subject(computed),
            json!({ "key": "timeout", "values": values, "winner": row.level, "value": winner }),
        )
    })
}

fn countdown(computed: &Computed<'_>) -> Option<Raise> {
    let row = computed
        .budget
        .in_force
        .iter()
        .find(|row| row.passed_on_ms.is_some())?;
    Some(raise(
        Code::CountdownReplaces,
        computed.certainty,
        subject(computed),
        json!({
            "to": format!("{} -> *", computed.question.service), "same": row.passed_on_ms, "other": "-",
        }),
    ))
}

/// Another client: its values are read by its own rules, and what a log shows of its tries is all that is known.
fn other_client(computed: &Computed<'_>) -> Vec<Raise> {
    if !computed.is_go() {
        return Vec::new();
    }
    let mut found = vec![raise(
        Code::ClientNotModelled,
        Certainty::Certain,
        ("client", "dubbo-go".to_owned()),
        json!({ "client": "dubbo-go" }),
    )];
    let value = computed.side.url.text("timeout");
    let retried = computed
        .happenings
        .iter()
        .any(|happening| happening.row.tries.is_some_and(|tries| tries > 1));
    if let Some(value) = value.filter(|_| retried) {
        found.push(raise(
            Code::TimeoutNotANumber,
            Certainty::Likely,
            ("setting", "timeout".to_owned()),
            json!({ "key": "timeout", "value": value, "effect": "3000 ms (dubbo-go, try 2..)" }),
        ));
    }
    found
}
