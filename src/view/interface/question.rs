//! Q: what of the question itself keeps the consumer from asking this registry.

use serde_json::json;

use super::{Case, fate::fits, key::object};
use crate::{
    diagnose::code::Code,
    input::log::Failure,
    model::{probe, service_key::ServiceKey, url::is_true},
    question::{AddressFault, UnreadableAddress, again::line},
    report::words::{Phrase, Say},
    snapshot::SourceId,
    view::{
        held::{Entry, Layer, LayerKind},
        names::{fit_of_short, is_shell_eaten},
        stage::{Evidence, NotSeen, Raised, Stage, StageId, State},
    },
};

/// How many names are offered for one that nobody has.
const MOST_MEANT: usize = 5;

/// The stage of the question.
pub(super) fn stage(case: &Case<'_>) -> Stage {
    let mut raises: Vec<Raised> = case.question.unreadable.iter().map(unreadable).collect();
    if let Some(raised) = placeholder(case) {
        raises.push(raised);
    }
    if let Some(raised) = misaddressed(case) {
        raises.push(raised);
    }
    if let Some(direct) = direct(case) {
        let mut stage = direct.stage;
        stage.raises.splice(0..0, raises.iter().cloned());
        if !raises.is_empty() {
            stage.state = State::Failed;
        }
        return stage;
    }
    if !raises.is_empty() {
        return Stage {
            raises,
            ..Stage::plain(StageId::Question, State::Failed)
        };
    }
    let layers = layers(case);
    let mut layers: Vec<_> = layers.iter().map(|layer| unread(case, layer)).collect();
    layers.extend(meant(case));
    if layers.is_empty() {
        Stage::plain(StageId::Question, State::Ok)
    } else {
        Stage::unknown(StageId::Question, layers)
    }
}

/// An address in the consumer's configuration on which `URLStrParser` throws: the application does not start with it.
fn unreadable(address: &UnreadableAddress) -> Raised {
    let fault = &address.error.fault;
    let line = json!({"file": address.source, "line": address.line});
    Raised {
        code: Code::AddressUnparsable,
        params: object(json!({"address": address.error.masked, "fault": fault.name()})),
        subject: ("setting".to_owned(), address.property.clone()),
        evidence: SourceId::new(address.source.as_str())
            .map(|source| Evidence {
                source,
                op: "file.lines".to_owned(),
                address: object(line),
                position: None,
                seen_at: None,
                fact: fault_phrase(fault).with("property", address.property.as_str()),
            })
            .into_iter()
            .collect(),
    }
}

fn fault_phrase(fault: &AddressFault) -> Phrase {
    let say = match fault {
        AddressFault::CutByPassword(cut) => {
            return Phrase::new(Say::FaultCut).with("cut", cut.to_string());
        }
        AddressFault::PortNotANumber => Say::FaultPort,
        AddressFault::LastPortMissing => Say::FaultLastPort,
        AddressFault::PortOutOfRange => Say::FaultPortRange,
        AddressFault::NoHost => Say::FaultNoHost,
        AddressFault::NoScheme(_) | AddressFault::UnknownScheme(_) | AddressFault::NoKind => {
            Say::FaultScheme
        }
        AddressFault::Empty | AddressFault::Several(_) | AddressFault::XmlEntity => Say::FaultOther,
    };
    say.into()
}

/// `${..}` that nobody resolved: in the registry's address, or in the key unless a provider has the very same text.
fn placeholder(case: &Case<'_>) -> Option<Raised> {
    let service = &case.question.service;
    let in_key = [
        Some(("interface", service.interface.as_str())),
        service.group.as_deref().map(|group| ("group", group)),
        service
            .version
            .as_deref()
            .map(|version| ("version", version)),
    ]
    .into_iter()
    .flatten()
    .find(|(_, text)| crate::question::placeholder(text).is_some());
    let in_address = case
        .registry
        .and_then(|registry| registry.placeholder())
        .map(|text| ("registry address", text));
    let in_url = case.question.consumer.params.get("url");
    let in_url = in_url.and_then(|url| Some(("url", crate::question::placeholder(url)?)));
    let (place, value) = match in_address.or(in_url) {
        Some(found) => found,
        None => in_key.filter(|_| !is_registered_literally(case))?,
    };
    Some(Raised {
        code: Code::PlaceholderUnresolved,
        params: object(json!({"value": value, "place": place})),
        subject: ("setting".to_owned(), place.to_owned()),
        evidence: Vec::new(),
    })
}

fn is_registered_literally(case: &Case<'_>) -> bool {
    let wanted = case.question.service.to_string();
    case.held
        .entries
        .iter()
        .any(|entry| entry.plain().and_then(|url| url.service_key()).as_ref() == Some(&wanted))
}

/// Settings by which a reference does not ask the registry for providers.
fn misaddressed(case: &Case<'_>) -> Option<Raised> {
    let of_registry = case
        .registry
        .and_then(|registry| registry.params.get("subscribe"));
    let of_reference = case.question.consumer.params.get("subscribe");
    let unsubscribed = of_registry
        .or(of_reference)
        .is_some_and(|value| !value.is_empty() && !is_true(value));
    let setting = if unsubscribed {
        "subscribe=false"
    } else if case
        .question
        .consumer
        .params
        .get("registry")
        .is_some_and(|v| v == "N/A")
    {
        "registry=N/A"
    } else {
        return None;
    };
    Some(not_asked(setting))
}

/// A name that nobody has and that was typed in short: without its package, or without the `$Inner` that the shell took
/// for a variable. A name from the consumer's own text is the name it uses.
fn meant(case: &Case<'_>) -> Option<NotSeen> {
    let name = &case.question.service.interface;
    let from_text = || {
        case.question.logs.iter().any(|log| {
            log.failures
                .iter()
                .filter_map(Failure::service)
                .any(|claim| claim.value.interface == *name)
        })
    };
    let held = case.held;
    let is_known =
        !held.entries.is_empty() || !held.consumers.is_empty() || !held.elsewhere.is_empty();
    if is_known || from_text() {
        return None;
    }
    let by_shell = held
        .near
        .iter()
        .map(|near| near.interface.as_str())
        .filter(|full| is_shell_eaten(name, full))
        .map(|full| (0, full, None));
    let in_short = held.spelled.iter().filter_map(|(full, elsewhere)| {
        Some((
            fit_of_short(name, full)?,
            full.as_str(),
            elsewhere.as_deref(),
        ))
    });
    let mut meant: Vec<(u8, &str, Option<&str>)> = by_shell.chain(in_short).collect();
    // What is here comes before what is elsewhere, and the very name before a near one.
    meant.sort_by_key(|(fit, full, elsewhere)| (*fit, elsewhere.is_some(), *full));
    let (best, first, _) = *meant.first()?;
    meant.retain(|(fit, ..)| *fit == best);
    let mut names: Vec<String> = meant
        .iter()
        .take(MOST_MEANT)
        .map(|(_, full, elsewhere)| match elsewhere {
            Some(place) => format!("{full} ({place})"),
            None => (*full).to_owned(),
        })
        .collect();
    if meant.len() > MOST_MEANT {
        names.push(format!("+{}", meant.len() - MOST_MEANT));
    }
    let service = &case.question.service;
    let full = ServiceKey::new(service.group.as_deref(), first, service.version.as_deref());
    Some(NotSeen {
        what: Phrase::new(Say::InterfaceMeant).with("name", name.as_str()),
        why: Phrase::new(Say::DidYouMean).with("names", names.join(", ")),
        how_to_see: Some(
            Phrase::new(Say::HowAskFull).with("command", line(&case.question.again(&full))),
        ),
        required: true,
    })
}

/// Whether a stage of the question says that another name is meant: what the name that was typed gives, means nothing then.
pub(crate) fn means_another(stage: &Stage) -> bool {
    stage
        .not_seen
        .iter()
        .any(|fact| fact.what.say == Say::InterfaceMeant)
}

/// A reference that does not ask a registry: what it calls instead.
pub(super) struct Direct {
    /// The stage of the question.
    pub(super) stage: Stage,
    /// Addresses that are left.
    pub(super) left: Vec<String>,
    /// Addresses that it connects to, with the round trips that their protocols answer: those of `url=`.
    pub(super) connecting: Vec<(String, Option<&'static str>)>,
    /// Why no registry is asked.
    pub(super) because: Phrase,
}

/// `url=`, and `injvm` or `scope=local` (`ReferenceConfig.shouldJvmRefer`, `InjvmProtocol.isInjvmRefer`): the value of
/// `injvm` decides, then `url`, then `scope`.
pub(super) fn direct(case: &Case<'_>) -> Option<Direct> {
    let params = &case.question.consumer.params;
    let set = |name: &str| {
        params
            .get(name)
            .map(String::as_str)
            .filter(|v| !v.is_empty())
    };
    let injvm = set("injvm").map(|value| value.eq_ignore_ascii_case("true"));
    let url = set("url");
    let local = set("scope") == Some("local");
    match (injvm, url) {
        (Some(true), _) => Some(in_process(case, "injvm=true")),
        (_, Some(url)) => by_url(case, url),
        (None, None) if local => Some(in_process(case, "scope=local")),
        _ => None,
    }
}

/// Providers of exactly this key, as the registry has them.
fn offered<'a>(case: &Case<'a>) -> impl Iterator<Item = &'a Entry> {
    let consumer = case.consumer();
    let version = case.dubbo();
    case.held.entries.iter().filter(move |entry| {
        entry
            .url(version)
            .is_ok_and(|url| fits(&consumer, &url, version, true))
    })
}

/// A call inside the process finds what the process itself exports. An export that is not registered cannot be seen.
fn in_process(case: &Case<'_>, setting: &str) -> Direct {
    let ip = case.question.consumer.ip.as_deref();
    let own: Vec<String> = offered(case)
        .filter(|entry| ip.is_some() && entry.plain().and_then(|url| url.host).as_deref() == ip)
        .map(Entry::address)
        .collect();
    let because = Phrase::new(Say::OwnProcess).with("setting", setting);
    Direct {
        stage: Stage {
            because: Some(because.clone()),
            raises: vec![not_asked(setting)],
            ..Stage::plain(
                StageId::Question,
                if own.is_empty() {
                    State::Failed
                } else {
                    State::Ok
                },
            )
        },
        left: own,
        connecting: Vec::new(),
        because,
    }
}

/// The addresses of `url=`, if it names any and not a registry.
fn by_url(case: &Case<'_>, text: &str) -> Option<Direct> {
    let (mut addresses, mut connecting) = (Vec::new(), Vec::new());
    for part in text
        .split(';')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let (scheme, rest) = part.split_once("://").unwrap_or(("dubbo", part));
        if [
            "registry",
            "service-discovery-registry",
            "zookeeper",
            "nacos",
            "injvm",
        ]
        .contains(&scheme)
        {
            return None;
        }
        let address = rest.split(['/', '?']).next().unwrap_or_default();
        let address = address.rsplit('@').next().unwrap_or_default();
        if address.is_empty() {
            return None;
        }
        addresses.push(address.to_owned());
        let secured = rest.contains("ssl-enabled=true");
        let kind = probe::kind_of(Some(scheme)).filter(|_| !secured);
        connecting.push((address.to_owned(), kind));
    }
    if addresses.is_empty() {
        return None;
    }
    let known: Vec<String> = offered(case).map(Entry::address).collect();
    let (left, strange): (Vec<String>, Vec<String>) = addresses
        .into_iter()
        .partition(|address| known.contains(address));
    let shown = left
        .iter()
        .chain(&strange)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    let not_seen: Vec<NotSeen> = strange
        .iter()
        .map(|address| NotSeen {
            what: Phrase::new(Say::DirectAddress).with("address", address.as_str()),
            why: Say::NotInRegistry.into(),
            how_to_see: Some(Phrase::how_to_probe(Some(address))),
            required: left.is_empty(),
        })
        .collect();
    let because = Phrase::new(Say::DirectUrl).with("url", shown.as_str());
    Some(Direct {
        stage: Stage {
            because: Some(because.clone()),
            raises: vec![not_asked(&format!("url={shown}"))],
            not_seen,
            ..Stage::plain(
                StageId::Question,
                if left.is_empty() {
                    State::Unknown
                } else {
                    State::Ok
                },
            )
        },
        left,
        connecting,
        because,
    })
}

/// `enabled` or `disabled` of the reference itself: the merged URL of every provider has it, and the directory takes none
/// (`RegistryDirectory.toInvokers`; the registry's filter of 3.x reads the merged `enabled`, too).
pub(super) fn switched_off(case: &Case<'_>) -> Option<Raised> {
    [("disabled", true), ("enabled", false)]
        .into_iter()
        .filter_map(|(name, off)| Some((name, off, case.question.consumer.params.get(name)?)))
        .find(|(_, off, value)| !value.is_empty() && is_true(value) == *off)
        .map(|(name, _, value)| not_asked(&format!("{name}={value}")))
}

fn not_asked(setting: &str) -> Raised {
    Raised {
        code: Code::ConsumerMisaddressed,
        params: object(json!({"setting": setting})),
        subject: ("setting".to_owned(), setting.to_owned()),
        evidence: Vec::new(),
    }
}

/// A setting that is not evaluated. One of the key itself says what to ask instead.
fn unread(case: &Case<'_>, layer: &Layer) -> NotSeen {
    let field = |name: &str| layer.evidence.as_ref()?.address.get(name)?.as_str();
    let mut service = case.question.service.clone();
    let part = match field("key").and_then(|key| key.rsplit('.').next()) {
        Some("group") => &mut service.group,
        Some("version") => &mut service.version,
        _ => return layer.not_seen(),
    };
    *part = field("value").map(str::to_owned);
    NotSeen {
        how_to_see: Some(Phrase::new(Say::HowAskFull).with("name", format!("'{service}'"))),
        ..layer.not_seen()
    }
}

/// Settings whose effect is not evaluated: what they bypass depends on the consumer's process.
fn layers(case: &Case<'_>) -> Vec<Layer> {
    let params = &case.question.consumer.params;
    let mut layers: Vec<Layer> = case
        .held
        .layers
        .iter()
        .filter(|layer| layer.kind == LayerKind::ConsumerConfig)
        .cloned()
        .collect();
    // A registry, or a text that is no address: what lies behind it is not read.
    if let Some(url) = params.get("url").filter(|url| !url.is_empty()) {
        layers.push(Layer {
            kind: LayerKind::ConsumerConfig,
            name: format!("url={url}"),
            evidence: None,
        });
    }
    layers
}
