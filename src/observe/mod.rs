//! I/O: asks live systems for the facts that the pure side wants, and puts the answers into the snapshot.
//!
//! Only reads exist here: no call that changes, registers, subscribes or watches anything. Every request has a limit,
//! the run has a [`Deadline`], and whoever stops it finds a consistent snapshot of what was answered until then.

mod answers;
mod deadline;
mod failure;
mod live;
pub mod metadata;
pub mod metrics;
pub mod nacos;
pub mod probe;
pub mod qos;
pub mod recorded;
mod revision;
mod run;
mod walked;
pub mod zookeeper;

pub use answers::{Answers, Clock, Terms};
pub use deadline::{Deadline, Passed};
pub use failure::Failure;
pub use live::{Unobservable, interrupt, live, observers};
pub use revision::derive as derive_revisions;
pub use run::{Progress, run};
pub use walked::Walked;

use crate::snapshot::{Key, SourceId, Want};

/// Makes ring the cryptography of TLS for the whole process. With the feature `zookeeper-tls` rustls is built with a second
/// one and refuses to choose by itself.
fn choose_cryptography() {
    // An application that uses this library may have chosen before; ours is then not needed.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// A system that can be asked.
#[derive(Debug)]
pub enum Observer {
    /// A ZooKeeper ensemble.
    Zookeeper(zookeeper::Zookeeper),
    /// A Nacos server or cluster.
    Nacos(nacos::Nacos),
    /// The QOS port of a process.
    Qos(qos::Qos),
    /// Connections to providers.
    Probe(probe::Prober),
}

impl Observer {
    /// The source whose facts it fetches.
    pub fn source(&self) -> &SourceId {
        match self {
            Self::Zookeeper(zookeeper) => zookeeper.source(),
            Self::Nacos(nacos) => nacos.source(),
            Self::Qos(qos) => qos.source(),
            Self::Probe(prober) => prober.source(),
        }
    }

    /// Asks for everything that is wanted of this source. Wants of other sources and of other kinds of systems are
    /// left alone.
    ///
    /// Answers are given to `answers` as they come. May be dropped at any point.
    pub async fn fetch(&mut self, wants: &[Want], deadline: &Deadline, answers: &Answers) {
        match self {
            Self::Zookeeper(zookeeper) => zookeeper.fetch(wants, deadline, answers).await,
            Self::Nacos(nacos) => nacos.fetch(wants, deadline, answers).await,
            Self::Qos(qos) => qos.fetch(wants, deadline, answers).await,
            Self::Probe(prober) => prober.fetch(wants, deadline, answers).await,
        }
    }

    /// The requests that [`Self::fetch`] would make now, one a line, in order (`--dry-run`). Asks nobody.
    pub fn plan(&self, wants: &[Want]) -> Vec<String> {
        match self {
            Self::Zookeeper(zookeeper) => zookeeper.plan(wants),
            Self::Nacos(nacos) => nacos.plan(wants),
            Self::Qos(qos) => qos.plan(wants),
            Self::Probe(prober) => prober.plan(wants),
        }
    }

    /// The requests by which [`Self::fetch`] would begin to read everything (`--all --dry-run`).
    pub fn plan_all(&self) -> Vec<String> {
        let first = match self {
            Self::Zookeeper(zookeeper) => Want::zk_children(zookeeper.source(), "/"),
            Self::Nacos(nacos) => Want::any(nacos.source(), Key::NacosState),
            Self::Qos(qos) => return qos.plan_all(),
            Self::Probe(_) => return Vec::new(),
        };
        self.plan(&[first])
    }

    /// The requests that answers may make necessary, one form a line: names that only an answer tells stand in braces.
    /// `all` = everything is read.
    pub fn further(&self, all: bool) -> Vec<String> {
        match self {
            Self::Zookeeper(zookeeper) => zookeeper.further(all),
            Self::Nacos(nacos) => nacos.further(all),
            Self::Qos(_) => Vec::new(),
            Self::Probe(prober) => prober.further(),
        }
    }

    /// The version of the server, once it has told.
    pub fn server(&self) -> Option<String> {
        match self {
            Self::Zookeeper(zookeeper) => zookeeper.server(),
            Self::Nacos(nacos) => nacos.server(),
            Self::Qos(qos) => qos.server(),
            Self::Probe(_) => None,
        }
    }

    /// Says farewell: closes what was opened. Takes less than half a second.
    pub async fn close(&mut self) {
        match self {
            Self::Zookeeper(zookeeper) => zookeeper.close().await,
            Self::Nacos(nacos) => nacos.close(),
            Self::Qos(_) | Self::Probe(_) => {}
        }
    }
}
