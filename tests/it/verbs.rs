//! Every verb as a user runs it, in one table: what holds for all of them is tested over it.

use std::path::Path;

/// The service that is asked about.
pub(crate) const SERVICE: &str = "com.x.Order";

/// The command lines. `{log}`, `{properties}`, `{rule}`, `{calls}` are files, `{out}` is a new place.
pub(crate) const VERBS: [&[&str]; 17] = [
    &["no-provider", SERVICE, "-vv"],
    &["no-provider", SERVICE, "-o", "json"],
    &["no-provider", SERVICE, "-o", "markdown"],
    &["no-provider", SERVICE, "-o", "html"],
    &["no-provider", SERVICE, "--brief"],
    &["no-provider", "com.x.Missing", "--lang", "zh", "-vv"],
    &["no-provider", "--from-log", "{log}", "-vv"],
    &[
        "no-provider",
        SERVICE,
        "--attach",
        "consumer:{log}",
        "--attach",
        "consumer:{properties}",
        "-o",
        "json",
    ],
    &["snapshot", SERVICE, "--out", "{out}", "-vv"],
    &[
        "snapshot",
        SERVICE,
        "--out",
        "{out}.tgz",
        "--attach",
        "consumer:{log}",
    ],
    &["snapshot", "--all", "--out", "{out}", "-vv"],
    &["snapshot", "--all", "--out", "{out}.tar.gz"],
    &["snapshot", SERVICE, "--dry-run", "-vv"],
    &["lint", "{rule}", "-vv"],
    &[
        "route-replay",
        SERVICE,
        "-f",
        "order-web.condition-router={rule}",
        "-vv",
    ],
    &[
        "route-replay",
        SERVICE,
        "--requests",
        "{calls}",
        "-o",
        "json",
    ],
    &["timeout-budget", SERVICE, "get", "--p99", "450ms", "-vv"],
];

/// A command line with its places filled in, and where to ask behind it.
pub(crate) fn arguments(
    verb: &[&str],
    more: &[String],
    files: &[(&str, String)],
    out: &Path,
) -> Vec<String> {
    let own = verb.iter().map(|arg| {
        let mut arg = (*arg).replace("{out}", out.to_str().expect("a path"));
        for (name, path) in files {
            arg = arg.replace(&format!("{{{name}}}"), path);
        }
        arg
    });
    own.chain(more.iter().cloned()).collect()
}
