//! The timeout in force for a method on every provider, with the winner and what it beats.

use std::collections::BTreeMap;

use super::{
    consumer::Side,
    model::{Beaten, InForce, MethodTimeout},
    providers::{Offer, Provider},
};
use crate::{
    budget::{
        effective::{
            Attached, Call, DEFAULT_TIMEOUT, DEFAULT_TIMEOUT_TRIPLE, Effective, Source, Timeout,
            timeout,
        },
        layers::{Layers, Set, Whose},
        time::Micros,
    },
    model::{url::Url, version::DubboVersion},
    question::Question,
    view::stage::Model,
};

/// How many addresses of a group are listed.
const SHOWN: usize = 5;

/// What the call brings with it, as far as the question says.
pub(super) fn call(question: &Question) -> Call {
    let attachment = |name: &str| {
        question
            .invocation
            .attachments
            .get(name)
            .map(|text| Attached::Text(text.clone()))
    };
    Call {
        method: question.invocation.method.clone().unwrap_or_default(),
        attached_timeout: attachment("timeout"),
        ..Call::default()
    }
}

/// The name of a level.
pub(super) fn level(set: &Set, side: &Side) -> String {
    let word = match set.whose {
        Whose::Rule => "rule",
        Whose::Provider => "provider",
        Whose::Consumer => side.origins.get(&set.key).copied().unwrap_or("consumer"),
    };
    if set.of_method {
        format!("{word}-method")
    } else {
        word.to_owned()
    }
}

/// The default of a protocol.
fn default_of(url: &Url, version: &DubboVersion) -> i64 {
    let triple = url.protocol.as_deref() == Some("tri") && version.line().is_3x();
    if triple {
        DEFAULT_TIMEOUT_TRIPLE
    } else {
        DEFAULT_TIMEOUT
    }
}

/// One provider's result as an entry of the answer.
fn entry(effective: &Effective, method: &str, side: &Side, model: &'static str) -> InForce {
    let winner = match &effective.timeout {
        Timeout::Millis(_, Source::Parameter(set) | Source::NotPositive(set))
        | Timeout::NotANumber(set) => Some(set),
        Timeout::Millis(..) => None,
    };
    let attached = match &effective.timeout {
        Timeout::Millis(_, Source::Attachment(text) | Source::AttachmentNotANumber(text)) => {
            Some(text)
        }
        _ => None,
    };
    let word = match &effective.timeout {
        Timeout::Millis(_, Source::Countdown) => "countdown".to_owned(),
        Timeout::Millis(_, Source::Context) => "context".to_owned(),
        Timeout::Millis(_, Source::Attachment(_)) => "attachment".to_owned(),
        Timeout::Millis(
            _,
            Source::Default | Source::NotPositive(_) | Source::AttachmentNotANumber(_),
        ) => "default".to_owned(),
        Timeout::Millis(_, Source::Parameter(set)) | Timeout::NotANumber(set) => level(set, side),
    };
    let mut beaten: Vec<Beaten> = effective
        .set
        .iter()
        .filter(|set| Some(*set) != winner)
        .map(|set| Beaten {
            level: level(set, side),
            key: set.key.clone(),
            value: set.value.clone(),
        })
        .collect();
    let own_key = format!("{method}.timeout");
    beaten.extend(
        side.beaten
            .iter()
            .filter(|loser| loser.key == "timeout" || loser.key == own_key)
            .cloned(),
    );
    InForce {
        addresses: Vec::new(),
        addresses_total: 0,
        model,
        timeout_ms: match effective.timeout {
            Timeout::Millis(millis, _) => Some(i64::from(millis)),
            Timeout::NotANumber(_) => None,
        },
        level: word,
        key: winner
            .map(|set| set.key.clone())
            .or(attached.map(|_| "timeout".to_owned())),
        value: winner.map(|set| set.value.clone()).or(attached.cloned()),
        beaten,
        passed_on_ms: effective.passed_on.map(i64::from),
    }
}

/// The results for all providers, equal ones put together, the most frequent first.
pub(super) fn in_force(
    offers: &[Offer],
    side: &Side,
    call: &Call,
    version: &DubboVersion,
) -> Vec<InForce> {
    let mut groups: Vec<InForce> = Vec::new();
    for offer in offers {
        let model = match offer.model {
            Model::Interface => "interface",
            Model::Application => "application",
        };
        for provider in &offer.providers {
            let found = one(offer, provider, side, call, version, model);
            let known = groups.iter_mut().find(|group| {
                (
                    group.timeout_ms,
                    &group.level,
                    &group.key,
                    &group.value,
                    &group.beaten,
                    group.model,
                ) == (
                    found.timeout_ms,
                    &found.level,
                    &found.key,
                    &found.value,
                    &found.beaten,
                    found.model,
                )
            });
            let group = if let Some(group) = known {
                group
            } else {
                groups.push(found);
                groups.last_mut().expect("just pushed")
            };
            group.addresses_total += 1;
            if group.addresses.len() < SHOWN && !group.addresses.contains(&provider.address) {
                group.addresses.push(provider.address.clone());
            }
        }
    }
    groups.sort_by(|a, b| {
        b.addresses_total
            .cmp(&a.addresses_total)
            .then(a.addresses.cmp(&b.addresses))
    });
    if groups.is_empty() {
        groups.push(alone(side, call, version));
    }
    groups
}

/// The timeout of each provider, in the order of the offers; none where it is no number.
pub(super) fn of_each(
    offers: &[Offer],
    side: &Side,
    call: &Call,
    version: &DubboVersion,
) -> Vec<Option<i64>> {
    let providers = offers.iter().flat_map(|offer| {
        offer
            .providers
            .iter()
            .map(move |provider| (offer, provider))
    });
    providers
        .map(|(offer, provider)| one(offer, provider, side, call, version, "none").timeout_ms)
        .collect()
}

fn one(
    offer: &Offer,
    provider: &Provider,
    side: &Side,
    call: &Call,
    version: &DubboVersion,
    model: &'static str,
) -> InForce {
    let layers = offer.layers(provider, side, version);
    let default = default_of(&provider.url, version);
    let effective = timeout(&layers, call, version, default);
    entry(&effective, &call.method, side, model)
}

/// Nothing is known of any provider: what the consumer's side alone gives.
fn alone(side: &Side, call: &Call, version: &DubboVersion) -> InForce {
    let nothing = Url {
        parameters: BTreeMap::new(),
        ..side.url.clone()
    };
    let layers = if version.line().is_3x() {
        Layers::Interface {
            rules: None,
            consumer: &side.url,
            provider: &nothing,
        }
    } else {
        Layers::Merged {
            merged: &side.url,
            consumer: &side.url,
            provider: &nothing,
            version,
        }
    };
    let effective = timeout(&layers, call, version, DEFAULT_TIMEOUT);
    entry(&effective, &call.method, side, "none")
}

/// The same for dubbo-go: it reads durations (`10s`), and its defaults are not those of Dubbo. Everything else is not known.
pub(super) fn of_go(row: &mut InForce) {
    let read = row
        .value
        .as_deref()
        .and_then(|text| Micros::parse(text).ok())
        .and_then(|time| i64::try_from(time.0 / 1000).ok());
    row.timeout_ms = read;
    row.passed_on_ms = None;
    if read.is_none() {
        "unknown".clone_into(&mut row.level);
    }
}

/// Whether an own value of a provider could still win: none is known, and the consumer has none for the method.
pub(super) fn provider_could_win(row: &InForce) -> bool {
    row.model == "none" && !row.level.ends_with("-method") && row.level != "system-property"
}

/// Methods of the providers whose timeout differs from that of the reference as a whole.
pub(super) fn methods(
    offers: &[Offer],
    side: &Side,
    base: &Call,
    version: &DubboVersion,
    whole: Option<i64>,
) -> Vec<MethodTimeout> {
    names(offers)
        .into_iter()
        .filter_map(|method| {
            let call = Call {
                method: method.clone(),
                ..base.clone()
            };
            let row = in_force(offers, side, &call, version).into_iter().next()?;
            (row.timeout_ms != whole || row.level.ends_with("-method")).then_some(MethodTimeout {
                method,
                timeout_ms: row.timeout_ms,
                level: row.level,
            })
        })
        .collect()
}

/// The methods that the providers list, sorted.
pub(super) fn names(offers: &[Offer]) -> Vec<String> {
    let mut names: Vec<String> = offers
        .iter()
        .flat_map(|offer| &offer.providers)
        .filter_map(|provider| provider.url.text("methods"))
        .flat_map(|methods| methods.split(','))
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    names
}
