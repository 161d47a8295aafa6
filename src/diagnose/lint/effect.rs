//! What a condition can do: nothing, everything, or what depends on calls and addresses.

use super::clause::Holds;
use super::{Code, Cx, Phrase, Say, found};
use crate::model::version::DubboVersion;
use crate::route::dialect::Dialect;
use crate::rule::yaml::Span;

/// Clauses and addresses that are compared at most in one run.
pub(super) const MOST_COMPARED: usize = 10_000_000;

/// One condition as far as its effect goes.
pub(super) struct Effect {
    /// The left side.
    pub(super) when: Holds,
    /// The right side; `None` is the empty one, which lets nobody through.
    pub(super) then: Option<Holds>,
    /// Whether an empty result stays empty.
    pub(super) force: bool,
    /// How many of the known providers fit the right side, and how many there are.
    pub(super) fitting: Option<(usize, usize)>,
}

/// The dialect by which conditions are judged; versions whose chain is not modelled borrow that of their neighbour.
pub(super) fn dialect(version: &DubboVersion) -> Option<Dialect> {
    Dialect::of(version).or_else(|| {
        let neighbour = if version.line().is_3x() {
            "3.0.5"
        } else {
            "2.7.3"
        };
        Dialect::of(&DubboVersion::parse(neighbour).ok()?)
    })
}

/// Says what a condition cannot do.
pub(super) fn tell(cx: &mut Cx<'_>, at: Span, effect: &Effect) {
    let none = |cx: &mut Cx<'_>, reads: Say| cx.add(found(Code::RuleNoEffect, at).reads(reads));
    let counted = |reads: Say, count: usize| Phrase::new(reads).with("count", count.to_string());
    match (effect.when, effect.then) {
        (Holds::Never, _) => none(cx, Say::LintNeverApplies),
        (Holds::Always, None) => {
            cx.add(found(Code::LintForceEmpty, at).reads(Say::LintBlocksAll));
        }
        (_, None) => {}
        (_, Some(Holds::Never)) if effect.force => {
            cx.add(found(Code::LintForceEmpty, at).reads(Say::LintForcedNobody));
        }
        (_, Some(Holds::Never)) => none(cx, Say::LintSelectsNobody),
        (_, Some(Holds::Always)) => none(cx, Say::LintExcludesNobody),
        (_, Some(Holds::Depends)) => match effect.fitting {
            Some((0, all)) if all > 0 && effect.force => {
                cx.add(
                    found(Code::LintForceEmpty, at).reads(counted(Say::LintForcedNobodyOf, all)),
                );
            }
            Some((0, all)) if all > 0 => {
                cx.add(found(Code::RuleNoEffect, at).reads(counted(Say::LintSelectsNobodyOf, all)));
            }
            Some((fitting, all)) if fitting == all && all > 0 => {
                cx.add(
                    found(Code::RuleNoEffect, at).reads(counted(Say::LintExcludesNobodyOf, all)),
                );
            }
            _ => {}
        },
    }
}

/// Says that a condition leaves nobody of those whom conditions before it leave of every call.
pub(super) fn tell_together(cx: &mut Cx<'_>, at: Span, all: usize) {
    let reads = Phrase::new(Say::LintForcedNobodyLeft).with("count", all.to_string());
    cx.add(found(Code::LintForceEmpty, at).reads(reads));
}
