//! Whom to ask, and asking them to the end: what a verb needs of this room.

use std::{future::pending, io};

use super::{
    Observer, Progress, Terms,
    nacos::{self, Nacos},
    run,
    zookeeper::{self, Zookeeper},
};
use crate::{
    question::{RegistryAddress, RegistryKind},
    snapshot::{Ended, Manifest, Role, Snapshot, Source, SourceKind, Want},
};

/// Why an address cannot be observed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unobservable {
    /// An address of a ZooKeeper.
    #[error(transparent)]
    Zookeeper(#[from] zookeeper::Unobservable),
    /// An address of a Nacos.
    #[error(transparent)]
    Nacos(#[from] nacos::Unobservable),
}

/// The observers of these addresses, each a source in the manifest.
///
/// Addresses of the same server (any member in common) are one source, with the credentials of the first; its roles are
/// those of all. Addresses of kinds that are not asked yet are left out.
///
/// # Errors
/// An address that cannot be asked.
pub fn observers<'a>(
    addresses: impl IntoIterator<Item = (&'a RegistryAddress, Role)>,
    manifest: &mut Manifest,
) -> Result<Vec<Observer>, Unobservable> {
    let mut merged: Vec<(RegistryAddress, Vec<Role>)> = Vec::new();
    for (address, role) in addresses {
        if address.kind == RegistryKind::Other {
            continue;
        }
        let same = |(known, _): &&mut (RegistryAddress, Vec<Role>)| {
            known.kind == address.kind
                && known
                    .members
                    .iter()
                    .any(|member| address.members.contains(member))
        };
        match merged.iter_mut().find(same) {
            Some((known, roles)) => {
                let further = address
                    .members
                    .iter()
                    .filter(|m| !known.members.contains(m));
                let further: Vec<String> = further.cloned().collect();
                known.members.extend(further);
                if !roles.contains(&role) {
                    roles.push(role);
                }
            }
            None => merged.push((address.clone(), vec![role])),
        }
    }
    merged
        .into_iter()
        .map(|(address, roles)| {
            let nacos = address.kind == RegistryKind::Nacos;
            let mut source = Source::new(if nacos {
                SourceKind::Nacos
            } else {
                SourceKind::Zookeeper
            });
            source.url = Some(address.to_string());
            source.roles = roles;
            let id = manifest.add_source("r", source);
            Ok(if nacos {
                Observer::Nacos(Nacos::new(id, &address)?)
            } else {
                Observer::Zookeeper(Zookeeper::new(id, &address)?)
            })
        })
        .collect()
}

/// [`run`] on a runtime of its own, stopped by Ctrl-C. A name lookup that hangs does not hold up the end.
///
/// # Errors
/// The system gives no runtime (no file handles, for instance).
pub fn live(
    snapshot: &mut Snapshot,
    observers: &mut [Observer],
    terms: &Terms,
    wants: impl FnMut(&Snapshot) -> Vec<Want>,
    progress: impl FnMut(Progress),
) -> io::Result<Ended> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let ended = runtime.block_on(run(
        snapshot,
        observers,
        terms,
        interrupt(),
        wants,
        progress,
    ));
    runtime.shutdown_background();
    Ok(ended)
}

/// Resolves when the user presses Ctrl-C.
pub async fn interrupt() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a signal handler the system ends the process by itself.
        pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::At;

    #[test]
    fn addresses_of_one_server_are_one_source() {
        let parse = |text: &str| RegistryAddress::parse(text).unwrap();
        let registry = parse("zookeeper://app:s3cret@a:2181?backup=b:2181&group=site");
        let rules = parse("zookeeper://b:2181?backup=c:2181");
        let other = parse("zookeeper://z:2181");
        let nacos = parse("nacos://n:8848");
        let mut manifest = Manifest::new("test", At::parse("2026-11-29T20:42:37Z").unwrap());
        let addresses = [
            (&registry, Role::Registry),
            (&rules, Role::ConfigCenter),
            (&other, Role::Registry),
            (&nacos, Role::Registry),
        ];
        let observers = observers(addresses, &mut manifest).unwrap();
        assert_eq!(observers.len(), 3);
        let sources: Vec<&Source> = manifest.sources.values().collect();
        assert_eq!(sources[0].roles, [Role::Registry, Role::ConfigCenter]);
        let url = sources[0].url.as_deref().unwrap();
        assert!(url.contains("a:2181") && url.contains("c:2181"), "{url}");
        assert!(!url.contains("s3cret"), "{url}");
        assert_eq!(sources[1].url.as_deref(), Some("zookeeper://z:2181"));
        assert_eq!(sources[2].url.as_deref(), Some("nacos://n:8848"));
        assert_eq!(sources[2].kind, SourceKind::Nacos);
    }
}
