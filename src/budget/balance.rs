//! Which share of the calls goes where: weights, warm-up, the choice among registries.
//!
//! Mirrors `AbstractLoadBalance.getWeight`, `RandomLoadBalance` and `ZoneAwareClusterInvoker`.

use std::collections::BTreeMap;

use super::layers::own_value;
use crate::model::{
    url::{Url, parse_int, parse_long},
    version::DubboVersion,
};

/// Weight without any setting.
pub const DEFAULT_WEIGHT: i32 = 100;
/// Milliseconds until a provider has its whole weight.
pub const DEFAULT_WARMUP: i32 = 600_000;
/// The interface of a registry as a service: such a URL has no warm-up.
const REGISTRY_SERVICE: [&str; 2] = [
    "org.apache.dubbo.registry.RegistryService",
    "com.alibaba.dubbo.registry.RegistryService",
];

/// A parameter that is no number: Dubbo throws `NumberFormatException`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` of {key} is no number")]
pub struct NoNumber {
    /// The key.
    pub key: String,
    /// Its text.
    pub value: String,
}

/// The weight of a provider that started `uptime` milliseconds ago (`calculateWarmupWeight`): 2.7.15 to 2.7.23 grow
/// with the square of the time, all others straight, cut to whole numbers.
pub fn warmup_weight(uptime: i32, warmup: i32, weight: i32, version: &DubboVersion) -> i32 {
    let square = version.at_least([2, 7, 15]) && !version.line().is_3x();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "the arithmetic of the real code, 32-bit floats included"
    )]
    let grown = if square {
        let part = f64::from(uptime) / f64::from(warmup);
        (part * part * f64::from(weight) + 0.5).floor() as i64 as i32
    } else {
        (uptime as f32 / (warmup as f32 / weight as f32)) as i32
    };
    if grown < 1 { 1 } else { grown.min(weight) }
}

/// The weight of an address for a method, `now` in milliseconds since 1970 (`getWeight`). Never below zero.
///
/// # Errors
/// `weight`, `timestamp` or `warmup` is no number.
pub fn weight(url: &Url, method: &str, now: i64, version: &DubboVersion) -> Result<i32, NoNumber> {
    let number = |key: &str, text: Option<String>, default: i32| match text {
        None => Ok(default),
        Some(value) => parse_int(&value).ok_or_else(|| NoNumber {
            key: key.to_owned(),
            value,
        }),
    };
    let plain = |key: &str| url.text(key).map(str::to_owned);
    if is_registry(url) {
        return Ok(number("weight", plain("weight"), DEFAULT_WEIGHT)?.max(0));
    }
    let weight = number("weight", own_value(url, method, "weight"), DEFAULT_WEIGHT)?;
    if weight <= 0 {
        return Ok(0);
    }
    let started = match plain("timestamp") {
        None => 0,
        Some(value) => parse_long(&value).ok_or_else(|| NoNumber {
            key: "timestamp".to_owned(),
            value,
        })?,
    };
    if started <= 0 {
        return Ok(weight);
    }
    let uptime = now.saturating_sub(started);
    if uptime < 0 {
        return Ok(1);
    }
    let warmup = number("warmup", plain("warmup"), DEFAULT_WARMUP)?;
    if uptime == 0 || uptime >= i64::from(warmup) {
        return Ok(weight);
    }
    Ok(warmup_weight(
        i32::try_from(uptime).unwrap_or(i32::MAX),
        warmup,
        weight,
        version,
    ))
}

fn is_registry(url: &Url) -> bool {
    url.service_interface()
        .is_some_and(|name| REGISTRY_SERVICE.contains(&name))
}

/// The share of each by weight: proportional, and even when all are zero.
pub fn shares(weights: &[i32]) -> Vec<f64> {
    let total: f64 = weights
        .iter()
        .map(|weight| f64::from((*weight).max(0)))
        .sum();
    #[expect(clippy::cast_precision_loss, reason = "a count of addresses")]
    let even = 1.0 / weights.len().max(1) as f64;
    weights
        .iter()
        .map(|weight| {
            if total > 0.0 {
                f64::from((*weight).max(0)) / total
            } else {
                even
            }
        })
        .collect()
}

/// The share of the calls that leaves a room: `nodes` as (is in the room, weight), by weighted random choice.
pub fn share_leaving(nodes: &[(bool, i32)]) -> f64 {
    let weights: Vec<i32> = nodes.iter().map(|(_, weight)| *weight).collect();
    shares(&weights)
        .iter()
        .zip(nodes)
        .filter(|(_, (inside, _))| !inside)
        .map(|(share, _)| share)
        // An empty sum of floats would be -0.
        .fold(0.0, |all, share| all + share)
}

/// The share of the second tries that leaves a room. The first address is left out of the second choice
/// (`AbstractClusterInvoker.reselect`), and the rest is chosen by weight again; `None` when there is no second address.
pub fn share_leaving_again(nodes: &[(bool, i32)]) -> Option<f64> {
    if nodes.len() < 2 {
        return None;
    }
    let weights: Vec<i32> = nodes.iter().map(|(_, weight)| *weight).collect();
    // Equal nodes are the same first choice.
    let mut first: BTreeMap<(bool, i32), (usize, f64)> = BTreeMap::new();
    for (place, (node, share)) in nodes.iter().zip(shares(&weights)).enumerate() {
        first.entry(*node).or_insert((place, 0.0)).1 += share;
    }
    let again = first.values().map(|(place, share)| {
        let mut rest = nodes.to_vec();
        rest.remove(*place);
        share * share_leaving(&rest)
    });
    Some(again.fold(0.0, |all, share| all + share))
}

/// One registry of several.
#[derive(Debug, Clone)]
pub struct Member {
    /// The registry's URL with `preferred`, `zone`, `weight`.
    pub url: Url,
    /// It has a connected provider.
    pub available: bool,
}

/// Which registry is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// One of these by chance: place in the list and share.
    OneOf(Vec<(usize, f64)>),
    /// The call insists on a zone that has nothing: it fails.
    ZoneForced,
    /// No registry has a provider: the call fails (3.1.4 on).
    NoneAvailable,
}

/// The choice among several registries (`ZoneAwareClusterInvoker.doInvoke`); `zone` and `force` are attachments of the
/// call.
///
/// # Errors
/// A `weight` is no number.
pub fn zone_aware(
    members: &[Member],
    zone: Option<&str>,
    force: Option<&str>,
    version: &DubboVersion,
) -> Result<Choice, NoNumber> {
    let preferred = if version.line().is_3x() {
        "preferred"
    } else {
        "registry.preferred"
    };
    let first = |fits: &dyn Fn(&Member) -> bool| {
        members
            .iter()
            .position(|member| member.available && fits(member))
            .map(|place| Choice::OneOf(vec![(place, 1.0)]))
    };
    if let Some(choice) = first(&|member| member.url.flag(preferred, false)) {
        return Ok(choice);
    }
    if let Some(zone) = zone.filter(|zone| !zone.is_empty()) {
        if let Some(choice) = first(&|member| member.url.parameter("zone") == Some(zone)) {
            return Ok(choice);
        }
        if force.is_some_and(|force| force.eq_ignore_ascii_case("true")) {
            return Ok(Choice::ZoneForced);
        }
    }
    let available: Vec<usize> = (0..members.len())
        .filter(|place| members[*place].available)
        .collect();
    if available.is_empty() {
        let asks_first = !version.at_least([3, 1, 4]);
        return Ok(if asks_first && !members.is_empty() {
            Choice::OneOf(vec![(0, 1.0)])
        } else {
            Choice::NoneAvailable
        });
    }
    let all: Vec<usize> = (0..members.len()).collect();
    let mut chosen = vec![0.0; members.len()];
    let mut again = 0.0;
    for (place, share) in all.iter().zip(random(members, &all, version)?) {
        if members[*place].available {
            chosen[*place] += share;
        } else {
            again += share;
        }
    }
    for (place, share) in available.iter().zip(random(members, &available, version)?) {
        chosen[*place] += again * share;
    }
    Ok(Choice::OneOf(
        chosen
            .into_iter()
            .enumerate()
            .filter(|(_, share)| *share > 0.0)
            .collect(),
    ))
}

/// `RandomLoadBalance`: from 3.0.1 on weights count only if the first of the list has one (`needWeightLoadBalance`).
fn random(
    members: &[Member],
    places: &[usize],
    version: &DubboVersion,
) -> Result<Vec<f64>, NoNumber> {
    let ignored = version.at_least([3, 0, 1])
        && places
            .first()
            .is_some_and(|place| members[*place].url.text("weight").is_none());
    let weights = places
        .iter()
        .map(|place| {
            if ignored {
                Ok(DEFAULT_WEIGHT)
            } else {
                weight(&members[*place].url, "", 0, version)
            }
        })
        .collect::<Result<Vec<i32>, NoNumber>>()?;
    Ok(shares(&weights))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(inside: (usize, i32), outside: (usize, i32)) -> Vec<(bool, i32)> {
        let mut nodes = vec![(true, inside.1); inside.0];
        nodes.extend(vec![(false, outside.1); outside.0]);
        nodes
    }

    #[test]
    fn calls_leave_a_room_by_weight() {
        let near = |nodes: &[(bool, i32)], expected: f64| {
            let share = share_leaving(nodes);
            assert!(
                (share - expected).abs() < 1e-5,
                "{share} against {expected}"
            );
        };
        near(&room((20, 100), (5, 100)), 0.20);
        near(&room((5, 100), (20, 100)), 0.80);
        near(&room((20, 100), (5, 1)), 0.002_494);
        near(&room((5, 100), (20, 1)), 0.038_462);
        near(&room((2, 0), (2, 0)), 0.5);
        near(&[], 0.0);
    }

    #[test]
    fn a_second_try_leaves_more_often() {
        let near = |nodes: &[(bool, i32)], expected: f64| {
            let share = share_leaving_again(nodes).unwrap();
            assert!(
                (share - expected).abs() < 1e-9,
                "{share} against {expected}"
            );
        };
        // one here, one there: the second try goes to the other one
        near(&room((1, 100), (1, 100)), 0.5);
        near(&room((2, 100), (1, 100)), 2.0 / 3.0 * 0.5);
        near(&room((1, 100), (1, 1)), 100.0 / 101.0);
        assert_eq!(share_leaving_again(&room((1, 100), (0, 1))), None);
    }
}
