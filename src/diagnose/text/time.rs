//! When a line was written, and which of two is the later one.

use crate::{
    input::log::{Failure, LogFacts, Moment},
    view::held::Held,
};

/// A printed local time without a zone is at most so far behind UTC: UTC-12 is the last zone to reach it.
const LAST_ZONE_MS: i64 = 12 * 3_600_000;

/// UTC+14 is the first zone to reach it.
const FIRST_ZONE_MS: i64 = 14 * 3_600_000;

/// A moment of a text, ms since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct When {
    /// Not before.
    pub(super) earliest: i64,
    /// As shown: exact where the zone is known, else as if it were UTC.
    pub(super) shown: i64,
    /// The zone is known.
    pub(super) exact: bool,
    /// Not after.
    pub(super) latest: i64,
}

impl When {
    /// The moment of a line; `None` where it has no time or no date.
    pub(super) fn of(log: &LogFacts, moment: Option<&Moment>) -> Option<Self> {
        let moment = moment?;
        let printed = moment.millis?;
        let exact = if moment.zone_known {
            Some(printed)
        } else {
            log.ahead_of_utc.map(|ahead| printed.saturating_sub(ahead))
        };
        let at = exact.unwrap_or(printed);
        let slack = |zone: i64| if exact.is_some() { 0 } else { zone };
        Some(Self {
            earliest: at.saturating_sub(slack(FIRST_ZONE_MS)),
            shown: at,
            exact: exact.is_some(),
            latest: at.saturating_add(slack(LAST_ZONE_MS)),
        })
    }
}

/// Where in the logs of a process a line stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stamp {
    file: String,
    line: u64,
    printed: Option<(i64, bool)>,
    pub(super) when: Option<When>,
}

impl Stamp {
    /// The last time of a failure or statement.
    pub(super) fn last(log: &LogFacts, failure: &Failure) -> Self {
        let moment = failure.last_time.as_ref();
        Self {
            file: log.origin.name.clone(),
            line: failure.last.line,
            printed: moment.and_then(|moment| Some((moment.millis?, moment.zone_known))),
            when: When::of(log, moment),
        }
    }

    /// Lines of one file by their numbers, those of several by their times where these are of one kind.
    pub(super) fn is_after(&self, other: &Self) -> bool {
        if self.file == other.file {
            return self.line > other.line;
        }
        match (self.printed, other.printed) {
            (Some((here, known)), Some((there, likewise))) if known == likewise => here > there,
            _ => false,
        }
    }
}

/// When an address was registered, ms since 1970: what its registry says of the entry, else the start that the provider
/// itself says (`timestamp`). The latest of several.
pub(super) fn registered_ms(held: &Held, address: &str) -> Option<i64> {
    let entries = held
        .entries
        .iter()
        .filter(|entry| entry.address() == address);
    let of_entries = entries.filter_map(|entry| {
        let started = || entry.plain()?.text("timestamp")?.parse().ok();
        entry.changed_ms.or_else(started)
    });
    let instances = held.application.instances.iter();
    let of_instances = instances
        .filter(|instance| instance.address == address)
        .filter_map(|instance| instance.metadata.get("timestamp")?.parse().ok());
    of_entries.chain(of_instances).max()
}
