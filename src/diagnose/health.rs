//! What Nacos thinks of the instances: health, weight, protection. Findings beside the verdict: at interface level Dubbo
//! looks at none of them.

use std::time::Duration;

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
        held::{Entry, Held, NacosSide, Removal},
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

/// DG3002: all that are left are dead in Nacos' eyes; at interface level Dubbo calls them all the same.
pub(super) fn all_unhealthy(computed: &Computed<'_>, held: &Held) -> Option<Raised> {
    let left = left(computed);
    let entries: Vec<(&Entry, &NacosSide)> = held
        .entries
        .iter()
        .filter(|entry| left.contains(&entry.address()))
        .filter_map(|entry| Some((entry, entry.nacos.as_ref()?)))
        .collect();
    let is_dead = |side: &NacosSide| !side.healthy || side.rewritten;
    if entries.is_empty() || !entries.iter().all(|(_, side)| is_dead(side)) {
        return None;
    }
    let told = if entries.iter().any(|(_, side)| side.rewritten) {
        "healthy"
    } else {
        "unhealthy"
    };
    let service = computed.question.service.to_string();
    Some(raised(
        Code::AllUnhealthy,
        json!({"service": service, "count": entries.len(), "total": entries.len(), "told": told}),
        ("service", &service),
        entries
            .iter()
            .take(SHOWN)
            .map(|(entry, side)| dead(entry, side))
            .collect(),
    ))
}

/// What shows that an instance is dead, and when it goes.
fn dead(entry: &Entry, side: &NacosSide) -> Evidence {
    let address = entry.address();
    let say = |say: Say| Phrase::new(say).with("address", &*address);
    let removal = match side.removal {
        Removal::Never => Some(say(Say::RemovalNever)),
        Removal::WithConnection => Some(say(Say::RemovalWithConnection)),
        Removal::AfterBeats {
            unhealthy_ms,
            removed_ms,
        } => {
            // Unhealthy already: the last beat is at least so long ago. The server looks every five seconds.
            let left = removed_ms.saturating_sub(unhealthy_ms) + BEAT_CHECK_MS;
            let seen = entry.evidence.seen_at.as_deref();
            let by = seen
                .and_then(|text| text.parse::<Timestamp>().ok())
                .and_then(|seen| seen.checked_add(Duration::from_millis(left)).ok())
                .map_or_else(|| "-".to_owned(), |by| by.to_string());
            Some(
                say(Say::RemovalAfterBeats)
                    .with("unhealthy", unhealthy_ms.to_string())
                    .with("removed", removed_ms.to_string())
                    .with("by", by),
            )
        }
        Removal::Unknown => None,
    };
    Evidence {
        fact: removal.unwrap_or_else(|| say(Say::InstanceUnhealthy)),
        ..entry.evidence.clone()
    }
}

/// DG3004: instances of the application that a consumer of 3.x does not take when it starts.
pub(super) fn weight_zero(computed: &Computed<'_>, held: &Held) -> Vec<Raised> {
    if !computed.worlds.version.line().is_3x() {
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
    let dead: Vec<&Entry> = held
        .entries
        .iter()
        .filter(|entry| entry.nacos.as_ref().is_some_and(|side| side.rewritten))
        .collect();
    let service = computed.question.service.to_string();
    (!dead.is_empty()).then(|| {
        raised(
            Code::ProtectionThreshold,
            json!({"service": service, "count": dead.len(), "total": held.entries.len()}),
            ("service", &service),
            dead.iter()
                .take(SHOWN)
                .filter_map(|entry| Some(self::dead(entry, entry.nacos.as_ref()?)))
                .collect(),
        )
    })
}
