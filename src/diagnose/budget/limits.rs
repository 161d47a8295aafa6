//! What the nodes and the consumer allow at once, against the share of the load that reaches each node: which limit breaks
//! first, and on which node.
//!
//! Shares are those of the weights, where the load balancer goes by them. What does not depend on shares is certain: when
//! all nodes together allow less than is needed, one of them breaks, whoever gets which call. Everything else is a guess.

use super::{
    Certainty,
    compute::Computed,
    ladder::{self, level},
    links,
    model::{Capacity, Limit, Setting},
    providers::Provider,
};
use crate::{
    budget::{
        balance,
        capacity::{self, MARGIN},
        layers::with_defaults,
        time::Micros,
    },
    model::{url::Url, version::DubboVersion},
};

/// Threads of a pool unless set.
const DEFAULT_THREADS: u64 = 200;
/// Threads of a pool that grows as it likes (`Integer.MAX_VALUE`).
const UNBOUNDED: u64 = i32::MAX as u64;
/// Milliseconds of a window of `tps`.
const DEFAULT_TPS_INTERVAL: u64 = 60_000;

/// Settings that the consumer reads through the layers, with their defaults.
const OF_CALL: [(&str, &str); 4] = [
    ("loadbalance", "random"),
    ("actives", "0"),
    ("connections", "0"),
    ("weight", "100"),
];
/// Settings of the provider's process.
const OF_PROVIDER: [(&str, &str); 7] = [
    ("executes", "0"),
    ("tps", "-1"),
    ("threads", "200"),
    ("queues", "0"),
    ("accepts", "0"),
    ("threadpool", "fixed"),
    ("payload", "8388608"),
];

/// The rows of the settings table: the values of the providers side by side where they differ.
pub(super) fn settings_rows(computed: &Computed<'_>) -> Vec<Setting> {
    let mut rows: Vec<Setting> = Vec::new();
    let mut put = |key: &str, value: String, level: String| {
        let row = Setting {
            key: key.to_owned(),
            value,
            level,
        };
        if !rows.contains(&row) {
            rows.push(row);
        }
    };
    let method = &computed.call.method;
    if super::compute::addresses(computed).is_none() {
        // Of the consumer's side alone, as far as it sets something.
        let side = &computed.side;
        for (key, _) in OF_CALL {
            if let Some(value) = own(&side.url, method, key) {
                let level = side.origins.get(key).copied().unwrap_or("consumer");
                put(key, value.to_owned(), level.to_owned());
            }
        }
    }
    for offer in &computed.offers {
        for provider in &offer.providers {
            let layers = offer.layers(provider, &computed.side, &computed.version);
            for (key, default) in OF_CALL {
                match layers.in_force(method, key) {
                    Some(set) => put(key, set.value.clone(), level(&set, &computed.side)),
                    None => put(key, default.to_owned(), "default".to_owned()),
                }
            }
            let url = process(provider);
            for (key, default) in OF_PROVIDER {
                match (own(&url, method, key), key) {
                    (Some(value), _) => put(key, value.to_owned(), "provider".to_owned()),
                    (None, "threads") => {
                        // Own code, or a thread for every call: there is no such number.
                        if let Some(count) = threads_of(&url) {
                            put(key, count.to_string(), "default".to_owned());
                        }
                    }
                    (None, _) => put(key, default.to_owned(), "default".to_owned()),
                }
            }
        }
    }
    rows
}

/// A provider's own value: of the method, else its own.
fn own<'a>(url: &'a Url, method: &str, key: &str) -> Option<&'a str> {
    let of_method = (!method.is_empty()).then(|| url.text(&format!("{method}.{key}")));
    of_method.flatten().or_else(|| url.text(key))
}

/// What the provider published, as its own process reads it: old ones fall back to `default.<key>`.
fn process(provider: &Provider) -> Url {
    let told = |key| {
        provider
            .url
            .text(key)
            .and_then(|text| DubboVersion::parse(text).ok())
    };
    match told("release").or_else(|| told("dubbo")) {
        Some(release) => with_defaults(&provider.url, &release),
        None => provider.url.clone(),
    }
}

/// Threads of a provider's pool: `fixed` and `limited` have 200 unless set, `cached` and `eager` grow without an end
/// (`ThreadPool.getExecutor`); none of a pool of virtual threads, and of own code.
fn threads_of(url: &Url) -> Option<u64> {
    let own = url.text("threads").map(str::parse::<u64>);
    let default = match url.text("threadpool") {
        None | Some("fixed" | "limited") => DEFAULT_THREADS,
        Some("cached" | "eager") => UNBOUNDED,
        Some(_) => return None,
    };
    match own {
        None => Some(default),
        Some(Ok(0) | Err(_)) => None,
        Some(Ok(count)) => Some(count),
    }
}

fn providers<'c>(computed: &'c Computed<'_>) -> impl Iterator<Item = &'c Provider> {
    computed.offers.iter().flat_map(|offer| &offer.providers)
}

/// A whole number above zero of a provider's own.
fn number(url: &Url, method: &str, key: &str) -> Option<u64> {
    own(url, method, key)?
        .parse::<u64>()
        .ok()
        .filter(|value| *value > 0)
}

/// Threads of all nodes together; none when a pool has no end or no provider is known.
pub(super) fn threads(computed: &Computed<'_>) -> Option<u64> {
    let mut all = None;
    for provider in providers(computed) {
        let count = threads_of(&process(provider)).filter(|count| *count < UNBOUNDED)?;
        all = Some(count.saturating_add(all.unwrap_or(0)));
    }
    all
}

/// Threads that are held when every call runs into its timeout, and how sure that is. Where timeouts differ it depends on
/// the share of each node, unless the shortest holds as many as there are already.
pub(super) fn held(computed: &Computed<'_>, qps: f64, longest: Micros) -> (f64, Certainty) {
    let at = |timeout| capacity::held_by_slow_calls(qps, timeout);
    let each = ladder::of_each(
        &computed.offers,
        &computed.side,
        &computed.call,
        &computed.version,
    );
    // What a text shows is one for all.
    if computed.budget.in_force.len() < 2 || each.is_empty() {
        return (at(longest), Certainty::Certain);
    }
    let times: Vec<Micros> = each
        .into_iter()
        .map(|millis| u64::try_from(millis.unwrap_or(0)).unwrap_or(0))
        .map(Micros::from_millis)
        .collect();
    let shortest = times.iter().min().copied().unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "a number of threads")]
    let whoever = threads(computed).is_some_and(|count| at(shortest) > count as f64);
    let weights = links::weights(computed, i64::MAX);
    let sure = match (&weights, whoever) {
        (_, true) => Certainty::Certain,
        (Some(_), _) => Certainty::Likely,
        (None, _) => Certainty::Possible,
    };
    let weights = weights.unwrap_or_else(|| vec![1; times.len()]);
    let shares = balance::shares(&weights);
    let held = times
        .iter()
        .zip(shares)
        .map(|(time, share)| at(*time) * share);
    (held.sum(), sure)
}

/// The longest wait of a full queue: places, threads, time; none where no pool with an end has a queue.
pub(super) fn longest_queue(
    computed: &Computed<'_>,
    service: Micros,
) -> Option<(u64, u64, Micros)> {
    providers(computed)
        .filter_map(|provider| {
            let url = process(provider);
            let queues = url
                .text("queues")?
                .parse::<u64>()
                .ok()
                .filter(|places| *places > 0)?;
            let threads = threads_of(&url)?;
            Some((
                queues,
                threads,
                capacity::queue_wait(queues, service, threads)?,
            ))
        })
        .max_by_key(|(_, _, wait)| *wait)
}

/// One node with what it allows and what is needed of it.
struct Node {
    address: String,
    /// None = as much as comes.
    allows: Option<u64>,
    /// Share of the calls, from 0 to 1.
    share: f64,
    needed: f64,
}

impl Node {
    fn used(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "limits are small numbers")]
        let allows = self.allows.unwrap_or(0) as f64;
        if allows > 0.0 {
            self.needed / allows
        } else {
            0.0
        }
    }
}

/// How far the share of each node is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shares {
    /// Nothing depends on it.
    Same,
    /// By weight.
    Weighed,
    /// Taken to be even.
    Guessed,
}

/// The limit of the node that breaks first, and how sure that is; none where nobody has one.
fn breaks_first(
    name: &'static str,
    nodes: &[Node],
    shares: Shares,
    trust: Certainty,
) -> Option<Limit> {
    let worst = nodes
        .iter()
        .filter(|node| node.allows.is_some())
        .min_by(|a, b| {
            b.used()
                .total_cmp(&a.used())
                .then(a.address.cmp(&b.address))
        })?;
    let each = worst.allows?;
    let alike = nodes.iter().all(|node| {
        node.allows == worst.allows && (node.needed - worst.needed).abs() <= worst.needed * 1e-9
    });
    let needed: f64 = nodes.iter().map(|node| node.needed).sum();
    let allowed = nodes
        .iter()
        .try_fold(0_u64, |all, node| Some(all.saturating_add(node.allows?)));
    #[expect(clippy::cast_precision_loss, reason = "limits are small numbers")]
    let whoever = allowed.is_some_and(|allowed| needed > MARGIN * allowed as f64);
    let certainty = if shares == Shares::Same || whoever {
        trust
    } else if shares == Shares::Weighed {
        trust.min(Certainty::Likely)
    } else {
        Certainty::Possible
    };
    let used = worst.used();
    Some(Limit {
        name,
        each,
        count: if alike { nodes.len() as u64 } else { 1 },
        node: (!alike).then(|| worst.address.clone()),
        share: (!alike && shares != Shares::Same).then_some(worst.share),
        used,
        carries_qps: None,
        advised_each: capacity::advised(worst.needed),
        certainty,
    })
}

/// What `--qps` needs of each limit.
pub(super) fn capacity(computed: &Computed<'_>) -> Option<Capacity> {
    let qps = computed.asked.qps?;
    let measured = computed.budget.measured.as_ref()?;
    let need = computed.budget.need.as_ref()?;
    // Little's law is about the mean.
    let (rt_ms, rt_from) = match measured.mean_ms {
        Some(mean) => (mean, "mean"),
        None if need.at_least => return None,
        None => (need.p99_ms, "p99"),
    };
    let in_flight = capacity::in_flight(qps, millis(rt_ms));
    let mut limits = of_nodes(computed, qps, in_flight);
    limits.extend(of_consumers(computed, in_flight));
    for limit in &mut limits {
        if limit.name != "accepts" && limit.used > 0.0 && limit.used.is_finite() {
            limit.carries_qps = Some(rounded(qps / limit.used));
        }
    }
    limits.sort_by(|a, b| b.used.total_cmp(&a.used).then(a.name.cmp(b.name)));
    Some(Capacity {
        qps,
        rt_ms,
        rt_from,
        in_flight,
        advised: capacity::advised(in_flight),
        limits,
    })
}

/// Limits of the providers' processes.
fn of_nodes(computed: &Computed<'_>, qps: f64, in_flight: f64) -> Vec<Limit> {
    let method = &computed.call.method;
    // How calls are shared out once every node is warm.
    let weights = links::weights(computed, i64::MAX);
    let all: Vec<&Provider> = providers(computed).collect();
    let known = computed
        .offers
        .iter()
        .filter(|offer| !offer.providers.is_empty());
    let (shares, how) = match &weights {
        // Several registries share the calls out among themselves first.
        Some(weights) if known.count() < 2 => (balance::shares(weights), Shares::Weighed),
        _ => (balance::shares(&vec![1; all.len()]), Shares::Guessed),
    };
    let nodes = |value: &dyn Fn(&Url) -> Option<u64>, needed: &dyn Fn(&Url, f64) -> f64| {
        all.iter()
            .zip(&shares)
            .map(|(provider, share)| {
                let url = process(provider);
                Node {
                    address: provider.address.clone(),
                    allows: value(&url),
                    share: *share,
                    needed: needed(&url, *share),
                }
            })
            .collect::<Vec<Node>>()
    };
    let at_once = |_: &Url, share: f64| in_flight * share;
    let window = |url: &Url, share: f64| {
        let interval = number(url, method, "tps.interval").unwrap_or(DEFAULT_TPS_INTERVAL);
        #[expect(clippy::cast_precision_loss, reason = "a window of time")]
        let interval = interval as f64;
        qps * share * interval / 1000.0
    };
    let trust = computed.certainty;
    let consumers = computed.consumers.unwrap_or(1);
    let connections = limit_of_call(computed, "connections").unwrap_or(1);
    #[expect(clippy::cast_precision_loss, reason = "a number of connections")]
    let opened = capacity::together(consumers, connections) as f64;
    // Whoever else holds connections to the node is not known.
    let of_consumers = if computed.consumers.is_some() {
        trust
    } else {
        trust.min(Certainty::Likely)
    };
    let bounded = |url: &Url| threads_of(url).filter(|count| *count < UNBOUNDED);
    [
        breaks_first("threads", &nodes(&bounded, &at_once), how, trust),
        breaks_first(
            "executes",
            &nodes(&|url| number(url, method, "executes"), &at_once),
            how,
            trust,
        ),
        breaks_first(
            "tps",
            &nodes(&|url| number(url, method, "tps"), &window),
            how,
            trust,
        ),
        breaks_first(
            "accepts",
            &nodes(&|url| number(url, method, "accepts"), &|_, _| opened),
            Shares::Same,
            of_consumers,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What each consumer allows itself on each node.
fn of_consumers(computed: &Computed<'_>, in_flight: f64) -> Option<Limit> {
    let known = super::compute::addresses(computed);
    // Where no provider was seen, what the consumer sets itself.
    let alone = || {
        let own = own(&computed.side.url, &computed.call.method, "actives")?;
        own.parse::<u64>().ok().filter(|value| *value > 0)
    };
    let each = limit_of_call(computed, "actives").or_else(|| known.is_none().then(alone)?)?;
    let nodes = known.unwrap_or(0).max(1);
    let limit = capacity::Limit {
        name: "actives",
        each,
        count: computed.consumers.unwrap_or(1).saturating_mul(nodes),
        needed: in_flight,
    };
    Some(Limit {
        name: limit.name,
        each: limit.each,
        count: limit.count,
        node: None,
        share: None,
        used: limit.used(),
        carries_qps: None,
        advised_each: limit.advised_each(),
        certainty: if known.is_none() {
            // It holds for each node, and how many there are was not seen.
            Certainty::Possible
        } else if computed.consumers.is_some() {
            computed.certainty
        } else {
            computed.certainty.min(Certainty::Likely)
        },
    })
}

fn limit_of_call(computed: &Computed<'_>, key: &str) -> Option<u64> {
    computed
        .offers
        .iter()
        .flat_map(|offer| {
            offer
                .providers
                .iter()
                .map(move |provider| offer.layers(provider, &computed.side, &computed.version))
        })
        .filter_map(|layers| layers.in_force(&computed.call.method, key))
        .filter_map(|set| set.value.parse::<u64>().ok())
        .filter(|value| *value > 0)
        .min()
}

pub(super) fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time that was microseconds before"
)]
pub(super) fn millis(value: f64) -> Micros {
    Micros((value * 1000.0).round().max(0.0) as u64)
}
