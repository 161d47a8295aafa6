//! Findings of timeout texts: where the time went, what was really in force, what was refused.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    Certainty, Raise,
    compute::Computed,
    ladder,
    observed::{Happening, Pool},
    raise::{num, subject},
    seen,
};
use crate::{
    budget::time::Micros,
    diagnose::code::Code,
    report::words::{Phrase, Say},
    snapshot::SourceId,
    view::stage::Evidence,
};

/// A provider side that takes this many times the P99 did not just serve.
const FAR_ABOVE: u64 = 3;
/// A limit of this many times the need is not the reason.
const AMPLE: f64 = 5.0;

/// All of them.
pub(super) fn logs(computed: &Computed<'_>) -> Vec<Raise> {
    let mut found = Vec::new();
    for happening in &computed.happenings {
        found.extend(happening.pool.as_ref().map(|pool| full(happening, pool)));
        found.extend(
            happening
                .pool
                .as_ref()
                .and_then(|pool| threads_reached(happening, pool)),
        );
        if !happening.about_service {
            continue;
        }
        found.extend(limit_reached(happening));
        found.extend(stalled(happening));
        found.extend(queued(computed, happening));
        found.extend(lost(computed, happening));
        found.extend(contradicted(computed, happening));
        found.extend(over_upstream(computed, happening));
    }
    found.extend(hidden(computed));
    found
}

/// Calls that a retry saved: nobody saw an error. Together by method.
fn hidden(computed: &Computed<'_>) -> Vec<Raise> {
    let mut by_method: BTreeMap<&str, (u64, Vec<Evidence>)> = BTreeMap::new();
    let asked = computed.question.invocation.method.as_deref();
    for happening in &computed.happenings {
        let is_hidden = happening.row.phase == "hidden-retry" && happening.about_service;
        let method = happening.method.as_deref().or(asked).unwrap_or("-");
        if !is_hidden || asked.is_some_and(|asked| asked != method) {
            continue;
        }
        let (count, evidence) = by_method.entry(method).or_default();
        *count += happening.row.count;
        evidence.extend(proof(happening).filter(|_| evidence.len() < 3));
    }
    by_method
        .into_iter()
        .map(|(method, (count, evidence))| Raise {
            code: Code::HiddenRetry,
            certainty: Certainty::Certain,
            lowered: false,
            subject: ("method", format!("{}#{method}", computed.question.service)),
            params: json!({ "method": method, "count": count }),
            evidence,
        })
        .collect()
}

fn raise(
    code: Code,
    certainty: Certainty,
    happening: &Happening,
    subject: (&'static str, String),
    params: Value,
) -> Raise {
    Raise {
        code,
        certainty,
        lowered: false,
        subject,
        params,
        evidence: proof(happening).into_iter().collect(),
    }
}

/// The line of the log.
pub(super) fn proof(happening: &Happening) -> Option<Evidence> {
    let mut address = Map::new();
    address.insert("file".to_owned(), json!(happening.file));
    address.insert("line".to_owned(), json!(happening.row.line));
    Some(Evidence {
        source: SourceId::new(happening.file.as_str()).ok()?,
        op: "file.lines".to_owned(),
        address,
        position: None,
        seen_at: None,
        fact: Phrase::new(Say::LogSays).with("words", happening.words),
    })
}

fn address(happening: &Happening) -> (&'static str, String) {
    let address = happening.row.address.clone();
    ("address", address.unwrap_or_else(|| "-".to_owned()))
}

fn full(happening: &Happening, pool: &Pool) -> Raise {
    raise(
        Code::PoolExhausted,
        Certainty::Certain,
        happening,
        ("pool", pool.name.clone()),
        json!({
            "pool": pool.name, "active": pool.active, "max": pool.max, "tasks": pool.tasks,
            "completed": pool.completed,
        }),
    )
}

/// The provider's pool is a limit of its calls, and it is reached. That of the consumer's answers is none.
fn threads_reached(happening: &Happening, pool: &Pool) -> Option<Raise> {
    if pool.of_consumer {
        return None;
    }
    Some(raise(
        Code::ConcurrencyLimit,
        Certainty::Certain,
        happening,
        ("setting", "threads".to_owned()),
        json!({
            "name": "threads", "each": pool.max, "active": pool.active, "whose": pool.name,
            "reached": true,
        }),
    ))
}

/// Time lost before the request was written.
fn stalled(happening: &Happening) -> Option<Raise> {
    let row = &happening.row;
    let limit = row.timeout_ms?;
    let (lost, total, certainty) = match (row.phase, row.elapsed_ms, row.client_elapsed_ms) {
        ("not-written", Some(elapsed), _) => (elapsed, elapsed, Certainty::Certain),
        (_, _, Some(client)) if client.saturating_mul(2) >= limit => {
            let total = client.saturating_add(row.server_elapsed_ms.unwrap_or_default());
            let certainty = if client >= limit {
                Certainty::Certain
            } else {
                Certainty::Likely
            };
            (client, total, certainty)
        }
        _ => return None,
    };
    let subject = address(happening);
    let params = json!({ "lost": lost, "total": total, "address": subject.1 });
    Some(raise(
        Code::ClientStall,
        certainty,
        happening,
        subject,
        params,
    ))
}

/// The P99 in milliseconds: none without an upper end.
fn p99(computed: &Computed<'_>) -> Option<u64> {
    let p99 = computed.asked.measured.as_ref()?.p99.high?;
    Some(p99.0.div_ceil(1000))
}

/// The provider's side took far longer than the service needs.
fn queued(computed: &Computed<'_>, happening: &Happening) -> Option<Raise> {
    let (elapsed, p99) = (happening.row.server_elapsed_ms?, p99(computed)?);
    if elapsed <= p99.saturating_mul(FAR_ABOVE) || happening.row.phase != "waiting" {
        return None;
    }
    let subject = address(happening);
    let params = json!({ "elapsed": elapsed, "p99": p99, "address": subject.1 });
    Some(raise(
        Code::ServerQueue,
        Certainty::Likely,
        happening,
        subject,
        params,
    ))
}

/// Written in time, never answered, though the limit was ample.
fn lost(computed: &Computed<'_>, happening: &Happening) -> Option<Raise> {
    let row = &happening.row;
    let need = computed.budget.need.as_ref()?.total_ms;
    let limit = row.timeout_ms?;
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a call")]
    let ample = limit as f64 > AMPLE * need;
    let unanswered = row
        .server_elapsed_ms
        .is_some_and(|elapsed| elapsed >= limit);
    if !ample || !unanswered || happening.late || row.phase != "waiting" {
        return None;
    }
    let subject = address(happening);
    let params = json!({ "timeout": limit, "need": num(need), "address": subject.1 });
    Some(raise(
        Code::RequestLost,
        Certainty::Possible,
        happening,
        subject,
        params,
    ))
}

/// The limit in the text is not the one that was computed.
fn contradicted(computed: &Computed<'_>, happening: &Happening) -> Option<Raise> {
    let (observed, computed_ms) = seen::contradiction(computed, happening)?;
    // Without a provider anything of its could be in force.
    let certainty = if computed.ladder.iter().any(ladder::provider_could_win) {
        Certainty::Likely
    } else {
        Certainty::Certain
    };
    Some(raise(
        Code::ObservedContradicts,
        certainty,
        happening,
        subject(computed),
        json!({ "observed": observed, "computed": computed_ms }),
    ))
}

/// A limit that a text names as the reason of a refusal.
fn limit_reached(happening: &Happening) -> Option<Raise> {
    let reached = happening.limit.as_ref()?;
    Some(raise(
        Code::ConcurrencyLimit,
        Certainty::Certain,
        happening,
        ("setting", reached.name.to_owned()),
        json!({
            "name": reached.name, "each": reached.each, "active": reached.active,
            "whose": reached.whose, "reached": true,
        }),
    ))
}

/// What a log shows of one call is longer than the caller waits.
fn over_upstream(computed: &Computed<'_>, happening: &Happening) -> Option<Raise> {
    let upstream = computed.asked.upstream?;
    let row = &happening.row;
    let limit = Micros::from_millis(row.timeout_ms?);
    let (tries, total) = match (happening.cost_ns, row.tries) {
        (Some(cost), _) => {
            let cost = Micros(cost / 1000);
            (cost.0.checked_div(limit.0).unwrap_or(1).max(1), cost)
        }
        (None, Some(tries)) => (tries, limit.times(tries)),
        _ => return None,
    };
    (total > upstream).then(|| {
        raise(
            Code::TotalOverUpstream,
            Certainty::Certain,
            happening,
            subject(computed),
            json!({
                "tries": tries, "timeout": num(limit.millis()), "total": num(total.millis()),
                "upstream": num(upstream.millis()),
            }),
        )
    })
}
