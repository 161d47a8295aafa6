//! What follows from a measured P99: need, budget, advice, totals. Without an upper end of the P99 there is only what is
//! needed at least; from one value nothing follows.

use super::{
    Assumption, NotSeen,
    compute::{Computed, failing_share},
    ladder,
    model::{Advice, Need, Notation, Over, PerTry, Total, WhatIf},
    raise::weakness,
    told::{chain_info, measured_info},
};
use crate::{
    budget::{
        advice::{self, Advised},
        asked::{Doubt, Measured, Pick},
        effect::{self, Effect},
        plan::{self, Cluster, Side as Measuring},
        time::Micros,
    },
    report::words::{Phrase, Say},
};

/// The longest timeout that Dubbo can be given: an `int` of milliseconds.
const LONGEST: u64 = i32::MAX as u64;

/// Everything that follows from what was given.
pub(super) fn numbers(computed: &mut Computed<'_>) {
    let asked = computed.asked;
    if let Some(measured) = &asked.measured {
        computed.budget.measured = Some(measured_info(measured));
        let included = measured.side == Measuring::Consumer;
        assume(computed, included);
        // One value is no distribution: nothing follows from it.
        if !measured.is_single() {
            needed(computed, measured);
        }
    }
    unseen(computed);
    total(computed);
    what_if(computed);
    computed.budget.capacity = super::limits::capacity(computed);
    computed.budget.chain = chain_info(asked, computed.round_trip());
}

/// Need, budget and advice.
fn needed(computed: &mut Computed<'_>, measured: &Measured) {
    let asked = computed.asked;
    let p99 = measured.p99.high.unwrap_or(measured.p99.low);
    let need = |p99| plan::Need {
        p99,
        side: measured.side,
        rtt: computed.round_trip(),
        serialization: asked.serialized(),
    };
    let (high, low) = (need(p99), need(measured.p99.low));
    let included = measured.side == Measuring::Consumer;
    let at_least = measured.p99.high.is_none();
    computed.budget.need = Some(Need {
        at_least,
        p99_ms: p99.millis(),
        rtt_ms: if included { 0.0 } else { high.rtt.millis() },
        rtt_from: if included {
            "included".to_owned()
        } else {
            match (asked.rtt, computed.probed, asked.link) {
                (Some(_), ..) => "given".to_owned(),
                (None, Some(_), _) => "probed".to_owned(),
                (None, None, Some(link)) => link.name().to_owned(),
                (None, None, None) => "unknown".to_owned(),
            }
        },
        serialization_ms: if included {
            0.0
        } else {
            high.serialization.millis()
        },
        total_ms: high.total().millis(),
        total_low_ms: low.total().millis(),
    });
    // Without an upper end nothing says that any timeout is long enough.
    if at_least {
        return;
    }
    let budget = plan::budget(high.total(), asked.factors);
    computed.budget.per_try = Some(PerTry {
        lower_factor: f64::from(asked.factors.lower.0) / 1000.0,
        lower_ms: budget.lower.millis(),
        tight_ms: budget.tight.millis(),
        upper_factor: f64::from(asked.factors.upper.0) / 1000.0,
        upper_ms: budget.upper.millis(),
        comfortable_ms: budget.comfortable.millis(),
    });
    let timeout = match asked.pick {
        Pick::Tight => budget.tight,
        Pick::Comfortable => budget.comfortable,
    };
    let fits = timeout <= Micros::from_millis(LONGEST);
    if computed.has_service() && !computed.void && fits {
        computed.budget.advice = Some(advise(computed, timeout));
    }
}

/// Pages of metrics that were named and did not answer.
fn unseen(computed: &mut Computed<'_>) {
    for (name, why) in &computed.asked.unseen {
        computed.not_seen.push(NotSeen {
            what: Phrase::new(Say::ResponseTimesOf).with("name", name.as_str()),
            why: Phrase::new(Say::NoAnswerBecause).with("why", why.as_str()),
            how_to_see: None,
            required: true,
        });
    }
}

fn assume(computed: &mut Computed<'_>, included: bool) {
    let asked = computed.asked;
    let known = asked
        .measured
        .as_ref()
        .is_some_and(|found| found.side_known);
    let probed = computed.probed;
    let mut assume = |what, value: &str, say| {
        computed.assumed.push(Assumption {
            what,
            value: value.to_owned(),
            why: Phrase::new(say),
            changes_verdict: false,
        });
    };
    match asked.measured.as_ref().and_then(|found| found.doubt) {
        Some(Doubt::Unit) => assume("unit", "ms", Say::AssumedUnit),
        Some(Doubt::SinceStart) => assume("window", "-", Say::AssumedSinceStart),
        Some(Doubt::Unnamed | Doubt::Disagrees { .. } | Doubt::CountApart { .. }) | None => {}
    }
    if !known {
        assume("p99-side", "provider", Say::AssumedProviderSide);
    }
    if !included
        && asked.payload.is_some()
        && asked.bandwidth.is_none()
        && asked.serialization.is_none()
    {
        assume("bandwidth", "-", Say::AssumedNoBandwidth);
    }
    if !included && asked.rtt.is_none() {
        match (probed, asked.link) {
            (Some((rtt, false)), _) => {
                assume("rtt", &format!("{rtt} ms"), Say::AssumedProbedElsewhere);
            }
            (Some((_, true)), _) => {}
            (None, Some(link)) => assume("rtt", link.name(), Say::AssumedLink),
            (None, None) => assume("rtt", "0 ms", Say::AssumedNoRtt),
        }
    }
}

/// What the calls do that an advice is for, and the method that decides it: the one asked about, else those that the
/// providers list and that have no retries of their own.
fn effect(computed: &Computed<'_>) -> (Effect, Option<String>) {
    let declared = &computed.asked.writes;
    if let Some(method) = &computed.question.invocation.method {
        return (effect::of(method, declared), None);
    }
    let own = &computed.own;
    let mut names = ladder::names(&computed.offers);
    names.retain(|name| own.text(&format!("{name}.retries")).is_none());
    let writes = names.iter().find(|name| effect::writes(name, declared));
    if let Some(name) = writes {
        return (Effect::Writes, Some(name.clone()));
    }
    let reads = |name: &String| effect::of(name, declared) == Effect::Reads;
    let all = !names.is_empty() && names.iter().all(reads);
    (if all { Effect::Reads } else { Effect::Unknown }, None)
}

/// What of the budget's own values takes no longer than the caller waits: the picked one first, then the tight one, each
/// with the retries advised and without.
fn fitting(computed: &Computed<'_>, timeout: Micros, retries: Option<i32>) -> Option<Over> {
    let upstream = computed.asked.upstream?;
    let tries = computed.budget.tries.as_ref();
    let in_turn = |retries: Option<i32>| match retries {
        Some(retries) => u64::try_from(retries).unwrap_or(0) + 1,
        None => tries.map_or(1, |tries| tries.in_turn),
    };
    let fits = |timeout: Micros, retries| timeout.times(in_turn(retries)) <= upstream;
    if fits(timeout, retries) {
        return None;
    }
    let failover = tries.is_some_and(|tries| tries.cluster == "failover");
    let none = failover.then_some(0);
    let tight = computed.budget.per_try.as_ref().map(|per_try| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole milliseconds, rounded up before"
        )]
        Micros::from_millis(per_try.tight_ms as u64)
    });
    let found = [Some(timeout), tight]
        .into_iter()
        .flatten()
        .flat_map(|timeout| [(timeout, retries), (timeout, none)])
        .find(|(timeout, retries)| fits(*timeout, *retries));
    Some(Over {
        timeout_ms: found.map(|(timeout, _)| timeout.0 / 1000),
        retries: found.and_then(|(_, retries)| retries),
    })
}

fn advise(computed: &Computed<'_>, timeout: Micros) -> Advice {
    let tries = computed.budget.tries.as_ref();
    let (effect, because_of) = effect(computed);
    // Those that are made: a negative number makes none.
    let now = tries.and_then(|tries| {
        let made = tries.retries.map(|_| tries.in_turn.saturating_sub(1))?;
        i32::try_from(made).ok()
    });
    let failover = tries.is_some_and(|tries| tries.cluster == "failover");
    let retries = now
        .filter(|_| failover)
        .and_then(|now| plan::advised_retries(effect, now));
    let in_force = computed.budget.in_force.first();
    let timeout_ms = timeout.0 / 1000;
    let advised = Advised {
        timeout_ms,
        retries,
        replaces_timeout: in_force.map_or_else(String::new, |row| {
            let value = row.timeout_ms.map_or("?".to_owned(), |ms| ms.to_string());
            format!("replaces timeout {value} ({})", row.level)
        }),
        replaces_retries: tries.map_or_else(String::new, |tries| {
            let value = tries.retries.map_or("?".to_owned(), |n| n.to_string());
            format!("replaces retries {value} ({})", tries.level)
        }),
    };
    let service = &computed.question.service;
    let method = computed.question.invocation.method.as_deref();
    Advice {
        timeout_ms,
        retries,
        weak: weakness(computed.asked).is_some(),
        because_of: because_of.filter(|_| retries.is_some()),
        over_upstream: fitting(computed, timeout, retries),
        pick: match computed.asked.pick {
            Pick::Tight => "tight",
            Pick::Comfortable => "comfortable",
        },
        rule: advice::rule_name(service),
        notations: advice::notations(service, method, &advised)
            .into_iter()
            .map(|notation| Notation {
                name: notation.name,
                text: notation.text,
            })
            .collect(),
    }
}

fn total(computed: &mut Computed<'_>) {
    let in_turn = computed.budget.tries.as_ref().map(|tries| tries.in_turn);
    let in_force = computed
        .longest()
        .zip(in_turn)
        .map(|((_, timeout), tries)| timeout.times(tries).millis());
    let advised = computed.budget.advice.as_ref().map(|advice| {
        let tries = advice
            .retries
            .and_then(|retries| u64::try_from(retries).ok())
            .map_or(in_turn.unwrap_or(1), |retries| retries + 1);
        Micros::from_millis(advice.timeout_ms).times(tries).millis()
    });
    let upstream = computed.asked.upstream.map(Micros::millis);
    if in_force.is_some() || advised.is_some() || upstream.is_some() {
        computed.budget.total = Some(Total {
            in_force_ms: in_force,
            advised_ms: advised,
            upstream_ms: upstream,
        });
    }
}

fn what_if(computed: &mut Computed<'_>) {
    let Some(timeout) = computed.asked.try_timeout else {
        return;
    };
    let share = failing_share(computed, timeout);
    let tries = computed.budget.tries.as_ref();
    let in_turn = tries
        .filter(|tries| Cluster::named(Some(&tries.cluster)).retries())
        .map(|tries| tries.in_turn);
    let expected = |share: Option<f64>| Some(plan::expected_tries(share?, in_turn?));
    let verdict = match (&computed.budget.need, &computed.budget.per_try) {
        (Some(need), Some(per_try)) => {
            let millis = timeout.millis();
            if millis < need.total_low_ms {
                "too-small"
            } else if millis < per_try.lower_ms {
                "tight"
            } else {
                "enough"
            }
        }
        // Without an upper end only the lower one speaks.
        (Some(need), None) if timeout.millis() < need.total_low_ms => "too-small",
        _ => "unknown",
    };
    computed.budget.what_if = Some(WhatIf {
        timeout_ms: timeout.millis(),
        failing_low: share.map(|(low, _)| low),
        failing_high: share.map(|(_, high)| high),
        expected_tries_low: expected(share.map(|(low, _)| low)),
        expected_tries: expected(share.map(|(_, high)| high)),
        verdict,
    });
}
