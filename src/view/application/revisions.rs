//! V: what the revisions of the instances stand for (`ServiceInstancesChangedListener.doOnEvent`).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{
    SHOWN,
    endpoints::Endpoints,
    known::{Instance, Metadata, Told},
    object,
};
use crate::{
    diagnose::code::Code,
    model::metadata::ServiceInfo,
    question::ConsumerState,
    report::words::{Phrase, Say},
    view::{
        held::Entry,
        interface::Case,
        stage::{Dropped, Evidence, NotSeen, Raised, Stage, StageId, State},
    },
};

/// An instance with the services that its revision stands for.
#[derive(Debug, Clone)]
pub(super) struct Described<'a> {
    pub(super) instance: &'a Instance,
    pub(super) services: Vec<ServiceInfo>,
    /// What shows them.
    pub(super) evidence: Evidence,
    /// They are those of the interface model: the application may export more.
    pub(super) partial: bool,
}

/// What is left, and the instances of which nobody knows what they export.
pub(super) struct Revisions<'a> {
    pub(super) known: Vec<Described<'a>>,
    pub(super) open: Vec<(&'a Instance, NotSeen)>,
    /// Those whose metadata a client cannot get. Where their text is another one, it gets that.
    pub(super) failing: Vec<&'a Instance>,
}

/// Why an instance has no services.
enum Why {
    Nothing,
    NotStored(Evidence),
    Other {
        computed: String,
        evidence: Evidence,
    },
    Unreadable {
        error: String,
        evidence: Evidence,
    },
    Unreachable {
        address: String,
        reason: String,
        from: Option<String>,
        evidence: Evidence,
    },
    Refused(String, String, Evidence),
}

impl Why {
    fn code(&self) -> Code {
        match self {
            Self::Nothing => Code::RevisionZero,
            Self::NotStored(_) => Code::MetadataMissing,
            Self::Other { .. } | Self::Unreadable { .. } => Code::RevisionMismatch,
            Self::Unreachable { .. } => Code::MetadataServiceUnreachable,
            Self::Refused(..) => Code::MetadataRefused,
        }
    }
}

impl Why {
    /// Nobody said no: it may be due to the call that was tried.
    fn is_weak(&self) -> bool {
        matches!(self, Self::Unreachable { reason, .. }
            if matches!(reason.as_str(), "timeout" | "unknown-host" | "reset"))
    }

    fn evidence(&self) -> Vec<Evidence> {
        match self {
            Self::Nothing => Vec::new(),
            Self::NotStored(evidence)
            | Self::Other { evidence, .. }
            | Self::Unreadable { evidence, .. }
            | Self::Unreachable { evidence, .. }
            | Self::Refused(.., evidence) => vec![evidence.clone()],
        }
    }

    /// Whether a client gets no metadata at all.
    fn fails(&self) -> bool {
        !matches!(self, Self::Nothing | Self::Other { .. })
    }
}

/// Whether a consumer that runs may have what cannot be read now: each revision is read once and kept
/// (`AbstractServiceDiscovery.getRemoteMetadata`, `revisionToMetadata` up to 3.0.5). Not where its own log says that it
/// asked in vain.
pub(crate) fn may_be_held(code: Code, evidence: &[Evidence]) -> bool {
    match code {
        Code::MetadataMissing | Code::RevisionMismatch => true,
        Code::MetadataServiceUnreachable | Code::MetadataRefused => {
            !evidence.iter().any(|seen| seen.op == "file.lines")
        }
        _ => false,
    }
}

fn held(instance: &Instance) -> NotSeen {
    NotSeen {
        what: Phrase::new(Say::MetadataOf)
            .with("application", &*instance.application)
            .with("revision", instance.revision.as_deref().unwrap_or("-")),
        why: Say::MetadataMayBeHeld.into(),
        how_to_see: Some(Say::HowQos.into()),
        required: true,
    }
}

/// The stage, and what is left.
pub(super) fn stage<'a>(
    case: &Case<'a>,
    taken: &[&'a Instance],
    repaired: &BTreeSet<StageId>,
) -> (Stage, Revisions<'a>) {
    let mut found = Revisions {
        known: Vec::new(),
        open: Vec::new(),
        failing: Vec::new(),
    };
    let mut dropped: Vec<(&'a Instance, Why)> = Vec::new();
    for instance in taken {
        match describe(case, instance) {
            Ok(described) => found.known.push(described),
            Err(lack) => match *lack {
                Lack::Unknown(not_seen) => found.open.push((instance, not_seen)),
                Lack::Known(why) => dropped.push((instance, why)),
            },
        }
    }
    if repaired.contains(&StageId::Revision) {
        // What they would export is not known; the codes behind it cannot be told.
        let stage = Stage::plain(StageId::Revision, State::Ok);
        return (stage, found);
    }
    let drops = dropped
        .iter()
        .map(|(instance, why)| Dropped {
            address: instance.address.clone(),
            code: why.code(),
            rule: None,
            position: None,
        })
        .collect();
    let failing = dropped.iter().filter(|(_, why)| why.fails());
    found.failing = failing.map(|(instance, _)| *instance).collect();
    let left = found.known.len() + found.open.len();
    let mut stage = Stage::counted(
        StageId::Revision,
        taken.len(),
        left,
        drops,
        raises(case, &dropped),
    );
    stage.raises.extend(not_as_named(case, &found.known));
    if found.known.is_empty() && !found.open.is_empty() {
        stage.state = State::Unknown;
        stage.raises.extend(possible(case, &found.open));
    }
    // Where nothing at all can be read, the list of before is kept as it is.
    if case.world.state == ConsumerState::Running && left > 0 {
        let kept = dropped
            .iter()
            .filter(|(_, why)| may_be_held(why.code(), &why.evidence()));
        found
            .open
            .extend(kept.map(|(instance, _)| (*instance, held(instance))));
    }
    let mut not_seen: Vec<NotSeen> = found.open.iter().map(|(_, fact)| fact.clone()).collect();
    not_seen.dedup();
    stage.not_seen = not_seen;
    stage.because = stage.not_seen.first().map(|fact| fact.what.clone());
    (stage, found)
}

/// DG4005 where the text has the service all the same: Dubbo takes it, and whoever registered it did not write it.
fn not_as_named(case: &Case<'_>, known: &[Described<'_>]) -> Option<Raised> {
    known.iter().find_map(|described| {
        let key = described.instance.metadata_key()?;
        // What is no digest at all was not computed by any Dubbo.
        let is_digest = key.1.len() == 32 && key.1.bytes().all(|b| b.is_ascii_hexdigit());
        let Some(Metadata::Here {
            differs: Some(computed),
            evidence,
            ..
        }) = case
            .held
            .application
            .metadata
            .get(&key)
            .filter(|_| is_digest)
        else {
            return None;
        };
        let why = Why::Other {
            computed: computed.clone(),
            evidence: evidence.clone(),
        };
        let mut raised = raised(case, &[&(described.instance, why)]);
        raised.params.insert("has".to_owned(), true.into());
        Some(raised)
    })
}

/// Why the services of an instance are not there.
enum Lack {
    Known(Why),
    Unknown(NotSeen),
}

fn describe<'a>(case: &Case<'a>, instance: &'a Instance) -> Result<Described<'a>, Box<Lack>> {
    let known = |why| Box::new(Lack::Known(why));
    let Some(key) = instance
        .metadata_key()
        .filter(|_| instance.exports().is_some())
    else {
        return Err(known(Why::Nothing));
    };
    let found = case.held.application.metadata.get(&key);
    let here = |services: Vec<ServiceInfo>, evidence: Evidence, partial| Described {
        instance,
        services,
        evidence,
        partial,
    };
    match found {
        Some(Metadata::Here {
            info,
            differs,
            evidence,
        }) => {
            let interface = &case.question.service.interface;
            let has = info
                .services
                .iter()
                .any(|service| service.name.as_ref() == Some(interface));
            match differs {
                // Dubbo takes the text as it is; that it is another one explains why the service is not in it.
                Some(computed) if !has => Err(known(Why::Other {
                    computed: computed.clone(),
                    evidence: evidence.clone(),
                })),
                _ => Ok(here(info.services.clone(), evidence.clone(), false)),
            }
        }
        Some(Metadata::Unreadable { error, evidence }) if instance.is_remote() => {
            Err(known(Why::Unreadable {
                error: error.clone(),
                evidence: evidence.clone(),
            }))
        }
        Some(Metadata::Absent(evidence)) if instance.is_remote() => {
            Err(known(Why::NotStored(evidence.clone())))
        }
        Some(Metadata::Unreachable {
            address,
            reason,
            from,
            evidence,
        }) => Err(known(Why::Unreachable {
            address: address.clone(),
            reason: reason.clone(),
            from: from.clone(),
            evidence: evidence.clone(),
        })),
        Some(Metadata::Refused {
            address,
            reason,
            evidence,
        }) => Err(known(Why::Refused(
            address.clone(),
            reason.clone(),
            evidence.clone(),
        ))),
        other => {
            let seen = by_entries(case, instance).or_else(|| by_own_word(case, instance));
            if let Some((services, evidence)) = seen {
                return Ok(here(services, evidence, true));
            }
            Err(Box::new(Lack::Unknown(match other {
                Some(Metadata::Unknown(not_seen)) if instance.is_remote() => not_seen.clone(),
                _ => local(case, instance),
            })))
        }
    }
}

/// `local` metadata that no evidence shows, with the command that would show it.
pub(super) fn local(case: &Case<'_>, instance: &Instance) -> NotSeen {
    let registry = case.registry.map_or_else(
        || "URL".to_owned(),
        |registry| format!("'{}'", registry.without_secrets()),
    );
    let command = format!(
        "diag no-provider '{}' --registry {registry} --probe",
        case.question.service
    );
    NotSeen {
        what: Phrase::new(Say::MetadataOf)
            .with("application", &*instance.application)
            .with("revision", instance.revision.as_deref().unwrap_or("-")),
        why: Say::MetadataLocal.into(),
        how_to_see: Some(
            Phrase::new(Say::HowMetadata)
                .with("address", instance.metadata_service())
                .with("command", command),
        ),
        required: true,
    }
}

/// The interface-level entries of the same application and address: a provider in register mode `all` registers both from
/// one list.
fn by_entries(case: &Case<'_>, instance: &Instance) -> Option<(Vec<ServiceInfo>, Evidence)> {
    let same = |entry: &&Entry| {
        let url = entry.plain();
        let host = url.as_ref().and_then(|url| url.host.clone());
        host.as_deref() == Some(&instance.host)
            && entry.application().as_deref() == Some(&instance.application)
    };
    let entries: Vec<&Entry> = case.held.entries.iter().filter(same).collect();
    let first = entries.first()?;
    let services = entries
        .iter()
        .filter_map(|entry| {
            let url = entry.plain()?;
            Some(ServiceInfo {
                key: String::new(),
                name: url.service_interface().map(str::to_owned),
                group: url
                    .group()
                    .filter(|text| !text.is_empty())
                    .map(str::to_owned),
                version: url
                    .version()
                    .filter(|text| !text.is_empty())
                    .map(str::to_owned),
                protocol: url.protocol.clone(),
                path: url.path.clone(),
                port: i64::from(url.port).into(),
                params: url
                    .parameters
                    .iter()
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect(),
            })
        })
        .collect();
    Some((services, first.evidence.clone()))
}

/// What the provider's own log says that it registers, or its QOS port that it exports. A log of two starts may name the
/// service twice, in two ways: then which of them holds is not known.
fn by_own_word(case: &Case<'_>, instance: &Instance) -> Option<(Vec<ServiceInfo>, Evidence)> {
    let interface = &case.question.service.interface;
    let of: Vec<&Told> = case
        .held
        .application
        .told
        .iter()
        .filter(|told| told.host == instance.host)
        .filter(|told| {
            let own = told.application.as_ref();
            own.is_none_or(|own| *own == instance.application)
        })
        .collect();
    let is_asked = |told: &&&Told| told.service.name.as_ref() == Some(interface);
    let first = of.iter().find(is_asked).or(of.first())?;
    let in_logs: BTreeSet<_> = of
        .iter()
        .filter(is_asked)
        .filter(|told| told.evidence.op == "file.lines")
        .map(|told| {
            let service = &told.service;
            (&service.group, &service.version, &service.path)
        })
        .collect();
    // A log may not reach back to where the service was registered; a port lists all.
    let is_whole = first.evidence.op != "file.lines" || !in_logs.is_empty();
    (in_logs.len() < 2 && is_whole).then(|| {
        let services = of.iter().map(|told| spoken(instance, told));
        (services.collect(), first.evidence.clone())
    })
}

/// A port does not say by which protocol: where the instance has one, it is that.
fn spoken(instance: &Instance, told: &Told) -> ServiceInfo {
    let mut service = told.service.clone();
    if service.port.is_none()
        && let Endpoints::Listed(list) = Endpoints::of(instance)
        && let [(protocol, _)] = list.as_slice()
    {
        service.protocol = Some(protocol.clone());
    }
    service
}

fn raises(case: &Case<'_>, dropped: &[(&Instance, Why)]) -> Vec<Raised> {
    let mut by_code: BTreeMap<u8, Vec<&(&Instance, Why)>> = BTreeMap::new();
    for pair in dropped {
        by_code.entry(rank(pair.1.code())).or_default().push(pair);
    }
    by_code
        .into_values()
        .map(|mut pairs| {
            // The weakest of them says how sure all of it is.
            pairs.sort_by_key(|(_, why)| !why.is_weak());
            raised(case, &pairs)
        })
        .collect()
}

/// The order in which the first hit is the verdict: 4006 > 4003 > 4014 > 4004 > 4005.
fn rank(code: Code) -> u8 {
    match code {
        Code::RevisionZero => 0,
        Code::MetadataMissing => 1,
        Code::MetadataRefused => 2,
        Code::MetadataServiceUnreachable => 3,
        _ => 4,
    }
}

fn raised(case: &Case<'_>, pairs: &[&(&Instance, Why)]) -> Raised {
    let (instance, why) = pairs[0];
    let mut evidence: Vec<Evidence> = pairs
        .iter()
        .flat_map(|(instance, why)| {
            let mut shown = vec![instance.evidence.clone()];
            shown.extend(why.evidence());
            shown
        })
        .collect();
    evidence.dedup();
    evidence.truncate(SHOWN);
    let computed = match why {
        Why::Other { computed, .. } => Some(computed),
        Why::Unreadable { error, .. } => Some(error),
        _ => None,
    };
    let (address, reason, from) = match why {
        Why::Unreachable {
            address,
            reason,
            from,
            ..
        } => (address, Some(reason), from.as_ref()),
        Why::Refused(address, reason, _) => (address, Some(reason), None),
        _ => (&instance.address, None, None),
    };
    Raised {
        code: why.code(),
        params: object(json!({
            "service": case.question.service.to_string(), "application": instance.application,
            "revision": instance.revision.as_deref().unwrap_or("-"), "address": address, "reason": reason,
            "count": pairs.len(), "computed": computed, "from": from,
        })),
        subject: ("application".to_owned(), instance.application.clone()),
        evidence,
    }
}

/// What the metadata that nobody saw could be the cause of.
fn possible(case: &Case<'_>, open: &[(&Instance, NotSeen)]) -> Vec<Raised> {
    let (instance, _) = open[0];
    let params = object(json!({
        "service": case.question.service.to_string(), "application": instance.application,
        "revision": instance.revision.as_deref().unwrap_or("-"), "address": instance.metadata_service(),
        "reason": "not seen", "count": open.len(), "paths": [], "keys": [],
    }));
    let raised = |code| Raised {
        code,
        params: params.clone(),
        subject: ("application".to_owned(), instance.application.clone()),
        evidence: vec![instance.evidence.clone()],
    };
    vec![
        raised(Code::MetadataServiceUnreachable),
        raised(Code::NotInMetadata),
    ]
}
