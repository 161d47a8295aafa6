//! Rooms: how many providers each has and keeps, what share of the calls leaves the consumer's, and where its registry is.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{
    Certainty,
    code::Code,
    decide::{Computed, Overall},
    gather::Registry,
    remarks::{left_of, raised},
};
use crate::{
    question::Question,
    report::words::{Phrase, Say},
    view::{
        held::Entry,
        stage::{Evidence, Raised, StageId},
    },
};

/// Weight of a provider that names none (`Constants.DEFAULT_WEIGHT`).
const USUAL_WEIGHT: u64 = 100;

/// The providers of the service by zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zoned {
    /// The consumer's zone, when it is known.
    pub consumer: Option<String>,
    /// By name; the last one has no zone.
    pub rows: Vec<ZoneRow>,
    /// The zone of each address that has one.
    pub of: BTreeMap<String, String>,
}

/// One zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneRow {
    /// Its name; `None` for addresses of which no zone is known.
    pub zone: Option<String>,
    /// Providers of the service that are registered there.
    pub registered: usize,
    /// Those that are left for the consumer.
    pub left: usize,
    /// Share of the calls that goes there, in thousandths, by weights and load balancing.
    pub permille: u32,
}

/// One address of the service.
struct Provider<'a> {
    entry: &'a Entry,
    zone: Option<String>,
    weight: u64,
    left: bool,
}

/// Whether the consumer's zone has providers of the service, none of which is left in this world, while other zones
/// keep some: its calls lose all that is near.
pub(super) fn loses_all(question: &Question, registries: &[Registry], world: &Overall) -> bool {
    let Some(zone) = of_consumer(question) else {
        return false;
    };
    let providers = providers(question, registries, world);
    let is_inside = |provider: &&Provider<'_>| provider.zone.as_deref() == Some(zone);
    let mut inside = providers.values().filter(is_inside).peekable();
    let lost = inside.peek().is_some() && inside.all(|provider| !provider.left);
    lost && providers.values().any(|provider| provider.left)
}

/// The providers by zone; `None` when nobody named zones.
pub(super) fn zoned(computed: &Computed<'_>) -> Option<Zoned> {
    let zones = &computed.question.zones;
    if zones.is_empty() {
        return None;
    }
    let providers = shown(computed);
    let total: u64 = weight(providers.values(), |_| true);
    let names: BTreeSet<Option<&str>> = providers
        .values()
        .map(|provider| provider.zone.as_deref())
        .collect();
    let mut rows: Vec<ZoneRow> = names
        .into_iter()
        .map(|zone| {
            let is_here = |provider: &Provider<'_>| provider.zone.as_deref() == zone;
            let here = || providers.values().filter(|provider| is_here(provider));
            let share = weight(providers.values(), is_here) * 1000;
            ZoneRow {
                zone: zone.map(str::to_owned),
                registered: here().count(),
                left: here().filter(|provider| provider.left).count(),
                permille: share
                    .checked_div(total)
                    .and_then(|share| u32::try_from(share).ok())
                    .unwrap_or_default(),
            }
        })
        .collect();
    rows.sort_by(|a, b| (a.zone.is_none(), &a.zone).cmp(&(b.zone.is_none(), &b.zone)));
    let of = providers
        .iter()
        .filter_map(|(address, provider)| Some((address.clone(), provider.zone.clone()?)))
        .collect();
    Some(Zoned {
        consumer: of_consumer(computed.question).map(str::to_owned),
        rows,
        of,
    })
}

fn of_consumer(question: &Question) -> Option<&str> {
    question.zones.of_consumer(question.consumer.ip.as_deref())
}

/// Weight of the addresses that are left and fit; hash rings do not look at weights.
fn weight<'p, 'e: 'p>(
    providers: impl Iterator<Item = &'p Provider<'e>>,
    fits: impl Fn(&Provider<'_>) -> bool,
) -> u64 {
    providers
        .filter(|provider| provider.left && fits(provider))
        .map(|provider| provider.weight)
        .sum()
}

/// The load balancing of the reference, else of the providers, else Dubbo's own.
fn balancing(question: &Question, registries: &[Registry]) -> String {
    let own = question.consumer.params.get("loadbalance").cloned();
    own.or_else(|| {
        registries
            .iter()
            .flat_map(|registry| &registry.held)
            .flat_map(|held| &held.entries)
            .find_map(|entry| entry.plain()?.text("loadbalance").map(str::to_owned))
    })
    .unwrap_or_else(|| "random".to_owned())
}

/// Those of the world that is shown.
fn shown<'a>(computed: &Computed<'a>) -> BTreeMap<String, Provider<'a>> {
    providers(computed.question, computed.registries, &computed.states[0])
}

/// Every address that passed the service key, by address.
fn providers<'a>(
    question: &'a Question,
    registries: &'a [Registry],
    world: &Overall,
) -> BTreeMap<String, Provider<'a>> {
    let left = left_of(world);
    let mut known: BTreeSet<String> = left.clone();
    for (.., judged) in &world.parts {
        for stage in &judged.view.stages {
            if stage.id > StageId::Key {
                known.extend(stage.dropped.iter().map(|dropped| dropped.address.clone()));
            }
        }
    }
    let by_weight = balancing(question, registries) != "consistenthash";
    let mut providers = BTreeMap::new();
    for entry in registries
        .iter()
        .flat_map(|registry| &registry.held)
        .flat_map(|held| &held.entries)
    {
        let address = entry.address();
        if !known.contains(&address) || providers.contains_key(&address) {
            continue;
        }
        let url = entry.plain();
        let zone = url
            .as_ref()
            .and_then(|url| question.zones.of_provider(url))
            .map(str::to_owned);
        let own = url
            .as_ref()
            .and_then(|url| url.text("weight")?.parse::<u64>().ok());
        let provider = Provider {
            entry,
            zone,
            weight: if by_weight {
                own.unwrap_or(USUAL_WEIGHT)
            } else {
                1
            },
            left: left.contains(&address),
        };
        providers.insert(address, provider);
    }
    providers
}

/// DG1009, DG3010, DG3011.
pub(super) fn remarks(computed: &Computed<'_>) -> Vec<(Raised, Certainty, bool)> {
    let (Some(zoned), Some(zone)) = (zoned(computed), of_consumer(computed.question)) else {
        return Vec::new();
    };
    let mut found: Vec<(Raised, Certainty, bool)> = registries(computed, zone)
        .into_iter()
        .map(|raised| (raised, Certainty::Certain, false))
        .collect();
    let own = zoned
        .rows
        .iter()
        .find(|row| row.zone.as_deref() == Some(zone));
    let (registered, inside) = own.map_or((0, 0), |row| (row.registered, row.left));
    let outside: usize = zoned.rows.iter().map(|row| row.left).sum::<usize>() - inside;
    if outside == 0 {
        return found;
    }
    let staying = own.map_or(0, |row| row.permille);
    let share = percent(1000 - staying.min(1000));
    let (code, params) = if inside == 0 {
        (
            Code::ZoneEmpty,
            json!({"zone": zone, "registered": registered, "left": outside, "share": share}),
        )
    } else {
        (
            Code::TrafficLeavesZone,
            json!({"zone": zone, "share": share, "inside": inside, "outside": outside, "balancing": balancing(computed.question, computed.registries)}),
        )
    };
    let raised = raised(code, params, ("zone", zone), evidence(computed, &zoned));
    found.push((raised, Certainty::Certain, false));
    found
}

/// `66.7%`.
fn percent(permille: u32) -> String {
    match (permille / 10, permille % 10) {
        (whole, 0) => format!("{whole}%"),
        (whole, tenth) => format!("{whole}.{tenth}%"),
    }
}

/// One entry of each zone, with what the zone has.
fn evidence(computed: &Computed<'_>, zoned: &Zoned) -> Vec<Evidence> {
    let providers = shown(computed);
    zoned
        .rows
        .iter()
        .filter_map(|row| {
            let first = providers
                .values()
                .find(|provider| provider.zone == row.zone)?;
            let fact = Phrase::new(Say::ZoneCounts)
                .with("zone", row.zone.as_deref().unwrap_or("-"))
                .with("registered", row.registered.to_string())
                .with("left", row.left.to_string());
            Some(Evidence {
                fact,
                ..first.entry.evidence.clone()
            })
        })
        .collect()
}

/// Registries of which every member is known to be in another zone.
fn registries(computed: &Computed<'_>, zone: &str) -> Vec<Raised> {
    let zones = &computed.question.zones;
    computed
        .registries
        .iter()
        .filter_map(|registry| registry.address.as_ref())
        .filter_map(|address| {
            let members: Option<Vec<String>> = address
                .members
                .iter()
                .map(|member| {
                    let host = member.rsplit_once(':').map_or(&**member, |(host, _)| host);
                    let there = zones.of_host(host)?;
                    (there != zone).then(|| format!("{member} ({there})"))
                })
                .collect();
            let name = address.to_string();
            let params = json!({"registry": name, "zone": zone, "members": members?});
            Some(raised(
                Code::RegistryInOtherZone,
                params,
                ("registry", &name),
                Vec::new(),
            ))
        })
        .collect()
}
