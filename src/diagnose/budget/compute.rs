//! The numbers of the answer, in the order in which they depend on each other.

use super::{
    Asked, Assumption, Certainty, Missing, NotSeen, Worlds,
    consumer::{Side, side},
    gather, ladder, links,
    model::{Advice, Budget, InForce, Need, Notation, PerTry, Total, Tries, WhatIf},
    observed::{Happening, happenings},
    providers::{Offer, Reader},
    told::{chain_info, measured_info},
};
use crate::{
    budget::{
        advice::{self, Advised},
        asked::{Doubt, Pick},
        effective::{self, Call},
        layers::own_value,
        plan::{self, Cluster, Side as Measuring},
        time::Micros,
    },
    diagnose::code::Code,
    model::{url::Url, version::DubboVersion},
    question::Question,
    report::words::{Phrase, Say},
    snapshot::{Key, Snapshot, SourceKind, Want},
    view::held::{Listing, Reach, ReachFailure},
};

/// The longest timeout that Dubbo can be given: an `int` of milliseconds.
const LONGEST: u64 = i32::MAX as u64;

/// Everything that was computed, for the findings.
#[derive(Debug)]
pub(super) struct Computed<'a> {
    pub(super) question: &'a Question,
    pub(super) asked: &'a Asked,
    pub(super) snapshot: &'a Snapshot,
    pub(super) version: DubboVersion,
    pub(super) side: Side,
    pub(super) offers: Vec<Offer>,
    pub(super) call: Call,
    pub(super) budget: Budget,
    /// What is in force depends on an assumption.
    pub(super) certainty: Certainty,
    /// Registries that did not answer: what that is, and why their providers were not seen.
    pub(super) unread: Vec<(ReachFailure, NotSeen)>,
    pub(super) happenings: Vec<Happening>,
    pub(super) consumers: Option<u64>,
    /// The round trip as it was tried, and whether that was on the consumer.
    pub(super) probed: Option<(Micros, bool)>,
    pub(super) assumed: Vec<Assumption>,
    pub(super) not_seen: Vec<NotSeen>,
}

impl Computed<'_> {
    /// The timeouts in force, as times; those that fail or end a call at once are left out.
    pub(super) fn timeouts(&self) -> impl Iterator<Item = (&InForce, Micros)> {
        self.budget.in_force.iter().filter_map(|row| {
            let millis = u64::try_from(row.timeout_ms?).ok().filter(|ms| *ms > 0)?;
            Some((row, Micros::from_millis(millis)))
        })
    }

    /// The shortest one.
    pub(super) fn shortest(&self) -> Option<(&InForce, Micros)> {
        self.timeouts().min_by_key(|(_, time)| *time)
    }

    /// The longest one.
    pub(super) fn longest(&self) -> Option<(&InForce, Micros)> {
        self.timeouts().max_by_key(|(_, time)| *time)
    }

    /// The round trip that is computed with: as given, as tried, as its class of link has it.
    pub(super) fn round_trip(&self) -> Micros {
        let tried = self.probed.map(|(rtt, _)| rtt);
        self.asked
            .rtt
            .or(tried)
            .unwrap_or_else(|| self.asked.round_trip())
    }

    /// Whether something is known to be in force: a service was named.
    pub(super) fn has_service(&self) -> bool {
        self.question.service.interface != "-"
    }
}

/// Computes everything.
pub(super) fn compute<'a>(
    question: &'a Question,
    asked: &'a Asked,
    snapshot: &'a Snapshot,
    missing: &Missing,
) -> Computed<'a> {
    let worlds = Worlds::of(question);
    let version = worlds.version.clone();
    let registries = gather::all(question, snapshot, missing);
    let offers_of = |version: &DubboVersion| {
        let side = side(question, snapshot, version);
        let offers: Vec<Offer> = registries
            .iter()
            .filter_map(|registry| Some((registry.address.as_ref(), registry.held.first()?)))
            .map(|(address, held)| {
                let reader = Reader {
                    question,
                    snapshot,
                    version,
                    side: &side,
                    missing,
                };
                reader.read(address, held)
            })
            .collect();
        (side, offers)
    };
    let (side, offers) = offers_of(&version);
    let call = ladder::call(question);
    let consumers = registries
        .iter()
        .filter_map(|registry| registry.held.first())
        .map(|held| held.consumers.len() as u64)
        .max()
        .filter(|count| *count > 0);
    let mut computed = Computed {
        question,
        asked,
        snapshot,
        budget: Budget {
            method: question.invocation.method.clone(),
            ..Budget::default()
        },
        certainty: Certainty::Certain,
        unread: unread(&registries),
        happenings: happenings(question),
        consumers,
        probed: None,
        assumed: Vec::new(),
        not_seen: Vec::new(),
        version,
        side,
        offers,
        call,
    };
    want_probes(&computed, missing);
    want_metrics(snapshot, missing);
    if computed.has_service() {
        let rows = |side: &Side, offers: &[Offer], version: &DubboVersion| {
            ladder::in_force(offers, side, &computed.call, version)
        };
        computed.budget.in_force = rows(&computed.side, &computed.offers, &computed.version);
        let other_lines: Vec<DubboVersion> = worlds
            .lines
            .iter()
            .filter(|line| {
                let (side, offers) = offers_of(line);
                let other = rows(&side, &offers, line);
                let values =
                    |rows: &[InForce]| rows.iter().map(|row| row.timeout_ms).collect::<Vec<_>>();
                values(&other) != values(&computed.budget.in_force)
            })
            .cloned()
            .collect();
        if worlds.assumed {
            computed.assumed.push(Assumption {
                what: "dubbo",
                value: computed.version.to_string(),
                why: Say::AssumedNewest.into(),
                changes_verdict: !other_lines.is_empty(),
            });
            if !other_lines.is_empty() {
                computed.certainty = Certainty::Likely;
            }
        }
        doubts(&mut computed);
        if question.invocation.method.is_none() {
            let whole = computed
                .budget
                .in_force
                .first()
                .and_then(|row| row.timeout_ms);
            computed.budget.methods = ladder::methods(
                &computed.offers,
                &computed.side,
                &computed.call,
                &computed.version,
                whole,
            );
        }
        computed.budget.tries = Some(tries(&computed));
        computed.budget.links = links::links(&computed);
        computed.probed = links::round_trip(&computed, &computed.budget.links);
        computed.budget.leaving = links::leaving(&computed);
        computed.budget.settings = super::raise_load::settings_rows(&computed);
    }
    numbers(&mut computed);
    computed.budget.observed = computed
        .happenings
        .iter()
        .map(|happening| happening.row.clone())
        .collect();
    computed
}

/// Recorded pages of metrics: they may tell how long calls take.
fn want_metrics(snapshot: &Snapshot, missing: &Missing) {
    for (id, source) in &snapshot.manifest().sources {
        let key = match source.kind {
            SourceKind::Metrics => Key::MetricsText,
            SourceKind::Qos => Key::qos("metrics"),
            _ => continue,
        };
        missing.note(snapshot, Want::any(id, key));
    }
}

/// Recorded heartbeats of the providers.
fn want_probes(computed: &Computed<'_>, missing: &Missing) {
    let sources = &computed.snapshot.manifest().sources;
    for (id, _) in sources
        .iter()
        .filter(|(_, source)| source.kind == SourceKind::Probe)
    {
        for provider in computed.offers.iter().flat_map(|offer| &offer.providers) {
            for kind in links::KINDS {
                let key = Key::Probe {
                    kind: kind.to_owned(),
                    address: provider.address.clone(),
                };
                missing.note(computed.snapshot, Want::any(id, key));
            }
        }
    }
}

/// What keeps the ladder from being certain.
fn doubts(computed: &mut Computed<'_>) {
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
    let mut lacking = Vec::new();
    if unknown_model {
        lacking.push((Say::LayerApplicationModel, Say::NotAsked));
    }
    if unknown_rules {
        lacking.push((Say::RulesOfConfigCenter, Say::NotAsked));
    }
    if no_provider {
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
            how_to_see: Some(Say::HowRecordMore.into()),
            required: false,
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
}

/// Registries that did not answer: what that is, and why their providers were not seen.
fn unread(registries: &[gather::Registry]) -> Vec<(ReachFailure, NotSeen)> {
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

/// The URL that decides tries and cluster.
pub(super) fn own<'c>(computed: &'c Computed<'_>) -> &'c Url {
    computed
        .offers
        .iter()
        .find(|offer| !offer.providers.is_empty())
        .or(computed.offers.first())
        .map_or(&computed.side.url, |offer| &offer.own_url)
}

/// The number of addresses, when any is known.
pub(super) fn addresses(computed: &Computed<'_>) -> Option<u64> {
    let count: usize = computed
        .offers
        .iter()
        .map(|offer| offer.providers.len())
        .sum();
    (count > 0).then_some(count as u64)
}

fn tries(computed: &Computed<'_>) -> Tries {
    let own = own(computed);
    let method = computed.call.method.as_str();
    let cluster = Cluster::named(own.text("cluster"));
    let counted = effective::tries(own, &computed.call);
    let value = own_value(own, method, "retries");
    let level = match &value {
        None => "default",
        Some(value) if own_value(&computed.side.url, method, "retries").as_ref() == Some(value) => {
            "consumer"
        }
        Some(value)
            if computed
                .offers
                .iter()
                .flat_map(|offer| &offer.providers)
                .any(|provider| {
                    own_value(&provider.url, method, "retries").as_ref() == Some(value)
                })
                && !computed.version.line().is_3x() =>
        {
            "provider"
        }
        Some(_) => "rule",
    };
    let whole = |key: &str| own.text(key).and_then(|text| text.parse().ok());
    let count = counted.clone().unwrap_or(1);
    let found = plan::tries(
        &cluster,
        count,
        whole("retries"),
        whole("forks"),
        addresses(computed),
    );
    let writes = computed
        .question
        .invocation
        .method
        .as_deref()
        .map(|method| plan::writes(method, &computed.asked.writes));
    Tries {
        cluster: cluster.name().to_owned(),
        retries: counted.ok().map(|tries| tries - 1),
        level: level.to_owned(),
        in_turn: found.in_turn,
        at_once: found.at_once,
        later: found.later,
        worst_ms: computed
            .longest()
            .map(|(_, timeout)| plan::worst(&found, timeout).millis()),
        writes,
        expected: computed
            .longest()
            .and_then(|(_, timeout)| failing_share(computed, timeout))
            .map(|(_, high)| plan::expected_tries(high, found.in_turn)),
    }
}

/// The share of calls above a limit, certain and possible.
pub(super) fn failing_share(computed: &Computed<'_>, timeout: Micros) -> Option<(f64, f64)> {
    let distribution = computed.asked.measured.as_ref()?.distribution.as_ref()?;
    let total = distribution.total();
    if total == 0 {
        return None;
    }
    let (certain, possible) = distribution.above(timeout);
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = |count: u64| count as f64 / total as f64;
    Some((share(certain), share(possible)))
}

/// Everything that follows from what was given.
fn numbers(computed: &mut Computed<'_>) {
    let asked = computed.asked;
    if let Some(measured) = &asked.measured {
        let info = measured_info(measured);
        let p99 = measured.p99.high.unwrap_or(measured.p99.low);
        let need = |p99| plan::Need {
            p99,
            side: measured.side,
            rtt: computed.round_trip(),
            serialization: asked.serialized(),
        };
        let (high, low) = (need(p99), need(measured.p99.low));
        let included = measured.side == Measuring::Consumer;
        computed.budget.need = Some(Need {
            p99_ms: p99.millis(),
            rtt_ms: if included { 0.0 } else { high.rtt.millis() },
            rtt_from: if included {
                "included".to_owned()
            } else {
                match (asked.rtt, computed.probed, asked.link) {
                    (Some(_), ..) => "given".to_owned(),
                    (None, Some(_), _) => "probed".to_owned(),
                    (None, None, Some(link)) => link.name().to_owned(),
                    (None, None, None) => "unknown".to_owned(),
                }
            },
            serialization_ms: if included {
                0.0
            } else {
                high.serialization.millis()
            },
            total_ms: high.total().millis(),
            total_low_ms: low.total().millis(),
        });
        let budget = plan::budget(high.total(), asked.factors);
        computed.budget.per_try = Some(PerTry {
            lower_factor: f64::from(asked.factors.lower.0) / 1000.0,
            lower_ms: budget.lower.millis(),
            tight_ms: budget.tight.millis(),
            upper_factor: f64::from(asked.factors.upper.0) / 1000.0,
            upper_ms: budget.upper.millis(),
            comfortable_ms: budget.comfortable.millis(),
        });
        computed.budget.measured = Some(info);
        let timeout = match asked.pick {
            Pick::Tight => budget.tight,
            Pick::Comfortable => budget.comfortable,
        };
        // Without an upper end nothing says that any timeout is long enough.
        let fits = timeout <= Micros::from_millis(LONGEST);
        if computed.has_service() && measured.p99.high.is_some() && fits {
            computed.budget.advice = Some(advise(computed, timeout));
        }
        assume(computed, included);
    }
    total(computed);
    what_if(computed);
    computed.budget.capacity = super::raise_load::capacity(computed);
    computed.budget.chain = chain_info(asked, computed.round_trip());
}

fn assume(computed: &mut Computed<'_>, included: bool) {
    let asked = computed.asked;
    let known = asked
        .measured
        .as_ref()
        .is_some_and(|found| found.side_known);
    let probed = computed.probed;
    let mut assume = |what, value: &str, say| {
        computed.assumed.push(Assumption {
            what,
            value: value.to_owned(),
            why: Phrase::new(say),
            changes_verdict: false,
        });
    };
    match asked.measured.as_ref().and_then(|found| found.doubt) {
        Some(Doubt::Unit) => assume("unit", "ms", Say::AssumedUnit),
        Some(Doubt::SinceStart) => assume("window", "-", Say::AssumedSinceStart),
        Some(Doubt::Unnamed | Doubt::Disagrees { .. }) | None => {}
    }
    if !known {
        assume("p99-side", "provider", Say::AssumedProviderSide);
    }
    if !included && asked.rtt.is_none() {
        match (probed, asked.link) {
            (Some((rtt, false)), _) => {
                assume("rtt", &format!("{rtt} ms"), Say::AssumedProbedElsewhere);
            }
            (Some((_, true)), _) => {}
            (None, Some(link)) => assume("rtt", link.name(), Say::AssumedLink),
            (None, None) => assume("rtt", "0 ms", Say::AssumedNoRtt),
        }
    }
}

fn advise(computed: &Computed<'_>, timeout: Micros) -> Advice {
    let tries = computed.budget.tries.as_ref();
    let write = tries.and_then(|tries| tries.writes).unwrap_or(false);
    let now = tries.and_then(|tries| tries.retries);
    let failover = tries.is_some_and(|tries| tries.cluster == "failover");
    let retries = now
        .filter(|_| failover)
        .map(|now| plan::advised_retries(write, now));
    let in_force = computed.budget.in_force.first();
    let timeout_ms = timeout.0 / 1000;
    let advised = Advised {
        timeout_ms,
        retries,
        replaces_timeout: in_force.map_or_else(String::new, |row| {
            let value = row.timeout_ms.map_or("?".to_owned(), |ms| ms.to_string());
            format!("replaces timeout {value} ({})", row.level)
        }),
        replaces_retries: tries.map_or_else(String::new, |tries| {
            let value = tries.retries.map_or("?".to_owned(), |n| n.to_string());
            format!("replaces retries {value} ({})", tries.level)
        }),
    };
    let service = &computed.question.service;
    let method = computed.question.invocation.method.as_deref();
    Advice {
        timeout_ms,
        retries,
        pick: match computed.asked.pick {
            Pick::Tight => "tight",
            Pick::Comfortable => "comfortable",
        },
        rule: advice::rule_name(service),
        notations: advice::notations(service, method, &advised)
            .into_iter()
            .map(|notation| Notation {
                name: notation.name,
                text: notation.text,
            })
            .collect(),
    }
}

fn total(computed: &mut Computed<'_>) {
    let in_turn = computed.budget.tries.as_ref().map(|tries| tries.in_turn);
    let in_force = computed
        .longest()
        .zip(in_turn)
        .map(|((_, timeout), tries)| timeout.times(tries).millis());
    let advised = computed.budget.advice.as_ref().map(|advice| {
        let tries = advice
            .retries
            .and_then(|retries| u64::try_from(retries).ok())
            .map_or(in_turn.unwrap_or(1), |retries| retries + 1);
        Micros::from_millis(advice.timeout_ms).times(tries).millis()
    });
    let upstream = computed.asked.upstream.map(Micros::millis);
    if in_force.is_some() || advised.is_some() || upstream.is_some() {
        computed.budget.total = Some(Total {
            in_force_ms: in_force,
            advised_ms: advised,
            upstream_ms: upstream,
        });
    }
}

fn what_if(computed: &mut Computed<'_>) {
    let Some(timeout) = computed.asked.try_timeout else {
        return;
    };
    let share = failing_share(computed, timeout);
    let in_turn = computed
        .budget
        .tries
        .as_ref()
        .map_or(1, |tries| tries.in_turn);
    let verdict = match (&computed.budget.need, &computed.budget.per_try) {
        (Some(need), Some(per_try)) => {
            let millis = timeout.millis();
            if millis < need.total_low_ms {
                "too-small"
            } else if millis < per_try.lower_ms {
                "tight"
            } else {
                "enough"
            }
        }
        _ => "unknown",
    };
    computed.budget.what_if = Some(WhatIf {
        timeout_ms: timeout.millis(),
        failing_low: share.map(|(low, _)| low),
        failing_high: share.map(|(_, high)| high),
        expected_tries: share.map(|(_, high)| plan::expected_tries(high, in_turn)),
        verdict,
    });
}
