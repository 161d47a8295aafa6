//! One process as its QOS port shows it.

use std::collections::BTreeSet;

use crate::{
    model::{
        qos::{
            Answer, Refusal,
            addresses::OwnList as Addresses,
            chain::Chain,
            config::Config,
            listing::{Exported, Listing},
            read,
            recent::Routed,
        },
        service_key::ServiceKey,
        url::Url,
        version::{DubboVersion, Line as VersionLine},
    },
    report::words::{Phrase, Say},
    snapshot::{ErrKind, Key, Snapshot, SourceId},
    view::{evidence::evidence, stage::Evidence},
};

/// The service that every process of 3.x exports for itself; its group is the application.
const METADATA_SERVICE: &str = "org.apache.dubbo.metadata.MetadataService";

/// A process and what it answered.
#[derive(Debug, Clone)]
pub struct Process {
    /// Its source in the snapshot.
    pub source: SourceId,
    /// `host:port` of its QOS port.
    pub endpoint: String,
    /// `ls`.
    pub listing: Option<(Listing, Evidence)>,
    /// `getAddress`.
    pub lists: Vec<(Addresses, Evidence)>,
    /// `getRouterSnapshot`.
    pub chains: Vec<(Chain, Evidence)>,
    /// `getRecentRouterSnapshot`, oldest first.
    pub routed: Vec<(Routed, Evidence)>,
    /// `getConfig`.
    pub config: Option<Config>,
    /// `version`.
    pub version: Option<String>,
    /// `ready`.
    pub ready: Option<bool>,
    /// Its dubbo servers, `dubbo://host:port`.
    pub servers: Vec<(String, Evidence)>,
    /// Commands without an answer, and why.
    pub refused: Vec<Refused>,
    /// Answers of no known shape.
    pub raw: Vec<Evidence>,
    /// The registry it names, when that is another place than the question's: its lists and services are none of it.
    pub elsewhere: Option<String>,
}

/// A command without an answer.
#[derive(Debug, Clone)]
pub struct Refused {
    /// The command with its arguments.
    pub command: String,
    /// Why.
    pub trouble: Trouble,
    /// What was said.
    pub evidence: Evidence,
    /// How the connection ended, in the words of the recording.
    pub words: Option<String>,
}

/// Why there is no answer. Each has another next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// Only peers on its own host are served, and those of its allow list.
    ForeignIp,
    /// The command needs a higher level than peers from here have.
    Permission,
    /// Nobody listens.
    Closed,
    /// No way there: name, route, or no answer to the connection.
    Unreachable,
    /// It accepts and says nothing.
    Silent,
    /// It ended the connection before an answer was complete.
    CutOff,
    /// More than is taken in.
    TooLarge,
    /// It is a service port.
    ServicePort,
    /// Something else than QOS answers there.
    NotQos,
}

impl Trouble {
    /// The word in parameters of findings.
    pub fn word(self) -> &'static str {
        match self {
            Self::ForeignIp => "foreign-ip",
            Self::Permission => "permission",
            Self::Closed => "refused",
            Self::Unreachable => "unreachable",
            Self::Silent => "silent",
            Self::CutOff => "cut-off",
            Self::TooLarge => "too-large",
            Self::ServicePort => "service-port",
            Self::NotQos => "not-qos",
        }
    }

    fn of_refusal(refusal: &Refusal) -> Option<Self> {
        Some(match refusal {
            Refusal::ForeignIp { .. } => Self::ForeignIp,
            Refusal::Permission => Self::Permission,
            Refusal::ServicePort { .. } => Self::ServicePort,
            Refusal::NotQos => Self::NotQos,
            // The line does not have the command, or it had nothing to say: no trouble of the port.
            Refusal::NoSuchCommand | Refusal::Failed(_) | Refusal::BadArgument(_) => return None,
        })
    }

    fn of_error(kind: &ErrKind) -> Option<Self> {
        Some(match kind {
            ErrKind::ForeignIp => Self::ForeignIp,
            ErrKind::Denied => Self::Permission,
            ErrKind::Refused => Self::Closed,
            ErrKind::UnknownHost | ErrKind::Unreachable => Self::Unreachable,
            ErrKind::Timeout => Self::Silent,
            ErrKind::Reset | ErrKind::Cut => Self::CutOff,
            ErrKind::TooLarge => Self::TooLarge,
            ErrKind::BadAnswer => Self::NotQos,
            _ => return None,
        })
    }
}

impl Process {
    pub(super) fn new(source: &SourceId, endpoint: &str) -> Self {
        Self {
            source: source.clone(),
            endpoint: endpoint.to_owned(),
            listing: None,
            lists: Vec::new(),
            chains: Vec::new(),
            routed: Vec::new(),
            config: None,
            version: None,
            ready: None,
            servers: Vec::new(),
            refused: Vec::new(),
            raw: Vec::new(),
            elsewhere: None,
        }
    }

    /// Takes the answers to one command in. The same comes over telnet and HTTP: the first that says something counts.
    pub(super) fn read(&mut self, snapshot: &Snapshot, key: &Key) {
        let Key::QosCmd { command } = key else { return };
        let mut lines = snapshot.latest(&self.source, key);
        lines.sort_by_key(|line| line.http.is_none());
        let mut troubles = Vec::new();
        for line in lines {
            let seen = |say: Say| {
                let fact = Phrase::new(say).with("endpoint", &*self.endpoint);
                evidence(snapshot, &self.source, line, fact)
            };
            if let Some(kind) = line.err_kind() {
                troubles.extend(Trouble::of_error(kind).map(|trouble| Refused {
                    command: command.clone(),
                    trouble,
                    evidence: seen(Say::QosRefusedHere),
                    words: line.err_text().map(str::to_owned),
                }));
                continue;
            }
            let Some(text) = line.body_text() else {
                continue;
            };
            match read(command, line.http, &text) {
                Answer::Refused(refusal) => {
                    troubles.extend(Trouble::of_refusal(&refusal).map(|trouble| Refused {
                        command: command.clone(),
                        trouble,
                        evidence: seen(Say::QosRefusedHere),
                        words: None,
                    }));
                }
                Answer::Raw(_) => self.raw.push(seen(Say::QosRaw)),
                answer => {
                    self.take(answer, &seen(Say::QosSays));
                    return;
                }
            }
        }
        self.refused.extend(troubles.into_iter().take(1));
    }

    fn take(&mut self, answer: Answer, seen: &Evidence) {
        match answer {
            Answer::Listing(listing) => self.listing = Some((listing, seen.clone())),
            Answer::Addresses(lists) => {
                for list in lists {
                    if !self.lists.iter().any(|(known, _)| *known == list) {
                        self.lists.push((list, seen.clone()));
                    }
                }
            }
            Answer::Chains(chains) => {
                for chain in chains {
                    if !self.chains.iter().any(|(known, _)| *known == chain) {
                        self.chains.push((chain, seen.clone()));
                    }
                }
            }
            Answer::Routed(calls) => {
                self.routed = calls.into_iter().map(|call| (call, seen.clone())).collect();
            }
            Answer::Config(config) => {
                let known = self.config.get_or_insert_with(|| Config {
                    applications: Vec::new(),
                    registries: Vec::new(),
                });
                known.applications.extend(config.applications);
                known.registries.extend(config.registries);
            }
            Answer::Version(version) => self.version = Some(version),
            Answer::Flag(ready) if seen.address.get("command").is_some_and(|c| c == "ready") => {
                self.ready = Some(ready);
            }
            Answer::Ports { servers, .. } => {
                self.servers
                    .extend(servers.into_iter().map(|server| (server, seen.clone())));
            }
            _ => {}
        }
    }

    /// The names of its applications, sorted; empty when nothing says one (2.6 and 2.7).
    pub fn applications(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        if let Some((listing, _)) = &self.listing {
            names.extend(
                listing
                    .provider
                    .iter()
                    .filter(|row| row.internal)
                    .filter_map(|row| ServiceKey::parse_dubbo(&row.key).ok())
                    .filter(|key| key.interface == METADATA_SERVICE)
                    .filter_map(|key| key.group),
            );
        }
        if let Some(config) = &self.config {
            names.extend(config.applications.iter().cloned());
        }
        let newest = DubboVersion::newest(VersionLine::V3_3);
        names.extend(self.lists.iter().filter_map(|(list, _)| {
            let url = Url::parse(&list.registry, &newest).ok()?;
            url.text("application").map(str::to_owned)
        }));
        names.sort();
        names.dedup();
        names
    }

    /// The hosts it is known under: that of its port, and those of its servers.
    pub fn hosts(&self) -> BTreeSet<&str> {
        let host = self.endpoint.rsplit_once(':').map(|(host, _)| host);
        let hosts = self.servers.iter().filter_map(|(server, _)| {
            let (_, address) = server.split_once("://")?;
            Some(address.rsplit_once(':')?.0)
        });
        hosts.chain(host).collect()
    }

    /// Whether it answered anything.
    pub fn answers(&self) -> bool {
        self.listing.is_some()
            || !self.lists.is_empty()
            || !self.chains.is_empty()
            || self.version.is_some()
            || self.ready.is_some()
            || self.config.is_some()
    }

    /// Whether it refers to a service.
    pub fn refers_to(&self, service: &ServiceKey) -> bool {
        let key = service.to_string();
        let listed = self
            .listing
            .as_ref()
            .is_some_and(|(listing, _)| listing.consumer.iter().any(|row| row.key == key));
        listed
            || self.lists.iter().any(|(list, _)| list.key == key)
            || self.chains.iter().any(|(chain, _)| chain.key == key)
    }

    /// What it exports of an interface, under whatever group and version.
    pub fn exports<'a>(
        &'a self,
        interface: &'a str,
    ) -> impl Iterator<Item = (&'a Exported, &'a Evidence)> {
        let listing = self.listing.iter();
        listing.flat_map(move |(listing, seen)| {
            listing
                .provider
                .iter()
                .filter(move |row| {
                    let key = ServiceKey::parse_dubbo(&row.key);
                    !row.internal && key.is_ok_and(|key| key.interface == interface)
                })
                .map(move |row| (row, seen))
        })
    }
}
