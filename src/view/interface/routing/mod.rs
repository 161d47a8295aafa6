//! X: the routers, one stage each, by replaying the chain of the consumer's version.
//!
//! The calls are not known unless the question gives one, so every class of calls that the rules tell apart is routed;
//! and what the rules ask of the consumer that nobody knows is tried both ways. Only what comes out the same is said
//! without doubt.

mod causes;
mod classes;
mod delivery;
mod remarks;
mod stages;
mod told;

pub(super) use remarks::not_modelled;
pub(crate) use told::with_requests;

use std::collections::{BTreeMap, BTreeSet};

use super::{Case, Kept, View, run};
use crate::{
    diagnose::code::Code,
    model::{
        matching::{Terms, is_match},
        url::Url,
    },
    question::{ConsumerState, Question},
    report::words::{Phrase, Say},
    route::{
        AddressList, Thrown,
        application::{Application, Chain, Settings},
        ask::Subject,
        declared::{Declared, Zones},
        dialect::Dialect,
        outcome::Outcome,
        provider::Provider,
        rules::RuleSource,
        trace::{RuleState, Trace},
        ways::{Split, percent},
    },
    view::{
        directory::ServiceUrl,
        held::Entry,
        stage::{NotSeen, Raised, StageId},
    },
};
use classes::{Class, classes, with_tags};

pub(super) use stages::{kind_of, same_rule};

/// Ways in which the unknown of a consumer is tried at most.
const MOST_VARIANTS: usize = 16;
/// Bytes of rules that are read again to try them.
const LONGEST_REREAD: usize = 2 << 20;

/// What the routers leave of the calls, beside the stages.
#[derive(Debug, Clone, Default)]
pub struct Routed {
    /// Some calls keep an address and others lose every one, or lose them only sometimes.
    pub partly: bool,
    /// The classes of calls that lose every address for the reason that is shown, with their share where something is
    /// drawn; empty when all calls lose every address for that reason.
    pub lost: Vec<String>,
    /// Why other classes of calls lose every address.
    pub also: Vec<Raised>,
    /// What must be known to decide: worlds that differ.
    pub undecided: Vec<NotSeen>,
    /// What would be raised in a world that could be.
    pub possible: Vec<Raised>,
    /// Something that the rules ask of the consumer is not known, and does not matter.
    pub assumed: bool,
    /// The patch is not one whose routing was held against the real classes; the nearest one is replayed.
    pub nearest_patch: bool,
    /// Findings whatever the verdict.
    pub remarks: Vec<Raised>,
}

/// Addresses and what the routers get with them.
struct Input<'a> {
    urls: Vec<ServiceUrl>,
    consumer: Url,
    reference: Url,
    routes: Vec<(&'a Entry, Url)>,
    settings: Settings,
}

/// A way of filling in what is not known.
#[derive(Debug, Clone, Default)]
struct Variant {
    /// Parameters of the consumer.
    parameters: BTreeMap<String, String>,
    /// Host of the consumer.
    host: Option<String>,
    /// Which address comes first.
    first: usize,
    /// Rules whose text counts as not seen.
    hidden: BTreeSet<String>,
}

/// A chain, and what becomes of every class of calls in it.
struct Replay<'a> {
    application: Application<Box<dyn RuleSource + 'a>>,
    chain: Chain,
    classes: Vec<Faring>,
    cut: bool,
}

/// A class of calls and what becomes of it.
struct Faring {
    class: Class,
    fate: Fate,
    /// How likely it is that nothing is left, from 0 to 1.
    share: f64,
}

impl Faring {
    fn loses(&self) -> bool {
        matches!(self.fate, Fate::Loses | Fate::Sometimes)
    }

    /// The class, with how often it loses where something is drawn.
    fn name(&self, share: f64) -> String {
        let share = percent(share);
        let name = &self.class.name;
        match share {
            Some(share) if name.is_empty() => share,
            Some(share) => format!("{name} · {share}"),
            None => name.clone(),
        }
    }
}

impl Replay<'_> {
    fn fates(&self) -> Vec<Fate> {
        self.classes.iter().map(|faring| faring.fate).collect()
    }

    /// The way of the calls of a class, with reasons.
    fn explain(&self, class: &Class) -> Trace {
        self.application.explain(&self.chain, &class.call)
    }
}

/// What becomes of the calls of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Keeps,
    Unknown,
    /// Some draws leave nothing.
    Sometimes,
    Loses,
}

fn fate(outcome: &Result<Outcome, Thrown>, split: Option<&Split>) -> (Fate, f64) {
    match outcome {
        Err(_) => (Fate::Loses, 1.0),
        Ok(outcome) if outcome.is_empty() => (Fate::Loses, 1.0),
        Ok(outcome) => match split {
            Some(split) if split.lost > 0.0 => (Fate::Sometimes, split.lost),
            _ if matches!(outcome, Outcome::Within(_)) => (Fate::Unknown, 0.0),
            _ => (Fate::Keeps, 0.0),
        },
    }
}

/// Whether the routers of this version are modelled.
pub(super) fn is_modelled(case: &Case<'_>) -> bool {
    Dialect::of(case.dubbo()).is_some()
}

/// Replays the routers. `None` when the real client throws on the list, so that nothing can be said.
pub(super) fn stages<'a>(
    case: &Case<'a>,
    kept: Vec<Kept<'a>>,
    repaired: &BTreeSet<StageId>,
    view: &mut View,
) -> Option<Vec<Kept<'a>>> {
    let input = input(case, &kept, repaired)?;
    let base = Variant::default();
    let shown = match replay(case, &input, &base) {
        Ok(shown) => shown,
        Err(thrown) => {
            view.stages
                .push(stages::cannot_build(&thrown, input.urls.len()));
            return Some(kept);
        }
    };
    let mut routed = Routed {
        nearest_patch: !case.dubbo().at_least([2, 7, 8]),
        ..std::mem::take(&mut view.routed)
    };
    let told = stages::of(case, &input, &shown);
    let left = told.left.clone();
    let verdict = told.verdict();
    doubts(case, &input, &shown, &verdict, &mut routed);
    let fates = shown.fates();
    let lost = causes::of(case, &input, &shown);
    routed.partly =
        shown.classes.iter().any(Faring::loses) && !fates.iter().all(|fate| *fate == Fate::Loses);
    if routed.partly || !lost.also.is_empty() {
        routed.lost = lost.shown;
    }
    routed.also = lost.also;
    if !case.dubbo().at_least([2, 7, 3]) && uses_tags(&input, &shown) {
        routed.remarks.push(remarks::not_modelled(case));
        routed.undecided.push(NotSeen {
            what: Phrase::new(Say::RouterResult)
                .with("router", "TagRouter")
                .with("rule", "-"),
            why: Phrase::new(Say::PatchNotModelled).with("dubbo", case.dubbo().to_string()),
            how_to_see: None,
            required: true,
        });
    }
    if shown.cut {
        routed.undecided.push(NotSeen {
            what: Say::MoreClasses.into(),
            why: Say::NotEvaluated.into(),
            how_to_see: Some(Say::HowGiveCall.into()),
            required: true,
        });
    }
    routed.remarks.extend(remarks::all(case, &input, &shown));
    routed
        .remarks
        .extend(delivery::not_read(case, &input, &shown));
    view.stages.extend(told.stages);
    view.routed = routed;
    // Addresses left are those of the class that is shown.
    let places: BTreeSet<String> = left
        .iter()
        .filter_map(|place| input.urls[place].own().address())
        .collect();
    Some(
        kept.into_iter()
            .filter(|kept| {
                let address = kept.url.address().unwrap_or_else(|| kept.entry.address());
                places.contains(&address)
            })
            .collect(),
    )
}

fn input<'a>(
    case: &Case<'a>,
    kept: &[Kept<'a>],
    repaired: &BTreeSet<StageId>,
) -> Option<Input<'a>> {
    let directory = run::directory(case, kept, repaired).ok()?;
    let reference = directory.subscription().consumer.clone();
    let consumer = if case.dubbo().line().is_3x() {
        reference.clone()
    } else {
        directory.own_url().clone()
    };
    let asked = Terms::from(&reference);
    let routes = case
        .held
        .routes
        .iter()
        .filter_map(|entry| Some((entry, entry.url(case.dubbo()).ok()?)))
        .filter(|(_, url)| is_match(&asked, &Terms::from(url)).is_ok())
        // Copies for 2.6 (`RegistryDirectory.isNotCompatibleFor26x`).
        .filter(|(_, url)| url.text("compatible_config").is_none())
        .collect();
    Some(Input {
        urls: directory
            .invokers()
            .iter()
            .map(|invoker| invoker.url.clone())
            .collect(),
        consumer,
        reference,
        routes,
        settings: Settings {
            fail_fast: case
                .question
                .consumer
                .params
                .get("dubbo.router.should-fail-fast")
                .is_none_or(|text| text.eq_ignore_ascii_case("true")),
            script_engines: engines(case.question),
            missing_engines: case
                .question
                .consumer
                .missing_engines
                .iter()
                .cloned()
                .collect(),
            declared: declared(case.question),
            custom_routers: true,
            without: repaired.iter().filter_map(kind_of).collect(),
        },
    })
}

/// Script engines that a JDK brings: Nashorn from 8 to 14, none later. A library may add one.
fn engines(question: &Question) -> Option<Vec<String>> {
    let jdk = question.consumer.jdk.as_deref()?;
    let number = jdk.strip_prefix("1.").unwrap_or(jdk);
    let major: u32 = number.split(['.', '-', '+']).next()?.parse().ok()?;
    let names: &[&str] = match major {
        8..=14 => &[
            "nashorn",
            "Nashorn",
            "js",
            "JS",
            "JavaScript",
            "javascript",
            "ECMAScript",
            "ecmascript",
        ],
        6 | 7 => &[
            "js",
            "rhino",
            "JavaScript",
            "javascript",
            "ECMAScript",
            "ecmascript",
        ],
        _ => &[],
    };
    Some(names.iter().map(|name| (*name).to_owned()).collect())
}

/// Routers of the user's own, as declared; what cannot be read was refused when it was given.
fn declared(question: &Question) -> Vec<Declared> {
    question
        .routers
        .iter()
        .filter_map(|text| Declared::parse(text).ok())
        .collect()
}

fn replay<'a>(case: &Case<'a>, input: &Input<'_>, variant: &Variant) -> Result<Replay<'a>, Thrown> {
    let with = |url: &Url| {
        let mut url = url.clone();
        for (name, value) in &variant.parameters {
            url.parameters.insert(name.clone(), value.clone());
        }
        if variant.host.is_some() {
            url.host.clone_from(&variant.host);
        }
        url
    };
    let mut urls = input.urls.clone();
    if !urls.is_empty() {
        let first = variant.first.min(urls.len() - 1);
        urls.rotate_left(first);
    }
    let given = &case.question.zones;
    let zone = |url: &ServiceUrl| given.of_provider(url.own()).map(str::to_owned);
    let consumer_ip = case
        .question
        .consumer
        .ip
        .as_deref()
        .or(variant.host.as_deref());
    let zones = Zones {
        consumer: given.of_consumer(consumer_ip).map(str::to_owned),
        providers: urls.iter().map(zone).collect(),
    };
    let list = AddressList {
        providers: urls
            .into_iter()
            .map(|url| Box::new(url) as Box<dyn Provider + Send + Sync>)
            .collect(),
        consumer: with(&input.consumer),
        zones,
    };
    let source = case.held.rules.source(case.dubbo(), variant.hidden.clone());
    let mut application = Application::new(case.dubbo(), source, input.settings.clone())
        .ok_or_else(|| Thrown {
            class: "-",
            message: "not modelled".to_owned(),
        })?;
    let routes: Vec<Url> = input.routes.iter().map(|(_, url)| url.clone()).collect();
    let reference = with(&input.reference);
    let chain = application.refer(&reference, &routes, list)?;
    let generic = reference
        .text("generic")
        .is_some_and(|text| !text.eq_ignore_ascii_case("false"));
    let asks = application.asks(&chain);
    let given = &case.question.invocation;
    let found = classes(&asks, methods(input).as_ref(), given, generic);
    let fares = |class: Class| {
        let (outcome, split) = application.ways(&chain, &class.call);
        let (fate, share) = fate(&outcome, split.as_ref());
        Faring { class, fate, share }
    };
    // Nobody says that a consumer's calls ask for a tag: those that do matter only where they lose what others keep.
    let mut tagged = with_tags(&asks, &found.classes, given);
    let own_tag = reference.text("dubbo.tag").is_some();
    let mut classes: Vec<Faring> = found.classes.into_iter().map(&fares).collect();
    if own_tag || classes.iter().all(|faring| faring.fate == Fate::Loses) {
        tagged.classes.clear();
        tagged.untried = false;
    }
    let count = classes.len();
    for (at, class) in tagged.classes.into_iter().enumerate() {
        let faring = fares(class);
        // Each tag comes with all classes, in their order.
        let plain = classes[at % count.min(tagged.each)].share;
        if faring.loses() && faring.share > plain {
            classes.push(faring);
        }
    }
    Ok(Replay {
        application,
        chain,
        classes,
        cut: found.cut || tagged.untried,
    })
}

/// Whether a tag of anybody or a tag rule bears on the calls.
fn uses_tags(input: &Input<'_>, shown: &Replay<'_>) -> bool {
    let has_tag = |url: &Url| url.text("dubbo.tag").is_some();
    input.urls.iter().any(|url| has_tag(url.own()))
        || has_tag(&input.consumer)
        || shown
            .classes
            .iter()
            .any(|faring| faring.class.call.attachment("dubbo.tag").is_some())
        || shown
            .application
            .readings(&shown.chain)
            .iter()
            .any(|reading| reading.kind == "tag" && reading.state == RuleState::InForce)
}

/// Methods of the service, when every provider tells them.
fn methods(input: &Input<'_>) -> Option<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for url in &input.urls {
        let methods = url.own().text("methods").filter(|text| *text != "*")?;
        all.extend(methods.split(',').map(|name| name.trim().to_owned()));
    }
    (!all.is_empty()).then_some(all)
}

/// What a variant comes to: whether calls lose, and why.
type Verdict = (Option<Code>, Vec<Fate>);

/// Tries what is not known: the consumer's parameters, the order of the addresses, what a running consumer kept.
fn doubts(
    case: &Case<'_>,
    input: &Input<'_>,
    shown: &Replay<'_>,
    verdict: &Verdict,
    routed: &mut Routed,
) {
    let differs = |variant: &Variant, what: Phrase, why: Say, routed: &mut Routed| {
        let Ok(other) = replay(case, input, variant) else {
            return false;
        };
        let told = stages::of(case, input, &other);
        if told.verdict() == *verdict {
            return false;
        }
        routed.possible.extend(told.raised().cloned());
        routed.undecided.push(untold(what, why));
        true
    };
    let most = most_variants(case);
    let parameter = |names: String| Phrase::new(Say::ConsumerParameter).with("name", names);
    let (variants, untried) = variants(case, input, shown, most);
    let differing = variants.into_iter().any(|(names, variant)| {
        routed.assumed = true;
        differs(&variant, parameter(names), Say::RulesAskForIt, routed)
    });
    if let (Some(name), false) = (untried, differing) {
        routed
            .undecided
            .push(untold(parameter(name), Say::RulesAskForIt));
    }
    let address = |name: String| Phrase::new(Say::FirstAddress).with("application", name);
    let mut firsts = firsts(case, input).into_iter().skip(1);
    let differing = firsts.by_ref().take(most).any(|(application, first)| {
        let variant = Variant {
            first,
            ..Variant::default()
        };
        let what = address(application);
        differs(&variant, what, Say::FirstAddressDecides, routed)
    });
    if let (Some((application, _)), false) = (firsts.next(), differing) {
        routed
            .undecided
            .push(untold(address(application), Say::FirstAddressDecides));
    }
    let stale = stale(case, shown);
    if let Some(key) = stale.first() {
        let what = Phrase::new(Say::PreviousRule).with("rule", key.clone());
        let variant = Variant {
            hidden: stale.iter().cloned().collect(),
            ..Variant::default()
        };
        differs(&variant, what, Say::RunningKeepsRule, routed);
    }
}

/// A fact that decides, and that nobody told.
fn untold(what: Phrase, why: Say) -> NotSeen {
    NotSeen {
        what,
        why: why.into(),
        how_to_see: None,
        required: true,
    }
}

/// In how many ways the unknown is tried: fewer when rules are so long that reading them again and again takes time.
fn most_variants(case: &Case<'_>) -> usize {
    let rules = &case.held.rules.stored;
    let length: usize = rules.iter().map(|rule| rule.text.len()).sum();
    (LONGEST_REREAD / length.max(1)).clamp(1, MOST_VARIANTS)
}

/// Every application of a provider, and the first address that has it: its rules are read when that one comes first.
/// Of applications without a rule one stands for all.
fn firsts(case: &Case<'_>, input: &Input<'_>) -> Vec<(String, usize)> {
    let rules = &case.held.rules;
    let has_rule = |name: &str| {
        let stored = rules.stored.iter().map(|rule| rule.name.as_str());
        let unseen = rules.not_seen.keys().map(String::as_str);
        stored.chain(unseen).any(|text| text.contains(name))
    };
    let mut found: Vec<(String, usize)> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut without_rule = false;
    for (place, url) in input.urls.iter().enumerate() {
        let name = url.remote_application().unwrap_or_default();
        if !known.insert(name) {
            continue;
        }
        let is_first = found.is_empty();
        if has_rule(name) || !std::mem::replace(&mut without_rule, true) || is_first {
            found.push((name.to_owned(), place));
        }
    }
    found
}

/// What the rules ask of the consumer that the question does not say, filled in so that they apply: one by one, and all
/// together; and the first that `most` leaves out.
fn variants(
    case: &Case<'_>,
    input: &Input<'_>,
    shown: &Replay<'_>,
    most: usize,
) -> (Vec<(String, Variant)>, Option<String>) {
    let consumer = &case.question.consumer;
    let mut found: Vec<(String, Variant)> = Vec::new();
    for ask in shown.application.asks(&shown.chain) {
        let Subject::Consumer(name) = &ask.subject else {
            continue;
        };
        let is_host = ["host", "address"].contains(&name.as_str());
        let is_part = [
            "protocol",
            "port",
            "path",
            "username",
            "password",
            "interface",
        ]
        .contains(&name.as_str());
        let is_known = if is_host {
            consumer.ip.is_some() || input.consumer.host.is_some()
        } else {
            is_part || input.consumer.parameter(name).is_some()
        };
        if is_known {
            continue;
        }
        let value = ask.values.first().map(|value| value.replace('*', "1"));
        let value = value.unwrap_or_else(|| "-".to_owned());
        let mut variant = Variant::default();
        if is_host {
            variant.host = Some(value);
        } else {
            variant.parameters.insert(name.clone(), value);
        }
        found.push((name.clone(), variant));
    }
    if found.len() > 1 {
        let mut all = Variant::default();
        let mut names: Vec<&str> = Vec::new();
        for (name, variant) in &found {
            for (name, value) in &variant.parameters {
                all.parameters
                    .entry(name.clone())
                    .or_insert_with(|| value.clone());
            }
            all.host = all.host.or_else(|| variant.host.clone());
            if names.last() != Some(&name.as_str()) && names.len() < MOST_VARIANTS {
                names.push(name);
            }
        }
        let together = (names.join(", "), all);
        let untried = found.get(most - 1).map(|(name, _)| name.clone());
        let untried = untried.filter(|_| found.len() > most);
        if untried.is_some() {
            found.truncate(most - 1);
        }
        found.push(together);
        return (found, untried);
    }
    (found, None)
}

/// Rules whose text of now is not in force in a consumer that was running before: what it read earlier stays.
fn stale(case: &Case<'_>, shown: &Replay<'_>) -> Vec<String> {
    if case.world.state != ConsumerState::Running {
        return Vec::new();
    }
    let since = case
        .question
        .consumer
        .since
        .map(jiff::Timestamp::as_millisecond);
    let started_after = |key: &str| {
        let rule = case.held.rules.find(key, case.dubbo());
        let changed = rule.and_then(|rule| rule.changed_ms);
        matches!((since, changed), (Some(since), Some(changed)) if since >= changed)
    };
    let keeps = |state: &RuleState, kind: &str| match state {
        RuleState::Refused(_) | RuleState::TooNew => true,
        // The tag router takes an empty rule for none.
        RuleState::Empty => kind != "tag",
        _ => false,
    };
    shown
        .application
        .readings(&shown.chain)
        .into_iter()
        .filter(|reading| keeps(&reading.state, reading.kind) && !started_after(&reading.key))
        .map(|reading| reading.key)
        .collect()
}
