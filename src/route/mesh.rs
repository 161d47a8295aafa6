//! The mesh router: groups of providers by label, and a weighted draw among them.
//!
//! Mirrors `MeshRuleRouter`, `StandardMeshRuleRouter` and `MeshRuleCache` (3.0.6 and later).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::ask::Ask;
use super::call::Call;
use super::call_match::{Halt, fits_request, present};
use super::chain::Making;
use super::dialect::Dialect;
use super::outcome::Outcome;
use super::provider::Provider;
use super::rules::RuleReader;
use super::set::AddressSet;
use super::trace::{Effect, Fragment, Oddity, Part, Removal, RuleRef, RuleState, note};
use super::{AddressList, PassOn, Prepared, Router, RuleEvent, Thrown};
use crate::rule::condition::text::excerpt;
use crate::rule::mesh::{Destination, MeshDocuments, MeshRules, RouteDetail, WeightedDestination};

const ENDING: &str = ".MESHAPPRULE";
/// An application name that counts as none.
const UNKNOWN: &str = "unknown";

pub(super) struct MeshRouter {
    dialect: Dialect,
    /// Parameters of the consumer URL the router was made with.
    source_labels: BTreeMap<String, String>,
    applications: BTreeSet<String>,
    /// Rules in force by application.
    rules: BTreeMap<String, Arc<MeshRules>>,
    list: Option<Arc<AddressList>>,
    readings: Vec<(String, RuleState)>,
}

impl MeshRouter {
    pub(super) fn new(making: &Making<'_>) -> Self {
        Self {
            dialect: making.dialect,
            source_labels: making.url.parameters.clone(),
            applications: BTreeSet::new(),
            rules: BTreeMap::new(),
            list: None,
            readings: Vec::new(),
        }
    }

    /// `onRuleChange` and `clearRule`.
    fn change(&mut self, application: &str, documents: &MeshDocuments) -> Result<(), Thrown> {
        let mut rules = self.rules.clone();
        match &documents.standard {
            None => {
                rules.remove(application);
            }
            // Without both kinds, or when a document cannot be converted, what was in force stays.
            Some(Ok(read)) if read.is_valid() => {
                rules.insert(application.to_owned(), Arc::clone(read));
            }
            Some(_) => {}
        }
        self.accept(rules)
    }

    /// `computeSubset`, which fails on a `DestinationRule` without subsets as soon as it meets an address.
    fn accept(&mut self, rules: BTreeMap<String, Arc<MeshRules>>) -> Result<(), Thrown> {
        let providers = self.list.as_ref().map_or(&[][..], |list| &list.providers);
        let met = providers
            .iter()
            .filter_map(|provider| provider.remote_application())
            .filter_map(|application| rules.get(application));
        for rules in met {
            for rule in &rules.destination_rules {
                let complete = rule
                    .subsets
                    .as_ref()
                    .is_some_and(|subsets| subsets.iter().all(Option::is_some));
                if !complete {
                    return Err(Thrown::new(
                        "java.lang.NullPointerException",
                        "a DestinationRule has no `spec.subsets`, or an empty one among them",
                    ));
                }
            }
        }
        self.rules = rules;
        Ok(())
    }
}

impl MeshRouter {
    /// `getServiceParameters(..).get(key)` up to 3.1, `getOriginalServiceParameter` from 3.2, which in spite of its name
    /// asks the consumer first.
    fn label<'p>(&self, provider: &'p dyn Provider, key: &str) -> Option<&'p str> {
        if self.dialect.mesh_labels_see_consumer {
            provider.parameter(key)
        } else {
            provider.url().parameter(key)
        }
    }
}

fn application(name: Option<&str>) -> Option<&str> {
    name.filter(|name| !name.is_empty() && *name != UNKNOWN)
}

impl Router for MeshRouter {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("StandardMeshRuleRouter")
    }

    fn notify(
        &mut self,
        list: &Arc<AddressList>,
        rules: &mut dyn RuleReader,
    ) -> Result<(), Thrown> {
        self.list = Some(Arc::clone(list));
        let mut current: Vec<String> = Vec::new();
        for provider in &list.providers {
            if let Some(name) = application(provider.remote_application())
                && current.iter().all(|known| known != name)
            {
                current.push(name.to_owned());
            }
        }
        let fresh: Vec<String> = current
            .iter()
            .filter(|name| !self.applications.contains(*name))
            .cloned()
            .collect();
        let fresh = in_hash_order(in_hash_order(fresh));
        let current: BTreeSet<String> = current.into_iter().collect();
        for name in fresh {
            let key = format!("{name}{ENDING}");
            let documents = rules.listen_mesh(&key);
            note(&mut self.readings, &key, rules.mesh_state(&key));
            if let Some(documents) = documents {
                // A holder that exists but has no rules of this type tells a new router nothing.
                if documents.standard.is_some() {
                    self.change(&name, &documents)?;
                }
            }
        }
        for name in self.applications.difference(&current) {
            rules.forget(&format!("{name}{ENDING}"));
        }
        self.applications = current;
        self.accept(self.rules.clone())
    }

    fn process(&mut self, event: RuleEvent<'_>, rules: &dyn RuleReader) -> Result<(), Thrown> {
        let Some(name) = event.key.strip_suffix(ENDING) else {
            return Ok(());
        };
        note(&mut self.readings, event.key, rules.mesh_state(event.key));
        match rules.mesh(event.key) {
            Some(documents) => self.change(name, &documents),
            None => Ok(()),
        }
    }

    fn asks(&self) -> Vec<Ask> {
        self.rules
            .values()
            .flat_map(|rules| Ask::of_mesh(rules))
            .collect()
    }

    fn readings(&self) -> Vec<(String, RuleState)> {
        self.readings.clone()
    }

    fn prepare(&self, list: &AddressList) -> Box<dyn Prepared> {
        let mut members: BTreeMap<&String, Vec<usize>> = BTreeMap::new();
        let mut unmatched = AddressSet::none(list.len());
        for (place, provider) in list.providers.iter().enumerate() {
            let name = application(provider.remote_application());
            match name.and_then(|name| self.rules.get_key_value(name)) {
                Some((name, _)) => members.entry(name).or_default().push(place),
                None => unmatched.insert(place),
            }
        }
        let mut applications = Vec::with_capacity(members.len());
        for (name, places) in members {
            let Some(rules) = self.rules.get(name) else {
                continue;
            };
            let (prepared, matched) = self.grouped(name, rules, &places, list);
            for place in places.iter().filter(|place| !matched.contains(**place)) {
                unmatched.insert(*place);
            }
            applications.push(prepared);
        }
        if applications.is_empty() {
            return Box::new(PassOn);
        }
        Box::new(PreparedMesh {
            applications,
            unmatched: self.dialect.mesh_keeps_unmatched.then_some(unmatched),
            service: list
                .consumer
                .service_interface()
                .unwrap_or_default()
                .to_owned(),
            source_labels: self.source_labels.clone(),
            dialect: self.dialect,
        })
    }
}

impl MeshRouter {
    /// The addresses of an application by subset, and those that are in one.
    fn grouped(
        &self,
        name: &str,
        rules: &Arc<MeshRules>,
        places: &[usize],
        list: &AddressList,
    ) -> (PreparedApplication, AddressSet) {
        let mut prepared = PreparedApplication {
            key: format!("{name}{ENDING}"),
            rules: Arc::clone(rules),
            subsets: BTreeMap::new(),
        };
        let mut matched = AddressSet::none(list.len());
        // What the addresses have under each label, asked once.
        let mut labels: BTreeMap<&str, Vec<Option<&str>>> = BTreeMap::new();
        let subsets = rules
            .destination_rules
            .iter()
            .filter_map(|rule| rule.subsets.as_ref());
        for subset in subsets.flatten().flatten() {
            let mut fitting: Vec<usize> = (0..places.len()).collect();
            for (key, value) in &subset.labels {
                let (Some(key), Some(value)) = (key.as_deref(), value.as_deref()) else {
                    fitting.clear();
                    break;
                };
                let own = labels.entry(key).or_insert_with(|| {
                    let label = |place: &usize| self.label(list.providers[*place].as_ref(), key);
                    places.iter().map(label).collect()
                });
                fitting.retain(|at| own[*at] == Some(value));
                if fitting.is_empty() {
                    break;
                }
            }
            let set = prepared
                .subsets
                .entry(subset.name.clone())
                .or_insert_with(|| AddressSet::none(list.len()));
            for at in fitting {
                set.insert(places[at]);
                matched.insert(places[at]);
            }
        }
        (prepared, matched)
    }
}

struct PreparedApplication {
    key: String,
    rules: Arc<MeshRules>,
    subsets: BTreeMap<Option<String>, AddressSet>,
}

struct PreparedMesh {
    applications: Vec<PreparedApplication>,
    unmatched: Option<AddressSet>,
    service: String,
    source_labels: BTreeMap<String, String>,
    dialect: Dialect,
}

impl Prepared for PreparedMesh {
    fn route(
        &self,
        list: &AddressList,
        call: &Call,
        input: &AddressSet,
    ) -> Result<Outcome, Thrown> {
        match self.answer(list, call, input) {
            Ok(outcome) => Ok(outcome),
            Err(Halt::Thrown(thrown)) => Err(thrown),
            Err(Halt::NotRunnable(_)) => Ok(Outcome::Within(input.clone())),
        }
    }

    fn explain(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Vec<Part> {
        let keys: Vec<&str> = self.applications.iter().map(|it| it.key.as_str()).collect();
        let rule = RuleRef {
            key: keys.join(", ").into(),
            position: None,
            force: false,
        };
        let output = match self.answer(list, call, input) {
            Ok(output) => output,
            Err(Halt::Thrown(_)) => return Vec::new(),
            Err(Halt::NotRunnable(text)) => {
                let effect = Effect::NotRunnable(text);
                return vec![Part::bounded(Some(rule), "match", effect, input)];
            }
        };
        let subsets = self.drawn(call);
        let by = Arc::new(Fragment {
            text: excerpt(&subsets.join(", ")).into_owned(),
            position: None,
        });
        let removed: Arc<[Removal]> = input
            .without(&output.at_most())
            .iter()
            .map(|address| Removal {
                address,
                by: Some(Arc::clone(&by)),
                value: self.subset_of(address),
            })
            .collect();
        let effect = match (subsets.is_empty(), output == Outcome::Only(input.clone())) {
            (false, true) => Effect::EmptyProtection,
            (true, true) => return Vec::new(),
            _ => Effect::Subsets,
        };
        let mut oddities = Vec::new();
        if self.dialect.mesh_labels_see_consumer {
            oddities.push(Oddity::LabelsSeeConsumer);
        }
        vec![Part {
            output,
            removed,
            oddities,
            ..Part::passing(Some(rule), by.text.as_str(), effect, input)
        }]
    }
}

impl PreparedMesh {
    /// The subsets that a call may be sent to, in the order written.
    fn drawn(&self, call: &Call) -> Vec<String> {
        let mut names = Vec::new();
        let mut seen = BTreeSet::new();
        for application in &self.applications {
            let Ok(Some(destinations)) = self.destinations(&application.rules, call) else {
                continue;
            };
            for destination in destinations.iter().flatten() {
                let subset = destination
                    .destination
                    .as_ref()
                    .and_then(|to| to.subset.clone());
                names.extend(subset.filter(|name| seen.insert(name.clone())));
            }
        }
        names
    }

    /// The subset that an address belongs to.
    fn subset_of(&self, address: usize) -> Option<String> {
        self.applications.iter().find_map(|application| {
            let subsets = application.subsets.iter();
            subsets
                .filter(|(_, places)| places.contains(address))
                .find_map(|(name, _)| name.clone())
        })
    }

    fn answer(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Result<Outcome, Halt> {
        // Which subset each application contributes, all combinations.
        let mut outcome = Outcome::Only(AddressSet::none(list.len()));
        for application in &self.applications {
            let drawn = match self.destinations(&application.rules, call)? {
                Some(destinations) => application.draw(destinations, input)?,
                None => continue,
            };
            outcome = outcome.then::<Halt>(
                |sum| {
                    Ok(Outcome::one_of(
                        drawn
                            .iter()
                            .map(|(subset, probability)| (sum.or(subset), *probability))
                            .collect(),
                    ))
                },
                |bound| bound,
            )?;
        }
        outcome.then(
            |selected| {
                let selected = match &self.unmatched {
                    Some(unmatched) => selected.or(unmatched),
                    None => selected.clone(),
                };
                Ok(Outcome::Only(if selected.is_empty() {
                    input.clone()
                } else {
                    input.and(&selected)
                }))
            },
            |_| input.clone(),
        )
    }
}

impl PreparedMesh {
    /// `getDubboRouteDestination`: the destinations for a call; `None` when no rule is about it.
    fn destinations<'r>(
        &self,
        rules: &'r MeshRules,
        call: &Call,
    ) -> Result<Option<&'r [Option<WeightedDestination>]>, Halt> {
        for service in &rules.virtual_services {
            for route in present(service.routes.as_ref())? {
                let route = present(route.as_ref())?;
                let mut fits = route.services.is_empty();
                for name in &route.services {
                    if present(name.as_ref())?.is_match(Some(&self.service))? {
                        fits = true;
                        break;
                    }
                }
                if fits {
                    return self.detail(&route.details, call);
                }
            }
        }
        Ok(None)
    }

    fn detail<'r>(
        &self,
        details: &'r [Option<RouteDetail>],
        call: &Call,
    ) -> Result<Option<&'r [Option<WeightedDestination>]>, Halt> {
        for detail in details {
            let detail = present(detail.as_ref())?;
            let mut fits = true;
            for request in &detail.matches {
                if !fits_request(
                    present(request.as_ref())?,
                    call,
                    &self.source_labels,
                    self.dialect.mesh_generic,
                )? {
                    fits = false;
                    break;
                }
            }
            if fits {
                return Ok(detail.destinations.as_deref());
            }
        }
        Ok(None)
    }
}

/// The order in which a `HashSet` of these texts is walked through, filled in the given order.
fn in_hash_order(mut texts: Vec<String>) -> Vec<String> {
    let mut buckets = 16_usize;
    while texts.len() * 4 > buckets * 3 {
        buckets *= 2;
    }
    texts.sort_by_key(|text| {
        let hash = text.encode_utf16().fold(0_u32, |hash, unit| {
            hash.wrapping_mul(31).wrapping_add(u32::from(unit))
        });
        usize::try_from(hash ^ (hash >> 16)).unwrap_or_default() & (buckets - 1)
    });
    texts
}

impl PreparedApplication {
    /// `randomSelectDestination`: the subsets that may be drawn, with probabilities.
    fn draw(
        &self,
        destinations: &[Option<WeightedDestination>],
        input: &AddressSet,
    ) -> Result<Vec<(AddressSet, f64)>, Thrown> {
        let mut weights = Vec::with_capacity(destinations.len());
        let mut total = 0_i32;
        for destination in destinations {
            let weight = present(destination.as_ref())?.weight.max(1);
            weights.push(weight);
            total = total.wrapping_add(weight);
        }
        if total <= 0 {
            return Err(Thrown::new(
                "java.lang.IllegalArgumentException",
                "bound must be positive",
            ));
        }
        // Asked one after the other: the first one that is drawn, or a later one, with somebody in it.
        let mut subsets = Vec::with_capacity(destinations.len());
        for destination in destinations.iter().flatten() {
            subsets.push(self.subset(destination.destination.as_ref(), input));
        }
        // The next one from each place on that has somebody, or fails.
        let mut next: Vec<Option<usize>> = vec![None; subsets.len()];
        let mut known = None;
        for at in (0..subsets.len()).rev() {
            if !matches!(subsets[at], Ok(None)) {
                known = Some(at);
            }
            next[at] = known;
        }
        let mut out: Vec<(AddressSet, f64)> = Vec::new();
        let (mut taken, mut reached) = (0_i64, 0_i64);
        for (place, weight) in weights.into_iter().enumerate() {
            reached += i64::from(weight);
            let upto = i64::from(total).min(reached + 1);
            let chances = upto - taken;
            taken = upto;
            if chances <= 0 {
                continue;
            }
            let chosen = match next[place].or(known) {
                Some(at) => subsets[at].as_ref().map_err(Clone::clone)?.as_ref(),
                None => None,
            };
            #[expect(
                clippy::cast_precision_loss,
                reason = "weights are 32 bits, a few of them"
            )]
            let probability = chances as f64 / f64::from(total);
            let set = chosen
                .cloned()
                .unwrap_or_else(|| AddressSet::none(input.list_len()));
            out.push((set, probability));
        }
        Ok(out)
    }

    /// `computeDestination`: the subset or the first fallback that has somebody of the input.
    fn subset(
        &self,
        destination: Option<&Destination>,
        input: &AddressSet,
    ) -> Result<Option<AddressSet>, Thrown> {
        let mut destination = present(destination)?;
        loop {
            if let Some(subset) = self.subsets.get(&destination.subset)
                && subset.meets(input)
            {
                return Ok(Some(subset.clone()));
            }
            match &destination.fallback {
                Some(fallback) => destination = fallback,
                None => return Ok(None),
            }
        }
    }
}
