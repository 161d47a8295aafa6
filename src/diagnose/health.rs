//! What Nacos thinks of the instances: health, weight, protection. Findings beside the verdict: at interface level Dubbo
//! looks at none of them.

use std::{collections::BTreeMap, time::Duration};

use jiff::Timestamp;
use serde_json::json;

use super::{
    code::Code,
    decide::Computed,
    remarks::{SHOWN, left, raised},
};
use crate::{
    report::words::{Phrase, Say},
    view::{
        application::Instance,
        held::{Entry, Held, Removal},
        stage::{Evidence, Raised},
    },
};

/// So often Nacos looks for instances without beats, milliseconds.
const BEAT_CHECK_MS: u64 = 5000;

/// A weight that somebody set in Nacos: at interface level Dubbo takes the one of its own metadata.
pub(super) fn weight_ignored(entry: &Entry) -> Option<Raised> {
    let side = entry.nacos.as_ref()?;
    if (side.weight - 1.0).abs() < f64::EPSILON {
        return None;
    }
    let address = entry.address();
    Some(raised(
        Code::NacosWeightIgnored,
        json!({"address": address, "weight": side.weight}),
        ("address", &address),
        vec![entry.evidence.clone()],
    ))
}

/// Instances by address, of both models: dead where every registration of the address is, with what shows it.
fn instances<'a>(
    computed: &Computed<'_>,
    held: &'a Held,
) -> BTreeMap<String, (bool, bool, &'a dyn Shown)> {
    let of_interface = held.entries.iter().filter_map(|entry| {
        let side = entry.nacos.as_ref()?;
        let shown: &dyn Shown = entry;
        Some((entry.address(), side.healthy, side.rewritten, shown))
    });
    let reads_applications = computed.worlds.version.line().is_3x();
    let of_application = held
        .application
        .instances
        .iter()
        .filter(|instance| reads_applications && instance.enabled)
        .map(|instance| {
            let shown: &dyn Shown = instance;
            let address = instance.address.clone();
            (address, instance.healthy, instance.rewritten, shown)
        });
    let mut found: BTreeMap<String, (bool, bool, &dyn Shown)> = BTreeMap::new();
    for (address, healthy, rewritten, shown) in of_interface.chain(of_application) {
        let is_dead = !healthy || rewritten;
        found
            .entry(address)
            .and_modify(|known| {
                if known.0 && is_dead && rewritten {
                    known.2 = shown;
                }
                known.0 &= is_dead;
                known.1 |= rewritten;
            })
            .or_insert((is_dead, rewritten, shown));
    }
    found
}

/// What can be shown as dead.
trait Shown {
    /// What shows it, and when it goes.
    fn dead(&self) -> Evidence;
}

impl Shown for Entry {
    fn dead(&self) -> Evidence {
        match &self.nacos {
            Some(side) => dead(&self.address(), side.removal, &self.evidence),
            None => self.evidence.clone(),
        }
    }
}

impl Shown for Instance {
    fn dead(&self) -> Evidence {
        dead(&self.address, self.removal, &self.evidence)
    }
}

/// DG3002: all that are left are dead in Nacos' eyes; at interface level Dubbo calls them all the same, and a running
/// consumer takes those of applications as they come.
pub(super) fn all_unhealthy(computed: &Computed<'_>, held: &Held) -> Option<Raised> {
    let left = left(computed);
    let instances: Vec<_> = instances(computed, held)
        .into_iter()
        .filter(|(address, _)| left.contains(address))
        .map(|(_, instance)| instance)
        .collect();
    if instances.is_empty() || !instances.iter().all(|(is_dead, ..)| *is_dead) {
        return None;
    }
    let told = if instances.iter().any(|(_, rewritten, _)| *rewritten) {
        "healthy"
    } else {
        "unhealthy"
    };
    let service = computed.question.service.to_string();
    Some(raised(
        Code::AllUnhealthy,
        json!({"service": service, "count": instances.len(), "total": instances.len(), "told": told}),
        ("service", &service),
        instances
            .iter()
            .take(SHOWN)
            .map(|(.., shown)| shown.dead())
            .collect(),
    ))
}

/// What shows that an instance is dead, and when it goes.
fn dead(address: &str, removal: Removal, shown: &Evidence) -> Evidence {
    let say = |say: Say| Phrase::new(say).with("address", address);
    let fact = match removal {
        Removal::Never => say(Say::RemovalNever),
        Removal::WithConnection => say(Say::RemovalWithConnection),
        Removal::AfterBeats {
            unhealthy_ms,
            removed_ms,
            expires,
        } => {
            // Unhealthy already: the last beat is at least so long ago, unless it is removed before that (then it never was
            // healthy). The server looks every five seconds.
            let past = if unhealthy_ms < removed_ms {
                unhealthy_ms
            } else {
                0
            };
            let left = (removed_ms - past).saturating_add(BEAT_CHECK_MS);
            let seen = shown.seen_at.as_deref();
            let by = seen
                .and_then(|text| text.parse::<Timestamp>().ok())
                .and_then(|seen| seen.checked_add(Duration::from_millis(left)).ok())
                .map_or_else(|| "-".to_owned(), |by| by.to_string());
            say(if expires {
                Say::RemovalExpires
            } else {
                Say::RemovalAfterBeats
            })
            .with("unhealthy", unhealthy_ms.to_string())
            .with("removed", removed_ms.to_string())
            .with("by", by)
        }
        Removal::Unknown => say(Say::InstanceUnhealthy),
    };
    Evidence {
        fact,
        ..shown.clone()
    }
}

/// DG3004: instances of the application that a consumer of 3.x does not take when it starts.
pub(super) fn weight_zero(computed: &Computed<'_>, held: &Held) -> Vec<Raised> {
    // As the verdict they are told already, all of them.
    let is_verdict = computed
        .cause
        .as_ref()
        .is_some_and(|(raised, _)| raised.code == Code::WeightZero);
    if is_verdict || !computed.worlds.version.line().is_3x() {
        return Vec::new();
    }
    held.application
        .instances
        .iter()
        .filter(|instance| instance.enabled && instance.weight <= 0.0)
        .take(SHOWN)
        .map(|instance| {
            raised(
                Code::WeightZero,
                json!({"address": instance.address, "application": instance.application}),
                ("address", &instance.address),
                vec![instance.evidence.clone()],
            )
        })
        .collect()
}

/// Dead instances that Nacos hands out as healthy.
pub(super) fn protected(computed: &Computed<'_>, held: &Held) -> Option<Raised> {
    let instances = instances(computed, held);
    let dead: Vec<_> = instances
        .values()
        .filter(|(_, rewritten, _)| *rewritten)
        .collect();
    let service = computed.question.service.to_string();
    (!dead.is_empty()).then(|| {
        raised(
            Code::ProtectionThreshold,
            json!({"service": service, "count": dead.len(), "total": instances.len()}),
            ("service", &service),
            dead.iter()
                .take(SHOWN)
                .map(|(.., shown)| shown.dead())
                .collect(),
        )
    })
}
