//! A registry that refuses or does not answer: which code that is, and how far it holds for the consumer.

use serde_json::{Map, Value};

use super::{
    evidence::evidence,
    held::{ReachFailure, Standing},
    stage::Raised,
};
use crate::{
    diagnose::code::Code,
    question::RegistryAddress,
    report::words::{Phrase, Say},
    snapshot::{ErrKind, Key, Line, Snapshot, SourceId},
};

/// A recording and a source in it.
type At<'a> = (&'a Snapshot, &'a SourceId);

/// The failure that a refusing line shows. `code` is given where the line's kind of refusal does not tell.
pub(crate) fn failed(
    at: At<'_>,
    registry: &RegistryAddress,
    line: &Line,
    code: Option<Code>,
) -> ReachFailure {
    let kind = line.err_kind().cloned().unwrap_or(ErrKind::BadAnswer);
    let (by_kind, here) = match kind {
        ErrKind::Denied => (
            Code::RegistryAuthRefused,
            if same_credentials(at, registry) {
                Standing::Same
            } else {
                Standing::Elsewhere
            },
        ),
        ErrKind::Refused => (Code::RegistryUnreachable, Standing::Same),
        ErrKind::BadAnswer => (Code::NotThatRegistry, Standing::Same),
        ErrKind::NotReady => (Code::RegistryDegraded, Standing::Same),
        // Clients that subscribe do not use the API that is switched off.
        ErrKind::SwitchedOff => (Code::ApiSwitchedOff, Standing::Elsewhere),
        ErrKind::TooLarge | ErrKind::Cut => (Code::AnswerTooLarge, Standing::Same),
        _ => (Code::RegistryUnreachable, Standing::Elsewhere),
    };
    let code = code.unwrap_or(by_kind);
    let standing = match code {
        // Only the consumer's own credentials say what the consumer may read.
        Code::RegistryAuthRefused if here == Standing::Elsewhere => here,
        _ => standing(at, here),
    };
    let fact = Phrase::new(Say::AnswerRefused).with("kind", kind.as_str());
    ReachFailure {
        raised: raised(at, registry, line, (code, kind.as_str()), fact),
        standing,
    }
}

/// What was seen from the consumer's own host is what the consumer sees.
pub(crate) fn standing(at: At<'_>, otherwise: Standing) -> Standing {
    if at.0.manifest().seen_from.is_consumer {
        Standing::Consumers
    } else {
        otherwise
    }
}

/// Whether the recording was made with the user that the consumer's configuration has (often none).
fn same_credentials(at: At<'_>, registry: &RegistryAddress) -> bool {
    let recorded =
        at.0.manifest()
            .sources
            .get(at.1)
            .and_then(|source| source.url.as_deref())
            .and_then(|url| RegistryAddress::parse(url).ok())
            .and_then(|address| address.username);
    recorded == registry.username
}

/// A code about the registry, with its reason.
pub(crate) fn raised(
    at: At<'_>,
    registry: &RegistryAddress,
    line: &Line,
    (code, reason): (Code, &str),
    fact: Phrase,
) -> Raised {
    let mut params = Map::new();
    params.insert("registry".into(), Value::from(registry.to_string()));
    params.insert("reason".into(), Value::from(reason));
    params.insert("expected".into(), Value::from(registry.kind.to_string()));
    match &line.key {
        Key::ZkNode { path } => params.insert("path".into(), Value::from(path.as_str())),
        Key::Tcp { address } => params.insert("grpc_port".into(), Value::from(address.as_str())),
        _ => None,
    };
    Raised {
        code,
        params,
        subject: ("registry".to_owned(), registry.to_string()),
        evidence: vec![evidence(at.0, at.1, line, fact)],
    }
}
