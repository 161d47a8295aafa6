//! A registry address in Dubbo's own syntax (`zookeeper://h:2181?backup=h2:2181&group=..`).

use std::{collections::BTreeMap, fmt};

use crate::model::secret::Secret;

/// Kind of registry, from the scheme of the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegistryKind {
    /// `zookeeper://`
    Zookeeper,
    /// `nacos://`, `nacos+https://`
    Nacos,
}

/// How the registry's group was given. Only the attribute moves the place where rules are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupOrigin {
    /// `?group=` inside the address.
    Address,
    /// The attribute `dubbo.registry.group` (`--registry-group`).
    Attribute,
}

/// Where the consumer is configured to look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryAddress {
    /// Kind, from the scheme.
    pub kind: RegistryKind,
    /// `zookeeper+tls://`, `nacos+https://`.
    pub tls: bool,
    /// All members, `host:port`, the first one first; `backup=` follows.
    pub members: Vec<String>,
    /// Context path (Nacos) or chroot (ZooKeeper, only behind the last `backup`), without slashes at the ends.
    pub path: Option<String>,
    /// User name.
    pub username: Option<String>,
    /// Password; never printed.
    pub password: Option<Secret>,
    /// `group`, with the way it was given.
    pub group: Option<(String, GroupOrigin)>,
    /// `namespace` (Nacos).
    pub namespace: Option<String>,
    /// All other parameters.
    pub params: BTreeMap<String, String>,
}

/// Why an address cannot be read. Names the part and the way out; never repeats a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("registry address: {problem}")]
pub struct RegistryAddressError {
    /// The part and what is wrong with it.
    pub problem: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl fmt::Display for RegistryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zookeeper => "zookeeper",
            Self::Nacos => "nacos",
        })
    }
}
