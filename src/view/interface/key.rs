//! Name form, key and entries: the registry's own filter (`UrlUtils.isMatch`), with the reason for each drop.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    Case, Kept, SHOWN, View,
    fate::{Fate, fate, stray},
    near::{NearMiss, meant, near_misses, near_params, nearest},
    question, run, shown,
};
use crate::{
    diagnose::code::Code,
    model::url::Url,
    question::placeholder,
    report::words::{Phrase, Say},
    view::{
        held::{Entry, Listing, Reach},
        stage::{Dropped, Evidence, NotSeen, Raised, Stage, StageId, State},
    },
};

/// Computes the stages and returns what is left.
pub(super) fn stages<'a>(
    case: &Case<'a>,
    repaired: &BTreeSet<StageId>,
    view: &mut View,
) -> Vec<Kept<'a>> {
    let held = case.held;
    let question_fails = view
        .stages
        .first()
        .is_some_and(|s| s.state == State::Failed)
        && !repaired.contains(&StageId::Question);
    if question_fails || !matches!(held.reach, Reach::Answered(_)) {
        for id in [StageId::NameForm, StageId::Key, StageId::Entries] {
            view.stages.push(Stage::skipped(id));
        }
        return Vec::new();
    }
    if let Listing::Unknown(not_seen) = &held.listing {
        view.stages.push(Stage::skipped(StageId::NameForm));
        view.stages.push(Stage {
            raises: held.hidden.clone(),
            ..Stage::unknown(StageId::Key, vec![not_seen.clone()])
        });
        view.stages.push(Stage::skipped(StageId::Entries));
        return Vec::new();
    }
    if let Err(error) = run::can_read(case)
        && error.is_by_registry()
    {
        view.stages.push(Stage::unknown(
            StageId::NameForm,
            vec![unreadable_list(&error.to_string())],
        ));
        view.stages.push(Stage::skipped(StageId::Key));
        view.stages.push(Stage::skipped(StageId::Entries));
        return Vec::new();
    }
    let consumer = case.consumer();
    let fates: Vec<(&'a Entry, Fate)> = held
        .entries
        .iter()
        .map(|entry| (entry, fate(case, &consumer, entry)))
        .collect();
    let skip_key = repaired.contains(&StageId::Key);
    view.near = near_misses(case, &fates);
    view.meant = meant(case, &fates, &view.near);
    let named = name_form(&fates, &mut view.stages, skip_key);
    let kept = key(case, &fates, &named, view, skip_key);
    entries(
        case,
        kept,
        &mut view.stages,
        repaired.contains(&StageId::Entries),
    )
}

/// The client throws on the list: what it holds then is not evaluated.
fn unreadable_list(error: &str) -> NotSeen {
    NotSeen {
        what: Say::ListUnreadable.into(),
        why: Phrase::new(Say::ClientThrows).with("error", error),
        how_to_see: Some(Say::HowQos.into()),
        required: true,
    }
}

fn dropped(entry: &Entry, code: Code) -> Dropped {
    Dropped {
        address: entry.address(),
        code,
        rule: None,
        position: None,
    }
}

fn evidence_of<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<Evidence> {
    entries
        .take(SHOWN)
        .map(|entry| entry.evidence.clone())
        .collect()
}

/// N: entries in a spelling that this version does not read.
fn name_form<'f, 'a>(
    fates: &'f [(&'a Entry, Fate)],
    stages: &mut Vec<Stage>,
    skip: bool,
) -> Vec<&'f (&'a Entry, Fate)> {
    let (other, named): (Vec<_>, Vec<_>) = fates
        .iter()
        .partition(|(_, fate)| matches!(fate, Fate::OtherForm(..)));
    if skip || other.is_empty() {
        stages.push(Stage {
            input: Some(fates.len()),
            output: Some(fates.len()),
            ..Stage::plain(StageId::NameForm, State::Ok)
        });
        return fates.iter().collect();
    }
    let forms: BTreeSet<&str> = other
        .iter()
        .filter_map(|(_, fate)| match fate {
            Fate::OtherForm(_, name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    let raised = Raised {
        code: Code::NameFormDiffers,
        params: object(json!({"offered": forms, "count": other.len()})),
        subject: (
            "name".to_owned(),
            forms.iter().copied().collect::<Vec<_>>().join(", "),
        ),
        evidence: evidence_of(other.iter().map(|(entry, _)| *entry)),
    };
    let drops = other
        .iter()
        .map(|(entry, _)| dropped(entry, Code::NameFormDiffers))
        .collect();
    // Entries with another key do not keep this stage from being the empty one: 2104 comes first.
    let left = named
        .iter()
        .filter(|(_, fate)| matches!(fate, Fate::In(_) | Fate::Disabled(_)))
        .count();
    let mut stage = Stage::counted(
        StageId::NameForm,
        fates.len(),
        named.len(),
        drops,
        vec![raised],
    );
    stage.state = if left == 0 { State::Failed } else { State::Ok };
    stages.push(stage);
    named
}

/// K: group, version, interface.
fn key<'a>(
    case: &Case<'a>,
    all: &[(&'a Entry, Fate)],
    named: &[&(&'a Entry, Fate)],
    view: &mut View,
    skip: bool,
) -> Vec<(&'a Entry, Url, bool)> {
    if view.failed().is_some() {
        view.stages.push(Stage::skipped(StageId::Key));
        return Vec::new();
    }
    let mut kept = Vec::new();
    let mut drops = Vec::new();
    let mut literal = Vec::new();
    for (entry, fate) in named.iter().map(|pair| (&pair.0, &pair.1)) {
        let code = match fate {
            Fate::In(url) => {
                kept.push((*entry, url.clone(), true));
                continue;
            }
            Fate::Disabled(url) => {
                kept.push((*entry, url.clone(), false));
                continue;
            }
            Fate::OtherForm(url, _) if skip => {
                kept.push((*entry, url.clone(), is_enabled(entry, url)));
                continue;
            }
            Fate::Literal(_) => {
                literal.push(*entry);
                Code::WildcardUnsupported
            }
            Fate::Key(_, differs) => differs.first().map_or(Code::NotRegistered, |f| f.code()),
            Fate::OtherForm(..) | Fate::Other => Code::NotRegistered,
        };
        drops.push(dropped(entry, code));
    }
    let raises = if kept.is_empty() {
        raises(case, all, &literal, &view.near)
    } else {
        Vec::new()
    };
    let mut stage = Stage::counted(StageId::Key, named.len(), kept.len(), drops, raises);
    if skip {
        // Repaired by assumption: it is never the empty one, even when nobody is left to ask.
        stage.state = State::Ok;
    }
    if !case.held.unreadable.is_empty() {
        stage.because = Some(
            Phrase::new(Say::UnreadableNames).with("count", case.held.unreadable.len().to_string()),
        );
    }
    view.stages.push(stage);
    kept
}

fn is_enabled(entry: &Entry, url: &Url) -> bool {
    url.flag("enabled", true) && entry.nacos.as_ref().is_none_or(|side| side.enabled)
}

/// What an empty key stage raises, in the order in which the first hit is the verdict.
fn raises(
    case: &Case<'_>,
    all: &[(&Entry, Fate)],
    literal: &[&Entry],
    near: &[NearMiss],
) -> Vec<Raised> {
    let mut raised = Vec::new();
    let service = case.question.service.to_string();
    if !literal.is_empty() {
        let mut params = object(json!({"wanted": asked(case), "service": service}));
        params.insert("offered".into(), json!(keys_of(all)));
        raised.push(Raised {
            code: Code::WildcardUnsupported,
            params,
            subject: ("service".to_owned(), service.clone()),
            evidence: evidence_of(literal.iter().copied()),
        });
    }
    let nearest = nearest(near);
    if let Some(raised_here) = unresolved(&nearest, &service) {
        raised.push(raised_here);
    }
    if let Some(first) = nearest.first() {
        let code = first
            .differs
            .first()
            .map_or(Code::NotRegistered, |f| f.code());
        raised.push(Raised {
            code,
            params: near_params(case, code, &nearest),
            subject: ("service".to_owned(), service.clone()),
            evidence: nearest
                .iter()
                .flat_map(|miss| miss.evidence.iter().cloned())
                .take(SHOWN)
                .collect(),
        });
    }
    let strays: Vec<(&Entry, String)> = all
        .iter()
        .filter(|(_, fate)| matches!(fate, Fate::Other))
        .filter_map(|(entry, _)| Some((*entry, stray(case, entry)?)))
        .collect();
    let mut params = object(json!({"service": service, "place": case.held.place}));
    let mut evidence = shown(&case.held.listing);
    if !strays.is_empty() {
        let addresses: Vec<String> = strays.iter().map(|(entry, _)| entry.address()).collect();
        params.insert("strays".into(), json!(addresses));
        evidence = strays
            .iter()
            .take(SHOWN)
            .map(|(entry, lacks)| Evidence {
                fact: Phrase::new(Say::EntryStray)
                    .with("address", entry.address())
                    .with("lacks", lacks.as_str()),
                ..entry.evidence.clone()
            })
            .collect();
    }
    raised.push(Raised {
        code: Code::NotRegistered,
        params,
        subject: ("service".to_owned(), service),
        evidence,
    });
    raised
}

/// DG0104: a near miss differs in a group or version in which the provider left `${..}`: that comes before a plain difference.
fn unresolved(nearest: &[&NearMiss], service: &str) -> Option<Raised> {
    let found = nearest.iter().find_map(|miss| {
        let parts = [("group", &miss.group), ("version", &miss.version)];
        let (name, value) = parts.into_iter().find(|(_, value)| {
            value
                .as_deref()
                .is_some_and(|text| placeholder(text).is_some())
        })?;
        Some((*miss, name, value.as_deref()?))
    });
    let (miss, name, value) = found?;
    let of = miss.addresses.join(", ");
    Some(Raised {
        code: Code::PlaceholderUnresolved,
        params: object(json!({
            "value": value, "place": format!("{name} · {of}"), "side": "provider", "service": service,
        })),
        subject: ("setting".to_owned(), name.to_owned()),
        evidence: miss.evidence.clone(),
    })
}

fn asked(case: &Case<'_>) -> String {
    let service = &case.question.service;
    let part = |name: &str, value: &Option<String>| {
        value
            .as_ref()
            .filter(|text| text.contains('*') || text.contains(','))
            .map(|text| format!("{name}={text}"))
    };
    [
        part("group", &service.group),
        part("version", &service.version),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(" ")
}

fn keys_of(all: &[(&Entry, Fate)]) -> BTreeSet<String> {
    all.iter()
        .filter_map(|(entry, _)| entry.plain()?.service_key())
        .collect()
}

/// E: switched off in the registry.
fn entries<'a>(
    case: &Case<'a>,
    kept: Vec<(&'a Entry, Url, bool)>,
    stages: &mut Vec<Stage>,
    skip: bool,
) -> Vec<Kept<'a>> {
    if kept.is_empty() {
        stages.push(Stage::skipped(StageId::Entries));
        return Vec::new();
    }
    let total = kept.len();
    let (on, off): (Vec<_>, Vec<_>) = kept.into_iter().partition(|(_, _, on)| *on || skip);
    let by_reference = question::switched_off(case)
        .filter(|_| off.iter().any(|(entry, url, _)| is_enabled(entry, url)));
    let raises = match by_reference {
        _ if off.is_empty() => Vec::new(),
        Some(raised) => vec![raised],
        None => vec![Raised {
            code: Code::AllDisabled,
            params: object(json!({
                "service": case.question.service.to_string(), "count": off.len(), "total": total,
            })),
            subject: ("service".to_owned(), case.question.service.to_string()),
            evidence: off
                .iter()
                .take(SHOWN)
                .map(|(entry, ..)| Evidence {
                    fact: Phrase::new(Say::EntryDisabled).with("address", entry.address()),
                    ..entry.evidence.clone()
                })
                .collect(),
        }],
    };
    let code = raises
        .first()
        .map_or(Code::AllDisabled, |raised| raised.code);
    let drops = off.iter().map(|(entry, ..)| dropped(entry, code)).collect();
    stages.push(Stage {
        not_seen: case.held.lists_not_seen.clone(),
        ..Stage::counted(StageId::Entries, total, on.len(), drops, raises)
    });
    on.into_iter()
        .map(|(entry, url, _)| Kept { entry, url })
        .collect()
}

/// A JSON object's map.
pub(super) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
