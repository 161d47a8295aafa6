//! Entries of consumers: who subscribes here, and which of them is the one in question.

use crate::{question::Consumer, view::held::Entry};

/// Whether an entry is that of the consumer in question: same address, or same application where no address is known.
pub(super) fn is_own(entry: &Entry, consumer: &Consumer) -> bool {
    let Some(url) = entry.plain() else {
        return false;
    };
    match (&consumer.ip, &consumer.application) {
        (Some(ip), Some(application)) => {
            url.host.as_deref() == Some(ip) && url.text("application") == Some(application)
        }
        (Some(ip), None) => url.host.as_deref() == Some(ip),
        (None, Some(application)) => url.text("application") == Some(application),
        (None, None) => false,
    }
}
