//! A metadata report that is configured apart from the registry (`dubbo.metadata-report.address`): mappings, metadata of
//! revisions and service definitions are then kept and read there, whatever kind the registry is.

use std::collections::BTreeSet;

use super::{
    application::{
        Application, Mapping, MappingForm, Metadata,
        texts::{Named, Texts},
    },
    evidence::{evidence, scope_evidence},
    missing::Missing,
    nacos::report::Store as Nacos,
    refused,
    sources::source_of,
    stage::NotSeen,
    zookeeper::report::Store as Zookeeper,
};
use crate::{
    question::{Question, RegistryAddress, RegistryKind},
    report::words::{Phrase, Say},
    snapshot::{Seen, Snapshot, SourceId},
};

/// The report of a question.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    snapshot: &'a Snapshot,
    address: &'a RegistryAddress,
    store: Option<(SourceId, Kind)>,
    missing: &'a Missing,
}

#[derive(Debug)]
enum Kind {
    Zookeeper(Zookeeper),
    Nacos(Nacos),
}

/// One place of the report, and what is seen there.
#[derive(Debug)]
pub(crate) struct Told<'a> {
    /// The text.
    pub(crate) seen: Seen<'a, String>,
    /// By which operation.
    pub(crate) op: &'static str,
    /// Key fields.
    pub(crate) address: Vec<(&'static str, String)>,
    /// In words of the report.
    pub(crate) place: String,
}

impl<'a> Report<'a> {
    /// The report that the question names apart; `None` where it is the registry's own.
    pub(crate) fn of(
        question: &'a Question,
        snapshot: &'a Snapshot,
        missing: &'a Missing,
    ) -> Option<Self> {
        let address = question.metadata_report.as_ref()?;
        let store = source_of(snapshot, address).and_then(|source| {
            let kind = match address.kind {
                RegistryKind::Zookeeper => Kind::Zookeeper(Zookeeper::of(address)),
                RegistryKind::Nacos => Kind::Nacos(Nacos::of(address)),
                RegistryKind::Other => return None,
            };
            Some((source, kind))
        });
        Some(Self {
            snapshot,
            address,
            store,
            missing,
        })
    }

    /// Reads the mapping of the interface in the form of 3.x.
    pub(crate) fn mapping(&self, interface: &str, found: &mut Application) {
        let told = match &self.store {
            Some((source, Kind::Zookeeper(store))) => {
                store.mapping((self.snapshot, source, self.missing), interface)
            }
            Some((source, Kind::Nacos(store))) => {
                store.mapping((self.snapshot, source, self.missing), interface)
            }
            None => self.unread(),
        };
        let names = match &told.seen {
            Seen::Here(text, _) => text
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
            Seen::Absent(_) => Vec::new(),
            Seen::Refused(_) | Seen::Unasked => {
                found.mapping_known = false;
                found.not_seen.push(self.not_seen(&told));
                return;
            }
        };
        let fact = match &told.seen {
            Seen::Here(text, _) => Phrase::new(Say::MappingNames).with("names", text.as_str()),
            _ => Say::MappingAbsent.into(),
        };
        let shown = self
            .store
            .as_ref()
            .map(|(source, _)| match told.seen.line() {
                Some(line) => evidence(self.snapshot, source, line, fact.clone()),
                None => scope_evidence(
                    self.snapshot,
                    source,
                    told.op,
                    &borrowed(&told.address),
                    fact.clone(),
                ),
            });
        found.mapped.extend(names.iter().cloned());
        found.mappings.push(Mapping {
            written_ms: None,
            form: MappingForm::Report,
            place: told.place,
            applications: names,
            evidence: shown,
        });
    }

    /// What a revision stands for.
    pub(crate) fn metadata(&self, named: Named<'_>) -> Metadata {
        let (app, revision) = (named.application, named.revision);
        let (source, told) = match &self.store {
            Some((source, Kind::Zookeeper(store))) => {
                let at = (self.snapshot, source, self.missing);
                (source, store.metadata(at, app, revision))
            }
            Some((source, Kind::Nacos(store))) => {
                let at = (self.snapshot, source, self.missing);
                (source, store.metadata(at, app, revision))
            }
            None => return Metadata::Unknown(self.not_seen(&self.unread())),
        };
        let texts = Texts {
            snapshot: self.snapshot,
            source,
            missing: self.missing,
        };
        texts.metadata(named, told.seen, (told.op, &borrowed(&told.address)))
    }

    /// Applications that left a definition of the interface as its providers.
    pub(crate) fn definers(&self, interface: &str) -> BTreeSet<String> {
        match &self.store {
            Some((source, Kind::Zookeeper(store))) => {
                store.definers((self.snapshot, source, self.missing), interface)
            }
            Some((source, Kind::Nacos(store))) => {
                store.definers((self.snapshot, source, self.missing), interface)
            }
            None => BTreeSet::new(),
        }
    }

    /// Of a report that the recording does not hold.
    fn unread(&self) -> Told<'a> {
        Told {
            seen: Seen::Unasked,
            op: "",
            address: Vec::new(),
            place: self.address.to_string(),
        }
    }

    fn not_seen(&self, told: &Told<'_>) -> NotSeen {
        let refusal = told.seen.refusal();
        NotSeen {
            what: Phrase::new(Say::MetadataReportAt)
                .with("registry", self.address.to_string())
                .with("place", told.place.as_str()),
            why: refusal.map_or(Say::NotAsked.into(), refused::answer),
            how_to_see: Some(refused::how_to_see(refusal).into()),
            required: true,
        }
    }
}

fn borrowed<'t>(address: &'t [(&'static str, String)]) -> Vec<(&'t str, &'t str)> {
    let pairs = address.iter();
    pairs.map(|(name, value)| (*name, value.as_str())).collect()
}
