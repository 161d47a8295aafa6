//! A registry that refuses or does not answer: which code that is, and how far it holds for the consumer.

use std::net::IpAddr;

use serde_json::{Map, Value};

use super::{
    evidence::evidence,
    held::{ReachFailure, Standing},
    stage::Raised,
};
use crate::{
    diagnose::code::Code,
    question::{RegistryAddress, RegistryKind},
    report::words::{Phrase, Say},
    snapshot::{ErrKind, Key, Line, Payload, Snapshot, SourceId},
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
        // Whoever said before what it is has not become another by one answer that is none.
        ErrKind::BadAnswer if is_told(at) && hint(&kind, line, registry).is_none() => {
            (Code::RegistryDegraded, Standing::Same)
        }
        ErrKind::BadAnswer => (Code::NotThatRegistry, Standing::Same),
        ErrKind::NotReady => (Code::RegistryDegraded, Standing::Same),
        // Clients that subscribe do not use the API that is switched off.
        ErrKind::SwitchedOff => (Code::ApiSwitchedOff, Standing::Elsewhere),
        // The limit of Nacos' answers is our own, and clients that subscribe get no such answers.
        ErrKind::TooLarge if registry.kind == RegistryKind::Nacos => {
            (Code::AnswerTooLarge, Standing::Elsewhere)
        }
        ErrKind::TooLarge => (Code::AnswerTooLarge, Standing::Same),
        _ => (Code::RegistryUnreachable, Standing::Elsewhere),
    };
    let code = code.unwrap_or(by_kind);
    let standing = match code {
        // Only the consumer's own credentials say what the consumer may read, and our limit is not the consumer's.
        Code::RegistryAuthRefused | Code::AnswerTooLarge if here == Standing::Elsewhere => here,
        _ if is_loopback(registry) => standing(at, Standing::Elsewhere),
        _ => standing(at, here),
    };
    let mut raised = raised(at, registry, line, (code, kind.as_str()), answer(line));
    if let Some(hint) = hint(&kind, line, registry) {
        raised.params.insert("hint".into(), Value::from(hint));
    }
    ReachFailure { raised, standing }
}

impl ReachFailure {
    /// How to try the port that did not answer by hand.
    pub(crate) fn how_to_try(&self) -> Option<Phrase> {
        let text = |name: &str| self.raised.params.get(name).and_then(Value::as_str);
        let registry = text("registry").and_then(|text| RegistryAddress::parse(text).ok());
        let member = registry
            .as_ref()
            .and_then(|registry| registry.members.first());
        let address = text("grpc_port").or(member.map(String::as_str));
        Phrase::of_port(Say::HowTryPort, address)
    }
}

/// So much of what a server said is repeated.
const MOST_SAID: usize = 200;

/// What a refusing line says: its kind, and the server's words where there are any.
pub(crate) fn answer(line: &Line) -> Phrase {
    let kind = line.err_kind().map_or("-", |kind| kind.as_str());
    match said(line) {
        Some(text) => Phrase::new(Say::AnswerSaid)
            .with("kind", kind)
            .with("text", text),
        None => Phrase::new(Say::AnswerRefused).with("kind", kind),
    }
}

/// How to see what was not: the refusal, where there was one, tells what it takes.
pub(crate) fn how_to_see(refusal: Option<&Line>) -> Say {
    match refusal.and_then(Line::err_kind) {
        Some(ErrKind::Denied) => Say::HowAskWithRights,
        Some(ErrKind::Timeout | ErrKind::Cut | ErrKind::Reset) => Say::HowAskLonger,
        Some(ErrKind::SwitchedOff) => Say::HowConsoleList,
        _ => Say::HowAsk,
    }
}

/// What Spring says where there is nothing to say.
const NO_MESSAGE: &str = "No message available";

/// The words of a refusal: of JSON the message, which may hold JSON again (Nacos 3). What stands before it is kept.
fn said(line: &Line) -> Option<String> {
    let Payload::Err { text, .. } = &line.payload else {
        return None;
    };
    let mut text = text.as_deref()?.trim().to_owned();
    for _ in 0..2 {
        let Some(at) = text.find('{') else { break };
        let (before, json) = text.split_at(at);
        let Some(inner) = serde_json::from_str::<Value>(json)
            .ok()
            .and_then(|value| Some(value.get("message")?.as_str()?.to_owned()))
            .filter(|message| !message.is_empty())
        else {
            break;
        };
        text = if inner == NO_MESSAGE && !before.is_empty() {
            before.trim_end_matches([':', ' ']).to_owned()
        } else {
            format!("{before}{inner}")
        };
    }
    if text.is_empty() {
        return None;
    }
    Some(match text.char_indices().nth(MOST_SAID) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    })
}

/// What a failure suggests to do, where the words show it.
fn hint(kind: &ErrKind, line: &Line, registry: &RegistryAddress) -> Option<&'static str> {
    let text = match &line.payload {
        Payload::Err { text, .. } => text.as_deref().unwrap_or_default(),
        _ => return None,
    };
    let signs = registry
        .params
        .keys()
        .any(|name| SIGNING.iter().any(|known| name.eq_ignore_ascii_case(known)));
    Some(match kind {
        ErrKind::Denied if signs => "access-key",
        ErrKind::Denied if text.starts_with("the login was not answered") => "login",
        ErrKind::Denied if registry.username.is_none() => "sign-in",
        ErrKind::BadAnswer if text.contains("web console of Nacos 3") => "console-port",
        ErrKind::BadAnswer if text.contains("gRPC port") => "grpc-port",
        ErrKind::BadAnswer if text.contains("TLS only") => "tls",
        ErrKind::BadAnswer if text.starts_with("TLS: ") => "certificate",
        ErrKind::BadAnswer if text.contains("without the API") => "context-path",
        ErrKind::BadAnswer if text.contains("a redirect to") => "redirect",
        ErrKind::BadAnswer if text.contains(" page") => "page",
        ErrKind::Unreachable if text.starts_with("HTTP 50") => "proxy",
        ErrKind::NotReady => "wait",
        _ => return None,
    })
}

/// Parameters of clients that sign requests (AK/SK): such requests are not made here.
const SIGNING: [&str; 3] = ["accessKey", "secretKey", "ramRoleName"];

/// Whether an address leads to another machine on every host: what answers here says nothing of the consumer's.
fn is_loopback(registry: &RegistryAddress) -> bool {
    registry.members.iter().all(|member| {
        let host = member
            .rsplit_once(':')
            .map_or(member.as_str(), |(host, _)| host);
        let host = host.trim_matches(['[', ']']);
        host.eq_ignore_ascii_case("localhost")
            || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    })
}

/// What was seen from the consumer's own host is what the consumer sees.
pub(crate) fn standing(at: At<'_>, otherwise: Standing) -> Standing {
    if at.0.manifest().seen_from.is_consumer {
        Standing::Consumers
    } else {
        otherwise
    }
}

/// Whether the server told what it is: its state (Nacos), its word on itself (ZooKeeper).
fn is_told(at: At<'_>) -> bool {
    let srvr = Key::ZkFour {
        word: "srvr".to_owned(),
    };
    [Key::NacosState, srvr]
        .iter()
        .flat_map(|key| at.0.lines(at.1, key))
        .any(|line| {
            line.err_kind().is_none()
                && line.body_text().is_some_and(|text| {
                    line.key == Key::NacosState || text.starts_with("Zookeeper version")
                })
        })
}

/// Whether the recording was made with the user that the consumer's configuration has (often none). A consumer that
/// signs its requests shows other credentials.
fn same_credentials(at: At<'_>, registry: &RegistryAddress) -> bool {
    if registry.params.contains_key("accessKey") {
        return false;
    }
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
        key if code == Code::ApiSwitchedOff => {
            params.insert("api".into(), Value::from(line.api().unwrap_or(key.op())))
        }
        key if code == Code::AnswerTooLarge => {
            params.insert("path".into(), Value::from(key.to_string()))
        }
        _ => None,
    };
    Raised {
        code,
        params,
        subject: ("registry".to_owned(), registry.to_string()),
        evidence: vec![evidence(at.0, at.1, line, fact)],
    }
}
