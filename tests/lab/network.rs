//! A network for one run: a namespace with nothing but a loopback device, on which each simulated host has an address of
//! its own. Nothing outside can be reached from it, and all that was started in it ends with it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, bail, ensure};

use crate::relay;

/// Where the registry is.
pub(crate) const REGISTRY: &str = "192.0.2.2";

/// Where the members of an ensemble are.
pub(crate) const MEMBERS: [&str; 3] = [REGISTRY, "192.0.2.4", "192.0.2.5"];

/// The address of the `number`th (from 1) process of a role.
pub(crate) fn host(role: Role, number: u16) -> String {
    match role {
        Role::Provider => format!("192.0.2.{}", 10 + number),
        Role::Consumer => format!("192.0.2.{}", 20 + number),
    }
}

/// What an application is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It exports.
    Provider,
    /// It refers.
    Consumer,
}

/// Most processes of one role.
pub(crate) const MOST: u16 = 4;

/// Whether this process sees no device but the loopback one, as inside [`enter`].
pub(crate) fn is_own() -> anyhow::Result<bool> {
    let devices = fs::read_to_string("/proc/net/dev")?;
    let alone = devices
        .lines()
        .skip(2)
        .all(|row| row.trim_start().starts_with("lo:"));
    // Its name is ours as well, so that no name of the machine comes into a recording.
    let named = fs::read_to_string("/proc/sys/kernel/hostname")?;
    Ok(alone && named.trim() == "lab")
}

/// Runs the same command again inside a new network; whether it succeeded.
pub(crate) fn enter() -> anyhow::Result<bool> {
    let mut script = "hostname lab && ip link set lo up".to_owned();
    let hosts = (1..=MOST).flat_map(|n| [host(Role::Provider, n), host(Role::Consumer, n)]);
    let servers = MEMBERS.into_iter().chain([LINK]).map(str::to_owned);
    for address in servers.chain(hosts) {
        script.push_str(" && ip address add ");
        script.push_str(&address);
        script.push_str("/32 dev lo");
    }
    relay::serve(&files())?;
    // Logs name files: those of a run and of Maven's repository lie where they would lie on anybody's machine.
    let files = files();
    let repository = repository()?;
    script.push_str(" && mount --bind \"$1\" /srv && mount --bind \"$2\" /opt");
    script.push_str(" && shift 2 && exec \"$@\"");
    let mut unshare = Command::new("unshare");
    if !is_root()? {
        unshare.arg("--map-root-user");
    }
    let status = unshare
        .args([
            "--net",
            "--uts",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
        ])
        .args(["sh", "-c", &script, "lab"])
        .args([&files, Path::new(&repository)])
        .arg(std::env::current_exe()?)
        .args(std::env::args().skip(1))
        .status()
        .context("unshare (Debian package util-linux)")?;
    ensure!(
        status.code() != Some(127),
        "`ip` is missing (Debian package iproute2)"
    );
    Ok(status.success())
}

/// What a run leaves, and what it was built from.
fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/lab")
}

/// Where Maven keeps its artifacts, as a class path names it.
fn repository() -> anyhow::Result<String> {
    let apps = fs::read_dir(files().join("apps")).context("nothing is built")?;
    for built in apps {
        let path = built?.path().join("classpath");
        let Ok(text) = fs::read_to_string(path) else {
            continue;
        };
        let jars = text.trim().split(':');
        let mut found = jars.filter_map(|jar| jar.split_once("/org/apache/dubbo/dubbo/"));
        if let Some((repository, _)) = found.next() {
            return Ok(repository.to_owned());
        }
    }
    bail!("no class path below target/lab/apps; start tests/lab/run")
}

/// Where [`files`] lie inside.
pub(crate) const FILES: &str = "/srv";

/// The class path as it is inside.
pub(crate) fn inside(class_path: &str) -> String {
    let jars = class_path.trim().split(':').map(|jar| {
        let group = jar.match_indices('/').map(|(at, _)| &jar[at..]);
        // A repository's own layout begins where a jar of it is found below the mounted one.
        let mut here = group.map(|rest| format!("/opt{rest}"));
        here.find(|path| Path::new(path).is_file())
            .unwrap_or_else(|| jar.to_owned())
    });
    jars.collect::<Vec<_>>().join(":")
}

/// Where a link stands that delays or cuts what passes.
pub(crate) const LINK: &str = "192.0.2.3";

fn is_root() -> anyhow::Result<bool> {
    let status = fs::read_to_string("/proc/self/status")?;
    Ok(status.lines().any(|row| row.starts_with("Uid:\t0\t")))
}
