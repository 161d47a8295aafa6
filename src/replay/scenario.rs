//! One set of rules, addresses and version, and the chains in it: one for each caller.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::drill::Gone;
use super::rule_set::RuleTexts;
use super::subject::Subject;
use crate::input::requests::Caller;
use crate::model::url::Url;
use crate::model::version::DubboVersion;
use crate::model::zone::Zones;
use crate::question::World;
use crate::route::application::{Application, Chain, Settings, Step};
use crate::route::ask::Ask;
use crate::route::call::Call;
use crate::route::declared::Zones as ZonesOfList;
use crate::route::outcome::Outcome;
use crate::route::provider::Provider;
use crate::route::rules::{RuleSource as _, RuleText};
use crate::route::set::AddressSet;
use crate::route::trace::{Explained, Reading, Trace};
use crate::route::{AddressList, Thrown};
use crate::rule::kind::RuleKind;
use crate::view::directory::ServiceUrl;
use crate::view::stage::Model;

/// Addresses that all chains of a scenario may hold together; beyond, those of callers not seen for longest are made anew.
const MOST_HELD: usize = 2_000_000;

/// Shares that differ by less are one: what is left of adding fractions.
const SAME_SHARE: f64 = 1e-9;

/// What asks for a tag, in any line.
const OLD_TAGS: [&str; 5] = [
    "dubbo.tag",
    "tag",
    "dubbo.force.tag",
    "request.tag",
    "request.tag.force",
];

/// What is compared with what.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its name in the report (`3.2.16`, `zone=A`).
    pub name: String,
    /// Version and state of the consumer.
    pub world: World,
    /// The model by which this consumer finds its addresses.
    pub model: Model,
    /// The rules.
    pub rules: RuleTexts,
    /// What a running consumer had before these rules came; `None` when it starts with them.
    pub earlier: Option<RuleTexts>,
    /// What is taken away.
    pub gone: Vec<Gone>,
    /// Where addresses are.
    pub zones: Zones,
    /// What a chain cannot know from rules and addresses.
    pub settings: Settings,
    /// The caller's address where a call does not say it.
    pub caller_ip: Option<String>,
    /// The application whose address comes first in the list; `None` = as the list was seen.
    pub first: Option<String>,
    /// The consumer's process has what protocols need that do not come with Dubbo alone.
    pub libraries: bool,
}

/// The addresses of a list, in its order.
pub type AddressNames = Rc<Vec<Named>>;

/// One address of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// `host:port`.
    pub address: String,
    /// Its zone, where known.
    pub zone: Option<String>,
    /// Its weight for load balancing.
    pub weight: u32,
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// What each router did.
    pub trace: Trace,
    /// The addresses that the sets of the trace speak of.
    pub addresses: AddressNames,
}

impl Ran {
    /// What is left, and that an exception leaves nothing.
    pub fn outcome(&self) -> Outcome {
        self.trace
            .outcome
            .clone()
            .unwrap_or_else(|_| Outcome::Only(AddressSet::none(self.addresses.len())))
    }

    /// Every address that may be left, sorted as the list is.
    pub fn survivors(&self) -> Vec<&str> {
        self.names(&self.outcome().at_most())
    }

    /// The sets that may be drawn, with their probabilities; `None` when nothing is drawn.
    pub fn draws(&self) -> Option<Vec<(Vec<&str>, f64)>> {
        let Outcome::OneOf(answers) = self.outcome() else {
            return None;
        };
        Some(
            answers
                .iter()
                .map(|(set, probability)| (self.names(set), *probability))
                .collect(),
        )
    }

    /// The addresses of a set.
    pub fn names(&self, set: &AddressSet) -> Vec<&str> {
        set.iter()
            .map(|place| self.addresses[place].address.as_str())
            .collect()
    }

    /// Whether nothing is left in any case.
    pub fn is_lost(&self) -> bool {
        self.outcome().is_empty()
    }

    /// How likely it is that nothing is left, from 0 to 1: less than 1 where something is drawn.
    pub fn lost_share(&self) -> f64 {
        if self.is_lost() {
            1.0
        } else {
            self.trace.lost()
        }
    }

    /// Whether nothing is left at least sometimes.
    pub fn may_lose(&self) -> bool {
        self.lost_share() > 0.0
    }

    /// Whether nothing is left more often than in another scenario.
    pub fn loses_more_than(&self, other: &Self) -> bool {
        self.lost_share() > other.lost_share() + SAME_SHARE
    }

    /// Whether another scenario leaves something else, or draws otherwise.
    pub fn differs_from(&self, other: &Self) -> bool {
        let same_share = |a: f64, b: f64| (a - b).abs() <= SAME_SHARE;
        let (mine, others) = (self.draws(), other.draws());
        let same_draws = match (&mine, &others) {
            (None, None) => true,
            (Some(mine), Some(others)) => {
                mine.len() == others.len()
                    && mine.iter().all(|(set, p)| {
                        others
                            .iter()
                            .any(|(other, q)| set == other && same_share(*p, *q))
                    })
            }
            _ => false,
        };
        !same_draws || self.survivors() != other.survivors()
    }

    /// Whether only bounds are known, so that nothing may be left.
    pub fn is_uncertain(&self) -> bool {
        !self.is_lost() && self.trace.is_bounded()
    }
}

struct Session {
    addresses: AddressNames,
    form: Form,
    last_used: u64,
}

enum Form {
    /// The chain of a modelled version.
    Modelled(Box<Application<RuleTexts>>, Box<Chain>),
    /// The chain cannot be built: the reference fails.
    Broken(Thrown),
    /// The routers of this version are another engine. `bounded` = something is there that they would act on.
    Unmodelled { bounded: bool },
}

/// The chains of a scenario.
pub(super) struct Sessions<'a> {
    scenario: &'a Scenario,
    subject: &'a Subject,
    by_caller: BTreeMap<Caller, Session>,
    clock: u64,
    most: usize,
}

impl<'a> Sessions<'a> {
    pub(super) fn new(scenario: &'a Scenario, subject: &'a Subject) -> Self {
        Self {
            scenario,
            subject,
            by_caller: BTreeMap::new(),
            clock: 0,
            most: {
                let held = &subject.held;
                let size = held.entries.len() + held.application.instances.len();
                (MOST_HELD / size.max(1)).clamp(8, 4096)
            },
        }
    }

    /// Routes a call. `None` = the consumer's client cannot read the list.
    pub(super) fn run(&mut self, caller: &Caller, call: &Call) -> Option<Ran> {
        self.run_as(caller, call, Application::explain)
    }

    /// The same with few of the parts of rules that let everything pass.
    pub(super) fn run_briefly(&mut self, caller: &Caller, call: &Call) -> Option<Ran> {
        self.run_as(caller, call, Application::explain_briefly)
    }

    fn run_as(
        &mut self,
        caller: &Caller,
        call: &Call,
        explain: fn(&Application<RuleTexts>, &Chain, &Call) -> Trace,
    ) -> Option<Ran> {
        let session = self.session(caller)?;
        let size = session.addresses.len();
        let trace = match &session.form {
            Form::Modelled(application, chain) => explain(application, chain, call),
            Form::Broken(thrown) => Trace {
                steps: Vec::new(),
                outcome: Err(thrown.clone()),
                split: None,
            },
            Form::Unmodelled { bounded } => {
                let asks = OLD_TAGS.iter().any(|name| call.attachment(name).is_some());
                unmodelled(size, *bounded || asks)
            }
        };
        Some(Ran {
            trace,
            addresses: Rc::clone(&session.addresses),
        })
    }

    /// How likely it is that a call loses everything, without reasons. `None` = as for [`Self::run`].
    pub(super) fn lost(&mut self, caller: &Caller, call: &Call) -> Option<f64> {
        Some(match &self.session(caller)?.form {
            Form::Modelled(application, chain) => match application.ways(chain, call) {
                (Ok(outcome), split) if !outcome.is_empty() => split.map_or(0.0, |it| it.lost),
                _ => 1.0,
            },
            Form::Broken(_) => 1.0,
            Form::Unmodelled { .. } => 0.0,
        })
    }

    /// Routes a call after a rule came; it stays for the calls that follow. `None` = as for [`Self::run`], or the rule
    /// cannot be given to the routers.
    pub(super) fn run_with(
        &mut self,
        (key, text): (&str, &str),
        caller: &Caller,
        call: &Call,
    ) -> Option<Ran> {
        self.session(caller)?;
        let session = self.by_caller.get_mut(caller)?;
        if let Form::Modelled(application, _) = &mut session.form {
            application.update(key, Some(text)).ok()?;
        }
        self.run(caller, call)
    }

    /// The rules that a caller's routers read. Empty when the version is not modelled.
    pub(super) fn readings(&mut self, caller: &Caller) -> Vec<Reading> {
        match self.session(caller).map(|session| &session.form) {
            Some(Form::Modelled(application, chain)) => application.readings(chain),
            _ => Vec::new(),
        }
    }

    /// What the rules in force ask about a caller's calls. Nothing when the version is not modelled.
    pub(super) fn asks(&mut self, caller: &Caller) -> Vec<Ask> {
        match self.session(caller).map(|session| &session.form) {
            Some(Form::Modelled(application, chain)) => application.asks(chain),
            _ => Vec::new(),
        }
    }

    /// The addresses of a caller.
    pub(super) fn addresses(&mut self, caller: &Caller) -> Option<AddressNames> {
        Some(Rc::clone(&self.session(caller)?.addresses))
    }

    /// Whether the routers of the version are modelled.
    pub(super) fn is_modelled(&mut self, caller: &Caller) -> bool {
        !matches!(
            self.session(caller).map(|session| &session.form),
            Some(Form::Unmodelled { .. })
        )
    }

    fn session(&mut self, caller: &Caller) -> Option<&Session> {
        self.clock += 1;
        if !self.by_caller.contains_key(caller) {
            if self.by_caller.len() >= self.most {
                let oldest = self
                    .by_caller
                    .iter()
                    .min_by_key(|(_, session)| session.last_used)
                    .map(|(caller, _)| caller.clone());
                if let Some(oldest) = oldest {
                    self.by_caller.remove(&oldest);
                }
            }
            let session = self.open(caller)?;
            self.by_caller.insert(caller.clone(), session);
        }
        let session = self.by_caller.get_mut(caller)?;
        session.last_used = self.clock;
        Some(session)
    }

    fn open(&self, caller: &Caller) -> Option<Session> {
        let scenario = self.scenario;
        let caller = &Caller {
            ip: caller.ip.clone().or_else(|| scenario.caller_ip.clone()),
            application: caller.application.clone(),
        };
        let held =
            self.subject
                .addresses(&scenario.world, scenario.model, caller, scenario.libraries)?;
        let mut kept: Vec<ServiceUrl> = held
            .urls
            .into_iter()
            .filter(|url| {
                !scenario
                    .gone
                    .iter()
                    .any(|gone| gone.takes(url.own(), &scenario.zones))
            })
            .collect();
        if let Some(first) = &scenario.first
            && let Some(place) = kept
                .iter()
                .position(|url| url.remote_application() == Some(first.as_str()))
        {
            kept.rotate_left(place);
        }
        let addresses: AddressNames =
            Rc::new(kept.iter().map(|url| named(url, &scenario.zones)).collect());
        let has_tag = |url: &Url| OLD_TAGS.iter().any(|name| url.text(name).is_some());
        let tagged = kept.iter().any(|url| has_tag(url.own())) || has_tag(&held.reference);
        let first = scenario.earlier.as_ref().unwrap_or(&scenario.rules);
        // Up to 2.7.5 a reference's own tag is merged into addresses in ways that are not modelled once a tag rule is
        // there: such a consumer was seen without an address that the same rules leave it later.
        let dubbo = &scenario.world.dubbo;
        let not_modelled = !dubbo.at_least([2, 7, 6])
            && held.reference.text("dubbo.tag").is_some()
            && scenario
                .rules
                .texts()
                .any(|(key, _)| RuleKind::of_key(key) == Some(RuleKind::Tag));
        let application = if not_modelled {
            None
        } else {
            Application::new(dubbo, first.clone(), scenario.settings.clone())
        };
        let form = match application {
            None => Form::Unmodelled {
                bounded: tagged || self.has_rules(dubbo) || held.reference.text("router").is_some(),
            },
            Some(mut application) => {
                let list = AddressList {
                    providers: kept
                        .into_iter()
                        .map(|url| Box::new(url) as Box<dyn Provider + Send + Sync>)
                        .collect(),
                    consumer: held.consumer,
                    zones: ZonesOfList {
                        consumer: self.consumer_zone(caller),
                        providers: addresses.iter().map(|one| one.zone.clone()).collect(),
                    },
                };
                match application.refer(&held.reference, &self.routes(), list) {
                    Err(thrown) => Form::Broken(thrown),
                    Ok(chain) => match self.move_on(&mut application) {
                        Ok(()) => Form::Modelled(Box::new(application), Box::new(chain)),
                        Err(thrown) => Form::Broken(thrown),
                    },
                }
            }
        };
        Some(Session {
            addresses,
            form,
            last_used: 0,
        })
    }

    /// Rules of the registry itself, as this version reads them; they concern the interface level only.
    fn routes(&self) -> Vec<Url> {
        if self.scenario.model == Model::Application {
            return Vec::new();
        }
        let version = &self.scenario.world.dubbo;
        let entries = self.subject.held.routes.iter();
        entries
            .filter_map(|entry| entry.url(version).ok())
            .collect()
    }

    /// Whether there is a rule that routers which are not modelled would read: before 2.7 those of the registry only.
    fn has_rules(&self, dubbo: &DubboVersion) -> bool {
        let rules = &self.scenario.rules;
        let in_center = || rules.has_unknown() || rules.texts().next().is_some();
        !self.subject.held.routes.is_empty() || dubbo.at_least([2, 7, 0]) && in_center()
    }

    /// The consumer's zone as given, else that of its address.
    fn consumer_zone(&self, caller: &Caller) -> Option<String> {
        let ip = caller
            .ip
            .as_ref()
            .or(self.subject.question.consumer.ip.as_ref());
        let zone = self.scenario.zones.of_consumer(ip.map(String::as_str));
        zone.map(str::to_owned)
    }

    /// A running consumer is told what changed between the rules it had and those of the scenario.
    fn move_on(&self, application: &mut Application<RuleTexts>) -> Result<(), Thrown> {
        let Some(earlier) = &self.scenario.earlier else {
            return Ok(());
        };
        for (key, text) in self.scenario.rules.texts() {
            if earlier.rule(key) != RuleText::Text(text.to_owned()) {
                application.update(key, Some(text))?;
            }
        }
        let gone: Vec<&str> = earlier
            .texts()
            .filter(|(key, _)| self.scenario.rules.rule(key) == RuleText::Absent)
            .map(|(key, _)| key)
            .collect();
        gone.into_iter()
            .try_for_each(|key| application.update(key, None))
    }
}

fn named(url: &ServiceUrl, zones: &Zones) -> Named {
    let own = url.own();
    Named {
        address: own.address().unwrap_or_else(|| without_host(own)),
        zone: zones.of_provider(own).map(str::to_owned),
        weight: url.text("weight").map_or(100, |text| {
            text.parse::<i64>().map_or(100, |weight| {
                u32::try_from(weight.max(0)).unwrap_or(u32::MAX)
            })
        }),
    }
}

/// 3.x finds no host in an entry without a port (`URLAddress.createPathURLAddress`): what its URL then comes to.
fn without_host(url: &Url) -> String {
    let protocol = url.protocol.as_deref().unwrap_or("-");
    format!("{protocol}:///{}", url.path.as_deref().unwrap_or_default())
}

fn unmodelled(size: usize, bounded: bool) -> Trace {
    let all = AddressSet::all(size);
    let output = if bounded {
        Outcome::Within(all.clone())
    } else {
        Outcome::Only(all.clone())
    };
    Trace {
        steps: vec![Explained {
            step: Step {
                router: "-".into(),
                kind: "rules",
                input: Outcome::Only(all),
                output: output.clone(),
            },
            parts: Vec::new(),
            thrown: None,
        }],
        outcome: Ok(output),
        split: None,
    }
}
