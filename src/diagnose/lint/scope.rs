//! Where a rule is kept against whose rule it says it is: consumers look at the key only, so a rule for a service under the
//! key of an application reaches nobody whom its author had in mind.

use super::{Code, Cx, Phrase, Say, found};
use crate::model::service_key::ServiceKey;
use crate::rule::yaml::Node;

/// Looks at `scope` and `key` of a rule. Configurators say it more exactly when their own `key` differs.
pub(super) fn check(cx: &mut Cx<'_>, root: Node<'_>) {
    // Up to 2.7.2 the key of a service has no colons.
    if !cx.version.at_least([2, 7, 3]) {
        return;
    }
    let ending = cx.rule.kind.ending().unwrap_or_default();
    let Some(base) = cx.rule.key.and_then(|key| key.strip_suffix(ending)) else {
        return;
    };
    let text = |name: &str| root.get(name).and_then(Node::as_text);
    let scope = text("scope");
    let of_service = base.contains(':');
    let (name, place) = match (scope, root.get("scope")) {
        (Some("application"), Some(node)) if of_service => {
            let at = cx.mark(node);
            cx.add(
                found(Code::LintUnknownKey, at)
                    .reads(Phrase::new(Say::LintScopeOfService).with("key", base)),
            );
            return;
        }
        (Some("service"), Some(node)) if !of_service => {
            let named = text("key").filter(|key| *key != "*");
            (named.unwrap_or(base), Some(node))
        }
        (None, _) if !of_service && looks_like_an_interface(base) => (base, None),
        _ => return,
    };
    let Ok(service) = ServiceKey::parse_dubbo(name) else {
        return;
    };
    let key = format!("{}{ending}", service.rule_key());
    let at = match place {
        Some(node) => cx.mark(node),
        None => cx.source.whole_line(1),
    };
    // An application may be named like anything, but hardly like an interface.
    let code = if looks_like_an_interface(base) {
        Code::RuleNoEffect
    } else {
        Code::LintUnknownKey
    };
    cx.add(
        found(code, at)
            .reads(Phrase::new(Say::LintScopeOfApplication).with("key", base))
            .meant(Phrase::new(Say::LintKeepUnder).with("key", key)),
    );
}

/// `com.acme.OrderService`: a package in small letters and the name of a class.
fn looks_like_an_interface(base: &str) -> bool {
    let Some((package, class)) = base.rsplit_once('.') else {
        return false;
    };
    class.starts_with(|c: char| c.is_ascii_uppercase()) && !package.contains(char::is_uppercase)
}
