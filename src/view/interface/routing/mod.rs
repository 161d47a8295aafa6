//! X: the routers, one stage each, by replaying the chain of the consumer's version.
//!
//! The calls are not known unless the question gives one, so every class of calls that the rules tell apart is routed;
//! and what the rules ask of the consumer that nobody knows is tried both ways. Only what comes out the same is said
//! without doubt.

mod causes;
mod delivery;
mod doubts;
mod lately;
mod remarks;
mod stages;
mod told;
mod unknowns;

pub(super) use delivery::without_center;
pub(crate) use lately::Lately;
pub(super) use remarks::not_modelled;
pub(crate) use told::with_requests;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use lately::Answer;

use super::{Case, Kept, View, run};
use crate::{
    model::{
        matching::{Terms, is_match},
        url::Url,
        version::Line,
    },
    question::{Invocation, Question},
    report::words::{Phrase, Say},
    route::{
        AddressList, Thrown,
        application::{Application, Chain, Settings},
        ask::Ask,
        call::{Call, JavaValue},
        classes::{Class, Known, OTHER, classes, with_tags},
        declared::{Declared, Zones},
        dialect::Dialect,
        outcome::Outcome,
        provider::Provider,
        rules::RuleSource,
        trace::{RuleState, Trace},
        ways::{Split, percent},
    },
    rule::script::engines_of,
    view::{
        directory::ServiceUrl,
        held::Entry,
        stage::{Model, NotSeen, Raised, Stage, StageId},
    },
};

pub(super) use stages::{kind_of, same_rule};

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
    /// Findings that hold only if the addresses come in the order in which they were seen.
    pub maybe: Vec<Raised>,
}

/// Addresses and what the routers get with them.
struct Input<'a> {
    urls: Vec<ServiceUrl>,
    consumer: Url,
    reference: Url,
    routes: Vec<(&'a Entry, Url)>,
    settings: Settings,
    /// The consumer's parameters lie on top of an address's own in what conditions see.
    overlaid: bool,
}

/// A way of filling in what is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Variant {
    /// Parameters of the consumer.
    parameters: BTreeMap<String, String>,
    /// Host of the consumer.
    host: Option<String>,
    /// Name of the consumer's application, for conditions that ask for it: no rule is read under it.
    application: Option<String>,
    /// Which address comes first.
    first: usize,
    /// Rules whose text counts as not seen.
    hidden: BTreeSet<String>,
}

/// A chain, and what becomes of every class of calls in it.
struct Replay<'a> {
    application: Application<Box<dyn RuleSource + 'a>>,
    chain: Chain,
    /// What the rules ask.
    asks: Vec<Ask>,
    classes: Vec<Faring>,
    cut: bool,
    /// The way that was asked for last: several readers ask for the same one, and it may have a hundred thousand parts.
    explained: RefCell<Option<(Call, Rc<Trace>)>>,
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
    fn explain(&self, class: &Class) -> Rc<Trace> {
        let mut last = self.explained.borrow_mut();
        if let Some((call, trace)) = &*last
            && *call == class.call
        {
            return Rc::clone(trace);
        }
        let trace = Rc::new(self.application.explain(&self.chain, &class.call));
        *last = Some((class.call.clone(), Rc::clone(&trace)));
        trace
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
    let input = input(case, &kept, repaired, view.model)?;
    let answer = lately::or_work_out(case, &input, repaired, view.model, || {
        work_out(case, &input, repaired)
    });
    view.stages.extend(answer.stages.iter().cloned());
    let Some(places) = &answer.left else {
        return Some(kept);
    };
    let mut remarks = std::mem::take(&mut view.routed.remarks);
    view.routed = answer.routed.clone();
    remarks.append(&mut view.routed.remarks);
    view.routed.remarks = remarks;
    Some(
        kept.into_iter()
            .filter(|kept| {
                let address = kept.url.address().unwrap_or_else(|| kept.entry.address());
                places.contains(&address)
            })
            .collect(),
    )
}

/// Bytes of rules that may bear on the question.
fn rules_length(case: &Case<'_>) -> usize {
    let rules = &case.held.rules.stored;
    rules.iter().map(|rule| rule.text.len()).sum()
}

fn work_out(case: &Case<'_>, input: &Input<'_>, repaired: &BTreeSet<StageId>) -> Answer {
    let base = unknowns::base(case, input);
    let shown = match replay(case, input, &base) {
        Ok(shown) => shown,
        Err(thrown) => {
            return Answer {
                stages: vec![stages::cannot_build(&thrown, input.urls.len())],
                routed: Routed::default(),
                left: None,
                by_state: false,
            };
        }
    };
    let mut routed = Routed {
        nearest_patch: !case.dubbo().at_least([2, 7, 8]),
        ..Routed::default()
    };
    let told = stages::of(case, input, &shown);
    let verdict = told.verdict();
    let by_state = doubts::try_all(case, input, &base, &shown, &verdict, &mut routed);
    let fates = shown.fates();
    let lost = causes::of(case, input, &shown);
    routed.partly =
        shown.classes.iter().any(Faring::loses) && !fates.iter().all(|fate| *fate == Fate::Loses);
    if routed.partly || !lost.also.is_empty() {
        routed.lost = lost.shown;
    }
    routed.also = lost.also;
    if !case.dubbo().at_least([2, 7, 3]) && uses_tags(input, &shown) {
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
    routed.remarks.extend(remarks::all(case, input, &shown));
    let (unread, maybe) = delivery::not_read(case, input, &shown);
    routed.remarks.extend(unread);
    routed.maybe.extend(maybe);
    let mut stages = Vec::new();
    // They run before the rules of the config centre; nobody knows what they leave.
    let unread = StageId::Router("condition.url".to_owned());
    if let Some(fact) = case.routes_not_seen()
        && !repaired.contains(&unread)
    {
        stages.push(Stage {
            input: Some(input.urls.len()),
            ..Stage::unknown(unread, vec![fact.clone()])
        });
    }
    stages.extend(told.stages);
    // Addresses left are those of the class that is shown.
    let left = told
        .left
        .iter()
        .filter_map(|place| input.urls[place].own().address())
        .collect();
    Answer {
        stages,
        routed,
        left: Some(left),
        by_state,
    }
}

fn input<'a>(
    case: &Case<'a>,
    kept: &[Kept<'a>],
    repaired: &BTreeSet<StageId>,
    model: Model,
) -> Option<Input<'a>> {
    let directory = run::directory(case, kept, repaired).ok()?;
    let reference = as_asked(case, &directory.subscription().consumer);
    let consumer = if case.dubbo().line().is_3x() {
        reference.clone()
    } else {
        as_asked(case, directory.own_url())
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
    let mut urls: Vec<ServiceUrl> = directory
        .invokers()
        .iter()
        .map(|invoker| invoker.url.clone())
        .collect();
    let of_instances = model == Model::Application && case.dubbo().line() <= Line::V3_1;
    if of_instances {
        for url in &mut urls {
            url.lay_over(&reference);
        }
    }
    Some(Input {
        urls,
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
        overlaid: !case.dubbo().line().is_3x() || of_instances,
    })
}

/// A consumer's URL with the key of the question: a directory whose filter is taken as repaired was asked for any.
fn as_asked(case: &Case<'_>, url: &Url) -> Url {
    let asked = case.consumer();
    let mut url = url.clone();
    for name in ["interface", "group", "version", "classifier"] {
        if url.text(name) == Some("*") {
            match asked.parameter(name) {
                Some(value) => url.parameters.insert(name.to_owned(), value.to_owned()),
                None => url.parameters.remove(name),
            };
        }
    }
    url
}

/// Script engines that the JDK of the consumer brings.
fn engines(question: &Question) -> Option<Vec<String>> {
    let jdk = question.consumer.jdk.as_deref()?;
    let number = jdk.strip_prefix("1.").unwrap_or(jdk);
    let major: u32 = number.split(['.', '-', '+']).next()?.parse().ok()?;
    let names = engines_of(major);
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
    if input.overlaid {
        let named = variant.application.iter();
        let named = named.map(|name| ("application", name.as_str()));
        let given = variant.parameters.iter();
        let given = given.map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in named.chain(given) {
            for url in &mut urls {
                url.overlay(name, value);
            }
        }
    }
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
    let mut consumer = input.consumer.clone();
    if let Some(name) = &variant.application {
        let parameters = &mut consumer.parameters;
        parameters.insert("application".to_owned(), name.clone());
    }
    let list = AddressList {
        providers: urls
            .into_iter()
            .map(|url| Box::new(url) as Box<dyn Provider + Send + Sync>)
            .collect(),
        consumer: with(&consumer),
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
    let known = known(&case.question.invocation, generic);
    let found = classes(&asks, methods(input).as_ref(), &known);
    let fares = |class: Class| {
        let (outcome, split) = application.ways(&chain, &class.call);
        let (fate, share) = fate(&outcome, split.as_ref());
        Faring { class, fate, share }
    };
    // Nobody says that a consumer's calls ask for a tag: those that do matter only where they lose what others keep.
    let mut tagged = with_tags(&asks, &found.classes, &known);
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
        asks,
        classes,
        explained: RefCell::default(),
        cut: found.cut || tagged.untried,
    })
}

/// What the question says of the calls.
fn known(given: &Invocation, generic: bool) -> Known {
    let method = given.method.clone();
    let text = |text: &String| JavaValue::Text(text.clone());
    let attachments = given.attachments.iter();
    Known {
        method: method.is_some() || generic,
        told: method.is_some() || !given.arguments.is_empty() || !given.attachments.is_empty(),
        call: Call {
            method: method.unwrap_or_else(|| if generic { "$invoke" } else { OTHER }.to_owned()),
            parameter_types: Vec::new(),
            arguments: given.arguments.iter().map(text).collect(),
            attachments: attachments
                .map(|(name, value)| (name.clone(), text(value)))
                .collect(),
        },
    }
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
