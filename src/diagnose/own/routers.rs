//! What routers make of the consumer's own list: as far as no rule could bear on it, or it was watched.

use crate::{
    diagnose::outcome::Judged,
    model::{
        qos::recent::{Node, Routed},
        url::Url,
    },
    view::{
        held::LayerKind,
        interface::Case,
        own::{Own, OwnList},
        stage::{StageId, State},
    },
};

/// Whether routers leave something for every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Routing {
    /// They do.
    Passes,
    /// They were seen to leave nothing for a call.
    Loses,
    /// Not known.
    Unknown,
}

/// Parameters that bring a router, or decide one.
const ROUTING: [&str; 4] = ["dubbo.tag", "tag", "router", "request.tag"];

/// What is known of it.
pub(super) fn routing(own: &Own, case: &Case<'_>, list: &OwnList, judged: &Judged) -> Routing {
    let question = case.question;
    let calls = own.routed(&question.service, &question.consumer);
    let changed = last_change(case);
    let recent: Vec<&Routed> = calls
        .iter()
        .map(|(call, _)| *call)
        .filter(|call| changed.is_none_or(|changed| call.at_ms > changed))
        .collect();
    let loses = |call: &&Routed| {
        call.numbers()
            .is_some_and(|(input, output)| input > 0 && output == 0)
    };
    // A call that found no address at all, and nothing better since.
    let starved = recent
        .last()
        .and_then(|call| call.numbers())
        .is_some_and(|(input, _)| input == 0);
    if starved || recent.iter().any(loses) {
        return Routing::Loses;
    }
    let mut stages = judged
        .view
        .stages
        .iter()
        .filter(|stage| matches!(stage.id, StageId::Router(_)))
        .peekable();
    let computed = stages.peek().is_some()
        && stages.all(|stage| matches!(stage.state, State::Ok))
        && judged.view.routed.undecided.is_empty()
        && !judged.view.routed.partly;
    // With a rule around, a call that none of them concerned says nothing of the others.
    let watched = !has_rule(case) && recent.iter().any(|call| is_idle(call));
    if computed || watched || is_free(case, list) {
        Routing::Passes
    } else {
        Routing::Unknown
    }
}

/// How long before it was seen a call may lie to speak of the same rules, milliseconds: a rule that was removed since
/// leaves no trace.
const RECENT_MS: i64 = 600_000;

/// The last call that the consumer was watched at found addresses and its routers left none, and no rule was changed
/// since: whatever the replay gives, it does not know all that routes there.
pub(super) fn routes_nothing(own: &Own, case: &Case<'_>, list: &OwnList) -> bool {
    let question = case.question;
    let calls = own.routed(&question.service, &question.consumer);
    let Some((call, shown)) = calls.last() else {
        return false;
    };
    let asked = shown.seen_at.as_deref().and_then(|at| at.parse().ok());
    let seen_at: Option<jiff::Timestamp> = asked.or_else(|| list.seen_at());
    let is_recent = seen_at.is_some_and(|at| at.as_millisecond() - call.at_ms <= RECENT_MS);
    let is_in_force = last_change(case).is_none_or(|changed| call.at_ms > changed);
    let loses = call
        .numbers()
        .is_some_and(|(input, output)| input > 0 && output == 0);
    is_recent && is_in_force && loses
}

/// When the newest rule that is read was changed, milliseconds since 1970.
pub(super) fn last_change(case: &Case<'_>) -> Option<i64> {
    case.held
        .rules
        .stored
        .iter()
        .filter(|rule| rule.read)
        .filter_map(|rule| rule.changed_ms)
        .max()
}

/// No router had anything to do with this call: none of them has a rule.
fn is_idle(call: &Routed) -> bool {
    let says = |node: &Node| {
        let Some(message) = node.message.as_deref() else {
            return node.depth == 0;
        };
        [
            "Return normal Invokers",
            "MeshRuleCache has not been built",
            "conditionRouters is empty",
            "script is not enabled",
        ]
        .iter()
        .any(|idle| message.contains(idle))
            // Without a rule the tags of addresses still count; nothing was removed, so no address has one.
            || message.contains("Disable Tag Router") && node.input == node.output
    };
    call.numbers()
        .is_some_and(|(input, output)| input > 0 && input == output)
        && call.nodes.iter().all(says)
}

/// A routing rule is stored where the consumer looks.
fn has_rule(case: &Case<'_>) -> bool {
    let mut stored = case.held.rules.stored.iter();
    stored.any(|rule| rule.read && rule.kind == LayerKind::RoutingRule)
}

/// Nothing is there that could route: no rule, no tag, no router of the user's own.
fn is_free(case: &Case<'_>, list: &OwnList) -> bool {
    let (held, question) = (case.held, case.question);
    let layers = held.layers.iter().any(|layer| {
        matches!(
            layer.kind,
            LayerKind::RoutingRule
                | LayerKind::RegistryRoute
                | LayerKind::Tag
                | LayerKind::RouterParameter
        )
    });
    let of_consumer = |name: &&str| {
        question.consumer.params.contains_key(*name)
            || question.invocation.attachments.contains_key(*name)
    };
    let of_provider = |url: &Url| ROUTING.iter().any(|name| url.text(name).is_some());
    let entries = held
        .entries
        .iter()
        .filter_map(crate::view::held::Entry::plain)
        .any(|url| of_provider(&url));
    held.rules_not_seen.is_empty()
        && held.routes.is_empty()
        && question.routers.is_empty()
        && !(has_rule(case) || layers || entries || list.is_tagged)
        && !ROUTING.iter().any(of_consumer)
}
