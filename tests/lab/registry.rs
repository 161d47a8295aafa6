//! What the lab needs of a registry, whichever it is.

use std::path::Path;

use anyhow::bail;

use crate::{
    network::REGISTRY,
    process::Process,
    rnacos::{self, Rnacos},
    scenario::{Kind, Level},
    zookeeper::{self, ZooKeeper},
};

/// A running registry.
#[derive(Debug)]
pub(crate) enum Registry {
    /// ZooKeeper.
    ZooKeeper(ZooKeeper),
    /// r-nacos.
    Rnacos(Rnacos),
}

impl Registry {
    /// Starts one with nothing in it, its files below `dir`.
    pub(crate) fn start(kind: Kind, dir: &Path, session_ms: u32) -> anyhow::Result<Self> {
        Ok(match kind {
            Kind::ZooKeeper => Self::ZooKeeper(ZooKeeper::start(dir, session_ms)?),
            Kind::Rnacos => Self::Rnacos(Rnacos::start(dir)?),
        })
    }

    /// `host:port`.
    pub(crate) fn address(&self) -> String {
        format!("{REGISTRY}:{}", self.port())
    }

    pub(crate) fn port(&self) -> u16 {
        match self {
            Self::ZooKeeper(_) => zookeeper::PORT,
            Self::Rnacos(_) => rnacos::PORT,
        }
    }

    /// The address as Dubbo's configuration has it.
    pub(crate) fn url(&self) -> String {
        let scheme = match self {
            Self::ZooKeeper(_) => "zookeeper",
            Self::Rnacos(_) => "nacos",
        };
        format!("{scheme}://{}", self.address())
    }

    pub(crate) fn process(&mut self) -> &mut Process {
        match self {
            Self::ZooKeeper(server) => &mut server.process,
            Self::Rnacos(server) => &mut server.process,
        }
    }

    /// What publishes a text of the config centre, under a key of the group `dubbo`.
    pub(crate) fn publisher(&self) -> fn(&str, &str) -> anyhow::Result<()> {
        match self {
            Self::ZooKeeper(_) => |key, text| ZooKeeper::write(&rule("dubbo", key), text),
            Self::Rnacos(_) => |key, text| Rnacos::publish("dubbo", key, text),
        }
    }

    /// Publishes a text of the config centre.
    pub(crate) fn publish(&self, group: &str, key: &str, text: &str) -> anyhow::Result<()> {
        match self {
            Self::ZooKeeper(_) => ZooKeeper::write(&rule(group, key), text),
            Self::Rnacos(_) => Rnacos::publish(group, key, text),
        }
    }

    /// Takes it away.
    pub(crate) fn retract(&self, group: &str, key: &str) -> anyhow::Result<()> {
        match self {
            Self::ZooKeeper(_) => ZooKeeper::delete(&rule(group, key)),
            Self::Rnacos(_) => Rnacos::retract(group, key),
        }
    }

    /// Writes a node with this text, or, without one, deletes it.
    pub(crate) fn node(&self, path: &str, text: Option<&str>) -> anyhow::Result<()> {
        match (self, text) {
            (Self::ZooKeeper(_), Some(text)) => ZooKeeper::write(path, text),
            (Self::ZooKeeper(_), None) => ZooKeeper::delete(path),
            (Self::Rnacos(_), _) => bail!("nodes are of ZooKeeper"),
        }
    }

    /// How many entries the asked service has.
    pub(crate) fn entries(&self, level: Level) -> anyhow::Result<usize> {
        match self {
            Self::ZooKeeper(_) => ZooKeeper::entries(level),
            Self::Rnacos(_) => Rnacos::entries(level),
        }
    }
}

/// Where ZooKeeper holds a text of the config centre.
fn rule(group: &str, key: &str) -> String {
    format!("/dubbo/config/{group}/{key}")
}
