//! A call with reasons: what each router did, and which part of its rules.

use super::{Application, Chain, Step};
use crate::route::call::Call;
use crate::route::outcome::Outcome;
use crate::route::rules::{RouterId, RuleSource};
use crate::route::set::AddressSet;
use crate::route::trace::{Effect, Explained, Part, RuleRef, RuleState, Trace};

impl<S: RuleSource> Application<S> {
    /// Routes a call and tells why: see [`crate::route::trace`].
    pub fn explain(&self, chain: &Chain, call: &Call) -> Trace {
        self.told(chain, call, Self::explained)
    }

    /// The same with few of the parts that let everything pass.
    pub fn explain_briefly(&self, chain: &Chain, call: &Call) -> Trace {
        self.told(chain, call, Self::explained_briefly)
    }

    fn told(
        &self,
        chain: &Chain,
        call: &Call,
        tell: fn(&Self, &Chain, RouterId, &Call, Step) -> Explained,
    ) -> Trace {
        let (steps, outcome) = self.trace(chain, call);
        let draws = steps.iter().any(Step::draws);
        let mut order = self.order(chain);
        let mut explained: Vec<Explained> = steps
            .into_iter()
            .zip(order.by_ref())
            .map(|(step, id)| tell(self, chain, id, call, step))
            .collect();
        if let (Err(thrown), Some(id)) = (&outcome, order.next()) {
            let before = explained.last().map(|last| last.step.output.clone());
            let all = || Outcome::Only(AddressSet::all(chain.list.len()));
            let step = Step {
                router: self.slots[id].router.name(),
                kind: self.slots[id].kind,
                input: before.unwrap_or_else(all),
                output: Outcome::Only(AddressSet::none(chain.list.len())),
            };
            explained.push(Explained {
                thrown: Some(thrown.clone()),
                ..self.explained(chain, id, call, step)
            });
        }
        let split = draws.then(|| {
            let before = explained.iter().take_while(|it| !it.draws());
            self.split(chain, call, before.cloned().collect())
        });
        Trace {
            steps: explained,
            outcome,
            split: split.flatten(),
        }
    }

    /// A step with its reasons.
    pub(super) fn explained(
        &self,
        chain: &Chain,
        id: RouterId,
        call: &Call,
        step: Step,
    ) -> Explained {
        Explained {
            parts: self.parts(chain, id, call, &step.input),
            step,
            thrown: None,
        }
    }

    fn explained_briefly(&self, chain: &Chain, id: RouterId, call: &Call, step: Step) -> Explained {
        let turns = match &step.input {
            Outcome::Only(set) if !self.slots[id].unknown => {
                self.with_form(chain, id, |form| form.turns(&chain.list, call, set))
            }
            _ => Ok(None),
        };
        match turns.ok().flatten().as_deref_mut() {
            // What is drawn and comes to one in the end is told whole.
            Some([only]) if only.parts.iter().all(|it| it.effect != Effect::Draws) => Explained {
                parts: std::mem::take(&mut only.parts),
                step,
                thrown: None,
            },
            _ => self.explained(chain, id, call, step),
        }
    }

    pub(in crate::route) fn parts(
        &self,
        chain: &Chain,
        id: RouterId,
        call: &Call,
        input: &Outcome,
    ) -> Vec<Part> {
        let input = input.at_most();
        if self.slots[id].unknown {
            let key = self.slots[id]
                .router
                .readings()
                .into_iter()
                .find(|(_, state)| *state == RuleState::NotSeen)
                .map(|(key, _)| key)
                .unwrap_or_default();
            let rule = RuleRef {
                key: key.into(),
                position: None,
                force: false,
            };
            return vec![Part::bounded(Some(rule), "", Effect::NotSeen, &input)];
        }
        self.with_form(chain, id, |form| form.explain(&chain.list, call, &input))
    }
}
