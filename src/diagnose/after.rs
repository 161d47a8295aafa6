//! What would still be in the way once the cause is repaired: the same stages again, of the repaired world.
//!
//! A repaired key or place is another question: other rules are read for it, other lists, so what was recorded is read
//! once more for that question. A stage that is repaired in its own right (an address switched on, a rule corrected)
//! is only taken as repaired. What nobody recorded for the repaired world is not known; it is never taken for fine.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Outcome, code::Code, decide::Computed, gather, models::judge_models, outcome::Judged,
    own as own_view, text::Said,
};
use crate::{
    model::service_key::ServiceKey,
    question::{ConsumerState, Question, RegistryAddress, World},
    report::words::Say,
    view::{
        application,
        interface::{Case, Meant, View, same_rule},
        missing::Missing,
        stage::{Model, NotSeen, Stage, StageId, State},
    },
};

/// So many keys that may have been meant are tried.
const MOST_MEANT: usize = 8;
/// So often a repaired question is repaired again.
const MOST_REPAIRS: usize = 3;

/// Where to look for what would still be in the way.
#[derive(Debug, Clone, Default)]
pub(crate) enum Later {
    /// Nowhere.
    #[default]
    Nothing,
    /// It is known already.
    Codes(Vec<Code>),
    /// Behind this stage of the model that is judged.
    Behind(StageId),
    /// At the place to which these addresses lead: the ways in which it may be configured.
    There(Vec<RegistryAddress>),
}

impl Later {
    /// Takes back what was to be looked at.
    pub(crate) fn clear(&mut self) {
        *self = Self::Nothing;
    }
}

/// What would still be in the way.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Then {
    /// The code of each further stage that leaves nothing, in causal order.
    pub(super) codes: Vec<Code>,
    /// What must be known to say that there is no other.
    pub(super) not_seen: Vec<NotSeen>,
}

impl Then {
    fn is_clean(&self) -> bool {
        self.codes.is_empty() && self.not_seen.is_empty()
    }

    /// This code first.
    fn behind(mut self, code: Code) -> Self {
        self.codes.insert(0, code);
        self
    }
}

/// For the answer that is shown.
pub(super) fn then(computed: &Computed<'_>) -> Then {
    let judged = &computed.states[0].judged;
    let (registry, member) = judged.part;
    let Some(registry) = computed.registries.get(registry) else {
        return Then::default();
    };
    let look = Look {
        computed,
        part: judged.part,
        starting: World {
            state: ConsumerState::Starting,
            ..computed.states[0].world.clone()
        },
    };
    match &judged.then {
        // A text names the keys that a provider has, whatever the registry shows.
        Later::Nothing => look.meant(computed.question, &told(computed.question, judged), 0),
        Later::Codes(codes) => Then {
            codes: codes.clone(),
            not_seen: Vec::new(),
        },
        Later::Behind(stage) => {
            let Some(held) = registry.held.get(member) else {
                return Then::default();
            };
            let case = Case {
                question: computed.question,
                registry: registry.address.as_ref(),
                held,
                world: &computed.states[0].world,
            };
            let told = told(computed.question, judged);
            // At application level a near name may be found where the mapping of the one that is asked for is missing.
            let of_key = *stage == StageId::Key || judged.code() == Some(Code::InterfaceNearMiss);
            if of_key && judged.view.meant.is_empty() && !told.is_empty() {
                return look.meant(computed.question, &told, 0);
            }
            look.walk(&case, judged.view.model, (stage, judged.code()), 0)
        }
        Later::There(addresses) => look.there(addresses),
    }
}

/// The keys that a provider itself says it has, where no registry shows them.
fn told(question: &Question, judged: &Judged) -> Vec<Meant> {
    let raised = judged.raised.as_ref();
    let near = raised.and_then(|raised| raised.params.get("near"));
    let keys = near.and_then(Value::as_array).into_iter().flatten();
    keys.map(|key| {
        let part = |name: &str| key.get(name).and_then(Value::as_str);
        let interface = part("interface").unwrap_or(&question.service.interface);
        Meant {
            service: ServiceKey::new(part("group"), interface, part("version")),
            classifier: None,
            by_classifier: false,
        }
    })
    .collect()
}

/// Looks behind repairs of one registry.
struct Look<'a> {
    computed: &'a Computed<'a>,
    part: (usize, usize),
    /// Whoever changes the key or the place of a reference starts the consumer again.
    starting: World,
}

impl Look<'_> {
    /// The stages behind one that is repaired.
    fn walk(
        &self,
        case: &Case<'_>,
        model: Model,
        (failed, code): (&StageId, Option<Code>),
        repairs: usize,
    ) -> Then {
        let mut then = Then::default();
        let mut repaired = BTreeSet::new();
        let lacks_mapping = code == Some(Code::MappingMissing);
        let mut next = Some((failed.clone(), code));
        while let Some((failed, code)) = next {
            let view = view(case, model, &repaired);
            if failed == StageId::Key && !view.meant.is_empty() {
                let asked = self.meant(case.question, &view.meant, repairs);
                then.codes.extend(asked.codes);
                then.not_seen = asked.not_seen;
                return then;
            }
            if model == Model::Application && code == Some(Code::NotRegistered) {
                // Nobody is there whose way could be followed further.
                return then;
            }
            if matches!(failed, StageId::NameForm | StageId::Key) {
                repaired.extend([StageId::NameForm, StageId::Key]);
            }
            repaired.extend(view.stage(&failed).into_iter().flat_map(same_rule));
            repaired.insert(failed);
            let view = self::view(case, model, &repaired);
            let stage = failing(&view, &repaired);
            let first = stage.and_then(|stage| stage.raises.first());
            let leads_nowhere = first.is_some_and(|first| first.code == Code::NotRegistered);
            if lacks_mapping && leads_nowhere && then.codes.is_empty() {
                // A mapping to an application that has no instance helps nobody.
                then.codes.push(Code::NotRegistered);
                then.codes.extend(other_key(case));
                return then;
            }
            next = stage.and_then(|stage| {
                let code = stage.raises.first()?.code;
                (model == Model::Interface || code != Code::NotRegistered)
                    .then(|| (stage.id.clone(), Some(code)))
            });
            match &next {
                Some((_, code)) => then.codes.extend(*code),
                None => then.not_seen = open(&view, &repaired),
            }
        }
        then
    }

    /// The reference asks for what it nearly asks for. Where one of several keys is free, nothing is in the way.
    fn meant(&self, question: &Question, keys: &[Meant], repairs: usize) -> Then {
        let keys = keys.iter().take(MOST_MEANT);
        let found = keys.map(|meant| self.ask(&meant.asked(question), repairs));
        let mut all: Vec<Then> = Vec::new();
        for then in found {
            if then.is_clean() {
                return then;
            }
            all.push(then);
        }
        let blocked = all.iter().all(|then| !then.codes.is_empty());
        let mut joined = Then::default();
        for then in all {
            let codes = then.codes.into_iter().filter(|_| blocked);
            for code in codes {
                if !joined.codes.contains(&code) {
                    joined.codes.push(code);
                }
            }
            for fact in then.not_seen {
                if !joined.not_seen.contains(&fact) {
                    joined.not_seen.push(fact);
                }
            }
        }
        joined
    }

    /// The consumer looks at another place.
    fn there(&self, addresses: &[RegistryAddress]) -> Then {
        let ways = addresses.iter().map(|address| {
            let mut question = self.computed.question.clone();
            if let Some(own) = question.registries.get_mut(self.part.0) {
                own.clone_from(address);
            }
            self.ask(&question, 0)
        });
        let joined = ways.reduce(|mut first, other| {
            if first.codes != other.codes {
                let of_rules = NotSeen {
                    what: Say::WayOfGroup.into(),
                    why: Say::NotAsked.into(),
                    how_to_see: None,
                    required: true,
                };
                return Then {
                    codes: Vec::new(),
                    not_seen: vec![of_rules],
                };
            }
            let new = other.not_seen.into_iter();
            let new: Vec<NotSeen> = new.filter(|fact| !first.not_seen.contains(fact)).collect();
            first.not_seen.extend(new);
            first
        });
        joined.unwrap_or_default()
    }

    /// What a repaired question comes to, over the same recording.
    fn ask(&self, question: &Question, repairs: usize) -> Then {
        let computed = self.computed;
        let mut registries = gather::all(question, computed.snapshot, &Missing::default());
        computed.said.complete(question, &mut registries);
        own_view::complete(computed.own, &mut registries);
        let alone = registries.len() == 1;
        let (place, member) = self.part;
        let Some(registry) = registries.get(place) else {
            return Then::default();
        };
        let Some(held) = registry.held.get(member).or(registry.held.first()) else {
            return Then::default();
        };
        let case = Case {
            question,
            registry: registry.address.as_ref(),
            held,
            world: &self.starting,
        };
        let seen = own_view::step(computed.own, question, case.registry, alone)
            .or_else(|| computed.said.step());
        let judged = judge_models(&case, &Said::default(), seen);
        let mut unknown = if judged.outcome == Outcome::Unknown {
            judged.blocked_by.clone()
        } else {
            Vec::new()
        };
        unknown.retain(|fact| fact.required);
        let Some(failed) = judged.view.failed() else {
            return Then {
                codes: Vec::new(),
                not_seen: unknown,
            };
        };
        let code = judged.code().or_else(|| Some(failed.raises.first()?.code));
        let Some(code) = code else {
            return Then {
                codes: Vec::new(),
                not_seen: unknown,
            };
        };
        let mut then = if failed.id > StageId::Place && repairs < MOST_REPAIRS {
            let model = judged.view.model;
            self.walk(&case, model, (&failed.id, Some(code)), repairs + 1)
        } else {
            Then::default()
        };
        then.not_seen.splice(0..0, unknown);
        then.behind(code)
    }
}

/// The stages of a model, some of them taken as repaired.
fn view(case: &Case<'_>, model: Model, repaired: &BTreeSet<StageId>) -> View {
    match model {
        Model::Interface => case.repaired(repaired),
        Model::Application => application::repaired(case, repaired),
    }
}

/// In what the entries at interface level have another key, where nothing else is known of the service.
fn other_key(case: &Case<'_>) -> Option<Code> {
    let view = case.repaired(&BTreeSet::from([StageId::Decision]));
    let code = view.stage(&StageId::Key)?.raises.first()?.code;
    matches!(code, Code::GroupDiffers | Code::VersionDiffers).then_some(code)
}

/// The first stage that leaves nothing and is not repaired.
fn failing<'v>(view: &'v View, repaired: &BTreeSet<StageId>) -> Option<&'v Stage> {
    view.stages.iter().find(|stage| {
        stage.state == State::Failed && !repaired.contains(&stage.id) && stage.id > StageId::Place
    })
}

/// What is not known of the stages that leave something.
fn open(view: &View, repaired: &BTreeSet<StageId>) -> Vec<NotSeen> {
    let stages = view.stages.iter().filter(|stage| {
        stage.state == State::Unknown
            && !repaired.contains(&stage.id)
            && !matches!(stage.id, StageId::Question | StageId::ConsumerView)
    });
    let facts = stages
        .flat_map(|stage| &stage.not_seen)
        .chain(&view.routed.undecided)
        .filter(|fact| fact.required);
    let mut found: Vec<NotSeen> = Vec::new();
    for fact in facts {
        if !found.contains(fact) {
            found.push(fact.clone());
        }
    }
    found
}
