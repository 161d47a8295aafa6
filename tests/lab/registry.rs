//! What the lab needs of a registry, whichever it is.

use std::path::Path;

use anyhow::{Context, bail};

use crate::{
    nacos::{self, LOGIN, Nacos},
    network::REGISTRY,
    process::Process,
    rnacos::Rnacos,
    scenario::{Kind, Level, Scenario},
    zookeeper::{self, Tree, ZooKeeper},
};

/// A running registry.
#[derive(Debug)]
pub(crate) enum Registry {
    /// ZooKeeper.
    ZooKeeper(ZooKeeper),
    /// r-nacos.
    Rnacos(Rnacos),
    /// A Nacos that runs elsewhere.
    Nacos(Nacos),
}

/// What a registry holds, for those who write it.
#[derive(Debug, Clone)]
pub(crate) enum Store {
    /// Nodes.
    Tree(Tree),
    /// Configurations and instances.
    Nacos(nacos::Store),
}

impl Registry {
    /// Starts one with nothing in it, its files below `dir`.
    pub(crate) fn start(kind: Kind, dir: &Path, scenario: &Scenario) -> anyhow::Result<Self> {
        let Scenario {
            session_ms,
            members,
            token_seconds,
            ..
        } = *scenario;
        Ok(match kind {
            Kind::ZooKeeper => Self::ZooKeeper(ZooKeeper::start(dir, session_ms, members)?),
            Kind::Rnacos => Self::Rnacos(Rnacos::start(dir, token_seconds)?),
            Kind::Nacos => Self::Nacos(Nacos::start()?),
        })
    }

    /// What it holds.
    pub(crate) fn store(&self) -> Store {
        match self {
            Self::ZooKeeper(server) => Store::Tree(server.tree.clone()),
            Self::Rnacos(server) => Store::Nacos(server.store.clone()),
            Self::Nacos(server) => Store::Nacos(server.store.clone()),
        }
    }

    /// `host:port`, of an ensemble that of the first member.
    pub(crate) fn address(&self) -> String {
        format!("{REGISTRY}:{}", self.ports()[0])
    }

    /// Where clients connect to, the port of the address first.
    pub(crate) fn ports(&self) -> Vec<u16> {
        match self {
            Self::ZooKeeper(_) => vec![zookeeper::PORT],
            Self::Rnacos(_) | Self::Nacos(_) => vec![nacos::PORT, nacos::PORT + 1000],
        }
    }

    /// The address as the configuration of somebody has it who was told nothing more.
    pub(crate) fn plain_url(&self) -> String {
        let scheme = match self {
            Self::ZooKeeper(_) => "zookeeper",
            Self::Rnacos(_) | Self::Nacos(_) => "nacos",
        };
        format!("{scheme}://{}", self.address())
    }

    /// The address as Dubbo's configuration has it.
    pub(crate) fn url(&self) -> String {
        let parameters = match self.store() {
            Store::Tree(tree) if tree.addresses.len() > 1 => {
                format!("?backup={}", tree.addresses[1..].join(","))
            }
            Store::Tree(_) => String::new(),
            Store::Nacos(store) if store.login => {
                format!("?username={}&password={}", LOGIN.0, LOGIN.1)
            }
            Store::Nacos(store) => store
                .namespace
                .map_or_else(String::new, |name| format!("?namespace={name}")),
        };
        self.plain_url() + &parameters
    }

    /// Its process by name: `registry`, `registry2` ..
    pub(crate) fn process(&mut self, name: &str) -> anyhow::Result<&mut Process> {
        let number = match name.strip_prefix("registry") {
            Some("") => 1,
            number => number.unwrap_or_default().parse::<usize>().unwrap_or(0),
        };
        let processes = match self {
            Self::ZooKeeper(server) => &mut *server.members,
            Self::Rnacos(server) => std::slice::from_mut(&mut server.process),
            Self::Nacos(_) => bail!("{name} is not ours"),
        };
        number
            .checked_sub(1)
            .and_then(|place| processes.get_mut(place))
            .with_context(|| format!("there is no {name}"))
    }
}

impl Store {
    /// Publishes a text of the config centre.
    pub(crate) fn publish(&self, group: &str, key: &str, text: &str) -> anyhow::Result<()> {
        match self {
            Self::Tree(tree) => tree.write(&rule(group, key), text),
            Self::Nacos(store) => store.publish(group, key, text),
        }
    }

    /// Takes it away.
    pub(crate) fn retract(&self, group: &str, key: &str) -> anyhow::Result<()> {
        match self {
            Self::Tree(tree) => tree.delete(&rule(group, key)),
            Self::Nacos(store) => store.retract(group, key),
        }
    }

    /// Writes a node with this text, or, without one, deletes it.
    pub(crate) fn node(&self, path: &str, text: Option<&str>) -> anyhow::Result<()> {
        match (self, text) {
            (Self::Tree(tree), Some(text)) => tree.write(path, text),
            (Self::Tree(tree), None) => tree.delete(path),
            (Self::Nacos(_), _) => bail!("nodes are of ZooKeeper"),
        }
    }

    /// How many entries the asked service has.
    pub(crate) fn entries(&self, level: Level) -> anyhow::Result<usize> {
        match self {
            Self::Tree(tree) => tree.entries(level),
            Self::Nacos(store) => store.entries(level),
        }
    }
}

/// Where ZooKeeper holds a text of the config centre.
fn rule(group: &str, key: &str) -> String {
    format!("/dubbo/config/{group}/{key}")
}
