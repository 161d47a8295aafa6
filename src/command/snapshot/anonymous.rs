//! `--anonymize`: which names the recording has, what they are called in it, and how somebody asks for them.

use super::super::{Surroundings, stream};
use crate::{
    cli::SnapshotArgs,
    pseudonym::{Gathered, Pseudonyms},
    question::{RegistryAddress, mask_address},
    report::safe,
    settings::Settings,
    snapshot::Snapshot,
};

/// The variable with the secret that makes pseudonyms the same in several recordings.
const SECRET: &str = "DIAG_ANONYMIZE_KEY";
/// Names that stay are listed up to here.
const MOST_KEPT: usize = 10;

/// The secret of the user, if there is one.
pub(super) fn secret(around: &Surroundings) -> Option<&str> {
    around
        .environment
        .get(SECRET)
        .filter(|secret| !secret.is_empty())
}

/// The pseudonyms of a recording that is in memory.
pub(super) fn of(
    snapshot: &Snapshot,
    args: &SnapshotArgs,
    settings: &Settings,
    around: &Surroundings,
) -> Pseudonyms {
    asked(args, settings, snapshot).pseudonyms(secret(around))
}

/// Names of the question and of what is in memory.
pub(super) fn asked(args: &SnapshotArgs, settings: &Settings, snapshot: &Snapshot) -> Gathered {
    let mut names = Gathered::default();
    for service in &args.services {
        names.asked_service(service);
    }
    if let Some(application) = &args.common.consumer.consumer_app {
        names.asked_application(application);
    }
    for address in places(settings) {
        names.text(&address.to_string());
    }
    names.snapshot(snapshot);
    names
}

/// Every place that the settings name.
fn places(settings: &Settings) -> impl Iterator<Item = &RegistryAddress> {
    settings
        .registries
        .iter()
        .chain(&settings.also_search)
        .chain(&settings.config_center)
        .chain(&settings.metadata_report)
}

/// Says how to ask the recording for what was asked here, and which names are still in it.
pub(super) fn tell(pseudonyms: &Pseudonyms, args: &SnapshotArgs, settings: &Settings) {
    if args.common.output.quiet {
        return;
    }
    let consumer = &args.common.consumer;
    let places = places(settings).map(|place| mask_address(&place.without_secrets().to_string()));
    let mut names: Vec<String> = args
        .services
        .iter()
        .chain(&consumer.consumer_app)
        .chain(&consumer.consumer_ip)
        .cloned()
        .collect();
    for place in places {
        if !names.contains(&place) {
            names.push(place);
        }
    }
    for name in names {
        stream::note(&(safe(&format!("{name} is {} in it", pseudonyms.text(&name))) + "\n"));
    }
    let kept: Vec<&str> = pseudonyms.kept().collect();
    if !kept.is_empty() {
        let shown = kept[..kept.len().min(MOST_KEPT)].join(", ");
        stream::warn(&format!(
            "{} names stay as they are, because they are words of Dubbo or no plain names: {shown}",
            kept.len()
        ));
    }
}
