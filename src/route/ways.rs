//! The ways of one call where something is drawn: each with its probability, its own stages and its own end.
//!
//! What is left of a call whose ways part is a set of possible answers; why one of them is empty can only be told along
//! the way that leads there. So every way is walked on its own, and a router that draws says what each draw leaves.

use std::sync::Arc;

use super::Thrown;
use super::application::{Application, Chain, Step};
use super::call::Call;
use super::outcome::{MOST_ANSWERS, Outcome};
use super::rules::{RouterId, RuleSource};
use super::set::AddressSet;
use super::trace::{Explained, Fragment, Part, Removal, RuleRef, shorten};

/// Ways whose stages are kept; the shares count all of them.
const MOST_KEPT: usize = 16;
/// Parts without effect that are told of each router on each way.
pub(super) const MOST_QUIET: usize = 200;
/// Parts that are copied in one router because ways part there.
pub(super) const MOST_COPIED: usize = 200_000;

/// What becomes of a call whose ways part.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// How likely it is that nothing is left, from 0 to 1.
    pub lost: f64,
    /// How likely it is to go a way of which only bounds are known at the end.
    pub unclear: f64,
    /// The ways: first those that end with nothing, the likelier ones first; at most 16.
    pub ways: Vec<Way>,
}

/// One way through the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// How likely it is taken, from 0 to 1.
    pub probability: f64,
    /// What each router did on it, in order.
    pub steps: Vec<Explained>,
    /// What is left at its end: exactly known, or bounded.
    pub outcome: Result<Outcome, Thrown>,
}

/// A kind of router, and the rule and text of a part.
type End<'w> = (&'static str, Option<&'w RuleRef>, &'w str);

impl Way {
    /// Whether it ends with nothing, an exception included.
    pub fn is_lost(&self) -> bool {
        self.outcome.as_ref().map_or(true, Outcome::is_empty)
    }

    /// Where it ends: the kind of router, and the part that leaves nothing.
    fn end(&self) -> Option<End<'_>> {
        let last = self.steps.last()?;
        let part = last.parts.last();
        Some((
            last.step.kind,
            part.and_then(|part| part.rule.as_ref()),
            part.map_or("", |part| &*part.text),
        ))
    }
}

/// A share as people read it: `51%`, `0.5%`; `None` for the whole.
pub fn percent(share: f64) -> Option<String> {
    let percents = share * 100.0;
    if share >= 1.0 {
        None
    } else if percents < 0.1 {
        Some("<0.1%".to_owned())
    } else {
        let text = format!("{:.1}", percents.min(99.9));
        Some(format!("{}%", text.strip_suffix(".0").unwrap_or(&text)))
    }
}

/// One way through one router.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) probability: f64,
    pub(super) parts: Vec<Part>,
    /// How many of them let everything pass.
    pub(super) quiet: usize,
    pub(super) output: Outcome,
}

impl Turn {
    /// A way through a router, with all its parts.
    fn new(probability: f64, parts: Vec<Part>, output: Outcome) -> Self {
        Self {
            probability,
            quiet: parts.iter().filter(|part| part.is_quiet()).count(),
            parts,
            output,
        }
    }

    /// Adds a part, unless it is one quiet part too many.
    pub(super) fn add(&mut self, part: Part) {
        let is_quiet = part.is_quiet();
        if !is_quiet || self.quiet < MOST_QUIET {
            self.quiet += usize::from(is_quiet);
            self.parts.push(part);
        }
    }
}

/// The ways through a router of which at most one part draws.
pub(super) fn turns(parts: Vec<Part>, output: Outcome) -> Vec<Turn> {
    let Outcome::OneOf(answers) = output else {
        return vec![Turn::new(1.0, parts, output)];
    };
    answers
        .into_iter()
        .map(|(set, probability)| {
            let mut parts = parts.clone();
            let drawing = parts
                .iter_mut()
                .rev()
                .find(|part| matches!(part.output, Outcome::OneOf(_)));
            if let Some(part) = drawing {
                *part = drawn(part, set.clone());
            }
            Turn::new(probability, parts, Outcome::Only(set))
        })
        .collect()
}

/// A part that draws, after the draw.
fn drawn(part: &Part, set: AddressSet) -> Part {
    Part {
        removed: taken_by_draw(part, &set),
        output: Outcome::Only(set),
        ..part.clone()
    }
}

/// What a part that draws takes away when a set is drawn: what belongs to the other answers is gone as well.
pub(super) fn taken_by_draw(part: &Part, set: &AddressSet) -> Arc<[Removal]> {
    let others = part.output.at_most().without(set);
    let by = Arc::new(Fragment {
        text: part.text.to_string(),
        position: part.rule.as_ref().and_then(|rule| rule.position),
    });
    let mut removed = part.removed.to_vec();
    removed.extend(others.iter().map(|address| Removal {
        address,
        by: Some(Arc::clone(&by)),
        value: None,
    }));
    removed.sort_by_key(|removal| removal.address);
    removed.into()
}

/// One for each of several turns: the last one is this, the others are copies.
pub(super) fn parted<T: Clone, U>(
    from: T,
    turns: Vec<U>,
    turn: impl Fn(&mut T, U),
) -> impl Iterator<Item = T> {
    let count = turns.len();
    let mut from = Some(from);
    turns
        .into_iter()
        .enumerate()
        .filter_map(move |(place, next)| {
            let mut one = if place + 1 == count {
                from.take()?
            } else {
                from.clone()?
            };
            turn(&mut one, next);
            Some(one)
        })
}

/// Something that is taken with a probability.
trait Likely {
    fn likely(&self) -> f64;

    fn probability(&mut self) -> &mut f64;
}

impl Likely for Turn {
    fn likely(&self) -> f64 {
        self.probability
    }

    fn probability(&mut self) -> &mut f64 {
        &mut self.probability
    }
}

impl Likely for Way {
    fn likely(&self) -> f64 {
        self.probability
    }

    fn probability(&mut self) -> &mut f64 {
        &mut self.probability
    }
}

/// Ways through a router that came to the same are one: which of them led there makes no difference for what follows.
/// Those that end are told apart by the part that leaves nothing.
pub(super) fn joined_turns(turns: Vec<Turn>) -> Vec<Turn> {
    let end = |turn: &Turn| {
        let last = turn.parts.last().filter(|_| turn.output.is_empty());
        last.map(|part| (part.rule.clone(), part.text.clone()))
    };
    join(turns, |a, b| a.output == b.output && end(a) == end(b))
}

/// Joins what is alike; the likelier one stands for both.
fn join<T: Likely>(mut all: Vec<T>, alike: impl Fn(&T, &T) -> bool) -> Vec<T> {
    all.sort_by(|a, b| b.likely().total_cmp(&a.likely()));
    let mut out: Vec<T> = Vec::new();
    for mut one in all {
        match out.iter_mut().find(|known| alike(known, &one)) {
            Some(known) => *known.probability() += *one.probability(),
            None => out.push(one),
        }
    }
    out
}

/// What the ways come to.
pub(super) fn split(ended: Vec<Way>, open: Vec<Way>) -> Split {
    let mut ways: Vec<Way> = ended.into_iter().chain(open).collect();
    let share = |fits: fn(&Way) -> bool| -> f64 {
        let share = ways.iter().filter(|way| fits(way));
        share
            .map(|way| way.probability)
            .sum::<f64>()
            .clamp(0.0, 1.0)
    };
    let lost = share(Way::is_lost);
    let unclear = share(|way| !way.is_lost() && matches!(way.outcome, Ok(Outcome::Within(_))));
    ways.sort_by(|a, b| {
        b.is_lost()
            .cmp(&a.is_lost())
            .then(b.probability.total_cmp(&a.probability))
    });
    ways.truncate(MOST_KEPT);
    Split {
        lost,
        unclear,
        ways,
    }
}

/// Ways that are followed at a time.
pub(super) const MOST_FOLLOWED: usize = MOST_ANSWERS;

impl<S: RuleSource> Application<S> {
    /// Follows every way of a call; `before` is what the routers did that come before anything is drawn. `None` when the
    /// ways are too many.
    pub(super) fn split(
        &self,
        chain: &Chain,
        call: &Call,
        before: Vec<Explained>,
    ) -> Option<Split> {
        let mut ended: Vec<Way> = Vec::new();
        let order = self.order(chain).skip(before.len());
        let all = || Outcome::Only(AddressSet::all(chain.list().len()));
        let input = before.last().map(|last| last.step.output.clone());
        let mut open = vec![Way {
            probability: 1.0,
            steps: before,
            outcome: Ok(input.unwrap_or_else(all)),
        }];
        for step in &mut open[0].steps {
            shorten(&mut step.parts, MOST_QUIET);
        }
        for id in order {
            let mut next = Vec::new();
            for way in open {
                let ways = self.follow(chain, id, call, way)?;
                // An exception ends a way, and so does an empty list unless the chain is told to go on.
                let (done, on): (Vec<Way>, Vec<Way>) = ways
                    .into_iter()
                    .partition(|way| way.outcome.is_err() || self.stops() && way.is_lost());
                ended.extend(done);
                next.extend(on);
            }
            ended = join(ended, |a, b| a.end() == b.end());
            open = join(next, |a, b| a.outcome == b.outcome);
            if open.len() > MOST_FOLLOWED || ended.len() > MOST_FOLLOWED {
                return None;
            }
        }
        Some(split(ended, open))
    }

    /// The ways on which a way goes on through a router.
    fn follow(&self, chain: &Chain, id: RouterId, call: &Call, mut way: Way) -> Option<Vec<Way>> {
        let Ok(input) = way.outcome.clone() else {
            return Some(vec![way]);
        };
        let step = |output: Outcome| Step {
            router: self.slots[id].router.name(),
            kind: self.slots[id].kind,
            input: input.clone(),
            output,
        };
        let turns = match &input {
            Outcome::Only(set) if !self.slots[id].unknown => {
                self.with_form(chain, id, |form| form.turns(chain.list(), call, set))
            }
            _ => self.run(chain, id, call, &input).map(|output| {
                let parts = self.parts(chain, id, call, &input);
                Some(vec![Turn::new(1.0, parts, output)])
            }),
        };
        match turns {
            Err(thrown) => {
                way.steps.push(Explained {
                    parts: self.parts(chain, id, call, &input),
                    step: step(Outcome::Only(AddressSet::none(chain.list().len()))),
                    thrown: Some(thrown.clone()),
                });
                way.outcome = Err(thrown);
                Some(vec![way])
            }
            Ok(None) => None,
            Ok(Some(turns)) => {
                let ways = parted(way, turns, |way, mut turn| {
                    shorten(&mut turn.parts, MOST_QUIET);
                    way.probability *= turn.probability;
                    way.steps.push(Explained {
                        parts: turn.parts,
                        step: step(turn.output.clone()),
                        thrown: None,
                    });
                    way.outcome = Ok(turn.output);
                });
                Some(ways.collect())
            }
        }
    }
}
