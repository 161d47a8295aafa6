//! Protocol and configurators: what the consumer's directory makes of the entries that are left.

use std::collections::BTreeSet;

use serde_json::json;

use super::{
    Case, Kept, SHOWN, View,
    center::{Center, center},
    key::object,
    later::{config_layers, of_kinds},
    question,
    run::{Result, lacks_protocol, run},
};
use crate::{
    diagnose::code::Code,
    model::url::Url,
    report::words::{Phrase, Say},
    rule::overridden::is_misspelt,
    view::{
        directory::Protocols,
        held::{Entry, Layer, LayerKind, Listing},
        stage::{Dropped, Evidence, NotSeen, Raised, Stage, StageId, State},
    },
};

/// T and O by the consumer's directory: both are computed in one run, as the real code does.
pub(super) fn stages<'a>(
    case: &Case<'a>,
    kept: Vec<Kept<'a>>,
    repaired: &BTreeSet<StageId>,
    view: &mut View,
) -> Vec<Kept<'a>> {
    let stages = &mut view.stages;
    if kept.is_empty() {
        stages.push(Stage::skipped(StageId::Protocol));
        stages.push(Stage::skipped(StageId::Configurators));
        return kept;
    }
    let ran = match run(case, &kept, repaired) {
        Ok(ran) => ran,
        Err(error) => {
            let nameless: Vec<String> = kept
                .iter()
                .filter(|kept| lacks_protocol(kept))
                .map(|kept| kept.entry.address())
                .collect();
            let error = if nameless.is_empty() {
                error.to_string()
            } else {
                format!("{error}: {}", nameless.join(", "))
            };
            let thrown = NotSeen {
                what: Say::ListUnreadable.into(),
                why: Phrase::new(Say::ClientThrows).with("error", error),
                how_to_see: Some(Say::HowQos.into()),
                required: true,
            };
            stages.push(Stage::plain(StageId::Protocol, State::Ok));
            stages.push(Stage::unknown(StageId::Configurators, vec![thrown]));
            return kept;
        }
    };
    let results: Vec<(Kept<'a>, Result)> = kept
        .into_iter()
        .zip(ran.results)
        .filter(|(_, result)| *result != Result::Repeated)
        .collect();
    let (results, libraries) = protocol(case, results, stages);
    view.libraries = libraries;
    configurators(case, results, repaired, view)
}

/// T: the consumer's protocols.
fn protocol<'a>(
    case: &Case<'a>,
    results: Vec<(Kept<'a>, Result)>,
    stages: &mut Vec<Stage>,
) -> (Vec<(Kept<'a>, Result)>, BTreeSet<String>) {
    let total = results.len();
    let (other, usable): (Vec<_>, Vec<_>) = results
        .into_iter()
        .partition(|(_, result)| matches!(result, Result::NotAsked | Result::Unsupported(_)));
    let mut raises = Vec::new();
    if !other.is_empty() {
        let offered: BTreeSet<&str> = other
            .iter()
            .filter_map(|(kept, _)| kept.url.protocol.as_deref())
            .collect();
        let wanted = case.consumer().text("protocol").map_or_else(
            || {
                Protocols::of(case.dubbo().line())
                    .names()
                    .collect::<Vec<_>>()
                    .join(",")
            },
            str::to_owned,
        );
        raises.push(Raised {
            code: Code::ProtocolFiltered,
            params: object(json!({
                "service": case.question.service.to_string(), "wanted": wanted, "offered": offered,
                "count": other.len(), "total": total,
            })),
            subject: ("service".to_owned(), case.question.service.to_string()),
            evidence: other
                .iter()
                .take(SHOWN)
                .map(|(kept, _)| kept.entry.evidence.clone())
                .collect(),
        });
    }
    let drops = other
        .iter()
        .map(|(kept, _)| drop(kept, Code::ProtocolFiltered, None))
        .collect();
    let mut stage = Stage::counted(StageId::Protocol, total, usable.len(), drops, raises);
    // What libraries a process has besides Dubbo's own is not seen.
    let known = Protocols::of(case.dubbo().line());
    let open: BTreeSet<&str> = other
        .iter()
        .filter(|(kept, result)| {
            let name = kept.url.protocol.as_deref().unwrap_or_default();
            matches!(result, Result::Unsupported(_)) && known.may_come_with_a_library(name)
        })
        .filter_map(|(kept, _)| kept.url.protocol.as_deref())
        .collect();
    let libraries: BTreeSet<String> = open.iter().map(|name| (*name).to_owned()).collect();
    if usable.is_empty() && !open.is_empty() {
        stage.state = State::Unknown;
        stage.not_seen = vec![NotSeen {
            what: Phrase::new(Say::ProtocolLibrary)
                .with("name", open.into_iter().collect::<Vec<_>>().join(", ")),
            why: Say::NotAsked.into(),
            how_to_see: Some(Say::HowQos.into()),
            required: true,
        }];
        stage.because = stage.not_seen.first().map(|fact| fact.what.clone());
    }
    stages.push(stage);
    (usable, libraries)
}

/// O: switched off by the provider's own URL or by an override of the registry.
fn configurators<'a>(
    case: &Case<'a>,
    results: Vec<(Kept<'a>, Result)>,
    repaired: &BTreeSet<StageId>,
    view: &mut View,
) -> Vec<Kept<'a>> {
    let stages = &mut view.stages;
    if results.is_empty() {
        stages.push(Stage::skipped(StageId::Configurators));
        return Vec::new();
    }
    let center = center(case);
    view.routed.remarks.extend(center.refused.iter().cloned());
    let missing = rules_not_evaluated(case, &center);
    let total = results.len();
    let (off, usable): (Vec<_>, Vec<_>) = results
        .into_iter()
        .partition(|(_, result)| matches!(result, Result::SwitchedOff { .. }));
    let own = off.iter().all(|(_, result)| {
        matches!(
            result,
            Result::SwitchedOff {
                by_itself: true,
                ..
            }
        )
    });
    let rules = switching_rules(case);
    let by_reference = question::switched_off(case).filter(|_| {
        off.iter()
            .any(|(kept, result)| is_off_by_reference(kept, result, repaired))
    });
    let raises = match by_reference {
        _ if off.is_empty() => Vec::new(),
        Some(raised) => vec![raised],
        None => vec![disabled(case, &off, total, own, &rules, &center)],
    };
    let code = raises
        .first()
        .map_or(Code::DisabledByOverride, |raised| raised.code);
    let drops = off
        .iter()
        .map(|(kept, result)| {
            let rule = match result {
                Result::SwitchedOff {
                    by_itself: false,
                    by_center: true,
                } => center.switching().next().map(|stored| stored.name.clone()),
                Result::SwitchedOff {
                    by_itself: false, ..
                } => rules
                    .first()
                    .and_then(|entry| Some(entry.plain()?.to_string())),
                _ => None,
            };
            drop(kept, code, rule)
        })
        .collect();
    let mut stage = Stage::counted(StageId::Configurators, total, usable.len(), drops, raises);
    if !missing.is_empty() {
        stage.state = State::Unknown;
        stage.because = missing.first().map(|not_seen| not_seen.what.clone());
        stage.not_seen = missing;
    }
    stages.push(stage);
    usable.into_iter().map(|(kept, _)| kept).collect()
}

/// Whether an address is switched off without a rule and not by its own URL.
fn is_off_by_reference(kept: &Kept<'_>, result: &Result, repaired: &BTreeSet<StageId>) -> bool {
    let by_itself = matches!(
        result,
        Result::SwitchedOff {
            by_itself: true,
            ..
        }
    );
    let own = if kept.url.text("disabled").is_some() {
        kept.url.flag("disabled", false)
    } else {
        !repaired.contains(&StageId::Entries) && !kept.url.flag("enabled", true)
    };
    by_itself && !own
}

/// Whether an override sets nothing that decides where calls may go: only how they are made, or a word that nobody
/// reads.
fn sets_nothing(url: &Url) -> bool {
    url.parameters.keys().all(|name| {
        matches!(
            name.as_str(),
            "category" | "dynamic" | "timeout" | "retries"
        ) || is_misspelt(name)
    })
}

/// Rules of this stage that are not evaluated or not seen.
fn rules_not_evaluated(case: &Case<'_>, center: &Center<'_>) -> Vec<NotSeen> {
    let kinds = [LayerKind::Properties, LayerKind::OverrideAmongProviders];
    // Whether such a rule is in force depends on the order of notifications: only one that can do nothing is no doubt.
    let harmless: Vec<String> = case
        .held
        .strangers
        .iter()
        .filter_map(Entry::plain)
        .filter(|url| url.protocol.as_deref() == Some("override") && sets_nothing(url))
        .map(|url| url.to_string())
        .collect();
    let is_harmless = |layer: &Layer| {
        layer.kind == LayerKind::OverrideAmongProviders && harmless.contains(&layer.name)
    };
    let mut missing: Vec<NotSeen> = of_kinds(&config_layers(case), &kinds)
        .iter()
        .filter(|layer| !is_harmless(layer))
        .map(Layer::not_seen)
        .collect();
    missing.extend(center.missing.iter().cloned());
    if let Listing::Unknown(not_seen) = &case.held.configurators_listing {
        missing.push(not_seen.clone());
    }
    let consumer = &case.question.consumer;
    for entry in &case.held.configurators {
        let Some(url) = entry.plain() else { continue };
        let host = url.host.as_deref().unwrap_or_default();
        let for_one_host = host != "0.0.0.0" && url.port == 0;
        let for_one_application = url.text("application").is_some_and(|name| name != "*");
        let depends = for_one_host && consumer.ip.is_none()
            || for_one_application && consumer.application.is_none();
        if depends {
            missing.push(NotSeen {
                what: Phrase::new(Say::RuleForOne).with("rule", url.to_string()),
                why: Say::ConsumerNotKnown.into(),
                how_to_see: None,
                required: true,
            });
        }
    }
    missing
}

/// Overrides that can switch an address on or off.
fn switching_rules<'a>(case: &Case<'a>) -> Vec<&'a Entry> {
    case.held
        .configurators
        .iter()
        .filter(|entry| {
            entry
                .plain()
                .is_some_and(|url| url.parameter("disabled").is_some())
        })
        .collect()
}

fn disabled(
    case: &Case<'_>,
    off: &[(Kept<'_>, Result)],
    total: usize,
    own: bool,
    rules: &[&Entry],
    center: &Center<'_>,
) -> Raised {
    let by_center = !own
        && off.iter().any(|(_, result)| {
            matches!(
                result,
                Result::SwitchedOff {
                    by_itself: false,
                    by_center: true
                }
            )
        });
    let (names, mut evidence): (Vec<String>, Vec<Evidence>) = if by_center {
        center
            .switching()
            .map(|stored| (stored.name.clone(), stored.evidence.clone()))
            .unzip()
    } else if own {
        (vec!["disabled=true".to_owned()], Vec::new())
    } else {
        rules
            .iter()
            .take(SHOWN)
            .map(|entry| {
                let evidence = Evidence {
                    fact: Say::RulePresent.into(),
                    ..entry.evidence.clone()
                };
                (
                    entry
                        .plain()
                        .map_or_else(String::new, |url| url.to_string()),
                    evidence,
                )
            })
            .unzip()
    };
    evidence.extend(
        off.iter()
            .filter(|(_, result)| {
                matches!(
                    result,
                    Result::SwitchedOff {
                        by_itself: true,
                        ..
                    }
                )
            })
            .take(SHOWN)
            .map(|(kept, _)| Evidence {
                fact: Phrase::new(Say::EntryDisabledItself).with("address", kept.entry.address()),
                ..kept.entry.evidence.clone()
            }),
    );
    Raised {
        code: Code::DisabledByOverride,
        params: object(json!({
            "service": case.question.service.to_string(), "count": off.len(), "total": total,
            "rule": names, "own": own, "center": by_center,
        })),
        subject: ("service".to_owned(), case.question.service.to_string()),
        evidence,
    }
}

fn drop(kept: &Kept<'_>, code: Code, rule: Option<String>) -> Dropped {
    Dropped {
        address: kept.url.address().unwrap_or_else(|| kept.entry.address()),
        code,
        rule,
        position: None,
    }
}
