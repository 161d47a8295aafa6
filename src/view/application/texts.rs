//! What a revision stands for, wherever its text was seen: the metadata report, a recorded answer of a metadata service,
//! the cache file of a consumer.

use super::known::Metadata;
use crate::{
    model::metadata::MetadataInfo,
    report::words::{Phrase, Say},
    snapshot::{ErrKind, Key, Line, Part, Seen, Snapshot, SourceId, SourceKind, Want},
    view::{
        evidence::{evidence, scope_evidence},
        missing::Missing,
        refused,
        stage::{Evidence, NotSeen},
    },
};

/// Where texts are looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Texts<'a> {
    /// What was seen.
    pub(crate) snapshot: &'a Snapshot,
    /// The metadata report.
    pub(crate) source: &'a SourceId,
    /// Notes what nobody asked for.
    pub(crate) missing: &'a Missing,
}

/// An instance's own name for its metadata.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named<'a> {
    /// Application.
    pub(crate) application: &'a str,
    /// Revision.
    pub(crate) revision: &'a str,
    /// Metadata services of its instances, as `host:port`, and whether they speak triple; none where the instances do not
    /// keep their metadata themselves.
    pub(crate) services: &'a [(String, bool)],
}

impl Texts<'_> {
    /// The metadata under a revision, by what the metadata report answered at `place`. What lies beside the registry
    /// counts where the report has nothing.
    pub(crate) fn metadata(
        self,
        named: Named<'_>,
        report: Seen<'_, String>,
        (op, address): (&str, &[(&str, &str)]),
    ) -> Metadata {
        // An absence is shown by the place itself, whichever answer tells it.
        let absent = || {
            let fact = Say::MetadataNotStored;
            Metadata::Absent(scope_evidence(
                self.snapshot,
                self.source,
                op,
                address,
                fact,
            ))
        };
        let stored = match report {
            Seen::Here(text, line) if !text.trim().is_empty() => {
                let shown = Phrase::new(Say::MetadataStored).with("revision", named.revision);
                return self.parsed(named, &text, line, shown);
            }
            Seen::Here(..) | Seen::Absent(_) => absent(),
            Seen::Refused(line) => Metadata::Unknown(not_seen(
                named,
                refused::answer(line),
                refused::how_to_see(Some(line)).into(),
            )),
            Seen::Unasked => {
                Metadata::Unknown(not_seen(named, Say::NotAsked.into(), Say::HowAsk.into()))
            }
        };
        self.beside(named).unwrap_or(stored)
    }

    /// A text that an attached cache file has under the revision (`MetaCacheManager`), or that a recorded call of the
    /// metadata service gave.
    fn beside(self, named: Named<'_>) -> Option<Metadata> {
        let sources = &self.snapshot.manifest().sources;
        for (id, source) in sources {
            let cached = source
                .file_as
                .as_deref()
                .is_some_and(|word| word.contains("cache"));
            if source.kind != SourceKind::File || !cached {
                continue;
            }
            let key = Key::FileEntry {
                file: id.to_string(),
                key: named.revision.to_owned(),
            };
            self.missing.note(self.snapshot, Want::any(id, key.clone()));
            let lines = self.snapshot.latest(id, &key);
            let text = lines
                .iter()
                .find_map(|line| Some((*line, line.body_text()?)));
            if let Some((line, text)) = text {
                let place = Texts { source: id, ..self };
                let shown = Phrase::new(Say::MetadataCached).with("revision", named.revision);
                return Some(place.parsed(named, &text, line, shown));
            }
        }
        self.called(named)
    }

    /// What recorded calls of the metadata service gave: the text of any instance of the revision will do.
    fn called(self, named: Named<'_>) -> Option<Metadata> {
        let probes = self.snapshot.manifest().sources.iter();
        let mut probes: Vec<&SourceId> = probes
            .filter(|(_, source)| source.kind == SourceKind::Probe)
            .map(|(id, _)| id)
            .collect();
        let mut failed = self.unreached(&probes, named);
        // Others record the call beside what the registry says.
        probes.push(self.source);
        for (id, (address, triple)) in probes
            .iter()
            .flat_map(|id| named.services.iter().map(move |service| (*id, service)))
        {
            let key = Key::MetadataCall {
                address: address.clone(),
                app: named.application.to_owned(),
                revision: named.revision.to_owned(),
            };
            let mut want = Want::any(id, key.clone());
            if *triple {
                want.part = Part::OverTriple;
            }
            self.missing.note(self.snapshot, want);
            let place = Texts { source: id, ..self };
            for line in self.snapshot.latest(id, &key) {
                let shown = Phrase::new(Say::MetadataCalled).with("address", address.as_str());
                let evidence = evidence(self.snapshot, id, line, shown.clone());
                if let Some(kind) = line.err_kind() {
                    let (address, reason) = (address.clone(), kind.as_str().to_owned());
                    failed = Some(match kind {
                        ErrKind::Refused
                        | ErrKind::Timeout
                        | ErrKind::Unreachable
                        | ErrKind::UnknownHost
                        | ErrKind::Reset => Metadata::Unreachable {
                            address,
                            reason,
                            from: from_of(line),
                            evidence,
                        },
                        _ => Metadata::Refused {
                            address,
                            reason,
                            evidence,
                        },
                    });
                    continue;
                }
                let text = line.body_text().unwrap_or_default();
                match place.parsed(named, &text, line, shown) {
                    Metadata::Unreadable { error, evidence } => {
                        failed = Some(Metadata::Refused {
                            address: address.clone(),
                            reason: error,
                            evidence,
                        });
                    }
                    found => return Some(found),
                }
            }
        }
        failed
    }

    /// A metadata service that nobody can connect to; of several instances all.
    fn unreached(self, probes: &[&SourceId], named: Named<'_>) -> Option<Metadata> {
        let mut found = None;
        for (address, _) in named.services {
            let key = Key::Tcp {
                address: address.clone(),
            };
            let mut failed = None;
            for id in probes {
                self.missing.note(self.snapshot, Want::any(id, key.clone()));
                for line in self.snapshot.latest(id, &key) {
                    let kind = line.err_kind()?;
                    let shown = Phrase::new(Say::MetadataCalled).with("address", address.as_str());
                    failed = Some(Metadata::Unreachable {
                        address: address.clone(),
                        reason: kind.as_str().to_owned(),
                        from: from_of(line),
                        evidence: evidence(self.snapshot, id, line, shown),
                    });
                }
            }
            found = Some(failed?);
        }
        found
    }

    fn parsed(self, named: Named<'_>, text: &str, line: &Line, shown: Phrase) -> Metadata {
        let shown = evidence(self.snapshot, self.source, line, shown);
        match MetadataInfo::parse(text) {
            Ok(Some(info)) => Metadata::Here {
                differs: self
                    .recomputed(named, &info, line)
                    .filter(|computed| computed != named.revision),
                info,
                evidence: shown,
            },
            Ok(None) => Metadata::Absent(Evidence {
                fact: Say::MetadataNotStored.into(),
                ..shown
            }),
            Err(error) => Metadata::Unreadable {
                error: error.to_string(),
                evidence: shown,
            },
        }
    }

    /// The revision that the text has. Masking changes the text, so a masked one counts by what was computed before.
    fn recomputed(self, named: Named<'_>, info: &MetadataInfo, line: &Line) -> Option<String> {
        if !line.masked {
            return info.revision(info.line()?);
        }
        let key = Key::DerivedRevision {
            app: named.application.to_owned(),
            revision: named.revision.to_owned(),
        };
        self.missing
            .note(self.snapshot, Want::any(self.source, key.clone()));
        let lines = self.snapshot.latest(self.source, &key);
        lines
            .iter()
            .find_map(|line| Some(line.field("computed")?.as_str()?.to_owned()))
    }
}

/// The address of the machine that tried.
fn from_of(line: &Line) -> Option<String> {
    Some(line.field("from")?.as_str()?.to_owned())
}

fn not_seen(named: Named<'_>, why: Phrase, how: Phrase) -> NotSeen {
    NotSeen {
        what: Phrase::new(Say::MetadataOf)
            .with("application", named.application)
            .with("revision", named.revision),
        why,
        how_to_see: Some(how),
        required: true,
    }
}
