//! Round trips as they were tried, by pair of zones, with the budget of each pair; and what leaves the consumer's zone.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    compute::Computed,
    model::{Leaving, Link},
    providers::Provider,
};
use crate::{
    budget::{
        balance,
        plan::{self, Side},
        quantile::Quantile,
        time::Micros,
    },
    model::probe,
    snapshot::Line,
};

/// The kinds of round trips that are looked for in a recording: what servers answer by themselves, and connections.
pub(super) const KINDS: [&str; 3] = [probe::HEARTBEAT, probe::PING, probe::CONNECT];

/// Round trips to one address.
#[derive(Debug, Clone)]
pub(super) struct Tried {
    pub(super) address: String,
    /// The machine that tried, where it is told.
    pub(super) from: Option<String>,
    pub(super) samples: Vec<Micros>,
    pub(super) lost: u64,
}

impl Tried {
    /// What a line of a recording tells; none when it has no list of times.
    pub(super) fn of(line: &Line) -> Option<Self> {
        let address = line
            .key
            .fields()
            .into_iter()
            .find(|(name, _)| *name == "address")?
            .1
            .to_owned();
        let samples = line.field("samples_us")?.as_array()?;
        Some(Self {
            address,
            from: line
                .field("from")
                .and_then(Value::as_str)
                .map(str::to_owned),
            samples: samples
                .iter()
                .filter_map(Value::as_u64)
                .map(Micros)
                .collect(),
            lost: line.field("lost").and_then(Value::as_u64).unwrap_or(0),
        })
    }
}

/// All of a recording that were made to a provider of the service.
fn all(computed: &Computed<'_>) -> Vec<Tried> {
    let mut found = Vec::new();
    for (_, lines) in computed.snapshot.sources() {
        for line in lines.filter(|line| line.key.op() == "probe") {
            found.extend(
                Tried::of(line).filter(|tried| provider(computed, &tried.address).is_some()),
            );
        }
    }
    found
}

fn provider<'c>(computed: &'c Computed<'_>, address: &str) -> Option<&'c Provider> {
    computed
        .offers
        .iter()
        .flat_map(|offer| &offer.providers)
        .find(|provider| provider.address == address)
}

fn zone_of(computed: &Computed<'_>, provider: &Provider) -> Option<String> {
    let zones = &computed.question.zones;
    zones.of_provider(&provider.url).map(str::to_owned)
}

/// Whether a machine is the consumer.
pub(super) fn is_consumer(computed: &Computed<'_>, from: Option<&str>) -> bool {
    from.is_some() && from == computed.question.consumer.ip.as_deref()
}

fn zone_of_trier(computed: &Computed<'_>, from: Option<&str>) -> Option<String> {
    let zones = &computed.question.zones;
    let zone = if is_consumer(computed, from) {
        zones.of_consumer(from)
    } else {
        zones.of_host(from?)
    };
    zone.map(str::to_owned)
}

type Pair = (Option<String>, Option<String>);

/// The rows of the matrix.
pub(super) fn links(computed: &Computed<'_>) -> Vec<Link> {
    let mut pairs: BTreeMap<Pair, Vec<Tried>> = BTreeMap::new();
    for tried in all(computed) {
        let Some(provider) = provider(computed, &tried.address) else {
            continue;
        };
        let pair = (
            zone_of_trier(computed, tried.from.as_deref()),
            zone_of(computed, provider),
        );
        pairs.entry(pair).or_default().push(tried);
    }
    pairs
        .into_iter()
        .filter_map(|(pair, tried)| link(computed, pair, &tried))
        .collect()
}

fn link(computed: &Computed<'_>, (from_zone, to_zone): Pair, tried: &[Tried]) -> Option<Link> {
    let mut samples: Vec<Micros> = tried
        .iter()
        .flat_map(|tried| tried.samples.iter().copied())
        .collect();
    samples.sort_unstable();
    let at = |quantile: Quantile| {
        let rank = quantile.rank(samples.len() as u64);
        let place = usize::try_from(rank.checked_sub(1)?).ok()?;
        samples.get(place).copied()
    };
    let (median, p99) = (at(Quantile::P50)?, at(Quantile::P99)?);
    let from: BTreeSet<&String> = tried
        .iter()
        .filter_map(|tried| tried.from.as_ref())
        .collect();
    let addresses: BTreeSet<&String> = tried.iter().map(|tried| &tried.address).collect();
    let need = computed
        .asked
        .measured
        .as_ref()
        .filter(|measured| measured.side == Side::Provider)
        .filter(|measured| !measured.is_single())
        .and_then(|measured| {
            Some(plan::Need {
                // Without an upper end there is no budget.
                p99: measured.p99.high?,
                side: measured.side,
                rtt: median,
                serialization: computed.asked.serialized(),
            })
        });
    let budget = need.map(|need| plan::budget(need.total(), computed.asked.factors));
    Some(Link {
        from_zone,
        to_zone,
        from: from.into_iter().cloned().collect(),
        addresses: addresses.len(),
        samples: samples.len(),
        lost: tried.iter().map(|tried| tried.lost).sum(),
        min_ms: samples.first()?.millis(),
        median_ms: median.millis(),
        p99_ms: p99.millis(),
        need_ms: need.map(|need| need.total().millis()),
        tight_ms: budget.map(|budget| budget.tight.millis()),
        comfortable_ms: budget.map(|budget| budget.comfortable.millis()),
        network_share: need.map(|need| need.network_share()),
    })
}

/// The round trip to compute with, of those that were tried: the median of the farthest pair from the consumer's own
/// zone. Of tries from no known zone, or where the consumer's is not known, the farthest of all; tries from another zone
/// tell nothing of it. The second value: it was tried on the consumer.
pub(super) fn round_trip(computed: &Computed<'_>, links: &[Link]) -> Option<(Micros, bool)> {
    let question = computed.question;
    let zone = question.zones.of_consumer(question.consumer.ip.as_deref());
    let from = |from: Option<&str>| {
        let links = links.iter();
        links
            .filter(|link| link.from_zone.as_deref() == from)
            .collect::<Vec<_>>()
    };
    let own = match zone {
        None => links.iter().collect(),
        Some(_) => Some(from(zone))
            .filter(|own| !own.is_empty())
            .unwrap_or_else(|| from(None)),
    };
    let farthest = own
        .into_iter()
        .max_by(|a, b| a.median_ms.total_cmp(&b.median_ms))?;
    let on_consumer = farthest
        .from
        .iter()
        .all(|from| is_consumer(computed, Some(from)))
        && !farthest.from.is_empty();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole microseconds before"
    )]
    let micros = (farthest.median_ms * 1000.0).round() as u64;
    Some((Micros(micros), on_consumer))
}

/// Ways to choose an address that go by weight.
const BY_WEIGHT: [&str; 2] = ["random", "roundrobin"];

/// The weight of each where weights do not count.
const EVEN: i32 = 100;

/// What leaves the consumer's zone.
pub(super) fn leaving(computed: &Computed<'_>) -> Option<Leaving> {
    let question = computed.question;
    let zone = question
        .zones
        .of_consumer(question.consumer.ip.as_deref())?;
    let weights = weights(computed, question.now.as_millisecond())?;
    let providers = computed.offers.iter().flat_map(|offer| &offer.providers);
    let nodes = providers
        .zip(weights)
        .map(|(provider, weight)| Some((zone_of(computed, provider)? == zone, weight)))
        .collect::<Option<Vec<(bool, i32)>>>()?;
    let inside = nodes.iter().filter(|(inside, _)| *inside).count();
    (!nodes.is_empty()).then(|| Leaving {
        zone: zone.to_owned(),
        inside,
        outside: nodes.len() - inside,
        first: balance::share_leaving(&nodes),
        again: balance::share_leaving_again(&nodes),
    })
}

/// The weight of each provider at a moment, in the order of the offers; none where a load balancer does not go by weight,
/// or where it is not known whether it does.
pub(super) fn weights(computed: &Computed<'_>, now: i64) -> Option<Vec<i32>> {
    let mut found = Vec::new();
    for offer in &computed.offers {
        let mut first_has_one = Vec::new();
        for provider in &offer.providers {
            let layers = offer.layers(provider, &computed.side, &computed.version);
            let value = |key| {
                layers
                    .in_force(&computed.call.method, key)
                    .map(|set| set.value)
            };
            let balance = value("loadbalance").unwrap_or_else(|| "random".to_owned());
            if !BY_WEIGHT.contains(&balance.as_str()) {
                return None;
            }
            let mut url = provider.url.clone();
            url.parameters
                .remove(&format!("{}.weight", computed.call.method));
            url.parameters
                .extend(value("weight").map(|value| ("weight".to_owned(), value)));
            let method = &computed.call.method;
            // From 3.0.1 on the first of the list decides whether weights count at all (`needWeightLoadBalance`); which one
            // is first is not known.
            let counts = value("weight").is_some() || url.text("timestamp").is_some();
            first_has_one.push(counts || balance == "roundrobin");
            found.push(balance::weight(&url, method, now, &computed.version).ok()?);
        }
        let asks_first = computed.version.at_least([3, 0, 1]);
        let count = first_has_one.len();
        if asks_first && first_has_one.contains(&true) && first_has_one.contains(&false) {
            return None;
        }
        if asks_first && first_has_one.iter().all(|has| !has) {
            let start = found.len() - count;
            found[start..].fill(EVEN);
        }
    }
    Some(found)
}
