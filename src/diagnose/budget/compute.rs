//! The numbers of the answer, in the order in which they depend on each other.

use super::{
    Asked, Assumption, Certainty, Finding, Missing, NotSeen, Worlds,
    consumer::{Printed, Side, printed, side},
    doubts::{self, Nobody},
    gather, ladder, links,
    model::{Budget, InForce, Tries},
    numbers,
    observed::{Happening, happenings},
    providers::{Offer, Reader},
    seen,
};
use crate::{
    budget::{
        effect::{self, Effect},
        effective::{self, Call},
        layers::{own_value, with_defaults},
        plan::{self, Cluster},
        time::Micros,
    },
    diagnose::members,
    model::{
        url::{Url, parse_int},
        version::DubboVersion,
    },
    question::{Client, Question},
    report::words::Say,
    snapshot::{Key, Snapshot, SourceKind, Want},
    view::{held::ReachFailure, own},
};

/// Everything that was computed, for the findings.
#[derive(Debug)]
pub(super) struct Computed<'a> {
    pub(super) question: &'a Question,
    pub(super) asked: &'a Asked,
    pub(super) snapshot: &'a Snapshot,
    pub(super) version: DubboVersion,
    pub(super) side: Side,
    pub(super) offers: Vec<Offer>,
    /// The URL that decides tries and cluster, as this version reads it.
    pub(super) own: Url,
    pub(super) call: Call,
    pub(super) budget: Budget,
    /// The timeouts as the levels give them, before a text is believed that shows another one.
    pub(super) ladder: Vec<InForce>,
    /// What is in force depends on an assumption.
    pub(super) certainty: Certainty,
    /// A text shows another number of tries than the settings give: that, and the other.
    pub(super) tried: Option<(u64, u64)>,
    /// Texts show other timeouts than the one in force, and not one that could be taken instead.
    pub(super) contradicted: bool,
    /// A text shows another timeout than the settings give though they are known: that of the text is taken.
    pub(super) unexplained: bool,
    /// A fact that somebody asked to be seen was not.
    pub(super) demanded: bool,
    /// Nothing is in force: nobody provides the service, or no provider has the method.
    pub(super) void: bool,
    /// The registries told everything, and nobody provides the service.
    pub(super) nobody: Option<Nobody>,
    /// Registries that did not answer: what that is, and why their providers were not seen.
    pub(super) unread: Vec<(ReachFailure, NotSeen)>,
    /// Registries whose members do not hold the same.
    pub(super) disagreements: Vec<Finding>,
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

    /// How far a sentence about the timeout in force may be trusted.
    pub(super) fn trust(&self) -> Certainty {
        if self.contradicted {
            Certainty::Possible
        } else if self.unexplained {
            self.certainty.min(Certainty::Likely)
        } else {
            self.certainty
        }
    }

    /// Network and serialization of one call, at least and at most: what a time measured at the provider lacks.
    pub(super) fn on_the_way(&self) -> (Micros, Micros) {
        let side = self.asked.measured.as_ref().map(|found| found.side);
        if side == Some(plan::Side::Consumer) {
            return (Micros(0), Micros(0));
        }
        let known = self.asked.rtt.or(self.probed.map(|(rtt, _)| rtt));
        let (fast, slow) = match (known, self.asked.link) {
            (Some(rtt), _) => (rtt, rtt),
            (None, Some(link)) => link.range(),
            (None, None) => (Micros(0), Micros(0)),
        };
        let rest = self.asked.serialized();
        (fast.plus(rest), slow.plus(rest))
    }

    /// Whether the consumer is dubbo-go, whose defaults and values are its own.
    pub(super) fn is_go(&self) -> bool {
        self.question.consumer.client == Some(Client::Go)
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
    let printed = printed(question, &registries);
    // Of each registry what its member of this number holds, where it has so many.
    let computed_by = |member: usize, version: &DubboVersion, printed: Option<&Printed>| {
        let side = side(question, printed, snapshot, version);
        let offers: Vec<Offer> = registries
            .iter()
            .filter_map(|registry| {
                let mut held = registry.held.get(member).into_iter().chain(&registry.held);
                Some((registry.address.as_ref(), held.next()?))
            })
            .map(|(address, held)| {
                let reader = Reader {
                    question,
                    snapshot,
                    version,
                    side: &side,
                };
                reader.read(address, held)
            })
            .collect();
        (side, offers)
    };
    let computed_with =
        |version: &DubboVersion, printed: Option<&Printed>| computed_by(0, version, printed);
    let offers_of = |version: &DubboVersion| {
        let (side, offers) = computed_with(version, printed.as_ref());
        let merged = printed.as_ref().filter(|printed| printed.merged);
        let Some(merged) =
            merged.filter(|_| offers.iter().any(|offer| !offer.providers.is_empty()))
        else {
            return (side, offers);
        };
        // What was merged from the providers is no setting of the reference, now that they are seen.
        let (side, offers) = computed_with(version, None);
        let left = merged.without(&offers);
        if left.is_empty() {
            return (side, offers);
        }
        computed_with(version, Some(&left))
    };
    let (side, offers) = offers_of(&version);
    let own = with_defaults(own_url(&offers, &side), &version);
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
        ladder: Vec::new(),
        contradicted: false,
        unexplained: false,
        tried: None,
        nobody: None,
        void: false,
        demanded: false,
        unread: doubts::unread(&registries),
        disagreements: registries
            .iter()
            .filter_map(|registry| members::disagreement(&registry.held))
            .collect(),
        happenings: happenings(question),
        consumers,
        probed: None,
        assumed: Vec::new(),
        not_seen: members::silent(registries.iter().flat_map(|registry| &registry.held)),
        version,
        side,
        offers,
        own,
        call,
    };
    want_probes(&computed, missing);
    want_metrics(snapshot, missing);
    if computed.has_service() {
        let go = computed.is_go();
        let rows = |side: &Side, offers: &[Offer], version: &DubboVersion| {
            let mut rows = ladder::in_force(offers, side, &computed.call, version);
            if go {
                rows.iter_mut().for_each(ladder::of_go);
            }
            rows
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
        let most = registries.iter().map(|registry| registry.held.len()).max();
        if !computed.disagreements.is_empty()
            && (1..most.unwrap_or_default()).any(|member| {
                let (side, offers) = computed_by(member, &computed.version, printed.as_ref());
                rows(&side, &offers, &computed.version) != computed.budget.in_force
            })
        {
            computed.certainty = Certainty::Possible;
            computed.not_seen.push(members::which());
        }
        computed.ladder.clone_from(&computed.budget.in_force);
        computed.nobody = doubts::nobody(&computed, &registries);
        doubts::doubts(&mut computed);
        seen::take_observed(&mut computed);
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
            seen::take_observed_methods(&mut computed);
            if computed.is_go() {
                computed.budget.methods.clear();
            }
        }
        if computed.void {
            computed.budget.in_force.clear();
            computed.budget.methods.clear();
        } else {
            computed.budget.tries = tries(&computed);
            seen::take_tries(&mut computed);
            own_cluster(&mut computed);
        }
        computed.budget.links = links::links(&computed);
        doubts::untold_probes(&mut computed);
        computed.probed = links::round_trip(&computed, &computed.budget.links);
        let expected = expected(&computed);
        if let Some(tries) = &mut computed.budget.tries {
            (tries.expected_low, tries.expected) = expected.unzip();
        }
        computed.budget.leaving = links::leaving(&computed);
        computed.budget.settings = super::limits::settings_rows(&computed);
    }
    numbers::numbers(&mut computed);
    computed.budget.observed = computed
        .happenings
        .iter()
        .map(|happening| happening.row.clone())
        .collect();
    if !question.require.is_empty() {
        let processes = own::processes(question, snapshot, missing);
        let told = own::Own { processes }.told(question).is_some();
        doubts::required(&mut computed, told);
    }
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

fn own_url<'o>(offers: &'o [Offer], side: &'o Side) -> &'o Url {
    offers
        .iter()
        .find(|offer| !offer.providers.is_empty())
        .or(offers.first())
        .map_or(&side.url, |offer| &offer.own_url)
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

/// A strategy that Dubbo does not have by this name: own code, or every call fails.
fn own_cluster(computed: &mut Computed<'_>) {
    if let Cluster::Other(name) = Cluster::named(computed.own.text("cluster")) {
        computed.assumed.push(Assumption {
            what: "cluster",
            value: name,
            why: Say::AssumedOwnCluster.into(),
            changes_verdict: true,
        });
    }
}

/// The tries of a call that fails; none where nothing tells them (the default of dubbo-go).
fn tries(computed: &Computed<'_>) -> Option<Tries> {
    let own = &computed.own;
    let version = &computed.version;
    let own_of =
        |url: &Url, method: &str| own_value(&with_defaults(url, version), method, "retries");
    let method = computed.call.method.as_str();
    let cluster = Cluster::named(own.text("cluster"));
    let counted = effective::tries(own, &computed.call);
    let value = own_value(own, method, "retries");
    if computed.is_go() && value.is_none() {
        return None;
    }
    let level = match &value {
        None => "default",
        Some(value) if own_of(&computed.side.url, method).as_ref() == Some(value) => "consumer",
        Some(value)
            if computed
                .offers
                .iter()
                .flat_map(|offer| &offer.providers)
                .any(|provider| own_of(&provider.url, method).as_ref() == Some(value))
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
    let method = computed.question.invocation.method.as_deref();
    let effect = method.map(|method| effect::of(method, &computed.asked.writes));
    Some(Tries {
        cluster: cluster.name().to_owned(),
        retries: counted.ok().map(|_| {
            let written = value.as_deref().and_then(parse_int);
            written.unwrap_or(effective::DEFAULT_RETRIES)
        }),
        level: level.to_owned(),
        in_turn: found.in_turn,
        at_once: found.at_once,
        later: found.later,
        worst_ms: computed
            .longest()
            .map(|(_, timeout)| plan::worst(&found, timeout).millis()),
        writes: match effect {
            Some(Effect::Writes) => Some(true),
            Some(Effect::Reads) => Some(false),
            Some(Effect::Unknown) | None => None,
        },
        expected_low: None,
        expected: None,
    })
}

/// Tries on average, at least and at most, with the shares of the measured calls that run out of time; none where the
/// strategy tries once, or all providers.
fn expected(computed: &Computed<'_>) -> Option<(f64, f64)> {
    let tries = computed.budget.tries.as_ref()?;
    if !Cluster::named(Some(&tries.cluster)).retries() {
        return None;
    }
    let (_, timeout) = computed.longest()?;
    let (low, high) = failing_share(computed, timeout)?;
    let of = |share| plan::expected_tries(share, tries.in_turn);
    Some((of(low), of(high)))
}

/// The share of calls above a limit, certain and possible. Of a time measured at the provider only what the network
/// leaves of the limit counts.
pub(super) fn failing_share(computed: &Computed<'_>, timeout: Micros) -> Option<(f64, f64)> {
    let distribution = computed.asked.measured.as_ref()?.distribution.as_ref()?;
    let total = distribution.total();
    // One value has no shares.
    if total < 2 {
        return None;
    }
    let above = |spent: Micros| match timeout.0.checked_sub(spent.0) {
        Some(left) => distribution.above(Micros(left)),
        None => (total, total),
    };
    let (fast, slow) = computed.on_the_way();
    let (certain, mut possible) = (above(fast).0, above(slow).1);
    // Calls that the timeout ended may take any time without it.
    if let Some(cut) = computed.asked.measured.as_ref()?.cut_at {
        possible = possible.max(distribution.above(super::cut::just_below(cut)).1);
    }
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = |count: u64| count as f64 / total as f64;
    Some((share(certain), share(possible)))
}
