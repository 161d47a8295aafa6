//! What cannot be asked for: what the command line promises and this version does not have yet, with what works
//! instead, and addresses in place of files.

use crate::{
    cli::{Common, NoProviderArgs, RouteReplayArgs, SnapshotArgs, TimeoutBudgetArgs},
    error::UsageError,
};

/// A verb or flag that is not there.
fn missing(what: &str, instead: &str) -> UsageError {
    UsageError::new(format!(
        "{what} is not built in this version ({})",
        env!("CARGO_PKG_VERSION")
    ))
    .hint(instead)
}

/// The first given flag of `no-provider` that is not there.
pub(super) fn no_provider(args: &NoProviderArgs) -> Result<(), UsageError> {
    asking_ports(&args.common)
}

/// The first given flag of `timeout-budget` that is not there.
pub(super) fn timeout_budget(args: &TimeoutBudgetArgs) -> Result<(), UsageError> {
    let mut common = args.common.clone();
    // Round trips are tried, metrics are asked for.
    common.sight.probe = false;
    common.sight.qos.clear();
    self::common(&common)
}

/// The first given flag of `lint` that is not there.
pub(super) fn lint(common: &Common) -> Result<(), UsageError> {
    let mut common = common.clone();
    // Script engines depend on it, and that is looked at.
    common.consumer.jdk = None;
    self::common(&common)
}

/// The first given flag of `snapshot` that is not there.
pub(super) fn snapshot(args: &SnapshotArgs) -> Result<(), UsageError> {
    asking_ports(&args.common)
}

/// The same for verbs that ask QOS ports and try providers.
fn asking_ports(given: &Common) -> Result<(), UsageError> {
    let mut given = given.clone();
    given.sight.qos.clear();
    given.sight.probe = false;
    common(&given)
}

/// The first given flag of `route-replay` that is not there.
pub(super) fn route_replay(args: &RouteReplayArgs) -> Result<(), UsageError> {
    paths(&args.common)?;
    let sight = &args.common.sight;
    first([
        (
            !sight.qos.is_empty(),
            "--qos",
            "give addresses and rules with --snapshot, --registry or files",
        ),
        (sight.probe, "--probe", "a replay connects to nobody"),
        (
            sight.from_log.is_some(),
            "--from-log",
            "name the service and its consumer with flags",
        ),
        (
            !sight.attach.is_empty(),
            "--attach",
            "say what the file has: --registry, --consumer-app, --param",
        ),
        (
            args.common.registry.metadata_report.is_some(),
            "--metadata-report",
            "methods are those that the providers list",
        ),
    ])
}

fn common(common: &Common) -> Result<(), UsageError> {
    paths(common)?;
    let sight = &common.sight;
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
    ])?;
    Ok(())
}

/// An address where a file is expected: said before anybody opens, and quotes, it.
fn paths(common: &Common) -> Result<(), UsageError> {
    let (sight, flags) = (&common.sight, &common.output);
    let named = [
        ("--snapshot", sight.snapshot.as_ref()),
        ("--from-log", sight.from_log.as_ref()),
        ("--config", flags.config.as_ref()),
        ("--password-file", common.registry.password_file.as_ref()),
    ];
    let attached = sight.attach.iter().map(|one| ("--attach", Some(&one.file)));
    for (flag, path) in named.into_iter().chain(attached) {
        if path.is_some_and(|path| is_address(&path.to_string_lossy())) {
            return Err(
                UsageError::new(format!("{flag} takes a file, not an address"))
                    .hint("an address goes into --registry, --also-search or --config-center"),
            );
        }
    }
    Ok(())
}

/// `scheme://..`, or `user:password@host:port`.
fn is_address(text: &str) -> bool {
    let signed_in = || {
        let (user, host) = text.rsplit_once('@')?;
        let (_, port) = host.rsplit_once(':')?;
        Some(user.contains(':') && port.parse::<u16>().is_ok())
    };
    text.contains("://") || signed_in().unwrap_or(false)
}

fn first<const N: usize>(flags: [(bool, &str, &str); N]) -> Result<(), UsageError> {
    flags
        .into_iter()
        .find(|(given, ..)| *given)
        .map_or(Ok(()), |(_, name, instead)| {
            Err(missing(&format!("`{name}`"), instead))
        })
}
