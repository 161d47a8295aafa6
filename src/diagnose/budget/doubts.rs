//! What keeps the value in force from being known: registries that did not answer, providers that are not there, a
//! method that nobody lists, a text that says otherwise, facts that somebody asked to be seen.

use super::{Candidate, Certainty, Finding, NotSeen, compute::Computed, gather, ladder};
use crate::{
    diagnose::{code::Code, decide, require},
    question::again::line,
    report::words::{Phrase, Say},
    snapshot::Key,
    view::held::{Listing, Reach, ReachFailure},
};

/// Names that are offered instead of one that is not there.
const OFFERED: usize = 5;

/// What the registry says of a service that has no provider there.
#[derive(Debug, Clone)]
pub(super) struct Nobody {
    /// The cause, where it is known.
    pub(super) findings: Vec<Finding>,
    /// What it could be, where it is not.
    pub(super) candidates: Vec<Candidate>,
}

/// What keeps the ladder from being certain.
pub(super) fn doubts(computed: &mut Computed<'_>) {
    let unknown_model = computed
        .offers
        .iter()
        .any(|offer| !offer.model_known && !offer.providers.is_empty());
    let unknown_rules = computed
        .offers
        .iter()
        .any(|offer| !offer.rules_known && !offer.providers.is_empty());
    let no_provider = computed
        .budget
        .in_force
        .iter()
        .any(ladder::provider_could_win);
    let nobody = computed.nobody.is_some();
    let mut lacking = Vec::new();
    if unknown_model {
        lacking.push((Say::LayerApplicationModel, Say::NotAsked));
    }
    if unknown_rules {
        lacking.push((Say::RulesOfConfigCenter, Say::NotAsked));
    }
    if no_provider && !nobody {
        let why = if computed.question.registries.is_empty() {
            Say::NoRegistryNamed
        } else {
            Say::NotAsked
        };
        if computed.unread.is_empty() {
            lacking.push((Say::ProvidersSettings, why));
        }
    }
    for (what, why) in lacking {
        computed.certainty = Certainty::Likely;
        computed.not_seen.push(NotSeen {
            what: Phrase::new(what).with("name", "-"),
            why: why.into(),
            how_to_see: Some(Say::HowAsk.into()),
            required: false,
        });
    }
    if nobody {
        computed.void = true;
        computed.certainty = Certainty::Possible;
        let question = computed.question;
        let command = line(&question.again(&question.service));
        computed.not_seen.push(NotSeen {
            what: Phrase::new(Say::ProvidersSettings).with("name", "-"),
            why: Say::NobodyRegistered.into(),
            how_to_see: Some(Phrase::new(Say::HowAskNoProvider).with("command", command)),
            required: true,
        });
    }
    // What a registry that did not answer holds would decide: what is in force without it is a guess.
    if no_provider && !computed.unread.is_empty() {
        computed.certainty = Certainty::Possible;
        for (failure, unread) in &computed.unread {
            let how_to_see = match failure.raised.code {
                Code::RegistryUnreachable => failure.how_to_try(),
                _ => unread.how_to_see.clone(),
            };
            computed.not_seen.push(NotSeen {
                what: Phrase::new(Say::ProvidersSettings).with("name", "-"),
                how_to_see,
                required: true,
                ..unread.clone()
            });
        }
    }
    if let Some((method, listed)) = unlisted(computed) {
        computed.void = true;
        computed.certainty = Certainty::Possible;
        computed.not_seen.push(NotSeen {
            what: Phrase::new(Say::MethodOfService).with("method", method.as_str()),
            why: Say::NobodyListsMethod.into(),
            how_to_see: Some(offered(&method, listed)),
            required: true,
        });
    }
}

/// Registries that did not answer: what that is, and why their providers were not seen.
pub(super) fn unread(registries: &[gather::Registry]) -> Vec<(ReachFailure, NotSeen)> {
    registries
        .iter()
        .filter_map(|registry| registry.held.first())
        .filter_map(|held| match (&held.reach, &held.listing) {
            (Reach::Failed(failure), Listing::Unknown(unseen)) => {
                Some((failure.clone(), unseen.clone()))
            }
            _ => None,
        })
        .collect()
}

/// Every registry of the consumer told all it has, and none has a provider of the service: what `no-provider` says of
/// that.
pub(super) fn nobody(computed: &Computed<'_>, registries: &[gather::Registry]) -> Option<Nobody> {
    let question = computed.question;
    let told = registries
        .iter()
        .filter(|registry| registry.address.is_some())
        .flat_map(|registry| &registry.held);
    let mut any = false;
    for held in told {
        any = true;
        // Instances without readable metadata may well serve it.
        if !held.listing.is_known() || !held.application.instances.is_empty() {
            return None;
        }
    }
    let none = computed
        .offers
        .iter()
        .all(|offer| offer.providers.is_empty());
    if !any || !none || !computed.has_service() {
        return None;
    }
    let diagnosis = decide::decide(question, computed.snapshot);
    let cause = diagnosis.verdict.as_ref().map(|verdict| verdict.code);
    Some(Nobody {
        findings: diagnosis
            .findings
            .into_iter()
            .filter(|finding| Some(finding.code) == cause)
            .take(1)
            .collect(),
        candidates: diagnosis.candidates,
    })
}

/// The method asked about, when the providers list their methods and none of them has it; and what they list.
fn unlisted(computed: &Computed<'_>) -> Option<(String, Vec<String>)> {
    let method = computed.question.invocation.method.as_deref()?;
    // `$invoke` and `$echo` are answered by every provider.
    if method.starts_with('$') {
        return None;
    }
    let mut providers = computed
        .offers
        .iter()
        .flat_map(|offer| &offer.providers)
        .peekable();
    providers.peek()?;
    let tells = |text: Option<&str>| text.is_some_and(|methods| methods != "*");
    if !providers.all(|provider| tells(provider.url.text("methods"))) {
        return None;
    }
    let listed = ladder::names(&computed.offers);
    (!listed.iter().any(|name| name == method)).then(|| (method.to_owned(), listed))
}

/// The names nearest to one that is not there, or all.
fn offered(method: &str, mut listed: Vec<String>) -> Phrase {
    let lower = method.to_lowercase();
    let near: Vec<String> = listed
        .iter()
        .filter(|name| {
            let other = name.to_lowercase();
            other.contains(&lower)
                || lower.contains(&other)
                || strsim::damerau_levenshtein(&other, &lower) <= 2
        })
        .take(OFFERED)
        .cloned()
        .collect();
    let (say, names) = if near.is_empty() {
        listed.truncate(OFFERED);
        (Say::HowMethodsListed, listed)
    } else {
        (Say::HowMethodNear, near)
    };
    Phrase::new(say).with("methods", names.join(", "))
}

/// Round trips that were tried and gave no time: how many, and why.
pub(super) fn untold_probes(computed: &mut Computed<'_>) {
    let mut tried = 0_usize;
    let mut failed: Vec<(String, String)> = Vec::new();
    for (_, lines) in computed.snapshot.sources() {
        for line in lines.filter(|line| line.key.op() == "probe") {
            let Key::Probe { address, .. } = &line.key else {
                continue;
            };
            let of_service = computed
                .offers
                .iter()
                .flat_map(|offer| &offer.providers)
                .any(|provider| provider.address == *address);
            if !of_service {
                continue;
            }
            tried += 1;
            let empty = line
                .field("samples_us")
                .and_then(serde_json::Value::as_array)
                .is_none_or(Vec::is_empty);
            if empty {
                let why = line
                    .err_kind()
                    .map_or_else(|| "timeout".to_owned(), ToString::to_string);
                failed.push((address.clone(), why));
            }
        }
    }
    failed.sort();
    let Some((address, why)) = failed.first() else {
        return;
    };
    let count = failed.len();
    computed.not_seen.push(NotSeen {
        what: Phrase::new(Say::RoundTrips)
            .with("failed", count.to_string())
            .with("tried", tried.to_string()),
        why: Phrase::new(Say::NoRoundTrip)
            .with("address", address.as_str())
            .with("kind", why.as_str()),
        how_to_see: Phrase::of_port(Say::HowTryPort, Some(address)),
        required: false,
    });
}

/// Facts that somebody asked to be seen (`--require`).
pub(super) fn required(computed: &mut Computed<'_>, own_port: bool) {
    let measured =
        computed.asked.measured.as_ref().is_some_and(|measured| {
            matches!(measured.from, crate::budget::asked::From::Metrics(_))
        });
    let probed = !computed.budget.links.is_empty();
    let is_seen = |fact: &str| match fact {
        "qos" => own_port,
        "probe" => probed,
        "metrics" => measured,
        _ => false,
    };
    let mut not_seen = std::mem::take(&mut computed.not_seen);
    let lacking = require::demand(&computed.question.require, is_seen, &mut not_seen);
    computed.demanded = lacking;
    computed.not_seen = not_seen;
}
