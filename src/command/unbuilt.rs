//! What the command line promises and this version does not have yet: said at once, with what works instead.

use crate::{
    cli::{Common, NoProviderArgs, Output, SnapshotArgs},
    error::UsageError,
    question::RegistryKind,
};

/// A verb or flag that is not there.
fn missing(what: &str, instead: &str) -> UsageError {
    UsageError::new(format!(
        "{what} is not built in this version ({})",
        env!("CARGO_PKG_VERSION")
    ))
    .hint(instead)
}

/// A verb that is not there.
pub(super) fn verb(name: &str, instead: &str) -> UsageError {
    missing(&format!("`diag {name}`"), instead)
}

/// The first given flag of `no-provider` that is not there.
pub(super) fn no_provider(args: &NoProviderArgs) -> Result<(), UsageError> {
    first([(
        args.wait.is_some(),
        "--wait",
        "run it again in a loop: the exit code is 0 once a provider is there",
    )])?;
    common(&args.common)
}

/// The first given flag of `snapshot` that is not there.
pub(super) fn snapshot(args: &SnapshotArgs) -> Result<(), UsageError> {
    first([(
        args.anonymize,
        "--anonymize",
        "secrets are masked in every recording; names and addresses are kept",
    )])?;
    common(&args.common)
}

/// Asking a registry of this kind live.
pub(super) fn live(kind: RegistryKind, address: &str) -> UsageError {
    missing(
        &format!("asking {kind} live ({address})"),
        "diagnose a recording of it: --snapshot PATH",
    )
}

fn common(common: &Common) -> Result<(), UsageError> {
    let (sight, zones) = (&common.sight, &common.zones);
    let zone = "zones are not looked at: the report has every address";
    first([
        (
            !sight.qos.is_empty(),
            "--qos",
            "attach the consumer's log: --attach consumer:FILE",
        ),
        (
            sight.probe,
            "--probe",
            "connections are not tried; a connect error in the consumer's log is read",
        ),
        (!zones.zone.is_empty(), "--zone", zone),
        (zones.zone_key.is_some(), "--zone-key", zone),
        (zones.consumer_zone.is_some(), "--consumer-zone", zone),
        (
            common.consumer.jdk.is_some(),
            "--jdk",
            "script rules are not run: they are shown as not seen",
        ),
        (
            common.registry.metadata_report.is_some(),
            "--metadata-report",
            "give it as --also-search to have it looked into",
        ),
    ])?;
    Ok(())
}

/// A format that is not there.
pub(super) fn format(output: Output) -> Result<(), UsageError> {
    let instead = "use -o text or -o json";
    first([
        (output == Output::Markdown, "-o markdown", instead),
        (output == Output::Html, "-o html", instead),
    ])
}

fn first<const N: usize>(flags: [(bool, &str, &str); N]) -> Result<(), UsageError> {
    flags
        .into_iter()
        .find(|(given, ..)| *given)
        .map_or(Ok(()), |(_, name, instead)| {
            Err(missing(&format!("`{name}`"), instead))
        })
}
