//! What the routers came to lately. A running and a starting consumer ask the same of the same rules, and of long ones the
//! answer is worked out once.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use super::{Case, Input, Routed, rules_length};
use crate::{
    model::{url::Url, version::DubboVersion},
    question::{ConsumerState, Question, RegistryAddress},
    view::{
        directory::ServiceUrl,
        stage::{Model, Stage, StageId},
    },
};

/// Rules of fewer bytes are routed faster than what is asked of them is compared.
const LONG: usize = 16 << 10;
/// Answers that are remembered.
const MOST: usize = 8;

/// What the routers come to.
pub(super) struct Answer {
    pub(super) stages: Vec<Stage>,
    pub(super) routed: Routed,
    /// The addresses that are left; `None` when no chain could be built.
    pub(super) left: Option<BTreeSet<String>>,
    /// A consumer of another state may come to something else.
    pub(super) by_state: bool,
}

/// All that an answer depends on beside what the registry holds.
#[derive(PartialEq)]
struct Asked {
    dubbo: DubboVersion,
    question: Question,
    registry: Option<RegistryAddress>,
    repaired: BTreeSet<StageId>,
    model: Model,
    urls: Vec<ServiceUrl>,
    consumer: Url,
    reference: Url,
    routes: Vec<Url>,
}

/// The answers. They belong to the rules of one registry: a copy, which may be changed, has none.
#[derive(Default)]
pub(crate) struct Lately(RefCell<Vec<(Asked, ConsumerState, Rc<Answer>)>>);

impl Clone for Lately {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Lately {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lately")
    }
}

/// The answer of one of the last times if that was to the same question, else a new one.
pub(super) fn or_work_out(
    case: &Case<'_>,
    input: &Input<'_>,
    repaired: &BTreeSet<StageId>,
    model: Model,
    work_out: impl FnOnce() -> Answer,
) -> Rc<Answer> {
    if rules_length(case) < LONG {
        return Rc::new(work_out());
    }
    let asked = Asked {
        dubbo: case.dubbo().clone(),
        question: case.question.clone(),
        registry: case.registry.cloned(),
        repaired: repaired.clone(),
        model,
        urls: input.urls.clone(),
        consumer: input.consumer.clone(),
        reference: input.reference.clone(),
        routes: input.routes.iter().map(|(_, url)| url.clone()).collect(),
    };
    let (state, lately) = (case.world.state, &case.held.rules.routed.0);
    let known = lately.borrow().iter().find_map(|(known, of, answer)| {
        let is_same = (*of == state || !answer.by_state) && *known == asked;
        is_same.then(|| Rc::clone(answer))
    });
    known.unwrap_or_else(|| {
        let answer = Rc::new(work_out());
        let mut lately = lately.borrow_mut();
        lately.truncate(MOST - 1);
        lately.insert(0, (asked, state, Rc::clone(&answer)));
        answer
    })
}
