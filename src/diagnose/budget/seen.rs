//! What texts show of the calls asked about, against what the settings give: the text tells what was in force for its call
//! (`timeout: N ms`, `Tried N times`), whatever the files say.

use super::{
    compute::Computed,
    ladder,
    model::{Beaten, InForce, MethodTimeout},
    observed::Happening,
};
use crate::budget::effective::Call;

/// Whether a text tells of a call of this consumer on this service: what it names fits, and so does the provider that it
/// called, where it names no service.
pub(super) fn is_of_call(computed: &Computed<'_>, happening: &Happening) -> bool {
    let own = computed.question.consumer.ip.as_deref();
    let of_consumer = own.is_none()
        || happening
            .consumer
            .as_deref()
            .is_none_or(|ip| Some(ip) == own);
    let mut providers = computed
        .offers
        .iter()
        .flat_map(|offer| &offer.providers)
        .peekable();
    let known = providers.peek().is_some();
    let of_provider = happening.names_service
        || !known
        || happening
            .row
            .address
            .as_ref()
            .is_none_or(|address| providers.any(|provider| provider.address == *address));
    happening.about_service && of_consumer && of_provider
}

/// What a text shows to have been in force where something else was computed: the observed limit and the computed one.
pub(super) fn contradiction(
    computed: &Computed<'_>,
    happening: &Happening,
) -> Option<(i64, Option<i64>)> {
    if computed.void
        || !computed.has_service()
        || computed.is_go()
        || !is_of_call(computed, happening)
    {
        return None;
    }
    let observed = happening.waited_ms?;
    let asked = computed.question.invocation.method.as_deref();
    let rows = match (&happening.method, asked) {
        (Some(method), Some(asked)) if method != asked => of_method(computed, method),
        (Some(method), None) => of_method(computed, method),
        _ => computed.ladder.clone(),
    };
    let agrees = rows.iter().any(|row| row.timeout_ms == Some(observed));
    if agrees || is_past(computed, happening, observed) {
        return None;
    }
    Some((observed, rows.first().and_then(|row| row.timeout_ms)))
}

fn of_method(computed: &Computed<'_>, method: &str) -> Vec<InForce> {
    let call = Call {
        method: method.to_owned(),
        ..computed.call.clone()
    };
    ladder::in_force(&computed.offers, &computed.side, &call, &computed.version)
}

/// Whether later calls of the same method in the same file all had one other limit: it was changed in between. Limits that
/// differ from call to call are those of a countdown.
fn is_past(computed: &Computed<'_>, happening: &Happening, observed: i64) -> bool {
    let later: Vec<&Happening> = computed
        .happenings
        .iter()
        .filter(|other| is_of_call(computed, other) && other.method == happening.method)
        .filter(|other| other.file == happening.file && other.waited_ms.is_some())
        .filter(|other| other.lines.1 > happening.lines.1)
        .collect();
    let Some(last) = later.first().and_then(|other| other.waited_ms) else {
        return false;
    };
    last != observed
        && later
            .iter()
            .all(|other| other.lines.0 > happening.lines.1 && other.waited_ms == Some(last))
}

/// The one limit that texts show of the calls asked about is the one in force, whatever was computed. Where they show
/// several, none is known.
pub(super) fn take_observed(computed: &mut Computed<'_>) {
    let asked = computed.question.invocation.method.as_deref();
    // What a text tells of one method is nothing of the others.
    let of_asked = |happening: &&Happening| {
        is_of_call(computed, happening)
            && (happening.method.is_none() || happening.method.as_deref() == asked)
    };
    let contradicts = |happening: &Happening| contradiction(computed, happening).is_some();
    if !computed.happenings.iter().filter(of_asked).any(contradicts) {
        return;
    }
    let mut limits: Vec<i64> = computed
        .happenings
        .iter()
        .filter(of_asked)
        .filter_map(|happening| {
            let limit = happening.waited_ms?;
            (!is_past(computed, happening, limit)).then_some(limit)
        })
        .collect();
    limits.sort_unstable();
    limits.dedup();
    let [limit] = limits.as_slice() else {
        computed.contradicted = true;
        return;
    };
    computed.unexplained = !computed.ladder.iter().all(ladder::provider_could_win);
    let mut beaten: Vec<Beaten> = Vec::new();
    for row in &computed.ladder {
        if let Some((key, value)) = row.key.clone().zip(row.value.clone()) {
            let level = row.level.clone();
            beaten.push(Beaten { level, key, value });
        }
        beaten.extend(row.beaten.iter().cloned());
    }
    beaten.dedup();
    computed.budget.in_force = vec![InForce {
        addresses: Vec::new(),
        addresses_total: 0,
        model: "none",
        timeout_ms: Some(*limit),
        level: "observed".to_owned(),
        key: None,
        value: None,
        beaten,
        passed_on_ms: None,
    }];
}

/// The same for every method that texts name, where none was asked about.
pub(super) fn take_observed_methods(computed: &mut Computed<'_>) {
    let mut found: Vec<(String, Option<i64>)> = Vec::new();
    for happening in &computed.happenings {
        let Some(method) = &happening.method else {
            continue;
        };
        let Some((observed, _)) = contradiction(computed, happening) else {
            continue;
        };
        match found.iter_mut().find(|(known, _)| known == method) {
            Some((_, limit)) if *limit != Some(observed) => *limit = None,
            Some(_) => {}
            None => found.push((method.clone(), Some(observed))),
        }
    }
    for (method, limit) in found {
        let rows = &mut computed.budget.methods;
        rows.retain(|row| row.method != method);
        rows.push(MethodTimeout {
            method,
            timeout_ms: limit,
            level: "observed".to_owned(),
        });
    }
    computed
        .budget
        .methods
        .sort_by(|a, b| a.method.cmp(&b.method));
}

/// The tries that texts of failover count for calls of a method (`FailoverClusterInvoker`: `Tried N times`, which is
/// `retries` + 1); none where they count none or several numbers. Without a method: of texts that name none.
pub(super) fn tried(computed: &Computed<'_>, method: Option<&str>) -> Option<u64> {
    let mut counts = computed
        .happenings
        .iter()
        .filter(|happening| is_of_call(computed, happening))
        .filter(|happening| happening.method.as_deref() == method)
        .filter_map(|happening| happening.tried);
    let first = counts.next()?;
    counts.all(|other| other == first).then_some(first)
}

/// What the texts say of the tries of the calls asked about is what is in force.
pub(super) fn take_tries(computed: &mut Computed<'_>) {
    let count = tried(computed, computed.question.invocation.method.as_deref());
    let longest = computed.longest().map(|(_, timeout)| timeout);
    let (Some(tries), Some(count)) = (&mut computed.budget.tries, count) else {
        return;
    };
    let retries = count
        .checked_sub(1)
        .and_then(|retries| i32::try_from(retries).ok());
    if count == tries.in_turn || retries.is_none() || tries.cluster != "failover" {
        return;
    }
    computed.tried = Some((count, tries.in_turn));
    tries.retries = retries;
    "observed".clone_into(&mut tries.level);
    tries.in_turn = count;
    tries.worst_ms = longest.map(|timeout| timeout.times(count).millis());
}
